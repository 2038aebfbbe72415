fn main() {
    if a {
        if b {
            one();
        }
        if c {
            two();
        }
    }
}
