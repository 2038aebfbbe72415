//! Checks the text of rewritten matches.

use crate::language;
use crate::pattern::Pattern;
use crate::source::Source;

use super::*;

/// Returns the new text, and the outcome of each match that is not replaced.
fn rewritten(path: &str, text: &str, pattern: &str, template: &str) -> (String, Vec<String>) {
    let language = language::for_file(path, text);
    let parsed = Parsed::parse(Source::new(path, language, text.to_string()));
    let own = Pattern::new(pattern, language).expect("the pattern is valid");
    let template = Template::new(template, pattern).expect("the template is valid");
    let (matches, inner) = outermost(own.find(&parsed, 100).found);
    assert!(!matches.is_empty(), "{path}: {pattern} does not match");
    let done = rewrite(
        &parsed,
        &matches,
        &inner,
        &Rewriting {
            templates: &[Some(template)],
            allow: &[],
            find: &|parsed| own.find(parsed, 100).found,
        },
    );
    let outcomes = done.outcomes.iter().filter_map(|outcome| match outcome {
        Outcome::Replaced { lost_comments, .. } if lost_comments.is_empty() => None,
        Outcome::Replaced { .. } => Some("loses comments".to_string()),
        Outcome::Unchanged => Some("unchanged".to_string()),
        Outcome::Refused(refused) => Some(format!("{:?}", refused.why).chars().take(80).collect()),
    });
    let outcomes = outcomes.collect();
    let new = match done.made {
        Some(made) => made.checked().after().source().text().to_string(),
        None => text.to_string(),
    };
    (new, outcomes)
}

#[track_caller]
fn check(path: &str, text: &str, pattern: &str, template: &str, expected: &str) {
    let (new, outcomes) = rewritten(path, text, pattern, template);
    assert_eq!((new.as_str(), outcomes), (expected, Vec::new()));
}

#[test]
fn arguments_are_swapped_and_keep_their_lines() {
    let text = "compare(a, b)\ncompare(\n    first,  # one\n    f(\n        2,\n    ),\n)\n";
    let expected = "compare(b, a)\ncompare(\n    f(\n        2,\n    ),  # one\n    first,\n)\n";
    check("a.py", text, "compare($A, $B)", "compare($B, $A)", expected);
}

#[test]
fn a_name_is_replaced_alone() {
    let text = "x = old(\n    1, 2,  # two\n)\n";
    let expected = "x = new(\n    1, 2,  # two\n)\n";
    check("a.py", text, "old($$$ALL)", "new($$$ALL)", expected);
}

#[test]
fn a_chain_keeps_its_lines() {
    let text = "fn f() {\n    x.iter()\n        .map(|a| a)\n        .unwrap();\n}\n";
    let expected = "fn f() {\n    x.iter()\n        .map(|a| a)\n        .expect(\"no\");\n}\n";
    check("a.rs", text, "$A.unwrap()", "$A.expect(\"no\")", expected);
}

#[test]
fn an_argument_is_added_and_removed() {
    check("a.py", "f(1)\n", "f($A)", "f($A, None)", "f(1, None)\n");
    check("a.py", "f(1, 2)\n", "f($A, $B)", "f($A)", "f(1)\n");
    check(
        "a.py",
        "f(\n    1,\n    2,\n)\n",
        "f($A, $B)",
        "f($A)",
        "f(\n    1,\n)\n",
    );
    check(
        "a.py",
        "f()\nf(1)\n",
        "f($$$A)",
        "f($$$A, x)",
        "f(x)\nf(1, x)\n",
    );
    check(
        "a.py",
        "f()\nf(1)\n",
        "f($$$A)",
        "f(x, $$$A)",
        "f(x)\nf(x, 1)\n",
    );
}

#[test]
fn a_capture_of_several_lines_is_indented_where_it_goes() {
    let text = "function f() {\n  if (ready) {\n    wait(\n      function () {\n        g();\n      },\n    );\n  }\n}\n";
    // The argument keeps the line that it had.
    let expected = "function f() {\n  if (ready) {\n    later(\n      function () {\n        g();\n      }, 1,\n    );\n  }\n}\n";
    check("a.js", text, "wait($A)", "later($A, 1)", expected);
    let expected = "function f() {\n  if (ready) {\n    if (x) {\n      later(1, function () {\n        g();\n      });\n    }\n  }\n}\n";
    check(
        "a.js",
        text,
        "wait($A);",
        "if (x) {\n  later(1, $A);\n}",
        expected,
    );
}

#[test]
fn a_template_of_several_lines_is_indented() {
    let text = "def f():\n    if a:\n        old(x)\n";
    let expected = "def f():\n    if a:\n        if ready:\n            new(x)\n";
    check("a.py", text, "old($A)", "if ready:\n    new($A)", expected);
}

#[test]
fn strings_keep_their_bytes() {
    let text = "class A:\n    def f(self):\n        old(\"\"\"\n  a\n b\n\"\"\")\n";
    let expected =
        "class A:\n    def f(self):\n        with x:\n            new(\"\"\"\n  a\n b\n\"\"\")\n";
    check("a.py", text, "old($A)", "with x:\n    new($A)", expected);
}

#[test]
fn a_capture_stays_one_node() {
    let text = "let y = double(x + 1) + double(2);\n";
    let (new, outcomes) = rewritten("a.js", text, "double($A)", "$A * 2");
    assert_eq!(new, "let y = (x + 1) * 2 + 2 * 2;\n");
    assert_eq!(outcomes, Vec::<String>::new());
    let (new, outcomes) = rewritten("a.js", text, "double($A)", "($A) * 2");
    assert_eq!(new, "let y = (x + 1) * 2 + (2) * 2;\n");
    assert_eq!(outcomes, Vec::<String>::new());
}

#[test]
fn each_of_several_captured_nodes_stays_one_node() {
    let text = "f(1, x + 1);\nf(x + 1, 1);\n";
    let (new, outcomes) = rewritten("a.js", text, "f($$$ALL)", "g($$$ALL * 2)");
    assert_eq!(new, "f(1, x + 1);\ng(x + 1, 1 * 2);\n");
    assert_eq!(outcomes.len(), 1, "{outcomes:?}");
}

#[test]
fn an_empty_template_deletes() {
    let text = "fn f() {\n    // why\n    debug(1);\n    g();\n}\n";
    check("a.rs", text, "debug($A)", "", "fn f() {\n    g();\n}\n");
}

#[test]
fn a_rewrite_that_breaks_the_syntax_is_left_out() {
    let text = "f(1)\nx = f(2)\n";
    let (new, outcomes) = rewritten("a.py", text, "f($A)", "assert $A");
    assert_eq!(new, "assert 1\nx = f(2)\n");
    assert_eq!(outcomes.len(), 1, "{outcomes:?}");
}

#[test]
fn only_the_replacement_may_look_like_a_sketch() {
    let text = "f(a.replace(/\\n/g, ''));\n";
    check(
        "a.js",
        text,
        "f($A)",
        "g($A)",
        "g(a.replace(/\\n/g, ''));\n",
    );
    let text = "f(f(/a\\n[.]{3}/), 1);\n";
    check(
        "a.js",
        text,
        "f($$$A)",
        "g($$$A)",
        "g(g(/a\\n[.]{3}/), 1);\n",
    );
    let (new, outcomes) = rewritten(
        "a.js",
        "f(1);\n",
        "f($A);",
        "g($A); // ... the rest stays the same",
    );
    assert_eq!(new, "f(1);\n");
    assert_eq!(outcomes.len(), 1, "{outcomes:?}");
}

#[test]
fn a_lost_comment_is_noticed() {
    let (new, outcomes) = rewritten("a.js", "f(1 /* one */, 2);\n", "f($A, $B)", "$B");
    assert_eq!(new, "2;\n");
    assert_eq!(outcomes, ["loses comments"]);
}

#[test]
fn captures_and_results_get_parentheses() {
    check(
        "a.js",
        "x = double(a + b);\n",
        "double($A)",
        "$A * 2",
        "x = (a + b) * 2;\n",
    );
    check(
        "a.js",
        "x = not(a === b);\n",
        "not($A)",
        "!$A",
        "x = !(a === b);\n",
    );
    check(
        "a.js",
        "x = 3 * add(a, b);\n",
        "add($A, $B)",
        "$A + $B",
        "x = 3 * (a + b);\n",
    );
    check(
        "a.js",
        "x = 3 * add(a, b ? c : d);\n",
        "add($A, $B)",
        "$A + $B",
        "x = 3 * (a + (b ? c : d));\n",
    );
    check(
        "a.py",
        "x = double(a + b) + double(c)\n",
        "double($A)",
        "$A * 2",
        "x = (a + b) * 2 + c * 2\n",
    );
    check(
        "a.rs",
        "fn f() { x = double(a + b); }\n",
        "double($A)",
        "$A * 2",
        "fn f() { x = (a + b) * 2; }\n",
    );
    check(
        "a.ts",
        "let x: Maybe<A>[];\n",
        "Maybe<$T>",
        "$T | null",
        "let x: (A | null)[];\n",
    );
    check(
        "a.ts",
        "let x: Array<A | B>;\n",
        "Array<$T>",
        "$T[]",
        "let x: (A | B)[];\n",
    );
}

#[test]
fn a_comment_of_removed_code_does_not_move() {
    let text = "f(\n    a,\n    debug=True,  # for now\n    b,  # b\n)\n";
    let (new, outcomes) = rewritten("a.py", text, "f($$$A, debug=True, $$$B)", "f($$$A, $$$B)");
    assert_eq!(new, "f(\n    a,\n    b,  # b\n)\n");
    assert_eq!(outcomes, ["loses comments"]);
    let text = "f(a, debug, /* b */ b);\n";
    check(
        "a.js",
        text,
        "f($A, debug, $B)",
        "f($A, $B)",
        "f(a, /* b */ b);\n",
    );
    let text = "f(\n  a,\n  x, // x\n);\n";
    check(
        "a.js",
        text,
        "f($A, x)",
        "f($A, y)",
        "f(\n  a,\n  y, // x\n);\n",
    );
}

#[test]
fn a_last_comma_stays_after_the_member_before() {
    check(
        "a.py",
        "t = (a, x,)\n",
        "($$$A, x, $$$B)",
        "($$$A, $$$B)",
        "t = (a,)\n",
    );
    check(
        "a.py",
        "t = (a, x)\n",
        "($$$A, x, $$$B)",
        "[$$$A, $$$B]",
        "t = [a]\n",
    );
    check(
        "a.py",
        "f(\n    a,\n    x,\n)\n",
        "f($$$A, x, $$$B)",
        "f($$$A, $$$B)",
        "f(\n    a,\n)\n",
    );
    check(
        "a.js",
        "f(x,);\n",
        "f($$$A, x, $$$B)",
        "f($$$A, $$$B)",
        "f();\n",
    );
}

#[test]
fn an_equal_replacement_is_unchanged() {
    let (new, outcomes) = rewritten("a.js", "f(1, 1);\n", "f($A, $B)", "f($B, $A)");
    assert_eq!(new, "f(1, 1);\n");
    assert_eq!(outcomes, ["unchanged"]);
}

#[test]
fn fences_are_rewritten() {
    let text = "> ```python\n> f(1, 2)\n> ```\n";
    let language = language::for_file("a.py", "");
    let parsed = Parsed::parse(Source::new(
        "a.md",
        language::for_file("a.md", text),
        text.to_string(),
    ));
    let pattern = Pattern::new("f($A, $B)", language).expect("valid");
    let template = Template::new("if x:\n    f($B, $A)", "f($A, $B)").expect("valid");
    let found = pattern.find(&parsed, 10).found;
    let rewriting = Rewriting {
        templates: &[Some(template)],
        allow: &[],
        find: &|_| Vec::new(),
    };
    let done = rewrite(&parsed, &found, &[], &rewriting);
    let made = done.made.expect("it is replaced");
    let new = made.checked().after().source().text();
    assert_eq!(new, "> ```python\n> if x:\n>     f(2, 1)\n> ```\n");
}

#[test]
fn crlf_stays() {
    let text = "f(\r\n    1,\r\n    2,\r\n)\r\n";
    let expected = "f(\r\n    2,\r\n    1,\r\n)\r\n";
    check("a.py", text, "f($A, $B)", "f($B, $A)", expected);
}

#[test]
fn a_line_break_stays_in_brackets() {
    let text = "def f():\n    return same(\n        a,  # one\n        b,\n    )\n";
    let (new, outcomes) = rewritten("a.py", text, "same($A, $B)", "$A == $B");
    assert_eq!(new, "def f():\n    return a == b\n");
    assert_eq!(outcomes, ["loses comments"]);

    let text = "x = same(\n    a +\n    b,\n    c,\n)\ny = [same(a +\n    b, c)]\nz = same(g(\n    1\n), \"\"\"\n\"\"\")\n";
    let (new, outcomes) = rewritten("a.py", text, "same($A, $B)", "$A == $B");
    assert_eq!(
        new,
        "x = (a +\n    b == c)\ny = [a +\n    b == c]\nz = g(\n    1\n) == \"\"\"\n\"\"\"\n"
    );
    assert_eq!(outcomes, Vec::<String>::new());
}

#[test]
fn a_comment_after_the_last_capture_hides_no_code() {
    let text = "f(\n    a,\n    b  # last\n)\n";
    let expected = "g(\n    a,\n    b, 1  # last\n)\n";
    check("a.py", text, "f($$$ALL)", "g($$$ALL, 1)", expected);
}

#[test]
fn whitespace_in_strings_is_that_of_the_replacement() {
    check(
        "a.js",
        "f('a  b');\n",
        "f('a  b')",
        "f('a c')",
        "f('a c');\n",
    );
    check(
        "a.js",
        "f('a  b');\n",
        "f('a  b')",
        "g('a  b')",
        "g('a  b');\n",
    );
}

#[test]
fn line_breaks_of_two_kinds_are_not_made_equal() {
    let text = "f(`a\nb`,\r\n  2);\r\nf(3, 4);\r\n";
    let (new, outcomes) = rewritten("a.js", text, "f($A, $B)", "g($A, $B)");
    assert_eq!(new, "f(`a\nb`,\r\n  2);\r\ng(3, 4);\r\n");
    assert_eq!(outcomes, ["MixedLineBreaks"]);
}

#[test]
fn brackets_are_not_joined() {
    let text = "x = f([[a]])\n";
    check("a.lua", text, "f( $A )", "t[ $A ]", "x = t[ [[a]] ]\n");
    let text = "async function f() {}\n";
    let (pattern, template) = ("async function f() { $$$A }", "function f() { $$$A }");
    check("a.ts", text, pattern, template, "function f() {}\n");
}

#[test]
fn words_are_not_joined() {
    check("a.js", "x = !a;\n", "!$A", "void $A", "x = void a;\n");
    check(
        "a.py",
        "x = (a)in(b)\n",
        "$A in $B",
        "$B not in $A",
        "x = (b) not in(a)\n",
    );
}

#[test]
fn code_that_the_pattern_does_not_mention_is_no_match() {
    for (path, text, pattern) in [
        ("a.rb", "foo(1) { |x| keep }\n", "foo($A)"),
        ("a.rb", "foo 1 do |x|\n  keep\nend\n", "foo $A"),
        ("a.js", "if (a) { x() } else { keep() }\n", "if (a) { x() }"),
        ("a.js", "const q = 3, keep = 4\n", "const q = 3"),
        (
            "a.js",
            "try { a() } catch (e) { b() } finally { keep() }\n",
            "try { a() } catch (e) { b() }",
        ),
        ("a.js", "import d, { keep } from 'm'\n", "import d from 'm'"),
        (
            "a.js",
            "async function keep() { a() }\n",
            "function $F() { $$$B }",
        ),
        ("a.py", "raise E from keep\n", "raise E"),
        ("a.py", "raise E(1) from keep\n", "raise E($_)"),
        ("a.py", "assert a, keep\n", "assert a"),
        ("a.py", "x[1:2:keep]\n", "x[1:2]"),
        (
            "a.py",
            "try:\n    a()\nexcept E:\n    b()\nfinally:\n    keep()\n",
            "try:\n    $$$A\nexcept E:\n    $$$B",
        ),
        (
            "A.java",
            "class A { B b = new B() { int keep; }; }\n",
            "new B()",
        ),
        (
            "a.rs",
            "fn f() { match a { 1 if keep => x(), _ => y() } }\n",
            "match a { 1 => $X, _ => $Y }",
        ),
    ] {
        let parsed = Parsed::parse(Source::new(
            path,
            language::for_file(path, text),
            text.to_string(),
        ));
        let own = Pattern::new(pattern, parsed.source().language()).expect("the pattern is valid");
        let found = own.find(&parsed, 100).found;
        assert!(found.is_empty(), "{path}: {pattern} in {text:?}");
    }
}

#[test]
fn code_that_an_unnamed_placeholder_matches_is_mentioned() {
    check("a.py", "f((1), g(2))\n", "f($_, $$$)", "h()", "h()\n");
    check("a.js", "f([a, b], c)\n", "f($_, $A)", "h($A)", "h(c)\n");
    check("a.ts", "a.b || a.b;\n", "$A || $A", "$A", "a.b;\n");
}

/// A pattern that lacks a child of a node does not match it.
#[test]
fn a_node_with_a_further_child_does_not_match() {
    let mut tried = 0;
    for language in language::LANGUAGES
        .iter()
        .filter(|one| one.grammar().is_some())
    {
        let (path, text) = language.sample();
        let parsed = Parsed::parse(Source::new(path, language, text.to_string()));
        let mut open = vec![parsed.root()];
        let mut pairs = Vec::new();
        while let Some(node) = open.pop() {
            let children = node.own_children();
            if (4..200).contains(&node.span().len()) {
                pairs.extend(children.iter().map(|child| (node, *child)));
            }
            open.extend(children);
        }
        let step = pairs.len().div_ceil(500).max(1);
        for (node, child) in pairs.into_iter().step_by(step) {
            let lost = parsed.text_of(child).into_owned();
            let is_code = lost.chars().any(char::is_alphanumeric);
            if !is_code || node.is_protected() || child.raw().is_none_or(|raw| raw.is_extra()) {
                continue;
            }
            let (start, end) = (node.span(), child.span());
            let ends = [
                Span::new(start.start(), end.start()),
                Span::new(end.end(), start.end()),
            ];
            let pattern = ends
                .map(|part| parsed.source().slice(part).into_owned())
                .concat();
            let Ok(own) = Pattern::new(&pattern, language) else {
                continue;
            };
            tried += 1;
            let found = own.find(&parsed, 1_000).found;
            let is_it = |found: &Match<'_>| found.span().contains(node.span());
            let what = format!("{}: {pattern:?} without {lost:?}", language.name);
            assert!(!found.iter().any(is_it), "{what}");
        }
    }
    assert!(tried > 1_000, "{tried} tried");
}

/// A rewrite to the pattern itself changes no byte, and one that puts something around it keeps each token.
#[test]
fn a_rewrite_to_itself_changes_nothing() {
    let mut tried = 0;
    for language in language::LANGUAGES
        .iter()
        .filter(|one| one.grammar().is_some())
    {
        let (path, text) = language.sample();
        let parsed = Parsed::parse(Source::new(path, language, text.to_string()));
        let mut open = vec![parsed.root()];
        let mut nodes = Vec::new();
        while let Some(node) = open.pop() {
            let children = node.own_children();
            if node.is_named() && (3..200).contains(&node.span().len()) && !children.is_empty() {
                nodes.push(node);
            }
            open.extend(children);
        }
        let step = nodes.len().div_ceil(60).max(1);
        for node in nodes.into_iter().step_by(step) {
            let pattern = parsed.text_of(node).trim().to_string();
            let Ok(own) = Pattern::new(&pattern, language) else {
                continue;
            };
            let (found, _) = outermost(own.find(&parsed, 100).found);
            let is_it = |found: &Match<'_>| parsed.text_of(found.node).trim() == pattern;
            let found: Vec<Match<'_>> = found.into_iter().filter(is_it).take(1).collect();
            if found.is_empty() {
                continue;
            }
            tried += 1;
            let what = format!("{}: {pattern:?}", language.name);
            for content in [pattern.clone(), format!("{pattern} + x")] {
                let template = Template::new(&content, &pattern).expect("it has no placeholder");
                let filled = edit::filled(&parsed, &found[0], &template, &[]);
                assert!(filled.lost_code.is_empty(), "{what}: {filled:?}");
                let rewriting = Rewriting {
                    templates: &[Some(template)],
                    allow: &[],
                    find: &|_| Vec::new(),
                };
                let done = rewrite(&parsed, &found, &[], &rewriting);
                match content == pattern {
                    true => assert!(done.made.is_none(), "{what}"),
                    false => {
                        let words = |text: &str| {
                            let words = crate::pattern::words(text, 0..text.len());
                            let words = words.into_iter().map(|word| text[word.range].to_string());
                            words.collect::<Vec<String>>()
                        };
                        let old = words(&parsed.text_of(found[0].node));
                        let new = words(&filled.content);
                        let mut rest = new.iter();
                        assert!(
                            old.iter().all(|word| rest.any(|own| own == word)),
                            "{what}: {new:?}"
                        );
                    }
                }
            }
        }
    }
    assert!(tried > 500, "{tried} tried");
}

#[test]
fn spaces_between_equal_tokens_stay() {
    check(
        "a.js",
        "x = (b)+c;\n",
        "$A + $B",
        "f($A + $B)",
        "x = f((b)+c);\n",
    );
    check(
        "a.js",
        "x = [a,b ,c];\n",
        "[$A, $B, $C]",
        "[$A, $B, $C, d]",
        "x = [a,b ,c, d];\n",
    );
}

#[test]
fn inner_matches_are_rewritten_first() {
    for (text, pattern, template, expected) in [
        (
            "old(old(1), 2);\n",
            "old($$$A)",
            "fresh($$$A)",
            "fresh(fresh(1), 2);\n",
        ),
        ("a(a(a(1)));\n", "a($A)", "b($A)", "b(b(b(1)));\n"),
        (
            "f(x, f(y, 1));\n",
            "f($A, $B)",
            "f($B, $A)",
            "f(f(1, y), x);\n",
        ),
        (
            "old(() => {\n  old(1);\n  g();\n}, 2);\n",
            "old($$$A)",
            "fresh($$$A, 0)",
            "fresh(() => {\n  fresh(1, 0);\n  g();\n}, 2, 0);\n",
        ),
        ("old(old(1), old(2));\n", "old($$$A)", "", ""),
    ] {
        check("a.js", text, pattern, template, expected);
    }
}

#[test]
fn a_match_with_a_refused_inner_one_is_refused() {
    let text = "d(d(x + 1));\n";
    let (new, outcomes) = rewritten("a.js", text, "d($A)", "$A = 2");
    assert_eq!(new, text);
    assert_eq!(outcomes, ["Inner { text: \"d(x + 1)\" }"]);
}

#[test]
fn a_member_keeps_its_name() {
    check(
        "a.js",
        "f({ foo, a: foo });\n",
        "foo",
        "baz",
        "f({ foo: baz, a: baz });\n",
    );
    check(
        "a.js",
        "const { foo } = x;\n",
        "foo",
        "baz",
        "const { foo: baz } = x;\n",
    );
    check(
        "a.rs",
        "fn f() { S { foo, b: foo } }\n",
        "foo",
        "baz",
        "fn f() { S { foo: baz, b: baz } }\n",
    );
}

#[test]
fn the_quotes_of_the_file_stay() {
    check(
        "a.js",
        "x = require('fs');\n",
        "require(\"fs\")",
        "load(\"fs\")",
        "x = load('fs');\n",
    );
    check(
        "a.ts",
        "import fs from 'fs';\n",
        "import fs from \"fs\"",
        "import fs from \"node:fs\"",
        "import fs from 'node:fs';\n",
    );
    check(
        "a.py",
        "open('a', 'r')\n",
        "open($A, \"r\")",
        "open($A)",
        "open('a')\n",
    );
}

#[test]
fn statements_in_a_row_are_rewritten_together() {
    check(
        "a.js",
        "function f() {\n  lock();\n  // why\n  work(1);\n  unlock();\n  g();\n}\n",
        "work($A); unlock();",
        "run($A);",
        "function f() {\n  lock();\n  // why\n  run(1);\n  g();\n}\n",
    );
    check(
        "a.py",
        "def f():\n    a = g()\n    return a\n",
        "$X = g()\nreturn $X",
        "return g()",
        "def f():\n    return g()\n",
    );
    check(
        "A.java",
        "class A { void f() { lock(); work(1); unlock(); } }\n",
        "lock(); work($A); unlock();",
        "locked(() -> work($A));",
        "class A { void f() { locked(() -> work(1)); } }\n",
    );
}

#[test]
fn an_emptied_list_has_no_comma() {
    check("a.js", "f(a,);\n", "f($A)", "f()", "f();\n");
    check("a.js", "x = [a, b,];\n", "[$A, $B]", "[]", "x = [];\n");
    check(
        "a.py",
        "super(A, self,)\n",
        "super($C, self)",
        "super()",
        "super()\n",
    );
    check(
        "a.ts",
        "x = useMemo(a, b,);\n",
        "useMemo($F, $$$)",
        "($F)()",
        "x = (a)();\n",
    );
}

#[test]
fn a_comma_does_not_make_a_tuple() {
    for (text, pattern, template, expected) in [
        (
            "x = m.has(\n    a,\n)\n",
            "$M.has($K)",
            "($K in $M)",
            "x = (\n    a in m\n)\n",
        ),
        ("x = check(a,)\n", "check($A)", "($A)", "x = (a)\n"),
        ("x = check(a,)\n", "check($A)", "y[$A]", "x = y[a]\n"),
        ("x = foo(a, b,)\n", "foo($A, $B)", "$A[$B]", "x = a[b]\n"),
        (
            "x = foo(a, b,)\n",
            "foo($A, $B)",
            "bar($B, $A)",
            "x = bar(b, a,)\n",
        ),
        ("x = [a, b,]\n", "[$A, $B]", "[$B, $A]", "x = [b, a,]\n"),
    ] {
        let (new, _) = rewritten("a.py", text, pattern, template);
        let bare = |text: &str| text.split_whitespace().collect::<String>();
        assert_eq!(bare(&new), bare(expected), "{pattern} -> {template}: {new}");
    }
}

#[test]
fn a_statement_is_not_its_keyword() {
    let matches = |path: &str, text: &str, pattern: &str| {
        let language = language::for_file(path, text);
        let parsed = Parsed::parse(Source::new(path, language, text.to_string()));
        let own = Pattern::new(pattern, language).expect("it is valid");
        own.find(&parsed, 10).found.len()
    };
    let go = "package p\n\nfunc f() int {\n\treturn 1\n}\n";
    assert_eq!(matches("a.py", "def f():\n    return 1\n", "return"), 0);
    assert_eq!(matches("a.py", "def f():\n    return\n", "return"), 1);
    assert_eq!(matches("a.go", go, "return"), 0);
    assert_eq!(matches("a.rs", "fn f() -> u8 { g(1) }\n", "g($A);"), 0);
    assert_eq!(matches("a.rs", "fn f() { g(1); }\n", "g($A);"), 1);
}

#[test]
fn statements_in_a_row_are_those_of_each_language() {
    check(
        "a.go",
        "package p\n\nfunc g() {\n\tx()\n\tlock()\n\tunlock()\n}\n",
        "lock()\nunlock()",
        "sync()",
        "package p\n\nfunc g() {\n\tx()\n\tsync()\n}\n",
    );
    for (path, text, expected) in [
        ("a.rb", "a\nlock\nunlock\nb\n", "a\nsync\nb\n"),
        (
            "a.lua",
            "a()\nlock()\nunlock()\nb()\n",
            "a()\nsync()\nb()\n",
        ),
        ("a.R", "a()\nlock()\nunlock()\nb()\n", "a()\nsync()\nb()\n"),
    ] {
        let (pattern, template) = match path {
            "a.rb" => ("lock\nunlock", "sync"),
            _ => ("lock()\nunlock()", "sync()"),
        };
        check(path, text, pattern, template, expected);
    }
}
