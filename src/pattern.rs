//! Matches nodes by a pattern: code with placeholders, in the syntax of ast-grep.
//!
//! Input: the text of a pattern, a [`Language`], and a [`Parsed`]. Output: each [`Match`] with its captures, in file
//! order, also in embedded trees of the language. `$NAME` matches one node, `$$$NAME` any number of siblings, and a
//! name that is used twice matches equal code. Invalid patterns are refused ([`Pattern::new`]).
//!
//! The matching is that of `ast-grep-core`; the trees are those of [`parse`](crate::parse).

mod template;

use std::borrow::Cow;

use crate::language::Language;
use crate::parse::{Node, Parsed};
use crate::source::{Source, Span};
use ast_grep_core::matcher::{PatternBuilder, PatternNode};
use ast_grep_core::meta_var::MetaVariable;
use ast_grep_core::source::{Content, Edit};
use ast_grep_core::{AstGrep, Doc, PatternError};

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

/// A pattern for one language.
pub struct Pattern {
    pattern: ast_grep_core::Pattern,
    grammar: Grammar,
    repeats_capture: bool,
    literal: String,
}

/// A match of a pattern.
#[derive(Clone, Debug)]
pub struct Match<'p> {
    /// The matched node.
    pub node: Node<'p>,
    /// Each placeholder with a name, as in the pattern (`$A`, `$$$REST`), and the captured span: from the first to the last
    /// node. One that captures no node is left out. By name.
    pub captures: Vec<(String, Span)>,
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

/// A language, and the first character of placeholders in a pattern that is parsed with its grammar.
#[derive(Clone, Copy)]
struct Grammar {
    language: &'static Language,
    sign: char,
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
        self.sign
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
        builder.build(|text| {
            let parsed = Parsed::parse(Source::new("", self.language, text.to_string()));
            Tree::of(&parsed, parsed.root(), *self).ok_or_else(|| "it has no tree".to_string())
        })
    }
}

impl Content for Text {
    type Underlying = u8;

    fn get_range(&self, range: std::ops::Range<usize>) -> &[u8] {
        &self.0.text().as_bytes()[range]
    }

    fn decode_str(text: &str) -> Cow<'_, [u8]> {
        Cow::Borrowed(text.as_bytes())
    }

    fn encode_bytes(bytes: &[u8]) -> Cow<'_, str> {
        String::from_utf8_lossy(bytes)
    }

    fn get_char_column(&self, column: usize, _offset: usize) -> usize {
        column
    }
}

impl Tree {
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
        let bad = |message: &str, offset| InvalidPattern {
            message: message.to_string(),
            offset,
        };
        let text = text.trim();
        if text.len() > PATTERN_BYTES {
            let message = format!("a pattern has at most {PATTERN_BYTES} bytes");
            return Err(bad(&message, PATTERN_BYTES));
        }
        if language.grammar().is_none() {
            return Err(bad("the language has no grammar", 0));
        }
        let is_free = |sign: &&char| **sign == '$' || !text.contains(**sign);
        let signs = SIGNS.iter().filter(is_free);
        let mut tried = signs.map(|sign| Pattern::with_sign(text, language, *sign));
        let mut furthest: Option<InvalidPattern> = None;
        let valid = tried.find_map(|pattern| match pattern {
            Ok(pattern) => Some(pattern),
            Err(invalid) => {
                // A sign that parses says more than one that does not.
                let rank = |one: &InvalidPattern| (one.message != SYNTAX_ERROR, one.offset);
                if furthest
                    .as_ref()
                    .is_none_or(|one| rank(one) < rank(&invalid))
                {
                    furthest = Some(invalid);
                }
                None
            }
        });
        valid.ok_or_else(|| furthest.unwrap_or_else(|| bad("it cannot be parsed", 0)))
    }

    fn with_sign(
        text: &str,
        language: &'static Language,
        sign: char,
    ) -> Result<Pattern, InvalidPattern> {
        let grammar = Grammar { language, sign };
        let (parsed_text, placeholders) = with_placeholders(text, sign);
        let contexts = language.contexts().iter();
        let mut in_contexts =
            contexts.filter_map(|context| in_context(&parsed_text, context, grammar));
        let is_whole = |one: &ast_grep_core::Pattern| parts(&one.node).0.len() == placeholders;
        if let Some(pattern) = in_contexts.find(is_whole) {
            return Ok(Pattern::of(pattern, grammar));
        }
        // An offset in the pattern, for one in the parsed text.
        let offset = |at: usize| {
            let signs = parsed_text[..at].matches(sign).count();
            at - signs * (sign.len_utf8() - 1)
        };
        let bad = |message: String, at| InvalidPattern {
            message,
            offset: offset(at),
        };
        let parsed = Parsed::parse(Source::new("", language, parsed_text.clone()));
        if let Some(at) = first_error(&parsed) {
            return Err(bad(SYNTAX_ERROR.to_string(), at));
        }
        let pattern = ast_grep_core::Pattern::try_new(&parsed_text, grammar).map_err(|error| {
            let message = match error {
                PatternError::MultipleNode(_) => "it is more than one node",
                PatternError::NoContent(_) => "it is empty",
                PatternError::RootMultiMetaVar(_) => "it is only a placeholder",
                _ => "it cannot be parsed",
            };
            bad(message.to_string(), 0)
        })?;
        if matches!(pattern.node, PatternNode::MetaVar { .. }) {
            return Err(bad("it is only a placeholder".to_string(), 0));
        }
        if parts(&pattern.node).0.len() != placeholders {
            let message = "a placeholder is only a part of a node there".to_string();
            return Err(bad(message, parsed_text.find(sign).unwrap_or(0)));
        }
        Ok(Pattern::of(pattern, grammar))
    }

    fn of(pattern: ast_grep_core::Pattern, grammar: Grammar) -> Pattern {
        let (captures, literal) = parts(&pattern.node);
        let mut names: Vec<&String> = captures.iter().flatten().collect();
        let all = names.len();
        names.sort();
        names.dedup();
        Pattern {
            repeats_capture: names.len() < all,
            pattern,
            grammar,
            literal,
        }
    }

    /// Returns whether a text may contain a match, as far as it shows without a parse.
    pub fn may_be_in(&self, text: &str) -> bool {
        memchr::memmem::find(text.as_bytes(), self.literal.as_bytes()).is_some()
    }

    /// Returns at most the first `most` matches in the file, including embedded trees of the language.
    pub fn find<'p>(&self, parsed: &'p Parsed, most: usize) -> Matches<'p> {
        let mut matches = Matches::default();
        let is_own = |root: &Node<'_>| std::ptr::eq(root.language(), self.grammar.language);
        for root in parsed.trees().into_iter().filter(is_own) {
            let (Some(raw), Some(tree)) = (root.raw(), Tree::of(parsed, root, self.grammar)) else {
                continue;
            };
            if self.repeats_capture && is_deeper(raw, COMPARED_DEPTH) {
                matches.cut = true;
                continue;
            }
            let tree = AstGrep::doc(tree);
            for found in tree.root().find_all(&self.pattern).take(most + 1) {
                let node = same_node(raw, found.range(), found.node_id());
                matches.found.extend(node.map(|node| Match {
                    node: root.in_same_tree(node),
                    captures: captures_of(&found),
                }));
            }
        }
        let order = |one: &Match<'_>| {
            (
                one.node.span().start(),
                std::cmp::Reverse(one.node.span().end()),
            )
        };
        matches.found.sort_by_key(order);
        matches.cut |= matches.found.len() > most;
        matches.found.truncate(most);
        matches
    }
}

/// Returns the captures of a match, by name.
fn captures_of(found: &ast_grep_core::NodeMatch<'_, Tree>) -> Vec<(String, Span)> {
    let env = found.get_env();
    let one = |variable: MetaVariable| match variable {
        MetaVariable::Capture(name, _) => {
            let span = env.get_match(&name)?.range().into();
            Some((format!("${name}"), span))
        }
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

/// Returns the node of a tree with this range and id, given those of the same node in a copy of the tree.
fn same_node<'p>(
    root: tree_sitter::Node<'p>,
    range: std::ops::Range<usize>,
    id: usize,
) -> Option<tree_sitter::Node<'p>> {
    let smallest = root.descendant_for_byte_range(range.start, range.end);
    std::iter::successors(smallest, |node| node.parent()).find(|node| node.id() == id)
}

/// Replaces the `$` of each placeholder. Returns the text and the number of placeholders.
fn with_placeholders(text: &str, sign: char) -> (String, usize) {
    let mut replaced = String::new();
    let mut end = 0;
    let mut count = 0;
    for range in template::placeholders(text) {
        let own = text[range.clone()].replace('$', sign.encode_utf8(&mut [0; 4]));
        replaced.push_str(&text[end..range.start]);
        replaced.push_str(&own);
        end = range.end;
        count += 1;
    }
    replaced.push_str(&text[end..]);
    (replaced, count)
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
