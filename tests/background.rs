//! The background process of a workspace (`serve --background`), as real processes with a scripted server.

#![expect(
    clippy::disallowed_methods,
    reason = "tests run the command line and write files"
)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

const SCRIPT: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../tests/lsp/scripted_server.py"
);
const STORE: &str = "class Store:\n    def get(self, name):\n        return name\n";
const USE: &str = "from store import Store\n\nStore().get(1)\n";

/// A user with a workspace, and a server that records each of its starts.
struct User {
    home: TempDir,
    program: PathBuf,
}

impl User {
    fn new() -> User {
        let user = User {
            home: tempfile::tempdir().expect("a temporary directory can be created"),
            program: env!("CARGO_BIN_EXE_treegraft").into(),
        };
        for folder in ["project/.git", "project/inner", ".config/treegraft"] {
            fs::create_dir_all(user.path(folder)).expect("it can be created");
        }
        user.write("project/store.py", STORE);
        user.write("project/inner/use.py", USE);
        // Has the rules of the program with this name, which is ready at once.
        let server = user.path("ty");
        let (starts, answers) = (user.path("starts"), user.path("answers.json"));
        let script = format!(
            "#!/bin/sh\necho start >> '{}'\nexec python3 '{SCRIPT}' plain 'answers={}' 'child={}'\n",
            starts.display(),
            answers.display(),
            user.path("child").display(),
        );
        crate::support::write_program(&server, &script);
        user.configure("");
        user.write("starts", "");
        user.answers(1, 8);
        user
    }

    fn path(&self, path: &str) -> PathBuf {
        self.home.path().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        fs::write(self.path(path), text).expect("it can be written");
    }

    fn configure(&self, more: &str) {
        self.configure_all("", more);
    }

    /// Writes the configuration with settings before and in that of the server.
    fn configure_all(&self, first: &str, more: &str) {
        let command = self.path("ty").display().to_string();
        let text = format!("{first}[servers.python]\ncommand = [{command:?}]\n{more}");
        self.write(".config/treegraft/config.toml", &text);
    }

    /// Sets the place of `get` in `store.py`, in the server's answers.
    fn answers(&self, line: u32, column: u32) {
        let root = self.path("project").canonicalize().expect("it exists");
        let at = |file: &str, line: u32, column: u32| {
            json!({
                "uri": format!("file://{}/{file}", root.display()),
                "range": {
                    "start": {"line": line, "character": column},
                    "end": {"line": line, "character": column + 3},
                },
            })
        };
        let own = at("store.py", line, column);
        let used = at("inner/use.py", 2, 8);
        let edit = |one: &Value| json!({"range": one["range"], "newText": "fetch"});
        let mut changes = serde_json::Map::new();
        for one in [&own, &used] {
            let uri = one["uri"].as_str().expect("a text").to_string();
            changes.insert(uri, json!([edit(one)]));
        }
        let answers = json!({
            "capabilities": {
                "referencesProvider": true, "hoverProvider": true, "renameProvider": true,
                "workspaceSymbolProvider": true,
            },
            "textDocument/definition": own,
            "textDocument/references": [own, used],
            "textDocument/hover": {"contents": "gets it"},
            "textDocument/implementation": null,
            "textDocument/rename": {"changes": changes},
            "workspace/symbol": [{"name": "get", "kind": 6, "location": own}],
        });
        self.write("answers.json", &answers.to_string());
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command
            .args(words)
            .current_dir(self.path("project/inner"))
            .env("HOME", self.home.path())
            .env("XDG_CONFIG_HOME", self.path(".config"))
            .env("XDG_STATE_HOME", self.path("state"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    fn run(&self, words: &[&str]) -> Output {
        self.command(words).output().expect("the command runs")
    }

    /// Runs a command that succeeds, and returns what it prints.
    fn printed(&self, words: &[&str]) -> String {
        let output = self.run(words);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{words:?}: {errors}");
        String::from_utf8(output.stdout).expect("it is UTF-8")
    }

    /// Starts the background process, and returns its number.
    fn background(&self, more: &[&str]) -> i32 {
        process_in(&self.printed(&[&["serve", "--background"], more].concat()))
    }

    /// Returns how often the server was started.
    fn starts(&self) -> usize {
        let starts = fs::read_to_string(self.path("starts")).expect("it can be read");
        starts.lines().count()
    }

    fn child(&self) -> i32 {
        let child = fs::read_to_string(self.path("child")).expect("it can be read");
        child.parse().expect("a number")
    }

    fn sockets(&self) -> Vec<PathBuf> {
        let folder = self.path("state/treegraft/background");
        let listed = fs::read_dir(folder).into_iter().flatten();
        let listed = listed.map(|one| one.expect("it can be listed").path());
        listed
            .filter(|path| path.extension().is_some_and(|end| end == "sock"))
            .collect()
    }
}

impl Drop for User {
    fn drop(&mut self) {
        // Some tests have ended it.
        let _ = self.command(&["serve", "--background", "--stop"]).output();
    }
}

/// Returns the number in `process 123 ...`.
fn process_in(printed: &str) -> i32 {
    let words: Vec<&str> = printed.split_whitespace().collect();
    let at = words.iter().position(|word| *word == "process");
    let number = at.and_then(|at| words.get(at + 1)?.parse().ok());
    number.unwrap_or_else(|| panic!("no process in {printed}"))
}

/// Returns an output without the random ids of edits.
fn steady(output: &Output) -> (Option<i32>, String, String) {
    let id = regex::Regex::new(r"\be[0-9a-f]{12}\b").expect("it is valid");
    let text = |bytes: &[u8]| {
        id.replace_all(&String::from_utf8_lossy(bytes), "EDIT")
            .into_owned()
    };
    (
        output.status.code(),
        text(&output.stdout),
        text(&output.stderr),
    )
}

#[test]
fn answers_are_the_same_and_the_server_starts_once() {
    let user = User::new();
    let questions: &[&[&str]] = &[
        &["lsp", "definition", "use.py:3:9"],
        &["lsp", "definition", "use.py:3:9", "--json"],
        &["lsp", "references", "../store.py:Store.get"],
        &[
            "lsp",
            "references",
            "../store.py:Store.get",
            "--json",
            "--max-items",
            "1",
        ],
        &["--root", "..", "lsp", "references", "store.py:Store.get"],
        &["lsp", "hover", "../store.py:Store.get"],
        &["lsp", "symbols", "get"],
        &["lsp", "rename", "../store.py:Store.get", "fetch"],
        &["lsp", "rename", "../store.py:Store.get", "not a name"],
        &["lsp", "hover", "../store.py:Store.put"],
        &[
            "lsp",
            "references",
            "../store.py:Store.get",
            "--kind",
            "callers",
        ],
        &["lsp", "references", "../missing.py:Store.get"],
        &["lsp", "diagnostics", "../store.py"],
    ];
    let own: Vec<_> = questions
        .iter()
        .map(|words| steady(&user.run(words)))
        .collect();
    let started = user.starts();
    assert!(started > 5, "each question starts the server: {started}");
    assert!(user.sockets().is_empty());
    let process = user.background(&[]);
    assert_eq!(user.background(&[]), process);
    for (words, own) in questions.iter().zip(own) {
        assert_eq!(steady(&user.run(words)), own, "{words:?}");
    }
    assert_eq!(user.starts(), started + 1);
    let stopped = user.printed(&["serve", "--background", "--stop"]);
    assert_eq!(process_in(&stopped), process);
    crate::lsp::assert_ended(process);
    crate::lsp::assert_ended(user.child());
    let none = user.printed(&["serve", "--background", "--stop"]);
    assert!(none.starts_with("no background process for "), "{none}");
}

#[test]
fn the_first_question_starts_it_if_the_configuration_asks_for_it() {
    let user = User::new();
    user.configure_all("background = true\n", "");
    user.printed(&["locate", "../store.py:Store.get"]);
    assert!(user.sockets().is_empty(), "it asks no server");
    let refs = ["lsp", "references", "../store.py:Store.get"];
    let first = user.printed(&refs);
    assert_eq!(user.sockets().len(), 1);
    assert_eq!(user.printed(&refs), first);
    assert_eq!(user.starts(), 1);
    let process = process_in(&user.printed(&["serve", "--background"]));
    // The next question replaces one that was killed.
    let pid = rustix::process::Pid::from_raw(process).expect("a process id");
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).expect("it runs");
    crate::lsp::assert_ended(process);
    assert_eq!(user.printed(&refs), first);
    assert_eq!(user.printed(&refs), first);
    assert_eq!(user.starts(), 2);
    // A process that cannot be used is no reason to fail.
    user.printed(&["serve", "--background", "--stop"]);
    let folder = user.path("state/treegraft/background");
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o777)).expect("it is the user's");
    let output = user.run(&refs);
    let warning = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(String::from_utf8_lossy(&output.stdout), first);
    assert!(
        warning.starts_with("warning: cannot use the socket `")
            && warning.ends_with("other users have access to the directory\n"),
        "{warning}"
    );
}

#[test]
fn changes_of_others_are_seen() {
    let user = User::new();
    user.background(&[]);
    let refs = ["lsp", "references", "../store.py:Store.get"];
    let first = user.printed(&refs);
    assert!(first.contains("../store.py:2:9"), "{first}");
    user.write("project/store.py", &format!("import os\n\n\n{STORE}"));
    user.answers(4, 8);
    let second = user.printed(&refs);
    assert!(second.contains("../store.py:5:9"), "{second}");
    let heard = fs::read_to_string(user.path("answers.json.heard")).expect("the server logs");
    assert!(
        heard.contains("import os"),
        "the server is notified of the new text"
    );
    user.printed(&["lsp", "rename", "../store.py:Store.get", "fetch", "--apply"]);
    let renamed = fs::read_to_string(user.path("project/store.py")).expect("it can be read");
    assert!(renamed.contains("def fetch"), "{renamed}");
    assert_eq!(user.starts(), 1);
}

#[test]
fn two_starts_at_once_make_one_process() {
    let user = User::new();
    let starts: Vec<_> = (0..4)
        .map(|_| {
            user.command(&["serve", "--background"])
                .spawn()
                .expect("it starts")
        })
        .collect();
    let mut processes: Vec<i32> = starts
        .into_iter()
        .map(|start| {
            let output = start.wait_with_output().expect("it ends");
            let errors = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(0), "{errors}");
            process_in(&String::from_utf8_lossy(&output.stdout))
        })
        .collect();
    processes.dedup();
    assert_eq!(processes.len(), 1, "{processes:?}");
    assert_eq!(user.sockets().len(), 1);
}

#[test]
fn a_killed_process_is_replaced() {
    let user = User::new();
    let process = user.background(&[]);
    let hover = ["lsp", "hover", "../store.py:Store.get"];
    user.printed(&hover);
    let pid = rustix::process::Pid::from_raw(process).expect("a process id");
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).expect("it runs");
    crate::lsp::assert_ended(process);
    assert_eq!(user.sockets().len(), 1, "the socket is stale");
    user.printed(&hover);
    assert_eq!(user.starts(), 2);
    assert_ne!(user.background(&[]), process);
    user.printed(&hover);
    user.printed(&hover);
    assert_eq!(user.starts(), 3);
}

#[test]
fn it_ends_after_idleness_and_at_a_signal() {
    let user = User::new();
    let process = user.background(&["--idle", "1"]);
    user.printed(&["lsp", "hover", "../store.py:Store.get"]);
    crate::lsp::assert_ended(process);
    crate::lsp::assert_ended(user.child());
    assert!(user.sockets().is_empty());

    let process = user.background(&[]);
    user.printed(&["lsp", "hover", "../store.py:Store.get"]);
    let pid = rustix::process::Pid::from_raw(process).expect("a process id");
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).expect("it runs");
    crate::lsp::assert_ended(process);
    crate::lsp::assert_ended(user.child());
    assert!(user.sockets().is_empty());

    let process = user.background(&[]);
    fs::remove_dir_all(user.path("state")).expect("it can be removed");
    crate::lsp::assert_ended(process);
}

#[test]
fn a_process_of_another_build_configuration_or_path_is_not_used() {
    let mut user = User::new();
    let first = user.background(&[]);
    let hover = ["lsp", "hover", "../store.py:Store.get"];
    user.configure("cold_seconds = 50\n");
    user.printed(&hover);
    user.printed(&hover);
    assert_eq!(user.starts(), 2);
    let second = user.background(&[]);
    assert_ne!(second, first);
    crate::lsp::assert_ended(first);
    user.printed(&hover);
    user.printed(&hover);
    assert_eq!(user.starts(), 3);
    let path = std::env::var("PATH").expect("it is set");
    let mut elsewhere = user.command(&hover);
    elsewhere.env("PATH", format!("{path}:/nowhere"));
    assert!(elsewhere.output().expect("it runs").status.success());
    assert_eq!(user.starts(), 4);
    let copy = user.path("treegraft");
    fs::copy(&user.program, &copy).expect("it can be copied");
    user.program = copy;
    user.printed(&hover);
    assert_eq!(user.starts(), 5);
    assert_ne!(user.background(&[]), second);
    crate::lsp::assert_ended(second);
}

#[test]
fn a_socket_that_others_can_reach_is_not_used() {
    let user = User::new();
    user.background(&[]);
    let hover = ["lsp", "hover", "../store.py:Store.get"];
    let folder = user.path("state/treegraft/background");
    let mode = |path: &Path| fs::metadata(path).expect("it exists").permissions().mode() & 0o777;
    assert_eq!(mode(&folder), 0o700);
    let open = |mode| fs::set_permissions(&folder, fs::Permissions::from_mode(mode));
    open(0o755).expect("it can be changed");
    user.printed(&hover);
    user.printed(&hover);
    assert_eq!(user.starts(), 2);
    open(0o700).expect("it can be changed");
    user.printed(&hover);
    user.printed(&hover);
    assert_eq!(user.starts(), 3);
    // Only the superuser can give a file to another user.
    let socket = user.sockets().remove(0);
    if rustix::process::geteuid().is_root() {
        std::os::unix::fs::lchown(&socket, Some(1), None).expect("the superuser can");
        user.printed(&hover);
        assert_eq!(user.starts(), 4);
        std::os::unix::fs::lchown(&socket, Some(0), None).expect("the superuser can");
    }
    // Something else listens there, and never answers.
    fs::remove_file(&socket).expect("it can be removed");
    let _listener = std::os::unix::net::UnixListener::bind(&socket).expect("it can be created");
    let before = user.starts();
    user.printed(&hover);
    assert_eq!(user.starts(), before + 1);
    fs::remove_file(&socket).expect("it can be removed");
}
