//! Refused calls, and the calls that they suggest.

mod json;
mod text;

use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::super::request::{
    AmendEdit, Amendment, LocateArgument, SelectorArgument, changed_fields,
};
use crate::diagnostic::ExitStatus;
use crate::diagnostic::{Code, Diagnostic, NextCall, Trial};
use crate::engine::request::AMEND_EDIT;
use crate::engine::request::EDIT_NODES;

/// Why a request is refused, and what the caller can do next.
#[derive(Clone, Debug)]
pub struct RefusedCall {
    pub(in crate::engine) diagnostic: Diagnostic,
    pub(in crate::engine) edit_id: Option<String>,
    /// Whether the kept request has content.
    pub(in crate::engine) keeps_content: bool,
    /// Whether the first suggestions of all refused edits together fix the call.
    pub(in crate::engine) fixes_all: bool,
    /// Whether another answer has the first refused edit of the call.
    pub(in crate::engine) is_part: bool,
    /// The tool that was called.
    pub(in crate::engine) tool: Cow<'static, str>,
    /// The arguments of the call, for suggestions that repeat the call with changes.
    pub(in crate::engine) arguments: Value,
}

/// A suggested call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SuggestedCall {
    /// The tool.
    pub tool: String,
    /// Its arguments.
    pub arguments: Value,
    /// The node that it selects: type, line and text.
    pub selects: String,
    /// `not_tried` or `refused` if the call selects one node, but the edit was not tried there or is refused there. Absent
    /// if the call works.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trial: Option<String>,
}

impl RefusedCall {
    /// Returns the code.
    pub fn code(&self) -> Code {
        self.diagnostic.code
    }

    /// Returns the name of the tool that was called, even if no tool has the name.
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// Returns the message, which is one sentence.
    pub fn message(&self) -> &str {
        &self.diagnostic.message
    }

    /// Returns the first file that the call names, if any.
    pub(in crate::engine) fn file_path(&self) -> Option<&str> {
        let named = self.arguments["file_path"].as_str();
        named.or_else(|| self.arguments["edits"][0]["file_path"].as_str())
    }

    /// Returns the id of the kept request, if it is kept.
    pub fn edit_id(&self) -> Option<&str> {
        self.edit_id.as_deref()
    }

    /// Returns the suggested calls: first those that work. If several edits are refused, the only one fixes all of them.
    pub fn suggestions(&self) -> Vec<SuggestedCall> {
        if self.has_further() {
            return self.fix_of_all().into_iter().collect();
        }
        let suggestions = self.diagnostic.suggestions.iter();
        suggestions
            .map(|suggestion| {
                let (tool, arguments) = self.call(&suggestion.call);
                SuggestedCall {
                    tool,
                    arguments,
                    selects: suggestion.selects.clone(),
                    trial: trial_name(suggestion.trial).map(str::to_string),
                }
            })
            .collect()
    }

    /// Returns whether other edits of the call are refused too.
    fn has_further(&self) -> bool {
        self.is_part || !self.diagnostic.further.is_empty()
    }

    /// Splits the refusal among several answers; `part_of` returns the answer of an edit. That of the first refused edit
    /// has the whole refusal.
    pub(in crate::engine) fn parts(
        self: Box<RefusedCall>,
        part_of: impl Fn(usize) -> Option<usize>,
    ) -> HashMap<usize, Box<RefusedCall>> {
        let part = |refused: &Diagnostic| refused.edit_index.and_then(&part_of).unwrap_or(0);
        let first = part(&self.diagnostic);
        let mut parts: HashMap<usize, Box<RefusedCall>> = HashMap::new();
        for refused in &self.diagnostic.further {
            match parts.entry(part(refused)) {
                Entry::Occupied(mut of_part) => {
                    let diagnostic = &mut of_part.get_mut().diagnostic;
                    diagnostic.further.push(refused.clone());
                }
                Entry::Vacant(of_part) => {
                    of_part.insert(Box::new(RefusedCall {
                        diagnostic: refused.clone(),
                        fixes_all: false,
                        is_part: true,
                        ..(*self).clone()
                    }));
                }
            }
        }
        parts.insert(first, self);
        parts
    }

    /// Returns the refused edits of the call, the first one first.
    fn refused_edits(&self) -> impl Iterator<Item = &Diagnostic> {
        std::iter::once(&self.diagnostic).chain(&self.diagnostic.further)
    }

    /// Returns the call that fixes all refused edits, if there are several.
    fn fix_of_all(&self) -> Option<SuggestedCall> {
        let edit_id = self.edit_id.as_ref().filter(|_| self.fixes_all)?;
        let edits = self.refused_edits().map(|refused| {
            let first = refused.suggestions.first()?;
            self.amendment(&first.call, refused.edit_index)
        });
        let request = AmendEdit::several(edit_id, edits.collect::<Option<_>>()?);
        Some(SuggestedCall {
            tool: AMEND_EDIT.to_string(),
            arguments: json!(request),
            selects: self.selected_by_fixes().collect::<Vec<_>>().join("; "),
            trial: None,
        })
    }

    /// Returns what the first suggestion of each refused edit selects.
    fn selected_by_fixes(&self) -> impl Iterator<Item = String> {
        self.refused_edits().filter_map(|refused| {
            let first = refused.suggestions.first()?;
            let index = refused.edit_index.unwrap_or_default();
            Some(format!("edits[{index}]: {}", first.selects))
        })
    }

    /// Returns the amendment that makes a suggested change, with only the fields of the selector that change. Returns `None`
    /// if the suggestion is another call.
    fn amendment(&self, call: &NextCall, index: Option<usize>) -> Option<Amendment> {
        let edits = self.arguments["edits"].as_array();
        let edit = edits.and_then(|edits| edits.get(index.unwrap_or_default()));
        let given = edit.unwrap_or(&self.arguments);
        let amendment = Amendment::suggested(call, index)?;
        Some(Amendment {
            selector: amendment
                .selector
                .map(|new| changed_fields(&given["selector"], new)),
            to: amendment
                .to
                .map(|new| changed_fields(&given["to"]["selector"], new)),
            ..amendment
        })
    }

    /// Returns the index of the refused edit, unless it is the only one of the call.
    fn edit_index_of_several(&self) -> Option<usize> {
        let edits = self.arguments["edits"].as_array();
        let is_only = self.tool == EDIT_NODES && edits.is_some_and(|all| all.len() == 1);
        self.diagnostic.edit_index.filter(|_| !is_only)
    }

    /// Returns the complete call of a suggestion: an amendment if the request is kept, else the call with changes.
    fn call(&self, call: &NextCall) -> (String, Value) {
        let index = self.edit_index_of_several();
        if let Some(edit_id) = &self.edit_id
            && let Some(amendment) = self.amendment(call, index)
        {
            let request = AmendEdit::new(edit_id, amendment);
            return (AMEND_EDIT.to_string(), json!(request));
        }
        let (name, value) = match call {
            NextCall::Select(selector) => ("selector", json!(SelectorArgument(selector.clone()))),
            NextCall::SelectSeveral(selectors) => {
                let selectors = selectors.iter().cloned().map(SelectorArgument);
                ("selectors", json!(selectors.collect::<Vec<_>>()))
            }
            NextCall::SelectDestination(selector) => {
                let mut to = self.arguments["to"].clone();
                to["selector"] = json!(SelectorArgument(selector.clone()));
                ("to", to)
            }
            NextCall::Locate(locate) => ("locate", json!(locate)),
            NextCall::File(path) => self.with_file(path),
            NextCall::Apply(edit_id) => {
                return ("apply_edit".to_string(), json!({"edit_id": edit_id}));
            }
            NextCall::Undo(edit_id) => {
                return ("undo_edit".to_string(), json!({"edit_id": edit_id}));
            }
            NextCall::Complete => ("complete", json!(true)),
            NextCall::CompleteInPart => {
                let mut arguments = self.with("complete", json!(true));
                let allow = arguments["allow"].as_array().cloned().unwrap_or_default();
                let allow = allow.into_iter().chain([json!("incomplete")]);
                arguments["allow"] = allow.collect();
                return (self.tool.to_string(), arguments);
            }
            NextCall::EditPlaces(edits) => {
                let edits = edits.iter().map(|edit| {
                    json!({
                        "file_path": edit.file_path, "scope": {"line": edit.line}, "find": edit.find,
                        "new_content": edit.new_content,
                    })
                });
                let edits: Value = edits.collect();
                return (EDIT_NODES.to_string(), json!({"edits": edits}));
            }
        };
        (self.tool.to_string(), self.with(name, value))
    }

    /// Returns the argument that names the file, with another path.
    fn with_file(&self, path: &String) -> (&'static str, Value) {
        let has = |name: &&str| self.arguments.get(*name).is_some();
        if let Some(name) = ["path", "file"].into_iter().find(has) {
            return (name, json!(path));
        }
        let located = self.arguments.get("locate").and_then(|locate| {
            let mut moved: LocateArgument = serde_json::from_value(locate.clone()).ok()?;
            moved.0.locate.file_path.clone_from(path);
            Some(json!(moved))
        });
        match located {
            Some(locate) => ("locate", locate),
            None => ("file_path", json!(path)),
        }
    }

    /// Returns the arguments of the call with one argument changed.
    fn with(&self, name: &str, value: Value) -> Value {
        let mut arguments = self.arguments.clone();
        if let Value::Object(object) = &mut arguments {
            object.insert(name.to_string(), value);
        }
        arguments
    }
}

/// Returns the result of trying a suggestion in its structured form. Returns `None` if the suggestion works.
fn trial_name(trial: Trial) -> Option<&'static str> {
    match trial {
        Trial::Works => None,
        Trial::NotTried => Some("not_tried"),
        Trial::Refused => Some("refused"),
    }
}

/// The refusal of a call.
pub(in crate::engine) type Refused = Box<RefusedCall>;

/// A refusal without its call, with the id of the kept request.
pub(in crate::engine) struct PendingRefusal {
    pub(in crate::engine) diagnostic: Diagnostic,
    pub(in crate::engine) edit_id: Option<String>,
    pub(in crate::engine) keeps_content: bool,
    /// Whether the first suggestions of all refused edits together fix the call.
    pub(in crate::engine) fixes_all: bool,
}

impl From<Diagnostic> for PendingRefusal {
    fn from(diagnostic: Diagnostic) -> PendingRefusal {
        PendingRefusal {
            diagnostic,
            edit_id: None,
            keeps_content: false,
            fixes_all: false,
        }
    }
}

impl RefusedCall {
    /// Returns the refusal of a call that could not be read.
    pub fn of_call(tool: &'static str, arguments: Value, diagnostic: Diagnostic) -> RefusedCall {
        RefusedCall {
            diagnostic,
            edit_id: None,
            keeps_content: false,
            fixes_all: false,
            is_part: false,
            tool: tool.into(),
            arguments,
        }
    }

    /// Returns the exit status.
    pub fn exit_status(&self) -> ExitStatus {
        self.code().exit_status()
    }
}
