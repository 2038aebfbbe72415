//! Moves between files that keep their names: each case of the pages in `moving/` has its files, its call and the whole
//! answer. The call writes exactly what the answer shows, and `undo_edit` restores all files.
//!
//! A case is a heading, blocks with the files (the language and `file=PATH`), a block `json TOOL` with the arguments, and
//! a block `diff` with the preview or `text` with the refusal. `TREEGRAFT_RECORD=1` writes the answers.

#![expect(clippy::disallowed_methods, reason = "pages are files")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use treegraft::lsp::configuration::Configuration;

use crate::support::{Bench, is_left_out, is_recording, patched, repository, steady};

/// A case of a page.
#[derive(Default)]
struct Case {
    heading: String,
    files: Vec<(String, String)>,
    tool: String,
    arguments: Value,
    /// The lines of the page with the answer, without its fences.
    answer: Option<(usize, usize)>,
    expected: String,
    end: usize,
}

fn cases(text: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    let mut block: Option<(usize, String)> = None;
    let lines: Vec<&str> = text.lines().collect();
    for (number, line) in lines.iter().enumerate() {
        let Some(case) = cases.last_mut().filter(|_| !line.starts_with("## ")) else {
            if let Some(heading) = line.strip_prefix("## ") {
                cases.push(Case {
                    heading: heading.to_string(),
                    ..Case::default()
                });
            }
            continue;
        };
        match (&block, line.strip_prefix("```")) {
            (None, Some(info)) => block = Some((number + 1, info.to_string())),
            (Some((start, info)), Some("")) => {
                let body: String = lines[*start..number]
                    .iter()
                    .map(|line| format!("{line}\n"))
                    .collect();
                let (first, rest) = info.split_once(' ').unwrap_or((info, ""));
                match (first, rest.strip_prefix("file=")) {
                    (_, Some(path)) => case.files.push((path.to_string(), body)),
                    ("json", None) => {
                        case.tool = rest.to_string();
                        case.arguments = serde_json::from_str(&body)
                            .unwrap_or_else(|error| panic!("{}: {error}", case.heading));
                        case.end = number + 1;
                    }
                    _ => {
                        case.answer = Some((*start - 1, number + 1));
                        case.expected = body;
                    }
                }
                block = None;
            }
            _ => {}
        }
    }
    cases
}

fn bench(case: &Case) -> Bench {
    let bench = without_servers(Bench::new());
    for (path, text) in &case.files {
        let folder = Path::new(path).parent().expect("a file has a folder");
        fs::create_dir_all(bench.root().join(folder)).expect("the folder can be created");
        bench.write(path, text);
    }
    bench
}

/// Disables the language servers that a machine may have.
fn without_servers(bench: Bench) -> Bench {
    let disabled = ["go", "python", "typescript"];
    let disabled = disabled.map(|name| format!("[servers.{name}]\nenabled = false\n"));
    let configuration = Configuration::parse("config.toml".into(), &disabled.concat());
    bench.with_servers(configuration.expect("the configuration is valid"))
}

/// Returns the files of a workspace.
fn texts(bench: &Bench) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    let mut open = vec![bench.root().to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).expect("it is a folder") {
            let path = entry.expect("it can be read").path();
            if path.is_dir() {
                open.push(path);
                continue;
            }
            let text = fs::read_to_string(&path).expect("it is text");
            let name = path.strip_prefix(bench.root()).expect("it is inside");
            all.insert(name.to_string_lossy().into_owned(), text);
        }
    }
    all
}

/// Makes the call of a case, checks the promises, and returns the answer.
fn answer(case: &Case) -> String {
    let bench = bench(case);
    let before = texts(&bench);
    match bench.call(&case.tool, case.arguments.clone()) {
        Err(refusal) => {
            assert_eq!(texts(&bench), before, "{}", case.heading);
            steady(&refusal.text())
        }
        Ok(answered) => {
            assert_eq!(texts(&bench), before, "{}: a preview writes", case.heading);
            let edit_id = answered.json["edit_id"]
                .as_str()
                .expect("an edit has an id");
            let shown = answered.json["files"]
                .as_array()
                .expect("an edit has files")
                .clone();
            let applied = bench.call("apply_edit", json!({"edit_id": edit_id}));
            applied.unwrap_or_else(|refused| panic!("{}: {}", case.heading, refused.text()));
            let after = texts(&bench);
            for file in &shown {
                let path = file["file_path"].as_str().expect("a file has a path");
                let old = before.get(path).cloned().unwrap_or_default();
                let diff = file["diff"].as_str().expect("a preview has diffs");
                assert_eq!(patched(&old, diff), after[path], "{}: {path}", case.heading);
            }
            let names: Vec<&str> = shown
                .iter()
                .filter_map(|file| file["file_path"].as_str())
                .collect();
            for (path, text) in &after {
                let is_shown = names.contains(&path.as_str());
                assert!(
                    is_shown || before[path] == *text,
                    "{}: {path}",
                    case.heading
                );
            }
            let undone = bench.call("undo_edit", json!({"edit_id": edit_id}));
            undone.unwrap_or_else(|refused| panic!("{}: {}", case.heading, refused.text()));
            assert_eq!(texts(&bench), before, "{}: undone", case.heading);
            // A call that writes at once writes the same.
            let mut arguments = case.arguments.clone();
            arguments["apply"] = json!(true);
            let written = bench.call(&case.tool, arguments);
            written.unwrap_or_else(|refused| panic!("{}: {}", case.heading, refused.text()));
            assert_eq!(texts(&bench), after, "{}: written at once", case.heading);
            steady(&answered.text)
        }
    }
}

/// Returns the pages, sorted.
fn pages() -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(repository().join("tests/moving")).expect("it is a folder");
    let mut pages: Vec<_> = entries
        .map(|entry| entry.expect("it can be read").path())
        .collect();
    pages.sort();
    pages
}

/// Returns the files of all cases, each with a path of its own.
pub(crate) fn page_texts() -> Vec<(String, String)> {
    let mut texts = Vec::new();
    for page in pages() {
        let text = fs::read_to_string(&page).expect("the page is text");
        for (number, case) in cases(&text).into_iter().enumerate() {
            let files = case.files.into_iter();
            texts.extend(files.map(|(path, text)| (format!("moving/{number}/{path}"), text)));
        }
    }
    texts
}

#[test]
fn every_move_keeps_its_names_or_is_refused() {
    let mut complaints = Vec::new();
    for page in pages() {
        let language = page
            .file_stem()
            .expect("a page has a name")
            .to_string_lossy()
            .into_owned();
        if is_left_out(&language) {
            continue;
        }
        let text = fs::read_to_string(&page).expect("the page is text");
        let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
        let cases = cases(&text);
        assert!(cases.len() >= 12, "{language} has {} cases", cases.len());
        for case in cases.iter().rev() {
            let answer = answer(case);
            let answer = format!("{}\n", answer.trim_end());
            if answer == case.expected {
                continue;
            }
            if !is_recording() {
                complaints.push(format!("{language}: {}\n{answer}", case.heading));
                continue;
            }
            let kind = if answer.contains("\n+++ ") {
                "diff"
            } else {
                "text"
            };
            let block = format!("```{kind}\n{answer}```");
            let block: Vec<String> = block.lines().map(str::to_string).collect();
            match case.answer {
                Some((start, end)) => lines.splice(start..end, block),
                None => {
                    let blank = std::iter::once(String::new());
                    lines.splice(case.end..case.end, blank.chain(block).collect::<Vec<_>>())
                }
            };
        }
        if is_recording() {
            fs::write(&page, lines.join("\n") + "\n").expect("the page can be written");
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n\n"));
}

#[test]
fn an_edit_that_breaks_names_is_refused_with_the_places() {
    let text = fs::read_to_string(repository().join("tests/moving/python.md")).expect("it is text");
    let cases = cases(&text);
    let settings = crate::support::snapshots("moving");
    for (code, heading) in [
        ("incomplete_move", "import each other"),
        ("still_used", "that something uses"),
    ] {
        let mut cases = cases.iter();
        let case = cases.find(|case| case.heading.contains(heading));
        let text = answer(case.expect("the page has the case"));
        settings.bind(|| insta::assert_snapshot!(code, text));
    }
}
