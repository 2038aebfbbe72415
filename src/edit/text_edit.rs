//! Disjoint, sorted replacements over one [`Source`]; knows nothing of trees or files.

use crate::source::{Digest, Source, Span};

/// What changes in one text. Offsets refer to the text before the change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextEdit {
    /// Sorted, not touching each other's bytes.
    replacements: Vec<Replacement>,
    of: Digest,
}

/// One span becomes a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replacement {
    /// The bytes that go.
    pub span: Span,
    /// What comes instead.
    pub new_text: String,
}

impl Replacement {
    /// The bytes of `span` go.
    pub fn deletion(span: Span) -> Replacement {
        Replacement {
            span,
            new_text: String::new(),
        }
    }
}

/// Why replacements are no [`TextEdit`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotAnEdit {
    /// Two replacements share bytes.
    #[error("two replacements overlap at byte {0}")]
    Overlap(usize),
    /// A span reaches past the end of the text or into a character.
    #[error("byte {0} is no character boundary of the text")]
    NoBoundary(usize),
}

impl TextEdit {
    /// Takes replacements of `source` in any order; those at one point keep theirs.
    ///
    /// # Errors
    /// They overlap, or a span is none of the text.
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
            of: source.digest(),
        })
    }

    /// The replacements, sorted.
    pub fn replacements(&self) -> &[Replacement] {
        &self.replacements
    }

    /// The digest of the text this is an edit of.
    pub fn of(&self) -> Digest {
        self.of
    }

    /// The text after the edit.
    ///
    /// # Panics
    /// When `source` is not the text this is an edit of.
    pub fn apply(&self, source: &Source) -> Source {
        assert_eq!(
            self.of,
            source.digest(),
            "an edit is applied to the text it was made for"
        );
        source.spliced(
            self.replacements
                .iter()
                .map(|one| (one.span, one.new_text.as_str())),
        )
    }

    /// From the first byte that changes to the last.
    pub fn hull(&self) -> Span {
        match (self.replacements.first(), self.replacements.last()) {
            (Some(first), Some(last)) => Span::new(first.span.start(), last.span.end()),
            _ => Span::at(0),
        }
    }

    /// Where an offset outside of every replaced span lies after the edit; one inside goes to
    /// the end of the new text, one at the start of a span stays before it.
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

    /// The hull after the edit.
    pub fn new_hull(&self) -> Span {
        let grown: usize = self.replacements.iter().map(|one| one.new_text.len()).sum();
        let gone: usize = self.replacements.iter().map(|one| one.span.len()).sum();
        let hull = self.hull();
        Span::new(hull.start(), hull.end() - gone + grown)
    }

    /// Each replaced span with the length of its new text.
    pub(crate) fn lengths(&self) -> Vec<(Span, usize)> {
        self.replacements
            .iter()
            .map(|one| (one.span, one.new_text.len()))
            .collect()
    }
}
