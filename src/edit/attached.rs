//! What travels with a node: doc comments, attributes, decorators, by `attached.scm`.

use crate::parse::{Node, Parsed};
use crate::source::Span;

use super::siblings::{Attached, Siblings};

/// The attached nodes and comments right before the last node of `chain`, in file order, each up to
/// what follows it.
pub(crate) fn before<'p>(parsed: &'p Parsed, chain: &[Node<'p>]) -> Vec<Attached> {
    let [.., parent, node] = chain else {
        return Vec::new();
    };
    // Most nodes have nothing before them that could be attached, which spares a closer look.
    let may_be_attached =
        |before: Node<'_>| before.attached().is_some() || before.is_word("comment", None);
    if !just_before(parsed, *parent, *node).is_some_and(may_be_attached) {
        return Vec::new();
    }
    let siblings = Siblings::of(parsed, *parent);
    let Some(index) = siblings.position(*node) else {
        return Vec::new();
    };
    let element = &siblings.elements[index];
    let next = element.attached.iter().skip(1).map(|one| one.span.start());
    let ends = next.chain([element.core.start()]);
    element
        .attached
        .iter()
        .zip(ends)
        .map(|(one, end)| Attached {
            kind: one.kind.clone(),
            is_loose: one.is_loose,
            span: Span::new(one.span.start(), end),
        })
        .collect()
}

/// The child of `parent` right before `node`.
fn just_before<'p>(parsed: &'p Parsed, parent: Node<'p>, node: Node<'p>) -> Option<Node<'p>> {
    let mut cursor = parsed.walk(parent);
    let mut before = None;
    let mut more = cursor.goto_first_child();
    while more && cursor.node() != node {
        before = Some(cursor.node());
        more = cursor.goto_next_sibling();
    }
    before
}

/// The kinds of attached nodes and comments that new text begins with: `new` is where it stands in
/// `parsed`.
pub(crate) fn kinds_brought(parsed: &Parsed, new: Span) -> Vec<String> {
    let Some(parent) = parsed.chain(new).last().copied() else {
        return Vec::new();
    };
    let mut cursor = parsed.walk(parent);
    let mut kinds = Vec::new();
    let mut bears_something = false;
    let mut more = cursor.goto_first_child();
    while more && !bears_something {
        let child = cursor.node();
        if child.span().end() > new.start() && child.span().start() < new.end() {
            let comment = child.is_word("comment", None).then_some("comment");
            match child.attached().or(comment) {
                Some(kind) => kinds.push(kind.to_string()),
                None => bears_something = true,
            }
        }
        more = cursor.goto_next_sibling();
    }
    match bears_something {
        true => kinds,
        false => Vec::new(),
    }
}
