//! A node of a syntax tree, or a line or paragraph of a text without one.
//!
//! Facts from the query files of a language are looked up here, so that callers need not know which tree a node is in.

use std::borrow::Cow;
use std::sync::LazyLock;

use crate::language::queries::{AttachedKind, Body, List, Mark, NO_TEXT, Protection, Tables, Tag};
use crate::language::{Language, TEXT_NODE_TYPES};
use crate::source::Span;
use crate::steps;

use super::injection::SyntaxTree;
use super::text::{TextNodeId, TextTree};

/// A node of a syntax tree, of a tree inside one, or of a plain text.
#[derive(Clone, Copy)]
pub struct Node<'p>(pub(super) At<'p>);

/// The tree of a node, and its position there.
#[derive(Clone, Copy)]
pub(super) enum At<'p> {
    Syntax(tree_sitter::Node<'p>, &'p SyntaxTree),
    Text(TextNodeId, &'p TextTree),
}

use At::{Syntax, Text};

impl<'p> Node<'p> {
    /// Returns the node type, as the grammar names it.
    pub fn kind(self) -> &'p str {
        match self.0 {
            Syntax(raw, _) => raw.kind(),
            Text(id, _) => TEXT_NODE_TYPES[id.level],
        }
    }

    /// Returns the number of its type in its grammar.
    pub(crate) fn kind_id(self) -> u16 {
        match self.0 {
            Syntax(raw, _) => raw.kind_id(),
            Text(id, _) => id.level as u16,
        }
    }

    /// Returns all bytes of the node; some grammars let it end with whitespace. Comments after it are not included,
    /// even if the grammar includes them.
    pub fn span(self) -> Span {
        match self.0 {
            Syntax(raw, tree) => match tree.moved_nodes() {
                Some(moved_nodes) => moved_nodes.span(raw),
                None => raw.byte_range().into(),
            },
            Text(id, text) => text.span(id),
        }
    }

    /// Returns where the grammar starts the node; [`Node::span`] may start earlier, at comments that belong to it.
    pub(crate) fn first_token_start(self) -> usize {
        let raw = self.raw();
        raw.map_or(self.span().start(), |raw| raw.start_byte())
    }

    /// Returns whether it is a named node of the grammar, not a keyword or a sign.
    pub fn is_named(self) -> bool {
        self.syntax().is_none_or(|(raw, _)| raw.is_named())
    }

    /// Returns whether the parser skipped it.
    pub fn is_error(self) -> bool {
        self.syntax().is_some_and(|(raw, _)| raw.is_error())
    }

    /// Returns whether it contains a [`SyntaxProblem`](super::SyntaxProblem).
    pub fn has_error(self) -> bool {
        self.syntax().is_some_and(|(raw, _)| raw.has_error())
    }

    /// Returns the problems of its tree.
    pub(super) fn problems_of_tree(self) -> Vec<super::SyntaxProblem> {
        let tree = self
            .syntax()
            .map(|(_, tree)| super::problems(tree, &|_| false));
        tree.unwrap_or_default()
    }

    /// Returns whether the parser added it because it was missing.
    pub(crate) fn is_missing(self) -> bool {
        self.syntax().is_some_and(|(raw, _)| raw.is_missing())
    }

    /// Returns whether the grammar allows it anywhere, like a comment.
    pub(crate) fn is_extra(self) -> bool {
        self.syntax().is_some_and(|(raw, _)| raw.is_extra())
    }

    /// Returns whether it has no children in its own tree. In a language with a mask, only named children count: the others
    /// may be masked.
    pub(crate) fn is_leaf(self) -> bool {
        self.syntax()
            .is_some_and(|(raw, tree)| match tree.language.mask() {
                Some(_) => raw.named_child_count() == 0,
                None => raw.child_count() == 0,
            })
    }

    /// Returns whether a tree of another language, or of its tokens, is inside it.
    pub(crate) fn is_host(self) -> bool {
        self.syntax()
            .is_some_and(|(raw, tree)| tree.tree_inside(raw).is_some())
    }

    /// Returns whether the tree may lack it because its text is masked.
    pub(crate) fn is_maskable(self) -> bool {
        !self.is_named() && self.language().mask().is_some()
    }

    /// Returns whether both nodes have the same type in the same language, or types of the same name.
    pub(crate) fn is_of_type_of(self, other: Node<'_>) -> bool {
        let is_same_id = || self.kind_id() == other.kind_id();
        std::ptr::eq(self.language(), other.language()) && is_same_id()
            || self.kind() == other.kind() && self.is_named() == other.is_named()
    }

    /// Returns a key that no other node of the file has.
    pub(crate) fn identity(self) -> (usize, usize) {
        match self.0 {
            Syntax(raw, _) => (raw.id(), raw.start_byte()),
            Text(id, text) => (id.level, text.span(id).start()),
        }
    }

    /// Returns whether both are the same node, which the parser reused from an older tree with all its descendants.
    pub(crate) fn is_reused_from(self, old: Node<'_>) -> bool {
        match (self.raw(), old.raw()) {
            (Some(own), Some(old)) => own.id() == old.id(),
            _ => false,
        }
    }

    /// Returns whether it has the descendants of a node of the same text in an older tree: the parser reused that one, or
    /// began both in the same state and found as many descendants.
    pub(crate) fn is_parsed_as(self, old: Node<'_>) -> bool {
        let facts =
            |raw: tree_sitter::Node<'_>| (raw.kind_id(), raw.parse_state(), raw.descendant_count());
        match (self.raw(), old.raw()) {
            (Some(own), Some(old)) => own.id() == old.id() || facts(own) == facts(old),
            _ => false,
        }
    }

    /// Returns the node of the tree-sitter library, if it has one. Its children and its parent are in the same tree;
    /// trees inside it are not included.
    pub(crate) fn raw(self) -> Option<tree_sitter::Node<'p>> {
        self.syntax().map(|(raw, _)| raw)
    }

    /// Returns the tree of the tree-sitter library that contains the node, if it has one.
    #[cfg(feature = "rules")]
    pub(crate) fn tree(self) -> Option<&'p tree_sitter::Tree> {
        self.syntax().map(|(_, tree)| &tree.tree)
    }

    /// Returns another node of the same tree, given as a node of the tree-sitter library.
    pub(crate) fn in_same_tree(self, raw: tree_sitter::Node<'p>) -> Node<'p> {
        self.syntax()
            .map_or(self, |(_, tree)| Node(Syntax(raw, tree)))
    }

    /// Returns the parts of `span` that belong to its own tree: the host of the tree may have children that do not.
    pub(crate) fn own_parts(self, span: Span) -> Vec<Span> {
        let Some((_, tree)) = self.syntax() else {
            return vec![span];
        };
        let ranges = tree.tree.included_ranges().into_iter();
        let parts = ranges.map(|range| {
            let (start, end) = (
                range.start_byte.max(span.start()),
                range.end_byte.min(span.end()),
            );
            Span::new(start.min(end), end)
        });
        parts.filter(|part| !part.is_empty()).collect()
    }

    /// Returns its children in its own tree; trees inside it are not included.
    pub(crate) fn own_children(self) -> Vec<Node<'p>> {
        self.first_children(usize::MAX)
    }

    /// Returns at most the first `most` of its children in its own tree.
    pub(crate) fn first_children(self, most: usize) -> Vec<Node<'p>> {
        self.first_children_that(most, |_| true)
    }

    /// Returns at most the first `most` of its children in its own tree that have the type of `like`.
    pub(crate) fn first_children_like(self, like: Node<'_>, most: usize) -> Vec<Node<'p>> {
        self.first_children_that(most, |child| child.is_of_type_of(like))
    }

    fn first_children_that(
        self,
        most: usize,
        is_wanted: impl Fn(&Node<'_>) -> bool,
    ) -> Vec<Node<'p>> {
        match self.0 {
            Syntax(raw, tree) => {
                let mut cursor = raw.walk();
                let children = raw.children(&mut cursor).inspect(|_| steps::count(1));
                let children = children.map(|child| Node(Syntax(child, tree)));
                children.filter(is_wanted).take(most).collect()
            }
            Text(id, text) => {
                let children = text.children(id);
                let children = children.map(|child| Node(Text(child, text)));
                children.filter(is_wanted).take(most).collect()
            }
        }
    }

    /// Returns whether one of its children in its own tree is wanted.
    pub(crate) fn has_own_child(self, is_wanted: fn(Node<'_>) -> bool) -> bool {
        !self
            .first_children_that(1, |child| is_wanted(*child))
            .is_empty()
    }

    /// Returns the first of its children in its own tree.
    pub(crate) fn first_child(self) -> Option<Node<'p>> {
        match self.0 {
            Syntax(raw, tree) => raw.child(0).map(|child| Node(Syntax(child, tree))),
            Text(..) => self.own_children().first().copied(),
        }
    }

    /// Returns the last of its children in its own tree.
    pub(crate) fn last_child(self) -> Option<Node<'p>> {
        match self.0 {
            Syntax(raw, tree) => {
                let last = raw.child_count().checked_sub(1)?;
                raw.child(last).map(|child| Node(Syntax(child, tree)))
            }
            Text(..) => self.own_children().last().copied(),
        }
    }

    /// Returns the number of its children in its own tree.
    pub(crate) fn child_count(self) -> usize {
        match self.0 {
            Syntax(raw, _) => raw.child_count() as usize,
            Text(id, text) => text.children(id).count(),
        }
    }

    /// Returns whether both nodes are in the same tree, neither in a tree inside that of the other.
    pub(crate) fn is_of_tree_of(self, other: Node<'p>) -> bool {
        match (self.0, other.0) {
            (Syntax(_, own), Syntax(_, other)) => std::ptr::eq(own, other),
            (Text(_, own), Text(_, other)) => std::ptr::eq(own, other),
            _ => false,
        }
    }

    /// Returns whether whitespace in it has a meaning: it is in a string or a comment, or in a node of the same type as
    /// an enclosing protected node: `<pre><code>`.
    pub(crate) fn is_in_protected(self) -> bool {
        /// The number of ancestors of one type to check.
        const LOOKED_AT: usize = 8;
        let Some((raw, tree)) = self.syntax() else {
            return false;
        };
        let mut parent = raw.parent();
        for _ in 0..LOOKED_AT {
            let Some(node) = parent else {
                return false;
            };
            if Node(Syntax(node, tree)).is_protected() {
                return true;
            }
            parent = node
                .parent()
                .filter(|outer| outer.kind_id() == node.kind_id());
        }
        false
    }

    /// Returns whether it is in a tree inside a node of another language.
    pub(crate) fn is_embedded(self) -> bool {
        match self.0 {
            At::Syntax(_, tree) => !tree.is_outermost(),
            At::Text(..) => false,
        }
    }

    /// Returns whether a walk shows it. For the root of the tree of a macro's arguments, a walk shows the node with these
    /// tokens instead.
    pub(crate) fn is_of_file(self) -> bool {
        self.syntax()
            .is_none_or(|(raw, tree)| !tree.is_of_tokens() || raw != tree.raw_root())
    }

    /// Returns whether the tree is deeper than `most` levels from this node. A node has at most as many levels as nodes, so
    /// only large ones are visited.
    pub(crate) fn is_deeper_than(self, most: usize) -> bool {
        let mut open: Vec<(tree_sitter::Node<'_>, usize)> = Vec::new();
        open.extend(self.raw().map(|raw| (raw, 0)));
        while let Some((node, depth)) = open.pop() {
            let is_large = |node: &tree_sitter::Node<'_>| depth + node.descendant_count() > most;
            if depth > most {
                return true;
            }
            if is_large(&node) {
                let mut cursor = node.walk();
                let children = node.children(&mut cursor).filter(is_large);
                open.extend(children.map(|child| (child, depth + 1)));
            }
        }
        false
    }

    /// Returns the language of the node.
    pub(crate) fn language(self) -> &'static Language {
        match self.0 {
            Syntax(_, tree) => tree.language,
            Text(..) => crate::language::plain_text(),
        }
    }

    /// Returns the definition at the node, if there is one; `above` are its ancestors as far as the caller knows them,
    /// the nearest last.
    pub(crate) fn tag(self, above: &[tree_sitter::Node<'p>]) -> Option<Tag<'static, 'p>> {
        self.tables()?
            .tag(self.raw()?, above, &|node| self.text(node))
    }

    /// Returns whether the node has `mark`; nodes of a plain text have none.
    pub(crate) fn is(self, mark: Mark) -> bool {
        self.has_mark(mark, &[])
    }

    /// Returns whether the node has `mark` as a child of `parent`; `false` if that is in another tree. Saves the search
    /// for the parent.
    pub(crate) fn is_in(self, mark: Mark, parent: Node<'p>) -> bool {
        let parent = parent.raw().filter(|_| self.is_of_tree_of(parent));
        parent.is_some_and(|parent| self.has_mark(mark, &[parent]))
    }

    fn has_mark(self, mark: Mark, above: &[tree_sitter::Node<'p>]) -> bool {
        self.facts().is_some_and(|(tables, raw)| {
            tables.has_below(mark, raw, above, &|node| self.text(node))
        })
    }

    fn text(self, node: tree_sitter::Node<'_>) -> String {
        let tree = self.syntax().map(|(_, tree)| tree);
        tree.map_or_else(String::new, |tree| {
            tree.source.slice(node.byte_range().into()).into_owned()
        })
    }

    /// Returns the nodes from this one down to the innermost that it merely wraps: to the function of
    /// `export function f() {}`. A node that wraps none is the only one.
    pub(crate) fn unwrapped(self) -> Vec<Node<'p>> {
        let mut nodes = vec![self];
        let tables = self.tables();
        let may_wrap = |node: Node<'_>| tables.is_some_and(|one| one.may_wrap(node.kind_id()));
        while let Some(&node) = nodes.last().filter(|node| may_wrap(**node)) {
            let mut children = node.own_children().into_iter();
            match children.find(|child| child.is_named() && child.is_wrapped_in(node)) {
                Some(child) => nodes.push(child),
                None => break,
            }
        }
        nodes
    }

    /// Returns the nodes that are attached to the node that it merely wraps, each with its kind.
    pub(crate) fn attached_inside(self) -> Vec<(&'static str, Node<'p>)> {
        let wrappers = self.unwrapped();
        let wrappers = wrappers.split_last().map_or(&[][..], |(_, above)| above);
        let children = wrappers.iter().flat_map(|wrapper| wrapper.own_children());
        children
            .filter_map(|child| Some((child.attached()?, child)))
            .collect()
    }

    /// Returns the kind of the definition that it is or merely wraps: `function`, `class`, ...
    pub(crate) fn definition(self) -> Option<&'static str> {
        let nodes = self.unwrapped();
        let (inner, above) = nodes.split_last().expect("a node is its own outermost");
        let above: Vec<_> = above.iter().filter_map(|node| node.raw()).collect();
        inner.tag(&above).map(|tag| tag.kind)
    }

    /// Returns whether `parent` merely wraps it: the `export` of a function.
    pub(crate) fn is_wrapped_in(self, parent: Node<'p>) -> bool {
        let parent = parent.raw().filter(|_| self.is_of_tree_of(parent));
        let facts = self.facts().zip(parent);
        facts.is_some_and(|((tables, raw), parent)| tables.is_wrapped(raw, parent))
    }

    /// Returns whether the general word matches it; `parent` is its named parent.
    pub(crate) fn is_word(self, word: &str, parent: Option<Node<'p>>) -> bool {
        let own = parent.filter(|parent| parent.is_of_tree_of(self));
        let parent = own.and_then(Node::raw);
        let text = |node: tree_sitter::Node<'_>| self.text(node);
        self.facts()
            .is_some_and(|(tables, raw)| tables.is_word(word, raw, parent, &text))
    }

    /// Returns whether it imports something: an import statement, or another statement that does nothing else.
    pub(crate) fn is_import(self) -> bool {
        self.is_word("import", None) || self.is(Mark::Import)
    }

    /// Returns the kind of attached node that it is (`doc`, `attribute`, ...), if it is one.
    pub(crate) fn attached(self) -> Option<&'static str> {
        self.attached_kind().map(|kind| kind.kind)
    }

    /// Returns whether a node of its type may be attached to another child of `parent`: a string in Julia is docs in a
    /// file, but not among arguments.
    pub(crate) fn may_be_attached_in(self, parent: Node<'_>) -> bool {
        let kinds = self.raw().zip(parent.raw());
        let kinds = kinds.map(|(own, parent)| (own.kind_id(), parent.kind_id()));
        self.is_word("comment", None)
            || self
                .tables()
                .zip(kinds)
                .is_none_or(|(tables, (own, parent))| tables.may_be_attached(own, parent))
    }

    /// Returns the same as [`Node::attached`], with how it is attached.
    pub(crate) fn attached_kind(self) -> Option<&'static AttachedKind> {
        let (tables, raw) = self.facts()?;
        tables.attached(raw, &[], &|node| self.text(node))
    }

    /// Returns the same as [`Node::attached`] for a child of `parent`.
    pub(crate) fn attached_in(self, parent: Node<'p>) -> Option<&'static str> {
        self.attached_kind_in(parent).map(|kind| kind.kind)
    }

    /// Returns the same as [`Node::attached_kind`] for a child of `parent`. Saves the search for the parent, which passes
    /// all children before the node, if the grammar has the node there too.
    pub(crate) fn attached_kind_in(self, parent: Node<'p>) -> Option<&'static AttachedKind> {
        let (raw, tree) = self.syntax()?;
        let tables = self.tables()?;
        let moved_nodes = tree.moved_nodes();
        let is_moved = moved_nodes.is_some_and(|nodes| nodes.is_removed(raw));
        let parent = parent
            .raw()
            .filter(|_| !is_moved && self.is_of_tree_of(parent));
        let parent = parent.map(|parent| parent_below(tables, parent, raw));
        tables.attached(raw, parent.as_slice(), &|node| self.text(node))
    }

    /// Returns how its members are separated, if it is a list.
    pub(crate) fn list(self) -> Option<&'static List> {
        let (tables, raw) = self.facts()?;
        tables.list(raw)
    }

    /// Returns how its members are laid out, if it is a body. Those of a plain text are on lines of their own.
    pub(crate) fn body(self) -> Option<&'static Body> {
        static OF_TEXT: LazyLock<Body> = LazyLock::new(|| Body {
            lines: true,
            ..Body::default()
        });
        match self.0 {
            Syntax(raw, _) => self.tables()?.body(raw),
            Text(id, _) => (id.level + 1 < TEXT_NODE_TYPES.len()).then(|| &*OF_TEXT),
        }
    }

    /// Returns whether it is the body of `parent`.
    pub(crate) fn is_body_of(self, parent: Node<'p>) -> bool {
        let Some(parent) = parent.raw() else {
            return self.body().is_some();
        };
        self.facts()
            .is_some_and(|(tables, raw)| tables.is_body_of(raw, parent))
    }

    /// Returns whether it is the body of the first of `above`, each of which is the parent of the next one.
    pub(crate) fn is_inner_body(self, above: &[Node<'p>]) -> bool {
        let above: Vec<_> = above.iter().filter_map(|node| node.raw()).collect();
        self.facts()
            .is_some_and(|(tables, raw)| tables.is_inner_body(raw, &above))
    }

    /// Returns whether the language requires parentheses around it, although the grammar does not: always there, or where a
    /// statement starts with it, if it is the `first` of one.
    pub(crate) fn needs_parentheses(self, is_first: bool) -> bool {
        self.facts().is_some_and(|(tables, raw)| {
            let above: Vec<_> = raw.parent().into_iter().collect();
            let has = |mark| tables.uses(mark) && tables.has_below(mark, raw, &above, NO_TEXT);
            has(Mark::Parenthesized) || is_first && has(Mark::ParenthesizedFirst)
        })
    }

    /// Returns whether a token starts at `offset` and a line that starts with it is never re-indented.
    pub(crate) fn has_unindented_at(self, offset: usize) -> bool {
        self.facts().is_some_and(|(tables, raw)| {
            let token = raw.descendant_for_byte_range(offset, offset + 1);
            let token = token.filter(|token| token.start_byte() == offset);
            token.is_some_and(|token| tables.has(Mark::Unindented, token))
        })
    }

    /// Returns the sign or keyword in it that starts at `offset`, with its parent.
    pub(crate) fn sign_at(self, offset: usize) -> Option<(Node<'p>, Node<'p>)> {
        let token = self.raw()?.descendant_for_byte_range(offset, offset + 1)?;
        let is_sign = token.start_byte() == offset && !token.is_named();
        let parent = token.parent().filter(|_| is_sign)?;
        Some((self.in_same_tree(token), self.in_same_tree(parent)))
    }

    /// Returns whether it is in a list or a body, as a child of `parent`, and is not a member.
    pub(crate) fn is_frame_in(self, parent: Node<'p>) -> bool {
        match self.is_of_tree_of(parent) {
            true => self.is_in(Mark::Frame, parent),
            false => self.is(Mark::Frame),
        }
    }

    /// Returns 1 for an opening bracket (`(`, `${`), -1 for a closing one, 0 for any other node.
    pub(crate) fn bracket(self) -> isize {
        // Some grammars give brackets a name.
        let sign = match self.raw().filter(|_| self.is_named()) {
            None => Cow::Borrowed(self.kind()),
            Some(raw) if self.is(Mark::Frame) => self.text(raw).into(),
            Some(_) => return 0,
        };
        match () {
            () if sign.ends_with(['(', '[', '{']) => 1,
            () if sign.starts_with([')', ']', '}']) => -1,
            () => 0,
        }
    }

    /// Returns whether it is a body that only its indentation bounds.
    pub(crate) fn is_indented(self) -> bool {
        self.body().is_some_and(|body| body.indented)
    }

    /// Returns whether its lines keep their bytes.
    pub(crate) fn is_protected(self) -> bool {
        let Some((tables, raw)) = self.facts() else {
            return false;
        };
        let moves = || {
            let tail = Some(raw).filter(|raw| tables.has(Mark::Tail, *raw));
            let opening = tail.and_then(|tail| opening_of(tables, tail));
            opening.is_some_and(|opening| self.in_same_tree(opening).is(Mark::MovingTailOpening))
        };
        self.protection().is_some() && !moves()
    }

    /// Returns whether its lines keep their meaning when all of them are re-indented together.
    pub(crate) fn moves_together(self) -> bool {
        self.protection() == Some(Protection::Together)
    }

    fn protection(self) -> Option<Protection> {
        let (tables, raw) = self.facts()?;
        tables.protection(raw, &|node| self.text(node))
    }

    /// Returns whether it is a sign, named or not.
    pub(crate) fn is_sign(self) -> bool {
        !self.is_named() || self.is(Mark::Separator)
    }

    /// Returns the sign that it is, or its type if it is none.
    pub(crate) fn sign(self) -> Cow<'p, str> {
        let named = self.raw().filter(|_| self.is_named() && self.is_sign());
        named.map_or(Cow::Borrowed(self.kind()), |raw| self.text(raw).into())
    }

    /// Returns its bytes; if it ends with its first child even though the grammar adds more, only the bytes of that
    /// child.
    pub(crate) fn own_span(self) -> Span {
        let first = self.syntax().filter(|_| self.is_void());
        let first = first.and_then(|(raw, _)| raw.child(0));
        first.map_or(self.span(), |first| first.byte_range().into())
    }

    /// Returns whether it ends with its first child.
    pub(crate) fn is_void(self) -> bool {
        self.child_count() > 1 && self.is(Mark::Void)
    }

    /// Returns the facts of its language; plain text has none.
    pub(crate) fn tables(self) -> Option<&'static Tables> {
        self.language().tables()
    }

    fn syntax(self) -> Option<(tree_sitter::Node<'p>, &'p SyntaxTree)> {
        match self.0 {
            Syntax(raw, tree) => Some((raw, tree)),
            Text(..) => None,
        }
    }

    /// Returns the facts of its language, with the node to look up in them.
    fn facts(self) -> Option<(&'static Tables, tree_sitter::Node<'p>)> {
        Some((self.tables()?, self.raw()?))
    }
}

/// Returns the parent of a node in the grammar: a transparent descendant of its parent in a walk, or that parent itself.
/// Transparent nodes contain others only at their start, as the patterns of `a | b | c` do, so the many children of a block
/// are not searched.
fn parent_below<'p>(
    tables: &Tables,
    parent: tree_sitter::Node<'p>,
    node: tree_sitter::Node<'p>,
) -> tree_sitter::Node<'p> {
    let is_transparent = |node: tree_sitter::Node<'p>| tables.has(Mark::Transparent, node);
    let mut parent = parent;
    let mut may_contain = tables.uses(Mark::Transparent);
    while may_contain {
        let mut cursor = parent.walk();
        let has_child = cursor
            .goto_first_child_for_byte(node.start_byte())
            .is_some();
        if !has_child || !is_transparent(cursor.node()) {
            break;
        }
        parent = cursor.node();
        may_contain = parent.child(0).is_some_and(is_transparent);
    }
    parent
}

impl PartialEq for Node<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (self.0, other.0) {
            (Syntax(own, _), Syntax(other, _)) => own == other,
            (Text(own, tree), Text(other, of)) => own == other && std::ptr::eq(tree, of),
            _ => false,
        }
    }
}

impl Eq for Node<'_> {}

impl std::fmt::Debug for Node<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {:?}", self.kind(), self.span())
    }
}

/// Returns the node that `tail` belongs to: the first of consecutive tails belongs to the first opening in the
/// preceding lines.
fn opening_of<'a>(tables: &Tables, tail: tree_sitter::Node<'a>) -> Option<tree_sitter::Node<'a>> {
    let mut first = tail;
    let mut index = 0;
    while let Some(before) = first
        .prev_sibling()
        .filter(|before| tables.has(Mark::Tail, *before))
    {
        if before.end_byte() < first.start_byte() {
            break;
        }
        first = before;
        index += 1;
    }
    let (row, end) = (first.start_position().row, first.start_byte());
    let mut around = first.parent()?;
    while let Some(outer) = around
        .parent()
        .filter(|_| around.start_position().row == row)
    {
        around = outer;
    }
    let mut cursor = around.walk();
    let mut openings = Vec::new();
    loop {
        let node = cursor.node();
        if node.start_byte() < end && node.end_position().row >= row {
            if tables.has(Mark::TailOpening, node) && node.start_position().row == row {
                openings.push(node);
            }
            if cursor.goto_first_child() {
                continue;
            }
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return openings.get(index).copied();
            }
        }
    }
}
