//! The edits of a request, from the tools that make a single edit and from `edit_nodes`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::diagnostic::{self, Diagnostic};
use crate::edit::{self, InsertPosition, Operation};
use crate::locate;
use crate::select::{Anchor, Selector};
use crate::validate::Check;
use crate::workspace::has_wildcard;

use super::{
    BlankLinesArgument, Destination, DiffArgument, EditNodes, ImportsArgument, IndentArgument,
    InsertPositionArgument, PathsArgument, SelectorArgument, access::CallAccess, is_false,
};

/// The maximum number of edits in one call.
pub const EDITS_LIMIT: usize = 1_000;

/// One of several edits.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct NodeEdit {
    /// The file, relative to the workspace, or several: a list or a glob; if empty, that of the request, else
    /// that of the previous edit.
    #[serde(
        default = "PathsArgument::none",
        skip_serializing_if = "PathsArgument::is_none"
    )]
    pub file_path: PathsArgument,
    /// Which node, as in replace_node; for replace_text its `find` and `scope`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selector: Option<SelectorArgument>,
    /// Instead of `selector`: several nodes, each of which is edited in the same way.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub selectors: Vec<SelectorArgument>,
    /// The operation on the node.
    #[serde(flatten)]
    pub operation: NodeOperation,
    /// How to indent the content; default: the `indent` of the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub indent: Option<IndentArgument>,
    /// The number of nodes that the selectors match in all files; all of them are edited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expect_matches: Option<usize>,
}

/// The operation of one of several edits. The field `op` contains its name.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(tag = "op", rename_all = "snake_case")]
#[non_exhaustive]
pub enum NodeOperation {
    /// Like replace_node.
    Replace {
        /// The whole new text of the node.
        new_content: String,
        /// true: doc comments and attributes before the node are replaced too.
        #[serde(default, skip_serializing_if = "is_false")]
        include_attached: bool,
    },
    /// Like replace_text.
    ReplaceText {
        /// The new text; may be empty.
        new_content: String,
    },
    /// Like insert_node.
    Insert {
        /// Before or after the node, or first or last inside its body.
        position: InsertPositionArgument,
        /// The inserted text.
        new_content: String,
        /// The exact numbers of blank lines.
        #[serde(default, skip_serializing_if = "BlankLinesArgument::is_empty")]
        blank_lines: BlankLinesArgument,
        /// The first content of the file, if it does not exist.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        create: Option<String>,
    },
    /// Like delete_node.
    Delete {
        /// As in delete_node.
        #[serde(default, skip_serializing_if = "is_false")]
        unused: bool,
    },
    /// Like wrap_node.
    Wrap {
        /// The text that encloses the node, with `<|>` in its place.
        new_content: String,
    },
    /// Like move_node.
    Move {
        /// The destination.
        to: Destination,
    },
    /// Creates a file. It must not exist.
    CreateFile {
        /// All bytes of the file; may be empty.
        new_content: String,
    },
    /// Deletes a file.
    DeleteFile,
    /// Moves or renames a file.
    MoveFile {
        /// The new path, which must be free.
        to: String,
    },
    /// Adds the import statements that the code of a file needs, and removes those that nothing uses.
    OrganizeFile,
}

/// One edit of a request whose arguments were checked.
#[derive(Clone, Debug)]
pub(in crate::engine) struct RequestedEdit {
    /// Its index among several edits, from 0; `None` for a tool that makes a single edit.
    pub(in crate::engine) index: Option<usize>,
    /// The files and globs.
    pub(in crate::engine) paths: Vec<String>,
    /// Each selects in each file.
    pub(in crate::engine) selectors: Vec<Selector>,
    pub(in crate::engine) kind: EditKind,
    /// The number of matches in all files that the caller expects; `None` means exactly one of each selector in each
    /// file.
    pub(in crate::engine) expected: Option<usize>,
    /// The first content of the file that text is inserted into, if the edit creates it.
    pub(in crate::engine) create: Option<String>,
    /// Whether something that uses the node refuses the edit.
    pub(in crate::engine) unused: bool,
}

/// The operation on the selected node or text.
#[derive(Clone, Debug)]
pub(in crate::engine) enum EditKind {
    Edit(Operation),
    Move(MoveTarget),
    File(FileOperation),
}

/// The operation on a whole file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::engine) enum FileOperation {
    Create {
        content: String,
    },
    Delete,
    /// `to` is the new path.
    Move {
        to: String,
    },
    /// Of the import statements; `file_path` may be several.
    Organize,
}

/// Where a moved node is inserted.
#[derive(Clone, Debug)]
pub(in crate::engine) struct MoveTarget {
    /// Its file; `None` means that of the moved node.
    pub(in crate::engine) file_path: Option<String>,
    pub(in crate::engine) selector: Selector,
    pub(in crate::engine) position: InsertPosition,
    pub(in crate::engine) indent: edit::Indent,
}

/// Makes the content of each created file the text from which the other edits of that file start.
fn share_creations<'e>(edits: impl Iterator<Item = &'e mut RequestedEdit>) {
    let mut edits: Vec<&mut RequestedEdit> = edits.collect();
    let created = edits
        .iter()
        .enumerate()
        .filter_map(|(index, edit)| match &edit.kind {
            EditKind::File(FileOperation::Create { content }) => {
                Some((index, edit.only_path()?.to_string(), content.clone()))
            }
            _ => None,
        });
    for (index, path, content) in created.collect::<Vec<_>>() {
        let is_in_it = |edit: &RequestedEdit| {
            let target = edit.destination_path().or(edit.only_file());
            edit.file_operation().is_none() && target == Some(&*path)
        };
        let mut is_shared = false;
        for edit in edits.iter_mut().filter(|edit| is_in_it(edit)) {
            edit.create = Some(content.clone());
            is_shared = true;
        }
        if is_shared {
            edits[index].create = Some(content);
        }
    }
}

impl RequestedEdit {
    /// Returns whether the edit creates a file that other edits of the call change.
    pub(in crate::engine) fn is_start_of_others(&self) -> bool {
        self.file_operation().is_some() && self.create.is_some()
    }

    /// Returns whether the edit is one of the import statements.
    pub(in crate::engine) fn organizes(&self) -> bool {
        self.file_operation() == Some(&FileOperation::Organize)
    }

    /// Returns the path of the only file, unless it may be a glob.
    pub(in crate::engine) fn only_file(&self) -> Option<&str> {
        let is_path = self.file_operation().is_some() && !self.organizes();
        match self.paths.as_slice() {
            [path] if is_path || !has_wildcard(path) => Some(path),
            _ => None,
        }
    }

    /// Returns the operation, if the edit is one of a whole file.
    pub(in crate::engine) fn file_operation(&self) -> Option<&FileOperation> {
        match &self.kind {
            EditKind::File(operation) => Some(operation),
            EditKind::Edit(_) | EditKind::Move(_) => None,
        }
    }

    /// Returns the first content of the file with this path, if the edit may create it with one.
    pub(in crate::engine) fn first_content(&self, path: &str) -> Option<&str> {
        let target = self.destination_path().or(self.only_path());
        self.create.as_deref().filter(|_| target == Some(path))
    }

    fn only_path(&self) -> Option<&str> {
        match self.paths.as_slice() {
            [path] => Some(path),
            _ => None,
        }
    }

    /// Returns the file of the destination, if the edit moves a node to a file that it names, or moves a file.
    pub(in crate::engine) fn destination_path(&self) -> Option<&str> {
        match &self.kind {
            EditKind::Move(destination) => destination.file_path.as_deref(),
            EditKind::File(FileOperation::Move { to }) => Some(to),
            EditKind::Edit(_) | EditKind::File(_) => None,
        }
    }
}

/// The edits of a call that could be read.
#[derive(Clone, Debug)]
pub(in crate::engine) struct EditRequest {
    /// Whether the call is one of a tool that makes a single edit.
    is_single: bool,
    request: EditNodes,
}

impl EditRequest {
    pub(super) fn new(mut request: EditNodes, is_single: bool) -> EditRequest {
        let shared = request.file_path.clone();
        for edit in &mut request.edits {
            if edit.file_path.is_none() {
                let path = shared.clone();
                edit.file_path = path.unwrap_or_else(|| PathsArgument::from(""));
            }
        }
        EditRequest { is_single, request }
    }

    /// Returns which diff the answer shows.
    pub(in crate::engine) fn diff(&self) -> DiffArgument {
        self.request.diff
    }

    /// Returns the files that the edits read, and write if `writes` is set.
    pub(super) fn access(&self, writes: bool) -> CallAccess {
        let checks_uses =
            |edit: &NodeEdit| matches!(edit.operation, NodeOperation::Delete { unused: true });
        if self.changes_imports() || self.edits().iter().any(checks_uses) {
            return CallAccess::Everything { writes };
        }
        let paths = self.edits().iter().flat_map(|edit| {
            let to = edit.operation.other_path();
            edit.file_path.0.iter().map(String::as_str).chain(to)
        });
        CallAccess::Files {
            paths: paths.map(str::to_string).collect(),
            writes,
        }
    }

    fn edits(&self) -> &[NodeEdit] {
        &self.request.edits
    }

    /// Returns whether import statements follow the edits, or are what an edit changes.
    pub(in crate::engine) fn changes_imports(&self) -> bool {
        !self.imports().is_off() || self.edits().iter().any(NodeEdit::organizes)
    }

    /// Returns whether all edits are those of import statements.
    pub(in crate::engine) fn only_organizes(&self) -> bool {
        self.edits().iter().all(NodeEdit::organizes)
    }

    /// Returns whether the edits are all places of a kind: all matches of a selector, or all uses whose import statements
    /// follow.
    pub(in crate::engine) fn is_of_all_matches(&self) -> bool {
        let mut edits = self.edits().iter();
        self.changes_imports() || edits.any(|edit| edit.expect_matches.is_some())
    }

    /// Returns which import statements follow the edits.
    pub(in crate::engine) fn imports(&self) -> &ImportsArgument {
        &self.request.imports
    }

    /// Returns the only path of each edit's nodes, or `None` if the edit names several, or creates the file.
    pub(in crate::engine) fn edited_paths(&self) -> impl Iterator<Item = Option<&str>> {
        self.edits().iter().map(|edit| match &edit.operation {
            NodeOperation::CreateFile { .. }
            | NodeOperation::Insert {
                create: Some(_), ..
            } => None,
            _ => edit.file_path.only(),
        })
    }

    /// Returns whether an edit names several files, or a path that may be a glob.
    pub(in crate::engine) fn names_several_files(&self) -> bool {
        let is_one = |edit: &NodeEdit| {
            let is_path = edit.operation.is_of_one_file();
            let path = edit.file_path.only();
            is_path || path.is_some_and(|path| !has_wildcard(path))
        };
        !self.edits().iter().all(is_one)
    }

    /// Returns the checks that are allowed to fail.
    pub(in crate::engine) fn allowed(&self) -> Vec<Check> {
        let allow = self.request.allow.iter();
        allow.map(|allow| (*allow).into()).collect()
    }

    /// Returns the edits, at least one, each checked.
    ///
    /// # Errors
    /// There are no edits or too many.
    pub(in crate::engine) fn checked_edits(
        &self,
    ) -> Result<Vec<Result<RequestedEdit, Diagnostic>>, Diagnostic> {
        let count = self.edits().len();
        if count == 0 {
            return Err(diagnostic::about_arguments("edits is empty"));
        }
        if count > EDITS_LIMIT {
            let message =
                format!("{count} edits exceed the limit of {EDITS_LIMIT}; use several calls");
            return Err(diagnostic::about_arguments(message));
        }
        let edits = self.edits().iter().enumerate();
        let checked = edits.map(|(number, edit)| {
            let index = (!self.is_single).then_some(number);
            edit.checked(index, self.request.indent)
                .map_err(|wrong| match index {
                    Some(index) => diagnostic::about_arguments(wrong).of_edit(index),
                    None => diagnostic::about_arguments(wrong),
                })
        });
        let mut checked: Vec<Result<RequestedEdit, Diagnostic>> = checked.collect();
        share_creations(checked.iter_mut().flatten());
        Ok(checked)
    }

    /// Returns the edits if all are valid.
    ///
    /// # Errors
    /// As [`EditRequest::checked_edits`], or the arguments of an edit are invalid.
    pub(in crate::engine) fn requested_edits(&self) -> Result<Vec<RequestedEdit>, Diagnostic> {
        self.checked_edits()?.into_iter().collect()
    }
}

impl NodeOperation {
    /// Returns the tool that makes this edit as a single edit.
    fn tool(&self) -> &'static str {
        match self {
            NodeOperation::Replace { .. } => "replace_node",
            NodeOperation::ReplaceText { .. } => "replace_text",
            NodeOperation::Insert { .. } => "insert_node",
            NodeOperation::Delete { .. } => "delete_node",
            NodeOperation::Wrap { .. } => "wrap_node",
            NodeOperation::Move { .. } => "move_node",
            NodeOperation::CreateFile { .. } => "create_file",
            NodeOperation::DeleteFile => "delete_file",
            NodeOperation::MoveFile { .. } => "move_file",
            NodeOperation::OrganizeFile => "organize_file",
        }
    }

    /// Returns whether the operation is one of a whole file.
    fn is_of_file(&self) -> bool {
        self.is_of_one_file() || matches!(self, NodeOperation::OrganizeFile)
    }

    /// Returns whether the operation is one of a whole file whose path is no glob.
    fn is_of_one_file(&self) -> bool {
        matches!(
            self,
            NodeOperation::CreateFile { .. }
                | NodeOperation::DeleteFile
                | NodeOperation::MoveFile { .. }
        )
    }

    /// Returns the path of the file that a node is moved to, or the new path of a file.
    fn other_path(&self) -> Option<&str> {
        match self {
            NodeOperation::Move { to } => to.file_path.as_deref(),
            NodeOperation::MoveFile { to } => Some(to),
            _ => None,
        }
    }

    /// Returns the destination of a move.
    fn destination(&self) -> Option<&Destination> {
        match self {
            NodeOperation::Move { to } => Some(to),
            _ => None,
        }
    }
}

impl NodeEdit {
    /// Returns an edit of one node.
    pub fn new(file_path: &str, selector: &SelectorArgument, operation: NodeOperation) -> NodeEdit {
        NodeEdit {
            file_path: PathsArgument::from(file_path),
            selector: Some(selector.clone()),
            selectors: Vec::new(),
            operation,
            indent: None,
            expect_matches: None,
        }
    }

    /// Returns an operation on a whole file.
    pub fn of_file(file_path: &str, operation: NodeOperation) -> NodeEdit {
        NodeEdit {
            file_path: PathsArgument::from(file_path),
            selector: None,
            selectors: Vec::new(),
            operation,
            indent: None,
            expect_matches: None,
        }
    }

    /// Makes the edit in each of these files, or in each file that a glob matches and that has the node.
    pub fn in_files(mut self, paths: impl IntoIterator<Item = impl Into<String>>) -> NodeEdit {
        self.file_path = PathsArgument(paths.into_iter().map(Into::into).collect());
        self
    }

    /// Edits each of these nodes.
    pub fn of_nodes(
        mut self,
        selectors: impl IntoIterator<Item = impl Into<SelectorArgument>>,
    ) -> NodeEdit {
        self.selector = None;
        self.selectors = selectors.into_iter().map(Into::into).collect();
        self
    }

    /// Edits all matches in all files, which must be this many.
    pub fn expecting(mut self, matches: usize) -> NodeEdit {
        self.expect_matches = Some(matches);
        self
    }

    /// Keeps the indentation of the content. By default, the request determines it.
    pub fn verbatim(mut self) -> NodeEdit {
        self.indent = Some(IndentArgument::Verbatim);
        self
    }

    fn organizes(&self) -> bool {
        matches!(self.operation, NodeOperation::OrganizeFile)
    }

    /// Checks the selectors and the number of matches. `indent` applies if the edit does not have its own.
    fn checked(
        &self,
        index: Option<usize>,
        indent: IndentArgument,
    ) -> Result<RequestedEdit, String> {
        if self.operation.is_of_file() {
            return self.checked_file(index);
        }
        let is_move = self.operation.destination().is_some();
        let given: Vec<&Selector> = match (&self.selector, self.selectors.as_slice()) {
            (Some(_), [_, ..]) => {
                return Err("an edit has selector or selectors, not both".to_string());
            }
            (one, several) => one.iter().chain(several).map(|one| &one.0).collect(),
        };
        if given.is_empty() {
            return Err("selectors is an empty list".to_string());
        }
        if given.len() > EDITS_LIMIT {
            let count = given.len();
            return Err(format!(
                "{count} selectors exceed the limit of {EDITS_LIMIT}"
            ));
        }
        let picks_one = |one: &&Selector| one.nth.is_some() || one.outward != 0 || one.sibling != 0;
        match self.expect_matches {
            Some(0) => return Err("expect_matches counts from 1".to_string()),
            Some(_) if is_move => {
                return Err("move takes no expect_matches".to_string());
            }
            Some(_) if given.iter().any(picks_one) => {
                let wrong = "expect_matches edits all matches, so the selector cannot have nth, \
                             outward or sibling";
                return Err(wrong.to_string());
            }
            _ => {}
        }
        let selectors = given.into_iter().map(|selector| match self.operation {
            NodeOperation::ReplaceText { .. } => part_selector(selector),
            _ => Ok(selector.clone()),
        });
        Ok(RequestedEdit {
            index,
            paths: self.file_path.0.clone(),
            selectors: selectors.collect::<Result<_, _>>()?,
            kind: self.kind(self.indent.unwrap_or(indent).into())?,
            expected: self.expect_matches,
            create: self.create()?,
            unused: matches!(self.operation, NodeOperation::Delete { unused: true }),
        })
    }

    /// Checks an operation on a whole file.
    fn checked_file(&self, index: Option<usize>) -> Result<RequestedEdit, String> {
        let op = self.operation.tool();
        let given = [
            ("selector", self.selector.is_some()),
            ("selectors", !self.selectors.is_empty()),
            ("expect_matches", self.expect_matches.is_some()),
            ("indent", self.indent.is_some()),
        ];
        if let Some((name, _)) = given.into_iter().find(|(_, is_given)| *is_given) {
            return Err(format!("{op} takes no {name}"));
        }
        if self.operation.is_of_one_file() && self.file_path.only().is_none() {
            return Err(format!("{op} takes one file_path"));
        }
        let operation = match &self.operation {
            NodeOperation::OrganizeFile => FileOperation::Organize,
            NodeOperation::CreateFile { new_content } => FileOperation::Create {
                content: new_content.clone(),
            },
            NodeOperation::MoveFile { to } => FileOperation::Move { to: to.clone() },
            _ => FileOperation::Delete,
        };
        Ok(RequestedEdit {
            index,
            paths: self.file_path.0.clone(),
            selectors: Vec::new(),
            kind: EditKind::File(operation),
            expected: None,
            create: None,
            unused: false,
        })
    }

    /// Returns the first content of the file, if the edit creates it.
    fn create(&self) -> Result<Option<String>, String> {
        let (create, path) = match &self.operation {
            NodeOperation::Insert { create, .. } => (create, self.file_path.only()),
            NodeOperation::Move { to } => (&to.create, to.file_path.as_deref()),
            _ => return Ok(None),
        };
        match (create, path) {
            (Some(_), None) => Err("create needs the path of one file".to_string()),
            (create, _) => Ok(create.clone()),
        }
    }

    /// Returns the operation, with its numbers checked.
    fn kind(&self, indent: edit::Indent) -> Result<EditKind, String> {
        Ok(EditKind::Edit(match &self.operation {
            NodeOperation::Replace {
                new_content,
                include_attached,
            } => Operation::Replace {
                new_content: new_content.clone(),
                indent,
                include_attached: *include_attached,
            },
            NodeOperation::ReplaceText { new_content } => Operation::ReplaceText {
                new_content: new_content.clone(),
                indent,
            },
            NodeOperation::Insert {
                position,
                new_content,
                blank_lines,
                create: _,
            } => Operation::Insert {
                position: (*position).into(),
                new_content: new_content.clone(),
                indent,
                blank_lines: blank_lines.checked()?,
            },
            NodeOperation::Delete { .. } => Operation::Delete,
            NodeOperation::Wrap { new_content } => Operation::Wrap {
                new_content: new_content.clone(),
                indent,
            },
            NodeOperation::CreateFile { .. }
            | NodeOperation::DeleteFile
            | NodeOperation::MoveFile { .. }
            | NodeOperation::OrganizeFile => {
                return Err(format!("{} takes no selector", self.operation.tool()));
            }
            NodeOperation::Move { to } => {
                return Ok(EditKind::Move(MoveTarget {
                    file_path: to.file_path.clone(),
                    selector: to.selector.0.clone(),
                    position: to.position.into(),
                    indent,
                }));
            }
        }))
    }
}

/// Returns the selector of a text to replace: its anchor is the text. Refuses fields that only select nodes.
pub(in crate::engine::request) fn part_selector(selector: &Selector) -> Result<Selector, String> {
    if selector.anchor == Anchor::Symbol {
        return Err(
            "replace_text needs find, the text to replace; replace replaces a symbol".to_string(),
        );
    }
    if matches!(selector.anchor, Anchor::Pattern(_)) {
        let wrong = "replace_text takes find, not pattern; replace replaces the node that a pattern matches";
        return Err(wrong.to_string());
    }
    let mut selector = selector.clone();
    if let (Anchor::Any(_), [scope], None) = (
        &selector.anchor,
        &*selector.ancestor_node_type,
        &selector.scope,
    ) {
        // A text has no type: what a place has before the `@` is the scope.
        selector.scope = locate::parse_scope(scope).map_err(|error| error.to_string())?;
        selector.ancestor_node_type.clear();
    }
    let has_type = !selector.ancestor_node_type.is_empty();
    if has_type || selector.outward != 0 || selector.sibling != 0 {
        let wrong = "replace_text replaces the text that find matches, not an enclosing node: its only \
                     selector fields are find and scope";
        return Err(wrong.to_string());
    }
    Ok(Selector {
        anchor: Anchor::Part(selector.anchor.as_str().to_string()),
        ..selector
    })
}
