//! A client of one server. Input: a [`Launch`]. Output: the results of requests. Dropping the
//! client ends the process.
//!
//! Joins the parts of a running server: the connection to its process, the state of its session, and how
//! ready it is. If the server does not answer in time, in the right form, or at all, the result is a
//! [`ServerError`].

use std::collections::HashSet;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use camino::Utf8Path;
use gen_lsp_types::{ServerCapabilities, WorkspaceEdit};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::connection::{Connection, Handler};
use super::initialize::initialize_params;
use super::launch::Launch;
use super::monitor::lock;
use super::process::Processes;
use super::project_check::{CheckState, ProjectCheck};
use super::readiness::{ReadyRule, WaitFor};
use super::session::{PublishedDiagnostics, Session};
use super::wire::INVALID_PARAMS;
use super::{Completeness, ServerError, Situation};
use crate::source::Encoding;

/// How often to repeat a request that the server dropped because files changed, and the pause
/// before the first repetition. The pause doubles each time.
const MAX_RETRIES: u32 = 5;
const FIRST_PAUSE: Duration = Duration::from_millis(50);

/// `ContentModified` and `ServerCancelled` (LSP 3.17, `ErrorCodes`): the request may be repeated.
const RETRIABLE: [i64; 2] = [-32801, -32802];

/// A client of an initialized server. Dropping it ends the server.
#[derive(Debug)]
pub struct LspClient {
    launch: Launch,
    connection: Connection,
    session: Arc<Session>,
    capabilities: Value,
    /// The name and the version that the server reports.
    title: Option<String>,
    encoding: Encoding,
    /// The methods that the server has answered; the first answer to each may be slow.
    answered: Mutex<HashSet<String>>,
    /// Held while a command is executed: an edit that the server requests does not name its
    /// command.
    executing: Mutex<()>,
}

/// The outcome of a command of the server.
#[derive(Clone, Debug, PartialEq)]
pub struct CommandResult {
    /// Its result; null for most.
    pub result: Value,
    /// The edits that the server requested during the command. They are not applied.
    pub edits: Vec<WorkspaceEdit>,
}

impl LspClient {
    /// Starts a server and waits until it is initialized, at most [`Timeouts::start`](super::launch::Timeouts).
    ///
    /// # Errors
    /// `SpawnFailed` and `HandshakeFailed`; no process is left then.
    pub fn start(launch: Launch, processes: &Processes) -> Result<LspClient, ServerError> {
        let session = Arc::new(Session::new(&launch));
        let connection = connect(&launch, session.clone())
            .map_err(|source_text| not_started(&launch, Situation::SpawnFailed { source_text }))?;
        processes.add(connection.process());
        let mut client = LspClient {
            launch,
            connection,
            session,
            capabilities: Value::Null,
            title: None,
            encoding: Encoding::Utf16,
            answered: Mutex::default(),
            executing: Mutex::default(),
        };
        client.initialize()?;
        Ok(client)
    }

    /// Exchanges capabilities with the server, and sends the user's settings.
    fn initialize(&mut self) -> Result<(), ServerError> {
        let params = initialize_params(&self.launch);
        let within = self.launch.timeouts.start;
        let why = match self.connection.request("initialize", params, within) {
            Ok(result) => match serde_json::from_str(&result) {
                Ok(Value::Object(mut result)) => {
                    let capabilities = result.remove("capabilities");
                    self.capabilities = capabilities.unwrap_or_default();
                    self.title = result.get("serverInfo").and_then(title);
                    self.initialized();
                    return Ok(());
                }
                _ => "no capabilities in the answer to initialize".to_string(),
            },
            Err(situation) => situation.to_string(),
        };
        self.connection.stop(false);
        // Its last output explains more than its exit status.
        self.connection.process().wait_until_drained();
        Err(self.error(Situation::HandshakeFailed { why }))
    }

    fn initialized(&mut self) {
        self.encoding = match self.capabilities["positionEncoding"].as_str() {
            Some("utf-8") => Encoding::Utf8,
            Some("utf-32") => Encoding::Utf32,
            _ => Encoding::Utf16,
        };
        self.session.initialized();
        self.send("initialized", json!({}));
        if let ReadyRule::Notification { requested_by, .. } = self.launch.ready {
            self.send(requested_by, json!({}));
        }
        let settings = match &self.launch.settings {
            Value::Null => json!({}),
            settings => settings.clone(),
        };
        let params = json!({"settings": settings});
        self.send("workspace/didChangeConfiguration", params);
    }

    /// Returns how it was started.
    pub fn launch(&self) -> &Launch {
        &self.launch
    }

    /// Returns the server's capabilities as it sent them.
    pub fn capabilities(&self) -> &Value {
        &self.capabilities
    }

    /// Returns the name and the version that the server reports.
    pub fn title(&self) -> Option<&str> {
        self.title.as_deref()
    }

    /// Returns the server's capabilities as a type of the protocol.
    ///
    /// # Errors
    /// `Malformed` if they do not conform to the protocol.
    pub fn typed_capabilities(&self) -> Result<ServerCapabilities, ServerError> {
        self.decode("initialize", self.capabilities.clone())
    }

    /// Returns whether the server supports a method, by its capabilities (`provider`, such as
    /// `diagnosticProvider`) or by a registration (`method`, such as `textDocument/diagnostic`).
    pub fn can(&self, provider: &str, method: &str) -> bool {
        let has_capability = match &self.capabilities[provider] {
            Value::Null => false,
            Value::Bool(can) => *can,
            _ => true,
        };
        has_capability || !self.registrations(method).is_empty()
    }

    /// Returns the options with which the server has registered a method.
    pub fn registrations(&self, method: &str) -> Vec<Value> {
        self.session.registrations(method)
    }

    /// Returns the unit of columns.
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// Sends a request and waits for its result: [`Timeouts::cold`](super::launch::Timeouts) before the
    /// first answer to this method and while the server is indexing, else
    /// [`Timeouts::warm`](super::launch::Timeouts).
    ///
    /// # Errors
    /// `Timeout`, `Crashed`, `Refused`; and `Malformed` if the result is not an `R`.
    pub fn ask<R: DeserializeOwned>(
        &self,
        method: &str,
        params: impl Serialize,
    ) -> Result<R, ServerError> {
        self.ask_within(method, params, self.timeout(method))
    }

    /// Sends a request and waits at most `within` for its result.
    ///
    /// # Errors
    /// As [`LspClient::ask`].
    pub fn ask_within<R: DeserializeOwned>(
        &self,
        method: &str,
        params: impl Serialize,
        within: Duration,
    ) -> Result<R, ServerError> {
        let params = serde_json::to_value(params).map_err(|error| {
            self.error(Situation::Refused {
                method: method.to_string(),
                code: INVALID_PARAMS,
                message: error.to_string(),
            })
        })?;
        let result = self.request_with_retries(method, &params, within);
        let result = result.map_err(|situation| self.error(situation))?;
        lock(&self.answered).insert(method.to_string());
        serde_json::from_str(&result).map_err(|error| self.malformed(method, &error))
    }

    /// Sends a request. Repeats it while the server drops it because files have changed.
    fn request_with_retries(
        &self,
        method: &str,
        params: &Value,
        within: Duration,
    ) -> Result<String, Situation> {
        let deadline = Instant::now() + within;
        let mut pause = FIRST_PAUSE;
        let mut retries = 0;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.connection.request(method, params.clone(), left) {
                Err(Situation::Refused { code, .. })
                    if RETRIABLE.contains(&code)
                        && retries < MAX_RETRIES
                        && Instant::now() + pause < deadline =>
                {
                    thread::sleep(pause);
                    pause *= 2;
                    retries += 1;
                }
                Err(Situation::Timeout {
                    method, unreadable, ..
                }) => {
                    return Err(Situation::Timeout {
                        method,
                        waited: within,
                        unreadable,
                    });
                }
                result => return result,
            }
        }
    }

    /// Queues a notification, which is sent after all earlier requests and notifications.
    ///
    /// # Errors
    /// `Crashed`, and `Timeout` if the server has not read its input for long.
    pub fn notify(&self, method: &str, params: impl Serialize) -> Result<(), ServerError> {
        if let Some(failure) = self.connection.failure(method) {
            return Err(self.error(failure));
        }
        let params = serde_json::to_value(params).unwrap_or_default();
        let queued = self.session.notify(&self.connection, method, params);
        queued.map_err(|situation| self.error(situation))
    }

    /// Queues a notification of the handshake. If the queue is full, the next request fails.
    fn send(&self, method: &str, params: Value) {
        let _ = self.session.notify(&self.connection, method, params);
    }

    /// Makes the server execute a command (`workspace/executeCommand`). Collects the edits that it
    /// requests during the command, and answers that they are applied.
    ///
    /// # Errors
    /// As [`LspClient::ask`].
    pub fn execute(
        &self,
        command: &str,
        arguments: &[Value],
    ) -> Result<CommandResult, ServerError> {
        const METHOD: &str = "workspace/executeCommand";
        let _executing = lock(&self.executing);
        self.session.collect_edits();
        let params = json!({"command": command, "arguments": arguments});
        let result = self.ask(METHOD, params);
        let edits = self.session.take_edits().into_iter();
        let edits = edits.map(|edit| self.decode(METHOD, edit));
        Ok(CommandResult {
            result: result?,
            edits: edits.collect::<Result<_, _>>()?,
        })
    }

    /// Returns how much the server knows now.
    pub fn completeness(&self) -> Completeness {
        self.session.completeness(Instant::now()).0
    }

    /// Waits at most `within` until the server is ready. Returns how much it knows then.
    pub fn wait_until_ready(&self, within: Duration) -> Completeness {
        let deadline = Instant::now() + within;
        loop {
            let now = Instant::now();
            let (completeness, wait) = self.session.completeness(now);
            let is_indexing = matches!(completeness, Completeness::StillIndexing { .. });
            if !is_indexing || now >= deadline || !self.is_alive() {
                return completeness;
            }
            match wait {
                WaitFor::Message => self.session.wait(deadline),
                WaitFor::MessageUntil(until) => self.session.wait(until.min(deadline)),
                WaitFor::Response(request) => self.wait_until_idle(request, deadline),
            }
        }
    }

    /// Waits until the server has processed all notifications; it answers this request then.
    fn wait_until_idle(&self, request: &str, deadline: Instant) {
        let within = deadline.saturating_duration_since(Instant::now());
        let session = &self.session;
        if session
            .wait_until_idle(&self.connection, request, within)
            .is_err()
        {
            // The caller detects a timeout and the end of the server.
            thread::sleep(FIRST_PAUSE.min(within));
        }
    }

    /// Does the same as [`LspClient::wait_until_ready`], but refuses if the server is still
    /// indexing.
    ///
    /// # Errors
    /// `NotReady`, and `Crashed`.
    pub fn ready_or_refuse(&self, within: Duration) -> Result<Completeness, ServerError> {
        let completeness = self.wait_until_ready(within);
        if let Some(failure) = self.connection.failure("readiness") {
            return Err(self.error(failure));
        }
        match completeness {
            Completeness::StillIndexing { .. } => Err(self.error(Situation::NotReady {
                completeness,
                waited: within,
            })),
            ready => Ok(ready),
        }
    }

    /// Runs a check of the whole project on the files as they are and waits for its end, at most until
    /// `deadline`; returns whether it has ended. A run that was requested before `since` counts only if it
    /// is still running and no file has changed.
    pub fn run_check(
        &self,
        check: ProjectCheck,
        since: Instant,
        deadline: Instant,
    ) -> Completeness {
        loop {
            let now = Instant::now();
            let connection = &self.connection;
            let until = match self.session.check_state(connection, check, since, now) {
                CheckState::NotRequested => continue,
                CheckState::Ended => return Completeness::Complete,
                CheckState::NotStarted => {
                    let why = format!("`{}` did not start", check.name);
                    return Completeness::Degraded { why };
                }
                CheckState::Running { until } => until.unwrap_or(deadline),
            };
            if now >= deadline || !self.is_alive() {
                let what = format!("`{}` is still running", check.name);
                return Completeness::StillIndexing { what };
            }
            self.session.wait(until.min(deadline));
        }
    }

    /// Returns the diagnostics that the server last published for a document.
    pub fn published(&self, path: &Utf8Path) -> Option<PublishedDiagnostics> {
        self.session.published(path)
    }

    /// Waits until the diagnostics that the server last published for a document satisfy the predicate.
    /// Returns `None` if they do not in that time.
    pub fn wait_for_published(
        &self,
        path: &Utf8Path,
        deadline: Instant,
        is_wanted: impl Fn(&PublishedDiagnostics) -> bool,
    ) -> Option<PublishedDiagnostics> {
        loop {
            let wanted = self.published(path).filter(&is_wanted);
            if wanted.is_some() || Instant::now() >= deadline || !self.is_alive() {
                return wanted;
            }
            self.session.wait(deadline);
        }
    }

    /// Returns why a file without diagnostics may have errors.
    pub fn diagnostics_limitation(&self) -> Option<String> {
        let limitation = self.launch.diagnostics.limitation;
        let off = self.session.diagnostics_off();
        off.or_else(|| limitation.map(str::to_string))
    }

    /// Returns whether the server is running.
    pub fn is_alive(&self) -> bool {
        self.connection.is_open()
    }

    /// Returns when and how the server exited, if it has.
    pub fn exit(&self) -> Option<(Instant, String)> {
        let closed = self.connection.closed()?;
        Some((closed.at, closed.how))
    }

    /// Returns the number of its process, which is that of its process group too.
    pub fn process_id(&self) -> u32 {
        self.connection.process().id()
    }

    /// Returns the end of the server's standard error, at most
    /// [`STDERR_TAIL`](super::process::STDERR_TAIL) bytes.
    pub fn last_stderr(&self) -> String {
        self.connection.process().last_stderr()
    }

    /// Returns how many messages of the server could not be read.
    pub fn unreadable_count(&self) -> u64 {
        self.connection.unreadable_count()
    }

    /// Returns an error of this server.
    pub fn error(&self, situation: Situation) -> ServerError {
        ServerError {
            tail: self.last_stderr(),
            first_error: self.connection.process().first_error(),
            ..not_started(&self.launch, situation)
        }
    }

    /// Ends the server: asks it to shut down, then signals its process group, then kills it. Takes little
    /// more than three times [`Timeouts::stop`](super::launch::Timeouts).
    pub fn stop(&self) {
        self.connection.stop(true);
    }

    fn timeout(&self, method: &str) -> Duration {
        let timeouts = &self.launch.timeouts;
        let is_indexing = matches!(self.completeness(), Completeness::StillIndexing { .. });
        match is_indexing || !lock(&self.answered).contains(method) {
            true => timeouts.cold.max(timeouts.warm),
            false => timeouts.warm,
        }
    }

    fn decode<R: DeserializeOwned>(&self, method: &str, value: Value) -> Result<R, ServerError> {
        serde_json::from_value(value).map_err(|error| self.malformed(method, &error))
    }

    fn malformed(&self, method: &str, error: &serde_json::Error) -> ServerError {
        self.error(Situation::Malformed {
            method: method.to_string(),
            why: error.to_string(),
        })
    }
}

impl Drop for LspClient {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Starts the process of a server; the error is what the system reports.
fn connect(launch: &Launch, handler: Arc<dyn Handler>) -> Result<Connection, String> {
    let (Some((program, arguments)), Some(root)) =
        (launch.command.split_first(), launch.roots.first())
    else {
        return Err("no command or no root".to_string());
    };
    Connection::open((program, arguments), root, launch.timeouts.stop, handler)
        .map_err(|error| error.to_string())
}

/// Returns the `serverInfo` of the answer to `initialize` as text.
fn title(info: &Value) -> Option<String> {
    let name = info["name"].as_str()?;
    let version = info["version"].as_str().unwrap_or_default();
    // gopls returns its build information as JSON.
    let version = if version.starts_with('{') {
        ""
    } else {
        version
    };
    Some(format!("{name} {version}").trim_end().to_string())
}

/// Returns an error of a server that has no process.
fn not_started(launch: &Launch, situation: Situation) -> ServerError {
    ServerError {
        server: launch.name.clone(),
        command: launch.command.clone(),
        tail: String::new(),
        first_error: String::new(),
        situation,
    }
}
