//! Builds requests in a program: `new` takes the required fields, and methods set the optional ones.

use serde_json::json;

use crate::locate::{Locate, Question};
use crate::select::Selector;

use super::coordinates::PositionArgument;
use super::{
    Allow, AmendEdit, Amendment, ApplyEdit, BlankLinesArgument, DeleteNode, Destination,
    DiffArgument, DiscardEdit, EditNodes, FindNodes, ImportsArgument, IndentArgument, InsertNode,
    InsertPositionArgument, ListEdits, LocateArgument, LocatePlace, MoveNode, NodeEdit, Outline,
    PathsArgument, ReadNode, RebaseArgument, ReplaceNode, ReplaceText, RuleArgument, ScopeArgument,
    SelectorArgument, UndoEdit, WrapNode,
};

impl From<Selector> for SelectorArgument {
    fn from(selector: Selector) -> SelectorArgument {
        SelectorArgument(selector)
    }
}

impl From<&Selector> for SelectorArgument {
    fn from(selector: &Selector) -> SelectorArgument {
        SelectorArgument(selector.clone())
    }
}

impl From<Locate> for LocateArgument {
    fn from(locate: Locate) -> LocateArgument {
        LocateArgument(Question::from(locate))
    }
}

/// The options of requests that edit nodes or texts.
macro_rules! edit_options {
    ($($request:ty),+) => {$(
        impl $request {
            /// Writes the edit at once. By default, the edit is only previewed.
            pub fn at_once(mut self) -> Self {
                self.apply = true;
                self
            }

            /// Shows the whole diff even if the edit is written.
            pub fn with_diff(mut self) -> Self {
                self.diff = DiffArgument::Full;
                self
            }

            /// Changes the import statements with the edit.
            pub fn with_imports(mut self) -> Self {
                self.imports = ImportsArgument::Switch(true);
                self
            }

            /// Allows a check to fail. A failure becomes a note.
            pub fn allowing(mut self, check: Allow) -> Self {
                self.allow.push(check);
                self
            }
        }
    )+};
}

edit_options!(
    ReplaceNode,
    ReplaceText,
    InsertNode,
    DeleteNode,
    WrapNode,
    MoveNode,
    EditNodes
);

/// The option of requests whose content is indented.
macro_rules! indent_option {
    ($($request:ty),+) => {$(
        impl $request {
            /// Keeps the indentation of the content. By default, it is adjusted to the destination.
            pub fn verbatim(mut self) -> Self {
                self.indent = IndentArgument::Verbatim;
                self
            }
        }
    )+};
}

indent_option!(
    ReplaceNode,
    ReplaceText,
    InsertNode,
    WrapNode,
    MoveNode,
    EditNodes
);

impl DiscardEdit {
    /// Returns the request for the edit with the id.
    pub fn new(edit_id: impl Into<String>) -> DiscardEdit {
        DiscardEdit {
            edit_id: edit_id.into(),
            reason: None,
        }
    }

    /// Sets the reason, which later calls about the edit report.
    pub fn because(mut self, reason: impl Into<String>) -> DiscardEdit {
        self.reason = Some(reason.into());
        self
    }
}

impl ApplyEdit {
    /// Returns the request for the edit with the id.
    pub fn new(edit_id: impl Into<String>) -> ApplyEdit {
        ApplyEdit {
            edit_id: edit_id.into(),
            diff: DiffArgument::Auto,
            rebase: RebaseArgument::Ask,
        }
    }

    /// Shows the whole diff.
    pub fn with_diff(mut self) -> ApplyEdit {
        self.diff = DiffArgument::Full;
        self
    }

    /// Also writes the edit if its surroundings changed since the preview.
    pub fn rebasing(mut self) -> ApplyEdit {
        self.rebase = RebaseArgument::Auto;
        self
    }
}

impl UndoEdit {
    /// Returns the request for the edit with the id.
    pub fn new(edit_id: impl Into<String>) -> UndoEdit {
        UndoEdit {
            edit_id: edit_id.into(),
            preview: false,
            diff: DiffArgument::Auto,
        }
    }

    /// Shows the whole diff.
    pub fn with_diff(mut self) -> UndoEdit {
        self.diff = DiffArgument::Full;
        self
    }

    /// Shows the diff and writes nothing.
    pub fn previewed(mut self) -> UndoEdit {
        self.preview = true;
        self
    }
}

impl ReplaceNode {
    /// Returns the request to replace a node of a file.
    pub fn new(
        file_path: impl Into<String>,
        selector: impl Into<SelectorArgument>,
        new_content: impl Into<String>,
    ) -> ReplaceNode {
        ReplaceNode {
            file_path: file_path.into(),
            selector: selector.into(),
            new_content: new_content.into(),
            include_attached: false,
            indent: IndentArgument::Auto,
            imports: ImportsArgument::default(),
            allow: Vec::new(),
            apply: false,
            diff: DiffArgument::Auto,
        }
    }

    /// Also replaces the doc comments and attributes before the node.
    pub fn including_attached(mut self) -> ReplaceNode {
        self.include_attached = true;
        self
    }
}

impl ReplaceText {
    /// Returns the request to replace the only match of `find` in a file.
    pub fn new(
        file_path: impl Into<String>,
        find: impl Into<String>,
        new_content: impl Into<String>,
    ) -> ReplaceText {
        ReplaceText {
            file_path: file_path.into(),
            scope: ScopeArgument::default(),
            find: find.into(),
            new_content: new_content.into(),
            indent: IndentArgument::Auto,
            imports: ImportsArgument::default(),
            allow: Vec::new(),
            apply: false,
            diff: DiffArgument::Auto,
        }
    }
}

impl InsertNode {
    /// Returns the request to insert next to a node of a file, or inside its body.
    pub fn new(
        file_path: impl Into<String>,
        selector: impl Into<SelectorArgument>,
        position: InsertPositionArgument,
        new_content: impl Into<String>,
    ) -> InsertNode {
        InsertNode {
            file_path: file_path.into(),
            selector: selector.into(),
            position,
            new_content: new_content.into(),
            blank_lines: BlankLinesArgument::default(),
            create: None,
            indent: IndentArgument::Auto,
            imports: ImportsArgument::default(),
            allow: Vec::new(),
            apply: false,
            diff: DiffArgument::Auto,
        }
    }

    /// Creates the file with this first content, in which the selector selects.
    pub fn creating(mut self, first_content: impl Into<String>) -> InsertNode {
        self.create = Some(first_content.into());
        self
    }

    /// Sets the exact number of blank lines before and after the content.
    pub fn blank_lines(mut self, before: usize, after: usize) -> InsertNode {
        self.blank_lines = BlankLinesArgument {
            before: Some(before),
            after: Some(after),
        };
        self
    }
}

impl DeleteNode {
    /// Returns the request to delete a node of a file.
    pub fn new(file_path: impl Into<String>, selector: impl Into<SelectorArgument>) -> DeleteNode {
        DeleteNode {
            file_path: file_path.into(),
            selector: selector.into(),
            unused: false,
            imports: ImportsArgument::default(),
            allow: Vec::new(),
            apply: false,
            diff: DiffArgument::Auto,
        }
    }
}

impl DeleteNode {
    /// Refuses the deletion while something uses the node.
    pub fn if_unused(mut self) -> DeleteNode {
        self.unused = true;
        self
    }
}

impl WrapNode {
    /// Returns the request to wrap a node of a file in new content, which has `<|>` in place of the node.
    pub fn new(
        file_path: impl Into<String>,
        selector: impl Into<SelectorArgument>,
        new_content: impl Into<String>,
    ) -> WrapNode {
        WrapNode {
            file_path: file_path.into(),
            selector: selector.into(),
            new_content: new_content.into(),
            indent: IndentArgument::Auto,
            imports: ImportsArgument::default(),
            allow: Vec::new(),
            apply: false,
            diff: DiffArgument::Auto,
        }
    }
}

impl MoveNode {
    /// Returns the request to move a node of a file.
    pub fn new(
        file_path: impl Into<String>,
        selector: impl Into<SelectorArgument>,
        to: Destination,
    ) -> MoveNode {
        MoveNode {
            file_path: file_path.into(),
            selector: selector.into(),
            to,
            indent: IndentArgument::Auto,
            imports: ImportsArgument::default(),
            allow: Vec::new(),
            apply: false,
            diff: DiffArgument::Auto,
        }
    }
}

impl Destination {
    /// Returns a destination next to a node, or inside its body, in the file of the moved node.
    pub fn new(
        selector: impl Into<SelectorArgument>,
        position: InsertPositionArgument,
    ) -> Destination {
        Destination {
            file_path: None,
            selector: selector.into(),
            position,
            create: None,
        }
    }

    /// Creates the file of the destination with this first content, in which the selector selects.
    pub fn creating(mut self, first_content: impl Into<String>) -> Destination {
        self.create = Some(first_content.into());
        self
    }

    /// Returns the same destination in another file.
    pub fn in_file(mut self, file_path: impl Into<String>) -> Destination {
        self.file_path = Some(file_path.into());
        self
    }
}

impl EditNodes {
    /// Returns the request to make several edits: all or none.
    pub fn new(edits: Vec<NodeEdit>) -> EditNodes {
        EditNodes {
            file_path: None,
            edits,
            indent: IndentArgument::Auto,
            imports: ImportsArgument::default(),
            allow: Vec::new(),
            apply: false,
            diff: DiffArgument::Auto,
        }
    }
}

impl AmendEdit {
    /// Returns the request to change a kept edit that is the only one of its call.
    pub fn new(edit_id: impl Into<String>, amendment: Amendment) -> AmendEdit {
        AmendEdit {
            edit_id: edit_id.into(),
            amendment,
            edits: Vec::new(),
            skip: Vec::new(),
            only: Vec::new(),
            skip_failing: false,
            apply: None,
            diff: DiffArgument::Auto,
        }
    }

    /// Returns the request to change several edits of a kept call. Each amendment must have its `edit_index`.
    pub fn several(edit_id: impl Into<String>, edits: Vec<Amendment>) -> AmendEdit {
        AmendEdit {
            edits,
            ..AmendEdit::new(edit_id, Amendment::default())
        }
    }

    /// Returns the request to leave out the matches of a rewrite with these numbers, from 1.
    pub fn skipping(
        edit_id: impl Into<String>,
        numbers: impl IntoIterator<Item = usize>,
    ) -> AmendEdit {
        AmendEdit {
            skip: numbers.into_iter().collect(),
            ..AmendEdit::new(edit_id, Amendment::default())
        }
    }

    /// Writes the edit at once. By default, the edit is only previewed.
    pub fn at_once(mut self) -> AmendEdit {
        self.apply = Some(true);
        self
    }
}

impl Amendment {
    /// Returns an amendment of the edit with this index among several, from 0.
    pub fn of_edit(index: usize) -> Amendment {
        Amendment {
            edit_index: Some(index),
            ..Amendment::default()
        }
    }

    /// Selects another node or text.
    pub fn selector(mut self, selector: impl Into<SelectorArgument>) -> Amendment {
        self.selector = Some(json!(selector.into()));
        self
    }

    /// Replaces the content.
    pub fn new_content(mut self, new_content: impl Into<String>) -> Amendment {
        self.new_content = Some(new_content.into());
        self
    }

    /// Replaces the checks that are allowed to fail.
    pub fn allowing(mut self, checks: impl IntoIterator<Item = Allow>) -> Amendment {
        self.allow = Some(checks.into_iter().collect());
        self
    }
}

impl ReadNode {
    /// Returns the request to read a node of a file.
    pub fn new(file_path: impl Into<String>, selector: impl Into<SelectorArgument>) -> ReadNode {
        ReadNode {
            file_path: Some(file_path.into()),
            selector: Some(selector.into()),
            lines: ScopeArgument::default(),
            locate: None,
            max_bytes: None,
        }
    }

    /// Returns the request to read the smallest node at a place.
    pub fn at(locate: impl Into<LocateArgument>) -> ReadNode {
        ReadNode {
            file_path: None,
            selector: None,
            lines: ScopeArgument::default(),
            locate: Some(locate.into()),
            max_bytes: None,
        }
    }
}

impl LocatePlace {
    /// Returns the request to locate the place of a locator.
    pub fn new(locate: impl Into<LocateArgument>) -> LocatePlace {
        LocatePlace {
            locate: Some(locate.into()),
            ..LocatePlace::default()
        }
    }

    /// Returns the request for the locator and the selector of a position.
    pub fn at(position: PositionArgument) -> LocatePlace {
        LocatePlace {
            position: Some(position),
            ..LocatePlace::default()
        }
    }
}

impl Outline {
    /// Returns the request to list the symbols of a file, a directory or a glob.
    pub fn new(path: impl Into<PathsArgument>) -> Outline {
        Outline {
            path: path.into(),
            depth: None,
            kinds: Vec::new(),
            max_items: None,
            cursor: None,
            rank: false,
            max_bytes: None,
        }
    }

    /// Lists the most referenced symbols first.
    pub fn rank(mut self) -> Outline {
        self.rank = true;
        self
    }
}

impl ListEdits {
    /// Returns the request to show one edit with its diff.
    pub fn one(edit_id: impl Into<String>) -> ListEdits {
        ListEdits {
            edit_id: Some(edit_id.into()),
        }
    }
}

impl FindNodes {
    /// Returns the request to search a file, a directory or a glob. Also set a text, a pattern, a name, a query or a
    /// node type.
    pub fn new(path: impl Into<PathsArgument>) -> FindNodes {
        FindNodes {
            path: path.into(),
            ..FindNodes::default()
        }
    }
}

/// Methods that set an optional field each.
macro_rules! options {
    ($request:ty { $($(#[$doc:meta])* $field:ident: $type:ty),+ $(,)? }) => {
        impl $request {
            $(
                $(#[$doc])*
                pub fn $field(mut self, $field: impl Into<$type>) -> Self {
                    self.$field = Some($field.into());
                    self
                }
            )+
        }
    };
}

options!(FindNodes {
    /// Searches for exact text.
    text: String,
    /// Searches for a pattern; `^` and `$` match at line ends.
    regex: String,
    /// Searches for nodes of a type or general word or, with another criterion, the enclosing node of that type.
    node_type: String,
    /// Searches for symbols by name; `*` matches any text.
    name: String,
    /// Searches with a tree-sitter query; its first capture is the match.
    query: String,
    /// Searches with rules of ast-grep.
    rule: RuleArgument,
    /// Sets the number of matches on a page.
    max_items: usize,
    /// Continues after a previous page.
    cursor: String,
});

options!(Outline {
    /// Sets the number of symbol levels, from 1.
    depth: usize,
    /// Sets the number of symbols on a page.
    max_items: usize,
    /// Sets the maximum length of the answer's text, in bytes.
    max_bytes: usize,
    /// Continues after a previous page.
    cursor: String,
});
