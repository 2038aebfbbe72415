//! The bytes of an input as decisions: which of several things, how many, which text.

/// Decisions, made one after the other; each is the first when there are no bytes any more.
#[derive(Debug)]
pub struct Choices<'a> {
    bytes: &'a [u8],
}

impl<'a> Choices<'a> {
    /// The decisions these bytes stand for.
    pub fn new(bytes: &'a [u8]) -> Choices<'a> {
        Choices { bytes }
    }

    /// Whether every byte was used.
    pub fn is_done(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The next byte.
    pub fn byte(&mut self) -> u8 {
        match self.bytes.split_first() {
            Some((first, rest)) => {
                self.bytes = rest;
                *first
            }
            None => 0,
        }
    }

    /// A number below `end`, which is at most 65,536; 0 where that is 0.
    pub fn below(&mut self, end: usize) -> usize {
        let high = if end > 256 { self.byte() } else { 0 };
        let number = usize::from(high) << 8 | usize::from(self.byte());
        number % end.max(1)
    }

    /// Yes in one of `of` cases; no when there are no bytes any more.
    pub fn one_in(&mut self, of: u8) -> bool {
        self.byte() % of == of - 1
    }

    /// One of these; nothing of nothing.
    pub fn of<'t, T>(&mut self, these: &'t [T]) -> Option<&'t T> {
        these.get(self.below(these.len()))
    }

    /// So many of the next bytes as they are.
    pub fn bytes(&mut self, count: usize) -> &'a [u8] {
        let (taken, rest) = self.bytes.split_at(count.min(self.bytes.len()));
        self.bytes = rest;
        taken
    }
}
