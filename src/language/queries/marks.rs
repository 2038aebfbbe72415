//! Marks: captures that state a fact about a node and carry no value.
//!
//! A new mark is a variant of [`Mark`] and a line in [`CAPTURES`].

use tree_sitter::Node;

use super::rule::QueryRule;
use super::rule_set::RuleSet;
use super::{NO_TEXT, QueryError, Tables, TextOf};

/// A fact about a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    /// `@leading` in `tags.scm`: it precedes a definition and belongs to the range of that definition.
    Leading,
    /// `@named` in `tags.scm`: it leads from a node that is captured as `@name` to the name itself.
    Named,
    /// `@section` in `tags.scm`: it does not bound a definition that has a level.
    Section,
    /// `@closed` in `tags.scm`: it contains no definition.
    Closed,
    /// `@wrapped` in `attached.scm`: its parent may merely wrap it, with keywords and attached nodes.
    Wrapped,
    /// `@file` in `attached.scm`: it is a comment about the whole file if it is at the start of the file.
    AboutFile,
    /// `@opening` in `attached.scm`: it may precede a comment about the whole file.
    Opening,
    /// `@guard` in `attached.scm`: it may enclose the whole file, as `#ifndef LIST_H` does, so its tokens may precede a
    /// comment about the file.
    Guard,
    /// `@loose` in `attached.scm`: it is a comment that the grammar may put into the preceding node.
    Loose,
    /// `@tail` in `attached.scm`: it is part of the preceding node, but the grammar puts it after that node.
    Tail,
    /// `@opens` in `attached.scm`: a tail belongs to it, such as the text of a heredoc.
    TailOpening,
    /// `@within` in `attached.scm`: it is attached to the node that contains it, such as an annotation in Java.
    Within,
    /// `@unseen` in `attached.scm`: no walk shows it.
    Unseen,
    /// `@unseparated` in `lists.scm`: it is a member of a list and needs no separator after it.
    Unseparated,
    /// `@frame` in `lists.scm` and `bodies.scm`: it is in a list or a body and is not a member.
    Frame,
    /// `@ended` in `lists.scm`: it may end with a semicolon or without one.
    Ended,
    /// `@separator` in `lists.scm`: it is a sign that the grammar gives a name.
    Separator,
    /// `@row` in `lists.scm`: only spaces separate its members, which are on one line.
    Row,
    /// `@head` and `@marker` in `bodies.scm`: it starts a body and stays first in it.
    Head,
    /// `@marker` in `bodies.scm`: it starts the first line of a body and indents the other lines, such as a list marker.
    Marker,
    /// `@terminator` in `bodies.scm`: it is a sign that belongs to the preceding member.
    Terminator,
    /// `@unindented` in `bodies.scm`: a line that starts with it is not indented.
    Unindented,
    /// `@late` in `bodies.scm`: it may end with the line breaks that follow it.
    Late,
    /// `@unmeasured` in `bodies.scm`: its lines do not show how deep other lines are.
    Unmeasured,
    /// `@outdented` in `bodies.scm`: it may be as deep as the line in which its parent starts.
    Outdented,
    /// `@flush` in `bodies.scm`: a line that starts with it may be as deep as the line in which its parent starts, or
    /// deeper, so it does not show how deep lines are.
    Flush,
    /// `@deeper` in `bodies.scm`: it is deeper than its parent without being enclosed in brackets.
    Deeper,
    /// `@margin` in `bodies.scm`: it belongs to the following line, even where a node ends with it.
    Margin,
    /// `@transparent` in `bodies.scm`: its children count as children of its parent.
    Transparent,
    /// `@void` in `bodies.scm`: it ends with its first child, even where the grammar adds more.
    Void,
    /// `@words` in `bodies.scm`: it is text in prose.
    Words,
    /// `@moves` in `protected.scm`: a tail belongs to it whose lines keep their meaning when all of them are
    /// re-indented together.
    MovingTailOpening,
    /// `@code` in `protected.scm`: it is code that the grammar does not parse, such as the body of a C macro.
    Code,
}

/// The file, the capture in it, and the mark that the captured node gets.
const CAPTURES: &[(&str, &str, Mark)] = &[
    ("tags", "leading", Mark::Leading),
    ("tags", "named", Mark::Named),
    ("tags", "section", Mark::Section),
    ("tags", "closed", Mark::Closed),
    ("attached", "wrapped", Mark::Wrapped),
    ("attached", "file", Mark::AboutFile),
    ("attached", "opening", Mark::Opening),
    ("attached", "guard", Mark::Guard),
    ("attached", "loose", Mark::Loose),
    ("attached", "tail", Mark::Tail),
    ("attached", "opens", Mark::TailOpening),
    ("attached", "within", Mark::Within),
    ("attached", "unseen", Mark::Unseen),
    ("lists", "unseparated", Mark::Unseparated),
    ("lists", "frame", Mark::Frame),
    ("lists", "ended", Mark::Ended),
    ("lists", "separator", Mark::Separator),
    ("lists", "row", Mark::Row),
    ("bodies", "frame", Mark::Frame),
    ("bodies", "head", Mark::Head),
    ("bodies", "marker", Mark::Marker),
    ("bodies", "terminator", Mark::Terminator),
    ("bodies", "unindented", Mark::Unindented),
    ("bodies", "late", Mark::Late),
    ("bodies", "unmeasured", Mark::Unmeasured),
    ("bodies", "outdented", Mark::Outdented),
    ("bodies", "flush", Mark::Flush),
    ("bodies", "deeper", Mark::Deeper),
    ("bodies", "margin", Mark::Margin),
    ("bodies", "transparent", Mark::Transparent),
    ("bodies", "void", Mark::Void),
    ("bodies", "words", Mark::Words),
    ("protected", "moves", Mark::MovingTailOpening),
    ("protected", "code", Mark::Code),
];

/// The number of marks.
const COUNT: usize = Mark::Code as usize + 1;

impl Mark {
    /// Returns whether its rules may test the text of a node.
    fn may_read_text(self) -> bool {
        use Mark::{AboutFile, Head, MovingTailOpening, Opening, Void};
        matches!(self, AboutFile | Head | MovingTailOpening | Opening | Void)
    }

    /// Returns the settings that its rules may have.
    fn settings(self) -> &'static [&'static str] {
        match self {
            Mark::Loose => &["begins"],
            _ => &[],
        }
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
            captures.find(|(_, capture, _)| rule.root.has_capture(capture))
        else {
            return Ok(Some(rule));
        };
        if !mark.may_read_text() {
            rule.refuse_text()?;
        }
        rule.allow_captures(&[capture])?;
        rule.allow_settings(mark.settings())?;
        if *mark == Mark::Loose {
            self.loose_starts.push(rule.setting("begins"));
        }
        let pattern = rule.captured_at(capture)?;
        if *mark == Mark::Marker {
            self.marks.0[Mark::Head as usize].add(pattern.clone(), ());
        }
        self.marks.0[*mark as usize].add(pattern, ());
        Ok(None)
    }

    /// Returns whether a node can have `mark`.
    pub(crate) fn uses(&self, mark: Mark) -> bool {
        !self.marks.of(mark).is_empty()
    }

    /// Returns whether `node` has `mark`, by rules that test no text.
    pub(crate) fn has(&self, mark: Mark, node: Node<'_>) -> bool {
        self.has_below(mark, node, &[], NO_TEXT)
    }

    /// Returns whether `node` has `mark`. `above` are its ancestors as far as the caller knows them, the nearest last;
    /// `text` returns the text of a node.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mark_has_a_capture() {
        let marks = (0..COUNT).filter(|index| {
            let mut captures = CAPTURES.iter();
            captures.any(|(.., mark)| *mark as usize == *index)
        });
        assert_eq!(marks.count(), COUNT);
    }
}
