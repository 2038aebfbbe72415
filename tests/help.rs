//! Runs every example in the help texts as written, over the files in `tests/help/`.

#![expect(
    clippy::disallowed_methods,
    reason = "tests create files and run commands"
)]

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::CommandFactory;
use serde_json::Value;
use treegraft_cli::cli::Arguments;

use crate::support::{copy, folder_of, subcommands};

/// The edit id in the examples.
const EDIT: &str = "e0123456789ab";

/// The maximum width of the help; a wider example would be wrapped.
const WIDTH: usize = 100;

/// A copy of the files, with its own home and state directories.
struct Sandbox {
    directory: tempfile::TempDir,
}

impl Sandbox {
    fn new() -> Sandbox {
        let directory = tempfile::tempdir().expect("a temporary directory can be created");
        let sandbox = Sandbox { directory };
        copy(&folder(), &sandbox.path("workspace"));
        for made in [
            "workspace/.git",
            "home/project",
            "home/.zfunc",
            "home/.config/fish/completions",
            "home/.local/share/bash-completion/completions",
        ] {
            fs::create_dir_all(sandbox.path(made)).expect("the directory can be written");
        }
        sandbox
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Returns a shell command that runs the line as a person would, without the language servers
    /// of this machine.
    fn shell(&self, line: &str) -> Command {
        let program = Path::new(env!("CARGO_BIN_EXE_treegraft"));
        let programs = program.parent().expect("the program is in a directory");
        // Not the copy: a program cannot be started while a process that was just forked still has it open to write.
        let own = folder().join("bin");
        let mut command = Command::new("sh");
        command
            .args(["-c", line])
            .current_dir(self.path("workspace"))
            .env_clear()
            .env(
                "PATH",
                format!("{}:{}:/usr/bin:/bin", own.display(), programs.display()),
            )
            .env("HOME", self.path("home"))
            .env("XDG_STATE_HOME", self.path("state"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Writes a grammar with its query files, and adds it under another name.
    fn add_language(&self) {
        let files = crate::support::repository().join("tests/added_languages");
        let queries = self.path("workspace/queries/toy");
        copy(&files.join("queries"), &queries);
        fs::copy(files.join("sample.toy"), queries.join("sample.toy")).expect("it can be copied");
        let library = self.path("workspace/toy.so");
        fs::copy(&*crate::added_languages::GRAMMAR, library).expect("it can be copied");
        let add = "treegraft languages add old-toy --grammar toy.so --symbol tree_sitter_toy \
                   --extension old";
        let added = self.shell(add).output().expect("the shell starts");
        assert!(added.status.success(), "{added:?}");
    }

    /// Stages or applies an edit under the id of the examples.
    fn stage(&self, is_applied: bool) {
        let replace = "treegraft replace src/api.rs --anchor 'Method::POST =>' --ancestor match_arm \
                       --content 'Method::POST => create(request),' --json";
        let output = self.shell(replace).output().expect("the shell starts");
        let made: Value = serde_json::from_slice(&output.stdout).expect("the edit is previewed");
        let edit_id = made["edit_id"].as_str().expect("a preview has an id");
        let folder = folder_of(&self.path("state/treegraft"), "edits");
        let record = |edit_id: &str| folder.join(format!("{edit_id}.json"));
        let text = fs::read_to_string(record(edit_id)).expect("it is stored");
        fs::write(record(EDIT), text.replace(edit_id, EDIT)).expect("the file can be written");
        fs::remove_file(record(edit_id)).expect("it can be removed");
        if is_applied {
            let apply = format!("treegraft apply {EDIT}");
            let applied = self.shell(&apply).status().expect("the shell starts");
            assert!(applied.success());
        }
    }
}

fn folder() -> PathBuf {
    crate::support::repository().join("tests/help")
}

/// Returns each subcommand with the examples of its help, after the program itself.
fn examples() -> Vec<(String, Vec<String>)> {
    let whole = (String::new(), Arguments::command());
    let all = std::iter::once(whole).chain(subcommands());
    all.map(|(words, command)| {
        let help = command.get_after_help().map(ToString::to_string);
        (words, commands(&help.unwrap_or_default()))
    })
    .collect()
}

/// Returns the command lines after `Examples:`; a line with deeper indentation continues the
/// previous one.
fn commands(help: &str) -> Vec<String> {
    let mut commands: Vec<String> = Vec::new();
    let mut lines = help.lines();
    if !lines.any(|line| line == "Examples:" || line == "Example:") {
        return commands;
    }
    for line in lines.take_while(|line| !line.is_empty()) {
        assert!(line.chars().count() <= WIDTH, "too wide: {line}");
        let is_open = commands
            .last()
            .is_some_and(|last| last.ends_with('\\') || last.matches('\'').count() % 2 == 1);
        match is_open {
            true => {
                let last = commands.last_mut().expect("a command is open");
                last.push('\n');
                last.push_str(line);
            }
            false => commands.push(line.trim_start().to_string()),
        }
    }
    commands
}

#[test]
fn every_subcommand_has_examples_that_work() {
    let mut count = 0;
    for (verb, examples) in examples() {
        assert!(!examples.is_empty(), "{verb} has no examples");
        for example in examples {
            assert!(example.contains("treegraft"), "{verb}: {example}");
            run(&verb, &example);
            count += 1;
        }
    }
    assert!(count > 80, "only {count} examples were run");
}

fn run(verb: &str, example: &str) {
    let sandbox = Sandbox::new();
    if example.contains(EDIT) {
        sandbox.stage(verb == "undo");
    }
    if example.contains("treegraft languages ") {
        sandbox.add_language();
    }
    // Uses a free port.
    let line = example
        .replace("--http 127.0.0.1:8642", "--http 127.0.0.1:0")
        .replace("--port 8650", "--port 0");
    if line != example || verb == "review" {
        serves(&sandbox, &line);
        return;
    }
    let output = sandbox.shell(&line).output().expect("the shell starts");
    let output_text = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    match output.status.code() {
        Some(0) => {}
        // The position resolved; only the language server is missing.
        Some(3) if output_text.contains("server_not_installed") => {}
        code => panic!("{example}: {code:?}\n{output_text}"),
    }
}

/// Checks a server over HTTP or of the review page, which runs until it is stopped.
fn serves(sandbox: &Sandbox, line: &str) {
    // With `exec`, the server replaces the shell, so stopping the process stops the server.
    let line = ["treegraft serve", "treegraft review"]
        .iter()
        .fold(line.to_string(), |line, program| {
            line.replace(program, &format!("exec {program}"))
        });
    let mut shell = sandbox.shell(&line);
    // Opens no browser.
    shell.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY");
    let mut server = shell.spawn().expect("the shell starts");
    let mut output_text = BufReader::new(server.stderr.take().expect("it is a pipe"));
    let mut first = String::new();
    output_text
        .read_line(&mut first)
        .expect("it prints its address");
    let _ = server.kill();
    let _ = server.wait();
    let address = first.split_once("ing at ").map(|(_, address)| address);
    assert!(
        address.is_some_and(|address| address.starts_with("http://127.0.0.1:")),
        "{line}: {first}"
    );
}

#[test]
fn an_example_may_have_several_lines() {
    let help = "First.\n\nExamples:\n  a 'b\n  c' d\n  e \\\n      f\n  g\n\nMore.";
    assert_eq!(commands(help), ["a 'b\n  c' d", "e \\\n      f", "g"]);
    assert!(commands("a\n  b").is_empty());
}
