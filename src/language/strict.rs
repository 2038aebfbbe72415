//! The parsers of the languages themselves, if they are fast: they refuse texts that tree-sitter accepts.

#[cfg(any(feature = "lang-javascript", feature = "lang-typescript"))]
mod javascript;
#[cfg(feature = "lang-python")]
mod python;
#[cfg(feature = "lang-rust")]
mod rust;
#[cfg(feature = "lang-toml")]
mod toml;
#[cfg(feature = "lang-yaml")]
mod yaml;

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::StrictProblem;

#[cfg(any(feature = "lang-javascript", feature = "lang-typescript"))]
pub(super) use javascript::check_javascript;
#[cfg(feature = "lang-python")]
pub(super) use python::check_python;
#[cfg(feature = "lang-rust")]
pub(super) use rust::check_rust;
#[cfg(feature = "lang-toml")]
pub(super) use toml::read_toml;
#[cfg(feature = "lang-yaml")]
pub(super) use yaml::read_yaml;

/// What the parser of a language itself reads in a text.
#[derive(Debug, Default)]
pub(crate) struct StrictReading {
    /// The values in the text, if it is data and the parser reached its end.
    pub(crate) data: Option<Data>,
    /// The first problem that the parser reports.
    pub(crate) problem: Option<StrictProblem>,
}

/// Code for a [`CodeParser`].
#[cfg_attr(
    not(feature = "lang-typescript"),
    expect(dead_code, reason = "the other parsers need less")
)]
pub(crate) struct Code<'c> {
    pub(crate) text: &'c str,
    /// The path of its file, whose extension may decide between dialects.
    pub(crate) path: &'c str,
    /// The name of a file in the language.
    pub(crate) sample: &'static str,
    /// Whether it is only a part of a file, such as a script in a page.
    pub(crate) is_part: bool,
}

/// The parser of a language, with what the language refuses in the scopes of a whole file. It returns the first problem.
pub(crate) type CodeParser = fn(&Code<'_>) -> Option<StrictProblem>;

/// The stack for a parser that is recursive, in bytes. Only what is used takes memory.
#[cfg(feature = "code-parser")]
const STACK: usize = 512 << 20;

/// Runs a parser that may be recursive, and returns its problem in the form of our own messages. Returns `None` if the parser
/// panics or the system has no memory for its stack.
pub(crate) fn check_code(parser: CodeParser, code: &Code<'_>) -> Option<StrictProblem> {
    let problem = with_stack(|| parser(code)).flatten()?;
    let message = problem.message.trim_end_matches('.');
    let first = message.chars().next().unwrap_or_default();
    let rest = &message[first.len_utf8().min(message.len())..];
    Some(StrictProblem {
        message: format!("{}{rest}", first.to_lowercase()),
        ..problem
    })
}

/// Runs a parser that may be recursive. Returns `None` if it panics or the system has no memory for its stack.
pub(crate) fn with_stack<R>(run: impl FnOnce() -> R) -> Option<R> {
    // A new thread would cost more time than the parser needs for a small file.
    #[cfg(feature = "code-parser")]
    let run = || stacker::grow(STACK, run);
    catch_unwind(AssertUnwindSafe(run)).ok()
}

/// The values in a text, each with the collections that contain it.
#[derive(Debug, Default)]
pub(crate) struct Data {
    /// Keys and scalar values, in file order.
    pub(crate) values: Vec<Value>,
    /// Collections and pairs; each follows the one that contains it.
    pub(crate) groups: Vec<Group>,
}

/// A key or a scalar value.
#[derive(Debug)]
pub(crate) struct Value {
    /// Its bytes.
    pub(crate) span: Range<usize>,
    /// A hash of its meaning.
    pub(crate) says: u64,
    /// A hash of its meaning with a line break at the end of the file; 0 unless it is the last value.
    pub(crate) says_but_break: u64,
    /// Where the anchor that an alias refers to is.
    pub(crate) refers_to: Option<usize>,
    /// The group that contains it.
    pub(crate) within: usize,
}

/// A collection, or a pair in one.
#[derive(Debug)]
pub(crate) struct Group {
    pub(crate) kind: GroupKind,
    /// The group that contains it.
    pub(crate) within: Option<usize>,
    /// The key of a pair, with a hash of its meaning.
    pub(crate) key: Option<(Range<usize>, u64)>,
    /// Whether it is a pair without a value.
    pub(crate) is_null: bool,
}

/// The kind of a group.
#[cfg_attr(
    not(feature = "lang-yaml"),
    expect(dead_code, reason = "the other languages of data have not all of them")
)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GroupKind {
    Document,
    Mapping,
    Sequence,
    Pair,
}

#[cfg(feature = "lang-yaml")]
impl Group {
    fn is_pair(&self) -> bool {
        self.kind == GroupKind::Pair
    }
}

#[cfg(any(feature = "lang-toml", feature = "lang-yaml"))]
impl Data {
    fn open(&mut self, kind: GroupKind, within: Option<usize>) -> usize {
        self.groups.push(Group {
            kind,
            within,
            key: None,
            is_null: false,
        });
        self.groups.len() - 1
    }
}

#[cfg(any(feature = "lang-json", feature = "lang-toml", feature = "lang-yaml"))]
impl StrictReading {
    fn refused(text: &str, offset: usize, message: &str) -> StrictReading {
        let mut offset = offset.min(text.len());
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        let message = message.to_string();
        StrictReading {
            data: None,
            problem: Some(StrictProblem { message, offset }),
        }
    }
}

/// Reads and validates JSON. serde_json skips ignored values without recursion, so depth is safe.
#[cfg(feature = "lang-json")]
pub(super) fn read_json(text: &str) -> StrictReading {
    let bare = text.trim_start_matches('\u{feff}');
    let Err(error) = serde_json::from_str::<serde::de::IgnoredAny>(bare) else {
        return StrictReading::default();
    };
    let line_start: usize = bare
        .split_inclusive('\n')
        .take(error.line().saturating_sub(1))
        .map(str::len)
        .sum();
    let offset = line_start + error.column().saturating_sub(1);
    let message = error.to_string();
    let message = message.split(" at line ").next().unwrap_or_default();
    StrictReading::refused(text, text.len() - bare.len() + offset, message)
}

/// Returns a hash of a value.
#[cfg(any(feature = "lang-toml", feature = "lang-yaml"))]
fn hash(of: &(impl std::hash::Hash + ?Sized)) -> u64 {
    use std::hash::{DefaultHasher, Hasher};
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(feature = "lang-json")]
    #[test]
    fn the_real_json_parser_says_where_and_survives_depth() {
        assert_eq!(
            read_json("{\n  \"a\": 1,\n}").problem,
            Some(StrictProblem {
                message: "key must be a string".to_string(),
                offset: 12
            })
        );
        let deep = "[".repeat(200_000) + &"]".repeat(200_000);
        assert_eq!(read_json(&deep).problem, None);
        assert!(
            read_json("1 2")
                .problem
                .is_some_and(|problem| problem.offset == 2)
        );
    }

    #[cfg(feature = "lang-toml")]
    #[test]
    fn the_real_toml_parser_says_where_and_survives_depth() {
        assert_eq!(
            read_toml("\u{feff}a = 1\n[b]\nc = 2\nc = 3\n").problem,
            Some(StrictProblem {
                message: "duplicate key".to_string(),
                offset: 19
            })
        );
        assert_eq!(read_toml("a = [1, 2]\r\n").problem, None);
        let deep = format!("a = {}", "[".repeat(200_000) + &"]".repeat(200_000));
        let message = read_toml(&deep).problem.map(|problem| problem.message);
        let too_deep = "cannot recurse further; max recursion depth met";
        assert_eq!(message.as_deref(), Some(too_deep));
    }

    #[cfg(feature = "lang-yaml")]
    #[test]
    fn the_real_yaml_parser_says_where_and_survives_depth() {
        let problem = |text: &str| read_yaml(text).problem.map(|one| (one.message, one.offset));
        assert_eq!(problem("a: &b 1\nc: *b\n---\n- é\n- !x y\n"), None);
        let doubled = ("duplicate key".to_string(), 9);
        assert_eq!(
            problem("\u{feff}é: 1\n\"é\": 2\n<<: 3\n<<: 4\n"),
            Some(doubled)
        );
        assert!(problem("a:\n - b\n c: d\n").is_some());
        assert!(read_yaml(&"[".repeat(200_000)).problem.is_some());
        assert_eq!(problem(&"- ".repeat(20_000)), None);
        let starts = |text: &str| {
            let data = read_yaml(text).data.unwrap_or_default();
            let starts = data.values.iter().map(|value| value.span.start);
            starts.collect::<Vec<usize>>()
        };
        // A block scalar starts with its sign.
        assert_eq!(starts("a: |  # |\n\n  b\nc: >-2\r\n  d\n"), [0, 3, 15, 18]);
        assert_eq!(starts("- |\n\n- >+\n- |\n"), [2, 7, 12]);
    }

    /// A language, its valid code, and code with the problem that its parser reports and the text there.
    #[cfg(all(
        feature = "lang-python",
        feature = "lang-rust",
        feature = "lang-typescript"
    ))]
    const CODE: &[(&str, &str, &str, &str, &str)] = &[
        (
            "a.py",
            "f(1, k=2)\n",
            "f(1, k=2, 3)\n",
            "positional argument",
            "3",
        ),
        (
            "a.py",
            "def f(a, b=1): pass\n",
            "def f(a, b=1, c): pass\n",
            "without a default",
            "c)",
        ),
        (
            "a.py",
            "def f():\n    return 1\n",
            "return 1\n",
            "outside of a function",
            "return",
        ),
        (
            "a.py",
            "async def f():\n    await g()\n    return [await x async for x in y]\n",
            "def f():\n    await g()\n",
            "outside of an asynchronous function",
            "await",
        ),
        (
            "a.py",
            "def f():\n    return (await x for x in y)\n",
            "def f():\n    return [await x for x in y]\n",
            "outside of an asynchronous function",
            "await",
        ),
        (
            "a.py",
            "for x in y:\n    if x:\n        break\n",
            "for x in y:\n    def f():\n        break\n",
            "outside loop",
            "break",
        ),
        (
            "a.py",
            "x = lambda: (yield)\n",
            "class A:\n    yield 1\n",
            "outside of a function",
            "yield",
        ),
        (
            "a.py",
            "def f():\n    global x\n    x = 1\n",
            "def f():\n    x = 1\n    global x\n",
            "prior to global declaration",
            "x",
        ),
        ("a.py", "(x := f(1))\n", "x := f(1)\n", "", ":="),
        (
            "a.js",
            "const a = 1;\n",
            "const a;\n",
            "missing initializer",
            "a",
        ),
        (
            "a.js",
            "let a; { let a; }\n",
            "let a; let a;\n",
            "already been declared",
            "a;\n",
        ),
        (
            "a.js",
            "async function f() { await g(); }\n",
            "function f() { await g(); }\n",
            "",
            "await",
        ),
        (
            "a.js",
            "await f();\nexport {};\n",
            "return 1;\n",
            "return",
            "return",
        ),
        (
            "a.js",
            "const a = require('a');\nif (a) return;\n",
            "const a = require('a');\nif (a) return\nlet a;\n",
            "already been declared",
            "a;",
        ),
        (
            "a.js",
            "function f(a, ...b) {}\n",
            "function f(...b, a) {}\n",
            "rest",
            "...b",
        ),
        (
            "a.js",
            "for await (const a of b) c(a);\n",
            "for await (const a of b) c(a; b);\n",
            "",
            "",
        ),
        ("a.js", "x = <A />;\n", "x = <A>;\n", "", ""),
        ("a.jsx", "x = <A />;\n", "x = <A>;\n", "", ""),
        (
            "a.ts",
            "let a: number = 1;\n",
            "const a: number;\n",
            "missing initializer",
            "a",
        ),
        (
            "a.d.ts",
            "export const a: number;\n",
            "export const a: ;\n",
            "",
            ";",
        ),
        (
            "a.tsx",
            "x = <A<T> b={1} />;\n",
            "enum A { b = }\n",
            "",
            "}",
        ),
        (
            "a.rs",
            "fn f() -> bool { (a < b) == c }\n",
            "fn f() -> bool { a < b == c }\n",
            "chain",
            "==",
        ),
    ];

    #[cfg(all(
        feature = "lang-python",
        feature = "lang-rust",
        feature = "lang-typescript"
    ))]
    #[test]
    fn the_parsers_of_languages_know_more_than_their_grammars() {
        let mut wrong = Vec::new();
        for (path, valid, invalid, message, at) in CODE {
            let language = crate::language::for_file(path, valid);
            let of_valid = language.code_problem(valid, path, false);
            let problem = language.code_problem(invalid, path, false);
            let is_expected = |problem: &StrictProblem| {
                problem.message.contains(message) && invalid[problem.offset..].starts_with(at)
            };
            if of_valid.is_some() || !problem.as_ref().is_some_and(is_expected) {
                wrong.push(format!("{invalid:?}: {of_valid:?} {problem:?}"));
            }
        }
        assert_eq!(wrong, Vec::<String>::new());
    }

    /// A part of a Rust file may end with a doc comment or an attribute whose item is not part of it.
    #[cfg(feature = "lang-rust")]
    #[test]
    fn doc_comments_and_attributes_may_end_a_part() {
        use crate::string_edit::{Outcome, StringEdit, outcome};
        use crate::{Parsed, Source};
        for (text, old, new, is_right) in [
            ("// a\nstruct A;\n", "// a", "/// a", true),
            ("// a\n\nstruct A;\n", "// a", "#[b] // a", true),
            (
                "\n\n\n// a\n\nstruct A;\n",
                "\n\n\n//",
                "\n#[b]\n\n//",
                true,
            ),
            // Another item may be what syn does not know.
            (
                "fn a() {}\n\nmacro b($c) {}\n\nfn d() { e(1) == f; }\n",
                "e(1)",
                "e < 1",
                false,
            ),
            ("// a\n", "// a", "/// a", false),
            ("struct A;\n\n// a\n", "// a", "#[b]", false),
        ] {
            let language = crate::language::for_file("a.rs", text);
            let parsed = Parsed::parse(Source::new("a.rs", language, text.to_string()));
            let outcome = outcome(&parsed, &[StringEdit::new(old, new)]);
            assert_eq!(
                matches!(outcome, Outcome::Sound(_)),
                is_right,
                "{text:?}: {new:?}"
            );
        }
    }

    /// Code as deep as allowed does not exhaust the stack, even without optimization.
    #[cfg(all(
        feature = "lang-python",
        feature = "lang-rust",
        feature = "lang-typescript"
    ))]
    #[test]
    fn deep_code_is_checked_or_left() {
        use crate::{Parsed, Source};
        for (path, start, open, middle, close, end) in [
            ("a.js", "x = ", "(", "1", ")", ";"),
            ("a.js", "x = ", "!", "1", "", ";"),
            ("a.js", "", "{", "", "}", ""),
            ("a.ts", "x = ", "f(() => [", "1", "])", ";"),
            ("a.tsx", "x = ", "<a>", "", "</a>", ";"),
            ("a.py", "x = ", "(", "1", ")", ""),
            ("a.py", "x = ", "not ", "1", "", ""),
            ("a.rs", "fn f() {", "{", "", "}", "}"),
            ("a.rs", "fn f() { ", "g(!", "1", ")", "; }"),
        ] {
            for depth in [100, 1_900, 60_000] {
                let text = [
                    start,
                    &open.repeat(depth),
                    middle,
                    &close.repeat(depth),
                    end,
                ]
                .concat();
                let language = crate::language::for_file(path, &text);
                let parsed = Parsed::parse(Source::new(path, language, text.clone()));
                let problem = parsed.code_problem_in(parsed.root(), parsed.source().whole());
                assert_eq!(problem, None, "{path}: {open}");
                let broken = text.replacen(middle, "1 1", 1);
                let parsed = Parsed::parse(Source::new(path, language, broken));
                let problem = parsed.code_problem_in(parsed.root(), parsed.source().whole());
                match depth {
                    100 => assert!(problem.is_some(), "{path}: {open}"),
                    60_000 => assert_eq!(problem, None, "{path}: {open}"),
                    _ => {}
                }
            }
        }
    }
}
