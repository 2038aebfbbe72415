struct A;
struct B;

impl A {
    fn new() -> Self {
        A
    }
}

impl B {
    fn new() -> Self {
        B
    }
}
