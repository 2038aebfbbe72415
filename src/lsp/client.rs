//! One server's life: a [`Launch`] comes in, answers to questions go out, and at the end no process is
//! left.
//!
//! Refuses with a [`ServerError`] what the server does not answer in time, in shape, or at all. Every
//! request of the server is answered, since some wait for that for good.

#![expect(
    clippy::disallowed_methods,
    reason = "language servers are the only programs that are started, and only here"
)]

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::io::{BufReader, BufWriter, Read};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};
use gen_lsp_types::{Diagnostic, ServerCapabilities, WorkspaceEdit};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::documents::{path_of, uri_of};
use super::wire::{self, ErrorAnswer, Message, Received};
use super::{Completeness, ServerError, Situation};
use crate::source::Encoding;

/// How many of the last bytes of a server's standard error are kept.
pub const TAIL: usize = 4 << 10;

/// How many bytes may wait to be read by a server; one that has so many unread takes no more.
const MOST_QUEUED: usize = 64 << 20;

/// How many documents' pushed diagnostics are kept.
const MOST_PUSHED: usize = 10_000;

/// How many of the server's activities are kept at once.
const MOST_ACTIVITIES: usize = 1_000;

/// How often a question is asked again that the server dropped because its files changed meanwhile;
/// and how long is waited before the first time, twice as long before each other.
const MOST_RETRIES: u32 = 5;
const FIRST_PAUSE: Duration = Duration::from_millis(50);

/// `ContentModified` and `ServerCancelled` (LSP 3.17, `ErrorCodes`): ask again.
const ASK_AGAIN: [i64; 2] = [-32801, -32802];

/// What is started, and how it is spoken to.
#[derive(Clone, Debug)]
pub struct Launch {
    /// What the server is called in answers.
    pub name: String,
    /// The program and its arguments, as they are run.
    pub command: Vec<String>,
    /// The directories it is asked about, absolute; it runs in the first, so there is at least one.
    pub roots: Vec<Utf8PathBuf>,
    /// What `workspace/configuration` is answered from, by the dots in a section's name.
    pub settings: Value,
    /// What the server is given with `initialize`; null for nothing.
    pub initialization_options: Value,
    /// When it knows all it will know.
    pub ready: ReadyRule,
    /// What it takes into account of files that change.
    pub heeds: Heeds,
    /// What its diagnostics need and lack.
    pub diagnostics: DiagnosticsRule,
    /// What the project lacks, so that the server cannot know all; stands in every answer.
    pub lacks: Option<String>,
    /// How long is waited for what.
    pub budgets: Budgets,
}

/// How a server shows that it has read the project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadyRule {
    /// Its answers wait until they are right.
    AtOnce,
    /// It announces that it has read its configuration.
    Announces {
        /// The notification that asks it to.
        asked_by: &'static str,
        /// Its own notification.
        announcement: &'static str,
        /// The longest that is waited for that; then it may not know all.
        within: Duration,
    },
    /// It reports progress (`$/progress`) while it reads, and begins that at most this long after the
    /// first document was opened.
    ProgressEnds {
        /// Where no progress was reported in this time, there is none.
        begins_within: Duration,
        /// The request that it answers once it has nothing left to do with what it was told, if there is one.
        last: Option<&'static str>,
    },
    /// It reports `experimental/serverStatus` (rust-analyzer).
    ServerStatus,
    /// It reads files some time after it was told that they came or went, and after the first document
    /// was opened.
    Later {
        /// What stands in the message that it logs then; nothing of a server that shows it in no way.
        says: Option<&'static str>,
        /// The longest that is waited for that.
        within: Duration,
    },
}

/// What a server takes into account of files that change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heeds {
    /// Every file that it was told of, by the rule of its readiness.
    Files,
    /// Every file but those that came after its start.
    FilesOfItsStart,
    /// Every file, but only those that are open before its next answer (rust-analyzer).
    FilesInTheEnd,
    /// Documents that are open, and these once it has pushed diagnostics of their version, or has said that
    /// it has nothing left to do.
    OpenDocuments,
}

/// What the diagnostics of a server need and lack.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DiagnosticsRule {
    /// The check of the whole project that the server runs besides its own diagnostics, if it has one.
    pub check: Option<ProjectCheck>,
    /// What the server never looks at, so that a file without diagnostics may be wrong.
    pub lacks: Option<&'static str>,
    /// What appears in the message that it logs when it reports none because a program is missing.
    pub off_when: Option<&'static str>,
    /// The code of the diagnostic by which the server says that it does not look at a file.
    pub unread_code: Option<&'static str>,
}

impl DiagnosticsRule {
    /// What a diagnostic says, where it is that the server does not look at the file.
    pub(super) fn unread(&self, diagnostic: &Diagnostic) -> Option<String> {
        let value = serde_json::to_value(diagnostic).ok()?;
        let code = value["code"].as_str()?;
        let message = value["message"].as_str().unwrap_or(code);
        let is_unread = self.unread_code == Some(code);
        is_unread.then(|| message.lines().next().unwrap_or(code).to_string())
    }
}

/// A check of the whole project that a server runs on request, in a process of its own (rust-analyzer: `cargo
/// check`). Its progress is reported, and what it finds is pushed; neither is part of the answer to
/// `textDocument/diagnostic`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProjectCheck {
    /// What it is called in answers.
    pub name: &'static str,
    /// The notification that starts it, also while another one runs.
    pub start: &'static str,
    /// How the tokens of its progress begin.
    pub token: &'static str,
}

/// How long is waited for what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budgets {
    /// For the answer to `initialize`.
    pub start: Duration,
    /// For the server's first answer to questions of a kind, and for all while it is indexing.
    pub cold: Duration,
    /// For every other answer.
    pub warm: Duration,
    /// For each of the steps to its end: the answer to `shutdown`, the end by itself, the end by a
    /// signal that it can catch.
    pub stop: Duration,
}

impl Default for Budgets {
    /// 30 s, 60 s, 20 s and 2 s.
    fn default() -> Budgets {
        Budgets {
            start: Duration::from_secs(30),
            cold: Duration::from_secs(60),
            warm: Duration::from_secs(20),
            stop: Duration::from_secs(2),
        }
    }
}

/// A server that has taken up its work. Stopped when dropped.
#[derive(Debug)]
pub struct Client {
    line: Line,
    capabilities: Value,
    encoding: Encoding,
    /// Held while a command is executed, whose edits are told from those of another by nothing else.
    executing: Mutex<()>,
}

/// The diagnostics that a server last pushed for a document.
#[derive(Clone, Debug, PartialEq)]
pub struct Pushed {
    /// The version of the document they are of, where the server says.
    pub version: Option<i64>,
    /// What it found.
    pub items: Vec<Diagnostic>,
    /// When they came.
    pub at: Instant,
}

/// What a command of the server's led to.
#[derive(Clone, Debug, PartialEq)]
pub struct Executed {
    /// Its result; null for most.
    pub result: Value,
    /// The edits that the server wanted carried out; nobody has done so.
    pub edits: Vec<WorkspaceEdit>,
}

/// The processes of all servers that are started with it, also of those that have not taken up their
/// work yet.
#[derive(Clone, Debug, Default)]
pub struct Processes(Arc<Mutex<Started>>);

#[derive(Debug, Default)]
struct Started {
    processes: Vec<Weak<Process>>,
    /// No other one is to be started.
    is_over: bool,
}

impl Processes {
    /// Kills all of them, and from now on each that is started.
    pub fn kill(&self) {
        let mut started = lock(&self.0);
        started.is_over = true;
        for process in started.processes.drain(..) {
            if let Some(process) = process.upgrade() {
                process.kill();
            }
        }
    }

    fn add(&self, process: &Arc<Process>) {
        let mut started = lock(&self.0);
        if started.is_over {
            process.kill();
        }
        started
            .processes
            .retain(|process| process.strong_count() > 0);
        started.processes.push(Arc::downgrade(process));
    }
}

/// A process and the threads that speak with it.
#[derive(Debug)]
struct Line {
    launch: Launch,
    shared: Arc<Shared>,
    process: Arc<Process>,
    outbox: Outbox,
    next_id: AtomicI64,
    /// The methods that the server has answered; the first answer to each may be a costly one.
    answered: Mutex<HashSet<String>>,
    stopped: AtomicBool,
}

/// What the threads of a server share.
#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    pending: HashMap<i64, SyncSender<Outcome>>,
    ended: Option<Ended>,
    /// How many of its two streams have been read to their end.
    read_to_end: usize,
    /// What kept the reader from reading on.
    broken: Option<String>,
    activities: BTreeMap<String, Activity>,
    /// When the last activity ended.
    activity_ended: Option<Instant>,
    /// It has once come to rest; what it does from then on is over when it says so.
    settled: bool,
    status: Option<Status>,
    pushed: HashMap<Utf8PathBuf, Pushed>,
    /// The edits wanted while a command is executed.
    edits: Option<Vec<Value>>,
    registered: BTreeMap<String, (String, Value)>,
    /// How many messages could not be read, and what was wrong with the last.
    unreadable: (u64, String),
    tail: VecDeque<u8>,
    /// From when on a beginning of progress is waited for.
    counts_from: Instant,
    has_opened: bool,
    /// It has sent what [`ReadyRule::Announces`] waits for.
    has_announced: bool,
    /// It has logged what [`ReadyRule::Later`] waits for.
    has_said: bool,
    /// The open documents, with their versions, that the server has not shown to have read; and when it
    /// was told of each.
    awaited: BTreeMap<Utf8PathBuf, (i64, Instant)>,
    /// How often the server was told of documents and files, and how much of that it had done when it last
    /// answered that it has nothing left to do.
    told: u64,
    done: u64,
    /// It does not know the request that would show that.
    never_says_done: bool,
    /// How often the server was told that a file is not what it was.
    changes: u64,
    /// The last run of a [`ProjectCheck`].
    check: Option<CheckRun>,
    /// The message that matched [`DiagnosticsRule::off_when`].
    diagnostics_off: Option<String>,
}

/// A run of a [`ProjectCheck`].
#[derive(Clone, Copy, Debug)]
struct CheckRun {
    requested: Instant,
    /// [`State::changes`] at that time.
    changes: u64,
    has_begun: bool,
    /// When the last of its activities ended; a project of several parts has one for each.
    ended: Option<Instant>,
}

/// What may change how much a server knows.
#[derive(Clone, Copy, Debug)]
enum Next {
    /// A word of it.
    Word,
    /// A word of it, or that it says nothing until then.
    Silence(Instant),
    /// Its answer to this request.
    Answer(&'static str),
}

#[derive(Clone, Debug)]
struct Activity {
    title: String,
    message: String,
    percentage: Option<u64>,
}

/// What rust-analyzer says of itself (its `lsp-extensions.md`, "Server Status").
#[derive(Clone, Debug)]
struct Status {
    health: String,
    quiescent: bool,
    message: String,
}

#[derive(Clone, Debug)]
struct Ended {
    how: String,
    /// The server was cut off, because of this.
    broken: Option<String>,
    at: Instant,
}

/// What becomes of a question.
#[derive(Debug)]
enum Outcome {
    /// The result as JSON.
    Answered(Result<String, ErrorAnswer>),
    Unreadable(String),
}

/// The way to the thread that writes.
#[derive(Clone, Debug)]
struct Outbox {
    frames: Sender<Outgoing>,
    queued: Arc<AtomicUsize>,
}

#[derive(Debug)]
enum Outgoing {
    Frame(Vec<u8>),
    Close,
}

impl Client {
    /// Starts a server and waits until it takes questions, at most [`Budgets::start`].
    ///
    /// # Errors
    /// `SpawnFailed` and `HandshakeFailed`; no process is left then.
    pub fn start(launch: Launch, processes: &Processes) -> Result<Client, ServerError> {
        let line = Line::open(launch)?;
        processes.add(&line.process);
        let within = line.launch.budgets.start;
        let initialized = line.ask_once("initialize", line.initialize_params(), within);
        let result = initialized.map(|result| serde_json::from_str(&result));
        let mut result = match result {
            Ok(Ok(result @ Value::Object(_))) => result,
            failed => {
                let why = match failed {
                    Ok(_) => "no capabilities in the answer to initialize".to_string(),
                    Err(situation) => situation.to_string(),
                };
                line.stop(false);
                // Its last words say more than its end.
                line.shared.read_to_end_within(LAST_WORDS);
                return Err(line.error(Situation::HandshakeFailed { why }));
            }
        };
        let capabilities = result["capabilities"].take();
        let encoding = match capabilities["positionEncoding"].as_str() {
            Some("utf-8") => Encoding::Utf8,
            Some("utf-32") => Encoding::Utf32,
            _ => Encoding::Utf16,
        };
        line.shared.lock().counts_from = Instant::now();
        line.notify("initialized", json!({}));
        if let ReadyRule::Announces { asked_by, .. } = line.launch.ready {
            line.notify(asked_by, json!({}));
        }
        let settings = match &line.launch.settings {
            Value::Null => json!({}),
            settings => settings.clone(),
        };
        line.notify(
            "workspace/didChangeConfiguration",
            json!({"settings": settings}),
        );
        Ok(Client {
            line,
            capabilities,
            encoding,
            executing: Mutex::new(()),
        })
    }

    /// What it was started from.
    pub fn launch(&self) -> &Launch {
        &self.line.launch
    }

    /// What the server can, as it said; `null` reads as "cannot" everywhere.
    pub fn capabilities(&self) -> &Value {
        &self.capabilities
    }

    /// The same in the protocol's types.
    ///
    /// # Errors
    /// `Malformed` where one part is not as the protocol says.
    pub fn typed_capabilities(&self) -> Result<ServerCapabilities, ServerError> {
        self.typed("initialize", self.capabilities.clone())
    }

    /// Whether the server has said that it can do this, at its start (`provider`, such as
    /// `diagnosticProvider`) or later (`method`, such as `textDocument/diagnostic`).
    pub fn can(&self, provider: &str, method: &str) -> bool {
        let at_start = match &self.capabilities[provider] {
            Value::Null => false,
            Value::Bool(can) => *can,
            _ => true,
        };
        at_start || !self.registrations(method).is_empty()
    }

    /// What the server asked to be told, with what options, since its start.
    pub fn registrations(&self, method: &str) -> Vec<Value> {
        let state = self.line.shared.lock();
        let of_method = state.registered.values().filter(|(one, _)| one == method);
        of_method.map(|(_, options)| options.clone()).collect()
    }

    /// What the server counts columns in.
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// Asks, and waits as long as the question may take: [`Budgets::cold`] before the first answer to
    /// this method and while the server is indexing, else [`Budgets::warm`].
    ///
    /// # Errors
    /// `Timeout`, `Crashed`, `Refused`; and `Malformed` where the answer is no `R`.
    pub fn ask<R: DeserializeOwned>(
        &self,
        method: &str,
        params: impl Serialize,
    ) -> Result<R, ServerError> {
        self.ask_within(method, params, self.budget(method))
    }

    /// As [`Client::ask`], waiting this long.
    ///
    /// # Errors
    /// As of [`Client::ask`].
    pub fn ask_within<R: DeserializeOwned>(
        &self,
        method: &str,
        params: impl Serialize,
        within: Duration,
    ) -> Result<R, ServerError> {
        let params = serde_json::to_value(params).map_err(|error| {
            let (method, message) = (method.to_string(), error.to_string());
            let code = INVALID_PARAMS;
            self.line.error(Situation::Refused {
                method,
                code,
                message,
            })
        })?;
        let deadline = Instant::now() + within;
        let mut pause = FIRST_PAUSE;
        let mut retries = 0;
        let result = loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.line.ask_once(method, params.clone(), left) {
                Err(Situation::Refused { code, .. })
                    if ASK_AGAIN.contains(&code)
                        && retries < MOST_RETRIES
                        && Instant::now() + pause < deadline =>
                {
                    thread::sleep(pause);
                    pause *= 2;
                    retries += 1;
                }
                Err(Situation::Timeout {
                    method, unreadable, ..
                }) => {
                    return Err(self.line.error(Situation::Timeout {
                        method,
                        waited: within,
                        unreadable,
                    }));
                }
                Err(situation) => return Err(self.line.error(situation)),
                Ok(result) => break result,
            }
        };
        lock(&self.line.answered).insert(method.to_string());
        serde_json::from_str(&result).map_err(|error| self.malformed(method, &error))
    }

    /// Tells the server something. It is sent after all that was asked and told before.
    ///
    /// # Errors
    /// `Crashed`, and `Timeout` of a server that has long not read what it was told.
    pub fn notify(&self, method: &str, params: impl Serialize) -> Result<(), ServerError> {
        if let Some(ended) = self.line.ended(method) {
            return Err(self.line.error(ended));
        }
        let params = serde_json::to_value(params).unwrap_or_default();
        match self.line.notify(method, params) {
            true => Ok(()),
            false => Err(self.line.error(self.line.does_not_read(method))),
        }
    }

    /// Has the server execute a command of its own (`workspace/executeCommand`). The edits it wants
    /// carried out meanwhile are handed to the caller; the server is told that they were.
    ///
    /// # Errors
    /// As of [`Client::ask`].
    pub fn execute(&self, command: &str, arguments: &[Value]) -> Result<Executed, ServerError> {
        const METHOD: &str = "workspace/executeCommand";
        let _alone = lock(&self.executing);
        self.line.shared.lock().edits = Some(Vec::new());
        let params = json!({"command": command, "arguments": arguments});
        let result = self.ask(METHOD, params);
        let edits = self.line.shared.lock().edits.take().unwrap_or_default();
        let edits = edits.into_iter().map(|edit| self.typed(METHOD, edit));
        Ok(Executed {
            result: result?,
            edits: edits.collect::<Result<_, _>>()?,
        })
    }

    /// How much the server knows now.
    pub fn completeness(&self) -> Completeness {
        self.line.completeness(Instant::now()).0
    }

    /// Waits until the server knows all it will know, at most that long; says how it is then.
    pub fn wait_until_ready(&self, within: Duration) -> Completeness {
        let deadline = Instant::now() + within;
        loop {
            let now = Instant::now();
            let (completeness, next) = self.line.completeness(now);
            let waits = matches!(completeness, Completeness::StillIndexing { .. });
            if !waits || now >= deadline || !self.is_alive() {
                return completeness;
            }
            match next {
                Next::Word => self.line.shared.wait(deadline),
                Next::Silence(until) => self.line.shared.wait(until.min(deadline)),
                Next::Answer(request) => self.line.ask_for_rest(request, deadline),
            }
        }
    }

    /// As [`Client::wait_until_ready`], for what must not be done with a part of the truth.
    ///
    /// # Errors
    /// `NotReady`, and `Crashed`.
    pub fn ready_or_refuse(&self, within: Duration) -> Result<Completeness, ServerError> {
        let completeness = self.wait_until_ready(within);
        if let Some(ended) = self.line.ended("readiness") {
            return Err(self.line.error(ended));
        }
        match completeness {
            Completeness::StillIndexing { .. } => Err(self.line.error(Situation::NotReady {
                completeness,
                waited: within,
            })),
            known => Ok(known),
        }
    }

    /// Runs a check of the whole project on the files as they are and waits for its end, at most until
    /// `deadline`; returns whether it has ended. A run that was requested before `since` does not count, unless it
    /// is still running and no file has changed.
    pub fn run_check(
        &self,
        check: ProjectCheck,
        since: Instant,
        deadline: Instant,
    ) -> Completeness {
        loop {
            let now = Instant::now();
            let (run, is_running) = {
                let mut state = self.line.shared.lock();
                let is_running = state.is_checking(check);
                let is_done = |run: &CheckRun| run.is_done(is_running, now);
                let changes = state.changes;
                let counts = state.check.filter(|run| {
                    run.changes == changes && (run.requested >= since || !is_done(run))
                });
                match counts {
                    Some(run) if is_done(&run) => return Completeness::Complete,
                    Some(run) => (run, is_running),
                    None => {
                        let run = CheckRun {
                            requested: now,
                            changes,
                            has_begun: false,
                            ended: None,
                        };
                        state.check = Some(run);
                        let params = json!({"textDocument": null});
                        self.line
                            .outbox
                            .send(wire::notification(check.start, params));
                        (run, false)
                    }
                }
            };
            let begins_until = run.requested + CHECK_BEGINS_WITHIN;
            if !run.has_begun && now >= begins_until {
                self.line.shared.lock().check = None;
                let why = format!("`{}` did not start", check.name);
                return Completeness::Degraded { why };
            }
            if now >= deadline || !self.is_alive() {
                let what = format!("`{}` is still running", check.name);
                return Completeness::StillIndexing { what };
            }
            let until = match run.ended {
                None if !run.has_begun => begins_until,
                Some(ended) if !is_running => ended + BETWEEN_ACTIVITIES,
                _ => deadline,
            };
            self.line.shared.wait(until.min(deadline));
        }
    }

    /// The diagnostics that the server last pushed for a document.
    pub fn pushed(&self, path: &Utf8Path) -> Option<Pushed> {
        self.line.shared.lock().pushed.get(path).cloned()
    }

    /// Waits until the server has pushed diagnostics for a document that are of this version of it; of
    /// a server that names no versions, until it has pushed some since `since`. Nothing in that time:
    /// nothing is returned.
    pub fn wait_for_pushed(
        &self,
        path: &Utf8Path,
        version: i64,
        since: Instant,
        within: Duration,
    ) -> Option<Pushed> {
        let deadline = Instant::now() + within;
        loop {
            let fresh = self.pushed(path).filter(|pushed| match pushed.version {
                Some(of) => of >= version,
                None => pushed.at >= since,
            });
            if fresh.is_some() || Instant::now() >= deadline || !self.is_alive() {
                return fresh;
            }
            self.line.shared.wait(deadline);
        }
    }

    /// Why a file in which the server finds nothing may be wrong all the same.
    pub fn undiagnosed(&self) -> Option<String> {
        let off = self.line.shared.lock().diagnostics_off.clone();
        let lacks = self.launch().diagnostics.lacks;
        off.or_else(|| lacks.map(str::to_string))
    }

    /// Whether the server still runs.
    pub fn is_alive(&self) -> bool {
        self.line.shared.lock().ended.is_none()
    }

    /// When and how the server ended by itself, if it did.
    pub fn ended(&self) -> Option<(Instant, String)> {
        let state = self.line.shared.lock();
        let ended = state.ended.as_ref()?;
        Some((ended.at, ended.how.clone()))
    }

    /// The number of its process, which is that of its process group.
    pub fn process_id(&self) -> u32 {
        self.line.process.id
    }

    /// The last that the server wrote to its standard error, at most [`TAIL`] bytes.
    pub fn tail(&self) -> String {
        self.line.shared.lock().tail()
    }

    /// How many messages of the server could not be read.
    pub fn unreadable(&self) -> u64 {
        self.line.shared.lock().unreadable.0
    }

    /// An error of this server's.
    pub fn error(&self, situation: Situation) -> ServerError {
        self.line.error(situation)
    }

    /// Ends the server: asks it to, then signals its process group, then kills that. Takes at most
    /// three times [`Budgets::stop`] and a moment.
    pub fn stop(&self) {
        self.line.stop(true);
    }

    fn budget(&self, method: &str) -> Duration {
        let budgets = &self.line.launch.budgets;
        let indexes = matches!(self.completeness(), Completeness::StillIndexing { .. });
        match indexes || !lock(&self.line.answered).contains(method) {
            true => budgets.cold.max(budgets.warm),
            false => budgets.warm,
        }
    }

    fn typed<R: DeserializeOwned>(&self, method: &str, value: Value) -> Result<R, ServerError> {
        serde_json::from_value(value).map_err(|error| self.malformed(method, &error))
    }

    fn malformed(&self, method: &str, error: &serde_json::Error) -> ServerError {
        self.line.error(Situation::Malformed {
            method: method.to_string(),
            why: error.to_string(),
        })
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.stop();
    }
}

/// `InvalidParams` and `MethodNotFound` (JSON-RPC 2.0).
const INVALID_PARAMS: i64 = -32602;
const METHOD_NOT_FOUND: i64 = -32601;

impl Line {
    /// Starts the process and its threads.
    fn open(launch: Launch) -> Result<Line, ServerError> {
        let failed = |source_text: String| ServerError {
            server: launch.name.clone(),
            command: launch.command.clone(),
            tail: String::new(),
            situation: Situation::SpawnFailed { source_text },
        };
        let (Some((program, arguments)), Some(root)) =
            (launch.command.split_first(), launch.roots.first())
        else {
            return Err(failed("there is no command or no root".to_string()));
        };
        let mut command = Command::new(program);
        command
            .args(arguments)
            .current_dir(root)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn().map_err(|error| failed(error.to_string()))?;
        let (input, output, complaints) = (
            child.stdin.take().expect("its standard input is a pipe"),
            child.stdout.take().expect("its standard output is a pipe"),
            child.stderr.take().expect("its standard error is a pipe"),
        );
        let shared = Arc::new(Shared::new());
        let process = Arc::new(Process::new(child));
        let (frames, queue) = mpsc::channel();
        let outbox = Outbox {
            frames,
            queued: Arc::default(),
        };
        let line = Line {
            launch,
            shared,
            process,
            outbox,
            next_id: AtomicI64::new(1),
            answered: Mutex::default(),
            stopped: AtomicBool::new(false),
        };
        let started = line.start_threads(input, output, complaints, queue);
        started.map_err(|error| {
            line.process.kill();
            line.error(Situation::SpawnFailed {
                source_text: error.to_string(),
            })
        })?;
        Ok(line)
    }

    fn start_threads(
        &self,
        input: ChildStdin,
        output: ChildStdout,
        complaints: ChildStderr,
        queue: Receiver<Outgoing>,
    ) -> std::io::Result<()> {
        let thread = |what: &str| thread::Builder::new().name(format!("lsp {what}"));
        let (shared, process) = (self.shared.clone(), self.process.clone());
        thread("end").spawn(move || process.wait_for_end(&shared))?;
        let queued = self.outbox.queued.clone();
        thread("writer").spawn(move || write_all(input, &queue, &queued))?;
        let reader = Reader {
            shared: self.shared.clone(),
            outbox: self.outbox.clone(),
            settings: self.launch.settings.clone(),
            roots: self.launch.roots.clone(),
            ready: self.launch.ready,
            diagnostics: self.launch.diagnostics,
        };
        let process = self.process.clone();
        thread("reader").spawn(move || reader.read_all(output, &process))?;
        let shared = self.shared.clone();
        thread("complaints").spawn(move || keep_tail(complaints, &shared))?;
        Ok(())
    }

    fn initialize_params(&self) -> Value {
        let folders = folders(&self.launch.roots);
        let mut params = json!({
            "processId": std::process::id(),
            "clientInfo": {"name": env!("CARGO_PKG_NAME"), "version": env!("CARGO_PKG_VERSION")},
            "rootUri": folders[0]["uri"],
            "rootPath": self.launch.roots[0].as_str(),
            "workspaceFolders": folders,
            "capabilities": capabilities(),
        });
        if !self.launch.initialization_options.is_null() {
            params["initializationOptions"] = self.launch.initialization_options.clone();
        }
        params
    }

    /// Asks once; the question's place is free again in any case.
    fn ask_once(&self, method: &str, params: Value, within: Duration) -> Result<String, Situation> {
        let deadline = Instant::now() + within;
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let (tell, told) = mpsc::sync_channel(1);
        let unreadable_before = {
            let mut state = self.shared.lock();
            // If it has ended this moment, the channel loses its only sender here.
            match state.ended {
                None => drop(state.pending.insert(id, tell)),
                Some(_) => drop(tell),
            }
            state.unreadable.0
        };
        if !self.outbox.send(wire::request(id, method, params)) {
            self.shared.lock().pending.remove(&id);
            return Err(self.does_not_read(method));
        }
        let left = deadline.saturating_duration_since(Instant::now());
        let method = || method.to_string();
        match told.recv_timeout(left) {
            Ok(Outcome::Answered(Ok(result))) => Ok(result),
            Ok(Outcome::Answered(Err(error))) => Err(Situation::Refused {
                method: method(),
                code: error.code,
                message: error.message,
            }),
            Ok(Outcome::Unreadable(why)) => Err(Situation::Malformed {
                method: method(),
                why,
            }),
            Err(RecvTimeoutError::Timeout) => {
                let unreadable = {
                    let mut state = self.shared.lock();
                    state.pending.remove(&id);
                    let (count, why) = &state.unreadable;
                    (*count > unreadable_before).then(|| why.clone())
                };
                self.notify("$/cancelRequest", json!({"id": id}));
                Err(Situation::Timeout {
                    method: method(),
                    waited: within,
                    unreadable,
                })
            }
            Err(RecvTimeoutError::Disconnected) => {
                let unknown = || Situation::Crashed {
                    how: "unknown".to_string(),
                    retry_in: None,
                };
                Err(self.ended(&method()).unwrap_or_else(unknown))
            }
        }
    }

    /// Asks what the server answers once it has nothing left to do.
    fn ask_for_rest(&self, request: &str, deadline: Instant) {
        let told = self.shared.lock().told;
        let within = deadline.saturating_duration_since(Instant::now());
        match self.ask_once(request, Value::Null, within) {
            Ok(_) => self
                .shared
                .change(|state| state.done = state.done.max(told)),
            Err(Situation::Refused { code, .. }) if code == METHOD_NOT_FOUND => {
                self.shared.change(|state| state.never_says_done = true);
            }
            // Whoever waits sees that its time is over, or that the server has ended.
            Err(_) => thread::sleep(FIRST_PAUSE.min(within)),
        }
    }

    /// Whether the server's queue has taken it.
    fn notify(&self, method: &str, params: Value) -> bool {
        let mut state = self.shared.lock();
        let document = &params["textDocument"];
        match method {
            "textDocument/didOpen" | "textDocument/didChange" => {
                state.changes += u64::from(method == "textDocument/didChange");
                if !state.has_opened {
                    state.has_opened = true;
                    state.counts_from = Instant::now();
                }
                let path = document["uri"].as_str().and_then(path_of);
                if let (Heeds::OpenDocuments, Some(path)) = (self.launch.heeds, path) {
                    let version = document["version"].as_i64().unwrap_or_default();
                    state.awaited.insert(path, (version, Instant::now()));
                }
            }
            "textDocument/didClose" => {
                if let Some(path) = document["uri"].as_str().and_then(path_of) {
                    state.awaited.remove(&path);
                }
            }
            "workspace/didChangeWatchedFiles" => {
                state.changes += 1;
                const CHANGED: u64 = 2;
                let changes = params["changes"].as_array();
                let mut changes = changes.into_iter().flatten();
                if changes.any(|change| change["type"] != CHANGED) {
                    state.counts_from = Instant::now();
                    state.has_said = false;
                }
            }
            _ => {}
        }
        let is_about_files =
            method.starts_with("textDocument/") || method.starts_with("workspace/");
        state.told += u64::from(is_about_files);
        // Sent before anybody else reads how much was told.
        self.outbox.send(wire::notification(method, params))
    }

    fn does_not_read(&self, method: &str) -> Situation {
        Situation::Timeout {
            method: method.to_string(),
            waited: Duration::ZERO,
            unreadable: Some(format!(
                "the server has not read {MOST_QUEUED} bytes that were sent before"
            )),
        }
    }

    /// What a question meets once the server has ended.
    fn ended(&self, method: &str) -> Option<Situation> {
        let state = self.shared.lock();
        let ended = state.ended.as_ref()?;
        Some(match &ended.broken {
            Some(why) => Situation::Malformed {
                method: method.to_string(),
                why: why.clone(),
            },
            None => Situation::Crashed {
                how: ended.how.clone(),
                retry_in: None,
            },
        })
    }

    fn error(&self, situation: Situation) -> ServerError {
        ServerError {
            server: self.launch.name.clone(),
            command: self.launch.command.clone(),
            tail: self.shared.lock().tail(),
            situation,
        }
    }

    /// How much the server knows, and what may change that.
    fn completeness(&self, now: Instant) -> (Completeness, Next) {
        let mut state = self.shared.lock();
        let indexes = |what: &str| Completeness::StillIndexing {
            what: what.to_string(),
        };
        let activity = state.activities.values().next();
        if let (Some(activity), false) = (activity, state.is_quiescent()) {
            return (indexes(&activity.to_string()), Next::Word);
        }
        let is_late = |(path, (_, told)): &(&Utf8PathBuf, &(i64, Instant))| {
            now < *told + AWAITED_FOR && self.launch.roots.iter().any(|root| path.starts_with(root))
        };
        let says_done = match self.launch.ready {
            ReadyRule::ProgressEnds { last, .. } => last.filter(|_| !state.never_says_done),
            _ => None,
        };
        let mut awaited = state.awaited.iter().filter(|_| says_done.is_none());
        if let Some((path, (_, told))) = awaited.find(is_late) {
            let what = format!("it is reading {}", path.file_name().unwrap_or_default());
            return (indexes(&what), Next::Silence(*told + AWAITED_FOR));
        }
        let health = match (self.launch.ready, &state.status) {
            (ReadyRule::AtOnce, _) => None,
            (ReadyRule::Announces { within, .. }, _) => {
                let until = state.counts_from + within;
                let what = "it has not read its configuration";
                match state.has_announced {
                    true => None,
                    false if now < until => return (indexes(what), Next::Silence(until)),
                    false => Some(what.to_string()),
                }
            }
            (ReadyRule::Later { says, within }, _) => {
                let until = state.counts_from + within;
                let has_said = says.is_some() && state.has_said;
                if !has_said && now < until {
                    let what = "it may not have read all files";
                    return (indexes(what), Next::Silence(until));
                }
                None
            }
            (ReadyRule::ProgressEnds { begins_within, .. }, _) => {
                state.settle(begins_within, now);
                // Without what it needs it will not begin.
                let begins = state.activity_ended.is_some() || self.launch.lacks.is_none();
                if begins && !state.settled {
                    let what = match state.activity_ended {
                        Some(_) => "one step has ended, another may follow",
                        None => "it may not have begun",
                    };
                    let until = state.rests_from(begins_within);
                    return (indexes(what), Next::Silence(until));
                }
                if let (Some(request), true) = (says_done, state.done < state.told) {
                    return (indexes("it is reading documents"), Next::Answer(request));
                }
                None
            }
            (ReadyRule::ServerStatus, None) => {
                return (indexes("it has not said how it is"), Next::Word);
            }
            (ReadyRule::ServerStatus, Some(status)) if !status.quiescent => {
                return (indexes("it is reading the project"), Next::Word);
            }
            (ReadyRule::ServerStatus, Some(status)) => {
                let is_well = status.health == "ok";
                (!is_well).then(|| match status.message.as_str() {
                    "" => format!("its health is {}", status.health),
                    message => message.to_string(),
                })
            }
        };
        let why: Vec<String> = health
            .into_iter()
            .chain(self.launch.lacks.clone())
            .collect();
        match why.is_empty() {
            true => (Completeness::Complete, Next::Word),
            false => (
                Completeness::Degraded {
                    why: why.join("; "),
                },
                Next::Word,
            ),
        }
    }

    /// Ends the process, `politely` by asking it first.
    fn stop(&self, politely: bool) {
        if self.stopped.swap(true, Ordering::SeqCst) {
            return;
        }
        let patience = self.launch.budgets.stop;
        if politely && self.shared.lock().ended.is_none() {
            // Whatever it answers, it has to go.
            if self.ask_once("shutdown", Value::Null, patience).is_ok() {
                self.notify("exit", Value::Null);
            }
        }
        self.outbox.close();
        let end = |patience| self.process.has_ended_within(patience);
        if !(politely && end(patience)) {
            self.process.ask_to_end();
            if !end(patience) {
                self.process.kill();
                // Nothing can outlive that; what is waited for is that the system has done it.
                end(patience.max(Duration::from_secs(5)));
            }
        }
        // Whoever stopped it does not find it alive: its last words are waited for as well.
        self.shared.told_ended_within(2 * LAST_WORDS);
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.stop(false);
    }
}

/// How long is waited for what a server wrote just before its end: somebody outside of its group may hold
/// the other end of a pipe for ever.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// How long a server may take to show that it has read a document.
const AWAITED_FOR: Duration = Duration::from_secs(30);

/// How long a server may take to begin a check that was requested; it has none to run for a project that it
/// cannot load.
const CHECK_BEGINS_WITHIN: Duration = Duration::from_secs(3);

/// How soon one activity of a server follows another.
const BETWEEN_ACTIVITIES: Duration = Duration::from_millis(300);

impl Shared {
    fn new() -> Shared {
        Shared {
            state: Mutex::new(State {
                pending: HashMap::new(),
                ended: None,
                read_to_end: 0,
                broken: None,
                activities: BTreeMap::new(),
                activity_ended: None,
                settled: false,
                status: None,
                pushed: HashMap::new(),
                edits: None,
                registered: BTreeMap::new(),
                unreadable: (0, String::new()),
                tail: VecDeque::new(),
                counts_from: Instant::now(),
                has_opened: false,
                has_announced: false,
                has_said: false,
                awaited: BTreeMap::new(),
                told: 0,
                done: 0,
                never_says_done: false,
                changes: 0,
                check: None,
                diagnostics_off: None,
            }),
            changed: Condvar::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// Changes the state, and wakes whoever waits for a change.
    fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        let changed = change(&mut self.lock());
        self.changed.notify_all();
        changed
    }

    /// Waits for a change, or until then.
    fn wait(&self, until: Instant) {
        // Another change may have come before the lock is taken; then one moment is lost, so it is
        // made short.
        const MOMENT: Duration = Duration::from_millis(50);
        let left = until.saturating_duration_since(Instant::now());
        let state = self.lock();
        drop(self.changed.wait_timeout(state, left.min(MOMENT)));
    }

    /// Waits until all has been read that the server wrote, at most that long.
    fn read_to_end_within(&self, within: Duration) {
        let state = self.lock();
        let waiting = |state: &mut State| state.read_to_end < 2;
        drop(self.changed.wait_timeout_while(state, within, waiting));
    }

    /// Waits until everybody is told that the server has ended, at most that long.
    fn told_ended_within(&self, within: Duration) {
        let state = self.lock();
        let waiting = |state: &mut State| state.ended.is_none();
        drop(self.changed.wait_timeout_while(state, within, waiting));
    }
}

impl State {
    /// What rust-analyzer says of itself counts more than what it does: it checks in the background.
    fn is_quiescent(&self) -> bool {
        self.status.as_ref().is_some_and(|status| status.quiescent)
    }

    /// Whether an activity of a check is in progress.
    fn is_checking(&self, check: ProjectCheck) -> bool {
        self.activities.keys().any(|token| check.reports_as(token))
    }

    /// When the server will have come to rest, if it begins nothing before.
    fn rests_from(&self, begins_within: Duration) -> Instant {
        match self.activity_ended {
            Some(ended) => ended + BETWEEN_ACTIVITIES,
            None => self.counts_from + begins_within,
        }
    }

    /// Notes whether the server has come to rest.
    fn settle(&mut self, begins_within: Duration, now: Instant) {
        let is_idle = self.activities.is_empty();
        self.settled |= is_idle && now >= self.rests_from(begins_within);
    }

    fn tail(&self) -> String {
        let bytes: Vec<u8> = self.tail.iter().copied().collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

impl ProjectCheck {
    /// Whether a token, as JSON, is one of its progress.
    fn reports_as(&self, token: &str) -> bool {
        token.trim_start_matches('"').starts_with(self.token)
    }
}

impl CheckRun {
    /// Takes note of a step of its progress. The end of a run before it comes before its own beginning.
    fn note(&mut self, kind: Option<&str>) {
        match kind {
            Some("begin") => (self.has_begun, self.ended) = (true, None),
            Some("end") if self.has_begun => self.ended = Some(Instant::now()),
            _ => {}
        }
    }

    /// Whether the check has ended: no part of it runs, and none has begun shortly after the last one ended.
    fn is_done(&self, is_running: bool, now: Instant) -> bool {
        let has_rested = |ended: Instant| now >= ended + BETWEEN_ACTIVITIES;
        !is_running && self.ended.is_some_and(has_rested)
    }
}

/// A thread that panics while it holds a lock leaves nothing half done that others could trip over.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Outbox {
    /// Whether the queue has taken the message.
    fn send(&self, body: Vec<u8>) -> bool {
        let size = body.len();
        if self.queued.fetch_add(size, Ordering::Relaxed) > MOST_QUEUED {
            self.queued.fetch_sub(size, Ordering::Relaxed);
            return false;
        }
        // Where nobody reads any more the server has ended, which its own thread tells.
        let _ = self.frames.send(Outgoing::Frame(body));
        true
    }

    fn close(&self) {
        // Without a thread that writes its input is closed already.
        let _ = self.frames.send(Outgoing::Close);
    }
}

/// Writes what is asked and told, until the server does not read any more.
fn write_all(input: ChildStdin, queue: &Receiver<Outgoing>, queued: &AtomicUsize) {
    let mut input = BufWriter::new(input);
    while let Ok(Outgoing::Frame(body)) = queue.recv() {
        let written = wire::write(&mut input, &body);
        queued.fetch_sub(body.len(), Ordering::Relaxed);
        if written.is_err() {
            return;
        }
    }
}

/// Keeps the last that the server complains of, and lets no complaint block it.
fn keep_tail(mut complaints: ChildStderr, shared: &Shared) {
    let mut piece = [0; 16 << 10];
    loop {
        match complaints.read(&mut piece) {
            Ok(read) if read > 0 => {
                let mut state = shared.lock();
                state.tail.extend(&piece[..read]);
                let surplus = state.tail.len().saturating_sub(TAIL);
                state.tail.drain(..surplus);
            }
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            // What cannot be read any more has ended.
            Ok(_) | Err(_) => break,
        }
    }
    shared.change(|state| state.read_to_end += 1);
}

/// The thread that reads and decodes.
struct Reader {
    shared: Arc<Shared>,
    outbox: Outbox,
    settings: Value,
    roots: Vec<Utf8PathBuf>,
    ready: ReadyRule,
    diagnostics: DiagnosticsRule,
}

impl Reader {
    fn read_all(&self, output: ChildStdout, process: &Process) {
        // One that closes its output and lives on is of no use; most just end a moment later.
        const MOMENT: Duration = Duration::from_millis(500);
        let mut output = BufReader::with_capacity(64 << 10, output);
        let broken = loop {
            match wire::read(&mut output, wire::LARGEST_FRAME) {
                Ok(Some(Received::Message(message))) => self.take(message),
                Ok(Some(Received::Unreadable(unreadable))) => self.take_unreadable(unreadable),
                Ok(None) => break None,
                // Whoever ends in a message has ended in the first place.
                Err(wire::WireError::CutOff { .. }) => break None,
                Err(error) => break Some(error.to_string()),
            }
        };
        let patience = match broken {
            Some(_) => Duration::ZERO,
            None => MOMENT,
        };
        self.shared.change(|state| {
            state.broken = broken;
            state.read_to_end += 1;
        });
        if !process.has_ended_within(patience) {
            process.kill();
        }
    }

    fn take(&self, message: Message) {
        match message {
            Message::Answer {
                id: Some(wire::Id::Number(id)),
                outcome,
            } => self.tell(id, Outcome::Answered(outcome)),
            // Nobody has asked that.
            Message::Answer { .. } => {}
            Message::Request { id, method, params } => {
                let outcome = self.answer(&method, params);
                self.outbox.send(wire::answer(&id, outcome));
            }
            Message::Notification { method, params } => self.note(&method, params),
        }
    }

    fn take_unreadable(&self, unreadable: wire::Unreadable) {
        let why = unreadable.why.clone();
        self.shared.change(|state| {
            state.unreadable.0 += 1;
            state.unreadable.1 = why;
        });
        if let Some(wire::Id::Number(id)) = unreadable.id {
            self.tell(id, Outcome::Unreadable(unreadable.why));
        }
    }

    fn tell(&self, id: i64, outcome: Outcome) {
        let asking = self.shared.lock().pending.remove(&id);
        if let Some(asking) = asking {
            // Who has stopped waiting does not want it any more.
            let _ = asking.try_send(outcome);
        }
    }

    /// The answer to a request of the server's.
    fn answer(&self, method: &str, mut params: Value) -> Result<Value, ErrorAnswer> {
        match method {
            "workspace/configuration" => {
                let items = params["items"].as_array().map_or(&[][..], Vec::as_slice);
                let sections = items.iter().map(|item| item["section"].as_str());
                let values = sections.map(|section| self.setting(section.unwrap_or("")));
                Ok(values.collect())
            }
            "workspace/workspaceFolders" => Ok(folders(&self.roots)),
            "workspace/applyEdit" => {
                let edit = params["edit"].take();
                let applied = self.shared.change(|state| match &mut state.edits {
                    Some(edits) => {
                        edits.push(edit);
                        true
                    }
                    None => false,
                });
                Ok(match applied {
                    true => json!({"applied": true}),
                    false => json!({"applied": false, "failureReason": "nobody asked for an edit"}),
                })
            }
            "client/registerCapability" => {
                self.register(params["registrations"].take());
                Ok(Value::Null)
            }
            "client/unregisterCapability" => {
                // The protocol's own spelling.
                let gone = params["unregisterations"].take();
                self.shared.change(|state| {
                    for id in gone.as_array().into_iter().flatten() {
                        state.registered.remove(id["id"].as_str().unwrap_or(""));
                    }
                });
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
            _ => Err(ErrorAnswer {
                code: METHOD_NOT_FOUND,
                message: format!("{method} is not known here"),
            }),
        }
    }

    /// What the user has set under `a.b.c`; null where that is nothing.
    fn setting(&self, section: &str) -> Value {
        let names = section.split('.').filter(|name| !name.is_empty());
        names
            .fold(&self.settings, |value, name| &value[name])
            .clone()
    }

    fn register(&self, registrations: Value) {
        self.shared.change(|state| {
            for one in registrations.as_array().into_iter().flatten() {
                if let (Some(id), Some(method)) = (one["id"].as_str(), one["method"].as_str()) {
                    let options = one["registerOptions"].clone();
                    state
                        .registered
                        .insert(id.to_string(), (method.to_string(), options));
                }
            }
        });
    }

    /// What the server says unasked; most of it is for people.
    fn note(&self, method: &str, mut params: Value) {
        if let ReadyRule::Announces { announcement, .. } = self.ready
            && method == announcement
        {
            self.shared.change(|state| state.has_announced = true);
            return;
        }
        match method {
            "$/progress" => self.note_progress(&params),
            "window/logMessage" => {
                let said = params["message"].as_str().unwrap_or_default();
                if let ReadyRule::Later {
                    says: Some(words), ..
                } = self.ready
                    && said.contains(words)
                {
                    self.shared.change(|state| state.has_said = true);
                }
                // Without what the logger puts before its messages.
                let off_when = self.diagnostics.off_when;
                if let Some(at) = off_when.and_then(|words| said.find(words)) {
                    let why = said[at..].trim().to_string();
                    self.shared
                        .change(|state| state.diagnostics_off = Some(why));
                }
            }
            "experimental/serverStatus" => {
                let text = |name: &str| params[name].as_str().unwrap_or_default().to_string();
                let status = Status {
                    health: text("health"),
                    quiescent: params["quiescent"].as_bool().unwrap_or(true),
                    message: text("message"),
                };
                self.shared.change(|state| {
                    // What a check finds before or while the project is read again is dropped.
                    let is_other = status.quiescent != state.is_quiescent();
                    state.changes += u64::from(is_other);
                    state.status = Some(status);
                });
            }
            "textDocument/publishDiagnostics" => {
                let path = params["uri"].as_str().and_then(path_of);
                let items = serde_json::from_value(params["diagnostics"].take());
                match (path, items) {
                    (Some(path), Ok(items)) => {
                        let pushed = Pushed {
                            version: params["version"].as_i64(),
                            items,
                            at: Instant::now(),
                        };
                        self.shared.change(|state| {
                            let awaited = state.awaited.get(&path).map(|(version, _)| *version);
                            if pushed.version >= awaited {
                                state.awaited.remove(&path);
                            }
                            let has_room = state.pushed.len() < MOST_PUSHED;
                            if has_room || state.pushed.contains_key(&path) {
                                state.pushed.insert(path, pushed);
                            }
                        });
                    }
                    (_, items) => {
                        let why = items
                            .err()
                            .map_or("not of a file".to_string(), |error| error.to_string());
                        self.take_unreadable(wire::Unreadable { id: None, why });
                    }
                }
            }
            _ => {}
        }
    }

    fn note_progress(&self, params: &Value) {
        let token = params["token"].to_string();
        let value = &params["value"];
        let kind = value["kind"].as_str();
        let text = |name: &str| value[name].as_str().map(str::to_string);
        let is_check = self
            .diagnostics
            .check
            .is_some_and(|check| check.reports_as(&token));
        if is_check && let Some(run) = &mut self.shared.lock().check {
            run.note(kind);
        }
        self.shared.change(|state| match kind {
            Some("begin") if state.activities.len() < MOST_ACTIVITIES => {
                if let ReadyRule::ProgressEnds { begins_within, .. } = self.ready {
                    state.settle(begins_within, Instant::now());
                }
                let activity = Activity {
                    title: text("title").unwrap_or_default(),
                    message: text("message").unwrap_or_default(),
                    percentage: value["percentage"].as_u64(),
                };
                state.activities.insert(token, activity);
            }
            Some("report") => {
                if let Some(activity) = state.activities.get_mut(&token) {
                    activity.message = text("message").unwrap_or(activity.message.clone());
                    activity.percentage = value["percentage"].as_u64().or(activity.percentage);
                }
            }
            Some("end") if state.activities.remove(&token).is_some() => {
                state.activity_ended = Some(Instant::now());
            }
            // Parts of results, which nobody asks for.
            _ => {}
        });
    }
}

impl std::fmt::Display for Activity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.title)?;
        if !self.message.is_empty() {
            write!(f, " {}", self.message)?;
        }
        match self.percentage {
            Some(percentage) => write!(f, " ({percentage}%)"),
            None => Ok(()),
        }
    }
}

/// A process that leads a group of its own.
#[derive(Debug)]
struct Process {
    id: u32,
    /// Gone once the system may give its number to another.
    child: Mutex<Option<Child>>,
    has_ended: Mutex<bool>,
    ended: Condvar,
}

impl Process {
    fn new(child: Child) -> Process {
        Process {
            id: child.id(),
            child: Mutex::new(Some(child)),
            has_ended: Mutex::new(false),
            ended: Condvar::new(),
        }
    }

    /// The life of the thread that waits for the end: then everybody who waits for an answer is told.
    fn wait_for_end(&self, shared: &Shared) {
        let how = self.end();
        {
            *lock(&self.has_ended) = true;
            self.ended.notify_all();
        }
        shared.read_to_end_within(LAST_WORDS);
        shared.change(|state| {
            state.ended = Some(Ended {
                how,
                broken: state.broken.take(),
                at: Instant::now(),
            });
            state.activities.clear();
            // Those who wait learn it from the end of their channel.
            state.pending.clear();
        });
    }

    /// Waits for the end and kills what the process leaves behind; says how it ended.
    #[cfg(unix)]
    fn end(&self) -> String {
        use rustix::process::{Signal, WaitId, WaitIdOptions, waitid};
        let own = self.group();
        // The number stays taken until the group is dead, so that no other group is hit.
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        if let Some(own) = own {
            while waitid(WaitId::Pid(own), options).err() == Some(rustix::io::Errno::INTR) {}
        }
        self.signal(Signal::KILL);
        let mut child = lock(&self.child);
        let status = child.as_mut().map(Child::wait);
        *child = None;
        told(status)
    }

    #[cfg(not(unix))]
    fn end(&self) -> String {
        const MOMENT: Duration = Duration::from_millis(20);
        loop {
            let mut child = lock(&self.child);
            match child.as_mut().map(Child::try_wait) {
                Some(Ok(None)) => {}
                Some(Ok(Some(status))) => {
                    *child = None;
                    return told(Some(Ok(status)));
                }
                Some(Err(error)) => return told(Some(Err(error))),
                None => return told(None),
            }
            drop(child);
            thread::sleep(MOMENT);
        }
    }

    fn has_ended_within(&self, within: Duration) -> bool {
        let has_ended = lock(&self.has_ended);
        let waiting = |has_ended: &mut bool| !*has_ended;
        let waited = self.ended.wait_timeout_while(has_ended, within, waiting);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }

    #[cfg(unix)]
    fn group(&self) -> Option<rustix::process::Pid> {
        rustix::process::Pid::from_raw(self.id.try_into().ok()?)
    }

    /// Sends a signal to the whole group, as long as the number is that of the group.
    #[cfg(unix)]
    fn signal(&self, signal: rustix::process::Signal) {
        let child = lock(&self.child);
        if let (Some(_), Some(group)) = (child.as_ref(), self.group()) {
            // The only refusal there is: the group has gone already.
            let _ = rustix::process::kill_process_group(group, signal);
        }
    }

    /// Sends a signal that the processes can catch.
    fn ask_to_end(&self) {
        #[cfg(unix)]
        self.signal(rustix::process::Signal::TERM);
        #[cfg(not(unix))]
        self.kill();
    }

    fn kill(&self) {
        #[cfg(unix)]
        self.signal(rustix::process::Signal::KILL);
        #[cfg(not(unix))]
        if let Some(child) = lock(&self.child).as_mut() {
            // The only refusal there is: it has gone already.
            let _ = child.kill();
        }
    }
}

/// How a process ended, in words.
fn told(status: Option<std::io::Result<std::process::ExitStatus>>) -> String {
    match status {
        Some(Ok(status)) => status.to_string(),
        Some(Err(error)) => error.to_string(),
        None => "unknown".to_string(),
    }
}

/// Directories as the protocol's workspace folders.
fn folders(roots: &[Utf8PathBuf]) -> Value {
    let folder =
        |root: &Utf8PathBuf| json!({"uri": uri_of(root), "name": root.file_name().unwrap_or("/")});
    roots.iter().map(folder).collect()
}

/// What is understood here (LSP 3.17, `ClientCapabilities`). Said only of what is really read: a server
/// sends a simpler form where something is missing.
fn capabilities() -> Value {
    let links = json!({"linkSupport": true});
    let kinds: Vec<u32> = (1..=26).collect();
    json!({
        "general": {
            "positionEncodings": ["utf-8", "utf-16", "utf-32"],
            "staleRequestSupport": {"cancel": true, "retryOnContentModified": []},
        },
        "window": {
            "workDoneProgress": true,
            "showMessage": {"messageActionItem": {"additionalPropertiesSupport": false}},
            "showDocument": {"support": false},
        },
        "workspace": {
            "applyEdit": true,
            "workspaceEdit": {
                "documentChanges": true,
                "resourceOperations": ["create", "rename", "delete"],
                "failureHandling": "abort",
                "normalizesLineEndings": false,
                "changeAnnotationSupport": {"groupsOnLabel": false},
            },
            "didChangeConfiguration": {"dynamicRegistration": true},
            "didChangeWatchedFiles": {"dynamicRegistration": true, "relativePatternSupport": true},
            "symbol": {"symbolKind": {"valueSet": kinds}},
            "executeCommand": {},
            "workspaceFolders": true,
            "configuration": true,
            "diagnostics": {"refreshSupport": true},
        },
        "textDocument": {
            "synchronization": {"didSave": true},
            "hover": {"contentFormat": ["markdown", "plaintext"]},
            "signatureHelp": {
                "signatureInformation": {
                    "documentationFormat": ["markdown", "plaintext"],
                    "parameterInformation": {"labelOffsetSupport": true},
                    "activeParameterSupport": true,
                },
            },
            "declaration": links,
            "definition": links,
            "typeDefinition": links,
            "implementation": links,
            "references": {},
            "documentSymbol": {
                "hierarchicalDocumentSymbolSupport": true,
                "symbolKind": {"valueSet": kinds},
            },
            "codeAction": {
                "codeActionLiteralSupport": {
                    "codeActionKind": {
                        "valueSet": [
                            "", "quickfix", "refactor", "refactor.extract", "refactor.inline",
                            "refactor.rewrite", "source", "source.organizeImports", "source.fixAll",
                        ],
                    },
                },
                "isPreferredSupport": true,
                "disabledSupport": true,
                "dataSupport": true,
                "resolveSupport": {"properties": ["edit", "command"]},
            },
            "formatting": {},
            "rangeFormatting": {},
            "rename": {"prepareSupport": true, "prepareSupportDefaultBehavior": 1},
            "publishDiagnostics": {
                "relatedInformation": true,
                "versionSupport": true,
                "codeDescriptionSupport": true,
                "dataSupport": true,
                "tagSupport": {"valueSet": [1, 2]},
            },
            "diagnostic": {"dynamicRegistration": false, "relatedDocumentSupport": false},
            "callHierarchy": {},
            "typeHierarchy": {},
        },
        "experimental": {"serverStatusNotification": true},
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_to_be_understood_is_in_the_protocol() {
        let said = capabilities();
        let typed: gen_lsp_types::ClientCapabilities =
            serde_json::from_value(said.clone()).expect("the protocol knows all of it");
        let back = serde_json::to_value(typed).expect("it can be written");
        assert_eq!(back, said);
    }
}
