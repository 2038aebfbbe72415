//! Suggests texts of the file that are similar to an anchor that was not found.

use std::collections::{BTreeSet, HashMap};

use crate::locate::{self, Alike, readings};
use crate::parse::Parsed;
use crate::select::{Anchor, Candidate, SelectError, Selector, select, trimmed_node};
use crate::source::Span;

use super::finds::{has_signs, near_finds, near_parts};
use super::narrow::{ANCHOR_BYTES, add_or_distinguish, is_of_word};
use super::scopes::without_scope;
use super::types::{kindred_nodes, types_above, wanted_type};
use super::{Suggestions, for_selector, with_anchor_text};

/// The maximum number of lines of a file to compare, word by word, with an anchor that was not found.
const LINES_COMPARED: usize = 20_000;
/// The minimum proportion of shared words of a suggested line.
const MOST_WORDS: f64 = 0.3;
/// The minimum number of words of an anchor for suggesting the lines that contain all of them.
const WORDS: usize = 2;
/// The maximum number of such lines to try.
const LINES_TRIED: usize = 8;
/// If there are fewer suggestions than `FEW` and the nearest text differs in at least `FAR` letters, lines that share
/// words are also suggested.
const FEW: usize = 3;
const FAR: f64 = 2.0;
/// The maximum number of different texts to try instead of an anchor that was not found.
pub(super) const TEXTS_TRIED: usize = 16;

/// Suggests the texts of the file that are most similar to the anchor: first texts in the scope that differ in
/// whitespace, letter case and quotes, then the same text outside the scope, then texts with other letters.
pub(super) fn other_anchors(found: &mut Suggestions<'_>, selector: &Selector) {
    let anchor = selector.anchor.as_str();
    let unscoped = Selector {
        scope: None,
        ..selector.clone()
    };
    if matches!(selector.anchor, Anchor::Part(_)) && has_signs(anchor) {
        found.add(unscoped);
        near_parts(found, selector, anchor);
        return;
    }
    let is_marked = matches!(selector.anchor, Anchor::Find(_)) && readings(anchor).len() > 1;
    if is_marked {
        without_scope(found, selector);
        near_finds(found, selector, anchor);
        return;
    }
    let all = texts_of(found, selector);
    let is_same = |one: &&Alike| one.cost < 1.0;
    texts_like(found, selector, all.iter().filter(is_same));
    without_scope(found, selector);
    if found.made.is_empty() && selector.scope.is_some() {
        other_types_unscoped(found, &unscoped);
    }
    if found.made.is_empty() {
        similar_texts(found, selector, &unscoped, &all);
    }
    // No node of the wanted type contains any of these texts, so the type is wrong too.
    if found.made.is_empty()
        && let Some(nearest) = all.first()
    {
        let text = found.parsed.source().slice(nearest.span);
        let near = with_anchor_text(selector, &text);
        if let Err(SelectError::AncestorNotFound { occurrences }) = select(found.parsed, &near) {
            let wanted = wanted_type(selector);
            kindred_nodes(found, &near, wanted);
            types_above(found, &near, &occurrences, wanted);
        }
    }
}

/// Suggests the part of an anchor that is in its node.
pub(super) fn shorter_anchor(
    found: &mut Suggestions<'_>,
    selector: &Selector,
    candidate: &Candidate<'_>,
) {
    let Some(node) = candidate.chain.last() else {
        return;
    };
    let end = trimmed_node(found.parsed, *node).end();
    let inside = Span::new(candidate.anchor.start(), end.max(candidate.anchor.start()));
    let text = found.parsed.source().slice(inside).into_owned();
    found.add(with_anchor_text(selector, &text));
}

/// Suggests other types if the file contains the anchor, but both scope and type are wrong.
fn other_types_unscoped(found: &mut Suggestions<'_>, unscoped: &Selector) {
    if let Err(
        error @ (SelectError::UnknownNodeType { .. }
        | SelectError::AncestorNotFound { .. }
        | SelectError::AncestorRequired { .. }),
    ) = select(found.parsed, unscoped)
    {
        let instead = for_selector(found.parsed, unscoped, &error, found.pointing);
        found.made.extend(instead);
    }
}

/// Suggests lines that share words with the anchor, and the texts of `all`, which have other letters.
fn similar_texts(
    found: &mut Suggestions<'_>,
    selector: &Selector,
    unscoped: &Selector,
    all: &[Alike],
) {
    let anchor = &selector.anchor;
    let is_of_lines = matches!(anchor, Anchor::Part(text) if text.trim().contains('\n'));
    // A single line is only a part of a text of several lines that is itself selected.
    let lines = match is_of_lines {
        true => Vec::new(),
        false => lines_of_words(found.parsed, anchor.as_str()),
    };
    let of_lines = |found: &mut Suggestions<'_>, is_similar: fn(&SimilarLine<'_>) -> bool| {
        for line in lines.iter().filter(|line| is_similar(line)) {
            add_or_distinguish(found, with_anchor_text(unscoped, line.text));
        }
    };
    of_lines(found, |line| line.has_every_word);
    texts_like(found, selector, all.iter());
    if found.made.is_empty() && selector.scope.is_some() {
        let all = texts_of(found, unscoped);
        texts_like(found, unscoped, all.iter());
    }
    let is_near = all.first().is_some_and(|one| one.cost < FAR);
    if found.made.is_empty() || (found.made.len() < FEW && !is_near) {
        of_lines(found, |line| line.shared >= MOST_WORDS);
    }
    if found.made.is_empty() {
        of_lines(found, |_| true);
    }
}

/// Returns the texts in the scope that are similar to the anchor, the most similar first.
pub(super) fn texts_of(found: &Suggestions<'_>, selector: &Selector) -> Vec<Alike> {
    match locate::area(found.parsed, selector.scope.as_ref()) {
        Ok(area) => locate::alike(found.parsed, selector.anchor.as_str(), &area),
        Err(_) => Vec::new(),
    }
}

/// A line of the file that shares words with a text.
struct SimilarLine<'p> {
    text: &'p str,
    /// The proportion of shared words among the words of both, from 0 to 1. Words that are rare in the file weigh more.
    shared: f64,
    /// Whether the line contains all words of the text, which are at least [`WORDS`].
    has_every_word: bool,
}

/// Returns the lines of the file that share words with the first line of the text. Lines that share most words come
/// first.
fn lines_of_words<'p>(parsed: &'p Parsed, text: &str) -> Vec<SimilarLine<'p>> {
    let words = |line: &str| -> BTreeSet<String> {
        let words = line
            .split(|c| !is_of_word(c))
            .filter(|word| !word.is_empty());
        words.map(str::to_string).collect()
    };
    let Some(wanted) = text.lines().find(|line| !line.trim().is_empty()) else {
        return Vec::new();
    };
    let wanted = words(wanted);
    let lines = parsed.source().text().lines().take(LINES_COMPARED);
    let lines: Vec<(&str, BTreeSet<String>)> = lines
        .map(|line| (line.trim(), words(line)))
        .filter(|(line, own)| line.len() <= ANCHOR_BYTES && !own.is_disjoint(&wanted))
        .collect();
    let mut seen: HashMap<&str, usize> = HashMap::new();
    for word in lines.iter().flat_map(|(_, own)| own) {
        *seen.entry(word).or_default() += 1;
    }
    let weight = |word: &str| 1.0 / seen.get(word).map_or(1.0, |seen| *seen as f64).sqrt();
    let sum =
        |words: &mut dyn Iterator<Item = &String>| -> f64 { words.map(|word| weight(word)).sum() };
    let found = lines.iter().map(|(text, own)| SimilarLine {
        text,
        shared: sum(&mut own.intersection(&wanted)) / sum(&mut own.union(&wanted)),
        has_every_word: wanted.len() >= WORDS && wanted.is_subset(own),
    });
    let mut found: Vec<SimilarLine<'_>> = found.collect();
    found.sort_by(|a, b| b.shared.total_cmp(&a.shared));
    let mut known = BTreeSet::new();
    found.retain(|line| known.len() < LINES_TRIED && known.insert(line.text));
    found
}

/// Suggests the texts as anchors, up to a text that is much less similar than the first one.
pub(super) fn texts_like<'a>(
    found: &mut Suggestions<'_>,
    selector: &Selector,
    all: impl Iterator<Item = &'a Alike>,
) {
    let parsed = found.parsed;
    let mut texts: Vec<String> = Vec::new();
    let mut least: Option<f64> = None;
    for one in all {
        let text = parsed.source().slice(one.span).into_owned();
        if texts.contains(&text) {
            continue;
        }
        let is_much_less = least.is_some_and(|least| match least < 1.0 {
            true => one.cost >= 1.0,
            false => one.cost > 2.0 * least + 1.0,
        });
        if is_much_less || texts.len() == TEXTS_TRIED {
            return;
        }
        let made = found.made.len();
        add_or_distinguish(found, with_anchor_text(selector, &text));
        if found.made.len() > made && least.is_none() {
            least = Some(one.cost);
        }
        texts.push(text);
    }
}
