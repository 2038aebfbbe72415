fn process(items: &[Item]) -> Vec<usize> {
    let count = 5;
    items.iter().map(|x| {
        x.count
    }).take(count).collect()
}
