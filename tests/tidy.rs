//! The laws of the tree that no compiler knows: the order of the layers, where printing and
//! languages belong, and that no file is forgotten.
//!
//! Each check is a function from paths and texts to complaints, so that it is also shown a bad text
//! that it must complain about.

#![expect(
    clippy::disallowed_methods,
    reason = "the files of the project are what is looked at"
)]

use std::collections::BTreeSet;
use std::fs;

use regex::Regex;
use treegraft::language::{GENERAL_WORDS, LANGUAGES};
use treegraft::parse::Parsed;
use treegraft::source::Source;

/// A file of the project: its path from the root, with `/`, and its text.
type File = (String, String);

/// Where the project's Rust code is, without what fuzzing produces.
const OURS: [&str; 6] = [
    "src",
    "crates",
    "tests",
    "benches",
    "fuzz/src",
    "fuzz/fuzz_targets",
];

/// The sources of the packages that users get: the library and the front ends.
const PACKAGES: [&str; 5] = [
    "src",
    "crates/cli/src",
    "crates/loopback/src",
    "crates/python/src",
    "crates/review/src",
];

/// The only file that prints.
const PRINTS: &str = "crates/cli/src/cli/print.rs";

/// Other files that may name the standard streams, with the reason.
const NAME_STREAMS: &[(&str, &str)] = &[
    (
        "crates/cli/src/mcp.rs",
        "the server's transport is the standard streams themselves",
    ),
    (
        "crates/cli/src/cli/review.rs",
        "it starts the browser without streams",
    ),
    (
        "crates/cli/src/cli/background/server.rs",
        "it starts the background process without streams",
    ),
    (
        "crates/cli/src/cli/doctor/started.rs",
        "the streams are those of the programs it starts",
    ),
    (
        "crates/cli/src/user_files.rs",
        "it reads standard input for the command line",
    ),
    (
        "crates/cli/src/user_languages/library.rs",
        "the streams are those of the process that loads a library first",
    ),
    (
        "src/lsp/process.rs",
        "the streams are those of the servers it starts",
    ),
    (
        "src/engine/crashes.rs",
        "a test, which says what it counted",
    ),
    (
        "src/engine/crashes/whole_files.rs",
        "a test, which says what it counted",
    ),
];

/// The modules that work on any language: what they know of one is in its query files.
const OF_NO_LANGUAGE: [&str; 6] = ["change", "edit", "locate", "parse", "select", "validate"];

/// Signs that begin a comment, a list item or a quote in some languages only.
const SIGNS: [&str; 10] = ["#", "//", "/*", "--", ";;", ">", "- ", "-", "*", "+"];

/// Keywords, node types and such signs that are in these modules all the same: file, words, reason.
const LANGUAGE_FACTS: &[(&str, &[&str], &str)] = &[
    ("src/edit/siblings.rs", &[">"], "a closing angle bracket"),
    (
        "src/edit/siblings/reader.rs",
        &[">"],
        "a closing angle bracket",
    ),
    (
        "src/validate/content.rs",
        &["+", "-", "*"],
        "the lines of a diff, whatever the language",
    ),
    (
        "src/parse/outline.rs",
        &[">", "*"],
        "the arguments and the pointers of a type in a name (docs/design/locate.md#scopes)",
    ),
    (
        "src/locate/pattern.rs",
        &["--", "//", "/*", "*"],
        "the tokens of a search text, in whatever language",
    ),
    (
        "src/locate/marker.rs",
        &[">"],
        "the end of the marker `<|>`",
    ),
    (
        "src/locate/describe.rs",
        &[">"],
        "the end of the marker `<|>`",
    ),
    ("src/locate/request.rs", &["-"], "the range of lines `3-5`"),
    (
        "src/select/find.rs",
        &["*"],
        "any text in the name that is sought",
    ),
    (
        "src/validate/content.rs",
        &["body"],
        "an English word in \"rest of the body\"",
    ),
];

#[test]
fn layers_only_look_up_the_list_of_modules() {
    for package in PACKAGES {
        let root = read(&format!("{package}/lib.rs"));
        assert_eq!(looking_down(package, &root, &files(package, "rs")), NONE);
    }
}

#[test]
fn layers_of_the_engine_only_look_up_its_list_of_modules() {
    let root = read("src/engine.rs");
    assert_eq!(
        looking_down("src/engine", &root, &files("src/engine", "rs")),
        NONE
    );
}

#[test]
fn a_look_down_the_list_of_the_engine_is_found() {
    let root = "//! Docs.\n\nmod log;\nmod plan;\n";
    let own = "use super::{Engine, plan};\nuse super::super::diagnostic;\n";
    let inner = "use super::plan;\nuse super::super::plan::Plan;\nuse crate::engine::plan;\n";
    let files = [
        file("src/engine/log.rs", own),
        file("src/engine/log/ended.rs", inner),
    ];
    assert_eq!(
        looking_down("src/engine", root, &files),
        [
            "src/engine/log.rs:1: `Engine` is no module of src/engine.rs",
            "src/engine/log.rs:1: `log` looks down to `plan`",
            "src/engine/log/ended.rs:2: `log` looks down to `plan`",
            "src/engine/log/ended.rs:3: `log` looks down to `plan`",
        ]
    );
}

#[test]
fn a_look_down_the_list_is_found() {
    let root = "//! Docs.\n\npub mod language;\n\nmod source;\npub mod engine;\n";
    let text = "//! Docs of `crate::engine`.\n\
                use crate::language::{Language, queries};\n\
                use crate::{\n    source::Span,\n    engine::{Engine, source},\n};\n\
                fn f() { crate::engine::g(); mycrate::engine::g(); crate::nowhere::h() }\n\
                #[cfg(test)]\nmod tests {\n    use crate::engine;\n}\n";
    assert_eq!(
        looking_down("src", root, &[file("src/source/span.rs", text)]),
        [
            "src/source/span.rs:5: `source` looks down to `engine`",
            "src/source/span.rs:7: `source` looks down to `engine`",
            "src/source/span.rs:7: `nowhere` is no module of src/lib.rs",
        ]
    );
    let unlisted = file("src/edit.rs", "//! Docs.\n");
    assert_eq!(
        looking_down("src", root, &[unlisted]),
        ["src/edit.rs: `edit` is no module of src/lib.rs"]
    );
}

#[test]
fn words_and_suggestions_do_not_use_each_other() {
    assert_eq!(words_and_suggestions(&files("src/diagnostic", "rs")), NONE);
}

#[test]
fn words_that_resolve_a_call_are_found() {
    let text = "//! Docs.\n\n// Not suggest::this.\nuse super::suggest::for_locate;\n\
                use crate::{explain, select::select};\nfn f() { Parsed::parse(a); }\n";
    let found = words_and_suggestions(&[
        file("src/diagnostic/explain/edit.rs", text),
        file("src/diagnostic/suggest.rs", text),
        file("src/diagnostic/refuse.rs", text),
    ]);
    assert_eq!(
        found,
        [
            "src/diagnostic/explain/edit.rs:4 uses `suggest::`",
            "src/diagnostic/explain/edit.rs:6 uses `::parse(`",
            "src/diagnostic/suggest.rs:5 uses `explain,`",
        ]
    );
}

/// The library is text in, checked edits out: who embeds it gets neither a terminal, nor a server, nor an async runtime.
#[test]
fn the_library_depends_on_no_front_end() {
    const OF_FRONT_ENDS: [&str; 10] = [
        "anstream",
        "axum",
        "clap",
        "clap_complete",
        "clap_mangen",
        "indicatif",
        "rmcp",
        "terminal_size",
        "tokio",
        "tokio-util",
    ];
    let dependencies = |path: &str| {
        let manifest: toml_edit::DocumentMut = read(path).parse().expect("a manifest is TOML");
        let table = manifest["dependencies"].as_table().expect("there are some");
        let names = table.iter().map(|(name, _)| name.to_string());
        names.collect::<Vec<_>>()
    };
    // Without features, the library is these and the grammars.
    const ALWAYS: [&str; 13] = [
        "annotate-snippets",
        "blake3",
        "elsa",
        "foldhash",
        "memchr",
        "regex",
        "ropey",
        "serde",
        "serde_json",
        "similar",
        "strsim",
        "thiserror",
        "tree-sitter",
    ];
    let manifest: toml_edit::DocumentMut = read("Cargo.toml").parse().expect("a manifest is TOML");
    let table = manifest["dependencies"].as_table().expect("there are some");
    let always = table.iter().filter(|(_, entry)| {
        let optional = entry
            .get("optional")
            .and_then(|optional| optional.as_bool());
        optional != Some(true)
    });
    let mut always: Vec<&str> = always.map(|(name, _)| name).collect();
    always.sort_unstable();
    assert_eq!(always, ALWAYS);
    let of_library = dependencies("Cargo.toml");
    let of_cli = dependencies("crates/cli/Cargo.toml");
    for name in OF_FRONT_ENDS {
        assert!(!of_library.iter().any(|one| one == name), "{name}");
        assert!(
            of_cli.iter().any(|one| one == name),
            "{name} is no dependency any more"
        );
    }
}

#[test]
fn every_source_file_opens_with_its_docs() {
    let all = OURS.map(|folder| files(folder, "rs"));
    assert_eq!(without_docs(&all.concat()), NONE);
}

#[test]
fn a_file_without_docs_is_found() {
    let bad = file("src/a.rs", "\nuse std::fmt;\n//! Late.\n");
    assert_eq!(
        without_docs(&[bad, file("src/b.rs", "//! Docs.\n")]),
        ["src/a.rs does not open with `//!`"]
    );
}

#[test]
fn every_test_file_is_listed() {
    let files = files("tests", "rs");
    for folder in ["tests", "tests/external"] {
        let listing = read(&format!("{folder}/main.rs"));
        assert_eq!(unlisted(folder, &listing, &files), NONE);
    }
}

#[test]
fn a_forgotten_test_file_is_found() {
    let listing = "mod a;\n// mod b;\n";
    let files = ["tests/main.rs", "tests/a.rs", "tests/b.rs", "tests/a/c.rs"];
    assert_eq!(
        unlisted("tests", listing, &files.map(|path| file(path, ""))),
        ["tests/b.rs is not listed in tests/main.rs"]
    );
}

#[test]
fn only_one_file_prints() {
    assert_eq!(printing(&sources()), NONE);
    for (path, reason) in NAME_STREAMS {
        assert!(of_project(path).is_file(), "{path}: {reason}");
    }
}

#[test]
fn a_file_that_prints_is_found() {
    let text = "// println!(\"no code\")\nfn f() {\n    eprintln!(\"{}\", 1);\n    reprint!(2);\n    io::stdout();\n}\n";
    let files = [
        file("src/a.rs", text),
        file(PRINTS, text),
        file(NAME_STREAMS[0].0, text),
    ];
    assert_eq!(
        printing(&files),
        ["src/a.rs:3 names `eprintln!`", "src/a.rs:5 names `stdout`"]
    );
}

#[test]
fn every_call_on_files_is_a_step_that_tests_can_stop_at() {
    let workspace = files("src", "rs").into_iter();
    let workspace = workspace.filter(|(path, _)| path.starts_with("src/workspace"));
    assert_eq!(without_a_step(&workspace.collect::<Vec<_>>()), NONE);
    assert!(of_project(STEPS).is_file());
}

#[test]
fn a_call_without_a_step_is_found() {
    let text = "fn f(folder: &cap_std::fs::Dir) {\n    std::fs::write(\"a\", \"b\");\n    let kind: FileType;\n    path.canonicalize();\n}\n";
    let steps = "impl Folder {\n    fn look(&self) {\n        step(Step::Look, || self.0.metadata())\n    }\n\n    fn two(&self) {\n        \
                 self.0.a();\n        step(Step::Look, || self.0.b())\n    }\n\n    fn none(&self) {\n        Dir::open_ambient_dir(path)\n    }\n}\n";
    assert_eq!(
        without_a_step(&[file("src/workspace/a.rs", text), file(STEPS, steps)]),
        [
            "src/workspace/a.rs:1 names `std::fs::`",
            "src/workspace/a.rs:2 names `std::fs::`",
            "src/workspace/a.rs:4 names `canonicalize`",
            "src/workspace/disk.rs: `two` makes 2 calls in 1 steps",
            "src/workspace/disk.rs: `none` makes 1 calls in 0 steps",
        ]
    );
}

#[test]
fn no_language_is_named_in_a_branch() {
    assert_eq!(branches_on_language(&sources()), NONE);
}

#[test]
fn a_branch_on_a_language_is_found() {
    let text = "match name {\n    \"rust\" => 1,\n    \"json\" | \"x\" => 2,\n}\n\
                if language().name == other {}\nif name != \"json\" {}\nlet a = [\"rust\"];\n";
    let files = [file("src/a.rs", text), file("src/language.rs", text)];
    assert_eq!(
        branches_on_language(&files),
        [
            "src/a.rs:2 branches on a language",
            "src/a.rs:3 branches on a language",
            "src/a.rs:5 branches on a language",
            "src/a.rs:6 branches on a language",
        ]
    );
}

#[test]
fn keywords_and_node_types_are_in_the_query_files() {
    let files = OF_NO_LANGUAGE.map(|module| {
        let mut files = files(&format!("src/{module}"), "rs");
        let root = format!("src/{module}.rs");
        files.push((root.clone(), read(&root)));
        files
    });
    let found = language_facts(&files.concat(), &grammar_words(), LANGUAGE_FACTS);
    assert_eq!(found, NONE);
}

#[test]
fn a_keyword_in_the_code_is_found() {
    let words = grammar_words();
    let text = "// \"while\"\nlet a = kind == \"if\" || text.starts_with(\"case \");\n\
                let b = [\"comment\", \"something else\", \"{\", \"function_item\"];\n\
                let c: &'static str = line.trim_start_matches(['#', 'x']);\n";
    let known: &[(&str, &[&str], &str)] = &[("src/a.rs", &["case", "for"], "a reason")];
    assert_eq!(
        language_facts(&[file("src/a.rs", text)], &words, known),
        [
            "src/a.rs:2: \"if\" is a fact about a language",
            "src/a.rs:3: \"function_item\" is a fact about a language",
            "src/a.rs:4: \"#\" is a fact about a language",
            "src/a.rs: \"for\" is listed and not there",
        ]
    );
}

#[test]
fn every_snapshot_has_its_test_and_none_is_pending() {
    let paths = ["snapshots", "tests", "src"].map(|folder| {
        let mut paths = Vec::new();
        collect(folder, &mut paths);
        paths
    });
    let snapshots = files("snapshots", "snap");
    assert_eq!(pending(&paths.concat()), NONE);
    assert_eq!(stale_snapshots(&snapshots, &files("tests", "rs")), NONE);
}

#[test]
fn a_stale_or_pending_snapshot_is_found() {
    let paths = ["snapshots/help.snap", "snapshots/help.snap.new"];
    assert_eq!(
        pending(&paths.map(str::to_string)),
        ["snapshots/help.snap.new waits for a review"]
    );
    let header = "---\nsource: crates/cli/../../tests/a.rs\n---\n";
    let snapshots = [
        file("snapshots/x/kept.snap", header),
        file("snapshots/y/kept.snap", header),
        file("snapshots/x/gone.snap", header),
        file("snapshots/odd.snap", "no header"),
    ];
    let tests = [file("tests/a.rs", "pinned(\"kept\");")];
    assert_eq!(
        stale_snapshots(&snapshots, &tests),
        [
            "snapshots/y/kept.snap: tests/a.rs has another snapshot of that name",
            "snapshots/x/gone.snap: tests/a.rs does not name it",
            "snapshots/odd.snap has no source",
        ]
    );
}

#[test]
fn every_code_has_its_whole_text_in_a_snapshot_or_a_page() {
    let codes = read("src/diagnostic/code.rs");
    let mut texts = files("snapshots", "snap");
    texts.extend(pages().into_iter().map(|page| (page.path, page.source)));
    assert_eq!(codes_without_text(&codes, &texts), NONE);
}

#[test]
fn a_code_without_a_text_is_found() {
    let codes = "    fn as_str(self) {\n Code::A => \"a\",\n Code::B => \"b\",\n    }\n";
    let snapshots = [file("snapshots/one.snap", "---\nrefused: a\nwords\n")];
    assert_eq!(codes_without_text(codes, &snapshots), ["b"]);
}

#[test]
fn nothing_is_left_for_later_or_silenced() {
    let all = OURS.map(|folder| files(folder, "rs"));
    assert_eq!(silenced(&all.concat()), NONE);
}

#[test]
fn what_is_left_for_later_or_silenced_is_found() {
    for needle in silencers() {
        let text = format!("//! Docs.\n    {needle}\n");
        assert_eq!(
            silenced(&[file("src/a.rs", &text)]),
            [format!("src/a.rs:2 holds `{needle}`")]
        );
    }
}

/// What `words` refuses, with what to write instead.
const PHRASES: &str = include_str!("tidy/phrases.txt");

/// Where people and agents read the project's words, with the endings of those files.
const READ: [(&str, &str); 14] = [
    ("docs", "md"),
    ("examples", "md"),
    ("src", "rs"),
    ("crates", "rs"),
    ("crates", "py"),
    ("tests", "rs"),
    ("tests", "py"),
    ("tests", "sh"),
    ("benches", "rs"),
    ("benches", "py"),
    ("fuzz/fuzz_targets", "rs"),
    ("fuzz/src", "rs"),
    ("fuzz", "md"),
    ("queries", "scm"),
];

#[test]
fn the_project_uses_plain_words() {
    let mut read_files: Vec<File> = [
        "README.md",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "SECURITY.md",
        "Cargo.toml",
        ".clippy.toml",
        "deny.toml",
    ]
    .map(|path| file(path, &read(path)))
    .to_vec();
    for (folder, ending) in READ {
        let files = files(folder, ending);
        assert!(!files.is_empty(), "no .{ending} file in {folder}");
        read_files.extend(files);
    }
    let found = stilted(&phrases(), &read_files);
    assert!(
        found.is_empty(),
        "{}\n{} lines; tests/tidy/phrases.txt says what to write instead",
        found.join("\n"),
        found.len()
    );
}

#[test]
fn a_stilted_phrase_is_found() {
    let phrases = phrases();
    let complaints = |path: &str, text: &str| stilted(&phrases, &[file(path, text)]);
    // The samples are stilted on purpose.
    let rust = "//! A round trip.\nfn it_is_round_here() {\n    // It stands there.\n    say(\"so many\");\n}\n";
    assert_eq!(
        complaints("src/a.rs", rust),
        [
            "src/a.rs:2: \"round\" in `it is round here`: around, enclosing",
            "src/a.rs:3: \"stands\" in `// It stands there.`: is, appears, occurs",
            "src/a.rs:4: \"so many\" in `so many`: N; that many",
        ]
    );
    assert_eq!(complaints("tests/a.rs", rust).len(), 2, "strings are data");
    let page = "# Behind it\n\n```text\nbehind\n```\n";
    assert_eq!(
        complaints("docs/a.md", page),
        ["docs/a.md:1: \"Behind\" in `Behind it`: after, following"]
    );
    let queries = "; Mended.\n(mend) @anew\n";
    assert_eq!(complaints("queries/a.scm", queries).len(), 1);
    let script = "# Anew.\nmend = 'anew'\n";
    assert_eq!(complaints("tests/a.py", script).len(), 2);
}

/// The only file of the workspace that calls the system on files, each call in a step.
const STEPS: &str = "src/workspace/disk.rs";

/// Calls before anything is read or written, and the read of the configuration of the user's programs.
const BEFORE_ALL: &[(&str, &str)] = &[
    (
        "src/workspace.rs",
        "let canonical = folder.canonicalize_utf8().ok();",
    ),
    (
        "src/workspace/path.rs",
        "let canonical = given.canonicalize()",
    ),
    ("src/workspace/programs.rs", "std::fs::read(path)"),
    (
        "src/workspace/state.rs",
        "let mut builder = std::fs::DirBuilder::new();",
    ),
    (
        "src/workspace/state.rs",
        "std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);",
    ),
    (
        "src/workspace/state.rs",
        "let canonical = path.canonicalize()",
    ),
];

/// Every call on files of the workspace that is made without a step.
fn without_a_step(files: &[File]) -> Vec<String> {
    // What can make a call, by any of the two libraries; what only describes a file cannot.
    const CALLS: &[&str] = &["std::fs::", "canonicalize"];
    const HARMLESS: &[&str] = &[
        "cap_std::fs::{FileType, Metadata}",
        "cap_std::fs::FileTypeExt",
        "cap_std::fs::Metadata",
        "cap_std::fs::PermissionsExt",
    ];
    let mut complaints = Vec::new();
    for (path, text) in files {
        let code = code_of(path, text);
        if path == STEPS {
            for function in code.split("fn ").skip(1) {
                let name = function.split(['(', '<']).next().unwrap_or_default();
                let calls = ["self.0.", "Dir::open"].map(|call| function.matches(call).count());
                let calls: usize = calls.iter().sum();
                let steps = function.matches("step(Step::").count();
                // Flushing a file calls nobody.
                if calls > steps && name != "flush" {
                    complaints.push(format!(
                        "{path}: `{name}` makes {calls} calls in {steps} steps"
                    ));
                }
            }
            continue;
        }
        for (number, line) in code.lines().enumerate() {
            let is_known = |(file, known): &&(&str, &str)| *file == path && line.contains(known);
            if BEFORE_ALL.iter().any(|known| is_known(&known)) {
                continue;
            }
            let harmless = HARMLESS.iter();
            let line = harmless.fold(line.to_string(), |line, name| line.replace(name, ""));
            if let Some(call) = CALLS.iter().find(|call| line.contains(**call)) {
                complaints.push(format!("{path}:{} names `{call}`", number + 1));
            }
        }
    }
    complaints
}

/// No complaint.
const NONE: [&str; 0] = [];

/// Every path from the root of a package, or of the engine, that names a module further down its list than its own.
fn looking_down(package: &str, root: &str, files: &[File]) -> Vec<String> {
    let layers = modules(root);
    let layer = |room: &str| layers.iter().position(|one| *one == room);
    let (list, from_crate) = match package {
        "src/engine" => ("src/engine.rs".to_string(), "crate::engine::"),
        _ => (format!("{package}/lib.rs"), "crate::"),
    };
    let mut complaints = Vec::new();
    for (path, text) in files {
        let room = path.trim_start_matches(package).trim_start_matches('/');
        let depth = room.matches('/').count() + 1;
        let room = room.split(['/', '.']).next().unwrap_or(room);
        if ["lib", "main"].contains(&room) {
            continue;
        }
        let Some(own) = layer(room) else {
            complaints.push(format!("{path}: `{room}` is no module of {list}"));
            continue;
        };
        let code = code_of(path, text);
        let mut named = paths_after(from_crate, &code);
        if package == "src/engine" {
            let relative = paths_after(&"super::".repeat(depth), &code);
            // All of a module, in its tests, has no name.
            let is_named = |name: &str| !["super", ""].contains(&name);
            named.extend(relative.into_iter().filter(|(_, name)| is_named(name)));
            named.sort();
        }
        for (line, named) in named {
            match layer(&named) {
                None => complaints.push(format!("{path}:{line}: `{named}` is no module of {list}")),
                Some(other) if other > own => {
                    complaints.push(format!("{path}:{line}: `{room}` looks down to `{named}`"));
                }
                Some(_) => {}
            }
        }
    }
    complaints
}

/// The names of a file's `mod` lines, in order.
fn modules(text: &str) -> Vec<&str> {
    let lines = text.lines().map(str::trim);
    lines
        .filter_map(|line| {
            let line = line.strip_prefix("pub ").unwrap_or(line);
            line.strip_prefix("mod ")?.strip_suffix(';')
        })
        .collect()
}

/// The text of a file without comments that have a line of their own and without test modules; what is
/// left out leaves its lines empty.
fn code_of(path: &str, text: &str) -> String {
    if path.ends_with("/tests.rs") {
        return "\n".repeat(text.lines().count());
    }
    let mut code = String::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let bare = line.trim_start();
        let indentation = &line[..line.len() - bare.len()];
        let is_module = |next: &&str| next.trim_start().starts_with("mod ") && next.ends_with('{');
        let is_for_tests = bare.starts_with("#[cfg(") && bare.contains("test");
        if is_for_tests && lines.peek().is_some_and(is_module) {
            // Formatted code closes a module where it opened it.
            let end = format!("{indentation}}}");
            code.push('\n');
            for inner in lines.by_ref() {
                code.push('\n');
                if inner == end {
                    break;
                }
            }
        } else {
            if !bare.starts_with("//") {
                code.push_str(line);
            }
            code.push('\n');
        }
    }
    code
}

/// Each name that follows `prefix`, also in a group, with its line.
fn paths_after(prefix: &str, code: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let line_of = |offset: usize| code[..offset].matches('\n').count() + 1;
    for (start, needle) in code.match_indices(prefix) {
        if code[..start].ends_with(is_word) || code[..start].ends_with("super::") {
            continue;
        }
        let from = start + needle.len();
        if !code[from..].starts_with('{') {
            found.push((line_of(from), word_at(&code[from..])));
            continue;
        }
        let mut depth = 0;
        for (offset, c) in code[from..].char_indices() {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                break;
            }
            let at = from + offset;
            let begins = is_word(c) && !code[..at].ends_with(|c| is_word(c) || c == ':');
            if depth == 1 && begins {
                let name = word_at(&code[at..]);
                // `as` and the name after it follow a space, the others follow `{` or `,`.
                let before = code[..at].trim_end();
                if before.ends_with(['{', ',']) {
                    found.push((line_of(at), name));
                }
            }
        }
    }
    found
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn word_at(text: &str) -> String {
    text.chars().take_while(|c| is_word(*c)).collect()
}

/// Each use of suggestions or of a parser in the words of refusals, and of words in the suggestions.
fn words_and_suggestions(files: &[File]) -> Vec<String> {
    let mut found = Vec::new();
    for (path, text) in files {
        let forbidden: &[&str] = match path.strip_prefix("src/diagnostic/") {
            Some(path) if path.starts_with("explain") => {
                &["suggest::", "suggest,", "::parse(", "reparse(", "discover("]
            }
            Some(path) if path.starts_with("suggest") => &["explain::", "explain,"],
            _ => &[],
        };
        for (index, line) in code_of(path, text).lines().enumerate() {
            let used = forbidden.iter().filter(|code| line.contains(**code));
            found.extend(used.map(|code| format!("{path}:{} uses `{code}`", index + 1)));
        }
    }
    found
}

/// Returns every file whose first line is not part of its docs.
fn without_docs(files: &[File]) -> Vec<String> {
    let bare = files.iter().filter(|(_, text)| !text.starts_with("//!"));
    bare.map(|(path, _)| format!("{path} does not open with `//!`"))
        .collect()
}

/// Returns every test file next to the `main.rs` of a folder that is not one of its modules.
fn unlisted(folder: &str, listing: &str, files: &[File]) -> Vec<String> {
    let listed = modules(listing);
    let names = files.iter().filter_map(|(path, _)| {
        let name = path
            .strip_prefix(folder)?
            .strip_prefix('/')?
            .strip_suffix(".rs")?;
        let adjacent = !name.contains('/') && name != "main";
        (adjacent && !listed.contains(&name)).then_some(path)
    });
    names
        .map(|path| format!("{path} is not listed in {folder}/main.rs"))
        .collect()
}

/// Every line that prints or names the standard streams where it must not.
fn printing(files: &[File]) -> Vec<String> {
    const NEEDLES: [&str; 7] = [
        "print!",
        "println!",
        "eprint!",
        "eprintln!",
        "dbg!",
        "stdout",
        "stderr",
    ];
    let excepted =
        |path: &str| path == PRINTS || NAME_STREAMS.iter().any(|(excepted, _)| *excepted == path);
    let mut complaints = Vec::new();
    for (path, text) in files.iter().filter(|(path, _)| !excepted(path)) {
        for (line, code) in code_of(path, text).lines().enumerate() {
            for needle in NEEDLES {
                let mut found = code.match_indices(needle);
                if found.any(|(at, _)| !code[..at].ends_with(is_word)) {
                    complaints.push(format!("{path}:{} names `{needle}`", line + 1));
                }
            }
        }
    }
    complaints
}

/// Every line outside of the language table that decides by a language's name.
fn branches_on_language(files: &[File]) -> Vec<String> {
    let mut needles = Vec::new();
    for language in LANGUAGES.iter() {
        let name = language.name;
        needles.extend([
            format!("\"{name}\" =>"),
            format!("\"{name}\" |"),
            format!("| \"{name}\""),
            format!("== \"{name}\""),
            format!("!= \"{name}\""),
        ]);
    }
    for of in ["language()", "language"] {
        needles.extend([
            format!("{of}.name =="),
            format!("{of}.name !="),
            format!("match {of}.name"),
        ]);
    }
    let mut complaints = Vec::new();
    for (path, text) in files.iter().filter(|(path, _)| path != "src/language.rs") {
        for (line, code) in code_of(path, text).lines().enumerate() {
            if needles.iter().any(|needle| code.contains(needle.as_str())) {
                complaints.push(format!("{path}:{} branches on a language", line + 1));
            }
        }
    }
    complaints
}

/// Returns the keywords and node types of all grammars, without the general words, which are treegraft's own.
fn grammar_words() -> BTreeSet<&'static str> {
    let grammars = LANGUAGES.iter().filter_map(|language| language.grammar());
    let names = grammars.flat_map(|grammar| {
        let ids = 0..u16::try_from(grammar.node_kind_count()).unwrap_or(u16::MAX);
        ids.filter_map(|id| grammar.node_kind_for_id(id))
    });
    let is_one = |name: &&str| name.len() > 1 && name.chars().all(is_word);
    let mut words: BTreeSet<&str> = names.filter(is_one).collect();
    words.retain(|word| !GENERAL_WORDS.contains(word));
    words.extend(SIGNS);
    words
}

/// Returns a complaint for every string or character that is a keyword, a node type or such a sign and not listed, and for every listed one that
/// is no longer there.
fn language_facts(
    files: &[File],
    words: &BTreeSet<&str>,
    listed: &[(&str, &[&str], &str)],
) -> Vec<String> {
    let mut complaints = Vec::new();
    let mut there = BTreeSet::new();
    for (path, text) in files {
        for (line, code) in code_of(path, text).lines().enumerate() {
            let strings = code.split('"').skip(1).step_by(2);
            // A lifetime has no quote after its first character.
            let characters = code.match_indices('\'').filter_map(|(quote, _)| {
                let character = code.get(quote + 1..quote + 2)?;
                code[quote + 2..].starts_with('\'').then_some(character)
            });
            for word in strings.map(str::trim).chain(characters) {
                let mut listed = listed.iter();
                if listed.any(|(file, words, _)| file == path && words.contains(&word)) {
                    there.insert((path.as_str(), word.to_string()));
                } else if words.contains(word) {
                    let place = format!("{path}:{}", line + 1);
                    complaints.push(format!("{place}: \"{word}\" is a fact about a language"));
                }
            }
        }
    }
    for (path, words, _) in listed {
        let gone = words
            .iter()
            .filter(|word| !there.contains(&(*path, word.to_string())));
        complaints.extend(gone.map(|word| format!("{path}: \"{word}\" is listed and not there")));
    }
    complaints
}

/// Every snapshot that nobody reviewed yet.
fn pending(paths: &[String]) -> Vec<String> {
    let is_pending =
        |path: &&String| path.ends_with(".snap.new") || path.ends_with(".pending-snap");
    let pending = paths.iter().filter(is_pending);
    pending
        .map(|path| format!("{path} waits for a review"))
        .collect()
}

/// Every snapshot that the test in its header does not name, or has twice.
fn stale_snapshots(snapshots: &[File], tests: &[File]) -> Vec<String> {
    let mut complaints = Vec::new();
    let mut seen = BTreeSet::new();
    for (path, text) in snapshots {
        let source = text.lines().find(|line| line.starts_with("source: "));
        let source = source.and_then(|line| line.find("tests/").map(|start| &line[start..]));
        let Some(source) = source else {
            complaints.push(format!("{path} has no source"));
            continue;
        };
        let name = path.rsplit('/').next().unwrap_or_default();
        let name = name.trim_end_matches(".snap");
        // A test may put a word before its names, or name a file by them.
        let rest = name.split_once('_').map_or(name, |(_, rest)| rest);
        let quoted = [format!("\"{name}"), format!("\"{rest}")];
        // A module of the test may name it.
        let modules = format!("{}/", source.trim_end_matches(".rs"));
        let is_source = |(path, text): &File| {
            let is_test = path == source || path.starts_with(&modules);
            is_test && quoted.iter().any(|name| text.contains(name))
        };
        if !tests.iter().any(is_source) {
            complaints.push(format!("{path}: {source} does not name it"));
        } else if !seen.insert((source, name)) {
            complaints.push(format!(
                "{path}: {source} has another snapshot of that name"
            ));
        }
    }
    complaints
}

#[test]
fn headings_of_cases_are_sentences() {
    let pages = pages();
    let headings = pages.iter().flat_map(|page| {
        let headings = page.headings.iter();
        headings.map(|one| (format!("{}:{}", page.path, one.line), one.text.clone()))
    });
    assert_eq!(badly_headed(&headings.collect::<Vec<_>>()), NONE);
}

#[test]
fn a_heading_that_is_no_sentence_is_found() {
    let headings = [
        "A tuple keeps its comma",
        "`use` lists keep their order",
        "a tuple",
        "A tuple.",
    ];
    assert_eq!(
        badly_headed(&headings.map(|heading| file("a.md", heading))),
        [
            "a.md: \"a tuple\" starts with a small letter",
            "a.md: \"A tuple.\" ends with a full stop"
        ]
    );
}

/// Returns a complaint for every heading of a page of cases, given with its place, that does not look like a sentence
/// without its full stop.
fn badly_headed(headings: &[File]) -> Vec<String> {
    let mut complaints = Vec::new();
    for (place, heading) in headings {
        if heading.starts_with(char::is_lowercase) {
            complaints.push(format!("{place}: \"{heading}\" starts with a small letter"));
        }
        if heading.ends_with(['.', ':', '!', '?']) {
            complaints.push(format!("{place}: \"{heading}\" ends with a full stop"));
        }
    }
    complaints
}

/// All pages of cases.
fn pages() -> Vec<crate::pages::Page> {
    crate::pages::all(crate::support::repository()).expect("the pages can be read")
}

/// The words of refusals that no snapshot and no page has.
fn codes_without_text(codes: &str, snapshots: &[File]) -> Vec<String> {
    let body = codes.split_once("fn as_str(").map_or("", |(_, rest)| rest);
    let body = body.split_once("\n    }\n").map_or("", |(body, _)| body);
    let words = body.split('"').skip(1).step_by(2);
    let has_text = |word: &str| {
        let first = format!("refused: {word}");
        let is_first = |(_, text): &File| text.lines().any(|line| line == first);
        snapshots.iter().any(is_first)
    };
    words
        .filter(|word| !has_text(word))
        .map(str::to_string)
        .collect()
}

/// What leaves work for later or silences a lint without saying when that ends. Put together here,
/// so that this file does not hold it.
fn silencers() -> [String; 5] {
    [
        "#[|ignore",
        "to|do!",
        "unimple|mented!",
        "#[|allow(",
        "#![|allow(",
    ]
    .map(|needle| needle.replace('|', ""))
}

fn silenced(files: &[File]) -> Vec<String> {
    let mut complaints = Vec::new();
    for (path, text) in files {
        for (line, code) in text.lines().enumerate() {
            for needle in silencers().iter().filter(|one| code.contains(*one)) {
                complaints.push(format!("{path}:{} holds `{needle}`", line + 1));
            }
        }
    }
    complaints
}

/// A phrase that the project does not use.
struct Phrase {
    pattern: Regex,
    instead: &'static str,
    /// Wordings that contain the phrase and are plain English.
    allowed: Option<Regex>,
}

fn phrases() -> Vec<Phrase> {
    let pattern_of =
        |pattern: &str| Regex::new(&format!("(?i){pattern}")).expect("the pattern is valid");
    let whole_words = |pattern: &str| pattern_of(&format!(r"\b(?:{})\b", pattern.trim()));
    let mut phrases: Vec<Phrase> = Vec::new();
    for line in PHRASES.lines() {
        if let Some(allowed) = line.strip_prefix('!') {
            let phrase = phrases.last_mut().expect("it follows a phrase");
            phrase.allowed = Some(pattern_of(allowed.trim()));
        } else if !line.is_empty() && !line.starts_with('#') {
            let (pattern, instead) = line.rsplit_once(" | ").expect("it says what to write");
            phrases.push(Phrase {
                pattern: whole_words(pattern),
                instead,
                allowed: None,
            });
        }
    }
    phrases
}

/// Complains about each line of prose that contains a phrase.
fn stilted(phrases: &[Phrase], files: &[File]) -> Vec<String> {
    let mut complaints = Vec::new();
    for (path, text) in files {
        for (line, prose) in prose(path, text) {
            for phrase in phrases {
                let without_allowed = match &phrase.allowed {
                    Some(allowed) => allowed.replace_all(&prose, ""),
                    None => prose.as_str().into(),
                };
                if let Some(found) = phrase.pattern.find(&without_allowed) {
                    let (found, instead) = (found.as_str(), phrase.instead);
                    complaints.push(format!("{path}:{line}: {found:?} in `{prose}`: {instead}"));
                }
            }
        }
    }
    complaints
}

/// The lines that people read, trimmed, with their numbers: those of a page without its fenced code, the comments of a
/// program or a query file, the identifiers of Rust as words, and the strings of what is not a test.
fn prose(path: &str, text: &str) -> Vec<(usize, String)> {
    let numbered = |first: usize, text: &str| -> Vec<(usize, String)> {
        let lines = text.lines().zip(first..);
        lines
            .map(|(line, number)| (number, line.trim().to_string()))
            .collect()
    };
    if path.ends_with(".scm") {
        let lines = numbered(1, text).into_iter();
        return lines.filter(|(_, line)| line.starts_with(';')).collect();
    }
    let source = Source::new(
        path,
        treegraft::language::for_file(path, text),
        text.to_string(),
    );
    let parsed = Parsed::parse(source);
    let code: Vec<String> = code_of(path, text).lines().map(str::to_string).collect();
    let is_code = |line: usize| code.get(line - 1).is_some_and(|line| !line.is_empty());
    let ends: Vec<usize> = text.match_indices('\n').map(|(end, _)| end).collect();
    let line_of = |offset: usize| ends.partition_point(|end| *end < offset) + 1;
    // Strings of tests and benchmarks are data.
    let is_of_package = path.starts_with("src/") || path.starts_with("crates/");
    let mut prose = Vec::new();
    let mut waiting = vec![parsed.root()];
    while let Some(node) = waiting.pop() {
        let span = node.span();
        let (first, of_node) = (line_of(span.start()), &text[span.start()..span.end()]);
        match node.kind() {
            "fenced_code_block" => {}
            "inline" | "pipe_table_cell" | "line_comment" | "block_comment" | "comment" => {
                prose.extend(numbered(first, of_node));
            }
            "string_content" if is_of_package && is_code(first) => {
                prose.extend(numbered(first, of_node));
            }
            "identifier" | "type_identifier" | "field_identifier" => {
                prose.push((first, of_node.replace('_', " ")));
            }
            _ => waiting.extend(parsed.children(node)),
        }
    }
    prose.sort();
    prose
}

fn file(path: &str, text: &str) -> File {
    (path.to_string(), text.to_string())
}

/// The files below a folder that end in `.extension`, sorted by path.
fn files(folder: &str, extension: &str) -> Vec<File> {
    let mut paths = Vec::new();
    collect(folder, &mut paths);
    paths.sort();
    let ending = format!(".{extension}");
    let sources = paths.iter().filter(|path| path.ends_with(&ending));
    sources
        .filter(|path| !path.starts_with("tests/cases/"))
        .map(|path| file(path, &read(path)))
        .collect()
}

fn collect(folder: &str, paths: &mut Vec<String>) {
    let listed = fs::read_dir(of_project(folder)).expect("the project's folders can be listed");
    for entry in listed {
        let entry = entry.expect("the project's folders can be listed");
        let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
        match entry.path().is_dir() {
            true => collect(&path, paths),
            false => paths.push(path),
        }
    }
}

/// The files of the packages that users get.
fn sources() -> Vec<File> {
    let files = PACKAGES.map(|package| files(package, "rs"));
    files.concat()
}

fn read(path: &str) -> String {
    fs::read_to_string(of_project(path)).expect("the project's sources are text")
}

fn of_project(path: &str) -> std::path::PathBuf {
    crate::support::repository().join(path)
}
