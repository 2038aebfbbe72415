//! Makes whole commits: by one call, and by exact string replacement.

use std::ops::Range;

use serde_json::{Value, json};

use crate::change::candidates::{Candidate, candidates, operation};
use crate::change::{ALLOW, Call, Site, Strings, bytes, parse};
use crate::history::{Commit, Hunk, MOST_PLACES, Revision, hunks};
use crate::project::{Answered, Project};
use crate::text::{diff, replaced, unique_lines};

/// The size in bytes of the answer to a string replacement.
const CONFIRMATION: usize = 64;

/// Calls with the bytes of their arguments and of the text that they answer.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cost {
    pub(super) calls: usize,
    pub(super) sent: usize,
    pub(super) received: usize,
}

impl Cost {
    fn add(&mut self, sent: usize, received: usize) {
        self.calls += 1;
        self.sent += sent;
        self.received += received;
    }
}

/// A commit that was made, place by place.
pub(super) struct Made {
    pub(super) places: usize,
    /// What the first call did: `exact`, `wrong`, or `refused` with a code.
    pub(super) outcome: &'static str,
    pub(super) code: &'static str,
    /// The call, and how the files differ or the refusal.
    pub(super) example: String,
    /// Whether the files have the bytes of the commit in the end.
    pub(super) is_made: bool,
    pub(super) ours: Cost,
    /// The same calls, if all edits are made by `edit_nodes`.
    pub(super) lean: Cost,
    pub(super) strings: Cost,
}

/// Makes a commit in both ways; nothing if it is too large, or changes what every edit keeps, or a place has no edit.
///
/// The one call has the shortest entries for each place. If it is refused, the caller applies it again by `amend_edit`, with
/// every check allowed to fail. If bytes still differ, it makes the rest with one more call, whose entries make their place
/// exactly.
///
/// # Errors
/// Returns an error if a temporary directory cannot be used.
pub(super) fn make(commit: &Commit, strings: &mut Strings) -> Result<Option<Made>, String> {
    let places = commit.files.iter().map(|file| file.places().len()).sum();
    if places > MOST_PLACES || commit.files.iter().any(|file| file.left_out().is_some()) {
        return Ok(None);
    }
    let Some(chosen) = chosen(&commit.files, strings, false) else {
        return Ok(None);
    };
    let project = Project::empty()?;
    for file in &commit.files {
        project.write(&file.path, &file.before)?;
    }
    let mut costs = Costs::default();
    let call = one_call(&commit.files, &chosen);
    let answered = made(&project, &call, &mut costs);
    let mut rest = rest(&commit.files, &project)?;
    let (outcome, detail) = match answered.code {
        Some(_) => ("refused", answered.text),
        None if rest.is_empty() => ("exact", String::new()),
        None => {
            let differences = rest.iter().map(|file| diff(&file.after(), &file.before));
            ("wrong", differences.collect())
        }
    };
    if answered.code.is_some() {
        let edit_id = &answered.json["error"]["edit_id"];
        let arguments = json!({"edit_id": edit_id, "allow": ALLOW, "apply": true});
        let tool = "amend_edit";
        made(&project, &Call { tool, arguments }, &mut costs);
        rest = self::rest(&commit.files, &project)?;
    }
    if let Some(chosen) = self::chosen(&rest, strings, true).filter(|_| !rest.is_empty()) {
        let mut call = one_call(&rest, &chosen);
        call.arguments["allow"] = json!(ALLOW);
        made(&project, &call, &mut costs);
    }
    Ok(Some(Made {
        places,
        outcome,
        code: answered.code.unwrap_or_default(),
        example: format!("{} {}\n{detail}", call.tool, call.arguments),
        is_made: self::rest(&commit.files, &project)?.is_empty(),
        ours: costs.ours,
        lean: costs.lean,
        strings: by_strings(commit),
    }))
}

/// The costs of the same calls with all tools, and with `edit_nodes` alone.
#[derive(Default)]
struct Costs {
    ours: Cost,
    lean: Cost,
}

/// Makes a call and adds what it costs.
fn made(project: &Project, call: &Call, costs: &mut Costs) -> Answered {
    let answered = project.call(call.tool, &call.arguments);
    let received = answered.text.len();
    costs.ours.add(bytes(&call.arguments), received);
    costs.lean.add(bytes(&as_edit_nodes(call)), received);
    answered
}

/// Returns the arguments of the call as one of `edit_nodes`.
fn as_edit_nodes(call: &Call) -> Value {
    let Some(operation) = call
        .tool
        .strip_suffix("_node")
        .or_else(|| call.tool.strip_suffix("_text"))
    else {
        return call.arguments.clone();
    };
    let mut entry = call.arguments.clone();
    let mut arguments = json!({});
    if let Some(fields) = entry.as_object_mut() {
        if operation != "replace" {
            fields.insert("op".to_string(), json!(operation));
        }
        for shared in ["apply", "allow"] {
            if let Some(value) = fields.shift_remove(shared) {
                arguments[shared] = value;
            }
        }
    }
    arguments["edits"] = json!([entry]);
    arguments
}

/// Returns what a commit still changes in the files of a project.
fn rest(files: &[Revision], project: &Project) -> Result<Vec<Revision>, String> {
    let mut rest = Vec::new();
    for file in files {
        let (wanted, before) = (file.after(), project.read(&file.path)?);
        if wanted != before {
            rest.push(Revision {
                commit: file.commit.clone(),
                path: file.path.clone(),
                hunks: hunks(&before, &wanted),
                before,
            });
        }
    }
    Ok(rest)
}

/// Returns the shortest edits for each place of some files, which do not overlap; nothing if a place has none. With
/// `is_exact` each makes its change exactly.
fn chosen(
    files: &[Revision],
    strings: &mut Strings,
    is_exact: bool,
) -> Option<Vec<Vec<Candidate>>> {
    let files = files.iter();
    files.map(|file| of_file(file, strings, is_exact)).collect()
}

fn of_file(file: &Revision, strings: &mut Strings, is_exact: bool) -> Option<Vec<Candidate>> {
    let before = parse(&file.path, &file.before);
    let strings = strings.for_file(&before);
    let places = file.places();
    let mut taken: Vec<_> = places.iter().map(|place| place.hunk.old.clone()).collect();
    let mut chosen = Vec::new();
    for (index, place) in places.iter().enumerate() {
        taken[index] = 0..0;
        let edits = |hunks: Vec<Hunk>| {
            let mut own: Vec<_> = hunks.iter().map(|hunk| hunk.old.clone()).collect();
            own.extend(taken.iter().cloned());
            let mut edits = Vec::new();
            for (index, hunk) in hunks.iter().enumerate() {
                let wanted = parse(&file.path, &hunk.made(&file.before));
                let site = Site {
                    path: &file.path,
                    before: &before,
                    wanted: &wanted,
                    hunk,
                    strings,
                };
                let edit = shortest(&site, index, &own, is_exact)?;
                own[index] = edit.target.range();
                edits.push(edit);
            }
            Some(edits)
        };
        let parts = place
            .parts
            .iter()
            .flat_map(|part| part.by_line(&file.before));
        let parts: Vec<Hunk> = parts.collect();
        // Lines that only change their whitespace belong to what is around them.
        let is_split = parts.len() > 1 && !parts.iter().any(|part| part.is_blank(&file.before));
        let ways = [vec![place.hunk.clone()], place.parts.clone(), parts];
        let ways = ways.into_iter().take(if is_split { 3 } else { 1 });
        let size = |edits: &Vec<Candidate>| edits.iter().map(Candidate::bytes).sum::<usize>();
        let best = ways.filter_map(edits).min_by_key(size)?;
        let start = best.iter().map(|edit| edit.target.start()).min()?;
        let end = best.iter().map(|edit| edit.target.end()).max()?;
        taken[index] = start..end;
        chosen.extend(best);
    }
    Some(chosen)
}

/// Returns the shortest edit of a hunk that changes nothing that others than the one at `index` change.
fn shortest(
    site: &Site<'_>,
    index: usize,
    taken: &[Range<usize>],
    is_exact: bool,
) -> Option<Candidate> {
    let mut all = candidates(site);
    if is_exact {
        all.extend(all.iter().map(Candidate::verbatim).collect::<Vec<_>>());
    }
    all.into_iter().find(|candidate| {
        candidate.is_free(index, taken) && (!is_exact || candidate.is_exact(site))
    })
}

/// Returns the one call, for a single edit that of its own tool. A file is named where it is not that of the edit before.
fn one_call(files: &[Revision], chosen: &[Vec<Candidate>]) -> Call {
    let mut all: Vec<Value> = Vec::new();
    for (file, own) in files.iter().zip(chosen) {
        let mut named = Some(&file.path);
        for one in own {
            let mut entry = one.entry.clone();
            if let Some(path) = named.take() {
                entry["file_path"] = json!(path);
            }
            all.push(entry);
        }
    }
    let mut call = match &mut all[..] {
        [entry] => {
            let tool = match operation(entry) {
                "insert" => "insert_node",
                "delete" => "delete_node",
                "replace_text" => "replace_text",
                _ => "replace_node",
            };
            let mut arguments = entry.take();
            if let Some(fields) = arguments.as_object_mut() {
                fields.remove("op");
            }
            Call { tool, arguments }
        }
        _ => Call {
            tool: "edit_nodes",
            arguments: json!({"edits": all}),
        },
    };
    call.arguments["apply"] = json!(true);
    call
}

/// Returns the cost of exact string replacements: one for each place, or for each of its hunks if that is shorter.
fn by_strings(commit: &Commit) -> Cost {
    let mut cost = Cost::default();
    for file in &commit.files {
        let mut text = file.before.clone();
        for place in file.places().iter().rev() {
            let calls = |hunks: &[Hunk]| -> Vec<usize> {
                let all = string_replacements(&text, hunks).into_iter();
                let path = &file.path;
                all.map(
                    |[old, new]| json!({"file_path": path, "old_string": old, "new_string": new}),
                )
                .map(|arguments| bytes(&arguments))
                .collect()
            };
            let ways = [
                calls(std::slice::from_ref(&place.hunk)),
                calls(&place.parts),
            ];
            let shortest = ways.into_iter().min_by_key(|way| way.iter().sum::<usize>());
            for sent in shortest.into_iter().flatten() {
                cost.add(sent, CONFIRMATION);
            }
            text = place.hunk.made(&text);
        }
    }
    cost
}

/// Returns an exact string replacement for each hunk of a text, old and new text, from the last hunk to the first, so that
/// the places of the others stay.
pub(crate) fn string_replacements(before: &str, hunks: &[Hunk]) -> Vec<[String; 2]> {
    let mut text = before.to_string();
    let mut all = Vec::new();
    for hunk in hunks.iter().rev() {
        let wanted = hunk.made(&text);
        let own = unique_lines(&text, &wanted, hunk).unwrap_or(0..text.len());
        all.push([text[own.clone()].to_string(), replaced(&text, &wanted, own)]);
        text = wanted;
    }
    all
}
