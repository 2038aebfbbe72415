//! Stages edits on the base, puts the right side on disk, and applies them.

use serde_json::{Value, json};

use crate::habits::project::Project;

use super::others::{Merged, Programs, Sides};
use super::places::{NotExpressed, Place, arguments};

/// What became of a staged edit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Applied {
    /// It was written; the text of the file afterwards.
    Written(String),
    /// Nothing was written. The answer shows a fresh preview, which would give this text.
    Fresh(String),
    /// Nothing was written, and the request is refused now, with this code.
    Refused(String),
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
    /// The text after the edits in turn and that of `git merge-file` for the places that were applied, if they differ.
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
    let (in_turn, written) = bench.applied_in_turn(&in_turn)?;
    let partial_difference = bench.partial_difference(&in_turn, &written, places, programs)?;
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
        let digest = treegraft::source::Source::new(
            self.sides.path,
            treegraft::language::of(self.sides.path, wanted),
            wanted.to_string(),
        )
        .digest()
        .to_string();
        let made = &answered.json["files"][0]["digest_after"];
        let edit_id = answered.json["edit_id"].as_str();
        match (edit_id, made.as_str()) {
            (Some(edit_id), Some(made)) if made == digest => Ok(Staged {
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

    /// Applies an edit on the file as it is. If it is stale, makes the same request again, which is the fresh preview.
    fn apply(&self, staged: &Staged) -> Result<Applied, String> {
        let path = self.sides.path;
        let before = self.project.read(path)?;
        let arguments = json!({"edit_id": staged.edit_id});
        let answered = self.project.call("apply_edit", &arguments);
        let Some(code) = answered.code else {
            return self.project.read(path).map(Applied::Written);
        };
        if self.project.read(path)? != before {
            return Err(format!(
                "a refused edit changed {path}: {}\n{}",
                staged.arguments, answered.text
            ));
        }
        if code != "stale_edit" {
            return Ok(Applied::Refused(code.to_string()));
        }
        let mut arguments = staged.arguments.clone();
        arguments["apply"] = json!(true);
        let again = self.project.call("edit_nodes", &arguments);
        let applied = match again.code {
            Some(code) => Applied::Refused(code.to_string()),
            None => Applied::Fresh(self.project.read(path)?),
        };
        self.project.write(path, &before)?;
        Ok(applied)
    }

    /// Applies edits one after the other. Returns what became of all together, and which of them were written.
    fn applied_in_turn(&self, staged: &[Staged]) -> Result<(Applied, Vec<bool>), String> {
        self.project.write(self.sides.path, self.sides.right)?;
        let mut all = Vec::new();
        for one in staged {
            all.push(self.apply(one)?);
        }
        let written = |one: &Applied| matches!(one, Applied::Written(_));
        let which = all.iter().map(written).collect();
        let refused = all.iter().find(|one| matches!(one, Applied::Refused(_)));
        let fresh = all.iter().find(|one| matches!(one, Applied::Fresh(_)));
        let together = match refused.or(fresh) {
            Some(missed) => missed.clone(),
            None => Applied::Written(self.project.read(self.sides.path)?),
        };
        Ok((together, which))
    }

    /// Compares the file after the edits in turn, of which some were refused, with what `git merge-file` makes of the
    /// others. Returns both texts if they differ.
    fn partial_difference(
        &self,
        together: &Applied,
        written: &[bool],
        places: &[Place],
        programs: &Programs,
    ) -> Result<Option<(String, String)>, String> {
        if matches!(together, Applied::Written(_)) || !written.contains(&true) {
            return Ok(None);
        }
        let made = places.iter().zip(written).filter(|(_, written)| **written);
        let left = made.rev().fold(self.sides.base.to_string(), |text, (place, _)| {
            crate::habits::commits::with_hunk(&text, &place.hunk)
        });
        let git = programs.git(Sides {
            left: &left,
            ..self.sides
        })?;
        let got = self.project.read(self.sides.path)?;
        let differs = git.text().is_some_and(|text| text != got);
        Ok(differs.then(|| (got, git.text().unwrap_or_default().to_string())))
    }
}
