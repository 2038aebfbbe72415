//! Everything between a request and the disk: selects, edits, checks and previews each of the
//! edits it consists of, file by file.

use std::sync::Arc;

use crate::diagnostic::{self, Attempt, Call, Diagnostic, Pointing};
use crate::edit::{self, Operation, several};
use crate::parse::Parsed;
use crate::preview::{Draft, Drafted, Overlap, Preview};
use crate::select::{self, Selection};
use crate::validate::{Check, CheckedEdit, validate};

use super::request::Entry;

/// A preview, and the edits of each of its files by their numbers in the request.
pub(super) struct Drawn {
    pub(super) preview: Preview,
    pub(super) entries: Vec<Vec<usize>>,
    pub(super) notes: Vec<String>,
}

/// Previews the edits of all files; `file_of` says for each edit which of `files` it is of.
///
/// # Errors
/// The first edit that is refused. None of them may take what another one takes.
pub(super) fn draw(
    files: &[Arc<Parsed>],
    file_of: &[usize],
    entries: &[Entry],
    allow: &[Check],
) -> Result<Drawn, Diagnostic> {
    let mut previews = Vec::new();
    let mut entries_of = Vec::new();
    let mut notes: Vec<Vec<String>> = entries.iter().map(|_| Vec::new()).collect();
    for (file, parsed) in files.iter().enumerate() {
        let own: Vec<usize> = (0..entries.len())
            .filter(|number| file_of[*number] == file)
            .collect();
        let own_entries: Vec<&Entry> = own.iter().map(|number| &entries[*number]).collect();
        let draft = drawn_file(parsed, &own_entries, allow, |place, said| {
            notes[own[place]] = said;
        })?;
        previews.extend(draft.finish());
        entries_of.push(own);
    }
    let notes = entries.iter().zip(notes).flat_map(|(entry, notes)| {
        let notes = notes.into_iter();
        notes.map(|note| match entry.index {
            Some(index) => format!("edits[{index}]: {note}"),
            None => note,
        })
    });
    Ok(Drawn {
        preview: Preview::of(previews),
        entries: entries_of,
        notes: notes.collect(),
    })
}

/// Previews the edits of one file; `note` is told what there is to say of each.
fn drawn_file(
    parsed: &Parsed,
    entries: &[&Entry],
    allow: &[Check],
    note: impl FnMut(usize, Vec<String>),
) -> Result<Draft, Diagnostic> {
    // A call that is proposed must also fit in with the other edits.
    let refused = |place: usize, mut refused: Diagnostic| {
        let fits = |call: &Call| entries.len() == 1 || fits(parsed, entries, allow, place, call);
        refused.suggestions.retain(|one| fits(&one.call));
        of_entry(entries[place], refused)
    };
    let mut selections: Vec<Selection<'_>> = Vec::new();
    for (place, entry) in entries.iter().enumerate() {
        let selection = select::select(parsed, &entry.selector).map_err(|error| {
            let pointing = Pointing::Edit(&entry.operation);
            let about = diagnostic::about_select(parsed, &entry.selector, &error, pointing);
            refused(place, about)
        });
        selections.push(selection?);
    }
    made_in_order(parsed, entries, &selections, allow, note).map_err(|stopped| match stopped {
        Stopped::Clash(one, other) => {
            let places = (one.min(other), one.max(other));
            let number = |place: usize| entries[place].index.unwrap_or_default();
            let line = |place: usize| parsed.source().line_of(selections[place].span().start());
            diagnostic::about_clash(
                (number(places.0), number(places.1)),
                (line(places.0), line(places.1)),
            )
        }
        Stopped::Refused(place, diagnostic) => {
            let alone = alone(&selections[place], entries[place], allow, diagnostic);
            refused(place, alone)
        }
    })
}

/// Why edits of one file are not made.
enum Stopped {
    /// Two of them take the same text.
    Clash(usize, usize),
    /// One of them is refused, of the text that those before it lead to.
    Refused(usize, Diagnostic),
}

/// Makes the edits one after the other, in the order that they want.
fn made_in_order(
    parsed: &Parsed,
    entries: &[&Entry],
    selections: &[Selection<'_>],
    allow: &[Check],
    mut note: impl FnMut(usize, Vec<String>),
) -> Result<Draft, Stopped> {
    let aims: Vec<(&Selection<'_>, &Operation)> = selections
        .iter()
        .zip(entries)
        .map(|(selection, entry)| (selection, &entry.operation))
        .collect();
    let order = several::order(&aims).map_err(|clash| Stopped::Clash(clash.first, clash.second))?;
    let mut draft = Draft::new(parsed.source());
    let mut before = None;
    for place in order {
        let (entry, first) = (entries[place], &selections[place]);
        let drafted = {
            let selection = match draft.current() {
                None => Some(first.clone()),
                Some(current) => draft
                    .place(first.span())
                    .and_then(|span| select::at(current, span, first.node().kind())),
            };
            // What stands there now is of another edit.
            let clash = || Stopped::Clash(before.unwrap_or(place), place);
            let checked = checked(selection.ok_or_else(clash)?, entry, allow)
                .map_err(|refused| Stopped::Refused(place, refused))?;
            let (drafted, notes) = Drafted::of(checked);
            let said = notes.iter();
            let said = said.map(|one| diagnostic::note_text(&entry.operation, one));
            note(place, said.collect());
            drafted
        };
        draft
            .add(drafted, first.span(), place)
            .map_err(|Overlap { earlier }| Stopped::Clash(earlier, place))?;
        before = Some(place);
    }
    Ok(draft)
}

/// Whether an edit can be made beside the others where a proposed call has it.
fn fits(parsed: &Parsed, entries: &[&Entry], allow: &[Check], place: usize, call: &Call) -> bool {
    let Call::Select(selector) = call else {
        return true;
    };
    // Those that do not select are refused one after the other.
    let selected = entries.iter().enumerate().filter_map(|(other, entry)| {
        let selector = match other == place {
            true => selector,
            false => &entry.selector,
        };
        Some((*entry, select::select(parsed, selector).ok()?))
    });
    let (entries, selections): (Vec<&Entry>, Vec<Selection<'_>>) = selected.unzip();
    let made = made_in_order(parsed, &entries, &selections, allow, |_, _| ());
    !matches!(made, Err(Stopped::Clash(..)))
}

/// Why an edit is refused: of the text as it is, where it is refused there too. Places in the text
/// that other edits lead to would be nobody's.
fn alone(first: &Selection<'_>, entry: &Entry, allow: &[Check], refused: Diagnostic) -> Diagnostic {
    match checked(first.clone(), entry, allow) {
        Err(alone) => alone,
        Ok(_) => Diagnostic {
            suggestions: Vec::new(),
            help: Some("it passes alone, but not after the other edits of the call".to_string()),
            ..refused
        },
    }
}

fn of_entry(entry: &Entry, diagnostic: Diagnostic) -> Diagnostic {
    match entry.index {
        Some(index) => diagnostic.of_edit(index),
        None => diagnostic,
    }
}

fn checked<'p>(
    selection: Selection<'p>,
    entry: &Entry,
    allow: &[Check],
) -> Result<CheckedEdit<'p>, Diagnostic> {
    let operation = &entry.operation;
    let passes = |selection: Selection<'_>| {
        edit::edit(selection, operation).is_ok_and(|edited| validate(edited, allow).is_ok())
    };
    let attempt = Attempt {
        selection: &selection,
        selector: &entry.selector,
        operation,
        passes: &passes,
    };
    let edited = edit::edit(selection.clone(), operation)
        .map_err(|error| diagnostic::about_edit(&attempt, &error))?;
    validate(edited, allow).map_err(|rejected| diagnostic::about_rejected(&attempt, &rejected))
}
