//! The answers, in the same JSON form for the library, the command line and MCP, and as text.

mod any;
mod edits;
pub mod questions;
mod refused;
mod text;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::diagnostic::{Code, ExitStatus, NodeView};
use crate::source::{Source, Span};

use super::request::{LocateArgument, SelectorArgument, ShortSelector, is_false};
pub use any::AnyAnswer;
pub use edits::{
    EditAction, EditDiscarded, EditList, EditListed, EditMade, EditStatus, EditsForgotten,
    FileEdited, Generalized, MatchCounts, MatchRefused, NodeEdited, OtherPattern, PatternMatch,
};
pub(super) use refused::{PendingRefusal, Refused};
pub use refused::{RefusedCall, SuggestedCall};
pub(super) use text::RANKED_HEAD;

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

/// Formats a call for the caller, from the tool name and the arguments. Without a name, formats only the arguments;
/// without arguments (null), only the name.
pub type CallText<'a> = &'a dyn Fn(&str, &Value) -> String;

fn tool_call(tool: &str, arguments: &Value) -> String {
    match arguments.as_object() {
        None => tool.to_string(),
        Some(arguments) if tool.is_empty() => {
            let arguments = arguments.iter();
            let arguments = arguments.map(|(name, value)| format!("{name}: {value}"));
            arguments.collect::<Vec<_>>().join(", ")
        }
        Some(_) => format!("{tool} {arguments}"),
    }
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

/// A place, with the locator and the selector that select it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Located {
    /// The file.
    pub file_path: String,
    /// The point; if a position was sent, that position or the start of a token next to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<Point>,
    /// What the locator matches, or the requested range without surrounding whitespace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<Range>,
    /// Of a position or a range: the shortest locator; absent if a range has no short one.
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
    /// Of a locator: the number of matches, including this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matches: Option<usize>,
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
    /// Of a file or lines: the symbols in the text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub symbols: Vec<SymbolListed>,
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

impl Point {
    pub(super) fn at(source: &Source, offset: usize) -> Point {
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
    pub(super) fn from_span(source: &Source, span: Span) -> Range {
        Range {
            start: Point::at(source, span.start()),
            end: Point::at(source, span.end()),
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

fn is_zero(number: &usize) -> bool {
    *number == 0
}
