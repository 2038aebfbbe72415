//! Finds the names that the new name of a rename would clash with.
//!
//! Input: the preview of a rename. Output: the places in the changed files where the new name is already used in the
//! scope of a renamed place. Members (`a.name`, `a::name`) do not clash. Labels that the server resolves to another
//! scope do not clash either.

use camino::Utf8PathBuf;

use crate::diagnostic::{self, Diagnostic, PLACES_LISTED, PlaceReason, Places};
use crate::engine::plan::EditPlan;
use crate::lsp::ServerError;
use crate::lsp::convert;
use crate::lsp::language_server::LanguageServer;
use crate::parse::Parsed;
use crate::source::Span;
use crate::workspace::WorkspacePath;

use super::place::{Asked, names_within};
use super::reach::is_bare;
use super::unrenamed::{is_identifier, is_in_import, place_view};
use super::{Engine, location};

/// The maximum number of places to look up. Places beyond it count as clashes.
const LOOKUPS: usize = 200;

/// The symbols that enclose a place, outermost first, by their indexes in the outline.
pub(super) type NameScope = Vec<usize>;

/// A changed file in which to search for the new name.
struct Searched<'f> {
    path: &'f WorkspacePath,
    parsed: &'f Parsed,
    /// Whether an import in the file contains the new name.
    is_imported: bool,
}

impl Engine {
    /// Finds the places where `new_name` clashes with an existing name.
    ///
    /// # Errors
    /// A request to the server about a place fails.
    pub(super) fn clashes(
        &self,
        asked: &Asked,
        server: &LanguageServer,
        plan: &EditPlan,
        new_name: &str,
    ) -> Result<Places, Diagnostic> {
        let language = asked.parsed.source().language().name;
        let about = |error: ServerError| diagnostic::about_server(language, &error);
        let mut places = Vec::new();
        let mut lookups = 0;
        let mut opened: Option<Utf8PathBuf> = None;
        for file in plan.preview.files() {
            let (path, parsed) = self.parsed(file.before().path())?;
            let source = parsed.source();
            let taken = bare_identifiers(&parsed, new_name);
            let all = file.record().replacements().iter();
            let renamed = all.filter(|one| one.new_text == new_name && is_bare(source, one.span));
            let scopes: Vec<NameScope> = renamed.map(|one| scope(&parsed, one.span)).collect();
            let is_visible = |span: &Span| {
                let own = scope(&parsed, *span);
                scopes
                    .iter()
                    .any(|from| is_visible_from(&parsed, &own, from))
            };
            let searched = Searched {
                path: &path,
                parsed: &parsed,
                is_imported: taken.iter().any(|span| is_in_import(&parsed, *span)),
            };
            for span in taken.iter().filter(|span| is_visible(span)) {
                if opened.as_deref() != Some(path.absolute()) {
                    self.synced(server, &path, source).map_err(about)?;
                    opened = Some(path.absolute().to_owned());
                }
                lookups += 1;
                let is_clash = lookups > LOOKUPS
                    || self.is_of_scope(server, &searched, *span).map_err(about)?;
                if is_clash {
                    let location = location(&path, &parsed, *span);
                    places.push(place_view(location, PlaceReason::NameTaken));
                }
            }
        }
        let total = places.len();
        places.truncate(PLACES_LISTED);
        Ok(Places {
            listed: places,
            total,
        })
    }

    /// Returns whether an identifier refers to something visible in its scope, as far as the server knows. A label,
    /// such as the name of an argument, refers to another scope.
    fn is_of_scope(
        &self,
        server: &LanguageServer,
        searched: &Searched<'_>,
        span: Span,
    ) -> Result<bool, ServerError> {
        let Searched { path, parsed, .. } = searched;
        let source = parsed.source();
        let Some(targets) = self.definitions_at(server, path.absolute(), source, span.start())?
        else {
            return Ok(true);
        };
        let own = scope(parsed, span);
        let is_visible = |target: &convert::ServerLocation| {
            if target.path.as_deref() != Some(path.absolute()) {
                return searched.is_imported;
            }
            let target = convert::span_of(source, target.range, server.client().encoding());
            own.starts_with(&scope(parsed, target))
        };
        Ok(targets.is_empty() || targets.iter().any(is_visible))
    }
}

/// Returns the spans where a name is an identifier but not a member.
fn bare_identifiers(parsed: &Parsed, name: &str) -> Vec<Span> {
    let source = parsed.source();
    let mut chains = parsed.chains();
    let all = names_within(source, source.whole(), name).into_iter();
    let all = all.map(|start| Span::new(start, start + name.len()));
    all.filter(|span| is_bare(source, *span) && is_identifier(&chains.at(*span), *span))
        .collect()
}

/// Returns the scope of a name. A symbol's own name belongs to the scope that contains the symbol.
pub(super) fn scope(parsed: &Parsed, span: Span) -> NameScope {
    let symbols = parsed.outline_with_inner().symbols();
    let around = symbols
        .iter()
        .enumerate()
        .filter(|(_, symbol)| symbol.span.contains(span) && !symbol.name_span.contains(span));
    around.map(|(index, _)| index).collect()
}

/// Returns whether a name in scope `own` is visible from scope `from`. It is visible from the same scope and, for a
/// name in a function, also from nested scopes.
fn is_visible_from(parsed: &Parsed, own: &NameScope, from: &NameScope) -> bool {
    let symbols = parsed.outline_with_inner().symbols();
    let is_function = own
        .last()
        .is_some_and(|last| ["function", "method"].contains(&symbols[*last].kind));
    own == from || is_function && from.starts_with(own)
}
