/// Old doc.
#[inline]
fn a() {}
