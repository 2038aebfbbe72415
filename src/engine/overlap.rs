//! Finds pending edits of which only one can be applied as it was shown, since they change the same text.

use std::collections::HashMap;

use crate::preview::PreviewRecord;
use crate::source::{FileDigest, Span};

use super::log::EditRecord;
use super::response::EditStatus;

/// What a pending edit changes in a file.
#[derive(Debug)]
struct FileChange {
    path: String,
    before: FileDigest,
    /// Whether it creates or removes the file.
    is_whole: bool,
    replaced: Vec<Span>,
}

/// Returns, for each pending edit that overlaps others, the ids of these, in the order of `all`.
pub(super) fn overlaps(all: &[EditRecord]) -> HashMap<String, Vec<String>> {
    let pending = all.iter().filter(|one| one.status == EditStatus::Previewed);
    let pending: Vec<(&str, Vec<FileChange>)> = pending
        .map(|one| (one.edit_id.as_str(), changes_of(one)))
        .collect();
    let mut by_path: HashMap<&str, Vec<(&str, &FileChange)>> = HashMap::new();
    for (edit_id, changes) in &pending {
        for change in changes {
            let known = by_path.entry(&change.path).or_default();
            known.push((edit_id, change));
        }
    }
    let mut found: HashMap<String, Vec<String>> = HashMap::new();
    for edits in by_path.values() {
        for (index, (one, change)) in edits.iter().enumerate() {
            let others = edits.iter().enumerate();
            let others = others
                .filter(|(other, (_, of_other))| *other != index && change.overlaps(of_other));
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

fn changes_of(staged: &EditRecord) -> Vec<FileChange> {
    let files = staged.paths.iter().zip(&staged.files);
    let changes = files.map(|(path, file)| FileChange::from_record(path, &file.record));
    changes.collect()
}

impl FileChange {
    fn from_record(path: &str, record: &PreviewRecord) -> FileChange {
        FileChange {
            path: path.to_string(),
            before: record.digest_before(),
            is_whole: record.digest_before().is_absent() || record.digest_after().is_absent(),
            replaced: record.replacements().iter().map(|one| one.span).collect(),
        }
    }

    /// Returns whether two edits of one file change the same text. Edits of different texts of the file are not
    /// compared: one of them will be checked again in any case.
    fn overlaps(&self, other: &FileChange) -> bool {
        if self.is_whole || other.is_whole {
            return true;
        }
        let is_same_place = |(one, other): (Span, Span)| one == other || one.overlaps(other);
        let mut pairs = self
            .replaced
            .iter()
            .flat_map(|one| other.replaced.iter().map(move |other| (*one, *other)));
        self.before == other.before && pairs.any(is_same_place)
    }
}
