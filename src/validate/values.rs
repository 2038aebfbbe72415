//! Every value outside an edit of data is still what and where it was, as the language's own parser
//! reads it.
//!
//! The tree of a grammar may be wrong where a column decides; the real parser says which values there
//! are and in which collections. Collections are known by the values in them: what was in one
//! collection is in one afterwards, and in no other's.

use std::collections::HashMap;

use crate::language::strict::{Data, Group, Value};
use crate::source::Span;

use super::comparison::Comparison;

/// Where a value outside the edit is another one after it, or in other collections; in the text after
/// the edit. Nothing where one of the two texts cannot be read.
pub(super) fn changed(change: &Comparison<'_, '_>) -> Option<Span> {
    let (old, new) = (change.before.data()?, change.after.data()?);
    let mut pairing = Pairing {
        change,
        old,
        new,
        forth: vec![None; old.groups.len()],
        back: vec![None; new.groups.len()],
    };
    let at: HashMap<usize, &Value> = new
        .values
        .iter()
        .map(|value| (value.span.start, value))
        .collect();
    for value in &old.values {
        if !pairing.is_outside(value.span.clone().into()) {
            continue;
        }
        let start = pairing.after(value.span.start);
        let now = at.get(&start).filter(|now| pairing.is_same(value, now));
        if !now.is_some_and(|now| pairing.pair(value.within, now.within)) {
            return Some(Span::at(start));
        }
    }
    pairing.filled()
}

struct Pairing<'e, 'p> {
    change: &'e Comparison<'e, 'p>,
    old: &'e Data,
    new: &'e Data,
    /// Which new group each old one is, and the other way round.
    forth: Vec<Option<usize>>,
    back: Vec<Option<usize>>,
}

impl Pairing<'_, '_> {
    fn is_outside(&self, span: Span) -> bool {
        let hull = self.change.text_edit.hull();
        if self.change.is_several() {
            let mut replaced = self.change.text_edit.replacements().iter();
            return !replaced.any(|one| one.span.touches(span));
        }
        match self.change.may_merge {
            true => !span.touches(hull),
            false => span.end() <= hull.start() || span.start() >= hull.end(),
        }
    }

    /// Where what began at `start` begins after the edit: behind what is inserted there.
    fn after(&self, start: usize) -> usize {
        self.change.text_edit.map(start + 1).saturating_sub(1)
    }

    fn is_same(&self, old: &Value, new: &Value) -> bool {
        let same_anchor = match (old.refers_to, new.refers_to) {
            (Some(old), Some(new)) => {
                let is_outside = self.is_outside(Span::new(old, old + 1));
                !is_outside || self.after(old) == new
            }
            (old, new) => old == new,
        };
        same_anchor && (old.says == new.says || old.says_but_break == new.says)
    }

    /// Whether two groups, and those they are in, may be the same.
    fn pair(&mut self, old: usize, new: usize) -> bool {
        let (mut old, mut new) = (old, new);
        loop {
            if self.forth[old] == Some(new) {
                return true;
            }
            let (before, after) = (&self.old.groups[old], &self.new.groups[new]);
            let is_new = self.forth[old].is_none() && self.back[new].is_none();
            if !is_new || before.kind != after.kind || self.has_other_key(before, after) {
                return self.is_renamed(before);
            }
            (self.forth[old], self.back[new]) = (Some(new), Some(old));
            match (before.within, after.within) {
                (Some(above), Some(now)) => (old, new) = (above, now),
                (None, None) => return true,
                _ => return false,
            }
        }
    }

    fn has_other_key(&self, old: &Group, new: &Group) -> bool {
        match (&old.key, &new.key) {
            (Some((span, old)), Some((_, new))) => {
                old != new && self.is_outside(span.clone().into())
            }
            _ => false,
        }
    }

    /// Whether the edit is made in the name of the symbol round a group: the header of its table.
    fn is_renamed(&self, group: &Group) -> bool {
        let hull = self.change.text_edit.hull();
        let chain = self.change.selection.chain();
        let names = chain.iter().filter_map(|node| Some((node, node.tag(&[])?)));
        let mut renamed = names.filter(|(node, tag)| {
            let key = group.key.as_ref();
            let key = key.is_none_or(|(key, _)| node.span().touches(key.clone().into()));
            let name: Span = tag.name.byte_range().into();
            key && name.contains(hull)
        });
        renamed.next().is_some()
    }

    /// Where a pair without a value that is not the place of the edit has one now.
    fn filled(&self) -> Option<Span> {
        let pairs = self.old.groups.iter().zip(&self.forth);
        let filled = pairs.filter_map(|(old, new)| {
            let key = old.key.as_ref().filter(|_| old.is_null);
            let key: Span = key.map(|(key, _)| key.clone().into())?;
            let now = &self.new.groups[(*new)?];
            (!now.is_null && self.is_outside(key)).then_some(key)
        });
        let mut filled = filled.filter(|key| {
            let mut round = self.change.container.iter();
            !round.any(|node| node.span().start() == key.start() && node.tag(&[]).is_some())
        });
        filled.next().map(|key| Span::at(self.after(key.start())))
    }
}
