//! Explains the refusals of files and of the state directory.

use crate::diagnostic::{Code, Diagnostic};
use crate::source::NotText;
use crate::workspace::{FileError, NotRead, StateError};

/// Explains why a file could not be read or written.
pub fn about_file(error: &FileError) -> Diagnostic {
    let code = match error {
        FileError::ControlCharacter { .. } => Code::InvalidArguments,
        FileError::FileNotFound { .. } => Code::FileNotFound,
        FileError::NotAFile { .. } => Code::NotAFile,
        FileError::OutsideWorkspace { .. } => Code::OutsideWorkspace,
        FileError::TooLarge { .. } => Code::FileTooLarge,
        FileError::HardLinked { .. } => Code::HardLinked,
        FileError::PermissionDenied { .. } => Code::PermissionDenied,
        FileError::ApprovalRequired { .. } => Code::ApprovalRequired,
        FileError::Locked { .. } => Code::Locked,
        FileError::Changed { .. } => Code::StaleEdit,
        FileError::NotLocked { .. }
        | FileError::NoLock { .. }
        | FileError::NoJournal { .. }
        | FileError::NoWayBack { .. }
        | FileError::Io { .. } => Code::IoError,
    };
    // An invalid path can have any length.
    const SHOWN: usize = 2_000;
    let message = error.to_string();
    let message = match message.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}... ({} bytes)", &message[..end], message.len()),
        None => message,
    };
    let diagnostic = Diagnostic::new(code, message);
    match error {
        FileError::Locked { .. } => {
            diagnostic.help("nothing was changed; retry when the other process has finished")
        }
        _ => diagnostic,
    }
}

/// Explains why a file cannot be read as text.
pub fn about_not_read(error: &NotRead) -> Diagnostic {
    match error {
        NotRead::File(error) => about_file(error),
        NotRead::NotText { path, error } => about_text(path.as_str(), *error),
    }
}

/// Explains why bytes are not text.
pub fn about_text(path: &str, error: NotText) -> Diagnostic {
    match error {
        NotText::Binary { offset } => Diagnostic::new(
            Code::BinaryFile,
            format!("`{path}` is binary: zero byte at offset {offset}"),
        ),
        NotText::NotUtf8 { offset } => Diagnostic::new(
            Code::NotUtf8,
            format!("`{path}` is not UTF-8: invalid byte at offset {offset}"),
        ),
    }
}

/// Explains why the state directory cannot be used.
pub fn about_state(error: &StateError) -> Diagnostic {
    Diagnostic::new(Code::IoError, error.to_string())
        .help("set XDG_STATE_HOME to a writable directory")
}
