//! Previews waiting for a yes, and refused edits whose content is kept, by id, in the state
//! directory of the user: any process of the user finds them there.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::edit::Replacement;
use crate::preview::PreviewFacts;
use crate::source::Span;
use crate::workspace::{StateDirectory, StateError};

use super::request::EditRequest;
use super::response::EditStatus;

const FOLDER: &str = "edits";
/// The form of the records; another is not read.
const VERSION: u32 = 2;
/// How long an edit waits.
const KEPT: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// What is kept of one edit.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Staged {
    version: u32,
    pub(super) edit_id: String,
    pub(super) status: EditStatus,
    /// Seconds since 1970.
    pub(super) created: u64,
    /// The file, absolute.
    pub(super) path: String,
    /// The tool it was made with, and its arguments.
    pub(super) request: EditRequest,
    /// What it does or why it was refused, in a line.
    pub(super) summary: String,
    pub(super) notes: Vec<String>,
    /// What was shown; nothing of a refused edit.
    pub(super) preview: Option<KeptPreview>,
}

/// What is kept of a preview, as it stands in the file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct KeptPreview {
    file_path: String,
    /// Start, end, and what comes between them instead.
    replacements: Vec<(usize, usize, String)>,
    digest_before: String,
    digest_after: String,
    node_type: String,
    span: (usize, usize),
    new_span: (usize, usize),
    pub(super) diff: String,
}

/// Why a record could not be had.
#[derive(Debug)]
pub(super) enum NoRecord {
    /// There is none under the id.
    Missing,
    /// It is there, but it is none that this version reads.
    Unreadable,
    /// The state directory failed.
    State(StateError),
}

impl From<StateError> for NoRecord {
    fn from(error: StateError) -> NoRecord {
        NoRecord::State(error)
    }
}

impl Staged {
    /// A record with a new id.
    pub(super) fn new(
        path: &str,
        request: EditRequest,
        preview: Option<&PreviewFacts>,
        summary: String,
        notes: Vec<String>,
    ) -> Staged {
        Staged {
            version: VERSION,
            edit_id: new_id(),
            status: match preview {
                Some(_) => EditStatus::Previewed,
                None => EditStatus::Refused,
            },
            created: seconds(SystemTime::now()),
            path: path.to_string(),
            request,
            summary,
            notes,
            preview: preview.map(KeptPreview::of),
        }
    }
}

impl KeptPreview {
    fn of(facts: &PreviewFacts) -> KeptPreview {
        let replacements = facts.replacements.iter();
        KeptPreview {
            file_path: facts.file_path.clone(),
            replacements: replacements
                .map(|one| (one.span.start(), one.span.end(), one.new_text.clone()))
                .collect(),
            digest_before: facts.digest_before.to_string(),
            digest_after: facts.digest_after.to_string(),
            node_type: facts.node_type.clone(),
            span: (facts.span.start(), facts.span.end()),
            new_span: (facts.new_span.start(), facts.new_span.end()),
            diff: facts.diff.clone(),
        }
    }

    /// The facts again; nothing when the record is damaged.
    pub(super) fn facts(&self) -> Option<PreviewFacts> {
        let span = |(start, end): (usize, usize)| (start <= end).then(|| Span::new(start, end));
        let replacements = self.replacements.iter().map(|(start, end, new_text)| {
            Some(Replacement {
                span: span((*start, *end))?,
                new_text: new_text.clone(),
            })
        });
        Some(PreviewFacts {
            file_path: self.file_path.clone(),
            replacements: replacements.collect::<Option<Vec<_>>>()?,
            digest_before: self.digest_before.parse().ok()?,
            digest_after: self.digest_after.parse().ok()?,
            node_type: self.node_type.clone(),
            span: span(self.span)?,
            new_span: span(self.new_span)?,
            diff: self.diff.clone(),
        })
    }
}

/// Keeps a record.
pub(super) fn keep(state: &StateDirectory, staged: &Staged) -> Result<(), StateError> {
    let bytes = serde_json::to_vec(staged).expect("a record is made of strings and numbers");
    state.write(FOLDER, &file_name(&staged.edit_id), &bytes)
}

/// The record with this id.
pub(super) fn find(state: &StateDirectory, edit_id: &str) -> Result<Staged, NoRecord> {
    if !is_id(edit_id) {
        return Err(NoRecord::Missing);
    }
    let bytes = state
        .read(FOLDER, &file_name(edit_id))?
        .ok_or(NoRecord::Missing)?;
    match serde_json::from_slice::<Staged>(&bytes) {
        Ok(staged) if staged.version == VERSION && staged.edit_id == edit_id => Ok(staged),
        _ => Err(NoRecord::Unreadable),
    }
}

/// Forgets the record with this id; tells whether there was one.
pub(super) fn forget(state: &StateDirectory, edit_id: &str) -> Result<bool, StateError> {
    match is_id(edit_id) {
        true => state.remove(FOLDER, &file_name(edit_id)),
        false => Ok(false),
    }
}

/// All records, newest first, and the names of those that cannot be read. Those that waited too
/// long are forgotten.
pub(super) fn all(state: &StateDirectory) -> Result<(Vec<Staged>, Vec<String>), StateError> {
    let mut found = Vec::new();
    let mut unreadable = Vec::new();
    for (name, written) in state.list(FOLDER)? {
        let Some(edit_id) = name.strip_suffix(".json") else {
            continue;
        };
        if written.elapsed().is_ok_and(|age| age > KEPT) {
            state.remove(FOLDER, &name)?;
            continue;
        }
        match find(state, edit_id) {
            Ok(staged) => found.push(staged),
            Err(NoRecord::Missing) => {}
            Err(NoRecord::Unreadable) => unreadable.push(name),
            Err(NoRecord::State(error)) => return Err(error),
        }
    }
    found.sort_by(|a, b| {
        b.created
            .cmp(&a.created)
            .then_with(|| a.edit_id.cmp(&b.edit_id))
    });
    Ok((found, unreadable))
}

/// Twelve hexadecimal digits behind an `e`, drawn at random: ids of different processes never meet.
fn new_id() -> String {
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

fn file_name(edit_id: &str) -> String {
    format!("{edit_id}.json")
}

fn seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs())
}
