//! The JSON form of a refusal.

use serde_json::{Map, Value, json};

use super::super::super::request::LocateArgument;
use super::super::NodeLine;
use super::{RefusedCall, trial_name};
use crate::diagnostic::{CandidateView, Diagnostic, PlaceView};

impl RefusedCall {
    /// Returns the refusal in the form used in answers: `{error: {..}}`.
    pub fn json(&self) -> Value {
        let diagnostic = &self.diagnostic;
        let mut error = Map::new();
        let mut insert = |name: &str, value: Value| drop(error.insert(name.to_string(), value));
        insert("code", json!(diagnostic.code.as_str()));
        insert("message", json!(diagnostic.message));
        if let Some(index) = diagnostic.edit_index {
            insert("edit_index", json!(index));
        }
        let optional = [
            ("edit_id", &self.edit_id),
            ("excerpt", &diagnostic.excerpt),
            ("help", &diagnostic.help_text()),
            ("diff", &diagnostic.diff),
        ];
        for (name, value) in optional {
            if let Some(value) = value {
                insert(name, json!(value));
            }
        }
        let candidates = diagnostic.candidates.iter();
        insert("candidates", candidates.map(candidate_json).collect());
        if diagnostic.candidates_omitted > 0 {
            insert("candidates_omitted", json!(diagnostic.candidates_omitted));
        }
        if let Some(places) = &diagnostic.places {
            insert("places", places.listed.iter().map(place_json).collect());
            let omitted = places.total - places.listed.len();
            insert("places_omitted", json!(omitted));
        }
        insert("suggestions", json!(self.suggestions()));
        if self.has_further() {
            let further = diagnostic.further.iter().map(|refused| {
                json!({
                    "edit_index": refused.edit_index,
                    "code": refused.code.as_str(),
                    "message": refused.message,
                    "amendments": amendments_json(self, refused, 1),
                })
            });
            let amendments = amendments_json(self, diagnostic, usize::MAX);
            insert("amendments", amendments);
            insert("further", further.collect());
        }
        if diagnostic.further_omitted > 0 {
            insert("further_omitted", json!(diagnostic.further_omitted));
        }
        json!({ "error": error })
    }
}

/// Returns a candidate of a refusal in its structured form.
fn candidate_json(candidate: &CandidateView) -> Value {
    let ancestors = candidate.ancestors.iter().cloned().map(NodeLine::from);
    let mut value = json!({
        "line": candidate.line,
        "text": candidate.text,
        "ancestors": ancestors.collect::<Vec<_>>(),
        "symbol_path": candidate.symbol_path,
    });
    if let Some(node_type) = &candidate.node_type {
        value["node_type"] = json!(node_type);
    }
    value
}

/// Returns at most `limit` amendments that each correct a refused edit, as entries of `edits` of `amend_edit`.
fn amendments_json(call: &RefusedCall, refused: &Diagnostic, limit: usize) -> Value {
    let all = refused.suggestions.iter().filter_map(|suggestion| {
        let amendment = call.amendment(&suggestion.call, refused.edit_index)?;
        let mut value = json!({"arguments": amendment, "selects": suggestion.selects});
        if let Some(trial) = trial_name(suggestion.trial) {
            value["trial"] = json!(trial);
        }
        Some(value)
    });
    all.take(limit).collect()
}

/// Returns a place of a refusal in its structured form.
fn place_json(place: &PlaceView) -> Value {
    let mut value = json!({
        "file": place.file,
        "line": place.line,
        "column": place.column,
        "text": place.text,
        "reason": place.reason,
    });
    if let Some(question) = &place.locate {
        value["locate"] = json!(LocateArgument(question.clone()));
    }
    value
}
