fn f() {
    one();
    // two();
}
