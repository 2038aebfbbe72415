//! Undoes an applied edit, also one that later edits followed: it restores the text that the edit replaced, and keeps
//! what changed elsewhere.
//!
//! The edit is found in the current text and shown as if it were made last ([`FilePreview::made_last`]); this is what is
//! undone. So the record of an undone edit can be applied again, like any pending edit.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use crate::apply::journal::Direction;
use crate::apply::later::{FileDelta, TextDelta, Way};
use crate::apply::rebase::Delta;
use crate::apply::{LockedPreview, history};
use crate::change::{Change, TextEdit};
use crate::diagnostic::{self, Approved, Code, Diagnostic, NextCall, Suggestion};
use crate::parse::Parsed;
use crate::preview::{self, FilePreview, Preview};
use crate::source::{FileDigest, Source};
use crate::validate::{Check, validate};
use crate::workspace::{FileError, LockedFile, StateError, WorkspacePath};

use super::accept::RefusedEdit;
use super::batch_lock::{RefusedId, first_id, for_edit};
use super::calls::{CallContext, ToolRequest};
use super::core::Engine;
use super::ledger::LedgerOutcome;
use super::log::{self, EditRecord, ended};
use super::made::{AnswerDetail, made};
use super::parts;
use super::plan::EditPlan;
use super::request::{DiffArgument, UndoEdit};
use super::response::{EditList, EditListed, EditMade, EditStatus, PendingRefusal, Refused};
use std::time::Instant;

/// Whether an undo is written, and when its answer has the diff.
#[derive(Clone, Copy, Debug)]
pub(super) enum UndoMode {
    Show(DiffArgument),
    Write(DiffArgument),
}

/// The current texts of files, by the path that answers show. `None` if there is no file.
type TextsNow<'p> = HashMap<&'p str, Option<Source>>;

/// An applied edit with the paths of its files.
type AppliedEdit<'k> = (&'k EditRecord, &'k [WorkspacePath]);

/// The changes of files that are known.
#[derive(Default)]
struct KnownChanges {
    /// The edits that are applied, newest first.
    applied: Vec<EditRecord>,
    /// Their changes, and those of undone edits.
    changes: Vec<FileDelta>,
}

/// An edit that is undone.
struct UndoneEdit {
    /// Its index among the edits of the call.
    index: usize,
    /// Its record as if it were made last.
    last: EditRecord,
    /// The edit as if it were made last.
    plan: EditPlan,
    /// The changes that the undo makes known.
    changes: Vec<FileDelta>,
    /// The files that changed since the edit, with the edits that did it, the newest first.
    later: Vec<(usize, Vec<String>)>,
}

/// A file of an edit as if the edit were made last.
struct FileMadeLast {
    preview: FilePreview,
    /// The edits of the file since then, the newest first.
    later: Vec<String>,
}

/// What all undone edits so far change in a file.
struct FileUndone<'p> {
    path: &'p str,
    from: Source,
    back: TextEdit,
    /// The refusal if the text is not sound, and the index of the edit that it is about.
    unsound: Option<(usize, Diagnostic)>,
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
        let mode = match self.preview {
            true => UndoMode::Show(self.diff),
            false => UndoMode::Write(self.diff),
        };
        let undone = engine.undone(&[self.edit_id.as_str()], mode);
        let mut undone = undone.map_err(|stopped| stopped.refusal)?;
        let missing = || diagnostic::about_missing_edit(&self.edit_id).into();
        undone.pop().ok_or_else(missing)
    }
}

impl Engine {
    /// Undoes all of these applied edits or none, in whatever order they have to be undone. What
    /// other edits and programs changed elsewhere in the files stays.
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
        let ids: Vec<&str> = edit_ids.iter().map(String::as_str).collect();
        let undone = self.undone(&ids, UndoMode::Write(DiffArgument::default()));
        let edit_id = |index: usize| edit_ids.get(index).map_or("", String::as_str);
        let undone = undone.map_err(|RefusedId { index, refusal }| {
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

    /// Undoes all of these applied edits or none, in whatever order they have to be undone, or shows that. The answers
    /// are in the order of `edit_ids`.
    pub(super) fn undone(
        &self,
        edit_ids: &[&str],
        mode: UndoMode,
    ) -> Result<Vec<EditMade>, RefusedId> {
        let unsettled = self.settle();
        let direction = Direction::Back;
        let mut kept = self.found_together(edit_ids.iter().copied(), direction)?;
        let permit = match mode {
            UndoMode::Show(_) => None,
            UndoMode::Write(_) => {
                let permit = self.permit(Approved::Undo, first_id(&kept));
                Some(permit.map_err(for_edit(0))?)
            }
        };
        let mut locked = self.locked_together(&mut kept, direction)?;
        let edits: Vec<AppliedEdit<'_>> = kept
            .iter()
            .map(|one| (&one.staged, one.paths.as_slice()))
            .collect();
        let now = self.texts_now(&edits, |path, leaving| {
            let own = locked.iter_mut().find(|own| own.path() == path);
            self.text_of_locked(path, own, leaving)
        })?;
        let mut undone = self.planned_undo(&edits, now)?;
        let mut notes = Vec::new();
        let (status, shows) = match mode {
            UndoMode::Show(diff) => (
                EditStatus::UndoPreviewed,
                AnswerDetail::of_written(diff, AnswerDetail::Diff),
            ),
            UndoMode::Write(diff) => (
                EditStatus::Undone,
                AnswerDetail::of_written(diff, AnswerDetail::Seen),
            ),
        };
        if let Some(permit) = permit {
            self.keep_undone(&edits, &undone)
                .map_err(|error| for_edit(0)(diagnostic::about_state(&error)))?;
            let facts: Vec<_> = undone.iter().map(|one| one.last.facts()).collect();
            let previews = undone.iter().map(|one| &one.plan.preview);
            let previews: Vec<(&Preview, &[_])> =
                previews.zip(facts.iter().map(Vec::as_slice)).collect();
            let edits = undone.iter().map(|one| (&one.last, &one.plan.preview));
            let edits: Vec<(&EditRecord, &Preview)> = edits.collect();
            let (written, records) = LockedPreview::to_undo_all(&previews, locked)
                .and_then(|locked| self.written(locked, &permit, &edits, EditStatus::Undone))
                .map_err(|error| for_edit(0)(diagnostic::about_file(&error)))?;
            notes = self.record_written(written, &records);
            notes.extend(self.keep_without_earlier(&records, &undone));
        }
        undone.sort_by_key(|one| one.index);
        let answers = undone
            .iter()
            .map(|one| made(&one.last, &one.plan, status, shows));
        let mut answers: Vec<EditMade> = answers.collect();
        if let Some(first) = answers.first_mut() {
            first.notes.extend(unsettled);
            first.notes.extend(notes);
        }
        Ok(answers)
    }

    /// Returns an applied edit as if it were made last, which is what an undo takes back now. Writes nothing, and locks no
    /// file.
    ///
    /// # Errors
    /// The refusal of the undo.
    pub(super) fn undo_shown(&self, edit: &EditRecord) -> Result<EditPlan, Diagnostic> {
        let paths = self.places_of(edit)?;
        let edits = [(edit, paths.as_slice())];
        let diagnostic = |stopped: RefusedId| stopped.refusal.diagnostic;
        let now = self.texts_now(&edits, |path, leaving| match path.check_free(leaving) {
            Ok(()) => Ok(None),
            Err(_) => Ok(Some(self.opened(path)?.source().clone())),
        });
        let mut undone = self
            .planned_undo(&edits, now.map_err(diagnostic)?)
            .map_err(diagnostic)?;
        let missing = || diagnostic::about_missing_edit(&edit.edit_id);
        undone.pop().map(|one| one.plan).ok_or_else(missing)
    }

    /// Reads the files of edits, each once. `read` gets the path that a file may leave for this one.
    fn texts_now<'k>(
        &self,
        edits: &[AppliedEdit<'k>],
        mut read: impl FnMut(
            &WorkspacePath,
            Option<&WorkspacePath>,
        ) -> Result<Option<Source>, Diagnostic>,
    ) -> Result<TextsNow<'k>, RefusedId> {
        let mut now: TextsNow<'k> = HashMap::new();
        for (index, (staged, paths)) in edits.iter().enumerate() {
            for (file, path) in paths.iter().enumerate() {
                let name = path.display().as_str();
                if now.contains_key(name) {
                    continue;
                }
                let leaving = staged.leaving(file, Direction::Back);
                let leaving = leaving.and_then(|other| paths.get(other));
                let text = read(path, leaving);
                now.insert(name, text.map_err(for_edit(index))?);
            }
        }
        Ok(now)
    }

    /// Reads a locked file. Returns `None` if it does not exist.
    fn text_of_locked(
        &self,
        path: &WorkspacePath,
        locked: Option<&mut LockedFile>,
        leaving: Option<&WorkspacePath>,
    ) -> Result<Option<Source>, Diagnostic> {
        let not_locked = || FileError::NotLocked {
            path: path.display().to_owned(),
        };
        let locked = locked.ok_or_else(|| diagnostic::about_file(&not_locked()))?;
        if locked.check_free(leaving).is_ok() {
            return Ok(None);
        }
        let opened = self.opened_by(path, |known, language| locked.read(known, language))?;
        Ok(Some(opened.source().clone()))
    }

    /// Plans the undo of edits in the current texts of their files. Returns them in the order in which they are undone.
    fn planned_undo<'k>(
        &self,
        edits: &[AppliedEdit<'k>],
        mut now: TextsNow<'k>,
    ) -> Result<Vec<UndoneEdit>, RefusedId> {
        // Alone, an edit that nothing followed needs no others.
        let mut known = match edits.len() {
            1 => None,
            _ => Some(self.known_changes().map_err(for_edit(0))?),
        };
        let mut open: Vec<usize> = (0..edits.len()).rev().collect();
        open.sort_by_key(|index| Reverse(edits[*index].0.created));
        let mut undone: Vec<UndoneEdit> = Vec::new();
        let mut files: Vec<FileUndone<'k>> = Vec::new();
        while !open.is_empty() {
            let (at, one) = self.next_undone(edits, &open, &now, &mut known)?;
            open.remove(at);
            let (staged, paths) = edits[one.index];
            for (file, path) in one.plan.preview.files().iter().zip(paths) {
                let name = path.display().as_str();
                now.insert(name, file.text_before().cloned());
                FileUndone::add(&mut files, name, file).map_err(for_edit(one.index))?;
            }
            for (file, later) in &one.later {
                let name = paths[*file].display().as_str();
                if let Some(own) = files.iter_mut().find(|own| own.path == name)
                    && let Some(known) = &known
                {
                    let refused = diagnostic::about_unsound_undo(name);
                    let refused = first_undo(&known.applied_of(later, staged), refused);
                    own.unsound = Some((one.index, refused));
                }
            }
            if let Some(known) = &mut known {
                known.add_undone(&one);
            }
            undone.push(one);
        }
        for file in files {
            let is_sound = file.is_sound();
            if let Some((index, refused)) = file.unsound.filter(|_| !is_sound) {
                return Err(for_edit(index)(refused));
            }
        }
        Ok(undone)
    }

    /// Returns an edit that can be undone in these texts, with its position in `open`: if possible one that made them.
    fn next_undone<'k>(
        &self,
        edits: &[AppliedEdit<'k>],
        open: &[usize],
        now: &TextsNow<'k>,
        known: &mut Option<KnownChanges>,
    ) -> Result<(usize, UndoneEdit), RefusedId> {
        let mut order: Vec<usize> = (0..open.len()).collect();
        order.sort_by_key(|at| !is_latest(edits[open[*at]], now));
        let mut first_refused = None;
        for at in order {
            let index = open[at];
            match self.made_last(edits[index], index, now, known) {
                Ok(one) => return Ok((at, one)),
                Err(refused) => {
                    first_refused.get_or_insert((index, refused));
                }
            }
        }
        Err(match first_refused {
            Some((index, refused)) => for_edit(index)(refused),
            None => for_edit(0)(diagnostic::about_arguments("no edit is chosen")),
        })
    }

    /// Returns the known changes, which are read at most once.
    fn known<'k>(
        &self,
        known: &'k mut Option<KnownChanges>,
    ) -> Result<&'k KnownChanges, Diagnostic> {
        if known.is_none() {
            *known = Some(self.known_changes()?);
        }
        Ok(known.get_or_insert_default())
    }

    /// Returns an applied edit as if it were made last.
    ///
    /// # Errors
    /// A later change touched its text or is unknown.
    fn made_last(
        &self,
        (staged, paths): AppliedEdit<'_>,
        index: usize,
        now: &TextsNow<'_>,
        known: &mut Option<KnownChanges>,
    ) -> Result<UndoneEdit, Diagnostic> {
        let mut previews = Vec::new();
        let mut later = Vec::new();
        for (file, (kept, path)) in staged.files.iter().zip(paths).enumerate() {
            let name = path.display().as_str();
            let now = now.get(name).and_then(Option::as_ref);
            let refused = match (kept.record.digest_after().digest(), now) {
                (Some(expected), Some(now)) => {
                    let shown = self.shown(staged, kept, name)?;
                    if now.digest() == expected {
                        previews.push(shown);
                        continue;
                    }
                    let path = &staged.paths[file];
                    let edited = EditedFile {
                        path,
                        shown: &shown,
                        now,
                    };
                    let last = self.file_made_last(staged, &edited, self.known(known)?)?;
                    previews.push(last.preview);
                    later.push((file, last.later));
                    continue;
                }
                (None, None) => {
                    previews.push(self.shown(staged, kept, name)?);
                    continue;
                }
                (Some(_), None) => match self.resolved(path.absolute().as_str()) {
                    // An edit that is undone in the same call moved or created the file.
                    Ok(_) => diagnostic::about_file(&FileError::FileNotFound {
                        path: name.into(),
                        missing: name.into(),
                    }),
                    Err(refused) => refused,
                },
                (None, Some(_)) => {
                    let path = name.into();
                    diagnostic::about_file(&FileError::Exists { path })
                }
            };
            return Err(match self.known(known) {
                Ok(known) => known.after_whole_files(staged, refused),
                Err(_) => refused,
            });
        }
        let plan = EditPlan {
            preview: self.preview_of(staged, previews)?,
            targets: staged.targets(),
            notes: Vec::new(),
        };
        let checks = staged.files.iter().map(|file| file.checked_as);
        let last = staged.clone().showing(&plan);
        let mut last = last.with_facts(&staged.facts()).with_checks(checks);
        // Its changes as it was applied, and those of its undo as if it were made last.
        let back = last.changes().map(|one| FileDelta {
            change: one.change.reversed(),
            ..one
        });
        let changes: Vec<FileDelta> = staged.changes().chain(back).collect();
        last.undone.extend(changes.iter().cloned());
        Ok(UndoneEdit {
            index,
            changes,
            last,
            plan,
            later,
        })
    }

    /// Keeps the records of the edits as if they were made last, with what the undo makes known. So the records match the
    /// files even if this process dies before the write ends.
    fn keep_undone(
        &self,
        edits: &[AppliedEdit<'_>],
        undone: &[UndoneEdit],
    ) -> Result<(), StateError> {
        let state = self.workspace.state();
        for one in undone {
            let applied = edits[one.index].0.files.iter();
            let files = one.plan.preview.files().iter().zip(applied);
            let moved = files.filter(|(last, applied)| {
                last.record().digest_before() != applied.record.digest_before()
            });
            for text in moved.filter_map(|(last, _)| last.text_before()) {
                history::keep(state, text)?;
            }
            log::keep(state, &one.last)?;
        }
        Ok(())
    }

    /// Keeps the record of each undone edit as the edit is in the text that is left after the others, too, are undone.
    /// One that does not fit there is stale. Returns notes on failures.
    fn keep_without_earlier(&self, records: &[EditRecord], undone: &[UndoneEdit]) -> Vec<String> {
        let mut notes = Vec::new();
        let mut back: HashMap<&str, TextEdit> = HashMap::new();
        // Of each file, the text that is left: the same for all edits.
        let mut left: HashMap<&str, Option<Parsed>> = HashMap::new();
        for (staged, one) in records.iter().zip(undone).rev() {
            let files = one.plan.preview.files();
            if let Some(plan) = without_earlier(staged, files, &back, &mut left) {
                let kept = self.keep(&staged.clone().showing(&plan), &plan.preview);
                notes.extend(kept.err().map(|refused| refused.message));
            }
            for file in files {
                let path = file.before().path();
                if let Some(own) = file.back() {
                    let all = match back.remove(path) {
                        Some(earlier) => own.then(&earlier),
                        None => own,
                    };
                    back.insert(path, all);
                }
            }
        }
        notes
    }

    /// Adds to each applied edit of a list the applied edits whose text it changed, newest first.
    pub(super) fn add_dependencies(&self, list: &mut EditList) -> Result<(), Diagnostic> {
        let known = self.known_changes()?;
        for edit in &known.applied {
            for FileDelta { path, change } in edit.changes() {
                let file = self.resolved(&path).and_then(|file| self.opened(&file));
                let now = file.map_or(FileDigest::Absent, |opened| opened.source().digest().into());
                let way = Way::find(change.after, now, &known.of_file(&path));
                let touched_by = way.touching(change.new_spans());
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
        let (all, _) = log::all(state).map_err(failed)?;
        let ended = ended::all(state).map_err(failed)?.into_iter();
        let ended = ended.filter_map(|one| one.about).map(|about| about.undone);
        let undone = all.iter().map(|one| one.undone.clone());
        let undone: Vec<FileDelta> = undone.chain(ended).flatten().collect();
        let all = all.into_iter();
        let applied: Vec<EditRecord> = all
            .filter(|one| one.status == EditStatus::Applied)
            .collect();
        let changes = applied.iter().flat_map(EditRecord::changes).chain(undone);
        Ok(KnownChanges {
            changes: changes.collect(),
            applied,
        })
    }

    /// Returns the change of one file as if it were made last.
    fn file_made_last(
        &self,
        edit: &EditRecord,
        file: &EditedFile<'_>,
        known: &KnownChanges,
    ) -> Result<FileMadeLast, Diagnostic> {
        let EditedFile { path, shown, now } = *file;
        let (record, after) = (shown.record(), shown.after());
        let changed_since = || {
            let diff = preview::difference(after, now);
            diagnostic::about_changed_since(now.path(), diff)
        };
        let back = shown.back().ok_or_else(changed_since)?;
        let changes = known.of_file(path);
        let way = Way::find(record.digest_after(), now.digest().into(), &changes);
        let delta = way.delta(after, now);
        let is_known = delta.is_some();
        let deltas = match delta {
            Some(delta) => vec![delta],
            // Other programs changed the file.
            None => vec![Delta::in_one_part(after, now), Delta::in_parts(after, now)],
        };
        let mut places = deltas.iter().filter_map(|delta| {
            let places = delta.places(after, back.replacements());
            shown.made_last(now, &places.ok()?)
        });
        let last = places
            .next()
            .filter(|_| !record.digest_before().is_absent());
        last.map(|preview| FileMadeLast {
            preview,
            later: way.edits(),
        })
        .ok_or_else(|| {
            let touching = way.touching(back.replacements().iter().map(|one| one.span).collect());
            let later = match known.applied_of(&touching, edit) {
                none if none.is_empty() && is_known => known.applied_of(&way.edits(), edit),
                touching => touching,
            };
            match later.is_empty() {
                true => changed_since(),
                false => {
                    let ids: Vec<&str> = later.iter().map(|one| one.edit_id.as_str()).collect();
                    first_undo(&later, diagnostic::about_later_edits(now.path(), &ids))
                }
            }
        })
    }
}

impl KnownChanges {
    fn of_file(&self, path: &str) -> Vec<&TextDelta> {
        let own = self.changes.iter().filter(|one| one.path == path);
        own.map(|one| &one.change).collect()
    }

    /// Adds an edit that is undone.
    fn add_undone(&mut self, edit: &UndoneEdit) {
        self.applied.retain(|one| one.edit_id != edit.last.edit_id);
        self.changes.extend(edit.changes.iter().cloned());
    }

    /// Adds the later edits to a refusal that created or removed a file of an edit as a whole.
    fn after_whole_files(&self, edit: &EditRecord, refused: Diagnostic) -> Diagnostic {
        let is_missing = match refused.code {
            Code::FileNotFound => true,
            Code::FileExists => false,
            _ => return refused,
        };
        let is_asked = |one: &&FileDelta| {
            let absent = match is_missing {
                true => one.change.after,
                false => one.change.before,
            };
            !one.change.is_undo && absent.is_absent() && edit.paths.contains(&one.path)
        };
        let asked = self.changes.iter().filter(is_asked);
        let asked: Vec<String> = asked.map(|one| one.change.edit_id.clone()).collect();
        first_undo(&self.applied_of(&asked, edit), refused)
    }

    /// Returns those of the edits that are applied, other than `edit`, newest first.
    fn applied_of(&self, edit_ids: &[String], edit: &EditRecord) -> Vec<&EditRecord> {
        let edit_ids: HashSet<&str> = edit_ids.iter().map(String::as_str).collect();
        let is_asked = |one: &&EditRecord| {
            one.edit_id != edit.edit_id && edit_ids.contains(one.edit_id.as_str())
        };
        self.applied.iter().filter(is_asked).collect()
    }
}

/// Suggests to undo the newest of the later edits first.
fn first_undo(later: &[&EditRecord], refused: Diagnostic) -> Diagnostic {
    let newest = later.first().map(|newest| {
        let selects = format!("the later edit of that file: {}", newest.summary);
        Suggestion::new(NextCall::Undo(newest.edit_id.clone()), selects)
    });
    Diagnostic {
        suggestions: newest.into_iter().collect(),
        ..refused
    }
}

/// Returns whether the files have the texts that an edit produced.
fn is_latest((staged, paths): AppliedEdit<'_>, now: &TextsNow<'_>) -> bool {
    let mut files = staged.files.iter().zip(paths);
    files.all(|(file, path)| {
        let now = now.get(path.display().as_str()).and_then(Option::as_ref);
        file.record.digest_after().digest() == now.map(Source::digest)
    })
}

/// Returns an edit of `files` that was undone as it is in the texts that are left after the edits `back` are undone too.
/// Returns `None` if it does not change, or does not fit there. `left` are these texts, as far as they are parsed.
fn without_earlier<'f>(
    staged: &EditRecord,
    files: &'f [FilePreview],
    back: &HashMap<&str, TextEdit>,
    left: &mut HashMap<&'f str, Option<Parsed>>,
) -> Option<EditPlan> {
    let allow = staged.call.allowed();
    let mut is_moved = false;
    let files = files.iter().zip(&staged.files).map(|(file, kept)| {
        let Some(others) = back.get(file.before().path()) else {
            return Some(file.clone());
        };
        is_moved = true;
        // It was checked in this text before it was accepted together with the others.
        if let Some(checked_as) = kept.checked_as
            && let Ok(moved) = parts::unchecked_after_others(file, others)
            && moved.record().digest_of_edit() == checked_as
        {
            return Some(moved);
        }
        let left = left.entry(file.before().path()).or_default();
        parts::after_others(file, others, &allow, left).ok()
    });
    let files: Vec<FilePreview> = files.collect::<Option<_>>()?;
    is_moved.then_some(EditPlan {
        preview: Preview::from_files(files).ok()?,
        targets: staged.targets(),
        notes: staged.notes.clone(),
    })
}

impl<'p> FileUndone<'p> {
    /// Adds the undo of an edit of a file.
    fn add(
        all: &mut Vec<FileUndone<'p>>,
        path: &'p str,
        file: &FilePreview,
    ) -> Result<(), Diagnostic> {
        let known = all.iter().position(|own| own.path == path);
        if file.text_before().is_none() || file.text_after().is_none() {
            // Its text is not compared with that before.
            known.map(|at| all.swap_remove(at));
            return Ok(());
        }
        let back = file.back();
        let back = back.ok_or_else(|| diagnostic::about_parts_joined(path, 1))?;
        match known {
            Some(at) => all[at].back = all[at].back.then(&back),
            None => all.push(FileUndone {
                path,
                from: file.after().clone(),
                back,
                unsound: None,
            }),
        }
        Ok(())
    }

    /// Returns whether the undo brings no new syntax error. The texts in between need not be sound.
    fn is_sound(&self) -> bool {
        if self.unsound.is_none() {
            return true;
        }
        let parsed = Parsed::parse(self.from.clone());
        let change = Change::of_texts(&parsed, self.back.clone());
        validate(change, &[Check::Surroundings, Check::SuspiciousContent]).is_ok()
    }
}
