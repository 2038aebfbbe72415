//! `protected.scm`: text whose lines keep their bytes.

use tree_sitter::Node;

use super::rule::QueryRule;
use super::{QueryError, Tables, TextOf};

/// How the lines of a protected node are re-indented.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Protection {
    /// Not at all.
    Fixed,
    /// `#set! lines "together"`: all of them or none.
    Together,
}

impl Tables {
    pub(super) fn add_protected(&mut self, rule: QueryRule) -> Result<(), QueryError> {
        let (capture, _) = rule.one_capture_with_prefix("protected")?;
        rule.allow_settings(&["lines"])?;
        let protection = match rule.flag("lines", "together")? {
            true => Protection::Together,
            false => Protection::Fixed,
        };
        self.protected.add(rule.captured_at(capture)?, protection);
        Ok(())
    }

    /// Returns how the lines of `node` are protected, if they are.
    pub(crate) fn protection(&self, node: Node<'_>, text: TextOf<'_>) -> Option<Protection> {
        self.protected.value(node, &[], text).copied()
    }
}
