//! `kinds.scm`: the general words for node types.

use tree_sitter::Node;

use crate::language::GENERAL_WORDS;

use super::rule::QueryRule;
use super::{QueryError, Tables, TextOf};

impl Tables {
    pub(super) fn add_word(&mut self, rule: QueryRule) -> Result<(), QueryError> {
        let (capture, word) = rule.one_capture_with_prefix("")?;
        let Some(word) = GENERAL_WORDS.iter().find(|known| **known == word) else {
            return Err(rule.error(&format!("@{word} is not a general word")));
        };
        rule.allow_settings(&["is"])?;
        let is_excluded = rule.flag("is", "not")?;
        let rules = self.words.entry(word).or_default();
        rules.add(rule.captured_at(capture)?, !is_excluded);
        Ok(())
    }

    /// Returns whether the language maps the general word.
    pub(crate) fn knows_word(&self, word: &str) -> bool {
        self.words.contains_key(word)
    }

    /// Returns the general words that nodes of a type may have.
    pub(crate) fn words_of(&self, kind: u16) -> Vec<&'static str> {
        let words = GENERAL_WORDS.iter().copied();
        let names = |word: &str| {
            let rules = self.words.get(word);
            rules.is_some_and(|rules| rules.names_kind(kind))
        };
        words.filter(|word| names(word)).collect()
    }

    /// Returns whether the general word matches `node`, a child of `parent`.
    pub(crate) fn is_word(
        &self,
        word: &str,
        node: Node<'_>,
        parent: Option<Node<'_>>,
        text: TextOf<'_>,
    ) -> bool {
        let rules = self.words.get(word);
        let value = rules.and_then(|rules| rules.value(node, parent.as_slice(), text));
        value.copied().unwrap_or(false)
    }
}
