//! The search texts that different callers would write for a change with `replace_text`.

use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices};
use treegraft::locate::{Scope, SymbolScope};
use treegraft::parse::Parsed;
use treegraft::select::{self, Anchor, Selector};
use treegraft::source::Span;

use super::baseline::{is_unique, replaced, token_bounds};
use super::history::Hunk;
use super::meaning::difference;
use super::pointing::Way;

/// The maximum number of surrounding lines or tokens.
const GROWTH: usize = 40;
/// The maximum number of search texts that are tried for one change in one way.
const TRIES: usize = 60;
/// The maximum number of lines that are copied. Longer texts have an elided middle.
const COPIED: usize = 3;

/// A search text and the replacement of the text that it selects.
#[derive(Clone, Debug)]
pub(crate) struct TextEdit {
    pub(crate) way: Way,
    pub(crate) scope: Option<Scope>,
    pub(crate) find: String,
    /// The intended text.
    pub(crate) target: Span,
    pub(crate) new_content: String,
    /// The offset of the new content in the expected text.
    pub(crate) start: usize,
    /// Whether the middle is elided, or whitespace differs from the file.
    pub(crate) is_short: bool,
}

impl TextEdit {
    /// Returns the content for `indent: verbatim`, if possible. If the search text starts with the
    /// first word of a line, so does the content, and its line has the indentation of the old one.
    pub(crate) fn verbatim(&self, old: &str) -> Option<String> {
        let ahead = &old[self.start..self.target.start()];
        let ahead = if self.find.starts_with(ahead) {
            ""
        } else {
            ahead
        };
        self.new_content.strip_prefix(ahead).map(str::to_string)
    }
}

/// A change to express.
struct Change<'a> {
    before: &'a Parsed,
    old: &'a str,
    wanted: &'a str,
}

/// Returns search texts for a change. Each selects the intended text.
pub(crate) fn text_edits(before: &Parsed, wanted: &str, hunk: &Hunk) -> Vec<TextEdit> {
    let change = Change {
        before,
        old: before.source().text(),
        wanted,
    };
    let mut edits = Vec::new();
    edits.extend(change.by_lines(hunk));
    edits.extend(change.by_words(hunk));
    let changed = slid(change.old, wanted);
    edits.extend(change.by_least_text(changed, None));
    edits.extend(change.between_markers(changed, None));
    edits.extend(change.at_point(changed));
    if let Some((scope, within)) = change.scope(changed) {
        let scope = Some((scope, within));
        edits.extend(change.by_least_text(changed, scope.clone()));
        edits.extend(change.between_markers(changed, scope));
    }
    edits.extend(change.elided(changed));
    edits
}

/// Returns the shortest search text for each place of a change in several places, or `None` if it
/// is in one place. `allows_one_space` also allows one space for the whitespace between two lines.
pub(crate) fn several_edits(
    before: &Parsed,
    wanted: &str,
    allows_one_space: bool,
) -> Option<Vec<TextEdit>> {
    let old = before.source().text();
    let (changed, came) = difference(old, wanted);
    let places = places(&old[changed.range()], &wanted[came.range()])?;
    let edits = places.into_iter().map(|(own_old, new)| {
        let (start, end) = (
            changed.start() + own_old.start,
            changed.start() + own_old.end,
        );
        let own_wanted = format!("{}{new}{}", &old[..start], &old[end..]);
        let change = Change {
            before,
            old,
            wanted: &own_wanted,
        };
        let own = slid(old, &own_wanted);
        let mut found = change.by_least_text(own, None);
        found.extend(change.between_markers(own, None));
        found.extend(change.at_point(own));
        found.extend(change.elided(own));
        found.retain(|edit| allows_one_space || !edit.is_short);
        found
            .into_iter()
            .min_by_key(|edit| edit.find.len() + edit.new_content.len())
    });
    edits.collect()
}

/// Returns the places where two texts differ: ranges of the old text, and their new text. Nearby
/// places are merged.
fn places(old: &str, new: &str) -> Option<Vec<(Range<usize>, String)>> {
    /// Up to this distance, sending the text between two places costs less than another edit.
    const NEAR: usize = 24;
    const MOST: usize = 8;
    let (old_bounds, new_bounds) = (token_bounds(old), token_bounds(new));
    let pieces = |text: &'_ str, bounds: &[usize]| -> Vec<String> {
        let pairs = bounds.windows(2);
        pairs
            .map(|pair| text[pair[0]..pair[1]].to_string())
            .collect()
    };
    let (own, other) = (pieces(old, &old_bounds), pieces(new, &new_bounds));
    let mut places: Vec<(Range<usize>, Range<usize>)> = Vec::new();
    for operation in capture_diff_slices(Algorithm::Myers, &own, &other) {
        if matches!(operation, DiffOp::Equal { .. }) {
            continue;
        }
        let (from, to) = (operation.old_range(), operation.new_range());
        let from = old_bounds[from.start]..old_bounds[from.end];
        let to = new_bounds[to.start]..new_bounds[to.end];
        match places.last_mut() {
            Some((last, came)) if from.start - last.end < NEAR => {
                last.end = from.end;
                came.end = to.end;
            }
            _ => places.push((from, to)),
        }
    }
    let is_several = (2..=MOST).contains(&places.len());
    let places = places.into_iter();
    let texts = places.map(|(from, to)| (from, new[to].to_string()));
    is_several.then(|| texts.collect())
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

impl Change<'_> {
    /// Copies the changed lines.
    fn by_lines(&self, hunk: &Hunk) -> Option<TextEdit> {
        let lines = Lines::of(self.old);
        lines.around(self, hunk).find_map(|range| {
            let start = range.start;
            let own = &self.old[range.clone()];
            let new_content = replaced(self.old, self.wanted, range.clone());
            let find = match new_content.is_empty() {
                true => own,
                false => without_line_break(own),
            };
            let new_content = match new_content.is_empty() {
                true => new_content,
                false => without_line_break(&new_content).to_string(),
            };
            self.verified(TextEdit {
                way: Way::Lines,
                scope: None,
                find: find.to_string(),
                target: trimmed(self.old, range),
                new_content,
                start,
                is_short: false,
            })
        })
    }

    /// Selects the changed lines by the first words of the first and the last words of the last
    /// line.
    fn by_words(&self, hunk: &Hunk) -> Option<TextEdit> {
        let lines = Lines::of(self.old);
        let range = lines.around(self, hunk).next()?;
        let target = trimmed(self.old, range.clone());
        let own = &self.old[target.range()];
        if own.matches('\n').count() < COPIED {
            return None;
        }
        let whole = &self.old[range.clone()];
        let new_content = replaced(self.old, self.wanted, range.clone());
        let new_content = without_line_break(&new_content).to_string();
        // Removed blank lines have no words.
        let blanks = match new_content.is_empty() {
            true => [
                &whole[..target.start() - range.start],
                &whole[target.end() - range.start..],
            ],
            false => ["", ""],
        };
        let line_start = range.start;
        let words: Vec<(usize, &str)> = own
            .split_whitespace()
            .map(|word| (word.as_ptr() as usize - own.as_ptr() as usize, word))
            .collect();
        let ends = words.iter().map(|(at, word)| at + word.len());
        let first: Vec<usize> = ends.take(GROWTH).collect();
        let last: Vec<usize> = words.iter().rev().map(|(at, _)| *at).take(GROWTH).collect();
        let steps = (2..GROWTH).flat_map(|sum| (1..sum).map(move |ahead| (ahead, sum - ahead)));
        let pairs = steps.filter_map(|(ahead, after)| {
            let (start, end) = (*first.get(ahead - 1)?, *last.get(after - 1)?);
            let [ahead, after] = blanks;
            let find = || format!("{ahead}{}<..>{}{after}", &own[..start], &own[end..]);
            (start < end).then(find)
        });
        let edit = |find| TextEdit {
            way: Way::Elided,
            scope: None,
            find,
            target,
            new_content: new_content.clone(),
            start: line_start,
            is_short: true,
        };
        pairs.take(TRIES).find_map(|find| self.verified(edit(find)))
    }

    /// Selects the fewest tokens that contain the change.
    fn by_least_text(&self, changed: Span, scope: Option<(Scope, Span)>) -> Vec<TextEdit> {
        let (scope, within) = self.split(scope);
        let found = self.growing(changed, within).find_map(|range| {
            let new_content = replaced(self.old, self.wanted, range.clone());
            self.verified(TextEdit {
                way: if scope.is_some() {
                    Way::InScope
                } else {
                    Way::LeastText
                },
                scope: scope.clone(),
                find: self.old[range.clone()].to_string(),
                target: Span::new(range.start, range.end),
                new_content,
                start: range.start,
                is_short: false,
            })
        });
        let with_one_space = found.as_ref().and_then(|found| self.with_one_space(found));
        found.into_iter().chain(with_one_space).collect()
    }

    /// Selects the change between markers, with the fewest surrounding tokens that make it unique.
    fn between_markers(&self, changed: Span, scope: Option<(Scope, Span)>) -> Vec<TextEdit> {
        let (scope, within) = self.split(scope);
        // Callers do not put markers into whitespace.
        let tokens = match changed.is_empty() {
            true => None,
            false => self.growing_unchecked(changed).next(),
        };
        let changed = tokens.map_or(changed, |range| Span::new(range.start, range.end));
        let new_content = replaced(self.old, self.wanted, changed.range());
        let found = self.growing(changed, within).find_map(|range| {
            let parts = [
                &self.old[range.start..changed.start()],
                &self.old[changed.range()],
                &self.old[changed.end()..range.end],
            ];
            let target = trimmed(self.old, changed.range());
            self.verified(TextEdit {
                way: if scope.is_some() {
                    Way::MarkedInScope
                } else {
                    Way::Marked
                },
                scope: scope.clone(),
                find: parts.join("<|>"),
                target,
                new_content: new_content.clone(),
                start: changed.start(),
                is_short: false,
            })
        });
        let with_one_space = found.as_ref().and_then(|found| self.with_one_space(found));
        found.into_iter().chain(with_one_space).collect()
    }

    /// Selects an insertion point with two adjacent markers after or before a token.
    fn at_point(&self, changed: Span) -> Vec<TextEdit> {
        if !changed.is_empty() {
            return Vec::new();
        }
        let at = changed.start();
        let new_content = replaced(self.old, self.wanted, changed.range());
        let found = self
            .growing(changed, self.before.source().whole())
            .find_map(|range| {
                let parts = [&self.old[range.start..at], &self.old[at..range.end]];
                self.verified(TextEdit {
                    way: Way::Point,
                    scope: None,
                    find: parts.join("<|><|>"),
                    target: changed,
                    new_content: new_content.clone(),
                    start: at,
                    is_short: false,
                })
            });
        let with_one_space = found.as_ref().and_then(|found| self.with_one_space(found));
        found.into_iter().chain(with_one_space).collect()
    }

    /// Selects the change with an elided middle.
    fn elided(&self, changed: Span) -> Vec<TextEdit> {
        let Some(range) = self.growing_unchecked(changed).next() else {
            return Vec::new();
        };
        let own = &self.old[range.clone()];
        if own.len() < COPIED * 10 {
            return Vec::new();
        }
        let tokens = tokens(own);
        let count = tokens.len().min(GROWTH / 2);
        let steps = (2..=2 * count).flat_map(|sum| (1..sum).map(move |ahead| (ahead, sum - ahead)));
        let mut finds: Vec<String> = steps
            .filter(|(ahead, after)| *ahead <= count && *after <= count)
            .filter_map(|(ahead, after)| {
                let start = tokens[ahead - 1].end;
                let end = tokens[tokens.len() - after].start;
                let is_shorter = start + "<..>".len() < end;
                is_shorter.then(|| format!("{}<..>{}", &own[..start], &own[end..]))
            })
            .filter(|find| find.len() < own.len())
            .collect();
        finds.sort_by_key(String::len);
        let new_content = replaced(self.old, self.wanted, range.clone());
        let edit = |find| TextEdit {
            way: Way::ElidedLeast,
            scope: None,
            find,
            target: Span::new(range.start, range.end),
            new_content: new_content.clone(),
            start: range.start,
            is_short: true,
        };
        let mut tried = finds.into_iter().take(TRIES);
        tried
            .find_map(|find| self.verified(edit(find)))
            .into_iter()
            .collect()
    }

    /// Returns the same search text with one space for each newline and the indentation after it.
    fn with_one_space(&self, edit: &TextEdit) -> Option<TextEdit> {
        let lines: Vec<&str> = edit.find.split('\n').collect();
        let (first, rest) = lines.split_first()?;
        let rest = rest.iter().map(|line| line.trim());
        let rest: Vec<&str> = rest.filter(|line| !line.is_empty()).collect();
        let joined = format!("{} {}", first.trim_end(), rest.join(" "));
        if rest.is_empty() || edit.find.trim() != edit.find {
            return None;
        }
        self.verified(TextEdit {
            way: Way::OneBlank,
            find: joined,
            is_short: true,
            ..edit.clone()
        })
    }

    /// Returns the edit if its search text selects exactly the intended text.
    fn verified(&self, edit: TextEdit) -> Option<TextEdit> {
        let selector = Selector {
            anchor: Anchor::Part(edit.find.clone()),
            ancestor_node_type: Vec::new(),
            scope: edit.scope.clone(),
            nth: None,
            outward: 0,
            sibling: 0,
        };
        let selection = select::select(self.before, &selector).ok()?;
        (selection.span() == edit.target).then_some(edit)
    }

    fn split(&self, scope: Option<(Scope, Span)>) -> (Option<Scope>, Span) {
        match scope {
            Some((scope, within)) => (Some(scope), within),
            None => (None, self.before.source().whole()),
        }
    }

    /// Returns the innermost symbol that encloses the change.
    fn scope(&self, changed: Span) -> Option<(Scope, Span)> {
        let outline = self.before.outline();
        let symbols = outline.symbols().iter().enumerate();
        let enclosing = symbols.filter(|(_, symbol)| symbol.span.contains(changed));
        let (index, symbol) = enclosing.min_by_key(|(_, symbol)| symbol.span.len())?;
        let symbol_path = outline.short_path(index);
        Some((Scope::Symbol(SymbolScope { symbol_path }), symbol.span))
    }

    /// Yields the texts that contain the change, start and end with a token, and occur once in the
    /// scope: those with the fewest tokens first, the shortest of them first.
    fn growing(&self, changed: Span, within: Span) -> impl Iterator<Item = Range<usize>> {
        let text = &self.old[within.range()];
        let all = self.growing_unchecked(changed);
        all.filter(move |range| {
            let is_inside = within.start() <= range.start && range.end <= within.end();
            is_inside && is_unique(text, &self.old[range.clone()])
        })
        .take(TRIES / 4)
    }

    /// Returns whether the new text of a range has no surrounding whitespace.
    fn is_trimmed(&self, range: &Range<usize>) -> bool {
        let new = replaced(self.old, self.wanted, range.clone());
        new.trim() == new
    }

    /// Yields the same texts, unique or not.
    fn growing_unchecked(&self, changed: Span) -> impl Iterator<Item = Range<usize>> {
        let near = |line: Option<usize>| line.unwrap_or(0);
        // Tokens far away are not useful.
        let ahead = self.old[..changed.start()].rmatch_indices('\n').nth(GROWTH);
        let from = near(ahead.map(|(at, _)| at));
        let after = self.old[changed.end()..].match_indices('\n').nth(GROWTH);
        let to = after.map_or(self.old.len(), |(at, _)| changed.end() + at);
        let tokens: Vec<Range<usize>> = tokens(&self.old[from..to])
            .into_iter()
            .map(|token| token.start + from..token.end + from)
            .collect();
        // The first touched token, and the one after the last.
        let first = tokens.partition_point(|token| token.end <= changed.start());
        let last = tokens.partition_point(|token| token.start < changed.end());
        let steps = (0..=GROWTH).flat_map(|sum| (0..=sum).map(move |ahead| (ahead, sum - ahead)));
        let ranges = steps.filter_map(move |(ahead, after)| {
            let first = first.checked_sub(ahead)?;
            let last = (last + after).checked_sub(1)?;
            let range = tokens.get(first)?.start..tokens.get(last)?.end;
            let holds = range.start <= changed.start() && changed.end() <= range.end;
            (holds && first <= last && self.is_trimmed(&range)).then_some(range)
        });
        let mut ranges: Vec<Range<usize>> = ranges.collect();
        ranges.dedup();
        ranges.into_iter()
    }
}

/// The lines of a text.
struct Lines {
    ends: Vec<usize>,
}

impl Lines {
    fn of(text: &str) -> Lines {
        let mut ends: Vec<usize> = text.match_indices('\n').map(|(at, _)| at + 1).collect();
        if ends.last() != Some(&text.len()) {
            ends.push(text.len());
        }
        ends.insert(0, 0);
        Lines { ends }
    }

    /// Yields the lines of a hunk with the fewest surrounding lines for which both sides start and
    /// end with text, then with more.
    fn around(&self, change: &Change<'_>, hunk: &Hunk) -> impl Iterator<Item = Range<usize>> {
        let at = |offset: usize| self.ends.partition_point(|end| *end < offset);
        let (first, last) = (at(hunk.old.start), at(hunk.old.end));
        let steps = (0..GROWTH).flat_map(|sum| (0..=sum).map(move |ahead| (ahead, sum - ahead)));
        steps.filter_map(move |(ahead, after)| {
            let (first, last) = (first.checked_sub(ahead)?, last + after);
            let range = *self.ends.get(first)?..*self.ends.get(last)?;
            let old = &change.old[range.clone()];
            let new = replaced(change.old, change.wanted, range.clone());
            let fits = match new.trim().is_empty() {
                true => new.is_empty() && !old.trim().is_empty(),
                false => !begins_or_ends_blank(old) && !begins_or_ends_blank(&new),
            };
            fits.then_some(range)
        })
    }
}

/// Returns whether the first or the last line of a text is blank.
fn begins_or_ends_blank(text: &str) -> bool {
    let mut lines = text.lines();
    let first = lines.next();
    let last = lines.next_back().or(first);
    [first, last]
        .iter()
        .any(|line| line.is_none_or(|line| line.trim().is_empty()))
}

fn without_line_break(text: &str) -> &str {
    let text = text.strip_suffix('\n').unwrap_or(text);
    text.strip_suffix('\r').unwrap_or(text)
}

fn trimmed(text: &str, range: Range<usize>) -> Span {
    let own = &text[range.clone()];
    if own.trim().is_empty() {
        return Span::new(range.start, range.end);
    }
    let start = range.start + (own.len() - own.trim_start().len());
    Span::new(start, range.start + own.trim_end().len())
}

/// Returns the words and punctuation of a text.
fn tokens(text: &str) -> Vec<Range<usize>> {
    let mut tokens: Vec<Range<usize>> = Vec::new();
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut in_word = false;
    for (at, c) in text.char_indices() {
        let end = at + c.len_utf8();
        match tokens.last_mut() {
            Some(last) if in_word && is_word(c) => last.end = end,
            _ if c.is_whitespace() => {}
            _ => tokens.push(at..end),
        }
        in_word = is_word(c);
    }
    tokens
}
