//! Outlines of large trees: totals, summaries of directories, rankings and the limit of bytes.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::prelude::*;
use serde_json::{Value, json};
use treegraft::engine::ITEMS_LIMIT;
use treegraft::engine::request::Outline;
use treegraft::engine::watch::Watch;

use crate::support::Bench;

/// Returns the symbols of each file, of all pages from this one on.
fn on_all_pages(bench: &Bench, arguments: &Value) -> BTreeMap<String, usize> {
    fn count(symbols: &Value) -> usize {
        let symbols = symbols.as_array().map_or(&[][..], Vec::as_slice);
        let inner = symbols.iter().map(|symbol| 1 + count(&symbol["symbols"]));
        inner.sum()
    }
    let mut arguments = arguments.clone();
    let mut all = BTreeMap::new();
    let mut totals = None;
    loop {
        let page = bench
            .call("outline", arguments.clone())
            .expect("a page")
            .json;
        let own = (page["files_total"].clone(), page["symbols_total"].clone());
        assert_eq!(*totals.get_or_insert(own.clone()), own, "{arguments}");
        for file in page["files"].as_array().expect("a list") {
            let path = file["file_path"].as_str().expect("a path").to_string();
            *all.entry(path).or_default() += count(&file["symbols"]);
        }
        match page.get("cursor") {
            Some(cursor) => arguments["cursor"] = cursor.clone(),
            None => return all,
        }
    }
}

/// Returns whether an entry of a summary contains a file.
fn contains(entry: &str, file: &str) -> bool {
    match (entry, entry.strip_suffix('*')) {
        (".", _) => true,
        (_, Some(folder)) => file
            .strip_prefix(folder)
            .is_some_and(|name| !name.contains('/')),
        _ if entry.ends_with('/') => file.starts_with(entry),
        _ => file == entry,
    }
}

fn tree(files: &BTreeMap<String, usize>) -> Bench {
    let bench = Bench::new();
    for (path, symbols) in files {
        let full = bench.root().join(path);
        #[expect(clippy::disallowed_methods, reason = "the test creates files")]
        std::fs::create_dir_all(full.parent().expect("it is in the root")).expect("it is new");
        let functions = (0..*symbols).map(|number| format!("fn f{number}() {{}}\n"));
        bench.write(path, functions.collect::<String>());
    }
    bench
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    /// The totals are the sums over all pages; each symbol is in exactly one entry of a summary, whose path lists it; and
    /// no text is longer than `max_bytes`.
    #[test]
    fn totals_pages_and_summaries_agree(
        files in prop::collection::btree_map(
            "([ab]/){0,3}[a-c]".prop_map(|path| format!("{path}.rs")),
            0_usize..9,
            2..25,
        ),
        max_items in 1_usize..40,
        max_bytes in prop::option::of(200_usize..1_500),
    ) {
        let bench = tree(&files);
        let symbols: usize = files.values().sum();
        let mut arguments = json!({"max_items": max_items});
        if let Some(max_bytes) = max_bytes {
            arguments["max_bytes"] = json!(max_bytes);
        }
        let first = bench.call("outline", arguments.clone()).expect("it is long enough");
        let max_bytes = max_bytes.unwrap_or(usize::MAX);
        prop_assert!(first.text.len() <= max_bytes, "{}", first.text);
        let json = first.json;
        prop_assert_eq!(&json["files_total"], &json!(files.len()));
        prop_assert_eq!(&json["symbols_total"], &json!(symbols));
        let with_symbols = files.iter().filter(|(_, symbols)| **symbols > 0);
        let with_symbols: BTreeMap<String, usize> =
            with_symbols.map(|(path, symbols)| (path.clone(), *symbols)).collect();
        prop_assert_eq!(&on_all_pages(&bench, &arguments), &with_symbols);
        let Some(summary) = json.get("summary") else {
            prop_assert!(symbols <= max_items);
            return Ok(());
        };
        let summary = summary.as_array().expect("a list");
        let names = summary.iter().filter_map(|entry| entry["names"].as_array());
        let names: usize = names.map(Vec::len).sum();
        prop_assert!(summary.len() + names <= max_items.max(1), "{}", first.text);
        for path in with_symbols.keys() {
            let own = summary.iter().filter(|entry| {
                contains(entry["path"].as_str().unwrap_or_default(), path)
            });
            prop_assert_eq!(own.count(), 1, "{} in {}", path, first.text);
        }
        for entry in summary {
            let below = json!({"path": entry["path"], "max_items": ITEMS_LIMIT});
            let below = on_all_pages(&bench, &below);
            prop_assert_eq!(json!(below.values().sum::<usize>()), entry["symbols"].clone());
        }
    }
}

/// A tree whose symbols are referenced from several files.
fn referenced() -> Bench {
    let bench = Bench::new();
    for folder in ["src/shapes", "web"] {
        #[expect(clippy::disallowed_methods, reason = "the test creates files")]
        std::fs::create_dir_all(bench.root().join(folder)).expect("it is new");
    }
    for (path, text) in [
        (
            "src/shapes/circle.rs",
            "pub struct Circle {\n    pub radius: f64,\n}\n\nimpl Circle {\n    pub fn new(radius: f64) -> Circle {\n        \
             Circle { radius }\n    }\n}\n",
        ),
        (
            "src/shapes/square.rs",
            "pub struct Square;\n\nimpl Square {\n    pub fn new() -> Square {\n        Square\n    }\n}\n",
        ),
        (
            "src/main.rs",
            "/// Draws a Square.\nfn draw() {\n    let radius = 1.0;\n    fn scale() {}\n    scale();\n    \
             let circle = Circle::new(radius);\n    println!(\"Square {}\", circle.radius);\n    Square::new();\n    \
             Circle::new(2.0);\n}\n\nfn main() {\n    draw();\n    draw();\n}\n",
        ),
        (
            "web/draw.ts",
            "export class Canvas {}\nexport function draw(x: Canvas): Canvas {\n  return scale(new Canvas());\n}\n",
        ),
        (
            "web/index.js",
            "draw(1); draw(2); draw(3); draw(4); Canvas.name;\n",
        ),
        ("web/package.json", "{\"draw\": \"Canvas\"}\n"),
    ] {
        bench.write(path, text);
    }
    bench
}

fn answer(bench: &Bench, arguments: Value) -> String {
    match bench.call("outline", arguments) {
        Ok(answered) => answered.text,
        Err(refused) => refused.text(),
    }
}

#[test]
fn large_trees_are_summarized_and_ranked() {
    let bench = referenced();
    let calls = [
        json!({}),
        json!({"max_items": 9}),
        json!({"max_items": 3}),
        json!({"path": "src/**/*.rs", "max_items": 5, "kinds": ["function"]}),
        json!({"max_bytes": 300}),
        json!({"path": "src/shapes/circle.rs", "max_bytes": 120}),
        json!({"rank": true}),
        json!({"rank": true, "kinds": ["function"], "max_items": 3}),
        json!({"rank": true, "max_bytes": 150}),
        json!({"rank": true, "path": "src/main.rs"}),
        json!({"rank": true, "path": "web/package.json", "kinds": ["function"]}),
        json!({"rank": true, "cursor": "src/main.rs:0"}),
        json!({"rank": true, "max_bytes": 10}),
        json!({"max_bytes": 10}),
        json!({"path": "src/main.rs", "max_bytes": 10}),
        json!({"path": "src", "cursor": "src/main.rs:1/x/3"}),
    ];
    let mut all = String::new();
    for arguments in calls {
        all.push_str(&format!("> outline {arguments}\n"));
        all.push_str(&answer(&bench, arguments));
        all.push('\n');
    }
    let settings = crate::support::snapshots("flows");
    settings.bind(|| insta::assert_snapshot!("large_trees", all));
}

/// Returns a tree of this many files with two symbols each, in two directories.
fn files(count: usize) -> BTreeMap<String, usize> {
    let path = |number| format!("{}/f{number}.rs", if number % 2 == 0 { "a" } else { "b/c" });
    (0..count).map(|number| (path(number), 2)).collect()
}

#[test]
fn totals_of_too_many_files_are_partial_on_every_page() {
    let bench = Bench::with("treegraft.toml", "[limits]\nfiles = 4\n");
    let bench = bench.another_engine();
    for (path, text) in [
        ("a.rs", "fn a() {}\n"),
        ("b.rs", ""),
        ("c.rs", "fn c() {}\n"),
    ] {
        for folder in ["x", "y"] {
            #[expect(clippy::disallowed_methods, reason = "the test creates files")]
            std::fs::create_dir_all(bench.root().join(folder)).expect("the root is writable");
            bench.write(&format!("{folder}/{path}"), text);
        }
    }
    for max_items in [1, 50] {
        let arguments = json!({"path": "**/*.rs", "max_items": max_items});
        let first = bench
            .call("outline", arguments.clone())
            .expect("there are files");
        let note = match max_items {
            1 => "only the first 4 files are included; pass a subdirectory",
            _ => "4 files were searched; pass cursor to continue",
        };
        assert!(first.text.contains(note), "{}", first.text);
        assert!(
            first.text.contains("total: at least 4 files, 3 symbols"),
            "{}",
            first.text
        );
        assert_eq!(first.json["totals_are_partial"], true);
        let all = on_all_pages(&bench, &arguments);
        assert_eq!(
            all.keys().collect::<Vec<_>>(),
            ["x/a.rs", "x/c.rs", "y/a.rs", "y/c.rs"]
        );
    }
}

#[test]
fn paths_of_a_summary_are_relative_to_the_base() {
    let bench = tree(&files(12)).relative_to("b");
    for (path, entries) in [
        ("..", vec!["../a/", "c/"]),
        ("c", vec!["c/"]),
        (".", vec!["c/"]),
    ] {
        let arguments = json!({"path": path, "max_items": 4});
        let summary = bench
            .call("outline", arguments)
            .expect("there are files")
            .json;
        let summary = summary["summary"].as_array().expect("a list").clone();
        let paths: Vec<&str> = summary
            .iter()
            .filter_map(|entry| entry["path"].as_str())
            .collect();
        assert_eq!(paths, entries);
        for entry in summary {
            let below = bench.call("outline", json!({"path": entry["path"], "max_items": 50}));
            assert_eq!(
                below.expect("it is a directory").json["symbols_total"],
                entry["symbols"]
            );
        }
    }
}

/// Stops a call after this many files.
struct Stops(AtomicUsize);

impl Watch for Stops {
    fn goes_on(&self, _: usize, _: usize) -> bool {
        self.0.fetch_sub(1, Ordering::Relaxed) > 1
    }
}

#[test]
fn a_stopped_outline_has_the_totals_of_the_files_so_far() {
    let bench = tree(&files(200));
    for request in [
        Outline::new("."),
        Outline::new(".").max_items(5_usize),
        Outline::new(".").rank(),
    ] {
        let stops = Stops(AtomicUsize::new(2));
        let outlined = bench
            .engine
            .outline(&request, &stops)
            .expect("there are files");
        let done = outlined.files_total.expect("there are several files");
        assert!((2..100).contains(&done), "{done}");
        assert_eq!(outlined.symbols_total, Some(2 * done));
        assert!(outlined.totals_are_partial);
        let note = format!("stopped after {done} of 200 files");
        assert!(outlined.notes.contains(&note), "{:?}", outlined.notes);
    }
}
