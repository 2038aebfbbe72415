//! Turns a [`Selection`] and an [`Operation`] into a [`Change`]: the replacements and the new tree.
//!
//! Refuses nodes that cannot be edited and contents that change nothing. `validate` decides whether
//! the result is sound.

mod attached;
mod delete;
mod file_comments;
mod fill;
mod indent;
mod insert;
mod insertion_point;
mod layout;
mod moving;
mod parentheses;
mod part;
mod replace;
mod separator;
mod siblings;
mod spacing;
mod wrap;

use crate::change::{Change, EditNote};
use crate::parse::{Node, Parsed};
use crate::select::Selection;
use crate::source::{BOM, Span};

pub use fill::{Filled, FilledCapture, filled};
#[cfg(feature = "disk")]
pub(crate) use indent::indent_unit;
pub(crate) use indent::{leading, unit_of_text};
use layout::{Draft, carried_out, laid_out, laid_out_together};
pub(crate) use layout::{Part, Together};
pub use moving::moving;
pub(crate) use parentheses::is_read_as_sent;
use siblings::KnownSiblings;

/// What to do with a selected node.
///
/// ```
/// use treegraft::{Operation, Selector, edit};
///
/// let call = Selector::new("start", "expression_statement");
/// let wrap = Operation::wrap("if ready {\n    <|>\n}");
/// let edited = edit("a.rs", "fn f() {\n    start();\n}\n", &call, &wrap)?;
/// assert_eq!(edited.text, "fn f() {\n    if ready {\n        start();\n    }\n}\n");
///
/// let less_than_a_node = Selector::part("1 +");
/// let edited = edit("a.rs", "fn f() -> u8 {\n    1 + 2\n}\n", &less_than_a_node, &Operation::replace_text("3 *"))?;
/// assert_eq!(edited.text, "fn f() -> u8 {\n    3 * 2\n}\n");
/// # Ok::<(), treegraft::Refusal>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Operation {
    /// Replace the node. Attached nodes stay, unless the content has its own of that kind.
    Replace {
        /// The new text.
        new_content: String,
        /// Whether the content is re-indented.
        indent: Indent,
        /// Whether doc comments and attributes before the node are replaced too.
        include_attached: bool,
    },
    /// Replace the selected part of the text.
    ReplaceText {
        /// The new text, which may be empty.
        new_content: String,
        /// Whether the content is re-indented.
        indent: Indent,
    },
    /// Insert next to the node or inside its body.
    Insert {
        /// Where.
        position: InsertPosition,
        /// The inserted text.
        new_content: String,
        /// Whether the content is re-indented.
        indent: Indent,
        /// The blank lines before and after it, where the siblings do not determine them.
        blank_lines: ExactBlankLines,
    },
    /// Delete the node with its attached nodes.
    Delete,
    /// Wrap the node.
    Wrap {
        /// The enclosing text; the node replaces its marker `<|>`.
        new_content: String,
        /// Whether content and node are re-indented.
        indent: Indent,
    },
}

impl Operation {
    /// Replaces the node. The content is re-indented; attached nodes stay.
    pub fn replace(new_content: impl Into<String>) -> Operation {
        Operation::Replace {
            new_content: new_content.into(),
            indent: Indent::Auto,
            include_attached: false,
        }
    }

    /// Replaces the selected part of the text. The content is re-indented.
    pub fn replace_text(new_content: impl Into<String>) -> Operation {
        Operation::ReplaceText {
            new_content: new_content.into(),
            indent: Indent::Auto,
        }
    }

    /// Inserts next to the node or inside its body. The content is re-indented.
    pub fn insert(position: InsertPosition, new_content: impl Into<String>) -> Operation {
        Operation::Insert {
            position,
            new_content: new_content.into(),
            indent: Indent::Auto,
            blank_lines: ExactBlankLines::default(),
        }
    }

    /// Wraps the node, which replaces the marker `<|>` of the content. Both are re-indented.
    pub fn wrap(new_content: impl Into<String>) -> Operation {
        Operation::Wrap {
            new_content: new_content.into(),
            indent: Indent::Auto,
        }
    }

    /// Checks the content. Only a part of a text may be replaced by a blank one.
    ///
    /// # Errors
    /// It contains a zero byte, or is blank.
    fn check_content(&self) -> Result<(), EditError> {
        let (Operation::Replace { new_content, .. }
        | Operation::ReplaceText { new_content, .. }
        | Operation::Insert { new_content, .. }
        | Operation::Wrap { new_content, .. }) = self
        else {
            return Ok(());
        };
        let may_be_blank = matches!(self, Operation::ReplaceText { .. });
        match new_content.find('\0') {
            Some(offset) => Err(EditError::ZeroByte { offset }),
            None if new_content.trim().is_empty() && !may_be_blank => Err(EditError::BlankContent),
            None => Ok(()),
        }
    }
}

/// Where content is inserted, relative to the selected node.
///
/// ```
/// use treegraft::{InsertPosition, Operation, Selector, edit};
///
/// let list = Selector::new("[", "array");
/// let first = Operation::insert(InsertPosition::FirstChild, "0");
/// let edited = edit("a.json", "[1, 2]\n", &list, &first);
/// # if cfg!(feature = "lang-json") {
/// assert_eq!(edited?.text, "[0, 1, 2]\n");
/// # }
/// # Ok::<(), treegraft::Refusal>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InsertPosition {
    /// Before it and its attached nodes.
    Before,
    /// After it and its trailing comment.
    After,
    /// Into its body, after the nodes that must stay first.
    FirstChild,
    /// Into its body, at the end.
    LastChild,
}

/// The exact number of blank lines before and after inserted content. On a side with `None`, the siblings and the line
/// breaks at that end of the content determine it.
///
/// ```
/// use treegraft::{InsertPosition, Operation, Selector, edit};
/// use treegraft::edit::{ExactBlankLines, Indent};
///
/// let insert = Operation::Insert {
///     position: InsertPosition::After,
///     new_content: "g();".to_string(),
///     indent: Indent::Auto,
///     blank_lines: ExactBlankLines { before: Some(1), after: None },
/// };
/// let call = Selector::new("f", "expression_statement");
/// let edited = edit("a.rs", "fn main() {\n    f();\n}\n", &call, &insert)?;
/// assert_eq!(edited.text, "fn main() {\n    f();\n\n    g();\n}\n");
/// # Ok::<(), treegraft::Refusal>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExactBlankLines {
    /// Between the content and what precedes it.
    pub before: Option<usize>,
    /// Between the content and what follows it.
    pub after: Option<usize>,
}

impl ExactBlankLines {
    /// Returns whether it requires a blank line.
    fn requires_any(self) -> bool {
        [self.before, self.after]
            .into_iter()
            .flatten()
            .any(|lines| lines > 0)
    }
}

/// How content gets its indentation.
///
/// ```
/// use treegraft::{Indent, Operation, Selector, edit};
///
/// let text = "fn f() {\n    g();\n}\n";
/// let call = Selector::new("g", "expression_statement");
/// let verbatim = Operation::Replace {
///     new_content: "h();\n  i();".to_string(),
///     indent: Indent::Verbatim,
///     include_attached: false,
/// };
/// assert_eq!(edit("a.rs", text, &call, &verbatim)?.text, "fn f() {\n    h();\n  i();\n}\n");
///
/// let auto = Operation::replace("h();\ni();");
/// assert_eq!(edit("a.rs", text, &call, &auto)?.text, "fn f() {\n    h();\n    i();\n}\n");
/// # Ok::<(), treegraft::Refusal>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Indent {
    /// Indents the content for its destination, whether it was written at column 0 or as in the
    /// file.
    #[default]
    Auto,
    /// Indents the content for its destination. It is written at column 0.
    Column0,
    /// Keeps the indentation as given.
    Verbatim,
}

/// Why an operation cannot be applied.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EditError {
    /// The root of the file (`not_editable`).
    #[error("the root of the file cannot be edited as one node")]
    Root,
    /// Text that the parser skipped (`not_editable`).
    #[error("an ERROR node cannot be edited")]
    ErrorNode,
    /// A node without text (`not_editable`).
    #[error("the node contains no text")]
    NoText,
    /// The selector selects a part of a text, and the operation needs a node (`invalid_arguments`).
    #[error("a part of a text can only be replaced")]
    PartOfText,
    /// The content is empty or only whitespace (`invalid_content`).
    #[error("the content is blank")]
    BlankContent,
    /// The content contains a zero byte (`invalid_content`).
    #[error("the content contains a zero byte at offset {offset}")]
    ZeroByte {
        /// Offset in the content.
        offset: usize,
    },
    /// The content to wrap the node in has no marker for it (`invalid_content`).
    #[error("the content has no marker for the node")]
    NoMarker,
    /// The text would not change (`no_change`).
    #[error("the content is already there")]
    NoChange,
    /// The content parses differently each time it is indented (`invalid_content`).
    #[error("the content parses differently each time it is indented")]
    Unsettled,
    /// Content within a line cannot have blank lines next to it (`invalid_arguments`).
    #[error("the content goes within a line, which has no blank lines")]
    BlankLinesInLine,
    /// The content is a clause that its statement cannot have at this place (`invalid_content`).
    #[error("the content is a clause out of order")]
    ClauseOutOfOrder,
    /// The node has no body to insert into, or several (`no_inside`).
    #[error("the node has {} bodies to insert into", .bodies.len())]
    NoInside {
        /// Where they are.
        bodies: Vec<Span>,
    },
}

/// Applies `operation` to the selected node.
///
/// # Errors
/// The node cannot be edited, or the content changes nothing or cannot be content.
pub fn edit<'p>(selection: Selection<'p>, operation: &Operation) -> Result<Change<'p>, EditError> {
    check_editable(&selection)?;
    if selection.is_text() && !matches!(operation, Operation::ReplaceText { .. }) {
        return Err(EditError::PartOfText);
    }
    operation.check_content()?;
    // In a string or a comment every space counts.
    let in_literal = selection.node().is_in_protected();
    let written = |indent: &Indent| match in_literal {
        true => Indent::Verbatim,
        false => *indent,
    };
    let innermost = innermost_of(&selection);
    let change = match operation {
        Operation::Replace {
            new_content,
            indent,
            include_attached,
        } => replace::replace(&selection, new_content, written(indent), *include_attached)?,
        Operation::ReplaceText {
            new_content,
            indent,
        } => part::replace(selection, new_content, *indent, in_literal)?,
        Operation::Insert {
            position,
            new_content,
            indent,
            blank_lines,
        } => match in_literal {
            true if blank_lines.requires_any() => return Err(EditError::BlankLinesInLine),
            true => insert::next_to_literal(selection, *position, new_content)?,
            false => insert::insert(selection, *position, new_content, *indent, *blank_lines)?,
        },
        Operation::Delete => carried_out(
            &selection,
            delete::deletion(&selection, in_literal, &KnownSiblings::default()),
        ),
        Operation::Wrap {
            new_content,
            indent,
        } => {
            let wrap = |content: &str| {
                let known = KnownSiblings::default();
                let draft = wrap::wrapping(&selection, content, written(indent), &known)?;
                laid_out(&selection, draft)
            };
            parentheses::around_wrapped(wrap(new_content)?, &selection, new_content, wrap)
        }
    };
    if unchanged(&change) {
        return Err(EditError::NoChange);
    }
    Ok(match innermost {
        Some(note) => change.with_note(note),
        None => change,
    })
}

/// Applies operations to different nodes of one text, with one parse for all instead of one for each. Leaves out those that
/// depend on the result of others. Returns `None` if the result may differ from that of [`edit`] after the others.
pub(crate) fn edit_together<'p>(
    before: &'p Parsed,
    edits: &[(&Selection<'p>, &Operation)],
) -> Option<Together> {
    let known = KnownSiblings::default();
    let drafts = edits
        .iter()
        .map(|(selection, operation)| draft(selection, operation, &known));
    let mut together = laid_out_together(before, drafts.collect::<Option<_>>()?)?;
    for (index, part) in &mut together.parts {
        let (selection, operation) = edits[*index];
        let is_unchanged = |(old, new): &(Span, Span)| {
            before.source().slice(*old) == together.after.source().slice(*new)
        };
        if part.replaced.iter().all(is_unchanged) {
            return None;
        }
        let (after, new_span) = (&together.after, part.new_span);
        let is_as_sent = match operation {
            Operation::Replace { new_content, .. } => {
                replace::value_of_pair(selection, after, new_span).is_none()
                    && is_read_as_sent(selection, new_content, after, new_span)
            }
            Operation::Wrap { new_content, .. } => {
                parentheses::is_wrapped_as_sent(selection, new_content, after, new_span)
            }
            _ => true,
        };
        if !is_as_sent {
            return None;
        }
        part.notes.extend(innermost_of(selection));
    }
    Some(together)
}

/// Returns the replacements of an operation, if they follow from the node and the layouts of its content alone.
fn draft<'s, 'p>(
    selection: &'s Selection<'p>,
    operation: &'s Operation,
    known: &KnownSiblings<'p>,
) -> Option<Draft<'s, 'p>> {
    check_editable(selection).ok()?;
    operation.check_content().ok()?;
    let in_literal = selection.node().is_in_protected();
    match operation {
        Operation::ReplaceText {
            new_content,
            indent,
        } => {
            let draft = part::replacement(selection, new_content, *indent, in_literal);
            Some(draft)
        }
        _ if in_literal || selection.is_text() => None,
        Operation::Replace {
            new_content,
            indent,
            include_attached,
        } => {
            let draft = replace::replacement(selection, new_content, *indent, *include_attached);
            Some(draft)
        }
        Operation::Insert {
            position,
            new_content,
            indent,
            blank_lines,
        } => {
            let place = (selection, *position);
            let insertion = insert::insertion(place, new_content, *indent, *blank_lines, known);
            insertion
                .ok()
                .filter(|_| insert::is_at_position(selection, new_content))
        }
        Operation::Delete => Some(delete::deletion(selection, in_literal, known).unchanging()),
        Operation::Wrap {
            new_content,
            indent,
        } => wrap::wrapping(selection, new_content, *indent, known).ok(),
    }
}

/// Returns a note if the anchor may also mean an enclosing node of the same type, such as a longer chain of calls.
fn innermost_of(selection: &Selection<'_>) -> Option<EditNote> {
    let (parsed, node) = (selection.parsed(), selection.node());
    let is_alike = |other: &Node<'_>| other.is_of_type_of(node);
    let chain = parsed.chain(selection.anchor());
    let is_innermost = chain.iter().rfind(|one| is_alike(one)) == Some(&node);
    let is_part = selection.anchor() != parsed.trimmed(node.span()) && !selection.is_text();
    let mut above = selection.chain().iter().rev().skip(1);
    let outer = above.find(|one| is_alike(one) && one.span().start() == node.span().start());
    let outer = outer.filter(|_| is_innermost && is_part)?;
    let text = parsed.text_of(*outer);
    Some(EditNote::Innermost {
        node_type: node.kind().to_string(),
        outer: text.lines().next().unwrap_or_default().to_string(),
    })
}

/// Checks that the selected node can be edited; a part of a text always can.
///
/// # Errors
/// It is the root, an ERROR node, or has no text.
pub(crate) fn check_editable(selection: &Selection<'_>) -> Result<(), EditError> {
    if selection.is_text() {
        Ok(())
    } else if selection.chain().len() < 2 {
        Err(EditError::Root)
    } else if selection.node().is_error() {
        Err(EditError::ErrorNode)
    } else if selection.span().is_empty() {
        Err(EditError::NoText)
    } else {
        Ok(())
    }
}

/// Returns the span of the selected node including attached nodes before it.
pub(crate) fn with_attached(selection: &Selection<'_>) -> Span {
    let span = selection.span();
    let attached = attached::before(selection.parsed(), selection.chain());
    let start = attached
        .first()
        .map_or(span.start(), |one| one.span.start());
    Span::new(start, span.end())
}

fn unchanged(change: &Change<'_>) -> bool {
    let before = change.before().source();
    let replacements = change.text_edit().replacements();
    replacements
        .iter()
        .all(|one| before.slice(one.span) == one.new_text)
}

/// Returns content with `\n` for every line break, without byte order mark and without blank lines at its ends.
fn bare_content(given: &str) -> String {
    let content = given.trim_start_matches(BOM).replace("\r\n", "\n");
    without_outer_blank_lines(&content).to_string()
}

/// Returns the content without blank lines at its start and whitespace at its end.
fn without_outer_blank_lines(content: &str) -> &str {
    let content = content.trim_end();
    let mut rest = content;
    while let Some((line, after)) = rest.split_once('\n') {
        if !line.trim().is_empty() {
            break;
        }
        rest = after;
    }
    rest
}

fn has_other_line_ending(content: &str, line_ending: &str) -> bool {
    let content = content.trim();
    let crlf = content.matches("\r\n").count();
    let lf = content.matches('\n').count() - crlf;
    match line_ending {
        "\r\n" => lf > 0,
        _ => crlf > 0,
    }
}
