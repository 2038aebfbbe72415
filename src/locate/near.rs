//! Finds texts that are similar to a find, token by token. Input: a find that does not match in an area. Output: the
//! texts of the area that are most similar to it.
//!
//! For questions only (docs/design/locate.md#questions-and-edits): an edit never takes one text for another. Texts that
//! differ in more than a third of the find's weight are not returned.

use std::collections::HashMap;

use crate::parse::Parsed;
use crate::source::Span;

use super::Area;
use super::marker::FindReading;
use super::pattern::{is_word, token_spans};

/// The fraction of the find's weight that may differ.
const MAY_DIFFER: f64 = 0.34;
/// The maximum number of pairs of tokens that are compared.
const PAIRS: usize = 8_000_000;
/// The weight of an operator, relative to a word.
const OPERATOR: f64 = 0.5;

/// A text that is similar to a find.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Near {
    /// From its first token to its last.
    pub(crate) span: Span,
    /// The position of the find's marker in the text; the start of the text without a marker.
    pub(crate) point: usize,
}

/// Returns the texts of the area that are most similar to the find, in file order. Returns none if all are too
/// different.
pub(crate) fn nearest(parsed: &Parsed, reading: &FindReading, area: &Area) -> Vec<Near> {
    let text = parsed.source().text();
    let Some(wanted) = FindTokens::new(reading) else {
        return Vec::new();
    };
    let spans = area.spans.iter();
    let tokens: Vec<Vec<Span>> = spans.map(|span| token_spans(text, *span)).collect();
    let compared: usize = tokens.iter().map(Vec::len).sum();
    if compared.saturating_mul(wanted.tokens.len()) > PAIRS {
        return Vec::new();
    }
    let mut likeness = TokenCosts::new(&wanted);
    let mut best: Vec<(f64, &[Span])> = Vec::new();
    for own in &tokens {
        for (cost, first, last) in ends(&wanted, text, own, &mut likeness) {
            let least = best.first().map_or(wanted.may_cost, |(least, _)| *least);
            if cost < least - f64::EPSILON || best.is_empty() {
                best.clear();
            }
            if best.is_empty() || cost <= least + f64::EPSILON {
                best.push((cost, &own[first..=last]));
            }
        }
    }
    let near = best.into_iter().map(|(_, tokens)| {
        let span = Span::new(tokens[0].start(), tokens[tokens.len() - 1].end());
        let point = wanted.point_in(text, tokens, &mut likeness);
        Near {
            span,
            point: point.unwrap_or(span.start()),
        }
    });
    near.collect()
}

/// The tokens of a find, and where its marker is.
struct FindTokens<'f> {
    tokens: Vec<&'f str>,
    /// The token that the marker is in or before, and the byte offset of the marker in it. The index is the number of
    /// tokens if the marker is after the last one.
    marker: Option<(usize, usize)>,
    /// The maximum cost of a similar text.
    may_cost: f64,
}

impl<'f> FindTokens<'f> {
    /// Returns `None` for a find without words, since every text is similar to it.
    fn new(reading: &'f FindReading) -> Option<FindTokens<'f>> {
        let text = reading.text.as_str();
        let spans = token_spans(text, Span::new(0, text.len()));
        let tokens: Vec<&str> = spans.iter().map(|span| &text[span.range()]).collect();
        tokens.iter().any(|token| of_word(token)).then_some(())?;
        let marker = reading.marker.map(|marker| {
            let ended = spans.partition_point(|span| span.end() <= marker);
            let blank_follows = text[marker..].starts_with(char::is_whitespace);
            match spans.get(ended) {
                Some(span) if !blank_follows || ended == 0 => {
                    (ended, marker.saturating_sub(span.start()))
                }
                _ => (ended - 1, spans[ended - 1].len()),
            }
        });
        let weights = tokens.iter().map(|token| weight(token));
        Some(FindTokens {
            may_cost: weights.sum::<f64>() * MAY_DIFFER,
            tokens,
            marker,
        })
    }

    /// Returns the position of the marker among the tokens that are similar to the find.
    fn point_in(&self, text: &str, tokens: &[Span], likeness: &mut TokenCosts) -> Option<usize> {
        let (marked, into) = self.marker?;
        let taken_for = aligned(self, text, tokens, likeness);
        let taken = taken_for[marked..].iter().flatten().next().copied();
        let Some(index) = taken else {
            return tokens.last().map(|token| token.end());
        };
        let token = tokens[index];
        let is_its_own = taken_for[marked] == Some(index);
        let into = match is_its_own && into == self.tokens[marked].len() {
            true => token.len(),
            false if is_its_own => into.min(token.len()),
            false => 0,
        };
        Some(text.floor_char_boundary(token.start() + into))
    }
}

/// Returns each run of tokens that is similar enough and cheaper than others with the same end: its cost, and its
/// first and last token. Sellers' algorithm: the cheapest way to turn tokens that end here into the find.
fn ends(
    wanted: &FindTokens<'_>,
    text: &str,
    tokens: &[Span],
    likeness: &mut TokenCosts,
) -> Vec<(f64, usize, usize)> {
    let rows = wanted.tokens.len();
    // For each number of tokens of the find: the least cost, and the first token of the text in it.
    let mut column: Vec<(f64, usize)> = vec![(0.0, 0)];
    for token in &wanted.tokens {
        let above = column[column.len() - 1].0;
        column.push((above + weight(token), 0));
    }
    let mut found: Vec<(f64, usize, usize)> = Vec::new();
    for (index, span) in tokens.iter().enumerate() {
        let own = &text[span.range()];
        let mut next = vec![(0.0, index + 1)];
        for row in 1..=rows {
            let token = wanted.tokens[row - 1];
            let (diagonal, first) = column[row - 1];
            let first = if row == 1 { index } else { first };
            let changed = (diagonal + likeness.cost(row - 1, token, own), first);
            let (above, above_first) = next[row - 1];
            let dropped = (above + weight(token), above_first);
            let (left, left_first) = column[row];
            let added = (left + weight(own), left_first);
            let cheapest = [changed, dropped, added]
                .into_iter()
                .min_by(|a, b| a.0.total_cmp(&b.0));
            next.extend(cheapest);
        }
        column = next;
        let (cost, first) = column[rows];
        if cost <= wanted.may_cost && first <= index {
            found.push((cost, first, index));
        }
    }
    // Of overlapping runs, only the cheapest is kept.
    let mut apart: Vec<(f64, usize, usize)> = Vec::new();
    for one in found {
        match apart.last_mut().filter(|last| one.1 <= last.2) {
            Some(last) if one.0 < last.0 => *last = one,
            Some(_) => {}
            None => apart.push(one),
        }
    }
    apart
}

/// Returns, for each token of the find, the corresponding token of the text.
fn aligned(
    wanted: &FindTokens<'_>,
    text: &str,
    tokens: &[Span],
    likeness: &mut TokenCosts,
) -> Vec<Option<usize>> {
    let (rows, columns) = (wanted.tokens.len(), tokens.len());
    let mut costs = vec![vec![0.0; columns + 1]; rows + 1];
    let own = |column: usize| &text[tokens[column].range()];
    for column in 0..columns {
        costs[0][column + 1] = costs[0][column] + weight(own(column));
    }
    for row in 0..rows {
        let token = wanted.tokens[row];
        costs[row + 1][0] = costs[row][0] + weight(token);
        for column in 0..columns {
            let changed = costs[row][column] + likeness.cost(row, token, own(column));
            let dropped = costs[row][column + 1] + weight(token);
            let added = costs[row + 1][column] + weight(own(column));
            costs[row + 1][column + 1] = f64::min(changed, f64::min(dropped, added));
        }
    }
    let mut taken = vec![None; rows];
    let (mut row, mut column) = (rows, columns);
    while row > 0 && column > 0 {
        let (token, other) = (wanted.tokens[row - 1], own(column - 1));
        let here = costs[row][column];
        let changed = costs[row - 1][column - 1] + likeness.cost(row - 1, token, other);
        if (here - changed).abs() < 1e-9 {
            taken[row - 1] = Some(column - 1);
            (row, column) = (row - 1, column - 1);
        } else if (here - costs[row - 1][column] - weight(token)).abs() < 1e-9 {
            row -= 1;
        } else {
            column -= 1;
        }
    }
    taken
}

/// The cost of taking one token for another. The cost of each pair of words is computed once.
struct TokenCosts {
    lower: Vec<String>,
    known: HashMap<(usize, String), f64>,
}

impl TokenCosts {
    fn new(wanted: &FindTokens<'_>) -> TokenCosts {
        TokenCosts {
            lower: wanted.tokens.iter().map(|one| one.to_lowercase()).collect(),
            known: HashMap::new(),
        }
    }

    /// Returns 0 for equal tokens, little for tokens that differ in case or ending, and at most the sum of both
    /// weights.
    fn cost(&mut self, row: usize, token: &str, own: &str) -> f64 {
        if token == own {
            return 0.0;
        }
        if !of_word(token) || !of_word(own) {
            return weight(token).max(weight(own));
        }
        if let Some(known) = self.known.get(&(row, own.to_string())) {
            return *known;
        }
        let lower = own.to_lowercase();
        let cost = match lower == self.lower[row] {
            true => 0.1,
            false => 1.0 - strsim::normalized_damerau_levenshtein(&lower, &self.lower[row]),
        };
        self.known.insert((row, own.to_string()), cost);
        cost
    }
}

fn weight(token: &str) -> f64 {
    if of_word(token) { 1.0 } else { OPERATOR }
}

fn of_word(token: &str) -> bool {
    token.chars().next().is_some_and(is_word)
}

#[cfg(test)]
mod tests {
    use super::super::{area, readings};
    use super::*;
    use crate::language;
    use crate::source::Source;

    /// Returns the text that is most similar to `find`, with `‸` at its marker, and the number of texts that are
    /// equally similar.
    fn taken(text: &str, find: &str) -> Option<(String, usize)> {
        let source = Source::new("a.txt", language::plain_text(), text.to_string());
        let parsed = Parsed::parse(source);
        let area = area(&parsed, None).expect("the whole file is an area");
        let all = nearest(&parsed, &readings(find)[0], &area);
        let near = all.first()?;
        let mut shown = text[near.span.range()].to_string();
        shown.insert(near.point - near.span.start(), '‸');
        Some((shown, all.len()))
    }

    const TEXT: &str =
        "let listener = bind(self.port)?;\nserve(listener, 10);\nlet other = bind(port);\n";

    #[track_caller]
    fn check(find: &str, expected: &str) {
        assert_eq!(taken(TEXT, find), Some((expected.to_string(), 1)), "{find}");
    }

    #[test]
    fn a_text_with_other_words_and_letters_is_near() {
        check(
            "let listner = bind(self.port)",
            "‸let listener = bind(self.port)",
        );
        check("serve(LISTENER, 10)", "‸serve(listener, 10)");
        check("serve(the_listener, 10)", "‸serve(listener, 10)");
        check(
            "let listener = bind(self.address)",
            "‸let listener = bind(self.port)",
        );
    }

    #[test]
    fn a_text_with_more_or_fewer_tokens_is_near() {
        check(
            "let listener: Socket = bind(self.port)?;",
            "‸let listener = bind(self.port)?;",
        );
        check("serve(&listener, 10)", "‸serve(listener, 10)");
    }

    #[test]
    fn the_marker_falls_on_the_token_that_was_taken_for_its_own() {
        check(
            "let listner = bind(<|>self.port)",
            "let listener = bind(‸self.port)",
        );
        check(
            "let listner = bind(self.port<|>)",
            "let listener = bind(self.port‸)",
        );
        check("serve(lis<|>tner, 10)", "serve(lis‸tener, 10)");
        check("serve(listner, 10<|>)", "serve(listener, 10‸)");
    }

    #[test]
    fn what_is_too_different_is_not_near() {
        for find in [
            "while queue.pop().is_some()",
            "()",
            "<|>",
            "serve",
            "xyz(abc)",
        ] {
            let near = taken("let a = b;\nfor c in d {}\n", find);
            assert_eq!(near, None, "{find}");
        }
    }

    #[test]
    fn texts_that_are_as_near_are_counted() {
        let near = taken("f(alpha);\ng();\nf(alpha);\n", "f(alphb)");
        assert_eq!(near, Some(("‸f(alpha)".to_string(), 2)));
    }

    #[test]
    fn an_area_that_costs_too_much_is_not_searched() {
        let long = "word ".repeat(PAIRS / 2);
        assert_eq!(taken(&long, "wort wort wort"), None);
    }
}
