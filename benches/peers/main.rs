//! Compares treegraft with other tools. Each tool makes the same edits in the same files. The bench
//! measures time, memory, bytes sent and received, and whether the written bytes are the expected
//! ones. ast-grep and treegraft also search and rewrite trees of files.
//!
//! `cargo bench --bench peers` installs the peers from their registries into `target/peers/` once,
//! measures, prints each row as a line of JSON, and ends with a Markdown table. With filter words
//! after `--` (languages, kinds of edits, numbers of lines, tools) it measures only the matching
//! cases; with `trees` alone, only the work on many files. Without `--bench` it makes each edit
//! once in the smallest file.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a benchmark reads its arguments, writes files, starts programs and prints its measurements"
)]

mod cells;
mod edits;
mod install;
#[expect(dead_code, reason = "only part of the module is needed here")]
#[path = "../ratios/measure.rs"]
mod measure;
mod processes;
mod replacement;
mod rows;
#[expect(
    dead_code,
    reason = "only the files of the samples are needed, not the targets"
)]
#[path = "../ratios/texts.rs"]
mod texts;
mod tools;
mod trees;

use std::process::ExitCode;
use std::time::Duration;

use cells::Effort;
use edits::{Case, KINDS, PLACES};
use measure::Asked;
use rows::Row;
use tools::Tool;

fn main() -> ExitCode {
    if processes::launch() || replacement::is_program() {
        return ExitCode::SUCCESS;
    }
    match compare(&Asked::of_process(&[])) {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => {
            eprintln!("peers: {fault}");
            ExitCode::FAILURE
        }
    }
}

/// Measures what is asked for, and prints it.
fn compare(asked: &Asked) -> Result<(), String> {
    let is_of_trees = !asked.wants("") && asked.wants("trees");
    let trees = trees::rows(asked, &install::ast_grep()?);
    let rows = match is_of_trees {
        true => Vec::new(),
        false => rows(asked, &tools::tools(install::installed()?)),
    };
    println!("\n{}", rows::table(&rows, &trees));
    Ok(())
}

fn rows(asked: &Asked, tools: &[Tool]) -> Vec<Row> {
    let (sizes, effort): (&[usize], Effort) = match asked.measures {
        true => (
            &[100, 1_000, 10_000, 50_000],
            Effort {
                time: Duration::from_millis(250),
                at_least: 3,
                at_most: 15,
            },
        ),
        false => (
            &[100],
            Effort {
                time: Duration::ZERO,
                at_least: 1,
                at_most: 1,
            },
        ),
    };
    let mut rows = Vec::new();
    for place in PLACES {
        for lines in sizes {
            let text = place.text(*lines);
            for kind in KINDS {
                let case = Case {
                    place,
                    kind,
                    lines: *lines,
                    text: &text,
                };
                for tool in tools {
                    let name = format!("{} {lines} {} {}", place.language, kind.name(), tool.name);
                    if asked.wants(&name.replace(',', "")) {
                        let row = cells::measured(tool, &case, effort);
                        rows::print(&row);
                        rows.push(row);
                    }
                }
            }
        }
    }
    rows
}
