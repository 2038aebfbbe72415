//! The languages: one row each in [`LANGUAGES`]; everything else about one is data in
//! `queries/<language>/`.
//!
//! Comes in: a path. Goes out: the row that reads it, [`plain_text`] where none claims it.
//! There is no `match` on a language anywhere.

mod inline_cost;
pub(crate) mod queries;

use std::fmt;
use std::sync::OnceLock;

use queries::{QueryError, Tables};

/// All languages with a grammar, in the order they are listed to users. One without extensions
/// occurs only inside others.
pub static LANGUAGES: [Language; 4] = [
    Language {
        name: "rust",
        extensions: &["rs"],
        grammar: Some(|| tree_sitter_rust::LANGUAGE.into()),
        queries: QueryFiles {
            tags: include_str!("../queries/rust/tags.scm"),
            kinds: include_str!("../queries/rust/kinds.scm"),
            attached: include_str!("../queries/rust/attached.scm"),
            lists: include_str!("../queries/rust/lists.scm"),
            bodies: include_str!("../queries/rust/bodies.scm"),
            protected: include_str!("../queries/rust/protected.scm"),
            injections: "",
        },
        strict: None,
        too_costly: None,
        quotes_code: false,
        indent: "    ",
        built: OnceLock::new(),
    },
    Language {
        name: "json",
        extensions: &["json"],
        grammar: Some(|| tree_sitter_json::LANGUAGE.into()),
        queries: QueryFiles {
            tags: include_str!("../queries/json/tags.scm"),
            kinds: include_str!("../queries/json/kinds.scm"),
            attached: include_str!("../queries/json/attached.scm"),
            lists: include_str!("../queries/json/lists.scm"),
            bodies: include_str!("../queries/json/bodies.scm"),
            protected: include_str!("../queries/json/protected.scm"),
            injections: "",
        },
        strict: Some(read_json),
        too_costly: None,
        quotes_code: false,
        indent: "  ",
        built: OnceLock::new(),
    },
    Language {
        name: "markdown",
        extensions: &["md", "markdown"],
        grammar: Some(|| tree_sitter_md::LANGUAGE.into()),
        queries: QueryFiles {
            tags: include_str!("../queries/markdown/tags.scm"),
            kinds: include_str!("../queries/markdown/kinds.scm"),
            attached: include_str!("../queries/markdown/attached.scm"),
            lists: include_str!("../queries/markdown/lists.scm"),
            bodies: include_str!("../queries/markdown/bodies.scm"),
            protected: include_str!("../queries/markdown/protected.scm"),
            injections: include_str!("../queries/markdown/injections.scm"),
        },
        strict: None,
        too_costly: None,
        quotes_code: true,
        indent: "  ",
        built: OnceLock::new(),
    },
    Language {
        name: "markdown_inline",
        extensions: &[],
        grammar: Some(|| tree_sitter_md::INLINE_LANGUAGE.into()),
        queries: QueryFiles {
            tags: "",
            kinds: include_str!("../queries/markdown_inline/kinds.scm"),
            attached: "",
            lists: "",
            bodies: "",
            protected: "",
            injections: "",
        },
        strict: None,
        too_costly: Some(inline_cost::is_too_costly),
        quotes_code: true,
        indent: "  ",
        built: OnceLock::new(),
    },
];

static PLAIN_TEXT: Language = Language {
    name: "text",
    extensions: &[],
    grammar: None,
    queries: QueryFiles {
        tags: "",
        kinds: "",
        attached: "",
        lists: "",
        bodies: "",
        protected: "",
        injections: "",
    },
    strict: None,
    too_costly: None,
    quotes_code: true,
    indent: "    ",
    built: OnceLock::new(),
};

/// The general words for node types that every language maps as far as it has them
/// (`design.md`, section 5).
pub const GENERAL_WORDS: &[&str] = &[
    "function",
    "method",
    "class",
    "struct",
    "enum",
    "interface",
    "module",
    "type",
    "variable",
    "field",
    "parameter",
    "argument",
    "statement",
    "expression",
    "block",
    "call",
    "import",
    "comment",
    "string",
    "property",
    "element",
    "item",
    "heading",
    "section",
    "list",
    "table",
    "row",
    "code_block",
];

/// A language: how its files are recognised, parsed and described.
pub struct Language {
    /// The name in answers, and of its folder in `queries/`.
    pub name: &'static str,
    /// File name endings without the dot, lower case.
    pub extensions: &'static [&'static str],
    grammar: Option<fn() -> tree_sitter::Language>,
    queries: QueryFiles,
    /// The language's real parser, where asking it is cheap: tree-sitter lets pass what it refuses.
    strict: Option<StrictParser>,
    /// Whether a text inside another language must not be given to the grammar.
    too_costly: Option<fn(&str) -> bool>,
    /// Whether texts of the language rightly show diffs and code fences.
    pub(crate) quotes_code: bool,
    /// One level of indentation where a file shows none.
    pub(crate) indent: &'static str,
    built: OnceLock<Built>,
}

/// Reads a whole text by the rules of the language; refuses with what it says and where (byte).
pub(crate) type StrictParser = fn(&str) -> Result<(), StrictProblem>;

/// What a language's real parser refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StrictProblem {
    /// The parser's words, without its position.
    pub message: String,
    /// Byte offset in the text.
    pub offset: usize,
}

/// The texts of `queries/<language>/`.
struct QueryFiles {
    tags: &'static str,
    kinds: &'static str,
    attached: &'static str,
    lists: &'static str,
    bodies: &'static str,
    protected: &'static str,
    injections: &'static str,
}

/// What is made of a row at its first use.
struct Built {
    grammar: tree_sitter::Language,
    tables: Tables,
}

/// The language of a file, by its name.
pub fn of_path(path: &str) -> &'static Language {
    let file_name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let extension = file_name
        .rsplit_once('.')
        .map(|(_, extension)| extension.to_lowercase());
    extension
        .and_then(|extension| {
            LANGUAGES
                .iter()
                .find(|language| language.extensions.contains(&extension.as_str()))
        })
        .unwrap_or(&PLAIN_TEXT)
}

/// The language of that name, as `injections.scm` files write it.
fn by_name(name: &str) -> Option<&'static Language> {
    LANGUAGES.iter().find(|language| language.name == name)
}

/// The row for files that no language claims: no syntax tree.
pub fn plain_text() -> &'static Language {
    &PLAIN_TEXT
}

impl Language {
    /// The grammar; plain text has none.
    pub fn grammar(&self) -> Option<&tree_sitter::Language> {
        self.built().map(|built| &built.grammar)
    }

    pub(crate) fn tables(&self) -> Option<&Tables> {
        self.built().map(|built| &built.tables)
    }

    pub(crate) fn strict(&self) -> Option<StrictParser> {
        self.strict
    }

    /// Whether a text inside another language is too much for the grammar.
    pub(crate) fn is_too_costly(&self, text: &str) -> bool {
        self.too_costly.is_some_and(|asked| asked(text))
    }

    /// The named node types of the grammar and of those inside it, without hidden ones.
    pub fn node_types(&'static self) -> Vec<&'static str> {
        let of_one = |grammar: &'static tree_sitter::Language| {
            (0..grammar.node_kind_count() as u16)
                .filter(|&id| grammar.node_kind_is_named(id) && grammar.node_kind_is_visible(id))
                .filter_map(|id| grammar.node_kind_for_id(id))
        };
        let mut names: Vec<&'static str> = self.grammars().flat_map(of_one).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Whether the grammar, or one inside it, has the node type.
    pub(crate) fn has_node_type(&'static self, name: &str) -> bool {
        self.grammars().any(|grammar| {
            let id = grammar.id_for_node_kind(name, true);
            id != 0 && grammar.node_kind_is_visible(id)
        })
    }

    /// Whether the language, or one inside it, maps the general word.
    pub(crate) fn knows_word(&'static self, word: &str) -> bool {
        let mut all = self.with_injected().filter_map(Language::tables);
        all.any(|tables| tables.knows_word(word))
    }

    fn grammars(&'static self) -> impl Iterator<Item = &'static tree_sitter::Language> {
        self.with_injected().filter_map(Language::grammar)
    }

    /// The language, and those its `injections.scm` names.
    fn with_injected(&'static self) -> impl Iterator<Item = &'static Language> {
        let injected = self.tables().into_iter().flat_map(Tables::injected);
        [self].into_iter().chain(injected)
    }

    /// The query files with their names, for the test that also gives them to tree-sitter.
    pub fn query_files(&self) -> [(&'static str, &'static str); 7] {
        [
            ("tags.scm", self.queries.tags),
            ("kinds.scm", self.queries.kinds),
            ("attached.scm", self.queries.attached),
            ("lists.scm", self.queries.lists),
            ("bodies.scm", self.queries.bodies),
            ("protected.scm", self.queries.protected),
            ("injections.scm", self.queries.injections),
        ]
    }

    /// Reads the query files into tables.
    ///
    /// # Errors
    /// A file is outside the subset that is read (see the `queries` room), with file and line.
    pub fn check_queries(&self) -> Result<(), QueryError> {
        match self.grammar {
            Some(grammar) => self.load(&grammar()).map(|_| ()),
            None => Ok(()),
        }
    }

    fn built(&self) -> Option<&Built> {
        let grammar = self.grammar?;
        Some(self.built.get_or_init(|| {
            let grammar = grammar();
            let tables = self
                .load(&grammar)
                .expect("tests/languages.rs reads every query file");
            Built { grammar, tables }
        }))
    }

    fn load(&self, grammar: &tree_sitter::Language) -> Result<Tables, QueryError> {
        Tables::read(grammar, self.query_files())
    }
}

impl fmt::Debug for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl PartialEq for Language {
    fn eq(&self, other: &Language) -> bool {
        self.name == other.name
    }
}

/// serde_json skips values it ignores without recursion, so that depth is no danger.
fn read_json(text: &str) -> Result<(), StrictProblem> {
    let bare = text.trim_start_matches('\u{feff}');
    let Err(error) = serde_json::from_str::<serde::de::IgnoredAny>(bare) else {
        return Ok(());
    };
    let line_start: usize = bare
        .split_inclusive('\n')
        .take(error.line().saturating_sub(1))
        .map(str::len)
        .sum();
    let offset = line_start + error.column().saturating_sub(1);
    let mut offset = (text.len() - bare.len() + offset).min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    let message = error.to_string();
    let message = message.split(" at line ").next().unwrap_or_default();
    Err(StrictProblem {
        message: message.to_string(),
        offset,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_is_found_by_the_end_of_the_name() {
        assert_eq!(of_path("src/lib.rs").name, "rust");
        assert_eq!(of_path("C:\\a\\PACKAGE.JSON").name, "json");
        assert_eq!(of_path("README.MD").name, "markdown");
        assert_eq!(of_path("a.rs/Makefile").name, "text");
    }

    #[test]
    fn every_query_file_is_read() {
        for language in &LANGUAGES {
            assert_eq!(language.check_queries(), Ok(()));
        }
    }

    #[test]
    fn the_real_json_parser_says_where_and_survives_depth() {
        assert_eq!(
            read_json("{\n  \"a\": 1,\n}"),
            Err(StrictProblem {
                message: "key must be a string".to_string(),
                offset: 12
            })
        );
        let deep = "[".repeat(200_000) + &"]".repeat(200_000);
        assert_eq!(read_json(&deep), Ok(()));
        assert!(read_json("1 2").is_err_and(|problem| problem.offset == 2));
    }
}
