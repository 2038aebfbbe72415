//! Lists, shows, applies and discards the edits that the user chooses: by id, by file, or all.
//!
//! Several edits are applied one after the other, the oldest first. Each is a transaction of its
//! own: if one is refused, the others are still applied.

use std::collections::HashSet;
use std::process::ExitCode;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use treegraft::diagnostic::ExitStatus;
use treegraft::engine::request::{ApplyEdit, DiscardEdit};
use treegraft::engine::response::AnyAnswer;
use treegraft::engine::response::{
    Answer, CallText, EditList, EditListed, EditStatus, RefusedCall,
};
use treegraft::engine::{EditFilter, Engine};

use super::args::{ApplyVerb, ChosenEdits, DiscardVerb, ListVerb};
use super::interactive;
use super::print::Printer;
use super::{answer, answer_any, status};

/// The answers of several edits.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(super) struct EditsDone {
    /// The answer or the refusal of each edit, in order.
    edits: Vec<Value>,
    /// The number of edits that were applied or discarded.
    done: usize,
    /// The number of edits that were refused.
    refused: usize,
    /// What was done: `applied` or `discarded`.
    #[serde(skip)]
    verb: &'static str,
}

impl Answer for EditsDone {
    fn text_with(&self, _: CallText<'_>) -> String {
        let EditsDone { done, refused, .. } = self;
        let verb = self.verb;
        match (done, refused) {
            (0, 0) => "no pending edits\n".to_string(),
            (done, 0) => format!("{verb} {}\n", counted(*done)),
            (done, refused) => format!("{verb} {}, {refused} refused\n", counted(*done)),
        }
    }

    fn exit_status(&self) -> ExitStatus {
        match (self.done, self.refused) {
            (_, 0) => ExitStatus::Done,
            (0, _) => ExitStatus::Refused,
            _ => ExitStatus::Partly,
        }
    }
}

impl EditsDone {
    pub(super) fn new(verb: &'static str) -> EditsDone {
        EditsDone {
            verb,
            ..EditsDone::default()
        }
    }

    /// Adds the result for an edit. Prints it now unless the answer is JSON.
    pub(super) fn add<A: Answer>(&mut self, printer: &Printer, made: Result<A, Box<RefusedCall>>) {
        let value = match &made {
            Ok(answer) => {
                match answer.exit_status() {
                    ExitStatus::Refused => self.refused += 1,
                    _ => self.done += 1,
                }
                answer.as_json()
            }
            Err(refusal) => {
                self.refused += 1;
                refusal.json()
            }
        };
        self.edits.push(value);
        if !printer.is_json() {
            match &made {
                Ok(answer) => printer.answer(answer),
                Err(refusal) => printer.refusal(refusal),
            }
        }
    }

    /// Prints the whole answer, or the counts after the answers that are printed.
    pub(super) fn finish(self, printer: &Printer) -> ExitCode {
        printer.answer(&self);
        status(Answer::exit_status(&self))
    }
}

/// Prints the table of edits, or with ids, `--diff` or `--graph` the edits with their diffs or dependencies.
pub(super) fn list(printer: &Printer, engine: &Engine, verb: &ListVerb) -> ExitCode {
    if verb.forget {
        return forget(printer, engine, verb);
    }
    if verb.stats {
        return answer(printer, engine.stats(verb.since));
    }
    let mut filter = EditFilter::default();
    filter.edit_ids.clone_from(&verb.edit_ids);
    filter.file.clone_from(&verb.file);
    filter.client.clone_from(&verb.client);
    filter.status = match verb.graph {
        true => Some(EditStatus::Applied),
        false => verb.status.map(EditStatus::from),
    };
    filter.diff = verb.diff || !verb.edit_ids.is_empty();
    filter.graph = verb.graph;
    match engine.find_edits(&filter) {
        Ok(list) if filter.diff || verb.graph => answer_any(printer, Ok(Box::new(list))),
        Ok(list) => {
            printer.edits(&list);
            status(ExitStatus::Done)
        }
        Err(refusal) => answer::<EditList>(printer, Err(refusal)),
    }
}

/// Removes what is kept of the edits of the workspace.
fn forget(printer: &Printer, engine: &Engine, verb: &ListVerb) -> ExitCode {
    if !verb.yes && printer.can_ask() {
        let question = "remove all edits of this workspace? applied ones cannot be undone any more";
        if !printer.ask(question) {
            printer.message("nothing is removed");
            return status(ExitStatus::Refused);
        }
    }
    answer(printer, engine.forget_edits())
}

/// Writes the chosen edits. On a terminal, first asks the user for consent.
pub(super) fn apply(printer: &Printer, engine: &Engine, verb: &ApplyVerb) -> ExitCode {
    if verb.interactive {
        return interactive::apply(printer, engine, verb);
    }
    let apply = |edit_id: &str| engine.apply_edit(&application(verb, edit_id));
    let is_previewed = |edit: &EditListed| edit.status == EditStatus::Previewed;
    let edit_ids = match ids_of(engine, &verb.chosen, is_previewed) {
        Ok(edit_ids) => edit_ids,
        Err(refusal) => return answer::<EditList>(printer, Err(refusal)),
    };
    if !verb.yes && !has_consent(printer, engine, "apply", &edit_ids, is_previewed) {
        let staged = edit_ids.join(", ");
        printer.message(&format!("not applied; the edit is still staged: {staged}"));
        return status(ExitStatus::Refused);
    }
    if let ([edit_id], false) = (edit_ids.as_slice(), verb.chosen.edit_ids.is_empty()) {
        return answer(printer, apply(edit_id));
    }
    let mut done = EditsDone::new("applied");
    for edit_id in &edit_ids {
        done.add(printer, apply(edit_id));
    }
    done.finish(printer)
}

/// Discards the chosen edits. On a terminal, first asks the user for consent if they are not named
/// by id.
pub(super) fn discard(printer: &Printer, engine: &Engine, verb: &DiscardVerb) -> ExitCode {
    let edit_ids = match ids_of(engine, &verb.chosen, is_pending) {
        Ok(edit_ids) => edit_ids,
        Err(refusal) => return answer::<EditList>(printer, Err(refusal)),
    };
    let is_named = !verb.chosen.edit_ids.is_empty();
    let asks = !verb.yes && !is_named && !edit_ids.is_empty();
    if asks && printer.can_ask() {
        let question = format!("discard {}?", counted(edit_ids.len()));
        if !printer.ask(&question) {
            printer.message("nothing is discarded");
            return status(ExitStatus::Refused);
        }
    }
    let discard = |edit_id: &str| {
        let request = DiscardEdit::new(edit_id);
        engine.discard_edit(&match &verb.reason {
            Some(reason) => request.because(reason),
            None => request,
        })
    };
    if let ([edit_id], true) = (edit_ids.as_slice(), is_named) {
        return answer(printer, discard(edit_id));
    }
    let mut done = EditsDone::new("discarded");
    for edit_id in &edit_ids {
        done.add(printer, discard(edit_id));
    }
    done.finish(printer)
}

/// Returns the request that applies an edit.
pub(super) fn application(verb: &ApplyVerb, edit_id: &str) -> ApplyEdit {
    let mut request = ApplyEdit::new(edit_id);
    if verb.diff.is_full() {
        request = request.with_diff();
    }
    if verb.rebase.as_deref() == Some("auto") {
        request = request.rebasing();
    }
    request
}

fn is_pending(edit: &EditListed) -> bool {
    matches!(edit.status, EditStatus::Previewed | EditStatus::Refused)
}

/// Returns the filter for the chosen edits.
pub(super) fn filter_of(chosen: &ChosenEdits) -> EditFilter {
    let mut filter = EditFilter::default();
    filter.edit_ids.clone_from(&chosen.edit_ids);
    filter.file.clone_from(&chosen.file);
    filter.client.clone_from(&chosen.client);
    filter
}

/// Returns the ids of the chosen edits: as given, or of those that `is_wanted`, the oldest first.
fn ids_of(
    engine: &Engine,
    chosen: &ChosenEdits,
    is_wanted: impl Fn(&EditListed) -> bool,
) -> Result<Vec<String>, Box<RefusedCall>> {
    if !chosen.edit_ids.is_empty() {
        let mut edit_ids = chosen.edit_ids.clone();
        let mut known = HashSet::new();
        edit_ids.retain(|edit_id| known.insert(edit_id.clone()));
        return Ok(edit_ids);
    }
    let found = engine.find_edits(&filter_of(chosen))?.edits.into_iter();
    let found = found.rev().filter(is_wanted);
    Ok(found.map(|edit| edit.edit_id).collect())
}

/// Shows the diffs of edits, and asks for consent. Does not ask without a terminal, or if one of the
/// edits is not as wanted: the engine then reports why.
fn has_consent(
    printer: &Printer,
    engine: &Engine,
    verb: &str,
    edit_ids: &[String],
    is_wanted: impl Fn(&EditListed) -> bool,
) -> bool {
    if !printer.can_ask() || edit_ids.is_empty() {
        return true;
    }
    let mut filter = EditFilter::default();
    filter.edit_ids = edit_ids.to_vec();
    filter.diff = true;
    let Ok(list) = engine.find_edits(&filter) else {
        return true;
    };
    if !list.edits.iter().all(is_wanted) {
        return true;
    }
    printer.answer(&list);
    let edits = match list.edits.len() {
        1 => "this edit".to_string(),
        count => format!("these {}", counted(count)),
    };
    printer.ask(&format!("\n{verb} {edits}?"))
}

/// Returns a number of edits.
pub(super) fn counted(edits: usize) -> String {
    match edits {
        1 => "1 edit".to_string(),
        edits => format!("{edits} edits"),
    }
}
