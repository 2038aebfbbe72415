//! Several kept edits in one call: finds their records, locks their files, each once, and returns which edit is refused.

use crate::apply::journal::Direction;
use crate::diagnostic::{self, Diagnostic};
use crate::preview;
use crate::source::Digest;
use crate::workspace::{HeldFile, LockedFile, WorkspacePath};

use super::core::Engine;
use super::log::EditRecord;
use super::response::PendingRefusal;

/// A refusal of one of several edits.
pub(super) struct RefusedId {
    /// The index of the edit.
    pub(super) index: usize,
    pub(super) refusal: PendingRefusal,
}

/// Returns the refusal of the edit with this index.
pub(super) fn for_edit(index: usize) -> impl Fn(Diagnostic) -> RefusedId {
    move |diagnostic| RefusedId {
        index,
        refusal: diagnostic.into(),
    }
}

/// A kept edit with its paths.
pub(super) struct KeptEdit {
    pub(super) staged: EditRecord,
    pub(super) paths: Vec<WorkspacePath>,
    record: HeldFile,
}

impl Engine {
    /// Finds the records of edits: pending ones, to be written, or applied ones, to be undone.
    pub(super) fn found_together<'e>(
        &self,
        edit_ids: impl Iterator<Item = &'e str>,
        direction: Direction,
    ) -> Result<Vec<KeptEdit>, RefusedId> {
        let mut kept: Vec<KeptEdit> = Vec::new();
        for (index, edit_id) in edit_ids.enumerate() {
            let (staged, record) = self
                .record_to(edit_id, direction)
                .map_err(for_edit(index))?;
            if kept.iter().any(|one| one.staged.edit_id == staged.edit_id) {
                return Err(for_edit(index)(diagnostic::about_chosen_twice(
                    &staged.edit_id,
                )));
            }
            let paths = self.paths_to(&staged, direction).map_err(for_edit(index))?;
            kept.push(KeptEdit {
                staged,
                paths,
                record,
            });
        }
        match kept.is_empty() {
            true => Err(for_edit(0)(diagnostic::about_arguments(
                "no edit is chosen",
            ))),
            false => Ok(kept),
        }
    }

    /// Locks the files of edits, so that no other process applies or undoes one of them. Reads a record again if another
    /// process has replaced it.
    pub(super) fn locked_together(
        &self,
        kept: &mut [KeptEdit],
        direction: Direction,
    ) -> Result<Vec<LockedFile>, RefusedId> {
        let mut paths: Vec<WorkspacePath> = Vec::new();
        for path in kept.iter().flat_map(|one| &one.paths) {
            if !paths.contains(path) {
                paths.push(path.clone());
            }
        }
        let locked = self.workspace.lock_all(&paths).map_err(|error| {
            for_edit(0)(match direction {
                Direction::There => diagnostic::about_not_written(first_id(kept), &error),
                Direction::Back => diagnostic::about_file(&error),
            })
        })?;
        for (index, one) in kept.iter_mut().enumerate() {
            if one.record.has_its_name() {
                continue;
            }
            let (now, _) = self
                .record_to(&one.staged.edit_id, direction)
                .map_err(for_edit(index))?;
            if now.paths != one.staged.paths {
                return Err(for_edit(index)(self.damaged(&now.edit_id)));
            }
            one.staged = now;
        }
        Ok(locked)
    }

    fn record_to(
        &self,
        edit_id: &str,
        direction: Direction,
    ) -> Result<(EditRecord, HeldFile), Diagnostic> {
        match direction {
            Direction::There => self.waiting(edit_id),
            Direction::Back => self.applied(edit_id),
        }
    }

    /// Returns the files of an edit. Whether those of an applied one exist depends on the edits that are undone first.
    fn paths_to(
        &self,
        staged: &EditRecord,
        direction: Direction,
    ) -> Result<Vec<WorkspacePath>, Diagnostic> {
        match direction {
            Direction::There => self.paths_of(staged, direction),
            Direction::Back => self.places_of(staged),
        }
    }

    /// Returns the files of an edit, whether they exist or not. Each must still have the path that it was shown with.
    pub(super) fn places_of(&self, staged: &EditRecord) -> Result<Vec<WorkspacePath>, Diagnostic> {
        let paths = staged.paths.iter().map(|path| {
            let place = self.workspace.place_of_new(path);
            let place = place.map_err(|error| self.about_path(path, &error))?;
            match place.absolute() == path.as_str() {
                true => Ok(place),
                false => Err(diagnostic::about_moved(path, place.display().as_str())),
            }
        });
        paths.collect()
    }
}

/// Returns the digest of a diff that a person sees.
pub(super) fn digest_of(diff: &str) -> String {
    Digest::from_bytes(diff.as_bytes()).to_string()
}

/// Returns the digest of the diff that an edit was last shown with.
pub(super) fn digest_shown(staged: &EditRecord) -> String {
    let diffs = staged.diffs();
    digest_of(&preview::in_one_patch(diffs.iter().map(String::as_str)).concat())
}

/// Returns the id of the first edit.
pub(super) fn first_id(kept: &[KeptEdit]) -> &str {
    kept.first().map_or("", |one| one.staged.edit_id.as_str())
}
