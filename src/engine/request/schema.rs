//! The JSON Schemas of requests and answers, as short as a model needs them.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};

/// Returns the JSON Schema of a request or an answer: one self-contained object without formats and references, which
/// some clients do not support.
pub fn schema_of<T: JsonSchema>() -> Map<String, Value> {
    let settings = schemars::generate::SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let schema = settings.into_generator().into_root_schema_for::<T>();
    let mut value = Value::from(schema);
    simplify(&mut value);
    match value {
        Value::Object(mut object) => {
            object.remove("title");
            object
        }
        _ => Map::new(),
    }
}

/// Removes parts that cost tokens and do not help a model.
fn simplify(value: &mut Value) {
    match value {
        Value::Object(object) => {
            object.remove("format");
            if object.get("default").is_some_and(|default| {
                default.is_null() || *default == json!(false) || *default == json!([])
            }) {
                object.remove("default");
            }
            if object.get("minimum") == Some(&json!(0)) {
                object.remove("minimum");
            }
            // The line breaks of a doc comment have no meaning.
            if let Some(Value::String(description)) = object.get_mut("description") {
                *description = description.replace('\n', " ");
            }
            if let Some(names) = names_of(object) {
                object.remove("oneOf");
                object.insert("type".to_string(), json!("string"));
                object.insert("enum".to_string(), names);
            }
            if let Some(Value::Array(types)) = object.get_mut("type") {
                types.retain(|one| one != "null");
                if let [one] = types.as_slice() {
                    let one = one.clone();
                    object.insert("type".to_string(), one);
                }
            }
            if let Some(Value::Array(options)) = object.get_mut("anyOf") {
                options.retain(|one| *one != json!({"type": "null"}));
                if let [Value::Object(one)] = options.as_slice() {
                    let one = one.clone();
                    object.remove("anyOf");
                    for (key, value) in one {
                        object.entry(key).or_insert(value);
                    }
                }
            }
            object.values_mut().for_each(simplify);
        }
        Value::Array(items) => items.iter_mut().for_each(simplify),
        _ => {}
    }
}

/// Merges the names of an enum, for which schemars writes one schema each.
fn names_of(object: &Map<String, Value>) -> Option<Value> {
    let options = object.get("oneOf")?.as_array()?;
    let names: Option<Vec<Value>> = options
        .iter()
        .map(|option| option.get("const").cloned())
        .collect();
    names.map(Value::Array)
}

/// The selector of a tool that stands in the list beside `replace_node`, where its fields are
/// explained: the list is paid for by every conversation.
pub(super) fn selector_in_short(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": ["object", "string"]})
}

/// A scope or a selector, whose fields are told beside `replace_node`.
pub(super) fn object_in_short(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "object"})
}

/// Where a node goes that moves.
pub(super) fn destination_in_short(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "object",
        "properties": {
            "file_path": {"type": "string"},
            "selector": {"type": ["object", "string"]},
            "position": {"enum": ["before", "after", "first_child", "last_child"]}
        },
        "required": ["selector", "position"]
    })
}

/// Several edits, whose fields are explained beside the tool of each operation.
pub(super) fn edits_in_short(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "array",
        "items": {
            "type": "object",
            "properties": {
                "op": {"enum": ["replace", "replace_text", "insert", "delete", "wrap", "move"]},
                "file_path": {"type": "string"},
                "selector": {"type": ["object", "string"]},
                "position": {"type": "string"},
                "new_content": {"type": "string"},
                "to": {"type": "object"},
                "expect_matches": {
                    "type": "integer",
                    "description": "The number of matches of the selector; edits all of them."
                }
            }
        }
    })
}

/// The path of a search.
pub(super) fn path_in_short(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "string"})
}

/// A list of names that are told beside `replace_node`.
pub(super) fn names_in_short(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "array", "items": {"type": "string"}})
}

pub(super) fn scope_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "object",
        "description": "Where to look: {\"symbol_path\": [\"Server\", \"handle\"]}, {\"line\": 42} or {\"line\": [10, 20]}."
    })
}
