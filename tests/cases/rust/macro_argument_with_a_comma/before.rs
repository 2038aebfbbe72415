fn f() {
    log!("{} of {}", done, all);
}
