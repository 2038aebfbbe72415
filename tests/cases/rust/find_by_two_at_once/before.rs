struct Hits(u32);

impl Hits {
    /// How many: count.
    fn count(&self) -> u32 {
        self.0 + self.0
    }

    fn counted(&self) -> u32 {
        self.count()
    }
}

mod tests {
    fn count() {}
    fn count() {}
}
