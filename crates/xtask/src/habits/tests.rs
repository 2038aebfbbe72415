//! The habits benchmark over a repository made here, and the forms of single changes.

use std::fs;
use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;

use crate::change::{Site, Strings, parse};
use crate::git::git_in_test;
use crate::history::hunks;
use crate::table::Output;

use super::forms::*;
use super::{DETERMINING, Options, habits};

/// The versions of two files, one commit each.
const RUST: [&str; 4] = [
    "fn add(a: u8, b: u8) -> u8 {\n    a + b\n}\n\nfn main() {\n    let sum = add(1, 2);\n    print(sum);\n}\n",
    // A line is replaced.
    "fn add(a: u8, b: u8) -> u8 {\n    a + b\n}\n\nfn main() {\n    let sum = add(1, 3);\n    print(sum);\n}\n",
    // A statement is added, next to those before and after it.
    "fn add(a: u8, b: u8) -> u8 {\n    a + b\n}\n\nfn main() {\n    let sum = add(1, 3);\n    check(sum);\n    \
     print(sum);\n}\n",
    // Two places are changed.
    "fn add(a: u8, b: u8) -> u8 {\n    b + a\n}\n\nfn main() {\n    let sum = add(1, 3);\n    check(sum);\n    \
     print(sum + 1);\n}\n",
];
const JSON: [&str; 4] = [
    "{\n  \"name\": \"a\",\n  \"files\": [\n    \"a.rs\",\n    \"c.rs\"\n  ]\n}\n",
    "{\n  \"name\": \"a\",\n  \"files\": [\n    \"a.rs\",\n    \"c.rs\"\n  ]\n}\n",
    // A member is added between two others.
    "{\n  \"name\": \"a\",\n  \"files\": [\n    \"a.rs\",\n    \"b.rs\",\n    \"c.rs\"\n  ]\n}\n",
    "{\n  \"name\": \"a\",\n  \"files\": [\n    \"a.rs\",\n    \"b.rs\",\n    \"c.rs\"\n  ]\n}\n",
];

fn repository() -> TempDir {
    let repository = TempDir::new().expect("there is room for a temporary directory");
    let root = repository.path();
    git_in_test(root, "init --quiet");
    for (rust, json) in RUST.iter().zip(JSON) {
        fs::write(root.join("a.rs"), rust).expect("the repository can be written");
        fs::write(root.join("a.json"), json).expect("the repository can be written");
        git_in_test(root, "add --all");
        git_in_test(root, "commit --quiet --message next");
    }
    repository
}

fn options(root: &Path) -> Options {
    Options {
        repositories: vec![root.to_string_lossy().into_owned()],
        hunks: 20,
        commits: 20,
        output: Output::default(),
    }
}

#[test]
fn a_small_repository_is_made_exactly_in_all_forms_that_determine_the_result() {
    let repository = repository();
    let measured = habits(&options(repository.path()), |_| ()).expect("git answers");
    let records = measured.records.iter();
    let determining = records.filter(|record| record["kind"] == DETERMINING);
    for record in determining.clone() {
        assert_eq!(record["outcome"], "exact", "{record}");
    }
    for (tool, form, language) in [
        ("replace_node", "as in the file", "rust"),
        ("replace_node", "at column 0", "rust"),
        ("replace_node", "with a trailing newline", "rust"),
        ("replace_text", "as in the file", "rust"),
        ("replace_text", "with the line before", "rust"),
        ("replace_text", "between two markers", "rust"),
        (
            "replace_text",
            "between two markers, with whitespace",
            "json",
        ),
        ("insert_node", "at column 0", "rust"),
        ("insert_node", "list member with a comma", "json"),
    ] {
        let mut records = determining.clone();
        let has = records.any(|record| {
            record["tool"] == tool && record["form"] == form && record["language"] == language
        });
        assert!(has, "{tool} {form} {language}");
    }
}

#[test]
fn whole_commits_are_made_by_one_call_each() {
    let repository = repository();
    let measured = habits(&options(repository.path()), |_| ()).expect("git answers");
    let records = measured.records.iter();
    let commits: Vec<&Value> = records
        .filter(|record| record["kind"] == "commit")
        .collect();
    let sum = |name: &str| {
        let numbers = commits.iter().filter_map(|commit| commit[name].as_u64());
        numbers.sum::<u64>()
    };
    let is_exact = |commit: &&Value| commit["outcome"] == "exact";
    assert_eq!((commits.len(), sum("calls")), (3, 3));
    assert!(commits.iter().all(is_exact), "{commits:?}");
    // One place in the first commit; one in each file in the second; two in the third.
    assert_eq!(sum("string calls"), 5);
    assert_eq!(sum("received by strings"), 5 * 64);
    let first = commits.iter().find(|commit| commit["places"] == 1);
    let call = r#"{"file_path":"a.rs","new_string":"    let sum = add(1, 3);","old_string":"    let sum = add(1, 2);"}"#;
    let sent = first.and_then(|commit| commit["sent by strings"].as_u64());
    assert_eq!(sent, Some(call.len() as u64));
}

#[test]
fn a_path_that_is_no_repository_is_named() {
    let empty = TempDir::new().expect("there is room for a temporary directory");
    let path = empty.path().join("none");
    let refused = habits(&options(&path), |_| ()).map(|_| ());
    let name = path.to_string_lossy().into_owned();
    assert!(refused.is_err_and(|fault| fault.contains(&name)));
}

/// The contents of a form, and whether it determines the result, for the change from one text to another.
fn contents(path: &str, (old, new): (&str, &str), tool: &str, form: &str) -> Vec<(String, bool)> {
    let hunk = &hunks(old, new)[0];
    let (before, wanted) = (parse(path, old), parse(path, new));
    let mut strings = Strings::default();
    let site = Site {
        path,
        before: &before,
        wanted: &wanted,
        hunk,
        strings: strings.for_file(&before),
    };
    let samples = samples(&site).unwrap_or_else(|reason| panic!("{reason}"));
    let is_asked = |sample: &&Sample| sample.call.tool == tool && sample.form == form;
    let own = samples.iter().filter(is_asked).map(|sample| {
        let content = sample.call.arguments["new_content"].as_str();
        (content.unwrap_or_default().to_string(), sample.determines)
    });
    own.collect()
}

const CLASS: (&str, &str) = (
    "class A:\n    def f(self):\n        \"\"\"Runs.\n\n        Twice.\n        \"\"\"\n        return one()\n",
    "class A:\n    def f(self):\n        \"\"\"Runs.\n\n        Twice.\n        \"\"\"\n        return two()\n",
);

#[test]
fn docstrings_move_with_the_code_to_column_zero() {
    let at_zero = contents("a.py", CLASS, "replace_node", COLUMN_ZERO);
    let function = "def f(self):\n    \"\"\"Runs.\n\n    Twice.\n    \"\"\"\n    return two()";
    assert!(
        at_zero.contains(&(function.to_string(), true)),
        "{at_zero:?}"
    );
}

#[test]
fn a_bare_first_line_leaves_the_rest_as_in_the_file() {
    let bare = contents("a.py", CLASS, "replace_node", FIRST_LINE_BARE);
    let function =
        "def f(self):\n        \"\"\"Runs.\n\n        Twice.\n        \"\"\"\n        return two()";
    assert!(bare.contains(&(function.to_string(), true)), "{bare:?}");
}

#[test]
fn an_insertion_without_the_blank_lines_of_the_commit_does_not_determine_them() {
    let texts = (
        "fn a() {}\n\nfn c() {}\n",
        "fn a() {}\n\nfn b() {}\n\nfn c() {}\n",
    );
    let of = |form| contents("a.rs", texts, "insert_node", form);
    assert_eq!(of(AS_IN_FILE), [("fn b() {}".to_string(), false)]);
    assert_eq!(of(BLANK_LINES), [("\nfn b() {}\n\n".to_string(), true)]);
}

#[test]
fn lines_of_context_are_in_find_and_content() {
    let texts = (
        "let a = 1;\nlet b = 1;\nlet c = 1;\n",
        "let a = 1;\nlet b = 2;\nlet c = 1;\n",
    );
    let of = |form| contents("a.rs", texts, "replace_text", form);
    let wanted = |text: &str| [(text.to_string(), true)];
    assert_eq!(of(LINE_BEFORE), wanted("let a = 1;\nlet b = 2;"));
    assert_eq!(of(LINE_AFTER), wanted("let b = 2;\nlet c = 1;"));
    assert_eq!(of(BOTH_LINES), wanted("let a = 1;\nlet b = 2;\nlet c = 1;"));
}

#[test]
fn whitespace_alone_is_changed_between_markers() {
    let texts = ("fn a() {\n    b( 1);\n}\n", "fn a() {\n    b(1);\n}\n");
    let of = |form| contents("a.rs", texts, "replace_text", form);
    assert_eq!(of(MARKED_WHITESPACE), [(String::new(), true)]);
    assert_eq!(of(AS_IN_FILE), []);
}
