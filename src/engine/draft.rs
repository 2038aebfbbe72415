//! Everything between a request and the disk: selects, edits, checks and previews each of the
//! edits it consists of, file by file.

use std::borrow::Cow;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::diagnostic::{self, Attempt, Call, Diagnostic, Pointing};
use crate::edit::{self, Operation};
use crate::parse::{Node, Parsed};
use crate::preview::{self, Preview};
use crate::select::{self, Selection, Selector};
use crate::source::Span;
use crate::validate::several::{self, Edit, EditFailure, Made, Moved, Stopped, several};
use crate::validate::{self, Check, Checked, Note};

use super::request::{Action, Entry};
use super::response::EditAction;

/// A preview, and what the targets of each of its files are to the request.
pub(super) struct Drawn {
    pub(super) preview: Preview,
    pub(super) shares: Vec<Vec<Share>>,
    pub(super) notes: Vec<String>,
}

/// Which edit of a request a target is of, and what is done with it.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Share {
    /// The number of the edit.
    pub(super) edit: usize,
    pub(super) action: EditAction,
}

/// The files that a request edits, and which of them each of its aims is of.
pub(super) struct Files<'f> {
    pub(super) parsed: &'f [Arc<Parsed>],
    /// For each edit that of its target, and of where it goes if it moves.
    pub(super) of_aims: &'f [Vec<usize>],
}

/// One operation on one place. A move is two: an insertion there and a deletion here.
struct Step<'p, 'e> {
    /// The number of the edit it is of.
    edit: usize,
    file: usize,
    selection: Selection<'p>,
    selector: &'e Selector,
    operation: Cow<'e, Operation>,
    /// Whether it puts in what moves.
    is_arrival: bool,
    /// The type of the node it is about, or which moves.
    node_type: &'p str,
    action: EditAction,
}

/// Previews the edits of all files.
///
/// # Errors
/// The first edit that is refused. None of them may take what another one takes.
pub(super) fn draw(
    files: &Files<'_>,
    entries: &[Entry],
    allow: &[Check],
) -> Result<Drawn, Diagnostic> {
    // A call that is proposed must also fit in with the other edits.
    let refused = |edit: usize, mut refused: Diagnostic| {
        let is_alone = entries.len() == 1 && matches!(entries[0].action, Action::Edit(_));
        let fits = |call: &Call| is_alone || fits(files, entries, allow, edit, call);
        refused.suggestions.retain(|one| fits(&one.call));
        match entries[edit].index {
            Some(index) => refused.of_edit(index),
            None => refused,
        }
    };
    let mut steps = Vec::new();
    for (edit, entry) in entries.iter().enumerate() {
        let own = steps_of(files, edit, entry).map_err(|diagnostic| refused(edit, diagnostic));
        steps.extend(own?);
    }
    let mut previews = Vec::new();
    let mut shares = Vec::new();
    let mut notes: Vec<Vec<String>> = entries.iter().map(|_| Vec::new()).collect();
    for (file, parsed) in files.parsed.iter().enumerate() {
        let own: Vec<&Step<'_, '_>> = steps.iter().filter(|step| step.file == file).collect();
        let made = made(parsed, &own, allow).map_err(|stopped| match stopped {
            Stopped::Nothing => diagnostic::about_nothing_done(),
            Stopped::Clash(one, other) => clash(parsed, entries, own[one], own[other]),
            Stopped::Refused { edit, why } => {
                let selection = &own[edit].selection;
                refused(own[edit].edit, about(own[edit], selection, &why, allow))
            }
            Stopped::AfterOthers { edit, text, span } => {
                refused(own[edit].edit, after_others(own[edit], &text, span, allow))
            }
        })?;
        for (number, said) in made.notes() {
            let step = own[*number];
            let arrived = step
                .is_arrival
                .then(|| became(step, made.checked(), *number));
            let became = arrived.flatten();
            let words = said.iter().chain(&became).map(|note| step.words(note));
            notes[step.edit].extend(words);
        }
        let (preview, _) = preview::preview(made.into_checked());
        previews.push(preview);
        let share = |step: &&Step<'_, '_>| Share {
            edit: step.edit,
            action: step.action,
        };
        shares.push(own.iter().map(share).collect());
    }
    let notes = entries.iter().zip(notes).flat_map(|(entry, notes)| {
        let notes = notes.into_iter();
        notes.map(|note| match entry.index {
            Some(index) => format!("edits[{index}]: {note}"),
            None => note,
        })
    });
    let preview = Preview::of(previews).expect("each file is there once");
    let files = preview.files();
    match files.iter().any(|file| file.record().is_change()) {
        true => Ok(Drawn {
            preview,
            shares,
            notes: notes.collect(),
        }),
        false => Err(diagnostic::about_nothing_done()),
    }
}

/// What one edit does, step by step.
fn steps_of<'p, 'e>(
    files: &Files<'p>,
    edit: usize,
    entry: &'e Entry,
) -> Result<Vec<Step<'p, 'e>>, Diagnostic> {
    let file = files.of_aims[edit][0];
    let parsed: &'p Parsed = &files.parsed[file];
    let selector = &entry.aim.selector;
    let (operation, to) = match &entry.action {
        Action::Edit(operation) => (Cow::Borrowed(operation), None),
        Action::Move {
            to,
            position,
            indent,
        } => (
            Cow::Owned(Operation::Delete),
            Some((to, *position, *indent)),
        ),
    };
    let selected = match entry.expected {
        Some(expected) => select::select_all(parsed, selector, expected),
        None => select::select(parsed, selector).map(|selection| vec![selection]),
    };
    let selected = selected.map_err(|error| {
        diagnostic::about_select(parsed, selector, &error, Pointing::Edit(&operation))
    })?;
    let Some((to, position, indent)) = to else {
        let action = EditAction::of(&operation);
        let step = |selection: Selection<'p>| Step {
            edit,
            file,
            node_type: selection.node().kind(),
            selection,
            selector,
            operation: operation.clone(),
            is_arrival: false,
            action,
        };
        return Ok(selected.into_iter().map(step).collect());
    };
    let selection = selected.into_iter().next().expect("one is selected");
    let leaving = Step {
        edit,
        file,
        node_type: selection.node().kind(),
        selection,
        selector,
        operation,
        is_arrival: false,
        action: EditAction::Move,
    };
    edit::check_editable(&leaving.selection).map_err(|error| {
        let attempt = Attempt {
            selection: &leaving.selection,
            selector,
            operation: &leaving.operation,
            passes: &|_| None,
        };
        diagnostic::about_edit(&attempt, &error)
    })?;
    let mut arriving = Operation::Insert {
        position,
        new_content: parsed.source().slice(leaving.selection.span()).into_owned(),
        indent,
    };
    let file = files.of_aims[edit][1];
    let parsed: &'p Parsed = &files.parsed[file];
    let selection = select::select(parsed, &to.selector).map_err(|error| {
        let pointing = Pointing::Edit(&arriving);
        let refused = diagnostic::about_select(parsed, &to.selector, &error, pointing);
        refused.of_destination()
    })?;
    if let Operation::Insert { new_content, .. } = &mut arriving {
        *new_content = edit::moving(&leaving.selection, &selection, position);
    }
    let arriving = Step {
        edit,
        file,
        node_type: leaving.node_type,
        selection,
        selector: &to.selector,
        action: EditAction::of(&arriving).of_move(),
        operation: Cow::Owned(arriving),
        is_arrival: true,
    };
    Ok(vec![leaving, arriving])
}

impl Step<'_, '_> {
    /// Returns the checks that may fail: moved text is not checked for being a sketch of code.
    fn allows(&self, allow: &[Check]) -> Vec<Check> {
        let own = self.is_arrival.then_some(Check::SuspiciousContent);
        allow.iter().copied().chain(own).collect()
    }

    /// Returns the text of a note on this step.
    fn words(&self, note: &Note) -> String {
        let words = diagnostic::note_text(&self.operation, note);
        match self.is_arrival {
            true => diagnostic::of_move(&words),
            false => words,
        }
    }
}

/// Applies and checks the steps of one file.
fn made<'p>(
    parsed: &'p Parsed,
    steps: &[&Step<'p, '_>],
    allow: &[Check],
) -> Result<Made<'p>, Stopped<'p>> {
    let mut edits: Vec<Edit<'_, 'p>> = Vec::new();
    for step in steps {
        let is_leaving = |one: &&Step<'_, '_>| one.edit == step.edit && !one.is_arrival;
        let here = steps.iter().position(is_leaving).map(Moved::Here);
        edits.push(Edit {
            selection: step.selection.clone(),
            operation: &step.operation,
            moved: step.is_arrival.then(|| here.unwrap_or(Moved::Elsewhere)),
        });
    }
    several(parsed, &edits, allow)
}

/// What to say of what moves where it is no such node as it was: a declarator without its `let`.
fn became(step: &Step<'_, '_>, made: &Checked<'_>, number: usize) -> Option<Note> {
    let was = step.node_type;
    let (after, new) = (made.after(), made.targets().get(number)?.new_span());
    let is_in = |node: &Node<'_>| new.start() <= node.span().start();
    let chain = after.chain(new);
    // Several nodes may be of the same bytes.
    let round = chain.iter().find(|node| is_in(node));
    let mut outermost = None;
    let mut cursor = after.walk(*round.or(chain.last())?);
    loop {
        let node = cursor.node();
        let is_own = node.is_named() && is_in(&node) && node.span().start() < new.end();
        if is_own && node.kind() == was {
            return None;
        }
        let tells = is_own && node.attached().is_none() && !node.is_word("comment", None);
        outermost = outermost.or(tells.then(|| node.kind().to_string()));
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return Some(Note::TookPlace {
                    was: was.to_string(),
                    now: outermost.into_iter().collect(),
                });
            }
        }
    }
}

fn clash(
    parsed: &Parsed,
    entries: &[Entry],
    one: &Step<'_, '_>,
    other: &Step<'_, '_>,
) -> Diagnostic {
    let line = |step: &Step<'_, '_>| parsed.source().line_of(step.selection.span().start());
    let (first, second) = match one.edit <= other.edit {
        true => (one, other),
        false => (other, one),
    };
    let lines = (line(first), line(second));
    let index = |step: &Step<'_, '_>| entries[step.edit].index;
    if first.edit == second.edit {
        let refused = match entries[first.edit].action {
            Action::Move { .. } => diagnostic::about_move_into_itself(lines),
            Action::Edit(_) => diagnostic::about_matches_clash(lines),
        };
        return match index(first) {
            Some(index) => refused.of_edit(index),
            None => refused,
        };
    }
    let number = |step: &Step<'_, '_>| index(step).unwrap_or_default();
    diagnostic::about_clash((number(first), number(second)), lines)
}

/// Whether an edit can be made beside the others where a proposed call has it.
fn fits(files: &Files<'_>, entries: &[Entry], allow: &[Check], edit: usize, call: &Call) -> bool {
    let mut entries = entries.to_vec();
    match (call, &mut entries[edit]) {
        (Call::Select(selector), entry) => entry.aim.selector = selector.clone(),
        (Call::SelectDestination(selector), entry) => {
            if let Action::Move { to, .. } = &mut entry.action {
                to.selector = selector.clone();
            }
        }
        _ => return true,
    }
    // Those that do not select are refused one after the other.
    let steps = entries.iter().enumerate();
    let steps: Vec<Step<'_, '_>> = steps
        .filter_map(|(edit, entry)| steps_of(files, edit, entry).ok())
        .flatten()
        .collect();
    files.of_aims[edit].iter().all(|&file| {
        let own: Vec<&Step<'_, '_>> = steps.iter().filter(|step| step.file == file).collect();
        let made = made(&files.parsed[file], &own, allow);
        !matches!(made, Err(Stopped::Clash(..)))
    })
}

/// Explains why a step is refused for `selection`.
fn about(
    step: &Step<'_, '_>,
    selection: &Selection<'_>,
    why: &EditFailure<'_>,
    allow: &[Check],
) -> Diagnostic {
    let allow = step.allows(allow);
    let passes = |selection: Selection<'_>| {
        let change = edit::edit(selection, &step.operation).ok()?;
        Some(validate::passes(&change, &allow))
    };
    let attempt = Attempt {
        selection,
        selector: step.selector,
        operation: &step.operation,
        passes: &passes,
    };
    let refused = match why {
        EditFailure::Edit(error) => diagnostic::about_edit(&attempt, error),
        EditFailure::Rejected(rejected) => diagnostic::about_rejected(&attempt, rejected),
    };
    match step.is_arrival {
        true => refused.of_destination(),
        false => refused,
    }
}

/// Explains why a step fails after the others although it passes alone. Suggests nothing, since the caller does not know
/// the intermediate text.
fn after_others(step: &Step<'_, '_>, text: &Parsed, span: Span, allow: &[Check]) -> Diagnostic {
    const HELP: &str = "it passes alone, but not after the other edits of the call";
    let refused = select::again(text, span, &step.selection).and_then(|selection| {
        let made = several::one(selection.clone(), &step.operation, &step.allows(allow));
        let why = made.err()?;
        Some(about(step, &selection, &why, allow))
    });
    let refused = refused.unwrap_or_else(diagnostic::about_nothing_done);
    Diagnostic {
        suggestions: Vec::new(),
        help: Some(HELP.to_string()),
        ..refused
    }
}
