//! Explains the refusals of files and of the state directory.

use crate::diagnostic::{Code, Diagnostic, about_arguments};
use crate::language::LoadError;
use crate::source::NotText;
use crate::workspace::{FileError, NotRead, StateError};

/// Explains why a file could not be read or written.
pub fn about_file(error: &FileError) -> Diagnostic {
    let code = match error {
        FileError::ControlCharacter { .. } => Code::InvalidArguments,
        FileError::FileNotFound { .. } => Code::FileNotFound,
        FileError::NotAFile { .. } | FileError::InFile { .. } => Code::NotAFile,
        FileError::Exists { .. } => Code::FileExists,
        FileError::NameTooLong { .. } => Code::InvalidArguments,
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
        FileError::Exists { .. } => diagnostic
            .help("no file is overwritten: edit it, or delete or move it in an earlier call"),
        _ => diagnostic,
    }
}

/// Explains that a file would be moved to its own path.
pub fn about_move_to_itself(path: &str) -> Diagnostic {
    Diagnostic::new(Code::NoChange, format!("the file already is at `{path}`"))
}

/// Explains that a file to create, or to insert into, already exists. `is_insertion` is whether the caller would insert
/// into it.
pub fn about_existing_file(error: &FileError, is_insertion: bool) -> Diagnostic {
    let refused = about_file(error);
    match error {
        FileError::Exists { .. } if is_insertion => {
            refused.help("leave `create` out to insert into the existing file")
        }
        _ => refused,
    }
}

/// Explains that two edits create a file with different contents.
pub fn about_two_creations(path: &str) -> Diagnostic {
    let message = format!("another edit of the call creates `{path}` with another content");
    Diagnostic::new(Code::OverlappingEdits, message).help(
        "create the file in one of the edits, with the same `create` in the others or without it",
    )
}

/// Adds that the call could create the file that it would insert into.
pub fn with_help_on_create(refused: Diagnostic) -> Diagnostic {
    const CREATE: &str = "to insert into a new file, pass its first content as `create`";
    Diagnostic {
        help: Some(match refused.help {
            Some(help) => format!("{help}; {CREATE}"),
            None => CREATE.to_string(),
        }),
        ..refused
    }
}

/// Explains that a file is moved to a directory.
pub fn about_move_to_directory(from: &str, to: &str) -> Diagnostic {
    let name = from.rsplit(std::path::is_separator).next().unwrap_or(from);
    let message = format!("`{to}` is a directory, not a file");
    Diagnostic::new(Code::NotAFile, message).help(format!(
        "name the new path of the file: `{}/{name}`",
        to.trim_end_matches(std::path::is_separator)
    ))
}

/// Returns the note on a new file whose content does not end with a line break.
pub fn no_final_newline_text(content: &str) -> Option<String> {
    let is_ended = content.is_empty() || content.ends_with(['\n', '\r']);
    let note = "new_content does not end with a line break, so the file does not either";
    (!is_ended).then(|| note.to_string())
}

/// Returns the note on a moved file whose language has a server, which can find the uses of its old path.
pub fn moved_file_text(path: &str, server: &str) -> String {
    format!(
        "files that refer to `{path}` by its path or module name are not changed; {server} can find and update such \
         references: check the files with it afterwards"
    )
}

/// Explains why a file cannot be read as text.
pub fn about_not_read(error: &NotRead) -> Diagnostic {
    match error {
        NotRead::File(error) => about_file(error),
        NotRead::NotText { path, error } => about_text(path.as_str(), *error),
        NotRead::NoGrammar {
            path,
            language,
            error,
        } => about_grammar(&format!("cannot read `{path}` as {language}"), error),
    }
}

/// Explains why the grammar of an added language cannot be used.
pub fn about_grammar(failed: &str, error: &LoadError) -> Diagnostic {
    let diagnostic = Diagnostic::new(Code::GrammarUnavailable, format!("{failed}: {error}"));
    match &error.help {
        Some(help) => diagnostic.help(help),
        None => diagnostic,
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

/// Explains that a text is too large. `size` and `limit` are in bytes.
pub fn about_large_text(path: &str, size: usize, limit: u64) -> Diagnostic {
    let message = format!("`{path}` has {size} bytes, more than the limit of {limit}");
    Diagnostic::new(Code::FileTooLarge, message)
}

/// Explains that a call on the text named `own` is about another file.
pub fn about_other_file(path: &str, own: &str) -> Diagnostic {
    let message = format!("a call on a text cannot name another file: `{path}` is not `{own}`");
    about_arguments(message).help("omit the path")
}

/// Explains that an argument cannot be passed in a call on a text.
pub fn about_argument_without_files(argument: &str) -> Diagnostic {
    about_arguments(format!("a call on a text does not take {argument}"))
}

/// Explains that a tool does not work on a text.
pub fn about_tool_without_files(tool: &str) -> Diagnostic {
    about_arguments(format!(
        "{tool} cannot be a call on a text, since it needs files"
    ))
}

/// Explains why the state directory cannot be used.
pub fn about_state(error: &StateError) -> Diagnostic {
    Diagnostic::new(Code::IoError, error.to_string())
        .help("set XDG_STATE_HOME to a writable directory")
}
