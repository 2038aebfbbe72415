//! Makes a selector match one of several candidates only.

use crate::locate::{Scope, SymbolScope, between_markers};
use crate::parse::{Node, Parsed};
use crate::select::{
    Anchor, Candidate, SelectError, Selector, select, select_if_one, trimmed_node,
};
use crate::source::Span;

use super::{Suggestions, with_anchor_text, with_type};
use crate::diagnostic::SUGGESTIONS_MADE;

/// The maximum number of longer anchors to try for one candidate.
const ANCHORS_TRIED: usize = 24;
/// The maximum length of a suggested anchor, in bytes.
pub(super) const ANCHOR_BYTES: usize = 400;
/// The maximum number of lines of a suggested anchor.
pub(super) const ANCHOR_LINES: usize = 3;
/// The maximum number of occurrences of a longer anchor to try.
const OCCURRENCES_TRIED: usize = 1_000;

/// Suggests `selector`. If it matches several nodes, suggests one selector for each of the first ones.
pub(super) fn add_or_distinguish(found: &mut Suggestions<'_>, selector: Selector) {
    if let Err(SelectError::Ambiguous { candidates }) = select(found.parsed, &selector) {
        distinguish_all(found, &selector, &candidates);
    } else {
        found.add(selector);
    }
}

/// Suggests one selector for each of the first candidates.
pub(super) fn distinguish_all(
    found: &mut Suggestions<'_>,
    selector: &Selector,
    candidates: &[Candidate<'_>],
) {
    for (index, candidate) in candidates.iter().take(SUGGESTIONS_MADE).enumerate() {
        distinguish(found, selector, candidate, index + 1);
    }
}

/// Suggests the shortest change that makes `selector` match only `candidate`. As a last resort, adds its number.
pub(super) fn distinguish(
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
    let narrower: &mut dyn Iterator<Item = Selector> = match selector.anchor {
        Anchor::Symbol => &mut std::iter::once(with_type(selector, node.kind())),
        _ => &mut narrower_selectors(parsed, selector, candidate, *node),
    };
    let resolved = narrower
        .chain([by_number])
        .find_map(|changed| selects_it(&changed).map(|selection| (changed, selection)));
    if let Some((changed, selection)) = resolved {
        found.add_resolved(changed, &selection);
    }
}

/// Returns the selectors to try for `candidate`, with one of: a longer anchor on one line, a marker in it, a symbol
/// scope, the node's own type, the node's first line, an anchor of a few lines.
fn narrower_selectors(
    parsed: &Parsed,
    selector: &Selector,
    candidate: &Candidate<'_>,
    node: Node<'_>,
) -> impl Iterator<Item = Selector> {
    let part = candidate.text_span();
    let source = parsed.source();
    // A pattern needs no type, but a text does.
    let of_text = match &selector.anchor {
        Anchor::Pattern(_) if selector.ancestor_node_type.is_empty() => {
            with_type(selector, node.kind())
        }
        _ => selector.clone(),
    };
    let text_of = move |span: Span| source.slice(span).into_owned();
    let is_rare = move |span: &Span| {
        let text = source.slice(*span);
        let places = memchr::memmem::find_iter(source.text().as_bytes(), text.as_bytes());
        places.take(OCCURRENCES_TRIED + 1).count() <= OCCURRENCES_TRIED
    };
    let (of_a_line, of_several): (Vec<Span>, Vec<Span>) =
        longer_anchors(parsed, candidate.anchor, node)
            .into_iter()
            .filter(|span| text_of(*span).lines().count() <= ANCHOR_LINES)
            .partition(|span| !text_of(*span).contains(['\n', '\r']));
    let by_anchor = {
        let of_text = of_text.clone();
        move |spans: Vec<Span>| {
            let of_text = of_text.clone();
            let rare = spans.into_iter().filter(is_rare);
            rare.filter_map(move |span| match part {
                Some(part) => Some(Selector {
                    anchor: Anchor::Part(between_markers(&text_of(span), part, span.start())?),
                    ..of_text.clone()
                }),
                None => Some(with_anchor_text(&of_text, &text_of(span))),
            })
        }
    };
    // A longer text may cover more than the node. The marker points at the node's part of it.
    let start = candidate.anchor.start();
    let marked = of_a_line.clone().into_iter();
    let marked = marked.filter(move |span| part.is_none() && is_rare(span));
    let of_marker = of_text.clone();
    let by_marker = marked.map(move |span| {
        let before = Span::new(span.start(), start.max(span.start()));
        let after = Span::new(before.end(), span.end().max(before.end()));
        Selector {
            anchor: Anchor::Find(format!("{}<|>{}", text_of(before), text_of(after))),
            ..of_marker.clone()
        }
    });
    let path = parsed.symbol_path(&candidate.chain);
    let by_scope = (!path.is_empty() && selector.scope.is_none()).then(|| Selector {
        scope: Some(Scope::Symbol(SymbolScope { symbol_path: path })),
        ..selector.clone()
    });
    let is_its_type = selector.ancestor_node_type[..] == [node.kind()];
    let by_type = (!is_its_type && part.is_none()).then(|| with_type(selector, node.kind()));
    let first_line = part.is_none().then(|| {
        let text = text_of(trimmed_node(parsed, node));
        with_anchor_text(&of_text, text.lines().next().unwrap_or_default())
    });
    by_anchor(of_a_line)
        .chain(by_marker)
        .chain(by_scope)
        .chain(by_type)
        .chain(first_line)
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
    let own_start = trimmed_node(parsed, node).start();
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

/// Returns whether a character is part of a word.
pub(super) fn is_of_word(c: char) -> bool {
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
