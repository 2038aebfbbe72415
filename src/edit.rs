//! [`Selection`] + [`Operation`] to [`Edited`]: the replacements, and the tree they lead to.
//!
//! Refuses nodes that cannot be edited and contents that change nothing. Whether the result
//! is sound is not decided here but in `validate`.

mod attached;
mod beside;
mod delete;
mod depth;
mod file_comments;
mod gap;
mod indent;
mod insert;
mod moving;
mod part;
mod replace;
mod same;
mod separator;
pub mod several;
mod siblings;
mod spacing;
mod text_edit;
mod wrap;

use crate::parse::{Node, Parsed};
use crate::select::Selection;
use crate::source::{BOM, Span};

pub(crate) use indent::indent_unit;
pub use moving::moving;
pub(crate) use same::{as_one, otherwise};
pub use text_edit::{NotAnEdit, Replacement, TextEdit};

/// What is to be done with a selected node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation {
    /// The node becomes `new_content`; what is attached to it stays, unless the content
    /// brings its own of that kind.
    Replace {
        /// What comes in its place.
        new_content: String,
        /// Whether the content is re-indented for its place.
        indent: Indent,
        /// Whether doc comments and attributes before the node go with it.
        include_attached: bool,
    },
    /// The selected part of the text becomes `new_content`, which may be empty.
    ReplaceText {
        /// What comes in its place.
        new_content: String,
        /// Whether the content is re-indented for its place.
        indent: Indent,
    },
    /// `new_content` comes beside the node or inside its body.
    Insert {
        /// Where.
        position: InsertPosition,
        /// What comes there.
        new_content: String,
        /// Whether the content is re-indented for its place.
        indent: Indent,
    },
    /// The node goes, with what is attached to it.
    Delete,
    /// `new_content` comes round the node.
    Wrap {
        /// What comes round it; at its marker `<|>` stands the node.
        new_content: String,
        /// Whether content and node are re-indented for their place.
        indent: Indent,
    },
}

/// Where inserted content goes, seen from the selected node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InsertPosition {
    /// Before it and what is attached to it.
    Before,
    /// Behind it and the comment behind it.
    After,
    /// Into its body, behind what must stay first.
    FirstChild,
    /// Into its body, at the end.
    LastChild,
}

/// How content gets its indentation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Indent {
    /// As its place wants it, whether it was written at column 0 or as in the file.
    #[default]
    Auto,
    /// As it was given.
    Verbatim,
}

/// An operation carried out on text and tree, not yet checked.
#[derive(Debug)]
pub struct Edited<'p> {
    /// What was selected.
    pub selection: Selection<'p>,
    /// The change.
    pub text_edit: TextEdit,
    /// The text and tree after it.
    pub after: Parsed,
    /// The new content after the edit, without what else changed; of a deletion the place (empty)
    /// where the node was.
    pub new_span: Span,
    /// The nodes from the root down to the one among whose children the edit is made.
    pub(crate) container: Vec<Node<'p>>,
    /// What of the old text was to go: the node and what is attached to it, or nothing.
    pub(crate) gone: Vec<Span>,
    /// Whether what the change touches may become one node with it, since it need not be whole nodes.
    pub(crate) may_merge: bool,
    /// What was done beyond the text as it was given.
    pub notes: Vec<EditNote>,
}

impl Edited<'_> {
    /// Whether it is several edits of a text taken as one.
    pub(crate) fn is_several(&self) -> bool {
        self.selection.part().is_some() && self.text_edit.replacements().len() > 1
    }
}

/// Something an operation did beyond the text as it was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EditNote {
    /// So many lines got other white space in front.
    Reindented {
        /// How many.
        lines: usize,
    },
    /// The comma that the place needs was added.
    CommaAdded,
    /// The comma of the content was left out: the list has its own, or none there.
    CommaDropped,
    /// The semicolon of the content was left out: one stands behind the place.
    SemicolonDropped,
    /// What was attached went, since the content brings its own or it was asked for.
    AttachedReplaced {
        /// `doc`, `attribute`, ..., each once.
        kinds: Vec<String>,
    },
    /// The line breaks of the content became the file's.
    LineEndings,
    /// What is attached to the deleted node went along.
    AttachedAlong {
        /// `doc`, `attribute`, `comment`, ..., each once.
        kinds: Vec<String>,
    },
    /// The separator that the list needs was added.
    SeparatorAdded {
        /// As it stands in the file.
        text: String,
    },
    /// The separator of the content, no comma, was left out: the list has its own, or none there.
    SeparatorDropped {
        /// The token.
        text: String,
    },
    /// The separator beside the deleted node went too.
    SeparatorRemoved {
        /// As it stood in the file.
        text: String,
    },
    /// The selected node is a part of this member of its list, which went as a whole.
    WholeMember {
        /// The member, as it stood in the file.
        text: String,
    },
    /// This node has no value any more, which is one too: null.
    LeftWithoutValue {
        /// Its type.
        node_type: String,
    },
    /// Nothing else was in this node, which went as a whole.
    WholeOf {
        /// Its type.
        node_type: String,
    },
}

/// Why an operation cannot be carried out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// The root of the file (`not_editable`).
    #[error("the whole file is not a node to edit")]
    Root,
    /// A place the parser skipped (`not_editable`).
    #[error("an ERROR node is not a node to edit")]
    ErrorNode,
    /// A node without text (`not_editable`).
    #[error("the node holds no text")]
    NoText,
    /// The content is empty or only white space (`invalid_content`).
    #[error("the content is blank")]
    BlankContent,
    /// The content holds a zero byte (`invalid_content`).
    #[error("the content holds a zero byte at {offset}")]
    ZeroByte {
        /// Offset in the content.
        offset: usize,
    },
    /// The content that is to come round the node does not say where the node goes
    /// (`invalid_content`).
    #[error("the content has no marker for the node")]
    NoMarker,
    /// The text would stay as it is (`no_change`).
    #[error("the content is what stands there")]
    NoChange,
    /// The node has no body to insert into, or several (`no_inside`).
    #[error("{} bodies to insert into", .bodies.len())]
    NoInside {
        /// Where they are.
        bodies: Vec<Span>,
    },
}

/// Carries out `operation` on the selected node.
///
/// # Errors
/// The node cannot be edited, or the content changes nothing or cannot be content.
pub fn edit<'p>(selection: Selection<'p>, operation: &Operation) -> Result<Edited<'p>, EditError> {
    check_editable(&selection)?;
    // In a string or a comment every blank counts.
    let in_literal = selection.node().is_in_protected();
    let as_given = |indent: &Indent| *indent == Indent::Verbatim || in_literal;
    let edited = match operation {
        Operation::Replace {
            new_content,
            indent,
            include_attached,
        } => {
            check_content(new_content)?;
            replace::replace(selection, new_content, as_given(indent), *include_attached)
        }
        Operation::ReplaceText {
            new_content,
            indent,
        } => {
            check_zero_byte(new_content)?;
            part::replace(selection, new_content, *indent, in_literal)
        }
        Operation::Insert {
            position,
            new_content,
            indent,
        } => {
            check_content(new_content)?;
            match in_literal {
                true => insert::beside_literal(selection, *position, new_content)?,
                false => insert::insert(selection, *position, new_content, as_given(indent))?,
            }
        }
        Operation::Delete => delete::delete(selection, in_literal),
        Operation::Wrap {
            new_content,
            indent,
        } => {
            check_content(new_content)?;
            wrap::wrap(selection, new_content, as_given(indent))?
        }
    };
    match unchanged(&edited) {
        true => Err(EditError::NoChange),
        false => Ok(edited),
    }
}

/// Whether the selected node is one that any operation takes; a part of a text always is.
pub(crate) fn check_editable(selection: &Selection<'_>) -> Result<(), EditError> {
    if selection.part().is_some() {
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

fn check_zero_byte(content: &str) -> Result<(), EditError> {
    match content.find('\0') {
        Some(offset) => Err(EditError::ZeroByte { offset }),
        None => Ok(()),
    }
}

fn check_content(content: &str) -> Result<(), EditError> {
    check_zero_byte(content)?;
    match content.trim().is_empty() {
        true => Err(EditError::BlankContent),
        false => Ok(()),
    }
}

fn unchanged(edited: &Edited<'_>) -> bool {
    let before = edited.selection.parsed().source();
    let replacements = edited.text_edit.replacements();
    replacements
        .iter()
        .all(|one| before.slice(one.span) == one.new_text)
}

/// How often content is placed anew by what its tree says, at most.
const ROUNDS: usize = 4;

/// An operation on paper: what is to be replaced, and what of that is the content.
struct Composed<'p> {
    replacements: Vec<Replacement>,
    /// The content, as one of the replaced spans begins and so many bytes further.
    content: Content,
    /// The nodes from the root down to the one among whose children the edit is made.
    container: Vec<Node<'p>>,
    gone: Vec<Span>,
    notes: Vec<EditNote>,
}

/// Where the content lies in the new texts: in that of the replacement with this index.
#[derive(Clone, Copy)]
struct Content {
    replacement: usize,
    start: usize,
    len: usize,
}

/// Carries out what `compose` says. What of the content lies in a multi-line string, and what kinds
/// of nodes it holds, is only known once it is parsed in its place, so that `compose` is asked
/// again with the result, until it says the same.
fn in_rounds<'p>(
    selection: &Selection<'p>,
    mut compose: impl FnMut(Option<&Edited<'p>>) -> Composed<'p>,
) -> Edited<'p> {
    let mut edited = carried_out(selection, compose(None));
    for _ in 0..ROUNDS {
        let again = compose(Some(&edited));
        let new = text_edit(selection, &again);
        if new.replacements() == edited.text_edit.replacements() {
            edited.notes = again.notes;
            break;
        }
        edited = carried_out(selection, again);
    }
    edited
}

fn text_edit(selection: &Selection<'_>, composed: &Composed<'_>) -> TextEdit {
    TextEdit::new(selection.parsed().source(), composed.replacements.clone())
        .expect("what an operation replaces does not overlap")
}

fn carried_out<'p>(selection: &Selection<'p>, composed: Composed<'p>) -> Edited<'p> {
    let parsed = selection.parsed();
    let text_edit = text_edit(selection, &composed);
    let Content {
        replacement,
        start,
        len,
    } = composed.content;
    let own = &composed.replacements[replacement];
    // What lies before it: earlier spans, and those at the same point that come first.
    let is_before = |index: usize, one: &Replacement| {
        (one.span.start(), one.span.end(), index) < (own.span.start(), own.span.end(), replacement)
    };
    let (grown, gone) = composed
        .replacements
        .iter()
        .enumerate()
        .filter(|(index, one)| is_before(*index, one))
        .fold((0, 0), |(grown, gone), (_, one)| {
            (grown + one.new_text.len(), gone + one.span.len())
        });
    let new_start = own.span.start() + grown - gone + start;
    let after = parsed.reparse(text_edit.apply(parsed.source()), &text_edit.lengths());
    Edited {
        selection: selection.clone(),
        text_edit,
        after,
        new_span: Span::new(new_start, new_start + len),
        container: composed.container,
        gone: composed.gone,
        may_merge: selection.part().is_some(),
        notes: composed.notes,
    }
}

/// Content in the form the operations work with: `\n` for every line break, no byte order mark, no
/// blank lines round it.
fn bare_content(given: &str) -> String {
    let content = given.trim_start_matches(BOM).replace("\r\n", "\n");
    without_outer_blank_lines(&content).to_string()
}

/// The content without blank lines at its start and white space at its end.
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
