//! Renames symbols of real projects, and runs a check of each project before and after each rename.
//!
//! A project comes in with its check, a table goes out: how many renames change all places, how many of them with places
//! that treegraft adds, how many are refused, and how many make the check report a new error.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::fs;
use std::path::Path;
use std::time::Instant;

use serde_json::json;
use treegraft::language;
use treegraft::parse::Parsed;
use treegraft::source::Source;

use crate::git::git;
use crate::project::{Project, new_errors};
use crate::replay::name_of;

/// Examples of the command.
const EXAMPLES: &str = "Examples:
  cargo xtask renames ../click --check 'ty check src'
      Rename 50 symbols of one project
  cargo xtask renames ../ripgrep --check 'cargo check --workspace --message-format short' --count 10 --show
      Rename ten, and print what each call answers";

/// The kinds of symbols that are renamed.
const KINDS: [&str; 14] = [
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
    "field",
    "variant",
    "variable",
    "macro",
];

/// What to rename.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    /// Git repository, bare or with a work tree. Its HEAD is renamed in a copy.
    #[arg(value_name = "REPOSITORY")]
    pub(crate) repository: String,
    /// Command that checks the project, run with sh in the copy; its lines with `error` are compared
    #[arg(long, value_name = "COMMAND")]
    pub(crate) check: String,
    /// Command to run in the copy first
    #[arg(long, value_name = "COMMAND")]
    pub(crate) prepare: Option<String>,
    /// Number of symbols to rename
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub(crate) count: usize,
    /// Take the symbols from the files below this directory
    #[arg(long, value_name = "DIRECTORY", default_value = "")]
    pub(crate) below: String,
    /// Take the symbols of this language
    #[arg(long, value_name = "LANGUAGE")]
    pub(crate) language: String,
    /// Print the answer to each call
    #[arg(long)]
    pub(crate) show: bool,
}

/// What became of the renames of a project.
#[derive(Debug, Default)]
pub(crate) struct Report {
    project: String,
    language: String,
    /// Renames of all places.
    complete: usize,
    /// Those to which treegraft added places.
    added: usize,
    /// Those that are refused without `complete`.
    refused_alone: usize,
    /// Refused calls by code.
    refused: BTreeMap<&'static str, usize>,
    /// Names that cannot be changed, in place of which others are.
    not_renamable: usize,
    /// Renames after which the check reports a new error.
    worse: Vec<String>,
}

impl Report {
    /// Returns the number of renames after which the check reports a new error.
    pub(crate) fn worse(&self) -> usize {
        self.worse.len()
    }
}

/// Renames symbols of a project; `say` receives the progress.
///
/// # Errors
/// A command cannot be run, or an edit cannot be undone.
pub(crate) fn renames(options: &Options, say: impl Fn(String)) -> Result<Report, String> {
    let project = Project::open(&options.repository, options.prepare.as_deref())?;
    let all = all_symbols(options, project.root())?;
    let mut report = Report {
        project: name_of(&options.repository),
        language: options.language.clone(),
        ..Report::default()
    };
    let before = project.errors(&options.check)?;
    say(format!(
        "{} symbols, {} errors before",
        all.len(),
        before.values().sum::<usize>()
    ));
    let renaming = Renaming {
        project: &project,
        options,
        before: &before,
    };
    if !renaming.is_checked(&all)? {
        let command = &options.check;
        return Err(format!(
            "`{command}` reports no new error if only the definition of a symbol is renamed"
        ));
    }
    let step = (all.len() as f64 / options.count as f64).max(1.0);
    for number in 0..options.count {
        let at = ((number as f64 + 0.5) * step) as usize;
        // If the name cannot be changed, such as that of an inherited method, the next one is taken.
        for symbol in all.iter().skip(at).take(NEXT) {
            if renaming.rename(symbol, &mut report, &say)? {
                break;
            }
            report.not_renamable += 1;
        }
    }
    project.stop_servers();
    Ok(report)
}

/// How many symbols are tried in place of one that cannot be renamed.
const NEXT: usize = 8;

/// How many definitions are renamed alone to find out whether the check notices it.
const CONTROLS: usize = 10;

/// The codes of refusals of names that cannot be changed.
const NOT_RENAMABLE: [&str; 2] = ["not_editable", "outside_workspace"];

/// A project in which symbols are renamed.
struct Renaming<'r> {
    project: &'r Project,
    options: &'r Options,
    /// The errors of the project.
    before: &'r HashMap<String, usize>,
}

impl Renaming<'_> {
    /// Returns whether the check notices that the definition of one of some symbols is renamed, and its uses are not.
    fn is_checked(&self, all: &[Chosen]) -> Result<bool, String> {
        let step = (all.len() / CONTROLS).max(1);
        for symbol in all.iter().skip(step / 2).step_by(step) {
            let path = self.project.root().join(&symbol.file);
            let fault = |error: std::io::Error| format!("{}: {error}", symbol.file);
            let text = fs::read_to_string(&path).map_err(fault)?;
            let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_string).collect();
            let line = &mut lines[symbol.line - 1];
            let at = line.char_indices().nth(symbol.column - 1);
            let at = at.map_or(0, |(at, _)| at);
            let new_name = format!("{}Renamed", symbol.name);
            line.replace_range(at..at + symbol.name.len(), &new_name);
            fs::write(&path, lines.concat()).map_err(fault)?;
            let after = self.project.errors(&self.options.check);
            fs::write(&path, text).map_err(fault)?;
            if !new_errors(self.before, &after?, &symbol.name, &new_name).is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Renames a symbol, checks the project, and undoes the rename. Returns false if the name cannot be changed.
    fn rename(
        &self,
        symbol: &Chosen,
        report: &mut Report,
        say: &impl Fn(String),
    ) -> Result<bool, String> {
        let start = Instant::now();
        let new_name = format!("{}Renamed", symbol.name);
        let mut arguments = json!({"file": symbol.file, "line": symbol.line,
            "column": symbol.column, "symbol": symbol.name, "new_name": new_name});
        let alone = self.project.call("rename_symbol", &arguments);
        let is_refused_alone = alone.is_err();
        if let Err((code, _)) = alone
            && NOT_RENAMABLE.contains(&code)
        {
            return Ok(false);
        }
        arguments["complete"] = json!(true);
        arguments["apply"] = json!(true);
        let outcome = match self.project.call("rename_symbol", &arguments) {
            Err((code, text)) => {
                *report.refused.entry(code).or_default() += 1;
                if self.options.show {
                    say(text);
                }
                code.to_string()
            }
            Ok(made) => {
                let after = self.project.errors(&self.options.check)?;
                let new = new_errors(self.before, &after, &symbol.name, &new_name);
                let notes = made["notes"].to_string();
                let undone = self
                    .project
                    .call("undo_edit", &json!({"edit_id": made["edit_id"]}));
                undone.map_err(|(_, text)| text)?;
                self.project.is_undone(&symbol.name)?;
                if self.options.show {
                    say(format!("notes: {notes}"));
                }
                if new.is_empty() {
                    report.complete += 1;
                    report.added += usize::from(notes.contains("added to the server's rename"));
                    report.refused_alone += usize::from(is_refused_alone);
                    "complete".to_string()
                } else {
                    let worse = format!("{} {}: {}", symbol.file, symbol.name, new[0]);
                    report.worse.push(worse);
                    format!("worse: {}", new.join("\n  "))
                }
            }
        };
        let alone = match is_refused_alone {
            true => "refused alone, ",
            false => "",
        };
        say(format!(
            "{}:{} `{}` ({}): {alone}{outcome}, {} ms",
            symbol.file,
            symbol.line,
            symbol.name,
            symbol.kind,
            start.elapsed().as_millis()
        ));
        Ok(true)
    }
}

/// A symbol to rename.
#[derive(Debug)]
struct Chosen {
    file: String,
    line: usize,
    column: usize,
    name: String,
    kind: &'static str,
}

/// Returns the symbols of all files.
fn all_symbols(options: &Options, root: &Path) -> Result<Vec<Chosen>, String> {
    let root_name = root.to_string_lossy();
    let listed = git(&root_name, &["ls-files"])?;
    let mut all = Vec::new();
    for file in listed
        .lines()
        .filter(|file| file.starts_with(&options.below))
    {
        let language = language::of_path(file).map(|language| language.name);
        if language != Some(options.language.as_str()) {
            continue;
        }
        let Ok(text) = fs::read_to_string(root.join(file)) else {
            continue;
        };
        all.extend(symbols(file, text));
    }
    Ok(all)
}

/// Returns the symbols of a file that can be renamed. Names that the language or a tool gives a meaning are left out.
fn symbols(file: &str, text: String) -> Vec<Chosen> {
    let language = language::of(file, &text);
    let parsed = Parsed::parse(Source::new(file, language, text));
    let source = parsed.source();
    let symbols = parsed.outline().symbols().iter();
    let symbols = symbols.filter_map(|symbol| {
        let is_word = symbol.name.chars().all(|c| c.is_alphanumeric() || c == '_');
        let name = &symbol.name;
        let has_meaning = name.starts_with("__")
            || ["main", "init", "constructor", "_"].contains(&name.as_str())
            || ["test", "Test", "Example", "Benchmark"]
                .iter()
                .any(|word| name.starts_with(word));
        if !is_word
            || has_meaning
            || !KINDS.contains(&symbol.kind)
            || *source.slice(symbol.name_span) != *name
        {
            return None;
        }
        let start = symbol.name_span.start();
        let line = source.line_of(start);
        let line_start = source.line_span(line)?.start();
        Some(Chosen {
            file: file.to_string(),
            line,
            column: source.text()[line_start..start].chars().count() + 1,
            name: name.clone(),
            kind: symbol.kind,
        })
    });
    symbols.collect()
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let refused: usize = self.refused.values().sum();
        let codes = self
            .refused
            .iter()
            .map(|(code, count)| format!("{count} {code}"));
        let codes: Vec<String> = codes.collect();
        let codes = match codes.is_empty() {
            true => String::new(),
            false => format!(" ({})", codes.join(", ")),
        };
        writeln!(
            f,
            "| project | language | renames | complete | with added places | refused without `complete` | refused | worse |"
        )?;
        writeln!(f, "|---|---|---|---|---|---|---|---|")?;
        writeln!(
            f,
            "| {} | {} | {} | {} | {} | {} | {refused}{codes} | {} |",
            self.project,
            self.language,
            self.complete + refused + self.worse.len(),
            self.complete,
            self.added,
            self.refused_alone,
            self.worse.len()
        )?;
        for worse in &self.worse {
            writeln!(f, "- {worse}")?;
        }
        Ok(())
    }
}
