//! Writes staged edits, or parts of them, as one transaction: all of them are written, or nothing. `apply_edit` writes a list
//! of one. Undoes applied edits together in the same way.
//!
//! Each edit keeps its own record, so that each can be undone alone. If several change one file, each record is of the
//! text that those before it produce, and the file is written once. What a person leaves out of an edit becomes a staged
//! edit of its own.

use std::collections::HashMap;
use std::time::Instant;

use camino::Utf8PathBuf;

use crate::apply::LockedPreview;
use crate::apply::history;
use crate::apply::journal::Direction;
use crate::change::{Change, TextEdit};
use crate::diagnostic::{self, Approved, Diagnostic};
use crate::parallel;
use crate::parse::Parsed;
use crate::preview::{self, FilePreview, Preview};
use crate::source::Source;
use crate::validate::{Check, validate};
use crate::workspace::{LockedFile, WritePermit};

use super::batch_lock::{KeptEdit, RefusedId, digest_of, digest_shown, first_id, for_edit};
use super::calls::{CallContext, ToolRequest};
use super::core::Engine;
use super::ledger::{self, LedgerLine, LedgerOutcome};
use super::lifecycle::PlannedNow;
use super::log::ended::{self, Why};
use super::log::{self, EditRecord};
use super::made::{AnswerDetail, EditsAnswer, made};
use super::parts::{self, PartFile};
use super::plan::EditPlan;
use super::request::{ApplyEdit, RebaseArgument};
use super::response::{EditMade, EditStatus, PendingRefusal, Refused, RefusedCall};

/// The number of edits that are checked one by one.
const CHECKED_ALONE: usize = 8;

/// A staged edit that a person accepts, whole or in part.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ChosenEdit {
    /// The id of the edit.
    pub edit_id: String,
    /// What is left out.
    pub leave_out: Vec<EditPart>,
    /// The diff that the person has seen, as [`EditReviewed::shown`](super::review::EditReviewed) has it. No other diff is
    /// written; without it, that of the preview.
    pub shown: Option<String>,
}

/// A part of an edit: a file, or one of several edits or matches in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EditPart {
    /// The number of the file, as [`FileReviewed::number`](super::review::FileReviewed) has it.
    pub file: usize,
    /// The number of the part, as [`PartReviewed::number`](super::review::PartReviewed) has it. `None` means all.
    pub part: Option<usize>,
}

/// Edits that were accepted together.
#[derive(Debug)]
#[non_exhaustive]
pub struct EditsAccepted {
    /// The applied edits, in the order of the chosen ones.
    pub edits: Vec<EditMade>,
    /// The ids of the staged edits that consist of what was left out.
    pub left_out: Vec<String>,
}

/// Why nothing was written: the first edit that is refused.
#[derive(Debug, thiserror::Error)]
#[error("{refused}")]
#[non_exhaustive]
pub struct RefusedEdit {
    /// The id of the edit.
    pub edit_id: String,
    /// The refusal.
    pub refused: Box<RefusedCall>,
}

impl ChosenEdit {
    /// Chooses a whole edit.
    pub fn whole(edit_id: impl Into<String>) -> ChosenEdit {
        ChosenEdit {
            edit_id: edit_id.into(),
            leave_out: Vec::new(),
            shown: None,
        }
    }

    /// Names the diff that the person has seen.
    #[must_use]
    pub fn shown(self, shown: Option<String>) -> ChosenEdit {
        ChosenEdit { shown, ..self }
    }

    /// Chooses an edit without these parts.
    #[must_use]
    pub fn without(mut self, leave_out: impl IntoIterator<Item = EditPart>) -> ChosenEdit {
        self.leave_out.extend(leave_out);
        self
    }
}

impl EditPart {
    /// Returns a whole file, or the part of it with this number.
    pub fn new(file: usize, part: Option<usize>) -> EditPart {
        EditPart { file, part }
    }
}

impl EditsAnswer for EditsAccepted {
    fn first_mut(&mut self) -> Option<&mut EditMade> {
        self.edits.first_mut()
    }
}

impl RefusedCall {
    /// Returns the refusal as that of one of several edits.
    pub(super) fn of_edit(self: Box<RefusedCall>, edit_id: &str) -> Box<RefusedEdit> {
        Box::new(RefusedEdit {
            edit_id: edit_id.to_string(),
            refused: self,
        })
    }
}

/// An edit that is about to be written.
struct ReadyEdit {
    /// The record to write.
    staged: EditRecord,
    plan: EditPlan,
    status: EditStatus,
    /// How the text before the edit is made of that on disk, for each file; `None` if it is that.
    origins: Vec<Option<(Source, TextEdit)>>,
    /// What a person leaves out.
    rest: Vec<PartFile>,
}

/// What the accepted edits so far make of a file.
struct FileSoFar {
    /// The text that the file has on disk.
    from: Source,
    /// The number of edits.
    count: usize,
    /// All replacements so far, in the text that the file has on disk.
    edits: TextEdit,
    /// Whether the file is created, deleted or moved, so that no other edit can be about it.
    is_whole: bool,
    /// The text after them, once an edit is checked in it.
    parsed: Option<Parsed>,
}

/// When edits of one file are checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Checks {
    /// Each after those before it.
    OneByOne,
    /// All of them at the end: one parse instead of one for each edit.
    Together,
}

/// Why edits are not written.
pub(super) enum NotWritten {
    Refused(Box<RefusedId>),
    /// The surroundings of the edit with this index changed, and nobody has agreed to it as it is now.
    Around(usize, Box<(EditRecord, EditPlan)>),
    /// The edit with this index is stale; the first file that changed.
    Stale(usize, Box<EditRecord>, String),
}

impl From<RefusedId> for NotWritten {
    fn from(refused: RefusedId) -> NotWritten {
        NotWritten::Refused(Box::new(refused))
    }
}

impl ToolRequest for ApplyEdit {
    type Answer = EditMade;

    const TOOL: &'static str = "apply_edit";

    fn edit_id(&self) -> Option<&str> {
        Some(&self.edit_id)
    }

    fn outcome(answer: &Result<EditMade, Refused>) -> Option<LedgerOutcome<'_>> {
        Some(LedgerOutcome::of_edit(answer))
    }

    fn answer(&self, engine: &Engine, _: &CallContext<'_>) -> Result<EditMade, PendingRefusal> {
        engine.write_staged(self)
    }
}

impl Engine {
    /// Writes all chosen edits or nothing, in this order. None may change text that another one changes. What is left out
    /// of an edit is staged as a new edit, and the edit itself is discarded with a reason that names both. The first answer
    /// reports the problems that running servers find in the files.
    ///
    /// # Errors
    /// The first edit that is refused. Nothing is written then; a stale edit has a fresh preview.
    pub fn accept_edits(&self, chosen: &[ChosenEdit]) -> Result<EditsAccepted, Box<RefusedEdit>> {
        let started = Instant::now();
        let accepted = self.accepted(chosen);
        let edit_id = |index: usize| chosen.get(index).map_or("", |one| one.edit_id.as_str());
        let accepted = accepted.map_err(|RefusedId { index, refusal }| {
            let request = ApplyEdit::new(edit_id(index));
            self.refusal_of(ApplyEdit::TOOL, &request, refusal)
                .of_edit(edit_id(index))
        });
        let made = accepted.as_ref().map(|accepted| accepted.edits.as_slice());
        let made = made.map_err(|refused| &**refused);
        self.note(ApplyEdit::TOOL, made, edit_id, started);
        accepted
    }

    /// Records the outcome of each edit in the ledger.
    pub(super) fn note<'e>(
        &self,
        tool: &'static str,
        outcome: Result<&[EditMade], &RefusedEdit>,
        edit_id: impl Fn(usize) -> &'e str,
        started: Instant,
    ) {
        let note = |of: &str, outcome: LedgerOutcome<'_>| {
            let took = started.elapsed();
            let line = LedgerLine::new(&self.workspace, tool, Some(of), outcome, took);
            // The call succeeds even if it cannot be recorded.
            let _ = ledger::append(self.workspace.state(), &line);
        };
        match outcome {
            Ok(edits) => {
                for (index, made) in edits.iter().enumerate() {
                    note(edit_id(index), LedgerOutcome::of_made(made));
                }
            }
            Err(refused) => note(
                &refused.edit_id,
                LedgerOutcome::of_refusal(&refused.refused),
            ),
        }
    }

    fn accepted(&self, chosen: &[ChosenEdit]) -> Result<EditsAccepted, RefusedId> {
        let unsettled = self.settle();
        let mut accepted = match self
            .write_chosen(chosen, (RebaseArgument::Ask, AnswerDetail::Seen))
        {
            Ok(accepted) => accepted,
            Err(NotWritten::Refused(refused)) => return Err(*refused),
            Err(NotWritten::Around(index, around)) => {
                let (staged, plan) = *around;
                let path = plan.preview.files()[0].before().path();
                let refused = diagnostic::about_changed_around(path, &staged.edit_id, plan.diff());
                self.shown_around(staged, &plan).map_err(for_edit(index))?;
                return Err(for_edit(index)(refused));
            }
            Err(NotWritten::Stale(index, staged, path)) => {
                return Err(for_edit(index)(self.stale(&staged, &path)));
            }
        };
        if let Some(first) = accepted.edits.first_mut() {
            first.notes.extend(unsettled);
        }
        Ok(accepted)
    }

    /// Writes a pending edit: as shown, or in the current files if it is still the same edit there. If only its
    /// surroundings changed, the caller has to allow it; otherwise the edit is kept and shown as it is now.
    pub(super) fn write_staged(&self, request: &ApplyEdit) -> Result<EditMade, PendingRefusal> {
        let unsettled = self.settle();
        let chosen = ChosenEdit::whole(&request.edit_id);
        let detail = AnswerDetail::of_written(request.diff, AnswerDetail::Seen);
        let written = self.write_chosen(&[chosen], (request.rebase, detail));
        let mut made = match written {
            Ok(mut accepted) => accepted.edits.remove(0),
            Err(NotWritten::Refused(refused)) => return Err(refused.refusal),
            Err(NotWritten::Around(_, around)) => {
                let (staged, plan) = *around;
                self.shown_around(staged, &plan)?
            }
            Err(NotWritten::Stale(_, staged, path)) => {
                return Err(self.stale(&staged, &path).into());
            }
        };
        made.notes.extend(unsettled);
        Ok(made)
    }

    pub(super) fn write_chosen(
        &self,
        chosen: &[ChosenEdit],
        mode: (RebaseArgument, AnswerDetail),
    ) -> Result<EditsAccepted, NotWritten> {
        let edit_ids = chosen.iter().map(|one| one.edit_id.as_str());
        let kept = self.found_together(edit_ids, Direction::There)?;
        let permit = self.permit(Approved::Edit, first_id(&kept));
        let permit = permit.map_err(for_edit(0))?;
        let paths = kept.iter().flat_map(|one| one.staged.paths.clone());
        let paths: Vec<String> = paths.collect();
        self.asking_servers(paths.iter().map(String::as_str), || {
            self.write_found(kept, chosen, &permit, mode)
        })
    }

    /// Writes edits that were found, all or none.
    fn write_found(
        &self,
        mut kept: Vec<KeptEdit>,
        chosen: &[ChosenEdit],
        permit: &WritePermit,
        (rebase, detail): (RebaseArgument, AnswerDetail),
    ) -> Result<EditsAccepted, NotWritten> {
        let mut locked = self.locked_together(&mut kept, Direction::There)?;
        let together = match chosen.len() > CHECKED_ALONE {
            true => self
                .all_ready(&kept, chosen, &mut locked, (Checks::Together, rebase))
                .ok(),
            false => None,
        };
        // Which of many is refused, and why, is found one by one.
        let (mut ready, mut so_far) = match together {
            Some(all_ready) => all_ready,
            None => self.all_ready(&kept, chosen, &mut locked, (Checks::OneByOne, rebase))?,
        };
        let mut left_out = Vec::new();
        for (index, (edit, ready)) in kept.iter().zip(&mut ready).enumerate() {
            let rest = std::mem::take(&mut ready.rest);
            let rest = self.rest(&edit.staged, rest, &mut so_far);
            left_out.push(rest.map_err(for_edit(index))?);
        }
        let previews: Vec<&Preview> = ready.iter().map(|one| &one.plan.preview).collect();
        let edits = ready.iter().map(|one| (&one.staged, &one.plan.preview));
        let edits: Vec<(&EditRecord, &Preview)> = edits.collect();
        let not_written = |error| diagnostic::about_not_written(first_id(&kept), &error);
        let written = LockedPreview::to_apply_all(&previews, locked)
            .map_err(not_written)
            .and_then(|locked| {
                self.keep_ready(&kept, &ready)?;
                self.written(locked, permit, &edits, EditStatus::Applied)
                    .map_err(not_written)
            });
        let (written, records) = match written {
            Ok(written) => written,
            Err(refused) => {
                self.restore(&kept, &ready);
                return Err(for_edit(0)(refused).into());
            }
        };
        let answers = ready.iter().map(|one| {
            let detail = match (one.status, detail) {
                // Nobody has seen it as it is now.
                (EditStatus::Rebased, AnswerDetail::Seen) => AnswerDetail::Diff,
                _ => detail,
            };
            made(&one.staged, &one.plan, one.status, detail)
        });
        let mut answers: Vec<EditMade> = answers.collect();
        let mut left_ids = Vec::new();
        let mut notes = Vec::new();
        // The files are still locked, so that nobody accepts a divided edit once more.
        for ((edit, ready), rest) in kept.iter().zip(&ready).zip(left_out) {
            let Some((rest, plan)) = rest else { continue };
            match self.replace_divided(&edit.staged, &ready.staged, &rest, &plan) {
                Ok(()) => left_ids.push(rest.edit_id),
                Err(refused) => notes.push(refused.message),
            }
        }
        notes.extend(self.record_written(written, &records));
        answers[0].notes.extend(notes);
        Ok(EditsAccepted {
            edits: answers,
            left_out: left_ids,
        })
    }

    /// Plans all edits in their locked files, each after those before it. Returns also what they make of the files.
    fn all_ready(
        &self,
        kept: &[KeptEdit],
        chosen: &[ChosenEdit],
        locked: &mut [LockedFile],
        (checks, rebase): (Checks, RebaseArgument),
    ) -> Result<(Vec<ReadyEdit>, HashMap<String, FileSoFar>), NotWritten> {
        let mut so_far: HashMap<String, FileSoFar> = HashMap::new();
        let mut ready = Vec::new();
        for (index, (edit, chosen)) in kept.iter().zip(chosen).enumerate() {
            let planned = self.planned_together(edit, locked);
            let is_shown =
                |plan: &EditPlan| chosen.shown.as_deref() == Some(&*digest_of(&plan.diff()));
            let fits = match planned.map_err(for_edit(index))? {
                PlannedNow::Fits(plan, status) => {
                    let shown = chosen.shown.as_deref();
                    let is_as_kept = shown.is_none_or(|shown| shown == digest_shown(&edit.staged));
                    if !is_as_kept && !is_shown(&plan) {
                        let edit_id = &edit.staged.edit_id;
                        let other = diagnostic::about_other_than_shown(edit_id, plan.diff());
                        return Err(for_edit(index)(other).into());
                    }
                    (plan, status)
                }
                PlannedNow::Around(plan) => match rebase == RebaseArgument::Auto || is_shown(&plan)
                {
                    true => (plan, EditStatus::Rebased),
                    false => {
                        let around = Box::new((edit.staged.clone(), plan));
                        return Err(NotWritten::Around(index, around));
                    }
                },
                PlannedNow::Stale(path) => {
                    let staged = Box::new(edit.staged.clone());
                    return Err(NotWritten::Stale(index, staged, path));
                }
            };
            let one = self.ready(&edit.staged, fits, chosen, (&mut so_far, checks));
            ready.push(one.map_err(for_edit(index))?);
        }
        let is_sound = checks == Checks::OneByOne || so_far.values().all(FileSoFar::is_sound);
        match is_sound {
            true => Ok((ready, so_far)),
            false => {
                Err(for_edit(0)(diagnostic::about_arguments("they do not fit together")).into())
            }
        }
    }

    /// Plans an edit in its locked files.
    fn planned_together(
        &self,
        edit: &KeptEdit,
        locked: &mut [LockedFile],
    ) -> Result<PlannedNow, Diagnostic> {
        let places = edit.paths.iter().enumerate();
        let places = places.map(|(file, path)| (path.absolute().to_owned(), file));
        let places: HashMap<Utf8PathBuf, usize> = places.collect();
        let own = locked.iter_mut().filter_map(|locked| {
            let file = *places.get(locked.path().absolute())?;
            Some((file, locked))
        });
        let mut own: Vec<(usize, &mut LockedFile)> = own.collect();
        own.sort_by_key(|(file, _)| *file);
        if own.len() != edit.paths.len() {
            return Err(self.damaged(&edit.staged.edit_id));
        }
        let read = |own| self.opened_of_waiting(&edit.staged, &edit.paths, own);
        let opened = parallel::try_map(own, read, drop)?;
        self.planned_now(&edit.staged, &edit.paths, opened)
    }

    /// Takes the chosen part of an edit, and moves it to the texts that the edits before it produce.
    fn ready(
        &self,
        staged: &EditRecord,
        (plan, status): (EditPlan, EditStatus),
        chosen: &ChosenEdit,
        (so_far, checks): (&mut HashMap<String, FileSoFar>, Checks),
    ) -> Result<ReadyEdit, Diagnostic> {
        let allow = staged.call.allowed();
        let wanted: Vec<(usize, Option<usize>)> = chosen
            .leave_out
            .iter()
            .map(|one| (one.file, one.part))
            .collect();
        let (files, rest) = match wanted.is_empty() {
            true => (parts::whole(&plan), Vec::new()),
            false => {
                let left = parts::left_out(staged, &wanted)?;
                parts::divided(&plan, &left, &allow)?
            }
        };
        let mut origins = Vec::new();
        let mut checked_as = Vec::new();
        let moved = files.into_iter().map(|one| {
            let before = one.preview.before();
            let known = so_far.get(before.path());
            checked_as.push(known.map(|_| one.preview.record().digest_of_edit()));
            origins.push(known.map(|known| (before.clone(), known.edits.clone())));
            let preview = FileSoFar::add(so_far, &one.preview, &allow, checks)?;
            Ok(PartFile { preview, ..one })
        });
        let files: Vec<PartFile> = moved.collect::<Result<_, Diagnostic>>()?;
        let indices: Vec<usize> = files.iter().map(|one| one.file).collect();
        let plan = self.plan_of(staged, files, plan.notes)?;
        let staged = match rest.is_empty() {
            true => staged.clone().showing(&plan),
            false => staged.part(&indices, parts::summary_of(&plan), &plan),
        };
        let staged = staged.with_checks(checked_as);
        Ok(ReadyEdit {
            staged,
            plan,
            status,
            origins,
            rest,
        })
    }

    /// Returns the record and the plan of what is left out of an edit, in the texts that all accepted edits produce.
    fn rest(
        &self,
        staged: &EditRecord,
        files: Vec<PartFile>,
        so_far: &mut HashMap<String, FileSoFar>,
    ) -> Result<Option<(EditRecord, EditPlan)>, Diagnostic> {
        if files.is_empty() {
            return Ok(None);
        }
        let allow = staged.call.allowed();
        let moved = files.into_iter().map(|one| {
            let preview = FileSoFar::after(so_far, &one.preview, &allow)?;
            Ok(PartFile { preview, ..one })
        });
        let files: Vec<PartFile> = moved.collect::<Result<_, Diagnostic>>()?;
        let indices: Vec<usize> = files.iter().map(|one| one.file).collect();
        let plan = self.plan_of(staged, files, Vec::new())?;
        let rest = staged.part(&indices, parts::summary_of(&plan), &plan);
        Ok(Some((rest, plan)))
    }

    fn plan_of(
        &self,
        staged: &EditRecord,
        files: Vec<PartFile>,
        notes: Vec<String>,
    ) -> Result<EditPlan, Diagnostic> {
        let (previews, targets) = files
            .into_iter()
            .map(|one| (one.preview, one.targets))
            .unzip();
        Ok(EditPlan {
            preview: self.preview_of(staged, previews)?,
            targets,
            notes,
        })
    }

    /// Keeps the records that differ from those that are kept, and the texts that an undo of one of several edits needs.
    /// They match the files even if this process dies before the write ends.
    fn keep_ready(&self, kept: &[KeptEdit], ready: &[ReadyEdit]) -> Result<(), Diagnostic> {
        let state = self.workspace.state();
        for (kept, ready) in kept.iter().zip(ready) {
            let texts = ready.plan.preview.files().iter().zip(&ready.origins);
            for (file, origin) in texts {
                let kept = match (file.text_before(), origin) {
                    (Some(text), Some((base, edits))) => {
                        history::keep_derived(state, text, base, edits)
                    }
                    (Some(text), None) => history::keep(state, text),
                    (None, _) => Ok(0),
                };
                kept.map_err(|error| diagnostic::about_state(&error))?;
            }
            if !is_as(kept, ready) {
                self.keep(&ready.staged, &ready.plan.preview)?;
            }
        }
        Ok(())
    }

    /// Restores the records after a failed write.
    fn restore(&self, kept: &[KeptEdit], ready: &[ReadyEdit]) {
        let state = self.workspace.state();
        for (kept, ready) in kept.iter().zip(ready) {
            // A record that stays is of an edit that `apply_edit` refuses, or that is not listed as applied.
            let _ = match kept.staged.edit_id == ready.staged.edit_id {
                true if is_as(kept, ready) => Ok(()),
                true => log::keep(state, &kept.staged),
                false => log::forget(state, &ready.staged.edit_id).map(drop),
            };
        }
    }

    /// Stages what is left out of an edit, and discards the edit.
    fn replace_divided(
        &self,
        whole: &EditRecord,
        accepted: &EditRecord,
        rest: &EditRecord,
        plan: &EditPlan,
    ) -> Result<(), Diagnostic> {
        let state = self.workspace.state();
        self.keep(rest, &plan.preview)?;
        let reason = diagnostic::divided_text(&accepted.edit_id, &rest.edit_id);
        let discarded = Why::Discarded {
            reason: Some(reason),
        };
        ended::keep(state, whole, discarded)
            .and_then(|()| log::forget(state, &whole.edit_id))
            .map(drop)
            .map_err(|error| diagnostic::about_state(&error))
    }
}

/// Returns whether the record of an edit is the one that is to be written.
fn is_as(kept: &KeptEdit, ready: &ReadyEdit) -> bool {
    let records = |staged: &EditRecord| -> Vec<preview::PreviewRecord> {
        let files = staged.files.iter();
        files.map(|file| file.record.clone()).collect()
    };
    kept.staged.edit_id == ready.staged.edit_id && records(&kept.staged) == records(&ready.staged)
}

impl FileSoFar {
    /// Returns whether all edits together bring no new syntax error. Each of them was checked alone.
    fn is_sound(&self) -> bool {
        if self.count == 1 || self.is_whole {
            return true;
        }
        let parsed = Parsed::parse(self.from.clone());
        let change = Change::of_texts(&parsed, self.edits.clone());
        validate(change, &[Check::Surroundings, Check::SuspiciousContent]).is_ok()
    }

    /// Adds an accepted edit of a file. Returns its preview after the edits before it.
    fn add(
        all: &mut HashMap<String, FileSoFar>,
        file: &FilePreview,
        allow: &[Check],
        checks: Checks,
    ) -> Result<FilePreview, Diagnostic> {
        let moved = match (checks, all.get(file.before().path())) {
            (Checks::Together, Some(known)) if !known.is_whole && !is_whole(file) => {
                parts::unchecked_after_others(file, &known.edits)?
            }
            _ => FileSoFar::after(all, file, allow)?,
        };
        let edit = |text: &Source, record: &preview::PreviewRecord| {
            TextEdit::new(text, record.replacements().to_vec())
                .map_err(|_| diagnostic::about_parts_joined(text.path(), 1))
        };
        let next = edit(moved.before(), moved.record())?;
        let path = file.before().path().to_string();
        let so_far = match all.remove(&path) {
            Some(known) => {
                let replaced = next.replacements().iter();
                let replaced: Vec<_> = replaced.map(|one| (one.span, one.new_text.len())).collect();
                let after = |parsed: Parsed| parsed.reparse(moved.after().clone(), &replaced);
                FileSoFar {
                    edits: known.edits.then(&next),
                    parsed: known.parsed.map(after),
                    count: known.count + 1,
                    ..known
                }
            }
            None => FileSoFar {
                from: file.before().clone(),
                edits: next,
                count: 1,
                is_whole: is_whole(file),
                parsed: None,
            },
        };
        all.insert(path, so_far);
        Ok(moved)
    }

    /// Returns the preview of an edit of a file after all accepted ones.
    fn after(
        all: &mut HashMap<String, FileSoFar>,
        file: &FilePreview,
        allow: &[Check],
    ) -> Result<FilePreview, Diagnostic> {
        match all.get_mut(file.before().path()) {
            None => Ok(file.clone()),
            Some(known) if known.is_whole || is_whole(file) => {
                Err(diagnostic::about_edits_of_whole_file(file.before().path()))
            }
            Some(known) => parts::after_others(file, &known.edits, allow, &mut known.parsed),
        }
    }
}

/// Returns whether an edit creates, deletes or moves a file.
fn is_whole(file: &FilePreview) -> bool {
    file.text_before().is_none() || file.text_after().is_none()
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "the test creates a file")]
mod tests {
    use super::*;
    use crate::engine::request;

    #[test]
    fn a_record_that_another_process_changes_before_the_locks_is_read_again() {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let root = folder.path().join("root");
        std::fs::create_dir(&root).expect("it can be made");
        std::fs::write(root.join("a.rs"), "fn a() {}\n").expect("it can be written");
        let engine = Engine::open(&[root], Some(folder.path().join("state")));
        let engine = engine.expect("they are there");
        let arguments =
            serde_json::json!({"file_path": "a.rs", "find": "a()", "new_content": "b()"});
        let request = request::read(arguments).expect("it is a request");
        let staged = engine.replace_text(&request).expect("it fits");
        let chosen = [ChosenEdit::whole(&staged.edit_id)];
        let find = || {
            let found =
                engine.found_together([staged.edit_id.as_str()].into_iter(), Direction::There);
            found.ok().expect("it is staged")
        };
        let apply = |kept| {
            let permit = engine.workspace.write_permit().expect("a person may write");
            let written = engine.write_found(
                kept,
                &chosen,
                &permit,
                (RebaseArgument::Ask, AnswerDetail::Seen),
            );
            match written {
                Ok(accepted) => Ok(accepted.edits[0].status),
                Err(NotWritten::Refused(refused)) => Err(refused.refusal.diagnostic.message),
                Err(_) => panic!("the file did not change"),
            }
        };
        let (first, second) = (find(), find());
        assert_eq!(apply(first), Ok(EditStatus::Applied));
        let applied = diagnostic::about_not_applied(&staged.edit_id, true);
        assert_eq!(apply(second), Err(applied.message));
    }
}
