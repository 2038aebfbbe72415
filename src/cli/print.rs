//! The only file that prints. Diffs are coloured on a terminal; a refusal's calls are written as
//! commands.

use std::io::{self, IsTerminal, Write};

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use serde_json::Value;

use crate::engine::response::{Answer, Refusal};

use super::args::Color;

/// Prints answers and refusals the way the caller asked for.
pub(super) struct Printer {
    color: ColorChoice,
    json: bool,
}

const ADDED: Style = AnsiColor::Green.on_default();
const REMOVED: Style = AnsiColor::Red.on_default();
const HUNK: Style = AnsiColor::Cyan.on_default();
const STRONG: Style = Style::new().bold();
const REFUSED: Style = AnsiColor::Red.on_default().bold();

impl Printer {
    pub(super) fn new(color: Color, json: bool) -> Printer {
        let color = match color {
            Color::Auto => ColorChoice::Auto,
            Color::Always => ColorChoice::Always,
            Color::Never => ColorChoice::Never,
        };
        Printer { color, json }
    }

    /// An answer, on standard output.
    pub(super) fn answer(&self, answer: &impl Answer) {
        match self.json {
            true => self.json(answer),
            false => self.text(
                AutoStream::new(io::stdout(), self.color),
                &answer.text_with(&command),
            ),
        }
    }

    /// A refusal, on standard error; as JSON on standard output.
    pub(super) fn refusal(&self, refusal: &Refusal) {
        match self.json {
            true => self.json(&refusal.json()),
            false => self.text(
                AutoStream::new(io::stderr(), self.color),
                &refusal.text_with(&command),
            ),
        }
    }

    /// One of many answers, a line of JSON on standard output; false where nobody reads it.
    pub(super) fn line(&self, answer: &Value) -> bool {
        let mut output = io::stdout().lock();
        writeln!(output, "{answer}").is_ok() && output.flush().is_ok()
    }

    /// What standard output is, and whether colours go there.
    pub(super) fn terminal(&self) -> String {
        let what = match io::stdout().is_terminal() {
            true => "a terminal",
            false => "no terminal",
        };
        let choice = match self.color {
            ColorChoice::Auto => AutoStream::choice(&io::stdout()),
            choice => choice,
        };
        match choice {
            ColorChoice::Never => format!("{what}, without colours"),
            _ => format!("{what}, with colours"),
        }
    }

    /// What keeps the program from working, on standard error.
    pub(super) fn problem(&self, text: &str) {
        self.text(
            AutoStream::new(io::stderr(), self.color),
            &format!("error: {text}\n"),
        );
    }

    /// What goes on, on standard error.
    pub(super) fn said(&self, text: &str) {
        self.text(
            AutoStream::new(io::stderr(), self.color),
            &format!("{text}\n"),
        );
    }

    fn json(&self, value: &impl serde::Serialize) {
        let text = serde_json::to_string_pretty(value).expect("answers have string keys");
        self.text(AutoStream::never(io::stdout()), &format!("{text}\n"));
    }

    /// Whoever closed the other end does not want the rest: that is no failure.
    fn text(&self, mut stream: impl Write, text: &str) {
        let mut in_diff = false;
        for line in text.split_inclusive('\n') {
            in_diff = in_diff || line.starts_with("--- ");
            let style = match in_diff {
                true => style_in_diff(line),
                false if line.starts_with("refused: ") || line.starts_with("error: ") => {
                    Some(REFUSED)
                }
                false if line.starts_with("help: ") || line.starts_with("note: ") => Some(STRONG),
                false => None,
            };
            let bare = line.trim_end_matches('\n');
            let end = &line[bare.len()..];
            let written = match style {
                Some(style) => write!(stream, "{style}{bare}{style:#}{end}"),
                None => stream.write_all(line.as_bytes()),
            };
            if written.is_err() {
                return;
            }
        }
        let _ = stream.flush();
    }
}

fn style_in_diff(line: &str) -> Option<Style> {
    match line.as_bytes().first() {
        _ if line.starts_with("--- ") || line.starts_with("+++ ") => Some(STRONG),
        Some(b'+') => Some(ADDED),
        Some(b'-') => Some(REMOVED),
        Some(b'@') => Some(HUNK),
        _ => None,
    }
}

/// A call of a tool as the command that makes it.
fn command(tool: &str, arguments: &Value) -> String {
    let verb = match tool {
        "outline" => "outline",
        "find_nodes" => "find",
        "locate" => "locate",
        "describe" => "describe",
        "read_node" => "read",
        "goto_definition" => "def",
        "find_references" => "refs",
        "diagnostics" => "check",
        "workspace_symbols" => "symbols",
        "rename_symbol" => "rename",
        "code_actions" => "actions",
        "completions" => "complete",
        "signature_help" => "signature",
        "replace_node" => "replace",
        "replace_text" => "replace-text",
        "insert_node" => "insert",
        "delete_node" => "delete",
        "wrap_node" => "wrap",
        "move_node" => "move",
        "edit_nodes" => "edit",
        "apply_edit" => "apply",
        "undo_edit" => "undo",
        "discard_edit" => "discard",
        "retarget_edit" => "retarget",
        "list_edits" => "show",
        other => other,
    };
    let mut words = vec!["treegraft".to_string(), verb.to_string()];
    for name in ["client", "edit_id", "file_path", "locate", "path"] {
        match arguments[name].as_str() {
            // A path, since an id begins with a letter; not to be taken for an option.
            Some(path) if path.starts_with('-') => words.push(quoted(&format!("./{path}"))),
            Some(value) => words.push(quoted(value)),
            None => {}
        }
    }
    push_selector(&mut words, &arguments["selector"]);
    // What replace_text has of a selector stands beside its other arguments.
    push_selector(&mut words, arguments);
    push_destination(&mut words, &arguments["to"]);
    if let Some(index) = arguments["edit_index"].as_u64() {
        words.extend(["--edit-index".to_string(), index.to_string()]);
    }
    for (name, option) in [
        ("position", "--position"),
        ("new_content", "--content"),
        ("indent", "--indent"),
        ("name", "--name"),
    ] {
        if let Some(value) = arguments[name].as_str() {
            words.extend([option.to_string(), quoted(value)]);
        }
    }
    for check in arguments["allow"].as_array().into_iter().flatten() {
        let check = check.as_str().map(str::to_string);
        words.extend(
            check
                .into_iter()
                .flat_map(|check| ["--allow".to_string(), check]),
        );
    }
    for root in arguments["root"].as_array().into_iter().flatten() {
        let root = root.as_str().map(quoted);
        words.extend(
            root.into_iter()
                .flat_map(|root| ["--root".to_string(), root]),
        );
    }
    for (name, option) in [
        ("range", "--range"),
        ("include_attached", "--include-attached"),
        ("apply", "--apply"),
        ("project", "--project"),
        ("write", "--write"),
    ] {
        if arguments[name] == Value::Bool(true) {
            words.push(option.to_string());
        }
    }
    words.join(" ")
}

/// Where a node goes that moves; of another call that selector alone.
fn push_destination(words: &mut Vec<String>, to: &Value) {
    let Some(object) = to.as_object() else {
        return;
    };
    let selector = object.get("selector").unwrap_or(to);
    words.extend(["--to".to_string(), quoted(&selector.to_string())]);
    for (name, option) in [("file_path", "--to-file"), ("position", "--position")] {
        if let Some(value) = to[name].as_str() {
            words.extend([option.to_string(), quoted(value)]);
        }
    }
}

fn push_selector(words: &mut Vec<String>, selector: &Value) {
    let texts = [
        ("anchor_text", "--anchor"),
        ("find", "--find"),
        ("ancestor_node_type", "--ancestor"),
    ];
    for (name, option) in texts {
        let values = match &selector[name] {
            Value::Array(many) => many.iter().filter_map(Value::as_str).collect(),
            one => one.as_str().into_iter().collect::<Vec<_>>(),
        };
        for value in values {
            words.extend([option.to_string(), quoted(value)]);
        }
    }
    if let Some(path) = selector["scope"]["symbol_path"].as_array() {
        let scope = crate::locate::SymbolScope {
            symbol_path: path
                .iter()
                .filter_map(Value::as_str)
                .map(str::to_string)
                .collect(),
        };
        words.extend(["--symbol".to_string(), quoted(&scope.to_string())]);
    }
    match &selector["scope"]["line"] {
        Value::Null => {}
        Value::Array(pair) => {
            let pair: Vec<String> = pair.iter().map(Value::to_string).collect();
            words.extend(["--lines".to_string(), pair.join(",")]);
        }
        line => words.extend(["--lines".to_string(), line.to_string()]),
    }
    for (name, option) in [
        ("nth", "--nth"),
        ("outward", "--outward"),
        ("sibling", "--sibling"),
    ] {
        if let Some(number) = selector[name].as_i64() {
            words.extend([option.to_string(), number.to_string()]);
        }
    }
}

/// A word as a shell reads it back.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./:,=".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_string(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}
