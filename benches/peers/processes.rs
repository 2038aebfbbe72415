//! Measures processes: their time, their peak memory and their answers.
//!
//! A program is measured from its start to its end. A server that speaks MCP over stdio is measured
//! call by call. A process that does not answer in time is killed.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{self, Sender};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use wait4::Wait4;

/// How long an answer may take.
const LIMIT: Duration = Duration::from_secs(60);

/// A working directory and a home directory for one tool.
pub(crate) struct Sandbox {
    directory: tempfile::TempDir,
}

impl Sandbox {
    pub(crate) fn new() -> Sandbox {
        let directory = tempfile::tempdir().expect("a temporary directory");
        for name in ["root", "home"] {
            fs::create_dir(directory.path().join(name)).expect("a folder");
        }
        Sandbox { directory }
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.directory.path().join("root")
    }

    /// Writes the file as it is before an edit.
    pub(crate) fn put(&self, path: &str, text: &str) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().expect("a file has a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    pub(crate) fn read(&self, path: &str) -> String {
        let bytes = fs::read(self.root().join(path)).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Returns a command that runs in this sandbox and uses its home directory.
    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(self.root())
            .env_clear()
            .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
            .env("HOME", self.directory.path().join("home"))
            .env("LANG", "C.UTF-8")
            .stdin(Stdio::null());
        command
    }
}

/// The result of one run of a program, or of the calls that make one edit.
pub(crate) struct Ran {
    pub(crate) took: Duration,
    /// In KB.
    pub(crate) peak: Option<f64>,
    /// The answer; `None` if the process was killed.
    pub(crate) answer: Option<String>,
}

/// Kills a process that takes too long.
struct Watch {
    done: Sender<()>,
    thread: thread::JoinHandle<bool>,
}

impl Watch {
    fn over(process: u32) -> Watch {
        let (done, is_done) = mpsc::channel();
        let thread = thread::spawn(move || {
            let is_late = is_done.recv_timeout(LIMIT).is_err();
            if is_late {
                end(process);
            }
            is_late
        });
        Watch { done, thread }
    }

    /// Returns whether the process was killed.
    fn was_late(self) -> bool {
        let _ = self.done.send(());
        self.thread.join().unwrap_or(false)
    }
}

/// The environment variable that makes this process the launcher, which starts and measures a
/// program.
const LAUNCHER: &str = "TREEGRAFT_BENCH_LAUNCHER";

#[cfg(unix)]
fn end(process: u32) {
    use rustix::process::{Pid, Signal, kill_process};

    if let Some(process) = i32::try_from(process).ok().and_then(Pid::from_raw) {
        let _ = kill_process(process, Signal::KILL);
    }
}

/// On other systems the bench waits for the process.
#[cfg(not(unix))]
fn end(_: u32) {}

/// Runs a program once. A small launcher process starts it, because the reported peak memory of a
/// process is never below that of its parent at the time of the start.
pub(crate) fn program(sandbox: &Sandbox, path: &Path, words: &[String]) -> Ran {
    let files = ["out", "err", "report"].map(|name| sandbox.directory.path().join(name));
    let [out, err, report] = &files;
    let this = std::env::current_exe().expect("this program");
    let mut command = sandbox.command(&this);
    command.env(LAUNCHER, report).arg(path).args(words);
    command
        .stdout(File::create(out).expect("a file"))
        .stderr(File::create(err).expect("a file"));
    let ended = command.status().expect("this program starts");
    assert!(ended.success(), "{} starts", path.display());
    let [out, err, report] = files.map(|path| fs::read_to_string(path).unwrap_or_default());
    let (took, peak, is_late): (f64, f64, bool) =
        serde_json::from_str(&report).expect("the launcher reports");
    Ran {
        took: Duration::from_secs_f64(took),
        peak: Some(peak),
        answer: (!is_late).then_some(out + &err),
    }
}

/// If this process is the launcher, starts the program given by the arguments and writes the
/// report.
pub(crate) fn launch() -> bool {
    let Some(report) = std::env::var_os(LAUNCHER) else {
        return false;
    };
    let mut words = std::env::args_os().skip(1);
    let mut command = Command::new(words.next().expect("a program"));
    command.args(words).env_remove(LAUNCHER);
    let begin = Instant::now();
    let child = command.spawn().expect("the program starts");
    let watch = Watch::over(child.id());
    let used = child.wait4().expect("it ends");
    let took = begin.elapsed().as_secs_f64();
    let peak = used.rusage.maxrss as f64 / 1024.0;
    let said = json!([took, peak, watch.was_late()]);
    fs::write(report, said.to_string()).expect("a report");
    true
}

/// A running server.
pub(crate) struct Server {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    asked: u64,
}

/// A call of a tool. `EDIT_ID` in its arguments is replaced with the id that the previous call
/// returned.
pub(crate) type Call = (&'static str, Value);

pub(crate) const EDIT_ID: &str = "the id that was answered";

/// The answer of a tool: the text that the model sees, and the id of an edit in it.
struct Answer {
    text: String,
    edit_id: Option<Value>,
    is_refusal: bool,
}

impl Server {
    /// Starts a server and performs the handshake as a client.
    pub(crate) fn start(sandbox: &Sandbox, path: &Path, words: &[&str]) -> Server {
        let mut command = sandbox.command(path);
        command
            .args(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut child = command.spawn().expect("the server starts");
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("standard output is a pipe"));
        let mut server = Server {
            child,
            input,
            output,
            asked: 0,
        };
        let greeting = json!({
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "bench", "version": "1"},
        });
        let watch = Watch::over(server.child.id());
        server.ask("initialize", greeting);
        watch.was_late();
        server.say(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        server
    }

    fn say(&mut self, message: &Value) {
        let line = format!("{message}\n");
        if let Some(input) = &mut self.input {
            let _ = input.write_all(line.as_bytes());
        }
    }

    /// Sends a request. Returns `None` if the server exits before it answers.
    fn ask(&mut self, method: &str, params: Value) -> Option<Value> {
        self.asked += 1;
        let id = self.asked;
        self.say(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        let mut line = String::new();
        loop {
            line.clear();
            if self.output.read_line(&mut line).ok()? == 0 {
                return None;
            }
            let message: Value = serde_json::from_str(&line).ok()?;
            if message["id"] == id && message.get("method").is_none() {
                return Some(message);
            }
        }
    }

    fn tool(&mut self, (name, arguments): &Call) -> Option<Answer> {
        let message = self.ask("tools/call", json!({"name": name, "arguments": arguments}))?;
        let result = &message["result"];
        let parts = result["content"].as_array();
        let texts = parts
            .into_iter()
            .flatten()
            .filter_map(|part| part["text"].as_str());
        let text = match message.get("error") {
            Some(error) => error["message"].as_str().unwrap_or_default().to_string(),
            None => texts.collect::<Vec<&str>>().join("\n"),
        };
        let edit_id = result.pointer("/structuredContent/edit_id").cloned();
        let edit_id = edit_id.or_else(|| {
            let answer: Value = serde_json::from_str(&text).ok()?;
            answer.get("edit_id").cloned()
        });
        let is_refusal = message.get("error").is_some() || result["isError"] == true;
        Some(Answer {
            text,
            edit_id,
            is_refusal,
        })
    }

    /// Makes the calls of one edit in order, until one is refused.
    pub(crate) fn calls(&mut self, calls: &[Call]) -> Ran {
        let watch = Watch::over(self.child.id());
        let begin = Instant::now();
        let mut said = Vec::new();
        let mut edit_id = None;
        let mut is_over = false;
        for (name, arguments) in calls {
            let mut arguments = arguments.clone();
            if let Some(argument) = arguments.get_mut("edit_id")
                && *argument == EDIT_ID
            {
                *argument = edit_id.take().unwrap_or_default();
            }
            let Some(answer) = self.tool(&(*name, arguments)) else {
                is_over = true;
                break;
            };
            edit_id = answer.edit_id;
            said.push(answer.text);
            if answer.is_refusal {
                break;
            }
        }
        let took = begin.elapsed();
        let is_late = watch.was_late();
        Ran {
            took,
            peak: self.peak(),
            answer: (!is_late && !is_over).then(|| said.join("\n")),
        }
    }

    /// Returns the peak memory in KB, or `None` if the system does not report it in `/proc`.
    fn peak(&self) -> Option<f64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("VmHWM:"))?;
        line.split_whitespace().next()?.parse().ok()
    }
}

impl Drop for Server {
    /// Closes the input, which makes the server exit.
    fn drop(&mut self) {
        self.input = None;
        let watch = Watch::over(self.child.id());
        let _ = self.child.wait();
        watch.was_late();
    }
}
