fn f(x: bool) {
    if x {
        one();
    } else {
        two();
    }
}
