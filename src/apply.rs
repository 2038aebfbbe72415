//! [`Preview`] to disk: the same digest, or refused.
//!
//! Comes in: what was previewed. Goes out: nothing, the file holds the previewed bytes. Refuses
//! when the file changed since, and whatever the workspace refuses; then nothing was written.

use crate::preview::Preview;
use crate::workspace::{FileError, Workspace, WorkspacePath};

/// Writes exactly what was previewed.
///
/// # Errors
/// The file is not the one the preview was made from any more, or cannot be replaced.
pub fn apply(
    workspace: &Workspace,
    path: &WorkspacePath,
    preview: &Preview,
) -> Result<(), FileError> {
    let chunks = preview.after().chunks().map(str::as_bytes);
    workspace.replace(path, preview.facts().digest_before, chunks)
}
