//! The `treegraft.toml` of a repository: which files are listed, in which language they are read,
//! and the limits; an invalid one is ignored as a whole.

#![expect(
    clippy::disallowed_methods,
    reason = "tests create files and run the command line"
)]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use camino::Utf8PathBuf;
use serde_json::{Value, json};
use treegraft::engine::{Answer, Engine};
use treegraft::lsp::built_in::BUILT_IN;

use crate::support::{Bench, call};

/// Returns a workspace with these settings.
fn repository(settings: &str) -> Bench {
    let bench = Bench::with("treegraft.toml", settings);
    fs::create_dir(bench.root().join("vendor")).expect("the folder can be created");
    for (name, text) in [
        ("a.inc", "fn a() {\n    one();\n}\n"),
        ("b.rs", "fn b() {}\nfn c() {}\nfn d() {}\n"),
        ("b.gen.rs", "fn made() {}\n"),
        ("vendor/v.rs", "fn v() {}\n"),
    ] {
        bench.write(name, text);
    }
    bench.another_engine()
}

fn files(bench: &Bench, arguments: Value) -> Vec<String> {
    let outlined = bench.call("outline", arguments).expect("there are files");
    let files = outlined.json["files"].as_array().expect("a list").iter();
    let names = files.filter_map(|file| file["file_path"].as_str());
    names.map(str::to_string).collect()
}

fn replaced(path: &str) -> Value {
    json!({
        "file_path": path,
        "selector": {"anchor_text": "one()", "ancestor_node_type": "function_item"},
        "new_content": "fn a() {\n    two();\n}",
        "apply": true,
    })
}

#[test]
fn ignored_files_are_not_listed_but_can_be_named() {
    let bench = repository("ignore = [\"vendor/\", \"*.gen.rs\"]\n");
    let of_all = || json!({"path": ".", "kinds": ["function"]});
    assert_eq!(files(&bench, of_all()), ["b.rs"]);
    assert_eq!(files(&bench, json!({"path": "**/*.rs"})), ["b.rs"]);
    // A path that is named explicitly is read.
    assert_eq!(files(&bench, json!({"path": "vendor"})), ["vendor/v.rs"]);
    assert_eq!(files(&bench, json!({"path": "b.gen.rs"})), ["b.gen.rs"]);
    let bench = repository("");
    let all = ["b.gen.rs", "b.rs", "vendor/v.rs"];
    assert_eq!(files(&bench, of_all()), all);
}

#[test]
fn files_are_read_in_the_configured_language() {
    let plain = repository("");
    let refused = plain.call("replace_node", replaced("a.inc"));
    assert_eq!(
        refused.expect_err("it is plain text").code().as_str(),
        "unknown_node_type"
    );
    let bench = repository("[languages]\ninc = \"rust\"\n");
    bench
        .call("replace_node", replaced("a.inc"))
        .expect("it is Rust");
    assert_eq!(bench.read("a.inc"), b"fn a() {\n    two();\n}\n");
    assert_eq!(files(&bench, json!({"path": "*.inc"})), ["a.inc"]);
    let counted = bench.engine.stats(None).expect("calls are counted").text();
    assert!(counted.contains("rust"), "{counted}");
    // Conversely, a file with a known extension may be read as plain text.
    let bench = repository("[languages]\nRS = \"text\"\n");
    let outlined = bench.call("outline", json!({"path": "b.rs"}));
    assert_eq!(
        outlined.expect("it is a file").json["files"][0]["symbols"],
        json!([])
    );
}

#[test]
fn limits_can_be_lowered() {
    let bench = repository("[limits]\nfile_bytes = 20\nfiles = 2\nitems = 1\n");
    let outlined = bench.call("outline", json!({"path": "b.gen.rs", "max_items": 5}));
    let outlined = outlined.expect("it is short").text;
    assert!(outlined.contains("max_items is limited to 1"), "{outlined}");
    let folder = bench
        .call("outline", json!({"path": "**/*.rs"}))
        .expect("there are files")
        .text;
    assert!(
        folder.contains("1 file skipped: 1 too large (over 20 bytes)"),
        "{folder}"
    );
    let refused = bench
        .call("outline", json!({"path": "b.rs"}))
        .expect_err("it is too large");
    assert_eq!(refused.code().as_str(), "file_too_large");
    assert!(
        refused.text().contains("more than the limit of 20"),
        "{}",
        refused.text()
    );
}

#[test]
fn a_root_has_its_own_settings_and_keeps_them_when_narrowed() {
    let bench = repository("[languages]\ninc = \"rust\"\n");
    let inner = bench.root().join("vendor");
    fs::write(inner.join("treegraft.toml"), "ignore = [\"v.rs\"]\n")
        .expect("the file can be written");
    fs::write(inner.join("a.inc"), "fn a() {\n    one();\n}\n").expect("the file can be written");
    let utf8 = |path: &Path| Utf8PathBuf::from_path_buf(path.to_owned()).expect("it is UTF-8");
    let inner = [utf8(&inner)];
    let below = Engine::open(&inner, Some(&utf8(bench.state()))).expect("it is a folder");
    call(&below, "replace_node", replaced("a.inc"))
        .expect_err("settings above the root are not read");
    let refused = call(&below, "outline", json!({"path": "*.rs"})).expect_err("no file is listed");
    assert!(
        refused.text().contains("`*.rs` matches no file"),
        "{}",
        refused.text()
    );
    // If a client names a subfolder as its root, the settings in it, right or wrong, change
    // nothing.
    bench.write("vendor/treegraft.toml", "ignore = \n");
    let within = bench.engine.within(&inner).expect("it is inside");
    call(&within, "replace_node", replaced("a.inc")).expect("it is Rust");
    call(&within, "outline", json!({"path": "*.rs"})).expect("all are listed");
    call(&within, "outline", json!({"path": "../b.rs"})).expect_err("it is outside");
}

fn run(bench: &Bench, words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_treegraft"))
        .args(words)
        .current_dir(bench.root())
        .env("XDG_STATE_HOME", bench.state())
        .env("XDG_CONFIG_HOME", bench.state())
        .env("HOME", bench.state())
        .output()
        .expect("the command runs")
}

#[test]
fn invalid_settings_are_ignored_and_the_line_is_named() {
    let bench = repository("");
    bench.write(
        "treegraft.toml",
        "ignore = [\"*\"]\n[languages]\ninc = \"rusty\"\n",
    );
    let output = run(&bench, &["outline", "*.rs"]);
    assert!(output.status.success(), "{output:?}");
    assert!(
        String::from_utf8_lossy(&output.stdout).contains("b.rs"),
        "{output:?}"
    );
    let message = String::from_utf8_lossy(&output.stderr);
    let root = bench.root().canonicalize().expect("it exists");
    let message = message.replace(root.to_str().expect("its path is UTF-8"), "ROOT");
    insta::assert_snapshot!(message, @"warning: ROOT/treegraft.toml:3: unknown language `rusty`: `treegraft languages` lists all; the file is ignored");
    let doctor = run(&bench, &["client", "doctor"]);
    let message = String::from_utf8_lossy(&doctor.stdout);
    let is_named = |line: &&str| line.contains("treegraft.toml:3: unknown language");
    let line = message.lines().find(is_named).expect("it is named");
    assert!(line.starts_with("lacks   settings"), "{message}");
    bench.write(
        "treegraft.toml",
        "ignore = [\"vendor/\"]\n[languages]\ninc = \"rust\"\n",
    );
    let doctor = run(&bench, &["client", "doctor"]);
    let message = String::from_utf8_lossy(&doctor.stdout);
    let words = "treegraft.toml: 1 pattern excludes files, *.inc is rust";
    assert!(message.contains(words), "{message}");
}

#[cfg(unix)]
#[test]
fn a_link_is_not_followed() {
    let bench = repository("");
    fs::remove_file(bench.root().join("treegraft.toml")).expect("it exists");
    let outside = bench.state().join("outside.toml");
    fs::write(&outside, "ignore = [\"*\"]\n").expect("the file can be written");
    std::os::unix::fs::symlink(&outside, bench.root().join("treegraft.toml"))
        .expect("the link can be created");
    let output = run(&bench, &["outline", "b.rs"]);
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(
        message.contains("treegraft.toml:0: not a regular file"),
        "{message}"
    );
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn the_page_lists_the_servers_that_can_be_chosen() {
    let page = fs::read_to_string("../../docs/configuration.md").expect("the page can be read");
    let page = page.split_whitespace().collect::<Vec<_>>().join(" ");
    for server in BUILT_IN.iter().filter(|server| server.programs.len() > 1) {
        let names = server.programs.iter();
        let names: Vec<String> = names
            .map(|program| format!("`{}`", program.name()))
            .collect();
        let (last, others) = names.split_last().expect("there are several");
        let listed = format!("{} or {last}", others.join(", "));
        assert!(page.contains(&listed), "{listed}");
    }
}
