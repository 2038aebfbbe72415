//! Codex: `PreToolUse` of `apply_patch` (<https://developers.openai.com/codex/hooks>).
//!
//! A patch names its files and has hunks of lines instead of strings. The client finds lines whose whitespace differs by
//! itself, so only syntax errors are denied.

use serde_json::{Value, json};
use treegraft::string_edit::StringEdit;

use super::event::{Decision, EditCall, Event, Protocol};
use super::patch;

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

    fn finds_similar(&self, _call: &EditCall) -> bool {
        true
    }

    fn needs_unique(&self, _call: &EditCall) -> bool {
        false
    }
}

fn call(event: &Value) -> Option<EditCall> {
    let tool = event["tool_name"]
        .as_str()
        .filter(|name| *name == "apply_patch")?;
    let input = &event["tool_input"];
    let files = patch::files(event, input["command"].as_str()?)?;
    Some(EditCall {
        tool: tool.to_string(),
        input: input.clone(),
        files,
        session: event["session_id"].as_str().unwrap_or_default().to_string(),
        asks_user: false,
    })
}
