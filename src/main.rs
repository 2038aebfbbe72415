//! The process edge: parse the arguments, run, turn the outcome into an exit status.

#![expect(
    clippy::disallowed_methods,
    reason = "the process edge asks the environment where it was called"
)]

use std::process::ExitCode;

use clap::Parser;
use treegraft::cli::{self, Arguments};

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let current = std::env::current_dir()
        .ok()
        .and_then(|path| path.try_into().ok());
    cli::run(arguments, current.unwrap_or_else(|| ".".into()))
}
