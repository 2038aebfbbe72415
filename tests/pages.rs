//! Reads the pages of `cases/`: Markdown in which each case has its file, its request and the
//! expected answer.
//!
//! A page is `tests/cases/<language>/<topic>.md`:
//!
//! `````markdown
//! # Match arms
//!
//! An arm is a member of a list: treegraft adds the comma that the list needs.
//!
//! ## A new arm gets a comma
//!
//! ```rust
//! match a {
//!     1 => 2,
//!     _ => 3,
//! }
//! ```
//!
//! ```json insert_node
//! {
//!   "selector": {"anchor_text": "1 =>", "ancestor_node_type": "match_arm"},
//!   "position": "after",
//!   "new_content": "2 => 4"
//! }
//! ```
//!
//! ```diff
//! would insert after match_arm at before.rs:2-2
//! ...
//! ```
//! `````
//!
//! - The page starts with its title (`#`) and at least one paragraph of prose.
//! - A heading (`##`, or `###` below one) states the behavior. No two headings of a page are the same, and each has a
//!   request or headings below it. Prose may be anywhere but between a request and its answer.
//! - A **text** is a fenced block of the page's language. It is the file of all requests that follow, up to the next
//!   text. The file is named `before` with the extension of the language's sample in `queries/`. Settings follow the
//!   language: `file=before.h` names it otherwise, `crlf` ends its lines with `\r\n`, `bom` starts it with a byte order
//!   mark, `no-final-newline` removes the last newline, and `escapes` reads `\r`, `\t`, `\u{a0}` and `\\`.
//! - A **request** is a block `json <tool>` with the arguments. treegraft's tests add the file: `path` for `outline`
//!   and `find_nodes`, otherwise `file_path`, and neither if there is a `locate`.
//! - The **answer** is the next block: the whole answer as an agent gets it. One in a block `diff` ends with
//!   [`PREVIEW_END`], which the block omits; all others are in a block `text`. The setting `escapes` is as above.
//!   Ids of edits are `e000000000000`.
//!
//! Anything else in a page is an error with its line.

#![expect(clippy::disallowed_methods, reason = "pages are files")]

use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Parser, Tag};
use serde_json::Value;

/// The end of each answer that is a preview.
pub(crate) const PREVIEW_END: &str =
    "\nnothing is written yet; this writes it:\n  apply_edit {\"edit_id\":\"e000000000000\"}\n";

/// The folder of the pages, from the root of the repository.
const FOLDER: &str = "tests/cases";

/// A page of cases.
pub(crate) struct Page {
    /// The path from the root of the repository.
    pub(crate) path: String,
    /// The language, which is the name of the folder.
    pub(crate) language: String,
    pub(crate) source: String,
    pub(crate) headings: Vec<Heading>,
    pub(crate) texts: Vec<Text>,
    pub(crate) cases: Vec<Case>,
}

/// A heading of a page, including its title.
pub(crate) struct Heading {
    pub(crate) line: usize,
    pub(crate) text: String,
}

/// A file that requests are about.
pub(crate) struct Text {
    /// A path that is different for each text of all pages and ends with the name of the file.
    pub(crate) path: String,
    pub(crate) file_name: String,
    pub(crate) text: Arc<str>,
}

/// A request with its answer.
pub(crate) struct Case {
    /// The heading that states the behavior.
    pub(crate) heading: String,
    /// Where the request is: `tests/cases/rust/match-arms.md:24`.
    pub(crate) location: String,
    pub(crate) tool: String,
    /// The arguments, with the file.
    pub(crate) arguments: Value,
    pub(crate) file_name: String,
    pub(crate) before: Arc<str>,
    /// The range of the answer's block in the page; at the end of the request if there is none yet.
    pub(crate) answer: Range<usize>,
    /// The answer, without the newline that ends it.
    pub(crate) expected: Option<String>,
}

/// Reads all pages, sorted by path. Returns the errors in them instead if there are any.
pub(crate) fn all(root: &Path) -> Result<Vec<Page>, Vec<String>> {
    let mut pages = Vec::new();
    let mut complaints = Vec::new();
    for folder in listed(&root.join(FOLDER)) {
        if !root.join(FOLDER).join(&folder).is_dir() {
            continue;
        }
        let queries = root.join("queries").join(&folder);
        let files = if queries.is_dir() {
            listed(&queries)
        } else {
            Vec::new()
        };
        let extension = files.iter().find_map(|name| name.strip_prefix("sample."));
        let Some(extension) = extension else {
            complaints.push(format!("{FOLDER}/{folder}: queries/{folder} has no sample"));
            continue;
        };
        for name in listed(&root.join(FOLDER).join(&folder)) {
            let path = format!("{FOLDER}/{folder}/{name}");
            let Ok(source) = fs::read_to_string(root.join(&path)) else {
                complaints.push(format!("{path}: not a text"));
                continue;
            };
            match page(&path, &folder, extension, source) {
                Ok(page) => pages.push(page),
                Err(found) => complaints.extend(found),
            }
        }
    }
    if complaints.is_empty() {
        Ok(pages)
    } else {
        Err(complaints)
    }
}

/// Returns the names in a folder, sorted.
fn listed(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("the folder can be read");
    let names = entries.map(|entry| entry.expect("the folder can be read").file_name());
    let mut names: Vec<String> = names
        .map(|name| name.to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// Reads one page of a language whose files have the extension. Returns the errors with their lines.
pub(crate) fn page(
    path: &str,
    language: &str,
    extension: &str,
    source: String,
) -> Result<Page, Vec<String>> {
    let mut reader = Reader {
        page: Page {
            path: path.to_string(),
            language: language.to_string(),
            source,
            headings: Vec::new(),
            texts: Vec::new(),
            cases: Vec::new(),
        },
        extension,
        lines_of: BTreeMap::new(),
        sections: Vec::new(),
        text: None,
        unanswered: false,
        has_prose: false,
        complaints: Vec::new(),
    };
    reader.read();
    if reader.complaints.is_empty() {
        Ok(reader.page)
    } else {
        Err(reader.complaints)
    }
}

/// Returns the block that shows an answer.
pub(crate) fn answer_block(answer: &str) -> String {
    let whole = format!("{}\n", answer.strip_suffix('\n').unwrap_or(answer));
    let (kind, shown) = match whole.strip_suffix(PREVIEW_END) {
        Some(preview) => ("diff", preview),
        None => ("text", whole.as_str()),
    };
    let (shown, setting) = match shown.chars().any(is_invisible) {
        true => (escaped(shown), " escapes"),
        false => (shown.to_string(), ""),
    };
    let starts = shown.lines().map(str::trim_start);
    let runs = starts.map(|line| line.len() - line.trim_start_matches('`').len());
    let fence = "`".repeat(runs.max().unwrap_or_default().max(2) + 1);
    format!("{fence}{kind}{setting}\n{shown}{fence}\n")
}

/// Returns the page with these answers, by the indices of its cases. All other bytes are unchanged.
pub(crate) fn recorded(page: &Page, answers: &BTreeMap<usize, String>) -> String {
    let mut text = String::new();
    let mut copied = 0;
    for (index, answer) in answers {
        let range = &page.cases[*index].answer;
        text.push_str(&page.source[copied..range.start]);
        if range.is_empty() {
            text.push('\n');
        }
        text.push_str(&answer_block(answer));
        copied = range.end;
    }
    text.push_str(&page.source[copied..]);
    text
}

struct Section {
    level: HeadingLevel,
    heading: String,
    line: usize,
    requests: usize,
}

struct CurrentText {
    line: usize,
    is_used: bool,
}

struct Reader<'a> {
    page: Page,
    extension: &'a str,
    lines_of: BTreeMap<String, usize>,
    /// The current heading, in those above it.
    sections: Vec<Section>,
    text: Option<CurrentText>,
    /// Whether the previous block was a request.
    unanswered: bool,
    has_prose: bool,
    complaints: Vec<String>,
}

impl Reader<'_> {
    fn read(&mut self) {
        let source = self.page.source.clone();
        if let Some(at) = source.find('\r') {
            self.complain(line_of(&source, at), "a line ends with `\\r`");
        }
        let mut depth = 0;
        for (event, range) in Parser::new(&source).into_offset_iter() {
            match event {
                Event::Start(tag) => {
                    if depth == 0 {
                        self.block(&source, &tag, range);
                    } else if matches!(tag, Tag::CodeBlock(_)) {
                        let line = line_of(&source, range.start);
                        self.complain(line, "a code block is inside another block");
                    }
                    depth += 1;
                }
                Event::End(_) => depth -= 1,
                _ => {}
            }
        }
        let end = source.lines().count();
        self.end_text();
        self.end_section(None);
        if self.page.cases.is_empty() {
            self.complain(end, "the page has no request");
        }
    }

    fn complain(&mut self, line: usize, words: impl AsRef<str>) {
        let path = &self.page.path;
        self.complaints
            .push(format!("{path}:{line}: {}", words.as_ref()));
    }

    fn block(&mut self, source: &str, tag: &Tag<'_>, range: Range<usize>) {
        let line = line_of(source, range.start);
        let is_answer = std::mem::take(&mut self.unanswered);
        match tag {
            Tag::Heading { level, .. } => self.heading(source, *level, range),
            Tag::CodeBlock(CodeBlockKind::Fenced(info)) => match fenced(source, range.clone()) {
                Ok((body, range)) => self.fence(info, body, range, line, is_answer),
                Err(words) => self.complain(line, words),
            },
            Tag::CodeBlock(CodeBlockKind::Indented) => {
                self.complain(line, "a code block has no fence");
            }
            Tag::HtmlBlock => self.complain(line, "HTML"),
            _ if is_answer => self.complain(line, "prose between a request and its answer"),
            _ if self.sections.is_empty() => self.complain(line, "the page starts with no title"),
            _ => self.has_prose = true,
        }
    }

    fn heading(&mut self, source: &str, level: HeadingLevel, range: Range<usize>) {
        let line = line_of(source, range.start);
        let text = source[range].trim();
        let marker = "#".repeat(level as usize);
        let Some(text) = text.strip_prefix(&marker).map(str::trim) else {
            return self.complain(line, "a heading starts with `#`");
        };
        if let Some(other) = self.lines_of.insert(text.to_string(), line) {
            self.complain(line, format!("line {other} has the same heading"));
        }
        let depth = level as usize;
        if depth > 3 || self.sections.is_empty() != (depth == 1) {
            return self.complain(line, format!("a heading of level {depth}"));
        }
        if depth > 1 && !self.has_prose {
            self.complain(line, "no prose introduces the page");
            self.has_prose = true;
        }
        self.end_section(Some(level));
        if self.sections.len() + 1 < depth {
            self.complain(line, format!("a heading of level {depth}"));
        }
        let heading = text.to_string();
        self.page.headings.push(Heading {
            line,
            text: heading.clone(),
        });
        self.sections.push(Section {
            level,
            heading,
            line,
            requests: 0,
        });
    }

    /// Closes the sections that a heading of the level ends, or all.
    fn end_section(&mut self, level: Option<HeadingLevel>) {
        while let Some(last) = self.sections.last() {
            if level.is_some_and(|level| last.level < level) {
                break;
            }
            let Some(ended) = self.sections.pop() else {
                break;
            };
            if ended.requests == 0 && ended.level != HeadingLevel::H1 {
                self.complain(ended.line, "the heading has no request");
            }
            if let Some(above) = self.sections.last_mut() {
                above.requests += ended.requests;
            }
        }
    }

    fn end_text(&mut self) {
        if let Some(text) = self.text.take_if(|text| !text.is_used) {
            self.complain(text.line, "no request is about the text");
        }
    }

    fn fence(&mut self, info: &str, body: &str, range: Range<usize>, line: usize, is_answer: bool) {
        let words: Vec<&str> = info.split_whitespace().collect();
        let (first, settings) = match words.split_first() {
            Some((first, settings)) => (*first, settings),
            None => ("", &[][..]),
        };
        let is_setting = |word: &str| word.contains('=') || SETTINGS.contains(&word);
        let is_request = first == "json" && settings.len() == 1 && !is_setting(settings[0]);
        if is_answer {
            self.answer(first, settings, body, range, line);
        } else if is_request {
            self.request(settings[0], body, range, line);
        } else if first == self.page.language {
            self.text(settings, body, line);
        } else {
            let language = &self.page.language;
            let words = format!(
                "a block `{info}`: a text is `{language}`, a request is `json <tool>`, and an answer follows a request"
            );
            self.complain(line, words);
        }
    }

    fn text(&mut self, settings: &[&str], body: &str, line: usize) {
        self.end_text();
        let mut file_name = format!("before.{}", self.extension);
        let mut text = body.to_string();
        let has = |name: &str| settings.contains(&name);
        if has("escapes") {
            match unescaped(&text) {
                Ok(read) => text = read,
                Err(words) => self.complain(line, words),
            }
        }
        if has("crlf") {
            text = text.replace('\n', "\r\n");
        }
        if has("no-final-newline") {
            let bare = text.trim_end_matches('\n');
            text = bare.trim_end_matches('\r').to_string();
        }
        if has("bom") {
            text.insert(0, '\u{feff}');
        }
        for setting in settings {
            match setting.strip_prefix("file=") {
                Some(name) => file_name = name.to_string(),
                None if SETTINGS.contains(setting) => {}
                None => self.complain(line, format!("unknown setting `{setting}`")),
            }
        }
        self.text = Some(CurrentText {
            line,
            is_used: false,
        });
        let path = format!("{}/{line}/{file_name}", self.page.path);
        self.page.texts.push(Text {
            path,
            file_name,
            text: text.into(),
        });
    }

    fn request(&mut self, tool: &str, body: &str, range: Range<usize>, line: usize) {
        let mut arguments: Value = match serde_json::from_str(body) {
            Ok(arguments @ Value::Object(_)) => arguments,
            Ok(_) => return self.complain(line, "the arguments are no object"),
            Err(error) => {
                return self.complain(line, format!("the arguments are no JSON: {error}"));
            }
        };
        let Some(section) = self
            .sections
            .last_mut()
            .filter(|one| one.level > HeadingLevel::H1)
        else {
            return self.complain(line, "the request has no heading");
        };
        section.requests += 1;
        let heading = section.heading.clone();
        let (Some(current), Some(text)) = (&mut self.text, self.page.texts.last()) else {
            return self.complain(line, "no text precedes the request");
        };
        current.is_used = true;
        let given = ["path", "file_path"]
            .iter()
            .find(|name| arguments.get(**name).is_some());
        let given = given.copied();
        if arguments.get("locate").is_none() && given.is_none() {
            let is_listing = ["outline", "find_nodes", "rewrite"].contains(&tool);
            let name = if is_listing { "path" } else { "file_path" };
            arguments[name] = Value::from(text.file_name.as_str());
        }
        self.page.cases.push(Case {
            heading,
            location: format!("{}:{line}", self.page.path),
            tool: tool.to_string(),
            arguments,
            file_name: text.file_name.clone(),
            before: text.text.clone(),
            answer: range.end..range.end,
            expected: None,
        });
        if let Some(name) = given {
            self.complain(line, format!("the tests add `{name}`"));
        }
        self.unanswered = true;
    }

    fn answer(
        &mut self,
        kind: &str,
        settings: &[&str],
        body: &str,
        range: Range<usize>,
        line: usize,
    ) {
        let body = match settings {
            [] => Ok(body.to_string()),
            ["escapes"] => unescaped(body),
            _ => Err("an answer has no setting but `escapes`".to_string()),
        };
        let answer = match (kind, body) {
            ("diff", Ok(body)) => body + PREVIEW_END,
            ("text", Ok(body)) => body,
            (_, Err(words)) => return self.complain(line, words),
            (_, Ok(_)) => return self.complain(line, "an answer is `diff` or `text`"),
        };
        if let Some(case) = self.page.cases.last_mut() {
            case.expected = Some(answer.strip_suffix('\n').unwrap_or(&answer).to_string());
            case.answer = range;
        }
    }
}

/// The settings of a text without a value.
const SETTINGS: [&str; 4] = ["bom", "crlf", "escapes", "no-final-newline"];

/// Returns the line of an offset, from 1.
fn line_of(source: &str, offset: usize) -> usize {
    source[..offset].matches('\n').count() + 1
}

/// Returns the lines between two fences, and the range of all these lines with the fences.
fn fenced(source: &str, range: Range<usize>) -> Result<(&str, Range<usize>), &'static str> {
    if !source[..range.start].is_empty() && !source[..range.start].ends_with('\n') {
        return Err("a fence is indented");
    }
    let end = source[range.end..].starts_with('\n');
    let range = range.start..range.end + usize::from(end);
    let mut lines = source[range.clone()].split_inclusive('\n');
    let open = lines.next().unwrap_or_default();
    let close = lines.next_back().unwrap_or_default();
    let sign = &open[..1];
    let length = open.len() - open.trim_start_matches(sign).len();
    if close.trim_end() != sign.repeat(length) {
        return Err("the closing fence is not that of the block");
    }
    Ok((
        &source[range.start + open.len()..range.end - close.len()],
        range,
    ))
}

/// Returns whether a character is invisible in a page or looks like another one.
fn is_invisible(c: char) -> bool {
    let is_mark = matches!(c,
        '\u{a0}' | '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}');
    is_mark || c.is_control() && c != '\n' && c != '\t'
}

fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        match c {
            '\\' => escaped.push_str("\\\\"),
            '\r' => escaped.push_str("\\r"),
            c if is_invisible(c) => escaped.push_str(&format!("\\u{{{:x}}}", u32::from(c))),
            c => escaped.push(c),
        }
    }
    escaped
}

fn unescaped(text: &str) -> Result<String, String> {
    let mut parts = text.split('\\');
    let mut read = parts.next().unwrap_or_default().to_string();
    while let Some(part) = parts.next() {
        let wrong = || format!("unknown escape `\\{}`", part.chars().next().unwrap_or('\\'));
        match part.chars().next() {
            None => {
                read.push('\\');
                read.push_str(parts.next().unwrap_or_default());
            }
            Some('r') => read.push_str(&format!("\r{}", &part[1..])),
            Some('t') => read.push_str(&format!("\t{}", &part[1..])),
            Some('u') => {
                let digits = part
                    .strip_prefix("u{")
                    .and_then(|rest| rest.split_once('}'));
                let (digits, rest) = digits.ok_or_else(wrong)?;
                let number = u32::from_str_radix(digits, 16).ok();
                read.push(number.and_then(char::from_u32).ok_or_else(wrong)?);
                read.push_str(rest);
            }
            Some(_) => return Err(wrong()),
        }
    }
    Ok(read)
}
