//! Finds out which staged edits do not fit their files any more, so that a list can mark them while files change.
//!
//! A file is read again only if its time or size changed. An edit whose files changed is compared with them later, within
//! the time that the caller gives. Writes no file.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::{Duration, Instant, SystemTime};

use crate::source::FileDigest;

use super::super::core::Engine;
use super::super::lifecycle::PlannedNow;
use super::super::log::EditRecord;
use super::super::response::EditListed;
use super::{EditMark, EditReviewed, FilesSince};

/// The total size of the files of an edit up to which it is compared without being asked for, in bytes. A larger file takes
/// too long.
const COMPARED_BYTES: u64 = 512 * 1024;

/// How a staged edit fits the current files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum EditFit {
    /// It can be written: as it was shown, or at the same node of a file that changed elsewhere.
    #[default]
    Fits,
    /// A file changed. Whether the edit still fits is not known.
    FilesChanged,
    /// The code around the edit changed: a person has to look at it again.
    ChangedAround,
    /// It cannot be written as it was shown.
    Stale,
}

/// How staged edits fit their files, kept up to date.
#[derive(Debug, Default)]
pub struct EditFits {
    /// The last change of each file, and its text then.
    files: HashMap<String, (FileChange, Option<FileDigest>)>,
    edits: BTreeMap<String, Followed>,
}

/// When a file was last changed, and its size. `None` if it does not exist.
type FileChange = Option<(SystemTime, u64)>;

/// A staged edit.
#[derive(Debug)]
struct Followed {
    mark: EditMark,
    /// The absolute path of each file, and its text before the edit.
    files: Vec<(String, FileDigest)>,
    /// The current texts; `None` if one cannot be read.
    now: Vec<Option<FileDigest>>,
    bytes: u64,
    fit: EditFit,
    is_compared: bool,
}

impl EditFits {
    /// Looks at the files of these staged edits. Reads only those that changed since the last call.
    pub fn refresh<'e>(
        &mut self,
        engine: &Engine,
        staged: impl Iterator<Item = (&'e EditListed, &'e EditMark)>,
    ) {
        let mut present: BTreeSet<&str> = BTreeSet::new();
        for (edit, mark) in staged {
            present.insert(&edit.edit_id);
            let known = self.edits.get(&edit.edit_id);
            if known.is_none_or(|known| known.mark != *mark) {
                match engine.staged(&edit.edit_id) {
                    Ok(staged) => {
                        let followed = Followed::new(&staged, mark.clone());
                        self.edits.insert(edit.edit_id.clone(), followed);
                    }
                    // It is gone, or is about to be.
                    Err(_) => drop(self.edits.remove(&edit.edit_id)),
                }
            }
        }
        self.edits
            .retain(|edit_id, _| present.contains(edit_id.as_str()));
        let edits = self.edits.values();
        let paths = edits.flat_map(|edit| edit.files.iter().map(|(path, _)| path.clone()));
        let paths: BTreeSet<String> = paths.collect();
        self.files.retain(|path, _| paths.contains(path));
        for path in paths {
            let place = engine.workspace.place_of_new(&path).ok();
            let place = place.filter(|place| place.absolute() == path.as_str());
            let change = place.as_ref().and_then(|place| place.last_change());
            if self.files.get(&path).is_some_and(|known| known.0 == change) {
                continue;
            }
            let digest = match (place, change) {
                (Some(_), None) => Some(FileDigest::Absent),
                (Some(place), Some(_)) => {
                    let opened = engine.opened(&place).ok();
                    opened.map(|opened| opened.source().digest().into())
                }
                (None, _) => None,
            };
            self.files.insert(path, (change, digest));
        }
        for edit in self.edits.values_mut() {
            let known = edit.files.iter().map(|(path, _)| self.files.get(path));
            let known: Vec<_> = known.collect();
            let now: Vec<Option<FileDigest>> = known
                .iter()
                .map(|known| known.and_then(|known| known.1))
                .collect();
            if edit.now == now {
                continue;
            }
            let sizes = known
                .iter()
                .filter_map(|known| known.and_then(|known| known.0));
            edit.bytes = sizes.map(|(_, bytes)| bytes).sum();
            let mut texts = now.iter().zip(&edit.files);
            let is_unchanged = texts.all(|(now, (_, before))| *now == Some(*before));
            edit.now = now;
            edit.is_compared = is_unchanged;
            edit.fit = match is_unchanged {
                true => EditFit::Fits,
                false => EditFit::FilesChanged,
            };
        }
    }

    /// Compares edits whose files changed with the current files, in this order, for about as long as `time`.
    pub fn compare<'e>(
        &mut self,
        engine: &Engine,
        edit_ids: impl Iterator<Item = &'e str>,
        time: Duration,
    ) {
        let until = Instant::now() + time;
        for edit_id in edit_ids {
            let known = self.edits.get_mut(edit_id);
            let Some(known) = known.filter(|one| !one.is_compared && one.bytes <= COMPARED_BYTES)
            else {
                continue;
            };
            known.fit = engine.fit_of(edit_id);
            known.is_compared = true;
            if Instant::now() >= until {
                return;
            }
        }
    }

    /// Takes over how an edit fits its files, which a person sees.
    pub fn learn(&mut self, reviewed: &EditReviewed) {
        if let Some(known) = self.edits.get_mut(&reviewed.edit.edit_id) {
            known.fit = EditFit::from(&reviewed.since);
            known.is_compared = true;
        }
    }

    /// Returns how an edit fits its files, as far as it is known.
    pub fn for_edit(&self, edit_id: &str) -> EditFit {
        self.edits.get(edit_id).map_or(EditFit::Fits, |one| one.fit)
    }
}

impl Followed {
    fn new(staged: &EditRecord, mark: EditMark) -> Followed {
        let files = staged.paths.iter().zip(&staged.files);
        Followed {
            mark,
            files: files
                .map(|(path, kept)| (path.clone(), kept.record.digest_before()))
                .collect(),
            now: Vec::new(),
            bytes: 0,
            fit: EditFit::Fits,
            is_compared: true,
        }
    }
}

impl From<&FilesSince> for EditFit {
    fn from(since: &FilesSince) -> EditFit {
        match since {
            FilesSince::Unchanged | FilesSince::Rebased(_) | FilesSince::UndoneAs(_) => {
                EditFit::Fits
            }
            FilesSince::ChangedAround(_) => EditFit::ChangedAround,
            FilesSince::Stale(_)
            | FilesSince::StaleUntilAsked
            | FilesSince::RefusedNow(_)
            | FilesSince::NotUndone(_)
            | FilesSince::Unreadable(_) => EditFit::Stale,
        }
    }
}

impl Engine {
    /// Returns how a staged edit fits the current files.
    fn fit_of(&self, edit_id: &str) -> EditFit {
        let compared = self
            .staged(edit_id)
            .and_then(|staged| self.compared_with_files(&staged));
        match compared {
            Ok(PlannedNow::Fits(..)) => EditFit::Fits,
            Ok(PlannedNow::Around(_)) => EditFit::ChangedAround,
            Ok(PlannedNow::Stale(_)) | Err(_) => EditFit::Stale,
        }
    }
}
