//! A walk in one tree as a person sees it.
//!
//! Comes in: a node. Goes out: its children and theirs, one after another. Transparent nodes are not
//! seen; comments that the grammar puts elsewhere come where [`Homes`](super::comments::Homes) says.

use tree_sitter::TreeCursor;

use crate::language::queries::{Mark, Tables};
use crate::source::Span;

use super::Node;
use super::injection::SyntaxTree;

/// A walk in one tree.
pub(crate) struct Level<'p> {
    cursor: TreeCursor<'p>,
    tree: &'p SyntaxTree,
    /// The facts of the language, if some of its nodes are transparent.
    tables: Option<&'static Tables>,
    /// How deep the cursor stands below the node it began with.
    depth: usize,
    /// At which depths the transparent nodes are that it stands below.
    through: Vec<usize>,
    /// The comment it stands at, if that stands elsewhere than the grammar puts it.
    at: Option<Loose<'p>>,
    /// The walk below what it stands at, if that stands elsewhere than the grammar puts it.
    below: Option<Box<Level<'p>>>,
}

/// A comment beside the node that the cursor is at.
#[derive(Clone, Copy)]
struct Loose<'p> {
    side: Side,
    /// The comments at the same place, and which of them it is.
    all: &'p [Span],
    index: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    /// Before the first child of the node.
    Ahead,
    /// Behind the node.
    Behind,
}

impl<'p> Level<'p> {
    pub(super) fn new(cursor: TreeCursor<'p>, tree: &'p SyntaxTree) -> Level<'p> {
        let tables = tree.language.tables();
        Level {
            cursor,
            tree,
            tables: tables.filter(|tables| tables.uses(Mark::Transparent)),
            depth: 0,
            through: Vec::new(),
            at: None,
            below: None,
        }
    }

    pub(super) fn node(&self) -> Node<'p> {
        if let Some(below) = &self.below {
            return below.node();
        }
        let raw = match self.at {
            Some(loose) => self.tree.comment(loose.all[loose.index]),
            None => self.cursor.node(),
        };
        self.tree.node(raw)
    }

    /// The field of the parent that the node is.
    pub(super) fn field(&self) -> Option<u16> {
        match (&self.below, self.at) {
            (Some(below), _) => below.field(),
            (None, Some(_)) => None,
            (None, None) => self.cursor.field_id().map(u16::from),
        }
    }

    /// Whether it stands at the root of its tree.
    pub(super) fn is_at_root(&self) -> bool {
        self.at.is_none() && self.cursor.node() == self.tree.tree.root_node()
    }

    /// The tree inside the node it stands at.
    pub(super) fn tree_inside(&self) -> Option<&'p SyntaxTree> {
        let here = self.at.is_none().then(|| self.cursor.node())?;
        self.tree.tree_inside(here)
    }

    /// To the first child, or to the first that ends behind `byte`.
    pub(super) fn goto_first_child(&mut self, byte: Option<usize>) -> bool {
        if let Some(below) = &mut self.below {
            return below.goto_first_child(byte);
        }
        if let Some(loose) = self.at {
            let raw = self.tree.comment(loose.all[loose.index]);
            let mut below = Level::new(raw.walk(), self.tree);
            let descends = below.goto_first_child(byte);
            self.below = descends.then(|| Box::new(below));
            return descends;
        }
        let homes = self.tree.homes();
        let ahead = homes.and_then(|homes| homes.ahead(self.cursor.node()));
        if let Some(all) = ahead {
            let fits = |comment: &Span| byte.is_none_or(|byte| comment.end() > byte);
            if let Some(index) = all.iter().position(fits) {
                let side = Side::Ahead;
                self.at = Some(Loose { side, all, index });
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
        moved && self.is_at_a_child()
    }

    /// To the next child of the same parent.
    pub(super) fn goto_next_sibling(&mut self) -> bool {
        if let Some(below) = &mut self.below {
            return below.goto_next_sibling();
        }
        let homes = self.tree.homes();
        if let Some(loose) = &mut self.at {
            if loose.index + 1 < loose.all.len() {
                loose.index += 1;
                return true;
            }
        } else if let Some(all) = homes.and_then(|homes| homes.behind(self.cursor.node())) {
            let (side, index) = (Side::Behind, 0);
            self.at = Some(Loose { side, all, index });
            return true;
        }
        let moved = match self.at {
            Some(loose) if loose.side == Side::Ahead => self.descend() && self.is_at_a_child(),
            _ => {
                !homes.is_some_and(|homes| homes.is_last(self.cursor.node()))
                    && self.advance()
                    && self.is_at_a_child()
            }
        };
        if moved {
            self.at = None;
        }
        moved
    }

    /// Goes over comments that are no children here; where no child is left, back to the parent.
    fn is_at_a_child(&mut self) -> bool {
        let Some(homes) = self.tree.homes() else {
            return true;
        };
        while homes.is_away(self.cursor.node()) {
            if !self.advance() {
                self.ascend();
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
        left.is_some_and(|left| left.side == Side::Ahead) || self.ascend()
    }

    fn descend(&mut self) -> bool {
        let moved = self.cursor.goto_first_child();
        if moved {
            self.depth += 1;
            self.see_through();
        }
        moved
    }

    fn descend_to_byte(&mut self, byte: usize) -> bool {
        if self.cursor.goto_first_child_for_byte(byte).is_none() {
            return false;
        }
        self.depth += 1;
        while self.is_transparent() {
            // It finds nothing where only a hidden token ends behind the byte, whatever follows that.
            if self.cursor.goto_first_child_for_byte(byte).is_none() {
                if !self.cursor.goto_first_child() {
                    break;
                }
                while self.cursor.node().end_byte() <= byte && self.cursor.goto_next_sibling() {}
            }
            self.through.push(self.depth);
            self.depth += 1;
            // Only the white space it ends with may lie behind the byte.
            if self.cursor.node().end_byte() <= byte && !self.advance() {
                self.ascend();
                return false;
            }
        }
        true
    }

    /// To the last child, if what the grammar puts elsewhere follows it and reaches behind `byte`.
    fn descend_to_tails(&mut self, byte: usize) -> bool {
        let Some(homes) = self.tree.homes().filter(|_| self.tables.is_none()) else {
            return false;
        };
        if !self.cursor.goto_last_child() {
            return false;
        }
        let behind = homes.behind(self.cursor.node()).unwrap_or_default();
        if behind.last().is_some_and(|last| last.end() > byte) {
            self.depth += 1;
            return true;
        }
        self.cursor.goto_parent();
        false
    }

    /// From what is no child here to the child before it, into which it may have come.
    fn step_back(&mut self) {
        if let Some(homes) = self.tree.homes().filter(|_| self.tables.is_none()) {
            while homes.is_away(self.cursor.node()) && self.cursor.goto_previous_sibling() {}
        }
    }

    fn advance(&mut self) -> bool {
        if self.cursor.goto_next_sibling() {
            self.see_through();
            return true;
        }
        // The last child of a transparent node is followed by what follows that.
        let mut left = 0;
        let through = |level: &Self, left: usize| level.through.iter().nth_back(left).copied();
        while through(self, left).is_some_and(|depth| depth + left + 1 == self.depth) {
            self.cursor.goto_parent();
            left += 1;
            if self.cursor.goto_next_sibling() {
                self.depth -= left;
                self.through.truncate(self.through.len() - left);
                self.see_through();
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
        while self.through.pop_if(|depth| *depth == self.depth).is_some() {
            self.cursor.goto_parent();
            self.depth -= 1;
        }
        moved
    }

    /// From a transparent node to its first child.
    fn see_through(&mut self) {
        while self.is_transparent() && self.cursor.goto_first_child() {
            self.through.push(self.depth);
            self.depth += 1;
        }
    }

    fn is_transparent(&self) -> bool {
        let node = || self.cursor.node();
        self.tables
            .is_some_and(|tables| tables.has(Mark::Transparent, node()))
    }
}
