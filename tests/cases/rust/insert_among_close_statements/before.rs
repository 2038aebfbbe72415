fn main() {
    one();
    if ready {
        two();
    }
    three();
}
