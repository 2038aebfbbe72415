//! The answer of an edit that is written without a preview: with the call, it accounts for each changed line.

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

/// A changed line of a diff.
#[derive(Clone, Debug)]
struct Changed {
    number: u64,
    text: String,
}

/// Consecutive changed lines of a diff.
#[derive(Debug, Default)]
struct Run {
    removed: Vec<Changed>,
    added: Vec<Changed>,
}

fn runs(diff: &str) -> Vec<Run> {
    let mut runs = vec![Run::default()];
    let (mut old, mut new) = (0, 0);
    for line in diff.lines().skip(2) {
        let (sign, text) = line.split_at(line.len().min(1));
        let changed = |number| Changed {
            number,
            text: text.trim_end_matches('\r').to_string(),
        };
        let run = runs.last_mut().expect("there is always one");
        match sign {
            "@" => {
                let starts = line.split([' ', ',']).filter_map(|part| {
                    let number = part.strip_prefix(['-', '+'])?;
                    number.parse::<u64>().ok()
                });
                let starts: Vec<u64> = starts.collect();
                (old, new) = (starts[0], starts[1]);
                runs.push(Run::default());
            }
            "-" => {
                run.removed.push(changed(old));
                old += 1;
            }
            "+" => {
                run.added.push(changed(new));
                new += 1;
            }
            _ => {
                (old, new) = (old + 1, new + 1);
                runs.push(Run::default());
            }
        }
    }
    runs
}

/// Returns what differs between two texts, without their common ends.
fn differing<'t>(old: &'t str, new: &'t str) -> (&'t str, &'t str) {
    let same = |(one, other): &(char, char)| one == other;
    let front = old.chars().zip(new.chars()).take_while(same);
    let front: usize = front.map(|(c, _)| c.len_utf8()).sum();
    let (old, new) = (&old[front..], &new[front..]);
    let back = old.chars().rev().zip(new.chars().rev()).take_while(same);
    let back: usize = back.map(|(c, _)| c.len_utf8()).sum();
    (&old[..old.len() - back], &new[..new.len() - back])
}

/// Returns the line as it is if the answer's shift `by` is applied to `sent`.
fn shifted(sent: &str, by: &str) -> String {
    let count: usize = by[1..]
        .split(' ')
        .next()
        .expect("a number")
        .parse()
        .expect("a number");
    let sign = if by.ends_with("tab") || by.ends_with("tabs") {
        "\t"
    } else {
        " "
    };
    match by.starts_with('+') {
        true => format!("{}{sent}", sign.repeat(count)),
        false => sent.get(count..).unwrap_or_default().to_string(),
    }
}

/// What the caller knows: the call and the answer.
struct Known<'k> {
    before: &'k str,
    content: &'k str,
    /// The find or the selector, without markers.
    find: String,
    not_sent: &'k Value,
    notes: String,
}

impl Known<'_> {
    fn entries(&self, name: &str) -> Vec<&Value> {
        self.not_sent[name]
            .as_array()
            .into_iter()
            .flatten()
            .collect()
    }

    fn has_removed(&self, line: &Changed) -> bool {
        let text = line.text.trim();
        let mut sent = self.find.lines().chain(self.content.lines());
        let is_shown = || {
            self.entries("removed").iter().any(|run| {
                let [first, last] =
                    [&run["lines"][0], &run["lines"][1]].map(|n| n.as_u64().expect("a number"));
                let has = |name: &str| run[name].as_str().is_some_and(|part| text.contains(part));
                (first..=last).contains(&line.number)
                    && (line.number != first || has("first"))
                    && (line.number != last || has("last") || first == last)
            })
        };
        text.is_empty() || sent.any(|sent| sent.trim() == text) || is_shown()
    }

    fn has_added(&self, line: &Changed) -> bool {
        let text = line.text.as_str();
        let is_first = |sent: &str| self.content.trim_start().starts_with(sent);
        let is_sent = |sent: &str| {
            let has_shift = self.entries("reindented").iter().any(|one| {
                let lines = one["lines"].as_array().expect("ranges");
                let is_in = lines.iter().any(|range| {
                    let [first, last] =
                        [&range[0], &range[1]].map(|n| n.as_u64().expect("a number"));
                    (first..=last).contains(&line.number)
                });
                let is_exact = |by: &str| shifted(sent, by) == text;
                is_in
                    && one["by"]
                        .as_str()
                        .map_or(sent.trim_start() == text.trim_start(), is_exact)
            });
            has_shift || sent == text || (is_first(sent) && sent.trim_start() == text.trim_start())
        };
        let is_shown = || {
            self.entries("fitted").iter().any(|one| {
                one["line"].as_u64() == Some(line.number)
                    && one["text"].as_str().is_some_and(|part| text.contains(part))
            })
        };
        text.trim().is_empty() || self.content.lines().any(is_sent) || is_shown()
    }

    /// Returns whether what differs was sent or is shown.
    fn has(&self, run: &Run) -> bool {
        let text = |lines: &[Changed]| {
            let lines = lines.iter().map(|line| line.text.as_str());
            lines.collect::<Vec<_>>().join("\n")
        };
        let (old, new) = (text(&run.removed), text(&run.added));
        // A line next to what was written may be in the diff although it stays.
        let stays =
            |line: &Changed, others: &[Changed]| others.iter().any(|other| other.text == line.text);
        let (removed, added) = (&run.removed, &run.added);
        let is_old_known = |line| self.has_removed(line) || stays(line, added);
        let has_removed = removed.iter().all(is_old_known);
        // The first and the last line may be partly the file's own.
        let has_edge = |line: &Changed| {
            let mut sent = self
                .content
                .lines()
                .map(str::trim)
                .filter(|sent| !sent.is_empty());
            let is_of_file = |front: &str, back: &str| {
                let front = front.trim_end().trim_end_matches(',');
                self.before.lines().any(|line| line.starts_with(front))
                    && self.before.lines().any(|line| line.ends_with(back))
            };
            sent.any(|sent| {
                let mut parts = line.text.match_indices(sent);
                parts.any(|(start, _)| {
                    is_of_file(&line.text[..start], &line.text[start + sent.len()..])
                })
            })
        };
        let is_new_known = |line| self.has_added(line) || stays(line, removed) || has_edge(line);
        let has_added = added.iter().all(is_new_known);
        // The text that was written may begin or end like the one next to it.
        let fitted = self.entries("fitted").into_iter();
        let fitted = fitted.filter_map(|one| one["text"].as_str());
        let mut written = fitted.chain([self.content.trim()]);
        let is_written = |part: &str| {
            new.match_indices(part).any(|(start, _)| {
                let (front, back) = (&new[..start], new[start + part.len()..].trim_start());
                let bare_front = front.trim_end().trim_end_matches(',');
                let fronts = [Some(front), self.notes_separator().then_some(bare_front)];
                fronts.into_iter().flatten().any(|front| {
                    let rest = old.strip_prefix(front);
                    let rest = rest.and_then(|rest| rest.trim_end().strip_suffix(back));
                    rest.is_some_and(|rest| {
                        has_removed || self.has_part("removed", &self.find, rest)
                    })
                })
            })
        };
        let (old_part, new_part) = differing(&old, &new);
        let has_old = || {
            let mut parts = old_part.lines();
            has_removed || parts.all(|part| self.has_part("removed", &self.find, part))
        };
        let has_new = || {
            let mut parts = new_part.lines();
            has_added || parts.all(|part| self.has_part("fitted", self.content, part))
        };
        written.any(is_written) || has_old() && has_new()
    }

    fn notes_separator(&self) -> bool {
        self.notes.contains("separator") || self.notes.contains("comma")
    }

    /// Returns whether a part of a line is in a sent text, is in a list of the answer, or is a separator in a note.
    fn has_part(&self, list: &str, sent: &str, part: &str) -> bool {
        let part = part.trim();
        let is_shown = |one: &&Value| {
            let texts = [&one["text"], &one["first"], &one["last"]];
            texts
                .iter()
                .any(|text| text.as_str().is_some_and(|text| text.contains(part)))
        };
        part == "," && self.notes_separator()
            || sent.contains(part)
            || self.entries(list).iter().any(is_shown)
    }
}

/// With `TREEGRAFT_TEST_FULL=1`, they try all their cases.
mod long {
    use super::*;
    use crate::support::is_full;

    proptest! {
        #![proptest_config(ProptestConfig { cases: if is_full() { 500 } else { 60 }, ..ProptestConfig::default() })]

        #[test]
        fn the_call_and_the_answer_account_for_each_changed_line(
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
            prop_assert_eq!(patched(&before, &diff), after);

            let file = &answer.json["files"][0];
            prop_assert_eq!(&file["diff"], &Value::Null);
            let find = arguments["find"].as_str().or(arguments["selector"].as_str());
            let known = Known {
                before: &before,
                content: arguments["new_content"].as_str().expect("a text"),
                find: find.expect("a text").replace("<|>", ""),
                not_sent: &file["not_sent"],
                notes: answer.json["notes"].to_string(),
            };
            for one in known.entries("removed").iter().chain(&known.entries("fitted")) {
                let shown = one["first"].as_str().or(one["text"].as_str()).expect("a text");
                prop_assert!(answer.text.contains(shown), "{}", answer.text);
            }
            for run in runs(&diff) {
                prop_assert!(
                    known.has(&run),
                    "{tool} {arguments}\n{run:?}\n{diff}\n{}",
                    answer.text
                );
            }
        }
    }
}
