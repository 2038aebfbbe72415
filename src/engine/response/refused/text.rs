//! The text of a refusal.

use std::fmt;
use std::fmt::Write;

use serde_json::{Value, json};

use super::super::text::push_omitted;
use super::super::{CallText, tool_call};
use super::RefusedCall;
use crate::diagnostic::{Mention, NextCall, Trial, render};

impl RefusedCall {
    /// Returns the refusal as text. Formats suggested calls as `tool {arguments}`.
    pub fn text(&self) -> String {
        self.text_with(&tool_call)
    }

    /// Returns the refusal as text. `call_text` formats suggested calls.
    pub fn text_with(&self, call_text: CallText<'_>) -> String {
        let suggested = |call: &NextCall| {
            // Alone, it does not fix the call.
            let partial = self.amendment(call, self.diagnostic.edit_index);
            if let Some(amendment) = partial.filter(|_| self.has_further()) {
                return json!(amendment).to_string();
            }
            let (tool, arguments) = self.call(call);
            call_text(&tool, &arguments)
        };
        let words = |mention: Mention<'_>| match mention {
            Mention::Tool(tool) => call_text(tool, &Value::Null),
            // Without a tool, only the argument is formatted.
            Mention::Argument { name, value } => {
                let value = serde_json::from_str(value).unwrap_or_else(|_| json!(value));
                call_text("", &json!({name: value}))
            }
        };
        let mut text = render(&self.diagnostic, &suggested, &words);
        self.push_further(&mut text, call_text);
        if let Some(edit_id) = &self.edit_id
            && self.keeps_content
        {
            let mut amendment = json!({"edit_id": edit_id});
            if let Some(index) = self.edit_index_of_several().filter(|_| !self.has_further()) {
                amendment["edit_index"] = json!(index);
            }
            let call = call_text("amend_edit", &amendment);
            let fields = match self.has_further() {
                true => "edits, each with edit_index and only the fields to change",
                false => "only the fields to change",
            };
            let kept = format!("the content is kept: send {fields} with `{call}`");
            let _ = write!(text, "\n{kept}\n");
        }
        text
    }

    /// Appends the further refused edits, and the call that fixes all.
    fn push_further(&self, text: &mut String, call_text: CallText<'_>) {
        let further = &self.diagnostic.further;
        if further.is_empty() {
            return;
        }
        text.push_str("\nalso refused:\n");
        for refused in further {
            let message = &refused.message;
            let _ = writeln!(text, "- {}: {message}", refused.code.as_str());
            let first = refused.suggestions.first();
            let first = first.filter(|one| !self.fixes_all && one.trial == Trial::Works);
            let fix = first.and_then(|first| {
                let amendment = self.amendment(&first.call, refused.edit_index)?;
                Some((json!(amendment), &first.selects))
            });
            if let Some((amendment, selects)) = fix {
                let _ = writeln!(text, "    {amendment}\n      selects {selects}");
            }
        }
        push_omitted(text, "", self.diagnostic.further_omitted, "more");
        if let Some(fix) = self.fix_of_all() {
            let call = call_text(&fix.tool, &fix.arguments);
            let _ = write!(text, "\nhelp: this call fixes all of them:\n  {call}\n");
            for selected in self.selected_by_fixes() {
                let _ = writeln!(text, "    selects {selected}");
            }
        }
    }
}

/// Prints the refusal as [`RefusedCall::text`] does.
impl fmt::Display for RefusedCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

impl std::error::Error for RefusedCall {}
