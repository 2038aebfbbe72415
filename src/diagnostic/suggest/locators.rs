//! Suggests locators that would have worked.

use crate::locate::{Locate, LocateError, locate, nearly};
use crate::parse::Parsed;

use super::scopes::scopes_instead;
use crate::diagnostic::{NextCall, SUGGESTIONS_MADE, Suggestion, cut};

/// Suggests locators that would have worked, in string form.
pub(in crate::diagnostic) fn for_locate(
    parsed: &Parsed,
    asked: &Locate,
    error: &LocateError,
) -> Vec<Suggestion> {
    let mut tries = Vec::new();
    match error {
        LocateError::NothingAsked | LocateError::IndexOutOfRange { .. } => {}
        LocateError::Scope(error) => {
            for scope in scopes_instead(error) {
                tries.push(Locate {
                    scope: Some(scope),
                    ..asked.clone()
                });
            }
            if asked.find.is_some() {
                tries.push(Locate {
                    scope: None,
                    ..asked.clone()
                });
            }
        }
        LocateError::Find(error) => {
            if error.outside.is_some() {
                tries.push(Locate {
                    scope: None,
                    ..asked.clone()
                });
            }
            let find = asked.find.as_deref().unwrap_or_default();
            let near = nearly(parsed, asked.scope.as_ref(), find);
            if let Some(near) = near.unwrap_or_default().first() {
                tries.push(Locate {
                    find: Some(parsed.source().slice(near.span).into_owned()),
                    ..asked.clone()
                });
            }
            if let Some((prefix, _)) = &error.prefix {
                tries.push(Locate {
                    find: Some(prefix.clone()),
                    ..asked.clone()
                });
            }
        }
    }
    let resolved = tries.into_iter().filter_map(|one| {
        let place = locate(parsed, &one).ok()?;
        let at = parsed.source().position(place.point);
        let line = parsed.source().line_span(at.line)?;
        let text = cut(parsed.source().slice(line).trim());
        let selects = format!("{}:{} {text}", at.line, at.character);
        Some(Suggestion::new(NextCall::Locate(one.to_string()), selects))
    });
    resolved.take(SUGGESTIONS_MADE).collect()
}
