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
    let Some(from) = before_run(parsed, *parent, *node) else {
        return Vec::new();
    };
    let near = Span::new(from, node.span().end());
    let siblings = Siblings::within(parsed, *parent, near);
    let Some(index) = siblings.position(*node) else {
        return Vec::new();
    };
    let element = &siblings.elements[index];
    // What stands before the separator of the member stays where it is.
    let behind = element.start_behind_lead();
    let mut attached = element.attached.clone();
    attached.retain(|one| one.span.start() >= behind);
    let next = attached.iter().skip(1).map(|one| one.span.start());
    let ends: Vec<usize> = next.chain([element.core.start()]).collect();
    for (one, end) in attached.iter_mut().zip(ends) {
        one.span = Span::new(one.span.start(), end);
    }
    attached
}

/// The comments that the last node of `chain` begins with, before its first token, up to that token.
pub(crate) fn leading_comments(parsed: &Parsed, chain: &[Node<'_>]) -> Option<Attached> {
    let node = chain.last()?;
    let start = node.span().start();
    let first = node.first_token_start();
    (start < first).then(|| Attached {
        kind: "comment".to_string(),
        is_loose: true,
        stands_either: false,
        begins_same: false,
        is_of_last_group: false,
        span: Span::new(
            start,
            parsed.trimmed(Span::new(first, node.span().end())).start(),
        ),
    })
}

/// Where the child of `parent` ends that stands before all attached nodes and comments right before `node`;
/// nothing where there are none of these.
fn before_run(parsed: &Parsed, parent: Node<'_>, node: Node<'_>) -> Option<usize> {
    let may_be_attached =
        |child: Node<'_>| child.attached().is_some() || child.is_word("comment", None);
    let (mut first, mut is_run) = (node, false);
    loop {
        match child_before(parsed, parent, first)? {
            Some(child) if may_be_attached(child) => (first, is_run) = (child, true),
            Some(child) => return is_run.then(|| child.span().end()),
            None => return is_run.then(|| parent.span().start()),
        }
    }
}

/// The child of `parent` right before the child `next`, if there is one; nothing where `next` is none.
fn child_before<'p>(
    parsed: &'p Parsed,
    parent: Node<'p>,
    next: Node<'p>,
) -> Option<Option<Node<'p>>> {
    let ahead = Span::new(parent.span().start(), next.span().start());
    let end = parsed.source().trimmed_end(ahead).end();
    let mut cursor = parsed.walk(parent);
    // Most often it ends there, which spares a look at all the others.
    if end > ahead.start() && cursor.goto_first_child_for_byte(end - 1) {
        let child = cursor.node();
        if cursor.goto_next_sibling() && cursor.node() == next {
            return Some(Some(child));
        }
    }
    let children = parsed.children(parent);
    let own = children.iter().position(|child| *child == next)?;
    Some(own.checked_sub(1).map(|before| children[before]))
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
    let mut more = cursor.goto_first_child_for_byte(new.start()) || cursor.goto_first_child();
    while more && !bears_something {
        let child = cursor.node();
        if child.span().start() >= new.end() {
            break;
        }
        if child.span().end() > new.start() {
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
