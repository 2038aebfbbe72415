//! Several edits of one text that are made one after the other: selections and operations come in,
//! the order to make them in goes out. Refuses two that take the same text.

use crate::select::Selection;
use crate::source::Span;

use super::{InsertPosition, Operation, attached};

/// Two edits of which each takes, or needs, what the other takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("edits {first} and {second} take the same text")]
pub struct Clash {
    /// The one that comes first in the request.
    pub first: usize,
    /// The other.
    pub second: usize,
}

/// What an edit has to do with the text as it is.
enum Claim {
    /// The node, and the text that may go: itself and what is attached to it.
    Takes { node: Span, with_attached: Span },
    /// Something comes beside this node, which must stay findable.
    Beside(Span),
    /// Something comes into this node.
    Into(Span),
}

/// The order in which edits of one text are made so that all come out as asked for: what is put in
/// first, then what is replaced, then what goes. Insertions at one point keep their order in the
/// text.
///
/// # Errors
/// Two of them take the same text.
pub fn order(edits: &[(&Selection<'_>, &Operation)]) -> Result<Vec<usize>, Clash> {
    let claims: Vec<Claim> = edits.iter().map(|(one, what)| claim(one, what)).collect();
    for (second, claim) in claims.iter().enumerate() {
        for (first, other) in claims[..second].iter().enumerate() {
            if claim.clashes(other) || other.clashes(claim) {
                return Err(Clash { first, second });
            }
        }
    }
    let mut order: Vec<usize> = (0..edits.len()).collect();
    order.sort_by_key(|index| match edits[*index].1 {
        // Each of these comes right behind its place, so that the last one comes first.
        Operation::Insert {
            position: InsertPosition::After | InsertPosition::FirstChild,
            ..
        } => (0, edits.len() - index),
        Operation::Insert { .. } => (1, *index),
        Operation::Replace { .. } | Operation::ReplaceText { .. } | Operation::Wrap { .. } => {
            (2, *index)
        }
        Operation::Delete => (3, *index),
    });
    Ok(order)
}

fn claim(selection: &Selection<'_>, operation: &Operation) -> Claim {
    let node = selection.span();
    match operation {
        Operation::Insert { position, .. } => match position {
            InsertPosition::Before | InsertPosition::After => Claim::Beside(node),
            InsertPosition::FirstChild | InsertPosition::LastChild => Claim::Into(node),
        },
        Operation::ReplaceText { .. } => Claim::Takes {
            node,
            with_attached: node,
        },
        Operation::Replace { .. } | Operation::Delete | Operation::Wrap { .. } => {
            let attached = attached::before(selection.parsed(), selection.chain());
            let start = attached
                .first()
                .map_or(node.start(), |one| one.span.start());
            Claim::Takes {
                node,
                with_attached: Span::new(start, node.end()),
            }
        }
    }
}

impl Claim {
    /// Whether this one takes what the other takes or needs.
    fn clashes(&self, other: &Claim) -> bool {
        let Claim::Takes {
            node,
            with_attached,
        } = self
        else {
            return false;
        };
        match other {
            Claim::Takes {
                with_attached: taken,
                ..
            } => with_attached.overlaps(*taken),
            // Beside what is replaced or goes there is still a place.
            Claim::Beside(place) => with_attached.contains(*place) && place != node,
            Claim::Into(place) => with_attached.contains(*place),
        }
    }
}
