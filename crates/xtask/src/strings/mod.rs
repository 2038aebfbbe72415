//! Makes exact string replacements as agents' own edit tools make them, right ones and broken ones, and counts what the
//! hook makes of them.
//!
//! The hunks of a repository's history are calls of whole lines with up to two lines of context on each side. Each is
//! broken in each way of [`slips`]. A broken call is *repaired* to the bytes that it means; *stopped, right text shown*:
//! the refusal shows the place or the right call; *stopped*; *passed* without a word; or *wrong*: corrected to other bytes.
//! Calls that make the change anyway are not counted. Also the hunks of whole commits are made in turn, as exact calls:
//! they *pass*, *pass with a note*, are *denied once* since they add a syntax error, or are *taken for another call*.

pub(crate) mod slips;
#[cfg(test)]
mod tests;

use serde_json::{Value, json};
use treegraft::diagnostic::string_edit_notes;
use treegraft::parse::Parsed;
use treegraft::source::Span;
use treegraft::string_edit::{self, Outcome, StringEdit};

use crate::change::parse;
use crate::git::name_of;
use crate::history::{Commit, History, Hunk, Revision};
use crate::random::Random;
use crate::table::{Measured, Output, Table};
use crate::text::{diff, replaced, unique_lines};

use slips::SLIPS;

/// Examples of the command.
const EXAMPLES: &str = "Examples:
  cargo xtask strings ../click ../gson
      Print the tables for two repositories
  cargo xtask strings ../click --show 2
      Print the first two calls of each kind that are not repaired too";

/// What to measure.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    /// Git repositories, bare or with a work tree
    #[arg(required = true, value_name = "REPOSITORY")]
    pub(crate) repositories: Vec<String>,
    /// Number of hunks of each repository that are broken in each way
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub(crate) hunks: usize,
    /// Number of commits with several hunks that are made in turn, from each repository
    #[arg(long, value_name = "N", default_value_t = 150)]
    pub(crate) commits: usize,
    #[command(flatten)]
    pub(crate) output: Output,
}

pub(crate) const TABLES: &[Table] = &[
    Table::new(
        "broken call",
        &["mistake"],
        &["bytes not sent again", "bytes not read again"],
    ),
    Table::new("right call", &["repository"], &[]),
];

/// Measures the repositories; `say` receives the progress.
///
/// # Errors
/// Returns an error if git fails for one of them.
pub(crate) fn strings(options: &Options, say: impl Fn(String)) -> Result<Measured, String> {
    let mut records = Vec::new();
    for path in &options.repositories {
        let history = History::read(path)?;
        let name = name_of(path);
        history.each_revision(options.hunks, |revision| {
            for hunk in &revision.hunks {
                if has_plain_lines(&revision, hunk) {
                    records.extend(broken(&name, &revision, hunk));
                }
            }
        })?;
        say(format!("{name}: hunks are broken"));
        history.each_commit(options.commits, |commit| {
            let has_several = commit.files.iter().any(|file| file.hunks.len() > 1);
            if has_several {
                records.extend(in_turn(&name, &commit));
            }
            Ok(has_several)
        })?;
        say(format!("{name}: commits are made in turn"));
    }
    Ok(Measured::new(records, TABLES))
}

/// Returns whether all line breaks are `\n`, as the tools read a file.
fn has_plain_lines(revision: &Revision, hunk: &Hunk) -> bool {
    !revision.before.contains('\r') && !hunk.new.contains('\r')
}

fn outcome<'p>(parsed: &'p Parsed, edit: &StringEdit) -> Outcome<'p> {
    string_edit::outcome(parsed, std::slice::from_ref(edit))
}

/// Breaks the call of one hunk in each way, and returns what the hook makes of the calls.
fn broken(repository: &str, revision: &Revision, hunk: &Hunk) -> Vec<Value> {
    let Revision { path, before, .. } = revision;
    let wanted = hunk.made(before);
    let parsed = parse(path, before);
    let place = hunk.old.start.to_string();
    let mut records = Vec::new();
    for (mistake, slip) in SLIPS {
        let mut random = Random::from_seed(&[repository, path, &revision.commit, &place, mistake]);
        let own = call(before, &wanted, hunk, &mut random);
        // The commit itself may break what treegraft can parse.
        let Some(own) = own.filter(|own| matches!(outcome(&parsed, own), Outcome::Sound(_))) else {
            continue;
        };
        let broken = slip(before, &own, &mut random).filter(|broken| *broken != own);
        let Some((broken, (outcome, after))) =
            broken.and_then(|broken| answer(&parsed, &broken, &wanted, hunk).map(|a| (broken, a)))
        else {
            continue;
        };
        let mut record = json!({"kind": "broken call", "repository": repository,
            "mistake": mistake, "outcome": outcome});
        if outcome == "repaired" {
            record["bytes not sent again"] = json!(own.old.len() + own.new.len());
            record["bytes not read again"] = json!(before.len());
        } else {
            record["example"] = json!(format!(
                "{repository} {path} {}\nmeant {own:?}\nsent  {broken:?}\n{}",
                revision.commit,
                after.map_or(String::new(), |after| diff(&wanted, &after))
            ));
        }
        records.push(record);
    }
    records
}

/// Returns the call of a hunk as an agent writes it: whole lines, with up to two lines of context on each side, and more if
/// they are not unique.
fn call(before: &str, wanted: &str, hunk: &Hunk, random: &mut Random) -> Option<StringEdit> {
    let mut old = unique_lines(before, wanted, hunk)?;
    for _ in 0..random.below(3) {
        let start = before[..old.start].trim_end_matches('\n').rfind('\n');
        old.start = start.map_or(0, |newline| newline + 1);
    }
    for _ in 0..random.below(3) {
        let rest = &before[old.end..];
        let bare = rest.trim_start_matches('\n');
        let skipped = rest.len() - bare.len();
        if let Some(newline) = bare.find('\n') {
            old.end += skipped + newline;
        }
    }
    let new = replaced(before, wanted, old.clone());
    Some(StringEdit::new(&before[old], new))
}

/// Returns what the hook makes of a broken call, with the text after a wrong one; nothing if the call makes the change.
fn answer(
    parsed: &Parsed,
    broken: &StringEdit,
    wanted: &str,
    hunk: &Hunk,
) -> Option<(&'static str, Option<String>)> {
    let before = parsed.source().text();
    let is_right = |edit: &StringEdit| edit.applied(before) == wanted;
    let stopped = |is_shown: bool| match is_shown {
        true => "stopped, right text shown",
        false => "stopped",
    };
    let answer = match outcome(parsed, broken) {
        Outcome::Sound(_) if is_right(broken) => return None,
        Outcome::Sound(_) => "passed",
        Outcome::Corrected { edits, .. } => {
            let apply = |text: String, edit: &StringEdit| edit.applied(&text);
            let after = edits.iter().fold(before.to_string(), apply);
            match after == wanted {
                true => "repaired",
                false => return Some(("wrong", Some(after))),
            }
        }
        Outcome::Several(_, several) => {
            let mut unique = several.places.iter().filter_map(|one| one.unique.as_ref());
            stopped(unique.any(is_right))
        }
        Outcome::Missing(_) => {
            let near = string_edit::similar(parsed, &broken.old).spans;
            let is_there =
                |near: &Span| near.start() <= hunk.old.end && hunk.old.start <= near.end();
            match near.is_empty() {
                true => "passed",
                false => stopped(near.iter().any(is_there)),
            }
        }
        _ => "stopped",
    };
    Some((answer, None))
}

/// Makes all hunks of each file of a commit, one after another, as exact calls.
fn in_turn(repository: &str, commit: &Commit) -> Vec<Value> {
    let mut records = Vec::new();
    for file in &commit.files {
        let mut hunks = file.hunks.iter();
        if file.hunks.len() < 2 || !hunks.all(|hunk| has_plain_lines(file, hunk)) {
            continue;
        }
        let mut text = file.before.clone();
        let mut moved = 0isize;
        for hunk in &file.hunks {
            // The hunk in the text that the earlier ones have changed.
            let shift = |offset: usize| offset.checked_add_signed(moved).unwrap_or_default();
            let shifted = Hunk {
                old: shift(hunk.old.start)..shift(hunk.old.end),
                ..hunk.clone()
            };
            let wanted = shifted.made(&text);
            moved += hunk.new.len() as isize - hunk.old.len() as isize;
            let old = unique_lines(&text, &wanted, &shifted);
            if let Some(old) = old.filter(|old| !old.is_empty()) {
                let new = replaced(&text, &wanted, old.clone());
                let edit = StringEdit::new(&text[old], new);
                let outcome = match outcome(&parse(&file.path, &text), &edit) {
                    Outcome::Sound(checked) => {
                        match string_edit_notes(&checked, false).is_empty() {
                            true => "pass",
                            false => "pass with a note",
                        }
                    }
                    Outcome::Broken(_) => "denied once",
                    _ => "taken for another call",
                };
                let mut record =
                    json!({"kind": "right call", "repository": repository, "outcome": outcome});
                if outcome != "pass" {
                    record["example"] = json!(format!("{} {}\n{edit:?}", file.path, commit.id));
                }
                records.push(record);
            }
            text = wanted;
        }
    }
    records
}
