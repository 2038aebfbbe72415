//! `batch`: reads calls from a file or standard input, one per line, and writes the answers to a
//! file or standard output. With `--pure`, the lines contain the texts that the calls are about.

use std::io;
use std::process::ExitCode;

use camino::Utf8Path;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use crate::user_files::{self, Output};
use treegraft::diagnostic::{Code, Diagnostic, ExitStatus, about_arguments};
use treegraft::engine::Engine;
use treegraft::engine::batch::{Batch, Counts, ExistingOutput, Options};
use treegraft::engine::on_text::answer_lines;
use treegraft::engine::response::{Answer, CallText, RefusedCall};

use super::args::BatchVerb;
use super::print::Printer;
use super::status;

/// The summary of a batch whose answers are in a file.
#[derive(Debug, Serialize, JsonSchema)]
struct BatchDone {
    /// The number of lines.
    lines: usize,
    /// The number of calls that succeeded in this run.
    done: usize,
    /// The number of calls that were refused in this run.
    refused: usize,
    /// The number of lines that already had an answer in the file.
    answered_before: usize,
    /// The file with the answers.
    output: String,
}

/// Makes the calls in a workspace.
pub(super) fn batch(printer: &Printer, engine: &Engine, verb: &BatchVerb) -> ExitCode {
    answers(printer, engine, verb).unwrap_or_else(|refused| refusal(printer, verb, refused))
}

/// Makes the calls on the texts of the lines.
pub(super) fn pure(printer: &Printer, verb: &BatchVerb) -> ExitCode {
    answers_on_texts(printer, verb).unwrap_or_else(|refused| refusal(printer, verb, refused))
}

/// Prints why the input cannot be read or the output cannot be written.
fn refusal(printer: &Printer, verb: &BatchVerb, diagnostic: Diagnostic) -> ExitCode {
    let arguments = json!({"file": verb.file});
    let refusal = RefusedCall::of_call("batch", arguments, diagnostic);
    printer.refusal(&refusal);
    status(refusal.exit_status())
}

fn answers_on_texts(printer: &Printer, verb: &BatchVerb) -> Result<ExitCode, Diagnostic> {
    let input = match verb.file.as_str() {
        "-" => {
            announce_input(printer);
            Ok(user_files::standard_input())
        }
        file => user_files::open(file.into()),
    };
    let jobs = verb.jobs.map(|jobs| jobs.get());
    let mut print = |answer: &Value| printer.line(answer);
    let counts = input.and_then(|input| answer_lines(input, jobs, &mut print));
    let counts = counts.map_err(|error| not_read(verb, &error))?;
    Ok(exit_of(counts.lines(), counts.refused, counts.partly))
}

/// Returns the exit code of a batch with this many lines, refused lines, and lines that were refused in part.
fn exit_of(lines: usize, refused: usize, partial: usize) -> ExitCode {
    status(match lines.checked_sub(refused) {
        _ if refused == 0 && partial == 0 => ExitStatus::Done,
        None | Some(0) => ExitStatus::Refused,
        Some(_) => ExitStatus::Partly,
    })
}

fn announce_input(printer: &Printer) {
    if printer.has_keyboard() {
        printer.message("reading calls from standard input, one per line; press ctrl-d to end");
    }
}

fn not_read(verb: &BatchVerb, error: &io::Error) -> Diagnostic {
    about_arguments(format!("cannot read the calls in {}: {error}", verb.file))
}

fn answers(printer: &Printer, engine: &Engine, verb: &BatchVerb) -> Result<ExitCode, Diagnostic> {
    let input = read_input(printer, verb)?;
    let mut output = verb.output.as_deref().map(open_output).transpose()?;
    let options = Options {
        apply: verb.apply,
        atomic: verb.atomic,
        jobs: verb.jobs.map(|jobs| jobs.get()),
    };
    let existing = output.as_ref().map(|output| ExistingOutput {
        path: &output.path,
        bytes: &output.bytes,
        is_new: output.is_new,
    });
    let batch = match engine.batch(&input, options, existing) {
        Ok(batch) => batch,
        Err(refusal) => {
            printer.refusal(&refusal);
            return Ok(status(refusal.exit_status()));
        }
    };
    let mut print = |answer: &Value| printer.line(answer);
    let counts = match &mut output {
        Some(output) => run_to_file(printer, batch, output).map_err(|error| {
            not_written(verb.output.as_deref().unwrap_or(&output.path), &error)
                .help("run the same command again to resume")
        })?,
        // On a terminal, a progress bar would appear between the answers.
        None if printer.is_on_terminal() => batch.run(&mut print, &()),
        None => printer.watching("lines", |watch| batch.run(&mut print, watch)),
    };
    if let Some(output) = output {
        printer.answer(&BatchDone {
            lines: counts.lines,
            done: counts.done,
            refused: counts.refused,
            answered_before: counts.kept,
            output: output.path.into_string(),
        });
    }
    let refused = counts.refused + counts.kept_refused;
    Ok(exit_of(counts.lines, refused, counts.partial))
}

fn read_input(printer: &Printer, verb: &BatchVerb) -> Result<Vec<u8>, Diagnostic> {
    let input = match verb.file.as_str() {
        "-" => {
            announce_input(printer);
            user_files::read_standard_input()
        }
        file => user_files::read(file.into()),
    };
    input.map_err(|error| not_read(verb, &error))
}

fn open_output(path: &Utf8Path) -> Result<Output, Diagnostic> {
    let opened = Output::open(path).map_err(|error| not_written(path, &error))?;
    let busy = || Diagnostic::new(Code::Locked, format!("another batch is writing to {path}"));
    opened.ok_or_else(busy)
}

/// Appends the answers to the file, after the earlier ones.
fn run_to_file(printer: &Printer, batch: Batch<'_>, output: &mut Output) -> io::Result<Counts> {
    output.cut(batch.kept_bytes())?;
    let mut written = Ok(());
    let mut sink = |answer: &Value| {
        written = output.write(format!("{answer}\n").as_bytes());
        written.is_ok()
    };
    let counts = printer.watching("lines", |watch| batch.run(&mut sink, watch));
    written.map(|()| counts)
}

fn not_written(path: &Utf8Path, error: &io::Error) -> Diagnostic {
    Diagnostic::new(Code::IoError, format!("cannot write {path}: {error}"))
}

impl Answer for BatchDone {
    fn text_with(&self, _: CallText<'_>) -> String {
        let before = match self.answered_before {
            0 => String::new(),
            count => format!(", {count} answered before"),
        };
        let lines = if self.lines == 1 { "line" } else { "lines" };
        format!(
            "{} {lines}: {} done, {} refused{before}; the answers are in {}\n",
            self.lines, self.done, self.refused, self.output
        )
    }
}
