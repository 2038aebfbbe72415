//! Trees of other languages inside a tree, and those of the arguments of macros.
//!
//! Input: a tree and its text. Output: the [`Cursor`], which walks from a node that contains
//! another language (its host, by `injections.scm`) directly into the tree of that language, and
//! back. Whether a node is a host is looked up when a walk reaches it. The inner tree is parsed once,
//! when a walk first reaches it, and not at all if the grammar does not support the text.
//!
//! The grammar of a language with macros makes mere tokens of their arguments. If these parse as code, a walk shows the
//! nodes of that code instead.

use std::sync::OnceLock;

use elsa::sync::FrozenMap;
use tree_sitter::{Range, Tree};

use crate::language::Language;
use crate::language::queries::{Mark, Tables};
use crate::memory::Held;
use crate::source::{Source, Span};
use crate::steps;

use super::logical_cursor::LogicalCursor;
use super::moved_nodes::MovedNodes;
use super::node::At;
use super::text::TextCursor;
use super::{Input, Node, parse};

/// A tree inside this many others contains none: fences in fences in fences.
const DEEPEST: usize = 8;

/// A tree with the language of its nodes and the trees inside them.
#[derive(Debug)]
pub(crate) struct SyntaxTree {
    pub(super) tree: Tree,
    /// The whole text; the tree may be of a part of it.
    pub(super) source: Source,
    pub(super) language: &'static Language,
    /// Whether it is the tree of the masked text.
    pub(super) is_masked: bool,
    /// The number of trees that enclose it.
    depth: usize,
    /// The node of the enclosing tree whose tokens it replaces.
    replaced: Option<Span>,
    /// The nodes that contain another language, by their id; `None` for nodes that only might.
    hosts: FrozenMap<usize, Box<Option<Host>>>,
    /// The languages inside its nodes, sorted by name.
    languages: OnceLock<Vec<&'static Language>>,
    /// The trees that replace the tokens of a node, by its id; `None` for tokens that do not parse.
    of_tokens: FrozenMap<usize, Box<Option<SyntaxTree>>>,
    moved_nodes: OnceLock<Box<MovedNodes>>,
    #[cfg_attr(not(feature = "disk"), expect(dead_code, reason = "it is only held"))]
    memory: Held,
}

/// The memory of a node in bytes. Measured: from 55 in JSON to 119 in dense Python.
const NODE_BYTES: usize = 110;

#[derive(Debug)]
struct Host {
    language: &'static Language,
    /// `None` if the grammar does not support the text.
    tree: OnceLock<Option<Box<SyntaxTree>>>,
}

impl SyntaxTree {
    pub(super) fn new(tree: Tree, language: &'static Language, source: &Source) -> SyntaxTree {
        SyntaxTree {
            memory: Held::new(tree.root_node().descendant_count() * NODE_BYTES),
            tree,
            source: source.clone(),
            language,
            is_masked: false,
            depth: 0,
            replaced: None,
            hosts: FrozenMap::new(),
            languages: OnceLock::new(),
            of_tokens: FrozenMap::new(),
            moved_nodes: OnceLock::new(),
        }
    }

    /// Returns the same tree as one of the masked text.
    pub(super) fn of_masked_text(self) -> SyntaxTree {
        SyntaxTree {
            is_masked: true,
            ..self
        }
    }

    /// Returns the nodes that are not where the grammar puts them; `None`, at no cost, for a language without such
    /// nodes.
    pub(super) fn moved_nodes(&self) -> Option<&MovedNodes> {
        let tables = self.language.tables().filter(|tables| tables.has_moved())?;
        let find = || Box::new(MovedNodes::from_tree(&self.tree, tables, &self.source));
        Some(self.moved_nodes.get_or_init(find))
    }

    /// Returns about how many bytes of memory the tree takes.
    #[cfg(feature = "disk")]
    pub(super) fn memory(&self) -> usize {
        self.memory.bytes()
    }

    pub(super) fn root(&self) -> Node<'_> {
        self.node(self.raw_root())
    }

    /// Returns the node whose children a walk shows: the root, or the node that has the place of the replaced one.
    pub(super) fn raw_root(&self) -> tree_sitter::Node<'_> {
        let root = self.tree.root_node();
        let replaced = self
            .replaced
            .and_then(|span| root.descendant_for_byte_range(span.start(), span.end()));
        replaced.unwrap_or(root)
    }

    /// Returns whether its nodes replace the tokens of a node. A walk shows that node, not the root.
    pub(super) fn is_of_tokens(&self) -> bool {
        self.replaced.is_some()
    }

    pub(super) fn node<'p>(&'p self, raw: tree_sitter::Node<'p>) -> Node<'p> {
        Node(At::Syntax(raw, self))
    }

    /// Returns whether no other tree encloses it.
    pub(super) fn is_outermost(&self) -> bool {
        self.depth == 0
    }

    /// Returns the margin (`bodies.scm`) that contains the byte at `offset`.
    pub(super) fn margin_at(&self, offset: usize) -> Option<Span> {
        let tables = self.language.tables();
        let tables = tables.filter(|tables| tables.uses(Mark::Margin))?;
        let root = self.tree.root_node();
        let leaf = root.descendant_for_byte_range(offset, offset + 1)?;
        let is_margin = tables.has(Mark::Margin, leaf);
        is_margin.then(|| leaf.byte_range().into())
    }

    /// Returns the tree inside `node`, a node of this tree: of the language in it, or of its tokens.
    pub(super) fn tree_inside(&self, node: tree_sitter::Node<'_>) -> Option<&SyntaxTree> {
        self.tree_of_language(node)
            .or_else(|| self.tree_of_tokens(node))
    }

    /// Returns the tree of the tokens of a node, if they parse without error as one node.
    fn tree_of_tokens(&self, node: tree_sitter::Node<'_>) -> Option<&SyntaxTree> {
        let tables = self.language.tables()?;
        let is_read = tables.has_type(Mark::ParsedTokens, node.kind_id()) && self.depth < DEEPEST;
        if !is_read || !tables.has(Mark::ParsedTokens, node) {
            return None;
        }
        let known = self.of_tokens.get(&node.id());
        let parse = || {
            self.of_tokens
                .insert(node.id(), Box::new(self.parse_tokens(tables, node)))
        };
        known.unwrap_or_else(parse).as_ref()
    }

    fn parse_tokens(&self, tables: &Tables, node: tree_sitter::Node<'_>) -> Option<SyntaxTree> {
        let end = tables
            .starts_of(Mark::ParsedTokens)
            .flatten()
            .next()
            .unwrap_or_default();
        let mut range = node.range();
        range.end_byte += end.len();
        range.end_point.column += end.len();
        let tree = parse(
            &Input {
                ranges: &[range],
                end,
                ..Input::new(&self.source, self.language)
            },
            None,
        )?;
        let tree = SyntaxTree {
            depth: self.depth + 1,
            replaced: Some(node.byte_range().into()),
            ..SyntaxTree::new(tree, self.language, &self.source)
        };
        let is_node = tree.raw_root().byte_range() == node.byte_range();
        (is_node && !tree.tree.root_node().has_error()).then_some(tree)
    }

    fn tree_of_language(&self, node: tree_sitter::Node<'_>) -> Option<&SyntaxTree> {
        let tables = self.tables_of_hosts()?;
        if !tables.may_be_host(node) {
            return None;
        }
        let known = self.hosts.get(&node.id());
        let find = || {
            let host = self.language_inside(tables, node).map(|language| Host {
                language,
                tree: OnceLock::new(),
            });
            self.hosts.insert(node.id(), Box::new(host))
        };
        let host = known.unwrap_or_else(find).as_ref()?;
        let parsed = host.tree.get_or_init(|| {
            let ranges = ranges_of_its_own(node);
            if ranges.is_empty() {
                // Without ranges the whole file would be parsed.
                return None;
            }
            let tree = parse(
                &Input {
                    ranges: &ranges,
                    ..Input::new(&self.source, host.language)
                },
                None,
            )?;
            Some(Box::new(SyntaxTree {
                depth: self.depth + 1,
                ..SyntaxTree::new(tree, host.language, &self.source)
            }))
        });
        parsed.as_deref()
    }

    /// Returns the facts of its language if its nodes may contain other languages.
    fn tables_of_hosts(&self) -> Option<&'static Tables> {
        let tables = self.language.tables()?;
        (tables.has_injections() && self.depth < DEEPEST).then_some(tables)
    }

    fn language_inside(
        &self,
        tables: &Tables,
        node: tree_sitter::Node<'_>,
    ) -> Option<&'static Language> {
        let text =
            |node: tree_sitter::Node<'_>| self.source.slice(node.byte_range().into()).into_owned();
        tables.language_inside(node, &text)
    }

    /// Returns whether nodes of its language may contain another language.
    pub(super) fn may_have_languages_inside(&self) -> bool {
        self.tables_of_hosts().is_some()
    }

    /// Returns the languages inside its nodes, sorted by name.
    pub(super) fn languages_inside(&self) -> &[&'static Language] {
        self.languages.get_or_init(|| {
            let mut languages: Vec<&'static Language> = Vec::new();
            let Some(tables) = self.tables_of_hosts() else {
                return languages;
            };
            self.visit(|node| {
                if let Some(language) = self.language_inside(tables, node)
                    && let Err(index) =
                        languages.binary_search_by_key(&language.name, |one| one.name)
                {
                    languages.insert(index, language);
                }
            });
            languages
        })
    }

    /// Returns the trees of languages inside its nodes, in file order.
    pub(super) fn trees_inside(&self) -> Vec<&SyntaxTree> {
        match self.languages.get() {
            Some(languages) if languages.is_empty() => Vec::new(),
            None if !self.may_have_languages_inside() => Vec::new(),
            _ => self.trees_in_nodes(|node| self.tree_of_language(node)),
        }
    }

    /// Returns the trees of tokens inside its nodes, in file order.
    pub(super) fn trees_of_tokens(&self) -> Vec<&SyntaxTree> {
        let tables = self.language.tables();
        match tables.is_some_and(|tables| tables.uses(Mark::ParsedTokens)) {
            true => self.trees_in_nodes(|node| self.tree_of_tokens(node)),
            false => Vec::new(),
        }
    }

    /// Returns the trees inside its nodes whose symbols are symbols of the file, in file order.
    pub(super) fn listed_trees(&self) -> Vec<&SyntaxTree> {
        match self
            .language
            .tables()
            .filter(|tables| tables.uses(Mark::Listed))
        {
            None => Vec::new(),
            Some(tables) => self.trees_in_nodes(|node| {
                let is_listed = tables.has(Mark::Listed, node);
                is_listed.then(|| self.tree_of_language(node)).flatten()
            }),
        }
    }

    fn trees_in_nodes<'p>(
        &'p self,
        tree_inside: impl Fn(tree_sitter::Node<'_>) -> Option<&'p SyntaxTree>,
    ) -> Vec<&'p SyntaxTree> {
        let mut trees = Vec::new();
        self.visit(|node| trees.extend(tree_inside(node)));
        trees
    }

    /// Calls `visit` with each node except signs inside others, which contain no tree.
    fn visit(&self, mut visit: impl FnMut(tree_sitter::Node<'_>)) {
        let mut cursor = self.raw_root().walk();
        loop {
            steps::count(1);
            let node = cursor.node();
            visit(node);
            if node.named_child_count() > 0 && cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return;
                }
            }
        }
    }
}

/// Returns the ranges of a host without its named children, which belong to the language of the host.
fn ranges_of_its_own(host: tree_sitter::Node<'_>) -> Vec<Range> {
    let mut ranges = Vec::new();
    let (mut start_byte, mut start_point) = (host.start_byte(), host.start_position());
    let mut push = |start_byte, start_point, end_byte, end_point| {
        if start_byte < end_byte {
            ranges.push(Range {
                start_byte,
                end_byte,
                start_point,
                end_point,
            });
        }
    };
    let mut cursor = host.walk();
    for child in host.named_children(&mut cursor) {
        push(
            start_byte,
            start_point,
            child.start_byte(),
            child.start_position(),
        );
        (start_byte, start_point) = (child.end_byte(), child.end_position());
    }
    push(
        start_byte,
        start_point,
        host.end_byte(),
        host.end_position(),
    );
    ranges
}

/// Walks over a node and its descendants, and into the trees inside: the children of a host are those of the root of
/// the tree inside it. Transparent nodes (`bodies.scm`) are skipped: their children count as children of their parent.
#[derive(Clone)]
pub(crate) enum Cursor<'p> {
    /// The cursor in the innermost tree, and those in the enclosing trees, each at its host.
    Syntax(LogicalCursor<'p>, Vec<LogicalCursor<'p>>),
    /// The cursor in a plain text.
    Text(TextCursor<'p>),
}

impl<'p> Cursor<'p> {
    pub(super) fn new(node: Node<'p>) -> Cursor<'p> {
        match node.0 {
            At::Syntax(raw, tree) => {
                Cursor::Syntax(LogicalCursor::new(raw.walk(), tree), Vec::new())
            }
            At::Text(id, text) => Cursor::Text(TextCursor::new(text, id)),
        }
    }

    /// Returns the current node.
    pub(crate) fn node(&self) -> Node<'p> {
        match self {
            Cursor::Syntax(here, _) => here.node(),
            Cursor::Text(here) => Node(At::Text(here.id(), here.tree)),
        }
    }

    /// Moves to the first child; does nothing if there is none.
    pub(crate) fn goto_first_child(&mut self) -> bool {
        steps::count(1);
        match self {
            Cursor::Syntax(here, outer) => down(here, outer, None),
            Cursor::Text(here) => here.goto_first_child(),
        }
    }

    /// Moves to the first child that ends after `byte`; does nothing if there is none.
    pub(crate) fn goto_first_child_for_byte(&mut self, byte: usize) -> bool {
        steps::count(1);
        match self {
            Cursor::Syntax(here, outer) => down(here, outer, Some(byte)),
            Cursor::Text(here) => here.goto_first_child_after(byte),
        }
    }

    /// Moves to the next sibling; does nothing if there is none.
    pub(crate) fn goto_next_sibling(&mut self) -> bool {
        steps::count(1);
        match self {
            Cursor::Syntax(here, _) => here.goto_next_sibling(),
            Cursor::Text(here) => here.goto_next_sibling(),
        }
    }

    /// Moves to the parent; does nothing at the node at which the walk started.
    pub(crate) fn goto_parent(&mut self) -> bool {
        let (here, outer) = match self {
            Cursor::Syntax(here, outer) => (here, outer),
            Cursor::Text(here) => return here.goto_parent(),
        };
        let moved = here.goto_parent();
        if moved
            && !outer.is_empty()
            && here.is_at_root()
            && let Some(cursor) = outer.pop()
        {
            *here = cursor;
        }
        moved
    }
}

/// Moves to the first child, or to the first child that ends after `byte`.
fn down<'p>(
    here: &mut LogicalCursor<'p>,
    outer: &mut Vec<LogicalCursor<'p>>,
    byte: Option<usize>,
) -> bool {
    let Some(tree) = here.tree_inside() else {
        return here.goto_first_child(byte);
    };
    let mut inner = LogicalCursor::new(tree.raw_root().walk(), tree);
    let moved = inner.goto_first_child(byte);
    if moved {
        outer.push(std::mem::replace(here, inner));
    }
    moved
}
