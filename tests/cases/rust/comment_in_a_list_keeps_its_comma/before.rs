struct A {
    // one
    a: u8,
}
