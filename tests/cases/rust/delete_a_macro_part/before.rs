fn f() {
    log!(target: "a", 1);
}
