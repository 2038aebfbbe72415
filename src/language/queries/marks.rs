//! Marks: captures that state a fact about a node and carry no value.
//!
//! A new mark is an entry in `marks!`.

use tree_sitter::Node;

use super::rule::QueryRule;
use super::rule_set::RuleSet;
use super::{NO_TEXT, QueryError, Tables, TextOf};

/// Declares the marks: each with the files and captures that give it to a node.
macro_rules! marks {
    ($($(#[$doc:meta])+ $mark:ident: $($file:ident @$capture:ident),+;)+) => {
        /// A fact about a node.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Mark {
            $($(#[$doc])+ $mark,)+
        }

        /// The file, the capture in it, and the mark that the captured node gets.
        const CAPTURES: &[(&str, &str, Mark)] =
            &[$($((stringify!($file), stringify!($capture), Mark::$mark),)+)+];

        /// The number of marks.
        const COUNT: usize = [$(Mark::$mark),+].len();
    };
}

marks! {
    /// It precedes a definition and belongs to the range of that definition.
    Leading: tags @leading;
    /// It is on the path from a node captured as `@name` down to the name itself.
    Named: tags @named;
    /// It does not bound a definition that has a level.
    Section: tags @section;
    /// It contains no definition.
    Closed: tags @closed;
    /// Its parent may merely wrap it, with keywords and attached nodes.
    Wrapped: attached @wrapped;
    /// It is a comment about the whole file if it is at the start of the file.
    AboutFile: attached @file;
    /// It may precede a comment about the whole file.
    Opening: attached @opening;
    /// It may enclose the whole file, as `#ifndef LIST_H` does, so its tokens may precede a comment about the file.
    Guard: attached @guard;
    /// It is a comment that the grammar may put into the preceding node.
    Loose: attached @loose;
    /// It is part of the preceding node, but the grammar puts it after that node.
    Tail: attached @tail;
    /// A tail belongs to it, such as the text of a heredoc.
    TailOpening: attached @opens;
    /// It is attached to the node that contains it, such as an annotation in Java.
    Within: attached @within;
    /// No walk shows it.
    Unseen: attached @unseen;
    /// It is a member of a list and needs no separator after it.
    Unseparated: lists @unseparated;
    /// It is in a list or a body and is not a member.
    Frame: lists @frame, bodies @frame;
    /// It may end with a semicolon or without one.
    Ended: lists @ended;
    /// It is a sign that the grammar gives a name.
    Separator: lists @separator;
    /// Only spaces separate its members, which are on one line.
    Row: lists @row;
    /// It starts the first line of a body and indents the other lines, such as a list marker.
    Marker: bodies @marker;
    /// It starts a body and stays first in it.
    Head: bodies @head, bodies @marker;
    /// Each line of the body that it starts begins with it (`#set! begins` gives it), such as `>` of a quote.
    LineSign: bodies @line_sign;
    /// It is an item that may be as deep as its parent's key. `#set! begins` gives the sign that it starts with.
    FlushItem: bodies @flush_item;
    /// It is a keyword that starts a statement whose body may be the next line, without brackets.
    Header: bodies @header;
    /// It is a keyword that starts a clause of a statement, such as `catch`.
    Clause: bodies @clause, bodies @later_clause, bodies @last_clause;
    /// It starts a clause that follows the others and occurs once, such as `else`.
    LaterClause: bodies @later_clause, bodies @last_clause;
    /// It starts a clause that follows even these, such as `finally`.
    LastClause: bodies @last_clause;
    /// It is a sign that belongs to the preceding member.
    Terminator: bodies @terminator;
    /// It is a further branch of its parent, such as the `else` of an `if`, in a grammar that puts the members of the first
    /// one into the parent itself or makes them its only body.
    Branch: bodies @branch;
    /// A line that starts with it is never re-indented.
    Unindented: bodies @unindented;
    /// It may end with the line breaks that follow it.
    Late: bodies @late;
    /// Its lines do not show how deep other lines are.
    Unmeasured: bodies @unmeasured;
    /// It may be as deep as the line in which its parent starts.
    Outdented: bodies @outdented;
    /// A line that starts with it may be as deep as the line in which its parent starts, or deeper, so it does not show
    /// how deep lines are.
    Flush: bodies @flush;
    /// It is deeper than its parent without being enclosed in brackets.
    Deeper: bodies @deeper;
    /// It belongs to the following line, even where a node ends with it.
    Margin: bodies @margin;
    /// Its children count as children of its parent.
    Transparent: bodies @transparent;
    /// It ends with its first child, even where the grammar adds more.
    Void: bodies @void;
    /// It is text in prose.
    Words: bodies @words;
    /// A tail belongs to it whose lines keep their meaning when all of them are re-indented together.
    MovingTailOpening: protected @moves;
    /// It is code that the grammar does not parse, such as the body of a C macro.
    Code: protected @code;
}

impl Mark {
    /// Returns whether its rules may test the text of a node.
    fn may_test_text(self) -> bool {
        use Mark::{AboutFile, Head, MovingTailOpening, Opening, Void};
        matches!(self, AboutFile | Head | MovingTailOpening | Opening | Void)
    }

    /// Returns the setting with the text that a marked node starts with, if its rules have one.
    fn setting(self) -> Option<&'static str> {
        use Mark::{FlushItem, LineSign, Loose};
        matches!(self, FlushItem | LineSign | Loose).then_some("begins")
    }
}

/// The rules of each mark, indexed by the mark.
#[derive(Debug)]
pub(super) struct Marks([RuleSet<()>; COUNT]);

impl Default for Marks {
    fn default() -> Marks {
        Marks(std::array::from_fn(|_| RuleSet::default()))
    }
}

impl Marks {
    pub(super) fn of(&self, mark: Mark) -> &RuleSet<()> {
        &self.0[mark as usize]
    }
}

impl Tables {
    /// Adds a rule of a file if it captures a mark, else returns it.
    pub(super) fn add_mark(
        &mut self,
        file: &str,
        rule: QueryRule,
    ) -> Result<Option<QueryRule>, QueryError> {
        let mut captures = CAPTURES.iter().filter(|(of, ..)| *of == file);
        let Some((_, capture, mark)) =
            captures.find(|(_, capture, _)| rule.captures.contains(capture))
        else {
            return Ok(Some(rule));
        };
        if !mark.may_test_text() {
            rule.refuse_text()?;
        }
        rule.allow_captures(&[capture])?;
        rule.allow_settings(mark.setting().as_slice())?;
        if let Some(setting) = mark.setting() {
            self.starts.push((*mark, rule.setting(setting)));
        }
        let pattern = rule.captured_at(capture)?;
        // A capture may give several marks.
        for (.., other) in captures.filter(|(_, other, _)| other == capture) {
            self.marks.0[*other as usize].add(pattern.clone(), ());
        }
        self.marks.0[*mark as usize].add(pattern, ());
        Ok(None)
    }

    /// Returns the texts that nodes with `mark` start with, one for each rule; `None` for a rule
    /// that gives none.
    pub(crate) fn starts_of(&self, mark: Mark) -> impl Iterator<Item = Option<&str>> {
        let of_mark = self.starts.iter().filter(move |(of, _)| *of == mark);
        of_mark.map(|(_, start)| start.as_deref())
    }

    /// Returns whether a rule gives `mark` to nodes of a type.
    pub(crate) fn has_type(&self, mark: Mark, kind: u16) -> bool {
        self.marks.of(mark).names_kind(kind)
    }

    /// Returns whether a node can have `mark`.
    pub(crate) fn uses(&self, mark: Mark) -> bool {
        !self.marks.of(mark).is_empty()
    }

    /// Returns whether `node` has `mark`, by rules that test no text.
    #[inline]
    pub(crate) fn has(&self, mark: Mark, node: Node<'_>) -> bool {
        debug_assert!(!mark.may_test_text(), "{mark:?} needs a text");
        self.has_below(mark, node, &[], NO_TEXT)
    }

    /// Returns whether `node` has `mark`. `above` are its ancestors as far as the caller knows them, the nearest last;
    /// `text` returns the text of a node.
    #[inline]
    pub(crate) fn has_below<'a>(
        &self,
        mark: Mark,
        node: Node<'a>,
        above: &[Node<'a>],
        text: TextOf<'_>,
    ) -> bool {
        self.marks.of(mark).value(node, above, text).is_some()
    }
}
