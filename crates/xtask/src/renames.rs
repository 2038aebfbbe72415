//! Renames symbols of a real project with `complete: true`, and runs a check of the project before and after each rename.
//!
//! A rename is *complete*, *refused*, or made with a *new error*: the check reports an error that it did not report before,
//! apart from numbers and the new name. A new error makes the exit status 1. *Added places* counts the complete renames to
//! which treegraft added places, *refused alone* those that are refused without `complete`. A name that cannot be changed,
//! such as that of an inherited method, is left out, and the next one is taken. Before it measures, the task renames some
//! definitions without their uses, and stops if the check does not notice that.

use std::collections::HashMap;

use serde_json::{Value, json};

use crate::change::parse;
use crate::git::name_of;
use crate::project::{KINDS, Project, ProjectOptions, new_errors};
use crate::table::{Measured, Output, Table};

/// Examples of the command.
const EXAMPLES: &str = "Examples:
  cargo xtask renames ../click --language python --check 'ty check src'
      Rename 50 symbols of one project
  cargo xtask renames ../ripgrep --language rust --check 'cargo check --workspace --message-format short' --count 10 --show 2
      Rename ten, and print the first answers of each outcome";

/// How many symbols are tried in place of one that cannot be renamed.
const NEXT: usize = 8;

/// How many definitions are renamed alone to find out whether the check notices it.
const CONTROLS: usize = 10;

/// The codes of refusals of names that cannot be changed.
const NOT_RENAMABLE: [&str; 2] = ["not_editable", "outside_workspace"];

/// What to rename.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    #[command(flatten)]
    pub(crate) project: ProjectOptions,
    #[command(flatten)]
    pub(crate) output: Output,
}

pub(crate) const TABLES: &[Table] = &[
    Table::new(
        "rename",
        &["project", "language"],
        &["added places", "refused alone"],
    ),
    Table::new("rename", &["outcome", "detail"], &[]),
];

/// A symbol to rename.
#[derive(Debug)]
struct Chosen {
    file: String,
    line: usize,
    column: usize,
    /// The offset of the name.
    start: usize,
    name: String,
}

/// Renames symbols of a project; `say` receives the progress.
///
/// # Errors
/// Returns an error if a command cannot be run, an edit cannot be undone, or the check notices nothing.
pub(crate) fn renames(options: &Options, say: impl Fn(String)) -> Result<Measured, String> {
    let own = &options.project;
    let project = Project::copy_of(own)?;
    let files = project.files(own)?.into_iter();
    let all: Vec<Chosen> = files
        .flat_map(|(file, text)| symbols(&file, &text))
        .collect();
    let before = project.errors(&own.check)?;
    let errors = before.values().sum::<usize>();
    say(format!("{} symbols, {errors} errors before", all.len()));
    if !is_checked(&project, &own.check, &all, &before)? {
        let check = &own.check;
        return Err(format!(
            "`{check}` reports no new error if only a definition is renamed"
        ));
    }
    let step = (all.len() as f64 / own.count as f64).max(1.0);
    let mut records = Vec::new();
    for number in 0..own.count {
        let at = ((number as f64 + 0.5) * step) as usize;
        for symbol in all.iter().skip(at).take(NEXT) {
            if let Some(mut record) = renamed(&project, &own.check, symbol, &before)? {
                let (outcome, detail) = (&record["outcome"], &record["detail"]);
                say(format!(
                    "{}:{} `{}`: {outcome} {detail}",
                    symbol.file, symbol.line, symbol.name
                ));
                record["project"] = json!(name_of(&own.repository));
                record["language"] = json!(own.language);
                records.push(record);
                break;
            }
        }
    }
    project.stop_servers();
    Ok(Measured::new(records, TABLES))
}

/// Returns whether the check notices that the definition of one of some symbols is renamed, and its uses are not.
fn is_checked(
    project: &Project,
    check: &str,
    all: &[Chosen],
    before: &HashMap<String, usize>,
) -> Result<bool, String> {
    let step = (all.len() / CONTROLS).max(1);
    for symbol in all.iter().skip(step / 2).step_by(step) {
        let text = project.read(&symbol.file)?;
        let new_name = format!("{}Renamed", symbol.name);
        let end = symbol.start + symbol.name.len();
        let renamed = [&text[..symbol.start], &new_name, &text[end..]].concat();
        project.write(&symbol.file, &renamed)?;
        let after = project.errors(check);
        project.write(&symbol.file, &text)?;
        if !new_errors(before, &after?, &symbol.name, &new_name).is_empty() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Renames a symbol, checks the project, and undoes the rename. Returns `None` if the name cannot be changed.
fn renamed(
    project: &Project,
    check: &str,
    symbol: &Chosen,
    before: &HashMap<String, usize>,
) -> Result<Option<Value>, String> {
    let new_name = format!("{}Renamed", symbol.name);
    let mut arguments = json!({"file": symbol.file, "line": symbol.line, "column": symbol.column,
        "symbol": symbol.name, "new_name": new_name});
    let alone = project.call("rename_symbol", &arguments);
    if alone.code.is_some_and(|code| NOT_RENAMABLE.contains(&code)) {
        return Ok(None);
    }
    arguments["complete"] = json!(true);
    arguments["apply"] = json!(true);
    let answered = project.call("rename_symbol", &arguments);
    let mut record =
        json!({"kind": "rename", "example": format!("{arguments}\n{}", answered.text)});
    if let Some(code) = answered.code {
        record["outcome"] = json!("refused");
        record["detail"] = json!(code);
        return Ok(Some(record));
    }
    let after = project.errors(check)?;
    project.undo(&answered)?;
    match new_errors(before, &after, &symbol.name, &new_name).first() {
        Some(error) => {
            record["outcome"] = json!("new error");
            record["detail"] = json!(error);
        }
        None => {
            let notes = answered.json["notes"].to_string();
            let is_added = notes.contains("added to the server's rename");
            record["outcome"] = json!("complete");
            record["added places"] = json!(usize::from(is_added));
            record["refused alone"] = json!(usize::from(alone.code.is_some()));
        }
    }
    Ok(Some(record))
}

/// Returns the symbols of a file that can be renamed. Names that the language or a tool gives a meaning are left out.
fn symbols(file: &str, text: &str) -> Vec<Chosen> {
    let parsed = parse(file, text);
    let source = parsed.source();
    let symbols = parsed.outline().symbols().iter();
    let symbols = symbols.filter_map(|symbol| {
        let name = &symbol.name;
        let is_word = name.chars().all(|c| c.is_alphanumeric() || c == '_');
        let has_meaning = ["main", "init", "constructor", "_"].contains(&name.as_str())
            || ["__", "test", "Test", "Example", "Benchmark"]
                .iter()
                .any(|word| name.starts_with(word));
        let is_wanted = is_word
            && !has_meaning
            && KINDS.split(' ').any(|kind| kind == symbol.kind)
            && *source.slice(symbol.name_span) == *name;
        let start = symbol.name_span.start();
        let line = source.line_of(start);
        let line_start = source.line_span(line)?.start();
        is_wanted.then(|| Chosen {
            file: file.to_string(),
            line,
            column: source.text()[line_start..start].chars().count() + 1,
            start,
            name: name.clone(),
        })
    });
    symbols.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_with_a_meaning_of_their_own_are_not_renamed() {
        let text = "class A:\n    def __init__(self):\n        pass\n\n    def é(self): pass\n\n\ndef test_a():\n    pass\n";
        let found = symbols("a.py", text);
        let names: Vec<_> = found
            .iter()
            .map(|one| (one.name.as_str(), one.line, one.column))
            .collect();
        assert_eq!(names, [("A", 1, 7), ("é", 5, 9)]);
    }
}
