fn f() {
    let x = 1;
    work(x);
}
