fn f() {
    two(c, d);
    let y = [1, 2,, 3];
}
