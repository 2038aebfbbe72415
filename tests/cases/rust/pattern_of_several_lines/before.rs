fn cost(kind: Kind) -> u32 {
    match kind {
        Kind::Free => 0,
        Kind::Other | Kind::Unknown => 9,
    }
}
