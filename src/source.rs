//! The text of one file at one moment. Input: bytes or text. Output: a [`Source`].
//!
//! Bytes that are not UTF-8 text are refused with [`NotText`]. The text is not normalized: line endings, a byte order
//! mark and a missing final newline are kept.

mod diff;
mod digest;
mod position;
pub mod signs;
mod span;

use std::sync::{Arc, OnceLock};

use ropey::Rope;

use crate::language::Language;

pub(crate) use diff::shortest_diff;
pub use digest::{Digest, FileDigest};
pub use position::{EncodedPosition, Encoding, Position};
pub use span::Span;

/// The byte order mark; not part of the text (docs/design/locate.md#text-model), but kept.
pub(crate) const BOM: char = '\u{feff}';

/// The text of one file at one moment, with its path and language.
///
/// ```
/// use treegraft::{Source, Span, language};
///
/// let text = "fn f() {}\n".to_string();
/// let source = Source::new("a.rs", language::for_file("a.rs", &text), text);
/// assert_eq!(source.slice(Span::new(3, 4)), "f");
/// assert_eq!(source.position(3).character, 4);
/// ```
///
/// Cheap to clone. All offsets are bytes ([`Span`]); [`Source::position`] converts them to lines and characters.
#[derive(Clone, Debug)]
pub struct Source {
    path: Arc<str>,
    language: &'static Language,
    rope: Rope,
    /// Whether the text may contain carriage returns. If not, the lines of the rope are those that end at `\n`.
    may_hold_returns: bool,
    /// The same text as one string, created on first use: searching needs it, splicing and writing do not.
    text: Arc<OnceLock<String>>,
    digest: Arc<OnceLock<Digest>>,
}

/// Why bytes are not the text of a [`Source`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotText {
    /// The file is binary: it contains a zero byte.
    #[error("byte {offset} is zero: the file is binary")]
    Binary {
        /// The offset of the first zero byte.
        offset: usize,
    },
    /// The file contains bytes that are not UTF-8.
    #[error("byte {offset} is not UTF-8")]
    NotUtf8 {
        /// The offset of the first invalid byte.
        offset: usize,
    },
}

impl Source {
    /// Creates a source of a text. `path` is the path of the file in answers.
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

    /// Creates a source of bytes.
    ///
    /// # Errors
    /// The bytes contain a zero byte, or are not UTF-8.
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

    /// Returns the text with `replacements` (span and new text; sorted, disjoint) applied.
    ///
    /// The cost depends on the replacements, not on the file.
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

    /// Returns the same source, which needs half the memory until its text is searched.
    #[cfg(feature = "disk")]
    pub(crate) fn without_string(self) -> Source {
        Source {
            text: Arc::default(),
            ..self
        }
    }

    /// Returns the path of the file, as in answers.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns the language that the file is parsed as.
    pub fn language(&self) -> &'static Language {
        self.language
    }

    /// Returns the whole text, including a byte order mark.
    pub fn text(&self) -> &str {
        self.text.get_or_init(|| self.rope.to_string())
    }

    /// Returns the text of `span`.
    pub fn slice(&self, span: Span) -> std::borrow::Cow<'_, str> {
        match self.text.get() {
            Some(text) => std::borrow::Cow::Borrowed(&text[span.range()]),
            None => self.rope.byte_slice(span.range()).into(),
        }
    }

    /// Returns the characters from byte `offset` on.
    pub(crate) fn chars_from(&self, offset: usize) -> impl Iterator<Item = char> {
        self.rope.chars_at(self.rope.byte_to_char(offset))
    }

    /// Returns the characters before byte `offset`, the nearest first.
    pub(crate) fn chars_before(&self, offset: usize) -> impl Iterator<Item = char> {
        self.rope
            .chars_at(self.rope.byte_to_char(offset))
            .reversed()
    }

    /// Returns `span` without the whitespace at its end. The cost depends on that whitespace.
    pub(crate) fn trimmed_end(&self, span: Span) -> Span {
        if let Some(text) = self.text.get() {
            let bare = text[span.range()].trim_end();
            return Span::new(span.start(), span.start() + bare.len());
        }
        let before = self.chars_before(span.end());
        let blanks = before.take_while(|c| c.is_whitespace());
        let blank: usize = blanks.map(char::len_utf8).sum();
        Span::new(span.start(), span.start().max(span.end() - blank))
    }

    /// Returns `span` without the whitespace at its start. The cost depends on that whitespace.
    pub(crate) fn trimmed_start(&self, span: Span) -> Span {
        if let Some(text) = self.text.get() {
            let bare = text[span.range()].trim_start();
            return Span::new(span.end() - bare.len(), span.end());
        }
        let after = self.chars_from(span.start());
        let blanks = after.take_while(|c| c.is_whitespace());
        let blank: usize = blanks.map(char::len_utf8).sum();
        Span::new(span.end().min(span.start() + blank), span.end())
    }

    /// Returns whether both texts are equal. Clones are equal without a comparison.
    pub(crate) fn is_same_text(&self, other: &Source) -> bool {
        Arc::ptr_eq(&self.digest, &other.digest) || self.digest() == other.digest()
    }

    /// Returns the length in bytes.
    pub fn len(&self) -> usize {
        self.rope.len_bytes()
    }

    /// Returns whether the file has no bytes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the bytes from `offset` on, at least those to the end of their chunk of the rope.
    pub(crate) fn chunk_from(&self, offset: usize) -> &[u8] {
        if offset >= self.len() {
            return &[];
        }
        if let Some(text) = self.text.get() {
            return &text.as_bytes()[offset..];
        }
        let (chunk, start, _, _) = self.rope.chunk_at_byte(offset);
        &chunk.as_bytes()[offset - start..]
    }

    /// Returns the chunks of the text in order.
    pub(crate) fn chunks(&self) -> impl Iterator<Item = &str> {
        self.rope.chunks()
    }

    /// Returns the digest of all bytes.
    pub fn digest(&self) -> Digest {
        *self.digest.get_or_init(|| match self.text.get() {
            Some(text) => Digest::from_bytes(text.as_bytes()),
            None => Digest::of_chunks(self.rope.chunks().map(str::as_bytes)),
        })
    }

    /// Returns the span of the text without a byte order mark.
    pub fn whole(&self) -> Span {
        Span::new(self.bom_len(), self.len())
    }

    fn bom_len(&self) -> usize {
        match self.rope.get_char(0) {
            Some(BOM) => BOM.len_utf8(),
            _ => 0,
        }
    }

    /// Returns the line ending of the line that contains `offset`; or of the nearest preceding line that has one, or
    /// of the first line. `\n` if the file has none.
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
        /// Checks that functions that read the rope return the same before the whole text is created.
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
            let (before, after) = text.split_at(one);
            prop_assert!(spliced.chars_before(one).eq(before.chars().rev()));
            prop_assert!(spliced.chars_from(one).eq(after.chars()));
            prop_assert!(spliced.is_same_text(&read) && spliced.text() == text);
        }
    }
}
