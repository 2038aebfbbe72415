//! Every row of the language table: its queries are read, tree-sitter compiles them too, and no
//! two languages claim one extension.

use std::collections::HashMap;

use treegraft::language::LANGUAGES;

#[test]
fn every_query_file_is_in_the_subset_and_compiles_with_tree_sitter() {
    for language in &LANGUAGES {
        assert_eq!(language.check_queries(), Ok(()));
        let grammar = language
            .grammar()
            .expect("every row but plain text has a grammar");
        for (name, text) in language.query_files() {
            let compiled = tree_sitter::Query::new(grammar, text);
            assert!(
                compiled.is_ok(),
                "{}/{name}: {}",
                language.name,
                compiled.err().map(|e| e.to_string()).unwrap_or_default()
            );
        }
    }
}

#[test]
fn no_two_languages_claim_one_extension() {
    let mut owners: HashMap<&str, &str> = HashMap::new();
    for language in &LANGUAGES {
        for extension in language.extensions {
            let other = owners.insert(extension, language.name);
            assert_eq!(
                other, None,
                "{extension} is claimed by {} too",
                language.name
            );
        }
    }
}
