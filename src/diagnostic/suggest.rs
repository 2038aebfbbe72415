//! Suggests calls that would have worked. Resolves each call before suggesting it, and tries the edit there.

mod edits;
mod finds;
mod locators;
mod narrow;
mod scopes;
mod texts;
mod types;

use crate::edit::check_editable;
use crate::locate::ELIDED;
use crate::parse::Parsed;
use crate::select::{Anchor, SelectError, Selection, Selector, select_if_one};
use crate::source::Span;

use super::attempt::Pointing;
use super::{NextCall, SUGGESTIONS_MADE, Suggestion, first_line, node_view};

use finds::{has_signs, whole_words};
use narrow::{ANCHOR_LINES, distinguish_all};
use scopes::other_scopes;
use texts::{other_anchors, shorter_anchor};
use types::{known_types, other_ancestors, types_above};

pub(super) use edits::{for_edit, for_rejected};
pub(super) use locators::for_locate;

/// Returns selectors that may be meant instead of `selector`: those that work first, then the most likely first.
pub(super) fn for_selector(
    parsed: &Parsed,
    selector: &Selector,
    error: &SelectError<'_>,
    pointing: Pointing<'_>,
) -> Vec<Suggestion> {
    let mut found = Suggestions::new(parsed, pointing);
    match error {
        SelectError::Scope(error) => other_scopes(&mut found, selector, error),
        SelectError::AnchorNotFound if matches!(selector.anchor, Anchor::Pattern(_)) => {
            found.add(Selector {
                scope: None,
                ..selector.clone()
            });
        }
        SelectError::AnchorNotFound | SelectError::Find(_) => other_anchors(&mut found, selector),
        SelectError::SplitsWord { matches } => whole_words(&mut found, selector, matches),
        SelectError::UnknownNodeType { name, occurrences } => {
            known_types(&mut found, selector, name, occurrences);
        }
        SelectError::AncestorRequired { occurrences } => {
            types_above(&mut found, selector, occurrences, "");
        }
        SelectError::AncestorNotFound { occurrences } => {
            other_ancestors(&mut found, selector, occurrences);
        }
        SelectError::AnchorTooLong { candidate } => shorter_anchor(&mut found, selector, candidate),
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
        | SelectError::NotParsed { .. }
        | SelectError::InvalidPattern { .. }
        | SelectError::MatchCount { .. } => {}
    }
    found.into_ordered()
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

    /// Returns the suggestions; those that work are first.
    fn into_ordered(self) -> Vec<Suggestion> {
        let mut made = self.made;
        made.sort_by_key(|suggestion| suggestion.trial);
        made
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

    /// Does the same as [`Suggestions::add`] for a `selector` that selects `selection`.
    fn add_resolved(&mut self, selector: Selector, selection: &Selection<'_>) -> bool {
        if self.made.len() >= SUGGESTIONS_MADE {
            return false;
        }
        if check_editable(selection).is_err() {
            return false;
        }
        if !self.spans.contains(&selection.span()) {
            let Some(trial) = self.pointing.tried(selection.clone()) else {
                return false;
            };
            let selector = shortened(self.parsed, selector, selection);
            let selects = match selection.is_text() {
                true => {
                    let source = self.parsed.source();
                    let line = source.line_of(selection.span().start());
                    let text = first_line(self.parsed, selection.span());
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
                trial,
            });
        }
        true
    }
}

/// Shortens a text of many lines to its first lines, or a text that is itself selected to its first and last lines, if that
/// selects the same.
fn shortened(parsed: &Parsed, selector: Selector, selection: &Selection<'_>) -> Selector {
    let text = selector.anchor.as_str();
    if text.lines().nth(ANCHOR_LINES).is_none() || has_signs(text) {
        return selector;
    }
    let lines: Vec<&str> = text.trim().lines().collect();
    let is_part = matches!(selector.anchor, Anchor::Part(_));
    let shorter = (1..ANCHOR_LINES).filter(|count| 2 * count < lines.len());
    let shorter = shorter.map(|count| {
        let first = lines[..count].join("\n");
        let last = lines[lines.len() - count..].join("\n");
        let text = match is_part {
            true => [first.trim_end(), ELIDED, last.trim_start()].concat(),
            false => first,
        };
        with_anchor_text(&selector, &text)
    });
    let is_same = |shorter: &Selector| {
        let selected = select_if_one(parsed, shorter);
        selected.is_ok_and(|one| one.span() == selection.span() && one.node() == selection.node())
    };
    let mut shorter = shorter.filter(is_same);
    shorter.next().unwrap_or_else(|| selector.clone())
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
