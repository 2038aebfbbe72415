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

/// Sends a line and then a request. Returns the answers to the line: the id and the code of each error.
fn errors(server: &mut Server, line: &[u8]) -> Vec<(Value, i64)> {
    bytes(server, line);
    is_served(server);
    taken_errors(server)
}

/// As [`errors`], for a line with answers. The one to the request may come before them.
fn expected_errors(server: &mut Server, line: &[u8]) -> Vec<(Value, i64)> {
    bytes(server, line);
    let started = std::time::Instant::now();
    while server.early.is_empty() && started.elapsed() < PATIENCE {
        is_served(server);
    }
    taken_errors(server)
}

fn taken_errors(server: &mut Server) -> Vec<(Value, i64)> {
    let answers = std::mem::take(&mut server.early);
    let error = |answer: Value| {
        assert!(answer.get("id").is_some(), "{answer}");
        let code = answer["error"]["code"].as_i64();
        (
            answer["id"].clone(),
            code.unwrap_or_else(|| panic!("an error: {answer}")),
        )
    };
    answers.into_iter().map(error).collect()
}

/// JSON that is not a JSON-RPC request, with the id that the answer has.
const INVALID_REQUESTS: &[(&str, Value, i64)] = &[
    ("[]", Value::Null, -32600),
    ("[1, 2]", Value::Null, -32600),
    ("null", Value::Null, -32600),
    ("\"text\"", Value::Null, -32600),
    ("{}", Value::Null, -32600),
    (
        r#"{"jsonrpc": "2.0", "id": {}, "method": "ping"}"#,
        Value::Null,
        -32600,
    ),
    (
        r#"{"jsonrpc": "2.0", "id": null, "method": "ping"}"#,
        Value::Null,
        -32600,
    ),
];

#[test]
fn lines_that_are_not_messages_are_answered() {
    let mut server = Server::open(REVISION);
    for (line, id, code) in INVALID_REQUESTS {
        let answers = expected_errors(&mut server, line.as_bytes());
        assert_eq!(answers, [(id.clone(), *code)], "{line}");
    }
    for line in [
        &b"{"[..],
        b"{\"jsonrpc\": \"2.0\", \"id\": 1, ",
        b"no JSON",
        b"\xff\xfe\xfd",
        b"\0\0\0\0",
    ] {
        let answers = expected_errors(&mut server, line);
        assert_eq!(answers, [(Value::Null, -32700)], "{line:?}");
    }
    // The id can be read.
    for (line, id, code) in [
        (
            &br#"{"jsonrpc": "1.0", "id": 1, "method": "ping"}"#[..],
            json!(1),
            -32600,
        ),
        (br#"{"id": "a", "method": "ping"}"#, json!("a"), -32600),
        (
            br#"{"jsonrpc": "2.0", "id": 1, "method": 7}"#,
            json!(1),
            -32600,
        ),
        (br#"{"jsonrpc": "2.0", "id": 1}"#, json!(1), -32600),
        (
            br#"{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}"#,
            json!(1.5),
            -32600,
        ),
        (
            br#"{"jsonrpc": "2.0", "id": 1, "method": "nothing"}"#,
            json!(1),
            -32601,
        ),
        (
            br#"{"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": [1]}"#,
            json!(1),
            -32602,
        ),
        (
            b"{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"ping\xff\"}",
            json!(1),
            -32700,
        ),
        (
            b"\xEF\xBB\xBF{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"nothing\"}\r",
            json!(1),
            -32601,
        ),
    ] {
        let shown = String::from_utf8_lossy(line);
        assert_eq!(expected_errors(&mut server, line), [(id, code)], "{shown}");
    }
    // These need no answer.
    for line in [
        &b""[..],
        b"  \r",
        b"{\"jsonrpc\": \"2.0\", \"id\": 1, \"result\": {}}",
        br#"{"jsonrpc": "2.0", "id": 1, "result": {"text": "\ud83d"}}"#,
        br#"{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": 7}"#,
        br#"{"jsonrpc": "2.0", "method": "notifications/progress", "params": {"text": "\ud83d"}}"#,
    ] {
        let shown = String::from_utf8_lossy(line);
        assert_eq!(errors(&mut server, line), [], "{shown}");
    }
    let deep = [b"[".repeat(100_000), b"]".repeat(100_000)].concat();
    assert_eq!(expected_errors(&mut server, &deep), [(Value::Null, -32600)]);
    assert!(server.end().success());
}

#[test]
fn each_request_of_a_batch_is_refused() {
    let mut server = Server::open(REVISION);
    let batch = json!([
        {"jsonrpc": "2.0", "id": "a", "method": "ping"},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "result": {}},
        {"jsonrpc": "2.0", "id": "b", "method": "tools/list"},
    ]);
    let answers = expected_errors(&mut server, batch.to_string().as_bytes());
    assert_eq!(answers, [(json!("a"), -32600), (json!("b"), -32600)]);
}

/// Serializers write one if they cut a text in the middle of an emoji.
#[test]
fn text_with_half_of_a_character_is_refused_by_name() {
    let mut server = Server::open(REVISION);
    for (arguments, name) in [
        (
            r#"{"file_path": "counters.rs", "find": "u32);", "new_content": "\ud83d"}"#,
            "new_content",
        ),
        (
            r#"{"file_path": "counters.rs", "find": "\ude00 u32);", "new_content": ""}"#,
            "find",
        ),
        (
            r#"{"file_path": "counters.rs", "\ud83d\ud83d": ""}"#,
            "the name of a field",
        ),
        (
            r#""{\"file_path\": \"counters.rs\", \"new_content\": \"\\ud83d\"}""#,
            "new_content",
        ),
    ] {
        let line = r#"{"jsonrpc": "2.0", "id": "half", "method": "tools/call", "params": {"name": "replace_text", "arguments": ARGUMENTS}}"#;
        server.send_line(&line.replace("ARGUMENTS", arguments));
        let answer = server.answer("half");
        assert_eq!(code(&answer["result"]), "invalid_arguments", "{answer}");
        let text = text(&answer["result"]);
        assert!(
            text.contains(&format!("\n{name} contains a lone surrogate")),
            "{text}"
        );
        assert!(answer["result"].get("resultType").is_none(), "{answer}");
    }
    let edits = r#"{"edits": [{"op": "delete"}, {"new_content": "a\ud83d"}]}"#;
    for arguments in [
        edits.to_string(),
        json!({"edits": &edits[10..edits.len() - 1]}).to_string(),
    ] {
        let line = r#"{"jsonrpc": "2.0", "id": "half", "method": "tools/call", "params": {"name": "edit_nodes", "arguments": ARGUMENTS}}"#;
        server.send_line(&line.replace("ARGUMENTS", &arguments));
        let answer = server.answer("half");
        let text = text(&answer["result"]);
        assert!(
            text.contains("[1].new_content contains a lone surrogate"),
            "{text}"
        );
    }
    // Not in the arguments of a tool.
    for (line, id, code) in [
        (&br#"{"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": "\ud83d"}}"#[..], json!(1), -32602),
        (br#"{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "\ud83d"}}"#, json!(1), -32602),
    ] {
        assert_eq!(errors(&mut server, line), [(id, code)]);
    }
    // The client knows its id.
    server.send_line(r#"{"jsonrpc": "2.0", "id": "\ud83d", "method": "ping"}"#);
    let line = server
        .lines
        .recv_timeout(PATIENCE)
        .expect("an answer in time");
    assert!(
        line.contains(r#""id":"\ud83d""#) && line.contains("-32600"),
        "{line}"
    );
    assert_eq!(server.counters(), COUNTERS);
}

/// Their type in Rust would be too small.
#[test]
fn arguments_that_are_not_values_are_refused() {
    let mut server = Server::open(REVISION);
    let deep = format!("{}{}", "[".repeat(1_000), "]".repeat(1_000));
    for (value, reason) in [("1e999", "number out of range"), (&deep, "recursion limit")] {
        let line = format!(
            r#"{{"jsonrpc": "2.0", "id": "large", "method": "tools/call", "params": {{"name": "locate", "arguments": {{"locate": {value}}}}}}}"#
        );
        server.send_line(&line);
        let answer = server.answer("large");
        assert_eq!(code(&answer["result"]), "invalid_arguments", "{answer}");
        assert!(text(&answer["result"]).contains(reason), "{answer}");
    }
}

#[test]
fn a_line_that_is_too_long_is_answered() {
    let mut server = Server::open(REVISION);
    let text = "x".repeat(33 << 20);
    for line in [
        format!(
            r#"{{"jsonrpc": "2.0", "id": "long", "method": "ping", "params": {{"id": 1, "text": "{text}"}}}}"#
        ),
        format!(
            r#"{{"method": "ping", "params": {{"text": "{text}", "id": 1}}, "jsonrpc": "2.0", "id": "long"}}"#
        ),
    ] {
        assert_eq!(
            expected_errors(&mut server, line.as_bytes()),
            [(json!("long"), -32600)]
        );
    }
    assert_eq!(
        errors(&mut server, text.as_bytes()),
        [(Value::Null, -32600)]
    );
}

#[test]
fn the_last_line_needs_no_line_break() {
    let mut server = Server::open(REVISION);
    let mut input = server.input.take().expect("the input is open");
    let request = json!({"jsonrpc": "2.0", "id": "last", "method": "ping"});
    write!(input, "{request}").expect("the server reads");
    drop(input);
    assert_eq!(server.answer("last")["result"], json!({}));
    assert!(server.ended().success());
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
