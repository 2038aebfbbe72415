//! The answers of language servers (docs/design/front-ends.md#language-servers).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::request::{LocateArgument, is_false};
use super::EditMade;
use crate::diagnostic::Code;

/// How complete the answer of the server is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Known {
    /// The answer is complete.
    Complete,
    /// The server is still reading the project; a later answer may be more complete.
    StillIndexing,
    /// The answer may be incomplete, also later; or there is no answer.
    #[default]
    Degraded,
}

/// The fields that all answers have.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Outcome {
    /// Whether there is an answer.
    pub success: bool,
    /// Whether it is complete.
    pub completeness: Known,
    /// Why it is incomplete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completeness_reason: Option<String>,
    /// Why there is no answer: `code: message`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parse_error: Option<String>,
    /// What was omitted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The code of `parse_error`.
    #[serde(skip)]
    pub(in crate::engine) code: Option<Code>,
}

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Location {
    /// The file; an absolute path outside the workspace.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The character in the line, from 1, in code points.
    pub column: usize,
    /// The last line.
    pub end_line: usize,
    /// The character after the end.
    pub end_column: usize,
    /// The text of the line; empty outside the workspace.
    #[serde(default)]
    pub preview: String,
    /// The enclosing symbols.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub symbol_path: Vec<String>,
    /// Whether the file is a test or generated; absent for ordinary files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_role: Option<FileRole>,
    /// Its locator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub locate: Option<LocateArgument>,
}

/// What a file is if it is not an ordinary one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FileRole {
    /// A test.
    Test,
    /// A program writes it.
    Generated,
}

/// The definitions of a name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Definitions {
    /// Whether there is an answer, and how complete it is.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// The name.
    pub symbol: String,
    /// The definitions.
    pub locations: Vec<Location>,
}

/// The uses of a name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct References {
    /// Whether there is an answer, and how complete it is.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// The name.
    pub symbol: String,
    /// The total number on all pages.
    pub reference_count: usize,
    /// Those on this page, in path order.
    pub references: Vec<Location>,
    /// Pass it to get the next page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// The type and documentation of a name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Hovered {
    /// Whether there is an answer, and how complete it is.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// The name.
    pub symbol: String,
    /// Its type and its documentation, as Markdown.
    pub text: String,
}

/// The problems in files.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Diagnosed {
    /// Whether there is an answer, and how complete it is.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// The total number.
    pub diagnostic_count: usize,
    /// The first of them, in path order.
    pub diagnostics: Vec<Problem>,
}

/// A problem in a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Problem {
    /// The place.
    #[serde(flatten)]
    pub location: Location,
    /// `error`, `warning`, `information` or `hint`.
    pub severity: String,
    /// The message.
    pub message: String,
    /// The code that the server gives it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
}

/// How an edit changes the problems that language servers find in its files.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProblemsChanged {
    /// The number before the edit.
    pub before: usize,
    /// The number after the edit.
    pub after: usize,
    /// The problems that are new.
    pub new: Vec<Problem>,
}

/// Symbols of the workspace.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SymbolsFound {
    /// Whether there is an answer, and how complete it is.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// The total number.
    pub symbol_count: usize,
    /// The first of them.
    pub symbols: Vec<SymbolFound>,
}

/// A symbol of the workspace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SymbolFound {
    /// Its name.
    pub name: String,
    /// `function`, `class`, ...
    pub kind: String,
    /// The place.
    #[serde(flatten)]
    pub location: Location,
}

/// The completions at a place.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Completed {
    /// Whether there is an answer, and how complete it is.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// The total number.
    pub item_count: usize,
    /// The first of them, in the server's order.
    pub items: Vec<Completion>,
}

/// A completion.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Completion {
    /// The inserted text, or a name for it.
    pub label: String,
    /// `method`, `variable`, ...
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Its type or origin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

/// The signatures of a call.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Signatures {
    /// Whether there is an answer, and how complete it is.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// One for each possible definition.
    pub signatures: Vec<Signature>,
    /// The parameter at the place, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub active_parameter: Option<usize>,
}

/// The signature of a definition.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Signature {
    /// The parameters and the return type.
    pub label: String,
    /// Its documentation, as Markdown.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub documentation: String,
}

/// The code actions at a place, or the preview of one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Actions {
    /// Whether there is an answer, and how complete it is.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// The available actions; empty if one was applied.
    pub actions: Vec<Action>,
    /// The preview of the chosen action.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edit: Option<EditMade>,
}

/// A code action.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Action {
    /// The title; pass it as `apply`.
    pub title: String,
    /// `quickfix`, `refactor.extract`, ...
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Whether the server prefers it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_preferred: bool,
    /// Why it is not available here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_possible: Option<String>,
}

#[cfg(feature = "servers")]
impl Problem {
    /// Returns whether both are the same problem, possibly on different lines.
    pub(in crate::engine) fn is_like(&self, other: &Problem) -> bool {
        let facts = |one: &Problem| {
            let (severity, message) = (one.severity.clone(), one.message.clone());
            (
                severity,
                message,
                one.code.clone(),
                one.location.file.clone(),
            )
        };
        facts(self) == facts(other)
    }
}
