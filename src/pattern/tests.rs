//! Checks patterns in every language.

use super::*;
use crate::source::Source;

fn parsed(path: &str, text: &str) -> Parsed {
    let language = crate::language::for_file(path, text);
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
        one("f(a.b, g(1))", &["$A=a.b", "$B=g(1)"]),
        one("f(\n    1, 2,\n)", &["$A=1", "$B=2"]),
    ];
    assert_eq!(matches, expected);
}

#[test]
fn several_nodes_are_captured_with_what_is_between_them() {
    let matches = found("a.rs", "fn f() { g(1, 2 , 3); g(); }\n", "g($$$ALL)");
    assert_eq!(
        matches,
        [one("g(1, 2 , 3)", &["$$$ALL=1, 2 , 3"]), one("g()", &[])]
    );
}

#[test]
fn a_repeated_capture_matches_equal_code() {
    let matches = found("a.ts", "a.b || a.b; a || c;\n", "$A || $A");
    assert_eq!(matches, [one("a.b || a.b", &["$A=a.b"])]);
}

#[test]
fn embedded_code_matches() {
    let text = "# Title\n\n> ```python\n> f(1, 2)\n> ```\n";
    assert_eq!(
        found("a.md", text, "f($A, $B)"),
        [one("f(1, 2)", &["$A=1", "$B=2"])]
    );
}

#[test]
fn deep_code_is_searched_without_recursion() {
    let text = format!("{}a || a{}", "(".repeat(20_000), ")".repeat(20_000));
    let parsed = parsed("a.js", &text);
    let language = parsed.source().language();
    let pattern = Pattern::new("$A || $B", language).expect("valid");
    assert_eq!(pattern.find(&parsed, 100).found.len(), 1);
    let pattern = Pattern::new("($A)", language).expect("valid");
    assert!(pattern.find(&parsed, 100).cut);
    let both = format!("x({0} || {0});", "(".repeat(5_000) + &")".repeat(5_000));
    let parsed = self::parsed("a.js", &both);
    let pattern = Pattern::new("$A || $A", language).expect("valid");
    let _ = pattern.find(&parsed, 100);
}

#[test]
fn an_invalid_pattern_is_refused_with_its_place() {
    let refused = |text: &str| {
        let language = crate::language::for_file("a.py", "");
        let invalid = Pattern::new(text, language).expect_err("it is invalid");
        (invalid.message, invalid.offset)
    };
    assert_eq!(refused("f($A, $B"), ("syntax error".to_string(), 0));
    assert_eq!(refused("$A").0, "it is only a placeholder");
    assert_eq!(
        refused("'$A text'").0,
        "a placeholder is only a part of a node there"
    );
    let long = "a".repeat(PATTERN_BYTES + 1);
    assert_eq!(refused(&long).1, PATTERN_BYTES);
}

/// A text in each language whose patterns can have placeholders, a pattern, and what its placeholder captures.
const IN_EACH_LANGUAGE: &[(&str, &str, &str, &str)] = &[
    ("a.astro", "<b>1</b>\n", "<b>$A</b>", "1"),
    ("a.sh", "echo a b\n", "echo $A b", "a"),
    ("a.c", "int f() { return g(x, 1); }\n", "g($A, 1)", "x"),
    ("a.cpp", "int f() { return g(x, 1); }\n", "g($A, 1)", "x"),
    (
        "a.cs",
        "class A { int F() { return G(x, 1); } }\n",
        "G($A, 1)",
        "x",
    ),
    ("a.css", "a { color: red; }\n", "a { color: $A; }", "red"),
    ("a.dart", "f() { return g(x, 1); }\n", "g($A, 1)", "x"),
    ("Dockerfile", "FROM alpine\n", "FROM $A", "alpine"),
    ("a.ex", "def f(x), do: g(x, 1)\n", "g($A, 1)", "x"),
    (
        "a.go",
        "package a\n\nfunc f() int { return g(x, 1) }\n",
        "g($A, 1)",
        "x",
    ),
    ("a.hs", "f x = g x 1\n", "g $A 1", "x"),
    ("a.tf", "a = g(x, 1)\n", "a = g($A, 1)", "x"),
    ("a.html", "<p>one</p>\n", "<p>$A</p>", "one"),
    (
        "A.java",
        "class A { int f() { return g(x, 1); } }\n",
        "g($A, 1)",
        "x",
    ),
    ("a.js", "f(g(x, 1));\n", "g($A, 1)", "x"),
    ("a.jsx", "f(g(x, 1));\n", "g($A, 1)", "x"),
    ("a.jl", "f(x) = g(x, 1)\n", "g($A, 1)", "x"),
    ("a.kt", "fun f() = g(x, 1)\n", "g($A, 1)", "x"),
    ("a.lua", "return g(x, 1)\n", "g($A, 1)", "x"),
    ("a.nix", "{ a = g x; }\n", "g $A", "x"),
    ("a.ml", "let f x = g x 1\n", "g $A 1", "x"),
    ("a.mli", "val f : int -> int\n", "val f : $A -> int", "int"),
    (
        "a.proto",
        "syntax = \"proto3\";\nmessage A { int32 b = 1; }\n",
        "message $A { int32 b = 1; }",
        "A",
    ),
    ("a.php", "<?php f(g(x, 1));\n", "g($A, 1)", "x"),
    ("a.py", "f(g(x, 1))\n", "g($A, 1)", "x"),
    ("a.R", "f(g(x, 1))\n", "g($A, 1)", "x"),
    ("a.rb", "f(g(x, 1))\n", "g($A, 1)", "x"),
    ("a.rs", "fn f() { g(x, 1) }\n", "g($A, 1)", "x"),
    ("a.svelte", "<b>1</b>\n", "<b>$A</b>", "1"),
    ("a.scala", "object A { val a = g(x, 1) }\n", "g($A, 1)", "x"),
    ("a.swift", "let a = g(x, 1)\n", "g($A, 1)", "x"),
    ("a.tsx", "f(g(x, 1));\n", "g($A, 1)", "x"),
    ("a.ts", "f(g(x, 1));\n", "g($A, 1)", "x"),
    ("a.vue", "<b>1</b>\n", "<b>$A</b>", "1"),
    ("a.xml", "<a><b>1</b></a>\n", "<b>$A</b>", "1"),
    ("a.yaml", "a: 1\n", "a: $A", "1"),
    ("a.json", "{\"a\": [1, 2]}\n", "[$A, 2]", "1"),
    ("a.jsonc", "{\"a\": [1, 2]}\n", "[$A, 2]", "1"),
    ("a.toml", "a = [1, 2]\n", "[$A, 2]", "1"),
    ("a.zig", "const a = g(x, 1);\n", "g($A, 1)", "x"),
];

#[test]
fn a_placeholder_captures_in_each_language() {
    let mut wrong = Vec::new();
    for (path, text, pattern, captured) in IN_EACH_LANGUAGE {
        let language = crate::language::for_file(path, text);
        let expected = format!("$A={captured}");
        let valid = Pattern::new(pattern, language);
        let matches = match &valid {
            Ok(_) => found(path, text, pattern),
            Err(invalid) => {
                wrong.push(format!("{}: {invalid}", language.name));
                continue;
            }
        };
        let captures: Vec<String> = matches.into_iter().flat_map(|(_, own)| own).collect();
        if captures != [expected] {
            wrong.push(format!("{}: {captures:?}", language.name));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn the_search_for_a_literal_finds_what_a_search_of_all_nodes_finds() {
    let nested = "f(f(1), g(f(2)), 'f(3)')  # f(4)\nff(f(5))\nx = [f(f(f(6)))]\n";
    let twice = "aaa(aa(a, aa), aaaa)\naa(aa(aa(1)))\n";
    let embedded = "f(1)\n\n> ```python\n> f(f(2))\n> ```\n\n```js\nf(3, f(4))\n```\n";
    let more = [
        ("a.py", nested, "f($A)"),
        ("a.py", nested, "f($$$ALL)"),
        ("a.py", twice, "aa($$$ALL)"),
        ("a.py", twice, "aa"),
        ("a.py", "f(1\nx = f(2)\n", "f($A)"),
        ("a.py", "\u{feff}f(1)\r\nf(f(2))\r\n", "f($A)"),
        ("a.md", embedded, "f($$$ALL)"),
    ];
    let rows = IN_EACH_LANGUAGE.iter();
    let rows = rows.map(|(path, text, pattern, _)| (*path, *text, *pattern));
    for (path, text, pattern) in rows.chain(more) {
        let parsed = parsed(path, text);
        let mut found = 0;
        for language in parsed.languages() {
            let Ok(pattern) = Pattern::new(pattern, language) else {
                continue;
            };
            let text = parsed.source().text();
            for reading in &pattern.readings {
                let spans = |literals: Option<&[Span]>| {
                    let mut matching = Matching::new(&pattern.placeholders, text, Quotes::Any);
                    let mut all = Vec::new();
                    for root in pattern.roots(&parsed) {
                        find_in(
                            root,
                            &mut matching,
                            reading,
                            literals,
                            |first, last, own| {
                                all.push((first.span(), last.span(), own.matched.tokens.clone()));
                                true
                            },
                        );
                    }
                    all
                };
                let literals = spans_of(literal(&reading.parts), text);
                let own = spans(literals.as_deref());
                assert_eq!(own, spans(None), "{path}");
                found += own.len();
            }
        }
        assert!(found > 0, "{path}: {pattern}");
    }
}

/// A text in each language with calls, and the only argument of one. As a whole file, `g($A)` is a type or a
/// declaration in some of them.
const ONE_ARGUMENT: &[(&str, &str)] = &[
    ("a.c", "int f() { h(1); return g(x); }\n"),
    ("a.cpp", "int f() { h(1); return g(x); }\n"),
    ("a.cs", "class A { int F() { return g(x); } }\n"),
    ("a.dart", "f() { h(1); return g(x); }\n"),
    ("a.ex", "def f(x), do: g(x)\n"),
    ("a.go", "package a\n\nfunc f() int { return g(x) }\n"),
    ("A.java", "class A { int f() { return g(x); } }\n"),
    ("a.js", "f(g(x));\n"),
    ("a.jl", "f(x) = 1 + g(x)\n"),
    ("a.kt", "fun f() = g(x)\n"),
    ("a.lua", "return g(x)\n"),
    ("a.php", "<p><?php f(g(x)) ?></p>\n"),
    ("a.py", "f(g(x))\n"),
    ("a.R", "f(g(x))\n"),
    ("a.rb", "f(g(x))\n"),
    ("a.rs", "fn f() { g(x) }\n"),
    ("a.scala", "object A { val a = g(x) }\n"),
    ("a.swift", "let a = g(x)\n"),
    ("a.tf", "a = g(x)\n"),
    ("a.ts", "f(g(x));\n"),
    ("a.zig", "const a = g(x);\n"),
];

#[test]
fn a_call_with_one_argument_is_a_call() {
    let mut wrong = Vec::new();
    for (path, text) in ONE_ARGUMENT {
        let matches = match Pattern::new("g($A)", crate::language::for_file(path, text)) {
            Ok(_) => found(path, text, "g($A)"),
            Err(invalid) => {
                wrong.push(format!("{path}: {invalid}"));
                continue;
            }
        };
        if matches != [one("g(x)", &["$A=x"])] {
            wrong.push(format!("{path}: {matches:?}"));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

/// A file name in each remaining language, and a pattern: a placeholder does not parse there as a node of its own.
const WITHOUT_PLACEHOLDERS: &[(&str, &str)] = &[("Makefile", "a: $A"), ("a.md", "# $A")];

#[test]
fn a_placeholder_that_is_no_node_is_refused() {
    let named = IN_EACH_LANGUAGE.iter().map(|(path, ..)| *path);
    let named = named.chain(WITHOUT_PLACEHOLDERS.iter().map(|(path, _)| *path));
    let mut named: Vec<&str> = named
        .map(|path| crate::language::for_file(path, "").name)
        .collect();
    named.sort();
    let all = crate::language::LANGUAGES.iter();
    let all = all.filter(|one| !one.is_inner() && one.grammar().is_some());
    let mut all: Vec<&str> = all.map(|one| one.name).collect();
    all.sort();
    assert_eq!(named, all);
    for (path, pattern) in WITHOUT_PLACEHOLDERS {
        let language = crate::language::for_file(path, "");
        assert!(Pattern::new(pattern, language).is_err(), "{path}");
    }
}

/// A file, a text that is no pattern, and a pattern that starts with it.
const COMPLETED: &[(&str, &str, &str)] = &[
    ("a.ts", "f($A", "f($A)"),
    ("a.ts", "if ($A) {", "if ($A) { $$$BODY }"),
    ("a.rs", "fn $F($$$A) -> u8", "fn $F($$$A) -> u8;"),
    ("a.rs", "for $A in $B", "for $A in $B { $$$BODY }"),
    ("a.py", "if $A", "if $A:\n    $$$BODY"),
    ("a.py", "def $F($$$A)", "def $F($$$A):\n    $$$BODY"),
    ("a.rb", "def foo($$$A)", "def foo($$$A)\n$$$BODY\nend"),
];

#[test]
fn a_broken_pattern_is_completed() {
    for (path, text, expected) in COMPLETED {
        let language = crate::language::for_file(path, "");
        let completed = Pattern::completed(text, language);
        assert_eq!(completed.as_deref(), Some(*expected), "{path}: {text}");
    }
    let language = crate::language::for_file("a.rs", "");
    for text in [")", "$A"] {
        assert_eq!(Pattern::completed(text, language), None);
    }
}

/// Code in each language, and a pattern that must match it once.
const READ: &[(&str, &str, &str)] = &[
    ("a.rs", "struct S { a: u8, b: u8 }\n", "struct $N { $$$F }"),
    (
        "a.rs",
        "impl A { fn f() {} fn g() {} }\n",
        "impl $T { $$$B }",
    ),
    (
        "a.rs",
        "impl A for B { fn f() {} }\n",
        "impl $T for $S { $$$B }",
    ),
    ("a.rs", "fn f(a: u8) { g() }\n", "fn $N($$$A) { $$$B }"),
    (
        "A.java",
        "class A { int a; void f() {} }\n",
        "class $C { $$$B }",
    ),
    (
        "A.java",
        "class A { void f(int a) { g(); } }\n",
        "void $F($$$A) { $$$B }",
    ),
    (
        "a.cs",
        "class A { int a; void F() {} }\n",
        "class $C { $$$B }",
    ),
    ("a.kt", "fun f(a: Int) { g(a) }\n", "fun $F($$$A) { $$$B }"),
    (
        "a.php",
        "<?php function f($a) { g(); }\n",
        "function $F($$$A) { $$$B }",
    ),
    (
        "a.php",
        "<?php class A { function f() {} }\n",
        "class $C { $$$B }",
    ),
    (
        "a.swift",
        "func f(a: Int) { g() }\n",
        "func $F($$$A) { $$$B }",
    ),
    ("a.swift", "class A { func f() {} }\n", "class $C { $$$B }"),
    ("a.dart", "class A { int a = 1; }\n", "class $C { $$$B }"),
    ("a.scala", "class A { def f() = 1 }\n", "class $C { $$$B }"),
    (
        "a.go",
        "package a\n\nfunc f(a int, b string) {\n\tg()\n}\n",
        "func $F($$$A) { $$$B }",
    ),
    (
        "a.go",
        "package a\n\ntype T struct {\n\tA int\n\tB int\n}\n",
        "type $N struct { $$$F }",
    ),
    ("a.lua", "if a then b() c() end\n", "if $C then $$$B end"),
    (
        "a.ts",
        "switch (a) { case 1: b(); break; default: c(); }\n",
        "switch ($X) { $$$C }",
    ),
    (
        "A.java",
        "class A { void f() { switch (a) { case 1: b(); break; default: c(); } } }\n",
        "switch ($X) { $$$C }",
    ),
    (
        "a.go",
        "package a\n\nfunc f() {\n\tswitch a {\n\tcase 1:\n\t\tb()\n\tdefault:\n\t\tc()\n\t}\n}\n",
        "switch $X { $$$C }",
    ),
    (
        "a.rs",
        "fn f() { match a { 1 => b(), _ => c() } }\n",
        "match $X { $$$C }",
    ),
    (
        "a.ts",
        "switch (a) { case 1: lock(); unlock(); break; }\n",
        "lock(); unlock();",
    ),
    (
        "a.rs",
        "fn f() { a!{r#\"\n  x\n  y\"#}; }\n",
        "a! { r#\"$A\"# }",
    ),
    ("a.ts", "let a: Array<string>;\n", "Array<$T>"),
    (
        "a.ts",
        "class A {\n  // why\n  foo(a: X) { g(); }\n}\n",
        "foo($$$A) { $$$B }",
    ),
    ("a.ts", "class A { private x = 1; }\n", "private $A = $B"),
    (
        "a.tsx",
        "x = <Button kind=\"a\" size={1} />;\n",
        "<Button kind=$V $$$REST />",
    ),
    ("a.tsx", "x = <Button kind={a}>b</Button>;\n", "kind=$V"),
    ("a.jsx", "x = <B kind={a}>b</B>;\n", "<B kind=$V>$$$C</B>"),
    ("a.js", "import fs from 'fs';\n", "import fs from \"fs\""),
    ("a.js", "f('it\\'s');\n", "f(\"it's\")"),
    ("a.js", "f(`a`, 'x\\ny');\n", "f(`a`, \"$A\")"),
    ("a.js", "const { a, b } = c;\n", "const { $$$A } = $B"),
    ("a.js", "f(1,\n  2,\n);\n", "f($A, $B)"),
    ("a.js", "f(1);\n", "f($A, $$$B)"),
    ("a.js", "f(1);\n", "f($$$A, $B)"),
    (
        "a.js",
        "if (a) { /* b */ c() /* d */ }\n",
        "if (a) { c(); }",
    ),
    ("a.rs", "fn f(a: &'a str) {}\n", "&'a str"),
    (
        "a.rs",
        "impl A {\n    /// Why.\n    pub fn f(&self) -> u8 { 1 }\n}\n",
        "pub fn f(&self) -> $T { $$$B }",
    ),
    ("a.rs", "fn f(a: Vec<u8>) {}\n", "Vec<$T>"),
    (
        "A.java",
        "class A { void f() { if (a) { b(); c(); } } }\n",
        "if ($A) { $$$B }",
    ),
    (
        "A.java",
        "class A { void f() { while (a) { b(); } } }\n",
        "while ($A) { $$$B }",
    ),
    (
        "A.java",
        "class A { void f() { try { b(); } catch (E e) { c(); } } }\n",
        "try { $$$A } catch (E e) { $$$B }",
    ),
    (
        "A.java",
        "class A { @Override public int f() { return 1; } }\n",
        "@Override public int $F() { $$$B }",
    ),
    (
        "a.c",
        "void f() { if (a) { b(); c(); } }\n",
        "if ($A) { $$$B }",
    ),
    (
        "a.c",
        "void f() { while (a) { b(); } }\n",
        "while ($A) { $$$B }",
    ),
    (
        "a.cpp",
        "void f() { if (a) { b(); c(); } }\n",
        "if ($A) { $$$B }",
    ),
    (
        "a.cpp",
        "void f() { try { b(); } catch (E e) { c(); } }\n",
        "try { $$$A } catch (E e) { $$$B }",
    ),
    (
        "a.cs",
        "class A { void F() { if (a) { b(); c(); } } }\n",
        "if ($A) { $$$B }",
    ),
    ("a.php", "<?php if ($a) { b(); c(); }\n", "if ($a) { $$$B }"),
    (
        "a.php",
        "<?php try { b(); } catch (E $e) { c(); }\n",
        "try { $$$A } catch (E $e) { $$$B }",
    ),
    ("a.css", "a { color: red; top: 1px; }\n", "a { $$$B }"),
    (
        "a.zig",
        "fn f() void { if (a) { b(); c(); } }\n",
        "if ($A) { $$$B }",
    ),
    (
        "a.zig",
        "fn f() void { while (a) { b(); } }\n",
        "while ($A) { $$$B }",
    ),
    (
        "a.go",
        "package a\n\nfunc f() {\n\tif a {\n\t\tb()\n\t}\n}\n",
        "if $A { $$$B }",
    ),
    (
        "a.go",
        "package a\n\ntype T struct {\n\tA int `json:\"a\"`\n}\n",
        "A int `json:\"a\"`",
    ),
    (
        "a.tf",
        "resource \"a\" \"b\" {\n  c = 1\n  d = 2\n}\n",
        "resource \"a\" \"b\" { $$$BODY }",
    ),
    (
        "a.tf",
        "resource \"a\" \"b\" {\n  c = 1\n}\n",
        "resource \"a\" \"b\" { $BODY }",
    ),
    ("a.py", "f(x for x in y)\n", "f($A)"),
    ("a.py", "@deco\ndef f():\n    pass\n", "@deco"),
    ("a.py", "open('a', \"r\")\n", "open(\"a\", 'r')"),
    (
        "a.kt",
        "class A {\n    fun f(a: Int): Int { return g(a) }\n}\n",
        "fun f(a: Int): Int { $$$B }",
    ),
    (
        "a.swift",
        "class A {\n  func f() { g() }\n}\n",
        "func f() { $$$B }",
    ),
    ("a.rb", "foo(1) { |x| y }\n", "foo($A) { |x| $$$B }"),
    ("a.json", "{\"a\": {\"b\": 1}}\n", "{\"b\": $A}"),
    ("a.yaml", "image: \"nginx:1\"\n", "image: \"$A\""),
];

#[test]
fn a_pattern_is_read_in_every_way() {
    let mut wrong = Vec::new();
    for (path, text, pattern) in READ {
        let valid = Pattern::new(pattern, crate::language::for_file(path, text));
        let matches = match &valid {
            Ok(_) => found(path, text, pattern),
            Err(invalid) => {
                wrong.push(format!(
                    "{path}: {pattern}: {invalid} at {}",
                    invalid.offset
                ));
                continue;
            }
        };
        if matches.len() != 1 {
            wrong.push(format!("{path}: {pattern}: {matches:?}"));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

/// A literal counts in each language: a pattern whose leaf has another text does not match.
#[test]
fn another_literal_does_not_match() {
    let mut tried = 0;
    let mut wrong = Vec::new();
    let languages = crate::language::LANGUAGES.iter();
    for language in languages.filter(|one| one.grammar().is_some()) {
        let (path, text) = language.sample();
        let parsed = Parsed::parse(Source::new(path, language, text.to_string()));
        let mut open = vec![(parsed.root(), None)];
        let mut all: Vec<(Node<'_>, Span)> = Vec::new();
        while let Some((node, outer)) = open.pop() {
            let children = node.own_children();
            let outer = match node.span().len() < 120 {
                true => outer.or(Some(node)),
                false => None,
            };
            if let Some(outer) = outer.filter(|_| !node.is_extra()) {
                let leaves = parts(node, text).into_iter().filter(|part| match part {
                    Part::Node { node, .. } => node.is_leaf() && node.is_named(),
                    Part::Text { .. } => true,
                });
                all.extend(leaves.map(|part| (outer, part.span())));
                open.extend(children.into_iter().map(|child| (child, Some(outer))));
            } else {
                open.extend(children.into_iter().map(|child| (child, None)));
            }
        }
        let step = all.len().div_ceil(150).max(1);
        for (outer, leaf) in all.into_iter().step_by(step) {
            let span = outer.span();
            let Some(at) = text[leaf.range()].rfind(|c: char| c.is_ascii_alphanumeric()) else {
                continue;
            };
            let at = leaf.start() + at;
            let other = if &text[at..at + 1] == "1" { "2" } else { "1" };
            let changed = [&text[span.start()..at], other, &text[at + 1..span.end()]].concat();
            let has_placeholder = template::placeholders(&changed).next().is_some();
            let Some(pattern) = Pattern::new(&changed, language)
                .ok()
                .filter(|_| !has_placeholder)
            else {
                continue;
            };
            tried += 1;
            let matches = pattern.find(&parsed, 1_000).found;
            if matches.iter().any(|one| one.span().contains(span)) {
                wrong.push(format!("{}: {changed:?}", language.name));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    assert!(tried > 1_000, "{tried} tried");
}

#[test]
fn a_deep_pattern_fits_on_a_small_stack() {
    let half = (PATTERN_BYTES - 1) / 2;
    let deep = format!("{}a{}", "(".repeat(half), ")".repeat(half));
    let search = move || {
        let parsed = parsed("a.js", &format!("x = {deep};\n"));
        let language = parsed.source().language();
        let pattern = Pattern::new(&deep, language).expect("it is valid");
        pattern.find(&parsed, 10).found.len()
    };
    let thread = std::thread::Builder::new().stack_size(2 * 1024 * 1024);
    let found = thread.spawn(search).expect("there are threads").join();
    assert_eq!(found.expect("it does not fail"), 1);
}

#[test]
fn a_string_matches_only_by_its_value() {
    for (path, text, pattern, is_match) in [
        ("a.rb", "f('#{x}')\n", "f(\"#{x}\")", false),
        ("a.rb", "f(\"#{x}\")\n", "f('#{x}')", false),
        ("a.rb", "f('a\\n')\n", "f(\"a\\n\")", false),
        ("a.rb", "f('a')\n", "f(\"a\")", true),
        ("a.toml", "a = 'b\\n'\n", "a = \"b\\n\"", false),
        ("a.c", "int f() { return g('a'); }\n", "g(\"a\")", false),
        ("a.php", "<?php f('$a');\n", "f(\"$a\")", false),
        ("a.py", "f(b'a')\n", "f(\"a\")", false),
        ("a.py", "f(r'a')\n", "f(r\"a\")", true),
        ("a.js", "f('say \"a\"');\n", "f(\"say \\\"a\\\"\")", true),
        ("a.js", "f(`a`);\n", "f(\"a\")", false),
        ("a.rs", "fn f() { g(b\"a\"); }\n", "g(\"a\")", false),
        ("a.rs", "fn f() { g(c\"a\"); }\n", "g(\"a\")", false),
        ("a.rs", "fn f() { g(\"a\"); }\n", "g(\"a\")", true),
        ("a.css", "a { b: 'c'; }\n", "a { b: \"c\"; }", true),
    ] {
        let matches = match Pattern::new(pattern, crate::language::for_file(path, text)) {
            Ok(pattern) => pattern.find(&parsed(path, text), 10).found.len(),
            Err(invalid) => panic!("{path}: {pattern}: {invalid}"),
        };
        assert_eq!(matches == 1, is_match, "{path}: {pattern} in {text}");
    }
}

#[test]
fn several_nodes_are_of_one_place() {
    for (path, text, pattern) in [
        (
            "a.py",
            "if a:\n    b()\nelse:\n    c()\n",
            "if $C:\n    $$$B",
        ),
        (
            "a.py",
            "try:\n    b()\nexcept E:\n    c()\n",
            "try:\n    $$$B",
        ),
        (
            "a.c",
            "void f() { if (a) b(); else c(); }\n",
            "if ($C) $$$B",
        ),
        ("a.js", "if (a) b(); else c();\n", "if ($C) $$$B"),
    ] {
        assert_eq!(found(path, text, pattern), [], "{path}: {pattern}");
    }
    let text = "if a:\n    b()\n    c()\n";
    let captures = ["$$$B=b()\n    c()", "$C=a"];
    let matches = found("a.py", text, "if $C:\n    $$$B");
    assert_eq!(matches, [one(text.trim_end(), &captures)]);
}
