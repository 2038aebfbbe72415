//! `batch`: lines of a file or of standard input to the engine, its answers to a file or to standard
//! output.

use std::process::ExitCode;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use crate::diagnostic::{Code, Diagnostic, ExitStatus, about_arguments};
use crate::engine::Engine;
use crate::engine::batch::{Counts, Options, Written};
use crate::engine::response::{Answer, CallText, Refusal};
use crate::workspace::{self, Output};

use super::args::BatchVerb;
use super::print::Printer;
use super::status;

/// What became of the lines, where their answers are in a file.
#[derive(Debug, Serialize, JsonSchema)]
struct BatchDone {
    /// How many there are.
    lines: usize,
    /// How many of them were answered now.
    done: usize,
    /// How many were refused now.
    refused: usize,
    /// How many the file answered before.
    answered_before: usize,
    /// The file.
    output: String,
}

pub(super) fn batch(printer: &Printer, engine: &Engine, verb: &BatchVerb) -> ExitCode {
    match answers(printer, engine, verb) {
        Ok(exit) => exit,
        Err(diagnostic) => {
            let arguments = json!({"file": verb.file});
            let refusal = Refusal::of_call("batch", arguments, diagnostic);
            printer.refusal(&refusal);
            status(refusal.exit_status())
        }
    }
}

fn answers(printer: &Printer, engine: &Engine, verb: &BatchVerb) -> Result<ExitCode, Diagnostic> {
    let input = match verb.file.as_str() {
        "-" => {
            if printer.has_keyboard() {
                printer.said("reading calls from the keyboard, a line each; ctrl-d ends them");
            }
            workspace::read_standard_input()
        }
        file => workspace::read_named_by_user(file.into()),
    };
    let input = input.map_err(|error| {
        about_arguments(format!(
            "the lines of {} cannot be read: {error}",
            verb.file
        ))
    })?;
    let mut output = match &verb.output {
        Some(path) => {
            let opened = Output::open(path).map_err(|error| {
                Diagnostic::new(Code::IoError, format!("{path} cannot be written: {error}"))
            })?;
            let busy = || Diagnostic::new(Code::Locked, format!("another batch writes {path}"));
            Some(opened.ok_or_else(busy)?)
        }
        None => None,
    };
    let options = Options {
        apply: verb.apply,
        atomic: verb.atomic,
        jobs: verb.jobs.map(|jobs| jobs.get()),
    };
    let written = output.as_ref().map(|output| Written {
        path: &output.path,
        bytes: &output.bytes,
        is_new: output.is_new,
    });
    let batch = match engine.batch(&input, options, written) {
        Ok(batch) => batch,
        Err(refusal) => {
            printer.refusal(&refusal);
            return Ok(status(refusal.exit_status()));
        }
    };
    let mut failed = None;
    if let Some(output) = &mut output {
        failed = output.cut(batch.kept_bytes()).err();
    }
    let is_open = failed.is_none();
    let mut sink = |answer: &Value| match &mut output {
        None => printer.line(answer),
        Some(output) => match output.write(format!("{answer}\n").as_bytes()) {
            Ok(()) => true,
            Err(error) => {
                failed = Some(error);
                false
            }
        },
    };
    let shows_answers = verb.output.is_none() && printer.is_on_terminal();
    let counts = match is_open {
        // A bar would stand between them.
        true if shows_answers => batch.run(&mut sink, &()),
        true => printer.watching("lines", |watch| batch.run(&mut sink, watch)),
        false => Counts::default(),
    };
    if let (Some(error), Some(path)) = (failed, &verb.output) {
        let message = format!("{path} cannot be written: {error}");
        return Err(Diagnostic {
            help: Some("the same command goes on from there".to_string()),
            ..Diagnostic::new(Code::IoError, message)
        });
    }
    if let Some(output) = output {
        printer.answer(&BatchDone {
            lines: counts.lines,
            done: counts.done,
            refused: counts.refused,
            answered_before: counts.kept,
            output: output.path.into_string(),
        });
    }
    Ok(status(match counts.refused + counts.kept_refused {
        0 => ExitStatus::Done,
        _ => ExitStatus::Refused,
    }))
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
