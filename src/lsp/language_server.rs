//! A running server with its documents. Input: the current files and requests. Output: answers,
//! each with how much the server knew.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::built_in::BuiltInServer;
use super::client::LspClient;
use super::documents::{Documents, Notification, Stamp, TextDocument};
use super::monitor::lock;
use super::watched_files::WatchedFiles;
use super::{Completeness, ServerError};
use crate::source::{Encoding, Source};

/// A running server with its documents.
#[derive(Debug)]
pub struct LanguageServer {
    built_in: BuiltInServer,
    client: LspClient,
    documents: Mutex<Documents>,
    started: Instant,
    last_used: Mutex<Instant>,
    watched: Mutex<WatchedFiles>,
    /// Why its predecessor was ended, for the next answer.
    note: Mutex<Option<String>>,
}

/// A server's answer, and how much it knew when it gave it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerAnswer<R> {
    /// The result.
    pub result: R,
    /// The least that the server knew between the request and the result.
    pub completeness: Completeness,
}

impl<R> ServerAnswer<R> {
    /// Converts the result.
    pub fn map<T>(self, convert: impl FnOnce(R) -> T) -> ServerAnswer<T> {
        ServerAnswer {
            result: convert(self.result),
            completeness: self.completeness,
        }
    }
}

impl LanguageServer {
    pub(super) fn new(
        built_in: BuiltInServer,
        client: LspClient,
        documents: Documents,
    ) -> LanguageServer {
        let now = Instant::now();
        LanguageServer {
            built_in,
            client,
            documents: Mutex::new(documents),
            started: now,
            last_used: Mutex::new(now),
            watched: Mutex::new(WatchedFiles::none()),
            note: Mutex::default(),
        }
    }

    pub(super) fn set_note(&self, note: Option<String>) {
        *lock(&self.note) = note;
    }

    /// Returns why its predecessor was ended, for one answer.
    pub fn take_note(&self) -> Option<String> {
        lock(&self.note).take()
    }

    /// Returns the client, for everything that is not about documents.
    pub fn client(&self) -> &LspClient {
        &self.client
    }

    /// Returns the entry of the built-in servers that it was started for.
    pub fn built_in(&self) -> &BuiltInServer {
        &self.built_in
    }

    /// Returns the protocol's name of one of its languages.
    pub fn language_id(&self, language: &str) -> &'static str {
        let languages = self.built_in.languages;
        let known = languages.iter().find(|(name, _)| *name == language);
        known
            .or(languages.first())
            .map_or("plaintext", |(_, id)| id)
    }

    /// Notifies the server of the current files, before a request about `source`, which is at the absolute
    /// `path`.
    ///
    /// `disk` are the files of the workspace; `text_of` reads one, and returns `None` if it no longer exists;
    /// `language_of` returns the name of its language.
    ///
    /// # Errors
    /// `Crashed`, and `Timeout` if the server has not read its input for long.
    pub fn sync(
        &self,
        path: &Utf8Path,
        source: &Source,
        disk: impl IntoIterator<Item = (Utf8PathBuf, Stamp)>,
        text_of: impl FnMut(&Utf8Path) -> Option<Source>,
        language_of: impl Fn(&Utf8Path) -> Option<&'static str>,
    ) -> Result<(), ServerError> {
        self.used();
        let asked = TextDocument {
            path: path.to_owned(),
            language_id: self.language_id(source.language().name).to_string(),
            source: source.clone(),
        };
        let registrations = self.client.registrations("workspace/didChangeWatchedFiles");
        let roots = &self.client.launch().roots;
        let registered = lock(&self.watched).update(registrations, roots);
        let is_watched =
            |path: &Utf8Path| self.reads(path, language_of(path)) || registered.is_match(path);
        // Held until everything is sent, so that the notifications of two requests do not mix.
        let mut documents = lock(&self.documents);
        for notification in documents.sync(&asked, disk, text_of, is_watched) {
            self.client
                .notify(notification.method, notification.params)?;
        }
        Ok(())
    }

    /// Sends a document again, if other files have changed since; returns its version, and when it was sent.
    pub(super) fn resend(&self, path: &Utf8Path) -> Result<(i64, Instant), ServerError> {
        self.send_with(path, Documents::resend)
    }

    /// Sends a document again; returns its version, and when it was sent.
    pub(super) fn send_again(&self, path: &Utf8Path) -> Result<(i64, Instant), ServerError> {
        self.send_with(path, Documents::send_again)
    }

    fn send_with(
        &self,
        path: &Utf8Path,
        notification: impl Fn(&mut Documents, &Utf8Path) -> Option<Notification>,
    ) -> Result<(i64, Instant), ServerError> {
        // Held until it is sent, as in `sync`.
        let mut documents = lock(&self.documents);
        if let Some(notification) = notification(&mut documents, path) {
            self.client
                .notify(notification.method, notification.params)?;
        }
        Ok(documents.version(path).unwrap_or((0, self.started)))
    }

    /// Sets whether the files for [`LanguageServer::sync`] are all there are. Changes of other files are not
    /// noticed.
    pub fn set_all_files_listed(&self, is_complete: bool) {
        lock(&self.documents).set_all_files_listed(is_complete);
    }

    /// Sends a request as [`LspClient::ask`] does.
    ///
    /// # Errors
    /// As [`LspClient::ask`].
    pub fn ask<R: DeserializeOwned>(
        &self,
        method: &str,
        params: impl Serialize,
    ) -> Result<ServerAnswer<R>, ServerError> {
        let before = self.completeness();
        let result = self.client.ask(method, params);
        self.used();
        // What the server learned while it answered may be missing from the result.
        let completeness = before.or(self.completeness());
        Ok(ServerAnswer {
            result: result?,
            completeness,
        })
    }

    /// Returns how much the server knows now.
    pub fn completeness(&self) -> Completeness {
        self.with_missed_changes(self.client.completeness())
    }

    /// Waits at most `within` until the server is ready. Returns how much it knows then.
    pub fn wait_until_ready(&self, within: Duration) -> Completeness {
        self.with_missed_changes(self.client.wait_until_ready(within))
    }

    /// Adds the changes that the server does not take into account before its restart, which happens at the
    /// next request; and the changes of files that are not compared.
    fn with_missed_changes(&self, completeness: Completeness) -> Completeness {
        let own = match completeness {
            Completeness::StillIndexing { .. } => return completeness,
            Completeness::Complete => None,
            Completeness::Degraded { why } => Some(why),
        };
        let (missed, is_partial) = {
            let documents = lock(&self.documents);
            (documents.missed_changes(), documents.is_partial())
        };
        let missed = (missed > 0).then(|| format!("it has not reread {missed} changed files"));
        let partial = is_partial
            .then(|| "the workspace has more files than are checked for changes".to_string());
        let all: Vec<String> = own.into_iter().chain(missed).chain(partial).collect();
        match all.is_empty() {
            true => Completeness::Complete,
            false => Completeness::Degraded {
                why: all.join("; "),
            },
        }
    }

    /// Returns the text of an open document as the server has it.
    pub fn text(&self, path: &Utf8Path) -> Option<Source> {
        lock(&self.documents).text(path).cloned()
    }

    /// Returns the paths of its open documents, sorted.
    pub fn open_paths(&self) -> Vec<Utf8PathBuf> {
        lock(&self.documents).open_paths()
    }

    /// Returns whether the server reads a file, by its name and its language.
    pub fn reads(&self, path: &Utf8Path, language: Option<&str>) -> bool {
        let name = path.file_name().unwrap_or_default();
        self.built_in.configuration_files.contains(&name)
            || language.is_some_and(|language| {
                self.built_in.has_language(language) || self.built_in.imported.contains(&language)
            })
    }

    /// Records that the server is in use.
    pub(super) fn used(&self) {
        *lock(&self.last_used) = Instant::now();
    }

    /// Returns for how long the server has not been used.
    pub(super) fn idle_time(&self) -> Duration {
        lock(&self.last_used).elapsed()
    }

    pub(super) fn started(&self) -> Instant {
        self.started
    }

    /// Returns whether the server must be restarted to read changed files.
    pub(super) fn is_stale(&self) -> bool {
        lock(&self.documents).missed_changes() > 0
    }

    /// Moves its documents out, for its successor.
    pub(super) fn take_documents(&self) -> Documents {
        let empty = Documents::new(&Value::Null, Encoding::Utf16);
        std::mem::replace(&mut lock(&self.documents), empty)
    }

    pub(super) fn root(&self) -> &Utf8Path {
        &self.client.launch().roots[0]
    }

    /// Returns whether the server supports several workspace folders.
    pub(super) fn has_workspace_folders(&self) -> bool {
        let capabilities = self.client.capabilities();
        capabilities["workspace"]["workspaceFolders"]["supported"] == Value::Bool(true)
    }
}
