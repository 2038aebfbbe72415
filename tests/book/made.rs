//! Generates two pages: the codes, with a refusal from the snapshots for each, and the tools, with
//! their descriptions and annotations from the server.
#![expect(
    clippy::disallowed_methods,
    reason = "tests read sources and snapshots"
)]

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};
use treegraft::diagnostic::Code;
use treegraft::engine::tools;

use super::root;
use crate::mcp::Server;
use crate::pages;

/// The introduction to the list of codes.
const CODES: &str = "\
# Codes

Every refusal has one of these codes: in `error.code` over MCP, and after `refused:` on the command line. The codes are
stable. The command line exits with the status in the table: 1, another call may succeed; 2, the arguments are invalid;
3, the environment does not allow the call.

Each refusal below is shown as an agent receives it over MCP, and a test compares it. Its suggestions are calls of tools;
the command line prints them as commands. Ids of edits are replaced by `e000000000000`.
";

/// The introduction to the list of tools.
const TOOLS: &str = "\
# Tools

This page lists the tools of `treegraft serve`, with the equivalent command of each.
[Locators](locating.md) and [selectors](pointing.md) name places. Answers and refusals are the same JSON over MCP, on the command line and in the
library. The resource `treegraft://tools/{tool}/output-schema` has the complete schema of a tool's answer.

By default, `treegraft serve` lists only `read_node`, `edit_nodes`, `apply_edit`, `undo_edit` and `amend_edit`, and accepts
calls of all tools but those of the group `server`: see [Serve agents](serving.md#groups-of-tools).
An argument in **bold** is required. To save tokens, the list that an agent gets leaves out the arguments in *italics*.

Every tool has the annotation `openWorldHint: false`; its other annotations follow its command. Clients treat a tool with
neither `readOnlyHint` nor `destructiveHint` as destructive. A server that [only stages edits](approving.md) sends
`destructiveHint: false` for the tools that edit.
";

/// The groups of tools, each with its description.
const GROUPS: [(&str, &str); 4] = [
    ("read", "Read-only questions about files and nodes."),
    (
        "edit",
        "Edits. Each returns a preview; nothing is written unless `apply` is true.",
    ),
    ("flow", "Apply, undo, amend, discard and list edits."),
    (
        "server",
        "Questions to language servers, and edits that they suggest.",
    ),
];

/// Returns the page of codes.
pub(crate) fn codes() -> String {
    let meanings = meanings();
    let snapshots = refusals();
    let now = super::read("codes.md").text;
    let mut page = CODES.to_string();
    page.push_str("\n| code | meaning | exit status |\n|---|---|--:|\n");
    for code in Code::ALL {
        let meaning = &meanings[&format!("{code:?}")];
        let (name, status) = (code.as_str(), code.exit_status() as u8);
        page.push_str(&format!("| [`{name}`](#{name}) | {meaning} | {status} |\n"));
    }
    for code in Code::ALL {
        let name = code.as_str();
        let meaning = &meanings[&format!("{code:?}")];
        let (snapshot, text) = example_of(&snapshots, name, &now);
        page.push_str(&format!("\n## `{name}`\n\n{meaning}\n\n"));
        // The refusal may contain a code block.
        let ticks = if text.contains("```") { "````" } else { "```" };
        page.push_str(&format!("{ticks}text\n{}\n{ticks}\n", text.trim_end()));
        page.push_str(&format!("\nFrom {snapshot}.\n"));
    }
    page
}

/// Returns the refusal to show for a code: the one already on the page, so that a new case changes
/// nothing; otherwise the shortest of the most helpful ones, preferring suggested calls, then help.
fn example_of<'a>(
    snapshots: &'a BTreeMap<String, String>,
    code: &str,
    now: &str,
) -> (&'a str, &'a str) {
    let first = format!("refused: {code}\n");
    let of_code = snapshots
        .iter()
        .filter(|(_, text)| text.starts_with(&first));
    let best = of_code.min_by_key(|(name, text)| {
        let is_shown = now.contains(&format!("From {name}."));
        let has_calls = text.contains(" works:\n");
        let has_help = text.contains("help:");
        (!is_shown, !has_calls, !has_help, text.len(), *name)
    });
    let (name, text) = best.expect("`tidy` wants a snapshot of each code");
    (name, text)
}

/// Returns every refusal in a snapshot or on a page of cases, by its source.
fn refusals() -> BTreeMap<String, String> {
    let mut refusals = BTreeMap::new();
    let mut open = vec![PathBuf::from("snapshots")];
    while let Some(path) = open.pop() {
        let full = root().join(&path);
        if full.is_dir() {
            let listed = fs::read_dir(full).expect("the snapshots can be listed");
            let names = listed.map(|entry| entry.expect("the snapshots can be listed").file_name());
            open.extend(names.map(|name| path.join(name)));
            continue;
        }
        let text = fs::read_to_string(full).expect("a snapshot is text");
        let body = text.splitn(3, "---\n").nth(2).unwrap_or_default();
        refusals.insert(format!("`{}`", path.display()), body.to_string());
    }
    for page in pages::all(root()).expect("the pages can be read") {
        for case in page.cases {
            let from = format!("`{}`, \"{}\"", page.path, case.heading);
            refusals.insert(from, case.expected.unwrap_or_default());
        }
    }
    refusals.retain(|_, text| text.starts_with("refused: "));
    refusals
}

/// Returns the doc comment of each code in the sources, by its variant.
fn meanings() -> BTreeMap<String, String> {
    let source = fs::read_to_string(root().join("src/diagnostic/code.rs"));
    let source = source.expect("the source can be read");
    let body = source
        .split_once("pub enum Code {\n")
        .map_or("", |(_, rest)| rest);
    let body = body.split_once("\n}").map_or("", |(body, _)| body);
    let mut meanings = BTreeMap::new();
    let mut meaning = String::new();
    for line in body.lines().map(str::trim) {
        match line.strip_prefix("/// ") {
            Some(words) if meaning.is_empty() => meaning = words.to_string(),
            Some(words) => meaning = format!("{meaning} {words}"),
            None => {
                let variant = line.trim_end_matches(',').to_string();
                meanings.insert(variant, std::mem::take(&mut meaning));
            }
        }
    }
    meanings
}

/// Returns the page of tools.
pub(crate) fn tools() -> String {
    let mut page = TOOLS.to_string();
    for (group, meaning) in GROUPS {
        page.push_str(&format!("\n## {group}\n\n{meaning}\n"));
        for tool in listed(group) {
            page.push_str(&tool_of(&tool));
        }
    }
    page
}

/// Returns the tools that the server lists for one group.
fn listed(group: &str) -> Vec<Value> {
    let directory = tempfile::tempdir().expect("a temporary directory can be created");
    let workspace = directory.path().join("workspace");
    fs::create_dir(&workspace).expect("the directory can be written");
    let mut server = Server::over_with(&workspace, directory, &["--tools", group]);
    server.initialize("2025-06-18");
    let tools = server.request("tools/list", json!({}))["result"]["tools"].take();
    match tools {
        Value::Array(tools) => tools,
        other => panic!("no list of tools: {other}"),
    }
}

fn tool_of(tool: &Value) -> String {
    let name = tool["name"].as_str().expect("a tool has a name");
    let description = tool["description"].as_str().expect("a tool is described");
    let (description, example) = match description.split_once(" Example: ") {
        Some((description, example)) => (description, Some(example)),
        None => (description, None),
    };
    let verb = tools::tool(name).expect("it is defined").verb;
    let command = format!(
        "[`treegraft {verb}`](commands.md#{})",
        verb.replace(' ', "-")
    );
    let mut text = format!(
        "\n### `{name}`\n\n{}\n\nOn the command line: {command}.{}\n",
        plain(description),
        annotations(tool)
    );
    if let Some(example) = example {
        text.push_str(&format!("\n```json\n{example}\n```\n"));
    }
    let schema = json!((tools::tool(name).expect("it is defined").schemas.input)());
    let listed = &tool["inputSchema"]["properties"];
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    text.push_str("\n| argument | type | |\n|---|---|---|\n");
    for (argument, about) in schema["properties"].as_object().into_iter().flatten() {
        let shown = match required.iter().any(|one| one == argument) {
            true => format!("**`{argument}`**"),
            false if listed[argument].is_null() => format!("*`{argument}`*"),
            false => format!("`{argument}`"),
        };
        let meaning = about["description"].as_str().unwrap_or_default();
        text.push_str(&format!(
            "| {shown} | {} | {} |\n",
            types(about),
            cell(meaning)
        ));
    }
    text
}

/// Returns a sentence with the annotations that not every tool has.
fn annotations(tool: &Value) -> String {
    let mut hints = tool["annotations"].clone();
    let all = hints.as_object_mut().expect("a tool has annotations");
    assert_eq!(all.remove("openWorldHint"), Some(json!(false)), "{tool}");
    let shown: Vec<String> = all
        .iter()
        .map(|(name, value)| format!("`{name}: {value}`"))
        .collect();
    match shown.is_empty() {
        true => String::new(),
        false => format!(" Annotations: {}.", shown.join(", ")),
    }
}

/// Returns the types of an argument and its allowed values.
fn types(about: &Value) -> String {
    let named = match &about["type"] {
        Value::Array(several) => several.clone(),
        Value::Null if about["enum"].is_array() => vec![json!("string")],
        Value::Null => Vec::new(),
        one => vec![one.clone()],
    };
    let named: Vec<&str> = named.iter().filter_map(Value::as_str).collect();
    let mut types = named.join(" or ");
    let words = about["enum"].as_array().cloned().unwrap_or_default();
    let words = words.iter().filter_map(Value::as_str);
    let words: Vec<String> = words.map(|word| format!("`{word}`")).collect();
    if !words.is_empty() {
        types.push_str(&format!(": {}", words.join(", ")));
    }
    types
}

/// Escapes text for a table cell.
fn cell(words: &str) -> String {
    plain(words).replace('|', "\\|")
}

/// Escapes characters outside code that Markdown would read as markup.
fn plain(words: &str) -> String {
    let parts = words.split('`').enumerate();
    let parts = parts.map(|(index, part)| match index % 2 {
        0 => part
            .replace('<', "&lt;")
            .replace('[', "\\[")
            .replace('*', "\\*"),
        _ => part.to_string(),
    });
    parts.collect::<Vec<_>>().join("`")
}
