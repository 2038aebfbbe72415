fn a() {
    let x = = 1;
    one();
}

fn b() {}
