//! Explains the refusals of staged edits, and the notes on what the engine keeps of them.

use std::collections::BTreeSet;

use crate::diagnostic::{Code, Diagnostic, NextCall, Suggestion};
use crate::workspace::{FileError, StateError, WriteWarning};

use super::{about_arguments, about_file, quoted};

/// Explains that an edit cannot be changed, because a server computed it.
pub fn about_not_amended(tool: &str) -> Diagnostic {
    about_arguments(format!("an edit of {tool} cannot be amended")).help(format!(
        "call «{tool}» again with other arguments, and discard this edit with «discard_edit»"
    ))
}

/// Explains that no staged edit has the id.
pub fn about_missing_edit(edit_id: &str) -> Diagnostic {
    Diagnostic::new(
        Code::EditNotFound,
        format!("no staged edit has the id {}", quoted(edit_id)),
    )
    .help("«amend_edit» replaces a pending edit, and old edits are removed; «list_edits» shows the others")
}

/// Explains that an edit is no longer kept since `seconds` ago.
pub fn about_expired(edit_id: &str, seconds: u64, why: &str) -> Diagnostic {
    let ago = ago(seconds);
    Diagnostic::new(
        Code::EditNotFound,
        format!(
            "expired: the edit {} was removed {ago}: {why}",
            quoted(edit_id)
        ),
    )
    .help(
        "a pending edit has to be made again; an applied one stays written, and cannot be undone; «list_edits» shows the \
         edits that are kept",
    )
}

/// Explains that an edit was amended `seconds` ago, and which edit it is now.
pub fn about_replaced(edit_id: &str, seconds: u64, instead: &str) -> Diagnostic {
    Diagnostic::new(
        Code::EditNotFound,
        format!(
            "the edit {} was replaced by the edit {} {}",
            quoted(edit_id),
            quoted(instead),
            ago(seconds)
        ),
    )
    .help("look at the other edit first: it may make another change")
}

fn ago(seconds: u64) -> String {
    let (count, unit) = match seconds {
        0..60 => return "less than a minute ago".to_string(),
        60..3_600 => (seconds / 60, "minute"),
        3_600..86_400 => (seconds / 3_600, "hour"),
        _ => (seconds / 86_400, "day"),
    };
    match count {
        1 => format!("1 {unit} ago"),
        count => format!("{count} {unit}s ago"),
    }
}

/// Explains that several edits have an id that starts with `start`.
pub fn about_ambiguous_edit(start: &str, edit_ids: &[String]) -> Diagnostic {
    const SHOWN: usize = 5;
    let shown: Vec<String> = edit_ids.iter().take(SHOWN).cloned().collect();
    let more = match edit_ids.len() - shown.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    Diagnostic::new(
        Code::EditNotFound,
        format!(
            "{} an id that starts with {}: {}{more}",
            match edit_ids.len() {
                1 => "1 edit has".to_string(),
                count => format!("{count} edits have"),
            },
            quoted(start),
            shown.join(", ")
        ),
    )
    .help("pass more of the id")
}

/// Explains that a part of a rewrite or of an edit by a language server cannot be amended.
pub fn about_part_not_amended(tool: &str) -> Diagnostic {
    about_arguments(format!(
        "the edit is a part of a call of {tool}, of which a person accepted the rest, so the call cannot be made again"
    ))
    .help("make a new edit, and discard this one with «discard_edit»")
}

/// Explains that what is left of an edit of several files cannot be amended.
pub fn about_divided_edit_not_amended(number: usize) -> Diagnostic {
    about_arguments(format!(
        "edit {number} of the call is about several files, of which a person may have accepted some"
    ))
    .help("make a new edit, and discard this one with «discard_edit»")
}

/// Explains that an amendment is about an edit that a person has accepted. `left` are those that are left.
pub fn about_accepted_edit(number: usize, left: &BTreeSet<usize>) -> Diagnostic {
    let left: Vec<String> = left.iter().map(usize::to_string).collect();
    about_arguments(format!(
        "edit {number} of the call is not in this part, which has the edits {}",
        left.join(", ")
    ))
}

/// Explains that a part of an edit cannot be previewed again in a changed file.
pub fn about_part_not_again() -> Diagnostic {
    about_arguments("the edit is a part of another one, whose request makes more than this part")
        .help("make a new edit of what is left")
}

/// Explains that the node that a person selected in the text before the edit is another one in the current file.
pub fn about_other_node(path: &str) -> Diagnostic {
    Diagnostic::new(
        Code::StaleEdit,
        format!(
            "{} changed since the preview, and the selector does not select that node any more",
            quoted(path)
        ),
    )
    .help("accept the edit to stage a fresh preview, and select the node there")
}

/// Explains that an edit has no such file or no such part.
pub fn about_no_such_part(edit_id: &str) -> Diagnostic {
    about_arguments(format!(
        "the edit {} has no such part; nothing was written",
        quoted(edit_id)
    ))
}

/// Explains that all parts of an edit are left out.
pub fn about_nothing_chosen(edit_id: &str) -> Diagnostic {
    about_arguments(format!(
        "no part of the edit {} is left; nothing was written",
        quoted(edit_id)
    ))
    .help("discard the edit with «discard_edit»")
}

/// Explains that an edit is chosen twice.
pub fn about_chosen_twice(edit_id: &str) -> Diagnostic {
    about_arguments(format!("the edit {} is chosen twice", quoted(edit_id)))
}

/// Explains that parts of an edit cannot be made without each other.
pub fn about_parts_joined(path: &str, line: usize) -> Diagnostic {
    Diagnostic::new(
        Code::OverlappingEdits,
        format!(
            "the parts of the edit at line {line} of `{path}` cannot be divided; nothing was written"
        ),
    )
    .help("choose all of them or none")
}

/// Explains that edits that are made together change the same text.
pub fn about_edits_of_same_text(path: &str, line: usize) -> Diagnostic {
    Diagnostic::new(
        Code::OverlappingEdits,
        format!(
            "another chosen edit changes the same text, at line {line} of `{path}`; nothing was written"
        ),
    )
    .help("choose one of them")
}

/// Explains that edits that are made together are about a file that one of them creates, deletes or moves.
pub fn about_edits_of_whole_file(path: &str) -> Diagnostic {
    Diagnostic::new(
        Code::OverlappingEdits,
        format!("another chosen edit is about `{path}` too; nothing was written"),
    )
    .help("choose one of them, since one of them creates, deletes or moves the file")
}

/// Explains why an edit cannot have another target.
pub fn about_no_other_target(edit_id: &str, why: &str) -> Diagnostic {
    about_arguments(format!(
        "the edit {} cannot have another target: {why}",
        quoted(edit_id)
    ))
}

/// Returns why an edit is gone that a person gave another target.
pub fn retargeted_text(edit_id: &str) -> String {
    format!("a person selected another node, for which it is staged as edit {edit_id}")
}

/// Returns why an edit is gone of which a person accepted a part.
pub fn divided_text(accepted: &str, rest: &str) -> String {
    format!(
        "a person accepted a part of it, which is now edit {accepted}; the rest is staged as edit {rest}"
    )
}

/// Explains that an edit was discarded, and why.
pub fn about_discarded(edit_id: &str, reason: Option<&str>) -> Diagnostic {
    let edit = format!("the edit {} was", quoted(edit_id));
    let (message, help) = match reason {
        Some(reason) => (
            format!("{edit} {}", discarded_text(reason)),
            "make another edit that takes the reason into account",
        ),
        None => (
            format!("{edit} discarded"),
            "«list_edits» shows the pending edits",
        ),
    };
    Diagnostic::new(Code::Discarded, message).help(help)
}

/// Returns why an edit was discarded, in one line.
pub fn discarded_text(reason: &str) -> String {
    let words: Vec<&str> = reason.split_whitespace().collect();
    format!("discarded: {}", words.join(" "))
}

/// Explains that the reason for discarding an edit is too long.
pub fn about_long_reason(limit: usize) -> Diagnostic {
    about_arguments(format!("the reason is longer than {limit} characters"))
}

/// Explains that the record of an edit cannot be read. `why` is one of the texts below.
pub fn about_unreadable_edit(why: String) -> Diagnostic {
    Diagnostic::new(Code::EditNotFound, why)
}

/// Returns the text for a record that a newer version wrote.
pub fn newer_record_text(edit_id: &str) -> String {
    format!(
        "the record of edit {} was written by a newer version of treegraft and was left unchanged",
        quoted(edit_id)
    )
}

/// Returns the text for a record that cannot be read, with its new path or the error of moving it.
pub fn damaged_record_text(edit_id: &str, moved: Result<&str, &StateError>) -> String {
    let record = format!("the record of edit {}", quoted(edit_id));
    match moved {
        Ok(path) => format!("{record} cannot be read and was moved to {path}"),
        Err(error) => format!("{record} cannot be read or moved aside: {error}"),
    }
}

/// Explains that an edit is already applied, or not yet applied.
pub fn about_not_applied(edit_id: &str, applied: bool) -> Diagnostic {
    let (state, help) = match applied {
        true => ("is already applied", "«undo_edit» reverts it"),
        false => ("is not applied", "«list_edits» shows the applied edits"),
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
    .help("the diff shows the changes since then; replace or delete the inserted text instead")
}

/// Explains that an edit can only be undone after later ones, which changed its text. `edit_ids` has the newest first.
pub fn about_later_edits(file_path: &str, edit_ids: &[&str]) -> Diagnostic {
    let edits = match edit_ids.len() {
        1 => "a later edit",
        _ => "later edits",
    };
    let ids = edit_ids.join(", ");
    Diagnostic::new(
        Code::StaleEdit,
        format!(
            "{edits} of `{file_path}` changed the text of this edit ({ids}); nothing was written"
        ),
    )
    .help("undo these edits first, in this order")
}

/// Explains that a file would have new syntax errors if an edit were undone without later ones.
pub fn about_unsound_undo(file_path: &str) -> Diagnostic {
    Diagnostic::new(
        Code::BreaksSyntax,
        format!(
            "without the edit, `{file_path}` would have new syntax errors; nothing was written"
        ),
    )
    .help("undo later edits of the file first, the newest first; «list_edits» shows them")
}

/// Explains that the text before an edit is no longer available.
pub fn about_text_not_kept(file_path: &str) -> Diagnostic {
    Diagnostic::new(
        Code::EditNotFound,
        format!("the text of `{file_path}` before the edit is no longer available"),
    )
    .help("texts are kept for a week; if there are too many, the oldest are removed first")
}

/// Explains that an edit was refused and cannot be applied.
pub fn about_refused_edit(edit_id: &str) -> Diagnostic {
    Diagnostic::new(
        Code::EditNotFound,
        format!(
            "the edit {} was refused, so there is nothing to apply",
            quoted(edit_id)
        ),
    )
    .help("change what is wrong with it with «amend_edit»")
}

/// Explains that a file changed since the preview.
pub fn about_stale(file_path: &str) -> Diagnostic {
    Diagnostic::new(
        Code::StaleEdit,
        format!("`{file_path}` changed since the preview; nothing was written"),
    )
}

/// Explains that the surroundings of an edit changed since the preview. `diff` shows the edit as it is now.
pub fn about_changed_around(file_path: &str, edit_id: &str, diff: String) -> Diagnostic {
    let message = format!(
        "code around the edit in `{file_path}` changed since the preview; nothing was written"
    );
    to_apply_again(edit_id, diff, message).help(
        "the preview now shows the edit in the current file; apply it again if it is still right",
    )
}

/// Explains that a person has seen an edit with another diff than the one that would be written.
pub fn about_other_than_shown(edit_id: &str, diff: String) -> Diagnostic {
    let message = format!(
        "the edit {} changed since it was shown; nothing was written",
        quoted(edit_id)
    );
    to_apply_again(edit_id, diff, message)
        .help("the diff is what would be written now; accept the edit again if it is right")
}

/// Returns the refusal of an edit that can be applied as `diff` shows it.
fn to_apply_again(edit_id: &str, diff: String, message: String) -> Diagnostic {
    let again = Suggestion::new(
        NextCall::Apply(edit_id.to_string()),
        "this edit, as the diff shows it".to_string(),
    );
    Diagnostic {
        diff: Some(diff),
        suggestions: vec![again],
        ..Diagnostic::new(Code::StaleEdit, message)
    }
}

/// Explains that a path resolves to a different file than in the preview.
pub fn about_moved(file_path: &str, now: &str) -> Diagnostic {
    Diagnostic::new(
        Code::StaleEdit,
        format!(
            "`{file_path}` now resolves to `{now}`, unlike in the preview; nothing was written"
        ),
    )
    .help("make the edit again with the intended file")
}

/// Explains why a staged edit could not be written. The edit stays staged.
pub fn about_not_written(edit_id: &str, error: &FileError) -> Diagnostic {
    about_file(error).help(format!(
        "the edit is still pending as {edit_id}; call «apply_edit» when the problem is fixed"
    ))
}

/// What a person has to approve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Approved {
    /// Writing a staged edit.
    Edit,
    /// Undoing an applied edit.
    Undo,
}

/// Explains that a person has to approve a write, and how the user does so. `root` is the workspace.
pub fn about_approval(what: Approved, edit_id: &str, why: &FileError, root: &str) -> Diagnostic {
    let refused = about_file(why);
    let why = refused.message;
    let (message, help) = match what {
        Approved::Edit => (
            format!("{why}; edit {edit_id} is staged, and nothing was written"),
            format!(
                "the user applies it with `treegraft apply {edit_id}` in `{root}`; report the id instead of retrying; \
                 «amend_edit» and «discard_edit» still work"
            ),
        ),
        Approved::Undo => (
            format!("{why}; nothing was written"),
            format!("the user undoes the edit with `treegraft undo {edit_id}` in `{root}`"),
        ),
    };
    Diagnostic { message, ..refused }.help(help)
}

/// Returns the help for a file that changed since the preview if the same request is refused now.
pub fn refused_now_help(refused: &Diagnostic) -> String {
    format!(
        "the same request is refused now: {}: {}",
        refused.code.as_str(),
        refused.message
    )
}

/// Returns the note on an interrupted change of a dead process that could be neither completed nor reverted.
pub fn unsettled_text(error: &FileError) -> String {
    match error {
        FileError::ApprovalRequired { why } => format!(
            "another change is being written or was interrupted, and {why}: if it was interrupted, the user completes or \
             reverts it with `treegraft list`"
        ),
        error => format!("an earlier, interrupted change cannot be completed or reverted: {error}"),
    }
}

/// Returns the note on old edits that could not be removed.
pub fn not_removed_text(error: &StateError) -> String {
    format!("old edits cannot be removed: {error}")
}

/// Returns the note on a file that was written.
pub fn written_text(warning: &WriteWarning) -> String {
    match warning {
        WriteWarning::NotSynced(error) => {
            format!("the file is written, but may be lost after a power failure: {error}")
        }
        WriteWarning::AttributesLost { path, names } => {
            let names = names.iter().map(|name| format!("`{name}`"));
            format!(
                "`{path}` has lost extended attributes that the system does not let this user set: {}",
                names.collect::<Vec<_>>().join(", ")
            )
        }
    }
}

/// Returns the note on an edit that was written but not recorded as applied.
pub fn not_recorded_text(error: &StateError) -> String {
    format!(
        "the edit is written but not yet recorded as applied; the next call records it: {error}"
    )
}
