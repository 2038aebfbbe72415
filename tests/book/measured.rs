//! The page of measurements: each figure has a command that makes it, a commit and a day, and the page stays short.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use toml_edit::DocumentMut;

use crate::support::subcommands;

const COLUMNS: [&str; 6] = ["claim", "figure", "against", "command", "commit", "day"];

/// The most bytes that the page may have.
const MOST_BYTES: usize = 25_000;

#[test]
fn every_figure_has_a_command_a_commit_and_a_day() {
    let page = super::read("measured.md");
    let root = super::root();
    let is_full = git(root, &["rev-parse", "--is-shallow-repository"])
        .is_some_and(|output| output.stdout == b"false\n");
    if !is_full {
        super::say("left out: whether the commits exist; this is not a full git checkout");
    }
    let is_commit = |hash: &str| {
        !is_full || git(root, &["merge-base", "--is-ancestor", hash, "HEAD"]).is_some()
    };
    let wrong = faults(&page.text, &Tree::new(root), &is_commit);
    assert!(wrong.is_empty(), "docs/measured.md:\n{}", wrong.join("\n"));
}

#[test]
fn the_page_of_measurements_is_short() {
    let bytes = super::read("measured.md").text.len();
    assert!(
        bytes <= MOST_BYTES,
        "docs/measured.md has {bytes} bytes, more than {MOST_BYTES}"
    );
}

/// Returns the output of a git command that succeeds.
fn git(root: &Path, arguments: &[&str]) -> Option<Output> {
    let mut command = Command::new("git");
    let output = command.arg("-C").arg(root).args(arguments).output().ok()?;
    output.status.success().then_some(output)
}

/// The names that a command may have.
struct Tree<'r> {
    root: &'r Path,
    tasks: Vec<String>,
    benches: Vec<String>,
}

impl Tree<'_> {
    fn new(root: &Path) -> Tree<'_> {
        let read = |path: &str| fs::read_to_string(root.join(path)).expect("the file can be read");
        let manifest: DocumentMut = read("crates/cli/Cargo.toml").parse().expect("it is TOML");
        let benches = manifest["bench"].as_array_of_tables();
        let names = benches.into_iter().flatten().map(|bench| &bench["name"]);
        Tree {
            root,
            tasks: tasks(&read("crates/xtask/src/main.rs")),
            benches: names
                .filter_map(|name| Some(name.as_str()?.to_string()))
                .collect(),
        }
    }

    /// Returns whether a command can be run: the program is known, and what it runs exists.
    fn has(&self, command: &str) -> bool {
        let words: Vec<&str> = command.split_whitespace().collect();
        let has = |names: &[String], name: &str| names.iter().any(|one| one == name);
        match &words[..] {
            ["cargo", "xtask", task, ..] => has(&self.tasks, task),
            ["cargo", "bench", "--bench", bench, ..] => has(&self.benches, bench),
            ["cargo", "test", arguments @ ..] => arguments.iter().any(|argument| {
                let module = argument.split_once("::").map(|(module, _)| module);
                module.is_some_and(|module| self.root.join(format!("tests/{module}.rs")).is_file())
            }),
            ["bash" | "python3", script, ..] => self.root.join(script).is_file(),
            ["cargo", "install", "--path", path, ..] => self.root.join(path).is_dir(),
            ["treegraft", verb, ..] => subcommands().iter().any(|(words, _)| words == verb),
            _ => false,
        }
    }
}

/// Returns the names of the tasks in the sources of `cargo xtask`.
fn tasks(source: &str) -> Vec<String> {
    let (_, variants) = source
        .split_once("enum Task {\n")
        .expect("the tasks are an enum");
    let (variants, _) = variants.split_once("\n}").expect("the enum ends");
    let variants = variants
        .lines()
        .filter_map(|line| line.strip_prefix("    "));
    let names = variants.filter(|line| line.starts_with(|first: char| first.is_ascii_uppercase()));
    names
        .map(|line| {
            let letters = line.chars().take_while(char::is_ascii_alphanumeric);
            letters.collect::<String>().to_lowercase()
        })
        .collect()
}

/// Returns what the rows of all tables of a page lack, with the row.
fn faults(text: &str, tree: &Tree, is_commit: &dyn Fn(&str) -> bool) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut rows = 0;
    let mut previous = "";
    for line in text.lines() {
        let is_first = !previous.starts_with('|');
        previous = line;
        if !line.starts_with('|') || line.starts_with("|---") {
            continue;
        }
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        if is_first {
            if cells != COLUMNS {
                let columns = COLUMNS.join(" | ");
                wrong.push(format!("{line}: the columns are not `{columns}`"));
            }
            continue;
        }
        rows += 1;
        let lacks = lacks(&cells, tree, is_commit);
        wrong.extend(lacks.iter().map(|what| format!("{line}: {what}")));
    }
    if rows == 0 {
        wrong.push("the page has no figure".to_string());
    }
    wrong
}

/// Returns what a row lacks.
fn lacks(cells: &[&str], tree: &Tree, is_commit: &dyn Fn(&str) -> bool) -> Vec<String> {
    let [claim, figure, against, command, commit, day] = cells else {
        return vec![format!(
            "{} cells instead of {}",
            cells.len(),
            COLUMNS.len()
        )];
    };
    let mut lacks = Vec::new();
    for (name, cell) in [
        ("claim", claim),
        ("figure", figure),
        ("comparison", against),
    ] {
        if cell.is_empty() {
            lacks.push(format!("no {name}"));
        }
    }
    let code = command
        .strip_prefix('`')
        .and_then(|rest| rest.strip_suffix('`'));
    match code {
        None => lacks.push("no command in backticks".to_string()),
        Some(code) if !tree.has(code) => {
            lacks.push(format!("nothing in the project runs `{code}`"));
        }
        Some(_) => {}
    }
    let is_hash = commit.len() >= 8 && commit.chars().all(|digit| digit.is_ascii_hexdigit());
    match is_hash {
        false => lacks.push("no commit of at least 8 hexadecimal digits".to_string()),
        true if !is_commit(commit) => lacks.push(format!("HEAD has no commit {commit}")),
        true => {}
    }
    if !is_day(day) {
        lacks.push("no day such as 2026-11-29".to_string());
    }
    lacks
}

/// Returns whether a text is a day in the form YYYY-MM-DD.
fn is_day(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let number = |part: &str, length: usize| {
        let is_number = part.len() == length && part.chars().all(|digit| digit.is_ascii_digit());
        is_number.then(|| part.parse::<u32>().ok()).flatten()
    };
    match parts[..] {
        [year, month, day] => {
            number(year, 4).is_some()
                && number(month, 2).is_some_and(|month| (1..=12).contains(&month))
                && number(day, 2).is_some_and(|day| (1..=31).contains(&day))
        }
        _ => false,
    }
}

#[test]
fn a_row_is_refused_with_what_it_lacks() {
    let tree = Tree::new(super::root());
    let of = |row: &str| {
        let columns = COLUMNS.join(" | ");
        let text = format!("# Page\n\n| {columns} |\n|---|---|---|---|---|---|\n{row}\n");
        let wrong = faults(&text, &tree, &|hash| hash != "ffffffff");
        let without_row = wrong.iter().map(|fault| {
            let fault = fault.strip_prefix(row).expect("it names the row");
            fault.trim_start_matches(": ").to_string()
        });
        without_row.collect::<Vec<String>>().join("; ")
    };
    let command = "`cargo bench --bench ratios`";
    for (row, lack) in [
        (
            format!("| a | 1 | b | {command} | 0123abcd | 2026-11-29 |"),
            "",
        ),
        (
            "| a | 1 | b | `cargo xtask habits X` | 0123abcd | 2026-11-29 |".to_string(),
            "",
        ),
        (
            "| a | 1 | b | `python3 benches/python.py` | 0123abcd | 2026-11-29 |".to_string(),
            "",
        ),
        (
            "| a | 1 | b | `treegraft lsp references` | 0123abcd | 2026-11-29 |".to_string(),
            "",
        ),
        (
            "| a | 1 | b | `cargo test book::` | 0123abcd | 2026-11-29 |".to_string(),
            "",
        ),
        (
            format!("| a |  | b | {command} | 0123abcd | 2026-11-29 |"),
            "no figure",
        ),
        (
            "| a | 1 | b |  | 0123abcd | 2026-11-29 |".to_string(),
            "no command in backticks",
        ),
        (
            "| a | 1 | b | `cargo xtask nothing` | 0123abcd | 2026-11-29 |".to_string(),
            "nothing in the project runs `cargo xtask nothing`",
        ),
        (
            "| a | 1 | b | `cargo bench --bench nothing` | 0123abcd | 2026-11-29 |".to_string(),
            "nothing in the project runs `cargo bench --bench nothing`",
        ),
        (
            "| a | 1 | b | `python3 benches/nothing.py` | 0123abcd | 2026-11-29 |".to_string(),
            "nothing in the project runs `python3 benches/nothing.py`",
        ),
        (
            format!("| a | 1 | b | {command} |  | 2026-11-29 |"),
            "no commit of at least 8 hexadecimal digits",
        ),
        (
            format!("| a | 1 | b | {command} | 0123abc | 2026-11-29 |"),
            "no commit of at least 8 hexadecimal digits",
        ),
        (
            format!("| a | 1 | b | {command} | ffffffff | 2026-11-29 |"),
            "HEAD has no commit ffffffff",
        ),
        (
            format!("| a | 1 | b | {command} | 0123abcd |  |"),
            "no day such as 2026-11-29",
        ),
        (
            format!("| a | 1 | b | {command} | 0123abcd | 2026-13-29 |"),
            "no day such as 2026-11-29",
        ),
        (
            format!("| a | 1 | b | {command} | 0123abcd |"),
            "5 cells instead of 6",
        ),
    ] {
        assert_eq!(of(&row), lack, "{row}");
    }
    let other = "| tool | ms |\n|---|--:|\n| a | 1 |\n";
    assert_eq!(faults(other, &tree, &|_| true).len(), 2);
    assert_eq!(
        faults("No table.\n", &tree, &|_| true),
        ["the page has no figure"]
    );
}

#[test]
fn the_tasks_are_found() {
    let source = "enum Task {\n    /// One\n    One(Options),\n    Two {\n        /// Path\n        path: String,\n    },\n    Three,\n}\n";
    assert_eq!(tasks(source), ["one", "two", "three"]);
}
