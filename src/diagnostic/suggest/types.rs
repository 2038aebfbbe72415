//! Suggests other node types.

use crate::language::{self, GENERAL_WORDS, Language};
use crate::parse::Parsed;
use crate::select::{Candidate, Occurrence, SelectError, Selector, select, trimmed_node};

use super::edits::add_node;
use super::narrow::{add_or_distinguish, distinguish};
use super::scopes::without_scope;
use super::texts::{texts_like, texts_of};
use super::{Suggestions, with_anchor_text, with_type};
use crate::diagnostic::{ANCESTORS_SHOWN, CANDIDATES_SHOWN};

/// The minimum length, in bytes, of an anchor that occurs in the file but may still be a misspelling of another one.
const TELLING_BYTES: usize = 8;

/// General words that describe the position or form of a node, not its meaning.
const BROAD: &[&str] = &[
    "type",
    "argument",
    "statement",
    "expression",
    "block",
    "element",
    "item",
    "list",
    "code_block",
];

/// General words that are often confused.
const RELATED: &[&[&str]] = &[
    &["function", "method"],
    &["class", "struct", "interface", "enum", "type"],
    &["field", "property", "variable"],
    &["parameter", "argument"],
    &["item", "element", "row"],
    &["statement", "expression"],
    &["heading", "section"],
    &["attribute", "property"],
    &["key", "property", "field"],
];

/// The maximum number of nodes to suggest for one group of general words.
const OF_KIND: usize = 2;

/// Suggests types of the grammar and general words instead of the unknown type `name`.
pub(super) fn known_types(
    found: &mut Suggestions<'_>,
    selector: &Selector,
    name: &str,
    occurrences: &[Occurrence<'_>],
) {
    let parsed = found.parsed;
    for near in misspelled_types(parsed, name) {
        add_or_distinguish(found, with_type(selector, near));
    }
    kindred_nodes(found, selector, name);
    for near in near_types(parsed, name) {
        add_or_distinguish(found, with_type(selector, &near));
    }
    types_above(found, selector, occurrences, name);
}

/// Suggests other scopes, texts and types if no ancestor of the anchor has the wanted type.
pub(super) fn other_ancestors(
    found: &mut Suggestions<'_>,
    selector: &Selector,
    occurrences: &[Occurrence<'_>],
) {
    without_scope(found, selector);
    let wanted = wanted_type(selector);
    let like = texts_of(found, selector);
    texts_like(found, selector, like.iter().filter(|one| one.cost < 1.0));
    last_expressions(found, selector, wanted, occurrences);
    kindred_nodes(found, selector, wanted);
    // In a short anchor, one different letter is too much.
    if selector.anchor.as_str().len() >= TELLING_BYTES {
        texts_like(found, selector, like.iter().filter(|one| one.cost < 2.0));
    }
    nodes_below(found, selector, occurrences, wanted);
    types_above(found, selector, occurrences, wanted);
}

/// Returns the first type that a selector requires, or `""`.
pub(super) fn wanted_type(selector: &Selector) -> &str {
    let first = selector.ancestor_node_type.first();
    first.map_or("", String::as_str)
}

/// Suggests the expression that is a direct child of the innermost block if a statement is wanted: the last expression of a
/// Rust block is not wrapped in a statement.
fn last_expressions(
    found: &mut Suggestions<'_>,
    selector: &Selector,
    wanted: &str,
    occurrences: &[Occurrence<'_>],
) {
    if !words_of(found.parsed, wanted).contains(&"statement") {
        return;
    }
    for occurrence in occurrences.iter().take(OF_KIND) {
        let chain = &occurrence.chain;
        let mut parents = chain.windows(2);
        let above = parents.rposition(|pair| pair[1].is_word("block", Some(pair[0])));
        let Some(chain) = above.and_then(|above| chain.get(..above + 3)) else {
            continue;
        };
        let [.., block, node] = chain else {
            continue;
        };
        let is = |word| node.is_word(word, Some(*block));
        if is("expression") && !is("statement") {
            add_node(found, selector, chain);
        }
    }
}

/// Returns node types and general words that differ from `name` in one or two letters.
fn misspelled_types(parsed: &Parsed, name: &str) -> Vec<&'static str> {
    let may_differ = (name.chars().count() / 4).clamp(1, 2);
    let words = GENERAL_WORDS.iter().copied();
    let words = words.filter(|word| parsed.languages().any(|one| one.knows_word(word)));
    let types = parsed.languages().flat_map(Language::node_types);
    let mut near: Vec<(usize, &str)> = types
        .chain(words)
        .filter(|own| own.len().abs_diff(name.len()) <= may_differ)
        .map(|own| (strsim::osa_distance(own, name), own))
        .filter(|(differ, _)| *differ <= may_differ)
        .collect();
    near.sort_unstable();
    near.dedup();
    near.into_iter().map(|(_, own)| own).collect()
}

/// Suggests the nodes at the anchor that have the same meaning as the node type `name`, which may be of another
/// grammar. Tries nodes with a specific general word of the type first, then with any word of it, then with a related
/// word. In each group, innermost nodes come first.
pub(super) fn kindred_nodes(found: &mut Suggestions<'_>, selector: &Selector, name: &str) {
    let words = words_of(found.parsed, name);
    let (broad, telling): (Vec<&str>, Vec<&str>) =
        words.iter().partition(|word| BROAD.contains(word));
    let related = RELATED
        .iter()
        .filter(|group| group.iter().any(|word| words.contains(word)));
    let (broadly_related, related): (Vec<&str>, Vec<&str>) = related
        .flat_map(|group| group.iter().copied())
        .partition(|word| BROAD.contains(word));
    for words in [telling, broad, related, broadly_related] {
        if nodes_of_words(found, selector, &words) {
            return;
        }
    }
}

/// Returns the general words of the node type `name`: in this grammar, or else in any grammar, or else those that are
/// part of the name.
fn words_of(parsed: &Parsed, name: &str) -> Vec<&'static str> {
    if let Some(word) = GENERAL_WORDS.iter().find(|word| **word == name) {
        return vec![word];
    }
    let mut words: Vec<&'static str> = parsed
        .languages()
        .flat_map(|one| one.words_of(name))
        .collect();
    if words.is_empty() {
        words.extend(language::all().flat_map(|one| one.words_of(name)));
    }
    if words.is_empty() {
        let parts = GENERAL_WORDS.iter().copied();
        words.extend(parts.filter(|word| name.split('_').any(|part| part == *word)));
    }
    words
}

/// Suggests the nodes at the anchor that have one of the general words, each by its type. Innermost nodes come first,
/// names last. Returns whether there are any.
fn nodes_of_words(found: &mut Suggestions<'_>, selector: &Selector, words: &[&str]) -> bool {
    let parsed = found.parsed;
    let known = |word: &&&str| parsed.languages().any(|one| one.knows_word(word));
    let mut all: Vec<Candidate<'_>> = Vec::new();
    for word in words.iter().filter(known) {
        let candidates = match select(parsed, &with_type(selector, word)) {
            Ok(selection) => vec![Candidate::from(selection)],
            Err(SelectError::Ambiguous { candidates }) => candidates,
            Err(_) => continue,
        };
        for candidate in candidates {
            let is_known = |one: &Candidate<'_>| one.chain.last() == candidate.chain.last();
            if !all.iter().any(is_known) {
                all.push(candidate);
            }
        }
    }
    all.sort_by_key(|candidate| {
        let node = candidate.chain.last();
        node.map(|node| (is_name(node.kind()), node.span().len()))
    });
    for candidate in all.iter().take(OF_KIND) {
        let Some(node) = candidate.chain.last() else {
            continue;
        };
        let typed = with_type(selector, node.kind());
        match select(parsed, &typed) {
            Ok(selection) if selection.node() == *node => {
                found.add_resolved(typed, &selection);
            }
            Err(SelectError::Ambiguous { candidates }) => {
                let is_it = |one: &Candidate<'_>| one.chain.last() == Some(node);
                if let Some(index) = candidates.iter().position(is_it) {
                    distinguish(found, &typed, &candidates[index], index + 1);
                }
            }
            _ => {}
        }
    }
    !all.is_empty()
}

/// Returns whether nodes of the type are only names or texts. The general words do not cover all such types
/// (`type_identifier`, `string_content`), so this relies on the naming conventions of the grammars.
fn is_name(node_type: &str) -> bool {
    node_type.contains("identifier") || node_type.contains("string")
}

/// Returns node types with names similar to `name`, and the general words that `name` contains.
fn near_types(parsed: &Parsed, name: &str) -> Vec<String> {
    let mut scored: Vec<(f64, String)> = parsed
        .languages()
        .flat_map(Language::node_types)
        .map(|own| (strsim::jaro_winkler(own, name), own.to_string()))
        .filter(|(likeness, _)| *likeness > 0.85)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    scored.dedup();
    let words = name
        .split('_')
        .filter(|word| parsed.languages().any(|one| one.knows_word(word)));
    let words: Vec<String> = words.map(str::to_string).collect();
    scored
        .into_iter()
        .take(3)
        .map(|(_, own)| own)
        .chain(words)
        .collect()
}

/// Suggests types of the anchor's ancestors that make the selection unique: first types with names similar to the
/// wanted one, then from the innermost to the outermost. To remove or replace a node, the anchor must be at its start, or the
/// name of its type be similar.
pub(super) fn types_above(
    found: &mut Suggestions<'_>,
    selector: &Selector,
    occurrences: &[Occurrence<'_>],
    wanted: &str,
) {
    let mut types: Vec<&str> = Vec::new();
    let like = |kind: &str| strsim::jaro_winkler(kind, wanted) > 0.8;
    let removes = found.pointing.removes();
    let longest = occurrences
        .iter()
        .map(|one| one.chain.len())
        .max()
        .unwrap_or(0);
    for depth in 0..longest.min(ANCESTORS_SHOWN) {
        for occurrence in occurrences.iter().take(CANDIDATES_SHOWN) {
            let node = occurrence.chain.iter().rev().nth(depth);
            let named = node.filter(|node| {
                let starts = node.span().start() == occurrence.anchor.start();
                !removes || starts || like(node.kind())
            });
            let kind = named.map(|node| node.kind());
            types.extend(kind.filter(|kind| !types.contains(kind)));
        }
    }
    types.sort_by_key(|kind| !like(kind));
    for kind in &types {
        found.add(with_type(selector, kind));
    }
    // If hardly any type is unique, suggest the nearest type that is not only a name, once for each place.
    if found.made.len() < 2
        && let Some(kind) = types.into_iter().find(|kind| !is_name(kind))
    {
        add_or_distinguish(found, with_type(selector, kind));
    }
}

/// Suggests descendants of the wanted type if the anchor is directly above them (`match code` and its arms): the first
/// ones, each by its own first line.
fn nodes_below(
    found: &mut Suggestions<'_>,
    selector: &Selector,
    occurrences: &[Occurrence<'_>],
    wanted: &str,
) {
    const SUGGESTED: usize = 3;
    const WALKED: usize = 5_000;
    let [Occurrence { chain, .. }] = occurrences else {
        return;
    };
    let Some(top) = chain.last() else {
        return;
    };
    let parsed = found.parsed;
    let mut cursor = parsed.walk(*top);
    let mut spans = Vec::new();
    for _ in 0..WALKED {
        let node = cursor.node();
        let fits = node.kind() == wanted && spans.len() < SUGGESTED;
        spans.extend(fits.then(|| trimmed_node(parsed, node)));
        if !fits && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                break;
            }
        }
        if cursor.node() == *top {
            break;
        }
    }
    for span in spans {
        let text = parsed.source().slice(span);
        let line = text.lines().next().unwrap_or_default();
        found.add(with_anchor_text(selector, line));
    }
}
