//! Undoes an applied edit, also one that later edits followed: it restores the text that the edit replaced, and keeps
//! what changed elsewhere.
//!
//! The edit is found in the current text and shown as if it were made last ([`FilePreview::made_last`]); this is what is
//! undone. So the record of an undone edit can be applied again, like any pending edit.

use std::collections::HashSet;

use crate::apply::journal::Direction;
use crate::apply::later::{self, LaterChange};
use crate::apply::{LockedPreview, history};
use crate::change::Change;
use crate::diagnostic::{self, Approved, Code, Diagnostic, NextCall, Suggestion};
use crate::parse::Parsed;
use crate::preview::{self, FilePreview, Preview};
use crate::source::{FileDigest, Source};
use crate::validate::{Check, validate};

use super::calls::{CallContext, ToolRequest};
use super::draft::EditPlan;
use super::edits::{Shows, made};
use super::ledger::LedgerOutcome;
use super::opened::Opened;
use super::request::UndoEdit;
use super::response::{EditList, EditListed, EditMade, EditStatus};
use super::staged::{self, Staged};
use super::undone::{self, FileChange};
use super::{Engine, PendingRefusal, Refused};

/// The changes of files that are known.
struct KnownChanges {
    /// The edits that are applied, newest first.
    applied: Vec<Staged>,
    /// Their changes, and those of undone edits.
    changes: Vec<FileChange>,
}

/// An applied edit as if it were made last.
struct MadeLast {
    preview: Preview,
    /// The changes since the edit, as they are without it.
    rest: Vec<FileChange>,
}

/// A file of an applied edit, and its current text.
struct EditedFile<'a> {
    path: &'a str,
    shown: &'a FilePreview,
    now: &'a Source,
}

impl ToolRequest for UndoEdit {
    type Answer = EditMade;

    const TOOL: &'static str = "undo_edit";

    fn edit_id(&self) -> Option<&str> {
        Some(&self.edit_id)
    }

    fn outcome(answer: &Result<EditMade, Refused>) -> Option<LedgerOutcome<'_>> {
        Some(LedgerOutcome::of_edit(answer))
    }

    fn answer(&self, engine: &Engine, _: &CallContext<'_>) -> Result<EditMade, PendingRefusal> {
        let unsettled = engine.settle();
        let applied = engine.applied(&self.edit_id)?;
        let edit_id = &applied.0.edit_id.clone();
        let permit = match self.preview {
            true => None,
            false => Some(engine.permit(Approved::Undo, edit_id)?),
        };
        let direction = Direction::Back;
        let record = applied.0.clone();
        let opened = engine
            .locked_record(applied, direction, |edit_id| engine.applied(edit_id))
            .and_then(|(staged, mut locked)| {
                let files = engine.opened_record(&staged, direction, &mut locked)?;
                Ok((staged, locked, files))
            });
        let (staged, locked, files) =
            opened.map_err(|refused| engine.after_whole_files(&record, refused))?;
        let MadeLast { preview, rest } = engine.made_last(&staged, &files)?;
        let plan = EditPlan {
            preview,
            targets: staged.targets(),
            notes: Vec::new(),
        };
        let Some(permit) = permit else {
            let shows = Shows::of_written(self.diff, Shows::Diff);
            let mut made = made(&staged, &plan, EditStatus::UndoPreviewed, shows);
            made.notes.extend(unsettled);
            return Ok(made);
        };
        let facts = staged.facts();
        let last = staged.clone().showing(&plan).with_facts(&facts);
        let state = engine.workspace.state();
        // Kept first, so that the record matches the files even if this process dies before the write ends.
        let keep = || {
            undone::keep(state, &staged, &last, rest)?;
            if is_moved(&staged, &last) {
                for text in plan
                    .preview
                    .files()
                    .iter()
                    .filter_map(FilePreview::text_before)
                {
                    history::keep(state, text)?;
                }
                staged::keep_applied(state, &last)?;
            }
            Ok(())
        };
        keep().map_err(|error| diagnostic::about_state(&error))?;
        let written = LockedPreview::to_undo(&plan.preview, locked, &facts)
            .and_then(|locked| locked.write(&engine.workspace, &permit, &[edit_id]))
            .map_err(|error| diagnostic::about_file(&error))?;
        let shows = Shows::of_written(self.diff, Shows::Counts);
        let mut made = made(&last, &plan, EditStatus::Undone, shows);
        made.notes.extend(unsettled);
        made.notes
            .extend(engine.record_written(written, &[last.with(EditStatus::Previewed)]));
        Ok(made)
    }
}

/// Returns whether the texts of an edit differ from those that it was applied to.
fn is_moved(applied: &Staged, last: &Staged) -> bool {
    let mut files = applied.files.iter().zip(&last.files);
    files.any(|(applied, last)| !applied.record.has_digests_of(&last.record))
}

impl Engine {
    /// Returns an applied edit as if it were made last.
    ///
    /// # Errors
    /// A later change touched its text or is unknown, or the files would have new syntax errors without the edit.
    fn made_last(&self, staged: &Staged, files: &[Opened]) -> Result<MadeLast, Diagnostic> {
        let mut known = None;
        let mut previews = Vec::new();
        let mut rest = Vec::new();
        for ((kept, path), now) in staged.files.iter().zip(&staged.paths).zip(files) {
            let now = now.source();
            let shown = self.shown(staged, kept, now.path())?;
            let digest = kept.record.digest_after().digest();
            if digest.is_none_or(|digest| now.digest() == digest) {
                previews.push(shown);
                continue;
            }
            let known = match &known {
                Some(known) => known,
                None => known.insert(self.known_changes()?),
            };
            let file = EditedFile {
                path,
                shown: &shown,
                now,
            };
            let (last, changes) = self.file_made_last(staged, &file, known)?;
            previews.push(last);
            rest.extend(changes.into_iter().map(|change| FileChange {
                path: path.clone(),
                change,
            }));
        }
        Ok(MadeLast {
            preview: self.preview_of(staged, previews)?,
            rest,
        })
    }

    /// Returns the refusal of an edit that is to be undone together with others, but is not the last change of a file.
    pub(super) fn not_undone_together(
        &self,
        edit: &Staged,
        path: &str,
        shown: &FilePreview,
        now: &Source,
    ) -> Diagnostic {
        let file = EditedFile { path, shown, now };
        let alone = self
            .known_changes()
            .and_then(|known| self.file_made_last(edit, &file, &known));
        match alone {
            Err(refused) => refused,
            Ok(_) => {
                let alone = Suggestion::new(
                    NextCall::Undo(edit.edit_id.clone()),
                    "this edit alone".to_string(),
                );
                Diagnostic {
                    suggestions: vec![alone],
                    ..diagnostic::about_undone_together(now.path())
                }
            }
        }
    }

    /// Adds the later edits to a refusal that created or removed a file of an edit as a whole.
    fn after_whole_files(&self, edit: &Staged, refused: Diagnostic) -> Diagnostic {
        let is_missing = match refused.code {
            Code::FileNotFound => true,
            Code::FileExists => false,
            _ => return refused,
        };
        let Ok(known) = self.known_changes() else {
            return refused;
        };
        let is_asked = |one: &FileChange| {
            let absent = match is_missing {
                true => one.change.after,
                false => one.change.before,
            };
            absent.is_absent() && edit.paths.contains(&one.path)
        };
        let asked = known.changes.iter().filter(|one| is_asked(one));
        let asked: Vec<String> = asked.filter_map(|one| one.change.edit_id.clone()).collect();
        let later = known.applied_of(&asked, edit);
        first_undo(&later, refused)
    }

    /// Adds to each applied edit of a list the applied edits whose text it changed, newest first.
    pub(super) fn add_dependencies(&self, list: &mut EditList) -> Result<(), Diagnostic> {
        let known = self.known_changes()?;
        for edit in &known.applied {
            for FileChange { path, change } in undone::changes_of(edit) {
                let file = self.resolved(&path).and_then(|file| self.opened(&file));
                let now = file.ok().map(|opened| opened.source().digest().into());
                let touched_by = later::touched_by(&change, now, &known.of_file(&path));
                for later in known.applied_of(&touched_by, edit) {
                    let is_later = |one: &&mut EditListed| one.edit_id == later.edit_id;
                    if let Some(listed) = list.edits.iter_mut().find(is_later)
                        && !listed.depends_on.contains(&edit.edit_id)
                    {
                        listed.depends_on.push(edit.edit_id.clone());
                    }
                }
            }
        }
        Ok(())
    }

    fn known_changes(&self) -> Result<KnownChanges, Diagnostic> {
        let state = self.workspace.state();
        let failed = |error| diagnostic::about_state(&error);
        let (all, _) = staged::all(state).map_err(failed)?;
        let all = all.into_iter();
        let applied: Vec<Staged> = all
            .filter(|one| one.status == EditStatus::Applied)
            .collect();
        let mut changes: Vec<FileChange> = applied.iter().flat_map(undone::changes_of).collect();
        changes.extend(undone::all(state).map_err(failed)?);
        Ok(KnownChanges { applied, changes })
    }

    /// Returns the change of one file as if it were made last, and the changes since, as they are without it.
    fn file_made_last(
        &self,
        edit: &Staged,
        file: &EditedFile<'_>,
        known: &KnownChanges,
    ) -> Result<(FilePreview, Vec<LaterChange>), Diagnostic> {
        let EditedFile { path, shown, now } = *file;
        let record = shown.record();
        let own = LaterChange::of(&edit.edit_id, record);
        let to = FileDigest::from(now.digest());
        let mut changes = known.of_file(path);
        if later::find(&own, to, &changes).is_none() {
            self.add_unknown_changes(edit, file, known, &mut changes)?;
        }
        let changed_since = || {
            let diff = preview::difference(shown.after(), now);
            diagnostic::about_changed_since(now.path(), diff)
        };
        let (found_as, found) = later::find(&own, to, &changes).ok_or_else(changed_since)?;
        let touched_by = known.applied_of(&found.touched_by, edit);
        if found.is_touched() || record.digest_before().is_absent() {
            let later = match touched_by.is_empty() {
                true => known.applied_of(&later::edits_to(&own, to, &changes), edit),
                false => touched_by,
            };
            return Err(match later.is_empty() {
                true => changed_since(),
                false => {
                    let ids: Vec<&str> = later.iter().map(|one| one.edit_id.as_str()).collect();
                    first_undo(&later, diagnostic::about_later_edits(now.path(), &ids))
                }
            });
        }
        let places: Vec<_> = found.places.iter().map(|place| place.span).collect();
        let last = shown.made_last(now, &places).ok_or_else(changed_since)?;
        if !is_sound(&last) {
            let later = known.applied_of(&later::edits_to(&own, to, &changes), edit);
            return Err(first_undo(
                &later,
                diagnostic::about_unsound_undo(now.path()),
            ));
        }
        let undone = last.record().digest_before();
        Ok((last, found.rest(&found_as, undone, &staged::new_id())))
    }

    /// Adds the changes by other programs between the later edits of a file: each is the difference between the last known
    /// text and the text that the next edit changed, and at last the current text.
    fn add_unknown_changes(
        &self,
        edit: &Staged,
        file: &EditedFile<'_>,
        known: &KnownChanges,
        changes: &mut Vec<LaterChange>,
    ) -> Result<(), Diagnostic> {
        let EditedFile { path, shown, now } = *file;
        let from = shown.record().digest_after();
        let later = known.applied.iter().rev();
        let later = later.filter(|one| one.created >= edit.created && one.edit_id != edit.edit_id);
        let own = |one: &Staged| {
            let mut all = undone::changes_of(one);
            Some(all.find(|one| one.path == path)?.change.before)
        };
        let befores: Vec<FileDigest> = later.filter_map(own).collect();
        for before in befores {
            let reachable = later::reachable(from, changes);
            if reachable.contains(&before) {
                continue;
            }
            if let Some(text) = self.kept_text(path, before, now, known)? {
                let last = self.last_known(file, reachable, known)?;
                let last = last.as_ref().unwrap_or(shown.after());
                changes.push(LaterChange::unknown(last, &text));
            }
        }
        let reachable = later::reachable(from, changes);
        if !reachable.contains(&now.digest().into()) {
            let back: Vec<LaterChange> = changes.iter().map(LaterChange::reversed).collect();
            let leading = later::reachable(now.digest().into(), &back);
            let last = self.last_known(file, reachable, known)?;
            let first = self.last_known(file, leading, known)?;
            changes.push(LaterChange::unknown(
                last.as_ref().unwrap_or(shown.after()),
                first.as_ref().unwrap_or(now),
            ));
        }
        Ok(())
    }

    /// Returns the last of the texts that is kept, apart from the first one.
    fn last_known(
        &self,
        file: &EditedFile<'_>,
        texts: Vec<FileDigest>,
        known: &KnownChanges,
    ) -> Result<Option<Source>, Diagnostic> {
        for text in texts.into_iter().skip(1).rev() {
            let found = self.kept_text(file.path, text, file.now, known)?;
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// Returns the text of a file with this digest: that before or after an applied edit. `None` if it is not kept.
    fn kept_text(
        &self,
        path: &str,
        digest: FileDigest,
        now: &Source,
        known: &KnownChanges,
    ) -> Result<Option<Source>, Diagnostic> {
        let Some(wanted) = digest.digest() else {
            return Ok(None);
        };
        let bytes = history::find(self.workspace.state(), wanted)
            .map_err(|error| diagnostic::about_state(&error))?;
        if let Some(bytes) = bytes {
            return Ok(Source::from_bytes(now.path(), now.language(), bytes).ok());
        }
        let produced = known.applied.iter().find_map(|staged| {
            let mut files = staged.paths.iter().zip(&staged.files);
            let (_, kept) =
                files.find(|(own, kept)| *own == path && kept.record.digest_after() == digest)?;
            self.shown(staged, kept, now.path()).ok()
        });
        Ok(produced.map(|shown| shown.after().clone()))
    }
}

impl KnownChanges {
    fn of_file(&self, path: &str) -> Vec<LaterChange> {
        let own = self.changes.iter().filter(|one| one.path == path);
        own.map(|one| one.change.clone()).collect()
    }

    /// Returns those of the edits that are applied, other than `edit`, newest first.
    fn applied_of(&self, edit_ids: &[String], edit: &Staged) -> Vec<&Staged> {
        let edit_ids: HashSet<&str> = edit_ids.iter().map(String::as_str).collect();
        let is_asked =
            |one: &&Staged| one.edit_id != edit.edit_id && edit_ids.contains(one.edit_id.as_str());
        self.applied.iter().filter(is_asked).collect()
    }
}

/// Suggests to undo the newest of the later edits first.
fn first_undo(later: &[&Staged], refused: Diagnostic) -> Diagnostic {
    let newest = later.first().map(|newest| {
        let selects = format!("the later edit of that file: {}", newest.summary);
        Suggestion::new(NextCall::Undo(newest.edit_id.clone()), selects)
    });
    Diagnostic {
        suggestions: newest.into_iter().collect(),
        ..refused
    }
}

/// Returns whether undoing an edit brings no new syntax error.
fn is_sound(last: &FilePreview) -> bool {
    let Some(back) = last.back() else {
        return false;
    };
    let parsed = Parsed::parse(last.after().clone());
    let change = Change::of_texts(&parsed, back);
    validate(change, &[Check::Surroundings, Check::SuspiciousContent]).is_ok()
}
