//! The arguments of the verbs that edit files or take an edit id.

use std::time::Duration;

use clap::{ArgGroup, Args, ValueEnum};
use serde::{Serialize, Serializer};
use serde_json::json;

use treegraft::engine::request::{
    Allow, BlankLinesArgument, DiffArgument, ImportsArgument, IndentArgument,
    InsertPositionArgument, RebaseArgument,
};
use treegraft::engine::response::EditStatus;

use super::names_of;
use super::reads::{PatternOptions, RuleOption, WithinOptions};
use crate::cli::selector::{PlaceOptions, SelectorOptions};

#[derive(Debug, Args, Serialize)]
pub(in crate::cli) struct ReplaceVerb {
    #[command(flatten)]
    #[serde(flatten)]
    places: PlaceOptions,
    #[command(flatten)]
    #[serde(flatten)]
    content: ContentOptions,
    /// Also replace the doc comments and attributes before the node
    #[arg(long)]
    include_attached: bool,
    #[command(flatten)]
    #[serde(flatten)]
    indent: IndentOptions,
    #[command(flatten)]
    #[serde(flatten)]
    imports: ImportOptions,
    #[command(flatten)]
    #[serde(flatten)]
    edit: EditOptions,
}

#[derive(Debug, Args, Serialize)]
pub(in crate::cli) struct TextVerb {
    /// Text to find, with optional markers <|> and <..>
    #[arg(allow_hyphen_values = true)]
    find: String,
    /// New text; - reads standard input
    #[arg(value_name = "CONTENT", allow_hyphen_values = true)]
    new_content: String,
    /// Files or globs, or parts of files: path:scope
    #[arg(value_name = "PATH", required = true)]
    places: Vec<String>,
    /// Search only in this symbol (Server.handle) or in these lines (10-20)
    #[arg(long, value_name = "SCOPE")]
    #[serde(skip_serializing_if = "Option::is_none")]
    scope: Option<String>,
    #[command(flatten)]
    #[serde(flatten)]
    indent: IndentOptions,
    #[command(flatten)]
    #[serde(flatten)]
    imports: ImportOptions,
    #[command(flatten)]
    #[serde(flatten)]
    edit: EditOptions,
}

#[derive(Debug, Args, Serialize)]
pub(in crate::cli) struct InsertVerb {
    #[command(flatten)]
    #[serde(flatten)]
    places: PlaceOptions,
    /// Insert before or after the node, or first or last inside its body
    #[arg(long, value_name = "WHERE", value_parser = names_of::<InsertPositionArgument>())]
    position: String,
    #[command(flatten)]
    #[serde(flatten)]
    content: ContentOptions,
    /// Set the number of blank lines before and after the new text, for example 1,0
    #[arg(long, value_name = "BEFORE,AFTER", value_parser = read_blank_lines)]
    #[serde(skip_serializing_if = "Option::is_none")]
    blank_lines: Option<BlankLinesArgument>,
    /// Create the file with this text, in which the selector selects
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    create: Option<String>,
    #[command(flatten)]
    #[serde(flatten)]
    indent: IndentOptions,
    #[command(flatten)]
    #[serde(flatten)]
    imports: ImportOptions,
    #[command(flatten)]
    #[serde(flatten)]
    edit: EditOptions,
}

#[derive(Debug, Args, Serialize)]
pub(in crate::cli) struct DeleteVerb {
    #[command(flatten)]
    #[serde(flatten)]
    places: PlaceOptions,
    /// Refuse the deletion while something uses the node, and print the places
    #[arg(long)]
    unused: bool,
    #[command(flatten)]
    #[serde(flatten)]
    imports: ImportOptions,
    #[command(flatten)]
    #[serde(flatten)]
    edit: EditOptions,
}

#[derive(Debug, Args, Serialize)]
pub(in crate::cli) struct WrapVerb {
    #[command(flatten)]
    #[serde(flatten)]
    places: PlaceOptions,
    #[command(flatten)]
    #[serde(flatten)]
    content: ContentOptions,
    #[command(flatten)]
    #[serde(flatten)]
    indent: IndentOptions,
    #[command(flatten)]
    #[serde(flatten)]
    imports: ImportOptions,
    #[command(flatten)]
    #[serde(flatten)]
    edit: EditOptions,
}

#[derive(Debug, Args, Serialize)]
pub(in crate::cli) struct MoveVerb {
    #[command(flatten)]
    #[serde(flatten)]
    places: PlaceOptions,
    #[command(flatten)]
    #[serde(flatten)]
    to: DestinationOptions,
    #[command(flatten)]
    #[serde(flatten)]
    indent: IndentOptions,
    #[command(flatten)]
    #[serde(flatten)]
    imports: ImportOptions,
    #[command(flatten)]
    #[serde(flatten)]
    edit: EditOptions,
}

// The destination of a moved node.
#[derive(Debug, Args, Serialize)]
struct DestinationOptions {
    /// Move next to or into the node at this place; in the same file, a symbol or :type@text is enough
    #[arg(long, value_name = "PLACE")]
    to: String,
    /// Move before or after that node, or first or last inside its body
    #[arg(long, value_name = "WHERE", value_parser = names_of::<InsertPositionArgument>())]
    position: String,
    /// Create the file of --to with this text, in which --to selects
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    create: Option<String>,
}

#[derive(Debug, Args, Serialize)]
pub(in crate::cli) struct CreateVerb {
    /// File to create
    #[serde(rename = "file_path")]
    file: String,
    #[command(flatten)]
    #[serde(flatten)]
    content: ContentOptions,
    #[command(flatten)]
    #[serde(flatten)]
    imports: ImportOptions,
    #[command(flatten)]
    #[serde(flatten)]
    edit: EditOptions,
}

#[derive(Debug, Args, Serialize)]
pub(in crate::cli) struct DeleteFileVerb {
    /// File to delete
    #[serde(rename = "file_path")]
    file: String,
    #[command(flatten)]
    #[serde(flatten)]
    write: WriteOptions,
}

#[derive(Debug, Args, Serialize)]
pub(in crate::cli) struct MoveFileVerb {
    /// File to move
    #[serde(rename = "file_path")]
    from: String,
    /// New path of the file
    to: String,
    #[command(flatten)]
    #[serde(flatten)]
    write: WriteOptions,
}

#[derive(Debug, Args, Serialize)]
pub(in crate::cli) struct OrganizeVerb {
    /// Files or globs
    #[arg(value_name = "FILE", required = true)]
    #[serde(rename = "file_path")]
    files: Vec<String>,
    /// Choose where names come from: NAME=MODULE,...
    #[arg(long, value_name = "NAMES", value_parser = read_imports)]
    #[serde(skip_serializing_if = "Option::is_none")]
    imports: Option<ImportsArgument>,
    #[command(flatten)]
    #[serde(flatten)]
    write: WriteOptions,
}

#[derive(Debug, Args, Serialize)]
pub(in crate::cli) struct EditVerb {
    /// JSON list of edits, or JSON object with the arguments of edit_nodes; @FILE reads it from a
    /// file, - from standard input
    edits: String,
    /// Set the indentation of all contents: fitted to their destinations (auto) or as it is
    /// (verbatim)
    #[arg(long, value_name = "HOW", value_parser = names_of::<IndentArgument>())]
    indent: Option<String>,
    #[command(flatten)]
    #[serde(flatten)]
    imports: ImportOptions,
    #[command(flatten)]
    #[serde(flatten)]
    edit: EditOptions,
}

// The new content of an edit.
#[derive(Debug, Args, Serialize)]
struct ContentOptions {
    /// Set the new text; - reads standard input
    #[arg(
        long = "content",
        alias = "new-content",
        value_name = "TEXT",
        allow_hyphen_values = true,
        conflicts_with = "content_file",
        required_unless_present = "content_file"
    )]
    new_content: Option<String>,
    /// Read the new text from this file; - reads standard input
    #[arg(long, value_name = "FILE", allow_hyphen_values = true)]
    content_file: Option<String>,
}

// The indentation of the content.
#[derive(Debug, Args, Serialize)]
struct IndentOptions {
    /// Set the indentation: fitted to the destination (auto) or as it is (verbatim)
    #[arg(
        long,
        value_name = "HOW",
        default_value = "auto",
        value_parser = names_of::<IndentArgument>()
    )]
    #[serde(skip_serializing_if = "is_auto")]
    indent: String,
}

#[derive(Debug, Args, Serialize)]
pub(in crate::cli) struct RewriteVerb {
    #[command(flatten)]
    #[serde(flatten)]
    what: RewriteArguments,
    #[command(flatten)]
    #[serde(flatten)]
    within: WithinOptions,
    #[command(flatten)]
    #[serde(flatten)]
    of_pattern: PatternOptions,
    /// Leave matches inside other matches as they are
    #[arg(long)]
    outermost: bool,
    /// Leave out the matches with these numbers, for example 3,7
    #[arg(
        long,
        value_name = "NUMBERS",
        value_delimiter = ',',
        conflicts_with = "only"
    )]
    skip: Vec<usize>,
    /// Replace only the matches with these numbers
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',')]
    only: Vec<usize>,
    /// Refuse another number of matches
    #[arg(long, value_name = "N")]
    expect_matches: Option<usize>,
    /// Refuse to change more files [default: 1000]
    #[arg(long, value_name = "N")]
    max_files: Option<usize>,
    /// Leave out the matches whose edit is refused, and print why; the exit code is then 4
    #[arg(long)]
    skip_failing: bool,
    #[command(flatten)]
    #[serde(flatten)]
    imports: ImportOptions,
    #[command(flatten)]
    #[serde(flatten)]
    edit: EditOptions,
}

// What is rewritten, and how. With a rule or an edit, all positional arguments are paths.
#[derive(Debug, Args)]
struct RewriteArguments {
    /// Code to find, in which $NAME matches one node and $$$NAME any number
    #[arg(allow_hyphen_values = true, required_unless_present_any = ["rule", "like"])]
    pattern: Option<String>,
    /// Code that replaces each match, with the names of the pattern; empty deletes the matches, -
    /// reads standard input
    #[arg(
        value_name = "REPLACEMENT",
        allow_hyphen_values = true,
        required_unless_present_any = ["rule", "like"]
    )]
    new_content: Option<String>,
    /// Files, directories or globs [default: .]
    #[arg(value_name = "PATH")]
    path: Vec<String>,
    /// Instead of PATTERN and REPLACEMENT: apply the fixes of ast-grep rules, from a rule file, a
    /// directory of them or an sgconfig.yml; - reads a rule from standard input
    #[arg(long, value_name = "FILE", allow_hyphen_values = true)]
    rule: Option<RuleOption>,
    /// Instead of PATTERN and REPLACEMENT: make the change of this edit in other places
    #[arg(long, value_name = "EDIT_ID", conflicts_with = "rule")]
    like: Option<String>,
    /// Search only code in this language
    #[arg(long, value_name = "NAME", conflicts_with_all = ["rule", "like"])]
    language: Option<String>,
    /// Use this replacement instead of the fix of the rule
    #[arg(
        long,
        value_name = "TEXT",
        allow_hyphen_values = true,
        requires = "rule"
    )]
    content: Option<String>,
}

impl Serialize for RewriteArguments {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let RewriteArguments {
            pattern,
            new_content,
            path,
            rule,
            like,
            language,
            content,
        } = self;
        let paths: Vec<&String> = pattern.iter().chain(new_content).chain(path).collect();
        let arguments = match (rule, like) {
            (Some(rule), _) => json!({"rule": rule, "new_content": content, "path": paths}),
            (None, Some(edit_id)) => json!({"like": edit_id, "path": paths}),
            (None, None) => {
                json!({"pattern": pattern, "new_content": new_content, "path": path, "language": language})
            }
        };
        arguments.serialize(serializer)
    }
}

// Whether import statements follow an edit.
#[derive(Debug, Args, Serialize)]
struct ImportOptions {
    /// Import the names that new code needs, remove imports that nothing uses any longer, and with a
    /// moved node change all files that import it; NAME=MODULE,... chooses where names come from
    #[arg(
        long,
        value_name = "NAMES",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "",
        value_parser = read_imports
    )]
    #[serde(skip_serializing_if = "Option::is_none")]
    imports: Option<ImportsArgument>,
}

// The options of every edit.
#[derive(Debug, Args, Serialize)]
struct EditOptions {
    /// Accept an edit that fails this check, and print a note (repeatable)
    #[arg(long, value_name = "CHECK", value_parser = names_of::<Allow>())]
    allow: Vec<String>,
    #[command(flatten)]
    #[serde(flatten)]
    write: WriteOptions,
}

// The options of every edit, also of one without checks.
#[derive(Debug, Args, Serialize)]
struct WriteOptions {
    /// Write the edit now
    #[arg(long)]
    apply: bool,
    #[command(flatten)]
    #[serde(flatten)]
    diff: DiffOptions,
}

// The diff of a written edit.
#[derive(Debug, Args, Serialize)]
pub(in crate::cli) struct DiffOptions {
    /// Print the diff of a written edit always (full), or only if it is new (auto) [default: auto,
    /// and with --apply on a terminal full]
    #[arg(long, value_name = "WHEN", value_parser = names_of::<DiffArgument>())]
    diff: Option<String>,
}

#[derive(Debug, Args, Serialize)]
pub(in crate::cli) struct EditIdArgument {
    /// Id of the edit, as the preview printed it
    pub(in crate::cli) edit_id: String,
}

#[derive(Debug, Args, Serialize)]
pub(in crate::cli) struct UndoVerb {
    #[command(flatten)]
    #[serde(flatten)]
    edit: EditIdArgument,
    /// Print the diff and write nothing
    #[arg(long)]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    preview: bool,
    #[command(flatten)]
    #[serde(flatten)]
    diff: DiffOptions,
}

// The edits that a command is about.
#[derive(Debug, Args)]
#[group(skip)]
pub(in crate::cli) struct ChosenEdits {
    /// Ids of edits, or the first letters of an id if no other starts with them
    #[arg(value_name = "EDIT_ID")]
    pub(in crate::cli) edit_ids: Vec<String>,
    /// Choose all pending edits
    #[arg(long, conflicts_with = "edit_ids")]
    all: bool,
    /// Choose the edits of this file, or of the files in a directory or matching a glob
    #[arg(long, value_name = "GLOB", conflicts_with = "edit_ids")]
    pub(in crate::cli) file: Option<String>,
    /// Choose the edits that this program made: the name of an MCP client, or cli
    #[arg(long, value_name = "NAME", conflicts_with = "edit_ids")]
    pub(in crate::cli) client: Option<String>,
}

/// Returns the group of the options that choose edits, one of which is required.
fn chosen() -> ArgGroup {
    let group = ArgGroup::new("chosen").required(true).multiple(true);
    group.args(["edit_ids", "all", "file", "client"])
}

#[derive(Debug, Args)]
pub(in crate::cli) struct ListVerb {
    /// Ids of edits, or the first letters of an id if no other starts with them: print their diffs
    #[arg(
        value_name = "EDIT_ID",
        conflicts_with_all = ["graph", "status", "file", "client", "stats", "forget"]
    )]
    pub(in crate::cli) edit_ids: Vec<String>,
    /// Print the diff of each edit instead of the table
    #[arg(long)]
    pub(in crate::cli) diff: bool,
    /// List the applied edits, each with the edits whose text it changed
    #[arg(long, conflicts_with_all = ["diff", "status"])]
    pub(in crate::cli) graph: bool,
    /// List the edits with this status
    #[arg(long, value_name = "STATUS")]
    pub(in crate::cli) status: Option<ListedStatus>,
    /// List the edits of this file, or of the files in a directory or matching a glob
    #[arg(long, value_name = "GLOB")]
    pub(in crate::cli) file: Option<String>,
    /// List the edits that this program made: the name of an MCP client, or cli
    #[arg(long, value_name = "NAME")]
    pub(in crate::cli) client: Option<String>,
    /// Print how many calls were refused and why, and how long calls took
    #[arg(long, conflicts_with_all = ["diff", "graph", "status", "file", "client"])]
    pub(in crate::cli) stats: bool,
    /// Count only the calls of the last minutes, hours, days or weeks: 30m, 12h, 7d, 4w
    #[arg(long, value_name = "DURATION", requires = "stats", value_parser = duration)]
    pub(in crate::cli) since: Option<Duration>,
    /// Remove all edits of this workspace and their texts. Applied edits stay written, and cannot be undone any more
    #[arg(long, conflicts_with_all = ["diff", "graph", "status", "file", "client", "stats"])]
    pub(in crate::cli) forget: bool,
    /// Remove without asking
    #[arg(long, short, requires = "forget")]
    pub(in crate::cli) yes: bool,
}

/// The status of a listed edit.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(in crate::cli) enum ListedStatus {
    Previewed,
    Refused,
    Applied,
    Undone,
    Discarded,
}

impl From<ListedStatus> for EditStatus {
    fn from(status: ListedStatus) -> EditStatus {
        match status {
            ListedStatus::Previewed => EditStatus::Previewed,
            ListedStatus::Refused => EditStatus::Refused,
            ListedStatus::Applied => EditStatus::Applied,
            ListedStatus::Undone => EditStatus::Undone,
            ListedStatus::Discarded => EditStatus::Discarded,
        }
    }
}

#[derive(Debug, Args)]
#[command(group(chosen()))]
#[group(skip)]
pub(in crate::cli) struct DiscardVerb {
    #[command(flatten)]
    pub(in crate::cli) chosen: ChosenEdits,
    /// Say why: the agent reads it when it next uses the edit
    #[arg(long, value_name = "TEXT")]
    pub(in crate::cli) reason: Option<String>,
    /// Discard without asking
    #[arg(long, short)]
    pub(in crate::cli) yes: bool,
}

#[derive(Debug, Args)]
#[command(group(chosen().arg("interactive")))]
#[group(skip)]
pub(in crate::cli) struct ApplyVerb {
    #[command(flatten)]
    pub(in crate::cli) chosen: ChosenEdits,
    #[command(flatten)]
    pub(in crate::cli) diff: DiffOptions,
    /// If code around the edit changed since the preview: ask shows the edit as it is now, auto also writes it
    #[arg(long, value_name = "HOW", value_parser = names_of::<RebaseArgument>())]
    pub(in crate::cli) rebase: Option<String>,
    /// Write without asking
    #[arg(long, short)]
    pub(in crate::cli) yes: bool,
    /// Ask about each edit; without other options, about all pending edits
    #[arg(long, short, conflicts_with = "yes")]
    pub(in crate::cli) interactive: bool,
}

#[derive(Debug, Args, Serialize)]
pub(in crate::cli) struct AmendVerb {
    /// Id of the edit, as the preview or the refusal printed it
    edit_id: String,
    /// Select this node instead: [scope:][type]@text, or a symbol
    #[arg(value_name = "SELECTOR")]
    selector: Option<String>,
    #[command(flatten)]
    parts: SelectorOptions,
    /// Set the destination of a move: a place; in the same file, a symbol or :type@text is enough
    #[arg(long, value_name = "PLACE")]
    to: Option<String>,
    /// Set the position: before or after the node, or first or last inside its body
    #[arg(long, value_name = "WHERE", value_parser = names_of::<InsertPositionArgument>())]
    position: Option<String>,
    /// Set the new text; - reads standard input
    #[arg(
        long = "content",
        alias = "new-content",
        value_name = "TEXT",
        allow_hyphen_values = true,
        conflicts_with = "content_file"
    )]
    new_content: Option<String>,
    /// Read the new text from this file; - reads standard input
    #[arg(long, value_name = "FILE", allow_hyphen_values = true)]
    content_file: Option<String>,
    /// Set the number of blank lines before and after inserted text, for example 1,0
    #[arg(long, value_name = "BEFORE,AFTER", value_parser = read_blank_lines)]
    blank_lines: Option<BlankLinesArgument>,
    /// Edit all matches, of which there must be this many
    #[arg(long, value_name = "N")]
    expect_matches: Option<usize>,
    /// Leave out more matches of a rewrite, by number, or edits of several, by index: 3,7
    #[arg(
        long,
        value_name = "NUMBERS",
        value_delimiter = ',',
        conflicts_with = "only"
    )]
    skip: Vec<usize>,
    /// Keep only these matches of a rewrite, or these edits of several in this order
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',')]
    only: Vec<usize>,
    /// Leave out the matches of a rewrite whose edit is refused
    #[arg(long)]
    skip_failing: bool,
    /// Set the file
    #[arg(long, value_name = "FILE")]
    file_path: Option<String>,
    /// Set the operation of one of several edits: replace, replace_text, insert, delete, wrap, move
    #[arg(long, value_name = "OP")]
    op: Option<String>,
    /// Change the N-th edit of several, from 0
    #[arg(long, value_name = "N")]
    edit_index: Option<usize>,
    /// Change several edits: a JSON list of objects with edit_index and the fields to change;
    /// @FILE reads it from a file, - from standard input
    #[arg(long, value_name = "JSON")]
    edits: Option<String>,
    /// Set the indentation: fitted to the destination (auto) or as it is (verbatim)
    #[arg(long, value_name = "HOW", value_parser = names_of::<IndentArgument>())]
    indent: Option<String>,
    #[command(flatten)]
    #[serde(flatten)]
    imports: ImportOptions,
    #[command(flatten)]
    #[serde(flatten)]
    edit: EditOptions,
}

impl DiffOptions {
    /// Returns whether the user asked for the diff.
    pub(in crate::cli) fn is_full(&self) -> bool {
        self.diff.as_deref() == Some("full")
    }
}

/// Reads `BEFORE,AFTER`, two numbers. One may be left out.
fn read_blank_lines(given: &str) -> Result<BlankLinesArgument, String> {
    let wrong =
        || "expected two numbers, for example 1,0; leave one out to keep the default".to_string();
    let (before, after) = given.split_once(',').ok_or_else(wrong)?;
    let number = |side: &str| match side.trim() {
        "" => Ok(None),
        side => side.parse().map(Some).map_err(|_| wrong()),
    };
    Ok(BlankLinesArgument {
        before: number(before)?,
        after: number(after)?,
    })
}

fn read_imports(given: &str) -> Result<ImportsArgument, String> {
    if given.is_empty() {
        return Ok(ImportsArgument::Switch(true));
    }
    let chosen = given.split(',').map(|one| {
        let (name, module) = one.split_once('=').ok_or_else(|| {
            format!("expected NAME=MODULE, for example Path=pathlib, not {one:?}")
        })?;
        Ok((name.trim().to_string(), module.trim().to_string()))
    });
    chosen
        .collect::<Result<_, String>>()
        .map(ImportsArgument::From)
}

fn is_auto(indent: &str) -> bool {
    indent == "auto"
}

/// Parses a number with a unit, such as `7d`.
fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || "expected a number followed by m, h, d or w, such as 7d".to_string();
    let unit = text.chars().next_back().ok_or_else(wrong)?;
    let (_, minutes) = [('m', 1), ('h', 60), ('d', 24 * 60), ('w', 7 * 24 * 60)]
        .into_iter()
        .find(|(name, _)| *name == unit)
        .ok_or_else(wrong)?;
    let number = text
        .strip_suffix(unit)
        .and_then(|number| number.parse().ok());
    let number: u64 = number.ok_or_else(wrong)?;
    let seconds = number.checked_mul(minutes * 60).ok_or_else(wrong)?;
    Ok(Duration::from_secs(seconds))
}
