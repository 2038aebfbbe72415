//! The real parsers of languages where asking them is cheap: tree-sitter lets pass what they refuse.

#[cfg(feature = "lang-toml")]
mod toml;
#[cfg(feature = "lang-yaml")]
mod yaml;

use std::ops::Range;

use super::StrictProblem;

#[cfg(feature = "lang-toml")]
pub(super) use toml::read_toml;
#[cfg(feature = "lang-yaml")]
pub(super) use yaml::read_yaml;

/// What a language's real parser makes of a text.
#[derive(Debug, Default)]
pub(crate) struct Reading {
    /// What the text says, where it is data and the parser got to its end.
    pub(crate) data: Option<Data>,
    /// What the parser refuses.
    pub(crate) problem: Option<StrictProblem>,
}

/// The values of a text, each with the collections it is in.
#[derive(Debug, Default)]
pub(crate) struct Data {
    /// Keys and values that are no collections, in file order.
    pub(crate) values: Vec<Value>,
    /// Collections and pairs; each comes after the one it is in.
    pub(crate) groups: Vec<Group>,
}

/// A key, or a value that is no collection.
#[derive(Debug)]
pub(crate) struct Value {
    /// Its bytes.
    pub(crate) span: Range<usize>,
    /// Stands for what it says.
    pub(crate) says: u64,
    /// Stands for what it would say with a line break behind the file; 0 where it is not the last.
    pub(crate) says_but_break: u64,
    /// Where the anchor stands that an alias means.
    pub(crate) refers_to: Option<usize>,
    /// The group it is in.
    pub(crate) within: usize,
}

/// A collection, or a pair of one.
#[derive(Debug)]
pub(crate) struct Group {
    pub(crate) kind: GroupKind,
    /// The group it is in.
    pub(crate) within: Option<usize>,
    /// The key of a pair, and what stands for what it says.
    pub(crate) key: Option<(Range<usize>, u64)>,
    /// Whether it is a pair without a value.
    pub(crate) is_null: bool,
}

/// What a group is.
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
impl Reading {
    fn refused(text: &str, offset: usize, message: &str) -> Reading {
        let mut offset = offset.min(text.len());
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        let message = message.to_string();
        Reading {
            data: None,
            problem: Some(StrictProblem { message, offset }),
        }
    }
}

/// serde_json skips values it ignores without recursion, so that depth is no danger.
#[cfg(feature = "lang-json")]
pub(super) fn read_json(text: &str) -> Reading {
    let bare = text.trim_start_matches('\u{feff}');
    let Err(error) = serde_json::from_str::<serde::de::IgnoredAny>(bare) else {
        return Reading::default();
    };
    let line_start: usize = bare
        .split_inclusive('\n')
        .take(error.line().saturating_sub(1))
        .map(str::len)
        .sum();
    let offset = line_start + error.column().saturating_sub(1);
    let message = error.to_string();
    let message = message.split(" at line ").next().unwrap_or_default();
    Reading::refused(text, text.len() - bare.len() + offset, message)
}

/// A number that stands for a text.
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
        // A block scalar begins with its sign.
        assert_eq!(starts("a: |  # |\n\n  b\nc: >-2\r\n  d\n"), [0, 3, 15, 18]);
        assert_eq!(starts("- |\n\n- >+\n- |\n"), [2, 7, 12]);
    }
}
