//! The texts that an agent reads about its call.

use camino::Utf8Path;
use serde_json::json;
use treegraft::diagnostic::{Diagnostic, about_string_edits, symbol_text};
use treegraft::locate::parse_scope;
use treegraft::parse::Parsed;
use treegraft::select::{Selector, select};
use treegraft::source::Span;
use treegraft::string_edit::{self, Difference, Outcome, StringEdit};

use super::event::{EditCall, FileChange, FileEdit, Protocol};

/// The end of a denial of a call that the client would make.
pub(super) const AGAIN: &str = "If this is intended, send the same call again: it will pass.";
/// The maximum number of bytes of the most similar text.
const SIMILAR: usize = 2_000;
/// The maximum number of places of a string that are listed.
const PLACES: usize = 5;

/// Returns the name of a file in a text: as in the call.
pub(super) fn name(protocol: &dyn Protocol, call: &EditCall, file: &FileEdit) -> String {
    let named = call.input[protocol.fields().path].as_str();
    let path = named.map_or(file.path.as_path(), Utf8Path::new);
    format!("`{path}`")
}

/// Returns the text of a note.
pub(super) fn note(name: &str, note: &str) -> String {
    format!("Note on {name}: {note}.")
}

/// Returns what is wrong with a call, and what to send instead.
pub(super) fn fault(
    protocol: &dyn Protocol,
    call: &EditCall,
    file: &FileEdit,
    before: &Parsed,
    outcome: &Outcome<'_>,
) -> String {
    let name = name(protocol, call, file);
    let old = protocol.fields().old;
    let sent = |edits: &[StringEdit]| {
        let input = protocol.input(call, edits)?;
        Some(format!("{} {input}", call.tool))
    };
    match outcome {
        Outcome::Broken(rejected) => {
            format!("{name}: {}", broken(&about_string_edits(rejected)))
        }
        Outcome::Corrected { edits, differences } => {
            let reason = correction(protocol, &name, differences);
            match sent(edits) {
                Some(call) => format!("{reason} Send this call:\n{call}"),
                None => reason,
            }
        }
        Outcome::Missing(index) => missing(&name, old, before, file, *index),
        Outcome::Several(index, several) => {
            let FileChange::Strings(edits) = &file.change else {
                return String::new();
            };
            let places = several.places.iter().take(PLACES).map(|place| {
                // A later edit is made in a text that the file never has.
                let is_of_file = *index == 0;
                let symbol = is_of_file.then(|| symbol_of(before, place.span)).flatten();
                let line = || before.source().line_of(place.span.start());
                let place_name = match &symbol {
                    Some(symbol) => format!("Line {}, in {symbol}", line()),
                    None if is_of_file => format!("Line {}", line()),
                    None => "One of the places".to_string(),
                };
                let call = place.unique.clone().and_then(|unique| {
                    let mut edits = edits.clone();
                    edits[*index] = unique;
                    sent(&edits)
                });
                let call = call.map_or_else(String::new, |call| format!("\n{call}"));
                let selector =
                    selector(before, file, &edits[*index], place.span, symbol.as_deref());
                format!("{place_name}:{call}{}", selector.unwrap_or_default())
            });
            let places: Vec<String> = places.collect();
            format!(
                "`{old}` occurs {} times in {name}. Send one of these calls:\n\n{}",
                several.total,
                places.join("\n\n")
            )
        }
        _ => String::new(),
    }
}

/// Returns what was corrected.
pub(super) fn correction(
    protocol: &dyn Protocol,
    name: &str,
    differences: &[Difference],
) -> String {
    let old = protocol.fields().old;
    let mut causes: Vec<String> = differences.iter().map(difference).collect();
    causes.dedup();
    format!(
        "`{old}` is not in {name}, but means one place in it: {}.",
        causes.join(", ")
    )
}

fn difference(difference: &Difference) -> String {
    match difference {
        Difference::LineNumbers => "line numbers are not part of the file".to_string(),
        Difference::Quotes => "other quotes or dashes".to_string(),
        Difference::StaleLine(line) => format!("the line `{line}` is not there"),
        _ => "other whitespace".to_string(),
    }
}

/// Returns the texts of the file that are most similar to a missing string.
fn missing(name: &str, old: &str, before: &Parsed, file: &FileEdit, index: usize) -> String {
    let FileChange::Strings(edits) = &file.change else {
        return String::new();
    };
    let source = before.source();
    let similar = string_edit::similar(before, &edits[index].old);
    let lines = |near: &Span| (source.line_of(near.start()), source.line_of(near.end()));
    let place = |near: &Span| match lines(near) {
        (first, last) if first == last => format!("line {first}"),
        (first, last) => format!("lines {first} to {last}"),
    };
    let text = |near: &Span, limit: usize| {
        let (first, last) = lines(near);
        let mut text = String::new();
        for line in (first..=last).filter_map(|line| source.line_span(line)) {
            text.push_str(&source.slice(line));
            text.push('\n');
        }
        if text.len() > limit {
            text.truncate(text.floor_char_boundary(limit));
            text.push_str("...\n");
        }
        text
    };
    match similar.spans.as_slice() {
        [] => format!("`{old}` is not in {name}. treegraft found no similar text."),
        [near] => format!(
            "`{old}` is not in {name}. The most similar text is on {}:\n{}",
            place(near),
            text(near, SIMILAR)
        ),
        several => {
            let same = match similar.has_same_tokens {
                true => "differ from it only in whitespace",
                false => "are equally similar",
            };
            let shown = several.iter().take(PLACES);
            let limit = SIMILAR / several.len().min(PLACES);
            let shown = shown.map(|near| format!("\n{}:\n{}", place(near), text(near, limit)));
            format!(
                "`{old}` is not in {name}, but {} texts {same}:\n{}",
                several.len(),
                shown.collect::<String>()
            )
        }
    }
}

/// Returns the new errors of a language server, at most ten.
pub(super) fn new_errors(lines: &[String]) -> String {
    const SHOWN: usize = 10;
    let first = |line: &String| line.lines().next().unwrap_or_default().to_string();
    let mut shown: Vec<String> = lines.iter().take(SHOWN).map(first).collect();
    if lines.len() > SHOWN {
        shown.pop();
        shown.push(format!("and {} more", lines.len() + 1 - SHOWN));
    }
    format!("New errors after this edit:\n{}", shown.join("\n"))
}

/// Returns the words for a syntax error.
fn broken(diagnostic: &Diagnostic) -> String {
    let mut text = format!("{}.", diagnostic.message);
    for part in [&diagnostic.excerpt, &diagnostic.help_text()]
        .into_iter()
        .flatten()
    {
        text.push_str("\n\n");
        text.push_str(part);
    }
    text
}

/// Returns the path of the symbol around a place.
fn symbol_of(parsed: &Parsed, span: Span) -> Option<String> {
    let path = parsed.symbol_path(&parsed.chain(span));
    (!path.is_empty()).then(|| symbol_text(&path))
}

/// Returns the same place as a call of treegraft, if the string occurs once in its symbol.
fn selector(
    parsed: &Parsed,
    file: &FileEdit,
    edit: &StringEdit,
    span: Span,
    symbol: Option<&str>,
) -> Option<String> {
    let symbol = symbol?;
    let selector = Selector {
        scope: parse_scope(symbol).ok()?,
        ..Selector::part(&edit.old)
    };
    let selection = select(parsed, &selector).ok()?;
    let call = json!({"file_path": file.path.as_str(), "scope": symbol, "find": edit.old, "new_content": edit.new});
    (selection.span() == span).then(|| format!("\nor with treegraft: replace_text {call}"))
}
