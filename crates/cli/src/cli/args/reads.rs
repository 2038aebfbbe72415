//! The arguments of the verbs that read: outline, find, locate, describe and read.

use std::num::NonZeroUsize;

use clap::Args;
use serde::{Serialize, Serializer};
use serde_json::json;

use treegraft::engine::TEXT_SHOWN;
use treegraft::engine::request::{LocateArgument, QuotesArgument};
use treegraft::locate::Question;

use super::names_of;
use crate::cli::selector::SelectorOptions;

#[derive(Debug, Args, Serialize)]
pub(in crate::cli) struct OutlineVerb {
    /// File, directory or glob to list
    #[arg(default_value = ".")]
    path: String,
    /// Print N levels of symbols. Default: all levels of one file or with --rank, otherwise 2
    #[arg(long, value_name = "N")]
    depth: Option<usize>,
    /// Print only symbols of this kind, for example function or class (repeatable)
    #[arg(long, value_name = "KIND")]
    #[serde(rename = "kinds")]
    kind: Vec<String>,
    /// Print the symbols that the files of PATH reference most, by name, first
    #[arg(long)]
    rank: bool,
    /// Print at most N bytes of text, and as many symbols as fit; --max then defaults to 2000
    #[arg(long, value_name = "N")]
    max_bytes: Option<usize>,
    #[command(flatten)]
    #[serde(flatten)]
    page: PageOptions,
}

#[derive(Debug, Args, Serialize)]
pub(in crate::cli) struct FindVerb {
    /// File, directory or glob to search
    #[arg(default_value = ".")]
    path: String,
    /// Find this exact text
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    text: Option<String>,
    /// Find matches of this regular expression; ^ and $ match at line ends
    #[arg(long, value_name = "PATTERN", allow_hyphen_values = true)]
    regex: Option<String>,
    /// Find nodes of this type or general word; with --text, --regex or --name, the node of the
    /// type around each match
    #[arg(long = "type", value_name = "TYPE")]
    node_type: Option<String>,
    /// Find symbols with this name; * matches any text
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    name: Option<String>,
    /// Find the first capture of this tree-sitter query
    #[arg(long, value_name = "QUERY")]
    query: Option<String>,
    /// Find this code, in which $NAME matches one node and $$$NAME any number
    #[arg(long, value_name = "CODE", allow_hyphen_values = true)]
    pattern: Option<String>,
    #[command(flatten)]
    #[serde(flatten)]
    of_pattern: PatternOptions,
    /// Find the matches of an ast-grep rule: a rule file, a directory of them or an sgconfig.yml;
    /// - reads a rule from standard input
    #[arg(long, value_name = "FILE", allow_hyphen_values = true)]
    rule: Option<RuleOption>,
    #[command(flatten)]
    #[serde(flatten)]
    within: WhereOptions,
    #[command(flatten)]
    #[serde(flatten)]
    page: PageOptions,
}

// How a pattern is read.
#[derive(Debug, Args, Serialize)]
pub(super) struct PatternOptions {
    /// Read the pattern only as this kind of code, for example expression, type or member; any: as
    /// each kind
    #[arg(long, value_name = "KIND")]
    #[serde(skip_serializing_if = "Option::is_none")]
    reading: Option<String>,
    /// Compare strings with their quotes (exact); by default, any quotes match
    #[arg(long, value_name = "HOW", value_parser = names_of::<QuotesArgument>())]
    #[serde(skip_serializing_if = "Option::is_none")]
    quotes: Option<String>,
}

// The symbols that matches must be inside.
#[derive(Debug, Args)]
pub(super) struct WhereOptions {
    /// Only inside symbols with this path, for example Server.handle
    #[arg(long, value_name = "PATH")]
    symbol: Option<String>,
    /// Only inside symbols of this kind, for example function or class
    #[arg(long, value_name = "KIND")]
    symbol_kind: Option<String>,
}

impl Serialize for WhereOptions {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let scope = self.symbol.as_ref();
        let scope = scope.map(|path| json!({"symbol_path": path}));
        let within = match (&scope, &self.symbol_kind) {
            (None, None) => json!({}),
            (_, kind) => json!({"where": {"scope": scope, "symbol_kind": kind}}),
        };
        within.serialize(serializer)
    }
}

// The argument of --rule: a path, or a rule in JSON.
#[derive(Clone, Debug)]
pub(super) struct RuleOption(String);

impl From<String> for RuleOption {
    fn from(path: String) -> RuleOption {
        RuleOption(path)
    }
}

impl Serialize for RuleOption {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.starts_with('{') {
            true => self.0.serialize(serializer),
            false => json!({"path": self.0}).serialize(serializer),
        }
    }
}

// The page of a long answer. (A doc comment on a flattened struct would become the help of the
// verb.)
#[derive(Debug, Args, Serialize)]
pub(super) struct PageOptions {
    /// Print at most N items
    #[arg(long, value_name = "N")]
    #[serde(rename = "max_items")]
    max: Option<usize>,
    /// Continue after a previous page, with the cursor that it printed
    #[arg(long, value_name = "CURSOR")]
    cursor: Option<String>,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct LocateVerb {
    /// Locator: path:scope@find, path:scope or path@find
    #[arg(value_name = "LOCATOR")]
    locate: String,
    /// Print the range of the symbol, the lines or the match
    #[arg(long)]
    range: bool,
    /// Use the N-th match instead of the first
    #[arg(long, value_name = "N")]
    index: Option<NonZeroUsize>,
    /// Use the most similar text if find does not match
    #[arg(long)]
    fuzzy: bool,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct DescribeVerb {
    /// File, or file and position as a compiler prints them, for example src/main.rs:42:10
    #[arg(value_name = "FILE")]
    place: String,
    /// Line and character from 1 (42:10), or a range (42:10-43:5, end excluded)
    #[arg(value_name = "POSITION")]
    at: Option<String>,
}

#[derive(Debug, Args, Serialize)]
pub(in crate::cli) struct ReadVerb {
    /// File to read
    #[serde(rename = "file_path")]
    file: String,
    #[command(flatten)]
    selector: SelectorOptions,
    /// Print at most this many bytes of the node
    #[arg(long, value_name = "BYTES", default_value_t = TEXT_SHOWN)]
    max_bytes: usize,
}

impl Serialize for LocateVerb {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let locate = match self.locate.parse() {
            Ok(locate) => json!(LocateArgument(Question {
                locate,
                find_index: self.index.map(NonZeroUsize::get),
                fuzzy: self.fuzzy,
            })),
            // The call explains what is wrong with the locator.
            Err(_) => json!(self.locate),
        };
        json!({"locate": locate, "range": self.range}).serialize(serializer)
    }
}

impl Serialize for DescribeVerb {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.at {
            None => json!({"position": self.place}),
            Some(range) if range.contains('-') => {
                json!({"file_path": self.place, "range": range})
            }
            Some(position) => json!({"file_path": self.place, "position": position}),
        }
        .serialize(serializer)
    }
}
