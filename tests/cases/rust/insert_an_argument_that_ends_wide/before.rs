fn main() {
    greet(name);
    leave();
}
