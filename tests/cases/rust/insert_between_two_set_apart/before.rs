fn main() {
    one();

    three();
}
