//! Compares the query files of a language with the facts that treegraft reads.
//!
//! Input: query files, and the grammar if it is known. Output: each kind of fact, whether a file states it, what it
//! brings, and lines that would state it with node types of the grammar.

use super::queries::{Origin, QueryError, Tables};
use super::{Grammar, QueryFile};

/// A kind of fact that a language may state in its query files.
struct Fact {
    file: &'static str,
    /// The capture, or how captures start.
    capture: &'static str,
    brings: &'static str,
    /// A line for an imaginary grammar.
    example: &'static str,
    lines: fn(&NodeTypes<'_>) -> Vec<String>,
}

/// A kind of fact about a language, and whether its query files state it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coverage {
    /// The query file for it.
    pub file: &'static str,
    /// The capture, such as `@list`, or captures; `@definition.` means all that start so.
    pub captures: String,
    /// Whether a query file states it.
    pub is_stated: bool,
    /// What it brings.
    pub brings: &'static str,
    /// Lines that would state what no file states, with node types of the grammar. They are a start: only a person knows
    /// the language.
    pub lines: Vec<String>,
    /// A line for a grammar with common node types.
    pub example: &'static str,
}

const FACTS: &[Fact] = &[
    Fact {
        file: "tags.scm",
        capture: "@definition.",
        brings: "symbols: outlines, and selectors and scopes by name",
        example: "(function_definition name: (_) @name) @definition.function",
        lines: definitions,
    },
    Fact {
        file: "tags.scm",
        capture: "@closed",
        brings: "faster outlines: nodes without symbols inside are skipped",
        example: "(string) @closed",
        lines: |types| types.lines(&["string", "comment"], "(TYPE) @closed"),
    },
    Fact {
        file: "attached.scm",
        capture: "@attached.",
        brings: "comments directly above a node are copied, moved and deleted with it",
        example: "((comment) @attached.doc (#set! touching \"lines\"))",
        lines: |types| {
            let line = "((TYPE) @attached.doc (#set! touching \"lines\"))";
            types.lines(&["comment", "line_comment", "block_comment"], line)
        },
    },
    Fact {
        file: "lists.scm",
        capture: "@list",
        brings: "separators: an insertion adds them and a deletion removes them",
        example: "(arguments) @list",
        lines: |types| {
            let lists = [
                "arguments",
                "argument_list",
                "parameters",
                "parameter_list",
                "formal_parameters",
                "array",
                "list",
                "tuple",
                "object",
                "map",
                "dictionary",
            ];
            types.lines(&lists, "(TYPE) @list")
        },
    },
    Fact {
        file: "bodies.scm",
        capture: "@body",
        brings: "insertions into a node: `--position first_child` and `last_child`",
        example: "(function_definition body: (_) @body)",
        lines: bodies,
    },
    Fact {
        file: "protected.scm",
        capture: "@protected",
        brings: "the lines of strings and comments keep their bytes when code is re-indented",
        example: "(string) @protected",
        lines: |types| {
            let mut lines = types.lines(&["string", "string_literal"], "(TYPE) @protected");
            let comment = "((TYPE) @protected (#set! lines \"together\"))";
            lines.extend(types.lines(&["comment", "block_comment"], comment));
            lines
        },
    },
    Fact {
        file: "injections.scm",
        capture: "@injection.content",
        brings: "other languages inside this one, if it has any",
        example: "((script) @injection.content (#set! injection.language \"javascript\"))",
        lines: |_| Vec::new(),
    },
];

/// The names of the query files.
pub const QUERY_FILES: [&str; 7] = [
    "tags.scm",
    "kinds.scm",
    "attached.scm",
    "lists.scm",
    "bodies.scm",
    "protected.scm",
    "injections.scm",
];

/// The endings of node types that are the thing itself: `function_definition`, but not `function_call`.
const ENDINGS: [&str; 8] = [
    "",
    "_definition",
    "_declaration",
    "_item",
    "_def",
    "_decl",
    "_statement",
    "_literal",
];

/// The named node types of a grammar.
struct NodeTypes<'g> {
    grammar: &'g Grammar,
}

impl NodeTypes<'_> {
    fn has(&self, name: &str) -> bool {
        let id = self.grammar.id_for_node_kind(name, true);
        id != 0 && self.grammar.node_kind_is_visible(id)
    }

    fn has_field(&self, name: &str) -> bool {
        self.grammar.field_id_for_name(name).is_some()
    }

    /// Returns the line for each of the node types that the grammar has.
    fn lines(&self, wanted: &[&str], line: &str) -> Vec<String> {
        let known = wanted.iter().filter(|name| self.has(name));
        known.map(|name| line.replace("TYPE", name)).collect()
    }

    /// Returns the node types that are a thing of this kind.
    fn of_kind(&self, kind: &str) -> Vec<String> {
        let names = ENDINGS.iter().map(|ending| format!("{kind}{ending}"));
        names.filter(|name| self.has(name)).collect()
    }
}

/// The kinds of symbols that most languages have.
const SYMBOL_KINDS: [&str; 12] = [
    "function",
    "method",
    "class",
    "struct",
    "enum",
    "interface",
    "module",
    "type",
    "constant",
    "section",
    "rule",
    "field",
];

fn definitions(types: &NodeTypes<'_>) -> Vec<String> {
    let name = match types.has_field("name") {
        true => Some("name: (_) @name"),
        false => {
            let names = [
                ("identifier", "(identifier) @name"),
                ("name", "(name) @name"),
                ("word", "(word) @name"),
            ];
            let known = names.into_iter().find(|(kind, _)| types.has(kind));
            known.map(|(_, pattern)| pattern)
        }
    };
    let Some(name) = name else {
        return Vec::new();
    };
    let mut lines = Vec::new();
    for kind in SYMBOL_KINDS {
        for of in types.of_kind(kind) {
            lines.push(format!("({of} {name}) @definition.{kind}"));
        }
    }
    lines
}

fn bodies(types: &NodeTypes<'_>) -> Vec<String> {
    let mut lines = types.lines(&["block", "body"], "(TYPE) @body");
    if types.has_field("body") {
        let kinds = SYMBOL_KINDS.iter().flat_map(|kind| types.of_kind(kind));
        lines.extend(kinds.map(|of| format!("({of} body: (_) @body)")));
    }
    lines
}

/// Returns each kind of fact, in the order of the files. Without a grammar, no lines are suggested.
pub fn for_queries(queries: &[(String, String)], grammar: Option<&Grammar>) -> Vec<Coverage> {
    let types = grammar.map(|grammar| NodeTypes { grammar });
    let captures = |file: &str| -> Vec<&str> {
        let texts = queries.iter().filter(|(name, _)| name == file);
        texts.flat_map(|(_, text)| captures(text)).collect()
    };
    let is_read = |file: &str, line: &String| {
        let read = |grammar| check(&[(file.to_string(), line.clone())], grammar);
        grammar.is_some_and(|grammar| read(grammar).is_ok())
    };
    let mut all: Vec<Coverage> = Vec::new();
    for file in QUERY_FILES {
        let stated = captures(file);
        if file == WORDS {
            all.push(words(&stated, types.as_ref()));
        }
        for fact in FACTS.iter().filter(|fact| fact.file == file) {
            let is_stated = stated.iter().any(|one| one.starts_with(fact.capture));
            let lines = types.as_ref().filter(|_| !is_stated);
            all.push(Coverage {
                file,
                captures: fact.capture.to_string(),
                is_stated,
                brings: fact.brings,
                lines: lines.map_or(Vec::new(), fact.lines),
                example: fact.example,
            });
        }
    }
    for one in &mut all {
        one.lines.retain(|line| is_read(one.file, line));
    }
    all
}

/// The query file of the general words.
const WORDS: &str = "kinds.scm";

/// Returns the general words as one fact. Suggests lines for those that node types of the grammar are called after.
fn words(stated: &[&str], types: Option<&NodeTypes<'_>>) -> Coverage {
    let is_stated = |word: &str| stated.iter().any(|one| one.strip_prefix('@') == Some(word));
    let (known, others): (Vec<&str>, Vec<&str>) = super::GENERAL_WORDS
        .iter()
        .partition(|word| is_stated(word));
    let of_word = |word: &&str| {
        let own = types.map_or(Vec::new(), |types| types.of_kind(word));
        let lines = own.into_iter().map(|of| format!("({of}) @{word}"));
        lines.collect::<Vec<String>>()
    };
    let named = if known.is_empty() { &others } else { &known };
    Coverage {
        file: WORDS,
        captures: format!("@{}", named.join(" @")),
        is_stated: !known.is_empty(),
        brings: "general words: `--ancestor function` instead of a node type of the grammar",
        lines: others.iter().flat_map(of_word).collect(),
        example: "(function_definition) @function",
    }
}

/// Reads query files for a grammar.
///
/// # Errors
/// A file is outside the subset that is read.
pub fn check(queries: &[(String, String)], grammar: &Grammar) -> Result<(), QueryError> {
    let files = queries.iter().map(|(name, text)| QueryFile {
        path: name.clone().leak(),
        text: text.clone().leak(),
    });
    let files: Vec<QueryFile> = files.collect();
    Tables::read(grammar, &files, Origin::Added).map(|_| ())
}

/// Returns the captures in a query file, with their `@`, without those in comments and strings.
fn captures(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find([';', '"', '@']) {
        let from = &rest[at..];
        let (taken, is_capture) = match from.as_bytes()[0] {
            b';' => (from.find('\n').unwrap_or(from.len()), false),
            b'"' => (end_of_string(from), false),
            _ => {
                let is_end = |c: char| c.is_whitespace() || "()[]\"".contains(c);
                (from.find(is_end).unwrap_or(from.len()), true)
            }
        };
        if is_capture {
            found.push(&from[..taken]);
        }
        rest = &from[taken..];
    }
    found
}

/// Returns the length of the string that the text starts with.
fn end_of_string(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn captures_in_comments_and_strings_do_not_count() {
        let text = "; @no\n((a) @b.c (#eq? @b.c \"@no \\\" @no\")) [(d)]@e\n(f)@g";
        assert_eq!(captures(text), ["@b.c", "@b.c", "@e", "@g"]);
        assert_eq!(captures("\"@no"), [] as [&str; 0]);
    }

    /// Checks the query files of a language with bytes changed, cut out and repeated.
    #[cfg(feature = "lang-rust")]
    #[test]
    fn hostile_query_files_are_refused() {
        let grammar: Grammar = tree_sitter_rust::LANGUAGE.into();
        let check_one = |file: &str, text: String| check(&[(file.to_string(), text)], &grammar);
        for start in ["(_ ", "[", "(", "((block) @body (_ "] {
            let refused = check_one("bodies.scm", start.repeat(100_000));
            refused.expect_err("it is not closed");
        }
        let own = crate::language::by_name("rust").expect("it is built in");
        let mut state = 1_u64;
        let mut below = |limit: usize| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            usize::try_from(state >> 33).unwrap_or(0) % limit
        };
        let mut refused = 0;
        for file in own.query_files() {
            let name = format!("{}.scm", file.role());
            for _ in 0..200 {
                let mut text: Vec<char> = file.text.chars().collect();
                for _ in 0..=below(4) {
                    let (at, end) = (below(text.len()), below(text.len()));
                    match below(3) {
                        0 => {
                            text[at] =
                                ['(', ')', '[', '"', '@', '#', ':', '.', 'é', '\\'][below(10)]
                        }
                        1 => text.truncate(at.max(1)),
                        _ => text.extend_from_within(at.min(end)..at.max(end)),
                    }
                }
                refused += usize::from(check_one(&name, text.into_iter().collect()).is_err());
            }
        }
        assert!(refused > 300, "only {refused} were refused");
    }

    #[cfg(feature = "lang-rust")]
    #[test]
    fn what_is_missing_is_named_with_lines_that_are_read() {
        let grammar: Grammar = tree_sitter_rust::LANGUAGE.into();
        let nothing = for_queries(&[], Some(&grammar));
        assert!(nothing.iter().all(|one| !one.is_stated));
        let files: Vec<&str> = nothing.iter().map(|one| one.file).collect();
        let mut in_order = files.clone();
        in_order.dedup();
        assert_eq!(in_order, QUERY_FILES);
        let expected = "(function_item name: (_) @name) @definition.function";
        let lines = &nothing[0].lines;
        assert!(lines.iter().any(|line| line == expected), "{lines:?}");
        assert!(
            for_queries(&[], None)
                .iter()
                .all(|one| one.lines.is_empty())
        );
        for one in &nothing {
            let all = (one.file.to_string(), one.lines.join("\n"));
            assert_eq!(check(&[all], &grammar), Ok(()));
        }
        let own = crate::language::by_name("rust").expect("it is built in");
        let own = own.query_files().iter();
        let own = own.map(|file| (format!("{}.scm", file.role()), file.text.to_string()));
        let all = for_queries(&own.collect::<Vec<_>>(), Some(&grammar));
        let left = all.iter().filter(|one| !one.is_stated);
        let left: Vec<&str> = left.map(|one| one.captures.as_str()).collect();
        assert_eq!(left, ["@injection.content"]);
    }
}
