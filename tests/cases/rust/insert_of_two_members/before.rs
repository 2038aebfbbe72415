enum E {
    A,
    D,
}
