//! opencode: the plugin that `treegraft client install opencode --hook` writes (<https://opencode.ai/docs/plugins>).
//!
//! The hooks of the client are functions in JavaScript. The plugin passes the arguments of `tool.execute.before` on as an
//! event, throws what denies the call, which the agent reads as its failure, and adds a note to the output of the tool
//! afterwards.
//!
//! The `edit` of the client also replaces a string that is not in the file, if one is similar, but writes the new one with
//! the indentation of the call. Such a call is therefore denied with the exact one. It writes the line endings of the file
//! itself, whatever those of the strings are.

use serde_json::{Value, json};
use treegraft::string_edit::StringEdit;

use super::event::{
    Decision, EditCall, Event, Fields, FileChange, FileEdit, Protocol, flag, with_line_feeds,
    with_strings,
};
use super::{absolute, patch};

pub(super) struct Opencode;

/// The tool that finds the lines of a patch by itself, as that of Codex does.
const PATCH: &str = "apply_patch";

const CAMEL_CASE: Fields = Fields {
    path: "filePath",
    old: "oldString",
    new: "newString",
};

impl Protocol for Opencode {
    fn event(&self, value: &Value) -> Option<Event> {
        match value["hook_event_name"].as_str()? {
            "tool.execute.before" => call(value).map(Event::Before),
            _ => None,
        }
    }

    fn answer(&self, _event: &Value, decision: Decision) -> Option<Value> {
        match decision {
            Decision::Pass | Decision::Correct { .. } => None,
            Decision::Inform(note) => Some(json!({"note": note})),
            Decision::Deny(reason) => Some(json!({"deny": reason})),
        }
    }

    fn input(&self, call: &EditCall, edits: &[StringEdit]) -> Option<Value> {
        match edits {
            [edit] if call.tool == "edit" => with_strings(&call.input, &CAMEL_CASE, edit),
            _ => None,
        }
    }

    fn finds_similar(&self, call: &EditCall) -> bool {
        call.tool == PATCH
    }

    fn needs_unique(&self, call: &EditCall) -> bool {
        call.tool != PATCH
    }

    fn fields(&self) -> &'static Fields {
        &CAMEL_CASE
    }
}

fn call(event: &Value) -> Option<EditCall> {
    let tool = event["tool"].as_str()?;
    let input = &event["args"];
    let text = |name: &str| Some(with_line_feeds(input[name].as_str()?));
    let of_file = |change: FileChange| {
        let path = absolute(event, input["filePath"].as_str()?)?;
        Some(vec![FileEdit { path, change }])
    };
    let files = match tool {
        "edit" => of_file(FileChange::Strings(vec![StringEdit {
            old: text("oldString")?,
            new: text("newString")?,
            all: flag(input, "replaceAll"),
        }]))?,
        "write" => of_file(FileChange::Whole(text("content")?))?,
        PATCH => patch::files(event, input["patchText"].as_str()?)?,
        _ => return None,
    };
    Some(EditCall {
        tool: tool.to_string(),
        input: input.clone(),
        files,
        session: event["sessionID"].as_str().unwrap_or_default().to_string(),
        asks_user: false,
    })
}
