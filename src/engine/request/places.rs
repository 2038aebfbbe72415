//! The arguments that name places: selectors, scopes and locators, as objects or strings.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value, json};

use crate::locate::{self, LineScope, Question, Scope, SymbolScope};
use crate::select::{Anchor, Selector, SelectorSyntaxError};

use super::read::{ANCHOR_FIELDS, SELECTOR_FIELDS, from_string, integer};
use super::schema::scope_schema;

/// A [`Selector`] as it is written in requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SelectorArgument(pub Selector);

/// An optional scope as it is written in requests.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScopeArgument(pub Option<Scope>);

/// A locator as it is written in requests: a string, or an object that can also choose a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocateArgument(pub locate::Question);

impl Serialize for SelectorArgument {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let selector = &self.0;
        let mut object = Map::new();
        match &selector.anchor {
            // Its scope is enough.
            Anchor::Symbol => None,
            Anchor::Any(text) => object.insert("text".to_string(), json!(text)),
            Anchor::Text(text) => object.insert("anchor_text".to_string(), json!(text)),
            Anchor::Find(find) | Anchor::Part(find) => {
                object.insert("find".to_string(), json!(find))
            }
            Anchor::Pattern(pattern) => object.insert("pattern".to_string(), json!(pattern)),
        };
        match selector.ancestor_node_type.as_slice() {
            [] => None,
            [one] => object.insert("ancestor_node_type".to_string(), json!(one)),
            many => object.insert("ancestor_node_type".to_string(), json!(many)),
        };
        if let Some(scope) = &selector.scope {
            object.insert("scope".to_string(), scope_value(scope));
        }
        if let Some(nth) = selector.nth {
            object.insert("nth".to_string(), json!(nth));
        }
        if selector.outward != 0 {
            object.insert("outward".to_string(), json!(selector.outward));
        }
        if selector.sibling != 0 {
            object.insert("sibling".to_string(), json!(selector.sibling));
        }
        object.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for SelectorArgument {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<SelectorArgument, D::Error> {
        let value = from_string(Value::deserialize(deserializer)?);
        let selector = match value {
            Value::Object(object) => selector_from_object(object),
            Value::String(text) => text
                .parse()
                .map_err(|error: SelectorSyntaxError| error.to_string()),
            _ => Err("a selector must be a string or an object".to_string()),
        };
        selector.map(SelectorArgument).map_err(D::Error::custom)
    }
}

/// Returns what a field of a selector means that holds its text. `text` is the text of a place.
fn anchor_from(field: &str, text: String) -> Anchor {
    match field {
        "find" => Anchor::Find(text),
        "pattern" => Anchor::Pattern(text),
        "text" => Anchor::Any(text),
        _ => Anchor::Text(text),
    }
}

fn selector_from_object(mut object: Map<String, Value>) -> Result<Selector, String> {
    let object = &mut object;
    let mut anchors = Vec::new();
    for name in ANCHOR_FIELDS {
        let text = text_field(object, "selector", name)?;
        anchors.extend(text.map(|text| anchor_from(name, text)));
    }
    let anchor = anchors.pop().unwrap_or(Anchor::Symbol);
    if !anchors.is_empty() {
        return Err("a selector has only one of anchor_text, find and pattern".to_string());
    }
    let ancestor_node_type = node_types(object.remove("ancestor_node_type").map(from_string))?;
    let scope = scope_field(object)?;
    if anchor == Anchor::Symbol && !matches!(scope, Some(Scope::Symbol(_))) {
        return Err("a selector needs anchor_text, some text in the node, or the symbol to select as its scope".to_string());
    }
    let mut number = |name: &str| match object.remove(name) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => match integer(&value) {
            Some(number) => Ok(Some(number)),
            None => Err(format!("selector.{name} must be an integer, not {value}")),
        },
    };
    let nth = match number("nth")?.map(usize::try_from) {
        None => None,
        Some(Ok(nth)) if nth > 0 => Some(nth),
        Some(_) => return Err("selector.nth counts from 1".to_string()),
    };
    let outward = usize::try_from(number("outward")?.unwrap_or(0))
        .map_err(|_| "selector.outward must not be negative".to_string())?;
    let sibling = isize::try_from(number("sibling")?.unwrap_or(0))
        .map_err(|_| "selector.sibling is too large".to_string())?;
    if let Some(unknown) = object.keys().next() {
        return Err(format!(
            "a selector has no field {unknown}; its fields are {}",
            SELECTOR_FIELDS.join(", ")
        ));
    }
    Ok(Selector {
        anchor,
        ancestor_node_type,
        scope,
        nth,
        outward,
        sibling,
    })
}

/// Removes a string field from `object`, the value of the argument `argument`.
fn text_field(
    object: &mut Map<String, Value>,
    argument: &str,
    name: &str,
) -> Result<Option<String>, String> {
    match object.remove(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(other) => Err(format!("{argument}.{name} must be a string, not {other}")),
    }
}

fn scope_field(object: &mut Map<String, Value>) -> Result<Option<Scope>, String> {
    match object.remove("scope") {
        None | Some(Value::Null) => Ok(None),
        Some(scope) => scope_from(scope),
    }
}

/// Reads one node type or a list of them.
fn node_types(value: Option<Value>) -> Result<Vec<String>, String> {
    match value {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::String(one)) if one.is_empty() => Ok(Vec::new()),
        Some(Value::String(one)) => Ok(vec![one]),
        Some(Value::Array(many)) => strings(many)
            .map_err(|other| format!("selector.ancestor_node_type must list strings, not {other}")),
        Some(other) => Err(format!(
            "selector.ancestor_node_type must be a string or a list, not {other}"
        )),
    }
}

/// Returns the strings of a list, or the first value that is not a string.
fn strings(list: Vec<Value>) -> Result<Vec<String>, Value> {
    let strings = list.into_iter().map(|one| match one {
        Value::String(one) => Ok(one),
        other => Err(other),
    });
    strings.collect()
}

/// A selector in its shortest form: a string if that is equivalent, else an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShortSelector(pub Selector);

impl Serialize for ShortSelector {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let selector = &self.0;
        let text = selector.to_string();
        let exact = |read: Selector| match (&read.anchor, &selector.anchor) {
            // In a file that contains the text, it is the same.
            (Anchor::Any(text), Anchor::Text(_)) => Selector {
                anchor: Anchor::Text(text.clone()),
                ..read
            },
            _ => read,
        };
        match text.parse::<Selector>().map(exact) {
            Ok(read) if read == *selector => serializer.serialize_str(&text),
            _ => SelectorArgument(selector.clone()).serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for ShortSelector {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<ShortSelector, D::Error> {
        SelectorArgument::deserialize(deserializer).map(|read| ShortSelector(read.0))
    }
}

impl JsonSchema for ShortSelector {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "ShortSelector".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": ["string", "object"]})
    }
}

impl ScopeArgument {
    pub(in crate::engine) fn is_none(&self) -> bool {
        self.0.is_none()
    }
}

impl Serialize for ScopeArgument {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.as_ref().map(scope_value).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for ScopeArgument {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<ScopeArgument, D::Error> {
        let scope = scope_from(Value::deserialize(deserializer)?);
        scope.map(ScopeArgument).map_err(D::Error::custom)
    }
}

impl Serialize for LocateArgument {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Question {
            locate,
            find_index,
            fuzzy,
        } = &self.0;
        if find_index.is_none() && !fuzzy {
            return serializer.serialize_str(&locate.to_string());
        }
        let mut object = Map::new();
        object.insert("file_path".to_string(), json!(locate.file_path));
        if let Some(scope) = &locate.scope {
            object.insert("scope".to_string(), scope_value(scope));
        }
        if let Some(find) = &locate.find {
            object.insert("find".to_string(), json!(find));
        }
        if let Some(find_index) = find_index {
            object.insert("find_index".to_string(), json!(find_index));
        }
        if *fuzzy {
            object.insert("fuzzy".to_string(), json!(true));
        }
        object.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for LocateArgument {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<LocateArgument, D::Error> {
        let value = from_string(Value::deserialize(deserializer)?);
        let located = match value {
            Value::String(text) => text
                .parse::<locate::Locate>()
                .map(Question::from)
                .map_err(|error| error.to_string()),
            Value::Object(object) => question_from_object(object),
            _ => Err("locate must be a string or an object".to_string()),
        };
        located.map(LocateArgument).map_err(D::Error::custom)
    }
}

fn question_from_object(mut object: Map<String, Value>) -> Result<Question, String> {
    let file_path = match object.remove("file_path") {
        Some(Value::String(path)) if !path.is_empty() => path,
        _ => return Err("locate needs file_path".to_string()),
    };
    let scope = scope_field(&mut object)?;
    let find = text_field(&mut object, "locate", "find")?.filter(|find| !find.is_empty());
    let find_index = match object.remove("find_index") {
        None | Some(Value::Null) => None,
        Some(value) => match integer(&value).map(usize::try_from) {
            Some(Ok(index)) if index > 0 => Some(index),
            _ => {
                return Err(format!(
                    "locate.find_index must be a number from 1, not {value}"
                ));
            }
        },
    };
    let fuzzy = match object.remove("fuzzy").map(from_string) {
        None | Some(Value::Null) => false,
        Some(Value::Bool(fuzzy)) => fuzzy,
        Some(Value::String(word)) if word == "true" || word == "false" => word == "true",
        Some(other) => return Err(format!("locate.fuzzy must be true or false, not {other}")),
    };
    if let Some(unknown) = object.keys().next() {
        return Err(format!(
            "locate has no field {unknown}; its fields are file_path, scope, find, find_index, fuzzy"
        ));
    }
    Ok(Question {
        locate: locate::Locate {
            file_path,
            scope,
            find,
        },
        find_index,
        fuzzy,
    })
}

pub(super) fn scope_value(scope: &Scope) -> Value {
    match scope {
        Scope::Symbol(symbol) => json!({"symbol_path": symbol.symbol_path}),
        Scope::Lines(lines) => match lines.last() {
            Some(last) if last == lines.first() => json!({"line": last}),
            last => json!({"line": [lines.first(), last.unwrap_or(0)]}),
        },
    }
}

/// Reads a scope: `{"symbol_path": [..]}`, `{"line": 42}`, `{"line": [10, 20]}`, `{"start_line", "end_line"}`
/// (`end_line` is exclusive, 0 means the end of the file), or the scope of a locator as a string.
pub(super) fn scope_from(value: Value) -> Result<Option<Scope>, String> {
    let mut object = match from_string(value) {
        Value::Object(object) => object,
        Value::String(text) => {
            return locate::parse_scope(&text).map_err(|error| error.to_string());
        }
        other => {
            return Err(format!(
                "a scope must be an object or a string, not {other}"
            ));
        }
    };
    object.retain(|_, value| !value.is_null());
    let forms: [&[&str]; 3] = [&["symbol_path"], &["line"], &["start_line", "end_line"]];
    let form = forms.iter().find(|form| object.contains_key(form[0]));
    let is_other = |name: &&String| form.is_some_and(|form| !form.contains(&name.as_str()));
    if let Some(other) = object.keys().find(is_other) {
        return Err(format!(
            "a scope has no field {other} next to {}; it is {{\"symbol_path\": [..]}}, {{\"line\": 42}} or \
             {{\"line\": [10, 20]}}",
            form.map_or("", |form| form[0])
        ));
    }
    if let Some(path) = object.get("symbol_path") {
        return symbol_scope(path.clone()).map(Some);
    }
    if let Some(line) = object.get("line") {
        return line_scope(line).map(Some);
    }
    let lines = match (
        object.get("start_line").and_then(integer),
        object.get("end_line").map(integer),
    ) {
        (Some(first), None) => line_range(first, first),
        (Some(first), Some(Some(0))) => line_range(first, 0),
        (Some(first), Some(Some(end))) if end > first => line_range(first, end - 1),
        _ => Err(
            "a scope is {\"symbol_path\": [..]}, {\"line\": 42} or {\"line\": [10, 20]}"
                .to_string(),
        ),
    };
    lines.map(Some)
}

/// Reads a list of names, or a symbol path as written in a locator.
fn symbol_scope(path: Value) -> Result<Scope, String> {
    let symbol_path = match from_string(path) {
        Value::Array(names) => {
            strings(names).map_err(|other| format!("symbol_path must list names, not {other}"))?
        }
        Value::String(text) => match locate::parse_scope(&text) {
            Ok(Some(scope @ Scope::Symbol(_))) => return Ok(scope),
            _ => vec![text],
        },
        other => return Err(format!("symbol_path must be a list of names, not {other}")),
    };
    Ok(Scope::Symbol(SymbolScope { symbol_path }))
}

/// Reads a line number, or a pair of the first and last line.
fn line_scope(line: &Value) -> Result<Scope, String> {
    let (first, last) = match from_string(line.clone()) {
        Value::Array(pair) => match pair.iter().map(integer).collect::<Vec<_>>()[..] {
            [Some(one)] => (one, one),
            [Some(first), Some(last)] => (first, last),
            _ => {
                return Err(format!(
                    "line must be a number or a pair of numbers, not {line}"
                ));
            }
        },
        one => match integer(&one) {
            Some(0) => return Err("lines count from 1".to_string()),
            Some(one) => (one, one),
            None => {
                return Err(format!(
                    "line must be a number or a pair of numbers, not {line}"
                ));
            }
        },
    };
    line_range(first, last)
}

fn line_range(first: i64, last: i64) -> Result<Scope, String> {
    let (Ok(first), Ok(last)) = (usize::try_from(first), usize::try_from(last)) else {
        return Err("lines count from 1".to_string());
    };
    LineScope::range(first, last)
        .map(Scope::Lines)
        .map_err(|error| error.to_string())
}

impl JsonSchema for SelectorArgument {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Selector".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let scope = scope_schema(generator);
        json_schema!({
            "type": ["object", "string"],
            "properties": {
                "anchor_text": {
                    "type": "string",
                    "description": "Exact text in the node."
                },
                "find": {
                    "type": "string",
                    "description": "Instead: whitespace between tokens may differ; `<|>` marks a token."
                },
                "pattern": {
                    "type": "string",
                    "description": "Instead: as in find_nodes; needs no type."
                },
                "ancestor_node_type": {
                    "type": "string",
                    "description": "Type of the node at or around the anchor: a tree-sitter type or a general word (function, class, argument, ...)."
                },
                "scope": scope,
                "nth": {"type": "integer", "description": "n-th candidate, from 1, in file order."},
                "outward": {"type": "integer", "description": "n-th further enclosing node of the type."},
                "sibling": {"type": "integer", "description": "n-th following sibling; preceding, if negative."}
            }
        })
    }
}

impl JsonSchema for LocateArgument {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Locate".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": ["string", "object"]})
    }
}
