//! One edit by one tool: run several times, each on the file as it was, and what came of it.

use std::time::{Duration, Instant};

use crate::data::{Outcome, Row};
use crate::edits::{Case, Change};
use crate::measure::median;
use crate::processes::{Call, Ran, Room, Server, program};
use crate::replacement;
use crate::tools::{Tool, Way};

/// How long, and how often, one cell is measured in one way.
#[derive(Clone, Copy)]
pub(crate) struct Effort {
    pub(crate) time: Duration,
    pub(crate) at_least: usize,
    pub(crate) at_most: usize,
}

/// Longer than this, and one run of it is enough.
const LONG: Duration = Duration::from_secs(2);

/// The runs of one cell, of which each must come out the same.
struct Runs<'a> {
    case: &'a Case<'a>,
    wanted: &'a str,
    room: &'a Room,
    effort: Effort,
    outcome: Outcome,
    said: Option<String>,
    received: usize,
    peak: f64,
}

pub(crate) fn measured(tool: &Tool, case: &Case, effort: Effort) -> Row {
    let room = Room::new();
    let wanted = case.wanted();
    let mut runs = Runs {
        case,
        wanted: &wanted,
        room: &room,
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
                let start = runs.times(|room| Some(program(room, &tool.path, &words)));
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
            let start = runs.times(|room| Some(program(room, &tool.path, &words)));
            let call = runs.times(|room| {
                let begin = Instant::now();
                let answer = replacement::replaced(&room.root().join(case.place.path()), old, new);
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

/// The row of an edit that there is no call for.
fn row(tool: &Tool, case: &Case) -> Row {
    Row {
        tool: tool.about.name.clone(),
        language: case.place.language.to_string(),
        lines: case.lines,
        kind: case.kind.name().to_string(),
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
    /// The median of several runs, in milliseconds; nothing where there was no answer.
    fn times(&mut self, mut run: impl FnMut(&Room) -> Option<Ran>) -> Option<f64> {
        let mut times = Vec::new();
        let begin = Instant::now();
        let Effort {
            time,
            at_least,
            at_most,
        } = self.effort;
        while times.len() < at_least || (times.len() < at_most && begin.elapsed() < time) {
            self.room.put(self.case.place.path(), self.case.text);
            let ran = run(self.room)?;
            let took = ran.took;
            if !self.came(ran) {
                return None;
            }
            times.push(took.as_secs_f64() * 1000.0);
            if begin.elapsed() > LONG {
                break;
            }
        }
        Some(rounded(median(times)))
    }

    /// From the start of a server to its answer, and calls of one that runs.
    fn server(
        &mut self,
        tool: &Tool,
        words: &[&str],
        calls: &[Call],
        reads: &Call,
    ) -> (Option<f64>, Option<f64>) {
        let mut server = None;
        let start = self.times(|room| {
            // The one before ends first.
            server = None;
            let begin = Instant::now();
            let mut started = Server::start(room, &tool.path, words);
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

    /// What came of one run; whether there was an answer.
    fn came(&mut self, ran: Ran) -> bool {
        let path = self.case.place.path();
        let after = self.room.read(path);
        let Some(answer) = ran.answer else {
            self.outcome = Outcome::Slow;
            return false;
        };
        self.peak = self.peak.max(ran.peak.unwrap_or_default());
        self.received = answer.len();
        let outcome = outcome(self.case.text, self.wanted, &after);
        // The worst of all runs, and what was said then.
        if outcome > self.outcome {
            self.outcome = outcome;
            self.said = match outcome {
                Outcome::Unchanged => {
                    let root = self.room.root().to_string_lossy().into_owned();
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

/// Whether it is data, and the same.
fn is_same_data(path: &str, wanted: &str, after: &str) -> bool {
    let data = |text: &str| serde_json::from_str::<serde_json::Value>(text).ok();
    path.ends_with(".json") && data(wanted).is_some_and(|wanted| Some(wanted) == data(after))
}

/// The lines between what both texts begin and end with.
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
