//! Replays the history of repositories: each hunk of their commits becomes a call, and what comes out
//! is compared with what the commit made, byte for byte; and what the arguments cost is counted.
//!
//! `cargo run --release --example replay -- PATH_OF_REPOSITORY... [--hunks N] [--show N]`. `--hunks` is
//! how many hunks of each repository are taken; `--show N` prints the first N hunks missed of each cause.
//! `docs/replay.md` says what is counted how.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program of its own that says what it counted"
)]

mod git;
#[path = "replay/mod.rs"]
mod replay;

use std::process::ExitCode;

use replay::Options;

fn main() -> ExitCode {
    let options = match read_arguments() {
        Ok(options) => options,
        Err(fault) => {
            eprintln!("{fault}");
            eprintln!("replay PATH_OF_REPOSITORY... [--hunks N] [--show N]");
            return ExitCode::from(2);
        }
    };
    match replay::replay(&options, |said| eprintln!("{said}")) {
        Ok(report) => {
            println!("{report}");
            ExitCode::SUCCESS
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
        hunks: 450,
        show: 0,
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let number = match argument.as_str() {
            "--hunks" => &mut options.hunks,
            "--show" => &mut options.show,
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
