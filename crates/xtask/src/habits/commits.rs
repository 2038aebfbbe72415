//! Makes whole commits: by one `edit_nodes`, and by exact string replacement.

use std::collections::HashSet;
use std::ops::Range;

use serde_json::{Value, json};
use treegraft::parse::{Node, Parsed};
use treegraft::source::Span;

use crate::replay::baseline::{replaced, unique_lines};
use crate::replay::calls::{Call, Outcome, Target, bytes, position_name, run};
use crate::replay::content::{Written, contents, inserted};
use crate::replay::history::{Commit, Hunk, Revision};
use crate::replay::meaning::{HunkOperation, Skip, interpret, skipped_at_once, trimmed};
use crate::replay::parse;
use crate::replay::pointing::{Tries, Way, selectors, written};
use crate::replay::text::{several_edits, text_edits};

use super::forms::Site;
use super::project::{Answered, Project};

/// How many places a commit may have.
const MOST_PLACES: usize = 60;
/// How many lines a place may have on each side.
const MOST_LINES: usize = 60;
/// Hunks with at most this many lines between them are one place.
const NEAR: usize = 2;

/// Calls with the bytes of their arguments and of the text that they answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub(super) struct Cost {
    pub(super) calls: usize,
    pub(super) sent: usize,
    pub(super) received: usize,
}

impl Cost {
    pub(super) fn add(&mut self, other: Cost) {
        self.calls += other.calls;
        self.sent += other.sent;
        self.received += other.received;
    }
}

/// What the one call for a whole commit did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OneCall {
    Exact,
    Wrong,
    Refused(&'static str),
}

/// A commit that was made, place by place; hunks that are close to each other are one place.
pub(super) struct Made {
    pub(super) places: usize,
    pub(super) one_call: OneCall,
    /// The arguments of the one call, and what the caller needs to know about a call that was not exact.
    pub(super) arguments: Value,
    pub(super) detail: String,
    /// The cost with treegraft; nothing if not all of the commit can be made exactly.
    pub(super) ours: Option<Cost>,
    pub(super) strings: Cost,
    /// How many lines of context each string replacement needs.
    pub(super) context: Vec<usize>,
}

/// One way to make a hunk: entries of an `edit_nodes`, and if there is one, the call of its own tool.
struct Candidate<'p> {
    entries: Vec<Value>,
    /// The bytes of the old text that are selected.
    target: Span,
    /// What a call must select to be right.
    nodes: Option<Vec<Node<'p>>>,
    call: Call,
    bytes: usize,
}

/// Makes a commit in both ways, with one edit for each place; nothing if it is too large, or changes what every edit
/// keeps. `strings` returns the node types of a language whose lines keep their bytes, `confirmation` is the size in
/// bytes of the answer to a string replacement.
pub(super) fn make(
    commit: &Commit,
    strings: &mut dyn FnMut(&str) -> HashSet<String>,
    confirmation: usize,
) -> Result<Option<Made>, String> {
    let commit = &with_places(commit);
    let places: usize = commit.files.iter().map(|file| file.hunks.len()).sum();
    let is_large = |file: &Revision| {
        let mut hunks = file.hunks.iter();
        hunks.any(|hunk| hunk.lines.0.max(hunk.lines.1) > MOST_LINES)
    };
    let mut files = commit.files.iter();
    if places > MOST_PLACES || files.any(|file| is_large(file) || is_framed(file)) {
        return Ok(None);
    }
    let (by_strings, context) = by_strings(commit, confirmation);
    let mut entries: Vec<(&Revision, Vec<Value>)> = Vec::new();
    for file in &commit.files {
        match shortest_entries(file, strings) {
            Some(own) => entries.push((file, own)),
            None => return Ok(None),
        }
    }
    let arguments = one_call(&entries);
    let project = Project::new()?;
    for file in &commit.files {
        project.write(&file.path, &file.before)?;
    }
    let mut ours = Cost::default();
    let answered = call(&project, "edit_nodes", &arguments, &mut ours);
    let (one_call, detail) = match answered.code {
        Some(code) => (OneCall::Refused(code), answered.text),
        None => {
            let detail = difference_of(commit, &project)?;
            match detail.is_empty() {
                true => (OneCall::Exact, detail),
                false => (OneCall::Wrong, detail),
            }
        }
    };
    let ours = match one_call {
        OneCall::Exact => Some(ours),
        OneCall::Refused(code)
            if is_made_by_allowing(commit, &project, &arguments, code, &mut ours)? =>
        {
            Some(ours)
        }
        _ => one_by_one(commit, strings)?.map(|further| {
            ours.add(further);
            ours
        }),
    };
    Ok(Some(Made {
        places,
        one_call,
        arguments,
        detail,
        ours,
        strings: by_strings,
        context,
    }))
}

/// The shortest entries for the places of a file that do not overlap; nothing if a place has none.
fn shortest_entries(
    file: &Revision,
    strings: &mut dyn FnMut(&str) -> HashSet<String>,
) -> Option<Vec<Value>> {
    let before = parse(&file.path, &file.before);
    let strings = strings(before.source().language().name);
    let mut entries = Vec::new();
    let mut taken: Vec<Range<usize>> = file.hunks.iter().map(|hunk| hunk.old.clone()).collect();
    for (index, hunk) in file.hunks.iter().enumerate() {
        let wanted = parse(&file.path, &with_hunk(&file.before, hunk));
        let candidates = candidates(&file.path, &before, &wanted, hunk, &strings);
        let best = candidates.into_iter().find(|candidate| {
            let mut others = taken.iter().enumerate();
            !others.any(|(other, taken)| other != index && overlap(candidate.target.range(), taken))
        })?;
        taken[index] = best.target.range();
        entries.extend(best.entries);
    }
    Some(entries)
}

/// The commit with hunks that are close to each other combined, as a caller changes them at once.
fn with_places(commit: &Commit) -> Commit {
    let files = commit.files.iter().map(|file| {
        let mut places: Vec<Hunk> = Vec::new();
        for hunk in &file.hunks {
            let between = |last: &Hunk| &file.before[last.old.end..hunk.old.start];
            match places.last_mut() {
                Some(last) if between(last).matches('\n').count() <= NEAR => {
                    let between = between(last).to_string();
                    let count = between.matches('\n').count();
                    last.new.push_str(&between);
                    last.new.push_str(&hunk.new);
                    last.old.end = hunk.old.end;
                    last.lines.0 += count + hunk.lines.0;
                    last.lines.1 += count + hunk.lines.1;
                }
                _ => places.push(Hunk {
                    old: hunk.old.clone(),
                    new: hunk.new.clone(),
                    lines: hunk.lines,
                }),
            }
        }
        Revision {
            commit: file.commit.clone(),
            path: file.path.clone(),
            before: file.before.clone(),
            hunks: places,
        }
    });
    Commit {
        id: commit.id.clone(),
        files: files.collect(),
    }
}

/// Makes a call and adds what it costs.
fn call(project: &Project, tool: &str, arguments: &Value, cost: &mut Cost) -> Answered {
    let answered = project.call(tool, arguments);
    cost.add(Cost {
        calls: 1,
        sent: bytes(arguments),
        received: answered.text.len(),
    });
    answered
}

/// How the files of a project differ from those of the commit; empty if they are the same.
fn difference_of(commit: &Commit, project: &Project) -> Result<String, String> {
    let mut all = String::new();
    for file in &commit.files {
        let (wanted, got) = (with_hunks(file), project.read(&file.path)?);
        if wanted != got {
            let difference = crate::replay::difference(&wanted, &got);
            all.push_str(&format!("{}\n{difference}", file.path));
        }
    }
    Ok(all)
}

/// Sends a call again that was refused by a check, with the `allow` that the refusal names, if that makes the commit.
fn is_made_by_allowing(
    commit: &Commit,
    project: &Project,
    arguments: &Value,
    code: &str,
    cost: &mut Cost,
) -> Result<bool, String> {
    let allow = match code {
        "breaks_syntax" => "syntax_errors",
        "changes_surroundings" => "surroundings",
        "suspicious_content" => "suspicious_content",
        _ => return Ok(false),
    };
    let mut arguments = arguments.clone();
    arguments["allow"] = json!([allow]);
    let mut tried = *cost;
    let answered = call(project, "edit_nodes", &arguments, &mut tried);
    let is_made = answered.code.is_none() && difference_of(commit, project)?.is_empty();
    if is_made {
        *cost = tried;
    }
    Ok(is_made)
}

/// Whether a commit changes the final newline, the byte order mark or the kind of newlines of a file.
fn is_framed(file: &Revision) -> bool {
    let (old, new) = (&file.before, with_hunks(file));
    let returns = |text: &str| text.contains("\r\n");
    old.ends_with('\n') != new.ends_with('\n')
        || old.starts_with('\u{feff}') != new.starts_with('\u{feff}')
        || returns(old) != returns(&new)
}

/// The arguments of the one call. The path of the file that costs most is next to `edits`, that of another file in
/// each of its edits.
fn one_call(entries: &[(&Revision, Vec<Value>)]) -> Value {
    let costs = entries
        .iter()
        .map(|(file, own)| file.path.len() * own.len());
    let most = costs.clone().max().unwrap_or(0);
    let main = costs.clone().position(|cost| cost == most).unwrap_or(0);
    let mut all = Vec::new();
    for (index, (file, own)) in entries.iter().enumerate() {
        for entry in own {
            let mut entry = entry.clone();
            if index != main {
                entry["file_path"] = json!(file.path);
            }
            all.push(entry);
        }
    }
    let path = entries.get(main).map(|(file, _)| &file.path);
    json!({"file_path": path, "edits": all, "apply": true})
}

/// A call for each hunk, from the last to the first of each file: the shortest that is exact; nothing if there is none.
fn one_by_one(
    commit: &Commit,
    strings: &mut dyn FnMut(&str) -> HashSet<String>,
) -> Result<Option<Cost>, String> {
    let project = Project::new()?;
    let mut cost = Cost::default();
    for file in &commit.files {
        let mut text = file.before.clone();
        for hunk in file.hunks.iter().rev() {
            let before = parse(&file.path, &text);
            let strings = strings(before.source().language().name);
            let wanted = parse(&file.path, &with_hunk(&text, hunk));
            let candidates = candidates(&file.path, &before, &wanted, hunk, &strings);
            let wanted = wanted.source().text();
            let exact = candidates.iter().find(|candidate| {
                let target = match &candidate.nodes {
                    Some(nodes) => Target::Nodes(nodes.clone()),
                    None => Target::Text(candidate.target),
                };
                let ran = run(&before, wanted, &candidate.call, &target);
                ran.outcome == Outcome::Exact
            });
            let mut allowed;
            let call = match (exact, candidates.first()) {
                (Some(exact), _) => &exact.call,
                (None, Some(first)) => {
                    // The caller has read the refusal and allows what it names.
                    allowed = first.call.clone();
                    allowed.arguments["indent"] = json!("verbatim");
                    allowed.arguments["allow"] =
                        json!(["syntax_errors", "surroundings", "suspicious_content"]);
                    &allowed
                }
                (None, None) => return Ok(None),
            };
            let mut arguments = call.arguments.clone();
            arguments["apply"] = json!(true);
            project.write(&file.path, &text)?;
            self::call(&project, call.tool, &arguments, &mut cost);
            if project.read(&file.path)? != wanted {
                return Ok(None);
            }
            text = wanted.to_string();
        }
    }
    Ok(Some(cost))
}

/// The ways to make a hunk, the shortest first.
fn candidates<'p>(
    path: &str,
    before: &'p Parsed,
    wanted: &'p Parsed,
    hunk: &Hunk,
    strings: &HashSet<String>,
) -> Vec<Candidate<'p>> {
    let (old, new) = (before.source().text(), wanted.source().text());
    let mut all = Vec::new();
    let mut add_text = |finds: Vec<(String, String)>, target: Span| {
        let entry =
            |(find, content): &(String, String)| json!({"find": find, "new_content": content});
        let entries: Vec<Value> = finds.iter().map(entry).collect();
        let call = match &entries[..] {
            [entry] => {
                let mut arguments = entry.clone();
                arguments["file_path"] = json!(path);
                Call {
                    tool: "replace_text",
                    arguments,
                }
            }
            _ => Call {
                tool: "edit_nodes",
                arguments: json!({"file_path": path, "edits": entries}),
            },
        };
        all.push(Candidate {
            bytes: entries.iter().map(|entry| bytes(entry) + 1).sum(),
            entries,
            target,
            nodes: None,
            call,
        });
    };
    // In one line a caller names the words that change, otherwise whole lines.
    let is_one_line = hunk.lines == (1, 1);
    for edit in text_edits(before, new, hunk) {
        let is_natural = match edit.way {
            Way::Lines | Way::Elided => true,
            Way::LeastText | Way::Marked | Way::Point | Way::ElidedLeast => is_one_line,
            _ => false,
        };
        if is_natural {
            add_text(vec![(edit.find, edit.new_content)], edit.target);
        }
    }
    if is_one_line
        && let Some(edits) = several_edits(before, new, false)
        && let (Some(first), Some(last)) = (edits.first(), edits.last())
    {
        let target = Span::new(
            first.target.start(),
            last.target.end().max(first.target.start()),
        );
        let finds = edits.into_iter().map(|edit| (edit.find, edit.new_content));
        add_text(finds.collect(), target);
    }
    let site = Site {
        path,
        before,
        wanted,
        hunk,
        strings,
    };
    let is_blank = skipped_at_once(old, hunk) == Some(Skip::Blank);
    if is_blank
        && let Some(sample) = site.marked_whitespace()
        && let Target::Text(target) = sample.target
    {
        let text = |name: &str| {
            let value = sample.call.arguments[name].as_str();
            value.unwrap_or_default().to_string()
        };
        add_text(vec![(text("find"), text("new_content"))], target);
    }
    if !is_blank && let Ok(meaning) = interpret(before, wanted, hunk) {
        for meant in std::iter::once(meaning.best).chain(meaning.others) {
            all.extend(of_node(path, before, wanted, &meant, strings));
        }
    }
    all.sort_by_key(|candidate| candidate.bytes);
    all
}

/// An operation on a node, with the shortest selector and content at column 0 where it can be.
fn of_node<'p>(
    path: &str,
    before: &'p Parsed,
    wanted: &'p Parsed,
    meant: &HunkOperation<'p>,
    strings: &HashSet<String>,
) -> Option<Candidate<'p>> {
    let (tool, operation, chain, mut further, contents) = match meant {
        HunkOperation::Replace {
            chain,
            new,
            include_attached,
        } => {
            let flags = match include_attached {
                true => vec![("include_attached", json!(true))],
                false => Vec::new(),
            };
            let contents = contents(wanted, *new, strings);
            ("replace_node", "replace", chain, flags, contents)
        }
        HunkOperation::Insert {
            chain,
            position,
            new,
        } => {
            let flags = vec![("position", json!(position_name(*position)))];
            let contents = inserted(wanted, *new, strings);
            ("insert_node", "insert", chain, flags, contents)
        }
        HunkOperation::Delete { chains } => match &chains[..] {
            [chain] => ("delete_node", "delete", chain, Vec::new(), Vec::new()),
            _ => return None,
        },
        HunkOperation::Text => return None,
    };
    let at_zero = contents
        .iter()
        .find(|(written, _)| *written == Written::AtColumnZero);
    if let Some((_, content)) = at_zero.or(contents.first()) {
        further.push(("new_content", json!(content)));
    }
    let selectors = selectors(before, chain, &mut Tries::default());
    let forms = selectors.iter().flat_map(|(_, selector)| written(selector));
    let selector = forms.min_by_key(bytes)?;
    let mut entry = json!({"op": operation, "selector": selector});
    for (name, value) in &further {
        entry[*name] = value.clone();
    }
    let node = chain[chain.len() - 1];
    Some(Candidate {
        bytes: bytes(&entry) + 1,
        entries: vec![entry],
        // An insertion changes nothing of the node that it is made at.
        target: match meant {
            HunkOperation::Insert { .. } => Span::at(trimmed(before, node).end()),
            _ => trimmed(before, node),
        },
        nodes: Some(vec![node]),
        call: crate::replay::calls::of_node(tool, path, &selector, &further),
    })
}

/// The cost of one exact string replacement for each hunk, and the lines of context that each needs.
fn by_strings(commit: &Commit, confirmation: usize) -> (Cost, Vec<usize>) {
    let mut cost = Cost::default();
    let mut context = Vec::new();
    for file in &commit.files {
        let mut text = file.before.clone();
        // From the last to the first, so that the places of the others stay.
        for hunk in file.hunks.iter().rev() {
            let wanted = with_hunk(&text, hunk);
            let own = unique_lines(&text, &wanted, hunk).unwrap_or(0..text.len());
            let lines = text[own.clone()].lines().count();
            context.push(lines.saturating_sub(hunk.lines.0));
            let arguments = json!({
                "file_path": file.path,
                "old_string": text[own.clone()],
                "new_string": replaced(&text, &wanted, own),
            });
            cost.add(Cost {
                calls: 1,
                sent: bytes(&arguments),
                received: confirmation,
            });
            text = wanted;
        }
    }
    (cost, context)
}

/// A text with one hunk made.
pub(super) fn with_hunk(text: &str, hunk: &Hunk) -> String {
    let (before, after) = (&text[..hunk.old.start], &text[hunk.old.end..]);
    format!("{before}{}{after}", hunk.new)
}

/// The text of a file after its commit.
fn with_hunks(file: &Revision) -> String {
    let hunks = file.hunks.iter().rev();
    hunks.fold(file.before.clone(), |text, hunk| with_hunk(&text, hunk))
}

/// Whether two ranges have a byte in common, or one of them is empty and inside the other.
fn overlap(one: Range<usize>, other: &Range<usize>) -> bool {
    one.start < other.end && other.start < one.end
}
