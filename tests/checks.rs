//! The table of `docs/checks.md`: its rows are the checks that judge a change, in the same order,
//! and each decides the case that its row names.

#![expect(clippy::disallowed_methods, reason = "cases and pages are files")]

use std::fs;

use serde::de::DeserializeOwned;
use serde_json::Value;
use treegraft::edit::{self, InsertPosition, Operation};
use treegraft::engine::request::{
    DeleteNode, IndentArgument, InsertNode, InsertPositionArgument, ReplaceNode, ReplaceText,
    WrapNode,
};
use treegraft::language;
use treegraft::parse::Parsed;
use treegraft::select::{self, Selector};
use treegraft::source::Source;
use treegraft::validate::{self, validate};

use crate::pages::{self, Case};
use crate::support::{is_left_out, repository};

#[test]
fn each_row_of_the_table_decides_its_case() {
    let rows = rows();
    let names: Vec<&str> = rows.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, validate::rows().collect::<Vec<_>>());
    let pages = pages::all(repository()).expect("the pages can be read");
    for (name, shown_by) in &rows {
        let (path, heading) = shown_by
            .split_once("`: ")
            .expect("a case has a page and a heading");
        let path = format!("tests/cases/{path}");
        let page = pages.iter().find(|page| page.path == path);
        let page = page.unwrap_or_else(|| panic!("{name}: no page {path}"));
        let case = page.cases.iter().find(|case| case.heading == heading);
        let case = case.unwrap_or_else(|| panic!("{name}: no heading {heading} in {path}"));
        // `edit_nodes` is judged inside the crate, where a test of `validate` covers its row.
        if is_left_out(&page.language) || case.tool == "edit_nodes" {
            continue;
        }
        let decided = decided_by(case);
        let decided = decided.unwrap_or_else(|| panic!("{shown_by} is no edit that is judged"));
        assert!(decided.contains(&name.as_str()), "{shown_by}: {decided:?}");
    }
}

/// Returns the rows of the page, each with the case that shows it.
fn rows() -> Vec<(String, String)> {
    let page = crate::support::repository().join("docs/checks.md");
    let page = fs::read_to_string(page).expect("the page can be read");
    let lines = page.lines().filter(|line| line.starts_with("| `"));
    lines
        .map(|line| {
            let cells: Vec<&str> = line.split('|').map(str::trim).collect();
            let bare = |cell: &str| cell.trim_matches('`').to_string();
            (bare(cells[1]), bare(cells[cells.len() - 2]))
        })
        .collect()
}

/// Returns the rows that decide a case with one edit; `None` if the case is refused before it is
/// judged.
fn decided_by(case: &Case) -> Option<Vec<&'static str>> {
    let (selector, operation) = edit_of(case)?;
    let language = language::for_file(&case.file_name, &case.before);
    let text = case.before.to_string();
    let parsed = Parsed::parse(Source::new(&case.file_name, language, text));
    let selection = select::select(&parsed, &selector).ok()?;
    let change = edit::edit(selection, &operation).ok()?;
    let decided = match validate(change, &[]) {
        Ok(checked) => checked.decided_by().to_vec(),
        Err(rejected) => rejected.decided_by().to_vec(),
    };
    Some(decided)
}

/// Returns the request of a case, if it is one edit that allows no failing checks.
fn edit_of(case: &Case) -> Option<(Selector, Operation)> {
    if case.arguments.get("allow").is_some() {
        return None;
    }
    let arguments = &case.arguments;
    match case.tool.as_str() {
        "replace_node" => read(arguments).map(|request: ReplaceNode| {
            let operation = Operation::Replace {
                new_content: request.new_content,
                indent: indent(request.indent),
                include_attached: request.include_attached,
            };
            (request.selector.0, operation)
        }),
        "replace_text" => read(arguments).map(|request: ReplaceText| {
            let selector = Selector {
                scope: request.scope.0,
                ..Selector::part(&request.find)
            };
            let operation = Operation::ReplaceText {
                new_content: request.new_content,
                indent: indent(request.indent),
            };
            (selector, operation)
        }),
        "insert_node" => read(arguments).map(|request: InsertNode| {
            let operation = Operation::Insert {
                position: match request.position {
                    InsertPositionArgument::Before => InsertPosition::Before,
                    InsertPositionArgument::After => InsertPosition::After,
                    InsertPositionArgument::FirstChild => InsertPosition::FirstChild,
                    InsertPositionArgument::LastChild => InsertPosition::LastChild,
                    other => panic!("{other:?} is a position of no case"),
                },
                new_content: request.new_content,
                indent: indent(request.indent),
                blank_lines: request.blank_lines.into(),
            };
            (request.selector.0, operation)
        }),
        "delete_node" => {
            read(arguments).map(|request: DeleteNode| (request.selector.0, Operation::Delete))
        }
        "wrap_node" => read(arguments).map(|request: WrapNode| {
            let operation = Operation::Wrap {
                new_content: request.new_content,
                indent: indent(request.indent),
            };
            (request.selector.0, operation)
        }),
        _ => None,
    }
}

fn read<T: DeserializeOwned>(arguments: &Value) -> Option<T> {
    serde_json::from_value(arguments.clone()).ok()
}

fn indent(indent: IndentArgument) -> edit::Indent {
    match indent {
        IndentArgument::Auto => edit::Indent::Auto,
        IndentArgument::Verbatim => edit::Indent::Verbatim,
        other => panic!("{other:?} is an indentation of no case"),
    }
}
