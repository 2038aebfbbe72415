//! What is put elsewhere when a node moves: comes in as a selection and where it goes, goes out as
//! content that an insertion takes, with what is attached to the node.

use crate::parse::{Node, Parsed};
use crate::select::Selection;
use crate::source::Span;

use super::indent::{self, IndentTarget};
use super::insertion_point::InsertionPoint;
use super::siblings::{Siblings, whole};
use super::spacing::Lines;
use super::{InsertPosition, check_editable, delete};

/// The text of the selected node, with what is attached to it and the comment behind it, for a place
/// at `position` of `to`: the member of a list where it comes into one, else all that goes when the
/// node is deleted. From the start of its first line as it stands in the file, where nothing
/// else stands before it there; otherwise as it would be written at column 0.
pub fn moving(selection: &Selection<'_>, to: &Selection<'_>, position: InsertPosition) -> String {
    let parsed = selection.parsed();
    let source = parsed.source();
    let chain = match comes_into_list(to, position) {
        true => member_of_list(parsed, selection.chain()),
        false => delete::outermost(parsed, selection.chain()),
    };
    let (node, container) = chain.split_last().expect("a selection ends with its node");
    let Some(parent) = container.last() else {
        return source.slice(selection.span()).into_owned();
    };
    let (siblings, index) = Siblings::round(parsed, *parent, *node);
    let element = &siblings.elements[index];
    let margin = indent::margin(parsed, container);
    let lines = Lines {
        source,
        margin: &margin,
    };
    // A separator in a line of its own stays there, and the sign that ends a struct is its own.
    let own_line = |separator: &Span| lines.breaks(element.core.end(), separator.start()) > 0;
    let end = match element.separator {
        _ if element.trailing_comment => element.end,
        Some(separator) if own_line(&separator) => separator.end(),
        None if !parent.is_indented() => element.end,
        _ => element.core.end(),
    };
    let span = Span::new(element.start(), end);
    match margin.is_empty() && lines.starts_line(span.start()) {
        true => {
            let lines = Span::new(lines.line_start(span.start()), end);
            source.slice(lines).into_owned()
        }
        false => indent::moved(parsed, span, &IndentTarget::of(parsed, container, span), ""),
    }
}

/// Whether what is inserted there becomes one of a list.
fn comes_into_list(to: &Selection<'_>, position: InsertPosition) -> bool {
    if check_editable(to).is_err() || to.node().is_in_protected() {
        return false;
    }
    let point = InsertionPoint::at(to, position);
    point.is_ok_and(|point| point.list().is_some())
}

/// The chain up to the member of a list that the last of `chain` is all of; `chain` itself where it is
/// none.
fn member_of_list<'p>(parsed: &'p Parsed, chain: &[Node<'p>]) -> Vec<Node<'p>> {
    let is_member = |parent: Node<'p>, node: Node<'p>| {
        let (siblings, _) = Siblings::round(parsed, parent, node);
        siblings.list.is_some()
    };
    let member = whole(parsed, chain, is_member);
    match member[..] {
        [.., parent, node] if is_member(parent, node) => member,
        _ => chain.to_vec(),
    }
}
