//! The only coordinate in the crate: a range of bytes of one [`Source`](super::Source).

use std::fmt;
use std::ops::Range;

/// A range of bytes, `start <= end`, both on character boundaries of its text.
///
/// ```
/// use treegraft::Span;
///
/// let span = Span::new(3, 5);
/// assert_eq!((span.len(), span.range()), (2, 3..5));
/// assert!(span.contains(Span::at(4)));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    start: usize,
    end: usize,
}

impl Span {
    /// Creates the span from `start` up to, but not including, `end`.
    ///
    /// # Panics
    /// Panics if `end` is less than `start`.
    pub fn new(start: usize, end: usize) -> Span {
        assert!(start <= end, "span {start}..{end} ends before it starts");
        Span { start, end }
    }

    /// Creates the empty span at `offset`.
    pub fn at(offset: usize) -> Span {
        Span::new(offset, offset)
    }

    /// Returns the offset of the first byte.
    pub fn start(self) -> usize {
        self.start
    }

    /// Returns the offset after the last byte.
    pub fn end(self) -> usize {
        self.end
    }

    /// Returns the length in bytes.
    pub fn len(self) -> usize {
        self.end - self.start
    }

    /// Returns whether the span has no bytes.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// Returns the span as a range, for slicing.
    pub fn range(self) -> Range<usize> {
        self.start..self.end
    }

    /// Returns whether every byte of `other` is in this span. An empty `other` may be at one of its ends.
    pub fn contains(self, other: Span) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// Returns whether the two spans share a byte.
    pub fn overlaps(self, other: Span) -> bool {
        self.start < other.end && other.start < self.end
    }

    /// Returns whether the two spans share a byte or an end.
    pub fn touches(self, other: Span) -> bool {
        self.start <= other.end && other.start <= self.end
    }
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.start, self.end)
    }
}

impl From<Range<usize>> for Span {
    fn from(range: Range<usize>) -> Span {
        Span::new(range.start, range.end)
    }
}
