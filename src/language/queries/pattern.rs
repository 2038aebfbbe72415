//! Patterns of nodes, and whether a node matches one.

use std::num::NonZeroU16;
use std::sync::OnceLock;

use regex::Regex;
use tree_sitter::Node;

use super::TextOf;

/// A pattern seen from its captured node.
#[derive(Clone, Debug)]
pub(super) struct CapturedPattern {
    pub(super) node: NodePattern,
    /// What the ancestors of the node must be, nearest first.
    pub(super) ancestors: Vec<AncestorPattern>,
}

/// What an ancestor of the captured node must be.
#[derive(Clone, Debug)]
pub(super) struct AncestorPattern {
    pub(super) node: NodePattern,
    /// The field that the child must be in.
    pub(super) field: Option<NonZeroU16>,
    /// Whether the child must be its first one.
    pub(super) first: bool,
}

impl CapturedPattern {
    /// Returns whether a node of a type may match in a parent of the other type.
    pub(super) fn may_be(&self, kind: u16, parent: u16) -> bool {
        self.node.may_be(kind) && self.may_be_in(parent)
    }

    /// Returns whether a parent of a type may have a child that matches.
    pub(super) fn may_be_in(&self, parent: u16) -> bool {
        let wanted = self.ancestors.first();
        wanted.is_none_or(|wanted| wanted.node.may_be(parent))
    }

    /// Returns whether the ancestors of `node` match. `above` are those that the caller knows, the nearest last.
    pub(super) fn ancestors_match<'a>(
        &self,
        node: Node<'a>,
        above: &[Node<'a>],
        text: TextOf<'_>,
    ) -> bool {
        let mut below = node;
        let mut known = above.iter().rev();
        self.ancestors.iter().all(|wanted| {
            let Some(parent) = known.next().copied().or_else(|| below.parent()) else {
                return false;
            };
            let child = std::mem::replace(&mut below, parent);
            wanted.node.matches(parent, text, &mut Vec::new())
                && (!wanted.first || first_child(parent) == Some(child))
                && wanted.field.is_none_or(|field| {
                    let mut cursor = parent.walk();
                    parent
                        .children_by_field_id(field, &mut cursor)
                        .any(|one| one == child)
                })
        })
    }
}

/// What a node must be.
#[derive(Clone, Debug, Default)]
pub(super) struct NodePattern {
    /// The node types that match; `None` is the wildcard `(_)`: any named node.
    pub(super) kinds: Option<Vec<u16>>,
    pub(super) children: Vec<ChildPattern>,
    pub(super) captures: Vec<&'static str>,
    /// Tests of its text, one of which must hold; without any, the text is ignored.
    pub(super) texts: Vec<TextTest>,
    /// Whole patterns, one of which must match.
    pub(super) alternatives: Vec<NodePattern>,
}

/// A test of the text of a node.
#[derive(Clone, Debug)]
pub(super) enum TextTest {
    Is(String),
    StartsWith(String),
    Matches(LazyRegex),
}

/// A regular expression that is compiled at its first use: few are used, and compiling takes up to a millisecond.
#[derive(Clone, Debug)]
pub(super) struct LazyRegex {
    regex: OnceLock<Regex>,
    pattern: String,
}

impl LazyRegex {
    pub(super) fn new(pattern: String) -> LazyRegex {
        let regex = OnceLock::new();
        LazyRegex { regex, pattern }
    }

    /// Compiles a pattern that no test has compiled.
    pub(super) fn compiled(pattern: String) -> Result<LazyRegex, regex::Error> {
        let regex = OnceLock::from(Regex::new(&pattern)?);
        Ok(LazyRegex { regex, pattern })
    }

    fn is_match(&self, text: &str) -> bool {
        let compiled = || {
            Regex::new(&self.pattern)
                .expect("a test compiles every pattern of the built-in languages")
        };
        self.regex.get_or_init(compiled).is_match(text)
    }
}

impl TextTest {
    fn word(&self) -> Option<&str> {
        match self {
            TextTest::Is(word) | TextTest::StartsWith(word) => Some(word),
            TextTest::Matches(_) => None,
        }
    }

    fn holds(&self, text: &str) -> bool {
        match self {
            TextTest::Is(wanted) => text == wanted,
            TextTest::StartsWith(wanted) => text.starts_with(wanted.as_str()),
            TextTest::Matches(pattern) => pattern.is_match(text),
        }
    }
}

/// What the children of a node must be.
#[derive(Clone, Debug)]
pub(super) enum ChildPattern {
    Has {
        field: Option<NonZeroU16>,
        /// Whether no other named child may precede it.
        first: bool,
        node: NodePattern,
    },
    HasNot {
        field: NonZeroU16,
    },
}

impl NodePattern {
    fn may_be(&self, kind: u16) -> bool {
        let kinds = self.kinds.as_ref();
        kinds.is_none_or(|kinds| kinds.contains(&kind))
    }

    fn kind_matches(&self, node: Node<'_>) -> bool {
        match &self.kinds {
            Some(kinds) => kinds.contains(&node.kind_id()),
            None => node.is_named(),
        }
    }

    fn text_matches(&self, node: Node<'_>, text: TextOf<'_>) -> bool {
        if self.texts.is_empty() {
            return true;
        }
        let text = text(node);
        self.texts.iter().any(|wanted| wanted.holds(&text))
    }

    /// Returns whether `node` matches, and adds the captures to `captured` if it does.
    pub(super) fn matches<'a>(
        &self,
        node: Node<'a>,
        text: TextOf<'_>,
        captured: &mut Vec<(&'static str, Node<'a>)>,
    ) -> bool {
        let known = captured.len();
        let holds = self.kind_matches(node)
            && self.text_matches(node, text)
            && self.children_match(node, text, captured);
        match holds {
            true => captured.extend(self.captures.iter().map(|capture| (*capture, node))),
            false => captured.truncate(known),
        }
        holds
    }

    fn children_match<'a>(
        &self,
        node: Node<'a>,
        text: TextOf<'_>,
        captured: &mut Vec<(&'static str, Node<'a>)>,
    ) -> bool {
        let mut alternatives = self.alternatives.iter();
        if !self.alternatives.is_empty()
            && !alternatives.any(|one| one.matches(node, text, captured))
        {
            return false;
        }
        // Of two children of one type the second follows the first.
        let mut last: Option<(&NodePattern, usize)> = None;
        self.children.iter().all(|child| match child {
            ChildPattern::HasNot { field } => node.child_by_field_id(field.get()).is_none(),
            ChildPattern::Has {
                first: true,
                node: wanted,
                ..
            } => first_child(node).is_some_and(|child| wanted.matches(child, text, captured)),
            ChildPattern::Has {
                field: Some(field),
                node: wanted,
                ..
            } => {
                // Most fields have one child, which is found without a walk.
                let first = node.child_by_field_id(field.get());
                first.is_some_and(|child| wanted.matches(child, text, captured)) || {
                    let mut cursor = node.walk();
                    node.children_by_field_id(*field, &mut cursor)
                        .any(|child| wanted.matches(child, text, captured))
                }
            }
            ChildPattern::Has {
                field: None,
                node: wanted,
                ..
            } => {
                let alike = last.filter(|(one, _)| one.kinds == wanted.kinds);
                let first = alike.map_or(0, |(_, index)| index + 1);
                let mut cursor = node.walk();
                let mut children = node.children(&mut cursor).enumerate().skip(first);
                let found = children.find(|(_, child)| wanted.matches(*child, text, captured));
                last = found.map(|(index, _)| (wanted, index)).or(last);
                found.is_some()
            }
        })
    }

    /// Returns the pattern in it that has the capture.
    pub(super) fn captured_as(&mut self, wanted: &str) -> Option<&mut NodePattern> {
        if self.is_captured_as(wanted) {
            return Some(self);
        }
        let children = self.children.iter_mut().filter_map(|child| match child {
            ChildPattern::Has { node, .. } => Some(node),
            ChildPattern::HasNot { .. } => None,
        });
        children
            .chain(&mut self.alternatives)
            .find_map(|node| node.captured_as(wanted))
    }

    /// Returns the patterns directly in it.
    fn inner(&self) -> impl Iterator<Item = &NodePattern> {
        let children = self.children.iter().filter_map(|child| match child {
            ChildPattern::Has { node, .. } => Some(node),
            ChildPattern::HasNot { .. } => None,
        });
        children.chain(&self.alternatives)
    }

    /// Returns the words that a node that matches starts with one of; `None` if the pattern does not name them.
    pub(super) fn words(&self) -> Option<Vec<&str>> {
        let words: Option<Vec<&str>> = self.texts.iter().map(TextTest::word).collect();
        words.filter(|words| !words.is_empty())
    }

    /// Returns whether it tests a text.
    pub(super) fn has_texts(&self) -> bool {
        !self.texts.is_empty() || self.inner().any(NodePattern::has_texts)
    }

    /// Returns whether the node itself has the capture.
    pub(super) fn is_captured_as(&self, wanted: &str) -> bool {
        self.captures.contains(&wanted)
    }

    /// Returns whether the node or a part of its pattern has the capture.
    pub(super) fn has_capture(&self, wanted: &str) -> bool {
        self.is_captured_as(wanted) || self.inner().any(|one| one.has_capture(wanted))
    }

    /// Adds all captures of the node and the patterns in it to `all`.
    pub(super) fn add_captures(&self, all: &mut Vec<&'static str>) {
        all.extend(&self.captures);
        self.inner().for_each(|one| one.add_captures(all));
    }
}

/// Returns the first named child that is not a comment.
fn first_child(node: Node<'_>) -> Option<Node<'_>> {
    let mut cursor = node.walk();
    let mut children = node.named_children(&mut cursor);
    children.find(|child| !child.is_extra())
}
