fn f(a: u8) {
    work(a);
}
