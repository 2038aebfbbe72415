fn run(flag: bool) -> u32 {
    let first = start(1);
    if flag {
        first
    } else {
        second(first)
    }
}

/// Begins.
#[must_use]
fn start(number: u32) -> u32 {
    number
}
