fn f() {
    /// So many.
    const MOST: usize = 3;
    let x = MOST;
}
