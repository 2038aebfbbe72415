//! The selectors that different callers would write for a node.

use std::collections::BTreeMap;

use treegraft::engine::Engine;
use treegraft::locate::{Scope, ScopeError, SymbolScope};
use treegraft::parse::{Node, Parsed};
use treegraft::select::{self, Anchor, SelectError, Selector};

use super::meaning::trimmed;

/// The maximum number of words in an anchor.
const WORDS: usize = 60;

/// How a selector or search text is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Way {
    /// The selector that `describe` returns.
    Described,
    /// The fewest first words of the node that suffice, with its type.
    Words,
    /// The same with a general word instead of the type.
    GeneralWord,
    /// The shortest word of the node that suffices, with its type.
    ShortestWord,
    /// The changed lines, with surrounding lines if they are not unique.
    Lines,
    /// The first and last words of these lines, with an elided middle.
    Elided,
    /// The fewest tokens that contain the change and occur once.
    LeastText,
    /// The same, in the enclosing symbol.
    InScope,
    /// The change between two markers, with the fewest surrounding tokens.
    Marked,
    /// The same, in the enclosing symbol.
    MarkedInScope,
    /// Two adjacent markers where text is added, with the fewest surrounding tokens.
    Point,
    /// The fewest tokens that contain the change, with an elided middle.
    ElidedLeast,
    /// One of these with one space for each newline and the whitespace around it.
    OneBlank,
}

impl Way {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Way::Described => "described",
            Way::Words => "first words, type",
            Way::GeneralWord => "first words, general word",
            Way::ShortestWord => "shortest word, type",
            Way::Lines => "lines, copied",
            Way::Elided => "first and last words of the lines",
            Way::LeastText => "shortest text",
            Way::InScope => "shortest text in its symbol",
            Way::Marked => "between markers",
            Way::MarkedInScope => "between markers in its symbol",
            Way::Point => "two markers at one point",
            Way::ElidedLeast => "shortest text, elided",
            Way::OneBlank => "shortest text, a space for newlines",
        }
    }
}

/// The outcomes of selectors with too few words.
#[derive(Default)]
pub(crate) struct Tries {
    /// Refusals by code.
    pub(crate) refused: BTreeMap<&'static str, usize>,
    /// The number that selected another node.
    pub(crate) wrong_node: usize,
}

/// Returns selectors that select the last node of a chain.
pub(crate) fn selectors(
    parsed: &Parsed,
    chain: &[Node<'_>],
    tries: &mut Tries,
) -> Vec<(Way, Selector)> {
    let mut found = Vec::new();
    found.extend(select::describe(parsed, chain).map(|own| (Way::Described, own)));
    let kind = chain[chain.len() - 1].kind();
    let by_type = by_words(parsed, chain, kind, tries);
    found.extend(by_type.map(|own| (Way::Words, own)));
    if let Some(word) = general_word(parsed, kind) {
        let by_word = by_words(parsed, chain, &word, tries);
        found.extend(by_word.map(|own| (Way::GeneralWord, own)));
    }
    let shortest = by_shortest_word(parsed, chain);
    found.extend(shortest.map(|own| (Way::ShortestWord, own)));
    found
}

/// Returns the selector with the shortest sufficient word of the node's first lines.
fn by_shortest_word(parsed: &Parsed, chain: &[Node<'_>]) -> Option<Selector> {
    /// The maximum numbers of words and lines that are tried.
    const TRIED: usize = 24;
    const LINES: usize = 6;
    let node = *chain.last()?;
    let text = parsed.source().slice(trimmed(parsed, node));
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let lines = text.lines().take(LINES);
    let mut words: Vec<&str> = lines
        .flat_map(|line| line.split(|c| !is_word(c)))
        .filter(|word| word.len() > 1)
        .collect();
    words.sort_by_key(|word| word.len());
    words.dedup();
    let whole = parsed.source().text();
    // A frequent word matches many nodes.
    let is_rare = |word: &&str| {
        memchr::memmem::find_iter(whole.as_bytes(), *word)
            .nth(8)
            .is_none()
    };
    let rare = words.into_iter().filter(is_rare).take(TRIED);
    let mut selectors = rare.map(|word| Selector::new(word, node.kind()));
    selectors.find(|selector| {
        let selected = select::select(parsed, selector);
        selected.is_ok_and(|selection| selection.node() == node)
    })
}

/// Returns the selector with the fewest first words of the node. If its first line is not
/// sufficient, adds the enclosing symbol, then further lines.
fn by_words(
    parsed: &Parsed,
    chain: &[Node<'_>],
    node_type: &str,
    tries: &mut Tries,
) -> Option<Selector> {
    let node = *chain.last()?;
    let text = parsed.source().slice(trimmed(parsed, node));
    let symbol_path = parsed.symbol_path(&chain[..chain.len() - 1]);
    let scope = Scope::Symbol(SymbolScope { symbol_path });
    let is_symbol =
        |scope: &Scope| matches!(scope, Scope::Symbol(own) if !own.symbol_path.is_empty());
    let scope = Some(scope).filter(is_symbol);
    let inner = similar_prefix_end(parsed, node, node_type);
    let mut ends = word_ends(&text);
    ends.retain(|end| *end > inner);
    let first_line = text.find('\n').unwrap_or(text.len());
    let own_line = ends.iter().filter(|end| **end <= first_line);
    let further = ends.iter().filter(|end| **end > first_line);
    let alone = own_line.clone().map(|end| (*end, None));
    let scoped = own_line
        .filter(|_| scope.is_some())
        .map(|end| (*end, scope.clone()));
    let more = further.map(|end| (*end, scope.clone()));
    for (end, scope) in alone.chain(scoped).chain(more) {
        let selector = Selector {
            scope,
            ..Selector::new(&text[..end], node_type)
        };
        match select::select(parsed, &selector) {
            Ok(selection) if selection.node() == node => return Some(selector),
            Ok(_) => tries.wrong_node += 1,
            Err(error) => *tries.refused.entry(code(&error)).or_default() += 1,
        }
    }
    None
}

/// Returns the length of the longest inner node that starts with the node and that the same first
/// words may select. To select the outer of two calls, a caller writes more than the inner one.
fn similar_prefix_end(parsed: &Parsed, node: Node<'_>, node_type: &str) -> usize {
    let own = trimmed(parsed, node);
    let is_type = node.kind() == node_type;
    let mut at = node;
    loop {
        let mut children = parsed.children(at).into_iter();
        let first = children.find(|child| !trimmed(parsed, *child).is_empty());
        let Some(first) = first.filter(|first| trimmed(parsed, *first).start() == own.start())
        else {
            return 0;
        };
        let span = trimmed(parsed, first);
        let is_alike = first.is_named() && (first.kind() == node_type || !is_type);
        if is_alike && span != own {
            return span.len();
        }
        at = first;
    }
}

/// Returns the end offsets of the first words of a text.
fn word_ends(text: &str) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut in_word = false;
    for (at, c) in text.char_indices() {
        if c.is_whitespace() && in_word {
            ends.push(at);
        }
        in_word = !c.is_whitespace();
        if ends.len() == WORDS {
            return ends;
        }
    }
    ends.push(text.len());
    ends
}

/// Returns a general word for a node type, if the grammar has no type of that name.
fn general_word(parsed: &Parsed, kind: &str) -> Option<String> {
    let listed = Engine::node_types(parsed.source().language().name).ok()?;
    let mut types = listed.node_types.into_iter();
    let own = types.find(|one| one.node_type == kind)?;
    let types = parsed.source().language().node_types();
    let is_type = |word: &String| types.contains(&word.as_str());
    own.general_words.into_iter().find(|word| !is_type(word))
}

/// Returns the code that a caller receives.
pub(crate) fn code(error: &SelectError<'_>) -> &'static str {
    match error {
        SelectError::Scope(ScopeError::LineOutOfRange { .. }) => "line_out_of_range",
        SelectError::Scope(ScopeError::EmptySymbolPath) => "invalid_scope",
        SelectError::Scope(ScopeError::SymbolNotFound { .. }) => "symbol_not_found",
        SelectError::Scope(ScopeError::AmbiguousSymbol { .. }) => "ambiguous_symbol",
        SelectError::BlankAnchor => "invalid_arguments",
        SelectError::AnchorNotFound => "anchor_not_found",
        SelectError::Find(_) => "find_not_found",
        SelectError::SplitsWord { .. } => "splits_word",
        SelectError::UnknownNodeType { .. } => "unknown_node_type",
        SelectError::AncestorRequired { .. } => "ancestor_required",
        SelectError::AncestorNotFound { .. } => "ancestor_not_found",
        SelectError::Ambiguous { .. } | SelectError::TooCommon { .. } => "ambiguous_target",
        SelectError::MatchCount { .. } => "match_count_mismatch",
        SelectError::NthOutOfRange { .. }
        | SelectError::OutwardOutOfRange { .. }
        | SelectError::SiblingOutOfRange { .. } => "nth_out_of_range",
        _ => "another error of a selector",
    }
}

/// Returns a selector as an object, and as one string if that is equivalent.
pub(crate) fn written(selector: &Selector) -> Vec<serde_json::Value> {
    use treegraft::engine::request::SelectorArgument;

    let own = SelectorArgument(selector.clone());
    let mut forms: Vec<serde_json::Value> = serde_json::to_value(&own).into_iter().collect();
    if let ([node_type], Anchor::Text(anchor)) =
        (&selector.ancestor_node_type[..], &selector.anchor)
    {
        let scope = selector.scope.as_ref().map(|scope| format!("{scope}:"));
        let string = format!("{}{node_type}@{anchor}", scope.unwrap_or_default());
        let string = serde_json::Value::String(string);
        let read = serde_json::from_value::<SelectorArgument>(string.clone());
        if read.is_ok_and(|read| read == own) {
            forms.push(string);
        }
    }
    forms
}
