//! Explains the refusals of files, of the state directory and of staged edits.

use super::{about_arguments, quoted};
use crate::diagnostic::{Code, Diagnostic};
use crate::source::NotText;
use crate::workspace::{FileError, NotRead, StateError};

/// Explains that an edit has no selector to change, because a server chose its places.
pub fn about_not_retargeted(tool: &str) -> Diagnostic {
    about_arguments(format!("an edit of {tool} has no selector to change")).help(format!(
        "call {tool} with the other place; discard_edit forgets this one"
    ))
}

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
            diagnostic.help("nothing was changed; the same call passes as soon as that is done")
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
            format!("`{path}` is binary: byte {offset} is zero"),
        ),
        NotText::NotUtf8 { offset } => Diagnostic::new(
            Code::NotUtf8,
            format!("`{path}` is not UTF-8: byte {offset} begins no character; it was not touched"),
        ),
    }
}

/// Explains why the state directory cannot be used.
pub fn about_state(error: &StateError) -> Diagnostic {
    Diagnostic::new(Code::IoError, error.to_string())
        .help("set XDG_STATE_HOME to a directory that can be written")
}

/// Explains why a server cannot be added to a client's configuration.
pub fn about_configuration(path: &str, client: &str, why: &str) -> Diagnostic {
    let message = format!("`{path}` is not as {client} reads it: {why}");
    Diagnostic::new(Code::InvalidContent, message)
        .help("it was not touched; mend it, or put the server there by hand")
}

/// Explains that another program changed a client's configuration in the meantime.
pub fn about_changed_configuration(path: &str) -> Diagnostic {
    Diagnostic::new(Code::StaleEdit, format!("`{path}` has changed meanwhile"))
        .help("nothing was written; the same call sees it as it is now")
}

/// Explains that a client has no project configuration. `with` lists the clients that have one.
pub fn about_no_project(client: &str, with: &[&str]) -> Diagnostic {
    about_arguments(format!("{client} has no configuration of a project")).help(format!(
        "leave out --project; those that have one are {}",
        with.join(", ")
    ))
}

/// Explains that the user's home directory is unknown.
pub fn about_no_home() -> Diagnostic {
    Diagnostic::new(
        Code::IoError,
        "there is no home directory with a UTF-8 name",
    )
    .help("set HOME to a directory")
}

/// Explains that the path of this program is unknown.
pub fn about_no_program() -> Diagnostic {
    let message = "the system does not say under which UTF-8 path this program runs";
    Diagnostic::new(Code::IoError, message)
}

/// Explains that no staged edit has the id.
pub fn about_missing_edit(edit_id: &str) -> Diagnostic {
    Diagnostic::new(
        Code::EditNotFound,
        format!("no staged edit has the id {}", quoted(edit_id)),
    )
    .help("it may be applied or discarded already; list_edits shows those that wait")
}

/// Explains that the record of an edit cannot be read. `why` is the reason.
pub fn about_unreadable_edit(edit_id: &str, why: &str) -> Diagnostic {
    Diagnostic::new(
        Code::EditNotFound,
        format!("the record of edit {} {why}", quoted(edit_id)),
    )
}

/// Explains that an edit is already applied, or not yet applied.
pub fn about_not_applied(edit_id: &str, applied: bool) -> Diagnostic {
    let (state, help) = match applied {
        true => ("is applied already", "undo_edit takes it back"),
        false => ("is not applied", "list_edits shows which are"),
    };
    Diagnostic::new(
        Code::EditNotFound,
        format!("the edit {} {state}", quoted(edit_id)),
    )
    .help(help)
}

/// Explains that a file changed since an edit was applied. `diff` shows the change.
pub fn about_changed_since(file_path: &str, diff: String) -> Diagnostic {
    Diagnostic {
        diff: Some(diff),
        ..Diagnostic::new(
            Code::StaleEdit,
            format!("`{file_path}` changed since the edit was applied; nothing was written"),
        )
    }
    .help("what changed since is below; replace or delete what the edit brought instead")
}

/// Explains that the text before an edit is no longer available.
pub fn about_no_way_back(file_path: &str) -> Diagnostic {
    Diagnostic::new(
        Code::EditNotFound,
        format!("what `{file_path}` held before the edit is not kept any more"),
    )
    .help("texts are kept for a week, and the oldest go first when there are too many")
}

/// Explains that an edit was refused and cannot be applied.
pub fn about_refused_edit(edit_id: &str) -> Diagnostic {
    Diagnostic::new(
        Code::EditNotFound,
        format!(
            "the edit {} was refused and has nothing to apply",
            quoted(edit_id)
        ),
    )
    .help("give it another place with retarget_edit")
}

/// Explains that a file changed since the preview.
pub fn about_stale(file_path: &str) -> Diagnostic {
    Diagnostic::new(
        Code::StaleEdit,
        format!("`{file_path}` changed since the preview; nothing was written"),
    )
}

/// Explains that a path resolves to a different file than in the preview.
pub fn about_moved(file_path: &str, now: &str) -> Diagnostic {
    Diagnostic::new(
        Code::StaleEdit,
        format!("`{file_path}` leads to `{now}` since the preview; nothing was written"),
    )
    .help("make the edit again with the file that is meant")
}
