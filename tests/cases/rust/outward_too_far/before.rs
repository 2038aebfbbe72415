fn outer() {
    fn middle() {
        fn inner() {
            work();
        }
    }
}
