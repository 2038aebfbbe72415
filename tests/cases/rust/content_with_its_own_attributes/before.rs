/// Starts it.
#[inline]
#[must_use]
pub fn start() -> bool {
    true
}

fn other() {}
