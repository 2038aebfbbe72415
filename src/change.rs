//! What edits of one file come to: [`Change`], the text before and after them, both trees, the text edit that leads
//! from one to the other, and the targets. One edit and many are the same type.
//!
//! Its fields are private: `edit` makes a change of a selection and an operation, and no other code can give it
//! another text than the one its tree was parsed from. Whether it is sound is decided in `validate`, which looks at
//! it as one or more [`Reading`]s: the same two trees, and what is taken for the place that changed.

mod reading;
mod text_edit;

use crate::parse::{Node, Parsed};
use crate::select::Selection;
use crate::source::{Source, Span};

pub(crate) use reading::Reading;
pub use text_edit::{NotAnEdit, Replacement, TextEdit};

/// One or several edits of one text, carried out on text and tree, not checked yet.
#[derive(Debug)]
pub struct Change<'p> {
    before: &'p Parsed,
    after: Parsed,
    reading: Reading<'p>,
    targets: Vec<Target>,
    notes: Vec<EditNote>,
}

/// What one edit of a change was made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    pub(crate) node_type: String,
    pub(crate) span: Span,
    pub(crate) new_span: Span,
}

/// A change of a text that another change leads to, without that text.
#[derive(Debug)]
pub(crate) struct Step {
    text_edit: TextEdit,
    after: Parsed,
    target: Target,
}

/// An edit changes what an earlier one put in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it changes what edit {earlier} put in")]
pub struct Overlap {
    /// The place of the earlier one among the targets.
    pub earlier: usize,
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

impl<'p> Change<'p> {
    /// Carries out the text edit of `reading`.
    pub(crate) fn of(reading: Reading<'p>, notes: Vec<EditNote>) -> Change<'p> {
        let before = reading.selection.parsed();
        let text_edit = &reading.text_edit;
        let after = before.reparse(text_edit.apply(before.source()), &text_edit.lengths());
        Change::made(reading, after, notes)
    }

    /// Carries out a text edit that has no one target: what a language server would change.
    pub(crate) fn of_texts(before: &'p Parsed, text_edit: TextEdit) -> Change<'p> {
        Change::of(Reading::of_whole(before, text_edit), Vec::new())
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
        }
    }

    /// The text and tree before.
    pub fn before(&self) -> &'p Parsed {
        self.before
    }

    /// The text and tree after.
    pub fn after(&self) -> &Parsed {
        &self.after
    }

    /// What leads from one to the other.
    pub fn text_edit(&self) -> &TextEdit {
        &self.reading.text_edit
    }

    /// What was selected; of several edits all from the first to the last.
    pub fn selection(&self) -> &Selection<'p> {
        &self.reading.selection
    }

    /// The new content after the edit, without what else changed; of a deletion the place (empty) where the node
    /// was; of several edits all from the first to the last.
    pub fn new_span(&self) -> Span {
        self.reading.new_span
    }

    /// What each edit was made of; at least one.
    pub fn targets(&self) -> &[Target] {
        &self.targets
    }

    /// What was done beyond the text as it was given.
    pub fn notes(&self) -> &[EditNote] {
        &self.notes
    }

    /// The nodes from the root down to the one among whose children the edit is made.
    pub(crate) fn container(&self) -> &[Node<'p>] {
        &self.reading.container
    }

    pub(crate) fn reading(&self) -> &Reading<'p> {
        &self.reading
    }

    /// The same with other notes.
    pub(crate) fn with_notes(self, notes: Vec<EditNote>) -> Change<'p> {
        Change { notes, ..self }
    }

    /// The same, its text after parsed without the help of the tree before.
    pub(crate) fn afresh(self) -> Change<'p> {
        Change {
            after: self.after.afresh(),
            ..self
        }
    }

    /// The text and tree after, alone.
    pub(crate) fn into_after(self) -> Parsed {
        self.after
    }

    /// The change alone, to be added to those that lead to the text it is of.
    pub(crate) fn into_step(self) -> Step {
        let target = self.targets.into_iter().next();
        Step {
            text_edit: self.reading.text_edit,
            after: self.after,
            target: target.expect("a change has a target"),
        }
    }

    /// The first of several edits: a change of `before` whose target is at `span`.
    pub(crate) fn begun(before: &'p Parsed, step: Step, span: Span) -> Change<'p> {
        Change {
            before,
            after: step.after,
            reading: Reading::of_whole(before, step.text_edit),
            targets: vec![Target {
                span,
                ..step.target
            }],
            notes: Vec::new(),
        }
    }

    /// This change, and then one of the text after it, whose target is at `span` in the text before and comes `at`
    /// this place among the targets.
    ///
    /// # Errors
    /// It changes what an earlier one put in.
    pub(crate) fn then(self, step: Step, span: Span, at: usize) -> Result<Change<'p>, Overlap> {
        let mut targets = Vec::new();
        for (earlier, target) in self.targets.into_iter().enumerate() {
            let new_span = match target.new_span.is_empty() {
                true => Some(Span::at(step.text_edit.map(target.new_span.start()))),
                false => step.text_edit.map_span(target.new_span),
            };
            let new_span = new_span.ok_or(Overlap { earlier })?;
            targets.push(Target { new_span, ..target });
        }
        let target = Target {
            span,
            ..step.target
        };
        targets.insert(at, target);
        let text_edit = self.reading.text_edit.then(&step.text_edit);
        Ok(Change {
            before: self.before,
            after: step.after,
            reading: Reading::of_whole(self.before, text_edit),
            targets,
            notes: Vec::new(),
        })
    }

    /// The texts, what leads from one to the other, and the targets.
    pub(crate) fn into_parts(self) -> (Source, Source, TextEdit, Vec<Target>) {
        (
            self.before.source().clone(),
            self.after.source().clone(),
            self.reading.text_edit,
            self.targets,
        )
    }
}

impl Target {
    /// The type of the selected node; of a text the smallest node round it.
    pub fn node_type(&self) -> &str {
        &self.node_type
    }

    /// Its bytes, before.
    pub fn span(&self) -> Span {
        self.span
    }

    /// The bytes of what stands there afterwards.
    pub fn new_span(&self) -> Span {
        self.new_span
    }
}
