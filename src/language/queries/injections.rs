//! `injections.scm`: which language the text of a node is in.

use tree_sitter::Node;

use crate::language::{Language, by_name};

use super::rule::QueryRule;
use super::{QueryError, Tables, TextOf};

/// How the language inside a node is known.
#[derive(Debug)]
pub(super) enum Injection {
    /// `#set! injection.language`.
    Always(&'static Language),
    /// `@injection.language`: the text of a node names it.
    Named,
    /// `@injection.none`: its text is in no language, whatever later rules say.
    None,
}

impl Tables {
    /// Adds an injection. Skips a rule for a language that is not built in.
    pub(super) fn add_injection(&mut self, rule: QueryRule) -> Result<(), QueryError> {
        rule.allow_captures(&["injection.content", "injection.language", "injection.none"])?;
        rule.allow_settings(&["injection.language"])?;
        if rule.captures.contains(&"injection.none") {
            self.injections.add(rule.whole(), Injection::None);
            return Ok(());
        }
        if !rule.captures.contains(&"injection.content") {
            return Err(rule.error("an injection needs an @injection.content"));
        }
        let is_named = rule.captures.contains(&"injection.language");
        let injection = match (rule.setting("injection.language"), is_named) {
            (None, true) => Injection::Named,
            (Some(name), false) => match by_name(&name) {
                Some(language) => Injection::Always(language),
                None => return Ok(()),
            },
            _ => return Err(rule.error("an injection needs one injection.language")),
        };
        self.injections.add(rule.whole(), injection);
        Ok(())
    }

    /// Returns whether nodes may contain another language.
    pub(crate) fn has_injections(&self) -> bool {
        !self.injections.is_empty()
    }

    /// Returns the node that contains another language according to a rule for `node`, and that language.
    pub(crate) fn injection<'a>(
        &self,
        node: Node<'a>,
        text: TextOf<'_>,
    ) -> Option<(Node<'a>, &'static Language)> {
        let mut captured = Vec::new();
        let (_, injection) = self.injections.find(node, &[], text, &mut captured)?;
        let of = |wanted: &str| {
            let found = captured.iter().find(|(capture, _)| *capture == wanted);
            found.map(|(_, node)| *node)
        };
        let language = match injection {
            Injection::None => return None,
            Injection::Always(language) => language,
            Injection::Named => {
                let name = text(of("injection.language")?);
                // `rust,ignore`, `{.python}`
                let is_outer =
                    |c: char| matches!(c, '{' | '}' | '.' | '"' | '\'') || c.is_whitespace();
                let name = name.trim_matches(is_outer);
                let end = name.find(|c: char| matches!(c, ',' | ';') || c.is_whitespace());
                by_name(&name[..end.unwrap_or(name.len())])?
            }
        };
        Some((of("injection.content")?, language))
    }
}
