//! Runs the replay of real history (`crates/xtask/src/replay/`) on a generated repository. The
//! calls of each hunk must reproduce the bytes of the commit.

use std::fs;

use tempfile::TempDir;

use crate::git::git_in_test as git;

use super::{Options, replay};

/// The versions of two files, one commit each. A comment before each version describes the change.
const RUST: [&str; 4] = [
    "/// Adds.\nfn add(a: u8, b: u8) -> u8 {\n    a + b\n}\n\nfn main() {\n    add(1, 2);\n}\n",
    // A line is replaced.
    "/// Adds.\nfn add(a: u8, b: u8) -> u8 {\n    a + b\n}\n\nfn main() {\n    add(1, 3);\n}\n",
    // A function is added.
    "/// Adds.\nfn add(a: u8, b: u8) -> u8 {\n    a + b\n}\n\n/// Doubles.\nfn double(a: u8) -> u8 {\n    2 * a\n}\n\n\
     fn main() {\n    add(1, 3);\n}\n",
    // A function is removed with its comment.
    "/// Doubles.\nfn double(a: u8) -> u8 {\n    2 * a\n}\n\nfn main() {\n    add(1, 3);\n}\n",
];
const JSON: [&str; 4] = [
    "{\n  \"name\": \"a\",\n  \"version\": 1\n}\n",
    // Only whitespace changes.
    "{\n  \"name\": \"a\",\n    \"version\": 1\n}\n",
    "{\n  \"name\": \"a\",\n  \"version\": 1\n}\n",
    // A pair and a comma are added.
    "{\n  \"name\": \"a\",\n  \"version\": 1,\n  \"files\": []\n}\n",
];

#[test]
fn calls_of_each_hunk_are_exact() {
    let repository = TempDir::new().expect("a temporary directory can be created");
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
        "| skipped: only whitespace changes | 2 |",
    ] {
        assert!(text.contains(row), "{row}\n{text}");
    }
}

#[test]
fn error_names_a_path_that_is_not_a_repository() {
    let empty = TempDir::new().expect("a temporary directory can be created");
    let path = empty.path().join("none").to_string_lossy().into_owned();
    let options = Options {
        repositories: vec![path.clone()],
        hunks: 1,
        show: 0,
    };
    let refused = replay(&options, |_| ()).map(|_| ());
    assert!(refused.is_err_and(|fault| fault.contains(&path)));
}
