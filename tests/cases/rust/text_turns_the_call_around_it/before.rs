async fn run() {
    let x = fetch(1).value;
}
