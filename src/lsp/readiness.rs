//! Determines how much a server knows. Input: its progress messages, and the notifications that it
//! was sent. Output: a [`Completeness`].
//!
//! The protocol has no message for "I have read the project", so each server has a [`ReadyRule`], and a
//! [`ChangeTracking`] for the files that change later. Nothing here waits or holds a lock.

use std::collections::BTreeMap;
use std::fmt;
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::Value;

use super::Completeness;
use super::uri::path_of;

/// How many of a server's activities are kept at once.
const ACTIVITY_LIMIT: usize = 1_000;

/// How long a server may take to show that it has read a document.
const DOCUMENT_TIMEOUT: Duration = Duration::from_secs(30);

/// How soon one activity of a server follows another.
pub(super) const ACTIVITY_GAP: Duration = Duration::from_millis(300);

/// How a server shows that it has read the project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadyRule {
    /// Its answers wait until they are complete.
    Immediate,
    /// It sends a notification when it has read its configuration.
    Notification {
        /// The notification that requests it.
        requested_by: &'static str,
        /// The server's notification.
        notification: &'static str,
        /// The longest wait for it; after that, the server may be incomplete.
        within: Duration,
    },
    /// It reports progress (`$/progress`) while it reads the project.
    Progress {
        /// How soon after its first document it begins to; if it has not begun by then, it has nothing to
        /// read.
        begins_within: Duration,
        /// A request that it answers once it has processed all notifications, if there is one.
        idle_request: Option<&'static str>,
    },
    /// It reports `experimental/serverStatus` (rust-analyzer).
    ServerStatus,
    /// It reads files some time after its first document was opened, and after files were created or
    /// deleted.
    Delayed {
        /// Part of the message that it logs when it has; `None` if it does not log one.
        log_message: Option<&'static str>,
        /// The longest wait for it.
        within: Duration,
    },
}

impl ReadyRule {
    /// Returns whether a notification of the server is the one of [`ReadyRule::Notification`].
    pub(super) fn is_ready_notification(&self, method: &str) -> bool {
        matches!(self, ReadyRule::Notification { notification, .. } if *notification == method)
    }
}

/// Which changes of files a server takes into account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeTracking {
    /// Every change that it was notified of, by its [`ReadyRule`].
    Files,
    /// Every change that it was notified of, except files created after its start.
    FilesAtStart,
    /// Every change that it was notified of, but before its next answer only those of open documents
    /// (rust-analyzer).
    OpenFirst,
    /// Changes of open documents, once it has published diagnostics for their version or has answered its
    /// idle request.
    OpenDocuments,
}

/// What may change how much a server knows.
#[derive(Clone, Copy, Debug)]
pub(super) enum WaitFor {
    /// A message of the server.
    Message,
    /// A message of the server, or none until then.
    MessageUntil(Instant),
    /// The response to this request.
    Response(&'static str),
}

/// What one server has shown of its progress.
#[derive(Debug)]
pub(super) struct Readiness {
    rule: ReadyRule,
    tracking: ChangeTracking,
    roots: Vec<Utf8PathBuf>,
    /// Why the server can never be complete.
    limitation: Option<String>,
    activities: BTreeMap<String, Activity>,
    /// When the last activity ended.
    activity_ended: Option<Instant>,
    /// It has been idle once. From then on only its activities count.
    has_settled: bool,
    status: Option<ServerStatus>,
    /// When the delays of the rule begin.
    counts_from: Instant,
    has_opened: bool,
    /// It has sent the notification of [`ReadyRule::Notification`].
    has_notified: bool,
    /// It has logged the message of [`ReadyRule::Delayed`].
    has_logged: bool,
    /// The open documents that it has not shown to have read.
    unread: BTreeMap<Utf8PathBuf, UnreadDocument>,
    /// How many notifications about documents and files were sent, and how many of them it had processed
    /// when it last answered its idle request.
    sent: u64,
    processed: u64,
    /// It does not support its idle request.
    lacks_idle_request: bool,
}

#[derive(Clone, Debug)]
struct Activity {
    title: String,
    message: String,
    percentage: Option<u64>,
}

/// The parameters of `experimental/serverStatus` (rust-analyzer's `lsp-extensions.md`, "Server Status").
#[derive(Clone, Debug)]
struct ServerStatus {
    health: String,
    is_quiescent: bool,
    message: String,
}

/// A version of a document, and when it was sent.
#[derive(Clone, Copy, Debug)]
struct UnreadDocument {
    version: i64,
    sent: Instant,
}

/// Why a server is not ready.
struct NotReady {
    why: String,
    wait: WaitFor,
}

impl NotReady {
    fn new(why: impl Into<String>, wait: WaitFor) -> NotReady {
        let why = why.into();
        NotReady { why, wait }
    }
}

impl Readiness {
    pub(super) fn new(
        rule: ReadyRule,
        tracking: ChangeTracking,
        roots: Vec<Utf8PathBuf>,
        limitation: Option<String>,
    ) -> Readiness {
        Readiness {
            rule,
            tracking,
            roots,
            limitation,
            activities: BTreeMap::new(),
            activity_ended: None,
            has_settled: false,
            status: None,
            counts_from: Instant::now(),
            has_opened: false,
            has_notified: false,
            has_logged: false,
            unread: BTreeMap::new(),
            sent: 0,
            processed: 0,
            lacks_idle_request: false,
        }
    }

    /// Returns how much the server knows, and what may change that.
    pub(super) fn completeness(&mut self, now: Instant) -> (Completeness, WaitFor) {
        let problem = match self.health(now) {
            Ok(problem) => problem,
            Err(NotReady { why: what, wait }) => {
                return (Completeness::StillIndexing { what }, wait);
            }
        };
        let problems: Vec<String> = problem.into_iter().chain(self.limitation.clone()).collect();
        let completeness = match problems.is_empty() {
            true => Completeness::Complete,
            false => Completeness::Degraded {
                why: problems.join("; "),
            },
        };
        (completeness, WaitFor::Message)
    }

    /// Returns the problem of a server that is ready, if it has one.
    fn health(&mut self, now: Instant) -> Result<Option<String>, NotReady> {
        self.check_activities()?;
        self.check_documents(now)?;
        match self.rule {
            ReadyRule::Immediate => Ok(None),
            ReadyRule::Notification { within, .. } => self.check_notification(within, now),
            ReadyRule::Delayed {
                log_message,
                within,
            } => self.check_delay(log_message, within, now),
            ReadyRule::Progress { begins_within, .. } => self.check_progress(begins_within, now),
            ReadyRule::ServerStatus => self.check_status(),
        }
    }

    fn check_activities(&self) -> Result<(), NotReady> {
        match self.activities.values().next() {
            // Its own status takes precedence: rust-analyzer runs checks in the background.
            Some(activity) if !self.is_quiescent() => {
                Err(NotReady::new(activity.to_string(), WaitFor::Message))
            }
            _ => Ok(()),
        }
    }

    fn check_documents(&self, now: Instant) -> Result<(), NotReady> {
        // An idle request shows the same for all documents at once.
        if self.idle_request().is_some() {
            return Ok(());
        }
        let is_late = |(path, document): &(&Utf8PathBuf, &UnreadDocument)| {
            now < document.sent + DOCUMENT_TIMEOUT
                && self.roots.iter().any(|root| path.starts_with(root))
        };
        match self.unread.iter().find(is_late) {
            None => Ok(()),
            Some((path, document)) => {
                let why = format!("it is reading {}", path.file_name().unwrap_or_default());
                let until = document.sent + DOCUMENT_TIMEOUT;
                Err(NotReady::new(why, WaitFor::MessageUntil(until)))
            }
        }
    }

    fn check_notification(
        &self,
        within: Duration,
        now: Instant,
    ) -> Result<Option<String>, NotReady> {
        let until = self.counts_from + within;
        let why = "it has not read its configuration";
        match self.has_notified {
            true => Ok(None),
            false if now < until => Err(NotReady::new(why, WaitFor::MessageUntil(until))),
            false => Ok(Some(why.to_string())),
        }
    }

    fn check_delay(
        &self,
        log_message: Option<&str>,
        within: Duration,
        now: Instant,
    ) -> Result<Option<String>, NotReady> {
        let until = self.counts_from + within;
        let has_logged = log_message.is_some() && self.has_logged;
        if !has_logged && now < until {
            let why = "it may not have read all files";
            return Err(NotReady::new(why, WaitFor::MessageUntil(until)));
        }
        Ok(None)
    }

    fn check_progress(
        &mut self,
        begins_within: Duration,
        now: Instant,
    ) -> Result<Option<String>, NotReady> {
        self.settle(begins_within, now);
        // A server that lacks a required file does not start to index.
        let begins = self.activity_ended.is_some() || self.limitation.is_none();
        if begins && !self.has_settled {
            let why = match self.activity_ended {
                Some(_) => "it finished one step and may start another",
                None => "it may not have started",
            };
            let until = self.settles_at(begins_within);
            return Err(NotReady::new(why, WaitFor::MessageUntil(until)));
        }
        if let (Some(request), true) = (self.idle_request(), self.processed < self.sent) {
            let why = "it is reading documents";
            return Err(NotReady::new(why, WaitFor::Response(request)));
        }
        Ok(None)
    }

    fn check_status(&self) -> Result<Option<String>, NotReady> {
        let status = match &self.status {
            None => {
                let why = "it has not reported its status";
                return Err(NotReady::new(why, WaitFor::Message));
            }
            Some(status) if !status.is_quiescent => {
                let why = "it is reading the project";
                return Err(NotReady::new(why, WaitFor::Message));
            }
            Some(status) => status,
        };
        let is_healthy = status.health == "ok";
        Ok((!is_healthy).then(|| match status.message.as_str() {
            "" => format!("its health is {}", status.health),
            message => message.to_string(),
        }))
    }

    fn is_quiescent(&self) -> bool {
        let status = self.status.as_ref();
        status.is_some_and(|status| status.is_quiescent)
    }

    fn idle_request(&self) -> Option<&'static str> {
        match self.rule {
            ReadyRule::Progress { idle_request, .. } if !self.lacks_idle_request => idle_request,
            _ => None,
        }
    }

    /// Returns when the server counts as idle, if it begins nothing before.
    fn settles_at(&self, begins_within: Duration) -> Instant {
        match self.activity_ended {
            Some(ended) => ended + ACTIVITY_GAP,
            None => self.counts_from + begins_within,
        }
    }

    fn settle(&mut self, begins_within: Duration, now: Instant) {
        let is_idle = self.activities.is_empty();
        self.has_settled |= is_idle && now >= self.settles_at(begins_within);
    }

    /// Returns whether an activity is in progress whose token, as JSON, satisfies the predicate.
    pub(super) fn is_active(&self, has_token: impl Fn(&str) -> bool) -> bool {
        self.activities.keys().any(|token| has_token(token))
    }

    /// Records that the handshake is complete.
    pub(super) fn initialized(&mut self) {
        self.counts_from = Instant::now();
    }

    /// Records that the process has exited.
    pub(super) fn closed(&mut self) {
        self.activities.clear();
    }

    /// Records a notification to the server. It has to be sent before the next call.
    pub(super) fn notification_sent(&mut self, method: &str, params: &Value) {
        let document = &params["textDocument"];
        let path = || document["uri"].as_str().and_then(path_of);
        match method {
            "textDocument/didOpen" | "textDocument/didChange" => {
                if !self.has_opened {
                    self.has_opened = true;
                    self.counts_from = Instant::now();
                }
                if let (ChangeTracking::OpenDocuments, Some(path)) = (self.tracking, path()) {
                    let version = document["version"].as_i64().unwrap_or_default();
                    let sent = Instant::now();
                    self.unread.insert(path, UnreadDocument { version, sent });
                }
            }
            "textDocument/didClose" => {
                path().and_then(|path| self.unread.remove(&path));
            }
            "workspace/didChangeWatchedFiles" => self.watched_files_changed(&params["changes"]),
            _ => {}
        }
        let is_about_files =
            method.starts_with("textDocument/") || method.starts_with("workspace/");
        self.sent += u64::from(is_about_files);
    }

    fn watched_files_changed(&mut self, changes: &Value) {
        const CHANGED: u64 = 2;
        let mut changes = changes.as_array().into_iter().flatten();
        // A file was created or deleted.
        if changes.any(|change| change["type"] != CHANGED) {
            self.counts_from = Instant::now();
            self.has_logged = false;
        }
    }

    /// Returns how many notifications about documents and files were sent.
    pub(super) fn sent(&self) -> u64 {
        self.sent
    }

    /// Records the answer to the idle request that was sent after `sent` notifications.
    pub(super) fn idle_after(&mut self, sent: u64) {
        self.processed = self.processed.max(sent);
    }

    /// Records that the server does not support its idle request.
    pub(super) fn idle_request_unsupported(&mut self) {
        self.lacks_idle_request = true;
    }

    /// Records the notification of [`ReadyRule::Notification`].
    pub(super) fn ready_notified(&mut self) {
        self.has_notified = true;
    }

    /// Records a message that the server logged.
    pub(super) fn message_logged(&mut self, message: &str) {
        if let ReadyRule::Delayed {
            log_message: Some(expected),
            ..
        } = self.rule
        {
            self.has_logged |= message.contains(expected);
        }
    }

    /// Records a `$/progress` notification; `token` is JSON.
    pub(super) fn progress_reported(&mut self, token: String, value: &Value) {
        let text = |name: &str| value[name].as_str().map(str::to_string);
        match value["kind"].as_str() {
            Some("begin") if self.activities.len() < ACTIVITY_LIMIT => {
                if let ReadyRule::Progress { begins_within, .. } = self.rule {
                    self.settle(begins_within, Instant::now());
                }
                let activity = Activity {
                    title: text("title").unwrap_or_default(),
                    message: text("message").unwrap_or_default(),
                    percentage: value["percentage"].as_u64(),
                };
                self.activities.insert(token, activity);
            }
            Some("report") => {
                if let Some(activity) = self.activities.get_mut(&token) {
                    activity.message = text("message").unwrap_or(activity.message.clone());
                    activity.percentage = value["percentage"].as_u64().or(activity.percentage);
                }
            }
            Some("end") if self.activities.remove(&token).is_some() => {
                self.activity_ended = Some(Instant::now());
            }
            // Partial results, which are never requested.
            _ => {}
        }
    }

    /// Records the parameters of `experimental/serverStatus`; returns whether the server has become
    /// quiescent or ceased to be.
    pub(super) fn status_reported(&mut self, params: &Value) -> bool {
        let text = |name: &str| params[name].as_str().unwrap_or_default().to_string();
        let was_quiescent = self.is_quiescent();
        let status = ServerStatus {
            health: text("health"),
            is_quiescent: params["quiescent"].as_bool().unwrap_or(true),
            message: text("message"),
        };
        let has_changed = status.is_quiescent != was_quiescent;
        self.status = Some(status);
        has_changed
    }

    /// Records that the server has published diagnostics for a document.
    pub(super) fn diagnostics_published(&mut self, path: &Utf8Path, version: Option<i64>) {
        let unread = self.unread.get(path).map(|document| document.version);
        if version >= unread {
            self.unread.remove(path);
        }
    }
}

impl fmt::Display for Activity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
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
