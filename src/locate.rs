//! Resolves a [`Locate`] to a [`Place`]: the scope narrows, the find pinpoints (docs/design/locate.md has the exact
//! rules).
//!
//! Input: a [`Parsed`] and a locator. Output: a place in its text. [`describe`] does the reverse lookup. Scopes and
//! finds that match nothing are refused with a [`LocateError`].

mod alike;
mod describe;
mod marker;
mod near;
mod overlapping;
mod part;
mod pattern;
mod request;
mod scope;

use crate::parse::Parsed;
use crate::source::Span;

pub(crate) use alike::{Alike, alike};
pub(crate) use describe::{
    SearchPlace, cut_down, fewest, lines_around, places, tokens_around, with_marker,
};
pub(crate) use marker::{FindReading, around_marker, between_markers, bounded_readings, readings};
pub(crate) use part::{ELIDED, Part, TextRange, parts};
pub(crate) use pattern::{Pattern, is_word, token_spans};
pub(crate) use scope::Area;
pub(crate) use scope::resolve as area;
#[cfg(feature = "disk")]
pub(crate) use scope::spans_of_all;

pub use describe::{Description, describe, describe_range, describe_symbol};
pub use request::{
    LineScope, Locate, LocateRange, LocateSyntaxError, Question, Scope, ScopeFault, SymbolScope,
    join_path, parse_scope, split_path,
};
pub use scope::ScopeError;

/// The maximum number of matches of one find that are kept.
const MATCHES_KEPT: usize = 10_000;

/// The place that a locator resolves to. Offsets are bytes.
///
/// ```
/// use treegraft::{Place, locate};
///
/// let place: Place = locate("fn f() {\n    g();\n}\n", &"a.rs:f@g(<|>)".parse()?)?;
/// assert_eq!((place.span.range(), place.point), (13..16, 15));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Place {
    /// The range: the match, the symbol's definition, or the lines.
    pub span: Span,
    /// The point: the marker, the start of the match, the declared name, or the first character
    /// of the lines that is not blank.
    pub point: usize,
    /// The number of places with the same rank, including this one.
    pub matches: usize,
    /// Whether the text is only similar to the find.
    pub is_near: bool,
}

/// One match of a find.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FindMatch {
    /// From the first token to the last.
    pub(crate) span: Span,
    /// The offset of the marker, or the start of the match without one.
    pub(crate) point: usize,
    /// Whether the find has a marker in the reading that matched.
    pub(crate) marked: bool,
    /// Whether the first or last word of the find is part of a longer one in the text.
    pub(crate) splits_word: bool,
}

/// Why a locator does not resolve to a place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LocateError {
    /// The locator has neither a scope nor a find (`invalid_locate`).
    #[error("a locator needs a scope or a find")]
    NothingAsked,
    /// The scope does not resolve to a part of the file.
    #[error(transparent)]
    Scope(#[from] ScopeError),
    /// The find does not match in the scope.
    #[error(transparent)]
    Find(#[from] FindError),
    /// There are fewer matches than `find_index` (`nth_out_of_range`).
    #[error("find_index is {find_index} but there are {matches} matches")]
    IndexOutOfRange {
        /// The requested number, from 1.
        find_index: usize,
        /// The number of matches.
        matches: usize,
    },
}

/// Why a find does not match (`find_not_found`).
#[derive(Clone, Debug, Default, PartialEq, Eq, thiserror::Error)]
#[error("the pattern does not match in the scope")]
#[non_exhaustive]
pub struct FindError {
    /// The longest prefix of the find that occurs in the scope, and its span.
    pub prefix: Option<(String, Span)>,
    /// The span of a match outside the scope.
    pub outside: Option<Span>,
    /// The whitespace at a marker where the find matches except for that whitespace.
    pub whitespace: Option<Span>,
    /// Whether the search was stopped because parts of the pattern match almost everywhere.
    pub gave_up: bool,
    /// The number of matches of a find that selects text to replace, if there are too many to examine each.
    pub too_many: Option<usize>,
}

impl FindError {
    /// Returns whether only the text before the elided part of `find` was found.
    pub(crate) fn lacks_end(&self, find: &str) -> bool {
        let readings = bounded_readings(find);
        let without_blanks = |text: &str| text.split_whitespace().collect::<String>();
        let first = readings[0].text.split_once(ELIDED);
        let found = self.prefix.as_ref();
        let found = found.map(|(prefix, _)| without_blanks(prefix));
        first.is_some_and(|(first, _)| found == Some(without_blanks(first)))
    }
}

/// Returns the point that a locator resolves to.
///
/// # Errors
/// The scope is not part of the file, or the find does not match in it.
pub fn locate(parsed: &Parsed, locate: &Locate) -> Result<Place, LocateError> {
    place(parsed, locate.scope.as_ref(), locate.find.as_deref(), None)
}

/// Returns the range that a locator resolves to. The `point` of the place has no meaning.
///
/// # Errors
/// As [`locate`].
pub fn locate_range(parsed: &Parsed, locate: &LocateRange) -> Result<Place, LocateError> {
    place(parsed, locate.scope.as_ref(), locate.find.as_deref(), None)
}

/// Returns the point and the range that a question resolves to. The question may choose one of several matches by
/// number, and may allow the most similar text if the find does not match.
///
/// # Errors
/// As [`locate`]; or there are fewer matches than the requested number.
pub fn answer(parsed: &Parsed, question: &Question) -> Result<Place, LocateError> {
    let Locate { scope, find, .. } = &question.locate;
    let (scope, find) = (scope.as_ref(), find.as_deref());
    match place(parsed, scope, find, question.find_index) {
        Err(LocateError::Find(error)) if question.fuzzy => {
            let near = nearly(parsed, scope, find.unwrap_or_default())?;
            if near.is_empty() {
                return Err(error.into());
            }
            Ok(near[chosen(question.find_index, near.len())?])
        }
        place => place,
    }
}

/// Returns the places in the scope whose text is most similar to the find, in file order.
pub(crate) fn nearly(
    parsed: &Parsed,
    scope: Option<&Scope>,
    find: &str,
) -> Result<Vec<Place>, LocateError> {
    let area = area(parsed, scope)?;
    let near = near::nearest(parsed, &readings(find)[0], &area);
    let place = |one: &near::Near| Place {
        span: one.span,
        point: one.point,
        matches: near.len(),
        is_near: true,
    };
    Ok(near.iter().map(place).collect())
}

/// Returns the first place of the best rank, or the one with number `find_index`.
fn place(
    parsed: &Parsed,
    scope: Option<&Scope>,
    find: Option<&str>,
    find_index: Option<usize>,
) -> Result<Place, LocateError> {
    let find = find.filter(|find| !find.is_empty());
    if scope.is_none() && find.is_none() {
        return Err(LocateError::NothingAsked);
    }
    let area = area(parsed, scope)?;
    let Some(find) = find else {
        return place_of_scope(parsed, &area, find_index);
    };
    // A limit of 0 would not show whether the find matches.
    let limit = find_index.unwrap_or(1).max(1);
    let found = find_in_turn(parsed, find, &area, limit)?;
    let one = found.first[chosen(find_index, found.total)?];
    Ok(Place {
        span: one.span,
        point: one.point,
        matches: found.total,
        is_near: false,
    })
}

/// Returns the matches of the best rank, at most `limit` of each span. If the scope is several definitions, each is
/// searched in turn (docs/design/locate.md#scopes).
fn find_in_turn(
    parsed: &Parsed,
    find: &str,
    area: &Area,
    limit: usize,
) -> Result<BestMatches, FindError> {
    if area.symbols.is_empty() {
        return find_first(parsed, find, area, limit);
    }
    let mut gave_up = false;
    for symbol in &area.symbols {
        match search(parsed, find, &[symbol.span], limit) {
            Ok(found) => return Ok(found),
            Err(GaveUp(one)) => gave_up |= one,
        }
    }
    Err(not_found(parsed, find, area, gave_up))
}

/// Returns the index of the match with this number; of the first match without a number.
fn chosen(find_index: Option<usize>, matches: usize) -> Result<usize, LocateError> {
    match find_index.unwrap_or(1) {
        number @ 1.. if number <= matches => Ok(number - 1),
        find_index => Err(LocateError::IndexOutOfRange {
            find_index,
            matches,
        }),
    }
}

fn place_of_scope(
    parsed: &Parsed,
    area: &Area,
    find_index: Option<usize>,
) -> Result<Place, LocateError> {
    let matches = area.symbols.len().max(1);
    let index = chosen(find_index, matches)?;
    let (span, point) = match area.symbols.get(index) {
        Some(symbol) => (symbol.span, symbol.name_span.start()),
        None => {
            let span = area.spans[0];
            let text = parsed.source().slice(span);
            let blank = text.len() - text.trim_start().len();
            let blank = if blank == text.len() { 0 } else { blank };
            (span, span.start() + blank)
        }
    };
    Ok(Place {
        span,
        point,
        matches,
        is_near: false,
    })
}

/// Returns all matches of the best rank in the area, in file order: at least one, at most [`MATCHES_KEPT`] of each
/// span.
///
/// # Errors
/// No reading of the find matches.
pub(crate) fn find_all(
    parsed: &Parsed,
    find: &str,
    area: &Area,
) -> Result<Vec<FindMatch>, FindError> {
    find_first(parsed, find, area, MATCHES_KEPT).map(|found| found.first)
}

/// The matches of the best rank.
struct BestMatches {
    /// The first matches of each span.
    first: Vec<FindMatch>,
    /// The number of all matches.
    total: usize,
}

/// Returns the matches of the best rank in the area, at most `limit` of each span.
fn find_first(
    parsed: &Parsed,
    find: &str,
    area: &Area,
    limit: usize,
) -> Result<BestMatches, FindError> {
    search(parsed, find, &area.spans, limit)
        .map_err(|GaveUp(gave_up)| not_found(parsed, find, area, gave_up))
}

/// The find does not match; whether the search was stopped early.
struct GaveUp(bool);

/// Returns the same as [`find_first`], but without the details of a failed search.
fn search(
    parsed: &Parsed,
    find: &str,
    spans: &[Span],
    limit: usize,
) -> Result<BestMatches, GaveUp> {
    let text = parsed.source().text();
    let mut gave_up = false;
    for reading in readings(find) {
        let pattern = Pattern::new(&reading);
        let mut best: Option<(u8, BestMatches)> = None;
        for &span in spans {
            let matches = pattern.matches(text, span, limit);
            gave_up |= !matches.complete;
            let Some(class) = matches.best.first().map(pattern::PatternMatch::class) else {
                continue;
            };
            let first = matches.best.into_iter().map(|one| FindMatch {
                span: one.span,
                point: one.point,
                marked: reading.marker.is_some(),
                splits_word: one.splits_word,
            });
            match &mut best {
                Some((known, all)) if *known == class => {
                    all.first.extend(first);
                    all.total += matches.total;
                }
                Some((known, _)) if *known < class => {}
                _ => {
                    let found = BestMatches {
                        first: first.collect(),
                        total: matches.total,
                    };
                    best = Some((class, found));
                }
            }
        }
        match best {
            _ if gave_up => break,
            Some((_, all)) => return Ok(all),
            None => {}
        }
    }
    Err(GaveUp(gave_up))
}

fn not_found(parsed: &Parsed, find: &str, area: &Area, gave_up: bool) -> FindError {
    let text = parsed.source().text();
    let readings = readings(find);
    let plain = readings.first().map(Pattern::new);
    let prefix = plain.as_ref().and_then(|pattern| {
        let prefixes = area
            .spans
            .iter()
            .filter_map(|span| pattern.longest_prefix_found(text, *span));
        prefixes.max_by_key(|prefix| prefix.tokens)
    });
    let whole = parsed.source().whole();
    let outside = plain.and_then(|pattern| {
        let elsewhere = pattern.matches(text, whole, 1).best.into_iter().next()?;
        (!area.contains(elsewhere.span)).then_some(elsewhere.span)
    });
    FindError {
        prefix: prefix.map(|prefix| (prefix.text, prefix.found.span)),
        outside,
        whitespace: None,
        gave_up,
        too_many: None,
    }
}
