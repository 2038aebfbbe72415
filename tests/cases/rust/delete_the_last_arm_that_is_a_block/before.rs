fn f(x: Option<u8>) {
    match x {
        None => return,
        Some(_) => {
            go();
        }
    }
}
