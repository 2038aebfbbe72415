#[derive(Debug)]
struct S;
