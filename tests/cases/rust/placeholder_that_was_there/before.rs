fn f() {
    // ...
    one();
}
