//! Makes calls with arbitrary arguments in a small workspace. Input: `name \0 file \0 tool \0
//! arguments \0 decisions`. The input contains the first call. The decisions add plausible calls
//! that are changed in places.
//!
//! Checks: every answer matches its schema. A refusal has a text, and its suggested calls select a
//! node. A preview writes nothing. An applied edit changes the named file as its diff shows. No
//! other file changes, inside or outside the workspace.

#![no_main]
#![expect(
    clippy::disallowed_methods,
    reason = "the target checks the files afterwards"
)]

#[expect(dead_code, reason = "the tests use the rest of it")]
#[path = "../../tests/support/bench.rs"]
mod bench;

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use jsonschema::Validator;
use libfuzzer_sys::{Corpus, fuzz_target};
use schemars::JsonSchema;
use serde_json::{Value, json};
use tempfile::TempDir;
use treegraft::diagnostic::Code;
use treegraft::engine::request::schema_of;
use treegraft::engine::response::{
    EditDiscarded, EditList, EditMade, Located, NodeRead, NodesFound, Outlined,
    RefusedCall,
};
use treegraft::parse::Parsed;
use treegraft::source::{Digest, Span};
use treegraft_fuzz::{Choices, boundary, change, parts, source_of, text_of};

use bench::{Answered, Bench, patched, resolved};

/// The maximum number of calls of an input, without suggested calls.
const CALLS: usize = 6;
/// The maximum number of changed places in one call.
const CHANGES: usize = 4;

/// Every tool with the schema of its answers.
static TOOLS: LazyLock<Vec<(&str, Validator)>> = LazyLock::new(|| {
    vec![
        ("outline", validator::<Outlined>()),
        ("find_nodes", validator::<NodesFound>()),
        ("locate", validator::<Located>()),
        ("read_node", validator::<NodeRead>()),
        ("replace_node", validator::<EditMade>()),
        ("replace_text", validator::<EditMade>()),
        ("insert_node", validator::<EditMade>()),
        ("delete_node", validator::<EditMade>()),
        ("wrap_node", validator::<EditMade>()),
        ("move_node", validator::<EditMade>()),
        ("edit_nodes", validator::<EditMade>()),
        ("apply_edit", validator::<EditMade>()),
        ("undo_edit", validator::<EditMade>()),
        ("amend_edit", validator::<EditMade>()),
        ("discard_edit", validator::<EditDiscarded>()),
        ("list_edits", validator::<EditList>()),
    ]
});

/// The tools whose answers have no diff.
const WITHOUT_DIFF: [&str; 6] = [
    "outline",
    "find_nodes",
    "locate",
    "read_node",
    "discard_edit",
    "list_edits",
];

/// Files that exist in every run, besides the file of the input.
const FILES: [(&str, &str); 3] = [
    ("a.rs", "fn a() {\n    one();\n    one();\n}\n"),
    ("b.json", "{\"a\": [1, 2], \"b\": {}}\n"),
    ("c.md", "# One\n\n- a\n- b\n\n```rust\nfn a() {}\n```\n"),
];

/// Words that arguments are changed to, besides those of the input.
const WORDS: &[&str] = &[
    "file_path",
    "selector",
    "anchor_text",
    "find",
    "ancestor_node_type",
    "scope",
    "symbol_path",
    "line",
    "nth",
    "outward",
    "sibling",
    "new_content",
    "include_attached",
    "indent",
    "allow",
    "apply",
    "locate",
    "range",
    "position",
    "start",
    "end",
    "character",
    "edit_id",
    "find_index",
    "fuzzy",
    "start_line",
    "end_line",
    "type",
    "name",
    "query",
    "before",
    "after",
    "first_child",
    "last_child",
    "verbatim",
    "auto",
    "syntax_errors",
    "surroundings",
    "suspicious_content",
    "function",
    "statement",
    "block",
    "expression",
    "item",
    "pair",
    "element",
    "string",
    "comment",
    "section",
    "list",
    "a.rs",
    "b.json",
    "c.md",
    "link.rs",
    "../secret.rs",
    "folder",
    ".",
    "",
    "a.rs:a@one<|>()",
    "c.md:One@- <<|>>b",
    "2,3",
    "L2",
    "true",
    "1",
    "0",
    "-1",
    "18446744073709551615",
    "function_item@one",
    "a:expression_statement@one()",
    "{",
    "[1, 2]",
    "a.rs:2:5: error",
    "<|>",
    "e000000000000",
];

fn validator<T: JsonSchema>() -> Validator {
    jsonschema::validator_for(&Value::Object(schema_of::<T>())).expect("the schema is valid")
}

fuzz_target!(|input: &[u8]| -> Corpus {
    let Some(([name, file, tool, arguments], decisions)) = parts(input) else {
        return Corpus::Reject;
    };
    let tool = TOOLS.iter().position(|(known, _)| known.as_bytes() == tool);
    let arguments = text_of(arguments);
    let given =
        serde_json::from_str(&arguments).unwrap_or_else(|_| Value::from(arguments.as_str()));
    let mut choices = Choices::new(decisions);
    let mut calls = Calls::over(&file_name(&text_of(name)), file, &given);
    calls.make(tool.unwrap_or_default(), given);
    for _ in 1..CALLS {
        if choices.is_done() {
            break;
        }
        let tool = choices.below(TOOLS.len());
        let mut arguments = calls.arguments(tool, &mut choices);
        for _ in 0..choices.below(CHANGES + 1) {
            change(&mut arguments, &mut choices, &calls.words);
        }
        calls.make(tool, arguments);
    }
    Corpus::Keep
});

/// Returns the name for the file of the input: the given one if it is plain and not yet used.
fn file_name(given: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    let is_free = FILES.iter().all(|(name, _)| *name != given) && given != "link.rs";
    let is_name = !given.is_empty() && given.len() < 40 && !given.starts_with('.');
    match is_free && is_name && given != "folder" && given.chars().all(is_plain) {
        true => given.to_string(),
        false => "file.txt".to_string(),
    }
}

/// The calls of one input and their workspace.
struct Calls {
    bench: Bench,
    outside: TempDir,
    name: String,
    parsed: Parsed,
    words: Vec<String>,
    /// The expected content of every file of the workspace.
    files: BTreeMap<PathBuf, Vec<u8>>,
    /// The content of each previewed file before and after the edit.
    previewed: HashMap<(String, PathBuf), (Vec<u8>, Vec<u8>)>,
    edit_ids: Vec<String>,
}

const SECRET: &str = "fn secret() {}\n";

impl Calls {
    fn over(name: &str, file: &[u8], given: &Value) -> Calls {
        let bench = Bench::with(name, file);
        for (name, text) in FILES {
            bench.write(name, text);
        }
        let outside = TempDir::new().expect("a temporary directory can be created");
        let secret = outside.path().join("secret.rs");
        fs::write(&secret, SECRET).expect("a file can be written");
        std::os::unix::fs::symlink(&secret, bench.root().join("link.rs"))
            .expect("a link can be created");
        fs::create_dir(bench.root().join("folder")).expect("a directory can be created");
        let mut words: Vec<String> = WORDS.iter().map(|word| word.to_string()).collect();
        words.push(secret.to_string_lossy().into_owned());
        words.push(name.to_string());
        gather_strings(given, &mut words);
        Calls {
            files: files_in(bench.root()),
            bench,
            outside,
            name: name.to_string(),
            parsed: Parsed::parse(source_of(name, file)),
            words,
            previewed: HashMap::new(),
            edit_ids: Vec::new(),
        }
    }

    /// Returns plausible arguments for a tool.
    fn arguments(&self, tool: usize, choices: &mut Choices<'_>) -> Value {
        let text = self.parsed.source().text();
        let start = boundary(text, choices.below(1 << 16) % (text.len() + 1));
        let end = boundary(text, start + choices.below(24));
        let chain = self.parsed.chain(Span::new(start, end));
        let node = chain.iter().rev().nth(choices.below(4).min(chain.len()));
        let selector = json!({
            "anchor_text": &text[start..end],
            "ancestor_node_type": node.map(|node| node.kind()),
        });
        let place = self.parsed.source().position(start);
        let other = choices.below(self.words.len());
        let content = match choices.below(3) {
            0 => self.words[other].clone(),
            1 => text[start..end].to_string(),
            _ => format!("{}\n{}", &text[start..end], self.words[other]),
        };
        let edit_id = choices.of(&self.edit_ids);
        let apply = choices.one_in(2);
        match TOOLS[tool].0 {
            "find_nodes" => {
                let how = ["text", "regex", "name", "query"][choices.below(4)];
                let node_type = node.filter(|_| choices.one_in(2)).map(|node| node.kind());
                json!({"path": self.name, how: &text[start..end], "node_type": node_type})
            }
            "outline" => json!({"path": self.name, "max_items": choices.below(9) + 1}),
            "locate" => {
                if apply {
                    return json!({"locate": {"file_path": self.name, "find": &text[start..end]}});
                }
                json!({"file_path": self.name, "position": {"line": place.line, "character": place.character}})
            }
            "read_node" => json!({"file_path": self.name, "selector": selector}),
            "replace_node" => json!({
                "file_path": self.name, "selector": selector, "new_content": content, "apply": apply,
            }),
            "insert_node" => {
                let position = ["before", "after", "first_child", "last_child"][choices.below(4)];
                json!({
                    "file_path": self.name, "selector": selector, "position": position,
                    "new_content": content, "apply": apply,
                })
            }
            "replace_text" => {
                let whole = &text[start..end];
                let middle = boundary(whole, choices.below(whole.len() + 1));
                let (one, other) = whole.split_at(middle);
                let find = match choices.below(3) {
                    0 => whole.to_string(),
                    1 => format!("{one}<|>{other}<|>"),
                    _ => format!("{one}<..>{other}"),
                };
                json!({"file_path": self.name, "find": find, "new_content": content, "apply": apply})
            }
            "delete_node" => json!({"file_path": self.name, "selector": selector, "apply": apply}),
            "wrap_node" => json!({
                "file_path": self.name, "selector": selector, "new_content": format!("{content}<|>"),
                "apply": apply,
            }),
            "move_node" => {
                let position = ["before", "after", "first_child", "last_child"][choices.below(4)];
                let anchor = &self.words[other];
                let to = json!({"selector": format!("@{anchor}"), "position": position});
                json!({"file_path": self.name, "selector": selector, "to": to, "apply": apply})
            }
            "edit_nodes" => {
                let edits: Vec<Value> = (0..=choices.below(3))
                    .map(|_| self.one_of_several(choices))
                    .collect();
                json!({"edits": edits, "apply": apply})
            }
            "amend_edit" => json!({"edit_id": edit_id, "selector": selector, "apply": apply}),
            _ => json!({"edit_id": edit_id}),
        }
    }

    /// Returns an edit of a node in the file or in another file.
    fn one_of_several(&self, choices: &mut Choices<'_>) -> Value {
        let ops = [
            "replace",
            "replace_text",
            "insert",
            "delete",
            "wrap",
            "move",
        ];
        let op = choices.below(ops.len());
        let tools = [
            "replace_node",
            "replace_text",
            "insert_node",
            "delete_node",
            "wrap_node",
            "move_node",
        ];
        let tool = TOOLS.iter().position(|(name, _)| *name == tools[op]);
        let mut edit = self.arguments(tool.unwrap_or_default(), choices);
        edit.as_object_mut()
            .and_then(|edit| edit.shift_remove("apply"));
        edit["op"] = json!(ops[op]);
        if choices.one_in(2) {
            edit["file_path"] = json!("a.rs");
            edit["selector"] = json!({"anchor_text": "one()", "ancestor_node_type": "call_expression", "nth": 1 + choices.below(2)});
        }
        edit
    }

    /// Makes a call and, if it is refused, the calls that the refusal suggests.
    fn make(&mut self, tool: usize, arguments: Value) {
        let Err(refusal) = self.call(tool, arguments) else {
            return;
        };
        for suggested in refusal.suggestions() {
            let tool = TOOLS.iter().position(|(name, _)| *name == suggested.tool);
            let tool = tool.expect("a suggestion names a tool");
            let mut arguments = suggested.arguments;
            // Do not apply it: a change of the file could invalidate the next suggestion. An amendment would apply the edit
            // if the refused call does.
            if let Some(fields) = arguments.as_object_mut() {
                fields.shift_remove("apply");
                if suggested.tool == "amend_edit" {
                    fields.insert("apply".to_string(), json!(false));
                }
            }
            if let Err(again) = self.call(tool, arguments.clone()) {
                // If the file name was wrong, a suggestion corrects only the path. In a call with
                // several edits, or with the two selectors of a move, a suggestion corrects only
                // one of them.
                let is_wrong_path = refusal.code() == Code::FileNotFound;
                let is_found = again.code() != Code::FileNotFound;
                let index = |refusal: &RefusedCall| refusal.json()["error"]["edit_index"].clone();
                let is_of_target = |refusal: &RefusedCall| {
                    let answer = refusal.json();
                    let message = answer["error"]["message"].as_str();
                    message.is_some_and(|message| {
                        message.starts_with("to: ") || message.contains("]: to: ")
                    })
                };
                let is_of_another = index(&again) != index(&refusal)
                    || is_of_target(&again) && !is_of_target(&refusal);
                // The refusal says that the edit is refused there, or was not tried.
                let is_warned =
                    suggested.trial.is_some() && !again.text().contains("unknown field");
                assert!(
                    resolved(again.code())
                        || is_wrong_path && is_found
                        || is_of_another
                        || is_warned,
                    "the refusal\n{}\nsuggests {arguments}, which is refused:\n{}",
                    refusal.text(),
                    again.text()
                );
            }
        }
    }

    fn call(&mut self, tool: usize, mut arguments: Value) -> Result<(), Box<RefusedCall>> {
        let (name, validator) = &TOOLS[tool];
        // The checks need the whole diff.
        if let Some(fields) = arguments.as_object_mut()
            && !WITHOUT_DIFF.contains(name)
        {
            fields.insert("diff".to_string(), json!("full"));
        }
        let answer = self.bench.call(name, arguments.clone());
        match &answer {
            Ok(answered) => {
                if let Err(error) = validator.validate(&answered.json) {
                    panic!("an answer of {name} does not match its schema: {error}");
                }
                assert!(!answered.text.is_empty());
                if answered.json["status"].is_string() {
                    self.check_edit(&arguments, answered);
                }
            }
            Err(refusal) => {
                assert!(
                    refusal.text().starts_with("refused: "),
                    "{}",
                    refusal.text()
                );
                assert!(refusal.json()["error"]["code"].is_string());
                self.edit_ids.extend(refusal.edit_id().map(str::to_string));
            }
        }
        assert!(
            files_in(self.bench.root()) == self.files,
            "{name} {arguments} changed other files"
        );
        let secret = fs::read(self.outside.path().join("secret.rs"));
        assert_eq!(secret.ok().as_deref(), Some(SECRET.as_bytes()));
        answer.map(|_| ())
    }

    /// Checks that a preview leaves its file unchanged and that an applied edit has the result that
    /// its diff shows.
    fn check_edit(&mut self, arguments: &Value, answered: &Answered) {
        let edit_id = answered.json["edit_id"].as_str().unwrap_or_default();
        for file in answered.json["files"].as_array().into_iter().flatten() {
            let text = |field: &str| file[field].as_str().unwrap_or_default();
            let path = PathBuf::from(text("file_path"));
            // Only the text of a file that stays is compared with the diff.
            if text("action").ends_with("_file") {
                if answered.json["status"] != "previewed" {
                    self.files = files_in(self.bench.root());
                }
                continue;
            }
            let before = self.files[&path].clone();
            let before_text = std::str::from_utf8(&before).expect("only text is edited");
            let after = match file["diff"].as_str() {
                Some(diff) => patched(before_text, diff).into_bytes(),
                // Arguments that are a string have no `diff`.
                None => fs::read(self.bench.root().join(&path)).expect("the file is there"),
            };
            assert_eq!(text("digest_before"), Digest::from_bytes(&before).to_string());
            assert_eq!(text("digest_after"), Digest::from_bytes(&after).to_string());
            let of_file = (edit_id.to_string(), path.clone());
            if answered.json["status"] == "previewed" {
                self.previewed.insert(of_file, (before, after));
                self.edit_ids.push(edit_id.to_string());
                continue;
            }
            let known = self.previewed.remove(&of_file);
            if answered.json["status"] == "applied"
                && let Some(known) = known
            {
                assert!(known == (before, after.clone()), "{arguments}");
            }
            self.files.insert(path, after);
            self.edit_ids.push(edit_id.to_string());
        }
    }
}

fn gather_strings(value: &Value, words: &mut Vec<String>) {
    match value {
        Value::String(text) => words.push(text.clone()),
        Value::Array(array) => array.iter().for_each(|inner| gather_strings(inner, words)),
        Value::Object(object) => object
            .values()
            .for_each(|inner| gather_strings(inner, words)),
        _ => {}
    }
}

/// Returns the files in a directory tree. A link has its target as content.
fn files_in(directory: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut open = vec![directory.to_path_buf()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(next).expect("a directory can be read") {
            let path = entry.expect("a directory can be read").path();
            let name = path
                .strip_prefix(directory)
                .expect("the path is in the directory")
                .to_path_buf();
            if path.is_symlink() {
                let target = fs::read_link(&path).expect("a link can be read");
                files.insert(name, target.to_string_lossy().into_owned().into_bytes());
            } else if path.is_dir() {
                open.push(path);
                files.insert(name, Vec::new());
            } else {
                files.insert(name, fs::read(&path).expect("a file can be read"));
            }
        }
    }
    files
}
