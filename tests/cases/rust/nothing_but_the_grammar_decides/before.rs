async fn f() {
    todo().await;
}
