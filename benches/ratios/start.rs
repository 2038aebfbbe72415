//! Measures starts: `treegraft serve` until it answers `tools/list`, compared with an empty server
//! of the same library (`crates/cli/examples/empty.rs`), and its memory at that point; a preview on
//! the command line, compared with `true` and the parse.
//!
//! Build the empty server first: `cargo build --release --example empty`.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::calls::{Workspace, numbered};
use crate::floor;
use crate::measure::{Asked, Targets, by_turns, median, timed};
use crate::texts::RUST;

/// The first messages of a session.
pub(crate) const INITIALIZE: [&str; 2] = [
    r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
];
const LIST: &str = r#"{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}"#;
/// The memory target for an idle server, in KB.
const IDLE: f64 = 15_000.0;

pub(crate) fn run(asked: &Asked, targets: &mut Targets) {
    let own = Path::new(env!("CARGO_BIN_EXE_treegraft"));
    let workspace = Workspace::new();
    let small = RUST.text_with(&numbered(0, 0), 100);
    workspace.put("src/bench.rs", &small);
    let state = workspace.root().with_file_name("state");
    let called = |arguments: &[&str]| {
        let mut command = Command::new(own);
        command
            .arg("--root")
            .arg(workspace.root())
            .args(arguments)
            .env("XDG_STATE_HOME", &state);
        command
    };
    if asked.wants("start serve") {
        let empty = own.with_file_name("examples").join("empty");
        let mut sizes = Vec::new();
        let figures = by_turns(
            asked.effort(3.0),
            [&mut || listed(&mut Command::new(&empty)).0, &mut || {
                let (took, resident) = listed(&mut called(&["serve"]));
                sizes.extend(resident);
                took
            }],
        );
        let [unit, serve] = [0, 1].map(|which| figures.median(which));
        let ratio = targets.hold("start serve", figures.ratio(1, 0), 1.5);
        println!(
            "list of tools: {serve:.2} ms, an empty server's {unit:.2} ms: {ratio} ({} runs)",
            figures.runs()
        );
        match sizes.is_empty() {
            true => println!("this system does not report resident memory"),
            false => {
                let size = median(sizes);
                let ratio = targets.hold("start serve, resident", size / IDLE, 1.0);
                println!(
                    "idle: {:.1} MB of {:.1} MB: {ratio}",
                    size / 1e3,
                    IDLE / 1e3
                );
            }
        }
    }
    if asked.wants("start preview") {
        let mut unit = RUST.parser();
        let content = numbered(0, 1);
        let preview = || {
            called(&[
                "replace",
                "src/bench.rs",
                "--anchor",
                "fn numbered_0(",
                "--ancestor",
            ])
            .args(["function_item", "--content", content.trim_end()])
            .stdout(Stdio::null())
            .status()
        };
        let figures = by_turns(
            asked.effort(3.0),
            [
                &mut || timed(|| Command::new("true").status().expect("it runs")),
                &mut || timed(|| floor::parse(&mut unit, &small)),
                &mut || timed(|| assert!(preview().expect("it starts").success())),
            ],
        );
        let [nothing, parse, preview] = [0, 1, 2].map(|which| figures.median(which));
        let more = preview - nothing - parse;
        let more = targets.hold("start preview, ms more", more, 2.0);
        println!(
            "preview of a small file: {preview:.2} ms, `true` {nothing:.2} ms and the parse {parse:.2} ms: \
             {more} ms more ({} runs)",
            figures.runs()
        );
    }
}

/// Returns the time from the start to the list of tools, and the resident memory at that point, in
/// KB.
fn listed(command: &mut Command) -> (Duration, Option<f64>) {
    let begin = Instant::now();
    let mut process = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the server is built: cargo build --release --example empty");
    let mut input = process.stdin.take().expect("standard input is a pipe");
    let output = process.stdout.take().expect("standard output is a pipe");
    for message in INITIALIZE.iter().chain([&LIST]) {
        writeln!(input, "{message}").expect("it reads");
    }
    let mut lines = BufReader::new(output).lines();
    let answers = lines.by_ref().map_while(Result::ok).take(2);
    assert_eq!(answers.count(), 2, "it answers");
    let took = begin.elapsed();
    let resident = resident(process.id());
    drop(input);
    process.wait().expect("it ends");
    (took, resident)
}

/// Returns the resident memory of a process in KB, or `None` if the system does not report it in
/// `/proc`.
pub(crate) fn resident(process: u32) -> Option<f64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.split_whitespace().next()?.parse().ok()
}
