//! The page on the peers, made of the data of a run.

use super::data::{About, Data, Outcome, Row};

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
comes out right. For data that of patchloom is `doc`, which writes the file anew in its own layout; its `replace`, which
replaces text, is asked where it has nothing else, in two edits of Markdown. No formatter runs. Each tool works on a copy, in
a folder and a home of its own.
";

/// In these languages all tools can be asked.
const SHARED: [&str; 4] = ["rust", "python", "typescript", "json"];

/// The length of file at which tools are compared by language.
const LONG: usize = 10_000;

/// A figure of a row.
pub(crate) type Figure = fn(&Row) -> Option<f64>;

/// What is compared: its name, the figure, whether it depends on the length of the file, and its unit.
pub(crate) const START: Figure = |row| row.start_ms;
pub(crate) const CALL: Figure = |row| row.call_ms;
pub(crate) const PEAK: Figure = |row| row.peak_mb;
pub(crate) const SENT: Figure = |row| Some(row.sent as f64);
pub(crate) const RECEIVED: Figure = |row| Some(row.received as f64);

/// Why another is ahead of treegraft, where it is: how its name begins, the figure, and the reason.
const REASONS: &[(&str, &str, &str)] = &[
    ("string", "start", UNLOOKED),
    ("string", "call", UNLOOKED),
    (
        "string",
        "memory",
        "it holds the text before and after, and no tree",
    ),
    (
        "string",
        "received",
        "a word; what was changed is not shown",
    ),
    (
        "string",
        "sent",
        "the text alone says where, and has no type beside it",
    ),
    ("ast-grep", "start", ONCE),
    ("ast-grep", "memory", ONE_TREE),
    (
        "ast-grep",
        "received",
        "how many changes were made; which ones is not shown",
    ),
    ("ast-grep", "sent", "a value is its own pattern"),
    ("patchloom", "start", ONCE),
    ("patchloom", "call", ONCE),
    ("patchloom", "memory", ONE_TREE),
    (
        "patchloom",
        "received",
        "that the file was changed; what was changed is not shown",
    ),
    (
        "patchloom",
        "sent",
        "a symbol is named by its name alone, without a type",
    ),
    (
        "semantic",
        "start",
        "what it writes is not synced to the disk",
    ),
    (
        "semantic",
        "call",
        "what it writes is not synced to the disk",
    ),
    (
        "semantic",
        "memory",
        "it holds fewer languages and tools, which counts in short files",
    ),
    (
        "semantic",
        "sent",
        "where the text of the place is short, it is all that is sent",
    ),
];

/// The same of Markdown.
const REASONS_OF_PROSE: &[(&str, &str, &str)] = &[
    (
        "string",
        "received",
        "a word; what was changed is not shown",
    ),
    (
        "string",
        "memory",
        "it holds the text before and after, and no tree",
    ),
    ("string", "", UNLOOKED),
    ("semantic", "start", TEXT),
    ("semantic", "call", TEXT),
    ("semantic", "memory", TEXT),
    (
        "patchloom",
        "received",
        "that the file was changed; what was changed is not shown",
    ),
    ("patchloom", "sent", "a heading is named without a type"),
    (
        "patchloom",
        "",
        "headings are looked for line by line, without a tree",
    ),
];

const TEXT: &str = "Markdown is text without a tree to it";
const UNLOOKED: &str = "nothing is parsed, before or after, and nothing is synced to the disk";
const ONCE: &str =
    "the file is parsed once; what is written is neither parsed nor synced to the disk";
const ONE_TREE: &str = "there is one tree, of the text before";

const AHEAD: &str = "\
\n## Where another is ahead

Of all front ends of treegraft, in medians of all edits in Rust, Python, TypeScript and JSON, by the lines of the file:

";

/// What else was looked at, by hand.
const HOLDS: &str = "\
What the time goes into differs. Whether a tool parses what it is about to write was tried with content that is not \
closed (`pub fn a( {`), how it writes was looked at with strace:

| tool | content that does not parse | writes | synced | undo | answers with |
|---|---|---|---|---|---|
| treegraft | refused | beside, then renames | yes | also after a restart | the diff |
| semantic-edit-mcp | refused | in place | no | while the server runs | the diff |
| patchloom | written | beside, then renames | no | a folder in the project | what was done |
| ast-grep | written | beside, then renames | no | none | a count |
| string replacement | written | beside, then renames | no | none | a word |
";

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
    page.push_str(&format!("\n## What holds\n\n{HOLDS}"));
    page.push_str(&bytes(data));
    page.push_str(AHEAD);
    page.push_str(&ahead(data, &SHARED, REASONS));
    page.push_str(
        "\nIn Markdown, of which treegraft parses the inlines too, and where a reparse costs half of a parse \
         ([why](performance.md#figures)):\n\n",
    );
    page.push_str(&ahead(data, &["markdown"], REASONS_OF_PROSE));
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

/// How many times as long another takes as treegraft does, edit by edit, in each language.
fn ratios(data: &Data) -> String {
    let languages = distinct(data, |row| &row.language);
    let mut text = format!(
        "\nHow many times as long another takes as treegraft's front end of its kind in files of {} lines, medians of the \
         ratios of all edits that both made. A server's call is beside a call that writes at once, a program's start \
         beside the command:\n\n| tool | {} |\n|---|{}\n",
        thousands(LONG),
        languages.join(" | "),
        "--:|".repeat(languages.len())
    );
    for tool in data.tools.iter().filter(|tool| !is_own(&tool.name)) {
        let (own, figure): (&str, Figure) = match tool.name.ends_with("server") {
            true => ("treegraft, server, at once", CALL),
            false => ("treegraft, command", START),
        };
        let cells = languages.iter().map(|language| {
            let [own, other] = [own, &tool.name].map(|name| made(data, name, LONG, &[language]));
            let ratios = other.iter().filter_map(|row| {
                let same = |own: &&&Row| own.kind == row.kind;
                Some(figure(row)? / figure(own.iter().find(same)?)?)
            });
            middle(ratios.collect())
        });
        let cells: Vec<Option<f64>> = cells.collect();
        text.push_str(&format!("| {} | {} |\n", tool.name, shown(&cells)));
    }
    text
}

/// Bytes by the kind of edit.
fn bytes(data: &Data) -> String {
    let kinds = distinct(data, |row| &row.kind);
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

/// Every figure in which another has less than all of treegraft's front ends, with the reason.
fn ahead(data: &Data, languages: &[&str], reasons: &[(&str, &str, &str)]) -> String {
    let mut text = String::new();
    let all = lengths(data);
    // The length of the file says nothing about bytes.
    let long = || vec![LONG];
    let figures: [(&str, &str, Figure, Vec<usize>); 5] = [
        ("start", "ms", START, all.clone()),
        ("call", "ms", CALL, all.clone()),
        ("memory", "MB", PEAK, all),
        ("sent", "bytes", SENT, long()),
        ("received", "bytes", RECEIVED, long()),
    ];
    let (own, others): (Vec<&About>, Vec<&About>) =
        data.tools.iter().partition(|tool| is_own(&tool.name));
    for (name, unit, figure, lengths) in figures {
        for tool in &others {
            let places = lengths.iter().filter_map(|lines| {
                let of = |tool: &str| median(&made(data, tool, *lines, languages), figure);
                let own = own.iter().filter_map(|tool| of(&tool.name));
                let (own, other) = (own.min_by(f64::total_cmp)?, of(&tool.name)?);
                let place = format!(
                    "at {} {} beside {}",
                    thousands(*lines),
                    number(other),
                    number(own)
                );
                (other < own).then_some(place)
            });
            let places: Vec<String> = places.collect();
            if !places.is_empty() {
                let is_it = |(start, what, _): &&(&str, &str, &str)| {
                    tool.name.starts_with(start) && (*what == name || what.is_empty())
                };
                let reason = reasons.iter().find(is_it);
                let reason = reason.map_or("why was not looked into", |(_, _, reason)| reason);
                let places = places.join(", ");
                text.push_str(&format!(
                    "- **{name}** in {unit}, {}: {places}. {}.\n",
                    tool.name,
                    capitalized(reason)
                ));
            }
        }
    }
    text
}

fn capitalized(text: &str) -> String {
    let mut signs = text.chars();
    signs.next().map_or(String::new(), |first| {
        first.to_uppercase().chain(signs).collect()
    })
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

/// Each word that stands in a column, in the order of the rows.
fn distinct(data: &Data, column: fn(&Row) -> &str) -> Vec<&str> {
    let mut words = Vec::new();
    for word in data.rows.iter().map(column) {
        if !words.contains(&word) {
            words.push(word);
        }
    }
    words
}

fn shown(cells: &[Option<f64>]) -> String {
    let cells = cells.iter().map(|cell| cell.map_or(String::new(), number));
    cells.collect::<Vec<String>>().join(" | ")
}

/// Two digits that say something.
pub(crate) fn number(value: f64) -> String {
    match value {
        _ if value.fract() == 0.0 => thousands(value as usize),
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
