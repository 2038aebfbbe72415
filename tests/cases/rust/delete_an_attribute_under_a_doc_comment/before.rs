struct A;

/// Holds one.
#[derive(Clone)]
struct B(u8);
