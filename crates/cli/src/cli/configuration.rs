//! Adds a server to the text of a client's configuration, and keeps every other byte.
//!
//! Refuses a text that does not parse, or that has a value of another type where a table of servers
//! is expected. The JSON of some clients allows comments and trailing commas, which are errors in
//! the JSON grammar. Therefore this module uses two libraries that preserve the formatting, instead
//! of syntax nodes.

use jsonc_parser::cst::{CstInputValue, CstObject, CstRootNode};
use jsonc_parser::{ParseOptions, json};
use toml_edit::{Array, DocumentMut, Item, Table, TableLike, Value};

/// How a client's configuration is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ConfigFormat {
    /// Plain JSON.
    Json,
    /// JSON with comments and trailing commas.
    JsonWithComments,
    /// TOML.
    Toml,
}

/// The configuration of one server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ServerEntry {
    /// Its transport, if the client requires one.
    pub(super) kind: Option<&'static str>,
    /// The program that the client starts.
    pub(super) command: String,
    /// Its arguments.
    pub(super) arguments: Vec<String>,
}

/// A configuration with the server.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Merged {
    pub(super) text: String,
    pub(super) change: ConfigChange,
}

/// How the configuration changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ConfigChange {
    /// No server had the name.
    Added,
    /// The server with the name had another command or other arguments.
    Replaced,
    /// The server is configured already.
    Same,
}

/// Why a server cannot be added to a configuration.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum NotMerged {
    #[error("line {line}: {message}")]
    Unreadable { line: usize, message: String },
    #[error("{what} is not a table of keys and values")]
    NoTable { what: String },
    #[error("{what} is defined twice")]
    Twice { what: String },
    #[error("mixed line endings")]
    MixedLineEndings,
}

/// Returns the text of a file with the named server among its `servers`.
///
/// If a server with the name is started by a command, it keeps its other settings (`env`,
/// timeouts). A server of another kind is replaced completely.
pub(super) fn merge(
    format: ConfigFormat,
    text: &str,
    servers: &str,
    name: &str,
    entry: &ServerEntry,
) -> Result<Merged, NotMerged> {
    const MARK: &str = "\u{feff}";
    let (mark, bare) = match text.strip_prefix(MARK) {
        Some(bare) => (MARK, bare),
        None => ("", text),
    };
    let (merged, change) = match format {
        ConfigFormat::Json => {
            strict(bare)?;
            merge_json(bare, servers, name, entry)?
        }
        ConfigFormat::JsonWithComments => merge_json(bare, servers, name, entry)?,
        ConfigFormat::Toml => merge_toml(bare, servers, name, entry)?,
    };
    Ok(Merged {
        text: match change {
            ConfigChange::Same => text.to_string(),
            _ => format!("{mark}{merged}"),
        },
        change,
    })
}

/// Refuses text that is not plain JSON; accepts an empty file.
fn strict(text: &str) -> Result<(), NotMerged> {
    if text.trim().is_empty() {
        return Ok(());
    }
    let read = serde_json::from_str::<serde::de::IgnoredAny>(text);
    read.map(drop).map_err(|error| {
        let message = error.to_string();
        // The refusal reports the line itself.
        let message = message.split(" at line ").next().unwrap_or_default();
        NotMerged::Unreadable {
            line: error.line(),
            message: message.to_string(),
        }
    })
}

fn with_comments() -> ParseOptions {
    ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

fn merge_json(
    text: &str,
    servers: &str,
    name: &str,
    entry: &ServerEntry,
) -> Result<(String, ConfigChange), NotMerged> {
    let root =
        CstRootNode::parse(text, &with_comments()).map_err(|error| NotMerged::Unreadable {
            line: error.line_display(),
            message: lower(&error.kind().to_string()),
        })?;
    let no_table = |what: &str| NotMerged::NoTable {
        what: what.to_string(),
    };
    let whole = root
        .object_value_or_create()
        .ok_or_else(|| no_table("the file"))?;
    once(&whole, servers)?;
    let table = match whole.get(servers) {
        Some(property) => property.object_value().ok_or_else(|| no_table(servers))?,
        None => {
            let property = whole.append(servers, json!({}));
            property.object_value().ok_or_else(|| no_table(servers))?
        }
    };
    once(&table, name)?;
    let fields = json_fields(entry);
    let change = match table.get(name) {
        None => {
            table.append(name, CstInputValue::Object(fields));
            ConfigChange::Added
        }
        Some(property) => match property.object_value() {
            Some(known) if known.get("command").is_some() => set_json(&known, fields)?,
            _ => {
                property.set_value(CstInputValue::Object(fields));
                ConfigChange::Replaced
            }
        },
    };
    let mut merged = root.to_string();
    if text.trim().is_empty() && !merged.ends_with('\n') {
        merged.push('\n');
    }
    Ok((merged, change))
}

/// Sets the fields that differ.
fn set_json(
    table: &CstObject,
    fields: Vec<(String, CstInputValue)>,
) -> Result<ConfigChange, NotMerged> {
    let mut change = ConfigChange::Same;
    for (key, value) in fields {
        once(table, &key)?;
        let known = table.get(&key);
        let text = known.as_ref().and_then(|known| known.to_serde_value());
        if text == Some(plain(&value)) {
            continue;
        }
        change = ConfigChange::Replaced;
        match known {
            Some(known) => known.set_value(value),
            None => drop(table.append(&key, value)),
        }
    }
    Ok(change)
}

/// Refuses a duplicate key: parsers disagree on which of two equal keys is used.
fn once(table: &CstObject, key: &str) -> Result<(), NotMerged> {
    let names = table.properties().into_iter();
    let names = names.filter_map(|property| property.decoded_name());
    match names.filter(|name| name == key).count() {
        0 | 1 => Ok(()),
        _ => Err(NotMerged::Twice {
            what: key.to_string(),
        }),
    }
}

fn json_fields(entry: &ServerEntry) -> Vec<(String, CstInputValue)> {
    let text = |text: &str| CstInputValue::String(text.to_string());
    let arguments = entry.arguments.iter().map(|one| text(one)).collect();
    let kind = entry.kind.map(|kind| ("type".to_string(), text(kind)));
    let rest = [
        ("command".to_string(), text(&entry.command)),
        ("args".to_string(), CstInputValue::Array(arguments)),
    ];
    kind.into_iter().chain(rest).collect()
}

/// Returns the value that [`json_fields`] writes, as it is read.
fn plain(value: &CstInputValue) -> serde_json::Value {
    match value {
        CstInputValue::Array(values) => values.iter().map(plain).collect(),
        CstInputValue::String(text) => text.as_str().into(),
        _ => serde_json::Value::Null,
    }
}

fn merge_toml(
    text: &str,
    servers: &str,
    name: &str,
    entry: &ServerEntry,
) -> Result<(String, ConfigChange), NotMerged> {
    // toml_edit rewrites all line endings.
    let ends = text.matches('\n').count();
    let is_windows = match text.matches("\r\n").count() {
        0 => false,
        both if both == ends => true,
        _ => return Err(NotMerged::MixedLineEndings),
    };
    let read = text.replace("\r\n", "\n");
    let mut document = read.parse::<DocumentMut>().map_err(|error| {
        let before = error.span().map_or("", |span| &read[..span.start]);
        NotMerged::Unreadable {
            line: before.matches('\n').count() + 1,
            message: lower(error.message().lines().next().unwrap_or_default()),
        }
    })?;
    let no_table = |what: &str| NotMerged::NoTable {
        what: what.to_string(),
    };
    let table = document.entry(servers).or_insert_with(|| {
        let mut table = Table::new();
        table.set_implicit(true);
        Item::Table(table)
    });
    let table = table.as_table_like_mut().ok_or_else(|| no_table(servers))?;
    let fields = toml_fields(entry);
    let known = table.get_mut(name).and_then(Item::as_table_like_mut);
    let change = match known {
        Some(known) if known.contains_key("command") => set_toml(known, fields),
        _ => {
            let change = match table.contains_key(name) {
                true => ConfigChange::Replaced,
                false => ConfigChange::Added,
            };
            table.insert(name, Item::Table(fields.into_iter().collect()));
            change
        }
    };
    let merged = document.to_string();
    let merged = match is_windows {
        true => merged.replace('\n', "\r\n"),
        false => merged,
    };
    Ok((merged, change))
}

/// Sets the fields that differ.
fn set_toml(table: &mut dyn TableLike, fields: Vec<(&'static str, Value)>) -> ConfigChange {
    let mut change = ConfigChange::Same;
    for (key, mut value) in fields {
        let known = table.get(key).and_then(Item::as_value);
        if known.and_then(words) == words(&value) {
            continue;
        }
        change = ConfigChange::Replaced;
        if let Some(known) = known {
            *value.decor_mut() = known.decor().clone();
        }
        match table.get_mut(key) {
            Some(known) => *known = Item::Value(value),
            None => drop(table.insert(key, Item::Value(value))),
        }
    }
    change
}

fn toml_fields(entry: &ServerEntry) -> Vec<(&'static str, Value)> {
    let arguments = entry.arguments.iter().map(String::as_str);
    let kind = entry.kind.map(|kind| ("type", Value::from(kind)));
    let rest = [
        ("command", Value::from(entry.command.as_str())),
        ("args", Value::Array(arguments.collect::<Array>())),
    ];
    kind.into_iter().chain(rest).collect()
}

/// Returns the strings in a value, and whether it is a list; `None` if it contains anything else.
fn words(value: &Value) -> Option<(bool, Vec<&str>)> {
    match value {
        Value::String(text) => Some((false, vec![text.value()])),
        Value::Array(values) => {
            let words: Option<Vec<&str>> = values.iter().map(Value::as_str).collect();
            Some((true, words?))
        }
        _ => None,
    }
}

/// Returns a message that starts with a lower case letter, as refusals do.
fn lower(message: &str) -> String {
    let mut chars = message.chars();
    let first = chars.next().map(|first| first.to_lowercase().to_string());
    first.unwrap_or_default() + chars.as_str()
}
