#[derive(Debug, Clone, Copy)]
struct S;
