//! What is kept between two runs: names and bytes come in, and come back the same after a
//! restart or a crash.
//!
//! One directory per user, for that user alone. Refused: names that could lead out of it,
//! and a directory that cannot be made private.

use std::io::{self, Read};
use std::time::SystemTime;

use camino::{Utf8Path, Utf8PathBuf};
use cap_fs_ext::{DirExt, FollowSymlinks, OpenOptionsFollowExt};
use cap_std::fs::{Dir, DirBuilder, OpenOptions};

use super::temporary::{Failed, Step, Temporary, sync_folder};

/// The user's state directory: folders with small files, nothing deeper.
///
/// Names of folders and files are made of `a-z`, `0-9`, `_`, `-` and `.`, without a dot
/// at the beginning.
#[derive(Debug)]
pub struct StateDirectory {
    path: Utf8PathBuf,
    dir: Dir,
}

/// Why the state directory does not do what it was asked to.
#[derive(Debug, thiserror::Error)]
pub enum StateError {
    /// The user has no home directory, and no other place was named.
    #[error("no home directory to keep the state in")]
    NoHome,
    /// The path of the directory is not UTF-8.
    #[error("the path of the state directory is not UTF-8: {path:?}")]
    NotUtf8 {
        /// The path.
        path: std::path::PathBuf,
    },
    /// A name that is not allowed in the state directory.
    #[error("{name:?} is not a name in the state directory")]
    BadName {
        /// The name as it was asked for.
        name: String,
    },
    /// The system refused.
    #[error("cannot {step} `{path}`: {source}")]
    Io {
        /// The absolute path.
        path: Utf8PathBuf,
        /// What was being done.
        step: Step,
        /// What the system said.
        source: io::Error,
    },
}

impl StateDirectory {
    /// Opens the directory; creates it with mode 0700 when it is missing, and tightens it
    /// to that when others may enter.
    pub fn open(path: &Utf8Path) -> Result<StateDirectory, StateError> {
        let fails = |step| {
            move |source| StateError::Io {
                path: path.to_owned(),
                step,
                source,
            }
        };
        let mut builder = std::fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(path).map_err(fails(Step::Create))?;
        let canonical = path.canonicalize().map_err(fails(Step::Look))?;
        let canonical =
            Utf8PathBuf::from_path_buf(canonical).map_err(|path| StateError::NotUtf8 { path })?;
        let dir = Dir::open_ambient_dir(&canonical, cap_std::ambient_authority())
            .map_err(fails(Step::Open))?;
        #[cfg(unix)]
        tighten(&dir).map_err(fails(Step::KeepMode))?;
        Ok(StateDirectory {
            path: canonical,
            dir,
        })
    }

    /// `$XDG_STATE_HOME/treegraft`, else `~/.local/state/treegraft`.
    pub fn default_path() -> Result<Utf8PathBuf, StateError> {
        use etcetera::BaseStrategy;
        let user = etcetera::base_strategy::Xdg::new().map_err(|_| StateError::NoHome)?;
        let state = user.state_dir().ok_or(StateError::NoHome)?;
        let state =
            Utf8PathBuf::from_path_buf(state).map_err(|path| StateError::NotUtf8 { path })?;
        Ok(state.join("treegraft"))
    }

    /// The absolute path without links.
    pub fn path(&self) -> &Utf8Path {
        &self.path
    }

    /// The bytes of a file; nothing when there is no such file.
    pub fn read(&self, folder: &str, name: &str) -> Result<Option<Vec<u8>>, StateError> {
        let path = self.checked(folder, name)?;
        let Some(dir) = self.folder(folder)? else {
            return Ok(None);
        };
        let mut options = OpenOptions::new();
        options.read(true).follow(FollowSymlinks::No);
        let mut file = match dir.open_with(name, &options) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(fails(&path, Step::Open, error)),
        };
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)
            .map_err(|error| fails(&path, Step::Read, error))?;
        Ok(Some(bytes))
    }

    /// Writes a whole file, readable by the user alone: after a crash the old bytes are
    /// there or the new ones.
    pub fn write(&self, folder: &str, name: &str, bytes: &[u8]) -> Result<(), StateError> {
        let path = self.checked(folder, name)?;
        let dir = self.made_folder(folder)?;
        let written = Temporary::create(&dir).and_then(|mut temporary| {
            temporary.write([bytes])?;
            temporary.take_name(name)
        });
        written.map_err(|Failed { step, source }| StateError::Io { path, step, source })
    }

    /// Removes a file; false when there was none.
    pub fn remove(&self, folder: &str, name: &str) -> Result<bool, StateError> {
        let path = self.checked(folder, name)?;
        let Some(dir) = self.folder(folder)? else {
            return Ok(false);
        };
        match dir.remove_file(name) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(fails(&path, Step::Remove, error)),
        }
        sync_folder(&dir).map_err(|error| fails(&path, Step::SyncFolder, error))?;
        Ok(true)
    }

    /// The files of a folder by name, each with the time it was written.
    pub fn list(&self, folder: &str) -> Result<Vec<(String, SystemTime)>, StateError> {
        let path = self.path.join(checked_name(folder)?);
        let Some(dir) = self.folder(folder)? else {
            return Ok(Vec::new());
        };
        let fails = |error| fails(&path, Step::List, error);
        let mut files = Vec::new();
        for entry in dir.entries().map_err(fails)? {
            let entry = entry.map_err(fails)?;
            // Temporary files begin with a dot; whatever else has no name of ours was put
            // there by somebody else.
            let Ok(name) = entry.file_name().into_string() else {
                continue;
            };
            if checked_name(&name).is_err() {
                continue;
            }
            let metadata = match entry.metadata() {
                Ok(metadata) => metadata,
                // Removed by another process between the two calls.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(fails(error)),
            };
            if metadata.is_file() {
                files.push((name, metadata.modified().map_err(fails)?.into_std()));
            }
        }
        files.sort();
        Ok(files)
    }

    /// An empty file to lock, made when it is missing.
    pub(super) fn lock_file(&self, folder: &str, name: &str) -> Result<std::fs::File, StateError> {
        let path = self.checked(folder, name)?;
        let dir = self.made_folder(folder)?;
        let mut options = OpenOptions::new();
        options.write(true).create(true).follow(FollowSymlinks::No);
        #[cfg(unix)]
        cap_std::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = dir
            .open_with(name, &options)
            .map_err(|error| fails(&path, Step::Open, error))?;
        Ok(file.into_std())
    }

    fn checked(&self, folder: &str, name: &str) -> Result<Utf8PathBuf, StateError> {
        Ok(self
            .path
            .join(checked_name(folder)?)
            .join(checked_name(name)?))
    }

    fn folder(&self, folder: &str) -> Result<Option<Dir>, StateError> {
        match self.dir.open_dir_nofollow(folder) {
            Ok(dir) => Ok(Some(dir)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(fails(&self.path.join(folder), Step::Open, error)),
        }
    }

    fn made_folder(&self, folder: &str) -> Result<Dir, StateError> {
        let path = self.path.join(folder);
        let mut builder = DirBuilder::new();
        #[cfg(unix)]
        cap_std::fs::DirBuilderExt::mode(&mut builder, 0o700);
        match self.dir.create_dir_with(folder, &builder) {
            Ok(()) => {
                sync_folder(&self.dir).map_err(|error| fails(&path, Step::SyncFolder, error))?
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(fails(&path, Step::Create, error)),
        }
        self.dir
            .open_dir_nofollow(folder)
            .map_err(|error| fails(&path, Step::Open, error))
    }
}

fn fails(path: &Utf8Path, step: Step, source: io::Error) -> StateError {
    StateError::Io {
        path: path.to_owned(),
        step,
        source,
    }
}

fn checked_name(name: &str) -> Result<&str, StateError> {
    let allowed = |byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-' | b'.');
    if name.is_empty() || name.starts_with('.') || !name.bytes().all(allowed) {
        return Err(StateError::BadName {
            name: name.to_owned(),
        });
    }
    Ok(name)
}

#[cfg(unix)]
fn tighten(dir: &Dir) -> io::Result<()> {
    use cap_std::fs::{Permissions, PermissionsExt};
    let mode = dir.dir_metadata()?.permissions().mode();
    if mode & 0o077 == 0 {
        return Ok(());
    }
    dir.set_permissions(".", Permissions::from_mode(0o700))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn temporary_folder() -> (tempfile::TempDir, Utf8PathBuf) {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let path = Utf8PathBuf::from_path_buf(folder.path().to_owned())
            .expect("temporary folders are UTF-8");
        (folder, path)
    }

    #[cfg(unix)]
    fn mode(path: &Utf8Path) -> u32 {
        use std::os::unix::fs::PermissionsExt;
        let metadata = std::fs::metadata(path).expect("the file is there");
        metadata.permissions().mode() & 0o7777
    }

    fn names(state: &StateDirectory, folder: &str) -> Vec<String> {
        let files = state.list(folder).expect("the folder can be listed");
        files.into_iter().map(|(name, _)| name).collect()
    }

    #[test]
    fn bytes_come_back_after_a_restart() {
        let (_folder, path) = temporary_folder();
        let path = path.join("deep/state");
        let state = StateDirectory::open(&path).expect("it can be made");
        assert_eq!(state.read("edits", "a1").expect("it can be asked"), None);
        assert_eq!(names(&state, "edits"), [""; 0]);
        state
            .write("edits", "a1", b"one")
            .expect("it can be written");
        state
            .write("edits", "a1", b"two")
            .expect("it can be written again");
        state
            .write("edits", "b2.json", b"")
            .expect("a second one, too");

        let state = StateDirectory::open(&path).expect("it is there");
        let read = state.read("edits", "a1").expect("it can be read");
        assert_eq!(read.as_deref(), Some(&b"two"[..]));
        assert_eq!(names(&state, "edits"), ["a1", "b2.json"]);

        assert!(state.remove("edits", "a1").expect("it can be removed"));
        assert!(!state.remove("edits", "a1").expect("once is enough"));
        assert!(!state.remove("other", "a1").expect("nor is there a folder"));
        assert_eq!(names(&state, "edits"), ["b2.json"]);
    }

    #[test]
    #[cfg(unix)]
    fn nobody_else_may_look() {
        let (_folder, path) = temporary_folder();
        let path = path.join("state");
        let state = StateDirectory::open(&path).expect("it can be made");
        state
            .write("edits", "a1", b"one")
            .expect("it can be written");
        assert_eq!(mode(&path), 0o700);
        assert_eq!(mode(&path.join("edits")), 0o700);
        assert_eq!(mode(&path.join("edits/a1")), 0o600);
    }

    #[test]
    #[cfg(unix)]
    fn a_directory_open_to_others_is_closed_to_them() {
        use std::os::unix::fs::PermissionsExt;
        let (_folder, path) = temporary_folder();
        let wide = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(&path, wide).expect("it is ours");
        StateDirectory::open(&path).expect("it is there");
        assert_eq!(mode(&path), 0o700);
    }

    #[test]
    fn what_somebody_else_put_there_is_not_listed() {
        let (_folder, path) = temporary_folder();
        let state = StateDirectory::open(&path).expect("it is there");
        state
            .write("edits", "a1", b"one")
            .expect("it can be written");
        std::fs::write(path.join("edits/.treegraft-0.tmp"), "").expect("it can be written");
        std::fs::write(path.join("edits/Notes"), "").expect("it can be written");
        std::fs::create_dir(path.join("edits/folder")).expect("it can be made");
        assert_eq!(names(&state, "edits"), ["a1"]);
    }

    #[test]
    fn names_cannot_lead_out() {
        let (_folder, path) = temporary_folder();
        let state = StateDirectory::open(&path).expect("it is there");
        for name in [
            "", ".", "..", ".hidden", "a/b", "../a", "/etc", "A", "ä", "a\0", "a b",
        ] {
            for (folder, name) in [(name, "a"), ("a", name)] {
                let refused = [
                    state.read(folder, name).map(drop),
                    state.write(folder, name, b"x"),
                    state.remove(folder, name).map(drop),
                ];
                for result in refused {
                    assert!(
                        matches!(result, Err(StateError::BadName { .. })),
                        "{folder:?} {name:?}: {result:?}"
                    );
                }
            }
        }
        let error = state.read("a", "../b").expect_err("it leads out");
        assert_eq!(
            error.to_string(),
            r#""../b" is not a name in the state directory"#
        );
    }

    #[test]
    fn the_default_is_named_after_the_program() {
        let path = StateDirectory::default_path().expect("the user of the tests has a home");
        assert!(path.is_absolute() && path.ends_with("treegraft"), "{path}");
    }
}
