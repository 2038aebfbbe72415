fn f(x: u8) -> u8 {
    match x {
        1 => 2,
        _ => 0,
    }
}
