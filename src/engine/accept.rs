//! Accepts staged edits, or parts of them, as one transaction: all of them are written, or nothing. Undoes applied ones
//! together in the same way.
//!
//! Each edit keeps its own record, so that each can be undone alone. If several change one file, each record is of the
//! text that those before it produce, and the file is written once. What a person leaves out of an edit becomes a staged
//! edit of its own.

use std::collections::HashMap;
use std::time::Instant;

use crate::apply::LockedPreview;
use crate::apply::history;
use crate::apply::journal::Direction;
use crate::change::TextEdit;
use crate::diagnostic::{self, Approved, Diagnostic};
use crate::preview::{self, FilePreview, Preview};
use crate::source::{FileDigest, Source};
use crate::validate::Check;
use crate::workspace::{HeldFile, LockedFile, WorkspacePath};

use super::calls::ToolRequest;
use super::draft::EditPlan;
use super::edits::{Shows, made, with_status};
use super::flow::PlannedNow;
use super::ledger::{self, LedgerLine, LedgerOutcome};
use super::parts::{self, PartFile};
use super::request::{ApplyEdit, UndoEdit};
use super::response::{EditMade, EditStatus, RefusedCall};
use super::staged::{self, Staged};
use super::{Engine, PendingRefusal, discarded};

/// A staged edit that a person accepts, whole or in part.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ChosenEdit {
    /// The id of the edit.
    pub edit_id: String,
    /// What is left out.
    pub leave_out: Vec<EditPart>,
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
        }
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

impl RefusedCall {
    /// Returns the refusal as that of one of several edits.
    fn of_edit(self: Box<RefusedCall>, edit_id: &str) -> Box<RefusedEdit> {
        Box::new(RefusedEdit {
            edit_id: edit_id.to_string(),
            refused: self,
        })
    }
}

/// A refusal of one of several edits.
struct Stopped {
    /// The index of the edit.
    index: usize,
    refusal: PendingRefusal,
}

/// Returns the refusal of the edit with this index.
fn of(index: usize) -> impl Fn(Diagnostic) -> Stopped {
    move |diagnostic| Stopped {
        index,
        refusal: diagnostic.into(),
    }
}

/// A kept edit with its paths.
struct KeptEdit {
    staged: Staged,
    record: HeldFile,
    paths: Vec<WorkspacePath>,
}

/// An edit that is about to be written.
struct ReadyEdit {
    /// The record to write.
    staged: Staged,
    plan: EditPlan,
    status: EditStatus,
    /// What a person leaves out.
    rest: Vec<PartFile>,
}

/// What the accepted edits so far make of a file.
struct FileSoFar {
    /// All replacements so far, in the text that the file has on disk.
    edits: TextEdit,
    /// Whether the file is created, deleted or moved, so that no other edit can be about it.
    is_whole: bool,
}

impl Engine {
    /// Writes all chosen edits or nothing, in this order. None may change text that another one changes. What is left out
    /// of an edit is staged as a new edit, and the edit itself is discarded with a reason that names both.
    ///
    /// # Errors
    /// The first edit that is refused. Nothing is written then; a stale edit has a fresh preview.
    pub fn accept_edits(&self, chosen: &[ChosenEdit]) -> Result<EditsAccepted, Box<RefusedEdit>> {
        let started = Instant::now();
        let accepted = self.accepted(chosen);
        let edit_id = |index: usize| chosen.get(index).map_or("", |one| one.edit_id.as_str());
        let accepted = accepted.map_err(|Stopped { index, refusal }| {
            let request = ApplyEdit::new(edit_id(index));
            self.refusal_of(ApplyEdit::TOOL, &request, refusal)
                .of_edit(edit_id(index))
        });
        let made = accepted.as_ref().map(|accepted| accepted.edits.as_slice());
        let made = made.map_err(|refused| &**refused);
        self.note(ApplyEdit::TOOL, made, edit_id, started);
        accepted
    }

    /// Undoes all of these applied edits or none, in whatever order they have to be undone. Each is pending again. Several
    /// must be the last changes of their files; one alone need not.
    ///
    /// # Errors
    /// The first edit that is refused. Nothing is written then.
    pub fn undo_edits(&self, edit_ids: &[String]) -> Result<Vec<EditMade>, Box<RefusedEdit>> {
        if let [edit_id] = edit_ids {
            let undone = self.undo_edit(&UndoEdit::new(edit_id));
            return undone
                .map(|made| vec![made])
                .map_err(|refused| refused.of_edit(edit_id));
        }
        let started = Instant::now();
        let undone = self.undone_together(edit_ids);
        let edit_id = |index: usize| edit_ids.get(index).map_or("", String::as_str);
        let undone = undone.map_err(|Stopped { index, refusal }| {
            let request = UndoEdit::new(edit_id(index));
            self.refusal_of(UndoEdit::TOOL, &request, refusal)
                .of_edit(edit_id(index))
        });
        let made = undone
            .as_ref()
            .map(Vec::as_slice)
            .map_err(|refused| &**refused);
        self.note(UndoEdit::TOOL, made, edit_id, started);
        undone
    }

    /// Records the outcome of each edit in the ledger.
    fn note<'e>(
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

    fn accepted(&self, chosen: &[ChosenEdit]) -> Result<EditsAccepted, Stopped> {
        let unsettled = self.settle();
        let edit_ids = chosen.iter().map(|one| one.edit_id.as_str());
        let direction = Direction::There;
        let (kept, mut locked) = self.locked_together(edit_ids, direction)?;
        let permit = self
            .permit(Approved::Edit, first_id(&kept))
            .map_err(of(0))?;
        let mut so_far: HashMap<String, FileSoFar> = HashMap::new();
        let mut ready = Vec::new();
        for (index, (edit, chosen)) in kept.iter().zip(chosen).enumerate() {
            let planned = self.planned_together(edit, &mut locked);
            let (plan, status) = match planned.map_err(of(index))? {
                PlannedNow::Fits(plan, status) => (plan, status),
                PlannedNow::Around(plan) => {
                    self.shown_around(edit.staged.clone(), &plan)
                        .map_err(of(index))?;
                    let edit_id = &edit.staged.edit_id;
                    let first = plan.preview.files().first();
                    let path = first.map_or("", |file| file.before().path());
                    let around = diagnostic::about_changed_around(path, edit_id, plan.diff());
                    return Err(of(index)(around));
                }
                PlannedNow::Stale(parsed) => {
                    drop(locked);
                    return Err(of(index)(self.stale(&edit.staged, &parsed)));
                }
            };
            let one = self.ready(&edit.staged, (plan, status), chosen, &mut so_far);
            ready.push(one.map_err(of(index))?);
        }
        let mut left_out = Vec::new();
        for (index, (edit, ready)) in kept.iter().zip(&mut ready).enumerate() {
            let rest = std::mem::take(&mut ready.rest);
            let rest = self.rest(&edit.staged, rest, &so_far);
            left_out.push(rest.map_err(of(index))?);
        }
        let previews: Vec<&Preview> = ready.iter().map(|one| &one.plan.preview).collect();
        let edits: Vec<(&Staged, &Preview)> = ready
            .iter()
            .map(|one| (&one.staged, &one.plan.preview))
            .collect();
        let written = LockedPreview::to_apply_all(&previews, locked)
            .map_err(|error| diagnostic::about_not_written(first_id(&kept), &error))
            .and_then(|locked| {
                self.keep_ready(&kept, &ready)?;
                self.written(locked, &permit, &edits)
                    .map_err(|error| diagnostic::about_not_written(first_id(&kept), &error))
            });
        let (written, records) = match written {
            Ok(written) => written,
            Err(refused) => {
                self.restore(&kept, &ready);
                return Err(of(0)(refused));
            }
        };
        let records = with_status(records, EditStatus::Applied);
        let mut notes = self.record_written(written, &records);
        notes.extend(unsettled);
        let mut answers: Vec<EditMade> = ready
            .iter()
            .map(|one| made(&one.staged, &one.plan, one.status, Shows::Counts))
            .collect();
        let mut left_ids = Vec::new();
        for ((edit, ready), rest) in kept.iter().zip(&ready).zip(left_out) {
            let Some((rest, plan)) = rest else { continue };
            match self.replace_divided(&edit.staged, &ready.staged, &rest, &plan) {
                Ok(()) => left_ids.push(rest.edit_id),
                Err(refused) => notes.push(refused.message),
            }
        }
        if let Some(first) = answers.first_mut() {
            first.notes.extend(notes);
        }
        Ok(EditsAccepted {
            edits: answers,
            left_out: left_ids,
        })
    }

    /// Finds the records of edits, locks their files, each once, and checks that the records are still there.
    fn locked_together<'e>(
        &self,
        edit_ids: impl Iterator<Item = &'e str>,
        direction: Direction,
    ) -> Result<(Vec<KeptEdit>, Vec<LockedFile>), Stopped> {
        let find = |edit_id: &str| match direction {
            Direction::There => self.waiting(edit_id),
            Direction::Back => self.applied(edit_id),
        };
        let mut kept: Vec<KeptEdit> = Vec::new();
        let mut paths: Vec<WorkspacePath> = Vec::new();
        for (index, edit_id) in edit_ids.enumerate() {
            let (staged, record) = find(edit_id).map_err(of(index))?;
            if kept.iter().any(|one| one.staged.edit_id == staged.edit_id) {
                return Err(of(index)(diagnostic::about_chosen_twice(&staged.edit_id)));
            }
            let own = self.paths_together(&staged, direction).map_err(of(index))?;
            for path in &own {
                if !paths.contains(path) {
                    paths.push(path.clone());
                }
            }
            kept.push(KeptEdit {
                staged,
                record,
                paths: own,
            });
        }
        if kept.is_empty() {
            return Err(of(0)(diagnostic::about_arguments("no edit is chosen")));
        }
        let locked = self.locked(&paths).map_err(of(0))?;
        for (index, one) in kept.iter_mut().enumerate() {
            if one.record.has_its_name() {
                continue;
            }
            // Another process has changed the record in the meantime.
            let (now, _) = find(&one.staged.edit_id).map_err(of(index))?;
            if now.paths != one.staged.paths {
                return Err(of(index)(self.damaged(&now.edit_id)));
            }
            one.staged = now;
        }
        Ok((kept, locked))
    }

    /// Returns the paths of an edit. If it is undone with others, whether its files exist depends on these.
    fn paths_together(
        &self,
        staged: &Staged,
        direction: Direction,
    ) -> Result<Vec<WorkspacePath>, Diagnostic> {
        if direction == Direction::There {
            return self.paths_of(staged, direction);
        }
        let paths = staged.paths.iter().map(|path| {
            let place = self.workspace.place_of_new(path);
            let place = place.map_err(|error| self.about_path(path, &error))?;
            match place.absolute() == path.as_str() {
                true => Ok(place),
                false => Err(diagnostic::about_moved(path, place.display().as_str())),
            }
        });
        paths.collect()
    }

    /// Plans an edit in its locked files.
    fn planned_together(
        &self,
        edit: &KeptEdit,
        locked: &mut [LockedFile],
    ) -> Result<PlannedNow, Diagnostic> {
        let mut opened = Vec::new();
        for (file, path) in edit.paths.iter().enumerate() {
            let own = locked.iter_mut().find(|one| one.path() == path);
            let own = own.ok_or_else(|| self.damaged(&edit.staged.edit_id))?;
            let direction = Direction::There;
            opened.push(self.opened_of_record(
                &edit.staged,
                direction,
                &edit.paths,
                (file, own),
            )?);
        }
        self.planned_now(&edit.staged, &edit.paths, opened)
    }

    /// Takes the chosen part of an edit, and moves it to the texts that the edits before it produce.
    fn ready(
        &self,
        staged: &Staged,
        (plan, status): (EditPlan, EditStatus),
        chosen: &ChosenEdit,
        so_far: &mut HashMap<String, FileSoFar>,
    ) -> Result<ReadyEdit, Diagnostic> {
        let allow = parts::allowed(&staged.request);
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
        let moved = files.into_iter().map(|one| {
            let preview = FileSoFar::add(so_far, &one.preview, &allow)?;
            Ok(PartFile { preview, ..one })
        });
        let files: Vec<PartFile> = moved.collect::<Result<_, Diagnostic>>()?;
        let indices: Vec<usize> = files.iter().map(|one| one.file).collect();
        let plan = self.plan_of(staged, files, plan.notes)?;
        let staged = match rest.is_empty() {
            true => staged.clone().showing(&plan),
            false => staged.part(&indices, part_summary(&plan), &plan),
        };
        Ok(ReadyEdit {
            staged,
            plan,
            status,
            rest,
        })
    }

    /// Returns the record and the plan of what is left out of an edit, in the texts that all accepted edits produce.
    fn rest(
        &self,
        staged: &Staged,
        files: Vec<PartFile>,
        so_far: &HashMap<String, FileSoFar>,
    ) -> Result<Option<(Staged, EditPlan)>, Diagnostic> {
        if files.is_empty() {
            return Ok(None);
        }
        let allow = parts::allowed(&staged.request);
        let moved = files.into_iter().map(|one| {
            let preview = FileSoFar::after(so_far, &one.preview, &allow)?;
            Ok(PartFile { preview, ..one })
        });
        let files: Vec<PartFile> = moved.collect::<Result<_, Diagnostic>>()?;
        let indices: Vec<usize> = files.iter().map(|one| one.file).collect();
        let plan = self.plan_of(staged, files, Vec::new())?;
        let rest = staged.part(&indices, part_summary(&plan), &plan);
        Ok(Some((rest, plan)))
    }

    fn plan_of(
        &self,
        staged: &Staged,
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
            if !kept.is_as(ready) {
                self.keep(&ready.staged, &ready.plan.preview)?;
            }
            let texts = ready.plan.preview.files().iter();
            for text in texts.filter_map(FilePreview::text_before) {
                history::keep(state, text).map_err(|error| diagnostic::about_state(&error))?;
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
                true if kept.is_as(ready) => Ok(()),
                true => staged::keep(state, &kept.staged),
                false => staged::forget(state, &ready.staged.edit_id).map(drop),
            };
        }
    }

    /// Stages what is left out of an edit, and discards the edit.
    fn replace_divided(
        &self,
        whole: &Staged,
        accepted: &Staged,
        rest: &Staged,
        plan: &EditPlan,
    ) -> Result<(), Diagnostic> {
        let state = self.workspace.state();
        self.keep(rest, &plan.preview)?;
        let reason = diagnostic::divided_text(&accepted.edit_id, &rest.edit_id);
        discarded::keep(state, whole, Some(&reason))
            .and_then(|()| staged::forget(state, &whole.edit_id))
            .map(drop)
            .map_err(|error| diagnostic::about_state(&error))
    }

    fn undone_together(&self, edit_ids: &[String]) -> Result<Vec<EditMade>, Stopped> {
        let unsettled = self.settle();
        let direction = Direction::Back;
        let edit_ids = edit_ids.iter().map(String::as_str);
        let (kept, mut locked) = self.locked_together(edit_ids, direction)?;
        let permit = self
            .permit(Approved::Undo, first_id(&kept))
            .map_err(of(0))?;
        let mut now: HashMap<&str, Option<Source>> = HashMap::new();
        for (index, edit) in kept.iter().enumerate() {
            for (file, path) in edit.paths.iter().enumerate() {
                let name = path.display().as_str();
                if now.contains_key(name) {
                    continue;
                }
                let own = locked.iter_mut().find(|one| one.path() == path);
                let own = own.ok_or_else(|| of(index)(self.damaged(&edit.staged.edit_id)))?;
                let text = self.text_now(edit, file, own).map_err(of(index))?;
                now.insert(name, text);
            }
        }
        let mut open: Vec<usize> = (0..kept.len()).rev().collect();
        let mut undone: Vec<(usize, Preview)> = Vec::new();
        while !open.is_empty() {
            let is_next = |index: &usize| kept[*index].is_latest(&now);
            let Some(at) = open.iter().position(is_next) else {
                let index = open[0];
                return Err(of(index)(self.not_undone(&kept[index], &now)));
            };
            let index = open.remove(at);
            let edit = &kept[index];
            let files = edit.staged.files.iter().zip(&edit.paths);
            let shown = files.map(|(file, path)| {
                let shown = self.shown(&edit.staged, file, path.display().as_str())?;
                Ok((path.display().as_str(), shown))
            });
            let shown: Vec<(&str, FilePreview)> = shown
                .collect::<Result<_, Diagnostic>>()
                .map_err(of(index))?;
            for (name, file) in &shown {
                now.insert(name, file.text_before().cloned());
            }
            let files = shown.into_iter().map(|(_, file)| file).collect();
            let preview = self.preview_of(&edit.staged, files).map_err(of(index))?;
            undone.push((index, preview));
        }
        let facts: Vec<_> = undone
            .iter()
            .map(|(index, _)| kept[*index].staged.facts())
            .collect();
        let applied: Vec<(&Preview, &[_])> = undone
            .iter()
            .zip(&facts)
            .map(|((_, preview), facts)| (preview, facts.as_slice()))
            .collect();
        let ids: Vec<&str> = undone
            .iter()
            .map(|(index, _)| kept[*index].staged.edit_id.as_str())
            .collect();
        let written = LockedPreview::to_undo_all(&applied, locked)
            .and_then(|locked| locked.write(&self.workspace, &permit, &ids))
            .map_err(|error| of(0)(diagnostic::about_file(&error)))?;
        let records = undone.iter().map(|(index, _)| kept[*index].staged.clone());
        let records = with_status(records.collect(), EditStatus::Previewed);
        let mut notes = self.record_written(written, &records);
        let earlier = (1..undone.len()).map(|next| &undone[next..]);
        for ((staged, (_, preview)), earlier) in records.iter().zip(&undone).zip(earlier) {
            let earlier = earlier.iter().map(|(_, preview)| preview);
            if let Some(plan) = self.without_earlier(staged, preview, earlier) {
                let kept = self.keep(&staged.clone().showing(&plan), &plan.preview);
                notes.extend(kept.err().map(|refused| refused.message));
            }
        }
        notes.extend(unsettled);
        undone.sort_by_key(|(index, _)| *index);
        let mut answers: Vec<EditMade> = Vec::new();
        for (index, preview) in undone {
            let staged = &kept[index].staged;
            let plan = EditPlan {
                preview,
                targets: staged.targets(),
                notes: Vec::new(),
            };
            let mut made = made(staged, &plan, EditStatus::Undone, Shows::Counts);
            made.notes.append(&mut notes);
            answers.push(made);
        }
        Ok(answers)
    }

    /// Reads a locked file of an applied edit. Returns `None` if the file does not exist.
    fn text_now(
        &self,
        edit: &KeptEdit,
        file: usize,
        locked: &mut LockedFile,
    ) -> Result<Option<Source>, Diagnostic> {
        let direction = Direction::Back;
        let leaving = edit.staged.leaving(file, direction);
        let leaving = leaving.and_then(|other| edit.paths.get(other));
        let expected = edit.staged.digest_to(file, direction);
        let may_be_absent = expected.is_some_and(FileDigest::is_absent)
            || locked.state().is_ok_and(FileDigest::is_absent);
        if may_be_absent && locked.check_free(leaving).is_ok() {
            return Ok(None);
        }
        let path = &edit.paths[file];
        let opened = self.opened_by(path, |known, language| locked.read(known, language))?;
        Ok(Some(opened.source().clone()))
    }

    /// Returns an edit that was undone as it is in the text that is left after `earlier`, the latest first, are undone too.
    /// Returns `None` if it does not change, or does not fit there: then it is stale.
    fn without_earlier<'p>(
        &self,
        staged: &Staged,
        undone: &Preview,
        earlier: impl Iterator<Item = &'p Preview>,
    ) -> Option<EditPlan> {
        let mut back: HashMap<&str, TextEdit> = HashMap::new();
        for file in earlier.flat_map(|preview| preview.files()) {
            let path = file.before().path();
            let edit = TextEdit::new(file.before(), file.record().replacements().to_vec()).ok()?;
            let reversed = edit.reversed(file.before());
            let all = match back.remove(path) {
                Some(so_far) => so_far.then(&reversed),
                None => reversed,
            };
            back.insert(path, all);
        }
        let allow = parts::allowed(&staged.request);
        let mut is_moved = false;
        let files = undone.files().iter().map(|file| {
            let Some(others) = back.get(file.before().path()) else {
                return Some(file.clone());
            };
            is_moved = true;
            parts::after_others(file, others, &allow).ok()
        });
        let files: Vec<FilePreview> = files.collect::<Option<_>>()?;
        is_moved.then_some(EditPlan {
            preview: Preview::of(files).ok()?,
            targets: staged.targets(),
            notes: staged.notes.clone(),
        })
    }

    /// Returns the refusal of an edit that cannot be undone, since a file has changed since.
    fn not_undone(&self, edit: &KeptEdit, now: &HashMap<&str, Option<Source>>) -> Diagnostic {
        let files = edit.staged.files.iter().zip(&edit.paths);
        let mut changed = files.filter(|(file, path)| {
            let text = now.get(path.display().as_str());
            !is_text(text, file.record.digest_after())
        });
        let Some((file, path)) = changed.next() else {
            return self.damaged(&edit.staged.edit_id);
        };
        let name = path.display().as_str();
        match (now.get(name), self.shown(&edit.staged, file, name)) {
            (_, Err(refused)) => refused,
            (Some(Some(now)), Ok(shown)) => {
                self.not_undone_together(&edit.staged, path.absolute().as_str(), &shown, now)
            }
            (_, Ok(_)) => diagnostic::about_changed_since(name, String::new()),
        }
    }
}

impl KeptEdit {
    /// Returns whether the record is the one that is to be written.
    fn is_as(&self, ready: &ReadyEdit) -> bool {
        let records = |staged: &Staged| -> Vec<preview::PreviewRecord> {
            let files = staged.files.iter();
            files.map(|file| file.record.clone()).collect()
        };
        self.staged.edit_id == ready.staged.edit_id
            && records(&self.staged) == records(&ready.staged)
    }

    /// Returns whether the files have the texts that the edit produced.
    fn is_latest(&self, now: &HashMap<&str, Option<Source>>) -> bool {
        let mut files = self.staged.files.iter().zip(&self.paths);
        files.all(|(file, path)| {
            let text = now.get(path.display().as_str());
            is_text(text, file.record.digest_after())
        })
    }
}

/// Returns whether a file has the text with this digest, or does not exist.
fn is_text(text: Option<&Option<Source>>, digest: FileDigest) -> bool {
    match text {
        Some(Some(text)) => digest.digest() == Some(text.digest()),
        Some(None) | None => digest.is_absent(),
    }
}

impl FileSoFar {
    /// Adds an accepted edit of a file. Returns its preview after the edits before it.
    fn add(
        all: &mut HashMap<String, FileSoFar>,
        file: &FilePreview,
        allow: &[Check],
    ) -> Result<FilePreview, Diagnostic> {
        let moved = FileSoFar::after(all, file, allow)?;
        let edit = |text: &Source, record: &preview::PreviewRecord| {
            TextEdit::new(text, record.replacements().to_vec())
                .map_err(|_| diagnostic::about_parts_joined(text.path(), 1))
        };
        let next = edit(moved.before(), moved.record())?;
        let path = file.before().path().to_string();
        let so_far = match all.remove(&path) {
            Some(known) => FileSoFar {
                edits: known.edits.then(&next),
                ..known
            },
            None => FileSoFar {
                edits: next,
                is_whole: is_whole(file),
            },
        };
        all.insert(path, so_far);
        Ok(moved)
    }

    /// Returns the preview of an edit of a file after all accepted ones.
    fn after(
        all: &HashMap<String, FileSoFar>,
        file: &FilePreview,
        allow: &[Check],
    ) -> Result<FilePreview, Diagnostic> {
        match all.get(file.before().path()) {
            None => Ok(file.clone()),
            Some(known) if known.is_whole || is_whole(file) => {
                Err(diagnostic::about_edits_of_whole_file(file.before().path()))
            }
            Some(known) => parts::after_others(file, &known.edits, allow),
        }
    }
}

/// Returns whether an edit creates, deletes or moves a file.
fn is_whole(file: &FilePreview) -> bool {
    file.text_before().is_none() || file.text_after().is_none()
}

fn first_id(kept: &[KeptEdit]) -> &str {
    kept.first().map_or("", |one| one.staged.edit_id.as_str())
}

/// Returns a one-line summary of a part of an edit.
fn part_summary(plan: &EditPlan) -> String {
    let count: usize = plan.targets.iter().map(Vec::len).sum();
    let edits = if count == 1 { "edit" } else { "edits" };
    match plan.targets.len() {
        1 => format!("{count} {edits} of a divided edit"),
        files => format!("{count} {edits} of a divided edit in {files} files"),
    }
}
