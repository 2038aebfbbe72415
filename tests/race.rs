//! Eight processes edit the same four files at once: what was reported as applied is in the files
//! exactly once, no file is torn, and each refusal has a code.
//!
//! `cargo test --test main race -- --nocapture` prints the counts.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "the test starts servers, reads their files and prints counts"
)]

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::mcp::Server;

const PROCESSES: usize = 8;
const EDITS: usize = 250;
const FILES: usize = 4;
/// The maximum number of fresh previews of a stale edit that a process applies before it gives up.
const FOLLOWED: usize = 20;

/// The number of edits by outcome.
type Counts = BTreeMap<String, usize>;

/// Returns the value that an edit writes to its function; each edit has another value.
fn value(process: usize, edit: usize) -> usize {
    (process + 1) * 1_000 + edit
}

fn file_of(edit: usize) -> String {
    format!("file{}.rs", edit % FILES)
}

fn function(process: usize, edit: usize, value: usize) -> String {
    format!("fn process{process}_edit{edit}() -> u32 {{\n    {value}\n}}\n\n")
}

/// Returns the text of a file in which the functions have these values.
fn text(file: usize, value: impl Fn(usize, usize) -> usize) -> String {
    let edits = (0..EDITS).filter(|edit| edit % FILES == file);
    let functions = edits.flat_map(|edit| (0..PROCESSES).map(move |process| (process, edit)));
    functions
        .map(|(process, edit)| function(process, edit, value(process, edit)))
        .collect()
}

/// Starts a server over the shared files, with the shared state.
fn server(shared: &Path) -> Server {
    let mut command = Command::new(env!("CARGO_BIN_EXE_treegraft"));
    command
        .args(["serve", "--root"])
        .arg(shared.join("workspace"))
        .env("XDG_STATE_HOME", shared.join("state"));
    let own = tempfile::tempdir().expect("a temporary directory can be created");
    let mut server = Server::started(command, own);
    server.initialize("2025-06-18");
    server
}

/// Makes all edits of one process; returns those reported as applied, and the outcomes.
fn edits(shared: &Path, process: usize) -> (Vec<usize>, Counts) {
    let mut server = server(shared);
    let mut applied = Vec::new();
    let mut counts = Counts::new();
    for edit in 0..EDITS {
        // Applies half of them at once, and half after a preview.
        let at_once = edit % 2 == 0;
        let mut made = server.call(
            "replace_node",
            json!({
                "file_path": file_of(edit),
                "selector": {
                    "anchor_text": "0",
                    "ancestor_node_type": "integer_literal",
                    "scope": {"symbol_path": [format!("process{process}_edit{edit}")]},
                },
                "new_content": value(process, edit).to_string(),
                "apply": at_once,
            }),
        );
        let mut edit_id = made["structuredContent"]["edit_id"].clone();
        for _ in 0..=FOLLOWED {
            if !at_once {
                made = server.call("apply_edit", json!({"edit_id": edit_id}));
            }
            let answer = &made["structuredContent"];
            let name = answer["status"]
                .as_str()
                .or(answer["error"]["code"].as_str());
            let name = name.expect("it is done or refused by name").to_string();
            let is_stale = name == "stale_edit";
            *counts.entry(name).or_default() += 1;
            if made["isError"] != true {
                applied.push(edit);
                break;
            }
            if at_once || !is_stale {
                break;
            }
            // Follows the refusal: reads the fresh preview and applies it.
            edit_id = answer["error"]["suggestions"][0]["arguments"]["edit_id"].clone();
        }
    }
    assert!(server.end().success(), "the server exits by itself");
    (applied, counts)
}

#[test]
fn edits_reported_as_applied_are_in_the_files() {
    let shared = TempDir::new().expect("a temporary directory can be created");
    let root = shared.path().join("workspace");
    std::fs::create_dir(&root).expect("it can be created");
    for file in 0..FILES {
        std::fs::write(root.join(file_of(file)), text(file, |_, _| 0))
            .expect("the file can be written");
    }
    let done: Vec<(Vec<usize>, Counts)> = std::thread::scope(|scope| {
        let shared = shared.path();
        let workers = (0..PROCESSES).map(|process| scope.spawn(move || edits(shared, process)));
        let workers: Vec<_> = workers.collect();
        let ended = workers.into_iter().map(|worker| worker.join());
        ended
            .map(|ended| ended.expect("no thread panics"))
            .collect()
    });

    let expected = |process: usize, edit: usize| match done[process].0.contains(&edit) {
        true => value(process, edit),
        false => 0,
    };
    for file in 0..FILES {
        let now = std::fs::read_to_string(root.join(file_of(file))).expect("it exists");
        assert_eq!(now, text(file, expected), "{}", file_of(file));
    }
    let names: Vec<_> = std::fs::read_dir(&root).expect("it exists").collect();
    assert_eq!(names.len(), FILES, "a temporary file is left: {names:?}");

    let mut all = Counts::new();
    for (name, count) in done.iter().flat_map(|(_, counts)| counts) {
        *all.entry(name.clone()).or_default() += count;
    }
    let applied: usize = done.iter().map(|(applied, _)| applied.len()).sum();
    eprintln!(
        "{PROCESSES} processes, {EDITS} edits each, {FILES} files: {applied} of {} applied; answers {}",
        PROCESSES * EDITS,
        Value::from_iter(all.clone())
    );
    let named = ["applied", "rebased", "stale_edit", "locked"];
    assert!(
        all.keys().all(|name| named.contains(&name.as_str())),
        "{all:?}"
    );
    // An edit that is written at once waits for its turn; almost none may be refused.
    assert!(
        applied * 100 >= PROCESSES * EDITS * 95,
        "{applied} applied: {all:?}"
    );
}
