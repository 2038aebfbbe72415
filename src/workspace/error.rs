//! The reasons why a file cannot be found, read or written.

use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};

use crate::language::LoadError;
use crate::source::{Digest, NotText};

use super::approval::ApprovalRequired;
use super::disk::{IoFailure, Step};
use super::read::FileKind;
use super::state::StateError;

/// Why a file cannot be found, read or replaced. Nothing was written.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The path contains a control character, which cannot be shown in answers.
    #[error("the path {path:?} contains the control character {character:?}")]
    ControlCharacter {
        /// The path as given, or the target of a link on it.
        path: Utf8PathBuf,
        /// The first control character.
        character: char,
    },
    /// The file does not exist.
    #[error("`{missing}` does not exist")]
    FileNotFound {
        /// The path as given.
        path: Utf8PathBuf,
        /// The shortest prefix of the path that does not exist, with links resolved.
        missing: Utf8PathBuf,
    },
    /// The path is not a regular file.
    #[error("`{path}` is {kind}, not a file")]
    NotAFile {
        /// The path.
        path: Utf8PathBuf,
        /// The kind of the file.
        kind: FileKind,
    },
    /// A new file has the path of an existing one.
    #[error("`{path}` already exists")]
    Exists {
        /// The path.
        path: Utf8PathBuf,
    },
    /// The path of a new file leads into another file.
    #[error("`{path}` would be inside a file, which is not a directory")]
    InFile {
        /// The path as given.
        path: Utf8PathBuf,
    },
    /// The path of a new file is too long, or a name in it.
    #[error("`{path}` is too long: {bytes} bytes exceed the limit of {limit}")]
    NameTooLong {
        /// The path as given.
        path: Utf8PathBuf,
        /// The length in bytes of the path, or of the name.
        bytes: usize,
        /// The limit in bytes.
        limit: usize,
    },
    /// The caller may not read or write the file.
    #[error("`{path}` {why}")]
    OutsideWorkspace {
        /// The path as given.
        path: Utf8PathBuf,
        /// Why the path counts as outside.
        why: Outside,
    },
    /// The file is larger than the limit.
    #[error("`{path}` has {size} bytes, more than the limit of {limit}")]
    TooLarge {
        /// The path.
        path: Utf8PathBuf,
        /// The size in bytes. A lower bound if the file was growing.
        size: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// The file has other hard links, which would keep the old bytes.
    #[error("`{path}` has {links} hard links, which replacing the file would break")]
    HardLinked {
        /// The path.
        path: Utf8PathBuf,
        /// The number of hard links to the file.
        links: u64,
    },
    /// The file may not be read or written.
    #[error("`{path}`: {why}")]
    PermissionDenied {
        /// The path.
        path: Utf8PathBuf,
        /// The reason.
        why: Denied,
    },
    /// A person has to approve each edit of the caller.
    #[error("{why}")]
    ApprovalRequired {
        /// The reason.
        why: ApprovalRequired,
    },
    /// Another writer holds the lock of the file.
    #[error("another process is writing `{path}`; waited {} s", waited.as_secs())]
    Locked {
        /// The path.
        path: Utf8PathBuf,
        /// How long the call waited.
        waited: Duration,
    },
    /// The bytes of the file differ from those that the caller has seen.
    #[error("`{path}` has changed")]
    Changed {
        /// The path.
        path: Utf8PathBuf,
        /// The digest of the current bytes.
        found: Digest,
    },
    /// The journal cannot be written, or an interrupted change in it cannot be completed or reverted.
    #[error("cannot record the change of `{path}` in the journal: {source}")]
    NoJournal {
        /// The path.
        path: Utf8PathBuf,
        /// The error of the state directory.
        source: StateError,
    },
    /// A change of several files cannot be reverted: the old text is no longer kept.
    #[error("the previous content of `{path}` is no longer available")]
    NoWayBack {
        /// The path.
        path: Utf8PathBuf,
    },
    /// The file was not read under a lock, so another process may be writing it.
    #[error("`{path}` was not read under its lock")]
    NotLocked {
        /// The path.
        path: Utf8PathBuf,
    },
    /// The lock of the file cannot be used.
    #[error("cannot lock `{path}`: {source}")]
    NoLock {
        /// The path.
        path: Utf8PathBuf,
        /// The error of the state directory.
        source: StateError,
    },
    /// The system returned another error.
    #[error("cannot {step} `{path}`: {source}")]
    Io {
        /// The path.
        path: Utf8PathBuf,
        /// The step that failed.
        step: Step,
        /// The system's error.
        source: std::io::Error,
    },
}

/// Why a file cannot be read as text.
#[derive(Debug, thiserror::Error)]
pub enum NotRead {
    /// The file is not found or cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// The bytes of the file are not text.
    #[error("`{path}`: {error}")]
    NotText {
        /// The path.
        path: Utf8PathBuf,
        /// The reason.
        error: NotText,
    },
    /// The grammar of the file's language cannot be used.
    #[error("`{path}`: {error}")]
    NoGrammar {
        /// The path.
        path: Utf8PathBuf,
        /// The name of the language.
        language: &'static str,
        /// The reason.
        error: LoadError,
    },
}

/// Why a path is outside the workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outside {
    /// The path resolves to a location outside all roots.
    Roots,
    /// The path is in a `.git` directory.
    GitInternals,
    /// The path is in the state directory.
    StateDirectory,
    /// A link has appeared since the path was resolved.
    LinkAppeared,
    /// The name is that of a temporary file.
    TemporaryName,
}

/// Why a file may not be read or written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Denied {
    /// The file is read-only for all users, according to its mode.
    ReadOnly,
    /// The system does not allow the new file to have the owner of the old one.
    Owner,
    /// The system denies access to this user.
    System,
}

impl FileError {
    /// Converts the system's error into a refusal.
    pub(super) fn from_io_failure(path: &Utf8Path, failed: IoFailure) -> FileError {
        use std::io::ErrorKind;
        let IoFailure { step, source } = failed;
        let path = path.to_owned();
        match source.kind() {
            // A name that the system rejects, such as one that is too long, cannot exist.
            ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::InvalidFilename => {
                FileError::FileNotFound {
                    missing: path.clone(),
                    path,
                }
            }
            ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
                FileError::PermissionDenied {
                    path,
                    why: Denied::System,
                }
            }
            _ => FileError::Io { path, step, source },
        }
    }
}

impl std::fmt::Display for Outside {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Outside::Roots => "is outside the workspace",
            Outside::GitInternals => "is in a .git directory",
            Outside::StateDirectory => "is in the state directory",
            Outside::LinkAppeared => "has become a link since it was resolved",
            Outside::TemporaryName => {
                "has a name that is reserved for temporary files of treegraft"
            }
        })
    }
}

impl std::fmt::Display for Denied {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Denied::ReadOnly => "the file is read-only",
            Denied::Owner => "its owner or group cannot be preserved",
            Denied::System => "permission denied",
        })
    }
}
