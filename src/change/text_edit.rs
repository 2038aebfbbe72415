//! Disjoint, sorted replacements in the text of one [`Source`]. This module does not depend on
//! trees or files.

use std::collections::VecDeque;

use crate::source::{Digest, Source, Span};

/// An edit of one text: its replacements. Offsets are bytes of the text before the edit.
#[derive(Clone, Debug)]
pub struct TextEdit {
    /// Sorted; no two share a byte.
    replacements: Vec<Replacement>,
    of: Source,
}

impl PartialEq for TextEdit {
    fn eq(&self, other: &TextEdit) -> bool {
        self.replacements == other.replacements && self.of.is_same_text(&other.of)
    }
}

impl Eq for TextEdit {}

/// The replacement of one span by a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replacement {
    /// The replaced bytes.
    pub span: Span,
    /// The text that replaces them.
    pub new_text: String,
}

impl Replacement {
    /// Returns the deletion of the bytes in `span`.
    pub fn deletion(span: Span) -> Replacement {
        Replacement {
            span,
            new_text: String::new(),
        }
    }
}

/// Why replacements do not form a [`TextEdit`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotAnEdit {
    /// Two replacements share the byte at this offset.
    #[error("two replacements overlap at byte {0}")]
    Overlap(usize),
    /// A span ends past the end of the text or inside a character, at this byte offset.
    #[error("byte {0} is not a character boundary of the text")]
    NoBoundary(usize),
}

impl TextEdit {
    /// Creates an edit of `source` from replacements in any order. Those at the same offset keep their order.
    ///
    /// # Errors
    /// Two replacements overlap, or a span is not a span of the text.
    pub fn new(source: &Source, mut replacements: Vec<Replacement>) -> Result<TextEdit, NotAnEdit> {
        replacements.sort_by_key(|one| (one.span.start(), one.span.end()));
        for pair in replacements.windows(2) {
            if pair[0].span.end() > pair[1].span.start() {
                return Err(NotAnEdit::Overlap(pair[1].span.start()));
            }
        }
        for offset in replacements
            .iter()
            .flat_map(|one| [one.span.start(), one.span.end()])
        {
            if !source.is_char_boundary(offset) {
                return Err(NotAnEdit::NoBoundary(offset));
            }
        }
        Ok(TextEdit {
            replacements,
            of: source.clone(),
        })
    }

    /// Returns the replacements, sorted.
    pub fn replacements(&self) -> &[Replacement] {
        &self.replacements
    }

    /// Returns the digest of the text that this edits.
    pub fn text_digest(&self) -> Digest {
        self.of.digest()
    }

    /// Returns the text after the edit.
    ///
    /// # Panics
    /// Panics if `source` is not the text that this edits.
    pub fn apply(&self, source: &Source) -> Source {
        assert!(
            self.of.is_same_text(source),
            "an edit is applied to the text it was made for"
        );
        source.spliced(
            self.replacements
                .iter()
                .map(|one| (one.span, one.new_text.as_str())),
        )
    }

    /// Returns the span from the first replaced byte to the last, in the text before the edit.
    pub fn hull(&self) -> Span {
        match (self.replacements.first(), self.replacements.last()) {
            (Some(first), Some(last)) => Span::new(first.span.start(), last.span.end()),
            _ => Span::at(0),
        }
    }

    /// Maps a byte offset to the text after the edit. An offset inside a replaced span is mapped to the end of the
    /// new text; one at the start of a span stays before the new text.
    pub fn map(&self, offset: usize) -> usize {
        let mut mapped = offset;
        for one in &self.replacements {
            if one.span.start() >= offset {
                break;
            }
            let covered = offset.min(one.span.end()) - one.span.start();
            mapped = mapped - covered + one.new_text.len();
        }
        mapped
    }

    /// Maps the start of unchanged text to the text after the edit: it is after any text inserted there.
    pub(crate) fn map_start(&self, start: usize) -> usize {
        self.map(start + 1).saturating_sub(1)
    }

    /// Maps the span of unchanged text to the text after the edit, without text inserted at its ends.
    pub(crate) fn map_unchanged(&self, span: Span) -> Span {
        let start = self.map_start(span.start());
        Span::new(start, self.map(span.end()).max(start))
    }

    /// Maps a span to the text after the edit. Text inserted at its ends is not included; changes inside it are.
    /// Returns `None` if a replacement crosses one of its ends.
    pub fn map_span(&self, span: Span) -> Option<Span> {
        let (mut start, mut end) = (span.start(), span.end());
        for one in &self.replacements {
            let shift = |offset: usize| offset - one.span.len() + one.new_text.len();
            if one.span.end() <= span.start() {
                (start, end) = (shift(start), shift(end));
            } else if span.contains(one.span) && one.span.start() < span.end() {
                end = shift(end);
            } else if one.span.start() < span.end() {
                return None;
            }
        }
        Some(Span::new(start, end))
    }

    /// Returns both edits as one: this one, followed by `next`, which edits the result of this one.
    pub fn then(&self, next: &TextEdit) -> TextEdit {
        let mut between = self.pieces();
        let mut after = Vec::new();
        let mut read = 0;
        for one in &next.replacements {
            take(&mut between, one.span.start() - read, |piece| {
                after.push(piece)
            });
            take(&mut between, one.span.len(), drop);
            after.push(Piece::New(&one.new_text));
            read = one.span.end();
        }
        after.extend(between);

        let mut replacements = Vec::new();
        let mut new_text = String::new();
        let mut read = 0;
        for piece in after {
            match piece {
                Piece::New(text) => new_text.push_str(text),
                Piece::Kept(span) => {
                    let gap = Span::new(read, span.start());
                    if !gap.is_empty() || !new_text.is_empty() {
                        replacements.push(Replacement {
                            span: gap,
                            new_text: std::mem::take(&mut new_text),
                        });
                    }
                    read = span.end();
                }
            }
        }
        TextEdit {
            replacements,
            of: self.of.clone(),
        }
    }

    /// Returns the text after the edit as pieces. The last piece is unbounded.
    fn pieces(&self) -> VecDeque<Piece<'_>> {
        let mut pieces = VecDeque::new();
        let mut read = 0;
        for one in &self.replacements {
            pieces.push_back(Piece::Kept(Span::new(read, one.span.start())));
            pieces.push_back(Piece::New(&one.new_text));
            read = one.span.end();
        }
        pieces.push_back(Piece::Kept(Span::new(read, usize::MAX)));
        pieces.retain(|piece| piece.len() > 0);
        pieces
    }

    /// Returns the edit from the text after this one back to `before`.
    pub fn reversed(&self, before: &Source) -> TextEdit {
        let pairs = self.new_spans().into_iter().zip(&self.replacements);
        let back = pairs.map(|(span, one)| Replacement {
            span,
            new_text: before.slice(one.span).into_owned(),
        });
        TextEdit {
            replacements: back.collect(),
            of: self.apply(before),
        }
    }

    /// Returns the span from the first changed byte to the last, in the text after the edit.
    pub fn new_hull(&self) -> Span {
        let grown: usize = self.replacements.iter().map(|one| one.new_text.len()).sum();
        let removed: usize = self.replacements.iter().map(|one| one.span.len()).sum();
        let hull = self.hull();
        Span::new(hull.start(), hull.end() - removed + grown)
    }

    /// Returns the span of each new text, in the text after the edit.
    pub fn new_spans(&self) -> Vec<Span> {
        let mut shift: isize = 0;
        let spans = self.replacements.iter().map(|one| {
            let start = one.span.start().saturating_add_signed(shift);
            shift += one.new_text.len() as isize - one.span.len() as isize;
            Span::new(start, start + one.new_text.len())
        });
        spans.collect()
    }

    /// Returns whether the new texts have other numbers of unmatched brackets than the replaced
    /// ones, even in strings and comments.
    pub(crate) fn unbalances_brackets(&self, source: &Source) -> bool {
        let unmatched = |text: &str| {
            let count = |sign: u8| memchr::memchr_iter(sign, text.as_bytes()).count() as isize;
            [(b'(', b')'), (b'[', b']'), (b'{', b'}')]
                .map(|(opening, closing)| count(opening) - count(closing))
        };
        let mut balance = [0; 3];
        for one in &self.replacements {
            let (old, new) = (unmatched(&source.slice(one.span)), unmatched(&one.new_text));
            for (kind, total) in balance.iter_mut().enumerate() {
                *total += new[kind] - old[kind];
            }
        }
        balance != [0; 3]
    }

    /// Returns each replaced span with the length of its new text in bytes.
    pub(crate) fn lengths(&self) -> Vec<(Span, usize)> {
        self.replacements
            .iter()
            .map(|one| (one.span, one.new_text.len()))
            .collect()
    }
}

/// A part of a text after an edit.
#[derive(Clone, Copy)]
enum Piece<'a> {
    /// These bytes of the text before the edit.
    Kept(Span),
    New(&'a str),
}

impl<'a> Piece<'a> {
    fn len(&self) -> usize {
        match self {
            Piece::Kept(span) => span.len(),
            Piece::New(text) => text.len(),
        }
    }

    fn split_at(self, offset: usize) -> (Piece<'a>, Piece<'a>) {
        match self {
            Piece::Kept(span) => {
                let middle = span.start() + offset;
                let front = Span::new(span.start(), middle);
                (
                    Piece::Kept(front),
                    Piece::Kept(Span::new(middle, span.end())),
                )
            }
            Piece::New(text) => {
                let (front, back) = text.split_at(offset);
                (Piece::New(front), Piece::New(back))
            }
        }
    }
}

/// Removes the first `bytes` bytes of a text, and passes each removed piece to `with`.
fn take<'a>(text: &mut VecDeque<Piece<'a>>, bytes: usize, mut with: impl FnMut(Piece<'a>)) {
    let mut wanted = bytes;
    while wanted > 0
        && let Some(piece) = text.pop_front()
    {
        if piece.len() > wanted {
            let (front, back) = piece.split_at(wanted);
            text.push_front(back);
            with(front);
            return;
        }
        wanted -= piece.len();
        with(piece);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language;
    use proptest::prelude::*;

    fn source(text: &str) -> Source {
        Source::new("a.txt", language::plain_text(), text.to_string())
    }

    #[test]
    fn unmatched_brackets_are_counted_over_all_replacements() {
        let of = source("f(a) { b }");
        let replacement = |start, end, new_text: &str| Replacement {
            span: Span::new(start, end),
            new_text: new_text.to_string(),
        };
        let check = |replacements: &[Replacement], expected| {
            let edit = TextEdit::new(&of, replacements.to_vec()).expect("they are disjoint");
            assert_eq!(edit.unbalances_brackets(&of), expected, "{replacements:?}");
        };
        check(&[replacement(2, 3, "c")], false);
        check(&[replacement(2, 3, "g(c)[0]")], false);
        check(&[replacement(2, 3, "c)")], true);
        check(&[replacement(3, 4, "]")], true);
        check(&[replacement(3, 6, ") else {")], false);
        check(&[replacement(2, 2, "("), replacement(3, 3, ")")], false);
    }

    /// Returns an edit from pairs of offsets, each with the text that replaces the bytes between them.
    fn some_edit(of: &Source, cuts: &[(usize, usize, String)]) -> TextEdit {
        let mut replacements: Vec<Replacement> = Vec::new();
        for (one, other, new_text) in cuts {
            let (one, other) = (one % (of.len() + 1), other % (of.len() + 1));
            let span = Span::new(one.min(other), one.max(other));
            let is_free = |known: &Replacement| {
                known.span.end() < span.start() || span.end() < known.span.start()
            };
            if replacements.iter().all(is_free) {
                let new_text = new_text.clone();
                replacements.push(Replacement { span, new_text });
            }
        }
        TextEdit::new(of, replacements).expect("they are disjoint")
    }

    fn cuts() -> impl Strategy<Value = Vec<(usize, usize, String)>> {
        proptest::collection::vec((0..40usize, 0..40usize, "[a-z]{0,3}"), 0..6)
    }

    proptest! {
        #[test]
        fn two_edits_as_one_have_the_same_result(
            text in "[A-Z]{0,30}", first in cuts(), second in cuts(),
        ) {
            let before = source(&text);
            let first = some_edit(&before, &first);
            let between = first.apply(&before);
            let second = some_edit(&between, &second);
            let both = first.then(&second);
            let (at_once, in_turn) = (both.apply(&before), second.apply(&between));
            prop_assert_eq!(at_once.text(), in_turn.text());
            TextEdit::new(&before, both.replacements().to_vec()).expect("it is an edit");
        }

        #[test]
        fn the_inverse_restores_the_text(text in "[A-Z]{0,30}", edit in cuts()) {
            let before = source(&text);
            let edit = some_edit(&before, &edit);
            let after = edit.apply(&before);
            let back = edit.reversed(&before).apply(&after);
            prop_assert_eq!(back.text(), before.text());
        }

        #[test]
        fn a_mapped_span_holds_what_it_held_with_what_changed_inside(
            text in "[A-Z]{1,30}", edit in cuts(), at in 0..30usize, len in 1..10usize,
        ) {
            let before = source(&text);
            let edit = some_edit(&before, &edit);
            let start = at % before.len();
            let span = Span::new(start, (start + len).min(before.len()));
            let after = edit.apply(&before);
            let Some(mapped) = edit.map_span(span) else { return Ok(()) };
            // The expected result: the same edit applied to the text of the span alone.
            let inside = edit.replacements().iter().filter(|one| {
                span.contains(one.span) && (!one.span.is_empty()
                    || (span.start() < one.span.start() && one.span.start() < span.end()))
            });
            let mut expected = before.slice(span).into_owned();
            for one in inside.collect::<Vec<_>>().into_iter().rev() {
                let range = one.span.start() - span.start()..one.span.end() - span.start();
                expected.replace_range(range, &one.new_text);
            }
            prop_assert_eq!(after.slice(mapped).into_owned(), expected);
        }
    }
}
