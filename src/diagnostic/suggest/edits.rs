//! Suggests other nodes for an edit that failed.

use crate::edit::{EditError, Operation};
use crate::parse::Node;
use crate::select::{self, Selector, select, trimmed_node};
use crate::source::Span;
use crate::validate::Rejected;

use super::{Suggestions, with_anchor_text, with_type};
use crate::diagnostic::attempt::{Attempt, Pointing};
use crate::diagnostic::{NextCall, SUGGESTIONS_MADE, Suggestion, first_line};

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
/// content is wrong on every node.
pub(in crate::diagnostic) fn for_rejected(
    attempt: &Attempt<'_, '_>,
    rejected: &Rejected<'_>,
) -> Vec<Suggestion> {
    match attempt.operation {
        Operation::Insert { .. } | Operation::Delete if rejected.depends_on_target() => {
            further_out(attempt)
        }
        _ => Vec::new(),
    }
}

/// Suggests the nearest enclosing node on which the same edit passes every check.
fn further_out(attempt: &Attempt<'_, '_>) -> Vec<Suggestion> {
    let chain = attempt.selection.chain();
    let parsed = attempt.selection.parsed();
    if attempt.selection.node().is_in_protected() {
        // The content of a string is not code that fits next to another node.
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
            .and_then(|selection| attempt.passes(selection));
        previewed += usize::from(passes.is_some());
        passes == Some(true)
    };
    let found = depths
        .filter_map(|depth| selecting(attempt, &chain[..depth]))
        .find(|suggestion| passes(suggestion));
    found.into_iter().collect()
}

/// Suggests a selector for each body.
fn of_bodies(attempt: &Attempt<'_, '_>, bodies: &[Span]) -> Vec<Suggestion> {
    let parsed = attempt.selection.parsed();
    let made = bodies.iter().filter_map(|body| {
        let mut chain = parsed.chain(*body);
        // Among nodes that cover the same bytes, the outermost is the body.
        while chain.len() > 1 && chain[chain.len() - 2].span() == *body {
            chain.pop();
        }
        selecting(attempt, &chain)
    });
    made.take(SUGGESTIONS_MADE).collect()
}

/// Suggests a selector for the last node of `chain`: the attempt's selector with the node's type, the node's first
/// line, or a description.
fn selecting(attempt: &Attempt<'_, '_>, chain: &[Node<'_>]) -> Option<Suggestion> {
    let (parsed, selector) = (attempt.selection.parsed(), attempt.selector);
    let node = *chain.last()?;
    let plain = Selector {
        nth: None,
        outward: 0,
        sibling: 0,
        ..with_type(selector, node.kind())
    };
    let mut found = Suggestions::new(parsed, Pointing::Edit(attempt.operation));
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
            return found.made.pop();
        }
    }
    None
}
