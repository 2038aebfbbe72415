//! The search texts that different callers would write for a change with `replace_text`.

use std::ops::Range;

use treegraft::source::Span;

use crate::text::{
    difference, is_unique, line_bounds, lines_around, replaced, tokens, trimmed_range,
};

use super::Site;

/// The maximum number of surrounding lines or tokens.
const GROWTH: usize = 40;
/// The maximum number of search texts that are tried for one change in one way.
const TRIES: usize = 60;
/// Longer texts than this number of lines have an elided middle.
const COPIED: usize = 3;

/// How a search text is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// The changed lines, with surrounding lines if they are not unique.
    Lines,
    /// The first and last words of these lines, with an elided middle.
    Elided,
    /// The fewest tokens that contain the change and occur once.
    Tokens,
    /// The changed tokens between two markers, with the fewest surrounding tokens.
    Marked,
    /// Two adjacent markers where text is added, with the fewest surrounding tokens.
    Point,
}

/// A search text and the replacement of the text that it selects.
#[derive(Clone, Debug)]
pub(crate) struct TextEdit {
    pub(crate) way: Way,
    pub(crate) find: String,
    /// The intended text.
    pub(crate) target: Span,
    pub(crate) new_content: String,
    /// The offset of the new content in the expected text.
    pub(crate) start: usize,
}

/// Returns search texts for a change. Each selects the intended text.
pub(crate) fn text_edits(site: &Site<'_>) -> Vec<TextEdit> {
    let changed = slid(site.old_text(), site.new_text());
    let ways = [Way::Tokens, Way::Marked, Way::Point];
    let around = ways
        .into_iter()
        .filter_map(|way| around(site, way, changed));
    let of_lines = [by_lines(site), by_words(site)].into_iter().flatten();
    of_lines.chain(around).collect()
}

/// Returns the differing span. If possible, it starts with a newline instead of ending with one.
fn slid(old: &str, new: &str) -> Span {
    let (changed, came) = difference(old, new);
    let (mut start, mut end) = (changed.start(), changed.end());
    let mut rest = match (changed.is_empty(), came.is_empty()) {
        (true, false) => &new[came.range()],
        (false, true) => &old[changed.range()],
        _ => return changed,
    };
    while let (Some(before), Some(last)) =
        (old[..start].chars().next_back(), rest.chars().next_back())
        && before == last
        && before.is_whitespace()
    {
        start -= before.len_utf8();
        end -= before.len_utf8();
        rest = &rest[..rest.len() - last.len_utf8()];
        if rest.is_empty() {
            return changed;
        }
    }
    Span::new(start, end)
}

/// Copies the changed lines.
fn by_lines(site: &Site<'_>) -> Option<TextEdit> {
    changed_lines(site).find_map(|range| {
        let mut find = site.old_text()[range.clone()].to_string();
        let mut new_content = replaced(site.old_text(), site.new_text(), range.clone());
        if !new_content.is_empty() {
            for text in [&mut find, &mut new_content] {
                text.truncate(text.trim_end_matches(['\r', '\n']).len());
            }
        }
        let edit = TextEdit {
            way: Way::Lines,
            find,
            start: range.start,
            target: trimmed_range(site.old_text(), range),
            new_content,
        };
        verified(site, edit)
    })
}

/// Yields the lines of a hunk with the fewest surrounding lines for which both sides start and end with text, then with
/// more.
fn changed_lines<'s>(site: &'s Site<'_>) -> impl Iterator<Item = Range<usize>> + use<'s> {
    let bounds = line_bounds(site.old_text());
    steps(GROWTH).filter_map(move |(ahead, after)| {
        let range = lines_around(&bounds, &site.hunk.old, ahead, after)?;
        let old = &site.old_text()[range.clone()];
        let new = replaced(site.old_text(), site.new_text(), range.clone());
        let fits = match new.trim().is_empty() {
            true => new.is_empty() && !old.trim().is_empty(),
            false => !begins_or_ends_blank(old) && !begins_or_ends_blank(&new),
        };
        fits.then_some(range)
    })
}

/// Yields how many steps to grow on each side: the fewest first.
fn steps(most: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..=most).flat_map(|sum| (0..=sum).map(move |ahead| (ahead, sum - ahead)))
}

/// Selects the changed lines by their first and last words.
fn by_words(site: &Site<'_>) -> Option<TextEdit> {
    let range = changed_lines(site).next()?;
    let target = trimmed_range(site.old_text(), range.clone());
    let own = &site.old_text()[target.range()];
    let new_content = replaced(site.old_text(), site.new_text(), range.clone());
    if own.matches('\n').count() < COPIED {
        return None;
    }
    // Removed blank lines have no words.
    let blank = match new_content.is_empty() {
        true => [range.start..target.start(), target.end()..range.end],
        false => [0..0, 0..0],
    };
    let [above, below] = blank.map(|blank| &site.old_text()[blank]);
    let words: Vec<Range<usize>> = own
        .split_whitespace()
        .map(|word| word.as_ptr() as usize - own.as_ptr() as usize)
        .zip(own.split_whitespace())
        .map(|(at, word)| at..at + word.len())
        .collect();
    let finds = steps(GROWTH).filter_map(|(ahead, after)| {
        let end = words.get(ahead)?.end;
        let start = words.get(words.len().checked_sub(after + 1)?)?.start;
        (end < start).then(|| format!("{above}{}<..>{}{below}", &own[..end], &own[start..]))
    });
    let edit = |find| TextEdit {
        way: Way::Elided,
        find,
        target,
        new_content: new_content.trim_end_matches(['\r', '\n']).to_string(),
        start: range.start,
    };
    finds
        .take(TRIES)
        .find_map(|find| verified(site, edit(find)))
}

/// Selects the change by tokens, with the fewest surrounding tokens that make it unique.
fn around(site: &Site<'_>, way: Way, changed: Span) -> Option<TextEdit> {
    let old = site.old_text();
    let changed = match (way, changed.is_empty()) {
        (Way::Marked, true) | (Way::Point, false) => return None,
        // Callers do not put markers into whitespace.
        (Way::Marked, false) => {
            let whole = growing(site, changed).next();
            whole.map_or(changed, |range| Span::new(range.start, range.end))
        }
        _ => changed,
    };
    let unique = growing(site, changed).filter(|range| is_unique(old, &old[range.clone()]));
    unique.take(TRIES / 4).find_map(|range| {
        let parts = [
            &old[range.start..changed.start()],
            &old[changed.range()],
            &old[changed.end()..range.end],
        ];
        let (find, content, target) = match way {
            Way::Marked => (
                parts.join("<|>"),
                changed.range(),
                trimmed_range(old, changed.range()),
            ),
            Way::Point => (parts.join("<|>"), changed.range(), changed),
            _ => (
                old[range.clone()].to_string(),
                range.clone(),
                Span::new(range.start, range.end),
            ),
        };
        let edit = TextEdit {
            way,
            find,
            target,
            start: content.start,
            new_content: replaced(old, site.new_text(), content),
        };
        verified(site, edit)
    })
}

/// Returns the edit if its search text selects exactly the intended text.
fn verified(site: &Site<'_>, edit: TextEdit) -> Option<TextEdit> {
    site.selects(&edit.find, edit.target).then_some(edit)
}

/// Yields the texts that contain the change, start and end with a token, and whose new text does too: those with the
/// fewest tokens first.
fn growing<'s>(site: &'s Site<'_>, changed: Span) -> impl Iterator<Item = Range<usize>> + use<'s> {
    let old = site.old_text();
    // Tokens far away are not useful.
    let ahead = old[..changed.start()].rmatch_indices('\n').nth(GROWTH);
    let from = ahead.map_or(0, |(at, _)| at);
    let after = old[changed.end()..].match_indices('\n').nth(GROWTH);
    let to = after.map_or(old.len(), |(at, _)| changed.end() + at);
    let tokens = tokens(&old[from..to]).into_iter();
    let tokens: Vec<Range<usize>> = tokens
        .map(|token| token.start + from..token.end + from)
        .collect();
    // The first touched token, and the one after the last.
    let first = tokens.partition_point(|token| token.end <= changed.start());
    let last = tokens.partition_point(|token| token.start < changed.end());
    steps(GROWTH).filter_map(move |(ahead, after)| {
        let first = first.checked_sub(ahead)?;
        let last = (last + after).checked_sub(1)?;
        let range = tokens.get(first)?.start..tokens.get(last)?.end;
        let holds = range.start <= changed.start() && changed.end() <= range.end;
        let new = replaced(
            old,
            site.new_text(),
            (holds && first <= last).then(|| range.clone())?,
        );
        (new.trim() == new).then_some(range)
    })
}

/// Returns whether the first or the last line of a text is blank.
fn begins_or_ends_blank(text: &str) -> bool {
    let mut lines = text.lines();
    let first = lines.next();
    let last = lines.next_back().or(first);
    let is_blank = |line: &Option<&str>| line.is_none_or(|line| line.trim().is_empty());
    [first, last].iter().any(is_blank)
}
