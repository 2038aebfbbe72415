impl A {
    fn one() {}
}
