/// Docs.
#[inline]
fn f() -> u8 {
    1
}
