//! The counted calls.

use std::fmt::Write as _;
use std::hint::black_box;

use camino::Utf8PathBuf;
use gungraun::prelude::*;
use serde_json::{Value, json};
use treegraft::diagnostic::{Pointing, about_select};
use treegraft::engine::Engine;
use treegraft::engine::request::{EditNodes, read};
use treegraft::parse::Parsed;
use treegraft::preview::FilePreview;
use treegraft::select::{Selector, select};

use crate::pass::{parsed, previewed};

/// Counts all calls, or runs one of them if this process is the counted one.
pub(crate) fn run() {
    main();
}

/// Returns functions of four lines each.
fn rust() -> String {
    (0..250).fold(String::new(), |mut text, number| {
        let _ = write!(
            text,
            "/// Adds {number}.\nfn numbered_{number}(value: u32) -> u32 {{\n    value + {number}\n}}\n"
        );
        text
    })
}

/// Returns a list of objects of four lines each.
fn data() -> String {
    let objects = (0..250).map(|number| {
        format!("  {{\n    \"name\": \"numbered_{number}\",\n    \"value\": [{number}, true]\n  }}")
    });
    format!("[\n{}\n]\n", objects.collect::<Vec<String>>().join(",\n"))
}

/// Returns sections of four lines each.
fn prose() -> String {
    (0..250).fold(String::new(), |mut text, number| {
        let _ = write!(
            text,
            "## Section {number}\n\nWhat stands in *section {number}* is `{number}`, and no more.\n\n"
        );
        text
    })
}

/// A path, an anchor, a type, and new content.
type Call = [&'static str; 4];

fn in_rust() -> (String, Call) {
    let new = "fn numbered_125(value: u32) -> u32 {\n    value - 125\n}";
    (rust(), ["a.rs", "fn numbered_125(", "function_item", new])
}

fn in_json() -> (String, Call) {
    let new = "\"name\": \"other\"";
    (data(), ["a.json", "\"numbered_125\"", "pair", new])
}

fn in_markdown() -> (String, Call) {
    let new = "Nothing stands here.";
    (prose(), ["a.md", "is `125`", "paragraph", new])
}

// From the text to the preview.
#[library_benchmark]
#[bench::in_rust(args = (), setup = in_rust)]
#[bench::in_json(args = (), setup = in_json)]
#[bench::in_markdown(args = (), setup = in_markdown)]
fn preview((text, [path, anchor, node_type, new_content]): (String, Call)) -> FilePreview {
    let parsed = parsed(path, &text);
    black_box(previewed(&parsed, anchor, node_type, new_content))
}

// A refusal with its suggestions, in a parsed file.
#[library_benchmark]
#[bench::of_a_misspelled_anchor(args = (), setup = parsed_rust)]
fn refusal(parsed: Parsed) -> Parsed {
    let selector = Selector::new("fn nunbered_125(value", "function_item");
    let Err(error) = select(&parsed, &selector) else {
        panic!("the anchor does not occur");
    };
    black_box(about_select(&parsed, &selector, &error, Pointing::Read));
    parsed
}

fn parsed_rust() -> Parsed {
    parsed("a.rs", &rust())
}

// Ten edits in one call of the engine, in a file that it has not read.
#[library_benchmark]
#[bench::of_ten(args = (), setup = workspace)]
fn edit_nodes(
    (directory, engine, request): (tempfile::TempDir, Engine, EditNodes),
) -> (tempfile::TempDir, Engine) {
    let answer = engine.edit_nodes(&request).expect("each target is unique");
    black_box(answer);
    (directory, engine)
}

fn workspace() -> (tempfile::TempDir, Engine, EditNodes) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = |name: &str| {
        let path = directory.path().join(name);
        Utf8PathBuf::from_path_buf(path).expect("its path is UTF-8")
    };
    std::fs::create_dir(path("root")).expect("a directory");
    std::fs::write(path("root").join("a.rs"), rust()).expect("a file");
    let engine = Engine::open(&[path("root")], Some(&path("state"))).expect("the workspace opens");
    let edits = (0..10).map(|number| {
        let name = number * 20;
        json!({
            "op": "replace",
            "selector": format!("function_item@fn numbered_{name}("),
            "new_content": format!("fn numbered_{name}(value: u32) -> u32 {{\n    value - {name}\n}}"),
        })
    });
    let arguments = json!({"file_path": "a.rs", "edits": edits.collect::<Vec<Value>>()});
    let request = read(arguments).expect("valid arguments");
    (directory, engine, request)
}

library_benchmark_group!(name = counts; benchmarks = preview, refusal, edit_nodes);
main!(library_benchmark_groups = counts);
