//! Mistakes outside the anchor: in the node type, the scope or the file name. Each function breaks
//! a correct selector, and returns whether the intended node can still be determined.

use std::collections::{BTreeSet, HashMap};

use treegraft::language;
use treegraft::locate::{Scope, SymbolScope};
use treegraft::parse::{Node, Parsed};
use treegraft::select::{self, SelectError, Selector};

use crate::nodes::words;

use super::draw::{Drawn, Random, matching_nodes, with_type};

/// General words that callers confuse.
const RELATED: &[&[&str]] = &[
    &["function", "method"],
    &["class", "struct", "interface"],
    &["field", "property", "variable"],
    &["parameter", "argument"],
    &["item", "element"],
    &["statement", "expression"],
];
/// General words that describe what a node is, not only its position or form.
const SPECIFIC: &[&str] = &[
    "function",
    "method",
    "class",
    "struct",
    "enum",
    "interface",
    "module",
    "variable",
    "field",
    "parameter",
    "call",
    "import",
    "comment",
    "string",
    "property",
    "heading",
    "section",
    "table",
    "row",
];

/// The node types of the languages, with their general words.
pub(super) struct Types(HashMap<&'static str, HashMap<String, Vec<String>>>);

impl Types {
    pub(super) fn of_all() -> Types {
        let all = language::LANGUAGES.iter();
        Types(all.map(|own| (own.name, words(own.name))).collect())
    }

    fn words<'t>(&'t self, parsed: &Parsed, node_type: &str) -> &'t [String] {
        let own = self.0.get(parsed.source().language().name);
        own.and_then(|own| own.get(node_type))
            .map_or(&[], Vec::as_slice)
    }

    fn is_known(&self, parsed: &Parsed, name: &str) -> bool {
        let own = self.0.get(parsed.source().language().name);
        own.is_some_and(|own| own.contains_key(name)) || language::GENERAL_WORDS.contains(&name)
    }

    /// Returns the types of the file's grammar that have one of the words, sorted.
    fn with_word<'t>(&'t self, parsed: &Parsed, words: &[&str]) -> Vec<&'t str> {
        let own = self.0.get(parsed.source().language().name);
        let all = own.into_iter().flatten();
        let has_word = |own: &[String]| own.iter().any(|word| words.contains(&word.as_str()));
        let with_word = all.filter(|(_, own)| has_word(own));
        let mut types: Vec<&str> = with_word.map(|(name, _)| name.as_str()).collect();
        types.sort_unstable();
        types
    }
}

/// Returns whether the intended node is the innermost of those that the words select with the
/// anchor.
fn is_innermost(parsed: &Parsed, drawn: &Drawn<'_>, words: &[&str]) -> bool {
    let Some(own) = drawn.chain.last() else {
        return false;
    };
    let nodes = words.iter();
    let nodes = nodes.flat_map(|word| matching_nodes(parsed, &with_type(&drawn.selector, word)));
    let nodes: Vec<Node<'_>> = nodes.collect();
    let is_outside = |node: &Node<'_>| {
        let (node, own) = (node.span(), own.span());
        node.contains(own) && node != own
    };
    nodes.contains(own) && nodes.iter().all(|node| node == own || is_outside(node))
}

/// Returns whether the intended node is the innermost one that the specific words of a wrong type
/// select with the anchor. If the specific words select nothing, all words count.
fn is_innermost_of_specific(parsed: &Parsed, drawn: &Drawn<'_>, words: &[String]) -> bool {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut specific = words.clone();
    specific.retain(|word| SPECIFIC.contains(word));
    let has_match =
        |word: &&str| !matching_nodes(parsed, &with_type(&drawn.selector, word)).is_empty();
    match specific.iter().any(has_match) {
        true => is_innermost(parsed, drawn, &specific),
        false => is_innermost(parsed, drawn, &words),
    }
}

/// Returns a type name without a generic last part such as `statement`.
fn bare_name(name: &str) -> Option<&str> {
    const KINDS: [&str; 6] = [
        "statement",
        "expression",
        "declaration",
        "definition",
        "item",
        "specifier",
    ];
    let (bare, kind) = name.rsplit_once('_')?;
    KINDS.contains(&kind).then_some(bare)
}

/// Returns whether a word is a node type in the file's grammar, which takes precedence over the
/// general word.
fn is_type(parsed: &Parsed, word: &str) -> bool {
    parsed.source().language().node_types().contains(&word)
}

fn with_scope(selector: &Selector, symbol_path: Vec<String>) -> Selector {
    Selector {
        scope: Some(Scope::Symbol(SymbolScope { symbol_path })),
        ..selector.clone()
    }
}

/// Drops a letter of a name, or swaps two adjacent letters.
fn misspelled(name: &str, random: &mut Random) -> Option<String> {
    let letters: Vec<char> = name.chars().collect();
    let inner: Vec<usize> = (1..letters.len())
        .filter(|at| letters[*at].is_alphanumeric())
        .collect();
    let at = *random.pick(&inner)?;
    let mut own = letters.clone();
    match random.below(2) {
        0 => {
            own.remove(at);
        }
        _ => own.swap(at, at - 1),
    }
    (own != letters && own.len() > 1).then(|| own.into_iter().collect())
}

/// Misspells the type. Determined unless the result is itself a name, or another type at the anchor
/// is as near.
pub(super) fn type_misspelled(
    types: &Types,
    parsed: &Parsed,
    drawn: &Drawn<'_>,
    random: &mut Random,
) -> Option<(Selector, bool)> {
    let own = drawn.target.node_type.as_str();
    let wrong = misspelled(own, random)?;
    let distance = strsim::osa_distance(&wrong, own);
    let all = parsed.source().language().node_types();
    let as_near = all
        .into_iter()
        .filter(|other| *other != own && strsim::osa_distance(&wrong, other) <= distance);
    let others =
        as_near.flat_map(|other| matching_nodes(parsed, &with_type(&drawn.selector, other)));
    let is_determined = !types.is_known(parsed, &wrong) && others.count() == 0;
    Some((with_type(&drawn.selector, &wrong), is_determined))
}

/// Uses another grammar's name for the type. Candidates are types that the file's grammar does not
/// have. They share a specific word that selects the node, or they share any such word and have the
/// same name except for a last part such as `statement`. The most similar name is used.
pub(super) fn type_of_other_grammar(
    types: &Types,
    parsed: &Parsed,
    drawn: &Drawn<'_>,
) -> Option<(Selector, bool)> {
    let own = drawn.target.node_type.as_str();
    let mut best: Option<(f64, &str, &[String])> = None;
    let mut names: Vec<&&str> = types.0.keys().collect();
    names.sort_unstable();
    for name in names {
        for (other, words) in &types.0[*name] {
            let shares = |word: &String| drawn.words.contains(&word.as_str());
            let is_specific = |word: &String| SPECIFIC.contains(&word.as_str());
            let bare = bare_name(own);
            let is_like_it = words.iter().any(|word| shares(word) && is_specific(word))
                || (words.iter().any(shares) && bare.is_some() && bare_name(other) == bare);
            let likeness = strsim::jaro_winkler(other, own);
            let is_better = best.is_none_or(|(known, name, _)| {
                likeness > known || (likeness >= known && other.as_str() < name)
            });
            if is_like_it && !types.is_known(parsed, other) && is_better {
                best = Some((likeness, other, words));
            }
        }
    }
    let (_, other, words) = best?;
    let is_determined = is_innermost_of_specific(parsed, drawn, words);
    Some((with_type(&drawn.selector, other), is_determined))
}

/// Uses a general word that selects the node. Determined if the node is the innermost that the word
/// selects.
pub(super) fn general_word(
    parsed: &Parsed,
    drawn: &Drawn<'_>,
    random: &mut Random,
) -> Option<(Selector, bool)> {
    let words = drawn.words.iter().copied();
    let words: Vec<&str> = words.filter(|word| !is_type(parsed, word)).collect();
    let word = *random.pick(&words)?;
    let is_determined = is_innermost(parsed, drawn, &[word]);
    Some((with_type(&drawn.selector, word), is_determined))
}

/// Uses a general word that callers confuse with one that selects the node. Determined if the word
/// itself selects nothing and the node is the innermost that the related words select.
pub(super) fn related_word(
    parsed: &Parsed,
    drawn: &Drawn<'_>,
    random: &mut Random,
) -> Option<(Selector, bool)> {
    let holds_own = |group: &&&[&str]| group.iter().any(|word| drawn.words.contains(word));
    let groups: Vec<&&[&str]> = RELATED.iter().filter(holds_own).collect();
    let group = random.pick(&groups)?;
    let others = group.iter().copied();
    let others: Vec<&str> = others
        .filter(|word| !drawn.words.contains(word) && !is_type(parsed, word))
        .collect();
    let word = *random.pick(&others)?;
    let selector = with_type(&drawn.selector, word);
    let is_determined =
        matching_nodes(parsed, &selector).is_empty() && is_innermost(parsed, drawn, group);
    Some((selector, is_determined))
}

/// Uses a type of the grammar that shares a general word with the right type but has no node at the
/// anchor.
pub(super) fn other_type_of_kind(
    types: &Types,
    parsed: &Parsed,
    drawn: &Drawn<'_>,
    random: &mut Random,
) -> Option<(Selector, bool)> {
    let own = drawn.target.node_type.as_str();
    let mut candidates = types.with_word(parsed, &drawn.words);
    candidates.retain(|other| {
        *other != own && matches_nothing(parsed, &with_type(&drawn.selector, other))
    });
    let other = *random.pick(&candidates)?;
    let is_determined = is_innermost_of_specific(parsed, drawn, types.words(parsed, other));
    Some((with_type(&drawn.selector, other), is_determined))
}

/// Uses the type of another node of the file that shares no general word with the right type and
/// has no node at the anchor. Determined (as one of the enclosing nodes) if the anchor occurs in at
/// most ten places.
pub(super) fn other_type(
    types: &Types,
    parsed: &Parsed,
    drawn: &Drawn<'_>,
    in_file: &BTreeSet<String>,
    random: &mut Random,
) -> Option<(Selector, bool)> {
    let is_other = |kind: &&String| {
        let words = types.words(parsed, kind);
        !words.is_empty()
            && !words
                .iter()
                .any(|word| drawn.words.contains(&word.as_str()))
    };
    let others: Vec<&String> = in_file
        .iter()
        .filter(is_other)
        .filter(|kind| matches_nothing(parsed, &with_type(&drawn.selector, kind)))
        .collect();
    let other = *random.pick(&others)?;
    let selector = with_type(&drawn.selector, other);
    let places = select::discover(parsed, &selector).map_or(0, |places| places.len());
    Some((selector, places <= 10))
}

fn matches_nothing(parsed: &Parsed, selector: &Selector) -> bool {
    let selected = select::select(parsed, selector);
    matches!(selected, Err(SelectError::AncestorNotFound { .. }))
}

/// Misspells the last name of the scope. Determined unless the result is a symbol, or another
/// symbol is as near and the selector selects a node in it.
pub(super) fn symbol_misspelled(
    parsed: &Parsed,
    drawn: &Drawn<'_>,
    selector: &Selector,
    symbol: &SymbolScope,
    random: &mut Random,
) -> Option<(Selector, bool)> {
    let own = symbol.symbol_path.last()?;
    let wrong_name = misspelled(own, random)?;
    let mut wrong_path = symbol.symbol_path.clone();
    *wrong_path.last_mut()? = wrong_name.clone();
    let wrong = with_scope(selector, wrong_path);
    let distance = strsim::osa_distance(&wrong_name, own);
    let is_as_near = |name: &str| strsim::osa_distance(&wrong_name, name) <= distance;
    let outline = parsed.outline();
    let as_near =
        (0..outline.symbols().len()).filter(|index| is_as_near(&outline.symbols()[*index].name));
    let others = as_near.flat_map(|index| {
        let path = outline.short_path(index);
        matching_nodes(parsed, &with_scope(selector, path))
    });
    let is_determined = others
        .chain(matching_nodes(parsed, &wrong))
        .all(|node| drawn.chain.last() == Some(&node));
    Some((wrong, is_determined))
}

/// Uses a symbol that does not contain the node as the scope.
pub(super) fn other_symbol(
    parsed: &Parsed,
    drawn: &Drawn<'_>,
    random: &mut Random,
) -> Option<(Selector, bool)> {
    let outline = parsed.outline();
    let others: Vec<usize> = (0..outline.symbols().len())
        .filter(|index| {
            let span = outline.symbols()[*index].span;
            !span.overlaps(drawn.target.span)
        })
        .collect();
    let path = outline.short_path(*random.pick(&others)?);
    let wrong = with_scope(&drawn.selector, path);
    // A path may match several definitions, and one of them may contain the node.
    let is_determined = matching_nodes(parsed, &wrong).is_empty();
    Some((wrong, is_determined))
}

/// Puts the last name of the scope below a symbol that has no such child. Determined unless several
/// symbols have that name and the selector selects nodes in them.
pub(super) fn wrong_parent_symbol(
    parsed: &Parsed,
    drawn: &Drawn<'_>,
    selector: &Selector,
    symbol: &SymbolScope,
    random: &mut Random,
) -> Option<(Selector, bool)> {
    let own = symbol.symbol_path.last()?;
    let outline = parsed.outline();
    let names: Vec<&String> = outline
        .symbols()
        .iter()
        .map(|other| &other.name)
        .filter(|name| *name != own && !symbol.symbol_path.contains(name))
        .collect();
    let parent = (*random.pick(&names)?).clone();
    let wrong = with_scope(selector, vec![parent, own.clone()]);
    let refused = select::select(parsed, &wrong).err();
    if !matches!(refused, Some(SelectError::Scope(_))) {
        return None;
    }
    let with_word =
        (0..outline.symbols().len()).filter(|index| outline.symbols()[*index].name == *own);
    let mut nodes = with_word.flat_map(|index| {
        let path = outline.short_path(index);
        matching_nodes(parsed, &with_scope(selector, path))
    });
    let is_determined = nodes.all(|node| drawn.chain.last() == Some(&node));
    Some((wrong, is_determined))
}

/// A mistake in a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WrongPath {
    Directory,
    Letter,
    Extension,
}

/// Returns a wrong path for a file, or `None` if a file has that path.
pub(super) fn wrong_path(
    path: &str,
    paths: &[String],
    way: WrongPath,
    random: &mut Random,
) -> Option<String> {
    let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
    let (stem, extension) = name.rsplit_once('.')?;
    let joined = |directory: &str, name: &str| match directory.is_empty() {
        true => name.to_string(),
        false => format!("{directory}/{name}"),
    };
    let wrong = match way {
        WrongPath::Letter => joined(
            directory,
            &format!("{}.{extension}", misspelled(stem, random)?),
        ),
        WrongPath::Extension => {
            let own = language::of_path(path)?;
            let others = own.extensions().iter().filter(|other| **other != extension);
            let others: Vec<&&str> = others.collect();
            let other = match random.pick(&others) {
                Some(other) => other,
                None => *random.pick(&["js", "ts", "py", "rs", "txt", "json"])?,
            };
            joined(directory, &format!("{stem}.{other}"))
        }
        WrongPath::Directory => {
            let names: Vec<&str> = directory
                .split('/')
                .filter(|name| !name.is_empty())
                .collect();
            match random.below(3) {
                // Drop a directory, misspell one, or use another directory of the workspace.
                0 if !names.is_empty() => {
                    let mut own = names.clone();
                    own.remove(random.below(names.len()));
                    joined(&own.join("/"), name)
                }
                1 if !names.is_empty() => {
                    let at = random.below(names.len());
                    let wrong = misspelled(names[at], random)?;
                    let mut own = names.clone();
                    own[at] = &wrong;
                    joined(&own.join("/"), name)
                }
                _ => {
                    let directories: BTreeSet<&str> = paths
                        .iter()
                        .filter_map(|other| Some(other.rsplit_once('/')?.0))
                        .filter(|other| *other != directory)
                        .collect();
                    let directories: Vec<&str> = directories.into_iter().collect();
                    joined(random.pick(&directories)?, name)
                }
            }
        }
    };
    (wrong != path && !paths.contains(&wrong)).then_some(wrong)
}

/// Returns the other paths of the workspace that are as near to the wrong path as the right one:
/// files with the same name in another directory, or names that differ in as few letters.
pub(super) fn paths_as_near<'a>(path: &str, wrong: &str, paths: &'a [String]) -> Vec<&'a String> {
    let name_of = |path: &str| path.rsplit('/').next().unwrap_or_default().to_string();
    let (own_name, wrong_name) = (name_of(path), name_of(wrong));
    let distance = strsim::osa_distance(wrong, path);
    let near = paths.iter().filter(|other| *other != path);
    near.filter(|other| {
        let is_namesake = own_name == wrong_name && name_of(other) == own_name;
        let length = other.len().abs_diff(wrong.len());
        is_namesake || (length <= distance && strsim::osa_distance(wrong, other) <= distance)
    })
    .collect()
}
