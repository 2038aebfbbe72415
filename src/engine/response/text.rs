//! The answers as text, for people and models.

mod edits;
mod questions;

use std::fmt::Write;

use serde_json::{Value, json};

use super::super::request::LocateArgument;
use super::{
    Answer, CallText, Captured, Counted, LanguageList, LanguageListed, Located, NodeFound,
    NodeLine, NodeRead, NodeTypes, NodesFound, Outlined, PathSummary, Point, Range, RankedSymbol,
    RuleOfMatch, Stats, SymbolListed,
};
use crate::diagnostic::{counted, symbol_text};
use crate::locate::{Scope, SymbolScope};

/// The first line of a ranking.
pub(in crate::engine) const RANKED_HEAD: &str = "references by name:\n";

impl Answer for Located {
    fn text_with(&self, _: CallText<'_>) -> String {
        let mut text = place_text(&self.file_path, self.position.as_ref(), self.range.as_ref());
        let matches = self.matches.unwrap_or(1);
        match self.find_index {
            Some(index) => {
                let _ = write!(text, " (match {index} of {matches})");
            }
            None if matches > 1 => {
                let _ = write!(text, " (the first of {matches} matches)");
            }
            None => {}
        }
        if let Some(near) = &self.near {
            let _ = write!(text, ", similar text matched: {near}");
        }
        text.push('\n');
        if let (Some(_), Some(range)) = (&self.position, &self.range) {
            let _ = writeln!(text, "range: {}", range_text(range));
        }
        match &self.locate {
            Some(LocateArgument(question)) if question.find_index.is_none() => {
                let _ = writeln!(text, "locate: {}", question.locate);
            }
            Some(locate) => {
                let _ = writeln!(text, "locate: {}", json!(locate));
            }
            None if self.matches.is_some() => {}
            None => text.push_str("locate: none, no short text is unique here\n"),
        }
        if let Some(node) = &self.node {
            let _ = writeln!(
                text,
                "node: {} at line {}: {}",
                node.node_type, node.line, node.text
            );
        }
        match &self.selector {
            Some(selector) => {
                let _ = writeln!(text, "selector: {}", json!(selector));
            }
            None => text.push_str("selector: none, an enclosing node may have one\n"),
        }
        if !self.ancestors.is_empty() {
            text.push_str("ancestors, innermost first:\n");
        }
        push_nodes(&mut text, &self.ancestors);
        text
    }
}

impl Answer for Outlined {
    fn text_with(&self, _: CallText<'_>) -> String {
        let mut text = String::new();
        for file in &self.files {
            let _ = writeln!(text, "{}", file.file_path);
            push_symbols(&mut text, &file.symbols, &[], 1);
        }
        if !self.ranked.is_empty() {
            text.push_str(RANKED_HEAD);
        }
        let ranked = self.ranked.iter().map(RankedSymbol::line_text);
        text.extend(self.summary.iter().map(PathSummary::line).chain(ranked));
        if text.is_empty() || self.files.iter().any(|file| file.symbols.is_empty()) {
            let _ = writeln!(
                text,
                "no symbols in {}",
                counted(self.files_looked_at, "file")
            );
        }
        self.push_end(&mut text);
        text
    }
}

impl Outlined {
    /// Appends the lines that follow the symbols.
    pub(in crate::engine) fn push_end(&self, text: &mut String) {
        if let Some((files, symbols)) = self.files_total.zip(self.symbols_total) {
            let partial = if self.totals_are_partial {
                "at least "
            } else {
                ""
            };
            let (files, symbols) = (counted(files, "file"), counted(symbols, "symbol"));
            let _ = writeln!(text, "total: {partial}{files}, {symbols}");
        }
        push_page_end(text, self.cursor.as_deref(), &self.notes);
    }
}

impl PathSummary {
    /// Returns the line that describes it, with its end.
    pub(in crate::engine) fn line(&self) -> String {
        let symbols = counted(self.symbols, "symbol");
        let mut line = match self.path == "." || self.path.ends_with(['/', '*']) {
            true => format!("{}  {}, {symbols}", self.path, counted(self.files, "file")),
            false => format!("{}  {symbols}", self.path),
        };
        if !self.names.is_empty() {
            let _ = write!(line, ": {}", self.names.join(", "));
        }
        line.push('\n');
        line
    }
}

impl RankedSymbol {
    /// Returns the line that describes it, with its end.
    pub(in crate::engine) fn line_text(&self) -> String {
        let question = &self.locate.0;
        let RankedSymbol {
            references,
            kind,
            line,
            ..
        } = self;
        let number = match question.find_index {
            Some(number) => format!(", find_index {number}"),
            None => String::new(),
        };
        let locate = &question.locate;
        format!("{references:>6} {kind} {locate}  (line {line}{number})\n")
    }
}

/// Appends a line for each symbol and its nested symbols. The line contains the symbol's path unless the path consists
/// of `outer` and the name. It also contains the path prefix of the nested symbols if this differs from the symbol's
/// path.
fn push_symbols(text: &mut String, symbols: &[SymbolListed], outer: &[String], depth: usize) {
    for symbol in symbols {
        let SymbolListed {
            line, kind, name, ..
        } = symbol;
        let _ = write!(text, "{:1$}{line} {kind} {name}", "", 2 * depth);
        let path = symbol_path(symbol);
        let by_name = path.is_some_and(|path| {
            let expected = path
                .split_last()
                .map(|(last, above)| (last.as_str(), above));
            expected == Some((name, outer))
        });
        let question = &symbol.locate.0;
        let place = match &question.locate.scope {
            Some(Scope::Symbol(scope)) => scope.to_string(),
            _ => question.locate.to_string(),
        };
        let _ = match question.find_index {
            Some(number) => write!(text, "  [{place}, find_index {number}]"),
            None if !by_name => write!(text, "  [{place}]"),
            None => Ok(()),
        };
        let inner = symbol.symbols.iter().find_map(symbol_path);
        let inner = inner
            .and_then(|path| path.split_last())
            .map(|(_, above)| above);
        if let Some(symbol_path) = inner.filter(|inner| path.is_none_or(|path| path != *inner)) {
            let symbol_path = symbol_path.to_vec();
            let _ = write!(text, "  [nested: {}.*]", SymbolScope { symbol_path });
        }
        text.push('\n');
        push_symbols(text, &symbol.symbols, inner.unwrap_or_default(), depth + 1);
    }
}

fn symbol_path(symbol: &SymbolListed) -> Option<&[String]> {
    match &symbol.locate.0.locate.scope {
        Some(Scope::Symbol(scope)) => Some(&scope.symbol_path),
        _ => None,
    }
}

impl Answer for NodesFound {
    fn text_with(&self, _: CallText<'_>) -> String {
        let mut text = String::new();
        let mut last = None;
        for found in &self.matches {
            if last != Some(&found.file_path) {
                let _ = writeln!(text, "{}", found.file_path);
                last = Some(&found.file_path);
            }
            text.push_str(&found.text());
        }
        if self.matches.is_empty() {
            let _ = writeln!(
                text,
                "nothing found in {}",
                counted(self.files_looked_at, "file")
            );
        }
        if let Some(total) = self.total {
            let _ = writeln!(text, "{} of {total} matches", self.matches.len());
        }
        push_page_end(&mut text, self.cursor.as_deref(), &self.notes);
        text
    }
}

impl NodeFound {
    /// Returns its lines in an answer.
    pub(in crate::engine) fn text(&self) -> String {
        let mut text = String::new();
        let _ = write!(text, "  {} ", self.line);
        if !self.symbol_path.is_empty() {
            let _ = write!(text, "{}: ", symbol_text(&self.symbol_path));
        }
        text.push_str(&self.text);
        let _ = match self.selector.as_ref().map(|selector| json!(selector)) {
            Some(Value::String(selector)) => writeln!(text, "  [{selector}]"),
            Some(selector) => writeln!(text, "  [{selector}]"),
            None => writeln!(text, "  ({})", self.node_type),
        };
        if let Some(RuleOfMatch { id, message }) = &self.rule {
            let message = message.replace('\n', "\n      ");
            let text_of_rule = format!("    rule {id}: {message}");
            let _ = writeln!(text, "{}", text_of_rule.trim_end_matches([':', ' ']));
        }
        let (placeholders, captures): (Vec<_>, Vec<_>) = self
            .captures
            .iter()
            .partition(|captured| captured.name.starts_with('$'));
        // The first capture of a query is the node itself.
        for captured in captures.into_iter().skip(1) {
            let Captured {
                name,
                line,
                text: own,
            } = captured;
            let _ = writeln!(text, "    @{name} {line} {own}");
        }
        for placeholder in placeholders {
            let own = placeholder.text.replace('\n', "\n      ");
            let _ = writeln!(text, "    {} {} {own}", placeholder.name, placeholder.line);
        }
        text
    }
}

/// Returns a text such as ``Located `foo.py` at 42:10``, in the form defined in the design of locators.
fn place_text(file_path: &str, point: Option<&Point>, range: Option<&Range>) -> String {
    match (point, range) {
        (Some(at), _) => format!("Located `{file_path}` at {}:{}", at.line, at.character),
        (None, Some(range)) => format!("Located `{file_path}` from {}", range_text(range)),
        (None, None) => format!("Located `{file_path}`"),
    }
}

fn range_text(Range { start, end }: &Range) -> String {
    format!(
        "{}:{} to {}:{}",
        start.line, start.character, end.line, end.character
    )
}

impl Answer for NodeRead {
    fn text_with(&self, _: CallText<'_>) -> String {
        let node = &self.node;
        let Range { start, end } = &node.range;
        // The end of a text with a line break is the start of a line that is not part of it.
        let last = end.line - usize::from(end.character == 1 && end.line > start.line);
        let mut text = format!(
            "{} at {}:{}-{last}",
            node.node_type, self.file_path, start.line
        );
        if !node.symbol_path.is_empty() {
            let _ = write!(text, " in {}", symbol_text(&node.symbol_path));
        }
        let _ = write!(text, "\n\n{}\n", node.text);
        if node.omitted_bytes > 0 {
            let _ = writeln!(
                text,
                "(shown {} of {} bytes; select a smaller node or lines, or pass max_bytes)",
                node.text.len(),
                node.text.len() + node.omitted_bytes
            );
        }
        if !self.ancestors.is_empty() {
            text.push_str("\nancestors, innermost first:\n");
        }
        push_nodes(&mut text, &self.ancestors);
        push_omitted(&mut text, "  ", self.ancestors_omitted, "more");
        if !self.symbols.is_empty() {
            text.push_str("\nsymbols:\n");
        }
        push_symbols(&mut text, &self.symbols, &[], 1);
        text
    }
}

impl Answer for Stats {
    fn text_with(&self, _: CallText<'_>) -> String {
        let counts = |counts: &[Counted]| {
            let counts = counts.iter();
            let counts = counts.map(|one| format!("{} {}", one.name, one.count));
            counts.collect::<Vec<_>>().join(", ")
        };
        let calls = |calls: usize| match calls {
            0 => "no calls".to_string(),
            calls => counted(calls, "call"),
        };
        let mut text = format!("{}\n", calls(self.calls));
        for tool in &self.tools {
            let millis = |micros: u64| micros as f64 / 1000.0;
            let _ = writeln!(
                text,
                "\n{}: {}, median {:.1} ms, 90th percentile {:.1} ms\n  {}",
                tool.tool,
                calls(tool.calls),
                millis(tool.median_micros),
                millis(tool.ninetieth_micros),
                counts(&tool.outcomes)
            );
        }
        for (what, list) in [("languages", &self.languages), ("refusals", &self.refusals)] {
            if !list.is_empty() {
                let _ = writeln!(text, "\n{what}: {}", counts(list));
            }
        }
        if self.refused_edits > 0 {
            let recovered: usize = self.recovered_within.iter().sum();
            let _ = writeln!(
                text,
                "\n{recovered} of {} refused edits were later previewed through their edit_id",
                self.refused_edits
            );
            let within = self.recovered_within.iter().enumerate();
            for (index, count) in within.filter(|(_, count)| **count > 0) {
                let _ = writeln!(text, "  {count} after {}", calls(index + 1));
            }
        }
        if self.broken_lines > 0 {
            let _ = writeln!(text, "\n{} ledger lines cannot be read", self.broken_lines);
        }
        text
    }
}

impl Answer for LanguageList {
    fn text_with(&self, _: CallText<'_>) -> String {
        let files = |one: &LanguageListed| {
            let endings = one.extensions.iter().map(|ending| format!("*.{ending}"));
            let files: Vec<String> = endings.chain(one.file_names.iter().cloned()).collect();
            let programs = one.interpreters.join(", ");
            match (files.is_empty(), programs.is_empty()) {
                (true, _) => "only embedded in other languages".to_string(),
                (false, true) => files.join(" "),
                (false, false) => format!("{}; #! {programs}", files.join(" ")),
            }
        };
        let mut text = String::new();
        for one in &self.languages {
            let server = one.server.as_deref().unwrap_or("none");
            let files = match one.name == "text" {
                true => "all other files".to_string(),
                false => files(one),
            };
            let _ = writeln!(text, "{}", one.name);
            let _ = writeln!(text, "  files: {files}");
            if one.is_added {
                text.push_str("  added by you\n");
            }
            if !one.other_names.is_empty() {
                let _ = writeln!(text, "  also called: {}", one.other_names.join(", "));
            }
            let _ = writeln!(text, "  language server: {server}");
        }
        text
    }
}

impl Answer for NodeTypes {
    fn text_with(&self, _: CallText<'_>) -> String {
        let lengths = self.node_types.iter().map(|one| one.node_type.len());
        let width = lengths.max().unwrap_or(0);
        let mut text = String::new();
        for one in &self.node_types {
            let example = one.example.as_deref().unwrap_or("");
            let words = match one.general_words.is_empty() {
                true => String::new(),
                false => format!("  ({})", one.general_words.join(", ")),
            };
            let line = format!("{:width$}  {example}{words}", one.node_type);
            let _ = writeln!(text, "{}", line.trim_end());
        }
        text
    }
}

fn push_nodes(text: &mut String, nodes: &[NodeLine]) {
    for node in nodes {
        let _ = writeln!(
            text,
            "  {} at line {}: {}",
            node.node_type, node.line, node.text
        );
    }
}

/// Appends the notes and the cursor of a page.
fn push_page_end(text: &mut String, cursor: Option<&str>, notes: &[String]) {
    push_notes(text, notes);
    if let Some(cursor) = cursor {
        let _ = writeln!(text, "there is more; cursor: {cursor}");
    }
}

fn push_notes(text: &mut String, notes: &[String]) {
    for note in notes {
        let _ = writeln!(text, "note: {note}");
    }
}

/// Appends the number of items that are not listed, if there are any. `what` follows the number.
pub(super) fn push_omitted(text: &mut String, indentation: &str, omitted: usize, what: &str) {
    if omitted > 0 {
        let _ = writeln!(text, "{indentation}(and {omitted} {what})");
    }
}
