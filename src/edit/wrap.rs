//! Wraps a node in content that has a marker for it.

use crate::change::EditNote;
use crate::locate;
use crate::parse::{Node, Parsed};
use crate::select::Selection;
use crate::source::Span;

use super::indent::{self, IndentTarget};
use super::layout::{Composed, Draft};
use super::replace::kinds;
use super::siblings::{KnownSiblings, whole};
use super::{EditError, Indent, bare_content, has_other_line_ending};

/// Returns an operation that puts the selected node at the marker of the content, as deep as the marker. If the marker has a
/// line of its own, attached nodes move with the node.
///
/// # Errors
/// The content has no marker, or several of each kind.
pub(super) fn wrapping<'s, 'p>(
    selection: &'s Selection<'p>,
    given: &str,
    indent: Indent,
    known: &KnownSiblings<'p>,
) -> Result<Draft<'s, 'p>, EditError>
where
    'p: 's,
{
    let parsed = selection.parsed();
    let as_given = indent == Indent::Verbatim;
    let content = match as_given {
        true => given.replace("\r\n", "\n"),
        false => bare_content(given),
    };
    let wrapper = Wrapper::parse(&content).ok_or(EditError::NoMarker)?;
    let wrapped = match wrapper.is_block() && !as_given {
        true => Wrapped::with_attached(parsed, selection.chain(), known),
        false => Wrapped::alone(selection),
    };
    let source = parsed.source();
    let line_ending = source.line_ending_at(wrapped.span.start());
    let target = IndentTarget::for_span(parsed, &wrapped.container, wrapped.span);
    let content = match as_given {
        true => wrapper.enclosing(&source.slice(wrapped.span).replace("\r\n", "\n")),
        false => {
            let content = indent::with_unit_of_file(&content, &target);
            let wrapper = Wrapper::parse(&content).ok_or(EditError::NoMarker)?;
            let inner = indent::moved(parsed, wrapped.span, &target, wrapper.indentation());
            wrapper.enclosing(&inner)
        }
    };
    let has_other_breaks = has_other_line_ending(given, line_ending);
    Ok(Box::new(move |last| {
        let mut notes = Vec::new();
        let text = match as_given {
            true => content.clone(),
            false => {
                let reindented = indent::reindent(&content, &target, indent, last);
                notes.extend(reindented.note());
                reindented.text
            }
        };
        if !wrapped.attached.is_empty() {
            notes.push(EditNote::AttachedAlong {
                kinds: wrapped.attached.clone(),
            });
        }
        if has_other_breaks {
            notes.push(EditNote::LineEndings);
        }
        let new_text = ["", &text, ""].map(|text| text.replace('\n', line_ending));
        Composed {
            removed: vec![wrapped.span],
            notes,
            ..Composed::one(wrapped.span, new_text, &wrapped.container)
        }
    }))
}

/// Returns whether the marker of a content has a line of its own among others.
pub(super) fn is_block(content: &str) -> bool {
    Wrapper::parse(content).is_some_and(|wrapper| wrapper.is_block())
}

/// Content before and after its marker.
struct Wrapper<'c> {
    before: &'c str,
    after: &'c str,
}

impl<'c> Wrapper<'c> {
    fn parse(content: &'c str) -> Option<Wrapper<'c>> {
        let (before, after) = locate::around_marker(content)?;
        Some(Wrapper { before, after })
    }

    /// Returns the indentation of the marker's line.
    fn indentation(&self) -> &'c str {
        let line = self.before.rsplit('\n').next().unwrap_or_default();
        indent::leading(line)
    }

    /// Returns whether the marker has a line of its own among others.
    fn is_block(&self) -> bool {
        let ahead = self.before.rsplit('\n').next().unwrap_or_default();
        let rest = self.after.split('\n').next().unwrap_or_default();
        let is_alone = ahead.trim().is_empty() && rest.trim().is_empty();
        is_alone && (self.before.contains('\n') || self.after.contains('\n'))
    }

    fn enclosing(&self, inner: &str) -> String {
        [self.before, inner, self.after].concat()
    }
}

/// The text that is wrapped.
struct Wrapped<'p> {
    container: Vec<Node<'p>>,
    span: Span,
    /// The kinds of the attached nodes that move with the node.
    attached: Vec<String>,
}

impl<'p> Wrapped<'p> {
    fn alone(selection: &Selection<'p>) -> Wrapped<'p> {
        let chain = selection.chain();
        Wrapped {
            container: chain[..chain.len() - 1].to_vec(),
            span: selection.span(),
            attached: Vec::new(),
        }
    }

    /// Returns the node with its attached nodes and its trailing comment.
    fn with_attached(
        parsed: &'p Parsed,
        chain: &[Node<'p>],
        known: &KnownSiblings<'p>,
    ) -> Wrapped<'p> {
        let chain = whole(parsed, chain, |parent, node| !node.is_wrapped_in(parent));
        let (node, container) = chain.split_last().expect("a selection ends with its node");
        let parent = *container.last().expect("the root cannot be edited");
        let (siblings, index) = known.around(parsed, parent, *node);
        let element = &siblings.elements[index];
        // A terminator is part of the node, a separator is not.
        let ends = match element.separator {
            Some(separator) => {
                let token = siblings.list.map_or(",", |list| list.token());
                node.span().contains(separator) && token != ","
            }
            None => element.trailing_comment || !parent.is_indented(),
        };
        let takes_comment = element.trailing_comment && ends;
        let end = match ends {
            true => element.end,
            false => element.core.end(),
        };
        let mut attached = kinds(&element.attached.iter().collect::<Vec<_>>());
        if takes_comment && !attached.iter().any(|kind| kind == "comment") {
            attached.push("comment".to_string());
        }
        Wrapped {
            container: container.to_vec(),
            span: Span::new(element.start(), end),
            attached,
        }
    }
}
