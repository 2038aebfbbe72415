//! The requests that language servers answer.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::coordinates::RangeArgument;
use super::schema::diff_in_short;
use super::{DiffArgument, LocateArgument, PathsArgument, is_false};

/// The place of a request: `locate`, or `file` and `line` with an optional `column` and `symbol`
/// (docs/design/front-ends.md#calls).
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct NamedPlace {
    /// The place, as in locate: `src/a.py:Server.handle@<|>send`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub locate: Option<LocateArgument>,
    /// Instead of locate: the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Line, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// Character, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<usize>,
    /// Name on that line, nearest to column.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
}

/// Finds the definition of a name.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct GotoDefinition {
    /// The place of the name.
    #[serde(flatten)]
    pub place: NamedPlace,
    /// Default definition.
    #[serde(default, skip_serializing_if = "is_default")]
    pub kind: DefinitionKind,
}

/// Which place to find for a name.
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

/// Finds the uses of a name.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct FindReferences {
    /// The place of the name.
    #[serde(flatten)]
    pub place: NamedPlace,
    /// Default references.
    #[serde(default, skip_serializing_if = "is_default")]
    pub kind: ReferenceKind,
    /// Default 50.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_items: Option<usize>,
    /// From the previous page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// Which uses of a name to find.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ReferenceKind {
    /// All occurrences, including the definition.
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

/// Returns the type and documentation of a name.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Hover {
    /// The place of the name.
    #[serde(flatten)]
    pub place: NamedPlace,
}

/// Lists errors and warnings in files.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Diagnostics {
    /// A file, a directory or a glob, or a list.
    pub path: PathsArgument,
    /// Default 50.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_items: Option<usize>,
}

/// Finds symbols by part of their name.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct WorkspaceSymbols {
    /// Part of the name.
    pub query: String,
    /// Default 50.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_items: Option<usize>,
}

/// Renames a symbol in every file that uses it.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct RenameSymbol {
    /// The place of the name.
    #[serde(flatten)]
    pub place: NamedPlace,
    /// The new name.
    pub new_name: String,
    /// true: also rename the uses that the server leaves out.
    #[serde(default, skip_serializing_if = "is_false")]
    pub complete: bool,
    /// Checks that may fail. `incomplete`: some uses keep the old name; `surroundings`: the new name is in use.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allow: Vec<AllowRename>,
    /// true: write at once.
    #[serde(default, skip_serializing_if = "is_false")]
    pub apply: bool,
    /// As in replace_node.
    #[serde(default, skip_serializing_if = "DiffArgument::is_auto")]
    #[schemars(schema_with = "diff_in_short", description = "")]
    pub diff: DiffArgument,
}

/// A check of a rename that may fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(description = "")]
#[non_exhaustive]
pub enum AllowRename {
    /// Uses of the old name that the rename leaves unchanged.
    Incomplete,
    /// Names that the new name would clash with.
    Surroundings,
}

/// Lists completions at a place.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Completions {
    /// The place after the text to complete.
    #[serde(flatten)]
    pub place: NamedPlace,
    /// Default 50.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_items: Option<usize>,
}

/// Returns the signatures of a call.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct SignatureHelp {
    /// A place between the brackets of the call.
    #[serde(flatten)]
    pub place: NamedPlace,
}

/// Formats a file with its language server.
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
    /// As in replace_node.
    #[serde(default, skip_serializing_if = "DiffArgument::is_auto")]
    #[schemars(schema_with = "diff_in_short", description = "")]
    pub diff: DiffArgument,
}

/// Lists fixes and refactorings at a place.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct CodeActions {
    /// The place of the name.
    #[serde(flatten)]
    pub place: NamedPlace,
    /// Instead of line: a range in `file`, {start, end} or `10:5-12:3`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<RangeArgument>,
    /// Preview the action with this title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub apply: Option<String>,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
