//! Writes a file atomically: the bytes are written to a temporary file in the same folder, which is then renamed.
//!
//! A reader sees either the old or the new bytes, never a part of them. If a step fails, the temporary file is removed.
//! Only a killed process leaves one. A process that writes several files records their names first, so that the
//! next process can remove them.

use std::fmt;
use std::io;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::disk::{Folder, IoFailure, OpenFile, Readers, Step};

/// A file whose name starts with a dot, until [`Temporary::take_name`].
#[derive(Debug)]
pub(super) struct Temporary {
    folder: Folder,
    name: TemporaryName,
    file: OpenFile,
    /// Whether the file still has its temporary name, and is removed on drop.
    remains: bool,
}

/// The name of a temporary file. It is random, and not derived from the name of the target, which may already have the
/// maximum length.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TemporaryName(String);

/// The events that a written file survives. Syncing is the most expensive part of a write, so only files that the
/// workspace depends on are synced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Durable {
    /// The end of the process: the system has the bytes.
    AfterACrash,
    /// A crash of the system: the disk has the bytes.
    AfterAPowerCut,
}

/// The text is not the name of a temporary file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not the name of a temporary file")]
pub struct NotATemporaryName;

const PREFIX: &str = ".treegraft-";
const SUFFIX: &str = ".tmp";

impl TemporaryName {
    /// Returns a new random name.
    ///
    /// # Errors
    /// The system has no random bytes.
    pub(super) fn new() -> Result<TemporaryName, IoFailure> {
        let random = getrandom::u64().map_err(|error| IoFailure {
            step: Step::Create,
            source: io::Error::other(error),
        })?;
        Ok(TemporaryName(format!("{PREFIX}{random:016x}{SUFFIX}")))
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for TemporaryName {
    type Err = NotATemporaryName;

    fn from_str(text: &str) -> Result<TemporaryName, NotATemporaryName> {
        text.to_string().try_into()
    }
}

impl TryFrom<String> for TemporaryName {
    type Error = NotATemporaryName;

    /// Accepts only names of this form. A name that is read from a file must not point to another file.
    fn try_from(text: String) -> Result<TemporaryName, NotATemporaryName> {
        let random = text
            .strip_prefix(PREFIX)
            .and_then(|rest| rest.strip_suffix(SUFFIX));
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        match random {
            Some(random) if random.len() == 16 && random.bytes().all(is_digit) => {
                Ok(TemporaryName(text))
            }
            _ => Err(NotATemporaryName),
        }
    }
}

impl From<TemporaryName> for String {
    fn from(name: TemporaryName) -> String {
        name.0
    }
}

impl fmt::Display for TemporaryName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Temporary {
    /// Creates the file.
    pub(super) fn create(
        folder: Folder,
        name: TemporaryName,
        readers: Readers,
    ) -> Result<Temporary, IoFailure> {
        Ok(Temporary {
            file: folder.create(name.as_str(), readers)?,
            folder,
            name,
            remains: true,
        })
    }

    /// Does the same as [`Temporary::create`], with a new name.
    pub(super) fn create_anywhere(
        folder: Folder,
        readers: Readers,
    ) -> Result<Temporary, IoFailure> {
        Temporary::create(folder, TemporaryName::new()?, readers)
    }

    pub(super) fn file(&self) -> &OpenFile {
        &self.file
    }

    pub(super) fn file_mut(&mut self) -> &mut OpenFile {
        &mut self.file
    }

    pub(super) fn folder(&self) -> &Folder {
        &self.folder
    }

    /// Drops the handle but keeps the file.
    pub(super) fn leave(mut self) {
        self.remains = false;
    }

    /// Removes the file.
    pub(super) fn remove(mut self) -> Result<(), IoFailure> {
        self.remains = false;
        self.folder.remove(self.name.as_str())
    }

    /// Does the same as [`Temporary::take_name`], but keeps the temporary file on failure, and leaves it to the caller to
    /// sync the folder.
    pub(super) fn take_name_or_leave(mut self, name: &str) -> Result<Temporary, IoFailure> {
        self.remains = false;
        self.folder.rename(self.name.as_str(), name)?;
        Ok(self)
    }

    /// Renames the file to `name`, which must be free, and keeps the temporary file on failure. Returns `Ok(None)` if
    /// `name` exists. Leaves it to the caller to sync the folder.
    pub(super) fn take_free_name_or_leave(
        mut self,
        name: &str,
    ) -> Result<Option<Temporary>, IoFailure> {
        self.remains = false;
        let is_taken = self.folder.take_free_name(&self.name, name)?;
        Ok(is_taken.then_some(self))
    }

    /// Removes the file `name`, and keeps the temporary file on failure. Leaves it to the caller to sync the folder.
    pub(super) fn remove_other_or_leave(mut self, name: &str) -> Result<Temporary, IoFailure> {
        self.remains = false;
        self.folder.remove(name)?;
        self.remains = true;
        Ok(self)
    }

    /// Renames the file to `name`. Replaces an existing file.
    pub(super) fn take_name(mut self, name: &str, durable: Durable) -> Result<(), IoFailure> {
        self.folder.rename(self.name.as_str(), name)?;
        self.remains = false;
        match durable {
            Durable::AfterACrash => Ok(()),
            Durable::AfterAPowerCut => self.folder.sync(),
        }
    }

    /// Renames the file to `name`. If `name` exists, leaves it unchanged and returns false.
    pub(super) fn take_free_name(mut self, name: &str) -> Result<bool, IoFailure> {
        let is_taken = self.folder.take_free_name(&self.name, name)?;
        self.remains = !is_taken;
        if is_taken {
            self.folder.sync()?;
        }
        Ok(is_taken)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if self.remains {
            // Report the earlier failure, not a failure to remove.
            let _ = self.folder.remove(self.name.as_str());
        }
    }
}

impl Folder {
    /// Renames a temporary file to `name`. If `name` exists, leaves both unchanged and returns false.
    ///
    /// If the file system has no hard links, first claims the name with an empty file. What a program that ignores our
    /// locks writes to that file before the rename is lost.
    pub(super) fn take_free_name(
        &self,
        temporary: &TemporaryName,
        name: &str,
    ) -> Result<bool, IoFailure> {
        match self.hard_link(temporary.as_str(), name) {
            Ok(()) => {
                self.remove(temporary.as_str())?;
                return Ok(true);
            }
            Err(failed) if failed.is_already_there() => return Ok(false),
            Err(_) => {}
        }
        match self.create(name, Readers::AsUsual) {
            Err(failed) if failed.is_already_there() => return Ok(false),
            created => drop(created?),
        }
        let renamed = self.rename(temporary.as_str(), name);
        if renamed.is_err() {
            // Report the failure to rename, not a failure to remove.
            let _ = self.remove(name);
        }
        renamed.map(|()| true)
    }
}

/// Returns whether `name` can be the temporary file of a process that was killed.
pub(super) fn is_temporary(name: &str) -> bool {
    name.starts_with(PREFIX) && name.ends_with(SUFFIX)
}
