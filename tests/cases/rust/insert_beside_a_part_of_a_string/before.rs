fn f() {
    let x = "a\tb";
}
