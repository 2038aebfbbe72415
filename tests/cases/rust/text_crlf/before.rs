fn main() {
    one();
    two();
}
