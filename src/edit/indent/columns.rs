//! Content of a language in which the column of a line determines its parent.

use crate::language::Language;
use crate::language::queries::Mark;
use crate::parse::Parsed;
use crate::source::{Source, Span};

use super::items::{starts_item, starts_with};
use super::lines::unindented;
use super::target::IndentTarget;

/// Content of such a language, with its first line unindented.
pub(super) struct ColumnContent {
    /// The content parsed as given; `None` if it has errors.
    alone: Option<Parsed>,
    /// Whether it has the same nodes if only its first line is indented for its target.
    is_same_at_target: bool,
    /// Whether items in the file are as deep as the key of their sequence.
    has_flush_items: bool,
}

impl ColumnContent {
    pub(super) fn new(
        content: &str,
        target: &IndentTarget<'_>,
        language: &'static Language,
    ) -> ColumnContent {
        let read = |text: String| {
            let parsed = Parsed::parse(Source::new("", language, text));
            let is_sound = parsed.problems().is_empty() && parsed.strict_problem().is_none();
            is_sound.then_some(parsed)
        };
        let alone = read(content.to_string());
        let at_target = read(format!("{}{content}", target.indentation));
        let both = alone.as_ref().zip(at_target.as_ref());
        ColumnContent {
            is_same_at_target: both.is_some_and(|(one, other)| shape(one) == shape(other)),
            alone,
            has_flush_items: target.has_flush_items,
        }
    }

    /// Returns whether the content was written at column 0, not copied from the file without the whitespace before its
    /// first line. `level` is the first other line (from 0) that is as deep as the target.
    pub(super) fn is_at_column_0(&self, level: Option<usize>) -> bool {
        let Some(alone) = &self.alone else {
            return false;
        };
        let source = alone.source();
        let item = level
            .and_then(|line| source.line_span(line + 1))
            .map(|line| {
                let text = source.slice(line);
                let bare = unindented(&text);
                let start = line.start() + (text.len() - bare.len());
                (start, starts_item(source.language(), bare))
            })
            .filter(|(_, is_item)| *is_item);
        match item {
            // A line that looks like an item but is text was an item next to the first.
            Some((start, _)) => {
                let chain = alone.chain(Span::new(start, start + 1));
                let begins = chain.iter().any(|node| node.span().start() == start);
                begins && !(self.is_same_at_target && self.has_flush_items)
            }
            None => !self.is_same_at_target,
        }
    }
}

/// Returns the types of the nodes in document order, with a mark for each step down and up. Comments may be at any depth
/// and are left out.
fn shape(parsed: &Parsed) -> Vec<u16> {
    const DOWN: u16 = u16::MAX;
    const UP: u16 = u16::MAX - 1;
    let mut shape = Vec::new();
    let mut cursor = parsed.walk(parsed.root());
    loop {
        let node = cursor.node();
        if !node.is(Mark::Loose) {
            shape.push(node.kind_id());
        }
        if cursor.goto_first_child() {
            shape.push(DOWN);
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return shape;
            }
            shape.push(UP);
        }
    }
}

/// Returns the lines (from 0) of content that begin with a comment.
pub(super) fn comment_lines(content: &str, language: &'static Language) -> Vec<usize> {
    let is_comment =
        |(_, line): &(usize, &str)| starts_with(language, Mark::Loose, unindented(line));
    let comments = content.split('\n').enumerate().filter(is_comment);
    comments.map(|(line, _)| line).collect()
}
