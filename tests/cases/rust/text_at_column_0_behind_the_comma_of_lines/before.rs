fn config() -> Config {
    Config {
        depth: 1,
        size: matches
            .value_of("size")
            .unwrap_or_else(|| vec![]),
    }
}
