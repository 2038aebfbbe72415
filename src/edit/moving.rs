//! What is put elsewhere when a node moves: comes in as a selection, goes out as content that an
//! insertion takes, with what is attached to the node.

use crate::select::Selection;
use crate::source::Span;

use super::indent;
use super::siblings::{Siblings, whole};
use super::spacing::Lines;

/// The text of the selected node as it stands in the file, from the start of its first line where
/// nothing else stands before it there, with what is attached to it and the comment behind it.
pub fn moving(selection: &Selection<'_>) -> String {
    let parsed = selection.parsed();
    let source = parsed.source();
    let chain = whole(parsed, selection.chain(), |_, _| false);
    let (node, container) = chain.split_last().expect("a selection ends with its node");
    let Some(parent) = container.last() else {
        return source.slice(selection.span()).into_owned();
    };
    let (siblings, index) = Siblings::round(parsed, *parent, *node);
    let element = &siblings.elements[index];
    let end = match element.trailing_comment {
        true => element.end,
        false => element.core.end(),
    };
    let margin = indent::margin(parsed, container);
    let lines = Lines {
        source,
        margin: &margin,
    };
    let start = match margin.is_empty() && lines.starts_line(element.start()) {
        true => lines.line_start(element.start()),
        false => element.start(),
    };
    source.slice(Span::new(start, end)).into_owned()
}
