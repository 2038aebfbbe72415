//! The page on the peers, made of the data of a run.

use super::data::{Data, Outcome, Row};

/// What stands at the beginning.
const TOP: &str = "\
# Beside other tools

The same edits of the same files, by treegraft and by tools that agents edit with: how long they take, how much
memory, how many bytes go and come, and whether the file holds the bytes that were meant. This page and its plots are
made of [the data of one run](peers.json).

```sh
cargo bench --bench peers
```

installs the others from their registries into `target/peers/`, once, measures for some minutes, and writes the data, the page
and the plots anew. With words behind `--` it only measures what they name, and prints it:
`cargo bench --bench peers -- rust 1000 replace`.

## What is measured

- **Edits.** In files of five languages, made of this project's own, four kinds: *replace* a function, a pair or a
  paragraph; *insert* a function, a pair or a section behind another; *delete* one with what is attached to it; change a
  *value*. The bytes that are expected are old and new text, written down by hand (`benches/peers/edits.rs`): they
  come from no tool.
- **Outcome.** *Right*: those bytes, in every run. *Blank lines*: the same but for blank lines and white space at the
  end of lines. *Refused*: the file is what it was. *Other bytes*: anything else. *No call*: the tool does not read the
  language, or has nothing that is meant for the edit.
- **Start**: from the start of a process to the answer, of a server with the handshake. **Call**: a call of a
  server that runs and was asked about the file before; the file is put back in between, so that it is new to all.
  Medians. Where treegraft previews and applies, it is both calls together.
- **Memory**: the most that the process had resident. What a program has at most is told no smaller than a small
  process has that starts it, about 4 MB.
- **Sent**: the arguments, as JSON or as words of a command line. **Received**: the text of the answer. What had to
  be read before to know what to change is not counted, and is much the same for all.

Each tool is asked with the calls that its documentation means for the edit; where there are several, with the one that
comes out right. No tool formats what it wrote. Each works on a copy, in a folder and a home of its own.
";

/// In these languages all tools can be asked.
const SHARED: [&str; 4] = ["rust", "python", "typescript", "json"];

/// A figure of a row.
pub(crate) type Figure = fn(&Row) -> Option<f64>;

/// What is compared: its name, the figure, whether it depends on the length of the file, and its unit.
pub(crate) const START: Figure = |row| row.start_ms;
pub(crate) const CALL: Figure = |row| row.call_ms;
pub(crate) const PEAK: Figure = |row| row.peak_mb;
pub(crate) const SENT: Figure = |row| Some(row.sent as f64);
pub(crate) const RECEIVED: Figure = |row| Some(row.received as f64);

/// Why a tool is ahead of treegraft, where it is: its name, the figure, and the reason.
const REASONS: &[(&str, &str, &str)] = &[];

pub(crate) fn page(data: &Data) -> String {
    let mut page = TOP.to_string();
    page.push_str("\n## The tools\n\n| tool | version | from | asked with |\n|---|---|---|---|\n");
    for tool in &data.tools {
        page.push_str(&format!(
            "| {} | {} | {} | {} |\n",
            tool.name, tool.version, tool.from, tool.asked
        ));
    }
    page.push_str(&format!("\nThe run below was on {}.\n", data.machine));
    page.push_str("\n## Outcomes\n\n");
    page.push_str(&outcomes(data));
    page.push_str(&differences(data));
    page.push_str("\n## Time and memory\n\n![Time, memory and bytes over the length of the file](peers.svg)\n");
    for (title, figure) in [
        ("Start, in milliseconds", START),
        ("Call, in milliseconds", CALL),
        ("Memory, in MB", PEAK),
    ] {
        page.push_str(&format!("\n{title}; medians of all edits in Rust, Python, TypeScript and JSON that were made:\n\n"));
        page.push_str(&by_lines(data, |rows| median(rows, figure), &SHARED));
    }
    page.push_str("\nThe call in Markdown, in milliseconds:\n\n");
    page.push_str(&by_lines(data, |rows| median(rows, CALL), &["markdown"]));
    page.push_str(&ratios(data));
    page.push_str(&bytes(data));
    page.push_str(&ahead(data));
    page
}

fn outcomes(data: &Data) -> String {
    use Outcome::{Blank, None, Other, Right, Slow, Unchanged};
    let all = [Right, Blank, Unchanged, Other, Slow, None];
    let names = all.map(Outcome::name).join(" | ");
    let mut table = format!("| tool | {names} |\n|---|{}\n", "--:|".repeat(all.len()));
    for tool in &data.tools {
        let count = |outcome: Outcome| {
            let rows = data.rows.iter().filter(|row| row.tool == tool.name);
            rows.filter(|row| row.outcome == outcome)
                .count()
                .to_string()
        };
        table.push_str(&format!(
            "| {} | {} |\n",
            tool.name,
            all.map(count).join(" | ")
        ));
    }
    table
}

/// What is not right, once for all lengths of the file that it is the same at.
fn differences(data: &Data) -> String {
    let mut text = String::new();
    for tool in &data.tools {
        let mut told: Vec<(&Row, Vec<String>)> = Vec::new();
        let rows = data.rows.iter().filter(|row| row.tool == tool.name);
        for row in rows.filter(|row| !matches!(row.outcome, Outcome::Right | Outcome::None)) {
            let same = |(other, _): &&mut (&Row, Vec<String>)| {
                (&other.kind, &other.language, other.outcome)
                    == (&row.kind, &row.language, row.outcome)
            };
            match told.iter_mut().find(same) {
                Some((_, lines)) => lines.push(thousands(row.lines)),
                None => told.push((row, vec![thousands(row.lines)])),
            }
        }
        if !told.is_empty() {
            text.push_str(&format!("\n{}:\n\n", tool.name));
        }
        for (row, lines) in told {
            let said = row
                .said
                .as_ref()
                .map_or(String::new(), |said| format!(": {}", code(said)));
            let at = match lines.len() == lengths(data).len() {
                true => String::new(),
                false => format!(" at {} lines", lines.join(", ")),
            };
            text.push_str(&format!(
                "- {} in {}{at}, {}{said}\n",
                row.kind,
                row.language,
                row.outcome.name()
            ));
        }
    }
    match text.is_empty() {
        true => text,
        false => format!(
            "\n### What is not right\n\nOf other bytes, where they begin in the first such file.\n{text}"
        ),
    }
}

/// As code in a line of Markdown, whatever it holds.
fn code(text: &str) -> String {
    let longest = text
        .split(|sign| sign != '`')
        .map(str::len)
        .max()
        .unwrap_or_default();
    let ticks = "`".repeat(longest + 1);
    let space = if longest > 0 { " " } else { "" };
    format!("{ticks}{space}{text}{space}{ticks}")
}

/// A figure of each tool by the number of lines.
fn by_lines(data: &Data, figure: impl Fn(&[&Row]) -> Option<f64>, languages: &[&str]) -> String {
    let lengths = lengths(data);
    let heads: Vec<String> = lengths.iter().map(|lines| thousands(*lines)).collect();
    let mut table = format!(
        "| tool, lines | {} |\n|---|{}\n",
        heads.join(" | "),
        "--:|".repeat(heads.len())
    );
    for tool in &data.tools {
        let cells = lengths
            .iter()
            .map(|lines| figure(&made(data, &tool.name, *lines, languages)));
        let cells: Vec<Option<f64>> = cells.collect();
        if cells.iter().any(Option::is_some) {
            table.push_str(&format!("| {} | {} |\n", tool.name, shown(&cells)));
        }
    }
    table
}

/// How many times as long another takes as treegraft does, edit by edit.
fn ratios(data: &Data) -> String {
    let lengths = lengths(data);
    let heads: Vec<String> = lengths.iter().map(|lines| thousands(*lines)).collect();
    let mut text = format!(
        "\nHow many times as long another takes as treegraft's door of its kind, medians of the ratios of all edits that \
         both made, Markdown too: a server's call to a call that writes at once, a program's start to the command:\n\n\
         | tool, lines | {} |\n|---|{}\n",
        heads.join(" | "),
        "--:|".repeat(heads.len())
    );
    for tool in data.tools.iter().filter(|tool| !is_own(&tool.name)) {
        let (own, figure): (&str, Figure) = match tool.name.ends_with("server") {
            true => ("treegraft, server, at once", CALL),
            false => ("treegraft, command", START),
        };
        let cells = lengths.iter().map(|lines| {
            let (own, other) = (
                made(data, own, *lines, &[]),
                made(data, &tool.name, *lines, &[]),
            );
            let ratios = other.iter().filter_map(|row| {
                let same = |own: &&&Row| (&own.language, &own.kind) == (&row.language, &row.kind);
                Some(figure(row)? / figure(own.iter().find(same)?)?)
            });
            middle(ratios.collect())
        });
        text.push_str(&format!(
            "| {} | {} |\n",
            tool.name,
            shown(&cells.collect::<Vec<Option<f64>>>())
        ));
    }
    text
}

/// Bytes by the kind of edit.
fn bytes(data: &Data) -> String {
    let kinds = kinds(data);
    let mut text =
        "\n## Bytes\n\nSent and received, medians of all lengths and languages:\n\n| tool |"
            .to_string();
    for kind in &kinds {
        text.push_str(&format!(" {kind}: sent | received |"));
    }
    text.push_str(&format!("\n|---|{}\n", "--:|--:|".repeat(kinds.len())));
    for tool in &data.tools {
        let mut cells = Vec::new();
        for kind in &kinds {
            let rows = made(data, &tool.name, 0, &[]);
            let rows: Vec<&Row> = rows.into_iter().filter(|row| row.kind == *kind).collect();
            cells.extend([median(&rows, SENT), median(&rows, RECEIVED)]);
        }
        text.push_str(&format!("| {} | {} |\n", tool.name, shown(&cells)));
    }
    text
}

/// Every figure in which another has less than all of treegraft's doors, with the reason.
fn ahead(data: &Data) -> String {
    let mut text = "\n## Where another is ahead\n\nIn medians of all edits in Rust, Python, TypeScript and JSON, with \
                    files of 10,000 lines:\n\n"
        .to_string();
    let figures: [(&str, &str, Figure); 5] = [
        ("start", "ms", START),
        ("call", "ms", CALL),
        ("memory", "MB", PEAK),
        ("sent", "bytes", SENT),
        ("received", "bytes", RECEIVED),
    ];
    for (name, unit, figure) in figures {
        let of = |tool: &str| median(&made(data, tool, 10_000, &SHARED), figure);
        let (own, others): (Vec<&str>, Vec<&str>) = data
            .tools
            .iter()
            .map(|tool| tool.name.as_str())
            .partition(|name| is_own(name));
        let Some(own) = own.into_iter().filter_map(of).min_by(f64::total_cmp) else {
            continue;
        };
        for tool in others {
            let Some(other) = of(tool).filter(|other| *other < own) else {
                continue;
            };
            let reason = REASONS
                .iter()
                .find(|(of, what, _)| (*of, *what) == (tool, name));
            let reason = reason.map_or("why was not looked into", |(_, _, reason)| reason);
            text.push_str(&format!(
                "- **{name}**, {tool}: {} {unit} beside {}; {reason}.\n",
                number(other),
                number(own)
            ));
        }
    }
    text
}

fn is_own(tool: &str) -> bool {
    tool.starts_with("treegraft")
}

/// The rows of a tool in which it wrote something: of files of so many lines (0: of all), in these languages (none:
/// in all).
pub(crate) fn made<'a>(
    data: &'a Data,
    tool: &str,
    lines: usize,
    languages: &[&str],
) -> Vec<&'a Row> {
    let of_tool = data
        .rows
        .iter()
        .filter(|row| row.tool == tool && (lines == 0 || row.lines == lines));
    let rows =
        of_tool.filter(|row| languages.is_empty() || languages.contains(&row.language.as_str()));
    rows.filter(|row| {
        matches!(
            row.outcome,
            Outcome::Right | Outcome::Blank | Outcome::Other
        )
    })
    .collect()
}

pub(crate) fn median(rows: &[&Row], figure: Figure) -> Option<f64> {
    middle(rows.iter().filter_map(|row| figure(row)).collect())
}

fn middle(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let half = values.len() / 2;
    match values.len() % 2 {
        1 => Some(values[half]),
        _ => Some((values.get(half.checked_sub(1)?)? + values[half]) / 2.0),
    }
}

/// The numbers of lines that were measured.
pub(crate) fn lengths(data: &Data) -> Vec<usize> {
    let mut lengths: Vec<usize> = data.rows.iter().map(|row| row.lines).collect();
    lengths.sort_unstable();
    lengths.dedup();
    lengths
}

fn kinds(data: &Data) -> Vec<&str> {
    let mut kinds = Vec::new();
    for row in &data.rows {
        if !kinds.contains(&row.kind.as_str()) {
            kinds.push(&row.kind);
        }
    }
    kinds
}

fn shown(cells: &[Option<f64>]) -> String {
    let cells = cells.iter().map(|cell| cell.map_or(String::new(), number));
    cells.collect::<Vec<String>>().join(" | ")
}

/// Two digits that say something.
pub(crate) fn number(value: f64) -> String {
    match value {
        ..1.0 => format!("{value:.2}"),
        ..10.0 => format!("{value:.1}"),
        _ => thousands(value.round() as usize),
    }
}

/// `1,000`.
pub(crate) fn thousands(value: usize) -> String {
    match value {
        ..1_000 => value.to_string(),
        _ => format!("{},{:03}", thousands(value / 1_000), value % 1_000),
    }
}
