//! Every system call of the workspace on files: a folder held as a capability and a name in it
//! come in; the answer goes out, or the step at which the system refused ([`Failed`]).
//!
//! A name is one name or a path below the folder; none of it is followed where it is a link.
//! Each call is one step, and the tests count them: a process can be stopped dead at any one of
//! them, and any one can be made to fail (`steps`).

use std::ffi::OsString;
use std::fmt;
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::time::SystemTime;

use camino::Utf8Path;
use cap_fs_ext::{DirExt, FollowSymlinks, OpenOptionsFollowExt, OpenOptionsSyncExt};
use cap_std::fs::{Dir, DirBuilder, File, FileType, Metadata, OpenOptions, Permissions};

/// What was being done to a file when the system refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Looking at what a path names.
    Look,
    /// Opening the file or folder.
    Open,
    /// Reading the file.
    Read,
    /// Listing the folder.
    List,
    /// Creating the file, its folder or the temporary file beside it.
    Create,
    /// Writing the new bytes.
    Write,
    /// Giving the new file the mode of the old one.
    KeepMode,
    /// Giving the new file the owner of the old one.
    KeepOwner,
    /// Bringing the new bytes to the disk.
    Sync,
    /// Giving the new file its name.
    Rename,
    /// Giving a file that is created its name, which must be free.
    Link,
    /// Bringing the new name to the disk. The file already has its new bytes.
    SyncFolder,
    /// Removing the file.
    Remove,
    /// Locking the file.
    Lock,
}

/// The step that failed and why.
#[derive(Debug)]
pub(super) struct Failed {
    pub(super) step: Step,
    pub(super) source: io::Error,
}

/// Who may read what is created.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readers {
    /// Its owner alone: what it will hold may be private.
    Owner,
    /// Whoever may read other new files of its owner.
    AsUsual,
}

/// A directory held open.
#[derive(Debug)]
pub(super) struct Folder(Dir);

/// A file held open.
#[derive(Debug)]
pub(super) struct OpenFile(File);

/// A file that is there to be locked; closing it unlocks it.
#[derive(Debug)]
pub(super) struct LockFile {
    file: std::fs::File,
    folder: Folder,
    name: String,
}

/// Does one step; in tests it is counted, and may be the last one or fail.
fn step<T>(step: Step, call: impl FnOnce() -> io::Result<T>) -> Result<T, Failed> {
    let failed = |source| Failed { step, source };
    #[cfg(test)]
    steps::take(step).map_err(failed)?;
    call().map_err(failed)
}

impl Failed {
    pub(super) fn is_already_there(&self) -> bool {
        self.source.kind() == io::ErrorKind::AlreadyExists
    }

    pub(super) fn is_not_found(&self) -> bool {
        self.source.kind() == io::ErrorKind::NotFound
    }
}

impl Folder {
    /// Opens a directory that the user names: links are followed.
    pub(super) fn open(path: &Utf8Path) -> Result<Folder, Failed> {
        step(Step::Open, || {
            Dir::open_ambient_dir(path, cap_std::ambient_authority()).map(Folder)
        })
    }

    /// The same directory once more.
    pub(super) fn again(&self) -> Result<Folder, Failed> {
        step(Step::Open, || self.0.try_clone().map(Folder))
    }

    /// Opens the directory `name` of this one.
    pub(super) fn folder(&self, name: &str) -> Result<Folder, Failed> {
        step(Step::Open, || self.0.open_dir_nofollow(name).map(Folder))
    }

    /// Makes the directory `name`; false when it is there already.
    pub(super) fn make_folder(&self, name: &str, readers: Readers) -> Result<bool, Failed> {
        let mut builder = DirBuilder::new();
        #[cfg(unix)]
        if readers == Readers::Owner {
            cap_std::fs::DirBuilderExt::mode(&mut builder, 0o700);
        }
        let made = step(Step::Create, || self.0.create_dir_with(name, &builder));
        match made {
            Ok(()) => Ok(true),
            Err(failed) if failed.is_already_there() => Ok(false),
            Err(failed) => Err(failed),
        }
    }

    /// What `name` is itself.
    pub(super) fn look(&self, name: impl AsRef<std::path::Path>) -> Result<Metadata, Failed> {
        step(Step::Look, || self.0.symlink_metadata(name))
    }

    /// What this directory is.
    pub(super) fn look_at_itself(&self) -> Result<Metadata, Failed> {
        step(Step::Look, || self.0.dir_metadata())
    }

    /// Where the link `name` leads, as it is written there.
    pub(super) fn link(&self, name: impl AsRef<std::path::Path>) -> Result<PathBuf, Failed> {
        step(Step::Look, || self.0.read_link_contents(name))
    }

    /// The names in it and what each is itself, at most `limit` of them.
    pub(super) fn list(&self, limit: usize) -> Result<Vec<(OsString, FileType)>, Failed> {
        step(Step::List, || {
            let entries = self.0.entries()?.take(limit);
            entries
                .map(|entry| entry.and_then(|entry| Ok((entry.file_name(), entry.file_type()?))))
                .collect()
        })
    }

    /// Opens `name` to be read; of a pipe without waiting for somebody to write into it.
    pub(super) fn open_to_read(&self, name: &str) -> Result<OpenFile, Failed> {
        let mut options = OpenOptions::new();
        options.read(true).nonblock(true).follow(FollowSymlinks::No);
        step(Step::Open, || self.0.open_with(name, &options)).map(OpenFile)
    }

    /// Opens `name` to be written, and writes nothing.
    pub(super) fn open_to_write(&self, name: &str) -> Result<OpenFile, Failed> {
        let mut options = OpenOptions::new();
        options
            .write(true)
            .nonblock(true)
            .follow(FollowSymlinks::No);
        step(Step::Open, || self.0.open_with(name, &options)).map(OpenFile)
    }

    /// Creates the file `name`, which must not be there.
    pub(super) fn create(&self, name: &str, readers: Readers) -> Result<OpenFile, Failed> {
        let mut options = to_write(readers);
        options.create_new(true);
        step(Step::Create, || self.0.open_with(name, &options)).map(OpenFile)
    }

    /// Opens the file `name` to be written at its end, wherever that is by then; creates it for its
    /// owner alone where it is missing.
    pub(super) fn open_to_append(&self, name: &str) -> Result<OpenFile, Failed> {
        let mut options = to_write(Readers::Owner);
        options.create(true).append(true);
        step(Step::Open, || self.0.open_with(name, &options)).map(OpenFile)
    }

    /// Opens the file `name` to be locked; creates it where it is missing.
    pub(super) fn open_to_lock(self, name: &str) -> Result<LockFile, Failed> {
        let mut options = to_write(Readers::Owner);
        options.create(true);
        let file = step(Step::Open, || self.0.open_with(name, &options))?;
        Ok(LockFile {
            file: file.into_std(),
            folder: self,
            name: name.to_string(),
        })
    }

    /// Gives `name` another name in the same folder, in place of what is called so.
    pub(super) fn rename(&self, name: &str, new_name: &str) -> Result<(), Failed> {
        step(Step::Rename, || self.0.rename(name, &self.0, new_name))
    }

    /// Gives the file `name` a second name, which must not be there.
    pub(super) fn hard_link(&self, name: &str, new_name: &str) -> Result<(), Failed> {
        step(Step::Link, || self.0.hard_link(name, &self.0, new_name))
    }

    /// Removes the file `name`.
    pub(super) fn remove(&self, name: &str) -> Result<(), Failed> {
        step(Step::Remove, || self.0.remove_file(name))
    }

    /// Gives this directory another mode.
    #[cfg(unix)]
    pub(super) fn set_mode(&self, mode: u32) -> Result<(), Failed> {
        use cap_std::fs::PermissionsExt;
        let permissions = Permissions::from_mode(mode);
        step(Step::KeepMode, || self.0.set_permissions(".", permissions))
    }

    /// Makes a new or removed name outlive a power cut.
    #[cfg(unix)]
    pub(super) fn sync(&self) -> Result<(), Failed> {
        // A `Dir` may be held by a descriptor that cannot be synced (O_PATH on Linux).
        let synced = step(Step::SyncFolder, || {
            self.0.open(".").and_then(|folder| folder.sync_all())
        });
        match synced {
            // Some file systems know no syncing of folders and order names themselves; and a
            // folder that may be written need not be readable.
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

    /// Other systems offer no syncing of folders.
    #[cfg(not(unix))]
    pub(super) fn sync(&self) -> Result<(), Failed> {
        Ok(())
    }
}

impl OpenFile {
    /// What it is.
    pub(super) fn look(&self) -> Result<Metadata, Failed> {
        step(Step::Look, || self.0.metadata())
    }

    /// Whether `name` in `folder` leads to it. While it is held open, no other file can be taken for it.
    #[cfg(unix)]
    pub(super) fn is_named(&self, folder: &Folder, name: &str) -> Result<bool, Failed> {
        use cap_fs_ext::MetadataExt;
        let own = self.look()?;
        match folder.look(name) {
            Ok(named) => Ok((named.dev(), named.ino()) == (own.dev(), own.ino())),
            Err(failed) if failed.is_not_found() => Ok(false),
            Err(failed) => Err(failed),
        }
    }

    /// Other systems do not tell.
    #[cfg(not(unix))]
    pub(super) fn is_named(&self, _folder: &Folder, _name: &str) -> Result<bool, Failed> {
        Ok(false)
    }

    /// Its bytes, at most `limit` of them.
    pub(super) fn read(&mut self, limit: u64, expected: u64) -> Result<Vec<u8>, Failed> {
        let mut bytes = Vec::with_capacity(usize::try_from(expected.min(limit)).unwrap_or(0));
        step(Step::Read, || {
            (&mut self.0).take(limit).read_to_end(&mut bytes)
        })?;
        Ok(bytes)
    }

    /// Its bytes, at most `limit` of them; nothing where they are those that are `known`, which takes no room
    /// for them then.
    pub(super) fn read_other_than(
        &mut self,
        known: &[u8],
        limit: u64,
    ) -> Result<Option<Vec<u8>>, Failed> {
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

    /// What `digest` makes of its bytes, which come in parts.
    pub(super) fn digested<T>(
        &mut self,
        digest: impl FnOnce(&mut dyn Read) -> io::Result<T>,
    ) -> Result<T, Failed> {
        step(Step::Read, || digest(&mut self.0))
    }

    /// Writes all of it. Parts are small (those of a rope), so that many go in one call.
    pub(super) fn write<'b>(
        &mut self,
        parts: impl IntoIterator<Item = &'b [u8]>,
    ) -> Result<(), Failed> {
        let mut parts = parts.into_iter().map(io::IoSlice::new);
        loop {
            let mut together: Vec<io::IoSlice<'b>> = parts.by_ref().take(PARTS_AT_ONCE).collect();
            if together.is_empty() {
                return Ok(());
            }
            let mut left = together.as_mut_slice();
            // Parts of nothing at the front would look like a disk that takes nothing.
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

    /// Makes it look as if it were written now.
    pub(super) fn touch(self) -> Result<(), Failed> {
        let file = self.0.into_std();
        step(Step::Write, || file.set_modified(SystemTime::now()))
    }

    /// Gives it other permissions.
    pub(super) fn set_permissions(&self, permissions: Permissions) -> Result<(), Failed> {
        step(Step::KeepMode, || self.0.set_permissions(permissions))
    }

    /// Gives it another owner or group.
    #[cfg(unix)]
    pub(super) fn set_owner(&self, owner: Option<u32>, group: Option<u32>) -> Result<(), Failed> {
        step(Step::KeepOwner, || {
            std::os::unix::fs::fchown(&self.0, owner, group)
        })
    }

    /// Brings its bytes to the disk.
    pub(super) fn sync(&self) -> Result<(), Failed> {
        step(Step::Sync, || self.0.sync_all())
    }
}

impl LockFile {
    /// Locks it; false when somebody else holds it.
    pub(super) fn try_lock(&self) -> Result<bool, Failed> {
        use std::fs::TryLockError;
        step(Step::Lock, || match self.file.try_lock() {
            Ok(()) => Ok(true),
            Err(TryLockError::WouldBlock) => Ok(false),
            Err(TryLockError::Error(error)) => Err(error),
        })
    }

    /// Writes down in its time that it was locked now.
    pub(super) fn mark(&self) -> Result<(), Failed> {
        step(Step::Lock, || self.file.set_modified(SystemTime::now()))
    }

    /// When somebody last locked it.
    pub(super) fn marked_at(&self) -> Result<SystemTime, Failed> {
        step(Step::Look, || self.file.metadata()?.modified())
    }

    /// Whether its name still leads to it. One that was removed after it was opened locks nothing.
    #[cfg(unix)]
    pub(super) fn has_its_name(&self) -> Result<bool, Failed> {
        use std::os::unix::fs::MetadataExt;
        let own = step(Step::Look, || self.file.metadata())?;
        match self.folder.look(&self.name) {
            Ok(named) => {
                use cap_fs_ext::MetadataExt as _;
                Ok((named.dev(), named.ino()) == (MetadataExt::dev(&own), MetadataExt::ino(&own)))
            }
            Err(failed) if failed.is_not_found() => Ok(false),
            Err(failed) => Err(failed),
        }
    }

    /// Nothing removes it on other systems.
    #[cfg(not(unix))]
    pub(super) fn has_its_name(&self) -> Result<bool, Failed> {
        Ok(true)
    }

    /// Removes it; who holds it may do so.
    #[cfg(unix)]
    pub(super) fn remove(self) -> Result<(), Failed> {
        self.folder.remove(&self.name)
    }
}

/// How many bytes are compared at once.
const READ_AT_ONCE: usize = 64 * 1024;

/// How many parts go into one call, at most; the systems take so many.
const PARTS_AT_ONCE: usize = 1024;

/// To write a file that they may read.
fn to_write(readers: Readers) -> OpenOptions {
    let mut options = OpenOptions::new();
    // Without `nonblock`, a pipe that somebody put there would wait for a reader.
    options
        .write(true)
        .nonblock(true)
        .follow(FollowSymlinks::No);
    #[cfg(unix)]
    if readers == Readers::Owner {
        cap_std::fs::OpenOptionsExt::mode(&mut options, 0o600);
    }
    options
}

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
            Step::Sync => "sync",
            Step::Rename => "rename",
            Step::Link => "link",
            Step::SyncFolder => "sync the folder of",
            Step::Remove => "remove",
            Step::Lock => "lock",
        })
    }
}

/// The steps of a thread, counted; one of them may be the last, or fail.
#[cfg(test)]
pub(crate) mod steps {
    use super::{Step, io};
    use std::cell::RefCell;

    /// What happens at a step.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) enum Fault {
        /// The process stops dead, as if it were killed.
        Stop,
        /// The system refuses with this error.
        Fail(io::ErrorKind),
    }

    #[derive(Default)]
    struct Plan {
        taken: Option<Vec<Step>>,
        fault: Option<(usize, Fault)>,
    }

    thread_local! {
        static PLAN: RefCell<Plan> = RefCell::default();
    }

    /// Does `work`, with a fault at the step of that number (from 0) where one is named; also
    /// tells which steps were taken.
    pub(crate) fn counted<T>(
        fault: Option<(usize, Fault)>,
        work: impl FnOnce() -> T,
    ) -> (T, Vec<Step>) {
        PLAN.with_borrow_mut(|plan| {
            *plan = Plan {
                taken: Some(Vec::new()),
                fault,
            }
        });
        let made = work();
        let plan = PLAN.take();
        (made, plan.taken.unwrap_or_default())
    }

    pub(super) fn take(step: Step) -> io::Result<()> {
        PLAN.with_borrow_mut(|plan| {
            let Some(taken) = &mut plan.taken else {
                return Ok(());
            };
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
