//! Hooks under the edit tools that agents' own clients have (docs/design/front-ends.md#hooks).
//!
//! A client describes a call of its edit tool on standard input, before or after it runs, and reads the answer from
//! standard output. Input: the bytes of an event. Output: the answer, or nothing, which lets the call pass. Everything
//! unexpected passes: an unknown event, a file outside the client's project, an unreadable file, an error of treegraft
//! itself.
//!
//! | module | decides |
//! |---|---|
//! | [`event`] | what all events have in common |
//! | [`claude_code`], [`codex`], [`gemini_cli`], [`opencode`] | how a client writes its events, and how it reads answers |
//! | [`patch`] | what a patch of `apply_patch` changes |
//! | [`decide`] | what to answer: pass, inform, correct, or deny once |
//! | [`words`] | the texts that the agent reads |

mod claude_code;
mod codex;
mod decide;
mod event;
mod gemini_cli;
mod opencode;
mod patch;
mod words;

use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::Value;

use treegraft::workspace::Guard;

use decide::Project;
use event::{Event, Protocol};

/// A client with hooks.
pub(crate) struct HookClient {
    /// Its name, as in `treegraft client install`.
    pub(crate) name: &'static str,
    protocol: &'static dyn Protocol,
}

/// All clients with hooks that can check an edit before it is written.
pub(crate) const HOOK_CLIENTS: &[HookClient] = &[
    HookClient {
        name: "claude-code",
        protocol: &claude_code::ClaudeCode,
    },
    HookClient {
        name: "codex",
        protocol: &codex::Codex,
    },
    HookClient {
        name: "gemini-cli",
        protocol: &gemini_cli::GeminiCli,
    },
    HookClient {
        name: "opencode",
        protocol: &opencode::Opencode,
    },
];

/// What an event is answered with.
#[derive(Clone, Debug)]
pub(crate) struct HookOptions {
    /// What to do with a call that would fail or break the syntax.
    pub(crate) guard: Guard,
    /// How long to wait for the language server of an edited file; it is not asked if absent.
    pub(crate) diagnostics: Option<Duration>,
    /// The working directory, for events without one.
    pub(crate) current: Utf8PathBuf,
}

/// Returns the answer to an event of the client called `client`; `None` lets the call pass unseen.
pub(crate) fn answer(client: &str, event: &[u8], options: HookOptions) -> Option<Value> {
    let client = HOOK_CLIENTS.iter().find(|known| known.name == client)?;
    let mut value: Value = serde_json::from_slice(event).ok()?;
    let fields = value.as_object_mut()?;
    fields
        .entry("cwd")
        .or_insert_with(|| options.current.as_str().into());
    let protocol = client.protocol;
    let asked = protocol.event(&value)?;
    let project = Project::open(Utf8Path::new(value["cwd"].as_str()?))?;
    let decision = match asked {
        Event::Before(call) => project.before(protocol, &call, options.guard),
        Event::Rejected(calls) => project.rejected(protocol, &calls, options.guard),
        Event::Edited { path, before } => project.edited(&path, &before, options.diagnostics?),
    };
    protocol.answer(&value, decision)
}

/// Returns an absolute path from one in an event, which may be relative to the event's directory.
fn absolute(value: &Value, path: &str) -> Option<Utf8PathBuf> {
    let path = Utf8Path::new(path);
    if path.is_absolute() {
        return Some(path.to_owned());
    }
    let current = Utf8Path::new(value["cwd"].as_str()?);
    current.is_absolute().then(|| current.join(path))
}
