//! The text of a node that moves, with its attached nodes, as content for an insertion.

use crate::parse::{Node, Parsed};
use crate::select::Selection;
use crate::source::Span;

use super::indent::{self, IndentTarget};
use super::insertion_point::InsertionPoint;
use super::siblings::{KnownSiblings, whole};
use super::spacing::Lines;
use super::{InsertPosition, check_editable, delete};

/// Returns the text of the selected node, with its attached nodes and its trailing comment, for an insertion at `position`
/// of `to`: the member of a list if it is inserted into one, else everything that deleting the node removes. If the node
/// starts its line, the text is indented as in the file; else as at column 0.
pub fn moving(selection: &Selection<'_>, to: &Selection<'_>, position: InsertPosition) -> String {
    let parsed = selection.parsed();
    let source = parsed.source();
    let known = KnownSiblings::default();
    let chain = match is_inserted_into_list(to, position) {
        true => member_of_list(parsed, selection.chain()),
        false => delete::outermost(parsed, selection.chain(), &known),
    };
    let (node, container) = chain.split_last().expect("a selection ends with its node");
    let Some(parent) = container.last() else {
        return source.slice(selection.span()).into_owned();
    };
    let (siblings, index) = known.around(parsed, *parent, *node);
    let element = &siblings.elements[index];
    let margin = indent::margin(parsed, container);
    let lines = Lines {
        source,
        margin: &margin,
    };
    // A separator in a line of its own is part of the text, and so is the sign that ends a struct.
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
        false => indent::moved(
            parsed,
            span,
            &IndentTarget::for_span(parsed, container, span),
            "",
        ),
    }
}

/// Returns whether content inserted there becomes a member of a list.
fn is_inserted_into_list(to: &Selection<'_>, position: InsertPosition) -> bool {
    if check_editable(to).is_err() || to.node().is_in_protected() {
        return false;
    }
    let point = InsertionPoint::at(to, position, &KnownSiblings::default());
    point.is_ok_and(|point| point.list().is_some())
}

/// Returns the chain down to the member of a list that contains only the last of `chain`; `chain` if there is none.
fn member_of_list<'p>(parsed: &'p Parsed, chain: &[Node<'p>]) -> Vec<Node<'p>> {
    let known = KnownSiblings::default();
    let is_member = |parent: Node<'p>, node: Node<'p>| {
        let (siblings, _) = known.around(parsed, parent, node);
        siblings.list.is_some()
    };
    let member = whole(parsed, chain, is_member);
    match member[..] {
        [.., parent, node] if is_member(parent, node) => member,
        _ => chain.to_vec(),
    }
}
