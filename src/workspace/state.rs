//! Stores data between runs: named files that survive a restart or a crash.
//!
//! There is one directory per user, accessible only to this user. Refuses names that could point outside the directory,
//! and a directory that cannot be made private.
//!
//! What is kept up to a limit has a folder for each workspace, so that no workspace removes what another one has kept.

use std::io;
use std::time::{Duration, SystemTime};

use camino::{Utf8Path, Utf8PathBuf};

use super::disk::{Folder, IoFailure, LockFile, OpenFile, Readers, Step, if_exists};
use super::path::without_prefix;
use super::temporary::{Durable, Temporary, is_temporary};
use crate::source::Digest;

/// The user's state directory: one level of folders with small files.
///
/// Names of folders and files consist of `a-z`, `0-9`, `_`, `-` and `.`, and do not start with a dot.
#[derive(Debug)]
pub struct StateDirectory {
    path: Utf8PathBuf,
    dir: Folder,
    /// The start of the digest of the workspace's root. Empty if there is no workspace.
    workspace: String,
}

/// The folder for unreadable files.
pub const SET_ASIDE: &str = "set-aside";
/// The folder of pages that the user's browser reads.
const PAGES: &str = "review";
/// The folder of the calls that a hook has denied.
const DENIED: &str = "denied";
/// The number of digits in the name of a workspace's folder.
const WORKSPACE_DIGITS: usize = 16;

/// A stored file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateFile {
    /// The name of the file in its folder.
    pub name: String,
    /// The time of the last write.
    pub written: SystemTime,
    /// The size in bytes.
    pub bytes: u64,
}

/// A file that was read and is still held open.
#[derive(Debug)]
pub(crate) struct HeldFile {
    file: OpenFile,
    dir: Folder,
    folder: String,
    name: String,
}

/// A file in the folder of a workspace.
#[derive(Clone, Debug)]
pub(crate) struct WorkspaceFile {
    /// The name of the folder.
    pub(crate) folder: String,
    pub(crate) file: StateFile,
}

/// Why the state directory cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StateError {
    /// The user has no home directory, and no other path was given.
    #[error("no home directory to keep the state in")]
    NoHome,
    /// The path of the directory is not UTF-8.
    #[error("the path of the state directory is not UTF-8: {path:?}")]
    NotUtf8 {
        /// The path.
        path: std::path::PathBuf,
    },
    /// A name that is not allowed in the state directory.
    #[error("{name:?} is not a valid name in the state directory")]
    BadName {
        /// The name as requested.
        name: String,
    },
    /// The system returned an error.
    #[error("cannot {step} `{path}`: {source}")]
    Io {
        /// The absolute path.
        path: Utf8PathBuf,
        /// The step that failed.
        step: Step,
        /// The system's error.
        source: io::Error,
    },
}

impl StateError {
    fn is_not_found(&self) -> bool {
        match self {
            StateError::Io { source, .. } => source.kind() == io::ErrorKind::NotFound,
            _ => false,
        }
    }
}

impl StateFile {
    /// Returns whether the file was last written longer ago than `than`.
    pub fn is_older(&self, than: Duration) -> bool {
        self.written.elapsed().is_ok_and(|age| age > than)
    }
}

impl StateDirectory {
    /// Opens the directory. Creates it with mode 0700 if it is missing, and restricts it to this mode if other users
    /// have access.
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
        let canonical = without_prefix(canonical);
        let failed = |IoFailure { step, source }| StateError::Io {
            path: path.to_owned(),
            step,
            source,
        };
        let dir = Folder::open(&canonical).map_err(failed)?;
        #[cfg(unix)]
        tighten(&dir).map_err(failed)?;
        Ok(StateDirectory {
            path: canonical,
            dir,
            workspace: String::new(),
        })
    }

    /// Returns the directory for the workspace with this root, which must be canonical.
    pub(crate) fn of_workspace(self, root: &Utf8Path) -> StateDirectory {
        let digest = Digest::from_bytes(root.as_str().as_bytes()).to_string();
        StateDirectory {
            workspace: digest[..WORKSPACE_DIGITS].to_string(),
            ..self
        }
    }

    /// Returns the directory for the same workspace, opened again.
    pub(super) fn opened_again(&self) -> Result<StateDirectory, StateError> {
        let workspace = self.workspace.clone();
        let again = StateDirectory::open(&self.path)?;
        Ok(StateDirectory { workspace, ..again })
    }

    /// Returns the name of this workspace's folder of a kind.
    pub(crate) fn own_folder(&self, kind: &str) -> String {
        match self.workspace.as_str() {
            "" => kind.to_string(),
            workspace => format!("{kind}-{workspace}"),
        }
    }

    /// Returns the names of the folders of a kind: those of all workspaces, and the one without a workspace.
    pub(crate) fn folders(&self, kind: &str) -> Result<Vec<String>, StateError> {
        let is_of_kind = |name: &String| match name.strip_prefix(kind) {
            Some("") => true,
            Some(rest) => rest.starts_with('-') && is_of_workspace(name),
            None => false,
        };
        let listed = self.dir.list(usize::MAX);
        let listed = listed.map_err(|failed| self.refused("", "", failed))?;
        let names = listed
            .into_iter()
            .filter_map(|(name, _)| name.into_string().ok());
        let mut names: Vec<String> = names.filter(is_of_kind).collect();
        names.sort();
        Ok(names)
    }

    /// Looks in this workspace's folder of a kind, then in those of the others. Returns what `look` first finds in a
    /// folder.
    pub(crate) fn find_in_folders<T, E: From<StateError>>(
        &self,
        kind: &str,
        look: impl Fn(&str) -> Result<Option<T>, E>,
    ) -> Result<Option<T>, E> {
        let own = self.own_folder(kind);
        if let Some(found) = look(&own)? {
            return Ok(Some(found));
        }
        for folder in self.folders(kind)? {
            if folder != own
                && let Some(found) = look(&folder)?
            {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// Lists the files in all folders of a kind.
    pub(crate) fn list_all(&self, kind: &str) -> Result<Vec<WorkspaceFile>, StateError> {
        let mut files = Vec::new();
        for folder in self.folders(kind)? {
            for file in self.list(&folder)? {
                let folder = folder.clone();
                files.push(WorkspaceFile { folder, file });
            }
        }
        Ok(files)
    }

    /// Returns a state directory for a test, in a temporary folder.
    #[cfg(test)]
    pub(crate) fn temporary() -> (tempfile::TempDir, StateDirectory) {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let path = Utf8Path::from_path(folder.path()).expect("temporary folders are UTF-8");
        let state = StateDirectory::open(&path.join("state")).expect("the state can be made");
        (folder, state)
    }

    /// Returns `$XDG_STATE_HOME/treegraft`, by default `~/.local/state/treegraft`.
    pub fn default_path() -> Result<Utf8PathBuf, StateError> {
        use etcetera::BaseStrategy;
        let user = etcetera::base_strategy::Xdg::new().map_err(|_| StateError::NoHome)?;
        let state = user.state_dir().ok_or(StateError::NoHome)?;
        let state =
            Utf8PathBuf::from_path_buf(state).map_err(|path| StateError::NotUtf8 { path })?;
        Ok(state.join("treegraft"))
    }

    /// Returns the absolute path, with links resolved.
    pub fn path(&self) -> &Utf8Path {
        &self.path
    }

    /// Reads a file. Returns `None` if it does not exist.
    pub fn read(&self, folder: &str, name: &str) -> Result<Option<Vec<u8>>, StateError> {
        let held = self.read_held(folder, name)?;
        Ok(held.map(|(bytes, _)| bytes))
    }

    /// Does the same as [`StateDirectory::read`], and also returns the open file.
    pub(crate) fn read_held(
        &self,
        folder: &str,
        name: &str,
    ) -> Result<Option<(Vec<u8>, HeldFile)>, StateError> {
        checked_name(name)?;
        let Some(dir) = self.folder(folder)? else {
            return Ok(None);
        };
        let read = dir.open_to_read(name).and_then(|mut file| {
            let expected = file.look()?.len();
            Ok((file.read(u64::MAX, expected)?, file))
        });
        let read = if_exists(read).map_err(|failed| self.refused(folder, name, failed))?;
        Ok(read.map(|(bytes, file)| {
            let held = HeldFile {
                file,
                dir,
                folder: folder.to_owned(),
                name: name.to_owned(),
            };
            (bytes, held)
        }))
    }

    /// Writes a file here, replaces it in one step as every edit does, and removes it. Returns whether it had the new
    /// bytes.
    ///
    /// # Errors
    /// The directory does not allow one of these steps.
    pub fn try_replacing(&self) -> Result<bool, StateError> {
        const FOLDER: &str = "doctor";
        const NAME: &str = "trial";
        self.write(FOLDER, NAME, b"one")?;
        self.write(FOLDER, NAME, b"two")?;
        let read = self.read(FOLDER, NAME)?;
        self.remove(FOLDER, NAME)?;
        Ok(read.as_deref() == Some(b"two"))
    }

    /// Writes a whole file that only the user can read. After a crash, the file has either the old or the new bytes.
    pub(crate) fn write(&self, folder: &str, name: &str, bytes: &[u8]) -> Result<(), StateError> {
        self.write_parts(folder, name, [bytes], Durable::AfterAPowerCut)
    }

    /// Does the same as [`StateDirectory::write`] for bytes in parts.
    pub(crate) fn write_parts<'a>(
        &self,
        folder: &str,
        name: &str,
        parts: impl IntoIterator<Item = &'a [u8]>,
        durable: Durable,
    ) -> Result<(), StateError> {
        checked_name(name)?;
        let create = || {
            let dir = self.made_folder(folder)?;
            let created = Temporary::create_anywhere(dir, Readers::Owner);
            created.map_err(|failed| self.refused(folder, name, failed))
        };
        let mut temporary = match create() {
            // Another process may remove an empty folder between the two steps.
            Err(error) if error.is_not_found() => create()?,
            created => created?,
        };
        let write = || {
            temporary.file_mut().write(parts)?;
            if durable == Durable::AfterAPowerCut {
                temporary.file().sync()?;
            }
            temporary.take_name(name, durable)
        };
        write().map_err(|failed| self.refused(folder, name, failed))
    }

    /// Appends to a file in a single call, so that lines of several processes do not mix. If the file has more than
    /// `limit` bytes, first renames it to `older`, which replaces the previous file of that name.
    ///
    /// Nothing is synced: the line may be lost in a power failure.
    pub(crate) fn append(
        &self,
        folder: &str,
        (name, older): (&str, &str),
        limit: u64,
        line: &[u8],
    ) -> Result<(), StateError> {
        checked_name(name)?;
        checked_name(older)?;
        let dir = self.made_folder(folder)?;
        let refused = |failed| self.refused(folder, name, failed);
        let is_full = || {
            let metadata = if_exists(dir.look(name)).map_err(refused)?;
            Ok(metadata.is_some_and(|metadata| metadata.len() > limit))
        };
        if is_full()? {
            // Only one process renames the file. The others continue to write to it under either name.
            let lock = self.lock_file(folder, &format!("{name}.lock"))?;
            if lock.try_lock().map_err(refused)? && is_full()? {
                dir.rename(name, older).map_err(refused)?;
            }
        }
        let mut file = dir.open_to_append(name).map_err(refused)?;
        file.write([line]).map_err(refused)
    }

    /// Renames a file, replacing an existing file with the new name, and sets its modification time to now. Returns
    /// false if the file does not exist.
    pub(crate) fn rename(
        &self,
        folder: &str,
        name: &str,
        new_name: &str,
    ) -> Result<bool, StateError> {
        checked_name(name)?;
        checked_name(new_name)?;
        let Some(dir) = self.folder(folder)? else {
            return Ok(false);
        };
        let touched = dir.open_to_write(name).and_then(|file| file.touch());
        let renamed = if_exists(touched.and_then(|()| dir.rename(name, new_name)));
        let renamed = renamed.map_err(|failed| self.refused(folder, name, failed))?;
        Ok(renamed.is_some())
    }

    /// Removes a file. Returns false if it does not exist.
    pub(crate) fn remove(&self, folder: &str, name: &str) -> Result<bool, StateError> {
        checked_name(name)?;
        let Some(dir) = self.folder(folder)? else {
            return Ok(false);
        };
        let removed = if_exists(dir.remove(name));
        let removed = removed.map_err(|failed| self.refused(folder, name, failed))?;
        Ok(removed.is_some())
    }

    /// Writes a page for the user's browser, which only the user can read, and removes those older than `age`, which
    /// killed processes have left. Returns the path of the page. Records of edits are in other folders.
    ///
    /// # Errors
    /// The state directory cannot be written.
    pub fn write_page(
        &self,
        name: &str,
        page: &str,
        age: Duration,
    ) -> Result<Utf8PathBuf, StateError> {
        for file in self.list(PAGES)? {
            if file.is_older(age) {
                self.remove(PAGES, &file.name)?;
            }
        }
        self.write(PAGES, name, page.as_bytes())?;
        Ok(self.path().join(PAGES).join(name))
    }

    /// Removes a page. Returns false if it does not exist.
    ///
    /// # Errors
    /// The state directory cannot be written.
    pub fn remove_page(&self, name: &str) -> Result<bool, StateError> {
        self.remove(PAGES, name)
    }

    /// Remembers that a hook denied the call with this digest. Returns false, and remembers nothing, if it has denied the
    /// same call within `age`. Forgets older calls.
    ///
    /// # Errors
    /// The state directory cannot be written.
    pub fn deny_once(&self, call: Digest, age: Duration) -> Result<bool, StateError> {
        let name = call.to_string();
        for file in self.list(DENIED)? {
            if file.is_older(age) {
                self.remove(DENIED, &file.name)?;
            } else if file.name == name {
                return Ok(false);
            }
        }
        self.write(DENIED, &name, b"")?;
        Ok(true)
    }

    /// Lists the files of a folder, sorted by name.
    pub fn list(&self, folder: &str) -> Result<Vec<StateFile>, StateError> {
        let Some(dir) = self.folder(folder)? else {
            return Ok(Vec::new());
        };
        let mut files = Vec::new();
        for name in self.names_in(&dir, folder)? {
            // Adds nothing if another process has removed the file in the meantime.
            files.extend(self.looked(&dir, folder, &name)?);
        }
        files.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(files)
    }

    fn names_in(&self, dir: &Folder, folder: &str) -> Result<Vec<String>, StateError> {
        let listed = dir.list(usize::MAX);
        let listed = listed.map_err(|failed| self.refused(folder, "", failed))?;
        let names = listed
            .into_iter()
            .filter_map(|(name, _)| name.into_string().ok());
        // Temporary files start with a dot. Other files with invalid names do not belong to treegraft.
        Ok(names.filter(|name| checked_name(name).is_ok()).collect())
    }

    /// Returns the time of the last write and the size of a file, or `None` if it does not exist.
    pub fn look(&self, folder: &str, name: &str) -> Result<Option<StateFile>, StateError> {
        checked_name(name)?;
        let Some(dir) = self.folder(folder)? else {
            return Ok(None);
        };
        self.looked(&dir, folder, name)
    }

    fn looked(
        &self,
        dir: &Folder,
        folder: &str,
        name: &str,
    ) -> Result<Option<StateFile>, StateError> {
        let metadata = if_exists(dir.look(name));
        let metadata = metadata.map_err(|failed| self.refused(folder, name, failed))?;
        let Some(metadata) = metadata.filter(|metadata| metadata.is_file()) else {
            return Ok(None);
        };
        let step = Step::Look;
        let written = metadata
            .modified()
            .map_err(|source| self.refused(folder, name, IoFailure { step, source }))?;
        Ok(Some(StateFile {
            name: name.to_owned(),
            written: written.into_std(),
            bytes: metadata.len(),
        }))
    }

    /// Moves a file to the folder [`SET_ASIDE`], where only people read it.
    pub(crate) fn set_aside(&self, folder: &str, name: &str) -> Result<(), StateError> {
        if let Some(bytes) = self.read(folder, name)? {
            self.write(SET_ASIDE, &format!("{folder}-{name}"), &bytes)?;
            self.remove(folder, name)?;
        }
        Ok(())
    }

    /// Removes the temporary files that killed processes left in any folder. These are the temporary files that are
    /// older than any write takes. Also removes the empty folders of workspaces that did not change for `unused`.
    pub fn sweep(&self, unused: Duration) -> Result<(), StateError> {
        const OLD: Duration = Duration::from_secs(60);

        let folders = self.dir.list(usize::MAX);
        for (folder, _) in folders.map_err(|failed| self.refused("", "", failed))? {
            let folder = folder
                .to_str()
                .filter(|folder| checked_name(folder).is_ok());
            let Some(folder) = folder else { continue };
            let Some(dir) = self.folder(folder)? else {
                continue;
            };
            let refused = |failed| self.refused(folder, "", failed);
            let names = dir.list(usize::MAX).map_err(refused)?;
            if names.is_empty() && is_of_workspace(folder) {
                let looked = dir.look_at_itself().map_err(refused)?;
                let changed = looked.modified().map(|time| time.into_std());
                let age = changed.ok().and_then(|changed| changed.elapsed().ok());
                if age.is_some_and(|age| age > unused) {
                    // Fails if another process has written a file in the meantime.
                    let _ = self.dir.remove_folder(folder);
                    continue;
                }
            }
            for (name, _) in names {
                let Some(name) = name.to_str().filter(|name| is_temporary(name)) else {
                    continue;
                };
                let kept = self.looked(&dir, folder, name)?;
                if !kept.is_some_and(|kept| kept.is_older(OLD)) {
                    continue;
                }
                match dir.remove(name) {
                    Err(failed) if !failed.is_not_found() => return Err(refused(failed)),
                    _ => {}
                }
            }
        }
        Ok(())
    }

    /// Opens an empty file for locking. Creates it if it is missing.
    pub(super) fn lock_file(&self, folder: &str, name: &str) -> Result<LockFile, StateError> {
        checked_name(name)?;
        let dir = self.made_folder(folder)?;
        dir.open_to_lock(name)
            .map_err(|failed| self.refused(folder, name, failed))
    }

    /// Converts the system's error into a refusal. Without a name, the refusal is about the folder itself.
    pub(super) fn refused(&self, folder: &str, name: &str, failed: IoFailure) -> StateError {
        let IoFailure { step, source } = failed;
        let path = match name {
            "" => self.path.join(folder),
            name => self.path.join(folder).join(name),
        };
        StateError::Io { path, step, source }
    }

    fn folder(&self, folder: &str) -> Result<Option<Folder>, StateError> {
        let opened = if_exists(self.dir.folder(checked_name(folder)?));
        opened.map_err(|failed| self.refused(folder, "", failed))
    }

    fn made_folder(&self, folder: &str) -> Result<Folder, StateError> {
        if let Some(dir) = self.folder(folder)? {
            return Ok(dir);
        }
        let make = || {
            if self.dir.make_folder(folder, Readers::Owner)? {
                self.dir.sync()?;
            }
            self.dir.folder(folder)
        };
        make().map_err(|failed| self.refused(folder, "", failed))
    }
}

impl HeldFile {
    /// Returns whether the file certainly still has the name by which it was read. Every write creates a new file that
    /// takes the name, so the same file has the same bytes.
    pub(crate) fn has_its_name(&self) -> bool {
        self.file.is_named(&self.dir, &self.name).unwrap_or(false)
    }

    /// Returns the name of its folder.
    pub(crate) fn folder(&self) -> &str {
        &self.folder
    }
}

/// Returns whether a folder is that of a workspace.
fn is_of_workspace(folder: &str) -> bool {
    let digits = folder.rsplit_once('-').map(|(_, digits)| digits);
    let is_digit = |byte: u8| byte.is_ascii_hexdigit();
    digits.is_some_and(|digits| digits.len() == WORKSPACE_DIGITS && digits.bytes().all(is_digit))
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
fn tighten(dir: &Folder) -> Result<(), IoFailure> {
    use cap_std::fs::PermissionsExt;
    let mode = dir.look_at_itself()?.permissions().mode();
    if mode & 0o077 == 0 {
        return Ok(());
    }
    dir.set_mode(0o700)
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
        files.into_iter().map(|one| one.name).collect()
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
    fn a_file_that_is_held_has_its_name_until_another_takes_it() {
        let (_folder, path) = temporary_folder();
        let state = StateDirectory::open(&path).expect("it can be made");
        let write = || {
            state
                .write("edits", "a1", b"one")
                .expect("it can be written")
        };
        let rename = |from, to| {
            let renamed = state.rename("edits", from, to);
            assert!(renamed.expect("it can be renamed"));
        };
        write();
        let held = || {
            let held = state.read_held("edits", "a1").expect("it can be read");
            held.expect("it is there").1
        };
        let first = held();
        assert!(first.has_its_name());
        rename("a1", "b2");
        assert!(!first.has_its_name());
        rename("b2", "a1");
        assert!(first.has_its_name());
        write();
        assert!(
            !first.has_its_name(),
            "its bytes are the same, but who knows"
        );
        let second = held();
        state.remove("edits", "a1").expect("it can be removed");
        assert!(!second.has_its_name());
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
            r#""../b" is not a valid name in the state directory"#
        );
    }

    #[test]
    fn each_workspace_has_its_folder_and_finds_those_of_the_others() {
        let (_folder, path) = temporary_folder();
        let open = || StateDirectory::open(&path).expect("it can be made");
        let (one, other) = (
            open().of_workspace("/one".into()),
            open().of_workspace("/other".into()),
        );
        let [own, others, none] = [&one, &other, &open()].map(|state| state.own_folder("edits"));
        assert_eq!(none, "edits");
        assert!(own != others && own.starts_with("edits-"), "{own} {others}");
        for folder in [&own, &others, &none] {
            one.write(folder, "a", folder.as_bytes())
                .expect("it can be written");
        }
        one.write("edits-of-others", "a", b"")
            .expect("it can be written");
        let mut folders = [none, own.clone(), others.clone()];
        folders.sort();
        assert_eq!(one.folders("edits").expect("they can be listed"), folders);
        assert_eq!(one.folders("edit").expect("they can be listed"), [""; 0]);
        let found = |state: &StateDirectory| {
            let found = state.find_in_folders("edits", |folder| state.read(folder, "a"));
            found.expect("they can be read").expect("it is there")
        };
        assert_eq!(found(&one), own.as_bytes());
        assert_eq!(found(&other), others.as_bytes());
        one.remove(&own, "a").expect("it can be removed");
        assert_ne!(found(&one), own.as_bytes(), "one of the other folders");
    }

    #[test]
    fn the_folder_of_a_workspace_goes_when_it_is_empty_and_old() {
        let (_folder, path) = temporary_folder();
        let open = || StateDirectory::open(&path).expect("it can be made");
        let state = open().of_workspace("/one".into());
        let own = state.own_folder("edits");
        let write = || state.write(&own, "a", b"").expect("it can be written");
        write();
        state.write("locks", "a", b"").expect("it can be written");
        state.sweep(Duration::ZERO).expect("nothing prevents it");
        assert_eq!(names(&state, &own), ["a"], "it has a file");
        for folder in [&own, "locks"] {
            state.remove(folder, "a").expect("it can be removed");
        }
        state
            .sweep(Duration::from_secs(3_600))
            .expect("nothing prevents it");
        assert!(path.join(&own).exists(), "it changed a moment ago");
        state.sweep(Duration::ZERO).expect("nothing prevents it");
        assert!(!path.join(&own).exists());
        assert!(path.join("locks").exists(), "it is no workspace's");
        write();
        assert_eq!(names(&state, &own), ["a"]);
    }

    #[test]
    fn the_default_is_named_after_the_program() {
        let path = StateDirectory::default_path().expect("the user of the tests has a home");
        assert!(path.is_absolute() && path.ends_with("treegraft"), "{path}");
    }
}
