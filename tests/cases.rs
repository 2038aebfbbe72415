//! Every folder of `cases/` through the engine, as a snapshot of the whole answer.
//!
//! Beside the snapshot each case is held to the promises: a preview writes nothing; applying
//! writes what the diff says; outside of the target no byte changes; every suggestion resolves.

#![expect(clippy::disallowed_methods, reason = "cases are files")]

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::{Answered, Bench, is_of_left_out, patched, resolved, steady};

#[test]
fn every_case_answers_as_reviewed() {
    insta::glob!("cases/*/*/request.json", |path| {
        if is_of_left_out(path) {
            return;
        }
        let case = Case::read(path);
        let bench = Bench::with(&case.file_name, &case.before);
        let answer = bench.call(&case.tool, case.arguments.clone());
        let text = match &answer {
            Ok(answered) => {
                if answered.json.get("edit_id").is_some() {
                    check_edit(&bench, &case, answered);
                }
                answered.text.clone()
            }
            Err(refusal) => {
                assert_eq!(bench.read(&case.file_name), case.before.as_bytes());
                // As they stand in the text: somebody copies them from there.
                let text = refusal.text();
                let copied: Vec<(&str, Value)> = text.lines().filter_map(call_in).collect();
                assert!(copied.len() >= refusal.suggestions().len().min(1), "{text}");
                for (tool, arguments) in copied {
                    if let Err(again) = bench.call(tool, arguments) {
                        assert!(
                            resolved(again.code()),
                            "a suggestion is refused: {}",
                            again.text()
                        );
                    }
                }
                text
            }
        };
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path("../snapshots");
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.bind(|| insta::assert_snapshot!("case", steady(&text)));
    });
}

/// The call that a line of a refusal holds.
fn call_in(line: &str) -> Option<(&str, Value)> {
    let (tool, arguments) = line.strip_prefix("  ")?.split_once(' ')?;
    let is_tool = tool.contains('_') || ["outline", "locate", "describe"].contains(&tool);
    let arguments = is_tool.then(|| serde_json::from_str(arguments).ok())?;
    Some((tool, arguments?))
}

/// A folder of `cases/`: a file and a call about it.
pub(crate) struct Case {
    pub(crate) tool: String,
    pub(crate) arguments: Value,
    pub(crate) file_name: String,
    pub(crate) before: String,
}

impl Case {
    pub(crate) fn read(request: &Path) -> Case {
        let folder = request.parent().expect("a case has a folder");
        let mut files = fs::read_dir(folder)
            .expect("a case's folder can be read")
            .map(|entry| entry.expect("a folder's entries can be read").path());
        let before = files
            .find(|path| path.file_stem().is_some_and(|stem| stem == "before"))
            .expect("a case has a file before");
        let file_name = before
            .file_name()
            .expect("a file has a name")
            .to_string_lossy()
            .into_owned();
        let request: Value =
            serde_json::from_slice(&fs::read(request).expect("a request can be read"))
                .expect("a request is JSON");
        let mut arguments = request["arguments"].clone();
        if arguments.get("path").is_some() {
            arguments["path"] = Value::from(file_name.as_str());
        } else if arguments.get("locate").is_none() {
            arguments["file_path"] = Value::from(file_name.as_str());
        }
        Case {
            tool: request["tool"]
                .as_str()
                .expect("a request names its tool")
                .to_string(),
            arguments,
            before: fs::read_to_string(before).expect("a case's file is text"),
            file_name,
        }
    }
}

fn check_edit(bench: &Bench, case: &Case, answered: &Answered) {
    let before = case.before.as_str();
    assert_eq!(
        bench.read(&case.file_name),
        before.as_bytes(),
        "a preview writes nothing"
    );
    let file = &answered.json["files"][0];
    let arguments = serde_json::json!({"edit_id": answered.json["edit_id"]});
    bench
        .call("apply_edit", arguments)
        .expect("a preview can be applied");
    let after = String::from_utf8(bench.read(&case.file_name)).expect("the file stays UTF-8");
    let diff = file["diff"].as_str().expect("an edit has a diff");
    assert_eq!(
        after,
        patched(before, diff),
        "what is written is what was shown"
    );

    match case.tool.as_str() {
        "move_node" => return check_only_moves(before, &after),
        "insert_node" | "delete_node" | "wrap_node" => {
            return check_only_adds_or_only_takes(&case.tool, before, &after);
        }
        _ => {}
    }
    let byte = |range: &str, end: &str| {
        file[range][end]["byte"]
            .as_u64()
            .expect("a range is in bytes too") as usize
    };
    if case.tool == "replace_text" {
        // The line break of a line that goes may go with it.
        let outside = |text: &str, range: &str| {
            let (ahead, behind) = (&text[..byte(range, "start")], &text[byte(range, "end")..]);
            (
                ahead.trim_end().to_string(),
                behind.trim_start().to_string(),
            )
        };
        assert_eq!(outside(before, "range"), outside(&after, "new_range"));
        return;
    }
    // Around part of a string the whitespace that the grammar leaves out may be replaced with it.
    let tail = &after[byte("new_range", "end")..];
    let end = before.strip_suffix(tail).map(str::len);
    let end = end.expect("nothing changes after the target");
    let replaced = before.get(byte("range", "end")..end);
    assert!(replaced.unwrap_or_default().trim().is_empty());
    let attached = answered.text.contains("note: replaced the nodes attached");
    if !attached {
        // A comment that the node starts with may stay.
        let ahead = byte("new_range", "start");
        assert_eq!(
            before[..ahead],
            after[..ahead],
            "nothing changes before the new text"
        );
        let replaced = before.get(ahead..byte("range", "start"));
        assert!(replaced.unwrap_or_default().trim().is_empty());
    }
}

/// White space and separators aside, a move leaves the characters that were there.
fn check_only_moves(before: &str, after: &str) {
    let sorted = |text: &str| {
        let mut all: Vec<char> = text.chars().collect();
        all.retain(|c| !c.is_whitespace() && *c != ',' && *c != ';');
        all.sort_unstable();
        all
    };
    assert_eq!(sorted(before), sorted(after), "a move lost or made text");
}

/// White space aside, an insertion leaves every character where it was among the others, and a
/// deletion brings none in.
fn check_only_adds_or_only_takes(tool: &str, before: &str, after: &str) {
    let (whole, part) = match tool {
        "insert_node" | "wrap_node" => (after, before),
        _ => (before, after),
    };
    let mut rest = whole.chars();
    for c in part.chars().filter(|c| !c.is_whitespace()) {
        assert!(rest.any(|other| other == c), "{tool} lost or moved {c:?}");
    }
}
