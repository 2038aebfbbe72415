//! Development tools that measure treegraft on real repositories, files and servers.
//!
//! `cargo xtask --help` lists them. `cargo xtask` builds them with optimizations.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "these programs read their arguments and print their measurements"
)]

mod conformance;
mod describe;
mod drift;
mod git;
mod habits;
mod mistakes;
mod moves;
mod nodes;
mod project;
mod renames;
mod replay;
mod rules;
mod servers;
mod stability;
mod strings;

use std::error::Error;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Measure treegraft on real repositories, files and servers.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Serve over HTTP for the conformance suite of the Model Context Protocol
    ///
    /// Serves without a token and adds the tools, resources and prompts that the suite requires.
    /// Prints the address and serves until the process is stopped. docs/conformance.md lists the
    /// results.
    Conformance {
        /// Directory to use as the workspace
        directory: String,
    },
    /// Count the nodes of files that a selector describes
    ///
    /// Prints a table with a row for each language. docs/locating.md lists the results.
    Describe(describe::Options),
    /// Apply staged edits after the file changed, and compare the resulting bytes with those of merges
    ///
    /// Takes files that both sides of a merge changed, stages the change of one side on the merge base, and applies it on
    /// the other side. Compares with `git merge-file`, mergiraf and exact string replacement. docs/drift.md describes
    /// what is counted.
    Drift(drift::Options),
    /// Make the changes of commits in the forms that agents write and compare the resulting bytes
    ///
    /// Counts for each form the exact, wrong and refused calls, and for whole commits the calls and bytes, compared with
    /// exact string replacement. docs/habits.md describes what is counted.
    Habits(habits::Options),
    /// Break correct selectors and count how often a refusal suggests the right one
    ///
    /// Exits with 1 if a suggestion is itself refused. docs/mistakes.md describes what is counted.
    Mistakes(mistakes::Options),
    /// Move definitions of a project between its files and check the project before and after each move
    ///
    /// Each move has `imports: true`. Exits with 1 if the check reports a new error. docs/editing.md lists the results.
    Moves(moves::Options),
    /// Rename symbols of a project and check the project before and after each rename
    ///
    /// Uses the language servers on PATH. Exits with 1 if the check reports a new error. docs/servers.md lists the
    /// results.
    Renames(renames::Options),
    /// Replay the commits of repositories as edits and compare the resulting bytes
    ///
    /// docs/replay.md describes what is counted.
    Replay(replay::Options),
    /// Compare the matches and fixes of rules with those of ast-grep
    ///
    /// Runs each rule file NAME.yml of a folder on the samples NAME.EXTENSION and NAME.WORD.EXTENSION next to it, with
    /// treegraft and with ast-grep. Exits with 1 if a difference is not justified by `metadata: {differs: REASON}` in
    /// the rule.
    Rules(rules::Options),
    /// Ask the language servers on PATH about small projects
    ///
    /// docs/servers.md lists the results.
    Servers,
    /// Measure how long a description keeps selecting its node as the file changes
    ///
    /// Compares locators and selectors with line numbers and the exact text of a line.
    /// docs/stability.md lists the results.
    Stability(stability::Options),
    /// Break exact string replacements as agents do, and count what the hook makes of them
    ///
    /// Takes the hunks of commits as calls of an agent's own edit tool, breaks each in many ways, and counts how many are
    /// repaired to the bytes that they mean. Also makes the hunks of whole commits in turn, which must all pass.
    /// docs/hooks.md describes what is counted.
    Strings(strings::Options),
}

fn main() -> ExitCode {
    let done = match Arguments::parse().task {
        Task::Conformance { directory } => conformance::run(directory),
        Task::Describe(options) => describe::run(options).map_err(Into::into),
        Task::Drift(options) => report_drift(&options),
        Task::Habits(options) => report_habits(&options),
        Task::Mistakes(options) => report_mistakes(&options),
        Task::Moves(options) => report_moves(&options),
        Task::Renames(options) => report_renames(&options),
        Task::Replay(options) => report_replay(&options),
        Task::Rules(options) => report_rules(&options),
        Task::Servers => servers::run(),
        Task::Stability(options) => stability::run(options).map_err(Into::into),
        Task::Strings(options) => report_strings(&options),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn report_drift(options: &drift::Options) -> Result<(), Box<dyn Error>> {
    let report = drift::drift(options, |progress| eprintln!("{progress}"))?;
    println!("{report}");
    Ok(())
}

fn report_strings(options: &strings::Options) -> Result<(), Box<dyn Error>> {
    let report = strings::strings(options, |progress| eprintln!("{progress}"))?;
    println!("{report}");
    Ok(())
}

fn report_habits(options: &habits::Options) -> Result<(), Box<dyn Error>> {
    let report = habits::habits(options, |progress| eprintln!("{progress}"))?;
    match options.json {
        true => println!("{}", serde_json::to_string_pretty(&report.json())?),
        false => println!("{report}"),
    }
    Ok(())
}

fn report_mistakes(options: &mistakes::Options) -> Result<(), Box<dyn Error>> {
    let report = mistakes::mistakes(options, |progress| eprintln!("{progress}"))?;
    println!("{report}");
    match report.run_and_unresolved() {
        (calls, 0) => {
            eprintln!("{calls} calls; every suggestion resolves");
            Ok(())
        }
        (calls, unresolved) => {
            Err(format!("{calls} calls; {unresolved} suggestions do not resolve").into())
        }
    }
}

fn report_moves(options: &moves::Options) -> Result<(), Box<dyn Error>> {
    let report = moves::moves(options, |progress| eprintln!("{progress}"))?;
    println!("{report}");
    match report.broken() {
        0 => Ok(()),
        count => Err(format!("{count} moves make the check report a new error").into()),
    }
}

fn report_renames(options: &renames::Options) -> Result<(), Box<dyn Error>> {
    let report = renames::renames(options, |progress| eprintln!("{progress}"))?;
    println!("{report}");
    match report.worse() {
        0 => Ok(()),
        count => Err(format!("{count} renames make the check report a new error").into()),
    }
}

fn report_rules(options: &rules::Options) -> Result<(), Box<dyn Error>> {
    let report = rules::run(options)?;
    println!("{report}");
    match report.unjustified() {
        0 => Ok(()),
        count => Err(format!("{count} differences are not justified").into()),
    }
}

fn report_replay(options: &replay::Options) -> Result<(), Box<dyn Error>> {
    let report = replay::replay(options, |progress| eprintln!("{progress}"))?;
    println!("{report}");
    Ok(())
}
