//! The entry point: parses the arguments, runs the command and returns the exit code.

#![expect(
    clippy::disallowed_methods,
    reason = "the entry point reads the environment of the process"
)]

use std::process::ExitCode;

use treegraft_cli::cli::{self, Environment};

/// Replaces the allocator of the C library, also for the parser. Searching many files takes about an eighth less time.
#[cfg(target_os = "linux")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The number of files that may be open at the same time, as far as the system allows it.
#[cfg(unix)]
const OPEN_FILES: u64 = 65_536;
/// The maximum on systems that name none.
#[cfg(unix)]
const OPEN_FILES_ANYWHERE: u64 = 10_240;

fn main() -> ExitCode {
    #[cfg(unix)]
    raise_limit_of_open_files();
    let arguments = cli::arguments(&std::env::args_os().collect::<Vec<_>>());
    let utf8 = |path: std::path::PathBuf| path.try_into().ok();
    let current = std::env::current_dir().ok().and_then(utf8);
    let environment = Environment {
        current: current.unwrap_or_else(|| ".".into()),
        program: std::env::current_exe().ok().and_then(utf8),
        variable: |name| std::env::var(name).ok(),
    };
    cli::run(arguments, environment)
}

/// Raises the limit of open files: a change of several files has all of them open, and most systems start a program with
/// a limit of 256 or 1,024.
#[cfg(unix)]
fn raise_limit_of_open_files() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    for most in [OPEN_FILES, OPEN_FILES_ANYWHERE] {
        let most = limit.maximum.map_or(most, |maximum| maximum.min(most));
        let raised = Rlimit {
            current: Some(most),
            maximum: limit.maximum,
        };
        let is_enough = limit.current.is_none_or(|current| current >= most);
        if is_enough || setrlimit(Resource::Nofile, raised).is_ok() {
            return;
        }
    }
}
