fn f() {
    g(
        a,
        b,
    );
}
