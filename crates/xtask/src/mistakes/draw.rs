//! Draws correct selectors from a parsed file: nodes of useful kinds, each with the first words
//! that select it.
//!
//! The draw is deterministic. A hash of the repository's name, the path and the number of the node
//! in its file decides what is drawn and which half it belongs to.

use std::collections::HashMap;

use treegraft::language::GENERAL_WORDS;
use treegraft::locate::{Scope, SymbolScope};
use treegraft::parse::{Node, Parsed};
use treegraft::select::{self, SelectError, Selector};
use treegraft::source::Span;

use crate::nodes::{chains, words};

/// The general words of nodes that callers usually select.
const WANTED: &[&str] = &[
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
    "statement",
    "import",
    "property",
    "element",
    "item",
    "heading",
    "section",
    "call",
];
/// The minimum number of letters and digits in an anchor.
const LETTERS: usize = 4;
/// The maximum number of bytes in an anchor.
const ANCHOR_BYTES: usize = 160;

/// One of the two halves of the selectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Half {
    /// The half that may be examined to improve suggestions.
    Tuning,
    /// The half that is run only after the improvements.
    HeldOut,
}

/// A pseudorandom number generator seeded with text.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn of(parts: &[&str]) -> Random {
        // FNV-1a, with a separator byte that occurs in none of the parts.
        let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
        for byte in parts.join("\0").bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
        Random(hash)
    }

    /// Returns a number below `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % end.max(1) as u64) as usize
    }

    /// Returns one of the elements.
    pub(crate) fn pick<'a, T>(&mut self, all: &'a [T]) -> Option<&'a T> {
        all.get(self.below(all.len()))
    }
}

/// The node that a selector selects, as it appears in the engine's answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Target {
    pub(super) node_type: String,
    pub(super) span: Span,
}

/// A correct selector.
pub(super) struct Drawn<'p> {
    /// The number of the node in its file.
    pub(super) ordinal: usize,
    pub(super) half: Half,
    pub(super) chain: Vec<Node<'p>>,
    pub(super) target: Target,
    pub(super) selector: Selector,
    /// The general words that select the node with its anchor.
    pub(super) words: Vec<&'static str>,
}

/// Draws at most `count` selectors from a file, from as many node types as possible.
pub(super) fn draw<'p>(parsed: &'p Parsed, repository: &str, count: usize) -> Vec<Drawn<'p>> {
    let path = parsed.source().path();
    let words = words(parsed.source().language().name);
    let is_wanted = |kind: &str| {
        let own = words.get(kind);
        own.is_some_and(|own| own.iter().any(|word| WANTED.contains(&word.as_str())))
    };
    let all = chains(parsed).into_iter().enumerate();
    let mut wanted: Vec<(u64, usize, Vec<Node<'p>>)> = all
        .filter(|(_, chain)| is_wanted(chain[chain.len() - 1].kind()))
        .map(|(ordinal, chain)| {
            let random = Random::of(&[repository, path, &ordinal.to_string()]);
            (random.0, ordinal, chain)
        })
        .collect();
    wanted.sort_by_key(|(random, ordinal, _)| (random.rotate_left(17), *ordinal));
    // Take the first node of each type, then the second of each.
    let mut of_type: HashMap<&str, usize> = HashMap::new();
    let mut ranked: Vec<(usize, u64, usize, Vec<Node<'p>>)> = Vec::new();
    for (random, ordinal, chain) in wanted {
        let seen = of_type.entry(chain[chain.len() - 1].kind()).or_default();
        ranked.push((*seen, random, ordinal, chain));
        *seen += 1;
    }
    ranked.sort_by_key(|(rank, ..)| *rank);
    let drawn = ranked
        .into_iter()
        .filter_map(|(_, random, ordinal, chain)| {
            let is_whole_line = random & 2 == 0;
            let selector = by_words(parsed, &chain, is_whole_line, None)?;
            let node = *chain.last()?;
            let mut words = GENERAL_WORDS.to_vec();
            words
                .retain(|word| matching_nodes(parsed, &with_type(&selector, word)).contains(&node));
            if !words.iter().any(|word| WANTED.contains(word)) {
                return None;
            }
            Some(Drawn {
                ordinal,
                words,
                half: match random & 1 {
                    0 => Half::Tuning,
                    _ => Half::HeldOut,
                },
                target: Target {
                    node_type: node.kind().to_string(),
                    span: select::select(parsed, &selector).ok()?.span(),
                },
                chain,
                selector,
            })
        });
    drawn.take(count).collect()
}

/// Returns the selector with the fewest leading words of the node's first line, or with the whole
/// line. Returns `None` if these words do not select exactly this node.
pub(super) fn by_words(
    parsed: &Parsed,
    chain: &[Node<'_>],
    is_whole_line: bool,
    scope: Option<&Scope>,
) -> Option<Selector> {
    let node = *chain.last()?;
    let text = parsed.text_of(node);
    let line = text.trim().lines().next()?.trim_end();
    let ends = word_ends(line);
    let whole = ends.last().copied();
    let ends = match is_whole_line {
        true => whole.into_iter().collect(),
        false => ends,
    };
    ends.into_iter().find_map(|end| {
        let anchor = &line[..end];
        let letters = anchor.chars().filter(|c| c.is_alphanumeric()).count();
        if letters < LETTERS || anchor.len() > ANCHOR_BYTES {
            return None;
        }
        let selector = Selector {
            scope: scope.cloned(),
            ..Selector::new(anchor, node.kind())
        };
        let selection = select::select(parsed, &selector).ok()?;
        (selection.node() == node).then_some(selector)
    })
}

/// Returns the selector with another type.
pub(super) fn with_type(selector: &Selector, node_type: &str) -> Selector {
    Selector {
        ancestor_node_type: vec![node_type.to_string()],
        ..selector.clone()
    }
}

/// Returns the enclosing symbol of a node as a scope.
pub(super) fn symbol_around(parsed: &Parsed, chain: &[Node<'_>]) -> Option<SymbolScope> {
    let symbol_path = parsed.symbol_path(&chain[..chain.len() - 1]);
    (!symbol_path.is_empty()).then_some(SymbolScope { symbol_path })
}

/// Returns the end offset of each word of a line.
pub(super) fn word_ends(line: &str) -> Vec<usize> {
    let mut ends: Vec<usize> = Vec::new();
    let mut in_word = false;
    for (at, c) in line.char_indices() {
        if c.is_whitespace() && in_word {
            ends.push(at);
        }
        in_word = !c.is_whitespace();
    }
    ends.push(line.len());
    ends
}

/// Returns the nodes that the engine matches for a selector: one, several, or none.
pub(super) fn matching_nodes<'p>(parsed: &'p Parsed, selector: &Selector) -> Vec<Node<'p>> {
    match select::select(parsed, selector) {
        Ok(selection) => vec![selection.node()],
        Err(SelectError::Ambiguous { candidates }) => {
            let nodes = candidates.iter().filter_map(|one| one.chain.last());
            nodes.copied().collect()
        }
        Err(_) => Vec::new(),
    }
}
