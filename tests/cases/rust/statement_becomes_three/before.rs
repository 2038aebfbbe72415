fn f() {
    one();
    two();
}
