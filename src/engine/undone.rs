//! Keeps the changes of edits that were undone: what they had changed, and what the undo changed. Without them, an earlier
//! edit could not be followed to the current text of its file.

use serde::{Deserialize, Serialize};

use crate::apply::later::LaterChange;
use crate::apply::record::{self, NoRecord};
use crate::workspace::{Durable, StateDirectory, StateError, WorkspaceFile};

use super::staged::{Staged, new_id};

pub(super) const KIND: &str = "undone";
const VERSION: u32 = 1;
/// The maximum number of records of a workspace. The oldest are removed first.
const RECORDS_LIMIT: usize = 2_000;

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Undone {
    version: u32,
    changes: Vec<FileChange>,
}

/// A change of one file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct FileChange {
    /// The absolute path.
    pub(super) path: String,
    #[serde(flatten)]
    pub(super) change: LaterChange,
}

/// Returns the changes that an edit makes to its files.
pub(super) fn changes_of(staged: &Staged) -> impl Iterator<Item = FileChange> {
    let files = staged.paths.iter().zip(&staged.files);
    files.map(|(path, file)| FileChange {
        path: path.clone(),
        change: LaterChange::of(&staged.edit_id, &file.record),
    })
}

/// Returns what is known if an edit is undone: its changes as it was `applied`, those of its undo as if it were made
/// `last`, and the changes since then without it.
pub(super) fn changes(applied: &Staged, last: &Staged, rest: Vec<FileChange>) -> Vec<FileChange> {
    let back = changes_of(last).map(|one| FileChange {
        change: one.change.reversed(),
        ..one
    });
    changes_of(applied).chain(back).chain(rest).collect()
}

/// Records that an edit is to be undone.
pub(super) fn keep(state: &StateDirectory, changes: &[FileChange]) -> Result<(), StateError> {
    let record = Undone {
        version: VERSION,
        changes: changes.to_vec(),
    };
    let name = format!("{}.json", new_id());
    let folder = state.own_folder(KIND);
    record::keep(state, &folder, &name, &record, Durable::AfterACrash)
}

/// Returns the changes of all undone edits.
pub(super) fn all(state: &StateDirectory) -> Result<Vec<FileChange>, StateError> {
    let mut found = Vec::new();
    for WorkspaceFile { folder, file } in state.list_all(KIND)? {
        match record::find::<Undone>(state, &folder, &file.name, VERSION..=VERSION) {
            Ok(undone) => found.extend(undone.changes),
            // Without it, fewer edits can be undone, and none wrongly.
            Err(NoRecord::Missing | NoRecord::Newer | NoRecord::Damaged) => {}
            Err(NoRecord::State(error)) => return Err(error),
        }
    }
    Ok(found)
}

/// Removes old records.
pub(super) fn sweep(state: &StateDirectory) -> Result<(), StateError> {
    record::sweep(state, KIND, RECORDS_LIMIT)
}
