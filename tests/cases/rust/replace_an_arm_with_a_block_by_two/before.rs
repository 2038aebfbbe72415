fn read(word: &str) -> u8 {
    match word {
        "one" => {
            1
        }
        "two" => {
            2
        }
        _ => 0,
    }
}
