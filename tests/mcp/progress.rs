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
