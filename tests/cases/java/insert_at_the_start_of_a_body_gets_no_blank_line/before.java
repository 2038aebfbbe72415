class A {
    void one() {}
}
