//! Reads the bytes of an input as decisions: which of several things, how many, which text.

/// A sequence of decisions. When no bytes are left, each decision is the first option.
#[derive(Debug)]
pub struct Choices<'a> {
    bytes: &'a [u8],
}

impl<'a> Choices<'a> {
    /// Creates the decisions from bytes.
    pub fn new(bytes: &'a [u8]) -> Choices<'a> {
        Choices { bytes }
    }

    /// Returns whether all bytes were used.
    pub fn is_done(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Returns the next byte.
    pub fn byte(&mut self) -> u8 {
        match self.bytes.split_first() {
            Some((first, rest)) => {
                self.bytes = rest;
                *first
            }
            None => 0,
        }
    }

    /// Returns a number below `end` (at most 65,536), or 0 if `end` is 0.
    pub fn below(&mut self, end: usize) -> usize {
        let high = if end > 256 { self.byte() } else { 0 };
        let number = usize::from(high) << 8 | usize::from(self.byte());
        number % end.max(1)
    }

    /// Returns true in one of `of` cases, and false when no bytes are left.
    pub fn one_in(&mut self, of: u8) -> bool {
        self.byte() % of == of - 1
    }

    /// Returns one of the elements, or `None` if there are none.
    pub fn of<'t, T>(&mut self, these: &'t [T]) -> Option<&'t T> {
        these.get(self.below(these.len()))
    }

    /// Returns up to `count` of the next bytes.
    pub fn bytes(&mut self, count: usize) -> &'a [u8] {
        let (taken, rest) = self.bytes.split_at(count.min(self.bytes.len()));
        self.bytes = rest;
        taken
    }
}
