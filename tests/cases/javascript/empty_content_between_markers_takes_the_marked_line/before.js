function f() {
    leaf();
    last();
}
