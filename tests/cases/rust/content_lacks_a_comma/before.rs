fn total(values: &[u32]) -> u32 {
    let first = add(values, 1);
    first
}
