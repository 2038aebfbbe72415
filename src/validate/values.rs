//! Checks that every value outside an edit of data is unchanged and at its place, as the language's own parser reads
//! it.
//!
//! The tree of a grammar may be wrong where columns matter; the language's own parser determines the values and their
//! collections. Collections are identified by their values: the values of one old collection must all be in one new
//! collection, and that collection has no values of another one.

use std::collections::HashMap;

use crate::language::strict::{Data, Group, Value};
use crate::source::Span;

use super::comparison::Comparison;

/// Returns where a value outside the edit changes or moves to another collection, in the text after the edit. Returns
/// `None` if one of the two texts cannot be parsed.
pub(super) fn changed(change: &Comparison<'_, '_>) -> Option<Span> {
    let (old, new) = (change.before.data()?, change.after.data()?);
    let mut pairing = Pairing {
        change,
        old,
        new,
        new_of_old: vec![None; old.groups.len()],
        old_of_new: vec![None; new.groups.len()],
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
        let start = pairing.change.text_edit.map_start(value.span.start);
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
    /// The new group of each old one, and the old group of each new one.
    new_of_old: Vec<Option<usize>>,
    old_of_new: Vec<Option<usize>>,
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

    fn is_same(&self, old: &Value, new: &Value) -> bool {
        let same_anchor = match (old.refers_to, new.refers_to) {
            (Some(old), Some(new)) => {
                let is_outside = self.is_outside(Span::new(old, old + 1));
                !is_outside || self.change.text_edit.map_start(old) == new
            }
            (old, new) => old == new,
        };
        same_anchor && (old.says == new.says || old.says_but_break == new.says)
    }

    /// Returns whether two groups, and their enclosing groups, may be the same.
    fn pair(&mut self, old: usize, new: usize) -> bool {
        let (mut old, mut new) = (old, new);
        loop {
            if self.new_of_old[old] == Some(new) {
                return true;
            }
            let (before, after) = (&self.old.groups[old], &self.new.groups[new]);
            let is_new = self.new_of_old[old].is_none() && self.old_of_new[new].is_none();
            if !is_new || before.kind != after.kind || self.has_other_key(before, after) {
                return self.is_renamed(before);
            }
            (self.new_of_old[old], self.old_of_new[new]) = (Some(new), Some(old));
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

    /// Returns whether the edit is made in the name of the symbol around a group: the header of its table.
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

    /// Returns where a pair outside the edit had no value and now has one.
    fn filled(&self) -> Option<Span> {
        let pairs = self.old.groups.iter().zip(&self.new_of_old);
        let filled = pairs.filter_map(|(old, new)| {
            let key = old.key.as_ref().filter(|_| old.is_null);
            let key: Span = key.map(|(key, _)| key.clone().into())?;
            let now = &self.new.groups[(*new)?];
            (!now.is_null && self.is_outside(key)).then_some(key)
        });
        let mut filled = filled.filter(|key| {
            let mut enclosing = self.change.container.iter();
            !enclosing.any(|node| node.span().start() == key.start() && node.tag(&[]).is_some())
        });
        let key = filled.next()?;
        Some(Span::at(self.change.text_edit.map_start(key.start())))
    }
}
