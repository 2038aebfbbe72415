//! Codex: `PreToolUse` of `apply_patch` (<https://developers.openai.com/codex/hooks>).
//!
//! A patch names its files and has hunks of lines instead of strings. The client finds lines whose whitespace differs by
//! itself, so only syntax errors are denied.

use serde_json::{Value, json};
use treegraft::string_edit::StringEdit;

use super::absolute;
use super::event::{Decision, EditCall, Event, FileChange, FileEdit, Protocol};

pub(super) struct Codex;

impl Protocol for Codex {
    fn event(&self, value: &Value) -> Option<Event> {
        match value["hook_event_name"].as_str()? {
            "PreToolUse" => call(value).map(Event::Before),
            _ => None,
        }
    }

    fn answer(&self, event: &Value, decision: Decision) -> Option<Value> {
        let mut output = json!({"hookEventName": event["hook_event_name"]});
        match decision {
            Decision::Pass | Decision::Correct { .. } => return None,
            Decision::Inform(text) => output["additionalContext"] = text.into(),
            Decision::Deny(reason) => {
                output["permissionDecision"] = "deny".into();
                output["permissionDecisionReason"] = reason.into();
            }
        }
        Some(json!({"hookSpecificOutput": output}))
    }

    fn input(&self, _call: &EditCall, _edits: &[StringEdit]) -> Option<Value> {
        None
    }

    fn finds_similar(&self) -> bool {
        true
    }

    fn needs_unique(&self) -> bool {
        false
    }
}

fn call(event: &Value) -> Option<EditCall> {
    let tool = event["tool_name"]
        .as_str()
        .filter(|name| *name == "apply_patch")?;
    let input = &event["tool_input"];
    let files = files(event, input["command"].as_str()?)?;
    Some(EditCall {
        tool: tool.to_string(),
        input: input.clone(),
        files,
        session: event["session_id"].as_str().unwrap_or_default().to_string(),
        asks_user: false,
    })
}

/// Reads the files of a patch that it adds or updates; `None` if a line has no known form.
fn files(event: &Value, patch: &str) -> Option<Vec<FileEdit>> {
    let body = patch.trim().strip_prefix("*** Begin Patch")?;
    let body = body.strip_suffix("*** End Patch")?.trim_matches('\n');
    let mut files: Vec<FileEdit> = Vec::new();
    let mut is_deleted = false;
    for line in body.split('\n') {
        let opened = |path: &str, change| {
            let path = absolute(event, path.trim())?;
            Some(FileEdit { path, change })
        };
        if let Some(path) = line.strip_prefix("*** Add File: ") {
            is_deleted = false;
            files.push(opened(path, FileChange::Whole(String::new()))?);
        } else if let Some(path) = line.strip_prefix("*** Update File: ") {
            is_deleted = false;
            files.push(opened(path, FileChange::Strings(Vec::new()))?);
        } else if line.starts_with("*** Delete File: ") {
            is_deleted = true;
        } else if line.starts_with("*** Move to: ") || line == "*** End of File" {
            // The content is that of the hunks.
        } else if !is_deleted {
            add_line(&mut files.last_mut()?.change, line)?;
        }
    }
    // A hunk without old lines appends to a place that the patch does not show.
    let is_clear = files.iter().all(|file| match &file.change {
        FileChange::Strings(edits) => edits.iter().all(|edit| !edit.old.is_empty()),
        FileChange::Whole(_) => true,
    });
    is_clear.then_some(files)
}

/// Adds a line of a hunk to the change of a file.
fn add_line(change: &mut FileChange, line: &str) -> Option<()> {
    match change {
        FileChange::Whole(text) => {
            text.push_str(line.strip_prefix('+')?);
            text.push('\n');
        }
        FileChange::Strings(edits) if line.starts_with("@@") => {
            edits.push(StringEdit::new("", ""));
        }
        FileChange::Strings(edits) => {
            if edits.is_empty() {
                edits.push(StringEdit::new("", ""));
            }
            let edit = edits.last_mut()?;
            let (sign, text) = line.split_at_checked(1).unwrap_or((" ", ""));
            let (is_old, is_new) = match sign {
                " " => (true, true),
                "-" => (true, false),
                "+" => (false, true),
                _ => return None,
            };
            for (wanted, side) in [(is_old, &mut edit.old), (is_new, &mut edit.new)] {
                if wanted {
                    side.push_str(text);
                    side.push('\n');
                }
            }
        }
    }
    Some(())
}
