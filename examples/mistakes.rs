//! Breaks correct selectors of real files in the ways callers do, and counts how often the refusal holds
//! the call that was meant.
//!
//! `cargo run --release --example mistakes -- PATH_OF_REPOSITORY... [--selectors N] [--half tuning|held-out|both] [--show N]`.
//! `--selectors` is how many of each repository are drawn; `--show N` prints the first N misses of each
//! mistake. `docs/mistakes.md` says what is counted how.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program of its own that says what it counted"
)]

mod git;
#[path = "mistakes/mod.rs"]
mod mistakes;
mod nodes;

use std::process::ExitCode;

use mistakes::{Halves, Options};

fn main() -> ExitCode {
    let options = match read_arguments() {
        Ok(options) => options,
        Err(fault) => {
            eprintln!("{fault}");
            eprintln!(
                "mistakes PATH_OF_REPOSITORY... [--selectors N] [--half tuning|held-out|both] [--show N]"
            );
            return ExitCode::from(2);
        }
    };
    match mistakes::mistakes(&options, |said| eprintln!("{said}")) {
        Ok(report) => {
            println!("{report}");
            let (run, unresolved) = report.run_and_unresolved();
            eprintln!("{run} calls; {unresolved} suggestions that do not resolve");
            ExitCode::from(u8::from(unresolved > 0))
        }
        Err(fault) => {
            eprintln!("{fault}");
            ExitCode::from(1)
        }
    }
}

fn read_arguments() -> Result<Options, String> {
    let mut options = Options {
        repositories: Vec::new(),
        selectors: 400,
        halves: Halves::Both,
        show: 0,
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let number = match argument.as_str() {
            "--selectors" => &mut options.selectors,
            "--show" => &mut options.show,
            "--half" => {
                options.halves = match arguments.next().as_deref() {
                    Some("tuning") => Halves::Tuning,
                    Some("held-out") => Halves::HeldOut,
                    Some("both") => Halves::Both,
                    _ => return Err("--half is tuning, held-out or both".to_string()),
                };
                continue;
            }
            other if other.starts_with('-') => return Err(format!("unknown option {other}")),
            _ => {
                options.repositories.push(argument);
                continue;
            }
        };
        let given = arguments.next().and_then(|given| given.parse().ok());
        *number = given.ok_or(format!("{argument} needs a number"))?;
    }
    match options.repositories.is_empty() {
        true => Err("no repository is given".to_string()),
        false => Ok(options),
    }
}
