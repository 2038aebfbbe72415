//! Many replacements of whole nodes, or of words in a line, at once, with one parse for all of them.
//!
//! [`several`](super::several) parses the text after each edit. Here the edits pass together if the tree outside of the
//! replaced nodes is exactly the same afterwards and the text has no new syntax error, which is more than the checks
//! require. Otherwise nothing is known, and the caller makes the edits one after another.

use crate::change::{Change, Replacement, TextEdit};
use crate::edit::{self, Indent, Operation, check_content, whole_node};
use crate::parse::{Chains, Node, Parsed};
use crate::select::{Selected, Selection};
use crate::source::{BOM, Span};

use super::several::{Edit, Made};
use super::{Check, indentation, is_suspicious, parses};

/// One of the edits.
struct Piece {
    replacement: Replacement,
    /// The node outside of which it changes nothing.
    node: Span,
    /// Whether it replaces words of the text, not a node.
    is_text: bool,
}

impl Piece {
    fn of<'p>(before: &'p Parsed, chains: &mut Chains<'p>, edit: &Edit<'_, 'p>) -> Option<Piece> {
        match edit.operation {
            Operation::Replace {
                new_content,
                indent: Indent::Verbatim,
                include_attached: false,
            } => Piece::of_node(before, &edit.selection, new_content),
            Operation::ReplaceText {
                new_content,
                indent: Indent::Auto | Indent::Verbatim,
            } if edit.moved.is_none() => {
                Piece::of_words(before, chains, &edit.selection, new_content)
            }
            _ => None,
        }
    }

    fn of_node(before: &Parsed, selection: &Selection<'_>, new_content: &str) -> Option<Piece> {
        let span = whole_node(selection)?;
        check_content(new_content).ok()?;
        let line_ending = before.source().line_ending_at(span.start());
        let new_text = new_content.replace("\r\n", "\n").replace('\n', line_ending);
        (before.source().slice(span) != new_text).then_some(Piece {
            replacement: Replacement { span, new_text },
            node: span,
            is_text: false,
        })
    }

    /// Words of one line that are written as sent and change only one token.
    fn of_words<'p>(
        before: &'p Parsed,
        chains: &mut Chains<'p>,
        selection: &Selection<'p>,
        new_content: &str,
    ) -> Option<Piece> {
        let Selected::Text(range) = selection.selected() else {
            return None;
        };
        // The trees of embedded languages are compared only by their text.
        if before.holds_others() {
            return None;
        }
        let span = range.span;
        let is_exact =
            range.with_blanks == span && !range.is_find_elsewhere && range.missing_breaks == [0, 0];
        let old = before.source().slice(span);
        let is_plain = |text: &str| text.trim() == text && !text.contains(['\n', '\r', '\0', BOM]);
        if !is_exact || !is_plain(&old) || !is_plain(new_content) || old == new_content {
            return None;
        }
        let same = |one: &mut dyn Iterator<Item = char>, other: &mut dyn Iterator<Item = char>| {
            let pairs = one.zip(other).take_while(|(one, other)| one == other);
            pairs.map(|(c, _)| c.len_utf8()).sum::<usize>()
        };
        let start = same(&mut old.chars(), &mut new_content.chars());
        let end = same(
            &mut old[start..].chars().rev(),
            &mut new_content[start..].chars().rev(),
        );
        let changed = Span::new(span.start() + start, span.end() - end);
        let chain = chains.at(changed);
        let token = chain
            .last()
            .filter(|node| node.is_leaf() && node.is_named())?;
        Some(Piece {
            replacement: Replacement {
                span,
                new_text: new_content.to_string(),
            },
            node: before.trimmed(token.span()),
            is_text: true,
        })
    }

    /// Returns the span of the node in the new text, where the replacement is at `new_span`.
    fn new_node(&self, new_span: Span) -> Option<Span> {
        let span = self.replacement.span;
        let start = (new_span.start() + self.node.start()).checked_sub(span.start())?;
        let end = (new_span.end() + self.node.end()).checked_sub(span.end())?;
        (start <= end).then(|| Span::new(start, end))
    }
}

/// Makes the edits in one step. Returns `None` if that does not show that each passes.
pub(crate) fn at_once<'p>(
    before: &'p Parsed,
    edits: &[Edit<'_, 'p>],
    allow: &[Check],
) -> Option<Made<'p>> {
    edits.first().filter(|_| edits.len() > 1)?;
    // Values that a parser of the language reads may depend on each other, and a heading on those before it.
    let tables = before.source().language().tables();
    let has_levels = tables.is_some_and(|tables| tables.has_levels());
    if before.data().is_some() || before.is_plain_text() || has_levels {
        return None;
    }
    let mut order: Vec<usize> = (0..edits.len()).collect();
    order.sort_by_key(|index| {
        let span = edits[*index].selection.span();
        (span.start(), span.end())
    });
    let mut chains = before.chains();
    let pieces = order.iter();
    let pieces = pieces.map(|index| Piece::of(before, &mut chains, &edits[*index]));
    let pieces: Vec<Piece> = pieces.collect::<Option<_>>()?;
    let are_apart = |two: &[Piece]| two[0].node.end() <= two[1].node.start();
    if !pieces.windows(2).all(are_apart) {
        return None;
    }
    let replacements = pieces.iter().map(|piece| piece.replacement.clone());
    let text_edit = TextEdit::new(before.source(), replacements.collect()).ok()?;
    let new_spans = text_edit.new_spans();
    let replaced = pieces.iter().zip(&new_spans);
    let replaced = replaced.map(|(piece, new_span)| Some((piece.node, piece.new_node(*new_span)?)));
    let replaced: Vec<(Span, Span)> = replaced.collect::<Option<_>>()?;
    let mut targets: Vec<(usize, (Span, Span))> = order
        .iter()
        .zip(pieces.iter().zip(&new_spans))
        .map(|(index, (piece, new_span))| (*index, (piece.replacement.span, *new_span)))
        .collect();
    targets.sort_by_key(|(index, _)| *index);
    let targets = targets.iter();
    let targets = targets.map(|(index, spans)| (&edits[*index].selection, spans));
    let change = Change::of_nodes(before, text_edit, targets);
    let made = order.iter().zip(&pieces).zip(&new_spans);
    let is_checked = !allow.contains(&Check::SuspiciousContent);
    for (number, ((index, piece), new_span)) in made.enumerate() {
        // The contents of replaced nodes are made from one template.
        let is_alike = !piece.is_text && number > 0;
        let selection = &edits[*index].selection;
        if is_checked && !is_alike && is_suspicious(&change, selection, *new_span) {
            return None;
        }
        let new_text = &piece.replacement.new_text;
        if !piece.is_text && !edit::is_read_as_sent(selection, new_text, change.after(), *new_span)
        {
            return None;
        }
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
    use proptest::prelude::*;
    use proptest::sample::Index;

    use crate::language::LANGUAGES;
    use crate::select::{self, Selector, select};
    use crate::source::Source;
    use crate::validate::several::one_after_another;

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
            one_after_another(&before, &edits, &[]).ok().map(text_of),
        ]
    }

    /// Returns the named tokens of a text, in file order.
    fn tokens(parsed: &Parsed) -> Vec<Span> {
        let mut cursor = parsed.walk(parsed.root());
        let mut tokens = Vec::new();
        loop {
            let node = cursor.node();
            if node.is_leaf() && node.is_named() && !node.span().is_empty() {
                tokens.push(node.span());
            }
            if cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return tokens;
                }
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

        /// What passes at once passes one after another, with the same bytes and without a note.
        #[test]
        fn words_at_once_are_those_made_one_after_another(
            language in any::<Index>(),
            edits in prop::collection::vec((any::<Index>(), any::<bool>(), 0..8_usize), 2..6),
        ) {
            let language = language.get(LANGUAGES.as_slice());
            let (name, text) = language.sample();
            let before = Parsed::parse(Source::new(name, language, text.to_string()));
            let tokens = tokens(&before);
            prop_assume!(!tokens.is_empty());
            let words = ["other", "7", "a b", "x(1)", "\"s\"", "T", "-1", ""];
            let edits = edits.iter().map(|(token, with_more, word)| {
                let token = *token.get(&tokens);
                // The text before the token may belong to the words that are replaced.
                let line = before.source().line_span(before.source().line_of(token.start()));
                let start = line.filter(|_| *with_more).map_or(token.start(), |line| {
                    before.source().trimmed_start(line).start().min(token.start())
                });
                let span = Span::new(start, token.end());
                let kept = before.source().slice(Span::new(start, token.start())).into_owned();
                (span, Operation::ReplaceText { new_content: kept + words[*word], indent: Indent::Auto })
            });
            let mut edits: Vec<(Span, Operation)> = edits.collect();
            edits.dedup_by_key(|(span, _)| *span);
            let edits = edits.iter().map(|(span, operation)| Edit {
                selection: select::all_of(&before, *span),
                operation,
                moved: None,
            });
            let edits: Vec<Edit<'_, '_>> = edits.collect();

            if let Some(made) = at_once(&before, &edits, &[]) {
                let apart = one_after_another(&before, &edits, &[]);
                let apart = apart.map_err(|stopped| TestCaseError::fail(format!("{stopped:?}")))?;
                prop_assert_eq!(made.checked().after().source().text(), apart.checked().after().source().text());
                prop_assert_eq!(made.checked().targets(), apart.checked().targets());
                let notes: Vec<_> = apart.notes().iter().flat_map(|(_, notes)| notes).collect();
                prop_assert!(notes.is_empty(), "{notes:?}");
            }
        }
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
