//! Generates the Python sources that follow from the tools: the types of answers, and the methods of `Engine`.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde_json::{Map, Value, json};
use treegraft::diagnostic::Code;
use treegraft::engine::request::{NodeEdit, named_schema_of, schema_of};
use treegraft::engine::response::{LanguageList, NodeTypes};
use treegraft::engine::tools::{Tool, ToolGroup, tools};

/// The maximum length of a line.
const WIDTH: usize = 120;

/// Returns the types of all answers.
pub(super) fn answers() -> String {
    let mut types = Types::default();
    for tool in tools() {
        types.add((tool.schemas.named_answer)());
    }
    types.add(named_schema_of::<LanguageList>());
    types.add(named_schema_of::<NodeTypes>());
    let mut text = String::from(
        "\"\"\"The types of answers, generated from those of the library.\n\n\
         `TREEGRAFT_RECORD=1 cargo test -p treegraft-cli --test main --all-features -- python::` writes this file.\n\
         \"\"\"\n\n\
         from __future__ import annotations\n\n\
         from collections.abc import Mapping\n\
         from dataclasses import dataclass\n\
         from typing import Any, Literal\n\n",
    );
    let names = types.0.keys().map(String::as_str).chain(["Code"]);
    let mut names: Vec<String> = names.map(|name| format!("    \"{name}\",\n")).collect();
    names.sort();
    let _ = write!(text, "__all__ = [\n{}]\n\n", names.concat());
    let codes = Code::ALL.iter().map(|code| code.as_str());
    push_literal(&mut text, "Code", codes, "The code of a refusal.");
    for (name, schema) in &types.0 {
        match names_of_enum(schema) {
            Some(names) => {
                let description = description(schema).unwrap_or_default();
                push_literal(&mut text, name, names.into_iter(), &description);
            }
            None => types.push_class(&mut text, name, schema),
        }
    }
    text
}

/// The definitions of all schemas by name.
#[derive(Default)]
struct Types(BTreeMap<String, Value>);

/// A type in Python, and the expression that reads it from `{}`.
struct PythonType {
    name: String,
    read: String,
    /// The value if the field is absent.
    absent: &'static str,
}

impl PythonType {
    fn plain(name: &str, absent: &'static str) -> PythonType {
        PythonType {
            name: name.to_string(),
            read: "{}".to_string(),
            absent,
        }
    }

    fn is_read_as_is(&self) -> bool {
        self.read == "{}"
    }
}

impl Types {
    fn add(&mut self, mut schema: Map<String, Value>) {
        let definitions = schema.remove("$defs");
        let name = schema["title"].as_str().expect("a type has a name");
        let own = std::iter::once((name.to_string(), Value::Object(schema.clone())));
        let others = definitions.as_ref().and_then(Value::as_object).cloned();
        for (name, mut schema) in own.chain(others.into_iter().flatten()) {
            if let Some(schema) = schema.as_object_mut() {
                schema.remove("title");
            }
            let known = self.0.insert(name.clone(), schema.clone());
            assert!(
                known.is_none_or(|known| known == schema),
                "two types are called {name}"
            );
        }
    }

    fn push_class(&self, text: &mut String, name: &str, schema: &Value) {
        let required = schema["required"].as_array().cloned().unwrap_or_default();
        let is_required = |name: &str| required.iter().any(|one| one == name);
        let _ = write!(
            text,
            "\n@dataclass(frozen=True, kw_only=True)\nclass {name}:\n"
        );
        let about = description(schema).unwrap_or_default();
        push_docstring(text, "    ", &about);
        let fields = schema["properties"].as_object();
        let mut read = String::new();
        for (field, schema) in fields.into_iter().flatten() {
            let python = self.python_type(schema);
            let given = format!("data[\"{field}\"]");
            let (annotation, default, value) = if is_required(field) {
                (python.name, None, python.read.replace("{}", &given))
            } else {
                let given = format!("data.get(\"{field}\")");
                let value = match (python.is_read_as_is(), python.absent) {
                    (true, "None") => given,
                    (true, absent) => format!("data.get(\"{field}\", {absent})"),
                    (false, "()") => python
                        .read
                        .replace("{}", &format!("data.get(\"{field}\", ())")),
                    (false, _) => {
                        let value = python.read.replace("{}", &format!("data[\"{field}\"]"));
                        format!("{value} if \"{field}\" in data else None")
                    }
                };
                let annotation = match python.absent {
                    "None" if python.name != "Any" => format!("{} | None", python.name),
                    _ => python.name,
                };
                (annotation, Some(python.absent), value)
            };
            let default = default
                .map(|value| format!(" = {value}"))
                .unwrap_or_default();
            let _ = write!(text, "\n    {field}: {annotation}{default}\n");
            push_docstring(text, "    ", &description(schema).unwrap_or_default());
            let _ = writeln!(read, "            {field}={value},");
        }
        for extra in EXTRAS.iter().filter(|(of, _)| of == &name) {
            let _ = write!(text, "\n{}", extra.1);
        }
        let _ = write!(
            text,
            "\n    @staticmethod\n    def from_json(data: Mapping[str, Any]) -> {name}:\n        \
             \"\"\"Reads the JSON form of the answer.\"\"\"\n        return {name}(\n{read}        )\n\n"
        );
    }

    fn python_type(&self, schema: &Value) -> PythonType {
        if let Some(name) = reference(schema) {
            return match self.0.get(name).map(|of| names_of_enum(of).is_some()) {
                Some(true) => PythonType::plain(name, "None"),
                _ => PythonType {
                    name: name.to_string(),
                    read: format!("{name}.from_json({{}})"),
                    absent: "None",
                },
            };
        }
        if let Some(options) = schema["anyOf"].as_array() {
            let other: Vec<&Value> = options.iter().filter(|one| one["type"] != "null").collect();
            assert_eq!(other.len(), 1, "a type or null: {schema}");
            return PythonType {
                absent: "None",
                ..self.python_type(other[0])
            };
        }
        let is_nullable = types_of(schema).contains(&"null");
        let types: Vec<&str> = types_of(schema)
            .into_iter()
            .filter(|one| *one != "null")
            .collect();
        let absent = |value: &'static str| if is_nullable { "None" } else { value };
        match types.as_slice() {
            ["string"] if schema["enum"].is_array() => {
                PythonType::plain(&literal(strings(&schema["enum"])), absent("None"))
            }
            ["string"] => PythonType::plain("str", absent("\"\"")),
            ["integer"] => PythonType::plain("int", absent("0")),
            ["number"] => PythonType::plain("float", absent("0.0")),
            ["boolean"] => PythonType::plain("bool", absent("False")),
            ["object"] => PythonType::plain("dict[str, Any]", absent("None")),
            ["string", "object"] | ["object", "string"] => {
                PythonType::plain("str | dict[str, Any]", absent("None"))
            }
            ["array"] if schema["prefixItems"].is_array() => {
                let items = schema["prefixItems"].as_array().into_iter().flatten();
                let items: Vec<String> = items.map(|item| self.python_type(item).name).collect();
                PythonType {
                    name: format!("tuple[{}]", items.join(", ")),
                    read: "tuple({})".to_string(),
                    absent: absent("()"),
                }
            }
            ["array"] => {
                let item = self.python_type(&schema["items"]);
                let read = match item.is_read_as_is() {
                    true => "tuple({})".to_string(),
                    false => format!(
                        "tuple([{} for one in {{}}])",
                        item.read.replace("{}", "one")
                    ),
                };
                PythonType {
                    name: format!("tuple[{}, ...]", item.name),
                    read,
                    absent: absent("()"),
                }
            }
            [] if schema.as_bool() == Some(true) || schema.is_object() => {
                PythonType::plain("Any", "None")
            }
            _ => panic!("no Python type for {schema}"),
        }
    }
}

/// Members that have no field of their own.
const EXTRAS: &[(&str, &str)] = &[(
    "EditMade",
    "    @property\n    def diff(self) -> str:\n        \"\"\"The unified diff of all files, as far as the answer shows it.\"\"\"\n        \
     return \"\".join([file.diff for file in self.files if file.diff is not None])\n",
)];

/// Arguments that have the same type in all tools. Only one documents it.
const DOCUMENTED: (&str, &[&str]) = (
    "replace_node",
    &["selector", "indent", "allow", "file_path"],
);

/// Optional arguments that need no name in a call. In other tools without required arguments, the first one needs none.
const WITHOUT_NAME: &[(&str, &[&str])] = &[
    ("locate", &["locate"]),
    ("read_node", &["file_path", "selector"]),
    ("rewrite", &["pattern", "new_content", "path"]),
];

/// Returns the class `Engine`, with a method for each tool.
pub(super) fn engine() -> String {
    let documented = tools()
        .find(|tool| tool.name == DOCUMENTED.0)
        .expect("the tool exists");
    let documented = (documented.schemas.input)();
    let mut inputs = Inputs {
        documented,
        classes: Vec::new(),
    };
    // It has the complete types of the arguments that other tools abbreviate.
    inputs.class("NodeEdit", &edit_schema());
    let mut answers: Vec<String> = Vec::new();
    let mut methods = String::new();
    for tool in tools() {
        let answer = answer_of(tool);
        inputs.push_method(&mut methods, tool, &answer);
        answers.push(answer);
    }
    answers.sort();
    answers.dedup();
    let mut text = String::from(
        "\"\"\"`Engine`, generated from the tools of the library.\n\n\
         `TREEGRAFT_RECORD=1 cargo test -p treegraft-cli --test main --all-features -- python::` writes this file.\n\
         \"\"\"\n\n\
         from __future__ import annotations\n\n\
         from collections.abc import Mapping, Sequence\n\
         from typing import Any, Literal, TypedDict\n\n\
         from ._answers import (\n",
    );
    for answer in &answers {
        let _ = writeln!(text, "    {answer},");
    }
    text.push_str(")\nfrom ._base import EngineBase\n\n");
    let _ = write!(
        text,
        "Answer = (\n    {}\n)\n\"\"\"The answer of any tool.\"\"\"\n\n",
        answers.join("\n    | ")
    );
    for (_, class) in &inputs.classes {
        let _ = write!(text, "\n{class}\n");
    }
    text.push_str(
        "\nclass Engine(EngineBase):\n    \"\"\"Edits and reads the files below its roots. Each tool is a method.\n\n    \
         Edits are staged: a method such as `replace_node` returns a preview with an `edit_id`, and `apply_edit` writes it.\n    \
         With `apply=True` it is written at once. Several threads may use one engine at the same time.\n    \"\"\"\n\n    \
         __slots__ = ()\n",
    );
    text.push_str(&methods);
    text.push_str(
        "\n    def call(self, tool: str, arguments: Mapping[str, Any]) -> Answer:\n        \
         \"\"\"Makes a call by the name of its tool, such as a suggestion of a refusal.\"\"\"\n        \
         # The library refuses an unknown tool.\n        kind = _ANSWERS.get(tool, EditMade)\n        \
         return self._call(kind, tool, dict(arguments))\n",
    );
    text.push_str("\n\n_ANSWERS: dict[str, type[Answer]] = {\n");
    for tool in tools() {
        let _ = writeln!(text, "    \"{}\": {},", tool.name, answer_of(tool));
    }
    text.push_str("}\n");
    text
}

/// The types of arguments.
struct Inputs {
    documented: Map<String, Value>,
    /// The classes of arguments by name.
    classes: Vec<(String, String)>,
}

impl Inputs {
    fn push_method(&mut self, text: &mut String, tool: &Tool, answer: &str) {
        let input = (tool.schemas.input)();
        let required = strings(input.get("required").unwrap_or(&Value::Null));
        let properties = input["properties"]
            .as_object()
            .expect("arguments are an object")
            .clone();
        let is_required = |name: &str| required.contains(&name);
        let mut positional = vec!["self".to_string()];
        let mut keywords = Vec::new();
        let mut arguments = Vec::new();
        let mut about = String::new();
        let without_name = WITHOUT_NAME.iter().find(|(of, _)| *of == tool.name);
        let without_name = match (without_name, properties.keys().next()) {
            (Some((_, names)), _) => names.to_vec(),
            (None, Some(first)) if required.is_empty() => vec![first.as_str()],
            (None, _) => Vec::new(),
        };
        for (name, schema) in &properties {
            let (kind, described) = self.argument(name, schema);
            let is_flag = kind == "bool";
            if is_required(name) {
                positional.push(format!("{name}: {kind}"));
            } else if without_name.contains(&name.as_str()) {
                positional.push(format!("{name}: {kind} | None = None"));
            } else if is_flag {
                keywords.push(format!("{name}: bool = False"));
            } else {
                keywords.push(format!("{name}: {kind} | None = None"));
            }
            arguments.push(match is_flag {
                true => format!("\"{name}\": {name} or None"),
                false => format!("\"{name}\": {name}"),
            });
            if let Some(described) = described {
                let line = format!("{name}: {described}");
                push_wrapped(&mut about, "            ", "                ", &line);
            }
        }
        let mut parameters = positional;
        if !keywords.is_empty() {
            parameters.push("*".to_string());
            parameters.extend(keywords);
        }
        let _ = write!(
            text,
            "\n    def {}(\n        {},\n    ) -> {answer}:\n",
            tool.name,
            parameters.join(",\n        ")
        );
        let (summary, example) = tool
            .description
            .split_once(" Example: ")
            .unwrap_or_else(|| panic!("{} has an example", tool.name));
        let example: Value = serde_json::from_str(example).expect("an example is JSON");
        let words = example.as_object().expect("arguments are an object");
        let words = words
            .iter()
            .map(|(name, value)| format!("{name}={}", python(value)));
        let words: Vec<String> = words.collect();
        let mut example = format!("engine.{}({})", tool.name, words.join(", "));
        if example.len() + 12 > WIDTH {
            let words = words.join(",\n                ");
            example = format!(
                "engine.{}(\n                {words},\n            )",
                tool.name
            );
        }
        let mut docs = String::new();
        let mut summary = summary.to_string();
        if tool.group == ToolGroup::Server {
            summary.push_str(" Needs a language server.");
        }
        let (first, rest) = match summary.find(". ") {
            Some(end) => summary.split_at(end + 1),
            None => (summary.as_str(), ""),
        };
        push_wrapped(&mut docs, "        \"\"\"", "        ", first);
        if !rest.is_empty() {
            docs.push('\n');
            push_wrapped(&mut docs, "        ", "        ", rest.trim());
        }
        let _ = write!(
            docs,
            "\n        Example:\n            {}\n",
            escaped(&example)
        );
        if !about.is_empty() {
            let _ = write!(docs, "\n        Args:\n{about}");
        }
        docs.push_str("        \"\"\"\n");
        text.push_str(&docs);
        let _ = write!(
            text,
            "        arguments: dict[str, object] = {{\n            {},\n        }}\n        \
             return self._call({answer}, \"{}\", arguments)\n",
            arguments.join(",\n            "),
            tool.name
        );
    }

    /// Returns the type of an argument and its description.
    fn argument(&mut self, name: &str, schema: &Value) -> (String, Option<String>) {
        let mut own = schema.clone();
        let is_short = |schema: &Value| {
            [
                &schema["properties"],
                &schema["enum"],
                &schema["items"]["enum"],
            ]
            .iter()
            .all(|part| part.is_null())
        };
        let described = description(schema).filter(|text| !text.starts_with("As in replace_node"));
        let full = self.documented["properties"].get(name).cloned();
        let full = full.filter(|_| DOCUMENTED.1.contains(&name));
        if let Some(full) = &full
            && is_short(schema)
            && types_of(schema)
                .iter()
                .all(|one| types_of(full).contains(one))
        {
            own = full.clone();
        }
        let described = described.or_else(|| description(&own));
        if name == "edits"
            && types_of(schema) == ["array"]
            && !schema["items"]["properties"].is_null()
        {
            let class = self.class("NodeEdit", &edit_schema());
            return (format!("Sequence[{class}]"), described);
        }
        (self.kind(name, &own), described)
    }

    fn kind(&mut self, name: &str, schema: &Value) -> String {
        if let Some(names) = schema["enum"].as_array() {
            let names: Vec<&str> = names.iter().filter_map(Value::as_str).collect();
            return literal(names);
        }
        let has_fields = !schema["properties"].is_null() || self.has_class(&class_name(name));
        match types_of(schema).as_slice() {
            ["string"] => "str".to_string(),
            ["integer"] => "int".to_string(),
            ["boolean"] => "bool".to_string(),
            ["object"] if has_fields => self.class(&class_name(name), schema),
            ["object"] => "Mapping[str, object]".to_string(),
            ["string", "object"] | ["object", "string"] if has_fields => {
                format!("str | {}", self.class(&class_name(name), schema))
            }
            ["string", "object"] | ["object", "string"] => "str | Mapping[str, object]".to_string(),
            ["string", "array"] => "str | Sequence[str]".to_string(),
            ["array"] if schema["prefixItems"].is_array() => {
                let items = schema["prefixItems"].as_array().into_iter().flatten();
                let items: Vec<String> = items.map(|item| self.kind(name, item)).collect();
                format!("tuple[{}]", items.join(", "))
            }
            ["array"] if schema["items"].is_object() => {
                format!("Sequence[{}]", self.kind(name, &schema["items"]))
            }
            ["array"] => "Sequence[object]".to_string(),
            _ => "object".to_string(),
        }
    }

    fn has_class(&self, name: &str) -> bool {
        self.classes.iter().any(|(known, _)| known == name)
    }

    /// Returns the name of the class of a schema with fields.
    fn class(&mut self, name: &str, schema: &Value) -> String {
        if self.has_class(name) {
            return name.to_string();
        }
        let fields = schema["properties"]
            .as_object()
            .cloned()
            .unwrap_or_default();
        let mut text = format!("class {name}(TypedDict, total=False):\n");
        push_docstring(
            &mut text,
            "    ",
            &match name {
                "Selector" => "Selects one node.".to_string(),
                "NodeEdit" => {
                    "An edit of `edit_nodes`. Each operation takes the arguments of its tool."
                        .to_string()
                }
                "Destination" => "The destination of a moved node.".to_string(),
                "BlankLines" => {
                    "The exact numbers of blank lines around inserted text.".to_string()
                }
                _ => panic!("no description of {name}"),
            },
        );
        for (field, schema) in &fields {
            let (kind, described) = match field.as_str() {
                "selectors" => {
                    let (one, _) = self.argument("selector", &schema["items"]);
                    (format!("Sequence[{one}]"), description(schema))
                }
                _ => self.argument(field, schema),
            };
            let kind = match (name, field.as_str()) {
                // The path of a moved file.
                ("NodeEdit", "to") => format!("{kind} | str"),
                _ => kind,
            };
            let _ = write!(text, "\n    {field}: {kind}\n");
            push_docstring(&mut text, "    ", &described.unwrap_or_default());
        }
        self.classes.push((name.to_string(), text));
        name.to_string()
    }
}

/// Returns the schema of one of several edits: the fields of all operations, and those of replace_text that other tools have
/// in a selector.
fn edit_schema() -> Value {
    let schema = schema_of::<NodeEdit>();
    let mut fields = Map::new();
    let variants = schema["oneOf"]
        .as_array()
        .expect("an edit has an operation");
    let operations = variants
        .iter()
        .map(|variant| &variant["properties"]["op"]["const"]);
    let operations: Vec<Value> = operations.cloned().collect();
    let op =
        json!({"enum": operations, "description": "Default: replace, or replace_text with find."});
    fields.insert("op".to_string(), op);
    let replace_text = tools()
        .find(|tool| tool.name == "replace_text")
        .expect("the tool exists");
    let replace_text = (replace_text.schemas.input)();
    let of_text = ["find", "scope"].map(|name| (name, &replace_text["properties"][name]));
    let own = [&Value::Object(schema.clone())];
    let all = own.into_iter().chain(variants);
    let all = all.flat_map(|one| one["properties"].as_object().into_iter().flatten());
    let all = all.map(|(name, schema)| (name.as_str(), schema));
    for (name, schema) in all.chain(of_text) {
        fields.entry(name).or_insert_with(|| schema.clone());
    }
    json!({"type": "object", "properties": fields})
}

/// Returns the name of the class for an argument with fields.
fn class_name(argument: &str) -> String {
    match argument {
        "to" => "Destination".to_string(),
        _ => argument.split('_').map(capitalized).collect(),
    }
}

fn capitalized(word: &str) -> String {
    let mut letters = word.chars();
    letters
        .next()
        .map(|first| first.to_ascii_uppercase())
        .into_iter()
        .chain(letters)
        .collect()
}

fn answer_of(tool: &Tool) -> String {
    let schema = (tool.schemas.named_answer)();
    schema["title"]
        .as_str()
        .expect("an answer has a name")
        .to_string()
}

/// Returns a value as an expression.
fn python(value: &Value) -> String {
    match value {
        Value::Null => "None".to_string(),
        Value::Bool(true) => "True".to_string(),
        Value::Bool(false) => "False".to_string(),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(python).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(fields) => {
            let fields = fields
                .iter()
                .map(|(name, value)| format!("\"{name}\": {}", python(value)));
            format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
        }
        Value::Number(_) | Value::String(_) => value.to_string(),
    }
}

fn push_literal<'a>(
    text: &mut String,
    name: &str,
    names: impl Iterator<Item = &'a str>,
    description: &str,
) {
    let names: Vec<String> = names.map(|name| format!("    \"{name}\",\n")).collect();
    let _ = write!(text, "{name} = Literal[\n{}]\n", names.concat());
    push_docstring(text, "", description);
    text.push('\n');
}

fn literal(names: Vec<&str>) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
    format!("Literal[{}]", names.join(", "))
}

/// Appends a docstring, unless it is empty.
fn push_docstring(text: &mut String, indent: &str, docs: &str) {
    if docs.is_empty() {
        return;
    }
    let line = format!("{indent}\"\"\"{}\"\"\"\n", escaped(docs));
    if line.len() <= WIDTH {
        text.push_str(&line);
        return;
    }
    push_wrapped(text, &format!("{indent}\"\"\""), indent, &escaped(docs));
    let _ = writeln!(text, "{indent}\"\"\"");
}

/// Appends a paragraph in lines of at most `WIDTH`.
fn push_wrapped(text: &mut String, first: &str, other: &str, paragraph: &str) {
    let mut line = first.to_string();
    let mut is_empty = true;
    for word in paragraph.split(' ') {
        if !is_empty && line.len() + 1 + word.len() > WIDTH {
            let _ = writeln!(text, "{line}");
            line = other.to_string();
            is_empty = true;
        }
        if !is_empty {
            line.push(' ');
        }
        line.push_str(word);
        is_empty = false;
    }
    let _ = writeln!(text, "{line}");
}

fn escaped(docs: &str) -> String {
    docs.replace('\\', "\\\\").replace("\"\"\"", "\\\"\\\"\\\"")
}

fn description(schema: &Value) -> Option<String> {
    let text = schema["description"].as_str()?;
    Some(text.replace('\n', " ")).filter(|text| !text.is_empty())
}

fn reference(schema: &Value) -> Option<&str> {
    schema["$ref"].as_str()?.strip_prefix("#/$defs/")
}

/// Returns the types of a schema.
fn types_of(schema: &Value) -> Vec<&str> {
    match &schema["type"] {
        Value::String(one) => vec![one],
        types => strings(types),
    }
}

fn strings(value: &Value) -> Vec<&str> {
    value
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect()
}

/// Returns the names of an enumeration.
fn names_of_enum(schema: &Value) -> Option<Vec<&str>> {
    if schema["enum"].is_array() {
        return Some(strings(&schema["enum"]));
    }
    let options = schema["oneOf"].as_array()?;
    let mut names = Vec::new();
    for option in options {
        match option["const"].as_str() {
            Some(name) => names.push(name),
            None => names.extend(strings(&option["enum"])),
        }
    }
    (!names.is_empty()).then_some(names)
}
