//! `treegraft hook`: reads an event of a client, and prints the answer within a time limit.

use std::process::ExitCode;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use camino::Utf8PathBuf;
use treegraft::diagnostic::ExitStatus;
use treegraft::workspace::user_guard;

use super::args::HookVerb;
use super::print::Printer;
use super::status;
use crate::hook::{self, HookOptions};
use crate::user_files;

/// The stack of the main thread on most systems.
const STACK: usize = 8 * 1024 * 1024;

/// Answers one event. Always succeeds: whatever goes wrong, the call passes.
pub(super) fn hook(printer: &Printer, verb: &HookVerb, current: Utf8PathBuf) -> ExitCode {
    let client = verb.client.clone();
    let guard = verb.guard;
    let diagnostics = verb.diagnostics.map(Duration::from_secs);
    let Ok(event) = user_files::read_standard_input() else {
        return status(ExitStatus::Done);
    };
    let limit = Duration::from_millis(verb.time_limit) + diagnostics.unwrap_or_default();
    let (answered, answer) = mpsc::channel();
    let work = move || {
        let options = HookOptions {
            guard: guard.unwrap_or_else(user_guard),
            diagnostics,
            current,
        };
        // The receiver is gone if the time is over.
        let _ = answered.send(hook::answer(&client, &event, options));
    };
    // A thread that cannot be started, panics or takes too long sends nothing in time.
    let started = thread::Builder::new().stack_size(STACK).spawn(work);
    if started.is_ok()
        && let Ok(Some(answer)) = answer.recv_timeout(limit)
    {
        printer.bytes(format!("{answer}\n").as_bytes());
    }
    status(ExitStatus::Done)
}
