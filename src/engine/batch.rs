//! Runs many requests in JSON Lines format: one answer per line, in the order of the lines.
//!
//! A line is `{"tool": .., "arguments": {..}}`, with an optional `id` that the answer repeats. Its answer is `{"line",
//! "id", "digest"}` with the `result` of the tool or the `error` of its refusal. Lines run concurrently; lines that
//! access the same file run in order. Lines that are already answered in [`ExistingOutput`] are not run again.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use camino::Utf8Path;
use serde_json::{Map, Value, json};

use crate::apply::history;
use crate::diagnostic::{self, Diagnostic};
use crate::source::Digest;
use crate::workspace::{Extent, StateDirectory, StateError, has_wildcard};

use super::calls::Call;
use super::core::Engine;
use super::log;
use super::request::{CallAccess, EditCall, read_json};
use super::response::{EditMade, FileEdited, Refused, RefusedCall};
use super::tools::{self, Effect};
use super::watch::Watch;

/// The tool name in refusals of the whole batch.
const BATCH: &str = "batch";
/// The folder of the state directory that contains the progress of batches.
const FOLDER: &str = "batch";

/// How to run a batch.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Whether edits without `apply` are written at once.
    pub apply: bool,
    /// Whether all edits form one change: either all are made or none.
    pub atomic: bool,
    /// The maximum number of lines that run concurrently; the number of cores by default.
    pub jobs: Option<usize>,
}

/// The output of an earlier run of the same batch.
#[derive(Clone, Copy, Debug)]
pub struct ExistingOutput<'a> {
    /// The absolute path of the output file.
    pub path: &'a Utf8Path,
    /// Its content.
    pub bytes: &'a [u8],
    /// Whether the file was just created.
    pub is_new: bool,
}

/// Writes answers in the order of their lines.
struct OrderedAnswers<'s> {
    waiting: Vec<Option<BatchAnswer>>,
    /// The index of the line whose answer is written next.
    next: usize,
    /// Whether the sink still accepts answers.
    is_open: bool,
    sink: &'s mut (dyn FnMut(&BatchAnswer) -> bool + Send),
}

/// Receives the answers one by one. Returns false to stop.
pub type Sink<'a> = dyn FnMut(&Value) -> bool + Send + 'a;

/// The number of lines per outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// All lines that are not empty.
    pub lines: usize,
    /// Lines answered in this run.
    pub done: usize,
    /// Lines refused in this run.
    pub refused: usize,
    /// Lines answered in an earlier run.
    pub kept: usize,
    /// Lines refused in an earlier run.
    pub kept_refused: usize,
    /// Answered lines of this run and of earlier ones of which a part was refused: matches of a rewrite.
    pub partial: usize,
}

/// One line of the input.
struct BatchLine {
    /// The line number, from 1.
    number: usize,
    /// The `id` to repeat in the answer, if it can be read.
    id: Option<Value>,
    digest: String,
    call: Result<Call, Refused>,
}

/// An answer, and whether it is a refusal.
struct BatchAnswer {
    json: Value,
    is_refused: bool,
}

/// Lines that may run concurrently, and their access to files.
#[derive(Default)]
struct BatchSegment {
    lines: Vec<usize>,
    writes: bool,
    reads_all: bool,
}

/// The files that a line reads or writes, with resolved paths.
struct Touches {
    /// `None` means any file.
    files: Option<Vec<String>>,
    writes: bool,
}

/// The order of lines that depend on one another.
struct Queue {
    /// For each line, the number of lines that it waits for.
    waits: Vec<usize>,
    followers: Vec<Vec<usize>>,
    ready: std::collections::BTreeSet<usize>,
    left: usize,
}

/// The progress of a batch beyond its output. Kept in the state directory until the batch ends.
struct Notes<'e> {
    state: &'e StateDirectory,
    name: String,
    /// Distinguishes this batch from others with the same lines.
    run: String,
    /// Answers that wait for the answers of earlier lines.
    early: HashMap<usize, Value>,
}

/// A batch whose lines are read. Some of them may already be answered.
pub struct Batch<'e> {
    engine: &'e Engine,
    options: Options,
    lines: Vec<BatchLine>,
    answered: Answers,
    notes: Option<Notes<'e>>,
}

/// The answers in an output.
#[derive(Clone, Copy, Debug, Default)]
struct Answers {
    count: usize,
    refused: usize,
    /// Those of lines of which a part was refused.
    partial: usize,
    /// Their length in bytes.
    bytes: usize,
}

impl Engine {
    /// Reads the lines of `input`. Lines that are answered in `written` are not run again.
    ///
    /// # Errors
    /// `written` contains something other than answers to these lines (`invalid_arguments`). A refusal of a single line
    /// is part of its answer.
    pub fn batch(
        &self,
        input: &[u8],
        options: Options,
        written: Option<ExistingOutput<'_>>,
    ) -> Result<Batch<'_>, Refused> {
        let refused = |diagnostic: Diagnostic| {
            let output = written.map(|written| written.path.as_str());
            let arguments = json!({"output": output});
            Box::new(RefusedCall::of_call(BATCH, arguments, diagnostic))
        };
        let lines = lines_of(input, &options);
        let mut answered = match &written {
            Some(written) => answers_in(written.bytes, &lines).map_err(refused)?,
            None => Answers::default(),
        };
        if options.atomic && answered.count < lines.len() {
            // The answers of an atomic batch are written together. If some are missing, it runs again.
            answered = Answers::default();
        }
        let state = self.workspace.state();
        let notes = written
            .map(|written| Notes::open(state, &written))
            .transpose();
        let notes = notes.map_err(|error| refused(diagnostic::about_state(&error)))?;
        Ok(Batch {
            engine: self,
            options,
            lines,
            answered,
            notes,
        })
    }
}

impl Batch<'_> {
    /// Returns the length of the answers in the output, in bytes. The rest is a truncated line.
    pub fn kept_bytes(&self) -> usize {
        self.answered.bytes
    }

    /// Runs the lines without an answer, and passes their answers to `sink` in order.
    pub fn run(self, sink: &mut Sink<'_>, watch: &dyn Watch) -> Counts {
        let Answers {
            count,
            refused,
            partial,
            ..
        } = self.answered;
        let mut counts = Counts {
            lines: self.lines.len(),
            kept: count,
            kept_refused: refused,
            partial,
            ..Counts::default()
        };
        let lines = &self.lines[count..];
        let mut counted = |answer: &BatchAnswer| {
            match answer.is_refused {
                true => counts.refused += 1,
                false => counts.done += 1,
            }
            counts.partial += usize::from(has_refused_part(&answer.json));
            sink(&answer.json)
        };
        let is_whole = match self.options.atomic {
            true => self.as_one(lines, &Runner(watch)).iter().all(&mut counted),
            false => self.each(lines, &mut counted, watch),
        };
        if let Some(notes) = self.notes
            && is_whole
        {
            notes.forget();
        }
        counts
    }

    /// Makes the call of each line. Returns false if the run was stopped.
    fn each(
        &self,
        lines: &[BatchLine],
        sink: &mut (dyn FnMut(&BatchAnswer) -> bool + Send),
        watch: &dyn Watch,
    ) -> bool {
        let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
        let jobs = self.options.jobs.unwrap_or(cores).max(1);
        let touches: Vec<Touches> = lines.iter().map(|line| self.touches(line)).collect();
        let outgoing = Mutex::new(OrderedAnswers {
            waiting: lines.iter().map(|_| None).collect(),
            next: 0,
            is_open: true,
            sink,
        });
        let done = AtomicUsize::new(0);
        let goes_on = AtomicBool::new(true);
        let work = |index: usize| {
            let line = &lines[index];
            let early = self
                .notes
                .as_ref()
                .and_then(|notes| notes.early_answer(line));
            let notes = self.notes.as_ref().filter(|_| early.is_none());
            let answer = early.unwrap_or_else(|| self.answered(line, &Runner(watch)));
            let is_open = held(&outgoing).put(index, answer, notes);
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            if !watch.goes_on(done, lines.len()) || !is_open {
                goes_on.store(false, Ordering::Relaxed);
            }
        };
        for segment in segments(&touches) {
            Queue::new(&segment.lines, &touches).run(jobs, &goes_on, |at| work(segment.lines[at]));
        }
        goes_on.load(Ordering::Relaxed)
    }

    /// Makes the call of one line.
    fn answered(&self, line: &BatchLine, runner: &Runner<'_>) -> BatchAnswer {
        let call = match &line.call {
            Ok(call) => call,
            Err(refusal) => return line.refused(&self.engine.kept_unread(refusal.clone())),
        };
        let notes = self.notes.as_ref();
        let edit_id = notes.map(|notes| notes.edit_id(std::slice::from_ref(line)));
        match call.make_once(self.engine, runner, edit_id.as_deref()) {
            Ok(answer) => line.answered(answer.as_json(), answer.why_none().is_some()),
            Err(refusal) => line.refused(&refusal),
        }
    }

    /// Makes the edits of all lines as one change.
    fn as_one(&self, lines: &[BatchLine], runner: &Runner<'_>) -> Vec<BatchAnswer> {
        if lines.is_empty() {
            return Vec::new();
        }
        let edits = match edits_of(lines) {
            Ok(edits) => edits,
            Err(refused) => return none_done(lines, refused),
        };
        let shares = shares_of(&edits);
        let edit_id = self.notes.as_ref().map(|notes| notes.edit_id(lines));
        let together = EditCall::together(edits)
            .as_edit_nodes()
            .map_err(|refused| {
                let refused = RefusedCall::of_call(BATCH, Value::Null, refused);
                Box::new(refused)
            });
        let made =
            together.and_then(|together| self.engine.call(&together, runner, edit_id.as_deref()));
        match made {
            Ok(made) => parted(lines, &shares, made),
            Err(refusal) => {
                let of_edit = |index| shares.iter().position(|one| one.range.contains(&index));
                none_done(lines, refusal.parts(of_edit))
            }
        }
    }

    fn touches(&self, line: &BatchLine) -> Touches {
        let single = |path: &String, writes| match self.engine.workspace.extent(path) {
            Ok(Extent::File(file)) => Some(file.absolute().to_string()),
            Ok(Extent::Folder(_) | Extent::Glob { .. }) => None,
            // A file that the call creates. What does not exist yet may become a directory or match a glob.
            Err(_) => (writes && !has_wildcard(path)).then(|| self.engine.absolute_name(path)),
        };
        let Ok(call) = &line.call else {
            return Touches::files(Vec::new(), false);
        };
        match call.access() {
            CallAccess::Files { paths, writes } => {
                let Some(mut paths) = paths
                    .iter()
                    .map(|path| single(path, writes))
                    .collect::<Option<Vec<_>>>()
                else {
                    return Touches::all(writes);
                };
                paths.sort();
                paths.dedup();
                Touches::files(paths, writes)
            }
            CallAccess::Edit(edit_id) => match log::find(self.engine.workspace.state(), &edit_id) {
                Ok(staged) => Touches::files(staged.paths, true),
                Err(_) => Touches::all(true),
            },
            CallAccess::Everything { writes } => Touches::all(writes),
        }
    }
}

impl OrderedAnswers<'_> {
    /// Writes an answer and the later answers that waited for it. Saves an answer that must wait. Returns false if the
    /// sink stopped.
    fn put(&mut self, index: usize, answer: BatchAnswer, notes: Option<&Notes<'_>>) -> bool {
        if let Some(notes) = notes
            && (index > self.next || !self.is_open)
        {
            notes.keep(&answer.json);
        }
        self.waiting[index] = Some(answer);
        while let Some(Some(answer)) = self.waiting.get(self.next) {
            self.is_open = self.is_open && (self.sink)(answer);
            if !self.is_open {
                break;
            }
            // Written answers are no longer needed.
            self.waiting[self.next] = None;
            self.next += 1;
        }
        self.is_open
    }
}

impl BatchLine {
    fn read(number: usize, bytes: &[u8], whole: &str, options: &Options) -> BatchLine {
        // The same line with other options counts as another line.
        let named = [
            if options.apply {
                b"apply "
            } else {
                b"".as_slice()
            },
            whole.as_bytes(),
            bytes,
        ];
        let mut digest = Digest::from_bytes(&named.concat()).to_string();
        digest.truncate(16);
        let mut line = BatchLine {
            number,
            id: None,
            digest,
            call: Err(refused("")),
        };
        line.call = line.read_call(bytes, options);
        line
    }

    fn read_call(&mut self, bytes: &[u8], options: &Options) -> Result<Call, Refused> {
        const FORM: &str = r#"a line is {"tool": "..", "arguments": {..}}, with an optional "id""#;
        let text = std::str::from_utf8(bytes).map_err(|_| refused("the line is not UTF-8"))?;
        let value: Value = read_json(text)
            .map_err(|error| refused(format!("the line is not valid JSON: {error}; {FORM}")))?;
        let Value::Object(mut line) = value else {
            return Err(refused(format!("the line is not an object; {FORM}")));
        };
        self.id = line.remove("id");
        let tool = line.remove("tool");
        let mut arguments = line.remove("arguments").unwrap_or_else(|| json!({}));
        if let Some(unknown) = line.keys().next() {
            return Err(refused(format!("unknown field `{unknown}`; {FORM}")));
        }
        let Some(Value::String(tool)) = tool else {
            return Err(refused(format!("the line has no tool; {FORM}")));
        };
        if options.apply
            && tools::tool(&tool).is_some_and(|tool| tool.effect == Effect::PreviewsOrWrites)
        {
            arguments = applying(arguments);
        }
        Call::read(&tool, arguments)
    }

    fn answer(&self) -> Map<String, Value> {
        let mut answer = Map::new();
        answer.insert("line".to_string(), json!(self.number));
        if let Some(id) = &self.id {
            answer.insert("id".to_string(), id.clone());
        }
        answer.insert("digest".to_string(), json!(self.digest));
        answer
    }

    fn answered(&self, result: Value, is_refused: bool) -> BatchAnswer {
        let mut answer = self.answer();
        answer.insert("result".to_string(), result);
        BatchAnswer {
            json: Value::Object(answer),
            is_refused,
        }
    }

    fn refused(&self, refusal: &RefusedCall) -> BatchAnswer {
        let mut answer = self.answer();
        answer.insert("error".to_string(), refusal.json()["error"].take());
        BatchAnswer {
            json: Value::Object(answer),
            is_refused: true,
        }
    }
}

/// Adds `apply` to the arguments of an edit, unless they already contain it.
fn applying(arguments: Value) -> Value {
    match super::request::from_string(arguments) {
        Value::Object(mut arguments) => {
            arguments.entry("apply").or_insert(json!(true));
            Value::Object(arguments)
        }
        other => other,
    }
}

fn refused(message: impl Into<String>) -> Refused {
    let diagnostic = diagnostic::about_arguments(message);
    Box::new(RefusedCall::of_call(BATCH, Value::Null, diagnostic))
}

fn lines_of(input: &[u8], options: &Options) -> Vec<BatchLine> {
    let input = input.strip_prefix(b"\xef\xbb\xbf").unwrap_or(input);
    // In one change, the meaning of a line depends on all other lines.
    let whole = match options.atomic {
        true => format!("atomic {} ", Digest::from_bytes(input)),
        false => String::new(),
    };
    let lines = input.split(|byte| *byte == b'\n').enumerate();
    let lines = lines.map(|(index, bytes)| (index + 1, bytes.trim_ascii()));
    lines
        .filter(|(_, bytes)| !bytes.is_empty())
        .map(|(number, bytes)| BatchLine::read(number, bytes, &whole, options))
        .collect()
}

/// Reads the answers of an output. They belong to the first lines, in order.
///
/// # Errors
/// The output contains something else.
fn answers_in(bytes: &[u8], lines: &[BatchLine]) -> Result<Answers, Diagnostic> {
    const BEGINNING: &[u8] = b"{\"line\":";
    let refused = |message: String, help: &str| Diagnostic {
        help: Some(help.to_string()),
        ..diagnostic::about_arguments(message)
    };
    let no_answer = |index: usize| {
        let message = format!(
            "line {} of the output is not an answer of a batch",
            index + 1
        );
        refused(message, "pass another output file; this one is unchanged")
    };
    let mut answers = Answers::default();
    for (index, written) in bytes.split_inclusive(|byte| *byte == b'\n').enumerate() {
        if !written.ends_with(b"\n") {
            // The last answer was truncated.
            let shown = written.len().min(BEGINNING.len());
            return match written[..shown] == BEGINNING[..shown] {
                true => Ok(answers),
                false => Err(no_answer(index)),
            };
        }
        let answer: Option<Value> = serde_json::from_slice(written).ok();
        let number = answer.as_ref().and_then(|one| one["line"].as_u64());
        let (Some(answer), Some(number)) = (answer, number) else {
            return Err(no_answer(index));
        };
        let line = lines.get(answers.count);
        let is_its = |line: &BatchLine| {
            line.number as u64 == number && answer["digest"] == line.digest.as_str()
        };
        if !line.is_some_and(is_its) {
            let message = match line {
                Some(line) => format!(
                    "line {} of the input is not the line that the output answers",
                    line.number
                ),
                None => format!("the output answers line {number}, but the input has no such line"),
            };
            let help = "the input or the options changed; pass another output file";
            return Err(refused(message, help));
        }
        answers.count += 1;
        answers.refused += usize::from(says_refused(&answer));
        answers.partial += usize::from(has_refused_part(&answer));
        answers.bytes += written.len();
    }
    Ok(answers)
}

fn says_refused(answer: &Value) -> bool {
    answer.get("error").is_some() || answer["result"]["success"] == json!(false)
}

/// Returns whether an answer leaves out refused matches.
fn has_refused_part(answer: &Value) -> bool {
    let refused = &answer["result"]["matches"]["refused_total"];
    refused.as_u64().is_some_and(|refused| refused > 0)
}

impl Touches {
    fn files(files: Vec<String>, writes: bool) -> Touches {
        Touches {
            files: Some(files),
            writes,
        }
    }

    fn all(writes: bool) -> Touches {
        Touches {
            files: None,
            writes,
        }
    }
}

/// Divides the lines into segments that run one after another. A line that reads all files never runs together with one
/// that writes, and a line that may write all files runs alone.
fn segments(touches: &[Touches]) -> Vec<BatchSegment> {
    let mut segments: Vec<BatchSegment> = Vec::new();
    let mut is_open = false;
    for (index, touched) in touches.iter().enumerate() {
        let (all, writes) = (touched.files.is_none(), touched.writes);
        let fits = |last: &BatchSegment| !(all && last.writes || writes && last.reads_all);
        let alone = all && writes;
        if !is_open || alone || !segments.last().is_some_and(fits) {
            segments.push(BatchSegment::default());
        }
        is_open = !alone;
        if let Some(last) = segments.last_mut() {
            last.lines.push(index);
            last.writes |= writes;
            last.reads_all |= all;
        }
    }
    segments
}

impl Queue {
    /// Orders the lines of one segment. A reader of a file waits for the preceding writer, a writer for all earlier
    /// lines that use the file.
    fn new(lines: &[usize], touches: &[Touches]) -> Queue {
        let mut waits = vec![0; lines.len()];
        let mut followers = vec![Vec::new(); lines.len()];
        let mut last: HashMap<&str, (Option<usize>, Vec<usize>)> = HashMap::new();
        for (at, index) in lines.iter().enumerate() {
            let touched = &touches[*index];
            for file in touched.files.iter().flatten() {
                let (writer, readers) = last.entry(file).or_default();
                let mut before: Vec<usize> = writer.iter().copied().collect();
                match touched.writes {
                    true => {
                        before.append(readers);
                        *writer = Some(at);
                    }
                    false => readers.push(at),
                }
                for one in before {
                    followers[one].push(at);
                    waits[at] += 1;
                }
            }
        }
        let ready = (0..lines.len()).filter(|at| waits[*at] == 0).collect();
        Queue {
            waits,
            followers,
            ready,
            left: lines.len(),
        }
    }

    /// Runs the lines on `jobs` threads until `goes_on` is false. Among ready lines, the first is taken first.
    fn run(self, jobs: usize, goes_on: &AtomicBool, work: impl Fn(usize) + Sync) {
        let threads = jobs.min(self.left);
        let queue = Mutex::new(self);
        let changed = Condvar::new();
        let next = || {
            let mut queue = held(&queue);
            loop {
                if queue.left == 0 || !goes_on.load(Ordering::Relaxed) {
                    return None;
                }
                if let Some(at) = queue.ready.pop_first() {
                    return Some(at);
                }
                queue = changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
            }
        };
        let works = || {
            while let Some(at) = next() {
                work(at);
                let mut queue = held(&queue);
                queue.left -= 1;
                for follower in std::mem::take(&mut queue.followers[at]) {
                    queue.waits[follower] -= 1;
                    if queue.waits[follower] == 0 {
                        queue.ready.insert(follower);
                    }
                }
                changed.notify_all();
            }
        };
        match threads {
            0 | 1 => works(),
            threads => std::thread::scope(|scope| {
                for _ in 0..threads {
                    scope.spawn(works);
                }
            }),
        }
    }
}

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the edits of each line, or the refusal of each invalid line.
fn edits_of(lines: &[BatchLine]) -> Result<Vec<EditCall>, HashMap<usize, Refused>> {
    let mut wrong: HashMap<usize, Refused> = HashMap::new();
    let mut all: Vec<EditCall> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let of_line = |message: String| {
            let diagnostic = diagnostic::about_arguments(message);
            Box::new(RefusedCall::of_call(BATCH, Value::Null, diagnostic))
        };
        let edits = match &line.call {
            Err(refusal) => Err(refusal.clone()),
            Ok(call) => call.edit_call().ok_or_else(|| {
                of_line(format!(
                    "{} does not edit nodes; --atomic only supports tools that do",
                    call.tool()
                ))
            }),
        };
        let differs = |edits: &EditCall| all.first().and_then(|first| edits.differs_in(first));
        match edits.map(|edits| (differs(&edits), edits)) {
            Ok((None, edits)) => all.push(edits),
            Ok((Some(what), _)) => {
                let message = format!(
                    "all lines form one change, but the `{what}` of this line differs from the first"
                );
                wrong.insert(at, of_line(message));
            }
            Err(refusal) => {
                wrong.insert(at, refusal);
            }
        }
    }
    match wrong.is_empty() {
        true => Ok(all),
        false => Err(wrong),
    }
}

/// The edits of one line in a change of all lines.
struct Share {
    range: Range<usize>,
    /// Whether the line calls a tool of one edit.
    is_single: bool,
}

/// Returns the edits that belong to each line.
fn shares_of(edits: &[EditCall]) -> Vec<Share> {
    let mut from = 0;
    let shares = edits.iter().map(|edits| {
        let range = from..from + edits.count();
        from = range.end;
        Share {
            range,
            is_single: edits.is_single(),
        }
    });
    shares.collect()
}

/// Splits the answer of one change among its lines. Each line gets its edits, and the first line of a file gets the
/// diff.
fn parted(lines: &[BatchLine], shares: &[Share], made: EditMade) -> Vec<BatchAnswer> {
    let mut is_shown = vec![false; made.files.len()];
    let lines = lines.iter().zip(shares).enumerate();
    lines
        .map(|(at, (line, Share { range, is_single }))| {
            let mut files = Vec::new();
            for (file, is_shown) in made.files.iter().zip(&mut is_shown) {
                let own = file.edits.iter();
                let own =
                    own.filter(|one| one.edit_index.is_some_and(|index| range.contains(&index)));
                let mut own: Vec<_> = own.cloned().collect();
                for one in &mut own {
                    one.edit_index = match is_single {
                        true => None,
                        false => one.edit_index.map(|index| index - range.start),
                    };
                }
                let Some(first) = own.first().cloned() else {
                    continue;
                };
                if *is_single && own.len() == 1 {
                    own.clear();
                }
                // The diff and the number of its lines belong to the file.
                let (added_lines, removed_lines, diff) = match std::mem::replace(is_shown, true) {
                    true => (0, 0, None),
                    false => (file.added_lines, file.removed_lines, file.diff.clone()),
                };
                files.push(FileEdited {
                    added_lines,
                    removed_lines,
                    diff,
                    edit: first,
                    edits: own,
                    ..file.clone()
                });
            }
            let result = EditMade {
                needs_approval: false,
                edit_id: made.edit_id.clone(),
                status: made.status,
                files,
                notes: match at {
                    0 => made.notes.clone(),
                    _ => Vec::new(),
                },
                diagnostics: match at {
                    0 => made.diagnostics.clone(),
                    _ => None,
                },
                matches: None,
                generalized: None,
            };
            let result = serde_json::to_value(result).expect("an answer is plain data");
            line.answered(result, false)
        })
        .collect()
}

/// Returns the answers of an atomic batch in which some lines are refused.
fn none_done(lines: &[BatchLine], mut refused: HashMap<usize, Refused>) -> Vec<BatchAnswer> {
    let first = refused.keys().min().copied().unwrap_or_default();
    let Some(why) = refused.get(&first).cloned() else {
        return Vec::new();
    };
    let number = lines[first].number;
    let lines = lines.iter().enumerate();
    lines
        .map(|(at, line)| match refused.remove(&at) {
            Some(refusal) => line.refused(&refusal),
            None => {
                let message = format!("not made because line {number} is refused (all or none)");
                let diagnostic = Diagnostic::new(why.code(), message);
                line.refused(&RefusedCall::of_call(BATCH, Value::Null, diagnostic))
            }
        })
        .collect()
}

/// The program that runs a batch. A line has no progress of its own.
struct Runner<'w>(&'w dyn Watch);

impl Watch for Runner<'_> {
    fn goes_on(&self, _: usize, _: usize) -> bool {
        true
    }

    fn client(&self) -> Option<&str> {
        self.0.client()
    }

    fn session(&self) -> Option<&str> {
        self.0.session()
    }
}

impl<'e> Notes<'e> {
    /// Opens the progress of an interrupted batch, or starts a new one.
    fn open(
        state: &'e StateDirectory,
        written: &ExistingOutput<'_>,
    ) -> Result<Notes<'e>, StateError> {
        let digest = Digest::from_bytes(written.path.as_str().as_bytes()).to_string();
        let name = format!("{}.jsonl", &digest[..32]);
        for old in state.list(FOLDER)? {
            // Such an old batch is not resumed.
            if old.is_older(history::KEPT) {
                state.remove(FOLDER, &old.name)?;
            }
        }
        let kept = match written.is_new {
            true => Vec::new(),
            false => state.read(FOLDER, &name)?.unwrap_or_default(),
        };
        // The last line may be truncated. A missing answer is computed again.
        let lines = kept.split(|byte| *byte == b'\n');
        let mut lines = lines.filter_map(|line| serde_json::from_slice::<Value>(line).ok());
        let run = lines.next();
        if let Some(run) = run.as_ref().and_then(|one| one["run"].as_str()) {
            let number = |one: &Value| {
                one["line"]
                    .as_u64()
                    .and_then(|line| usize::try_from(line).ok())
            };
            return Ok(Notes {
                state,
                name,
                run: run.to_string(),
                early: lines.filter_map(|one| Some((number(&one)?, one))).collect(),
            });
        }
        let run = log::new_id();
        let notes = Notes {
            state,
            name,
            run,
            early: HashMap::new(),
        };
        let first = format!("{}\n", json!({"run": notes.run}));
        state.write(FOLDER, &notes.name, first.as_bytes())?;
        Ok(notes)
    }

    /// Saves an answer until the answers of earlier lines are written. If that fails, the line may run again; it is
    /// then refused or finds its edit applied.
    fn keep(&self, answer: &Value) {
        let line = format!("{answer}\n");
        let older = format!("older-{}", self.name);
        let _ = self
            .state
            .append(FOLDER, (&self.name, &older), u64::MAX, line.as_bytes());
    }

    fn early_answer(&self, line: &BatchLine) -> Option<BatchAnswer> {
        let answer = self.early.get(&line.number)?;
        (answer["digest"] == line.digest.as_str()).then(|| BatchAnswer {
            json: answer.clone(),
            is_refused: says_refused(answer),
        })
    }

    /// Returns the id of the edit that the lines make in this batch.
    fn edit_id(&self, lines: &[BatchLine]) -> String {
        let mut name = self.run.clone();
        for line in lines {
            name.push_str(&format!(" {} {}", line.number, line.digest));
        }
        log::id_of(&name)
    }

    fn forget(self) {
        // If the removal fails, the remaining progress belongs only to answered lines.
        let _ = self.state.remove(FOLDER, &self.name);
    }
}
