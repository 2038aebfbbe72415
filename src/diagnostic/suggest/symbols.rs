//! Suggests the nodes of symbols.

use crate::locate::Scope;
use crate::parse::Parsed;
use crate::select::{Selector, SymbolError, SymbolNode, symbol_selectors};

use super::Suggestions;
use super::scopes::scopes_instead;
use crate::diagnostic::{Pointing, SUGGESTIONS_MADE, Suggestion};

/// Suggests a selector of each node of a symbol, or of the symbols that its path may mean.
pub(in crate::diagnostic) fn for_symbol(
    parsed: &Parsed,
    wanted: &SymbolNode,
    error: &SymbolError,
) -> Vec<Suggestion> {
    let selectors: Vec<Option<Selector>> = match error {
        SymbolError::Several { selectors } => selectors.clone(),
        SymbolError::Scope(error) => {
            let scopes = scopes_instead(error).into_iter().take(SUGGESTIONS_MADE);
            let selectors = scopes.flat_map(|scope| match scope {
                Scope::Symbol(symbol) => {
                    let instead = SymbolNode {
                        symbol,
                        ..wanted.clone()
                    };
                    symbol_selectors(parsed, &instead).unwrap_or_default()
                }
                Scope::Lines(_) => Vec::new(),
            });
            selectors.collect()
        }
    };
    let mut found = Suggestions::new(parsed, Pointing::Read);
    for selector in selectors.into_iter().flatten() {
        found.add(selector);
    }
    found.into_ordered()
}
