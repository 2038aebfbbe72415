//! Finds pending edits of which only one can be applied as it was shown, since they change the same text.

use std::collections::HashMap;

use crate::preview::PreviewRecord;

use super::response::EditStatus;
use super::staged::{KeptFile, Staged};

/// Returns, for each pending edit that overlaps others, the ids of these, in the order of `all`.
pub(super) fn overlaps(all: &[Staged]) -> HashMap<String, Vec<String>> {
    let mut by_path: HashMap<&str, Vec<(&str, &PreviewRecord)>> = HashMap::new();
    for staged in all.iter().filter(|one| one.status == EditStatus::Previewed) {
        for (path, KeptFile { record, .. }) in staged.paths.iter().zip(&staged.files) {
            let own = (staged.edit_id.as_str(), record);
            by_path.entry(path).or_default().push(own);
        }
    }
    let mut found: HashMap<String, Vec<String>> = HashMap::new();
    for edits in by_path.values() {
        for (index, (one, record)) in edits.iter().enumerate() {
            let others = edits.iter().enumerate();
            let others = others
                .filter(|(other, (_, of_other))| *other != index && is_overlap(record, of_other));
            for (_, (other, _)) in others {
                let known = found.entry(one.to_string()).or_default();
                if !known.iter().any(|id| id == other) {
                    known.push(other.to_string());
                }
            }
        }
    }
    found
}

/// Returns whether two edits of one file change the same text. Edits of different texts of the file are not compared:
/// one of them will be checked again in any case.
fn is_overlap(one: &PreviewRecord, other: &PreviewRecord) -> bool {
    let is_whole = |record: &PreviewRecord| {
        record.digest_before().is_absent() || record.digest_after().is_absent()
    };
    if is_whole(one) || is_whole(other) {
        return true;
    }
    one.digest_before() == other.digest_before()
        && one.replacements().iter().any(|one| {
            other.replacements().iter().any(|other| {
                let is_same_place = one.span == other.span;
                is_same_place || one.span.overlaps(other.span)
            })
        })
}
