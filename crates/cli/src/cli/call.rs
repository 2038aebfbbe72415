//! Makes the call of a verb through the definition of its tool, which MCP and batches use too.
//!
//! A verb serializes as the arguments of its tool. Forms that exist only on the command line are
//! replaced before the engine reads the arguments: content from a file or standard input, the JSON
//! of `edit`, and several places.

use serde_json::{Map, Value};

use crate::user_files;
use treegraft::diagnostic::{Diagnostic, about_arguments};
use treegraft::engine::Engine;
use treegraft::engine::calls::Call;
use treegraft::engine::request::read_json;
use treegraft::engine::response::AnyAnswer;
use treegraft::engine::response::RefusedCall;
use treegraft::engine::tools::{self, Effect, Tool, ToolGroup};
use treegraft::locate::{Scope, parse_scope};

/// The verbs that change a whole file, and the operation of `edit_nodes` that each of them makes.
const FILE_VERBS: &[(&str, &str)] = &[
    ("file create", "create_file"),
    ("file delete", "delete_file"),
    ("file move", "move_file"),
    ("file organize", "organize_file"),
];
/// The name of the tool that makes several edits.
const EDIT_NODES: &str = "edit_nodes";
/// The fields of an edit that are arguments of the whole call of `edit_nodes`.
const CALL_FIELDS: &[&str] = &["imports", "allow", "apply", "diff"];

use super::args::WorkspaceVerb;
use super::print::{Printer, User};
use super::selector::Places;

/// A tool, and the arguments of each call of it.
type ToolCalls = (&'static Tool, Vec<Map<String, Value>>);

/// The call of a verb, before it is made.
pub(super) struct PreparedCall {
    pub(super) tool: &'static Tool,
    /// The arguments of the tool.
    pub(super) arguments: Value,
    call: Call,
}

/// Reads the call of a verb; several calls if it reads several places.
///
/// # Errors
/// The arguments cannot be read.
pub(super) fn prepare(
    printer: &Printer,
    engine: &Engine,
    verb: &WorkspaceVerb,
) -> Result<Vec<PreparedCall>, Box<RefusedCall>> {
    let (name, arguments) = named(verb);
    let operation = FILE_VERBS.iter().find(|(verb, _)| *verb == name);
    let tool = match operation {
        Some(_) => tools::tool(EDIT_NODES),
        None => tools::tools().find(|tool| tool.verb == name),
    };
    let tool = tool.expect("every verb that serializes has a tool");
    let refused = |diagnostic| RefusedCall::of_call(tool.name, Value::Null, diagnostic);
    let operation = operation.map(|(_, operation)| *operation);
    let (tool, all) = completed(engine, tool, operation, arguments)
        .map_err(|diagnostic| Box::new(refused(diagnostic)))?;
    let prepared = all.into_iter().map(|mut arguments| {
        if printer.is_for_a_person() {
            show_diff(tool, &mut arguments);
        }
        let arguments = Value::Object(arguments);
        match Call::read(tool.name, arguments.clone()) {
            Ok(call) => Ok(PreparedCall {
                tool,
                arguments,
                call,
            }),
            Err(refused) => Err(engine.kept_unread(refused)),
        }
    });
    prepared.collect()
}

impl PreparedCall {
    /// Makes the call, and shows its progress.
    ///
    /// # Errors
    /// The engine refuses the call.
    pub(super) fn make(
        self,
        printer: &Printer,
        engine: &Engine,
    ) -> Result<Box<dyn AnyAnswer>, Box<RefusedCall>> {
        match self.tool.group == ToolGroup::Server {
            true => printer.waiting(|| self.call.make(engine, &User)),
            false => printer.watching("files", |watch| self.call.make(engine, watch)),
        }
    }
}

/// Returns the name of a verb, with that of its group, and its arguments as the user passed them.
fn named(verb: &WorkspaceVerb) -> (String, Map<String, Value>) {
    let mut names = Vec::new();
    let mut value = serde_json::to_value(verb).expect("the arguments of a tool are plain data");
    let levels = match verb {
        WorkspaceVerb::File(_) | WorkspaceVerb::Lsp(_) => 2,
        _ => 1,
    };
    for _ in 0..levels {
        let only = value.as_object_mut().map(std::mem::take);
        let (name, inner) = only
            .into_iter()
            .flatten()
            .next()
            .expect("a verb has a name");
        names.push(name);
        value = inner;
    }
    let arguments = value.as_object_mut().map(std::mem::take);
    (names.join(" "), arguments.unwrap_or_default())
}

/// Moves the arguments of an edit into the list of edits of a call.
fn with_edits_of(
    entries: Vec<Map<String, Value>>,
    mut given: Map<String, Value>,
) -> Map<String, Value> {
    let mut arguments = Map::new();
    for name in CALL_FIELDS {
        arguments.extend(given.shift_remove_entry(*name));
    }
    let edits = entries.into_iter().map(|mut entry| {
        entry.extend(given.clone());
        Value::Object(entry)
    });
    arguments.insert("edits".to_string(), edits.collect());
    arguments
}

/// Requests the diff of an edit that is written without a preview, and the whole diff of a rewrite, unless the user passed
/// `--diff`.
fn show_diff(tool: &Tool, given: &mut Map<String, Value>) {
    let writes = given.get("apply") == Some(&Value::Bool(true)) || tool.verb == "rewrite";
    let has_diff = matches!(tool.effect, Effect::PreviewsOrWrites) || tool.verb == "undo";
    if writes && has_diff {
        given.entry("diff").or_insert_with(|| Value::from("full"));
    }
}

/// Returns the tool that makes the calls, and the arguments of each with the content of files, without the options that
/// the user did not pass.
fn completed(
    engine: &Engine,
    tool: &'static Tool,
    operation: Option<&str>,
    mut given: Map<String, Value>,
) -> Result<ToolCalls, Diagnostic> {
    read_content(&mut given)?;
    read_rule(&mut given)?;
    remove_unset(&mut given);
    if let Some(operation) = operation {
        let entry = Map::from_iter([("op".to_string(), Value::from(operation))]);
        return Ok((tool, vec![with_edits_of(vec![entry], given)]));
    }
    if let Some(places) = Places::take(&mut given)? {
        return match tool.group {
            ToolGroup::Edit => pointed(tool, &places, given),
            _ => Ok((tool, places.of_files(engine, &given))),
        };
    }
    if given.contains_key("edit_id") {
        amended(&mut given);
    }
    let arguments = match given.shift_remove("edits") {
        Some(edits) => with_edits(&edits, given)?,
        None => given,
    };
    Ok((tool, vec![arguments]))
}

/// Returns the call of an edit of places: that of its tool for one file, else one that makes several edits.
fn pointed(
    tool: &'static Tool,
    places: &Places,
    mut given: Map<String, Value>,
) -> Result<ToolCalls, Diagnostic> {
    if let Some(path) = places.without_selector() {
        return Err(about_arguments(format!("{path} is a file; the edit needs a place in it")).help(
            format!(
                "add a symbol ({path}:name) or a type and a text ('{path}:type@text'), or pass --anchor and --ancestor"
            ),
        ));
    }
    if let Some(single) = places.single() {
        given.extend(single);
        return Ok((tool, vec![given]));
    }
    let several = tools::tool(EDIT_NODES).expect("there is a tool for several edits");
    let op = tool.name.trim_end_matches("_node");
    let entries = places.all().into_iter().map(|mut entry| {
        entry.insert("op".to_string(), Value::from(op));
        entry
    });
    Ok((several, vec![with_edits_of(entries.collect(), given)]))
}

/// Combines the selector of an amendment with the options that change parts of it.
fn amended(given: &mut Map<String, Value>) {
    let parts = given.shift_remove("parts");
    let parts = parts.filter(|parts| parts.as_object().is_some_and(|parts| !parts.is_empty()));
    if let Some(parts) = parts
        && !given.contains_key("selector")
    {
        let is_scope = parts.as_object().is_some_and(|parts| parts.len() == 1);
        let symbol = parts["scope"].as_str().filter(|_| is_scope);
        let symbol =
            symbol.filter(|scope| matches!(parse_scope(scope), Ok(Some(Scope::Symbol(_)))));
        // A symbol alone is selected itself.
        let selector = symbol.map_or(parts.clone(), Value::from);
        given.insert("selector".to_string(), selector);
    }
}

/// Replaces a file name, or `-` for standard input, by the content of the file.
fn read_content(arguments: &mut Map<String, Value>) -> Result<(), Diagnostic> {
    let file = arguments.shift_remove("content_file");
    let Some(content) = arguments.get_mut("new_content") else {
        return Ok(());
    };
    let file = match file.as_ref().and_then(Value::as_str) {
        None => content.as_str().filter(|content| *content == "-"),
        file => file,
    };
    if let Some(file) = file {
        *content = Value::String(read_text(file)?);
    }
    Ok(())
}

/// Replaces the rule file `-` by the text on standard input. Other files are read by the engine.
fn read_rule(arguments: &mut Map<String, Value>) -> Result<(), Diagnostic> {
    if let Some(rule) = arguments.get_mut("rule")
        && rule["path"] == "-"
    {
        *rule = Value::String(read_text("-")?);
    }
    Ok(())
}

/// Removes the options that the user did not pass, also in nested objects.
fn remove_unset(arguments: &mut Map<String, Value>) {
    arguments.retain(|_, value| match value {
        Value::Null | Value::Bool(false) => false,
        Value::Array(values) => !values.is_empty(),
        Value::Object(fields) => {
            remove_unset(fields);
            true
        }
        _ => true,
    });
}

/// Parses the JSON of `edit`: a list of edits, or the arguments of `edit_nodes`. `options` override
/// these arguments.
fn with_edits(
    edits: &Value,
    options: Map<String, Value>,
) -> Result<Map<String, Value>, Diagnostic> {
    let given = edits.as_str().unwrap_or_default();
    let text = match given.strip_prefix('@') {
        Some(file) => read_text(file)?,
        None if given == "-" => read_text("-")?,
        None => given.to_string(),
    };
    let edits = read_json(&text)
        .map_err(|error| about_arguments(format!("the edits are not valid JSON: {error}")))?;
    let mut arguments = match edits {
        Value::Object(arguments) if arguments.contains_key("edits") => arguments,
        edits => Map::from_iter([("edits".to_string(), edits)]),
    };
    arguments.extend(options);
    Ok(arguments)
}

/// Reads a file of the user, or standard input for `-`.
fn read_text(file: &str) -> Result<String, Diagnostic> {
    let bytes = match file {
        "-" => user_files::read_standard_input(),
        file => user_files::read(file.into()),
    };
    let bytes =
        bytes.map_err(|error| about_arguments(format!("cannot read the content: {error}")))?;
    String::from_utf8(bytes).map_err(|_| about_arguments("the content is not UTF-8"))
}
