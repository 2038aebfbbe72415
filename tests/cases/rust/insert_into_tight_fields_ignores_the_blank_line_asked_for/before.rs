struct S {
    a: u8,
    b: u8,
}

impl S {
    fn one() {}

    /// Extractor
    fn two() {}
}
