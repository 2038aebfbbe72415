//! Stages edits on the base, puts the right side on disk, and applies them.

use serde_json::{Value, json};

use crate::change::{ALLOW, parse};
use crate::project::Project;

use super::merges::Triple;
use super::places::Places;

/// The outcome of a change, with treegraft or another tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Applied {
    /// It was written; the text of the file afterwards.
    Written(String),
    /// It was shown as it is now (`rebase_proposed`), and written after a yes; the text of the file afterwards.
    Allowed(String),
    /// Nothing was written. The answer shows a fresh preview; this is the text after it is applied.
    Fresh(String),
    /// Nothing was written; a code or the reason.
    Refused(String),
}

impl Applied {
    /// Returns the text after the edit.
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Applied::Written(text) | Applied::Allowed(text) | Applied::Fresh(text) => Some(text),
            Applied::Refused(_) => None,
        }
    }
}

/// Stages the edit of all places on the base, with all checks allowed to fail, as a caller does that has read a refusal, and
/// applies it on the right side. Returns the outcome, or why it cannot be staged.
///
/// # Errors
/// Returns an error if the temporary directory cannot be used, or if a refused edit changed the file.
pub(super) fn applied(
    triple: &Triple,
    places: &Places,
) -> Result<Result<Applied, &'static str>, String> {
    let project = Project::empty()?;
    project.write(&triple.path, &triple.base)?;
    let arguments = json!({"file_path": &triple.path, "edits": places.entries, "allow": ALLOW});
    let answered = project.call("edit_nodes", &arguments);
    if answered.code.is_some() {
        return Ok(Err(
            "the edits of all places together are refused on the base",
        ));
    }
    let wanted = parse(&triple.path, &triple.left)
        .source()
        .digest()
        .to_string();
    if answered.json["files"][0]["digest_after"] != wanted {
        return Ok(Err(
            "the edits of all places together do not make the left side",
        ));
    }
    project.write(&triple.path, &triple.right)?;
    apply(&project, triple, &answered.json["edit_id"], arguments).map(Ok)
}

/// Applies an edit. If it is shown again, says yes. If it is stale, makes the same request again and applies that: the fresh
/// preview.
fn apply(
    project: &Project,
    triple: &Triple,
    edit_id: &Value,
    mut request: Value,
) -> Result<Applied, String> {
    let path = &triple.path;
    let arguments = json!({"edit_id": edit_id});
    let answered = project.call("apply_edit", &arguments);
    let is_shown_again = answered.json["status"] == "rebase_proposed";
    if answered.code.is_none() && !is_shown_again {
        return project.read(path).map(Applied::Written);
    }
    if project.read(path)? != triple.right {
        return Err(format!(
            "an edit that was not applied changed {path}: {}\n{}",
            request, answered.text
        ));
    }
    let Some(code) = answered.code else {
        return match project.call("apply_edit", &arguments).code {
            Some(code) => Err(format!("{code} after a yes: {request}")),
            None => project.read(path).map(Applied::Allowed),
        };
    };
    if code != "stale_edit" {
        return Ok(Applied::Refused(code.to_string()));
    }
    request["apply"] = json!(true);
    Ok(match project.call("edit_nodes", &request).code {
        Some(code) => Applied::Refused(code.to_string()),
        None => Applied::Fresh(project.read(path)?),
    })
}
