//! Generates the comparison page from the data of a run.

use super::data::{About, Data, Outcome, Row, TreeRow};

/// The beginning of the page.
const TOP: &str = "\
# Comparison with other tools

This page compares treegraft with other tools that agents use for edits. Every tool makes the same edits in the same
files. The page shows how long each edit takes, how much memory it needs, how many bytes are sent and received, and
whether the file ends up with the expected bytes. The page and its plots are generated from
[the data of one run](peers.json).

```sh
cargo bench --bench peers
```

The command installs the other tools from their registries into `target/peers/` (once), measures for several minutes, and
rewrites the data, the page and the plots. To measure and print only some cases, pass filter words after `--`:
`cargo bench --bench peers -- rust 1000 replace`.

## What is measured

- **Edits.** The files are in five languages and are built from this project's own files. There are four kinds of edits:
  *replace* a function, a pair or a paragraph; *insert* a function, a pair or a section after another one; *delete* one,
  including what is attached to it; change a *value*. The expected bytes are old and new text, written by hand
  (`benches/peers/edits.rs`). No tool produces them.
- **Outcome.** *Right*: the expected bytes, in every run. *Blank lines*: only blank lines and trailing whitespace differ.
  *Refused*: the file is unchanged. *Other bytes*: anything else. *No call*: the tool does not support the language, or
  has no call for the edit.
- **Start**: the time from the start of a process to its answer; for a server, this includes the handshake. **Call**: the
  time of a call to a running server that was asked about the file before. The file is restored before each call, so
  every tool sees a changed file. All times are medians. Where treegraft previews and applies, the time covers both calls.
- **Memory**: the peak resident memory of the process. The measured peak of a program is never below that of the small
  process that starts it, about 4 MB.
- **Sent**: the arguments, as JSON or as the words of a command line. **Received**: the text of the answer. What an agent
  reads beforehand to find out what to change is not counted; it is about the same for all tools.

Each edit uses the calls that the tool's documentation recommends for it; if there are several, the ones that produce the
expected bytes. For data, patchloom recommends `doc`, which rewrites the file in its own layout. patchloom's `replace`,
which replaces text, is used where it has nothing else: in two Markdown edits. No formatter runs. Each tool works on a
copy, with its own working directory and home directory.
";

/// The languages that all tools support.
const SHARED: [&str; 4] = ["rust", "python", "typescript", "json"];

/// The length of file at which tools are compared by language.
const LONG: usize = 10_000;

/// A figure of a row.
pub(crate) type Figure = fn(&Row) -> Option<f64>;

pub(crate) const START: Figure = |row| row.start_ms;
pub(crate) const CALL: Figure = |row| row.call_ms;
pub(crate) const PEAK: Figure = |row| row.peak_mb;
pub(crate) const SENT: Figure = |row| Some(row.sent as f64);
pub(crate) const RECEIVED: Figure = |row| Some(row.received as f64);

/// Why another tool beats treegraft: the prefix of its name, the figure, and the reason.
const REASONS: &[(&str, &str, &str)] = &[
    ("string", "start", UNPARSED),
    ("string", "call", UNPARSED),
    (
        "string",
        "memory",
        "it holds the old and the new text, and no tree",
    ),
    (
        "string",
        "received",
        "the answer is one word and does not show what changed",
    ),
    (
        "string",
        "sent",
        "the text alone identifies the place; no node type is sent",
    ),
    ("ast-grep", "start", ONCE),
    ("ast-grep", "memory", ONE_TREE),
    (
        "ast-grep",
        "received",
        "the answer is the number of changes and does not show them",
    ),
    ("ast-grep", "sent", "a value is its own pattern"),
    ("patchloom", "start", ONCE),
    ("patchloom", "call", ONCE),
    ("patchloom", "memory", ONE_TREE),
    (
        "patchloom",
        "received",
        "the answer reports that the file changed and does not show what changed",
    ),
    (
        "patchloom",
        "sent",
        "a symbol is identified by its name alone, without a type",
    ),
    ("semantic", "start", "written files are not synced to disk"),
    ("semantic", "call", "written files are not synced to disk"),
    (
        "semantic",
        "memory",
        "it includes fewer languages and tools, which matters in short files",
    ),
    (
        "semantic",
        "sent",
        "only the text of the place is sent, which may be short",
    ),
];

/// The same for Markdown.
const REASONS_OF_PROSE: &[(&str, &str, &str)] = &[
    (
        "string",
        "received",
        "the answer is one word and does not show what changed",
    ),
    (
        "string",
        "memory",
        "it holds the old and the new text, and no tree",
    ),
    ("string", "", UNPARSED),
    ("semantic", "start", TEXT),
    ("semantic", "call", TEXT),
    ("semantic", "memory", TEXT),
    (
        "patchloom",
        "received",
        "the answer reports that the file changed and does not show what changed",
    ),
    (
        "patchloom",
        "sent",
        "a heading is identified without a type",
    ),
    (
        "patchloom",
        "",
        "headings are searched line by line, without a tree",
    ),
];

const TEXT: &str = "it treats Markdown as plain text, without a tree";
const UNPARSED: &str = "nothing is parsed, before or after, and nothing is synced to disk";
const ONCE: &str = "the file is parsed once; the result is neither parsed nor synced to disk";
const ONE_TREE: &str = "it holds one tree, that of the old text";

const AHEAD: &str = "\
\n## Where another tool does better

Each line compares the other tool with the best treegraft front end. Values are medians of all edits in Rust, Python,
TypeScript and JSON, by the number of lines in the file:

";

const TREES: &str = "\
\n## Many files

A tree of Python files of 50 to 400 lines. *Search* finds the calls of a function with two arguments, *show* prints the diff
that swaps the arguments, *write* also writes the files. Times are medians of whole commands, on all cores. treegraft prints
the first matches and their number, ast-grep all matches. For each changed file, treegraft also parses the result and
compares it with the tree before, and it stages the edit, so that it can be reviewed, applied and undone.

```sh
cargo bench --bench peers -- trees
```
";

/// Properties that were checked by hand.
const HOLDS: &str = "\
The tools do different work in this time. Content with an unclosed delimiter (`pub fn a( {`) shows whether a tool parses \
the result before it writes. strace shows how it writes:

| tool | content that does not parse | how it writes | synced | undo | answer |
|---|---|---|---|---|---|
| treegraft | refused | temporary file, then rename | yes | yes, also after a restart | the diff |
| semantic-edit-mcp | refused | in place | no | while the server runs | the diff |
| patchloom | written | temporary file, then rename | no | a directory in the project | what was done |
| ast-grep | written | temporary file, then rename | no | none | a count |
| string replacement | written | temporary file, then rename | no | none | a word |
";

pub(crate) fn page(data: &Data) -> String {
    let mut page = TOP.to_string();
    page.push_str("\n## The tools\n\n| tool | version | source | calls |\n|---|---|---|---|\n");
    for tool in &data.tools {
        page.push_str(&format!(
            "| {} | {} | {} | {} |\n",
            tool.name, tool.version, tool.from, tool.asked
        ));
    }
    page.push_str(&format!("\nThe run below used {}.\n", data.machine));
    page.push_str("\n## Outcomes\n\n");
    page.push_str(&outcomes(data));
    page.push_str(&differences(data));
    page.push_str("\n## Time and memory\n\n![Time, memory and bytes over the length of the file](peers.svg)\n");
    for (title, figure) in [
        ("Start, in milliseconds", START),
        ("Call, in milliseconds", CALL),
        ("Memory, in MB", PEAK),
    ] {
        page.push_str(&format!(
            "\n{title}; medians of all completed edits in Rust, Python, TypeScript and JSON:\n\n"
        ));
        page.push_str(&by_lines(data, |rows| median(rows, figure), &SHARED));
    }
    page.push_str("\nCall in Markdown, in milliseconds:\n\n");
    page.push_str(&by_lines(data, |rows| median(rows, CALL), &["markdown"]));
    page.push_str(&ratios(data));
    page.push_str(&trees(data));
    page.push_str(&format!("\n## What each tool does\n\n{HOLDS}"));
    page.push_str(&bytes(data));
    page.push_str(AHEAD);
    page.push_str(&ahead(data, &SHARED, REASONS));
    page.push_str(
        "\nIn Markdown. treegraft also parses the inline syntax, and a reparse costs half as much as a parse \
         ([why](performance.md#figures)):\n\n",
    );
    page.push_str(&ahead(data, &["markdown"], REASONS_OF_PROSE));
    page
}

/// Compares the work on many files.
fn trees(data: &Data) -> String {
    let mut page = TREES.to_string();
    page.push_str("\n| work | files with a match | tool | outcome | seconds | ratio | MB |\n|---|--:|---|---|--:|--:|--:|\n");
    for row in &data.trees {
        let is_other = |other: &&TreeRow| {
            (other.work.as_str(), other.files) == (row.work.as_str(), row.files)
                && other.tool != row.tool
        };
        let ratio = match data
            .trees
            .iter()
            .find(is_other)
            .filter(|_| is_own(&row.tool))
        {
            Some(other) => format!("{:.2}", row.took_ms / other.took_ms),
            None => String::new(),
        };
        page.push_str(&format!(
            "| {} | {} of {} | {} | {} | {:.2} | {ratio} | {} |\n",
            row.work,
            thousands(row.files),
            thousands(row.of),
            row.tool,
            row.outcome.name(),
            row.took_ms / 1_000.0,
            number(row.peak_mb),
        ));
    }
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

/// Lists every outcome that is not right, with the file lengths that share it.
fn differences(data: &Data) -> String {
    let mut text = String::new();
    for tool in &data.tools {
        let mut listed: Vec<(&Row, Vec<String>)> = Vec::new();
        let rows = data.rows.iter().filter(|row| row.tool == tool.name);
        for row in rows.filter(|row| !matches!(row.outcome, Outcome::Right | Outcome::None)) {
            let same = |(other, _): &&mut (&Row, Vec<String>)| {
                (&other.kind, &other.language, other.outcome)
                    == (&row.kind, &row.language, row.outcome)
            };
            match listed.iter_mut().find(same) {
                Some((_, lines)) => lines.push(thousands(row.lines)),
                None => listed.push((row, vec![thousands(row.lines)])),
            }
        }
        if !listed.is_empty() {
            text.push_str(&format!("\n{}:\n\n", tool.name));
        }
        for (row, lines) in listed {
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
            "\n### Differences\n\nFor other bytes, the entry shows the first difference in the first such file.\n{text}"
        ),
    }
}

/// Formats any text as inline code in Markdown.
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

/// A table with a figure of each tool by the number of lines.
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

/// A table of how long another tool takes relative to treegraft, edit by edit, in each language.
fn ratios(data: &Data) -> String {
    let languages = distinct(data, |row| &row.language);
    let mut text = format!(
        "\nTime relative to treegraft's front end of the same kind, in files of {} lines: medians of the ratios of all edits \
         that both made. A server's call is compared with a call that writes at once, a program's start with the \
         command:\n\n| tool | {} |\n|---|{}\n",
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

/// A table of bytes by the kind of edit.
fn bytes(data: &Data) -> String {
    let kinds = distinct(data, |row| &row.kind);
    let mut text =
        "\n## Bytes\n\nBytes sent and received, medians of all lengths and languages:\n\n| tool |"
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

/// Lists every figure where another tool is below all treegraft front ends, with the reason.
fn ahead(data: &Data, languages: &[&str], reasons: &[(&str, &str, &str)]) -> String {
    let mut text = String::new();
    let all = lengths(data);
    // The length of the file does not affect the bytes.
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
                    "{} vs. {} at {} lines",
                    number(other),
                    number(own),
                    thousands(*lines)
                );
                (other < own).then_some(place)
            });
            let places: Vec<String> = places.collect();
            if !places.is_empty() {
                let is_it = |(start, what, _): &&(&str, &str, &str)| {
                    tool.name.starts_with(start) && (*what == name || what.is_empty())
                };
                let reason = reasons.iter().find(is_it);
                let reason = reason.map_or("the reason is unknown", |(_, _, reason)| reason);
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

/// Returns a tool's rows in which it wrote something. `lines` and `languages` filter them; 0 and an
/// empty slice select all.
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

/// Returns the measured file lengths, in lines.
pub(crate) fn lengths(data: &Data) -> Vec<usize> {
    let mut lengths: Vec<usize> = data.rows.iter().map(|row| row.lines).collect();
    lengths.sort_unstable();
    lengths.dedup();
    lengths
}

/// Returns the distinct words of a column, in the order of the rows.
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

/// Formats a number with two significant digits.
pub(crate) fn number(value: f64) -> String {
    match value {
        _ if value.fract() == 0.0 => thousands(value as usize),
        ..1.0 => format!("{value:.2}"),
        ..10.0 => format!("{value:.1}"),
        _ => thousands(value.round() as usize),
    }
}

/// Formats a number with thousands separators: `1,000`.
pub(crate) fn thousands(value: usize) -> String {
    match value {
        ..1_000 => value.to_string(),
        _ => format!("{},{:03}", thousands(value / 1_000), value % 1_000),
    }
}
