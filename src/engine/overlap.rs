//! Finds pending edits of which only one can be applied as it was shown, since they change the same text.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, PoisonError};

use crate::diagnostic;
use crate::preview::PreviewRecord;
use crate::source::{FileDigest, Span};
use crate::workspace::{StateDirectory, StateError};

use super::Engine;
use super::response::EditStatus;
use super::staged::{self, Staged};

/// The maximum number of records that one call reads to find the pending edits of others. The newest are read first.
const RECORDS_READ: usize = 100;

/// The pending edits of a workspace that this process has read, by id. A refused edit is `None`, and so is one that is
/// older than the records that a call reads.
#[derive(Debug, Default)]
pub(super) struct PendingEdits(Mutex<HashMap<String, Option<PendingEdit>>>);

/// A pending edit, without its content.
#[derive(Debug)]
struct PendingEdit {
    client: Option<String>,
    session: Option<String>,
    changes: Vec<FileChange>,
}

/// What a pending edit changes in a file.
#[derive(Debug)]
struct FileChange {
    path: String,
    before: FileDigest,
    /// Whether it creates or removes the file.
    is_whole: bool,
    replaced: Vec<Span>,
}

/// Returns, for each pending edit that overlaps others, the ids of these, in the order of `all`.
pub(super) fn overlaps(all: &[Staged]) -> HashMap<String, Vec<String>> {
    let pending = all.iter().filter(|one| one.status == EditStatus::Previewed);
    let pending: Vec<(&str, Vec<FileChange>)> = pending
        .map(|one| (one.edit_id.as_str(), changes_of(one)))
        .collect();
    let mut by_path: HashMap<&str, Vec<(&str, &FileChange)>> = HashMap::new();
    for (edit_id, changes) in &pending {
        for change in changes {
            let known = by_path.entry(&change.path).or_default();
            known.push((edit_id, change));
        }
    }
    let mut found: HashMap<String, Vec<String>> = HashMap::new();
    for edits in by_path.values() {
        for (index, (one, change)) in edits.iter().enumerate() {
            let others = edits.iter().enumerate();
            let others = others
                .filter(|(other, (_, of_other))| *other != index && change.overlaps(of_other));
            for (_, (other, _)) in others {
                let known = found.entry(one.to_string()).or_default();
                if !known.iter().any(|id| id == other) {
                    known.push(other.to_string());
                }
            }
        }
    }
    found
}

impl Engine {
    /// Returns a note on each pending edit of another program that changes the same text as a staged edit.
    pub(super) fn overlap_notes(&self, staged: &Staged) -> Vec<String> {
        let state = self.workspace.state();
        match self.pending_edits.overlapping(state, staged) {
            Ok(others) => others
                .into_iter()
                .map(|(edit_id, client)| diagnostic::overlap_text(&edit_id, client.as_deref()))
                .collect(),
            Err(error) => vec![diagnostic::unread_pending_text(&error)],
        }
    }
}

impl PendingEdits {
    /// Returns the pending edits of other programs that overlap an edit, by id, with the names of the programs.
    fn overlapping(
        &self,
        state: &StateDirectory,
        staged: &Staged,
    ) -> Result<Vec<(String, Option<String>)>, StateError> {
        let waiting: HashSet<String> = staged::waiting(state)?.into_iter().collect();
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|edit_id, _| waiting.contains(edit_id));
        let mut unknown = Vec::new();
        for edit_id in waiting {
            if !known.contains_key(&edit_id) && edit_id != staged.edit_id {
                let written = staged::written(state, &edit_id)?;
                unknown.extend(written.map(|written| (written, edit_id)));
            }
        }
        unknown.sort_by_key(|(written, _)| Reverse(*written));
        for (index, (_, edit_id)) in unknown.into_iter().enumerate() {
            // A list of edits reports the records that cannot be read.
            let read = || staged::find(state, &edit_id).ok().and_then(PendingEdit::of);
            let pending = if index < RECORDS_READ { read() } else { None };
            known.insert(edit_id, pending);
        }
        let own = changes_of(staged);
        let is_own =
            |one: &PendingEdit| (&one.client, &one.session) == (&staged.client, &staged.session);
        let overlaps = |one: &PendingEdit| {
            let changes = one.changes.iter();
            let mut pairs = changes.flat_map(|of_other| own.iter().map(move |own| (own, of_other)));
            pairs.any(|(own, of_other)| own.path == of_other.path && own.overlaps(of_other))
        };
        let others = known.iter().filter_map(|(edit_id, pending)| {
            let pending = pending.as_ref()?;
            (!is_own(pending) && overlaps(pending))
                .then(|| (edit_id.clone(), pending.client.clone()))
        });
        let mut others: Vec<_> = others.collect();
        others.sort();
        Ok(others)
    }
}

impl PendingEdit {
    fn of(staged: Staged) -> Option<PendingEdit> {
        (staged.status == EditStatus::Previewed).then(|| PendingEdit {
            changes: changes_of(&staged),
            client: staged.client,
            session: staged.session,
        })
    }
}

fn changes_of(staged: &Staged) -> Vec<FileChange> {
    let files = staged.paths.iter().zip(&staged.files);
    let changes = files.map(|(path, file)| FileChange::of(path, &file.record));
    changes.collect()
}

impl FileChange {
    fn of(path: &str, record: &PreviewRecord) -> FileChange {
        FileChange {
            path: path.to_string(),
            before: record.digest_before(),
            is_whole: record.digest_before().is_absent() || record.digest_after().is_absent(),
            replaced: record.replacements().iter().map(|one| one.span).collect(),
        }
    }

    /// Returns whether two edits of one file change the same text. Edits of different texts of the file are not
    /// compared: one of them will be checked again in any case.
    fn overlaps(&self, other: &FileChange) -> bool {
        if self.is_whole || other.is_whole {
            return true;
        }
        let is_same_place = |(one, other): (Span, Span)| one == other || one.overlaps(other);
        let mut pairs = self
            .replaced
            .iter()
            .flat_map(|one| other.replaced.iter().map(move |other| (*one, *other)));
        self.before == other.before && pairs.any(is_same_place)
    }
}
