//! Mistakes in the anchor. Each function breaks the anchor, and returns whether the intended place
//! can still be determined.

use treegraft::locate::{LineScope, Scope};
use treegraft::parse::{Node, Parsed};
use treegraft::select::{self, Anchor, SelectError, Selector};
use treegraft::source::Span;

use super::draw::{Drawn, Random, matching_nodes, word_ends};

/// The maximum number of candidates in a refusal.
const CANDIDATES: usize = 10;
/// The minimum similarity for a line of an older version to count as the same line.
const SAME_LINE: f64 = 0.5;

/// A mistake in the anchor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Slip {
    SpaceAdded,
    SpaceDropped,
    TabForSpaces,
    SpaceForLineBreak,
    LetterDropped,
    LettersSwapped,
    LetterCase,
    Quotes,
}

/// Breaks the anchor. Returns `None` if the mistake does not apply to it.
pub(super) fn slipped(slip: Slip, anchor: &str, random: &mut Random) -> Option<String> {
    let slipped = match slip {
        Slip::SpaceAdded => {
            let ends: Vec<usize> = token_ends(anchor);
            let at = *random.pick(&ends)?;
            format!("{} {}", &anchor[..at], &anchor[at..])
        }
        Slip::SpaceDropped => {
            let (start, end) = *random.pick(&blanks(anchor))?;
            format!("{}{}", &anchor[..start], &anchor[end..])
        }
        Slip::TabForSpaces => {
            let (start, end) = *random.pick(&blanks(anchor))?;
            format!("{}\t{}", &anchor[..start], &anchor[end..])
        }
        // This needs a second line: see `two_lines`.
        Slip::SpaceForLineBreak => {
            let (first, second) = anchor.split_once('\n')?;
            format!("{} {}", first.trim_end(), second.trim_start())
        }
        Slip::LetterDropped => {
            let letters = letters(anchor);
            let at = *random.pick(&letters)?;
            let length = anchor[at..].chars().next().map_or(0, char::len_utf8);
            format!("{}{}", &anchor[..at], &anchor[at + length..])
        }
        Slip::LettersSwapped => {
            let letters = letters(anchor);
            let pairs: Vec<(usize, char, char)> = letters
                .iter()
                .filter_map(|at| {
                    let mut own = anchor[*at..].chars();
                    let (one, other) = (own.next()?, own.next()?);
                    (one != other && other.is_alphabetic()).then_some((*at, one, other))
                })
                .collect();
            let (at, one, other) = *random.pick(&pairs)?;
            let after = at + one.len_utf8() + other.len_utf8();
            format!("{}{other}{one}{}", &anchor[..at], &anchor[after..])
        }
        Slip::LetterCase => {
            let words = words_of_letters(anchor);
            let (start, end) = *random.pick(&words)?;
            let word = &anchor[start..end];
            let has_upper = word.chars().any(char::is_uppercase);
            let other = match (has_upper, random.below(2)) {
                (true, _) => word.to_lowercase(),
                (false, 0) => word.to_uppercase(),
                (false, _) => {
                    let first = word.chars().next()?;
                    format!("{}{}", first.to_uppercase(), &word[first.len_utf8()..])
                }
            };
            format!("{}{other}{}", &anchor[..start], &anchor[end..])
        }
        Slip::Quotes => {
            let is_curly = random.below(2) == 0;
            let mut opens = true;
            let exchange = |c: char| match (c, is_curly) {
                ('"', true) => {
                    opens = !opens;
                    if opens { '\u{201d}' } else { '\u{201c}' }
                }
                ('\'', true) => '\u{2019}',
                ('"' | '`', false) => '\'',
                ('\'', false) => '"',
                (other, _) => other,
            };
            anchor.chars().map(exchange).collect()
        }
    };
    (slipped != anchor).then_some(slipped)
}

/// Returns whether no other text of the file that has a node of the type is as near to the broken
/// anchor as the intended text. Depending on the mistake, texts are near if they differ in
/// whitespace, letter case, quotes or one letter.
pub(super) fn is_determined(
    parsed: &Parsed,
    drawn: &Drawn<'_>,
    slip: Slip,
    right: &str,
    mistaken: &str,
) -> bool {
    let spans = match slip {
        Slip::SpaceAdded | Slip::SpaceDropped | Slip::TabForSpaces | Slip::SpaceForLineBreak => {
            alike(parsed, mistaken, |c| (!c.is_whitespace()).then_some(c))
        }
        Slip::LetterCase => alike(parsed, mistaken, |c| c.to_lowercase().next()),
        Slip::Quotes => alike(parsed, mistaken, |c| Some(as_quote(c))),
        Slip::LetterDropped | Slip::LettersSwapped => one_letter_off(parsed, right, mistaken),
    };
    all_select(parsed, drawn, &spans, mistaken)
}

/// Returns whether the texts at `spans` and the broken anchor itself select the intended node or
/// none.
fn all_select(parsed: &Parsed, drawn: &Drawn<'_>, spans: &[Span], mistaken: &str) -> bool {
    let own = drawn.chain.last().copied();
    let mut texts: Vec<String> = Vec::new();
    for span in spans {
        let text = parsed.source().slice(*span).into_owned();
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    texts.push(mistaken.to_string());
    texts.iter().all(|text| {
        let nodes = matching_nodes(parsed, &with_anchor(&drawn.selector, text));
        nodes.iter().all(|node| Some(*node) == own)
    })
}

pub(super) fn with_anchor(selector: &Selector, text: &str) -> Selector {
    Selector {
        anchor: Anchor::Text(text.to_string()),
        ..selector.clone()
    }
}

/// Returns the first two lines of a node, if it has two and they select it.
pub(super) fn two_lines(parsed: &Parsed, drawn: &Drawn<'_>) -> Option<String> {
    const LONGEST: usize = 300;
    let node = *drawn.chain.last()?;
    let text = parsed.text_of(node);
    let text = text.trim();
    let first = text.find('\n')?;
    let second = text[first + 1..].lines().next()?;
    let end = first + 1 + second.trim_end().len();
    if second.trim().is_empty() || end > LONGEST {
        return None;
    }
    let both = &text[..end];
    let selection = select::select(parsed, &with_anchor(&drawn.selector, both)).ok()?;
    (selection.node() == node).then(|| both.to_string())
}

/// Drops last words, then last letters, of the anchor until it matches several nodes. Returns the
/// anchor and the nodes.
pub(super) fn shortened<'p>(
    parsed: &'p Parsed,
    drawn: &Drawn<'p>,
) -> Option<(String, Vec<Node<'p>>)> {
    let anchor = drawn.selector.anchor.as_str();
    let mut ends = word_ends(anchor);
    ends.extend(token_ends(anchor));
    ends.sort_unstable();
    ends.dedup();
    for end in ends.into_iter().rev() {
        let short = anchor[..end].trim_end();
        if short.chars().filter(|c| c.is_alphanumeric()).count() < 2 {
            return None;
        }
        match select::select(parsed, &with_anchor(&drawn.selector, short)) {
            Ok(selection) if Some(&selection.node()) == drawn.chain.last() => {}
            Err(SelectError::Ambiguous { candidates }) => {
                let nodes = candidates.iter().filter_map(|one| one.chain.last());
                let nodes: Vec<Node<'p>> = nodes.copied().collect();
                let has_own = drawn.chain.last().is_some_and(|own| nodes.contains(own));
                return has_own.then(|| (short.to_string(), nodes));
            }
            _ => return None,
        }
    }
    None
}

/// Returns whether the refusal lists all matching nodes.
pub(super) fn is_shown(nodes: &[Node<'_>]) -> bool {
    nodes.len() <= CANDIDATES
}

/// Returns the first line of the node before the last commit that changed it, and whether no other
/// line of the file that selects a node of the type is as near to it.
pub(super) fn older_line(
    parsed: &Parsed,
    drawn: &Drawn<'_>,
    earlier: &[String],
) -> Option<(String, bool)> {
    let source = parsed.source();
    let number = source.line_of(drawn.target.span.start());
    let line = source.slice(source.line_span(number)?).trim().to_string();
    // The text before the node in its line is not part of the node.
    let is_its_line = matching_nodes(parsed, &with_anchor(&drawn.selector, &line));
    if is_its_line[..] != [*drawn.chain.last()?] {
        return None;
    }
    let old = line_before(source.text(), number - 1, earlier)?;
    let distance = |other: &str| strsim::osa_distance(&old, other);
    let own = distance(&line);
    let lines = source.text().lines().map(str::trim);
    let mut as_near: Vec<&str> = lines
        .filter(|other| *other != line && other.len().abs_diff(old.len()) <= own * 4)
        .filter(|other| distance(other) <= own)
        .collect();
    as_near.push(&old);
    let others = as_near.into_iter().all(|text| {
        let nodes = matching_nodes(parsed, &with_anchor(&drawn.selector, text));
        nodes.iter().all(|node| Some(node) == drawn.chain.last())
    });
    Some((old, others))
}

/// Returns a line (from 0) as it was before the last commit that changed it.
fn line_before(now: &str, line: usize, earlier: &[String]) -> Option<String> {
    use similar::{Algorithm, DiffOp, capture_diff_slices};

    let mut line = line;
    let mut newer = now;
    for older in earlier {
        let old: Vec<&str> = older.lines().collect();
        let new: Vec<&str> = newer.lines().collect();
        let operations = capture_diff_slices(Algorithm::Histogram, &old, &new);
        let own = operations
            .into_iter()
            .find(|one| one.new_range().contains(&line))?;
        match own {
            DiffOp::Equal {
                old_index,
                new_index,
                ..
            } => line = old_index + (line - new_index),
            DiffOp::Replace { .. } => {
                let now = new[line].trim();
                let likeness = |other: &&str| strsim::normalized_damerau_levenshtein(other, now);
                let were = old[own.old_range()].iter().map(|other| other.trim());
                let was = were.max_by(|a, b| likeness(a).total_cmp(&likeness(b)))?;
                let is_same = was != now && likeness(&was) >= SAME_LINE && was.len() <= 300;
                return is_same.then(|| was.to_string());
            }
            _ => return None,
        }
        newer = older;
    }
    None
}

/// Shifts the lines of the node, or its first line, up or down by one to ten.
pub(super) fn lines_off(
    parsed: &Parsed,
    drawn: &Drawn<'_>,
    random: &mut Random,
) -> Option<(usize, usize)> {
    let source = parsed.source();
    let first = source.line_of(drawn.target.span.start());
    let last = match random.below(2) {
        0 => first,
        _ => source.line_of(drawn.target.span.end()),
    };
    let by = 1 + random.below(10);
    let (first, last) = match random.below(2) {
        0 => (first + by, last + by),
        _ => (first.checked_sub(by)?, last - by),
    };
    (first >= 1 && last <= source.line_count()).then_some((first, last))
}

pub(super) fn with_lines(selector: &Selector, lines: (usize, usize)) -> Option<Selector> {
    let scope = LineScope::range(lines.0, lines.1).ok()?;
    Some(Selector {
        scope: Some(Scope::Lines(scope)),
        ..selector.clone()
    })
}

/// Returns the end of each token of a text except the last.
fn token_ends(text: &str) -> Vec<usize> {
    let of_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut ends = Vec::new();
    let mut before: Option<char> = None;
    for (at, c) in text.char_indices() {
        let ends_here = before
            .is_some_and(|before| !before.is_whitespace() && (!of_word(before) || !of_word(c)));
        ends.extend(ends_here.then_some(at));
        before = Some(c);
    }
    ends
}

/// Returns the runs of whitespace within a text.
fn blanks(text: &str) -> Vec<(usize, usize)> {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for (at, c) in text.char_indices().filter(|(_, c)| c.is_whitespace()) {
        match runs.last_mut() {
            Some((_, end)) if *end == at => *end += c.len_utf8(),
            _ => runs.push((at, at + c.len_utf8())),
        }
    }
    runs.retain(|(start, end)| *start > 0 && *end < text.len());
    runs
}

/// Returns the words of three letters or more.
fn words_of_letters(text: &str) -> Vec<(usize, usize)> {
    let mut words: Vec<(usize, usize)> = Vec::new();
    for (at, c) in text.char_indices().filter(|(_, c)| c.is_alphabetic()) {
        match words.last_mut() {
            Some((_, end)) if *end == at => *end += c.len_utf8(),
            _ => words.push((at, at + c.len_utf8())),
        }
    }
    words.retain(|(start, end)| text[*start..*end].chars().count() >= 3);
    words
}

/// Returns the offsets of the letters of those words.
fn letters(text: &str) -> Vec<usize> {
    let words = words_of_letters(text).into_iter();
    words
        .flat_map(|(start, end)| {
            text[start..end]
                .char_indices()
                .map(move |(at, _)| start + at)
        })
        .collect()
}

fn as_quote(c: char) -> char {
    match c {
        '\'' | '`' | '\u{2018}' | '\u{2019}' | '\u{201c}' | '\u{201d}' => '"',
        other => other,
    }
}

/// Finds a text in the file. Both are mapped letter by letter with `read`.
fn alike(parsed: &Parsed, wanted: &str, read: impl Fn(char) -> Option<char>) -> Vec<Span> {
    let text = parsed.source().text();
    let mut own = String::new();
    // For each byte of `own`, the offset of its letter in the file.
    let mut at: Vec<Span> = Vec::new();
    for (offset, c) in text.char_indices() {
        if let Some(c_read) = read(c) {
            own.push(c_read);
            at.resize(own.len(), Span::new(offset, offset + c.len_utf8()));
        }
    }
    let wanted: String = wanted.chars().filter_map(read).collect();
    if wanted.is_empty() {
        return Vec::new();
    }
    let found = own.match_indices(&wanted);
    found
        .map(|(from, found)| {
            let last = at[from + found.len() - 1];
            Span::new(at[from].start(), last.end())
        })
        .collect()
}

/// Finds texts of whole words that differ from the wanted text by at most one inserted, missing,
/// replaced or swapped letter. The right text is not included.
fn one_letter_off(parsed: &Parsed, right: &str, wanted: &str) -> Vec<Span> {
    const PLACES: usize = 20_000;
    let text = parsed.source().text();
    let bytes = text.as_bytes();
    let right_places: Vec<usize> = text.match_indices(right).map(|(at, _)| at).collect();
    let is_right = |span: Span| {
        let mut places = right_places.iter();
        places.any(|at| span.overlaps(Span::new(*at, at + right.len())))
    };
    // A mistake in one place leaves one of three parts unchanged.
    let third = wanted.len() / 3;
    let cuts = [0, third, 2 * third, wanted.len()].map(|at| wanted.floor_char_boundary(at));
    let mut found: Vec<Span> = Vec::new();
    for part in cuts.windows(2) {
        let (from, piece) = (part[0], &wanted[part[0]..part[1]]);
        if piece.trim().is_empty() {
            continue;
        }
        for at in memchr::memmem::find_iter(bytes, piece).take(PLACES) {
            for start in [from + 1, from, from.saturating_sub(1)] {
                let Some(start) = at.checked_sub(start) else {
                    continue;
                };
                for length in wanted.len() - 1..=wanted.len() + 1 {
                    let Some(own) = text.get(start..start + length) else {
                        continue;
                    };
                    let span = Span::new(start, start + length);
                    if is_off_by_one(own, wanted)
                        && is_of_whole_words(text, span)
                        && !found.contains(&span)
                        && !is_right(span)
                    {
                        found.push(span);
                    }
                }
            }
        }
    }
    found
}

fn is_of_whole_words(text: &str, span: Span) -> bool {
    let of_word = |c: char| c.is_alphanumeric() || c == '_';
    let splits = |at: usize| {
        let (before, after) = (text[..at].chars().next_back(), text[at..].chars().next());
        before.is_some_and(of_word) && after.is_some_and(of_word)
    };
    !splits(span.start()) && !splits(span.end())
}

/// Returns whether two texts differ by at most one letter, or by two swapped letters.
fn is_off_by_one(one: &str, other: &str) -> bool {
    let (a, b) = (one.as_bytes(), other.as_bytes());
    let front = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[front..], &b[front..]);
    let back = a
        .iter()
        .rev()
        .zip(b.iter().rev())
        .take_while(|(a, b)| a == b)
        .count();
    let (a, b) = (&a[..a.len() - back], &b[..b.len() - back]);
    match (a, b) {
        ([one, two], [first, second]) => one == second && two == first,
        _ => a.len() <= 1 && b.len() <= 1,
    }
}
