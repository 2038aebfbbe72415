//! The patches of `apply_patch`: files, and hunks of lines instead of strings.

use serde_json::Value;
use treegraft::string_edit::StringEdit;

use super::absolute;
use super::event::{FileChange, FileEdit};

/// Reads the files of a patch that it adds or updates; `None` if a line has no known form.
pub(super) fn files(event: &Value, patch: &str) -> Option<Vec<FileEdit>> {
    let body = patch.trim().strip_prefix("*** Begin Patch")?;
    let body = body.strip_suffix("*** End Patch")?.trim_matches('\n');
    let mut files: Vec<FileEdit> = Vec::new();
    let mut is_deleted = false;
    for line in body.split('\n') {
        let opened = |path: &str, change| {
            let path = absolute(event, path.trim())?;
            Some(FileEdit { path, change })
        };
        if let Some(path) = line.strip_prefix("*** Add File: ") {
            is_deleted = false;
            files.push(opened(path, FileChange::Whole(String::new()))?);
        } else if let Some(path) = line.strip_prefix("*** Update File: ") {
            is_deleted = false;
            files.push(opened(path, FileChange::Strings(Vec::new()))?);
        } else if line.starts_with("*** Delete File: ") {
            is_deleted = true;
        } else if line.starts_with("*** Move to: ") || line == "*** End of File" {
            // The content is that of the hunks.
        } else if !is_deleted {
            add_line(&mut files.last_mut()?.change, line)?;
        }
    }
    // A hunk without old lines appends to a place that the patch does not show.
    let is_clear = files.iter().all(|file| match &file.change {
        FileChange::Strings(edits) => edits.iter().all(|edit| !edit.old.is_empty()),
        FileChange::Whole(_) => true,
    });
    is_clear.then_some(files)
}

/// Adds a line of a hunk to the change of a file.
fn add_line(change: &mut FileChange, line: &str) -> Option<()> {
    match change {
        FileChange::Whole(text) => {
            text.push_str(line.strip_prefix('+')?);
            text.push('\n');
        }
        FileChange::Strings(edits) if line.starts_with("@@") => {
            edits.push(StringEdit::new("", ""));
        }
        FileChange::Strings(edits) => {
            if edits.is_empty() {
                edits.push(StringEdit::new("", ""));
            }
            let edit = edits.last_mut()?;
            let (sign, text) = line.split_at_checked(1).unwrap_or((" ", ""));
            let (is_old, is_new) = match sign {
                " " => (true, true),
                "-" => (true, false),
                "+" => (false, true),
                _ => return None,
            };
            for (wanted, side) in [(is_old, &mut edit.old), (is_new, &mut edit.new)] {
                if wanted {
                    side.push_str(text);
                    side.push('\n');
                }
            }
        }
    }
    Some(())
}
