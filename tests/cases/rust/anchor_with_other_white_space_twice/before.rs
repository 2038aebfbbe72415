fn f() {
    let mut i = 0;
    step(i);
}

fn g() {
    let mut i = 0;
    leap(i);
}
