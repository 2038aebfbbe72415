fn lexes() {
    let a = str![r#"x"#];
    check();
    let b = str![r#"y"#];
}
