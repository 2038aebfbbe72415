//! The text of notes on edits.

use crate::change::EditNote;
use crate::diagnostic::attempt::ContentOrigin;
use crate::diagnostic::cut;
use crate::edit::Operation;
use crate::validate::{Failure, Note};

use super::{content_name, conversion_text, counted, listed, lost_text, quoted, with_article};

/// Returns the text of a note on an operation.
pub fn note_text(operation: &Operation, origin: ContentOrigin, note: &Note) -> String {
    let content = content_name(origin);
    match note {
        Note::Edit(note) => edit_note_text(operation, content, note),
        Note::ParentChanged { was, now } => {
            format!("the enclosing {was} became {}", with_article(now))
        }
        Note::HeadingLevel { was, now } => format!(
            "the heading level changed from {was} to {now}: the text after it may now be in another section"
        ),
        Note::Converted(conversion) => conversion_text(conversion),
        Note::OpensSection => {
            format!("the text after {content} is now in the section of its heading")
        }
        Note::RepeatsNeighbour { line, before } => {
            let line = quoted(&cut(line));
            match before {
                true => format!("the line before {content} repeats its first line: {line}"),
                false => format!("the line after {content} repeats its last line: {line}"),
            }
        }
        Note::Allowed(Failure::Syntax(problems)) => {
            format!("allowed: {}", counted(problems.len(), "new syntax error"))
        }
        Note::Allowed(Failure::Surroundings(disturbance)) => match disturbance.lost.as_slice() {
            [] => "allowed: nodes around the target change".to_string(),
            lost => {
                format!("allowed: symbols disappear or move: {}", lost_text(lost))
            }
        },
        Note::Allowed(Failure::Content(_)) => {
            format!("allowed: {content} does not look like complete code")
        }
    }
}

/// Returns the text of a note on the operation itself.
fn edit_note_text(operation: &Operation, content: &str, note: &EditNote) -> String {
    match note {
        EditNote::Reindented { lines } => {
            format!("re-indented {} of {content}", counted(*lines, "line"))
        }
        EditNote::CommaAdded => {
            format!("added a trailing comma after {content}")
        }
        EditNote::CommaDropped => {
            format!(
                "left out the comma at the end of {content}: the list already has one or needs none there"
            )
        }
        EditNote::SeparatorDropped { text } => format!(
            "left out the `{text}` at the end of {content}: the list already has one or needs none there"
        ),
        EditNote::SemicolonDropped => {
            format!("left out the `;` at the end of {content}: one already follows")
        }
        EditNote::AttachedReplaced { kinds } => {
            let kinds = kinds.join(", ");
            format!("replaced the nodes attached to the old text: {kinds}")
        }
        EditNote::AttributesKept { node_types } => format!(
            "kept the {} of the old text, since {content} has none; `include_attached` replaces it too",
            listed(node_types)
        ),
        EditNote::Innermost { node_type, outer } => format!(
            "selected the innermost of the {node_type} nodes that start there; outward: 1 selects {}",
            quoted(outer)
        ),
        EditNote::Parenthesized => match operation {
            Operation::Wrap { .. } => "added parentheses".to_string(),
            _ => format!("added parentheses around {content}"),
        },
        EditNote::LineEndings => {
            format!("converted the line endings of {content} to those of the file")
        }
        EditNote::AttachedAlong { kinds } => {
            let kinds = listed(kinds);
            match operation {
                Operation::Delete | Operation::Wrap { .. } => {
                    format!("the edit includes the attached {kinds}")
                }
                _ => format!("the attached {kinds} stayed next to the node"),
            }
        }
        EditNote::SeparatorRemoved { text } => format!("removed the adjacent `{text}`"),
        EditNote::SeparatorAdded { text } => format!("added the separator `{text}`"),
        EditNote::WholeMember { text } => {
            format!("removed the whole list member: {}", quoted(&cut(text)))
        }
        EditNote::OnlyValue { node_type } => {
            format!("{content} has no key, so it replaces only the value of the {node_type}")
        }
        EditNote::LeftWithoutValue { node_type } => {
            format!("the {node_type} is left without a value, which reads as null")
        }
        EditNote::OneMemberLeft { node_type } => {
            format!("the {node_type} is left with one member, which is no longer a list")
        }
        EditNote::WholeOf { node_type } => {
            format!("removed the whole {node_type}, which contained nothing else")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(operation: &Operation, note: EditNote, expected: &str) {
        let note = Note::Edit(note);
        assert_eq!(
            note_text(operation, ContentOrigin::Argument, &note),
            expected
        );
    }

    #[test]
    fn notes_name_what_the_edit_includes_and_what_stays() {
        let kinds = |names: &[&str]| EditNote::AttachedAlong {
            kinds: names.iter().map(|name| name.to_string()).collect(),
        };
        let insert = Operation::Insert {
            position: crate::edit::InsertPosition::Before,
            new_content: String::new(),
            indent: crate::edit::Indent::Auto,
            blank_lines: Default::default(),
        };
        let delete = Operation::Delete;
        check(
            &delete,
            kinds(&["doc"]),
            "the edit includes the attached doc",
        );
        check(
            &delete,
            kinds(&["doc", "attribute", "comment"]),
            "the edit includes the attached doc, attribute and comment",
        );
        check(
            &insert,
            kinds(&["doc", "attribute"]),
            "the attached doc and attribute stayed next to the node",
        );
        let text = ",".to_string();
        check(
            &delete,
            EditNote::SeparatorRemoved { text: text.clone() },
            "removed the adjacent `,`",
        );
        check(
            &insert,
            EditNote::SeparatorAdded { text },
            "added the separator `,`",
        );
        check(
            &delete,
            EditNote::WholeOf {
                node_type: "expression_statement".to_string(),
            },
            "removed the whole expression_statement, which contained nothing else",
        );
    }
}
