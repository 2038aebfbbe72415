//! Edits by id, in the state directory of the user, where any process of the user finds them:
//! previews waiting for a yes, refused edits whose content is kept, and applied ones that can be
//! undone.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::apply::history::{self, KEPT, TEXTS_LIMIT};
use crate::apply::journal;
use crate::apply::record::{self, NoRecord};
use crate::preview::PreviewRecord;
use crate::source::Digest;
use crate::workspace::{
    Durable, HeldFile, Kept, SET_ASIDE, StateDirectory, StateError, sweep_locks,
};

use super::draft::{Drawn, Share};
use super::questions::request::{CodeActions, Format, RenameSymbol};
use super::request::EditRequest;
use super::response::EditStatus;

const FOLDER: &str = "edits";
/// The form of the records; another is not read.
const VERSION: u32 = 5;
/// How many records there may be; beyond it the oldest go.
const RECORDS_LIMIT: usize = 5_000;
/// How often it is looked whether something is too old or too much; and sooner, once a process has kept so
/// many records, or so many bytes of texts.
const SWEPT_EVERY: Duration = Duration::from_secs(60);
const RECORDS_UNSWEPT: usize = RECORDS_LIMIT / 8;
const BYTES_UNSWEPT: u64 = TEXTS_LIMIT / 8;

/// What the file of a record is called, which says more than the record does.
#[derive(Clone, Copy)]
enum Name {
    /// As its id, while the edit waits or is refused.
    Waiting,
    /// Once it is applied.
    Applied,
}

/// What a process has kept since it last looked whether that is too much.
#[derive(Debug, Default)]
pub(super) struct Unswept {
    records: AtomicUsize,
    bytes: AtomicU64,
}

/// What is kept of one edit.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Staged {
    version: u32,
    pub(super) edit_id: String,
    pub(super) status: EditStatus,
    /// Seconds since 1970.
    pub(super) created: u64,
    /// The files, absolute, in the order of the previews.
    pub(super) paths: Vec<String>,
    /// What it was made with; its paths are absolute.
    pub(super) request: Request,
    /// What it does or why it was refused, in a line.
    pub(super) summary: String,
    pub(super) notes: Vec<String>,
    /// What was shown of each file; nothing of a refused edit.
    pub(super) files: Vec<KeptFile>,
}

/// What made an edit, so that it can be made again.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Request {
    /// A tool that edits nodes or texts.
    Edits(Box<EditRequest>),
    /// A language server, which was asked to give a symbol another name.
    Rename(Box<RenameSymbol>),
    /// A language server, which was asked to lay out a file.
    Format(Box<Format>),
    /// A language server, which was asked to do what it proposes at a place.
    Action(Box<CodeActions>),
}

impl From<EditRequest> for Request {
    fn from(request: EditRequest) -> Request {
        Request::Edits(Box::new(request))
    }
}

impl Request {
    /// The tool.
    pub(super) fn tool(&self) -> &'static str {
        match self {
            Request::Edits(request) => request.tool(),
            Request::Rename(_) => "rename_symbol",
            Request::Format(_) => "format",
            Request::Action(_) => "code_actions",
        }
    }

    /// Whether the tool makes one edit, which has no number then.
    pub(super) fn is_alone(&self) -> bool {
        match self {
            Request::Edits(request) => request.is_alone(),
            Request::Rename(_) | Request::Format(_) | Request::Action(_) => true,
        }
    }

    /// The edits, where it is said what they are and not left to a server.
    pub(super) fn edits(&self) -> Option<&EditRequest> {
        match self {
            Request::Edits(request) => Some(request),
            Request::Rename(_) | Request::Format(_) | Request::Action(_) => None,
        }
    }
}

/// What is kept of the preview of one file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct KeptFile {
    #[serde(flatten, with = "PreviewRecord")]
    pub(super) record: PreviewRecord,
    /// What the targets are to the request.
    pub(super) shares: Vec<Share>,
}

impl Staged {
    /// A record with a new id.
    pub(super) fn new(
        paths: Vec<String>,
        request: impl Into<Request>,
        status: EditStatus,
        summary: String,
        notes: Vec<String>,
    ) -> Staged {
        Staged {
            version: VERSION,
            edit_id: new_id(),
            status,
            created: seconds(SystemTime::now()),
            paths,
            request: request.into(),
            summary,
            notes,
            files: Vec::new(),
        }
    }

    /// The same record under an id that is given, where one is.
    pub(super) fn called(self, edit_id: Option<&str>) -> Staged {
        let edit_id = edit_id.map_or(self.edit_id, str::to_string);
        Staged { edit_id, ..self }
    }

    /// The same record with another status.
    pub(super) fn with(self, status: EditStatus) -> Staged {
        Staged { status, ..self }
    }

    /// What the targets of each file are to the request.
    pub(super) fn shares(&self) -> Vec<Vec<Share>> {
        self.files.iter().map(|file| file.shares.clone()).collect()
    }

    /// The same record with another preview.
    pub(super) fn showing(self, drawn: &Drawn) -> Staged {
        let files = drawn.preview.files().iter().zip(&drawn.shares);
        Staged {
            files: files
                .map(|(file, shares)| KeptFile {
                    record: file.record().clone(),
                    shares: shares.clone(),
                })
                .collect(),
            ..self
        }
    }
}

/// Keeps a record, new or changed.
pub(super) fn keep(state: &StateDirectory, staged: &Staged) -> Result<(), StateError> {
    let name = Name::of(staged.status).file(&staged.edit_id);
    record::keep(state, FOLDER, &name, staged, Durable::AfterACrash)
}

/// The record with this id.
pub(super) fn find(state: &StateDirectory, edit_id: &str) -> Result<Staged, NoRecord> {
    find_held(state, edit_id).map(|(staged, _)| staged)
}

/// As [`find`], with the file that it was read from, which has another name once the edit has another status.
pub(super) fn find_held(
    state: &StateDirectory,
    edit_id: &str,
) -> Result<(Staged, HeldFile), NoRecord> {
    if !is_id(edit_id) {
        return Err(NoRecord::Missing);
    }
    // Another process may give it the other name between two looks.
    for name in [Name::Waiting, Name::Applied] {
        match find_as(state, edit_id, name) {
            Err(NoRecord::Missing) => {}
            found => return found,
        }
    }
    find_as(state, edit_id, Name::Waiting)
}

fn find_as(
    state: &StateDirectory,
    edit_id: &str,
    name: Name,
) -> Result<(Staged, HeldFile), NoRecord> {
    let found = record::find_held(state, FOLDER, &name.file(edit_id), VERSION)?;
    let (staged, file): (Staged, HeldFile) = found;
    let is_whole = staged.edit_id == edit_id
        && staged.paths.iter().collect::<HashSet<_>>().len() == staged.paths.len()
        && (staged.files.is_empty() || staged.files.len() == staged.paths.len())
        && (staged.status == EditStatus::Refused) == staged.files.is_empty();
    match (is_whole, name, staged.status) {
        (true, Name::Waiting, _) | (true, Name::Applied, EditStatus::Applied) => Ok((staged, file)),
        (true, Name::Applied, EditStatus::Previewed) => {
            Ok((staged.with(EditStatus::Applied), file))
        }
        _ => Err(NoRecord::Damaged),
    }
}

/// Records that an edit is applied, or waits again. Only its name says so: to exchange a file for another
/// one makes the system write that at once, which costs as much as half of a whole edit.
pub(super) fn note_status(state: &StateDirectory, staged: &Staged) -> Result<(), StateError> {
    let to = Name::of(staged.status);
    let from = match to {
        Name::Applied => Name::Waiting,
        Name::Waiting => Name::Applied,
    };
    let edit_id = &staged.edit_id;
    match state.rename(FOLDER, &from.file(edit_id), &to.file(edit_id))? {
        true => Ok(()),
        false => keep(state, staged),
    }
}

/// Gives the record with this id another status, if it is there.
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

/// Forgets the record with this id; tells whether there was one.
pub(super) fn forget(state: &StateDirectory, edit_id: &str) -> Result<bool, StateError> {
    let remove = |name: Name| state.remove(FOLDER, &name.file(edit_id));
    match is_id(edit_id) {
        true => Ok(remove(Name::Waiting)? | remove(Name::Applied)?),
        false => Ok(false),
    }
}

/// Puts the record with this id where only people look; tells where that is.
pub(super) fn set_aside(state: &StateDirectory, edit_id: &str) -> Result<String, StateError> {
    let is_there = |name: &str| Ok(state.look(FOLDER, name)?.is_some());
    let waiting = Name::Waiting.file(edit_id);
    let name = match is_there(&waiting)? {
        true => waiting,
        false => Name::Applied.file(edit_id),
    };
    state.set_aside(FOLDER, &name)?;
    Ok(format!("{}/{SET_ASIDE}/{FOLDER}-{name}", state.path()))
}

/// All records, newest first, and what there is to say of those that cannot be read: one that is
/// damaged is set aside, one of a newer version left.
pub(super) fn all(state: &StateDirectory) -> Result<(Vec<Staged>, Vec<String>), StateError> {
    let mut found = Vec::new();
    let mut unreadable = Vec::new();
    let mut seen = HashSet::new();
    for kept in state.list(FOLDER)? {
        let Some(edit_id) = Name::id_in(&kept.name) else {
            continue;
        };
        // One that is given its other name meanwhile may be listed twice.
        if !seen.insert(edit_id.to_string()) {
            continue;
        }
        if kept.is_older(KEPT) {
            state.remove(FOLDER, &kept.name)?;
            continue;
        }
        match find(state, edit_id) {
            Ok(staged) => found.push((staged, kept.written)),
            Err(NoRecord::Missing) => {}
            Err(NoRecord::Newer) => {
                unreadable.push(format!(
                    "the record of edit {edit_id} is of a newer version and left as it is"
                ));
            }
            Err(NoRecord::Damaged) => {
                let place = set_aside(state, edit_id)?;
                unreadable.push(format!(
                    "the record of edit {edit_id} cannot be read and was set aside as {place}"
                ));
            }
            Err(NoRecord::State(error)) => return Err(error),
        }
    }
    // A record counts seconds; of those of one second, the one that was written last is the newest.
    found.sort_by(|(a, a_written), (b, b_written)| {
        let newer = (b.created, b_written).cmp(&(a.created, a_written));
        newer.then_with(|| a.edit_id.cmp(&b.edit_id))
    });
    let found = found.into_iter().map(|(staged, _)| staged).collect();
    Ok((found, unreadable))
}

impl Unswept {
    /// Counts a record that was kept, with so many bytes of texts.
    pub(super) fn add(&self, bytes: u64) {
        self.records.fetch_add(1, Ordering::Relaxed);
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Whether there is so much that it is to be swept; it is counted from nothing then.
    fn is_much(&self) -> bool {
        let is_much = self.records.load(Ordering::Relaxed) >= RECORDS_UNSWEPT
            || self.bytes.load(Ordering::Relaxed) >= BYTES_UNSWEPT;
        if is_much {
            self.records.store(0, Ordering::Relaxed);
            self.bytes.store(0, Ordering::Relaxed);
        }
        is_much
    }
}

/// Forgets what is too old or too much, if nobody has looked for a minute or this process has kept much.
pub(super) fn sweep_now_and_then(
    state: &StateDirectory,
    unswept: &Unswept,
) -> Result<(), StateError> {
    const MARK: (&str, &str) = ("swept", "last");

    let is_recent = |kept: Kept| !kept.is_older(SWEPT_EVERY);
    if !unswept.is_much() && state.look(MARK.0, MARK.1)?.is_some_and(is_recent) {
        return Ok(());
    }
    state.write_parts(MARK.0, MARK.1, [], Durable::AfterACrash)?;
    sweep(state, RECORDS_LIMIT, TEXTS_LIMIT)
}

fn sweep(state: &StateDirectory, records: usize, texts: u64) -> Result<(), StateError> {
    let mut kept = state.list(FOLDER)?;
    kept.sort_by_key(|one| one.written);
    let too_many = kept.len().saturating_sub(records);
    for (index, one) in kept.iter().enumerate() {
        if index < too_many || one.is_older(KEPT) {
            state.remove(FOLDER, &one.name)?;
        }
    }
    for one in state.list(SET_ASIDE)? {
        if one.is_older(KEPT) {
            state.remove(SET_ASIDE, &one.name)?;
        }
    }
    state.sweep()?;
    sweep_locks(state, KEPT)?;
    journal::sweep(state)?;
    history::sweep(state, texts)
}

/// The id of an edit that is made once, whoever is asked again: that of what it is named by.
pub(super) fn id_of(name: &str) -> String {
    let digits = Digest::of(name.as_bytes()).to_string();
    format!("e{}", &digits[..12])
}

/// Twelve hexadecimal digits behind an `e`, drawn at random: ids of different processes never meet.
pub(super) fn new_id() -> String {
    let mut bytes = [0; 6];
    getrandom::fill(&mut bytes).expect("the system has random bytes");
    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("e{digits}")
}

fn is_id(text: &str) -> bool {
    text.len() == 13
        && text.starts_with('e')
        && text[1..]
            .bytes()
            .all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

impl Name {
    fn of(status: EditStatus) -> Name {
        match status {
            EditStatus::Applied | EditStatus::Rebased => Name::Applied,
            EditStatus::Previewed | EditStatus::Refused | EditStatus::Undone => Name::Waiting,
        }
    }

    fn file(self, edit_id: &str) -> String {
        match self {
            Name::Waiting => format!("{edit_id}.json"),
            Name::Applied => format!("{edit_id}.applied.json"),
        }
    }

    /// The id in the name of a file.
    fn id_in(file: &str) -> Option<&str> {
        let name = file.strip_suffix(".json")?;
        let edit_id = name.strip_suffix(".applied").unwrap_or(name);
        is_id(edit_id).then_some(edit_id)
    }
}

fn seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs())
}

#[cfg(test)]
mod tests {
    use super::super::request::{EditNodes, read};
    use super::*;

    fn kept(state: &StateDirectory) -> String {
        let edits = serde_json::json!({"edits": []});
        let request = read::<EditNodes>(edits).expect("it is a request");
        let request = EditRequest::from(&request);
        let summary = "nothing".to_string();
        let staged = Staged::new(
            Vec::new(),
            request,
            EditStatus::Refused,
            summary,
            Vec::new(),
        );
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

    /// Makes a record so many days old.
    fn age(state: &StateDirectory, edit_id: &str, days: u64) {
        let path = state.path().join(FOLDER).join(Name::Waiting.file(edit_id));
        let written = SystemTime::now() - Duration::from_secs(days * 24 * 60 * 60);
        let file = tempfile::NamedTempFile::new_in(state.path()).expect("there is room");
        let bytes = state.read(FOLDER, &Name::Waiting.file(edit_id));
        let bytes = bytes.expect("it can be read").expect("it is there");
        std::io::Write::write_all(&mut file.as_file(), &bytes).expect("it can be written");
        file.as_file().set_modified(written).expect("it is ours");
        file.persist(path).expect("it can be put there");
    }

    #[test]
    fn a_file_has_the_form_that_it_had() {
        let written = [
            r#"{"file_path":"a.rs","replacements":[[11,13,"x\n"]],"digest_before":"DIGEST","#,
            r#""digest_after":"DIGEST","targets":[{"node_type":"block","span":[11,13],"#,
            r#""new_span":[11,15]}],"diff":"--- a/a.rs\n","shares":[{"edit":0,"action":"replace"}]}"#,
        ];
        let digest = Digest::of(b"a").to_string();
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
        sweep(&state, 10, 10).expect("nothing is in its way");
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
        sweep(&state, 3, 10).expect("nothing is in its way");
        let left: Vec<bool> = ids.iter().map(|edit_id| is_kept(&state, edit_id)).collect();
        assert_eq!(left, [false, false, true, true, true]);
    }

    #[test]
    fn it_is_swept_once_a_minute() {
        let (_folder, state) = StateDirectory::temporary();
        let first = kept(&state);
        age(&state, &first, 8);
        let unswept = Unswept::default();
        sweep_now_and_then(&state, &unswept).expect("nothing is in its way");
        assert!(!is_kept(&state, &first));
        let second = kept(&state);
        age(&state, &second, 8);
        sweep_now_and_then(&state, &unswept).expect("nothing is in its way");
        assert!(is_kept(&state, &second), "it was swept a moment ago");
        (0..RECORDS_UNSWEPT).for_each(|_| unswept.add(0));
        sweep_now_and_then(&state, &unswept).expect("nothing is in its way");
        assert!(!is_kept(&state, &second), "much has come since");
        let third = kept(&state);
        age(&state, &third, 8);
        unswept.add(BYTES_UNSWEPT - 1);
        sweep_now_and_then(&state, &unswept).expect("nothing is in its way");
        assert!(is_kept(&state, &third));
        unswept.add(1);
        sweep_now_and_then(&state, &unswept).expect("nothing is in its way");
        assert!(!is_kept(&state, &third));
    }

    #[test]
    fn an_edit_is_found_under_the_name_that_its_status_gives_it() {
        let (_folder, state) = StateDirectory::temporary();
        let edit_id = kept(&state);
        let refused = find(&state, &edit_id).expect("it is there");
        let file = serde_json::json!({
            "file_path": "a.rs",
            "replacements": [],
            "digest_before": Digest::of(b"a").to_string(),
            "digest_after": Digest::of(b"b").to_string(),
            "targets": [],
            "diff": "",
            "shares": [],
        });
        let staged_of = |status| {
            let staged = refused.clone();
            Staged {
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
            (EditStatus::Applied, EditStatus::Previewed),
            (EditStatus::Previewed, EditStatus::Applied),
        ] {
            assert_eq!((status(), listed()), (Some(now), vec![now]));
            mark(&state, &edit_id, then).expect("it can be marked");
            mark(&state, &edit_id, then).expect("and again");
        }
        // One whose name does not say that it is applied, as an older version wrote it.
        let name = Name::Waiting.file(&edit_id);
        assert!(forget(&state, &edit_id).expect("it can go"));
        let applied = staged_of(EditStatus::Applied);
        record::keep(&state, FOLDER, &name, &applied, Durable::AfterACrash)
            .expect("it can be kept");
        assert_eq!(status(), Some(EditStatus::Applied));
        mark(&state, &edit_id, EditStatus::Previewed).expect("it can be marked");
        assert_eq!(
            (status(), listed()),
            (Some(EditStatus::Previewed), vec![EditStatus::Previewed])
        );
        assert!(forget(&state, &edit_id).expect("it can go"));
        assert!(!forget(&state, &edit_id).expect("it has gone"));
        mark(&state, &edit_id, EditStatus::Applied).expect("there is none to mark");
        assert_eq!((status(), listed()), (None, vec![]));
    }
}
