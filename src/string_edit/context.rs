//! The shortest context that makes each occurrence of an old string unique.

use memchr::memmem;

use super::{Occurrence, Several, StringEdit};
use crate::source::Span;

/// The number of places that get a context.
const PLACES: usize = 10;
/// The number of lines of context on one side, at most.
const LINES: usize = 8;

/// Returns the places of an old string that occurs several times, each with its context.
pub(super) fn unique(text: &str, edit: &StringEdit) -> Several {
    let starts: Vec<usize> = memmem::find_iter(text.as_bytes(), &edit.old).collect();
    let place = |start: &usize| {
        let span = Span::new(*start, start + edit.old.len());
        Occurrence {
            span,
            unique: with_context(text, edit, span),
        }
    };
    Several {
        places: starts.iter().take(PLACES).map(place).collect(),
        total: starts.len(),
    }
}

/// Returns the edit of one occurrence with the fewest whole lines around it, preferably above it. The context begins and
/// ends with a line that is not blank.
fn with_context(text: &str, edit: &StringEdit, span: Span) -> Option<StringEdit> {
    let starts = line_starts(text, span.start());
    let ends = line_ends(text, span.end());
    let mut tries: Vec<((usize, usize, usize), Span)> = Vec::new();
    for start in &starts {
        for end in &ends {
            let (above, below) = (&text[*start..span.start()], &text[span.end()..*end]);
            let is_whole = |lines: &str, line: Option<&str>| {
                lines.is_empty() || line.is_some_and(|line| !line.trim().is_empty())
            };
            if is_whole(above, above.split('\n').next())
                && is_whole(below, below.rsplit('\n').next())
            {
                let lines =
                    |text: &str| text.lines().filter(|line| !line.trim().is_empty()).count();
                let cost = (lines(above) + lines(below), below.len(), above.len());
                tries.push((cost, Span::new(*start, *end)));
            }
        }
    }
    tries.sort_by_key(|(cost, _)| *cost);
    let mut tries = tries.into_iter().map(|(_, tried)| tried);
    let found = tries.find(|tried| occurs_once(text, *tried))?;
    let before = &text[found.start()..span.start()];
    let after = &text[span.end()..found.end()];
    Some(StringEdit::new(
        &text[found.range()],
        format!("{before}{}{after}", edit.new),
    ))
}

/// Returns whether the text at `span` occurs nowhere else. Occurrences may overlap.
pub(super) fn occurs_once(text: &str, span: Span) -> bool {
    let part = &text.as_bytes()[span.range()];
    let first = memmem::find(text.as_bytes(), part);
    first == Some(span.start())
        && memmem::find(&text.as_bytes()[span.start() + 1..], part).is_none()
}

/// Returns the offset itself, and the starts of its line and of those before it.
fn line_starts(text: &str, offset: usize) -> Vec<usize> {
    let mut starts = vec![offset];
    let mut at = offset;
    for _ in 0..=LINES {
        let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
        starts.push(start);
        match start.checked_sub(1) {
            Some(before) => at = before,
            None => break,
        }
    }
    starts
}

/// Returns the offset itself, and the ends of its line and of those after it, without their line breaks.
fn line_ends(text: &str, offset: usize) -> Vec<usize> {
    let mut ends = vec![offset];
    let mut at = offset;
    for _ in 0..=LINES {
        let end = text[at..]
            .find('\n')
            .map_or(text.len(), |newline| at + newline);
        ends.push(end);
        if end == text.len() {
            break;
        }
        at = end + 1;
    }
    ends
}
