//! Questions to language servers through the engine, with a server that gives the answers that a
//! test writes to a file (`tests/lsp/scripted_server.py`): positions, answers, failures by their
//! code, and renames.

#![expect(clippy::disallowed_methods, reason = "tests create files and programs")]

use std::fs;

use serde_json::{Value, json};
use tempfile::TempDir;
use treegraft::engine::review::{ChosenEdit, FilesSince};
use treegraft::lsp::configuration::{Configuration, ServerConfiguration};
use treegraft::lsp::uri::uri_of;

use crate::support::{self, Answered, Bench, steady};

const SCRIPT: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../tests/lsp/scripted_server.py"
);
const STORE: &str = "\
class Store:
    def get(self, name):
        return name


def make():
    return Store()
";
const APP: &str = "\
from store import Store, make

store = Store()
print(\"\u{1f600}\", store.get(\"a\"), store.get(\"b\"))
other = make()
";

/// Two files and a scripted server for Python.
struct Fixture {
    bench: Bench,
    /// The server's answers, and the messages it received.
    script: TempDir,
}

impl Fixture {
    fn new(mode: &str) -> Fixture {
        Fixture::with(mode, &[], 20.0)
    }

    /// Sets the seconds that the server has for each answer.
    fn with(mode: &str, settings: &[&str], seconds: f64) -> Fixture {
        let bench = Bench::with("store.py", STORE);
        bench.write("app.py", APP);
        Fixture::over(bench, mode, settings, seconds)
    }

    /// Uses an existing workspace.
    fn over(bench: Bench, mode: &str, settings: &[&str], seconds: f64) -> Fixture {
        Fixture::of("python", bench, mode, settings, seconds)
    }

    fn of(language: &str, bench: Bench, mode: &str, settings: &[&str], seconds: f64) -> Fixture {
        let script = TempDir::new().expect("a temporary directory can be created");
        let answers = script.path().join("answers.json");
        fs::write(&answers, "{}").expect("the file can be written");
        let answers = format!("answers={}", answers.display());
        let words = ["python3", SCRIPT, mode, &answers].into_iter();
        let words = words.chain(settings.iter().copied());
        let server = ServerConfiguration {
            command: Some(words.map(str::to_string).collect()),
            cold_seconds: Some(seconds),
            warm_seconds: Some(seconds),
            ..ServerConfiguration::default()
        };
        let configuration = Configuration::default().with(language, server);
        Fixture {
            bench: bench.with_servers(configuration),
            script,
        }
    }

    /// Sets the server's answers from now on; capabilities only count if they are set before it
    /// starts.
    fn answers(&self, answers: Value) {
        let capabilities = json!({
            "referencesProvider": true, "hoverProvider": true, "renameProvider": true,
            "callHierarchyProvider": true, "workspaceSymbolProvider": true,
            "codeActionProvider": {"resolveProvider": true}, "documentFormattingProvider": true,
            "completionProvider": {}, "signatureHelpProvider": {},
        });
        let mut answers = answers;
        answers["capabilities"] = capabilities;
        // A rename asks for references and diagnostics too.
        if answers.get("textDocument/references").is_none() {
            answers["textDocument/references"] = Value::Null;
        }
        if answers.get("textDocument/rename").is_some()
            && answers["textDocument/diagnostic"] != "absent"
        {
            let provider = json!({"interFileDependencies": true, "workspaceDiagnostics": false});
            answers["capabilities"]["diagnosticProvider"] = provider;
            if answers.get("textDocument/diagnostic").is_none() {
                answers["textDocument/diagnostic"] = json!({"kind": "full", "items": []});
            }
        }
        let path = self.script.path().join("answers.json");
        fs::write(path, answers.to_string()).expect("the file can be written");
    }

    fn uri(&self, name: &str) -> String {
        let root = self.bench.root().canonicalize().expect("it exists");
        uri_of(camino::Utf8Path::from_path(&root.join(name)).expect("UTF-8"))
    }

    fn location(&self, name: &str, line: u32, from: u32, to: u32) -> Value {
        json!({"uri": self.uri(name), "range": range(line, from, to)})
    }

    /// Returns the edit that renames `get`, in UTF-16 columns.
    fn renaming(&self, new_name: &str) -> Value {
        let edit = |line, from| json!({"range": range(line, from, from + 3), "newText": new_name});
        json!({"documentChanges": [
            {"textDocument": {"uri": self.uri("app.py"), "version": null}, "edits": [edit(3, 18), edit(3, 34)]},
            {"textDocument": {"uri": self.uri("store.py"), "version": null}, "edits": [edit(1, 8)]},
        ]})
    }

    fn call(&self, tool: &str, arguments: Value) -> Answered {
        let answered = self.bench.call(tool, arguments);
        answered.unwrap_or_else(|refusal| panic!("{}", refusal.text()))
    }

    fn refused(&self, tool: &str, arguments: Value) -> String {
        let refused = self.bench.call(tool, arguments);
        let refused = refused.map(|answered| answered.text);
        self.steady(&refused.expect_err("it is refused").text())
    }

    fn steady(&self, text: &str) -> String {
        let root = self.bench.root().canonicalize().expect("it exists");
        let script = self.script.path().display().to_string();
        let text = text.replace(root.to_string_lossy().as_ref(), "<root>");
        let text = text
            .replace(&script, "<script>")
            .replace(SCRIPT, "<server>");
        // The place where the program was found.
        let python = text.find("python3 <server>").map(|at| {
            let start = text[..at].rfind('`').map_or(at, |start| start + 1);
            text[start..at].to_string()
        });
        steady(&match python {
            Some(folder) if !folder.is_empty() => text.replace(&folder, ""),
            _ => text,
        })
    }
}

fn range(line: u32, from: u32, to: u32) -> Value {
    json!({"start": {"line": line, "character": from}, "end": {"line": line, "character": to}})
}

fn get() -> Value {
    json!({"locate": "store.py:Store.get"})
}

fn renamed(new_name: &str) -> Value {
    json!({"locate": "store.py:Store.get", "new_name": new_name})
}

fn pinned(name: &str, text: &str) {
    let settings = crate::support::snapshots("questions");
    settings.bind(|| insta::assert_snapshot!(name, text));
}

#[test]
fn places_have_a_locator_and_a_selector() {
    let fixture = Fixture::new("plain");
    let outside = json!({
        "targetUri": "file:///elsewhere/builtins.pyi",
        "targetRange": range(8, 0, 9), "targetSelectionRange": range(8, 4, 9),
    });
    fixture.answers(json!({
        "textDocument/definition": [outside, {
            "targetUri": fixture.uri("app.py"),
            "targetRange": range(3, 0, 9), "targetSelectionRange": range(3, 18, 21),
        }],
    }));
    let found = fixture.call("goto_definition", get());
    let mut json = found.json;
    let locate = json["locations"][1]["locate"].clone();
    let located = fixture.call("locate", json!({"locate": locate}));
    assert_eq!(located.json["position"]["line"], 4);
    assert_eq!(located.json["position"]["character"], 18);
    json["locations"][1]["locate"] = Value::Null;
    pinned("definition", &format!("{}\n{json:#}", found.text));
}

#[test]
fn a_place_can_be_given_in_several_ways() {
    let fixture = Fixture::new("plain");
    fixture.answers(json!({"textDocument/hover": {"contents": "it"}}));
    for (place, symbol) in [
        (json!({"locate": "store.py:Store.get"}), "get"),
        (json!({"locate": "app.py@store.<|>get"}), "get"),
        (json!({"locate": "store.py@def make"}), "make"),
        (
            json!({"locate": {"file_path": "store.py", "find": "class Store"}}),
            "Store",
        ),
        (json!({"file": "app.py", "line": 4, "symbol": "get"}), "get"),
        (
            json!({"file_path": "app.py", "line": "5", "character": "9"}),
            "make",
        ),
        (json!({"file": "app.py", "line": 5}), "other"),
        (
            json!({"file": "app.py", "line": 4, "column": 99, "symbol": "store"}),
            "store",
        ),
    ] {
        if place["column"] == json!(99) {
            let refused = fixture.refused("hover", place);
            assert!(
                refused.starts_with("refused: line_out_of_range"),
                "{refused}"
            );
            continue;
        }
        let shown = place.to_string();
        assert_eq!(
            fixture.call("hover", place).json["symbol"],
            symbol,
            "{shown}"
        );
    }
    // The nearer of two occurrences.
    for (column, expected) in [(1, 18), (40, 34)] {
        let place = json!({"file": "app.py", "line": 4, "column": column, "symbol": "get"});
        fixture.call("hover", place);
        let received = fixture.received("textDocument/hover");
        let position = &received.last().expect("it was asked")["position"];
        assert_eq!(position, &json!({"line": 3, "character": expected}));
    }
    let refused = fixture.refused(
        "hover",
        json!({"file": "app.py", "line": 4, "symbol": "make"}),
    );
    pinned("no_name_on_the_line", &refused);
    let refused = fixture.refused("hover", json!({"locate": "app.py@store", "line": 4}));
    assert!(
        refused.starts_with("refused: invalid_arguments"),
        "{refused}"
    );
}

#[test]
fn references_without_the_name_are_left_out_and_the_rest_is_paged() {
    let fixture = Fixture::new("plain");
    let own = fixture.location("store.py", 1, 8, 11);
    fixture.answers(json!({"textDocument/references": [
        own, own, fixture.location("app.py", 3, 34, 37), fixture.location("app.py", 3, 18, 21),
        fixture.location("app.py", 0, 0, 4),
    ]}));
    let mut arguments = get();
    arguments["max_items"] = json!(2);
    let first = fixture.call("find_references", arguments.clone());
    pinned("references", &first.text);
    assert_eq!(first.json["reference_count"], 3);
    assert_eq!(first.json["completeness"], "degraded");
    arguments["cursor"] = first.json["cursor"].clone();
    let second = fixture.call("find_references", arguments);
    assert_eq!(second.json["references"][0]["file"], "store.py");
    assert_eq!(second.json.get("cursor"), None);
}

#[test]
fn places_are_listed_once_and_tests_and_generated_files_are_marked() {
    let fixture = Fixture::new("plain");
    let code = "from store import make\n\nmake().get(1)\n";
    fixture.bench.write("test_store.py", code);
    fixture.bench.write("store_pb2.py", code);
    fixture
        .bench
        .write("made.py", format!("# @generated by a program\n{code}"));
    let own = fixture.location("store.py", 1, 8, 11);
    let mut escaped = own.clone();
    let uri = fixture.uri("store.py").replace("store.py", "%73tore.py");
    escaped["uri"] = json!(uri);
    let test = fixture.location("test_store.py", 2, 7, 10);
    let places = json!([
        own,
        escaped,
        own,
        fixture.location("store.py", 1, 8, 13),
        test,
        test,
        fixture.location("store_pb2.py", 2, 7, 10),
        fixture.location("made.py", 3, 7, 10),
    ]);
    let symbol =
        |location: &Value, kind: u32| json!({"name": "get", "kind": kind, "location": location});
    fixture.answers(json!({
        "textDocument/references": places, "textDocument/definition": places,
        "workspace/symbol": [
            symbol(&own, 6), symbol(&own, 12), symbol(&escaped, 6), symbol(&test, 6), symbol(&test, 6),
        ],
    }));
    let references = fixture.call("find_references", get());
    insta::assert_snapshot!(references.text, @r"
    `get`, 4 places:
    - made.py:4:8 [generated]: `make().get(1)`
    - store.py:2:9 in Store.get: `def get(self, name):`
    - store_pb2.py:3:8 [generated]: `make().get(1)`
    - test_store.py:3:8 [test]: `make().get(1)`
    ");
    let roles = |listed: &Value| -> Vec<Value> {
        let listed = listed.as_array().expect("a list").iter();
        listed.map(|one| one["file_role"].clone()).collect()
    };
    let (test, generated) = (json!("test"), json!("generated"));
    assert_eq!(
        roles(&references.json["references"]),
        [generated.clone(), Value::Null, generated, test.clone()]
    );
    let definitions = fixture.call("goto_definition", get());
    assert_eq!(definitions.json["locations"], references.json["references"]);
    let symbols = fixture.call("workspace_symbols", json!({"query": "get"}));
    assert_eq!(roles(&symbols.json["symbols"]), [Value::Null, test]);
    insta::assert_snapshot!(symbols.text, @r"
    - method get: store.py:2:9
    - method get: test_store.py:3:8 [test]
    ");
}

#[test]
fn an_empty_result_is_not_a_success() {
    let fixture = Fixture::new("plain");
    fixture.answers(json!({
        "textDocument/definition": null, "textDocument/references": [],
        "textDocument/hover": null, "textDocument/prepareCallHierarchy": null,
    }));
    for (tool, more) in [
        ("goto_definition", json!({})),
        ("find_references", json!({})),
        ("find_references", json!({"kind": "callers"})),
        ("hover", json!({})),
    ] {
        let mut arguments = get();
        if let (Value::Object(all), Value::Object(more)) = (&mut arguments, more) {
            all.extend(more);
        }
        let answered = fixture.call(tool, arguments);
        assert_eq!(answered.json["success"], false, "{}", answered.text);
        let error = answered.json["parse_error"].as_str().unwrap_or_default();
        assert!(error.starts_with("symbol_not_found: "), "{error}");
    }
    // A question that the server does not support is reported as such.
    let mut types = get();
    types["kind"] = json!("subtypes");
    let answered = fixture.call("find_references", types);
    let error = answered.json["parse_error"].as_str().unwrap_or_default();
    assert!(error.starts_with("server_not_installed: "), "{error}");
    assert!(error.contains("does not support type hierarchy"), "{error}");
}

#[test]
fn each_failure_of_a_server_has_its_code() {
    let answers =
        |answer: Value| json!({"textDocument/rename": answer, "textDocument/definition": answer});
    let cases = [
        ("handshake_failed", "ends_at_start", json!(null), 20.0),
        ("request_timeout", "plain", json!("silence"), 0.8),
        ("server_crashed", "plain", json!("end"), 20.0),
        ("malformed_answer", "plain", json!({"uri": 3}), 20.0),
    ];
    for (code, mode, answer, seconds) in cases {
        let fixture = Fixture::with(mode, &[], seconds);
        fixture.answers(answers(match code {
            "malformed_answer" => json!({"documentChanges": 3}),
            _ => answer,
        }));
        let refused = fixture.refused("rename_symbol", renamed("fetch"));
        assert!(
            refused.starts_with(&format!("refused: {code}\n")),
            "{refused}"
        );
        pinned(code, &refused);
        let fixture = Fixture::with(mode, &[], seconds);
        fixture.answers(answers(match code {
            "malformed_answer" => json!({"documentChanges": 3}),
            "request_timeout" => json!("silence"),
            "server_crashed" => json!("end"),
            _ => json!(null),
        }));
        let answered = fixture.call("goto_definition", get());
        assert_eq!(answered.json["success"], false, "{}", answered.text);
        assert_eq!(answered.json["locations"], json!([]));
        let error = answered.json["parse_error"].as_str().unwrap_or_default();
        assert!(error.starts_with(&format!("{code}: ")), "{error}");
    }
}

#[test]
fn a_missing_server_and_one_that_cannot_start_are_distinguished() {
    let of = |server: ServerConfiguration| {
        let bench = Bench::with("store.py", STORE);
        let configuration = Configuration::default().with("python", server);
        Fixture {
            bench: bench.with_servers(configuration),
            script: TempDir::new().expect("a temporary directory can be created"),
        }
    };
    let disabled = of(ServerConfiguration {
        enabled: false,
        ..ServerConfiguration::default()
    });
    pinned(
        "server_not_installed",
        &disabled.refused("rename_symbol", renamed("fetch")),
    );
    // A script whose interpreter does not exist.
    let folder = TempDir::new().expect("a temporary directory can be created");
    let program = folder.path().join("server");
    fs::write(&program, "#!/nowhere/at/all\n").expect("the file can be written");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(&program, mode).expect("it can be made to run");
    let command = program.to_str().expect("UTF-8").to_string();
    let broken = of(ServerConfiguration {
        command: Some(vec![command.clone()]),
        ..ServerConfiguration::default()
    });
    let refused = broken.refused("rename_symbol", renamed("fetch"));
    pinned("spawn_failed", &refused.replace(&command, "<program>"));
    // A language without a server.
    let fixture = of(ServerConfiguration::default());
    fixture.bench.write("notes.txt", "some words\n");
    let answered = fixture.call("hover", json!({"locate": "notes.txt@words"}));
    let error = answered.json["parse_error"].as_str().unwrap_or_default();
    assert!(
        error.starts_with("server_not_installed: no language server for text"),
        "{error}"
    );
}

#[test]
fn an_answer_during_indexing_is_incomplete() {
    let fixture = Fixture::with("plain", &["indexing=yes"], 0.3);
    fixture.answers(json!({
        "textDocument/definition": null,
        "textDocument/references": [fixture.location("store.py", 1, 8, 11)],
        "textDocument/rename": fixture.renaming("fetch"),
    }));
    pinned(
        "not_ready",
        &fixture.refused("rename_symbol", renamed("fetch")),
    );
    // Nothing that treegraft finds makes up for that.
    let mut arguments = renamed("fetch");
    arguments["complete"] = json!(true);
    arguments["allow"] = json!(["incomplete"]);
    let refused = fixture.refused("rename_symbol", arguments);
    assert!(refused.starts_with("refused: not_ready\n"), "{refused}");
    let answered = fixture.call("goto_definition", get());
    let error = answered.json["parse_error"].as_str().unwrap_or_default();
    assert!(error.starts_with("not_ready: "), "{error}");
    // The answer has what the server returned, with a warning, and with the file that the server
    // left out.
    let answered = fixture.call("find_references", get());
    assert_eq!(answered.json["completeness"], "still_indexing");
    pinned("references_still_indexing", &answered.text);
}

/// What a stale rename changes now, the server is only asked if the person wants that.
#[test]
fn a_stale_rename_is_shown_as_it_is_now() {
    let fixture = Fixture::new("plain");
    fixture.answers(json!({"textDocument/rename": fixture.renaming("fetch")}));
    let preview = fixture.call("rename_symbol", renamed("fetch"));
    let edit_id = preview.json["edit_id"].as_str().expect("an id");
    let app = APP.replace("other = make()", "other = make(1)");
    fixture.bench.write("app.py", &app);
    let engine = &fixture.bench.engine;
    let reviewed = engine.review_edit(edit_id).expect("it is staged");
    assert!(
        matches!(reviewed.since, FilesSince::StaleUntilAsked),
        "{:?}",
        reviewed.since
    );
    assert!(reviewed.now.is_empty());
    let reviewed = engine.review_edit_asking(edit_id).expect("it is staged");
    let FilesSince::Stale(diff) = reviewed.since else {
        panic!("{:?}", reviewed.since);
    };
    assert!(diff.contains("store.fetch(\"a\")"), "{diff}");
    let before = reviewed.now.iter().map(|file| {
        let before = file.before.as_ref().expect("it is kept");
        (file.file_path.clone(), before.text().to_string())
    });
    assert_eq!(
        before.collect::<Vec<_>>(),
        [
            ("app.py".to_string(), app.clone()),
            ("store.py".to_string(), STORE.to_string()),
        ]
    );
    // The server has another answer.
    fixture.answers(json!({"textDocument/rename": null}));
    let reviewed = engine.review_edit_asking(edit_id).expect("it is staged");
    assert!(
        matches!(reviewed.since, FilesSince::RefusedNow(_)),
        "{:?}",
        reviewed.since
    );
    assert_eq!(fixture.bench.read("app.py"), app.as_bytes());
    let listed = fixture.call("list_edits", json!({}));
    assert_eq!(listed.json["edits"].as_array().map(Vec::len), Some(1));
}

#[test]
fn a_rename_is_previewed_applied_and_undone() {
    let fixture = Fixture::new("plain");
    fixture.answers(json!({"textDocument/rename": fixture.renaming("fetch")}));
    let preview = fixture.call("rename_symbol", renamed("fetch"));
    pinned("rename", &steady(&preview.text));
    assert_eq!(fixture.bench.read("app.py"), APP.as_bytes());
    let edit_id = preview.json["edit_id"].clone();
    let listed = fixture.call("list_edits", json!({}));
    assert_eq!(listed.json["edits"][0]["tool"], "rename_symbol");
    assert_eq!(
        listed.json["edits"][0]["summary"],
        "rename `get` to `fetch` in 2 files"
    );
    let refused = fixture.refused(
        "amend_edit",
        json!({"edit_id": edit_id, "selector": "function@def make"}),
    );
    assert!(refused.contains("rename_symbol"), "{refused}");
    fixture.call("apply_edit", json!({"edit_id": edit_id}));
    let app = String::from_utf8(fixture.bench.read("app.py")).expect("UTF-8");
    assert_eq!(app, APP.replace(".get(", ".fetch("));
    fixture.call("undo_edit", json!({"edit_id": edit_id}));
    assert_eq!(fixture.bench.read("app.py"), APP.as_bytes());
    assert_eq!(fixture.bench.read("store.py"), STORE.as_bytes());
    // Previewed and applied in one call.
    let mut arguments = renamed("fetch");
    arguments["apply"] = json!(true);
    assert_eq!(
        fixture.call("rename_symbol", arguments).json["status"],
        "applied"
    );
    assert_eq!(
        fixture.bench.read("store.py"),
        STORE.replace("get", "fetch").as_bytes()
    );
}

#[test]
fn a_stale_rename_is_requested_again_for_the_same_file_in_any_directory() {
    let mut fixture = Fixture::new("plain");
    fixture.answers(json!({"textDocument/rename": fixture.renaming("fetch")}));
    let preview = fixture.call("rename_symbol", renamed("fetch"));
    // Another file has the name, and relative paths now start at its folder.
    fs::create_dir(fixture.bench.root().join("inner")).expect("it can be created");
    fixture
        .bench
        .write("inner/store.py", "class Other:\n    pass\n");
    fixture.bench.write("app.py", format!("{APP}\n"));
    fixture.bench = fixture.bench.relative_to("inner");
    let stale = fixture.refused("apply_edit", json!({"edit_id": preview.json["edit_id"]}));
    assert!(
        stale.starts_with("refused: stale_edit\n`../app.py` changed"),
        "{stale}"
    );
    assert!(stale.contains("--- a/../store.py\n"), "{stale}");
}

#[test]
fn a_rename_needs_a_symbol_and_reports_implementations() {
    let fixture = Fixture::new("plain");
    let capabilities =
        json!({"renameProvider": {"prepareProvider": true}, "implementationProvider": true});
    let answers = |prepared: Value| {
        let answers = json!({
            "capabilities": capabilities,
            "textDocument/prepareRename": prepared,
            "textDocument/rename": fixture.renaming("fetch"),
            // The definition itself, a place that is also renamed, and one that is not.
            "textDocument/implementation": [
                fixture.location("store.py", 1, 8, 11), fixture.location("app.py", 3, 18, 21),
                fixture.location("other.py", 1, 8, 11),
            ],
        });
        let path = fixture.script.path().join("answers.json");
        fs::write(path, answers.to_string()).expect("the file can be written");
    };
    fixture.bench.write("other.py", STORE);
    answers(Value::Null);
    let refused = fixture.refused("rename_symbol", renamed("fetch"));
    pinned("not_to_be_renamed", &refused);
    answers(json!({"defaultBehavior": true}));
    let refused = fixture.refused("rename_symbol", renamed("fetch"));
    pinned("rename_without_implementation", &refused);
}

/// Returns an edit that renames in `store.py` and not in `app.py`.
fn of_store_alone(fixture: &Fixture) -> Value {
    let edit = json!({"range": range(1, 8, 11), "newText": "fetch"});
    json!({"changes": {fixture.uri("store.py"): [edit]}})
}

#[test]
fn a_rename_that_leaves_uses_is_refused_with_each_place() {
    let fixture = Fixture::new("plain");
    let more = "from store import make\n\nget = make().get\nprint(f\"{get}\", \"get\")  # get\n";
    fixture.bench.write("more.py", more);
    // One use is listed but not renamed, and the server resolves no identifier.
    fixture.answers(json!({
        "textDocument/rename": of_store_alone(&fixture),
        "textDocument/references": [
            fixture.location("store.py", 1, 8, 11), fixture.location("app.py", 3, 18, 21),
            // An alias keeps its name.
            fixture.location("app.py", 4, 0, 5),
        ],
        "textDocument/definition": null,
    }));
    let refusal = fixture.bench.call("rename_symbol", renamed("fetch"));
    let refusal = refusal.expect_err("some uses are left");
    pinned("incomplete_rename", &fixture.steady(&refusal.text()));
    assert_eq!(fixture.bench.read("store.py"), STORE.as_bytes());
    let error = &refusal.json()["error"];
    assert_eq!(error["places_omitted"], 0);
    let places = error["places"].as_array().expect("they are listed");
    assert_eq!(places.len(), 5);
    for place in places {
        let located = fixture
            .call("locate", json!({"locate": place["locate"]}))
            .json;
        assert_eq!(located["file_path"], place["file"]);
        assert_eq!(located["position"]["line"], place["line"]);
        assert_eq!(located["position"]["character"], place["column"]);
    }
    let mut arguments = renamed("fetch");
    arguments["allow"] = json!(["incomplete"]);
    let preview = fixture.call("rename_symbol", arguments.clone());
    pinned("incomplete_rename_allowed", &steady(&preview.text));
    arguments["allow"] = json!("everything");
    let refused = fixture.refused("rename_symbol", arguments);
    assert!(
        refused.starts_with("refused: invalid_arguments"),
        "{refused}"
    );
}

/// Returns an edit that renames `make` in `store.py` and not in `app.py`.
fn of_make_alone(fixture: &Fixture, new_name: &str) -> Value {
    let edit = json!({"range": range(5, 4, 8), "newText": new_name});
    json!({"changes": {fixture.uri("store.py"): [edit]}})
}

#[test]
fn a_rename_is_completed_with_the_uses_that_are_certain() {
    let fixture = Fixture::new("plain");
    let more = "from store import make as made\nfrom .store import make\n\n__all__ = [\"make\"]\n\n\ndef run():\n    \
                patch(\"store.make\")\n    patch(\"app.make\")\n    patch(\"other.make\")\n    \
                return make(\"make\")  # make\n";
    fixture.bench.write("more.py", more);
    fixture.answers(json!({
        "textDocument/rename": of_make_alone(&fixture, "build"),
        "textDocument/references": [fixture.location("app.py", 4, 8, 12)],
        "textDocument/definition": null,
    }));
    let arguments = json!({"locate": "store.py:make", "new_name": "build"});
    let refusal = fixture.bench.call("rename_symbol", arguments.clone());
    let refusal = refusal.expect_err("the server left out some uses");
    pinned(
        "incomplete_rename_completable",
        &fixture.steady(&refusal.text()),
    );
    let suggested = refusal.suggestions().remove(0);
    let mut expected = arguments;
    expected["complete"] = json!(true);
    assert_eq!(
        (suggested.tool.as_str(), &suggested.arguments),
        ("rename_symbol", &expected)
    );
    let preview = fixture.call(&suggested.tool, suggested.arguments);
    pinned("completed_rename", &steady(&preview.text));
    let edit = json!({"edit_id": preview.json["edit_id"]});
    fixture.call("apply_edit", edit.clone());
    let text = |file| String::from_utf8(fixture.bench.read(file)).expect("UTF-8");
    assert_eq!(text("app.py"), APP.replace("make", "build"));
    fixture.call("undo_edit", edit);
    assert_eq!(text("more.py"), more);
}

#[test]
fn a_name_in_a_list_of_exports_is_a_use_and_other_strings_are_listed() {
    let fixture = Fixture::new("plain");
    fs::remove_file(fixture.bench.root().join("app.py")).expect("the file can be removed");
    let store = format!("__all__ = [\"make\"]\n{STORE}");
    fixture.bench.write("store.py", &store);
    let edit = json!({"range": range(6, 4, 8), "newText": "build"});
    fixture.answers(json!({
        "textDocument/rename": {"changes": {fixture.uri("store.py"): [edit]}}, "textDocument/definition": null,
    }));
    let rename = || {
        let arguments = json!({"locate": "store.py:make", "new_name": "build", "complete": true});
        fixture.bench.call("rename_symbol", arguments)
    };
    let made = rename().unwrap_or_else(|refusal| panic!("{}", refusal.text()));
    let note = "added to the server's rename (in the scope of the renamed symbol): `store.py` 1:13";
    assert_eq!(made.json["notes"], json!([note]));
    for (more, is_left) in [
        // The file exports the name of another one, its own, or none.
        ("from store import *\n\n__all__ = [\"make\"]\n", true),
        ("__all__ = [\"make\"]\n\n\ndef make():\n    pass\n", true),
        ("patch(\"store.make\", \"make\")\n", false),
    ] {
        fixture.bench.write("more.py", more);
        match rename() {
            Ok(made) => {
                assert!(!is_left, "{more}: {}", made.text);
                let note =
                    "1 line of comments or strings still contains \"make\": `more.py` line 1";
                assert!(made.text.contains(note), "{}", made.text);
            }
            Err(refusal) => {
                let text = refusal.text();
                assert!(is_left && text.contains("- more.py:"), "{more}: {text}");
            }
        }
    }
}

#[test]
fn a_completed_rename_is_refused_if_a_use_is_not_certain() {
    let fixture = Fixture::new("plain");
    fixture.answers(json!({
        "textDocument/rename": of_store_alone(&fixture),
        "textDocument/references": [fixture.location("app.py", 3, 18, 21)],
        "textDocument/definition": null,
    }));
    let mut arguments = renamed("fetch");
    arguments["complete"] = json!(true);
    pinned(
        "doubtful_uses",
        &fixture.refused("rename_symbol", arguments.clone()),
    );
    // Both suggested calls together rename all places.
    let refusal = fixture.bench.call("rename_symbol", arguments);
    let mut suggested = refusal.expect_err("one use is not certain").suggestions();
    let edits = suggested.remove(1);
    let rename = suggested.remove(0);
    let preview = fixture.call(&rename.tool, rename.arguments);
    assert_eq!(
        preview.json["notes"],
        json!([
            "added to the server's rename (listed as a reference): `app.py` 4:18",
            "allowed: possible uses of \"get\" are left unchanged: `app.py` 4:34",
        ])
    );
    let rename = json!({"edit_id": preview.json["edit_id"]});
    fixture.call("apply_edit", rename.clone());
    let made = fixture.call(&edits.tool, edits.arguments);
    let edits = json!({"edit_id": made.json["edit_id"]});
    fixture.call("apply_edit", edits.clone());
    let app = String::from_utf8(fixture.bench.read("app.py")).expect("UTF-8");
    assert_eq!(app, APP.replace(".get(", ".fetch("));
    fixture.call("undo_edit", edits);
    fixture.call("undo_edit", rename);
    let refused = |more: &str, new_name: &str| {
        fixture.bench.write("more.py", more);
        fixture.answers(json!({
            "textDocument/rename": of_make_alone(&fixture, new_name), "textDocument/definition": null,
        }));
        let arguments = json!({"locate": "store.py:make", "new_name": new_name, "complete": true});
        fixture.refused("rename_symbol", arguments)
    };
    // An added place uses the new name.
    let text = refused("", "other");
    assert!(text.starts_with("refused: changes_surroundings"), "{text}");
    assert!(text.contains("app.py:5:1"), "{text}");
    fixture.bench.write("other.py", "from unknown import *\n");
    for (more, place) in [
        // Nothing imports the name, the module may have it from another one, or the server does not know a definition.
        ("make()\n", "more.py:1:1"),
        ("from other import make\n", "more.py:1:19"),
        ("import other\n\nother.make()\n", "more.py:3:7"),
        (
            "from store import make\n\nmake()\n\n\ndef f(make):\n    return make\n",
            "more.py:6:7",
        ),
        (
            "from store import make\n\n\ndef f():\n    make = 1\n    return make\n",
            "more.py:5:5",
        ),
    ] {
        let text = refused(more, "build");
        assert!(text.starts_with("refused: incomplete_rename"), "{text}");
        assert!(text.contains(&format!("- {place}: ")), "{more}{text}");
        assert!(!text.contains("- app.py:"), "{more}{text}");
    }
    // What the file takes from the module by its name is the symbol.
    fixture
        .bench
        .write("more.py", "import store as shop\n\nshop.make()\n");
    let arguments = json!({"locate": "store.py:make", "new_name": "build", "complete": true});
    let preview = fixture.call("rename_symbol", arguments);
    assert!(preview.text.contains("+shop.build()"), "{}", preview.text);
    // What the file imports from outside the workspace, or from a file without the name, is another symbol.
    fixture.bench.write("other.py", "");
    for more in [
        "import web\nfrom web.client import make\n\nmake()\nweb.make()\n",
        "from other import make\n\nmake()\n",
        "from store import other as make\n\nmake()\n",
    ] {
        fixture.bench.write("more.py", more);
        let arguments = json!({"locate": "store.py:make", "new_name": "build", "complete": true});
        let preview = fixture.call("rename_symbol", arguments);
        assert!(!preview.text.contains("more.py"), "{}", preview.text);
    }
}

#[test]
fn a_name_of_another_symbol_is_not_reported_as_a_use() {
    let fixture = Fixture::new("plain");
    // Each identifier resolves to another place.
    fixture.answers(json!({"textDocument/rename": of_store_alone(&fixture)}));
    let preview = fixture.call("rename_symbol", renamed("fetch"));
    assert_eq!(preview.json["notes"], json!([]));
    // The renamed file is in a directory, and the file with the unresolved name mentions nothing in
    // it.
    let fixture = Fixture::new("plain");
    fs::create_dir(fixture.bench.root().join("shop")).expect("the directory can be created");
    fixture.bench.write("shop/store.py", STORE);
    fixture
        .bench
        .write("alone.py", "def run(thing):\n    return thing.get(1)\n");
    fs::remove_file(fixture.bench.root().join("app.py")).expect("the file can be removed");
    fs::remove_file(fixture.bench.root().join("store.py")).expect("the file can be removed");
    let edit = json!({"range": range(1, 8, 11), "newText": "fetch"});
    fixture.answers(json!({
        "textDocument/rename": {"changes": {fixture.uri("shop/store.py"): [edit]}},
        "textDocument/definition": null,
    }));
    let arguments = json!({"locate": "shop/store.py:Store.get", "new_name": "fetch"});
    let preview = fixture.call("rename_symbol", arguments.clone());
    let note =
        "unresolved \"get\" is left unchanged in files that seem unrelated: `alone.py` line 2";
    assert_eq!(preview.json["notes"], json!([note]));
    // A file that mentions it is related.
    fixture.bench.write(
        "alone.py",
        "from shop.store import Store\n\ndef run(thing):\n    return thing.get(1)\n",
    );
    let refused = fixture.refused("rename_symbol", arguments);
    assert!(
        refused.starts_with("refused: incomplete_rename"),
        "{refused}"
    );
    assert!(refused.contains("alone.py:4:18"), "{refused}");
}

#[test]
fn a_rename_with_a_new_error_is_refused_or_noted() {
    let fixture = Fixture::with("plain", &["early=versioned"], 20.0);
    fixture.answers(json!({"textDocument/rename": fixture.renaming("fetch"), "textDocument/diagnostic": "absent"}));
    pinned(
        "rename_with_new_error",
        &fixture.refused("rename_symbol", renamed("fetch")),
    );
    let mut arguments = renamed("fetch");
    arguments["allow"] = json!(["surroundings"]);
    let preview = fixture.call("rename_symbol", arguments);
    let note = "the language server reports a new error: `app.py` line 1: of version";
    assert!(preview.text.contains(note), "{}", preview.text);
}

#[test]
fn a_member_of_a_class_in_an_imported_module_is_listed() {
    let bench = Bench::with(
        "models.py",
        "class Store:\n    def get(self):\n        return 1\n",
    );
    bench.write("use.py", "import models\n\nprint(models.Store.get(1))\n");
    fs::create_dir(bench.root().join("app")).expect("the folder can be created");
    bench.write("app/__init__.py", "");
    bench.write(
        "more.py",
        "from app import models\n\nprint(models.Store.get(1))\n",
    );
    let fixture = Fixture::over(bench, "plain", &[], 20.0);
    let edit = json!({"range": range(1, 8, 11), "newText": "fetch"});
    fixture.answers(json!({
        "textDocument/rename": {"changes": {fixture.uri("models.py"): [edit]}},
        "textDocument/definition": null,
    }));
    let arguments = json!({"locate": "models.py:Store.get", "new_name": "fetch"});
    let refused = fixture.refused("rename_symbol", arguments);
    for place in ["use.py:3:20", "more.py:3:20"] {
        assert!(refused.contains(place), "{refused}");
    }
}

#[test]
fn the_own_name_of_a_default_import_is_not_renamed() {
    let bench = Bench::with("shop.ts", "export default function price() {}\n");
    let using = "import price from \"./shop\";\nprice();\n";
    bench.write("cart.ts", using);
    let fixture = Fixture::of("typescript", bench, "plain", &[], 20.0);
    let edit = json!({"range": range(0, 24, 29), "newText": "cost"});
    fixture.answers(json!({
        "textDocument/rename": {"changes": {fixture.uri("shop.ts"): [edit]}},
        "textDocument/definition": null,
    }));
    let arguments = json!({"locate": "shop.ts:price", "new_name": "cost", "complete": true});
    let preview = fixture.call("rename_symbol", arguments);
    assert!(!preview.text.contains("cart.ts"), "{}", preview.text);
}

#[test]
fn a_rename_leaves_no_component_with_the_old_name() {
    let bench = Bench::with("shop.ts", "export function price(n: number) {}\n");
    let import = "import { price } from \"./shop\";";
    let script = format!("<script lang=\"ts\">\n{import}\n</script>\n\n<p>price</p>\n");
    bench.write("Cart.vue", &script);
    bench.write("Cart.svelte", &script);
    bench.write(
        "Cart.astro",
        format!("---\n{import}\n---\n<p>{{price(1)}}</p>\n"),
    );
    // Not imported, and in a page that is no component.
    bench.write("Local.vue", script.replace(import, "const price = 1;"));
    bench.write("page.html", &script);
    let fixture = Fixture::of("typescript", bench, "plain", &[], 20.0);
    let edit = json!({"range": range(0, 16, 21), "newText": "cost"});
    fixture.answers(json!({"textDocument/rename": {"changes": {fixture.uri("shop.ts"): [edit]}}}));
    let arguments = json!({"locate": "shop.ts:price", "new_name": "cost"});
    pinned(
        "incomplete_rename_in_components",
        &fixture.refused("rename_symbol", arguments.clone()),
    );
    // The same name in components that do not import it.
    for file in ["Cart.vue", "Cart.svelte", "Cart.astro"] {
        let path = fixture.bench.root().join(file);
        fs::remove_file(path).expect("the file can be removed");
    }
    let preview = fixture.call("rename_symbol", arguments);
    assert!(!preview.text.contains("note"), "{}", preview.text);
}

#[test]
fn a_component_can_import_a_name_from_a_file_that_exports_all_names_of_another() {
    let bench = Bench::with("shop.ts", "export interface Bill {\n  kind: string;\n}\n");
    let fixture = Fixture::of("typescript", bench, "plain", &[], 20.0);
    fixture.bench.write("index.ts", "const kind = 1;\n");
    let script = "<script lang=\"ts\">\nimport { Bill } from \"./index\";\n</script>\n";
    fixture.bench.write("Cart.vue", script);
    let edit = json!({"range": range(0, 17, 21), "newText": "Check"});
    fixture.answers(json!({
        "textDocument/rename": {"changes": {fixture.uri("shop.ts"): [edit]}},
        "textDocument/definition": null,
    }));
    let arguments = json!({"locate": "shop.ts:Bill", "new_name": "Check"});
    fixture.call("rename_symbol", arguments.clone());
    for export in ["export type *", "export\ttype*", "export  *"] {
        let text = format!("{export} from \"./shop\";\n");
        fixture.bench.write("index.ts", text);
        let refused = fixture.refused("rename_symbol", arguments.clone());
        assert!(refused.contains("Cart.vue:2:10"), "{export}: {refused}");
    }
}

#[test]
fn a_constructor_with_the_name_of_its_class_in_a_string_is_no_other_symbol() {
    let shop =
        "export class Fault extends Error {\n  constructor() {\n    super(\"Fault\");\n  }\n}\n";
    let bench = Bench::with("shop.ts", shop);
    bench.write(
        "cart.ts",
        "import { Fault } from \"./shop\";\nthrow new Fault();\n",
    );
    bench.write(
        "keys.ts",
        "export const all = { \"Fault\": 1 };\nall.Fault;\n",
    );
    let fixture = Fixture::of("typescript", bench, "plain", &[], 20.0);
    let edit = |line, from| json!({"range": range(line, from, from + 5), "newText": "Issue"});
    // The server returns the whole constructor, because it has no name.
    let constructor = json!({"uri": fixture.uri("shop.ts"), "range": {
        "start": {"line": 1, "character": 2}, "end": {"line": 3, "character": 3},
    }});
    let resolving = |other: Value| {
        json!({
            "textDocument/rename": {"changes": {
                fixture.uri("shop.ts"): [edit(0, 13)],
                fixture.uri("cart.ts"): [edit(0, 9), edit(1, 10)],
                fixture.uri("keys.ts"): [edit(1, 4)],
            }},
            "textDocument/definition": [fixture.location("shop.ts", 0, 13, 18), other],
        })
    };
    fixture.answers(resolving(constructor));
    let arguments = json!({"locate": "shop.ts:Fault", "new_name": "Issue"});
    let preview = fixture.call("rename_symbol", arguments.clone());
    assert!(
        preview.text.contains("`shop.ts` line 3"),
        "{}",
        preview.text
    );
    // A string is the name of a member.
    for (from, to) in [(21, 28), (21, 31)] {
        fixture.answers(resolving(fixture.location("keys.ts", 0, from, to)));
        let refused = fixture.refused("rename_symbol", arguments.clone());
        let place = "keys.ts:1:23: `export const all = { \"Fault\": 1 };` (shares a use with the renamed symbol)";
        assert!(refused.contains(place), "{refused}");
    }
}

#[test]
fn only_an_alias_alone_excuses_other_files() {
    let bench = Bench::with("shop.ts", "export function price() {}\n");
    let using = "import { price } from \"./shop\";\nprice();\n";
    bench.write("cart.ts", using);
    bench.write("main.ts", using);
    let fixture = Fixture::of("typescript", bench, "plain", &[], 20.0);
    let edit = |line, from, text| json!({"range": range(line, from, from + 5), "newText": text});
    let alias = json!([edit(0, 9, "price as cost"), edit(1, 0, "cost")]);
    let alone = json!({"changes": {fixture.uri("cart.ts"): alias}});
    let both = json!({"changes": {
        fixture.uri("cart.ts"): alias, fixture.uri("shop.ts"): [edit(0, 16, "cost")],
    }});
    let answers =
        |rename: Value| json!({"textDocument/rename": rename, "textDocument/definition": null});
    let arguments = json!({"locate": "cart.ts@{<|>price", "new_name": "cost"});
    fixture.answers(answers(both));
    let refused = fixture.refused("rename_symbol", arguments.clone());
    assert!(
        refused.starts_with("refused: incomplete_rename") && refused.contains("main.ts:2:1"),
        "{refused}"
    );
    fixture.answers(answers(alone));
    let preview = fixture.call("rename_symbol", arguments);
    assert!(!preview.text.contains("main.ts"), "{}", preview.text);
}

#[test]
fn a_server_that_fails_while_uses_are_looked_up_renames_nothing() {
    for (failing, code) in [
        ("textDocument/references", "server_crashed"),
        ("textDocument/definition", "server_crashed"),
    ] {
        let fixture = Fixture::new("plain");
        let mut answers = json!({"textDocument/rename": of_store_alone(&fixture)});
        answers[failing] = json!("end");
        fixture.answers(answers);
        let refused = fixture.refused("rename_symbol", renamed("fetch"));
        assert!(
            refused.starts_with(&format!("refused: {code}\n")),
            "{refused}"
        );
    }
    // If the server does not support references, the other questions are still asked.
    let fixture = Fixture::new("plain");
    fixture.answers(json!({"textDocument/rename": of_store_alone(&fixture)}));
    let path = fixture.script.path().join("answers.json");
    let text = fs::read_to_string(&path).expect("it was written");
    let text = text.replace("textDocument/references", "textDocument/nothing");
    fs::write(&path, text).expect("the file can be written");
    let preview = fixture.call("rename_symbol", renamed("fetch"));
    pinned("rename_without_references", &fixture.steady(&preview.text));
}

#[test]
fn a_new_name_that_is_in_use_is_refused() {
    let fixture = Fixture::new("plain");
    let edit = |line, from| json!({"range": range(line, from, from + 4), "newText": "Store"});
    fixture.answers(json!({
        "textDocument/rename": {"changes": {
            fixture.uri("store.py"): [edit(5, 4)],
            fixture.uri("app.py"): [edit(0, 25), edit(4, 8)],
        }},
        "textDocument/definition": null,
    }));
    let mut arguments = json!({"locate": "store.py:make", "new_name": "Store"});
    pinned(
        "rename_to_a_used_name",
        &fixture.refused("rename_symbol", arguments.clone()),
    );
    arguments["allow"] = json!(["surroundings"]);
    let preview = fixture.call("rename_symbol", arguments);
    let notes = preview.json["notes"].to_string();
    assert!(
        notes.contains("is already used: `app.py` 1:19 and `store.py` 1:7"),
        "{notes}"
    );
    // A member of that name does not count.
    let edit = |line, from: u32, to: u32| json!({"range": range(line, from, to), "newText": "get"});
    fixture.answers(json!({
        "textDocument/rename": {"changes": {fixture.uri("app.py"): [edit(4, 0, 5)]}},
        "textDocument/definition": null,
    }));
    fixture.call(
        "rename_symbol",
        json!({"locate": "app.py@<|>other", "new_name": "get"}),
    );
}

#[test]
fn a_stale_rename_is_requested_again() {
    let fixture = Fixture::new("plain");
    fixture.answers(json!({"textDocument/rename": fixture.renaming("fetch")}));
    let preview = fixture.call("rename_symbol", renamed("fetch"));
    fixture
        .bench
        .write("store.py", format!("{STORE}\n# more\n"));
    let apply = json!({"edit_id": preview.json["edit_id"]});
    let refusal = fixture.bench.call("apply_edit", apply);
    let refusal = refusal.expect_err("a file changed");
    assert_eq!(refusal.code().as_str(), "stale_edit");
    let fresh = refusal.suggestions().remove(0);
    fixture.call(&fresh.tool, fresh.arguments);
    let store = String::from_utf8(fixture.bench.read("store.py")).expect("UTF-8");
    assert_eq!(
        store,
        format!("{}\n# more\n", STORE.replace("get", "fetch"))
    );
}

#[test]
fn an_invalid_rename_changes_nothing() {
    let fixture = Fixture::new("plain");
    let edit = |line, from: u32, to: u32, text: &str| json!({"range": range(line, from, to), "newText": text});
    let of_store = |edits: Value| json!({"changes": {fixture.uri("store.py"): edits}});
    let create = json!({"documentChanges": [{"kind": "create", "uri": fixture.uri("new.py")}]});
    let outside = json!({"changes": {"file:///etc/passwd": [edit(0, 0, 3, "fetch")]}});
    std::os::unix::fs::symlink("store.py", fixture.bench.root().join("alias.py"))
        .expect("the link can be created");
    let one = edit(1, 8, 11, "fetch");
    let twice =
        json!({"changes": {fixture.uri("store.py"): [one], fixture.uri("alias.py"): [one]}});
    for (name, answer, code) in [
        ("nothing", json!(null), "no_change"),
        ("no_edits", of_store(json!([])), "no_change"),
        (
            "another_name",
            of_store(json!([edit(5, 4, 8, "fetch")])),
            "malformed_answer",
        ),
        (
            "overlapping",
            of_store(json!([edit(1, 8, 11, "fetch"), edit(1, 9, 11, "get")])),
            "malformed_answer",
        ),
        ("files", create, "malformed_answer"),
        ("same_file", twice, "malformed_answer"),
        ("outside", outside, "outside_workspace"),
        (
            "syntax",
            of_store(json!([edit(1, 8, 11, "get(")])),
            "breaks_syntax",
        ),
    ] {
        fixture.answers(json!({"textDocument/rename": answer}));
        let refused = fixture.refused("rename_symbol", renamed("fetch"));
        assert!(
            refused.starts_with(&format!("refused: {code}\n")),
            "{name}: {refused}"
        );
        pinned(&format!("unsound_{name}"), &refused);
        assert_eq!(fixture.bench.read("store.py"), STORE.as_bytes());
    }
    assert!(
        fixture
            .refused("rename_symbol", renamed(" "))
            .contains("new_name is blank")
    );
}

impl Fixture {
    /// Returns the params of each request or notification with a method that the server received
    /// since its start.
    fn received(&self, method: &str) -> Vec<Value> {
        let received = fs::read_to_string(self.script.path().join("answers.json.heard"));
        let received = received.expect("the server logs its messages");
        let lines = received
            .lines()
            .map(|line| serde_json::from_str(line).expect("JSON"));
        let lines = lines.filter(|line: &Value| line[0] == method);
        lines.map(|line| line[1].clone()).collect()
    }
}

#[test]
fn a_written_edit_reports_new_diagnostics() {
    let fixture = Fixture::with("plain", &["pulls=yes"], 20.0);
    fixture.answers(json!({"textDocument/hover": {"contents": "it"}}));
    let edit = |find: &str, content: &str| json!({"file_path": "store.py", "find": find, "new_content": content, "apply": true});
    // No server is started for this.
    let made = fixture.call("replace_text", edit("return name", "return str(name)"));
    assert_eq!(made.json.get("diagnostics"), None);
    fixture.call("hover", get());
    // The server reports the whole text as one problem.
    let made = fixture.call("replace_text", edit("str(name)", "repr(name)"));
    let problems = &made.json["diagnostics"];
    assert_eq!(
        (&problems["before"], &problems["after"]),
        (&json!(1), &json!(1))
    );
    let message = problems["new"][0]["message"].as_str().unwrap_or_default();
    assert_eq!(message, STORE.replace("return name", "return repr(name)"));
    assert!(
        made.text
            .contains("\nproblems: 1 before, 1 after, 1 new\n- store.py:1:1: error: class Store")
    );
    // Also after applying a preview, and for another file than the one that the server was asked
    // about.
    let preview = json!({"file_path": "app.py", "find": "make()", "new_content": "Store()"});
    let preview = fixture.call("replace_text", preview);
    assert_eq!(preview.json.get("diagnostics"), None);
    let applied = fixture.call("apply_edit", json!({"edit_id": preview.json["edit_id"]}));
    assert_eq!(applied.json["diagnostics"]["new"][0]["file"], "app.py");
    // Nothing is new once the text is restored.
    let back = fixture.call("undo_edit", json!({"edit_id": preview.json["edit_id"]}));
    assert_eq!(back.json.get("diagnostics"), None);
    // Of several edits that a person accepts, the first reports the problems of all.
    let staged = |file: &str, find: &str, content: &str| {
        let edit = json!({"file_path": file, "find": find, "new_content": content});
        let made = fixture.call("replace_text", edit);
        ChosenEdit::whole(made.json["edit_id"].as_str().expect("an id"))
    };
    let chosen = [
        staged("store.py", "repr(name)", "name"),
        staged("app.py", "make()", "Store()"),
    ];
    let accepted = fixture
        .bench
        .engine
        .accept_edits(&chosen)
        .expect("both fit");
    let problems = accepted.edits[0]
        .diagnostics
        .as_ref()
        .expect("a server runs");
    assert_eq!((problems.before, problems.after), (2, 2));
    let files: Vec<&str> = problems
        .new
        .iter()
        .map(|one| one.location.file.as_str())
        .collect();
    assert_eq!(files, ["store.py", "app.py"]);
    assert!(accepted.edits[1].diagnostics.is_none());
}

#[test]
fn a_code_action_is_previewed_by_its_title() {
    let fixture = Fixture::new("plain");
    let edit = |line, text: &str| json!({"changes": {fixture.uri("store.py"): [{"range": range(line, 0, 0), "newText": text}]}});
    fixture.answers(json!({
        "textDocument/codeAction": [
            {"title": "Add a comment", "kind": "quickfix", "edit": edit(0, "# First.\n")},
            {"title": "Add another", "kind": "refactor", "data": 1},
            {"title": "Twice", "command": "twice"}, {"title": "Twice", "command": "twice"},
            {"title": "Never", "disabled": {"reason": "it is too late"}},
        ],
        "codeAction/resolve": {"title": "Add another", "edit": edit(4, "# Last.\n")},
    }));
    let at = |title: Option<&str>| json!({"locate": "store.py:Store", "apply": title});
    let listed = fixture.call("code_actions", at(None));
    pinned("actions", &listed.text);
    let asked = &fixture.received("textDocument/codeAction")[0];
    assert_eq!(asked["range"], range(0, 6, 11));
    // Only part of the file.
    let part = json!({"file": "store.py", "range": "2:5-3:20"});
    assert_eq!(fixture.call("code_actions", part).text, listed.text);
    let asked = &fixture.received("textDocument/codeAction")[1]["range"];
    let expected =
        json!({"start": {"line": 1, "character": 4}, "end": {"line": 2, "character": 19}});
    assert_eq!(asked, &expected);
    let turned = json!({"file": "store.py", "range": "3:5-2:5"});
    assert!(
        fixture
            .refused("code_actions", turned)
            .contains("ends before it starts")
    );
    for (title, expected) in [
        ("Add a comment", format!("# First.\n{STORE}")),
        (
            "Add another",
            STORE.replace("\n\ndef make", "\n# Last.\n\ndef make"),
        ),
    ] {
        let preview = fixture.call("code_actions", at(Some(title)));
        let edit_id = preview.json["edit"]["edit_id"].clone();
        assert!(
            preview.text.contains("nothing is written yet"),
            "{}",
            preview.text
        );
        fixture.call("apply_edit", json!({"edit_id": edit_id}));
        assert_eq!(
            fixture.bench.read("store.py"),
            expected.as_bytes(),
            "{title}"
        );
        fixture.call("undo_edit", json!({"edit_id": edit_id}));
    }
    pinned(
        "no_such_action",
        &fixture.refused("code_actions", at(Some("Add one"))),
    );
    let twice = fixture.refused("code_actions", at(Some("Twice")));
    assert!(
        twice.contains("2 actions have the title \"Twice\""),
        "{twice}"
    );
    let never = fixture.refused("code_actions", at(Some("Never")));
    assert!(never.starts_with("refused: no_change"), "{never}");
}

#[test]
fn a_file_is_formatted_by_its_server() {
    let fixture = Fixture::new("plain");
    fixture.answers(json!({
        "textDocument/formatting": [{"range": range(3, 0, 0), "newText": "# A line.\n"}],
    }));
    let made = fixture.call("format", json!({"file_path": "store.py", "apply": true}));
    assert_eq!(made.json["status"], "applied");
    let expected = STORE.replacen("\n\n\ndef", "\n# A line.\n\n\ndef", 1);
    assert_eq!(
        String::from_utf8_lossy(&fixture.bench.read("store.py")),
        expected
    );
    let options = &fixture.received("textDocument/formatting")[0]["options"];
    assert_eq!(options, &json!({"tabSize": 4, "insertSpaces": true}));
    fixture.answers(json!({"textDocument/formatting": null}));
    let refused = fixture.refused("format", json!({"file_path": "store.py"}));
    assert!(refused.starts_with("refused: no_change"), "{refused}");
    let refused = fixture.refused("format", json!({"file_path": "store.py", "lines": [1, 2]}));
    assert!(refused.contains("does not support formatting"), "{refused}");
}

#[test]
fn completions_and_signatures_are_listed() {
    let fixture = Fixture::new("plain");
    fixture.answers(json!({
        "textDocument/completion": {"isIncomplete": true, "items": [
            {"label": "put", "kind": 2, "sortText": "2"},
            {"label": "get", "kind": 2, "detail": "(name)", "sortText": "1"},
            {"label": "all", "sortText": "3"},
        ]},
        "textDocument/signatureHelp": {"activeParameter": 0, "signatures": [
            {"label": "get(name)", "documentation": {"kind": "markdown", "value": "Gets *it*."}},
        ]},
    }));
    let place = json!({"locate": "app.py@store.<|>get(", "max_items": 2});
    let completed = fixture.call("completions", place);
    pinned("completions", &completed.text);
    assert_eq!(completed.json["items"][0]["kind"], "method");
    let signature = fixture.call("signature_help", json!({"locate": "app.py@get(<|>\"a"}));
    pinned("signature", &signature.text);
}

#[test]
fn an_engine_over_a_subfolder_does_not_reveal_other_files() {
    let fixture = Fixture::new("plain");
    fixture.answers(json!({"textDocument/hover": {"contents": "it"}}));
    let part = fixture
        .bench
        .root()
        .canonicalize()
        .expect("it exists")
        .join("part");
    fs::create_dir(&part).expect("the workspace can be written");
    fixture.bench.write("part/inner.py", STORE);
    let part = camino::Utf8PathBuf::from_path_buf(part).expect("UTF-8");
    let narrowed = fixture
        .bench
        .engine
        .within(&[part])
        .expect("it is in the workspace");
    for _ in 0..2 {
        fixture.call("hover", get());
        let place = json!({"locate": "inner.py:Store.get"});
        let inner = support::call(&narrowed, "hover", place).expect("it exists");
        assert_eq!(inner.json["success"], true, "{}", inner.text);
    }
    assert_eq!(
        fixture.received("workspace/didChangeWatchedFiles"),
        [Value::Null; 0]
    );
    assert_eq!(fixture.received("initialize").len(), 2);
    fixture.bench.engine.stop_servers();
    let left = narrowed
        .language_servers()
        .expect("the configuration is read");
    assert!(left.iter().all(|one| one.running.is_empty()), "{left:?}");
}

#[test]
fn formatting_of_an_outdated_text_is_not_applied() {
    let folder = TempDir::new().expect("a temporary directory can be created");
    let link = folder.path().join("store.py");
    let touches = format!("touches={}", link.display());
    let fixture = Fixture::with("plain", &[&touches], 20.0);
    std::os::unix::fs::symlink(fixture.bench.root().join("store.py"), &link)
        .expect("the link can be created");
    fixture.answers(json!({
        "textDocument/formatting": [{"range": range(2, 8, 14), "newText": "yield"}],
    }));
    let arguments = json!({"file_path": "store.py", "apply": true});
    let refused = fixture.refused("format", arguments);
    assert!(refused.starts_with("refused: stale_edit\n"), "{refused}");
    let expected = format!("# Another line.\n{STORE}");
    assert_eq!(
        String::from_utf8_lossy(&fixture.bench.read("store.py")),
        expected
    );
}

#[test]
fn settings_and_shebang_determine_the_language_of_a_question() {
    let bench = Bench::with(
        "treegraft.toml",
        "[languages]\ntpl = \"python\"\npy = \"text\"\n",
    );
    bench.write("store.tpl", STORE);
    bench.write("other.tpl", STORE);
    bench.write("script", format!("#!/usr/bin/env python3\n{STORE}"));
    bench.write("plain.py", STORE);
    let fixture = Fixture::over(bench.another_engine(), "plain", &[], 20.0);
    fixture.answers(json!({"textDocument/hover": {"contents": "it"}, "workspace/symbol": []}));
    for file in ["store.tpl", "script"] {
        let hover = fixture.call("hover", json!({"locate": format!("{file}:Store.get")}));
        assert_eq!(hover.json["success"], true, "{}", hover.text);
    }
    let opened = fixture.received("textDocument/didOpen");
    let languages = opened.iter();
    let languages = languages.map(|one| one["textDocument"]["languageId"].clone());
    assert_eq!(languages.collect::<Vec<_>>(), ["python", "python"]);
    // The repository configures this file as plain text.
    let hover = fixture.call(
        "hover",
        json!({"file": "plain.py", "line": 1, "symbol": "Store"}),
    );
    assert_eq!(hover.json["success"], false, "{}", hover.text);
    let found = fixture.call("diagnostics", json!({"path": "plain.py"}));
    assert_eq!(found.json["success"], false, "{}", found.text);
    // Changes a closed file and an open one.
    fixture
        .bench
        .write("other.tpl", format!("# More.\n{STORE}"));
    fixture.bench.write(
        "script",
        format!("#!/usr/bin/env python3\n# More.\n{STORE}"),
    );
    fixture.call("hover", json!({"locate": "store.tpl:Store.get"}));
    let sent = fixture.received("workspace/didChangeWatchedFiles");
    assert_eq!(
        sent,
        [json!({"changes": [{"uri": fixture.uri("other.tpl"), "type": 2}]})]
    );
    let changed = fixture.received("textDocument/didChange");
    assert_eq!(changed[0]["textDocument"]["uri"], fixture.uri("script"));
    // An edit and a search for symbols both use the running server.
    let edit = json!({"file_path": "script", "find": "return name", "new_content": "return [name]",
        "apply": true});
    let edited = fixture.call("replace_text", edit);
    assert!(
        edited
            .text
            .contains("note: diagnostics before and after the edit are unknown"),
        "{}",
        edited.text
    );
    let symbols = fixture.call("workspace_symbols", json!({"query": "get"}));
    assert_eq!(symbols.json["success"], true, "{}", symbols.text);
    for symbol in symbols.json["symbols"].as_array().expect("a list") {
        let (file, line, column) = (&symbol["file"], &symbol["line"], &symbol["column"]);
        let place = format!(": {}:{line}:{column}\n", file.as_str().expect("a path"));
        assert!(symbols.text.contains(&place), "{}", symbols.text);
    }
}

#[test]
fn an_unparsable_file_without_reported_errors_is_not_complete() {
    let fixture = Fixture::with("plain", &["pulls=yes"], 20.0);
    let finds = |items: Value| {
        fixture.answers(json!({"textDocument/diagnostic": {"kind": "full", "items": items}}));
        fixture.call("diagnostics", json!({"path": "store.py"}))
    };
    let found = finds(json!([]));
    assert_eq!(found.text, "no problems found\n");
    assert_eq!(found.json["completeness"], "complete");
    fixture
        .bench
        .write("store.py", "class Store:\n    def get(self, name:\n");
    pinned("check_unreported", &finds(json!([])).text);
    // The server may report it as less than an error; and an error elsewhere may be its only report
    // of it.
    for (line, severity, completeness) in
        [(1, 3, "complete"), (0, 3, "degraded"), (0, 1, "complete")]
    {
        let item = json!({"range": range(line, 0, 1), "severity": severity, "message": "wrong"});
        assert_eq!(finds(json!([item])).json["completeness"], completeness);
    }
}

#[test]
fn a_symbol_search_reports_the_languages_without_an_answer() {
    let bench = Bench::with("a.py", STORE);
    let mut configuration = Configuration::default();
    let script = TempDir::new().expect("a temporary directory can be created");
    let answers = script.path().join("answers.json");
    let prepared =
        json!({"capabilities": {"workspaceSymbolProvider": true}, "workspace/symbol": []});
    fs::write(&answers, prepared.to_string()).expect("the file can be written");
    let answers = format!("answers={}", answers.display());
    let asked = |command: &[&str]| ServerConfiguration {
        command: Some(command.iter().map(|word| word.to_string()).collect()),
        ..ServerConfiguration::default()
    };
    let scripted = ["python3", SCRIPT, "plain", &answers];
    for (language, file) in [
        ("python", "b.py"),
        ("rust", "b.rs"),
        ("go", "b.go"),
        ("java", "B.java"),
    ] {
        configuration = configuration.with(language, asked(&scripted));
        bench.write(file, "");
    }
    // Two languages without symbols: one server cannot list them, and one is not installed.
    configuration = configuration.with("css", asked(&["python3", SCRIPT, "plain"]));
    configuration = configuration.with("json", asked(&["no-such-program"]));
    bench.write("b.css", "");
    bench.write("b.json", "{}");
    bench.write("c.json", "{}");
    let bench = bench.with_servers(configuration);
    let found = bench.call("workspace_symbols", json!({"query": "get"}));
    let found = found.unwrap_or_else(|refusal| panic!("{}", refusal.text()));
    let steady = found
        .text
        .replace(script.path().to_str().expect("UTF-8"), "<script>");
    pinned("symbols_of_some_languages", &steady);
    assert_eq!(found.json["completeness"], "degraded");
}

/// Waits until a condition is met.
#[cfg(target_os = "linux")]
fn until(what: &str, is_met: impl Fn() -> bool) {
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(60);
    while !is_met() {
        assert!(std::time::Instant::now() < deadline, "{what}");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn servers_over_the_memory_limit_end_and_the_next_answer_has_a_note() {
    let bench = Bench::with("store.py", STORE);
    bench.write("a.go", "package a\n");
    let script = TempDir::new().expect("a temporary directory can be created");
    let answers = script.path().join("answers.json");
    let prepared = json!({
        "capabilities": {"hoverProvider": true}, "textDocument/hover": {"contents": "it"},
    });
    fs::write(&answers, prepared.to_string()).expect("the file can be written");
    let server = |memory: &str| ServerConfiguration {
        command: Some(
            [
                "python3",
                SCRIPT,
                "plain",
                &format!("answers={}", answers.display()),
                memory,
            ]
            .map(str::to_string)
            .to_vec(),
        ),
        ..ServerConfiguration::default()
    };
    let hover = |bench: &Bench, file: &str, line: u32, symbol: &str| {
        let arguments = json!({"file": file, "line": line, "symbol": symbol});
        let answered = bench.call("hover", arguments);
        answered
            .unwrap_or_else(|refusal| panic!("{}", refusal.text()))
            .text
    };
    let running = |bench: &Bench| -> Vec<&'static str> {
        let servers = bench.engine.language_servers();
        let servers = servers.unwrap_or_else(|refusal| panic!("{}", refusal.text()));
        let running = servers.into_iter().filter(|one| !one.running.is_empty());
        running.map(|one| one.name).collect()
    };

    // Both together use too much: the one that was not used for longest ends.
    let configuration = Configuration::default()
        .with("python", server("memory=150"))
        .with("go", server("memory=150"))
        .with_max_memory(280 << 20);
    let two = bench.another_engine().with_servers(configuration);
    hover(&two, "store.py", 2, "get");
    hover(&two, "a.go", 1, "a");
    until("the first server ends", || running(&two) == ["go"]);
    let text = hover(&two, "store.py", 2, "get");
    assert!(text.contains("\nnote: "), "{text}");
    assert!(text.contains("was restarted: it used 1"), "{text}");
    assert!(
        text.contains("max_memory of all servers is 293.6 MB"),
        "{text}"
    );
    until("the other server ends", || running(&two) == ["python"]);
    assert!(!hover(&two, "store.py", 2, "get").contains("note: "));

    // Without a limit, nothing ends: the other tests show it. One alone may use too much.
    let configuration = Configuration::default()
        .with("python", server("memory=150"))
        .with_max_memory(100 << 20);
    let one = bench.another_engine().with_servers(configuration);
    // It may end during the question.
    let _ = one.call(
        "hover",
        json!({"file": "store.py", "line": 2, "symbol": "get"}),
    );
    until("the server ends", || running(&one).is_empty());
}
