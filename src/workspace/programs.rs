//! Finds the user's programs, and reads and writes their configuration.

use camino::Utf8Path;
#[cfg(feature = "servers")]
use camino::Utf8PathBuf;

use crate::source::Digest;

use super::disk::Readers;
use super::path::Arrival;
use super::read::digest;
use super::temporary::Temporary;
use super::{FileError, Workspace, WorkspacePath, WritePermit};

impl Workspace {
    /// Writes the configuration of another program: replaces the file if it still has the
    /// bytes `before`, or creates it for `readers` if there is none. Only this write has no preview.
    ///
    /// # Errors
    /// The file cannot be written, or differs from `before`.
    pub fn write_configuration(
        &self,
        path: &str,
        before: Option<&[u8]>,
        readers: Readers,
        after: &[u8],
    ) -> Result<(), FileError> {
        let permit = self.write_permit()?;
        match before {
            Some(before) => {
                let locked = self.lock(&self.resolve(path)?)?;
                let temporary = locked.new_temporary_name()?;
                let prepared =
                    locked.prepare(&permit, Digest::from_bytes(before), &temporary, [after])?;
                // The file is written. Writing it again would not make it survive a power failure.
                prepared.sync()?.take_place().map(drop)
            }
            None => self.create(&permit, path, readers, after),
        }
    }

    /// Creates a file and the missing directories on its path, for `readers`. Refuses if the file exists by then.
    pub(super) fn create(
        &self,
        _: &WritePermit,
        path: &str,
        readers: Readers,
        bytes: &[u8],
    ) -> Result<(), FileError> {
        let (folder, mut names) = match self.walk(path)? {
            Arrival::At(there) => return Err(already_there(&there)?),
            Arrival::Missing { folder, name, rest } => (folder, [vec![name], rest].concat()),
        };
        let not_found = || FileError::FileNotFound {
            path: path.into(),
            missing: path.into(),
        };
        let name = names.pop().ok_or_else(not_found)?;
        if names.iter().chain([&name]).any(|name| name == "..") {
            return Err(not_found());
        }
        let refused = |failed| FileError::from_io_failure(Utf8Path::new(path), failed);
        let mut dir = folder.open_dir()?;
        for name in &names {
            dir.make_folder(name, readers).map_err(refused)?;
            dir = dir.folder(name).map_err(refused)?;
        }
        let there = self.place(path)?;
        let _locked = self.lock(&there)?;
        let mut temporary = Temporary::create_anywhere(dir, readers).map_err(refused)?;
        temporary.file_mut().write([bytes]).map_err(refused)?;
        temporary.file().sync().map_err(refused)?;
        match temporary.take_free_name(&name) {
            Ok(true) => Ok(()),
            Ok(false) => Err(already_there(&there)?),
            Err(failed) => Err(refused(failed)),
        }
    }
}

/// Returns the refusal to create an existing file.
fn already_there(path: &WorkspacePath) -> Result<FileError, FileError> {
    Ok(FileError::Changed {
        path: path.display().to_owned(),
        found: digest(path)?,
    })
}

/// Reads the configuration of one of the user's programs: in any place, since the user may read it. Never called with a
/// path from an agent.
///
/// # Errors
/// The system's error.
pub(crate) fn read_configuration(path: &Utf8Path) -> std::io::Result<Vec<u8>> {
    std::fs::read(path)
}

/// Returns the user's search path, `PATH`.
pub fn search_path() -> std::ffi::OsString {
    std::env::var_os("PATH").unwrap_or_default()
}

/// Returns whether a file exists at a path that the user names, which can be anywhere.
#[cfg(feature = "servers")]
pub(crate) fn is_there(path: &Utf8Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// Finds a program. A path is taken as it is; for a name, returns the first executable file in a directory of
/// `search_path`. Ignores relative directories, since the working directory could be a repository.
#[cfg(feature = "servers")]
pub fn find_program(search_path: &std::ffi::OsStr, name: &str) -> Option<Utf8PathBuf> {
    let is_program = |path: &Utf8Path| {
        path.metadata().is_ok_and(|metadata| {
            #[cfg(unix)]
            let may_run =
                std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o111 != 0;
            #[cfg(not(unix))]
            let may_run = true;
            metadata.is_file() && may_run
        })
    };
    let endings = match cfg!(windows) {
        // npm writes a shell script without an ending next to each `.cmd`.
        true => [".exe", ".cmd", ""].as_slice(),
        false => &[""],
    };
    if Utf8Path::new(name).is_absolute() {
        return Some(Utf8PathBuf::from(name)).filter(|path| is_program(path));
    }
    if name.contains(std::path::is_separator) {
        return None;
    }
    let folders = std::env::split_paths(search_path);
    let folders = folders.filter_map(|folder| Utf8PathBuf::from_path_buf(folder).ok());
    let mut paths = folders
        .filter(|folder| folder.is_absolute())
        .flat_map(|folder| {
            endings
                .iter()
                .map(move |ending| folder.join(format!("{name}{ending}")))
        });
    paths.find(|path| is_program(path))
}
