//! The requests of the library, the command line and MCP.
//!
//! The doc comments of the fields become the descriptions in the JSON Schemas that agents read. [`read`] is lenient,
//! since clients differ: it accepts objects as JSON strings, numbers as strings, `null` for absent fields, and selector
//! fields next to `file_path`. The schemas document only one form.

mod access;
mod amend;
mod build;
pub mod coordinates;
mod edits;
mod json;
mod kept_call;
mod paths;
mod places;
pub mod questions;
mod read;
mod rewrite;
mod rule;
mod schema;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::edit::{self, ExactBlankLines, InsertPosition};
use crate::validate::Check;

use coordinates::{PositionArgument, RangeArgument};
use schema::{
    amendments_in_short, destination_in_short, diff_in_short, edits_in_short, imports_in_short,
    names_in_short, object_in_short, position_in_short, rebase_in_short, selector_in_short,
    switch_in_short, text_in_short,
};

pub(super) use access::{CallAccess, files};
pub(super) use amend::{EditCall, changed_fields};
pub use edits::{EDITS_LIMIT, NodeEdit, NodeOperation};
pub(super) use edits::{EditKind, EditRequest, FileOperation, MoveTarget, RequestedEdit};
pub use json::{JsonError, read_json};
pub(super) use kept_call::KeptCall;
pub use paths::PathsArgument;
pub use places::{LocateArgument, ScopeArgument, SelectorArgument, ShortSelector};
pub use read::read;
pub(super) use read::{from_string, integer, without_nulls};
use rewrite::quotes_in_short;
pub use rewrite::{QuotesArgument, Rewrite};
pub use rule::RuleArgument;
#[doc(hidden)]
pub use schema::named_schema_of;
pub use schema::schema_of;

/// The names of tools that other modules make calls of.
pub(super) const AMEND_EDIT: &str = "amend_edit";
pub(super) const EDIT_NODES: &str = "edit_nodes";
pub(super) const REWRITE: &str = "rewrite";

/// Lists the symbols of files as a tree, each with a locator.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Outline {
    /// File, directory or glob (`src/**/*.rs`), or a list.
    #[serde(default, skip_serializing_if = "PathsArgument::is_here")]
    pub path: PathsArgument,
    /// Levels; default: all in one file, else 2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<usize>,
    /// Only function, class, ...
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(schema_with = "names_in_short")]
    pub kinds: Vec<String>,
    /// Most referenced first.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rank: bool,
    /// Default 200.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_items: Option<usize>,
    /// Limits the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_bytes: Option<usize>,
    /// From the previous page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// Finds nodes by exactly one of text, regex, name, query, pattern and rule, or by node_type.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct FindNodes {
    /// As in outline.
    #[serde(default, skip_serializing_if = "PathsArgument::is_here")]
    pub path: PathsArgument,
    /// Exact text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// `^` and `$` match at line ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub regex: Option<String>,
    /// Type or general word; with text, regex or name, of the enclosing node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node_type: Option<String>,
    /// Symbol name; `*` matches any text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// tree-sitter query; the first capture is the node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// Code; `$A` matches a node, `$$$A` several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// Kind of code that the pattern is, such as type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(description = "")]
    pub reading: Option<String>,
    /// Default: any quotes.
    #[serde(default, skip_serializing_if = "QuotesArgument::is_any")]
    #[schemars(schema_with = "quotes_in_short", description = "")]
    pub quotes: QuotesArgument,
    /// ast-grep rule: YAML, object or {path}.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<RuleArgument>,
    /// Only in symbols with this path, or its end.
    #[serde(default, skip_serializing_if = "ScopeArgument::is_none")]
    #[schemars(schema_with = "object_in_short")]
    pub scope: ScopeArgument,
    /// Only in symbols of this kind: function, class.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub symbol_kind: Option<String>,
    /// Default 50, or as many as fit in 12,000 bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_items: Option<usize>,
    /// From the previous page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(description = "")]
    pub cursor: Option<String>,
}

/// Returns the line and character of a place, with the locator and the selector that select it.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct LocatePlace {
    /// A locator: `path:scope@find`, scope and find optional. Scope is a symbol path, `42` or `10-20`; `<|>` in find
    /// marks the point. Or a position as compilers print it: `src/a.rs:42:10: error`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub locate: Option<LocateArgument>,
    /// The file, relative to the workspace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_path: Option<String>,
    /// Instead: {line, character}, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<PositionArgument>,
    /// Or {start, end}; end is exclusive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<RangeArgument>,
}

/// Reads one node and lists its ancestors.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct ReadNode {
    /// The file, relative to the workspace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_path: Option<String>,
    /// As in an edit; without a type, the smallest at the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "selector_in_short")]
    pub selector: Option<SelectorArgument>,
    /// Instead: 10-20.
    #[serde(default, skip_serializing_if = "ScopeArgument::is_none")]
    #[schemars(with = "String")]
    pub lines: ScopeArgument,
    /// Instead: a locator; reads the symbol or smallest node there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub locate: Option<LocateArgument>,
    /// Limits the text; default 12000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_bytes: Option<usize>,
}

/// Replaces one node. Previews by default.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct ReplaceNode {
    /// The file, relative to the workspace.
    pub file_path: String,
    /// As a string: `[scope:][type]@text`, such as `Server.run:match_arm@POST =>`, or a symbol: `Server.run`;
    /// after `path:`, instead of file_path.
    pub selector: SelectorArgument,
    /// The whole new text of the node, at column 0 or indented as in the file.
    pub new_content: String,
    /// Also replace doc comments and attributes.
    #[serde(default, skip_serializing_if = "is_false")]
    pub include_attached: bool,
    /// `verbatim` keeps the indentation of new_content.
    #[serde(default, skip_serializing_if = "IndentArgument::is_auto")]
    pub indent: IndentArgument,
    /// true: add and remove import statements; {name: module} chooses.
    #[serde(default, skip_serializing_if = "ImportsArgument::is_off")]
    #[schemars(schema_with = "imports_in_short")]
    pub imports: ImportsArgument,
    /// Checks whose failure becomes a note.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allow: Vec<Allow>,
    /// Write at once, without a preview.
    #[serde(default, skip_serializing_if = "is_false")]
    pub apply: bool,
    /// `full`: also show a written edit's diff.
    #[serde(default, skip_serializing_if = "DiffArgument::is_auto")]
    #[schemars(schema_with = "diff_in_short")]
    pub diff: DiffArgument,
}

/// Replaces the only match of a text. Previews by default.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct ReplaceText {
    /// The file, relative to the workspace.
    pub file_path: String,
    /// As in a selector.
    #[serde(default, skip_serializing_if = "ScopeArgument::is_none")]
    #[schemars(schema_with = "object_in_short")]
    pub scope: ScopeArgument,
    /// The text; whitespace between tokens may differ. Two `<|>` enclose what to replace;
    /// `<..>` matches text with balanced brackets.
    pub find: String,
    /// Written as sent; lines at column 0 become as deep as the old ones.
    pub new_content: String,
    /// As in replace_node.
    #[serde(default, skip_serializing_if = "IndentArgument::is_auto")]
    pub indent: IndentArgument,
    /// As in replace_node.
    #[serde(default, skip_serializing_if = "ImportsArgument::is_off")]
    #[schemars(schema_with = "switch_in_short", description = "")]
    pub imports: ImportsArgument,
    /// As in replace_node.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(schema_with = "names_in_short")]
    pub allow: Vec<Allow>,
    /// true: write at once.
    #[serde(default, skip_serializing_if = "is_false")]
    pub apply: bool,
    /// As in replace_node.
    #[serde(default, skip_serializing_if = "DiffArgument::is_auto")]
    #[schemars(schema_with = "diff_in_short", description = "")]
    pub diff: DiffArgument,
}

/// Inserts next to or inside one node. Previews by default.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct InsertNode {
    /// The file, relative to the workspace.
    pub file_path: String,
    /// As in replace_node.
    #[schemars(schema_with = "selector_in_short")]
    pub selector: SelectorArgument,
    /// Next to the node, or first or last inside its body.
    #[schemars(schema_with = "position_in_short")]
    pub position: InsertPositionArgument,
    /// Its indentation is adjusted.
    pub new_content: String,
    /// {before, after}; default: as between the siblings.
    #[serde(default, skip_serializing_if = "BlankLinesArgument::is_empty")]
    #[schemars(schema_with = "object_in_short")]
    pub blank_lines: BlankLinesArgument,
    /// First content of a new file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub create: Option<String>,
    /// As in replace_node.
    #[serde(default, skip_serializing_if = "IndentArgument::is_auto")]
    pub indent: IndentArgument,
    /// As in replace_node.
    #[serde(default, skip_serializing_if = "ImportsArgument::is_off")]
    #[schemars(schema_with = "switch_in_short", description = "")]
    pub imports: ImportsArgument,
    /// As in replace_node.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(schema_with = "names_in_short")]
    pub allow: Vec<Allow>,
    /// true: write at once.
    #[serde(default, skip_serializing_if = "is_false")]
    pub apply: bool,
    /// As in replace_node.
    #[serde(default, skip_serializing_if = "DiffArgument::is_auto")]
    #[schemars(schema_with = "diff_in_short", description = "")]
    pub diff: DiffArgument,
}

/// Deletes one node. Previews by default.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct DeleteNode {
    /// The file, relative to the workspace.
    pub file_path: String,
    /// As in replace_node.
    #[schemars(description = "")]
    #[schemars(schema_with = "selector_in_short")]
    pub selector: SelectorArgument,
    /// true: refuse while something uses it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub unused: bool,
    /// As in replace_node.
    #[serde(default, skip_serializing_if = "ImportsArgument::is_off")]
    #[schemars(schema_with = "switch_in_short", description = "")]
    pub imports: ImportsArgument,
    /// As in replace_node.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(schema_with = "names_in_short")]
    pub allow: Vec<Allow>,
    /// true: write at once.
    #[serde(default, skip_serializing_if = "is_false")]
    pub apply: bool,
    /// As in replace_node.
    #[serde(default, skip_serializing_if = "DiffArgument::is_auto")]
    #[schemars(schema_with = "diff_in_short", description = "")]
    pub diff: DiffArgument,
}

/// Wraps one node in new content. Previews by default.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct WrapNode {
    /// The file, relative to the workspace.
    pub file_path: String,
    /// As in replace_node.
    #[schemars(description = "")]
    #[schemars(schema_with = "selector_in_short")]
    pub selector: SelectorArgument,
    /// Text with `<|>` in place of the node.
    pub new_content: String,
    /// As in replace_node.
    #[serde(default, skip_serializing_if = "IndentArgument::is_auto")]
    pub indent: IndentArgument,
    /// As in replace_node.
    #[serde(default, skip_serializing_if = "ImportsArgument::is_off")]
    #[schemars(schema_with = "switch_in_short", description = "")]
    pub imports: ImportsArgument,
    /// As in replace_node.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(schema_with = "names_in_short")]
    pub allow: Vec<Allow>,
    /// true: write at once.
    #[serde(default, skip_serializing_if = "is_false")]
    pub apply: bool,
    /// As in replace_node.
    #[serde(default, skip_serializing_if = "DiffArgument::is_auto")]
    #[schemars(schema_with = "diff_in_short", description = "")]
    pub diff: DiffArgument,
}

/// Moves one node. Previews by default.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct MoveNode {
    /// The file, relative to the workspace.
    pub file_path: String,
    /// As in replace_node.
    #[schemars(description = "")]
    #[schemars(schema_with = "selector_in_short")]
    pub selector: SelectorArgument,
    /// The destination.
    #[schemars(schema_with = "destination_in_short", description = "")]
    pub to: Destination,
    /// true: the import statements of all files change with the node.
    #[serde(default, skip_serializing_if = "ImportsArgument::is_off")]
    #[schemars(schema_with = "switch_in_short", description = "")]
    pub imports: ImportsArgument,
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
    /// As in replace_node.
    #[serde(default, skip_serializing_if = "DiffArgument::is_auto")]
    #[schemars(schema_with = "diff_in_short", description = "")]
    pub diff: DiffArgument,
}

/// The destination of a moved node.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Destination {
    /// The file; default: that of the node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_path: Option<String>,
    /// The node to move next to or into.
    pub selector: SelectorArgument,
    /// Next to that node, or first or last inside its body.
    pub position: InsertPositionArgument,
    /// The first content of the file, if it does not exist.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub create: Option<String>,
}

/// Makes several edits in one or more files: all or none.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct EditNodes {
    /// Default of the edits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_path: Option<PathsArgument>,
    /// As in the tool of the op; selectors apply to the text before the call.
    #[schemars(schema_with = "edits_in_short")]
    pub edits: Vec<NodeEdit>,
    /// As in replace_node, for all edits without their own.
    #[serde(default, skip_serializing_if = "IndentArgument::is_auto")]
    pub indent: IndentArgument,
    /// As in replace_node.
    #[serde(default, skip_serializing_if = "ImportsArgument::is_off")]
    #[schemars(schema_with = "switch_in_short", description = "")]
    pub imports: ImportsArgument,
    /// As in replace_node, for all edits.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(schema_with = "names_in_short")]
    pub allow: Vec<Allow>,
    /// true: write at once.
    #[serde(default, skip_serializing_if = "is_false")]
    pub apply: bool,
    /// As in replace_node.
    #[serde(default, skip_serializing_if = "DiffArgument::is_auto")]
    #[schemars(schema_with = "diff_in_short", description = "")]
    pub diff: DiffArgument,
}

/// Writes a previewed edit.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct ApplyEdit {
    /// From the preview.
    #[schemars(description = "")]
    pub edit_id: String,
    /// As in replace_node.
    #[serde(default, skip_serializing_if = "DiffArgument::is_auto")]
    #[schemars(schema_with = "diff_in_short", description = "")]
    pub diff: DiffArgument,
    /// auto: also write if code around it changed.
    #[serde(default, skip_serializing_if = "RebaseArgument::is_ask")]
    #[schemars(schema_with = "rebase_in_short", description = "")]
    pub rebase: RebaseArgument,
}

/// Undoes an applied edit: restores the text that it replaced.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct UndoEdit {
    /// Of the applied edit.
    #[schemars(description = "")]
    pub edit_id: String,
    /// true: show the diff, write nothing.
    #[serde(default, skip_serializing_if = "is_false")]
    #[schemars(description = "")]
    pub preview: bool,
    /// As in replace_node.
    #[serde(default, skip_serializing_if = "DiffArgument::is_auto")]
    #[schemars(schema_with = "diff_in_short", description = "")]
    pub diff: DiffArgument,
}

/// Discards a previewed or refused edit.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct DiscardEdit {
    /// From the preview or the refusal.
    #[schemars(description = "")]
    pub edit_id: String,
    /// Why: later calls about the edit report it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub reason: Option<String>,
}

/// Changes a refused or previewed edit and previews it again.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct AmendEdit {
    /// From the refusal or the preview.
    #[schemars(description = "")]
    pub edit_id: String,
    /// The changes, if they are of one edit.
    #[serde(flatten)]
    pub amendment: Amendment,
    /// Several: {edit_index, ...} each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(schema_with = "amendments_in_short")]
    pub edits: Vec<Amendment>,
    /// Of a rewrite: the numbers of further matches to leave out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(skip)]
    pub skip: Vec<usize>,
    /// Of a rewrite: the numbers of the only matches to keep.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(skip)]
    pub only: Vec<usize>,
    /// Of a rewrite, true: leave out refused matches.
    #[serde(default, skip_serializing_if = "is_false")]
    #[schemars(skip)]
    pub skip_failing: bool,
    /// Default: as in the refused call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub apply: Option<bool>,
    /// As in replace_node.
    #[serde(default, skip_serializing_if = "DiffArgument::is_auto")]
    #[schemars(schema_with = "diff_in_short", description = "")]
    pub diff: DiffArgument,
}

/// The fields of a kept edit that change. All others stay as they are.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(default)]
#[non_exhaustive]
pub struct Amendment {
    /// Which edit of edit_nodes, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edit_index: Option<usize>,
    /// New selector, or only its fields to change.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "selector_in_short")]
    pub selector: Option<Value>,
    /// New selectors of an edit of several nodes.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub selectors: Option<Vec<Value>>,
    /// New find; its scope stays.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(description = "")]
    pub find: Option<String>,
    /// For a move: likewise.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "selector_in_short")]
    pub to: Option<Value>,
    /// As in insert_node.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "text_in_short")]
    #[schemars(description = "")]
    pub position: Option<InsertPositionArgument>,
    /// New content.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(description = "")]
    pub new_content: Option<String>,
    /// New file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file_path: Option<PathsArgument>,
    /// As in edit_nodes.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(description = "")]
    pub op: Option<String>,
    /// As in replace_node.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "text_in_short")]
    pub indent: Option<IndentArgument>,
    /// As in replace_node.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "names_in_short")]
    pub allow: Option<Vec<Allow>>,
    /// As in replace_node.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub imports: Option<ImportsArgument>,
    /// As in insert_node.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub blank_lines: Option<BlankLinesArgument>,
    /// As in replace_node.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub include_attached: Option<bool>,
    /// As in edit_nodes.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub expect_matches: Option<usize>,
    /// As in insert_node.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub create: Option<String>,
    /// Fields of the selector to change, other than find.
    #[serde(flatten)]
    #[schemars(skip)]
    pub selector_fields: Map<String, Value>,
}

/// Lists pending and recently applied edits, or shows one with its diff.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct ListEdits {
    /// Show this edit with its diff.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(description = "")]
    pub edit_id: Option<String>,
}

/// Where to insert, relative to the selected node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum InsertPositionArgument {
    /// Before the node and its attached doc comments and attributes.
    Before,
    /// After the node.
    After,
    /// First in its body.
    FirstChild,
    /// Last in its body.
    LastChild,
}

/// How to indent new content.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum IndentArgument {
    /// Adjust the indentation to the destination.
    #[default]
    Auto,
    /// Keep the given indentation.
    Verbatim,
}

/// When an answer shows the diff of an edit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum DiffArgument {
    /// Only where the caller has not seen the change: in a preview, and after a rebase.
    #[default]
    Auto,
    /// Always.
    Full,
}

/// What to do if the surroundings of an edit changed since its preview.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RebaseArgument {
    /// Write nothing, and show the edit in the current file.
    #[default]
    Ask,
    /// Write the edit.
    Auto,
}

/// The number of blank lines next to inserted content.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BlankLinesArgument {
    /// Before the content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<usize>,
    /// After the content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<usize>,
}

/// Whether the import statements of a file follow an edit.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum ImportsArgument {
    /// They follow, or not.
    Switch(bool),
    /// They follow, and these names are imported from these modules.
    From(BTreeMap<String, String>),
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
    /// Content that looks like a placeholder for code.
    SuspiciousContent,
}

impl IndentArgument {
    fn is_auto(&self) -> bool {
        *self == IndentArgument::Auto
    }
}

impl Default for ImportsArgument {
    fn default() -> ImportsArgument {
        ImportsArgument::Switch(false)
    }
}

impl ImportsArgument {
    /// Returns whether import statements stay as they are.
    pub(super) fn is_off(&self) -> bool {
        *self == ImportsArgument::default()
    }

    /// Returns the modules that the caller chose for names.
    pub(super) fn chosen(&self) -> BTreeMap<String, String> {
        match self {
            ImportsArgument::Switch(_) => BTreeMap::new(),
            ImportsArgument::From(chosen) => chosen.clone(),
        }
    }
}

impl DiffArgument {
    pub(super) fn is_auto(&self) -> bool {
        *self == DiffArgument::Auto
    }
}

impl RebaseArgument {
    fn is_ask(&self) -> bool {
        *self == RebaseArgument::Ask
    }
}

impl BlankLinesArgument {
    /// The maximum number on one side.
    const LIMIT: usize = 20;

    fn is_empty(&self) -> bool {
        *self == BlankLinesArgument::default()
    }

    /// Checks the numbers.
    fn checked(self) -> Result<ExactBlankLines, String> {
        let numbers = [self.before, self.after].into_iter().flatten();
        match numbers.max() {
            Some(most) if most > BlankLinesArgument::LIMIT => Err(format!(
                "blank_lines is {most} on one side; the limit is {}",
                BlankLinesArgument::LIMIT
            )),
            _ => Ok(self.into()),
        }
    }
}

impl From<BlankLinesArgument> for ExactBlankLines {
    fn from(given: BlankLinesArgument) -> ExactBlankLines {
        ExactBlankLines {
            before: given.before,
            after: given.after,
        }
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

pub(super) fn is_false(value: &bool) -> bool {
    !value
}
