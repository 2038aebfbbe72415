//! Keeps the list of edits up to date: reads an edit again only if it changed.

use std::collections::BTreeMap;

use treegraft::engine::Engine;
use treegraft::engine::response::{EditListed, EditStatus, RefusedCall};
use treegraft::engine::review::EditMark;

/// All edits of the workspace, by id.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    marks: BTreeMap<String, EditMark>,
    edits: BTreeMap<String, EditListed>,
}

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
        Ok(())
    }

    /// Returns the marks of the last refresh, without those of edits of other workspaces.
    pub(crate) fn marks(&self) -> BTreeMap<String, EditMark> {
        let mut marks = self.marks.clone();
        marks.retain(|edit_id, _| self.edits.contains_key(edit_id));
        marks
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

/// Returns the ids whose marks differ, sorted.
pub(crate) fn changed(
    before: &BTreeMap<String, EditMark>,
    now: &BTreeMap<String, EditMark>,
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
