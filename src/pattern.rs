//! Matches nodes by a pattern: code with placeholders, in the syntax of ast-grep.
//! [`rule`] adds conditions.
//!
//! Input: the text of a pattern, a [`Language`], and a [`Parsed`]. Output: each [`Match`] with its captures, in file
//! order, also in embedded trees of the language. `$NAME` matches one node, `$$$NAME` any number of siblings, and a
//! name that is used twice matches equal code. Invalid patterns are refused ([`Pattern::new`]).
//!
//! The matching is that of `ast-grep-core`; the trees are those of [`parse`](crate::parse).

#[cfg(feature = "rules")]
pub mod rule;
mod template;

use std::borrow::Cow;
use std::ops::Range;

use crate::language::Language;
use crate::parse::{Node, Parsed};
use crate::source::{Source, Span};
use ast_grep_core::matcher::MatcherExt;
use ast_grep_core::matcher::{PatternBuilder, PatternNode};
use ast_grep_core::meta_var::MetaVariable;
use ast_grep_core::source::{Content, Edit};
use ast_grep_core::{AstGrep, Doc, Matcher, PatternError};

#[cfg(feature = "rules")]
pub(crate) use template::placeholders;
pub(crate) use template::{Aligned, Token, TokenKind, words};
pub use template::{Template, UnknownPlaceholder};

/// The maximum length of a pattern, in bytes. The matcher handles the depth of a pattern recursively.
const PATTERN_BYTES: usize = 1_000;
/// The maximum depth of a tree that a pattern with a repeated capture searches. The matcher compares two captures
/// recursively.
const COMPARED_DEPTH: usize = 500;
/// What `$` is replaced by, until the pattern parses and each placeholder is a node of its own.
const SIGNS: &[char] = &['$', 'µ', '_', 'Z'];

const SYNTAX_ERROR: &str = "syntax error";
const ONLY_PLACEHOLDER: &str = "it is only a placeholder";

/// A pattern for one language.
pub struct Pattern {
    pattern: ast_grep_core::Pattern,
    grammar: Grammar,
    repeats_capture: bool,
    literal: String,
    /// The start of the names that placeholders without a name get, so that their nodes are known.
    unnamed: String,
}

/// A match of a pattern.
#[derive(Clone, Debug)]
pub struct Match<'p> {
    /// The matched node.
    pub node: Node<'p>,
    /// Each placeholder with a name, as in the pattern (`$A`, `$$$REST`), and the captured span: from the first to the last
    /// node. One that captures no node is left out. By name.
    pub captures: Vec<(String, Span)>,
    /// What the placeholders without a name (`$_`, `$$$`) match. Empty for a rule.
    pub unnamed: Vec<Span>,
    /// The index of the rule in its set; 0 for a pattern.
    pub rule: usize,
    /// The message of the rule; empty if there is none.
    pub message: String,
    /// Each variable that the `transform` of the rule computes (`$NEW`), and its text. By name.
    pub transformed: Vec<(String, String)>,
}

/// All matches in a file, up to a limit.
#[derive(Clone, Debug, Default)]
pub struct Matches<'p> {
    /// In file order; an outer match precedes those inside it.
    pub found: Vec<Match<'p>>,
    /// Whether there are more matches, or a tree was too deep to search.
    pub cut: bool,
}

/// Why a pattern is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct InvalidPattern {
    /// The reason.
    pub message: String,
    /// The byte offset in the pattern.
    pub offset: usize,
}

/// A language, and the first character of placeholders in a pattern that is parsed with its grammar; `None`: chosen for
/// each pattern.
#[derive(Clone, Copy)]
struct Grammar {
    language: &'static Language,
    sign: Option<char>,
}

/// How a tree is searched.
struct TreeSearch {
    grammar: Grammar,
    /// The maximum depth of the tree. A deeper one is not searched.
    depth: Option<usize>,
    /// At most one match more is found.
    most: usize,
    /// Each match contains one of these spans, which are in file order; `None`: any node may match.
    literals: Option<Vec<Span>>,
}

/// The text of a tree.
#[derive(Clone)]
struct Text(Source);

/// A tree with its text, as the matcher reads it.
#[derive(Clone)]
struct Tree {
    tree: tree_sitter::Tree,
    text: Text,
    grammar: Grammar,
}

impl ast_grep_core::Language for Grammar {
    fn expando_char(&self) -> char {
        self.sign.unwrap_or('$')
    }

    fn kind_to_id(&self, kind: &str) -> u16 {
        let grammar = self.language.grammar();
        grammar.map_or(0, |grammar| grammar.id_for_node_kind(kind, true))
    }

    fn field_to_id(&self, field: &str) -> Option<u16> {
        let grammar = self.language.grammar()?;
        grammar.field_id_for_name(field).map(std::num::NonZero::get)
    }

    fn build_pattern(
        &self,
        builder: &PatternBuilder<'_>,
    ) -> Result<ast_grep_core::Pattern, PatternError> {
        if self.sign.is_some() {
            return builder.build(|text| Tree::parse(text, *self));
        }
        // Only the parser of a builder receives its text.
        let mut text = String::new();
        let of_nothing = builder.build(|own| {
            text = own.trim().to_string();
            Tree::parse("", *self)
        });
        // With a selector, the text is its context already.
        let is_alone = matches!(of_nothing, Err(PatternError::NoContent(_)));
        let built = check_length(&text).and_then(|()| {
            with_any_sign(&text, self.language, is_alone, |text, grammar| {
                builder.build(|_| Tree::parse(text, grammar))
            })
        });
        built
            .map(|(pattern, _)| pattern)
            .map_err(|invalid| PatternError::Parse(invalid.message))
    }
}

impl Content for Text {
    type Underlying = u8;

    fn get_range(&self, range: Range<usize>) -> &[u8] {
        &self.0.text().as_bytes()[range]
    }

    fn decode_str(text: &str) -> Cow<'_, [u8]> {
        Cow::Borrowed(text.as_bytes())
    }

    fn encode_bytes(bytes: &[u8]) -> Cow<'_, str> {
        String::from_utf8_lossy(bytes)
    }

    fn get_char_column(&self, column: usize, offset: usize) -> usize {
        self.0.text()[offset - column..offset].chars().count()
    }
}

impl Tree {
    fn parse(text: &str, grammar: Grammar) -> Result<Tree, String> {
        let parsed = Parsed::parse(Source::new("", grammar.language, text.to_string()));
        Tree::of(&parsed, parsed.root(), grammar).ok_or_else(|| "it has no tree".to_string())
    }

    fn of(parsed: &Parsed, root: Node<'_>, grammar: Grammar) -> Option<Tree> {
        Some(Tree {
            tree: root.tree()?.clone(),
            text: Text(parsed.source().clone()),
            grammar,
        })
    }
}

impl Doc for Tree {
    type Source = Text;
    type Lang = Grammar;
    type Node<'r> = tree_sitter::Node<'r>;

    fn get_lang(&self) -> &Grammar {
        &self.grammar
    }

    fn get_source(&self) -> &Text {
        &self.text
    }

    fn do_edit(&mut self, _edit: &Edit<Text>) -> Result<(), String> {
        Err("a parsed text does not change".to_string())
    }

    fn root_node(&self) -> tree_sitter::Node<'_> {
        self.tree.root_node()
    }

    fn get_node_text<'a>(&'a self, node: &tree_sitter::Node<'a>) -> Cow<'a, str> {
        Cow::Borrowed(&self.text.0.text()[node.byte_range()])
    }
}

impl Pattern {
    /// Parses a pattern for a language.
    ///
    /// # Errors
    /// The pattern is too long, is not one node of the language, or a placeholder is not a node of its own.
    pub fn new(text: &str, language: &'static Language) -> Result<Pattern, InvalidPattern> {
        let text = text.trim();
        check_length(text)?;
        let (named, unnamed) = with_names(text);
        let built = with_any_sign(&named, language, true, |text, grammar| {
            ast_grep_core::Pattern::try_new(text, grammar)
        });
        let (pattern, grammar) = built.map_err(|invalid| InvalidPattern {
            offset: offset_without_names(text, &named, invalid.offset),
            ..invalid
        })?;
        if matches!(pattern.node, PatternNode::MetaVar { .. }) {
            return Err(InvalidPattern {
                message: ONLY_PLACEHOLDER.to_string(),
                offset: 0,
            });
        }
        let (captures, literal) = parts(&pattern.node);
        let mut names: Vec<&String> = captures.iter().flatten().collect();
        let all = names.len();
        names.sort();
        names.dedup();
        Ok(Pattern {
            repeats_capture: names.len() < all,
            pattern,
            grammar,
            literal,
            unnamed,
        })
    }

    /// Returns whether a text may contain a match, as far as it shows without a parse.
    pub fn may_be_in(&self, text: &str) -> bool {
        memchr::memmem::find(text.as_bytes(), self.literal.as_bytes()).is_some()
    }

    /// Returns the spans of the literal in a text, in file order. Each match contains one. `None` if any node may match.
    fn literals_in(&self, text: &str) -> Option<Vec<Span>> {
        let (literal, text) = (self.literal.as_bytes(), text.as_bytes());
        let mut from = 0;
        let next = || {
            let start = from + memchr::memmem::find(&text[from..], literal)?;
            // Occurrences may overlap.
            from = start + 1;
            Some(Span::new(start, start + literal.len()))
        };
        (!literal.is_empty()).then(|| std::iter::from_fn(next).collect())
    }

    /// Returns at most the first `most` matches in the file, including embedded trees of the language.
    pub fn find<'p>(&self, parsed: &'p Parsed, most: usize) -> Matches<'p> {
        let is_own = |root: &Node<'_>| std::ptr::eq(root.language(), self.grammar.language);
        let search = TreeSearch {
            grammar: self.grammar,
            depth: self.repeats_capture.then_some(COMPARED_DEPTH),
            most,
            literals: self.literals_in(parsed.source().text()),
        };
        let mut matches = Matches::default();
        for root in parsed.trees().into_iter().filter(is_own) {
            matches.add(parsed, root, &self.pattern, &search, |_| String::new());
        }
        for one in &mut matches.found {
            let is_unnamed = |(name, _): &mut (String, Span)| {
                name.trim_start_matches('$').starts_with(&self.unnamed)
            };
            let unnamed = one.captures.extract_if(.., is_unnamed);
            one.unnamed = unnamed.map(|(_, span)| span).collect();
        }
        matches.sort(most);
        matches
    }
}

impl<'p> Matches<'p> {
    /// Adds the matches in a tree.
    fn add(
        &mut self,
        parsed: &'p Parsed,
        root: Node<'p>,
        matcher: &impl Matcher,
        search: &TreeSearch,
        message: impl Fn(&ast_grep_core::NodeMatch<'_, Tree>) -> String,
    ) {
        let (Some(raw), Some(tree)) = (root.raw(), Tree::of(parsed, root, search.grammar)) else {
            return;
        };
        if search.depth.is_some_and(|depth| is_deeper(raw, depth)) {
            self.cut = true;
            return;
        }
        let tree = AstGrep::doc(tree);
        let root_node = tree.root();
        let all: Box<dyn Iterator<Item = _>> = match &search.literals {
            None => Box::new(root_node.find_all(matcher)),
            Some(literals) => Box::new(nodes_with(literals, root_node.clone(), matcher)),
        };
        for found in all.take(search.most + 1) {
            let node = same_node(raw, found.range(), found.node_id());
            self.found.extend(node.map(|node| Match {
                node: root.in_same_tree(node),
                captures: captures_of(&found),
                unnamed: Vec::new(),
                rule: 0,
                message: message(&found),
                transformed: transformed_of(&found),
            }));
        }
    }

    /// Sorts the matches and leaves out those after the first `most`.
    fn sort(&mut self, most: usize) {
        self.found.sort_by_key(|one| {
            let span = one.node.span();
            (span.start(), std::cmp::Reverse(span.end()))
        });
        self.cut |= self.found.len() > most;
        self.found.truncate(most);
    }
}

/// Builds a pattern with the first sign with which it is valid. `build` receives the text with the sign. If the text is
/// `alone`, it is first parsed in the contexts of the language.
fn with_any_sign(
    text: &str,
    language: &'static Language,
    alone: bool,
    build: impl Fn(&str, Grammar) -> Result<ast_grep_core::Pattern, PatternError>,
) -> Result<(ast_grep_core::Pattern, Grammar), InvalidPattern> {
    let bad = |message: &str, offset| InvalidPattern {
        message: message.to_string(),
        offset,
    };
    if language.grammar().is_none() {
        return Err(bad("the language has no grammar", 0));
    }
    let is_free = |sign: &&char| **sign == '$' || !text.contains(**sign);
    let mut furthest: Option<InvalidPattern> = None;
    for sign in SIGNS.iter().filter(is_free) {
        let grammar = Grammar {
            language,
            sign: Some(*sign),
        };
        match with_sign(text, grammar, *sign, alone, &build) {
            Ok(pattern) => return Ok((pattern, grammar)),
            Err(invalid) => {
                // A sign that parses says more than one that does not.
                let rank = |one: &InvalidPattern| (one.message != SYNTAX_ERROR, one.offset);
                if furthest
                    .as_ref()
                    .is_none_or(|one| rank(one) < rank(&invalid))
                {
                    furthest = Some(invalid);
                }
            }
        }
    }
    Err(furthest.unwrap_or_else(|| bad("it cannot be parsed", 0)))
}

/// Builds a pattern with a sign, with which each placeholder must be a node of its own.
fn with_sign(
    text: &str,
    grammar: Grammar,
    sign: char,
    alone: bool,
    build: impl Fn(&str, Grammar) -> Result<ast_grep_core::Pattern, PatternError>,
) -> Result<ast_grep_core::Pattern, InvalidPattern> {
    let (parsed_text, placeholders) = with_placeholders(text, sign);
    let contexts = grammar.language.contexts().iter().filter(|_| alone);
    let mut in_contexts = contexts.filter_map(|context| in_context(&parsed_text, context, grammar));
    let is_whole = |one: &ast_grep_core::Pattern| parts(&one.node).0.len() == placeholders.len();
    if let Some(pattern) = in_contexts.find(is_whole) {
        return Ok(pattern);
    }
    // An offset in the pattern, for one in the parsed text.
    let offset = |at: usize| {
        let signs = parsed_text[..at].matches(sign).count();
        at - signs * (sign.len_utf8() - 1)
    };
    let bad = |message: &str, at| InvalidPattern {
        message: message.to_string(),
        offset: offset(at),
    };
    let parsed = Parsed::parse(Source::new("", grammar.language, parsed_text.clone()));
    if let Some(at) = first_error(&parsed) {
        return Err(bad(SYNTAX_ERROR, at));
    }
    let pattern = build(&parsed_text, grammar).map_err(|error| {
        let message = match error {
            PatternError::MultipleNode(_) => "it is more than one node".to_string(),
            PatternError::NoContent(_) => "it is empty".to_string(),
            PatternError::RootMultiMetaVar(_) => ONLY_PLACEHOLDER.to_string(),
            PatternError::NoSelectorInContext { selector, .. } => {
                format!("it has no node of the type {selector}")
            }
            PatternError::InvalidKind(_) => "its selector is not a node type".to_string(),
            PatternError::Parse(_) => "it cannot be parsed".to_string(),
        };
        bad(&message, 0)
    })?;
    let root = parsed.root().raw();
    let is_node = |placeholder: &Range<usize>| {
        let (start, end) = (placeholder.start, placeholder.end);
        let node = root.and_then(|root| root.descendant_for_byte_range(start, end));
        node.is_some_and(|node| node.byte_range() == *placeholder)
            && ast_grep_core::Language::extract_meta_var(&grammar, &parsed_text[start..end])
                .is_some()
    };
    match placeholders.iter().find(|one| !is_node(one)) {
        None => Ok(pattern),
        Some(part) => Err(bad(
            "a placeholder is only a part of a node there",
            part.start,
        )),
    }
}

/// Returns the variables that a rule computes, by name.
fn transformed_of(found: &ast_grep_core::NodeMatch<'_, Tree>) -> Vec<(String, String)> {
    let env = found.get_env();
    let one = |variable: MetaVariable| match variable {
        MetaVariable::Capture(name, _) => {
            let text = env.get_transformed(&name)?;
            Some((
                format!("${name}"),
                String::from_utf8_lossy(text).into_owned(),
            ))
        }
        _ => None,
    };
    let mut all: Vec<(String, String)> = env.get_matched_variables().filter_map(one).collect();
    all.sort();
    all.dedup();
    all
}

/// Returns the captures of a match, by name.
fn captures_of(found: &ast_grep_core::NodeMatch<'_, Tree>) -> Vec<(String, Span)> {
    let env = found.get_env();
    let one = |variable: MetaVariable| match variable {
        MetaVariable::Capture(name, _) => {
            let span = env.get_match(&name)?.range().into();
            Some((format!("${name}"), span))
        }
        // Conditions of rules add lists with lowercase names.
        MetaVariable::MultiCapture(name) if name.starts_with(char::is_lowercase) => None,
        MetaVariable::MultiCapture(name) => {
            let mut nodes = env.get_multiple_matches(&name);
            // A separator or a comment after the last one is not captured.
            let is_own = |node: &ast_grep_core::Node<'_, Tree>| node.is_named() && !node.is_extra();
            if let Some(last) = nodes.iter().rposition(is_own) {
                nodes.truncate(last + 1);
            }
            let start = nodes.first()?.range().start;
            let end = nodes.last()?.range().end;
            Some((format!("$$${name}"), Span::new(start, end)))
        }
        MetaVariable::Dropped(_) | MetaVariable::Multiple => None,
    };
    let mut captures: Vec<(String, Span)> = env.get_matched_variables().filter_map(one).collect();
    captures.sort();
    captures
}

/// Returns the matches below a node that contain one of the spans, an outer one before those inside it.
fn nodes_with<'t>(
    literals: &[Span],
    root: ast_grep_core::Node<'t, Tree>,
    matcher: &impl Matcher,
) -> impl Iterator<Item = ast_grep_core::NodeMatch<'t, Tree>> {
    let kinds = matcher.potential_kinds();
    let contains_one = |node: &ast_grep_core::Node<'t, Tree>| {
        let range = node.range();
        let first = literals.partition_point(|span| span.start() < range.start);
        literals
            .get(first)
            .is_some_and(|span| span.end() <= range.end)
    };
    let mut open = Vec::from_iter(Some(root).filter(contains_one));
    let next = move || {
        let node = open.pop()?;
        let inside = open.len();
        open.extend(node.children().filter(contains_one));
        open[inside..].reverse();
        Some(node)
    };
    let is_of_kind = move |node: &ast_grep_core::Node<'t, Tree>| {
        let kind = usize::from(node.kind_id());
        kinds.as_ref().is_none_or(|kinds| kinds.contains(kind))
    };
    let candidates = std::iter::from_fn(next).filter(is_of_kind);
    candidates.filter_map(|node| matcher.match_node(node))
}

/// Returns the node of a tree with this range and id, given those of the same node in a copy of the tree.
fn same_node<'p>(
    root: tree_sitter::Node<'p>,
    range: Range<usize>,
    id: usize,
) -> Option<tree_sitter::Node<'p>> {
    let smallest = root.descendant_for_byte_range(range.start, range.end);
    std::iter::successors(smallest, |node| node.parent()).find(|node| node.id() == id)
}

fn check_length(text: &str) -> Result<(), InvalidPattern> {
    match text.len() > PATTERN_BYTES {
        true => Err(InvalidPattern {
            message: format!("a pattern has at most {PATTERN_BYTES} bytes"),
            offset: PATTERN_BYTES,
        }),
        false => Ok(()),
    }
}

/// Gives each placeholder without a name one of its own. Returns the text and the start of these names, which it did not
/// contain.
fn with_names(text: &str) -> (String, String) {
    let mut start = "U".to_string();
    while text.contains(&start) {
        start.push('U');
    }
    let mut named = String::new();
    let mut end = 0;
    for (number, range) in template::placeholders(text).enumerate() {
        let own = &text[range.clone()];
        let name = own.trim_start_matches('$');
        named.push_str(&text[end..range.start]);
        match name.is_empty() || name.starts_with('_') {
            true => {
                let signs = &own[..own.len() - name.len()];
                named.push_str(&format!("{signs}{start}{number}"));
            }
            false => named.push_str(own),
        }
        end = range.end;
    }
    named.push_str(&text[end..]);
    (named, start)
}

/// Returns the offset in a text for one in the text of [`with_names`].
fn offset_without_names(text: &str, named: &str, offset: usize) -> usize {
    let pairs = template::placeholders(text).zip(template::placeholders(named));
    let before = pairs.take_while(|(_, named)| named.end <= offset).last();
    before.map_or(offset, |(own, named)| own.end + offset - named.end)
}

/// Replaces the `$` of each placeholder. Returns the text and where the placeholders are in it.
fn with_placeholders(text: &str, sign: char) -> (String, Vec<Range<usize>>) {
    let mut replaced = String::new();
    let mut end = 0;
    let mut all = Vec::new();
    for range in template::placeholders(text) {
        let own = text[range.clone()].replace('$', sign.encode_utf8(&mut [0; 4]));
        replaced.push_str(&text[end..range.start]);
        all.push(replaced.len()..replaced.len() + own.len());
        replaced.push_str(&own);
        end = range.end;
    }
    replaced.push_str(&text[end..]);
    (replaced, all)
}

/// Returns the pattern that a text is at its place in a context, if it is one node there that is not only a placeholder.
fn in_context(text: &str, context: &str, grammar: Grammar) -> Option<ast_grep_core::Pattern> {
    let (before, after) = context.split_once("<|>")?;
    let whole = [before, text, after].concat();
    let parsed = Parsed::parse(Source::new("", grammar.language, whole));
    if !parsed.problems().is_empty() {
        return None;
    }
    let span = Span::new(before.len(), before.len() + text.len());
    let chain = parsed.chain(span);
    let own = chain
        .iter()
        .find(|node| parsed.trimmed(node.span()) == span)?;
    let id = own.raw()?.id();
    let tree = AstGrep::doc(Tree::of(&parsed, parsed.root(), grammar)?);
    let mut node = tree.root().dfs().find(|node| node.node_id() == id)?;
    while node.children().len() == 1 {
        node = node.child(0)?;
    }
    let pattern = ast_grep_core::Pattern::from(node);
    (!matches!(pattern.node, PatternNode::MetaVar { .. })).then_some(pattern)
}

/// Returns the offset of the first error in the node of a pattern, which is that of its text without what only wraps
/// it: a statement whose `;` is missing.
fn first_error(parsed: &Parsed) -> Option<usize> {
    let mut node = parsed.root().raw()?;
    while let Some(first) = node.child(0) {
        let rest = (1..node.child_count()).filter_map(|at| node.child(at));
        if !rest
            .clone()
            .all(|one| one.is_missing() || one.kind().is_empty())
        {
            break;
        }
        node = first;
    }
    if !node.has_error() {
        return None;
    }
    let first = parsed.problems().iter().map(|one| one.span.start()).min();
    first.or(Some(node.start_byte()))
}

/// Returns the placeholders of a pattern, each with its name if it captures, and its longest literal token.
fn parts(node: &PatternNode) -> (Vec<Option<String>>, String) {
    let mut open = vec![node];
    let mut captures = Vec::new();
    let mut longest = "";
    while let Some(node) = open.pop() {
        match node {
            PatternNode::MetaVar { meta_var } => captures.push(match meta_var {
                MetaVariable::Capture(name, _) | MetaVariable::MultiCapture(name) => {
                    Some(name.clone())
                }
                MetaVariable::Dropped(_) | MetaVariable::Multiple => None,
            }),
            // The matcher may skip anonymous tokens.
            PatternNode::Terminal { text, is_named, .. } => {
                if *is_named && text.len() > longest.len() {
                    longest = text;
                }
            }
            PatternNode::Internal { children, .. } => open.extend(children),
        }
    }
    (captures, longest.to_string())
}

fn is_deeper(root: tree_sitter::Node<'_>, most: usize) -> bool {
    let mut cursor = root.walk();
    let mut depth = 0;
    loop {
        if cursor.goto_first_child() {
            depth += 1;
            if depth > most {
                return true;
            }
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return false;
            }
            depth -= 1;
        }
    }
}

#[cfg(test)]
mod tests;
