//! The requests to language servers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::coordinates::RangeArgument;
use super::{LocateArgument, is_false};

/// A place that a question is about: `locate`, or `file` with `line`, `column` and `symbol`
/// (`design.md`, section 10).
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct NamedPlace {
    /// The name that is meant, as in locate: `src/a.py:Server.handle@<|>send`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub locate: Option<LocateArgument>,
    /// Instead: the file,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// the line, from 1,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// the character, from 1,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<usize>,
    /// and the name: its nearest occurrence on that line counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
}

/// Where is that defined?
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct GotoDefinition {
    /// The name.
    #[serde(flatten)]
    pub place: NamedPlace,
    /// Default definition.
    #[serde(default, skip_serializing_if = "is_default")]
    pub kind: DefinitionKind,
}

/// Which of the places that say what a name is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum DefinitionKind {
    /// Where it is defined.
    #[default]
    Definition,
    /// Where it is declared.
    Declaration,
    /// Where its type is defined.
    Type,
    /// Where it is implemented.
    Implementation,
}

/// Where is that used?
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct FindReferences {
    /// The name.
    #[serde(flatten)]
    pub place: NamedPlace,
    /// Default references.
    #[serde(default, skip_serializing_if = "is_default")]
    pub kind: ReferenceKind,
    /// Default 50.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_items: Option<usize>,
    /// From the page before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// Which of the places that use a name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ReferenceKind {
    /// Each place where it stands, that of its definition included.
    #[default]
    References,
    /// The calls of a function.
    Callers,
    /// The functions that it calls.
    Callees,
    /// The types that extend or implement it.
    Subtypes,
    /// The types that it extends or implements.
    Supertypes,
}

/// What is that?
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Hover {
    /// The name.
    #[serde(flatten)]
    pub place: NamedPlace,
}

/// What is wrong there?
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Diagnostics {
    /// A file, a directory or a glob.
    pub path: String,
    /// Default 50.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_items: Option<usize>,
}

/// Where is a symbol whose name is like this?
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct WorkspaceSymbols {
    /// A part of the name.
    pub query: String,
    /// Default 50.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_items: Option<usize>,
}

/// Gives a symbol another name, in every file that names it.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct RenameSymbol {
    /// The name.
    #[serde(flatten)]
    pub place: NamedPlace,
    /// The other one.
    pub new_name: String,
    /// Checks whose failure becomes a note. `incomplete`: uses of the old name stay; `surroundings`: the new name
    /// is already used there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allow: Vec<AllowRename>,
    /// true: write at once.
    #[serde(default, skip_serializing_if = "is_false")]
    pub apply: bool,
}

/// A check of a rename that may fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum AllowRename {
    /// Uses of the old name that the rename leaves unchanged.
    Incomplete,
    /// Names that the new name would clash with.
    Surroundings,
}

/// What may stand there?
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Completions {
    /// Behind what is written so far.
    #[serde(flatten)]
    pub place: NamedPlace,
    /// Default 50.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_items: Option<usize>,
}

/// What does the call take?
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct SignatureHelp {
    /// Between the brackets of the call.
    #[serde(flatten)]
    pub place: NamedPlace,
}

/// Lays out a file as its language server does.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Format {
    /// The file.
    pub file_path: String,
    /// Only these lines: [first, last], from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<(usize, usize)>,
    /// true: write at once.
    #[serde(default, skip_serializing_if = "is_false")]
    pub apply: bool,
}

/// What could be done there? Repairs and refactorings.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct CodeActions {
    /// The name.
    #[serde(flatten)]
    pub place: NamedPlace,
    /// Instead of the name, a part of `file`: {start, end}, or `10:5-12:3`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<RangeArgument>,
    /// Preview the action of this title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub apply: Option<String>,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
