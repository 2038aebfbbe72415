//! Stores records in the state directory: JSON values with a version. A record of a newer version is left to the
//! program that wrote it.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::workspace::{Durable, HeldFile, StateDirectory, StateError, WorkspaceFile};

use super::history::KEPT;

/// Why a record cannot be read.
#[derive(Debug)]
pub enum NoRecord {
    /// No record has this name.
    Missing,
    /// A newer version wrote the record.
    Newer,
    /// The record exists, but this version cannot read it.
    Damaged,
    /// The state directory failed.
    State(StateError),
}

impl From<StateError> for NoRecord {
    fn from(error: StateError) -> NoRecord {
        NoRecord::State(error)
    }
}

/// A record that is no longer kept.
#[derive(Debug)]
pub(crate) struct Outdated {
    pub(crate) file: WorkspaceFile,
    /// Whether it is older than edits are kept. Otherwise, its workspace has too many.
    pub(crate) is_old: bool,
}

/// The version that every record contains.
#[derive(Deserialize)]
struct RecordHeader {
    version: u32,
}

/// Keeps a record under a name. Its JSON must have a `version`.
pub(crate) fn keep(
    state: &StateDirectory,
    folder: &str,
    name: &str,
    record: &impl Serialize,
    durable: Durable,
) -> Result<(), StateError> {
    let bytes = serde_json::to_vec(record).expect("a record consists of strings and numbers");
    state.write_parts(folder, name, [bytes.as_slice()], durable)
}

/// Finds the record with this name in a folder.
pub(crate) fn find<T: DeserializeOwned>(
    state: &StateDirectory,
    folder: &str,
    name: &str,
    version: u32,
) -> Result<T, NoRecord> {
    find_held(state, folder, name, version).map(|(record, _)| record)
}

/// Finds the record with this name in the folders of a kind. Also returns the file that it was read from.
pub(crate) fn find_in_all<T: DeserializeOwned>(
    state: &StateDirectory,
    kind: &str,
    name: &str,
    version: u32,
) -> Result<(T, HeldFile), NoRecord> {
    let found = state.find_in_folders(kind, |folder| {
        match find_held(state, folder, name, version) {
            Err(NoRecord::Missing) => Ok(None),
            found => found.map(Some),
        }
    })?;
    found.ok_or(NoRecord::Missing)
}

fn find_held<T: DeserializeOwned>(
    state: &StateDirectory,
    folder: &str,
    name: &str,
    version: u32,
) -> Result<(T, HeldFile), NoRecord> {
    let held = state.read_held(folder, name)?;
    let (bytes, file) = held.ok_or(NoRecord::Missing)?;
    match serde_json::from_slice::<RecordHeader>(&bytes) {
        Ok(form) if form.version == version => {
            let record = serde_json::from_slice(&bytes).map_err(|_| NoRecord::Damaged)?;
            Ok((record, file))
        }
        Ok(form) if form.version > version => Err(NoRecord::Newer),
        _ => Err(NoRecord::Damaged),
    }
}

/// Returns the records of a kind, those whose names count, that are older than edits are kept, and in each workspace the
/// oldest beyond `limit`.
pub(crate) fn outdated(
    state: &StateDirectory,
    kind: &str,
    limit: usize,
    counts: impl Fn(&str) -> bool,
) -> Result<Vec<Outdated>, StateError> {
    let mut outdated = Vec::new();
    for folder in state.folders(kind)? {
        let mut kept = state.list(&folder)?;
        kept.retain(|one| counts(&one.name));
        kept.sort_by_key(|one| one.written);
        let too_many = kept.len().saturating_sub(limit);
        for (index, file) in kept.into_iter().enumerate() {
            let is_old = file.is_older(KEPT);
            if index < too_many || is_old {
                let folder = folder.clone();
                let file = WorkspaceFile { folder, file };
                outdated.push(Outdated { file, is_old });
            }
        }
    }
    Ok(outdated)
}
