//! The arguments of the verbs that read: outline, find, read and locate.

use std::num::NonZeroUsize;

use clap::Args;
use serde::{Serialize, Serializer};
use serde_json::json;

use treegraft::engine::TEXT_SHOWN;
use treegraft::engine::request::{LocateArgument, QuotesArgument};
use treegraft::locate::Question;

use super::names_of;
use crate::cli::selector::PlaceOptions;

#[derive(Debug, Args, Serialize)]
pub(in crate::cli) struct OutlineVerb {
    /// Files, directories and globs to list
    #[arg(value_name = "PATH", default_value = ".")]
    path: Vec<String>,
    /// Print N levels of symbols. Default: all levels of one file or with --rank, otherwise 2
    #[arg(long, value_name = "N")]
    depth: Option<usize>,
    /// Print only symbols of this kind, for example function or class (repeatable)
    #[arg(long, value_name = "KIND")]
    kinds: Vec<String>,
    /// Print the symbols that the files of PATH reference most, by name, first
    #[arg(long)]
    rank: bool,
    /// Print at most N bytes of text, and as many symbols as fit; --max-items then defaults to 2000
    #[arg(long, value_name = "N")]
    max_bytes: Option<usize>,
    #[command(flatten)]
    #[serde(flatten)]
    page: PageOptions,
}

#[derive(Debug, Args, Serialize)]
pub(in crate::cli) struct FindVerb {
    /// Files, directories and globs to search
    #[arg(value_name = "PATH", default_value = ".")]
    path: Vec<String>,
    /// Find this exact text
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    text: Option<String>,
    /// Find matches of this regular expression; ^ and $ match at line ends
    #[arg(long, value_name = "PATTERN", allow_hyphen_values = true)]
    regex: Option<String>,
    /// Find nodes of this type or general word; with --text, --regex or --name, the node of the
    /// type around each match
    #[arg(long, value_name = "TYPE")]
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
    within: WithinOptions,
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
#[derive(Debug, Args, Serialize)]
pub(super) struct WithinOptions {
    /// Only inside symbols with this path, for example Server.handle
    #[arg(long, value_name = "PATH")]
    scope: Option<String>,
    /// Only inside symbols of this kind, for example function or class
    #[arg(long, value_name = "KIND")]
    symbol_kind: Option<String>,
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
    max_items: Option<usize>,
    /// Continue after a previous page, with the cursor that it printed
    #[arg(long, value_name = "CURSOR")]
    cursor: Option<String>,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct LocateVerb {
    /// Place (path:scope@text, path:scope or path@text) or position (path:42:10, a range or a line of a compiler)
    #[arg(value_name = "PLACE")]
    place: String,
    /// Use the N-th match instead of the first
    #[arg(long, value_name = "N")]
    find_index: Option<NonZeroUsize>,
    /// Use the most similar text if the text does not match
    #[arg(long)]
    fuzzy: bool,
}

#[derive(Debug, Args, Serialize)]
pub(in crate::cli) struct ReadVerb {
    #[command(flatten)]
    #[serde(flatten)]
    places: PlaceOptions,
    /// Print at most this many bytes of text
    #[arg(long, value_name = "BYTES", default_value_t = TEXT_SHOWN)]
    max_bytes: usize,
}

impl Serialize for LocateVerb {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let has_options = self.find_index.is_some() || self.fuzzy;
        let locate = match self.place.parse() {
            Ok(locate) if has_options => json!(LocateArgument(Question {
                locate,
                find_index: self.find_index.map(NonZeroUsize::get),
                fuzzy: self.fuzzy,
            })),
            // A position too; the call explains what is wrong with the place.
            _ => json!(self.place),
        };
        json!({"locate": locate}).serialize(serializer)
    }
}
