//! Walks all nodes of a parsed file and returns their chains, and the general words of their types.

use std::collections::HashMap;

use treegraft::engine::Engine;
use treegraft::parse::{Node, Parsed};

/// Returns the chain from the root to each named node with text, in file order.
pub(crate) fn chains(parsed: &Parsed) -> Vec<Vec<Node<'_>>> {
    let mut found = Vec::new();
    let mut open = vec![vec![parsed.root()]];
    while let Some(chain) = open.pop() {
        let node = chain[chain.len() - 1];
        let children = parsed.children(node).into_iter().rev();
        open.extend(children.filter(|child| child.is_named()).map(|child| {
            let mut own = chain.clone();
            own.push(child);
            own
        }));
        if chain.len() > 1 && !parsed.text_of(node).trim().is_empty() {
            found.push(chain);
        }
    }
    found
}

/// Returns the general words of each node type of a language; empty for plain text.
pub(crate) fn words(language: &str) -> HashMap<String, Vec<String>> {
    let listed = Engine::node_types(language).map(|listed| listed.node_types);
    let types = listed.unwrap_or_default().into_iter();
    types
        .map(|one| (one.node_type, one.general_words))
        .collect()
}
