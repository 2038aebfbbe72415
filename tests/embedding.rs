//! The public items at the root of the library: a snapshot pins them, and the program in `tests/embedding`, which
//! `external::embedding` compiles outside of the workspace, uses them.
#![expect(clippy::disallowed_methods, reason = "the tests read sources")]

use std::collections::BTreeSet;
use std::fs;

use crate::support::repository;

#[path = "embedding/src/program.rs"]
mod program;

/// Items that need a feature that the program does not enable.
const WITH_FEATURES: [&str; 1] = ["Engine"];

#[test]
fn the_list_at_the_root_is_pinned() {
    let settings = crate::support::snapshots("library");
    let modules = modules("src/lib.rs").into_iter();
    let of_engine = modules_of_engine().into_iter();
    let modules = modules.map(|name| format!("{name}::")).chain(of_engine);
    let items: Vec<String> = items().into_iter().chain(modules).collect();
    settings.bind(|| insta::assert_snapshot!("public_items", items.join("\n")));
}

#[test]
fn the_external_program_uses_every_item() {
    let program = read("tests/embedding/src/program.rs");
    let mut used = imported(&program, "use treegraft::{");
    used.extend(WITH_FEATURES.map(str::to_string));
    assert_eq!(used, items());
}

#[test]
fn the_external_program_prints_its_results() {
    let mut printed = Vec::new();
    program::run(&mut printed).expect("it succeeds");
    assert_eq!(
        String::from_utf8_lossy(&printed),
        "start(2) at line 3\n\
         --- a/main.rs\n+++ b/main.rs\n@@ -1,4 +1,5 @@\n fn main() {\n     start(1);\n     start(2);\n+    stop();\n }\n\
         bytes 30..37\n\
         anchor_text \"start\" with ancestor_node_type \"call_expression\" matches 2 nodes\n\
         start(1)\nstart(2)\ntrue\nmain\n\
         fn main() {\n    start(1, 2);\n    start(2);\n}\n1 note\n"
    );
}

/// Returns the modules of a file that its documentation shows.
fn modules(path: &str) -> Vec<String> {
    let text = read(path);
    let lines: Vec<&str> = text.lines().collect();
    let public = lines.iter().enumerate().filter_map(|(at, line)| {
        let name = line.strip_prefix("pub mod ")?.strip_suffix(';')?;
        let is_hidden = at > 0 && lines[at - 1] == "#[doc(hidden)]";
        (!is_hidden).then(|| name.to_string())
    });
    public.collect()
}

fn modules_of_engine() -> Vec<String> {
    let modules = modules("src/engine.rs").into_iter();
    modules.map(|name| format!("engine::{name}::")).collect()
}

/// Returns the names that `src/lib.rs` exports.
fn items() -> BTreeSet<String> {
    let root = read("src/lib.rs");
    let exports = root.split(";").filter_map(|item| {
        let (_, export) = item.split_once("\npub use ")?;
        export.split_once("::")
    });
    let lists = exports.map(|(_, names)| names.trim_matches(['{', '}']));
    lists.flat_map(names).collect()
}

/// Returns the names in the braces that follow `opening`.
fn imported(text: &str, opening: &str) -> BTreeSet<String> {
    let (_, rest) = text.split_once(opening).expect("the program imports them");
    let (list, _) = rest.split_once('}').expect("the list is closed");
    names(list).collect()
}

fn names(list: &str) -> impl Iterator<Item = String> {
    let names = list.split(',').map(str::trim);
    names.filter(|name| !name.is_empty()).map(str::to_string)
}

fn read(path: &str) -> String {
    fs::read_to_string(repository().join(path)).expect("a file of the repository")
}
