//! The unsolicited messages of a server since its start, and the responses to its requests.

use std::collections::{BTreeMap, HashMap};
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};
use gen_lsp_types::Diagnostic;
use serde_json::{Value, json};

use super::connection::{Connection, Handler};
use super::initialize::workspace_folders;
use super::launch::{DiagnosticsRule, Launch};
use super::monitor::Monitor;
use super::project_check::{CheckState, CheckTracker, ProjectCheck};
use super::readiness::{Readiness, ReadyRule, WaitFor};
use super::uri::path_of;
use super::wire::{METHOD_NOT_FOUND, ResponseError};
use super::{Completeness, Situation};

/// The maximum number of documents whose published diagnostics are kept.
const PUBLISHED_LIMIT: usize = 10_000;

/// The diagnostics that a server last published for a document.
#[derive(Clone, Debug, PartialEq)]
pub struct PublishedDiagnostics {
    /// The version of the document, if the server sends one.
    pub version: Option<i64>,
    /// The diagnostics.
    pub items: Vec<Diagnostic>,
    /// When they were received.
    pub received: Instant,
    /// The server was still reading the project, so they may be of a part of it.
    pub is_early: bool,
}

/// The unsolicited messages of a server.
#[derive(Debug)]
pub(super) struct Session {
    settings: Value,
    roots: Vec<Utf8PathBuf>,
    ready: ReadyRule,
    diagnostics: DiagnosticsRule,
    state: Monitor<SessionState>,
}

#[derive(Debug)]
struct SessionState {
    readiness: Readiness,
    check: CheckTracker,
    /// The edits that the server requests while they are collected.
    requested_edits: Option<Vec<Value>>,
    /// The message by which the server reported that it has no diagnostics.
    diagnostics_off: Option<String>,
    published: HashMap<Utf8PathBuf, PublishedDiagnostics>,
    /// By the id of a registration: its method and options.
    registered: BTreeMap<String, (String, Value)>,
}

impl Session {
    pub(super) fn new(launch: &Launch) -> Session {
        let readiness = Readiness::new(
            launch.ready,
            launch.tracking,
            launch.roots.clone(),
            launch.limitation.clone(),
        );
        Session {
            settings: launch.settings.clone(),
            roots: launch.roots.clone(),
            ready: launch.ready,
            diagnostics: launch.diagnostics,
            state: Monitor::new(SessionState {
                readiness,
                check: CheckTracker::default(),
                requested_edits: None,
                diagnostics_off: None,
                published: HashMap::new(),
                registered: BTreeMap::new(),
            }),
        }
    }

    /// Records that the handshake is complete.
    pub(super) fn initialized(&self) {
        self.state.change(|state| state.readiness.initialized());
    }

    /// Sends a notification that may change how much the server knows.
    pub(super) fn notify(
        &self,
        connection: &Connection,
        method: &str,
        params: Value,
    ) -> Result<(), Situation> {
        let mut state = self.state.lock();
        if let "textDocument/didChange" | "workspace/didChangeWatchedFiles" = method {
            state.check.files_changed();
        }
        state.readiness.notification_sent(method, &params);
        // Queue it before another thread reads how many were sent.
        connection.notify(method, params)
    }

    /// Returns how much the server knows, and what may change that.
    pub(super) fn completeness(&self, now: Instant) -> (Completeness, WaitFor) {
        self.state.lock().readiness.completeness(now)
    }

    /// Waits for a message of the server, at most until `deadline`.
    pub(super) fn wait(&self, deadline: Instant) {
        self.state.wait(deadline);
    }

    /// Sends the request that the server answers once it has processed all notifications, and waits for
    /// the response.
    pub(super) fn wait_until_idle(
        &self,
        connection: &Connection,
        request: &str,
        within: Duration,
    ) -> Result<(), Situation> {
        let sent = self.state.lock().readiness.sent();
        match connection.request(request, Value::Null, within) {
            Ok(_) => self.state.change(|state| state.readiness.idle_after(sent)),
            Err(Situation::Refused { code, .. }) if code == METHOD_NOT_FOUND => self
                .state
                .change(|state| state.readiness.idle_request_unsupported()),
            Err(situation) => return Err(situation),
        }
        Ok(())
    }

    /// Returns the state of a check, and requests a run if none covers the files as they are.
    pub(super) fn check_state(
        &self,
        connection: &Connection,
        check: ProjectCheck,
        since: Instant,
        now: Instant,
    ) -> CheckState {
        let mut state = self.state.lock();
        let is_active = state.readiness.is_active(|token| check.has_token(token));
        let current = state.check.state(since, is_active, now);
        if let CheckState::NotRequested = current {
            state.check.requested(now);
            // If the queue is full, the run does not start, which is noticed.
            let params = json!({"textDocument": null});
            let _ = connection.notify(check.start, params);
        }
        current
    }

    /// Collects the edits that the server requests from now on.
    pub(super) fn collect_edits(&self) {
        self.state.lock().requested_edits = Some(Vec::new());
    }

    /// Returns the collected edits, and collects no more.
    pub(super) fn take_edits(&self) -> Vec<Value> {
        let edits = self.state.lock().requested_edits.take();
        edits.unwrap_or_default()
    }

    /// Returns the message by which the server reported that it has no diagnostics.
    pub(super) fn diagnostics_off(&self) -> Option<String> {
        self.state.lock().diagnostics_off.clone()
    }

    /// Returns the options of all registrations of a method.
    pub(super) fn registrations(&self, method: &str) -> Vec<Value> {
        let state = self.state.lock();
        let of_method = state.registered.values().filter(|(one, _)| one == method);
        of_method.map(|(_, options)| options.clone()).collect()
    }

    /// Returns the diagnostics that the server last published for a document.
    pub(super) fn published(&self, path: &Utf8Path) -> Option<PublishedDiagnostics> {
        self.state.lock().published.get(path).cloned()
    }

    /// Returns the user's setting `a.b.c`; null if there is none.
    fn setting(&self, section: &str) -> Value {
        let names = section.split('.').filter(|name| !name.is_empty());
        names
            .fold(&self.settings, |value, name| &value[name])
            .clone()
    }

    fn configuration(&self, params: &Value) -> Value {
        let items = params["items"].as_array().map_or(&[][..], Vec::as_slice);
        let sections = items.iter().map(|item| item["section"].as_str());
        let settings = sections.map(|section| self.setting(section.unwrap_or("")));
        settings.collect()
    }

    fn apply_edit(&self, edit: Value) -> Value {
        match &mut self.state.lock().requested_edits {
            Some(edits) => {
                edits.push(edit);
                json!({"applied": true})
            }
            None => json!({"applied": false, "failureReason": "no edit was requested"}),
        }
    }

    fn register(&self, registrations: &Value) {
        self.state.change(|state| {
            for one in registrations.as_array().into_iter().flatten() {
                if let (Some(id), Some(method)) = (one["id"].as_str(), one["method"].as_str()) {
                    let registration = (method.to_string(), one["registerOptions"].clone());
                    state.registered.insert(id.to_string(), registration);
                }
            }
        });
    }

    fn unregister(&self, unregistrations: &Value) {
        self.state.change(|state| {
            for one in unregistrations.as_array().into_iter().flatten() {
                state.registered.remove(one["id"].as_str().unwrap_or(""));
            }
        });
    }

    fn progress_reported(&self, params: &Value) {
        let (token, value) = (params["token"].to_string(), &params["value"]);
        self.state.change(|state| {
            if self.diagnostics.is_check_token(&token) {
                state.check.progress_reported(value["kind"].as_str());
            }
            state.readiness.progress_reported(token, value);
        });
    }

    fn message_logged(&self, params: &Value) {
        let message = params["message"].as_str().unwrap_or_default();
        self.state.change(|state| {
            state.readiness.message_logged(message);
            if let Some(reason) = self.diagnostics.off_reason(message) {
                state.diagnostics_off = Some(reason);
            }
        });
    }

    fn status_reported(&self, params: &Value) {
        self.state.change(|state| {
            // A check that ends before or while the project is read again is incomplete.
            if state.readiness.status_reported(params) {
                state.check.files_changed();
            }
        });
    }

    fn diagnostics_published(&self, mut params: Value) -> Result<(), String> {
        let path = params["uri"].as_str().and_then(path_of);
        let items = serde_json::from_value(params["diagnostics"].take());
        let items = items.map_err(|error| error.to_string())?;
        let path = path.ok_or("not the URI of a file")?;
        let version = params["version"].as_i64();
        let received = Instant::now();
        self.state.change(|state| {
            let readiness = &mut state.readiness;
            readiness.diagnostics_published(&path, version);
            let (completeness, _) = readiness.completeness(received);
            let published = PublishedDiagnostics {
                version,
                items,
                received,
                is_early: matches!(completeness, Completeness::StillIndexing { .. }),
            };
            let has_space = state.published.len() < PUBLISHED_LIMIT;
            if has_space || state.published.contains_key(&path) {
                state.published.insert(path, published);
            }
        });
        Ok(())
    }
}

impl Handler for Session {
    fn request(&self, method: &str, mut params: Value) -> Result<Value, ResponseError> {
        match method {
            "workspace/configuration" => Ok(self.configuration(&params)),
            "workspace/workspaceFolders" => Ok(workspace_folders(&self.roots)),
            "workspace/applyEdit" => Ok(self.apply_edit(params["edit"].take())),
            "client/registerCapability" => {
                self.register(&params["registrations"]);
                Ok(Value::Null)
            }
            "client/unregisterCapability" => {
                // The protocol's own spelling.
                self.unregister(&params["unregisterations"]);
                Ok(Value::Null)
            }
            "window/showDocument" => Ok(json!({"success": false})),
            "window/workDoneProgress/create"
            | "window/showMessageRequest"
            | "workspace/semanticTokens/refresh"
            | "workspace/inlayHint/refresh"
            | "workspace/inlineValue/refresh"
            | "workspace/codeLens/refresh"
            | "workspace/diagnostic/refresh"
            | "workspace/foldingRange/refresh" => Ok(Value::Null),
            _ => Err(ResponseError {
                code: METHOD_NOT_FOUND,
                message: format!("{method} is not supported"),
            }),
        }
    }

    fn notification(&self, method: &str, params: Value) -> Result<(), String> {
        match method {
            "$/progress" => self.progress_reported(&params),
            "window/logMessage" => self.message_logged(&params),
            "experimental/serverStatus" => self.status_reported(&params),
            "textDocument/publishDiagnostics" => return self.diagnostics_published(params),
            _ if self.ready.is_ready_notification(method) => {
                self.state.change(|state| state.readiness.ready_notified());
            }
            // Most others are for people.
            _ => {}
        }
        Ok(())
    }

    fn closed(&self) {
        self.state.change(|state| state.readiness.closed());
    }
}
