//! The requests: one vocabulary for the library, the command line and MCP.
//!
//! Agents read the doc comments of the fields in the tools' schemas. Reading is lenient, since clients differ: it
//! accepts objects as JSON in a string, numbers as strings, `null` for absent fields, and the selector's fields next
//! to `file_path` ([`read`]). One form is documented.

mod build;
mod edits;
mod places;
pub mod questions;
mod read;
mod schema;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::edit::{self, InsertPosition};
use crate::validate::Check;

use super::coordinates::{PositionArgument, RangeArgument};
use schema::{
    destination_in_short, edits_in_short, names_in_short, object_in_short, path_in_short,
    selector_in_short,
};

pub use edits::{EDITS_LIMIT, NodeEdit, NodeOperation};
pub(super) use edits::{EditKind, EditRequest, EditTarget, MoveTarget, RequestedEdit};
pub use places::{LocateArgument, ScopeArgument, SelectorArgument, ShortSelector};
pub use read::read;
pub(super) use read::{from_string, integer};
pub use schema::schema_of;

/// What is there? The symbols of files, as a tree, each with what leads to it.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Outline {
    /// A file, a directory or a glob (`src/**/*.rs`).
    #[serde(default = "here", skip_serializing_if = "is_here")]
    pub path: String,
    /// Levels of symbols, from 1; default: all of one file, 2 of several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<usize>,
    /// Only these: function, class, ...
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(schema_with = "names_in_short")]
    pub kinds: Vec<String>,
    /// Default 200.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_items: Option<usize>,
    /// From the page before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// Where is that? The nodes of files by exactly one of text, regex, name, query, or by node_type.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct FindNodes {
    /// As in outline.
    #[serde(default = "here", skip_serializing_if = "is_here")]
    #[schemars(schema_with = "path_in_short")]
    pub path: String,
    /// Exact text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// `^` and `$` are ends of lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub regex: Option<String>,
    /// A type or general word; beside text, regex or name: the node of it around the match.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node_type: Option<String>,
    /// Of symbols; `*` for any text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Of tree-sitter; its first capture is the node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// Default 50.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_items: Option<usize>,
    /// From the page before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// Where is it? Resolves a description of a place to line and character.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct LocatePlace {
    /// `path:scope@find`, each part after the path optional: `src/a.rs:Server.handle@return <|>x`.
    /// Scope is a symbol path, `42` or `10-20`; `<|>` in find marks the point. Or an object
    /// {file_path, scope, find, find_index, fuzzy}: find_index takes another match than the first,
    /// fuzzy a text that is nearly find.
    pub locate: LocateArgument,
    /// true: the range (of symbol, lines or match) instead of a point.
    #[serde(default, skip_serializing_if = "is_false")]
    pub range: bool,
}

/// What leads to this place? From line and character to the shortest locate and selector.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Describe {
    /// The file, relative to the workspace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_path: Option<String>,
    /// {line, character}, from 1, or as a compiler writes it: `42:10`, `src/a.rs:42:10: error`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<PositionArgument>,
    /// Instead: {start, end}, two positions, the end excluded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<RangeArgument>,
}

/// Reads one node, or lists the node types that can be selected at a text.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct ReadNode {
    /// The file, relative to the workspace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_path: Option<String>,
    /// Which node, as in replace_node; without ancestor_node_type the smallest one, with the types
    /// around it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "selector_in_short")]
    pub selector: Option<SelectorArgument>,
    /// Instead of file_path and selector: a place, as in `locate`; the smallest node there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub locate: Option<LocateArgument>,
}

/// Replaces one node. Previews by default.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct ReplaceNode {
    /// The file, relative to the workspace.
    pub file_path: String,
    /// Which node. Shorter as one string, `[scope:][type]@anchor_text`:
    /// `Server.handle:match_arm@Method::POST =>`.
    pub selector: SelectorArgument,
    /// The whole new text of the node, at column 0 or indented as in the file.
    pub new_content: String,
    /// true: doc comments and attributes before the node go too.
    #[serde(default, skip_serializing_if = "is_false")]
    pub include_attached: bool,
    /// `verbatim` keeps the indentation of new_content as it is.
    #[serde(default, skip_serializing_if = "IndentArgument::is_auto")]
    pub indent: IndentArgument,
    /// Checks whose failure becomes a note.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allow: Vec<Allow>,
    /// true: write at once instead of a preview.
    #[serde(default, skip_serializing_if = "is_false")]
    pub apply: bool,
}

/// Replaces less than a node, or more: the one match of a text. Previews by default.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct ReplaceText {
    /// The file, relative to the workspace.
    pub file_path: String,
    /// Where to look, as in a selector.
    #[serde(default, skip_serializing_if = "ScopeArgument::is_none")]
    #[schemars(schema_with = "object_in_short")]
    pub scope: ScopeArgument,
    /// The text; white space between tokens may differ. Two markers `<|>` bound the part to replace,
    /// `<..>` stands for a middle whose brackets are balanced.
    pub find: String,
    /// What comes instead; may be empty.
    pub new_content: String,
    /// As in replace_node.
    #[serde(default, skip_serializing_if = "IndentArgument::is_auto")]
    pub indent: IndentArgument,
    /// As in replace_node.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(schema_with = "names_in_short")]
    pub allow: Vec<Allow>,
    /// true: write at once.
    #[serde(default, skip_serializing_if = "is_false")]
    pub apply: bool,
}

/// Inserts beside or inside one node. Previews by default.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct InsertNode {
    /// The file, relative to the workspace.
    pub file_path: String,
    /// Which node, as in replace_node.
    #[schemars(schema_with = "selector_in_short")]
    pub selector: SelectorArgument,
    /// Beside the node, or first or last inside its body.
    pub position: InsertPositionArgument,
    /// What to insert, fitted to the place.
    pub new_content: String,
    /// As in replace_node.
    #[serde(default, skip_serializing_if = "IndentArgument::is_auto")]
    pub indent: IndentArgument,
    /// As in replace_node.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(schema_with = "names_in_short")]
    pub allow: Vec<Allow>,
    /// true: write at once.
    #[serde(default, skip_serializing_if = "is_false")]
    pub apply: bool,
}

/// Deletes one node. Previews by default.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct DeleteNode {
    /// The file, relative to the workspace.
    pub file_path: String,
    /// Which node, as in replace_node.
    #[schemars(schema_with = "selector_in_short")]
    pub selector: SelectorArgument,
    /// As in replace_node.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(schema_with = "names_in_short")]
    pub allow: Vec<Allow>,
    /// true: write at once.
    #[serde(default, skip_serializing_if = "is_false")]
    pub apply: bool,
}

/// Puts one node into new content. Previews by default.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct WrapNode {
    /// The file, relative to the workspace.
    pub file_path: String,
    /// Which node, as in replace_node.
    #[schemars(schema_with = "selector_in_short")]
    pub selector: SelectorArgument,
    /// What comes round the node, which stands where the marker `<|>` is.
    pub new_content: String,
    /// As in replace_node.
    #[serde(default, skip_serializing_if = "IndentArgument::is_auto")]
    pub indent: IndentArgument,
    /// As in replace_node.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(schema_with = "names_in_short")]
    pub allow: Vec<Allow>,
    /// true: write at once.
    #[serde(default, skip_serializing_if = "is_false")]
    pub apply: bool,
}

/// Puts one node elsewhere. Previews by default.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct MoveNode {
    /// The file, relative to the workspace.
    pub file_path: String,
    /// Which node, as in replace_node.
    #[schemars(schema_with = "selector_in_short")]
    pub selector: SelectorArgument,
    /// Where it goes.
    #[schemars(schema_with = "destination_in_short")]
    pub to: Destination,
    /// As in replace_node.
    #[serde(default, skip_serializing_if = "IndentArgument::is_auto")]
    pub indent: IndentArgument,
    /// As in replace_node.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(schema_with = "names_in_short")]
    pub allow: Vec<Allow>,
    /// true: write at once.
    #[serde(default, skip_serializing_if = "is_false")]
    pub apply: bool,
}

/// Where a node goes that moves.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Destination {
    /// The file; absent: that of the node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_path: Option<String>,
    /// Which node it goes to.
    pub selector: SelectorArgument,
    /// Beside that node, or first or last inside its body.
    pub position: InsertPositionArgument,
}

/// Several edits at once, of one or more files: all or none.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct EditNodes {
    /// The file of the edits that name none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_path: Option<String>,
    /// Each as in the tool of its op; all selectors mean the text before the call.
    #[schemars(schema_with = "edits_in_short")]
    pub edits: Vec<NodeEdit>,
    /// As in replace_node, for all.
    #[serde(default, skip_serializing_if = "IndentArgument::is_auto")]
    pub indent: IndentArgument,
    /// As in replace_node, for all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(schema_with = "names_in_short")]
    pub allow: Vec<Allow>,
    /// true: write at once.
    #[serde(default, skip_serializing_if = "is_false")]
    pub apply: bool,
}

/// Writes what a preview showed.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct ApplyEdit {
    /// From the preview.
    pub edit_id: String,
}

/// Takes back what was applied: the files get exactly the bytes they had.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct UndoEdit {
    /// Of the edit that was applied.
    pub edit_id: String,
}

/// Forgets a preview.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct DiscardEdit {
    /// From the preview or the refusal.
    pub edit_id: String,
}

/// Points a refused or staged edit at another node; its content and position are kept.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct RetargetEdit {
    /// From the preview or the refusal.
    pub edit_id: String,
    /// Which node instead, as in replace_node; of replace_text the find and scope.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "selector_in_short")]
    pub selector: Option<SelectorArgument>,
    /// Of a move: the node it goes to instead, a selector.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "object_in_short")]
    pub to: Option<SelectorArgument>,
    /// Which of the edits of edit_nodes, from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edit_index: Option<usize>,
    /// true: write at once instead of a preview.
    #[serde(default, skip_serializing_if = "is_false")]
    pub apply: bool,
}

/// Lists the edits that wait, or shows one with its diff.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct ListEdits {
    /// Show this one with its diff.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edit_id: Option<String>,
}

/// Where inserted content goes, seen from the selected node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum InsertPositionArgument {
    /// Before it and what is attached to it.
    Before,
    /// Behind it.
    After,
    /// Inside its body, first.
    FirstChild,
    /// Inside its body, last.
    LastChild,
}

/// How content gets its indentation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum IndentArgument {
    /// As its place wants it.
    #[default]
    Auto,
    /// As it was given.
    Verbatim,
}

/// A check that may fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Allow {
    /// New syntax errors.
    SyntaxErrors,
    /// Changes around the target.
    Surroundings,
    /// Content that looks like a sketch of code.
    SuspiciousContent,
}

impl IndentArgument {
    fn is_auto(&self) -> bool {
        *self == IndentArgument::Auto
    }
}

impl From<IndentArgument> for edit::Indent {
    fn from(indent: IndentArgument) -> edit::Indent {
        match indent {
            IndentArgument::Auto => edit::Indent::Auto,
            IndentArgument::Verbatim => edit::Indent::Verbatim,
        }
    }
}

impl From<InsertPositionArgument> for InsertPosition {
    fn from(position: InsertPositionArgument) -> InsertPosition {
        match position {
            InsertPositionArgument::Before => InsertPosition::Before,
            InsertPositionArgument::After => InsertPosition::After,
            InsertPositionArgument::FirstChild => InsertPosition::FirstChild,
            InsertPositionArgument::LastChild => InsertPosition::LastChild,
        }
    }
}

impl From<Allow> for Check {
    fn from(allow: Allow) -> Check {
        match allow {
            Allow::SyntaxErrors => Check::SyntaxErrors,
            Allow::Surroundings => Check::Surroundings,
            Allow::SuspiciousContent => Check::SuspiciousContent,
        }
    }
}

fn here() -> String {
    ".".to_string()
}

fn is_here(path: &String) -> bool {
    path == "."
}

pub(super) fn is_false(value: &bool) -> bool {
    !value
}
