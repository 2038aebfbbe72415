fn f() {
    call(first, second);
}
