/// What to do with binary files.
enum Binary {
    /// Search the whole file
    /// and suppress the match.
    Suppress,
    /// Stop at once.
    Quit,
}
