//! The reverse lookup: the shortest [`Locate`] that resolves to a given point or range.
//!
//! Input: a [`Parsed`] and byte offsets in it. Output: a locator without line numbers, resolved before it is
//! returned. If no text distinguishes a point from similar ones, the locator comes with the number of its match. A
//! range that no short locator resolves to has no description.

use crate::parse::Parsed;
use crate::source::Span;

use super::marker::readings;
use super::pattern::token_spans;
use super::{
    Area, LineScope, Locate, LocateRange, MATCHES_KEPT, Question, Scope, SymbolScope, area,
    find_in_turn, search,
};

/// The maximum number of tokens of one line in a find.
const TOKENS: usize = 24;
/// The maximum length up to which every row of tokens is tried; longer finds are shortened from the whole row.
const TOKENS_TRIED: usize = 5;
/// The maximum number of lines before and after the point that a find may include.
const LINES_AROUND: usize = 4;
/// The maximum number of bytes before and after the point that a find may include.
const REACH: usize = 400;
/// The maximum number of occurrences of a text that is tried.
const FEW: usize = 1_000;
/// The maximum length of a find of a range, in bytes.
const RANGE_BYTES: usize = 200;

/// A point and its description.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Description {
    /// The locator, with the number of the match if there are several. `None` for a point among very many similar
    /// ones.
    pub question: Option<Question>,
    /// The byte offset that is described: the requested one, or that of the nearest token if there is no token at it.
    pub point: usize,
}

/// Returns the shortest locator that resolves to the byte offset `point`: the symbol's name if it starts there, or a
/// text in the whole file, or a text in the innermost enclosing symbol.
///
/// A point between tokens is moved to the start of the next token of its line, or to the end of the last one.
pub fn describe(parsed: &Parsed, point: usize) -> Description {
    let (point, line) = at_token(parsed, point);
    let by_name = by_name(parsed, point).map(|scope| (Some(scope), None, None));
    let found = by_name.or_else(|| DescribedPoint::new(parsed, point, line).by_text());
    let question = found.map(|(scope, find, find_index)| Question {
        locate: Locate {
            file_path: parsed.source().path().to_string(),
            scope,
            find,
        },
        find_index,
        fuzzy: false,
    });
    Description { question, point }
}

/// A scope, a find and a number of a match that resolve to a point.
type PointQuestion = (Option<Scope>, Option<String>, Option<usize>);

/// A point for which a locator is searched.
struct DescribedPoint<'p> {
    parsed: &'p Parsed,
    point: usize,
    line: usize,
    /// The whole file, and the enclosing symbol.
    places: Vec<SearchPlace>,
}

impl DescribedPoint<'_> {
    fn new(parsed: &Parsed, point: usize, line: usize) -> DescribedPoint<'_> {
        DescribedPoint {
            parsed,
            point,
            line,
            places: places(parsed, Span::at(point)),
        }
    }

    /// Returns the shortest text that resolves to the point, or a text with the number of its match.
    fn by_text(&self) -> Option<PointQuestion> {
        self.by_line()
            .or_else(|| self.by_lines_around())
            .or_else(|| self.by_number())
    }

    /// Returns the fewest tokens of the line that resolve to the point.
    fn by_line(&self) -> Option<PointQuestion> {
        self.places.iter().find_map(|place| {
            let tokens = tokens_around(self.parsed, &place.area, self.line, self.point);
            let accepts = &mut |span| self.resolving(place, span);
            let find = fewest(&tokens, |span| touches(span, self.point), accepts)?;
            Some((place.scope.clone(), Some(find), None))
        })
    }

    /// Returns tokens of the surrounding lines that resolve to the point.
    fn by_lines_around(&self) -> Option<PointQuestion> {
        self.places.iter().rev().find_map(|place| {
            let mut wider = lines_around(self.parsed, &place.area, self.line, self.point);
            let find = wider.find_map(|tokens| {
                let accepts = &mut |span| self.resolving(place, span);
                cut_down(&tokens, |span| touches(span, self.point), accepts)
            })?;
            Some((place.scope.clone(), Some(find), None))
        })
    }

    /// Returns the tokens of the line, with the number of the match at the point.
    fn by_number(&self) -> Option<PointQuestion> {
        let point = self.point;
        self.places.iter().rev().find_map(|place| {
            let tokens = tokens_around(self.parsed, &place.area, self.line, point);
            // The tokens of a very long line are cut, and may not include the point.
            let row = around(&tokens).filter(|row| touches(*row, point));
            let row = row.unwrap_or(Span::at(point));
            let find = marked(self.parsed, row, point).unwrap_or_else(|| "<|>".to_string());
            let found = find_in_turn(self.parsed, &find, &place.area, MATCHES_KEPT).ok()?;
            let index = found.first.iter().position(|one| one.point == point)?;
            let number = (found.total > 1).then_some(index + 1);
            Some((place.scope.clone(), Some(find), number))
        })
    }

    /// Returns the text of `span` as a find, if it resolves to the point.
    fn resolving(&self, place: &SearchPlace, span: Span) -> Option<String> {
        let find =
            marked(self.parsed, span, self.point).filter(|_| place.is_rare(self.parsed, span))?;
        let only = only_match(self.parsed, &find, &place.area)?;
        (only.point == self.point).then_some(find)
    }
}

/// Returns the shortest locator whose range is exactly `span` without outer whitespace: that of a symbol, or the text
/// itself. Returns `None` if the text is long or occurs in several places.
pub fn describe_range(parsed: &Parsed, span: Span) -> Option<LocateRange> {
    let span = parsed.trimmed(span);
    let described = |scope, find| LocateRange {
        file_path: parsed.source().path().to_string(),
        scope,
        find,
    };
    let outline = parsed.outline_with_inner();
    let whole = outline.innermost(span);
    if let Some(index) = whole.filter(|index| outline.symbols()[*index].span == span)
        && let Some((scope, area)) = scope_of_symbol(parsed, index)
        && let [symbol] = area.symbols.as_slice()
        && symbol.span == span
    {
        return Some(described(Some(scope), None));
    }
    if span.is_empty() || span.len() > RANGE_BYTES {
        return None;
    }
    let find = parsed.source().slice(span);
    let places = places(parsed, span).into_iter();
    let mut only = places.filter(|place| {
        let found = only_match(parsed, &find, &place.area);
        found.is_some_and(|found| found.span == span)
    });
    let scope = only.next()?.scope;
    Some(described(scope, Some(find.into_owned())))
}

/// Returns the shortest locator that resolves to the symbol at `index` of the file's outline and to no other: by the
/// short names, by the short names and its full name, by its number among the symbols with the same path, or by its
/// lines if no path resolves to it.
pub fn describe_symbol(parsed: &Parsed, index: usize) -> Question {
    let outline = parsed.outline();
    let symbol = &outline.symbols()[index];
    let short_path = outline.short_path(index);
    let mut full_path = short_path.clone();
    if let Some(last) = full_path.last_mut() {
        last.clone_from(&symbol.name);
    }
    let question = |scope, find_index| Question {
        locate: Locate {
            file_path: parsed.source().path().to_string(),
            scope: Some(scope),
            find: None,
        },
        find_index,
        fuzzy: false,
    };
    let mut by_number = None;
    for symbol_path in [short_path, full_path] {
        let scope = Scope::Symbol(SymbolScope { symbol_path });
        let Ok(area) = area(parsed, Some(&scope)) else {
            continue;
        };
        match area.symbols.iter().position(|one| one == symbol) {
            Some(0) if area.symbols.len() == 1 => return question(scope, None),
            Some(place) => {
                by_number.get_or_insert((scope, place + 1));
            }
            None => {}
        }
    }
    if let Some((scope, number)) = by_number {
        return question(scope, Some(number));
    }
    let source = parsed.source();
    let span = parsed.trimmed(symbol.span);
    let (first, last) = (source.line_of(span.start()), source.line_of(span.end()));
    let lines = LineScope::range(first, last).expect("a symbol ends after its start");
    question(Scope::Lines(lines), None)
}

/// Where a text is searched for.
pub(crate) struct SearchPlace {
    /// The scope that resolves to the area.
    pub(crate) scope: Option<Scope>,
    /// The spans and symbols of the scope.
    pub(crate) area: Area,
}

impl SearchPlace {
    /// Returns whether searching for the tokens in `span` is cheap here, because the longest token is rare.
    pub(crate) fn is_rare(&self, parsed: &Parsed, span: Span) -> bool {
        let text = parsed.source().text();
        let tokens = token_spans(text, span).into_iter();
        let longest = tokens.max_by_key(|token| token.len());
        longest.is_some_and(|token| self.holds_few(parsed, &text[token.range()]))
    }

    /// Returns whether `wanted` occurs here so rarely that each occurrence can be examined.
    pub(crate) fn holds_few(&self, parsed: &Parsed, wanted: &str) -> bool {
        let text = parsed.source().text().as_bytes();
        let finder = memchr::memmem::Finder::new(wanted);
        let spans = self.area.spans.iter();
        let found = spans.flat_map(|span| finder.find_iter(&text[span.range()]));
        found.take(FEW + 1).count() <= FEW
    }
}

/// Returns where to search for text in `span`: the whole file, then the innermost enclosing symbol.
pub(crate) fn places(parsed: &Parsed, span: Span) -> Vec<SearchPlace> {
    let whole = area(parsed, None).ok().map(|area| (None, area));
    let innermost = parsed.outline_with_inner().innermost(span);
    let symbol = innermost.and_then(|index| scope_of_symbol(parsed, index));
    let symbol = symbol.filter(|(_, area)| area.contains(span));
    let symbol = symbol.map(|(scope, area)| (Some(scope), area));
    let both = whole.into_iter().chain(symbol);
    both.map(|(scope, area)| SearchPlace { scope, area })
        .collect()
}

/// Returns the scope of a symbol. It is the whole path, since an edit may give other symbols the same short path.
fn scope_of_symbol(parsed: &Parsed, index: usize) -> Option<(Scope, Area)> {
    let symbol_path = parsed.outline_with_inner().short_path(index);
    let scope = Scope::Symbol(SymbolScope { symbol_path });
    let area = area(parsed, Some(&scope)).ok()?;
    Some((scope, area))
}

/// Returns the scope of the symbol whose name starts at `point`, if the scope resolves to no other symbol.
fn by_name(parsed: &Parsed, point: usize) -> Option<Scope> {
    let outline = parsed.outline_with_inner();
    let innermost = outline.innermost(Span::at(point))?;
    let above = std::iter::successors(Some(innermost), |index| outline.symbols()[*index].parent);
    let mut named = above.filter(|index| outline.symbols()[*index].name_span.start() == point);
    let (scope, area) = scope_of_symbol(parsed, named.next()?)?;
    match area.symbols.as_slice() {
        [symbol] if symbol.name_span.start() == point => Some(scope),
        _ => None,
    }
}

/// Returns the only match of the best rank in the area, if a locator resolves to it.
fn only_match(parsed: &Parsed, find: &str, area: &Area) -> Option<super::FindMatch> {
    let found = search(parsed, find, &area.spans, 1).ok()?;
    let only = found.first.first().filter(|_| found.total == 1)?;
    let of_several = area.symbols.len() > 1;
    let first = of_several.then(|| find_in_turn(parsed, find, area, 1));
    let resolves_there = first.is_none_or(|first| {
        first.is_ok_and(|first| first.total == 1 && first.first[0].span == only.span)
    });
    resolves_there.then_some(*only)
}

/// Returns the point if there is a token at it, or else the nearest place with one: on its line, then in the
/// following lines, then in the preceding ones. Also returns the line (from 1).
fn at_token(parsed: &Parsed, point: usize) -> (usize, usize) {
    let source = parsed.source();
    let line = source.line_of(point);
    let tokens = |line| match source.line_span(line) {
        Some(span) => token_spans(source.text(), span),
        None => Vec::new(),
    };
    let own = tokens(line);
    if own.iter().any(|token| touches(*token, point)) {
        return (point, line);
    }
    let next = own.iter().find(|token| token.start() >= point);
    if let Some(moved) = next.map(|token| token.start()) {
        return (moved, line);
    }
    if let Some(moved) = own.last().map(|token| token.end()) {
        return (moved, line);
    }
    let text = source.text();
    let start = source.line_span(1).map_or(0, Span::start);
    let next = point + (text[point..].len() - text[point..].trim_start().len());
    let moved = match next == text.len() {
        true => start + text[start..].trim_end().len(),
        false => next,
    };
    (moved, source.line_of(moved))
}

/// Returns whether the point is inside the span or at one of its ends.
fn touches(span: Span, point: usize) -> bool {
    span.start() <= point && point <= span.end()
}

/// Returns the tokens of a line near `point` that are inside the area.
pub(crate) fn tokens_around(parsed: &Parsed, area: &Area, line: usize, point: usize) -> Vec<Span> {
    let mut tokens = tokens_of_lines(parsed, area, [line, line], point);
    let own = tokens.partition_point(|token| token.end() < point);
    let last = tokens.len().saturating_sub(TOKENS);
    tokens.drain(..own.saturating_sub(TOKENS / 2).min(last));
    tokens.truncate(TOKENS);
    tokens
}

/// Returns the tokens near `point`, of more and more lines around its own.
pub(crate) fn lines_around<'a>(
    parsed: &'a Parsed,
    area: &'a Area,
    line: usize,
    point: usize,
) -> impl Iterator<Item = Vec<Span>> + 'a {
    (1..=LINES_AROUND).flat_map(move |more| {
        let (before, after) = (line.saturating_sub(more).max(1), line + more);
        let ranges = [[before, line], [line, after], [before, after]];
        ranges.map(|lines| tokens_of_lines(parsed, area, lines, point))
    })
}

/// Returns the tokens of the given lines that are inside the area and not too far from `point`.
fn tokens_of_lines(parsed: &Parsed, area: &Area, lines: [usize; 2], point: usize) -> Vec<Span> {
    let source = parsed.source();
    let last = lines[1].min(source.line_count());
    let (Some(first), Some(last)) = (source.line_span(lines[0]), source.line_span(last)) else {
        return Vec::new();
    };
    let text = source.text();
    let start = text.floor_char_boundary(point.saturating_sub(REACH));
    let end = text.ceil_char_boundary(point + REACH);
    let near = Span::new(start.max(first.start()), end.min(last.end()).max(point));
    let mut tokens = token_spans(text, near);
    // Tokens that cross the bounds are cut.
    let is_whole = |token: &Span| {
        (token.start() > start || start <= first.start())
            && (token.end() < end || end >= last.end())
    };
    tokens.retain(|token| is_whole(token) && area.contains(*token));
    tokens
}

fn around(tokens: &[Span]) -> Option<Span> {
    Some(Span::new(tokens.first()?.start(), tokens.last()?.end()))
}

/// Calls `accepts` for rows of tokens that are `allowed`, the shortest first, and returns the first result. Returns
/// `None` if the whole row is not accepted.
pub(crate) fn fewest<T>(
    tokens: &[Span],
    allowed: impl Fn(Span) -> bool,
    accepts: &mut impl FnMut(Span) -> Option<T>,
) -> Option<T> {
    let whole = around(tokens).filter(|span| allowed(*span))?;
    let accepted = accepts(whole)?;
    for count in 1..tokens.len().min(TOKENS_TRIED + 1) {
        let rows = tokens.windows(count).filter_map(around);
        let mut allowed_rows = rows.filter(|row| allowed(*row));
        if let Some(found) = allowed_rows.find_map(&mut *accepts) {
            return Some(found);
        }
    }
    match tokens.len() > TOKENS_TRIED {
        true => cut_down(tokens, allowed, accepts),
        false => Some(accepted),
    }
}

/// Shortens the row at both ends as long as `accepts` returns a result, and returns the last result.
pub(crate) fn cut_down<T>(
    tokens: &[Span],
    allowed: impl Fn(Span) -> bool,
    accepts: &mut impl FnMut(Span) -> Option<T>,
) -> Option<T> {
    let mut row = tokens;
    let mut accepted = accepts(around(row).filter(|span| allowed(*span))?)?;
    let mut at_end = true;
    let mut stuck = 0;
    while stuck < 2 && row.len() > 1 {
        let shorter = match at_end {
            true => &row[..row.len() - 1],
            false => &row[1..],
        };
        let tried = around(shorter).filter(|span| allowed(*span));
        match tried.and_then(&mut *accepts) {
            Some(found) => {
                (accepted, row, stuck) = (found, shorter, 0);
            }
            None => {
                at_end = !at_end;
                stuck += 1;
            }
        }
    }
    Some(accepted)
}

/// Returns the text of `span` with a marker at `point`, or without a marker if the point is at its start.
fn marked(parsed: &Parsed, span: Span, point: usize) -> Option<String> {
    let text = parsed.source().slice(span);
    match point == span.start() && !span.is_empty() {
        true => Some(text.into_owned()),
        false => with_marker(&text, point - span.start()),
    }
}

/// Inserts the shallowest marker that is read as a marker at byte `at` of `text`.
pub(crate) fn with_marker(text: &str, at: usize) -> Option<String> {
    let (before, after) = text.split_at(at);
    (1..=3).find_map(|level| {
        let find = [before, &"<".repeat(level), "|", &">".repeat(level), after].concat();
        let reading = &readings(&find)[0];
        (reading.marker == Some(at) && reading.text == text).then_some(find)
    })
}
