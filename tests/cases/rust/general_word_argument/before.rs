fn f() {
    call(first, second, third);
}
