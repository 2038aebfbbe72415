//! [`Locate`] to [`Place`]: scope narrows, find pinpoints (`design.md`, section 4; the rules to
//! the letter are the locate spec's).
//!
//! Comes in: a [`Parsed`] and a request. Goes out: a place in its text; or the other way round
//! ([`describe`]). Refuses ([`LocateError`]) scopes and finds that name none.

mod alike;
mod describe;
mod marker;
mod near;
mod part;
mod pattern;
mod request;
mod scope;

use crate::parse::Parsed;
use crate::source::Span;

use pattern::Pattern;

pub(crate) use alike::{Alike, alike};
pub(crate) use describe::{
    SearchPlace, cut_down, fewest, lines_around, places, tokens_around, with_marker,
};
pub(crate) use marker::{between_markers, bounded_readings, readings, round_marker};
pub(crate) use part::{ELIDED, FindIndentation, Part, TextRange, parts};
pub(crate) use pattern::{is_word, token_spans};
pub(crate) use scope::Area;
pub(crate) use scope::resolve as area;

pub use describe::{Description, describe, describe_range, describe_symbol};
pub use request::{
    LineScope, Locate, LocateRange, LocateSyntaxError, Question, Scope, ScopeFault, SymbolScope,
    parse_scope,
};
pub use scope::ScopeError;

/// How many matches of one find are kept.
const MATCHES_KEPT: usize = 10_000;

/// Where a locate leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The range: the match, the symbol's definition, or the lines.
    pub span: Span,
    /// The point: the marker, the start of the match, the declared name, or the first character
    /// of the lines that is not blank.
    pub point: usize,
    /// How many places share the rank of this one, this one included.
    pub matches: usize,
    /// Whether the text is only nearly that of the find.
    pub is_near: bool,
}

/// One match of a find.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FindMatch {
    /// From the first token to the last.
    pub(crate) span: Span,
    /// The marker, else the start of the match.
    pub(crate) point: usize,
    /// Whether the find has a marker in the reading that matched.
    pub(crate) marked: bool,
    /// Whether the first or last word of the find is part of a longer one in the text.
    pub(crate) splits_word: bool,
}

/// Why a locate leads nowhere.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LocateError {
    /// Neither scope nor find (`invalid_locate`).
    #[error("a locate needs a scope or a find")]
    NothingAsked,
    /// The scope names no part of the file.
    #[error(transparent)]
    Scope(#[from] ScopeError),
    /// The find matches nowhere in the scope.
    #[error(transparent)]
    Find(#[from] FindError),
    /// There are fewer matches than `find_index` (`nth_out_of_range`).
    #[error("find_index is {find_index} but there are {matches} matches")]
    IndexOutOfRange {
        /// The number asked for, from 1.
        find_index: usize,
        /// How many matches there are.
        matches: usize,
    },
}

/// Why a find leads nowhere (`find_not_found`).
#[derive(Clone, Debug, Default, PartialEq, Eq, thiserror::Error)]
#[error("the pattern matches nowhere in the scope")]
pub struct FindError {
    /// The longest beginning of it that does occur in the scope, and where.
    pub prefix: Option<(String, Span)>,
    /// Where it matches outside of the scope.
    pub outside: Option<Span>,
    /// The whitespace where it matches, but that is not the whitespace at a marker in it.
    pub whitespace: Option<Span>,
    /// The search was given up, since the pattern matches almost everywhere in part.
    pub gave_up: bool,
    /// How often the pattern matches a text to replace, if that is too often to look at each match.
    pub too_many: Option<usize>,
}

/// The point a locate names.
///
/// # Errors
/// The scope is none of the file, or the find does not match in it.
pub fn locate(parsed: &Parsed, locate: &Locate) -> Result<Place, LocateError> {
    place(parsed, locate.scope.as_ref(), locate.find.as_deref(), None)
}

/// The range a locate names; its `point` is of no use then.
///
/// # Errors
/// As [`locate`].
pub fn locate_range(parsed: &Parsed, locate: &LocateRange) -> Result<Place, LocateError> {
    place(parsed, locate.scope.as_ref(), locate.find.as_deref(), None)
}

/// The point and the range a question names: one of several matches by its number, and where a
/// text nearly like the find will do, the nearest.
///
/// # Errors
/// As [`locate`]; or there are fewer matches than the number asked for.
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

/// The places in the scope whose text is most like the find, in file order.
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

/// The first of all places of the best rank, or that with this number.
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
    // Of none there would be no telling whether it matches.
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

/// The matches of the best rank as a locate counts them: of several definitions each is searched in
/// turn (locate spec, section 3). Of each span the first `limit`.
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

/// The index of the match with this number, the first without one.
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

/// Every match of the best rank in the area, in file order; at least one, at most
/// [`MATCHES_KEPT`] of each span.
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
    /// The first of each span.
    first: Vec<FindMatch>,
    /// How many there are.
    total: usize,
}

/// The matches of the best rank in the area, of each span the first `limit`.
fn find_first(
    parsed: &Parsed,
    find: &str,
    area: &Area,
    limit: usize,
) -> Result<BestMatches, FindError> {
    search(parsed, find, &area.spans, limit)
        .map_err(|GaveUp(gave_up)| not_found(parsed, find, area, gave_up))
}

/// Nothing matches, or it was given up to look.
struct GaveUp(bool);

/// As [`find_first`], without a word about what is there instead.
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
