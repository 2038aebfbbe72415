//! Explains why a symbol alone does not select a node.

use super::locate::scope_refused;
use super::quoted;
use crate::diagnostic::{Code, Diagnostic};
use crate::parse::Parsed;
use crate::select::{SymbolError, SymbolNode};

/// Explains why a symbol alone does not select one node.
pub(in crate::diagnostic) fn symbol_refused(
    parsed: &Parsed,
    wanted: &SymbolNode,
    error: &SymbolError,
) -> Diagnostic {
    match error {
        SymbolError::Scope(error) => Diagnostic {
            // The suggestions show the nodes of the symbols.
            candidates: Vec::new(),
            candidates_omitted: 0,
            ..scope_refused(parsed, error)
        },
        SymbolError::Several { selectors } => {
            let symbol = quoted(&wanted.symbol.to_string());
            let message = format!("symbol {symbol} has {} nodes", selectors.len());
            Diagnostic::new(Code::AmbiguousTarget, message)
        }
    }
}
