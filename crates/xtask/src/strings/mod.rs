//! Repositories come in, a report goes out: exact string replacements as agents' own edit tools make them, right ones and
//! broken ones, and what the hook makes of them.

mod report;
mod slips;
#[cfg(test)]
mod tests;

use treegraft::diagnostic::string_edit_notes;
use treegraft::string_edit::{self, Outcome, StringEdit};

use crate::habits::commits::with_hunk;
use crate::mistakes::Random;
use crate::replay::baseline::{replaced, unique_lines};
use crate::replay::history::{Commit, History, Hunk, Revision};
use crate::replay::{name_of, parse};

use report::{Answer, Good};
use slips::{Slip, slipped};

pub(crate) use report::Report;

/// Examples of the command.
const EXAMPLES: &str = "Examples:
  cargo xtask strings ../click ../gson
      Print the tables for two repositories
  cargo xtask strings ../click --show 2
      Print the first two wrong and denied calls of each kind too";

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
    /// Print at most N calls of each kind that are wrong, and of good ones that are denied
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) show: usize,
}

/// Measures the repositories; `say` receives the progress.
///
/// # Errors
/// Git does not answer for one of them.
pub(crate) fn strings(options: &Options, say: impl Fn(String)) -> Result<Report, String> {
    let mut report = Report::new(options.show);
    for path in &options.repositories {
        let mut history = History::of(path)?;
        let name = name_of(path);
        report.add_repository(&name, &history.head);
        let mut taken = 0;
        history.each_revision(options.hunks, |revision| {
            taken += revision.hunks.len();
            for hunk in revision
                .hunks
                .iter()
                .filter(|hunk| is_of_lines(&revision, hunk))
            {
                break_hunk(&name, &revision, hunk, &mut report);
            }
            Ok(())
        })?;
        say(format!("{name}: {taken} hunks broken"));
        let mut made = 0;
        history.each_commit(options.commits, |commit| {
            let has_several = |file: &Revision| file.hunks.len() > 1;
            if !commit.files.iter().any(has_several) {
                return Ok(false);
            }
            made += make_in_turn(&name, &commit, &mut report);
            Ok(true)
        })?;
        say(format!("{name}: {made} hunks made in turn"));
    }
    Ok(report)
}

/// Returns whether all line breaks are `\n`, as the tools read a file.
fn is_of_lines(revision: &Revision, hunk: &Hunk) -> bool {
    !revision.before.contains('\r') && !hunk.new.contains('\r')
}

/// Breaks the call of one hunk in each way, and counts the answers.
fn break_hunk(repository: &str, revision: &Revision, hunk: &Hunk, report: &mut Report) {
    let Revision { path, before, .. } = revision;
    let wanted = with_hunk(before, hunk);
    let parsed = parse(path, before);
    let place = hunk.old.start.to_string();
    for slip in Slip::ALL {
        let mut random = Random::of(&[repository, path, &revision.commit, &place, slip.name()]);
        let Some(own) = call(before, &wanted, hunk, &mut random) else {
            continue;
        };
        // The commit itself may break what treegraft can parse.
        if !matches!(
            string_edit::outcome(&parsed, std::slice::from_ref(&own)),
            Outcome::Sound(_)
        ) {
            continue;
        }
        let Some(broken) = slipped(slip, before, &own, &mut random) else {
            continue;
        };
        if broken == own {
            continue;
        }
        let answer = answer(&parsed, &broken, &wanted, hunk);
        report.add(
            slip,
            &own,
            &broken,
            before,
            &answer,
            &format!("{repository} {path} {}", revision.commit),
        );
    }
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

/// Returns what the hook makes of a broken call.
fn answer(
    parsed: &treegraft::parse::Parsed,
    broken: &StringEdit,
    wanted: &str,
    hunk: &Hunk,
) -> Answer {
    let before = parsed.source().text();
    match string_edit::outcome(parsed, std::slice::from_ref(broken)) {
        Outcome::Sound(_) => match broken.applied(before) == wanted {
            true => Answer::Harmless,
            false => Answer::Passed,
        },
        Outcome::Corrected { edits, .. } => {
            let after = edits
                .iter()
                .fold(before.to_string(), |text, edit| edit.applied(&text));
            match after == wanted {
                true => Answer::Repaired,
                false => Answer::Wrong(after),
            }
        }
        Outcome::Several(_, several) => {
            let unique = several
                .places
                .iter()
                .filter_map(|place| place.unique.as_ref());
            match unique
                .into_iter()
                .any(|edit| edit.applied(before) == wanted)
            {
                true => Answer::Shown,
                false => Answer::Denied,
            }
        }
        Outcome::Missing(_) => {
            let near = string_edit::nearest(parsed, &broken.old);
            let is_there = |near: treegraft::source::Span| {
                near.start() <= hunk.old.end && hunk.old.start <= near.end()
            };
            match near.map(is_there) {
                Some(true) => Answer::Shown,
                Some(false) => Answer::Denied,
                None => Answer::Passed,
            }
        }
        _ => Answer::Denied,
    }
}

/// Makes all hunks of each file of a commit, one after another, as exact calls. Returns their number.
fn make_in_turn(repository: &str, commit: &Commit, report: &mut Report) -> usize {
    let mut made = 0;
    let is_whole = |file: &&Revision| {
        let mut hunks = file.hunks.iter();
        file.hunks.len() > 1 && hunks.all(|hunk| is_of_lines(file, hunk))
    };
    for file in commit.files.iter().filter(is_whole) {
        let mut text = file.before.clone();
        let mut moved = 0isize;
        for hunk in &file.hunks {
            let Some(shifted) = shifted(hunk, moved) else {
                break;
            };
            let wanted = with_hunk(&text, &shifted);
            moved += hunk.new.len() as isize - hunk.old.len() as isize;
            let Some(old) = unique_lines(&text, &wanted, &shifted) else {
                text = wanted;
                continue;
            };
            let edit = StringEdit::new(&text[old.clone()], replaced(&text, &wanted, old));
            if edit.old.is_empty() {
                text = wanted;
                continue;
            }
            let parsed = parse(&file.path, &text);
            let good = match string_edit::outcome(&parsed, std::slice::from_ref(&edit)) {
                Outcome::Sound(checked) => match string_edit_notes(&checked).is_empty() {
                    true => Good::Unseen,
                    false => Good::Noted,
                },
                Outcome::Broken(_) => Good::Denied,
                _ => Good::Changed,
            };
            let was_broken = !parsed.problems().is_empty();
            report.add_good(
                good,
                was_broken,
                &edit,
                &format!("{repository} {} {}", file.path, commit.id),
            );
            made += 1;
            text = wanted;
        }
    }
    made
}

/// Returns a hunk in a text that earlier hunks have changed.
fn shifted(hunk: &Hunk, moved: isize) -> Option<Hunk> {
    let start = hunk.old.start.checked_add_signed(moved)?;
    let end = hunk.old.end.checked_add_signed(moved)?;
    Some(Hunk {
        old: start..end,
        ..hunk.clone()
    })
}
