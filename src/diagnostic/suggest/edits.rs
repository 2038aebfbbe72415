//! Suggests other nodes for an edit that failed.

use crate::edit::{EditError, Operation};
use crate::parse::Node;
use crate::select::{self, Selector, select, trimmed_node};
use crate::source::Span;
use crate::validate::Rejected;

use super::{Suggestions, with_anchor_text, with_type};
use crate::diagnostic::attempt::Attempt;
use crate::diagnostic::{Suggestion, Trial, first_line};

/// The maximum number of enclosing nodes to try as the target of an edit.
const ANCESTORS_TRIED: usize = 5;
/// The maximum number of these edits to apply, which requires parsing the text.
const PREVIEWED: usize = 3;

/// Suggests other nodes for an operation that cannot be applied.
pub(in crate::diagnostic) fn for_edit(
    attempt: &Attempt<'_, '_>,
    error: &EditError,
) -> Vec<Suggestion> {
    match error {
        EditError::NoInside { bodies } if bodies.is_empty() => further_out(attempt),
        EditError::NoInside { bodies } => of_bodies(attempt, bodies),
        _ => Vec::new(),
    }
}

/// Suggests another node for an insertion or deletion whose result was rejected, unless the
/// content is wrong on every node, or only the language rejects it here.
pub(in crate::diagnostic) fn for_rejected(
    attempt: &Attempt<'_, '_>,
    rejected: &Rejected<'_>,
) -> Vec<Suggestion> {
    match attempt.operation {
        Operation::Insert { .. } if rejected.is_refused_by_language() => Vec::new(),
        Operation::Insert { .. } | Operation::Delete if rejected.depends_on_target() => {
            further_out(attempt)
        }
        _ => Vec::new(),
    }
}

/// Suggests the nearest enclosing node on which the same edit passes every check. A deletion removes no other words.
fn further_out(attempt: &Attempt<'_, '_>) -> Vec<Suggestion> {
    let (parsed, chain) = (attempt.selection.parsed(), attempt.selection.chain());
    if attempt.selection.node().is_in_protected() {
        // The content of a string is not code that fits next to another node.
        return Vec::new();
    }
    let is_deletion = matches!(attempt.operation, Operation::Delete);
    let own = attempt.selection.span();
    let has_other_words = |span: Span| {
        let around = [
            Span::new(span.start(), own.start()),
            Span::new(own.end(), span.end()),
        ];
        let mut texts = around.iter().map(|one| parsed.source().slice(*one));
        texts.any(|text| text.contains(char::is_alphanumeric))
    };
    let depths = (2..chain.len()).rev().take(ANCESTORS_TRIED);
    let depths = depths.filter(|depth| {
        let span = chain[depth - 1].span();
        !is_deletion || span.contains(own) && !has_other_words(span)
    });
    let found = depths
        .filter_map(|depth| {
            let mut found = Suggestions::new(parsed, attempt.pointing());
            add_node(&mut found, attempt.selector, &chain[..depth]);
            found.made.pop()
        })
        .take(PREVIEWED)
        .find(|suggestion| suggestion.trial == Trial::Works);
    found.into_iter().collect()
}

/// Suggests a selector for each body.
fn of_bodies(attempt: &Attempt<'_, '_>, bodies: &[Span]) -> Vec<Suggestion> {
    let parsed = attempt.selection.parsed();
    let mut found = Suggestions::new(parsed, attempt.pointing());
    for body in bodies {
        let mut chain = parsed.chain(*body);
        // Among nodes that cover the same bytes, the outermost is the body.
        while chain.len() > 1 && chain[chain.len() - 2].span() == *body {
            chain.pop();
        }
        add_node(&mut found, attempt.selector, &chain);
    }
    found.into_ordered()
}

/// Suggests a selector for the last node of `chain`: `selector` with the node's type, the node's first line, or a
/// description.
pub(super) fn add_node(found: &mut Suggestions<'_>, selector: &Selector, chain: &[Node<'_>]) {
    let parsed = found.parsed;
    let Some(&node) = chain.last() else {
        return;
    };
    let plain = Selector {
        nth: None,
        outward: 0,
        sibling: 0,
        ..with_type(selector, node.kind())
    };
    let first_line = first_line(parsed, trimmed_node(parsed, node));
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
            return;
        }
    }
}
