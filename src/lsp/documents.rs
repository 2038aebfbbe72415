//! Keeps the documents that a server has open in sync with the disk. Input: texts and the state of
//! files. Output: notifications for the server.
//!
//! Only documents that a request is about are opened, and at most [`OPEN_LIMIT`] at once; for all other
//! files the server is notified that they were created, changed or deleted.

use std::collections::{HashMap, HashSet};
use std::time::{Instant, SystemTime};

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::{Value, json};

use super::readiness::ChangeTracking;
use super::text_change::{body, incremental};
use super::uri::uri_of;
use crate::language;
use crate::source::{Encoding, Source};

/// The maximum number of open documents of a server. Beyond it, the least recently used one is
/// closed.
pub const OPEN_LIMIT: usize = 64;

/// The maximum number of files that are compared for changes.
pub const FILE_LIMIT: usize = 100_000;

/// The maximum number of changed files in one notification.
const CHANGES_PER_NOTIFICATION: usize = 1_000;

/// The version of a document when it is opened.
pub(super) const FIRST_VERSION: i64 = 1;

/// The state of a file when it was last compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// When it was last written.
    pub modified: SystemTime,
    /// Its length in bytes.
    pub length: u64,
}

/// A notification for a server.
#[derive(Clone, Debug, PartialEq)]
pub struct Notification {
    /// Its method.
    pub method: &'static str,
    /// Its parameters.
    pub params: Value,
}

/// A document with its current text.
#[derive(Clone, Debug)]
pub struct TextDocument {
    /// Its absolute path.
    pub path: Utf8PathBuf,
    /// The protocol's name of its language.
    pub language_id: String,
    /// Its text.
    pub source: Source,
}

/// The languages of a server, each with the protocol's name of it (LSP 3.17, `TextDocumentItem`).
pub type LanguageIds = &'static [(&'static str, &'static str)];

/// The documents that one server has open, and the state of the other files that it was notified of.
#[derive(Debug)]
pub struct Documents {
    encoding: Encoding,
    options: SyncOptions,
    open_limit: usize,
    tracking: ChangeTracking,
    languages: LanguageIds,
    open: HashMap<Utf8PathBuf, OpenDocument>,
    /// Counts the calls of [`Documents::sync`].
    syncs: u64,
    /// The files at the last of these calls; `None` before the first.
    files: Option<HashMap<Utf8PathBuf, Stamp>>,
    /// The documents that a predecessor had open, with their language ids; opened at the next call.
    to_reopen: Vec<(Utf8PathBuf, String)>,
    /// How many changes of files the server does not take into account.
    missed_changes: usize,
    /// Counts the changes that the server was notified of.
    changes: u64,
    /// There are more files than those that are compared.
    is_partial: bool,
}

#[derive(Debug)]
struct OpenDocument {
    language_id: String,
    source: Source,
    version: i64,
    /// When it was last sent.
    sent: Instant,
    /// [`Documents::syncs`] when it was last used.
    used: u64,
    /// [`Documents::changes`] when it was last sent.
    changes: u64,
}

/// Which notifications about documents a server wants (LSP 3.17, `TextDocumentSyncOptions`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct SyncOptions {
    open_close: bool,
    change: SyncKind,
    /// Whether it wants to be notified of saves; if so, whether with the text.
    save: Option<bool>,
}

/// How a server wants to receive changes (LSP 3.17, `TextDocumentSyncKind`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SyncKind {
    None,
    Full,
    Incremental,
}

#[derive(Clone, Debug)]
struct FileChange {
    path: Utf8PathBuf,
    kind: FileChangeType,
}

/// The numbers of the protocol (LSP 3.17, `FileChangeType`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FileChangeType {
    Created = 1,
    Changed = 2,
    Deleted = 3,
}

impl Documents {
    /// Returns an empty set of documents for a server with these capabilities.
    pub fn new(capabilities: &Value, encoding: Encoding) -> Documents {
        Documents {
            encoding,
            options: SyncOptions::from_capability(&capabilities["textDocumentSync"]),
            open_limit: OPEN_LIMIT,
            tracking: ChangeTracking::Files,
            languages: &[],
            open: HashMap::new(),
            syncs: 0,
            files: None,
            to_reopen: Vec::new(),
            missed_changes: 0,
            changes: 0,
            is_partial: false,
        }
    }

    /// Limits how many documents are open at once, to at least one.
    pub fn with_open_limit(mut self, open_limit: usize) -> Documents {
        self.open_limit = open_limit.max(1);
        self
    }

    /// Sets which changes of files in these languages the server takes into account.
    pub fn with_tracking(mut self, tracking: ChangeTracking, languages: LanguageIds) -> Documents {
        self.tracking = tracking;
        self.languages = languages;
        self
    }

    /// Opens the documents of a predecessor again, at the next [`Documents::sync`].
    pub fn reopening(mut self, before: &Documents) -> Documents {
        self.to_reopen = before.to_reopen.clone();
        let mut open: Vec<_> = before.open.iter().collect();
        open.sort_by_key(|(_, open)| open.used);
        let open = open.into_iter();
        let open = open.map(|(path, open)| (path.clone(), open.language_id.clone()));
        self.to_reopen.extend(open);
        self
    }

    /// Sets whether the files for the next calls of [`Documents::sync`] are all there are. A file that is
    /// missing from an incomplete list does not count as deleted.
    pub fn set_all_files_listed(&mut self, is_complete: bool) {
        self.is_partial = !is_complete;
    }

    /// Returns whether there are more files than those that are compared.
    pub fn is_partial(&self) -> bool {
        self.is_partial
    }

    /// Returns how many changes of files the server does not take into account.
    pub fn missed_changes(&self) -> usize {
        self.missed_changes
    }

    /// Returns the paths of the open documents, sorted.
    pub fn open_paths(&self) -> Vec<Utf8PathBuf> {
        let mut paths: Vec<_> = self.open.keys().cloned().collect();
        paths.sort();
        paths
    }

    /// Returns the version of an open document, and when it was sent.
    pub fn version(&self, path: &Utf8Path) -> Option<(i64, Instant)> {
        self.open.get(path).map(|open| (open.version, open.sent))
    }

    /// Returns the text of an open document as the server has it.
    pub fn text(&self, path: &Utf8Path) -> Option<&Source> {
        self.open.get(path).map(|open| &open.source)
    }

    /// Returns the notifications for the server before a request about `asked`.
    ///
    /// `disk` are the current files. The first [`FILE_LIMIT`] of them are compared with those of the
    /// previous call; the first call reports no changes. `text_of` reads a file, and returns `None`
    /// if it no longer exists. `is_watched` returns whether the server is notified of a file.
    pub fn sync(
        &mut self,
        asked: &TextDocument,
        disk: impl IntoIterator<Item = (Utf8PathBuf, Stamp)>,
        mut text_of: impl FnMut(&Utf8Path) -> Option<Source>,
        is_watched: impl Fn(&Utf8Path) -> bool,
    ) -> Vec<Notification> {
        self.syncs += 1;
        let mut disk = disk.into_iter();
        let files: HashMap<_, _> = disk.by_ref().take(FILE_LIMIT).collect();
        self.is_partial |= disk.next().is_some();
        let mut notifications = Vec::new();
        let mut changes = self.compare(&files);
        self.refresh_open(
            &asked.path,
            &files,
            &mut changes,
            &mut text_of,
            &mut notifications,
        );
        let is_open = |path: &Utf8Path| path == asked.path || self.open.contains_key(path);
        changes.retain(|FileChange { path, kind }| {
            let is_sent_as_text = is_open(path) && *kind == FileChangeType::Changed;
            !is_sent_as_text && is_watched(path)
        });
        changes.sort_by(|a, b| a.path.cmp(&b.path));
        self.count(&changes);
        self.open_changed(&changes, &mut text_of, &mut notifications);
        self.files = Some(files);
        self.reopen(&asked.path, &mut text_of, &mut notifications);
        self.open_or_change(asked, &mut notifications);
        self.close_surplus(&mut notifications);
        // Files first: the texts may refer to new ones.
        let mut all = watched_files_changed(&changes);
        all.append(&mut notifications);
        all
    }

    /// Returns the changes of files since the last call.
    fn compare(&self, files: &HashMap<Utf8PathBuf, Stamp>) -> Vec<FileChange> {
        let Some(before) = &self.files else {
            return Vec::new();
        };
        let change = |path: &Utf8PathBuf, kind| FileChange {
            path: path.clone(),
            kind,
        };
        let mut changes = Vec::new();
        for (path, stamp) in files {
            match before.get(path) {
                None => changes.push(change(path, FileChangeType::Created)),
                Some(known) if known != stamp => {
                    changes.push(change(path, FileChangeType::Changed));
                }
                Some(_) => {}
            }
        }
        if !self.is_partial {
            let deleted = before.keys().filter(|path| !files.contains_key(*path));
            changes.extend(deleted.map(|path| change(path, FileChangeType::Deleted)));
        }
        changes
    }

    /// Sends the open documents whose files have changed or are not compared, and closes those whose
    /// files are gone.
    fn refresh_open(
        &mut self,
        asked: &Utf8Path,
        files: &HashMap<Utf8PathBuf, Stamp>,
        changes: &mut Vec<FileChange>,
        text_of: &mut impl FnMut(&Utf8Path) -> Option<Source>,
        notifications: &mut Vec<Notification>,
    ) {
        let changed: HashSet<Utf8PathBuf> =
            changes.iter().map(|change| change.path.clone()).collect();
        let may_differ = |path: &&Utf8PathBuf| {
            *path != asked && (changed.contains(*path) || !files.contains_key(*path))
        };
        let open: Vec<_> = self.open.keys().filter(may_differ).cloned().collect();
        for path in open {
            match text_of(&path) {
                Some(source) => self.change(&path, source, notifications),
                None => {
                    self.close(&path, notifications);
                    if !changed.contains(&path) {
                        let kind = FileChangeType::Deleted;
                        changes.push(FileChange { path, kind });
                    }
                }
            }
        }
    }

    /// Counts the changes of files that the server is notified of, and those that it misses.
    fn count(&mut self, changes: &[FileChange]) {
        self.changes += u64::from(!changes.is_empty());
        if self.tracking == ChangeTracking::FilesAtStart {
            let created = changes
                .iter()
                .filter(|change| change.kind == FileChangeType::Created);
            self.missed_changes += created.count();
        }
    }

    /// Opens changed files for a server that takes only open documents into account, or these first.
    fn open_changed(
        &mut self,
        changes: &[FileChange],
        text_of: &mut impl FnMut(&Utf8Path) -> Option<Source>,
        notifications: &mut Vec<Notification>,
    ) {
        match self.tracking {
            ChangeTracking::Files | ChangeTracking::FilesAtStart => return,
            ChangeTracking::OpenFirst | ChangeTracking::OpenDocuments => {}
        }
        for FileChange { path, kind } in changes {
            let has_space = self.open.len() + 1 < self.open_limit;
            let is_readable = has_space && *kind != FileChangeType::Deleted;
            let source = is_readable.then(|| text_of(path)).flatten();
            // The text may show a language that the path does not.
            let language = match &source {
                Some(source) => Some(source.language()),
                None => language::of_path(path.as_str()),
            };
            let language = language.map(|language| language.name);
            let mut languages = self.languages.iter();
            let Some((_, id)) = languages.find(|(name, _)| Some(*name) == language) else {
                continue;
            };
            match source {
                Some(source) => {
                    let document = TextDocument {
                        path: path.clone(),
                        language_id: id.to_string(),
                        source,
                    };
                    self.open_or_change(&document, notifications);
                    // clangd reads the files that include a file again only when it is saved.
                    notifications.extend(self.did_save(path, &document.source));
                }
                None if self.tracking == ChangeTracking::OpenDocuments => self.missed_changes += 1,
                None => {}
            }
        }
    }

    /// Opens the documents of a predecessor again.
    fn reopen(
        &mut self,
        asked: &Utf8Path,
        text_of: &mut impl FnMut(&Utf8Path) -> Option<Source>,
        notifications: &mut Vec<Notification>,
    ) {
        for (path, language_id) in std::mem::take(&mut self.to_reopen) {
            if path != asked
                && let Some(source) = text_of(&path)
            {
                let document = TextDocument {
                    path,
                    language_id,
                    source,
                };
                self.open_or_change(&document, notifications);
            }
        }
    }

    fn open_or_change(&mut self, document: &TextDocument, notifications: &mut Vec<Notification>) {
        let TextDocument {
            path,
            language_id,
            source,
        } = document;
        if let Some(open) = self.open.get_mut(path) {
            open.used = self.syncs;
            self.change(path, source.clone(), notifications);
            return;
        }
        if self.options.open_close {
            notifications.push(Notification {
                method: "textDocument/didOpen",
                params: json!({"textDocument": {
                    "uri": uri_of(path),
                    "languageId": language_id,
                    "version": FIRST_VERSION,
                    "text": &*source.slice(source.whole()),
                }}),
            });
        }
        let open = OpenDocument {
            language_id: language_id.clone(),
            source: source.clone(),
            version: FIRST_VERSION,
            sent: Instant::now(),
            used: self.syncs,
            changes: self.changes,
        };
        self.open.insert(path.clone(), open);
    }

    /// Sends the text of an open document, if it differs.
    fn change(&mut self, path: &Utf8Path, source: Source, notifications: &mut Vec<Notification>) {
        let Some(open) = self.open.get_mut(path) else {
            return;
        };
        if body(&open.source) == body(&source) {
            return;
        }
        let change = match self.options.change {
            SyncKind::None => None,
            SyncKind::Full => Some(json!({"text": body(&source)})),
            SyncKind::Incremental => Some(incremental(&open.source, &source, self.encoding)),
        };
        self.changes += 1;
        open.source = source.clone();
        let version = open.next_version(self.changes);
        notifications.extend(change.map(|change| did_change(path, version, change)));
        notifications.extend(self.did_save(path, &source));
    }

    /// Returns the notification that a document was saved, if the server wants it.
    fn did_save(&self, path: &Utf8Path, source: &Source) -> Option<Notification> {
        let with_text = self.options.save?;
        let mut params = json!({"textDocument": {"uri": uri_of(path)}});
        if with_text {
            params["text"] = body(source).into();
        }
        Some(Notification {
            method: "textDocument/didSave",
            params,
        })
    }

    /// Returns a notification with the same text of an open document as a new version, if the server was
    /// notified of other changes after it was last sent: its diagnostics may have changed, and servers
    /// publish them for each new version.
    pub fn resend(&mut self, path: &Utf8Path) -> Option<Notification> {
        let open = self.open.get(path)?;
        match open.changes == self.changes {
            true => None,
            false => self.send_again(path),
        }
    }

    /// Returns a notification with the same text of an open document as a new version. `None` if the server
    /// does not want changes.
    pub fn send_again(&mut self, path: &Utf8Path) -> Option<Notification> {
        let open = self.open.get_mut(path)?;
        if self.options.change == SyncKind::None {
            return None;
        }
        let version = open.next_version(self.changes);
        let change = json!({"text": body(&open.source)});
        Some(did_change(path, version, change))
    }

    fn close(&mut self, path: &Utf8Path, notifications: &mut Vec<Notification>) {
        if self.open.remove(path).is_some() && self.options.open_close {
            notifications.push(Notification {
                method: "textDocument/didClose",
                params: json!({"textDocument": {"uri": uri_of(path)}}),
            });
        }
    }

    fn close_surplus(&mut self, notifications: &mut Vec<Notification>) {
        while self.open.len() > self.open_limit {
            let open = self.open.iter();
            let oldest = open.min_by_key(|(path, open)| (open.used, *path));
            let oldest = oldest.map(|(path, _)| path.clone());
            self.close(&oldest.expect("more than one is open"), notifications);
        }
    }
}

impl OpenDocument {
    /// Records that it is sent again, after that many changes; returns its new version.
    fn next_version(&mut self, changes: u64) -> i64 {
        self.changes = changes;
        self.version += 1;
        self.sent = Instant::now();
        self.version
    }
}

impl SyncOptions {
    fn from_capability(capability: &Value) -> SyncOptions {
        if capability.is_object() {
            let save = &capability["save"];
            let wants_save = save.is_object() || *save == Value::Bool(true);
            return SyncOptions {
                // A server that leaves it out and answers requests means yes.
                open_close: capability["openClose"] != Value::Bool(false),
                change: SyncKind::from_number(&capability["change"]),
                save: wants_save.then(|| save["includeText"] == Value::Bool(true)),
            };
        }
        let change = SyncKind::from_number(capability);
        SyncOptions {
            open_close: true,
            change,
            save: (change != SyncKind::None).then_some(false),
        }
    }
}

impl SyncKind {
    fn from_number(number: &Value) -> SyncKind {
        match number.as_u64() {
            Some(1) => SyncKind::Full,
            Some(2) => SyncKind::Incremental,
            _ => SyncKind::None,
        }
    }
}

fn did_change(path: &Utf8Path, version: i64, change: Value) -> Notification {
    Notification {
        method: "textDocument/didChange",
        params: json!({
            "textDocument": {"uri": uri_of(path), "version": version},
            "contentChanges": [change],
        }),
    }
}

fn watched_files_changed(changes: &[FileChange]) -> Vec<Notification> {
    let event =
        |change: &FileChange| json!({"uri": uri_of(&change.path), "type": change.kind as u8});
    let notification = |changes: &[FileChange]| {
        let changes: Value = changes.iter().map(event).collect();
        Notification {
            method: "workspace/didChangeWatchedFiles",
            params: json!({"changes": changes}),
        }
    };
    let chunks = changes.chunks(CHANGES_PER_NOTIFICATION);
    chunks.map(notification).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str) -> Source {
        Source::new("a", language::plain_text(), text.to_string())
    }

    fn document(path: &str, content: &str) -> TextDocument {
        TextDocument {
            path: path.into(),
            language_id: "plaintext".to_string(),
            source: source(content),
        }
    }

    fn stamps(files: &[(&str, u64)]) -> Vec<(Utf8PathBuf, Stamp)> {
        let stamp = |length| Stamp {
            modified: SystemTime::UNIX_EPOCH,
            length,
        };
        let files = files.iter();
        files
            .map(|(path, length)| (Utf8PathBuf::from(path), stamp(*length)))
            .collect()
    }

    fn documents() -> Documents {
        Documents::new(&json!({"textDocumentSync": 2}), Encoding::Utf16)
    }

    fn summary(notifications: &[Notification]) -> Vec<String> {
        let name = |params: &Value| match &params["changes"] {
            Value::Array(changes) => {
                let one = |change: &Value| format!("{}={}", change["uri"], change["type"]);
                changes.iter().map(one).collect::<Vec<_>>().join(" ")
            }
            _ => params["textDocument"]["uri"].to_string(),
        };
        let one = |notification: &Notification| {
            let what = notification.method.rsplit('/').next().unwrap_or_default();
            format!(
                "{what} {}",
                name(&notification.params)
                    .replace("file://", "")
                    .replace('"', "")
            )
        };
        notifications.iter().map(one).collect()
    }

    #[test]
    fn a_document_is_opened_once_and_then_changed() {
        let mut documents = documents();
        let mut sync = |content| {
            let asked = document("/a", content);
            documents.sync(&asked, [], |_| None, |_| true)
        };
        let opened = sync("\u{feff}one 😀 two\n");
        assert_eq!(summary(&opened), ["didOpen /a"]);
        assert_eq!(opened[0].params["textDocument"]["text"], "one 😀 two\n");
        assert_eq!(sync("one 😀 two\n"), []);
        let changed = sync("one 😀 too\n");
        assert_eq!(summary(&changed), ["didChange /a", "didSave /a"]);
        assert_eq!(
            changed[0].params,
            json!({
                "textDocument": {"uri": "file:///a", "version": 2},
                "contentChanges": [{
                    "range": {
                        "start": {"line": 0, "character": 8}, "end": {"line": 0, "character": 9},
                    },
                    "text": "o",
                }],
            })
        );
    }

    #[test]
    fn the_server_receives_only_notifications_it_wants() {
        for (capability, expected) in [
            (json!(0), vec!["didOpen"]),
            (json!(1), vec!["didOpen", "didChange whole", "didSave"]),
            (
                json!({"openClose": true, "change": 2, "save": {"includeText": true}}),
                vec!["didOpen", "didChange", "didSave with text"],
            ),
            (json!({"openClose": false, "change": 0}), vec![]),
        ] {
            let capabilities = json!({ "textDocumentSync": capability });
            let mut documents = Documents::new(&capabilities, Encoding::Utf8);
            let mut sent = Vec::new();
            for content in ["one", "two"] {
                for notification in documents.sync(&document("/a", content), [], |_| None, |_| true)
                {
                    let what = notification.method.rsplit('/').next().unwrap_or_default();
                    let change = &notification.params["contentChanges"][0];
                    sent.push(match notification.params["text"] == "two" {
                        true => format!("{what} with text"),
                        false if change["text"] == "two" && change["range"].is_null() => {
                            format!("{what} whole")
                        }
                        false => what.to_string(),
                    });
                }
            }
            assert_eq!(sent, expected, "{capability}");
        }
    }

    #[test]
    fn created_changed_and_deleted_files_are_reported() {
        let mut documents = documents();
        let asked = document("/asked", "x");
        let is_watched = |path: &Utf8Path| path.extension() != Some("log");
        let mut sync = |asked: &TextDocument, files: &[(&str, u64)]| {
            let read = |path: &Utf8Path| (path != "/gone").then(|| source("new"));
            summary(&documents.sync(asked, stamps(files), read, is_watched))
        };
        let before = [
            ("/asked", 1),
            ("/b", 1),
            ("/c", 1),
            ("/d", 1),
            ("/e.log", 1),
        ];
        assert_eq!(sync(&asked, &before), ["didOpen /asked"]);
        assert_eq!(sync(&document("/b", "old"), &before), ["didOpen /b"]);
        assert_eq!(sync(&document("/gone", "old"), &before), ["didOpen /gone",]);
        let after = [
            ("/asked", 2),
            ("/b", 2),
            ("/c", 2),
            ("/e.log", 2),
            ("/f", 1),
        ];
        let mut sent = sync(&asked, &after);
        // The order of open documents is arbitrary.
        sent[1..].sort();
        assert_eq!(
            sent,
            [
                "didChangeWatchedFiles /c=2 /d=3 /f=1 /gone=3",
                "didChange /b",
                "didClose /gone",
                "didSave /b",
            ]
        );
        assert_eq!(sync(&asked, &after), [] as [&str; 0]);
    }

    #[test]
    fn the_least_recently_used_document_is_closed_for_another() {
        let mut documents = documents().with_open_limit(2);
        let mut sync = |path: &str| {
            let read = |_: &Utf8Path| Some(source(""));
            summary(&documents.sync(&document(path, ""), [], read, |_| true))
        };
        assert_eq!(sync("/a"), ["didOpen /a"]);
        assert_eq!(sync("/b"), ["didOpen /b"]);
        assert_eq!(sync("/a"), [] as [&str; 0]);
        assert_eq!(sync("/c"), ["didOpen /c", "didClose /b"]);
        let mut after = super::Documents::new(&json!({}), Encoding::Utf8).reopening(&documents);
        let asked = document("/c", "");
        let read = |path: &Utf8Path| (path == "/a").then(|| source("again"));
        let notifications = after.sync(&asked, [], read, |_| true);
        assert_eq!(summary(&notifications), ["didOpen /a", "didOpen /c"]);
    }

    #[test]
    fn changed_files_are_opened_for_a_server_that_tracks_open_documents() {
        let mut documents = documents()
            .with_tracking(
                ChangeTracking::OpenDocuments,
                &[("text", "plaintext"), ("c", "c")],
            )
            .with_open_limit(3);
        let mut sync = |files: &[(&str, u64)]| {
            let read = |_: &Utf8Path| Some(source("new"));
            summary(&documents.sync(&document("/asked", ""), stamps(files), read, |_| true))
        };
        let names = ["/a.c", "/b.c", "/c.c", "/d.c", "/build.json"];
        assert_eq!(sync(&names.map(|name| (name, 1))), ["didOpen /asked"]);
        let mut after = names.map(|name| (name, 2)).to_vec();
        after.remove(3);
        assert_eq!(
            sync(&after),
            [
                "didChangeWatchedFiles /a.c=2 /b.c=2 /build.json=2 /c.c=2 /d.c=3",
                "didOpen /a.c",
                "didSave /a.c",
            ]
        );
        // There is no space for two, and one is deleted.
        assert_eq!(documents.missed_changes(), 3);

        let mut documents =
            super::tests::documents().with_tracking(ChangeTracking::FilesAtStart, &[]);
        for (files, missed) in [(&[("/a", 1)][..], 0), (&[("/a", 2), ("/b", 1)], 1)] {
            documents.sync(&document("/asked", ""), stamps(files), |_| None, |_| true);
            assert_eq!(documents.missed_changes(), missed);
        }
    }

    #[test]
    fn a_file_missing_from_an_incomplete_list_is_not_deleted() {
        let mut documents = documents();
        let mut sync = |is_all: bool, files: &[(&str, u64)]| {
            documents.set_all_files_listed(is_all);
            summary(&documents.sync(&document("/asked", ""), stamps(files), |_| None, |_| true))
        };
        assert_eq!(sync(true, &[("/b", 1), ("/c", 1)]), ["didOpen /asked"]);
        let sent = sync(false, &[("/a", 1), ("/b", 1)]);
        assert_eq!(sent, ["didChangeWatchedFiles /a=1"]);
        let sent = sync(true, &[("/b", 1)]);
        assert_eq!(sent, ["didChangeWatchedFiles /a=3"]);
    }

    #[test]
    fn a_text_is_sent_again_after_another_file_has_changed() {
        let mut documents = documents();
        let a = Utf8Path::new("/a");
        let is_sent = |documents: &mut super::Documents| {
            let notification = documents.resend(a)?;
            Some((
                notification.params["textDocument"]["version"].clone(),
                notification.params["contentChanges"].clone(),
            ))
        };
        let sync =
            |documents: &mut super::Documents, asked: &TextDocument, files: &[(&str, u64)]| {
                documents.sync(asked, stamps(files), |_| None, |_| true);
            };
        let before = [("/a", 1), ("/b", 1), ("/c", 1)];
        sync(&mut documents, &document("/a", "x"), &before);
        sync(&mut documents, &document("/b", "x"), &before);
        assert_eq!(is_sent(&mut documents), None);
        // A closed file, and an open one.
        for asked in ["x", "y"] {
            let stamp = 1 + asked.len() as u64;
            sync(
                &mut documents,
                &document("/b", asked),
                &[("/a", 1), ("/b", 1), ("/c", stamp)],
            );
        }
        let whole = json!([{"text": "x"}]);
        assert_eq!(is_sent(&mut documents), Some((json!(2), whole)));
        assert_eq!(is_sent(&mut documents), None);
        // Its own change is sent with the next request.
        sync(&mut documents, &document("/a", "z"), &before);
        assert_eq!(is_sent(&mut documents), None);
    }
}
