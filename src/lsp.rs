//! Language servers. Input: a language, the current files and a request. Output: the server's
//! answer, or a [`ServerError`], which distinguishes failures from an empty answer.
//!
//! Nothing here decides what an answer means. Programs are started only from the list in [`built_in`] or the
//! user's [`configuration`]. Each answer states how much the server knew: [`Completeness`].
//!
//! # From a request to an answer
//!
//! [`Servers::for_language`](servers::Servers::for_language) finds or starts the server of a language;
//! [`LanguageServer::sync`](language_server::LanguageServer::sync) notifies it of the current files;
//! [`LanguageServer::ask`](language_server::LanguageServer::ask) sends the request. Each waits no longer than
//! the timeouts in [`Timeouts`](launch::Timeouts). Nothing here needs an asynchronous runtime: each server has
//! a thread that writes to it, one that reads and decodes, one that reads its standard error, and one that
//! waits for its exit.
//!
//! # Modules
//!
//! Each module uses only those before it:
//!
//! | module | content |
//! |---|---|
//! | [`uri`], [`wire`] | paths and `file:` URIs; messages and frames |
//! | [`process`] | the process of a server, its streams and its end |
//! | `connection` | requests, responses and notifications over a process |
//! | [`readiness`], [`project_check`] | how much a server knows, and whether its check of the project has ended |
//! | [`launch`], `initialize` | how a server is started, and the parameters of `initialize` |
//! | [`session`] | what a server has sent on its own, and the responses to its requests |
//! | [`client`] | a client of one server, of all these parts |
//! | [`documents`], `text_change` | the documents that a server has open, in sync with the disk |
//! | [`built_in`], [`configuration`] | which program is the server of a language |
//! | [`language_server`], [`diagnostics`] | a running server with its documents, and their diagnostics |
//! | [`servers`] | the servers of a workspace: start, sharing, restart, end |
//! | [`convert`] | protocol values to treegraft's and back |

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
mod text_change;
pub mod documents;
mod watched_files;
pub mod built_in;
pub mod configuration;
pub mod language_server;
pub mod diagnostics;
pub mod servers;
pub mod convert;

use std::fmt;
use std::time::Duration;

/// How much a server knew when it answered.
///
/// Servers that are still indexing give incomplete answers without any error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Completeness {
    /// It knows everything that it can know.
    Complete,
    /// It is still reading the project.
    StillIndexing {
        /// What it is doing.
        what: String,
    },
    /// Its knowledge is incomplete and will stay so.
    Degraded {
        /// What is missing.
        why: String,
    },
}

impl Completeness {
    /// Returns the first of the two that is not complete.
    pub fn or(self, other: Completeness) -> Completeness {
        match self {
            Completeness::Complete => other,
            known => known,
        }
    }
}

/// The failure of a server.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{server}: {situation}")]
pub struct ServerError {
    /// The name of the server.
    pub server: String,
    /// The command that was tried; for a server that is not installed, the preferred one.
    pub command: Vec<String>,
    /// The end of the server's standard error, at most
    /// [`STDERR_TAIL`](process::STDERR_TAIL) bytes; empty if it wrote nothing or never ran.
    pub tail: String,
    /// The first line of the server's standard error that reports an error; empty if it wrote nothing or never ran.
    pub first_error: String,
    /// The failure.
    pub situation: Situation,
}

/// How a server failed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Situation {
    /// No server can be started for the language.
    #[error("{why}")]
    NotInstalled {
        /// The reason.
        why: Missing,
    },
    /// The system did not start the program.
    #[error("cannot be started: {source_text}")]
    SpawnFailed {
        /// The error of the system.
        source_text: String,
    },
    /// It started but failed to initialize.
    #[error("failed to initialize: {why}")]
    HandshakeFailed {
        /// The reason.
        why: String,
    },
    /// It did not answer in time; the request was cancelled.
    #[error("did not answer {method} within {} ms", waited.as_millis())]
    Timeout {
        /// The method of the request.
        method: String,
        /// The timeout.
        waited: Duration,
        /// Why a message that arrived in the meantime could not be read. It may have been the
        /// response.
        unreadable: Option<String>,
    },
    /// It exited, before or during the request.
    #[error("exited: {how}")]
    Crashed {
        /// The exit status or signal.
        how: String,
        /// How long treegraft waits before it restarts the server; `None` if the next request
        /// restarts it.
        retry_in: Option<Duration>,
    },
    /// The response does not conform to the protocol.
    #[error("cannot read its answer to {method}: {why}")]
    Malformed {
        /// The method of the request.
        method: String,
        /// What is wrong with the response.
        why: String,
    },
    /// The request needs a complete index, and the server is still indexing.
    #[error("not ready: {completeness}")]
    NotReady {
        /// How much it knows.
        completeness: Completeness,
        /// The timeout.
        waited: Duration,
    },
    /// The server responded with an error.
    #[error("refused {method}: {message} ({code})")]
    Refused {
        /// The method of the request.
        method: String,
        /// The code of the error (LSP 3.17, `ErrorCodes`).
        code: i64,
        /// The server's message.
        message: String,
    },
}

/// Why no server can be started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Missing {
    /// The language has no built-in server.
    NoServer,
    /// The user's configuration turns it off.
    Disabled,
    /// `treegraft.toml` chooses a program that is not one of the built-in server.
    NotBuiltIn {
        /// The chosen program.
        program: String,
        /// The programs of the built-in server.
        built_in: Vec<String>,
    },
    /// None of its programs is on the search path.
    NotOnPath {
        /// The programs that were tried, in order.
        programs: Vec<String>,
        /// How to install the first; empty if that is not known.
        install: String,
    },
    /// The program on the search path only starts another one, which is not installed: a rustup proxy without its
    /// component.
    NotStartedByLauncher {
        /// The program on the search path.
        launcher: String,
        /// The line in which it reports that.
        report: String,
        /// How to install the program.
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
            Missing::NoServer => f.write_str("no built-in server"),
            Missing::Disabled => f.write_str("disabled in the configuration"),
            Missing::NotBuiltIn { program, .. } => {
                write!(
                    f,
                    "treegraft.toml chooses `{program}`, which is not a built-in server"
                )
            }
            Missing::NotOnPath { programs, .. } => {
                write!(f, "not found on PATH: {}", programs.join(", "))
            }
            Missing::NotStartedByLauncher {
                launcher, report, ..
            } => write!(
                f,
                "`{launcher}` is only a launcher for it, and reports: {report}"
            ),
        }
    }
}
