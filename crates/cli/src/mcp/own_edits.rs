//! Notifies a client when somebody else applies or discards an edit that its session has staged.
//!
//! Clients of older revisions get a log message. All clients can subscribe to `treegraft://edits`.

#![expect(
    deprecated,
    reason = "clients of older revisions read log messages; others subscribe to the edits"
)]

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{CallToolResult, LoggingLevel, LoggingMessageNotificationParam};
use rmcp::service::Peer;
use serde_json::Value;

use treegraft::Code;
use treegraft::engine::Engine;
use treegraft::engine::response::{EditListed, EditStatus};

use super::Server;

/// The time between two polls.
const PAUSE: Duration = Duration::from_millis(500);
/// The maximum number of edits that are watched.
const MOST: usize = 200;

/// The edits that a session has staged.
#[derive(Clone, Default)]
pub(super) struct OwnEdits {
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    pending: HashSet<String>,
    is_watched: bool,
    /// Whether the client wants no messages of this severity.
    is_silent: bool,
}

/// The edit that a call is about, which the session itself may apply or discard.
pub(super) struct CalledEdit(Option<String>);

impl OwnEdits {
    /// Stops to watch the edit that a call is about.
    pub(super) fn before(&self, arguments: &Value) -> CalledEdit {
        let parsed = arguments.as_str();
        let parsed = parsed.and_then(|text| serde_json::from_str::<Value>(text).ok());
        let given = parsed.as_ref().unwrap_or(arguments)["edit_id"].as_str();
        let mut state = self.state();
        let own = given.filter(|given| !given.is_empty()).and_then(|given| {
            let mut pending = state.pending.iter();
            pending.find(|known| known.starts_with(given)).cloned()
        });
        if let Some(own) = &own {
            state.pending.remove(own);
        }
        CalledEdit(own)
    }

    /// Watches the edit that a call has staged, and the one that it was about if it was refused.
    pub(super) fn after(&self, called: CalledEdit, result: &CallToolResult) {
        let mut state = self.state();
        let answer = result.structured_content.as_ref();
        let staged = answer.and_then(staged_in);
        // A refusal that reports that the edit is discarded is as good as a message.
        let is_pending = answer.is_some_and(|answer| {
            let code = &answer["error"]["code"];
            code.is_string() && *code != Code::Discarded.as_str()
        });
        let about = called.0.filter(|_| is_pending);
        for edit_id in staged.map(str::to_string).into_iter().chain(about) {
            if state.pending.len() < MOST {
                state.pending.insert(edit_id);
            }
        }
    }

    /// Sets the least severity of the messages that the client wants.
    pub(super) fn set_level(&self, level: LoggingLevel) {
        self.state().is_silent = !matches!(level, LoggingLevel::Debug | LoggingLevel::Info);
    }

    /// Watches the edits until none is pending or the client has disconnected.
    pub(super) fn watch(&self, server: &Server, client: &Peer<RoleServer>) {
        let mut state = self.state();
        if state.is_watched || state.pending.is_empty() {
            return;
        }
        state.is_watched = true;
        let (own, server, client) = (self.clone(), server.clone(), client.clone());
        tokio::spawn(async move {
            while own.goes_on(&client) {
                tokio::time::sleep(PAUSE).await;
                let pending = own.state().pending.clone();
                let changes = server.ask(move |engine, _| changes(engine, &pending)).await;
                for (edit_id, message) in changes.unwrap_or_default() {
                    // A call of the session may be about it in the meantime.
                    let is_own = own.state().pending.remove(&edit_id);
                    if is_own && !own.state().is_silent {
                        log(&client, message).await;
                    }
                }
            }
        });
    }

    /// Returns whether to go on watching.
    fn goes_on(&self, client: &Peer<RoleServer>) -> bool {
        let mut state = self.state();
        state.is_watched = !client.is_transport_closed() && !state.pending.is_empty();
        state.is_watched
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the id of the edit that an answer has staged.
fn staged_in(answer: &Value) -> Option<&str> {
    let is_staged =
        |made: &Value| made["status"] == "previewed" || made["status"] == "rebase_proposed";
    let made = [answer, &answer["edit"]];
    let made = made.into_iter().find(|made| is_staged(made));
    let error = &answer["error"];
    let needs_approval = error["code"] == Code::ApprovalRequired.as_str();
    let refused = needs_approval.then_some(error);
    made.or(refused)?["edit_id"].as_str()
}

/// Returns the edits that are no longer pending, each with a message.
fn changes(engine: &Engine, pending: &HashSet<String>) -> Vec<(String, String)> {
    let edits = engine.look_up_edits(pending).into_iter();
    let changes = edits.filter_map(|edit| Some((edit.edit_id.clone(), message(&edit)?)));
    changes.collect()
}

/// Returns the message on an edit that is no longer pending.
fn message(edit: &EditListed) -> Option<String> {
    let EditListed {
        edit_id,
        summary,
        file_path,
        ..
    } = edit;
    match (edit.status, &edit.reason) {
        (EditStatus::Applied, _) => Some(format!(
            "edit {edit_id} was applied: {summary} in {file_path}"
        )),
        (EditStatus::Discarded, Some(reason)) => {
            Some(format!("edit {edit_id} was discarded: {reason}"))
        }
        (EditStatus::Discarded, None) => Some(format!("edit {edit_id} was discarded")),
        _ => None,
    }
}

async fn log(client: &Peer<RoleServer>, message: String) {
    let message = LoggingMessageNotificationParam::new(LoggingLevel::Info, Value::from(message));
    // A client that has disconnected need not be notified.
    let _ = client
        .notify_logging_message(message.with_logger("treegraft"))
        .await;
}
