//! Measures resident memory: a process that has a large file open, compared with one that holds
//! only its text and tree; and a process that has read many files, compared with the limit for
//! parsed files.
//!
//! Each case is a separate process that prints its resident memory at the end (Linux only).

use std::process::Command;

use camino::Utf8PathBuf;
use serde_json::json;
use treegraft::engine::Engine;

use crate::calls::{Workspace, numbered, replacing, request};
use crate::floor;
use crate::measure::{Asked, Targets};
use crate::texts::RUST;

/// The environment variable that makes this process a measured one, and names the case.
const CHILD: &str = "TREEGRAFT_BENCH_CHILD";
const ROOT: &str = "TREEGRAFT_BENCH_ROOT";
/// The limit for the process, including the files that are kept parsed, in KB.
const BOUND: f64 = 600_000.0;

pub(crate) fn is_child() -> bool {
    std::env::var_os(CHILD).is_some()
}

/// Runs a case in its own process and prints its resident memory.
pub(crate) fn child() {
    let root = Utf8PathBuf::from(std::env::var(ROOT).expect("the workspace is set"));
    let path = root.join("src/bench.rs");
    let engine = || {
        Engine::open(
            std::slice::from_ref(&root),
            Some(&root.with_file_name("state")),
        )
    };
    match std::env::var(CHILD).expect("it is a word").as_str() {
        "tree" => {
            let text = std::fs::read_to_string(path).expect("the file is text");
            let tree = floor::parse(&mut RUST.parser(), &text);
            print_resident();
            drop((text, tree));
        }
        "open" => {
            let engine = engine().expect("the workspace opens");
            let made = engine.replace_node(&request(replacing(0, 1, false)));
            print_resident();
            drop(made.expect("the target is unique"));
        }
        _ => {
            let engine = engine().expect("the workspace opens");
            for entry in std::fs::read_dir(root.join("many")).expect("the directory") {
                let name = entry.expect("an entry").file_name();
                let file_path = format!("many/{}", name.to_string_lossy());
                let arguments =
                    json!({"file_path": file_path, "selector": "@target_of_the_bench("});
                let read = engine.read_node(&request(arguments));
                read.expect("the target is unique");
            }
            print_resident();
        }
    }
}

/// Prints the resident memory in KB.
fn print_resident() {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    println!("{}", line.unwrap_or_default().trim_end_matches("kB").trim());
}

pub(crate) fn run(asked: &Asked, targets: &mut Targets) {
    let (lines, files) = match asked.measures {
        true => (50_000, 10_000),
        false => (100, 20),
    };
    let workspace = Workspace::new();
    if asked.wants("memory open") {
        workspace.put("src/bench.rs", &RUST.text_with(&numbered(0, 0), lines));
        let (tree, open) = (resident(&workspace, "tree"), resident(&workspace, "open"));
        match tree.zip(open) {
            Some((tree, open)) => {
                let ratio = targets.hold("memory open", open / tree, 1.2);
                println!(
                    "{lines} lines open: {:.0} MB, text and tree alone {:.0} MB: {ratio}",
                    open / 1e3,
                    tree / 1e3
                );
            }
            None => println!("this system does not report resident memory"),
        }
    }
    if asked.wants("memory many") {
        let text = RUST.text(300);
        for number in 0..files {
            workspace.put(&format!("many/f{number}.rs"), &text);
        }
        match resident(&workspace, "many") {
            Some(many) => {
                let ratio = targets.hold("memory many", many / BOUND, 1.0);
                println!(
                    "{files} files of {} KB read: {:.0} MB, the limit {:.0} MB: {ratio}",
                    text.len() / 1000,
                    many / 1e3,
                    BOUND / 1e3
                );
            }
            None => println!("this system does not report resident memory"),
        }
    }
}

/// Returns the resident memory of a process that ran one case, in KB.
fn resident(workspace: &Workspace, what: &str) -> Option<f64> {
    let this = std::env::current_exe().expect("this program");
    let output = Command::new(this)
        .env(CHILD, what)
        .env(ROOT, workspace.root())
        .output()
        .expect("this program starts");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stdout).trim().parse().ok()
}
