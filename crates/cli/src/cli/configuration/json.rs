//! JSON, with or without comments and trailing commas: each change replaces ranges of the text.

use std::ops::Range;

use jsonc_parser::ast::{self, Value};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use super::{CommandShape, ConfigChange, HookEntry, NotMerged, ServerEntry, lower, newline};

/// A value to write.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Written {
    Text(String),
    Number(u64),
    List(Vec<Written>),
    Table(Vec<(&'static str, Written)>),
}

impl Written {
    fn text(text: &str) -> Written {
        Written::Text(text.to_string())
    }

    /// Returns the value as JSON. Tables, and lists of tables, get a line for each entry if there
    /// is a `layout`.
    fn render(&self, layout: Option<&Layout>) -> String {
        let inner = layout.map(Layout::deeper);
        let (open, close, entries) = match self {
            Written::Text(text) => return serde_json::Value::from(text.as_str()).to_string(),
            Written::Number(number) => return number.to_string(),
            Written::List(values) => {
                let is_flat = !values.iter().any(|one| matches!(one, Written::Table(_)));
                let inner = inner.filter(|_| !is_flat);
                let entries = values.iter().map(|one| one.render(inner.as_ref()));
                let entries: Vec<String> = entries.collect();
                if is_flat {
                    return format!("[{}]", entries.join(", "));
                }
                ('[', ']', entries)
            }
            Written::Table(entries) if entries.is_empty() => return "{}".to_string(),
            Written::Table(entries) => {
                let entries = entries.iter().map(|(key, value)| {
                    let key = serde_json::Value::from(*key);
                    format!("{key}: {}", value.render(inner.as_ref()))
                });
                ('{', '}', entries.collect())
            }
        };
        match layout {
            None => format!("{open}{}{close}", entries.join(", ")),
            Some(layout) => {
                let inner = layout.deeper();
                let entries: Vec<String> = entries
                    .iter()
                    .map(|entry| format!("{}{}{entry}", inner.newline, inner.indent))
                    .collect();
                let end = format!("{}{}", layout.newline, layout.indent);
                format!("{open}{}{end}{close}", entries.join(","))
            }
        }
    }

    /// Returns whether a parsed value is the same.
    fn equals(&self, value: &Value<'_>) -> bool {
        match (self, value) {
            (Written::Text(text), Value::StringLit(known)) => *text == known.value,
            (Written::Number(number), Value::NumberLit(known)) => known.value == number.to_string(),
            (Written::List(values), Value::Array(known)) => {
                values.len() == known.elements.len()
                    && values
                        .iter()
                        .zip(&known.elements)
                        .all(|(value, known)| value.equals(known))
            }
            (Written::Table(entries), Value::Object(known)) => {
                entries.len() == known.properties.len()
                    && entries.iter().all(|(key, value)| {
                        property(known, key).is_some_and(|known| value.equals(&known.value))
                    })
            }
            _ => false,
        }
    }
}

/// Where lines of a value start.
#[derive(Clone)]
struct Layout {
    newline: &'static str,
    /// The indentation of the line on which the value starts.
    indent: String,
    /// The indentation of one level.
    unit: String,
}

impl Layout {
    fn deeper(&self) -> Layout {
        Layout {
            indent: format!("{}{}", self.indent, self.unit),
            ..self.clone()
        }
    }
}

fn with_comments() -> ParseOptions {
    ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

fn parse(text: &str) -> Result<Option<Value<'_>>, NotMerged> {
    let parsed = parse_to_ast(text, &CollectOptions::default(), &with_comments());
    let parsed = parsed.map_err(|error| NotMerged::Unreadable {
        line: error.line_display(),
        message: lower(&error.kind().to_string()),
    })?;
    Ok(parsed.value)
}

/// Refuses text that is not plain JSON; accepts an empty file.
pub(super) fn check_strictly(text: &str) -> Result<(), NotMerged> {
    if text.trim().is_empty() {
        return Ok(());
    }
    let read = serde_json::from_str::<serde::de::IgnoredAny>(text);
    read.map(drop).map_err(|error| {
        let message = error.to_string();
        // The refusal reports the line itself.
        let message = message.split(" at line ").next().unwrap_or_default();
        NotMerged::Unreadable {
            line: error.line(),
            message: message.to_string(),
        }
    })
}

fn no_table(what: &str) -> NotMerged {
    NotMerged::NoTable {
        what: what.to_string(),
    }
}

fn property<'a, 'b>(table: &'b ast::Object<'a>, key: &str) -> Option<&'b ast::ObjectProp<'a>> {
    let mut properties = table.properties.iter();
    properties.find(|property| property.name.as_str() == key)
}

/// Returns the property with the key. Refuses a duplicate key: parsers disagree on which of two equal
/// keys is used.
fn once<'a, 'b>(
    table: &'b ast::Object<'a>,
    key: &str,
) -> Result<Option<&'b ast::ObjectProp<'a>>, NotMerged> {
    let same = table.properties.iter();
    match same.filter(|one| one.name.as_str() == key).count() {
        0 | 1 => Ok(property(table, key)),
        _ => Err(NotMerged::Twice {
            what: key.to_string(),
        }),
    }
}

fn range(node: &impl Ranged) -> Range<usize> {
    node.start()..node.end()
}

/// A table or a list in a text, with the ranges of its entries.
struct Container {
    range: Range<usize>,
    entries: Vec<Range<usize>>,
}

impl Container {
    fn of_table(table: &ast::Object<'_>) -> Container {
        Container {
            range: range(table),
            entries: table.properties.iter().map(range).collect(),
        }
    }

    fn of_list(list: &ast::Array<'_>) -> Container {
        Container {
            range: range(list),
            entries: list.elements.iter().map(range).collect(),
        }
    }

    fn inside(&self) -> Range<usize> {
        self.range.start + 1..self.range.end - 1
    }

    /// Returns the text with one more entry at the end.
    fn with_entry(&self, text: &str, key: Option<&str>, value: &Written) -> String {
        let layout = |indent: &str| Layout {
            newline: newline(text),
            indent: indent.to_string(),
            unit: indent_unit(text),
        };
        let rendered = |layout: Option<&Layout>| {
            let value = value.render(layout);
            match key {
                Some(key) => format!("{}: {value}", serde_json::Value::from(key)),
                None => value,
            }
        };
        let Some(last) = self.entries.last() else {
            let inside = &text[self.inside()];
            let kept = inside.trim_end();
            if kept.is_empty() && is_one_line(text) {
                let entry = rendered(None);
                return format!(
                    "{}{entry}{}",
                    &text[..self.inside().start],
                    &text[self.inside().end..]
                );
            }
            let outer = layout(line_indent(text, self.range.start));
            let inner = outer.deeper();
            let line = format!(
                "{}{}{}",
                inner.newline,
                inner.indent,
                rendered(Some(&inner))
            );
            // The comments of an empty table stay in front of its first entry.
            let rest = match inside[kept.len()..].contains('\n') && !kept.is_empty() {
                true => inside[kept.len()..].to_string(),
                false => format!("{}{}", outer.newline, outer.indent),
            };
            let at = self.inside().start + kept.len();
            return format!("{}{line}{rest}{}", &text[..at], &text[self.inside().end..]);
        };
        let comma = comma_in(text, last.end..self.inside().end);
        let (comma, trailing, end) = match comma {
            Some(at) => ("", ",", at + 1),
            None => (",", "", last.end),
        };
        let before = format!("{}{comma}", &text[..end]);
        if self.has_lines(text) {
            let layout = layout(line_indent(text, last.start));
            // A comment after the last entry, on its line, stays there.
            let line_end = end_of_trivia_line(text, end..self.inside().end);
            let entry = rendered(Some(&layout));
            format!(
                "{before}{}{}{}{entry}{trailing}{}",
                &text[end..line_end],
                layout.newline,
                layout.indent,
                &text[line_end..]
            )
        } else {
            format!("{before} {}{trailing}{}", rendered(None), &text[end..])
        }
    }

    /// Returns whether the last entry starts on another line than what precedes it.
    fn has_lines(&self, text: &str) -> bool {
        let Some((last, others)) = self.entries.split_last() else {
            return false;
        };
        let before = others.last().map_or(self.range.start, |before| before.end);
        text[before..last.start].contains('\n')
    }

    /// Returns the text without an entry, its comma and its line.
    fn without_entry(&self, text: &str, index: usize) -> String {
        let entry = &self.entries[index];
        let previous = index.checked_sub(1).map(|index| &self.entries[index]);
        let next = self.entries.get(index + 1);
        let comma = comma_in(
            text,
            entry.end..next.map_or(self.inside().end, |next| next.start),
        );
        let end = comma.map_or(entry.end, |comma| comma + 1);
        let own_line = starts_line(text, entry.start);
        let line_end = text[end..].find(['\n', '\r']).map(|at| end + at);
        let rest = &text[end..self.inside().end.min(line_end.unwrap_or(text.len()))];
        let line = text[..entry.start].trim_end_matches([' ', '\t']);
        let line = line.strip_suffix('\n').unwrap_or(line);
        let line = line.strip_suffix('\r').unwrap_or(line);
        let before = previous.map_or(self.inside().start, |previous| previous.end);
        // The line break before the entry ends a line comment, and no other one follows.
        let needs_break = line_end.is_none_or(|at| at > self.inside().end)
            && before < line.len()
            && ends_in_line_comment(&text[before..line.len()]);
        let cut = match (own_line, next) {
            // A comment follows on the line: it stays, on its own line.
            (true, _) if !rest.trim().is_empty() || needs_break => entry.start..end,
            (true, _) => line.len()..end,
            (false, Some(next)) if text[end..next.start].trim().is_empty() => {
                entry.start..next.start
            }
            (false, Some(_)) => entry.start..end,
            (false, None) => text[..entry.start].trim_end_matches([' ', '\t']).len()..end,
        };
        // The entry before becomes the last one: it keeps its comma only if the removed one had one.
        let unused = match (previous, next, comma) {
            (Some(previous), None, None) => comma_in(text, previous.end..entry.start),
            _ => None,
        };
        let head = match unused {
            Some(unused) => format!(
                "{}{}",
                &text[..unused],
                &text[unused + 1..cut.start.max(unused + 1)]
            ),
            None => text[..cut.start].to_string(),
        };
        let tail = &text[cut.end..];
        if self.entries.len() == 1 {
            let open = self.range.start + 1;
            let left = &head[open..];
            let right = &text[cut.end..self.inside().end];
            if left.trim().is_empty() && right.trim().is_empty() {
                return format!("{}{}", &head[..open], &text[self.inside().end..]);
            }
        }
        format!("{head}{tail}")
    }
}

/// Returns whether a file with entries is written on one line.
fn is_one_line(text: &str) -> bool {
    let text = text.trim();
    !text.contains('\n') && text.len() > "{}".len()
}

/// Returns the position of the comma in a range that contains only whitespace, comments and at most
/// one comma.
fn comma_in(text: &str, within: Range<usize>) -> Option<usize> {
    let mut at = within.start;
    while at < within.end {
        let rest = &text[at..within.end];
        match rest.chars().next()? {
            ',' => return Some(at),
            '/' => at += comment_length(rest),
            other => at += other.len_utf8(),
        }
    }
    None
}

/// Returns the length of the comment with which the text starts.
fn comment_length(text: &str) -> usize {
    let end = match text.starts_with("//") {
        true => text.find(['\n', '\r']),
        false => text
            .get(2..)
            .and_then(|rest| rest.find("*/"))
            .map(|at| at + 4),
    };
    end.unwrap_or(text.len()).max(1)
}

/// Returns whether a text of whitespace, comments and a comma ends in a line comment.
fn ends_in_line_comment(text: &str) -> bool {
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let length = if first == '/' {
            comment_length(rest)
        } else {
            first.len_utf8()
        };
        at += length;
        if rest.starts_with("//") && at == text.len() {
            return true;
        }
    }
    false
}

/// Returns the end of the line in a range if only whitespace and comments follow on it, else the
/// start of the range.
fn end_of_trivia_line(text: &str, within: Range<usize>) -> usize {
    let mut at = within.start;
    while at < within.end {
        let rest = &text[at..within.end];
        match rest.chars().next() {
            Some('\n' | '\r') => {
                return at
                    - (text[within.start..at].len() - text[within.start..at].trim_end().len());
            }
            Some('/') => {
                let length = comment_length(rest);
                if rest[..length].contains('\n') {
                    return within.start;
                }
                at += length;
            }
            Some(other) => at += other.len_utf8(),
            None => break,
        }
    }
    within.start
}

/// Returns the whitespace at the start of the line of an offset.
fn line_indent(text: &str, offset: usize) -> &str {
    let start = text[..offset].rfind('\n').map_or(0, |at| at + 1);
    let line = &text[start..];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// Returns whether only whitespace precedes an offset on its line, which is not the first one.
fn starts_line(text: &str, offset: usize) -> bool {
    let start = text[..offset].rfind('\n');
    start.is_some_and(|start| text[start..offset].trim().is_empty())
}

/// Returns the indentation of one level: that of the first indented line.
fn indent_unit(text: &str) -> String {
    let mut lines = text.lines().map(|line| {
        let bare = line.trim_start_matches([' ', '\t']);
        (&line[..line.len() - bare.len()], bare)
    });
    let first =
        lines.find(|(indent, bare)| !indent.is_empty() && bare.starts_with(['"', '{', '[']));
    first.map_or("  ", |(indent, _)| indent).to_string()
}

/// Returns a text with a table: that of a file, or an empty one at its end.
fn with_table(text: &str) -> Result<String, NotMerged> {
    match parse(text)? {
        Some(Value::Object(_)) => Ok(text.to_string()),
        Some(_) => Err(no_table("the file")),
        None if text.trim().is_empty() => Ok(format!("{{}}{}", newline(text))),
        None if text.ends_with('\n') => Ok(format!("{text}{{}}{}", newline(text))),
        None => Ok(format!("{text}{0}{{}}{0}", newline(text))),
    }
}

/// Calls `get` with the table of the file.
fn in_table<T>(
    text: &str,
    get: impl FnOnce(&ast::Object<'_>) -> Result<T, NotMerged>,
) -> Result<T, NotMerged> {
    match parse(text)? {
        Some(Value::Object(table)) => get(&table),
        _ => Err(no_table("the file")),
    }
}

/// Calls `get` with the table under the keys, if all tables exist.
fn at_table<T>(
    text: &str,
    keys: &[&str],
    get: impl FnOnce(&ast::Object<'_>) -> Result<T, NotMerged>,
) -> Result<Option<T>, NotMerged> {
    in_table(text, |whole| {
        let mut table = whole;
        for key in keys {
            match once(table, key)? {
                Some(found) => table = found.value.as_object().ok_or_else(|| no_table(key))?,
                None => return Ok(None),
            }
        }
        get(table).map(Some)
    })
}

/// Returns the text with an entry of the table under the keys. Creates missing tables.
fn with_property(
    text: &str,
    keys: &[&str],
    key: &str,
    value: &Written,
) -> Result<String, NotMerged> {
    let mut text = text.to_string();
    for (depth, name) in keys.iter().enumerate() {
        let missing = at_table(&text, &keys[..depth], |table| {
            let found = once(table, name)?;
            Ok(found.is_none().then(|| Container::of_table(table)))
        })?;
        if let Some(Some(table)) = missing {
            text = table.with_entry(&text, Some(name), &Written::Table(vec![]));
        }
    }
    let table = at_table(&text, keys, |table| Ok(Container::of_table(table)))?;
    let table = table.ok_or_else(|| no_table(key))?;
    Ok(table.with_entry(&text, Some(key), value))
}

/// Returns the text without an entry of the table under the keys.
fn without_property(text: &str, keys: &[&str], key: &str) -> Result<String, NotMerged> {
    let found = at_table(text, keys, |table| {
        let names = table.properties.iter();
        let index = names
            .map(|one| one.name.as_str())
            .position(|name| name == key);
        Ok(index.map(|index| Container::of_table(table).without_entry(text, index)))
    })?;
    Ok(found.flatten().unwrap_or_else(|| text.to_string()))
}

/// Returns the text without the table or list under the keys if it is empty, also of comments.
fn without_if_empty(text: &str, keys: &[&str]) -> Result<String, NotMerged> {
    let Some((key, outer)) = keys.split_last() else {
        return Ok(text.to_string());
    };
    let inside = at_table(text, outer, |table| {
        Ok(once(table, key)?.map(|found| {
            let inside = match &found.value {
                Value::Object(table) => Container::of_table(table).inside(),
                Value::Array(list) => Container::of_list(list).inside(),
                _ => 0..text.len(),
            };
            // A comment between the key and the value stays, too.
            let gap = &text[range(&found.name).end..found.value.start()];
            if gap.trim() == ":" {
                inside
            } else {
                0..text.len()
            }
        }))
    })?;
    match inside.flatten() {
        Some(inside) if text[inside.clone()].trim().is_empty() => {
            without_property(text, outer, key)
        }
        _ => Ok(text.to_string()),
    }
}

pub(super) fn has_key(text: &str, keys: &[&str]) -> bool {
    let Some((key, outer)) = keys.split_last() else {
        return true;
    };
    let found = at_table(text, outer, |table| Ok(once(table, key)?.is_some()));
    matches!(found, Ok(Some(true)))
}

/// Returns whether the file has no entry and no comment.
pub(super) fn is_empty(text: &str) -> bool {
    match parse(text) {
        Ok(None) => text.trim().is_empty(),
        Ok(Some(Value::Object(table))) => {
            let inside = &text[Container::of_table(&table).inside()];
            inside.trim().is_empty()
        }
        _ => false,
    }
}

fn fields(entry: &ServerEntry) -> Vec<(&'static str, Written)> {
    let arguments = entry.arguments.iter().map(|one| Written::text(one));
    let program = Written::text(&entry.command);
    let mut fields = Vec::new();
    if let Some(kind) = entry.kind {
        fields.push(("type", Written::text(kind)));
    }
    match entry.shape {
        CommandShape::ProgramAndArguments => {
            fields.push(("command", program));
            fields.push(("args", Written::List(arguments.collect())));
        }
        CommandShape::List => {
            let command = [program].into_iter().chain(arguments);
            fields.push(("command", Written::List(command.collect())));
        }
    }
    fields
}

pub(super) fn merge(
    text: &str,
    servers: &str,
    name: &str,
    entry: &ServerEntry,
) -> Result<(String, ConfigChange), NotMerged> {
    let text = with_table(text)?;
    let fields = fields(entry);
    let table = Written::Table(fields.clone());
    // What to do with a server of the name: none, replace it completely, or set its fields.
    let known = at_table(&text, &[servers], |table| {
        Ok(
            once(table, name)?.map(|known| match known.value.as_object() {
                Some(known) if property(known, "command").is_some() => None,
                _ => Some(range(&known.value)),
            }),
        )
    })?;
    match known.flatten() {
        None => {
            let text = with_property(&text, &[servers], name, &table)?;
            Ok((text, ConfigChange::Added))
        }
        Some(Some(value)) => {
            let layout = Layout {
                newline: newline(&text),
                indent: line_indent(&text, value.start).to_string(),
                unit: indent_unit(&text),
            };
            let layout = Some(&layout).filter(|_| !is_one_line(&text));
            let value_text = table.render(layout);
            let text = format!("{}{value_text}{}", &text[..value.start], &text[value.end..]);
            Ok((text, ConfigChange::Replaced))
        }
        Some(None) => set_fields(text, &[servers, name], &fields),
    }
}

/// Sets the fields that differ in the table under the keys.
fn set_fields(
    mut text: String,
    keys: &[&str],
    fields: &[(&'static str, Written)],
) -> Result<(String, ConfigChange), NotMerged> {
    let mut change = ConfigChange::Same;
    for (key, value) in fields {
        let known = at_table(&text, keys, |table| {
            Ok(once(table, key)?.map(|known| (value.equals(&known.value), range(&known.value))))
        })?;
        text = match known.flatten() {
            Some((true, _)) => continue,
            Some((false, known)) => format!(
                "{}{}{}",
                &text[..known.start],
                value.render(None),
                &text[known.end..]
            ),
            None => with_property(&text, keys, key, value)?,
        };
        change = ConfigChange::Replaced;
    }
    Ok((text, change))
}

pub(super) fn read_server(
    text: &str,
    servers: &str,
    name: &str,
) -> Result<Option<Vec<String>>, NotMerged> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    let found = at_table(text, &[servers], |table| {
        let server = once(table, name)?.and_then(|found| found.value.as_object());
        Ok(server.map(|server| {
            let words = |key: &str| match property(server, key).map(|found| &found.value) {
                Some(Value::StringLit(text)) => vec![text.value.to_string()],
                Some(Value::Array(list)) => {
                    let texts = list.elements.iter().filter_map(Value::as_string_lit);
                    texts.map(|text| text.value.to_string()).collect()
                }
                _ => vec![],
            };
            [words("command"), words("args")].concat()
        }))
    })?;
    Ok(found.flatten())
}

pub(super) fn without_server(
    text: &str,
    servers: &str,
    name: &str,
    keeps_table: bool,
) -> Result<String, NotMerged> {
    let text = without_property(text, &[servers], name)?;
    match keeps_table {
        true => Ok(text),
        false => without_if_empty(&text, &[servers]),
    }
}

/// The key of the table of hooks.
const HOOKS: &str = "hooks";

fn hook_fields(hook: &HookEntry) -> Written {
    let handler = Written::Table(vec![
        ("type", Written::text("command")),
        ("command", Written::text(&hook.command)),
        ("timeout", Written::Number(hook.timeout)),
    ]);
    let matcher = hook.matcher.as_deref();
    let matcher = matcher.map(|matcher| ("matcher", Written::text(matcher)));
    let hooks = (HOOKS, Written::List(vec![handler]));
    Written::Table(matcher.into_iter().chain([hooks]).collect())
}

/// A hook of ours in a file.
struct Known {
    /// Its position in the list of the event.
    index: usize,
    /// Its position in its group, if the group has other hooks.
    in_group: Option<usize>,
    entry: HookEntry,
    /// Whether its entry is exactly the wanted one.
    is_wanted: bool,
}

/// Returns the command of a hook.
fn command_of(hook: &Value<'_>) -> Option<String> {
    let found = property(hook.as_object()?, "command")?;
    Some(found.value.as_string_lit()?.value.to_string())
}

/// Returns the hooks of ours in the list of an event.
fn known_hooks(
    list: &ast::Array<'_>,
    event: &str,
    is_ours: &dyn Fn(&str) -> bool,
    wanted: Option<&HookEntry>,
) -> Vec<Known> {
    let entry = |outer: &ast::Object<'_>, hook: &Value<'_>| {
        let text = |table: &ast::Object<'_>, key| {
            let found = property(table, key)?.value.as_string_lit()?;
            Some(found.value.to_string())
        };
        let timeout = hook.as_object().and_then(|hook| {
            let found = property(hook, "timeout")?.value.as_number_lit()?;
            found.value.parse().ok()
        });
        HookEntry {
            event: event.to_string(),
            matcher: text(outer, "matcher"),
            command: command_of(hook).unwrap_or_default(),
            timeout: timeout.unwrap_or_default(),
        }
    };
    let is_wanted =
        |value: &Value<'_>| wanted.is_some_and(|wanted| hook_fields(wanted).equals(value));
    let ours = |hook: &Value<'_>| command_of(hook).is_some_and(|command| is_ours(&command));
    let mut known = Vec::new();
    for (index, element) in list.elements.iter().enumerate() {
        let Some(outer) = element.as_object() else {
            continue;
        };
        let hooks = property(outer, HOOKS).and_then(|found| found.value.as_array());
        let hooks = hooks.map_or(&[][..], |hooks| &hooks.elements);
        for (at, hook) in hooks.iter().enumerate().filter(|(_, hook)| ours(hook)) {
            known.push(Known {
                index,
                in_group: (hooks.len() > 1).then_some(at),
                entry: entry(outer, hook),
                is_wanted: is_wanted(element),
            });
        }
    }
    known
}

/// Calls `get` with the list of an event, if the file has it.
fn at_event<T>(
    text: &str,
    event: &str,
    get: impl FnOnce(&ast::Array<'_>) -> T,
) -> Result<Option<T>, NotMerged> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    let found = at_table(text, &[HOOKS], |table| {
        let Some(found) = once(table, event)? else {
            return Ok(None);
        };
        let list = found.value.as_array().ok_or_else(|| NotMerged::NoList {
            what: event.to_string(),
        })?;
        Ok(Some(get(list)))
    })?;
    Ok(found.flatten())
}

pub(super) fn merge_hooks(
    text: &str,
    events: &[&str],
    hooks: &[HookEntry],
    is_ours: &dyn Fn(&str) -> bool,
) -> Result<(String, ConfigChange), NotMerged> {
    let mut text = with_table(text)?;
    let mut change = ConfigChange::Same;
    for event in events {
        let wanted = hooks.iter().find(|hook| hook.event == *event);
        let known = at_event(&text, event, |list| {
            known_hooks(list, event, is_ours, wanted)
        })?;
        let known = known.unwrap_or_default();
        let is_same = match (wanted, known.as_slice()) {
            (None, []) => true,
            (Some(_), [one]) => one.is_wanted,
            _ => false,
        };
        if is_same {
            continue;
        }
        change = change.max(match known.is_empty() {
            true => ConfigChange::Added,
            false => ConfigChange::Replaced,
        });
        if let (Some(wanted), [one]) = (wanted, known.as_slice())
            && one.in_group.is_none()
        {
            text = replace_element(&text, event, one.index, &hook_fields(wanted))?;
            continue;
        }
        for one in known.iter().rev() {
            text = without_hook(&text, event, one)?;
        }
        match wanted {
            Some(wanted) => text = with_hook(&text, event, &hook_fields(wanted))?,
            None => {
                text = without_if_empty(&text, &[HOOKS, event])?;
                text = without_if_empty(&text, &[HOOKS])?;
            }
        }
    }
    Ok((text, change))
}

fn with_hook(text: &str, event: &str, hook: &Written) -> Result<String, NotMerged> {
    let text = match has_key(text, &[HOOKS, event]) {
        true => text.to_string(),
        false => with_property(text, &[HOOKS], event, &Written::List(vec![]))?,
    };
    let list = at_event(&text, event, Container::of_list)?;
    let list = list.ok_or_else(|| no_table(HOOKS))?;
    Ok(list.with_entry(&text, None, hook))
}

fn replace_element(
    text: &str,
    event: &str,
    index: usize,
    value: &Written,
) -> Result<String, NotMerged> {
    let list = at_event(text, event, Container::of_list)?;
    let Some(known) = list.and_then(|list| list.entries.get(index).cloned()) else {
        return Ok(text.to_string());
    };
    let layout = Layout {
        newline: newline(text),
        indent: line_indent(text, known.start).to_string(),
        unit: indent_unit(text),
    };
    let layout = Some(&layout).filter(|_| text[known.clone()].contains('\n'));
    let value = value.render(layout);
    Ok(format!(
        "{}{value}{}",
        &text[..known.start],
        &text[known.end..]
    ))
}

fn without_hook(text: &str, event: &str, known: &Known) -> Result<String, NotMerged> {
    let removed = at_event(text, event, |list| match known.in_group {
        None => Some(Container::of_list(list).without_entry(text, known.index)),
        Some(at) => {
            let group = list.elements.get(known.index)?.as_object()?;
            let hooks = property(group, HOOKS)?.value.as_array()?;
            Some(Container::of_list(hooks).without_entry(text, at))
        }
    })?;
    Ok(removed.flatten().unwrap_or_else(|| text.to_string()))
}

/// Returns the events of a file.
fn events(text: &str) -> Result<Vec<String>, NotMerged> {
    if text.trim().is_empty() {
        return Ok(vec![]);
    }
    let names = at_table(text, &[HOOKS], |table| {
        let names = table.properties.iter();
        let names = names.filter(|one| one.value.as_array().is_some());
        Ok(names.map(|one| one.name.as_str().to_string()).collect())
    })?;
    Ok(names.unwrap_or_default())
}

pub(super) fn read_hooks(
    text: &str,
    is_ours: &dyn Fn(&str) -> bool,
) -> Result<Vec<HookEntry>, NotMerged> {
    let mut hooks = Vec::new();
    for event in events(text)? {
        let known = at_event(text, &event, |list| {
            known_hooks(list, &event, is_ours, None)
        })?;
        hooks.extend(known.unwrap_or_default().into_iter().map(|one| one.entry));
    }
    Ok(hooks)
}

pub(super) fn without_hooks(
    text: &str,
    is_ours: &dyn Fn(&str) -> bool,
    original: &str,
) -> Result<String, NotMerged> {
    let mut text = text.to_string();
    for event in events(&text)? {
        let known = at_event(&text, &event, |list| {
            known_hooks(list, &event, is_ours, None)
        })?;
        let known = known.unwrap_or_default();
        for one in known.iter().rev() {
            text = without_hook(&text, &event, one)?;
        }
        if !known.is_empty() && !has_key(original, &[HOOKS, &event]) {
            text = without_if_empty(&text, &[HOOKS, &event])?;
        }
    }
    match has_key(original, &[HOOKS]) {
        true => Ok(text),
        false => without_if_empty(&text, &[HOOKS]),
    }
}
