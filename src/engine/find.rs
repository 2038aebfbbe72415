//! Finds nodes in files by their content, each with a selector that selects only this node.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use camino::{Utf8Path, Utf8PathBuf};
use regex::{Regex, RegexBuilder};

use crate::diagnostic::{self, Code, Diagnostic};
use crate::language::{self, GENERAL_WORDS, Language};
use crate::parse::Parsed;
use crate::pattern::{Matches, Pattern};
use crate::select::{self, AllFound, FoundNode, MATCHES_LOOKED_AT, Name, Query, Search};
use crate::source::Source;
use crate::workspace::WorkspacePath;

use super::calls::{CallContext, ToolRequest};
use super::core::Engine;
use super::files::page_size;
use super::files::{FilePage, FilesQuery, SearchedFiles};
use super::one_text::{OnText, OneText};
use super::per_language::{PatternOptions, PerLanguage, near_misses_text, readings_text};
use super::places::TEXT_SHOWN_BY_DEFAULT;
use super::request::{CallAccess, FindNodes, RuleArgument, ShortSelector, files};
use super::response::{Captured, NodeFound, NodesFound, PendingRefusal, RuleOfMatch};
use super::rules::Rules;
use super::searched::Searched;
use super::watch::Watch;
use super::within::Within;

/// The default number of matches in a search.
pub const MATCHES_LISTED: usize = 50;

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
    Query(PerLanguage<'r, Query>),
    Pattern(PerLanguage<'r, Pattern>),
    Rules(Box<Rules>),
}

/// A match of a search.
struct Found<'p> {
    node: FoundNode<'p>,
    rule: Option<FoundByRule>,
}

/// What a rule adds to a match.
struct FoundByRule {
    /// The index of the rule.
    index: usize,
    /// What a pattern was read as.
    reading: &'static str,
    /// Whether it is several nodes, of which the first is shown.
    is_several: bool,
    message: String,
    /// The variables that it computes, and their texts.
    computed: Vec<(String, String)>,
}

/// Facts about a search in addition to its matches.
#[derive(Default)]
struct SearchFacts {
    /// Whether some language has the node type.
    knows_type: AtomicBool,
    /// Whether a file has more matches than are examined.
    cut: AtomicBool,
    /// The number of matches of each file that was examined, by its absolute path.
    counts: Mutex<HashMap<Utf8PathBuf, usize>>,
    /// What the pattern was read as, with the number of matches, and what almost matched.
    readings: Mutex<BTreeMap<&'static str, usize>>,
    near_misses: Mutex<BTreeMap<String, usize>>,
}

impl ToolRequest for FindNodes {
    type Answer = NodesFound;

    const TOOL: &'static str = "find_nodes";
    const FILE_ARGUMENT: Option<&'static str> = Some("path");

    fn access(&self) -> CallAccess {
        files(&self.path.0, false)
    }

    fn answer(
        &self,
        engine: &Engine,
        context: &CallContext<'_>,
    ) -> Result<NodesFound, PendingRefusal> {
        let wanted = NodeQuery::new(self, |rule| engine.rules(rule))?;
        let within = Within::new(&self.scope, self.symbol_kind.as_deref())?;
        let (max_items, note) = page_size(
            self.max_items,
            MATCHES_LISTED,
            engine.workspace.items_limit(),
        )?;
        let call = FilesQuery {
            paths: &self.path,
            cursor: self.cursor.as_deref(),
            max_items,
            watch: context.watch,
        };
        let seen = SearchFacts::default();
        let node_type = self.node_type.as_deref();
        let list = engine.file_list(&call)?;
        let query = FileQuery {
            wanted: &wanted,
            within: within.as_ref(),
            node_type,
        };
        let mut page = engine.ask_list(&list, &call, |path, page| {
            engine.matches_of(path, page, &query, &seen)
        })?;
        if self.max_items.is_none() {
            let mut length = 0;
            list.end_early(&mut page, |found: &NodeFound| {
                length += found.text().len();
                length <= TEXT_SHOWN_BY_DEFAULT
            });
        }
        let mut notes: Vec<String> = note.into_iter().chain(page.notes).collect();
        let is_empty = page.files.iter().all(|(_, own)| own.is_empty());
        wanted.check()?;
        notes.extend(wanted.files_text().filter(|_| is_empty));
        notes.extend(seen.notes(node_type.filter(|_| is_empty)));
        notes.extend(within.iter().flat_map(Within::notes));
        let is_first = self.cursor.is_none() && page.cursor.is_some();
        let total = match is_first {
            true => {
                let files = match list.into_searched() {
                    Some(files) => files,
                    None => engine.searched_files(&self.path)?,
                };
                let counts = seen.counts.into_inner();
                let counts = counts.unwrap_or_else(PoisonError::into_inner);
                engine.total(files, &counts, wanted, within.as_ref(), context.watch)?
            }
            false => None,
        };
        Ok(NodesFound {
            matches: page.files.into_iter().flat_map(|(_, own)| own).collect(),
            total,
            files_looked_at: page.files_looked_at,
            cursor: page.cursor.map(|cursor| cursor.to_string()),
            notes,
        })
    }

    fn answer_on_text(&self, text: &OneText) -> Result<OnText<NodesFound>, Diagnostic> {
        text.check_paths(&self.path)?;
        text.refuse(&[("cursor", self.cursor.is_some())])?;
        let wanted = NodeQuery::new(self, Rules::without_files)?;
        let within = Within::new(&self.scope, self.symbol_kind.as_deref())?;
        let (wanted_items, _) = page_size(self.max_items, usize::MAX, usize::MAX)?;
        let node_type = self.node_type.as_deref();
        let seen = SearchFacts::default();
        seen.note_type(node_type, text.source().language());
        let (count, matches) = match wanted.may_be_in(text.source()) {
            false => (0, Vec::new()),
            true => {
                let page = FilePage {
                    skipped: 0,
                    wanted: wanted_items,
                    is_only_file: true,
                };
                let query = FileQuery {
                    wanted: &wanted,
                    within: within.as_ref(),
                    node_type,
                };
                query.matches(text.path().as_ref(), text.parsed(), &page, &seen)
            }
        };
        wanted.check()?;
        let mut notes: Vec<String> = wanted
            .files_text()
            .filter(|_| matches.is_empty())
            .into_iter()
            .collect();
        notes.extend(seen.notes(node_type.filter(|_| matches.is_empty())));
        notes.extend(within.iter().flat_map(Within::notes));
        Ok(OnText::unchanged(NodesFound {
            total: (count > wanted_items).then_some(count),
            matches,
            files_looked_at: 1,
            cursor: None,
            notes,
        }))
    }
}

/// A search, for each of its files.
struct FileQuery<'a> {
    wanted: &'a NodeQuery<'a>,
    within: Option<&'a Within<'a>>,
    node_type: Option<&'a str>,
}

impl SearchFacts {
    /// Notes whether a language has the node type.
    fn note_type(&self, node_type: Option<&str>, language: &Language) {
        let knows_type = |name: &str| language.has_node_type(name) || language.knows_word(name);
        if node_type.is_some_and(knows_type) {
            self.knows_type.store(true, Ordering::Relaxed);
        }
    }

    /// Returns notes on missing matches. `node_type` is the type that a search without a match asked for.
    fn notes(&self, node_type: Option<&str>) -> Vec<String> {
        let mut notes = Vec::new();
        let readings = self.readings.lock().unwrap_or_else(PoisonError::into_inner);
        notes.extend(readings_text(&readings));
        let near_misses = self.near_misses.lock();
        notes.extend(near_misses_text(
            &near_misses.unwrap_or_else(PoisonError::into_inner),
        ));
        if self.cut.load(Ordering::Relaxed) {
            notes.push(format!(
                "some matches are missing: a file has more than {MATCHES_LOOKED_AT} matches, or the query \
                 took too long; narrow the search"
            ));
        }
        if let Some(node_type) = node_type
            && !self.knows_type.load(Ordering::Relaxed)
        {
            let note = format!("no searched file is in a language with the node type {node_type}");
            notes.push(note);
        }
        notes
    }
}

impl Engine {
    /// Counts the matches of a pattern or of rules in all files. Those of some are known. Returns `None` for another query.
    fn total(
        &self,
        mut searched: SearchedFiles,
        known: &HashMap<Utf8PathBuf, usize>,
        wanted: NodeQuery<'_>,
        within: Option<&Within<'_>>,
        watch: &dyn Watch,
    ) -> Result<Option<usize>, Diagnostic> {
        let wanted = match wanted {
            NodeQuery::Pattern(pattern) => Searched::Pattern(pattern),
            NodeQuery::Rules(rules) => Searched::Rules(rules),
            NodeQuery::Text(_)
            | NodeQuery::Regex(_)
            | NodeQuery::Name(_)
            | NodeQuery::Type
            | NodeQuery::Query(_) => return Ok(None),
        };
        searched
            .files
            .retain(|file| !known.contains_key(file.absolute()));
        let (counts, _) = self.in_files(&searched, &wanted, watch, |path, parsed| {
            let found = wanted.find(wanted.matched_path(path), parsed).found;
            Ok(match within.filter(|_| !found.is_empty()) {
                None => found.len(),
                Some(within) => {
                    let areas = within.areas(parsed);
                    let spans = found.iter().map(|one| one.span());
                    spans.filter(|span| areas.contain(*span)).count()
                }
            })
        })?;
        Ok(Some(counts.iter().chain(known.values()).sum()))
    }

    /// Returns the matches of one file for the page.
    fn matches_of(
        &self,
        path: &WorkspacePath,
        page: &FilePage,
        query: &FileQuery<'_>,
        seen: &SearchFacts,
    ) -> Result<Vec<NodeFound>, Diagnostic> {
        let opened = self.opened(path)?;
        let (language, may_hold) = {
            let source = opened.source();
            (source.language(), query.wanted.may_be_in(source))
        };
        seen.note_type(query.node_type, language);
        if !may_hold {
            return Ok(Vec::new());
        }
        let parsed = match page.is_only_file {
            true => self.parsed_at(path)?,
            false => opened.parsed(),
        };
        let matched_path = query.wanted.matched_path(path);
        let (count, matches) = query.matches(matched_path, &parsed, page, seen);
        let mut counts = seen.counts.lock().unwrap_or_else(PoisonError::into_inner);
        counts.insert(path.absolute().to_owned(), count);
        Ok(matches)
    }
}

impl FileQuery<'_> {
    /// Returns the number of matches in a file, and those on the page. The globs of rules are matched against `path`.
    fn matches(
        &self,
        path: &Utf8Path,
        parsed: &Parsed,
        page: &FilePage,
        seen: &SearchFacts,
    ) -> (usize, Vec<NodeFound>) {
        let FileQuery {
            wanted,
            within,
            node_type,
        } = *self;
        if node_type.is_some_and(|name| select::knows_type(parsed, name)) {
            seen.knows_type.store(true, Ordering::Relaxed);
        }
        let (mut found, cut) = wanted.find(path, parsed, node_type);
        if cut {
            seen.cut.store(true, Ordering::Relaxed);
        }
        if let Some(within) = within.filter(|_| !found.is_empty()) {
            let areas = within.areas(parsed);
            found.retain(|one| areas.contain(one.node.span));
        }
        let count = found.len();
        if let NodeQuery::Pattern(pattern) = wanted {
            let mut readings = seen.readings.lock().unwrap_or_else(PoisonError::into_inner);
            for one in found.iter().filter_map(|one| one.rule.as_ref()) {
                *readings.entry(one.reading).or_default() += 1;
            }
            let mut near_misses = seen.near_misses.lock();
            let near_misses = near_misses.as_deref_mut();
            if let (Ok(all), true) = (near_misses, within.is_none()) {
                let nodes = found
                    .iter()
                    .filter_map(|one| one.node.chain.last().copied());
                for (what, count) in pattern.near_misses(parsed, nodes) {
                    *all.entry(what).or_default() += count;
                }
            }
        }
        let mut known = HashSet::new();
        found.retain(|one| {
            let node = one.node.chain.last().map(|node| node.identity());
            // The first capture of a query is the node itself, which can also be the start of a nested tree.
            let own = usize::from(one.rule.is_none());
            let others = one.node.captures.iter().skip(own);
            let captures: Vec<_> = others.map(|(_, span)| *span).collect();
            let rule = one.rule.as_ref().map(|rule| rule.index);
            known.insert((node, self.line(parsed, &one.node), captures, rule))
        });
        let shown = found.iter().skip(page.skipped).take(page.wanted);
        let listed = shown.filter_map(|one| self.listed(parsed, one));
        (count, listed.collect())
    }

    /// Returns whether the line of a match is shown, and not its node.
    fn is_by_line(&self) -> bool {
        let is_text = matches!(self.wanted, NodeQuery::Text(_) | NodeQuery::Regex(_));
        is_text && self.node_type.is_none()
    }

    /// Returns the line of a match, or the first line of its node.
    fn line(&self, parsed: &Parsed, found: &FoundNode<'_>) -> usize {
        let span = match (self.is_by_line(), found.chain.last()) {
            (true, _) => parsed.trimmed(found.span),
            (false, Some(node)) => parsed.trimmed(node.span()),
            (false, None) => found.span,
        };
        parsed.source().line_of(span.start())
    }

    fn listed(&self, parsed: &Parsed, one: &Found<'_>) -> Option<NodeFound> {
        let (found, rule) = (&one.node, one.rule.as_ref());
        let line = self.line(parsed, found);
        let root = [parsed.root()];
        let chain = match found.chain.is_empty() {
            true => &root[..],
            false => &found.chain,
        };
        let node = *chain.last()?;
        let span = match self.is_by_line() {
            true => parsed.trimmed(parsed.source().line_span(line)?),
            false => parsed.trimmed(node.span()),
        };
        let captures = found.captures.iter().map(|(name, span)| Captured {
            name: name.clone(),
            line: parsed.source().line_of(span.start()),
            text: match rule {
                // The captures of a pattern are whole.
                Some(_) => parsed.source().slice(*span).into_owned(),
                None => diagnostic::first_line(parsed, *span),
            },
        });
        let computed = rule.into_iter().flat_map(|rule| &rule.computed);
        let computed = computed.map(|(name, text)| Captured {
            name: name.clone(),
            line,
            text: text.clone(),
        });
        // A selector would select only the first of several nodes.
        let is_one = rule.is_none_or(|rule| !rule.is_several);
        let selector = is_one
            .then(|| select::describe_any(parsed, chain))
            .flatten();
        let rule_of_match = |rule: &FoundByRule| match self.wanted {
            NodeQuery::Rules(rules) if rules.are_several() => Some(RuleOfMatch {
                id: rules.rules()[rule.index].id().to_string(),
                message: rule.message.clone(),
            }),
            _ => None,
        };
        Some(NodeFound {
            file_path: parsed.source().path().to_string(),
            line,
            node_type: node.kind().to_string(),
            text: diagnostic::first_line(parsed, span),
            symbol_path: parsed.symbol_path(chain),
            selector: selector.map(ShortSelector),
            captures: captures.chain(computed).collect(),
            rule: rule.and_then(rule_of_match),
        })
    }
}

impl NodeQuery<'_> {
    fn may_be_in(&self, source: &Source) -> bool {
        match (self, self.search()) {
            (NodeQuery::Pattern(pattern), _) => pattern.may_be_in(source),
            (NodeQuery::Rules(rules), _) => rules.may_be_in(source),
            (_, Some(search)) => search.may_be_in(source.text()),
            (_, None) => true,
        }
    }

    fn search(&self) -> Option<Search<'_>> {
        match self {
            NodeQuery::Text(text) => Some(Search::Text(text)),
            NodeQuery::Regex(regex) => Some(Search::Regex(regex)),
            NodeQuery::Name(name) => Some(Search::Name(name)),
            NodeQuery::Type => Some(Search::Any),
            NodeQuery::Query(_) | NodeQuery::Pattern(_) | NodeQuery::Rules(_) => None,
        }
    }

    /// Returns a note on the searched files, if a pattern was searched.
    fn files_text(&self) -> Option<String> {
        match self {
            NodeQuery::Pattern(pattern) => pattern.files_text(),
            _ => None,
        }
    }

    /// Refuses a pattern or a query that is valid in none of the searched languages.
    fn check(&self) -> Result<(), Diagnostic> {
        match self {
            NodeQuery::Query(query) => query.check(),
            NodeQuery::Pattern(pattern) => pattern.check(),
            NodeQuery::Text(_)
            | NodeQuery::Regex(_)
            | NodeQuery::Name(_)
            | NodeQuery::Type
            | NodeQuery::Rules(_) => Ok(()),
        }
    }

    /// Returns the path that the globs of rules are matched against.
    fn matched_path<'p>(&self, path: &'p WorkspacePath) -> &'p Utf8Path {
        match self {
            NodeQuery::Rules(rules) => rules.matched_path(path),
            NodeQuery::Text(_)
            | NodeQuery::Regex(_)
            | NodeQuery::Name(_)
            | NodeQuery::Type
            | NodeQuery::Query(_)
            | NodeQuery::Pattern(_) => path.relative(),
        }
    }

    /// Returns the matches in a file, and whether some are missing.
    fn find<'p>(
        &self,
        path: &Utf8Path,
        parsed: &'p Parsed,
        node_type: Option<&str>,
    ) -> (Vec<Found<'p>>, bool) {
        let all = match (self, self.search()) {
            (NodeQuery::Query(query), _) => query.find(parsed),
            (NodeQuery::Pattern(pattern), _) => {
                return of_matches(parsed, pattern.find(parsed, MATCHES_LOOKED_AT));
            }
            (NodeQuery::Rules(rules), _) => {
                return of_matches(parsed, rules.find(path, parsed, MATCHES_LOOKED_AT));
            }
            (_, Some(search)) => select::find(parsed, &search, node_type),
            (_, None) => AllFound::default(),
        };
        let found = all.found.into_iter().map(|node| Found { node, rule: None });
        (found.collect(), all.cut)
    }
}

fn of_matches<'p>(parsed: &'p Parsed, matches: Matches<'p>) -> (Vec<Found<'p>>, bool) {
    let found = matches.found.into_iter().map(|one| Found {
        node: FoundNode {
            span: one.span(),
            chain: select::down_to(parsed, one.node),
            captures: one.captures,
        },
        rule: Some(FoundByRule {
            index: one.rule,
            reading: one.reading,
            is_several: one.node != one.last,
            message: one.message,
            computed: one.transformed,
        }),
    });
    (found.collect(), matches.cut)
}

impl<'r> NodeQuery<'r> {
    /// Reads the search condition of a request. `rules` reads its rules.
    fn new(
        request: &'r FindNodes,
        rules: impl FnOnce(&RuleArgument) -> Result<Rules, Diagnostic>,
    ) -> Result<NodeQuery<'r>, Diagnostic> {
        let FindNodes {
            text,
            regex,
            name,
            query,
            pattern,
            rule,
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
        let texts = given.iter().filter(|(_, value)| value.is_some()).count();
        if texts + usize::from(rule.is_some()) > 1 {
            return refused("pass only one of text, regex, name, query, pattern and rule");
        }
        if query.is_some() && node_type.is_some() {
            return refused(
                "a query cannot be combined with node_type; put the node type in the query",
            );
        }
        if pattern.is_none() && (request.reading.is_some() || request.quotes.is_exact()) {
            return refused("reading and quotes can only be combined with pattern");
        }
        if pattern.is_some() && node_type.is_some() {
            return refused("a pattern cannot be combined with node_type");
        }
        if rule.is_some() && node_type.is_some() {
            return refused("a rule cannot be combined with node_type; put `kind` in the rule");
        }
        if let Some(node_type) = node_type {
            check_type(node_type)?;
        }
        if let Some(text) = pattern {
            let options = PatternOptions {
                quotes: request.quotes.into(),
                reading: request.reading.clone(),
            };
            let pattern = PerLanguage::with_options(text.trim(), None, options);
            return Ok(NodeQuery::Pattern(pattern));
        }
        if let Some(rule) = rule {
            return Ok(NodeQuery::Rules(Box::new(rules(rule)?)));
        }
        Ok(match (text, regex, name, query) {
            (Some(text), ..) => NodeQuery::Text(text),
            (_, Some(pattern), ..) => NodeQuery::Regex(read_regex(pattern)?),
            (_, _, Some(name), _) => NodeQuery::Name(Name::new(name)),
            (_, _, _, Some(text)) => NodeQuery::Query(PerLanguage::new(text, None)),
            _ if node_type.is_some() => NodeQuery::Type,
            _ => {
                let message = "pass one of text, regex, node_type, name, query, pattern and rule";
                let help = "pass, for example, «text: \"timeout(\"» to find this text";
                return Err(diagnostic::about_arguments(message).help(help));
            }
        })
    }
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
    let is_text = language::TEXT_NODE_TYPES.contains(&node_type);
    let is_known = GENERAL_WORDS.contains(&node_type) || node_type == "ERROR" || is_text;
    if is_known || language::all().any(has_type) {
        return Ok(());
    }
    let all = language::all().flat_map(Language::node_types);
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
