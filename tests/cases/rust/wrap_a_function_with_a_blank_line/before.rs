fn a() {
    b();

    c();
}
