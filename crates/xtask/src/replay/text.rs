//! A change to the finds that different callers would write for `replace_text`.

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

/// How many lines or tokens around a change are taken along at most.
const GROWTH: usize = 40;
/// How many finds are tried for one change in one way.
const TRIES: usize = 60;
/// How many lines are copied whole; of more the middle is elided.
const COPIED: usize = 3;

/// A find, and what comes instead of the text it names.
#[derive(Clone, Debug)]
pub(crate) struct TextEdit {
    pub(crate) way: Way,
    pub(crate) scope: Option<Scope>,
    pub(crate) find: String,
    /// The text that is meant.
    pub(crate) target: Span,
    pub(crate) new_content: String,
    /// Where that stands in the wanted text.
    pub(crate) start: usize,
    /// Whether a middle is elided, or white space is written otherwise than in the file.
    pub(crate) is_short: bool,
}

impl TextEdit {
    /// The content as it is to be written, if it can be: where the find begins with the first word of a line, so does
    /// the content, and its line is as deep as the old one.
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

/// A change of a text that is to be said.
struct Change<'a> {
    before: &'a Parsed,
    old: &'a str,
    wanted: &'a str,
}

/// The finds for a change, each of which names the text that is meant.
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

/// The finds for a change in several places, each by the shortest call; nothing where it is in one.
/// `may_bend`: also with one blank for what stands between two lines.
pub(crate) fn several_edits(
    before: &Parsed,
    wanted: &str,
    may_bend: bool,
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
        found.retain(|edit| may_bend || !edit.is_short);
        found
            .into_iter()
            .min_by_key(|edit| edit.find.len() + edit.new_content.len())
    });
    edits.collect()
}

/// The places where two texts differ: ranges of the old one, and what comes there. Those next to each
/// other are one.
fn places(old: &str, new: &str) -> Option<Vec<(Range<usize>, String)>> {
    /// What stands between two places costs less, sent twice, than another edit.
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

/// What differs, as it begins with a line break rather than ends with one where both are possible.
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
    /// The lines that change, copied.
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
            self.naming(TextEdit {
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

    /// The lines that change, by the first words of the first and the last words of the last.
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
        // Blank lines that go have no words.
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
        let pairs = steps.filter_map(|(ahead, behind)| {
            let (start, end) = (*first.get(ahead - 1)?, *last.get(behind - 1)?);
            let [ahead, behind] = blanks;
            let find = || format!("{ahead}{}<..>{}{behind}", &own[..start], &own[end..]);
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
        pairs.take(TRIES).find_map(|find| self.naming(edit(find)))
    }

    /// The fewest tokens with the change in them.
    fn by_least_text(&self, changed: Span, scope: Option<(Scope, Span)>) -> Vec<TextEdit> {
        let (scope, within) = self.split(scope);
        let found = self.growing(changed, within).find_map(|range| {
            let new_content = replaced(self.old, self.wanted, range.clone());
            self.naming(TextEdit {
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
        let bent = found.as_ref().and_then(|found| self.bent(found));
        found.into_iter().chain(bent).collect()
    }

    /// The change between markers, with the fewest tokens around that tell where it is.
    fn between_markers(&self, changed: Span, scope: Option<(Scope, Span)>) -> Vec<TextEdit> {
        let (scope, within) = self.split(scope);
        // Nobody puts a marker into white space.
        let tokens = match changed.is_empty() {
            true => None,
            false => self.growing_anyway(changed).next(),
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
            self.naming(TextEdit {
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
        let bent = found.as_ref().and_then(|found| self.bent(found));
        found.into_iter().chain(bent).collect()
    }

    /// What comes between two markers that stand together behind a token or before one.
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
                self.naming(TextEdit {
                    way: Way::Point,
                    scope: None,
                    find: parts.join("<|><|>"),
                    target: changed,
                    new_content: new_content.clone(),
                    start: at,
                    is_short: false,
                })
            });
        let bent = found.as_ref().and_then(|found| self.bent(found));
        found.into_iter().chain(bent).collect()
    }

    /// The change with an elided middle.
    fn elided(&self, changed: Span) -> Vec<TextEdit> {
        let Some(range) = self.growing_anyway(changed).next() else {
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
            .filter(|(ahead, behind)| *ahead <= count && *behind <= count)
            .filter_map(|(ahead, behind)| {
                let start = tokens[ahead - 1].end;
                let end = tokens[tokens.len() - behind].start;
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
            .find_map(|find| self.naming(edit(find)))
            .into_iter()
            .collect()
    }

    /// The same find with one blank for each line break and the indentation behind it.
    fn bent(&self, edit: &TextEdit) -> Option<TextEdit> {
        let lines: Vec<&str> = edit.find.split('\n').collect();
        let (first, rest) = lines.split_first()?;
        let rest = rest.iter().map(|line| line.trim());
        let rest: Vec<&str> = rest.filter(|line| !line.is_empty()).collect();
        let joined = format!("{} {}", first.trim_end(), rest.join(" "));
        if rest.is_empty() || edit.find.trim() != edit.find {
            return None;
        }
        self.naming(TextEdit {
            way: Way::OneBlank,
            find: joined,
            is_short: true,
            ..edit.clone()
        })
    }

    /// The edit, if its find names just the text that is meant.
    fn naming(&self, edit: TextEdit) -> Option<TextEdit> {
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

    /// The innermost symbol round the change.
    fn scope(&self, changed: Span) -> Option<(Scope, Span)> {
        let outline = self.before.outline();
        let symbols = outline.symbols().iter().enumerate();
        let holding = symbols.filter(|(_, symbol)| symbol.span.contains(changed));
        let (index, symbol) = holding.min_by_key(|(_, symbol)| symbol.span.len())?;
        let symbol_path = outline.short_path(index);
        Some((Scope::Symbol(SymbolScope { symbol_path }), symbol.span))
    }

    /// The texts with the change in them that begin and end with a token and stand once in the scope,
    /// the shortest of those with the fewest tokens first.
    fn growing(&self, changed: Span, within: Span) -> impl Iterator<Item = Range<usize>> {
        let text = &self.old[within.range()];
        let all = self.growing_anyway(changed);
        all.filter(move |range| {
            let is_inside = within.start() <= range.start && range.end <= within.end();
            is_inside && is_unique(text, &self.old[range.clone()])
        })
        .take(TRIES / 4)
    }

    /// Whether what comes instead of a range begins and ends with no white space.
    fn comes_without_blanks(&self, range: &Range<usize>) -> bool {
        let new = replaced(self.old, self.wanted, range.clone());
        new.trim() == new
    }

    /// The same, whether they stand once or not.
    fn growing_anyway(&self, changed: Span) -> impl Iterator<Item = Range<usize>> {
        let near = |line: Option<usize>| line.unwrap_or(0);
        // Tokens far away are of no use.
        let ahead = self.old[..changed.start()].rmatch_indices('\n').nth(GROWTH);
        let from = near(ahead.map(|(at, _)| at));
        let behind = self.old[changed.end()..].match_indices('\n').nth(GROWTH);
        let to = behind.map_or(self.old.len(), |(at, _)| changed.end() + at);
        let tokens: Vec<Range<usize>> = tokens(&self.old[from..to])
            .into_iter()
            .map(|token| token.start + from..token.end + from)
            .collect();
        // The first token that is touched, and the one behind the last.
        let first = tokens.partition_point(|token| token.end <= changed.start());
        let last = tokens.partition_point(|token| token.start < changed.end());
        let steps = (0..=GROWTH).flat_map(|sum| (0..=sum).map(move |ahead| (ahead, sum - ahead)));
        let ranges = steps.filter_map(move |(ahead, behind)| {
            let first = first.checked_sub(ahead)?;
            let last = (last + behind).checked_sub(1)?;
            let range = tokens.get(first)?.start..tokens.get(last)?.end;
            let holds = range.start <= changed.start() && changed.end() <= range.end;
            (holds && first <= last && self.comes_without_blanks(&range)).then_some(range)
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

    /// The lines of a hunk, with as few of those around as it takes for both sides to begin and end
    /// with text; then with more.
    fn around(&self, change: &Change<'_>, hunk: &Hunk) -> impl Iterator<Item = Range<usize>> {
        let at = |offset: usize| self.ends.partition_point(|end| *end < offset);
        let (first, last) = (at(hunk.old.start), at(hunk.old.end));
        let steps = (0..GROWTH).flat_map(|sum| (0..=sum).map(move |ahead| (ahead, sum - ahead)));
        steps.filter_map(move |(ahead, behind)| {
            let (first, last) = (first.checked_sub(ahead)?, last + behind);
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

/// Whether the first or the last line of a text is blank.
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

/// The words and signs of a text.
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
