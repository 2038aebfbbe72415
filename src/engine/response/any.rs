//! The answer of any tool.

use std::any::Any;

use serde_json::Value;

use crate::diagnostic::{Code, ExitStatus};

use super::{Answer, CallText};

/// The answer of any tool. Its type can be recovered, since it is `Any`.
pub trait AnyAnswer: Any + Send + Sync {
    /// Returns the answer as JSON.
    fn as_json(&self) -> Value;
    /// Returns the answer as text.
    fn as_text(&self) -> String;
    /// Returns the answer as text. `call_text` formats calls that may follow.
    fn as_text_with(&self, call_text: CallText<'_>) -> String;
    /// Returns the code of the failure, if the answer has no result.
    fn why_none(&self) -> Option<Code>;
    /// Returns the exit status of a process that prints the answer.
    fn exit_status(&self) -> ExitStatus;
}

impl<A: Answer> AnyAnswer for A {
    fn as_json(&self) -> Value {
        serde_json::to_value(self).expect("an answer is plain data")
    }

    fn as_text(&self) -> String {
        self.text()
    }

    fn as_text_with(&self, call_text: CallText<'_>) -> String {
        self.text_with(call_text)
    }

    fn why_none(&self) -> Option<Code> {
        self.failure()
    }

    fn exit_status(&self) -> ExitStatus {
        Answer::exit_status(self)
    }
}
