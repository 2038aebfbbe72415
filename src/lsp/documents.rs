//! What a server has open, kept in step with the disk: texts and the state of files come in, the
//! notifications that tell the server of them go out.
//!
//! Only documents that are asked about are opened, and at most [`MOST_OPEN`] at once; of all other files the
//! server is told that they came, changed or went.

use std::collections::{HashMap, HashSet};
use std::time::{Instant, SystemTime};

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::{Value, json};

use super::uri::uri_of;
use crate::language;
use crate::source::{Encoding, Source, Span};

/// How many documents a server has open; the one longest not asked about is closed for another.
pub const MOST_OPEN: usize = 64;

/// How many files are looked at for changes.
pub const MOST_SEEN: usize = 100_000;

/// How many changed files one notification names.
const MOST_IN_ONE: usize = 1_000;

/// How a file was when it was last looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// When it was last written.
    pub modified: SystemTime,
    /// How many bytes it has.
    pub length: u64,
}

/// Something to tell a server.
#[derive(Clone, Debug, PartialEq)]
pub struct Notice {
    /// What it is about.
    pub method: &'static str,
    /// What is told.
    pub params: Value,
}

/// A document as the caller has it.
#[derive(Clone, Debug)]
pub struct Text {
    /// Where it is, absolute.
    pub path: Utf8PathBuf,
    /// What the protocol calls its language.
    pub language_id: String,
    /// What is in it.
    pub source: Source,
}

/// What one server has open, and what it knows of the other files.
#[derive(Debug)]
pub struct Documents {
    encoding: Encoding,
    rules: Rules,
    most_open: usize,
    open: HashMap<Utf8PathBuf, Open>,
    /// Counts questions.
    now: u64,
    /// Nothing before the files were first looked at.
    seen: Option<HashMap<Utf8PathBuf, Stamp>>,
    /// What another connection had open, and this one will.
    reopen: Vec<(Utf8PathBuf, String)>,
    /// Files of these languages are opened when they change, as the server heeds no others; with what the
    /// protocol calls each.
    opens: &'static [(&'static str, &'static str)],
    /// What is not opened then is never known to the server; else it is in the end.
    heeds_open_only: bool,
    /// The server never takes in files that come.
    knows_no_new: bool,
    /// How many files have changed that could be neither opened nor told of.
    unheeded: usize,
    /// Counts the changes of files that the server was told of.
    changes: u64,
    /// The files that are looked at are not all there are.
    is_part: bool,
}

#[derive(Debug)]
struct Open {
    language_id: String,
    source: Source,
    version: i64,
    /// When it was last sent.
    sent: Instant,
    /// The number of the question that it was last asked about.
    asked: u64,
    /// [`Documents::changes`] when it was last sent.
    changes: u64,
}

/// What a server wants to be told of its documents (LSP 3.17, `TextDocumentSyncOptions`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Rules {
    opens: bool,
    change: Change,
    /// Whether it wants to be told of saves; with the text?
    save: Option<bool>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    Nothing,
    Whole,
    Parts,
}

/// What became of a file (LSP 3.17, `FileChangeType`).
#[derive(Clone, Copy, Debug)]
enum Became {
    Created = 1,
    Changed = 2,
    Deleted = 3,
}

impl Documents {
    /// Nothing is open. `capabilities` are the server's.
    pub fn new(capabilities: &Value, encoding: Encoding) -> Documents {
        Documents {
            encoding,
            rules: Rules::of(&capabilities["textDocumentSync"]),
            most_open: MOST_OPEN,
            open: HashMap::new(),
            now: 0,
            seen: None,
            reopen: Vec::new(),
            opens: &[],
            heeds_open_only: false,
            knows_no_new: false,
            unheeded: 0,
            changes: 0,
            is_part: false,
        }
    }

    /// Says whether the files that the next calls of [`Documents::sync`] look at are all there are. One that is
    /// missing among a part of them has not gone.
    pub fn looks_at_all(&mut self, is_all: bool) {
        self.is_part = !is_all;
    }

    /// Whether there are more files than were looked at.
    pub fn is_part(&self) -> bool {
        self.is_part
    }

    /// With at most so many open at once, and at least one.
    pub fn with_most_open(mut self, most_open: usize) -> Documents {
        self.most_open = most_open.max(1);
        self
    }

    /// Has files of these languages opened when they come or change: for a server that heeds no others,
    /// or these first.
    pub fn opening_changed(
        mut self,
        languages: &'static [(&'static str, &'static str)],
    ) -> Documents {
        self.opens = languages;
        self
    }

    /// Counts files as unheeded that change and are not opened.
    pub fn heeding_open_only(mut self) -> Documents {
        self.heeds_open_only = true;
        self
    }

    /// Counts files that come as unheeded: for a server that never takes them in.
    pub fn knowing_no_new(mut self) -> Documents {
        self.knows_no_new = true;
        self
    }

    /// How many files have changed that the server knows as they were, whatever it is told.
    pub fn unheeded(&self) -> usize {
        self.unheeded
    }

    /// Has what `before` had open opened again, at the next [`Documents::sync`].
    pub fn reopening(mut self, before: &Documents) -> Documents {
        self.reopen = before.reopen.clone();
        let mut open: Vec<_> = before.open.iter().collect();
        open.sort_by_key(|(_, open)| open.asked);
        let names = open.into_iter();
        let names = names.map(|(path, open)| (path.clone(), open.language_id.clone()));
        self.reopen.extend(names);
        self
    }

    /// The paths that are open, sorted.
    pub fn open_paths(&self) -> Vec<Utf8PathBuf> {
        let mut paths: Vec<_> = self.open.keys().cloned().collect();
        paths.sort();
        paths
    }

    /// The version of an open document, and when that was sent.
    pub fn version(&self, path: &Utf8Path) -> Option<(i64, Instant)> {
        self.open.get(path).map(|open| (open.version, open.sent))
    }

    /// The text that the server has of an open document.
    pub fn text(&self, path: &Utf8Path) -> Option<&Source> {
        self.open.get(path).map(|open| &open.source)
    }

    /// What the server has to be told before it is asked about `asked`.
    ///
    /// `disk` are the files as they are now, of which the first [`MOST_SEEN`] count; compared with those of the
    /// call before, the first call tells the server of none. `text_of` reads a file that is open,
    /// nothing where it has gone; `is_watched` says which other files the server cares for.
    pub fn sync(
        &mut self,
        asked: &Text,
        disk: impl IntoIterator<Item = (Utf8PathBuf, Stamp)>,
        mut text_of: impl FnMut(&Utf8Path) -> Option<Source>,
        is_watched: impl Fn(&Utf8Path) -> bool,
    ) -> Vec<Notice> {
        self.now += 1;
        let mut notices = Vec::new();
        let mut disk = disk.into_iter();
        let now: HashMap<_, _> = disk.by_ref().take(MOST_SEEN).collect();
        // Of files that are not looked at nothing is known.
        self.is_part |= disk.next().is_some();
        let mut changes = Vec::new();
        let mut touched: HashSet<Utf8PathBuf> = HashSet::new();
        if let Some(before) = &self.seen {
            for (path, stamp) in &now {
                let became = match before.get(path) {
                    None => Became::Created,
                    Some(seen) if seen != stamp => Became::Changed,
                    Some(_) => continue,
                };
                touched.insert(path.clone());
                changes.push((path.clone(), became));
            }
            if !self.is_part {
                let gone = before.keys().filter(|path| !now.contains_key(*path));
                changes.extend(gone.map(|path| (path.clone(), Became::Deleted)));
            }
        }
        // Those that are open and not among the files that are looked at may have changed too.
        let is_doubtful = |path: &&Utf8PathBuf| {
            **path != asked.path && (touched.contains(*path) || !now.contains_key(*path))
        };
        let doubtful = self.open.keys().filter(is_doubtful).cloned();
        for path in doubtful.collect::<Vec<_>>() {
            match text_of(&path) {
                Some(source) => self.change(&path, source, &mut notices),
                None => {
                    self.close(&path, &mut notices);
                    if !changes.iter().any(|(changed, _)| *changed == path) {
                        changes.push((path, Became::Deleted));
                    }
                }
            }
        }
        let is_open = |path: &Utf8PathBuf| *path == asked.path || self.open.contains_key(path);
        changes.retain(|(path, became)| {
            let is_told = is_open(path) && matches!(became, Became::Changed);
            !is_told && is_watched(path)
        });
        changes.sort_by(|(a, _), (b, _)| a.cmp(b));
        self.changes += u64::from(!changes.is_empty());
        let has_come = |(_, became): &&(Utf8PathBuf, Became)| matches!(became, Became::Created);
        if self.knows_no_new {
            self.unheeded += changes.iter().filter(has_come).count();
        }
        for (path, became) in &changes {
            let has_room = self.open.len() + 1 < self.most_open;
            let is_there = !matches!(became, Became::Deleted);
            let is_read = has_room && is_there && !self.opens.is_empty();
            let source = is_read.then(|| text_of(path)).flatten();
            // The text has a language that its name may not show.
            let language = match &source {
                Some(source) => Some(source.language()),
                None => language::of_path(path.as_str()),
            };
            let language = language.map(|language| language.name);
            let mut languages = self.opens.iter();
            let Some((_, id)) = languages.find(|(name, _)| Some(*name) == language) else {
                continue;
            };
            match source {
                Some(source) => {
                    let (path, language_id) = (path.clone(), id.to_string());
                    let text = Text {
                        path,
                        language_id,
                        source,
                    };
                    self.open_or_change(&text, &mut notices);
                    // For a server that reads what includes a file again when that is saved (clangd).
                    notices.extend(self.save_notice(&text.path, &text.source));
                }
                None => self.unheeded += usize::from(self.heeds_open_only),
            }
        }
        let files = changes.chunks(MOST_IN_ONE).map(|changes| {
            let change = |(path, became): &(Utf8PathBuf, Became)| json!({"uri": uri_of(path), "type": *became as u8});
            let changes: Value = changes.iter().map(change).collect();
            Notice {
                method: "workspace/didChangeWatchedFiles",
                params: json!({"changes": changes}),
            }
        });
        // Before the texts, which may name new files.
        notices.splice(0..0, files.collect::<Vec<_>>());
        self.seen = Some(now);
        for (path, language_id) in std::mem::take(&mut self.reopen) {
            if path != asked.path
                && let Some(source) = text_of(&path)
            {
                let text = Text {
                    path,
                    language_id,
                    source,
                };
                self.open_or_change(&text, &mut notices);
            }
        }
        self.open_or_change(asked, &mut notices);
        self.close_surplus(&mut notices);
        notices
    }

    fn open_or_change(&mut self, text: &Text, notices: &mut Vec<Notice>) {
        if let Some(open) = self.open.get_mut(&text.path) {
            open.asked = self.now;
            self.change(&text.path, text.source.clone(), notices);
            return;
        }
        if self.rules.opens {
            notices.push(Notice {
                method: "textDocument/didOpen",
                params: json!({"textDocument": {
                    "uri": uri_of(&text.path),
                    "languageId": text.language_id,
                    "version": FIRST_VERSION,
                    "text": &*text.source.slice(text.source.whole()),
                }}),
            });
        }
        let open = Open {
            language_id: text.language_id.clone(),
            source: text.source.clone(),
            version: FIRST_VERSION,
            sent: Instant::now(),
            asked: self.now,
            changes: self.changes,
        };
        self.open.insert(text.path.clone(), open);
    }

    /// Tells of the new text of an open document, if it is another.
    fn change(&mut self, path: &Utf8Path, source: Source, notices: &mut Vec<Notice>) {
        let Some(open) = self.open.get_mut(path) else {
            return;
        };
        let change = match self.rules.change {
            _ if body(&open.source) == body(&source) => return,
            Change::Parts => part(&open.source, &source, self.encoding),
            Change::Whole | Change::Nothing => json!({"text": body(&source)}),
        };
        self.changes += 1;
        open.changes = self.changes;
        open.version += 1;
        open.sent = Instant::now();
        if self.rules.change != Change::Nothing {
            notices.push(Notice {
                method: "textDocument/didChange",
                params: json!({
                    "textDocument": {"uri": uri_of(path), "version": open.version},
                    "contentChanges": [change],
                }),
            });
        }
        open.source = source.clone();
        notices.extend(self.save_notice(path, &source));
    }

    /// That a document was saved, for a server that wants to be told.
    fn save_notice(&self, path: &Utf8Path, source: &Source) -> Option<Notice> {
        let with_text = self.rules.save?;
        let mut params = json!({"textDocument": {"uri": uri_of(path)}});
        if with_text {
            params["text"] = body(source).into();
        }
        Some(Notice {
            method: "textDocument/didSave",
            params,
        })
    }

    /// Sends the text of an open document again, as a new version, where the server was told of changes after it
    /// last was: what is wrong in it may have changed, and a server that pushes diagnostics does that for a new
    /// version. Nothing where there is no need, or the server takes no changes.
    pub fn resend(&mut self, path: &Utf8Path) -> Option<Notice> {
        let open = self.open.get_mut(path)?;
        if open.changes == self.changes || self.rules.change == Change::Nothing {
            return None;
        }
        open.changes = self.changes;
        open.version += 1;
        open.sent = Instant::now();
        Some(Notice {
            method: "textDocument/didChange",
            params: json!({
                "textDocument": {"uri": uri_of(path), "version": open.version},
                "contentChanges": [{"text": body(&open.source)}],
            }),
        })
    }

    fn close(&mut self, path: &Utf8Path, notices: &mut Vec<Notice>) {
        if self.open.remove(path).is_some() && self.rules.opens {
            notices.push(Notice {
                method: "textDocument/didClose",
                params: json!({"textDocument": {"uri": uri_of(path)}}),
            });
        }
    }

    fn close_surplus(&mut self, notices: &mut Vec<Notice>) {
        while self.open.len() > self.most_open {
            let oldest = self
                .open
                .iter()
                .min_by_key(|(path, open)| (open.asked, *path));
            let oldest = oldest.map(|(path, _)| path.clone());
            self.close(&oldest.expect("more than one is open"), notices);
        }
    }
}

const FIRST_VERSION: i64 = 1;

impl Rules {
    fn of(said: &Value) -> Rules {
        let kind = |value: &Value| match value.as_u64() {
            Some(1) => Change::Whole,
            Some(2) => Change::Parts,
            _ => Change::Nothing,
        };
        if said.is_object() {
            let save = &said["save"];
            let wants_save = save.is_object() || *save == Value::Bool(true);
            return Rules {
                // Where a server leaves it out and answers questions, it means yes.
                opens: said["openClose"] != Value::Bool(false),
                change: kind(&said["change"]),
                save: wants_save.then(|| save["includeText"] == Value::Bool(true)),
            };
        }
        let change = kind(said);
        Rules {
            opens: true,
            change,
            save: (change != Change::Nothing).then_some(false),
        }
    }
}

/// The text without a byte order mark, which is no part of it for the protocol.
fn body(source: &Source) -> &str {
    &source.text()[source.whole().range()]
}

/// The least that leads from one text to another: where they begin and end alike, nothing is sent.
fn part(old: &Source, new: &Source, encoding: Encoding) -> Value {
    let (span, text) = least_change(body(old), body(new));
    let mark = old.whole().start();
    let place = |offset| {
        let position = old.encoded_position(mark + offset, encoding);
        json!({"line": position.line, "character": position.column})
    };
    json!({"range": {"start": place(span.start()), "end": place(span.end())}, "text": text})
}

/// The bytes of `old` that change, and what they become. Never splits a character or `\r\n`, between
/// whose two characters the protocol knows no place.
fn least_change<'a>(old: &str, new: &'a str) -> (Span, &'a str) {
    let alike = |(a, b): &(u8, u8)| a == b;
    let pairs = old.bytes().zip(new.bytes());
    let mut start = pairs.take_while(alike).count();
    let splits = |text: &str, at: usize| {
        !text.is_char_boundary(at)
            || text.as_bytes().get(at) == Some(&b'\n') && text[..at].ends_with('\r')
    };
    while splits(old, start) || splits(new, start) {
        start -= 1;
    }
    let most = old.len().min(new.len()) - start;
    let pairs = old.bytes().rev().zip(new.bytes().rev()).take(most);
    let mut rest = pairs.take_while(alike).count();
    while splits(old, old.len() - rest) || splits(new, new.len() - rest) {
        rest -= 1;
    }
    let span = Span::new(start, old.len() - rest);
    (span, &new[start..new.len() - rest])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::source::EncodedPosition;

    fn source(text: &str) -> Source {
        Source::new("a", language::plain_text(), text.to_string())
    }

    fn text(path: &str, content: &str) -> Text {
        Text {
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

    fn told(notices: &[Notice]) -> Vec<String> {
        let name = |params: &Value| match &params["changes"] {
            Value::Array(changes) => {
                let one = |change: &Value| format!("{}={}", change["uri"], change["type"]);
                changes.iter().map(one).collect::<Vec<_>>().join(" ")
            }
            _ => params["textDocument"]["uri"].to_string(),
        };
        let one = |notice: &Notice| {
            let what = notice.method.rsplit('/').next().unwrap_or_default();
            format!(
                "{what} {}",
                name(&notice.params).replace("file://", "").replace('"', "")
            )
        };
        notices.iter().map(one).collect()
    }

    #[test]
    fn a_document_is_opened_once_and_then_changed() {
        let mut documents = documents();
        let mut sync = |content| {
            let asked = text("/a", content);
            documents.sync(&asked, [], |_| None, |_| true)
        };
        let opened = sync("\u{feff}one 😀 two\n");
        assert_eq!(told(&opened), ["didOpen /a"]);
        assert_eq!(opened[0].params["textDocument"]["text"], "one 😀 two\n");
        assert_eq!(sync("one 😀 two\n"), []);
        let changed = sync("one 😀 too\n");
        assert_eq!(told(&changed), ["didChange /a", "didSave /a"]);
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
    fn the_server_is_told_as_much_as_it_wants() {
        for (said, expected) in [
            (json!(0), vec!["didOpen"]),
            (json!(1), vec!["didOpen", "didChange whole", "didSave"]),
            (
                json!({"openClose": true, "change": 2, "save": {"includeText": true}}),
                vec!["didOpen", "didChange", "didSave with text"],
            ),
            (json!({"openClose": false, "change": 0}), vec![]),
        ] {
            let capabilities = json!({ "textDocumentSync": said });
            let mut documents = Documents::new(&capabilities, Encoding::Utf8);
            let mut told = Vec::new();
            for content in ["one", "two"] {
                for notice in documents.sync(&text("/a", content), [], |_| None, |_| true) {
                    let what = notice.method.rsplit('/').next().unwrap_or_default();
                    let change = &notice.params["contentChanges"][0];
                    told.push(match notice.params["text"] == "two" {
                        true => format!("{what} with text"),
                        false if change["text"] == "two" && change["range"].is_null() => {
                            format!("{what} whole")
                        }
                        false => what.to_string(),
                    });
                }
            }
            assert_eq!(told, expected, "{said}");
        }
    }

    #[test]
    fn files_that_came_changed_or_went_are_told() {
        let mut documents = documents();
        let asked = text("/asked", "x");
        let is_watched = |path: &Utf8Path| path.extension() != Some("log");
        let mut sync = |asked: &Text, files: &[(&str, u64)]| {
            let read = |path: &Utf8Path| (path != "/gone").then(|| source("new"));
            told(&documents.sync(asked, stamps(files), read, is_watched))
        };
        let before = [
            ("/asked", 1),
            ("/b", 1),
            ("/c", 1),
            ("/d", 1),
            ("/e.log", 1),
        ];
        assert_eq!(sync(&asked, &before), ["didOpen /asked"]);
        assert_eq!(sync(&text("/b", "old"), &before), ["didOpen /b"]);
        assert_eq!(sync(&text("/gone", "old"), &before), ["didOpen /gone",]);
        let after = [
            ("/asked", 2),
            ("/b", 2),
            ("/c", 2),
            ("/e.log", 2),
            ("/f", 1),
        ];
        let mut told = sync(&asked, &after);
        // Which of the open ones is first told of is of no account.
        told[1..].sort();
        assert_eq!(
            told,
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
    fn the_one_longest_not_asked_about_is_closed_for_another() {
        let mut documents = documents().with_most_open(2);
        let mut sync = |path: &str| {
            let read = |_: &Utf8Path| Some(source(""));
            told(&documents.sync(&text(path, ""), [], read, |_| true))
        };
        assert_eq!(sync("/a"), ["didOpen /a"]);
        assert_eq!(sync("/b"), ["didOpen /b"]);
        assert_eq!(sync("/a"), [] as [&str; 0]);
        assert_eq!(sync("/c"), ["didOpen /c", "didClose /b"]);
        let mut after = super::Documents::new(&json!({}), Encoding::Utf8).reopening(&documents);
        let asked = text("/c", "");
        let read = |path: &Utf8Path| (path == "/a").then(|| source("again"));
        let notices = after.sync(&asked, [], read, |_| true);
        assert_eq!(told(&notices), ["didOpen /a", "didOpen /c"]);
    }

    #[test]
    fn files_that_change_are_opened_for_a_server_that_heeds_no_others() {
        let mut documents = documents()
            .opening_changed(&[("text", "plaintext"), ("c", "c")])
            .heeding_open_only()
            .with_most_open(3);
        let mut sync = |files: &[(&str, u64)]| {
            let read = |_: &Utf8Path| Some(source("new"));
            told(&documents.sync(&text("/asked", ""), stamps(files), read, |_| true))
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
        // No room for two, and one has gone.
        assert_eq!(documents.unheeded(), 3);

        let mut documents = super::tests::documents().knowing_no_new();
        for (files, unheeded) in [(&[("/a", 1)][..], 0), (&[("/a", 2), ("/b", 1)], 1)] {
            documents.sync(&text("/asked", ""), stamps(files), |_| None, |_| true);
            assert_eq!(documents.unheeded(), unheeded);
        }
    }

    #[test]
    fn a_file_that_is_missing_among_a_part_has_not_gone() {
        let mut documents = documents();
        let mut sync = |is_all: bool, files: &[(&str, u64)]| {
            documents.looks_at_all(is_all);
            told(&documents.sync(&text("/asked", ""), stamps(files), |_| None, |_| true))
        };
        assert_eq!(sync(true, &[("/b", 1), ("/c", 1)]), ["didOpen /asked"]);
        let told = sync(false, &[("/a", 1), ("/b", 1)]);
        assert_eq!(told, ["didChangeWatchedFiles /a=1"]);
        let told = sync(true, &[("/b", 1)]);
        assert_eq!(told, ["didChangeWatchedFiles /a=3"]);
    }

    #[test]
    fn a_text_is_sent_again_where_another_file_has_changed_since() {
        let mut documents = documents();
        let a = Utf8Path::new("/a");
        let is_sent = |documents: &mut super::Documents| {
            let notice = documents.resend(a)?;
            Some((
                notice.params["textDocument"]["version"].clone(),
                notice.params["contentChanges"].clone(),
            ))
        };
        let sync = |documents: &mut super::Documents, asked: &Text, files: &[(&str, u64)]| {
            documents.sync(asked, stamps(files), |_| None, |_| true);
        };
        let before = [("/a", 1), ("/b", 1), ("/c", 1)];
        sync(&mut documents, &text("/a", "x"), &before);
        sync(&mut documents, &text("/b", "x"), &before);
        assert_eq!(is_sent(&mut documents), None);
        // A closed file, and an open one.
        for asked in ["x", "y"] {
            let stamp = 1 + asked.len() as u64;
            sync(
                &mut documents,
                &text("/b", asked),
                &[("/a", 1), ("/b", 1), ("/c", stamp)],
            );
        }
        let whole = json!([{"text": "x"}]);
        assert_eq!(is_sent(&mut documents), Some((json!(2), whole)));
        assert_eq!(is_sent(&mut documents), None);
        // Its own change is sent as such.
        sync(&mut documents, &text("/a", "z"), &before);
        assert_eq!(is_sent(&mut documents), None);
    }

    fn carried_out(old: &str, change: &Value, encoding: Encoding) -> String {
        let old = source(old);
        let place = |end: &str| {
            let place = &change["range"][end];
            let number = |name: &str| place[name].as_u64().expect("a number") as u32;
            let (line, column) = (number("line"), number("character"));
            old.encoded_offset(EncodedPosition { line, column }, encoding)
        };
        let (start, end) = (place("start"), place("end"));
        let new = change["text"].as_str().expect("a text");
        format!("{}{new}{}", &old.text()[..start], &old.text()[end..])
    }

    proptest! {
        #[test]
        fn a_part_leads_to_the_whole_new_text(
            old in "[ab\r\n😀é]{0,12}",
            new in "[ab\r\n😀é]{0,12}",
        ) {
            for encoding in [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32] {
                let change = part(&source(&old), &source(&new), encoding);
                prop_assert_eq!(carried_out(&old, &change, encoding), new.as_str());
            }
        }
    }
}
