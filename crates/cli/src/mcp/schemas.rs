//! The JSON Schemas of the tools' arguments. Those of the answers are resources.
//!
//! They are generated from the types and stored in `schemas.json`, since generating them at each
//! start would take longer than the rest of the start. A test compares the file with the types;
//! with `TREEGRAFT_RECORD=1` it rewrites the file.

use std::collections::HashMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use treegraft::engine::tools::{self, Schemas};

const WRITTEN: &str = include_str!("schemas.json");

/// The tools that can describe what edits have in common. The first of them that is listed does: the list of tools costs
/// tokens in every session.
const EXPLAINING: [&str; 3] = ["replace_node", "edit_nodes", "read_node"];

/// Arguments that mean the same in every tool that edits, and are described once.
const EXPLAINED_ONCE: &[&str] = &["file_path", "apply"];

/// Arguments that only `replace_node` lists. All tools that edit take them.
const LISTED_ONCE: &[&str] = &["indent", "allow", "diff"];

/// Arguments that are not listed, by tool: they are rarely needed, or refusals name them.
const UNLISTED: &[(&str, &[&str])] = &[
    ("outline", &["rank", "max_items", "max_bytes", "cursor"]),
    ("locate", &["file_path", "position", "range"]),
    ("read_node", &["locate", "max_bytes"]),
    (
        "find_nodes",
        &[
            "query",
            "reading",
            "quotes",
            "scope",
            "symbol_kind",
            "max_items",
            "cursor",
        ],
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
            "scope",
            "symbol_kind",
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

/// Returns the listed tool that describes what edits have in common.
pub(super) fn explaining<'t>(
    listed: impl Iterator<Item = &'t str> + Clone,
) -> Option<&'static str> {
    let mut explaining = EXPLAINING.into_iter();
    explaining.find(|name| listed.clone().any(|one| one == *name))
}

/// Returns whether the tool is listed in this way: describing what edits have in common, or not.
#[cfg(test)]
pub(super) fn is_stored(name: &str, explains: bool) -> bool {
    match explains {
        true => EXPLAINING.contains(&name),
        false => name != EXPLAINING[0],
    }
}

/// Returns the key of stored schemas.
pub(super) fn key(name: &str, explains: bool) -> String {
    match explains {
        true => format!("{name}, explaining"),
        false => name.to_string(),
    }
}

/// Returns the description of a tool that describes what edits have in common, if it is another one then.
pub(super) fn description(name: &str) -> Option<&'static str> {
    (name == "edit_nodes").then_some(
        "Makes one or more edits, all or none. Returns the diff and an edit_id for apply_edit; writes nothing unless \
         apply is true. Example: {\"edits\": [{\"file_path\": \"src/a.rs\", \"find\": \"timeout(<|>30<|>)\", \
         \"new_content\": \"60\"}, {\"op\": \"insert\", \"selector\": \"old\", \"position\": \"after\", \
         \"new_content\": \"fn stop(self) {}\"}], \"apply\": true}",
    )
}

/// Generates the schemas that are listed for the tool with this name; `explains` if it describes what edits have in common.
pub(super) fn made(name: &str, schemas: &Schemas, explains: bool) -> ListedSchemas {
    let mut input = (schemas.input)();
    // The tool itself has a description.
    input.remove("description");
    let of_tool = |all: &'static [(&'static str, &'static [&'static str])]| {
        let of_tool = all.iter().filter(move |(tool, _)| *tool == name);
        of_tool.flat_map(|(_, arguments)| *arguments)
    };
    let properties = input.get("properties");
    if properties.is_some_and(|properties| properties.get("selector").is_some())
        && let Some(Value::Array(required)) = input.get_mut("required")
    {
        // A selector may be a place, which names the file.
        required.retain(|name| name != "file_path");
    }
    if let Some(Value::Object(properties)) = input.get_mut("properties") {
        let listed_once = LISTED_ONCE.iter().filter(|_| name != EXPLAINING[0]);
        for argument in listed_once.chain(of_tool(UNLISTED)) {
            properties.shift_remove(*argument);
        }
        for argument in of_tool(EXPLAINED_ABOVE) {
            if let Some(Value::Object(property)) = properties.get_mut(*argument) {
                property.remove("description");
            }
        }
        match explains {
            true => explain(name, properties),
            false => properties.iter_mut().for_each(shorten),
        }
    }
    ListedSchemas {
        input: Arc::new(input),
    }
}

/// Removes the description of an argument that another tool describes.
fn shorten((argument, property): (&String, &mut Value)) {
    // A tool with its own list of values describes it.
    let is_shared =
        EXPLAINED_ONCE.contains(&argument.as_str()) && property["items"]["enum"].is_null();
    if let Value::Object(property) = property
        && is_shared
    {
        property.remove("description");
        property.remove("enum");
    }
}

/// Describes what edits have in common, with the words of the tools that otherwise do.
fn explain(name: &str, properties: &mut Map<String, Value>) {
    let field = |tool: &str, argument: &str| {
        let tool = tools::tool(tool).map(|tool| (tool.schemas.input)());
        let argument = tool.and_then(|input| input["properties"].get(argument).cloned());
        argument.unwrap_or_default()
    };
    match name {
        "edit_nodes" => {
            properties.shift_remove("file_path");
            let fields = &mut properties["edits"]["items"]["properties"];
            fields["op"]["description"] = OPERATIONS.into();
            for (tool, argument) in [
                ("replace_node", "selector"),
                ("replace_node", "new_content"),
                ("replace_text", "find"),
                ("insert_node", "position"),
                ("move_node", "to"),
            ] {
                fields[argument] = field(tool, argument);
            }
            // Of a move, or the new path of a file.
            fields["to"]["type"] = json!(["object", "string"]);
            remove(&mut fields["to"], &["required"]);
            remove(&mut fields["selector"]["properties"], &["pattern"]);
            remove(fields, &["scope", "selectors"]);
            properties["edits"]["description"] = BEFORE_THE_CALL.into();
        }
        "read_node" => properties["selector"] = field("replace_node", "selector"),
        _ => {}
    }
}

fn remove(object: &mut Value, keys: &[&str]) {
    if let Value::Object(object) = object {
        for key in keys {
            object.shift_remove(*key);
        }
    }
}

/// What the selectors of `edit_nodes` apply to.
const BEFORE_THE_CALL: &str = "All or none; they apply to the text before the call.";

/// What each operation of `edit_nodes` needs.
const OPERATIONS: &str = "Default: replace_text with find, else replace. insert: position; wrap: `<|>` in new_content \
                          for the old text; move: to; move_file: to, the new path.";
