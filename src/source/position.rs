//! Lines and columns for people and protocols. All conversions from and to bytes are here.
//!
//! A line ends at `\n`, `\r\n` or `\r` and at nothing else. The text after a final line ending is one more, empty line.
//! A byte order mark shifts no column (docs/design/locate.md#text-model).

use super::{BOM, Source, Span};

/// A position for people: both numbers start at 1, and a character is one Unicode scalar value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// The line, from 1.
    pub line: usize,
    /// The character in the line, from 1. One past the last character is the line's end.
    pub character: usize,
}

/// The unit of columns in a protocol (LSP 3.17, `PositionEncodingKind`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// Bytes.
    Utf8,
    /// UTF-16 code units, the default of servers that state no unit.
    Utf16,
    /// Unicode scalar values.
    Utf32,
}

/// A position in a protocol: both numbers start at 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EncodedPosition {
    /// The line, from 0.
    pub line: u32,
    /// The column in the line, from 0, in the units of an [`Encoding`].
    pub column: u32,
}

impl Encoding {
    /// Returns the number of units in a character.
    fn width(self, character: char) -> usize {
        match self {
            Encoding::Utf8 => character.len_utf8(),
            Encoding::Utf16 => character.len_utf16(),
            Encoding::Utf32 => 1,
        }
    }
}

impl Source {
    /// Returns the number of lines; at least one.
    pub fn line_count(&self) -> usize {
        self.rope.len_lines()
    }

    /// Returns the line (from 1) that contains byte `offset`.
    pub fn line_of(&self, offset: usize) -> usize {
        self.rope.byte_to_line(offset.min(self.len())) + 1
    }

    /// Returns the line and character of byte `offset`. An offset inside a character counts as its start.
    pub fn position(&self, offset: usize) -> Position {
        let before = self.before_in_line(offset);
        Position {
            line: self.line_of(offset),
            character: before.chars().count() + 1,
        }
    }

    /// Returns the column of byte `offset` in UTF-16 code units, from 1.
    pub fn utf16_character(&self, offset: usize) -> usize {
        let before = self.before_in_line(offset);
        before.chars().map(char::len_utf16).sum::<usize>() + 1
    }

    /// Returns the line and column of byte `offset` for a protocol with `encoding`. An offset inside a character
    /// counts as its start, one inside a line ending as the line's end.
    pub fn encoded_position(&self, offset: usize, encoding: Encoding) -> EncodedPosition {
        let line = self.line_of(offset);
        let end = self.line_span(line).map_or(offset, Span::end);
        let before = self.before_in_line(offset.min(end));
        let column: usize = before.chars().map(|c| encoding.width(c)).sum();
        EncodedPosition {
            line: u32::try_from(line - 1).unwrap_or(u32::MAX),
            column: u32::try_from(column).unwrap_or(u32::MAX),
        }
    }

    /// Returns the byte offset of a protocol's position.
    ///
    /// A column past the line's end is that end (LSP 3.17, `Position`), a line past the last one is the end of the
    /// text, and a column inside a character is its start.
    pub fn encoded_offset(&self, position: EncodedPosition, encoding: Encoding) -> usize {
        let Some(line) = self.line_span(position.line as usize + 1) else {
            return self.len();
        };
        let mut left = position.column as usize;
        for (offset, character) in self.slice(line).char_indices() {
            let width = encoding.width(character);
            if left < width {
                return line.start() + offset;
            }
            left -= width;
        }
        line.end()
    }

    /// Returns the byte offset of a line and character, or `None` if the text has no such position.
    pub fn offset(&self, position: Position) -> Option<usize> {
        let line = self.line_span(position.line)?;
        let text = self.slice(line);
        let wanted = position.character.checked_sub(1)?;
        let mut characters = text.char_indices().map(|(offset, _)| offset);
        match characters.nth(wanted) {
            Some(offset) => Some(line.start() + offset),
            None if text.chars().count() == wanted => Some(line.end()),
            None => None,
        }
    }

    /// Returns the byte span of a line (from 1) without its line ending and without a byte order mark.
    pub fn line_span(&self, line: usize) -> Option<Span> {
        Some(self.without_line_ending(self.full_line_span(line)?))
    }

    /// Returns the byte span of each line as [`Source::line_span`] does. The cost of a line does not grow with the text.
    pub(crate) fn line_spans(&self) -> impl Iterator<Item = Span> {
        let mut end = 0;
        self.rope.lines().map(move |line| {
            let start = end.max(self.whole().start());
            end += line.len_bytes();
            self.without_line_ending(Span::new(start, end.max(start)))
        })
    }

    fn without_line_ending(&self, line: Span) -> Span {
        let text = self.slice(line);
        let body = text
            .strip_suffix("\r\n")
            .or_else(|| text.strip_suffix(['\n', '\r']))
            .unwrap_or(&text);
        Span::new(line.start(), line.start() + body.len())
    }

    /// Returns the byte span of a line (from 1) with its line ending, without a byte order mark.
    pub fn full_line_span(&self, line: usize) -> Option<Span> {
        let index = line.checked_sub(1)?;
        if index >= self.line_count() {
            return None;
        }
        let start = self.rope.line_to_byte(index).max(self.whole().start());
        Some(Span::new(
            start,
            self.rope.line_to_byte(index + 1).max(start),
        ))
    }

    /// Returns the whitespace at the start of the line that contains byte `offset`.
    pub fn indentation_at(&self, offset: usize) -> String {
        let line = self
            .line_span(self.line_of(offset))
            .expect("an offset of the text lies in one of its lines");
        let text = self.slice(line);
        let blank = text.len() - text.trim_start_matches([' ', '\t']).len();
        text[..blank].to_string()
    }

    /// Returns the number of `\n` before byte `offset`, and the number of bytes between the last of them and
    /// `offset`: tree-sitter's point.
    pub(crate) fn newline_point(&self, offset: usize) -> (usize, usize) {
        if self.may_hold_returns {
            return self.newline_extent(Span::new(0, offset));
        }
        let line = self.rope.byte_to_line(offset);
        (line, offset - self.rope.line_to_byte(line))
    }

    /// Returns the number of `\n` in a span, and the number of bytes between the last of them (or the start of the
    /// span) and its end.
    pub(crate) fn newline_extent(&self, span: Span) -> (usize, usize) {
        let mut rows = 0;
        // The last chunk that contains a newline, and its start in the span.
        let mut last = None;
        let mut passed = 0;
        for chunk in self.rope.byte_slice(span.range()).chunks() {
            let newlines = memchr::memchr_iter(b'\n', chunk.as_bytes()).count();
            if newlines > 0 {
                last = Some((passed, chunk));
            }
            rows += newlines;
            passed += chunk.len();
        }
        let line_start = last.and_then(|(start, chunk)| {
            memchr::memrchr(b'\n', chunk.as_bytes()).map(|newline| start + newline + 1)
        });
        (rows, span.len() - line_start.unwrap_or(0))
    }

    fn before_in_line(&self, offset: usize) -> String {
        let offset = offset.min(self.len());
        let start = self.rope.line_to_byte(self.rope.byte_to_line(offset));
        let mut end = offset;
        while !self.is_char_boundary(end) {
            end -= 1;
        }
        let text = self.slice(Span::new(start, end));
        text.trim_start_matches(BOM).to_string()
    }

    /// Returns whether byte `offset` is at the start of a character or at the end of the text.
    pub(crate) fn is_char_boundary(&self, offset: usize) -> bool {
        match self.chunk_from(offset).first() {
            Some(byte) => (*byte as i8) >= -0x40,
            None => offset == self.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language;

    fn source(text: &str) -> Source {
        Source::new("a.txt", language::plain_text(), text.to_string())
    }

    #[test]
    fn only_three_line_endings_count() {
        let source = source("a\u{2028}b\u{b}c\u{c}d\u{85}e\rf\r\ng\nh");
        assert_eq!(source.line_count(), 4);
        assert_eq!(
            source.position(source.len()),
            Position {
                line: 4,
                character: 2
            }
        );
    }

    #[test]
    fn the_point_of_an_offset_is_what_the_newlines_before_it_make() {
        let long = "line of some length\r\nanother\n".repeat(200);
        let unix = long.replace('\r', "");
        let texts = [
            "", "a", "a\r\nb\n", "a\rb\nc", "a\n\r", "\r\r\n\n", &long, &unix,
        ];
        for text in texts {
            let source = source(text);
            for offset in 0..=text.len() {
                let counted = source.newline_extent(Span::new(0, offset));
                assert_eq!(
                    source.newline_point(offset),
                    counted,
                    "{offset} of {text:?}"
                );
            }
        }
    }

    #[test]
    fn text_after_a_final_newline_is_an_empty_line() {
        let source = source("a\n");
        assert_eq!(source.line_count(), 2);
        assert_eq!(source.line_span(2), Some(Span::at(2)));
        assert_eq!(source.line_span(3), None);
    }

    #[test]
    fn all_lines_are_those_with_a_number() {
        for text in [
            "",
            "\u{feff}",
            "\u{feff}a\r\nb\n",
            "a\rb\nc",
            "a\n\r",
            "\r\r\n\n",
        ] {
            let long = text.to_string() + &"line of some length\r\nanother\n".repeat(200);
            for source in [source(text), source(&long)] {
                let numbered = (1..).map_while(|number| source.line_span(number));
                assert!(source.line_spans().eq(numbered), "{text:?}");
            }
        }
    }

    #[test]
    fn columns_are_code_points_and_utf16_units_after_wide_characters() {
        let source = source("s = \"😀é e\u{301}\"; t");
        let offset = source.text().find('t').expect("the text holds a t");
        assert_eq!(
            source.position(offset),
            Position {
                line: 1,
                character: 14
            }
        );
        assert_eq!(source.utf16_character(offset), 15);
        assert_eq!(source.offset(source.position(offset)), Some(offset));
    }

    #[test]
    fn columns_of_protocols_go_both_ways() {
        let source = source("\u{feff}a😀é\r\n\n😀b\rc");
        for (line, character, utf8, utf16, utf32) in [
            (1, 1, 0, 0, 0),
            (1, 2, 1, 1, 1),
            (1, 3, 5, 3, 2),
            (1, 4, 7, 4, 3),
            (2, 1, 0, 0, 0),
            (3, 2, 4, 2, 1),
            (3, 3, 5, 3, 2),
            (4, 2, 1, 1, 1),
        ] {
            let place = Position { line, character };
            let offset = source.offset(place).expect("the text has that place");
            for (encoding, column) in [
                (Encoding::Utf8, utf8),
                (Encoding::Utf16, utf16),
                (Encoding::Utf32, utf32),
            ] {
                let line = line as u32 - 1;
                let encoded = EncodedPosition { line, column };
                assert_eq!(source.encoded_position(offset, encoding), encoded);
                assert_eq!(source.encoded_offset(encoded, encoding), offset);
            }
        }
    }

    #[test]
    fn places_of_protocols_that_are_not_there_are_the_nearest_before() {
        let source = source("a😀\r\nb");
        let offset = |line, column, encoding| {
            source.encoded_offset(EncodedPosition { line, column }, encoding)
        };
        // Past the end of the line, past the end of the text, and inside a character.
        assert_eq!(offset(0, 99, Encoding::Utf16), 5);
        assert_eq!(offset(7, 0, Encoding::Utf16), 8);
        assert_eq!(offset(0, 2, Encoding::Utf16), 1);
        assert_eq!(offset(0, 3, Encoding::Utf8), 1);
        // Between the two characters of a line ending.
        let end = EncodedPosition { line: 0, column: 3 };
        assert_eq!(source.encoded_position(6, Encoding::Utf16), end);
    }

    #[test]
    fn a_byte_order_mark_shifts_no_column() {
        let source = source("\u{feff}ab");
        assert_eq!(
            source.position(3),
            Position {
                line: 1,
                character: 1
            }
        );
        assert_eq!(
            source.offset(Position {
                line: 1,
                character: 2
            }),
            Some(4)
        );
        assert_eq!(source.whole(), Span::new(3, 5));
    }

    #[test]
    fn an_offset_inside_a_character_counts_as_its_start() {
        let source = source("aé");
        assert_eq!(source.position(2), source.position(1));
    }

    #[test]
    fn the_parser_counts_newlines_alone_also_across_chunks() {
        let text = "ab\r\nc\rd\n".repeat(1000) + "é";
        let source = source(&text);
        assert_eq!(source.newline_point(0), (0, 0));
        assert_eq!(source.newline_point(9), (2, 1));
        assert_eq!(source.newline_point(text.len()), (2000, 2));
        for (start, end) in [(0, 1), (1, 4), (2, 3), (700, 6011), (5, 5), (3999, 4001)] {
            let part = &text[start..end];
            let columns = part.rsplit('\n').next().map_or(0, str::len);
            let expected = (part.matches('\n').count(), columns);
            assert_eq!(source.newline_extent(Span::new(start, end)), expected);
        }
    }
}
