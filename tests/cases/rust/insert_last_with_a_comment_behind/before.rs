enum E {
    A,
    D
}
