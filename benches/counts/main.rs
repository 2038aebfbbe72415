//! How many instructions some calls take, which unlike times are nearly the same on each run and machine, held against
//! those that were counted before.
//!
//! `cargo bench --profile counts --bench counts` counts them by gungraun, which runs them in Callgrind, and complains of
//! each that is more than a twentieth off `benches/counts/counts.json`. With `TREEGRAFT_RECORD=1` it writes that file
//! anew. The profile keeps the names of functions, by which Callgrind knows where to count. The texts are made here, so
//! that they stay the same while the project's own files change.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a benchmark reads how to run from its arguments, starts programs and prints what it counted"
)]

mod calls;
#[path = "../curves/pass.rs"]
mod pass;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::{env, fs};

/// The version of the runner is that of the library.
const RUNNER: &str = "0.20.0";
/// How far a count may be off the recorded one.
const LIMIT: f64 = 0.05;

fn main() -> ExitCode {
    let is_measured = env::args()
        .nth(1)
        .is_some_and(|word| word == "--gungraun-run");
    if is_measured {
        calls::run();
        return ExitCode::SUCCESS;
    }
    for (program, help) in [
        (
            "valgrind",
            "install it with the packages of the system".to_string(),
        ),
        (
            "gungraun-runner",
            format!("cargo install gungraun-runner --version {RUNNER} --locked"),
        ),
    ] {
        if Command::new(program).arg("--version").output().is_err() {
            eprintln!("counts: {program} is not on the search path: {help}");
            return ExitCode::FAILURE;
        }
    }
    let _ = fs::remove_dir_all(profiles());
    calls::run();
    checked(counted(&profiles()))
}

/// Where the runner leaves its profiles.
fn profiles() -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent();
    let target = target.expect("it is in the target folder");
    target.join("gungraun")
}

type Counts = BTreeMap<String, u64>;

/// The instructions of each call, by its name: from the profiles, one in a folder for each.
fn counted(folder: &Path) -> Counts {
    let mut counts = Counts::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            counts.extend(counted(&path));
            continue;
        }
        let name = entry.file_name().to_string_lossy().into_owned();
        let Some(name) = name
            .strip_prefix("callgrind.")
            .and_then(|name| name.strip_suffix(".out"))
        else {
            continue;
        };
        let text = fs::read_to_string(&path).expect("a profile is text");
        let total = text.lines().find_map(|line| line.strip_prefix("summary: "));
        let count = total.and_then(|total| total.split_whitespace().next()?.parse().ok());
        counts.extend(count.map(|count: u64| (name.to_string(), count)));
    }
    counts
}

fn checked(counts: Counts) -> ExitCode {
    if counts.values().all(|count| *count == 0) {
        eprintln!(
            "counts: nothing was counted; it is run with `--profile counts`, which keeps the names of functions"
        );
        return ExitCode::FAILURE;
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benches/counts/counts.json");
    if env::var_os("TREEGRAFT_RECORD").is_some_and(|value| value == "1") {
        let text = serde_json::to_string_pretty(&counts).expect("counts can be written");
        fs::write(&path, text + "\n").expect("the file can be written");
        println!("\nrecorded {} counts", counts.len());
        return ExitCode::SUCCESS;
    }
    let text = fs::read_to_string(&path).unwrap_or_else(|_| "{}".to_string());
    let recorded: Counts = serde_json::from_str(&text).expect("the file holds counts");
    let mut off = 0;
    println!("\n{:<40} {:>13} {:>13}", "call", "recorded", "now");
    for name in recorded
        .keys()
        .chain(counts.keys().filter(|name| !recorded.contains_key(*name)))
    {
        let (before, now) = (recorded.get(name), counts.get(name));
        let shown = |count: Option<&u64>| count.map_or("none".to_string(), u64::to_string);
        let drift = before
            .zip(now)
            .map(|(before, now)| *now as f64 / *before as f64 - 1.0);
        let is_off = drift.is_none_or(|drift| drift.abs() > LIMIT);
        off += usize::from(is_off);
        println!(
            "{name:<40} {:>13} {:>13} {:>8}{}",
            shown(before),
            shown(now),
            drift.map_or(String::new(), |drift| format!("{:+.1} %", drift * 100.0)),
            if is_off { " off" } else { "" }
        );
    }
    if off == 0 {
        return ExitCode::SUCCESS;
    }
    eprintln!(
        "counts: {off} are more than {} % off; TREEGRAFT_RECORD=1 records them anew",
        LIMIT * 100.0
    );
    ExitCode::FAILURE
}
