fn f() {
    call(1, 2); // trailing
    rest();
}
