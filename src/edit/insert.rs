//! Inserts content next to a node or into its body.
//!
//! [`InsertionPoint`] is the position; the modules here decide which text is inserted there:
//!
//! | module | decides |
//! |---|---|
//! | [`clause`] | where a clause of a statement goes |
//! | [`content`] | what the tree shows about the inserted content |
//! | [`separators`] | which commas, semicolons and the like are added and left out |
//! | [`blank_lines`] | how many blank lines are before and after it |
//! | [`on_lines`] | where content on lines of its own goes, with which line breaks |
//! | [`inline`] | the same within a line, with which spaces |

mod blank_lines;
pub(super) mod clause;
mod content;
mod inline;
mod on_lines;
mod separators;

use crate::change::{Change, EditNote, Replacement};
use crate::parse::Node;
use crate::select::Selection;
use crate::source::Span;

use content::InsertedNodes;

use super::indent::{self, IndentTarget};
use super::insertion_point::InsertionPoint;
use super::layout::{Composed, Content, Draft, LastLayout, carried_out, laid_out};
use super::siblings::KnownSiblings;
use super::spacing::RequestedBlankLines;
use super::{
    EditError, ExactBlankLines, Indent, InsertPosition, bare_content, has_other_line_ending,
};

/// Inserts with the separators, the indentation and the blank lines that the siblings have, or with exactly
/// `blank_lines`. A clause (`else`, `catch`) after the selected statement or last in it becomes a part of it.
///
/// # Errors
/// The node has no body to insert into, or several; the content goes within a line and must have blank lines; or it is a
/// clause out of order.
pub(super) fn insert<'p>(
    selection: Selection<'p>,
    position: InsertPosition,
    given: &str,
    indent: Indent,
    blank_lines: ExactBlankLines,
) -> Result<Change<'p>, EditError> {
    let known = KnownSiblings::default();
    let insert_at = |place: &Selection<'p>, position| {
        let insertion = insertion((place, position), given, indent, blank_lines, &known)?;
        laid_out(&selection, insertion)
    };
    if is_at_position(&selection, given) {
        return insert_at(&selection, position);
    }
    if matches!(position, InsertPosition::After | InsertPosition::LastChild) {
        let places = clause::places(&selection).into_iter();
        let mut changes = places.filter_map(|place| insert_at(&place, InsertPosition::After).ok());
        if let Some(change) = changes.find(|change| clause::is_inserted(change, &selection)) {
            return Ok(change);
        }
    }
    let change = insert_at(&selection, position)?;
    match clause::is_out_of_order(&change) {
        true => Err(EditError::ClauseOutOfOrder),
        false => Ok(change),
    }
}

/// Returns whether [`insert`] is an [`insertion`] at the position of the selected node, not elsewhere.
pub(super) fn is_at_position(selection: &Selection<'_>, given: &str) -> bool {
    !clause::begins_with_keyword(selection.parsed(), given)
}

/// Inserts at a position of a node, which is the selected one or inside it.
///
/// # Errors
/// The node has no body to insert into, or several; or the content goes within a line and must have blank lines.
pub(super) fn insertion<'s, 'p>(
    (place, position): (&'s Selection<'p>, InsertPosition),
    given: &'s str,
    indent: Indent,
    blank_lines: ExactBlankLines,
    known: &KnownSiblings<'p>,
) -> Result<Draft<'s, 'p>, EditError> {
    let mut point = InsertionPoint::at(place, position, known)?;
    let source = place.parsed().source();
    let line_ending = source.line_ending_at(place.span().start());
    let content = match indent == Indent::Verbatim {
        true => given.replace("\r\n", "\n").trim_matches('\n').to_string(),
        false => bare_content(given),
    };
    let is_inside = matches!(
        position,
        InsertPosition::FirstChild | InsertPosition::LastChild
    );
    if let Some(at) = point.edge_of_literal().filter(|_| is_inside) {
        if blank_lines.requires_any() {
            return Err(EditError::BlankLinesInLine);
        }
        let composed = right_at(place, at, given, &point.container);
        return Ok(composed.unchanging());
    }
    point.exact = blank_lines;
    point.requested = RequestedBlankLines::from_content(&given.replace("\r\n", "\n"));
    point.is_block = content.contains('\n') || content.trim_start().starts_with('<');
    point.is_attached_alone = content::is_attached_alone(point.siblings.parent, &content);
    if !point.is_attached_alone && !content::begins_with_import(point.siblings.parent, &content) {
        point.skip_comments_of_imports();
    }
    if blank_lines.requires_any() && !point.is_on_lines() {
        return Err(EditError::BlankLinesInLine);
    }
    // The line before already ends with the backslash that continues it.
    let is_continued = point.continuation().is_some() && indent != Indent::Verbatim;
    let mut dropped = None;
    let content = match content.strip_suffix('\\').filter(|_| is_continued) {
        Some(bare) if bare.ends_with([' ', '\t']) => {
            let text = "\\".to_string();
            dropped = Some(EditNote::SeparatorDropped { text });
            bare.trim_end().to_string()
        }
        _ => content,
    };
    let mut separate = Sides::default();
    let mut previous_text = None;
    Ok(Box::new(move |last| {
        let nodes = last.map(|last| InsertedNodes::new(&point, last));
        let layout = Layout {
            content: GivenContent {
                text: &content,
                indent,
            },
            last,
            nodes: nodes.as_ref(),
        };
        let compose = |separate| match point.is_on_lines() {
            true => point.on_lines(&layout, separate),
            false => point.inline(&layout),
        };
        let mut inserted = compose(separate);
        let merged = nodes
            .as_ref()
            .map_or(Sides::default(), |nodes| nodes.merged);
        if merged.any() && previous_text.as_ref() == Some(&inserted.content) {
            // Indentation is not the reason why it merged with a neighbor.
            separate = separate.or(merged);
            inserted = compose(separate);
        }
        previous_text = Some(inserted.content.clone());
        inserted.notes.extend(dropped.clone());
        if has_other_line_ending(given, line_ending) {
            inserted.notes.push(EditNote::LineEndings);
        }
        inserted.composed(&point, line_ending)
    }))
}

/// Inserts next to a part of a string or a comment, where every space counts: directly at its edge.
///
/// # Errors
/// The content goes inside, and the part has no body.
pub(super) fn next_to_literal<'p>(
    selection: Selection<'p>,
    position: InsertPosition,
    given: &str,
) -> Result<Change<'p>, EditError> {
    let span = selection.span();
    let at = match position {
        InsertPosition::Before => span.start(),
        InsertPosition::After => span.end(),
        InsertPosition::FirstChild | InsertPosition::LastChild => {
            return Err(EditError::NoInside { bodies: Vec::new() });
        }
    };
    let chain = selection.chain();
    let composed = right_at(&selection, at, given, &chain[..chain.len() - 1]);
    Ok(carried_out(&selection, composed))
}

/// Inserts directly at `at`, among the children of the last of `container`.
fn right_at<'p>(
    selection: &Selection<'p>,
    at: usize,
    given: &str,
    container: &[Node<'p>],
) -> Composed<'p> {
    let line_ending = selection.parsed().source().line_ending_at(at);
    let text = given.replace("\r\n", "\n").replace('\n', line_ending);
    let new_text = [String::new(), text, String::new()];
    Composed::one(Span::at(at), new_text, container)
}

/// Whether something holds before and after the content.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sides {
    before: bool,
    after: bool,
}

impl Sides {
    fn any(self) -> bool {
        self.before || self.after
    }

    fn or(self, other: Sides) -> Sides {
        Sides {
            before: self.before || other.before,
            after: self.after || other.after,
        }
    }
}

/// The content to insert, with `\n` for every line break.
#[derive(Clone, Copy)]
struct GivenContent<'a> {
    text: &'a str,
    /// How it is written.
    indent: Indent,
}

/// What one layout is made from.
struct Layout<'a, 'p> {
    content: GivenContent<'a>,
    /// The previous layout; `None` for the first.
    last: Option<&'a LastLayout<'p>>,
    /// What the tree of the previous layout shows about the content.
    nodes: Option<&'a InsertedNodes>,
}

impl Layout<'_, '_> {
    /// Returns `text`, the content with its separators, with the indentation of its target, and what to note.
    fn reindented(&self, text: &str, target: &IndentTarget<'_>) -> (String, Vec<EditNote>) {
        if self.content.indent == Indent::Verbatim {
            return (text.to_string(), Vec::new());
        }
        let reindented = indent::reindent(text, target, self.content.indent, self.last);
        let notes = reindented.note().into_iter().collect();
        (reindented.text, notes)
    }
}

/// The inserted text: the content, what encloses it, and what changes next to it. Line breaks are `\n`.
struct Inserted {
    at: Span,
    before: String,
    content: String,
    after: String,
    /// The separator that the previous member gets, and where.
    previous_separator: Option<(usize, String)>,
    /// The line break that replaces the spaces before a body in its parent's line.
    opening: Option<Replacement>,
    /// The line break before the closing bracket that shared its line with the member before it.
    closing: Option<Replacement>,
    /// The separator that a member had only because it was the only one.
    surplus: Option<Span>,
    notes: Vec<EditNote>,
}

impl Inserted {
    fn composed<'p>(self, point: &InsertionPoint<'p>, line_ending: &str) -> Composed<'p> {
        let of_file = |text: &str| text.replace('\n', line_ending);
        let mut replacements = Vec::new();
        let mut separators = Vec::new();
        if let Some((at, separator)) = self.previous_separator {
            separators.push(EditNote::SeparatorAdded {
                text: separator.clone(),
            });
            replacements.push(Replacement {
                span: Span::at(at),
                new_text: separator,
            });
        }
        let line_break = |replacement: Replacement| Replacement {
            new_text: of_file(&replacement.new_text),
            ..replacement
        };
        replacements.extend(self.opening.map(line_break));
        let (before, content) = (of_file(&self.before), of_file(&self.content));
        let place = Content {
            replacement: replacements.len(),
            start: before.len(),
            len: content.len(),
        };
        replacements.push(Replacement {
            span: self.at,
            new_text: before + &content + &of_file(&self.after),
        });
        replacements.extend(self.closing.map(line_break));
        replacements.extend(self.surplus.map(Replacement::deletion));
        Composed {
            replacements,
            content: place,
            container: point.container.clone(),
            removed: Vec::new(),
            neighbours: None,
            with_kept: None,
            notes: [self.notes, separators].concat(),
        }
    }
}
