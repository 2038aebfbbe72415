//! Starts what clients are configured to start: the server, which answers `initialize`, and the hook, which
//! accepts an empty event.
//!
//! Only this program is started. A configuration of a project may come from anybody, so it may name the
//! program only as it is on the `PATH`, not by a path.

#![expect(
    clippy::disallowed_methods,
    reason = "it starts the program of a client's configuration"
)]

use std::io::{self, BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::{Value, json};

use treegraft::workspace;

use crate::cli::clients::ConfigScope;

/// How long the server may take to answer, and the hook to exit.
const LIMIT: Duration = Duration::from_secs(5);
/// How often an exit is looked for.
const STEP: Duration = Duration::from_millis(5);

/// The result of starting a command.
pub(super) enum Started {
    /// It works; what it answered.
    Works(String),
    /// It does not work, and why.
    Fails(String),
    /// It was not started, and why.
    Skipped(String),
}

/// Finds the program of a command, if it may be started.
fn program(name: &str, scope: ConfigScope, own: Option<&Utf8Path>) -> Result<Utf8PathBuf, Started> {
    let stem = name.rsplit(['/', '\\']).next().unwrap_or_default();
    if stem.trim_end_matches(".exe") != "treegraft" {
        let why = "not checked: the command is another program";
        return Err(Started::Skipped(why.to_string()));
    }
    let found = workspace::find_program(&workspace::search_path(), name);
    let is_path = Utf8Path::new(name).components().count() > 1;
    match found {
        None if is_path => Err(Started::Fails("the program is missing".to_string())),
        None => Err(Started::Fails("no treegraft on the PATH".to_string())),
        Some(found) if is_path && scope == ConfigScope::Project && own != Some(&found) => {
            let why = "not checked: a file of a project names the program by its path";
            Err(Started::Skipped(why.to_string()))
        }
        Some(found) => Ok(found),
    }
}

/// Starts the server of a configuration in a directory, and initializes it.
pub(super) fn server(
    words: &[String],
    scope: ConfigScope,
    own: Option<&Utf8Path>,
    directory: &Utf8Path,
) -> Started {
    let Some((name, arguments)) = words.split_first() else {
        return Started::Fails("the entry has no command".to_string());
    };
    let program = match program(name, scope, own) {
        Ok(program) => program,
        Err(result) => return result,
    };
    if arguments.first().is_none_or(|first| first != "serve") {
        return Started::Fails("the arguments do not start with serve".to_string());
    }
    // The variable of some clients for the directory of the project.
    let arguments = arguments
        .iter()
        .map(|argument| argument.replace("${workspaceFolder}", directory.as_str()));
    let child = Command::new(&program)
        .args(arguments)
        .current_dir(directory)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let mut child = match child {
        Ok(child) => child,
        Err(error) => return Started::Fails(format!("cannot start the program: {error}")),
    };
    let answered = initialized(&mut child);
    // A server that does not exit at the end of its input is no reason to wait.
    let _ = child.kill();
    let _ = child.wait();
    match answered {
        Ok(version) => Started::Works(version),
        Err(why) => Started::Fails(why),
    }
}

/// Initializes a server. Returns its name and version.
fn initialized(child: &mut Child) -> Result<String, String> {
    let request = json!({
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "treegraft client doctor", "version": env!("CARGO_PKG_VERSION")},
        },
    });
    let (Some(mut input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
        return Err("the program has no standard streams".to_string());
    };
    let (sender, receiver) = mpsc::channel();
    // Ends with the process, which is killed.
    thread::spawn(move || {
        let mut line = String::new();
        let read = BufReader::new(output).read_line(&mut line);
        let _ = sender.send(read.map(|_| line));
    });
    let written = writeln!(input, "{request}").and_then(|()| input.flush());
    let line = match (written, receiver.recv_timeout(LIMIT)) {
        (_, Ok(Ok(line))) if !line.is_empty() => line,
        (_, Err(mpsc::RecvTimeoutError::Timeout)) => {
            return Err(format!("no answer within {} s", LIMIT.as_secs()));
        }
        _ => return Err("the server exits without an answer".to_string()),
    };
    let answer: Value = serde_json::from_str(&line).unwrap_or_default();
    let server = &answer["result"]["serverInfo"];
    match (server["name"].as_str(), server["version"].as_str()) {
        (Some(name), Some(version)) => Ok(format!("{name} {version}")),
        _ => Err("the answer to initialize is wrong".to_string()),
    }
}

/// Runs the command of a hook with an empty event.
pub(super) fn hook(
    (name, arguments): (&str, &[&str]),
    scope: ConfigScope,
    own: Option<&Utf8Path>,
    directory: &Utf8Path,
) -> Started {
    let program = match program(name, scope, own) {
        Ok(program) => program,
        Err(result) => return result,
    };
    let child = Command::new(&program)
        .args(arguments)
        .current_dir(directory)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let ended = child.and_then(|mut child| {
        if let Some(mut input) = child.stdin.take() {
            // A program that does not read its input closes it.
            let _ = input.write_all(b"{}");
        }
        exit_code(&mut child)
    });
    match ended {
        Ok(Some(0)) => Started::Works("exit code 0".to_string()),
        Ok(Some(code)) => Started::Fails(format!("the hook ends with exit code {code}")),
        Ok(None) => Started::Fails(format!(
            "the hook does not end within {} s",
            LIMIT.as_secs()
        )),
        Err(error) => Started::Fails(format!("cannot start the program: {error}")),
    }
}

/// Waits for a process. Returns `None`, and kills it, after the time limit.
fn exit_code(child: &mut Child) -> io::Result<Option<i32>> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status.code().unwrap_or(-1)));
        }
        if start.elapsed() > LIMIT {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        thread::sleep(STEP);
    }
}
