rules! {
    String => str
    Box<T> => T
}
