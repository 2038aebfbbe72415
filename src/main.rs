//! treegraft
fn main() {}
