//! Makes calls on texts in JSON Lines format: one answer per line, in the order of the lines.
//!
//! A line is `{"text": .., "calls": [{"tool": .., "arguments": {..}}]}`, with an optional `file_path`, `language` and
//! `id`. The calls are made one after the other, each on the text that the one before it returns. If one is refused, the
//! text stays as it is. The answer is `{"line", "id", "file_path", "status", "text", "diff", "digest", "answers"}`, or for
//! a refused line `{"line", "id", "file_path", "status", "call", "error"}`.
//!
//! Lines are read, answered and forgotten in blocks, so that the input can be larger than the memory.

use std::io::{self, BufRead};
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Map, Value, json};

use crate::diagnostic;
use crate::engine::request::{from_string, read_json, without_nulls};
use crate::engine::response::{Refused, RefusedCall};

use super::OneText;

/// The form of a line, for refusals.
const FORM: &str = r#"a line is {"text": "..", "calls": [{"tool": "..", "arguments": {..}}]}, with optional "file_path", "language" and "id""#;
/// A block ends after this many bytes, or this many lines per thread.
const BLOCK_BYTES: usize = 8 * 1024 * 1024;
const BLOCK_LINES: usize = 64;

/// The number of lines per status.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LineCounts {
    /// Lines whose text changed.
    pub edited: usize,
    /// Of these, lines of which a part was refused: matches of a rewrite.
    pub partly: usize,
    /// Lines whose text did not change.
    pub unchanged: usize,
    /// Refused lines.
    pub refused: usize,
}

impl LineCounts {
    /// Returns the number of all lines that are not empty.
    pub fn lines(&self) -> usize {
        self.edited + self.unchanged + self.refused
    }
}

/// What happened to the text of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LineStatus {
    Edited,
    /// Edited, except for refused matches.
    Partly,
    Unchanged,
    Refused,
}

/// A line of the input and its number, from 1.
struct Line {
    number: usize,
    bytes: Vec<u8>,
}

/// The fields of a line.
#[derive(Default)]
struct LineFields {
    id: Option<Value>,
    file_path: Option<String>,
    language: Option<String>,
}

/// Why a line is refused, and the number of its call, from 1.
struct LineRefusal {
    call: Option<usize>,
    why: Refused,
}

impl From<Refused> for LineRefusal {
    fn from(why: Refused) -> LineRefusal {
        LineRefusal { call: None, why }
    }
}

/// Answers each line of `input` with `jobs` threads, by default as many as there are cores. `sink` gets the answers in
/// the order of the lines and returns false to stop.
///
/// # Errors
/// The input cannot be read. A line that cannot be answered has a refusal as its answer.
pub fn answer_lines(
    mut input: impl BufRead,
    jobs: Option<usize>,
    sink: &mut dyn FnMut(&Value) -> bool,
) -> io::Result<LineCounts> {
    let cores = || std::thread::available_parallelism().map_or(1, |cores| cores.get());
    let jobs = jobs.unwrap_or_else(cores).max(1);
    let mut counts = LineCounts::default();
    let mut number = 0;
    loop {
        let block = next_block(&mut input, jobs * BLOCK_LINES, &mut number)?;
        if block.is_empty() {
            return Ok(counts);
        }
        for (status, answer) in answered(&block, jobs) {
            counts.count(status);
            if !sink(&answer) {
                return Ok(counts);
            }
        }
    }
}

/// Reads lines until the block is full. Omits blank lines.
fn next_block(input: &mut impl BufRead, lines: usize, number: &mut usize) -> io::Result<Vec<Line>> {
    let mut block = Vec::new();
    let mut size = 0;
    while block.len() < lines && size < BLOCK_BYTES {
        let mut bytes = Vec::new();
        if input.read_until(b'\n', &mut bytes)? == 0 {
            break;
        }
        *number += 1;
        if *number == 1 && bytes.starts_with(b"\xef\xbb\xbf") {
            bytes.drain(..3);
        }
        size += bytes.len();
        if !bytes.trim_ascii().is_empty() {
            block.push(Line {
                number: *number,
                bytes,
            });
        }
    }
    Ok(block)
}

/// Returns the answers in the order of the lines.
fn answered(block: &[Line], jobs: usize) -> Vec<(LineStatus, Value)> {
    let next = AtomicUsize::new(0);
    let answers = Mutex::new(Vec::with_capacity(block.len()));
    let work = || {
        while let Some((index, line)) = {
            let index = next.fetch_add(1, Ordering::Relaxed);
            block.get(index).map(|line| (index, line))
        } {
            let answer = line.answer();
            let mut answers = answers.lock().unwrap_or_else(PoisonError::into_inner);
            answers.push((index, answer));
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..jobs.min(block.len()) {
            scope.spawn(work);
        }
        work();
    });
    let mut answers = answers.into_inner().unwrap_or_else(PoisonError::into_inner);
    answers.sort_by_key(|(index, _)| *index);
    answers.into_iter().map(|(_, answer)| answer).collect()
}

impl LineCounts {
    fn count(&mut self, status: LineStatus) {
        let counter = match status {
            LineStatus::Edited | LineStatus::Partly => &mut self.edited,
            LineStatus::Unchanged => &mut self.unchanged,
            LineStatus::Refused => &mut self.refused,
        };
        *counter += 1;
        self.partly += usize::from(status == LineStatus::Partly);
    }
}

impl LineStatus {
    fn name(self) -> &'static str {
        match self {
            LineStatus::Edited => "edited",
            LineStatus::Partly => "partly",
            LineStatus::Unchanged => "unchanged",
            LineStatus::Refused => "refused",
        }
    }
}

impl Line {
    fn answer(&self) -> (LineStatus, Value) {
        let mut fields = LineFields::default();
        let mut answer = Map::new();
        let (status, rest) = match self.answer_to(&mut fields) {
            Ok((status, rest)) => (status, rest),
            Err(LineRefusal { call, why }) => {
                let mut rest = Map::new();
                if let Some(call) = call {
                    rest.insert("call".to_string(), json!(call));
                }
                rest.insert("error".to_string(), why.json()["error"].take());
                (LineStatus::Refused, rest)
            }
        };
        answer.insert("line".to_string(), json!(self.number));
        let id = fields.id.map(|id| ("id".to_string(), id));
        answer.extend(id);
        let file_path = fields
            .file_path
            .map(|path| ("file_path".to_string(), json!(path)));
        answer.extend(file_path);
        answer.insert("status".to_string(), json!(status.name()));
        answer.extend(rest);
        (status, Value::Object(answer))
    }

    /// Makes the calls of the line. Returns what its answer contains in addition to `fields`.
    fn answer_to(
        &self,
        fields: &mut LineFields,
    ) -> Result<(LineStatus, Map<String, Value>), LineRefusal> {
        let (text, calls) = fields.read(&self.bytes)?;
        let LineFields {
            file_path,
            language,
            ..
        } = &*fields;
        let before = OneText::new(file_path.as_deref(), language.as_deref(), text.into_bytes())?;
        let mut after: Option<OneText> = None;
        let mut answers = Vec::new();
        let mut is_partial = false;
        for (number, call) in (1..).zip(calls) {
            let of_call = |why| LineRefusal {
                call: Some(number),
                why,
            };
            let (tool, arguments) = read_call(call).map_err(of_call)?;
            let current = after.as_ref().unwrap_or(&before);
            let answered = current.call(&tool, arguments).map_err(of_call)?;
            let mut answer = answered.answer.as_json();
            is_partial |= answer["matches"]["refused_total"].as_u64().unwrap_or(0) > 0;
            // The line has the diff of all calls.
            let files = answer.get_mut("files").and_then(Value::as_array_mut);
            let files = files.into_iter().flatten();
            for file in files.filter_map(Value::as_object_mut) {
                file.remove("diff");
            }
            answers.push(answer);
            after = answered.after.or(after);
        }
        let result = after.as_ref().unwrap_or(&before);
        let is_changed = result.text() != before.text();
        let diff = match is_changed {
            true => before.diff(result),
            false => String::new(),
        };
        let status = match (is_changed, is_partial) {
            (true, false) => LineStatus::Edited,
            (true, true) => LineStatus::Partly,
            (false, _) => LineStatus::Unchanged,
        };
        let rest = json!({
            "text": result.text(),
            "diff": diff,
            "digest": result.digest().to_string(),
            "answers": answers,
        });
        match rest {
            Value::Object(rest) => Ok((status, rest)),
            _ => unreachable!("it is an object"),
        }
    }
}

impl LineFields {
    /// Reads a line. Returns its text and its calls.
    fn read(&mut self, bytes: &[u8]) -> Result<(String, Vec<Value>), Refused> {
        let text = std::str::from_utf8(bytes).map_err(|_| refused("the line is not UTF-8"))?;
        let value: Value = read_json(text)
            .map_err(|error| refused(format!("the line is not valid JSON: {error}; {FORM}")))?;
        let Value::Object(mut line) = without_nulls(value) else {
            return Err(refused(format!("the line is not an object; {FORM}")));
        };
        self.id = line.remove("id");
        let mut string = |name: &str| match line.remove(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(refused(format!("`{name}` is not a string; {FORM}"))),
        };
        self.file_path = string("file_path")?;
        self.language = string("language")?;
        let text = string("text")?;
        let calls = line.remove("calls");
        if let Some(unknown) = line.keys().next() {
            return Err(refused(format!("unknown field `{unknown}`; {FORM}")));
        }
        let text = text.ok_or_else(|| refused(format!("the line has no text; {FORM}")))?;
        match calls {
            Some(Value::Array(calls)) if !calls.is_empty() => Ok((text, calls)),
            _ => Err(refused(format!("the line has no calls; {FORM}"))),
        }
    }
}

/// Reads a call: its tool and its arguments.
fn read_call(call: Value) -> Result<(String, Value), Refused> {
    const FORM: &str = r#"a call is {"tool": "..", "arguments": {..}}"#;
    let Value::Object(mut call) = from_string(call) else {
        return Err(refused(format!("the call is not an object; {FORM}")));
    };
    let tool = call.remove("tool");
    let arguments = call.remove("arguments").unwrap_or_else(|| json!({}));
    if let Some(unknown) = call.keys().next() {
        return Err(refused(format!("unknown field `{unknown}`; {FORM}")));
    }
    match tool {
        Some(Value::String(tool)) => Ok((tool, arguments)),
        _ => Err(refused(format!("the call has no tool; {FORM}"))),
    }
}

fn refused(message: impl Into<String>) -> Refused {
    let diagnostic = diagnostic::about_arguments(message);
    Box::new(RefusedCall::of_call("batch", Value::Null, diagnostic))
}
