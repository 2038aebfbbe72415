fn lexes() {
    let expected = str!["a"];
    check!(lexed, expected);
    let expected = str!["b"];
}
