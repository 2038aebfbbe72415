//! What it takes to start `treegraft serve`, beside an empty server of the same library
//! (`examples/empty.rs`): from the start of the process to the answered `tools/list`, and what it keeps in
//! memory then.
//!
//! `cargo build --release --examples && cargo bench --bench serve` measures; without `--bench` each runs
//! once.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a benchmark that starts processes and prints what it measured"
)]

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

/// How many times each is started; they take turns.
const RUNS: usize = 41;

const MESSAGES: &[&str] = &[
    r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
    r#"{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}"#,
];

/// Milliseconds from the start to the list of tools, and what is resident then, in KB.
fn start(command: &mut Command) -> (f64, Option<f64>) {
    let begin = Instant::now();
    let mut process = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the server is built");
    let mut input = process.stdin.take().expect("standard input is a pipe");
    let output = process.stdout.take().expect("standard output is a pipe");
    for message in MESSAGES {
        writeln!(input, "{message}").expect("it reads");
    }
    let mut lines = BufReader::new(output).lines();
    let answers = lines.by_ref().map_while(Result::ok).take(2);
    assert_eq!(answers.count(), 2, "it answers");
    let took = begin.elapsed().as_secs_f64() * 1000.0;
    let resident = resident(process.id());
    drop(input);
    process.wait().expect("it ends");
    (took, resident)
}

/// Nothing where the system does not tell it in `/proc`.
fn resident(process: u32) -> Option<f64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.split_whitespace().next()?.parse().ok()
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

fn main() {
    let runs = match std::env::args().any(|argument| argument == "--bench") {
        true => RUNS,
        false => 1,
    };
    let own = Path::new(env!("CARGO_BIN_EXE_treegraft"));
    let empty = own.with_file_name("examples").join("empty");
    let folder = std::env::temp_dir().join(format!("treegraft-serve-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder to serve");
    let mut figures = [(Vec::new(), Vec::new()), (Vec::new(), Vec::new())];
    for _ in 0..runs {
        let mut commands = [Command::new(&empty), Command::new(own)];
        commands[1]
            .args(["serve", "--root"])
            .arg(&folder)
            .env("XDG_STATE_HOME", folder.join("state"));
        for (command, (times, sizes)) in commands.iter_mut().zip(&mut figures) {
            let (took, resident) = start(command);
            times.push(took);
            sizes.extend(resident);
        }
    }
    std::fs::remove_dir_all(&folder).expect("the folder goes");
    println!(
        "{:<18} {:>10} {:>12}",
        "server", "list in ms", "resident KB"
    );
    let mut first = None;
    for (name, (times, sizes)) in ["empty", "treegraft"].iter().zip(figures) {
        let took = median(times).expect("it ran");
        let ratio = took / *first.get_or_insert(took);
        let resident = median(sizes).unwrap_or_default();
        println!("{name:<18} {took:>10.2} {resident:>12.0}   {ratio:.2} of the empty one");
    }
}
