//! Renders a [`Diagnostic`] as text, for a terminal and for a model: the same words, without color.

use std::fmt::Write;

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use crate::locate::SymbolScope;
use crate::source::{Source, Span};

use super::{
    CandidateView, Code, Diagnostic, LINE_WIDTH, Mention, NextCall, PlaceView, Suggestion,
    TEXT_BYTES, Trial,
};

/// The maximum length of candidates with surrounding lines, in bytes. Further candidates are shown in short form.
const CANDIDATE_BYTES: usize = 1_500;
/// The maximum length of a text including its places, in bytes. The rest is reserved for the help.
const PLACES_BYTES: usize = 3_500;
/// The maximum number of ancestors of a candidate in short form.
const ANCESTORS_IN_SHORT: usize = 3;
/// The maximum number of characters of a candidate's line in short form.
const LINE_IN_SHORT: usize = 50;

/// Returns the text of a refusal, at most [`TEXT_BYTES`] long. Counts what it omits. `call_text` formats a suggested
/// call for the caller, and `words` what the help mentions.
pub fn render(
    diagnostic: &Diagnostic,
    call_text: &dyn Fn(&NextCall) -> String,
    words: &dyn Fn(Mention<'_>) -> String,
) -> String {
    let mut text = format!(
        "refused: {}\n{}\n",
        diagnostic.code.as_str(),
        diagnostic.message
    );
    if let Some(excerpt) = &diagnostic.excerpt {
        let _ = write!(text, "\n{excerpt}\n");
    }
    let mut room = CANDIDATE_BYTES;
    for (index, candidate) in diagnostic.candidates.iter().enumerate() {
        let whole = whole_candidate(index + 1, candidate);
        room = room.saturating_sub(whole.len());
        text.push_str(&match room {
            0 if index > 0 => short_candidate(index + 1, candidate),
            _ => whole,
        });
    }
    if diagnostic.candidates_omitted > 0 {
        let _ = write!(text, "\n(and {} more)\n", diagnostic.candidates_omitted);
    }
    push_places(&mut text, diagnostic);
    push_suggestions(&mut text, diagnostic, call_text);
    if let Some(help) = diagnostic.help_with(words) {
        let _ = write!(text, "\nhelp: {help}\n");
    }
    if let Some(diff) = &diagnostic.diff {
        let title = match diagnostic.code {
            Code::StaleEdit => {
                let is_fresh = |one: &Suggestion| matches!(one.call, NextCall::Apply(_));
                match diagnostic.suggestions.iter().any(is_fresh) {
                    true => "the same change to the current file",
                    false => "the changes since then",
                }
            }
            Code::ApprovalRequired => "the staged change",
            _ => "the refused change",
        };
        let _ = write!(text, "\n{title}:\n");
        push_lines(&mut text, diff);
    }
    text
}

/// Appends the suggestions that fit, below a heading for each result of trying them, and the number of omitted ones.
fn push_suggestions(
    text: &mut String,
    diagnostic: &Diagnostic,
    call_text: &dyn Fn(&NextCall) -> String,
) {
    let suggestions: &[Suggestion] = &diagnostic.suggestions;
    // A suggestion for one of several refused edits does not fix the call.
    let has_further = !diagnostic.further.is_empty();
    let fixed = diagnostic.edit_index.filter(|_| has_further);
    let mut trial = None;
    for (index, suggestion) in suggestions.iter().enumerate() {
        let mut lines = String::new();
        if trial != Some(suggestion.trial) {
            trial = Some(suggestion.trial);
            let alike = suggestions.iter().filter(|one| trial == Some(one.trial));
            let heading = heading(suggestion.trial, alike.count(), index == 0, fixed);
            let _ = write!(lines, "\nhelp: {heading}:\n");
        }
        let call = call_text(&suggestion.call);
        let _ = write!(lines, "  {call}\n    selects {}\n", suggestion.selects);
        if index > 0 && text.len() + lines.len() > TEXT_BYTES {
            let _ = writeln!(text, "  (and {} more)", suggestions.len() - index);
            break;
        }
        text.push_str(&lines);
    }
}

/// Returns the heading of suggestions with this result. `fixed` is the index of the only edit that they fix, if others are
/// refused too.
fn heading(trial: Trial, count: usize, is_first: bool, fixed: Option<usize>) -> String {
    let places = match (is_first, count) {
        (true, 1) => "a possible place",
        (true, 0 | 2..) => "possible places",
        (false, 1) => "another place",
        (false, 0 | 2..) => "other places",
    };
    match trial {
        Trial::Works => {
            let these = if count == 1 { "this" } else { "each of these" };
            match fixed {
                Some(index) => format!("{these} fixes edits[{index}]"),
                None => format!("{these} works"),
            }
        }
        Trial::NotTried => format!("{places}, not tried"),
        Trial::Refused if is_first => format!("{places}, where the edit is also refused"),
        Trial::Refused => format!("{places}, where the edit is refused"),
    }
}

/// Appends the places that fit, and the number of omitted ones.
fn push_places(text: &mut String, diagnostic: &Diagnostic) {
    let Some(places) = &diagnostic.places else {
        return;
    };
    text.push('\n');
    for (index, place) in places.listed.iter().enumerate() {
        let PlaceView {
            file, line, column, ..
        } = place;
        let mut lines = format!(
            "- {file}:{line}:{column}: `{}` ({})\n",
            place.text, place.reason
        );
        if let Some(question) = &place.locate {
            let locate = question.locate.to_string();
            let _ = match locate.contains('\n') {
                true => write!(lines, "  locate: {}", serde_json::Value::from(locate)),
                false => write!(lines, "  locate: {locate}"),
            };
            if let Some(index) = question.find_index {
                let _ = write!(lines, ", find_index: {index}");
            }
            lines.push('\n');
        }
        if index > 0 && text.len() + lines.len() > PLACES_BYTES {
            let _ = writeln!(text, "(and {} more)", places.total - index);
            return;
        }
        text.push_str(&lines);
    }
    let more = places.total - places.listed.len();
    if more > 0 {
        let _ = writeln!(text, "(and {more} more)");
    }
}

/// Appends the lines that fit, and the number of omitted ones.
fn push_lines(text: &mut String, lines: &str) {
    /// The bytes reserved for the count of omitted lines.
    const COUNT: usize = 40;
    let mut left = lines.split_inclusive('\n');
    while let Some(line) = left.next() {
        if text.len() + line.len() + COUNT > TEXT_BYTES {
            let more = left.count() + 1;
            let _ = writeln!(text, "(and {more} more lines)");
            return;
        }
        text.push_str(line);
    }
}

/// Returns a candidate in short form.
fn short_candidate(number: usize, candidate: &CandidateView) -> String {
    let mut text = header(number, candidate);
    let line = match candidate.text.char_indices().nth(LINE_IN_SHORT) {
        Some((end, _)) => format!("{}...", &candidate.text[..end]),
        None => candidate.text.clone(),
    };
    let _ = write!(text, ": {line}");
    let names = candidate
        .ancestors
        .iter()
        .map(|view| view.node_type.as_str());
    let names: Vec<&str> = names.take(ANCESTORS_IN_SHORT).collect();
    if !names.is_empty() {
        let more = candidate.ancestors.len() + candidate.ancestors_omitted - names.len();
        let _ = write!(text, "\n   in {}", names.join(", "));
        if more > 0 {
            let _ = write!(text, " (and {more} more)");
        }
    }
    text.push('\n');
    text
}

fn header(number: usize, candidate: &CandidateView) -> String {
    let what = candidate.node_type.as_deref().unwrap_or("anchor");
    let mut text = format!("\n{number}. {what} at line {}", candidate.line);
    if !candidate.symbol_path.is_empty() {
        let path = symbol_text(&candidate.symbol_path);
        let _ = write!(text, " in {path}");
    }
    text
}

fn whole_candidate(number: usize, candidate: &CandidateView) -> String {
    let mut text = header(number, candidate);
    let ancestors: Vec<&str> = candidate
        .ancestors
        .iter()
        .map(|view| view.node_type.as_str())
        .collect();
    if !ancestors.is_empty() {
        let _ = write!(text, "\n   available ancestors: {}", ancestors.join(", "));
    }
    if candidate.ancestors_omitted > 0 {
        let _ = write!(text, " (and {} more)", candidate.ancestors_omitted);
    }
    let _ = write!(text, "\n{}\n", candidate.context);
    text
}

/// Returns a symbol path for a text. Names are quoted if one of them starts or ends with the `.` that joins them, as a CSS
/// class does.
pub fn symbol_text(path: &[String]) -> String {
    let joined = path.join(".");
    match joined.contains("..") {
        true => SymbolScope {
            symbol_path: path.to_vec(),
        }
        .to_string(),
        false => joined,
    }
}

/// Returns the numbered lines of `span` with `around` lines of context, and a caret under the span.
pub(super) fn excerpt(source: &Source, span: Span, label: &str, around: usize) -> String {
    let first_line = source.line_of(span.start());
    let last_line = source.line_of(span.end()).min(first_line + 3);
    let from = first_line.saturating_sub(around).max(1);
    let to = (last_line + around).min(source.line_count());
    let mut window = String::new();
    let mut marked: Option<(usize, usize)> = None;
    for number in from..=to {
        let Some(line) = source.line_span(number) else {
            continue;
        };
        let base = window.len();
        let shown = shown_part(source, line, span);
        if number >= first_line && number <= last_line {
            let start = span.start().clamp(shown.start(), shown.end()) - shown.start() + base;
            let end = span.end().clamp(shown.start(), shown.end()) - shown.start() + base;
            marked = Some(match marked {
                Some((first, _)) => (first, end),
                None => (start, end),
            });
        }
        window.push_str(&source.slice(shown));
        window.push('\n');
    }
    let (start, end) = marked.unwrap_or((0, 0));
    let snippet = Snippet::source(window)
        .line_start(from)
        .fold(false)
        .annotation(
            AnnotationKind::Primary
                .span(start..end.max(start))
                .label(label),
        );
    let group = Group::with_level(Level::ERROR).element(snippet);
    Renderer::plain()
        .decor_style(DecorStyle::Ascii)
        .render(&[group])
}

/// Returns the part of a long line to show, which surrounds the start of the span.
fn shown_part(source: &Source, line: Span, span: Span) -> Span {
    if line.len() <= LINE_WIDTH {
        return line;
    }
    let wanted = span.start().clamp(line.start(), line.end());
    let boundary = |mut offset: usize| {
        while !source.is_char_boundary(offset) {
            offset -= 1;
        }
        offset
    };
    let start = boundary(wanted.saturating_sub(LINE_WIDTH / 3).max(line.start()));
    let end = boundary((start + LINE_WIDTH).min(line.end()));
    Span::new(start, end.max(start))
}
