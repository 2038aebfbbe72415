//! Finds broken links between pages.

use super::page::Page;

/// Returns the broken links of all pages.
pub(crate) fn broken(pages: &[Page], prefix: &str) -> Vec<String> {
    let all = pages.iter();
    all.flat_map(|page| broken_in(page, pages, prefix))
        .collect()
}

/// Returns the broken links of one page. Links in it to `pages` start with `prefix`. Web links are
/// skipped; links to other files must name an existing file.
pub(crate) fn broken_in(page: &Page, pages: &[Page], prefix: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    for target in targets(page) {
        if target.starts_with("https://") {
            continue;
        }
        let (path, heading) = match target.split_once('#') {
            Some((path, heading)) => (path, Some(heading)),
            None => (target.as_str(), None),
        };
        let path = from_root(&page.name, path);
        let name = path.strip_prefix(prefix);
        let to = match target.starts_with('#') {
            true => Some(page),
            false => pages.iter().find(|page| Some(page.name.as_str()) == name),
        };
        let Some(to) = to else {
            // The README may link to any file, a page only to data and pictures that the book
            // includes.
            let is_file = match prefix.is_empty() {
                true => !path.ends_with(".md") && super::folder().join(&path).is_file(),
                false => super::root().join(&path).is_file(),
            };
            if !is_file {
                wrong.push(format!("{}: no page {target}", page.name));
            }
            continue;
        };
        if heading.is_some_and(|heading| !headings(to).iter().any(|one| one == heading)) {
            wrong.push(format!("{}: no heading {target}", page.name));
        }
    }
    wrong
}

/// Returns the path that a link names, from the folder of all pages.
fn from_root(page: &str, path: &str) -> String {
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in path.split('/') {
        match part {
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// Returns the link targets of a page.
pub(crate) fn targets(page: &Page) -> Vec<String> {
    let prose = page.prose();
    let ends = prose.split("](").skip(1);
    let targets = ends.filter_map(|rest| rest.split_once(')'));
    targets.map(|(target, _)| target.to_string()).collect()
}

/// Returns the anchors of a page's headings.
pub(super) fn headings(page: &Page) -> Vec<String> {
    let prose = page.prose();
    let headings = prose.lines().filter(|line| line.starts_with('#'));
    headings
        .map(|line| {
            let words = line.trim_start_matches('#').trim().to_lowercase();
            let kept = |c: &char| c.is_alphanumeric() || "-_ ".contains(*c);
            let kept = words.chars().filter(kept);
            kept.map(|c| if c == ' ' { '-' } else { c }).collect()
        })
        .collect()
}

#[test]
fn a_broken_link_is_found() {
    let one = "# One `a_b`: c\n\n[x](two.md) [x](#one-a_b-c) `[x](code.md)`\n[x](two.md#gone) [x](gone.md)\n";
    let pages = [
        Page::new("one.md", one.to_string()),
        Page::new(
            "two.md",
            "# Two\n\n```text\n[x](block.md)\n```\n".to_string(),
        ),
        Page::new(
            "in/three.md",
            "# Three\n\n[x](#three) [x](three.md) [x](../two.md#two) [x](two.md)\n".to_string(),
        ),
    ];
    assert_eq!(
        broken(&pages, ""),
        [
            "one.md: no heading two.md#gone",
            "one.md: no page gone.md",
            "in/three.md: no page two.md",
        ]
    );
}
