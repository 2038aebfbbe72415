//! The request of `rewrite`.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use crate::pattern::Quotes;

use super::schema::{diff_in_short, names_in_short, object_in_short, switch_in_short};
use super::{
    Allow, DiffArgument, ImportsArgument, PathsArgument, RuleArgument, ScopeArgument, is_false,
};

/// Replaces every match of a pattern or a rule.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Rewrite {
    /// As in find_nodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// As in find_nodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(description = "")]
    pub rule: Option<RuleArgument>,
    /// An edit id: makes it elsewhere too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub like: Option<String>,
    /// Only this language.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(description = "")]
    pub language: Option<String>,
    /// As in find_nodes, also quotes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(description = "")]
    pub reading: Option<String>,
    /// As in find_nodes.
    #[serde(default, skip_serializing_if = "QuotesArgument::is_any")]
    #[schemars(schema_with = "quotes_in_short", description = "")]
    pub quotes: QuotesArgument,
    /// Leaves matches inside others as they are.
    #[serde(default, skip_serializing_if = "is_false")]
    #[schemars(description = "")]
    pub outermost: bool,
    /// May contain `$A` and `$$$A`; empty deletes. Default: the rule's fix.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new_content: Option<String>,
    /// As in find_nodes.
    #[serde(default, skip_serializing_if = "PathsArgument::is_here")]
    pub path: PathsArgument,
    /// As in find_nodes.
    #[serde(default, skip_serializing_if = "ScopeArgument::is_none")]
    #[schemars(schema_with = "object_in_short", description = "")]
    pub scope: ScopeArgument,
    /// As in find_nodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(description = "")]
    pub symbol_kind: Option<String>,
    /// Numbers to leave out; also in amend_edit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(schema_with = "numbers_in_short")]
    pub skip: Vec<usize>,
    /// Only these.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(schema_with = "numbers_in_short", description = "")]
    pub only: Vec<usize>,
    /// Refuses another number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expect_matches: Option<usize>,
    /// Default 1000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(description = "")]
    pub max_files: Option<usize>,
    /// Leave out refused matches.
    #[serde(default, skip_serializing_if = "is_false")]
    #[schemars(description = "")]
    pub skip_failing: bool,
    /// As in replace_node.
    #[serde(default, skip_serializing_if = "ImportsArgument::is_off")]
    #[schemars(schema_with = "switch_in_short", description = "")]
    pub imports: ImportsArgument,
    /// As in replace_node.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(schema_with = "names_in_short")]
    pub allow: Vec<Allow>,
    /// true: write at once.
    #[serde(default, skip_serializing_if = "is_false")]
    pub apply: bool,
    /// As in replace_node.
    #[serde(default, skip_serializing_if = "DiffArgument::is_auto")]
    #[schemars(schema_with = "diff_in_short", description = "")]
    pub diff: DiffArgument,
}

/// How a pattern compares strings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum QuotesArgument {
    /// By their values, with any quotes.
    #[default]
    Any,
    /// With the quotes of the pattern.
    Exact,
}

impl QuotesArgument {
    pub(in crate::engine) fn is_any(&self) -> bool {
        *self == QuotesArgument::Any
    }

    pub(in crate::engine) fn is_exact(&self) -> bool {
        *self == QuotesArgument::Exact
    }
}

impl From<QuotesArgument> for Quotes {
    fn from(quotes: QuotesArgument) -> Quotes {
        match quotes {
            QuotesArgument::Any => Quotes::Any,
            QuotesArgument::Exact => Quotes::Exact,
        }
    }
}

pub(super) fn quotes_in_short(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"enum": ["exact"]})
}

fn numbers_in_short(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "array", "items": {"type": "integer"}})
}

impl Rewrite {
    /// Returns the request to replace every match of a pattern in a file, a directory or a glob.
    pub fn new(
        path: impl Into<String>,
        pattern: impl Into<String>,
        new_content: impl Into<String>,
    ) -> Rewrite {
        Rewrite {
            pattern: Some(pattern.into()),
            new_content: Some(new_content.into()),
            path: PathsArgument(vec![path.into()]),
            ..Rewrite::default()
        }
    }

    /// Returns the request to apply the fixes of rules in a file, a directory or a glob.
    pub fn by_rule(path: impl Into<String>, rule: RuleArgument) -> Rewrite {
        Rewrite {
            rule: Some(rule),
            path: PathsArgument(vec![path.into()]),
            ..Rewrite::default()
        }
    }

    /// Returns the request to make the change of an earlier edit elsewhere in a file, a directory or a glob.
    pub fn like(path: impl Into<String>, edit_id: impl Into<String>) -> Rewrite {
        Rewrite {
            like: Some(edit_id.into()),
            path: PathsArgument(vec![path.into()]),
            ..Rewrite::default()
        }
    }

    /// Writes the edit at once. By default, it is only previewed.
    pub fn at_once(mut self) -> Rewrite {
        self.apply = true;
        self
    }

    /// Leaves out the matches with these numbers, from 1.
    pub fn skipping(mut self, numbers: impl IntoIterator<Item = usize>) -> Rewrite {
        self.skip.extend(numbers);
        self
    }

    /// Leaves out matches whose edit is refused. By default, they are the refusal of the whole call.
    pub fn skipping_failing(mut self) -> Rewrite {
        self.skip_failing = true;
        self
    }
}
