//! The verbs that edit files, and those that take the id of an edit.

use clap::Args;
use serde::Serialize;

use treegraft::engine::request::{Allow, IndentArgument, InsertPositionArgument, SelectorArgument};

use super::names_of;
use crate::cli::selector::{SelectorOptions, read_selector, symbol_scope};

#[derive(Debug, Args, Serialize)]
pub(in crate::cli) struct ReplaceVerb {
    /// The file
    #[serde(rename = "file_path")]
    file: String,
    #[command(flatten)]
    selector: SelectorOptions,
    #[command(flatten)]
    #[serde(flatten)]
    content: ContentOptions,
    /// Doc comments and attributes before the node go too
    #[arg(long)]
    include_attached: bool,
    #[command(flatten)]
    #[serde(flatten)]
    indent: IndentOptions,
    #[command(flatten)]
    #[serde(flatten)]
    edit: EditOptions,
}

#[derive(Debug, Args, Serialize)]
pub(in crate::cli) struct ReplaceTextVerb {
    /// The file
    #[serde(rename = "file_path")]
    file: String,
    /// The text; white space between tokens may differ, two markers <|> bound the part to replace,
    /// <..> stands for a middle whose brackets are balanced
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    find: String,
    /// Look inside this symbol, for example Server.handle
    #[arg(long, value_name = "PATH", conflicts_with = "lines")]
    #[serde(
        rename = "scope",
        serialize_with = "symbol_scope",
        skip_serializing_if = "Option::is_none"
    )]
    symbol: Option<String>,
    /// Look in these lines, for example 10-20
    #[arg(long, value_name = "LINES")]
    #[serde(rename = "scope", skip_serializing_if = "Option::is_none")]
    lines: Option<String>,
    #[command(flatten)]
    #[serde(flatten)]
    content: ContentOptions,
    #[command(flatten)]
    #[serde(flatten)]
    indent: IndentOptions,
    #[command(flatten)]
    #[serde(flatten)]
    edit: EditOptions,
}

#[derive(Debug, Args, Serialize)]
pub(in crate::cli) struct InsertVerb {
    /// The file
    #[serde(rename = "file_path")]
    file: String,
    #[command(flatten)]
    selector: SelectorOptions,
    /// Beside the node, or first or last inside its body
    #[arg(long, value_name = "WHERE", value_parser = names_of::<InsertPositionArgument>())]
    position: String,
    #[command(flatten)]
    #[serde(flatten)]
    content: ContentOptions,
    #[command(flatten)]
    #[serde(flatten)]
    indent: IndentOptions,
    #[command(flatten)]
    #[serde(flatten)]
    edit: EditOptions,
}

#[derive(Debug, Args, Serialize)]
pub(in crate::cli) struct DeleteVerb {
    /// The file
    #[serde(rename = "file_path")]
    file: String,
    #[command(flatten)]
    selector: SelectorOptions,
    #[command(flatten)]
    #[serde(flatten)]
    edit: EditOptions,
}

#[derive(Debug, Args, Serialize)]
pub(in crate::cli) struct WrapVerb {
    /// The file
    #[serde(rename = "file_path")]
    file: String,
    #[command(flatten)]
    selector: SelectorOptions,
    #[command(flatten)]
    #[serde(flatten)]
    content: ContentOptions,
    #[command(flatten)]
    #[serde(flatten)]
    indent: IndentOptions,
    #[command(flatten)]
    #[serde(flatten)]
    edit: EditOptions,
}

#[derive(Debug, Args, Serialize)]
pub(in crate::cli) struct MoveVerb {
    /// The file
    #[serde(rename = "file_path")]
    file: String,
    #[command(flatten)]
    selector: SelectorOptions,
    #[command(flatten)]
    to: DestinationOptions,
    /// How it gets its indentation
    #[arg(
        long,
        value_name = "HOW",
        default_value = "auto",
        value_parser = names_of::<IndentArgument>()
    )]
    #[serde(skip_serializing_if = "is_auto")]
    indent: String,
    #[command(flatten)]
    #[serde(flatten)]
    edit: EditOptions,
}

// Where a moved node goes.
#[derive(Debug, Args, Serialize)]
struct DestinationOptions {
    /// The node it goes to: [scope:][type]@text in it, or a selector as JSON
    #[arg(long, value_name = "SELECTOR", value_parser = read_selector)]
    #[serde(rename = "selector")]
    to: SelectorArgument,
    /// The file of that node, if it is another
    #[arg(long, value_name = "FILE")]
    #[serde(rename = "file_path")]
    to_file: Option<String>,
    /// Beside that node, or first or last inside its body
    #[arg(long, value_name = "WHERE", value_parser = names_of::<InsertPositionArgument>())]
    position: String,
}

#[derive(Debug, Args, Serialize)]
pub(in crate::cli) struct SeveralVerb {
    /// A JSON list of edits, or an object with `edits` and the other arguments of edit_nodes; @FILE
    /// reads it from a file, - from standard input. An option given here overrides the JSON
    edits: String,
    /// How contents get their indentation. Default: as the JSON says, else auto
    #[arg(long, value_name = "HOW", value_parser = names_of::<IndentArgument>())]
    indent: Option<String>,
    #[command(flatten)]
    #[serde(flatten)]
    edit: EditOptions,
}

// What an edit puts into the file.
#[derive(Debug, Args, Serialize)]
struct ContentOptions {
    /// The new text; - reads standard input
    #[arg(
        long,
        value_name = "TEXT",
        allow_hyphen_values = true,
        conflicts_with = "content_file",
        required_unless_present = "content_file"
    )]
    #[serde(rename = "new_content")]
    content: Option<String>,
    /// A file with the new text; - reads standard input
    #[arg(long, value_name = "FILE", allow_hyphen_values = true)]
    content_file: Option<String>,
}

// How content is indented.
#[derive(Debug, Args, Serialize)]
struct IndentOptions {
    /// How the content gets its indentation
    #[arg(
        long,
        value_name = "HOW",
        default_value = "auto",
        value_parser = names_of::<IndentArgument>()
    )]
    #[serde(skip_serializing_if = "is_auto")]
    indent: String,
}

// What every edit takes.
#[derive(Debug, Args, Serialize)]
struct EditOptions {
    /// Let a failed check be a note
    #[arg(long, value_name = "CHECK", value_parser = names_of::<Allow>())]
    allow: Vec<String>,
    /// Write at once
    #[arg(long)]
    apply: bool,
}

#[derive(Debug, Args, Serialize)]
pub(in crate::cli) struct EditVerb {
    /// The id from the preview
    pub(in crate::cli) edit_id: String,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct ApplyVerb {
    #[command(flatten)]
    pub(in crate::cli) edit: EditVerb,
    /// Do not ask
    #[arg(long, short)]
    pub(in crate::cli) yes: bool,
}

#[derive(Debug, Args, Serialize)]
pub(in crate::cli) struct RetargetVerb {
    /// The id from the preview or the refusal
    edit_id: String,
    #[command(flatten)]
    selector: SelectorOptions,
    /// Of a move: the node it goes to instead, as in treegraft move
    #[arg(long, value_name = "SELECTOR", value_parser = read_selector)]
    to: Option<SelectorArgument>,
    /// Which of several edits, from 0
    #[arg(long, value_name = "N")]
    edit_index: Option<usize>,
    /// Write at once
    #[arg(long)]
    apply: bool,
}

fn is_auto(indent: &str) -> bool {
    indent == "auto"
}
