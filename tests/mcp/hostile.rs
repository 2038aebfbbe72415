//! Invalid input and clients that disconnect: the server keeps running, answers the next call, and
//! leaves no edit half done.

use super::*;

const REVISION: &str = "2025-06-18";

fn bytes(server: &mut Server, bytes: &[u8]) {
    let input = server.input.as_mut().expect("the input is open");
    input.write_all(bytes).expect("the server reads");
    input.write_all(b"\n").expect("the server reads");
}

fn is_served(server: &mut Server) {
    let listed = server.call("list_edits", json!({}));
    assert_eq!(listed["isError"], false, "{listed}");
}

fn calls(tool: &str, arguments: &Value, id: &Value) -> Value {
    let params = json!({"name": tool, "arguments": arguments});
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
}

#[test]
fn lines_that_are_not_messages_are_skipped() {
    let mut server = Server::open(REVISION);
    for line in [
        &b"{"[..],
        b"[]",
        b"[1, 2]",
        b"null",
        b"\"text\"",
        b"{}",
        b"{\"jsonrpc\": \"1.0\", \"id\": 1, \"method\": \"ping\"}",
        b"{\"jsonrpc\": \"2.0\", \"id\": {}, \"method\": \"ping\"}",
        b"{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": 7}",
        b"{\"jsonrpc\": \"2.0\", \"id\": 1, \"result\": {}}",
        b"\xff\xfe\xfd",
        b"{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"ping\xff\"}",
        b"\0\0\0\0",
        b"",
    ] {
        bytes(&mut server, line);
        is_served(&mut server);
    }
    let deep = [b"[".repeat(100_000), b"]".repeat(100_000)].concat();
    bytes(&mut server, &deep);
    is_served(&mut server);
    assert!(server.end().success());
}

#[test]
fn a_huge_message_is_answered() {
    let mut server = Server::open(REVISION);
    let mut arguments = replace(json!("Hits.count:method@fn count"));
    arguments["new_content"] = json!(format!("// {}", "x".repeat(8 << 20)));
    let answer = server.call("replace_node", arguments);
    assert_eq!(answer["structuredContent"]["status"], "previewed");
    let id = "i".repeat(1 << 20);
    server.send(&json!({"jsonrpc": "2.0", "id": id, "method": "ping"}));
    assert_eq!(server.answer(&id)["result"], json!({}));
    is_served(&mut server);
}

/// The protocol forbids reusing an id and does not define which of the calls is answered.
#[test]
fn calls_that_share_an_id_do_not_block_others() {
    let mut server = Server::open(REVISION);
    for _ in 0..10 {
        server.send(&calls(
            "locate",
            &json!({"locate": "counters.rs:Hits"}),
            &json!("same"),
        ));
    }
    let answer = server.answer("same");
    assert_eq!(answer["result"]["isError"], false, "{answer}");
    is_served(&mut server);
}

#[test]
fn a_hundred_calls_in_flight_edit_one_file_each_once() {
    let mut server = Server::open(REVISION);
    let path = server.directory.path().join("workspace/numbers.json");
    let numbers: Value = (0..100)
        .map(|number| (format!("n{number}"), json!(-1)))
        .collect();
    let text = serde_json::to_string_pretty(&numbers).expect("plain data");
    std::fs::write(&path, text).expect("the file can be written");
    for number in 0..100 {
        let arguments = json!({
            "file_path": "numbers.json", "apply": true, "selector": format!("pair@\"n{number}\""),
            "new_content": format!("\"n{number}\": {number}"),
        });
        server.send(&calls(
            "replace_node",
            &arguments,
            &json!(format!("call {number}")),
        ));
    }
    for number in 0..100 {
        let answer = server.answer(&format!("call {number}"));
        assert_eq!(
            answer["result"]["structuredContent"]["status"], "applied",
            "{answer}"
        );
    }
    let text = std::fs::read_to_string(path).expect("it exists");
    let after: Value = serde_json::from_str(&text).expect("it is still JSON");
    for number in 0..100 {
        assert_eq!(after[format!("n{number}")], number, "{text}");
    }
}

#[test]
fn a_client_that_disconnects_leaves_complete_files() {
    for pause in [0, 1, 3, 10, 30] {
        let mut server = Server::open(REVISION);
        let root = server.directory.path().join("workspace");
        let other = root.join("others.rs");
        std::fs::write(&other, COUNTERS).expect("the file can be written");
        let edit = |file: &str| {
            json!({"file_path": file, "find": "impl Hits {\n    fn count(&self) -> u32 {\n        <|>self.0<|>",
                "new_content": "1"})
        };
        let arguments = json!({"apply": true, "edits": [edit("counters.rs"), edit("others.rs")]});
        server.send(&calls("edit_nodes", &arguments, &json!("gone")));
        std::thread::sleep(Duration::from_millis(pause));
        // The client is gone and reads no answer.
        server.process.kill().expect("it can be ended");
        server.process.wait().expect("it ended");
        let states: Vec<String> = [root.join("counters.rs"), other]
            .iter()
            .map(|path| std::fs::read_to_string(path).expect("it exists"))
            .collect();
        let edited = COUNTERS.replacen("self.0", "1", 1);
        assert!(
            states
                .iter()
                .all(|text| *text == COUNTERS || *text == edited)
        );
        // The next server completes or reverts what was interrupted.
        let directory = std::mem::replace(
            &mut server.directory,
            tempfile::tempdir().expect("a temporary directory can be created"),
        );
        let mut next = Server::over(&root, directory);
        next.initialize(REVISION);
        is_served(&mut next);
        let settled = next.counters();
        let other = std::fs::read_to_string(root.join("others.rs")).expect("it exists");
        assert_eq!(settled, other, "after {pause} ms");
    }
}
