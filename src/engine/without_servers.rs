//! Replaces `questions` in a build without the feature `servers`: edits are written without a report of the problems
//! that servers find, and an edit that a server suggested cannot be requested again.

use std::sync::Arc;

use crate::diagnostic::{Code, Diagnostic, PlaceView};
use crate::parse::Parsed;
use crate::preview::FilePreview;
use crate::source::Span;

use super::core::Engine;
use super::made::EditsAnswer;
use super::plan::PlannedCall;
use super::request::KeptCall;

/// What language servers report about an edit: nothing.
pub(super) struct Judgement {
    pub(super) new_errors: Vec<(PlaceView, String)>,
    pub(super) unchecked: Option<String>,
}

impl Engine {
    /// Writes edits.
    pub(super) fn asking_servers<'a, T: EditsAnswer, E>(
        &self,
        _: impl Iterator<Item = &'a str>,
        write: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        write()
    }

    /// No server lists the uses of a node.
    pub(super) fn listed_users(
        &self,
        _: &Arc<Parsed>,
        _: &[Span],
    ) -> Result<Vec<PlaceView>, Diagnostic> {
        Err(no_servers())
    }

    /// No server reports anything about an edit.
    pub(super) fn judged(&self, _: &[FilePreview], _: Option<(&str, &str)>) -> Judgement {
        Judgement {
            new_errors: Vec::new(),
            unchecked: Some(no_servers().message),
        }
    }

    /// Refuses to ask a server again.
    pub(super) fn planned_by_server(&self, _: &KeptCall) -> Result<PlannedCall, Diagnostic> {
        Err(no_servers())
    }
}

fn no_servers() -> Diagnostic {
    let message = "this build of treegraft does not support language servers";
    Diagnostic::new(Code::ServerNotInstalled, message.to_string())
}
