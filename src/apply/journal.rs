//! Changes several files, all or none. The change is first recorded in the state directory, so that after a crash at
//! any moment the next process completes or reverts it.
//!
//! A record passes through these phases. Each phase is completely on disk before the next step:
//!
//! 1. *preparing*: new bytes are written to temporary files with the recorded names. After a crash: these are
//!    removed. A single file needs no other phase, since changing it is one step.
//! 2. *committed*: all new bytes are on disk, and replace the old ones, file by file. After a crash: the remaining
//!    files are replaced too. If another process has changed a file that is not replaced yet, the record becomes
//! 3. *undoing*: replaced files get their old bytes back, from [`history`].
//!
//! A file can also be created or removed. A removal has a temporary file too, which is empty: whatever the change of a
//! file is, its temporary file exists until the change is made. The bytes, the mode and the owner of a removed file come
//! back from [`history`] and the record; the directories of a created file are removed if they are empty.
//!
//! The locks of all files are held as long as the record exists. A process that finds a record and gets the locks
//! therefore knows that its writer is dead.

use serde::{Deserialize, Serialize};

use crate::parallel;
use crate::source::{Digest, FileDigest};
use crate::workspace::{
    Durable, FileError, LockedFile, Made, Outside, Prepared, StateDirectory, StateError,
    TemporaryName, Unsynced, Workspace, WorkspacePath, WritePermit, WriteWarning,
};

use super::record::{self, NoRecord};
use super::{FileFacts, history};

const FOLDER: &str = "journal";
const VERSION: u32 = 3;

/// A file to replace, create or remove.
pub(super) struct ChangedFile<'a> {
    pub(super) locked: &'a LockedFile,
    pub(super) before: FileDigest,
    pub(super) after: FileDigest,
    pub(super) facts: FileFacts,
    /// The bytes after the change; none if the file is removed.
    pub(super) parts: Vec<&'a [u8]>,
}

/// The state after all files are written. The record and the locks still exist.
#[derive(Debug)]
#[must_use]
pub struct Written<'a> {
    state: &'a StateDirectory,
    /// The file name of the record.
    record: String,
    _locked: Vec<LockedFile>,
    /// What the user should know about the files.
    pub warnings: Vec<WriteWarning>,
}

/// Whether an edit is applied or undone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// The edit is applied.
    There,
    /// The edit is undone.
    Back,
}

/// The outcome of the record of a dead process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settled {
    /// The ids of the edits.
    pub edit_ids: Vec<String>,
    /// Whether the edits were being applied or undone.
    pub direction: Direction,
    /// Whether the change is completed. Otherwise it is reverted.
    pub is_done: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct JournalRecord {
    version: u32,
    /// The first of the edits, which gives the record its name.
    edit_id: String,
    /// The others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    other_ids: Vec<String>,
    direction: Direction,
    phase: Phase,
    files: Vec<JournalFile>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Phase {
    Preparing,
    Committed,
    Undoing,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct JournalFile {
    /// The absolute path.
    path: String,
    temporary: TemporaryName,
    before: FileDigest,
    after: FileDigest,
    #[serde(default, skip_serializing_if = "FileFacts::is_empty")]
    facts: FileFacts,
}

/// A recorded file with its lock.
struct Held<'a> {
    locked: &'a LockedFile,
    temporary: TemporaryName,
    kind: ChangeKind,
    facts: FileFacts,
}

/// The change of one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ChangeKind {
    Replace { before: Digest, after: Digest },
    Create { after: Digest },
    Remove { before: Digest },
}

/// How far the change of one file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Progress {
    /// It is prepared, and the file is as before.
    Pending,
    /// It is prepared, but another process has changed the file.
    Blocked,
    /// The file is as after the change.
    Made,
    /// It is neither prepared nor made.
    Dropped,
}

/// Returns the number of changes that were interrupted or are being made by another process.
///
/// # Errors
/// The state directory fails.
pub fn left(state: &StateDirectory) -> Result<usize, StateError> {
    Ok(state.list(FOLDER)?.len())
}

impl<'a> Written<'a> {
    pub(super) fn new(
        state: &'a StateDirectory,
        edit_ids: &[&str],
        warnings: Vec<WriteWarning>,
        locked: Vec<LockedFile>,
    ) -> Written<'a> {
        Written {
            state,
            record: file_name(edit_ids.first().copied().unwrap_or_default()),
            warnings,
            _locked: locked,
        }
    }

    /// Removes the record. Called after the status of each edit is recorded.
    ///
    /// # Errors
    /// The state directory fails. The next process removes the record.
    pub fn recorded(self) -> Result<(), StateError> {
        self.state.remove(FOLDER, &self.record)?;
        Ok(())
    }
}

/// Changes all files or none. Keeps the record.
pub(super) fn change_all(
    workspace: &Workspace,
    permit: &WritePermit,
    changes: &[ChangedFile<'_>],
    edit_ids: &[&str],
    direction: Direction,
) -> Result<Vec<WriteWarning>, FileError> {
    let state = workspace.state();
    let (edit_id, other_ids) = match edit_ids {
        [first, others @ ..] => (*first, others),
        [] => ("", &[][..]),
    };
    let mut files = Vec::new();
    for change in changes {
        files.push(JournalFile {
            path: change.locked.path().absolute().to_string(),
            temporary: change.locked.new_temporary_name()?,
            before: change.before,
            after: change.after,
            facts: change.facts.clone(),
        });
    }
    let mut note = JournalRecord {
        version: VERSION,
        edit_id: edit_id.to_string(),
        other_ids: other_ids.iter().map(|id| id.to_string()).collect(),
        direction,
        phase: Phase::Preparing,
        files,
    };
    let noted = |note: &JournalRecord, durable| {
        note.keep(state, durable)
            .map_err(|source| match changes.first() {
                Some(change) => FileError::NoJournal {
                    path: change.locked.path().display().to_owned(),
                    source,
                },
                None => no_journal(state, source),
            })
    };
    noted(&note, Durable::AfterACrash)?;
    let committed = prepare_all(permit, changes, &note).and_then(|prepared| {
        if changes.len() > 1 {
            note.phase = Phase::Committed;
            noted(&note, Durable::AfterAPowerCut)?;
        }
        Ok(prepared)
    });
    let prepared = match committed {
        Ok(prepared) => prepared,
        Err(error) => {
            for change in changes.iter().filter(|change| change.before.is_absent()) {
                let folders = change.facts.made_folders;
                change.locked.remove_empty_folders(permit, folders);
            }
            // Nothing was changed. A remaining record is harmless.
            let _ = state.remove(FOLDER, &file_name(edit_id));
            return Err(error);
        }
    };
    let warnings =
        take_places(prepared).inspect_err(|_| revert(workspace, permit, &mut note, changes))?;
    for change in changes.iter().filter(|change| change.after.is_absent()) {
        let folders = change.facts.made_folders;
        change.locked.remove_empty_folders(permit, folders);
    }
    Ok(warnings)
}

fn prepare_all<'a>(
    permit: &WritePermit,
    changes: &[ChangedFile<'a>],
    note: &JournalRecord,
) -> Result<Vec<Prepared<'a>>, FileError> {
    let all = changes.iter().zip(&note.files).collect();
    let prepare = |(change, noted): (&ChangedFile<'a>, &JournalFile)| {
        let held = Held::new(change.locked, noted)?;
        held.prepare(permit, change.parts.iter().copied())
    };
    let prepared = parallel::try_map(all, prepare, drop)?;
    Unsynced::sync_all(prepared)
}

fn take_places(prepared: Vec<Prepared<'_>>) -> Result<Vec<WriteWarning>, FileError> {
    // The caller decides what to do with the remaining files when it reverts the change.
    let made = match prepared.iter().all(Prepared::is_replacement) {
        true => parallel::try_map(prepared, Prepared::make, Prepared::leave)?,
        // Their order matters.
        false => {
            let mut rest = prepared.into_iter();
            let made: Result<Vec<_>, _> = rest.by_ref().map(Prepared::make).collect();
            rest.for_each(Prepared::leave);
            made?
        }
    };
    Made::finish_all(made)
}

/// Reverts a change that cannot be completed. If that also fails, keeps the record for the next process.
fn revert(
    workspace: &Workspace,
    permit: &WritePermit,
    note: &mut JournalRecord,
    changes: &[ChangedFile<'_>],
) {
    let files = note.files.clone();
    let held = changes.iter().zip(&files);
    let held = held.map(|(change, noted)| Held::new(change.locked, noted));
    let Ok(held) = held.collect::<Result<Vec<Held<'_>>, _>>() else {
        return;
    };
    let state = workspace.state();
    let is_noted = held.len() == 1 || {
        note.phase = Phase::Undoing;
        note.keep(state, Durable::AfterAPowerCut).is_ok()
    };
    if is_noted && undo_all(state, permit, &held).is_ok() {
        let _ = state.remove(FOLDER, &file_name(&note.edit_id));
    }
}

/// Completes or reverts the changes of dead processes whose files are in the workspace. Passes each outcome to
/// `record`, and removes the record of the change.
///
/// Returns the errors. The records of the failed changes are kept, and so are all records if the caller may not write
/// files.
pub fn settle_all(
    workspace: &Workspace,
    mut record: impl FnMut(&Settled) -> Result<(), StateError>,
) -> Vec<FileError> {
    let state = workspace.state();
    let notes = match state.list(FOLDER) {
        Ok(notes) => notes,
        Err(error) => return vec![no_journal(state, error)],
    };
    let settled = notes
        .iter()
        .map(|kept| settle(workspace, &kept.name, &mut record));
    settled.filter_map(Result::err).collect()
}

/// Returns the digests of the texts that a process may need to revert the changes that are interrupted or being made.
///
/// # Errors
/// The state directory fails.
pub(crate) fn needed_texts(state: &StateDirectory) -> Result<Vec<Digest>, StateError> {
    let mut needed = Vec::new();
    for kept in state.list(FOLDER)? {
        let note = find(state, &kept.name)?;
        let files = note.into_iter().flat_map(|note| note.files);
        needed.extend(files.filter_map(|file| file.before.digest()));
    }
    Ok(needed)
}

/// Moves the records aside that could not be settled for as long as edits are kept.
///
/// # Errors
/// The state directory fails.
pub fn sweep(state: &StateDirectory) -> Result<(), StateError> {
    for kept in state.list(FOLDER)? {
        if kept.is_older(history::KEPT) {
            state.set_aside(FOLDER, &kept.name)?;
        }
    }
    Ok(())
}

/// Settles one record, unless its process is alive or its files are outside the workspace.
fn settle(
    workspace: &Workspace,
    name: &str,
    record: &mut impl FnMut(&Settled) -> Result<(), StateError>,
) -> Result<(), FileError> {
    let state = workspace.state();
    let failed = |error| no_journal(state, error);
    let Some(seen) = find(state, name).map_err(failed)? else {
        return Ok(());
    };
    let Some(paths) = places(workspace, &seen) else {
        return Ok(());
    };
    // A process that may not write does not take the locks either: it would keep another one from settling the record.
    let permit = workspace.write_permit()?;
    let Some(locked) = workspace.try_lock_all(&paths)? else {
        return Ok(());
    };
    // The writer may have ended or continued between the two reads.
    let Some(mut note) = find(state, name).map_err(failed)? else {
        return Ok(());
    };
    let files = note.files.clone();
    let held = files.iter().map(|noted| {
        let is_own = |one: &&LockedFile| one.path().absolute() == noted.path.as_str();
        Held::new(locked.iter().find(is_own)?, noted).ok()
    });
    let Some(held) = held.collect::<Option<Vec<_>>>() else {
        return Ok(());
    };
    let is_done = match note.phase {
        Phase::Preparing => {
            // Several files are only changed after the change is committed.
            let is_done = match held.as_slice() {
                [one] => one.progress()? == Progress::Made,
                _ => false,
            };
            remove_rest(&permit, &held)?;
            is_done
        }
        Phase::Committed => {
            let is_done = finish_all(&permit, &held)?;
            if !is_done {
                note.phase = Phase::Undoing;
                note.keep(state, Durable::AfterAPowerCut).map_err(failed)?;
                undo_all(state, &permit, &held)?;
            }
            is_done
        }
        Phase::Undoing => {
            undo_all(state, &permit, &held)?;
            false
        }
    };
    let mut edit_ids = vec![note.edit_id];
    edit_ids.append(&mut note.other_ids);
    let settled = Settled {
        edit_ids,
        direction: note.direction,
        is_done,
    };
    record(&settled)
        .and_then(|()| state.remove(FOLDER, name))
        .map(drop)
        .map_err(failed)
}

fn no_journal(state: &StateDirectory, source: StateError) -> FileError {
    FileError::NoJournal {
        path: state.path().to_owned(),
        source,
    }
}

/// Completes a committed change. Returns false if a part of it can no longer be completed.
fn finish_all(permit: &WritePermit, held: &[Held<'_>]) -> Result<bool, FileError> {
    let mut pending = Vec::new();
    for one in held {
        match one.progress()? {
            Progress::Pending => pending.push(one),
            Progress::Blocked => return Ok(false),
            Progress::Made | Progress::Dropped => {}
        }
    }
    if pending.is_empty() {
        // Either everything is done, or nothing is and the change was abandoned.
        for one in held {
            if !one.is_as_before()? {
                remove_rest(permit, held)?;
                return Ok(true);
            }
        }
        return Ok(false);
    }
    for one in pending {
        one.make(permit)?;
    }
    remove_rest(permit, held)?;
    Ok(true)
}

/// Reverts a change, even if parts of it were reverted before. Starts with the last file: a removed file may have a
/// created one in its place that differs in letter case only.
fn undo_all(
    state: &StateDirectory,
    permit: &WritePermit,
    held: &[Held<'_>],
) -> Result<(), FileError> {
    // What is wrong with one file keeps no other from its old bytes.
    let reverted: Vec<_> = held
        .iter()
        .rev()
        .map(|one| one.revert(state, permit))
        .collect();
    reverted.into_iter().collect::<Result<Vec<()>, _>>()?;
    remove_rest(permit, held)
}

/// Removes the temporary files of a change, and the directories that were made for files that do not exist.
fn remove_rest(permit: &WritePermit, held: &[Held<'_>]) -> Result<(), FileError> {
    for one in held {
        one.locked.remove_prepared(&one.temporary)?;
    }
    for one in held.iter().filter(|one| one.facts.made_folders > 0) {
        if one.locked.state()?.is_absent() {
            one.locked
                .remove_empty_folders(permit, one.facts.made_folders);
        }
    }
    Ok(())
}

impl<'a> Held<'a> {
    /// # Errors
    /// The file exists neither before nor after the change.
    fn new(locked: &'a LockedFile, noted: &JournalFile) -> Result<Held<'a>, FileError> {
        let kind = match (noted.before, noted.after) {
            (FileDigest::Present(before), FileDigest::Present(after)) => {
                ChangeKind::Replace { before, after }
            }
            (FileDigest::Absent, FileDigest::Present(after)) => ChangeKind::Create { after },
            (FileDigest::Present(before), FileDigest::Absent) => ChangeKind::Remove { before },
            (FileDigest::Absent, FileDigest::Absent) => {
                let path = locked.path().display().to_owned();
                return Err(FileError::FileNotFound {
                    missing: path.clone(),
                    path,
                });
            }
        };
        Ok(Held {
            locked,
            temporary: noted.temporary.clone(),
            kind,
            facts: noted.facts.clone(),
        })
    }

    /// Prepares the change. `parts` are the new bytes.
    fn prepare<'b>(
        &self,
        permit: &WritePermit,
        parts: impl IntoIterator<Item = &'b [u8]>,
    ) -> Result<Unsynced<'a>, FileError> {
        let (locked, temporary) = (self.locked, &self.temporary);
        match self.kind {
            ChangeKind::Replace { before, .. } => locked.prepare(permit, before, temporary, parts),
            ChangeKind::Create { .. } => {
                locked.prepare_creation(permit, temporary, self.facts.attributes.as_ref(), parts)
            }
            ChangeKind::Remove { before } => locked.prepare_removal(permit, before, temporary),
        }
    }

    fn progress(&self) -> Result<Progress, FileError> {
        let prepared = self.locked.prepared(&self.temporary)?;
        let digest = prepared.as_deref().map(Digest::from_bytes);
        let (is_prepared, before, after) = match self.kind {
            ChangeKind::Replace { before, after } => {
                (digest == Some(after), before.into(), after.into())
            }
            ChangeKind::Create { after } => {
                if self.locked.is_prepared(&self.temporary)? {
                    return Ok(Progress::Made);
                }
                (digest == Some(after), FileDigest::Absent, after.into())
            }
            ChangeKind::Remove { before } => {
                let state = self.state()?;
                if state == Some(FileDigest::Absent) {
                    return Ok(Progress::Made);
                }
                (digest.is_some(), before.into(), FileDigest::Absent)
            }
        };
        let state = self.state()?;
        Ok(match is_prepared {
            true if state == Some(before) => Progress::Pending,
            true => Progress::Blocked,
            false if state == Some(after) => Progress::Made,
            false => Progress::Dropped,
        })
    }

    /// Returns the state of the file, or `None` if there is something else.
    fn state(&self) -> Result<Option<FileDigest>, FileError> {
        match self.locked.state() {
            Ok(state) => Ok(Some(state)),
            // Another process has replaced the file.
            Err(FileError::NotAFile { .. }) => Ok(None),
            Err(FileError::OutsideWorkspace {
                why: Outside::LinkAppeared,
                ..
            }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn is_as_before(&self) -> Result<bool, FileError> {
        let before = match self.kind {
            ChangeKind::Replace { before, .. } | ChangeKind::Remove { before } => before.into(),
            ChangeKind::Create { .. } => FileDigest::Absent,
        };
        Ok(self.state()? == Some(before))
    }

    /// Makes a prepared change.
    fn make(&self, permit: &WritePermit) -> Result<(), FileError> {
        let (locked, temporary) = (self.locked, &self.temporary);
        match self.kind {
            ChangeKind::Replace { before, .. } => locked.take_place(permit, before, temporary),
            ChangeKind::Create { .. } => locked.take_free_place(permit, temporary),
            ChangeKind::Remove { before } => locked.remove_marked(permit, before, temporary),
        }
    }

    /// Reverts the change if it is made. Leaves a file alone that another process has written since.
    fn revert(&self, state: &StateDirectory, permit: &WritePermit) -> Result<(), FileError> {
        if self.progress()? != Progress::Made {
            return Ok(());
        }
        self.locked.remove_prepared(&self.temporary)?;
        match self.kind {
            ChangeKind::Create { after } => self.locked.remove_created(permit, after).map(drop),
            ChangeKind::Replace { before, after } => {
                let text = self.kept(state, before)?;
                let parts = [text.as_slice()];
                let prepared = self.locked.prepare(permit, after, &self.temporary, parts)?;
                prepared.sync()?.take_place().map(drop)
            }
            ChangeKind::Remove { before } => {
                let text = self.kept(state, before)?;
                let attributes = self.facts.attributes.as_ref();
                let parts = [text.as_slice()];
                let prepared =
                    self.locked
                        .prepare_creation(permit, &self.temporary, attributes, parts)?;
                match prepared.sync()?.take_place() {
                    Ok(_) | Err(FileError::Exists { .. }) => Ok(()),
                    Err(error) => Err(error),
                }
            }
        }
    }

    /// Returns the text before the change.
    fn kept(&self, state: &StateDirectory, before: Digest) -> Result<Vec<u8>, FileError> {
        let path = || self.locked.path().display().to_owned();
        let text = history::find(state, before).map_err(|source| FileError::NoJournal {
            path: path(),
            source,
        })?;
        text.ok_or_else(|| FileError::NoWayBack { path: path() })
    }
}

/// Returns the paths of all files of a record, or `None` if one of them is not in the workspace.
fn places(workspace: &Workspace, note: &JournalRecord) -> Option<Vec<WorkspacePath>> {
    note.files
        .iter()
        .map(|file| {
            let place = match file.before.is_absent() || file.after.is_absent() {
                true => workspace.place_of_new(&file.path).ok()?,
                false => workspace.place(&file.path).ok()?,
            };
            (place.absolute() == file.path.as_str()).then_some(place)
        })
        .collect()
}

impl JournalRecord {
    fn keep(&self, state: &StateDirectory, durable: Durable) -> Result<(), StateError> {
        record::keep(state, FOLDER, &file_name(&self.edit_id), self, durable)
    }
}

/// Reads the record in the file `name`. An unreadable record is moved aside, a record of a newer version is left alone.
fn find(state: &StateDirectory, name: &str) -> Result<Option<JournalRecord>, StateError> {
    match record::find::<JournalRecord>(state, FOLDER, name, VERSION) {
        Ok(note) if file_name(&note.edit_id) == name => Ok(Some(note)),
        Ok(_) | Err(NoRecord::Missing | NoRecord::Newer) => Ok(None),
        Err(NoRecord::Damaged) => {
            state.set_aside(FOLDER, name)?;
            Ok(None)
        }
        Err(NoRecord::State(error)) => Err(error),
    }
}

fn file_name(edit_id: &str) -> String {
    format!("{edit_id}.json")
}
