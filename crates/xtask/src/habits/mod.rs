//! Makes the changes of commits in the forms in which agents write their edits, and compares the resulting bytes with
//! those of the commit.
//!
//! Hunks and commits are taken evenly over the history of a repository, and nothing is random. A hunk is made alone: by
//! `replace_node` for each node that it replaces and for the smallest enclosing symbol, by `insert_node`, and by
//! `replace_text`; nodes are selected by what `describe` returns, so that only the content differs. [`forms`] lists the
//! forms and states when one determines the result.
//!
//! A commit is made by one `edit_nodes` with `apply: true`, and further calls if that is not exact ([`commits`]). It is
//! compared with exact string replacements `{file_path, old_string, new_string}` of whole lines that are unique: one for
//! each place, or for each of its hunks if that is shorter. Hunks with at most two lines between them are one place. Bytes
//! sent are those of the arguments as compact JSON, bytes received those of the answer as text; a string replacement is
//! confirmed by 64 bytes. Commits that are not made in the end have no costs in either way.
//!
//! [`tasks`] adds what an agent pays besides: the list of tools and the instructions, and what it reads.

pub(crate) mod commits;
pub(crate) mod forms;
mod tasks;
#[cfg(test)]
mod tests;

use serde_json::{Value, json};

use crate::change::{Outcome, Site, Strings, parse, run};
use crate::git::name_of;
use crate::history::{History, Revision};
use crate::table::{Measured, Output, Table};
use crate::text::diff;

/// Examples of the command.
const EXAMPLES: &str = "Examples:
  cargo xtask habits ../click
      Print the tables for one repository
  cargo xtask habits ../click ../gson --json > habits.jsonl
      Write a line for each call and commit of two repositories
  cargo xtask habits ../click --hunks 50 --show 3
      Print the first three calls of each form that are not exact too";

/// What to measure.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    /// Git repositories, bare or with a work tree
    #[arg(required = true, value_name = "REPOSITORY")]
    pub(crate) repositories: Vec<String>,
    /// Number of hunks to take from each repository
    #[arg(long, value_name = "N", default_value_t = 600)]
    pub(crate) hunks: usize,
    /// Number of whole commits to take from each repository
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub(crate) commits: usize,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// The kinds of records of calls.
const DETERMINING: &str = "form that determines the result";
const OTHER: &str = "other form";

pub(crate) const TABLES: &[Table] = &[
    Table::new(DETERMINING, &["tool", "form"], &[]),
    Table::new(OTHER, &["tool", "form"], &[]),
    Table::new(DETERMINING, &["language"], &[]),
    Table::new(DETERMINING, &["outcome", "detail"], &[]),
    Table::new("hunk", &["repository"], &[]),
    Table::new(
        "commit",
        &["repository"],
        &[
            "places",
            "not made",
            "calls",
            "string calls",
            "calls/string calls",
            "sent",
            "sent by strings",
            "sent/sent by strings",
            "received",
            "received/sent",
        ],
    ),
    Table::new(
        "task",
        &["commits in a session", "tools"],
        &[
            "commits",
            "listed",
            "read",
            "sent",
            "received",
            "without reads",
            "all",
        ],
    ),
];

/// Measures the repositories; `say` receives the progress.
///
/// # Errors
/// Returns an error if git fails for one of them, or a temporary directory cannot be used.
pub(crate) fn habits(options: &Options, say: impl Fn(String)) -> Result<Measured, String> {
    let mut records = Vec::new();
    let mut strings = Strings::default();
    let listed = tasks::Listed::of_server()?;
    for path in &options.repositories {
        let history = History::read(path)?;
        let name = name_of(path);
        history.each_revision(options.hunks, |revision| {
            for_hunks(&name, &revision, &mut strings, options, &mut records);
        })?;
        say(format!("{name}: hunks are made"));
        history.each_commit(options.commits, |commit| {
            let made = commits::make(&commit, &mut strings)?;
            let Some(made) = made else {
                return Ok(false);
            };
            let mut record = json!({"kind": "commit", "repository": name, "commit": commit.id,
                "outcome": made.outcome, "code": made.code, "places": made.places,
                "not made": usize::from(!made.is_made)});
            if made.is_made {
                let (ours, strings) = (made.ours, made.strings);
                record["calls"] = json!(ours.calls);
                record["sent"] = json!(ours.sent);
                record["received"] = json!(ours.received);
                record["string calls"] = json!(strings.calls);
                record["sent by strings"] = json!(strings.sent);
                record["received by strings"] = json!(strings.received);
                records.extend(tasks::records(&name, &commit, &made, &listed)?);
            }
            if options.output.show > 0 && made.outcome != "exact" {
                record["example"] = json!(format!("{} {}", commit.id, made.example));
            }
            records.push(record);
            Ok(true)
        })?;
        say(format!("{name}: commits are made"));
    }
    Ok(Measured::new(records, TABLES))
}

/// Makes each hunk in all forms.
fn for_hunks(
    repository: &str,
    revision: &Revision,
    strings: &mut Strings,
    options: &Options,
    records: &mut Vec<Value>,
) {
    let Revision { path, before, .. } = revision;
    let before = parse(path, before);
    let strings = strings.for_file(&before);
    for hunk in &revision.hunks {
        let wanted = parse(path, &hunk.made(&revision.before));
        let site = Site {
            path,
            before: &before,
            wanted: &wanted,
            hunk,
            strings,
        };
        let samples = forms::samples(&site);
        let outcome = samples.as_ref().map_or_else(|reason| *reason, |_| "made");
        records.push(json!({"kind": "hunk", "repository": repository, "outcome": outcome}));
        for sample in samples.into_iter().flatten() {
            let ran = run(&before, site.new_text(), &sample.call);
            let (outcome, detail, shown) = match ran {
                Outcome::Exact => ("exact", "", String::new()),
                Outcome::Wrong(what, after) => ("wrong", what, diff(site.new_text(), &after)),
                Outcome::Refused(code, text) => ("refused", code, text),
            };
            let kind = match sample.determines {
                true => DETERMINING,
                false => OTHER,
            };
            let mut record = json!({"kind": kind, "repository": repository, "tool": sample.call.tool,
                "form": sample.form, "language": before.source().language().name, "outcome": outcome,
                "detail": detail});
            if options.output.show > 0 && outcome != "exact" {
                record["example"] = json!(format!(
                    "{} {path}\n{} {}\nthe change:\n{}\nexpected (-) and got (+), or the refusal:\n{shown}",
                    revision.commit,
                    sample.call.tool,
                    sample.call.arguments,
                    diff(site.old_text(), site.new_text()),
                ));
            }
            records.push(record);
        }
    }
}
