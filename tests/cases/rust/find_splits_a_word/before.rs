fn f() {
    println!("a");
    let printer = 1;
}
