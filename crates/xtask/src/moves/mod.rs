//! Moves definitions of real projects between files, and runs a check of each project before and after each move.
//!
//! A project comes in with its check, a table goes out: how many moves are made, how many are refused, and how many make
//! the check report a new error.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::fs;

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::{Value, json};
use treegraft::engine::request::SelectorArgument;
use treegraft::language;
use treegraft::parse::Parsed;
use treegraft::select;
use treegraft::source::Source;

use crate::git::git;
use crate::project::{Project, new_errors};
use crate::replay::name_of;

/// Examples of the command.
const EXAMPLES: &str = "Examples:
  cargo xtask moves ../click --language python --below src --check 'ty check src --output-format concise'
      Move 50 definitions of one project
  cargo xtask moves ../mux --language go --check 'go vet ./... 2>&1 | sed \"s/^/error: /\"' --show
      Print what each call answers; each line of the check counts as an error";

/// The kinds of definitions that are moved.
const KINDS: [&str; 12] = [
    "function",
    "method",
    "class",
    "struct",
    "enum",
    "trait",
    "interface",
    "type",
    "constant",
    "static",
    "variable",
    "record",
];

/// How many definitions are moved without their imports to find out whether the check notices it.
const CONTROLS: usize = 12;

/// What to move.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    /// Git repository, bare or with a work tree. Its HEAD is edited in a copy.
    #[arg(value_name = "REPOSITORY")]
    pub(crate) repository: String,
    /// Command that checks the project, run with sh in the copy; its lines with `error` are compared
    #[arg(long, value_name = "COMMAND")]
    pub(crate) check: String,
    /// Command to run in the copy first
    #[arg(long, value_name = "COMMAND")]
    pub(crate) prepare: Option<String>,
    /// Number of definitions to move
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub(crate) count: usize,
    /// Take the definitions from the files below this directory
    #[arg(long, value_name = "DIRECTORY", default_value = "")]
    pub(crate) below: String,
    /// Take the definitions of this language
    #[arg(long, value_name = "LANGUAGE")]
    pub(crate) language: String,
    /// Of ten moves, the number of those to another directory
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub(crate) elsewhere: usize,
    /// Of ten moves, the number of those to a new file
    #[arg(long, value_name = "N", default_value_t = 4)]
    pub(crate) new_files: usize,
    /// Choose other definitions and files
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Print the diff or the refusal of each move
    #[arg(long)]
    pub(crate) show: bool,
}

/// What became of the moves of a project.
#[derive(Debug, Default)]
pub(crate) struct Report {
    project: String,
    language: String,
    made: usize,
    /// Refused calls, by code and reason.
    refused: BTreeMap<String, usize>,
    /// Moves after which the check reports a new error.
    broken: Vec<String>,
}

impl Report {
    /// Returns the number of moves after which the check reports a new error.
    pub(crate) fn broken(&self) -> usize {
        self.broken.len()
    }
}

/// A definition at the top level of a file.
#[derive(Clone, Debug)]
struct Definition {
    file: String,
    name: String,
    selector: Value,
}

/// Random numbers that are the same in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit.max(1)
    }
}

/// Moves definitions of a project; `say` receives the progress.
///
/// # Errors
/// A command cannot be run, or an edit cannot be undone.
pub(crate) fn moves(options: &Options, say: impl Fn(String)) -> Result<Report, String> {
    let project = Project::open(&options.repository, options.prepare.as_deref())?;
    let all = all_definitions(options, &project)?;
    if all.is_empty() {
        return Err(format!("no definitions in {}", options.language));
    }
    let before = project.errors(&options.check)?;
    say(format!(
        "{} definitions, {} errors before",
        all.len(),
        before.values().sum::<usize>()
    ));
    let mut report = Report {
        project: name_of(&options.repository),
        language: options.language.clone(),
        ..Report::default()
    };
    let mut random = Random(options.seed);
    if !is_checked(options, &project, &all, &before, &mut random)? {
        let command = &options.check;
        return Err(format!(
            "`{command}` reports no new error if definitions are moved without their imports"
        ));
    }
    for _ in 0..options.count {
        let one = &all[random.below(all.len())];
        let arguments = arguments(options, &all, one, &mut random);
        let place = format!(
            "{} `{}` to {}",
            one.file, one.name, arguments["to"]["file_path"]
        );
        let outcome = match made(&project, &options.check, &arguments, true, &before)? {
            Err((code, text)) => {
                let reason = reason(code, &text);
                if options.show {
                    say(text);
                }
                *report.refused.entry(reason.clone()).or_default() += 1;
                reason
            }
            Ok((new, diff)) => {
                if options.show || !new.is_empty() {
                    say(diff);
                }
                match new.first() {
                    None => {
                        report.made += 1;
                        "made".to_string()
                    }
                    Some(first) => {
                        report.broken.push(format!("{place}: {first}"));
                        format!("broken: {}", new.join("\n  "))
                    }
                }
            }
        };
        say(format!("{place}: {outcome}"));
    }
    project.stop_servers();
    Ok(report)
}

/// Returns whether the check notices that one of some definitions is moved without its imports.
fn is_checked(
    options: &Options,
    project: &Project,
    all: &[Definition],
    before: &HashMap<String, usize>,
    random: &mut Random,
) -> Result<bool, String> {
    for _ in 0..CONTROLS {
        let one = &all[random.below(all.len())];
        let arguments = arguments(options, all, one, random);
        let made = made(project, &options.check, &arguments, false, before)?;
        if made.is_ok_and(|(new, _)| !new.is_empty()) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The code and the text of a refusal.
type Refused = (&'static str, String);

/// Makes a move, checks the project and undoes the move. Returns the new errors and the diff.
fn made(
    project: &Project,
    check: &str,
    arguments: &Value,
    imports: bool,
    before: &HashMap<String, usize>,
) -> Result<Result<(Vec<String>, String), Refused>, String> {
    let mut arguments = arguments.clone();
    arguments["imports"] = json!(imports);
    arguments["apply"] = json!(true);
    arguments["diff"] = json!("full");
    let answer = match project.call("move_node", &arguments) {
        Err(refused) => return Ok(Err(refused)),
        Ok(answer) => answer,
    };
    let after = project.errors(check)?;
    let files = answer["files"].as_array().into_iter().flatten();
    let diffs: Vec<&str> = files.filter_map(|file| file["diff"].as_str()).collect();
    let notes = answer["notes"].as_array().into_iter().flatten();
    let notes: Vec<String> = notes.map(|note| format!("note: {note}")).collect();
    let undone = project.call("undo_edit", &json!({"edit_id": answer["edit_id"]}));
    undone.map_err(|(_, text)| text)?;
    let name = arguments["file_path"].as_str().unwrap_or_default();
    project.is_undone(name)?;
    // An error may move with the code.
    let target = arguments["to"]["file_path"].as_str().unwrap_or_default();
    let new = new_errors(before, &after, name, target);
    Ok(Ok((new, [notes.join("\n"), diffs.join("\n")].join("\n"))))
}

/// Returns the reason of a refusal without the names in it.
fn reason(code: &str, text: &str) -> String {
    let first = text.lines().nth(1).unwrap_or_default();
    let why = first
        .split_once("with its names: ")
        .map_or(first, |(_, why)| why);
    let mut quoted = why.split('`');
    let mut plain = String::new();
    while let Some(part) = quoted.next() {
        plain.push_str(part);
        if quoted.next().is_some() {
            plain.push_str("..");
        }
    }
    format!("{code}: {plain}")
}

/// Returns the arguments of a move of a definition to a file that is chosen at random.
fn arguments(
    options: &Options,
    all: &[Definition],
    one: &Definition,
    random: &mut Random,
) -> Value {
    let folder = |file: &str| -> Utf8PathBuf {
        Utf8Path::new(file)
            .parent()
            .unwrap_or(Utf8Path::new(""))
            .to_owned()
    };
    let own = folder(&one.file);
    let is_elsewhere = random.below(10) < options.elsewhere;
    let is_new = random.below(10) < options.new_files;
    // Tests move to files of tests.
    let is_test = |file: &str| file.contains("test");
    let others: Vec<&Definition> = all
        .iter()
        .filter(|other| other.file != one.file && is_test(&other.file) == is_test(&one.file))
        .filter(|other| (folder(&other.file) == own) != is_elsewhere)
        .collect();
    let other = others.get(random.below(others.len()));
    let extension = Utf8Path::new(&one.file).extension().unwrap_or_default();
    let to = match other.filter(|_| !is_new) {
        Some(other) => {
            // The last definition of the file.
            let last = all
                .iter()
                .rfind(|last| last.file == other.file)
                .unwrap_or(other);
            json!({"file_path": last.file, "selector": last.selector, "position": "after"})
        }
        None => {
            let place = other.map_or(own, |other| folder(&other.file));
            let ending = match Utf8Path::new(&one.file).file_stem() {
                Some(stem) if stem.ends_with("_test") => "_test",
                _ => "",
            };
            let mut name = format!("{}{ending}", one.name);
            while all
                .iter()
                .any(|other| other.file == place.join(format!("{name}.{extension}")))
            {
                name.insert_str(0, "Moved");
            }
            let comment = match options.language.as_str() {
                "python" => "# Moved.\n",
                _ => "// Moved.\n",
            };
            json!({"file_path": place.join(format!("{name}.{extension}")).as_str(), "create": comment,
                "selector": "comment@Moved.", "position": "after"})
        }
    };
    json!({"file_path": one.file, "selector": one.selector, "to": to})
}

/// Returns the definitions of all files.
fn all_definitions(options: &Options, project: &Project) -> Result<Vec<Definition>, String> {
    let root = project.root().to_string_lossy();
    let listed = git(&root, &["ls-files"])?;
    let mut all = Vec::new();
    for file in listed
        .lines()
        .filter(|file| file.starts_with(&options.below))
    {
        let language = language::of_path(file).map(|language| language.name);
        if language != Some(options.language.as_str()) {
            continue;
        }
        let Ok(text) = fs::read_to_string(project.root().join(file)) else {
            continue;
        };
        all.extend(definitions(file, text));
    }
    Ok(all)
}

/// Returns the definitions at the top level of a file.
fn definitions(file: &str, text: String) -> Vec<Definition> {
    let language = language::of(file, &text);
    let parsed = Parsed::parse(Source::new(file, language, text));
    let root = parsed.root();
    let mut all: Vec<Definition> = Vec::new();
    let tops = parsed.children(root).into_iter();
    for top in tops.filter(|top| top.is_named()) {
        let symbols = parsed.outline().symbols().iter();
        let mut own = symbols.filter(|symbol| {
            symbol.parent.is_none()
                && top.span().contains(symbol.node_span)
                && KINDS.contains(&symbol.kind)
        });
        let Some(symbol) = own.next() else { continue };
        let Some(selector) = select::describe(&parsed, &[root, top]) else {
            continue;
        };
        all.push(Definition {
            file: file.to_string(),
            name: symbol
                .name
                .split('.')
                .next_back()
                .unwrap_or_default()
                .to_string(),
            selector: json!(SelectorArgument::from(selector)),
        });
    }
    all
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let refused: usize = self.refused.values().sum();
        writeln!(
            f,
            "| project | language | moves | made | refused | made with a new error |"
        )?;
        writeln!(f, "|---|---|---|---|---|---|")?;
        writeln!(
            f,
            "| {} | {} | {} | {} | {refused} | {} |",
            self.project,
            self.language,
            self.made + refused + self.broken.len(),
            self.made,
            self.broken.len()
        )?;
        let mut reasons: Vec<_> = self.refused.iter().collect();
        reasons.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        for (reason, count) in reasons {
            writeln!(f, "- {count} {reason}")?;
        }
        for broken in &self.broken {
            writeln!(f, "- broken: {broken}")?;
        }
        Ok(())
    }
}
