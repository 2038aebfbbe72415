//! Tests of the book in `docs/`: every command prints what the page shows, the pages of codes and
//! tools are generated from the sources, every link resolves, and every measured figure can be made again.
//!
//! `TREEGRAFT_RECORD=1` writes the answers and the generated pages; review what it wrote.
#![expect(
    clippy::disallowed_methods,
    reason = "tests read pages and run their commands"
)]

mod citations;
mod links;
mod made;
mod measured;
mod page;
mod shell;

use std::ffi::OsStr;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use similar::TextDiff;

use page::{Fence, Page};
use shell::Sandbox;

use crate::support::subcommands;

/// Commands that a page shows without their output, by their prefix, and what runs each. cargo
/// commands are checked against the project instead.
const RUN_ELSEWHERE: &[(&str, &str)] = &[
    ("TREEGRAFT_TOKEN=", "`help`, as an example of `serve`"),
    ("treegraft serve --stage-only", "`mcp::approval`"),
    ("treegraft serve --max-memory", "`mcp::progress`"),
    ("treegraft review", "`review`"),
    ("bash tests/all.sh", "developers run it"),
    ("cargo install --path crates/cli --locked", "`.ci/run`"),
    (".ci/release --check", "`.ci/run`"),
    (".ci/release ", "`packaging`, with an existing program"),
    ("sha256sum --check SHA256SUMS", "`packaging`"),
    (
        "pip install .",
        "`.ci/run` builds and installs the same wheel",
    ),
    (
        "pip install '.[ray]'",
        "`tests/all.sh` installs what this adds",
    ),
    ("PATCHES=", "needs a code host; `python` runs its script"),
    ("mdbook build docs", "`the_book_builds`"),
    ("docker ", "needs a container engine"),
];

#[test]
fn every_output_in_the_book_is_current() {
    let mut wrong = Vec::new();
    let mut commands = 0;
    for page in pages() {
        let (answered, count) = run(&page);
        commands += count;
        wrong.extend(differs(&page.name, &page.text, &answered));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(commands > 100, "only {commands} commands were run");
}

#[test]
fn generated_pages_are_current() {
    let made = [("codes.md", made::codes()), ("tools.md", made::tools())];
    let wrong = made.iter().filter_map(|(name, text)| {
        let now = fs::read_to_string(folder().join(name)).unwrap_or_default();
        differs(name, &now, text)
    });
    let wrong: Vec<String> = wrong.collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_subcommand_is_on_the_page_of_commands() {
    let page = read("commands.md");
    let asked = page.fences().into_iter().filter(Fence::is_console);
    let asked: Vec<String> = asked.flat_map(|fence| fence.commands()).collect();
    let subcommands = subcommands().into_iter();
    let wanted = subcommands.map(|(words, _)| format!("treegraft help {words}"));
    for wanted in std::iter::once("treegraft --help".to_string()).chain(wanted) {
        assert!(asked.contains(&wanted), "no `{wanted}`");
    }
}

#[test]
fn commands_without_an_answer_are_run_elsewhere() {
    let mut wrong = Vec::new();
    // `tests/codemods.rs` runs those of its page.
    for page in pages()
        .into_iter()
        .filter(|page| page.name != "codemods.md")
    {
        for fence in page.fences().iter().filter(|fence| fence.info == "sh") {
            for line in fence.commands_of_script() {
                if !is_run_elsewhere(&line) {
                    wrong.push(format!("{}: nothing runs `{line}`", page.name));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn files_of_the_project_are_shown_as_they_are() {
    let mut count = 0;
    for page in pages() {
        for (name, shown) in page.files().iter().filter(|(name, _)| is_of_project(name)) {
            let text = fs::read_to_string(root().join(name)).expect("the file can be read");
            assert_eq!(*shown, text, "{} in {}", name, page.name);
            count += 1;
        }
    }
    assert!(count > 0, "no page shows a file");
}

#[test]
fn every_link_resolves() {
    let pages = pages();
    let mut wrong = links::broken(&pages, "");
    let readme = fs::read_to_string(root().join("README.md")).expect("the README can be read");
    let readme = Page::new("README.md", readme);
    wrong.extend(links::broken_in(&readme, &pages, "docs/"));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_citation_in_the_sources_resolves() {
    let (wrong, count) = citations::dead(&pages());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 25, "only {count} citations were found");
}

#[test]
fn every_page_is_in_the_summary_once() {
    let summary = read("SUMMARY.md");
    let linked: Vec<String> = links::targets(&summary);
    for page in pages().iter().filter(|page| page.name != "SUMMARY.md") {
        let count = linked.iter().filter(|target| **target == page.name).count();
        assert_eq!(count, 1, "{} in SUMMARY.md", page.name);
    }
}

/// Writes a line to standard error, which shows even if the test passes.
fn say(text: &str) {
    let _ = std::io::stderr().write_all(format!("{text}\n").as_bytes());
}

/// Returns whether a file that a page names is part of this project.
fn is_of_project(name: &str) -> bool {
    name.contains('/') && root().join(name).is_file()
}

/// Returns whether something else runs the command, or the command names an existing target.
fn is_run_elsewhere(line: &str) -> bool {
    if RUN_ELSEWHERE
        .iter()
        .any(|(start, _)| line.starts_with(start))
    {
        return true;
    }
    let words: Vec<&str> = line.split_whitespace().collect();
    let after = |option: &str| {
        let at = words.iter().position(|word| *word == option)?;
        words.get(at + 1).copied()
    };
    let is_there = |path: String| root().join(path).exists();
    // The environment variables before a command.
    let is_setting = |word: &&&str| word.contains('=') && !word.starts_with('-');
    let settings = words.iter().take_while(is_setting).count();
    match &words[settings..] {
        ["cargo", "bench", ..] => {
            after("--bench").is_some_and(|name| is_there(format!("benches/{name}/main.rs")))
        }
        ["cargo", "run" | "build", ..] => after("--example")
            .is_some_and(|name| is_there(format!("crates/cli/examples/{name}.rs"))),
        ["cargo", "xtask", task, ..] => ["", "/mod"]
            .iter()
            .any(|file| is_there(format!("crates/xtask/src/{task}{file}.rs"))),
        ["cargo", "test", "--test", "main", module, ..]
        | [
            "cargo",
            "test",
            "--all-features",
            "--test",
            "main",
            module,
            ..,
        ] => is_there(format!("tests/{}.rs", module.replace("::", "/"))),
        ["cargo", "test", "--lib", module, ..] => is_there(format!("src/engine/{module}.rs")),
        ["cargo", "+nightly", "fuzz", "run", target, ..] => {
            is_there(format!("fuzz/fuzz_targets/{target}.rs"))
        }
        ["python3", script, ..] => is_there((*script).to_string()),
        _ => false,
    }
}

/// Returns the page with the current output of its commands, and the number of commands.
fn run(page: &Page) -> (String, usize) {
    let fences = page.fences();
    if !fences.iter().any(Fence::is_console) {
        return (page.text.clone(), 0);
    }
    let mut sandbox = Sandbox::new();
    if page.text.contains("toy.so") {
        let grammar = fs::read(&*crate::added_languages::GRAMMAR).expect("it is built");
        sandbox.write("toy.so", grammar);
    }
    for (name, text) in page.files().iter().filter(|(name, _)| !is_of_project(name)) {
        sandbox.write(name, text);
    }
    let (mut text, mut copied, mut count) = (String::new(), 0, 0);
    for fence in fences.iter().filter(|fence| fence.is_console()) {
        text.push_str(&page.text[copied..fence.start]);
        copied = fence.end;
        for command in fence.commands() {
            count += 1;
            text.push_str(&format!("$ {command}\n"));
            text.push_str(&sandbox.answer(&page.name, &command));
        }
    }
    text.push_str(&page.text[copied..]);
    (text, count)
}

/// Returns the difference between a page and its expected text; in recording mode, writes the page
/// instead.
fn differs(name: &str, now: &str, wanted: &str) -> Option<String> {
    if now == wanted {
        return None;
    }
    if crate::support::is_recording() {
        fs::write(folder().join(name), wanted).expect("the page can be written");
        return None;
    }
    let diff = TextDiff::from_lines(now, wanted);
    let diff = diff.unified_diff().header(name, "expected").to_string();
    Some(format!("{diff}\nTREEGRAFT_RECORD=1 records it"))
}

fn root() -> &'static Path {
    crate::support::repository()
}

fn folder() -> PathBuf {
    root().join("docs")
}

fn read(name: &str) -> Page {
    let text = fs::read_to_string(folder().join(name)).expect("the page can be read");
    Page::new(name, text)
}

/// Returns all pages, sorted by name.
fn pages() -> Vec<Page> {
    let mut names = names_in("");
    names.extend(names_in("design/"));
    names.sort();
    names.iter().map(|name| read(name)).collect()
}

/// Returns the names of the pages in a folder of the book, which is empty or ends with `/`.
fn names_in(prefix: &str) -> Vec<String> {
    let listed = fs::read_dir(folder().join(prefix)).expect("the pages can be listed");
    let paths = listed.map(|entry| entry.expect("the pages can be listed").path());
    let is_page = |path: &PathBuf| path.extension() == Some(OsStr::new("md"));
    let names = paths.filter(is_page).filter_map(|path| {
        let name = path.file_name()?;
        Some(format!("{prefix}{}", name.to_string_lossy()))
    });
    names.collect()
}
