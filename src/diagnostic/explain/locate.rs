//! Explains the refusals of locators, scopes and positions.

use crate::diagnostic::render::excerpt;
use crate::diagnostic::{CANDIDATES_SHOWN, CandidateView, Code, Diagnostic, first_line};
use crate::locate::{FindError, Locate, LocateError, LocateSyntaxError, ScopeError};
use crate::parse::Parsed;
use crate::source::{Source, Span};

use super::{AROUND, counted, quoted, scope_text};

/// Explains why a locator was refused.
pub(in crate::diagnostic) fn locator_refused(
    parsed: &Parsed,
    locate: &Locate,
    error: &LocateError,
) -> Diagnostic {
    match error {
        LocateError::NothingAsked => Diagnostic::new(
            Code::InvalidLocate,
            "a locator needs a scope, a find, or both",
        ),
        LocateError::Scope(error) => scope_refused(parsed, error),
        LocateError::Find(error) => {
            let find = locate.find.as_deref().unwrap_or_default();
            let scope = scope_text(locate.scope.as_ref());
            find_not_found(parsed, &format!("find {}", quoted(find)), &scope, error)
        }
        LocateError::IndexOutOfRange {
            find_index,
            matches,
        } => Diagnostic::new(
            Code::NthOutOfRange,
            format!(
                "find_index is {find_index} but there {}",
                match matches {
                    1 => "is 1 match".to_string(),
                    several => format!("are {several} matches"),
                }
            ),
        ),
    }
}

/// Explains why a scope was refused.
pub(super) fn scope_refused(parsed: &Parsed, error: &ScopeError) -> Diagnostic {
    match error {
        ScopeError::LineOutOfRange { line, line_count } => Diagnostic::new(
            Code::LineOutOfRange,
            format!(
                "line {line} is past the end: the file has {}",
                counted(*line_count, "line")
            ),
        ),
        ScopeError::EmptySymbolPath => {
            Diagnostic::new(Code::InvalidScope, "symbol_path needs at least one name")
        }
        ScopeError::SymbolNotFound { path, .. } => Diagnostic::new(
            Code::SymbolNotFound,
            format!("symbol {} not found in file", quoted(&path.join("."))),
        ),
        ScopeError::AmbiguousSymbol { path, found } => {
            let views = found
                .iter()
                .take(CANDIDATES_SHOWN)
                .map(|(path, kind, name)| {
                    let line = parsed.source().line_of(*name);
                    let span = parsed.source().line_span(line).unwrap_or(Span::at(*name));
                    CandidateView {
                        line,
                        text: first_line(parsed, span).trim().to_string(),
                        node_type: Some(kind.to_string()),
                        ancestors: Vec::new(),
                        ancestors_omitted: 0,
                        symbol_path: path.clone(),
                        context: excerpt(parsed.source(), Span::at(*name), "", 0),
                    }
                });
            Diagnostic {
                candidates: views.collect(),
                candidates_omitted: found.len().saturating_sub(CANDIDATES_SHOWN),
                ..Diagnostic::new(
                    Code::AmbiguousSymbol,
                    format!(
                        "{} symbol paths end with {}",
                        found.len(),
                        quoted(&path.join("."))
                    ),
                )
            }
        }
    }
}

/// Explains that a find does not match. `find` and `scope` are texts such as `find "x"` and `in file`.
pub(super) fn find_not_found(
    parsed: &Parsed,
    find: &str,
    scope: &str,
    error: &FindError,
) -> Diagnostic {
    if error.gave_up {
        return Diagnostic::new(
            Code::FindNotFound,
            format!("{find} not found {scope}: the search stopped, because parts of it match almost everywhere"),
        )
        .help("add a scope, or include a rarer word in find");
    }
    if let Some(there) = error.whitespace {
        let label = format!(
            "this whitespace is {}",
            quoted(&parsed.source().slice(there))
        );
        return Diagnostic {
            excerpt: Some(excerpt(parsed.source(), there, &label, AROUND)),
            ..Diagnostic::new(
                Code::FindNotFound,
                format!("{find} not found {scope}: the whitespace at a marker differs"),
            )
        }
        .help("copy that whitespace into find, or put the marker next to a word or operator");
    }
    let shown = match (&error.prefix, error.outside) {
        (_, Some(outside)) => Some((outside, "it matches here, outside the scope".to_string())),
        (Some((prefix, span)), None) => {
            Some((*span, format!("only {} matches here", quoted(prefix))))
        }
        (None, None) => None,
    };
    Diagnostic {
        excerpt: shown.map(|(span, label)| excerpt(parsed.source(), span, &label, AROUND)),
        ..Diagnostic::new(Code::FindNotFound, format!("{find} not found {scope}"))
    }
}

/// Explains that the text has no such line (from 1), or that the line has no such character.
pub fn about_no_place(source: &Source, line: usize, character: Option<usize>) -> Diagnostic {
    let lines = counted(source.line_count(), "line");
    let Some(own) = source.line_span(line) else {
        return Diagnostic::new(
            Code::LineOutOfRange,
            format!("line {line} is past the end: the file has {lines}"),
        );
    };
    let characters = counted(source.slice(own).chars().count(), "character");
    let character = character.unwrap_or(1);
    Diagnostic::new(
        Code::LineOutOfRange,
        format!("character {character} is past the end of line {line}, which has {characters}"),
    )
    .help("characters are code points, counted from 1; the character may be omitted")
}

/// Explains why a string is not a locator.
pub fn about_locate_syntax(error: &LocateSyntaxError) -> Diagnostic {
    let code = match error {
        LocateSyntaxError::InvalidScope { .. } => Code::InvalidScope,
        _ => Code::InvalidLocate,
    };
    Diagnostic::new(code, error.to_string()).help(
        "write it as path:scope@find, for example `src/main.rs:Server.handle@return <|>result`",
    )
}
