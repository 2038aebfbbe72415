//! Finds nodes in files by their content, each with a selector that selects only this node.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use regex::{Regex, RegexBuilder};

use crate::diagnostic::{self, Code, Diagnostic};
use crate::language::{GENERAL_WORDS, LANGUAGES, Language};
use crate::parse::Parsed;
use crate::pattern::Pattern;
use crate::select::{self, AllFound, BadQuery, FoundNode, MATCHES_LOOKED_AT, Name, Query, Search};
use crate::workspace::WorkspacePath;

use super::calls::{CallAccess, CallContext, ToolRequest};
use super::files::{FilePage, FilesQuery};
use super::request::{FindNodes, ShortSelector};
use super::response::{Captured, NodeFound, NodesFound};
use super::{Engine, MATCHES_LISTED, PendingRefusal};

/// The maximum length of a pattern, in bytes.
const REGEX_BYTES: usize = 10_000;
/// The maximum size of a compiled pattern, in bytes.
const REGEX_WEIGHT: usize = 1024 * 1024;

/// The parsed request: what to search for.
enum NodeQuery<'r> {
    Text(&'r str),
    Regex(Regex),
    Name(Name),
    Type,
    Query(Queries<'r>),
}

/// A query or a pattern, parsed once for each language.
struct Queries<'r> {
    text: &'r str,
    is_pattern: bool,
    read: Mutex<HashMap<&'static str, Arc<Result<ParsedQuery, BadQuery>>>>,
}

/// A query or a pattern for one language.
enum ParsedQuery {
    Query(Query),
    Pattern(Pattern),
}

/// Facts about a search in addition to its matches.
#[derive(Default)]
struct SearchFacts {
    /// Whether some language has the node type.
    knows_type: AtomicBool,
    /// Whether a file has more matches than are examined.
    cut: AtomicBool,
}

impl ToolRequest for FindNodes {
    type Answer = NodesFound;

    const TOOL: &'static str = "find_nodes";

    fn access(&self) -> CallAccess {
        CallAccess::Path(self.path.clone())
    }

    fn answer(
        &self,
        engine: &Engine,
        context: &CallContext<'_>,
    ) -> Result<NodesFound, PendingRefusal> {
        let wanted = node_query(self)?;
        let (max_items, note) = super::page_size(
            self.max_items,
            MATCHES_LISTED,
            engine.workspace.items_limit(),
        )?;
        let call = FilesQuery {
            path: &self.path,
            cursor: self.cursor.as_deref(),
            max_items,
            watch: context.watch,
        };
        let seen = SearchFacts::default();
        let node_type = self.node_type.as_deref();
        let page = engine.ask_files(&call, |path, page| {
            engine.matches_of(path, page, &wanted, node_type, &seen)
        })?;
        let mut notes: Vec<String> = note.into_iter().chain(page.notes).collect();
        if let NodeQuery::Query(queries) = &wanted {
            queries.check()?;
        }
        if seen.cut.into_inner() {
            let note = format!(
                "some matches are missing: a file has more than {MATCHES_LOOKED_AT} matches, or the query \
                 took too long; narrow the search"
            );
            notes.push(note);
        }
        if let Some(node_type) =
            node_type.filter(|_| page.files.iter().all(|(_, own)| own.is_empty()))
            && !seen.knows_type.into_inner()
        {
            let note = format!("no searched file is in a language with the node type {node_type}");
            notes.push(note);
        }
        Ok(NodesFound {
            matches: page.files.into_iter().flat_map(|(_, own)| own).collect(),
            files_looked_at: page.files_looked_at,
            cursor: page.cursor.map(|cursor| cursor.to_string()),
            notes,
        })
    }
}

impl Engine {
    /// Returns the matches of one file for the page.
    fn matches_of(
        &self,
        path: &WorkspacePath,
        page: &FilePage,
        wanted: &NodeQuery<'_>,
        node_type: Option<&str>,
        seen: &SearchFacts,
    ) -> Result<Vec<NodeFound>, Diagnostic> {
        let opened = self.opened(path)?;
        let (language, may_hold) = {
            let source = opened.source();
            (source.language(), wanted.may_be_in(source.text()))
        };
        let knows_type = |name: &str| language.has_node_type(name) || language.knows_word(name);
        if node_type.is_some_and(knows_type) {
            seen.knows_type.store(true, Ordering::Relaxed);
        }
        if !may_hold {
            return Ok(Vec::new());
        }
        let parsed = match page.is_only_file {
            true => self.parsed_at(path)?,
            false => opened.parsed(),
        };
        if node_type.is_some_and(|name| select::knows_type(&parsed, name)) {
            seen.knows_type.store(true, Ordering::Relaxed);
        }
        let all = wanted.find(&parsed, node_type);
        if all.cut {
            seen.cut.store(true, Ordering::Relaxed);
        }
        // For a text or a pattern, show the line of the match; for a node, its first line.
        let by_match =
            matches!(wanted, NodeQuery::Text(_) | NodeQuery::Regex(_)) && node_type.is_none();
        let line = |found: &FoundNode<'_>| {
            let node = found.chain.last().map(|node| parsed.trimmed(node.span()));
            let start = match by_match {
                true => parsed.trimmed(found.span),
                false => node.unwrap_or(found.span),
            };
            parsed.source().line_of(start.start())
        };
        let is_pattern = wanted.is_pattern();
        let mut known = HashSet::new();
        let is_new = |found: &FoundNode<'_>| {
            let node = found.chain.last().map(|node| node.identity());
            // The first capture is the node itself, which can also be the start of a nested tree.
            let others = found.captures.iter().skip(usize::from(!is_pattern));
            let captures: Vec<_> = others.map(|(_, span)| *span).collect();
            known.insert((node, line(found), captures))
        };
        let mut found = all.found;
        found.retain(is_new);
        let listed = |one: &FoundNode<'_>| {
            let mut listed = listed(&parsed, one, line(one), by_match)?;
            if is_pattern {
                // The captures of a pattern are whole.
                for (shown, (_, span)) in listed.captures.iter_mut().zip(&one.captures) {
                    shown.text = parsed.source().slice(*span).into_owned();
                }
            }
            Some(listed)
        };
        let wanted = found.iter().skip(page.skipped).take(page.wanted);
        Ok(wanted.filter_map(listed).collect())
    }
}

fn listed(
    parsed: &Parsed,
    found: &FoundNode<'_>,
    line: usize,
    by_match: bool,
) -> Option<NodeFound> {
    let root = [parsed.root()];
    let chain = match found.chain.is_empty() {
        true => &root[..],
        false => &found.chain,
    };
    let node = *chain.last()?;
    let span = match by_match {
        true => parsed.trimmed(parsed.source().line_span(line)?),
        false => parsed.trimmed(node.span()),
    };
    let captures = found.captures.iter().map(|(name, span)| Captured {
        name: name.clone(),
        line: parsed.source().line_of(span.start()),
        text: diagnostic::first_line(parsed, *span),
    });
    Some(NodeFound {
        file_path: parsed.source().path().to_string(),
        line,
        node_type: node.kind().to_string(),
        text: diagnostic::first_line(parsed, span),
        symbol_path: parsed.symbol_path(chain),
        selector: select::describe_any(parsed, chain).map(ShortSelector),
        captures: captures.collect(),
    })
}

impl NodeQuery<'_> {
    fn is_pattern(&self) -> bool {
        matches!(self, NodeQuery::Query(queries) if queries.is_pattern)
    }

    fn may_be_in(&self, text: &str) -> bool {
        self.search().is_none_or(|search| search.may_be_in(text))
    }

    fn search(&self) -> Option<Search<'_>> {
        match self {
            NodeQuery::Text(text) => Some(Search::Text(text)),
            NodeQuery::Regex(regex) => Some(Search::Regex(regex)),
            NodeQuery::Name(name) => Some(Search::Name(name)),
            NodeQuery::Type => Some(Search::Any),
            NodeQuery::Query(_) => None,
        }
    }

    fn find<'p>(&self, parsed: &'p Parsed, node_type: Option<&str>) -> AllFound<'p> {
        match (self, self.search()) {
            (NodeQuery::Query(queries), _) => queries.find(parsed),
            (_, Some(search)) => select::find(parsed, &search, node_type),
            (_, None) => AllFound::default(),
        }
    }
}

impl ParsedQuery {
    fn find<'p>(&self, parsed: &'p Parsed) -> AllFound<'p> {
        let pattern = match self {
            ParsedQuery::Query(query) => return query.find(parsed),
            ParsedQuery::Pattern(pattern) => pattern,
        };
        if !pattern.may_be_in(parsed.source().text()) {
            return AllFound::default();
        }
        let matches = pattern.find(parsed, MATCHES_LOOKED_AT);
        let found = matches.found.into_iter().map(|one| FoundNode {
            span: one.node.span(),
            chain: select::down_to(parsed, one.node),
            captures: one.captures,
        });
        AllFound {
            found: found.collect(),
            cut: matches.cut,
        }
    }
}

impl Queries<'_> {
    fn find<'p>(&self, parsed: &'p Parsed) -> AllFound<'p> {
        let mut all = AllFound::default();
        let mut languages: Vec<&'static Language> = parsed.languages().collect();
        languages.sort_by_key(|language| language.name);
        languages.dedup_by_key(|language| language.name);
        for language in languages.into_iter().filter(|one| one.grammar().is_some()) {
            if let Ok(query) = self.of(language).as_ref() {
                let own = query.find(parsed);
                all.cut |= own.cut;
                all.found.extend(own.found);
            }
        }
        all.found
            .sort_by_key(|one| (one.span.start(), std::cmp::Reverse(one.span.end())));
        all
    }

    fn of(&self, language: &'static Language) -> Arc<Result<ParsedQuery, BadQuery>> {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        let query = read.entry(language.name);
        let parsed = || match self.is_pattern {
            false => Query::new(self.text, language).map(ParsedQuery::Query),
            true => match Pattern::new(self.text, language) {
                Ok(pattern) => Ok(ParsedQuery::Pattern(pattern)),
                Err(invalid) => Err(BadQuery {
                    message: invalid.message,
                    offset: invalid.offset,
                }),
            },
        };
        query.or_insert_with(|| Arc::new(parsed())).clone()
    }

    /// Refuses a query or a pattern that is valid for no language. Reports the error furthest into the query, since a query for
    /// another language fails early.
    fn check(&self) -> Result<(), Diagnostic> {
        let read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        let faults = read.iter().filter_map(|(language, query)| {
            let fault = query.as_ref().as_ref().err()?;
            Some((fault.offset, *language, fault))
        });
        let furthest = faults.max_by_key(|(offset, language, _)| (*offset, *language));
        let Some((offset, language, fault)) = furthest else {
            return Ok(());
        };
        if read.values().any(|query| query.is_ok()) {
            return Ok(());
        }
        let before = &self.text[..self.text.floor_char_boundary(offset)];
        let line = before.matches('\n').count() + 1;
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        let character = before[start..].chars().count() + 1;
        let rest: String = self.text[before.len()..].chars().take(40).collect();
        let rest = rest.lines().next().unwrap_or_default().to_string();
        let (what, code, help) = match self.is_pattern {
            true => (
                "pattern",
                Code::InvalidPattern,
                "a pattern is the code of one node, such as `f($A, $$$REST)`; if a part of a node does not parse \
                 alone, write the whole node"
                    .to_string(),
            ),
            false => (
                "query",
                Code::InvalidArguments,
                format!(
                    "run `treegraft node-types {language}` to list the types; a pattern has the form \
                     `(type field: (type) @name)`"
                ),
            ),
        };
        Err(Diagnostic {
            code,
            help: Some(help),
            ..diagnostic::about_arguments(format!(
                "{what} is invalid for {language}: {} at {line}:{character}, before {rest:?}",
                fault.message
            ))
        })
    }
}

/// Reads the search condition of a request.
fn node_query(request: &FindNodes) -> Result<NodeQuery<'_>, Diagnostic> {
    let FindNodes {
        text,
        regex,
        name,
        query,
        pattern,
        node_type,
        ..
    } = request;
    let refused = |message: &str| Err(diagnostic::about_arguments(message));
    let given = [
        ("text", text),
        ("regex", regex),
        ("name", name),
        ("query", query),
        ("pattern", pattern),
    ];
    for (field, value) in given {
        if value.as_ref().is_some_and(|value| value.trim().is_empty()) {
            return refused(&format!("{field} is empty"));
        }
    }
    if given.iter().filter(|(_, value)| value.is_some()).count() > 1 {
        return refused("find_nodes takes only one of text, regex, name, query and pattern");
    }
    if query.is_some() && node_type.is_some() {
        return refused(
            "a query cannot be combined with node_type; put the node type in the query",
        );
    }
    if pattern.is_some() && node_type.is_some() {
        return refused("a pattern cannot be combined with node_type");
    }
    if let Some(node_type) = node_type {
        check_type(node_type)?;
    }
    if let Some(text) = pattern {
        return Ok(NodeQuery::Query(Queries {
            text: text.trim(),
            is_pattern: true,
            read: Mutex::default(),
        }));
    }
    Ok(match (text, regex, name, query) {
        (Some(text), ..) => NodeQuery::Text(text),
        (_, Some(pattern), ..) => NodeQuery::Regex(read_regex(pattern)?),
        (_, _, Some(name), _) => NodeQuery::Name(Name::new(name)),
        (_, _, _, Some(text)) => NodeQuery::Query(Queries {
            text,
            is_pattern: false,
            read: Mutex::default(),
        }),
        _ if node_type.is_some() => NodeQuery::Type,
        _ => {
            return refused(
                "find_nodes needs one of text, regex, node_type, name, query and pattern",
            );
        }
    })
}

fn read_regex(pattern: &str) -> Result<Regex, Diagnostic> {
    if pattern.len() > REGEX_BYTES {
        let message = format!("regex is longer than {REGEX_BYTES} bytes");
        return Err(diagnostic::about_arguments(message));
    }
    let mut builder = RegexBuilder::new(pattern);
    builder.multi_line(true).size_limit(REGEX_WEIGHT);
    builder.build().map_err(|error| {
        // The lines before the last repeat the whole pattern.
        let error = error.to_string();
        let why = error.lines().last().unwrap_or_default();
        let why = why.strip_prefix("error: ").unwrap_or(why);
        diagnostic::about_arguments(format!("regex is invalid: {why}"))
    })
}

/// Refuses a node type that no language has, and names similar ones.
fn check_type(node_type: &str) -> Result<(), Diagnostic> {
    let has_type = |one: &Language| one.has_node_type(node_type);
    let is_text = crate::language::TEXT_NODE_TYPES.contains(&node_type);
    let is_known = GENERAL_WORDS.contains(&node_type) || node_type == "ERROR" || is_text;
    if is_known || LANGUAGES.iter().any(has_type) {
        return Ok(());
    }
    let all = LANGUAGES.iter().flat_map(Language::node_types);
    let all = all.chain(GENERAL_WORDS.iter().copied());
    let mut near: Vec<(f64, &str)> = all
        .map(|own| (strsim::jaro_winkler(own, node_type), own))
        .filter(|(likeness, _)| *likeness > 0.8)
        .collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    near.dedup_by_key(|(_, own)| *own);
    let near: Vec<&str> = near.iter().take(5).map(|(_, own)| *own).collect();
    let help = match near.is_empty() {
        true => format!("the general words are {}", GENERAL_WORDS.join(", ")),
        false => format!("similar node types: {}", near.join(", ")),
    };
    let message = format!(
        "unknown node_type {node_type:?}: not a node type of any language, nor a general word"
    );
    Err(Diagnostic {
        help: Some(help),
        ..Diagnostic::new(Code::UnknownNodeType, message)
    })
}
