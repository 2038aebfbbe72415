//! The process edge, for as long as there is no command line.
#![expect(
    clippy::disallowed_methods,
    reason = "the process edge: arguments come from here"
)]

use std::process::ExitCode;
use std::sync::Arc;

use camino::Utf8PathBuf;
use treegraft::engine::Engine;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let mut roots = Vec::new();
    let serve = arguments.next().is_some_and(|verb| verb == "serve");
    while arguments.next().is_some_and(|option| option == "--root") {
        roots.extend(arguments.next().map(Utf8PathBuf::from));
    }
    if !serve || roots.is_empty() {
        return ExitCode::from(2);
    }
    let Ok(engine) = Engine::open(&roots, None) else {
        return ExitCode::from(3);
    };
    let Ok(runtime) = tokio::runtime::Runtime::new() else {
        return ExitCode::from(3);
    };
    let served = runtime.block_on(treegraft::mcp::serve(Arc::new(engine)));
    runtime.shutdown_background();
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::from(3),
    }
}
