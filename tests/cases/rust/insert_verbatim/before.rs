fn f() {
    one();
}
