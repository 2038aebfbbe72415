//! Reads the arguments of a call leniently, since clients write them differently.

use std::any::TypeId;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use serde_path_to_error::Segment;

use crate::diagnostic::{self, Code, Diagnostic};
use crate::locate::{self, Scope};

use super::coordinates::{PositionArgument, RangeArgument};
use super::edits::{NodeEdit, part_selector};
use super::json::{JsonError, read_json};
use super::places::{SelectorArgument, scope_from, scope_value};
use super::schema::schema_of;

/// Reads a request from the arguments of a call, leniently. Refuses unknown arguments.
///
/// # Errors
/// `unsupported_selector` for a selector in the form of another program, `invalid_scope` for an invalid scope,
/// `invalid_locate` for an invalid locator, else `invalid_arguments`.
pub fn read<T>(arguments: Value) -> Result<T, Diagnostic>
where
    T: for<'de> Deserialize<'de> + JsonSchema + 'static,
{
    let mut arguments = read_object(arguments)?;
    let known = fields_of::<T>();
    let knows = |name: &str| known.iter().any(|one| one == name);
    let is_amendment = knows("edit_id") && knows("edit_index");
    if knows("file_path") && !is_amendment {
        split_place(&mut arguments)?;
    }
    if is_amendment {
        read_amendments(&mut arguments, &known)?;
    } else if knows("selector") {
        gather_selector(&mut arguments);
    } else if knows("find") {
        spread_selector(&mut arguments)?;
    }
    if knows("selector") && knows("lines") {
        lines_of_selector(&mut arguments);
    }
    if knows("to") && !is_amendment {
        read_destination(&mut arguments)?;
    }
    if let Some(selector) = arguments.get("selector") {
        check_selector_form(selector)?;
        check_scope(&selector["scope"])?;
    }
    if knows("locate") && knows("position") {
        position_of_locator(&mut arguments);
    }
    if let Some(locate) = arguments.get("locate").cloned().map(from_string) {
        check_scope(&locate["scope"])?;
        if let Some(text) = locate.as_str() {
            text.parse::<locate::Locate>()
                .map_err(|error| diagnostic::about_locate_syntax(&error))?;
        }
    }
    let has_file = arguments.contains_key("file_path");
    if knows("edits")
        && !is_amendment
        && let Some(edits) = arguments.get_mut("edits")
    {
        *edits = read_edits(read_structure("the edits", edits.take())?, has_file)?;
        let imports = imports_of(edits);
        if let Some(imports) = imports {
            arguments.entry("imports").or_insert(imports);
        }
        read_paths(&mut arguments)?;
    }
    read_flags(&mut arguments);
    if knows("file") && knows("column") {
        read_place(&mut arguments);
    }
    for name in ["allow", "kinds", "skip", "only"] {
        if let Some(list) = arguments.get_mut(name) {
            *list = match from_string(list.take()) {
                one @ (Value::String(_) | Value::Number(_)) => json!([one]),
                list => list,
            };
        }
    }
    if knows("path") {
        read_search(&mut arguments);
    }
    let flat = match knows("selector") {
        true => SELECTOR_FIELDS,
        false => &[],
    };
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    if !is_amendment {
        refuse_unknown(&arguments, "", &known, flat)?;
    }
    serde_path_to_error::deserialize(Value::Object(arguments)).map_err(|error| misfit(&error))
}

/// Reads the object of the arguments, which may be passed as a string.
fn read_object(arguments: Value) -> Result<Map<String, Value>, Diagnostic> {
    match without_nulls(read_structure("the arguments", arguments)?) {
        Value::Object(arguments) => Ok(arguments),
        _ => Err(diagnostic::about_arguments(
            "the arguments of a call must be an object",
        )),
    }
}

/// Parses a JSON object or array that was passed as a string. `what` names the value in a refusal.
fn read_structure(what: &str, value: Value) -> Result<Value, Diagnostic> {
    match value {
        Value::String(text) if is_structure(&text) => {
            read_json(&text).map_err(|error| match error {
                JsonError::LoneSurrogate { .. } => diagnostic::about_arguments(error.to_string())
                    .help("pass the whole character, as UTF-8 or as both of its escapes"),
                JsonError::Invalid(error) => {
                    diagnostic::about_arguments(format!("{what} are not valid JSON: {error}"))
                }
            })
        }
        other => Ok(other),
    }
}

/// Explains which argument is invalid.
fn misfit(error: &serde_path_to_error::Error<serde_json::Error>) -> Diagnostic {
    let mut path = error.path().iter();
    let message = error.inner().to_string();
    // All other messages name the argument.
    let is_bare = message.starts_with("invalid ") || message.starts_with("unknown variant");
    let named = |name: &str| match is_bare {
        true => diagnostic::about_arguments(format!("{name}: {message}")),
        false => diagnostic::about_arguments(message.clone()),
    };
    match (path.next(), path.next()) {
        (Some(Segment::Map { key }), Some(Segment::Seq { index })) if key == "edits" => {
            diagnostic::about_arguments(message).of_edit(*index)
        }
        (Some(Segment::Map { key }), None)
            if key == "file_path" && message.starts_with("invalid type: sequence") =>
        {
            diagnostic::about_arguments("file_path must be one file")
                .help("an edit of «edit_nodes» takes a list of files or a glob")
        }
        (Some(_), _) => named(&error.path().to_string()),
        (None, _) => diagnostic::about_arguments(message),
    }
}

/// Refuses `fields` that are not in `known`. `flat` are fields that are also accepted and were already read. `outer` is
/// the prefix of field names in messages, such as `to.`.
fn refuse_unknown(
    fields: &Map<String, Value>,
    outer: &str,
    known: &[&str],
    flat: &[&str],
) -> Result<(), Diagnostic> {
    /// The minimum similarity of a suggested name.
    const NEAR: f64 = 0.8;

    let unknown: Vec<&str> = fields
        .keys()
        .map(String::as_str)
        .filter(|name| !known.contains(name))
        .collect();
    if unknown.is_empty() {
        return Ok(());
    }
    let free: Vec<&str> = known.iter().chain(flat).copied().collect();
    let free: Vec<&str> = free
        .into_iter()
        .filter(|name| !fields.contains_key(*name))
        .collect();
    let likeness = |name: &str, given: &str| match name.split('_').any(|word| word == given) {
        true => 1.0,
        false => strsim::jaro_winkler(name, given),
    };
    let near = unknown.iter().find_map(|given| {
        let alike = free.iter().map(|name| (likeness(name, given), *name));
        alike
            .filter(|(likeness, _)| *likeness > NEAR)
            .max_by(|(one, _), (other, _)| one.total_cmp(other))
    });
    let quoted = |names: &[&str]| {
        let names = names.iter().map(|name| format!("`{outer}{name}`"));
        names.collect::<Vec<_>>().join(", ")
    };
    let fields = if unknown.len() == 1 {
        "field"
    } else {
        "fields"
    };
    let message = format!("unknown {fields} {}", quoted(&unknown));
    Err(Diagnostic {
        help: Some(match near {
            _ if unknown.contains(&"selectors") => {
                "selectors is a field of an edit of «edit_nodes»".to_string()
            }
            Some((_, name)) => format!("a field with a similar name exists: `{outer}{name}`"),
            None => format!("the fields are {}", quoted(known)),
        }),
        ..diagnostic::about_arguments(message)
    })
}

/// Reads the entries of `edits`, each as leniently as a separate call. `is_shared` is whether the call names a file for
/// entries without one.
fn read_edits(edits: Value, is_shared: bool) -> Result<Value, Diagnostic> {
    let mut edits = match edits {
        Value::Array(edits) => edits,
        // A single edit instead of a list.
        edit @ Value::Object(_) => vec![edit],
        other => return Ok(other),
    };
    let mut is_inherited = false;
    for (index, edit) in edits.iter_mut().enumerate() {
        let Value::Object(fields) = without_nulls(from_string(edit.take())) else {
            let refused = diagnostic::about_arguments("an edit must be an object");
            return Err(refused.of_edit(index));
        };
        let has_file = is_shared || is_inherited && !is_of_file(&fields);
        let read = read_entry(fields, has_file).map_err(|diagnostic| diagnostic.of_edit(index))?;
        is_inherited |= read.contains_key("file_path");
        *edit = Value::Object(read);
    }
    Ok(Value::Array(edits))
}

/// Removes `imports` from the entries of `edits`: it applies to the call.
fn imports_of(edits: &mut Value) -> Option<Value> {
    let edits = edits.as_array_mut().into_iter().flatten();
    let given = edits.filter_map(|edit| edit.as_object_mut()?.remove("imports"));
    given.reduce(|first, _| first)
}

/// Reads one entry of `edits`.
fn read_entry(
    mut edit: Map<String, Value>,
    has_file: bool,
) -> Result<Map<String, Value>, Diagnostic> {
    if !has_file {
        split_place(&mut edit)?;
    }
    gather_selector(&mut edit);
    read_selectors(&mut edit)?;
    read_paths(&mut edit)?;
    if !edit.contains_key("op") {
        let op = inferred_operation(&edit).map_err(diagnostic::about_arguments)?;
        edit.insert("op".to_string(), json!(op));
    }
    let operations = operations();
    let op = match edit.get_mut("op") {
        Some(Value::String(op)) => {
            let known = operation(op);
            if let Some(known) = known {
                op.clone_from(&known.name);
            }
            known
        }
        _ => None,
    };
    if op.is_some_and(|op| op.name == "move") {
        read_destination(&mut edit)?;
    }
    if let Some(number) = edit.get("expect_matches").and_then(integer) {
        edit.insert("expect_matches".to_string(), json!(number));
    }
    if let Some(selector) = edit.get("selector") {
        check_selector_form(selector)?;
        check_scope(&selector["scope"])?;
    }
    read_flags(&mut edit);
    // Deserialization reports an unknown operation.
    if let Some(op) = op {
        let is_of_another = |name: &&String| {
            let has = |known: &EntryOperation| known.fields.contains(*name);
            !has(op) && operations.iter().any(has)
        };
        if let Some(field) = edit.keys().find(is_of_another) {
            let message = format!("{} takes no {field}", op.name);
            return Err(diagnostic::about_arguments(message));
        }
        let fields = op.fields.iter().map(String::as_str);
        let known: Vec<&str> = fields.chain(["imports"]).collect();
        refuse_unknown(&edit, "", &known, SELECTOR_FIELDS)?;
        if let Some((field, form)) = op.required.iter().find(|(name, _)| {
            !edit.contains_key(match name.as_str() {
                "selector" if edit.contains_key("selectors") => "selectors",
                name => name,
            })
        }) {
            let message = format!("{} needs {field}{form}", op.name);
            return Err(diagnostic::about_arguments(message));
        }
    }
    if !has_file && !edit.contains_key("file_path") {
        let message = "file_path is missing; set it in the edit or next to edits";
        return Err(diagnostic::about_arguments(message));
    }
    Ok(edit)
}

/// Accepts a list of paths as JSON text.
///
/// # Errors
/// The paths are neither a string nor a list of strings, or the list is empty or contains an empty string.
fn read_paths(fields: &mut Map<String, Value>) -> Result<(), Diagnostic> {
    let Some(given) = fields.get_mut("file_path") else {
        return Ok(());
    };
    let is_list = |value: &Value| {
        let list = value.as_array();
        list.is_some_and(|list| list.iter().all(Value::is_string))
    };
    let read = from_string(given.clone());
    if is_list(&read) {
        *given = read;
    }
    let refused = |message: &str| Err(diagnostic::about_arguments(message));
    match given.as_array() {
        Some(list) if list.is_empty() => refused("file_path is an empty list"),
        Some(list) if list.iter().any(|path| path == "") => {
            refused("file_path contains an empty string")
        }
        _ if given.is_string() || is_list(given) => Ok(()),
        _ => refused(&format!(
            "file_path must be a string or a list of strings, not {given}"
        )),
    }
}

/// Accepts the selectors of an entry as JSON text, and a single one.
///
/// # Errors
/// A selector has the form of another program or an invalid scope, or the entry has further selector fields, which would
/// not apply.
fn read_selectors(edit: &mut Map<String, Value>) -> Result<(), Diagnostic> {
    let Some(given) = edit.get_mut("selectors") else {
        return Ok(());
    };
    let mut selectors = match from_string(given.take()) {
        Value::Array(selectors) => selectors,
        one => vec![one],
    };
    for selector in &mut selectors {
        *selector = without_nulls(from_string(selector.take()));
        check_selector_form(selector)?;
        check_scope(&selector["scope"])?;
    }
    let refused = |message: String| Err(diagnostic::about_arguments(message));
    if selectors.is_empty() {
        return refused("selectors is an empty list".to_string());
    }
    *given = Value::Array(selectors);
    let other = |name: &&&str| edit.contains_key(**name);
    match SELECTOR_FIELDS.iter().find(other) {
        Some(name) => refused(format!(
            "{name} cannot be next to selectors; set it in each of them"
        )),
        None => Ok(()),
    }
}

/// Returns the operation of an entry that does not name it, if its fields leave only one reading.
///
/// A selector alone is not read as a deletion: the caller may have forgotten the content.
fn inferred_operation(edit: &Map<String, Value>) -> Result<&'static str, String> {
    let has = |name: &str| edit.contains_key(name);
    let of_selector = |name: &str| {
        edit.get("selector")
            .is_some_and(|one| one[name] != json!(null))
    };
    let content = edit.get("new_content");
    let holds_marker = content
        .and_then(Value::as_str)
        .is_some_and(|content| content.contains(MARKER));
    let selects_text = of_selector("find")
        && !["ancestor_node_type", "outward", "sibling"]
            .into_iter()
            .any(of_selector);
    match (content.is_some(), has("position"), has("to")) {
        (false, false, true) => Ok("move"),
        (true, true, false) => Ok("insert"),
        (true, false, false) if has("include_attached") => Ok("replace"),
        (true, false, false) if holds_marker => Err(format!(
            "op is missing, and new_content contains {MARKER}: set wrap if the node replaces {MARKER}, or {} if \
             new_content is inserted as it is",
            match selects_text {
                true => "replace_text",
                false => "replace",
            }
        )),
        (true, false, false) if selects_text => Ok("replace_text"),
        (true, false, false) if has("selector") => Ok("replace"),
        _ => {
            let message = "op is missing; it must be replace, replace_text, insert, delete, wrap, move, \
                           create_file, delete_file, move_file or organize_file";
            Err(message.to_string())
        }
    }
}

/// The marker that a wrapped node replaces.
const MARKER: &str = "<|>";

/// An operation in `edits`, with its arguments.
pub(super) struct EntryOperation {
    pub(super) name: String,
    /// The tool that makes a single edit of this kind.
    pub(super) tool: String,
    pub(super) fields: Vec<String>,
    /// The required arguments, and the form of each.
    required: Vec<(String, String)>,
}

/// Returns the operation with this name, which may also be the name of a tool.
pub(super) fn operation(name: &str) -> Option<&'static EntryOperation> {
    operations()
        .iter()
        .find(|known| known.name == name || known.tool == name)
}

/// Returns whether an edit of `edits` is one of a whole file.
pub(super) fn is_of_file(edit: &Map<String, Value>) -> bool {
    let op = edit.get("op").and_then(Value::as_str);
    let operation = op.and_then(operation);
    operation.is_some_and(|operation| operation.name.ends_with("_file"))
}

/// Returns the names of all fields that an edit of `edits` may have.
pub(super) fn operation_fields() -> Vec<&'static str> {
    let fields = operations().iter().flat_map(|known| &known.fields);
    fields.map(String::as_str).collect()
}

/// Returns the operations of `edits`, derived from the schema of an entry.
fn operations() -> &'static [EntryOperation] {
    static OPERATIONS: LazyLock<Vec<EntryOperation>> = LazyLock::new(|| {
        let schema = Value::Object(schema_of::<NodeEdit>());
        let keys = |schema: &Value| -> Vec<String> {
            let properties = schema["properties"].as_object();
            properties.map_or_else(Vec::new, |all| all.keys().cloned().collect())
        };
        let names = |list: &Value| -> Vec<String> {
            let names = list.as_array().into_iter().flatten();
            let names = names.filter_map(Value::as_str);
            names.map(str::to_string).collect()
        };
        let form = |property: &Value| {
            let (values, fields) = (names(&property["enum"]), names(&property["required"]));
            match (values.as_slice(), fields.as_slice()) {
                ([], []) => String::new(),
                ([], fields) => format!(": an object with {}", fields.join(" and ")),
                (values, _) => format!(": one of {}", values.join(", ")),
            }
        };
        let required = |schema: &Value| -> Vec<(String, String)> {
            let names = names(&schema["required"]).into_iter();
            names
                .map(|name| (name.clone(), form(&schema["properties"][&name])))
                .collect()
        };
        let (common, mut needed) = (keys(&schema), required(&schema));
        let selector = form(&schema["properties"]["selector"]);
        needed.push(("selector".to_string(), selector));
        let all = schema["oneOf"].as_array().into_iter().flatten();
        let name = |own: &Value| {
            let name = own["properties"]["op"]["const"].as_str();
            name.unwrap_or_default().to_string()
        };
        let all = all.map(|own| {
            let name = name(own);
            let is_of_file = name.ends_with("_file");
            let is_common = |field: &&String| !is_of_file || *field == "file_path";
            EntryOperation {
                tool: match name.as_str() {
                    "replace_text" => name.clone(),
                    _ if is_of_file => name.clone(),
                    name => format!("{name}_node"),
                },
                fields: keys(own)
                    .into_iter()
                    .chain(common.iter().filter(is_common).cloned())
                    .collect(),
                required: match is_of_file {
                    true => required(own)
                        .into_iter()
                        .map(|(name, form)| match name.as_str() {
                            "to" => (name, ": the new path".to_string()),
                            _ => (name, form),
                        })
                        .collect(),
                    false => needed.iter().cloned().chain(required(own)).collect(),
                },
                name,
            }
        });
        all.collect()
    });
    &OPERATIONS
}

/// Accepts the argument names of other tools for parts of a place, and numbers as strings.
fn read_place(arguments: &mut Map<String, Value>) {
    for (other, own) in [("file_path", "file"), ("character", "column")] {
        if !arguments.contains_key(own)
            && let Some(value) = arguments.remove(other)
        {
            arguments.insert(own.to_string(), value);
        }
    }
    for name in ["line", "column", "max_items"] {
        if let Some(number) = arguments.get(name).and_then(integer) {
            arguments.insert(name.to_string(), json!(number));
        }
    }
}

/// Accepts the numbers of a search as strings, and `file_path` instead of `path`.
fn read_search(arguments: &mut Map<String, Value>) {
    if !arguments.contains_key("path")
        && let Some(path) = arguments.remove("file_path")
    {
        arguments.insert("path".to_string(), path);
    }
    read_match_numbers(arguments);
    for name in [
        "depth",
        "max_items",
        "max_bytes",
        "expect_matches",
        "max_files",
    ] {
        if let Some(number) = arguments.get(name).and_then(integer) {
            arguments.insert(name.to_string(), json!(number));
        }
    }
}

/// Accepts the numbers of matches as strings.
fn read_match_numbers(arguments: &mut Map<String, Value>) {
    for name in ["skip", "only"] {
        if let Some(Value::Array(numbers)) = arguments.get_mut(name) {
            for number in numbers {
                *number = integer(number).map_or(number.take(), |number| json!(number));
            }
        }
    }
}

/// Accepts booleans and numbers of blank lines as strings, and other spellings of positions.
fn read_flags(arguments: &mut Map<String, Value>) {
    read_blank_lines(arguments);
    if let Some(imports) = arguments.get_mut("imports") {
        *imports = from_string(imports.take());
    }
    for name in [
        "range",
        "apply",
        "include_attached",
        "imports",
        "unused",
        "rank",
        "skip_failing",
    ] {
        if let Some(value) = arguments.get_mut(name) {
            match value.as_str() {
                Some("true") => *value = Value::Bool(true),
                Some("false") => *value = Value::Bool(false),
                _ => {}
            }
        }
    }
    if let Some(position) = arguments.get_mut("position")
        && let Some(known) = position.as_str().and_then(position_spelt)
    {
        *position = json!(known);
    }
}

/// Accepts the numbers of `blank_lines` as strings, and the object as JSON text.
fn read_blank_lines(arguments: &mut Map<String, Value>) {
    let Some(given) = arguments.get_mut("blank_lines") else {
        return;
    };
    *given = without_nulls(from_string(given.take()));
    if let Value::Object(sides) = given {
        for number in sides.values_mut() {
            if let Some(read) = integer(number) {
                *number = json!(read);
            }
        }
    }
}

/// Returns the position for another spelling, such as `FirstChild` or `first-child`.
fn position_spelt(given: &str) -> Option<&'static str> {
    let bare = |name: &str| name.replace(['-', '_'], "").to_lowercase();
    ["before", "after", "first_child", "last_child"]
        .into_iter()
        .find(|known| bare(known) == bare(given))
}

/// Reads the changes of kept edits. They are merged into the kept arguments and checked together with these.
fn read_amendments(arguments: &mut Map<String, Value>, known: &[String]) -> Result<(), Diagnostic> {
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    let hidden = [
        "imports",
        "blank_lines",
        "include_attached",
        "expect_matches",
        "selectors",
        "create",
    ];
    let accepted: Vec<&str> = known.iter().copied().chain(hidden).collect();
    if let Some(edits) = arguments.get_mut("edits") {
        *edits = match from_string(edits.take()) {
            edit @ Value::Object(_) => json!([edit]),
            edits => edits,
        };
        let of_entry: Vec<&str> = accepted
            .iter()
            .copied()
            .filter(|name| !["edit_id", "edits", "apply"].contains(name))
            .collect();
        for edit in edits.as_array_mut().into_iter().flatten() {
            let Value::Object(mut fields) = without_nulls(from_string(edit.take())) else {
                let message = "each of edits must be an object with edit_index";
                return Err(diagnostic::about_arguments(message));
            };
            read_amendment(&mut fields, &of_entry)?;
            if !fields.contains_key("edit_index") && !fields.contains_key("op") {
                let message = "each of edits needs edit_index, from 0, or the op of an edit to add";
                return Err(diagnostic::about_arguments(message));
            }
            *edit = Value::Object(fields);
        }
    }
    read_match_numbers(arguments);
    let of_rewrite = ["skip", "only", "skip_failing"];
    let accepted: Vec<&str> = accepted.into_iter().chain(of_rewrite).collect();
    read_amendment(arguments, &accepted)
}

/// Reads the changes of one kept edit.
fn read_amendment(fields: &mut Map<String, Value>, known: &[&str]) -> Result<(), Diagnostic> {
    for name in ["selector", "to"] {
        if let Some(value) = fields.get_mut(name) {
            *value = without_nulls(from_string(value.take()));
        }
    }
    if let Some(Value::Object(to)) = fields.get_mut("to") {
        gather_selector(to);
        read_flags(to);
        // An amendment may change only a field of the selector.
        let mut others = to.clone();
        others.retain(|name, _| !SELECTOR_FIELDS.contains(&name.as_str()));
        let known = ["file_path", "selector", "position", "create"];
        refuse_unknown(&others, "to.", &known, SELECTOR_FIELDS)?;
        check_scope(to.get("scope").unwrap_or(&Value::Null))?;
    }
    let to = fields.get("to").map(|to| &to["selector"]);
    for selector in fields.get("selector").into_iter().chain(to) {
        check_selector_form(selector)?;
        check_scope(&selector["scope"])?;
    }
    check_scope(fields.get("scope").unwrap_or(&Value::Null))?;
    for name in ["edit_index", "expect_matches"] {
        if let Some(number) = fields.get(name).and_then(integer) {
            fields.insert(name.to_string(), json!(number));
        }
    }
    read_paths(fields)?;
    read_selectors(fields)?;
    for name in ["find", "new_content", "op"] {
        if let Some(value) = fields.get(name).filter(|value| !value.is_string()) {
            let message = format!("{name} must be a string, not {value}");
            return Err(diagnostic::about_arguments(message));
        }
    }
    read_flags(fields);
    if let Some(list) = fields.get_mut("allow") {
        *list = match from_string(list.take()) {
            Value::String(one) => json!([one]),
            list => list,
        };
    }
    let known: Vec<&str> = known.iter().chain(SELECTOR_FIELDS).copied().collect();
    refuse_unknown(fields, "", &known, &[])
}

/// Returns the field names of a request, in the order of its schema. Generates the schema once for each type.
pub(super) fn fields_of<T: JsonSchema + 'static>() -> Arc<[String]> {
    static FIELDS: LazyLock<Mutex<HashMap<TypeId, Arc<[String]>>>> = LazyLock::new(Mutex::default);
    let mut fields = FIELDS.lock().unwrap_or_else(PoisonError::into_inner);
    let of_type = fields.entry(TypeId::of::<T>()).or_insert_with(|| {
        let schema = schema_of::<T>();
        let properties = schema.get("properties").and_then(Value::as_object);
        let names = properties.map(|properties| properties.keys().cloned().collect());
        names.unwrap_or_default()
    });
    of_type.clone()
}

/// Parses a JSON object or array that was passed as a string, and keeps another string as it is.
pub(in crate::engine) fn from_string(value: Value) -> Value {
    match &value {
        Value::String(text) if is_structure(text) => serde_json::from_str(text).unwrap_or(value),
        _ => value,
    }
}

/// Returns whether a text may be a JSON object or array.
fn is_structure(text: &str) -> bool {
    text.trim_start().starts_with(['{', '['])
}

pub(in crate::engine) fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(object) => Value::Object(
            object
                .into_iter()
                .filter(|(_, value)| !value.is_null())
                .map(|(name, value)| (name, without_nulls(value)))
                .collect(),
        ),
        other => other,
    }
}

/// The fields of a selector that name its node, of which it has one.
pub(super) const ANCHOR_FIELDS: &[&str] = &["anchor_text", "find", "pattern", "text"];
pub(super) const SELECTOR_FIELDS: &[&str] = &[
    "anchor_text",
    "find",
    "pattern",
    "text",
    "ancestor_node_type",
    "scope",
    "nth",
    "outward",
    "sibling",
];

/// Moves selector fields next to the other arguments into the selector.
pub(super) fn gather_selector(arguments: &mut Map<String, Value>) {
    if let Some(selector) = arguments.get_mut("selector") {
        *selector = without_nulls(from_string(selector.take()));
    }
    let mut anchors = ANCHOR_FIELDS.iter();
    let has_anchor = anchors.any(|name| arguments.contains_key(*name));
    let is_object = arguments.get("selector").is_none_or(Value::is_object);
    if !is_object || !(has_anchor || arguments.contains_key("selector")) {
        return;
    }
    let mut selector = match arguments.remove("selector") {
        Some(Value::Object(selector)) => selector,
        _ => Map::new(),
    };
    for field in SELECTOR_FIELDS {
        if !selector.contains_key(*field)
            && let Some(value) = arguments.remove(*field)
        {
            selector.insert(field.to_string(), value);
        }
    }
    arguments.insert("selector".to_string(), Value::Object(selector));
}

/// Splits a selector into the `find` and `scope` arguments of a tool that has no selector.
fn spread_selector(arguments: &mut Map<String, Value>) -> Result<(), Diagnostic> {
    if let Some(selector) = arguments.remove("selector") {
        let read = serde_json::from_value::<SelectorArgument>(selector);
        let SelectorArgument(selector) =
            read.map_err(|error| diagnostic::about_arguments(error.to_string()))?;
        let selector = part_selector(&selector).map_err(diagnostic::about_arguments)?;
        let mut spread = vec![("find", json!(selector.anchor.as_str()))];
        spread.extend(
            selector
                .scope
                .as_ref()
                .map(|scope| ("scope", scope_value(scope))),
        );
        for (name, value) in spread {
            if arguments.insert(name.to_string(), value).is_some() {
                let message = format!("{name} is set twice, in selector and next to it");
                return Err(diagnostic::about_arguments(message));
            }
        }
    }
    if !arguments.contains_key("find")
        && let Some(text) = arguments.remove("anchor_text")
    {
        arguments.insert("find".to_string(), text);
    }
    check_scope(arguments.get("scope").unwrap_or(&Value::Null))
}

/// Moves a position, a range or a line of a compiler from `locate`, which a locator is expected in, to its own argument.
fn position_of_locator(arguments: &mut Map<String, Value>) {
    let Some(place) = arguments.get("locate").and_then(Value::as_str) else {
        return;
    };
    // Lines alone are a scope.
    let in_file = locate::split_path(place).ok().and_then(|(path, rest)| {
        let at = rest.strip_prefix(':')?;
        let (name, character) = match RangeArgument::read(at) {
            Ok(range) => ("range", range.start.character),
            Err(_) => ("position", PositionArgument::read(at).ok()?.at.character),
        };
        character?;
        Some([("file_path", json!(path)), (name, json!(at))])
    });
    let is_position = |read: &PositionArgument| {
        let is_locator = place.parse::<locate::Locate>().is_ok();
        read.file_path.is_some() && (read.at.character.is_some() || !is_locator)
    };
    if let Some(fields) = in_file {
        arguments.shift_remove("locate");
        arguments.extend(fields.map(|(name, value)| (name.to_string(), value)));
    } else if PositionArgument::read(place).is_ok_and(|read| is_position(&read)) {
        let place = arguments.shift_remove("locate");
        arguments.extend(place.map(|place| ("position".to_string(), place)));
    }
}

/// Moves lines from `selector` to `lines`, where a tool reads them: a selector selects a node.
fn lines_of_selector(arguments: &mut Map<String, Value>) {
    let selector = arguments.get("selector");
    let lines = match selector {
        Some(Value::Object(fields)) if fields.len() == 1 => fields.get("scope"),
        text @ Some(Value::String(_)) => text,
        _ => None,
    };
    let lines = lines.filter(|lines| {
        let scope = scope_from((*lines).clone());
        matches!(scope, Ok(Some(Scope::Lines(_))))
    });
    if let Some(lines) = lines.cloned() {
        arguments.remove("selector");
        arguments.insert("lines".to_string(), lines);
    }
}

/// Splits a place in `selector` into the file and the selector, if the arguments do not name the file.
///
/// # Errors
/// The quote of the path is not closed.
fn split_place(arguments: &mut Map<String, Value>) -> Result<(), Diagnostic> {
    if arguments.contains_key("file_path") {
        return Ok(());
    }
    let place = arguments.get("selector").and_then(Value::as_str);
    if let Some(place) = place.filter(|place| !is_structure(place)) {
        let (path, selector) = split_selector(place)?;
        if let Some(path) = path.filter(|_| !selector.is_empty()) {
            arguments.insert("selector".to_string(), json!(selector));
            arguments.insert("file_path".to_string(), json!(path));
        }
    }
    Ok(())
}

/// Splits a place into the path, if it has one, and the selector.
fn split_selector(place: &str) -> Result<(Option<String>, &str), Diagnostic> {
    let (path, rest) =
        locate::split_path(place).map_err(|error| diagnostic::about_locate_syntax(&error))?;
    let selector = rest.strip_prefix(':').unwrap_or(rest);
    Ok(((!path.is_empty()).then_some(path), selector))
}

/// Returns the fields of the destination that a place means: the selector, and the file if the place has a path. A symbol
/// alone is in the same file.
///
/// # Errors
/// The place has only a path, or its quote is not closed.
pub(super) fn destination_fields(place: &str) -> Result<Map<String, Value>, Diagnostic> {
    let (path, selector) = match split_selector(place)? {
        (Some(path), "") if !path.contains('/') => (None, place),
        split => split,
    };
    if selector.is_empty() {
        let message = format!("to: {place:?} selects no node");
        return Err(diagnostic::about_arguments(message)
            .help("write it as \"path:scope:type@text\", or \":type@text\" in the same file"));
    }
    let mut fields = Map::new();
    fields.insert("selector".to_string(), json!(selector));
    fields.extend(path.map(|path| ("file_path".to_string(), json!(path))));
    Ok(fields)
}

/// Reads the destination of a move.
fn read_destination(arguments: &mut Map<String, Value>) -> Result<(), Diagnostic> {
    let next_to = ["position", "create"].map(|name| (name, arguments.get(name).cloned()));
    let Some(to) = arguments.get_mut("to") else {
        return Ok(());
    };
    *to = without_nulls(from_string(to.take()));
    if let Value::String(place) = to {
        *to = Value::Object(destination_fields(place)?);
    }
    let Value::Object(object) = to else {
        return Ok(());
    };
    for (name, value) in next_to {
        if let Some(value) = value {
            object.entry(name).or_insert(value);
        }
    }
    gather_selector(object);
    read_flags(object);
    let known = ["file_path", "selector", "position", "create"];
    refuse_unknown(object, "to.", &known, SELECTOR_FIELDS)?;
    let mut needed = ["selector", "position"].iter();
    if let Some(missing) = needed.find(|name| !object.contains_key(**name)) {
        let message = format!("missing field `to.{missing}`");
        return Err(diagnostic::about_arguments(message));
    }
    let selector = &to["selector"];
    check_selector_form(selector)?;
    check_scope(&selector["scope"])?;
    // They are fields of the destination.
    arguments.retain(|name, _| !["position", "create"].contains(&name.as_str()));
    Ok(())
}

/// Refuses an invalid scope with its own code.
fn check_scope(scope: &Value) -> Result<(), Diagnostic> {
    match scope {
        Value::Null => Ok(()),
        scope => scope_from(scope.clone())
            .map(|_| ())
            .map_err(|problem| Diagnostic::new(Code::InvalidScope, problem)),
    }
}

/// Refuses the selector forms of other programs, and suggests the form to use.
fn check_selector_form(selector: &Value) -> Result<(), Diagnostic> {
    let Some(object) = selector.as_object() else {
        return Ok(());
    };
    let mut anchors = ANCHOR_FIELDS.iter();
    let has_anchor = anchors.any(|name| object.contains_key(*name));
    let old = [
        "position",
        "query",
        "name",
        "line",
        "column",
        "node_type",
        "type",
    ];
    let Some(field) = old
        .iter()
        .find(|field| object.contains_key(**field) && !has_anchor)
    else {
        return Ok(());
    };
    let given = |name: &str, otherwise: &str| {
        object
            .get(name)
            .and_then(Value::as_str)
            .unwrap_or(otherwise)
            .to_string()
    };
    let here = json!({
        "anchor_text": given("name", "<text in the node>"),
        "ancestor_node_type": given("node_type", "<its type>"),
    });
    Err(Diagnostic {
        help: Some(format!(
            "select the node by a text in it: {{\"selector\": {here}}}"
        )),
        ..Diagnostic::new(
            Code::UnsupportedSelector,
            format!("selectors by {field} are not supported"),
        )
    })
}

/// Reads an integer, which may also be a string.
pub(in crate::engine) fn integer(value: &Value) -> Option<i64> {
    match value {
        Value::String(text) => text.trim().parse().ok(),
        other => other.as_i64().or_else(|| {
            let float = other.as_f64()?;
            (float.fract() == 0.0 && float.abs() < 1e15).then_some(float as i64)
        }),
    }
}
