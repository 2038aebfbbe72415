//! Finds the node of a symbol by the symbol's path alone.
//!
//! Input: a [`Parsed`] and a [`SymbolNode`]. Output: a [`Selector`] of that node. Paths without a symbol, and symbols
//! with several nodes, are refused with a [`SymbolError`].

use std::collections::HashSet;

use crate::locate::{self, Scope, ScopeError, SymbolScope};
use crate::parse::{Node, Parsed, Symbol};

use super::find::symbol_chain;
use super::{Anchor, Selector, describe_any};

/// The maximum number of symbols with the same path that are examined.
const SYMBOLS_EXAMINED: usize = 10;

/// The node of a symbol, or one that is counted from there.
///
/// ```
/// use treegraft::language;
/// use treegraft::parse::Parsed;
/// use treegraft::select::{SymbolNode, symbol_selector};
/// use treegraft::source::Source;
///
/// let text = "struct Server;\n\nfn serve() {}\n".to_string();
/// let source = Source::new("a.rs", language::of("a.rs", &text), text);
/// let parsed = Parsed::parse(source);
/// let node = SymbolNode::new(vec!["serve".to_string()]);
/// let selector = symbol_selector(&parsed, &node)?.expect("text of the node selects it");
/// assert_eq!(selector.to_string(), "function_item@serve");
/// # Ok::<(), treegraft::select::SymbolError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolNode {
    /// The path of the symbol.
    pub symbol: SymbolScope,
    /// Then selects the n-th enclosing node of the same type.
    pub outward: usize,
    /// Then selects the n-th named sibling after the node, or before it if negative.
    pub sibling: isize,
}

/// Why a symbol alone does not select exactly one node.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SymbolError {
    /// No symbol has the path, or several different symbols.
    #[error(transparent)]
    Scope(#[from] ScopeError),
    /// The symbol has several nodes (`ambiguous_target`).
    #[error("the symbol has {} nodes", .selectors.len())]
    Several {
        /// The selector of each node in file order; `None` where no selector selects it.
        selectors: Vec<Option<Selector>>,
    },
}

impl SymbolNode {
    /// Creates the node of the symbol with this path.
    pub fn new(symbol_path: Vec<String>) -> SymbolNode {
        SymbolNode {
            symbol: SymbolScope { symbol_path },
            outward: 0,
            sibling: 0,
        }
    }

    /// Returns a selector of the symbol's name inside the symbol, without a node type.
    pub fn by_name(&self) -> Selector {
        let name = self.symbol.symbol_path.last();
        self.counted(Selector {
            anchor: Anchor::Text(name.cloned().unwrap_or_default()),
            ancestor_node_type: Vec::new(),
            scope: Some(Scope::Symbol(self.symbol.clone())),
            nth: None,
            outward: 0,
            sibling: 0,
        })
    }

    /// Returns the selector that counts from the node of `selector`.
    fn counted(&self, selector: Selector) -> Selector {
        Selector {
            outward: selector.outward + self.outward,
            sibling: self.sibling,
            ..selector
        }
    }
}

/// Returns a selector of a symbol's node; `None` if no text of the node selects it.
///
/// # Errors
/// The path is not the path of one symbol, or the symbol has several nodes.
pub fn symbol_selector(
    parsed: &Parsed,
    wanted: &SymbolNode,
) -> Result<Option<Selector>, SymbolError> {
    let mut selectors = symbol_selectors(parsed, wanted)?;
    match selectors.len() {
        0 | 1 => Ok(selectors.pop().flatten()),
        _ => Err(SymbolError::Several { selectors }),
    }
}

/// Returns a selector of each node of a symbol; `None` where no text of a node selects it.
pub(crate) fn symbol_selectors(
    parsed: &Parsed,
    wanted: &SymbolNode,
) -> Result<Vec<Option<Selector>>, ScopeError> {
    let scope = Scope::Symbol(wanted.symbol.clone());
    let area = locate::area(parsed, Some(&scope))?;
    let mut paths: Vec<Vec<String>> = Vec::new();
    for symbol in area.symbols.iter().take(SYMBOLS_EXAMINED) {
        let path = parsed.symbol_path(&symbol_chain(&mut parsed.chains(), symbol));
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    let nodes = paths.iter().flat_map(|path| nodes_with_path(parsed, path));
    let selector = |chain: Vec<Node<'_>>| {
        let selector = describe_any(parsed, &chain)?;
        Some(wanted.counted(selector))
    };
    Ok(nodes.map(selector).collect())
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
