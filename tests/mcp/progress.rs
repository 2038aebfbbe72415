//! Calls that take a while: the client receives progress and may cancel them.

use super::*;

/// Starts a server over many files.
fn over_many() -> Server {
    let server = Server::start();
    let root = server.directory.path().join("workspace/many");
    std::fs::create_dir(&root).expect("the folder can be created");
    for number in 0..600 {
        let text = COUNTERS.repeat(20);
        std::fs::write(root.join(format!("file{number}.rs")), text)
            .expect("the file can be written");
    }
    server
}

fn search(id: &str) -> Value {
    let arguments = json!({"path": "many", "query": "(function_item name: (identifier) @name (#eq? @name \"no\"))"});
    let params = json!({
        "name": "find_nodes", "arguments": arguments, "_meta": {"progressToken": "how far"},
    });
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
}

#[test]
fn a_client_with_a_progress_token_receives_progress() {
    let mut server = over_many();
    server.initialize("2025-06-18");
    server.send(&search("long"));
    let progress = server.asked("notifications/progress");
    assert_eq!(progress["params"]["progressToken"], "how far");
    assert_eq!(progress["params"]["total"], 600.0, "{progress}");
    let answer = server.answer("long");
    assert_eq!(
        answer["result"]["structuredContent"]["files_looked_at"],
        600
    );
    let progress = server
        .early
        .iter()
        .filter(|message| message["method"] == "notifications/progress");
    let counts: Vec<f64> = progress
        .filter_map(|one| one["params"]["progress"].as_f64())
        .collect();
    assert!(counts.is_sorted(), "{counts:?}");
}

#[test]
fn a_cancelled_call_is_not_answered_and_the_next_one_is() {
    let mut server = over_many();
    server.initialize("2025-06-18");
    server.send(&search("long"));
    // The call has started.
    server.asked("notifications/progress");
    let params = json!({"requestId": "long", "reason": "not wanted any more"});
    server.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}));
    let listed = server.call("list_edits", json!({}));
    assert_eq!(listed["isError"], false);
    assert!(server.end().success());
}

/// Writes a JSON file of several megabytes, an edit of which takes a while.
fn with_large_file(server: &Server) {
    let path = server.directory.path().join("workspace/large.json");
    let items: Vec<String> = (0..300_000)
        .map(|number| format!("  \"item {number}\""))
        .collect();
    let text = format!("[\n{}\n]\n", items.join(",\n"));
    std::fs::write(path, text).expect("the file can be written");
}

fn edit_of_large_file() -> Value {
    json!({"file_path": "large.json", "find": "item 17\"", "new_content": "seventeen\""})
}

#[test]
fn a_call_is_cancelled_in_the_middle_of_a_file() {
    let mut server = Server::start();
    with_large_file(&server);
    server.initialize("2025-06-18");
    let params = json!({"name": "replace_text", "arguments": edit_of_large_file()});
    server.send(&json!({"jsonrpc": "2.0", "id": "long", "method": "tools/call", "params": params}));
    let params = json!({"requestId": "long"});
    server.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}));
    let listed = server.call("list_edits", json!({}));
    assert_eq!(listed["isError"], false);
    // Nothing is staged, and the call gets no answer.
    let edited = server.call("list_edits", json!({}));
    assert_eq!(edited["structuredContent"]["edits"], json!([]), "{edited}");
    assert!(!server.early.iter().any(|message| message["id"] == "long"));
    assert!(server.end().success());
}

#[test]
fn a_call_that_needs_too_much_memory_is_refused() {
    let mut server = Server::with(&["--max-memory", "80MB"]);
    with_large_file(&server);
    server.initialize("2025-06-18");
    let refused = server.call("replace_text", edit_of_large_file());
    assert_eq!(code(&refused), "file_too_large", "{refused}");
    insta::assert_snapshot!(text(&refused), @r"
    refused: file_too_large
    the call was stopped: it needs more memory than the limit of 80 MB; nothing is staged and no file changed

    help: edit or search fewer or smaller files at once, or start the server with a larger --max-memory
    ");
    let edited = server.call(
        "replace_text",
        json!({
            "file_path": "counters.rs", "find": "struct Hits(<|>u32<|>)", "new_content": "u64"
        }),
    );
    assert_eq!(edited["isError"], false, "{edited}");
}
