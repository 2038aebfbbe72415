//! The replay of real history (`crates/xtask/src/replay/`) over a repository made here: each hunk becomes
//! calls that lead to what the commit made.

use std::fs;

use tempfile::TempDir;

use crate::git::git_in_test as git;

use super::{Options, replay};

/// The versions of two files, one commit each; between each two stands what the replay makes of it.
const RUST: [&str; 4] = [
    "/// Adds.\nfn add(a: u8, b: u8) -> u8 {\n    a + b\n}\n\nfn main() {\n    add(1, 2);\n}\n",
    // A line is replaced.
    "/// Adds.\nfn add(a: u8, b: u8) -> u8 {\n    a + b\n}\n\nfn main() {\n    add(1, 3);\n}\n",
    // A function comes.
    "/// Adds.\nfn add(a: u8, b: u8) -> u8 {\n    a + b\n}\n\n/// Doubles.\nfn double(a: u8) -> u8 {\n    2 * a\n}\n\n\
     fn main() {\n    add(1, 3);\n}\n",
    // A function goes with its comment.
    "/// Doubles.\nfn double(a: u8) -> u8 {\n    2 * a\n}\n\nfn main() {\n    add(1, 3);\n}\n",
];
const JSON: [&str; 4] = [
    "{\n  \"name\": \"a\",\n  \"version\": 1\n}\n",
    // Nothing but white space.
    "{\n  \"name\": \"a\",\n    \"version\": 1\n}\n",
    "{\n  \"name\": \"a\",\n  \"version\": 1\n}\n",
    // A pair comes, and a comma.
    "{\n  \"name\": \"a\",\n  \"version\": 1,\n  \"files\": []\n}\n",
];

#[test]
fn each_hunk_of_a_repository_is_said_in_calls_that_come_out_exact() {
    let repository = TempDir::new().expect("there is room for a temporary directory");
    let root = repository.path();
    git(root, &["init", "--quiet"]);
    for (rust, json) in RUST.iter().zip(JSON) {
        fs::write(root.join("a.rs"), rust).expect("the repository can be written");
        fs::write(root.join("a.json"), json).expect("the repository can be written");
        git(root, &["add", "--all"]);
        git(root, &["commit", "--quiet", "--message", "next"]);
    }
    let options = Options {
        repositories: vec![root.to_string_lossy().into_owned()],
        hunks: 20,
        show: 5,
    };
    let report = replay(&options, |_| ()).expect("git answers");
    let (exact, all) = report.exact();
    let text = report.to_string();
    assert_eq!(exact, all, "{text}");
    for row in [
        "| replace_node | 1 |",
        "| insert_node | 2 |",
        "| delete_node | 1 |",
        "| skipped: nothing but white space changes | 2 |",
    ] {
        assert!(text.contains(row), "{row}\n{text}");
    }
}

#[test]
fn what_is_no_repository_is_named() {
    let empty = TempDir::new().expect("there is room for a temporary directory");
    let path = empty.path().join("none").to_string_lossy().into_owned();
    let options = Options {
        repositories: vec![path.clone()],
        hunks: 1,
        show: 0,
    };
    let refused = replay(&options, |_| ()).map(|_| ());
    assert!(refused.is_err_and(|fault| fault.contains(&path)));
}
