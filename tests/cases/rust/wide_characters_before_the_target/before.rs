fn f() {
    let s = "😀 é 漢字"; let t = foo();
}
