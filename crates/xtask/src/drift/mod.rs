//! Repositories come in, a report goes out: staged edits are applied after the file changed, as merges of public
//! histories changed it, and compared with other tools.

#![expect(
    clippy::disallowed_methods,
    reason = "a separate program that writes files to a temporary directory and runs other programs on them"
)]

mod causes;
mod merges;
mod others;
mod places;
mod report;
mod staged;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};

use treegraft::language;

use crate::habits::Strings;
use crate::habits::commits::string_replacements;
use crate::replay::{difference, name_of};

use causes::{cause, overwrites};
use merges::{Merges, Triple};
use others::{Merged, Programs, Sides, replace_strings};
use places::{NotExpressed, Place, expressed};
use report::{Edit, Measured, Outcome, Repository, Tool};
use staged::{Applied, Drifted, drifted};

pub(crate) use report::Report;

/// Examples of the command.
const EXAMPLES: &str = "Examples:
  cargo xtask drift ../cargo ../sympy
      Print the tables for the merges of two repositories
  cargo xtask drift ../git --triples 50 --language c --mergiraf ~/.cargo/bin/mergiraf
      Measure only C files, and compare with mergiraf too";

/// The options of `cargo xtask drift`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    /// Git repositories, bare or with a work tree
    #[arg(required = true, value_name = "PATH_OF_REPOSITORY")]
    pub(crate) repositories: Vec<String>,
    /// Number of triples to take from each repository
    #[arg(long, value_name = "N", default_value_t = 300)]
    pub(crate) triples: usize,
    /// Take only files in these languages
    #[arg(long = "language", value_name = "NAME", value_delimiter = ',')]
    pub(crate) languages: Vec<String>,
    /// Program to compare with; left out if it is not found
    #[arg(long, value_name = "PROGRAM", default_value = "mergiraf")]
    pub(crate) mergiraf: String,
    /// Print the first N triples of each cause, and of each kind of other bytes
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) show: usize,
}

/// After how many triples the progress is reported.
const PROGRESS: usize = 25;

/// Measures the merges of the repositories, on all cores. Calls `report_progress` with the progress.
///
/// # Errors
/// Returns an error if git fails for a repository, if a temporary directory cannot be used, or if a refused edit changed
/// a file.
pub(crate) fn drift(
    options: &Options,
    report_progress: impl Fn(String) + Sync,
) -> Result<Report, String> {
    let programs = Programs::of(&options.mergiraf)?;
    let mut report = Report::new(programs.versions()?, programs.has_mergiraf(), options.show);
    let next = AtomicUsize::new(0);
    let work = || {
        let mut measured = Vec::new();
        while let Some((index, path)) = {
            let index = next.fetch_add(1, Ordering::Relaxed);
            options.repositories.get(index).map(|path| (index, path))
        } {
            measured.push((index, repository(path, options, &report_progress)));
        }
        measured
    };
    let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let workers = cores.min(options.repositories.len());
    let mut measured: Vec<(usize, Result<Repository, String>)> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        let measured = workers.into_iter().map(|worker| worker.join());
        measured.flat_map(Result::unwrap_or_default).collect()
    });
    measured.sort_by_key(|(index, _)| *index);
    for (_, repository) in measured {
        report.repositories.push(repository?);
    }
    match report.repositories.len() == options.repositories.len() {
        true => Ok(report),
        false => Err("a repository was not measured".to_string()),
    }
}

/// Measures the merges of one repository.
fn repository(
    path: &str,
    options: &Options,
    report_progress: &impl Fn(String),
) -> Result<Repository, String> {
    let programs = Programs::of(&options.mergiraf)?;
    let mut strings = Strings::default();
    let mut merges = Merges::of(path)?;
    let mut repository = Repository {
        name: name_of(path),
        head: merges.head.clone(),
        merges: merges.merges,
        files: merges.files,
        left_out: BTreeMap::new(),
        triples: Vec::new(),
    };
    let is_wanted = |path: &str| {
        let own = language::of_path(path).map(|own| own.name);
        options.languages.is_empty()
            || own.is_some_and(|own| options.languages.iter().any(|name| name == own))
    };
    merges.each_triple(options.triples, is_wanted, |triple| {
        let measured = match triple {
            Ok(triple) => measured(&triple, &repository.name, &programs, &mut strings)?
                .map_err(NotExpressed::reason),
            Err(reason) => Err(reason.reason()),
        };
        let is_taken = measured.is_ok();
        match measured {
            Ok(measured) => repository.triples.push(measured),
            Err(reason) => *repository.left_out.entry(reason).or_default() += 1,
        }
        let taken = repository.triples.len();
        if is_taken && taken.is_multiple_of(PROGRESS) {
            let name = &repository.name;
            report_progress(format!("{name}: {taken} of {} triples", options.triples));
        }
        Ok(is_taken)
    })?;
    let taken = repository.triples.len();
    report_progress(format!("{}: {taken} triples", repository.name));
    Ok(repository)
}

/// Makes the left change of a triple on its right side, with each tool.
fn measured(
    triple: &Triple,
    repository: &str,
    programs: &Programs,
    strings: &mut Strings,
) -> Result<Result<Measured, NotExpressed>, String> {
    let own = language::of(&triple.path, &triple.base);
    let places = match expressed(triple, &strings.of(own.name)) {
        Ok(places) => places,
        Err(reason) => return Ok(Err(reason)),
    };
    let sides = Sides {
        path: &triple.path,
        base: &triple.base,
        left: &triple.left,
        right: &triple.right,
    };
    let drifted = match drifted(sides, &places, programs)? {
        Ok(drifted) => drifted,
        Err(reason) => return Ok(Err(reason)),
    };
    let git = programs.git(sides)?;
    let edits = edits(triple, &places, &drifted);
    let mut made = BTreeMap::from([
        (Tool::Treegraft, drifted.whole),
        (Tool::TreegraftInTurn, drifted.in_turn),
        (Tool::Git, git.clone().into()),
        (Tool::Strings, by_strings(triple, &places).into()),
    ]);
    made.extend(
        programs
            .mergiraf(sides)?
            .map(|own| (Tool::Mergiraf, own.into())),
    );
    let outcomes = made.iter();
    let outcomes =
        outcomes.map(|(tool, made)| (*tool, Outcome::of(made, &triple.expected, git.text())));
    let outcomes: BTreeMap<Tool, Outcome> = outcomes.collect();
    let differences =
        made.iter()
            .filter_map(|(tool, made)| match (made.written(), &outcomes[tool]) {
                (Some(text), Outcome::Other { .. }) => {
                    Some((*tool, difference(&triple.expected, text)))
                }
                _ => None,
            });
    let allowed = made
        .iter()
        .filter(|(_, made)| matches!(made, Applied::Allowed(_)));
    Ok(Ok(Measured {
        allowed: allowed.map(|(tool, _)| *tool).collect(),
        repository: repository.to_string(),
        commit: triple.commit.clone(),
        path: triple.path.clone(),
        language: own.name,
        differences: differences.collect(),
        outcomes,
        edits,
        partial_difference: drifted.partial_difference,
    }))
}

/// Makes the places as exact string replacements that were written for the base.
fn by_strings(triple: &Triple, places: &[Place]) -> Merged {
    let hunks: Vec<_> = places.iter().map(|place| place.hunk.clone()).collect();
    let replacements = string_replacements(&triple.base, &hunks);
    replace_strings(&triple.right, &replacements)
}

/// What became of the edit of each place alone.
fn edits(triple: &Triple, places: &[Place], drifted: &Drifted) -> Vec<Edit> {
    let singles = places.iter().zip(&drifted.singles);
    let edits = singles.map(|(place, single)| Edit {
        operation: place.operation(),
        entries: place.entries.clone(),
        cause: cause(&triple.base, &triple.right, place, &single.applied),
        overwrites: match &single.applied {
            Applied::Allowed(text) | Applied::Fresh(text) => {
                overwrites(&triple.base, &triple.right, text)
            }
            Applied::Written(_) | Applied::Refused(_) => false,
        },
        applied: single.applied.clone(),
        git: single.git.clone(),
    });
    edits.collect()
}
