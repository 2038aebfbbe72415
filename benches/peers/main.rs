//! Compares treegraft with other tools. Each tool makes the same edits in the same files. The bench
//! measures time, memory, bytes sent and received, and whether the written bytes are the expected
//! ones. ast-grep and treegraft also search and rewrite trees of files.
//!
//! `cargo bench --bench peers` installs the peers from their registries into `target/peers/` once,
//! measures, prints a table, and writes `docs/peers.json`, `docs/peers.md` and `docs/peers.svg`.
//! With filter words after `--` (languages, kinds of edits, numbers of lines, tools) it measures
//! and prints only the matching cases, and writes nothing; with `trees` alone, it measures the work
//! on many files and rewrites those rows. Without `--bench` it makes each edit
//! once in the smallest file, and writes nothing.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a benchmark reads its arguments, writes files, starts programs and prints its measurements"
)]

mod cells;
mod data;
mod edits;
mod install;
#[expect(dead_code, reason = "only part of the module is needed here")]
#[path = "../ratios/measure.rs"]
mod measure;
mod page;
mod plot;
mod processes;
mod replacement;
#[expect(
    dead_code,
    reason = "only the files of the samples are needed, not the targets"
)]
#[path = "../ratios/texts.rs"]
mod texts;
mod tools;
mod trees;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use cells::Effort;
use data::{Data, Row};
use edits::{Case, KINDS, PLACES};
use measure::Asked;
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

/// Measures what is asked for, and records a whole run.
fn compare(asked: &Asked) -> Result<(), String> {
    let begin = Instant::now();
    let is_whole = asked.wants("");
    let is_of_trees = !is_whole && asked.wants("trees");
    let trees = trees::rows(asked, &install::ast_grep()?);
    if is_of_trees {
        if asked.measures {
            record(&Data {
                trees,
                ..recorded()
            });
        }
        return Ok(());
    }
    let [semantic, patchloom, ast_grep] = install::installed()?;
    let tools = tools::tools(semantic, patchloom, ast_grep);
    let rows = rows(asked, &tools);
    println!(
        "\n{} edits, {:.0} s",
        rows.len(),
        begin.elapsed().as_secs_f64()
    );
    if asked.measures && is_whole {
        let about = tools.iter().map(|tool| tool.about.clone());
        record(&Data {
            machine: machine(),
            tools: about.collect(),
            rows,
            trees,
        });
    }
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
    println!("{}", head());
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
                    let name = format!(
                        "{} {lines} {} {}",
                        place.language,
                        kind.name(),
                        tool.about.name
                    );
                    if asked.wants(&name.replace(',', "")) {
                        let row = cells::measured(tool, &case, effort);
                        println!("{}", line(&row));
                        rows.push(row);
                    }
                }
            }
        }
    }
    rows
}

fn head() -> String {
    format!(
        "{:<11} {:>6} {:<8} {:<28} {:<12} {:>9} {:>9} {:>7} {:>6} {:>8}",
        "language",
        "lines",
        "edit",
        "tool",
        "outcome",
        "start ms",
        "call ms",
        "MB",
        "sent",
        "received"
    )
}

fn line(row: &Row) -> String {
    let figure =
        |figure: Option<f64>| figure.map_or("-".to_string(), |figure| format!("{figure:.2}"));
    format!(
        "{:<11} {:>6} {:<8} {:<28} {:<12} {:>9} {:>9} {:>7} {:>6} {:>8}",
        row.language,
        row.lines,
        row.kind,
        row.tool,
        row.outcome.name(),
        figure(row.start_ms),
        figure(row.call_ms),
        figure(row.peak_mb),
        row.sent,
        row.received,
    )
}

/// Describes the machine in a few words.
fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    format!(
        "{} on {}, {cores} cores",
        std::env::consts::OS,
        std::env::consts::ARCH
    )
}

/// Returns the data of the last run.
fn recorded() -> Data {
    let docs = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let text = std::fs::read_to_string(docs.join("peers.json")).expect("a run has written it");
    serde_json::from_str(&text).expect("it is what a run has written")
}

/// Writes the data, and the page and plots generated from it.
fn record(data: &Data) {
    let docs = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let files = [
        ("peers.json", data.text()),
        ("peers.md", page::page(data)),
        ("peers.svg", plot::plot(data)),
    ];
    for (name, text) in files {
        std::fs::write(docs.join(name), text).expect("the page can be written");
        println!("wrote docs/{name}");
    }
}
