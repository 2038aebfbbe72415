//! The ways to make a call, each measured from the arguments to the text of the refusal.
//!
//! Library: a new engine, which reads and parses the file. Opening the engine does not count.
//! Command line: a process, minus the time of `treegraft --version` measured right before. MCP: a
//! server over stdio that has read the file before.

use std::cell::RefCell;
use std::io::{BufRead, BufReader, Lines, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use treegraft::engine::calls::Call;

use crate::calls::Workspace;
use crate::measure::timed;
use crate::start::INITIALIZE;

use super::PATH;
use super::kinds::Kind;

/// One way to make a call.
pub(super) trait Way {
    /// Makes the call. Returns the time and the code of the refusal.
    fn refused(&self, kind: &Kind) -> (Duration, String);
}

/// A new engine for each call.
pub(super) struct Library<'w>(&'w Workspace);

/// A new process for each call.
pub(super) struct CommandLine<'w>(&'w Workspace);

/// One server for all calls, started with the first call.
pub(super) struct Server<'w> {
    workspace: &'w Workspace,
    process: RefCell<Option<Process>>,
}

struct Process {
    child: Child,
    input: Option<ChildStdin>,
    output: Lines<BufReader<ChildStdout>>,
    calls: usize,
}

impl<'w> Library<'w> {
    pub(super) fn over(workspace: &'w Workspace) -> Library<'w> {
        Library(workspace)
    }
}

impl Way for Library<'_> {
    fn refused(&self, kind: &Kind) -> (Duration, String) {
        let engine = self.0.engine();
        let arguments = kind.arguments(PATH);
        let start = Instant::now();
        let call = Call::read(kind.tool(), arguments).expect("valid arguments");
        let Err(refusal) = call.make(&engine, &()) else {
            return (start.elapsed(), "none".to_string());
        };
        std::hint::black_box((refusal.text(), refusal.json()));
        (start.elapsed(), refusal.code().as_str().to_string())
    }
}

impl<'w> CommandLine<'w> {
    pub(super) fn over(workspace: &'w Workspace) -> CommandLine<'w> {
        CommandLine(workspace)
    }
}

impl Way for CommandLine<'_> {
    fn refused(&self, kind: &Kind) -> (Duration, String) {
        let version = timed(|| {
            let output = command(self.0).arg("--version").output();
            output.expect("the program starts")
        });
        let start = Instant::now();
        let output = command(self.0).args(kind.words(PATH)).output();
        let whole = start.elapsed();
        let output = output.expect("the program starts");
        let said = String::from_utf8_lossy(&output.stderr);
        let first = said.lines().next().unwrap_or_default();
        let code = first.strip_prefix("refused: ").unwrap_or(&said).to_string();
        (whole.saturating_sub(version), code)
    }
}

impl<'w> Server<'w> {
    pub(super) fn over(workspace: &'w Workspace) -> Server<'w> {
        Server {
            workspace,
            process: RefCell::new(None),
        }
    }
}

impl Way for Server<'_> {
    fn refused(&self, kind: &Kind) -> (Duration, String) {
        let mut process = self.process.borrow_mut();
        let process = process.get_or_insert_with(|| Process::start(self.workspace));
        let params = json!({"name": kind.tool(), "arguments": kind.arguments(PATH)});
        let (took, answer) = process.call(params);
        let code = &answer["result"]["structuredContent"]["error"]["code"];
        (took, code.as_str().unwrap_or("none").to_string())
    }
}

impl Process {
    fn start(workspace: &Workspace) -> Process {
        let mut child = command(workspace)
            .arg("serve")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut input = child.stdin.take().expect("standard input is a pipe");
        let output = child.stdout.take().expect("standard output is a pipe");
        let mut output = BufReader::new(output).lines();
        for message in INITIALIZE {
            writeln!(input, "{message}").expect("it reads");
        }
        assert!(output.next().is_some_and(|line| line.is_ok()), "it answers");
        Process {
            child,
            input: Some(input),
            output,
            calls: 1,
        }
    }

    /// Makes a call. Returns the time and the answer.
    fn call(&mut self, params: Value) -> (Duration, Value) {
        self.calls += 1;
        let message =
            json!({"jsonrpc": "2.0", "id": self.calls, "method": "tools/call", "params": params});
        let input = self.input.as_mut().expect("it is open until the end");
        let start = Instant::now();
        writeln!(input, "{message}").expect("it reads");
        let line = self.output.next();
        let took = start.elapsed();
        let line = line.expect("it answers").expect("it answers in UTF-8");
        (took, serde_json::from_str(&line).expect("it is JSON"))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        drop(self.input.take());
        let ended = self.child.wait();
        ended.expect("it ends with its input");
    }
}

/// Returns a command that runs treegraft on a workspace.
fn command(workspace: &Workspace) -> Command {
    let mut command = Command::new(Path::new(env!("CARGO_BIN_EXE_treegraft")));
    command
        .arg("--root")
        .arg(workspace.root())
        .env("XDG_STATE_HOME", workspace.root().with_file_name("state"));
    command
}
