//! Creates and removes whole files, with the directories that a new file needs.
//!
//! As a replacement, either has two phases. A creation prepares a temporary file with all bytes, which then takes a name
//! that must be free. A removal prepares an empty temporary file, its marker, which is removed right after the file. So a
//! temporary file remains exactly as long as its file has not changed, whatever the change is, and the journal can tell.

use std::time::SystemTime;

use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};

use crate::source::{Digest, FileDigest};

use super::disk::{ExtendedAttributes, Folder, OpenFile, Readers};
use super::path::{Arrival, is_git_directory, is_inside, walk};
use super::temporary::{Temporary, is_temporary};
use super::{
    FileError, FileKind, FileSnapshot, LockedFile, Metadata, Outside, Prepared, PreparedChange,
    Seen, TemporaryName, Unsynced, Workspace, WorkspacePath, WritePermit, digest, examine, kind_of,
    open_regular, probe, replaceable,
};

/// The maximum length of a name in bytes, on all usual file systems.
const NAME_BYTES: usize = 255;
/// The maximum length of a path in bytes.
const PATH_BYTES: usize = 4_000;
/// How often the directories of a new file are made, if other processes remove them in between.
const TRIES: usize = 5;

/// The mode, the owner and the extended attributes of a file, such as its access control list. A replaced or moved file
/// keeps them, and a restored one gets them back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileAttributes {
    mode: u32,
    owner: u32,
    group: u32,
    #[serde(default, skip_serializing_if = "ExtendedAttributes::is_empty")]
    extended: ExtendedAttributes,
}

impl FileAttributes {
    /// Returns the attributes of the open file `file`.
    #[cfg(unix)]
    pub(super) fn of(
        path: &WorkspacePath,
        file: &OpenFile,
        metadata: &Metadata,
    ) -> Result<Option<FileAttributes>, FileError> {
        use cap_std::fs::MetadataExt;
        let extended = file.extended_attributes();
        Ok(Some(FileAttributes {
            mode: metadata.mode() & 0o7777,
            owner: metadata.uid(),
            group: metadata.gid(),
            extended: extended.map_err(|failed| path.refused(failed))?,
        }))
    }

    /// Returns `None`: other systems have none of these, and read-only files are refused.
    #[cfg(not(unix))]
    pub(super) fn of(
        _: &WorkspacePath,
        _: &OpenFile,
        _: &Metadata,
    ) -> Result<Option<FileAttributes>, FileError> {
        Ok(None)
    }

    /// Gives the attributes to a file that only its owner can read yet. At no moment can more users read it than with
    /// these attributes. Returns the names of extended attributes that the system does not let this user set.
    #[cfg(unix)]
    pub(super) fn give(
        &self,
        path: &WorkspacePath,
        new: &OpenFile,
    ) -> Result<Vec<String>, FileError> {
        super::give_owner(path, new, self.owner, self.group)?;
        let failed = |failed| path.refused(failed);
        let lost = new
            .set_extended_attributes(&self.extended)
            .map_err(failed)?;
        // After the owner, because a change of owner clears bits of the mode, and after the access control list, because
        // the mode limits what the list that the file has from its directory allows.
        new.set_mode(self.mode).map_err(failed)?;
        Ok(lost)
    }

    #[cfg(not(unix))]
    pub(super) fn give(&self, _: &WorkspacePath, _: &OpenFile) -> Result<Vec<String>, FileError> {
        Ok(Vec::new())
    }
}

impl Workspace {
    /// Does the same as [`Workspace::resolve`], but also accepts a missing file, and missing directories on its path.
    ///
    /// # Errors
    /// No file can be created there: the path is outside the workspace, in another file, names a directory, or is too
    /// long.
    pub fn place_of_new(&self, path: &str) -> Result<WorkspacePath, FileError> {
        let given = Utf8Path::new(path);
        if let Some(name) = given.iter().find(|name| name.len() > NAME_BYTES) {
            return Err(FileError::NameTooLong {
                path: given.to_owned(),
                bytes: name.len(),
                limit: NAME_BYTES,
            });
        }
        if path.len() > PATH_BYTES {
            return Err(FileError::NameTooLong {
                path: given.to_owned(),
                bytes: path.len(),
                limit: PATH_BYTES,
            });
        }
        let arrival = walk(&self.roots, self.state.path(), path).map_err(|error| match error {
            FileError::FileNotFound { path, .. } if !path.as_str().is_empty() => {
                FileError::InFile { path }
            }
            error => error,
        })?;
        let directory = || FileError::NotAFile {
            path: given.to_owned(),
            kind: FileKind::Directory,
        };
        let (folder, names) = match arrival {
            Arrival::At(there) => {
                let is_file = there
                    .kind()?
                    .is_some_and(|kind| kind != FileKind::Directory);
                return match is_file && ends_in_folder(path) {
                    true => Err(FileError::InFile {
                        path: given.to_owned(),
                    }),
                    false => Ok(there),
                };
            }
            Arrival::Missing { folder, name, rest } => (folder, [vec![name], rest].concat()),
        };
        if names.iter().any(|name| name == "..") {
            return Err(FileError::FileNotFound {
                path: given.to_owned(),
                missing: folder.inside(&self.roots, &names[0]).display().to_owned(),
            });
        }
        if ends_in_folder(path) {
            return Err(directory());
        }
        let outside = |why| FileError::OutsideWorkspace {
            path: given.to_owned(),
            why,
        };
        // The walk has checked only the first name.
        if names.iter().any(|name| is_git_directory(name)) {
            return Err(outside(Outside::GitInternals));
        }
        if names.iter().any(|name| is_temporary(name)) {
            return Err(outside(Outside::TemporaryName));
        }
        let relative: Utf8PathBuf = folder
            .relative()
            .iter()
            .chain(names.iter().map(String::as_str))
            .collect();
        let place = folder.in_root(&self.roots, &relative);
        match is_inside(place.absolute(), self.state.path()) {
            true => Err(outside(Outside::StateDirectory)),
            false => Ok(place),
        }
    }
}

/// Returns whether a path can only be that of a directory.
fn ends_in_folder(path: &str) -> bool {
    let last = path.rsplit(std::path::is_separator).next();
    last.is_some_and(|last| ["", ".", ".."].contains(&last))
}

impl WorkspacePath {
    /// Returns the kind of what is there now, without following a link, or `None` if nothing is.
    ///
    /// # Errors
    /// The path cannot be examined.
    pub fn kind(&self) -> Result<Option<FileKind>, FileError> {
        Ok(self.look()?.map(|metadata| kind_of(metadata.file_type())))
    }

    /// Returns when what is there was last changed, and its size. `None` if nothing is there, or it cannot be examined.
    pub fn last_change(&self) -> Option<(SystemTime, u64)> {
        let metadata = self.look().ok()??;
        let written = metadata.modified().ok()?;
        Some((written.into_std(), metadata.len()))
    }

    /// Checks that the path is free. A file counts as none if it is `leaving`, and only the letter case differs.
    ///
    /// # Errors
    /// There is a file, or something else.
    pub fn check_free(&self, leaving: Option<&WorkspacePath>) -> Result<(), FileError> {
        let Some(found) = self.look()? else {
            return Ok(());
        };
        let path = self.display().to_owned();
        match kind_of(found.file_type()) {
            _ if leaving.is_some_and(|leaving| self.is_other_case_of(leaving, &found)) => Ok(()),
            FileKind::Directory => Err(FileError::NotAFile {
                path,
                kind: FileKind::Directory,
            }),
            _ => Err(FileError::Exists { path }),
        }
    }

    /// Returns whether the file found here is `leaving` under a name that only differs in letter case.
    fn is_other_case_of(&self, leaving: &WorkspacePath, found: &Metadata) -> bool {
        let lower = |path: &WorkspacePath| path.absolute().as_str().to_lowercase();
        let is_found = |there: Option<Metadata>| there.is_some_and(|one| is_same_file(&one, found));
        lower(leaving) == lower(self) && *leaving != *self && leaving.look().is_ok_and(is_found)
    }

    fn look(&self) -> Result<Option<Metadata>, FileError> {
        if self.relative().as_str().is_empty() {
            let folder = self.open_dir()?;
            let metadata = folder.look_at_itself();
            return metadata.map(Some).map_err(|failed| self.refused(failed));
        }
        let (folder, name) = match self.open_folder() {
            Err(FileError::FileNotFound { .. }) => return Ok(None),
            opened => opened?,
        };
        match folder.look(name) {
            Ok(metadata) => Ok(Some(metadata)),
            Err(failed) if failed.is_not_found() => Ok(None),
            Err(failed) => Err(self.refused(failed)),
        }
    }

    /// Creates a temporary file in the directory of the file. Makes the missing directories.
    fn create_temporary(
        &self,
        name: &TemporaryName,
        readers: Readers,
    ) -> Result<Temporary, FileError> {
        let mut tries = 1;
        loop {
            let created = self.made_folder().and_then(|folder| {
                let created = Temporary::create(folder, name.clone(), readers);
                created.map_err(|failed| self.refused(failed))
            });
            match created {
                // Another process may remove a directory as long as it is empty.
                Err(FileError::FileNotFound { .. }) if tries < TRIES => tries += 1,
                created => return created,
            }
        }
    }

    /// Opens the directory of the file. Makes the missing directories.
    fn made_folder(&self) -> Result<Folder, FileError> {
        match self.open_folder() {
            Err(FileError::FileNotFound { .. }) => {}
            opened => return opened.map(|(folder, _)| folder),
        }
        let folder = self.relative().parent().unwrap_or(Utf8Path::new(""));
        let mut dir = self.open_root()?;
        for name in folder {
            let made = dir.make_folder(name, Readers::AsUsual);
            if made.map_err(|failed| self.refused(failed))? {
                dir.sync().map_err(|failed| self.refused(failed))?;
            }
            dir = match dir.folder(name) {
                Ok(dir) => dir,
                Err(failed) => return Err(self.refused_in(&dir, name, failed)),
            };
        }
        Ok(dir)
    }

    /// Returns the number of directories on the path of the file that do not exist.
    fn missing_folders(&self) -> Result<usize, FileError> {
        let mut dir = self.open_root()?;
        let folder = self.relative().parent().unwrap_or(Utf8Path::new(""));
        for (depth, name) in folder.iter().enumerate() {
            dir = match dir.folder(name) {
                Ok(dir) => dir,
                Err(failed) if failed.is_not_found() => return Ok(folder.iter().count() - depth),
                Err(failed) => return Err(self.refused_in(&dir, name, failed)),
            };
        }
        Ok(0)
    }
}

impl LockedFile {
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
        FileAttributes::of(&self.path, &file, &seen.metadata)
    }

    /// Returns the number of directories on the path of the file that do not exist.
    ///
    /// # Errors
    /// A directory cannot be opened, or has become a link.
    pub fn missing_folders(&self) -> Result<usize, FileError> {
        self.path.missing_folders()
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

    /// Writes the bytes of a new file to the file `temporary` in its directory, which is made if it is missing.
    pub(crate) fn prepare_creation<'a, 'b>(
        &'a self,
        _: &WritePermit,
        temporary: &TemporaryName,
        attributes: Option<&FileAttributes>,
        new: impl IntoIterator<Item = &'b [u8]>,
    ) -> Result<Unsynced<'a>, FileError> {
        let path = &self.path;
        let failed = |failed| path.refused(failed);
        let readers = match attributes {
            Some(_) => Readers::Owner,
            None => Readers::AsUsual,
        };
        let mut temporary = path.create_temporary(temporary, readers)?;
        temporary.file_mut().write(new).map_err(failed)?;
        let lost = match attributes {
            Some(attributes) => attributes.give(path, temporary.file())?,
            None => Vec::new(),
        };
        Ok(Unsynced(Prepared {
            path,
            temporary,
            change: PreparedChange::Create,
            lost,
        }))
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
        let failed = |failed| path.refused(failed);
        let temporary =
            Temporary::create(folder, temporary.clone(), Readers::Owner).map_err(failed)?;
        let seen = FileSnapshot { metadata, at };
        Ok(Unsynced(Prepared {
            path,
            temporary,
            change: PreparedChange::Remove { seen, expected },
            lost: Vec::new(),
        }))
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
        let (folder, name) = self.path.open_folder()?;
        examine(&self.path, &folder, name, expected)?;
        folder
            .remove(name)
            .and_then(|()| folder.sync())
            .map_err(|failed| self.path.refused(failed))?;
        self.remove_prepared(temporary)
    }

    /// Removes the file that a creation has made, if it still has the digest `expected`. Returns false if it has changed.
    pub(crate) fn remove_created(
        &self,
        _: &WritePermit,
        expected: Digest,
    ) -> Result<bool, FileError> {
        let (folder, name) = self.path.open_folder()?;
        let (mut file, metadata) = open_regular(&self.path, &folder, name)?;
        if digest(&self.path, &mut file)? != expected {
            return Ok(false);
        }
        replaceable(&self.path, metadata)?;
        folder
            .remove(name)
            .and_then(|()| folder.sync())
            .map_err(|failed| self.path.refused(failed))?;
        Ok(true)
    }

    /// Returns whether the file is the one prepared under that name, which also has its own name already.
    pub(crate) fn is_prepared(&self, temporary: &TemporaryName) -> Result<bool, FileError> {
        let (folder, name) = match self.path.open_folder() {
            Err(FileError::FileNotFound { .. }) => return Ok(false),
            opened => opened?,
        };
        let look = |name: &str| match folder.look(name) {
            Ok(metadata) => Ok(Some(metadata)),
            Err(failed) if failed.is_not_found() => Ok(None),
            Err(failed) => Err(self.path.refused(failed)),
        };
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

#[cfg(unix)]
fn is_same_file(one: &Metadata, other: &Metadata) -> bool {
    use cap_std::fs::MetadataExt;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

/// Returns false, since other systems do not report the identity of a file.
#[cfg(not(unix))]
fn is_same_file(_: &Metadata, _: &Metadata) -> bool {
    false
}
