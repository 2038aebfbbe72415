//! The same request through the library, the command line and MCP gets the same answer, and every
//! way to ask the command line for help the same text.

#![expect(
    clippy::disallowed_methods,
    reason = "tests run the command line and read files"
)]

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use camino::Utf8Path;
use serde_json::{Value, json};
use treegraft::engine::Engine;
use treegraft::engine::request::coordinates::PositionArgument;
use treegraft::engine::request::{ScopeArgument, SelectorArgument};
use treegraft::engine::response::EditStatus;
use treegraft::locate::join_path;
use treegraft::workspace::has_wildcard;

use crate::mcp::Server;
use crate::pages::Case;
use crate::support::{Bench, is_full, steady, subcommands};

/// A workspace and a state directory that the library, the command line and the server share.
struct Shared {
    directory: tempfile::TempDir,
}

impl Shared {
    fn new() -> Shared {
        let directory = tempfile::tempdir().expect("a temporary directory can be created");
        fs::create_dir(directory.path().join("workspace")).expect("the workspace can be created");
        Shared { directory }
    }

    fn root(&self) -> PathBuf {
        self.directory.path().join("workspace")
    }

    fn state(&self) -> PathBuf {
        self.directory.path().join("state")
    }

    fn cli(&self, arguments: &[String]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_treegraft"))
            .arg("--root")
            .arg(self.root())
            .args(arguments)
            .env("XDG_STATE_HOME", self.state())
            .stdin(Stdio::null())
            .output()
            .expect("the command runs")
    }
}

/// Returns the cases of all pages, or every twelfth: all front ends render the same answer, and a case takes a process.
fn cases() -> Vec<Case> {
    let pages = crate::cases::pages().into_iter();
    let step = if is_full() { 1 } else { 12 };
    pages.flat_map(|page| page.cases).step_by(step).collect()
}

/// The options whose names are shorter than those of their fields.
const SHORT_OPTIONS: [(&str, &str); 3] = [
    ("anchor_text", "anchor"),
    ("ancestor_node_type", "ancestor"),
    ("new_content", "content"),
];

/// Returns the command line of a call, if it has one: several edits are read from a file.
pub(crate) fn command_line(tool: &str, arguments: &Value) -> Option<Vec<String>> {
    let mut object = arguments.as_object()?.clone();
    let verb = treegraft::engine::tools::tool(tool)?.verb;
    let mut words = vec!["--json".to_string(), verb.to_string()];
    let needed: &[&str] = match tool {
        "replace_node" | "wrap_node" => &["new_content"],
        "insert_node" => &["new_content", "position"],
        _ => &[],
    };
    // Missing content is a usage error, and so is a position in another spelling.
    let position = object.get("position").and_then(Value::as_str);
    let is_spelled = |position: &str| position.chars().all(|c| c == '_' || c.is_ascii_lowercase());
    if needed.iter().any(|name| !object.contains_key(*name))
        || tool == "insert_node" && !position.is_some_and(is_spelled)
    {
        return None;
    }
    let has_locator = object.contains_key("locate");
    let mut take = |name: &str| object.remove(name).map(|value| word(&value));
    match tool {
        "edit_nodes" => return None,
        "outline" | "find_nodes" => words.extend(take("path")),
        // A locator that is an object in a string is only possible over MCP.
        "locate" if has_locator => {
            words.push(take("locate").filter(|locate| !locate.starts_with('{'))?)
        }
        "locate" => {
            let file = take("file_path").map(|file| join_path(&file, ":"));
            let at = take("position").or_else(|| take("range"))?;
            // What is no position is a place.
            let names_file = PositionArgument::read(&at).ok()?.file_path.is_some();
            let file = file.filter(|_| !names_file);
            words.push(file.unwrap_or_default() + &at);
        }
        "rewrite" => {
            words.extend([take("pattern")?, take("new_content")?]);
            words.extend(take("path"));
        }
        _ => {
            let file = take("file_path")?;
            // An edit reads it as a glob.
            if has_wildcard(&file) && tool != "read_node" {
                return None;
            }
            let mut place = join_path(&file, "");
            let selector = object.remove("selector");
            match selector.map(|selector| selector_fields(&selector)) {
                Some(Ok(text)) => place = join_path(&file, &format!(":{text}")),
                Some(Err(fields)) => object.extend(fields?),
                None => {}
            }
            if tool == "replace_text" {
                let [find, content] = ["find", "new_content"].map(|name| object.remove(name));
                words.extend([word(&find?), word(&content?)]);
            }
            words.push(place);
        }
    }
    // The command line refuses these together with an exit code of its own.
    let conflicts = [["skip", "only"], ["anchor_text", "find"]];
    let has_both = |pair: &[&str; 2]| pair.iter().all(|name| object.contains_key(*name));
    if conflicts.iter().any(has_both) {
        return None;
    }
    if let Some(Value::Object(to)) = object.remove("to") {
        let mut to = to;
        object.extend(
            ["position", "create"]
                .iter()
                .filter_map(|name| to.remove_entry(*name)),
        );
        object.insert("to".to_string(), json!(json!(to).to_string()));
    }
    for (name, value) in object {
        let short = SHORT_OPTIONS.iter().find(|(field, _)| *field == name);
        let option = short.map_or(name.replace('_', "-"), |(_, short)| (*short).to_string());
        match &value {
            Value::Bool(is_set) => words.extend(is_set.then(|| format!("--{option}"))),
            Value::Array(many) => {
                words.extend(many.iter().map(|one| format!("--{option}={}", word(one))));
            }
            Value::Object(_) if name == "scope" => {
                let scope = serde_json::from_value::<ScopeArgument>(value).ok()?.0?;
                words.push(format!("--{option}={scope}"));
            }
            Value::Object(_) => return None,
            value => words.push(format!("--{option}={}", word(value))),
        }
    }
    words
        .iter()
        .all(|word| !word.contains('\0'))
        .then_some(words)
}

/// Returns a selector as text, or the fields of one that has none.
fn selector_fields(selector: &Value) -> Result<String, Option<serde_json::Map<String, Value>>> {
    if let Some(text) = selector.as_str().filter(|text| !text.starts_with('{')) {
        return Ok(text.to_string());
    }
    let read = serde_json::from_value::<SelectorArgument>(selector.clone());
    Err(read.ok().and_then(|read| json!(read).as_object().cloned()))
}

/// Returns a value as a word of a command line.
fn word(value: &Value) -> String {
    value.as_str().map_or(value.to_string(), str::to_string)
}

/// With `TREEGRAFT_TEST_FULL=1`, they try all their cases.
mod long {
    use super::*;

    #[test]
    fn every_case_gets_the_same_answer_at_all_front_ends() {
        let shared = Shared::new();
        let state = tempfile::tempdir().expect("a temporary directory can be created");
        let mut server = Server::over(&shared.root(), state);
        server.initialize("2025-06-18");
        let mut by_command_line = 0;
        for case in cases() {
            let name = &case.location;
            let bench = Bench::with(&case.file_name, case.before.as_bytes());
            let from_library = match bench.call(&case.tool, case.arguments.clone()) {
                Ok(answered) => answered.json,
                Err(refusal) => refusal.json(),
            };
            let from_library = steady(&from_library.to_string());

            let write = || {
                fs::write(shared.root().join(&case.file_name), case.before.as_bytes())
                    .expect("the workspace can be written");
            };
            write();
            let result = server.call(&case.tool, case.arguments.clone());
            assert_eq!(
                steady(&result["structuredContent"].to_string()),
                from_library,
                "{name} over MCP"
            );
            let refused = from_library.starts_with("{\"error\"");
            assert_eq!(
                result["isError"].as_bool().unwrap_or(false),
                refused,
                "{name} over MCP"
            );

            if let Some(words) = command_line(&case.tool, &case.arguments) {
                // A case with `apply` has written the file.
                write();
                let output = shared.cli(&words);
                let printed: Value =
                    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
                        panic!(
                            "{name}: {error}: {}",
                            String::from_utf8_lossy(&output.stderr)
                        )
                    });
                // It reads more by default, as do the calls that it suggests.
                let printed = steady(&printed.to_string()).replace(",\"max_bytes\":100000", "");
                assert_eq!(printed, from_library, "{name} on the command line");
                let partly = from_library.contains("\"refused_total\"");
                let is_as_expected = match output.status.code() {
                    Some(0) => !refused && !partly,
                    Some(4) => partly,
                    _ => refused,
                };
                assert!(is_as_expected, "{name}: {:?}", output.status);
                by_command_line += 1;
            }
        }
        assert!(
            by_command_line > 130,
            "only {by_command_line} cases went through the command line"
        );
        assert!(server.end().success());
    }

    #[test]
    fn patch_accepts_the_diff() {
        let shared = Shared::new();
        let mut accepted = 0;
        for case in cases() {
            let bench = Bench::with(&case.file_name, case.before.as_bytes());
            let Ok(answered) = bench.call(&case.tool, case.arguments.clone()) else {
                continue;
            };
            let Some(diff) = answered.json["files"][0]["diff"].as_str() else {
                continue;
            };
            if answered.json["status"] == "applied" {
                continue;
            }
            let file = shared.root().join(&case.file_name);
            fs::write(&file, case.before.as_bytes()).expect("the workspace can be written");
            let diff_file = shared.directory.path().join("diff");
            fs::write(&diff_file, diff).expect("the directory can be written");
            let patched = Command::new("patch")
                .args(["-p1", "--binary", "--fuzz=0", "--quiet", "-i"])
                .arg(&diff_file)
                .current_dir(shared.root())
                .output()
                .expect("patch is there");
            assert!(
                patched.status.success(),
                "{}: {}",
                case.location,
                String::from_utf8_lossy(&patched.stdout)
            );
            bench
                .call("apply_edit", json!({"edit_id": answered.json["edit_id"]}))
                .expect("a preview can be applied");
            let by_patch = fs::read(&file).expect("the file is there");
            assert_eq!(by_patch, bench.read(&case.file_name), "{}", case.location);
            accepted += 1;
        }
        assert!(accepted > 60, "only {accepted} diffs were tried");
    }
}

#[test]
fn a_preview_made_over_mcp_is_applied_by_the_command_line() {
    let shared = Shared::new();
    let file = shared.root().join("a.json");
    fs::write(&file, "{\"a\": 1}\n").expect("the workspace can be written");
    // The server keeps its state where the command line looks for it.
    let state = Utf8Path::from_path(shared.directory.path())
        .expect("its path is UTF-8")
        .join("state/treegraft");
    let root = Utf8Path::from_path(shared.directory.path())
        .expect("its path is UTF-8")
        .join("workspace");
    let Shared { directory } = shared;
    let mut server = Server::over(root.as_std_path(), directory);
    server.initialize("2025-06-18");
    let preview = server.call(
        "replace_node",
        json!({
            "file_path": "a.json",
            "selector": {"anchor_text": "1", "ancestor_node_type": "number"},
            "new_content": "2",
        }),
    );
    let edit_id = preview["structuredContent"]["edit_id"]
        .as_str()
        .expect("a preview has an id");
    let output = Command::new(env!("CARGO_BIN_EXE_treegraft"))
        .args(["--root", root.as_str(), "apply", edit_id])
        .env(
            "XDG_STATE_HOME",
            state.parent().expect("it lies in the state directory"),
        )
        .output()
        .expect("the command runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert_eq!(
        fs::read_to_string(&file).expect("the file is there"),
        "{\"a\": 2}\n"
    );
    let engine = Engine::open(&[root], Some(&state)).expect("the directories can be opened");
    let left = engine
        .list_edits(&Default::default())
        .expect("the edits can be listed");
    let left: Vec<_> = left
        .edits
        .iter()
        .map(|one| (one.status, one.edit_id.as_str()))
        .collect();
    assert_eq!(left, [(EditStatus::Applied, edit_id)]);
}

#[test]
fn exit_codes_distinguish_success_refusal_usage_and_environment() {
    let shared = Shared::new();
    fs::write(shared.root().join("a.json"), "{\"a\": 1}\n").expect("the workspace can be written");
    let status = |words: &[&str]| {
        let words: Vec<String> = words.iter().map(|word| word.to_string()).collect();
        shared.cli(&words).status.code()
    };
    let replace = [
        "replace",
        "a.json",
        "--ancestor",
        "number",
        "--content",
        "2",
        "--anchor",
    ];
    assert_eq!(status(&[&replace[..], &["1"]].concat()), Some(0));
    assert_eq!(status(&[&replace[..], &["7"]].concat()), Some(1));
    assert_eq!(status(&["replace", "a.json"]), Some(2));
    assert_eq!(status(&["no-such-verb"]), Some(2));
    assert_eq!(status(&["--root", "/no/such/folder", "list"]), Some(3));
}

/// Returns a workspace with a class that has several methods.
fn with_methods() -> Shared {
    const TEXT: &str = "class Store:\n    def get(self):\n        return 'it\\'s'\n\n    def put(self):\n        \
                        return 'it\\'s'\n\n\ndef get():\n    return None\n";
    let shared = Shared::new();
    fs::write(shared.root().join("a.py"), TEXT).expect("the workspace can be written");
    shared
}

impl Shared {
    /// Runs the command line and returns its exit code, standard output and standard error.
    fn printed(&self, words: &[&str]) -> (Option<i32>, String, String) {
        let words: Vec<String> = words.iter().map(|word| word.to_string()).collect();
        let Output {
            status,
            stdout,
            stderr,
        } = self.cli(&words);
        let text = |bytes| String::from_utf8(bytes).expect("it prints UTF-8");
        (status.code(), text(stdout), text(stderr))
    }

    /// Runs a printed command in a shell.
    fn pasted(&self, line: &str) -> Output {
        let line = line.trim().strip_prefix("treegraft ");
        let line = line.expect("it is a command");
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("{} {line}", env!("CARGO_BIN_EXE_treegraft"))]);
        shell.env("XDG_STATE_HOME", self.state());
        shell.output().expect("the shell starts")
    }
}

/// Returns the commands that a refusal suggests, each with the lines of its quoted texts.
fn suggested(refusal: &str) -> Vec<String> {
    let help = refusal.split_once("\nhelp: ").map(|(_, help)| help);
    let lines = help.unwrap_or_default().split("\n    selects ");
    let starts = lines.filter_map(|part| part.rfind("  treegraft ").map(|at| &part[at..]));
    starts.map(str::to_string).collect()
}

#[test]
fn every_subcommand_accepts_the_selector_that_find_prints() {
    let shared = with_methods();
    let (_, found, _) = shared.printed(&["find", "a.py", "--name", "put"]);
    let selector = found.split(['[', ']']).nth(1).expect("it has a selector");
    assert_eq!(selector, "function_definition@put");
    let place = &*format!("a.py:{selector}");
    let new = "def new(self):\n    pass";
    for (words, diff) in [
        (
            &["replace", place, "--content", new][..],
            "+    def new(self):",
        ),
        (&["delete", place], "-    def put(self):"),
        (
            &["insert", place, "--position", "before", "--content", new],
            "+    def new(self):",
        ),
        (
            &["wrap", place, "--content", "if True:\n    <|>"],
            "+    if True:",
        ),
        (
            &[
                "move",
                place,
                "--to",
                ":@def get():",
                "--position",
                "before",
            ],
            "ancestor_required",
        ),
        (
            &[
                "move",
                place,
                "--to",
                "a.py:function_definition@get():",
                "--position",
                "before",
            ],
            "+def put(self):",
        ),
        (&["read", place], "def put(self):\n"),
        (&["read", place, "--sibling", "-1"], "def get(self):\n"),
    ] {
        let (_, printed, refused) = shared.printed(words);
        let message = printed + &refused;
        assert!(message.contains(diff), "{words:?}: {message}");
    }
    let words = [
        "--json",
        "replace",
        "a.py:function_definition@put",
        "--content",
        "x = 1",
    ];
    for place in [
        &["Store:function_definition@get"][..],
        &["--scope", "Store.get"],
    ] {
        let made: Value =
            serde_json::from_str(&shared.printed(&words).1).expect("the edit is previewed");
        let edit_id = made["edit_id"].as_str().expect("a preview has an id");
        let amend = [&["amend", edit_id], place].concat();
        let (status, printed, refused) = shared.printed(&amend);
        assert_eq!(status, Some(0), "{amend:?}: {refused}");
        assert!(
            printed.contains("-    def get(self):"),
            "{amend:?}: {printed}"
        );
    }
}

#[test]
fn a_place_conflicts_with_an_option_for_the_same_part() {
    let shared = with_methods();
    for (place, option, value) in [
        ("a.py:function_definition@put", "--ancestor", "function"),
        ("a.py:Store:@put", "--scope", "Store"),
        ("a.py:Store:@put", "--lines", "1-2"),
        ("a.py:@put", "--anchor", "get"),
    ] {
        let (status, _, message) = shared.printed(&["delete", place, option, value]);
        assert_eq!(status, Some(2), "{place} {option}: {message}");
        assert!(message.contains("help: leave out one of them"), "{message}");
    }
    // Other parts complete the place.
    for words in [
        &[
            "read",
            "a.py:Store",
            "--anchor",
            "get",
            "--ancestor",
            "function",
        ][..],
        &["read", "a.py:function@get", "--scope", "Store"],
        &[
            "read",
            "a.py:1-3",
            "--anchor",
            "get",
            "--ancestor",
            "function",
        ],
        &[
            "read",
            "a.py:@get",
            "--ancestor",
            "function",
            "--lines",
            "1-3",
        ],
    ] {
        let (status, printed, message) = shared.printed(words);
        assert!(printed.contains("def get(self):"), "{words:?}: {message}");
        assert_eq!(status, Some(0), "{words:?}");
    }
    let (status, _, message) = shared.printed(&["delete", "a.py:1-2", "--nth", "1"]);
    assert_eq!(status, Some(2), "{message}");
}

#[test]
fn several_places_are_read_in_turn() {
    let shared = with_methods();
    fs::write(shared.root().join("b.py"), "def get():\n    return 2\n").expect("it can be written");
    let (status, text, _) = shared.printed(&["read", "a.py:Store.put", "b.py:1"]);
    assert_eq!(status, Some(0));
    assert!(
        text.starts_with("function_definition at a.py:5-6 in Store.put\n"),
        "{text}"
    );
    assert!(text.contains("\n\nlines at b.py:1-1\n"), "{text}");
    let (_, globbed, _) = shared.printed(&["--json", "read", "*.py", "--max-bytes", "10"]);
    let documents = serde_json::Deserializer::from_str(&globbed).into_iter::<Value>();
    let files: Vec<Value> = documents
        .map(|one| one.expect("it is JSON")["file_path"].clone())
        .collect();
    assert_eq!(files, ["a.py", "b.py"]);
    // The first refusal decides the status, and the others are read.
    let (status, text, refused) = shared.printed(&["read", "c.py", "b.py:get"]);
    assert_eq!(
        (status, refused.contains("`c.py` does not exist")),
        (Some(1), true)
    );
    assert!(text.contains("return 2"), "{text}");
    let (_, outlined, _) = shared.printed(&["outline", "b.py", "a.py", "*.py"]);
    assert_eq!(outlined.matches("class Store").count(), 1, "{outlined}");
}

/// The mistakes of people who write their first commands, and what each of them is answered.
#[test]
fn first_mistakes_are_answered_with_the_right_form() {
    let shared = with_methods();
    for (words, answer) in [
        (
            &["delete", "a.py"][..],
            "a.py is a file; the edit needs a place in it",
        ),
        (&["delete", "a.py", "get"], "with a colon: 'a.py:get'"),
        (
            &["delete", "a.py", "function@get"],
            "with a colon: 'a.py:function@get'",
        ),
        (
            &["delete", "a.py", "--anchor", "def", "get"],
            "in quotes: 'def get'",
        ),
        (
            &["delete", "get"],
            "get is a file; the edit needs a place in it",
        ),
        (&["delete", "a.py", "--symbol", "get"], "tip: use --scope"),
        (&["delete", "a.py", "--text", "get"], "tip: use --anchor"),
        (
            &["find", "get", "."],
            "for example, --text 'timeout(' to find this text",
        ),
        (
            &["find", "--type", "function"],
            "tip: use --node-type or --ancestor",
        ),
        (
            &["replace", "a.py:get", "--with", "x"],
            "tip: use --content",
        ),
        (
            &["text", "get", "a.py"],
            "required arguments were not provided",
        ),
        (
            &["move", "a.py:get", "--to", "b/c.py", "--position", "before"],
            "or \":type@text\" in the same file",
        ),
        (
            &["rename", "a.py:get", "got"],
            "tip: run `treegraft lsp rename`",
        ),
        (
            &["replace_node", "a.py:get"],
            "tip: run `treegraft replace`",
        ),
        (&["edits"], "tip: run `treegraft list`"),
        (&["show", "e1"], "tip: run `treegraft list EDIT_ID`"),
        (&["rm", "a.py"], "tip: run `treegraft file delete`"),
        (&["create", "b.py"], "tip: run `treegraft file create`"),
        (&["install"], "tip: run `treegraft client install`"),
        (&["hover", "a.py:get"], "tip: run `treegraft lsp hover`"),
        (
            &[
                "edit",
                "{\"op\": \"move\", \"file_path\": \"a.py\", \"selector\": \"get\", \"to\": {\"position\": \"after\"}}",
            ],
            "to.selector",
        ),
    ] {
        let (status, printed, message) = shared.printed(words);
        assert!(matches!(status, Some(1 | 2)), "{words:?}: {printed}");
        assert!(message.contains(answer), "{words:?}: {message}");
    }
}

#[test]
fn a_symbol_alone_selects_its_own_node_as_find_does() {
    let shared = with_methods();
    let read = |symbol: &str| shared.printed(&["read", "a.py", "--scope", symbol]);
    let (_, found, _) = shared.printed(&["--json", "find", "a.py", "--node-type", "function"]);
    let found: Value = serde_json::from_str(&found).expect("it finds some");
    for node in found["matches"].as_array().expect("a list") {
        let path = node["symbol_path"].as_array().expect("a path").iter();
        let path: Vec<&str> = path.filter_map(Value::as_str).collect();
        let selector = node["selector"].as_str().expect("a short selector");
        let by_selector = shared.printed(&["read", &format!("a.py:{selector}")]);
        assert_eq!(read(&path.join(".")), by_selector, "{path:?}");
        assert_eq!(by_selector.0, Some(0));
    }
    assert_eq!(read("put").1, read("Store.put").1);
    let next = shared.printed(&["read", "a.py", "--scope", "Store.get", "--sibling", "1"]);
    assert_eq!(next.1, read("Store.put").1);

    let (status, _, message) = read("Store.gett");
    assert_eq!(status, Some(1));
    assert!(
        message.starts_with("refused: symbol_not_found\nsymbol \"Store.gett\" not found in file\n")
    );
    let commands = suggested(&message);
    assert!(!commands.is_empty(), "{message}");
    for command in commands {
        assert!(shared.pasted(&command).status.success(), "{command}");
    }
    let (_, _, message) = shared.printed(&["read", "b.py", "--scope", "Store"]);
    assert!(
        message.starts_with("refused: file_not_found\n"),
        "{message}"
    );
}

#[test]
fn a_symbol_with_several_nodes_is_refused_with_a_command_for_each() {
    let shared = Shared::new();
    let text = "struct A;\n\nimpl A {}\n\nmod m {\n    fn b() {}\n}\n\nmod n {\n    fn b() {}\n}\n";
    fs::write(shared.root().join("a.rs"), text).expect("the workspace can be written");
    for (symbol, code, nodes) in [
        ("A", "ambiguous_target", ["struct A;", "impl A {}"]),
        ("b", "ambiguous_symbol", ["fn b() {}"; 2]),
    ] {
        let (status, _, message) = shared.printed(&["delete", "a.rs", "--scope", symbol]);
        assert_eq!(status, Some(1), "{message}");
        assert!(
            message.starts_with(&format!("refused: {code}\n")),
            "{message}"
        );
        let commands = suggested(&message);
        assert_eq!(commands.len(), 2, "{message}");
        for (command, node) in commands.iter().zip(nodes) {
            let printed =
                String::from_utf8(shared.pasted(command).stdout).expect("it prints UTF-8");
            assert!(
                printed.contains(&format!("{node}\n")),
                "{command}: {printed}"
            );
        }
    }
}

#[test]
fn suggested_commands_keep_the_sibling_option() {
    let shared = with_methods();
    let words = ["read", "a.py", "--scope", "gett", "--sibling", "1"];
    let (_, _, message) = shared.printed(&words);
    let expected = shared.printed(&["read", "a.py", "--scope", "Store.put"]).1;
    let commands = suggested(&message);
    let printed = commands.iter().map(|command| shared.pasted(command).stdout);
    assert!(
        printed.into_iter().any(|one| one == expected.as_bytes()),
        "{message}"
    );
}

#[test]
fn the_command_for_another_file_keeps_the_rest_of_the_call() {
    let shared = with_methods();
    let folder = shared.root().join("sub");
    fs::create_dir(&folder).expect("the workspace can be written");
    fs::rename(shared.root().join("a.py"), folder.join("a.py")).expect("it can be moved");
    for words in [
        &["locate", "a.py@return", "--find-index", "2"][..],
        &["locate", "a.py@retrun", "--fuzzy"],
        &["locate", "a.py:Store"],
        &["locate", "a.py:2:9"],
        &["locate", "a.py:2:9-3:5"],
        &["lsp", "definition", "a.py:2:9", "--kind", "type"],
        &[
            "lsp",
            "references",
            "a.py:Store.get",
            "--kind",
            "callers",
            "--max-items",
            "3",
        ],
        &["lsp", "hover", "a.py:2@get"],
        &[
            "lsp",
            "code-actions",
            "a.py",
            "--range",
            "2:9-3:5",
            "--apply",
            "title",
        ],
        &["text", "return None", "pass", "a.py"],
        &[
            "delete",
            "a.py:function_definition@put",
            "--allow",
            "surroundings",
        ],
    ] {
        let (_, _, message) = shared.printed(words);
        assert!(
            message.starts_with("refused: file_not_found\n"),
            "{words:?}: {message}"
        );
        let commands = suggested(&message);
        assert_eq!(commands.len(), 1, "{words:?}: {message}");
        let made = shared.pasted(&commands[0]);
        // The call of an edit is kept, so that the command only names the other file.
        let is_kept = commands[0].contains(" amend ");
        let rest: Vec<&str> = words
            .iter()
            .copied()
            .filter(|word| word.starts_with("--") && !is_kept)
            .collect();
        assert!(
            rest.iter().all(|word| commands[0].contains(word)),
            "{words:?}: {message}"
        );
        let problem = String::from_utf8_lossy(&made.stderr).into_owned();
        // No language server may be installed here.
        let is_done =
            made.status.success() || !problem.contains("invalid") && made.status.code() != Some(2);
        assert!(
            is_done && !problem.contains("file_not_found"),
            "{}: {problem}",
            commands[0]
        );
    }
}

/// The verbs that ask about a place.
const LSP_VERBS: [&str; 6] = [
    "definition",
    "references",
    "hover",
    "completions",
    "signature-help",
    "code-actions",
];

#[test]
fn a_position_is_read_as_answers_print_it() {
    let shared = with_methods();
    for (printed, line, column) in [("a.py:2:9", "2", "9"), ("a.py:9:5", "9", "5")] {
        for verb in LSP_VERBS {
            let as_printed = shared.printed(&["--json", "lsp", verb, printed]);
            assert!(!as_printed.1.contains("symbol_not_found"), "{as_printed:?}");
        }
        let (_, described, _) = shared.printed(&["locate", printed]);
        let expected = format!("Located `a.py` at {line}:{column}\n");
        assert!(described.starts_with(&expected), "{described}");
        let location = format!("{printed} in Store.get: `def get(self):`");
        assert_eq!(shared.printed(&["locate", &location]).1, described);
    }
    // A position with a search text, or without a column, is a locator.
    for place in ["a.py:Store@:2:9", "a.py:2"] {
        let (_, printed, message) = shared.printed(&["--json", "lsp", "definition", place]);
        assert!(!printed.contains("invalid"), "{place}: {printed} {message}");
    }
}

/// Returns the names of tools and the forms of arguments that the command line does not use.
fn protocol_names() -> Vec<String> {
    let tools = treegraft::engine::tools::tools()
        .map(|tool| tool.name)
        .filter(|tool| tool.contains('_'));
    tools
        .chain(["allow:", "indent:"])
        .map(str::to_string)
        .collect()
}

/// Returns a text without its quoted parts.
fn unquoted(text: &str) -> String {
    let mut left = String::new();
    let mut quote = None;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match quote {
            Some('"') if c == '\\' => drop(chars.next()),
            Some(open) if open == c => quote = None,
            Some(_) => {}
            None if ['"', '`'].contains(&c) => quote = Some(c),
            None => left.push(c),
        }
    }
    assert_eq!(quote, None, "{text}");
    left
}

#[test]
fn a_refusal_names_subcommands_and_options() {
    let shared = with_methods();
    let words = [
        "--json",
        "replace",
        "a.py",
        "--scope",
        "get",
        "--content",
        "x = 1",
    ];
    let preview = || -> String {
        let made: Value =
            serde_json::from_str(&shared.printed(&words).1).expect("the edit is previewed");
        made["edit_id"]
            .as_str()
            .expect("a preview has an id")
            .to_string()
    };
    let waiting = preview();
    let applied = preview();
    assert_eq!(shared.printed(&["apply", &applied]).0, Some(0));
    fs::write(
        shared.root().join("a.py"),
        "def get():\n    return None\n\n\ndef put():\n    return None\n",
    )
    .expect("the workspace can be written");
    let on = |verb: &'static str, words: &[&'static str]| [&[verb, "a.py"], words].concat();
    let refused = [
        vec!["list", "e123"],
        vec!["apply", "e123"],
        vec!["undo", &waiting],
        vec!["apply", &applied],
        vec!["undo", &applied],
        vec!["amend", &waiting, "--to", ":@get"],
        vec!["amend", &waiting, "--anchor", "new_content: \"x\""],
        on("delete", &["--anchor", "get"]),
        on("delete", &["--lines", "1-2"]),
        on(
            "read",
            &["--anchor", "return None", "--ancestor", "function"],
        ),
        on("read", &["--anchor", "get", "--ancestor", "anchor_text"]),
        on(
            "read",
            &[
                "--anchor",
                "get",
                "--ancestor",
                "function",
                "--outward",
                "3",
            ],
        ),
        on(
            "read",
            &["--anchor", "return", "--ancestor", "function", "--nth", "5"],
        ),
        on(
            "read",
            &["--find", "nothing like it", "--ancestor", "function"],
        ),
        on(
            "read",
            &["--anchor", "get", "--ancestor", "function", "--nth", "0"],
        ),
        on("read", &["--scope", "gett"]),
        on("replace", &["--scope", "get", "--content", ""]),
        on("replace", &["--scope", "get", "--content", "def get(:"]),
        on(
            "replace",
            &[
                "--scope",
                "get",
                "--content",
                "def get():\n    # ... rest of the code",
            ],
        ),
        vec!["replace", "a.py:@return", "--content", "new_content"],
        on("wrap", &["--scope", "get", "--content", "if True:"]),
        vec![
            "insert",
            "a.py:return_statement@return",
            "--nth",
            "1",
            "--position",
            "first_child",
            "--content",
            "x",
        ],
        on(
            "move",
            &["--scope", "get", "--to", ":@nothing", "--position", "after"],
        ),
        on(
            "move",
            &["--scope", "get", "--to", ":@put", "--position", "after"],
        ),
        vec!["text", "nothing like it", "x", "a.py"],
        vec!["text", " ", "x", "a.py"],
        vec!["text", "None", "x", "a.py"],
        vec!["find", "a.py"],
        vec!["find", "a.py", "--node-type", "no_type"],
        vec!["find", "a.py", "--text", "a", "--name", "b"],
        vec!["find", "a.py", "--query", "(x)", "--node-type", "function"],
        vec!["outline", "a.py", "--max-items", "0"],
        vec!["locate", "a.py:99:1"],
        vec!["locate", "a.py"],
        vec!["locate", "a.py@get", "--find-index", "9"],
        vec!["locate", "a.py@nothing"],
        vec!["lsp", "rename", "a.py:gett", "got"],
    ];
    let names = protocol_names();
    for words in &refused {
        let (status, _, message) = shared.printed(words);
        assert!(
            matches!(status, Some(1 | 2)),
            "{words:?}: {status:?} {message}"
        );
        let (code, text) = message.split_once('\n').expect("the code has a line");
        assert!(code.starts_with("refused: "), "{words:?}: {message}");
        let text = unquoted(text);
        let mut found = text.split(|c: char| !c.is_alphanumeric() && c != '_' && c != ':');
        let found = found.find(|word| names.iter().any(|name| name == word));
        assert_eq!(found, None, "{words:?}: {message}");
    }
    // As JSON, the same refusals keep the names of the protocol.
    let (_, printed, _) = shared.printed(&["--json", "list", "e123"]);
    assert!(printed.contains("list_edits shows the"), "{printed}");
}

#[test]
fn suggested_commands_keep_quotes_and_line_breaks() {
    let shared = with_methods();
    let content = "return \"it's\",\n    '$HOME', `x`, \\n";
    let words = [
        "replace",
        "a.py:return_statement@it\\'s",
        "--indent",
        "verbatim",
        "--content",
    ];
    let words: Vec<&str> = words.into_iter().chain([content]).collect();
    let (status, _, message) = shared.printed(&words);
    assert_eq!(status, Some(1), "{message}");
    let ambiguous = suggested(&message);
    let (_, _, message) = shared.printed(&["read", "a.py:call@'it\\'s'\n\n    def put"]);
    let not_there = suggested(&message);
    assert!(
        ambiguous.len() >= 2 && !not_there.is_empty(),
        "{ambiguous:?} {message}"
    );
    for command in ambiguous.iter().chain(&not_there) {
        let output = shared.pasted(command);
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(
            !message.contains("error:") && !message.contains("ambiguous"),
            "{command}: {message}"
        );
    }
}

#[test]
fn several_edits_take_their_arguments_from_the_json_and_options_override_them() {
    const BEFORE: &str = "mod m {\n    fn f() {\n        one();\n    }\n}\n";
    const BROKEN: &str = "{\n    two(;\n}";
    let shared = Shared::new();
    let run = |arguments: Value, options: &[&str]| {
        fs::write(shared.root().join("a.rs"), BEFORE).expect("the workspace can be written");
        let words = ["--json", "edit", &arguments.to_string()].map(str::to_string);
        let options = options.iter().map(|option| option.to_string());
        let output = shared.cli(&words.into_iter().chain(options).collect::<Vec<_>>());
        let answer: Value = serde_json::from_slice(&output.stdout).expect("it prints JSON");
        let after = fs::read_to_string(shared.root().join("a.rs")).expect("it exists");
        let code = &answer["error"]["code"];
        let message = code.as_str().or(answer["status"].as_str());
        (
            message.expect("it says what it did").to_string(),
            after,
            answer,
        )
    };
    let edits = |content: &str| json!([{"op": "replace", "file_path": "a.rs", "selector": "block@one()", "new_content": content}]);
    let plain = "{\n    two();\n}";
    let (message, after, _) = run(json!({"edits": edits(plain)}), &[]);
    assert_eq!((message.as_str(), after.as_str()), ("previewed", BEFORE));
    let (message, after, _) = run(
        json!({"edits": edits(plain), "apply": true, "indent": "verbatim"}),
        &[],
    );
    assert_eq!(
        (message.as_str(), after.as_str()),
        ("applied", "mod m {\n    fn f() {\n    two();\n}\n}\n")
    );
    let (message, after, _) = run(
        json!({"edits": edits(plain), "apply": true, "indent": "verbatim"}),
        &["--indent", "auto"],
    );
    assert_eq!(
        (message.as_str(), after.as_str()),
        (
            "applied",
            "mod m {\n    fn f() {\n        two();\n    }\n}\n"
        )
    );
    let (message, ..) = run(json!({"edits": edits(BROKEN)}), &[]);
    assert_eq!(message, "breaks_syntax");
    let (message, ..) = run(
        json!({"edits": edits(BROKEN), "allow": ["syntax_errors"]}),
        &[],
    );
    assert_eq!(message, "previewed");
    // Only what the option names is allowed.
    let (message, ..) = run(
        json!({"edits": edits(BROKEN), "allow": ["syntax_errors"]}),
        &["--allow", "surroundings"],
    );
    assert_eq!(message, "breaks_syntax");
    let (message, after, answer) = run(json!({"edits": edits(plain), "dry": true}), &["--apply"]);
    assert_eq!(
        (message.as_str(), after.as_str()),
        ("invalid_arguments", BEFORE)
    );
    assert_eq!(answer["error"]["message"], "unknown field `dry`");
    let mut entry = edits(plain);
    entry[0]["allow"] = json!(["syntax_errors"]);
    let (message, after, answer) = run(entry, &["--apply"]);
    assert_eq!(
        (message.as_str(), after.as_str()),
        ("invalid_arguments", BEFORE)
    );
    assert_eq!(
        answer["error"]["message"],
        "edits[0]: unknown field `allow`"
    );
    assert_eq!(answer["error"]["edit_index"], 0);
}

#[test]
fn content_comes_from_an_argument_a_file_or_standard_input() {
    let shared = Shared::new();
    fs::write(shared.root().join("a.json"), "{\"a\": 1}\n").expect("the workspace can be written");
    let content = shared.directory.path().join("content.txt");
    fs::write(&content, "[\n  3\n]\n").expect("the directory can be written");
    let words = [
        "replace",
        "a.json",
        "--anchor",
        "1",
        "--ancestor",
        "number",
        "--content-file",
    ];
    for source in [content.to_str().expect("its path is UTF-8"), "-"] {
        let output = Command::new(env!("CARGO_BIN_EXE_treegraft"))
            .arg("--root")
            .arg(shared.root())
            .args(words)
            .arg(source)
            .env("XDG_STATE_HOME", shared.state())
            .stdin(fs::File::open(&content).expect("the content is there"))
            .output()
            .expect("the command runs");
        let printed = String::from_utf8_lossy(&output.stdout);
        assert!(
            printed.contains("+{\"a\": [\n+  3\n+]}\n"),
            "{source}: {printed}"
        );
    }
}

#[test]
fn a_diff_is_coloured_when_asked_and_plain_when_piped() {
    let shared = Shared::new();
    fs::write(shared.root().join("a.json"), "{\"a\": 1}\n").expect("the workspace can be written");
    let replace = [
        "replace",
        "a.json",
        "--anchor",
        "1",
        "--ancestor",
        "number",
        "--content",
        "2",
    ];
    let printed = |more: &[&str]| {
        let words: Vec<String> = replace
            .iter()
            .chain(more)
            .map(|word| word.to_string())
            .collect();
        String::from_utf8_lossy(&shared.cli(&words).stdout).into_owned()
    };
    assert!(!printed(&[]).contains('\u{1b}'));
    assert!(printed(&["--color", "always"]).contains("\u{1b}[32m+{\"a\": 2}\u{1b}[0m\n"));
}

/// `book` compares the texts with `docs/commands.md`.
#[test]
fn the_option_help_prints_the_same_as_the_subcommand() {
    let shared = Shared::new();
    let printed = |line: String| {
        let words: Vec<String> = line.split_whitespace().map(str::to_string).collect();
        let output = shared.cli(&words);
        assert!(output.status.success(), "{line}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let verbs = subcommands().into_iter().map(|(words, _)| words);
    for verb in std::iter::once(String::new()).chain(verbs) {
        let by_option = printed(format!("{verb} --help"));
        assert_eq!(by_option, printed(format!("help {verb}")), "{verb}");
    }
}

#[test]
fn every_shell_has_completions_for_every_subcommand() {
    let shared = Shared::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let output = shared.cli(&["generate", "completions", shell].map(str::to_string));
        assert!(output.status.success(), "{shell}");
        let script = String::from_utf8_lossy(&output.stdout);
        for word in ["rewrite", "signature-help", "include-attached"] {
            assert!(script.contains(word), "{shell} does not complete {word}");
        }
        let again = shared.cli(&["generate", "completions", shell].map(str::to_string));
        assert_eq!(again.stdout, output.stdout, "{shell}");
    }
    let none = shared.cli(&["generate", "completions", "tcsh"].map(str::to_string));
    assert_eq!(none.status.code(), Some(2));
}

#[test]
fn the_manual_has_a_page_with_examples_for_every_subcommand() {
    let shared = Shared::new();
    let pages = shared.directory.path().join("share/man1");
    let man = ["generate", "man"].map(str::to_string);
    let words = [&man[..], &[pages.display().to_string()]].concat();
    let output = shared.cli(&words);
    assert!(output.status.success());
    let message = String::from_utf8_lossy(&output.stdout);
    let whole = shared.cli(&man);
    let page = |name: &str| fs::read_to_string(pages.join(name)).expect("the page is there");
    assert_eq!(page("treegraft.1").into_bytes(), whole.stdout);
    let mut count = 1;
    for (words, _) in subcommands() {
        let text = page(&format!("treegraft-{}.1", words.replace(' ', "-")));
        assert!(text.contains(".SH EXAMPLES\n.nf\n"), "{words}");
        count += 1;
    }
    assert!(
        message.starts_with(&format!("wrote {count} manual pages to ")),
        "{message}"
    );
    let replace = page("treegraft-replace.1");
    let example = "  treegraft replace \\(aqconfig.json:pair@\"port\"\\(aq";
    assert!(replace.contains(example), "{replace}");
}
