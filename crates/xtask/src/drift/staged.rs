//! Stages edits on the base, puts the right side on disk, and applies them.

use serde_json::{Value, json};

use crate::habits::commits::with_hunk;
use crate::habits::project::Project;
use crate::replay::parse;

use super::others::{Merged, Programs, Sides};
use super::places::{NotExpressed, Place, arguments};

/// What became of a staged edit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Applied {
    /// It was written; the text of the file afterwards.
    Written(String),
    /// It was shown as it is now (`rebase_proposed`), and written after a yes; the text of the file afterwards.
    Allowed(String),
    /// Nothing was written. The answer shows a fresh preview; this is the text after it is applied.
    Fresh(String),
    /// Nothing was written, and the request is refused now, with this code.
    Refused(String),
}

impl Applied {
    /// Returns the text of the file after the edit was written.
    pub(super) fn written(&self) -> Option<&str> {
        match self {
            Applied::Written(text) | Applied::Allowed(text) => Some(text),
            Applied::Fresh(_) | Applied::Refused(_) => None,
        }
    }
}

impl From<Merged> for Applied {
    fn from(merged: Merged) -> Applied {
        match merged {
            Merged::Clean(text) => Applied::Written(text),
            Merged::Refused(reason) => Applied::Refused(reason.to_string()),
        }
    }
}

/// What became of the edit of one place that was staged and applied alone.
pub(super) struct Single {
    pub(super) applied: Applied,
    /// What `git merge-file` makes of the same change.
    pub(super) git: Merged,
}

/// What became of the edits of all places.
pub(super) struct Drifted {
    /// One edit for all places.
    pub(super) whole: Applied,
    /// An edit for each place, applied in the order of the file.
    pub(super) in_turn: Applied,
    /// The text after the edits in turn, of which some were refused, and that of `git merge-file` for the others, if they
    /// differ.
    pub(super) partial_difference: Option<(String, String)>,
    pub(super) singles: Vec<Single>,
}

/// A directory that has the base of a triple, and an engine for it.
struct Bench<'a> {
    project: Project,
    sides: Sides<'a>,
}

/// A staged edit.
struct Staged {
    edit_id: String,
    arguments: Value,
}

/// Stages the edits of the places on the base, and applies them on the right side.
///
/// # Errors
/// Returns an error if the temporary directory cannot be used, if git fails, or if a refused edit changed the file.
pub(super) fn drifted(
    sides: Sides<'_>,
    places: &[Place],
    programs: &Programs,
) -> Result<Result<Drifted, NotExpressed>, String> {
    let bench = Bench {
        project: Project::new()?,
        sides,
    };
    bench.project.write(sides.path, sides.base)?;
    let all: Vec<&Place> = places.iter().collect();
    let whole = match bench.stage(&all, sides.left) {
        Ok(whole) => whole,
        Err(reason) => return Ok(Err(reason)),
    };
    let mut alone = Vec::new();
    let mut in_turn = Vec::new();
    for place in &all {
        for staged in [&mut alone, &mut in_turn] {
            match bench.stage(&[place], &place.wanted) {
                Ok(one) => staged.push(one),
                Err(reason) => return Ok(Err(reason)),
            }
        }
    }
    let mut singles = Vec::new();
    for (staged, place) in alone.iter().zip(places) {
        singles.push(Single {
            applied: bench.applied(staged)?,
            git: programs.git(Sides {
                left: &place.wanted,
                ..sides
            })?,
        });
    }
    let whole = bench.applied(&whole)?;
    let (in_turn, each) = bench.applied_in_turn(&in_turn)?;
    let partial_difference = bench.partial_difference(&each, places, programs)?;
    Ok(Ok(Drifted {
        whole,
        in_turn,
        partial_difference,
        singles,
    }))
}

impl Bench<'_> {
    /// Stages an edit of some places. Refused checks are allowed, as a caller does that has read the refusal.
    fn stage(&self, places: &[&Place], wanted: &str) -> Result<Staged, NotExpressed> {
        let mut arguments = arguments(self.sides.path, places);
        let mut answered = self.project.call("edit_nodes", &arguments);
        if answered.code.is_some() {
            arguments["allow"] = json!(["syntax_errors", "surroundings", "suspicious_content"]);
            answered = self.project.call("edit_nodes", &arguments);
        }
        if answered.code.is_some() {
            return Err(NotExpressed::Refused);
        }
        let wanted = parse(self.sides.path, wanted).source().digest().to_string();
        let made = &answered.json["files"][0]["digest_after"];
        let edit_id = answered.json["edit_id"].as_str();
        match (edit_id, made.as_str()) {
            (Some(edit_id), Some(made)) if made == wanted => Ok(Staged {
                edit_id: edit_id.to_string(),
                arguments,
            }),
            _ => Err(NotExpressed::NotExact),
        }
    }

    /// Applies an edit where the right side alone is on disk.
    fn applied(&self, staged: &Staged) -> Result<Applied, String> {
        self.project.write(self.sides.path, self.sides.right)?;
        self.apply(staged)
    }

    /// Applies an edit on the file as it is. If it is shown again, says yes. If it is stale, makes the same request again
    /// and applies that: the fresh preview.
    fn apply(&self, staged: &Staged) -> Result<Applied, String> {
        let path = self.sides.path;
        let before = self.project.read(path)?;
        let arguments = json!({"edit_id": staged.edit_id});
        let answered = self.project.call("apply_edit", &arguments);
        let is_shown_again = answered.json["status"] == "rebase_proposed";
        if answered.code.is_none() && !is_shown_again {
            return self.project.read(path).map(Applied::Written);
        }
        if self.project.read(path)? != before {
            return Err(format!(
                "an edit that was not applied changed {path}: {}\n{}",
                staged.arguments, answered.text
            ));
        }
        let Some(code) = answered.code else {
            let allowed = self.project.call("apply_edit", &arguments);
            return match allowed.code {
                Some(code) => Err(format!("{code} after a yes: {}", staged.arguments)),
                None => self.project.read(path).map(Applied::Allowed),
            };
        };
        if code != "stale_edit" {
            return Ok(Applied::Refused(code.to_string()));
        }
        let mut arguments = staged.arguments.clone();
        arguments["apply"] = json!(true);
        let again = self.project.call("edit_nodes", &arguments);
        Ok(match again.code {
            Some(code) => Applied::Refused(code.to_string()),
            None => Applied::Fresh(self.project.read(path)?),
        })
    }

    /// Applies edits one after the other, as a caller does that accepts each fresh preview. Returns what became of all
    /// together, and of each.
    fn applied_in_turn(&self, staged: &[Staged]) -> Result<(Applied, Vec<Applied>), String> {
        self.project.write(self.sides.path, self.sides.right)?;
        let mut all = Vec::new();
        for one in staged {
            all.push(self.apply(one)?);
        }
        let text = self.project.read(self.sides.path)?;
        let is_fresh = |one: &Applied| matches!(one, Applied::Fresh(_));
        let is_allowed = |one: &Applied| matches!(one, Applied::Allowed(_));
        let refused = all.iter().find(|one| matches!(one, Applied::Refused(_)));
        let together = match refused {
            Some(refused) => refused.clone(),
            None if all.iter().any(is_fresh) => Applied::Fresh(text),
            None if all.iter().any(is_allowed) => Applied::Allowed(text),
            None => Applied::Written(text),
        };
        Ok((together, all))
    }

    /// Compares the file after the edits in turn, if some were refused and the others applied, with what `git merge-file`
    /// makes of the others. Returns both texts if they differ.
    fn partial_difference(
        &self,
        in_turn: &[Applied],
        places: &[Place],
        programs: &Programs,
    ) -> Result<Option<(String, String)>, String> {
        let is_written = |one: &Applied| one.written().is_some();
        let has_fresh = in_turn.iter().any(|one| matches!(one, Applied::Fresh(_)));
        if has_fresh || in_turn.iter().all(is_written) {
            return Ok(None);
        }
        let made = places.iter().zip(in_turn).rev();
        let made = made.filter(|(_, applied)| is_written(applied));
        let left = made.fold(self.sides.base.to_string(), |text, (place, _)| {
            with_hunk(&text, &place.hunk)
        });
        let git = programs.git(Sides {
            left: &left,
            ..self.sides
        })?;
        let got = self.project.read(self.sides.path)?;
        let expected = git.text().filter(|text| *text != got);
        Ok(expected.map(|expected| (got.clone(), expected.to_string())))
    }
}
