//! The text of the answers of language servers.

use std::fmt::Write;

use super::super::questions::{
    Actions, Completed, Definitions, Diagnosed, FileRole, Hovered, Known, Location, Outcome,
    Problem, References, Signature, Signatures, SymbolFound, SymbolsFound,
};
use super::super::{Answer, CallText};
use super::{push_notes, push_omitted, push_page_end};
use crate::diagnostic::{Code, counted, symbol_text};

impl Problem {
    /// Appends a line such as `- app.py:4:5: error [invalid]: no such name`.
    pub(super) fn push_to(&self, text: &mut String) {
        let Location {
            file, line, column, ..
        } = &self.location;
        let code = self.code.as_ref().map(|code| format!(" [{code}]"));
        let code = code.unwrap_or_default();
        let (severity, message) = (&self.severity, &self.message);
        let _ = writeln!(
            text,
            "- {file}:{line}:{column}: {severity}{code}: {message}"
        );
    }
}

impl Outcome {
    /// Appends the completeness and the notes of an answer, or why there is no answer.
    fn push_to(&self, text: &mut String) {
        if let Some(error) = &self.parse_error {
            let _ = writeln!(text, "no answer: {error}");
            return;
        }
        let state = match self.completeness {
            Known::Complete => None,
            Known::StillIndexing => Some("the server is still indexing, there may be more"),
            Known::Degraded => Some("there may be more"),
        };
        if let Some(state) = state {
            let reason = self.completeness_reason.as_deref().unwrap_or_default();
            let _ = writeln!(text, "incomplete: {state}: {reason}");
        }
        push_notes(text, &self.notes);
    }
}

impl Location {
    /// Returns the mark of a file that is not an ordinary one: ` [test]`.
    fn mark(&self) -> &'static str {
        match self.file_role {
            None => "",
            Some(FileRole::Test) => " [test]",
            Some(FileRole::Generated) => " [generated]",
        }
    }
}

/// Appends a line such as `- src/a.py:4:5 [test] in Server.handle: return send(1)`.
fn push_location(text: &mut String, location: &Location) {
    let Location {
        file, line, column, ..
    } = location;
    let _ = write!(text, "- {file}:{line}:{column}{}", location.mark());
    if !location.symbol_path.is_empty() {
        let _ = write!(text, " in {}", symbol_text(&location.symbol_path));
    }
    if !location.preview.is_empty() {
        let _ = write!(text, ": `{}`", location.preview);
    }
    text.push('\n');
}

impl Answer for Definitions {
    fn text_with(&self, _: CallText<'_>) -> String {
        let mut text = String::new();
        if self.outcome.success {
            let _ = writeln!(text, "`{}`:", self.symbol);
        }
        for location in &self.locations {
            push_location(&mut text, location);
        }
        self.outcome.push_to(&mut text);
        text
    }

    fn failure(&self) -> Option<Code> {
        self.outcome.code
    }
}

impl Answer for References {
    fn text_with(&self, _: CallText<'_>) -> String {
        let mut text = String::new();
        if self.outcome.success {
            let places = counted(self.reference_count, "place");
            let _ = writeln!(text, "`{}`, {places}:", self.symbol);
        }
        for location in &self.references {
            push_location(&mut text, location);
        }
        push_page_end(&mut text, self.cursor.as_deref(), &[]);
        self.outcome.push_to(&mut text);
        text
    }

    fn failure(&self) -> Option<Code> {
        self.outcome.code
    }
}

impl Answer for Hovered {
    fn text_with(&self, _: CallText<'_>) -> String {
        let mut text = String::new();
        if self.outcome.success {
            let _ = writeln!(text, "{}", self.text);
        }
        self.outcome.push_to(&mut text);
        text
    }

    fn failure(&self) -> Option<Code> {
        self.outcome.code
    }
}

impl Answer for Diagnosed {
    fn text_with(&self, _: CallText<'_>) -> String {
        let mut text = String::new();
        if self.outcome.success && self.diagnostics.is_empty() {
            text.push_str(match self.outcome.completeness {
                Known::Complete => "no problems found\n",
                Known::StillIndexing | Known::Degraded => "no diagnostics reported\n",
            });
        }
        for problem in &self.diagnostics {
            problem.push_to(&mut text);
        }
        let omitted = self.diagnostic_count.saturating_sub(self.diagnostics.len());
        push_omitted(&mut text, "", omitted, "more");
        self.outcome.push_to(&mut text);
        text
    }

    fn failure(&self) -> Option<Code> {
        self.outcome.code
    }
}

impl Answer for SymbolsFound {
    fn text_with(&self, _: CallText<'_>) -> String {
        let mut text = String::new();
        for SymbolFound {
            name,
            kind,
            location,
        } in &self.symbols
        {
            let Location {
                file, line, column, ..
            } = location;
            let mark = location.mark();
            let _ = writeln!(text, "- {kind} {name}: {file}:{line}:{column}{mark}");
        }
        let omitted = self.symbol_count.saturating_sub(self.symbols.len());
        push_omitted(&mut text, "", omitted, "more");
        self.outcome.push_to(&mut text);
        text
    }

    fn failure(&self) -> Option<Code> {
        self.outcome.code
    }
}

impl Answer for Completed {
    fn text_with(&self, _: CallText<'_>) -> String {
        let mut text = String::new();
        for item in &self.items {
            let _ = write!(text, "- {}", item.label);
            let more = [&item.kind, &item.detail].into_iter().flatten();
            let more: Vec<&str> = more.map(String::as_str).collect();
            if !more.is_empty() {
                let _ = write!(text, ": {}", more.join(", "));
            }
            text.push('\n');
        }
        if self.outcome.success && self.items.is_empty() {
            text.push_str("no completions\n");
        }
        let omitted = self.item_count.saturating_sub(self.items.len());
        push_omitted(&mut text, "", omitted, "more");
        self.outcome.push_to(&mut text);
        text
    }

    fn failure(&self) -> Option<Code> {
        self.outcome.code
    }
}

impl Answer for Signatures {
    fn text_with(&self, _: CallText<'_>) -> String {
        let mut text = String::new();
        for Signature {
            label,
            documentation,
        } in &self.signatures
        {
            let _ = writeln!(text, "{label}");
            if !documentation.is_empty() {
                let _ = writeln!(text, "{documentation}");
            }
        }
        if let Some(number) = self.active_parameter {
            let _ = writeln!(text, "active parameter: {number}");
        }
        self.outcome.push_to(&mut text);
        text
    }

    fn failure(&self) -> Option<Code> {
        self.outcome.code
    }
}

impl Answer for Actions {
    fn text_with(&self, call_text: CallText<'_>) -> String {
        if let Some(edit) = &self.edit {
            return edit.text_with(call_text);
        }
        let mut text = String::new();
        if self.outcome.success && self.actions.is_empty() {
            text.push_str("no actions available here\n");
        }
        for action in &self.actions {
            let _ = write!(text, "- {}", action.title);
            if let Some(kind) = &action.kind {
                let _ = write!(text, " ({kind})");
            }
            if let Some(why) = &action.not_possible {
                let _ = write!(text, ", not available: {why}");
            }
            text.push('\n');
        }
        self.outcome.push_to(&mut text);
        text
    }

    fn failure(&self) -> Option<Code> {
        self.outcome.code
    }
}
