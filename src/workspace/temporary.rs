//! One file that is not there yet: bytes come in, go to a temporary file in the folder
//! of the file they will be, and take its name in one step.
//!
//! A reader sees the old bytes or the new ones, never a part. Whatever fails, the
//! temporary file is removed; only a killed process leaves one behind, and whoever writes several
//! files notes their names first, so that the next one can remove it.

use std::fmt;
use std::io;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::disk::{Folder, IoFailure, OpenFile, Readers, Step};

/// A file under a name that begins with a dot, until [`Temporary::take_name`].
#[derive(Debug)]
pub(super) struct Temporary {
    folder: Folder,
    name: TemporaryName,
    file: OpenFile,
    /// Whether the file still has its own name and is to be removed.
    remains: bool,
}

/// What a temporary file is called: drawn at random, not made from the name of the target, which
/// may already be as long as names can be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TemporaryName(String);

/// What a file that was written is to outlive. Syncing is what writing costs most: only what the
/// files of the workspace depend on waits for the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Durable {
    /// The process: the system has the bytes.
    AfterACrash,
    /// The system too: the disk has them.
    AfterAPowerCut,
}

/// The text is no name of a temporary file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no name of a temporary file")]
pub struct NotATemporaryName;

const PREFIX: &str = ".treegraft-";
const SUFFIX: &str = ".tmp";

impl TemporaryName {
    /// A name that nobody has.
    ///
    /// # Errors
    /// The system has no random bytes.
    pub(crate) fn new() -> io::Result<TemporaryName> {
        let random = getrandom::u64().map_err(io::Error::other)?;
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

    /// Nothing but what is drawn here: a name that is read from a file must not
    /// lead to another one.
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

    /// As [`Temporary::create`], under a name that nobody needs to know.
    pub(super) fn create_anywhere(
        folder: Folder,
        readers: Readers,
    ) -> Result<Temporary, IoFailure> {
        let name = TemporaryName::new().map_err(|source| IoFailure {
            step: Step::Create,
            source,
        })?;
        Temporary::create(folder, name, readers)
    }

    pub(super) fn file(&mut self) -> &mut OpenFile {
        &mut self.file
    }

    pub(super) fn folder(&self) -> &Folder {
        &self.folder
    }

    /// Gives the file up without removing it.
    pub(super) fn leave(mut self) {
        self.remains = false;
    }

    /// As [`Temporary::take_name`], but where that fails the file is left. Returns why the new
    /// name may not outlive a power cut, if it may not.
    pub(super) fn take_name_or_leave(mut self, name: &str) -> Result<Option<IoFailure>, IoFailure> {
        self.remains = false;
        self.folder.rename(self.name.as_str(), name)?;
        Ok(self.folder.sync().err())
    }

    /// Replaces the file called `name`, or becomes it.
    pub(super) fn take_name(mut self, name: &str, durable: Durable) -> Result<(), IoFailure> {
        self.folder.rename(self.name.as_str(), name)?;
        self.remains = false;
        match durable {
            Durable::AfterACrash => Ok(()),
            Durable::AfterAPowerCut => self.folder.sync(),
        }
    }

    /// Becomes the file called `name`; false where there is one, which is left as it is.
    ///
    /// Where the file system has no hard links, the new file is written under its name, with `bytes`: it is
    /// seen before all of them are there, and removed where that fails.
    pub(super) fn take_free_name(
        mut self,
        name: &str,
        readers: Readers,
        bytes: &[u8],
    ) -> Result<bool, IoFailure> {
        match self.folder.hard_link(self.name.as_str(), name) {
            Ok(()) => {
                self.folder.remove(self.name.as_str())?;
                self.remains = false;
            }
            Err(failed) if failed.is_already_there() => return Ok(false),
            Err(_) => {
                let mut file = match self.folder.create(name, readers) {
                    Err(failed) if failed.is_already_there() => return Ok(false),
                    created => created?,
                };
                let written = file.write([bytes]).and_then(|()| file.sync());
                if let Err(failed) = written {
                    // The failure to write is the one to report.
                    let _ = self.folder.remove(name);
                    return Err(failed);
                }
            }
        }
        self.folder.sync()?;
        Ok(true)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if self.remains {
            // The failure that brought us here is the one to report.
            let _ = self.folder.remove(self.name.as_str());
        }
    }
}

/// Whether `name` can be one of ours: left behind by a process that was killed.
pub(super) fn is_temporary(name: &str) -> bool {
    name.starts_with(PREFIX) && name.ends_with(SUFFIX)
}
