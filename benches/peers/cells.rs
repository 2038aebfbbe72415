//! Measures one edit by one tool. The edit runs several times, each time on the original file.

use std::time::{Duration, Instant};

use crate::edits::{Case, Change};
use crate::measure::median;
use crate::processes::{Call, Ran, Sandbox, Server, program};
use crate::replacement;
use crate::rows::{Outcome, Row};
use crate::tools::{Tool, Way};

/// How long and how often one cell is measured.
#[derive(Clone, Copy)]
pub(crate) struct Effort {
    pub(crate) time: Duration,
    pub(crate) at_least: usize,
    pub(crate) at_most: usize,
}

/// If a run takes longer than this, it is not repeated.
const LONG: Duration = Duration::from_secs(2);

/// The runs of one cell. The worst outcome counts.
struct Runs<'a> {
    case: &'a Case<'a>,
    wanted: &'a str,
    sandbox: &'a Sandbox,
    effort: Effort,
    outcome: Outcome,
    said: Option<String>,
    received: usize,
    peak: f64,
}

pub(crate) fn measured(tool: &Tool, case: &Case, effort: Effort) -> Row {
    let sandbox = Sandbox::new();
    let wanted = case.wanted();
    let mut runs = Runs {
        case,
        wanted: &wanted,
        sandbox: &sandbox,
        effort,
        outcome: Outcome::Right,
        said: None,
        received: 0,
        peak: 0.0,
    };
    let (sent, start, call) = match &tool.way {
        Way::Program(words) => match words(case) {
            None => return row(tool, case),
            Some(words) => {
                let sent = words.iter().map(|word| word.len() + 1).sum::<usize>() - 1;
                let start = runs.times(|sandbox| Some(program(sandbox, &tool.path, &words)));
                (sent, start, None)
            }
        },
        Way::Server(words, calls, reads) => match calls(case) {
            None => return row(tool, case),
            Some(calls) => {
                let sent = calls
                    .iter()
                    .map(|(_, arguments)| arguments.to_string().len())
                    .sum();
                let (start, call) = runs.server(tool, words, &calls, &reads(case));
                (sent, start, call)
            }
        },
        Way::Replacement => {
            let Change { old, new } = case.place.change(case.kind);
            let words = replacement::words(case.place.path(), old, new);
            let sent = replacement::arguments(case.place.path(), old, new).len();
            let start = runs.times(|sandbox| Some(program(sandbox, &tool.path, &words)));
            let call = runs.times(|sandbox| {
                let begin = Instant::now();
                let answer =
                    replacement::replaced(&sandbox.root().join(case.place.path()), old, new);
                Some(Ran {
                    took: begin.elapsed(),
                    peak: None,
                    answer: Some(answer),
                })
            });
            (sent, start, call)
        }
    };
    Row {
        outcome: runs.outcome,
        start_ms: start,
        call_ms: call,
        peak_mb: (runs.peak > 0.0).then(|| rounded(runs.peak / 1000.0)),
        sent,
        received: runs.received,
        said: runs.said,
        ..row(tool, case)
    }
}

/// Returns the row of an edit that the tool has no call for.
fn row(tool: &Tool, case: &Case) -> Row {
    Row {
        tool: tool.name,
        language: case.place.language,
        lines: case.lines,
        kind: case.kind.name(),
        outcome: Outcome::None,
        start_ms: None,
        call_ms: None,
        peak_mb: None,
        sent: 0,
        received: 0,
        said: None,
    }
}

impl Runs<'_> {
    /// Returns the median of several runs in milliseconds, or `None` if there was no answer.
    fn times(&mut self, mut run: impl FnMut(&Sandbox) -> Option<Ran>) -> Option<f64> {
        let mut times = Vec::new();
        let begin = Instant::now();
        let Effort {
            time,
            at_least,
            at_most,
        } = self.effort;
        while times.len() < at_least || (times.len() < at_most && begin.elapsed() < time) {
            self.sandbox.put(self.case.place.path(), self.case.text);
            let ran = run(self.sandbox)?;
            let took = ran.took;
            if !self.record(ran) {
                return None;
            }
            times.push(took.as_secs_f64() * 1000.0);
            if begin.elapsed() > LONG {
                break;
            }
        }
        Some(rounded(median(times)))
    }

    /// Measures the time from the start of a server to its answer, and calls to a running server.
    fn server(
        &mut self,
        tool: &Tool,
        words: &[&str],
        calls: &[Call],
        reads: &Call,
    ) -> (Option<f64>, Option<f64>) {
        let mut server = None;
        let start = self.times(|sandbox| {
            // Stop the previous server first.
            server = None;
            let begin = Instant::now();
            let mut started = Server::start(sandbox, &tool.path, words);
            let ran = started.calls(calls);
            let took = begin.elapsed();
            server = Some(started);
            Some(Ran { took, ..ran })
        });
        let Some(mut server) = server.filter(|_| start.is_some()) else {
            return (None, None);
        };
        let call = self.times(|_| {
            server.calls(std::slice::from_ref(reads));
            Some(server.calls(calls))
        });
        (start, call)
    }

    /// Records the outcome of one run. Returns whether there was an answer.
    fn record(&mut self, ran: Ran) -> bool {
        let path = self.case.place.path();
        let after = self.sandbox.read(path);
        let Some(answer) = ran.answer else {
            self.outcome = Outcome::Slow;
            return false;
        };
        self.peak = self.peak.max(ran.peak.unwrap_or_default());
        self.received = answer.len();
        let outcome = outcome(self.case.text, self.wanted, &after);
        // Keep the worst outcome of all runs and its message.
        if outcome > self.outcome {
            self.outcome = outcome;
            self.said = match outcome {
                Outcome::Unchanged => {
                    let root = self.sandbox.root().to_string_lossy().into_owned();
                    Some(clipped(&answer.replace(&root, ".").replace('\n', " ")))
                }
                _ => Some(difference(self.case.place.path(), self.wanted, &after)),
            };
        }
        true
    }
}

fn outcome(before: &str, wanted: &str, after: &str) -> Outcome {
    let lines = |text: &str| -> Vec<String> {
        let lines = text.lines().map(|line| line.trim_end().to_string());
        lines.filter(|line| !line.is_empty()).collect()
    };
    match after {
        _ if after == wanted => Outcome::Right,
        _ if after == before => Outcome::Unchanged,
        _ if lines(after) == lines(wanted) => Outcome::Blank,
        _ => Outcome::Other,
    }
}

/// Returns whether both texts are JSON with the same value.
fn is_same_data(path: &str, wanted: &str, after: &str) -> bool {
    let data = |text: &str| serde_json::from_str::<serde_json::Value>(text).ok();
    path.ends_with(".json") && data(wanted).is_some_and(|wanted| Some(wanted) == data(after))
}

/// Describes the lines between the common start and end of both texts.
fn difference(path: &str, wanted: &str, after: &str) -> String {
    let same_data = match is_same_data(path, wanted, after) {
        true => "the same data, ",
        false => "",
    };
    let [wanted, after] = [wanted, after].map(|text| text.split('\n').collect::<Vec<&str>>());
    let same = wanted
        .iter()
        .zip(&after)
        .take_while(|(a, b)| a == b)
        .count();
    let rest = wanted[same..].iter().rev().zip(after[same..].iter().rev());
    let end = rest.take_while(|(a, b)| a == b).count();
    let part = |lines: &[&str]| {
        let part = &lines[same..lines.len() - end];
        let more = if part.len() > 3 { " ..." } else { "" };
        let shown: Vec<String> = part
            .iter()
            .take(3)
            .map(|line| format!("{line:?}"))
            .collect();
        format!(
            "{} lines{}{}{more}",
            part.len(),
            if part.is_empty() { "" } else { ": " },
            shown.join(", ")
        )
    };
    let (after, wanted) = (part(&after), part(&wanted));
    clipped(&format!("{same_data}{after} instead of {wanted}"))
}

fn clipped(text: &str) -> String {
    let mut text: String = text.split_whitespace().collect::<Vec<&str>>().join(" ");
    if text.chars().count() > 240 {
        text = text.chars().take(240).collect::<String>() + " ...";
    }
    text
}

fn rounded(value: f64) -> f64 {
    let digits = if value < 1.0 { 1000.0 } else { 100.0 };
    (value * digits).round() / digits
}
