//! Finds citations of the design in the sources that name no page or heading of the book.

use std::fs;
use std::path::Path;

use regex::Regex;

use super::links::headings;
use super::page::Page;

/// What may cite the design.
const CITE: [&str; 7] = [
    "src",
    "crates",
    "tests",
    "benches",
    "fuzz/fuzz_targets",
    "queries",
    "Cargo.toml",
];

/// Returns the dead citations of the project, and the number of all citations.
pub(crate) fn dead(pages: &[Page]) -> (Vec<String>, usize) {
    let mut wrong = Vec::new();
    let mut count = 0;
    for path in CITE {
        visit(&super::root().join(path), &mut |path, text| {
            let (dead, cited) = dead_in(path, text, pages);
            wrong.extend(dead);
            count += cited;
        });
    }
    (wrong, count)
}

/// Returns the dead citations of a text, and the number of all citations. A page is cited as `docs/design/PAGE.md` with
/// or without the anchor of a heading.
fn dead_in(path: &str, text: &str, pages: &[Page]) -> (Vec<String>, usize) {
    let citation = Regex::new(r"docs/(design/[\w-]+\.md)(?:#([\w-]+))?").expect("it compiles");
    let outside = Regex::new(r"\bdesign[.]md\b|\blocate[ ]spec\b").expect("it compiles");
    let mut wrong = Vec::new();
    let mut count = 0;
    for (number, line) in text.lines().enumerate() {
        let at = format!("{path}:{}", number + 1);
        for cited in citation.captures_iter(line) {
            count += 1;
            let page = pages.iter().find(|page| page.name == cited[1]);
            let heading = cited.get(2).map(|heading| heading.as_str());
            let is_there = page.is_some_and(|page| {
                heading.is_none_or(|heading| headings(page).iter().any(|one| one == heading))
            });
            if !is_there {
                wrong.push(format!("{at}: no {}", &cited[0]));
            }
        }
        if let Some(found) = outside.find(line) {
            let found = found.as_str();
            wrong.push(format!(
                "{at}: `{found}` is not in the project; cite a page of docs/design"
            ));
        }
    }
    (wrong, count)
}

/// Calls `with` for each Rust file, query file and manifest of a path, except this file.
fn visit(path: &Path, with: &mut dyn FnMut(&str, &str)) {
    if path.is_dir() {
        for entry in fs::read_dir(path).expect("the folder can be listed") {
            visit(&entry.expect("the folder can be listed").path(), with);
        }
        return;
    }
    let is_source = ["rs", "scm", "toml", "py"]
        .iter()
        .any(|one| path.extension().is_some_and(|own| own == *one));
    if is_source && !path.ends_with("tests/book/citations.rs") {
        let text = fs::read(path).expect("the file can be read");
        let name = path.strip_prefix(super::root()).unwrap_or(path);
        with(&name.to_string_lossy(), &String::from_utf8_lossy(&text));
    }
}

#[test]
fn a_dead_citation_is_found() {
    let page = Page::new("design/a.md", "# A\n\n## Two words\n".to_string());
    let text = "// docs/design/a.md and docs/design/a.md#two-words\n// docs/design/a.md#gone\n\
                // docs/design/b.md#a\n// `design.md`, section 4; the locate spec\n";
    let (wrong, count) = dead_in("x.rs", text, &[page]);
    assert_eq!(
        wrong,
        [
            "x.rs:2: no docs/design/a.md#gone",
            "x.rs:3: no docs/design/b.md#a",
            "x.rs:4: `design.md` is not in the project; cite a page of docs/design",
        ]
    );
    assert_eq!(count, 4);
}
