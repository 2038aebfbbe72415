//! Finds the nodes of a symbol by the symbol's path alone.

use std::collections::HashSet;

use crate::parse::{Node, Parsed, Symbol};

use super::find::symbol_chain;

/// The maximum number of symbols with the same path that are examined.
const SYMBOLS_EXAMINED: usize = 10;

/// Returns the nodes of all symbols of the file that have the path of one of `symbols`, each with its ancestors.
pub(super) fn nodes<'p>(parsed: &'p Parsed, symbols: &[Symbol]) -> Vec<Vec<Node<'p>>> {
    let mut paths: Vec<Vec<String>> = Vec::new();
    for symbol in symbols.iter().take(SYMBOLS_EXAMINED) {
        let path = parsed.symbol_path(&symbol_chain(&mut parsed.chains(), symbol));
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    let nodes = paths.iter().flat_map(|path| nodes_with_path(parsed, path));
    nodes.collect()
}

/// Returns the nodes of the symbols with a path, each once and with its ancestors, in file order.
fn nodes_with_path<'p>(parsed: &'p Parsed, path: &[String]) -> Vec<Vec<Node<'p>>> {
    let Some(name) = path.last() else {
        return Vec::new();
    };
    let symbols = parsed.outline_with_inner().symbols().iter();
    let named =
        symbols.filter(|symbol| symbol.name == *name || symbol.alias.as_ref() == Some(name));
    let mut named: Vec<&Symbol> = named.collect();
    named.sort_by_key(|symbol| symbol.name_span);
    let mut chains = parsed.chains();
    let mut known = HashSet::new();
    let mut nodes = Vec::new();
    // All of them: a symbol has one node only if no other symbol of the file has its path.
    for symbol in named {
        let chain = symbol_chain(&mut chains, symbol);
        let is_new = chain
            .last()
            .is_some_and(|node| known.insert(node.identity()));
        if is_new && parsed.symbol_path(&chain) == path {
            nodes.push(chain);
        }
    }
    nodes
}
