//! Selectors that would have worked: each is resolved before it is proposed.

use std::collections::{BTreeSet, HashMap};

use crate::edit::{EditError, InsertPosition, Operation, check_editable, edit};
use crate::language::{GENERAL_WORDS, LANGUAGES, Language};
use crate::locate::{
    self, Alike, Area, ELIDED, LineScope, LocateError, Scope, ScopeError, SymbolScope,
    around_marker, between_markers, bounded_readings, readings, with_marker,
};
use crate::parse::{Node, Parsed};
use crate::select::{
    self, Anchor, Candidate, Occurrence, SelectError, Selected, Selection, Selector, select,
    select_if_one,
};
use crate::source::{Source, Span};

use super::explain::{Attempt, Pointing};
use super::{Call, SUGGESTIONS_MADE, Suggestion, node_view};

/// How many lines of a file are compared with an anchor that was not found, word by word.
const LINES_COMPARED: usize = 20_000;
/// How much of the words of a line and of the anchor both have where one is taken for the other.
const MOST_WORDS: f64 = 0.3;
/// How many words of an anchor tell a line that has them all.
const WORDS: usize = 2;
/// How many such lines are tried.
const LINES_TRIED: usize = 8;
/// Below how many proposals for an anchor lines with its words are proposed too, if the nearest text
/// differs in so many letters.
const FEW: usize = 3;
const FAR: f64 = 2.0;
/// From how many bytes on an anchor that is there is taken for another one that differs in a letter.
const TELLING_BYTES: usize = 8;
/// How many different texts are tried instead of an anchor that was not found.
const TEXTS_TRIED: usize = 16;
/// How many ways to lengthen an anchor are tried for one candidate.
const ANCHORS_TRIED: usize = 24;
/// How many bytes a proposed anchor may have.
const ANCHOR_BYTES: usize = 400;
/// How often a longer anchor may occur to be tried.
const OCCURRENCES_TRIED: usize = 1_000;
/// General words that say where a thing may stand or how it looks, not what it is.
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
/// General words of which one is often meant by another.
const RELATED: &[&[&str]] = &[
    &["function", "method"],
    &["class", "struct", "interface", "enum", "type"],
    &["field", "property", "variable"],
    &["parameter", "argument"],
    &["item", "element", "row"],
    &["statement", "expression"],
    &["heading", "section"],
];
/// How many nodes are proposed for one kind of general word.
const OF_KIND: usize = 2;
/// How many enclosing nodes are tried as the target of an edit, and how many of these edits are applied, which parses the
/// text.
const ANCESTORS_TRIED: usize = 5;
const PREVIEWED: usize = 3;

/// What would have worked instead of `selector`, likeliest first.
pub(super) fn for_selector(
    parsed: &Parsed,
    selector: &Selector,
    error: &SelectError<'_>,
    pointing: Pointing<'_>,
) -> Vec<Suggestion> {
    let mut found = Suggestions {
        parsed,
        pointing,
        made: Vec::new(),
        spans: Vec::new(),
    };
    match error {
        SelectError::Scope(error) => other_scopes(&mut found, selector, error),
        SelectError::AnchorNotFound | SelectError::Find(_) => other_anchors(&mut found, selector),
        SelectError::SplitsWord { matches } => {
            for (_, words) in matches {
                let whole = parsed.source().slice(*words).into_owned();
                let whole = Selector {
                    anchor: match &selector.anchor {
                        Anchor::Part(find) if has_signs(find) => continue,
                        Anchor::Part(_) => Anchor::Part(whole),
                        _ => Anchor::Find(whole),
                    },
                    ..selector.clone()
                };
                add_or_distinguish(&mut found, whole);
            }
        }
        SelectError::UnknownNodeType { name } => {
            for near in misspelled_types(parsed, name) {
                add_or_distinguish(&mut found, with_type(selector, near));
            }
            kindred_nodes(&mut found, selector, name);
            for near in near_types(parsed, name) {
                add_or_distinguish(&mut found, with_type(selector, &near));
            }
            if let Ok(occurrences) = select::discover(parsed, selector) {
                types_above(&mut found, selector, &occurrences, name);
            }
        }
        SelectError::AncestorRequired { occurrences } => {
            types_above(&mut found, selector, occurrences, "");
        }
        SelectError::AncestorNotFound { occurrences } => {
            without_scope(&mut found, selector);
            let wanted = selector
                .ancestor_node_type
                .first()
                .map_or("", String::as_str);
            let like = texts_of(&found, selector);
            texts_like(
                &mut found,
                selector,
                like.iter().filter(|one| one.cost < 1.0),
            );
            kindred_nodes(&mut found, selector, wanted);
            // Of a few letters one is too many.
            if selector.anchor.as_str().len() >= TELLING_BYTES {
                let like = like.iter().filter(|one| one.cost < 2.0);
                texts_like(&mut found, selector, like);
            }
            nodes_below(&mut found, selector, occurrences, wanted);
            types_above(&mut found, selector, occurrences, wanted);
        }
        SelectError::Ambiguous { candidates } => {
            for (index, candidate) in candidates.iter().take(SUGGESTIONS_MADE).enumerate() {
                distinguish(&mut found, selector, candidate, index + 1);
            }
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
            let most = if *sibling < 0 {
                -(*before as isize)
            } else {
                *after as isize
            };
            if most != 0 {
                found.add(Selector {
                    sibling: most,
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

/// Whether a find bounds a part of what it matches, or elides one: another text would not say that.
fn has_signs(find: &str) -> bool {
    find.contains(ELIDED) || bounded_readings(find).len() > 1 || around_marker(find).is_some()
}

/// The nearest node around the selected one with which the same edit passes every check; it was
/// tried out.
pub(super) fn further_out(attempt: &Attempt<'_, '_>) -> Vec<Suggestion> {
    let chain = attempt.selection.chain();
    let parsed = attempt.selection.parsed();
    if attempt.selection.node().is_in_protected() {
        // A part of a string is no code to put elsewhere.
        return Vec::new();
    }
    let depths = (2..chain.len()).rev().take(ANCESTORS_TRIED);
    let mut previewed = 0;
    let mut passes = |suggestion: &Suggestion| {
        let Call::Select(selector) = &suggestion.call else {
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

/// A selector for each of the bodies.
pub(super) fn bodies(attempt: &Attempt<'_, '_>, bodies: &[Span]) -> Vec<Suggestion> {
    let parsed = attempt.selection.parsed();
    let made = bodies.iter().filter_map(|body| {
        let mut chain = parsed.chain(*body);
        // Of nodes over the same bytes the outermost is the body.
        while chain.len() > 1 && chain[chain.len() - 2].span() == *body {
            chain.pop();
        }
        leading_to(attempt, &chain)
    });
    made.take(SUGGESTIONS_MADE).collect()
}

/// A selector that means the last node of `chain`: that of the attempt with its type, the first line
/// of the node, or what describes it.
fn leading_to(attempt: &Attempt<'_, '_>, chain: &[Node<'_>]) -> Option<Suggestion> {
    let (parsed, selector) = (attempt.selection.parsed(), attempt.selector);
    let node = *chain.last()?;
    let plain = Selector {
        nth: None,
        outward: 0,
        sibling: 0,
        ..with_type(selector, node.kind())
    };
    let mut found = Suggestions {
        parsed,
        pointing: Pointing::Edit(attempt.operation),
        made: Vec::new(),
        spans: Vec::new(),
    };
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

/// Locates that would have worked instead, in string form.
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
            call: Call::Locate(one.to_string()),
            selects,
        })
    });
    resolved.take(SUGGESTIONS_MADE).collect()
}

/// What was proposed so far.
struct Suggestions<'p> {
    parsed: &'p Parsed,
    /// What the proposals are for.
    pointing: Pointing<'p>,
    made: Vec<Suggestion>,
    /// The spans the proposals lead to.
    spans: Vec<Span>,
}

impl Suggestions<'_> {
    /// Proposes `selector` if it selects a node that can be edited and nothing proposed leads to
    /// the same; tells whether there is such a proposal now.
    fn add(&mut self, selector: Selector) -> bool {
        if self.made.len() >= SUGGESTIONS_MADE {
            return false;
        }
        match select_if_one(self.parsed, &selector) {
            Ok(selection) => self.add_resolved(selector, &selection),
            Err(_) => false,
        }
    }

    /// Whether something is to be inserted into the node, which has no body for it.
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

    /// Proposes `selector`, which selects `selection`, under the same conditions.
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
                call: Call::Select(selector),
                selects,
            });
        }
        true
    }
}

/// Proposes `selector`, or where it means several nodes, one selector for each of the first.
fn add_or_distinguish(found: &mut Suggestions<'_>, selector: Selector) {
    if let Err(SelectError::Ambiguous { candidates }) = select(found.parsed, &selector) {
        for (index, candidate) in candidates.iter().take(SUGGESTIONS_MADE).enumerate() {
            distinguish(found, &selector, candidate, index + 1);
        }
    } else {
        found.add(selector);
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

/// The same in the whole file; where that means several nodes, those from anchors in the scope, or those
/// nearest to its lines first.
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

/// The text of the file that is most like the anchor: but for white space, letter case and quotes within the
/// scope, then the very text outside of it, then one with other letters.
fn other_anchors(found: &mut Suggestions<'_>, selector: &Selector) {
    let parsed = found.parsed;
    let anchor = selector.anchor.as_str();
    let everywhere = Selector {
        scope: None,
        ..selector.clone()
    };
    if matches!(selector.anchor, Anchor::Part(_)) && has_signs(anchor) {
        found.add(everywhere);
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
    // The text is there, and more than the scope is wrong.
    if found.made.is_empty()
        && selector.scope.is_some()
        && let Err(
            error @ (SelectError::UnknownNodeType { .. }
            | SelectError::AncestorNotFound { .. }
            | SelectError::AncestorRequired { .. }),
        ) = select(parsed, &everywhere)
    {
        let instead = for_selector(parsed, &everywhere, &error, found.pointing);
        found.made.extend(instead);
    }
    let is_settled = !found.made.is_empty();
    let lines = match is_settled {
        true => Vec::new(),
        false => lines_of_words(parsed, anchor),
    };
    let of_lines = |found: &mut Suggestions<'_>, shares: fn(&Shared) -> bool| {
        for line in lines.iter().filter(|line| shares(&line.shared)) {
            add_or_distinguish(found, with_anchor_text(&everywhere, line.text));
        }
    };
    of_lines(found, |shared| shared.is_every_word);
    if !is_settled {
        texts_like(found, selector, all.iter());
    }
    if found.made.is_empty() && selector.scope.is_some() {
        let all = texts_of(found, &everywhere);
        texts_like(found, &everywhere, all.iter());
    }
    let is_near = all.first().is_some_and(|one| one.cost < FAR);
    if found.made.is_empty() || (found.made.len() < FEW && !is_near) {
        of_lines(found, |shared| shared.of_all >= MOST_WORDS);
    }
    if found.made.is_empty() {
        of_lines(found, |_| true);
    }
    // Where no node of the type stands at any of them, the type is another too.
    if found.made.is_empty()
        && let Some(nearest) = all.first()
    {
        let text = parsed.source().slice(nearest.span);
        let near = with_anchor_text(selector, &text);
        if let Err(SelectError::AncestorNotFound { occurrences }) = select(parsed, &near) {
            let wanted = selector.ancestor_node_type.first();
            let wanted = wanted.map_or("", String::as_str);
            kindred_nodes(found, &near, wanted);
            types_above(found, &near, &occurrences, wanted);
        }
    }
}

/// The texts of the scope that are like the anchor, the likeliest first.
fn texts_of(found: &Suggestions<'_>, selector: &Selector) -> Vec<Alike> {
    match locate::area(found.parsed, selector.scope.as_ref()) {
        Ok(area) => locate::alike(found.parsed, selector.anchor.as_str(), &area),
        Err(_) => Vec::new(),
    }
}

/// A line of the file with words of a text.
struct Line<'p> {
    text: &'p str,
    shared: Shared,
}

/// What two lines have in common.
struct Shared {
    /// The part of their words that both have, those that are rare in the file above all: 0 to 1.
    of_all: f64,
    /// Whether the line has each word of the text, and there are some.
    is_every_word: bool,
}

/// The lines of the file with words of the first line of the text, those with most of them first.
fn lines_of_words<'p>(parsed: &'p Parsed, text: &str) -> Vec<Line<'p>> {
    let is_of_word = |c: char| c.is_alphanumeric() || c == '_';
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
    let mut found: Vec<Line<'_>> = Vec::new();
    for (text, own) in &lines {
        let all = sum(&mut own.union(&wanted));
        found.push(Line {
            text,
            shared: Shared {
                of_all: sum(&mut own.intersection(&wanted)) / all,
                is_every_word: wanted.len() >= WORDS && wanted.is_subset(own),
            },
        });
    }
    found.sort_by(|a, b| b.shared.of_all.total_cmp(&a.shared.of_all));
    let mut known = BTreeSet::new();
    found.retain(|line| known.len() < LINES_TRIED && known.insert(line.text));
    found
}

/// Proposes those texts as anchors that are not much less like the wanted one than the first is.
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

/// The texts nearest to a find with a marker, with the marker where it falls in them.
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

/// Proposes texts that are like a find which bounds a part of itself, or elides one, with the same
/// signs in them.
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

/// The text of `span`, and around it the whitespace in its lines where `find` has some there too; the line break
/// after it where `find` ends with one.
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

/// The offset in `near` of the place that is at byte `at` of `text`. The texts differ in one part: what precedes
/// the place, or what follows it, is the same except for whitespace. Nothing where the place is inside whitespace
/// and not at the start of a line.
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

/// Types of the grammar, and general words, that differ from `name` in a letter or two.
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

/// The nodes at the anchor that are what the name of a type stands for, in this grammar or another: those
/// that bear a general word of it that says what a thing is; if there are none, any word of it; if there
/// are none either, a related one. Of each the innermost first.
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

/// The general words for what is called `name`: those that a type of that name bears, in this grammar or
/// else in any, or else those in the name.
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

/// Proposes the nodes that the words lead to from the anchor, each by its type, the innermost first, and mere
/// names last. Tells whether there are any.
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

/// Whether nodes of the type are no more than a name or a text.
fn is_name(node_type: &str) -> bool {
    node_type.contains("identifier") || node_type.contains("string")
}

/// Types of the grammar whose name is like `name`, and the general word in it.
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

/// Types that stand above the anchor and make the selection unique: those whose name is like the
/// wanted one first, then from the inside out.
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
    // Where hardly a type is unique, the nearest that stands for more than a name, place by place.
    if found.made.len() < 2
        && let Some(kind) = types.into_iter().find(|kind| !is_name(kind))
    {
        add_or_distinguish(found, with_type(selector, kind));
    }
}

/// Where the anchor stands right above nodes of the wanted type (`match code` and its arms): the
/// first of them, each by its own first line.
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

/// The shortest change that makes `selector` mean `candidate` alone: a longer anchor, a symbol
/// scope, its own type for a general word, and last its number.
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
    let part = match candidate.selected {
        Selected::Text(range) => Some(range.span),
        Selected::Node => None,
    };
    let means_it = |changed: &Selector| {
        let selection = select_if_one(parsed, changed).ok();
        selection.filter(|selection| match part {
            Some(part) => selection.span() == part,
            None => selection.node() == *node,
        })
    };
    let is_rare = |text: &String| {
        let places = memchr::memmem::find_iter(parsed.source().text().as_bytes(), text.as_bytes());
        places.take(OCCURRENCES_TRIED + 1).count() <= OCCURRENCES_TRIED
    };
    let longer = longer_anchors(parsed, candidate.anchor, *node);
    let text_of = |span: Span| parsed.source().slice(span).into_owned();
    let (of_a_line, of_several): (Vec<Span>, Vec<Span>) = longer
        .into_iter()
        .partition(|span| !text_of(*span).contains(['\n', '\r']));
    let by_anchor = |spans: Vec<Span>| {
        let rare = spans.into_iter().filter(|span| is_rare(&text_of(*span)));
        rare.filter_map(|span| match part {
            Some(part) => Some(Selector {
                anchor: Anchor::Part(between_markers(&text_of(span), part, span.start())?),
                ..selector.clone()
            }),
            None => Some(with_anchor_text(selector, &text_of(span))),
        })
    };
    // A longer text may cover more than the node: the marker says which part of it is meant.
    let marked = of_a_line
        .clone()
        .into_iter()
        .filter(|span| part.is_none() && is_rare(&text_of(*span)));
    let by_marker = marked.map(|span| {
        let before = Span::new(span.start(), candidate.anchor.start().max(span.start()));
        let behind = Span::new(before.end(), span.end().max(before.end()));
        let find = format!("{}<|>{}", text_of(before), text_of(behind));
        Selector {
            anchor: Anchor::Find(find),
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
    let by_number = Selector {
        nth: Some(number),
        ..selector.clone()
    };
    let all = by_anchor(of_a_line)
        .chain(by_marker)
        .chain(by_scope)
        .chain(by_type)
        .chain(by_anchor(of_several))
        .chain([by_number]);
    let resolved = all
        .into_iter()
        .find_map(|changed| means_it(&changed).map(|selection| (changed, selection)));
    if let Some((changed, selection)) = resolved {
        found.add_resolved(changed, &selection);
    }
}

/// The anchor with more of its line, a word at a time, then with the line before and after.
fn longer_anchors(parsed: &Parsed, anchor: Span, node: Node<'_>) -> Vec<Span> {
    let source = parsed.source();
    let Some(line) = source.line_span(source.line_of(anchor.start())) else {
        return Vec::new();
    };
    let text = source.text();
    let line_end = source
        .line_span(source.line_of(anchor.end()))
        .map_or(line.end(), Span::end);
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let ends_of_words = |from: usize, to: usize| {
        let part = &text[from..to];
        let inner = part.char_indices().filter_map(move |(offset, c)| {
            let next = part[offset + c.len_utf8()..].chars().next();
            let word_ends = is_word(c) && !next.is_some_and(is_word);
            word_ends.then_some(from + offset + c.len_utf8())
        });
        inner.chain([to]).collect::<Vec<_>>()
    };
    let starts_of_words = |from: usize, to: usize| {
        let part = &text[from..to];
        let mut starts: Vec<usize> = part
            .char_indices()
            .filter(|(offset, c)| {
                is_word(*c) && !part[..*offset].chars().next_back().is_some_and(is_word)
            })
            .map(|(offset, _)| from + offset)
            .collect();
        starts.reverse();
        starts
    };
    let mut spans: Vec<Span> = Vec::new();
    let ends = ends_of_words(anchor.end(), line_end.max(anchor.end()));
    spans.extend(ends.iter().map(|&end| Span::new(anchor.start(), end)));
    let starts = starts_of_words(line.start(), anchor.start());
    spans.extend(starts.iter().map(|&start| Span::new(start, anchor.end())));
    spans.truncate(ANCHORS_TRIED);
    spans.push(Span::new(line.start(), line_end.max(anchor.end())));
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
    let bare = |span: Span| {
        let text = source.slice(span);
        let start = span.start() + (text.len() - text.trim_start().len());
        Span::new(start, start + text.trim().len())
    };
    let mut spans: Vec<Span> = spans
        .into_iter()
        .map(bare)
        .filter(|span| span.len() <= ANCHOR_BYTES)
        .collect();
    spans.sort_by_key(|span| (span.len(), span.start()));
    spans.dedup();
    spans
}
