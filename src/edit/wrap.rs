//! Content comes round a node, at whose marker the node goes on standing.

use crate::change::{Change, EditNote, Replacement};
use crate::locate;
use crate::parse::{Node, Parsed};
use crate::select::Selection;
use crate::source::Span;

use super::indent::{self, IndentTarget};
use super::replace::kinds;
use super::siblings::{Siblings, whole};
use super::{Composed, Content, EditError, bare_content, has_other_line_ending, laid_out};

/// Puts the selected node where the marker of the content is. Where the marker has a line of its own,
/// what is attached to the node goes along; the lines of the node come as deep as the marker.
///
/// # Errors
/// The content has no marker, or several of each kind.
pub(super) fn wrap<'p>(
    selection: Selection<'p>,
    given: &str,
    as_given: bool,
) -> Result<Change<'p>, EditError> {
    let parsed = selection.parsed();
    let content = match as_given {
        true => given.replace("\r\n", "\n"),
        false => bare_content(given),
    };
    let wrapper = Wrapper::of(&content).ok_or(EditError::NoMarker)?;
    let place = match wrapper.is_block() && !as_given {
        true => Place::with_attached(parsed, selection.chain()),
        false => Place::alone(&selection),
    };
    let source = parsed.source();
    let line_ending = source.line_ending_at(place.span.start());
    let home = IndentTarget::of(parsed, &place.container, place.span);
    let content = match as_given {
        true => wrapper.round(&source.slice(place.span).replace("\r\n", "\n")),
        false => {
            let fitted = indent::with_unit_of_file(&content, &home);
            let wrapper = Wrapper::of(&fitted).ok_or(EditError::NoMarker)?;
            let inner = indent::moved(parsed, place.span, &home, wrapper.depth());
            wrapper.round(&inner)
        }
    };
    laid_out(&selection, |last| {
        let mut notes = Vec::new();
        let text = match as_given {
            true => content.clone(),
            false => {
                let placed = indent::reindent(&content, &home, last);
                notes.extend(placed.note());
                placed.text
            }
        };
        if !place.along.is_empty() {
            notes.push(EditNote::AttachedAlong {
                kinds: place.along.clone(),
            });
        }
        if has_other_line_ending(given, line_ending) {
            notes.push(EditNote::LineEndings);
        }
        let text = text.replace('\n', line_ending);
        Composed {
            content: Content {
                replacement: 0,
                start: 0,
                len: text.len(),
            },
            replacements: vec![Replacement {
                span: place.span,
                new_text: text,
            }],
            container: place.container.clone(),
            gone: vec![place.span],
            notes,
        }
    })
}

/// Content on both sides of its marker.
struct Wrapper<'c> {
    before: &'c str,
    behind: &'c str,
}

impl<'c> Wrapper<'c> {
    fn of(content: &'c str) -> Option<Wrapper<'c>> {
        let (before, behind) = locate::round_marker(content)?;
        Some(Wrapper { before, behind })
    }

    /// The white space that the line of the marker begins with.
    fn depth(&self) -> &'c str {
        let line = self
            .before
            .rfind('\n')
            .map_or(0, |line_break| line_break + 1);
        let line = &self.before[line..];
        &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
    }

    /// Whether the marker has a line of its own, beside others.
    fn is_block(&self) -> bool {
        let ahead = self.before.rsplit('\n').next().unwrap_or_default();
        let rest = self.behind.split('\n').next().unwrap_or_default();
        let is_alone = ahead.trim().is_empty() && rest.trim().is_empty();
        is_alone && (self.before.contains('\n') || self.behind.contains('\n'))
    }

    fn round(&self, inner: &str) -> String {
        [self.before, inner, self.behind].concat()
    }
}

/// What goes into the wrapper.
struct Place<'p> {
    container: Vec<Node<'p>>,
    span: Span,
    /// The kinds of what goes along with the node.
    along: Vec<String>,
}

impl<'p> Place<'p> {
    fn alone(selection: &Selection<'p>) -> Place<'p> {
        let chain = selection.chain();
        Place {
            container: chain[..chain.len() - 1].to_vec(),
            span: selection.span(),
            along: Vec::new(),
        }
    }

    /// The node with what is attached to it and the comment behind it in its line.
    fn with_attached(parsed: &'p Parsed, chain: &[Node<'p>]) -> Place<'p> {
        let chain = whole(parsed, chain, |parent, node| !node.is_wrapped_in(parent));
        let (node, container) = chain.split_last().expect("a selection ends with its node");
        let parent = *container.last().expect("the root cannot be edited");
        let (siblings, index) = Siblings::round(parsed, parent, *node);
        let element = &siblings.elements[index];
        // The sign that ends a node is a part of it, the one that parts two is not.
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
        let mut along = kinds(&element.attached.iter().collect::<Vec<_>>());
        if takes_comment && !along.iter().any(|kind| kind == "comment") {
            along.push("comment".to_string());
        }
        Place {
            container: container.to_vec(),
            span: Span::new(element.start(), end),
            along,
        }
    }
}
