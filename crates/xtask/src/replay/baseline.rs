//! The cost of the arguments if the same change is expressed in other ways.

use std::ops::Range;

use serde_json::json;
use treegraft::source::Span;

use super::calls::bytes;
use super::history::Hunk;
use super::meaning::difference;

/// The maximum number of adjacent lines or tokens that make a change unique.
const GROWTH: usize = 60;
/// The lines of context in a diff.
const CONTEXT: usize = 3;

/// The sizes in bytes of arguments that express a change.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Baseline {
    /// Replacement of an exact, unique string of whole lines; `None` if no lines are unique.
    pub(crate) lines: Option<usize>,
    /// The same with the shortest unique text.
    pub(crate) least: Option<usize>,
    pub(crate) diff: usize,
    pub(crate) file: usize,
}

/// Computes the costs of the other ways to express a change.
pub(crate) fn baseline(path: &str, before: &str, wanted: &str, hunk: &Hunk) -> Baseline {
    let replacement = |old: &str, new: &str| {
        bytes(&json!({"file_path": path, "old_string": old, "new_string": new}))
    };
    let by_lines = unique_lines(before, wanted, hunk)
        .map(|own| replacement(&before[own.clone()], &replaced(before, wanted, own)));
    let (old, _) = difference(before, wanted);
    let by_text = unique_text(before, old)
        .map(|own| replacement(&before[own.clone()], &replaced(before, wanted, own)));
    Baseline {
        lines: by_lines,
        least: by_text,
        diff: bytes(&json!({"file_path": path, "diff": unified(path, before, hunk)})),
        file: bytes(&json!({"file_path": path, "content": wanted})),
    }
}

/// Returns the new text for a part of the old text that contains the change.
pub(crate) fn replaced(before: &str, wanted: &str, old: Range<usize>) -> String {
    wanted[old.start..wanted.len() - (before.len() - old.end)].to_string()
}

/// Returns whether `part` occurs exactly once in `text`.
pub(crate) fn is_unique(text: &str, part: &str) -> bool {
    let mut found = memchr::memmem::find_iter(text.as_bytes(), part.as_bytes());
    let Some(first) = found.next() else {
        return false;
    };
    // Occurrences may overlap.
    let next = first + part.chars().next().map_or(1, char::len_utf8);
    !part.is_empty() && memchr::memmem::find(&text.as_bytes()[next..], part.as_bytes()).is_none()
}

/// Returns the lines of a hunk with the fewest surrounding lines that make them unique.
pub(crate) fn unique_lines(before: &str, wanted: &str, hunk: &Hunk) -> Option<Range<usize>> {
    let mut ends: Vec<usize> = before.match_indices('\n').map(|(at, _)| at + 1).collect();
    if ends.last() != Some(&before.len()) {
        ends.push(before.len());
    }
    ends.insert(0, 0);
    let first = ends.partition_point(|end| *end < hunk.old.start);
    let last = ends.partition_point(|end| *end < hunk.old.end);
    cheapest(before, first, last, &ends, |range| {
        // Leave out the last newline if both sides have one.
        let has_break = |text: &str| text.ends_with('\n');
        let both = has_break(&before[range.clone()])
            && has_break(&replaced(before, wanted, range.clone()));
        let bare = range.start..range.end - usize::from(both);
        match !bare.is_empty() && is_unique(before, &before[bare.clone()]) {
            true => Some(bare),
            false => (!range.is_empty()).then_some(range),
        }
    })
}

/// Returns the change with the fewest surrounding tokens that make it unique.
fn unique_text(before: &str, changed: Span) -> Option<Range<usize>> {
    let bounds = token_bounds(before);
    let first = bounds.partition_point(|bound| *bound < changed.start() + 1) - 1;
    let last = bounds.partition_point(|bound| *bound < changed.end());
    // A change may start within a token.
    let inner = bounds[first]..bounds[last].max(bounds[first]);
    let exact = changed.start()..changed.end();
    if !exact.is_empty() && is_unique(before, &before[exact.clone()]) {
        return Some(exact);
    }
    let first = bounds.partition_point(|bound| *bound < inner.start);
    cheapest(before, first, last.max(first), &bounds, |range| {
        (!range.is_empty()).then_some(range)
    })
}

/// Returns the unique text between two bounds around a change with the fewest steps; of several,
/// the shortest.
fn cheapest(
    text: &str,
    first: usize,
    last: usize,
    bounds: &[usize],
    cut: impl Fn(Range<usize>) -> Option<Range<usize>>,
) -> Option<Range<usize>> {
    for growth in 0..=GROWTH {
        let mut best: Option<Range<usize>> = None;
        for ahead in 0..=growth {
            let Some(start) = first.checked_sub(ahead) else {
                break;
            };
            let end = last + growth - ahead;
            if end >= bounds.len() {
                continue;
            }
            let range = cut(bounds[start]..bounds[end]);
            let range = range.filter(|range| is_unique(text, &text[range.clone()]));
            if let Some(range) = range
                && best.as_ref().is_none_or(|best| range.len() < best.len())
            {
                best = Some(range);
            }
        }
        if best.is_some() {
            return best;
        }
    }
    None
}

/// Returns the boundaries of tokens: words, runs of whitespace, and single other characters.
pub(crate) fn token_bounds(text: &str) -> Vec<usize> {
    let class = |c: char| match c {
        c if c.is_alphanumeric() || c == '_' => 1,
        '\n' => 2,
        c if c.is_whitespace() => 3,
        _ => 0,
    };
    let mut bounds = vec![0];
    let mut last = None;
    for (at, c) in text.char_indices() {
        let own = class(c);
        if at > 0 && (own == 0 || last != Some(own)) {
            bounds.push(at);
        }
        last = Some(own);
    }
    if bounds.last() != Some(&text.len()) {
        bounds.push(text.len());
    }
    bounds
}

/// Returns a unified diff of one hunk.
fn unified(path: &str, before: &str, hunk: &Hunk) -> String {
    let ahead: Vec<&str> = before[..hunk.old.start].split_inclusive('\n').collect();
    let context = &ahead[ahead.len().saturating_sub(CONTEXT)..];
    let after = before[hunk.old.end..].split_inclusive('\n');
    let after: Vec<&str> = after.take(CONTEXT).collect();
    let shown = context.len() + after.len();
    let first = ahead.len() - context.len() + 1;
    let (old, new) = (hunk.lines.0 + shown, hunk.lines.1 + shown);
    let mut diff = format!("--- a/{path}\n+++ b/{path}\n@@ -{first},{old} +{first},{new} @@\n");
    let mut push = |sign: char, line: &str| {
        diff.push(sign);
        diff.push_str(line.trim_end_matches('\n'));
        diff.push('\n');
    };
    for line in context {
        push(' ', line);
    }
    for line in before[hunk.old.clone()].split_inclusive('\n') {
        push('-', line);
    }
    for line in hunk.new.split_inclusive('\n') {
        push('+', line);
    }
    for line in after {
        push(' ', line);
    }
    diff
}
