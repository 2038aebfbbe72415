//! The texts that are measured: this project's own sources, item by item, as long as is asked for.

#![expect(clippy::disallowed_methods, reason = "the texts are files")]

use std::fs;
use std::path::{Path, PathBuf};

use tree_sitter::Parser;

/// Rust of about `size` bytes: the items of the files in modules of their own, over and over, with
/// `target` in the middle.
pub(crate) fn text_of(files: &[Vec<String>], size: usize, target: &str) -> String {
    let mut text = String::new();
    let mut has_target = false;
    for (number, items) in files.iter().cycle().enumerate() {
        text.push_str(&format!("mod part{number} {{\n"));
        for item in items {
            if text.len() >= size / 2 && !has_target {
                text.push_str(target);
                has_target = true;
            }
            if text.len() >= size {
                break;
            }
            text.push_str(item);
            text.push('\n');
        }
        text.push_str("}\n");
        if text.len() >= size && has_target {
            break;
        }
    }
    text
}

/// The items of each source file of this project with what stands before them, sorted by path.
pub(crate) fn items() -> Vec<Vec<String>> {
    let mut paths = Vec::new();
    collect(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("src"),
        &mut paths,
    );
    paths.sort();
    let files = paths.iter().map(|path| {
        let text = fs::read_to_string(path).expect("sources are text");
        items_of(&text)
    });
    files.filter(|items| !items.is_empty()).collect()
}

fn items_of(text: &str) -> Vec<String> {
    let tree = parser()
        .parse(text, None)
        .expect("nothing stops the parser");
    let mut cursor = tree.walk();
    let mut items = Vec::new();
    let mut start = 0;
    for node in tree.root_node().children(&mut cursor) {
        let end = node.end_byte();
        if node.kind() != "attribute_item" && !node.is_extra() {
            items.push(text[start..end].trim_matches('\n').to_string());
            start = end;
        }
    }
    items
}

fn collect(folder: PathBuf, paths: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the sources can be listed") {
        let path = entry.expect("the sources can be listed").path();
        match path.is_dir() {
            true => collect(path, paths),
            false => paths.push(path),
        }
    }
}

/// A parser of Rust.
pub(crate) fn parser() -> Parser {
    let mut parser = Parser::new();
    parser
        .set_language(&tree_sitter_rust::LANGUAGE.into())
        .expect("the grammar is built for this version of tree-sitter");
    parser
}

/// The middle one, or the mean of the two in the middle.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() % 2 {
        1 => values[middle],
        _ => (values[middle - 1] + values[middle]) / 2.0,
    }
}
