fn f() {
    let x = = one(a) + 1;
}
