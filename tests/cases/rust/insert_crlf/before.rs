fn f() {
    one();
}
