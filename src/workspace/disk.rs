//! Contains all file system calls of the workspace. Each call takes a folder, held as a capability, and a name in it,
//! and fails with the step at which the system refused ([`IoFailure`]).
//!
//! A name is a single name or a path below the folder. Links are not followed. Each call is one step, and the tests
//! count the steps: a process can be killed at any step, and any step can be made to fail (`steps`).

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::time::SystemTime;

use camino::Utf8Path;
use cap_fs_ext::{DirExt, FollowSymlinks, OpenOptionsFollowExt, OpenOptionsSyncExt};
use cap_std::fs::{Dir, DirBuilder, File, FileType, Metadata, OpenOptions};

/// The step at which the system refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Reading the metadata of a path.
    Look,
    /// Opening the file or folder.
    Open,
    /// Reading the file.
    Read,
    /// Listing the folder.
    List,
    /// Creating the file, its folder or the temporary file next to it.
    Create,
    /// Writing the new bytes.
    Write,
    /// Giving the new file the mode of the old one.
    KeepMode,
    /// Giving the new file the owner of the old one.
    KeepOwner,
    /// Giving the new file the extended attributes of the old one.
    KeepAttributes,
    /// Syncing the new bytes to the disk.
    Sync,
    /// Giving the new file its name.
    Rename,
    /// Giving a new file its name, which must be free.
    Link,
    /// Syncing the new name to the disk. The file already has its new bytes.
    SyncFolder,
    /// Removing the file.
    Remove,
    /// Locking the file.
    Lock,
}

/// The step that failed, and the reason.
#[derive(Debug)]
pub(super) struct IoFailure {
    pub(super) step: Step,
    pub(super) source: io::Error,
}

/// The users who may read a new file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readers {
    /// Only its owner, since its content may be private.
    Owner,
    /// All users who may read other new files of its owner.
    AsUsual,
}

/// The extended attributes of a file, by name. The access control list is one of them on Linux.
pub(super) type ExtendedAttributes = BTreeMap<String, Vec<u8>>;

/// The attribute with the access control list.
#[cfg(unix)]
const ACCESS_CONTROL_LIST: &str = "system.posix_acl_access";
/// Attributes that are about the bytes of a file. The system removes or replaces them when the file is written.
#[cfg(unix)]
const ABOUT_BYTES: [&str; 3] = ["security.capability", "security.evm", "security.ima"];

/// A directory held open.
#[derive(Debug)]
pub(super) struct Folder(Dir);

/// A file held open.
#[derive(Debug)]
pub(super) struct OpenFile(File);

/// A lock file. Closing it unlocks it.
#[derive(Debug)]
pub(super) struct LockFile {
    file: std::fs::File,
    #[cfg(unix)]
    folder: Folder,
    #[cfg(unix)]
    name: String,
}

/// The lock of a lock file. Dropping it unlocks the file.
#[derive(Debug)]
pub(super) struct HeldLock {
    _file: std::fs::File,
}

impl Step {
    /// Whether bytes, attributes or names change. What a lock needs may be created: an empty file in a folder.
    fn writes(self) -> bool {
        match self {
            Step::Look
            | Step::Open
            | Step::Read
            | Step::List
            | Step::Create
            | Step::Sync
            | Step::SyncFolder
            | Step::Lock => false,
            Step::Write
            | Step::KeepMode
            | Step::KeepOwner
            | Step::KeepAttributes
            | Step::Rename
            | Step::Link
            | Step::Remove => true,
        }
    }
}

/// Performs one step. Work that may be stopped writes nothing ([`crate::steps`]). In tests, the step is counted, and
/// can be the last one or fail.
fn step<T>(step: Step, call: impl FnOnce() -> io::Result<T>) -> Result<T, IoFailure> {
    let failed = |source| IoFailure { step, source };
    if step.writes() && crate::steps::is_stoppable() {
        return Err(failed(io::Error::other("this work may be stopped halfway")));
    }
    #[cfg(test)]
    steps::take(step).map_err(failed)?;
    call().map_err(failed)
}

impl IoFailure {
    pub(super) fn is_already_there(&self) -> bool {
        self.source.kind() == io::ErrorKind::AlreadyExists
    }

    pub(super) fn is_not_found(&self) -> bool {
        self.source.kind() == io::ErrorKind::NotFound
    }

    #[cfg(unix)]
    fn is_denied(&self) -> bool {
        self.source.kind() == io::ErrorKind::PermissionDenied
    }

    #[cfg(unix)]
    fn is_unsupported(&self) -> bool {
        self.source.kind() == io::ErrorKind::Unsupported
    }
}

/// Returns `None` instead of the failure that there is no such name.
pub(super) fn if_exists<T>(result: Result<T, IoFailure>) -> Result<Option<T>, IoFailure> {
    match result {
        Err(failed) if failed.is_not_found() => Ok(None),
        result => result.map(Some),
    }
}

#[cfg(unix)]
pub(super) fn is_same_file(one: &Metadata, other: &Metadata) -> bool {
    use cap_fs_ext::MetadataExt;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

/// Returns false, since other systems do not report the identity of a file.
#[cfg(not(unix))]
pub(super) fn is_same_file(_: &Metadata, _: &Metadata) -> bool {
    false
}

#[cfg(unix)]
impl std::os::fd::AsRawFd for OpenFile {
    fn as_raw_fd(&self) -> std::os::fd::RawFd {
        let OpenFile(file) = self;
        file.as_raw_fd()
    }
}

#[cfg(unix)]
impl xattr::FileExt for OpenFile {}

impl Folder {
    /// Opens a directory that the user names. Follows links.
    pub(super) fn open(path: &Utf8Path) -> Result<Folder, IoFailure> {
        step(Step::Open, || {
            Dir::open_ambient_dir(path, cap_std::ambient_authority()).map(Folder)
        })
    }

    /// Opens the same directory again.
    pub(super) fn again(&self) -> Result<Folder, IoFailure> {
        step(Step::Open, || self.0.try_clone().map(Folder))
    }

    /// Opens the subdirectory `name`.
    pub(super) fn folder(&self, name: &str) -> Result<Folder, IoFailure> {
        step(Step::Open, || self.0.open_dir_nofollow(name).map(Folder))
    }

    /// Creates the directory `name`. Returns false if it already exists.
    pub(super) fn make_folder(&self, name: &str, readers: Readers) -> Result<bool, IoFailure> {
        let mut builder = DirBuilder::new();
        restrict_folder(&mut builder, readers);
        let made = step(Step::Create, || self.0.create_dir_with(name, &builder));
        match made {
            Ok(()) => Ok(true),
            Err(failed) if failed.is_already_there() => Ok(false),
            Err(failed) => Err(failed),
        }
    }

    /// Returns the metadata of `name`, without following a link.
    pub(super) fn look(&self, name: impl AsRef<std::path::Path>) -> Result<Metadata, IoFailure> {
        step(Step::Look, || self.0.symlink_metadata(name))
    }

    /// Returns the metadata of this directory.
    pub(super) fn look_at_itself(&self) -> Result<Metadata, IoFailure> {
        step(Step::Look, || self.0.dir_metadata())
    }

    /// Returns the target of the link `name`, as stored.
    pub(super) fn link(&self, name: impl AsRef<std::path::Path>) -> Result<PathBuf, IoFailure> {
        step(Step::Look, || self.0.read_link_contents(name))
    }

    /// Lists at most `limit` names in the directory, with their file types.
    pub(super) fn list(&self, limit: usize) -> Result<Vec<(OsString, FileType)>, IoFailure> {
        step(Step::List, || {
            let entries = self.0.entries()?.take(limit);
            entries
                .map(|entry| entry.and_then(|entry| Ok((entry.file_name(), entry.file_type()?))))
                .collect()
        })
    }

    /// Opens `name` for reading. Does not wait for a writer if it is a pipe.
    pub(super) fn open_to_read(&self, name: &str) -> Result<OpenFile, IoFailure> {
        let mut options = OpenOptions::new();
        options.read(true).nonblock(true).follow(FollowSymlinks::No);
        step(Step::Open, || self.0.open_with(name, &options)).map(OpenFile)
    }

    /// Opens `name` for writing, but writes nothing.
    pub(super) fn open_to_write(&self, name: &str) -> Result<OpenFile, IoFailure> {
        let mut options = OpenOptions::new();
        options
            .write(true)
            .nonblock(true)
            .follow(FollowSymlinks::No);
        step(Step::Open, || self.0.open_with(name, &options)).map(OpenFile)
    }

    /// Creates the file `name`, which must not exist.
    pub(super) fn create(&self, name: &str, readers: Readers) -> Result<OpenFile, IoFailure> {
        let mut options = to_write(readers);
        options.create_new(true);
        step(Step::Create, || self.0.open_with(name, &options)).map(OpenFile)
    }

    /// Opens the file `name` for appending. Creates it if it is missing, readable only by its owner.
    pub(super) fn open_to_append(&self, name: &str) -> Result<OpenFile, IoFailure> {
        let mut options = to_write(Readers::Owner);
        options.create(true).append(true);
        step(Step::Open, || self.0.open_with(name, &options)).map(OpenFile)
    }

    /// Opens the lock file `name`. Creates it if it is missing.
    pub(super) fn open_to_lock(self, name: &str) -> Result<LockFile, IoFailure> {
        let mut options = to_write(Readers::Owner);
        options.create(true);
        let file = step(Step::Open, || self.0.open_with(name, &options))?;
        Ok(LockFile {
            file: file.into_std(),
            #[cfg(unix)]
            folder: self,
            #[cfg(unix)]
            name: name.to_string(),
        })
    }

    /// Renames `name` within the folder. Replaces an existing file with the new name.
    pub(super) fn rename(&self, name: &str, new_name: &str) -> Result<(), IoFailure> {
        step(Step::Rename, || self.0.rename(name, &self.0, new_name))
    }

    /// Gives the file `name` a second name, which must not exist.
    pub(super) fn hard_link(&self, name: &str, new_name: &str) -> Result<(), IoFailure> {
        step(Step::Link, || self.0.hard_link(name, &self.0, new_name))
    }

    /// Removes the file `name`.
    pub(super) fn remove(&self, name: &str) -> Result<(), IoFailure> {
        step(Step::Remove, || self.0.remove_file(name))
    }

    /// Removes the directory `name`, which must be empty.
    pub(super) fn remove_folder(&self, name: &str) -> Result<(), IoFailure> {
        step(Step::Remove, || self.0.remove_dir(name))
    }

    /// Changes the mode of this directory.
    #[cfg(unix)]
    pub(super) fn set_mode(&self, mode: u32) -> Result<(), IoFailure> {
        use cap_std::fs::{Permissions, PermissionsExt};
        let permissions = Permissions::from_mode(mode);
        step(Step::KeepMode, || self.0.set_permissions(".", permissions))
    }

    /// Syncs new and removed names, so that they survive a power failure.
    #[cfg(unix)]
    pub(super) fn sync(&self) -> Result<(), IoFailure> {
        // A `Dir` may hold a descriptor that cannot be synced (O_PATH on Linux).
        let synced = step(Step::SyncFolder, || {
            self.0.open(".").and_then(|folder| folder.sync_all())
        });
        match synced {
            // Some file systems cannot sync folders, and order changes of names themselves. Also, a writable folder
            // need not be readable.
            Err(failed)
                if matches!(
                    failed.source.kind(),
                    io::ErrorKind::InvalidInput
                        | io::ErrorKind::Unsupported
                        | io::ErrorKind::PermissionDenied
                ) =>
            {
                Ok(())
            }
            other => other,
        }
    }

    /// Does nothing, since other systems cannot sync folders.
    #[cfg(not(unix))]
    pub(super) fn sync(&self) -> Result<(), IoFailure> {
        Ok(())
    }
}

impl OpenFile {
    /// Returns the metadata of the file.
    pub(super) fn look(&self) -> Result<Metadata, IoFailure> {
        step(Step::Look, || self.0.metadata())
    }

    /// Returns whether `name` in `folder` is this file. While it is open, no other file can have the same identity.
    #[cfg(unix)]
    pub(super) fn is_named(&self, folder: &Folder, name: &str) -> Result<bool, IoFailure> {
        let own = self.look()?;
        let named = if_exists(folder.look(name))?;
        Ok(named.is_some_and(|named| is_same_file(&named, &own)))
    }

    /// Returns false, since other systems do not report the identity of a file.
    #[cfg(not(unix))]
    pub(super) fn is_named(&self, _folder: &Folder, _name: &str) -> Result<bool, IoFailure> {
        Ok(false)
    }

    /// Reads at most `limit` bytes. `expected` is the expected length.
    pub(super) fn read(&mut self, limit: u64, expected: u64) -> Result<Vec<u8>, IoFailure> {
        let mut bytes = Vec::with_capacity(usize::try_from(expected.min(limit)).unwrap_or(0));
        step(Step::Read, || {
            (&mut self.0).take(limit).read_to_end(&mut bytes)
        })?;
        Ok(bytes)
    }

    /// Reads at most `limit` bytes. Returns `None`, without copying them, if they equal `known`.
    pub(super) fn read_other_than(
        &mut self,
        known: &[u8],
        limit: u64,
    ) -> Result<Option<Vec<u8>>, IoFailure> {
        let mut part = vec![0; READ_AT_ONCE.min(known.len() + 1)];
        let mut same = 0;
        loop {
            let read = match step(Step::Read, || self.0.read(&mut part)) {
                Err(failed) if failed.source.kind() == io::ErrorKind::Interrupted => continue,
                read => &part[..read?],
            };
            if read.is_empty() && same == known.len() {
                return Ok(None);
            }
            if !read.is_empty() && known[same..].starts_with(read) {
                same += read.len();
                continue;
            }
            let mut bytes = [&known[..same], read].concat();
            let left = limit.saturating_sub(bytes.len() as u64);
            if !read.is_empty() {
                step(Step::Read, || {
                    (&mut self.0).take(left).read_to_end(&mut bytes)
                })?;
            }
            return Ok(Some(bytes));
        }
    }

    /// Passes the bytes in parts to `digest`, and returns its result.
    pub(super) fn digested<T>(
        &mut self,
        digest: impl FnOnce(&mut dyn Read) -> io::Result<T>,
    ) -> Result<T, IoFailure> {
        step(Step::Read, || digest(&mut self.0))
    }

    /// Writes all parts. Parts of a rope are small, so one call writes many of them.
    pub(super) fn write<'b>(
        &mut self,
        parts: impl IntoIterator<Item = &'b [u8]>,
    ) -> Result<(), IoFailure> {
        let mut parts = parts.into_iter().map(io::IoSlice::new);
        loop {
            let mut together: Vec<io::IoSlice<'b>> = parts.by_ref().take(PARTS_AT_ONCE).collect();
            if together.is_empty() {
                return Ok(());
            }
            let mut left = together.as_mut_slice();
            // Empty parts at the front would look like a disk that accepts no bytes.
            io::IoSlice::advance_slices(&mut left, 0);
            while !left.is_empty() {
                let taken = step(Step::Write, || match self.0.write_vectored(left) {
                    Ok(0) => Err(io::ErrorKind::WriteZero.into()),
                    other => other,
                });
                match taken {
                    Ok(bytes) => io::IoSlice::advance_slices(&mut left, bytes),
                    Err(failed) if failed.source.kind() == io::ErrorKind::Interrupted => {}
                    Err(failed) => return Err(failed),
                }
            }
        }
    }

    /// Sets the modification time to now.
    pub(super) fn touch(self) -> Result<(), IoFailure> {
        let file = self.0.into_std();
        step(Step::Write, || file.set_modified(SystemTime::now()))
    }

    /// Changes the mode.
    #[cfg(unix)]
    pub(super) fn set_mode(&self, mode: u32) -> Result<(), IoFailure> {
        use cap_std::fs::{Permissions, PermissionsExt};
        let permissions = Permissions::from_mode(mode);
        step(Step::KeepMode, || self.0.set_permissions(permissions))
    }

    /// Changes the owner or group.
    #[cfg(unix)]
    pub(super) fn set_owner(
        &self,
        owner: Option<u32>,
        group: Option<u32>,
    ) -> Result<(), IoFailure> {
        step(Step::KeepOwner, || {
            std::os::unix::fs::fchown(&self.0, owner, group)
        })
    }

    /// Returns the extended attributes that a new file with other bytes can have too.
    #[cfg(unix)]
    pub(super) fn extended_attributes(&self) -> Result<ExtendedAttributes, IoFailure> {
        use xattr::FileExt;
        let names = match step(Step::KeepAttributes, || self.list_xattr()) {
            Ok(names) => names,
            Err(failed) if failed.is_unsupported() => return Ok(ExtendedAttributes::new()),
            Err(failed) => return Err(failed),
        };
        let mut attributes = ExtendedAttributes::new();
        // A name that is not UTF-8 cannot be recorded.
        for name in names.filter_map(|name| name.into_string().ok()) {
            if ABOUT_BYTES.contains(&name.as_str()) {
                continue;
            }
            if let Some(value) = step(Step::KeepAttributes, || self.get_xattr(&name))? {
                attributes.insert(name, value);
            }
        }
        Ok(attributes)
    }

    /// Gives the file extended attributes, and removes an access control list that it has from its directory and not
    /// from them. Returns the names of attributes that only the system or its administrator may set.
    #[cfg(unix)]
    pub(super) fn set_extended_attributes(
        &self,
        attributes: &ExtendedAttributes,
    ) -> Result<Vec<String>, IoFailure> {
        use xattr::FileExt;
        let own = self.extended_attributes()?;
        if own.contains_key(ACCESS_CONTROL_LIST) && !attributes.contains_key(ACCESS_CONTROL_LIST) {
            step(Step::KeepAttributes, || {
                self.remove_xattr(ACCESS_CONTROL_LIST)
            })?;
        }
        let mut lost = Vec::new();
        for (name, value) in attributes {
            if own.get(name) == Some(value) {
                continue;
            }
            match step(Step::KeepAttributes, || self.set_xattr(name, value)) {
                Ok(()) => {}
                // Without its list, other users could have more access to the new file than to the old one.
                Err(failed) if name == ACCESS_CONTROL_LIST => return Err(failed),
                Err(failed) if failed.is_unsupported() || failed.is_denied() => {
                    lost.push(name.clone());
                }
                Err(failed) => return Err(failed),
            }
        }
        Ok(lost)
    }

    /// Syncs the bytes to the disk.
    pub(super) fn sync(&self) -> Result<(), IoFailure> {
        step(Step::Sync, || self.0.sync_all())
    }
}

impl LockFile {
    /// Locks the file. Returns false if another process has locked it.
    pub(super) fn try_lock(&self) -> Result<bool, IoFailure> {
        use std::fs::TryLockError;
        step(Step::Lock, || match self.file.try_lock() {
            Ok(()) => Ok(true),
            Err(TryLockError::WouldBlock) => Ok(false),
            Err(TryLockError::Error(error)) => Err(error),
        })
    }

    /// Returns the lock, which has only one file open: many files may be locked at the same time.
    pub(super) fn into_held(self) -> HeldLock {
        HeldLock { _file: self.file }
    }

    /// Records the time of locking as the modification time of the file.
    pub(super) fn mark(&self) -> Result<(), IoFailure> {
        step(Step::Lock, || self.file.set_modified(SystemTime::now()))
    }

    /// Returns the time at which the file was last locked.
    pub(super) fn marked_at(&self) -> Result<SystemTime, IoFailure> {
        step(Step::Look, || self.file.metadata()?.modified())
    }

    /// Returns whether the name still refers to the file. A file that was removed after it was opened locks nothing.
    #[cfg(unix)]
    pub(super) fn has_its_name(&self) -> Result<bool, IoFailure> {
        use std::os::unix::fs::MetadataExt;
        let own = step(Step::Look, || self.file.metadata())?;
        let named = if_exists(self.folder.look(&self.name))?;
        Ok(named.is_some_and(|named| {
            use cap_fs_ext::MetadataExt as _;
            (named.dev(), named.ino()) == (MetadataExt::dev(&own), MetadataExt::ino(&own))
        }))
    }

    /// Returns true, since lock files are never removed on other systems.
    #[cfg(not(unix))]
    pub(super) fn has_its_name(&self) -> Result<bool, IoFailure> {
        Ok(true)
    }

    /// Removes the file. Only the holder of the lock may do so.
    #[cfg(unix)]
    pub(super) fn remove(self) -> Result<(), IoFailure> {
        self.folder.remove(&self.name)
    }
}

/// The number of bytes to compare at once.
const READ_AT_ONCE: usize = 64 * 1024;

/// The maximum number of parts to write in one call, which is the limit of the systems.
const PARTS_AT_ONCE: usize = 1024;

/// Returns options for writing a file that `readers` may read.
fn to_write(readers: Readers) -> OpenOptions {
    let mut options = OpenOptions::new();
    // Without `nonblock`, opening a pipe would wait for a reader.
    options
        .write(true)
        .nonblock(true)
        .follow(FollowSymlinks::No);
    restrict_file(&mut options, readers);
    options
}

#[cfg(unix)]
fn restrict_file(options: &mut OpenOptions, readers: Readers) {
    if readers == Readers::Owner {
        cap_std::fs::OpenOptionsExt::mode(options, 0o600);
    }
}

#[cfg(unix)]
fn restrict_folder(builder: &mut DirBuilder, readers: Readers) {
    if readers == Readers::Owner {
        cap_std::fs::DirBuilderExt::mode(builder, 0o700);
    }
}

/// Does nothing: on other systems, a file has the readers of the user's directory that it is in.
#[cfg(not(unix))]
fn restrict_file(_: &mut OpenOptions, _: Readers) {}

#[cfg(not(unix))]
fn restrict_folder(_: &mut DirBuilder, _: Readers) {}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Step::Look => "look up",
            Step::Open => "open",
            Step::Read => "read",
            Step::List => "list",
            Step::Create => "create",
            Step::Write => "write",
            Step::KeepMode => "keep the mode of",
            Step::KeepOwner => "keep the owner of",
            Step::KeepAttributes => "keep the extended attributes of",
            Step::Sync => "sync",
            Step::Rename => "rename",
            Step::Link => "link",
            Step::SyncFolder => "sync the folder of",
            Step::Remove => "remove",
            Step::Lock => "lock",
        })
    }
}

/// Counts the steps of a thread. One of them can be the last, or fail.
#[cfg(test)]
pub(crate) mod steps {
    use super::{Step, io};
    use std::cell::RefCell;
    use std::rc::Rc;

    /// The event at a step.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) enum Fault {
        /// The process stops at once, as if it were killed.
        Stop,
        /// The system refuses the step with this error.
        Fail(io::ErrorKind),
    }

    #[derive(Default)]
    struct FaultPlan {
        taken: Option<Vec<Step>>,
        fault: Option<(usize, Fault)>,
    }

    type Observer = Rc<dyn Fn()>;

    thread_local! {
        static PLAN: RefCell<FaultPlan> = RefCell::default();
        static OBSERVER: RefCell<Option<Observer>> = RefCell::default();
    }

    /// Runs `work`, and `observe` before each step.
    pub(crate) fn observed<T>(observe: impl Fn() + 'static, work: impl FnOnce() -> T) -> T {
        OBSERVER.set(Some(Rc::new(observe)));
        let made = work();
        OBSERVER.take();
        made
    }

    /// Runs `work`, with an optional fault at the step with the given number (from 0). Also returns the steps that were
    /// taken.
    pub(crate) fn counted<T>(
        fault: Option<(usize, Fault)>,
        work: impl FnOnce() -> T,
    ) -> (T, Vec<Step>) {
        PLAN.with_borrow_mut(|plan| {
            *plan = FaultPlan {
                taken: Some(Vec::new()),
                fault,
            }
        });
        let made = work();
        let plan = PLAN.take();
        (made, plan.taken.unwrap_or_default())
    }

    pub(super) fn take(step: Step) -> io::Result<()> {
        if let Some(observe) = OBSERVER.with_borrow(Clone::clone) {
            observe();
        }
        PLAN.with_borrow_mut(|plan| {
            let Some(taken) = &mut plan.taken else {
                return Ok(());
            };
            // Waiting for a lock counts once, since a process that another test forks holds our locks until it calls exec.
            if step == Step::Lock && taken.ends_with(&[Step::Lock, Step::Look]) {
                taken.truncate(taken.len() - 2);
            }
            let number = taken.len();
            taken.push(step);
            match plan.fault {
                Some((at, Fault::Stop)) if at == number => std::process::abort(),
                Some((at, Fault::Fail(kind))) if at == number => Err(kind.into()),
                _ => Ok(()),
            }
        })
    }
}
