//! The measured rows: each is printed as a line of JSON, and all are summed up in one Markdown table.

use serde::Serialize;

use crate::measure::median;

/// One edit by one tool.
#[derive(Serialize)]
pub(crate) struct Row {
    pub(crate) tool: &'static str,
    pub(crate) language: &'static str,
    pub(crate) lines: usize,
    pub(crate) kind: &'static str,
    pub(crate) outcome: Outcome,
    /// Time from the start of a process to its answer; `None` if no call was made.
    pub(crate) start_ms: Option<f64>,
    /// Time of a call to a running process that was asked about the file before.
    pub(crate) call_ms: Option<f64>,
    pub(crate) peak_mb: Option<f64>,
    pub(crate) sent: usize,
    pub(crate) received: usize,
    /// The text of a refusal, or the first difference for other bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) said: Option<String>,
}

/// One search or rewrite of a tree of files by one tool.
#[derive(Serialize)]
pub(crate) struct TreeRow {
    pub(crate) tool: &'static str,
    /// `search`, `show` or `write`.
    pub(crate) work: &'static str,
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
#[derive(Clone, Copy, PartialEq, PartialOrd, Serialize)]
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

/// Prints a row as JSON.
pub(crate) fn print(row: &impl Serialize) {
    println!(
        "{}",
        serde_json::to_string(row).expect("a row can be written")
    );
}

/// Returns a table with the medians of each tool by the number of lines. Markdown has rows of its own, since some tools
/// treat it as plain text.
pub(crate) fn table(rows: &[Row], trees: &[TreeRow]) -> String {
    let mut table =
        "| files | lines | tool | right | start, ms | call, ms | MB | sent | received |\n\
                     |---|--:|---|--:|--:|--:|--:|--:|--:|\n"
            .to_string();
    let of = |row: &Row| {
        let files = match row.language {
            "markdown" => "Markdown",
            _ => "code, JSON",
        };
        (files, row.lines, row.tool)
    };
    let mut groups: Vec<(&str, usize, &str)> = Vec::new();
    for row in rows {
        if !groups.contains(&of(row)) {
            groups.push(of(row));
        }
    }
    groups.sort_by_key(|(files, lines, _)| (*files == "Markdown", *lines));
    for group in groups {
        let all: Vec<&Row> = rows.iter().filter(|row| of(row) == group).collect();
        let right = all.iter().filter(|row| row.outcome == Outcome::Right);
        let right = format!("{} of {}", right.count(), all.len());
        let is_made = |row: &&&Row| {
            matches!(
                row.outcome,
                Outcome::Right | Outcome::Blank | Outcome::Other
            )
        };
        let cell = |figure: fn(&Row) -> Option<f64>| {
            let made = all.iter().filter(is_made);
            let values: Vec<f64> = made.filter_map(|row| figure(row)).collect();
            match values.is_empty() {
                true => String::new(),
                false => format!("{:.1}", median(values)),
            }
        };
        let (files, lines, tool) = group;
        let cells = [
            cell(|row| row.start_ms),
            cell(|row| row.call_ms),
            cell(|row| row.peak_mb),
            cell(|row| Some(row.sent as f64)),
            cell(|row| Some(row.received as f64)),
        ];
        table.push_str(&format!(
            "| {files} | {lines} | {tool} | {right} | {} |\n",
            cells.join(" | ")
        ));
    }
    for row in trees {
        let right = match row.outcome {
            Outcome::Right => "yes",
            _ => "no",
        };
        table.push_str(&format!(
            "| {}: {} of {} files match | | {} | {right} | {:.0} | | {:.1} | | |\n",
            row.work, row.files, row.of, row.tool, row.took_ms, row.peak_mb
        ));
    }
    table
}
