//! What is left of an edit whose record is gone: since when and why, so that a call with its id is
//! answered with its outcome. No content and no diff.
//!
//! It is a file in the folder of the record. Each workspace has at most [`LIMIT`] of them, and none is kept longer than an
//! edit.

use serde::{Deserialize, Serialize};

use crate::apply::history::KEPT;
use crate::apply::later::FileDelta;
use crate::apply::record::{self, NoRecord};
use crate::diagnostic::{self, Diagnostic};
use crate::workspace::{Durable, StateDirectory, StateError, WorkspaceFile};

use super::{EditRecord, KIND, is_id, now};

const VERSION: u32 = 1;
/// The maximum number of ended edits of a workspace. The oldest are removed first.
pub(in crate::engine) const LIMIT: usize = 2_000;
const SUFFIX: &str = ".ended.json";

/// An edit whose record is gone.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::engine) struct Ended {
    version: u32,
    pub(in crate::engine) edit_id: String,
    /// The time at which its record was removed, in seconds since 1970.
    pub(in crate::engine) at: u64,
    pub(in crate::engine) why: Why,
    /// What the edit was, unless its content is to be forgotten.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::engine) about: Option<About>,
}

/// Why the record of an edit is gone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::engine) enum Why {
    /// It was older than edits are kept.
    Age,
    /// Its workspace had too many edits.
    Number,
    /// The user removed all edits of its workspace.
    Forgotten,
    /// It was discarded.
    Discarded { reason: Option<String> },
    /// It was amended or made again, and is kept with this id.
    Replaced { by: String },
}

/// What an edit was.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::engine) struct About {
    pub(in crate::engine) client: Option<String>,
    pub(in crate::engine) tool: String,
    pub(in crate::engine) paths: Vec<String>,
    pub(in crate::engine) symbol: Option<String>,
    pub(in crate::engine) summary: String,
    /// What is known of its undos.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(in crate::engine) undone: Vec<FileDelta>,
}

impl Ended {
    fn new(edit_id: &str, why: Why, about: Option<About>) -> Ended {
        Ended {
            version: VERSION,
            edit_id: edit_id.to_string(),
            at: now(),
            why,
            about,
        }
    }

    /// Returns the refusal of a call with the id of the edit.
    pub(in crate::engine) fn refusal(&self) -> Diagnostic {
        let ago = now().saturating_sub(self.at);
        let expired = |why| diagnostic::about_expired(&self.edit_id, ago, why);
        match &self.why {
            Why::Age => expired("edits are kept for a week"),
            Why::Number => {
                expired("its workspace had too many edits, and the oldest are removed first")
            }
            Why::Forgotten => expired("the user removed all edits of its workspace"),
            Why::Discarded { reason } => {
                diagnostic::about_discarded(&self.edit_id, reason.as_deref())
            }
            Why::Replaced { by } => diagnostic::about_replaced(&self.edit_id, ago, by),
        }
    }
}

/// Records why the record of an edit goes.
pub(in crate::engine) fn keep(
    state: &StateDirectory,
    staged: &EditRecord,
    why: Why,
) -> Result<(), StateError> {
    let about = About {
        client: staged.client.clone(),
        tool: staged.call.tool().to_string(),
        paths: staged.paths.clone(),
        symbol: staged.symbol.clone(),
        summary: staged.summary.clone(),
        undone: staged.undone.clone(),
    };
    let ended = Ended::new(&staged.edit_id, why, Some(about));
    put(state, &staged.folder_in(state), &ended)
}

/// Records in a folder that an edit is forgotten, and why.
pub(in crate::engine) fn keep_forgotten(
    state: &StateDirectory,
    folder: &str,
    edit_id: &str,
    why: Why,
) -> Result<(), StateError> {
    put(state, folder, &Ended::new(edit_id, why, None))
}

fn put(state: &StateDirectory, folder: &str, ended: &Ended) -> Result<(), StateError> {
    let name = format!("{}{SUFFIX}", ended.edit_id);
    record::keep(state, folder, &name, ended, Durable::AfterACrash)
}

/// Finds what is left of an edit. Returns `None` if there is nothing that this version can read.
pub(in crate::engine) fn find(
    state: &StateDirectory,
    edit_id: &str,
) -> Result<Option<Ended>, StateError> {
    if !is_id(edit_id) {
        return Ok(None);
    }
    let name = format!("{edit_id}{SUFFIX}");
    match record::find_in_all(state, KIND, &name, VERSION) {
        Ok((ended, _)) => Ok(Some(ended)),
        Err(NoRecord::Missing | NoRecord::Newer | NoRecord::Damaged) => Ok(None),
        Err(NoRecord::State(error)) => Err(error),
    }
}

/// Returns all ended edits, the latest first.
pub(in crate::engine) fn all(state: &StateDirectory) -> Result<Vec<Ended>, StateError> {
    let mut found = Vec::new();
    for WorkspaceFile { file: kept, .. } in state.list_all(KIND)? {
        if let Some(edit_id) = id_in(&kept.name)
            && !kept.is_older(KEPT)
        {
            found.extend(find(state, edit_id)?.map(|ended| (ended, kept.written)));
        }
    }
    found.sort_by_key(|(ended, written)| std::cmp::Reverse((ended.at, *written)));
    Ok(found.into_iter().map(|(ended, _)| ended).collect())
}

/// Removes the oldest ones, down to `limit` in each workspace.
pub(in crate::engine) fn sweep(state: &StateDirectory, limit: usize) -> Result<(), StateError> {
    let is_ended = |name: &str| id_in(name).is_some();
    for one in record::outdated(state, KIND, limit, is_ended)? {
        state.remove(&one.file.folder, &one.file.file.name)?;
    }
    Ok(())
}

/// Returns the id in the file name of an ended edit.
pub(in crate::engine) fn id_in(file: &str) -> Option<&str> {
    file.strip_suffix(SUFFIX).filter(|edit_id| is_id(edit_id))
}

#[cfg(test)]
mod tests {
    use super::super::super::request::KeptCall;
    use super::super::super::response::EditStatus;
    use super::*;

    #[test]
    fn of_too_many_the_oldest_go() {
        let (_folder, state) = StateDirectory::temporary();
        let discard = || {
            let call = KeptCall::new("edit_nodes", serde_json::Map::new());
            let status = EditStatus::Refused;
            let staged = EditRecord::new(Vec::new(), call, status, String::new(), Vec::new());
            let reason = Some("no".to_string());
            keep(&state, &staged, Why::Discarded { reason }).expect("it can be kept");
            staged.edit_id
        };
        let ids: Vec<String> = (0..4)
            .map(|_| {
                // Files have times.
                std::thread::sleep(std::time::Duration::from_millis(20));
                discard()
            })
            .collect();
        sweep(&state, 3).expect("nothing prevents it");
        let found = |edit_id: &str| find(&state, edit_id).expect("it can be read");
        let left: Vec<bool> = ids.iter().map(|edit_id| found(edit_id).is_some()).collect();
        assert_eq!(left, [false, true, true, true]);
        let all = all(&state).expect("they can be read");
        assert_eq!(all.len(), 3);
        let reason = Some("no".to_string());
        assert_eq!(all[0].why, Why::Discarded { reason });
        assert!(found("").is_none() && found("../edits").is_none());
    }
}
