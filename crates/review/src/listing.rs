//! Keeps the list of edits up to date: reads an edit again only if it changed.

use std::collections::BTreeMap;
use std::time::Duration;

use treegraft::engine::Engine;
use treegraft::engine::response::{EditListed, EditStatus, RefusedCall};
use treegraft::engine::review::{EditFit, EditFits, EditMark, EditReviewed};

/// All edits of the workspace, by id.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    marks: BTreeMap<String, EditMark>,
    edits: BTreeMap<String, EditListed>,
    fits: EditFits,
}

/// The state of an edit and of its files, as the list shows them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    pub(crate) edit: EditMark,
    pub(crate) fit: EditFit,
}

/// The marks of edits, by id.
pub(crate) type Marks = BTreeMap<String, Mark>;

impl Listing {
    /// Reads what changed since the last call.
    ///
    /// # Errors
    /// The state directory cannot be read.
    pub(crate) fn refresh(&mut self, engine: &Engine) -> Result<(), Box<RefusedCall>> {
        let marks = engine.edit_marks()?;
        let changed = changed(&self.marks, &marks);
        for edit_id in &changed {
            self.edits.remove(edit_id);
        }
        for edit in engine.look_up_edits(&changed) {
            self.edits.insert(edit.edit_id.clone(), edit);
        }
        self.marks = marks;
        let staged = self.edits.values();
        let staged = staged.filter(|edit| edit.status == EditStatus::Previewed);
        let staged = staged.filter_map(|edit| Some((edit, self.marks.get(&edit.edit_id)?)));
        self.fits.refresh(engine, staged);
        Ok(())
    }

    /// Compares staged edits with files that changed, the newest first, for about as long as `time`.
    pub(crate) fn compare(&mut self, engine: &Engine, time: Duration) {
        let staged = self.edits(|status| status == EditStatus::Previewed);
        let ids: Vec<String> = staged.iter().map(|edit| edit.edit_id.clone()).collect();
        let ids = ids.iter().map(String::as_str);
        self.fits.compare(engine, ids, time);
    }

    /// Takes over how an edit fits its files, which the person sees.
    pub(crate) fn learn(&mut self, reviewed: &EditReviewed) {
        self.fits.learn(reviewed);
    }

    /// Returns how a staged edit fits its files.
    pub(crate) fn fit(&self, edit_id: &str) -> EditFit {
        self.fits.for_edit(edit_id)
    }

    /// Returns the marks of the last refresh, without those of edits of other workspaces.
    pub(crate) fn marks(&self) -> Marks {
        let marks = self.marks.iter();
        let marks = marks.filter(|(edit_id, _)| self.edits.contains_key(*edit_id));
        let marks = marks.map(|(edit_id, edit)| {
            let (edit, fit) = (edit.clone(), self.fits.for_edit(edit_id));
            (edit_id.clone(), Mark { edit, fit })
        });
        marks.collect()
    }

    /// Returns the edit with an id, as it was at the last refresh.
    pub(crate) fn get(&self, edit_id: &str) -> Option<&EditListed> {
        self.edits.get(edit_id)
    }

    /// Returns the edits with a status for which `is_wanted` returns true, the newest first.
    pub(crate) fn edits(&self, is_wanted: impl Fn(EditStatus) -> bool) -> Vec<&EditListed> {
        let edits = self.edits.values();
        let mut edits: Vec<&EditListed> = edits.filter(|edit| is_wanted(edit.status)).collect();
        // Edits have times in seconds. Within one second, the record that was written last is the newest.
        edits.sort_by(|one, other| {
            let time = |edit: &EditListed| (edit.created, self.marks.get(&edit.edit_id));
            let (one_time, other_time) = (time(one), time(other));
            let by_time = other_time.0.cmp(&one_time.0);
            let written = |mark: Option<&EditMark>| mark.and_then(EditMark::written);
            by_time.then_with(|| written(other_time.1).cmp(&written(one_time.1)))
        });
        edits
    }

    /// Returns the edits with these ids, the oldest first.
    pub(crate) fn oldest_first(&self, edit_ids: &[String]) -> Vec<EditListed> {
        let mut edits = self.edits(|_| true);
        edits.retain(|edit| edit_ids.contains(&edit.edit_id));
        edits.into_iter().rev().cloned().collect()
    }
}

/// Returns the ids of the edits that changed, whether their files did or not, sorted.
pub(crate) fn changed_edits(before: &Marks, now: &Marks) -> Vec<String> {
    let mut ids = changed(before, now);
    ids.retain(|edit_id| {
        let edit = |marks: &Marks| marks.get(edit_id).map(|mark| mark.edit.clone());
        edit(before) != edit(now)
    });
    ids
}

/// Returns the ids whose marks differ, sorted.
pub(crate) fn changed<M: PartialEq>(
    before: &BTreeMap<String, M>,
    now: &BTreeMap<String, M>,
) -> Vec<String> {
    let gone = before.keys().filter(|edit_id| !now.contains_key(*edit_id));
    let other = now
        .iter()
        .filter(|(edit_id, mark)| before.get(*edit_id) != Some(mark));
    let mut ids: Vec<String> = gone
        .chain(other.map(|(edit_id, _)| edit_id))
        .cloned()
        .collect();
    ids.sort();
    ids
}
