//! The language table: every row's query files are read, tree-sitter compiles them too, and no two
//! languages claim the same file name or extension.

#![expect(clippy::disallowed_methods, reason = "cases are files")]

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use tree_sitter::StreamingIterator;
use treegraft::engine::Engine;
use treegraft::language::{self, LANGUAGES, Language, QueryFile};
use treegraft::parse::Parsed;
use treegraft::source::Source;

use crate::lists;
use crate::support::{is_left_out, is_of_left_out};

#[test]
fn every_query_file_is_in_the_subset_and_compiles_with_tree_sitter() {
    for language in LANGUAGES.iter() {
        assert_eq!(language.check_queries(), Ok(()));
        let grammar = language
            .grammar()
            .expect("every row but plain text has a grammar");
        for file in language.query_files() {
            let compiled = tree_sitter::Query::new(grammar, file.text);
            assert!(
                compiled.is_ok(),
                "{}: {}",
                file.path,
                compiled.err().map(|e| e.to_string()).unwrap_or_default()
            );
        }
    }
}

#[test]
fn every_query_file_belongs_to_a_language() {
    let used: BTreeSet<&str> = LANGUAGES
        .iter()
        .flat_map(|language| language.query_files())
        .map(|file| file.path)
        .collect();
    let queries = crate::support::repository().join("queries");
    let languages = folders(&queries).into_iter().filter(|one| one.is_dir());
    let files = languages.flat_map(|one| folders(&one));
    let is_query = |file: &PathBuf| file.extension().is_some_and(|ending| ending == "scm");
    for file in files.filter(|file| is_query(file) && !is_of_left_out(file)) {
        let path = file.strip_prefix(&queries).expect("it is in the folder");
        let path = path.to_string_lossy();
        assert!(used.contains(path.as_ref()), "no language has {path}");
    }
}

/// In a build with all languages, no folder is skipped.
#[test]
fn every_folder_of_queries_and_cases_belongs_to_a_language() {
    let root = crate::support::repository();
    let shared = LANGUAGES
        .iter()
        .flat_map(|language| language.query_files())
        .filter_map(|file| file.path.split('/').next());
    let own = LANGUAGES.iter().map(|language| language.name);
    let known: BTreeSet<&str> = own
        .chain(shared)
        .chain([language::plain_text().name])
        .collect();
    for of in ["queries", "tests/cases"] {
        for folder in folders(&root.join(of)).iter().filter(|path| path.is_dir()) {
            let name = folder.file_name().unwrap_or_default().to_string_lossy();
            assert!(
                known.contains(name.as_ref()) || is_left_out(&name),
                "no language has {of}/{name}"
            );
        }
    }
}

#[test]
fn no_two_languages_claim_the_same_name_or_extension() {
    let mut owners: HashMap<(&str, &str), &str> = HashMap::new();
    for language in LANGUAGES.iter() {
        let claims = [
            ("name", language.names()),
            ("extension", language.extensions()),
            ("file name", language.file_names()),
            ("interpreter", language.interpreters()),
        ];
        for (what, claimed) in claims {
            for one in claimed {
                let other = owners.insert((what, one), language.name);
                assert_eq!(
                    other, None,
                    "{what} {one} is claimed by {} too",
                    language.name
                );
            }
        }
    }
}

/// The percentage of its node types that a language's sample must contain, if lower than [`SHOWN`],
/// and why.
const SHOWN_OF: &[(&str, usize, &str)] = &[
    (
        "java",
        92,
        "a module must be the only item in its file, and string templates were withdrawn",
    ),
    ("html", 89, "an erroneous end tag is an error"),
    ("astro", 92, "an erroneous end tag is an error"),
    (
        "svelte",
        94,
        "an erroneous end tag is an error, and a component has no doctype",
    ),
    (
        "vue",
        65,
        "the grammar is that of Astro: Vue has no script at the head and no braces in attributes",
    ),
    (
        "scala",
        91,
        "capture checking is an experiment of the compiler",
    ),
    (
        "dockerfile",
        94,
        "an escaped newline is of no interest to people, and one instruction is not part of Docker",
    ),
    (
        "xml",
        94,
        "the nodes that wrap the members of an element or a file are of no interest to people",
    ),
    (
        "ocaml",
        75,
        "many belong to a dialect, the toplevel or a parser generator",
    ),
    (
        "ocaml_interface",
        18,
        "it includes the expressions of programs, which interfaces do not have",
    ),
    ("haskell", 85, "many belong to rarely used extensions"),
];

const SHOWN: usize = 95;

#[test]
fn every_sample_is_sound_and_shows_most_node_types() {
    for language in LANGUAGES.iter() {
        let (path, text) = language.sample();
        let parsed = Parsed::parse(Source::new(
            path,
            language::for_file(path, text),
            text.into(),
        ));
        assert_eq!(parsed.problems(), [], "{path}");
        let listed = Engine::node_types(language.name).expect("the language is built in");
        let missing = listed.node_types.iter().filter(|one| one.example.is_none());
        let missing: Vec<&str> = missing.map(|one| one.node_type.as_str()).collect();
        let all = language.node_types().len();
        let of_language = SHOWN_OF.iter().find(|(name, ..)| *name == language.name);
        let wanted = of_language.map_or(SHOWN, |(_, share, _)| *share);
        assert!(
            (all - missing.len()) * 100 >= wanted * all,
            "{path} has none of {missing:?}"
        );
    }
}

/// Each pattern of each query file matches in a file of a case or of a row of `lists.rs`, and each
/// node type in it occurs there. A fact that no case uses would be a guess.
#[test]
fn every_pattern_matches_in_a_case() {
    let texts = texts_of_cases();
    // Languages share query files: one language with a match is enough.
    let mut missed: HashMap<String, usize> = HashMap::new();
    let mut used: HashMap<&str, usize> = HashMap::new();
    for language in LANGUAGES.iter() {
        let grammar = language.grammar().expect("every row has a grammar");
        let trees: Vec<(&str, tree_sitter::Tree)> = texts
            .iter()
            .filter_map(|(path, text)| Some((text.as_str(), tree_in(path, text, language)?)))
            .collect();
        let seen: BTreeSet<String> = trees.iter().flat_map(|(_, tree)| types_in(tree)).collect();
        for file in language.query_files() {
            *used.entry(file.path).or_default() += 1;
            for complaint in unhit(file, grammar, &trees, &seen) {
                *missed.entry(complaint).or_default() += 1;
            }
        }
    }
    missed.retain(|complaint, count| {
        let path = complaint.split(':').next().unwrap_or_default();
        used.get(path) == Some(count)
    });
    let missed: BTreeSet<String> = missed.into_keys().collect();
    let missed: Vec<String> = missed.into_iter().collect();
    assert!(missed.is_empty(), "no case has:\n{}", missed.join("\n"));
}

/// Returns the patterns of a file that match in none of the trees, and the node types that no tree
/// contains.
fn unhit(
    file: &QueryFile,
    grammar: &tree_sitter::Language,
    trees: &[(&str, tree_sitter::Tree)],
    seen: &BTreeSet<String>,
) -> Vec<String> {
    let query = tree_sitter::Query::new(grammar, file.text).expect("the test above compiles it");
    let mut hit = vec![false; query.pattern_count()];
    let mut cursor = tree_sitter::QueryCursor::new();
    for (text, tree) in trees {
        let mut matches = cursor.matches(&query, tree.root_node(), text.as_bytes());
        while let Some(one) = matches.next() {
            hit[one.pattern_index] = true;
        }
    }
    let mut complaints = Vec::new();
    for (pattern, hit) in hit.into_iter().enumerate() {
        let start = query.start_byte_for_pattern(pattern);
        let own = &file.text[start..query.end_byte_for_pattern(pattern)];
        let missing = named_types(own, grammar)
            .find(|one| !seen.contains(*one))
            .map(str::to_string);
        if !hit || missing.is_some() {
            let line = 1 + file.text[..start].matches('\n').count();
            let what = missing.unwrap_or_else(|| "the pattern".to_string());
            complaints.push(format!("{}:{line}: {what}", file.path));
        }
    }
    complaints
}

/// Returns the files of all cases and of the rows of lists, with their paths.
fn texts_of_cases() -> Vec<(String, String)> {
    let texts = crate::cases::pages()
        .into_iter()
        .flat_map(|page| page.texts);
    let of_cases = texts.map(|one| (one.path, one.text.to_string()));
    let of_moves = crate::moving::page_texts();
    of_cases.chain(lists::texts()).chain(of_moves).collect()
}

/// Returns the paths in a folder.
fn folders(path: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(path).expect("the folder can be read");
    entries
        .map(|entry| entry.expect("a folder's entries can be read").path())
        .collect()
}

/// Returns the tree of a file in the language, or of a file that embeds the language, parsed as a
/// whole.
fn tree_in(path: &str, text: &str, language: &Language) -> Option<tree_sitter::Tree> {
    let own = language::for_file(path, text);
    let inside = language.is_inner() && language.name.starts_with(own.name);
    let read_as_text = || Parsed::parse(Source::new(path, own, text.to_string())).read_as_text();
    if own != language && !inside || read_as_text().is_some() {
        return None;
    }
    let mut parser = tree_sitter::Parser::new();
    parser
        .set_language(language.grammar()?)
        .expect("the grammar is compatible");
    parser.parse(text, None)
}

fn types_in(tree: &tree_sitter::Tree) -> BTreeSet<String> {
    let mut types = BTreeSet::new();
    let mut cursor = tree.walk();
    loop {
        types.insert(cursor.node().kind().to_string());
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return types;
            }
        }
    }
}

/// Returns the node types that a pattern names, without supertypes.
fn named_types<'t>(
    pattern: &'t str,
    grammar: &'t tree_sitter::Language,
) -> impl Iterator<Item = &'t str> {
    let opened = pattern.split('(').skip(1);
    let names = opened.map(|rest| {
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
        &rest[..end.unwrap_or(rest.len())]
    });
    names.filter(|name| {
        let id = grammar.id_for_node_kind(name, true);
        !name.is_empty() && id != 0 && grammar.node_kind_is_visible(id)
    })
}
