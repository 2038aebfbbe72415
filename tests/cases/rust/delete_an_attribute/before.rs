#[inline]
#[must_use]
fn f() -> u8 {
    1
}
