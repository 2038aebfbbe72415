//! Outlines and searches over folders: which files they read, in what order, page by page; and that
//! the locators and selectors in their answers resolve to the right node.

#![expect(
    clippy::disallowed_methods,
    reason = "tests create files, and read those of the project"
)]

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use camino::Utf8PathBuf;
use serde_json::{Value, json};
use treegraft::engine::request::{FindNodes, LocateArgument, Outline};
use treegraft::engine::response::{NodeFound, SymbolListed};
use treegraft::engine::watch::Watch;
use treegraft::engine::{Engine, ITEMS_LIMIT};
use treegraft::language::{self, LANGUAGES};
use treegraft::parse::Parsed;
use treegraft::source::Source;
use treegraft::{locate, select};

use crate::support::{Bench, is_full};

/// Returns a folder with everything that a walk can meet.
fn fixture() -> Bench {
    let bench = Bench::new();
    for folder in [
        "src/deep",
        "target",
        ".hidden",
        ".git",
        "kept/build",
        "build",
    ] {
        fs::create_dir_all(bench.root().join(folder)).expect("the folder can be created");
    }
    for (name, text) in [
        ("a.rs", "fn a() { one(); }\n"),
        (
            "src/b.rs",
            "struct B;\nimpl B {\n    fn b() { one(); }\n}\n",
        ),
        ("src/deep/c.py", "def c():\n    one()\n"),
        ("src/deep/ignored.rs", "fn ignored() { one(); }\n"),
        ("src/.gitignore", "# a comment\nignored.rs\n[\n"),
        ("target/d.rs", "fn d() { one(); }\n"),
        ("build/e.rs", "fn e() { one(); }\n"),
        ("kept/build/f.rs", "fn f() { one(); }\n"),
        (".hidden/g.rs", "fn g() { one(); }\n"),
        (".git/h.rs", "fn h() { one(); }\n"),
        (".gitignore", "/target\nbuild/\n"),
        ("kept/.ignore", "!build/\n"),
        ("notes.txt", "one() is called\n"),
    ] {
        bench.write(name, text);
    }
    bench.write("binary.rs", b"fn x() {}\0");
    bench.write("latin.rs", b"// \xe9\nfn x() {}\n");
    bench
}

/// Returns the files in which a search finds `one`.
fn found_in(bench: &Bench, path: &str) -> Vec<String> {
    let answered = bench.call("find_nodes", json!({"path": path, "text": "one()"}));
    let json = answered.expect("there are files").json;
    let matches = json["matches"].as_array().expect("a list").iter();
    let files = matches.map(|one| one["file_path"].as_str().expect("a path").to_string());
    files.collect()
}

#[test]
fn a_folder_is_walked_in_order_without_ignored_or_hidden_files() {
    let bench = fixture();
    let all = [
        "a.rs",
        "kept/build/f.rs",
        "notes.txt",
        "src/b.rs",
        "src/deep/c.py",
    ];
    assert_eq!(found_in(&bench, "."), all);
    assert_eq!(found_in(&bench, "src"), all[3..]);
    assert_eq!(found_in(&bench, "src/deep/"), all[4..]);
    // A path that is named explicitly is read.
    assert_eq!(found_in(&bench, "target"), ["target/d.rs"]);
    assert_eq!(
        found_in(&bench, "src/deep/ignored.rs"),
        ["src/deep/ignored.rs"]
    );
    assert_eq!(found_in(&bench, ".hidden"), [".hidden/g.rs"]);
    let outside = bench.call("outline", json!({"path": ".git"}));
    let code = outside.expect_err("git's files are off limits").code();
    assert_eq!(code.as_str(), "outside_workspace");
}

#[test]
fn binary_files_are_counted_and_refused_if_named() {
    let bench = fixture();
    let outlined = bench.call("outline", json!({})).expect("there are files");
    let notes = &outlined.json["notes"];
    assert_eq!(*notes, json!(["2 files skipped: 1 binary, 1 not UTF-8"]));
    assert_eq!(outlined.json["files_looked_at"], 7);
    for (name, code) in [("binary.rs", "binary_file"), ("latin.rs", "not_utf8")] {
        let refused = bench.call("outline", json!({"path": name}));
        assert_eq!(refused.expect_err("it is not text").code().as_str(), code);
    }
}

#[test]
fn a_glob_matches_paths_from_its_folder() {
    let bench = fixture();
    assert_eq!(found_in(&bench, "*.rs"), ["a.rs"]);
    assert_eq!(
        found_in(&bench, "**/*.rs"),
        ["a.rs", "kept/build/f.rs", "src/b.rs"]
    );
    assert_eq!(found_in(&bench, "src/*/c.{py,rb}"), ["src/deep/c.py"]);
    assert_eq!(found_in(&bench, "target/*.r?"), ["target/d.rs"]);
    let root = Utf8PathBuf::from_path_buf(bench.root().to_path_buf()).expect("a UTF-8 path");
    assert_eq!(
        found_in(&bench, root.join("src/*.rs").as_str()),
        ["src/b.rs"]
    );
    bench.write("src/[x].rs", "fn x() { one(); }\n");
    assert_eq!(found_in(&bench, "src/[x].rs"), ["src/[x].rs"]);
}

#[test]
fn a_path_without_files_is_refused_with_help() {
    let bench = fixture();
    let refusal = |path: &str| {
        let refused = bench.call("outline", json!({"path": path}));
        refused.expect_err("there are no files").text()
    };
    insta::assert_snapshot!(
        ["src/*.py", "*.zig", "scr", "src/[", "src/*/../*.rs"].map(refusal).join("---\n"),
        @r"
    refused: file_not_found
    `src/*.py` matches no file

    help: `src/**/*.py` matches 1 file
    ---
    refused: file_not_found
    `*.zig` matches no file

    help: hidden files and files excluded by .gitignore or treegraft.toml are skipped; `*` does not match `/`, `**` does
    ---
    refused: file_not_found
    `scr` does not exist

    help: similar paths: src
    ---
    refused: file_not_found
    `src/[` does not exist and is not a valid glob: unclosed character class; missing ']'
    ---
    refused: file_not_found
    `src/*/../*.rs` does not exist and is not a valid glob: `..` cannot follow a wildcard
    "
    );
}

#[cfg(unix)]
#[test]
fn links_are_not_followed_unless_they_are_named() {
    let bench = fixture();
    let root = bench.root();
    std::os::unix::fs::symlink("src", root.join("other")).expect("the link can be created");
    std::os::unix::fs::symlink("a.rs", root.join("z.rs")).expect("the link can be created");
    std::os::unix::fs::symlink("/etc", root.join("etc")).expect("the link can be created");
    std::os::unix::fs::symlink("..", root.join("src/up")).expect("the link can be created");
    assert_eq!(found_in(&bench, ".").len(), 5);
    assert_eq!(found_in(&bench, "other"), ["src/b.rs", "src/deep/c.py"]);
    assert_eq!(found_in(&bench, "z.rs"), ["a.rs"]);
    let refused = bench.call("find_nodes", json!({"path": "etc", "text": "root"}));
    let code = refused.expect_err("it leads outside").code();
    assert_eq!(code.as_str(), "outside_workspace");
}

#[test]
fn ignored_files_are_not_suggested_for_a_missing_file() {
    let bench = fixture();
    let suggested = |path: &str| {
        let arguments = json!({"file_path": path, "selector": "function@one"});
        let refused = bench.call("read_node", arguments);
        let refused = refused.expect_err("it is not there");
        let calls = refused.suggestions().into_iter();
        let files = calls.map(|call| call.arguments["file_path"].clone());
        files.collect::<Vec<Value>>()
    };
    assert_eq!(suggested("lib/b.rs")[0], "src/b.rs");
    for (path, ignored) in [
        ("lib/ignored.rs", "src/deep/ignored.rs"),
        ("lib/e.rs", "build/e.rs"),
        ("lib/d.rs", "target/d.rs"),
    ] {
        assert!(!suggested(path).contains(&json!(ignored)), "{path}");
    }
}

/// Returns the items of all pages, with this page size.
fn pages(bench: &Bench, tool: &str, list: &str, arguments: &Value, max_items: usize) -> Vec<Value> {
    let mut arguments = arguments.clone();
    arguments["max_items"] = json!(max_items);
    let mut all = Vec::new();
    loop {
        let page = bench.call(tool, arguments.clone()).expect("a page").json;
        let items = match list {
            "files" => flat(&page["files"]),
            list => page[list].as_array().expect("a list").clone(),
        };
        assert!(items.len() <= max_items);
        all.extend(items);
        match page.get("cursor") {
            Some(cursor) => arguments["cursor"] = cursor.clone(),
            None => return all,
        }
    }
}

/// Returns the symbols of files as a flat list, each without its children.
fn flat(files: &Value) -> Vec<Value> {
    fn add(symbols: &Value, all: &mut Vec<Value>) {
        for symbol in symbols.as_array().into_iter().flatten() {
            let mut own = symbol.clone();
            let inner = own.as_object_mut().and_then(|own| own.remove("symbols"));
            all.push(own);
            add(&inner.unwrap_or_default(), all);
        }
    }
    let mut all = Vec::new();
    for file in files.as_array().into_iter().flatten() {
        add(&file["symbols"], &mut all);
    }
    all
}

#[test]
fn all_pages_together_equal_one_large_page() {
    let bench = fixture();
    for language in LANGUAGES.iter() {
        let (name, text) = language.sample();
        let name = Path::new(name).file_name().unwrap_or_default();
        bench.write(&format!("src/deep/{}", name.to_string_lossy()), text);
    }
    let calls = [
        ("outline", "files", json!({})),
        (
            "outline",
            "files",
            json!({"kinds": ["function", "field"], "depth": 9}),
        ),
        ("outline", "files", json!({"path": "src/b.rs"})),
        ("find_nodes", "matches", json!({"text": "price"})),
        (
            "find_nodes",
            "matches",
            json!({"name": "*a*", "path": "src/**"}),
        ),
        ("find_nodes", "matches", json!({"node_type": "function"})),
        (
            "find_nodes",
            "matches",
            json!({"text": "price", "path": ["src/deep", "src/b.rs", "src/**/*.rs", "src/deep"]}),
        ),
        (
            "outline",
            "files",
            json!({"path": ["src/b.rs", "src/deep/*", "src"]}),
        ),
    ];
    for (tool, list, arguments) in calls {
        let whole = pages(&bench, tool, list, &arguments, ITEMS_LIMIT);
        assert!(whole.len() > 2, "{tool} {arguments}");
        for max_items in [1, 7, 50] {
            if max_items == 1 && whole.len() > 100 {
                continue;
            }
            let joined = pages(&bench, tool, list, &arguments, max_items);
            assert_eq!(joined, whole, "{tool} {arguments} by {max_items}");
        }
    }
}

#[test]
fn each_of_several_paths_must_have_files() {
    let bench = fixture();
    let called = |path: Value| bench.call("find_nodes", json!({"path": path, "text": "price"}));
    let all = called(json!(["src/b.rs", "src"])).expect("both exist").json;
    assert_eq!(
        all["matches"],
        called(json!("src")).expect("it exists").json["matches"]
    );
    for path in ["src/none*.rs", "src/none.rs"] {
        let refused = called(json!(["src", path])).expect_err("a path has no file");
        assert_eq!(refused.code().as_str(), "file_not_found");
        assert!(refused.text().contains(path), "{}", refused.text());
    }
    let refused = called(json!([])).expect_err("there is no path");
    assert_eq!(refused.code().as_str(), "invalid_arguments");
    // A cursor must be in one of the paths.
    let cursor =
        json!({"path": ["src/deep", "src/b.rs"], "text": "price", "cursor": "README.md:0"});
    let refused = bench.call("find_nodes", cursor).expect_err("it is in none");
    assert!(
        refused.text().contains("`src/deep`, `src/b.rs`"),
        "{}",
        refused.text()
    );
}

/// Without `max_items`, a page of matches has as many as fit, and at least one.
#[test]
fn a_page_of_long_matches_ends_early() {
    let bench = Bench::new();
    let body = "    one();\n".repeat(600);
    let file = |number: usize| format!("fn a{number}() {{\n{body}}}\n\n");
    bench.write("a.rs", (0..5).map(file).collect::<String>());
    bench.write("b.rs", file(9));
    let mut arguments = json!({"pattern": "fn $F() { $$$B }"});
    let whole = pages(&bench, "find_nodes", "matches", &arguments, ITEMS_LIMIT);
    assert_eq!(whole.len(), 6);
    let mut all = Vec::new();
    let mut counts = Vec::new();
    loop {
        let page = bench.call("find_nodes", arguments.clone()).expect("a page");
        assert!(page.text.len() < 13_000, "{}", page.text.len());
        let own = page.json["matches"].as_array().expect("a list").clone();
        counts.push(own.len());
        all.extend(own);
        match page.json.get("cursor") {
            Some(cursor) => arguments["cursor"] = cursor.clone(),
            None => break,
        }
    }
    assert_eq!(all, whole);
    assert_eq!(counts, [1; 6]);
}

#[test]
fn a_cursor_of_another_call_is_refused() {
    let bench = fixture();
    for cursor in [
        "",
        "x",
        "a.rs",
        "a.rs:1",
        "src/b.rs:-1",
        "/etc/passwd:0",
        "../a:0",
        "src:x",
    ] {
        let refused = bench.call("outline", json!({"path": "src", "cursor": cursor}));
        let refused = refused.expect_err("it does not fit");
        assert_eq!(refused.code().as_str(), "invalid_arguments");
        assert!(
            refused.message().starts_with("cursor "),
            "{}",
            refused.text()
        );
    }
    // A cursor is still valid if its file was removed or has fewer symbols now.
    let page = |cursor: &str| {
        let answered = bench.call("outline", json!({"path": "src", "cursor": cursor}));
        let json = answered.expect("the next page").json;
        json["files"][0]["file_path"].clone()
    };
    assert_eq!(page("src/a.rs:3"), "src/b.rs");
    assert_eq!(page("src/b.rs:99"), "src/deep/c.py");
}

/// Stops a call after this many files.
struct Stops(AtomicUsize);

impl Watch for Stops {
    fn goes_on(&self, done: usize, all: usize) -> bool {
        assert!(done <= all);
        self.0.fetch_sub(1, Ordering::Relaxed) > 1
    }
}

#[test]
fn a_stopped_call_returns_partial_results_and_a_cursor() {
    let bench = fixture();
    let request = FindNodes::new(".").text("one()");
    let whole = bench.engine.find_nodes(&request, &()).expect("it is found");
    let stops = Stops(AtomicUsize::new(2));
    let first = bench
        .engine
        .find_nodes(&request, &stops)
        .expect("the first page");
    assert!(
        first.notes[0].starts_with("stopped after "),
        "{:?}",
        first.notes
    );
    let rest = request.cursor(first.cursor.clone().expect("there is another page"));
    let rest = bench
        .engine
        .find_nodes(&rest, &())
        .expect("the remaining page");
    let joined: Vec<NodeFound> = first.matches.into_iter().chain(rest.matches).collect();
    assert_eq!(joined, whole.matches);
}

#[test]
fn hostile_patterns_and_queries_are_refused_or_bounded() {
    let bench = Bench::with(
        "a.rs",
        "fn a() { aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa(); }\n".repeat(500),
    );
    let refused = [
        json!({"regex": "(a{1000}){1000}"}),
        json!({"regex": "(".repeat(20_000)}),
        json!({"regex": format!("{}a{}", "(".repeat(3_000), ")".repeat(3_000))}),
        json!({"regex": "(?P<x>"}),
        json!({"query": "(".repeat(100_000)}),
        json!({"query": format!("{}_{} @a", "(_ ".repeat(3_000), ")".repeat(3_000))}),
        json!({"query": "(identifier)"}),
        json!({"query": "(identifier) @a \u{0}"}),
        json!({"query": "((identifier) @a (#match? @a \"(\"))"}),
        json!({"query": "((identifier) @a (#is-not? local))"}),
        json!({"query": "((identifier) @a (#strange? @a))"}),
        json!({"query": "\u{1F600} (no_such_type) @a"}),
        json!({"text": " \n"}),
        json!({"name": ""}),
        json!({"node_type": "function", "query": "(identifier) @a"}),
        json!({"text": "a", "max_items": 0}),
    ];
    for arguments in refused {
        let shown = arguments.to_string();
        let refusal = bench.call("find_nodes", arguments);
        let refusal = refusal.expect_err(&shown);
        assert_eq!(
            refusal.code().as_str(),
            "invalid_arguments",
            "{}",
            refusal.text()
        );
        assert!(refusal.text().len() < 8_000, "{}", refusal.text());
    }
    let bounded = [
        json!({"regex": "(a*)*b"}),
        json!({"regex": "x*"}),
        json!({"query": "(_ (_)* @a (_)* @b (_)* @c) @d"}),
        json!({"text": "a", "max_items": 1_000_000}),
        json!({"name": "****a****"}),
    ];
    for arguments in bounded {
        let shown = arguments.to_string();
        let answered = bench.call("find_nodes", arguments).expect(&shown);
        let matches = answered.json["matches"].as_array().expect("a list");
        assert!(matches.len() <= ITEMS_LIMIT, "{shown}");
    }
}

/// Returns an engine over the project itself.
fn project() -> (Engine, tempfile::TempDir) {
    let state = tempfile::tempdir().expect("a temporary directory can be created");
    let state_path = Utf8PathBuf::from_path_buf(state.path().to_path_buf()).expect("a UTF-8 path");
    let root = Utf8PathBuf::from_path_buf(crate::support::repository().to_path_buf())
        .expect("its path is UTF-8");
    let engine = Engine::open(&[root], Some(&state_path)).expect("the directories can be opened");
    (engine, state)
}

fn parsed(path: &str) -> Parsed {
    let root = crate::support::repository();
    let bytes = fs::read(root.join(path)).expect("the file is there");
    let text = String::from_utf8(bytes).expect("it is text");
    Parsed::parse(Source::new(path, language::for_file(path, &text), text))
}

fn in_order<'s>(symbols: &'s [SymbolListed], all: &mut Vec<&'s SymbolListed>) {
    for symbol in symbols {
        all.push(symbol);
        in_order(&symbol.symbols, all);
    }
}

/// With `TREEGRAFT_TEST_FULL=1`, they try all their cases.
mod long {
    use super::*;

    #[test]
    fn every_locator_of_an_outline_resolves_to_its_symbol() {
        let (engine, _state) = project();
        let mut tried = 0;
        let sources = if is_full() { "src" } else { "src/locate" };
        for path in [sources, "queries/**/sample.*", "docs", "Cargo.toml"] {
            let mut cursor = None;
            loop {
                let mut request = Outline::new(path).depth(99_usize).max_items(ITEMS_LIMIT);
                request.cursor = cursor;
                let page = engine.outline(&request, &()).expect("there are files");
                for file in &page.files {
                    let parsed = parsed(&file.file_path);
                    let symbols = parsed.outline().symbols();
                    let mut listed = Vec::new();
                    in_order(&file.symbols, &mut listed);
                    for one in listed {
                        let text = json!(one.locate).to_string();
                        let LocateArgument(question) =
                            serde_json::from_str(&text).expect("an answer can be parsed");
                        let place = locate::answer(&parsed, &question).expect(&text);
                        assert!(
                            place.matches == 1 || question.find_index.is_some(),
                            "{text}"
                        );
                        let is_it = |symbol: &&treegraft::parse::Symbol| {
                            symbol.span == place.span && symbol.name_span.start() == place.point
                        };
                        let symbol = symbols.iter().find(is_it).expect(&text);
                        assert_eq!((&symbol.name, symbol.kind), (&one.name, one.kind.as_str()));
                        let line = parsed.source().line_of(symbol.name_span.start());
                        assert_eq!(line, one.line, "{text}");
                        tried += 1;
                    }
                }
                cursor = page.cursor;
                if cursor.is_none() {
                    break;
                }
            }
        }
        let least = if is_full() { 3_000 } else { 800 };
        assert!(tried > least, "only {tried} symbols");
    }
}

#[test]
fn every_selector_of_a_match_selects_its_node() {
    let (engine, _state) = project();
    let searches = [
        FindNodes::new("").query("(_) @it").max_items(150_usize),
        FindNodes::new("").text("e").max_items(60_usize),
        FindNodes::new("").name("*").max_items(60_usize),
        FindNodes::new("").node_type("string").max_items(30_usize),
    ];
    let mut tried = 0;
    let samples = fs::read_dir(crate::support::repository().join("queries"));
    for folder in samples.expect("the samples are there") {
        let folder = folder.expect("the folder can be read").file_name();
        for search in &searches {
            let mut request = search.clone();
            request.path = format!("queries/{}/sample*", folder.to_string_lossy()).into();
            let found = match engine.find_nodes(&request, &()) {
                Ok(found) => found.matches,
                Err(refusal) => {
                    assert!(
                        ["file_not_found", "invalid_arguments"].contains(&refusal.code().as_str())
                    );
                    continue;
                }
            };
            let Some(file_path) = found.first().map(|one| one.file_path.clone()) else {
                continue;
            };
            let parsed = parsed(&file_path);
            let mut seen = HashSet::new();
            for one in found.iter().filter(|one| one.file_path == file_path) {
                let shown = json!(one).to_string();
                let selector = one.selector.as_ref().expect(&shown);
                let text = json!(selector).to_string();
                let read: treegraft::engine::request::SelectorArgument =
                    serde_json::from_str(&text).expect("an answer can be parsed");
                let selection = select::select(&parsed, &read.0).expect(&shown);
                assert_eq!(selection.node().kind(), one.node_type, "{shown}");
                if search.text.is_none() {
                    let span = selection.span();
                    let own = parsed.source().slice(span);
                    let start = span.start() + own.len() - own.trim_start().len();
                    assert_eq!(parsed.source().line_of(start), one.line, "{shown}");
                    let is_new =
                        seen.insert((span, one.node_type.clone(), selection.chain().len()));
                    assert!(is_new || search.name.is_some(), "{shown}");
                }
                tried += 1;
            }
        }
    }
    assert!(tried > 2_000, "only {tried} matches");
}
