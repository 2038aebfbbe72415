//! The group of tools that ask language servers, with a server that gives the answers that a test
//! writes to a file.

use treegraft::engine::response::questions::{
    Actions, Completed, Definitions, Diagnosed, Hovered, References, Signatures, SymbolsFound,
};

use super::*;

const SCRIPT: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../tests/lsp/scripted_server.py"
);
const STORE: &str = "class Store:\n    def get(self, name):\n        return name\n";
const APP: &str =
    "from store import Store\n\n\ndef main():\n    store = Store()\n    return store.get(1)\n";
/// The maximum size of the list of all tools, in bytes: 8,000 tokens.
const ALL_BYTES: usize = 32_000;

fn range(line: u32, from: u32, to: u32) -> Value {
    json!({"start": {"line": line, "character": from}, "end": {"line": line, "character": to}})
}

/// Starts a server over two Python files, and a client that uses all tools.
fn asking(configuration: &str) -> Server {
    let directory = tempfile::tempdir().expect("a temporary directory can be created");
    let root = directory.path().join("workspace");
    std::fs::create_dir(&root).expect("the workspace can be created");
    for (name, text) in [("store.py", STORE), ("app.py", APP)] {
        std::fs::write(root.join(name), text).expect("the file can be written");
    }
    let folder = directory.path().join("config/treegraft");
    std::fs::create_dir_all(&folder).expect("the directory can be created");
    std::fs::write(folder.join("config.toml"), configuration).expect("the file can be written");
    let mut server = Server::over_with(&root, directory, &["--tools", "read,edit,flow,server"]);
    server.initialize("2025-06-18");
    server
}

/// Returns the configuration of the scripted server, and the folder of its answers.
fn scripted() -> (TempDir, String) {
    let folder = tempfile::tempdir().expect("a temporary directory can be created");
    let path = folder.path().join("answers.json");
    let line = format!(
        "[servers.python]\ncommand = [\"python3\", {SCRIPT:?}, \"plain\", \"pulls=yes\", \"answers={}\"]\n",
        path.display()
    );
    (folder, line)
}

fn answering() -> (TempDir, Server) {
    let (folder, configuration) = scripted();
    let server = asking(&configuration);
    let root = server.directory.path().join("workspace");
    let root = root.canonicalize().expect("it exists");
    let uri = |name: &str| format!("file://{}/{name}", root.display());
    let own = json!({"uri": uri("store.py"), "range": range(1, 8, 11)});
    let answers = json!({
        "capabilities": {
            "referencesProvider": true, "hoverProvider": true, "renameProvider": true,
            "workspaceSymbolProvider": true, "codeActionProvider": true, "completionProvider": {},
            "documentFormattingProvider": true, "signatureHelpProvider": {},
        },
        "textDocument/codeAction": [{"title": "Import it", "kind": "quickfix"}],
        "textDocument/formatting": [{"range": range(1, 0, 0), "newText": "\n"}],
        "textDocument/completion": {"isIncomplete": false, "items": [{"label": "get", "kind": 2}]},
        "textDocument/signatureHelp": {"signatures": [{"label": "get(name)"}], "activeParameter": 0},
        "textDocument/definition": own,
        "textDocument/references": [own],
        "textDocument/hover": {"contents": "a store"},
        "workspace/symbol": [{"name": "Store", "kind": 5, "location": own}],
        "textDocument/rename": {"changes": {
            uri("store.py"): [{"range": range(1, 8, 11), "newText": "fetch"}],
            uri("app.py"): [{"range": range(5, 17, 20), "newText": "fetch"}],
        }},
    });
    std::fs::write(folder.path().join("answers.json"), answers.to_string())
        .expect("the answers can be written");
    (folder, server)
}

#[test]
fn the_example_of_each_tool_that_asks_a_server_is_accepted() {
    let (_folder, mut server) = answering();
    let listed = server.request("tools/list", json!({}));
    assert!(
        listed.to_string().len() < ALL_BYTES,
        "{}",
        listed.to_string().len()
    );
    let tools = listed["result"]["tools"].as_array().expect("a list");
    let schemas = [
        ("goto_definition", json!(schema_of::<Definitions>())),
        ("find_references", json!(schema_of::<References>())),
        ("hover", json!(schema_of::<Hovered>())),
        ("diagnostics", json!(schema_of::<Diagnosed>())),
        ("workspace_symbols", json!(schema_of::<SymbolsFound>())),
        ("rename_symbol", json!(schema_of::<EditMade>())),
        ("code_actions", json!(schema_of::<Actions>())),
        ("format", json!(schema_of::<EditMade>())),
        ("completions", json!(schema_of::<Completed>())),
        ("signature_help", json!(schema_of::<Signatures>())),
    ];
    for (name, schema) in schemas {
        let tool = tools.iter().find(|tool| tool["name"] == name);
        let tool = tool.unwrap_or_else(|| panic!("{name} is not listed"));
        let described = tool["description"].as_str().expect("a description");
        let (_, example) = described.split_once("Example: ").expect("an example");
        let arguments = serde_json::from_str(example).expect("it is JSON");
        let answer = server.call(name, arguments);
        assert_eq!(answer["isError"], false, "{name}: {}", text(&answer));
        keeps(&schema, &answer["structuredContent"]);
    }
}

#[test]
fn a_failing_server_is_reported_in_the_shape_of_the_tool() {
    let mut server = asking("[servers.python]\nenabled = false\n");
    let place = json!({"locate": "store.py:Store.get"});
    let calls = [
        (
            "goto_definition",
            place.clone(),
            json!(schema_of::<Definitions>()),
        ),
        (
            "find_references",
            place.clone(),
            json!(schema_of::<References>()),
        ),
        ("hover", place, json!(schema_of::<Hovered>())),
        (
            "diagnostics",
            json!({"path": "app.py"}),
            json!(schema_of::<Diagnosed>()),
        ),
        (
            "workspace_symbols",
            json!({"query": "S"}),
            json!(schema_of::<SymbolsFound>()),
        ),
    ];
    for (tool, arguments, schema) in calls {
        let answer = server.call(tool, arguments);
        assert_eq!(answer["isError"], true, "{tool}: {answer}");
        let structured = &answer["structuredContent"];
        assert_eq!(structured["success"], false);
        let error = structured["parse_error"].as_str().unwrap_or_default();
        assert!(
            error.starts_with("server_not_installed: "),
            "{tool}: {error}"
        );
        assert!(text(&answer).contains(error), "{}", text(&answer));
        keeps(&schema, structured);
    }
    // The next question is answered.
    assert_eq!(server.call("list_edits", json!({}))["isError"], false);
}

#[test]
fn a_configuration_that_cannot_be_read_is_named_with_its_line() {
    let mut server = asking("[servers.python]\ncommand = \"ty server\"\n");
    let refused = server.call(
        "rename_symbol",
        json!({"locate": "store.py:Store.get", "new_name": "a"}),
    );
    assert_eq!(code(&refused), "invalid_arguments");
    assert!(
        text(&refused).contains("config.toml:2: "),
        "{}",
        text(&refused)
    );
}

#[cfg(target_os = "linux")]
#[test]
fn started_processes_end_with_the_server() {
    for signal in [None, Some("-TERM"), Some("-INT")] {
        let (folder, configuration) = scripted();
        std::fs::write(folder.path().join("answers.json"), "{}")
            .expect("the answers can be written");
        let child = folder.path().join("child");
        let with_child = format!("\"child={}\", \"answers=", child.display());
        let mut server = asking(&configuration.replace("\"answers=", &with_child));
        let place = json!({"locate": "store.py:Store.get"});
        server.call("goto_definition", place);
        let number = std::fs::read_to_string(&child).expect("the child's process id is written");
        let process = std::path::Path::new("/proc").join(number.trim());
        assert!(process.exists());
        match signal {
            Some(signal) => {
                let own = server.process.id().to_string();
                let sent = Command::new("kill").args([signal, &own]).status();
                assert!(sent.expect("kill runs").success());
            }
            None => drop(server.input.take()),
        }
        assert_eq!(server.ended().code(), Some(0));
        // The process that adopts it may need a moment to reap it.
        let deadline = Instant::now() + Duration::from_secs(60);
        let runs = || {
            let state = std::fs::read_to_string(process.join("stat"));
            state.is_ok_and(|state| !state.contains(") Z "))
        };
        while runs() {
            assert!(
                Instant::now() < deadline,
                "{number} still runs after {signal:?}"
            );
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}
