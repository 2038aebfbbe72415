//! The nodes that move with a node: doc comments, attributes, decorators, by `attached.scm`.

use std::collections::BTreeSet;

use crate::language::queries::Mark;
use crate::parse::{Node, Parsed};
use crate::source::Span;

use super::siblings::{Attached, Siblings};

/// Returns the attached nodes and comments directly before the last node of `chain`, in file order, each up to the next.
pub(crate) fn before<'p>(parsed: &'p Parsed, chain: &[Node<'p>]) -> Vec<Attached> {
    let [.., parent, node] = chain else {
        return Vec::new();
    };
    // Most nodes have no such node before them.
    let Some(from) = before_run(parsed, *parent, *node) else {
        return Vec::new();
    };
    let near = Span::new(from, node.span().end());
    let siblings = Siblings::within(parsed, *parent, near);
    let Some(index) = siblings.position(*node) else {
        return Vec::new();
    };
    let element = &siblings.elements[index];
    // Nodes before the leading separator of the member are not attached to it.
    let start = element.start_after_lead();
    let mut attached = element.attached.clone();
    attached.retain(|one| one.span.start() >= start);
    let next = attached.iter().skip(1).map(|one| one.span.start());
    let ends: Vec<usize> = next.chain([element.core.start()]).collect();
    for (one, end) in attached.iter_mut().zip(ends) {
        one.span = Span::new(one.span.start(), end);
    }
    attached
}

/// Returns the comments that the last node of `chain` begins with, up to its first token.
pub(crate) fn leading_comments(parsed: &Parsed, chain: &[Node<'_>]) -> Option<Attached> {
    let node = chain.last()?;
    let start = node.span().start();
    let first = node.first_token_start();
    (start < first).then(|| Attached {
        kind: "comment".to_string(),
        is_loose: true,
        may_be_either: false,
        begins_same: false,
        is_of_last_group: false,
        span: Span::new(
            start,
            parsed.trimmed(Span::new(first, node.span().end())).start(),
        ),
    })
}

/// The attributes and annotations that a definition begins with, where the grammar makes them a part of it.
pub(crate) struct AttributesInside<'p> {
    /// From the first one to the next token.
    pub(crate) span: Span,
    pub(crate) nodes: Vec<Node<'p>>,
}

impl AttributesInside<'_> {
    /// Returns the types of the attributes whose text `is_one` accepts, each once.
    pub(crate) fn node_types(&self, parsed: &Parsed, is_one: impl Fn(&str) -> bool) -> Vec<String> {
        let counts = |node: &&Node<'_>| is_one(&parsed.source().slice(node.span()));
        let nodes = self.nodes.iter().filter(counts);
        let types: BTreeSet<&str> = nodes.map(|node| node.kind()).collect();
        types.into_iter().map(str::to_string).collect()
    }
}

/// Returns the attributes that the last node of `chain`, a definition or a member of a body, begins with; not those
/// after another token of it.
pub(crate) fn attributes_inside<'p>(
    parsed: &'p Parsed,
    chain: &[Node<'p>],
) -> Option<AttributesInside<'p>> {
    let (node, above) = chain.split_last()?;
    let is_member = || above.last().is_some_and(|parent| parent.body().is_some());
    let node = *node;
    if node.definition().is_none() && !is_member() {
        return None;
    }
    let mut run: Vec<Node<'p>> = Vec::new();
    let mut open = vec![node];
    while let Some(outer) = open.pop() {
        for child in parsed.children(outer) {
            if child.is(Mark::Within) || child.is_word("comment", None) {
                run.push(child);
                continue;
            }
            // The modifiers of a declaration may begin with them.
            let first = child.first_child();
            if first.is_some_and(|first| first.is(Mark::Within)) {
                open.push(child);
            }
            break;
        }
    }
    let (first, last) = run.first().zip(run.last())?;
    let after = Span::new(last.span().end(), node.span().end());
    let span = Span::new(first.span().start(), parsed.trimmed(after).start());
    let is_first = first.span().start() == parsed.trimmed(node.span()).start();
    run.retain(|one| one.is(Mark::Within));
    (is_first && !run.is_empty() && span.end() < node.span().end())
        .then_some(AttributesInside { span, nodes: run })
}

/// What content begins with.
pub(crate) struct ContentStart {
    /// The number of characters of the comments that it begins with, without whitespace.
    pub(crate) comments: usize,
    /// Whether a definition, or a node of the replaced type, without attributes follows them.
    pub(crate) is_without_attributes: bool,
}

/// Returns what the text of `parsed` in `new`, which replaces a node of the type `replaced`, begins with. Kept attributes
/// may be before it, from `attributes` on.
pub(crate) fn content_start(
    parsed: &Parsed,
    attributes: usize,
    new: Span,
    replaced: &str,
) -> ContentStart {
    let mut start = parsed.trimmed(new).start();
    loop {
        let first = Span::new(start, (start + 1).min(new.end()));
        let chain = parsed.chain(first);
        let comment = chain.iter().find(|node| node.is_word("comment", None));
        let next = comment.map(|comment| {
            let after = Span::new(comment.span().end().min(new.end()), new.end());
            parsed.trimmed(after).start()
        });
        match next.filter(|next| *next > start && *next < new.end()) {
            Some(next) => start = next,
            None => {
                let is_attribute =
                    |node: &Node<'_>| node.span().start() == start && node.is(Mark::Within);
                let whole = Span::new(attributes, new.end());
                let is_definition = |node: &Node<'_>| {
                    (node.definition().is_some() || node.kind() == replaced)
                        && whole.contains(node.span())
                };
                let comments = parsed.source().slice(Span::new(new.start(), start));
                return ContentStart {
                    comments: comments.chars().filter(|c| !c.is_whitespace()).count(),
                    is_without_attributes: chain.iter().any(is_definition)
                        && !chain.iter().any(is_attribute),
                };
            }
        }
    }
}

/// Returns where the run of attached nodes and comments directly before `node` starts: the end of
/// the child before it; `None` if there is no such run.
fn before_run<'p>(parsed: &'p Parsed, parent: Node<'p>, node: Node<'p>) -> Option<usize> {
    let may_be_attached =
        |child: Node<'p>| child.attached_in(parent).is_some() || child.is_word("comment", None);
    child_before(parsed, parent, node)?.filter(|child| may_be_attached(*child))?;
    let children = parsed.children(parent);
    let own = children.iter().position(|child| *child == node)?;
    let last = children[..own]
        .iter()
        .rfind(|child| !may_be_attached(**child));
    Some(last.map_or(parent.span().start(), |child| child.span().end()))
}

/// Returns the child of `parent` directly before its child `next`, if there is one; `None` if
/// `next` is not a child.
fn child_before<'p>(
    parsed: &'p Parsed,
    parent: Node<'p>,
    next: Node<'p>,
) -> Option<Option<Node<'p>>> {
    let ahead = Span::new(parent.span().start(), next.span().start());
    let end = parsed.source().trimmed_end(ahead).end();
    let mut cursor = parsed.walk(parent);
    // Usually it ends there, so that the others need not be read.
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

/// Returns the kinds of attached nodes and comments that the text of `parsed` in `new` begins with; none if nothing follows
/// them.
pub(crate) fn kinds_at_start(parsed: &Parsed, new: Span) -> Vec<String> {
    let Some(parent) = parsed.chain(new).last().copied() else {
        return Vec::new();
    };
    let mut cursor = parsed.walk(parent);
    let mut kinds = Vec::new();
    let mut has_bearer = false;
    let mut more = cursor.goto_first_child_for_byte(new.start()) || cursor.goto_first_child();
    while more && !has_bearer {
        let child = cursor.node();
        if child.span().start() >= new.end() {
            break;
        }
        if child.span().end() > new.start() {
            let comment = child.is_word("comment", None).then_some("comment");
            match child.attached_in(parent).or(comment) {
                Some(kind) => kinds.push(kind.to_string()),
                None => has_bearer = true,
            }
        }
        more = cursor.goto_next_sibling();
    }
    match has_bearer {
        true => kinds,
        false => Vec::new(),
    }
}
