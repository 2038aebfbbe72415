//! The verbs that read: outline, find, locate, describe and read.

use std::num::NonZeroUsize;

use clap::Args;
use serde::{Serialize, Serializer};
use serde_json::json;

use treegraft::engine::request::LocateArgument;
use treegraft::locate::Question;

use crate::cli::selector::SelectorOptions;

#[derive(Debug, Args, Serialize)]
pub(in crate::cli) struct OutlineVerb {
    /// A file, a directory or a glob
    #[arg(default_value = ".")]
    path: String,
    /// How many levels of symbols. Default: all of one file, 2 of several
    #[arg(long, value_name = "N")]
    depth: Option<usize>,
    /// Only symbols of this kind: function, class, ...
    #[arg(long, value_name = "KIND")]
    #[serde(rename = "kinds")]
    kind: Vec<String>,
    #[command(flatten)]
    #[serde(flatten)]
    page: PageOptions,
}

#[derive(Debug, Args, Serialize)]
pub(in crate::cli) struct FindVerb {
    /// A file, a directory or a glob
    #[arg(default_value = ".")]
    path: String,
    /// Exactly this text
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    text: Option<String>,
    /// What this pattern matches; ^ and $ are ends of lines
    #[arg(long, value_name = "PATTERN", allow_hyphen_values = true)]
    regex: Option<String>,
    /// Nodes of this type, or general word; beside a text, a pattern or a name: the one around it
    #[arg(long = "type", value_name = "TYPE")]
    node_type: Option<String>,
    /// Symbols of this name; * stands for any text
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    name: Option<String>,
    /// What this query of tree-sitter captures first
    #[arg(long, value_name = "QUERY")]
    query: Option<String>,
    #[command(flatten)]
    #[serde(flatten)]
    page: PageOptions,
}

// Which part of a long answer. (A doc comment on what is flattened would become the help of the verb.)
#[derive(Debug, Args, Serialize)]
pub(super) struct PageOptions {
    /// How many at most
    #[arg(long, value_name = "N")]
    #[serde(rename = "max_items")]
    max: Option<usize>,
    /// Go on where the answer before ended
    #[arg(long, value_name = "CURSOR")]
    cursor: Option<String>,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct LocateVerb {
    /// path:scope@find; scope is a symbol path or lines, find may hold the marker <|>
    locate: String,
    /// Print the range instead of a point
    #[arg(long)]
    range: bool,
    /// Take the N-th match instead of the first
    #[arg(long, value_name = "N")]
    index: Option<NonZeroUsize>,
    /// Take the text most like find where it does not match
    #[arg(long)]
    fuzzy: bool,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct DescribeVerb {
    /// The file; or all in one, as compilers write it: src/main.rs:42:10
    place: String,
    /// Line and character from 1 (42:10), or a range of them (42:10-43:5), the end excluded
    at: Option<String>,
}

#[derive(Debug, Args, Serialize)]
pub(in crate::cli) struct ReadVerb {
    /// The file
    #[serde(rename = "file_path")]
    file: String,
    #[command(flatten)]
    selector: SelectorOptions,
}

impl Serialize for LocateVerb {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let locate = match self.locate.parse() {
            Ok(locate) => json!(LocateArgument(Question {
                locate,
                find_index: self.index.map(NonZeroUsize::get),
                fuzzy: self.fuzzy,
            })),
            // The call explains what is wrong with it.
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
