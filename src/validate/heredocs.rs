//! Here-documents whose end is not where the grammar says, such as two on one line. Their lines are searched in the text.

use std::cell::LazyCell;
use std::collections::HashMap;

use crate::language::queries::Mark;
use crate::parse::Parsed;
use crate::source::{Source, Span};

use super::comparison::Comparison;
use super::{NewProblem, ProblemReason};

/// Reports that an edit of a node changes part of the lines of a here-document that the grammar misreads. A replaced text
/// is used as sent.
pub(super) fn split(change: &Comparison<'_, '_>) -> Option<NewProblem> {
    if change.selection.is_text() {
        return None;
    }
    let (hull, new_hull) = (change.text_edit.hull(), change.text_edit.new_hull());
    let source = change.before.source();
    let new_text = change.after.source().slice(new_hull);
    let keeps = |lines: Span| {
        let text = source.slice(lines);
        let (first, rest) = text.split_once('\n').unwrap_or((&text, ""));
        hull.contains(lines) && (new_text.contains(rest) || !new_text.contains(first.trim()))
    };
    let mut misread = misread(change.before).into_iter();
    let (_, end) = misread.find(|(lines, _)| lines.touches(hull) && !keeps(*lines))?;
    let span = match hull.contains(end) {
        true => new_hull,
        false => change.text_edit.map_unchanged(end),
    };
    Some(NewProblem {
        span,
        missing: None,
        reason: Some(ProblemReason::MisreadHeredoc),
        unpaired: None,
    })
}

/// Returns the lines of here-documents that the grammar misreads, from the line that opens them to the last end, each
/// with the first end that is none in the tree.
pub(super) fn misread(parsed: &Parsed) -> Vec<(Span, Span)> {
    let source = parsed.source();
    let tables = source.language().tables();
    let signs = tables.map(|tables| tables.starts_of(Mark::HeredocOpening).flatten());
    let signs: Vec<&str> = signs.into_iter().flatten().collect();
    let lines = LazyCell::new(|| Lines::from_source(source));
    let mut chains = parsed.chains();
    let mut found = Vec::new();
    let mut after = 0;
    for sign in signs {
        let finder = memchr::memmem::find_iter(source.text().as_bytes(), sign);
        for offset in finder {
            if offset < after {
                continue;
            }
            let ends = lines.ends_after(offset, sign);
            let Some(last) = ends.last() else {
                continue;
            };
            after = last.end();
            let mut is_end = |end: &&Span| {
                let mut chain = chains.upward_from(**end);
                chain.any(|node| node.is(Mark::HeredocEnd))
            };
            let wrong = ends.iter().find(|end| !is_end(end));
            let start = lines.spans[lines.index_of(offset)].start();
            found.extend(wrong.map(|end| (Span::new(start, after), *end)));
        }
    }
    found
}

/// The lines of a text.
struct Lines<'t> {
    text: &'t str,
    spans: Vec<Span>,
    /// The indices of the lines with a text, without the whitespace around it.
    by_text: HashMap<&'t str, Vec<usize>>,
}

impl<'t> Lines<'t> {
    fn from_source(source: &'t Source) -> Lines<'t> {
        let text = source.text();
        let spans: Vec<Span> = source.line_spans().collect();
        let mut by_text: HashMap<&str, Vec<usize>> = HashMap::new();
        for (index, span) in spans.iter().enumerate() {
            let line = text[span.range()].trim();
            by_text.entry(line).or_default().push(index);
        }
        Lines {
            text,
            spans,
            by_text,
        }
    }

    fn index_of(&self, offset: usize) -> usize {
        let after = self.spans.partition_point(|span| span.start() <= offset);
        after.saturating_sub(1)
    }

    /// Returns the words that end the here-documents of the line at `offset`, in order.
    fn ends_after(&self, offset: usize, sign: &str) -> Vec<Span> {
        let index = self.index_of(offset);
        let mut ends = Vec::new();
        let mut next = index + 1;
        for opened in self.text[self.spans[index].range()].split(sign).skip(1) {
            let is_before_word = |c: char| c.is_whitespace() || "-~\\'\"".contains(c);
            let bare = opened.trim_start_matches(is_before_word);
            let is_of_word = |c: char| c.is_alphanumeric() || c == '_';
            let word = &bare[..bare.len() - bare.trim_start_matches(is_of_word).len()];
            let lines = self.by_text.get(word).filter(|_| !word.is_empty());
            let lines = lines.map_or(&[][..], Vec::as_slice);
            if let Some(line) = lines.get(lines.partition_point(|line| *line < next)) {
                let span = self.spans[*line];
                let start = span.end() - self.text[span.range()].trim_start().len();
                ends.push(Span::new(start, start + word.len()));
                next = line + 1;
            }
        }
        ends
    }
}
