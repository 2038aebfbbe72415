//! The JSON Schemas of the tools' arguments and answers.
//!
//! They are generated from the types and stored in `schemas.json`, since generating them at each
//! start would take longer than the rest of the start. A test compares the file with the types;
//! with `TREEGRAFT_RECORD=1` it rewrites the file.

use std::collections::HashMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use treegraft::engine::tools::Schemas;

const WRITTEN: &str = include_str!("schemas.json");

/// Arguments that mean the same in every tool, and the only tool that describes them: the list of
/// tools costs tokens in every session. Only the fields of its answer are
/// listed; resources have those of the others.
const EXPLAINED_ONCE: (&str, &[&str]) =
    ("replace_node", &["file_path", "indent", "allow", "apply"]);

/// The schemas of one tool, as they are listed.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub(super) struct ListedSchemas {
    pub(super) input: Arc<Map<String, Value>>,
    /// The first level only, without required fields: some clients also validate the structured
    /// content of errors against it (typescript-sdk issue 1943).
    pub(super) output: Arc<Map<String, Value>>,
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
    let mut output = first_level(&(schemas.answer)());
    if name != explains {
        output.remove("properties");
    }
    ListedSchemas {
        input: Arc::new(input),
        output: Arc::new(output),
    }
}

/// Reduces the schema of an answer to the names and types of its fields.
fn first_level(full: &Map<String, Value>) -> Map<String, Value> {
    let required = full.get("required").and_then(Value::as_array);
    // Optional fields are in the complete schema.
    let is_held = |name: &String| required.is_some_and(|names| names.iter().any(|one| one == name));
    let held = full.get("properties").and_then(Value::as_object);
    let properties = held.into_iter().flatten();
    let properties = properties.filter(|(name, _)| is_held(name));
    let properties: Map<String, Value> = properties
        .map(|(name, property)| {
            let own = type_of(property).map(|own| ("type".to_string(), own.clone()));
            (name.clone(), Value::Object(own.into_iter().collect()))
        })
        .collect();
    let mut schema = Map::new();
    schema.insert("type".to_string(), json!("object"));
    schema.insert("properties".to_string(), Value::Object(properties));
    schema
}

/// Returns the type of a schema, or the first of several; `None` if any is allowed.
fn type_of(schema: &Value) -> Option<&Value> {
    let either = ["anyOf", "oneOf"].iter().find_map(|of| schema[of].get(0));
    match either {
        Some(first) => type_of(first),
        None => schema.get("type"),
    }
}
