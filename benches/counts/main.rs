//! Counts the instructions of some calls and compares them with recorded counts. Unlike times,
//! counts hardly differ between runs and machines.
//!
//! `cargo bench --profile counts --bench counts` counts with gungraun, which runs the calls in
//! Callgrind. It reports each count that is more than 5 % off `benches/counts/counts.json`.
//! `TREEGRAFT_RECORD=1` rewrites that file. The profile keeps function names, which Callgrind needs
//! to know where to count. The bench generates its texts, so they stay the same while the project's
//! files change.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a benchmark reads its arguments, starts programs and prints its counts"
)]

mod calls;
#[path = "../curves/pass.rs"]
mod pass;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::{env, fs};

/// The version of the runner, which must match the library.
const RUNNER: &str = "0.20.0";
/// The largest accepted deviation from the recorded count.
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
            "install it with the package manager of your system".to_string(),
        ),
        (
            "gungraun-runner",
            format!("cargo install gungraun-runner --version {RUNNER} --locked"),
        ),
    ] {
        if Command::new(program).arg("--version").output().is_err() {
            eprintln!("counts: {program} is not on PATH: {help}");
            return ExitCode::FAILURE;
        }
    }
    let _ = fs::remove_dir_all(profiles());
    calls::run();
    checked(counted(&profiles()))
}

/// Returns the directory where the runner writes its profiles.
fn profiles() -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent();
    let target = target.expect("it is in the target folder");
    target.join("gungraun")
}

type Counts = BTreeMap<String, u64>;

/// Reads the instructions of each call from the profiles. Each call has its own directory.
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
            "counts: nothing was counted; pass `--profile counts`, which keeps function names"
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
        "counts: {off} are more than {} % off; TREEGRAFT_RECORD=1 records them again",
        LIMIT * 100.0
    );
    ExitCode::FAILURE
}
