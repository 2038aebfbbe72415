//! Eight processes edit the same four files at once: what was reported as applied is in the files
//! exactly once, what was reported as undone is not, no file is torn, and each refusal has a code.
//!
//! `cargo test --test main long::race -- --nocapture` prints the counts.

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
use crate::support::is_full;

const PROCESSES: usize = 8;
/// Returns the number of edits of a process.
fn edits_of_each() -> usize {
    if is_full() { 250 } else { 40 }
}

const FILES: usize = 4;
/// The maximum number of new previews of an edit that a process applies before it gives up.
const FOLLOWED: usize = 20;

/// The number of its first edits that each process undoes at the end, while others still edit.
const UNDONE: usize = 8;

/// The number of edits by outcome.
type Counts = BTreeMap<String, usize>;

/// Returns the outcomes of all processes together.
fn total(done: &[(Vec<usize>, Counts)]) -> Counts {
    let mut all = Counts::new();
    for (name, count) in done.iter().flat_map(|(_, counts)| counts) {
        *all.entry(name.clone()).or_default() += count;
    }
    all
}

/// Checks that every call was done or refused by a name that a race explains.
fn assert_named(outcomes: &Counts) {
    let named = [
        "applied",
        "rebased",
        "rebase_proposed",
        "stale_edit",
        "locked",
        "undone",
    ];
    assert!(
        outcomes.keys().all(|name| named.contains(&name.as_str())),
        "{outcomes:?}"
    );
}

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
    let edits = (0..edits_of_each()).filter(|edit| edit % FILES == file);
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

/// Makes all edits of one process, and undoes some; returns those reported as applied, and the outcomes.
fn edits(shared: &Path, process: usize) -> (Vec<usize>, Counts) {
    let mut server = server(shared);
    let mut applied = Vec::new();
    let mut counts = Counts::new();
    for edit in 0..edits_of_each() {
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
                let mut arguments = json!({"edit_id": edit_id});
                if process.is_multiple_of(2) {
                    arguments["rebase"] = "auto".into();
                }
                made = server.call("apply_edit", arguments);
            }
            let answer = &made["structuredContent"];
            let name = answer["status"]
                .as_str()
                .or(answer["error"]["code"].as_str());
            let name = name.expect("it is done or refused by name").to_string();
            let (is_stale, is_around) = (name == "stale_edit", name == "rebase_proposed");
            *counts.entry(name).or_default() += 1;
            if is_around {
                // Reads the new preview and applies it.
                continue;
            }
            if made["isError"] != true {
                applied.push((edit, edit_id));
                break;
            }
            if at_once || !is_stale {
                break;
            }
            // Follows the refusal: reads the fresh preview and applies it.
            edit_id = answer["error"]["suggestions"][0]["arguments"]["edit_id"].clone();
        }
    }
    // Nothing else has changed the texts of these edits, but each file has many later edits.
    for (_, edit_id) in applied.drain(..UNDONE) {
        let undone = server.call("undo_edit", json!({"edit_id": edit_id}));
        assert_ne!(undone["isError"], true, "{undone}");
        *counts.entry("undone".to_string()).or_default() += 1;
    }
    assert!(server.end().success(), "the server exits by itself");
    let applied = applied.into_iter().map(|(edit, _)| edit);
    (applied.collect(), counts)
}

/// Rounds of creations, moves and deletions of the same files by all processes at once.
const ROUNDS: usize = 12;

#[test]
fn a_file_is_created_once() {
    let shared = TempDir::new().expect("a temporary directory can be created");
    let root = shared.path().join("workspace");
    std::fs::create_dir(&root).expect("it can be created");
    for process in 0..PROCESSES {
        std::fs::write(
            root.join(format!("own{process}.txt")),
            format!("own {process}\n"),
        )
        .expect("it can be written");
    }
    let calls = |server: &mut Server, process: usize, round: usize| -> Vec<bool> {
        let create = json!({
            "op": "create_file", "file_path": format!("new{round}/deep/a.txt"),
            "new_content": format!("created by {process}\n"),
        });
        // Several processes want the same new path for different files.
        let moved = json!({
            "op": "move_file", "file_path": format!("own{process}.txt"),
            "to": format!("taken{}/own.txt", process % 2),
        });
        let made = [create, moved].map(|edit| {
            let made = server.call("edit_nodes", json!({"edits": [edit], "apply": true}));
            let answer = &made["structuredContent"];
            let code = answer["error"]["code"].as_str().unwrap_or_default();
            let is_made = made["isError"] != true;
            let named = ["file_exists", "locked", "file_not_found", "stale_edit"];
            assert!(is_made || named.contains(&code), "{made}");
            let edit_id = answer["edit_id"].clone();
            (is_made, edit_id)
        });
        // Undoes what it moved, so that others can have the path.
        if made[1].0 {
            let undone = server.call("undo_edit", json!({"edit_id": made[1].1}));
            assert_ne!(undone["isError"], true, "{undone}");
        }
        made.iter().map(|(is_made, _)| *is_made).collect()
    };
    let done: Vec<Vec<Vec<bool>>> = std::thread::scope(|scope| {
        let shared = shared.path();
        let workers = (0..PROCESSES).map(|process| {
            scope.spawn(move || {
                let mut server = server(shared);
                let done = (0..ROUNDS)
                    .map(|round| calls(&mut server, process, round))
                    .collect();
                assert!(server.end().success(), "the server exits by itself");
                done
            })
        });
        let workers: Vec<_> = workers.collect();
        let ended = workers.into_iter().map(|worker| worker.join());
        ended
            .map(|ended| ended.expect("no thread panics"))
            .collect()
    });
    let creators = |round: usize| -> Vec<usize> {
        let created = (0..PROCESSES).filter(|process| done[*process][round][0]);
        created.collect()
    };
    for round in 0..ROUNDS {
        let created = creators(round);
        assert_eq!(created.len(), 1, "round {round}: created by {created:?}");
        let text = std::fs::read_to_string(root.join(format!("new{round}/deep/a.txt")));
        let wanted = format!("created by {}\n", created[0]);
        assert_eq!(text.expect("it is there"), wanted);
    }
    // Every file is back at its path with its bytes, and nothing else is left.
    for process in 0..PROCESSES {
        let text = std::fs::read_to_string(root.join(format!("own{process}.txt")));
        assert_eq!(text.expect("it is there"), format!("own {process}\n"));
    }
    let names = std::fs::read_dir(&root).expect("it exists");
    let names = names.map(|entry| entry.expect("it is there").file_name().into_string());
    let names: Vec<String> = names.map(|name| name.expect("it is UTF-8")).collect();
    let moved = done.iter().flatten().filter(|made| made[1]).count();
    assert!(moved > 0);
    eprintln!("{PROCESSES} processes: {ROUNDS} files created once each, {moved} moves undone");
    let others = names
        .iter()
        .filter(|name| !name.starts_with("own") && !name.starts_with("new"));
    let others: Vec<&String> = others.collect();
    // A directory stays if another process needed it when it was to be removed.
    for folder in others {
        assert!(folder.starts_with("taken"), "{folder}");
        let left = std::fs::read_dir(root.join(folder))
            .expect("it exists")
            .count();
        assert_eq!(left, 0, "{folder}");
    }
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

    let all = total(&done);
    let applied: usize = done.iter().map(|(applied, _)| applied.len()).sum();
    eprintln!(
        "{PROCESSES} processes, {} edits each, {FILES} files: {applied} of {} applied; answers {}",
        edits_of_each(),
        PROCESSES * edits_of_each(),
        Value::from_iter(all.clone())
    );
    assert_named(&all);
    // An edit that is written at once waits for its turn; almost none may be refused.
    assert!(
        applied * 100 >= PROCESSES * (edits_of_each() - UNDONE) * 95,
        "{applied} applied: {all:?}"
    );
}

/// The number of clients that stage edits of the same functions, and of the functions.
const CLIENTS: usize = 4;
const SLOTS: usize = 60;
/// The value that the functions have at first. No other value contains it.
const FREE: usize = 99_999;

/// Returns the text of the file whose functions have these values.
fn slots(value: impl Fn(usize) -> usize) -> String {
    let functions =
        (0..SLOTS).map(|slot| format!("fn slot{slot}() -> u32 {{\n    {}\n}}\n\n", value(slot)));
    functions.collect()
}

/// Returns the call that gives a function its value.
fn slot_edit(client: usize, slot: usize) -> Value {
    json!({
        "file_path": "slots.rs",
        "selector": {
            "anchor_text": FREE.to_string(),
            "ancestor_node_type": "integer_literal",
            "scope": {"symbol_path": [format!("slot{slot}")]},
        },
        "new_content": value(client, slot).to_string(),
    })
}

/// Stages and applies edits of every function, a few at a time, each batch in another order. Applies each edit once more
/// than it can be. Returns the functions whose edits were reported as applied, and the outcomes.
fn staged_edits(shared: &Path, client: usize) -> (Vec<usize>, Counts) {
    let mut server = server(shared);
    let mut applied = Vec::new();
    let mut counts = Counts::new();
    let order: Vec<usize> = (0..SLOTS)
        .map(|slot| (slot * 7 + client * 13) % SLOTS)
        .collect();
    for few in order.chunks(6) {
        let mut staged = Vec::new();
        for slot in few {
            let made = server.call("replace_node", slot_edit(client, *slot));
            let edit_id = made["structuredContent"]["edit_id"].clone();
            // Without it, another client has written the function.
            if made["isError"] != true {
                staged.push((*slot, edit_id));
            }
        }
        for (slot, edit_id) in staged.iter().rev() {
            for _ in 0..=FOLLOWED {
                let made = server.call("apply_edit", json!({"edit_id": edit_id}));
                let answer = &made["structuredContent"];
                let name = answer["status"]
                    .as_str()
                    .or(answer["error"]["code"].as_str());
                let name = name.expect("it is done or refused by name").to_string();
                let is_around = name == "rebase_proposed";
                *counts.entry(name).or_default() += 1;
                if is_around {
                    continue;
                }
                if made["isError"] != true {
                    applied.push(*slot);
                    let again = server.call("apply_edit", json!({"edit_id": edit_id}));
                    assert_eq!(
                        again["structuredContent"]["error"]["code"],
                        "edit_not_found"
                    );
                }
                break;
            }
        }
    }
    assert!(server.end().success(), "the server exits by itself");
    (applied, counts)
}

#[test]
fn of_the_staged_edits_of_several_clients_each_text_gets_one() {
    let shared = TempDir::new().expect("a temporary directory can be created");
    let file = shared.path().join("workspace/slots.rs");
    std::fs::create_dir(shared.path().join("workspace")).expect("it can be created");
    std::fs::write(&file, slots(|_| FREE)).expect("it can be written");
    let done: Vec<(Vec<usize>, Counts)> = std::thread::scope(|scope| {
        let shared = shared.path();
        let clients = (0..CLIENTS).map(|client| scope.spawn(move || staged_edits(shared, client)));
        let clients: Vec<_> = clients.collect();
        let done = clients
            .into_iter()
            .map(|client| client.join().expect("it does not panic"));
        done.collect()
    });
    let reported = |slot: usize| -> Vec<usize> {
        let clients = done.iter().enumerate();
        let clients = clients.filter(|(_, (applied, _))| applied.contains(&slot));
        clients.map(|(client, _)| client).collect()
    };
    let all = total(&done);
    eprintln!(
        "{CLIENTS} clients, {SLOTS} functions: {}",
        Value::from_iter(all.clone())
    );
    for (slot, clients) in (0..SLOTS).map(|slot| (slot, reported(slot))) {
        assert!(clients.len() <= 1, "slot {slot} was applied by {clients:?}");
    }
    let expected = |slot: usize| {
        reported(slot)
            .first()
            .map_or(FREE, |client| value(*client, slot))
    };
    let now = std::fs::read_to_string(&file).expect("it exists");
    assert_eq!(now, slots(expected));
    let applied: usize = done.iter().map(|(applied, _)| applied.len()).sum();
    // An edit is only left out if each client met a change of the same text.
    assert!(applied * 10 >= SLOTS * 9, "{applied} applied: {all:?}");
    assert_named(&all);
}
