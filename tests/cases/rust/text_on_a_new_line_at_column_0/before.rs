struct A {
    one: u8,
    two: u8,
}
