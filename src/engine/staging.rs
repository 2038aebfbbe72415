//! Stages what a call changes, and writes it if the call says so.

use crate::apply::history;
use crate::apply::journal::Written;
use crate::apply::{FileFacts, LockedPreview};
use crate::diagnostic::{self, Approved, Diagnostic};
use crate::parallel;
use crate::preview::{self, FilePreview, Preview};
use crate::workspace::{FileError, WritePermit};

use super::accept::{ChosenEdit, NotWritten};
use super::core::Engine;
use super::log::ended::{self, Why};
use super::log::{self, EditOrigin, EditRecord};
use super::made::{AnswerDetail, cut_diffs, diffs_shown, made, made_by};
use super::plan::PlannedCall;
use super::request::{DiffArgument, RebaseArgument};
use super::response::{EditMade, EditStatus, PendingRefusal};
use super::watch::COMMAND_LINE;

impl Engine {
    /// Makes a call that edits: stages what it changes, and writes that if `apply` says what the answer then shows by default.
    /// If the edit has an id, the call is made only once: an edit that is already written is returned as it was shown.
    pub(super) fn make(
        &self,
        (apply, diff): (Option<AnswerDetail>, DiffArgument),
        origin: EditOrigin<'_>,
        plan: impl FnOnce() -> Result<PlannedCall, PendingRefusal>,
    ) -> Result<EditMade, PendingRefusal> {
        let known = origin
            .edit_id
            .and_then(|edit_id| self.applied(edit_id).ok());
        if let Some((staged, _)) = known {
            return Ok(self.shown_again(&staged, diff)?);
        }
        let unsettled = self.settle();
        let planned = plan()?;
        let mut made = match apply {
            _ if planned.plan.preview.files().is_empty() => EditMade {
                matches: planned.matches,
                ..made_by(
                    &planned.call,
                    &planned.plan,
                    EditStatus::Unchanged,
                    AnswerDetail::Diff,
                )
            },
            None => self.previewed(planned, diff, origin)?,
            Some(detail) => {
                let detail = AnswerDetail::of_written(diff, detail);
                self.written_at_once(planned, detail, origin)?
            }
        };
        if diff == DiffArgument::Auto {
            cut_diffs(&mut made);
        }
        made.notes.extend(unsettled);
        Ok(made)
    }

    /// Stages what a call changes, and shows it.
    pub(super) fn previewed(
        &self,
        planned: PlannedCall,
        diff: DiffArgument,
        origin: EditOrigin<'_>,
    ) -> Result<EditMade, Diagnostic> {
        let (staged, gc_warning) = self.stage(&planned, origin)?;
        let PlannedCall { plan, matches, .. } = planned;
        let detail = AnswerDetail::of_written(diff, AnswerDetail::Diff);
        let mut made = made(&staged, &plan, EditStatus::Previewed, detail);
        made.matches = matches;
        made.needs_approval = self.approval_required().is_some();
        made.notes.extend(gc_warning);
        self.previews.hold(&staged.edit_id, plan.preview);
        Ok(made)
    }

    /// Stages what a call changes, and writes it. If a file changed since the call was planned, carries the edit over or plans
    /// it again, since nobody has seen it yet.
    fn written_at_once(
        &self,
        mut planned: PlannedCall,
        detail: AnswerDetail,
        origin: EditOrigin<'_>,
    ) -> Result<EditMade, PendingRefusal> {
        /// How often other programs may change the files meanwhile.
        const ATTEMPTS: usize = 20;

        let mut left = ATTEMPTS;
        loop {
            let (staged, gc_warning) = self.stage(&planned, origin)?;
            self.permit_of_staged(&staged)?;
            self.previews.hold(&staged.edit_id, planned.plan.preview);
            let chosen = [ChosenEdit::whole(&staged.edit_id)];
            let refused = match self.write_chosen(&chosen, (RebaseArgument::Ask, detail)) {
                Ok(mut accepted) => {
                    let mut made = accepted.edits.remove(0);
                    // No preview has shown it elsewhere.
                    made.status = EditStatus::Applied;
                    made.matches = planned.matches;
                    made.notes.extend(gc_warning);
                    made.notes.extend(self.end_repeated(&staged));
                    return Ok(made);
                }
                Err(NotWritten::Refused(refused)) => refused.refusal,
                Err(NotWritten::Around(..) | NotWritten::Stale(..)) => {
                    let again = self.planned_again(&staged, true);
                    left -= 1;
                    if left > 0
                        && let Ok(Some(again)) = again
                    {
                        log::forget(self.workspace.state(), &staged.edit_id)
                            .map_err(|error| diagnostic::about_state(&error))?;
                        planned = again;
                        continue;
                    }
                    let first = staged.files.first();
                    let path = first.map_or("", |file| file.record.file_path());
                    self.stale(&staged, path).into()
                }
            };
            return Err(PendingRefusal {
                edit_id: Some(staged.edit_id),
                ..refused
            });
        }
    }

    /// Keeps an edit and its texts. Returns a note if old ones could not be removed, which does not fail the call.
    pub(super) fn keep(
        &self,
        staged: &EditRecord,
        preview: &Preview,
    ) -> Result<Option<String>, Diagnostic> {
        let state = self.workspace.state();
        let keep = || {
            let texts = preview.files().iter().filter_map(FilePreview::text_before);
            let bytes =
                parallel::try_map(texts.collect(), |text| history::keep(state, text), drop)?;
            log::keep(state, staged)?;
            Ok(bytes.into_iter().sum())
        };
        self.gc_budget
            .add(keep().map_err(|error| diagnostic::about_state(&error))?);
        let swept = log::sweep_now_and_then(state, &self.gc_budget);
        let gc_warning = swept.err();
        Ok(gc_warning.map(|error| diagnostic::not_removed_text(&error)))
    }

    /// Stages what a call changes. Also returns a note if old edits could not be removed.
    fn stage(
        &self,
        planned: &PlannedCall,
        origin: EditOrigin<'_>,
    ) -> Result<(EditRecord, Option<String>), Diagnostic> {
        let plan = &planned.plan;
        let files = plan.preview.files().iter();
        let names = files.map(|file| self.absolute_name(file.before().path()));
        let staged = EditRecord::new(
            names.collect(),
            planned.call.clone(),
            EditStatus::Previewed,
            planned.summary.clone(),
            plan.notes.clone(),
        )
        .with_origin(origin)
        .in_symbol(planned.symbol.clone())
        .showing(plan);
        let gc_warning = self.keep(&staged, &plan.preview)?;
        Ok((staged, gc_warning))
    }

    /// Returns the permission to write the edit that this call has staged.
    ///
    /// # Errors
    /// A person has to approve it. The refusal shows the edit, which the caller has not seen.
    fn permit_of_staged(&self, staged: &EditRecord) -> Result<WritePermit, PendingRefusal> {
        self.permit(Approved::Edit, &staged.edit_id)
            .map_err(|refused| {
                let diffs = staged.diffs();
                let diffs = preview::in_one_patch(diffs.iter().map(String::as_str));
                let shown = &diffs[..diffs_shown(diffs.iter().map(|diff| diff.len()))];
                let omitted = diffs.len() - shown.len();
                let omitted = diagnostic::diffs_omitted_text(omitted, &staged.edit_id);
                let help = refused.help.iter().cloned().chain(omitted);
                PendingRefusal {
                    edit_id: Some(staged.edit_id.clone()),
                    ..Diagnostic {
                        diff: Some(shown.concat()),
                        help: Some(help.collect::<Vec<_>>().join("; ")),
                        ..refused
                    }
                    .into()
                }
            })
    }

    /// Returns the permission to write or undo an edit.
    ///
    /// # Errors
    /// A person has to approve it.
    pub(super) fn permit(&self, what: Approved, edit_id: &str) -> Result<WritePermit, Diagnostic> {
        self.workspace.write_permit().map_err(|error| {
            let root = self.roots().next().unwrap_or_default();
            diagnostic::about_approval(what, edit_id, &error, root)
        })
    }

    /// Writes kept edits with their previews, or undoes them. Returns their records with that status; those of applied edits
    /// have what an undo needs.
    pub(super) fn written<'w>(
        &'w self,
        locked: LockedPreview<'_>,
        permit: &WritePermit,
        edits: &[(&EditRecord, &Preview)],
        status: EditStatus,
    ) -> Result<(Written<'w>, Vec<EditRecord>), FileError> {
        let state = self.workspace.state();
        let mut records = Vec::new();
        for (staged, preview) in edits {
            let mut record = (*staged).clone();
            let facts = locked.facts_of(preview);
            if status == EditStatus::Applied && !facts.iter().all(FileFacts::is_empty) {
                record = record.with_facts(&facts);
                // First, so that it is known even if this process dies before the write ends.
                log::keep(state, &record).map_err(|source| FileError::NoJournal {
                    path: state.path().to_owned(),
                    source,
                })?;
            }
            records.push(record.with(status));
        }
        let edit_ids: Vec<&str> = records.iter().map(|one| one.edit_id.as_str()).collect();
        let written = locked.write(&self.workspace, permit, &edit_ids)?;
        Ok((written, records))
    }

    /// Records edits as written or undone. Returns the notes on that.
    pub(super) fn record_written(&self, written: Written<'_>, done: &[EditRecord]) -> Vec<String> {
        let mut notes: Vec<String> = written
            .warnings
            .iter()
            .map(diagnostic::written_text)
            .collect();
        let state = self.workspace.state();
        let noted = done
            .iter()
            .try_for_each(|staged| log::note_status(state, staged));
        if let Err(error) = noted.and_then(|()| written.recorded()) {
            notes.push(diagnostic::not_recorded_text(&error));
        }
        notes
    }

    /// Ends the previews of the command that a person has repeated to write `written`. Returns a note if that fails.
    fn end_repeated(&self, written: &EditRecord) -> Option<String> {
        /// The number of records that may be such previews.
        const LATEST: usize = 20;

        let is_of_person = |one: &EditRecord| one.client.as_deref() == Some(COMMAND_LINE);
        if !is_of_person(written) {
            return None;
        }
        let state = self.workspace.state();
        let end = || {
            let latest = log::latest_pending(state, LATEST);
            let latest = latest.map_err(|error| diagnostic::about_state(&error))?;
            let is_former = |one: &&EditRecord| {
                is_of_person(one) && !one.is_part && one.call.makes_same_edits(&written.call)
            };
            latest.iter().filter(is_former).try_for_each(|former| {
                let by = written.edit_id.clone();
                let keep = || ended::keep(state, former, Why::Replaced { by });
                self.forget_pending(former, keep).map(drop)
            })
        };
        end().err().map(|refused: Diagnostic| refused.message)
    }
}
