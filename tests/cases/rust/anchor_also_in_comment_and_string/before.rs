// increment counter before use
fn main() {
    let text = "increment counter";
    increment(counter);
}
