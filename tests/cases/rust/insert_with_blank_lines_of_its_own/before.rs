fn main() {
    one();
    two();
}
