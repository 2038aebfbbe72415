//! The entry point: parses the arguments, runs the command and returns the exit code.

#![expect(
    clippy::disallowed_methods,
    reason = "the entry point reads the environment of the process"
)]

use std::process::ExitCode;

use clap::Parser;
use treegraft_cli::cli::{self, Arguments, Environment};

/// Replaces the allocator of the C library, also for the parser. Searching many files takes about an eighth less time.
#[cfg(target_os = "linux")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let utf8 = |path: std::path::PathBuf| path.try_into().ok();
    let current = std::env::current_dir().ok().and_then(utf8);
    let environment = Environment {
        current: current.unwrap_or_else(|| ".".into()),
        program: std::env::current_exe().ok().and_then(utf8),
        variable: |name| std::env::var(name).ok(),
    };
    cli::run(arguments, environment)
}
