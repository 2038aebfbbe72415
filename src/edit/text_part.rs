//! A part of a text that need not be a node, and its lines.

use crate::locate::TextRange;
use crate::parse::Parsed;
use crate::source::Span;

use super::spacing::Lines;

/// A part of a text, and its lines.
pub(super) struct TextPart<'a> {
    pub(super) parsed: &'a Parsed,
    pub(super) lines: Lines<'a>,
    pub(super) span: Span,
    pub(super) with_blanks: Span,
    /// Whether two markers bound the part, so that exactly its bytes are replaced.
    pub(super) is_marked: bool,
    pub(super) starts_line: bool,
    pub(super) ends_line: bool,
}

impl<'a> TextPart<'a> {
    pub(super) fn new(parsed: &'a Parsed, margin: &'a str, range: TextRange) -> TextPart<'a> {
        let lines = Lines {
            source: parsed.source(),
            margin,
        };
        TextPart {
            parsed,
            lines,
            span: range.span,
            with_blanks: range.with_blanks,
            is_marked: range.is_marked,
            starts_line: lines.starts_line(range.span.start()),
            ends_line: lines.ends_line(range.span.end()),
        }
    }

    pub(super) fn line_start(&self) -> usize {
        self.lines.line_start(self.span.start())
    }

    /// Returns the indentation of the line.
    pub(super) fn indentation(&self) -> String {
        let source = self.lines.source;
        source.indentation_at(self.span.start())
    }

    pub(super) fn slice(&self, start: usize, end: usize) -> String {
        self.lines.source.slice(Span::new(start, end)).into_owned()
    }
}
