//! Gemini CLI: `BeforeTool` (<https://geminicli.com/docs/hooks/reference>).
//!
//! Its `replace` finds a string whose whitespace differs by itself, so only ambiguous strings and syntax errors are
//! denied. An event does not say whether the client asks its user, and `BeforeTool` has no text for the agent without a
//! denial.

use serde_json::{Value, json};
use treegraft::string_edit::StringEdit;

use super::absolute;
use super::event::{
    Decision, EditCall, Event, FileChange, FileEdit, Protocol, flag, with_line_feeds, with_strings,
};

pub(super) struct GeminiCli;

impl Protocol for GeminiCli {
    fn event(&self, value: &Value) -> Option<Event> {
        match value["hook_event_name"].as_str()? {
            "BeforeTool" => call(value).map(Event::Before),
            _ => None,
        }
    }

    fn answer(&self, _event: &Value, decision: Decision) -> Option<Value> {
        match decision {
            Decision::Pass | Decision::Inform(_) | Decision::Correct { .. } => None,
            Decision::Deny(reason) => Some(json!({"decision": "deny", "reason": reason})),
        }
    }

    fn input(&self, call: &EditCall, edits: &[StringEdit]) -> Option<Value> {
        match edits {
            [edit] => with_strings(&call.input, self.fields(), edit),
            _ => None,
        }
    }

    fn finds_similar(&self, _call: &EditCall) -> bool {
        true
    }

    fn needs_unique(&self, _call: &EditCall) -> bool {
        true
    }
}

fn call(event: &Value) -> Option<EditCall> {
    let tool = event["tool_name"].as_str()?;
    let input = &event["tool_input"];
    let change = match tool {
        "replace" => FileChange::Strings(vec![StringEdit {
            old: with_line_feeds(input["old_string"].as_str()?),
            new: with_line_feeds(input["new_string"].as_str()?),
            all: flag(input, "allow_multiple")
                || input["expected_replacements"]
                    .as_u64()
                    .is_some_and(|count| count > 1),
        }]),
        "write_file" => FileChange::Whole(input["content"].as_str()?.to_string()),
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
        asks_user: false,
    })
}
