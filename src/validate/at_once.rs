//! Many edits at once, with one parse for all of them.
//!
//! The edits pass together if the tree outside of the replaced, removed and inserted nodes is exactly the same afterwards
//! and the text has no new syntax error, which is more than the checks require. Otherwise nothing is known, and
//! [`several`](super::several) tries fewer of them.

use std::collections::HashMap;

use crate::change::{Change, Target};
use crate::edit::{self, Operation, Part, Together};
use crate::parse::{Chains, Cursor, Node, Parsed};
use crate::select::Selection;
use crate::source::{Source, Span};

use super::comparison::Comparison;
use super::several::Edit;
use super::{
    Check, Note, RepeatedLines, Ruling, heredocs, indentation, line_ends, ruling, sections,
};

/// Edits that pass together.
pub(super) struct AtOnce<'p> {
    /// The change of all that were made.
    pub(super) change: Change<'p>,
    /// The indices of these edits, in ascending order, with their notes.
    pub(super) notes: Vec<(usize, Vec<Note>)>,
}

/// Makes the edits in one step, except for those that depend on the result of others. Returns `None` if that does not show
/// that each passes.
pub(super) fn at_once<'p>(before: &'p Parsed, edits: &[Edit<'_, 'p>]) -> Option<AtOnce<'p>> {
    edits.first().filter(|_| edits.len() > 1)?;
    if before.is_plain_text() {
        return None;
    }
    let all: Vec<(&Selection<'p>, &Operation)> = edits
        .iter()
        .map(|edit| (&edit.selection, edit.operation))
        .collect();
    let Together {
        text_edit,
        after,
        parts,
    } = edit::edit_together(before, &all)?;
    let mut chains = before.chains();
    let mut changed: Vec<(Span, Span)> = Vec::new();
    let mut in_file_order: Vec<&(usize, Part)> = parts.iter().collect();
    in_file_order.sort_by_key(|(_, part)| part.hulls()[0].start());
    for (index, part) in in_file_order {
        match edits[*index].selection.is_text() {
            true => changed.push(with_whole_tokens(before, &mut chains, part.replaced[0])),
            false => changed.extend(&part.replaced),
        }
    }
    changed.sort_by_key(|(old, new)| (old.start(), new.start()));
    let are_apart = |pair: &[(Span, Span)]| pair[0].0.end() <= pair[1].0.start();
    if !changed.windows(2).all(are_apart)
        || !is_same_outside(before, &after, &changed)
        || !sections::keeps_levels(before, &after, &changed)
    {
        return None;
    }
    let targets = parts.iter().map(|(index, part)| {
        let selection = &edits[*index].selection;
        Target {
            node_type: selection.node().kind().to_string(),
            span: selection.span(),
            new_span: part.new_span,
        }
    });
    let targets = targets.collect();
    let change = Change::together(before, after, text_edit, targets).into_step();
    if !is_right(&change) {
        return None;
    }
    let mut notes = Vec::new();
    for (index, part) in parts {
        let edit = &edits[index];
        // What contains a text may be of another type afterwards, which is a note.
        let node = edit.selection.node();
        let is_part = !edit.selection.span().contains(before.trimmed(node.span()));
        if edit.selection.is_text() && is_part {
            let chain = change.after().chain(part.hulls()[1]);
            chain.iter().rfind(|now| now.is_of_type_of(node))?;
        }
        if edit.moved.is_none() && is_suspicious(&change, &edit.selection, part.new_span) {
            return None;
        }
        let repeats = RepeatedLines {
            before: before.source(),
            after: change.after(),
            hulls: part.hulls(),
            new_span: part.new_span,
        };
        let own = part.notes.into_iter().map(Note::Edit);
        notes.push((index, own.chain(repeats.notes()).collect()));
    }
    Some(AtOnce { change, notes })
}

/// Returns whether the text has none of the problems that its tree does not show.
fn is_right(change: &Change<'_>) -> bool {
    let (before, after, text_edit) = (change.before(), change.after(), change.text_edit());
    let keeps_values = || {
        Comparison::new(change, change.reading())
            .changed_value()
            .is_none()
    };
    !after.is_plain_text()
        && after.strict_problem().is_none()
        && change.new_code_problem().is_none()
        && heredocs::misread(before).is_empty()
        && indentation::is_right(after, text_edit.new_spans())
        && line_ends::ended_early(after, text_edit.new_spans()).is_empty()
        && keeps_values()
}

/// Returns whether the content at `new_span`, which replaces `selection`, looks like a sketch of code.
fn is_suspicious<'p>(change: &Change<'p>, selection: &Selection<'p>, new_span: Span) -> bool {
    let mut comparison = Comparison::new(change, change.reading());
    comparison.selection = selection;
    comparison.new_span = new_span;
    let (_, ruling) = ruling(Check::SuspiciousContent, &comparison);
    matches!(ruling, Ruling::Fails(_))
}

/// Returns the old and new span of a replaced part of a text with the rest of the tokens at its ends.
fn with_whole_tokens<'p>(
    before: &'p Parsed,
    chains: &mut Chains<'p>,
    (old, new): (Span, Span),
) -> (Span, Span) {
    let source = before.source();
    let own = match old.is_empty() {
        // A point is next to both tokens.
        true => with_next_characters(source, old),
        false => source.trimmed_start(source.trimmed_end(old)),
    };
    if own.is_empty() {
        return (old, new);
    }
    let mut token_at = |span: Span| {
        let chain = chains.at(span);
        // Between tokens, as in the text of Markdown, it is only what changes.
        let token = chain.last().filter(|node| node.is_leaf());
        token.map_or(old, |token| before.trimmed(token.span()))
    };
    let first = token_at(Span::new(own.start(), own.start() + 1));
    let last = token_at(Span::new(own.end() - 1, own.end()));
    // Whitespace at an end separates it from the token there.
    let ahead = old.start() - first.start().min(old.start());
    let rest = last.end().max(old.end()) - old.end();
    // Another edit of the token, which is found to overlap, may leave less of it before this one: both words of
    // `/* one two */`.
    let new_start = new.start().saturating_sub(ahead);
    (
        Span::new(old.start() - ahead, old.end() + rest),
        Span::new(new_start, new.end() + rest),
    )
}

/// Returns a point with the characters next to it that are not whitespace.
fn with_next_characters(source: &Source, point: Span) -> Span {
    let len = |c: Option<char>| c.filter(|c| !c.is_whitespace()).map_or(0, char::len_utf8);
    Span::new(
        point.start() - len(source.chars_before(point.start()).next()),
        point.end() + len(source.chars_from(point.end()).next()),
    )
}

/// Returns whether the tree outside of `changed` is the same: the spans of what changes, in the old and in the new text and
/// in file order. All nodes of one that changes have the same parent.
fn is_same_outside(before: &Parsed, after: &Parsed, changed: &[(Span, Span)]) -> bool {
    let mut old = Outside::new(before, changed.iter().map(|(old, _)| *old).collect());
    let mut new = Outside::new(after, changed.iter().map(|(_, new)| *new).collect());
    let mut parents = Parents::default();
    loop {
        let (was, is) = (old.cursor.node(), new.cursor.node());
        let is_reused = is.is_reused_from(was);
        if !is_reused && !is_alike(was, is, old.is_changed_in(was), [before, after]) {
            return false;
        }
        parents.descend();
        let moves = match is_reused {
            true => (Some(false), Some(false)),
            false => (
                old.goto_first_child(&mut parents),
                new.goto_first_child(&mut parents),
            ),
        };
        match moves {
            (Some(true), Some(true)) => continue,
            (Some(false), Some(false)) => parents.ascend(),
            _ => return false,
        }
        loop {
            let moves = (
                old.goto_next_sibling(&mut parents),
                new.goto_next_sibling(&mut parents),
            );
            match moves {
                (Some(true), Some(true)) => break,
                (Some(false), Some(false)) => {}
                _ => return false,
            }
            parents.ascend();
            match (old.cursor.goto_parent(), new.cursor.goto_parent()) {
                (true, true) => {}
                (false, false) => return true,
                _ => return false,
            }
        }
    }
}

/// The nodes above those that two walks visit, and the parent of each thing that changes.
#[derive(Default)]
struct Parents {
    above: Vec<usize>,
    visited: usize,
    of_changed: HashMap<usize, usize>,
}

impl Parents {
    fn descend(&mut self) {
        self.above.push(self.visited);
        self.visited += 1;
    }

    fn ascend(&mut self) {
        self.above.pop();
    }

    /// Returns whether all nodes of what changes, with this index, have the present parent.
    fn has_all_of(&mut self, changed: usize) -> bool {
        let parent = self.above.last().copied().unwrap_or_default();
        *self.of_changed.entry(changed).or_insert(parent) == parent
    }
}

/// A walk over the nodes of a text that are outside of what changes.
struct Outside<'p> {
    parsed: &'p Parsed,
    cursor: Cursor<'p>,
    changed: Vec<Span>,
}

impl<'p> Outside<'p> {
    fn new(parsed: &'p Parsed, changed: Vec<Span>) -> Outside<'p> {
        Outside {
            parsed,
            cursor: parsed.walk(parsed.root()),
            changed,
        }
    }

    /// Goes to the first child outside and returns whether there is one; else the cursor stays. Returns `None` if a child
    /// inside has another parent than the rest of what changes.
    fn goto_first_child(&mut self, parents: &mut Parents) -> Option<bool> {
        if !self.cursor.goto_first_child() {
            return Some(false);
        }
        let is_found = self.goto_outside(parents)?;
        if !is_found {
            self.cursor.goto_parent();
        }
        Some(is_found)
    }

    /// Goes to the next sibling outside and returns whether there is one; else the cursor goes to a sibling inside or stays.
    /// Returns `None` as [`Outside::goto_first_child`] does.
    fn goto_next_sibling(&mut self, parents: &mut Parents) -> Option<bool> {
        match self.cursor.goto_next_sibling() {
            true => self.goto_outside(parents),
            false => Some(false),
        }
    }

    /// Goes from siblings inside to the first one outside.
    fn goto_outside(&mut self, parents: &mut Parents) -> Option<bool> {
        while let Some(changed) = self.inside() {
            if !parents.has_all_of(changed) {
                return None;
            }
            if !self.cursor.goto_next_sibling() {
                return Some(false);
            }
        }
        Some(true)
    }

    /// Returns the index of what changes if the node is a part of it.
    fn inside(&self) -> Option<usize> {
        let span = self.cursor.node().span();
        let first = self
            .changed
            .partition_point(|one| one.end() <= span.start());
        let near = self.changed.get(first).filter(|one| one.overlaps(span))?;
        let own = self.parsed.trimmed(span);
        (near.contains(own) && !own.is_empty()).then_some(first)
    }

    /// Returns whether something in a node, or at one of its ends, changes.
    fn is_changed_in(&self, node: Node<'_>) -> bool {
        let span = node.span();
        let before = self.changed.partition_point(|one| one.end() < span.start());
        self.changed
            .get(before)
            .is_some_and(|one| one.start() <= span.end())
    }
}

/// Returns whether two nodes are of the same type and have the same number of children or, without children, of bytes. If
/// something changes in them, their children are compared one by one, and those of the trees inside.
fn is_alike(was: Node<'_>, is: Node<'_>, is_changed_in: bool, texts: [&Parsed; 2]) -> bool {
    let is_host = |parsed: &Parsed, node| !parsed.inner(node).is_of_tree_of(node);
    let is_as_large = || match was.child_count() {
        0 if is_changed_in && is_host(texts[0], was) => is_host(texts[1], is),
        0 => was.span().len() == is.span().len() && is.child_count() == 0,
        count => is_changed_in || count == is.child_count(),
    };
    was.is_of_type_of(is) && was.is_missing() == is.is_missing() && is_as_large()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use proptest::sample::Index;

    use crate::edit::{ExactBlankLines, Indent, InsertPosition};
    use crate::language::LANGUAGES;
    use crate::select::{self, Selector};
    use crate::validate::several::{RefusedStep, made, several_up_to};

    /// Returns the nodes of a text below the root, in file order.
    fn nodes(parsed: &Parsed) -> Vec<Node<'_>> {
        let mut cursor = parsed.walk(parsed.root());
        let mut nodes = Vec::new();
        loop {
            let node = cursor.node();
            if node.is_named() && !node.span().is_empty() && !node.is_error() {
                nodes.push(node);
            }
            if cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return nodes.split_off(1);
                }
            }
        }
    }

    /// A generated edit: the node, the operation, and where its content comes from.
    type Generated = (Index, u8, Index, u8);

    /// Returns a word of a text, or all of it.
    fn word_in(source: &Source, span: Span, index: &Index) -> Span {
        let text = source.slice(span);
        let is_end = |pair: &(usize, char)| !pair.1.is_alphanumeric();
        let ends = text
            .char_indices()
            .filter(is_end)
            .map(|(at, c)| (at, at + c.len_utf8()));
        let ends: Vec<(usize, usize)> = ends.chain([(text.len(), text.len())]).collect();
        let starts = [0].into_iter().chain(ends.iter().map(|(_, next)| *next));
        let words = starts.zip(&ends).map(|(start, (end, _))| (start, *end));
        let words: Vec<(usize, usize)> = words.filter(|(start, end)| start < end).collect();
        let (start, end) = match words.is_empty() {
            true => (0, text.len()),
            false => *index.get(&words),
        };
        Span::new(span.start() + start, span.start() + end)
    }

    /// Returns the edit of a node, or of a word in it, with the text of another node of its type or a word as content.
    fn operation(
        parsed: &Parsed,
        nodes: &[Node<'_>],
        (node, kind, other_index, word): &Generated,
    ) -> (Span, Operation) {
        let node = *node.get(nodes);
        let alike: Vec<&Node<'_>> = nodes
            .iter()
            .filter(|other| other.is_of_type_of(node))
            .collect();
        let other = parsed.text_of(**other_index.get(&alike)).into_owned();
        let words = [
            "other",
            "7",
            "a b",
            "x(1)",
            "\"s\"",
            "T",
            "-1",
            "f {\n  a\n}",
            "*",
            "`x",
            "# h",
            "<b>",
        ];
        let wrappers = [
            "f(<|>)",
            "<|>.x",
            "!<|>",
            "{\n  <|>\n}",
            "a:\n  <|>",
            "<b>\n  <|>\n</b>",
        ];
        let new_content = match word {
            0..12 => words[usize::from(*word)].to_string(),
            _ => other,
        };
        let indent = Indent::Auto;
        let insert = |position| Operation::Insert {
            position,
            new_content: new_content.clone(),
            indent,
            blank_lines: ExactBlankLines::default(),
        };
        let operation = match kind {
            0 | 1 => Operation::Replace {
                new_content,
                indent,
                include_attached: false,
            },
            2 => Operation::Replace {
                new_content,
                indent: Indent::Verbatim,
                include_attached: false,
            },
            3 => insert(InsertPosition::Before),
            4 => insert(InsertPosition::After),
            5 => insert(InsertPosition::LastChild),
            6 => Operation::Delete,
            9 => Operation::Wrap {
                new_content: wrappers[usize::from(*word) % wrappers.len()].to_string(),
                indent,
            },
            _ => Operation::ReplaceText {
                new_content,
                indent: match kind {
                    12 => Indent::Column0,
                    _ => indent,
                },
            },
        };
        let span = parsed.trimmed(node.span());
        let source = parsed.source();
        match operation {
            Operation::ReplaceText { new_content, .. } if *kind == 8 => {
                // The whitespace before it is a part of the text and of its content.
                let before = source.trimmed_end(Span::new(0, span.start()));
                let blanks = source.slice(Span::new(before.end(), span.start()));
                let new_content = format!("{blanks}{new_content}");
                let span = Span::new(before.end(), span.end());
                (
                    span,
                    Operation::ReplaceText {
                        new_content,
                        indent,
                    },
                )
            }
            Operation::ReplaceText { .. } if *kind == 10 => {
                (word_in(source, span, other_index), operation)
            }
            Operation::ReplaceText { .. } if *kind == 11 => {
                let word = word_in(source, span, other_index);
                (Span::at(word.start()), operation)
            }
            operation => (span, operation),
        }
    }

    proptest! {
        #![proptest_config(crate::trials::tried(300, 300))]

        /// Edits made together have the result, the targets and the notes that they have one after another. About one of
        /// 5,000 differs: a wrap in a here-document, in a line that begins in text that another edit replaces, is
        /// indented as before that edit.
        #[test]
        fn edits_at_once_are_those_made_one_after_another(
            language in any::<Index>(),
            edits in prop::collection::vec((any::<Index>(), 0..13_u8, any::<Index>(), 0..28_u8), 2..7),
        ) {
            let language = language.get(LANGUAGES.as_slice());
            let (name, text) = language.sample();
            let before = Parsed::parse(Source::new(name, language, text.to_string()));
            let nodes = nodes(&before);
            // No file has the language of a part of Markdown.
            prop_assume!(!nodes.is_empty() && !language.is_inner());
            let operations: Vec<(Span, Operation)> =
                edits.iter().map(|edit| operation(&before, &nodes, edit)).collect();
            let edits = operations.iter().filter_map(|(span, operation)| {
                let node = || nodes.iter().rfind(|node| before.trimmed(node.span()) == *span);
                let selection = match operation {
                    Operation::ReplaceText { .. } => select::all_of(&before, *span),
                    _ => select::at(&before, *span, node()?.kind())?,
                };
                Some(Edit { selection, operation, moved: None })
            });
            // Those that pass alone.
            let edits: Vec<Edit<'_, '_>> = edits
                .filter(|edit| crate::validate::several::one(edit.selection.clone(), edit.operation, &[]).is_ok())
                .collect();
            if let Some(at_once) = at_once(&before, &edits) {
                let numbers: Vec<usize> = at_once.notes.iter().map(|(number, _)| *number).collect();
                let some: Vec<Edit<'_, '_>> = numbers.iter().map(|number| edits[*number].clone()).collect();
                let apart = made(&before, &some, &[], None);
                // Overlapping edits are refused before.
                if matches!(apart, Err(RefusedStep::Clash(..))) {
                    return Ok(());
                }
                let apart = apart.map_err(|stopped| TestCaseError::fail(format!("{stopped:?}")))?;
                let checked = apart.checked();
                let of = || some.iter().map(|edit| (edit.selection.span(), edit.selection.node().kind(), edit.operation)).collect::<Vec<_>>();
                prop_assert_eq!(at_once.change.after().source().text(), checked.after().source().text(), "{:?}", of());
                prop_assert_eq!(at_once.change.targets(), checked.targets(), "{:?}", of());
                // A repeated line may be one that a later edit changes.
                let of_edit = |notes: &[Note]| -> Vec<Note> {
                    let is_of_edit = |note: &&Note| !matches!(note, Note::RepeatsNeighbour { .. });
                    notes.iter().filter(is_of_edit).cloned().collect()
                };
                let mut notes: Vec<(usize, Vec<Note>)> = apart
                    .notes()
                    .iter()
                    .map(|(number, notes)| (numbers[*number], of_edit(notes)))
                    .collect();
                notes.sort_by_key(|(number, _)| *number);
                let own = at_once.notes.iter().map(|(number, notes)| (*number, of_edit(notes)));
                prop_assert_eq!(own.collect::<Vec<_>>(), notes, "{:?}", of());
            }
        }
    }
    /// Returns the indices of the edits that are made at once, each of the node of `kind` that contains a text.
    fn made_at_once(
        name: &str,
        text: &str,
        kind: &str,
        edits: &[(String, Operation)],
    ) -> Vec<usize> {
        let language = crate::language::for_file(name, text);
        let before = Parsed::parse(Source::new(name, language, text.to_string()));
        let edits = edits.iter().map(|(anchor, operation)| Edit {
            selection: select::select(&before, &Selector::new(anchor, kind))
                .expect("it is one node"),
            operation,
            moved: None,
        });
        let edits: Vec<Edit<'_, '_>> = edits.collect();
        let made = at_once(&before, &edits);
        made.map_or_else(Vec::new, |made| {
            made.notes.into_iter().map(|(index, _)| index).collect()
        })
    }

    /// Returns the text after edits of texts, each with its new text, that are made together where they can be. Checks that
    /// it is that of edits one after another.
    fn texts_edited(name: &str, text: &str, edits: &[(&str, &str)]) -> Result<String, usize> {
        let language = crate::language::for_file(name, text);
        let before = Parsed::parse(Source::new(name, language, text.to_string()));
        let operations = edits.iter().map(|(_, new)| Operation::replace_text(*new));
        let operations: Vec<Operation> = operations.collect();
        let all = edits.iter().zip(&operations);
        let all = all.map(|((find, _), operation)| Edit {
            selection: select::select(&before, &Selector::part(find)).expect("it is there once"),
            operation,
            moved: None,
        });
        let all: Vec<Edit<'_, '_>> = all.collect();
        let texts = [Some(usize::MAX), None].map(|most_alone| {
            let made = made(&before, &all, &[], most_alone);
            made.map(|made| made.checked().after().source().text().to_string())
                .map_err(|stopped| format!("{stopped:?}").len())
        });
        assert_eq!(texts[0], texts[1], "{edits:?}");
        let [text, _] = texts;
        text
    }

    #[test]
    fn whitespace_that_a_text_keeps_may_be_replaced_by_another_edit() {
        for (first, second) in [("d;", "\n"), ("d;\n", "\n    "), ("", "\n    e;")] {
            let edits = [("a;\n   ", first), ("\n    b;", second)];
            let _ = texts_edited("a.js", "a;\n    b;\nc;\n", &edits);
        }
    }

    #[test]
    fn several_texts_of_a_token_may_change() {
        for text in [
            "/* one two three */\nint a;\n",
            "int a; /* one two three */\n",
        ] {
            for (one, three) in [("1", "3"), ("", "3"), ("more than one", "")] {
                let after = text.replace("one", one).replace("three", three);
                let edits = [("three", three), ("one", one)];
                assert_eq!(texts_edited("A.java", text, &edits), Ok(after));
            }
        }
    }

    #[test]
    fn an_edit_at_once_adds_nothing_to_another_body() {
        let text = "def f(a):\n    return g(a)\n\n\ndef h(a):\n    return i(a)\n";
        let replaced = |content: &str| {
            let edits = [("g(a)", content), ("i(a)", "j(a)")];
            let edits =
                edits.map(|(anchor, content)| (anchor.to_string(), Operation::replace(content)));
            made_at_once("a.py", text, "call", &edits)
        };
        assert_eq!(replaced("k(a)"), [0, 1]);
        // The second statement would be in the body of the function, not in the place of the call.
        assert!(replaced("k(a); l(a)").is_empty());
    }

    #[test]
    fn many_edits_of_a_text_take_one_parse() {
        const COUNT: usize = 40;
        let of_each = |part: &dyn Fn(usize) -> String| (0..COUNT).map(part).collect::<String>();
        let python = of_each(&|n| format!("def f{n}(a):\n    x = g(a)\n    return x\n\n\n"));
        let rust = of_each(&|n| format!("fn f{n}(a: u8) -> u8 {{\n    g(a)\n}}\n\n"));
        let json = of_each(&|n| format!("  \"f{n}\": {{ \"a\": 1 }},\n"));
        let json = format!("{{\n{json}  \"end\": 0\n}}\n");
        for (name, text, kind, start, content) in [
            (
                "a.py",
                &python,
                "function_definition",
                "def f#(",
                "def h#(a):\n    return a\n",
            ),
            (
                "a.rs",
                &rust,
                "function_item",
                "fn f#(",
                "fn h#() {\n    i();\n}",
            ),
            ("a.json", &json, "pair", "\"f#\":", "\"h#\": 2"),
        ] {
            let numbered = |text: &str, number: usize| text.replace('#', &number.to_string());
            let edits = |operation: fn(String) -> Operation| {
                let edit = |number| {
                    (
                        numbered(start, number),
                        operation(numbered(content, number)),
                    )
                };
                (0..COUNT).map(edit).collect::<Vec<_>>()
            };
            let all: Vec<usize> = (0..COUNT).collect();
            let replaced = edits(Operation::replace);
            assert_eq!(made_at_once(name, text, kind, &replaced), all, "{name}");
            let inserted = edits(|content| Operation::insert(InsertPosition::After, content));
            assert_eq!(made_at_once(name, text, kind, &inserted), all, "{name}");
            // The neighbors of a deleted node stay.
            let deleted = edits(|_| Operation::Delete);
            let third: Vec<usize> = (0..COUNT).step_by(3).collect();
            assert_eq!(made_at_once(name, text, kind, &deleted), third, "{name}");
        }
    }

    #[test]
    fn many_points_wraps_and_words_of_markdown_take_one_parse() {
        // No number is the start of another one.
        let numbers = || 100..140_usize;
        let of_each = |part: &str| -> String {
            let parts = numbers().map(|number| part.replace('#', &number.to_string()));
            parts.collect()
        };
        let rust = of_each("fn f#(a: u8) -> u8 {\n    g(a);\n    #\n}\n\n");
        let markdown = of_each("Part #\n------\n\nThe *first* word# and more.\n\n- one#\n\n");
        // The type of a node, or none for a text.
        for (name, text, anchor, kind, operation) in [
            (
                "a.rs",
                &rust,
                "fn f#(",
                "function_item",
                Operation::wrap("mod m {\n    <|>\n}"),
            ),
            (
                "a.rs",
                &rust,
                "g(a);<|><|>\n    #",
                "",
                Operation::replace_text(" // one\n    two();"),
            ),
            (
                "a.md",
                &markdown,
                "<|>word<|>#",
                "",
                Operation::replace_text("other words"),
            ),
            (
                "a.md",
                &markdown,
                "- one#<|><|>",
                "",
                Operation::replace_text(", two"),
            ),
            (
                "a.md",
                &markdown,
                "Part #",
                "",
                Operation::replace_text("Chapter"),
            ),
            (
                "a.md",
                &markdown,
                "word#",
                "paragraph",
                Operation::replace("One line."),
            ),
        ] {
            let language = crate::language::for_file(name, text);
            let before = Parsed::parse(Source::new(name, language, text.to_string()));
            let edits = numbers().map(|number| {
                let anchor = anchor.replace('#', &number.to_string());
                let selector = match kind {
                    "" => Selector::part(&anchor),
                    kind => Selector::new(&anchor, kind),
                };
                Edit {
                    selection: select::select(&before, &selector).expect("it is one place"),
                    operation: &operation,
                    moved: None,
                }
            });
            let edits: Vec<Edit<'_, '_>> = edits.collect();
            let made = at_once(&before, &edits).map_or(0, |made| made.notes.len());
            assert_eq!(made, edits.len(), "{anchor}");
        }
    }

    #[test]
    fn no_more_edits_than_allowed_are_made_one_after_another() {
        let numbers = || 100..140_usize;
        let text: String = numbers()
            .map(|number| format!("x{number} = f(a)\n"))
            .collect();
        let language = crate::language::for_file("a.py", &text);
        let before = Parsed::parse(Source::new("a.py", language, text));
        // The call becomes a part of a sum.
        let operation = Operation::replace_text(" + 1");
        let edits = numbers().map(|number| Edit {
            selection: select::select(&before, &Selector::part(&format!("x{number} = f(a)<|><|>")))
                .expect("it is one place"),
            operation: &operation,
            moved: None,
        });
        let edits: Vec<Edit<'_, '_>> = edits.collect();
        let made = |most| several_up_to(&before, &edits, &[], most).map(|made| made.notes().len());
        assert_eq!(
            made(40)
                .map_err(|stopped| format!("{stopped:?}").chars().take(300).collect::<String>()),
            Ok(40)
        );
        assert!(matches!(made(39), Err(RefusedStep::TooMany(15))));
        assert!(matches!(made(4), Err(RefusedStep::TooMany(4))));
    }
}
