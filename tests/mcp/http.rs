//! The server over HTTP: access control and concurrent clients.

use std::io::Read;
use std::net::TcpStream;

use super::*;

const TOKEN: &str = "a token of the test";

/// A server on a free port.
struct Host {
    process: Child,
    port: u16,
    message: String,
    directory: TempDir,
}

impl Host {
    fn start(token: Option<&str>) -> Host {
        Host::with(token, &[])
    }

    fn with(token: Option<&str>, options: &[&str]) -> Host {
        let directory = tempfile::tempdir().expect("a temporary directory can be created");
        let root = directory.path().join("workspace");
        std::fs::create_dir(&root).expect("the workspace can be created");
        std::fs::write(root.join("counters.rs"), COUNTERS).expect("the file can be written");
        let mut command = Command::new(env!("CARGO_BIN_EXE_treegraft"));
        command
            .args(["serve", "--http", "127.0.0.1:0", "--root"])
            .arg(&root)
            .args(options)
            .env("XDG_STATE_HOME", directory.path().join("state"))
            .env_remove("TREEGRAFT_TOKEN")
            .stdin(Stdio::null())
            .stderr(Stdio::piped());
        if let Some(token) = token {
            command.env("TREEGRAFT_TOKEN", token);
        }
        let mut process = command.spawn().expect("the server starts");
        let errors = process.stderr.take().expect("standard error is a pipe");
        let mut lines = BufReader::new(errors).lines().map_while(Result::ok);
        let mut message = lines.next().expect("it prints its address");
        let port = message
            .strip_prefix("serving at http://127.0.0.1:")
            .and_then(|rest| rest.strip_suffix("/mcp")?.parse().ok())
            .unwrap_or_else(|| panic!("an address: {message}"));
        if token.is_none() {
            message = lines.next().expect("it prints the token");
        }
        Host {
            process,
            port,
            message,
            directory,
        }
    }

    /// Posts a message with these headers and those of the protocol; returns the status and the
    /// whole answer.
    fn post(&self, headers: &[(&str, &str)], body: &str) -> (u16, String) {
        let mut stream =
            TcpStream::connect(("127.0.0.1", self.port)).expect("the server accepts connections");
        stream
            .set_read_timeout(Some(PATIENCE))
            .expect("a time limit");
        let mut all = vec![
            ("Accept", "application/json, text/event-stream"),
            ("Connection", "close"),
        ];
        for (name, value) in [("Host", "127.0.0.1"), ("Content-Type", "application/json")] {
            if !headers.iter().any(|(given, _)| *given == name) {
                all.push((name, value));
            }
        }
        let length = body.len().to_string();
        all.push(("Content-Length", &length));
        all.extend(headers);
        let headers: String = all
            .iter()
            .map(|(name, value)| format!("{name}: {value}\r\n"))
            .collect();
        write!(stream, "POST /mcp HTTP/1.1\r\n{headers}\r\n{body}").expect("it reads");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("it answers");
        let status = answer.get(9..12).and_then(|status| status.parse().ok());
        (
            status.unwrap_or_else(|| panic!("a status: {answer}")),
            answer,
        )
    }

    /// Makes one request in the revision without sessions.
    fn ask(&self, method: &str, params: Value) -> Value {
        self.ask_with(method, params, |body| body)
    }

    /// Makes one request whose body is changed last.
    fn ask_with(
        &self,
        method: &str,
        mut params: Value,
        changed: impl Fn(String) -> String,
    ) -> Value {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        });
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let mut headers = vec![
            ("Authorization", format!("Bearer {TOKEN}")),
            ("MCP-Protocol-Version", "2026-07-28".to_string()),
            ("Mcp-Method", method.to_string()),
        ];
        if let Some(name) = params["name"].as_str() {
            headers.push(("Mcp-Name", name.to_string()));
        }
        let headers: Vec<(&str, &str)> = headers.iter().map(|(n, v)| (*n, v.as_str())).collect();
        let (status, answer) = self.post(&headers, &changed(body.to_string()));
        assert_eq!(status, 200, "{answer}");
        let line = answer.lines().find_map(|line| line.strip_prefix("data: {"));
        let line = line.unwrap_or_else(|| panic!("an event: {answer}"));
        serde_json::from_str(&format!("{{{line}")).expect("the event is JSON")
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn opening() -> String {
    json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        },
    })
    .to_string()
}

#[test]
fn only_clients_with_the_token_are_answered() {
    let host = Host::start(Some(TOKEN));
    let bearer = format!("Bearer {TOKEN}");
    let right = ("Authorization", bearer.as_str());
    for (headers, expected) in [
        (vec![right], 200),
        (vec![("Authorization", "bearer a token of the test")], 200),
        (vec![right, ("Origin", "http://localhost:3000")], 200),
        (vec![], 401),
        (vec![("Authorization", TOKEN)], 401),
        (vec![("Authorization", "Bearer ")], 401),
        (vec![("Authorization", "Bearer a token of the tes")], 401),
        (vec![("Authorization", "Basic a token of the test")], 401),
        (vec![right, ("Origin", "http://elsewhere.example")], 403),
        (vec![right, ("Origin", "null")], 403),
        (vec![right, ("Host", "elsewhere.example")], 403),
    ] {
        let (status, answer) = host.post(&headers, &opening());
        assert_eq!(status, expected, "{headers:?}: {answer}");
        assert_eq!(status == 200, answer.contains("serverInfo"), "{answer}");
    }
}

#[test]
fn a_body_that_is_not_a_message_gets_the_error_of_the_protocol() {
    let host = Host::start(Some(TOKEN));
    let bearer = format!("Bearer {TOKEN}");
    let right = ("Authorization", bearer.as_str());
    let json_of = |answer: &str| -> Value {
        let (_, body) = answer.split_once("\r\n\r\n").expect("a body");
        serde_json::from_str(body).unwrap_or_else(|_| panic!("JSON: {answer}"))
    };
    for (body, id, code) in [
        ("no JSON", Value::Null, -32700),
        ("", Value::Null, -32700),
        (r#"{"jsonrpc": "2.0", "id": 1, "#, Value::Null, -32700),
        ("[]", Value::Null, -32600),
        (r#"{"id": 1, "method": "ping"}"#, json!(1), -32600),
        (r#"{"jsonrpc": "2.0", "method": 7}"#, Value::Null, -32600),
        (
            r#"{"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": "\ud83d"}}"#,
            json!(1),
            -32602,
        ),
    ] {
        let (status, answer) = host.post(&[right], body);
        assert_eq!(status, 400, "{body}: {answer}");
        let error = json_of(&answer);
        assert_eq!(
            (&error["id"], error["error"]["code"].as_i64()),
            (&id, Some(code)),
            "{answer}"
        );
    }
    let (status, answer) = host.post(&[], "no JSON");
    assert_eq!(status, 401, "{answer}");
    let (status, answer) = host.post(&[right, ("Host", "elsewhere.example")], "no JSON");
    assert_eq!(status, 403, "{answer}");
    // The type of the body is wrong, not the body.
    let (status, answer) = host.post(&[right, ("Content-Type", "text/plain")], &opening());
    assert_eq!(status, 415, "{answer}");
}

#[test]
fn half_of_a_character_is_refused_over_http_too() {
    let host = Host::start(Some(TOKEN));
    let arguments = json!({"file_path": "counters.rs", "find": "u32);", "new_content": "HALF"});
    let call = json!({"name": "replace_text", "arguments": arguments});
    let answer = host.ask_with("tools/call", call, |body| body.replace("HALF", r"\ud83d"));
    assert_eq!(code(&answer["result"]), "invalid_arguments", "{answer}");
    let text = text(&answer["result"]);
    assert!(
        text.contains("new_content contains a lone surrogate"),
        "{text}"
    );
}

#[test]
fn a_token_is_generated_if_none_is_given() {
    let host = Host::start(None);
    let token = host.message.strip_prefix("authorization: Bearer ");
    let token = token.unwrap_or_else(|| panic!("a token: {}", host.message));
    assert!(token.len() == 64 && token.chars().all(|c| c.is_ascii_hexdigit()));
    let (status, _) = host.post(&[("Authorization", &format!("Bearer {token}"))], &opening());
    assert_eq!(status, 200);
    let (status, _) = host.post(&[("Authorization", "Bearer ")], &opening());
    assert_eq!(status, 401);
}

#[test]
fn addresses_that_others_can_reach_are_refused() {
    for address in ["0.0.0.0:0", "[::]:0"] {
        let output = Command::new(env!("CARGO_BIN_EXE_treegraft"))
            .args(["serve", "--http", address])
            .output()
            .expect("it runs");
        assert_eq!(output.status.code(), Some(3));
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(
            message.contains("can be reached from other machines"),
            "{message}"
        );
    }
}

#[test]
fn many_clients_edit_one_file_at_once() {
    let host = Host::start(Some(TOKEN));
    let path = host.directory.path().join("workspace/numbers.json");
    let numbers: Value = (0..40)
        .map(|number| (format!("n{number}"), json!(-1)))
        .collect();
    let pretty = serde_json::to_string_pretty(&numbers).expect("plain data");
    std::fs::write(&path, pretty).expect("the file can be written");
    std::thread::scope(|scope| {
        for client in 0..8 {
            let host = &host;
            scope.spawn(move || {
                for number in (client..40).step_by(8) {
                    let arguments = json!({
                        "file_path": "numbers.json", "apply": true,
                        "selector": format!("pair@\"n{number}\""),
                        "new_content": format!("\"n{number}\": {number}"),
                    });
                    let call = json!({"name": "replace_node", "arguments": arguments});
                    let answer = host.ask("tools/call", call);
                    assert_eq!(answer["result"]["isError"], false, "{answer}");
                }
            });
        }
    });
    let text = std::fs::read_to_string(path).expect("it exists");
    let after: Value = serde_json::from_str(&text).expect("it is still JSON");
    for number in 0..40 {
        assert_eq!(after[format!("n{number}")], number, "{text}");
    }
}

#[cfg(unix)]
#[test]
fn no_session_writes_if_the_server_only_stages() {
    let host = Host::with(Some(TOKEN), &["--stage-only"]);
    let listed = host.ask("tools/list", json!({}));
    assert_eq!(listed["result"]["ttlMs"], 0, "{listed}");
    for _ in 0..2 {
        let arguments = json!({
            "file_path": "counters.rs", "find": "u32);", "new_content": "u64);", "apply": true,
        });
        let call = json!({"name": "replace_text", "arguments": arguments});
        let error = &host.ask("tools/call", call)["result"]["structuredContent"]["error"];
        assert_eq!(error["code"], "approval_required", "{error}");
        let call = json!({"name": "apply_edit", "arguments": {"edit_id": error["edit_id"]}});
        let error = &host.ask("tools/call", call)["result"]["structuredContent"]["error"];
        assert_eq!(error["code"], "approval_required", "{error}");
    }
    let path = host.directory.path().join("workspace/counters.rs");
    assert_eq!(std::fs::read_to_string(path).expect("it exists"), COUNTERS);
}

#[test]
fn a_request_to_stop_ends_the_server_over_http() {
    let mut host = Host::start(Some(TOKEN));
    let listed = host.ask("tools/list", json!({}));
    assert!(listed["result"]["tools"].is_array());
    let sent = Command::new("kill")
        .args(["-TERM", &host.process.id().to_string()])
        .status();
    assert!(sent.expect("kill runs").success());
    let latest = Instant::now() + PATIENCE;
    let ended = loop {
        match host.process.try_wait().expect("the process can be queried") {
            Some(status) => break status,
            None => assert!(Instant::now() < latest, "the server did not end"),
        }
        std::thread::sleep(Duration::from_millis(10));
    };
    assert_eq!(ended.code(), Some(0));
}
