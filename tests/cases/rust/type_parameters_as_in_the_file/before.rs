mod m {
    fn put<
        K: Key,
        V: Value,
    >(key: K, value: V) {
    }
}
