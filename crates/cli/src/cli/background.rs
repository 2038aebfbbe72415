//! The background process of a workspace, which keeps its language servers between command lines.
//!
//! `serve --background` starts it, or the first question if the user's configuration contains `background = true`. It listens at a Unix socket in the state directory, and ends when it gets no question
//! for long. A verb that asks a language server sends its call there: one line of JSON with the tool and its arguments.
//! The process accepts it or not with a line, and answers with another: the answer as JSON and as text, and the exit
//! code. A call is made in the verb's own process if nothing listens, or if the process was started by another build of
//! the program, with another `PATH`, or with another configuration.
//!
//! Only the user can reach the socket: directory and socket must belong to the user, and the directory must be closed to
//! others. A lock, which ends with the process, makes sure that a workspace has one process.

mod client;
mod server;
mod socket;

pub(super) use client::{Made, ask};
pub(super) use server::{background, process};

use camino::Utf8Path;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use treegraft::workspace;

use super::Environment;
use crate::user_files;

/// What a process is about. Both sides must agree on it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Identity {
    /// The version, path, size and time of the program.
    build: String,
    /// The size and time of the user's configuration.
    configuration: String,
    /// Where language servers are looked for.
    search_path: String,
}

impl Identity {
    fn from_environment(environment: &Environment) -> Identity {
        let stamp = |path: Option<&Utf8Path>| {
            let stamp = path.and_then(user_files::stamp);
            format!("{} {stamp:?}", path.map_or("", Utf8Path::as_str))
        };
        let version = env!("CARGO_PKG_VERSION");
        let program = stamp(environment.program.as_deref());
        Identity {
            build: format!("{version} {program}"),
            configuration: stamp(workspace::user_configuration_path().as_deref()),
            search_path: workspace::search_path().to_string_lossy().into_owned(),
        }
    }

    /// Returns how the identity of a process differs from this one.
    fn difference(&self, other: &Identity) -> Option<&'static str> {
        match other {
            other if self.build != other.build => Some("it is another build of treegraft"),
            other if self.configuration != other.configuration => {
                Some("your configuration has changed since it started")
            }
            other if self.search_path != other.search_path => Some("it has another PATH"),
            _ => None,
        }
    }
}

/// What is asked of the process.
#[derive(Debug, Serialize, Deserialize)]
struct Request {
    identity: Identity,
    asked: Asked,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Asked {
    /// Make a call.
    Call(AskedCall),
    /// Return the number of the process.
    Describe,
    /// End.
    Stop,
}

/// A call of a tool, as in a batch.
#[derive(Debug, Serialize, Deserialize)]
struct AskedCall {
    tool: String,
    arguments: Value,
    /// The directory that relative paths start at, if it is not the first root.
    base: Option<String>,
    /// The roots of `--root`, which suggested commands repeat.
    named_roots: Vec<String>,
}

/// Whether the process takes a request.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Taken {
    Yes {
        /// The number of the process.
        process: u32,
    },
    No {
        why: String,
    },
}

/// The answer to a call, as the command line prints it.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Answered {
    pub(super) is_refusal: bool,
    pub(super) json: Value,
    pub(super) text: String,
    pub(super) exit_code: u8,
}
