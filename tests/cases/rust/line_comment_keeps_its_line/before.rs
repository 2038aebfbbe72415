fn f() {
    // old words
    work();
}
