fn f() {
    one();
    // Then the other.
    two();
}
