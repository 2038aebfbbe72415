enum E {
    A, // first
    B,
}
