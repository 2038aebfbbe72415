//! Mistakes in what stands beside the anchor: the node type, the scope, the name of the file. Comes in a
//! correct selector, goes out a wrong one, and whether it can still be told what was meant.

use std::collections::{BTreeSet, HashMap};

use treegraft::language;
use treegraft::locate::{Scope, SymbolScope};
use treegraft::parse::{Node, Parsed};
use treegraft::select::{self, SelectError, Selector};

use crate::nodes::words;

use super::draw::{Drawn, Lot, meant, with_type};

/// General words that callers take for each other.
const RELATED: &[&[&str]] = &[
    &["function", "method"],
    &["class", "struct", "interface"],
    &["field", "property", "variable"],
    &["parameter", "argument"],
    &["item", "element"],
    &["statement", "expression"],
];
/// General words that say what a thing is, not only where it may stand or how it looks.
const TELLING: &[&str] = &[
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

    /// The types of the file's grammar that bear one of the words, in order.
    fn bearing<'t>(&'t self, parsed: &Parsed, words: &[&str]) -> Vec<&'t str> {
        let own = self.0.get(parsed.source().language().name);
        let all = own.into_iter().flatten();
        let bears = |own: &[String]| own.iter().any(|word| words.contains(&word.as_str()));
        let bearing = all.filter(|(_, own)| bears(own));
        let mut types: Vec<&str> = bearing.map(|(name, _)| name.as_str()).collect();
        types.sort_unstable();
        types
    }
}

/// Whether the node that is meant is the innermost of those that the words lead to from the anchor.
fn is_innermost(parsed: &Parsed, drawn: &Drawn<'_>, words: &[&str]) -> bool {
    let Some(own) = drawn.chain.last() else {
        return false;
    };
    let nodes = words.iter();
    let nodes = nodes.flat_map(|word| meant(parsed, &with_type(&drawn.selector, word)));
    let nodes: Vec<Node<'_>> = nodes.collect();
    let is_outside = |node: &Node<'_>| {
        let (node, own) = (node.span(), own.span());
        node.contains(own) && node != own
    };
    nodes.contains(own) && nodes.iter().all(|node| node == own || is_outside(node))
}

/// Whether the node that is meant is the innermost that the telling ones of the words of a wrong type lead to
/// from the anchor; where these lead nowhere, that any of them leads to.
fn is_kindred(parsed: &Parsed, drawn: &Drawn<'_>, words: &[String]) -> bool {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut telling = words.clone();
    telling.retain(|word| TELLING.contains(word));
    let leads = |word: &&str| !meant(parsed, &with_type(&drawn.selector, word)).is_empty();
    match telling.iter().any(leads) {
        true => is_innermost(parsed, drawn, &telling),
        false => is_innermost(parsed, drawn, &words),
    }
}

/// A name without its last part where that says no more than what kind of thing it is.
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

/// Whether a word is the name of a type in the file's grammar, which wins over the word.
fn is_type(parsed: &Parsed, word: &str) -> bool {
    parsed.source().language().node_types().contains(&word)
}

fn with_scope(selector: &Selector, symbol_path: Vec<String>) -> Selector {
    Selector {
        scope: Some(Scope::Symbol(SymbolScope { symbol_path })),
        ..selector.clone()
    }
}

/// A letter of a name dropped, or two next to each other swapped.
fn misspelled(name: &str, lot: &mut Lot) -> Option<String> {
    let letters: Vec<char> = name.chars().collect();
    let inner: Vec<usize> = (1..letters.len())
        .filter(|at| letters[*at].is_alphanumeric())
        .collect();
    let at = *lot.pick(&inner)?;
    let mut own = letters.clone();
    match lot.below(2) {
        0 => {
            own.remove(at);
        }
        _ => own.swap(at, at - 1),
    }
    (own != letters && own.len() > 1).then(|| own.into_iter().collect())
}

/// The type misspelled: determined unless that is a name itself, or another type at the anchor is as near.
pub(super) fn type_misspelled(
    types: &Types,
    parsed: &Parsed,
    drawn: &Drawn<'_>,
    lot: &mut Lot,
) -> Option<(Selector, bool)> {
    let own = drawn.target.node_type.as_str();
    let wrong = misspelled(own, lot)?;
    let distance = strsim::osa_distance(&wrong, own);
    let all = parsed.source().language().node_types();
    let as_near = all
        .into_iter()
        .filter(|other| *other != own && strsim::osa_distance(&wrong, other) <= distance);
    let others = as_near.flat_map(|other| meant(parsed, &with_type(&drawn.selector, other)));
    let is_determined = !types.is_known(parsed, &wrong) && others.count() == 0;
    Some((with_type(&drawn.selector, &wrong), is_determined))
}

/// What another grammar calls it: of the types that the file's grammar does not have and that bear a
/// telling word which leads to the node, or are called the same but for a last part such as `statement`
/// and share any such word, that whose name is most like its own.
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
            let is_telling = |word: &String| TELLING.contains(&word.as_str());
            let bare = bare_name(own);
            let is_like_it = words.iter().any(|word| shares(word) && is_telling(word))
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
    let is_determined = is_kindred(parsed, drawn, words);
    Some((with_type(&drawn.selector, other), is_determined))
}

/// A general word that leads to it; determined where it is the innermost that the word leads to.
pub(super) fn general_word(
    parsed: &Parsed,
    drawn: &Drawn<'_>,
    lot: &mut Lot,
) -> Option<(Selector, bool)> {
    let words = drawn.words.iter().copied();
    let words: Vec<&str> = words.filter(|word| !is_type(parsed, word)).collect();
    let word = *lot.pick(&words)?;
    let is_determined = is_innermost(parsed, drawn, &[word]);
    Some((with_type(&drawn.selector, word), is_determined))
}

/// A general word that callers take for one that leads to it; determined where that word itself leads
/// nowhere and the node is the innermost that the others lead to.
pub(super) fn related_word(
    parsed: &Parsed,
    drawn: &Drawn<'_>,
    lot: &mut Lot,
) -> Option<(Selector, bool)> {
    let holds_own = |group: &&&[&str]| group.iter().any(|word| drawn.words.contains(word));
    let groups: Vec<&&[&str]> = RELATED.iter().filter(holds_own).collect();
    let group = lot.pick(&groups)?;
    let others = group.iter().copied();
    let others: Vec<&str> = others
        .filter(|word| !drawn.words.contains(word) && !is_type(parsed, word))
        .collect();
    let word = *lot.pick(&others)?;
    let selector = with_type(&drawn.selector, word);
    let is_determined = meant(parsed, &selector).is_empty() && is_innermost(parsed, drawn, group);
    Some((selector, is_determined))
}

/// A type of the grammar that shares a general word with the right one but has no node at the anchor.
pub(super) fn kindred_type(
    types: &Types,
    parsed: &Parsed,
    drawn: &Drawn<'_>,
    lot: &mut Lot,
) -> Option<(Selector, bool)> {
    let own = drawn.target.node_type.as_str();
    let mut kindred = types.bearing(parsed, &drawn.words);
    kindred
        .retain(|other| *other != own && leads_nowhere(parsed, &with_type(&drawn.selector, other)));
    let other = *lot.pick(&kindred)?;
    let is_determined = is_kindred(parsed, drawn, types.words(parsed, other));
    Some((with_type(&drawn.selector, other), is_determined))
}

/// A type of a node elsewhere in the file that shares no general word with the right one and has no node
/// at the anchor; determined as one of the nodes around, as long as the anchor stands in ten places.
pub(super) fn other_type(
    types: &Types,
    parsed: &Parsed,
    drawn: &Drawn<'_>,
    in_file: &BTreeSet<String>,
    lot: &mut Lot,
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
        .filter(|kind| leads_nowhere(parsed, &with_type(&drawn.selector, kind)))
        .collect();
    let other = *lot.pick(&others)?;
    let selector = with_type(&drawn.selector, other);
    let places = select::discover(parsed, &selector).map_or(0, |places| places.len());
    Some((selector, places <= 10))
}

fn leads_nowhere(parsed: &Parsed, selector: &Selector) -> bool {
    let selected = select::select(parsed, selector);
    matches!(selected, Err(SelectError::AncestorNotFound { .. }))
}

/// The scope's last name misspelled: determined unless that is a symbol, or another symbol is as near in
/// which the selector leads to a node.
pub(super) fn symbol_misspelled(
    parsed: &Parsed,
    drawn: &Drawn<'_>,
    selector: &Selector,
    symbol: &SymbolScope,
    lot: &mut Lot,
) -> Option<(Selector, bool)> {
    let own = symbol.symbol_path.last()?;
    let wrong_name = misspelled(own, lot)?;
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
        meant(parsed, &with_scope(selector, path))
    });
    let is_determined = others
        .chain(meant(parsed, &wrong))
        .all(|node| drawn.chain.last() == Some(&node));
    Some((wrong, is_determined))
}

/// The scope is a symbol that the node is not in.
pub(super) fn other_symbol(
    parsed: &Parsed,
    drawn: &Drawn<'_>,
    lot: &mut Lot,
) -> Option<(Selector, bool)> {
    let outline = parsed.outline();
    let others: Vec<usize> = (0..outline.symbols().len())
        .filter(|index| {
            let span = outline.symbols()[*index].span;
            !span.overlaps(drawn.target.span)
        })
        .collect();
    let path = outline.short_path(*lot.pick(&others)?);
    let wrong = with_scope(&drawn.selector, path);
    // A path may name several definitions, of which the node may be in one.
    let is_determined = meant(parsed, &wrong).is_empty();
    Some((wrong, is_determined))
}

/// The scope's last name below a symbol that has none of that name: determined unless several symbols bear
/// it in which the selector leads to nodes.
pub(super) fn symbol_elsewhere(
    parsed: &Parsed,
    drawn: &Drawn<'_>,
    selector: &Selector,
    symbol: &SymbolScope,
    lot: &mut Lot,
) -> Option<(Selector, bool)> {
    let own = symbol.symbol_path.last()?;
    let outline = parsed.outline();
    let names: Vec<&String> = outline
        .symbols()
        .iter()
        .map(|other| &other.name)
        .filter(|name| *name != own && !symbol.symbol_path.contains(name))
        .collect();
    let parent = (*lot.pick(&names)?).clone();
    let wrong = with_scope(selector, vec![parent, own.clone()]);
    let refused = select::select(parsed, &wrong).err();
    if !matches!(refused, Some(SelectError::Scope(_))) {
        return None;
    }
    let bearing =
        (0..outline.symbols().len()).filter(|index| outline.symbols()[*index].name == *own);
    let mut nodes = bearing.flat_map(|index| {
        let path = outline.short_path(index);
        meant(parsed, &with_scope(selector, path))
    });
    let is_determined = nodes.all(|node| drawn.chain.last() == Some(&node));
    Some((wrong, is_determined))
}

/// A way to name a file wrongly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WrongPath {
    Folder,
    Letter,
    Extension,
}

/// The path of a file, wrong; nothing where there is such a file.
pub(super) fn wrong_path(
    path: &str,
    paths: &[String],
    way: WrongPath,
    lot: &mut Lot,
) -> Option<String> {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let (stem, extension) = name.rsplit_once('.')?;
    let joined = |folder: &str, name: &str| match folder.is_empty() {
        true => name.to_string(),
        false => format!("{folder}/{name}"),
    };
    let wrong = match way {
        WrongPath::Letter => joined(folder, &format!("{}.{extension}", misspelled(stem, lot)?)),
        WrongPath::Extension => {
            let own = language::of_path(path)?;
            let others = own.extensions().iter().filter(|other| **other != extension);
            let others: Vec<&&str> = others.collect();
            let other = match lot.pick(&others) {
                Some(other) => other,
                None => *lot.pick(&["js", "ts", "py", "rs", "txt", "json"])?,
            };
            joined(folder, &format!("{stem}.{other}"))
        }
        WrongPath::Folder => {
            let names: Vec<&str> = folder.split('/').filter(|name| !name.is_empty()).collect();
            match lot.below(3) {
                // One folder less, one that is misspelled, or another folder of the workspace.
                0 if !names.is_empty() => {
                    let mut own = names.clone();
                    own.remove(lot.below(names.len()));
                    joined(&own.join("/"), name)
                }
                1 if !names.is_empty() => {
                    let at = lot.below(names.len());
                    let wrong = misspelled(names[at], lot)?;
                    let mut own = names.clone();
                    own[at] = &wrong;
                    joined(&own.join("/"), name)
                }
                _ => {
                    let folders: BTreeSet<&str> = paths
                        .iter()
                        .filter_map(|other| Some(other.rsplit_once('/')?.0))
                        .filter(|other| *other != folder)
                        .collect();
                    let folders: Vec<&str> = folders.into_iter().collect();
                    joined(lot.pick(&folders)?, name)
                }
            }
        }
    };
    (wrong != path && !paths.contains(&wrong)).then_some(wrong)
}

/// The other paths of the workspace that are as near to a wrong one as the right one is: of files with the
/// right name elsewhere, or with other names that differ in as few letters.
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
