//! The log of edits: which were made, and their outcomes.
//!
//! Each edit has one record in the user's state directory, where every process of the user can access it: a pending preview,
//! a refused call with its content, an applied edit that can be undone, or an undone one. The name of its file is its
//! status. [`ended`] is what is left of an edit whose record is gone.

pub(super) mod ended;

use std::collections::{BTreeSet, HashSet};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::apply::FileFacts;
use crate::apply::history::{self, KEPT, TEXTS_LIMIT};
use crate::apply::journal::{self, Direction};
use crate::apply::later::{FileDelta, TextDelta};
use crate::apply::record::{self, NoRecord};
use crate::diagnostic::{self, Diagnostic};
use crate::preview::{self, MovedFile, PreviewRecord};
use crate::source::{Digest, FileDigest};
use crate::workspace::{
    Durable, HeldFile, SET_ASIDE, StateDirectory, StateError, StateFile, WorkspaceFile, sweep_locks,
};

use ended::Why;

use super::plan::{EditPlan, TargetInfo};
use super::request::{EditCall, KeptCall};
use super::response::EditStatus;

pub(super) const KIND: &str = "edits";
/// The maximum length of the name of a client, in characters.
const CLIENT_CHARS: usize = 60;
const VERSION: u32 = 10;
/// The maximum number of records of a workspace. The oldest are removed first.
const RECORDS_LIMIT: usize = 5_000;
/// The interval at which old records and texts are removed. A process that has kept `GC_RECORDS` records or `GC_BYTES`
/// bytes of texts removes them earlier.
const SWEPT_EVERY: Duration = Duration::from_secs(60);
const GC_RECORDS: usize = RECORDS_LIMIT / 8;
const GC_BYTES: u64 = TEXTS_LIMIT / 8;

/// The file name of a record, which determines the current status. The record has no other: renaming its file is atomic, and
/// costs no flush.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RecordName {
    /// A pending or refused edit.
    Waiting,
    Applied,
    /// It was applied, and is undone.
    Undone,
}

/// The number of records and bytes that a process has kept since it last removed old ones.
#[derive(Debug, Default)]
pub(super) struct GcBudget {
    records: AtomicUsize,
    bytes: AtomicU64,
}

/// The origin of an edit.
#[derive(Clone, Copy, Default)]
pub(super) struct EditOrigin<'c> {
    /// The id of the edit, if it is given. An edit with a given id is made only once.
    pub(super) edit_id: Option<&'c str>,
    /// The name of the program that makes the call.
    pub(super) client: Option<&'c str>,
    /// The session of the program, if it has one.
    pub(super) session: Option<&'c str>,
    /// Whether a person selected another node for an edit of the program.
    pub(super) is_retargeted: bool,
}

/// The record of one edit.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct EditRecord {
    version: u32,
    pub(super) edit_id: String,
    #[serde(skip, default = "refused")]
    pub(super) status: EditStatus,
    /// The creation time, in seconds since 1970.
    pub(super) created: u64,
    /// The absolute paths of the files, in the order of the previews.
    pub(super) paths: Vec<String>,
    /// The call that made the edit.
    pub(super) call: KeptCall,
    /// Whether the edit is only a part of what the call makes, since a person has divided it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) is_part: bool,
    /// A one-line summary of the edit, or the reason for its refusal.
    pub(super) summary: String,
    pub(super) notes: Vec<String>,
    /// The preview of each file. Empty for a refused edit.
    pub(super) files: Vec<KeptFile>,
    /// The name of the program that made the edit, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) client: Option<String>,
    /// The session of that program, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) session: Option<String>,
    /// The symbol of the first target, if it is in one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) symbol: Option<String>,
    /// What is known of its undos: what the edit had changed, and what each of them changed. Without it, an earlier edit
    /// could not be followed to the current text of its file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) undone: Vec<FileDelta>,
    /// The folder that it was read from: that of the workspace that made the edit.
    #[serde(skip)]
    folder: Option<String>,
}

/// The record of the preview of one file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct KeptFile {
    #[serde(flatten, with = "PreviewRecord")]
    pub(super) record: PreviewRecord,
    /// The edit of each target.
    #[serde(rename = "shares")]
    pub(super) targets: Vec<TargetInfo>,
    /// What undoing the edit of an applied record needs.
    #[serde(default, skip_serializing_if = "FileFacts::is_empty")]
    pub(super) facts: FileFacts,
    /// The edit as it was checked alone, before other edits of the file were accepted with it, as
    /// [`PreviewRecord::digest_of_edit`] returns it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) checked_as: Option<Digest>,
}

impl EditRecord {
    /// Returns a record with a new id.
    pub(super) fn new(
        paths: Vec<String>,
        call: KeptCall,
        status: EditStatus,
        summary: String,
        notes: Vec<String>,
    ) -> EditRecord {
        EditRecord {
            version: VERSION,
            edit_id: new_id(),
            status,
            created: now(),
            paths,
            call,
            is_part: false,
            summary,
            notes,
            files: Vec::new(),
            client: None,
            session: None,
            symbol: None,
            undone: Vec::new(),
            folder: None,
        }
    }

    /// Returns the record with the origin of its call: another id, if one is given, and the client.
    pub(super) fn with_origin(self, origin: EditOrigin<'_>) -> EditRecord {
        let cut = |name: &str| name.chars().take(CLIENT_CHARS).collect();
        EditRecord {
            edit_id: origin.edit_id.map_or(self.edit_id, str::to_string),
            client: origin.client.map(cut),
            session: origin.session.map(cut),
            ..self
        }
    }

    /// Returns the origin of another edit that replaces this one.
    pub(super) fn origin(&self) -> EditOrigin<'_> {
        EditOrigin {
            edit_id: None,
            is_retargeted: false,
            client: self.client.as_deref(),
            session: self.session.as_deref(),
        }
    }

    /// Returns the record of a part of this edit, with a new id: the files with these indices, as the plan shows them.
    pub(super) fn part(&self, files: &[usize], summary: String, plan: &EditPlan) -> EditRecord {
        let is_first = files.first() == Some(&0);
        EditRecord {
            edit_id: new_id(),
            version: VERSION,
            status: EditStatus::Previewed,
            paths: files
                .iter()
                .filter_map(|file| self.paths.get(*file).cloned())
                .collect(),
            is_part: true,
            summary,
            symbol: self.symbol.clone().filter(|_| is_first),
            undone: Vec::new(),
            ..self.clone()
        }
        .showing(plan)
    }

    /// Returns the numbers of the edits of the call that the record has.
    pub(super) fn edit_numbers(&self) -> BTreeSet<usize> {
        let targets = self.files.iter().flat_map(|file| &file.targets);
        targets.map(|target| target.edit).collect()
    }

    /// Returns the call that makes the edit; of a part, the call of those edits that the part has.
    ///
    /// # Errors
    /// The tool edits no nodes, or an edit of the part is about several files, of which the part may have some.
    pub(super) fn edit_call(&self) -> Result<EditCall, Diagnostic> {
        let call = self.call.edits().ok_or_else(|| match self.is_part {
            true => diagnostic::about_part_not_again(),
            false => diagnostic::about_not_amended(self.call.tool()),
        })?;
        if !self.is_part {
            return Ok(call);
        }
        let numbers = self.edit_numbers();
        let requested = call.read()?.requested_edits()?;
        let is_in_several = |number: &&usize| {
            let edit = requested.get(**number);
            edit.is_none_or(|edit| edit.only_file().is_none())
        };
        match numbers.iter().find(is_in_several) {
            Some(number) => Err(diagnostic::about_divided_edit_not_amended(*number)),
            None => Ok(call.with_only(&numbers)),
        }
    }

    /// Returns the folder of the record: that of this workspace if it is new.
    pub(super) fn folder_in(&self, state: &StateDirectory) -> String {
        let own = || state.own_folder(KIND);
        self.folder.clone().unwrap_or_else(own)
    }

    /// Returns whether the edit can be written: it is pending or undone.
    pub(super) fn is_open(&self) -> bool {
        matches!(self.status, EditStatus::Previewed | EditStatus::Undone)
    }

    /// Returns the changes that the edit makes to its files.
    pub(super) fn changes(&self) -> impl Iterator<Item = FileDelta> {
        let files = self.paths.iter().zip(&self.files);
        files.map(|(path, file)| FileDelta {
            path: path.clone(),
            change: TextDelta::of_edit(&self.edit_id, &file.record),
        })
    }

    /// Returns the record with the symbol of its first target.
    pub(super) fn in_symbol(self, symbol: Option<String>) -> EditRecord {
        EditRecord { symbol, ..self }
    }

    /// Returns the record with another status.
    pub(super) fn with(self, status: EditStatus) -> EditRecord {
        EditRecord { status, ..self }
    }

    /// Returns the edit of each target of each file.
    pub(super) fn targets(&self) -> Vec<Vec<TargetInfo>> {
        self.files.iter().map(|file| file.targets.clone()).collect()
    }

    /// Returns the record with the facts that were found before it is written.
    pub(super) fn with_facts(mut self, facts: &[FileFacts]) -> EditRecord {
        for (file, facts) in self.files.iter_mut().zip(facts) {
            file.facts = facts.clone();
        }
        self
    }

    /// Returns the record with how each file was checked alone.
    pub(super) fn with_checks(
        mut self,
        checked_as: impl IntoIterator<Item = Option<Digest>>,
    ) -> EditRecord {
        for (file, checked_as) in self.files.iter_mut().zip(checked_as) {
            file.checked_as = checked_as;
        }
        self
    }

    /// Returns the facts of each file.
    pub(super) fn facts(&self) -> Vec<FileFacts> {
        self.files.iter().map(|file| file.facts.clone()).collect()
    }

    /// Returns the diff of each file, as it was shown.
    pub(super) fn diffs(&self) -> Vec<String> {
        let files = self.files.iter().map(|file| &file.record);
        let files: Vec<_> = files.map(|record| (record, record.file_path())).collect();
        preview::all_renamed(&files)
    }

    /// Returns the digest that a file has before the edit is written in this direction.
    pub(super) fn digest_to(&self, file: usize, direction: Direction) -> Option<FileDigest> {
        let record = &self.files.get(file)?.record;
        Some(match direction {
            Direction::There => record.digest_before(),
            Direction::Back => record.digest_after(),
        })
    }

    /// Returns the diff of each file. `names` are the paths as answers show them.
    pub(super) fn diffs_named(&self, names: &[String]) -> Vec<String> {
        let records = self.files.iter().map(|file| &file.record);
        let files: Vec<_> = records.zip(names.iter().map(String::as_str)).collect();
        preview::all_renamed(&files)
    }

    /// Returns the file that leaves its path for that of another one when the edit is written in this direction.
    pub(super) fn leaving(&self, file: usize, direction: Direction) -> Option<usize> {
        match (self.files.get(file)?.record.moved()?, direction) {
            (MovedFile::From(other), Direction::There)
            | (MovedFile::To(other), Direction::Back) => Some(other),
            _ => None,
        }
    }

    /// Returns the record with another preview.
    pub(super) fn showing(self, plan: &EditPlan) -> EditRecord {
        let files = plan.preview.files().iter().zip(&plan.targets);
        EditRecord {
            files: files
                .map(|(file, targets)| KeptFile {
                    record: file.record().clone(),
                    targets: targets.clone(),
                    facts: FileFacts::default(),
                    checked_as: None,
                })
                .collect(),
            ..self
        }
    }
}

/// Stores a record, new or changed.
pub(super) fn keep(state: &StateDirectory, staged: &EditRecord) -> Result<(), StateError> {
    let name = RecordName::for_status(staged.status).file(&staged.edit_id);
    let folder = staged.folder_in(state);
    record::keep(state, &folder, &name, staged, Durable::AfterACrash)
}

/// Finds the record with this id.
pub(super) fn find(state: &StateDirectory, edit_id: &str) -> Result<EditRecord, NoRecord> {
    find_held(state, edit_id).map(|(staged, _)| staged)
}

/// Does the same as [`find`], and also returns the file that the record was read from. The file's name changes with the
/// status of the edit.
pub(super) fn find_held(
    state: &StateDirectory,
    edit_id: &str,
) -> Result<(EditRecord, HeldFile), NoRecord> {
    if !is_id(edit_id) {
        return Err(NoRecord::Missing);
    }
    // Another process may rename the file to a name that was looked up before.
    for name in RecordName::ALL.into_iter().chain(RecordName::ALL) {
        match find_as(state, edit_id, name) {
            Err(NoRecord::Missing) => {}
            found => return found,
        }
    }
    Err(NoRecord::Missing)
}

fn find_as(
    state: &StateDirectory,
    edit_id: &str,
    name: RecordName,
) -> Result<(EditRecord, HeldFile), NoRecord> {
    let found = record::find_in_all(state, KIND, &name.file(edit_id), VERSION)?;
    let (mut staged, file): (EditRecord, HeldFile) = found;
    staged.folder = Some(file.folder().to_string());
    staged.status = match (name, staged.files.is_empty()) {
        (RecordName::Waiting, true) => EditStatus::Refused,
        (RecordName::Waiting, false) => EditStatus::Previewed,
        (RecordName::Applied, _) => EditStatus::Applied,
        (RecordName::Undone, _) => EditStatus::Undone,
    };
    let is_whole = staged.edit_id == edit_id
        && staged.paths.iter().collect::<HashSet<_>>().len() == staged.paths.len()
        && match staged.status {
            EditStatus::Refused => true,
            _ => !staged.files.is_empty() && staged.files.len() == staged.paths.len(),
        };
    match is_whole {
        true => Ok((staged, file)),
        false => Err(NoRecord::Damaged),
    }
}

/// Records that an edit is applied or undone, by renaming its file. Replacing the file would make the system flush it
/// immediately, which costs half as much as a whole edit.
pub(super) fn note_status(state: &StateDirectory, staged: &EditRecord) -> Result<(), StateError> {
    let to = RecordName::for_status(staged.status);
    let edit_id = &staged.edit_id;
    let folder = staged.folder_in(state);
    for from in RecordName::ALL.into_iter().filter(|from| *from != to) {
        if state.rename(&folder, &from.file(edit_id), &to.file(edit_id))? {
            return Ok(());
        }
    }
    keep(state, staged)
}

/// Changes the status of the record with this id, if there is one.
pub(super) fn mark(
    state: &StateDirectory,
    edit_id: &str,
    status: EditStatus,
) -> Result<(), StateError> {
    match find(state, edit_id) {
        Ok(staged) if staged.status == status => Ok(()),
        Ok(staged) => note_status(state, &staged.with(status)),
        Err(NoRecord::State(error)) => Err(error),
        Err(NoRecord::Missing | NoRecord::Newer | NoRecord::Damaged) => Ok(()),
    }
}

/// Removes the record with this id. Returns whether there was one.
pub(super) fn forget(state: &StateDirectory, edit_id: &str) -> Result<bool, StateError> {
    let remove = |name: RecordName| {
        let name = name.file(edit_id);
        let removed = state.find_in_folders(KIND, |folder| {
            let is_removed: Result<bool, StateError> = state.remove(folder, &name);
            Ok::<_, StateError>(is_removed?.then_some(()))
        });
        removed.map(|removed| removed.is_some())
    };
    match is_id(edit_id) {
        true => {
            let removed = RecordName::ALL.map(remove).into_iter();
            let removed: Vec<bool> = removed.collect::<Result<_, _>>()?;
            Ok(removed.contains(&true))
        }
        false => Ok(false),
    }
}

/// Moves the record with this id to a directory that treegraft does not read. Returns the new path.
pub(super) fn set_aside(state: &StateDirectory, edit_id: &str) -> Result<String, StateError> {
    let found = state.find_in_folders(KIND, |folder| {
        for name in RecordName::ALL {
            let name = name.file(edit_id);
            if state.look(folder, &name)?.is_some() {
                return Ok::<_, StateError>(Some((folder.to_string(), name)));
            }
        }
        Ok(None)
    })?;
    let (folder, name) =
        found.unwrap_or_else(|| (state.own_folder(KIND), RecordName::Waiting.file(edit_id)));
    state.set_aside(&folder, &name)?;
    Ok(format!("{}/{SET_ASIDE}/{folder}-{name}", state.path()))
}

/// Returns all records, newest first, and notes on unreadable records. Moves damaged records aside, and keeps records
/// of newer versions.
pub(super) fn all(state: &StateDirectory) -> Result<(Vec<EditRecord>, Vec<String>), StateError> {
    let mut found = Vec::new();
    let mut unreadable = Vec::new();
    let mut seen = HashSet::new();
    for kept in state.list_all(KIND)? {
        let WorkspaceFile { folder, file: kept } = kept;
        let Some(edit_id) = RecordName::id_in(&kept.name) else {
            continue;
        };
        // A record that is renamed in the meantime may be listed twice.
        if !seen.insert(edit_id.to_string()) {
            continue;
        }
        if kept.is_older(KEPT) {
            expire(state, &folder, &kept.name, Why::Age)?;
            continue;
        }
        match find(state, edit_id) {
            Ok(staged) => found.push((staged, kept.written)),
            Err(NoRecord::Missing) => {}
            Err(NoRecord::Newer) => {
                unreadable.push(diagnostic::newer_record_text(edit_id));
            }
            Err(NoRecord::Damaged) => {
                let place = set_aside(state, edit_id)?;
                unreadable.push(diagnostic::damaged_record_text(edit_id, Ok(&place)));
            }
            Err(NoRecord::State(error)) => return Err(error),
        }
    }
    // Records have times in seconds. Within one second, the record that was written last is the newest.
    found.sort_by(|(a, a_written), (b, b_written)| {
        let newer = (b.created, b_written).cmp(&(a.created, a_written));
        newer.then_with(|| a.edit_id.cmp(&b.edit_id))
    });
    let found = found.into_iter().map(|(staged, _)| staged).collect();
    Ok((found, unreadable))
}

/// Returns the pending edits among the `count` records that were written last, without those that cannot be read.
pub(super) fn latest_pending(
    state: &StateDirectory,
    count: usize,
) -> Result<Vec<EditRecord>, StateError> {
    let mut kept = state.list_all(KIND)?;
    kept.sort_by_key(|kept| std::cmp::Reverse(kept.file.written));
    let ids = kept
        .iter()
        .filter_map(|kept| RecordName::id_in(&kept.file.name));
    let found = ids
        .take(count)
        .filter_map(|edit_id| find(state, edit_id).ok());
    Ok(found
        .filter(|staged| staged.status == EditStatus::Previewed)
        .collect())
}

impl GcBudget {
    /// Adds a kept record, with the size of its texts in bytes.
    pub(super) fn add(&self, bytes: u64) {
        self.records.fetch_add(1, Ordering::Relaxed);
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Returns whether the budget is exceeded. If so, resets it.
    fn take_if_exceeded(&self) -> bool {
        let is_much = self.records.load(Ordering::Relaxed) >= GC_RECORDS
            || self.bytes.load(Ordering::Relaxed) >= GC_BYTES;
        if is_much {
            self.records.store(0, Ordering::Relaxed);
            self.bytes.store(0, Ordering::Relaxed);
        }
        is_much
    }
}

/// Removes old records and texts, at most once a minute unless this process exceeds its budget.
pub(super) fn sweep_now_and_then(
    state: &StateDirectory,
    budget: &GcBudget,
) -> Result<(), StateError> {
    const MARK: (&str, &str) = ("swept", "last");

    let is_recent = |kept: StateFile| !kept.is_older(SWEPT_EVERY);
    if !budget.take_if_exceeded() && state.look(MARK.0, MARK.1)?.is_some_and(is_recent) {
        return Ok(());
    }
    state.write_parts(MARK.0, MARK.1, [], Durable::AfterACrash)?;
    sweep(state, RECORDS_LIMIT, TEXTS_LIMIT)
}

fn sweep(state: &StateDirectory, records: usize, texts: u64) -> Result<(), StateError> {
    let is_record = |name: &str| RecordName::id_in(name).is_some();
    for one in record::outdated(state, KIND, records, is_record)? {
        let why = match one.is_old {
            true => Why::Age,
            false => Why::Number,
        };
        expire(state, &one.file.folder, &one.file.file.name, why)?;
    }
    for one in state.list(SET_ASIDE)? {
        if one.is_older(KEPT) {
            state.remove(SET_ASIDE, &one.name)?;
        }
    }
    ended::sweep(state, ended::LIMIT)?;
    state.sweep(KEPT)?;
    sweep_locks(state, KEPT)?;
    journal::sweep(state)?;
    history::sweep(state, texts)
}

/// Removes the record with a file name, and remembers why.
fn expire(state: &StateDirectory, folder: &str, name: &str, why: Why) -> Result<(), StateError> {
    if let Some(edit_id) = RecordName::id_in(name) {
        ended::keep_forgotten(state, folder, edit_id, why)?;
    }
    state.remove(folder, name).map(drop)
}

/// Removes all records of this workspace, and what is known of ended edits. Returns the number of records.
pub(super) fn forget_all(state: &StateDirectory) -> Result<usize, StateError> {
    let folder = state.own_folder(KIND);
    let kept = state.list(&folder)?;
    let mut records = 0;
    for one in &kept {
        match ended::id_in(&one.name) {
            Some(edit_id) => ended::keep_forgotten(state, &folder, edit_id, Why::Forgotten)?,
            None => {
                expire(state, &folder, &one.name, Why::Forgotten)?;
                records += 1;
            }
        }
    }
    let damaged = format!("{folder}-");
    for one in state.list(SET_ASIDE)? {
        if one.name.starts_with(&damaged) {
            state.remove(SET_ASIDE, &one.name)?;
        }
    }
    Ok(records)
}

/// Returns the id of an edit that is made only once, no matter how often it is requested. The id is a hash of `name`.
pub(super) fn id_of(name: &str) -> String {
    let digits = Digest::from_bytes(name.as_bytes()).to_string();
    format!("e{}", &digits[..12])
}

/// Returns an `e` followed by twelve random hexadecimal digits, so that ids of different processes do not collide.
pub(super) fn new_id() -> String {
    let mut bytes = [0; 6];
    getrandom::fill(&mut bytes).expect("the system has random bytes");
    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("e{digits}")
}

/// The length of an id.
const ID_BYTES: usize = 13;

pub(super) fn is_id(text: &str) -> bool {
    text.len() == ID_BYTES && is_start_of_id(text)
}

/// Returns whether an id may start with `text`. One letter alone is not enough.
pub(super) fn is_start_of_id(text: &str) -> bool {
    let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    let digits = text.strip_prefix('e');
    let is_start = digits.is_some_and(|digits| digits.bytes().all(is_digit));
    is_start && (2..=ID_BYTES).contains(&text.len())
}

/// Returns the ids of the records, also of ended edits, that start with `start`, sorted.
pub(super) fn ids_from(state: &StateDirectory, start: &str) -> Result<Vec<String>, StateError> {
    let kept = state.list_all(KIND)?;
    let found = kept.iter().filter_map(|kept| id_in(&kept.file.name));
    let found = found.filter(|edit_id| edit_id.starts_with(start));
    let mut ids: Vec<String> = found.map(str::to_string).collect();
    ids.sort();
    ids.dedup();
    Ok(ids)
}

impl RecordName {
    const ALL: [RecordName; 3] = [RecordName::Waiting, RecordName::Applied, RecordName::Undone];

    fn for_status(status: EditStatus) -> RecordName {
        match status {
            EditStatus::Applied | EditStatus::Rebased | EditStatus::UndoPreviewed => {
                RecordName::Applied
            }
            EditStatus::Undone => RecordName::Undone,
            EditStatus::Previewed
            | EditStatus::RebaseProposed
            | EditStatus::Refused
            | EditStatus::Unchanged
            | EditStatus::Discarded => RecordName::Waiting,
        }
    }

    fn suffix(self) -> &'static str {
        match self {
            RecordName::Waiting => ".json",
            RecordName::Applied => ".applied.json",
            RecordName::Undone => ".undone.json",
        }
    }

    fn file(self, edit_id: &str) -> String {
        format!("{edit_id}{}", self.suffix())
    }

    /// Returns the id in a file name, if there is one.
    fn id_in(file: &str) -> Option<&str> {
        let mut ids = RecordName::ALL.into_iter();
        ids.find_map(|name| file.strip_suffix(name.suffix()).filter(|id| is_id(id)))
    }
}

/// Returns the id in the file name of a record or of an ended edit, if there is one.
pub(super) fn id_in(file: &str) -> Option<&str> {
    RecordName::id_in(file).or_else(|| ended::id_in(file))
}

/// The status of a record until its file name is known.
fn refused() -> EditStatus {
    EditStatus::Refused
}

/// Returns the current time, in seconds since 1970.
pub(super) fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(state: &StateDirectory) -> String {
        let call = KeptCall::new("edit_nodes", serde_json::Map::new());
        let summary = "nothing".to_string();
        let staged = EditRecord::new(Vec::new(), call, EditStatus::Refused, summary, Vec::new());
        keep(state, &staged).expect("it can be kept");
        staged.edit_id
    }

    fn is_kept(state: &StateDirectory, edit_id: &str) -> bool {
        match find(state, edit_id) {
            Ok(_) => true,
            Err(NoRecord::Missing) => false,
            Err(other) => panic!("{other:?}"),
        }
    }

    /// Makes a record `days` days old.
    fn age(state: &StateDirectory, edit_id: &str, days: u64) {
        let path = state
            .path()
            .join(KIND)
            .join(RecordName::Waiting.file(edit_id));
        let written = SystemTime::now() - Duration::from_secs(days * 24 * 60 * 60);
        let file =
            tempfile::NamedTempFile::new_in(state.path()).expect("a temporary file can be created");
        let bytes = state.read(KIND, &RecordName::Waiting.file(edit_id));
        let bytes = bytes.expect("it can be read").expect("it is there");
        std::io::Write::write_all(&mut file.as_file(), &bytes).expect("it can be written");
        file.as_file().set_modified(written).expect("it is ours");
        file.persist(path).expect("it can be persisted");
    }

    #[test]
    fn a_file_has_the_form_that_it_had() {
        let written = [
            r#"{"file_path":"a.rs","replacements":[[11,13,"x\n"]],"digest_before":"DIGEST","#,
            r#""digest_after":"DIGEST","targets":[{"node_type":"block","span":[11,13],"#,
            r#""new_span":[11,15]}],"diff":"--- a/a.rs\n","shares":[{"edit":0,"action":"replace"}]}"#,
        ];
        let digest = Digest::from_bytes(b"a").to_string();
        let written = written.concat().replace("DIGEST", &digest);
        let file: KeptFile = serde_json::from_str(&written).expect("it was written before");
        let [target] = file.record.targets() else {
            panic!("there is one target");
        };
        assert_eq!((target.node_type(), target.new_span().len()), ("block", 4));
        let again = serde_json::to_string(&file).expect("it can be written");
        assert_eq!(again, written);
    }

    #[test]
    fn what_is_a_week_old_goes() {
        let (_folder, state) = StateDirectory::temporary();
        let [old, new] = [kept(&state), kept(&state)];
        age(&state, &old, 8);
        age(&state, &new, 6);
        sweep(&state, 10, 10).expect("nothing prevents it");
        assert!(!is_kept(&state, &old) && is_kept(&state, &new));
        age(&state, &new, 8);
        let (found, unreadable) = all(&state).expect("they can be listed");
        assert!(found.is_empty() && unreadable.is_empty());
        assert!(!is_kept(&state, &new));
    }

    #[test]
    fn of_too_many_the_oldest_go() {
        let (_folder, state) = StateDirectory::temporary();
        let ids: Vec<String> = (0..5).map(|_| kept(&state)).collect();
        for (days, edit_id) in ids.iter().rev().enumerate() {
            age(&state, edit_id, days as u64);
        }
        sweep(&state, 3, 10).expect("nothing prevents it");
        let left: Vec<bool> = ids.iter().map(|edit_id| is_kept(&state, edit_id)).collect();
        assert_eq!(left, [false, false, true, true, true]);
    }

    #[test]
    fn no_workspace_removes_the_edits_of_another_and_what_is_removed_says_why() {
        let (_folder, state) = StateDirectory::temporary();
        let of = |root: &str| {
            let state = StateDirectory::open(state.path()).expect("it can be opened");
            state.of_workspace(root.into())
        };
        let (one, other) = (of("/one"), of("/other"));
        let first: Vec<String> = (0..3).map(|_| kept(&one)).collect();
        let many: Vec<String> = (0..5).map(|_| kept(&other)).collect();
        sweep(&other, 3, 10).expect("nothing prevents it");
        assert!(first.iter().all(|edit_id| is_kept(&other, edit_id)));
        let left = many.iter().filter(|edit_id| is_kept(&one, edit_id));
        assert_eq!(left.count(), 3);
        let expired = |edit_id: &String| ended::find(&one, edit_id).expect("it can be read");
        assert!(first.iter().all(|edit_id| expired(edit_id).is_none()));
        let why: Vec<Why> = many.iter().filter_map(expired).map(|one| one.why).collect();
        assert_eq!(why, [Why::Number, Why::Number]);

        // Any workspace changes the record where it is.
        let found = find(&other, &first[0]).expect("it is there");
        keep(&other, &found).expect("it can be kept");
        assert!(forget(&other, &first[0]).expect("it can go"));
        assert!(!is_kept(&one, &first[0]));

        assert_eq!(forget_all(&one).expect("nothing prevents it"), 2);
        let why: Vec<Option<Why>> = first
            .iter()
            .map(|id| expired(id).map(|one| one.why))
            .collect();
        assert_eq!(why, [None, Some(Why::Forgotten), Some(Why::Forgotten)]);
        let (all, _) = all(&one).expect("they can be listed");
        assert_eq!(all.len(), 3, "those of the other workspace are left");
    }

    #[test]
    fn it_is_swept_once_a_minute() {
        let (_folder, state) = StateDirectory::temporary();
        let first = kept(&state);
        age(&state, &first, 8);
        let budget = GcBudget::default();
        sweep_now_and_then(&state, &budget).expect("nothing prevents it");
        assert!(!is_kept(&state, &first));
        let second = kept(&state);
        age(&state, &second, 8);
        sweep_now_and_then(&state, &budget).expect("nothing prevents it");
        assert!(is_kept(&state, &second), "it was swept a moment ago");
        (0..GC_RECORDS).for_each(|_| budget.add(0));
        sweep_now_and_then(&state, &budget).expect("nothing prevents it");
        assert!(!is_kept(&state, &second), "the budget is exceeded");
        let third = kept(&state);
        age(&state, &third, 8);
        budget.add(GC_BYTES - 1);
        sweep_now_and_then(&state, &budget).expect("nothing prevents it");
        assert!(is_kept(&state, &third));
        budget.add(1);
        sweep_now_and_then(&state, &budget).expect("nothing prevents it");
        assert!(!is_kept(&state, &third));
    }

    #[test]
    fn an_id_has_an_e_and_twelve_digits() {
        assert!(is_id(&new_id()) && is_id("e0123456789ab"));
        for text in [
            "",
            "e",
            "e0123456789a",
            "f0123456789ab",
            "e0123456789aB",
            "../../../../x",
        ] {
            assert!(!is_id(text), "{text}");
        }
        assert!(is_start_of_id("e0") && is_start_of_id("e0123456789ab"));
        for text in ["", "e", "0", "f00", "eg", "e0123456789abc", "../x"] {
            assert!(!is_start_of_id(text), "{text}");
        }
    }

    #[test]
    fn an_edit_is_found_under_the_name_that_its_status_gives_it() {
        let (_folder, state) = StateDirectory::temporary();
        let edit_id = kept(&state);
        let refused = find(&state, &edit_id).expect("it is there");
        let file = serde_json::json!({
            "file_path": "a.rs",
            "replacements": [],
            "digest_before": Digest::from_bytes(b"a").to_string(),
            "digest_after": Digest::from_bytes(b"b").to_string(),
            "targets": [],
            "diff": "",
            "shares": [],
        });
        let staged_of = |status| {
            let staged = refused.clone();
            EditRecord {
                files: vec![serde_json::from_value(file.clone()).expect("it is a record")],
                paths: vec!["/a.rs".to_string()],
                ..staged.with(status)
            }
        };
        let status = || find(&state, &edit_id).map(|staged| staged.status).ok();
        let listed = || {
            let (found, unreadable) = all(&state).expect("they can be listed");
            assert!(unreadable.is_empty(), "{unreadable:?}");
            found.iter().map(|one| one.status).collect::<Vec<_>>()
        };
        keep(&state, &staged_of(EditStatus::Previewed)).expect("it can be kept");
        for (now, then) in [
            (EditStatus::Previewed, EditStatus::Applied),
            (EditStatus::Applied, EditStatus::Undone),
            (EditStatus::Undone, EditStatus::Applied),
        ] {
            assert_eq!((status(), listed()), (Some(now), vec![now]));
            mark(&state, &edit_id, then).expect("it can be marked");
            mark(&state, &edit_id, then).expect("and again");
        }
        assert!(forget(&state, &edit_id).expect("it can go"));
        assert!(!forget(&state, &edit_id).expect("it has gone"));
        mark(&state, &edit_id, EditStatus::Applied).expect("there is none to mark");
        assert_eq!((status(), listed()), (None, vec![]));
    }
}
