//! Replaces several files, all or none. The change is first recorded in the state directory, so that after a crash at
//! any moment the next process completes or reverts it.
//!
//! A record passes through these phases. Each phase is completely on disk before the next step:
//!
//! 1. *preparing*: new bytes are written to temporary files with the recorded names. After a crash: these are
//!    removed. A single file needs no other phase, since replacing it is one step.
//! 2. *committed*: all new bytes are on disk, and replace the old ones, file by file. After a crash: the remaining
//!    files are replaced too. If another process has changed a file that is not replaced yet, the record becomes
//! 3. *undoing*: replaced files get their old bytes back, from [`history`].
//!
//! The locks of all files are held as long as the record exists. A process that finds a record and gets the locks
//! therefore knows that its writer is dead.

use serde::{Deserialize, Serialize};

use crate::source::Digest;
use crate::workspace::{
    Durable, FileError, LockedFile, Prepared, StateDirectory, StateError, TemporaryName, Workspace,
    WorkspacePath, WritePermit,
};

use super::history;
use super::record::{self, NoRecord};

const FOLDER: &str = "journal";
/// The version of the records. Records of other versions are not read.
const VERSION: u32 = 1;

/// A file to replace.
pub(super) struct Replaced<'a> {
    pub(super) locked: &'a LockedFile,
    pub(super) before: Digest,
    pub(super) after: Digest,
    pub(super) parts: Vec<&'a [u8]>,
}

/// The state after all files are written. The record and the locks still exist.
#[derive(Debug)]
#[must_use]
pub struct Written<'a> {
    state: &'a StateDirectory,
    edit_id: String,
    _locked: Vec<LockedFile>,
    /// The errors for files that may not survive a power failure.
    pub unsynced: Vec<FileError>,
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
    /// The id of the edit.
    pub edit_id: String,
    /// Whether the edit was being applied or undone.
    pub direction: Direction,
    /// Whether the change is completed. Otherwise it is reverted.
    pub is_done: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct JournalRecord {
    version: u32,
    edit_id: String,
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
    before: Digest,
    after: Digest,
}

/// A recorded file with its lock.
struct Held<'a> {
    locked: &'a LockedFile,
    temporary: &'a TemporaryName,
    before: Digest,
    after: Digest,
}

/// Returns the number of changes that were interrupted or are being made by another process.
///
/// # Errors
/// The state directory fails.
pub fn left(state: &StateDirectory) -> Result<usize, StateError> {
    Ok(state.list(FOLDER)?.len())
}

impl<'a> Written<'a> {
    pub(super) fn of(
        state: &'a StateDirectory,
        edit_id: &str,
        unsynced: Vec<FileError>,
        locked: Vec<LockedFile>,
    ) -> Written<'a> {
        Written {
            state,
            edit_id: edit_id.to_string(),
            unsynced,
            _locked: locked,
        }
    }

    /// Removes the record. Called after the status of the edit is recorded.
    ///
    /// # Errors
    /// The state directory fails. The next process removes the record.
    pub fn recorded(self) -> Result<(), StateError> {
        self.state.remove(FOLDER, &file_name(&self.edit_id))?;
        Ok(())
    }
}

/// Replaces all files or none. Returns the errors for files that may not survive a power failure. Keeps the record.
pub(super) fn replace_all(
    workspace: &Workspace,
    permit: &WritePermit,
    changes: &[Replaced<'_>],
    edit_id: &str,
    direction: Direction,
) -> Result<Vec<FileError>, FileError> {
    let state = workspace.state();
    let mut files = Vec::new();
    for change in changes {
        let temporary = TemporaryName::new().map_err(|source| FileError::Io {
            path: change.locked.path().display().to_owned(),
            step: crate::workspace::Step::Create,
            source,
        })?;
        files.push(JournalFile {
            path: change.locked.path().absolute().to_string(),
            temporary,
            before: change.before,
            after: change.after,
        });
    }
    let mut note = JournalRecord {
        version: VERSION,
        edit_id: edit_id.to_string(),
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
            // Nothing was replaced. A remaining record is harmless.
            let _ = state.remove(FOLDER, &file_name(edit_id));
            return Err(error);
        }
    };
    take_places(prepared).inspect_err(|_| revert(workspace, permit, &mut note, changes))
}

fn prepare_all<'a>(
    permit: &WritePermit,
    changes: &[Replaced<'a>],
    note: &JournalRecord,
) -> Result<Vec<Prepared<'a>>, FileError> {
    let mut prepared = Vec::new();
    for (change, noted) in changes.iter().zip(&note.files) {
        let parts = change.parts.iter().copied();
        prepared.push(
            change
                .locked
                .prepare(permit, change.before, &noted.temporary, parts)?,
        );
    }
    Ok(prepared)
}

fn take_places(prepared: Vec<Prepared<'_>>) -> Result<Vec<FileError>, FileError> {
    let mut unsynced = Vec::new();
    let mut rest = prepared.into_iter();
    while let Some(one) = rest.next() {
        match one.take_place() {
            Ok(None) => {}
            Ok(Some(error)) => unsynced.push(error),
            Err(error) => {
                // The caller decides what to do with the remaining files when it reverts the change.
                rest.for_each(Prepared::leave);
                return Err(error);
            }
        }
    }
    Ok(unsynced)
}

/// Reverts a change that cannot be completed. If that also fails, keeps the record for the next process.
fn revert(
    workspace: &Workspace,
    permit: &WritePermit,
    note: &mut JournalRecord,
    changes: &[Replaced<'_>],
) {
    let held: Vec<Held<'_>> = changes
        .iter()
        .zip(&note.files)
        .map(|(change, noted)| Held {
            locked: change.locked,
            temporary: &noted.temporary,
            before: change.before,
            after: change.after,
        })
        .collect();
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
        Some(Held {
            locked: locked.iter().find(is_own)?,
            temporary: &noted.temporary,
            before: noted.before,
            after: noted.after,
        })
    });
    let Some(held) = held.collect::<Option<Vec<_>>>() else {
        return Ok(());
    };
    let is_done = match note.phase {
        Phase::Preparing => {
            for one in &held {
                one.locked.remove_prepared(one.temporary)?;
            }
            // Several files are only replaced after the change is committed.
            match held.as_slice() {
                [one] => one.holds(one.after)?,
                _ => false,
            }
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
    let settled = Settled {
        edit_id: note.edit_id,
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
        if one.is_pending()? {
            if !one.holds(one.before)? {
                return Ok(false);
            }
            pending.push(one);
        }
    }
    if pending.is_empty() {
        // Either everything is done, or nothing is and the change was abandoned.
        for one in held {
            if !one.holds(one.before)? {
                return Ok(true);
            }
        }
        return Ok(false);
    }
    for one in pending {
        one.locked.take_place(permit, one.before, one.temporary)?;
    }
    Ok(true)
}

/// Reverts a change, even if parts of it were reverted before.
fn undo_all(
    state: &StateDirectory,
    permit: &WritePermit,
    held: &[Held<'_>],
) -> Result<(), FileError> {
    for one in held {
        // Leave a file alone that another process has written since.
        if one.is_pending()? || !one.holds(one.after)? {
            continue;
        }
        let path = || one.locked.path().display().to_owned();
        let before = history::find(state, one.before).map_err(|source| FileError::NoJournal {
            path: path(),
            source,
        })?;
        let before = before.ok_or_else(|| FileError::NoWayBack { path: path() })?;
        one.locked.remove_prepared(one.temporary)?;
        let prepared = one
            .locked
            .prepare(permit, one.after, one.temporary, [before.as_slice()])?;
        prepared.take_place()?;
    }
    for one in held {
        one.locked.remove_prepared(one.temporary)?;
    }
    Ok(())
}

impl Held<'_> {
    /// Returns whether the temporary file with the new bytes still exists.
    fn is_pending(&self) -> Result<bool, FileError> {
        let prepared = self.locked.prepared(self.temporary)?;
        Ok(prepared.is_some_and(|bytes| Digest::of(&bytes) == self.after))
    }

    /// Returns whether the file has the bytes with this digest.
    fn holds(&self, digest: Digest) -> Result<bool, FileError> {
        match self.locked.digest() {
            Ok(found) => Ok(found == digest),
            // Another process has removed or replaced the file.
            Err(FileError::FileNotFound { .. } | FileError::NotAFile { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }
}

/// Returns the paths of all files of a record, or `None` if one of them is not in the workspace.
fn places(workspace: &Workspace, note: &JournalRecord) -> Option<Vec<WorkspacePath>> {
    note.files
        .iter()
        .map(|file| {
            let place = workspace.place(&file.path).ok()?;
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
