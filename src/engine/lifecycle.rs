//! Amends, discards and lists kept edits, and finds them in their current files.

use serde_json::{Value, json};

use crate::apply::history;
use crate::apply::journal::{self, Direction};
use crate::apply::rebase::{Rebase, rebase};
use crate::apply::record::NoRecord;
use crate::diagnostic::{self, Code, Diagnostic, NextCall, Suggestion};
use crate::preview::{self, FilePreview, NotThePreviewed, Preview};
use crate::source::{FileDigest, Source};
use crate::steps;
use crate::workspace::{FileError, HeldFile, LockedFile, StateError, WorkspacePath};

use super::calls::{CallContext, ToolRequest};
use super::core::Engine;
use super::ledger::LedgerOutcome;
use super::log::ended::{self, Why};
use super::log::{self, EditOrigin, EditRecord, KeptFile};
use super::made::{AnswerDetail, made};
use super::opened::Opened;
use super::parts;
use super::plan::{EditPlan, PlannedCall};
use super::request::{
    AmendEdit, Amendment, CallAccess, DiffArgument, DiscardEdit, EditCall, ListEdits,
};
use super::response::{
    EditDiscarded, EditList, EditMade, EditStatus, EditsForgotten, PendingRefusal, Refused,
    RefusedCall,
};
use super::selected::EditFilter;

/// The maximum length of the reason for discarding an edit, in characters.
pub const REASON_CHARS: usize = 2_000;

/// A pending edit in its current files.
pub(super) enum PlannedNow {
    /// It is the edit that was shown, with the status that it has when it is written.
    Fits(EditPlan, EditStatus),
    /// It makes the same change to the same node, whose surroundings changed.
    Around(EditPlan),
    /// It cannot be found as it was shown; the first file that changed.
    Stale(String),
}

impl ToolRequest for DiscardEdit {
    type Answer = EditDiscarded;

    const TOOL: &'static str = "discard_edit";

    fn edit_id(&self) -> Option<&str> {
        Some(&self.edit_id)
    }

    fn outcome(answer: &Result<EditDiscarded, Refused>) -> Option<LedgerOutcome<'_>> {
        Some(LedgerOutcome::of_discard(answer))
    }

    fn answer(
        &self,
        engine: &Engine,
        _: &CallContext<'_>,
    ) -> Result<EditDiscarded, PendingRefusal> {
        let reason = self.reason.as_deref().map(str::trim);
        let reason = reason.filter(|reason| !reason.is_empty());
        if reason.is_some_and(|reason| reason.chars().count() > REASON_CHARS) {
            return Err(diagnostic::about_long_reason(REASON_CHARS).into());
        }
        let state = engine.workspace.state();
        let edit_id = engine.full_id(&self.edit_id)?;
        let failed = |error| PendingRefusal::from(diagnostic::about_state(&error));
        let is_removed = match log::find(state, &edit_id) {
            Ok(staged) => {
                let reason = reason.map(str::to_string);
                let discarded = Why::Discarded { reason };
                engine.forget_pending(&staged, || ended::keep(state, &staged, discarded))?
            }
            Err(_) => log::forget(state, &edit_id).map_err(failed)?,
        };
        match is_removed {
            true => Ok(EditDiscarded {
                edit_id: edit_id.into_owned(),
                discarded: true,
                reason: reason.map(str::to_string),
            }),
            false => Err(engine.missing(&edit_id).into()),
        }
    }
}

impl ToolRequest for AmendEdit {
    type Answer = EditMade;

    const TOOL: &'static str = "amend_edit";

    fn access(&self) -> CallAccess {
        let names_file = |one: &Amendment| {
            // The new path of a file is a string by itself.
            let to = one.to.as_ref();
            let names = |to: &Value| to.is_string() || to["file_path"].is_string();
            one.file_path.is_some() || to.is_some_and(names)
        };
        let mut all = std::iter::once(&self.amendment).chain(&self.edits);
        match all.any(names_file) {
            true => CallAccess::Everything { writes: true },
            false => CallAccess::Edit(self.edit_id.clone()),
        }
    }

    fn edit_id(&self) -> Option<&str> {
        Some(&self.edit_id)
    }

    fn outcome(answer: &Result<EditMade, Refused>) -> Option<LedgerOutcome<'_>> {
        Some(LedgerOutcome::of_edit(answer))
    }

    fn answer(
        &self,
        engine: &Engine,
        context: &CallContext<'_>,
    ) -> Result<EditMade, PendingRefusal> {
        let staged = engine.staged(&self.edit_id)?;
        if staged.status == EditStatus::Applied {
            return Err(diagnostic::about_not_applied(&staged.edit_id, true).into());
        }
        let made = match (staged.call.edits(), staged.call.rewrite()) {
            _ if staged.is_part => engine.amended_part(&staged, self, context.origin),
            (Some(call), _) => {
                // A refused call is made as it was meant. What a preview shows is not written by its amendment.
                let kept = staged.status == EditStatus::Refused && call.applies();
                let apply = self.apply.unwrap_or(kept);
                engine.amended(call, self, apply, context.origin)
            }
            (None, Some(rewrite)) => engine.amended_rewrite(&staged, &rewrite, self, context),
            (None, None) => {
                return Err(diagnostic::about_not_amended(staged.call.tool()).into());
            }
        };
        let is_staged = match &made {
            Ok(made) => made.status != EditStatus::Unchanged,
            Err(refusal) => refusal.diagnostic.code == Code::ApprovalRequired,
        };
        // Remove the former preview. Keep a refused edit: its refusal suggests several changes, and the first one may be
        // wrong too.
        match (is_staged, staged.is_open()) {
            (true, true) => engine.instead_of(&staged, made, context.origin),
            (false, true) => made.map_err(|refusal| {
                // Maybe a person has decided. A process that writes the edit has its files locked until its record says so.
                let _locked = engine.locked_pending(&staged);
                match engine.waiting(&staged.edit_id) {
                    Ok(_) => refusal,
                    Err(decided) => engine.removed(refusal.edit_id.as_deref(), decided),
                }
            }),
            _ => made,
        }
    }
}

impl Engine {
    /// Removes the record of a pending or refused edit, after `keep`. Locks its files, so that no process applies the edit
    /// meanwhile: without its record, an applied edit could not be undone. Returns whether there was a record.
    ///
    /// # Errors
    /// The edit is applied, or a file stays locked.
    pub(super) fn forget_pending(
        &self,
        staged: &EditRecord,
        keep: impl FnOnce() -> Result<(), StateError>,
    ) -> Result<bool, Diagnostic> {
        let state = self.workspace.state();
        let _locked = self.locked_pending(staged)?;
        match log::find(state, &staged.edit_id) {
            Ok(now) if now.status == EditStatus::Applied => {
                Err(diagnostic::about_not_applied(&now.edit_id, true))
            }
            // Another process removed it, and keeps why.
            Err(NoRecord::Missing) => Ok(false),
            _ => keep()
                .and_then(|()| log::forget(state, &staged.edit_id))
                .map_err(|error| diagnostic::about_state(&error)),
        }
    }

    /// Locks the files of a pending or refused edit as far as that is possible, so that no process applies it meanwhile.
    fn locked_pending(&self, staged: &EditRecord) -> Result<Vec<LockedFile>, Diagnostic> {
        let paths = match staged.files.is_empty() {
            true => Vec::new(),
            // No process applies an edit whose files are elsewhere.
            false => self.places_of(staged).unwrap_or_default(),
        };
        match self.workspace.lock_all(&paths) {
            Ok(locked) => Ok(locked),
            Err(error @ FileError::Locked { .. }) => Err(diagnostic::about_file(&error)),
            // No process can lock it, or write it.
            Err(_) => Ok(Vec::new()),
        }
    }

    /// Removes the former preview of an edit that was amended. If a person accepted or discarded it meanwhile, that holds:
    /// the new preview is removed.
    pub(super) fn instead_of(
        &self,
        former: &EditRecord,
        made: Result<EditMade, PendingRefusal>,
        origin: EditOrigin<'_>,
    ) -> Result<EditMade, PendingRefusal> {
        let state = self.workspace.state();
        let instead = match &made {
            Ok(made) => Some(made.edit_id.clone()),
            Err(refusal) => refusal.edit_id.clone(),
        };
        let keep = || match &instead {
            Some(instead) if origin.is_retargeted => {
                let reason = Some(diagnostic::retargeted_text(instead));
                ended::keep(state, former, Why::Discarded { reason })
            }
            Some(instead) => {
                let by = instead.clone();
                ended::keep(state, former, Why::Replaced { by })
            }
            None => Ok(()),
        };
        let kept = match self.forget_pending(former, keep) {
            Ok(true) => return made,
            Ok(false) => self.missing(&former.edit_id),
            Err(kept) => kept,
        };
        match made {
            // Both are written.
            Ok(mut made) if made.status != EditStatus::Previewed => {
                made.notes.push(kept.message);
                Ok(made)
            }
            _ => Err(self.removed(instead.as_deref(), kept)),
        }
    }

    /// Removes the record of an attempt to amend an edit about which a person has decided. Returns that as the refusal.
    fn removed(&self, attempt: Option<&str>, decided: Diagnostic) -> PendingRefusal {
        let removed = attempt.map_or(Ok(false), |edit_id| {
            log::forget(self.workspace.state(), edit_id)
        });
        match removed {
            Ok(_) => decided.into(),
            Err(error) => diagnostic::about_state(&error).into(),
        }
    }

    /// Makes a kept call with the amendments of a request.
    pub(super) fn amended(
        &self,
        call: EditCall,
        request: &AmendEdit,
        apply: bool,
        origin: EditOrigin<'_>,
    ) -> Result<EditMade, PendingRefusal> {
        self.edit(call.amended(request)?.applying(apply), origin)
    }
}

impl ToolRequest for ListEdits {
    type Answer = EditList;

    const TOOL: &'static str = "list_edits";

    fn access(&self) -> CallAccess {
        match &self.edit_id {
            Some(edit_id) => CallAccess::Edit(edit_id.clone()),
            // The list also contains the edits that other calls stage.
            None => CallAccess::Everything { writes: true },
        }
    }

    fn answer(&self, engine: &Engine, _: &CallContext<'_>) -> Result<EditList, PendingRefusal> {
        let filter = EditFilter {
            edit_ids: self.edit_id.iter().cloned().collect(),
            diff: self.edit_id.is_some(),
            ..EditFilter::default()
        };
        Ok(engine.found(&filter)?)
    }
}

impl Engine {
    /// Keeps a pending edit as it is in its current files, and shows it.
    pub(super) fn shown_around(
        &self,
        staged: EditRecord,
        plan: &EditPlan,
    ) -> Result<EditMade, Diagnostic> {
        let staged = staged.showing(plan);
        let gc_warning = self.keep(&staged, &plan.preview)?;
        let mut made = made(
            &staged,
            plan,
            EditStatus::RebaseProposed,
            AnswerDetail::Diff,
        );
        made.notes.extend(gc_warning);
        Ok(made)
    }

    /// Returns a pending edit in its current files: as it was shown, or carried over to the files that changed.
    pub(super) fn planned_now(
        &self,
        staged: &EditRecord,
        paths: &[WorkspacePath],
        files: Vec<Opened>,
    ) -> Result<PlannedNow, Diagnostic> {
        let plan = |preview| EditPlan {
            preview,
            targets: staged.targets(),
            notes: staged.notes.clone(),
        };
        if let Some(preview) = self.reopened(staged, &files)? {
            return Ok(PlannedNow::Fits(plan(preview), EditStatus::Applied));
        }
        let is_changed = |(kept, now): &(&KeptFile, &Opened)| {
            let digest = kept.record.digest_before().digest();
            digest.is_some_and(|digest| digest != now.source().digest())
        };
        let first = staged.files.iter().zip(&files).find(is_changed);
        let stale = first.map_or("", |(_, now)| now.source().path()).to_string();
        let mut is_around = false;
        let mut previews = Vec::new();
        for (kept, (path, now)) in staged.files.iter().zip(paths.iter().zip(files)) {
            match self.rebased(staged, kept, path, now)? {
                Some((preview, around)) => {
                    previews.push(preview);
                    is_around |= around;
                }
                None => return Ok(PlannedNow::Stale(stale)),
            }
        }
        let plan = plan(self.preview_of(staged, previews)?);
        Ok(match is_around {
            true => PlannedNow::Around(plan),
            false => PlannedNow::Fits(plan, EditStatus::Rebased),
        })
    }

    /// Carries one file of a pending edit over to its current text. Returns also whether the code around it changed, or
    /// `None` if the edit cannot be found there, or fails a check.
    fn rebased(
        &self,
        staged: &EditRecord,
        kept: &KeptFile,
        path: &WorkspacePath,
        now: Opened,
    ) -> Result<Option<(FilePreview, bool)>, Diagnostic> {
        if let Ok(preview) = FilePreview::reopen(now.source(), kept.record.clone()) {
            return Ok(Some((preview, false)));
        }
        let is_text = |digest: FileDigest| !digest.is_absent();
        let is_edited = is_text(kept.record.digest_before()) && is_text(kept.record.digest_after());
        if !is_edited || !staged.is_part && staged.call.is_of_all_matches() {
            return Ok(None);
        }
        let shown = match self.shown(staged, kept, path.display().as_str()) {
            Ok(shown) => shown,
            Err(refused) if refused.code == Code::EditNotFound => return Ok(None),
            Err(refused) => return Err(refused),
        };
        let parsed = self.kept_parsed(path, now);
        let (carried, is_around) = match rebase(&shown, &parsed) {
            Rebase::Same => return Ok(Some((shown, false))),
            Rebase::Moved(carried) => (carried, false),
            Rebase::Around(carried) => (carried, true),
            Rebase::Conflict => return Ok(None),
        };
        let checked = parts::checked(&parsed, carried, &staged.call.allowed());
        Ok(checked.ok().map(|preview| (preview, is_around)))
    }

    /// Completes or reverts the unfinished writes of dead processes. Returns notes on failures, which do not fail the
    /// call.
    pub(super) fn settle(&self) -> Vec<String> {
        let state = self.workspace.state();
        let record = |settled: &journal::Settled| {
            let status = match settled.direction {
                Direction::There => EditStatus::Applied,
                Direction::Back => EditStatus::Undone,
            };
            let mut done = settled.edit_ids.iter().filter(|_| settled.is_done);
            done.try_for_each(|edit_id| log::mark(state, edit_id, status))
        };
        let problems = journal::settle_all(&self.workspace, record);
        let problems = problems.iter();
        problems.map(diagnostic::unsettled_text).collect()
    }

    /// Returns the answer of an edit that is already written.
    pub(super) fn shown_again(
        &self,
        staged: &EditRecord,
        diff: DiffArgument,
    ) -> Result<EditMade, Diagnostic> {
        let files = self.paths_of(staged, Direction::Back)?;
        let files = staged.files.iter().zip(&files);
        let previews = files.map(|(kept, path)| self.shown(staged, kept, path.display().as_str()));
        let plan = EditPlan {
            preview: self.preview_of(staged, previews.collect::<Result<_, _>>()?)?,
            targets: staged.targets(),
            notes: staged.notes.clone(),
        };
        let shows = AnswerDetail::of_written(diff, AnswerDetail::Seams);
        Ok(made(staged, &plan, EditStatus::Applied, shows))
    }

    /// Restores the preview of one file of a written edit from the kept text before the edit.
    pub(super) fn shown(
        &self,
        staged: &EditRecord,
        kept: &KeptFile,
        name: &str,
    ) -> Result<FilePreview, Diagnostic> {
        let damaged = || self.damaged(&staged.edit_id);
        let Some(digest) = kept.record.digest_before().digest() else {
            let nothing = self.nothing_at(name, kept);
            return FilePreview::reopen(&nothing, kept.record.clone()).map_err(|_| damaged());
        };
        let before = history::find(self.workspace.state(), digest)
            .map_err(|error| diagnostic::about_state(&error))?
            .ok_or_else(|| diagnostic::about_text_not_kept(name))?;
        let before = Source::from_bytes(name, self.language_of(name, &before), before);
        let before = before.map_err(|_| damaged())?;
        FilePreview::reopen(&before, kept.record.clone()).map_err(|_| damaged())
    }

    /// Combines the previews of all files of a record.
    pub(super) fn preview_of(
        &self,
        staged: &EditRecord,
        files: Vec<FilePreview>,
    ) -> Result<Preview, Diagnostic> {
        Preview::from_files(files).map_err(|_| self.damaged(&staged.edit_id))
    }

    /// Returns the preview as it was shown, or `None` if a file has changed since.
    fn reopened(
        &self,
        staged: &EditRecord,
        files: &[Opened],
    ) -> Result<Option<Preview>, Diagnostic> {
        if let Some(shown) = self.previews.take(staged) {
            let mut texts = shown.files().iter().zip(files);
            let is_now = |(file, now): (&FilePreview, &Opened)| {
                file.before().digest() == now.source().digest()
            };
            if shown.files().len() == files.len() && texts.all(is_now) {
                return Ok(Some(shown));
            }
        }
        let mut previews = Vec::new();
        let mut changed = false;
        for (kept, now) in staged.files.iter().zip(files) {
            match FilePreview::reopen(now.source(), kept.record.clone()) {
                Ok(preview) => previews.push(preview),
                Err(NotThePreviewed::TextChanged) => changed = true,
                Err(NotThePreviewed::ResultDiffers) => return Err(self.damaged(&staged.edit_id)),
            }
        }
        match changed {
            true => Ok(None),
            false => self.preview_of(staged, previews).map(Some),
        }
    }

    /// Returns the refusal of an edit whose file changed, with a fresh preview if there is one.
    pub(super) fn stale(&self, staged: &EditRecord, file_path: &str) -> Diagnostic {
        let mut stale = diagnostic::about_stale(file_path);
        let again = self.planned_again(staged, true).and_then(|again| {
            let again = again.ok_or_else(|| diagnostic::about_not_amended(staged.call.tool()))?;
            self.previewed(again, DiffArgument::Auto, staged.origin())
        });
        match again {
            Ok(fresh) => {
                let diffs = fresh.files.iter().filter_map(|file| file.diff.as_deref());
                stale.diff = Some(preview::in_one_patch(diffs).concat());
                let first = fresh.files.first();
                stale.suggestions = first
                    .map(|file| {
                        let (node_type, line) = (&file.edit.node_type, file.edit.range.start.line);
                        let selects = format!("{node_type} at line {line}, a fresh preview");
                        Suggestion::new(NextCall::Apply(fresh.edit_id.clone()), selects)
                    })
                    .into_iter()
                    .collect();
            }
            Err(refusal) => {
                stale.help = Some(diagnostic::refused_now_help(&refusal));
            }
        }
        stale
    }

    /// Plans the call of an edit again in the current files. Returns `None` if only a language server knows what it would
    /// change now, unless it `asks`.
    ///
    /// # Errors
    /// It is refused now.
    pub(super) fn planned_again(
        &self,
        staged: &EditRecord,
        asks: bool,
    ) -> Result<Option<PlannedCall>, Diagnostic> {
        let call = &staged.call;
        let planned = match (call.edits(), call.rewrite(), staged.is_part) {
            (Some(_), ..) => {
                let edits = staged.edit_call()?;
                steps::stoppable(|| self.planned(&edits))
                    .unwrap_or_else(|stopped| Err(self.about_stopped(stopped)))
            }
            (None, Some(rewrite), false) => self.planned_rewrite_again(&rewrite),
            (None, Some(rewrite), true) => {
                let plan = self.planned_part_again(staged, &rewrite)?;
                Ok(PlannedCall {
                    call: call.clone(),
                    summary: parts::summary_of(&plan),
                    symbol: None,
                    plan,
                    matches: None,
                })
            }
            (None, None, true) => Err(diagnostic::about_part_not_again()),
            (None, None, false) if !asks => return Ok(None),
            (None, None, false) => self.planned_by_server(call),
        };
        planned.map(Some)
    }

    pub(super) fn staged(&self, edit_id: &str) -> Result<EditRecord, Diagnostic> {
        self.staged_held(edit_id).map(|(staged, _)| staged)
    }

    /// Finds the record of an edit and the file that contains it.
    fn staged_held(&self, edit_id: &str) -> Result<(EditRecord, HeldFile), Diagnostic> {
        let edit_id = &*self.full_id(edit_id)?;
        log::find_held(self.workspace.state(), edit_id).map_err(|error| match error {
            NoRecord::Missing => self.missing(edit_id),
            NoRecord::Newer => {
                diagnostic::about_unreadable_edit(diagnostic::newer_record_text(edit_id))
            }
            NoRecord::Damaged => self.damaged(edit_id),
            NoRecord::State(error) => diagnostic::about_state(&error),
        })
    }

    /// Returns the refusal for an edit without a record: it was discarded, it is no longer kept, or there was none.
    fn missing(&self, edit_id: &str) -> Diagnostic {
        let state = self.workspace.state();
        let found = || {
            Ok(match ended::find(state, edit_id)? {
                Some(ended) => ended.refusal(),
                None => diagnostic::about_missing_edit(edit_id),
            })
        };
        found().unwrap_or_else(|error: StateError| diagnostic::about_state(&error))
    }

    /// Finds the record of an edit that can be written: a pending or an undone one.
    pub(super) fn waiting(&self, edit_id: &str) -> Result<(EditRecord, HeldFile), Diagnostic> {
        let (staged, file) = self.staged_held(edit_id)?;
        match staged.status {
            EditStatus::Previewed | EditStatus::Undone => Ok((staged, file)),
            EditStatus::Refused => Err(diagnostic::about_refused_edit(&staged.edit_id)),
            _ => Err(diagnostic::about_not_applied(&staged.edit_id, true)),
        }
    }

    /// Finds the record of an applied edit.
    pub(super) fn applied(&self, edit_id: &str) -> Result<(EditRecord, HeldFile), Diagnostic> {
        let (staged, file) = self.staged_held(edit_id)?;
        match staged.status {
            EditStatus::Applied => Ok((staged, file)),
            _ => Err(diagnostic::about_not_applied(&staged.edit_id, false)),
        }
    }

    /// Reads a locked file of a pending edit. `paths` are the paths of all its files.
    pub(super) fn opened_of_waiting(
        &self,
        staged: &EditRecord,
        paths: &[WorkspacePath],
        (file, locked): (usize, &mut LockedFile),
    ) -> Result<Opened, Diagnostic> {
        let path = &paths[file];
        let direction = Direction::There;
        if staged
            .digest_to(file, direction)
            .is_some_and(FileDigest::is_absent)
        {
            let leaving = staged.leaving(file, direction);
            let leaving = leaving.and_then(|other| paths.get(other));
            locked
                .check_free(leaving)
                .map_err(|error| diagnostic::about_not_written(&staged.edit_id, &error))?;
            let nothing = self.nothing_at(path.display().as_str(), &staged.files[file]);
            return Ok(Opened::New(nothing));
        }
        self.opened_by(path, |known, language| locked.read(known, language))
    }

    /// Returns the text of a file that an edit creates or has deleted: none.
    pub(super) fn nothing_at(&self, name: &str, kept: &KeptFile) -> Source {
        let new_text = kept.record.replacements().first().map(|one| &one.new_text);
        let bytes = new_text.map(String::as_bytes).unwrap_or_default();
        Source::new(name, self.language_of(name, bytes), String::new())
    }

    /// Returns the files of an edit that is to be written in this direction. Each must still have the path that it was
    /// shown with.
    pub(super) fn paths_of(
        &self,
        staged: &EditRecord,
        direction: Direction,
    ) -> Result<Vec<WorkspacePath>, Diagnostic> {
        let paths = staged.paths.iter().enumerate().map(|(file, path)| {
            let is_absent = staged
                .digest_to(file, direction)
                .is_some_and(FileDigest::is_absent);
            let resolved = match is_absent {
                true => {
                    let place = self.workspace.place_of_new(path);
                    place.map_err(|error| self.about_path(path, &error))?
                }
                false => self.resolved(path)?,
            };
            match resolved.absolute() == path.as_str() {
                true => Ok(resolved),
                // A link has replaced the file, and the link's target was never shown.
                false => Err(diagnostic::about_moved(path, resolved.display().as_str())),
            }
        });
        paths.collect()
    }

    /// Returns the refusal for a record that cannot be read, and moves the record aside.
    pub(super) fn damaged(&self, edit_id: &str) -> Diagnostic {
        let moved = log::set_aside(self.workspace.state(), edit_id);
        let moved = moved.as_deref();
        diagnostic::about_unreadable_edit(diagnostic::damaged_record_text(edit_id, moved))
    }
}

impl Engine {
    /// Removes everything that is kept of the edits that were staged in this workspace: their records with the content, and
    /// the texts of their files. Applied edits stay written, and can no longer be undone. Afterwards, each id answers
    /// `edit_not_found` with the reason.
    ///
    /// # Errors
    /// The state directory cannot be read or written.
    pub fn forget_edits(&self) -> Result<EditsForgotten, Refused> {
        let state = self.workspace.state();
        // Settling a change may need its texts.
        let unsettled = self.settle();
        let forget = || {
            let edits = log::forget_all(state)?;
            let needed = journal::needed_texts(state)?;
            let texts = history::forget(state, &needed)?;
            Ok(EditsForgotten {
                edits,
                texts,
                notes: unsettled,
            })
        };
        forget().map_err(|error| {
            let refused = diagnostic::about_state(&error);
            Box::new(RefusedCall::of_call("list_edits", json!({}), refused))
        })
    }
}
