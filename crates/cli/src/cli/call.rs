//! Makes the call of a verb through the definition of its tool, which MCP and batches use too.
//!
//! A verb serializes as the arguments of its tool. Forms that exist only on the command line are
//! replaced before the engine reads the arguments: content from a file or standard input, the JSON
//! of `edit`, and a symbol as a selector.

use serde_json::{Map, Value};

use crate::user_files;
use treegraft::diagnostic::{Diagnostic, about_arguments};
use treegraft::engine::Engine;
use treegraft::engine::calls::Call;
use treegraft::engine::request::read_json;
use treegraft::engine::response::AnyAnswer;
use treegraft::engine::response::RefusedCall;
use treegraft::engine::tools::{self, Tool, ToolGroup};

/// The verbs that change a whole file, and the operation of `edit_nodes` that each of them makes.
const FILE_VERBS: &[(&str, &str)] = &[
    ("create", "create_file"),
    ("remove", "delete_file"),
    ("rename-file", "move_file"),
    ("organize", "organize_file"),
];
/// The field that holds this operation until the arguments are those of `edit_nodes`.
const FILE_OPERATION: &str = "file_operation";
/// The fields of such a verb that are arguments of the call.
const CALL_FIELDS: &[&str] = &["imports", "allow", "apply", "diff"];

use super::args::WorkspaceVerb;
use super::print::{Printer, User};
use super::selector;

/// The call of a verb, before it is made.
pub(super) struct PreparedCall {
    pub(super) tool: &'static Tool,
    /// The arguments of the tool.
    pub(super) arguments: Value,
    call: Call,
}

/// Reads the call of a verb.
///
/// # Errors
/// The arguments cannot be read.
pub(super) fn prepare(
    printer: &Printer,
    engine: &Engine,
    verb: &WorkspaceVerb,
) -> Result<PreparedCall, Box<RefusedCall>> {
    let (tool, mut given) = given(verb);
    if printer.is_for_a_person() {
        show_diff(tool, &mut given);
    }
    read(tool, given).map_err(|refused| engine.kept_unread(refused))
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

/// Returns the tool of a verb, and its arguments as the user passed them.
fn given(verb: &WorkspaceVerb) -> (&'static Tool, Map<String, Value>) {
    let named = serde_json::to_value(verb).expect("the arguments of a tool are plain data");
    let named = named.as_object().and_then(|named| named.iter().next());
    let (name, arguments) = named.expect("a verb has a name");
    let mut arguments = arguments.as_object().cloned().unwrap_or_default();
    let of_file = FILE_VERBS.iter().find(|(verb, _)| verb == name);
    let tool = match of_file {
        Some((_, operation)) => {
            arguments.insert(FILE_OPERATION.to_string(), Value::from(*operation));
            tools::tool("edit_nodes")
        }
        None => tools::tools().find(|tool| tool.verb == name),
    };
    (
        tool.expect("every verb that serializes has a tool"),
        arguments,
    )
}

/// Returns the arguments of `edit_nodes` for an operation on a whole file.
fn of_file(operation: Value, mut given: Map<String, Value>) -> Map<String, Value> {
    let mut arguments = Map::new();
    for name in CALL_FIELDS {
        arguments.extend(given.shift_remove_entry(*name));
    }
    given.insert("op".to_string(), operation);
    arguments.insert(
        "edits".to_string(),
        Value::Array(vec![Value::Object(given)]),
    );
    arguments
}

/// Requests the diff of an edit that is written without a preview, and the whole diff of a rewrite, unless the user passed
/// `--diff`.
fn show_diff(tool: &Tool, given: &mut Map<String, Value>) {
    let writes = given.get("apply") == Some(&Value::Bool(true)) || tool.verb == "rewrite";
    if let Some(diff) = given
        .get_mut("diff")
        .filter(|diff| writes && diff.is_null())
    {
        *diff = Value::from("full");
    }
}

fn read(tool: &'static Tool, given: Map<String, Value>) -> Result<PreparedCall, Box<RefusedCall>> {
    let arguments = with_files_read(given)
        .map_err(|diagnostic| Box::new(RefusedCall::of_call(tool.name, Value::Null, diagnostic)))?;
    let arguments = selector::completed(tool.name, arguments)?;
    let call = Call::read(tool.name, arguments.clone())?;
    Ok(PreparedCall {
        tool,
        arguments,
        call,
    })
}

/// Returns the arguments with the content of files, and without the options that the user did not
/// pass.
fn with_files_read(mut given: Map<String, Value>) -> Result<Map<String, Value>, Diagnostic> {
    read_content(&mut given)?;
    read_rule(&mut given)?;
    remove_unset(&mut given);
    if let Some(operation) = given.shift_remove(FILE_OPERATION) {
        return Ok(of_file(operation, given));
    }
    match given.shift_remove("edits") {
        Some(edits) => with_edits(&edits, given),
        None => Ok(given),
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
