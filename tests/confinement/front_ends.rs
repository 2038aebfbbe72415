//! The three front ends over one workspace, and every call that names a file.

use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use camino::Utf8PathBuf;
use serde_json::{Value, json};
use treegraft::engine::Engine;
use treegraft::engine::request::coordinates::PositionArgument;
use treegraft::locate::Locate;

use super::fixture::Fixture;
use crate::mcp::Server;
use crate::support::call;
use crate::surfaces::command_line;

/// The time limit of one command; far more than it needs.
const PATIENCE: Duration = Duration::from_secs(10);

/// A way to make a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FrontEnd {
    Library,
    CommandLine,
    Mcp,
}

impl FrontEnd {
    pub(super) const ALL: [FrontEnd; 3] = [FrontEnd::Library, FrontEnd::CommandLine, FrontEnd::Mcp];
}

/// The library, the command line and the server over the `root` of a fixture, with one state
/// directory.
pub(super) struct FrontEnds {
    pub(super) engine: Engine,
    server: Server,
    root: Utf8PathBuf,
    state_home: Utf8PathBuf,
}

/// The result of a call, from any front end.
#[derive(Debug)]
pub(super) struct Reply {
    /// The code of a refusal; `None` for an answer.
    pub(super) code: Option<String>,
    /// The answer or the refusal.
    pub(super) json: Value,
    /// The complete output, including the text for people.
    pub(super) whole: String,
}

/// A tool and its arguments.
pub(super) type Call = (&'static str, Value);

impl FrontEnds {
    /// The state directory is `treegraft` below `state_home`, where the command line and the server
    /// look for it.
    pub(super) fn open(fixture: &Fixture, state_home: &str) -> FrontEnds {
        let root = fixture.root();
        let state_home = fixture.base().join(state_home);
        let state = state_home.join("treegraft");
        let engine = Engine::open(std::slice::from_ref(&root), Some(&state));
        let mut command = Command::new(env!("CARGO_BIN_EXE_treegraft"));
        command
            .args(["serve", "--root", root.as_str()])
            .env("XDG_STATE_HOME", &state_home);
        let own = tempfile::tempdir().expect("a temporary directory can be created");
        let mut server = Server::started(command, own);
        server.initialize("2025-06-18");
        FrontEnds {
            engine: engine.expect("the directories can be opened"),
            server,
            root,
            state_home,
        }
    }

    /// Makes a call; returns `None` if the front end cannot express it.
    pub(super) fn through(
        &mut self,
        front_end: FrontEnd,
        tool: &str,
        arguments: &Value,
    ) -> Option<Reply> {
        match front_end {
            FrontEnd::Library => Some(by_library(&self.engine, tool, arguments)),
            FrontEnd::CommandLine => {
                let words = command_line(tool, arguments)?;
                // The command reads all matches of a glob.
                let path = arguments["file_path"].as_str().unwrap_or_default();
                let is_one_file = tool != "read_node" || !path.contains('*');
                // A process argument cannot contain a zero byte.
                let is_expressible = is_one_file && words.iter().all(|word| !word.contains('\0'));
                is_expressible.then(|| self.by_command_line(&words))
            }
            FrontEnd::Mcp => {
                let result = self.server.call(tool, arguments.clone());
                Some(Reply::of(&result["structuredContent"], result.to_string()))
            }
        }
    }

    /// Applies a staged edit.
    pub(super) fn apply(&mut self, front_end: FrontEnd, edit_id: &str) -> Reply {
        let arguments = json!({"edit_id": edit_id});
        match front_end {
            FrontEnd::CommandLine => {
                self.by_command_line(&["--json", "apply", edit_id].map(str::to_string))
            }
            _ => self
                .through(front_end, "apply_edit", &arguments)
                .expect("the front end supports the call"),
        }
    }

    fn by_command_line(&self, words: &[String]) -> Reply {
        let mut command = Command::new(env!("CARGO_BIN_EXE_treegraft"));
        command
            .args(["--root", self.root.as_str()])
            .args(words)
            .env("XDG_STATE_HOME", &self.state_home);
        let output = finished(&mut command);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let whole = text(&output.stdout) + &text(&output.stderr);
        let json = serde_json::from_slice(&output.stdout);
        Reply::of(
            &json.unwrap_or_else(|_| panic!("{words:?}: {whole}")),
            whole,
        )
    }
}

impl Reply {
    fn of(json: &Value, whole: String) -> Reply {
        Reply {
            code: json["error"]["code"].as_str().map(str::to_string),
            json: json.clone(),
            whole,
        }
    }
}

pub(super) fn by_library(engine: &Engine, tool: &str, arguments: &Value) -> Reply {
    match call(engine, tool, arguments.clone()) {
        Ok(answered) => Reply::of(
            &answered.json,
            format!("{}\n{}", answered.json, answered.text),
        ),
        Err(refusal) => Reply::of(
            &refusal.json(),
            format!("{}\n{}", refusal.json(), refusal.text()),
        ),
    }
}

/// Runs a command to its end; one that hangs is killed, and the test fails.
pub(super) fn finished(command: &mut Command) -> Output {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let latest = Instant::now() + PATIENCE;
    while child
        .try_wait()
        .expect("the process can be queried")
        .is_none()
    {
        if Instant::now() > latest {
            // It may have ended just now.
            let _ = child.kill();
            panic!("{command:?} hangs: {:?}", rest(child));
        }
        std::thread::sleep(Duration::from_micros(500));
    }
    rest(child)
}

fn rest(child: Child) -> Output {
    child.wait_with_output().expect("the output can be read")
}

/// Fails a test that takes longer than the limit: opening a pipe or reading a device may block
/// forever.
pub(super) fn with_time_limit(limit: Duration, test: impl FnOnce() + Send + 'static) {
    let (sender, done) = channel();
    let running = std::thread::spawn(move || {
        test();
        // Nobody receives this after the limit.
        let _ = sender.send(());
    });
    match done.recv_timeout(limit) {
        Ok(()) | Err(RecvTimeoutError::Disconnected) => {
            if let Err(panic) = running.join() {
                std::panic::resume_unwind(panic);
            }
        }
        Err(RecvTimeoutError::Timeout) => panic!("not done after {limit:?}"),
    }
}

/// The function that every call is about; it is in each file, including those that are off limits.
const ANCHOR: &str = "fn open";

/// A file that may be edited; its function may not be moved to a file that is off limits.
const INSIDE_PATH: &str = "inside.rs";

/// Selects that function; as an object, since the command line cannot express it as a string.
pub(super) fn selector() -> Value {
    json!({"anchor_text": ANCHOR, "ancestor_node_type": "function"})
}

/// Returns the arguments of a `replace_node` call for that function.
pub(super) fn replacing(path: &str, content: &str, apply: bool) -> Value {
    json!({"file_path": path, "selector": selector(), "new_content": content, "apply": apply})
}

/// Returns a call that moves a function of another file to this one.
pub(super) fn move_there(path: &str) -> Call {
    let other = json!({"anchor_text": "fn other", "ancestor_node_type": "function"});
    (
        "move_node",
        json!({
            "file_path": INSIDE_PATH, "selector": selector(), "apply": true,
            "to": {"file_path": path, "selector": other, "position": "after"},
        }),
    )
}

/// Returns every form of every tool that names a file, if it can name this one.
pub(super) fn calls(path: &str) -> Vec<Call> {
    let selector = selector();
    let object = json!({"file_path": path, "find": ANCHOR});
    let content = "fn opened() {}";
    let other = json!({"anchor_text": "fn other", "ancestor_node_type": "function"});
    let mut calls = vec![
        ("outline", json!({"path": path})),
        ("find_nodes", json!({"path": path, "text": ANCHOR})),
        ("locate", json!({"locate": object})),
        ("locate", json!({"locate": object.to_string()})),
        ("locate", json!({"file_path": path, "position": "1:1"})),
        ("locate", json!({"file_path": path, "range": "1:1-1:3"})),
        ("read_node", json!({"locate": object})),
        (
            "read_node",
            json!({"file_path": path, "selector": selector}),
        ),
        (
            "replace_node",
            json!({"file_path": path, "selector": selector, "new_content": content}),
        ),
        (
            "replace_node",
            json!({"file_path": path, "selector": selector, "new_content": content, "apply": true}),
        ),
        (
            "insert_node",
            json!({"file_path": path, "selector": selector, "position": "after", "new_content": content, "apply": true}),
        ),
        (
            "delete_node",
            json!({"file_path": path, "selector": selector, "apply": true}),
        ),
        (
            "replace_text",
            json!({"file_path": path, "find": ANCHOR, "new_content": "fn opened", "apply": true}),
        ),
        (
            "wrap_node",
            json!({"file_path": path, "selector": selector, "new_content": "mod inner {\n    <|>\n}", "apply": true}),
        ),
        (
            "move_node",
            json!({
                "file_path": path, "selector": selector, "apply": true,
                "to": {"selector": other, "position": "after"},
            }),
        ),
    ];
    let locate = Locate {
        file_path: path.to_string(),
        scope: None,
        find: Some(ANCHOR.to_string()),
    };
    let string = locate.to_string();
    if string.parse() == Ok(locate) {
        calls.extend([
            ("locate", json!({"locate": string})),
            ("locate", json!({"locate": string})),
            ("read_node", json!({"locate": string})),
        ]);
    }
    let position = format!("{path}:1:1");
    if PositionArgument::read(&position).is_ok_and(|read| read.file_path.as_deref() == Some(path)) {
        calls.push(("locate", json!({"position": position})));
    }
    calls
}
