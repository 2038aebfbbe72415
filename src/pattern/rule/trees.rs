//! The trees and patterns of treegraft as `ast-grep-core` reads them.

use std::borrow::Cow;
use std::ops::Range;

use ast_grep_core::matcher::{PatternBuilder, PatternNode};
use ast_grep_core::meta_var::MetaVariable;
use ast_grep_core::source::{Content, Edit};
use ast_grep_core::{AstGrep, Doc, Matcher, NodeMatch, PatternError};

use crate::language::Language;
use crate::parse::{Node, Parsed};
use crate::pattern::matching::{PatternPart, Placeholder, What};
use crate::pattern::reading::RulePattern;
use crate::pattern::{Match, Matches};
use crate::source::{Source, Span};

/// A language, and the first character of placeholders in a pattern that is parsed with its grammar; `None`: chosen for
/// each pattern.
#[derive(Clone, Copy)]
pub(super) struct Grammar {
    pub(super) language: &'static Language,
    pub(super) sign: Option<char>,
}

/// The text of a tree.
#[derive(Clone)]
pub(super) struct Text(Source);

/// A tree with its text.
#[derive(Clone)]
pub(super) struct Tree {
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
        // Only the parser of a builder receives its text, and only its error names the selector.
        let mut text = String::new();
        let of_nothing = builder.build(|own| {
            text = own.to_string();
            Tree::parse("", *self)
        });
        let selector = match of_nothing {
            Err(PatternError::NoSelectorInContext { selector, .. }) => Some(selector),
            Err(error @ PatternError::InvalidKind(_)) => return Err(error),
            _ => None,
        };
        let own = RulePattern::new(&text, selector.as_deref(), self.language)
            .map_err(|invalid| PatternError::Parse(invalid.message))?;
        let grammar = Grammar {
            sign: Some(own.sign),
            ..*self
        };
        // The builder adds the type of the selected node.
        let mut pattern = match selector {
            Some(_) => builder.build(|_| Tree::parse(&own.parsed, grammar))?,
            None => {
                let tree = Tree::parse(&own.parsed, grammar).map_err(PatternError::Parse)?;
                ast_grep_core::Pattern::from(AstGrep::doc(tree).root())
            }
        };
        pattern.node = converted(&own.part, &own.placeholders);
        Ok(pattern)
    }
}

/// Returns a part of a pattern for `ast-grep-core`. Text that no node covers is compared with that of the node around it.
fn converted(part: &PatternPart, placeholders: &[Placeholder]) -> PatternNode {
    let terminal = |text: &str, is_named, kind_id| PatternNode::Terminal {
        text: text.to_string(),
        is_named,
        kind_id,
    };
    match &part.what {
        What::Placeholder(index) => {
            let Placeholder { name, signs } = &placeholders[*index];
            let meta_var = match (name, signs) {
                (Some(name), 3) => MetaVariable::MultiCapture(name.clone()),
                (None, 3) => MetaVariable::Multiple,
                (Some(name), signs) => MetaVariable::Capture(name.clone(), *signs == 1),
                (None, signs) => MetaVariable::Dropped(*signs == 1),
            };
            PatternNode::MetaVar { meta_var }
        }
        What::Leaf {
            kind,
            is_named,
            text,
        } => terminal(text, *is_named, *kind),
        What::Text { text, .. } => terminal(text, true, 0),
        What::Inner {
            kind, text, parts, ..
        } => {
            let has_text = parts
                .iter()
                .any(|one| matches!(one.what, What::Text { .. }));
            if has_text && part.placeholders().is_empty() {
                return terminal(text, true, *kind);
            }
            let children = parts.iter().map(|one| converted(one, placeholders));
            PatternNode::Internal {
                kind_id: *kind,
                children: children.collect(),
            }
        }
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
        Tree::from_parsed(&parsed, parsed.root(), grammar)
            .ok_or_else(|| "it has no tree".to_string())
    }

    pub(super) fn from_parsed(parsed: &Parsed, root: Node<'_>, grammar: Grammar) -> Option<Tree> {
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

/// How a tree is searched.
pub(super) struct TreeSearch {
    pub(super) grammar: Grammar,
    /// The maximum depth of the tree. A deeper one is not searched.
    pub(super) depth: Option<usize>,
    /// At most one match more is found.
    pub(super) most: usize,
}

impl<'p> Matches<'p> {
    /// Adds the matches in a tree.
    pub(super) fn add(
        &mut self,
        parsed: &'p Parsed,
        root: Node<'p>,
        matcher: &impl Matcher,
        search: &TreeSearch,
        message: impl Fn(&NodeMatch<'_, Tree>) -> String,
    ) {
        let (Some(raw), Some(tree)) = (root.raw(), Tree::from_parsed(parsed, root, search.grammar))
        else {
            return;
        };
        if search.depth.is_some_and(|depth| is_deeper(raw, depth)) {
            self.cut = true;
            return;
        }
        let tree = AstGrep::doc(tree);
        for (number, found) in tree.root().find_all(matcher).enumerate() {
            if number > search.most {
                self.cut = true;
                break;
            }
            let node = same_node(raw, found.range(), found.node_id());
            self.found.extend(node.map(|node| {
                let node = root.in_same_tree(node);
                Match {
                    node,
                    last: node,
                    reading: "",
                    is_shorthand: false,
                    captures: captures_of(&found),
                    unnamed: Vec::new(),
                    tokens: Vec::new(),
                    rule: 0,
                    message: message(&found),
                    transformed: transformed_of(&found),
                }
            }));
        }
    }
}

/// Returns the variables that a rule computes, by name.
fn transformed_of(found: &NodeMatch<'_, Tree>) -> Vec<(String, String)> {
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
fn captures_of(found: &NodeMatch<'_, Tree>) -> Vec<(String, Span)> {
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

/// Returns the node of a tree with this range and id, given those of the same node in a copy of the tree.
fn same_node<'p>(
    root: tree_sitter::Node<'p>,
    range: Range<usize>,
    id: usize,
) -> Option<tree_sitter::Node<'p>> {
    let smallest = root.descendant_for_byte_range(range.start, range.end);
    std::iter::successors(smallest, |node| node.parent()).find(|node| node.id() == id)
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
