//! Development tools that measure treegraft on real repositories, files and servers.
//!
//! `cargo xtask --help` lists them. `cargo xtask` builds them with optimizations. `docs/measured.md` has the figures.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "these programs read their arguments and files, run other programs and print their measurements"
)]

mod change;
mod conformance;
mod drift;
mod git;
mod habits;
mod history;
mod moves;
mod project;
mod random;
mod renames;
mod rules;
mod servers;
mod strings;
mod table;
mod text;

use std::error::Error;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use serde_json::Value;

use table::{Measured, Output};

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
    /// Prints the address and serves until the process is stopped. docs/measured.md lists the
    /// results.
    Conformance {
        /// Directory to use as the workspace
        directory: String,
    },
    /// Apply staged edits after the file changed, and compare the resulting bytes with those of merges
    ///
    /// Takes files that both sides of a merge changed, stages the change of one side on the merge base, and applies it on
    /// the other side. Compares with `git merge-file`, mergiraf and exact string replacement. Counts by tool the files with
    /// the bytes of the merge, other bytes, fresh previews and refusals; and by situation, how close the changes are.
    Drift(drift::Options),
    /// Make the changes of commits in the forms that agents write and compare the resulting bytes
    ///
    /// Counts for each form the calls that are exact, wrong or refused; forms that do not determine the result are counted
    /// separately. Counts for whole commits the calls and bytes, compared with one exact string replacement for each place.
    Habits(habits::Options),
    /// Move definitions of a project between its files and check the project before and after each move
    ///
    /// Each move has `imports: true`. Exits with 1 if the check reports a new error.
    Moves(moves::Options),
    /// Rename symbols of a project and check the project before and after each rename
    ///
    /// Uses the language servers on PATH. Exits with 1 if the check reports a new error.
    Renames(renames::Options),
    /// Compare the matches and fixes of rules with those of ast-grep
    ///
    /// Runs each rule file NAME.yml of a folder on the samples NAME.EXTENSION and NAME.WORD.EXTENSION next to it, with
    /// treegraft and with ast-grep. Exits with 1 if a difference is not justified by `metadata: {differs: REASON}` in
    /// the rule.
    Rules(rules::Options),
    /// Ask the language servers on PATH about small projects
    ///
    /// Prints the answer of each server to each question, the time of the first answer, and the median time of warm ones.
    Servers(Output),
    /// Break exact string replacements as agents do, and count what the hook makes of them
    ///
    /// Takes the hunks of commits as calls of an agent's own edit tool, breaks each in many ways, and counts how many are
    /// repaired to the bytes that they mean. Also makes the hunks of whole commits in turn, which must all pass.
    Strings(strings::Options),
    /// Print the tables of lines that other tasks wrote with --json
    Table {
        /// Files of JSON lines
        #[arg(required = true, value_name = "FILE")]
        files: Vec<String>,
        #[command(flatten)]
        output: Output,
    },
}

/// The outcomes that make the exit status 1.
const FAILURES: [&str; 2] = ["new error", "differs"];

fn main() -> ExitCode {
    match run(Arguments::parse().task) {
        Ok(0) => return ExitCode::SUCCESS,
        Ok(failures) => eprintln!("{failures} failures"),
        Err(error) => eprintln!("{error}"),
    }
    ExitCode::FAILURE
}

/// Runs a task, prints what it measured, and returns the number of failures.
fn run(task: Task) -> Result<usize, Box<dyn Error>> {
    let say = |progress: String| eprintln!("{progress}");
    let (measured, output) = match task {
        Task::Conformance { directory } => {
            conformance::run(directory)?;
            return Ok(0);
        }
        Task::Drift(options) => (drift::drift(&options, say)?, options.output),
        Task::Habits(options) => (habits::habits(&options, say)?, options.output),
        Task::Moves(options) => (moves::moves(&options, say)?, options.output),
        Task::Renames(options) => (renames::renames(&options, say)?, options.output),
        Task::Rules(options) => (rules::rules(&options, say)?, options.output),
        Task::Servers(output) => (servers::servers()?, output),
        Task::Strings(options) => (strings::strings(&options, say)?, options.output),
        Task::Table { files, output } => (read(&files)?, output),
    };
    print!("{}", output.text(&measured));
    let records = measured.records.iter();
    let failures =
        records.filter(|record| FAILURES.iter().any(|failure| record["outcome"] == *failure));
    Ok(failures.count())
}

/// Reads files of JSON lines; their records may be of any task.
fn read(files: &[String]) -> Result<Measured, Box<dyn Error>> {
    let mut records: Vec<Value> = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
        for line in text.lines() {
            records.push(serde_json::from_str(line).map_err(|error| format!("{file}: {error}"))?);
        }
    }
    let tables = [
        drift::TABLES,
        habits::TABLES,
        moves::TABLES,
        renames::TABLES,
        rules::TABLES,
        servers::TABLES,
        strings::TABLES,
    ];
    Ok(Measured::new(records, &tables.concat()))
}

#[cfg(test)]
#[test]
fn the_arguments_are_valid() {
    <Arguments as clap::CommandFactory>::command().debug_assert();
}
