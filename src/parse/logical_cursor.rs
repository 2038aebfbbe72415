//! A walk in one tree as a reader sees it.
//!
//! Input: a node. Output: its descendants one by one. Transparent nodes are skipped; comments that
//! the grammar puts in other nodes appear where [`MovedNodes`](super::moved_nodes::MovedNodes) puts
//! them.

use tree_sitter::TreeCursor;

use crate::language::queries::{Mark, Tables};
use crate::source::Span;
use crate::steps;

use super::injection::SyntaxTree;
use super::{Node, to_next};

/// A cursor in one tree that shows the logical children of nodes.
#[derive(Clone)]
pub(crate) struct LogicalCursor<'p> {
    cursor: TreeCursor<'p>,
    tree: &'p SyntaxTree,
    /// The facts of the language, if it has transparent nodes.
    tables: Option<&'static Tables>,
    /// The depth of the cursor below the node at which it started.
    depth: usize,
    /// The depths of the transparent nodes that enclose the current node.
    transparent_depths: Vec<usize>,
    /// The current node, if it is not where the grammar puts it.
    at: Option<MovedNode<'p>>,
    /// The walk below the current node, if that is not where the grammar puts it.
    below: Option<Box<LogicalCursor<'p>>>,
}

const NO_NODE: &str = "a comment is a node of the tree";

/// A comment next to the node of the cursor.
#[derive(Clone)]
struct MovedNode<'p> {
    position: MovedPosition,
    /// The comments at the same position, and the index of this one.
    all: &'p [Span],
    index: usize,
    /// At the comment, where the grammar puts it.
    cursor: TreeCursor<'p>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum MovedPosition {
    /// Before the first child of the node.
    BeforeFirstChild,
    /// After the node.
    After,
}

impl<'p> LogicalCursor<'p> {
    pub(super) fn new(cursor: TreeCursor<'p>, tree: &'p SyntaxTree) -> LogicalCursor<'p> {
        let tables = tree.language.tables();
        LogicalCursor {
            cursor,
            tree,
            tables: tables.filter(|tables| tables.uses(Mark::Transparent)),
            depth: 0,
            transparent_depths: Vec::new(),
            at: None,
            below: None,
        }
    }

    pub(super) fn node(&self) -> Node<'p> {
        if let Some(below) = &self.below {
            return below.node();
        }
        let cursor = self.at.as_ref().map_or(&self.cursor, |one| &one.cursor);
        self.tree.node(cursor.node())
    }

    /// Returns whether the current node is the root of its tree.
    pub(super) fn is_at_root(&self) -> bool {
        self.at.is_none() && self.cursor.node() == self.tree.raw_root()
    }

    /// Returns the tree inside the current node.
    pub(super) fn tree_inside(&self) -> Option<&'p SyntaxTree> {
        let here = self.at.is_none().then(|| self.cursor.node())?;
        self.tree.tree_inside(here)
    }

    /// Moves to the first child, or to the first child that ends after `byte`.
    pub(super) fn goto_first_child(&mut self, byte: Option<usize>) -> bool {
        if let Some(below) = &mut self.below {
            return below.goto_first_child(byte);
        }
        if let Some(comment) = &self.at {
            let mut below = LogicalCursor::new(comment.cursor.node().walk(), self.tree);
            let descends = below.goto_first_child(byte);
            self.below = descends.then(|| Box::new(below));
            return descends;
        }
        let moved_nodes = self.tree.moved_nodes();
        let first = moved_nodes.and_then(|nodes| nodes.before_first_child(self.cursor.node()));
        if let Some(all) = first {
            let index = byte.map_or(0, |byte| all.partition_point(|span| span.end() <= byte));
            if self.goto_moved(MovedPosition::BeforeFirstChild, all, index) {
                return true;
            }
        }
        let moved = match byte {
            Some(byte) if self.descend_to_byte(byte) => {
                self.step_back();
                true
            }
            Some(byte) => self.descend_to_tails(byte),
            None => self.descend(),
        };
        moved && self.skip_to_first_child()
    }

    /// Moves to the next sibling.
    pub(super) fn goto_next_sibling(&mut self) -> bool {
        if let Some(below) = &mut self.below {
            return below.goto_next_sibling();
        }
        let moved_nodes = self.tree.moved_nodes();
        if let Some(comment) = &mut self.at {
            if comment.goto_next(self.tree) {
                return true;
            }
        } else if let Some(all) = moved_nodes.and_then(|nodes| nodes.after(self.cursor.node()))
            && self.goto_moved(MovedPosition::After, all, 0)
        {
            return true;
        }
        let moved = match &self.at {
            Some(comment) if comment.position == MovedPosition::BeforeFirstChild => {
                self.descend() && self.skip_to_first_child()
            }
            _ => {
                !moved_nodes.is_some_and(|nodes| nodes.is_last_child(self.cursor.node()))
                    && self.advance()
                    && (self.skip_to_child() || self.go_back())
            }
        };
        if moved {
            self.at = None;
        }
        moved
    }

    /// Moves to a comment at this position; does nothing if there is none with this index.
    fn goto_moved(&mut self, position: MovedPosition, all: &'p [Span], index: usize) -> bool {
        let Some(span) = all.get(index) else {
            return false;
        };
        let mut cursor = self.tree.tree.walk();
        while !is_moved_at(self.tree, &cursor, *span) {
            steps::count(cursor.node().child_count() as usize);
            let moved = goto_child_after(&mut cursor, span.start());
            assert!(moved, "{NO_NODE}");
        }
        self.at = Some(MovedNode {
            position,
            all,
            index,
            cursor,
        });
        true
    }

    /// Skips nodes that are not children here. Moves back to the parent if no child follows.
    fn skip_to_first_child(&mut self) -> bool {
        let found = self.skip_to_child();
        if !found {
            self.ascend();
        }
        found
    }

    /// Moves from nodes that are not children here back to the preceding child. Returns false.
    fn go_back(&mut self) -> bool {
        let moved_nodes = self.tree.moved_nodes();
        let is_removed = |node| moved_nodes.is_some_and(|nodes| nodes.is_removed(node));
        while is_removed(self.cursor.node()) && self.cursor.goto_previous_sibling() {}
        false
    }

    /// Skips nodes that are not children here. Stays at the last of them if no child follows.
    fn skip_to_child(&mut self) -> bool {
        let Some(moved_nodes) = self.tree.moved_nodes() else {
            return true;
        };
        while moved_nodes.is_removed(self.cursor.node()) {
            if !self.advance() {
                return false;
            }
        }
        true
    }

    pub(super) fn goto_parent(&mut self) -> bool {
        if let Some(below) = &mut self.below {
            let moved = below.goto_parent();
            if below.depth == 0 && below.at.is_none() {
                self.below = None;
            }
            return moved;
        }
        let left = self.at.take();
        left.is_some_and(|left| left.position == MovedPosition::BeforeFirstChild) || self.ascend()
    }

    fn descend(&mut self) -> bool {
        let moved = self.cursor.goto_first_child();
        if moved {
            self.depth += 1;
            self.enter_transparent();
        }
        moved
    }

    fn descend_to_byte(&mut self, byte: usize) -> bool {
        let Some(passed) = self.cursor.goto_first_child_for_byte(byte) else {
            return false;
        };
        // The parser balances repetitions, so that the search passes few of these children one by one.
        steps::count(1 + passed.checked_ilog2().unwrap_or(0) as usize);
        self.depth += 1;
        while self.is_transparent() {
            // This finds nothing if only a hidden token ends after the byte, even if visible ones follow.
            if self.cursor.goto_first_child_for_byte(byte).is_none() {
                if !self.cursor.goto_first_child() {
                    break;
                }
                while self.cursor.node().end_byte() <= byte && self.cursor.goto_next_sibling() {}
            }
            self.transparent_depths.push(self.depth);
            self.depth += 1;
            // Perhaps only the whitespace at its end is after the byte.
            if self.cursor.node().end_byte() <= byte && !self.advance() {
                self.ascend();
                return false;
            }
        }
        true
    }

    /// Moves to the last child, if a node that is not where the grammar puts it follows that child and ends after
    /// `byte`.
    fn descend_to_tails(&mut self, byte: usize) -> bool {
        let Some(moved_nodes) = self.tree.moved_nodes().filter(|_| self.tables.is_none()) else {
            return false;
        };
        if !self.cursor.goto_last_child() {
            return false;
        }
        let following = moved_nodes.after(self.cursor.node()).unwrap_or_default();
        if following.last().is_some_and(|last| last.end() > byte) {
            self.depth += 1;
            return true;
        }
        self.cursor.goto_parent();
        false
    }

    /// Moves from a node that is not a child here back to the preceding child, which may contain it now.
    fn step_back(&mut self) {
        let Some(moved_nodes) = self.tree.moved_nodes().filter(|_| self.tables.is_none()) else {
            return;
        };
        let from = self.cursor.node();
        if !moved_nodes.is_removed(from) {
            return;
        }
        // Each step to a previous sibling would walk over all siblings before it.
        self.cursor.goto_parent();
        self.cursor.goto_first_child();
        let mut ahead = self.cursor.clone();
        while ahead.node() != from && ahead.goto_next_sibling() {
            steps::count(1);
            if !moved_nodes.is_removed(ahead.node()) {
                self.cursor.reset_to(&ahead);
            }
        }
    }

    fn advance(&mut self) -> bool {
        steps::count(1);
        if self.cursor.goto_next_sibling() {
            self.enter_transparent();
            return true;
        }
        // The sibling of a transparent node follows its last child.
        let mut left = 0;
        let transparent_depths =
            |level: &Self, left: usize| level.transparent_depths.iter().nth_back(left).copied();
        while transparent_depths(self, left).is_some_and(|depth| depth + left + 1 == self.depth) {
            self.cursor.goto_parent();
            left += 1;
            if self.cursor.goto_next_sibling() {
                self.depth -= left;
                self.transparent_depths
                    .truncate(self.transparent_depths.len() - left);
                self.enter_transparent();
                return true;
            }
        }
        for _ in 0..left {
            self.cursor.goto_last_child();
        }
        false
    }

    fn ascend(&mut self) -> bool {
        let moved = self.cursor.goto_parent();
        self.depth -= usize::from(moved);
        while self
            .transparent_depths
            .pop_if(|depth| *depth == self.depth)
            .is_some()
        {
            self.cursor.goto_parent();
            self.depth -= 1;
        }
        moved
    }

    /// Moves from a transparent node to its first child.
    fn enter_transparent(&mut self) {
        while self.is_transparent() && self.cursor.goto_first_child() {
            self.transparent_depths.push(self.depth);
            self.depth += 1;
        }
    }

    fn is_transparent(&self) -> bool {
        let node = || self.cursor.node();
        self.tables
            .is_some_and(|tables| tables.has(Mark::Transparent, node()))
    }
}

impl MovedNode<'_> {
    /// Moves to the next comment at the same position; does nothing if there is none.
    fn goto_next(&mut self, tree: &SyntaxTree) -> bool {
        let Some(span) = self.all.get(self.index + 1) else {
            return false;
        };
        // It is in the same node, or directly after it.
        while !is_moved_at(tree, &self.cursor, *span) {
            let contains = self.cursor.node().end_byte() > span.start();
            steps::count(1);
            let moved = match contains {
                true => goto_child_after(&mut self.cursor, span.start()),
                false => to_next(&mut self.cursor),
            };
            assert!(moved, "{NO_NODE}");
        }
        self.index += 1;
        true
    }
}

/// Returns whether the cursor is at the moved node with this span.
fn is_moved_at(tree: &SyntaxTree, cursor: &TreeCursor<'_>, span: Span) -> bool {
    let node = cursor.node();
    let is_removed = || {
        tree.moved_nodes()
            .is_some_and(|nodes| nodes.is_removed(node))
    };
    Span::from(node.byte_range()) == span && is_removed()
}

/// Moves to the first child that ends after `byte`; does nothing if there is none.
fn goto_child_after(cursor: &mut TreeCursor<'_>, byte: usize) -> bool {
    // This finds nothing if only a hidden token ends after the byte, even if visible ones follow.
    if cursor.goto_first_child_for_byte(byte).is_some() {
        return true;
    }
    if !cursor.goto_first_child() {
        return false;
    }
    while cursor.node().end_byte() <= byte {
        if !cursor.goto_next_sibling() {
            cursor.goto_parent();
            return false;
        }
    }
    true
}
