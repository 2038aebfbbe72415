//! `treegraft hook`: reads an event of a client, and prints the answer within a time limit.

use std::process::ExitCode;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use treegraft::diagnostic::ExitStatus;
use treegraft::workspace::user_guard;

use super::args::HookVerb;
use super::print::Printer;
use super::status;
use crate::{hook, user_files};

/// The time after which a call passes unchecked.
const LIMIT: Duration = Duration::from_millis(500);

/// Answers one event. Always succeeds: whatever goes wrong, the call passes.
pub(super) fn hook(printer: &Printer, verb: &HookVerb) -> ExitCode {
    let client = verb.client.clone();
    let guard = verb.guard;
    let Ok(event) = user_files::read_standard_input() else {
        return status(ExitStatus::Done);
    };
    let (answered, answer) = mpsc::channel();
    let work = move || {
        let guard = guard.unwrap_or_else(user_guard);
        // The receiver is gone if the time is over.
        let _ = answered.send(hook::answer(&client, &event, guard));
    };
    // A thread that cannot be started, panics or takes too long sends nothing in time.
    let started = thread::Builder::new().stack_size(STACK).spawn(work);
    if started.is_ok()
        && let Ok(Some(answer)) = answer.recv_timeout(LIMIT)
    {
        printer.bytes(format!("{answer}\n").as_bytes());
    }
    status(ExitStatus::Done)
}

/// The stack of the main thread on most systems.
const STACK: usize = 8 * 1024 * 1024;
