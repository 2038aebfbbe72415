//! One file that is not there yet: bytes come in, go to a temporary file in the folder
//! of the file they will be, and take its name in one step.
//!
//! A reader sees the old bytes or the new ones, never a part. Whatever fails, the
//! temporary file is removed; only a killed process leaves one behind.

use std::fmt;
use std::io::{self, Write};

use cap_fs_ext::{FollowSymlinks, OpenOptionsFollowExt};
use cap_std::fs::{Dir, File, OpenOptions};

/// A file under a random name that begins with a dot, until [`Temporary::take_name`].
pub(super) struct Temporary<'a> {
    folder: &'a Dir,
    name: String,
    file: File,
    /// Whether the file still has its random name and is to be removed.
    remains: bool,
}

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
    /// Bringing the new bytes to the disk.
    Sync,
    /// Giving the new file its name.
    Rename,
    /// Bringing the new name to the disk. The file already has its new bytes.
    SyncFolder,
    /// Removing the file.
    Remove,
    /// Locking the file.
    Lock,
}

/// The step that failed and why.
pub(super) struct Failed {
    pub(super) step: Step,
    pub(super) source: io::Error,
}

impl Step {
    pub(super) fn failed(self) -> impl Fn(io::Error) -> Failed {
        move |source| Failed { step: self, source }
    }
}

impl<'a> Temporary<'a> {
    /// Creates the file, readable by its owner alone: what it will hold may be private.
    pub(super) fn create(folder: &'a Dir) -> Result<Temporary<'a>, Failed> {
        let name = random_name().map_err(Step::Create.failed())?;
        let mut options = OpenOptions::new();
        options
            .write(true)
            .create_new(true)
            .follow(FollowSymlinks::No);
        #[cfg(unix)]
        cap_std::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = folder
            .open_with(&name, &options)
            .map_err(Step::Create.failed())?;
        Ok(Temporary {
            folder,
            name,
            file,
            remains: true,
        })
    }

    pub(super) fn file(&self) -> &File {
        &self.file
    }

    pub(super) fn write<'b>(
        &mut self,
        chunks: impl IntoIterator<Item = &'b [u8]>,
    ) -> Result<(), Failed> {
        // The chunks of a rope are small; one system call each would be felt.
        let mut writer = io::BufWriter::new(&self.file);
        for chunk in chunks {
            writer.write_all(chunk).map_err(Step::Write.failed())?;
        }
        writer.flush().map_err(Step::Write.failed())
    }

    /// Replaces the file called `name`, or becomes it.
    pub(super) fn take_name(mut self, name: &str) -> Result<(), Failed> {
        self.file.sync_all().map_err(Step::Sync.failed())?;
        self.folder
            .rename(&self.name, self.folder, name)
            .map_err(Step::Rename.failed())?;
        self.remains = false;
        sync_folder(self.folder).map_err(Step::SyncFolder.failed())
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        if self.remains {
            // The failure that brought us here is the one to report.
            let _ = self.folder.remove_file(&self.name);
        }
    }
}

/// Makes a new or removed name in `folder` outlive a power cut.
#[cfg(unix)]
pub(super) fn sync_folder(folder: &Dir) -> io::Result<()> {
    // A `Dir` may be held by a descriptor that cannot be synced (O_PATH on Linux).
    match folder.open(".").and_then(|folder| folder.sync_all()) {
        Ok(()) => Ok(()),
        Err(error) => match error.kind() {
            // Some file systems know no syncing of folders and order names themselves.
            io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported => Ok(()),
            // A folder that may be written need not be readable.
            io::ErrorKind::PermissionDenied => Ok(()),
            _ => Err(error),
        },
    }
}

/// Other systems offer no syncing of folders.
#[cfg(not(unix))]
pub(super) fn sync_folder(_folder: &Dir) -> io::Result<()> {
    Ok(())
}

/// Whether `name` can be one of ours: left behind by a process that was killed.
pub(super) fn is_temporary(name: &str) -> bool {
    name.starts_with(PREFIX) && name.ends_with(SUFFIX)
}

const PREFIX: &str = ".treegraft-";
const SUFFIX: &str = ".tmp";

/// Not made from the name of the target: that may already be as long as names can be.
fn random_name() -> io::Result<String> {
    let random = getrandom::u64().map_err(io::Error::other)?;
    Ok(format!("{PREFIX}{random:016x}{SUFFIX}"))
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
            Step::Sync => "sync",
            Step::Rename => "rename",
            Step::SyncFolder => "sync the folder of",
            Step::Remove => "remove",
            Step::Lock => "lock",
        })
    }
}
