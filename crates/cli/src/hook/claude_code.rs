//! Claude Code: `PreToolUse`, `PostToolUse` and `PostToolBatch` (<https://code.claude.com/docs/en/hooks>).
//!
//! The client checks the arguments of its edit tool before `PreToolUse`: a call whose string is missing or occurs several
//! times is refused without that event. Only `PostToolBatch` reports such a call, with the refusal as its response; the
//! answer is read together with the refusal.

use serde_json::{Value, json};
use treegraft::string_edit::StringEdit;

use super::absolute;
use super::event::{Decision, EditCall, Event, FileChange, FileEdit, Protocol, flag, with_strings};

/// The starts of the responses to calls that are refused because of their strings. Any other refusal, such as one by the
/// user's permissions, may be about a file whose text the agent must not read.
const REFUSED: [&str; 2] = [
    "<tool_use_error>String to replace not found",
    "<tool_use_error>Found ",
];

pub(super) struct ClaudeCode;

impl Protocol for ClaudeCode {
    fn event(&self, value: &Value) -> Option<Event> {
        match value["hook_event_name"].as_str()? {
            "PreToolUse" => call(value, value).map(Event::Before),
            "PostToolBatch" => {
                let calls = value["tool_calls"].as_array()?.iter();
                let refused = calls.filter(|call| {
                    let response = call["tool_response"].as_str();
                    let is_of_string = |text: &str| REFUSED.iter().any(|one| text.starts_with(one));
                    response.is_some_and(is_of_string)
                });
                let calls = refused.filter_map(|one| call(value, one)).collect();
                Some(Event::Rejected(calls))
            }
            "PostToolUse" => {
                let call = call(value, value)?;
                let before = value["tool_response"]["originalFile"].as_str();
                Some(Event::Edited {
                    path: call.files.into_iter().next()?.path,
                    before: before.unwrap_or_default().to_string(),
                })
            }
            _ => None,
        }
    }

    fn answer(&self, event: &Value, decision: Decision) -> Option<Value> {
        let mut output = json!({"hookEventName": event["hook_event_name"]});
        match decision {
            Decision::Pass => return None,
            Decision::Inform(text) => output["additionalContext"] = text.into(),
            Decision::Deny(reason) => {
                output["permissionDecision"] = "deny".into();
                output["permissionDecisionReason"] = reason.into();
            }
            Decision::Correct { input, reason } => {
                output["permissionDecision"] = "ask".into();
                output["permissionDecisionReason"] = reason.into();
                output["updatedInput"] = input;
            }
        }
        Some(json!({"hookSpecificOutput": output}))
    }

    fn input(&self, call: &EditCall, edits: &[StringEdit]) -> Option<Value> {
        if call.input.get("edits").is_none() {
            return match edits {
                [edit] => with_strings(&call.input, self.fields(), edit),
                _ => None,
            };
        }
        let edits = edits.iter().map(|edit| {
            let mut one = json!({"old_string": edit.old, "new_string": edit.new});
            if edit.all {
                one["replace_all"] = true.into();
            }
            one
        });
        let mut input = call.input.clone();
        input["edits"] = edits.collect();
        Some(input)
    }

    fn finds_similar(&self, _call: &EditCall) -> bool {
        false
    }

    fn needs_unique(&self, _call: &EditCall) -> bool {
        true
    }
}

/// Reads the call in `one`, which is the event itself or a part of it.
fn call(event: &Value, one: &Value) -> Option<EditCall> {
    let tool = one["tool_name"].as_str()?;
    let input = &one["tool_input"];
    let change = match tool {
        "Edit" => FileChange::Strings(vec![edit(input)?]),
        "MultiEdit" => {
            let edits = input["edits"].as_array()?.iter().map(edit);
            FileChange::Strings(edits.collect::<Option<_>>()?)
        }
        "Write" => FileChange::Whole(input["content"].as_str()?.to_string()),
        _ => return None,
    };
    Some(EditCall {
        tool: tool.to_string(),
        input: input.clone(),
        files: vec![FileEdit {
            path: absolute(event, input["file_path"].as_str()?)?,
            change,
        }],
        session: event["session_id"].as_str().unwrap_or_default().to_string(),
        asks_user: event["permission_mode"] == "default",
    })
}

fn edit(input: &Value) -> Option<StringEdit> {
    Some(StringEdit {
        old: input["old_string"].as_str()?.to_string(),
        new: input["new_string"].as_str()?.to_string(),
        all: flag(input, "replace_all"),
    })
}
