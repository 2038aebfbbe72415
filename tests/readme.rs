//! Runs the commands of README.md as written and compares their output with what it shows.

#![expect(
    clippy::disallowed_methods,
    reason = "tests run commands and read the README"
)]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

use crate::support::{Bench, is_left_out, is_optional, steady};

#[test]
fn the_page_of_languages_shows_what_the_command_prints() {
    let state = TempDir::new().expect("a folder can be made");
    let printed = run("languages", state.path());
    let printed = String::from_utf8_lossy(&printed.stdout).into_owned();
    let page = fs::read_to_string(root().join("docs/languages.md")).expect("the page can be read");
    let shown = blocks_of(&page, "text");
    let (optional, always): (Vec<_>, Vec<_>) = entries(&printed)
        .into_iter()
        .partition(|entry| is_optional(name_in(entry)));
    let message = "docs/languages.md is not what `treegraft languages` prints";
    assert_eq!(entries(&shown[0]), always, "{message}");
    assert_eq!(
        shown.len(),
        2,
        "the languages of each build, and the optional ones"
    );
    let of_page = entries(&shown[1]);
    assert!(of_page.iter().all(|entry| is_optional(name_in(entry))));
    let built = of_page
        .into_iter()
        .filter(|entry| !is_left_out(name_in(entry)));
    assert_eq!(built.collect::<Vec<_>>(), optional, "{message}");
}

/// Returns the languages of a list, each with its lines.
fn entries(list: &str) -> Vec<String> {
    let mut entries: Vec<String> = Vec::new();
    for line in list.split_inclusive('\n') {
        match entries.last_mut() {
            Some(entry) if line.starts_with(' ') => entry.push_str(line),
            _ => entries.push(line.to_string()),
        }
    }
    entries
}

fn name_in(entry: &str) -> &str {
    entry.lines().next().unwrap_or_default()
}

#[test]
fn every_example_on_the_page_on_editing_has_its_diff() {
    let page = fs::read_to_string(root().join("docs/editing.md")).expect("the page can be read");
    let file = blocks_of(&page, "rust").remove(0);
    let (calls, diffs) = (blocks_of(&page, "json"), blocks_of(&page, "diff"));
    assert_eq!((calls.len(), diffs.len()), (10, 10));
    for (call, diff) in calls.iter().zip(diffs) {
        let bench = Bench::with("counters.rs", &file);
        let call: Value = serde_json::from_str(call).expect("a call is JSON");
        let tool = call["tool"].as_str().expect("a call names its tool");
        let made = bench.call(tool, call["arguments"].clone());
        let made = made.unwrap_or_else(|refusal| panic!("{call}: {}", refusal.text()));
        let shown = made.json["files"][0]["diff"].as_str().unwrap_or_default();
        let changed = shown.lines().skip(2);
        let changed: Vec<&str> = changed
            .filter(|line| line.starts_with(['+', '-']))
            .collect();
        assert_eq!(changed.join("\n") + "\n", diff, "{call}");
    }
}

fn readme() -> String {
    fs::read_to_string(root().join("README.md")).expect("the README can be read")
}

fn root() -> &'static Path {
    crate::support::repository()
}

/// Returns the texts of the README's fenced blocks with one info string.
fn blocks(kind: &str) -> Vec<String> {
    blocks_of(&readme(), kind)
}

fn blocks_of(text: &str, kind: &str) -> Vec<String> {
    let opening = format!("```{kind}\n");
    let parts = text.split(opening.as_str()).skip(1);
    parts
        .map(|part| part.split("```").next().unwrap_or_default().to_string())
        .collect()
}

/// Returns the command lines that run treegraft, without the program's name.
fn commands() -> Vec<String> {
    let lines: Vec<String> = blocks("sh")
        .iter()
        .flat_map(|block| block.lines().map(str::to_string).collect::<Vec<_>>())
        .collect();
    let program = ["cargo run --release -- ", "treegraft "];
    lines
        .iter()
        .filter_map(|line| program.iter().find_map(|start| line.strip_prefix(start)))
        .map(str::to_string)
        .collect()
}

/// Runs a command line as a shell does, in the repository, with its own state directory.
fn run(line: &str, state: &Path) -> Output {
    Command::new("sh")
        .args(["-c", &format!("exec \"$TREEGRAFT\" {line}")])
        .env("TREEGRAFT", env!("CARGO_BIN_EXE_treegraft"))
        .env("XDG_STATE_HOME", state)
        .env("HOME", state)
        .current_dir(root())
        .output()
        .expect("the shell starts")
}

#[test]
fn the_main_example_of_the_readme_has_its_output() {
    let state = TempDir::new().expect("a temporary directory can be created");
    let shown: Vec<String> = commands()
        .into_iter()
        .filter(|line| line.contains("no_locate"))
        .collect();
    let [line] = &shown[..] else {
        panic!("one command shows its output: {shown:#?}")
    };
    let output = run(line, state.path());
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let printed = steady(&String::from_utf8_lossy(&output.stdout));
    assert_eq!(printed, blocks("text").remove(0));
}

#[test]
fn every_command_of_the_readme_does_what_it_says() {
    let state = TempDir::new().expect("a temporary directory can be created");
    let commands = commands();
    assert_eq!(
        commands.len(),
        11,
        "a command was added or removed: {commands:#?}"
    );
    for line in commands {
        let output = run(&line, state.path());
        let (status, refusal) = (
            output.status.code(),
            String::from_utf8_lossy(&output.stderr).into_owned(),
        );
        // The edit id in the example does not exist, and one example shows a refusal.
        if line.starts_with("apply ") {
            assert!(
                status == Some(1) && refusal.starts_with("refused: edit_not_found"),
                "{line}: {refusal}"
            );
        } else if line.contains("identifer") {
            assert_eq!(status, Some(1), "{line}");
            assert!(
                refusal.starts_with("refused: unknown_node_type"),
                "{refusal}"
            );
            assert!(refusal.contains("--ancestor identifier"), "{refusal}");
        } else {
            assert_eq!(status, Some(0), "{line}: {refusal}");
        }
    }
}

#[test]
fn the_test_command_of_the_readme_exists() {
    assert!(
        blocks("sh")
            .iter()
            .any(|block| block.trim() == "bash tests/all.sh")
    );
    assert!(root().join("tests/all.sh").is_file());
}

/// A folder of links takes the place of the search path; its `df` finds little space.
#[cfg(target_os = "linux")]
#[test]
fn the_test_command_says_what_it_lacks() {
    let folder = TempDir::new().expect("a temporary directory can be created");
    let path = |name: &str| folder.path().join(name);
    let bash = which("bash");
    for name in ["dirname", "uname", "tail", "tr"] {
        std::os::unix::fs::symlink(which(name), path(name)).expect("a link can be created");
    }
    let refusal = || {
        let output = Command::new(&bash)
            .arg(root().join("tests/all.sh"))
            .env("PATH", folder.path())
            .output()
            .expect("the shell starts");
        assert_eq!(output.status.code(), Some(1));
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let write = |name: &str, line: &str| {
        let script = format!("#!{}\n{line}\n", bash.display());
        crate::support::write_program(&path(name), &script);
    };
    write("df", "echo Avail; echo 1");
    for name in ["cargo", "cc", "git", "python3", "npm"] {
        assert_eq!(
            refusal(),
            format!("tests/all.sh: {name} is missing; install it and start again\n")
        );
        write(name, "exit 1");
    }
    let said = refusal();
    assert!(said.contains(": 1 GB are free on the disk of "), "{said}");
}

#[cfg(target_os = "linux")]
fn which(name: &str) -> std::path::PathBuf {
    let paths = std::env::var_os("PATH").expect("there is a search path");
    let mut paths = std::env::split_paths(&paths).map(|folder| folder.join(name));
    paths.find(|path| path.is_file()).expect("it is installed")
}
