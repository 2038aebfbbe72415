//! [`Edited`] to [`CheckedEdit`]: the only maker of checked edits.
//!
//! Refuses ([`Rejected`]) an edit that brings in syntax errors, changes what stands around it,
//! or whose content is a sketch of code instead of code (`design.md`, section 7). Each check
//! can be allowed to fail; then it is a note.

mod content;
mod indentation;
mod mend;
mod sections;
mod surroundings;
mod syntax;
mod values;

use crate::edit::{self, EditNote, Edited, TextEdit};
use crate::parse::{Node, Parsed};
use crate::source::Span;

pub use content::Suspicion;
pub use mend::{Mend, mend};
pub use surroundings::{Disturbance, LostSymbol};
pub use syntax::NewProblem;

/// A check that may be allowed to fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    /// New syntax errors.
    SyntaxErrors,
    /// Changes around the target.
    Surroundings,
    /// Content that looks like a sketch of code.
    SuspiciousContent,
}

/// An edit that passed every check, or whose failed checks were allowed.
#[derive(Debug)]
pub struct CheckedEdit<'p> {
    edited: Edited<'p>,
    notes: Vec<Note>,
}

/// An edit that did not pass, with what it would have done.
#[derive(Debug)]
pub struct Rejected<'p> {
    /// The edit.
    pub edited: Edited<'p>,
    /// The first check that failed, and how.
    pub failure: Failure,
}

/// How a check failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// Problems the edit brought in, in file order (`breaks_syntax`).
    Syntax(Vec<NewProblem>),
    /// What changed around the target (`changes_surroundings`).
    Surroundings(Disturbance),
    /// Why the content looks like no code (`suspicious_content`).
    Content(Suspicion),
}

impl Failure {
    /// The check that failed.
    pub fn check(&self) -> Check {
        match self {
            Failure::Syntax(_) => Check::SyntaxErrors,
            Failure::Surroundings(_) => Check::Surroundings,
            Failure::Content(_) => Check::SuspiciousContent,
        }
    }
}

/// What a preview says beside the diff.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// What the operation did beyond its text.
    Edit(EditNote),
    /// What stands in the target's place is of other types than what stood there.
    TookPlace {
        /// The type that was selected.
        was: String,
        /// The types that stand there now.
        now: Vec<String>,
    },
    /// A node around the target became one of another type.
    ParentChanged {
        /// Its type before.
        was: String,
        /// Its type now.
        now: String,
    },
    /// The text reaches over the edge of a node, and what stands round it is grouped otherwise.
    Regrouped {
        /// The type of the node round the old text.
        node_type: String,
    },
    /// A heading has another level, so that what follows it is in another section.
    HeadingLevel {
        /// Its level before, 1 being the highest.
        was: u8,
        /// Its level now.
        now: u8,
    },
    /// What follows the new content is in the section that its heading opens.
    OpensSection,
    /// The first or last line of the content also stands right before or after it.
    RepeatsNeighbour {
        /// The line, without the white space round it.
        line: String,
        /// Whether it stands before the content; else after.
        before: bool,
    },
    /// A failed check that the request allowed.
    Allowed(Failure),
}

/// Checks an edit. `allow` names the checks whose failure becomes a note.
///
/// # Errors
/// The first check that failed without being allowed.
pub fn validate<'p>(
    edited: Edited<'p>,
    allow: &[Check],
) -> Result<CheckedEdit<'p>, Box<Rejected<'p>>> {
    let (edited, failures, mut found) = checked(edited);
    let mut notes: Vec<Note> = edited.notes.iter().cloned().map(Note::Edit).collect();
    notes.append(&mut found);
    for failure in failures {
        if !allow.contains(&failure.check()) {
            return Err(Box::new(Rejected { edited, failure }));
        }
        notes.push(Note::Allowed(failure));
    }
    notes.extend(repeats(&edited));
    Ok(CheckedEdit { edited, notes })
}

impl<'p> CheckedEdit<'p> {
    /// The text and tree before the edit.
    pub fn before(&self) -> &'p Parsed {
        self.edited.selection.parsed()
    }

    /// The selected node.
    pub fn node(&self) -> Node<'p> {
        self.edited.selection.node()
    }

    /// The bytes of the selected node.
    pub fn span(&self) -> Span {
        self.edited.selection.span()
    }

    /// The new content after the edit.
    pub fn new_span(&self) -> Span {
        self.edited.new_span
    }

    /// The text and tree after the edit.
    pub fn after(&self) -> &Parsed {
        &self.edited.after
    }

    /// The change.
    pub fn text_edit(&self) -> &TextEdit {
        &self.edited.text_edit
    }

    /// The change, what it leads to, and what the preview says beside the diff.
    pub(crate) fn into_parts(self) -> (TextEdit, Parsed, Vec<Note>) {
        (self.edited.text_edit, self.edited.after, self.notes)
    }

    /// What the preview says beside the diff.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }
}

/// Runs every check. Incremental trees differ from fresh ones now and then, never where the fresh
/// one is clean (5 of 27,000 edits), so that a failure counts only on a fresh tree.
fn checked(mut edited: Edited<'_>) -> (Edited<'_>, Vec<Failure>, Vec<Note>) {
    let (mut failures, mut notes) = checks(&edited);
    let is_of_the_tree = |failure: &Failure| match failure {
        // The language's own parser never saw the tree.
        Failure::Syntax(problems) => problems.iter().any(|problem| problem.message.is_none()),
        Failure::Surroundings(_) => true,
        Failure::Content(_) => false,
    };
    if failures.iter().any(is_of_the_tree) {
        edited.after = edited.after.afresh();
        (failures, notes) = checks(&edited);
    }
    let is_regrouped = |note: &Note| matches!(note, Note::Regrouped { .. });
    if (failures.iter().any(is_of_the_tree) || notes.iter().any(is_regrouped))
        && let Some(passed) = said_otherwise(&edited)
    {
        failures.retain(|failure| !is_of_the_tree(failure));
        notes = passed;
    }
    (edited, failures, notes)
}

/// The notes on the change of a text where it passes as one of whole nodes: a text may be named so that
/// it ends in the middle of one although whole nodes come or go.
fn said_otherwise(edited: &Edited<'_>) -> Option<Vec<Note>> {
    if edited.selection.part().is_none() || edited.is_several() {
        return None;
    }
    edit::otherwise(edited).find_map(|said| {
        let mut same = said.edited;
        same.after = same.after.afresh();
        said.containers.into_iter().find_map(|container| {
            same.container = container;
            let (failures, notes) = checks(&same);
            let of_tree = |failure: &Failure| failure.check() != Check::SuspiciousContent;
            (!failures.iter().any(of_tree)).then_some(notes)
        })
    })
}

fn checks(edited: &Edited<'_>) -> (Vec<Failure>, Vec<Note>) {
    let mut failures = Vec::new();
    let mut notes = Vec::new();
    if let Some(suspicion) = content::suspicion(edited) {
        failures.push(Failure::Content(suspicion));
    }
    let is_right_alone = syntax::is_right_alone(edited);
    let new_problems = syntax::new_problems(edited, is_right_alone);
    if !new_problems.is_empty() {
        failures.push(Failure::Syntax(new_problems));
    }
    match surroundings::compare(edited, is_right_alone) {
        Ok(mut found) => {
            notes.append(&mut found);
            let changed = values::changed(edited);
            let of = |span| Failure::Surroundings(Disturbance::at(edited, span));
            failures.extend(changed.map(of));
        }
        Err(disturbance) => failures.push(Failure::Surroundings(disturbance)),
    }
    (failures, notes)
}

/// Lines of the content that stand right beside it a second time: often a signature too many.
fn repeats(edited: &Edited<'_>) -> Vec<Note> {
    let before = edited.selection.parsed().source();
    let span = edited.text_edit.hull();
    let content = edited.after.source().slice(edited.new_span);
    let words = |line: &str| {
        let line = line.trim();
        line.contains(char::is_alphanumeric)
            .then(|| line.to_string())
    };
    let line = |number: usize| {
        before
            .line_span(number)
            .and_then(|span| words(&before.slice(span)))
    };
    let first = before.line_of(span.start());
    let starts_line = before.line_span(first).is_some_and(|line| {
        let ahead = before.slice(Span::new(line.start().min(span.start()), span.start()));
        ahead.trim().is_empty()
    });
    // Of a target in the middle of a line, that line is the one before.
    let line_before = line(if starts_line {
        first.saturating_sub(1)
    } else {
        first
    });
    let line_after = line(before.line_of(span.end()) + 1);
    let mut notes = Vec::new();
    let mut push = |own: Option<String>, other: Option<String>, is_before: bool| {
        if let (Some(own), Some(other)) = (own, other)
            && own == other
        {
            notes.push(Note::RepeatsNeighbour {
                line: own,
                before: is_before,
            });
        }
    };
    let many = content.contains('\n');
    push(content.lines().take(2).find_map(words), line_before, true);
    push(
        content.lines().next_back().filter(|_| many).and_then(words),
        line_after,
        false,
    );
    notes
}
