//! Measures a repository with a merge for each case of `cases.md`.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::git::git_in_test as git;
use crate::replay::difference;

use super::report::Tool;
use super::{Options, Report, drift};

/// A merge, and what becomes of it.
struct Case {
    name: &'static str,
    path: String,
    base: &'static str,
    left: &'static str,
    right: &'static str,
    merged: &'static str,
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
        base: text_of("base"),
        left: text_of("left"),
        right: text_of("right"),
        merged: text_of("merged"),
        outcomes: list.collect(),
    }
}

/// Returns a repository with a merge for each case.
fn repository(cases: &[Case]) -> TempDir {
    let folder = TempDir::new().expect("a temporary directory can be created");
    let root = folder.path();
    git(root, &["init", "--quiet", "--initial-branch", "main"]);
    for case in cases {
        let commit = |text: &str| {
            fs::write(root.join(&case.path), text).expect("the repository can be written");
            git(root, &["add", "--all"]);
            git(root, &["commit", "--quiet", "--message", case.name]);
        };
        commit(case.base);
        git(root, &["checkout", "--quiet", "-B", "left"]);
        commit(case.left);
        git(root, &["checkout", "--quiet", "main"]);
        commit(case.right);
        merge(root, case);
    }
    folder
}

fn merge(root: &Path, case: &Case) {
    let ours = [
        "merge",
        "--quiet",
        "--no-commit",
        "--strategy",
        "ours",
        "left",
    ];
    git(root, &ours);
    fs::write(root.join(&case.path), case.merged).expect("the repository can be written");
    git(root, &["add", "--all"]);
    git(root, &["commit", "--quiet", "--message", case.name]);
}

fn options(root: &Path) -> Options {
    Options {
        repositories: vec![root.to_string_lossy().into_owned()],
        triples: 100,
        languages: Vec::new(),
        mergiraf: "no-such-program".to_string(),
        show: 1,
    }
}

#[test]
fn cases_have_the_outcomes_that_their_page_lists() {
    let cases = cases();
    let repository = repository(&cases);
    let report: Report = drift(&options(repository.path()), |_| ()).expect("git answers");
    let tools = [
        Tool::Treegraft,
        Tool::TreegraftInTurn,
        Tool::Git,
        Tool::Strings,
    ];
    let mut listed = String::new();
    let mut measured = String::new();
    for case in &cases {
        let outcomes = tools.into_iter().filter_map(|tool| {
            let name = report.outcome(&case.path, tool)?;
            Some(format!("{}: {name}", tool.name()))
        });
        let cause = report
            .cause(&case.path)
            .map(|cause| cause.name().to_string());
        let outcomes: Vec<String> = outcomes.chain(cause).collect();
        measured.push_str(&format!("{}\n{}\n\n", case.name, outcomes.join("\n")));
        listed.push_str(&format!("{}\n{}\n\n", case.name, case.outcomes.join("\n")));
    }
    let changed = difference(&listed, &measured);
    assert!(
        measured == listed,
        "listed (-) and measured (+):\n{changed}"
    );
    let text = report.to_string();
    assert!(text.contains("Triples resolved by hand"), "{text}");
}

#[test]
fn a_language_without_files_has_no_triples() {
    let cases = cases();
    let repository = repository(&cases[..2]);
    let options = Options {
        languages: vec!["haskell".to_string()],
        ..options(repository.path())
    };
    let report = drift(&options, |_| ()).expect("git answers");
    assert!(report.repositories[0].triples.is_empty());
}

#[test]
fn error_names_a_path_that_is_not_a_repository() {
    let empty = TempDir::new().expect("a temporary directory can be created");
    let path = empty.path().join("none");
    let refused = drift(&options(&path), |_| ()).map(|_| ());
    assert!(refused.is_err_and(|fault| fault.contains("none")));
}
