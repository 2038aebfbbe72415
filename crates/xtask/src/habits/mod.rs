//! Repositories come in, a report goes out: the changes of commits are made in the forms that agents write.

pub(crate) mod commits;
mod forms;
pub(crate) mod project;
mod report;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};

use treegraft::language;

use crate::replay::calls::{self, Outcome};
use crate::replay::history::{History, Revision};
use crate::replay::{difference, name_of, parse, string_types};

use commits::{OneCall, with_hunk};
use forms::{Sample, Site};
use project::Project;
use report::{Example, Repository};

pub(crate) use report::Report;

/// Examples of the command.
const EXAMPLES: &str = "Examples:
  cargo xtask habits ../click
      Print the tables for one repository
  cargo xtask habits ../click ../gson --json > habits.json
      Write all counts of two repositories as JSON
  cargo xtask habits ../click --hunks 50 --show wrong --examples 3
      Print the first three wrong calls of each form and language too";

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
    /// Size of the answer to one string replacement
    #[arg(long, value_name = "BYTES", default_value_t = 64)]
    pub(crate) confirmation: usize,
    /// Print the calls with these outcomes, to reproduce them
    #[arg(long, value_name = "OUTCOME")]
    pub(crate) show: Option<Show>,
    /// Print at most N of these calls for each form and language
    #[arg(long, value_name = "N", requires = "show")]
    pub(crate) examples: Option<usize>,
    /// Print one JSON object instead of tables
    #[arg(long)]
    pub(crate) json: bool,
}

/// Which calls are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Show {
    /// Other bytes than those of the commit, although the form determines them
    Wrong,
    /// Refused, although the form determines the result
    Refused,
    /// Wrong or refused, whether the form determines the result or not
    All,
}

/// Measures the repositories; `say` receives the progress.
///
/// # Errors
/// Git does not answer for one of them, or a temporary directory cannot be used.
pub(crate) fn habits(options: &Options, say: impl Fn(String)) -> Result<Report, String> {
    let mut report = Report::new(options);
    let mut strings = Strings::default();
    for path in &options.repositories {
        let mut history = History::of(path)?;
        let name = name_of(path);
        report.repositories.push(Repository::new(&name, &history));
        let mut taken = 0;
        history.each_revision(options.hunks, |revision| {
            for_hunks(&revision, &mut strings, &mut report);
            let before = taken / PROGRESS;
            taken += revision.hunks.len();
            if taken / PROGRESS > before {
                say(format!("{name}: {taken} of {} hunks", options.hunks));
            }
            Ok(())
        })?;
        let mut taken = 0;
        history.each_commit(options.commits, |commit| {
            let mut of_language = |language: &str| strings.of(language);
            let made = commits::make(&commit, &mut of_language, options.confirmation)?;
            let Some(made) = made else {
                report.leave_out();
                return Ok(false);
            };
            taken += 1;
            if taken % PROGRESS == 0 {
                say(format!("{name}: {taken} of {} commits", options.commits));
            }
            if made.one_call != OneCall::Exact {
                report.show_commit(&name, &commit.id, &made);
            }
            report.add_commit(&commit.id, &made);
            Ok(true)
        })?;
    }
    Ok(report)
}

/// After how many hunks or commits the progress is reported.
const PROGRESS: usize = 50;

/// By language the node types whose lines keep their bytes.
#[derive(Default)]
pub(crate) struct Strings(HashMap<String, HashSet<String>>);

impl Strings {
    pub(crate) fn of(&mut self, language: &str) -> HashSet<String> {
        let own = self.0.entry(language.to_string());
        own.or_insert_with(|| string_types(language)).clone()
    }
}

/// Makes each hunk in all forms.
fn for_hunks(revision: &Revision, strings: &mut Strings, report: &mut Report) {
    let Revision { path, before, .. } = revision;
    let language = language::of(path, before).name;
    let strings = strings.of(language);
    let before = parse(path, before);
    for hunk in &revision.hunks {
        let wanted = parse(path, &with_hunk(before.source().text(), hunk));
        let site = Site {
            path,
            before: &before,
            wanted: &wanted,
            hunk,
            strings: &strings,
        };
        match site.samples() {
            Ok(samples) => {
                report.count_hunk();
                for sample in samples {
                    for_sample(revision, &site, &sample, report);
                }
            }
            Err(skip) => report.skip(skip),
        }
    }
}

/// Makes one call and counts how it came out.
fn for_sample(revision: &Revision, site: &Site<'_>, sample: &Sample<'_>, report: &mut Report) {
    let wanted = site.wanted.source().text();
    let ran = calls::run(site.before, wanted, &sample.call, &sample.target);
    let language = site.before.source().language().name;
    let key = (sample.tool, sample.form, sample.determines, language);
    report.add(key, ran.outcome, |repository| Example {
        repository,
        commit: revision.commit.clone(),
        file: revision.path.clone(),
        form: format!("{}, {}", sample.tool.name(), sample.form.name()),
        determines: sample.determines,
        outcome: ran.outcome.name(),
        tool: sample.call.tool,
        arguments: sample.call.arguments.clone(),
        change: difference(site.before.source().text(), wanted),
        detail: match ran.outcome {
            Outcome::Refused(_) | Outcome::RightRefused(_) => refusal(site, sample),
            _ => difference(wanted, &ran.after),
        },
    });
}

/// The text of a refusal, as the caller receives it.
fn refusal(site: &Site<'_>, sample: &Sample<'_>) -> String {
    let made = || {
        let project = Project::new()?;
        project.write(site.path, site.before.source().text())?;
        let answered = project.call(sample.call.tool, &sample.call.arguments);
        Ok::<String, String>(answered.text)
    };
    made().unwrap_or_else(|fault| fault)
}
