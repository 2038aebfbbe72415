//! Asks the server of a renamed symbol about it: its references and implementations, and what identifiers resolve to.

use std::time::Instant;

use camino::Utf8Path;
use gen_lsp_types::{DefinitionResponse, Location as LspLocation};
use serde_json::json;

use crate::diagnostic::PlaceReason;
use crate::lsp::convert::{self, ServerLocation};
use crate::lsp::language_server::{LanguageServer, ServerAnswer};
use crate::lsp::{Completeness, ServerError, Situation};
use crate::source::{Source, Span};

use super::place::Asked;
use super::unrenamed::{LOOKUP_TIME, LOOKUPS, OutsideUses, Renamed, Uses, is_in_import};
use super::{Engine, ask_until_ready, outside};

/// The request for the references.
pub(super) const REFERENCES: &str = "textDocument/references";
/// The bytes before a name that is a string.
const QUOTE: usize = 1;

impl Engine {
    /// Returns why an identifier may be a use of the renamed symbol, or `None` if the server resolves it to another
    /// symbol.
    pub(super) fn use_at(
        &self,
        server: &LanguageServer,
        renamed: &Renamed<'_>,
        (path, source): (&Utf8Path, &Source),
        span: Span,
    ) -> Result<Option<PlaceReason>, ServerError> {
        let targets = self.definitions_at(server, path, source, span.start())?;
        let targets = targets.unwrap_or_default();
        let [mut is_renamed, mut is_resolved] = [false; 2];
        for target in &targets {
            let place = self.span_of_target(server, target);
            // A whole file is a module.
            let place = place.filter(|(source, span)| *span != source.whole());
            let name = place.and_then(|(source, span)| renamed.name_in(&source, span));
            match (target.path.as_deref(), name) {
                (Some(path), Some(name)) if renamed.changes(path, name) => is_renamed = true,
                // The server does not know what this import imports.
                (Some(path), Some(name)) if self.is_in_import(path, name) => {}
                _ => is_resolved = true,
            }
        }
        match (is_renamed, is_resolved) {
            (true, false) => return Ok(Some(PlaceReason::Resolved)),
            (true, true) => return Ok(Some(PlaceReason::ResolvedToSeveral)),
            (false, _) => {}
        }
        Ok((!is_resolved).then_some(PlaceReason::Unresolved))
    }

    /// Adds the definitions to `uses` that have a renamed use too and are not renamed themselves, such as those of a
    /// receiver with several possible types. Those outside the workspace are added to `outside_roots`.
    pub(super) fn shared_uses(
        &self,
        server: &LanguageServer,
        renamed: &Renamed<'_>,
        uses: &mut Uses,
        outside_roots: &mut OutsideUses,
    ) -> Result<(), ServerError> {
        let stamps = self.stamps(server);
        let deadline = Instant::now() + LOOKUP_TIME;
        let mut lookups = 0;
        for (path, file) in &renamed.files {
            let Ok((_, parsed)) = self.parsed(file.before().path()) else {
                continue;
            };
            let source = parsed.source();
            let symbols = parsed.outline_with_inner().symbols();
            let places = file.record().replacements().iter();
            let places = places.filter_map(|one| renamed.name_in(source, one.span));
            let places = places.filter(|span| {
                let is_declared = symbols.iter().any(|one| one.name_span.contains(*span));
                !is_declared && !is_in_import(&parsed, *span)
            });
            let mut is_open = false;
            for span in places {
                lookups += 1;
                if lookups > LOOKUPS || Instant::now() > deadline {
                    return Ok(());
                }
                if !is_open {
                    self.synced_with(server, path, source, stamps.iter().cloned())?;
                    is_open = true;
                }
                let targets = self.definitions_at(server, path, source, span.start())?;
                let targets = targets.unwrap_or_default();
                if targets.len() < 2 {
                    continue;
                }
                for target in targets {
                    let Some(path) = &target.path else { continue };
                    match self.span_of_target(server, &target) {
                        None => {
                            outside_roots.push((outside(path, &target), PlaceReason::SharesUse))
                        }
                        Some((source, span)) => {
                            // The target may be a whole constructor, whose text may contain the name.
                            if let Some(name) = renamed.name_in(&source, span)
                                && name.start() <= span.start() + QUOTE
                                && !renamed.changes(path, name)
                                && !self.is_in_import(path, name)
                            {
                                let key = (path.clone(), name);
                                uses.entry(key).or_insert(PlaceReason::SharesUse);
                            }
                        }
                    }
                }
            }
        }
        outside_roots.dedup();
        Ok(())
    }

    /// Returns the definitions of the symbol at a byte offset of a file that the server has open. Returns `None` if the
    /// server does not support such requests.
    pub(super) fn definitions_at(
        &self,
        server: &LanguageServer,
        path: &Utf8Path,
        source: &Source,
        offset: usize,
    ) -> Result<Option<Vec<ServerLocation>>, ServerError> {
        const METHOD: &str = "textDocument/definition";
        if !server.client().can("definitionProvider", METHOD) {
            return Ok(None);
        }
        let encoding = server.client().encoding();
        let params = || convert::position_params(path, source, offset, encoding);
        let answered: Result<ServerAnswer<Option<DefinitionResponse>>, ServerError> =
            ask_until_ready(server, METHOD, params, Option::is_none);
        match answered {
            Ok(answered) => Ok(Some(convert::definitions(answered.result))),
            Err(error) if is_refusal(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn is_in_import(&self, path: &Utf8Path, span: Span) -> bool {
        let parsed = self.parsed(path.as_str());
        parsed.is_ok_and(|(_, parsed)| is_in_import(&parsed, span))
    }
}

/// Returns the references to the renamed symbol, and the completeness of all answers so far.
pub(super) fn references(
    asked: &Asked,
    server: &LanguageServer,
    completeness: Completeness,
) -> Result<(Vec<ServerLocation>, Completeness), ServerError> {
    if !server.client().can("referencesProvider", REFERENCES) {
        return Ok((Vec::new(), completeness));
    }
    let mut params = asked.params(server);
    params["context"] = json!({"includeDeclaration": true});
    let answered: Result<ServerAnswer<Option<Vec<LspLocation>>>, ServerError> =
        server.ask(REFERENCES, params);
    match answered {
        Ok(answered) => {
            let targets = convert::locations(answered.result.unwrap_or_default());
            let completeness = match completeness {
                Completeness::Complete => answered.completeness,
                incomplete => incomplete,
            };
            Ok((targets, completeness))
        }
        Err(error) if is_refusal(&error) => {
            let why = format!("it lists no references: {}", error.situation);
            Ok((Vec::new(), Completeness::Degraded { why }))
        }
        Err(error) => Err(error),
    }
}

/// Returns the definitions that implement the renamed one, if the server lists them.
pub(super) fn implementations(
    asked: &Asked,
    server: &LanguageServer,
) -> Result<Vec<ServerLocation>, ServerError> {
    const METHOD: &str = "textDocument/implementation";
    if !server.client().can("implementationProvider", METHOD) {
        return Ok(Vec::new());
    }
    let answered: Result<ServerAnswer<Option<DefinitionResponse>>, ServerError> =
        server.ask(METHOD, asked.params(server));
    match answered {
        Ok(answered) => Ok(convert::definitions(answered.result)),
        Err(error) if is_refusal(&error) => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

/// Returns whether the server answered with an error but still works.
pub(super) fn is_refusal(error: &ServerError) -> bool {
    matches!(error.situation, Situation::Refused { .. })
}
