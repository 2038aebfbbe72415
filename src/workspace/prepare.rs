//! Replaces, creates and removes files in two phases: a change is prepared in a temporary file, and made later.
//!
//! A replacement or a creation prepares a temporary file with all bytes. It then takes the name of the file, which
//! must be free for a new one. A removal prepares an empty temporary file, its marker, which is removed right after
//! the file. So a temporary file remains exactly as long as its file has not changed, whatever the change is, and the
//! journal can tell.

use std::collections::HashSet;
use std::time::SystemTime;

use camino::Utf8PathBuf;
use cap_std::fs::Metadata;

use crate::parallel;
use crate::source::Digest;

use super::attributes::FileAttributes;
use super::disk::{Folder, OpenFile, Readers};
use super::locked_file::{LockedFile, Seen};
use super::read::{FileSnapshot, digest_in};
use super::temporary::{Temporary, TemporaryName};
use super::{Denied, FileError, WorkspacePath, WritePermit};

/// The complete new bytes of a file, in a temporary file next to it. The temporary file is removed on drop.
#[derive(Debug)]
pub(crate) struct Prepared<'a> {
    path: &'a WorkspacePath,
    temporary: Temporary,
    change: PreparedChange,
    /// The extended attributes of the old file that the new one cannot have.
    lost: Vec<String>,
}

/// A prepared change whose bytes may not be on the disk yet.
#[derive(Debug)]
pub(crate) struct Unsynced<'a>(Prepared<'a>);

/// A change that was made, but whose new name may not be on the disk yet.
#[derive(Debug)]
pub(crate) struct Made<'a> {
    path: &'a WorkspacePath,
    temporary: Temporary,
    /// Whether the temporary file is the marker of a removal.
    has_marker: bool,
    lost: Vec<String>,
}

/// The change that a temporary file is prepared for. `seen` is the state of the file that is to be replaced or removed.
#[derive(Debug)]
enum PreparedChange {
    Replace {
        seen: FileSnapshot,
        expected: Digest,
    },
    /// The name must be free.
    Create,
    Remove {
        seen: FileSnapshot,
        expected: Digest,
    },
}

/// What the user should know about a file that was written.
#[derive(Debug)]
pub enum WriteWarning {
    /// The new bytes may not survive a power failure.
    NotSynced(FileError),
    /// The system does not let this user give the new file these extended attributes of the old one.
    AttributesLost {
        /// The file.
        path: Utf8PathBuf,
        /// The names of the attributes.
        names: Vec<String>,
    },
}

impl LockedFile {
    /// Writes the new bytes to the file `temporary` in the same directory, with the attributes of the file. Refuses if the
    /// file no longer has the digest `expected`.
    pub(crate) fn prepare<'a, 'b>(
        &'a self,
        _: &WritePermit,
        expected: Digest,
        temporary: &TemporaryName,
        new: impl IntoIterator<Item = &'b [u8]>,
    ) -> Result<Unsynced<'a>, FileError> {
        let path = &self.path;
        let (folder, name) = path.open_folder()?;
        let at = SystemTime::now();
        let metadata = match &self.read {
            Some(Seen::Text(seen, text)) if text.digest() == expected => {
                let now = folder.look(name).map_err(|failed| path.refused(failed))?;
                match seen.is_still(&now) {
                    true => replaceable(path, now)?,
                    false => examine(path, &folder, name, expected)?,
                }
            }
            _ => examine(path, &folder, name, expected)?,
        };
        let old = probe(path, &folder, name)?;
        let attributes = FileAttributes::read(path, &old, &metadata)?;
        let temporary = Temporary::create(folder, temporary.clone(), Readers::Owner);
        let temporary = temporary.map_err(|failed| path.refused(failed))?;
        let seen = FileSnapshot { metadata, at };
        let change = PreparedChange::Replace { seen, expected };
        Unsynced::write(path, temporary, attributes.as_ref(), new, change)
    }

    /// Writes the bytes of a new file to the file `temporary` in its directory, which is made if it is missing.
    pub(crate) fn prepare_creation<'a, 'b>(
        &'a self,
        _: &WritePermit,
        temporary: &TemporaryName,
        attributes: Option<&FileAttributes>,
        new: impl IntoIterator<Item = &'b [u8]>,
    ) -> Result<Unsynced<'a>, FileError> {
        let readers = match attributes {
            Some(_) => Readers::Owner,
            None => Readers::AsUsual,
        };
        let temporary = self.path.create_temporary(temporary, readers)?;
        let change = PreparedChange::Create;
        Unsynced::write(&self.path, temporary, attributes, new, change)
    }

    /// Marks the removal of the file with an empty file `temporary`. Refuses if the file no longer has the digest
    /// `expected`, or could not be replaced either.
    pub(crate) fn prepare_removal(
        &self,
        _: &WritePermit,
        expected: Digest,
        temporary: &TemporaryName,
    ) -> Result<Unsynced<'_>, FileError> {
        let path = &self.path;
        let (folder, name) = path.open_folder()?;
        let at = SystemTime::now();
        let metadata = examine(path, &folder, name, expected)?;
        probe(path, &folder, name)?;
        let temporary = Temporary::create(folder, temporary.clone(), Readers::Owner);
        let temporary = temporary.map_err(|failed| path.refused(failed))?;
        let seen = FileSnapshot { metadata, at };
        let change = PreparedChange::Remove { seen, expected };
        Unsynced::write(path, temporary, None, [], change)
    }
}

impl<'a> Unsynced<'a> {
    /// Writes the new bytes to the temporary file, and gives it the attributes.
    fn write<'b>(
        path: &'a WorkspacePath,
        mut temporary: Temporary,
        attributes: Option<&FileAttributes>,
        new: impl IntoIterator<Item = &'b [u8]>,
        change: PreparedChange,
    ) -> Result<Unsynced<'a>, FileError> {
        let written = temporary.file_mut().write(new);
        written.map_err(|failed| path.refused(failed))?;
        let lost = match attributes {
            Some(attributes) => attributes.give(path, temporary.file())?,
            None => Vec::new(),
        };
        Ok(Unsynced(Prepared {
            path,
            temporary,
            change,
            lost,
        }))
    }

    /// Syncs the bytes to the disk.
    ///
    /// # Errors
    /// The temporary file is removed.
    pub(crate) fn sync(self) -> Result<Prepared<'a>, FileError> {
        let synced = self.0.temporary.file().sync();
        synced.map_err(|failed| self.0.path.refused(failed))?;
        Ok(self.0)
    }

    /// Does the same as [`Unsynced::sync`] for all files. Several threads do so at the same time, since file systems write
    /// what they have to write for all of them together: this takes a quarter of the time of one file after the other.
    ///
    /// # Errors
    /// All temporary files are removed.
    pub(crate) fn sync_all(files: Vec<Unsynced<'a>>) -> Result<Vec<Prepared<'a>>, FileError> {
        parallel::try_map(files, Unsynced::sync, drop)
    }
}

impl<'a> Prepared<'a> {
    /// Makes the change atomically: after a crash at any moment, the file has either the old or the new bytes.
    ///
    /// # Errors
    /// The temporary file still exists. The file has the old bytes, except if the temporary file could not be removed.
    pub(crate) fn take_place(self) -> Result<Vec<WriteWarning>, FileError> {
        Made::finish_all(vec![self.make()?])
    }

    /// Does the same as [`Prepared::take_place`], but leaves it to the caller to [finish](Made::finish_all).
    ///
    /// # Errors
    /// As there.
    pub(crate) fn make(self) -> Result<Made<'a>, FileError> {
        let path = self.path;
        let name = path.relative().file_name().unwrap_or_default();
        if let Err(error) = self.check_unchanged(name) {
            self.leave();
            return Err(error);
        }
        let (temporary, has_marker) = match self.change {
            PreparedChange::Replace { .. } => (self.temporary.take_name_or_leave(name), false),
            PreparedChange::Remove { .. } => (self.temporary.remove_other_or_leave(name), true),
            PreparedChange::Create => match self.temporary.take_free_name_or_leave(name) {
                Ok(None) => {
                    return Err(FileError::Exists {
                        path: path.display().to_owned(),
                    });
                }
                Ok(Some(temporary)) => (Ok(temporary), false),
                Err(failed) => (Err(failed), false),
            },
        };
        let temporary = temporary.map_err(|failed| path.refused(failed))?;
        Ok(Made {
            path,
            temporary,
            has_marker,
            lost: self.lost,
        })
    }

    /// Refuses a file that has changed since it was prepared. A program that ignores our locks may have written it in the
    /// meantime. The system has no "rename if unchanged", so the interval before the change remains unprotected.
    fn check_unchanged(&self, name: &str) -> Result<(), FileError> {
        let (seen, expected) = match &self.change {
            PreparedChange::Replace { seen, expected }
            | PreparedChange::Remove { seen, expected } => (seen, expected),
            PreparedChange::Create => return Ok(()),
        };
        let now = self.temporary.folder().look(name);
        let now = now.map_err(|failed| self.path.refused(failed))?;
        match seen.is_still(&now) {
            true => Ok(()),
            false => examine(self.path, self.temporary.folder(), name, *expected).map(drop),
        }
    }

    /// Returns whether the file exists before and after the change.
    pub(crate) fn is_replacement(&self) -> bool {
        matches!(self.change, PreparedChange::Replace { .. })
    }

    /// Drops the preparation but keeps the temporary file.
    pub(crate) fn leave(self) {
        self.temporary.leave();
    }
}

impl<'a> Made<'a> {
    /// Syncs the new names to the disk, and removes the markers of removals.
    ///
    /// # Errors
    /// A marker cannot be removed.
    pub(crate) fn finish_all(mut all: Vec<Made<'a>>) -> Result<Vec<WriteWarning>, FileError> {
        let mut synced = HashSet::new();
        let mut warnings = Vec::new();
        for made in &mut all {
            if !made.lost.is_empty() {
                warnings.push(WriteWarning::AttributesLost {
                    path: made.path.display().to_owned(),
                    names: std::mem::take(&mut made.lost),
                });
            }
            let folder = made.path.absolute().parent();
            if synced.contains(&folder) {
                continue;
            }
            match made.temporary.folder().sync() {
                Ok(()) => drop(synced.insert(folder)),
                Err(failed) => {
                    warnings.push(WriteWarning::NotSynced(made.path.refused(failed)));
                }
            }
        }
        for made in all.into_iter().filter(|made| made.has_marker) {
            let removed = made.temporary.remove();
            removed.map_err(|failed| made.path.refused(failed))?;
        }
        Ok(warnings)
    }
}

/// Refuses a file that cannot be replaced, or that no longer has the digest `expected`.
pub(super) fn examine(
    path: &WorkspacePath,
    folder: &Folder,
    name: &str,
    expected: Digest,
) -> Result<Metadata, FileError> {
    let (found, metadata) = digest_in(path, folder, name)?;
    if found != expected {
        return Err(FileError::Changed {
            path: path.display().to_owned(),
            found,
        });
    }
    replaceable(path, metadata)
}

/// Refuses a file that cannot be replaced.
fn replaceable(path: &WorkspacePath, metadata: Metadata) -> Result<Metadata, FileError> {
    #[cfg(unix)]
    match cap_fs_ext::MetadataExt::nlink(&metadata) {
        0 | 1 => {}
        links => {
            return Err(FileError::HardLinked {
                path: path.display().to_owned(),
                links,
            });
        }
    }
    // `readonly` means that no write bit is set. Check it explicitly, because the superuser and every user with write
    // access to the folder could replace the file nevertheless.
    if metadata.permissions().readonly() {
        return Err(FileError::PermissionDenied {
            path: path.display().to_owned(),
            why: Denied::ReadOnly,
        });
    }
    Ok(metadata)
}

/// Opens the file. Refuses one that this user cannot write, since a rename would not check that.
fn probe(path: &WorkspacePath, folder: &Folder, name: &str) -> Result<OpenFile, FileError> {
    let opened = match folder.open_to_write(name) {
        // A running program cannot be written, but it can be replaced.
        Err(failed) if failed.source.kind() == std::io::ErrorKind::ExecutableFileBusy => {
            folder.open_to_read(name)
        }
        opened => opened,
    };
    opened.map_err(|failed| path.refused_in(folder, name, failed))
}
