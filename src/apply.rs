//! [`Preview`] to disk, and back: every file that was previewed, or none.
//!
//! Comes in: what was previewed, and the locks of its files. Goes out: [`Written`], the files hold
//! the previewed bytes. Refuses when a file changed since, and whatever the workspace refuses;
//! then nothing was written. Whether an edit of a changed file is still the one that was shown is
//! what [`rebase`] decides.

pub mod history;
pub mod journal;
pub mod rebase;
pub mod record;

use crate::preview::Preview;
use crate::workspace::{FileError, LockedFile, Workspace};

use journal::{Direction, Replaced, Written};

/// Writes exactly what was previewed: all files, or none, also after a crash.
///
/// `locked` are the files of the preview, in its order; `edit_id` is what the journal names until
/// [`Written::recorded`].
///
/// # Errors
/// A file is not the one the preview was made from any more, or cannot be replaced.
pub fn apply<'a>(
    workspace: &'a Workspace,
    locked: &[LockedFile],
    preview: &Preview,
    edit_id: &str,
) -> Result<Written<'a>, FileError> {
    write(workspace, locked, preview, edit_id, Direction::There)
}

/// Gives files the bytes back that they had before an edit: all files, or none.
///
/// `locked` are the files of the preview that was applied, in its order.
///
/// # Errors
/// A file is not what the edit made of it any more, or cannot be replaced.
pub fn undo<'a>(
    workspace: &'a Workspace,
    locked: &[LockedFile],
    applied: &Preview,
    edit_id: &str,
) -> Result<Written<'a>, FileError> {
    write(workspace, locked, applied, edit_id, Direction::Back)
}

fn write<'a>(
    workspace: &'a Workspace,
    locked: &[LockedFile],
    preview: &Preview,
    edit_id: &str,
    direction: Direction,
) -> Result<Written<'a>, FileError> {
    let mut changes = Vec::new();
    for (file, locked) in preview.files().iter().zip(locked) {
        let (old, new) = match direction {
            Direction::There => (file.before(), file.after()),
            Direction::Back => (file.after(), file.before()),
        };
        // What is given up must be there to be taken back.
        history::keep(workspace.state(), old).map_err(|source| FileError::NoJournal {
            path: locked.path().display().to_owned(),
            source,
        })?;
        changes.push(Replaced {
            locked,
            before: old.digest(),
            after: new.digest(),
            parts: new.chunks().map(str::as_bytes).collect(),
        });
    }
    journal::replace_all(workspace, &changes, edit_id, direction)
}
