//! The ways to make a hunk, as entries of an `edit_nodes`.

use std::ops::Range;

use serde_json::{Value, json};
use treegraft::select;
use treegraft::source::Span;

use crate::habits::forms::marked_whitespace;
use crate::text::{dedented, indentation, overlap};

use super::content::{Content, at_column_zero};
use super::finds::{Way, text_edits};
use super::nodes::{HunkOperation, interpret, trimmed};
use super::{ALLOW, Call, Outcome, Site, bytes, position_name, run, selector_argument};

/// One way to make a hunk.
#[derive(Clone)]
pub(crate) struct Candidate {
    /// The entry of an `edit_nodes`.
    pub(crate) entry: Value,
    /// The bytes of the old text that the edit changes.
    pub(crate) target: Span,
}

impl Candidate {
    pub(crate) fn bytes(&self) -> usize {
        // A comma follows it.
        bytes(&self.entry) + 1
    }

    /// Returns whether the edit changes nothing that others than the one at `index` change.
    pub(crate) fn is_free(&self, index: usize, taken: &[Range<usize>]) -> bool {
        let mut others = taken.iter().enumerate();
        !others.any(|(other, taken)| other != index && overlap(&self.target.range(), taken))
    }

    /// Returns whether the edit alone makes the hunk exactly, with every check allowed to fail.
    pub(crate) fn is_exact(&self, site: &Site<'_>) -> bool {
        let arguments = json!({"file_path": site.path, "edits": [self.entry], "allow": ALLOW});
        let tool = "edit_nodes";
        run(site.before, site.new_text(), &Call { tool, arguments }) == Outcome::Exact
    }

    /// Returns the same content with `indent: "verbatim"`.
    pub(crate) fn verbatim(&self) -> Candidate {
        let mut own = self.clone();
        own.entry["indent"] = json!("verbatim");
        own
    }
}

/// Returns the operation of an entry: `op`, or what follows from the other fields.
pub(crate) fn operation(entry: &Value) -> &str {
    let has = |name: &str| entry.get(name).is_some();
    let content = entry["new_content"].as_str().unwrap_or_default();
    match entry["op"].as_str() {
        Some(op) => op,
        None if has("position") => "insert",
        None if has("find") => "replace_text",
        // Without `op`, the marker could be the place of a wrapped node.
        None if has("include_attached") || !content.contains("<|>") => "replace",
        None => "",
    }
}

/// Returns the ways to make a hunk, the shortest first.
pub(crate) fn candidates(site: &Site<'_>) -> Vec<Candidate> {
    let hunk = site.hunk;
    let mut all = Vec::new();
    let mut add_text = |find: &str, content: &str, target: Span| {
        let entry = json!({"find": find, "new_content": content});
        all.push(Candidate { entry, target });
    };
    // In one line a caller names the words that change, otherwise whole lines, at column 0 or as in the file, or the
    // point where lines are added.
    let is_one_line = hunk.lines == (1, 1);
    for edit in text_edits(site) {
        let is_natural = match edit.way {
            Way::Lines => true,
            // A find that starts within a line leaves its first line where it is.
            Way::Elided => {
                indentation(&site.old_text()[hunk.old.clone()]) == indentation(&hunk.new)
            }
            Way::Point => is_one_line || hunk.lines.0 == 0,
            Way::Tokens | Way::Marked => is_one_line,
        };
        if !is_natural {
            continue;
        }
        let find = match edit.way {
            Way::Elided => Some(edit.find.clone()),
            Way::Lines => dedented(&edit.find, indentation(&edit.find)),
            _ => None,
        };
        let new = Span::new(edit.start, edit.start + edit.new_content.len());
        let zero = at_column_zero(site.wanted, new, site.strings);
        if let (Some(find), Some(zero)) = (find, zero) {
            add_text(&find, &zero, edit.target);
        }
        add_text(&edit.find, &edit.new_content, edit.target);
    }
    if site.hunk.is_blank(site.old_text()) {
        if let Some((find, content, target)) = marked_whitespace(site) {
            add_text(&find, &content, target);
        }
    } else if let Ok(operations) = interpret(site) {
        let of_nodes = operations.iter();
        all.extend(of_nodes.filter_map(|operation| of_node(site, operation)));
    }
    all.sort_by_key(Candidate::bytes);
    all
}

/// Returns an operation on a node, with the shortest selector and content at column 0 where it can be.
fn of_node(site: &Site<'_>, meant: &HunkOperation<'_>) -> Option<Candidate> {
    let (named, chain, flag, content) = match meant {
        HunkOperation::Replace {
            chain,
            new,
            include_attached,
        } => {
            let flag = include_attached.then(|| ("include_attached", json!(true)));
            let content = Content::from_span(site.wanted, *new, site.strings);
            ("replace", chain, flag, Some(content))
        }
        HunkOperation::Insert {
            chain,
            position,
            new,
        } => {
            let flag = Some(("position", json!(position_name(*position))));
            let content = Content::inserted(site.wanted, *new, site.strings);
            ("insert", chain, flag, Some(content))
        }
        HunkOperation::Delete { chain } => ("delete", chain, None, None),
        HunkOperation::Text => return None,
    };
    let node = *chain.last()?;
    let selector = select::describe(site.before, chain)?;
    let mut entry = json!({"selector": selector_argument(&selector)});
    if let Some((name, value)) = flag {
        entry[name] = value;
    }
    if let Some(content) = content {
        let zero = content.zero.filter(|_| content.begins_line);
        entry["new_content"] = json!(zero.unwrap_or(content.plain));
    }
    if operation(&entry) != named {
        entry["op"] = json!(named);
    }
    let selected = trimmed(site.before, node);
    let target = match meant {
        HunkOperation::Insert { .. } => Span::at(selected.end()),
        _ => selected,
    };
    Some(Candidate { entry, target })
}
