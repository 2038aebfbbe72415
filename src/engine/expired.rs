//! Remembers which edits are no longer kept, since when and why: no content, no paths and no diff.
//!
//! Each workspace has at most [`RECORDS_LIMIT`] such records, and none is kept longer than an edit.

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::apply::record::{self, NoRecord};
use crate::apply::{history, journal};
use crate::diagnostic::{self, Diagnostic};
use crate::workspace::{Durable, StateDirectory, StateError};

use super::response::{EditsForgotten, RefusedCall};
use super::staged::{self, is_id, now};
use super::{Engine, Refused};

pub(super) const KIND: &str = "expired";
const VERSION: u32 = 1;
/// The maximum number of records of a workspace. The oldest are removed first.
const RECORDS_LIMIT: usize = 2_000;

/// The record of an edit that is no longer kept.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Expired {
    version: u32,
    /// The time at which it was removed, in seconds since 1970.
    at: u64,
    pub(super) why: Why,
    /// The id of the edit that is staged instead, if it was amended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    instead: Option<String>,
}

/// Why an edit is no longer kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Why {
    /// It was older than edits are kept.
    Age,
    /// Its workspace had too many edits.
    Number,
    /// The user removed all edits of its workspace.
    Forgotten,
    /// It was amended, and is staged with another id.
    Amended,
}

impl Expired {
    fn new(why: Why, instead: Option<String>) -> Expired {
        Expired {
            version: VERSION,
            at: now(),
            why,
            instead,
        }
    }

    /// Returns the refusal of a call with the id of the edit.
    pub(super) fn refusal(&self, edit_id: &str) -> Diagnostic {
        let ago = now().saturating_sub(self.at);
        if let Some(instead) = &self.instead {
            return diagnostic::about_amended(edit_id, ago, instead);
        }
        let why = match self.why {
            Why::Age => "edits are kept for a week",
            Why::Number => "its workspace had too many edits, and the oldest are removed first",
            Why::Forgotten => "the user removed all edits of its workspace",
            Why::Amended => "it was amended",
        };
        diagnostic::about_expired(edit_id, ago, why)
    }
}

impl Engine {
    /// Removes everything that is kept of the edits that were staged in this workspace: their records with the content, and
    /// the texts of their files. Applied edits stay written, and can no longer be undone. Afterwards, each id answers
    /// `edit_not_found` with the reason.
    ///
    /// # Errors
    /// The state directory cannot be read or written.
    pub fn forget_edits(&self) -> Result<EditsForgotten, Refused> {
        let state = self.workspace.state();
        // Settling a change may need its texts.
        let unsettled = self.settle();
        let forget = || {
            let edits = staged::forget_all(state)?;
            let needed = journal::needed_texts(state)?;
            let texts = history::forget(state, &needed)?;
            Ok(EditsForgotten {
                edits,
                texts,
                notes: unsettled,
            })
        };
        forget().map_err(|error| {
            let refused = diagnostic::about_state(&error);
            Box::new(RefusedCall::of_call("list_edits", json!({}), refused))
        })
    }
}

/// Records in a folder that an edit is no longer kept.
pub(super) fn keep(
    state: &StateDirectory,
    folder: &str,
    edit_id: &str,
    why: Why,
) -> Result<(), StateError> {
    let expired = Expired::new(why, None);
    let name = file_name(edit_id);
    record::keep(state, folder, &name, &expired, Durable::AfterACrash)
}

/// Records that another edit is staged instead of an edit that was amended.
pub(super) fn keep_amended(
    state: &StateDirectory,
    edit_id: &str,
    instead: &str,
) -> Result<(), StateError> {
    let expired = Expired::new(Why::Amended, Some(instead.to_string()));
    let (folder, name) = (state.own_folder(KIND), file_name(edit_id));
    record::keep(state, &folder, &name, &expired, Durable::AfterACrash)
}

/// Finds the record of an edit that is no longer kept. Returns `None` if there is none that this version can read.
pub(super) fn find(state: &StateDirectory, edit_id: &str) -> Result<Option<Expired>, StateError> {
    if !is_id(edit_id) {
        return Ok(None);
    }
    match record::find_in_all(state, KIND, &file_name(edit_id), VERSION..=VERSION) {
        Ok((expired, _)) => Ok(Some(expired)),
        Err(NoRecord::Missing | NoRecord::Newer | NoRecord::Damaged) => Ok(None),
        Err(NoRecord::State(error)) => Err(error),
    }
}

/// Removes old records.
pub(super) fn sweep(state: &StateDirectory) -> Result<(), StateError> {
    record::sweep(state, KIND, RECORDS_LIMIT)
}

fn file_name(edit_id: &str) -> String {
    format!("{edit_id}.json")
}
