class A {
    int a;
    int b;

    void one() {}
}
