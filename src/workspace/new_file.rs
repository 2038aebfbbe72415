//! Finds the place of a new file, and makes the directories that it needs.

use camino::{Utf8Path, Utf8PathBuf};
use cap_std::fs::Metadata;

use super::disk::{Folder, Readers, is_same_file};
use super::path::{Arrival, is_git_directory, is_inside};
use super::read::kind_of;
use super::temporary::{Temporary, TemporaryName, is_temporary};
use super::{FileError, FileKind, Outside, Workspace, WorkspacePath};

/// The maximum length of a name in bytes, on all usual file systems.
const NAME_BYTES: usize = 255;
/// The maximum length of a path in bytes.
const PATH_BYTES: usize = 4_000;
/// How often the directories of a new file are made, if other processes remove them in between.
const TRIES: usize = 5;

impl Workspace {
    /// Does the same as [`Workspace::resolve`], but also accepts a missing file, and missing directories on its path.
    ///
    /// # Errors
    /// No file can be created there: the path is outside the workspace, in another file, names a directory, or is too
    /// long.
    pub fn place_of_new(&self, path: &str) -> Result<WorkspacePath, FileError> {
        let given = Utf8Path::new(path);
        let names = given.iter().map(|name| (name.len(), NAME_BYTES));
        let mut lengths = names.chain([(path.len(), PATH_BYTES)]);
        if let Some((bytes, limit)) = lengths.find(|(bytes, limit)| bytes > limit) {
            return Err(FileError::NameTooLong {
                path: given.to_owned(),
                bytes,
                limit,
            });
        }
        let arrival = self.walk(path).map_err(|error| match error {
            FileError::FileNotFound { path, .. } if !path.as_str().is_empty() => {
                FileError::InFile { path }
            }
            error => error,
        })?;
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
            return Err(FileError::NotAFile {
                path: given.to_owned(),
                kind: FileKind::Directory,
            });
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
        let below = folder.relative().iter();
        let relative: Utf8PathBuf = below.chain(names.iter().map(String::as_str)).collect();
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

    /// Creates a temporary file in the directory of the file. Makes the missing directories.
    pub(super) fn create_temporary(
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
        if let Some((folder, _)) = self.find_folder()? {
            return Ok(folder);
        }
        let folder = self.relative().parent().unwrap_or(Utf8Path::new(""));
        let mut dir = self.open_root()?;
        for name in folder {
            let made = dir.make_folder(name, Readers::AsUsual);
            if made.map_err(|failed| self.refused(failed))? {
                dir.sync().map_err(|failed| self.refused(failed))?;
            }
            let entered = dir.folder(name);
            dir = entered.map_err(|failed| self.refused_in(&dir, name, failed))?;
        }
        Ok(dir)
    }

    /// Returns the number of directories on the path of the file that do not exist.
    pub(super) fn missing_folders(&self) -> Result<usize, FileError> {
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
