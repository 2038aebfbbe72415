function f() {
    leaf = 1;
}
