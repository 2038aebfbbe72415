//! The teaching examples (`examples/teaching/`): makes every call of every example, in order, over
//! a copy of the project next to them with a real language server, and compares the answers with
//! the recorded ones.
//!
//! `TREEGRAFT_RECORD=1` records the answers again.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use camino::Utf8PathBuf;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use tempfile::TempDir;
use treegraft::engine::Engine;
use treegraft::lsp::configuration::{Configuration, ServerConfiguration};

use crate::support::{call, steady};
use crate::tools;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/teaching");
/// The minimum number of examples per category.
const CATEGORIES: [(&str, usize); 6] = [
    ("definition", 15),
    ("references", 15),
    ("fields", 15),
    ("steps", 15),
    ("direct", 15),
    ("codemods", 7),
];
/// Replaces the id of an edit.
const EDIT: &str = "e000000000000";

/// A question and its answer. The fields have the same order as the keys in the file.
#[derive(Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Example {
    id: String,
    category: String,
    question: String,
    turns: Vec<Turn>,
    conclusion: String,
}

#[derive(Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Turn {
    tool: String,
    arguments: Value,
    answer: Value,
}

/// A fresh copy of the project, with an engine over it.
struct ProjectCopy {
    engine: Engine,
    root: PathBuf,
    server: Utf8PathBuf,
    _directory: TempDir,
}

impl ProjectCopy {
    fn new(server: &Path) -> ProjectCopy {
        let directory = TempDir::new().expect("a temporary directory can be created");
        let place = directory.path().canonicalize().expect("it exists");
        let root = place.join("project");
        for (name, text) in project() {
            let path = root.join(name);
            fs::create_dir_all(path.parent().expect("the path has a parent"))
                .expect("the folder can be created");
            fs::write(path, text).expect("a file of the project");
        }
        let state = utf8(&place.join("state"));
        let server = utf8(server);
        let ty = ServerConfiguration {
            command: Some(vec![server.to_string(), "server".to_string()]),
            enabled: true,
            ..ServerConfiguration::default()
        };
        let engine = Engine::open(&[utf8(&root)], Some(&state))
            .expect("temporary directories can be opened")
            .with_servers(Configuration::default().with("python", ty));
        ProjectCopy {
            engine,
            root,
            server,
            _directory: directory,
        }
    }

    /// Returns whether no call has changed the project.
    fn is_untouched(&self) -> bool {
        let same = |(name, text): (String, String)| {
            fs::read_to_string(self.root.join(name)).is_ok_and(|now| now == text)
        };
        project().into_iter().all(same)
    }

    /// Returns the current answers to the calls of an example, normalized.
    fn answers(&self, example: &Example) -> Vec<Value> {
        let mut edit_id = String::new();
        let mut answers = Vec::new();
        for turn in &example.turns {
            let arguments = turn.arguments.to_string().replace(EDIT, &edit_id);
            let arguments = serde_json::from_str(&arguments).expect("it stays JSON");
            let answer = match call(&self.engine, &turn.tool, arguments) {
                Ok(answered) => answered.json,
                Err(refusal) => refusal.json(),
            };
            let ids = [answer.get("edit_id"), answer["error"].get("edit_id")];
            if let Some(id) = ids.into_iter().flatten().find_map(Value::as_str) {
                edit_id = id.to_string();
            }
            answers.push(self.steadied(answer));
        }
        answers
    }

    fn steadied(&self, answer: Value) -> Value {
        let root = self.root.to_str().expect("the root has a UTF-8 name");
        let text = answer.to_string().replace(root, "<root>");
        let text = steady(&text.replace(self.server.as_str(), "ty"));
        let mut answer = serde_json::from_str(&text).expect("it stays JSON");
        without_stubs(&mut answer);
        answer
    }
}

/// Replaces the paths of the server's own files, which differ between machines and whose line
/// numbers differ between versions.
fn without_stubs(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(without_stubs),
        Value::Object(fields) => {
            let file = fields.get("file").and_then(Value::as_str);
            let name = file.filter(|file| file.starts_with('/') && file.ends_with(".pyi"));
            if let Some(name) = name.and_then(|file| file.rsplit('/').next()) {
                let name = format!("<stubs>/{name}");
                for place in ["line", "column", "end_line", "end_column"] {
                    fields.shift_remove(place);
                }
                fields.insert("file".to_string(), Value::String(name));
            }
            fields.values_mut().for_each(without_stubs);
        }
        _ => {}
    }
}

fn utf8(path: &Path) -> Utf8PathBuf {
    Utf8PathBuf::from_path_buf(path.to_path_buf()).expect("the path is UTF-8")
}

/// Returns the files of the project, by their relative paths.
fn project() -> BTreeMap<String, String> {
    let root = Path::new(FOLDER).join("project");
    let mut files = BTreeMap::new();
    for folder in [root.clone(), root.join("toolshed")] {
        for entry in fs::read_dir(folder).expect("the project is there") {
            let path = entry.expect("a file of the project").path();
            if path.extension().is_some_and(|extension| extension == "py") {
                let name = path.strip_prefix(&root).expect("it is in the project");
                let text = fs::read_to_string(&path).expect("the project is text");
                files.insert(utf8(name).to_string(), text);
            }
        }
    }
    files
}

fn examples() -> Vec<Example> {
    let text = recorded();
    let read = |line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    text.lines().map(read).collect()
}

fn recorded() -> String {
    fs::read_to_string(file()).expect("the examples are there")
}

fn file() -> PathBuf {
    Path::new(FOLDER).join("navigation.jsonl")
}

fn line_of(example: &Example) -> String {
    serde_json::to_string(example).expect("examples are JSON")
}

#[test]
fn every_call_of_the_examples_has_the_recorded_answer() {
    let server = tools::of_python("ty");
    let is_recording = std::env::var_os("TREEGRAFT_RECORD").is_some_and(|value| value == "1");
    let mut copy_of_project = ProjectCopy::new(&server);
    let mut lines = String::new();
    let mut wrong = Vec::new();
    for mut example in examples() {
        let answers = copy_of_project.answers(&example);
        for (at, (turn, answer)) in example.turns.iter_mut().zip(answers).enumerate() {
            if turn.answer != answer {
                let (tool, before) = (&turn.tool, &turn.answer);
                let id = &example.id;
                wrong.push(format!(
                    "{id}, turn {at}, {tool}:\nrecorded {before}\n     now {answer}"
                ));
            }
            turn.answer = answer;
        }
        lines.push_str(&line_of(&example));
        lines.push('\n');
        if !copy_of_project.is_untouched() {
            copy_of_project = ProjectCopy::new(&server);
        }
    }
    if is_recording {
        fs::write(file(), lines).expect("the examples can be written");
    } else {
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}

#[test]
fn there_are_enough_examples_of_each_category() {
    let examples = examples();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for example in &examples {
        *counts.entry(example.category.as_str()).or_default() += 1;
    }
    assert_eq!(counts.len(), CATEGORIES.len(), "{counts:?}");
    for (category, least) in CATEGORIES {
        assert!(counts.get(category) >= Some(&least), "{counts:?}");
    }
    let ids: BTreeSet<&str> = examples.iter().map(|one| one.id.as_str()).collect();
    assert_eq!(ids.len(), examples.len(), "an id occurs twice");
    let questions: BTreeSet<&str> = examples.iter().map(|one| one.question.as_str()).collect();
    assert_eq!(questions.len(), examples.len(), "a question occurs twice");
}

#[test]
fn the_examples_have_a_uniform_format() {
    for (line, example) in recorded().lines().zip(examples()) {
        assert_eq!(line, line_of(&example));
        let has_words = !example.question.is_empty() && !example.conclusion.is_empty();
        assert!(has_words, "{}", example.id);
        let has_turns = !example.turns.is_empty();
        assert!(has_turns || example.category == "direct", "{}", example.id);
    }
}

#[test]
fn the_example_that_the_readme_shows_is_one_of_them() {
    let readme = fs::read_to_string(Path::new(FOLDER).join("README.md")).expect("it exists");
    let shown = readme.split("```json\n").nth(1).expect("a block of JSON");
    let shown = shown.split("```").next().expect("its text");
    let shown: Example = serde_json::from_str(shown).expect("it is an example");
    assert!(examples().contains(&shown), "{}", shown.id);
}

#[test]
fn the_answers_confirm_the_conclusions() {
    let complaints: Vec<String> = examples().iter().flat_map(unconfirmed).collect();
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

/// Returns the claims of a conclusion that no answer confirms.
fn unconfirmed(example: &Example) -> Vec<String> {
    let id = &example.id;
    let mut complaints = Vec::new();
    let claims = field_claims(&example.conclusion);
    for (field, value) in &claims {
        let mut answers = example.turns.iter().map(|turn| &turn.answer);
        if !answers.any(|answer| text_at(answer, field) == *value) {
            complaints.push(format!("{id}: `{field}` is {value:?}"));
        }
    }
    if example.category == "fields" && claims.len() < 2 {
        complaints.push(format!("{id}: {} fields", claims.len()));
    }
    let mut places = BTreeSet::new();
    for turn in &example.turns {
        places_in(&turn.answer, &mut places);
    }
    let spans = example.conclusion.split('`').skip(1).step_by(2);
    for span in spans.filter(|span| is_place(span) && !places.contains(*span)) {
        complaints.push(format!("{id}: {span} is not in {places:?}"));
    }
    complaints
}

#[test]
fn each_step_follows_from_earlier_answers() {
    let (mut by_locate, mut by_suggestion) = (0, 0);
    for example in examples().iter().filter(|one| one.category == "steps") {
        assert!(example.turns.len() >= 2, "{}", example.id);
        for pair in example.turns.windows(2) {
            let (before, turn) = (&pair[0].answer, &pair[1]);
            let suggestions = before["error"]["suggestions"].as_array();
            let is_suggested = |one: &Value| {
                one["tool"] == turn.tool.as_str() && one["arguments"] == turn.arguments
            };
            by_suggestion +=
                usize::from(suggestions.is_some_and(|all| all.iter().any(is_suggested)));
            let locate = turn.arguments.get("locate");
            let is_given = locate.is_some_and(|one| has_locate(before, one));
            by_locate += usize::from(turn.tool == "read_node" && is_given);
        }
    }
    assert!(by_locate >= 10, "{by_locate} use a locator");
    assert!(by_suggestion >= 5, "{by_suggestion} use a suggestion");
}

/// Returns the claims of a text about fields: "`line` is `3`", or "`cursor` is absent".
fn field_claims(text: &str) -> Vec<(&str, Option<String>)> {
    let parts: Vec<&str> = text.split('`').collect();
    let mut claims = Vec::new();
    for at in (1..parts.len().saturating_sub(1)).step_by(2) {
        let (field, between) = (parts[at], parts[at + 1]);
        if between == " is " && at + 2 < parts.len() {
            claims.push((field, Some(parts[at + 2].to_string())));
        } else if between.starts_with(" is absent") {
            claims.push((field, None));
        }
    }
    claims
}

/// Returns the text of the value at a path such as `locations[0].file`, or `None` if it is absent.
fn text_at(answer: &Value, field: &str) -> Option<String> {
    let pointer = field.replace(['.', '['], "/").replace(']', "");
    match answer.pointer(&format!("/{pointer}"))? {
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

fn is_place(span: &str) -> bool {
    let is_number = |line: &str| !line.is_empty() && line.chars().all(|c| c.is_ascii_digit());
    span.split_once(".py:")
        .is_some_and(|(_, line)| is_number(line))
}

/// Collects all places of an answer, as `file:line`.
fn places_in(value: &Value, places: &mut BTreeSet<String>) {
    let mut of_fields = |fields: &Map<String, Value>| {
        let file = fields.get("file").or(fields.get("file_path"));
        let node = fields
            .get("node")
            .map_or(&Value::Null, |node| &node["range"]);
        let range = fields.get("range").unwrap_or(node);
        let line = fields.get("line").unwrap_or(&range["start"]["line"]);
        if let (Some(file), Some(line)) = (file.and_then(Value::as_str), line.as_u64()) {
            places.insert(format!("{file}:{line}"));
        }
    };
    match value {
        Value::Object(fields) => {
            of_fields(fields);
            fields.values().for_each(|one| places_in(one, places));
        }
        Value::Array(items) => items.iter().for_each(|one| places_in(one, places)),
        _ => {}
    }
}

fn has_locate(value: &Value, locate: &Value) -> bool {
    match value {
        Value::Object(fields) => {
            fields.get("locate") == Some(locate)
                || fields.values().any(|one| has_locate(one, locate))
        }
        Value::Array(items) => items.iter().any(|one| has_locate(one, locate)),
        _ => false,
    }
}

#[test]
fn a_false_conclusion_is_found() {
    let answer = json!({"success": true, "locations": [{"file": "a.py", "line": 3}]});
    let example = |conclusion: &str| Example {
        id: "a".to_string(),
        category: "fields".to_string(),
        question: "Where is that?".to_string(),
        turns: vec![Turn {
            tool: "goto_definition".to_string(),
            arguments: json!({}),
            answer: answer.clone(),
        }],
        conclusion: conclusion.to_string(),
    };
    let good = "`success` is `true`, so `locations[0].line` is `3`, `a.py:3`; `cursor` is absent.";
    assert_eq!(unconfirmed(&example(good)), [""; 0]);
    let bad = "`success` is absent, `locations[0].line` is `4`, `cursor` is `1`, so `a.py:4`.";
    let complaints = [
        "a: `success` is None",
        "a: `locations[0].line` is Some(\"4\")",
        "a: `cursor` is Some(\"1\")",
        "a: a.py:4 is not in {\"a.py:3\"}",
    ];
    assert_eq!(unconfirmed(&example(bad)), complaints);
    assert_eq!(unconfirmed(&example("There.")), ["a: 0 fields"]);
}
