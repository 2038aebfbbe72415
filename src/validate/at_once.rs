//! Many replacements of whole nodes at once, with one parse for all of them.
//!
//! [`several`](super::several) parses the text after each edit. Here the edits pass together if the tree outside of the
//! replaced nodes is exactly the same afterwards and the text has no new syntax error, which is more than the checks
//! require. Otherwise nothing is known, and the caller makes the edits one after another.

use crate::change::{Change, Replacement, TextEdit};
use crate::edit::{self, Indent, Operation, check_content, whole_node};
use crate::parse::{Node, Parsed};
use crate::source::Span;

use super::several::{Edit, Made};
use super::{Check, indentation, is_suspicious, parses};

/// Makes replacements of whole nodes in one step. Returns `None` if that does not show that each passes.
pub(crate) fn at_once<'p>(
    before: &'p Parsed,
    edits: &[Edit<'_, 'p>],
    allow: &[Check],
) -> Option<Made<'p>> {
    let first = edits.first().filter(|_| edits.len() > 1)?;
    // Values that a parser of the language reads may depend on each other.
    if before.data().is_some() || before.is_plain_text() {
        return None;
    }
    let mut replacements: Vec<Replacement> = Vec::new();
    for edit in edits {
        let Operation::Replace {
            new_content,
            indent: Indent::Verbatim,
            include_attached: false,
        } = edit.operation
        else {
            return None;
        };
        let span = whole_node(&edit.selection)?;
        check_content(new_content).ok()?;
        let line_ending = before.source().line_ending_at(span.start());
        let new_text = new_content.replace("\r\n", "\n").replace('\n', line_ending);
        if before.source().slice(span) == new_text {
            return None;
        }
        replacements.push(Replacement { span, new_text });
    }
    let spans: Vec<Span> = replacements.iter().map(|one| one.span).collect();
    if !spans.windows(2).all(|two| two[0].end() <= two[1].start()) {
        return None;
    }
    let text_edit = TextEdit::new(before.source(), replacements).ok()?;
    let replaced: Vec<(Span, Span)> = spans.iter().copied().zip(text_edit.new_spans()).collect();
    let selections = edits.iter().map(|edit| &edit.selection);
    let change = Change::of_nodes(before, text_edit, selections.zip(&replaced));
    // The content of all is alike.
    let (_, new_span) = *replaced.first()?;
    if !allow.contains(&Check::SuspiciousContent)
        && is_suspicious(&change, &first.selection, new_span)
    {
        return None;
    }
    let contents = change.text_edit().replacements().iter();
    let mut contents = contents.zip(edits).zip(&replaced);
    if !contents.all(|((one, edit), (_, new_span))| {
        edit::is_read_as_sent(&edit.selection, &one.new_text, change.after(), *new_span)
    }) {
        return None;
    }
    let outside = outside(before, change.after(), &replaced)?;
    parses(&change, outside.keeps_bodies).then(|| Made::unnoted(change))
}

/// What is known of a tree that is the same outside of the replaced nodes.
struct SameOutside {
    /// Whether the indented bodies have the statements and the indentation that they had.
    keeps_bodies: bool,
}

/// Returns `None` if the tree outside of the replaced nodes is not the same. `replaced` are their spans in the old and in
/// the new text.
fn outside(before: &Parsed, after: &Parsed, replaced: &[(Span, Span)]) -> Option<SameOutside> {
    // The trees of embedded languages are compared only by their text.
    let mut keeps_bodies = !before.holds_others() && !after.holds_others();
    let mut old = before.walk(before.root());
    let mut new = after.walk(after.root());
    let mut above: Vec<Node<'_>> = Vec::new();
    let mut rest = replaced;
    loop {
        let (was, is) = (old.node(), new.node());
        let descends = match rest.first() {
            _ if is.is_reused_from(was) => false,
            Some((from, to))
                if was.span().contains(*from) && before.trimmed(was.span()) == *from =>
            {
                if after.trimmed(is.span()) != *to {
                    return None;
                }
                let above = above.last().copied();
                keeps_bodies = keeps_bodies && indentation::keeps_bodies(was, is, above, after);
                rest = &rest[1..];
                false
            }
            _ if is_alike(was, is) => true,
            _ => return None,
        };
        if descends {
            match (old.goto_first_child(), new.goto_first_child()) {
                (true, true) => {
                    above.push(is);
                    continue;
                }
                (false, false) => {}
                _ => return None,
            }
        }
        loop {
            match (old.goto_next_sibling(), new.goto_next_sibling()) {
                (true, true) => break,
                (false, false) => {}
                _ => return None,
            }
            above.pop();
            match (old.goto_parent(), new.goto_parent()) {
                (true, true) => {}
                (false, false) => return rest.is_empty().then_some(SameOutside { keeps_bodies }),
                _ => return None,
            }
        }
    }
}

/// Returns whether two nodes are of the same type, and have the same number of children or, without children, of bytes.
fn is_alike(was: Node<'_>, is: Node<'_>) -> bool {
    let is_as_long = || was.span().len() == is.span().len() || was.child_count() > 0;
    was.is_of_type_of(is)
        && was.is_missing() == is.is_missing()
        && was.child_count() == is.child_count()
        && is_as_long()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::select::{Selector, select};
    use crate::source::Source;
    use crate::validate::several::several;

    /// Returns the new texts, made at once and one after another. `edits` are an anchor, a node type and the new content.
    fn made(path: &str, text: &str, edits: &[(&str, &str, &str)]) -> [Option<String>; 2] {
        let language = crate::language::of(path, text);
        let before = Parsed::parse(Source::new(path, language, text.to_string()));
        let operations = edits.iter().map(|(_, _, new_content)| Operation::Replace {
            new_content: new_content.to_string(),
            indent: Indent::Verbatim,
            include_attached: false,
        });
        let operations: Vec<Operation> = operations.collect();
        let edits = edits.iter().zip(&operations);
        let edits = edits.map(|((anchor, kind, _), operation)| Edit {
            selection: select(&before, &Selector::new(anchor, kind)).expect("it is one node"),
            operation,
            moved: None,
        });
        let edits: Vec<Edit<'_, '_>> = edits.collect();
        let text_of = |made: Made<'_>| made.checked().after().source().text().to_string();
        [
            at_once(&before, &edits, &[]).map(text_of),
            several(&before, &edits, &[]).ok().map(text_of),
        ]
    }

    #[test]
    fn edits_at_once_are_those_made_one_after_another() {
        let text =
            "def f(x):\n    if x:\n        a(1)\n    for y in x:\n        a(2)\n    return a(3)\n";
        for (edits, is_made) in [
            (
                &[("a(1)", "call", "b(\n  1)"), ("a(3)", "call", "b(3)")][..],
                true,
            ),
            (
                &[
                    ("if x", "if_statement", "if y:\n        b(1)"),
                    ("a(3)", "call", "b(3)"),
                ],
                true,
            ),
            // The new body has lines of different indentation, no statement, or statements that leave it.
            (
                &[
                    ("a(3)", "call", "b(3)"),
                    (
                        "if x",
                        "if_statement",
                        "if y:\n          b(1)\n        b(2)",
                    ),
                ],
                false,
            ),
            (
                &[
                    ("a(3)", "call", "b(3)"),
                    ("for y", "for_statement", "for y in x:\n        # none"),
                ],
                false,
            ),
            (
                &[
                    ("a(3)", "call", "b(3)"),
                    ("a(1)", "expression_statement", "# none"),
                ],
                false,
            ),
        ] {
            let [together, apart] = made("a.py", text, edits);
            assert_eq!(apart.is_some(), is_made, "{edits:?}: {apart:?}");
            assert!(
                together.is_none() || together == apart,
                "{edits:?}: {together:?}"
            );
        }
    }
}
