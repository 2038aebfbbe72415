//! Records the outcome of each edit call, one line per call, and computes totals.
//!
//! The ledger is in the user's state directory, for `stats`. It never contains paths, texts or other edited content. It
//! has at most two files of [`LIMIT`] bytes. A failure to record never fails a call.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use camino::Utf8Path;
use serde::{Deserialize, Serialize};

use crate::source::Digest;
use crate::workspace::{StateDirectory, StateError, Workspace};

use super::response::{
    Counted, EditDiscarded, EditMade, EditStatus, RefusedCall, Stats, ToolStats,
};

const FOLDER: &str = "ledger";
const NAMES: (&str, &str) = ("ledger.jsonl", "older.jsonl");
/// The size at which a new file is started, in bytes.
pub(super) const LIMIT: u64 = 4 * 1024 * 1024;

/// The line of one call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct LedgerLine {
    /// The time of the answer, in seconds since 1970.
    at: u64,
    tool: Cow<'static, str>,
    /// The status of the edit, or the code of the refusal.
    outcome: Cow<'static, str>,
    #[serde(default, skip_serializing_if = "is_false")]
    refused: bool,
    /// The language of the first file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    language: Option<Cow<'static, str>>,
    /// The duration of the call, in microseconds.
    micros: u64,
    /// The edit that the call made, as a short hash of its id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    edit: Option<String>,
    /// The edit that the call was about, as a short hash of its id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    of: Option<String>,
}

/// The part of an answer that the ledger records.
pub(super) struct LedgerOutcome<'a> {
    name: &'static str,
    is_refused: bool,
    edit: Option<String>,
    /// The first file.
    file_path: Option<&'a str>,
}

impl<'a> LedgerOutcome<'a> {
    /// Returns the outcome of an edit.
    pub(super) fn of_edit(answered: &'a Result<EditMade, Box<RefusedCall>>) -> LedgerOutcome<'a> {
        match answered {
            Ok(made) => LedgerOutcome::of_made(made),
            Err(refusal) => LedgerOutcome::of_refusal(refusal),
        }
    }

    /// Returns the outcome of an edit that was made.
    pub(super) fn of_made(made: &'a EditMade) -> LedgerOutcome<'a> {
        let name = match made.status {
            EditStatus::Previewed => "previewed",
            EditStatus::Applied => "applied",
            EditStatus::Rebased => "rebased",
            EditStatus::RebaseProposed => "rebase_proposed",
            EditStatus::Refused => "refused",
            EditStatus::Undone => "undone",
            EditStatus::UndoPreviewed => "undo_previewed",
            EditStatus::Unchanged => "unchanged",
            EditStatus::Discarded => "discarded",
        };
        let file = made.files.first();
        LedgerOutcome {
            name,
            is_refused: false,
            edit: Some(short(&made.edit_id)),
            file_path: file.map(|file| file.file_path.as_str()),
        }
    }

    /// Returns the outcome of discarding an edit.
    pub(super) fn of_discard(
        answered: &'a Result<EditDiscarded, Box<RefusedCall>>,
    ) -> LedgerOutcome<'a> {
        match answered {
            Ok(_) => LedgerOutcome {
                name: "discarded",
                is_refused: false,
                edit: None,
                file_path: None,
            },
            Err(refusal) => LedgerOutcome::of_refusal(refusal),
        }
    }

    pub(super) fn of_refusal(refusal: &'a RefusedCall) -> LedgerOutcome<'a> {
        LedgerOutcome {
            name: refusal.code().as_str(),
            is_refused: true,
            edit: refusal.edit_id().map(short),
            file_path: refusal.file_path(),
        }
    }
}

impl LedgerLine {
    /// Returns the line of a call of `tool` that just finished, about the edit with the id `of`.
    pub(super) fn new(
        workspace: &Workspace,
        tool: &'static str,
        of: Option<&str>,
        outcome: LedgerOutcome<'_>,
        took: Duration,
    ) -> LedgerLine {
        let path = outcome.file_path.map(Utf8Path::new);
        let language = path.and_then(|path| workspace.language_of(path));
        LedgerLine {
            at: seconds(SystemTime::now()),
            tool: tool.into(),
            outcome: outcome.name.into(),
            refused: outcome.is_refused,
            language: language.map(|language| language.name.into()),
            micros: u64::try_from(took.as_micros()).unwrap_or(u64::MAX),
            edit: outcome.edit,
            of: of.map(short),
        }
    }
}

/// Appends a line to the ledger.
pub(super) fn append(state: &StateDirectory, line: &LedgerLine) -> Result<(), StateError> {
    append_up_to(state, line, LIMIT)
}

fn append_up_to(state: &StateDirectory, line: &LedgerLine, limit: u64) -> Result<(), StateError> {
    let mut text = serde_json::to_string(line).expect("a line has string keys");
    text.push('\n');
    state.append(FOLDER, NAMES, limit, text.as_bytes())
}

/// Returns the calls since `since`, in order, and the number of unreadable lines.
fn read(state: &StateDirectory, since: u64) -> Result<(Vec<LedgerLine>, usize), StateError> {
    let (mut lines, mut broken) = (Vec::new(), 0);
    for name in [NAMES.1, NAMES.0] {
        let bytes = state.read(FOLDER, name)?.unwrap_or_default();
        for line in bytes.split(|byte| *byte == b'\n') {
            match serde_json::from_slice::<LedgerLine>(line) {
                Ok(line) if line.at >= since => lines.push(line),
                Ok(_) => {}
                Err(_) if line.is_empty() => {}
                Err(_) => broken += 1,
            }
        }
    }
    Ok((lines, broken))
}

/// Returns the totals of the calls in the last `since`, or of all calls.
pub(super) fn stats(state: &StateDirectory, since: Option<Duration>) -> Result<Stats, StateError> {
    let since = since.map(|since| seconds(SystemTime::now()).saturating_sub(since.as_secs()));
    let (lines, broken_lines) = read(state, since.unwrap_or(0))?;
    let mut tools: BTreeMap<&str, Vec<&LedgerLine>> = BTreeMap::new();
    for line in &lines {
        tools.entry(&line.tool).or_default().push(line);
    }
    let (refused, recovered) = recoveries(&lines);
    Ok(Stats {
        since,
        calls: lines.len(),
        tools: tools
            .into_iter()
            .map(|(tool, lines)| tool_stats(tool, &lines))
            .collect(),
        languages: counted(lines.iter().filter_map(|line| line.language.as_deref())),
        refusals: counted(
            lines
                .iter()
                .filter(|line| line.refused)
                .map(|line| &*line.outcome),
        ),
        refused_edits: refused,
        recovered_within: recovered,
        broken_lines,
    })
}

fn tool_stats(tool: &str, lines: &[&LedgerLine]) -> ToolStats {
    let mut micros: Vec<u64> = lines.iter().map(|line| line.micros).collect();
    micros.sort_unstable();
    let at = |percent: usize| micros[(micros.len() - 1) * percent / 100];
    ToolStats {
        tool: tool.to_string(),
        calls: lines.len(),
        outcomes: counted(lines.iter().map(|line| &*line.outcome)),
        median_micros: at(50),
        ninetieth_micros: at(90),
    }
}

/// Returns the number of occurrences of each name, the most frequent first.
fn counted<'a>(names: impl Iterator<Item = &'a str>) -> Vec<Counted> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for name in names {
        *counts.entry(name).or_default() += 1;
    }
    let counts = counts.into_iter().map(|(name, count)| Counted {
        name: name.to_string(),
        count,
    });
    let mut counts: Vec<Counted> = counts.collect();
    counts.sort_by_key(|one| std::cmp::Reverse(one.count));
    counts
}

/// Returns the number of refused edits, and the number of those that were previewed after one further call, after two,
/// and so on. A refused retry counts as a call for the edit that it retries.
fn recoveries(lines: &[LedgerLine]) -> (usize, Vec<usize>) {
    /// A refused edit with all edits that were derived from it.
    #[derive(Default)]
    struct Chain {
        calls: usize,
        is_recovered: bool,
    }
    let mut chains: Vec<Chain> = Vec::new();
    let mut chain_of: HashMap<&str, usize> = HashMap::new();
    let mut recovered = Vec::new();
    for line in lines {
        let known = line.of.as_deref().and_then(|of| chain_of.get(of).copied());
        if let Some(known) = known
            && !chains[known].is_recovered
        {
            chains[known].calls += 1;
            if !line.refused && line.edit.is_some() {
                chains[known].is_recovered = true;
                let calls = chains[known].calls;
                recovered.resize(recovered.len().max(calls), 0);
                recovered[calls - 1] += 1;
            }
        }
        if line.refused
            && let Some(edit) = &line.edit
        {
            let chain = known.unwrap_or_else(|| {
                chains.push(Chain::default());
                chains.len() - 1
            });
            chain_of.entry(edit).or_insert(chain);
        }
    }
    (chains.len(), recovered)
}

/// Returns a prefix of a hash that is long enough to distinguish the edits of one user. The id cannot be computed from
/// it.
fn short(edit_id: &str) -> String {
    let mut digest = Digest::from_bytes(edit_id.as_bytes()).to_string();
    digest.truncate(12);
    digest
}

fn seconds(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}

fn is_false(flag: &bool) -> bool {
    !flag
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(outcome: &str, refused: bool, edit: &str, of: &str) -> LedgerLine {
        let id = |id: &str| (!id.is_empty()).then(|| id.to_string());
        LedgerLine {
            at: 1,
            tool: "amend_edit".into(),
            outcome: outcome.to_string().into(),
            refused,
            language: None,
            micros: 10,
            edit: id(edit),
            of: id(of),
        }
    }

    #[test]
    fn a_refused_edit_is_followed_to_its_preview() {
        let refused = |edit, of| line("anchor_not_found", true, edit, of);
        let made = |edit, of| line("previewed", false, edit, of);
        let lines = [
            refused("a", ""),
            refused("b", ""),
            made("x", "a"),
            refused("c", "b"),
            made("y", "x"),
            refused("", "b"),
            made("z", "c"),
            made("again", "a"),
            refused("open", ""),
            line("discarded", false, "", "open"),
        ];
        assert_eq!(recoveries(&lines), (3, vec![1, 0, 1]));
        assert_eq!(recoveries(&[]), (0, vec![]));
    }

    #[test]
    fn the_ledger_is_bounded_and_broken_lines_are_passed_over() {
        let (_folder, state) = StateDirectory::temporary();
        let one = line("previewed", false, "a", "");
        let bytes = serde_json::to_string(&one).expect("it is JSON").len() as u64 + 1;
        for _ in 0..30 {
            append_up_to(&state, &one, bytes * 9).expect("it can be written");
        }
        let kept = state.list(FOLDER).expect("it can be listed");
        assert!(kept.iter().all(|file| file.bytes <= bytes * 10), "{kept:?}");
        let (lines, broken) = read(&state, 0).expect("it can be read");
        assert_eq!((lines.len(), broken), (20, 0));
        state
            .append(FOLDER, NAMES, LIMIT, b"{\"at\":\n\n\xff\n")
            .expect("it can be written");
        append(&state, &one).expect("it can be written");
        let (lines, broken) = read(&state, 0).expect("it can be read");
        assert_eq!((lines.len(), broken), (21, 2));
        assert_eq!(read(&state, 2).expect("it can be read").0, []);
    }

    #[test]
    fn lines_of_several_writers_do_not_mix() {
        const WRITERS: usize = 8;
        const LINES: usize = 50;
        let (folder, state) = StateDirectory::temporary();
        drop(state);
        let path = camino::Utf8Path::from_path(folder.path()).expect("its path is UTF-8");
        let path = path.join("state");
        std::thread::scope(|scope| {
            for _ in 0..WRITERS {
                scope.spawn(|| {
                    let state = StateDirectory::open(&path).expect("it is there");
                    for _ in 0..LINES {
                        let one = line("previewed", false, "a", "b");
                        append(&state, &one).expect("it can be written");
                    }
                });
            }
        });
        let state = StateDirectory::open(&path).expect("it is there");
        let (lines, broken) = read(&state, 0).expect("it can be read");
        assert_eq!((lines.len(), broken), (WRITERS * LINES, 0));
    }

    #[test]
    fn times_are_of_the_middle_and_near_the_end() {
        let with = |micros| LedgerLine {
            micros,
            ..line("previewed", false, "", "")
        };
        let lines: Vec<LedgerLine> = (1..=101).rev().map(with).collect();
        let stats = tool_stats("t", &lines.iter().collect::<Vec<_>>());
        assert_eq!((stats.median_micros, stats.ninetieth_micros), (51, 91));
        let one = tool_stats("t", &[&with(7)]);
        assert_eq!((one.median_micros, one.ninetieth_micros), (7, 7));
    }
}
