//! The text of a refusal.

use std::fmt;
use std::fmt::Write;

use serde_json::json;

use super::super::text::push_omitted;
use super::super::{CallText, SentenceText, tool_call};
use super::RefusedCall;
use crate::diagnostic::{Diagnostic, Trial, render};

impl RefusedCall {
    /// Returns the refusal as text. Formats suggested calls as `tool {arguments}`.
    pub fn text(&self) -> String {
        self.text_with(&tool_call, &|_, text| text.to_string())
    }

    /// Returns the refusal as text. `call_text` formats suggested calls, `sentence` the message and the help.
    pub fn text_with(&self, call_text: CallText<'_>, sentence: SentenceText<'_>) -> String {
        let sentence = |text: &str| sentence(&self.tool, text);
        let worded = Diagnostic {
            message: sentence(&self.diagnostic.message),
            help: self.diagnostic.help.as_deref().map(sentence),
            excerpt: self.diagnostic.excerpt.as_deref().map(|excerpt| {
                let lines = excerpt.split('\n').map(|line| match line.split_once('|') {
                    // A line without a number is a label.
                    Some((gutter, label)) if gutter.trim().is_empty() => {
                        format!("{gutter}|{}", sentence(label))
                    }
                    _ => line.to_string(),
                });
                lines.collect::<Vec<_>>().join("\n")
            }),
            ..self.diagnostic.clone()
        };
        let mut text = render(&worded, &|call| {
            // Alone, it does not fix the call.
            let partial = self.amendment(call, self.diagnostic.edit_index);
            if let Some(amendment) = partial.filter(|_| self.has_further()) {
                return json!(amendment).to_string();
            }
            let (tool, arguments) = self.call(call);
            call_text(&tool, &arguments)
        });
        self.push_further(&mut text, call_text, &sentence);
        if let Some(edit_id) = &self.edit_id
            && self.keeps_content
        {
            let change = match self.edit_index_of_several() {
                _ if self.has_further() => {
                    " and edits, each with edit_index and only the fields to change".to_string()
                }
                Some(index) => format!(", edit_index {index} and only the fields to change"),
                None => " and only the fields to change".to_string(),
            };
            let kept = format!(
                "the content is kept as edit {edit_id}: call amend_edit with this id{change}"
            );
            let _ = write!(text, "\n{}\n", sentence(&kept));
        }
        text
    }

    /// Appends the further refused edits, and the call that fixes all.
    fn push_further(
        &self,
        text: &mut String,
        call_text: CallText<'_>,
        sentence: &dyn Fn(&str) -> String,
    ) {
        let further = &self.diagnostic.further;
        if further.is_empty() {
            return;
        }
        text.push_str("\nalso refused:\n");
        for refused in further {
            let message = sentence(&refused.message);
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
