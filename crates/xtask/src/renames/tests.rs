//! Tests of the comparison of a project's errors, and of the choice of symbols.

use super::*;
use crate::project::{is_error, without_numbers};

#[test]
fn an_error_is_new_unless_only_its_numbers_or_the_name_differ() {
    let errors = |lines: &[(&str, usize)]| -> HashMap<String, usize> {
        let lines = lines.iter();
        lines
            .map(|(line, count)| (without_numbers(line), *count))
            .collect()
    };
    let before = errors(&[("a.py:1:2: error: no `get`", 1), ("b.py:3: error: x", 2)]);
    let same = errors(&[
        ("a.py:9:4: error: no `getRenamed`", 1),
        ("b.py:3: error: x", 1),
    ]);
    assert!(new_errors(&before, &same, "get", "getRenamed").is_empty());
    let more = errors(&[("a.py:1:2: error: no `get`", 2), ("c.py:1: error: y", 1)]);
    let expected = ["a.py::: error: no `get`", "c.py:: error: y"];
    assert_eq!(new_errors(&before, &more, "get", "getRenamed"), expected);
}

#[test]
fn a_warning_about_a_name_with_the_word_is_no_error() {
    for (line, expected) in [
        ("a.rs:1:2: error[E0425]: cannot find `price`", true),
        ("FAILED tests/a.py::test_a error", true),
        (
            "a.rs:1:2: warning: static `alloc_errorRenamed` should have an upper case name",
            false,
        ),
        ("ok", false),
    ] {
        assert_eq!(is_error(line), expected, "{line}");
    }
}

#[test]
fn symbols_with_a_meaning_of_their_own_are_not_renamed() {
    let text = "class A:\n    def __init__(self):\n        pass\n\n    def é(self): pass\n\n\ndef test_a():\n    pass\n";
    let found = symbols("a.py", text.to_string());
    let names: Vec<_> = found
        .iter()
        .map(|one| (one.name.as_str(), one.line, one.column))
        .collect();
    assert_eq!(names, [("A", 1, 7), ("é", 5, 9)]);
}
