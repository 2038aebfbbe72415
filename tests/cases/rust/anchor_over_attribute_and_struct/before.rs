mod m {
    #[derive(Debug)]
    struct A {
        x: u8,
    }
}
