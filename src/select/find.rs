//! Finds every node of a file by a text, by its type, by the name of its symbol or by a tree-sitter query.
//!
//! Input: a [`Parsed`] and a [`Search`]. Output: each [`FoundNode`] in file order. Invalid queries are refused
//! ([`Query::new`]).

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use regex::Regex;
use tree_sitter::{QueryCursor, QueryCursorOptions, QueryErrorKind, StreamingIterator};

use crate::language::Language;
use crate::locate::{self, Area};
use crate::parse::{Chains, Node, Parsed, Symbol};
use crate::source::Span;

use super::{Wanted, at_anchor, is_wanted, trimmed_anchor, wanted_of_name};

/// The maximum number of matches in one file that are examined.
pub const MATCHES_LOOKED_AT: usize = 10_000;
/// The maximum number of states of a query that may be open at once, as tree-sitter counts them.
const STATES: u32 = 256;
/// The time limit of a query in one file: the cost of a step depends on the query.
const QUERY_TIME: Duration = Duration::from_secs(1);
/// The maximum depth of brackets in a query, which its parser handles recursively.
const QUERY_DEPTH: usize = 100;
/// The maximum length of a query, in bytes.
const QUERY_BYTES: usize = 10_000;

/// What to search for.
#[derive(Debug)]
pub enum Search<'w> {
    /// Exactly this text.
    Text(&'w str),
    /// What the pattern matches.
    Regex(&'w Regex),
    /// Symbols with this name.
    Name(&'w Name),
    /// All nodes of the type.
    Any,
}

/// A name, in which `*` matches any text.
#[derive(Debug)]
pub struct Name {
    parts: Vec<String>,
}

/// A node that was found.
#[derive(Clone, Debug)]
pub struct FoundNode<'p> {
    /// What matched: the text, the name, or the node itself.
    pub span: Span,
    /// The named nodes from the root down to it.
    pub chain: Vec<Node<'p>>,
    /// For a query: the name of each capture, and the captured span.
    pub captures: Vec<(String, Span)>,
}

/// All matches in a file, up to the limit.
#[derive(Clone, Debug, Default)]
pub struct AllFound<'p> {
    /// In file order.
    pub found: Vec<FoundNode<'p>>,
    /// Whether there are more matches than were examined.
    pub cut: bool,
}

/// A tree-sitter query for one language.
#[derive(Debug)]
pub struct Query {
    query: tree_sitter::Query,
    language: &'static Language,
}

/// Why a query is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct BadQuery {
    /// The reason.
    pub message: String,
    /// The byte offset in the query.
    pub offset: usize,
}

impl Name {
    /// Parses a name or a pattern of one.
    pub fn new(text: &str) -> Name {
        Name {
            parts: text.split('*').map(str::to_string).collect(),
        }
    }

    /// Returns whether a text contains every word of the name; otherwise it cannot contain the name.
    fn may_be_in(&self, text: &str) -> bool {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let words = self
            .parts
            .iter()
            .flat_map(|part| part.split(|c| !is_word(c)));
        let longest = words.max_by_key(|word| word.len()).unwrap_or_default();
        memchr::memmem::find(text.as_bytes(), longest.as_bytes()).is_some()
    }

    fn fits(&self, name: &str) -> bool {
        let Some((first, rest)) = self.parts.split_first() else {
            return false;
        };
        let Some((last, middle)) = rest.split_last() else {
            return name == first;
        };
        let Some(mut inner) = name.strip_prefix(first.as_str()) else {
            return false;
        };
        for part in middle {
            match inner.find(part.as_str()) {
                Some(at) => inner = &inner[at + part.len()..],
                None => return false,
            }
        }
        inner.ends_with(last.as_str())
    }
}

impl Search<'_> {
    /// Returns whether a file with this text may contain a match, as far as the text shows without a parse.
    pub fn may_be_in(&self, text: &str) -> bool {
        match self {
            Search::Text(wanted) => !spans_of_text(text, wanted).0.is_empty(),
            Search::Regex(regex) => regex.is_match(text),
            Search::Name(name) => name.may_be_in(text),
            Search::Any => true,
        }
    }
}

/// Returns whether the file's language, or an embedded one, has the node type or the general word.
pub fn knows_type(parsed: &Parsed, node_type: &str) -> bool {
    !wanted_of_name(parsed, node_type).is_empty()
}

/// Returns every match, in file order. With `node_type`, a match selects a node of that type as an anchor does.
/// Otherwise it selects the smallest enclosing node, or the node of the symbol.
pub fn find<'p>(parsed: &'p Parsed, wanted: &Search<'_>, node_type: Option<&str>) -> AllFound<'p> {
    let (spans, cut) = match wanted {
        Search::Text(text) => spans_of_text(parsed.source().text(), text),
        Search::Regex(regex) => spans_of_regex(parsed.source().text(), regex),
        Search::Name(name) => return named(parsed, name, node_type),
        Search::Any => return of_type(parsed, node_type.unwrap_or_default()),
    };
    let spans = spans.into_iter();
    let spans = spans.filter(|span| !parsed.source().slice(*span).trim().is_empty());
    let found = match node_type {
        Some(node_type) => at_matches(parsed, spans, node_type),
        None => {
            let mut chains = parsed.chains();
            let found = spans.map(|span| FoundNode {
                span,
                chain: chains.at(trimmed_anchor(parsed, span)),
                captures: Vec::new(),
            });
            found.collect()
        }
    };
    AllFound { found, cut }
}

/// Returns the occurrences of an exact text, and whether there are more. Its line breaks match those of the file.
fn spans_of_text(text: &str, wanted: &str) -> (Vec<Span>, bool) {
    let lf = wanted.replace("\r\n", "\n");
    let crlf = lf.replace('\n', "\r\n");
    let mut forms = vec![&lf, &crlf];
    forms.dedup();
    let mut spans = Vec::new();
    for form in forms {
        let finder = memchr::memmem::Finder::new(form.as_bytes());
        let found = finder
            .find_iter(text.as_bytes())
            .take(MATCHES_LOOKED_AT + 1);
        spans.extend(found.map(|start| Span::new(start, start + form.len())));
    }
    spans.sort_unstable();
    let cut = spans.len() > MATCHES_LOOKED_AT;
    spans.truncate(MATCHES_LOOKED_AT);
    (spans, cut)
}

fn spans_of_regex(text: &str, regex: &Regex) -> (Vec<Span>, bool) {
    let found = regex.find_iter(text).filter(|one| !one.is_empty());
    let found = found.take(MATCHES_LOOKED_AT + 1);
    let mut spans: Vec<Span> = found.map(|one| one.range().into()).collect();
    let cut = spans.len() > MATCHES_LOOKED_AT;
    spans.truncate(MATCHES_LOOKED_AT);
    (spans, cut)
}

fn whole(parsed: &Parsed) -> Area {
    locate::area(parsed, None).expect("the whole text is there")
}

/// Returns the nodes of a type that matches select, each once.
fn at_matches<'p>(
    parsed: &'p Parsed,
    spans: impl Iterator<Item = Span>,
    node_type: &str,
) -> Vec<FoundNode<'p>> {
    let area = whole(parsed);
    let types = wanted_of_name(parsed, node_type);
    let mut chains = parsed.chains();
    let mut seen = std::collections::HashSet::new();
    let mut all = Vec::new();
    for span in spans {
        let anchor = trimmed_anchor(parsed, span);
        let chain = chains.at(anchor);
        let of = |wanted: &Wanted<'_>| {
            // The number of matches is limited already.
            let mut budget = usize::MAX;
            at_anchor(
                parsed,
                &area,
                anchor,
                chain.clone(),
                *wanted,
                &chains,
                &mut budget,
            )
        };
        let found = types.iter().map(of).find(|found| !found.is_empty());
        for chain in found.unwrap_or_default() {
            let is_new = chain
                .last()
                .is_some_and(|node| seen.insert(node.identity()));
            if is_new {
                all.push(FoundNode {
                    span,
                    chain,
                    captures: Vec::new(),
                });
            }
        }
    }
    all
}

/// Returns the symbols with a name, including those of embedded languages.
fn named<'p>(parsed: &'p Parsed, name: &Name, node_type: Option<&str>) -> AllFound<'p> {
    let symbols = parsed.outline_with_inner().symbols();
    let fitting = symbols.iter().filter(|symbol| {
        let alias = symbol.alias.as_deref();
        name.fits(&symbol.name) || alias.is_some_and(|alias| name.fits(alias))
    });
    let mut fitting: Vec<_> = fitting.take(MATCHES_LOOKED_AT + 1).collect();
    let cut = fitting.len() > MATCHES_LOOKED_AT;
    fitting.truncate(MATCHES_LOOKED_AT);
    fitting.sort_by_key(|symbol| symbol.name_span);
    if let Some(node_type) = node_type {
        let spans = fitting.into_iter().map(|symbol| symbol.name_span);
        let found = at_matches(parsed, spans, node_type);
        return AllFound { found, cut };
    }
    let mut chains = parsed.chains();
    let found = fitting.into_iter().map(|symbol| FoundNode {
        span: symbol.name_span,
        chain: symbol_chain(&mut chains, symbol),
        captures: Vec::new(),
    });
    let mut found: Vec<FoundNode<'p>> = found.collect();
    found.sort_by_key(|one| one.span);
    AllFound { found, cut }
}

/// Returns the node of a symbol with its ancestors.
pub(super) fn symbol_chain<'p>(chains: &mut Chains<'p>, symbol: &Symbol) -> Vec<Node<'p>> {
    let mut chain = chains.at(symbol.name_span);
    let is_own = |node: &Node<'_>| node.span() == symbol.node_span;
    if let Some(own) = chain.iter().rposition(is_own) {
        chain.truncate(own + 1);
    }
    chain
}

/// Returns all nodes of a type except those without text.
fn of_type<'p>(parsed: &'p Parsed, node_type: &str) -> AllFound<'p> {
    let area = whole(parsed);
    let types = wanted_of_name(parsed, node_type);
    let mut all = AllFound::default();
    let mut cursor = parsed.walk(parsed.root());
    let mut path: Vec<Node<'p>> = Vec::new();
    // For each depth, the number of enclosing nodes in `path`, which has no anonymous nodes.
    let mut lengths = Vec::new();
    if types.is_empty() {
        return all;
    }
    loop {
        let node = cursor.node();
        lengths.push(path.len());
        if node.is_named() {
            path.push(node);
            let fits = types
                .iter()
                .any(|one| is_wanted(parsed, &area, &path, *one));
            if fits && !parsed.trimmed(node.span()).is_empty() {
                if all.found.len() == MATCHES_LOOKED_AT {
                    all.cut = true;
                    return all;
                }
                all.found.push(FoundNode {
                    span: node.span(),
                    chain: path.clone(),
                    captures: Vec::new(),
                });
            }
        }
        if cursor.goto_first_child() {
            continue;
        }
        loop {
            path.truncate(lengths.pop().expect("each node on the way has its length"));
            if cursor.goto_next_sibling() {
                break;
            }
            if !cursor.goto_parent() {
                return all;
            }
        }
    }
}

impl Query {
    /// Parses a query for a language.
    ///
    /// # Errors
    /// The query is invalid, too long or too deep, captures nothing, or has unsupported predicates.
    pub fn new(text: &str, language: &'static Language) -> Result<Query, BadQuery> {
        let bad = |message: String, offset| Err(BadQuery { message, offset });
        if text.len() > QUERY_BYTES {
            return bad(format!("more than {QUERY_BYTES} bytes"), QUERY_BYTES);
        }
        if let Some(offset) = too_deep(text) {
            return bad(
                format!("brackets are nested more than {QUERY_DEPTH} deep"),
                offset,
            );
        }
        let Some(grammar) = language.grammar() else {
            return bad("the file has no grammar".to_string(), 0);
        };
        let query = tree_sitter::Query::new(grammar, text).map_err(|error| BadQuery {
            message: match error.kind {
                QueryErrorKind::NodeType => format!("unknown node type {}", error.message),
                QueryErrorKind::Field => format!("unknown field {}", error.message),
                QueryErrorKind::Capture => format!("no capture is named {}", error.message),
                QueryErrorKind::Structure => "no tree can match this pattern".to_string(),
                QueryErrorKind::Predicate => error.message,
                QueryErrorKind::Syntax => "syntax error".to_string(),
                QueryErrorKind::Language => "the grammar has an incompatible version".to_string(),
            },
            offset: error.offset,
        })?;
        for pattern in 0..query.pattern_count() {
            let offset = query.start_byte_for_pattern(pattern);
            let general = query.general_predicates(pattern);
            if let Some(unknown) = general.first() {
                return bad(format!("unknown predicate #{}", unknown.operator), offset);
            }
            if !query.property_predicates(pattern).is_empty() {
                return bad("#is? and #is-not? are not supported".to_string(), offset);
            }
        }
        if query.capture_names().is_empty() {
            let message = "no capture: the first @name of a pattern selects the node that is found";
            return bad(message.to_string(), text.len());
        }
        Ok(Query { query, language })
    }

    /// Returns every match of the query in the file and in embedded trees of its language. The found node is the
    /// first capture. Stops after a time limit.
    pub fn find<'p>(&self, parsed: &'p Parsed) -> AllFound<'p> {
        let latest = Instant::now() + QUERY_TIME;
        let mut all = AllFound::default();
        let text = parsed.source().text().as_bytes();
        let names = self.query.capture_names();
        let trees = parsed.trees_and_macros().into_iter();
        for root in trees.filter(|root| std::ptr::eq(root.language(), self.language)) {
            let Some(raw) = root.raw() else {
                continue;
            };
            let mut cursor = QueryCursor::new();
            cursor.set_match_limit(STATES);
            let mut progress = |_: &_| match Instant::now() < latest {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(()),
            };
            let options = QueryCursorOptions::new().progress_callback(&mut progress);
            let mut matches = cursor.matches_with_options(&self.query, raw, text, options);
            while let Some(one) = matches.next() {
                let Some(first) = one.captures().first() else {
                    continue;
                };
                if all.found.len() == MATCHES_LOOKED_AT {
                    all.cut = true;
                    break;
                }
                let captures = one.captures().iter().map(|capture| {
                    let name = names[capture.index as usize].to_string();
                    (name, capture.node.byte_range().into())
                });
                let node = root.in_same_tree(first.node);
                let span = node.span();
                if node.is_of_file() && !parsed.trimmed(span).is_empty() {
                    all.found.push(FoundNode {
                        span,
                        chain: down_to(parsed, node),
                        captures: captures.collect(),
                    });
                }
            }
            drop(matches);
            all.cut |= cursor.did_exceed_match_limit();
        }
        all.cut |= Instant::now() >= latest;
        all.found
            .sort_by_key(|one| (one.span.start(), std::cmp::Reverse(one.span.end())));
        all
    }
}

/// Returns the nodes from the root down to one; for an anonymous node, to the smallest enclosing named node.
pub(crate) fn down_to<'p>(parsed: &'p Parsed, node: Node<'p>) -> Vec<Node<'p>> {
    let mut chain = parsed.chain(node.span());
    if let Some(own) = chain.iter().rposition(|one| *one == node) {
        chain.truncate(own + 1);
    }
    chain
}

/// Returns the offset of the first bracket that is nested too deep in a query.
fn too_deep(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    text.bytes().position(|byte| {
        match byte {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth > QUERY_DEPTH
    })
}
