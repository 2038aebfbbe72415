//! The rules of one capture, found by the type of a node.

use tree_sitter::Node;

use super::pattern::CapturedPattern;
use super::{NO_TEXT, TextOf};

/// Rules with a value each, indexed by the types of the nodes that they can match.
#[derive(Debug)]
pub(super) struct RuleSet<T> {
    /// One bit per node type that a rule can match: most lookups find none.
    kinds: Vec<u64>,
    /// The types with the indices of the rules that can match them, sorted by both.
    by_kind: Vec<(u16, usize)>,
    of_any_kind: Vec<usize>,
    rules: Vec<(CapturedPattern, T)>,
}

impl<T> Default for RuleSet<T> {
    fn default() -> RuleSet<T> {
        RuleSet {
            kinds: Vec::new(),
            by_kind: Vec::new(),
            of_any_kind: Vec::new(),
            rules: Vec::new(),
        }
    }
}

impl<T> RuleSet<T> {
    pub(super) fn add(&mut self, pattern: CapturedPattern, value: T) {
        let index = self.rules.len();
        match &pattern.node.kinds {
            Some(kinds) => {
                for kind in kinds {
                    let word = usize::from(*kind / 64);
                    self.kinds.resize(self.kinds.len().max(word + 1), 0);
                    self.kinds[word] |= 1 << (kind % 64);
                    let end = self.by_kind.partition_point(|(one, _)| one <= kind);
                    self.by_kind.insert(end, (*kind, index));
                }
            }
            None => self.of_any_kind.push(index),
        }
        self.rules.push((pattern, value));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    pub(super) fn patterns(&self) -> impl Iterator<Item = &CapturedPattern> {
        self.rules.iter().map(|(pattern, _)| pattern)
    }

    pub(super) fn values(&self) -> impl Iterator<Item = &T> {
        self.rules.iter().map(|(_, value)| value)
    }

    /// Returns whether a rule names the node type.
    #[inline]
    pub(super) fn names_kind(&self, kind: u16) -> bool {
        let word = self.kinds.get(usize::from(kind / 64)).copied();
        word.unwrap_or(0) & (1 << (kind % 64)) != 0
    }

    /// Returns the value of the first rule that matches `node`, of rules that test no text.
    pub(super) fn value_of(&self, node: Node<'_>) -> Option<&T> {
        self.value(node, &[], NO_TEXT)
    }

    /// Returns whether a rule may match `node`, by its type alone.
    #[inline]
    fn may_match(&self, node: Node<'_>) -> bool {
        !self.of_any_kind.is_empty() || !self.kinds.is_empty() && self.names_kind(node.kind_id())
    }

    /// Returns the value of the first rule that matches `node`.
    #[inline]
    pub(super) fn value<'a>(
        &self,
        node: Node<'a>,
        above: &[Node<'a>],
        text: TextOf<'_>,
    ) -> Option<&T> {
        if !self.may_match(node) {
            return None;
        }
        let found = self.find(node, above, text, &mut Vec::new());
        found.map(|(_, value)| value)
    }

    /// Returns the first rule that matches `node` and adds its captures to `captured`. `above` are the ancestors that
    /// the caller knows, the nearest last; the tree is searched for the others.
    pub(super) fn find<'a>(
        &self,
        node: Node<'a>,
        above: &[Node<'a>],
        text: TextOf<'_>,
        captured: &mut Vec<(&'static str, Node<'a>)>,
    ) -> Option<&(CapturedPattern, T)> {
        if !self.may_match(node) {
            return None;
        }
        let kind = node.kind_id();
        let first = self.by_kind.partition_point(|(one, _)| *one < kind);
        let of_kind = self.by_kind[first..]
            .iter()
            .take_while(|(one, _)| *one == kind)
            .map(|(_, index)| index);
        for &index in of_kind.chain(&self.of_any_kind) {
            let (pattern, _) = &self.rules[index];
            captured.clear();
            if pattern.ancestors_match(node, above, text)
                && pattern.node.matches(node, text, captured)
            {
                return Some(&self.rules[index]);
            }
        }
        None
    }
}
