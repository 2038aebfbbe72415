//! The trees inside the tree; walking up crosses the border.
//!
//! Comes in: a tree and the text it is of. Goes out: the [`Cursor`], which walks from a node that
//! holds another language (its host, by `injections.scm`) straight into the tree of that language,
//! and back. Such a tree is made when a walk first gets there, and once; not at all where the
//! grammar could not bear the text.

use std::collections::HashMap;
use std::sync::OnceLock;

use tree_sitter::{Range, Tree};

use crate::language::Language;
use crate::language::queries::{Mark, Tables};
use crate::source::{Source, Span};

use super::comments::Homes;
use super::level::Level;
use super::node::At;
use super::text::TextCursor;
use super::{Node, parse};

/// A tree inside so many others holds none: fences in fences in fences.
const DEEPEST: usize = 8;

/// A tree with the language of its nodes and what is inside them.
#[derive(Debug)]
pub(crate) struct SyntaxTree {
    pub(super) tree: Tree,
    /// The whole text, of which the tree may be of a part.
    pub(super) source: Source,
    pub(super) language: &'static Language,
    /// How many trees it is inside of.
    depth: usize,
    inside: OnceLock<Inside>,
    homes: OnceLock<Box<Homes>>,
}

/// What one walk over a tree finds.
#[derive(Debug, Default)]
struct Inside {
    /// The nodes that hold another language, by their id.
    hosts: HashMap<usize, Host>,
    /// The margins (`bodies.scm`) that are not empty, in file order.
    margins: Vec<Span>,
}

#[derive(Debug)]
struct Host {
    language: &'static Language,
    /// Nothing, where the text is too much for the grammar.
    tree: OnceLock<Option<Box<SyntaxTree>>>,
}

impl SyntaxTree {
    pub(super) fn new(tree: Tree, language: &'static Language, source: &Source) -> SyntaxTree {
        SyntaxTree {
            tree,
            source: source.clone(),
            language,
            depth: 0,
            inside: OnceLock::new(),
            homes: OnceLock::new(),
        }
    }

    /// Where comments stand that the grammar puts elsewhere; `None` for a language whose grammar
    /// does not, at no cost.
    pub(super) fn homes(&self) -> Option<&Homes> {
        let tables = self.language.tables().filter(|tables| tables.has_moved())?;
        let find = || Box::new(Homes::of(&self.tree, tables, &self.source));
        Some(self.homes.get_or_init(find))
    }

    /// The comment at `span`.
    pub(super) fn comment(&self, span: Span) -> tree_sitter::Node<'_> {
        let root = self.tree.root_node();
        root.named_descendant_for_byte_range(span.start(), span.end())
            .expect("a comment is a node of the tree")
    }

    pub(super) fn root(&self) -> Node<'_> {
        self.node(self.tree.root_node())
    }

    pub(super) fn node<'p>(&'p self, raw: tree_sitter::Node<'p>) -> Node<'p> {
        Node(At::Syntax(raw, self))
    }

    /// Whether it is inside of no other.
    pub(super) fn is_outermost(&self) -> bool {
        self.depth == 0
    }

    /// The margins that are not empty, in file order.
    pub(super) fn margins(&self) -> &[Span] {
        let tables = self.language.tables();
        match tables.is_some_and(|tables| tables.uses(Mark::Margin)) {
            true => self.inside().map_or(&[], |inside| &inside.margins),
            false => &[],
        }
    }

    /// The tree of the language that `node`, one of this tree, holds.
    pub(super) fn tree_inside(&self, node: tree_sitter::Node<'_>) -> Option<&SyntaxTree> {
        let host = self.inside()?.hosts.get(&node.id())?;
        let made = host.tree.get_or_init(|| {
            let ranges = ranges_of_its_own(node);
            if ranges.is_empty() {
                // No ranges would be the whole file.
                return None;
            }
            let tree = parse(&self.source, host.language, &ranges, None)?;
            Some(Box::new(SyntaxTree {
                depth: self.depth + 1,
                ..SyntaxTree::new(tree, host.language, &self.source)
            }))
        });
        made.as_deref()
    }

    /// `None` for a language whose nodes hold no other and have no margins, at no cost.
    fn inside(&self) -> Option<&Inside> {
        let tables = self.language.tables()?;
        let is_needed = tables.uses(Mark::Margin) || tables.has_injections();
        let looked = is_needed && self.depth < DEEPEST;
        looked.then(|| self.inside.get_or_init(|| self.look_inside(tables)))
    }

    /// The languages that its nodes hold, by their names.
    pub(super) fn languages_inside(&self) -> Vec<&'static Language> {
        let inside = self
            .inside()
            .into_iter()
            .flat_map(|inside| inside.hosts.values());
        let mut languages: Vec<&'static Language> = inside.map(|host| host.language).collect();
        languages.sort_by_key(|language| language.name);
        languages.dedup();
        languages
    }

    /// The trees that its nodes hold, in file order.
    pub(super) fn trees_inside(&self) -> Vec<&SyntaxTree> {
        let mut trees = Vec::new();
        if self.inside().is_none_or(|inside| inside.hosts.is_empty()) {
            return trees;
        }
        let mut cursor = self.tree.walk();
        loop {
            trees.extend(self.tree_inside(cursor.node()));
            if cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return trees;
                }
            }
        }
    }

    fn look_inside(&self, tables: &Tables) -> Inside {
        let text =
            |node: tree_sitter::Node<'_>| self.source.slice(node.byte_range().into()).into_owned();
        let mut inside = Inside::default();
        let mut cursor = self.tree.walk();
        loop {
            let node = cursor.node();
            if node.is_named() && node.start_byte() < node.end_byte() {
                if tables.has(Mark::Margin, node) {
                    inside.margins.push(node.byte_range().into());
                } else if let Some((host, language)) = tables.injection(node, &text) {
                    let tree = OnceLock::new();
                    inside.hosts.insert(host.id(), Host { language, tree });
                }
            }
            if cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return inside;
                }
            }
        }
    }
}

/// The text of a host without that of its named children: those are the host language's own.
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

/// Walks over a node and all below it, into the trees inside: the children of a host are those of
/// the root of the tree it holds. Transparent nodes (`bodies.scm`) are not seen: their children are
/// those of the node they are a child of.
pub(crate) enum Cursor<'p> {
    /// In the innermost of the trees, and in those around it, each at the host it left its tree at.
    Syntax(Level<'p>, Vec<Level<'p>>),
    /// In a plain text.
    Text(TextCursor<'p>),
}

impl<'p> Cursor<'p> {
    pub(super) fn new(node: Node<'p>) -> Cursor<'p> {
        match node.0 {
            At::Syntax(raw, tree) => Cursor::Syntax(Level::new(raw.walk(), tree), Vec::new()),
            At::Text(place, text) => Cursor::Text(TextCursor::new(text, place)),
        }
    }

    /// The node it stands at.
    pub(crate) fn node(&self) -> Node<'p> {
        match self {
            Cursor::Syntax(here, _) => here.node(),
            Cursor::Text(here) => Node(At::Text(here.place(), here.tree)),
        }
    }

    /// The field of the parent that the node is.
    pub(crate) fn field(&self) -> Option<u16> {
        match self {
            Cursor::Syntax(here, _) => here.field(),
            Cursor::Text(_) => None,
        }
    }

    /// To the first child; stays where there is none.
    pub(crate) fn goto_first_child(&mut self) -> bool {
        match self {
            Cursor::Syntax(here, around) => down(here, around, None),
            Cursor::Text(here) => here.goto_first_child(),
        }
    }

    /// To the first child that ends behind `byte`; stays where there is none.
    pub(crate) fn goto_first_child_for_byte(&mut self, byte: usize) -> bool {
        match self {
            Cursor::Syntax(here, around) => down(here, around, Some(byte)),
            Cursor::Text(here) => here.goto_first_child_behind(byte),
        }
    }

    /// To the next child of the same parent; stays where there is none.
    pub(crate) fn goto_next_sibling(&mut self) -> bool {
        match self {
            Cursor::Syntax(here, _) => here.goto_next_sibling(),
            Cursor::Text(here) => here.goto_next_sibling(),
        }
    }

    /// To the parent; stays at the node it began with.
    pub(crate) fn goto_parent(&mut self) -> bool {
        let (here, around) = match self {
            Cursor::Syntax(here, around) => (here, around),
            Cursor::Text(here) => return here.goto_parent(),
        };
        let moved = here.goto_parent();
        if moved
            && !around.is_empty()
            && here.is_at_root()
            && let Some(outer) = around.pop()
        {
            *here = outer;
        }
        moved
    }
}

/// To the first child, or to the first that ends behind `byte`.
fn down<'p>(here: &mut Level<'p>, around: &mut Vec<Level<'p>>, byte: Option<usize>) -> bool {
    let Some(tree) = here.tree_inside() else {
        return here.goto_first_child(byte);
    };
    let mut inner = Level::new(tree.tree.walk(), tree);
    let moved = inner.goto_first_child(byte);
    if moved {
        around.push(std::mem::replace(here, inner));
    }
    moved
}
