fn f<T>(x: T)
where
    T: Clone,
{
}
