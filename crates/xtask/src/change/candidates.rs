//! The ways to make a hunk, as entries of an `edit_nodes` or as a call of their own tool.

use serde_json::{Value, json};
use treegraft::select::{self, Selector};
use treegraft::source::Span;

use crate::habits::forms::marked_whitespace;
use crate::text::{dedented, indentation};

use super::content::{Content, at_column_zero};
use super::finds::{Way, several_edits, text_edits};
use super::nodes::{HunkOperation, interpret, trimmed};
use super::{ALLOW, Call, Outcome, Site, bytes, position_name, run, selector_argument};

/// One way to make a hunk.
#[derive(Clone)]
pub(crate) struct Candidate {
    pub(crate) entries: Vec<Value>,
    /// The bytes of the old text that the edit changes.
    pub(crate) target: Span,
    /// The bytes that are selected: a node that an insertion is made at is not changed.
    pub(crate) selected: Span,
    pub(crate) bytes: usize,
}

impl Candidate {
    fn new(entries: Vec<Value>, target: Span, selected: Span) -> Candidate {
        Candidate {
            bytes: entries.iter().map(|entry| bytes(entry) + 1).sum(),
            entries,
            target,
            selected,
        }
    }

    /// Returns whether the edit alone makes the hunk exactly, with every check allowed to fail.
    pub(crate) fn is_exact(&self, site: &Site<'_>) -> bool {
        let arguments = json!({"file_path": site.path, "edits": self.entries, "allow": ALLOW});
        let tool = "edit_nodes";
        run(site.before, site.new(), &Call { tool, arguments }) == Outcome::Exact
    }

    /// Returns the same content with `indent: "verbatim"`.
    pub(crate) fn verbatim(&self) -> Candidate {
        let mut own = self.clone();
        for entry in &mut own.entries {
            entry["indent"] = json!("verbatim");
        }
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

/// Returns the ways to make a hunk, the best operation first, then the shortest.
pub(crate) fn best_first(site: &Site<'_>) -> Vec<Candidate> {
    let mut all = candidates(site);
    let best = interpret(site).ok();
    let best = best.and_then(|operations| of_node(site, operations.first()?));
    match best {
        Some(best) => all.sort_by_key(|candidate| candidate.entries != best.entries),
        None => all.sort_by_key(|candidate| candidate.entries[0].get("find").is_none()),
    }
    all
}

/// Returns the ways to make a hunk, the shortest first.
pub(crate) fn candidates(site: &Site<'_>) -> Vec<Candidate> {
    let hunk = site.hunk;
    let mut all = Vec::new();
    let mut add_text = |finds: &[(&str, &str)], target: Span| {
        let entry = |(find, content): &(&str, &str)| json!({"find": find, "new_content": content});
        let entries = finds.iter().map(entry).collect();
        all.push(Candidate::new(entries, target, target));
    };
    // In one line a caller names the words that change, otherwise whole lines, at column 0 or as in the file, or the
    // point where lines are added.
    let is_one_line = hunk.lines == (1, 1);
    for edit in text_edits(site) {
        let is_natural = match edit.way {
            Way::Lines => true,
            // A find that starts within a line leaves its first line where it is.
            Way::Elided => indentation(&site.old()[hunk.old.clone()]) == indentation(&hunk.new),
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
            add_text(&[(&find, &zero)], edit.target);
        }
        add_text(&[(&edit.find, &edit.new_content)], edit.target);
    }
    // Of lines that stay the same number, it names the words that change in each.
    if hunk.lines.0 == hunk.lines.1
        && let Some(edits) = several_edits(site)
        && let (Some(first), Some(last)) = (edits.first(), edits.last())
    {
        let (start, end) = (first.target.start(), last.target.end());
        let finds: Vec<(&str, &str)> = edits
            .iter()
            .map(|edit| (edit.find.as_str(), edit.new_content.as_str()))
            .collect();
        add_text(&finds, Span::new(start, end.max(start)));
    }
    if site.hunk.is_blank(site.old()) {
        if let Some((find, content, target)) = marked_whitespace(site) {
            add_text(&[(&find, &content)], target);
        }
    } else if let Ok(operations) = interpret(site) {
        let of_nodes = operations.iter();
        all.extend(of_nodes.filter_map(|operation| of_node(site, operation)));
    }
    all.sort_by_key(|candidate| candidate.bytes);
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
            let content = Content::of(site.wanted, *new, site.strings);
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
    let selectors = [
        select::describe(site.before, chain),
        by_shortest_word(site, chain),
    ];
    let selectors = selectors.iter().flatten().map(selector_argument);
    let mut entry = json!({"selector": selectors.min_by_key(bytes)?});
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
    Some(Candidate::new(vec![entry], target, selected))
}

/// Returns the selector with the shortest sufficient word of the node's first lines.
fn by_shortest_word(site: &Site<'_>, chain: &[treegraft::parse::Node<'_>]) -> Option<Selector> {
    /// The maximum numbers of words and lines that are tried.
    const TRIED: usize = 24;
    const LINES: usize = 6;
    let node = *chain.last()?;
    let text = site.before.source().slice(trimmed(site.before, node));
    let lines = text.lines().take(LINES);
    let mut words: Vec<&str> = lines
        .flat_map(|line| line.split(|c: char| !c.is_alphanumeric() && c != '_'))
        .filter(|word| word.len() > 1)
        .collect();
    words.sort_by_key(|word| word.len());
    words.dedup();
    // A frequent word matches many nodes.
    let is_rare = |word: &&str| site.old().matches(*word).nth(8).is_none();
    let rare = words.into_iter().filter(is_rare).take(TRIED);
    let mut selectors = rare.map(|word| Selector::new(word, node.kind()));
    selectors.find(|selector| {
        let selected = select::select(site.before, selector);
        selected.is_ok_and(|selection| selection.node() == node)
    })
}
