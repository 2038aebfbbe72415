//! Suggests other scopes, and selectors without their scope.

use crate::locate::{Area, LineScope, Scope, ScopeError, SymbolScope, area};
use crate::select::{Candidate, SelectError, Selector, select};

use super::Suggestions;
use super::narrow::{add_or_distinguish, distinguish};
use crate::diagnostic::SUGGESTIONS_MADE;

/// Returns the scopes to try instead of one that was refused, the most likely first.
pub(super) fn scopes_instead(error: &ScopeError) -> Vec<Scope> {
    let symbol = |path: &Vec<String>| {
        Scope::Symbol(SymbolScope {
            symbol_path: path.clone(),
        })
    };
    match error {
        ScopeError::LineOutOfRange { line_count, .. } => LineScope::line(*line_count)
            .ok()
            .map(Scope::Lines)
            .into_iter()
            .collect(),
        ScopeError::EmptySymbolPath => Vec::new(),
        ScopeError::SymbolNotFound { nearest, .. } => nearest.iter().map(symbol).collect(),
        ScopeError::AmbiguousSymbol { found, .. } => {
            found.iter().map(|(path, ..)| symbol(path)).collect()
        }
    }
}

/// Suggests other scopes, and the selector without its scope.
pub(super) fn other_scopes(found: &mut Suggestions<'_>, selector: &Selector, error: &ScopeError) {
    for scope in scopes_instead(error) {
        add_or_distinguish(
            found,
            Selector {
                scope: Some(scope),
                ..selector.clone()
            },
        );
    }
    without_scope(found, selector);
}

/// Suggests the selector without its scope. If it matches several nodes, suggests the nodes with an anchor in the
/// scope, or the nodes nearest to its lines.
pub(super) fn without_scope(found: &mut Suggestions<'_>, selector: &Selector) {
    let Some(scope) = &selector.scope else {
        return;
    };
    let everywhere = Selector {
        scope: None,
        ..selector.clone()
    };
    let Err(SelectError::Ambiguous { candidates }) = select(found.parsed, &everywhere) else {
        found.add(everywhere);
        return;
    };
    let own_area = area(found.parsed, Some(scope));
    let source = found.parsed.source();
    let away = |candidate: &Candidate<'_>| match scope {
        Scope::Lines(lines) => {
            let line = source.line_of(candidate.anchor.start());
            let last = lines.last().unwrap_or(source.line_count());
            lines.first().saturating_sub(line) + line.saturating_sub(last)
        }
        Scope::Symbol(_) => {
            let is_inside = |area: &Area| area.contains(candidate.anchor);
            usize::from(!own_area.as_ref().is_ok_and(is_inside))
        }
    };
    let mut near: Vec<(usize, &Candidate<'_>)> = candidates.iter().enumerate().collect();
    near.sort_by_key(|(_, candidate)| away(candidate));
    let is_inside = near.first().is_some_and(|(_, first)| away(first) == 0);
    near.retain(|(_, candidate)| !is_inside || away(candidate) == 0);
    for (index, candidate) in near.into_iter().take(SUGGESTIONS_MADE) {
        distinguish(found, &everywhere, candidate, index + 1);
    }
}
