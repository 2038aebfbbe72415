fn f() {
    // ... and then the second step
    one();
}
