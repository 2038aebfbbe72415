//! The parsers of the languages themselves, if they are fast: they refuse texts that tree-sitter accepts.

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

/// What the parser of a language itself reads in a text.
#[derive(Debug, Default)]
pub(crate) struct StrictReading {
    /// The values in the text, if it is data and the parser reached its end.
    pub(crate) data: Option<Data>,
    /// The first problem that the parser reports.
    pub(crate) problem: Option<StrictProblem>,
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
}
