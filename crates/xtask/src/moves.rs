//! Moves definitions of a real project between its files with `imports: true`, and runs a check of the project before and
//! after each move.
//!
//! A move is *made*, *refused*, or made with a *new error*: the check reports an error that it did not report before, apart
//! from numbers and file names. A new error makes the exit status 1. Before it measures, the task moves some definitions
//! without their imports, and stops if the check does not notice that.

use std::collections::HashMap;

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::{Value, json};
use treegraft::engine::request::SelectorArgument;
use treegraft::select;

use crate::change::parse;
use crate::git::name_of;
use crate::project::{Answered, KINDS, Project, ProjectOptions, new_errors};
use crate::random::Random;
use crate::table::{Measured, Output, Table};

/// Examples of the command.
const EXAMPLES: &str = "Examples:
  cargo xtask moves ../click --language python --below src --check 'ty check src --output-format concise'
      Move 50 definitions of one project
  cargo xtask moves ../mux --language go --check 'go vet ./... 2>&1 | sed \"s/^/error: /\"' --show 2
      Print the first calls of each outcome; each line of the check counts as an error";

/// How many definitions are moved without their imports to find out whether the check notices it.
const CONTROLS: usize = 12;

/// Of ten moves, the number of those to a new file.
const NEW_FILES: usize = 4;

/// What to move.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    #[command(flatten)]
    pub(crate) project: ProjectOptions,
    /// Of ten moves, the number of those to another directory
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub(crate) elsewhere: usize,
    /// Choose other definitions and files
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) output: Output,
}

pub(crate) const TABLES: &[Table] = &[
    Table::new("move", &["project", "language"], &[]),
    Table::new("move", &["outcome", "detail"], &[]),
];

/// A definition at the top level of a file.
#[derive(Clone, Debug)]
struct Definition {
    file: String,
    name: String,
    selector: Value,
}

/// Moves definitions of a project; `say` receives the progress.
///
/// # Errors
/// Returns an error if a command cannot be run, an edit cannot be undone, or the check notices nothing.
pub(crate) fn moves(options: &Options, say: impl Fn(String)) -> Result<Measured, String> {
    let project = Project::copy_of(&options.project)?;
    let files = project.files(&options.project)?.into_iter();
    let all: Vec<Definition> = files
        .flat_map(|(file, text)| definitions(&file, &text))
        .collect();
    if all.is_empty() {
        return Err(format!("no definitions in {}", options.project.language));
    }
    let before = project.errors(&options.project.check)?;
    let errors = before.values().sum::<usize>();
    say(format!("{} definitions, {errors} errors before", all.len()));
    let mut random = Random::from_seed(&[&options.seed.to_string()]);
    let draw = |random: &mut Random| {
        let one = &all[random.below(all.len())];
        (one, arguments(options, &all, one, random))
    };
    let mut is_checked = false;
    for _ in 0..CONTROLS {
        if !is_checked {
            let (_, arguments) = draw(&mut random);
            let (_, new) = made(&project, options, &arguments, false, &before)?;
            is_checked = !new.is_empty();
        }
    }
    if !is_checked {
        let check = &options.project.check;
        return Err(format!(
            "`{check}` reports no new error if imports are left out"
        ));
    }
    let mut records = Vec::new();
    for _ in 0..options.project.count {
        let (one, arguments) = draw(&mut random);
        let (answered, new) = made(&project, options, &arguments, true, &before)?;
        let (outcome, detail) = match (answered.code, new.first()) {
            (Some(code), _) => ("refused", reason(code, &answered.text)),
            (None, None) => ("made", String::new()),
            (None, Some(error)) => ("new error", error.clone()),
        };
        let to = &arguments["to"]["file_path"];
        let (file, name) = (&one.file, &one.name);
        say(format!("{file} `{name}` to {to}: {outcome} {detail}"));
        records.push(
            json!({"kind": "move", "project": name_of(&options.project.repository),
            "language": options.project.language, "outcome": outcome, "detail": detail,
            "example": format!("{arguments}\n{}\n{}", new.join("\n"), answered.text)}),
        );
    }
    project.stop_servers();
    Ok(Measured::new(records, TABLES))
}

/// Makes a move, checks the project and undoes the move. Returns the answer and the new errors.
fn made(
    project: &Project,
    options: &Options,
    arguments: &Value,
    imports: bool,
    before: &HashMap<String, usize>,
) -> Result<(Answered, Vec<String>), String> {
    let mut arguments = arguments.clone();
    arguments["imports"] = json!(imports);
    arguments["apply"] = json!(true);
    arguments["diff"] = json!("full");
    let answered = project.call("move_node", &arguments);
    if answered.code.is_some() {
        return Ok((answered, Vec::new()));
    }
    let after = project.errors(&options.project.check)?;
    project.undo(&answered)?;
    // An error may move with the code.
    let from = arguments["file_path"].as_str().unwrap_or_default();
    let to = arguments["to"]["file_path"].as_str().unwrap_or_default();
    Ok((answered, new_errors(before, &after, from, to)))
}

/// Returns the reason of a refusal without the names in it.
fn reason(code: &str, text: &str) -> String {
    let first = text.lines().nth(1).unwrap_or_default();
    let why = first.split_once("with its names: ");
    let why = why.map_or(first, |(_, why)| why);
    let parts = why.split('`').enumerate();
    let plain = parts.map(|(index, part)| if index % 2 == 0 { part } else { ".." });
    format!("{code}: {}", plain.collect::<String>())
}

/// Returns the arguments of a move of a definition to a file that is chosen at random.
fn arguments(
    options: &Options,
    all: &[Definition],
    one: &Definition,
    random: &mut Random,
) -> Value {
    let folder = |file: &str| -> Utf8PathBuf {
        let parent = Utf8Path::new(file).parent();
        parent.unwrap_or(Utf8Path::new("")).to_owned()
    };
    let own = folder(&one.file);
    let is_elsewhere = random.below(10) < options.elsewhere;
    let is_new = random.below(10) < NEW_FILES;
    // Tests move to files of tests.
    let is_test = |file: &str| file.contains("test");
    let others = all.iter().filter(|other| {
        other.file != one.file
            && is_test(&other.file) == is_test(&one.file)
            && (folder(&other.file) == own) != is_elsewhere
    });
    let others: Vec<&Definition> = others.collect();
    let other = random.pick(&others).copied();
    if let Some(other) = other.filter(|_| !is_new) {
        // After the last definition of the file.
        let last = all.iter().rfind(|last| last.file == other.file);
        let last = last.unwrap_or(other);
        let to = json!({"file_path": last.file, "selector": last.selector, "position": "after"});
        return json!({"file_path": one.file, "selector": one.selector, "to": to});
    }
    let place = other.map_or(own, |other| folder(&other.file));
    let path = Utf8Path::new(&one.file);
    let is_go_test = path.file_stem().is_some_and(|stem| stem.ends_with("_test"));
    let ending = if is_go_test { "_test" } else { "" };
    let extension = path.extension().unwrap_or_default();
    let mut name = one.name.clone();
    let file = loop {
        let file = place.join(format!("{name}{ending}.{extension}"));
        if !all.iter().any(|other| other.file == file) {
            break file;
        }
        name.insert_str(0, "Moved");
    };
    let comment = match options.project.language.as_str() {
        "python" => "# Moved.\n",
        _ => "// Moved.\n",
    };
    let to = json!({"file_path": file.as_str(), "create": comment, "selector": "comment@Moved.",
        "position": "after"});
    json!({"file_path": one.file, "selector": one.selector, "to": to})
}

/// Returns the definitions at the top level of a file.
fn definitions(file: &str, text: &str) -> Vec<Definition> {
    let parsed = parse(file, text);
    let root = parsed.root();
    let mut all: Vec<Definition> = Vec::new();
    let tops = parsed.children(root).into_iter();
    for top in tops.filter(|top| top.is_named()) {
        let mut symbols = parsed.outline().symbols().iter();
        let symbol = symbols.find(|symbol| {
            symbol.parent.is_none()
                && top.span().contains(symbol.node_span)
                && KINDS.split(' ').any(|kind| kind == symbol.kind)
        });
        let selector = select::describe(&parsed, &[root, top]);
        let (Some(symbol), Some(selector)) = (symbol, selector) else {
            continue;
        };
        let name = symbol.name.split('.').next_back();
        all.push(Definition {
            file: file.to_string(),
            name: name.unwrap_or_default().to_string(),
            selector: json!(SelectorArgument::from(selector)),
        });
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_at_the_top_level_are_moved_with_what_wraps_them() {
        let text = "import a from './a';\n\nexport function one() {\n  function inner() {}\n}\n\nconst two = 2;\n";
        let found = definitions("a.ts", text);
        let names: Vec<_> = found.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["one", "two"]);
        let selectors: Vec<String> = found.iter().map(|one| one.selector.to_string()).collect();
        assert!(selectors[0].contains("export_statement"), "{selectors:?}");
    }

    #[test]
    fn a_reason_has_no_names() {
        let text =
            "refused: incomplete_move\ncannot move `a` to `b` with its names: `x` is not `y`\n";
        assert_eq!(
            reason("incomplete_move", text),
            "incomplete_move: .. is not .."
        );
        assert_eq!(
            reason("stale_edit", "refused: stale_edit\nno"),
            "stale_edit: no"
        );
    }
}
