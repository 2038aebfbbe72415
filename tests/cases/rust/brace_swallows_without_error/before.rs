mod m {
    fn a() {
        one();
    }

    fn b() {
        two();
    }
}
