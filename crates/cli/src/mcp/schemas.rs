//! The JSON Schemas of the tools' arguments. Those of the answers are resources.
//!
//! They are generated from the types and stored in `schemas.json`, since generating them at each
//! start would take longer than the rest of the start. A test compares the file with the types;
//! with `TREEGRAFT_RECORD=1` it rewrites the file.

use std::collections::HashMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use treegraft::engine::tools::Schemas;

const WRITTEN: &str = include_str!("schemas.json");

/// Arguments that mean the same in every tool, and the only tool that describes them: the list of
/// tools costs tokens in every session.
const EXPLAINED_ONCE: (&str, &[&str]) = ("replace_node", &["file_path", "apply"]);

/// Arguments that are listed only where [`EXPLAINED_ONCE`] describes them. All tools that edit take them.
const LISTED_ONCE: &[&str] = &["indent", "allow", "diff"];

/// Arguments that are not listed, by tool: they are rarely needed, or refusals name them.
const UNLISTED: &[(&str, &[&str])] = &[
    ("outline", &["rank", "max_items", "max_bytes", "cursor"]),
    ("locate", &["range"]),
    ("describe", &["range"]),
    ("read_node", &["locate", "max_bytes"]),
    (
        "find_nodes",
        &["query", "reading", "quotes", "where", "max_items", "cursor"],
    ),
    ("replace_node", &["diff"]),
    ("insert_node", &["blank_lines", "create"]),
    (
        "rewrite",
        &[
            "language",
            "reading",
            "quotes",
            "outermost",
            "max_files",
            "skip",
            "only",
            "skip_failing",
            "where",
            "rule",
            "expect_matches",
        ],
    ),
    ("apply_edit", &["rebase"]),
    ("undo_edit", &["preview"]),
    ("amend_edit", &["position", "op", "to"]),
];

/// Arguments whose meaning the description of their tool has, by tool.
const EXPLAINED_ABOVE: &[(&str, &[&str])] = &[
    ("find_nodes", &["text", "regex"]),
    ("insert_node", &["position"]),
    ("wrap_node", &["new_content"]),
];

/// The schemas of one tool, as they are listed.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub(super) struct ListedSchemas {
    pub(super) input: Arc<Map<String, Value>>,
}

/// The stored schemas, by the name of the tool.
pub(super) fn written() -> HashMap<String, ListedSchemas> {
    serde_json::from_str(WRITTEN).expect("a test checks that the stored schemas parse")
}

/// Generates the schemas that are listed for the tool with this name.
pub(super) fn made(name: &str, schemas: &Schemas) -> ListedSchemas {
    let mut input = (schemas.input)();
    // The tool itself has a description.
    input.remove("description");
    let (explains, shared) = EXPLAINED_ONCE;
    let of_tool = |all: &'static [(&'static str, &'static [&'static str])]| {
        let of_tool = all.iter().filter(move |(tool, _)| *tool == name);
        of_tool.flat_map(|(_, arguments)| *arguments)
    };
    let listed_once = LISTED_ONCE.iter().filter(|_| name != explains);
    if let Some(Value::Object(properties)) = input.get_mut("properties") {
        for argument in listed_once.chain(of_tool(UNLISTED)) {
            properties.shift_remove(*argument);
        }
        for argument in of_tool(EXPLAINED_ABOVE) {
            if let Some(Value::Object(property)) = properties.get_mut(*argument) {
                property.remove("description");
            }
        }
    }
    if let Some(Value::Object(properties)) = input.get_mut("properties")
        && name != explains
    {
        // A tool with its own list of values describes it.
        let shared = |(argument, property): &(&String, &mut Value)| {
            shared.contains(&argument.as_str()) && property["items"]["enum"].is_null()
        };
        for (_, property) in properties.iter_mut().filter(shared) {
            if let Value::Object(property) = property {
                property.remove("description");
                property.remove("enum");
            }
        }
    }
    ListedSchemas {
        input: Arc::new(input),
    }
}
