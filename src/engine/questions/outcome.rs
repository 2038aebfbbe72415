//! Determines how complete an answer is. Input: what the server knew, or a refusal. Output: [`Outcome`].

use crate::diagnostic::Diagnostic;
use crate::engine::response::questions::{Known, Outcome};
use crate::lsp::Completeness;

impl Outcome {
    /// Returns the outcome of an answer.
    pub(super) fn from_completeness(completeness: Completeness) -> Outcome {
        let (known, reason) = match completeness {
            Completeness::Complete => (Known::Complete, None),
            Completeness::StillIndexing { what } => (Known::StillIndexing, Some(what)),
            Completeness::Degraded { why } => (Known::Degraded, Some(why)),
        };
        Outcome {
            success: true,
            completeness: known,
            completeness_reason: reason,
            ..Outcome::default()
        }
    }

    /// Returns the outcome of a failed request.
    pub(super) fn failed(diagnostic: &Diagnostic) -> Outcome {
        let (code, message) = (diagnostic.code, &diagnostic.message);
        let help = diagnostic.help_text();
        let parts = [help.as_deref(), diagnostic.excerpt.as_deref()];
        let rest: String = parts
            .iter()
            .flatten()
            .map(|part| format!("\n{part}"))
            .collect();
        Outcome {
            success: false,
            parse_error: Some(format!("{}: {message}{rest}", code.as_str())),
            code: Some(code),
            ..Outcome::default()
        }
    }

    /// Returns the outcome, at most as complete as `completeness`.
    pub(super) fn with(mut self, completeness: Completeness) -> Outcome {
        let (is_indexing, why) = match completeness {
            Completeness::Complete => return self,
            Completeness::StillIndexing { what } => (true, what),
            Completeness::Degraded { why } => (false, why),
        };
        if self.completeness_reason.as_ref() == Some(&why) || self.notes.contains(&why) {
            return self;
        }
        // Prefer a reason that may no longer apply if the request is repeated.
        if is_indexing && self.completeness != Known::StillIndexing {
            self.completeness = Known::StillIndexing;
            self.notes.extend(self.completeness_reason.replace(why));
            return self;
        }
        self.degraded(why)
    }

    /// Returns the outcome, marked as incomplete for a reason.
    pub(super) fn degraded(mut self, why: String) -> Outcome {
        if self.completeness == Known::Complete {
            self.completeness = Known::Degraded;
            self.completeness_reason = Some(why);
        } else {
            self.notes.push(why);
        }
        self
    }
}
