//! YAML with a list of servers that have a `name`: each change replaces lines of the text.

use std::ops::Range;

use camino::Utf8Path;
use treegraft::language;
use treegraft::parse::Parsed;
use treegraft::source::Source;

use super::{ConfigChange, NotMerged, ServerEntry, newline};

/// What a file of Continue starts with (`name`, `version` and `schema` are required).
const HEADER: &str = "name: treegraft\nversion: 0.0.1\nschema: v1\n";

/// A file as lines, with the list of servers.
struct Listed<'a> {
    /// The lines with their line endings.
    lines: Vec<&'a str>,
    /// The line of the key.
    key: usize,
    /// The entries: their lines, without comments and empty lines after them.
    entries: Vec<Range<usize>>,
    /// The indentation of the entries.
    indent: usize,
    /// Whether the value of the key is written on its line.
    value: &'a str,
}

fn no_list(what: &str) -> NotMerged {
    NotMerged::NoList {
        what: what.to_string(),
    }
}

/// Refuses a file with syntax errors.
fn check(text: &str) -> Result<(), NotMerged> {
    let path = Utf8Path::new("config.yaml");
    let source = Source::new(
        path.as_str(),
        language::for_file(path.as_str(), ""),
        text.to_string(),
    );
    let parsed = Parsed::parse(source);
    let problem = parsed.problems().first();
    problem.map_or(Ok(()), |problem| {
        let before = &text[..problem.span.start().min(text.len())];
        Err(NotMerged::Unreadable {
            line: before.matches('\n').count() + 1,
            message: "syntax error".to_string(),
        })
    })
}

fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// Returns whether a line is empty or a comment.
fn is_trivia(line: &str) -> bool {
    let line = line.trim();
    line.is_empty() || line.starts_with('#')
}

/// Returns the text of a scalar without quotes and without a comment after it.
fn scalar(text: &str) -> String {
    let text = text.trim();
    for quote in ['"', '\''] {
        if let Some(rest) = text.strip_prefix(quote) {
            let end = rest.find(quote).unwrap_or(rest.len());
            let inner = &rest[..end];
            return match quote {
                '"' => serde_json::from_str(&format!("\"{inner}\"")).unwrap_or(inner.to_string()),
                _ => inner.to_string(),
            };
        }
    }
    let end = text.find(" #").unwrap_or(text.len());
    text[..end].trim().to_string()
}

impl<'a> Listed<'a> {
    /// Finds the list under a key of the file, if the file has the key.
    fn find(text: &'a str, servers: &str) -> Result<Option<Listed<'a>>, NotMerged> {
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let value_of = |line: &'a str| {
            let rest = line.strip_prefix(servers)?.trim_start_matches(' ');
            rest.strip_prefix(':')
        };
        let mut keys = (0..lines.len()).filter(|line| value_of(lines[*line]).is_some());
        let Some(key) = keys.next() else {
            return Ok(None);
        };
        if keys.next().is_some() {
            return Err(NotMerged::Twice {
                what: servers.to_string(),
            });
        }
        let value = value_of(lines[key]).unwrap_or_default().trim();
        let value = if value.starts_with('#') { "" } else { value };
        let is_nothing = ["[]", "null", "~", ""].contains(&scalar(value).as_str());
        if !is_nothing {
            return Err(no_list(servers));
        }
        let mut entries: Vec<Range<usize>> = Vec::new();
        let mut indent = None;
        for (at, line) in lines.iter().enumerate().skip(key + 1) {
            if is_trivia(line) {
                continue;
            }
            let own = indent_of(line);
            let is_item = line[own..].starts_with("- ") || line[own..].trim_end() == "-";
            match (indent, is_item) {
                (None, true) => {
                    indent = Some(own);
                    entries.push(at..at + 1);
                }
                (None, false) if own == 0 => break,
                (None, false) => return Err(no_list(servers)),
                (Some(indent), true) if own == indent => entries.push(at..at + 1),
                (Some(indent), _) if own > indent => {
                    if let Some(last) = entries.last_mut() {
                        last.end = at + 1;
                    }
                }
                _ => break,
            }
        }
        if !entries.is_empty() && !value.is_empty() {
            return Err(no_list(servers));
        }
        Ok(Some(Listed {
            lines,
            key,
            entries,
            indent: indent.unwrap_or(2),
            value,
        }))
    }

    /// Returns the fields of an entry: each key with its lines and the text of its value.
    fn fields(&self, entry: &Range<usize>) -> Vec<(String, Range<usize>, Vec<String>)> {
        let mut fields: Vec<(String, Range<usize>, Vec<String>)> = Vec::new();
        let inner = self.lines[entry.start][self.indent..]
            .trim_start_matches('-')
            .len();
        let inner = self.lines[entry.start].len() - inner;
        let column = inner + indent_of(&self.lines[entry.start][inner..]);
        for at in entry.clone() {
            let line = self.lines[at];
            if is_trivia(line) {
                continue;
            }
            let own = if at == entry.start {
                column
            } else {
                indent_of(line)
            };
            let bare = line.get(own..).unwrap_or_default();
            let is_list = own == column && at != entry.start && bare.starts_with("- ");
            if own == column && !is_list {
                let (key, value) = bare.split_once(':').unwrap_or((bare, ""));
                let value = value.trim();
                let words = match value
                    .strip_prefix('[')
                    .and_then(|rest| rest.strip_suffix(']'))
                {
                    Some(list) => list
                        .split(',')
                        .map(scalar)
                        .filter(|word| !word.is_empty())
                        .collect(),
                    None if value.is_empty() || value.starts_with('#') => vec![],
                    None => vec![scalar(value)],
                };
                fields.push((scalar(key), at..at + 1, words));
            } else if let Some((_, lines, words)) = fields.last_mut() {
                lines.end = at + 1;
                if let Some(word) = line.trim().strip_prefix("- ") {
                    words.push(scalar(word));
                }
            }
        }
        fields
    }

    /// Returns the line after the last entry and the comments that are indented as its fields are.
    fn end(&self) -> usize {
        let end = self.entries.last().map_or(self.key + 1, |last| last.end);
        let comments = self.lines[end..].iter();
        let comments = comments
            .take_while(|line| line.trim_start().starts_with('#') && indent_of(line) > self.indent);
        end + comments.count()
    }

    fn named(&self, name: &str) -> Option<&Range<usize>> {
        let is_named = |entry: &&Range<usize>| {
            let fields = self.fields(entry);
            let mut names = fields.iter().filter(|(key, _, _)| key == "name");
            names.any(|(_, _, words)| words.iter().any(|word| word == name))
        };
        self.entries.iter().find(is_named)
    }

    /// Returns the text with lines in place of others.
    fn with_lines(&self, replaced: Range<usize>, lines: &str) -> String {
        let before: String = self.lines[..replaced.start].concat();
        let after: String = self.lines[replaced.end..].concat();
        let gap = match before.is_empty() || before.ends_with('\n') {
            true => "",
            false => newline(&before),
        };
        format!("{before}{gap}{lines}{after}")
    }
}

/// Returns a scalar, quoted if it is not a plain word.
fn quoted(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
    let starts_plain = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/');
    match starts_plain && text.chars().all(is_plain) {
        true => text.to_string(),
        false => serde_json::Value::from(text).to_string(),
    }
}

/// Returns the lines of the command of a server, indented.
fn command_lines(entry: &ServerEntry, indent: &str, newline: &str) -> String {
    let mut lines = format!("{indent}command: {}{newline}", quoted(&entry.command));
    lines.push_str(&format!("{indent}args:{newline}"));
    for argument in &entry.arguments {
        lines.push_str(&format!("{indent}  - {}{newline}", quoted(argument)));
    }
    lines
}

pub(super) fn merge(
    text: &str,
    servers: &str,
    name: &str,
    entry: &ServerEntry,
) -> Result<(String, ConfigChange), NotMerged> {
    check(text)?;
    if text.lines().filter(|line| line.starts_with("---")).count() > 1 {
        return Err(NotMerged::Unreadable {
            line: 1,
            message: "the file has several documents".to_string(),
        });
    }
    let newline = newline(text);
    let text = match text.trim().is_empty() {
        true => HEADER.replace('\n', newline),
        false => text.to_string(),
    };
    let item = |indent: usize| {
        let outer = " ".repeat(indent);
        let inner = " ".repeat(indent + 2);
        let name = quoted(name);
        format!(
            "{outer}- name: {name}{newline}{}",
            command_lines(entry, &inner, newline)
        )
    };
    let merged = match Listed::find(&text, servers)? {
        None => {
            let gap = if text.ends_with('\n') { "" } else { newline };
            let merged = format!("{text}{gap}{servers}:{newline}{}", item(2));
            (merged, ConfigChange::Added)
        }
        Some(list) => match list.named(name) {
            Some(known) => set_command(&list, known, name, entry, newline),
            None => {
                let at = list.end();
                let merged = match list.value.is_empty() {
                    true => list.with_lines(at..at, &item(list.indent)),
                    // `[]` and `null` would be the value besides the list.
                    false => {
                        let comment = list.value.find(" #");
                        let comment = comment.map_or("", |at| &list.value[at..]);
                        let key = format!("{servers}:{comment}{newline}{}", item(2));
                        list.with_lines(list.key..list.key + 1, &key)
                    }
                };
                (merged, ConfigChange::Added)
            }
        },
    };
    check(&merged.0)?;
    Ok(merged)
}

/// Sets the command and the arguments of an entry, if they differ.
fn set_command(
    list: &Listed<'_>,
    known: &Range<usize>,
    name: &str,
    entry: &ServerEntry,
    newline: &str,
) -> (String, ConfigChange) {
    let fields = list.fields(known);
    let words = |key: &str| {
        let mut fields = fields.iter().filter(|(name, _, _)| name == key);
        fields
            .next()
            .map(|(_, lines, words)| (lines.clone(), words.clone()))
    };
    let (command, arguments) = (words("command"), words("args"));
    let is_same = command
        .as_ref()
        .is_some_and(|(_, words)| words[..] == [entry.command.clone()])
        && arguments.as_ref().map_or(&[][..], |(_, words)| words) == entry.arguments;
    if is_same {
        return (list.lines.concat(), ConfigChange::Same);
    }
    // The entry starts with its name, then the command; its other lines follow.
    let ours = ["name", "command", "args"];
    let is_ours = |at: &usize| {
        let mut fields = fields.iter();
        fields.any(|(key, lines, _)| ours.contains(&key.as_str()) && lines.contains(at))
    };
    let first = list.lines[known.start];
    let mut lines = match fields.first() {
        Some((key, _, _)) if key == "name" => first.to_string(),
        _ => format!(
            "{}- name: {}{newline}",
            " ".repeat(list.indent),
            quoted(name)
        ),
    };
    lines.push_str(&command_lines(entry, &" ".repeat(list.indent + 2), newline));
    for at in known.clone().filter(|at| !is_ours(at)) {
        match at == known.start {
            true => lines.push_str(&first.replacen('-', " ", 1)),
            false => lines.push_str(list.lines[at]),
        }
    }
    (
        list.with_lines(known.clone(), &lines),
        ConfigChange::Replaced,
    )
}

pub(super) fn read_server(
    text: &str,
    servers: &str,
    name: &str,
) -> Result<Option<Vec<String>>, NotMerged> {
    check(text)?;
    let Some(list) = Listed::find(text, servers)? else {
        return Ok(None);
    };
    Ok(list.named(name).map(|entry| {
        let fields = list.fields(entry);
        let words = |key: &str| {
            let mut fields = fields.iter().filter(|(name, _, _)| name == key);
            fields
                .next()
                .map(|(_, _, words)| words.clone())
                .unwrap_or_default()
        };
        [words("command"), words("args")].concat()
    }))
}

pub(super) fn without_server(
    text: &str,
    servers: &str,
    name: &str,
    keeps_table: bool,
) -> Result<String, NotMerged> {
    let Some(list) = Listed::find(text, servers)? else {
        return Ok(text.to_string());
    };
    let Some(entry) = list.named(name).cloned() else {
        return Ok(text.to_string());
    };
    Ok(match list.entries.len() == 1 && !keeps_table {
        true => list.with_lines(list.key..entry.end, ""),
        false => list.with_lines(entry, ""),
    })
}

pub(super) fn has_key(text: &str, servers: &str) -> bool {
    Listed::find(text, servers).is_ok_and(|list| list.is_some())
}

/// Returns whether the file has nothing but what starts a new one.
pub(super) fn is_empty(text: &str) -> bool {
    let text = text.replace("\r\n", "\n");
    text.trim().is_empty() || text == HEADER
}
