//! Expresses the change of one side as edits, one for each place, with the operations of the replay.

use std::collections::HashSet;

use serde_json::{Value, json};
use treegraft::source::Span;

use crate::habits::commits::{best_first, is_framed, operation, overlap, places, with_hunk};
use crate::replay::calls::Outcome;
use crate::replay::history::{Hunk, Revision, hunks};
use crate::replay::meaning::trimmed;
use crate::replay::parse;

use super::merges::Triple;

/// The maximum number of places of a change, and of lines on one side of a place.
const MOST_PLACES: usize = 60;
const MOST_LINES: usize = 60;

/// One changed place of a file, and the edit that makes the change.
pub(super) struct Place {
    pub(super) hunk: Hunk,
    /// The file with this change alone.
    pub(super) wanted: String,
    /// The entries of an `edit_nodes`.
    pub(super) entries: Vec<Value>,
    /// The bytes of the old text that are selected: the node, or the text.
    pub(super) selected: Span,
}

/// Why a change is not expressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum NotExpressed {
    Large,
    FileFormat,
    NoEdit,
    Refused,
    NotExact,
}

impl NotExpressed {
    pub(super) fn reason(self) -> &'static str {
        match self {
            NotExpressed::Large => {
                "the left side changes more than 60 places, or more than 60 lines at one place"
            }
            NotExpressed::FileFormat => {
                "the left side changes the line endings, the final newline or the BOM, which every edit preserves"
            }
            NotExpressed::NoEdit => "no edit found that makes the change of a place exactly",
            NotExpressed::Refused => "the edits of all places together are refused on the base",
            NotExpressed::NotExact => "the edits of all places together do not make the left side",
        }
    }
}

/// What the edit of a place does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Operation {
    Replace,
    Insert,
    Delete,
    Text,
    Texts,
}

impl Operation {
    pub(super) fn name(self) -> &'static str {
        match self {
            Operation::Replace => "replace_node",
            Operation::Insert => "insert_node",
            Operation::Delete => "delete_node",
            Operation::Text => "replace_text",
            Operation::Texts => "several texts",
        }
    }
}

impl Place {
    pub(super) fn operation(&self) -> Operation {
        let [entry] = &self.entries[..] else {
            return Operation::Texts;
        };
        match operation(entry) {
            "replace" => Operation::Replace,
            "insert" => Operation::Insert,
            "delete" => Operation::Delete,
            _ => Operation::Text,
        }
    }
}

/// Expresses the change from the base to the left side of a triple. `strings` are the node types of the language whose
/// lines keep their bytes.
pub(super) fn expressed(
    triple: &Triple,
    strings: &HashSet<String>,
) -> Result<Vec<Place>, NotExpressed> {
    let file = Revision {
        commit: triple.commit.clone(),
        path: triple.path.clone(),
        before: triple.base.clone(),
        hunks: hunks(&triple.base, &triple.left),
    };
    let hunks: Vec<Hunk> = places(&file).into_iter().map(|place| place.hunk).collect();
    let is_large = |hunk: &Hunk| hunk.lines.0.max(hunk.lines.1) > MOST_LINES;
    if hunks.len() > MOST_PLACES || hunks.iter().any(is_large) {
        return Err(NotExpressed::Large);
    }
    if is_framed(&file) {
        return Err(NotExpressed::FileFormat);
    }
    let before = parse(&file.path, &file.before);
    let mut taken: Vec<_> = hunks.iter().map(|hunk| hunk.old.clone()).collect();
    let mut expressed = Vec::new();
    for (index, hunk) in hunks.iter().enumerate() {
        let wanted = parse(&file.path, &with_hunk(&file.before, hunk));
        let candidates = best_first(&file.path, &before, &wanted, hunk, strings);
        let mut free = candidates.into_iter().filter(|candidate| {
            let mut others = taken.iter().enumerate();
            !others.any(|(other, taken)| other != index && overlap(candidate.target.range(), taken))
        });
        let best = free.find(|candidate| {
            let outcome = candidate.outcome(&before, &wanted);
            matches!(outcome, Outcome::Exact | Outcome::RightRefused(_))
        });
        let best = best.ok_or(NotExpressed::NoEdit)?;
        taken[index] = best.target.range();
        let node = best.nodes.as_deref().and_then(<[_]>::last);
        expressed.push(Place {
            hunk: hunk.clone(),
            wanted: wanted.source().text().to_string(),
            entries: best.entries,
            selected: node.map_or(best.target, |node| trimmed(&before, *node)),
        });
    }
    Ok(expressed)
}

/// Returns the arguments of one `edit_nodes` for some places.
pub(super) fn arguments(path: &str, places: &[&Place]) -> Value {
    let entries = places.iter().flat_map(|place| &place.entries);
    json!({"file_path": path, "edits": entries.collect::<Vec<_>>()})
}
