//! Features besides tools: resources and their changes, prompts and completion; and their limits:
//! groups of tools and roots.

use super::*;

const REVISION: &str = "2025-06-18";

fn preview(server: &mut Server) -> String {
    let selector =
        json!({"anchor_text": "impl Hits {\n    fn count", "ancestor_node_type": "method"});
    let preview = server.call("replace_node", replace(selector));
    let edit_id = preview["structuredContent"]["edit_id"].as_str();
    edit_id.expect("a preview has an id").to_string()
}

fn read(server: &mut Server, uri: &str) -> Value {
    server.request("resources/read", json!({"uri": uri}))
}

fn text_of(read: &Value) -> &str {
    let text = read["result"]["contents"][0]["text"].as_str();
    text.unwrap_or_else(|| panic!("a text: {read}"))
}

fn uris(list: &Value) -> Vec<&str> {
    let all = list["result"]["resources"].as_array().expect("a list");
    all.iter().filter_map(|one| one["uri"].as_str()).collect()
}

fn completed(server: &mut Server, reference: Value, name: &str, value: &str) -> Vec<String> {
    let params = json!({
        "ref": reference,
        "argument": {"name": name, "value": value},
        "context": {"arguments": {"file_path": "counters.rs"}},
    });
    let answer = server.request("completion/complete", params);
    let values = answer["result"]["completion"]["values"].as_array();
    let values = values.unwrap_or_else(|| panic!("values: {answer}"));
    values
        .iter()
        .filter_map(|value| Some(value.as_str()?.to_string()))
        .collect()
}

#[test]
fn every_resource_that_is_listed_can_be_read() {
    let mut server = Server::open(REVISION);
    let edit_id = preview(&mut server);
    let listed = server.request("resources/list", json!({}));
    let edit = format!("treegraft://edits/{edit_id}");
    assert_eq!(
        uris(&listed),
        [
            "treegraft://guide",
            "treegraft://languages",
            "treegraft://edits",
            edit.as_str()
        ]
    );
    for uri in uris(&listed) {
        let read = read(&mut server, uri);
        assert_eq!(read["result"]["contents"][0]["uri"], uri);
        assert!(text_of(&read).len() > 80, "{read}");
    }
    assert!(text_of(&read(&mut server, "treegraft://guide")).contains("anchor_text"));
    assert!(text_of(&read(&mut server, &edit)).contains("-        self.0\n+        1\n"));
}

#[test]
fn templates_name_resources() {
    let mut server = Server::open(REVISION);
    let listed = server.request("resources/templates/list", json!({}));
    let templates = listed["result"]["resourceTemplates"].as_array();
    let templates = templates.expect("a list").iter();
    let templates: Vec<&str> = templates
        .filter_map(|one| one["uriTemplate"].as_str())
        .collect();
    assert_eq!(
        templates,
        [
            "treegraft://languages/{language}/node-types",
            "treegraft://tools/{tool}/output-schema",
            "treegraft://edits/{edit_id}",
        ]
    );
    let types = read(&mut server, "treegraft://languages/rust/node-types");
    assert!(text_of(&types).contains("match_arm"));
    let schema = read(&mut server, "treegraft://tools/replace_node/output-schema");
    let schema: Value = serde_json::from_str(text_of(&schema)).expect("a schema is JSON");
    assert_eq!(Value::Object(schema_of::<EditMade>()), schema);
}

#[test]
fn an_unknown_resource_is_refused_with_the_known_ones() {
    let mut server = Server::open(REVISION);
    for (uri, report) in [
        ("treegraft://guid", "the resources are treegraft://guide, "),
        (
            "treegraft://languages/rsut/node-types",
            "similar names: rust",
        ),
        ("treegraft://tools/replace/output-schema", "replace_node"),
        ("treegraft://edits/e0123456789ab", "e0123456789ab"),
        ("treegraft://edits/../../x", "the resources are"),
        ("file:///etc/passwd", "the resources are"),
        ("", "the resources are"),
    ] {
        let refused = read(&mut server, uri);
        assert_eq!(refused["error"]["code"], -32002, "{refused}");
        let message = refused["error"]["message"].as_str().expect("a message");
        assert!(message.contains(report), "{uri}: {message}");
    }
}

#[test]
fn a_subscriber_is_notified_when_an_edit_is_applied() {
    let mut server = Server::open(REVISION);
    let edit_id = preview(&mut server);
    let uri = format!("treegraft://edits/{edit_id}");
    let subscribed = server.request("resources/subscribe", json!({"uri": uri}));
    assert_eq!(subscribed["result"], json!({}));
    // Another thread reads its state at the time of the subscription.
    std::thread::sleep(Duration::from_millis(300));
    server.call("apply_edit", json!({"edit_id": edit_id}));
    let notification = server.asked("notifications/resources/updated");
    assert_eq!(notification["params"]["uri"], uri);
    let ended = server.request("resources/unsubscribe", json!({"uri": uri}));
    assert_eq!(ended["result"], json!({}));
    assert!(server.end().success());
}

#[test]
fn the_revision_without_a_handshake_has_subscriptions_of_its_own() {
    let mut server = Server::start();
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    });
    let mut params = replace(json!("Hits.count:method@fn count"));
    params = json!({"_meta": meta, "name": "replace_node", "arguments": params});
    let preview = server.request("tools/call", params);
    let edit_id = &preview["result"]["structuredContent"]["edit_id"];
    let uri = format!("treegraft://edits/{}", edit_id.as_str().expect("an id"));
    server.send(&json!({
        "jsonrpc": "2.0", "id": "listening", "method": "subscriptions/listen",
        "params": {"_meta": meta, "notifications": {
            "resourceSubscriptions": [uri, "treegraft://guide"], "toolsListChanged": true,
        }},
    }));
    let known = server.asked("notifications/subscriptions/acknowledged");
    assert_eq!(
        known["params"]["notifications"],
        json!({"resourceSubscriptions": [uri]})
    );
    std::thread::sleep(Duration::from_millis(300));
    let params = json!({"_meta": meta, "name": "discard_edit", "arguments": {"edit_id": edit_id}});
    server.request("tools/call", params);
    let notification = server.asked("notifications/resources/updated");
    assert_eq!(notification["params"]["uri"], uri);
    assert!(server.end().success());
}

#[test]
fn prompts_include_their_arguments() {
    let mut server = Server::open(REVISION);
    let listed = server.request("prompts/list", json!({}));
    let pretty = serde_json::to_string_pretty(&listed["result"]["prompts"]);
    pinned("prompts", &pretty.expect("prompts are plain data"));
    let get = |server: &mut Server, name: &str, arguments: Value| {
        let params = json!({"name": name, "arguments": arguments});
        server.request("prompts/get", params)
    };
    let arguments =
        json!({"change": "Count from one", "file_path": "counters.rs", "symbol": "Hits.count"});
    let change = get(&mut server, "change_code", arguments);
    let review = get(
        &mut server,
        "review_edit",
        json!({"edit_id": "e0123456789ab"}),
    );
    let message = |got: &Value| {
        let text = got["result"]["messages"][0]["content"]["text"].as_str();
        text.unwrap_or_else(|| panic!("a message: {got}"))
            .to_string()
    };
    let both = format!("{}\n\n----\n\n{}", message(&change), message(&review));
    pinned("prompt_messages", &both);
    for (name, arguments, report) in [
        (
            "chnage_code",
            json!({}),
            "the prompts are change_code, review_edit",
        ),
        (
            "change_code",
            json!({"file_path": "a.rs"}),
            "needs the argument `change`",
        ),
        (
            "review_edit",
            json!({"edit_id": " "}),
            "needs the argument `edit_id`",
        ),
    ] {
        let refused = get(&mut server, name, arguments);
        assert_eq!(refused["error"]["code"], -32602, "{refused}");
        let refused = refused["error"]["message"].as_str().expect("a message");
        assert!(refused.contains(report), "{refused}");
    }
}

#[test]
fn arguments_are_completed() {
    let mut server = Server::open(REVISION);
    let edit_id = preview(&mut server);
    let change = json!({"type": "ref/prompt", "name": "change_code"});
    let review = json!({"type": "ref/prompt", "name": "review_edit"});
    let of = |template: &str| json!({"type": "ref/resource", "uri": template});
    let types = of("treegraft://languages/{language}/node-types");
    let schemas = of("treegraft://tools/{tool}/output-schema");
    for (reference, name, typed, values) in [
        (&change, "file_path", "COUN", vec!["counters.rs"]),
        (&change, "file_path", "../", vec![]),
        (&change, "symbol", "hits.", vec!["Hits.count"]),
        (&change, "node_type", "impl_", vec!["impl_item"]),
        (&change, "change", "", vec![]),
        (&change, "nothing", "", vec![]),
        (&review, "edit_id", "e", vec![edit_id.as_str()]),
        (&types, "language", "rus", vec!["rust"]),
        (&types, "tool", "", vec![]),
        (&schemas, "tool", "move", vec!["move_node"]),
        (
            &of("treegraft://edits/{edit_id}"),
            "edit_id",
            &edit_id[..4],
            vec![&edit_id],
        ),
        (&of("treegraft://nothing/{edit_id}"), "edit_id", "", vec![]),
    ] {
        let found = completed(&mut server, reference.clone(), name, typed);
        assert_eq!(found, values, "{reference} {name} {typed}");
    }
    let all = completed(&mut server, change, "node_type", "");
    assert_eq!(all.len(), 100, "no more than the protocol allows");
}

#[test]
fn only_the_chosen_groups_are_offered() {
    let names = |options: &[&str]| {
        let mut server = Server::with(options);
        server.initialize(REVISION);
        let listed = server.request("tools/list", json!({}));
        let tools = listed["result"]["tools"].as_array().expect("a list");
        let names = tools.iter().filter_map(|tool| tool["name"].as_str());
        let names: Vec<String> = names.map(str::to_string).collect();
        let called = server.request("tools/call", json!({"name": "wrap_node", "arguments": {}}));
        // Those that are only not listed can be called.
        let is_listed = names.contains(&"wrap_node".to_string());
        assert_eq!(called["error"].is_null(), is_listed || options.is_empty());
        names
    };
    let all = names(&["--tools", super::ALL]);
    assert_eq!(names(&["--tools", "flow,edit,read"]), all);
    assert!(names(&[]).iter().all(|name| all.contains(name)));
    assert_eq!(names(&["--tools", "lean,read,edit,flow"]), all);
    let read = names(&["--tools", "read"]);
    assert!(read.contains(&"read_node".to_string()) && read.len() < all.len());
    let flow = names(&["--tools", "flow"]);
    assert!(flow.contains(&"apply_edit".to_string()) && !flow.contains(&"read_node".to_string()));
}

#[test]
fn a_project_chooses_the_groups_unless_the_command_line_does() {
    let names = |settings: &[(&str, &str)], options: &[&str]| {
        let directory = tempfile::tempdir().expect("a folder");
        let mut roots = Vec::new();
        for (root, text) in settings {
            let root = directory.path().join(root);
            std::fs::create_dir(&root).expect("the folder can be created");
            std::fs::write(root.join("treegraft.toml"), text).expect("it can be written");
            roots.push(root.to_str().expect("its path is UTF-8").to_string());
        }
        let (first, more) = roots.split_first().expect("there is a root");
        let more = more.iter().flat_map(|root| ["--root", root.as_str()]);
        let options: Vec<&str> = options.iter().copied().chain(more).collect();
        let mut server = Server::over_with(first.as_ref(), directory, &options);
        server.initialize(REVISION);
        let listed = server.request("tools/list", json!({}));
        let tools = listed["result"]["tools"].as_array().expect("a list");
        let mut names: Vec<&str> = tools
            .iter()
            .filter_map(|tool| tool["name"].as_str())
            .collect();
        // One tool of each group.
        names.retain(|name| {
            ["read_node", "wrap_node", "apply_edit", "rename_symbol"].contains(name)
        });
        names.join(" ")
    };
    let read = ("a", "tools = [\"read\"]\n");
    assert_eq!(names(&[read], &[]), "read_node");
    assert_eq!(names(&[read], &["--tools", "edit"]), "wrap_node");
    // Every root gets the tools that it chooses.
    let server = ("b", "tools = [\"server\", \"flow\"]\n");
    assert_eq!(
        names(&[server, read], &[]),
        "read_node apply_edit rename_symbol"
    );
    let silent = ("c", "");
    assert_eq!(names(&[silent], &[]), "read_node apply_edit");
    let invalid = ("d", "tools = [\"reed\"]\n");
    assert_eq!(names(&[invalid], &[]), "read_node apply_edit");
}

/// Starts a server with a client that works in `folders`, which are next to the workspace or inside
/// it.
fn rooted(folders: &[&str]) -> Server {
    let mut server = Server::start();
    let inner = server.directory.path().join("workspace/in ner");
    std::fs::create_dir(&inner).expect("the folder can be created");
    std::fs::write(inner.join("deep.rs"), COUNTERS).expect("the file can be written");
    server.initialize_as(REVISION, json!({"roots": {}}));
    let asked = server.asked("roots/list");
    let top = server.directory.path().display().to_string();
    let roots: Vec<Value> = folders
        .iter()
        .map(|folder| json!({"uri": format!("file://{top}/{folder}")}))
        .collect();
    server.send(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": {"roots": roots}}));
    server
}

#[test]
fn roots_of_a_client_narrow_the_workspace() {
    let locate = |server: &mut Server, path: &str| {
        let found = server.call("locate", json!({"locate": format!("{path}:Hits.count")}));
        match found["isError"] == true {
            true => code(&found).to_string(),
            false => "found".to_string(),
        }
    };
    let mut inner = rooted(&["workspace/in%20ner"]);
    assert_eq!(locate(&mut inner, "deep.rs"), "found");
    assert_eq!(locate(&mut inner, "../counters.rs"), "outside_workspace");
    // Roots that are wider, outside, or not folders change nothing.
    for folders in [
        &["workspace"][..],
        &[""],
        &["elsewhere"],
        &["workspace/counters.rs"],
        &[],
    ] {
        let mut whole = rooted(folders);
        assert_eq!(locate(&mut whole, "counters.rs"), "found", "{folders:?}");
        assert_eq!(locate(&mut whole, "in ner/deep.rs"), "found", "{folders:?}");
    }
}
