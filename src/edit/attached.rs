//! What travels with a node: doc comments, attributes, decorators, by `attached.scm`.

use crate::parse::{Node, Parsed};
use crate::source::Span;

/// A node that stands before another and belongs to it.
#[derive(Clone, Debug)]
pub(crate) struct Attached {
    /// `doc`, `attribute`, ...: the word of `attached.scm`.
    pub(crate) kind: String,
    /// From its first byte up to the next attached node or the node itself.
    pub(crate) span: Span,
}

/// The attached nodes right before the last node of `chain`, in file order.
pub(crate) fn before(parsed: &Parsed, chain: &[Node<'_>]) -> Vec<Attached> {
    let (Some(tables), [.., parent, node]) = (parsed.source().language().tables(), chain) else {
        return Vec::new();
    };
    let mut cursor = parent.raw().walk();
    let mut run: Vec<(String, usize)> = Vec::new();
    for child in parent.raw().children(&mut cursor) {
        if Node::from(child) == *node {
            break;
        }
        match tables.attached(child) {
            Some(kind) => run.push((kind.to_string(), child.start_byte())),
            None => run.clear(),
        }
    }
    let ends = run
        .iter()
        .skip(1)
        .map(|(_, start)| *start)
        .chain([node.span().start()]);
    let spans = run.iter().map(|(_, start)| *start).zip(ends);
    spans
        .zip(&run)
        .map(|((start, end), (kind, _))| Attached {
            kind: kind.clone(),
            span: Span::new(start, end),
        })
        .collect()
}

/// The kinds of attached nodes that new text begins with: `new` is where it stands in `parsed`.
pub(crate) fn kinds_brought(parsed: &Parsed, new: Span) -> Vec<String> {
    let (Some(tables), Some(parent)) = (
        parsed.source().language().tables(),
        parsed.chain(new).last().copied(),
    ) else {
        return Vec::new();
    };
    let mut cursor = parent.raw().walk();
    let mut kinds = Vec::new();
    let mut bears_something = false;
    for child in parent.raw().children(&mut cursor) {
        if child.end_byte() <= new.start() || child.start_byte() >= new.end() {
            continue;
        }
        match tables.attached(child) {
            Some(kind) => kinds.push(kind.to_string()),
            None => {
                bears_something = true;
                break;
            }
        }
    }
    match bears_something {
        true => kinds,
        false => Vec::new(),
    }
}
