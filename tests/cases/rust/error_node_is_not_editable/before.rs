fn a() {
    let = = 1;
}
