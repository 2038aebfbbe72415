//! Checks rules: their matches, and what is refused.

use super::*;
use crate::source::Source;

fn file(text: &str) -> RuleFile {
    RuleFile {
        name: String::new(),
        text: text.to_string(),
    }
}

fn read(rule: &str) -> Result<RuleSet, InvalidRule> {
    RuleSet::read(&[file(rule)], &[])
}

/// Returns the text of each match, its variables and its message.
fn found(path: &str, text: &str, rules: &RuleSet) -> Vec<String> {
    let language = crate::language::for_file(path, text);
    let parsed = Parsed::parse(Source::new(path, language, text.to_string()));
    let matches = rules.find(&parsed, path, 100);
    assert!(!matches.cut);
    let shown = matches.found.into_iter().map(|one| {
        let captures = one.captures.iter();
        let captures =
            captures.map(|(name, span)| format!(" {name}={}", parsed.source().slice(*span)));
        let computed = one.transformed.iter();
        let computed = computed.map(|(name, text)| format!(" {name}:{text}"));
        let all: String = captures.chain(computed).collect();
        format!("{}{all} {}", parsed.text_of(one.node), one.message)
            .trim_end()
            .to_string()
    });
    shown.collect()
}

/// Returns the place and the message of a refusal.
fn refused(rule: &str) -> String {
    match read(rule) {
        Ok(_) => "valid".to_string(),
        Err(invalid) => format!("{}: {}", invalid.place, invalid.message),
    }
}

const NO_AWAIT: &str = "
id: no-await-in-loop
message: await of $VALUE in a loop
language: TypeScript
rule:
  pattern: await $VALUE
  inside:
    any:
      - kind: for_in_statement
      - kind: while_statement
    stopBy: end
  not:
    inside: {kind: arrow_function, stopBy: end}
";

#[test]
fn conditions_on_other_nodes_are_combined() {
    let text = "while (a) { await f(1); x.map(async (y) => { await y; }); }\nawait g();\n";
    let rules = read(NO_AWAIT).expect("it is valid");
    let expected = ["await f(1) $VALUE=f(1) await of f(1) in a loop"];
    assert_eq!(found("a.ts", text, &rules), expected);
    assert_eq!(found("a.tsx", text, &rules), [""; 0]);
}

#[test]
fn constraints_and_transforms_apply() {
    let rule = r#"{"language": "py", "rule": {"pattern": "old($NAME, $$$REST)"},
        "constraints": {"NAME": {"regex": "^[a-z]+Name$"}},
        "transform": {"SNAKE": {"convert": {"source": "$NAME", "toCase": "snakeCase"}},
                      "SHORT": "substring($SNAKE, startChar=0, endChar=-5)"},
        "fix": "new($SHORT, $$$REST)"}"#;
    let rules = read(rule).expect("it is valid");
    let text = "old(userName, 1, 2)\nold(other, 1)\n";
    let expected = ["old(userName, 1, 2) $$$REST=1, 2 $NAME=userName $SHORT:user $SNAKE:user_name"];
    assert_eq!(found("a.py", text, &rules), expected);
}

#[test]
fn patterns_have_the_sign_of_their_language() {
    for (language, path, text, pattern) in [
        ("Rust", "a.rs", "fn f() { let a = b; }\n", "let $A = $B;"),
        (
            "Go",
            "a.go",
            "package a\nfunc f() {\n\ta := b\n}\n",
            "$A := $B",
        ),
        ("Cpp", "a.cpp", "int f() { return a->b; }\n", "$A->$B"),
        (
            "csharp",
            "a.cs",
            "class C { int f() { return a.b; } }\n",
            "$A.$B",
        ),
        ("Bash", "a.sh", "echo a b\n", "echo $A $B"),
        ("php", "a.php", "<?php f(1, 2);\n", "f($A, $B)"),
        ("JavaScript", "a.jsx", "f(<a/>, 1);\n", "f($A, $B)"),
        ("html", "a.html", "<p>text</p>\n", "<p>$A</p>"),
    ] {
        let rule = format!("language: {language}\nrule: {{any: [{{pattern: '{pattern}'}}]}}\n");
        match read(&rule) {
            Ok(rules) => {
                let found = found(path, text, &rules);
                assert_eq!(found.len(), 1, "{language}: {found:?}");
                assert!(found[0].contains("$A="), "{language}: {found:?}");
            }
            // As a pattern without a rule.
            Err(invalid) => {
                let language = language::by_name(language).expect("it is known");
                assert!(
                    crate::pattern::Pattern::new(pattern, language).is_err(),
                    "{invalid}"
                );
            }
        }
    }
}

#[test]
fn embedded_code_matches() {
    let rule = "language: js\nrule: {pattern: alert($A)}\n";
    let text = "<p>alert(1)</p>\n<script>\nalert(2);\n</script>\n";
    let rules = read(rule).expect("it is valid");
    assert_eq!(found("a.html", text, &rules), ["alert(2) $A=2"]);
}

#[test]
fn utility_rules_and_globs_apply() {
    let utils = file(
        "id: is-literal\nlanguage: rust\nrule:\n  any:\n  - kind: integer_literal\n  \
         - kind: tuple_expression\n    has: {matches: is-literal}\n",
    );
    let rule = file(
        "language: rust\nrule: {pattern: 'f($A)'}\nconstraints: {A: {matches: is-literal}}\n\
         ignores: ['tests/**']\n---\nlanguage: rust\nid: b\nrule: {kind: call_expression}\nfiles: ['b.rs']\n",
    );
    let rules = RuleSet::read(&[rule], &[utils]).expect("they are valid");
    let text = "fn g() { f(1); f(x); f((x, (1, y))); }\n";
    let expected = ["f(1) $A=1", "f((x, (1, y))) $A=(x, (1, y))"];
    assert_eq!(found("a.rs", text, &rules), expected);
    assert_eq!(found("tests/a.rs", text, &rules), [""; 0]);
    assert_eq!(found("b.rs", text, &rules).len(), 5);
}

#[test]
fn rewriters_rewrite_what_is_captured() {
    let rule = "
language: python
rule: {pattern: 'x = $LIST'}
rewriters:
- id: double
  language: Python
  rule: {pattern: 'two($N)'}
  transform: {INNER: {rewrite: {source: $N, rewriters: [double]}}}
  fix: ($INNER * 2)
transform:
  NEW: {rewrite: {rewriters: [double], source: $LIST}}
fix: x = $NEW
";
    let rules = read(rule).expect("it is valid");
    let text = "x = [two(1), two(two(a))]\n";
    let expected =
        ["x = [two(1), two(two(a))] $LIST=[two(1), two(two(a))] $NEW:[(1 * 2), ((a * 2) * 2)]"];
    assert_eq!(found("a.py", text, &rules), expected);
}

#[test]
fn rewriters_may_take_turns_if_one_goes_further_in() {
    let rule = "
language: python
rule: {pattern: 'x = $LIST'}
rewriters:
- id: call
  rule: {pattern: $CALL, kind: call}
  transform: {NEW: {rewrite: {source: $CALL, rewriters: [double]}}}
  fix: $NEW
- id: double
  rule: {pattern: 'two($N)'}
  transform: {INNER: {rewrite: {source: $N, rewriters: [call]}}}
  fix: ($INNER * 2)
transform:
  NEW: {rewrite: {rewriters: [call], source: $LIST}}
fix: x = $NEW
";
    let rules = read(rule).expect("it is valid");
    let found = found("a.py", "x = two(two(1))\n", &rules);
    assert_eq!(
        found,
        ["x = two(two(1)) $LIST=two(two(1)) $NEW:((1 * 2) * 2)"]
    );
}

#[test]
fn unknown_keys_are_refused_with_their_place() {
    let rule = |rest: &str| refused(&format!("language: ts\nrule: {rest}\n"));
    assert_eq!(rule("{patern: f($A)}"), "rule: unknown key `patern`");
    let places = [
        (
            "{kind: string, has: {kinds: number, kind: string}}",
            "rule.has",
        ),
        ("{all: [{kind: string}, {knid: string}]}", "rule.all[1]"),
        ("{pattern: {context: f(), selectors: x}}", "rule.pattern"),
        (
            "{kind: string, nthChild: {position: 1, of: {}}}",
            "rule.nthChild",
        ),
        (
            "{kind: string, inside: {kind: string, stopBy: {kindd: a}}}",
            "rule.inside.stopBy",
        ),
        ("{kind: string}\nfix: {template: a, expand: b}", "fix"),
        ("{kind: string}\ntransforms: {}", ""),
        (
            "{pattern: f($A)}\ntransform: {B: {replace: {source: $A, with: b}}}",
            "transform.B.replace",
        ),
        ("{kind: string}\nutils: {a: {kinds: b}}", "utils.a"),
        ("{kind: string}\nlabels: {A: {styles: primary}}", "labels.A"),
    ];
    for (text, place) in places {
        let refused = rule(text);
        assert!(
            refused.starts_with(&format!("{place}: unknown key")),
            "{text}: {refused}"
        );
    }
}

#[test]
fn invalid_values_are_refused_with_their_place() {
    let rule = |rest: &str| refused(&format!("language: ts\nrule: {rest}\n"));
    for (text, expected) in [
        (
            "{pattern: 'f($A'}",
            "rule.pattern: the pattern is invalid for typescript: syntax error",
        ),
        (
            "{has: {pattern: 'a b'}}",
            "rule.has.pattern: the pattern is invalid for typescript: syntax error",
        ),
        ("{kind: strng}", "rule.kind: kind `strng` is invalid"),
        (
            "{kind: 'string:nth-child(99999)'}",
            "rule.kind: it is too long, or contains a large number",
        ),
        (
            "{regex: '('}",
            "rule.regex: the regular expression is invalid: unclosed group",
        ),
        (
            "{nthChild: 2n1}",
            "rule.nthChild: it is neither a number nor of the form `2n+1`",
        ),
        (
            "{kind: string, has: {field: nme, kind: identifier}}",
            "rule.has.field: typescript has no field \"nme\"",
        ),
        (
            "{kind: string, precedes: {field: name, kind: identifier}}",
            "rule.precedes.field: `field` is valid only in `has` and `inside`",
        ),
        ("{matches: missing}", ": rule `missing` is not defined"),
        ("{pattern: $A}", "rule: it matches nodes of any type"),
        ("{kind: }", "rule.kind: it has no value"),
        ("{}", "rule: it has no condition"),
        ("[]", "rule: it is not a mapping of keys"),
        ("{pattern: 'f($A)'}\nfix: g($B)", "fix: `$B` is not defined"),
        (
            "{pattern: 'f($A)'}\nconstraints: {B: {kind: string}}",
            "constraints: `$B` is not defined",
        ),
        (
            "{pattern: 'f($A)'}\ntransform: {B: {convert: {source: $A, toCase: SNAKE}}}",
            "transform.B.convert.toCase: \"SNAKE\" is not one of lowerCase, upperCase, capitalize, camelCase, snakeCase, kebabCase, pascalCase",
        ),
        (
            "{pattern: 'f($A)'}\ntransform: {B: {replace: {source: $A, replace: '[', by: ''}}}",
            "transform.B.replace.replace: the regular expression is invalid: unclosed character class",
        ),
        (
            "{pattern: 'f($A)'}\ntransform: {B: {replace: {source: $_A, replace: a, by: ''}}}",
            "transform.B.replace.source: \"$_A\" is not a named variable such as `$A`",
        ),
        (
            "{pattern: 'f($A)'}\ntransform: {B: 'replace($A, replace=)'}",
            "transform.B: it is not of the form `replace($A, replace='a', by='b')`",
        ),
        (
            "{pattern: 'f($A)'}\ntransform: {B: 'upper($A, x=1)'}",
            "transform.B: unknown transform \"upper\"",
        ),
        (
            "{pattern: 'f($A)'}\ntransform: {b: 'replace($A, replace=a, by=b)'}",
            "transform.b: the name of a variable has only A-Z, 0-9 and _, and starts with A-Z",
        ),
        (
            "{pattern: 'f($A, $$$A)'}",
            "rule: `A` is both `$A` and `$$$A`",
        ),
        (
            "{kind: string}\nfix: [{title: a, template: b}]",
            "fix: treegraft does not support a list of fixes",
        ),
        (
            "{kind: string}\nfix: {template: a, expandEnd: {regex: ','}}",
            "fix.expandEnd: treegraft does not support `expandEnd`",
        ),
        (
            "{kind: string}\nseverity: bad",
            "severity: \"bad\" is not one of hint, info, warning, error, off",
        ),
        (
            "{kind: string}\nrewriters: [{id: a, language: go, rule: {kind: string}, fix: a}]",
            "rewriters[0].language: it is not the language of the rule",
        ),
        (
            "{kind: string}\nfiles: ['[']",
            "files[0]: error parsing glob '[': unclosed character class; missing ']'",
        ),
        (
            "{pattern: f(, }",
            "rule.pattern: the pattern is invalid for typescript: syntax error",
        ),
    ] {
        assert_eq!(rule(text), expected, "{text}");
    }
    assert_eq!(refused("rule: {kind: a}"), ": `language` is missing");
    assert_eq!(
        refused("language: cobol\nrule: {kind: a}"),
        "language: unknown language \"cobol\""
    );
    assert_eq!(refused(""), ": there is no rule");
    assert_eq!(refused("- a"), ": a rule must be a mapping of keys");
}

#[test]
fn unbounded_recursion_is_refused() {
    let refused = |rest: &str| refused(&format!("language: ts\n{rest}\n"));
    for util in [
        "{kind: string, nthChild: {position: 1, ofRule: {matches: u}}}",
        "{has: {inside: {matches: u}}}",
        "{any: [{kind: string, precedes: {matches: u, stopBy: end}}]}",
        "{any: [{has: {matches: u}}, {inside: {matches: u}}]}",
    ] {
        let text = refused(&format!(
            "rule: {{kind: string, matches: u}}\nutils: {{u: {util}}}"
        ));
        assert!(text.contains("refers to itself"), "{text}");
    }
    let text = refused(
        "rule: {kind: string, matches: u}\nutils: {u: {any: [{matches: v}]}, v: {matches: u}}",
    );
    assert!(text.contains("yclic"), "{text}");
    for (rule, source) in [
        ("pattern: $A", "$A"),
        ("{kind: string, inside: {pattern: f($A)}}", "$A"),
        ("pattern: g($B)", "$OUT"),
    ] {
        let rule = match rule.starts_with('{') {
            true => rule.to_string(),
            false => format!("{{{rule}}}"),
        };
        let text = refused(&format!(
            "rule: {{pattern: h($OUT)}}\nrewriters: [{{id: r, rule: {rule}, fix: $N, transform: {{N: {{rewrite: {{source: \
             {source}, rewriters: [r]}}}}}}}}]\ntransform: {{X: {{rewrite: {{source: $OUT, rewriters: [r]}}}}}}"
        ));
        assert!(text.contains("rewrites itself"), "{text}");
    }
}

#[test]
fn deep_rules_are_refused_and_deep_code_is_searched() {
    for deep in [
        format!("language: ts\nrule: {}{{kind: string}}{}", "{not: ".repeat(5000), "}".repeat(5000)),
        format!("{}a", "- ".repeat(50_000)),
        format!("{}1{}", "[".repeat(50_000), "]".repeat(50_000)),
        "a: &a [x, x, x, x, x, x, x, x, x]\nb: &b [*a, *a, *a, *a, *a, *a, *a, *a]\nc: &c [*b, *b, *b, *b, *b, *b, *b]\n\
         d: &d [*c, *c, *c, *c, *c, *c, *c]\ne: &e [*d, *d, *d, *d, *d, *d, *d]\nf: &f [*e, *e, *e, *e, *e, *e]\n\
         g: [*f, *f, *f, *f, *f, *f, *f, *f, *f, *f, *f, *f]\n".to_string(),
    ] {
        let refused = refused(&deep);
        let why = ["nested values", "invalid YAML"];
        assert!(why.iter().any(|why| refused.contains(why)), "{refused}");
    }
    let rule = "language: ts\nrule: {kind: array, has: {matches: u}}\nutils: {u: {any: [{kind: number}, {kind: array, \
                has: {matches: u}}]}}\n";
    let rules = read(rule).expect("it is valid");
    let text = |depth: usize| format!("{}1{};\n", "[".repeat(depth), "]".repeat(depth));
    assert_eq!(found("a.ts", &text(90), &rules).len(), 90);
    let deep = text(5000);
    let parsed = Parsed::parse(Source::new(
        "a.ts",
        crate::language::for_file("a.ts", &deep),
        deep,
    ));
    assert!(rules.find(&parsed, "a.ts", 10).cut);
    let rules = read("language: ts\nrule: {kind: number, inside: {kind: program, stopBy: end}}\n")
        .expect("valid");
    assert_eq!(rules.find(&parsed, "a.ts", 10).found.len(), 1);
}
