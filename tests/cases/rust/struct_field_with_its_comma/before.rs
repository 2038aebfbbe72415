struct A {
    x: u8,
    y: u8,
}
