//! The MCP server as a client sees it: a process that reads and writes lines of JSON.
#![expect(
    clippy::disallowed_methods,
    reason = "tests start the server and write its files"
)]

#[cfg(unix)]
mod approval;
mod examples;
mod hostile;
mod progress;
#[cfg(unix)]
mod questions;
mod http;
mod resources;

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;
use treegraft::engine::request::schema_of;
use treegraft::engine::response::{EditList, EditMade, Located, NodeRead, NodesFound, Outlined};
use treegraft::engine::tools::{self, ToolGroup};

use crate::support::COUNTERS;

/// The time limit for an answer or for the server's exit; far more than either needs.
const PATIENCE: Duration = Duration::from_secs(20);
/// The groups whose tools need no language server.
const ALL: &str = "read,edit,flow";
/// The maximum size of the list of their tools, in bytes.
const LIST_BYTES: usize = 12_500;
/// The maximum size of the list of the lean tools, in bytes: 1,200 tokens.
const LEAN_BYTES: usize = 4_800;

/// How much of the instructions and of each description clients keep: Claude Code cuts the rest.
const KEPT_CHARS: usize = 2_048;

/// A server over a directory that contains `counters.rs`, and the messages it has sent.
pub(crate) struct Server {
    process: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    early: Vec<Value>,
    directory: TempDir,
}

impl Server {
    fn start() -> Server {
        Server::with(&[])
    }

    /// Starts a server with more options.
    fn with(options: &[&str]) -> Server {
        let directory = tempfile::tempdir().expect("a temporary directory can be created");
        let root = directory.path().join("workspace");
        std::fs::create_dir(&root).expect("the workspace can be created");
        std::fs::write(root.join("counters.rs"), COUNTERS).expect("the file can be written");
        Server::over_with(&root, directory, options)
    }

    /// Starts a server over `root`, with its state in `directory`.
    pub(crate) fn over(root: &Path, directory: TempDir) -> Server {
        Server::over_with(root, directory, &[])
    }

    pub(crate) fn over_with(root: &Path, directory: TempDir, options: &[&str]) -> Server {
        let mut command = Command::new(env!("CARGO_BIN_EXE_treegraft"));
        command
            .args(["serve", "--root"])
            .arg(root)
            .args(options)
            .env("XDG_STATE_HOME", directory.path().join("state"))
            .env("XDG_CONFIG_HOME", directory.path().join("config"));
        Server::started(command, directory)
    }

    /// Starts the server with `command`; `directory` is removed with it.
    pub(crate) fn started(mut command: Command, directory: TempDir) -> Server {
        let mut process = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let input = process.stdin.take();
        let output = process.stdout.take().expect("standard output is a pipe");
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Server {
            process,
            input,
            lines,
            early: Vec::new(),
            directory,
        }
    }

    /// Starts a server and opens a session in a revision, which the server must accept.
    fn open(revision: &str) -> Server {
        let mut server = Server::start();
        let opened = server.initialize(revision);
        assert_eq!(opened["protocolVersion"], revision);
        server
    }

    pub(crate) fn initialize(&mut self, revision: &str) -> Value {
        self.initialize_as(revision, json!({}))
    }

    fn initialize_as(&mut self, revision: &str, capabilities: Value) -> Value {
        self.send(&json!({
            "jsonrpc": "2.0",
            "id": "open",
            "method": "initialize",
            "params": {
                "protocolVersion": revision,
                "capabilities": capabilities,
                "clientInfo": {"name": "test", "version": "1"},
            },
        }));
        let opened = self.answer("open");
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        opened["result"].clone()
    }

    fn send(&mut self, message: &Value) {
        self.send_line(&message.to_string());
    }

    fn send_line(&mut self, line: &str) {
        let input = self.input.as_mut().expect("the input is open");
        writeln!(input, "{line}").expect("the server reads");
    }

    /// Returns the answer with an id; answers may arrive in any order.
    fn answer(&mut self, id: &str) -> Value {
        self.message(|message| message["id"] == id && message["method"].is_null())
    }

    /// Returns the server's first request or notification with a method.
    fn asked(&mut self, method: &str) -> Value {
        self.message(|message| message["method"] == method)
    }

    fn message(&mut self, is_it: impl Fn(&Value) -> bool) -> Value {
        if let Some(index) = self.early.iter().position(&is_it) {
            return self.early.remove(index);
        }
        let latest = Instant::now() + PATIENCE;
        loop {
            let left = latest.saturating_duration_since(Instant::now());
            let line = self.lines.recv_timeout(left).expect("an answer in time");
            let message: Value = serde_json::from_str(&line).expect("every line is JSON");
            assert_eq!(message["jsonrpc"], "2.0", "{message}");
            if is_it(&message) {
                return message;
            }
            self.early.push(message);
        }
    }

    pub(crate) fn request(&mut self, method: &str, params: Value) -> Value {
        self.send(&json!({"jsonrpc": "2.0", "id": method, "method": method, "params": params}));
        self.answer(method)
    }

    /// Returns the result of a call.
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let params = json!({"name": tool, "arguments": arguments});
        self.request("tools/call", params)["result"].clone()
    }

    /// Closes the server's input and returns its exit status.
    pub(crate) fn end(mut self) -> ExitStatus {
        drop(self.input.take());
        self.ended()
    }

    fn ended(&mut self) -> ExitStatus {
        let latest = Instant::now() + PATIENCE;
        while Instant::now() < latest {
            if let Some(status) = self.process.try_wait().expect("the process can be asked") {
                return status;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        panic!("the server did not end");
    }

    /// Returns the process id.
    #[cfg(target_os = "linux")]
    pub(crate) fn process_id(&self) -> u32 {
        self.process.id()
    }

    fn counters(&self) -> String {
        let path = self.directory.path().join("workspace/counters.rs");
        std::fs::read_to_string(path).expect("the file is there")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have exited by itself; a failed test must not leave it running.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().expect("a text")
}

fn code(result: &Value) -> &str {
    assert_eq!(result["isError"], true, "{result}");
    result["structuredContent"]["error"]["code"]
        .as_str()
        .expect("a refusal has a code")
}

fn replace(selector: Value) -> Value {
    json!({
        "file_path": "counters.rs",
        "selector": selector,
        "new_content": "fn count(&self) -> u32 {\n    1\n}",
    })
}

fn keeps(schema: &Value, instance: &Value) {
    let validator = jsonschema::validator_for(schema).expect("a schema");
    if let Err(error) = validator.validate(instance) {
        panic!("{error}: {instance:#}");
    }
}

fn pinned(name: &str, text: &str) {
    let settings = crate::support::snapshots("tools");
    settings.bind(|| insta::assert_snapshot!(name, text));
}

#[test]
fn every_revision_with_a_handshake_is_accepted() {
    for revision in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let mut server = Server::open(revision);
        let listed = server.call("list_edits", json!({}));
        assert_eq!(text(&listed), "no pending or applied edits\n");
        assert!(server.end().success());
    }
}

#[test]
fn the_revision_without_a_handshake_is_served() {
    let mut server = Server::start();
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let discovered = server.request("server/discover", json!({"_meta": meta}));
    let versions = &discovered["result"]["supportedVersions"];
    assert_eq!(
        *versions,
        json!([
            "2024-11-05",
            "2025-03-26",
            "2025-06-18",
            "2025-11-25",
            "2026-07-28"
        ])
    );
    let listed = server.request("tools/list", json!({"_meta": meta}));
    assert_eq!(listed["result"]["ttlMs"], 3_600_000);
    assert_eq!(listed["result"]["cacheScope"], "public");
    let params = json!({"_meta": meta, "name": "list_edits", "arguments": {}});
    let called = server.request("tools/call", params);
    assert_eq!(called["result"]["resultType"], "complete");
    assert!(server.end().success());
}

#[test]
fn a_preview_writes_nothing_and_apply_edit_writes_it() {
    let mut server = Server::open("2025-06-18");
    let selector =
        json!({"anchor_text": "impl Hits {\n    fn count", "ancestor_node_type": "method"});
    let preview = server.call("replace_node", replace(selector));
    assert_eq!(preview["isError"], false, "{preview}");
    assert_eq!(server.counters(), COUNTERS);
    let edit_id = preview["structuredContent"]["edit_id"].clone();
    let applied = server.call("apply_edit", json!({"edit_id": edit_id}));
    assert_eq!(applied["structuredContent"]["status"], "applied");
    assert_eq!(server.counters(), COUNTERS.replacen("self.0", "1", 1));
}

#[test]
fn a_refusal_is_a_result_and_its_suggestion_works() {
    let mut server = Server::open("2025-06-18");
    let selector = json!({"anchor_text": "fn count", "ancestor_node_type": "function_item"});
    let refused = server.call("replace_node", replace(selector));
    assert_eq!(code(&refused), "ambiguous_target");
    let suggestion = &refused["structuredContent"]["error"]["suggestions"][1];
    let tool = suggestion["tool"].as_str().expect("a tool is named");
    let preview = server.call(tool, suggestion["arguments"].clone());
    let edit_id = preview["structuredContent"]["edit_id"].clone();
    server.call("apply_edit", json!({"edit_id": edit_id}));
    let last = COUNTERS.rfind("self.0").expect("it exists");
    let expected = format!(
        "{}1{}",
        &COUNTERS[..last],
        &COUNTERS[last + "self.0".len()..]
    );
    assert_eq!(server.counters(), expected);
}

#[test]
fn answers_match_their_output_schemas() {
    let mut server = Server::open("2025-06-18");
    let selector = json!({"anchor_text": "struct Hits", "ancestor_node_type": "struct_item"});
    let node = json!({"file_path": "counters.rs", "selector": selector});
    let calls = [
        (
            "outline",
            json!({"path": "counters.rs", "max_items": 1}),
            json!(schema_of::<Outlined>()),
        ),
        ("outline", json!({}), json!(schema_of::<Outlined>())),
        (
            "find_nodes",
            json!({"text": "u32", "node_type": "struct", "max_items": "1"}),
            json!(schema_of::<NodesFound>()),
        ),
        (
            "find_nodes",
            json!({"query": "(struct_item name: (_) @name) @it"}),
            json!(schema_of::<NodesFound>()),
        ),
        (
            "locate",
            json!({"locate": "counters.rs:Hits.count"}),
            json!(schema_of::<Located>()),
        ),
        (
            "locate",
            json!({"locate": "counters.rs:Hits.count"}),
            json!(schema_of::<Located>()),
        ),
        ("read_node", node, json!(schema_of::<NodeRead>())),
        (
            "replace_node",
            json!({"file_path": "counters.rs", "selector": selector, "new_content": "struct Hits;"}),
            json!(schema_of::<EditMade>()),
        ),
        (
            "insert_node",
            json!({"file_path": "counters.rs", "selector": selector, "position": "after", "new_content": "struct Misses;"}),
            json!(schema_of::<EditMade>()),
        ),
        (
            "delete_node",
            json!({"file_path": "counters.rs", "selector": selector}),
            json!(schema_of::<EditMade>()),
        ),
        (
            "replace_text",
            json!({"file_path": "counters.rs", "find": "struct Hits(<|>u32<|>)", "new_content": "u64"}),
            json!(schema_of::<EditMade>()),
        ),
        (
            "wrap_node",
            json!({"file_path": "counters.rs", "selector": selector, "new_content": "mod inner {\n    <|>\n}"}),
            json!(schema_of::<EditMade>()),
        ),
        (
            "move_node",
            json!({
                "file_path": "counters.rs", "selector": selector,
                "to": {"selector": "impl_item@impl Hits", "position": "after"},
            }),
            json!(schema_of::<EditMade>()),
        ),
        ("list_edits", json!({}), json!(schema_of::<EditList>())),
    ];
    for (tool, arguments, schema) in calls {
        let result = server.call(tool, arguments);
        assert_eq!(result["isError"], false, "{result}");
        keeps(&schema, &result["structuredContent"]);
    }
}

#[test]
fn an_unknown_method_and_an_unknown_tool_are_protocol_errors() {
    let mut server = Server::open("2025-06-18");
    let unknown = server.request("tools/invent", json!({}));
    assert_eq!(unknown["error"]["code"], -32601, "{unknown}");
    let unknown = server.request("tools/call", json!({"name": "invent", "arguments": {}}));
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
    let nameless = server.request("tools/call", json!({"arguments": {}}));
    assert_eq!(nameless["error"]["code"], -32602, "{nameless}");
    let listed = server.call("list_edits", json!({}));
    assert_eq!(text(&listed), "no pending or applied edits\n");
}

#[test]
fn arguments_in_a_string_are_parsed() {
    let mut server = Server::open("2025-06-18");
    let located = server.call("locate", json!("{\"locate\": \"counters.rs:Hits.count\"}"));
    assert!(
        text(&located).starts_with("Located `counters.rs` at 4:8\n"),
        "{located}"
    );
    assert!(located.get("resultType").is_none(), "{located}");
}

#[test]
fn wrong_arguments_are_refused_by_name() {
    let mut server = Server::open("2025-06-18");
    let refused = server.call("locate", json!([1]));
    assert_eq!(code(&refused), "invalid_arguments");
    let refused = server.call(
        "replace_node",
        json!({"file_path": "counters.rs", "selector": "struct@Hits", "new_content": 5}),
    );
    assert_eq!(
        text(&refused),
        "refused: invalid_arguments\nnew_content: invalid type: integer `5`, expected a string\n"
    );
    let refused = server.call(
        "replace_node",
        json!({"file_path": "counters.rs", "selector": "struct@Hits", "content": "x"}),
    );
    assert_eq!(
        text(&refused),
        "refused: invalid_arguments\nunknown field `content`\n\nhelp: a field with a similar name exists: \
         `new_content`\n"
    );
}

#[test]
fn end_of_input_ends_the_server() {
    assert_eq!(Server::start().end().code(), Some(0));
    assert_eq!(Server::open("2025-06-18").end().code(), Some(0));
}

#[test]
fn calls_before_the_end_of_input_are_answered() {
    let mut server = Server::open("2025-06-18");
    for number in 0..20 {
        let params = json!({"name": "locate", "arguments": {"locate": "counters.rs:Hits.count"}});
        let id = format!("call {number}");
        server.send(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}));
    }
    drop(server.input.take());
    for number in 0..20 {
        let answer = server.answer(&format!("call {number}"));
        assert_eq!(answer["result"]["isError"], false, "{answer}");
    }
    assert_eq!(server.ended().code(), Some(0));
}

#[cfg(unix)]
#[test]
fn a_request_to_stop_ends_the_server() {
    for signal in ["-TERM", "-INT"] {
        let mut server = Server::open("2025-06-18");
        let process = server.process.id().to_string();
        let sent = Command::new("kill").args([signal, &process]).status();
        assert!(sent.expect("kill runs").success());
        assert_eq!(server.ended().code(), Some(0));
    }
}

#[test]
fn the_start_of_a_session_is_pinned_and_small() {
    let mut server = Server::with(&["--tools", ALL]);
    let opened = server.initialize("2025-06-18");
    let instructions = opened["instructions"].as_str().expect("instructions");
    assert!(instructions.split_whitespace().count() < 300);
    assert!(instructions.chars().count() <= KEPT_CHARS);
    pinned("instructions", instructions);

    let listed = server.request("tools/list", json!({}));
    let tools = &listed["result"]["tools"];
    for tool in tools.as_array().expect("a list") {
        let description = tool["description"].as_str().expect("a description");
        assert!(
            description.chars().count() <= KEPT_CHARS,
            "{}",
            tool["name"]
        );
    }
    let bytes = tools.to_string().len();
    assert!(bytes < LIST_BYTES, "{bytes} bytes");
}

/// The tools of a short session cost little, and describe everything themselves.
#[test]
fn the_lean_tools_are_few_and_describe_what_they_share() {
    let mut server = Server::start();
    let opened = server.initialize("2025-06-18");
    let instructions = opened["instructions"].as_str().expect("instructions");
    pinned("instructions_lean", instructions);
    let listed = server.request("tools/list", json!({}));
    let tools = &listed["result"]["tools"];
    let bytes = tools.to_string().len();
    assert!(bytes < LEAN_BYTES, "{bytes} bytes");
    let all = format!("{tools} {instructions}");
    let names = tools
        .as_array()
        .expect("a list")
        .iter()
        .map(|tool| &tool["name"]);
    let names: Vec<&Value> = names.collect();
    for other in tools::tools().filter(|tool| !names.contains(&&json!(tool.name))) {
        // It is the name of an operation too.
        let is_operation = other.name == "replace_text";
        assert!(
            is_operation || !all.contains(other.name),
            "it names {}",
            other.name
        );
    }
    insta::assert_snapshot!(json!(names).to_string(), @r#"["read_node","edit_nodes","apply_edit","undo_edit","amend_edit"]"#);
}

/// `book` compares the descriptions and annotations with `docs/tools.md`.
#[test]
fn the_listed_tools_have_the_stored_schemas_and_a_fixed_order() {
    let stored = crate::support::repository().join("crates/cli/src/mcp/schemas.json");
    let stored = std::fs::read_to_string(stored).expect("the file can be read");
    let stored: Value = serde_json::from_str(&stored).expect("the file is JSON");
    let mut server = Server::with(&["--tools", ALL]);
    server.initialize("2025-06-18");
    let listed = server.request("tools/list", json!({}));
    let listed = listed["result"]["tools"].as_array().expect("a list");
    let expected = tools::tools().filter(|tool| tool.group != ToolGroup::Server);
    let names: Vec<&str> = expected.map(|tool| tool.name).collect();
    assert_eq!(listed.len(), names.len());
    for (tool, name) in listed.iter().zip(names) {
        let key = match name {
            "replace_node" => "replace_node, explaining",
            other => other,
        };
        let expected = json!({
            "name": name,
            "description": tool["description"],
            "inputSchema": stored[key]["input"],
            "annotations": tool["annotations"],
        });
        assert_eq!(*tool, expected);
    }
}
