//! Expresses the change of one side as edits, one for each place.

use serde_json::Value;
use treegraft::source::Span;

use crate::change::candidates::{best_first, operation};
use crate::change::{Site, Strings, parse};
use crate::history::{Hunk, Revision, hunks};
use crate::text::overlap;

use super::merges::Triple;

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

impl Place {
    /// Returns what the edit does.
    pub(super) fn operation(&self) -> &str {
        match &self.entries[..] {
            [entry] => operation(entry),
            _ => "several texts",
        }
    }
}

/// Expresses the change from the base to the left side of a triple: for each place the best operation that makes the change
/// exactly, then the shortest.
///
/// # Errors
/// Returns why the change is not expressed.
pub(super) fn expressed(
    triple: &Triple,
    strings: &mut Strings,
) -> Result<Vec<Place>, &'static str> {
    let file = Revision {
        commit: triple.commit.clone(),
        path: triple.path.clone(),
        before: triple.base.clone(),
        hunks: hunks(&triple.base, &triple.left),
    };
    if let Some(reason) = file.left_out() {
        return Err(reason);
    }
    let hunks = file.places().into_iter().map(|place| place.hunk);
    let hunks: Vec<Hunk> = hunks.collect();
    let before = parse(&file.path, &file.before);
    let strings = strings.of(&before);
    let mut taken: Vec<_> = hunks.iter().map(|hunk| hunk.old.clone()).collect();
    let mut expressed = Vec::new();
    for (index, hunk) in hunks.iter().enumerate() {
        let wanted = parse(&file.path, &hunk.made(&file.before));
        let site = Site {
            path: &file.path,
            before: &before,
            wanted: &wanted,
            hunk,
            strings,
        };
        let is_free = |target: Span| {
            let mut others = taken.iter().enumerate();
            !others.any(|(other, taken)| other != index && overlap(&target.range(), taken))
        };
        let mut candidates = best_first(&site).into_iter();
        let best =
            candidates.find(|candidate| is_free(candidate.target) && candidate.is_exact(&site));
        let best = best.ok_or("no edit found that makes the change of a place exactly")?;
        taken[index] = best.target.range();
        expressed.push(Place {
            hunk: hunk.clone(),
            wanted: site.new().to_string(),
            entries: best.entries,
            selected: best.selected,
        });
    }
    Ok(expressed)
}
