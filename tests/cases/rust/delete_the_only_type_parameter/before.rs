struct S<T> {
    x: u8,
}
