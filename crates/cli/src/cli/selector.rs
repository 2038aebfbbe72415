//! The options that select a node: a selector as one string, its parts as options, or a symbol
//! alone.
//!
//! Refuses options that select no node.

use clap::Args;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

use treegraft::diagnostic::about_arguments;
use treegraft::engine::request::SelectorArgument;
use treegraft::engine::response::RefusedCall;

#[derive(Debug, Args, Serialize)]
pub(super) struct SelectorOptions {
    /// Node to select: [scope:][type]@text, as `find` prints it, a symbol such as Server.handle, or a
    /// JSON selector
    #[arg(
        value_name = "SELECTOR",
        value_parser = read_selector,
        conflicts_with_all = ["anchor", "find", "pattern", "ancestor", "symbol", "lines"]
    )]
    #[serde(flatten)]
    selector: Option<SelectorArgument>,
    /// Select by this exact text in the node
    #[arg(
        long,
        value_name = "TEXT",
        allow_hyphen_values = true,
        conflicts_with = "find"
    )]
    #[serde(rename = "anchor_text", skip_serializing_if = "Option::is_none")]
    anchor: Option<String>,
    /// Select by a text whose whitespace may differ, instead of --anchor; <|> marks a token of it
    #[arg(long, value_name = "PATTERN", allow_hyphen_values = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    find: Option<String>,
    /// Select by the code of the node, in which $NAME matches one node and $$$NAME any number; needs
    /// no type
    #[arg(
        long,
        value_name = "CODE",
        allow_hyphen_values = true,
        conflicts_with_all = ["anchor", "find"]
    )]
    #[serde(skip_serializing_if = "Option::is_none")]
    pattern: Option<String>,
    /// Set the node type, or a general word: function, class, argument, ... (repeatable)
    #[arg(long, value_name = "TYPE")]
    #[serde(rename = "ancestor_node_type", skip_serializing_if = "Vec::is_empty")]
    ancestor: Vec<String>,
    /// Search only in this symbol, for example Server.handle; alone, select the symbol itself
    #[arg(long, value_name = "PATH", conflicts_with = "lines")]
    #[serde(
        rename = "scope",
        serialize_with = "symbol_scope",
        skip_serializing_if = "Option::is_none"
    )]
    symbol: Option<String>,
    /// Search only in these lines, for example 10-20
    #[arg(long, value_name = "LINES")]
    #[serde(rename = "scope", skip_serializing_if = "Option::is_none")]
    lines: Option<String>,
    /// Select the N-th of several matching nodes, from 1
    #[arg(long, value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    nth: Option<usize>,
    /// Select the N-th enclosing node of the same type
    #[arg(long, value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    outward: Option<usize>,
    /// Select the N-th named sibling after the node, or before it if N is negative
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    sibling: Option<isize>,
}

/// Parses a selector written as one string.
pub(super) fn read_selector(text: &str) -> Result<SelectorArgument, String> {
    let read = serde_json::from_value(json!(text));
    read.map_err(|error| error.to_string().replace("@anchor_text", "@text"))
}

/// Serializes the path of a symbol as a scope.
pub(super) fn symbol_scope<S: Serializer>(
    path: &Option<String>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let scope = path.as_ref().map(|path| json!({"symbol_path": path}));
    scope.serialize(serializer)
}

/// Completes a call whose selector comes from [`SelectorOptions`].
///
/// # Errors
/// The options select no node.
pub(super) fn completed(
    tool: &'static str,
    mut arguments: Map<String, Value>,
) -> Result<Value, Box<RefusedCall>> {
    let is_amendment = arguments.contains_key("edit_id");
    if is_amendment {
        // The parts that the user did not pass stay as they are.
        let is_empty = |value: &Value| value.as_object().is_some_and(Map::is_empty);
        arguments
            .retain(|name, value| !["selector", "to"].contains(&name.as_str()) || !is_empty(value));
    }
    let Some(selector) = arguments.get("selector") else {
        return Ok(Value::Object(arguments));
    };
    let has = |name: &str| selector.get(name).is_some();
    if has("anchor_text") || has("find") || has("pattern") {
        return Ok(Value::Object(arguments));
    }
    let is_symbol = !selector["scope"]["symbol_path"].is_null();
    if is_symbol && is_amendment && selector.as_object().is_some_and(|all| all.len() == 1) {
        // As a string, it replaces the whole selector.
        if let Ok(SelectorArgument(symbol)) = serde_json::from_value(selector.clone()) {
            arguments.insert("selector".to_string(), json!(symbol.to_string()));
        }
    }
    if is_symbol || is_amendment {
        return Ok(Value::Object(arguments));
    }
    let message =
        "pass a selector, --anchor, --find or --pattern; --symbol alone selects the symbol";
    Err(Box::new(RefusedCall::of_call(
        tool,
        Value::Object(arguments),
        about_arguments(message),
    )))
}
