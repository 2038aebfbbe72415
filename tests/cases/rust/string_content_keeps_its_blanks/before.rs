fn f() {
    let s = "  pad  ";
}
