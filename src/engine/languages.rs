//! Lists the languages and their node types, without a workspace.
//!
//! The examples and general words of node types come from the sample of the language.

use std::collections::BTreeMap;

use crate::diagnostic::{self, Code, Diagnostic};
use crate::language::{self, GENERAL_WORDS, Language};
use crate::parse::{Node, Parsed};
use crate::source::Source;

#[cfg(feature = "servers")]
use crate::lsp::built_in::BuiltInServer;

use super::response::{LanguageList, LanguageListed, NodeTypeListed, NodeTypes};

/// The maximum length of an example, in code points.
const EXAMPLE_SHOWN: usize = 60;

/// Returns the command of the built-in server of a language.
#[cfg(feature = "servers")]
pub(super) fn built_in_server(language: &str) -> Option<String> {
    let server = BuiltInServer::for_language(language)?;
    Some(server.programs[0].command.to_string())
}

/// Returns the command of the built-in server of a language: none.
#[cfg(not(feature = "servers"))]
pub(super) fn built_in_server(_: &str) -> Option<String> {
    None
}

/// Returns all languages, including those that only occur embedded in others: first the built-in ones.
pub(super) fn languages() -> LanguageList {
    let built_in = language::all().filter(|language| !language.is_added());
    let mut added: Vec<_> = language::all().filter(|one| one.is_added()).collect();
    added.sort_by_key(|language| language.name);
    let all = built_in.chain(added).chain([language::plain_text()]);
    let owned = |texts: &[&str]| texts.iter().map(|text| text.to_string()).collect();
    LanguageList {
        languages: all
            .map(|language| LanguageListed {
                name: language.name.to_string(),
                other_names: owned(&language.names()[1..]),
                extensions: owned(language.extensions()),
                file_names: owned(language.file_names()),
                interpreters: owned(language.interpreters()),
                server: built_in_server(language.name),
                is_added: language.is_added(),
            })
            .collect(),
    }
}

/// Returns the node types of the language with this name or file extension.
///
/// # Errors
/// The language is unknown (`unknown_language`); the message contains the nearest names. Or its grammar cannot be loaded
/// (`grammar_unavailable`).
pub(super) fn node_types(name: &str) -> Result<NodeTypes, Diagnostic> {
    let language = named_language(name)?;
    let mut seen = match language.sample() {
        // A language that the user added may have none.
        ("", _) => BTreeMap::new(),
        _ => seen_in_sample(language),
    };
    let without_sample = seen.is_empty();
    let types = language.node_types().into_iter();
    Ok(NodeTypes {
        language: language.name.to_string(),
        node_types: types
            .map(|node_type| {
                let (example, words) = match without_sample {
                    true => (String::new(), language.words_of(node_type)),
                    false => seen.remove(node_type).unwrap_or_default(),
                };
                NodeTypeListed {
                    node_type: node_type.to_string(),
                    example: (!example.is_empty()).then_some(example),
                    general_words: words.into_iter().map(str::to_string).collect(),
                }
            })
            .collect(),
    })
}

/// Returns the language with this name or file extension.
///
/// # Errors
/// As [`node_types`].
pub(super) fn named_language(name: &str) -> Result<&'static Language, Diagnostic> {
    let all = || language::all().chain([language::plain_text()]);
    let wanted = name.trim_start_matches('.').to_lowercase();
    let ends_so = |one: &&Language| one.extensions().contains(&wanted.as_str());
    let found = language::by_name(&wanted)
        .or_else(|| all().find(|one| one.name == wanted))
        .or_else(|| all().find(ends_so));
    let language = found.ok_or_else(|| unknown(&wanted))?;
    match language.load_error() {
        None => Ok(language),
        Some(error) => {
            let failed = format!("cannot use the language {}", language.name);
            Err(diagnostic::about_grammar(&failed, error))
        }
    }
}

fn unknown(name: &str) -> Diagnostic {
    let mut near: Vec<(f64, &str)> = language::all()
        .flat_map(|language| language.names().iter().chain(language.extensions()))
        .map(|known| (strsim::jaro_winkler(known, name), *known))
        .filter(|(likeness, _)| *likeness > 0.75)
        .collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut near: Vec<&str> = near.into_iter().map(|(_, known)| known).collect();
    near.dedup();
    near.truncate(3);
    let help = match near.is_empty() {
        true => "run `treegraft languages` to list all".to_string(),
        false => format!("similar names: {}", near.join(", ")),
    };
    let message = format!("unknown language \"{name}\"; {help}");
    Diagnostic::new(Code::UnknownLanguage, message)
}

/// Returns, for each node type, the first line of its shortest node in the sample, and all general words of such nodes.
fn seen_in_sample(language: &'static Language) -> BTreeMap<String, (String, Vec<&'static str>)> {
    let (path, text) = language.sample();
    // The sample of a language that occurs only in others is in the language of those.
    let of_file = match language.is_inner() {
        true => language::for_file(path, text),
        false => language,
    };
    let source = Source::new(path, of_file, text.to_string());
    let parsed = Parsed::parse(source);
    let mut seen: BTreeMap<String, (String, Vec<&'static str>)> = BTreeMap::new();
    let mut above: Vec<Node<'_>> = Vec::new();
    let mut cursor = parsed.walk(parsed.root());
    loop {
        let node = cursor.node();
        if node.is_named() && node.language() == language {
            let (example, words) = seen.entry(node.kind().to_string()).or_default();
            let own = first_line(&parsed.text_of(node));
            if example.is_empty() || (own.len() < example.len() && !own.is_empty()) {
                *example = own;
            }
            let parent = above.iter().rev().find(|node| node.is_named()).copied();
            for word in GENERAL_WORDS {
                if !words.contains(word) && node.is_word(word, parent) {
                    words.push(word);
                }
            }
        }
        if cursor.goto_first_child() {
            above.push(node);
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return seen;
            }
            above.pop();
        }
    }
}

fn first_line(text: &str) -> String {
    let bare = text.trim();
    let line = bare.lines().next().unwrap_or_default().trim_end();
    let shown: String = line.chars().take(EXAMPLE_SHOWN).collect();
    match shown.len() < bare.len() {
        true => shown + " …",
        false => shown,
    }
}
