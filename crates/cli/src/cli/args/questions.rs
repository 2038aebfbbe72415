//! The arguments of the verbs that ask language servers.

use clap::Args;
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use treegraft::engine::request::coordinates::RangeArgument;
use treegraft::engine::request::questions::{AllowRename, DefinitionKind, ReferenceKind};

use super::edits::DiffOptions;
use super::names_of;
use super::reads::PageOptions;

// The place that a language server is asked about.
#[derive(Debug, Args)]
pub(in crate::cli) struct PlaceArgument {
    /// Place such as 'src/app.py:main@<|>store' or src/app.py:12@store, or position such as src/app.py:12:5
    #[arg(value_name = "PLACE")]
    place: String,
}

#[derive(Debug, Args, Serialize)]
pub(in crate::cli) struct DefinitionVerb {
    #[command(flatten)]
    #[serde(flatten)]
    place: PlaceArgument,
    /// Set what to print for the name
    #[arg(long, default_value = "definition", value_parser = names_of::<DefinitionKind>())]
    kind: String,
}

#[derive(Debug, Args, Serialize)]
pub(in crate::cli) struct ReferencesVerb {
    #[command(flatten)]
    #[serde(flatten)]
    place: PlaceArgument,
    /// Set what to list for the name
    #[arg(long, default_value = "references", value_parser = names_of::<ReferenceKind>())]
    kind: String,
    #[command(flatten)]
    #[serde(flatten)]
    page: PageOptions,
}

#[derive(Debug, Args, Serialize)]
pub(in crate::cli) struct HoverVerb {
    #[command(flatten)]
    #[serde(flatten)]
    place: PlaceArgument,
}

#[derive(Debug, Args, Serialize)]
pub(in crate::cli) struct DiagnosticsVerb {
    /// Files, directories and globs to check
    #[arg(value_name = "PATH", default_value = ".")]
    path: Vec<String>,
    /// Print at most N diagnostics
    #[arg(long, value_name = "N")]
    max_items: Option<usize>,
}

#[derive(Debug, Args, Serialize)]
pub(in crate::cli) struct SymbolsVerb {
    /// Part of the name of a symbol
    #[arg(value_name = "NAME")]
    query: String,
    /// Print at most N symbols
    #[arg(long, value_name = "N")]
    max_items: Option<usize>,
}

#[derive(Debug, Args, Serialize)]
pub(in crate::cli) struct RenameVerb {
    #[command(flatten)]
    #[serde(flatten)]
    place: PlaceArgument,
    /// New name of the symbol
    #[arg(value_name = "NEW_NAME")]
    new_name: String,
    /// Also rename the uses that the server leaves out
    #[arg(long)]
    complete: bool,
    /// Accept a rename that fails this check, and print a note (repeatable)
    #[arg(long, value_name = "CHECK", value_parser = names_of::<AllowRename>())]
    allow: Vec<String>,
    /// Write the edit now
    #[arg(long)]
    apply: bool,
    #[command(flatten)]
    #[serde(flatten)]
    diff: DiffOptions,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct CodeActionsVerb {
    #[command(flatten)]
    place: PlaceArgument,
    /// List the actions for this range of the file PLACE, for example 10:5-12:3
    #[arg(long, value_name = "FROM-TO", value_parser = RangeArgument::read)]
    range: Option<RangeArgument>,
    /// Preview the action with this title
    #[arg(long, value_name = "TITLE")]
    apply: Option<String>,
}

#[derive(Debug, Args, Serialize)]
pub(in crate::cli) struct FormatVerb {
    /// File to format
    #[arg(value_name = "FILE")]
    #[serde(rename = "file_path")]
    file: String,
    /// Format only these lines, for example 10-20
    #[arg(long, value_name = "LINES", value_parser = line_range)]
    lines: Option<(usize, usize)>,
    /// Write the edit now
    #[arg(long)]
    apply: bool,
    #[command(flatten)]
    #[serde(flatten)]
    diff: DiffOptions,
}

#[derive(Debug, Args, Serialize)]
pub(in crate::cli) struct CompletionsVerb {
    #[command(flatten)]
    #[serde(flatten)]
    place: PlaceArgument,
    /// Print at most N completions
    #[arg(long, value_name = "N")]
    max_items: Option<usize>,
}

#[derive(Debug, Args, Serialize)]
pub(in crate::cli) struct SignatureHelpVerb {
    #[command(flatten)]
    #[serde(flatten)]
    place: PlaceArgument,
}

impl Serialize for PlaceArgument {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let place = match printed_place(&self.place) {
            Some(place) => place,
            None => json!({"locate": self.place}),
        };
        place.serialize(serializer)
    }
}

impl Serialize for CodeActionsVerb {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut arguments = match self.range {
            Some(_) => json!({"file": self.place.place}),
            None => json!(self.place),
        };
        arguments["range"] = json!(self.range);
        arguments["apply"] = json!(self.apply);
        arguments.serialize(serializer)
    }
}

/// Parses `path:line:column`, the form in which answers print a position.
fn printed_place(text: &str) -> Option<Value> {
    let (rest, column) = text.rsplit_once(':')?;
    let (file, line) = rest.rsplit_once(':')?;
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if file.is_empty() || file.contains('@') || !is_number(line) || !is_number(column) {
        return None;
    }
    let number = |text: &str| text.parse::<usize>().ok();
    Some(json!({"file": file, "line": number(line)?, "column": number(column)?}))
}

/// Parses lines such as `10-20` or `10`.
fn line_range(text: &str) -> Result<(usize, usize), String> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let number = |text: &str| {
        text.trim()
            .parse::<usize>()
            .ok()
            .filter(|number| *number > 0)
    };
    number(first)
        .zip(number(last))
        .filter(|(first, last)| first <= last)
        .ok_or_else(|| "expected a line or a range of lines from 1, such as 10-20".to_string())
}
