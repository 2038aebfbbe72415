//! Resolves the name that a request is about, from a locator or from a line and a name.
//!
//! Resolves a [`NamedPlace`] to the file, the byte offset of the name, and the name, or refuses it.

use std::sync::Arc;

use serde_json::Value;

use camino::Utf8Path;

use crate::diagnostic::{self, Trial};
use crate::engine::core::Engine;
use crate::engine::places::{at_point, offset_of};
use crate::engine::request::coordinates::LineAndCharacter;
use crate::engine::request::questions::NamedPlace;
use crate::engine::response::PendingRefusal;
use crate::locate::{self, is_word};
use crate::lsp::convert;
use crate::lsp::language_server::LanguageServer;
use crate::parse::Parsed;
use crate::source::{Source, Span};
use crate::workspace::WorkspacePath;

/// A name in a file that a request is about.
#[derive(Clone)]
pub(super) struct Asked {
    pub(super) path: WorkspacePath,
    pub(super) parsed: Arc<Parsed>,
    pub(super) offset: usize,
    pub(super) symbol: String,
}

impl NamedPlace {
    /// Returns the place with `path` as its file.
    pub(super) fn in_file(mut self, path: &Utf8Path) -> NamedPlace {
        match &mut self.locate {
            Some(locate) => locate.0.locate.file_path = path.to_string(),
            None => self.file = Some(path.to_string()),
        }
        self
    }
}

impl Asked {
    /// Returns the parameters of a request about the name.
    pub(super) fn params(&self, server: &LanguageServer) -> Value {
        let encoding = server.client().encoding();
        convert::position_params(
            self.path.absolute(),
            self.parsed.source(),
            self.offset,
            encoding,
        )
    }
}

impl Engine {
    /// Resolves the place of a request, and the name at this place.
    pub(super) fn asked(&self, place: &NamedPlace) -> Result<Asked, PendingRefusal> {
        match place {
            NamedPlace {
                locate: Some(question),
                file: None,
                line: None,
                column: None,
                symbol: None,
            } => {
                let question = &question.0;
                let resolves = |parsed: &Parsed| {
                    locate::answer(parsed, question)
                        .is_ok()
                        .then_some(Trial::Works)
                };
                let (path, parsed) = self.parsed_or_near(&question.locate.file_path, resolves)?;
                let place = locate::answer(&parsed, question)
                    .map_err(|error| diagnostic::about_locate(&parsed, question, &error))?;
                let has_marker = place.point != place.span.start();
                let offset = match has_marker {
                    true => place.point,
                    false => first_name(&parsed, place.point, place.span),
                };
                let symbol = name_in(&parsed, offset);
                Ok(Asked {
                    path,
                    parsed,
                    offset,
                    symbol,
                })
            }
            NamedPlace {
                locate: None,
                file: Some(file),
                line: Some(line),
                column,
                symbol,
            } => {
                let at = LineAndCharacter {
                    line: *line,
                    character: *column,
                };
                let has_place = |parsed: &Parsed| {
                    offset_of(parsed.source(), at)
                        .is_ok()
                        .then_some(Trial::Works)
                };
                let (path, parsed) = self.parsed_or_near(file, has_place)?;
                let source = parsed.source();
                let near = offset_of(source, at)?;
                let offset = match symbol {
                    None => near,
                    Some(symbol) => nearest_name(source, *line, near, symbol).ok_or_else(|| {
                        let text = source.line_span(*line).map(|own| source.slice(own));
                        let text = text.unwrap_or_default();
                        let holds = |line: &usize| nearest_name(source, *line, 0, symbol).is_some();
                        let lines: Vec<usize> = (1..=source.line_count()).filter(holds).collect();
                        diagnostic::about_no_name(symbol, *line, &text, &lines)
                    })?,
                };
                let symbol = symbol.clone().unwrap_or_else(|| name_in(&parsed, offset));
                Ok(Asked {
                    path,
                    parsed: parsed.clone(),
                    offset,
                    symbol,
                })
            }
            _ => {
                let message =
                    "pass only locate, or file and line with an optional column and symbol";
                Err(diagnostic::about_arguments(message).into())
            }
        }
    }
}

/// Returns the name that contains or follows a byte offset, or the character at the offset if there is no name.
pub(super) fn name_at(source: &Source, offset: usize) -> String {
    let text = source.text();
    let start = text[..offset]
        .char_indices()
        .rev()
        .take_while(|(_, c)| is_word(*c))
        .last()
        .map_or(offset, |(start, _)| start);
    let name: String = text[start..].chars().take_while(|c| is_word(*c)).collect();
    match name.is_empty() {
        true => text[offset..].chars().take(1).collect(),
        false => name,
    }
}

/// Returns the offset of the first name in a match, such as `run` in `fn run(`.
fn first_name(parsed: &Parsed, point: usize, span: Span) -> usize {
    let text = parsed.source().text();
    let mut offset = point;
    while offset < span.end() {
        let is_start = text[offset..].chars().next().is_some_and(is_word)
            && !text[..offset].chars().next_back().is_some_and(is_word);
        if is_start {
            let chain = parsed.chain(at_point(parsed.source(), offset));
            // A keyword is not a named node.
            let name = name_at(parsed.source(), offset);
            let own = Span::new(offset, offset + name.len());
            if chain.last().is_some_and(|node| node.span() == own) {
                return offset;
            }
        }
        offset += text[offset..].chars().next().map_or(1, char::len_utf8);
    }
    point
}

/// Returns the occurrence of a name on a line that is nearest to a byte offset.
fn nearest_name(source: &Source, line: usize, near: usize, name: &str) -> Option<usize> {
    let found = names_within(source, source.line_span(line)?, name).into_iter();
    found.min_by_key(|at| at.abs_diff(near))
}

/// Returns the offsets of a text in a part of the source. A name only matches as a whole word.
pub(super) fn names_within(source: &Source, part: Span, name: &str) -> Vec<usize> {
    let text = source.slice(part);
    let joins = |c: Option<char>| c.is_some_and(is_word);
    let is_name = name.chars().all(is_word);
    let is_whole = |at: &usize| {
        let (before, after) = (&text[..*at], &text[at + name.len()..]);
        !is_name || !joins(before.chars().next_back()) && !joins(after.chars().next())
    };
    let found = text.match_indices(name).map(|(at, _)| at);
    let found = found.filter(|at| !name.is_empty() && is_whole(at));
    found.map(|at| part.start() + at).collect()
}

/// Returns the name at a byte offset. It may include `-` and `#` if it is a node (`--accent`, `r#type`).
fn name_in(parsed: &Parsed, offset: usize) -> String {
    let source = parsed.source();
    let chain = parsed.chain(at_point(source, offset));
    let own = chain.last().map(|node| source.slice(node.span()));
    let is_name = |text: &str| {
        let mut letters = text.chars();
        letters.all(|c| is_word(c) || matches!(c, '-' | '#')) && text.chars().any(is_word)
    };
    match own {
        Some(text) if is_name(&text) => text.into_owned(),
        _ => name_at(source, offset),
    }
}
