//! Here-documents whose end is not where the grammar says, such as two on one line. Their lines are searched in the text.

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
fn misread(parsed: &Parsed) -> Vec<(Span, Span)> {
    let source = parsed.source();
    let tables = source.language().tables();
    let signs = tables.map(|tables| tables.starts_of(Mark::HeredocOpening).flatten());
    let signs: Vec<&str> = signs.into_iter().flatten().collect();
    let mut found = Vec::new();
    let mut after = 0;
    for sign in signs {
        let finder = memchr::memmem::find_iter(source.text().as_bytes(), sign);
        for offset in finder {
            if offset < after {
                continue;
            }
            let ends = ends_of_line(source, offset, sign);
            let Some(last) = ends.last() else {
                continue;
            };
            after = last.end();
            let is_end = |end: &&Span| {
                let chain = parsed.chain(**end);
                chain.iter().any(|node| node.is(Mark::HeredocEnd))
            };
            let wrong = ends.iter().find(|end| !is_end(end));
            let line = source.line_span(source.line_of(offset));
            let start = line.map_or(offset, Span::start);
            found.extend(wrong.map(|end| (Span::new(start, after), *end)));
        }
    }
    found
}

/// Returns the words that end the here-documents of the line at `offset`, in order.
fn ends_of_line(source: &Source, offset: usize, sign: &str) -> Vec<Span> {
    let Some(line) = source.line_span(source.line_of(offset)) else {
        return Vec::new();
    };
    let mut ends = Vec::new();
    let mut next = source.line_of(offset) + 1;
    for opened in source.slice(line).split(sign).skip(1) {
        let bare = opened.trim_start_matches(|c: char| c.is_whitespace() || "-~\\'\"".contains(c));
        let is_of_word = |c: char| c.is_alphanumeric() || c == '_';
        let word = &bare[..bare.len() - bare.trim_start_matches(is_of_word).len()];
        let mut lines = (next..).map_while(|line| Some((line, source.line_span(line)?)));
        let end = lines.find(|(_, span)| !word.is_empty() && source.slice(*span).trim() == word);
        if let Some((line, span)) = end {
            let end = source.trimmed_end(source.trimmed_start(span));
            ends.push(end);
            next = line + 1;
        }
    }
    ends
}
