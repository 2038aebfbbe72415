//! The results of a run, as stored in `docs/peers.json`. The page and the plots are generated from
//! this data alone.

use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
pub(crate) struct Data {
    /// The machine of the run.
    pub(crate) machine: String,
    pub(crate) tools: Vec<About>,
    pub(crate) rows: Vec<Row>,
    pub(crate) trees: Vec<TreeRow>,
}

/// A tool and how it was called.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct About {
    pub(crate) name: String,
    pub(crate) version: String,
    /// The source of the program.
    pub(crate) from: String,
    /// The calls that the tool has for these edits, in its own terms.
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
    /// Time from the start of a process to its answer; `None` if no call was made.
    pub(crate) start_ms: Option<f64>,
    /// Time of a call to a running process that was asked about the file before.
    pub(crate) call_ms: Option<f64>,
    pub(crate) peak_mb: Option<f64>,
    pub(crate) sent: usize,
    pub(crate) received: usize,
    /// The text of a refusal, or the first difference for other bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) said: Option<String>,
}

/// One search or rewrite of a tree of files by one tool.
#[derive(Serialize, Deserialize)]
pub(crate) struct TreeRow {
    pub(crate) tool: String,
    /// `search`, `show` or `write`.
    pub(crate) work: String,
    /// The number of files with a match.
    pub(crate) files: usize,
    /// The number of all files.
    pub(crate) of: usize,
    pub(crate) outcome: Outcome,
    /// Time from the start of the process to its end.
    pub(crate) took_ms: f64,
    pub(crate) peak_mb: f64,
}

/// The state of the file after the edit.
#[derive(Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Outcome {
    /// The file has the expected bytes.
    Right,
    /// Only blank lines and trailing whitespace differ.
    Blank,
    /// The file is unchanged.
    Unchanged,
    /// Anything else.
    Other,
    /// The tool did not answer in time.
    Slow,
    /// The tool has no call for the edit.
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
    /// Returns the data as stored, one row per line.
    pub(crate) fn text(&self) -> String {
        let line =
            |value: Result<String, serde_json::Error>| value.expect("a value can be written");
        let lines = |all: Vec<String>| all.join(",\n");
        format!(
            "{{\n\"machine\": {},\n\"tools\": [\n{}\n],\n\"rows\": [\n{}\n],\n\"trees\": [\n{}\n]\n}}\n",
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
            lines(
                self.trees
                    .iter()
                    .map(|row| line(serde_json::to_string(row)))
                    .collect()
            ),
        )
    }
}
