use a::{b, c};

mod m {
    fn f() { one(); two() }
}

enum E {
    /// Doc.
    #[x]
    A(u8), // a
    B,
}

fn g<T>(x: Vec<T>) {}
