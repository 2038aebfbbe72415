//! Locks files, and reads them under their locks.

use std::time::Duration;

use crate::language::Language;
use crate::source::{Digest, FileDigest, Source};

use super::attributes::FileAttributes;
use super::lock::{FileLock, NotLocked};
use super::read::{FileSnapshot, digest, read_text};
use super::temporary::TemporaryName;
use super::{FileError, NotRead, Workspace, WorkspacePath};

/// The lock of one file, required to replace it. Other writers wait until it is dropped.
#[derive(Debug)]
pub struct LockedFile {
    pub(super) path: WorkspacePath,
    /// What was there when it was read under the lock.
    pub(super) read: Option<Seen>,
    _lock: FileLock,
}

/// What was at a path.
#[derive(Debug)]
pub(super) enum Seen {
    /// A file in this state, with this text.
    Text(Box<FileSnapshot>, Source),
    /// Nothing.
    Nothing,
}

/// How long a writer waits for each lock. A write takes milliseconds, even of many files, and the caller is waiting for
/// the answer.
const PATIENCE: Duration = Duration::from_secs(5);

impl Workspace {
    /// Locks a file. Waits at most five seconds.
    pub fn lock(&self, path: &WorkspacePath) -> Result<LockedFile, FileError> {
        self.lock_within(path, PATIENCE)
    }

    /// Locks several files, in the order of their absolute paths. With another order, two writers could wait for each
    /// other until both are refused. Returns the locks in the given order.
    pub fn lock_all(&self, paths: &[WorkspacePath]) -> Result<Vec<LockedFile>, FileError> {
        self.lock_all_within(paths, PATIENCE)
    }

    /// Does the same as [`Workspace::lock_all`] without waiting. Returns `None` if one of the files is locked.
    pub fn try_lock_all(
        &self,
        paths: &[WorkspacePath],
    ) -> Result<Option<Vec<LockedFile>>, FileError> {
        match self.lock_all_within(paths, Duration::ZERO) {
            Ok(locked) => Ok(Some(locked)),
            Err(FileError::Locked { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn lock_all_within(
        &self,
        paths: &[WorkspacePath],
        patience: Duration,
    ) -> Result<Vec<LockedFile>, FileError> {
        let mut order: Vec<usize> = (0..paths.len()).collect();
        order.sort_by_key(|index| paths[*index].absolute());
        let mut locked = Vec::new();
        for index in order {
            locked.push((index, self.lock_within(&paths[index], patience)?));
        }
        locked.sort_by_key(|(index, _)| *index);
        Ok(locked.into_iter().map(|(_, locked)| locked).collect())
    }

    fn lock_within(
        &self,
        path: &WorkspacePath,
        patience: Duration,
    ) -> Result<LockedFile, FileError> {
        match FileLock::acquire(&self.state, path.absolute(), patience) {
            Ok(lock) => Ok(LockedFile {
                path: path.clone(),
                read: None,
                _lock: lock,
            }),
            Err(NotLocked::Busy { waited }) => Err(FileError::Locked {
                path: path.display().to_owned(),
                waited,
            }),
            Err(NotLocked::State(source)) => Err(FileError::NoLock {
                path: path.display().to_owned(),
                source,
            }),
        }
    }
}

impl LockedFile {
    /// Returns the path of the file.
    pub fn path(&self) -> &WorkspacePath {
        &self.path
    }

    /// Reads the file as [`Workspace::read_text`] does. No other process that respects the lock can write the file, so
    /// an edit of this text can be [written](crate::apply::LockedPreview) without another check.
    ///
    /// # Errors
    /// The file cannot be read, or is not text.
    pub fn read(
        &mut self,
        known: Option<&Source>,
        language: impl FnOnce(&[u8]) -> &'static Language,
    ) -> Result<Source, NotRead> {
        self.read = None;
        let (text, seen) = read_text(&self.path, known, language)?;
        self.read = Some(Seen::Text(Box::new(seen), text.clone()));
        Ok(text)
    }

    /// Returns the text that was read under the lock, if any.
    pub fn text(&self) -> Option<&Source> {
        match &self.read {
            Some(Seen::Text(_, text)) => Some(text),
            Some(Seen::Nothing) | None => None,
        }
    }

    /// Returns the digest of the file's bytes.
    pub fn digest(&self) -> Result<Digest, FileError> {
        digest(&self.path)
    }

    /// Returns a new name for a temporary file next to the file.
    pub(crate) fn new_temporary_name(&self) -> Result<TemporaryName, FileError> {
        TemporaryName::new().map_err(|failed| self.path.refused(failed))
    }

    /// Returns the digest of the file's bytes, or that there is no file.
    pub fn state(&self) -> Result<FileDigest, FileError> {
        match self.path.look()? {
            None => Ok(FileDigest::Absent),
            Some(_) => match self.digest() {
                Err(FileError::FileNotFound { .. }) => Ok(FileDigest::Absent),
                digest => digest.map(FileDigest::Present),
            },
        }
    }

    /// Does the same as [`WorkspacePath::check_free`] under the lock, and remembers it.
    ///
    /// # Errors
    /// As there.
    pub fn check_free(&mut self, leaving: Option<&WorkspacePath>) -> Result<(), FileError> {
        self.read = None;
        self.path.check_free(leaving)?;
        self.read = Some(Seen::Nothing);
        Ok(())
    }

    /// Returns whether the path was free when it was checked under the lock.
    pub fn is_free(&self) -> bool {
        matches!(self.read, Some(Seen::Nothing))
    }

    /// Returns the attributes of a file that was read under the lock.
    ///
    /// # Errors
    /// The file cannot be opened any longer.
    pub fn attributes(&self) -> Result<Option<FileAttributes>, FileError> {
        let Some(Seen::Text(seen, _)) = &self.read else {
            return Ok(None);
        };
        let (folder, name) = self.path.open_folder()?;
        let file = folder.open_to_read(name);
        let file = file.map_err(|failed| self.path.refused_in(&folder, name, failed))?;
        FileAttributes::read(&self.path, &file, &seen.metadata)
    }

    /// Returns the number of directories on the path of the file that do not exist.
    ///
    /// # Errors
    /// A directory cannot be opened, or has become a link.
    pub fn missing_folders(&self) -> Result<usize, FileError> {
        self.path.missing_folders()
    }
}
