use std::fmt;

/// Counts.
struct Hits(u32);

impl Hits {
    fn count(&self) -> u32 {
        fn inner() {}
        self.0
    }
}

impl fmt::Display for Hits {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

mod tests {
    fn count() {}
    fn count() {}
}
