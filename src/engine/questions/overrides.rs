//! Finds the members of subtypes and supertypes that a renamed member overrides, or that override it.
//!
//! Input: the place of a rename request. Output: the places in subtypes and supertypes of its type where the name is
//! defined again. A server may resolve such a definition to itself, and leave it unchanged.

use std::collections::HashSet;

use camino::Utf8PathBuf;
use gen_lsp_types::{Range, TypeHierarchyItem};
use serde_json::{Value, json};

use crate::diagnostic::PlaceReason;
use crate::lsp::ServerError;
use crate::lsp::convert::{self, ServerLocation};
use crate::lsp::language_server::{LanguageServer, ServerAnswer};
use crate::parse::{Parsed, Symbol};
use crate::source::Span;

use super::lookups::is_refusal;
use super::place::{Asked, names_within};
use super::reach::is_bare;
use super::unrenamed::is_identifier;
use super::{Engine, hierarchy, outside};
use crate::engine::response::questions::Location;

const PREPARE: &str = "textDocument/prepareTypeHierarchy";
const SYMBOLS: &str = "textDocument/documentSymbol";
/// The maximum number of types to search.
const TYPES: usize = 200;

/// Types with their definitions, and the names of types outside the workspace.
type RelatedTypes = (Vec<(Asked, Span)>, Vec<ServerLocation>);

/// The places where a member is defined again.
#[derive(Debug, Default)]
pub(super) struct Overrides {
    pub(super) within: Vec<(Utf8PathBuf, Span, PlaceReason)>,
    /// Those in supertypes outside the workspace.
    pub(super) outside: Vec<(Location, PlaceReason)>,
}

impl Engine {
    /// Returns the places in subtypes and supertypes where the name of a member is defined again, and those outside the
    /// workspace. Returns none if the symbol is not a member, or if the server does not list such types.
    ///
    /// # Errors
    /// A request to the server fails.
    pub(super) fn overrides(
        &self,
        asked: &Asked,
        server: &LanguageServer,
    ) -> Result<Overrides, ServerError> {
        let mut found = Overrides::default();
        if !server.client().can("typeHierarchyProvider", PREPARE) {
            return Ok(found);
        }
        for (method, reason) in [
            ("typeHierarchy/subtypes", PlaceReason::Overrides),
            ("typeHierarchy/supertypes", PlaceReason::Overridden),
        ] {
            let types = self.types_of_member(asked, server)?;
            let (types, outside_types) = self.related_types(server, types, method)?;
            for (one, body) in types {
                let spans = self.defined_in(server, &one, body, &asked.symbol)?;
                let path = one.path.absolute();
                found.within.extend(
                    spans
                        .into_iter()
                        .map(|span| (path.to_owned(), span, reason)),
                );
            }
            if reason == PlaceReason::Overridden {
                let places = defined_outside(server, outside_types, &asked.symbol)?;
                let places = places.into_iter().map(|one| (one, reason));
                found.outside.extend(places);
            }
        }
        Ok(found)
    }

    /// Returns all types that are transitively related to `types` by a request, each with its definition, and the
    /// related types outside the workspace.
    fn related_types(
        &self,
        server: &LanguageServer,
        mut types: Vec<Asked>,
        method: &str,
    ) -> Result<RelatedTypes, ServerError> {
        let mut known: HashSet<(Utf8PathBuf, usize)> = HashSet::new();
        let mut found = Vec::new();
        let mut outside_types = Vec::new();
        while let Some(one) = types.pop() {
            self.synced(server, &one.path, one.parsed.source())?;
            let answered = hierarchy(server, &one, PREPARE, method, convert::types);
            let targets = match answered {
                Ok(answered) => answered.result,
                Err(error) if is_refusal(&error) => continue,
                Err(error) => return Err(error),
            };
            for target in targets {
                let Some((related, body)) = self.type_at(server, &target) else {
                    outside_types.push(target);
                    continue;
                };
                let key = (related.path.absolute().to_owned(), related.offset);
                if known.len() < TYPES && known.insert(key) {
                    found.push((related.clone(), body));
                    types.push(related);
                }
            }
        }
        Ok((found, outside_types))
    }

    /// Returns the types that define the member.
    fn types_of_member(
        &self,
        asked: &Asked,
        server: &LanguageServer,
    ) -> Result<Vec<Asked>, ServerError> {
        let (path, source) = (asked.path.absolute(), asked.parsed.source());
        let targets = self.definitions_at(server, path, source, asked.offset)?;
        let targets = targets.unwrap_or_default();
        let types = targets.iter().filter_map(|target| {
            let (path, parsed) = self.parsed(target.path.as_deref()?.as_str()).ok()?;
            let encoding = server.client().encoding();
            let span = convert::span_of(parsed.source(), target.range, encoding);
            let own = innermost_type(&parsed, span)?;
            let symbol = &parsed.outline_with_inner().symbols()[own];
            Some(Asked {
                path,
                offset: symbol.name_span.start(),
                symbol: symbol.name.clone(),
                parsed: parsed.clone(),
            })
        });
        Ok(types.collect())
    }

    /// Returns the type whose name is the target, and its definition.
    fn type_at(&self, server: &LanguageServer, target: &ServerLocation) -> Option<(Asked, Span)> {
        let (path, parsed) = self.parsed(target.path.as_deref()?.as_str()).ok()?;
        let span = convert::span_of(parsed.source(), target.range, server.client().encoding());
        let mut symbols = parsed.outline_with_inner().symbols().iter();
        let symbol = symbols
            .find(|symbol| symbol.name_span.contains(span))?
            .clone();
        let subtype = Asked {
            path,
            offset: symbol.name_span.start(),
            symbol: symbol.name,
            parsed,
        };
        Some((subtype, symbol.node_span))
    }

    /// Returns the places where a type defines a member: by its name in the body, or by a member access that the server
    /// resolves to the type itself.
    fn defined_in(
        &self,
        server: &LanguageServer,
        of_type: &Asked,
        body: Span,
        name: &str,
    ) -> Result<Vec<Span>, ServerError> {
        let (path, parsed) = (of_type.path.absolute(), &of_type.parsed);
        let source = parsed.source();
        let symbols = parsed.outline_with_inner().symbols();
        let is_own = |symbol: &Symbol| symbol.name_span.start() == of_type.offset;
        let own = symbols.iter().position(is_own);
        let mut found = Vec::new();
        let mut is_open = false;
        for start in names_within(source, body, name) {
            let span = Span::new(start, start + name.len());
            if !is_identifier(&parsed.chain(span), span) {
                continue;
            }
            let is_defined = if is_bare(source, span) {
                innermost_symbol(parsed, span) == own
            } else {
                if !is_open {
                    self.synced(server, &of_type.path, source)?;
                    is_open = true;
                }
                let targets = self.definitions_at(server, path, source, start)?;
                targets.unwrap_or_default().iter().any(|target| {
                    let encoding = server.client().encoding();
                    let place = convert::span_of(source, target.range, encoding);
                    target.path.as_deref() == Some(path) && body.contains(place)
                })
            };
            found.extend(is_defined.then_some(span));
        }
        Ok(found)
    }
}

/// Returns the places where types outside the workspace, or their supertypes, define a member.
fn defined_outside(
    server: &LanguageServer,
    mut types: Vec<ServerLocation>,
    name: &str,
) -> Result<Vec<Location>, ServerError> {
    let mut found = Vec::new();
    if !server.client().can("documentSymbolProvider", SYMBOLS) {
        return Ok(found);
    }
    let mut known = HashSet::new();
    while let Some(one) = types.pop() {
        let start = one.range.0;
        if known.len() >= TYPES || !known.insert((one.uri.clone(), start)) {
            continue;
        }
        let document = json!({"uri": one.uri});
        let symbols = listed(server, SYMBOLS, &json!({"textDocument": document}))?;
        let start = json!({"line": start.line, "character": start.column});
        if let Some(range) = member_of(&symbols, &start, name) {
            let range: Option<Range> = serde_json::from_value(range.clone()).ok();
            let range = range.map_or(one.range, |range| convert::encoded_range(&range));
            let path = one.path.clone().unwrap_or_else(|| one.uri.clone().into());
            let place = ServerLocation {
                range,
                ..one.clone()
            };
            found.push(outside(&path, &place));
        }
        let place = json!({"textDocument": document, "position": start});
        for item in listed(server, PREPARE, &place)? {
            let supertypes = listed(server, "typeHierarchy/supertypes", &json!({"item": item}))?;
            let supertypes = supertypes.into_iter();
            let supertypes: Vec<TypeHierarchyItem> = supertypes
                .filter_map(|item| serde_json::from_value(item).ok())
                .collect();
            types.extend(convert::types(supertypes));
        }
    }
    Ok(found)
}

/// Returns the items that a server lists. A refusal lists none.
fn listed(
    server: &LanguageServer,
    method: &str,
    params: &Value,
) -> Result<Vec<Value>, ServerError> {
    let answered: Result<ServerAnswer<Option<Vec<Value>>>, ServerError> =
        server.ask(method, params);
    match answered {
        Ok(answered) => Ok(answered.result.unwrap_or_default()),
        Err(error) if is_refusal(&error) => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

/// Returns the range of a member of the type whose name starts at `start`, among nested symbols.
fn member_of<'v>(symbols: &'v [Value], start: &Value, name: &str) -> Option<&'v Value> {
    symbols.iter().find_map(|symbol| {
        let children = symbol["children"].as_array()?;
        if symbol["selectionRange"]["start"] != *start {
            return member_of(children, start, name);
        }
        let is_named = |child: &&Value| {
            let own = child["name"].as_str().unwrap_or_default();
            own.trim_end_matches("()") == name
        };
        children
            .iter()
            .find(is_named)
            .map(|child| &child["selectionRange"])
    })
}

/// Returns the index of the innermost enclosing symbol. A symbol does not enclose its own name.
fn innermost_symbol(parsed: &Parsed, span: Span) -> Option<usize> {
    let symbols = parsed.outline_with_inner().symbols();
    symbols
        .iter()
        .rposition(|symbol| symbol.node_span.contains(span) && !symbol.name_span.contains(span))
}

/// Returns the index of the innermost enclosing symbol that is not a function. A symbol does not enclose its own name.
fn innermost_type(parsed: &Parsed, span: Span) -> Option<usize> {
    let symbols = parsed.outline_with_inner().symbols();
    symbols.iter().rposition(|symbol| {
        let is_function = ["function", "method"].contains(&symbol.kind);
        let is_around = symbol.node_span.contains(span) && !symbol.name_span.contains(span);
        is_around && !is_function
    })
}
