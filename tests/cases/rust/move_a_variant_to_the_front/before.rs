enum Kind {
    One,
    /// The other.
    Two, // 2
    Three
}
