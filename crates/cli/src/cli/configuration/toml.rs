//! TOML, with the formatting kept.

use toml_edit::{Array, DocumentMut, Item, Table, TableLike, Value};

use super::{ConfigChange, NotMerged, ServerEntry, lower};

/// A document with its line ending. toml_edit rewrites all line endings.
fn parse(text: &str) -> Result<(DocumentMut, bool), NotMerged> {
    let ends = text.matches('\n').count();
    let is_windows = match text.matches("\r\n").count() {
        0 => false,
        both if both == ends => true,
        _ => return Err(NotMerged::MixedLineEndings),
    };
    let read = text.replace("\r\n", "\n");
    let document = read.parse::<DocumentMut>().map_err(|error| {
        let before = error.span().map_or("", |span| &read[..span.start]);
        NotMerged::Unreadable {
            line: before.matches('\n').count() + 1,
            message: lower(error.message().lines().next().unwrap_or_default()),
        }
    })?;
    Ok((document, is_windows))
}

fn written(document: &DocumentMut, is_windows: bool) -> String {
    let text = document.to_string();
    match is_windows {
        true => text.replace('\n', "\r\n"),
        false => text,
    }
}

fn no_table(what: &str) -> NotMerged {
    NotMerged::NoTable {
        what: what.to_string(),
    }
}

pub(super) fn merge(
    text: &str,
    servers: &str,
    name: &str,
    entry: &ServerEntry,
) -> Result<(String, ConfigChange), NotMerged> {
    let (mut document, is_windows) = parse(text)?;
    let table = document.entry(servers).or_insert_with(|| {
        let mut table = Table::new();
        table.set_implicit(true);
        Item::Table(table)
    });
    let table = table.as_table_like_mut().ok_or_else(|| no_table(servers))?;
    let fields = fields(entry);
    let known = table.get_mut(name).and_then(Item::as_table_like_mut);
    let change = match known {
        Some(known) if known.contains_key("command") => set_fields(known, fields),
        _ => {
            let change = match table.contains_key(name) {
                true => ConfigChange::Replaced,
                false => ConfigChange::Added,
            };
            table.insert(name, Item::Table(fields.into_iter().collect()));
            change
        }
    };
    Ok((written(&document, is_windows), change))
}

pub(super) fn read_server(
    text: &str,
    servers: &str,
    name: &str,
) -> Result<Option<Vec<String>>, NotMerged> {
    let (document, _) = parse(text)?;
    let Some(table) = document.get(servers) else {
        return Ok(None);
    };
    let table = table.as_table_like().ok_or_else(|| no_table(servers))?;
    let server = table.get(name).and_then(Item::as_table_like);
    Ok(server.map(|server| {
        let words = |key| {
            let words = server.get(key).and_then(Item::as_value).and_then(words);
            let words = words.map(|(_, words)| words).unwrap_or_default();
            words.into_iter().map(str::to_string).collect::<Vec<_>>()
        };
        [words("command"), words("args")].concat()
    }))
}

pub(super) fn without_server(
    text: &str,
    servers: &str,
    name: &str,
    keeps_table: bool,
) -> Result<String, NotMerged> {
    let (mut document, is_windows) = parse(text)?;
    let Some(item) = document.get_mut(servers) else {
        return Ok(text.to_string());
    };
    let table = item.as_table_like_mut().ok_or_else(|| no_table(servers))?;
    if table.remove(name).is_none() {
        return Ok(text.to_string());
    }
    if table.is_empty() && !keeps_table {
        document.remove(servers);
    }
    Ok(written(&document, is_windows))
}

pub(super) fn has_key(text: &str, servers: &str) -> bool {
    parse(text).is_ok_and(|(document, _)| document.contains_key(servers))
}

/// Sets the fields that differ.
fn set_fields(table: &mut dyn TableLike, fields: Vec<(&'static str, Value)>) -> ConfigChange {
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

fn fields(entry: &ServerEntry) -> Vec<(&'static str, Value)> {
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
