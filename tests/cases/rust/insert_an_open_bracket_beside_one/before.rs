fn f() {
    a(1;
    b();
    c();
}

fn g() {
    d();
}
