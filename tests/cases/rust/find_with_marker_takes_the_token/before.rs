fn f() {
    let value = compute(value);
}
