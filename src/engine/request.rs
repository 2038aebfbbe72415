//! The requests: one vocabulary for the library, the command line and MCP.
//!
//! Agents read the doc comments of the fields in the tools' schemas. Reading is lenient, since clients differ: it
//! accepts objects as JSON in a string, numbers as strings, `null` for absent fields, and the selector's fields next
//! to `file_path` ([`read`]). One form is documented.

pub mod questions;

use std::any::TypeId;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value, json};

use crate::diagnostic::{self, Code, Diagnostic};
use crate::edit::{self, InsertPosition, Operation};
use crate::locate::{self, LineScope, Question, Scope, SymbolScope};
use crate::select::{Anchor, Selector, SelectorSyntaxError};
use crate::validate::Check;

use super::coordinates::{PositionArgument, RangeArgument};

/// How many edits one call may make.
pub const EDITS_LIMIT: usize = 1_000;

/// What is there? The symbols of files, as a tree, each with what leads to it.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
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

/// One of several edits.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
pub struct NodeEdit {
    /// What it does; absent: replace_text, where there is a find for it.
    pub op: NodeOperation,
    /// The file, relative to the workspace; empty: that of the request.
    #[serde(default)]
    pub file_path: String,
    /// Which node, as in replace_node; of replace_text its `find` and `scope`.
    pub selector: SelectorArgument,
    /// Of an insertion: where.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<InsertPositionArgument>,
    /// The new text, of all but a deletion and a move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new_content: Option<String>,
    /// Of a replacement: doc comments and attributes before the node go too.
    #[serde(default, skip_serializing_if = "is_false")]
    pub include_attached: bool,
    /// Of a move: where it goes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<Destination>,
    /// So many places are meant, and each is edited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expect_matches: Option<usize>,
}

/// What one of several edits does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NodeOperation {
    /// As replace_node.
    Replace,
    /// As replace_text.
    ReplaceText,
    /// As insert_node.
    Insert,
    /// As delete_node.
    Delete,
    /// As wrap_node.
    Wrap,
    /// As move_node.
    Move,
}

/// One edit of a request whose arguments were checked.
#[derive(Clone, Debug)]
pub(super) struct RequestedEdit {
    /// Its number among several, from 0; `None` if the request came by the tool of one edit.
    pub(super) index: Option<usize>,
    pub(super) target: EditTarget,
    pub(super) kind: EditKind,
    /// How many matches the caller expects; `None` if there must be exactly one.
    pub(super) expected: Option<usize>,
}

/// A selector and the file that it selects in.
#[derive(Clone, Debug)]
pub(super) struct EditTarget {
    pub(super) file_path: String,
    pub(super) selector: Selector,
}

/// What is done with the selected node or text.
#[derive(Clone, Debug)]
pub(super) enum EditKind {
    Edit(Operation),
    Move(MoveTarget),
}

/// Where a moved node is inserted.
#[derive(Clone, Debug)]
pub(super) struct MoveTarget {
    pub(super) target: EditTarget,
    pub(super) position: InsertPosition,
    pub(super) indent: edit::Indent,
}

impl RequestedEdit {
    /// Returns the target, and the target of the destination if it is a move.
    pub(super) fn targets(&self) -> impl Iterator<Item = &EditTarget> {
        let destination = match &self.kind {
            EditKind::Move(destination) => Some(&destination.target),
            EditKind::Edit(_) => None,
        };
        std::iter::once(&self.target).chain(destination)
    }
}

/// A request that edits files, from any tool.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct EditRequest {
    /// Returns whether it came by the tool of its one edit.
    #[serde(rename = "alone")]
    is_single: bool,
    edits: Vec<NodeEdit>,
    indent: IndentArgument,
    allow: Vec<Allow>,
    apply: bool,
}

/// Writes what a preview showed.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
pub struct ApplyEdit {
    /// From the preview.
    pub edit_id: String,
}

/// Takes back what was applied: the files get exactly the bytes they had.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
pub struct UndoEdit {
    /// Of the edit that was applied.
    pub edit_id: String,
}

/// Forgets a preview.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
pub struct DiscardEdit {
    /// From the preview or the refusal.
    pub edit_id: String,
}

/// Points a refused or staged edit at another node; its content and position are kept.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
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
pub struct ListEdits {
    /// Show this one with its diff.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edit_id: Option<String>,
}

/// Where inserted content goes, seen from the selected node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
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
pub enum Allow {
    /// New syntax errors.
    SyntaxErrors,
    /// Changes around the target.
    Surroundings,
    /// Content that looks like a sketch of code.
    SuspiciousContent,
}

/// A [`Selector`] as it is written in requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SelectorArgument(pub Selector);

/// A scope as it is written in requests, or none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScopeArgument(pub Option<Scope>);

/// A locate as it is written in requests: a string or an object, which may also choose among
/// matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocateArgument(pub locate::Question);

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

impl From<&ReplaceNode> for EditRequest {
    fn from(request: &ReplaceNode) -> EditRequest {
        let edit = NodeEdit {
            new_content: Some(request.new_content.clone()),
            include_attached: request.include_attached,
            ..NodeEdit::new(
                NodeOperation::Replace,
                &request.file_path,
                &request.selector,
            )
        };
        EditRequest::single(edit, request.indent, &request.allow, request.apply)
    }
}

impl From<&ReplaceText> for EditRequest {
    fn from(request: &ReplaceText) -> EditRequest {
        let selector = SelectorArgument(Selector {
            anchor: Anchor::Part(request.find.clone()),
            ancestor_node_type: Vec::new(),
            scope: request.scope.0.clone(),
            nth: None,
            outward: 0,
            sibling: 0,
        });
        let edit = NodeEdit {
            new_content: Some(request.new_content.clone()),
            ..NodeEdit::new(NodeOperation::ReplaceText, &request.file_path, &selector)
        };
        EditRequest::single(edit, request.indent, &request.allow, request.apply)
    }
}

impl From<&InsertNode> for EditRequest {
    fn from(request: &InsertNode) -> EditRequest {
        let edit = NodeEdit {
            position: Some(request.position),
            new_content: Some(request.new_content.clone()),
            ..NodeEdit::new(NodeOperation::Insert, &request.file_path, &request.selector)
        };
        EditRequest::single(edit, request.indent, &request.allow, request.apply)
    }
}

impl From<&DeleteNode> for EditRequest {
    fn from(request: &DeleteNode) -> EditRequest {
        let edit = NodeEdit::new(NodeOperation::Delete, &request.file_path, &request.selector);
        EditRequest::single(edit, IndentArgument::Auto, &request.allow, request.apply)
    }
}

impl From<&WrapNode> for EditRequest {
    fn from(request: &WrapNode) -> EditRequest {
        let edit = NodeEdit {
            new_content: Some(request.new_content.clone()),
            ..NodeEdit::new(NodeOperation::Wrap, &request.file_path, &request.selector)
        };
        EditRequest::single(edit, request.indent, &request.allow, request.apply)
    }
}

impl From<&MoveNode> for EditRequest {
    fn from(request: &MoveNode) -> EditRequest {
        let edit = NodeEdit {
            to: Some(request.to.clone()),
            ..NodeEdit::new(NodeOperation::Move, &request.file_path, &request.selector)
        };
        EditRequest::single(edit, request.indent, &request.allow, request.apply)
    }
}

impl From<&EditNodes> for EditRequest {
    fn from(request: &EditNodes) -> EditRequest {
        let file_path = request.file_path.as_deref().unwrap_or_default();
        let mut edits = request.edits.clone();
        for edit in edits.iter_mut().filter(|edit| edit.file_path.is_empty()) {
            edit.file_path = file_path.to_string();
        }
        EditRequest {
            is_single: false,
            edits,
            indent: request.indent,
            allow: request.allow.clone(),
            apply: request.apply,
        }
    }
}

impl EditRequest {
    fn single(edit: NodeEdit, indent: IndentArgument, allow: &[Allow], apply: bool) -> EditRequest {
        EditRequest {
            is_single: true,
            edits: vec![edit],
            indent,
            allow: allow.to_vec(),
            apply,
        }
    }

    /// Combines the edits of all requests, in order, into one call, which is written if the first is.
    pub(super) fn together(all: &[&EditRequest]) -> EditNodes {
        let first = all.first();
        EditNodes {
            file_path: None,
            edits: all.iter().flat_map(|one| one.edits.clone()).collect(),
            indent: first.map(|one| one.indent).unwrap_or_default(),
            allow: first.map(|one| one.allow.clone()).unwrap_or_default(),
            apply: first.is_some_and(|one| one.apply),
        }
    }

    /// Returns an argument in which the two differ, so that they cannot be one call.
    pub(super) fn differs_in(&self, other: &EditRequest) -> Option<&'static str> {
        match () {
            () if self.indent != other.indent => Some("indent"),
            () if self.allow != other.allow => Some("allow"),
            () if self.apply != other.apply => Some("apply"),
            () => None,
        }
    }

    /// Returns the number of edits.
    pub(super) fn count(&self) -> usize {
        self.edits.len()
    }

    pub(super) fn tool(&self) -> &'static str {
        match self.edits.as_slice() {
            [edit] if self.is_single => edit.op.tool(),
            _ => "edit_nodes",
        }
    }

    /// Whether it came by the tool of its one edit.
    pub(super) fn is_single(&self) -> bool {
        self.is_single
    }

    /// Returns whether it is to be written at once.
    pub(super) fn applies(&self) -> bool {
        self.apply
    }

    /// Returns the files that it names.
    pub(super) fn file_paths(&self) -> impl Iterator<Item = &str> {
        self.edits.iter().flat_map(|edit| {
            let to = edit.to.as_ref().and_then(|to| to.file_path.as_deref());
            std::iter::once(edit.file_path.as_str()).chain(to)
        })
    }

    /// Returns the checks that may fail.
    pub(super) fn allowed(&self) -> Vec<Check> {
        self.allow.iter().map(|allow| (*allow).into()).collect()
    }

    /// Returns whether it contains new content.
    pub(super) fn has_content(&self) -> bool {
        self.edits.iter().any(|one| one.new_content.is_some())
    }

    /// Returns its edits, at least one.
    ///
    /// # Errors
    /// One of them lacks what its operation needs, or there is none.
    pub(super) fn requested_edits(&self) -> Result<Vec<RequestedEdit>, Diagnostic> {
        let count = self.edits.len();
        if count == 0 {
            return Err(diagnostic::about_arguments("edits is empty"));
        }
        if count > EDITS_LIMIT {
            let message = format!("{count} edits are more than {EDITS_LIMIT}: make several calls");
            return Err(diagnostic::about_arguments(message));
        }
        let edits = self.edits.iter().enumerate();
        let checked = edits.map(|(number, edit)| {
            let index = (!self.is_single).then_some(number);
            edit.checked(index, self.indent.into())
                .map_err(|wrong| match index {
                    Some(index) => diagnostic::about_arguments(wrong).of_edit(index),
                    None => diagnostic::about_arguments(wrong),
                })
        });
        checked.collect()
    }

    /// Returns the request with each path replaced by `name`.
    pub(super) fn with_paths(mut self, mut name: impl FnMut(&str) -> String) -> EditRequest {
        for edit in &mut self.edits {
            edit.file_path = name(&edit.file_path);
            if let Some(to) = &mut edit.to {
                to.file_path = Some(match &to.file_path {
                    Some(given) => name(given),
                    None => edit.file_path.clone(),
                });
            }
        }
        self
    }

    /// Returns the request with another `apply`.
    pub(super) fn applying(self, apply: bool) -> EditRequest {
        EditRequest { apply, ..self }
    }

    /// Returns the request for another target, and for a move another destination; of several edits, the one with
    /// this number is changed.
    ///
    /// # Errors
    /// There are several edits and none has this number; or there is no target, or no destination to change.
    pub(super) fn at(mut self, request: &RetargetEdit) -> Result<EditRequest, Diagnostic> {
        let count = self.edits.len();
        let edit = match request.edit_index {
            Some(index) => self.edits.get_mut(index),
            None => self.edits.first_mut().filter(|_| count == 1),
        };
        let Some(edit) = edit else {
            let message = format!(
                "it is one of {count} edits that gets another place: edit_index, from 0 to {}, says which",
                count - 1
            );
            return Err(diagnostic::about_arguments(message));
        };
        if request.selector.is_none() && request.to.is_none() {
            let message = "retarget_edit needs selector, the node that is meant instead";
            return Err(diagnostic::about_arguments(message));
        }
        if let Some(selector) = &request.selector {
            edit.selector = selector.clone();
        }
        match (&request.to, &mut edit.to) {
            (Some(selector), Some(to)) => to.selector = selector.clone(),
            (Some(_), None) => {
                let message = format!("only a move has `to`; the edit is a {}", edit.op.tool());
                return Err(diagnostic::about_arguments(message));
            }
            (None, _) => {}
        }
        Ok(self)
    }
}

impl NodeOperation {
    /// Returns its name in requests.
    fn word(self) -> &'static str {
        match self {
            NodeOperation::Replace => "replace",
            NodeOperation::ReplaceText => "replace_text",
            NodeOperation::Insert => "insert",
            NodeOperation::Delete => "delete",
            NodeOperation::Wrap => "wrap",
            NodeOperation::Move => "move",
        }
    }

    /// Returns the tool that makes this edit alone.
    pub(super) fn tool(self) -> &'static str {
        match self {
            NodeOperation::Replace => "replace_node",
            NodeOperation::ReplaceText => "replace_text",
            NodeOperation::Insert => "insert_node",
            NodeOperation::Delete => "delete_node",
            NodeOperation::Wrap => "wrap_node",
            NodeOperation::Move => "move_node",
        }
    }
}

impl NodeEdit {
    /// Returns an edit without the arguments of particular operations.
    pub fn new(op: NodeOperation, file_path: &str, selector: &SelectorArgument) -> NodeEdit {
        NodeEdit {
            op,
            file_path: file_path.to_string(),
            selector: selector.clone(),
            position: None,
            new_content: None,
            include_attached: false,
            to: None,
            expect_matches: None,
        }
    }

    /// Checks that the edit has the arguments of its operation, and no others.
    fn checked(&self, index: Option<usize>, indent: edit::Indent) -> Result<RequestedEdit, String> {
        self.check_fields()?;
        let kind = self.kind(indent)?;
        let selector = match self.op {
            NodeOperation::ReplaceText => part_selector(&self.selector.0)?,
            _ => self.selector.0.clone(),
        };
        Ok(RequestedEdit {
            index,
            target: EditTarget {
                file_path: self.file_path.clone(),
                selector,
            },
            kind,
            expected: self.expect_matches,
        })
    }

    /// Refuses arguments of other operations.
    fn check_fields(&self) -> Result<(), String> {
        use NodeOperation::{Delete, Insert, Move, Replace};

        let op = self.op;
        let has_content = !matches!(op, Delete | Move);
        for (field, is_given, is_known) in [
            ("position", self.position.is_some(), op == Insert),
            ("to", self.to.is_some(), op == Move),
            ("include_attached", self.include_attached, op == Replace),
            ("new_content", self.new_content.is_some(), has_content),
            ("expect_matches", self.expect_matches.is_some(), op != Move),
        ] {
            if is_given && !is_known {
                return Err(format!("{} takes no {field}", op.word()));
            }
        }
        let selector = &self.selector.0;
        let picks_one = selector.nth.is_some() || selector.outward != 0 || selector.sibling != 0;
        match self.expect_matches {
            Some(0) => Err("expect_matches counts from 1".to_string()),
            Some(_) if picks_one => {
                let wrong = "expect_matches means all matches, so the selector has no nth, outward \
                             or sibling";
                Err(wrong.to_string())
            }
            _ => Ok(()),
        }
    }

    fn kind(&self, indent: edit::Indent) -> Result<EditKind, String> {
        let content = || {
            let content = self.new_content.clone();
            content.ok_or_else(|| "new_content is missing".to_string())
        };
        Ok(EditKind::Edit(match self.op {
            NodeOperation::Replace => Operation::Replace {
                new_content: content()?,
                indent,
                include_attached: self.include_attached,
            },
            NodeOperation::ReplaceText => Operation::ReplaceText {
                new_content: content()?,
                indent,
            },
            NodeOperation::Insert => Operation::Insert {
                position: self
                    .position
                    .ok_or("position is missing: before, after, first_child or last_child")?
                    .into(),
                new_content: content()?,
                indent,
            },
            NodeOperation::Delete => Operation::Delete,
            NodeOperation::Wrap => Operation::Wrap {
                new_content: content()?,
                indent,
            },
            NodeOperation::Move => {
                let to = self.to.as_ref();
                let to = to.ok_or("to is missing: where the node goes, {selector, position}")?;
                return Ok(EditKind::Move(MoveTarget {
                    target: EditTarget {
                        file_path: to.file_path.as_ref().unwrap_or(&self.file_path).clone(),
                        selector: to.selector.0.clone(),
                    },
                    position: to.position.into(),
                    indent,
                }));
            }
        }))
    }
}

/// Returns a selector of a text, whose anchor is the replaced text.
fn part_selector(selector: &Selector) -> Result<Selector, String> {
    let has_type = !selector.ancestor_node_type.is_empty();
    if has_type || selector.outward != 0 || selector.sibling != 0 {
        let wrong = "replace_text replaces the text that find matches, no node round it: it takes find \
                     and scope alone";
        return Err(wrong.to_string());
    }
    Ok(Selector {
        anchor: Anchor::Part(selector.anchor.as_str().to_string()),
        ..selector.clone()
    })
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

/// Reads a request from a call's arguments, leniently; refuses unknown ones.
///
/// # Errors
/// `unsupported_selector` for another tool's selector, else `invalid_arguments`: also for an argument that
/// the tool does not have.
pub fn read<T>(arguments: Value) -> Result<T, Diagnostic>
where
    T: for<'de> Deserialize<'de> + JsonSchema + 'static,
{
    let Value::Object(mut arguments) = without_nulls(from_string(arguments)) else {
        return Err(diagnostic::about_arguments(
            "the arguments of a call are an object",
        ));
    };
    let known = fields_of::<T>();
    let knows = |name: &str| known.iter().any(|one| one == name);
    if knows("selector") {
        gather_selector(&mut arguments);
    } else if knows("find") {
        spread_selector(&mut arguments)?;
    }
    if knows("to") {
        read_destination(&mut arguments, !knows("edit_id"))?;
    }
    if let Some(selector) = arguments.get("selector") {
        check_selector_form(selector)?;
        check_scope(&selector["scope"])?;
    }
    if let Some(locate) = arguments.get("locate").cloned().map(from_string) {
        check_scope(&locate["scope"])?;
        if let Some(text) = locate.as_str() {
            text.parse::<locate::Locate>()
                .map_err(|error| diagnostic::about_locate_syntax(&error))?;
        }
    }
    let has_file = arguments.contains_key("file_path");
    if knows("edits")
        && let Some(edits) = arguments.get_mut("edits")
    {
        *edits = read_edits(from_string(edits.take()), has_file)?;
    }
    read_flags(&mut arguments);
    if knows("file") && knows("column") {
        read_place(&mut arguments);
    }
    if knows("path") {
        read_search(&mut arguments);
    }
    for name in ["allow", "kinds"] {
        if let Some(list) = arguments.get_mut(name) {
            *list = match from_string(list.take()) {
                Value::String(one) => json!([one]),
                list => list,
            };
        }
    }
    let flat = match knows("selector") {
        true => SELECTOR_FIELDS,
        false => &[],
    };
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    refuse_unknown(&arguments, "", &known, flat)?;
    serde_json::from_value(Value::Object(arguments.clone())).map_err(|error| {
        let message = error.to_string();
        diagnostic::about_arguments(match misfit::<T>(&arguments, &message) {
            Some(name) => format!("{name}: {message}"),
            None => message,
        })
    })
}

/// Refuses `fields` that are not `known`. `flat` are accepted fields that were read already, `outer` is the object
/// that contains the fields.
fn refuse_unknown(
    fields: &Map<String, Value>,
    outer: &str,
    known: &[&str],
    flat: &[&str],
) -> Result<(), Diagnostic> {
    /// The similarity from which a name is suggested for another.
    const NEAR: f64 = 0.8;

    let unknown: Vec<&str> = fields
        .keys()
        .map(String::as_str)
        .filter(|name| !known.contains(name))
        .collect();
    if unknown.is_empty() {
        return Ok(());
    }
    let free: Vec<&str> = known.iter().chain(flat).copied().collect();
    let free: Vec<&str> = free
        .into_iter()
        .filter(|name| !fields.contains_key(*name))
        .collect();
    let likeness = |name: &str, given: &str| match name.split('_').any(|word| word == given) {
        true => 1.0,
        false => strsim::jaro_winkler(name, given),
    };
    let near = unknown.iter().find_map(|given| {
        let alike = free.iter().map(|name| (likeness(name, given), *name));
        alike
            .filter(|(likeness, _)| *likeness > NEAR)
            .max_by(|(one, _), (other, _)| one.total_cmp(other))
    });
    let quoted = |names: &[&str]| {
        let names = names.iter().map(|name| format!("`{outer}{name}`"));
        names.collect::<Vec<_>>().join(", ")
    };
    let fields = if unknown.len() == 1 {
        "field"
    } else {
        "fields"
    };
    let message = format!("unknown {fields} {}", quoted(&unknown));
    Err(Diagnostic {
        help: Some(match near {
            Some((_, name)) => format!("a field with a similar name exists: `{outer}{name}`"),
            None => format!("the fields are {}", quoted(known)),
        }),
        ..diagnostic::about_arguments(message)
    })
}

/// Reads the entries of `edits`, each as leniently as a separate call; `has_file`: the call names a file for entries
/// without one.
fn read_edits(edits: Value, has_file: bool) -> Result<Value, Diagnostic> {
    const KNOWN: &[&str] = &[
        "op",
        "file_path",
        "selector",
        "position",
        "new_content",
        "include_attached",
        "to",
        "expect_matches",
    ];

    let edits = match edits {
        Value::Array(edits) => edits,
        // One edit without a list.
        edit @ Value::Object(_) => vec![edit],
        other => return Ok(other),
    };
    let entries = edits.into_iter().enumerate().map(|(index, edit)| {
        let Value::Object(mut edit) = without_nulls(from_string(edit)) else {
            let message = format!("edits[{index}] is no object");
            return Err(diagnostic::about_arguments(message));
        };
        let names_text = ["find", "new_content"]
            .iter()
            .all(|one| edit.contains_key(*one));
        if names_text && !edit.contains_key("op") && !edit.contains_key("ancestor_node_type") {
            edit.insert("op".to_string(), json!("replace_text"));
        }
        gather_selector(&mut edit);
        let in_edit = |diagnostic: Diagnostic| diagnostic.of_edit(index);
        match edit.get_mut("op") {
            // The name of the tool instead of the operation.
            Some(Value::String(op)) if op.ends_with("_node") => {
                op.truncate(op.len() - "_node".len())
            }
            Some(_) => {}
            None => {
                let message = "op is missing: replace, replace_text, insert, delete, wrap or move";
                return Err(in_edit(diagnostic::about_arguments(message)));
            }
        }
        read_destination(&mut edit, true).map_err(in_edit)?;
        if let Some(number) = edit.get("expect_matches").and_then(integer) {
            edit.insert("expect_matches".to_string(), json!(number));
        }
        if let Some(selector) = edit.get("selector") {
            check_selector_form(selector).map_err(in_edit)?;
            check_scope(&selector["scope"]).map_err(in_edit)?;
        }
        read_flags(&mut edit);
        refuse_unknown(&edit, "", KNOWN, SELECTOR_FIELDS).map_err(in_edit)?;
        if !has_file && !edit.contains_key("file_path") {
            let message = "file_path is missing, here and beside edits";
            return Err(in_edit(diagnostic::about_arguments(message)));
        }
        // It is read again with the rest; this only determines which edit is wrong.
        match serde_json::from_value::<NodeEdit>(Value::Object(edit.clone())) {
            Ok(_) => Ok(Value::Object(edit)),
            Err(error) => Err(diagnostic::about_arguments(error.to_string()).of_edit(index)),
        }
    });
    entries
        .collect::<Result<Vec<Value>, Diagnostic>>()
        .map(Value::Array)
}

/// Accepts the names that other tools use for the parts of a place, and numbers as strings.
fn read_place(arguments: &mut Map<String, Value>) {
    for (other, own) in [("file_path", "file"), ("character", "column")] {
        if !arguments.contains_key(own)
            && let Some(value) = arguments.remove(other)
        {
            arguments.insert(own.to_string(), value);
        }
    }
    for name in ["line", "column", "max_items"] {
        if let Some(number) = arguments.get(name).and_then(integer) {
            arguments.insert(name.to_string(), json!(number));
        }
    }
}

/// Accepts the numbers of a search as strings, and its path under the name that other tools use.
fn read_search(arguments: &mut Map<String, Value>) {
    if !arguments.contains_key("path")
        && let Some(path) = arguments.remove("file_path")
    {
        arguments.insert("path".to_string(), path);
    }
    for name in ["depth", "max_items"] {
        if let Some(number) = arguments.get(name).and_then(integer) {
            arguments.insert(name.to_string(), json!(number));
        }
    }
}

/// Accepts booleans as strings, and other spellings of positions.
fn read_flags(arguments: &mut Map<String, Value>) {
    for name in ["range", "apply", "include_attached"] {
        if let Some(value) = arguments.get_mut(name) {
            match value.as_str() {
                Some("true") => *value = Value::Bool(true),
                Some("false") => *value = Value::Bool(false),
                _ => {}
            }
        }
    }
    if let Some(position) = arguments.get_mut("position")
        && let Some(known) = position.as_str().and_then(position_spelt)
    {
        *position = json!(known);
    }
}

/// Returns the position of another spelling: `FirstChild`, `first-child`.
fn position_spelt(given: &str) -> Option<&'static str> {
    let bare = |name: &str| name.replace(['-', '_'], "").to_lowercase();
    ["before", "after", "first_child", "last_child"]
        .into_iter()
        .find(|known| bare(known) == bare(given))
}

/// Returns the argument that does not fit, if the message does not contain it: the one without which the message
/// differs.
fn misfit<T>(arguments: &Map<String, Value>, message: &str) -> Option<String>
where
    T: for<'de> Deserialize<'de>,
{
    if !message.starts_with("invalid ") && !message.starts_with("unknown variant") {
        return None;
    }
    let fits_without = |name: &&String| {
        let mut without = arguments.clone();
        without.remove(*name);
        !serde_json::from_value::<T>(Value::Object(without))
            .is_err_and(|error| error.to_string() == message)
    };
    arguments.keys().find(fits_without).cloned()
}

/// Returns the names of the fields of a request, in the order of its schema. The schema is generated once for each type.
fn fields_of<T: JsonSchema + 'static>() -> Arc<[String]> {
    static FIELDS: LazyLock<Mutex<HashMap<TypeId, Arc<[String]>>>> = LazyLock::new(Mutex::default);
    let mut fields = FIELDS.lock().unwrap_or_else(PoisonError::into_inner);
    let of_type = fields.entry(TypeId::of::<T>()).or_insert_with(|| {
        let schema = schema_of::<T>();
        let properties = schema.get("properties").and_then(Value::as_object);
        let names = properties.map(|properties| properties.keys().cloned().collect());
        names.unwrap_or_default()
    });
    of_type.clone()
}

/// Returns the JSON Schema of a request or an answer: one self-contained object without formats and references, which
/// some clients do not support.
pub fn schema_of<T: JsonSchema>() -> Map<String, Value> {
    let settings = schemars::generate::SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let schema = settings.into_generator().into_root_schema_for::<T>();
    let mut value = Value::from(schema);
    simplify(&mut value);
    match value {
        Value::Object(mut object) => {
            object.remove("title");
            object
        }
        _ => Map::new(),
    }
}

/// Removes parts that cost tokens and do not help a model.
fn simplify(value: &mut Value) {
    match value {
        Value::Object(object) => {
            object.remove("format");
            if object.get("default").is_some_and(|default| {
                default.is_null() || *default == json!(false) || *default == json!([])
            }) {
                object.remove("default");
            }
            if object.get("minimum") == Some(&json!(0)) {
                object.remove("minimum");
            }
            // The line breaks of a doc comment have no meaning.
            if let Some(Value::String(description)) = object.get_mut("description") {
                *description = description.replace('\n', " ");
            }
            if let Some(names) = names_of(object) {
                object.remove("oneOf");
                object.insert("type".to_string(), json!("string"));
                object.insert("enum".to_string(), names);
            }
            if let Some(Value::Array(types)) = object.get_mut("type") {
                types.retain(|one| one != "null");
                if let [one] = types.as_slice() {
                    let one = one.clone();
                    object.insert("type".to_string(), one);
                }
            }
            if let Some(Value::Array(options)) = object.get_mut("anyOf") {
                options.retain(|one| *one != json!({"type": "null"}));
                if let [Value::Object(one)] = options.as_slice() {
                    let one = one.clone();
                    object.remove("anyOf");
                    for (key, value) in one {
                        object.entry(key).or_insert(value);
                    }
                }
            }
            object.values_mut().for_each(simplify);
        }
        Value::Array(items) => items.iter_mut().for_each(simplify),
        _ => {}
    }
}

/// Merges the names of an enum, for which schemars writes one schema each.
fn names_of(object: &Map<String, Value>) -> Option<Value> {
    let options = object.get("oneOf")?.as_array()?;
    let names: Option<Vec<Value>> = options
        .iter()
        .map(|option| option.get("const").cloned())
        .collect();
    names.map(Value::Array)
}

/// Parses a JSON object or array that came as a string.
pub(super) fn from_string(value: Value) -> Value {
    match &value {
        Value::String(text) if text.trim_start().starts_with(['{', '[']) => {
            serde_json::from_str(text).unwrap_or(value)
        }
        _ => value,
    }
}

fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(object) => Value::Object(
            object
                .into_iter()
                .filter(|(_, value)| !value.is_null())
                .map(|(name, value)| (name, without_nulls(value)))
                .collect(),
        ),
        other => other,
    }
}

const SELECTOR_FIELDS: &[&str] = &[
    "anchor_text",
    "find",
    "ancestor_node_type",
    "scope",
    "nth",
    "outward",
    "sibling",
];

/// Moves selector fields next to the other arguments into the selector.
fn gather_selector(arguments: &mut Map<String, Value>) {
    if let Some(selector) = arguments.get_mut("selector") {
        *selector = without_nulls(from_string(selector.take()));
    }
    let has_anchor = arguments.contains_key("anchor_text") || arguments.contains_key("find");
    let is_object = arguments.get("selector").is_none_or(Value::is_object);
    if !is_object || !(has_anchor || arguments.contains_key("selector")) {
        return;
    }
    let mut selector = match arguments.remove("selector") {
        Some(Value::Object(selector)) => selector,
        _ => Map::new(),
    };
    for field in SELECTOR_FIELDS {
        if !selector.contains_key(*field)
            && let Some(value) = arguments.remove(*field)
        {
            selector.insert(field.to_string(), value);
        }
    }
    arguments.insert("selector".to_string(), Value::Object(selector));
}

/// Spreads a selector that was given to a tool with separate text and scope arguments.
fn spread_selector(arguments: &mut Map<String, Value>) -> Result<(), Diagnostic> {
    if let Some(selector) = arguments.remove("selector") {
        let read = serde_json::from_value::<SelectorArgument>(selector);
        let SelectorArgument(selector) =
            read.map_err(|error| diagnostic::about_arguments(error.to_string()))?;
        let selector = part_selector(&selector).map_err(diagnostic::about_arguments)?;
        let mut spread = vec![("find", json!(selector.anchor.as_str()))];
        spread.extend(
            selector
                .scope
                .as_ref()
                .map(|scope| ("scope", scope_value(scope))),
        );
        for (name, value) in spread {
            if arguments.insert(name.to_string(), value).is_some() {
                let message = format!("{name} is given twice, in selector and next to it");
                return Err(diagnostic::about_arguments(message));
            }
        }
    }
    if !arguments.contains_key("find")
        && let Some(text) = arguments.remove("anchor_text")
    {
        arguments.insert("find".to_string(), text);
    }
    check_scope(arguments.get("scope").unwrap_or(&Value::Null))
}

/// Reads the destination of a move: an object with a selector, or (if `is_whole` is false) the selector alone.
fn read_destination(arguments: &mut Map<String, Value>, is_whole: bool) -> Result<(), Diagnostic> {
    let Some(to) = arguments.get_mut("to") else {
        return Ok(());
    };
    *to = without_nulls(from_string(to.take()));
    let Value::Object(object) = to else {
        return Ok(());
    };
    if is_whole {
        gather_selector(object);
        read_flags(object);
        let known = ["file_path", "selector", "position"];
        refuse_unknown(object, "to.", &known, SELECTOR_FIELDS)?;
    } else if object.contains_key("selector") {
        // The rest of the destination is kept as it is.
        refuse_unknown(object, "to.", &["selector"], &[])?;
        *to = object.remove("selector").unwrap_or_default();
    }
    let selector = if is_whole { &to["selector"] } else { &*to };
    check_selector_form(selector)?;
    check_scope(&selector["scope"])
}

/// Refuses an invalid scope with its own code.
fn check_scope(scope: &Value) -> Result<(), Diagnostic> {
    match scope {
        Value::Null => Ok(()),
        scope => scope_from(scope.clone())
            .map(|_| ())
            .map_err(|problem| Diagnostic::new(Code::InvalidScope, problem)),
    }
}

/// Refuses the selectors of other tools, and names the form to use.
fn check_selector_form(selector: &Value) -> Result<(), Diagnostic> {
    let Some(object) = selector.as_object() else {
        return Ok(());
    };
    let has_anchor = object.contains_key("anchor_text") || object.contains_key("find");
    let old = [
        "position",
        "query",
        "name",
        "line",
        "column",
        "node_type",
        "type",
    ];
    let Some(field) = old
        .iter()
        .find(|field| object.contains_key(**field) && !has_anchor)
    else {
        return Ok(());
    };
    let given = |name: &str, otherwise: &str| {
        object
            .get(name)
            .and_then(Value::as_str)
            .unwrap_or(otherwise)
            .to_string()
    };
    let here = json!({
        "anchor_text": given("name", "<text in the node>"),
        "ancestor_node_type": given("node_type", "<its type>"),
    });
    Err(Diagnostic {
        help: Some(format!("point with a text: {{\"selector\": {here}}}")),
        ..Diagnostic::new(
            Code::UnsupportedSelector,
            format!(
                "a selector does not point by {field} here; a node is selected by a text in it"
            ),
        )
    })
}

impl Serialize for SelectorArgument {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let selector = &self.0;
        let mut object = Map::new();
        match &selector.anchor {
            Anchor::Text(text) => object.insert("anchor_text".to_string(), json!(text)),
            Anchor::Find(find) | Anchor::Part(find) => {
                object.insert("find".to_string(), json!(find))
            }
        };
        match selector.ancestor_node_type.as_slice() {
            [] => None,
            [one] => object.insert("ancestor_node_type".to_string(), json!(one)),
            many => object.insert("ancestor_node_type".to_string(), json!(many)),
        };
        if let Some(scope) = &selector.scope {
            object.insert("scope".to_string(), scope_value(scope));
        }
        if let Some(nth) = selector.nth {
            object.insert("nth".to_string(), json!(nth));
        }
        if selector.outward != 0 {
            object.insert("outward".to_string(), json!(selector.outward));
        }
        if selector.sibling != 0 {
            object.insert("sibling".to_string(), json!(selector.sibling));
        }
        object.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for SelectorArgument {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<SelectorArgument, D::Error> {
        let value = from_string(Value::deserialize(deserializer)?);
        let selector = match value {
            Value::Object(object) => selector_from_object(object),
            Value::String(text) => text
                .parse()
                .map_err(|error: SelectorSyntaxError| error.to_string()),
            _ => Err("a selector is an object".to_string()),
        };
        selector.map(SelectorArgument).map_err(D::Error::custom)
    }
}

fn selector_from_object(mut object: Map<String, Value>) -> Result<Selector, String> {
    let object = &mut object;
    let anchor = match (
        text_field(object, "selector", "anchor_text")?,
        text_field(object, "selector", "find")?,
    ) {
        (Some(text), None) => Anchor::Text(text),
        (None, Some(find)) => Anchor::Find(find),
        (Some(_), Some(_)) => {
            return Err("a selector has anchor_text or find, not both".to_string());
        }
        (None, None) => {
            return Err("a selector needs anchor_text, some text in the node".to_string());
        }
    };
    let ancestor_node_type = node_types(object.remove("ancestor_node_type").map(from_string))?;
    let scope = scope_field(object)?;
    let mut number = |name: &str| match object.remove(name) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => match integer(&value) {
            Some(number) => Ok(Some(number)),
            None => Err(format!("selector.{name} is a whole number, not {value}")),
        },
    };
    let nth = match number("nth")?.map(usize::try_from) {
        None => None,
        Some(Ok(nth)) if nth > 0 => Some(nth),
        Some(_) => return Err("selector.nth counts from 1".to_string()),
    };
    let outward = usize::try_from(number("outward")?.unwrap_or(0))
        .map_err(|_| "selector.outward counts from 0".to_string())?;
    let sibling = isize::try_from(number("sibling")?.unwrap_or(0))
        .map_err(|_| "selector.sibling is too large".to_string())?;
    if let Some(unknown) = object.keys().next() {
        return Err(format!(
            "a selector has no field {unknown}; its fields are {}",
            SELECTOR_FIELDS.join(", ")
        ));
    }
    Ok(Selector {
        anchor,
        ancestor_node_type,
        scope,
        nth,
        outward,
        sibling,
    })
}

/// Takes a string out of `object`, which is the argument `argument`.
fn text_field(
    object: &mut Map<String, Value>,
    argument: &str,
    name: &str,
) -> Result<Option<String>, String> {
    match object.remove(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(other) => Err(format!("{argument}.{name} is a string, not {other}")),
    }
}

fn scope_field(object: &mut Map<String, Value>) -> Result<Option<Scope>, String> {
    match object.remove("scope") {
        None | Some(Value::Null) => Ok(None),
        Some(scope) => scope_from(scope),
    }
}

/// Reads one node type or a list of them.
fn node_types(value: Option<Value>) -> Result<Vec<String>, String> {
    match value {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::String(one)) if one.is_empty() => Ok(Vec::new()),
        Some(Value::String(one)) => Ok(vec![one]),
        Some(Value::Array(many)) => strings(many)
            .map_err(|other| format!("selector.ancestor_node_type lists strings, not {other}")),
        Some(other) => Err(format!(
            "selector.ancestor_node_type is a string or a list, not {other}"
        )),
    }
}

/// Returns the strings of a list, or the first value that is not a string.
fn strings(list: Vec<Value>) -> Result<Vec<String>, Value> {
    let strings = list.into_iter().map(|one| match one {
        Value::String(one) => Ok(one),
        other => Err(other),
    });
    strings.collect()
}

/// A selector as short as it can be written: one string where that means the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShortSelector(pub Selector);

impl Serialize for ShortSelector {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let selector = &self.0;
        let text = selector.to_string();
        match text.parse::<Selector>() {
            Ok(read) if read == *selector => serializer.serialize_str(&text),
            _ => SelectorArgument(selector.clone()).serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for ShortSelector {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<ShortSelector, D::Error> {
        SelectorArgument::deserialize(deserializer).map(|read| ShortSelector(read.0))
    }
}

impl JsonSchema for ShortSelector {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "ShortSelector".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": ["string", "object"]})
    }
}

impl ScopeArgument {
    fn is_none(&self) -> bool {
        self.0.is_none()
    }
}

impl Serialize for ScopeArgument {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.as_ref().map(scope_value).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for ScopeArgument {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<ScopeArgument, D::Error> {
        let scope = scope_from(Value::deserialize(deserializer)?);
        scope.map(ScopeArgument).map_err(D::Error::custom)
    }
}

impl Serialize for LocateArgument {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Question {
            locate,
            find_index,
            fuzzy,
        } = &self.0;
        if find_index.is_none() && !fuzzy {
            return serializer.serialize_str(&locate.to_string());
        }
        let mut object = Map::new();
        object.insert("file_path".to_string(), json!(locate.file_path));
        if let Some(scope) = &locate.scope {
            object.insert("scope".to_string(), scope_value(scope));
        }
        if let Some(find) = &locate.find {
            object.insert("find".to_string(), json!(find));
        }
        if let Some(find_index) = find_index {
            object.insert("find_index".to_string(), json!(find_index));
        }
        if *fuzzy {
            object.insert("fuzzy".to_string(), json!(true));
        }
        object.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for LocateArgument {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<LocateArgument, D::Error> {
        let value = from_string(Value::deserialize(deserializer)?);
        let located = match value {
            Value::String(text) => text
                .parse::<locate::Locate>()
                .map(Question::from)
                .map_err(|error| error.to_string()),
            Value::Object(object) => question_from_object(object),
            _ => Err("a locate is a string or an object".to_string()),
        };
        located.map(LocateArgument).map_err(D::Error::custom)
    }
}

fn question_from_object(mut object: Map<String, Value>) -> Result<Question, String> {
    let file_path = match object.remove("file_path") {
        Some(Value::String(path)) if !path.is_empty() => path,
        _ => return Err("a locate needs file_path".to_string()),
    };
    let scope = scope_field(&mut object)?;
    let find = text_field(&mut object, "locate", "find")?.filter(|find| !find.is_empty());
    let find_index = match object.remove("find_index") {
        None | Some(Value::Null) => None,
        Some(value) => match integer(&value).map(usize::try_from) {
            Some(Ok(index)) if index > 0 => Some(index),
            _ => return Err(format!("locate.find_index is a number from 1, not {value}")),
        },
    };
    let fuzzy = match object.remove("fuzzy").map(from_string) {
        None | Some(Value::Null) => false,
        Some(Value::Bool(fuzzy)) => fuzzy,
        Some(Value::String(word)) if word == "true" || word == "false" => word == "true",
        Some(other) => return Err(format!("locate.fuzzy is true or false, not {other}")),
    };
    if let Some(unknown) = object.keys().next() {
        return Err(format!(
            "a locate has no field {unknown}; its fields are file_path, scope, find, find_index, fuzzy"
        ));
    }
    Ok(Question {
        locate: locate::Locate {
            file_path,
            scope,
            find,
        },
        find_index,
        fuzzy,
    })
}

fn scope_value(scope: &Scope) -> Value {
    match scope {
        Scope::Symbol(symbol) => json!({"symbol_path": symbol.symbol_path}),
        Scope::Lines(lines) => match lines.last() {
            Some(last) if last == lines.first() => json!({"line": last}),
            last => json!({"line": [lines.first(), last.unwrap_or(0)]}),
        },
    }
}

/// Reads `{"symbol_path": [..]}`, `{"line": 42}`, `{"line": [10, 20]}`, `{"start_line", "end_line"}` (the end
/// excluded, 0 for the end of the file), or the scope in the string form of a locate.
fn scope_from(value: Value) -> Result<Option<Scope>, String> {
    let mut object = match from_string(value) {
        Value::Object(object) => object,
        Value::String(text) => {
            return locate::parse_scope(&text).map_err(|error| error.to_string());
        }
        other => return Err(format!("a scope is an object, not {other}")),
    };
    object.retain(|_, value| !value.is_null());
    let forms: [&[&str]; 3] = [&["symbol_path"], &["line"], &["start_line", "end_line"]];
    let form = forms.iter().find(|form| object.contains_key(form[0]));
    let is_other = |name: &&String| form.is_some_and(|form| !form.contains(&name.as_str()));
    if let Some(other) = object.keys().find(is_other) {
        return Err(format!(
            "a scope has no field {other} next to {}; it is {{\"symbol_path\": [..]}}, {{\"line\": 42}} or \
             {{\"line\": [10, 20]}}",
            form.map_or("", |form| form[0])
        ));
    }
    if let Some(path) = object.get("symbol_path") {
        return symbol_scope(path.clone()).map(Some);
    }
    if let Some(line) = object.get("line") {
        return line_scope(line).map(Some);
    }
    let lines = match (
        object.get("start_line").and_then(integer),
        object.get("end_line").map(integer),
    ) {
        (Some(first), None) => line_range(first, first),
        (Some(first), Some(Some(0))) => line_range(first, 0),
        (Some(first), Some(Some(end))) if end > first => line_range(first, end - 1),
        _ => Err(
            "a scope is {\"symbol_path\": [..]}, {\"line\": 42} or {\"line\": [10, 20]}"
                .to_string(),
        ),
    };
    lines.map(Some)
}

/// Reads a list of names, or the path in the string form of a locate.
fn symbol_scope(path: Value) -> Result<Scope, String> {
    let symbol_path = match from_string(path) {
        Value::Array(names) => {
            strings(names).map_err(|other| format!("symbol_path lists names, not {other}"))?
        }
        Value::String(text) => match locate::parse_scope(&text) {
            Ok(Some(scope @ Scope::Symbol(_))) => return Ok(scope),
            _ => vec![text],
        },
        other => return Err(format!("symbol_path is a list of names, not {other}")),
    };
    Ok(Scope::Symbol(SymbolScope { symbol_path }))
}

/// Reads a line, or the first and the last one.
fn line_scope(line: &Value) -> Result<Scope, String> {
    let (first, last) = match from_string(line.clone()) {
        Value::Array(pair) => match pair.iter().map(integer).collect::<Vec<_>>()[..] {
            [Some(one)] => (one, one),
            [Some(first), Some(last)] => (first, last),
            _ => return Err(format!("line is a number or a pair of numbers, not {line}")),
        },
        one => match integer(&one) {
            Some(0) => return Err("lines count from 1".to_string()),
            Some(one) => (one, one),
            None => return Err(format!("line is a number or a pair of numbers, not {line}")),
        },
    };
    line_range(first, last)
}

fn line_range(first: i64, last: i64) -> Result<Scope, String> {
    let (Ok(first), Ok(last)) = (usize::try_from(first), usize::try_from(last)) else {
        return Err("lines count from 1".to_string());
    };
    LineScope::range(first, last)
        .map(Scope::Lines)
        .map_err(|error| error.to_string())
}

/// Reads a whole number, also as a string.
pub(super) fn integer(value: &Value) -> Option<i64> {
    match value {
        Value::String(text) => text.trim().parse().ok(),
        other => other.as_i64().or_else(|| {
            let float = other.as_f64()?;
            (float.fract() == 0.0 && float.abs() < 1e15).then_some(float as i64)
        }),
    }
}

impl JsonSchema for SelectorArgument {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Selector".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let scope = scope_schema(generator);
        json_schema!({
            "type": ["object", "string"],
            "properties": {
                "anchor_text": {
                    "type": "string",
                    "description": "Exact text in the node, copied from the file."
                },
                "find": {
                    "type": "string",
                    "description": "Instead of anchor_text: white space between tokens may differ; `<|>` marks the token meant."
                },
                "ancestor_node_type": {
                    "type": "string",
                    "description": "Type of the node to take, at or around the anchor: a tree-sitter type (match_arm, pair) or a general word (function, class, argument, ...). Both together must name one node."
                },
                "scope": scope,
                "nth": {"type": "integer", "description": "Picks a candidate, from 1 in file order."},
                "outward": {"type": "integer", "description": "Takes the n-th node of the type further out."},
                "sibling": {"type": "integer", "description": "Takes the n-th sibling after; before, if negative."}
            },
            "required": ["ancestor_node_type"]
        })
    }
}

/// The selector of a tool that stands in the list beside `replace_node`, where its fields are
/// explained: the list is paid for by every conversation.
fn selector_in_short(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": ["object", "string"]})
}

/// A scope or a selector, whose fields are told beside `replace_node`.
fn object_in_short(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "object"})
}

/// Where a node goes that moves.
fn destination_in_short(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "object",
        "properties": {
            "file_path": {"type": "string"},
            "selector": {"type": ["object", "string"]},
            "position": {"enum": ["before", "after", "first_child", "last_child"]}
        },
        "required": ["selector", "position"]
    })
}

/// Several edits, whose fields are explained beside the tool of each operation.
fn edits_in_short(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "array",
        "items": {
            "type": "object",
            "properties": {
                "op": {"enum": ["replace", "replace_text", "insert", "delete", "wrap", "move"]},
                "file_path": {"type": "string"},
                "selector": {"type": ["object", "string"]},
                "position": {"type": "string"},
                "new_content": {"type": "string"},
                "to": {"type": "object"},
                "expect_matches": {
                    "type": "integer",
                    "description": "Edits all matches of the selector, which are so many."
                }
            }
        }
    })
}

/// The path of a search.
fn path_in_short(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "string"})
}

/// A list of names that are told beside `replace_node`.
fn names_in_short(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "array", "items": {"type": "string"}})
}

impl JsonSchema for LocateArgument {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Locate".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": ["string", "object"]})
    }
}

fn scope_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "object",
        "description": "Where to look: {\"symbol_path\": [\"Server\", \"handle\"]}, {\"line\": 42} or {\"line\": [10, 20]}."
    })
}
