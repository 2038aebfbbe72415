//! The answers, in the same JSON form for the library, the command line and MCP, and as text.

mod generalized;
pub mod questions;

use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt;
use std::fmt::Write;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::diagnostic::{
    Code, Diagnostic, ExitStatus, NextCall, NodeView, PlaceView, Trial, discarded_text, render,
    symbol_text,
};
use crate::edit::{InsertPosition, Operation};
use crate::locate::{Scope, SymbolScope};
use crate::preview;
use crate::source::{Source, Span};

use super::calls::ToolRequest;
use super::request::{
    AmendEdit, Amendment, EditNodes, LocateArgument, SelectorArgument, ShortSelector,
    changed_fields,
};
pub use generalized::{Generalized, OtherPattern, PatternMatch};
use questions::ProblemsChanged;

/// The maximum number of files of a rewrite in a text.
const FILES_SHOWN: usize = 50;
/// The maximum number of line numbers in a line of the text of a written edit.
const LINES_SHOWN: usize = 12;

/// An answer, available as JSON and as text.
pub trait Answer: Serialize + JsonSchema + Send + Sync + 'static {
    /// Returns the answer as text. `call_text` formats calls that may follow.
    fn text_with(&self, call_text: CallText<'_>) -> String;

    /// Returns the answer as text. Formats calls as `tool {arguments}`.
    fn text(&self) -> String {
        self.text_with(&tool_call)
    }

    /// Returns the code of the failure, if the answer has no result.
    fn failure(&self) -> Option<Code> {
        None
    }

    /// Returns the exit status of a process that prints the answer.
    fn exit_status(&self) -> ExitStatus {
        self.failure()
            .map_or(ExitStatus::Done, |code| code.exit_status())
    }
}

/// Formats a call for the caller, from the tool name and the arguments.
pub type CallText<'a> = &'a dyn Fn(&str, &Value) -> String;

/// Adapts a sentence of a refusal to the caller, from the tool name and the sentence.
pub type SentenceText<'a> = &'a dyn Fn(&str, &str) -> String;

fn tool_call(tool: &str, arguments: &Value) -> String {
    format!("{tool} {arguments}")
}

/// A place in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Point {
    /// Line, from 1.
    pub line: usize,
    /// Character in the line, from 1, in Unicode code points.
    pub character: usize,
    /// Byte offset in the file.
    pub byte: usize,
    /// Character in the line, from 1, in UTF-16 code units.
    pub utf16_character: usize,
}

/// A range of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Range {
    /// The first character.
    pub start: Point,
    /// The position after the last character.
    pub end: Point,
}

/// A node in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NodeLine {
    /// Its type.
    pub node_type: String,
    /// Its line, from 1.
    pub line: usize,
    /// Its first line.
    pub text: String,
}

/// The place that a locator resolves to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Located {
    /// The file.
    pub file_path: String,
    /// The point.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<Point>,
    /// The range, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<Range>,
    /// The type of the smallest named node at the point.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node_type: Option<String>,
    /// The enclosing nodes, innermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ancestors: Vec<NodeLine>,
    /// The number of matches, including this one.
    pub matches: usize,
    /// The requested match, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub find_index: Option<usize>,
    /// The similar text that matched, if find itself does not match.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub near: Option<String>,
}

/// The symbols of files.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Outlined {
    /// The files that have symbols, in path order.
    pub files: Vec<FileOutline>,
    /// If the symbols do not fit: the number of symbols in each directory or file. Each symbol is counted once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub summary: Vec<PathSummary>,
    /// With rank: the symbols, the most referenced first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ranked: Vec<RankedSymbol>,
    /// The number of files searched.
    pub files_looked_at: usize,
    /// The number of files on all pages, including those without symbols; absent for one file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files_total: Option<usize>,
    /// The number of symbols of the requested depth and kinds on all pages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub symbols_total: Option<usize>,
    /// Whether there are more files than the totals count.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub totals_are_partial: bool,
    /// Pass it to get the next page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// Skipped files and limits.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// The symbols of a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FileOutline {
    /// The file.
    pub file_path: String,
    /// Its top-level symbols in file order, without those on earlier pages.
    pub symbols: Vec<SymbolListed>,
}

/// The number of symbols in a directory or a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PathSummary {
    /// `directory/`, a file, or `directory/*` for the files directly in a directory. Pass it as path to list the symbols.
    pub path: String,
    /// The number of files, including those without symbols.
    pub files: usize,
    /// The number of symbols.
    pub symbols: usize,
    /// Names of top-level symbols, the most referenced first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
}

impl PathSummary {
    /// Returns the line that describes it, with its end.
    pub(super) fn line(&self) -> String {
        let symbols = count_text(self.symbols, "symbol");
        let mut line = match self.path == "." || self.path.ends_with(['/', '*']) {
            true => format!("{}  {}, {symbols}", self.path, files_text(self.files)),
            false => format!("{}  {symbols}", self.path),
        };
        if !self.names.is_empty() {
            let _ = write!(line, ": {}", self.names.join(", "));
        }
        line.push('\n');
        line
    }
}

/// A symbol in a ranking.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RankedSymbol {
    /// The file.
    pub file_path: String,
    /// Its name.
    pub name: String,
    /// The kind: function, struct, key, ...
    pub kind: String,
    /// The line of its name, from 1.
    pub line: usize,
    /// A locator that resolves only to it.
    pub locate: LocateArgument,
    /// Its share of the references to its name, rounded.
    pub references: usize,
}

impl RankedSymbol {
    /// Returns the line that describes it, with its end.
    pub(super) fn line_text(&self) -> String {
        let question = &self.locate.0;
        let RankedSymbol {
            references,
            kind,
            line,
            ..
        } = self;
        let number = match question.find_index {
            Some(number) => format!(", find_index {number}"),
            None => String::new(),
        };
        let locate = &question.locate;
        format!("{references:>6} {kind} {locate}  (line {line}{number})\n")
    }
}

/// A symbol.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SymbolListed {
    /// Its name.
    pub name: String,
    /// The kind: function, struct, key, ...
    pub kind: String,
    /// The line of its name, from 1.
    pub line: usize,
    /// A locator that resolves only to it.
    pub locate: LocateArgument,
    /// The symbols in it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub symbols: Vec<SymbolListed>,
}

/// The nodes found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NodesFound {
    /// In path order, then in text order.
    pub matches: Vec<NodeFound>,
    /// The number of matches of a pattern or rule on all pages; only on the first of several pages. Of a call on a text,
    /// the number of all matches if not all are listed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<usize>,
    /// The number of files searched.
    pub files_looked_at: usize,
    /// Pass it to get the next page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// Skipped files and limits.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// A node found by a search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NodeFound {
    /// The file.
    pub file_path: String,
    /// The line of the match, from 1; with node_type, the first line of the node.
    pub line: usize,
    /// The type of the node.
    pub node_type: String,
    /// The text of that line; for a node, from its start.
    pub text: String,
    /// The symbols that enclose the node, including itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub symbol_path: Vec<String>,
    /// A selector that selects only this node, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selector: Option<ShortSelector>,
    /// The captures of the query, or those of the placeholders of the pattern. Also the variables that the rule computes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub captures: Vec<Captured>,
    /// Its rule, if there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<RuleOfMatch>,
}

/// The rule of a match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RuleOfMatch {
    /// Its id.
    pub id: String,
    /// Its message, with the captured code.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message: String,
}

/// A capture of a query or a pattern.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Captured {
    /// The name; that of a placeholder as in the pattern (`$A`, `$$$REST`).
    pub name: String,
    /// Its line, from 1.
    pub line: usize,
    /// Of a query: its first line; of a pattern: all of it.
    pub text: String,
}

/// The locator and the selector of a place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Described {
    /// The file.
    pub file_path: String,
    /// The requested point, or the start of a token next to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<Point>,
    /// The range without surrounding whitespace, if requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<Range>,
    /// The shortest locator of the place; absent if a range has no short one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub locate: Option<LocateArgument>,
    /// The smallest node there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<NodeLine>,
    /// The shortest selector of that node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selector: Option<SelectorArgument>,
    /// The enclosing nodes, innermost first: other types for the selector.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ancestors: Vec<NodeLine>,
}

/// A node with its ancestors.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NodeRead {
    /// The file.
    pub file_path: String,
    /// The node.
    pub node: NodeText,
    /// The enclosing nodes, innermost first.
    pub ancestors: Vec<NodeLine>,
    /// The number of outer enclosing nodes that are not listed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub ancestors_omitted: usize,
}

/// A node with its text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NodeText {
    /// Its type.
    pub node_type: String,
    /// Its range.
    pub range: Range,
    /// Its text.
    pub text: String,
    /// The number of omitted bytes at its end.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub omitted_bytes: usize,
    /// The symbols that enclose it, including itself.
    pub symbol_path: Vec<String>,
}

/// An edit that was previewed or written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EditMade {
    /// Pass it to apply_edit. Absent if nothing would change.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub edit_id: String,
    /// Whether it is written.
    pub status: EditStatus,
    /// Whether only the user can apply it, on the command line.
    #[serde(default, skip_serializing_if = "is_false")]
    pub needs_approval: bool,
    /// The changed files.
    pub files: Vec<FileEdited>,
    /// What treegraft did beyond the request.
    pub notes: Vec<String>,
    /// Problems in the files before and after the write, from running language servers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diagnostics: Option<ProblemsChanged>,
    /// The matches of a rewrite.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matches: Option<MatchCounts>,
    /// How the change of an earlier edit was generalized.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generalized: Option<Generalized>,
}

/// The matches of a pattern that a call rewrites.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MatchCounts {
    /// The number of matches, without those inside other matches.
    pub found: usize,
    /// The number of replaced or deleted matches.
    pub replaced: usize,
    /// The number of matches that are equal to their replacement.
    pub unchanged: usize,
    /// The number of matches that `skip` or `only` left out.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left_out: usize,
    /// The number of matches inside other matches, which are rewritten with them.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub nested: usize,
    /// The number of matches that `skip_failing` left out.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub refused_total: usize,
    /// The first of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<MatchRefused>,
}

/// A match whose edit is refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MatchRefused {
    /// Its number, from 1.
    pub match_number: usize,
    /// The file.
    pub file_path: String,
    /// Its line, from 1.
    pub line: usize,
    /// The code of the refusal.
    pub code: String,
    /// The reason.
    pub message: String,
}

/// The status of an edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EditStatus {
    /// Nothing is written yet.
    Previewed,
    /// It is written.
    Applied,
    /// It is written, although other parts of the file changed since the preview.
    Rebased,
    /// Nothing is written: its surroundings changed since the preview. The answer shows the edit as it is now, which
    /// applying it again writes.
    RebaseProposed,
    /// It was refused. Its request is kept.
    Refused,
    /// It was written, and the previous bytes are restored.
    Undone,
    /// It is written. The answer shows what undoing it would change.
    UndoPreviewed,
    /// Nothing would change.
    Unchanged,
    /// It was discarded.
    Discarded,
}

/// The action on a selected node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EditAction {
    /// The node is replaced.
    Replace,
    /// Text in the node is replaced.
    ReplaceText,
    /// Text is inserted before the node.
    InsertBefore,
    /// Text is inserted after the node.
    InsertAfter,
    /// Text is inserted in its body.
    InsertInto,
    /// The node is deleted.
    Delete,
    /// The node is wrapped in text.
    Wrap,
    /// The node is moved.
    Move,
    /// The moved node is inserted before it.
    MoveBefore,
    /// The moved node is inserted after it.
    MoveAfter,
    /// The moved node is inserted in its body.
    MoveInto,
    /// The file is created.
    CreateFile,
    /// The file is deleted.
    DeleteFile,
    /// The file is moved to another path.
    MoveFile,
    /// The moved file is now here.
    MoveFileHere,
    /// Import statements of the file are added or removed.
    OrganizeFile,
}

/// The changes of one file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FileEdited {
    /// The file.
    pub file_path: String,
    /// The number of lines that the edit adds.
    pub added_lines: usize,
    /// The number of lines that the edit removes. A changed line counts as removed and added.
    pub removed_lines: usize,
    /// A unified diff. Absent if the edit is written as sent or as previewed, unless requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    /// In the answer of a call that writes without a preview: the first and last lines of each change and the lines next
    /// to them, as in a diff. Lines that replace as many lines of the same indentation count as unchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seams: Option<String>,
    /// The edit, or the first of several.
    #[serde(flatten)]
    pub edit: NodeEdited,
    /// All edits of the file, if the call makes several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub edits: Vec<NodeEdited>,
    /// BLAKE3 digest of the file before the edit; `absent` if there was no file.
    pub digest_before: String,
    /// BLAKE3 digest of the file after the edit; `absent` if there is no file.
    pub digest_after: String,
}

/// The edit of one node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NodeEdited {
    /// Its index among the edits of the call, from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edit_index: Option<usize>,
    /// The number of the match of a rewrite, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub match_number: Option<usize>,
    /// The action on the node.
    pub action: EditAction,
    /// The type of the selected node.
    pub node_type: String,
    /// Its range before the edit.
    pub range: Range,
    /// The range of the new text, also for a move within the file; empty after a deletion or a move to another file.
    pub new_range: Range,
}

/// A discarded edit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EditDiscarded {
    /// Its id.
    pub edit_id: String,
    /// Always true.
    pub discarded: bool,
    /// Why, as later calls about the edit report it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// The edits of a workspace that are no longer kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct EditsForgotten {
    /// The number of removed edits: pending, refused and applied.
    pub edits: usize,
    /// The number of removed texts of files, as they were before an edit.
    pub texts: usize,
    /// Interrupted changes, whose texts are kept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// The pending and recently applied edits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EditList {
    /// Pending, then applied and undone edits, then those discarded with a reason; newest first.
    pub edits: Vec<EditListed>,
    /// The number of older edits that are not listed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub omitted: usize,
    /// Records that cannot be read, and interrupted changes that cannot be completed or reverted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unreadable: Vec<String>,
}

/// A pending, applied, undone or discarded edit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EditListed {
    /// Pass it to apply_edit, or to undo_edit if the edit is applied.
    pub edit_id: String,
    /// Previewed, refused, applied, undone or discarded.
    pub status: EditStatus,
    /// The program that made it: the name of an MCP client, or `cli`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// The session of that program. It tells apart two programs of the same name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The tool that made it.
    pub tool: String,
    /// The files, separated by commas.
    pub file_path: String,
    /// The files, one by one: a name may contain a comma. Empty in an answer that is read from JSON.
    #[serde(skip)]
    pub paths: Vec<String>,
    /// The symbol of its first target.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
    /// The number of lines that it adds.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub added_lines: usize,
    /// The number of lines that it removes.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub removed_lines: usize,
    /// The creation time, in seconds since 1970. For a discarded edit, the time of that.
    pub created: u64,
    /// What it does or why it was refused, in one line.
    pub summary: String,
    /// Why it was discarded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The diff, if one edit was requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    /// Other pending edits that change the same text: if one is applied, the others are stale.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub overlaps: Vec<String>,
    /// The applied edits whose text it changed: each can only be undone after this one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<String>,
}

impl EditListed {
    /// Returns the files.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        let joined = self.paths.is_empty().then(|| self.file_path.split(", "));
        let paths = self.paths.iter().map(String::as_str);
        joined.into_iter().flatten().chain(paths)
    }

    /// Returns whether the edit can be written: it is pending or undone.
    pub fn is_open(&self) -> bool {
        matches!(self.status, EditStatus::Previewed | EditStatus::Undone)
    }

    /// Returns the name of the status: `previewed`, `refused`, `applied`, `undone` or `discarded`.
    pub fn status_name(&self) -> &'static str {
        match self.status {
            EditStatus::Refused => "refused",
            EditStatus::Discarded => "discarded",
            EditStatus::Applied | EditStatus::Rebased | EditStatus::UndoPreviewed => "applied",
            EditStatus::Undone => "undone",
            EditStatus::Previewed | EditStatus::RebaseProposed | EditStatus::Unchanged => {
                "previewed"
            }
        }
    }
}

/// The outcomes of the edit calls.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Stats {
    /// The start of the period, in seconds since 1970; absent if all recorded calls are counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<u64>,
    /// The number of calls.
    pub calls: usize,
    /// The outcomes by tool.
    pub tools: Vec<ToolStats>,
    /// The number of calls by language of the file.
    pub languages: Vec<Counted>,
    /// The number of refusals by code.
    pub refusals: Vec<Counted>,
    /// The number of refused edits that were kept. A refused retry of an edit is not counted again.
    pub refused_edits: usize,
    /// The number of these that were previewed after one further call, after two, and so on.
    pub recovered_within: Vec<usize>,
    /// The number of ledger lines that cannot be read.
    pub broken_lines: usize,
}

/// The outcomes of the calls of one tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ToolStats {
    /// The tool.
    pub tool: String,
    /// The number of calls.
    pub calls: usize,
    /// The number of calls by outcome: a status or the code of a refusal.
    pub outcomes: Vec<Counted>,
    /// The median duration, in microseconds.
    pub median_micros: u64,
    /// The 90th percentile of the durations, in microseconds.
    pub ninetieth_micros: u64,
}

/// A name with its number of occurrences.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Counted {
    /// The name.
    pub name: String,
    /// The number of occurrences.
    pub count: usize,
}

/// The languages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LanguageList {
    /// The languages; plain text is last.
    pub languages: Vec<LanguageListed>,
}

/// A language.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LanguageListed {
    /// Its name.
    pub name: String,
    /// Its other names in code fences and `type="..."` attributes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub other_names: Vec<String>,
    /// The extensions of its files, without the dot.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extensions: Vec<String>,
    /// Names of its files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub file_names: Vec<String>,
    /// The interpreters in the first line (`#!...`) of its files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub interpreters: Vec<String>,
    /// The command of its language server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// Whether the user added it (`treegraft languages add`).
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_added: bool,
}

/// The node types of a language.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NodeTypes {
    /// The language.
    pub language: String,
    /// In alphabetical order.
    pub node_types: Vec<NodeTypeListed>,
}

/// A node type.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NodeTypeListed {
    /// A value for ancestor_node_type.
    pub node_type: String,
    /// The first line of a node of this type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub example: Option<String>,
    /// The general words that match the type, some only in certain places.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub general_words: Vec<String>,
}

/// Why a request is refused, and what the caller can do next.
#[derive(Clone, Debug)]
pub struct RefusedCall {
    pub(super) diagnostic: Diagnostic,
    pub(super) edit_id: Option<String>,
    /// Whether the kept request has content.
    pub(super) keeps_content: bool,
    /// Whether the first suggestions of all refused edits together fix the call.
    pub(super) fixes_all: bool,
    /// Whether another answer has the first refused edit of the call.
    pub(super) is_part: bool,
    /// The tool that was called.
    pub(super) tool: Cow<'static, str>,
    /// The arguments of the call, for suggestions that repeat the call with changes.
    pub(super) arguments: Value,
}

/// Prints the refusal as [`RefusedCall::text`] does.
impl fmt::Display for RefusedCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

impl std::error::Error for RefusedCall {}

/// A suggested call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SuggestedCall {
    /// The tool.
    pub tool: String,
    /// Its arguments.
    pub arguments: Value,
    /// The node that it selects: type, line and text.
    pub selects: String,
    /// `not_tried` or `refused` if the call selects one node, but the edit was not tried there or is refused there. Absent
    /// if the call works.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trial: Option<String>,
}

impl Point {
    pub(super) fn of(source: &Source, offset: usize) -> Point {
        let position = source.position(offset);
        Point {
            line: position.line,
            character: position.character,
            byte: offset,
            utf16_character: source.utf16_character(offset),
        }
    }
}

impl Range {
    pub(super) fn of(source: &Source, span: Span) -> Range {
        Range {
            start: Point::of(source, span.start()),
            end: Point::of(source, span.end()),
        }
    }
}

impl From<NodeView> for NodeLine {
    fn from(view: NodeView) -> NodeLine {
        NodeLine {
            node_type: view.node_type,
            line: view.line,
            text: view.text,
        }
    }
}

impl EditAction {
    pub(super) fn of(operation: &Operation) -> EditAction {
        match operation {
            Operation::Replace { .. } => EditAction::Replace,
            Operation::ReplaceText { .. } => EditAction::ReplaceText,
            Operation::Wrap { .. } => EditAction::Wrap,
            Operation::Insert { position, .. } => match position {
                InsertPosition::Before => EditAction::InsertBefore,
                InsertPosition::After => EditAction::InsertAfter,
                InsertPosition::FirstChild | InsertPosition::LastChild => EditAction::InsertInto,
            },
            Operation::Delete => EditAction::Delete,
        }
    }

    /// Returns the action of a move: an insertion becomes the insertion of the moved node, a deletion its removal.
    pub(super) fn of_move(self) -> EditAction {
        match self {
            EditAction::InsertBefore => EditAction::MoveBefore,
            EditAction::InsertAfter => EditAction::MoveAfter,
            EditAction::InsertInto => EditAction::MoveInto,
            EditAction::Delete => EditAction::Move,
            action => action,
        }
    }

    /// Returns whether a moved node is inserted.
    pub(super) fn is_arrival(self) -> bool {
        matches!(
            self,
            EditAction::MoveBefore
                | EditAction::MoveAfter
                | EditAction::MoveInto
                | EditAction::MoveFileHere
        )
    }

    /// Returns whether it is an action on a whole file.
    pub(super) fn is_of_file(self) -> bool {
        matches!(
            self,
            EditAction::CreateFile
                | EditAction::DeleteFile
                | EditAction::MoveFile
                | EditAction::MoveFileHere
                | EditAction::OrganizeFile
        )
    }

    /// Returns the infinitive that precedes the node type, such as `insert after` in `would insert after`.
    pub(super) fn to_do(self) -> &'static str {
        match self {
            EditAction::Replace => "replace",
            EditAction::ReplaceText => "replace text in",
            EditAction::Wrap => "wrap",
            EditAction::Move => "move",
            EditAction::MoveBefore => "move it before",
            EditAction::MoveAfter => "move it after",
            EditAction::MoveInto => "move it into",
            EditAction::InsertBefore => "insert before",
            EditAction::InsertAfter => "insert after",
            EditAction::InsertInto => "insert into",
            EditAction::Delete => "delete",
            EditAction::CreateFile => "create",
            EditAction::DeleteFile => "delete",
            EditAction::MoveFile => "move",
            EditAction::MoveFileHere => "move it to",
            EditAction::OrganizeFile => "organize the imports of",
        }
    }

    fn done(self) -> &'static str {
        match self {
            EditAction::Replace => "replaced",
            EditAction::ReplaceText => "replaced text in",
            EditAction::Wrap => "wrapped",
            EditAction::Move => "moved",
            EditAction::MoveBefore => "moved it before",
            EditAction::MoveAfter => "moved it after",
            EditAction::MoveInto => "moved it into",
            EditAction::InsertBefore => "inserted before",
            EditAction::InsertAfter => "inserted after",
            EditAction::InsertInto => "inserted into",
            EditAction::Delete => "deleted",
            EditAction::CreateFile => "created",
            EditAction::DeleteFile => "deleted",
            EditAction::MoveFile => "moved",
            EditAction::MoveFileHere => "moved it to",
            EditAction::OrganizeFile => "organized the imports of",
        }
    }
}

impl RefusedCall {
    /// Returns the code.
    pub fn code(&self) -> Code {
        self.diagnostic.code
    }

    /// Returns the name of the tool that was called, also if no tool has the name.
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// Returns the message, which is one sentence.
    pub fn message(&self) -> &str {
        &self.diagnostic.message
    }

    /// Returns the first file that the call names, if any.
    pub(super) fn file_path(&self) -> Option<&str> {
        let named = self.arguments["file_path"].as_str();
        named.or_else(|| self.arguments["edits"][0]["file_path"].as_str())
    }

    /// Returns the id of the kept request, if it is kept.
    pub fn edit_id(&self) -> Option<&str> {
        self.edit_id.as_deref()
    }

    /// Returns the suggested calls: first those that work. If several edits are refused, the only one fixes all of them.
    pub fn suggestions(&self) -> Vec<SuggestedCall> {
        if self.has_further() {
            return self.fix_of_all().into_iter().collect();
        }
        let suggestions = self.diagnostic.suggestions.iter();
        suggestions
            .map(|suggestion| {
                let (tool, arguments) = self.call(&suggestion.call);
                SuggestedCall {
                    tool,
                    arguments,
                    selects: suggestion.selects.clone(),
                    trial: trial_name(suggestion.trial).map(str::to_string),
                }
            })
            .collect()
    }

    /// Returns whether other edits of the call are refused too.
    fn has_further(&self) -> bool {
        self.is_part || !self.diagnostic.further.is_empty()
    }

    /// Splits the refusal among several answers; `part_of` returns the answer of an edit. That of the first refused edit
    /// has the whole refusal.
    pub(super) fn parts(
        self: Box<RefusedCall>,
        part_of: impl Fn(usize) -> Option<usize>,
    ) -> HashMap<usize, Box<RefusedCall>> {
        let part = |refused: &Diagnostic| refused.edit_index.and_then(&part_of).unwrap_or(0);
        let first = part(&self.diagnostic);
        let mut parts: HashMap<usize, Box<RefusedCall>> = HashMap::new();
        for refused in &self.diagnostic.further {
            match parts.entry(part(refused)) {
                Entry::Occupied(mut of_part) => {
                    let diagnostic = &mut of_part.get_mut().diagnostic;
                    diagnostic.further.push(refused.clone());
                }
                Entry::Vacant(of_part) => {
                    of_part.insert(Box::new(RefusedCall {
                        diagnostic: refused.clone(),
                        fixes_all: false,
                        is_part: true,
                        ..(*self).clone()
                    }));
                }
            }
        }
        parts.insert(first, self);
        parts
    }

    /// Returns the refused edits of the call, the first one first.
    fn refused_edits(&self) -> impl Iterator<Item = &Diagnostic> {
        std::iter::once(&self.diagnostic).chain(&self.diagnostic.further)
    }

    /// Returns the call that fixes all refused edits, if there are several.
    fn fix_of_all(&self) -> Option<SuggestedCall> {
        let edit_id = self.edit_id.as_ref().filter(|_| self.fixes_all)?;
        let edits = self.refused_edits().map(|refused| {
            let first = refused.suggestions.first()?;
            self.amendment(&first.call, refused.edit_index)
        });
        let request = AmendEdit::several(edit_id, edits.collect::<Option<_>>()?);
        Some(SuggestedCall {
            tool: AmendEdit::TOOL.to_string(),
            arguments: json!(request),
            selects: self.selected_by_fixes().collect::<Vec<_>>().join("; "),
            trial: None,
        })
    }

    /// Returns what the first suggestion of each refused edit selects.
    fn selected_by_fixes(&self) -> impl Iterator<Item = String> {
        self.refused_edits().filter_map(|refused| {
            let first = refused.suggestions.first()?;
            let index = refused.edit_index.unwrap_or_default();
            Some(format!("edits[{index}]: {}", first.selects))
        })
    }

    /// Returns the refusal as text. Formats suggested calls as `tool {arguments}`.
    pub fn text(&self) -> String {
        self.text_with(&tool_call, &|_, text| text.to_string())
    }

    /// Returns the refusal as text. `call_text` formats suggested calls, `sentence` the message and the help.
    pub fn text_with(&self, call_text: CallText<'_>, sentence: SentenceText<'_>) -> String {
        let sentence = |text: &str| sentence(&self.tool, text);
        let worded = Diagnostic {
            message: sentence(&self.diagnostic.message),
            help: self.diagnostic.help.as_deref().map(sentence),
            excerpt: self.diagnostic.excerpt.as_deref().map(|excerpt| {
                let lines = excerpt.split('\n').map(|line| match line.split_once('|') {
                    // A line without a number is a label.
                    Some((gutter, label)) if gutter.trim().is_empty() => {
                        format!("{gutter}|{}", sentence(label))
                    }
                    _ => line.to_string(),
                });
                lines.collect::<Vec<_>>().join("\n")
            }),
            ..self.diagnostic.clone()
        };
        let mut text = render(&worded, &|call| {
            // Alone, it does not fix the call.
            let partial = self.amendment(call, self.diagnostic.edit_index);
            if let Some(amendment) = partial.filter(|_| self.has_further()) {
                return json!(amendment).to_string();
            }
            let (tool, arguments) = self.call(call);
            call_text(&tool, &arguments)
        });
        self.push_further(&mut text, call_text, &sentence);
        if let Some(edit_id) = &self.edit_id
            && self.keeps_content
        {
            let change = match self.edit_index_of_several() {
                _ if self.has_further() => {
                    " and edits, each with edit_index and only the fields to change".to_string()
                }
                Some(index) => format!(", edit_index {index} and only the fields to change"),
                None => " and only the fields to change".to_string(),
            };
            let kept = format!(
                "the content is kept as edit {edit_id}: call amend_edit with this id{change}"
            );
            let _ = write!(text, "\n{}\n", sentence(&kept));
        }
        text
    }

    /// Appends the further refused edits, and the call that fixes all.
    fn push_further(
        &self,
        text: &mut String,
        call_text: CallText<'_>,
        sentence: &dyn Fn(&str) -> String,
    ) {
        let further = &self.diagnostic.further;
        if further.is_empty() {
            return;
        }
        text.push_str("\nalso refused:\n");
        for refused in further {
            let message = sentence(&refused.message);
            let _ = writeln!(text, "- {}: {message}", refused.code.as_str());
            let first = refused.suggestions.first();
            let first = first.filter(|one| !self.fixes_all && one.trial == Trial::Works);
            let fix = first.and_then(|first| {
                let amendment = self.amendment(&first.call, refused.edit_index)?;
                Some((json!(amendment), &first.selects))
            });
            if let Some((amendment, selects)) = fix {
                let _ = writeln!(text, "    {amendment}\n      selects {selects}");
            }
        }
        if self.diagnostic.further_omitted > 0 {
            let _ = writeln!(text, "(and {} more)", self.diagnostic.further_omitted);
        }
        if let Some(fix) = self.fix_of_all() {
            let call = call_text(&fix.tool, &fix.arguments);
            let _ = write!(text, "\nhelp: this call fixes all of them:\n  {call}\n");
            for selected in self.selected_by_fixes() {
                let _ = writeln!(text, "    selects {selected}");
            }
        }
    }

    /// Returns the refusal in the form used in answers: `{error: {..}}`.
    pub fn json(&self) -> Value {
        let diagnostic = &self.diagnostic;
        let candidates: Vec<Value> = diagnostic
            .candidates
            .iter()
            .map(|candidate| {
                let ancestors: Vec<NodeLine> = candidate
                    .ancestors
                    .iter()
                    .cloned()
                    .map(NodeLine::from)
                    .collect();
                let mut value = json!({
                    "line": candidate.line,
                    "text": candidate.text,
                    "ancestors": ancestors,
                    "symbol_path": candidate.symbol_path,
                });
                if let Some(node_type) = &candidate.node_type {
                    value["node_type"] = json!(node_type);
                }
                value
            })
            .collect();
        let mut error = Map::new();
        error.insert("code".to_string(), json!(diagnostic.code.as_str()));
        error.insert("message".to_string(), json!(diagnostic.message));
        if let Some(index) = diagnostic.edit_index {
            error.insert("edit_index".to_string(), json!(index));
        }
        let optional = [
            ("edit_id", self.edit_id.as_ref()),
            ("excerpt", diagnostic.excerpt.as_ref()),
            ("help", diagnostic.help.as_ref()),
            ("diff", diagnostic.diff.as_ref()),
        ];
        for (name, value) in optional {
            if let Some(value) = value {
                error.insert(name.to_string(), json!(value));
            }
        }
        error.insert("candidates".to_string(), json!(candidates));
        if diagnostic.candidates_omitted > 0 {
            error.insert(
                "candidates_omitted".to_string(),
                json!(diagnostic.candidates_omitted),
            );
        }
        if let Some(places) = &diagnostic.places {
            let listed: Vec<Value> = places.listed.iter().map(place_json).collect();
            let omitted = places.total - listed.len();
            error.insert("places".to_string(), json!(listed));
            error.insert("places_omitted".to_string(), json!(omitted));
        }
        error.insert("suggestions".to_string(), json!(self.suggestions()));
        if self.has_further() {
            let further = diagnostic.further.iter().map(|refused| {
                json!({
                    "edit_index": refused.edit_index,
                    "code": refused.code.as_str(),
                    "message": refused.message,
                    "amendments": amendments_json(self, refused, 1),
                })
            });
            let amendments = amendments_json(self, diagnostic, usize::MAX);
            error.insert("amendments".to_string(), amendments);
            error.insert("further".to_string(), further.collect());
        }
        if diagnostic.further_omitted > 0 {
            let omitted = json!(diagnostic.further_omitted);
            error.insert("further_omitted".to_string(), omitted);
        }
        json!({ "error": error })
    }

    /// Returns the amendment that makes a suggested change, with only the fields of the selector that change. Returns `None`
    /// if the suggestion is another call.
    fn amendment(&self, call: &NextCall, index: Option<usize>) -> Option<Amendment> {
        let edits = self.arguments["edits"].as_array();
        let edit = edits.and_then(|edits| edits.get(index.unwrap_or_default()));
        let given = edit.unwrap_or(&self.arguments);
        let amendment = Amendment::suggested(call, index)?;
        Some(Amendment {
            selector: amendment
                .selector
                .map(|new| changed_fields(&given["selector"], new)),
            to: amendment
                .to
                .map(|new| changed_fields(&given["to"]["selector"], new)),
            ..amendment
        })
    }

    /// Returns the index of the refused edit, unless it is the only one of the call.
    fn edit_index_of_several(&self) -> Option<usize> {
        let edits = self.arguments["edits"].as_array();
        let is_only = self.tool == EditNodes::TOOL && edits.is_some_and(|all| all.len() == 1);
        self.diagnostic.edit_index.filter(|_| !is_only)
    }

    /// Returns the complete call of a suggestion: an amendment if the request is kept, else the call with changes.
    fn call(&self, call: &NextCall) -> (String, Value) {
        let index = self.edit_index_of_several();
        if let Some(edit_id) = &self.edit_id
            && let Some(amendment) = self.amendment(call, index)
        {
            let request = AmendEdit::new(edit_id, amendment);
            return (AmendEdit::TOOL.to_string(), json!(request));
        }
        match call {
            NextCall::Select(selector) => {
                let selector = json!(SelectorArgument(selector.clone()));
                (self.tool.to_string(), self.with("selector", selector))
            }
            NextCall::SelectSeveral(selectors) => {
                let selectors = selectors.iter().cloned().map(SelectorArgument);
                let selectors = selectors.collect::<Vec<_>>();
                (
                    self.tool.to_string(),
                    self.with("selectors", json!(selectors)),
                )
            }
            NextCall::SelectDestination(selector) => {
                let mut to = self.arguments["to"].clone();
                to["selector"] = json!(SelectorArgument(selector.clone()));
                (self.tool.to_string(), self.with("to", to))
            }
            NextCall::Locate(locate) => (self.tool.to_string(), self.with("locate", json!(locate))),
            NextCall::File(path) => {
                let has = |name: &&str| self.arguments.get(*name).is_some();
                if let Some(name) = ["path", "file"].into_iter().find(has) {
                    return (self.tool.to_string(), self.with(name, json!(path)));
                }
                let located = self.arguments.get("locate").and_then(|locate| {
                    let mut moved: LocateArgument = serde_json::from_value(locate.clone()).ok()?;
                    moved.0.locate.file_path.clone_from(path);
                    Some(json!(moved))
                });
                match located {
                    Some(locate) => (self.tool.to_string(), self.with("locate", locate)),
                    None => (self.tool.to_string(), self.with("file_path", json!(path))),
                }
            }
            NextCall::Apply(edit_id) => ("apply_edit".to_string(), json!({"edit_id": edit_id})),
            NextCall::Undo(edit_id) => ("undo_edit".to_string(), json!({"edit_id": edit_id})),
            NextCall::Complete => (self.tool.to_string(), self.with("complete", json!(true))),
            NextCall::CompleteInPart => {
                let mut arguments = self.with("complete", json!(true));
                let allow = arguments["allow"].as_array().cloned().unwrap_or_default();
                let allow = allow.into_iter().chain([json!("incomplete")]);
                arguments["allow"] = allow.collect();
                (self.tool.to_string(), arguments)
            }
            NextCall::EditPlaces(edits) => {
                let edits = edits.iter().map(|edit| {
                    json!({
                        "file_path": edit.file_path, "scope": {"line": edit.line}, "find": edit.find,
                        "new_content": edit.new_content,
                    })
                });
                let edits: Value = edits.collect();
                (EditNodes::TOOL.to_string(), json!({"edits": edits}))
            }
        }
    }

    /// Returns the arguments of the call with one argument changed.
    fn with(&self, name: &str, value: Value) -> Value {
        let mut arguments = self.arguments.clone();
        if let Value::Object(object) = &mut arguments {
            object.insert(name.to_string(), value);
        }
        arguments
    }
}

/// Returns the result of trying a suggestion in its structured form. Returns `None` if the suggestion works.
fn trial_name(trial: Trial) -> Option<&'static str> {
    match trial {
        Trial::Works => None,
        Trial::NotTried => Some("not_tried"),
        Trial::Refused => Some("refused"),
    }
}

/// Returns at most `limit` amendments that each correct a refused edit, as entries of `edits` of `amend_edit`.
fn amendments_json(call: &RefusedCall, refused: &Diagnostic, limit: usize) -> Value {
    let all = refused.suggestions.iter().filter_map(|suggestion| {
        let amendment = call.amendment(&suggestion.call, refused.edit_index)?;
        let mut value = json!({"arguments": amendment, "selects": suggestion.selects});
        if let Some(trial) = trial_name(suggestion.trial) {
            value["trial"] = json!(trial);
        }
        Some(value)
    });
    all.take(limit).collect()
}

/// Returns a place of a refusal in its structured form.
fn place_json(place: &PlaceView) -> Value {
    let mut value = json!({
        "file": place.file,
        "line": place.line,
        "column": place.column,
        "text": place.text,
        "reason": place.reason,
    });
    if let Some(question) = &place.locate {
        value["locate"] = json!(LocateArgument(question.clone()));
    }
    value
}

impl Answer for Located {
    fn text_with(&self, _: CallText<'_>) -> String {
        let mut text = place_text(&self.file_path, self.position.as_ref(), self.range.as_ref());
        match self.find_index {
            Some(index) => {
                let _ = write!(text, " (match {index} of {})", self.matches);
            }
            None if self.matches > 1 => {
                let _ = write!(text, " (the first of {} matches)", self.matches);
            }
            None => {}
        }
        if let Some(near) = &self.near {
            let _ = write!(text, ", similar text matched: {near}");
        }
        text.push('\n');
        if let Some(node_type) = &self.node_type {
            let _ = writeln!(text, "at {node_type}; ancestors, innermost first:");
        }
        push_nodes(&mut text, &self.ancestors);
        text
    }
}

/// The first line of a ranking.
pub(super) const RANKED_HEAD: &str = "references by name:\n";

impl Answer for Outlined {
    fn text_with(&self, _: CallText<'_>) -> String {
        let mut text = String::new();
        for file in &self.files {
            let _ = writeln!(text, "{}", file.file_path);
            push_symbols(&mut text, &file.symbols, &[], 1);
        }
        if !self.ranked.is_empty() {
            text.push_str(RANKED_HEAD);
        }
        let ranked = self.ranked.iter().map(RankedSymbol::line_text);
        text.extend(self.summary.iter().map(PathSummary::line).chain(ranked));
        if text.is_empty() || self.files.iter().any(|file| file.symbols.is_empty()) {
            let _ = writeln!(text, "no symbols in {}", files_text(self.files_looked_at));
        }
        self.push_end(&mut text);
        text
    }
}

impl Outlined {
    /// Appends the lines that follow the symbols.
    pub(super) fn push_end(&self, text: &mut String) {
        if let Some((files, symbols)) = self.files_total.zip(self.symbols_total) {
            let partial = if self.totals_are_partial {
                "at least "
            } else {
                ""
            };
            let (files, symbols) = (files_text(files), count_text(symbols, "symbol"));
            let _ = writeln!(text, "total: {partial}{files}, {symbols}");
        }
        push_page_end(text, self.cursor.as_deref(), &self.notes);
    }
}

/// Appends a line for each symbol and its nested symbols. The line contains the symbol's path unless the path consists
/// of `outer` and the name. It also contains the path prefix of the nested symbols if this differs from the symbol's
/// path.
fn push_symbols(text: &mut String, symbols: &[SymbolListed], outer: &[String], depth: usize) {
    for symbol in symbols {
        let SymbolListed {
            line, kind, name, ..
        } = symbol;
        let _ = write!(text, "{:1$}{line} {kind} {name}", "", 2 * depth);
        let path = symbol_path(symbol);
        let by_name = path.is_some_and(|path| {
            let expected = path
                .split_last()
                .map(|(last, above)| (last.as_str(), above));
            expected == Some((name, outer))
        });
        let question = &symbol.locate.0;
        let place = match &question.locate.scope {
            Some(Scope::Symbol(scope)) => scope.to_string(),
            _ => question.locate.to_string(),
        };
        let _ = match question.find_index {
            Some(number) => write!(text, "  [{place}, find_index {number}]"),
            None if !by_name => write!(text, "  [{place}]"),
            None => Ok(()),
        };
        let inner = symbol.symbols.iter().find_map(symbol_path);
        let inner = inner
            .and_then(|path| path.split_last())
            .map(|(_, above)| above);
        if let Some(symbol_path) = inner.filter(|inner| path.is_none_or(|path| path != *inner)) {
            let symbol_path = symbol_path.to_vec();
            let _ = write!(text, "  [nested: {}.*]", SymbolScope { symbol_path });
        }
        text.push('\n');
        push_symbols(text, &symbol.symbols, inner.unwrap_or_default(), depth + 1);
    }
}

fn symbol_path(symbol: &SymbolListed) -> Option<&[String]> {
    match &symbol.locate.0.locate.scope {
        Some(Scope::Symbol(scope)) => Some(&scope.symbol_path),
        _ => None,
    }
}

fn files_text(count: usize) -> String {
    count_text(count, "file")
}

fn count_text(count: usize, thing: &str) -> String {
    match count {
        1 => format!("1 {thing}"),
        count => format!("{count} {thing}s"),
    }
}

impl Answer for NodesFound {
    fn text_with(&self, _: CallText<'_>) -> String {
        let mut text = String::new();
        let mut last = None;
        for found in &self.matches {
            if last != Some(&found.file_path) {
                let _ = writeln!(text, "{}", found.file_path);
                last = Some(&found.file_path);
            }
            text.push_str(&found.text());
        }
        if self.matches.is_empty() {
            let _ = writeln!(
                text,
                "nothing found in {}",
                files_text(self.files_looked_at)
            );
        }
        if let Some(total) = self.total {
            let _ = writeln!(text, "{} of {total} matches", self.matches.len());
        }
        push_page_end(&mut text, self.cursor.as_deref(), &self.notes);
        text
    }
}

impl NodeFound {
    /// Returns its lines in an answer.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        let _ = write!(text, "  {} ", self.line);
        if !self.symbol_path.is_empty() {
            let _ = write!(text, "{}: ", symbol_text(&self.symbol_path));
        }
        text.push_str(&self.text);
        let _ = match self.selector.as_ref().map(|selector| json!(selector)) {
            Some(Value::String(selector)) => writeln!(text, "  [{selector}]"),
            Some(selector) => writeln!(text, "  [{selector}]"),
            None => writeln!(text, "  ({})", self.node_type),
        };
        if let Some(RuleOfMatch { id, message }) = &self.rule {
            let message = message.replace('\n', "\n      ");
            let text_of_rule = format!("    rule {id}: {message}");
            let _ = writeln!(text, "{}", text_of_rule.trim_end_matches([':', ' ']));
        }
        let (placeholders, captures): (Vec<_>, Vec<_>) = self
            .captures
            .iter()
            .partition(|captured| captured.name.starts_with('$'));
        // The first capture of a query is the node itself.
        for captured in captures.into_iter().skip(1) {
            let Captured {
                name,
                line,
                text: own,
            } = captured;
            let _ = writeln!(text, "    @{name} {line} {own}");
        }
        for placeholder in placeholders {
            let own = placeholder.text.replace('\n', "\n      ");
            let _ = writeln!(text, "    {} {} {own}", placeholder.name, placeholder.line);
        }
        text
    }
}

/// Appends the notes and the cursor of a page.
fn push_page_end(text: &mut String, cursor: Option<&str>, notes: &[String]) {
    for note in notes {
        let _ = writeln!(text, "note: {note}");
    }
    if let Some(cursor) = cursor {
        let _ = writeln!(text, "there is more; cursor: {cursor}");
    }
}

impl Answer for Described {
    fn text_with(&self, _: CallText<'_>) -> String {
        let mut text = place_text(&self.file_path, self.position.as_ref(), self.range.as_ref());
        text.push('\n');
        match &self.locate {
            Some(LocateArgument(question)) if question.find_index.is_none() => {
                let _ = writeln!(text, "locate: {}", question.locate);
            }
            Some(locate) => {
                let _ = writeln!(text, "locate: {}", json!(locate));
            }
            None => text.push_str("locate: none, no short text is unique here\n"),
        }
        if let Some(node) = &self.node {
            let _ = writeln!(
                text,
                "node: {} at line {}: {}",
                node.node_type, node.line, node.text
            );
        }
        match &self.selector {
            Some(selector) => {
                let _ = writeln!(text, "selector: {}", json!(selector));
            }
            None => text.push_str("selector: none, an enclosing node may have one\n"),
        }
        if !self.ancestors.is_empty() {
            text.push_str("ancestors, innermost first:\n");
            push_nodes(&mut text, &self.ancestors);
        }
        text
    }
}

/// Returns a text such as ``Located `foo.py` at 42:10``, in the form defined in the design of locators.
fn place_text(file_path: &str, point: Option<&Point>, range: Option<&Range>) -> String {
    match (point, range) {
        (Some(at), _) => format!("Located `{file_path}` at {}:{}", at.line, at.character),
        (None, Some(Range { start, end })) => format!(
            "Located `{file_path}` from {}:{} to {}:{}",
            start.line, start.character, end.line, end.character
        ),
        (None, None) => format!("Located `{file_path}`"),
    }
}

impl Answer for NodeRead {
    fn text_with(&self, _: CallText<'_>) -> String {
        let node = &self.node;
        let mut text = format!(
            "{} at {}:{}-{}",
            node.node_type, self.file_path, node.range.start.line, node.range.end.line
        );
        if !node.symbol_path.is_empty() {
            let _ = write!(text, " in {}", symbol_text(&node.symbol_path));
        }
        let _ = write!(text, "\n\n{}\n", node.text);
        if node.omitted_bytes > 0 {
            let _ = writeln!(
                text,
                "(shown {} of {} bytes; select a smaller node, or pass max_bytes)",
                node.text.len(),
                node.text.len() + node.omitted_bytes
            );
        }
        if !self.ancestors.is_empty() {
            text.push_str("\nancestors, innermost first:\n");
        }
        push_nodes(&mut text, &self.ancestors);
        if self.ancestors_omitted > 0 {
            let _ = writeln!(text, "  (and {} more)", self.ancestors_omitted);
        }
        text
    }
}

impl Answer for EditMade {
    fn exit_status(&self) -> ExitStatus {
        if self.status == EditStatus::RebaseProposed {
            return ExitStatus::Refused;
        }
        let refused = self.matches.as_ref();
        match refused.is_some_and(|matches| matches.refused_total > 0) {
            true => ExitStatus::Partly,
            false => ExitStatus::Done,
        }
    }

    fn text_with(&self, call_text: CallText<'_>) -> String {
        let mut text = String::new();
        if let Some(generalized) = &self.generalized {
            generalized.push_to(&mut text);
        }
        if let Some(matches) = &self.matches {
            self.push_matches(&mut text, matches);
        }
        let listed = match &self.matches {
            Some(_) => &[],
            None => self.files.as_slice(),
        };
        let is_shown =
            |(index, file): &(usize, &FileEdited)| *index < FILES_SHOWN || file.diff.is_some();
        let mut shown = 0;
        for (_, file) in listed.iter().enumerate().filter(is_shown) {
            self.push_changes(&mut text, file);
            shown += 1;
        }
        push_more_files(&mut text, listed.len() - shown);
        for note in &self.notes {
            let _ = writeln!(text, "note: {note}");
        }
        let diffs = self.files.iter().filter_map(|file| file.diff.as_deref());
        let diffs = preview::in_one_patch(diffs.filter(|diff| !diff.is_empty()));
        for diff in &diffs {
            let _ = write!(text, "\n{diff}");
        }
        if let Some(ProblemsChanged { before, after, new }) = &self.diagnostics {
            let _ = writeln!(
                text,
                "\nproblems: {before} before, {after} after, {} new",
                new.len()
            );
            for problem in new {
                problem.push_to(&mut text);
            }
        }
        if let Some(generalized) = &self.generalized {
            generalized.push_others_to(&mut text, call_text);
        }
        let edit_id = &self.edit_id;
        let apply = || call_text("apply_edit", &json!({"edit_id": edit_id}));
        if !diffs.is_empty() {
            text.push('\n');
        }
        let _ = match self.status {
            EditStatus::Applied => writeln!(text, "applied as edit {edit_id}"),
            EditStatus::Rebased => writeln!(
                text,
                "applied as edit {edit_id}, rebased: other parts of the file changed since the preview"
            ),
            EditStatus::Undone => writeln!(
                text,
                "undone: the text before the edit is restored; this applies the edit again:\n  {}",
                apply()
            ),
            EditStatus::UndoPreviewed => writeln!(
                text,
                "nothing is written yet; this undoes the edit:\n  {}",
                call_text("undo_edit", &json!({"edit_id": edit_id}))
            ),
            EditStatus::RebaseProposed => writeln!(
                text,
                "rebase_proposed: nothing is written, because code around the edit changed since the preview; if the diff \
                 above is still right, this writes it:\n  {}",
                apply()
            ),
            EditStatus::Unchanged | EditStatus::Discarded => Ok(()),
            _ if self.needs_approval => writeln!(
                text,
                "nothing is written until the user approves it:\n  treegraft apply {edit_id}"
            ),
            EditStatus::Previewed | EditStatus::Refused => writeln!(
                text,
                "nothing is written yet; this writes it:\n  {}",
                apply()
            ),
        };
        text
    }
}

impl EditMade {
    /// Appends the numbers of the matches of a rewrite, and a line for each of the first files.
    fn push_matches(&self, text: &mut String, matches: &MatchCounts) {
        let noun = |count: usize| if count == 1 { "match" } else { "matches" };
        let files = match self.files.len() {
            1 => "1 file".to_string(),
            files => format!("{files} files"),
        };
        let MatchCounts {
            found, replaced, ..
        } = *matches;
        let _ = match (self.status, found) {
            (EditStatus::Unchanged, 0) => writeln!(text, "unchanged: there is no match"),
            (EditStatus::Unchanged, _) => {
                writeln!(text, "unchanged: none of {found} {} changes", noun(found))
            }
            (EditStatus::Previewed, _) => {
                writeln!(
                    text,
                    "would rewrite {replaced} of {found} {} in {files}",
                    noun(found)
                )
            }
            _ => writeln!(
                text,
                "rewrote {replaced} of {found} {} in {files}",
                noun(found)
            ),
        };
        let others = [
            (matches.unchanged, "equal to the replacement already"),
            (matches.left_out, "left out"),
            (
                matches.nested,
                "inside another match, and rewritten with it",
            ),
            (matches.refused_total, "refused"),
        ];
        for (count, what) in others.into_iter().filter(|(count, _)| *count > 0) {
            let verb = if count == 1 { "is" } else { "are" };
            let _ = writeln!(text, "{count} {} {verb} {what}", noun(count));
        }
        for refused in &matches.refused {
            let MatchRefused {
                match_number,
                file_path,
                line,
                code,
                message,
            } = refused;
            let _ = writeln!(
                text,
                "  match {match_number} at {file_path}:{line}: {code}: {message}"
            );
        }
        for file in self.files.iter().take(FILES_SHOWN) {
            let numbers = file.edits().iter().filter_map(|edit| edit.match_number);
            let numbers = runs(numbers);
            let lines = file.edits().iter();
            let lines: Vec<usize> = lines.map(|edit| edit.range.start.line).collect();
            let mut lines: Vec<(usize, usize)> =
                lines.into_iter().map(|line| (line, line)).collect();
            lines.dedup();
            let _ = writeln!(
                text,
                "{}: {} {} at {}, +{} -{}",
                file.file_path,
                noun(file.edits().len()),
                numbers,
                lines_text(&lines),
                file.added_lines,
                file.removed_lines
            );
        }
        push_more_files(text, self.files.len().saturating_sub(FILES_SHOWN));
    }

    /// Appends one line for a file, with the number of changed lines, and the ends of its changes.
    fn push_changes(&self, text: &mut String, file: &FileEdited) {
        let counts = format!("+{} -{}", file.added_lines, file.removed_lines);
        let edits = file.edits();
        let _ = match edits {
            [edit] => {
                let done = self.done_at(edit, &file.file_path);
                match edit.action {
                    // Its lines are the same.
                    EditAction::MoveFile | EditAction::MoveFileHere => writeln!(text, "{done}"),
                    _ => writeln!(text, "{done}, {counts}"),
                }
            }
            [from, to] if from.action == EditAction::Move && to.action.is_arrival() => {
                let [from, to] = [from, to].map(|edit| self.done_at(edit, &file.file_path));
                writeln!(text, "{from}\n{to}, {counts}")
            }
            _ => writeln!(text, "{}: {} edits, {counts}", file.file_path, edits.len()),
        };
        text.push_str(file.seams.as_deref().unwrap_or_default());
    }

    /// Returns what happened to the node and where it is, such as `replaced string at a.rs:3-3`, or to the file.
    fn done_at(&self, edit: &NodeEdited, file_path: &str) -> String {
        let action = edit.action;
        let what = match action.is_of_file() {
            true => file_path.to_string(),
            false => format!("{} at {}", edit.node_type, edit.place(file_path)),
        };
        match self.status {
            EditStatus::Applied | EditStatus::Rebased => format!("{} {what}", action.done()),
            EditStatus::Undone => format!("undid: {} {what}", action.to_do()),
            EditStatus::UndoPreviewed => format!("would undo: {} {what}", action.to_do()),
            _ => format!("would {} {what}", action.to_do()),
        }
    }
}

/// Returns the first of several paths, which are separated by commas, and the number of the others.
fn first_files(paths: &str) -> String {
    const SHOWN: usize = 3;
    match paths.match_indices(", ").nth(SHOWN - 1) {
        Some((end, _)) => {
            let more = paths[end..].matches(", ").count();
            format!("{} and {more} more", &paths[..end])
        }
        None => paths.to_string(),
    }
}

/// Appends the number of files that are not listed.
fn push_more_files(text: &mut String, more: usize) {
    if more > 0 {
        let _ = writeln!(text, "(and {more} more files)");
    }
}

impl FileEdited {
    /// Returns all edits of the file.
    fn edits(&self) -> &[NodeEdited] {
        match self.edits.as_slice() {
            [] => std::slice::from_ref(&self.edit),
            edits => edits,
        }
    }
}

impl NodeEdited {
    /// Returns the file and the lines of the node.
    fn place(&self, file_path: &str) -> String {
        let (first, last) = (self.range.start.line, self.range.end.line);
        match first == last {
            true => format!("{file_path}:{first}"),
            false => format!("{file_path}:{first}-{last}"),
        }
    }
}

/// Returns the first [`LINES_SHOWN`] ranges of line numbers, and the number of the others.
fn lines_text(ranges: &[(usize, usize)]) -> String {
    let shown = ranges.iter().take(LINES_SHOWN);
    let shown: Vec<String> = shown
        .map(|(first, last)| match first == last {
            true => first.to_string(),
            false => format!("{first}-{last}"),
        })
        .collect();
    let noun = match ranges {
        [(first, last)] if first == last => "line",
        _ => "lines",
    };
    match ranges.len().saturating_sub(LINES_SHOWN) {
        0 => format!("{noun} {}", shown.join(", ")),
        omitted => format!("{noun} {} and {omitted} more", shown.join(", ")),
    }
}

/// Returns ascending numbers as text, consecutive ones as a range.
fn runs(numbers: impl Iterator<Item = usize>) -> String {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for number in numbers {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => runs.push((number, number)),
        }
    }
    let runs = runs.into_iter().map(|(first, last)| match first == last {
        true => first.to_string(),
        false => format!("{first}-{last}"),
    });
    runs.collect::<Vec<_>>().join(", ")
}

impl Answer for EditDiscarded {
    fn text_with(&self, _: CallText<'_>) -> String {
        let reason = self.reason.as_deref();
        let reason = reason.map_or(String::new(), |reason| format!(": {reason}"));
        format!("discarded edit {}{reason}\n", self.edit_id)
    }
}

impl Answer for EditsForgotten {
    fn text_with(&self, _: CallText<'_>) -> String {
        let counted = |count: usize, one: &str| match count {
            1 => format!("1 {one}"),
            count => format!("{count} {one}s"),
        };
        let edits = counted(self.edits, "edit");
        let versions = counted(self.texts, "file version");
        let mut text = format!("removed {edits} and {versions}\n");
        for note in &self.notes {
            let _ = writeln!(text, "note: {note}");
        }
        text
    }
}

impl Answer for EditList {
    fn text_with(&self, _: CallText<'_>) -> String {
        let mut text = String::new();
        if self.edits.is_empty() {
            text.push_str("no pending or applied edits\n");
        }
        for (index, edit) in self.edits.iter().enumerate() {
            if index > 0 && edit.diff.is_some() {
                text.push('\n');
            }
            let reason = edit.reason.as_deref();
            let reason = reason.map_or(String::new(), |reason| {
                format!("; {}", discarded_text(reason))
            });
            let _ = writeln!(
                text,
                "{}  {:9}  {}  {}: {}{reason}",
                edit.edit_id,
                edit.status_name(),
                edit.tool,
                first_files(&edit.file_path),
                edit.summary
            );
            if let (Some(client), Some(session)) = (&edit.client, &edit.session) {
                let _ = writeln!(text, "    by {client}, session {session}");
            }
            if !edit.overlaps.is_empty() {
                let _ = writeln!(
                    text,
                    "    changes the same text as {}",
                    edit.overlaps.join(", ")
                );
            }
            if !edit.depends_on.is_empty() {
                let _ = writeln!(text, "    depends on {}", edit.depends_on.join(", "));
            }
            if let Some(diff) = &edit.diff {
                let _ = write!(text, "\n{diff}");
            }
        }
        if self.omitted > 0 {
            let _ = writeln!(text, "(and {} older edits)", self.omitted);
        }
        for record in &self.unreadable {
            let _ = writeln!(text, "note: {record}");
        }
        text
    }
}

impl Answer for Stats {
    fn text_with(&self, _: CallText<'_>) -> String {
        let counts = |counts: &[Counted]| {
            let counts = counts.iter();
            let counts = counts.map(|one| format!("{} {}", one.name, one.count));
            counts.collect::<Vec<_>>().join(", ")
        };
        let calls = |calls: usize| match calls {
            0 => "no calls".to_string(),
            1 => "1 call".to_string(),
            calls => format!("{calls} calls"),
        };
        let mut text = format!("{}\n", calls(self.calls));
        for tool in &self.tools {
            let millis = |micros: u64| micros as f64 / 1000.0;
            let _ = writeln!(
                text,
                "\n{}: {}, median {:.1} ms, 90th percentile {:.1} ms\n  {}",
                tool.tool,
                calls(tool.calls),
                millis(tool.median_micros),
                millis(tool.ninetieth_micros),
                counts(&tool.outcomes)
            );
        }
        for (what, list) in [("languages", &self.languages), ("refusals", &self.refusals)] {
            if !list.is_empty() {
                let _ = writeln!(text, "\n{what}: {}", counts(list));
            }
        }
        if self.refused_edits > 0 {
            let recovered: usize = self.recovered_within.iter().sum();
            let _ = writeln!(
                text,
                "\n{recovered} of {} refused edits were later previewed through their edit_id",
                self.refused_edits
            );
            let within = self.recovered_within.iter().enumerate();
            for (index, count) in within.filter(|(_, count)| **count > 0) {
                let _ = writeln!(text, "  {count} after {}", calls(index + 1));
            }
        }
        if self.broken_lines > 0 {
            let _ = writeln!(text, "\n{} ledger lines cannot be read", self.broken_lines);
        }
        text
    }
}

impl Answer for LanguageList {
    fn text_with(&self, _: CallText<'_>) -> String {
        let files = |one: &LanguageListed| {
            let endings = one.extensions.iter().map(|ending| format!("*.{ending}"));
            let files: Vec<String> = endings.chain(one.file_names.iter().cloned()).collect();
            let programs = one.interpreters.join(", ");
            match (files.is_empty(), programs.is_empty()) {
                (true, _) => "only embedded in other languages".to_string(),
                (false, true) => files.join(" "),
                (false, false) => format!("{}; #! {programs}", files.join(" ")),
            }
        };
        let mut text = String::new();
        for one in &self.languages {
            let server = one.server.as_deref().unwrap_or("none");
            let files = match one.name == "text" {
                true => "all other files".to_string(),
                false => files(one),
            };
            let _ = writeln!(text, "{}", one.name);
            let _ = writeln!(text, "  files: {files}");
            if one.is_added {
                text.push_str("  added by you\n");
            }
            if !one.other_names.is_empty() {
                let _ = writeln!(text, "  also called: {}", one.other_names.join(", "));
            }
            let _ = writeln!(text, "  language server: {server}");
        }
        text
    }
}

impl Answer for NodeTypes {
    fn text_with(&self, _: CallText<'_>) -> String {
        let lengths = self.node_types.iter().map(|one| one.node_type.len());
        let width = lengths.max().unwrap_or(0);
        let mut text = String::new();
        for one in &self.node_types {
            let example = one.example.as_deref().unwrap_or("");
            let words = match one.general_words.is_empty() {
                true => String::new(),
                false => format!("  ({})", one.general_words.join(", ")),
            };
            let line = format!("{:width$}  {example}{words}", one.node_type);
            let _ = writeln!(text, "{}", line.trim_end());
        }
        text
    }
}

fn push_nodes(text: &mut String, nodes: &[NodeLine]) {
    for node in nodes {
        let _ = writeln!(
            text,
            "  {} at line {}: {}",
            node.node_type, node.line, node.text
        );
    }
}

fn is_false(flag: &bool) -> bool {
    !flag
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}
