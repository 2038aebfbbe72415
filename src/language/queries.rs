//! Reads the query files of a language into tables, once, at first use.
//!
//! The files are written in a flat subset of tree-sitter's query language ([`rule`]). To match a node, treegraft looks
//! up its type and compares a few children: compiling such queries with tree-sitter takes 10 to 650 ms per language,
//! running them 0.42 of a parse.
//!
//! Each file has a module, which adds its rules to [`Tables`] and answers questions about nodes. Captures without a
//! value are [`marks`].

mod attached;
mod bodies;
mod definitions;
mod grammar;
mod injections;
mod lists;
mod marks;
mod pattern;
mod protected;
mod rule;
mod rule_set;
mod words;

use std::collections::HashMap;

use tree_sitter::Node;

pub(crate) use attached::{AttachedKind, AttachedTo, SignsOfMoved};
pub(crate) use bodies::Body;
pub(crate) use definitions::Tag;
pub(crate) use lists::{List, Members, Opens};
pub(crate) use marks::Mark;
pub(crate) use protected::Protection;

use definitions::Definition;
use grammar::Grammar;
use injections::{HostTypes, Injection};
use marks::Marks;
use rule_set::RuleSet;

use super::QueryFile;

/// A query file that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {problem}")]
pub struct QueryError {
    /// The file in `queries/`.
    pub file: &'static str,
    /// The line, from 1.
    pub line: usize,
    /// What is wrong there.
    pub problem: String,
}

/// The facts about a language, by node type.
#[derive(Debug, Default)]
pub(crate) struct Tables {
    marks: Marks,
    definitions: RuleSet<Definition>,
    /// Each general word with the nodes that it matches (true) and, with `#set! is "not"`, those that it does not.
    words: HashMap<&'static str, RuleSet<bool>>,
    attached: RuleSet<AttachedKind>,
    /// The text that nodes with a mark start with (`#set! begins`), for each rule of the mark.
    starts: Vec<(Mark, Option<String>)>,
    lists: RuleSet<List>,
    /// Nodes that are a body in any parent.
    bodies: RuleSet<Body>,
    /// Nodes that are the body of a certain ancestor.
    inner_bodies: RuleSet<()>,
    protected: RuleSet<Protection>,
    injections: RuleSet<Injection>,
    /// The nodes that may contain another language by these rules, in the order of their depths.
    hosts: Vec<HostTypes>,
}

/// Returns the text of a node.
pub(crate) type TextOf<'t> = &'t dyn Fn(Node<'_>) -> String;

/// For rules that test no text.
pub(crate) const NO_TEXT: TextOf<'static> = &|_| String::new();

/// The kind of a node that a later rule would take for a definition, or for something attached, by mistake.
const NONE: &str = "none";

/// Where query files are from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// A test has read them and compiled their regular expressions.
    BuiltIn,
    Added,
}

impl Tables {
    pub(super) fn read(
        grammar: &tree_sitter::Language,
        files: &[QueryFile],
        origin: Origin,
    ) -> Result<Tables, QueryError> {
        let grammar = &Grammar::new(grammar);
        let mut tables = Tables::default();
        for file in files {
            let add = match file.role() {
                "tags" => Tables::add_definition,
                "kinds" => Tables::add_word,
                "attached" => Tables::add_attached,
                "lists" => Tables::add_list,
                "bodies" => Tables::add_body,
                "protected" => Tables::add_protected,
                "injections" => Tables::add_injection,
                // It has marks only.
                "imports" => Tables::add_import,
                _ => {
                    return Err(QueryError {
                        file: file.path,
                        line: 1,
                        problem: "unknown file name".to_string(),
                    });
                }
            };
            for rule in rule::parse((file.path, file.text), grammar, origin)? {
                if let Some(rule) = tables.add_mark(file.role(), rule)? {
                    add(&mut tables, rule)?;
                }
            }
        }
        Ok(tables)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, HashSet};

    use serde_json::Value;

    use crate::language::{LANGUAGES, Language};

    use super::pattern::CapturedPattern;
    use super::{Mark, Origin, QueryFile, RuleSet, Tables};

    #[cfg(feature = "lang-rust")]
    #[test]
    fn unknown_captures_and_settings_are_errors() {
        let cases = r#"
tags: (block) @a => expected one capture @definition...., found ["a"]
kinds: (block) @a => @a is not a general word
attached: (block) @a => expected one capture @attached...., found ["a"]
attached: (block (_) @tail) @a => unknown capture @a
attached: ((block) @attached.doc (#set! begins "b")) => unknown setting begins "b"
lists: (block) @a => unknown capture @a
bodies: (block) @a => unknown capture @a
bodies: (block) @row => unknown capture @row
bodies: ((block) @late (#set! a "b")) => unknown setting a
bodies: ((block) @body (#set! a "b")) => unknown setting a "b"
bodies: ((block) @late (#eq? @late "b")) => rules in this file cannot test the text of a node
bodies: (no_such_type) @late => the grammar has no node type no_such_type
protected: (block) @a => expected one capture @protected..., found ["a"]
injections: (block) @a => unknown capture @a
protected: ((block) @protected (#match? @protected "(")) => the regular expression is invalid: unclosed group
other: => unknown file name
"#;
        for case in cases.trim().lines() {
            let (rule, problem) = case.split_once(" => ").expect("a case has a problem");
            let (path, text) = rule.split_once(':').expect("a case has a file");
            let files = [QueryFile { path, text }];
            let grammar = tree_sitter_rust::LANGUAGE.into();
            let read = Tables::read(&grammar, &files, Origin::Added);
            assert_eq!(read.expect_err(case).problem, problem, "{case}");
        }
    }

    /// Returns what the grammar of a language states about its node types.
    fn node_types(language: &Language) -> &'static str {
        match language.name {
            #[cfg(feature = "lang-c")]
            "c" => tree_sitter_c::NODE_TYPES,
            #[cfg(feature = "lang-cpp")]
            "cpp" => tree_sitter_cpp::NODE_TYPES,
            #[cfg(feature = "lang-csharp")]
            "csharp" => tree_sitter_c_sharp::NODE_TYPES,
            #[cfg(feature = "lang-css")]
            "css" => tree_sitter_css::NODE_TYPES,
            #[cfg(feature = "lang-go")]
            "go" => tree_sitter_go::NODE_TYPES,
            #[cfg(feature = "lang-html")]
            "html" => tree_sitter_html::NODE_TYPES,
            #[cfg(feature = "lang-svelte")]
            "svelte" => tree_sitter_svelte_ng::NODE_TYPES,
            #[cfg(any(feature = "lang-astro", feature = "lang-vue"))]
            "astro" | "vue" => tree_sitter_astro_next::NODE_TYPES,
            #[cfg(feature = "lang-java")]
            "java" => tree_sitter_java::NODE_TYPES,
            #[cfg(feature = "lang-javascript")]
            "javascript" | "jsx" => tree_sitter_javascript::NODE_TYPES,
            #[cfg(feature = "lang-json")]
            "json" | "jsonc" => tree_sitter_json::NODE_TYPES,
            #[cfg(feature = "lang-lua")]
            "lua" => tree_sitter_lua::NODE_TYPES,
            #[cfg(feature = "lang-markdown")]
            "markdown" => tree_sitter_md::NODE_TYPES_BLOCK,
            #[cfg(feature = "lang-php")]
            "php" => tree_sitter_php::PHP_NODE_TYPES,
            #[cfg(feature = "lang-python")]
            "python" => tree_sitter_python::NODE_TYPES,
            #[cfg(feature = "lang-rust")]
            "rust" => tree_sitter_rust::NODE_TYPES,
            #[cfg(feature = "lang-toml")]
            "toml" => tree_sitter_toml_ng::NODE_TYPES,
            #[cfg(feature = "lang-typescript")]
            "typescript" => tree_sitter_typescript::TYPESCRIPT_NODE_TYPES,
            #[cfg(feature = "lang-typescript")]
            "tsx" => tree_sitter_typescript::TSX_NODE_TYPES,
            #[cfg(feature = "lang-yaml")]
            "yaml" => tree_sitter_yaml::NODE_TYPES,
            other => panic!("the node types of {other} are not listed here"),
        }
    }

    /// Returns for each node type the named types of its children, and for each supertype its subtypes.
    fn below(node_types: &str) -> HashMap<String, Vec<String>> {
        let types: Vec<Value> = serde_json::from_str(node_types).expect("a grammar writes JSON");
        let names = |of: &Value| -> Vec<String> {
            let all = of.as_array().into_iter().flatten();
            let named = all.filter(|one| one["named"] == true);
            named
                .filter_map(|one| one["type"].as_str().map(str::to_string))
                .collect()
        };
        let of_type = |one: &Value| {
            let fields = one["fields"].as_object().into_iter().flatten();
            let fields = fields.flat_map(|(_, field)| names(&field["types"]));
            let all = fields.chain(names(&one["children"]["types"]));
            all.chain(names(&one["subtypes"])).collect()
        };
        let named = types.iter().filter(|one| one["named"] == true);
        let named = named.filter_map(|one| Some((one["type"].as_str()?.to_string(), of_type(one))));
        named.collect()
    }

    fn kinds<T>(
        language: &Language,
        rules: &RuleSet<T>,
        node: impl Fn(&CapturedPattern) -> Vec<u16>,
    ) -> HashSet<String> {
        let grammar = language.grammar().expect("it has tables");
        let ids = rules.patterns().flat_map(node);
        let names = ids.map(|id| grammar.node_kind_for_id(id).expect("a type of it"));
        names.map(str::to_string).collect()
    }

    /// Checks that a walk that skips closed nodes skips no definition, for any text.
    #[test]
    fn no_grammar_has_a_definition_below_what_is_closed() {
        let mut held = 0;
        for language in LANGUAGES.iter() {
            let Some(tables) = language.tables().filter(|tables| tables.uses(Mark::Closed)) else {
                continue;
            };
            let below = below(node_types(language));
            // A definition of any type is known by its parent.
            let definitions = kinds(language, &tables.definitions, |rule| {
                let own = rule.node.kinds.clone();
                own.or_else(|| rule.ancestors.first()?.node.kinds.clone())
                    .expect("a definition or its parent has a type")
            });
            for closed in kinds(language, tables.marks.rules(Mark::Closed), |rule| {
                rule.node.kinds.clone().expect("a type")
            }) {
                let mut known: HashSet<&str> = HashSet::new();
                let mut open: Vec<&str> = below[&closed].iter().map(String::as_str).collect();
                while let Some(one) = open.pop() {
                    let is = format!("{}: ({one}) below ({closed})", language.name);
                    assert!(!definitions.contains(one), "{is} is a definition");
                    // The grammar lists no children for this other name of an expression.
                    let is_said = one != "as_pattern_target";
                    if known.insert(one) && is_said {
                        open.extend(below.get(one).expect(&is).iter().map(String::as_str));
                    }
                }
                held += 1;
            }
        }
        let is_whole = cfg!(all(feature = "lang-rust", feature = "lang-python"));
        assert!(held > 20 || !is_whole, "{held} types are closed");
    }
}
