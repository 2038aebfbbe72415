//! [`Change`]: one or several edits of one file, with the text before and after, both trees, the replacements and the
//! targets.
//!
//! Its fields are private: `edit` builds a change from a selection and an operation, and no other code can exchange its
//! text or tree. `validate` decides whether a change is acceptable. It judges a change in one or more readings of the same
//! two trees.

mod reading;
mod text_edit;

use crate::language::StrictProblem;
use crate::language::queries::Mark;
use crate::parse::{Node, Parsed};
use crate::select::Selection;
use crate::source::{Source, Span};

pub(crate) use reading::Reading;
pub use text_edit::{NotAnEdit, Replacement, TextEdit};

/// One or several edits of one text, applied to text and tree but not yet checked.
///
/// ```
/// use treegraft::edit::edit;
/// use treegraft::{Operation, Parsed, Selector, Source, language, select};
///
/// let text = "fn f() { g(1); }\n".to_string();
/// let parsed = Parsed::parse(Source::new("a.rs", language::for_file("a.rs", &text), text));
/// let selection = select::select(&parsed, &Selector::new("g", "call_expression")).expect("one call");
/// let change = edit(selection, &Operation::replace("h()")).expect("a call can be edited");
/// assert_eq!(change.after().source().text(), "fn f() { h(); }\n");
/// assert_eq!(change.targets()[0].node_type(), "call_expression");
/// ```
#[derive(Debug)]
pub struct Change<'p> {
    before: &'p Parsed,
    after: Parsed,
    reading: Reading<'p>,
    targets: Vec<Target>,
    notes: Vec<EditNote>,
    /// Whether others follow it, after which the whole is checked.
    is_step: bool,
}

/// The target of one edit of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    pub(crate) node_type: String,
    pub(crate) span: Span,
    pub(crate) new_span: Span,
}

/// A change of the result of another change, without the text it starts from.
#[derive(Debug)]
pub(crate) struct DetachedChange {
    text_edit: TextEdit,
    after: Parsed,
    targets: Vec<Target>,
}

/// Edits that are applied one after another.
#[derive(Debug)]
pub(crate) struct Sequence<'p> {
    before: &'p Parsed,
    /// All replacements so far, and their result.
    so_far: Option<(TextEdit, Parsed)>,
    /// The target of each edit, with its number.
    targets: Vec<(usize, Target)>,
}

/// An edit changes text that an earlier edit inserted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it changes text that edit {earlier} inserted")]
pub struct Overlap {
    /// The number of the earlier edit.
    pub earlier: usize,
}

/// Something an operation did in addition to inserting the text as given.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EditNote {
    /// The indentation of some lines was changed.
    Reindented {
        /// The number of lines.
        lines: usize,
    },
    /// A comma that the list needs was added.
    CommaAdded,
    /// The comma of the content was omitted: the list has its own, or needs none there.
    CommaDropped,
    /// The semicolon of the content was omitted, because one follows the target.
    SemicolonDropped,
    /// Attached nodes were replaced, since the content has its own or the caller requested it.
    AttachedReplaced {
        /// Their kinds (`doc`, `attribute`, ...), each once.
        kinds: Vec<String>,
    },
    /// A list is left with one member, and one member is no list in its language.
    OneMemberLeft {
        /// The type of the list.
        node_type: String,
    },
    /// The attributes that the old definition began with were kept, since the content has none.
    AttributesKept {
        /// Their node types, each once.
        node_types: Vec<String>,
    },
    /// Enclosing nodes of the same type start with the same text, and the anchor is only a part of the selected one.
    Innermost {
        /// The type.
        node_type: String,
        /// The first line of the next enclosing one.
        outer: String,
    },
    /// Parentheses were added around the content, which would be read as something else without them.
    Parenthesized,
    /// The line breaks of the content were converted to those of the file.
    LineEndings,
    /// The nodes attached to the deleted node were deleted with it.
    AttachedAlong {
        /// Their kinds (`doc`, `attribute`, `comment`, ...), each once.
        kinds: Vec<String>,
    },
    /// The separator that the list needs was added.
    SeparatorAdded {
        /// The separator as it is in the file.
        text: String,
    },
    /// The separator of the content, which is not a comma, was omitted: the list has its own, or needs none there.
    SeparatorDropped {
        /// The separator.
        text: String,
    },
    /// The separator next to the deleted node was removed.
    SeparatorRemoved {
        /// The separator as it was in the file.
        text: String,
    },
    /// The selected node is a part of this member of its list, and the whole member was deleted.
    WholeMember {
        /// The member as it was in the file.
        text: String,
    },
    /// The content is only a value, so only the value of the selected pair was replaced.
    OnlyValue {
        /// The type of the pair.
        node_type: String,
    },
    /// This node no longer has a value, so its value is null.
    LeftWithoutValue {
        /// Its type.
        node_type: String,
    },
    /// This node contained nothing else, and was deleted as a whole.
    WholeOf {
        /// Its type.
        node_type: String,
    },
}

/// The maximum number of nodes after a part of a file that are read with it.
const FOLLOWING: usize = 4;

/// Returns the problem that the parser of the language finds in the new code, if it finds none in the old one.
pub(crate) fn new_code_problem(
    before: &Parsed,
    after: &Parsed,
    text_edit: &TextEdit,
) -> Option<StrictProblem> {
    if !before.source().language().checks_parts() {
        if before.has_known_code_problem() {
            return None;
        }
        // Most edits are valid, so the old code is rarely parsed.
        let problem = after.code_problem()?;
        return before.code_problem().is_none().then(|| problem.clone());
    }
    // The nodes in the root that the edit touches.
    let (hull, new_hull) = (text_edit.hull(), text_edit.new_hull());
    let children = before.root().own_children().into_iter().map(Node::span);
    let (touched, others): (Vec<Span>, Vec<Span>) = children.partition(|span| span.touches(hull));
    let part = touched.into_iter().fold(hull, |part, span| {
        Span::new(part.start().min(span.start()), part.end().max(span.end()))
    });
    let problem_to = |end: usize| {
        let new_part = Span::new(part.start(), end - hull.end() + new_hull.end());
        after.code_problem_in(after.root(), new_part)
    };
    let was_valid_to = |end: usize| {
        let old_part = Span::new(part.start(), end);
        before.code_problem_in(before.root(), old_part).is_none()
    };
    let problem = problem_to(part.end()).filter(|_| was_valid_to(part.end()))?;
    // The part may end with a doc comment or an attribute, whose item follows.
    let following = others.iter().filter(|span| span.start() >= part.end());
    let mut ends = following.take(FOLLOWING).map(|span| span.end());
    let is_cut = ends.any(|end| problem_to(end).is_none() && was_valid_to(end));
    (!is_cut).then_some(problem)
}

/// Returns whether a change of code, not of prose, a string or a comment, leaves brackets without partner.
fn unbalances_brackets(reading: &Reading<'_>) -> bool {
    let node = reading.selection.node();
    let source = reading.selection.parsed().source();
    let tables = source.language().tables();
    let is_prose = tables.is_none_or(|tables| tables.uses(Mark::Marker));
    let is_literal = node.is_protected() || node.is_in_protected();
    !is_prose && !is_literal && reading.text_edit.unbalances_brackets(source)
}

impl<'p> Change<'p> {
    /// Applies the replacements of `reading`.
    pub(crate) fn from_reading(reading: Reading<'p>, notes: Vec<EditNote>) -> Change<'p> {
        let before = reading.selection.parsed();
        let text_edit = &reading.text_edit;
        let text = text_edit.apply(before.source());
        // A text with unbalanced brackets probably does not parse, and a failed incremental parse
        // would be repeated from scratch. Both take several times as long as a parse without
        // errors.
        let after = match unbalances_brackets(&reading) {
            true => Parsed::parse(text),
            false => before.reparse(text, &text_edit.lengths()),
        };
        Change::made(reading, after, notes)
    }

    /// Creates the change of several edits that were made together.
    pub(crate) fn together(
        before: &'p Parsed,
        after: Parsed,
        text_edit: TextEdit,
        targets: Vec<Target>,
    ) -> Change<'p> {
        Change {
            before,
            after,
            reading: Reading::of_whole(before, text_edit),
            targets,
            notes: Vec::new(),
            is_step: false,
        }
    }

    /// Applies replacements of known targets.
    #[cfg(feature = "disk")]
    pub(crate) fn of_targets(
        before: &'p Parsed,
        text_edit: TextEdit,
        targets: Vec<Target>,
    ) -> Change<'p> {
        Change {
            targets,
            ..Change::from_reading(Reading::of_whole(before, text_edit), Vec::new())
        }
    }

    /// Applies replacements without a single target, such as those of a language server, or the text of a new file.
    pub(crate) fn of_texts(before: &'p Parsed, text_edit: TextEdit) -> Change<'p> {
        Change::from_reading(Reading::of_whole(before, text_edit), Vec::new())
    }

    fn made(reading: Reading<'p>, after: Parsed, notes: Vec<EditNote>) -> Change<'p> {
        let target = Target {
            node_type: reading.selection.node().kind().to_string(),
            span: reading.selection.span(),
            new_span: reading.new_span,
        };
        Change {
            before: reading.selection.parsed(),
            after,
            reading,
            targets: vec![target],
            notes,
            is_step: false,
        }
    }

    /// Returns the text and tree before the change.
    pub fn before(&self) -> &'p Parsed {
        self.before
    }

    /// Returns the text and tree after the change.
    pub fn after(&self) -> &Parsed {
        &self.after
    }

    /// Returns the replacements.
    pub fn text_edit(&self) -> &TextEdit {
        &self.reading.text_edit
    }

    /// Returns the selection; for several edits, everything from the first to the last.
    pub fn selection(&self) -> &Selection<'p> {
        &self.reading.selection
    }

    /// Returns the span of the new content in the new text. It does not include other replacements such as a
    /// separator, and is empty for a deletion. For several edits, it is everything from the first to the last.
    pub fn new_span(&self) -> Span {
        self.reading.new_span
    }

    /// Returns the target of each edit; at least one.
    pub fn targets(&self) -> &[Target] {
        &self.targets
    }

    /// Returns what the operation did in addition to inserting the text as given.
    pub fn notes(&self) -> &[EditNote] {
        &self.notes
    }

    /// Returns the nodes from the root down to the one whose children the edit changes.
    pub(crate) fn container(&self) -> &[Node<'p>] {
        &self.reading.container
    }

    pub(crate) fn reading(&self) -> &Reading<'p> {
        &self.reading
    }

    /// Adds a note.
    pub(crate) fn with_note(mut self, note: EditNote) -> Change<'p> {
        self.notes.push(note);
        self
    }

    /// Replaces the notes.
    pub(crate) fn with_notes(self, notes: Vec<EditNote>) -> Change<'p> {
        Change { notes, ..self }
    }

    /// Returns the problem that the parser of the language finds in the new code, if it finds none in the old one.
    pub(crate) fn new_code_problem(&self) -> Option<StrictProblem> {
        new_code_problem(self.before, &self.after, self.text_edit())
    }

    /// Marks it as one of several, after which the whole is checked.
    pub(crate) fn into_step(self) -> Change<'p> {
        Change {
            is_step: true,
            ..self
        }
    }

    pub(crate) fn is_step(&self) -> bool {
        self.is_step
    }

    /// Parses the new text again without the old tree.
    pub(crate) fn parsed_from_scratch(self) -> Change<'p> {
        Change {
            after: self.after.parsed_from_scratch(),
            ..self
        }
    }

    /// Detaches the change from its old text, to append it to the changes that produced that text.
    pub(crate) fn into_detached(self) -> DetachedChange {
        DetachedChange {
            text_edit: self.reading.text_edit,
            after: self.after,
            targets: self.targets,
        }
    }

    /// Returns the old and new text, the replacements and the targets.
    pub(crate) fn into_parts(self) -> (Source, Source, TextEdit, Vec<Target>) {
        (
            self.before.source().clone(),
            self.after.source().clone(),
            self.reading.text_edit,
            self.targets,
        )
    }
}

impl<'p> Sequence<'p> {
    /// Starts with `before` and no edits.
    pub(crate) fn new(before: &'p Parsed) -> Sequence<'p> {
        Sequence {
            before,
            so_far: None,
            targets: Vec::new(),
        }
    }

    /// Returns the result of the edits so far, or `None` if there are none.
    pub(crate) fn after(&self) -> Option<&Parsed> {
        self.so_far.as_ref().map(|(_, after)| after)
    }

    /// Returns the current place of a span of the original text, unless an edit crosses one of its ends.
    pub(crate) fn place(&self, span: Span) -> Option<Span> {
        match &self.so_far {
            Some((text_edit, _)) => text_edit.map_span(span),
            None => Some(span),
        }
    }

    /// Appends edits of the current text. `places` are the number of each and the span of its target in the original text.
    ///
    /// # Errors
    /// An edit touches text that an earlier one inserted; the sequence is spoiled then.
    pub(crate) fn add(
        &mut self,
        detached: DetachedChange,
        places: impl Iterator<Item = (usize, Span)>,
    ) -> Result<(), Overlap> {
        for (earlier, target) in &mut self.targets {
            let new_span = match target.new_span.is_empty() {
                true => Some(Span::at(detached.text_edit.map(target.new_span.start()))),
                false => detached.text_edit.map_span(target.new_span),
            };
            target.new_span = new_span.ok_or(Overlap { earlier: *earlier })?;
        }
        let targets = places.zip(detached.targets);
        let targets = targets.map(|((number, span), target)| (number, Target { span, ..target }));
        self.targets.extend(targets);
        let text_edit = match &self.so_far {
            Some((so_far, _)) => so_far.then(&detached.text_edit),
            None => detached.text_edit,
        };
        self.so_far = Some((text_edit, detached.after));
        Ok(())
    }

    /// Returns the result of the edits, or `None` if there are none.
    pub(crate) fn into_after(self) -> Option<Parsed> {
        self.so_far.map(|(_, after)| after)
    }

    /// Returns all edits as one change, or `None` if there are none.
    pub(crate) fn into_change(self) -> Option<Change<'p>> {
        let (text_edit, after) = self.so_far?;
        let mut targets = self.targets;
        targets.sort_by_key(|(number, _)| *number);
        let targets = targets.into_iter().map(|(_, target)| target).collect();
        Some(Change::together(self.before, after, text_edit, targets))
    }
}

impl Target {
    /// Returns the type of the selected node; for a text, the smallest enclosing node.
    pub fn node_type(&self) -> &str {
        &self.node_type
    }

    /// Returns its span in the old text.
    pub fn span(&self) -> Span {
        self.span
    }

    /// Returns the span of the new content in the new text.
    pub fn new_span(&self) -> Span {
        self.new_span
    }
}
