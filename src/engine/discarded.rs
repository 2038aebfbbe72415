//! Keeps what is known of discarded edits, so that the program that made them learns why: no content and no diff.
//!
//! Each workspace has at most [`RECORDS_LIMIT`] such records, and none is kept longer than an edit.

use serde::{Deserialize, Serialize};

use crate::apply::history::KEPT;
use crate::apply::record::{self, NoRecord};
use crate::workspace::{Durable, StateDirectory, StateError, WorkspaceFile};

use super::staged::{Staged, is_id, now};

pub(super) const KIND: &str = "discarded";
const VERSION: u32 = 1;
/// The maximum number of records of a workspace. The oldest are removed first.
const RECORDS_LIMIT: usize = 500;

/// The record of a discarded edit.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Discarded {
    version: u32,
    pub(super) edit_id: String,
    /// The time at which the edit was discarded, in seconds since 1970.
    pub(super) at: u64,
    pub(super) reason: Option<String>,
    pub(super) client: Option<String>,
    pub(super) tool: String,
    pub(super) paths: Vec<String>,
    pub(super) symbol: Option<String>,
    pub(super) summary: String,
}

/// Records that an edit is discarded.
pub(super) fn keep(
    state: &StateDirectory,
    staged: &Staged,
    reason: Option<&str>,
) -> Result<(), StateError> {
    let discarded = Discarded {
        version: VERSION,
        edit_id: staged.edit_id.clone(),
        at: now(),
        reason: reason.map(str::to_string),
        client: staged.client.clone(),
        tool: staged.request.tool().to_string(),
        paths: staged.paths.clone(),
        symbol: staged.symbol.clone(),
        summary: staged.summary.clone(),
    };
    let name = file_name(&staged.edit_id);
    let folder = state.own_folder(KIND);
    record::keep(state, &folder, &name, &discarded, Durable::AfterACrash)
}

/// Finds the record of a discarded edit. Returns `None` if there is none that this version can read.
pub(super) fn find(state: &StateDirectory, edit_id: &str) -> Result<Option<Discarded>, StateError> {
    if !is_id(edit_id) {
        return Ok(None);
    }
    match record::find_in_all(state, KIND, &file_name(edit_id), VERSION..=VERSION) {
        Ok((discarded, _)) => Ok(Some(discarded)),
        Err(NoRecord::Missing | NoRecord::Newer | NoRecord::Damaged) => Ok(None),
        Err(NoRecord::State(error)) => Err(error),
    }
}

/// Returns all records, the latest first.
pub(super) fn all(state: &StateDirectory) -> Result<Vec<Discarded>, StateError> {
    let mut found = Vec::new();
    for WorkspaceFile { file: kept, .. } in state.list_all(KIND)? {
        let Some(edit_id) = kept.name.strip_suffix(".json") else {
            continue;
        };
        if !kept.is_older(KEPT) {
            found.extend(find(state, edit_id)?.map(|discarded| (discarded, kept.written)));
        }
    }
    found.sort_by_key(|(discarded, written)| std::cmp::Reverse((discarded.at, *written)));
    Ok(found.into_iter().map(|(discarded, _)| discarded).collect())
}

/// Removes old records.
pub(super) fn sweep(state: &StateDirectory) -> Result<(), StateError> {
    record::sweep(state, KIND, RECORDS_LIMIT)
}

fn file_name(edit_id: &str) -> String {
    format!("{edit_id}.json")
}

#[cfg(test)]
mod tests {
    use super::super::request::{EditNodes, EditRequest, read};
    use super::super::response::EditStatus;
    use super::*;

    #[test]
    fn of_too_many_the_oldest_go() {
        let (_folder, state) = StateDirectory::temporary();
        let discard = |reason: Option<&str>| {
            let edits = serde_json::json!({"edits": []});
            let request = read::<EditNodes>(edits).expect("it is a request");
            let request = EditRequest::from(&request);
            let status = EditStatus::Refused;
            let staged = Staged::new(Vec::new(), request, status, String::new(), Vec::new());
            keep(&state, &staged, reason).expect("it can be kept");
            staged.edit_id
        };
        let ids: Vec<String> = (0..4)
            .map(|_| {
                // Files have times.
                std::thread::sleep(std::time::Duration::from_millis(20));
                discard(Some("no"))
            })
            .collect();
        record::sweep(&state, KIND, 3).expect("nothing prevents it");
        let found = |edit_id: &str| find(&state, edit_id).expect("it can be read");
        let left: Vec<bool> = ids.iter().map(|edit_id| found(edit_id).is_some()).collect();
        assert_eq!(left, [false, true, true, true]);
        let all = all(&state).expect("they can be read");
        assert_eq!(all.len(), 3);
        assert_eq!(all[0].reason.as_deref(), Some("no"));
        assert!(found("").is_none() && found("../edits").is_none());
    }
}
