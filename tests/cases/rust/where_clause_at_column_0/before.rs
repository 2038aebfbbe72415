impl Set {
    fn collect<T>(all: T) -> Self
    where
        T: Hash,
    {
        Set(all)
    }
}
