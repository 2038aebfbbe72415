//! Makes a call by tool name and returns the answer.
//!
//! The files that a call reads and writes are known before the call (`CallAccess`), so calls can run concurrently.

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::diagnostic::{self, Diagnostic};

use super::core::Engine;
use super::ledger::LedgerOutcome;
use super::log::EditOrigin;
use super::one_text::{OnText, OneText, TextAnswer};
use super::request::CallAccess;
use super::request::{EditCall, read};
use super::response::AnyAnswer;
use super::response::{Answer, PendingRefusal, Refused, RefusedCall};
use super::watch::Watch;

/// The request of a tool: its name, the files that it touches, and its answer.
pub(super) trait ToolRequest:
    DeserializeOwned + Serialize + JsonSchema + Send + Sync + 'static
{
    /// The answer of the tool.
    type Answer: Answer;

    /// The name of the tool.
    const TOOL: &'static str;

    /// The argument that names the file, if the tool also answers about a text without files.
    const FILE_ARGUMENT: Option<&'static str> = None;

    /// Returns the files that the call reads and writes.
    fn access(&self) -> CallAccess {
        match self.edit_id() {
            Some(edit_id) => CallAccess::Edit(edit_id.to_string()),
            None => CallAccess::Everything { writes: false },
        }
    }

    /// Returns the id of the kept edit that the request is about.
    fn edit_id(&self) -> Option<&str> {
        None
    }

    /// Returns the call, if the tool edits nodes.
    fn edit_call(&self) -> Option<EditCall> {
        None
    }

    /// Returns the part of an answer that the ledger records, if it records calls of the tool.
    fn outcome(_: &Result<Self::Answer, Refused>) -> Option<LedgerOutcome<'_>> {
        None
    }

    /// Answers the request.
    fn answer(
        &self,
        engine: &Engine,
        context: &CallContext<'_>,
    ) -> Result<Self::Answer, PendingRefusal>;

    /// Answers the request about one text, without a workspace.
    ///
    /// # Errors
    /// As [`ToolRequest::answer`]; or the tool or an argument needs files.
    fn answer_on_text(&self, _: &OneText) -> Result<OnText<Self::Answer>, Diagnostic> {
        Err(diagnostic::about_tool_without_files(Self::TOOL))
    }
}

/// The context of a call in addition to its request.
pub(super) struct CallContext<'c> {
    /// Observes the progress.
    pub(super) watch: &'c dyn Watch,
    /// The origin of the edit that the call makes.
    pub(super) origin: EditOrigin<'c>,
}

/// A call whose arguments are read, before it is made.
pub struct Call(Box<dyn AnyRequest>);

/// The request of any tool.
trait AnyRequest: Send + Sync {
    fn tool(&self) -> &'static str;
    fn access(&self) -> CallAccess;
    fn edit_call(&self) -> Option<EditCall>;
    fn make(
        &self,
        engine: &Engine,
        watch: &dyn Watch,
        edit_id: Option<&str>,
    ) -> Result<Box<dyn AnyAnswer>, Refused>;
    fn make_on_text(&self, text: &OneText) -> Result<TextAnswer, Refused>;
}

impl<R: ToolRequest> AnyRequest for R {
    fn tool(&self) -> &'static str {
        R::TOOL
    }

    fn access(&self) -> CallAccess {
        ToolRequest::access(self)
    }

    fn edit_call(&self) -> Option<EditCall> {
        ToolRequest::edit_call(self)
    }

    fn make(
        &self,
        engine: &Engine,
        watch: &dyn Watch,
        edit_id: Option<&str>,
    ) -> Result<Box<dyn AnyAnswer>, Refused> {
        Ok(Box::new(engine.call(self, watch, edit_id)?))
    }

    fn make_on_text(&self, text: &OneText) -> Result<TextAnswer, Refused> {
        match self.answer_on_text(text) {
            Ok(OnText { answer, after }) => Ok(TextAnswer {
                answer: Box::new(answer),
                after,
            }),
            Err(diagnostic) => {
                let arguments = serde_json::to_value(self).unwrap_or_default();
                let refused = RefusedCall::of_call(R::TOOL, arguments, diagnostic);
                Err(Box::new(refused))
            }
        }
    }
}

impl Call {
    /// Reads the request of a tool.
    pub(super) fn from_arguments<R: ToolRequest>(arguments: Value) -> Result<Call, Refused> {
        match read::<R>(arguments.clone()) {
            Ok(request) => Ok(Call(Box::new(request))),
            Err(diagnostic) => Err(Box::new(RefusedCall::of_call(
                R::TOOL,
                arguments,
                diagnostic,
            ))),
        }
    }

    /// Returns the name of the call's tool.
    pub fn tool(&self) -> &'static str {
        self.0.tool()
    }

    /// Makes the call.
    ///
    /// # Errors
    /// As for the engine's method for the tool.
    pub fn make(&self, engine: &Engine, watch: &dyn Watch) -> Result<Box<dyn AnyAnswer>, Refused> {
        self.0.make(engine, watch, None)
    }

    /// Makes the call, with a given id for its edit. If an edit with the id is already written, returns that edit.
    pub(super) fn make_once(
        &self,
        engine: &Engine,
        watch: &dyn Watch,
        edit_id: Option<&str>,
    ) -> Result<Box<dyn AnyAnswer>, Refused> {
        self.0.make(engine, watch, edit_id)
    }

    /// Makes the call on one text, without a workspace.
    pub(super) fn make_on_text(&self, text: &OneText) -> Result<TextAnswer, Refused> {
        self.0.make_on_text(text)
    }

    /// Returns the files that the call reads and writes.
    pub(super) fn access(&self) -> CallAccess {
        self.0.access()
    }

    /// Returns the call as JSON, if the tool edits nodes.
    pub(super) fn edit_call(&self) -> Option<EditCall> {
        self.0.edit_call()
    }
}
