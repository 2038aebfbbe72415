//! `injections.scm`: which language the text of a node is in.

use tree_sitter::Node;

use crate::language::{Language, by_name};

use super::pattern::{ChildPattern, NodePattern};
use super::rule::QueryRule;
use super::{QueryError, Tables, TextOf};

/// The capture of the node whose text is in another language.
const CONTENT: &str = "injection.content";

/// The types of nodes that may contain another language, `None` for all, and their depth below the node that the rule is for.
pub(super) type HostTypes = (Option<Vec<u16>>, usize);

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
        rule.allow_captures(&[CONTENT, "injection.language", "injection.none"])?;
        rule.allow_settings(&["injection.language"])?;
        if rule.captures.contains(&"injection.none") {
            self.injections.add(rule.whole(), Injection::None);
            return Ok(());
        }
        if !rule.captures.contains(&CONTENT) {
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
        let pattern = rule.whole();
        add_hosts(&pattern.node, 0, &mut self.hosts);
        self.injections.add(pattern, injection);
        Ok(())
    }

    /// Returns whether the type of `node` is one of those that may contain another language.
    pub(crate) fn may_be_host(&self, node: Node<'_>) -> bool {
        self.depths_of_rules(node).next().is_some()
    }

    /// Returns the language inside `node`, by the rules for it and for its ancestors.
    pub(crate) fn language_inside(
        &self,
        node: Node<'_>,
        text: TextOf<'_>,
    ) -> Option<&'static Language> {
        // The rule for the nearest node decides.
        self.depths_of_rules(node).find_map(|depth| {
            let mut ancestors = std::iter::successors(Some(node), Node::parent);
            let (host, language) = self.injection(ancestors.nth(depth)?, text)?;
            (host == node).then_some(language)
        })
    }

    /// Returns how far above `node` the nodes are whose rules may capture it as the text in another language.
    fn depths_of_rules(&self, node: Node<'_>) -> impl Iterator<Item = usize> {
        let kind = node.kind_id();
        let hosts = self.hosts.iter();
        let may_be = hosts.filter(move |(kinds, _)| {
            let kinds = kinds.as_ref();
            kinds.is_none_or(|kinds| kinds.contains(&kind))
        });
        may_be.map(|(_, depth)| *depth)
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
        if !node.is_named() || node.start_byte() == node.end_byte() {
            return None;
        }
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
        Some((of(CONTENT)?, language))
    }
}

/// Adds the types of the nodes that the pattern captures as the text in another language, with their depth below the node
/// that the pattern is for. Keeps the depths in order.
fn add_hosts(pattern: &NodePattern, depth: usize, hosts: &mut Vec<HostTypes>) {
    if pattern.captures.contains(&CONTENT) {
        let types = (pattern.kinds.clone(), depth);
        if !hosts.contains(&types) {
            let end = hosts.partition_point(|(_, one)| *one <= depth);
            hosts.insert(end, types);
        }
    }
    for one in &pattern.alternatives {
        add_hosts(one, depth, hosts);
    }
    for child in &pattern.children {
        if let ChildPattern::Has { node, .. } = child {
            add_hosts(node, depth + 1, hosts);
        }
    }
}
