//! `treegraft client hook`: reads an event of a client, and prints the answer within a time limit.

use std::io::{self, Read};
use std::process::ExitCode;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use camino::Utf8PathBuf;
use treegraft::diagnostic::ExitStatus;
use treegraft::engine::FILE_LIMIT;
use treegraft::workspace::user_guard;

use super::args::HookVerb;
use super::print::Printer;
use super::status;
use crate::hook::{self, HookOptions};
use crate::user_files;

/// The stack of the main thread on most systems.
const STACK: usize = 8 * 1024 * 1024;
/// The maximum size of an event, in bytes: the texts of the largest file before and after an edit, with each byte escaped.
const EVENT_BYTES: u64 = 4 * FILE_LIMIT;

/// Answers one event. Always succeeds: whatever goes wrong, the call passes. The time to read the event counts, since a
/// client may leave standard input open.
pub(super) fn hook(printer: &Printer, verb: &HookVerb, current: Utf8PathBuf) -> ExitCode {
    let client = verb.client.clone();
    let guard = verb.guard;
    let diagnostics = verb.diagnostics.map(Duration::from_secs);
    let limit = Duration::from_millis(verb.time_limit) + diagnostics.unwrap_or_default();
    let (answered, answer) = mpsc::channel();
    let work = move || {
        let Ok(event) = read_event() else {
            return;
        };
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

/// Reads standard input, if it is not too large for an event.
fn read_event() -> io::Result<Vec<u8>> {
    let mut event = Vec::new();
    let mut input = user_files::standard_input().take(EVENT_BYTES + 1);
    input.read_to_end(&mut event)?;
    match event.len() as u64 > EVENT_BYTES {
        true => Err(io::ErrorKind::FileTooLarge.into()),
        false => Ok(event),
    }
}
