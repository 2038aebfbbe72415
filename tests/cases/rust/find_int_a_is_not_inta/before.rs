fn f() {
    let inta = 1;
}
