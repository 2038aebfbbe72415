enum E {
    A,
    B(u8),
    C { x: u8 },
}
