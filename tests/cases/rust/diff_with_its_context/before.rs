mod m {
    fn f() {
        a();
        b();
    }
}
