//! What the tree of a layout shows about the inserted content.

use crate::language::queries::Mark;
use crate::parse::{Node, Parsed};
use crate::select::trimmed_node;
use crate::source::{Source, Span};

use super::super::insertion_point::{InsertionPoint, Neighbour};
use super::super::layout::LastLayout;
use super::super::siblings::{Element, Role, Siblings};
use super::super::spacing::SpacingClass;
use super::Sides;

/// The elements that the content became.
pub(super) struct InsertedNodes {
    pub(super) first: SpacingClass,
    pub(super) last: SpacingClass,
    /// Whether the last member needs no separator after it.
    pub(super) needs_no_separator: bool,
    /// If a comment follows the last member in the last line of the content: where the member ends in that line, in bytes
    /// after its indentation.
    pub(super) end_before_comment: Option<usize>,
    /// The neighbors that the content became a part of.
    pub(super) merged: Sides,
    /// If the content is attached to the next element (comments, doc comments, attributes): the kind of its first node.
    pub(super) attached: Option<String>,
}

impl InsertedNodes {
    pub(super) fn new(point: &InsertionPoint<'_>, last: &LastLayout<'_>) -> InsertedNodes {
        let [named, other] = match point.named {
            Neighbour::Previous => [point.previous, point.next],
            Neighbour::Next => [point.next, point.previous],
        };
        let neighbour = point.element(named).or(point.element(other));
        let class = neighbour.map(|element| SpacingClass::from_element(point.parsed, element));
        let class = class.unwrap_or_default();
        let mut nodes = InsertedNodes {
            first: class,
            last: class,
            needs_no_separator: false,
            end_before_comment: None,
            merged: Sides {
                before: point.named == Neighbour::Previous,
                after: point.named == Neighbour::Next,
            },
            attached: None,
        };
        let (after, new) = (last.after, last.new_span);
        if let Some(container) = container(point, after, new) {
            nodes.read(after, &last.siblings(container), new);
        }
        nodes
    }

    /// Reads the elements of `siblings` that are in `new`, the span of the content.
    fn read(&mut self, after: &Parsed, siblings: &Siblings<'_>, new: Span) {
        // The content may be in one node with the element it is attached to: a decorator.
        let attached_inside = |one: &Element<'_>| {
            let attached = one.node.attached_inside().into_iter();
            let mut own = attached.filter(|(_, node)| new.contains(node.span()));
            own.next().map(|(kind, _)| kind.to_string())
        };
        let elements = siblings.elements.iter();
        let own = elements.filter(|one| new.contains(one.core) && !one.core.is_empty());
        let mut own = own.filter(|one| one.role != Role::Frame);
        if let Some(first) = own.next() {
            let end = own.next_back().unwrap_or(first);
            self.merged = Sides::default();
            self.end_before_comment = end_before_comment(after, end, new);
            self.first = SpacingClass::from_element(after, first);
            self.last = SpacingClass::from_element(after, end);
            self.needs_no_separator = end.node.is(Mark::Unseparated) || !is_member(end.node);
        } else {
            let mut attached = siblings.elements.iter().flat_map(|one| &one.attached);
            let first = attached.find(|one| new.contains(one.span));
            let inside = siblings.elements.iter().find_map(attached_inside);
            self.attached = first.map(|first| first.kind.clone()).or(inside);
            if self.attached.is_some() {
                self.merged = Sides::default();
            }
        }
        let elements = siblings.elements.iter();
        let cut = elements.filter(|one| one.core.overlaps(new) && attached_inside(one).is_none());
        let merged = cut.fold(Sides::default(), |merged, one| {
            merged.or(Sides {
                before: one.core.start() < new.start(),
                after: one.core.end() > new.end(),
            })
        });
        if merged.any() {
            self.merged = merged;
        }
    }
}

/// Returns the node of the new tree that has the type of the siblings' parent and encloses the content.
fn container<'a>(point: &InsertionPoint<'_>, after: &'a Parsed, new: Span) -> Option<Node<'a>> {
    let kind = point.siblings.parent.kind();
    let chain = after.chain(new);
    let container = chain.iter().enumerate().rev().find(|(depth, node)| {
        let own = trimmed_node(after, **node);
        node.kind() == kind && (*depth == 0 || !new.contains(own))
    });
    container.map(|(_, container)| *container)
}

/// Returns where the member ends in the last line of `content`, in bytes after its indentation, if a comment follows it
/// in that line.
fn end_before_comment(parsed: &Parsed, member: &Element<'_>, content: Span) -> Option<usize> {
    let source = parsed.source();
    let end = member.core.end();
    let rest = source.slice(Span::new(end, content.end().max(end)));
    let text = source.slice(Span::new(content.start(), end));
    let has_comment = member.end > end && rest.contains(|c: char| !c.is_whitespace() && c != ',');
    (has_comment && !rest.contains('\n')).then(|| text.len() - start_of_last_line(&text))
}

/// Returns where the last line of a text starts, after its indentation.
pub(super) fn start_of_last_line(text: &str) -> usize {
    let start = text.rfind('\n').map_or(0, |line_break| line_break + 1);
    text.len() - text[start..].trim_start().len()
}

/// Returns whether the first member of `content`, for a child of `parent`, is an import.
pub(super) fn begins_with_import(parent: Node<'_>, content: &str) -> bool {
    let parsed = Parsed::parse(Source::new("", parent.language(), content.to_string()));
    let mut children = parsed.children(parsed.root()).into_iter();
    let first = children.find(|child| is_member(*child));
    first.is_some_and(Node::is_import)
}

/// Returns whether `content` is only comments, doc comments and attributes of the kinds that occur in `parent`.
pub(super) fn is_attached_alone(parent: Node<'_>, content: &str) -> bool {
    let alone = Source::new("", parent.language(), content.to_string());
    let parsed = Parsed::parse(alone);
    let children = parsed.children(parsed.root());
    let is_own = |child: &Node<'_>| is_member(*child) || !child.may_be_attached_in(parent);
    !children.is_empty() && !children.iter().any(is_own)
}

/// Returns whether a node is neither a comment nor attached to the next one.
fn is_member(node: Node<'_>) -> bool {
    let attached = node.attached_kind();
    !node.is_word("comment", None) && attached.is_none_or(|kind| kind.begins_same)
}
