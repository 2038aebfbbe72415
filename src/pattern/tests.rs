use super::*;

fn parsed(path: &str, text: &str) -> Parsed {
    let language = crate::language::of(path, text);
    Parsed::parse(Source::new(path, language, text.to_string()))
}

/// Returns the text of each match and of its captures.
fn found(path: &str, text: &str, pattern: &str) -> Vec<(String, Vec<String>)> {
    let parsed = parsed(path, text);
    let mut languages: Vec<&'static Language> = parsed.languages().collect();
    languages.dedup_by_key(|language| language.name);
    let patterns = languages
        .into_iter()
        .flat_map(|one| Pattern::new(pattern, one));
    let found = patterns.flat_map(|pattern| {
        assert!(pattern.may_be_in(text));
        pattern.find(&parsed, 100).found
    });
    let shown = found.map(|one| {
        let slice = |span| parsed.source().slice(span).into_owned();
        let captures = one.captures.iter();
        let captures = captures.map(|(name, span)| format!("{name}={}", slice(*span)));
        (parsed.text_of(one.node).into_owned(), captures.collect())
    });
    shown.collect()
}

fn one(text: &str, captures: &[&str]) -> (String, Vec<String>) {
    (
        text.to_string(),
        captures.iter().map(|one| one.to_string()).collect(),
    )
}

#[test]
fn a_call_matches_with_its_arguments() {
    let text = "x = f(a.b, g(1))\n# f(1, 2)\nf(1)\ny = f(\n    1, 2,\n)\n";
    let matches = found("a.py", text, "f($A, $B)");
    let expected = [
        one("f(a.b, g(1))", &["A=a.b", "B=g(1)"]),
        one("f(\n    1, 2,\n)", &["A=1", "B=2"]),
    ];
    assert_eq!(matches, expected);
}

#[test]
fn several_nodes_are_captured_with_what_is_between_them() {
    let matches = found("a.rs", "fn f() { g(1, 2 , 3); g(); }\n", "g($$$ALL)");
    assert_eq!(
        matches,
        [one("g(1, 2 , 3)", &["ALL=1, 2 , 3"]), one("g()", &[])]
    );
}

#[test]
fn a_repeated_capture_matches_equal_code() {
    let matches = found("a.ts", "a.b || a.b; a || c;\n", "$A || $A");
    assert_eq!(matches, [one("a.b || a.b", &["A=a.b"])]);
}

#[test]
fn embedded_code_matches() {
    let text = "# Title\n\n> ```python\n> f(1, 2)\n> ```\n";
    assert_eq!(
        found("a.md", text, "f($A, $B)"),
        [one("f(1, 2)", &["A=1", "B=2"])]
    );
}

#[test]
fn deep_code_is_searched_without_recursion() {
    let text = format!("{}a || a{}", "(".repeat(20_000), ")".repeat(20_000));
    let parsed = parsed("a.js", &text);
    let language = parsed.source().language();
    let pattern = Pattern::new("$A || $B", language).expect("valid");
    let _ = pattern.find(&parsed, 100);
    let pattern = Pattern::new("$A || $A", language).expect("valid");
    assert!(pattern.find(&parsed, 100).cut);
}

#[test]
fn an_invalid_pattern_is_refused_with_its_place() {
    let refused = |text: &str| {
        let language = crate::language::of("a.py", "");
        let invalid = Pattern::new(text, language).err().expect("invalid");
        (invalid.message, invalid.offset)
    };
    assert_eq!(refused("f($A, $B"), ("syntax error".to_string(), 0));
    assert_eq!(refused("$A").0, "it is only a placeholder");
    assert_eq!(refused("f($A)\ng($B)").0, "it is more than one node");
    assert_eq!(
        refused("'$A text'").0,
        "a placeholder is only a part of a node there"
    );
    let long = "a".repeat(PATTERN_BYTES + 1);
    assert_eq!(refused(&long).1, PATTERN_BYTES);
}
