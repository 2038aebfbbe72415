//! A call that edits, as it is kept.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::diagnostic::{self, Diagnostic};
use crate::validate::Check;

use super::{EDIT_NODES, EditCall, REWRITE, Rewrite};

/// The name of a tool and the arguments of a call of it, with absolute paths.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(in crate::engine) struct KeptCall {
    tool: String,
    arguments: Map<String, Value>,
}

impl KeptCall {
    pub(in crate::engine) fn new(tool: &str, arguments: Map<String, Value>) -> KeptCall {
        KeptCall {
            tool: tool.to_string(),
            arguments,
        }
    }

    /// Returns the call of a request of a tool. Its paths have to be absolute.
    pub(in crate::engine) fn of_request(tool: &str, request: &impl Serialize) -> KeptCall {
        let arguments = match json!(request) {
            Value::Object(arguments) => arguments,
            _ => Map::new(),
        };
        KeptCall::new(tool, arguments)
    }

    /// Returns the name of the tool.
    pub(in crate::engine) fn tool(&self) -> &str {
        &self.tool
    }

    /// Returns whether the tool makes a single edit, which then has no index.
    pub(in crate::engine) fn is_single(&self) -> bool {
        self.tool != EDIT_NODES
    }

    /// Returns the call as one of a tool that edits nodes or texts, if it is. A refused call may be one that cannot be read.
    pub(in crate::engine) fn edits(&self) -> Option<EditCall> {
        EditCall::from_arguments(&self.tool, &json!(self.arguments))
    }

    /// Returns whether the edits are the matches of a rewrite.
    pub(in crate::engine) fn is_rewrite(&self) -> bool {
        self.tool == REWRITE
    }

    /// Returns the call as a rewrite, if it is one.
    pub(in crate::engine) fn rewrite(&self) -> Option<Rewrite> {
        self.is_rewrite().then(|| self.request().ok())?
    }

    /// Returns the request of the call.
    ///
    /// # Errors
    /// The record was changed by another program.
    pub(in crate::engine) fn request<R: DeserializeOwned>(&self) -> Result<R, Diagnostic> {
        serde_json::from_value(json!(self.arguments))
            .map_err(|error| diagnostic::about_arguments(error.to_string()))
    }

    /// Returns the checks that the edits of the call may fail.
    pub(in crate::engine) fn allowed(&self) -> Vec<Check> {
        match (self.edits(), self.rewrite()) {
            (Some(edits), _) => edits.allowed(),
            (None, Some(rewrite)) => rewrite.allow.iter().map(|one| (*one).into()).collect(),
            // Whether the edit changes more than its target is up to the server.
            (None, None) => vec![Check::Surroundings, Check::SuspiciousContent],
        }
    }

    /// Returns whether the edits are all places of a kind. What changed since may have such a place too.
    pub(in crate::engine) fn is_of_all_matches(&self) -> bool {
        let read = self.edits().map(|edits| edits.read());
        read.is_none_or(|read| read.is_ok_and(|edits| edits.is_of_all_matches()))
    }

    /// Returns whether another call makes the same edits, when it writes them too.
    pub(in crate::engine) fn makes_same_edits(&self, other: &KeptCall) -> bool {
        let without_apply = |call: &KeptCall| {
            let mut call = call.clone();
            call.arguments.remove("apply");
            call
        };
        without_apply(self) == without_apply(other)
    }
}
