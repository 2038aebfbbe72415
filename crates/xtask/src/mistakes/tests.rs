//! Runs the mistakes benchmark (`crates/xtask/src/mistakes/`) on a generated repository of language
//! samples. The engine must accept every suggestion of a refusal.

use tempfile::TempDir;

use crate::git::samples_in_test;

use super::{Halves, Options, mistakes};

#[test]
fn suggestions_of_refusals_are_accepted() {
    let repository = samples_in_test(older);
    let root = repository.path();
    let of_half = |halves| {
        let options = Options {
            repositories: vec![root.to_string_lossy().into_owned()],
            selectors: 60,
            halves,
            show: 2,
        };
        mistakes(&options, |_| ()).expect("git answers")
    };
    let [tuning, held_out, both] = [Halves::Tuning, Halves::HeldOut, Halves::Both].map(of_half);
    let text = both.to_string();
    let (run, unresolved) = both.run_and_unresolved();
    assert_eq!(unresolved, 0, "{text}");
    assert_eq!(
        tuning.run_and_unresolved().0 + held_out.run_and_unresolved().0,
        run
    );
    assert!(run > 600, "{run} calls\n{text}");
    for mistake in [
        "a space dropped",
        "a letter dropped",
        "older version of the line",
        "anchor shortened until ambiguous",
        "type name of another grammar",
        "wrong ancestor of the same kind",
        "symbol misspelled",
        "line scope shifted",
        "wrong directory",
    ] {
        assert!(
            text.contains(&format!("| {mistake} |")),
            "{mistake}\n{text}"
        );
    }
}

/// Returns the text with other words in every third line.
fn older(text: &str) -> String {
    let lines = text.split_inclusive('\n').enumerate();
    lines
        .map(|(index, line)| match index % 3 {
            0 => line.replace("e", "o"),
            _ => line.to_string(),
        })
        .collect()
}

#[test]
fn error_names_a_path_that_is_not_a_repository() {
    let empty = TempDir::new().expect("a temporary directory can be created");
    let path = empty.path().join("none").to_string_lossy().into_owned();
    let options = Options {
        repositories: vec![path.clone()],
        selectors: 1,
        halves: Halves::Both,
        show: 0,
    };
    let refused = mistakes(&options, |_| ()).map(|_| ());
    assert!(refused.is_err_and(|fault| fault.contains(&path)));
}
