//! Converts texts.

fn f(mut s: String) -> String {
    s.push_str("a");
    s.push_str("ab");
    s.parts.last().push_str("b");
    let t = s.to_string().to_string();
    String::from(t.to_string())
}
