fn f() {
    a();
}
