fn main() {
    if std::env::args().len() > 1 {
        let server = SemanticEditServer::new();
        server.run();
    }
}

#[test]
fn starts() {
    let server = SemanticEditServer::new();
    assert!(server.is_ready());
}
