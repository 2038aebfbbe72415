//! Determines why a staged edit was not applied on the right side, from the texts alone.

use std::ops::Range;

use treegraft::source::Span;

use crate::habits::commits::overlap;
use crate::replay::history::hunks;
use crate::replay::meaning::{difference, without_whitespace};

use super::places::{Operation, Place};
use super::staged::Applied;

/// The length of the shortest text, without whitespace, that counts as moved or indented.
const SHORTEST: usize = 8;

/// What the right side does to a staged edit, the most severe first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Cause {
    /// The right side makes the same change.
    SameChange,
    /// It changes the bytes that the edit replaces.
    SameText,
    /// It removes the lines of the target, and has them elsewhere.
    Moved,
    /// It changes the whitespace in the lines of the target.
    Indented,
    /// Both sides insert text at the same point.
    SamePoint,
    /// The edit inserts text at the end or the start of text that changed, or the other way around.
    AdjacentText,
    /// The target is unchanged, and the selector selects another place.
    OtherPlace,
    /// The target is unchanged, and the selector is refused.
    Selector,
    /// It changes another part of the selected node or text.
    RestOfTarget,
    /// It changes the node that the edit inserts next to, or into.
    Anchor,
    /// The target is unchanged and selected, but the edit would write other bytes than before.
    Refitted,
    /// The target is unchanged and selected, the edit would write the same bytes, and an adjacent line changed.
    AdjacentLine,
    /// The same, where no adjacent line changed: the file changed both before and after the target.
    BothSides,
}

impl Cause {
    pub(super) fn name(self) -> &'static str {
        match self {
            Cause::SameChange => "same change made",
            Cause::SameText => "replaced text changed",
            Cause::Moved => "target removed, the same lines are elsewhere",
            Cause::Indented => "whitespace of the target changed",
            Cause::SamePoint => "text inserted at the same point",
            Cause::AdjacentText => "text directly next to an insertion changed",
            Cause::OtherPlace => "target unchanged, selector selects another place",
            Cause::Selector => "target unchanged, selector refused",
            Cause::RestOfTarget => "another part of the target changed",
            Cause::Anchor => "node that an insertion is made at changed",
            Cause::Refitted => "target unchanged, edit would write other bytes",
            Cause::AdjacentLine => "target unchanged, adjacent line changed",
            Cause::BothSides => "target unchanged, changes before and after it",
        }
    }
}

/// A hunk of the right side.
struct Change {
    /// The bytes that differ, without the common start and end of the hunk.
    old: Range<usize>,
    new: String,
    /// The lines of the hunk.
    old_lines: Range<usize>,
    new_lines: String,
}

/// Returns why the edit of a place was not applied at once; for an applied edit, what changed at the target or next to
/// it, if anything did.
pub(super) fn cause(base: &str, right: &str, place: &Place, applied: &Applied) -> Option<Cause> {
    let changes = changes(base, right);
    let (replaced, written) = difference(base, &place.wanted);
    let edit = DriftedEdit {
        base,
        right,
        changes: &changes,
        place,
        replaced,
        written: &place.wanted[written.range()],
    };
    let changed = edit.conflict().or_else(|| edit.of_selection());
    changed.or_else(|| edit.unchanged(applied))
}

/// Returns whether a text that the caller was shown lacks text that the right side added.
pub(super) fn overwrites(base: &str, right: &str, fresh: &str) -> bool {
    let added = changes(right, base);
    let removed = changes(right, fresh);
    let mut added = added.iter().map(|change| &change.old);
    added.any(|added| {
        let mut removed = removed.iter().map(|change| &change.old);
        removed.any(|removed| {
            let both = added.start.max(removed.start)..added.end.min(removed.end);
            !right.get(both).unwrap_or_default().trim().is_empty()
        })
    })
}

/// The edit of a place, and what the right side changes.
struct DriftedEdit<'a> {
    base: &'a str,
    right: &'a str,
    changes: &'a [Change],
    place: &'a Place,
    /// The bytes of the base that the edit replaces.
    replaced: Span,
    /// What it writes for them.
    written: &'a str,
}

impl DriftedEdit<'_> {
    /// Returns the cause if the right side changes what the edit replaces, or text directly next to it.
    fn conflict(&self) -> Option<Cause> {
        if self.is_at_same_line() {
            return Some(Cause::SamePoint);
        }
        let replaced = self.replaced.range();
        let change = self
            .changes
            .iter()
            .find(|change| touches(&change.old, self.replaced))?;
        if change.old == replaced && change.new == self.written {
            return Some(Cause::SameChange);
        }
        if change.old.is_empty() && replaced.is_empty() {
            return Some(Cause::SamePoint);
        }
        let lines = without_whitespace(&self.base[lines_around(self.base, self.replaced)]);
        let has_lines = |change: &Change| without_whitespace(&change.new_lines).contains(&lines);
        if lines.len() >= SHORTEST {
            if has_lines(change) {
                return Some(Cause::Indented);
            }
            if self.changes.iter().any(has_lines) {
                return Some(Cause::Moved);
            }
        }
        let is_inside =
            |point: usize, range: &Range<usize>| range.start < point && point < range.end;
        let is_at_end = match (change.old.is_empty(), replaced.is_empty()) {
            (true, _) => !is_inside(change.old.start, &replaced),
            (_, true) => !is_inside(replaced.start, &change.old),
            (false, false) => false,
        };
        Some(match is_at_end {
            true => Cause::AdjacentText,
            false => Cause::SameText,
        })
    }

    /// Returns whether both sides insert whole lines, with at most blank lines between.
    fn is_at_same_line(&self) -> bool {
        let own = &self.place.hunk.old;
        let mut changes = self.changes.iter().map(|change| &change.old_lines);
        own.is_empty()
            && changes.any(|lines| {
                let between = lines.start.min(own.start)..lines.start.max(own.start);
                lines.is_empty() && self.base[between].trim().is_empty()
            })
    }

    /// Returns the cause if the right side changes another part of the selected node or text.
    fn of_selection(&self) -> Option<Cause> {
        let selected = self.place.selected;
        let mut changes = self.changes.iter();
        changes.find(|change| touches(&change.old, selected))?;
        Some(match self.place.operation() {
            Operation::Insert => Cause::Anchor,
            _ => Cause::RestOfTarget,
        })
    }

    /// Returns the cause if the right side leaves the target.
    fn unchanged(&self, applied: &Applied) -> Option<Cause> {
        let fresh = match applied {
            Applied::Written(_) => return self.has_adjacent_line().then_some(Cause::AdjacentLine),
            Applied::Refused(_) => return Some(Cause::Selector),
            Applied::Allowed(fresh) | Applied::Fresh(fresh) => fresh,
        };
        let start = self.moved(self.replaced.start());
        let end = start + self.replaced.len();
        let (front, back) = (&self.right[..start], &self.right[end..]);
        if *fresh == format!("{front}{}{back}", self.written) {
            return Some(match self.has_adjacent_line() {
                true => Cause::AdjacentLine,
                false => Cause::BothSides,
            });
        }
        let (other, _) = difference(self.right, fresh);
        let selected = self.place.selected;
        let selected = self.moved(selected.start())..self.moved(selected.end());
        let is_near = touches(&selected, other) || touches(&(start..end), other);
        Some(match is_near || self.has_adjacent_line() {
            true => Cause::Refitted,
            false => Cause::OtherPlace,
        })
    }

    /// Returns where an offset of the base is on the right side.
    fn moved(&self, offset: usize) -> usize {
        let before = self.changes.iter();
        let before = before.filter(|change| change.old.end <= offset);
        before.fold(offset, |at, change| {
            (at + change.new.len()).saturating_sub(change.old.len())
        })
    }

    fn has_adjacent_line(&self) -> bool {
        let own = &self.place.hunk.old;
        let mut changes = self.changes.iter().map(|change| &change.old_lines);
        changes.any(|lines| lines.start <= own.end && own.start <= lines.end)
    }
}

/// Returns what the right side changes.
fn changes(base: &str, right: &str) -> Vec<Change> {
    let hunks = hunks(base, right).into_iter();
    let changes = hunks.map(|hunk| {
        let (from, to) = difference(&base[hunk.old.clone()], &hunk.new);
        Change {
            old: hunk.old.start + from.start()..hunk.old.start + from.end(),
            new: hunk.new[to.range()].to_string(),
            old_lines: hunk.old,
            new_lines: hunk.new,
        }
    });
    changes.collect()
}

/// Returns the lines that contain a span.
fn lines_around(text: &str, span: Span) -> Range<usize> {
    let start = text[..span.start()].rfind('\n').map_or(0, |at| at + 1);
    let end = text[span.end()..].find('\n');
    start..end.map_or(text.len(), |at| span.end() + at)
}

/// Returns whether two ranges have a byte in common, or one is empty and inside the other or at its end.
fn touches(one: &Range<usize>, other: Span) -> bool {
    let other = other.range();
    match one.is_empty() || other.is_empty() {
        true => one.start <= other.end && other.start <= one.end,
        false => overlap(one.clone(), &other),
    }
}
