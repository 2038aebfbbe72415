//! What a run found, as `docs/peers.json` keeps it: the page and the plots are made of this alone.

use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
pub(crate) struct Data {
    /// What it ran on.
    pub(crate) machine: String,
    pub(crate) tools: Vec<About>,
    pub(crate) rows: Vec<Row>,
}

/// A tool, and how it was asked.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct About {
    pub(crate) name: String,
    pub(crate) version: String,
    /// Where it comes from.
    pub(crate) from: String,
    /// The calls that are meant for these edits, in its own words.
    pub(crate) asked: String,
}

/// One edit by one tool.
#[derive(Serialize, Deserialize)]
pub(crate) struct Row {
    pub(crate) tool: String,
    pub(crate) language: String,
    pub(crate) lines: usize,
    pub(crate) kind: String,
    pub(crate) outcome: Outcome,
    /// From the start of a process to its answer; nothing where no call was made.
    pub(crate) start_ms: Option<f64>,
    /// A call of a process that runs already and was asked about the file before.
    pub(crate) call_ms: Option<f64>,
    pub(crate) peak_mb: Option<f64>,
    pub(crate) sent: usize,
    pub(crate) received: usize,
    /// Of a refusal what it says, of other bytes where they begin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) said: Option<String>,
}

/// What became of the file.
#[derive(Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Outcome {
    /// The bytes that are expected.
    Right,
    /// The same but for blank lines, and white space at the end of lines.
    Blank,
    /// What it was before.
    Unchanged,
    /// Anything else.
    Other,
    /// There was no answer in time.
    Slow,
    /// The tool has no call for it.
    None,
}

impl Outcome {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Outcome::Right => "right",
            Outcome::Blank => "blank lines",
            Outcome::Unchanged => "refused",
            Outcome::Other => "other bytes",
            Outcome::Slow => "too slow",
            Outcome::None => "no call",
        }
    }
}

impl Data {
    /// As it is kept, a row a line.
    pub(crate) fn text(&self) -> String {
        let line =
            |value: Result<String, serde_json::Error>| value.expect("a value can be written");
        let lines = |all: Vec<String>| all.join(",\n");
        format!(
            "{{\n\"machine\": {},\n\"tools\": [\n{}\n],\n\"rows\": [\n{}\n]\n}}\n",
            line(serde_json::to_string(&self.machine)),
            lines(
                self.tools
                    .iter()
                    .map(|tool| line(serde_json::to_string(tool)))
                    .collect()
            ),
            lines(
                self.rows
                    .iter()
                    .map(|row| line(serde_json::to_string(row)))
                    .collect()
            ),
        )
    }
}
