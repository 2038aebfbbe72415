fn f(x: u8, y: u8) -> u8 {
    width(x) * y
}
