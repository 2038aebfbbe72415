//! Measures whole calls of the engine on files of a workspace.
//!
//! Four comparisons: `apply_edit` with the least work that writes a file crash-safely; a hundred
//! edits in one call with one edit; an outline of many files with reading and parsing them on all
//! cores; the last of many edits of one file with the first, including the memory and files that
//! they leave.

use std::fs::{self, File};
use std::io::Write;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tree_sitter::Parser;
use treegraft::engine::Engine;
use treegraft::engine::request::read;

use crate::floor;
use crate::measure::{Asked, Effort, Targets, by_turns, median, timed};
use crate::start::resident;
use crate::texts::{RUST, SAMPLES};

pub(crate) fn run(asked: &Asked, targets: &mut Targets) {
    let effort = asked.effort(5.0);
    let (lines, files, edits) = match asked.measures {
        true => (10_000, 10_000, 10_000),
        false => (100, 50, 20),
    };
    if asked.wants("calls apply") {
        apply(lines, effort, targets);
    }
    if asked.wants("calls several") {
        several(lines, effort, targets);
    }
    if asked.wants("calls outline") {
        outline(files, effort, targets);
    }
    if asked.wants("calls row") {
        row(lines, edits, targets);
    }
}

/// The limits for the kept edit records and for the bytes of kept old texts, plus the eighth by
/// which they may grow before the next cleanup.
const RECORDS: f64 = 5_000.0 * 1.125;
const TEXTS: f64 = 256.0 * 1024.0 * 1024.0 * 1.125;

/// A workspace that is deleted when dropped.
pub(crate) struct Workspace {
    directory: tempfile::TempDir,
}

impl Workspace {
    pub(crate) fn new() -> Workspace {
        let directory = tempfile::tempdir().expect("a temporary directory");
        fs::create_dir(directory.path().join("root")).expect("a directory");
        Workspace { directory }
    }

    pub(crate) fn root(&self) -> Utf8PathBuf {
        let path = self.directory.path().join("root");
        Utf8PathBuf::from_path_buf(path).expect("its path is UTF-8")
    }

    pub(crate) fn put(&self, path: &str, text: &str) -> Utf8PathBuf {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().expect("a file has a directory")).expect("a directory");
        fs::write(&path, text).expect("a file");
        path
    }

    /// Returns a new engine, which has read nothing.
    pub(crate) fn engine(&self) -> Engine {
        let state = self.root().with_file_name("state");
        Engine::open(&[self.root()], Some(&state)).expect("the workspace opens")
    }
}

/// Reads the arguments of a tool.
pub(crate) fn request<T: for<'de> Deserialize<'de> + JsonSchema + 'static>(arguments: Value) -> T {
    read(arguments).expect("valid arguments")
}

/// Returns a function. Each call replaces it with the same function and another number.
pub(crate) fn numbered(name: usize, number: usize) -> String {
    format!("fn numbered_{name}(value: u32) -> u32 {{\n    value + {number}\n}}\n")
}

pub(crate) fn replacing(name: usize, number: usize, apply: bool) -> Value {
    json!({
        "file_path": "src/bench.rs",
        "selector": {"anchor_text": format!("fn numbered_{name}("), "ancestor_node_type": "function_item"},
        "new_content": numbered(name, number).trim_end(),
        "apply": apply,
    })
}

fn apply(lines: usize, effort: Effort, targets: &mut Targets) {
    let workspace = Workspace::new();
    let text = RUST.text_with(&numbered(0, 0), lines);
    let path = workspace.put("src/bench.rs", &text);
    let plain = workspace.put("plain/bench.rs", &text);
    let engine = workspace.engine();
    let mut number = 0;
    let figures = by_turns(
        effort,
        [
            &mut || timed(|| write_durably(&plain, text.as_bytes())),
            &mut || {
                number += 1;
                let shown = engine.replace_node(&request(replacing(0, number, false)));
                let edit_id = shown.expect("the target is unique").edit_id;
                let arguments = json!({"edit_id": edit_id});
                timed(|| {
                    engine
                        .apply_edit(&request(arguments))
                        .expect("nothing changed")
                })
            },
        ],
    );
    let [unit, apply] = [0, 1].map(|which| figures.median(which));
    let ratio = targets.hold("calls apply", figures.ratio(1, 0), 1.1);
    println!(
        "apply_edit, {} bytes: {apply:.3} ms, plain write {unit:.3} ms: {ratio} ({} runs)",
        fs::metadata(path).expect("the file").len(),
        figures.runs()
    );
}

/// Writes a file with the least work that leaves either the old or the new file after a crash.
fn write_durably(path: &Utf8Path, bytes: &[u8]) {
    let folder = path.parent().expect("a file has a directory");
    let temporary = folder.join(".new");
    let mut file = File::create(&temporary).expect("a file");
    file.write_all(bytes).expect("it is written");
    file.sync_all().expect("it is on the disk");
    fs::rename(&temporary, path).expect("it replaces the other");
    let folder = File::open(folder).expect("the folder");
    folder.sync_all().expect("its entry is on the disk");
}

fn several(lines: usize, effort: Effort, targets: &mut Targets) {
    let many = lines.min(100);
    let workspace = Workspace::new();
    let functions: Vec<String> = (0..many).map(|name| numbered(name, 0)).collect();
    let text = RUST.text_with(&functions.join("\n"), lines);
    workspace.put("src/bench.rs", &text);
    let edits = |count: usize| {
        let edit = |name| {
            let mut edit = replacing(name, 1, false);
            edit["op"] = json!("replace");
            // `apply` is an argument of the call, not of its edits.
            edit.as_object_mut().expect("an object").remove("apply");
            edit
        };
        json!({"edits": (0..count).map(edit).collect::<Vec<Value>>()})
    };
    let cold = |count: usize| {
        let engine = workspace.engine();
        let arguments = edits(count);
        timed(|| {
            engine
                .edit_nodes(&request(arguments))
                .expect("each target is unique")
        })
    };
    let figures = by_turns(effort, [&mut || cold(1), &mut || cold(many)]);
    let [one, all] = [0, 1].map(|which| figures.median(which));
    let ratio = targets.hold("calls several", figures.ratio(1, 0), 1.5);
    println!(
        "edit_nodes, {} bytes: {many} edits {all:.2} ms, one {one:.2} ms: {ratio} ({} runs)",
        text.len(),
        figures.runs()
    );
}

fn outline(files: usize, effort: Effort, targets: &mut Targets) {
    let workspace = Workspace::new();
    let texts: Vec<String> = SAMPLES.iter().map(|sample| sample.text(150)).collect();
    let mut paths = Vec::new();
    for number in 0..files {
        let (sample, text) = (
            SAMPLES[number % SAMPLES.len()],
            &texts[number % texts.len()],
        );
        let name = format!(
            "part{}/f{number}-{}",
            number / 100,
            sample.path.replace('/', "-")
        );
        paths.push((workspace.put(&name, text), number % SAMPLES.len()));
    }
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    let figures = by_turns(
        effort,
        [&mut || timed(|| all_parsed(&paths, cores)), &mut || {
            let engine = workspace.engine();
            // No file has a symbol of this kind, so the outline reads every file.
            let arguments = json!({"path": ".", "kinds": ["keyframe"]});
            timed(|| {
                engine
                    .outline(&request(arguments), &())
                    .expect("the directory exists")
            })
        }],
    );
    let [unit, outline] = [0, 1].map(|which| figures.median(which));
    let ratio = targets.hold("calls outline", figures.ratio(1, 0), 1.3);
    println!(
        "outline of {files} files: {outline:.0} ms, reading and parsing on {cores} cores {unit:.0} ms: {ratio} \
         ({} runs)",
        figures.runs()
    );
}

fn all_parsed(paths: &[(Utf8PathBuf, usize)], cores: usize) {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                let mut units: Vec<Parser> = SAMPLES.iter().map(|sample| sample.parser()).collect();
                while let Some((path, which)) = paths.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let text = fs::read_to_string(path).expect("the file is text");
                    std::hint::black_box(floor::parse(&mut units[*which], &text));
                }
            });
        }
    });
}

/// Applies many edits to one file, each to the result of the previous one. Neither the time of a
/// call nor the kept data (memory, state directory) may grow.
fn row(lines: usize, edits: usize, targets: &mut Targets) {
    // A file this long, so that ten thousand old texts exceed what may be kept.
    let lines = lines.min(1_000);
    let workspace = Workspace::new();
    workspace.put("src/bench.rs", &RUST.text_with(&numbered(0, 0), lines));
    let engine = workspace.engine();
    let part = edits / 10;
    let mut times = Vec::new();
    let mut early = None;
    for number in 1..=edits {
        let start = Instant::now();
        let made = engine.replace_node(&request(replacing(0, number, true)));
        times.push(start.elapsed());
        made.expect("the target is unique");
        if number == part {
            early = resident(std::process::id());
        }
    }
    let of =
        |times: &[Duration]| median(times.iter().map(|time| time.as_secs_f64() * 1e3).collect());
    let (first, last) = (of(&times[..part]), of(&times[edits - part..]));
    let ratio = targets.hold("calls row", last / first, 1.1);
    println!(
        "{edits} edits in a row: the first {part} {first:.2} ms each, the last {part} {last:.2} ms: {ratio}"
    );
    if let (Some(early), Some(now)) = (early, resident(std::process::id())) {
        let ratio = targets.hold("calls row, resident", now / early, 1.1);
        println!(
            "resident after {part} of them {:.1} MB, after all {:.1} MB: {ratio}",
            early / 1e3,
            now / 1e3
        );
    }
    let state = workspace.root().with_file_name("state");
    let (records, _) = kept_of(&state, "edits");
    let (_, texts) = kept_of(&state, "texts");
    let (files, bytes) = kept_in(&state);
    let records = targets.hold("calls row, records", records as f64 / RECORDS, 1.0);
    let texts = targets.hold("calls row, texts", texts as f64 / TEXTS, 1.0);
    println!(
        "kept: {files} files, {:.1} MB; of the limits: records {records}, texts {texts}",
        bytes as f64 / 1e6
    );
}

/// Counts the files of a kind in the state directory and their bytes. They are in the folder of the only workspace.
fn kept_of(state: &Utf8Path, kind: &str) -> (usize, u64) {
    let start = format!("{kind}-");
    let entries = state.read_dir_utf8().expect("the state directory is there");
    let names = entries.map(|entry| entry.expect("it can be listed").into_path());
    let is_of_kind = |path: &Utf8PathBuf| {
        path.file_name()
            .is_some_and(|name| name.starts_with(&start))
    };
    let mut folders = names.filter(is_of_kind);
    kept_in(&folders.next().expect("the workspace has kept some"))
}

/// Counts the files in a directory tree and their bytes.
fn kept_in(folder: &Utf8Path) -> (usize, u64) {
    let Ok(entries) = folder.read_dir_utf8() else {
        return (0, 0);
    };
    let sizes = entries.map(|entry| {
        let entry = entry.expect("it can be listed");
        let metadata = entry.metadata().expect("it is there");
        match metadata.is_dir() {
            true => kept_in(entry.path()),
            false => (1, metadata.len()),
        }
    });
    sizes.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1))
}
