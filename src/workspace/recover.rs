//! Completes or reverts a prepared change that was interrupted.

use camino::Utf8Path;

use crate::source::Digest;

use super::disk::{if_exists, is_same_file};
use super::locked_file::LockedFile;
use super::prepare::examine;
use super::temporary::TemporaryName;
use super::{FileError, WritePermit};

impl LockedFile {
    /// Returns the bytes that were [prepared](LockedFile::prepare) under that name, or `None` if there is no such file.
    pub(crate) fn prepared(&self, temporary: &TemporaryName) -> Result<Option<Vec<u8>>, FileError> {
        let Some((folder, _)) = self.path.find_folder()? else {
            return Ok(None);
        };
        let read = folder
            .open_to_read(temporary.as_str())
            .and_then(|mut file| {
                let expected = file.look()?.len();
                file.read(u64::MAX, expected)
            });
        if_exists(read).map_err(|failed| self.path.refused(failed))
    }

    /// Replaces the file with the bytes prepared under that name, if the file still has the digest `expected`.
    pub(crate) fn take_place(
        &self,
        _: &WritePermit,
        expected: Digest,
        temporary: &TemporaryName,
    ) -> Result<(), FileError> {
        let (folder, name) = self.path.open_folder()?;
        examine(&self.path, &folder, name, expected)?;
        folder
            .rename(temporary.as_str(), name)
            .and_then(|()| folder.sync())
            .map_err(|failed| self.path.refused(failed))
    }

    /// Gives the bytes prepared under that name their name, which must be free.
    pub(crate) fn take_free_place(
        &self,
        _: &WritePermit,
        temporary: &TemporaryName,
    ) -> Result<(), FileError> {
        let (folder, name) = self.path.open_folder()?;
        let taken = folder.take_free_name(temporary, name);
        match taken.map_err(|failed| self.path.refused(failed))? {
            true => folder.sync().map_err(|failed| self.path.refused(failed)),
            false => Err(FileError::Exists {
                path: self.path.display().to_owned(),
            }),
        }
    }

    /// Removes the file if it still has the digest `expected`, and the marker prepared under that name.
    pub(crate) fn remove_marked(
        &self,
        _: &WritePermit,
        expected: Digest,
        temporary: &TemporaryName,
    ) -> Result<(), FileError> {
        self.remove(expected)?;
        self.remove_prepared(temporary)
    }

    /// Removes the bytes prepared under that name, if they exist.
    pub(crate) fn remove_prepared(&self, temporary: &TemporaryName) -> Result<(), FileError> {
        let Some((folder, _)) = self.path.find_folder()? else {
            return Ok(());
        };
        let removed = if_exists(folder.remove(temporary.as_str()));
        removed
            .map(drop)
            .map_err(|failed| self.path.refused(failed))
    }

    /// Removes the file that a creation has made, if it still has the digest `expected`. Returns false if it has changed.
    pub(crate) fn remove_created(
        &self,
        _: &WritePermit,
        expected: Digest,
    ) -> Result<bool, FileError> {
        match self.remove(expected) {
            Err(FileError::Changed { .. }) => Ok(false),
            removed => removed.map(|()| true),
        }
    }

    /// Removes the file if it still has the digest `expected`.
    fn remove(&self, expected: Digest) -> Result<(), FileError> {
        let (folder, name) = self.path.open_folder()?;
        examine(&self.path, &folder, name, expected)?;
        folder
            .remove(name)
            .and_then(|()| folder.sync())
            .map_err(|failed| self.path.refused(failed))
    }

    /// Returns whether the file is the one prepared under that name, which also has its own name already.
    pub(crate) fn is_prepared(&self, temporary: &TemporaryName) -> Result<bool, FileError> {
        let Some((folder, name)) = self.path.find_folder()? else {
            return Ok(false);
        };
        let look =
            |name: &str| if_exists(folder.look(name)).map_err(|failed| self.path.refused(failed));
        let both = look(temporary.as_str())?.zip(look(name)?);
        Ok(both.is_some_and(|(one, other)| is_same_file(&one, &other)))
    }

    /// Removes the `count` innermost directories of the path, from the innermost to the first that is not empty. Leaves
    /// those that cannot be removed.
    pub(crate) fn remove_empty_folders(&self, _: &WritePermit, count: usize) {
        let above: Vec<&Utf8Path> = self.path.relative().ancestors().skip(1).collect();
        for folder in above.into_iter().take(count) {
            let (Some(parent), Some(name)) = (folder.parent(), folder.file_name()) else {
                return;
            };
            let removed = self.path.open_below_root(parent).and_then(|dir| {
                let removed = dir.remove_folder(name).and_then(|()| dir.sync());
                removed.map_err(|failed| self.path.refused(failed))
            });
            match removed {
                // A process may have died before it made the directory, or after it removed it.
                Ok(()) | Err(FileError::FileNotFound { .. }) => {}
                Err(_) => return,
            }
        }
    }
}
