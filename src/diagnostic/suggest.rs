//! Suggests selectors that would have worked. Resolves each selector before suggesting it.

use std::collections::{BTreeSet, HashMap};

use crate::edit::{EditError, InsertPosition, Operation, check_editable, edit};
use crate::language::{GENERAL_WORDS, LANGUAGES, Language};
use crate::locate::{
    self, Alike, Area, ELIDED, LineScope, LocateError, Scope, ScopeError, SymbolScope,
    around_marker, between_markers, bounded_readings, readings, with_marker,
};
use crate::parse::{Node, Parsed};
use crate::select::{
    self, Anchor, Candidate, Occurrence, SelectError, Selection, Selector, select, select_if_one,
};
use crate::source::{Source, Span};

use super::explain::{Attempt, Pointing};
use super::{NextCall, SUGGESTIONS_MADE, Suggestion, node_view};

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
/// The minimum length, in bytes, of an anchor that occurs in the file but may still be a misspelling of another one.
const TELLING_BYTES: usize = 8;
/// The maximum number of different texts to try instead of an anchor that was not found.
const TEXTS_TRIED: usize = 16;
/// The maximum number of longer anchors to try for one candidate.
const ANCHORS_TRIED: usize = 24;
/// The maximum length of a suggested anchor, in bytes.
const ANCHOR_BYTES: usize = 400;
/// The maximum number of occurrences of a longer anchor to try.
const OCCURRENCES_TRIED: usize = 1_000;
/// General words that describe the position or form of a node, not its meaning.
const BROAD: &[&str] = &[
    "type",
    "argument",
    "statement",
    "expression",
    "block",
    "element",
    "item",
    "list",
    "code_block",
];
/// General words that are often confused.
const RELATED: &[&[&str]] = &[
    &["function", "method"],
    &["class", "struct", "interface", "enum", "type"],
    &["field", "property", "variable"],
    &["parameter", "argument"],
    &["item", "element", "row"],
    &["statement", "expression"],
    &["heading", "section"],
];
/// The maximum number of nodes to suggest for one group of general words.
const OF_KIND: usize = 2;
/// The maximum number of enclosing nodes to try as the target of an edit, and the maximum number of these edits to
/// apply, which requires parsing the text.
const ANCESTORS_TRIED: usize = 5;
const PREVIEWED: usize = 3;

/// Returns selectors that would have worked instead of `selector`, the most likely first.
pub(super) fn for_selector(
    parsed: &Parsed,
    selector: &Selector,
    error: &SelectError<'_>,
    pointing: Pointing<'_>,
) -> Vec<Suggestion> {
    let mut found = Suggestions::new(parsed, pointing);
    match error {
        SelectError::Scope(error) => other_scopes(&mut found, selector, error),
        SelectError::AnchorNotFound | SelectError::Find(_) => other_anchors(&mut found, selector),
        SelectError::SplitsWord { matches } => whole_words(&mut found, selector, matches),
        SelectError::UnknownNodeType { name } => known_types(&mut found, selector, name),
        SelectError::AncestorRequired { occurrences } => {
            types_above(&mut found, selector, occurrences, "");
        }
        SelectError::AncestorNotFound { occurrences } => {
            other_ancestors(&mut found, selector, occurrences);
        }
        SelectError::Ambiguous { candidates } => {
            distinguish_all(&mut found, selector, candidates);
        }
        SelectError::NthOutOfRange { candidates, .. } => {
            found.add(Selector {
                nth: Some(candidates.len()),
                ..selector.clone()
            });
        }
        SelectError::OutwardOutOfRange { above, .. } => {
            found.add(Selector {
                outward: above.len(),
                ..selector.clone()
            });
        }
        SelectError::SiblingOutOfRange {
            sibling,
            before,
            after,
        } => {
            let furthest = match sibling.is_negative() {
                true => -(*before as isize),
                false => *after as isize,
            };
            if furthest != 0 {
                found.add(Selector {
                    sibling: furthest,
                    ..selector.clone()
                });
            }
        }
        SelectError::TooCommon { .. }
        | SelectError::BlankAnchor
        | SelectError::MatchCount { .. } => {}
    }
    found.made
}

/// Suggests the whole words that an anchor splits.
fn whole_words(found: &mut Suggestions<'_>, selector: &Selector, matches: &[(Span, Span)]) {
    for (_, words) in matches {
        let whole = found.parsed.source().slice(*words).into_owned();
        let anchor = match &selector.anchor {
            Anchor::Part(find) if has_signs(find) => continue,
            Anchor::Part(_) => Anchor::Part(whole),
            _ => Anchor::Find(whole),
        };
        let whole = Selector {
            anchor,
            ..selector.clone()
        };
        add_or_distinguish(found, whole);
    }
}

/// Suggests types of the grammar and general words instead of the unknown type `name`.
fn known_types(found: &mut Suggestions<'_>, selector: &Selector, name: &str) {
    let parsed = found.parsed;
    for near in misspelled_types(parsed, name) {
        add_or_distinguish(found, with_type(selector, near));
    }
    kindred_nodes(found, selector, name);
    for near in near_types(parsed, name) {
        add_or_distinguish(found, with_type(selector, &near));
    }
    if let Ok(occurrences) = select::discover(parsed, selector) {
        types_above(found, selector, &occurrences, name);
    }
}

/// Suggests other scopes, texts and types if no ancestor of the anchor has the wanted type.
fn other_ancestors(
    found: &mut Suggestions<'_>,
    selector: &Selector,
    occurrences: &[Occurrence<'_>],
) {
    without_scope(found, selector);
    let wanted = wanted_type(selector);
    let like = texts_of(found, selector);
    texts_like(found, selector, like.iter().filter(|one| one.cost < 1.0));
    kindred_nodes(found, selector, wanted);
    // In a short anchor, one different letter is too much.
    if selector.anchor.as_str().len() >= TELLING_BYTES {
        texts_like(found, selector, like.iter().filter(|one| one.cost < 2.0));
    }
    nodes_below(found, selector, occurrences, wanted);
    types_above(found, selector, occurrences, wanted);
}

/// Returns the first type that a selector requires, or `""`.
fn wanted_type(selector: &Selector) -> &str {
    let first = selector.ancestor_node_type.first();
    first.map_or("", String::as_str)
}

/// Returns whether a find marks or elides a part of its match. A plain text cannot do this.
fn has_signs(find: &str) -> bool {
    find.contains(ELIDED) || bounded_readings(find).len() > 1 || around_marker(find).is_some()
}

/// Suggests the nearest enclosing node on which the same edit passes every check.
pub(super) fn further_out(attempt: &Attempt<'_, '_>) -> Vec<Suggestion> {
    let chain = attempt.selection.chain();
    let parsed = attempt.selection.parsed();
    if attempt.selection.node().is_in_protected() {
        // The content of a string is not code that can be moved elsewhere.
        return Vec::new();
    }
    let depths = (2..chain.len()).rev().take(ANCESTORS_TRIED);
    let mut previewed = 0;
    let mut passes = |suggestion: &Suggestion| {
        let NextCall::Select(selector) = &suggestion.call else {
            return false;
        };
        let selection = select(parsed, selector).ok();
        let passes = selection
            .filter(|_| previewed < PREVIEWED)
            .and_then(attempt.passes);
        previewed += usize::from(passes.is_some());
        passes == Some(true)
    };
    let found = depths
        .filter_map(|depth| leading_to(attempt, &chain[..depth]))
        .find(|suggestion| passes(suggestion));
    found.into_iter().collect()
}

/// Suggests a selector for each body.
pub(super) fn bodies(attempt: &Attempt<'_, '_>, bodies: &[Span]) -> Vec<Suggestion> {
    let parsed = attempt.selection.parsed();
    let made = bodies.iter().filter_map(|body| {
        let mut chain = parsed.chain(*body);
        // Among nodes that cover the same bytes, the outermost is the body.
        while chain.len() > 1 && chain[chain.len() - 2].span() == *body {
            chain.pop();
        }
        leading_to(attempt, &chain)
    });
    made.take(SUGGESTIONS_MADE).collect()
}

/// Suggests a selector for the last node of `chain`: the attempt's selector with the node's type, the node's first
/// line, or a description.
fn leading_to(attempt: &Attempt<'_, '_>, chain: &[Node<'_>]) -> Option<Suggestion> {
    let (parsed, selector) = (attempt.selection.parsed(), attempt.selector);
    let node = *chain.last()?;
    let plain = Selector {
        nth: None,
        outward: 0,
        sibling: 0,
        ..with_type(selector, node.kind())
    };
    let mut found = Suggestions::new(parsed, Pointing::Edit(attempt.operation));
    let first_line = super::first_line(parsed, crate::select::trimmed_node(parsed, node));
    let by_first_line = Selector {
        scope: None,
        ..with_anchor_text(&plain, &first_line)
    };
    let described = std::iter::once_with(|| select::describe(parsed, chain));
    for selector in [plain, by_first_line]
        .into_iter()
        .chain(described.flatten())
    {
        let selection = select(parsed, &selector);
        if let Some(selection) = selection.ok().filter(|selection| selection.node() == node) {
            found.add_resolved(selector, &selection);
            return found.made.pop();
        }
    }
    None
}

/// Suggests locators that would have worked, in string form.
pub(super) fn for_locate(
    parsed: &Parsed,
    locate: &crate::locate::Locate,
    error: &LocateError,
) -> Vec<Suggestion> {
    let mut tries = Vec::new();
    match error {
        LocateError::NothingAsked | LocateError::IndexOutOfRange { .. } => {}
        LocateError::Scope(error) => {
            for scope in scopes_instead(error) {
                tries.push(crate::locate::Locate {
                    scope: Some(scope),
                    ..locate.clone()
                });
            }
            if locate.find.is_some() {
                tries.push(crate::locate::Locate {
                    scope: None,
                    ..locate.clone()
                });
            }
        }
        LocateError::Find(error) => {
            if error.outside.is_some() {
                tries.push(crate::locate::Locate {
                    scope: None,
                    ..locate.clone()
                });
            }
            let find = locate.find.as_deref().unwrap_or_default();
            let near = crate::locate::nearly(parsed, locate.scope.as_ref(), find);
            if let Some(near) = near.unwrap_or_default().first() {
                tries.push(crate::locate::Locate {
                    find: Some(parsed.source().slice(near.span).into_owned()),
                    ..locate.clone()
                });
            }
            if let Some((prefix, _)) = &error.prefix {
                tries.push(crate::locate::Locate {
                    find: Some(prefix.clone()),
                    ..locate.clone()
                });
            }
        }
    }
    let resolved = tries.into_iter().filter_map(|one| {
        let place = crate::locate::locate(parsed, &one).ok()?;
        let at = parsed.source().position(place.point);
        let line = parsed.source().line_span(at.line)?;
        let text = super::cut(parsed.source().slice(line).trim());
        let selects = format!("{}:{} {text}", at.line, at.character);
        Some(Suggestion {
            call: NextCall::Locate(one.to_string()),
            selects,
        })
    });
    resolved.take(SUGGESTIONS_MADE).collect()
}

/// The suggestions made so far.
struct Suggestions<'p> {
    parsed: &'p Parsed,
    /// The purpose of the suggested selectors.
    pointing: Pointing<'p>,
    made: Vec<Suggestion>,
    /// The spans that the suggestions select.
    spans: Vec<Span>,
}

impl<'p> Suggestions<'p> {
    fn new(parsed: &'p Parsed, pointing: Pointing<'p>) -> Suggestions<'p> {
        Suggestions {
            parsed,
            pointing,
            made: Vec::new(),
            spans: Vec::new(),
        }
    }

    /// Suggests `selector` if it selects an editable node. Does not suggest the same node twice. Returns whether the
    /// node is now among the suggestions.
    fn add(&mut self, selector: Selector) -> bool {
        if self.made.len() >= SUGGESTIONS_MADE {
            return false;
        }
        match select_if_one(self.parsed, &selector) {
            Ok(selection) => self.add_resolved(selector, &selection),
            Err(_) => false,
        }
    }

    /// Returns whether the operation inserts into a node without a body.
    fn lacks_inside(&self, selection: &Selection<'_>) -> bool {
        let Pointing::Edit(operation) = self.pointing else {
            return false;
        };
        let Operation::Insert { position, .. } = operation else {
            return false;
        };
        let is_inside = matches!(
            position,
            InsertPosition::FirstChild | InsertPosition::LastChild
        );
        let refused = || edit(selection.clone(), operation).err();
        is_inside && matches!(refused(), Some(EditError::NoInside { .. }))
    }

    /// Does the same as [`Suggestions::add`] for a `selector` that selects `selection`.
    fn add_resolved(&mut self, selector: Selector, selection: &Selection<'_>) -> bool {
        if self.made.len() >= SUGGESTIONS_MADE {
            return false;
        }
        if check_editable(selection).is_err() || self.lacks_inside(selection) {
            return false;
        }
        if !self.spans.contains(&selection.span()) {
            let selects = match selection.is_text() {
                true => {
                    let source = self.parsed.source();
                    let line = source.line_of(selection.span().start());
                    let text = super::first_line(self.parsed, selection.span());
                    format!("the text at line {line}: {text}")
                }
                false => {
                    let view = node_view(self.parsed, selection.node());
                    format!("{} at line {}: {}", view.node_type, view.line, view.text)
                }
            };
            self.spans.push(selection.span());
            self.made.push(Suggestion {
                call: NextCall::Select(selector),
                selects,
            });
        }
        true
    }
}

/// Suggests `selector`. If it matches several nodes, suggests one selector for each of the first ones.
fn add_or_distinguish(found: &mut Suggestions<'_>, selector: Selector) {
    if let Err(SelectError::Ambiguous { candidates }) = select(found.parsed, &selector) {
        distinguish_all(found, &selector, &candidates);
    } else {
        found.add(selector);
    }
}

fn distinguish_all(found: &mut Suggestions<'_>, selector: &Selector, candidates: &[Candidate<'_>]) {
    for (index, candidate) in candidates.iter().take(SUGGESTIONS_MADE).enumerate() {
        distinguish(found, selector, candidate, index + 1);
    }
}

fn with_type(selector: &Selector, node_type: &str) -> Selector {
    Selector {
        ancestor_node_type: vec![node_type.to_string()],
        ..selector.clone()
    }
}

fn with_anchor_text(selector: &Selector, text: &str) -> Selector {
    Selector {
        anchor: match selector.anchor {
            Anchor::Part(_) => Anchor::Part(text.to_string()),
            _ => Anchor::Text(text.to_string()),
        },
        ..selector.clone()
    }
}

fn scopes_instead(error: &ScopeError) -> Vec<Scope> {
    let symbol = |path: &Vec<String>| {
        Scope::Symbol(SymbolScope {
            symbol_path: path.clone(),
        })
    };
    match error {
        ScopeError::LineOutOfRange { line_count, .. } => LineScope::line(*line_count)
            .ok()
            .map(Scope::Lines)
            .into_iter()
            .collect(),
        ScopeError::EmptySymbolPath => Vec::new(),
        ScopeError::SymbolNotFound { nearest, .. } => nearest.iter().map(symbol).collect(),
        ScopeError::AmbiguousSymbol { found, .. } => {
            found.iter().map(|(path, ..)| symbol(path)).collect()
        }
    }
}

fn other_scopes(found: &mut Suggestions<'_>, selector: &Selector, error: &ScopeError) {
    for scope in scopes_instead(error) {
        add_or_distinguish(
            found,
            Selector {
                scope: Some(scope),
                ..selector.clone()
            },
        );
    }
    without_scope(found, selector);
}

/// Suggests the selector without its scope. If it matches several nodes, suggests the nodes with an anchor in the
/// scope, or the nodes nearest to its lines.
fn without_scope(found: &mut Suggestions<'_>, selector: &Selector) {
    let Some(scope) = &selector.scope else {
        return;
    };
    let everywhere = Selector {
        scope: None,
        ..selector.clone()
    };
    let Err(SelectError::Ambiguous { candidates }) = select(found.parsed, &everywhere) else {
        found.add(everywhere);
        return;
    };
    let area = locate::area(found.parsed, Some(scope));
    let source = found.parsed.source();
    let away = |candidate: &Candidate<'_>| match scope {
        Scope::Lines(lines) => {
            let line = source.line_of(candidate.anchor.start());
            let last = lines.last().unwrap_or(source.line_count());
            lines.first().saturating_sub(line) + line.saturating_sub(last)
        }
        Scope::Symbol(_) => {
            let is_inside = |area: &Area| area.contains(candidate.anchor);
            usize::from(!area.as_ref().is_ok_and(is_inside))
        }
    };
    let mut near: Vec<(usize, &Candidate<'_>)> = candidates.iter().enumerate().collect();
    near.sort_by_key(|(_, candidate)| away(candidate));
    let is_inside = near.first().is_some_and(|(_, first)| away(first) == 0);
    near.retain(|(_, candidate)| !is_inside || away(candidate) == 0);
    for (index, candidate) in near.into_iter().take(SUGGESTIONS_MADE) {
        distinguish(found, &everywhere, candidate, index + 1);
    }
}

/// Suggests the texts of the file that are most similar to the anchor: first texts in the scope that differ in
/// whitespace, letter case and quotes, then the same text outside the scope, then texts with other letters.
fn other_anchors(found: &mut Suggestions<'_>, selector: &Selector) {
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
    let lines = lines_of_words(found.parsed, selector.anchor.as_str());
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
fn texts_of(found: &Suggestions<'_>, selector: &Selector) -> Vec<Alike> {
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
fn texts_like<'a>(
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

/// Suggests the texts most similar to a find with a marker, with the marker at the same position.
fn near_finds(found: &mut Suggestions<'_>, selector: &Selector, find: &str) {
    let parsed = found.parsed;
    let near = locate::nearly(parsed, selector.scope.as_ref(), find);
    for place in near.unwrap_or_default().into_iter().take(SUGGESTIONS_MADE) {
        let text = parsed.source().slice(place.span);
        if let Some(find) = with_marker(&text, place.point - place.span.start()) {
            add_or_distinguish(
                found,
                Selector {
                    anchor: Anchor::Find(find),
                    ..selector.clone()
                },
            );
        }
    }
}

/// Suggests texts that are similar to a find with a marked or elided part, with the same markers.
fn near_parts(found: &mut Suggestions<'_>, selector: &Selector, find: &str) {
    let parsed = found.parsed;
    let Ok(area) = locate::area(parsed, selector.scope.as_ref()) else {
        return;
    };
    let alike = |text: &str| {
        let all = locate::alike(parsed, text, &area).into_iter();
        let all = all.map(|one| (one.span, parsed.source().slice(one.span)));
        all.take(TEXTS_TRIED).collect::<Vec<_>>()
    };
    let reading = bounded_readings(find).swap_remove(0);
    let finds: Vec<String> = match (reading.bounds, find.split_once(ELIDED)) {
        (Some((start, end)), None) => {
            let near = alike(&reading.text).into_iter();
            let marked = near.filter_map(|(span, _)| {
                let text = with_outer_whitespace(parsed.source(), span, &reading.text);
                let own_start = same_place(&reading.text, start, &text)?;
                let own_end = same_place(&reading.text, end, &text)?;
                let is_alike = own_start <= own_end && (own_start == own_end) == (start == end);
                let part = is_alike.then(|| Span::new(own_start, own_end))?;
                between_markers(&text, part, 0)
            });
            marked.collect()
        }
        (None, Some((first, last))) => {
            let is_here = |text: &str| locate::find_all(parsed, text.trim(), &area).is_ok();
            let own = |part: &str| match is_here(part) {
                true => vec![part.to_string()],
                false => alike(part)
                    .into_iter()
                    .map(|(_, text)| text.into_owned())
                    .collect(),
            };
            let (firsts, lasts) = (own(first), own(last));
            let pairs = firsts
                .iter()
                .flat_map(|first| lasts.iter().map(move |last| [first, ELIDED, last].concat()));
            pairs.take(TEXTS_TRIED).collect()
        }
        _ => Vec::new(),
    };
    for find in finds {
        add_or_distinguish(
            found,
            Selector {
                anchor: Anchor::Part(find),
                ..selector.clone()
            },
        );
    }
}

/// Returns the text of `span` with the surrounding whitespace of its lines, if `find` has whitespace at that end, and
/// with the following newline, if `find` ends with one.
fn with_outer_whitespace(source: &Source, span: Span, find: &str) -> String {
    let is_space = |c: char| matches!(c, ' ' | '\t');
    let lead = &find[..find.len() - find.trim_start().len()];
    let trail = &find[find.trim_end().len()..];
    let mut text = source.slice(span).into_owned();
    if !lead.is_empty() && lead.chars().all(is_space) {
        let ahead = source.slice(Span::new(0, span.start()));
        text.insert_str(0, &ahead[ahead.trim_end_matches(is_space).len()..]);
    }
    let after = source.slice(Span::new(span.end(), source.len()));
    let blank = after.len() - after.trim_start_matches(is_space).len();
    let (blank, rest) = after.split_at(blank);
    if trail.chars().any(|c| c == '\n') {
        let line_break = ["\r\n", "\n", "\r"]
            .into_iter()
            .find(|one| rest.starts_with(one));
        text += blank;
        text += line_break.unwrap_or_default();
    } else if !trail.is_empty() {
        text += blank;
    }
    text
}

/// Returns the offset in `near` that corresponds to byte `at` of `text`. The texts differ in one part: the text before
/// or after the offset is the same except for whitespace. Returns `None` for a position inside whitespace, except at
/// the start of a line.
fn same_place(text: &str, at: usize, near: &str) -> Option<usize> {
    let (before, behind) = text.split_at_checked(at)?;
    let ink = |text: &str| -> Vec<char> { text.chars().filter(|c| !c.is_whitespace()).collect() };
    let (all, inked_before, inked_behind) = (ink(near), ink(before), ink(behind));
    let count = match (all.starts_with(&inked_before), all.ends_with(&inked_behind)) {
        (true, _) => inked_before.len(),
        (false, true) => all.len() - inked_behind.len(),
        (false, false) => return None,
    };
    let mut inked = near.char_indices().filter(|(_, c)| !c.is_whitespace());
    let start = match count.checked_sub(1) {
        Some(last) => inked.nth(last).map(|(offset, c)| offset + c.len_utf8())?,
        None => 0,
    };
    let run = &near[start..];
    let run = &run[..run.len() - run.trim_start().len()];
    let ahead = &before[before.trim_end().len()..];
    let is_before_whitespace = behind.starts_with(char::is_whitespace);
    match (ahead.is_empty(), is_before_whitespace) {
        (true, _) => Some(start),
        (false, false) => Some(start + run.len()),
        (false, true) if ahead.ends_with('\n') => Some(start + run.rfind('\n')? + 1),
        (false, true) => None,
    }
}

/// Returns node types and general words that differ from `name` in one or two letters.
fn misspelled_types(parsed: &Parsed, name: &str) -> Vec<&'static str> {
    let may_differ = (name.chars().count() / 4).clamp(1, 2);
    let words = GENERAL_WORDS.iter().copied();
    let words = words.filter(|word| parsed.languages().any(|one| one.knows_word(word)));
    let types = parsed.languages().flat_map(Language::node_types);
    let mut near: Vec<(usize, &str)> = types
        .chain(words)
        .filter(|own| own.len().abs_diff(name.len()) <= may_differ)
        .map(|own| (strsim::osa_distance(own, name), own))
        .filter(|(differ, _)| *differ <= may_differ)
        .collect();
    near.sort_unstable();
    near.dedup();
    near.into_iter().map(|(_, own)| own).collect()
}

/// Suggests the nodes at the anchor that have the same meaning as the node type `name`, which may be of another
/// grammar. Tries nodes with a specific general word of the type first, then with any word of it, then with a related
/// word. In each group, innermost nodes come first.
fn kindred_nodes(found: &mut Suggestions<'_>, selector: &Selector, name: &str) {
    let words = words_of(found.parsed, name);
    let (broad, telling): (Vec<&str>, Vec<&str>) =
        words.iter().partition(|word| BROAD.contains(word));
    let related = RELATED
        .iter()
        .filter(|group| group.iter().any(|word| words.contains(word)));
    let (broadly_related, related): (Vec<&str>, Vec<&str>) = related
        .flat_map(|group| group.iter().copied())
        .partition(|word| BROAD.contains(word));
    for words in [telling, broad, related, broadly_related] {
        if nodes_of_words(found, selector, &words) {
            return;
        }
    }
}

/// Returns the general words of the node type `name`: in this grammar, or else in any grammar, or else those that are
/// part of the name.
fn words_of(parsed: &Parsed, name: &str) -> Vec<&'static str> {
    if let Some(word) = GENERAL_WORDS.iter().find(|word| **word == name) {
        return vec![word];
    }
    let mut words: Vec<&'static str> = parsed
        .languages()
        .flat_map(|one| one.words_of(name))
        .collect();
    if words.is_empty() {
        words.extend(LANGUAGES.iter().flat_map(|one| one.words_of(name)));
    }
    if words.is_empty() {
        let parts = GENERAL_WORDS.iter().copied();
        words.extend(parts.filter(|word| name.split('_').any(|part| part == *word)));
    }
    words
}

/// Suggests the nodes at the anchor that have one of the general words, each by its type. Innermost nodes come first,
/// names last. Returns whether there are any.
fn nodes_of_words(found: &mut Suggestions<'_>, selector: &Selector, words: &[&str]) -> bool {
    let parsed = found.parsed;
    let known = |word: &&&str| parsed.languages().any(|one| one.knows_word(word));
    let mut all: Vec<Candidate<'_>> = Vec::new();
    for word in words.iter().filter(known) {
        let candidates = match select(parsed, &with_type(selector, word)) {
            Ok(selection) => vec![Candidate::from(selection)],
            Err(SelectError::Ambiguous { candidates }) => candidates,
            Err(_) => continue,
        };
        for candidate in candidates {
            let is_known = |one: &Candidate<'_>| one.chain.last() == candidate.chain.last();
            if !all.iter().any(is_known) {
                all.push(candidate);
            }
        }
    }
    all.sort_by_key(|candidate| {
        let node = candidate.chain.last();
        node.map(|node| (is_name(node.kind()), node.span().len()))
    });
    for candidate in all.iter().take(OF_KIND) {
        let Some(node) = candidate.chain.last() else {
            continue;
        };
        let typed = with_type(selector, node.kind());
        match select(parsed, &typed) {
            Ok(selection) if selection.node() == *node => {
                found.add_resolved(typed, &selection);
            }
            Err(SelectError::Ambiguous { candidates }) => {
                let is_it = |one: &Candidate<'_>| one.chain.last() == Some(node);
                if let Some(index) = candidates.iter().position(is_it) {
                    distinguish(found, &typed, &candidates[index], index + 1);
                }
            }
            _ => {}
        }
    }
    !all.is_empty()
}

/// Returns whether nodes of the type are only names or texts. The general words do not cover all such types
/// (`type_identifier`, `string_content`), so this relies on the naming conventions of the grammars.
fn is_name(node_type: &str) -> bool {
    node_type.contains("identifier") || node_type.contains("string")
}

/// Returns node types with names similar to `name`, and the general words that `name` contains.
fn near_types(parsed: &Parsed, name: &str) -> Vec<String> {
    let mut scored: Vec<(f64, String)> = parsed
        .languages()
        .flat_map(Language::node_types)
        .map(|own| (strsim::jaro_winkler(own, name), own.to_string()))
        .filter(|(likeness, _)| *likeness > 0.85)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    scored.dedup();
    let words = name
        .split('_')
        .filter(|word| parsed.languages().any(|one| one.knows_word(word)));
    let words: Vec<String> = words.map(str::to_string).collect();
    scored
        .into_iter()
        .take(3)
        .map(|(_, own)| own)
        .chain(words)
        .collect()
}

/// Suggests types of the anchor's ancestors that make the selection unique: first types with names similar to the
/// wanted one, then from the innermost to the outermost.
fn types_above(
    found: &mut Suggestions<'_>,
    selector: &Selector,
    occurrences: &[Occurrence<'_>],
    wanted: &str,
) {
    let mut types: Vec<&str> = Vec::new();
    let longest = occurrences
        .iter()
        .map(|one| one.chain.len())
        .max()
        .unwrap_or(0);
    for depth in 0..longest.min(super::ANCESTORS_SHOWN) {
        for occurrence in occurrences.iter().take(super::CANDIDATES_SHOWN) {
            let kind = occurrence
                .chain
                .iter()
                .rev()
                .nth(depth)
                .map(|node| node.kind());
            types.extend(kind.filter(|kind| !types.contains(kind)));
        }
    }
    let like = |kind: &str| strsim::jaro_winkler(kind, wanted) > 0.8;
    types.sort_by_key(|kind| !like(kind));
    for kind in &types {
        found.add(with_type(selector, kind));
    }
    // If hardly any type is unique, suggest the nearest type that is not only a name, once for each place.
    if found.made.len() < 2
        && let Some(kind) = types.into_iter().find(|kind| !is_name(kind))
    {
        add_or_distinguish(found, with_type(selector, kind));
    }
}

/// Suggests descendants of the wanted type if the anchor is directly above them (`match code` and its arms): the first
/// ones, each by its own first line.
fn nodes_below(
    found: &mut Suggestions<'_>,
    selector: &Selector,
    occurrences: &[Occurrence<'_>],
    wanted: &str,
) {
    const PROPOSED: usize = 3;
    const WALKED: usize = 5_000;
    let [Occurrence { chain, .. }] = occurrences else {
        return;
    };
    let Some(top) = chain.last() else {
        return;
    };
    let parsed = found.parsed;
    let mut cursor = parsed.walk(*top);
    let mut spans = Vec::new();
    for _ in 0..WALKED {
        let node = cursor.node();
        let fits = node.kind() == wanted && spans.len() < PROPOSED;
        spans.extend(fits.then(|| crate::select::trimmed_node(parsed, node)));
        if !fits && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                break;
            }
        }
        if cursor.node() == *top {
            break;
        }
    }
    for span in spans {
        let text = parsed.source().slice(span);
        let line = text.lines().next().unwrap_or_default();
        found.add(with_anchor_text(selector, line));
    }
}

/// Suggests the shortest change that makes `selector` match only `candidate`. As a last resort, adds its number.
fn distinguish(
    found: &mut Suggestions<'_>,
    selector: &Selector,
    candidate: &Candidate<'_>,
    number: usize,
) {
    let parsed = found.parsed;
    let Some(node) = candidate.chain.last() else {
        return;
    };
    let part = candidate.text_span();
    let selects_it = |changed: &Selector| {
        let selection = select_if_one(parsed, changed).ok();
        selection.filter(|selection| match part {
            Some(part) => selection.span() == part,
            None => selection.node() == *node,
        })
    };
    let by_number = Selector {
        nth: Some(number),
        ..selector.clone()
    };
    let resolved = narrower_selectors(parsed, selector, candidate, *node)
        .chain([by_number])
        .find_map(|changed| selects_it(&changed).map(|selection| (changed, selection)));
    if let Some((changed, selection)) = resolved {
        found.add_resolved(changed, &selection);
    }
}

/// Returns the selectors to try for `candidate`, with one of: a longer anchor on one line, a marker in it, a symbol
/// scope, the node's own type, an anchor of several lines.
fn narrower_selectors(
    parsed: &Parsed,
    selector: &Selector,
    candidate: &Candidate<'_>,
    node: Node<'_>,
) -> impl Iterator<Item = Selector> {
    let part = candidate.text_span();
    let source = parsed.source();
    let text_of = move |span: Span| source.slice(span).into_owned();
    let is_rare = move |span: &Span| {
        let text = source.slice(*span);
        let places = memchr::memmem::find_iter(source.text().as_bytes(), text.as_bytes());
        places.take(OCCURRENCES_TRIED + 1).count() <= OCCURRENCES_TRIED
    };
    let (of_a_line, of_several): (Vec<Span>, Vec<Span>) =
        longer_anchors(parsed, candidate.anchor, node)
            .into_iter()
            .partition(|span| !text_of(*span).contains(['\n', '\r']));
    let by_anchor = move |spans: Vec<Span>| {
        let rare = spans.into_iter().filter(is_rare);
        rare.filter_map(move |span| match part {
            Some(part) => Some(Selector {
                anchor: Anchor::Part(between_markers(&text_of(span), part, span.start())?),
                ..selector.clone()
            }),
            None => Some(with_anchor_text(selector, &text_of(span))),
        })
    };
    // A longer text may cover more than the node. The marker points at the node's part of it.
    let start = candidate.anchor.start();
    let marked = of_a_line.clone().into_iter();
    let marked = marked.filter(move |span| part.is_none() && is_rare(span));
    let by_marker = marked.map(move |span| {
        let before = Span::new(span.start(), start.max(span.start()));
        let after = Span::new(before.end(), span.end().max(before.end()));
        Selector {
            anchor: Anchor::Find(format!("{}<|>{}", text_of(before), text_of(after))),
            ..selector.clone()
        }
    });
    let path = parsed.symbol_path(&candidate.chain);
    let by_scope = (!path.is_empty() && selector.scope.is_none()).then(|| Selector {
        scope: Some(Scope::Symbol(SymbolScope { symbol_path: path })),
        ..selector.clone()
    });
    let is_its_type = selector.ancestor_node_type[..] == [node.kind()];
    let by_type = (!is_its_type && part.is_none()).then(|| with_type(selector, node.kind()));
    by_anchor(of_a_line)
        .chain(by_marker)
        .chain(by_scope)
        .chain(by_type)
        .chain(by_anchor(of_several))
}

/// Returns spans that extend the anchor: word by word on its line, then by the preceding and the following line.
fn longer_anchors(parsed: &Parsed, anchor: Span, node: Node<'_>) -> Vec<Span> {
    let source = parsed.source();
    let Some(line) = source.line_span(source.line_of(anchor.start())) else {
        return Vec::new();
    };
    let last_line = source.line_span(source.line_of(anchor.end()));
    let line_end = last_line.map_or(line.end(), Span::end).max(anchor.end());
    let rest = Span::new(anchor.end(), line_end);
    let ends = word_ends(&source.slice(rest))
        .into_iter()
        .map(|end| Span::new(anchor.start(), rest.start() + end));
    let ahead = Span::new(line.start(), anchor.start());
    let starts = word_starts(&source.slice(ahead))
        .into_iter()
        .rev()
        .map(|start| Span::new(ahead.start() + start, anchor.end()));
    let mut spans: Vec<Span> = ends.chain(starts).take(ANCHORS_TRIED).collect();
    spans.push(Span::new(line.start(), line_end));
    let number = source.line_of(anchor.start());
    for (first, last) in [
        (number - 1, number),
        (number, number + 1),
        (number - 1, number + 1),
    ] {
        if let (Some(first), Some(last)) = (source.line_span(first), source.line_span(last)) {
            spans.push(Span::new(first.start(), last.end()));
        }
    }
    let own_start = crate::select::trimmed_node(parsed, node).start();
    if own_start < anchor.start() {
        spans.push(Span::new(own_start, anchor.end()));
    }
    let trimmed = |span: Span| {
        let text = source.slice(span);
        let start = span.start() + (text.len() - text.trim_start().len());
        Span::new(start, start + text.trim().len())
    };
    let mut spans: Vec<Span> = spans
        .into_iter()
        .map(trimmed)
        .filter(|span| span.len() <= ANCHOR_BYTES)
        .collect();
    spans.sort_by_key(|span| (span.len(), span.start()));
    spans.dedup();
    spans
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Returns the offsets at which words of the text end, and the length of the text.
fn word_ends(text: &str) -> Vec<usize> {
    let ends = text.char_indices().filter_map(|(offset, c)| {
        let end = offset + c.len_utf8();
        let next = text[end..].chars().next();
        (is_of_word(c) && !next.is_some_and(is_of_word)).then_some(end)
    });
    ends.chain([text.len()]).collect()
}

/// Returns the offsets at which words of the text start.
fn word_starts(text: &str) -> Vec<usize> {
    let starts = text.char_indices().filter(|(offset, c)| {
        let previous = text[..*offset].chars().next_back();
        is_of_word(*c) && !previous.is_some_and(is_of_word)
    });
    starts.map(|(offset, _)| offset).collect()
}
