//! The JSON Schemas of requests and answers, reduced to what a model needs.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};

/// Returns the JSON Schema of a request or an answer: one object without formats and references, which some clients do
/// not support.
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

/// Returns the JSON Schema of an answer with its types as named definitions: for generators of types in other languages.
pub fn named_schema_of<T: JsonSchema>() -> Map<String, Value> {
    let settings = schemars::generate::SchemaSettings::draft2020_12().with(|settings| {
        settings.meta_schema = None;
    });
    let schema = settings.into_generator().into_root_schema_for::<T>();
    match Value::from(schema) {
        Value::Object(object) => object,
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
            if object.get("description") == Some(&json!("")) {
                object.remove("description");
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

/// Returns the names of an enum as one list. schemars writes one schema for each name.
fn names_of(object: &Map<String, Value>) -> Option<Value> {
    let options = object.get("oneOf")?.as_array()?;
    let names: Option<Vec<Value>> = options
        .iter()
        .map(|option| option.get("const").cloned())
        .collect();
    names.map(Value::Array)
}

/// Returns the schema of a selector without its fields, which the schema of `replace_node` documents. The tool list
/// costs tokens in every conversation.
pub(super) fn selector_in_short(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": ["object", "string"]})
}

/// Returns the schema of a scope or selector without its fields, which the schema of `replace_node` documents.
pub(super) fn object_in_short(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "object"})
}

/// Returns the schema of a position without the meaning of its values, which the description of the tool has.
pub(super) fn position_in_short(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"enum": ["before", "after", "first_child", "last_child"]})
}

/// Returns the schema of the destination of a move.
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

/// Returns the schema of several edits. The tool of each operation documents their fields.
pub(super) fn edits_in_short(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "array",
        "items": {
            "type": "object",
            "properties": {
                "op": {"enum": ["replace", "replace_text", "insert", "delete", "wrap", "move", "create_file", "delete_file", "move_file", "organize_file"]},
                "file_path": {
                    "type": ["string", "array"],
                    "description": "File, glob or list; else that of the previous edit."
                },
                "selector": {"type": ["object", "string"]},
                "selectors": {"type": "array"},
                "position": {"type": "string"},
                "new_content": {"type": "string"},
                "to": {"type": ["object", "string"]},
                "find": {"type": "string"},
                "scope": {"type": "object"},
                "expect_matches": {
                    "type": "integer",
                    "description": "Expected matches in all files; edits all."
                }
            }
        }
    })
}

/// Returns the schema of the changes of several edits. `amend_edit` documents their fields.
pub(super) fn amendments_in_short(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "array", "items": {"type": "object"}})
}

/// Returns the schema of a value of an enumeration that another tool documents.
pub(super) fn text_in_short(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "string"})
}

/// Returns the schema of `diff`, which that of `replace_node` documents.
pub(super) fn diff_in_short(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"enum": ["full"]})
}

/// Returns the schema of `imports`.
pub(super) fn imports_in_short(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": ["boolean", "object"]})
}

/// Returns the schema of `imports`, which that of `replace_node` documents.
pub(super) fn switch_in_short(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "boolean"})
}

pub(super) fn rebase_in_short(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"enum": ["auto"]})
}

/// Returns the schema of a list of names, which the schema of `replace_node` documents.
pub(super) fn names_in_short(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "array", "items": {"type": "string"}})
}

pub(super) fn scope_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "object",
        "description": "Where to look: {\"symbol_path\": [\"Server\", \"handle\"]}, {\"line\": 42} or {\"line\": [10, 20]}."
    })
}
