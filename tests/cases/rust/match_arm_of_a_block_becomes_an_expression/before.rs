fn f(x: Option<u8>) -> u8 {
    match x {
        Some(n) => { n }
        None => 0,
    }
}
