fn walk(options: &Options) -> Vec<Entry> {
    let mut found = Vec::new();
    if options.deep {
        found.push(one());
        found.push(two());
    }
    found
}

struct Options {
    deep: bool,
    parents: bool,
}
