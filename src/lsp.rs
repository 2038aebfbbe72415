//! Questions to language servers: a language and a text come in, the server's own answer goes out,
//! or the [`ServerError`] that says which of the things happened that look like "nothing found".
//!
//! A server is a supplier: nothing here decides what an answer means. Programs are started only from
//! the table in [`servers`] or the user's configuration. No answer hides how much the server knew when it
//! gave it: [`Completeness`].
//!
//! # From a question to an answer
//!
//! [`Servers::of`](servers::Servers::of) finds or starts the server of a language;
//! [`Server::sync`](servers::Server::sync) tells it what the files are now;
//! [`Server::ask`](servers::Server::ask) asks. Each waits no longer than the times in
//! [`Budgets`](launch::Budgets). Nothing here needs an asynchronous runtime: a server has a thread that
//! writes to it, one that reads and decodes, one for what it complains of and one that waits for its end.

mod monitor;
pub mod uri;
pub mod wire;
pub mod process;
mod connection;
pub mod readiness;
pub mod project_check;
pub mod launch;
mod initialize;
pub mod session;
pub mod client;
pub mod convert;
pub mod documents;
pub mod servers;

use std::fmt;
use std::time::Duration;

/// How much a server knew when it answered.
///
/// Servers that are still indexing answer with a part of the truth and no error at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Completeness {
    /// All it will ever know.
    Complete,
    /// It is still reading the project.
    StillIndexing {
        /// What it does, in its words.
        what: String,
    },
    /// It will not know more, and says or shows that this is not all.
    Degraded {
        /// What it lacks.
        why: String,
    },
}

impl Completeness {
    /// The first of both that is not complete.
    pub fn or(self, other: Completeness) -> Completeness {
        match self {
            Completeness::Complete => other,
            known => known,
        }
    }
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{server}: {situation}")]
pub struct ServerError {
    /// Which server: the name of its row in the table.
    pub server: String,
    /// The command that was tried; of a server that is not installed, the first that would do.
    pub command: Vec<String>,
    /// The last that the server wrote to its standard error, at most
    /// [`STDERR_TAIL`](process::STDERR_TAIL) bytes; empty where it wrote nothing or never ran.
    pub tail: String,
    /// What happened.
    pub situation: Situation,
}

/// What happened instead of an answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Situation {
    /// No server can be started for the language.
    #[error("{why}")]
    NotInstalled {
        /// What is missing.
        why: Missing,
    },
    /// The system did not start the program.
    #[error("cannot be started: {source_text}")]
    SpawnFailed {
        /// What the system said.
        source_text: String,
    },
    /// It started and did not come as far as to take questions.
    #[error("does not take up its work: {why}")]
    HandshakeFailed {
        /// How far it came.
        why: String,
    },
    /// It did not answer in time; it was told that the answer is not wanted any more.
    #[error("has not answered {method} in {} ms", waited.as_millis())]
    Timeout {
        /// What was asked.
        method: String,
        /// How long was waited.
        waited: Duration,
        /// A message that came meanwhile and could not be read: what is wrong with it. It may have
        /// been the answer.
        unreadable: Option<String>,
    },
    /// It ended, before or while it was asked.
    #[error("has ended: {how}")]
    Crashed {
        /// How it ended: an exit status or a signal.
        how: String,
        /// For how long no other one is started; nothing while a question decides that.
        retry_in: Option<Duration>,
    },
    /// The answer is not what the protocol says.
    #[error("its answer to {method} cannot be read: {why}")]
    Malformed {
        /// What was asked.
        method: String,
        /// What is wrong with the answer.
        why: String,
    },
    /// What was asked needs all the server can know, and it does not know that yet.
    #[error("not ready: {completeness}")]
    NotReady {
        /// How far it is.
        completeness: Completeness,
        /// How long was waited.
        waited: Duration,
    },
    /// The server's own refusal.
    #[error("refuses {method}: {message} ({code})")]
    Refused {
        /// What was asked.
        method: String,
        /// The number of the refusal (LSP 3.17, `ErrorCodes`).
        code: i64,
        /// The server's words.
        message: String,
    },
}

/// Why no server can be started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Missing {
    /// Neither the table nor the configuration has one for the language.
    NoServer,
    /// The user's configuration says that there is to be none.
    Disabled,
    /// No command of the row is a program on the search path.
    NotOnPath {
        /// The programs that were looked for, in order.
        programs: Vec<String>,
        /// How the first is installed; empty where the table does not know.
        install: String,
    },
}

impl fmt::Display for Completeness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Completeness::Complete => f.write_str("complete"),
            Completeness::StillIndexing { what } => write!(f, "still indexing: {what}"),
            Completeness::Degraded { why } => write!(f, "degraded: {why}"),
        }
    }
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Missing::NoServer => f.write_str("no server is known"),
            Missing::Disabled => f.write_str("the server is turned off in the configuration"),
            Missing::NotOnPath { programs, .. } => {
                write!(f, "not on the search path: {}", programs.join(", "))
            }
        }
    }
}
