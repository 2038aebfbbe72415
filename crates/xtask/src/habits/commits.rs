//! Makes whole commits: by one `edit_nodes`, and by exact string replacement.

use std::collections::HashSet;
use std::ops::Range;

use serde_json::{Value, json};
use treegraft::parse::{Node, Parsed};
use treegraft::source::Span;

use crate::replay::baseline::{replaced, unique_lines};
use crate::replay::calls::{Call, Outcome, Target, bytes, position_name, run};
use crate::replay::content::{Written, at_column_zero, contents, inserted};
use crate::replay::history::{Commit, Hunk, Revision, hunks};
use crate::replay::meaning::{HunkOperation, Skip, interpret, skipped_at_once, trimmed};
use crate::replay::parse;
use crate::replay::pointing::{Tries, Way, selectors, written};
use crate::replay::text::{several_edits, text_edits};

use super::forms::{Site, dedented};
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
    /// The one call, and what the caller needs to know about it if it was not exact.
    pub(super) call: Call,
    pub(super) detail: String,
    /// The cost with treegraft; nothing if not all of the commit can be made exactly.
    pub(super) ours: Option<Cost>,
    pub(super) strings: Cost,
    /// How many lines of context each string replacement needs.
    pub(super) context: Vec<usize>,
}

/// One way to make a hunk: entries of an `edit_nodes`, and if there is one, the call of its own tool.
#[derive(Clone)]
pub(crate) struct Candidate<'p> {
    pub(crate) entries: Vec<Value>,
    /// The bytes of the old text that are selected.
    pub(crate) target: Span,
    /// What a call must select to be right.
    pub(crate) nodes: Option<Vec<Node<'p>>>,
    call: Call,
    bytes: usize,
}

impl Candidate<'_> {
    /// What the call does alone.
    pub(crate) fn outcome(&self, before: &Parsed, wanted: &Parsed) -> Outcome {
        let target = match &self.nodes {
            Some(nodes) => Target::Nodes(nodes.clone()),
            None => Target::Text(self.target),
        };
        run(before, wanted.source().text(), &self.call, &target).outcome
    }

    /// The same content with `indent: "verbatim"`.
    fn verbatim(&self) -> Option<Self> {
        let [entry] = &self.entries[..] else {
            return None;
        };
        let mut own = self.clone();
        own.call.arguments["indent"] = json!("verbatim");
        let mut entry = entry.clone();
        entry["indent"] = json!("verbatim");
        own.entries = vec![entry];
        Some(own)
    }

    /// The same insertion with some numbers of blank lines on each side.
    fn with_blank_lines(&self) -> Vec<Self> {
        const MOST: usize = 2;
        if self.call.tool != "insert_node" {
            return Vec::new();
        }
        let sides = (0..=MOST).flat_map(|before| (0..=MOST).map(move |after| (before, after)));
        let given = sides.map(|(before, after)| {
            let blank_lines = json!({"before": before, "after": after});
            let mut own = self.clone();
            own.call.arguments["blank_lines"] = blank_lines.clone();
            own.entries[0]["blank_lines"] = blank_lines;
            own
        });
        given.collect()
    }
}

/// Makes a commit in both ways, with one edit for each place; nothing if it is too large, or changes what every edit
/// keeps. `strings` returns the node types of a language whose lines keep their bytes, `confirmation` is the size in
/// bytes of the answer to a string replacement.
pub(super) fn make(
    commit: &Commit,
    strings: &mut dyn FnMut(&str) -> HashSet<String>,
    confirmation: usize,
) -> Result<Option<Made>, String> {
    let is_large = |place: &Place| place.hunk.lines.0.max(place.hunk.lines.1) > MOST_LINES;
    let mut count = 0;
    for file in &commit.files {
        let places = places(file);
        count += places.len();
        if count > MOST_PLACES || places.iter().any(is_large) || is_framed(file) {
            return Ok(None);
        }
    }
    let (by_strings, context) = by_strings(commit, confirmation);
    let Some(chosen) = shortest(commit, strings) else {
        return Ok(None);
    };
    let project = Project::new()?;
    for file in &commit.files {
        project.write(&file.path, &file.before)?;
    }
    let mut ours = Cost::default();
    let first = one_call(commit, &chosen);
    let answered = call(&project, first.tool, &first.arguments, &mut ours);
    let (one_call, detail) = match answered.code {
        Some(code) => (OneCall::Refused(code), answered.text.clone()),
        None => {
            let detail = difference_of(commit, &project)?;
            match detail.is_empty() {
                true => (OneCall::Exact, detail),
                false => (OneCall::Wrong, detail),
            }
        }
    };
    let code = match one_call {
        OneCall::Refused(_) => amended(commit, &project, &chosen, &answered, &mut ours, strings),
        _ => None,
    };
    if code.is_none() {
        correct(&rest_of(commit, &project)?, &project, &mut ours, strings);
    }
    let rest = rest_of(commit, &project)?;
    let ours = match rest.files.is_empty() {
        true => Some(ours),
        false => one_by_one(&rest, strings)?.map(|further| {
            ours.add(further);
            ours
        }),
    };
    Ok(Some(Made {
        places: count,
        one_call,
        call: first,
        detail,
        ours,
        strings: by_strings,
        context,
    }))
}

/// Changes of a file that are close to each other.
pub(crate) struct Place {
    /// All of them at once, with the lines between them.
    pub(crate) hunk: Hunk,
    /// Each of them.
    parts: Vec<Hunk>,
}

/// The changes of a file by place, in file order.
pub(crate) fn places(file: &Revision) -> Vec<Place> {
    let mut places: Vec<Place> = Vec::new();
    for hunk in &file.hunks {
        let between = |last: &Place| &file.before[last.hunk.old.end..hunk.old.start];
        match places.last_mut() {
            Some(last) if between(last).matches('\n').count() <= NEAR => {
                let between = between(last).to_string();
                let count = between.matches('\n').count();
                last.hunk.new.push_str(&between);
                last.hunk.new.push_str(&hunk.new);
                last.hunk.old.end = hunk.old.end;
                last.hunk.lines.0 += count + hunk.lines.0;
                last.hunk.lines.1 += count + hunk.lines.1;
                last.parts.push(hunk.clone());
            }
            _ => places.push(Place {
                hunk: hunk.clone(),
                parts: vec![hunk.clone()],
            }),
        }
    }
    places
}

/// How a change is made in the one call.
struct Chosen {
    hunk: Hunk,
    /// The bytes of the old text that are selected.
    target: Range<usize>,
    entries: Vec<Value>,
    /// The call of its own tool.
    call: Call,
    bytes: usize,
}

/// The shortest entries for each file of a commit; nothing if a place has none.
fn shortest(
    commit: &Commit,
    strings: &mut dyn FnMut(&str) -> HashSet<String>,
) -> Option<Vec<Vec<Chosen>>> {
    let files = commit.files.iter();
    files.map(|file| shortest_entries(file, strings)).collect()
}

/// The shortest entries for each place of a file, for all of its changes at once or for each, which do not overlap;
/// nothing if a place has none.
fn shortest_entries(
    file: &Revision,
    strings: &mut dyn FnMut(&str) -> HashSet<String>,
) -> Option<Vec<Chosen>> {
    let before = parse(&file.path, &file.before);
    let strings = strings(before.source().language().name);
    let choose = |hunks: &[Hunk], others: &[Range<usize>]| {
        let mut taken: Vec<_> = hunks.iter().map(|hunk| hunk.old.clone()).collect();
        let mut chosen = Vec::new();
        for (index, hunk) in hunks.iter().enumerate() {
            let wanted = parse(&file.path, &with_hunk(&file.before, hunk));
            let candidates = candidates(&file.path, &before, &wanted, hunk, &strings);
            taken.remove(index);
            let best = candidates.into_iter().find(|candidate| {
                let mut others = others.iter().chain(&taken);
                !others.any(|other| overlap(candidate.target.range(), other))
            })?;
            taken.insert(index, best.target.range());
            chosen.push(Chosen {
                hunk: hunk.clone(),
                target: best.target.range(),
                entries: best.entries,
                call: best.call,
                bytes: best.bytes,
            });
        }
        Some(chosen)
    };
    let places = places(file);
    let mut taken: Vec<Vec<_>> = places
        .iter()
        .map(|one| vec![one.hunk.old.clone()])
        .collect();
    let mut chosen = Vec::new();
    for (index, place) in places.iter().enumerate() {
        taken[index].clear();
        let others = taken.concat();
        let at_once = choose(std::slice::from_ref(&place.hunk), &others);
        // Lines that only change their indentation belong to what is around them.
        let is_blank =
            |hunk: &Hunk| skipped_at_once(before.source().text(), hunk) == Some(Skip::Blank);
        let each =
            Some(&place.parts).filter(|parts| parts.len() > 1 && !parts.iter().any(is_blank));
        let each = each.and_then(|parts| choose(parts, &others));
        let size = |all: &Vec<Chosen>| all.iter().map(|one| one.bytes).sum::<usize>();
        let best = at_once.into_iter().chain(each).min_by_key(size)?;
        taken[index].extend(best.iter().map(|one| one.target.clone()));
        chosen.extend(best);
    }
    Some(chosen)
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

/// Amends a refused call, as a caller does that reads the refusal: `amend_edit` changes the entries that do not make their
/// place alone. While a check still refuses the call, it is amended again with `allow`. Returns the code of the last
/// refusal; nothing if the edit is written.
fn amended(
    commit: &Commit,
    project: &Project,
    chosen: &[Vec<Chosen>],
    answered: &Answered,
    cost: &mut Cost,
    strings: &mut dyn FnMut(&str) -> HashSet<String>,
) -> Option<&'static str> {
    let mut code = answered.code;
    let Some(id) = edit_id(&answered.text) else {
        return code;
    };
    let amendments = amendments(commit, chosen, strings).unwrap_or_default();
    if !amendments.is_empty() {
        let arguments = json!({"edit_id": id, "edits": amendments, "apply": true});
        code = call(project, "amend_edit", &arguments, cost).code;
    }
    let mut allowed = Vec::new();
    while let Some(allow) = code.and_then(allowing)
        && !allowed.contains(&allow)
    {
        allowed.push(allow);
        let arguments = json!({"edit_id": id, "allow": allowed, "apply": true});
        code = call(project, "amend_edit", &arguments, cost).code;
    }
    code
}

/// What a commit still changes in the files of a project.
fn rest_of(commit: &Commit, project: &Project) -> Result<Commit, String> {
    let mut files = Vec::new();
    for file in &commit.files {
        let (wanted, before) = (with_hunks(file), project.read(&file.path)?);
        if wanted != before {
            files.push(Revision {
                commit: file.commit.clone(),
                path: file.path.clone(),
                hunks: hunks(&before, &wanted),
                before,
            });
        }
    }
    Ok(Commit {
        id: commit.id.clone(),
        files,
    })
}

/// Makes the rest of a commit by one more call, amended if it is refused, as a caller does that reads what the first one
/// wrote.
fn correct(
    rest: &Commit,
    project: &Project,
    cost: &mut Cost,
    strings: &mut dyn FnMut(&str) -> HashSet<String>,
) {
    let chosen = shortest(rest, strings);
    if let Some(chosen) = chosen.filter(|_| !rest.files.is_empty()) {
        let further = one_call(rest, &chosen);
        let answered = call(project, further.tool, &further.arguments, cost);
        if answered.code.is_some() {
            amended(rest, project, &chosen, &answered, cost, strings);
        }
    }
}

/// What `allow` names for the check with this code.
fn allowing(code: &str) -> Option<&'static str> {
    match code {
        "breaks_syntax" => Some("syntax_errors"),
        "changes_surroundings" => Some("surroundings"),
        "suspicious_content" => Some("suspicious_content"),
        _ => None,
    }
}

/// The id of the edit that an answer or a refusal names.
fn edit_id(answer: &str) -> Option<&str> {
    const LENGTH: usize = 13;
    let is_id = |word: &&str| {
        let digits = word.strip_prefix('e');
        word.len() == LENGTH
            && digits.is_some_and(|digits| digits.chars().all(|c| c.is_ascii_hexdigit()))
    };
    answer
        .split(|c: char| !c.is_ascii_alphanumeric())
        .rfind(is_id)
}

/// The amendments that replace each entry that does not make its place alone by one that does; nothing if a place has
/// none, or several.
fn amendments(
    commit: &Commit,
    chosen: &[Vec<Chosen>],
    strings: &mut dyn FnMut(&str) -> HashSet<String>,
) -> Option<Vec<Value>> {
    let mut all = Vec::new();
    let mut index = 0;
    for (file, chosen) in commit.files.iter().zip(chosen) {
        let before = parse(&file.path, &file.before);
        let strings = strings(before.source().language().name);
        for one in chosen {
            let wanted = parse(&file.path, &with_hunk(&file.before, &one.hunk));
            let candidates = candidates(&file.path, &before, &wanted, &one.hunk, &strings);
            let makes = |candidate: &Candidate<'_>| candidate.outcome(&before, &wanted);
            let own = candidates
                .iter()
                .find(|candidate| candidate.entries == one.entries)?;
            let is_passing = matches!(makes(own), Outcome::Exact | Outcome::RightRefused(_));
            if !is_passing {
                let given = own.with_blank_lines();
                let verbatim: Vec<_> = candidates.iter().filter_map(Candidate::verbatim).collect();
                let mut ways = given.iter().chain(&candidates).chain(&verbatim);
                let other = ways.find(|candidate| {
                    candidate.entries.len() == 1 && makes(candidate) == Outcome::Exact
                });
                let (Some(other), 1) = (other, one.entries.len()) else {
                    return None;
                };
                let mut entry = changed_fields(&one.entries[0], &other.entries[0]);
                entry["edit_index"] = json!(index);
                all.push(entry);
            }
            index += one.entries.len();
        }
    }
    Some(all)
}

/// The operation of an entry: what `op` contains, or what follows from the other fields.
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

/// The fields of `new` that `old` does not have. An entry with another target is sent as a whole.
fn changed_fields(old: &Value, new: &Value) -> Value {
    let (Some(was), Some(now)) = (old.as_object(), new.as_object()) else {
        return new.clone();
    };
    let is_same_target = operation(old) == operation(new)
        && ["selector", "find"]
            .iter()
            .all(|name| was.get(*name) == now.get(*name));
    let mut changed = now.clone();
    if is_same_target {
        changed.retain(|name, value| was.get(name) != Some(value));
    } else {
        changed.insert("op".to_string(), json!(operation(new)));
    }
    Value::Object(changed)
}

/// Whether a commit changes the final newline, the byte order mark or the kind of newlines of a file.
pub(crate) fn is_framed(file: &Revision) -> bool {
    let (old, new) = (&file.before, with_hunks(file));
    let returns = |text: &str| text.contains("\r\n");
    old.ends_with('\n') != new.ends_with('\n')
        || old.starts_with('\u{feff}') != new.starts_with('\u{feff}')
        || returns(old) != returns(&new)
}

/// The one call, for a single edit that of its own tool. A file is named where it is not that of the edit before.
fn one_call(commit: &Commit, chosen: &[Vec<Chosen>]) -> Call {
    let mut all = Vec::new();
    for (file, own) in commit.files.iter().zip(chosen) {
        let mut named = Some(&file.path);
        for entry in own.iter().flat_map(|one| &one.entries) {
            let mut entry = entry.clone();
            if let Some(path) = named.take() {
                entry["file_path"] = json!(path);
            }
            all.push(entry);
        }
    }
    let mut chosen = chosen.iter().flatten();
    let mut call = match (chosen.next(), all.len()) {
        (Some(only), 1) => only.call.clone(),
        _ => Call {
            tool: "edit_nodes",
            arguments: json!({"edits": all}),
        },
    };
    call.arguments["apply"] = json!(true);
    call
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
            let exact = candidates
                .iter()
                .find(|candidate| candidate.outcome(&before, &wanted) == Outcome::Exact);
            let wanted = wanted.source().text();
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

/// The ways to make a hunk: the operation that the replay finds best, then the others, the shortest first.
pub(crate) fn best_first<'p>(
    path: &str,
    before: &'p Parsed,
    wanted: &'p Parsed,
    hunk: &Hunk,
    strings: &HashSet<String>,
) -> Vec<Candidate<'p>> {
    let mut all = candidates(path, before, wanted, hunk, strings);
    let best = match interpret(before, wanted, hunk) {
        Ok(meaning) => of_node(path, before, wanted, &meaning.best, strings),
        Err(_) => None,
    };
    match best {
        Some(best) => all.sort_by_key(|candidate| candidate.entries != best.entries),
        None => all.sort_by_key(|candidate| candidate.nodes.is_some()),
    }
    all
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
    // In one line a caller names the words that change, otherwise whole lines, at column 0 or as in the file, or the
    // point where lines are added.
    let is_one_line = hunk.lines == (1, 1);
    for edit in text_edits(before, new, hunk) {
        let is_natural = match edit.way {
            Way::Lines => true,
            // A find that starts within a line leaves its first line where it is.
            Way::Elided => keeps_margin(&old[hunk.old.clone()], &hunk.new),
            Way::Point => is_one_line || hunk.lines.0 == 0,
            Way::LeastText | Way::Marked | Way::ElidedLeast => is_one_line,
            _ => false,
        };
        if !is_natural {
            continue;
        }
        let find = match edit.way {
            Way::Elided => Some(edit.find.clone()),
            Way::Lines => {
                let margin = edit.find.len() - edit.find.trim_start_matches([' ', '\t']).len();
                dedented(&edit.find, &edit.find[..margin])
            }
            _ => None,
        };
        let zero = at_column_zero(wanted, edit.start, &edit.new_content, strings);
        if let (Some(find), Some((_, zero))) = (find, zero) {
            add_text(vec![(find, zero)], edit.target);
        }
        add_text(vec![(edit.find, edit.new_content)], edit.target);
    }
    // Of lines that stay the same number, it names the words that change in each.
    if hunk.lines.0 == hunk.lines.1
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

/// Whether the first lines of two texts have the same indentation.
fn keeps_margin(old: &str, new: &str) -> bool {
    let margin = |text: &str| text.len() - text.trim_start_matches([' ', '\t']).len();
    old[..margin(old)] == new[..margin(new)]
}

/// An operation on a node, with the shortest selector and content at column 0 where it can be.
fn of_node<'p>(
    path: &str,
    before: &'p Parsed,
    wanted: &'p Parsed,
    meant: &HunkOperation<'p>,
    strings: &HashSet<String>,
) -> Option<Candidate<'p>> {
    let (tool, named, chain, mut further, contents) = match meant {
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
    let mut entry = json!({"selector": selector});
    for (name, value) in &further {
        entry[*name] = value.clone();
    }
    if operation(&entry) != named {
        entry["op"] = json!(named);
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

/// The cost of exact string replacements, for each place the shortest, and the lines of context that they need.
fn by_strings(commit: &Commit, confirmation: usize) -> (Cost, Vec<usize>) {
    let mut cost = Cost::default();
    let mut context = Vec::new();
    for file in &commit.files {
        let mut text = file.before.clone();
        for place in places(file).iter().rev() {
            let ways = [std::slice::from_ref(&place.hunk), &place.parts]
                .map(|hunks| string_calls(&file.path, &text, hunks));
            let size = |calls: &Vec<(usize, usize)>| calls.iter().map(|call| call.0).sum::<usize>();
            for (sent, lines) in ways.into_iter().min_by_key(size).into_iter().flatten() {
                context.push(lines);
                cost.add(Cost {
                    calls: 1,
                    sent,
                    received: confirmation,
                });
            }
            text = with_hunk(&text, &place.hunk);
        }
    }
    (cost, context)
}

/// The size of the arguments and the lines of context of the string replacements of some hunks.
fn string_calls(path: &str, text: &str, hunks: &[Hunk]) -> Vec<(usize, usize)> {
    let replacements = string_replacements(text, hunks).into_iter();
    let calls = replacements
        .zip(hunks.iter().rev())
        .map(|([old, new], hunk)| {
            let context = old.lines().count().saturating_sub(hunk.lines.0);
            let arguments = json!({"file_path": path, "old_string": old, "new_string": new});
            (bytes(&arguments), context)
        });
    calls.collect()
}

/// An exact string replacement for each hunk of a text, old and new text, from the last hunk to the first, so that the
/// places of the others stay.
pub(crate) fn string_replacements(before: &str, hunks: &[Hunk]) -> Vec<[String; 2]> {
    let mut text = before.to_string();
    let mut all = Vec::new();
    for hunk in hunks.iter().rev() {
        let wanted = with_hunk(&text, hunk);
        let own = unique_lines(&text, &wanted, hunk).unwrap_or(0..text.len());
        all.push([text[own.clone()].to_string(), replaced(&text, &wanted, own)]);
        text = wanted;
    }
    all
}

/// A text with one hunk made.
pub(crate) fn with_hunk(text: &str, hunk: &Hunk) -> String {
    let (before, after) = (&text[..hunk.old.start], &text[hunk.old.end..]);
    format!("{before}{}{after}", hunk.new)
}

/// The text of a file after its commit.
fn with_hunks(file: &Revision) -> String {
    let hunks = file.hunks.iter().rev();
    hunks.fold(file.before.clone(), |text, hunk| with_hunk(&text, hunk))
}

/// Whether two ranges have a byte in common, or one of them is empty and inside the other.
pub(crate) fn overlap(one: Range<usize>, other: &Range<usize>) -> bool {
    one.start < other.end && other.start < one.end
}
