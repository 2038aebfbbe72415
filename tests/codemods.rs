//! Runs every example of `docs/codemods.md`: a file, a command, and the diff that it prints.

#![expect(
    clippy::disallowed_methods,
    reason = "tests create files, and read those of the project"
)]

use std::fs;
use std::process::Command;

use tempfile::TempDir;

use crate::support::{is_recording, repository};

const PAGE: &str = "docs/codemods.md";
/// Before the first line that differs in each run.
const END: &str = "\nnothing is written yet; this writes it:\n";

/// Returns the language and the text of each fenced block, with the byte offset of its text.
fn blocks(page: &str) -> Vec<(&str, &str, usize)> {
    let mut blocks = Vec::new();
    let mut at = 0;
    while let Some(start) = page[at..].find("\n```") {
        let head = at + start + 4;
        let text = head + page[head..].find('\n').expect("a fence has a line") + 1;
        let end = text - 1 + page[text - 1..].find("\n```").expect("a fence ends") + 1;
        blocks.push((&page[head..text - 1], &page[text..end], text));
        at = end + 3;
    }
    blocks
}

/// Returns what the command prints for the file, without the two last lines.
fn printed(language: &str, text: &str, command: &str) -> String {
    let workspace = TempDir::new().expect("a temporary directory can be created");
    let state = TempDir::new().expect("a temporary directory can be created");
    let extension = match language {
        "python" => "py",
        "javascript" => "js",
        "typescript" => "ts",
        "rust" => "rs",
        own => own,
    };
    let file = workspace.path().join(format!("example.{extension}"));
    fs::write(&file, text).expect("the workspace can be written");
    let command = command
        .strip_prefix("treegraft ")
        .expect("it runs treegraft");
    let mut shell = Command::new("sh");
    shell.args([
        "-c",
        &format!("{} {command}", env!("CARGO_BIN_EXE_treegraft")),
    ]);
    shell.env("XDG_STATE_HOME", state.path());
    let output = shell.current_dir(workspace.path()).output();
    let output = output.expect("the shell starts");
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{command}\n{printed}{errors}");
    match printed.split_once(END) {
        Some((diff, _)) => diff.to_string(),
        None => panic!("{command}\n{printed}"),
    }
}

#[test]
fn every_example_prints_its_diff() {
    let path = repository().join(PAGE);
    let page = fs::read_to_string(&path).expect("the page is there");
    let blocks = blocks(&page);
    let (examples, rest) = blocks.as_chunks::<3>();
    assert!(rest.is_empty(), "each example has three blocks");
    assert_eq!(examples.len(), 10);
    let mut recorded = page.clone();
    for [(language, text, _), (sh, command, _), (diff, shown, at)] in examples.iter().rev() {
        assert_eq!((*sh, *diff), ("sh", "diff"), "{command}");
        let printed = printed(language, text, command);
        match is_recording() {
            true => recorded.replace_range(*at..at + shown.len(), &printed),
            false => assert_eq!(*shown, printed, "{command}"),
        }
    }
    if is_recording() {
        fs::write(&path, recorded).expect("the page can be written");
    }
}
