//! One file's text at one moment: comes in as bytes or text, goes out as a [`Source`].
//!
//! Refuses bytes that are not UTF-8 text ([`NotText`]). The text is never changed on
//! the way in: line endings, a byte order mark and a missing final newline stay.

mod digest;
mod position;
pub(crate) mod signs;
mod span;

use std::sync::{Arc, OnceLock};

use ropey::Rope;

use crate::language::Language;

pub use digest::Digest;
pub use position::{EncodedPosition, Encoding, Position};
pub use span::Span;

/// The byte order mark; not part of the text (locate spec, section 1), but kept.
pub(crate) const BOM: char = '\u{feff}';

/// The text of one file at one moment, with its path and language.
///
/// Cheap to clone. All offsets into it are bytes ([`Span`]); people's coordinates come
/// from [`Source::position`].
#[derive(Clone, Debug)]
pub struct Source {
    path: Arc<str>,
    language: &'static Language,
    rope: Rope,
    /// Whether carriage returns may be in it: where there is none, the lines of the rope are those that
    /// end at `\n`.
    may_hold_returns: bool,
    /// The same text in one piece, made when first asked for: searching wants it,
    /// splicing and writing do not.
    text: Arc<OnceLock<String>>,
    digest: Arc<OnceLock<Digest>>,
}

/// Why bytes are not the text of a [`Source`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotText {
    /// A zero byte: the file is binary.
    #[error("byte {offset} is zero: the file is binary")]
    Binary {
        /// Offset of the first zero byte.
        offset: usize,
    },
    /// A byte sequence that is not UTF-8.
    #[error("byte {offset} is not UTF-8")]
    NotUtf8 {
        /// Offset of the first byte that does not belong to a character.
        offset: usize,
    },
}

impl Source {
    /// Takes text as it is. `path` is how the file is named in answers.
    pub fn new(path: &str, language: &'static Language, text: String) -> Source {
        let rope = Rope::from_str(&text);
        let may_hold_returns = memchr::memchr(b'\r', text.as_bytes()).is_some();
        let held = OnceLock::new();
        held.set(text).expect("a new cell is empty");
        Source {
            path: path.into(),
            language,
            rope,
            may_hold_returns,
            text: Arc::new(held),
            digest: Arc::default(),
        }
    }

    /// Takes bytes that must be UTF-8 without a zero byte.
    pub fn from_bytes(
        path: &str,
        language: &'static Language,
        bytes: Vec<u8>,
    ) -> Result<Source, NotText> {
        if let Some(offset) = memchr::memchr(0, &bytes) {
            return Err(NotText::Binary { offset });
        }
        match String::from_utf8(bytes) {
            Ok(text) => Ok(Source::new(path, language, text)),
            Err(error) => Err(NotText::NotUtf8 {
                offset: error.utf8_error().valid_up_to(),
            }),
        }
    }

    /// The text with `replacements` (span and new text; sorted, disjoint) carried out.
    ///
    /// Costs as much as the replacements, not as the file.
    pub(crate) fn spliced<'a>(
        &self,
        replacements: impl DoubleEndedIterator<Item = (Span, &'a str)>,
    ) -> Source {
        let mut rope = self.rope.clone();
        let mut may_hold_returns = self.may_hold_returns;
        for (span, new_text) in replacements.rev() {
            let start = rope.byte_to_char(span.start());
            let end = rope.byte_to_char(span.end());
            rope.remove(start..end);
            rope.insert(start, new_text);
            may_hold_returns |= new_text.contains('\r');
        }
        Source {
            path: self.path.clone(),
            language: self.language,
            rope,
            may_hold_returns,
            text: Arc::default(),
            digest: Arc::default(),
        }
    }

    /// How the file is named in answers.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The language the file is read as.
    pub fn language(&self) -> &'static Language {
        self.language
    }

    /// The whole text, a byte order mark included.
    pub fn text(&self) -> &str {
        self.text.get_or_init(|| self.rope.to_string())
    }

    /// The text of `span`.
    pub fn slice(&self, span: Span) -> std::borrow::Cow<'_, str> {
        match self.text.get() {
            Some(text) => std::borrow::Cow::Borrowed(&text[span.range()]),
            None => self.rope.byte_slice(span.range()).into(),
        }
    }

    /// The characters from byte `offset` on.
    pub(crate) fn chars_behind(&self, offset: usize) -> impl Iterator<Item = char> {
        self.rope.chars_at(self.rope.byte_to_char(offset))
    }

    /// The characters before byte `offset`, the nearest first.
    pub(crate) fn chars_before(&self, offset: usize) -> impl Iterator<Item = char> {
        self.rope
            .chars_at(self.rope.byte_to_char(offset))
            .reversed()
    }

    /// `span` without the white space at its end, at the cost of that white space.
    pub(crate) fn trimmed_end(&self, span: Span) -> Span {
        if let Some(text) = self.text.get() {
            let bare = text[span.range()].trim_end();
            return Span::new(span.start(), span.start() + bare.len());
        }
        let ahead = self.chars_before(span.end());
        let blanks = ahead.take_while(|c| c.is_whitespace());
        let blank: usize = blanks.map(char::len_utf8).sum();
        Span::new(span.start(), span.start().max(span.end() - blank))
    }

    /// `span` without the white space at its start, at the cost of that white space.
    pub(crate) fn trimmed_start(&self, span: Span) -> Span {
        if let Some(text) = self.text.get() {
            let bare = text[span.range()].trim_start();
            return Span::new(span.end() - bare.len(), span.end());
        }
        let behind = self.chars_behind(span.start());
        let blanks = behind.take_while(|c| c.is_whitespace());
        let blank: usize = blanks.map(char::len_utf8).sum();
        Span::new(span.end().min(span.start() + blank), span.end())
    }

    /// Whether both are the same text; those of which one is a copy of the other are not read.
    pub(crate) fn is_same_text(&self, other: &Source) -> bool {
        Arc::ptr_eq(&self.digest, &other.digest) || self.digest() == other.digest()
    }

    /// Length in bytes.
    pub fn len(&self) -> usize {
        self.rope.len_bytes()
    }

    /// Whether the file holds no byte at all.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes from `offset` to the end of the chunk of the rope they are in.
    pub(crate) fn chunk_from(&self, offset: usize) -> &[u8] {
        if offset >= self.len() {
            return &[];
        }
        let (chunk, start, _, _) = self.rope.chunk_at_byte(offset);
        &chunk.as_bytes()[offset - start..]
    }

    /// The chunks of the text in order.
    pub(crate) fn chunks(&self) -> impl Iterator<Item = &str> {
        self.rope.chunks()
    }

    /// Fingerprint of all bytes.
    pub fn digest(&self) -> Digest {
        *self.digest.get_or_init(|| match self.text.get() {
            Some(text) => Digest::of(text.as_bytes()),
            None => Digest::of_chunks(self.rope.chunks().map(str::as_bytes)),
        })
    }

    /// The span of the text without a byte order mark.
    pub fn whole(&self) -> Span {
        Span::new(self.bom_len(), self.len())
    }

    fn bom_len(&self) -> usize {
        match self.rope.get_char(0) {
            Some(BOM) => BOM.len_utf8(),
            _ => 0,
        }
    }

    /// The line ending of the line that `offset` is in; of the nearest line before it that
    /// has one, else of the first line. `\n` where the file has none.
    pub fn line_ending_at(&self, offset: usize) -> &'static str {
        let last = self.rope.byte_to_line(offset.min(self.len()));
        let own = self.line_ending_of(last);
        own.or_else(|| {
            last.checked_sub(1)
                .and_then(|line| self.line_ending_of(line))
        })
        .or_else(|| self.line_ending_of(0))
        .unwrap_or("\n")
    }

    fn line_ending_of(&self, line: usize) -> Option<&'static str> {
        let line = self.rope.get_line(line)?;
        let mut from_end = line.chars_at(line.len_chars()).reversed();
        match (from_end.next(), from_end.next()) {
            (Some('\n'), Some('\r')) => Some("\r\n"),
            (Some('\n'), _) => Some("\n"),
            (Some('\r'), _) => Some("\r"),
            _ => None,
        }
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

    proptest! {
        /// What asks the rope as long as no piece of the whole text is there answers as the text does.
        #[test]
        fn a_spliced_text_is_as_one_that_was_read(
            before in "[a \u{3000}é\n]{0,30}", cut in 0..31usize, new_text in "[b \t\r\n]{0,6}",
            ends in (0..40usize, 0..40usize),
        ) {
            let before = source(&before);
            let cut = (0..=cut.min(before.len())).rev().find(|at| before.is_char_boundary(*at));
            let at = Span::at(cut.expect("a text begins with a boundary"));
            let spliced = before.spliced([(at, new_text.as_str())].into_iter());
            prop_assert!(!spliced.is_same_text(&before) || new_text.is_empty());
            let text = format!("{}{new_text}{}", &before.text()[..at.start()], &before.text()[at.end()..]);
            let read = source(&text);
            let boundary = |at: usize| {
                (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
            };
            let (one, other) = (boundary(ends.0), boundary(ends.1));
            let span = Span::new(one.min(other), one.max(other));
            prop_assert_eq!(spliced.trimmed_end(span), read.trimmed_end(span));
            prop_assert_eq!(spliced.trimmed_start(span), read.trimmed_start(span));
            prop_assert_eq!(spliced.newline_point(one), read.newline_extent(Span::new(0, one)));
            let (ahead, behind) = text.split_at(one);
            prop_assert!(spliced.chars_before(one).eq(ahead.chars().rev()));
            prop_assert!(spliced.chars_behind(one).eq(behind.chars()));
            prop_assert!(spliced.is_same_text(&read) && spliced.text() == text);
        }
    }
}
