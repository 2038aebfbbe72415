//! The plugin for Claude Code (`plugin/`): its files are where its documentation puts them and fit the
//! program, and each call that its skill shows runs.
//!
//! `claude plugin validate --strict plugin` is the validator of the client.

#![expect(
    clippy::disallowed_methods,
    reason = "tests read files and run the command line"
)]

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use treegraft::engine::tools::{tool, tools};

use crate::support::{Bench, repository};

/// The most words of the skill, with its heading.
const WORDS: usize = 500;

/// The files of the example calls.
const STORE: &str = "\
import json


class Store:
    def get(self, key, timeout=30):
        if key in self.cache:
            return self.cache[key]
        return fetch(key, timeout)


def main():
    store = Store()
    print(store.get(\"a\"), store.get(\"b\"))
";
const APP: &str = "\
RETRIES = 3


def run():
    return RETRIES
";

fn file(path: &str) -> PathBuf {
    repository().join(path)
}

fn parsed(path: &str) -> Value {
    let text = fs::read_to_string(file(path)).expect("the file exists");
    serde_json::from_str(&text).expect("the file is JSON")
}

fn skill() -> String {
    fs::read_to_string(file("plugin/skills/edit-code/SKILL.md")).expect("the file exists")
}

/// Returns the calls in the indented lines of the skill.
fn calls() -> Vec<(String, Value)> {
    let skill = skill();
    let lines = skill.lines().filter_map(|line| line.strip_prefix("    "));
    let read = |line: &str| {
        let (tool, arguments) = line.split_once(' ').expect("a tool and its arguments");
        let arguments = serde_json::from_str(arguments).expect("the arguments are JSON");
        (tool.to_string(), arguments)
    };
    lines.map(read).collect()
}

/// Places and rules: <https://code.claude.com/docs/en/plugins/manifest-reference> and
/// <https://code.claude.com/docs/en/plugin-marketplaces>.
#[test]
fn the_files_are_where_the_client_looks_for_them() {
    let manifest = parsed("plugin/.claude-plugin/plugin.json");
    assert_eq!(manifest["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(manifest["license"], env!("CARGO_PKG_LICENSE"));
    assert_eq!(manifest["repository"], env!("CARGO_PKG_REPOSITORY"));
    let marketplace = parsed(".claude-plugin/marketplace.json");
    let listed = &marketplace["plugins"][0];
    for name in [&manifest["name"], &marketplace["name"], &listed["name"]] {
        assert_eq!(name, "treegraft");
    }
    assert!(marketplace["owner"]["name"].is_string());
    let source = listed["source"].as_str().expect("a path");
    let source = source
        .strip_prefix("./")
        .expect("relative to the repository");
    assert!(file(source).join(".claude-plugin/plugin.json").is_file());
    // The version is in the manifest only: the client would prefer one in the list.
    assert!(listed["version"].is_null());
    // Only the manifest is in its folder; the parts are in the folders that the client searches.
    let inner = fs::read_dir(file("plugin/.claude-plugin")).expect("it can be listed");
    assert_eq!(inner.count(), 1);
    for part in [".mcp.json", "hooks/hooks.json", "skills/edit-code/SKILL.md"] {
        assert!(file("plugin").join(part).is_file(), "{part}");
    }
}

#[test]
fn the_server_of_the_plugin_starts() {
    let server = &parsed("plugin/.mcp.json")["mcpServers"]["treegraft"];
    assert_eq!(server["command"], "treegraft");
    let arguments = server["args"].as_array().expect("a list").iter();
    let arguments: Vec<&str> = arguments.filter_map(Value::as_str).collect();
    let state = tempfile::tempdir().expect("a temporary directory can be created");
    let started = Command::new(env!("CARGO_BIN_EXE_treegraft"))
        .args(arguments)
        .current_dir(state.path())
        .env("XDG_STATE_HOME", state.path())
        // Without input, the server exits at once.
        .stdin(Stdio::null())
        .status();
    assert!(started.expect("the program starts").success());
}

/// The plugin has the hooks that `install` writes, with the command that is on the path.
#[test]
fn the_hooks_are_those_of_install() {
    let home = tempfile::tempdir().expect("a temporary directory can be created");
    let shown = Command::new(env!("CARGO_BIN_EXE_treegraft"))
        .args([
            "client",
            "install",
            "claude-code",
            "--project",
            "--hook",
            "--no-server",
            "--write",
        ])
        .current_dir(home.path())
        .env("HOME", home.path())
        .env("XDG_STATE_HOME", home.path().join("state"))
        .output()
        .expect("the program starts");
    assert!(shown.status.success());
    let written = fs::read_to_string(home.path().join(".claude/settings.json"));
    let written: Value =
        serde_json::from_str(&written.expect("the file is written")).expect("it is JSON");
    assert_eq!(parsed("plugin/hooks/hooks.json")["hooks"], written["hooks"]);
    // An event about nothing passes.
    let passed = Command::new(env!("CARGO_BIN_EXE_treegraft"))
        .args(["client", "hook", "claude-code"])
        .env("HOME", home.path())
        .env("XDG_STATE_HOME", home.path().join("state"))
        .stdin(Stdio::null())
        .output()
        .expect("the program starts");
    assert!(passed.status.success() && passed.stdout.is_empty());
}

#[test]
fn the_skill_is_short_and_names_what_exists() {
    let skill = skill();
    let words = skill.split_whitespace().count();
    assert!(words < WORDS, "{words} words");
    let head = skill
        .strip_prefix("---\n")
        .and_then(|rest| rest.split_once("\n---\n"));
    let (head, body) = head.expect("the file starts with its name and description");
    let fields: Vec<(&str, &str)> = head
        .lines()
        .filter_map(|line| line.split_once(": "))
        .collect();
    assert_eq!(fields[0], ("name", "edit-code"));
    assert_eq!(fields[1].0, "description");
    assert!(fields[1].1.len() <= 1024, "{}", fields[1].1.len());
    // Names in backticks are tools, or fields of their arguments or refusals.
    let schemas: Vec<Value> = tools().map(|tool| json!((tool.schemas.input)())).collect();
    let known: BTreeSet<String> = tools().map(|tool| tool.name.to_string()).collect();
    let others = ["edit_id", "selects", "if_statement"];
    for name in body.split('`').skip(1).step_by(2) {
        let is_name = name.chars().all(|c| c.is_ascii_lowercase() || c == '_');
        let is_field = schemas
            .iter()
            .any(|schema| !schema["properties"][name].is_null());
        assert!(
            !is_name || known.contains(name) || is_field || others.contains(&name),
            "{name}"
        );
    }
}

#[test]
fn each_call_of_the_skill_runs() {
    let calls = calls();
    let named: BTreeSet<&str> = calls.iter().map(|(name, _)| name.as_str()).collect();
    assert!(named.len() >= 10, "{named:?}");
    for (name, arguments) in &calls {
        let known = tool(name).unwrap_or_else(|| panic!("no tool {name}"));
        let schema = json!((known.schemas.input)());
        for key in arguments.as_object().expect("a table").keys() {
            assert!(!schema["properties"][key].is_null(), "{name} has no {key}");
        }
        let bench = Bench::with("store.py", STORE);
        bench.write("app.py", APP);
        let mut arguments = arguments.clone();
        if arguments["edit_id"] == "EDIT_ID" {
            let edit = &calls.iter().find(|(name, _)| name == "replace_node");
            let (name, edit) = edit.expect("the skill has an edit");
            let previewed = bench
                .call(name, edit.clone())
                .expect("the edit is previewed");
            arguments["edit_id"] = previewed.json["edit_id"].clone();
        }
        let answered = bench.call(name, arguments.clone());
        let answered =
            answered.unwrap_or_else(|refused| panic!("{name} {arguments}: {}", refused.message()));
        let status = answered.json["status"].as_str();
        let expected = if name == "apply_edit" {
            "applied"
        } else {
            "previewed"
        };
        assert!(
            status.is_none_or(|status| status == expected),
            "{name}: {status:?}"
        );
    }
}
