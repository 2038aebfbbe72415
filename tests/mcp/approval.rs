//! A person approves each edit: no call of a client writes a source file, whatever it sends.
//!
//! `cargo test --test main -- mcp::approval --nocapture` also prints how much was tried.
#![expect(clippy::print_stdout, reason = "a test prints its counts")]

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use treegraft::source::Digest;

use super::*;

const REVISION: &str = "2025-06-18";
const SCRIPT: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../tests/lsp/scripted_server.py"
);

/// The files that no call may change.
const FILES: &[(&str, &str)] = &[
    ("a.rs", "fn open() {\n    inside(1)\n}\n\nfn other() {}\n"),
    ("b.rs", "fn open() {\n    inside(1)\n}\n\nfn other() {}\n"),
    (
        "store.py",
        "class Store:\n    def get(self, name):\n        return name\n",
    ),
    (
        "app.py",
        "from store import Store\n\n\ndef main():\n    store = Store()\n    return store.get(1)\n",
    ),
];

/// Where a person requires approval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Source {
    Option,
    Workspace,
    User,
    /// A `treegraft.toml` that is not valid, but mentions the setting.
    BrokenWorkspace,
}

const SOURCES: [Source; 4] = [
    Source::Option,
    Source::Workspace,
    Source::User,
    Source::BrokenWorkspace,
];

struct Bench {
    directory: PathBuf,
    server: Server,
    _answers: TempDir,
}

impl Bench {
    fn of(source: Source) -> Bench {
        let settings = match source {
            Source::Workspace => "approval = \"required\"\n",
            Source::BrokenWorkspace => "approval = \"required\"\nignore = [\n",
            Source::Option | Source::User => "",
        };
        let user = match source {
            Source::User => "approval = \"required\"\n",
            _ => "",
        };
        let options: &[&str] = match source {
            Source::Option => &["--stage-only"],
            _ => &[],
        };
        Bench::with(settings, user, options)
    }

    fn with(settings: &str, user: &str, options: &[&str]) -> Bench {
        let own = tempfile::tempdir().expect("a temporary directory can be created");
        let directory = own.path().canonicalize().expect("it exists");
        let root = directory.join("workspace");
        fs::create_dir(&root).expect("it can be created");
        for (name, text) in FILES {
            fs::write(root.join(name), text).expect("it can be written");
        }
        fs::write(root.join("treegraft.toml"), settings).expect("it can be written");
        let answers = tempfile::tempdir().expect("a temporary directory can be created");
        let configuration = format!("{user}{}", scripted(&answers, &root));
        let folder = directory.join("config/treegraft");
        fs::create_dir_all(&folder).expect("it can be created");
        fs::write(folder.join("config.toml"), configuration).expect("it can be written");
        let options = [&["--tools", "read,edit,flow,server"][..], options].concat();
        let mut server = Server::over_with(&root, own, &options);
        server.initialize(REVISION);
        Bench {
            directory,
            server,
            _answers: answers,
        }
    }

    /// Returns all files of the workspace with their bytes.
    fn files(&self) -> BTreeMap<String, Vec<u8>> {
        let entries = fs::read_dir(self.directory.join("workspace")).expect("it is there");
        let entries = entries.map(|entry| {
            let entry = entry.expect("it can be read");
            let bytes = fs::read(entry.path()).expect("it can be read");
            (entry.file_name().to_string_lossy().into_owned(), bytes)
        });
        entries.collect()
    }

    fn settings(&self, text: &str) {
        let path = self.directory.join("workspace/treegraft.toml");
        fs::write(path, text).expect("it can be written");
    }

    /// Runs a command as the user, and returns its output.
    fn by_the_user(&self, words: &[&str]) -> String {
        let output = Command::new(env!("CARGO_BIN_EXE_treegraft"))
            .args(words)
            .env("XDG_STATE_HOME", self.directory.join("state"))
            .env("XDG_CONFIG_HOME", self.directory.join("config"))
            .current_dir(self.directory.join("workspace"))
            .output()
            .expect("the command runs");
        String::from_utf8_lossy(&output.stdout).into_owned()
            + &String::from_utf8_lossy(&output.stderr)
    }

    /// Makes the call of a tool with its arguments as an object, or as the text of an object.
    fn call_as(&mut self, tool: &str, arguments: &Value, is_text: bool) -> Value {
        let arguments = match is_text {
            true => Value::from(arguments.to_string()),
            false => arguments.clone(),
        };
        self.server.call(tool, arguments)
    }

    /// Stages an edit of `a.rs`, and returns its id.
    fn staged(&mut self) -> String {
        let arguments =
            json!({"file_path": "a.rs", "find": "inside(1)", "new_content": "inside(2)"});
        let made = self.server.call("replace_text", arguments);
        id(&made["structuredContent"])
    }
}

fn id(made: &Value) -> String {
    let found = made["edit_id"].as_str();
    let found = found.unwrap_or_else(|| panic!("an id: {made}"));
    found.to_string()
}

fn pinned(name: &str, text: &str) {
    pinned_as("diagnostics/approval_required", name, text);
}

fn pinned_as(folder: &str, name: &str, text: &str) {
    let settings = crate::support::snapshots(folder);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

/// Returns the configuration of a language server that suggests edits of the Python files.
fn scripted(answers: &TempDir, root: &Path) -> String {
    let uri = |name: &str| format!("file://{}/{name}", root.display());
    let range = |line: u32, from: u32, to: u32| json!({"start": {"line": line, "character": from}, "end": {"line": line, "character": to}});
    let own = json!({"uri": uri("store.py"), "range": range(1, 8, 11)});
    let renamed = json!({"changes": {
        uri("store.py"): [{"range": range(1, 8, 11), "newText": "fetch"}],
        uri("app.py"): [{"range": range(5, 17, 20), "newText": "fetch"}],
    }});
    let prepared = json!({
        "capabilities": {
            "referencesProvider": true, "hoverProvider": true, "renameProvider": true,
            "codeActionProvider": true, "documentFormattingProvider": true,
        },
        "textDocument/references": [own],
        "textDocument/definition": own,
        "textDocument/codeAction": [{"title": "Fix it", "kind": "quickfix", "edit": renamed}],
        "textDocument/formatting": [{"range": range(1, 0, 0), "newText": "\n"}],
        "textDocument/rename": renamed,
    });
    let path = answers.path().join("answers.json");
    fs::write(&path, prepared.to_string()).expect("it can be written");
    format!(
        "[servers.python]\ncommand = [\"python3\", {SCRIPT:?}, \"plain\", \"pulls=yes\", \"answers={}\"]\n",
        path.display()
    )
}

/// Returns a call of every tool that edits, without `apply`.
fn edits() -> Vec<(&'static str, Value)> {
    let open = json!({"anchor_text": "fn open", "ancestor_node_type": "function"});
    let other = json!({"anchor_text": "fn other", "ancestor_node_type": "function"});
    let one = json!({"file_path": "a.rs", "find": "inside(1)", "new_content": "inside(2)"});
    let both =
        json!({"file_path": ["a.rs", "b.rs"], "find": "inside(1)", "new_content": "inside(2)"});
    let glob = json!({"file_path": "*.rs", "find": "inside(1)", "new_content": "inside(2)"});
    vec![
        (
            "replace_node",
            json!({"file_path": "a.rs", "selector": open, "new_content": "fn open() {}"}),
        ),
        (
            "replace_node",
            json!({"file_path": "a.rs", "selector": "function@fn open", "new_content": "fn open() {}"}),
        ),
        ("replace_text", one.clone()),
        // The setting itself.
        (
            "replace_text",
            json!({"file_path": "treegraft.toml", "find": "approval = \"required\"", "new_content": "ignore = []"}),
        ),
        (
            "insert_node",
            json!({"file_path": "a.rs", "selector": open, "position": "after", "new_content": "fn new() {}"}),
        ),
        (
            "delete_node",
            json!({"file_path": "a.rs", "selector": other}),
        ),
        (
            "wrap_node",
            json!({"file_path": "a.rs", "selector": open, "new_content": "mod inner {\n    <|>\n}"}),
        ),
        (
            "move_node",
            json!({"file_path": "a.rs", "selector": open, "to": {"selector": other, "position": "after"}}),
        ),
        (
            "move_node",
            json!({
                "file_path": "a.rs", "selector": "function@fn open",
                "to": {"file_path": "b.rs", "selector": other, "position": "after"},
            }),
        ),
        ("edit_nodes", json!({"edits": [one]})),
        ("edit_nodes", json!({"edits": [both]})),
        ("edit_nodes", json!({"edits": [glob]})),
        ("edit_nodes", json!({"edits": json!([one]).to_string()})),
        (
            "edit_nodes",
            json!({"edits": [one, {"op": "delete", "file_path": "b.rs", "selector": other}]}),
        ),
        (
            "rewrite",
            json!({"path": "*.rs", "pattern": "inside($A)", "new_content": "inside($A, 2)"}),
        ),
        (
            "rewrite",
            json!({"path": "a.rs", "pattern": "inside($A)", "new_content": "inside(0)"}),
        ),
        (
            "rename_symbol",
            json!({"locate": "store.py:Store.get", "new_name": "fetch"}),
        ),
        ("format", json!({"file_path": "store.py"})),
    ]
}

/// Writes the journal of a process that was stopped while it replaced two files.
fn interrupt(bench: &Bench) {
    let root = bench.directory.join("workspace");
    let files = ["a.rs", "b.rs"].iter().enumerate().map(|(index, name)| {
        let before = fs::read(root.join(name)).expect("it is there");
        let after = b"fn unapproved() {}\n";
        let temporary = format!(".treegraft-{index:016x}.tmp");
        fs::write(root.join(&temporary), after).expect("it can be written");
        json!({
            "path": root.join(name), "temporary": temporary,
            "before": Digest::from_bytes(&before).to_string(), "after": Digest::from_bytes(after).to_string(),
        })
    });
    let note = json!({
        "version": 3, "edit_id": "e0123456789ab", "direction": "there", "phase": "committed",
        "files": files.collect::<Vec<Value>>(),
    });
    let folder = bench.directory.join("state/treegraft/journal");
    fs::create_dir_all(&folder).expect("it can be created");
    fs::write(folder.join("e0123456789ab.json"), note.to_string()).expect("it can be written");
}

/// Counts answers by tool and code, and checks after each call that no file has changed.
struct Hostile {
    bench: Bench,
    files: BTreeMap<String, Vec<u8>>,
    counts: BTreeMap<(String, String), usize>,
    calls: usize,
}

impl Hostile {
    fn over(bench: Bench) -> Hostile {
        Hostile {
            files: bench.files(),
            bench,
            counts: BTreeMap::new(),
            calls: 0,
        }
    }

    /// Makes a call, and returns its answer or error.
    fn call(&mut self, tool: &str, arguments: &Value, is_text: bool) -> Value {
        let answer = self.bench.call_as(tool, arguments, is_text);
        self.calls += 1;
        assert_eq!(
            self.bench.files(),
            self.files,
            "{tool} {arguments}: {answer}"
        );
        let content = answer["structuredContent"].clone();
        let outcome = match (&content["error"]["code"], &content["status"]) {
            (Value::String(code), _) => code.clone(),
            (_, Value::String(status)) => status.clone(),
            _ => "answered".to_string(),
        };
        assert!(
            outcome != "applied" && outcome != "rebased" && outcome != "undone",
            "{answer}"
        );
        *self.counts.entry((tool.to_string(), outcome)).or_default() += 1;
        content
    }

    /// Tries to write a staged edit in every way.
    fn write_staged(&mut self, edit_id: &str) {
        for (tool, arguments) in [
            ("apply_edit", json!({"edit_id": edit_id})),
            ("apply_edit", json!({"edit_id": edit_id, "diff": "full"})),
            ("undo_edit", json!({"edit_id": edit_id})),
            ("amend_edit", json!({"edit_id": edit_id, "apply": true})),
            ("retarget_edit", json!({"edit_id": edit_id, "apply": true})),
            (
                "amend_edit",
                json!({"edit_id": edit_id, "new_content": "fn open() { 3 }", "apply": true}),
            ),
        ] {
            self.call(tool, &arguments, self.calls.is_multiple_of(2));
        }
    }
}

#[test]
fn no_call_writes_a_file() {
    let mut table = String::new();
    let mut all = 0;
    for source in SOURCES {
        let mut bench = Bench::of(source);
        // An edit of the user, which a call may not undo.
        let edit_id = bench.staged();
        let seen = bench.by_the_user(&["apply", &edit_id]);
        assert!(seen.contains("applied"), "{seen}");
        let undone = edit_id;
        let mut hostile = Hostile::over(bench);
        hostile.call("undo_edit", &json!({"edit_id": undone}), false);
        hostile.call(
            "undo_edit",
            &json!({"edit_id": undone, "diff": "full"}),
            true,
        );
        // Write the file as it was, so that the calls below fit.
        fs::write(hostile.bench.directory.join("workspace/a.rs"), FILES[0].1).expect("it is ours");
        hostile.files = hostile.bench.files();
        for (tool, arguments) in edits() {
            for apply in [json!(true), json!("true"), json!(null)] {
                for is_text in [false, true] {
                    let mut arguments = arguments.clone();
                    arguments["apply"] = apply.clone();
                    let content = hostile.call(tool, &arguments, is_text);
                    let is_kept = content["error"]["edit_id"]
                        .as_str()
                        .or(content["edit_id"].as_str());
                    if let Some(edit_id) = is_kept.map(str::to_string) {
                        hostile.write_staged(&edit_id);
                    }
                }
            }
        }
        let action = json!({"locate": "store.py:Store.get", "apply": "Fix it"});
        let content = hostile.call("code_actions", &action, false);
        hostile.write_staged(&id(&content["edit"]));
        // A write that was interrupted when it was still allowed.
        interrupt(&hostile.bench);
        hostile.files = hostile.bench.files();
        for (tool, arguments) in [
            ("list_edits", json!({})),
            (
                "replace_text",
                json!({"file_path": "a.rs", "find": "inside(1)", "new_content": "inside(3)", "apply": true}),
            ),
            ("apply_edit", json!({"edit_id": "e0123456789ab"})),
            ("undo_edit", json!({"edit_id": "e0123456789ab"})),
            ("discard_edit", json!({"edit_id": "e0123456789ab"})),
        ] {
            hostile.call(tool, &arguments, false);
        }
        // Another session over the same files settles nothing when it starts either.
        let own = tempfile::tempdir().expect("a temporary directory can be created");
        let mut command = Command::new(env!("CARGO_BIN_EXE_treegraft"));
        command
            .args(["serve", "--stage-only", "--root"])
            .arg(hostile.bench.directory.join("workspace"))
            .env("XDG_STATE_HOME", hostile.bench.directory.join("state"))
            .env("XDG_CONFIG_HOME", hostile.bench.directory.join("config"));
        let mut second = Server::started(command, own);
        second.initialize(REVISION);
        second.call("list_edits", json!({}));
        assert!(second.end().success());
        assert_eq!(hostile.bench.files(), hostile.files);
        all += hostile.calls;
        for ((tool, outcome), count) in &hostile.counts {
            table.push_str(&format!("{source:?} {tool} {outcome} {count}\n"));
        }
        // The user settles what was interrupted.
        hostile.bench.by_the_user(&["list"]);
        assert_eq!(
            hostile.bench.files()["b.rs"],
            b"fn unapproved() {}\n",
            "{source:?}"
        );
    }
    println!("{all} calls, none of which wrote a file\n{table}");
    let refused = table
        .lines()
        .filter(|line| line.contains(" approval_required "));
    let refused: usize = refused
        .filter_map(|line| line.rsplit_once(' ')?.1.parse::<usize>().ok())
        .sum();
    assert!(
        all > 2_000 && refused > 1_000,
        "{refused} of {all}\n{table}"
    );
}

#[test]
fn a_refusal_names_the_staged_edit_and_what_the_user_does() {
    let mut bench = Bench::of(Source::Option);
    let arguments = json!({
        "file_path": "a.rs", "find": "inside(1)", "new_content": "inside(2)", "apply": true,
    });
    let refused = bench.server.call("replace_text", arguments);
    let edit_id = id(&refused["structuredContent"]["error"]);
    let plain = |text: &str| {
        let root = bench.directory.join("workspace");
        let text = text.replace(root.to_str().expect("it is UTF-8"), "ROOT");
        text.replace(&edit_id, "e0123456789ab")
    };
    pinned("written_at_once", &plain(text(&refused)));
    let error = &refused["structuredContent"]["error"];
    assert_eq!(error["code"], "approval_required");
    assert!(
        error["diff"].to_string().contains("+    inside(2)"),
        "{error}"
    );
    let refused = bench.server.call("apply_edit", json!({"edit_id": edit_id}));
    pinned("applied", &plain(text(&refused)));
    let shown = bench.by_the_user(&["list", &edit_id]);
    assert!(shown.contains("+    inside(2)"), "{shown}");
    let applied = bench.by_the_user(&["apply", &edit_id]);
    assert!(
        applied.contains(&format!("applied as edit {edit_id}")),
        "{applied}"
    );
    assert!(bench.files()["a.rs"].starts_with(b"fn open() {\n    inside(2)"));
    let refused = bench.server.call("undo_edit", json!({"edit_id": edit_id}));
    pinned("undone", &plain(text(&refused)));
    let undone = bench.by_the_user(&["undo", &edit_id]);
    assert!(undone.contains("undid"), "{undone}");
    assert_eq!(bench.files()["a.rs"], FILES[0].1.as_bytes());
}

#[test]
fn a_preview_and_doctor_report_that_the_user_approves() {
    let mut bench = Bench::of(Source::Workspace);
    let arguments = json!({
        "file_path": "a.rs", "find": "inside(1)", "new_content": "inside(2)",
    });
    let made = bench.server.call("replace_text", arguments);
    assert_eq!(made["structuredContent"]["needs_approval"], true, "{made}");
    let edit_id = id(&made["structuredContent"]);
    let last =
        format!("nothing is written until the user approves it:\n  treegraft apply {edit_id}\n");
    assert!(text(&made).ends_with(&last), "{}", text(&made));
    let found = bench.by_the_user(&["client", "doctor"]);
    let line = found
        .lines()
        .find(|line| line.starts_with("works   approval"))
        .unwrap_or_default();
    assert!(line.contains("agents only stage edits: `"), "{found}");
    // On the command line, nothing needs approval.
    let words = [
        "replace",
        "b.rs",
        "--scope",
        "other",
        "--content",
        "fn other() { 1 }",
        "--apply",
    ];
    let applied = bench.by_the_user(&words);
    assert!(applied.contains("applied as edit"), "{applied}");
}

#[test]
fn an_amended_edit_replaces_the_staged_one() {
    let mut bench = Bench::of(Source::Option);
    let edit_id = bench.staged();
    let arguments = json!({"edit_id": edit_id, "new_content": "inside(3)", "apply": true});
    let refused = bench.server.call("amend_edit", arguments);
    assert_eq!(code(&refused), "approval_required");
    let listed = bench.server.call("list_edits", json!({}));
    let listed = listed["structuredContent"]["edits"].as_array().cloned();
    let listed: Vec<String> = listed.iter().flatten().map(id).collect();
    assert_eq!(listed, [id(&refused["structuredContent"]["error"])]);
}

#[test]
fn annotations_and_instructions_report_that_nothing_is_written() {
    let annotations = |server: &mut Server| {
        let listed = server.request("tools/list", json!({}));
        let tools = listed["result"]["tools"].as_array().cloned();
        let lines = tools.into_iter().flatten().map(|tool| {
            let hints = &tool["annotations"];
            format!(
                "{}: read-only {}, destructive {}",
                tool["name"].as_str().unwrap_or_default(),
                hints["readOnlyHint"] == true,
                hints["destructiveHint"] != false && hints["readOnlyHint"] != true,
            )
        });
        let mut lines: Vec<String> = lines.collect();
        lines.retain(|line| !line.contains("read-only true"));
        lines.join("\n")
    };
    let mut server = Server::with(&["--stage-only", "--tools", "read,edit,flow,server"]);
    let opened = server.initialize(REVISION);
    let instructions = opened["instructions"].as_str().unwrap_or_default();
    let length = instructions.chars().count();
    assert!(length <= super::KEPT_CHARS, "{length}");
    let listed = server.request("tools/list", json!({}));
    for tool in listed["result"]["tools"].as_array().expect("a list") {
        let description = tool["description"].as_str().expect("a description");
        let length = description.chars().count();
        assert!(length <= super::KEPT_CHARS, "{}: {length}", tool["name"]);
    }
    let (_, own) = instructions.rsplit_once("\n\n").expect("a last paragraph");
    insta::assert_snapshot!(format!("{}\n{own}", annotations(&mut server)), @r"
        replace_node: read-only false, destructive false
        replace_text: read-only false, destructive false
        insert_node: read-only false, destructive false
        delete_node: read-only false, destructive false
        wrap_node: read-only false, destructive false
        move_node: read-only false, destructive false
        edit_nodes: read-only false, destructive false
        rewrite: read-only false, destructive false
        apply_edit: read-only false, destructive false
        undo_edit: read-only false, destructive false
        amend_edit: read-only false, destructive false
        discard_edit: read-only false, destructive true
        list_edits: read-only false, destructive false
        rename_symbol: read-only false, destructive false
        code_actions: read-only false, destructive false
        format: read-only false, destructive false
        A person approves each edit here. Every edit is only staged; apply: true, apply_edit and undo_edit answer approval_required. Do not retry: report the edit_id, and go on. Put edits that depend on each other into one edit_nodes call. If an edit was discarded, the refusal has the reason.
    ");
    let mut server = Server::with(&[]);
    let opened = server.initialize(REVISION);
    assert!(!opened["instructions"].to_string().contains("approves"));
    let listed = annotations(&mut server);
    assert!(
        listed.contains("apply_edit: read-only false, destructive true"),
        "{listed}"
    );
}

#[test]
fn the_setting_is_read_at_each_call() {
    let mut bench = Bench::with("", "", &[]);
    let edit_id = bench.staged();
    bench.server.request("tools/list", json!({}));
    bench.settings("approval = \"required\"\n");
    let refused = bench.server.call("apply_edit", json!({"edit_id": edit_id}));
    assert_eq!(code(&refused), "approval_required");
    assert!(text(&refused).contains("workspace/treegraft.toml` requires approval"));
    bench.server.asked("notifications/tools/list_changed");
    let listed = bench.server.request("tools/list", json!({}));
    let tools = listed["result"]["tools"].as_array().cloned();
    let apply = tools
        .into_iter()
        .flatten()
        .find(|tool| tool["name"] == "apply_edit");
    assert_eq!(
        apply.expect("it is listed")["annotations"]["destructiveHint"],
        false
    );
    // The file of another program blocks nobody.
    bench.settings("a = [\n");
    let applied = bench.server.call("apply_edit", json!({"edit_id": edit_id}));
    assert_eq!(
        applied["structuredContent"]["status"], "applied",
        "{applied}"
    );
    bench.server.asked("notifications/tools/list_changed");
}

#[test]
fn a_discarded_edit_reports_its_reason_in_every_call() {
    let mut bench = Bench::of(Source::Option);
    let edit_id = bench.staged();
    let reason = "keep the old\nname";
    let said = bench.by_the_user(&["discard", &edit_id[..8], "--reason", reason]);
    assert_eq!(said, format!("discarded edit {edit_id}: {reason}\n"));
    let message = bench.server.asked("notifications/message");
    assert_eq!(
        message["params"],
        json!({
            "level": "info", "logger": "treegraft",
            "data": format!("edit {edit_id} was discarded: {reason}"),
        })
    );
    let plain = |text: &str| text.replace(&edit_id, "e0123456789ab");
    for (tool, arguments) in [
        ("apply_edit", json!({"edit_id": edit_id})),
        (
            "amend_edit",
            json!({"edit_id": edit_id, "new_content": "inside(3)"}),
        ),
        ("undo_edit", json!({"edit_id": edit_id})),
        ("discard_edit", json!({"edit_id": edit_id})),
        ("rewrite", json!({"like": edit_id})),
    ] {
        let refused = bench.server.call(tool, arguments);
        assert_eq!(code(&refused), "discarded", "{tool}");
        let seen = plain(text(&refused));
        match tool {
            "apply_edit" => pinned_as("diagnostics/discarded", "reason", &seen),
            _ => assert!(seen.contains("was discarded: keep the old name"), "{seen}"),
        }
    }
    for arguments in [json!({}), json!({"edit_id": edit_id})] {
        let listed = bench.server.call("list_edits", arguments);
        assert_eq!(
            plain(text(&listed)),
            "e0123456789ab  discarded  replace_text  a.rs: replace text in call_expression at line 2; discarded: keep the old name\n"
        );
        assert_eq!(listed["structuredContent"]["edits"][0]["reason"], reason);
    }
    // Without a reason, the edit is not listed.
    let other = bench.staged();
    bench.by_the_user(&["discard", &other]);
    let refused = bench.server.call("apply_edit", json!({"edit_id": other}));
    assert_eq!(
        text(&refused).lines().nth(1),
        Some(&*format!("the edit \"{other}\" was discarded"))
    );
    let listed = bench.server.call("list_edits", json!({}));
    assert!(!text(&listed).contains(&other), "{listed}");
}

#[test]
fn a_session_is_notified_of_what_others_do_with_its_edits_alone() {
    let mut bench = Bench::with("", "", &[]);
    let uri = json!({"uri": "treegraft://edits"});
    bench.server.request("resources/subscribe", uri.clone());
    let own = bench.staged();
    // Its own calls and edits of others are not reported.
    let arguments = json!({"file_path": "b.rs", "find": "inside(1)", "new_content": "inside(2)"});
    let made = bench.server.call("replace_text", arguments);
    let applied = id(&made["structuredContent"]);
    bench.server.call("apply_edit", json!({"edit_id": applied}));
    let words = [
        "replace",
        "b.rs",
        "--scope",
        "other",
        "--content",
        "fn other() { 1 }",
        "--apply",
    ];
    bench.by_the_user(&words);
    bench.by_the_user(&["apply", &own]);
    let message = bench.server.asked("notifications/message");
    let data = message["params"]["data"].to_string();
    assert!(
        data.contains(&format!("edit {own} was applied: ")),
        "{message}"
    );
    let updated = bench.server.asked("notifications/resources/updated");
    assert_eq!(updated["params"]["uri"], uri["uri"]);
    // A client that wants no messages gets none.
    bench
        .server
        .request("logging/setLevel", json!({"level": "error"}));
    let arguments = json!({"file_path": "app.py", "find": "get(1)", "new_content": "get(2)"});
    let made = bench.server.call("replace_text", arguments);
    bench.by_the_user(&["discard", &id(&made["structuredContent"]), "--reason", "no"]);
    std::thread::sleep(Duration::from_secs(2));
    bench.server.request("ping", json!({}));
    let is_message = |message: &&Value| message["method"] == "notifications/message";
    assert_eq!(bench.server.early.iter().filter(is_message).count(), 0);
}

#[test]
fn roots_of_a_client_do_not_lift_the_requirement() {
    for source in [Source::Option, Source::Workspace, Source::User] {
        let mut bench = Bench::of(source);
        let inner = bench.directory.join("workspace/inner");
        fs::create_dir(&inner).expect("it can be created");
        fs::write(inner.join("c.rs"), "fn open() {}\n").expect("it can be written");
        // The settings of a folder that is not a root of the server are ignored.
        fs::write(inner.join("treegraft.toml"), "").expect("it can be written");
        bench.server.initialize_as(REVISION, json!({"roots": {}}));
        let asked = bench.server.asked("roots/list");
        let uri = format!("file://{}", inner.display());
        bench.server.send(
            &json!({"jsonrpc": "2.0", "id": asked["id"], "result": {"roots": [{"uri": uri}]}}),
        );
        let arguments =
            json!({"file_path": "c.rs", "find": "open", "new_content": "shut", "apply": true});
        let refused = bench.server.call("replace_text", arguments);
        assert_eq!(code(&refused), "approval_required", "{source:?}");
        assert_eq!(
            fs::read(inner.join("c.rs")).expect("it is there"),
            b"fn open() {}\n"
        );
    }
}
