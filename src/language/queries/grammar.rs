//! Node types by name, for many lookups: tree-sitter compares a name with those of all types one by one, which takes
//! longer than everything else that reading a query file does.

use std::collections::HashMap;
use std::ops::Deref;

use foldhash::fast::FixedState;
use tree_sitter::Language;

/// A grammar with its node types by name.
pub(super) struct Grammar<'g> {
    grammar: &'g Language,
    /// No attacker chooses the names, so a fast hash is enough.
    kinds: HashMap<(&'g str, bool), NodeTypeIds, FixedState>,
}

/// The node types of one name.
#[derive(Clone, Copy)]
enum NodeTypeIds {
    One(u16),
    /// tree-sitter decides which of them to use.
    Several,
}

impl Grammar<'_> {
    pub(super) fn new(grammar: &Language) -> Grammar<'_> {
        let all = 0..u16::try_from(grammar.node_kind_count()).unwrap_or(u16::MAX);
        let mut kinds = HashMap::with_capacity_and_hasher(all.len(), FixedState::default());
        for id in all {
            // Supertypes are named and not visible.
            let is_super = grammar.node_kind_is_supertype(id);
            let Some(name) = grammar
                .node_kind_for_id(id)
                .filter(|_| is_super || grammar.node_kind_is_visible(id))
            else {
                continue;
            };
            kinds
                .entry((name, is_super || grammar.node_kind_is_named(id)))
                .and_modify(|known| *known = NodeTypeIds::Several)
                .or_insert(NodeTypeIds::One(id));
        }
        Grammar { grammar, kinds }
    }

    /// Returns the same as [`Language::id_for_node_kind`].
    pub(super) fn id_for_node_kind(&self, name: &str, named: bool) -> u16 {
        // The type of text that cannot be parsed is in no list.
        if named && "ERROR".starts_with(name) {
            return self.grammar.id_for_node_kind(name, named);
        }
        match self.kinds.get(&(name, named)) {
            Some(NodeTypeIds::One(id)) => *id,
            Some(NodeTypeIds::Several) => self.grammar.id_for_node_kind(name, named),
            None => 0,
        }
    }
}

impl Deref for Grammar<'_> {
    type Target = Language;

    fn deref(&self) -> &Language {
        self.grammar
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::LANGUAGES;

    #[test]
    fn every_name_has_the_type_that_tree_sitter_finds() {
        for language in LANGUAGES.iter() {
            let Some(own) = language.grammar() else {
                continue;
            };
            let grammar = Grammar::new(own);
            let names = (0..own.node_kind_count() as u16).filter_map(|id| own.node_kind_for_id(id));
            for name in names.chain(["", "no such type", "E", "ERROR", "_", "end"]) {
                for named in [true, false] {
                    let (ours, theirs) = (
                        grammar.id_for_node_kind(name, named),
                        own.id_for_node_kind(name, named),
                    );
                    assert_eq!(ours, theirs, "{name:?} of {}", language.name);
                }
            }
        }
    }
}
