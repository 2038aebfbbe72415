//! Explains why operations cannot be applied, alone or together.

use crate::diagnostic::attempt::Attempt;
use crate::diagnostic::{Code, Diagnostic};
use crate::edit::{EditError, Operation};
use crate::source::Span;

use super::{about_arguments, content_name};

/// Explains why an operation cannot be applied to a node.
pub(in crate::diagnostic) fn edit_refused(
    attempt: &Attempt<'_, '_>,
    error: &EditError,
) -> Diagnostic {
    let content = content_name(attempt.origin);
    match error {
        EditError::Root => Diagnostic::new(
            Code::NotEditable,
            "the selected node is the root of the file, which cannot be edited as one node",
        )
        .help("select nodes inside it"),
        EditError::ErrorNode => Diagnostic::new(
            Code::NotEditable,
            "the selected node is an ERROR node: the parser could not parse this text",
        )
        .help("select an enclosing node"),
        EditError::NoText => Diagnostic::new(Code::NotEditable, "the selected node contains no text"),
        EditError::BlankContent => match attempt.operation {
            Operation::Insert { .. } => Diagnostic::new(
                Code::InvalidContent,
                format!("{content} is blank; there is nothing to insert"),
            ),
            _ => Diagnostic::new(
                Code::InvalidContent,
                format!("{content} is blank; a node cannot be replaced with nothing"),
            )
            .help("use «delete_node» to remove the node"),
        },
        EditError::ZeroByte { offset } => Diagnostic::new(
            Code::InvalidContent,
            format!(
                "{content} contains a zero byte at offset {offset}, which would make the file binary"
            ),
        ),
        EditError::BlankLinesInLine => about_arguments(format!(
            "{content} goes within a line, so it cannot have blank lines before or after it"
        ))
        .help("leave out blank_lines"),
        EditError::NoInside { bodies } => no_inside(attempt, bodies),
        EditError::NoMarker => Diagnostic::new(
            Code::InvalidContent,
            "new_content must contain the marker <|> once, where the node goes",
        )
        .help("for example `if ready {\n    <|>\n}`; if new_content contains `<|>` as text, use <<|>> as the marker"),
        EditError::PartOfText => about_arguments(
            "only ReplaceText can edit a part of a text; other operations need a node",
        ),
        EditError::ClauseOutOfOrder => Diagnostic::new(
            Code::InvalidContent,
            format!("{content} begins with a clause that its statement cannot have at this place"),
        )
        .help("a statement has at most one `else` and one `finally` or the like, in this order: replace the existing clause, or insert next to another one"),
        EditError::Unsettled => Diagnostic::new(
            Code::InvalidContent,
            format!("{content} parses differently each time it is indented for its destination"),
        )
        .help(format!("pass «indent: \"verbatim\"», with {content} as it should appear in the file")),
        EditError::NoChange => Diagnostic::new(
            Code::NoChange,
            format!("the file already contains {content} at this place"),
        ),
    }
}

/// Explains that a node has no body to insert into, or several.
fn no_inside(attempt: &Attempt<'_, '_>, bodies: &[Span]) -> Diagnostic {
    let (parsed, node) = (attempt.selection.parsed(), attempt.selection.node());
    let line = parsed.source().line_of(attempt.selection.span().start());
    // The first of several branches may have no node of its own.
    let is_first = node.body().is_some() && !bodies.is_empty();
    let has = match bodies.len() + usize::from(is_first) {
        0 => "no body".to_string(),
        count => format!("{count} bodies"),
    };
    let message = format!(
        "the {} at line {line} has {has} to insert into",
        node.kind()
    );
    Diagnostic::new(Code::NoInside, message).help(match bodies {
        [] => "pass position: \"before\" or position: \"after\" to insert next to it",
        _ if is_first => {
            "select one of these, or the last node of the first body with position: \"after\""
        }
        _ => "select one of the bodies",
    })
}

/// Explains that a node cannot be moved into itself.
pub fn about_move_into_itself(lines: (usize, usize)) -> Diagnostic {
    let message = format!(
        "the node at line {} cannot be moved to line {}, which is part of the moved text",
        lines.0, lines.1
    );
    Diagnostic::new(Code::OverlappingEdits, message)
        .help("select a destination outside the moved text")
}

/// Explains that two matches of one edit overlap.
pub fn about_matches_clash(lines: (usize, usize)) -> Diagnostic {
    let message = format!("the matches at lines {} and {} overlap", lines.0, lines.1);
    Diagnostic::new(Code::OverlappingEdits, message)
        .help("edit one of them, or select smaller nodes")
}

/// Explains that two of several edits overlap, in the file at `path` if they are made in several.
pub fn about_clash(
    numbers: (usize, usize),
    lines: (usize, usize),
    path: Option<&str>,
) -> Diagnostic {
    let (first, second) = numbers;
    let place = path.map_or_else(String::new, |path| format!(" in `{path}`"));
    Diagnostic {
        edit_index: Some(second),
        ..Diagnostic::new(
            Code::OverlappingEdits,
            format!(
                "edits[{first}] (line {}) and edits[{second}] (line {}) overlap{place}",
                lines.0, lines.1
            ),
        )
    }
    .help("leave one of them out, combine them, or select smaller nodes")
}

/// Explains that an edit touches a file that another edit of the call changes as a whole.
#[cfg(feature = "disk")]
pub fn about_edit_of_whole_file(other: usize, path: &str) -> Diagnostic {
    let message = format!("edits[{other}] creates, deletes, moves or organizes `{path}`");
    Diagnostic::new(Code::OverlappingEdits, message)
        .help("make the other edits of the file in another call; imports: true organizes what they change")
}

/// Explains that more edits of a file have to be made one after another than one call makes.
pub fn about_many_alone(file_path: &str, bytes: usize, most: usize) -> Diagnostic {
    let message = format!(
        "this and other edits change nodes around their targets, so they are made one after another; in `{file_path}`, which \
         has {bytes} bytes, one call makes at most {most} such edits"
    );
    about_arguments(message).help(format!(
        "send at most {most} of these edits in one call, or replace the nodes that they change"
    ))
}

/// Explains that no file would change.
pub fn about_nothing_done() -> Diagnostic {
    Diagnostic::new(
        Code::NoChange,
        "no file would change: the requested text is already there",
    )
}
