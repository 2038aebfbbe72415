#[case(Map::<u8, u8>::new(), 3)]
fn f() {}
