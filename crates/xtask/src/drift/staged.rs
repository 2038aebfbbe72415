//! Stages edits on the base, puts the right side on disk, and applies them.

use serde_json::{Value, json};

use crate::change::{ALLOW, parse};
use crate::project::Project;

use super::others::Sides;
use super::places::Place;

/// What became of a change, with treegraft or another tool.
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

/// A staged edit.
struct Staged {
    edit_id: Value,
    arguments: Value,
}

/// Stages one edit for all places on the base, and one for each place, and applies each on the right side. Returns what
/// became of them, or why they cannot be staged.
///
/// # Errors
/// Returns an error if the temporary directory cannot be used, or if a refused edit changed the file.
#[expect(
    clippy::type_complexity,
    reason = "a refusal is not an error of the task"
)]
pub(super) fn applied(
    sides: Sides<'_>,
    places: &[Place],
) -> Result<Result<(Applied, Vec<Applied>), &'static str>, String> {
    let project = Project::empty()?;
    project.write(sides.path, sides.base)?;
    let mut staged = vec![stage(&project, sides.path, places, sides.left)];
    for place in places {
        let own = std::slice::from_ref(place);
        staged.push(stage(&project, sides.path, own, &place.wanted));
    }
    let staged: Vec<Staged> = match staged.into_iter().collect() {
        Ok(staged) => staged,
        Err(reason) => return Ok(Err(reason)),
    };
    let mut applied = Vec::new();
    for one in &staged {
        project.write(sides.path, sides.right)?;
        applied.push(apply(&project, sides, one)?);
    }
    Ok(Ok((applied.remove(0), applied)))
}

/// Stages an edit of some places. All checks are allowed to fail, as a caller does that has read a refusal.
fn stage(
    project: &Project,
    path: &str,
    places: &[Place],
    wanted: &str,
) -> Result<Staged, &'static str> {
    let entries: Vec<&Value> = places.iter().flat_map(|place| &place.entries).collect();
    let arguments = json!({"file_path": path, "edits": entries, "allow": ALLOW});
    let answered = project.call("edit_nodes", &arguments);
    if answered.code.is_some() {
        return Err("the edits of all places together are refused on the base");
    }
    let wanted = parse(path, wanted).source().digest().to_string();
    match answered.json["files"][0]["digest_after"] == wanted {
        true => Ok(Staged {
            edit_id: answered.json["edit_id"].clone(),
            arguments,
        }),
        false => Err("the edits of all places together do not make the left side"),
    }
}

/// Applies an edit. If it is shown again, says yes. If it is stale, makes the same request again and applies that: the fresh
/// preview.
fn apply(project: &Project, sides: Sides<'_>, staged: &Staged) -> Result<Applied, String> {
    let path = sides.path;
    let arguments = json!({"edit_id": staged.edit_id});
    let answered = project.call("apply_edit", &arguments);
    let is_shown_again = answered.json["status"] == "rebase_proposed";
    if answered.code.is_none() && !is_shown_again {
        return project.read(path).map(Applied::Written);
    }
    if project.read(path)? != sides.right {
        return Err(format!(
            "an edit that was not applied changed {path}: {}\n{}",
            staged.arguments, answered.text
        ));
    }
    let Some(code) = answered.code else {
        return match project.call("apply_edit", &arguments).code {
            Some(code) => Err(format!("{code} after a yes: {}", staged.arguments)),
            None => project.read(path).map(Applied::Allowed),
        };
    };
    if code != "stale_edit" {
        return Ok(Applied::Refused(code.to_string()));
    }
    let mut arguments = staged.arguments.clone();
    arguments["apply"] = json!(true);
    Ok(match project.call("edit_nodes", &arguments).code {
        Some(code) => Applied::Refused(code.to_string()),
        None => Applied::Fresh(project.read(path)?),
    })
}
