fn main() {
    call(first, second, third);
}
