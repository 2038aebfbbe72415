//! How the change of an earlier edit was generalized to a pattern.

use std::fmt::Write;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::CallText;

/// The pattern of an earlier edit, and the other possible ones.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Generalized {
    /// The id of the earlier edit.
    pub edit_id: String,
    /// The pattern whose matches are rewritten.
    pub pattern: String,
    /// What it is read as.
    pub reading: String,
    /// The replacement of each match.
    pub new_content: String,
    /// The language in which it is a pattern.
    pub language: String,
    /// The other possible patterns, the narrower first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<OtherPattern>,
    /// The searched files and directories.
    #[serde(skip)]
    pub(in crate::engine) path: Vec<String>,
}

/// A pattern that was not chosen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OtherPattern {
    /// The pattern.
    pub pattern: String,
    /// What it is read as.
    pub reading: String,
    /// The replacement of each match.
    pub new_content: String,
    /// The number of its matches, without those inside other matches.
    pub matches: usize,
    /// The number of files that they are in.
    pub files: usize,
    /// The first of them.
    pub first: Vec<PatternMatch>,
}

/// A match of a pattern.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PatternMatch {
    /// The file.
    pub file_path: String,
    /// The line, from 1.
    pub line: usize,
    /// The text of the line.
    pub text: String,
}

impl Generalized {
    /// Appends the pattern and its replacement.
    pub(super) fn push_to(&self, text: &mut String) {
        let edit_id = &self.edit_id;
        let _ = writeln!(
            text,
            "the change of {edit_id}, generalized for {}:",
            self.language
        );
        push_pattern(text, &self.pattern, &self.new_content);
    }

    /// Appends the other patterns with their first matches, and the call for each.
    pub(super) fn push_others_to(&self, text: &mut String, call_text: CallText<'_>) {
        for other in &self.others {
            let OtherPattern {
                pattern,
                reading,
                new_content,
                matches,
                files,
                first,
            } = other;
            let matches_noun = if *matches == 1 { "match" } else { "matches" };
            let files_noun = if *files == 1 { "file" } else { "files" };
            let _ = writeln!(
                text,
                "\nanother pattern has {matches} {matches_noun} in {files} {files_noun}:"
            );
            push_pattern(text, pattern, new_content);
            for PatternMatch {
                file_path,
                line,
                text: code,
            } in first
            {
                let _ = writeln!(text, "  {file_path}:{line}: {}", code.trim());
            }
            if matches > &first.len() {
                let _ = writeln!(text, "  (and {} more)", matches - first.len());
            }
            if *matches > 0 {
                let call = json!({
                    "path": self.path,
                    "pattern": pattern,
                    "new_content": new_content,
                    "language": self.language,
                    "reading": reading,
                });
                let _ = writeln!(text, "preview it:\n  {}", call_text("rewrite", &call));
            }
        }
    }
}

fn push_pattern(text: &mut String, pattern: &str, new_content: &str) {
    let signs = ["-", "+"].into_iter().zip([pattern, new_content]);
    for (sign, code) in signs {
        for line in code.lines() {
            let _ = writeln!(text, "  {sign} {line}");
        }
    }
}
