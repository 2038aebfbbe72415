//! The only coordinate inside: a range of bytes of one [`Source`](super::Source).

use std::fmt;
use std::ops::Range;

/// A range of bytes, `start <= end`, both on character boundaries of the text it is of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    start: usize,
    end: usize,
}

impl Span {
    /// From `start` up to, not including, `end`.
    ///
    /// # Panics
    /// When `end` lies before `start`.
    pub fn new(start: usize, end: usize) -> Span {
        assert!(start <= end, "span {start}..{end} ends before it starts");
        Span { start, end }
    }

    /// The empty span at `offset`.
    pub fn at(offset: usize) -> Span {
        Span::new(offset, offset)
    }

    /// First byte.
    pub fn start(self) -> usize {
        self.start
    }

    /// The byte after the last.
    pub fn end(self) -> usize {
        self.end
    }

    /// Length in bytes.
    pub fn len(self) -> usize {
        self.end - self.start
    }

    /// Whether it holds no byte.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// As a range, to slice with.
    pub fn range(self) -> Range<usize> {
        self.start..self.end
    }

    /// Whether every byte of `other` lies in this span (an empty one may touch its ends).
    pub fn contains(self, other: Span) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// Whether the two share a byte.
    pub fn overlaps(self, other: Span) -> bool {
        self.start < other.end && other.start < self.end
    }

    /// Whether the two share a byte or an end.
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
