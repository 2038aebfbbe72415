//! Compares texts, and finds the parts of a text that occur once.

use std::ops::Range;

use similar::TextDiff;
use treegraft::source::Span;

use crate::history::Hunk;

/// The maximum number of lines that are added to make a change unique.
const GROWTH: usize = 60;
/// The maximum number of characters that are shown of a diff.
const SHOWN: usize = 1_500;

/// Returns the differing spans of two texts, without the common start and end. Words are not split.
pub(crate) fn difference(old: &str, new: &str) -> (Span, Span) {
    let is_same = |(one, other): &(char, char)| one == other;
    let common = old.chars().zip(new.chars()).take_while(is_same);
    let mut front: usize = common.map(|(c, _)| c.len_utf8()).sum();
    let splits = |text: &str, at: usize| {
        let before = text[..at].chars().next_back();
        before.is_some_and(is_word) && text[at..].chars().next().is_some_and(is_word)
    };
    while splits(old, front) || splits(new, front) {
        front -= old[..front].chars().next_back().map_or(1, char::len_utf8);
    }
    let (old_rest, new_rest) = (&old[front..], &new[front..]);
    let common = old_rest.chars().rev().zip(new_rest.chars().rev());
    let mut back: usize = common.take_while(is_same).map(|(c, _)| c.len_utf8()).sum();
    while splits(old, old.len() - back) || splits(new, new.len() - back) {
        let first = old[old.len() - back..].chars().next();
        back -= first.map_or(1, char::len_utf8);
    }
    (
        Span::new(front, old.len() - back),
        Span::new(front, new.len() - back),
    )
}

/// Returns the start of a diff for people.
pub(crate) fn diff(old: &str, new: &str) -> String {
    let diff = TextDiff::from_lines(old, new);
    let shown = diff.unified_diff().context_radius(2).to_string();
    shown.chars().take(SHOWN).collect()
}

pub(crate) fn without_whitespace(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
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

/// Returns the lines of a hunk with the fewest surrounding lines that make them unique; of several, the shortest. The
/// last newline is left out if both sides have one.
pub(crate) fn unique_lines(before: &str, wanted: &str, hunk: &Hunk) -> Option<Range<usize>> {
    let bounds = line_bounds(before);
    let cut = |range: Range<usize>| {
        let both = before[range.clone()].ends_with('\n')
            && replaced(before, wanted, range.clone()).ends_with('\n');
        let bare = range.start..range.end - usize::from(both);
        let candidates = [bare, range].into_iter();
        let mut unique = candidates.filter(|range| is_unique(before, &before[range.clone()]));
        unique.next()
    };
    (0..=GROWTH).find_map(|growth| {
        let ranges = (0..=growth).filter_map(|ahead| {
            let around = lines_around(&bounds, &hunk.old, ahead, growth - ahead)?;
            cut(around)
        });
        ranges.min_by_key(|range| range.len())
    })
}

/// Returns the offsets at which the lines of a text start, and its end.
pub(crate) fn line_bounds(text: &str) -> Vec<usize> {
    let ends = text.match_indices('\n').map(|(at, _)| at + 1);
    let mut bounds: Vec<usize> = std::iter::once(0).chain(ends).collect();
    if bounds.last() != Some(&text.len()) {
        bounds.push(text.len());
    }
    bounds
}

/// Returns some lines with further lines on each side.
pub(crate) fn lines_around(
    bounds: &[usize],
    lines: &Range<usize>,
    ahead: usize,
    after: usize,
) -> Option<Range<usize>> {
    let index = |offset: usize| bounds.partition_point(|bound| *bound < offset);
    let first = index(lines.start).checked_sub(ahead)?;
    Some(*bounds.get(first)?..*bounds.get(index(lines.end) + after)?)
}

/// Returns the boundaries of tokens: words, newlines, runs of other whitespace, and single other characters.
pub(crate) fn token_bounds(text: &str) -> Vec<usize> {
    let class = |c: char| match c {
        c if is_word(c) => 1,
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

/// Returns the words and the other characters of a text, without whitespace.
pub(crate) fn tokens(text: &str) -> Vec<Range<usize>> {
    let bounds = token_bounds(text);
    let pairs = bounds.windows(2).map(|pair| pair[0]..pair[1]);
    let own = pairs.filter(|token| !text[token.clone()].trim().is_empty());
    own.collect()
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Returns the start of the line of an offset.
pub(crate) fn line_start(text: &str, offset: usize) -> usize {
    text[..offset].rfind('\n').map_or(0, |at| at + 1)
}

/// Returns whether only whitespace precedes an offset in its line.
pub(crate) fn begins_line(text: &str, offset: usize) -> bool {
    text[line_start(text, offset)..offset].trim().is_empty()
}

/// Returns the whitespace that a line starts with.
pub(crate) fn indentation(line: &str) -> &str {
    let line = line.split('\n').next().unwrap_or_default();
    &line[..line.len() - line.trim_start().len()]
}

/// Returns the indentation of the line of an offset.
pub(crate) fn margin(text: &str, offset: usize) -> &str {
    indentation(&text[line_start(text, offset)..])
}

/// Returns a range of a text without the whitespace at its ends; the range if there is nothing else.
pub(crate) fn trimmed_range(text: &str, range: Range<usize>) -> Span {
    let own = &text[range.clone()];
    if own.trim().is_empty() {
        return Span::new(range.start, range.end);
    }
    let start = range.start + (own.len() - own.trim_start().len());
    Span::new(start, range.start + own.trim_end().len())
}

/// Counts the blank lines in the whitespace between two texts.
pub(crate) fn blank_lines(space: &str) -> usize {
    space.matches('\n').count().saturating_sub(1)
}

/// Returns the lines of a text without `margin`; nothing if a line has less.
pub(crate) fn dedented(text: &str, margin: &str) -> Option<String> {
    let lines = text.split_inclusive('\n').map(|line| match line.trim() {
        "" => Some(line),
        _ => line.strip_prefix(margin),
    });
    lines.collect()
}

/// Returns whether two ranges have a byte in common, or one of them is empty and inside the other.
pub(crate) fn overlap(one: &Range<usize>, other: &Range<usize>) -> bool {
    one.start < other.end && other.start < one.end
}
