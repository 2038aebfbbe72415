//! The process of a language server. Input: a command. Output: a running process and its streams.
//!
//! A server leads a process group of its own, so that the processes it starts end with it. The last bytes
//! of its standard error are kept for error messages.

#![expect(
    clippy::disallowed_methods,
    reason = "language servers are the only programs that are started, and only here"
)]

use std::collections::VecDeque;
use std::io::{self, Read};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, Weak};
use std::thread;
use std::time::Duration;

use camino::Utf8Path;

use super::monitor::{Monitor, lock};

/// The number of bytes kept from the end of a server's standard error.
pub const STDERR_TAIL: usize = 4 << 10;

/// The number of bytes kept from the start of a server's standard error: what follows the first error is often
/// a consequence of it.
const STDERR_HEAD: usize = 4 << 10;

/// What a line of standard error that reports an error contains, in lower case.
const ERROR_WORDS: &[&str] = &[
    "error",
    "panicked",
    "fatal",
    "exception",
    "not found",
    "not installed",
];

/// How long to wait for what a server wrote just before its end: a process outside of its group may keep
/// the other end of a pipe open forever.
pub(super) const DRAIN_TIMEOUT: Duration = Duration::from_secs(1);

/// How long to wait at least until the system has removed a killed process.
const KILL_TIMEOUT: Duration = Duration::from_secs(5);

/// The streams of a server that are read: standard output and standard error.
const READ_STREAMS: usize = 2;

/// The processes of all servers that were started with this value, including those that are not
/// initialized yet.
#[derive(Clone, Debug, Default)]
pub struct Processes(Arc<Mutex<Registry>>);

#[derive(Debug, Default)]
struct Registry {
    processes: Vec<Weak<Process>>,
    is_closed: bool,
}

/// A process that leads a process group of its own.
#[derive(Debug)]
pub(super) struct Process {
    id: u32,
    /// `None` once the process is reaped, since the system may then assign its number to another one.
    child: Mutex<Option<Child>>,
    state: Monitor<ProcessState>,
}

#[derive(Debug, Default)]
struct ProcessState {
    has_exited: bool,
    /// How many of the [`READ_STREAMS`] have been read to their end.
    drained_streams: usize,
    stderr_head: Vec<u8>,
    stderr_tail: VecDeque<u8>,
}

/// The streams on which a server speaks the protocol.
pub(super) struct Streams {
    pub(super) input: ChildStdin,
    pub(super) output: ChildStdout,
}

impl Processes {
    /// Kills all of them, and every process that is started later.
    pub fn kill(&self) {
        let mut registry = lock(&self.0);
        registry.is_closed = true;
        for process in registry.processes.drain(..) {
            if let Some(process) = process.upgrade() {
                process.kill();
            }
        }
    }

    pub(super) fn add(&self, process: &Arc<Process>) {
        let mut registry = lock(&self.0);
        if registry.is_closed {
            process.kill();
        }
        registry
            .processes
            .retain(|process| process.strong_count() > 0);
        registry.processes.push(Arc::downgrade(process));
    }
}

impl Process {
    /// Starts a program in a directory. When it has exited and its streams are drained, `on_exit` receives
    /// a description of how it exited.
    pub(super) fn start(
        (program, arguments): (&str, &[String]),
        directory: &Utf8Path,
        on_exit: impl FnOnce(String) + Send + 'static,
    ) -> io::Result<(Arc<Process>, Streams)> {
        let mut command = Command::new(program);
        command
            .args(arguments)
            .current_dir(directory)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn()?;
        let streams = Streams {
            input: child.stdin.take().expect("its standard input is a pipe"),
            output: child.stdout.take().expect("its standard output is a pipe"),
        };
        let stderr = child.stderr.take().expect("its standard error is a pipe");
        let process = Arc::new(Process {
            id: child.id(),
            child: Mutex::new(Some(child)),
            state: Monitor::default(),
        });
        process.start_threads(stderr, on_exit).inspect_err(|_| {
            process.kill();
        })?;
        Ok((process, streams))
    }

    fn start_threads(
        self: &Arc<Process>,
        stderr: ChildStderr,
        on_exit: impl FnOnce(String) + Send + 'static,
    ) -> io::Result<()> {
        let process = self.clone();
        spawn("exit", move || {
            let how = process.wait_for_exit();
            process.state.change(|state| state.has_exited = true);
            process.wait_until_drained();
            on_exit(how);
        })?;
        let process = self.clone();
        spawn("stderr", move || process.keep_tail(stderr))
    }

    /// Returns its number, which is that of its process group too.
    pub(super) fn id(&self) -> u32 {
        self.id
    }

    /// Returns the end of the server's standard error, at most [`STDERR_TAIL`] bytes.
    pub(super) fn last_stderr(&self) -> String {
        let bytes: Vec<u8> = self.state.lock().stderr_tail.iter().copied().collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Returns the first line of the server's standard error that reports an error, else its first line.
    pub(super) fn first_error(&self) -> String {
        let head = String::from_utf8_lossy(&self.state.lock().stderr_head).into_owned();
        first_error_of(&head, &self.last_stderr())
    }

    /// Records that one of its streams has been read to its end.
    pub(super) fn stream_drained(&self) {
        self.state.change(|state| state.drained_streams += 1);
    }

    /// Waits until everything that the server wrote has been read, at most [`DRAIN_TIMEOUT`].
    pub(super) fn wait_until_drained(&self) {
        self.state
            .wait_while(DRAIN_TIMEOUT, |state| state.drained_streams < READ_STREAMS);
    }

    /// Waits at most `within` until the process has exited. Returns whether it has.
    pub(super) fn has_exited_within(&self, within: Duration) -> bool {
        self.state.wait_while(within, |state| !state.has_exited)
    }

    /// Ends the whole group: with a signal that processes can catch, and if that takes longer than
    /// `patience`, by killing it.
    pub(super) fn terminate(&self, patience: Duration) {
        self.ask_to_exit();
        if !self.has_exited_within(patience) {
            self.kill();
            self.has_exited_within(patience.max(KILL_TIMEOUT));
        }
    }

    /// Sends a signal that processes can catch.
    fn ask_to_exit(&self) {
        #[cfg(unix)]
        self.signal(rustix::process::Signal::TERM);
        #[cfg(not(unix))]
        self.kill();
    }

    pub(super) fn kill(&self) {
        #[cfg(unix)]
        self.signal(rustix::process::Signal::KILL);
        #[cfg(not(unix))]
        if let Some(child) = lock(&self.child).as_mut() {
            // Fails only if the process has exited already.
            let _ = child.kill();
        }
    }

    /// Waits for the exit and kills the processes that the server leaves in its group; returns how it
    /// exited.
    #[cfg(unix)]
    fn wait_for_exit(&self) -> String {
        use rustix::process::{Signal, WaitId, WaitIdOptions, waitid};
        // Not reaped before its group is dead: until then no other group can get the number.
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        if let Some(own) = self.group() {
            while waitid(WaitId::Pid(own), options).err() == Some(rustix::io::Errno::INTR) {}
        }
        self.signal(Signal::KILL);
        let mut child = lock(&self.child);
        let status = child.as_mut().map(Child::wait);
        *child = None;
        describe(status)
    }

    #[cfg(not(unix))]
    fn wait_for_exit(&self) -> String {
        const INTERVAL: Duration = Duration::from_millis(20);
        loop {
            let mut child = lock(&self.child);
            match child.as_mut().map(Child::try_wait) {
                Some(Ok(None)) => {}
                Some(Ok(Some(status))) => {
                    *child = None;
                    return describe(Some(Ok(status)));
                }
                Some(Err(error)) => return describe(Some(Err(error))),
                None => return describe(None),
            }
            drop(child);
            thread::sleep(INTERVAL);
        }
    }

    #[cfg(unix)]
    fn group(&self) -> Option<rustix::process::Pid> {
        rustix::process::Pid::from_raw(self.id.try_into().ok()?)
    }

    /// Sends a signal to the whole group, as long as the number is that of the group.
    #[cfg(unix)]
    fn signal(&self, signal: rustix::process::Signal) {
        let child = lock(&self.child);
        if let (Some(_), Some(group)) = (child.as_ref(), self.group()) {
            // Fails only if the group no longer exists.
            let _ = rustix::process::kill_process_group(group, signal);
        }
    }

    /// Reads standard error to its end, so that a full pipe never blocks the server; keeps the last bytes.
    fn keep_tail(&self, mut stderr: ChildStderr) {
        let mut buffer = [0; 16 << 10];
        loop {
            match stderr.read(&mut buffer) {
                Ok(read) if read > 0 => {
                    let mut state = self.state.lock();
                    let missing = STDERR_HEAD.saturating_sub(state.stderr_head.len());
                    state.stderr_head.extend(&buffer[..read.min(missing)]);
                    let tail = &mut state.stderr_tail;
                    tail.extend(&buffer[..read]);
                    let surplus = tail.len().saturating_sub(STDERR_TAIL);
                    tail.drain(..surplus);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(_) | Err(_) => break,
            }
        }
        self.stream_drained();
    }
}

/// Returns the first line that reports an error, else the first line with text. Lines of code, which some
/// programs print before the message, are not considered.
fn first_error_of(head: &str, tail: &str) -> String {
    let lines = || head.lines().chain(tail.lines()).map(str::trim);
    let is_code = |line: &str| line.ends_with([';', '{', '}', ',']);
    let is_error = |line: &&str| {
        let lower = line.to_lowercase();
        !is_code(line) && ERROR_WORDS.iter().any(|word| lower.contains(word))
    };
    let first = lines().find(is_error);
    let first = first.or_else(|| lines().find(|line| !line.is_empty()));
    first.unwrap_or_default().to_string()
}

/// Starts a thread of a server.
pub(super) fn spawn(name: &str, body: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let thread = thread::Builder::new().name(format!("lsp {name}"));
    thread.spawn(body).map(drop)
}

/// Describes how a process exited.
fn describe(status: Option<io::Result<ExitStatus>>) -> String {
    match status {
        Some(Ok(status)) => status.to_string(),
        Some(Err(error)) => error.to_string(),
        None => "unknown".to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_error_is_found() {
        for (stderr, expected) in [
            ("", ""),
            ("\nstarting\nmore\n", "starting"),
            (
                "info: syncing\nerror: Unknown binary 'a' in official toolchain 'b'.\nerror: second\n",
                "error: Unknown binary 'a' in official toolchain 'b'.",
            ),
            (
                "node:internal/loader:1228\n  const err = new Error(message);\n  ^\n\nError: Cannot find module 'x'\n",
                "Error: Cannot find module 'x'",
            ),
            (
                "Traceback (most recent call last):\n  File \"a.py\"\nModuleNotFoundError: No module named 'x'\n",
                "ModuleNotFoundError: No module named 'x'",
            ),
        ] {
            assert_eq!(first_error_of(stderr, stderr), expected);
            assert_eq!(first_error_of("", stderr), expected);
        }
    }
}
