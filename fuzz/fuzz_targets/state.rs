//! Damages the state directory. Input: `words (one per line) \0 decisions`. The engine writes its
//! records, then the decisions change the state directory (JSON values, bytes, names, directories,
//! times) and the files that the records refer to.
//!
//! Checks: each tool that reads the state directory answers or refuses. A file of the workspace
//! only has its earlier content, or the result of a previewed edit. No other file appears, and no
//! file outside the workspace changes.

#![no_main]
#![expect(
    clippy::disallowed_methods,
    reason = "the target writes files and checks them afterwards"
)]

#[expect(dead_code, reason = "the tests use the rest of it")]
#[path = "../../tests/support/bench.rs"]
mod bench;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::{Duration, SystemTime};

use libfuzzer_sys::{Corpus, fuzz_target};
use serde_json::{Value, json};
use tempfile::TempDir;
use treegraft_fuzz::{Choices, change, parts, text_of};

use bench::{Bench, patched};

/// The maximum number of steps in one run.
const STEPS: usize = 12;
/// The maximum number of places of a record that one step changes.
const CHANGES: usize = 4;
/// The size in bytes of the largest record that is written. Nested JSON strings double their
/// escapes each time.
const LONGEST: usize = 64 * 1024;
/// The maximum age of a file, in days.
const DAYS: usize = 16;

/// The tools that take only the id of an edit. Add new ones here.
const OF_AN_ID: [&str; 4] = ["list_edits", "apply_edit", "undo_edit", "discard_edit"];

const FILES: [(&str, &str); 4] = [
    ("a.rs", "fn a() {\n    one();\n    two();\n}\n"),
    ("b.json", "{\"a\": [1, 2], \"b\": {}}\n"),
    ("c.md", "# One\n\n- a\n- b\n"),
    ("d.py", "def d():\n    return 1\n"),
];

/// Words that records are changed to, besides those of the input.
const WORDS: &[&str] = &[
    "version",
    "edit_id",
    "status",
    "created",
    "path",
    "call",
    "summary",
    "notes",
    "preview",
    "previews",
    "files",
    "file_path",
    "replacements",
    "digest_before",
    "digest_after",
    "span",
    "new_span",
    "diff",
    "tool",
    "arguments",
    "selector",
    "new_content",
    "apply",
    "allow",
    "previewed",
    "refused",
    "applied",
    "rebased",
    "rebase",
    "auto",
    "replace_node",
    "replace_text",
    "insert_node",
    "delete_node",
    "wrap_node",
    "move_node",
    "before",
    "fn a() {}",
    "a.rs",
    "b.json",
    "/etc/hostname",
    "../a.rs",
    "",
    "edits",
    "texts",
    "journal",
    "locks",
    "e000000000000",
    "e000000000000.json",
    "e00000000000g.json",
    ".json",
    ".treegraft-0.tmp",
    "Notes",
    "x",
];

/// The initial state of every run.
struct Seeded {
    bench: Bench,
    outside: TempDir,
    /// The state directory: each directory, and each file with its bytes.
    state: BTreeMap<PathBuf, Option<Vec<u8>>>,
    files: BTreeMap<PathBuf, Option<Vec<u8>>>,
    edit_ids: Vec<String>,
    /// The paths in the state directory, in the order of their creation, because ids are random.
    paths: Vec<PathBuf>,
    /// The contents that each file may have.
    known: BTreeSet<(PathBuf, Vec<u8>)>,
    /// For each file, the numbers of bytes that previews add to it.
    growths: BTreeSet<(PathBuf, isize)>,
    words: Vec<String>,
}

const SECRET: &str = "fn a() {\n    one();\n    two();\n}\n";

static SEEDED: LazyLock<Seeded> = LazyLock::new(Seeded::new);

fuzz_target!(|input: &[u8]| -> Corpus {
    let Some(([words], decisions)) = parts(input) else {
        return Corpus::Reject;
    };
    let mut run = Run::begin(&SEEDED, &text_of(words));
    let mut choices = Choices::new(decisions);
    for _ in 0..STEPS {
        if choices.is_done() {
            break;
        }
        match choices.below(8) {
            0 => run.disturb_workspace(&mut choices),
            1 => run.bench = SEEDED.bench.another_engine(),
            2..=3 => run.call_any(&mut choices),
            _ => run.disturb_state(&mut choices),
        }
    }
    run.end();
    Corpus::Keep
});

impl Seeded {
    fn new() -> Seeded {
        let bench = Bench::new();
        for (name, text) in FILES {
            bench.write(name, text);
        }
        let outside = TempDir::new().expect("a temporary directory can be created");
        let secret = outside.path().join("secret.rs");
        fs::write(&secret, SECRET).expect("a file can be written");
        let mut words: Vec<String> = WORDS.iter().map(|word| word.to_string()).collect();
        words.push(secret.to_string_lossy().into_owned());
        for (name, _) in FILES {
            let path = bench.root().join(name);
            words.push(path.to_string_lossy().into_owned());
        }
        let mut seeded = Seeded {
            bench,
            outside,
            state: BTreeMap::new(),
            files: BTreeMap::new(),
            edit_ids: Vec::new(),
            paths: Vec::new(),
            known: BTreeSet::new(),
            growths: BTreeSet::new(),
            words,
        };
        seeded.make_records();
        let (files, state) = (content(seeded.bench.root()), content(seeded.bench.state()));
        let texts = files
            .iter()
            .filter_map(|(path, bytes)| Some((path.clone(), bytes.clone()?)));
        seeded.known.extend(texts);
        seeded.paths = state.keys().cloned().collect();
        let order = |path: &PathBuf| {
            let name = path.to_string_lossy();
            let of_id = seeded.edit_ids.iter().position(|id| name.contains(id));
            (path.parent().map(Path::to_path_buf), of_id)
        };
        seeded.paths.sort_by_key(order);
        (seeded.files, seeded.state) = (files, state);
        seeded
    }

    /// Makes edits of every kind: previewed, refused and applied.
    fn make_records(&mut self) {
        let edits = [
            (
                "replace_node",
                json!({"file_path": "a.rs", "selector": "expression_statement@one()", "new_content": "three();"}),
            ),
            (
                "replace_node",
                json!({"file_path": "a.rs", "selector": "expression_statement@two()", "new_content": "if x {\n    y();\n}"}),
            ),
            (
                "insert_node",
                json!({"file_path": "b.json", "selector": "array@1", "position": "last_child", "new_content": "3"}),
            ),
            (
                "edit_nodes",
                json!({"edits": [
                    {"op": "insert", "file_path": "a.rs", "selector": "function_item@fn a", "position": "after", "new_content": "fn b() {}"},
                    {"op": "replace", "file_path": "c.md", "selector": "atx_heading@One", "new_content": "# Two"},
                ]}),
            ),
            (
                "edit_nodes",
                json!({"apply": true, "edits": [
                    {"op": "insert", "file_path": "a.rs", "selector": "function_item@fn a", "position": "after", "new_content": "fn c() {}"},
                    {"op": "insert", "file_path": "b.json", "selector": "array@1", "position": "first_child", "new_content": "0"},
                ]}),
            ),
            (
                "delete_node",
                json!({"file_path": "c.md", "selector": "list_item@b"}),
            ),
            (
                "replace_text",
                json!({"file_path": "c.md", "find": "One", "new_content": "Two"}),
            ),
            (
                "move_node",
                json!({
                    "file_path": "b.json", "selector": "number@2",
                    "to": {"selector": "number@1", "position": "before"},
                }),
            ),
            (
                "replace_node",
                json!({"file_path": "d.py", "selector": "integer@1", "new_content": "2", "apply": true}),
            ),
            (
                "replace_node",
                json!({"file_path": "d.py", "selector": "integer@2", "new_content": "3"}),
            ),
            (
                "replace_node",
                json!({"file_path": "d.py", "selector": "integer@9", "new_content": "3"}),
            ),
            (
                "insert_node",
                json!({"file_path": "a.rs", "selector": "block@one()", "position": "last_child", "new_content": "}"}),
            ),
        ];
        for (tool, arguments) in edits {
            match self.bench.call(tool, arguments) {
                Ok(answered) => {
                    if answered.json["status"] == "previewed" {
                        for one in outcomes(&answered.json, |path| self.bench.read(path)) {
                            self.known.insert((one.path.clone(), one.after));
                            self.growths.insert((one.path, one.growth));
                        }
                    }
                    let edit_id = answered.json["edit_id"].as_str();
                    self.edit_ids.extend(edit_id.map(str::to_string));
                }
                Err(refusal) => self.edit_ids.extend(refusal.edit_id().map(str::to_string)),
            }
        }
        let texts = FILES.map(|(name, text)| (PathBuf::from(name), text.as_bytes().to_vec()));
        self.known.extend(texts);
    }
}

/// A file in an answer: its path, the result of its diff, and the number of bytes that the diff
/// adds.
struct Outcome {
    path: PathBuf,
    after: Vec<u8>,
    growth: isize,
}

/// Returns the results of an edit according to its diffs.
fn outcomes(answer: &Value, before: impl Fn(&str) -> Vec<u8>) -> Vec<Outcome> {
    let files = answer["files"].as_array().into_iter().flatten();
    let outcome = |file: &Value| {
        let (path, diff) = (file["file_path"].as_str()?, file["diff"].as_str()?);
        let before = String::from_utf8(before(path)).ok()?;
        let after = patched(&before, diff).into_bytes();
        Some(Outcome {
            path: PathBuf::from(path),
            growth: after.len() as isize - before.len() as isize,
            after,
        })
    };
    files.filter_map(outcome).collect()
}

/// One run with the initial state and files.
struct Run {
    seeded: &'static Seeded,
    bench: Bench,
    words: Vec<String>,
    edit_ids: Vec<String>,
    paths: Vec<PathBuf>,
    known: BTreeSet<(PathBuf, Vec<u8>)>,
}

impl Run {
    fn begin(seeded: &'static Seeded, words: &str) -> Run {
        restore(seeded.bench.root(), &seeded.files);
        restore(seeded.bench.state(), &seeded.state);
        let mut edit_ids = seeded.edit_ids.clone();
        edit_ids.push("e000000000000".to_string());
        Run {
            seeded,
            bench: seeded.bench.another_engine(),
            words: words
                .lines()
                .map(str::to_string)
                .chain(seeded.words.iter().cloned())
                .collect(),
            edit_ids,
            paths: seeded.paths.clone(),
            known: seeded.known.clone(),
        }
    }

    /// Changes or removes one of the files, as another program would.
    fn disturb_workspace(&mut self, choices: &mut Choices<'_>) {
        let (name, text) = FILES[choices.below(FILES.len())];
        let path = self.bench.root().join(name);
        if choices.one_in(4) {
            fs::remove_file(path).expect("the file exists");
            self.restore_later(name);
            return;
        }
        let word = choices.of(&self.words).expect("there are words");
        let changed = match choices.below(3) {
            0 => format!("{word}\n{text}"),
            1 => format!("{text}{word}\n"),
            _ => text.replacen("one", word, 1),
        };
        fs::write(path, &changed).expect("a file can be written");
        self.known
            .insert((PathBuf::from(name), changed.into_bytes()));
    }

    /// Restores a removed file, so that every run checks all files.
    fn restore_later(&mut self, name: &str) {
        let kept = self.seeded.files.get(Path::new(name)).cloned().flatten();
        self.call("list_edits", json!({}), false);
        self.bench.write(name, kept.expect("the file existed"));
    }

    fn disturb_state(&mut self, choices: &mut Choices<'_>) {
        let state = self.bench.state().to_path_buf();
        let chosen = choices.of(&self.paths).expect("there are records").clone();
        let path = state.join(&chosen);
        if !path.exists() {
            return;
        }
        match choices.below(10) {
            0..=3 => self.change_record(&path, choices),
            4..=5 => self.change_bytes(&path, choices),
            6 => self.copy_to_another_name(&state, &chosen, choices),
            7 => remove(&path),
            8 => {
                remove(&path);
                let made = match choices.below(2) {
                    0 => fs::create_dir_all(&path),
                    _ => std::os::unix::fs::symlink(self.outside_file(), &path),
                };
                made.expect("the path is free");
            }
            _ => {
                let age = Duration::from_secs(choices.below(DAYS) as u64 * 24 * 60 * 60);
                if let Ok(file) = fs::File::options().append(true).open(&path) {
                    file.set_modified(SystemTime::now() - age)
                        .expect("the file is ours");
                }
            }
        }
    }

    fn change_record(&self, path: &Path, choices: &mut Choices<'_>) {
        let Some(mut record) =
            read_file(path).and_then(|bytes| serde_json::from_slice(&bytes).ok())
        else {
            return;
        };
        for _ in 0..=choices.below(CHANGES) {
            change(&mut record, choices, &self.words);
        }
        let record = record.to_string();
        if record.len() <= LONGEST {
            fs::write(path, record).expect("the file is ours");
        }
    }

    fn change_bytes(&self, path: &Path, choices: &mut Choices<'_>) {
        let Some(mut bytes) = read_file(path) else {
            return;
        };
        let at = choices.below(bytes.len() + 1) % (bytes.len() + 1);
        match choices.below(4) {
            0 => bytes.truncate(at),
            1 => {
                bytes = choices
                    .of(&self.words)
                    .cloned()
                    .unwrap_or_default()
                    .into_bytes()
            }
            2 => {
                let count = choices.below(8) + 1;
                bytes.splice(at..at, choices.bytes(count).iter().copied());
            }
            _ => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte = choices.byte();
                }
            }
        }
        fs::write(path, bytes).expect("the file is ours");
    }

    /// Copies a record to another id, name or directory.
    fn copy_to_another_name(&mut self, state: &Path, chosen: &Path, choices: &mut Choices<'_>) {
        let Some(bytes) = read_file(&state.join(chosen)) else {
            return;
        };
        let name = match choices.below(2) {
            0 => choices.of(&self.words),
            _ => choices.of(&self.edit_ids),
        };
        let is_plain = |name: &&String| {
            !name.is_empty()
                && name.len() < 40
                && !name.contains(['/', '\0'])
                && *name != "."
                && *name != ".."
        };
        let Some(name) = name.filter(is_plain).cloned() else {
            return;
        };
        let directory = chosen.parent().unwrap_or(Path::new(""));
        let file_name = match choices.below(2) {
            0 => name.clone(),
            _ => format!("{name}.json"),
        };
        let directory = match choices.below(3) {
            0 => state.join(&name),
            _ => state.join(directory),
        };
        let path = directory.join(file_name);
        // If a directory or a link exists there, skip the copy.
        let is_free = !path.is_symlink() && fs::create_dir_all(&directory).is_ok();
        if is_free && fs::write(&path, bytes).is_ok() {
            let path = path
                .strip_prefix(state)
                .expect("the path is in the directory");
            self.paths.push(path.to_path_buf());
        }
        self.edit_ids.push(name);
    }

    fn call_any(&mut self, choices: &mut Choices<'_>) {
        let edit_id = choices.of(&self.edit_ids).cloned();
        let which = choices.below(OF_AN_ID.len() + 1);
        match OF_AN_ID.get(which) {
            Some(tool) => self.call_with(tool, edit_id.as_deref()),
            None => {
                let selectors = [
                    "expression_statement@two()",
                    "pair@\"b\"",
                    "list_item@a",
                    "x@y",
                ];
                let selector = selectors[choices.below(selectors.len())];
                let arguments = json!({"edit_id": edit_id, "selector": selector});
                self.call("amend_edit", arguments, true);
            }
        }
    }

    /// Calls every tool with every id at the end.
    fn end(&mut self) {
        self.bench = self.seeded.bench.another_engine();
        self.check();
        self.call("list_edits", json!({}), false);
        for tool in OF_AN_ID {
            for edit_id in self.edit_ids.clone() {
                self.call_with(tool, Some(&edit_id));
            }
        }
        self.call("list_edits", json!({}), false);
    }

    /// Calls a tool that takes only the id of an edit. An undo keeps what other edits changed, so its diff is needed.
    fn call_with(&mut self, tool: &str, edit_id: Option<&str>) {
        let mut arguments = json!({"edit_id": edit_id});
        if tool == "undo_edit" {
            arguments["diff"] = json!("full");
        }
        self.call(tool, arguments, false);
    }

    /// Makes a call and checks the files. A changed record may contain another request, which
    /// creates another preview: `previews` allows that for this call. Every written file is the
    /// result of one of the previews, even if the file changed in another place since.
    fn call(&mut self, tool: &str, arguments: Value, previews: bool) {
        let before = content(self.bench.root());
        match self.bench.call(tool, arguments) {
            Ok(answered) => {
                let status = answered.json["status"].as_str().unwrap_or_default();
                assert!(previews || status != "previewed", "{tool} previews nothing");
                let is_undone = status == "undone";
                if is_undone || ["rebased", "rebase_proposed"].contains(&status) {
                    let held = |path: &str| before.get(Path::new(path)).cloned().flatten();
                    for one in outcomes(&answered.json, |path| held(path).unwrap_or_default()) {
                        let growth = if is_undone { -one.growth } else { one.growth };
                        let growth = (one.path.clone(), growth);
                        assert!(self.seeded.growths.contains(&growth), "{growth:?}");
                        self.known.insert((one.path, one.after));
                    }
                }
            }
            Err(refusal) => assert!(
                refusal.text().starts_with("refused: "),
                "{}",
                refusal.text()
            ),
        }
        self.check();
    }

    fn check(&self) {
        for (path, bytes) in content(self.bench.root()) {
            let known = bytes.map(|bytes| (path.clone(), bytes));
            assert!(
                known
                    .as_ref()
                    .is_some_and(|known| self.known.contains(known)),
                "unexpected content of {path:?}: {:?}",
                known.map(|(_, bytes)| text_of(&bytes))
            );
        }
        let secret = fs::read(self.outside_file());
        assert_eq!(secret.ok().as_deref(), Some(SECRET.as_bytes()));
    }

    fn outside_file(&self) -> PathBuf {
        self.seeded.outside.path().join("secret.rs")
    }
}

/// Returns the bytes of a file, or `None` for a directory or a link.
fn read_file(path: &Path) -> Option<Vec<u8>> {
    match path.is_symlink() {
        true => None,
        false => fs::read(path).ok(),
    }
}

/// Returns the content of a directory tree: the bytes of each file, without links.
fn content(directory: &Path) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
    let mut content = BTreeMap::new();
    let mut open = vec![directory.to_path_buf()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(next).expect("a directory can be read") {
            let path = entry.expect("a directory can be read").path();
            let name = path
                .strip_prefix(directory)
                .expect("the path is in the directory")
                .to_path_buf();
            if path.is_symlink() {
                continue;
            }
            if path.is_dir() {
                content.insert(name, None);
                open.push(path);
            } else {
                content.insert(name, Some(fs::read(&path).expect("a file can be read")));
            }
        }
    }
    content
}

fn remove(path: &Path) {
    let removed = match path.is_dir() && !path.is_symlink() {
        true => fs::remove_dir_all(path),
        false => fs::remove_file(path),
    };
    removed.expect("the path can be removed");
}

/// Replaces the content of a directory.
fn restore(directory: &Path, content: &BTreeMap<PathBuf, Option<Vec<u8>>>) {
    for entry in fs::read_dir(directory).expect("a directory can be read") {
        remove(&entry.expect("a directory can be read").path());
    }
    for (path, bytes) in content {
        let path = directory.join(path);
        let made = match bytes {
            Some(bytes) => fs::write(path, bytes),
            None => fs::create_dir_all(path),
        };
        made.expect("the directory can be written");
    }
}
