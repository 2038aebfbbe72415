//! The answer of an edit that is written without a preview: it shows the ends of each change.

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::{Bench, patched};

const RUST: &str = "\
/// Counts.
#[derive(Debug)]
struct Hits(u32);

impl Hits {
    /// Adds one.
    #[inline]
    fn add(&mut self, by: u32) -> u32 {
        let old = self.0;
        // The limit.
        if old < 10 {
            self.0 += by;

            self.log(\"added\", old);
        }
        match old {
            0 => self.reset(1, 2),
            _ => {}
        }
        old
    }

    fn reset(&mut self, a: u32, b: u32) {
        self.0 = 0;
    }
}

static NAMES: [&str; 2] = [
    \"first\",
    \"second\",
];
";

const PYTHON: &str = "\
import os


class Hits:
    \"\"\"Counts.\"\"\"

    @property
    def add(self, by):
        old = self.hits
        if old < 10:
            self.hits += by

            self.log(\"added\", old)
        return old

    # Sets it.
    def reset(self, a, b):
        self.hits = 0


NAMES = {\"first\": 1, \"second\": [1, 2]}
";

const JSON: &str = "\
{
  \"first\": [1, 2],
  \"second\": {
    \"third\": null
  }
}
";

/// A file, nodes in it and contents for them.
struct Example {
    name: &'static str,
    text: &'static str,
    selectors: &'static [&'static str],
    contents: &'static [&'static str],
}

const EXAMPLES: [Example; 3] = [
    Example {
        name: "a.rs",
        text: RUST,
        selectors: &[
            "struct_item@struct Hits",
            "function_item@fn add",
            "function_item@fn reset",
            "let_declaration@let old",
            "expression_statement@self.log",
            "if_expression@old < 10",
            "match_arm@0 =>",
            "match_arm@_ =>",
            "parameter@a: u32",
            "argument@1",
            "string_literal@\"second\"",
            "string_literal@\"added\"",
            "block@self.0 = 0",
        ],
        contents: &[
            "/// Other.\nfn add(&mut self) {\n    let old = self.0;\n    if old < 10 {\n        old\n    }\n}",
            "    fn add(&mut self) {\n        let old = 1;\n        old\n    }\n",
            "fn add(&mut self) {\n        let old = 1;\n    }",
            "fn add(&mut self) {\n\tlet old = 1;\n\tif old {\n\t\told\n\t}\n}\n",
            "#[test]\nfn reset() {\n    self.0 = 0;\n}\n\nfn more() {\n    self.0 = 1;\n}",
            "/// One.\nstruct Hits {\n    hits: u32,\n}",
            "let old = 2;",
            "let old = 2;\nlet more = 3;\n",
            "    self.log(\n        old,\n    );",
            "if true {\n    self.log(1);\n} else {\n    self.log(2);\n}",
            "1 => self.reset(1, 1),",
            "1 => {\n    self.reset(1, 1)\n}",
            "\"third\"",
            "\"third\",",
            "c: u32",
            "{\n    self.0 = 1;\n}",
        ],
    },
    Example {
        name: "b.py",
        text: PYTHON,
        selectors: &[
            "function_definition@def add",
            "decorated_definition@def add",
            "function_definition@def reset",
            "class@class Hits",
            "if_statement@if old",
            "expression_statement@self.log",
            "return_statement@return old",
            "string@\"added\"",
            "pair@\"first\"",
            "pair@\"second\"",
            "block@self.hits = 0",
        ],
        contents: &[
            "def add(self):\n    old = self.hits\n    if old:\n        return 1\n    return old\n",
            "    def add(self):\n        \"\"\"Adds.\n\n        One.\n        \"\"\"\n        return 1\n",
            "@property\ndef add(self):\n    return 1",
            "# Why.\ndef reset(self):\n\tself.hits = 1\n",
            "if old:\n    self.log(1)\nelse:\n    self.log(2)",
            "self.log(1)",
            "self.log(1)\nself.log(2)\n",
            "return 1",
            "\"third\": 3",
            "\"third\": 3,",
            "\"other\"",
        ],
    },
    Example {
        name: "c.json",
        text: JSON,
        selectors: &[
            "pair@\"first\"",
            "pair@\"second\"",
            "pair@\"third\"",
            "array@[1, 2]",
            "number@2",
            "null@null",
            "object@\"third\"",
        ],
        contents: &[
            "\"other\": 1",
            "\"other\": {\n  \"a\": 1,\n  \"b\": 2\n},",
            "    \"other\": {\n      \"a\": 1\n    }\n",
            "3",
            "{\n\t\"a\": 1\n}",
            "[\n  1\n]",
        ],
    },
];

/// Returns a tool and its arguments, without the file.
fn any_call() -> impl Strategy<Value = (usize, &'static str, Value)> {
    let parts = (
        0..EXAMPLES.len(),
        any::<prop::sample::Index>(),
        any::<prop::sample::Index>(),
        0..6usize,
    );
    let finds = (any::<prop::sample::Index>(), 1..6usize, 0..5usize);
    (parts, finds).prop_map(|((example, selector, content, how), (line, count, form))| {
        let Example {
            text,
            selectors,
            contents,
            ..
        } = EXAMPLES[example];
        let selector = selectors[selector.index(selectors.len())];
        let new_content = contents[content.index(contents.len())];
        let positions = ["before", "after", "first_child", "last_child"];
        let (tool, arguments) = match how {
            0 => ("replace_node", json!({"selector": selector})),
            1 => (
                "replace_node",
                json!({"selector": selector, "include_attached": true}),
            ),
            2 | 3 => {
                let position = positions[(count + form) % positions.len()];
                (
                    "insert_node",
                    json!({"selector": selector, "position": position}),
                )
            }
            _ => (
                "replace_text",
                json!({"find": find(text, line.index(text.lines().count()), count, form)}),
            ),
        };
        let mut arguments = arguments;
        arguments["new_content"] = json!(new_content);
        (example, tool, arguments)
    })
}

/// Returns a find for lines of a text: as they are, at column 0, with an elided middle or with a marked part.
fn find(text: &str, first: usize, count: usize, form: usize) -> String {
    let lines: Vec<&str> = text.lines().skip(first).take(count).collect();
    let whole = lines.join("\n");
    match (form, lines.as_slice()) {
        (1, lines) => {
            let lines = lines.iter().map(|line| line.trim_start());
            lines.collect::<Vec<_>>().join("\n")
        }
        (2, [first, .., last]) => format!("{first}<..>{last}"),
        (3, [first, .., last]) => {
            let middle = &whole[first.len()..whole.len() - last.len()];
            format!("{first}<|>{middle}<|>{last}")
        }
        (4, [only, ..]) => {
            let start = only.len() - only.trim_start().len();
            format!("{}<|>{}<|>", &only[..start], &only[start..])
        }
        _ => whole,
    }
}

/// Returns the number of lines with this sign that the ends of changes show or count.
fn accounted(seams: &str, sign: char, what: &str) -> i64 {
    let counted = |line: &str| match line.strip_prefix('[') {
        Some(rest) => {
            let counted = rest.strip_suffix("s]").or_else(|| rest.strip_suffix(']'))?;
            counted.strip_suffix(what)?.parse().ok()
        }
        None => line.starts_with(sign).then_some(1),
    };
    seams.lines().filter_map(counted).sum()
}

/// Returns the indentation of each line, and whether the line has text.
fn shapes(text: &str) -> Vec<(&str, bool)> {
    let shape = |line: &'_ str| line.len() - line.trim_start().len();
    text.lines()
        .map(|line| (&line[..shape(line)], shape(line) < line.len()))
        .collect()
}

/// With `TREEGRAFT_TEST_FULL=1`, they try all their cases.
mod long {
    use super::*;
    use crate::support::is_full;

    proptest! {
        #![proptest_config(ProptestConfig { cases: if is_full() { 500 } else { 60 }, ..ProptestConfig::default() })]

        #[test]
        fn an_answer_shows_the_ends_of_each_change_and_counts_the_rest(
            (example, tool, mut arguments) in any_call(), has_crlf in any::<bool>()
        ) {
            let Example { name, text, .. } = EXAMPLES[example];
            let before = if has_crlf { text.replace('\n', "\r\n") } else { text.to_string() };
            arguments["file_path"] = json!(name);
            arguments["apply"] = json!(true);
            let bench = Bench::with(name, &before);
            let Ok(answer) = bench.call(tool, arguments.clone()) else { return Ok(()) };
            let after = String::from_utf8(bench.read(name)).expect("it is text");
            let other = Bench::with(name, &before);
            let mut in_full = arguments.clone();
            in_full["diff"] = json!("full");
            let full = other.call(tool, in_full).expect("the same edit");
            let diff = full.json["files"][0]["diff"].as_str().expect("the diff").to_string();
            prop_assert_eq!(patched(&before, &diff), after.clone());

            let file = &answer.json["files"][0];
            prop_assert_eq!(&file["diff"], &Value::Null);
            // Lines of the same shape are not shown: as many are removed as added.
            let seams = file["seams"].as_str().unwrap_or_default();
            prop_assert!(answer.text.contains(seams), "{}", answer.text);
            let number = |name: &str| file[name].as_i64().expect("a number");
            let removed = number("removed_lines") - accounted(seams, '-', " removed line");
            let added = number("added_lines") - accounted(seams, '+', " added line");
            prop_assert!(removed >= 0 && removed == added, "{diff}\n{seams}");
            if seams.is_empty() {
                prop_assert_eq!(shapes(&before), shapes(&after));
            }
            // The lines are those of the diff, in their order.
            let mut all = diff.lines();
            for line in seams.lines().filter(|line| !line.starts_with('[')) {
                let is_line = |one: &str| one == line || one.strip_prefix('+') == line.strip_prefix(' ');
                prop_assert!(all.any(is_line), "{line}\n{diff}\n{seams}");
            }
        }
    }
}
