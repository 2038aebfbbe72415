//! Everything between a request and the disk: selects, edits, checks and previews each of the
//! edits it consists of, file by file.

use std::borrow::Cow;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::diagnostic::{self, Attempt, Call, Code, Diagnostic, Pointing};
use crate::edit::{self, Operation, several};
use crate::parse::{Node, Parsed};
use crate::preview::{Draft, Drafted, Overlap, Preview};
use crate::select::{self, Selection, Selector};
use crate::validate::{Check, CheckedEdit, Failure, Note, validate};

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
            Stopped::Clash(one, other) => clash(parsed, entries, own[one], own[other]),
            Stopped::Refused(step, diagnostic) => {
                refused(own[step].edit, alone(own[step], allow, diagnostic))
            }
        })?;
        for (step, said) in made.notes {
            notes[own[step].edit].extend(said);
        }
        previews.extend(made.draft.finish());
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
    let preview = Preview::of(previews);
    let changed = |file: &crate::preview::FilePreview| {
        file.facts().digest_before != file.facts().digest_after
    };
    match preview.files().iter().any(changed) {
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
            passes: &|_| false,
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

/// Why edits of one file are not made.
enum Stopped {
    /// Two of the steps take the same text.
    Clash(usize, usize),
    /// One of them is refused, of the text that those before it lead to.
    Refused(usize, Diagnostic),
}

/// The steps of one file, made, and what there is to say of each in the order they were made in.
struct Made {
    draft: Draft,
    notes: Vec<(usize, Vec<String>)>,
}

/// How often the order of the steps of one file is changed, at most.
const TURNS: usize = 8;

/// Makes the steps of one file one after the other, in the order that they want. What moves comes
/// before it goes, so that the place is seen with all that stands round it. Where the text between
/// two steps cannot be, as with a key that is there twice, it goes before it comes, and what is
/// replaced is replaced last.
fn made(parsed: &Parsed, steps: &[&Step<'_, '_>], allow: &[Check]) -> Result<Made, Stopped> {
    let aims: Vec<(&Selection<'_>, &Operation)> = steps
        .iter()
        .map(|step| (&step.selection, step.operation.as_ref()))
        .collect();
    let first = several::order(&aims).map_err(|clash| Stopped::Clash(clash.first, clash.second))?;
    let mut order = first.clone();
    let mut turned = Vec::new();
    let mut refused = None;
    loop {
        let stopped = match made_in_order(parsed, steps, &order, allow, &[]) {
            Ok(made) => return Ok(made),
            Err(stopped) => stopped,
        };
        let place = match stopped {
            Stopped::Refused(place, _) if turned.len() < TURNS => Some(place),
            _ => None,
        };
        let place = place.filter(|place| !turned.contains(place));
        let other = place.and_then(|place| in_another_order(steps, &order, place));
        let (Some(place), Some(other)) = (place, other) else {
            let refused = refused.unwrap_or(stopped);
            return made_as_one(parsed, steps, &first, allow, &refused).ok_or(refused);
        };
        turned.push(place);
        order = other;
        refused.get_or_insert(stopped);
    }
}

/// Makes the steps of one file where the texts between them cannot be, but that which all of them lead
/// to can, because one mends what another breaks: of replaced texts that each alone break the syntax, all
/// that they come to together is checked, and then what all steps come to. Nothing where that cannot be
/// either.
fn made_as_one(
    parsed: &Parsed,
    steps: &[&Step<'_, '_>],
    order: &[usize],
    allow: &[Check],
    refused: &Stopped,
) -> Option<Made> {
    if steps.len() < 2 || !matches!(refused, Stopped::Refused(..)) {
        return None;
    }
    // One that passes alone excuses nothing, and what another one could mend is syntax.
    let mut broken = Vec::new();
    let mut sound = Vec::new();
    for &place in order {
        let step = steps[place];
        let is_text = matches!(step.operation.as_ref(), Operation::ReplaceText { .. });
        match checked(step.selection.clone(), step, allow) {
            Ok(_) => sound.push(place),
            Err(refused) if is_text && refused.code == Code::BreaksSyntax => broken.push(place),
            Err(_) => return None,
        }
    }
    if broken.len() < 2 {
        return None;
    }
    let together = made_in_order(parsed, steps, &broken, allow, &broken).ok()?;
    validate(edit::as_one(parsed, together.draft.so_far()?), allow).ok()?;
    if sound.is_empty() {
        return Some(together);
    }
    let all = [sound, broken.clone()].concat();
    let made = made_in_order(parsed, steps, &all, allow, &broken).ok()?;
    validate(edit::as_one(parsed, made.draft.so_far()?), allow).ok()?;
    Some(made)
}

/// Another order for steps of which the one at `place` is refused; insertions keep theirs.
fn in_another_order(steps: &[&Step<'_, '_>], order: &[usize], place: usize) -> Option<Vec<usize>> {
    let step = steps[place];
    let is_leaving = |one: &&Step<'_, '_>| one.edit == step.edit && !one.is_arrival;
    let (taken, before) = match step.operation.as_ref() {
        Operation::Insert { .. } if step.is_arrival => {
            (steps.iter().position(is_leaving)?, Some(place))
        }
        Operation::Replace { .. } | Operation::ReplaceText { .. } | Operation::Wrap { .. } => {
            (place, None)
        }
        Operation::Insert { .. } | Operation::Delete => return None,
    };
    let mut other: Vec<usize> = order.iter().copied().filter(|one| *one != taken).collect();
    let at = before.and_then(|before| other.iter().position(|one| *one == before));
    other.insert(at.unwrap_or(other.len()), taken);
    (other != order).then_some(other)
}

/// Makes the steps of one file one after the other. What those in `excused` lead to is checked by the
/// caller, and nothing is said of it.
fn made_in_order(
    parsed: &Parsed,
    steps: &[&Step<'_, '_>],
    order: &[usize],
    allow: &[Check],
    excused: &[usize],
) -> Result<Made, Stopped> {
    const OF_THE_TREE: [Check; 2] = [Check::SyntaxErrors, Check::Surroundings];
    let with_tree: Vec<Check> = allow.iter().chain(&OF_THE_TREE).copied().collect();
    let mut notes = Vec::new();
    let mut draft = Draft::new(parsed.source());
    let mut before = None;
    for &place in order {
        let (step, first) = (steps[place], &steps[place].selection);
        let is_excused = excused.contains(&place);
        let allowed = if is_excused { &with_tree } else { allow };
        let drafted = {
            let selection = match draft.current() {
                None => Some(first.clone()),
                Some(current) => draft
                    .place(first.span())
                    .and_then(|span| select::again(current, span, first)),
            };
            // What stands there now is of another edit.
            let clash = || Stopped::Clash(before.unwrap_or(place), place);
            let checked = checked(selection.ok_or_else(clash)?, step, allowed)
                .map_err(|refused| Stopped::Refused(place, refused))?;
            let became = step.is_arrival.then(|| became(step.node_type, &checked));
            let (drafted, told) = Drafted::of(checked);
            // What moves is in the file already.
            let is_told = |one: &&Note| match one {
                Note::Allowed(Failure::Content(_)) => !step.is_arrival,
                Note::Allowed(failure) => !is_excused || allow.contains(&failure.check()),
                _ => true,
            };
            let became = became.flatten();
            let said = told.iter().filter(is_told).chain(&became);
            let said = said.map(|one| {
                let words = diagnostic::note_text(&step.operation, one);
                match step.is_arrival {
                    true => diagnostic::of_move(&words),
                    false => words,
                }
            });
            notes.push((place, said.collect()));
            drafted
        };
        draft
            .add(drafted, first.span(), place)
            .map_err(|Overlap { earlier }| Stopped::Clash(earlier, place))?;
        before = Some(place);
    }
    Ok(Made { draft, notes })
}

/// What to say of what moves where it is no such node as it was: a declarator without its `let`.
fn became(was: &str, arrived: &CheckedEdit<'_>) -> Option<Note> {
    let (after, new) = (arrived.after(), arrived.new_span());
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

/// Why a step is refused: of the text as it is, where it is refused there too. Places in the text
/// that other edits lead to would be nobody's.
fn alone(step: &Step<'_, '_>, allow: &[Check], refused: Diagnostic) -> Diagnostic {
    match checked(step.selection.clone(), step, allow) {
        Err(alone) => alone,
        Ok(_) => Diagnostic {
            suggestions: Vec::new(),
            help: Some("it passes alone, but not after the other edits of the call".to_string()),
            ..refused
        },
    }
}

fn checked<'p>(
    selection: Selection<'p>,
    step: &Step<'_, '_>,
    allow: &[Check],
) -> Result<CheckedEdit<'p>, Diagnostic> {
    let operation = step.operation.as_ref();
    let mut allow = allow.to_vec();
    allow.extend(step.is_arrival.then_some(Check::SuspiciousContent));
    let passes = |selection: Selection<'_>| {
        edit::edit(selection, operation).is_ok_and(|edited| validate(edited, &allow).is_ok())
    };
    let attempt = Attempt {
        selection: &selection,
        selector: step.selector,
        operation,
        passes: &passes,
    };
    let made = match edit::edit(selection.clone(), operation) {
        Ok(edited) => validate(edited, &allow)
            .map_err(|rejected| diagnostic::about_rejected(&attempt, &rejected)),
        Err(error) => Err(diagnostic::about_edit(&attempt, &error)),
    };
    made.map_err(|refused| match step.is_arrival {
        true => refused.of_destination(),
        false => refused,
    })
}
