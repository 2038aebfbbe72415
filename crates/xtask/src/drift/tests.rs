//! Measures a repository with a merge for each case of `cases.md`.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::git::git_in_test as git;
use crate::table::Output;
use crate::text::diff;

use super::{Options, drift};

/// A merge, and its outcome.
struct Case {
    name: &'static str,
    path: String,
    /// At the base, on the left and on the right side, and merged.
    texts: [&'static str; 4],
    outcomes: Vec<&'static str>,
}

fn cases() -> Vec<Case> {
    let page = include_str!("cases.md");
    let sections = page.split("\n## ").skip(1);
    sections
        .enumerate()
        .map(|(index, text)| case(index, text))
        .collect()
}

/// Reads a section of the page: the name, blocks of code, and a list.
fn case(index: usize, section: &'static str) -> Case {
    let text_of = |side: &str| {
        let (_, rest) = section
            .split_once(&format!(" {side}\n"))
            .unwrap_or_else(|| panic!("a block `{side}`: {section}"));
        let (text, _) = rest.split_once("```\n").expect("the block is closed");
        text
    };
    let (_, head) = section.split_once("```").expect("there is a block");
    let language = head.split(' ').next().unwrap_or_default();
    let extension = match language {
        "rust" => "rs",
        "python" => "py",
        "javascript" => "js",
        other => other,
    };
    let list = section.lines().filter_map(|line| line.strip_prefix("- "));
    Case {
        name: section.lines().next().unwrap_or_default(),
        path: format!("case{index}.{extension}"),
        texts: ["base", "left", "right", "merged"].map(text_of),
        outcomes: list.collect(),
    }
}

/// Returns a repository with a merge for each case.
fn repository(cases: &[Case]) -> TempDir {
    let folder = TempDir::new().expect("a temporary directory can be created");
    let root = folder.path();
    git(root, "init --quiet --initial-branch main");
    for case in cases {
        let [base, left, right, merged] = case.texts;
        let commit = |text: &str| {
            fs::write(root.join(&case.path), text).expect("the repository can be written");
            git(root, "add --all");
            git(root, "commit --quiet --message next");
        };
        commit(base);
        git(root, "checkout --quiet -B left");
        commit(left);
        git(root, "checkout --quiet main");
        commit(right);
        git(root, "merge --quiet --no-commit --strategy ours left");
        commit(merged);
    }
    folder
}

fn options(root: &Path) -> Options {
    Options {
        repositories: vec![root.to_string_lossy().into_owned()],
        triples: 100,
        mergiraf: "no-such-program".to_string(),
        output: Output::default(),
    }
}

#[test]
fn cases_have_the_outcomes_that_their_page_lists() {
    let cases = cases();
    let repository = repository(&cases);
    let measured = drift(&options(repository.path()), |_| ()).expect("git answers");
    let mut listed = String::new();
    let mut got = String::new();
    for case in &cases {
        let own = measured.records.iter();
        let own = own.filter(|record| record["path"] == case.path.as_str());
        let own = own.map(|record| {
            let text = |name: &str| record[name].as_str().unwrap_or_default();
            let after = if record["after a yes"] == 1 {
                ", after a yes"
            } else {
                ""
            };
            let (situation, tool, outcome) = (text("situation"), text("tool"), text("outcome"));
            (situation, format!("{tool}: {outcome}{after}"))
        });
        let (situations, mut outcomes): (Vec<_>, Vec<_>) = own.unzip();
        outcomes.extend(situations.first().map(|situation| situation.to_string()));
        got.push_str(&format!("{}\n{}\n\n", case.name, outcomes.join("\n")));
        listed.push_str(&format!("{}\n{}\n\n", case.name, case.outcomes.join("\n")));
    }
    let changed = diff(&listed, &got);
    assert!(got == listed, "listed (-) and measured (+):\n{changed}");
}
