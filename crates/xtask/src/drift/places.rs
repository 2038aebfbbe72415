//! Expresses the change of one side as edits, one for each place.

use serde_json::Value;

use crate::change::candidates::candidates;
use crate::change::{Site, Strings, parse};
use crate::history::{Hunk, Revision, hunks};

use super::merges::Triple;

/// The changed places of a file, and the edit that makes the change.
pub(super) struct Places {
    pub(super) hunks: Vec<Hunk>,
    /// The entries of an `edit_nodes`.
    pub(super) entries: Vec<Value>,
}

/// Expresses the change from the base to the left side of a triple: for each place the shortest edit that makes the change
/// exactly.
///
/// # Errors
/// Returns why the change is not expressed.
pub(super) fn expressed(triple: &Triple, strings: &mut Strings) -> Result<Places, &'static str> {
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
    let strings = strings.for_file(&before);
    let mut taken: Vec<_> = hunks.iter().map(|hunk| hunk.old.clone()).collect();
    let mut entries = Vec::new();
    for (index, hunk) in hunks.iter().enumerate() {
        let wanted = parse(&file.path, &hunk.made(&file.before));
        let site = Site {
            path: &file.path,
            before: &before,
            wanted: &wanted,
            hunk,
            strings,
        };
        let mut all = candidates(&site).into_iter();
        let best =
            all.find(|candidate| candidate.is_free(index, &taken) && candidate.is_exact(&site));
        let best = best.ok_or("no edit found that makes the change of a place exactly")?;
        taken[index] = best.target.range();
        entries.push(best.entry);
    }
    Ok(Places { hunks, entries })
}
