//! Narrows a search to the matches inside certain symbols: the `scope` and `symbol_kind` of `find_nodes` and `rewrite`.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::diagnostic::{self, Diagnostic};
use crate::locate::{self, Scope, SymbolScope};
use crate::parse::Parsed;
use crate::source::Span;

use super::request::ScopeArgument;

/// The symbols that matches must be inside. All searched files share it.
pub(super) struct Within<'r> {
    scope: Option<&'r SymbolScope>,
    kind: Option<&'r str>,
    /// Whether a file has a symbol with the path.
    knows_scope: AtomicBool,
    /// The kinds of all symbols of files with matches.
    kinds: Mutex<BTreeSet<&'static str>>,
}

/// The places of these symbols in one file: for each condition, the spans of which one must contain a match.
pub(super) struct Areas(Vec<Vec<Span>>);

impl<'r> Within<'r> {
    /// Reads the conditions of a request. Returns `None` if there is none.
    ///
    /// # Errors
    /// The scope is not a symbol path.
    pub(super) fn new(
        scope: &'r ScopeArgument,
        symbol_kind: Option<&'r str>,
    ) -> Result<Option<Within<'r>>, Diagnostic> {
        let scope = match &scope.0 {
            None if symbol_kind.is_none() => return Ok(None),
            None => None,
            Some(Scope::Symbol(symbol)) => Some(symbol),
            Some(Scope::Lines(_)) => {
                let message = "scope must be a symbol path; lines differ in each file";
                return Err(diagnostic::about_arguments(message));
            }
        };
        Ok(Some(Within {
            scope,
            kind: symbol_kind,
            knows_scope: AtomicBool::new(false),
            kinds: Mutex::default(),
        }))
    }

    /// Finds the symbols in a file with matches.
    pub(super) fn areas(&self, parsed: &Parsed) -> Areas {
        let mut areas = Vec::new();
        if let Some(scope) = self.scope {
            let spans = locate::spans_of_all(parsed, scope);
            self.knows_scope
                .fetch_or(!spans.is_empty(), Ordering::Relaxed);
            areas.push(spans);
        }
        if let Some(kind) = self.kind {
            let symbols = parsed.outline_with_inner().symbols();
            let mut kinds = self.kinds.lock().unwrap_or_else(PoisonError::into_inner);
            kinds.extend(symbols.iter().map(|symbol| symbol.kind));
            let own = symbols.iter().filter(|symbol| symbol.kind == kind);
            areas.push(own.map(|symbol| symbol.span).collect());
        }
        Areas(areas)
    }

    /// Returns notes on a path or kind that no symbol has.
    pub(super) fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if let Some(scope) = self
            .scope
            .filter(|_| !self.knows_scope.load(Ordering::Relaxed))
        {
            let path = scope.symbol_path.join(".");
            notes.push(format!(
                "no file with a match has the symbol {path}; outline lists the symbols of a file"
            ));
        }
        let kinds = self.kinds.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kind) = self.kind.filter(|kind| !kinds.contains(kind)) {
            let known: Vec<&str> = kinds.iter().copied().collect();
            notes.push(match known.is_empty() {
                true => format!("no file with a match has a symbol of the kind {kind}"),
                false => format!(
                    "no file with a match has a symbol of the kind {kind}; their kinds are {}",
                    known.join(", ")
                ),
            });
        }
        notes
    }
}

impl Areas {
    /// Returns whether a span is inside one of the symbols of each condition.
    pub(super) fn contain(&self, span: Span) -> bool {
        let mut conditions = self.0.iter();
        conditions.all(|spans| spans.iter().any(|own| own.contains(span)))
    }
}
