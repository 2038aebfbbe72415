//! The book as mdBook builds it: without warnings, and with every heading that a page links to.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use page::Page;

use crate::support::repository;
use crate::tools;

#[path = "../book/links.rs"]
mod links;
#[expect(dead_code, reason = "the tests of the pages use the rest")]
#[path = "../book/page.rs"]
mod page;

fn root() -> &'static Path {
    repository()
}

fn folder() -> PathBuf {
    root().join("docs")
}

#[test]
fn the_book_builds() {
    let built = tempfile::tempdir().expect("a temporary directory can be created");
    let output = Command::new(tools::of_python("mdbook"))
        .arg("build")
        .arg(folder())
        .arg("--dest-dir")
        .arg(built.path())
        .output()
        .expect("mdBook starts");
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{message}");
    let is_trouble = |line: &&str| line.contains("WARN") || line.contains("ERROR");
    assert_eq!(message.lines().find(is_trouble), None, "{message}");
    let html = |name: &str| {
        let path = built.path().join(name).with_extension("html");
        fs::read_to_string(path).unwrap_or_else(|error| panic!("{name} was not built: {error}"))
    };
    for entry in fs::read_dir(folder()).expect("the pages can be listed") {
        let path = entry.expect("the pages can be listed").path();
        let name = path
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        if !name.ends_with(".md") || name == "SUMMARY.md" {
            continue;
        }
        html(&name);
        let page = Page::new(&name, fs::read_to_string(&path).expect("a page is text"));
        for target in links::targets(&page) {
            let Some((to, heading)) = target.split_once('#') else {
                continue;
            };
            if to.starts_with("https://") {
                continue;
            }
            let to = if to.is_empty() { &name } else { to };
            let id = format!("id=\"{heading}\"");
            assert!(html(to).contains(&id), "{name}: {target}");
        }
    }
}
