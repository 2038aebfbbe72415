//! Determines what the right side changed at the place of a staged edit, from the texts alone.

use std::ops::Range;

use treegraft::source::Span;

use crate::history::hunks;
use crate::text::{difference, line_start, overlap, without_whitespace};

use super::places::Place;
use super::staged::Applied;

/// The length of the shortest text, without whitespace, that counts as moved or indented.
const SHORTEST: usize = 8;

/// A hunk of the right side.
struct Change {
    /// The bytes that differ, without the common start and end of the hunk.
    old: Range<usize>,
    new: String,
    /// The lines of the hunk.
    old_lines: Range<usize>,
    new_lines: String,
}

/// The edit of a place, and what the right side changes.
struct Drifted<'a> {
    base: &'a str,
    right: &'a str,
    changes: Vec<Change>,
    place: &'a Place,
    /// The bytes of the base that the edit replaces.
    replaced: Span,
    /// What it writes for them.
    written: &'a str,
}

/// Returns what the right side changes at the place of an edit, the most severe first: text that the edit replaces, another
/// part of what it selects, or nothing of both.
pub(super) fn situation(base: &str, right: &str, place: &Place, applied: &Applied) -> &'static str {
    let (replaced, written) = difference(base, &place.wanted);
    let drifted = Drifted {
        base,
        right,
        changes: changes(base, right),
        place,
        replaced,
        written: &place.wanted[written.range()],
    };
    let conflict = drifted.conflict();
    conflict.unwrap_or_else(|| drifted.without_conflict(applied))
}

/// Returns whether a text that the caller was shown lacks text that the right side added.
pub(super) fn overwrites(base: &str, right: &str, fresh: &str) -> bool {
    let removed = changes(right, fresh);
    changes(right, base).iter().any(|added| {
        removed.iter().any(|removed| {
            let (added, removed) = (&added.old, &removed.old);
            let both = added.start.max(removed.start)..added.end.min(removed.end);
            !right.get(both).unwrap_or_default().trim().is_empty()
        })
    })
}

impl Drifted<'_> {
    /// Returns the situation if the right side changes what the edit replaces, or text directly next to it.
    fn conflict(&self) -> Option<&'static str> {
        const SAME_POINT: &str = "text inserted at the same point";
        let (own, replaced) = (&self.place.hunk.old, self.replaced.range());
        // Both sides insert whole lines, with at most blank lines between.
        let is_same_line = own.is_empty()
            && self.changes.iter().any(|change| {
                let lines = &change.old_lines;
                let between = lines.start.min(own.start)..lines.start.max(own.start);
                lines.is_empty() && self.base[between].trim().is_empty()
            });
        if is_same_line {
            return Some(SAME_POINT);
        }
        let mut changes = self.changes.iter();
        let change = changes.find(|change| touches(&change.old, self.replaced))?;
        if change.old == replaced && change.new == self.written {
            return Some("same change made");
        }
        if change.old.is_empty() && replaced.is_empty() {
            return Some(SAME_POINT);
        }
        let lines = without_whitespace(&self.base[lines_around(self.base, self.replaced)]);
        let has_lines = |change: &Change| without_whitespace(&change.new_lines).contains(&lines);
        if lines.len() >= SHORTEST && has_lines(change) {
            return Some("whitespace of the target changed");
        }
        if lines.len() >= SHORTEST && self.changes.iter().any(has_lines) {
            return Some("target removed, the same lines are elsewhere");
        }
        let is_inside =
            |point: usize, range: &Range<usize>| range.start < point && point < range.end;
        let is_next = match (change.old.is_empty(), replaced.is_empty()) {
            (true, _) => !is_inside(change.old.start, &replaced),
            (_, true) => !is_inside(replaced.start, &change.old),
            (false, false) => false,
        };
        Some(match is_next {
            true => "text directly next to an insertion changed",
            false => "replaced text changed",
        })
    }

    /// Returns the situation if the right side changes another part of the selected node or text, or leaves it.
    fn without_conflict(&self, applied: &Applied) -> &'static str {
        const ADJACENT: &str = "target unchanged, adjacent line changed";
        let selected = self.place.selected;
        let mut changes = self.changes.iter();
        if changes.any(|change| touches(&change.old, selected)) {
            return match self.place.operation() {
                "insert" => "node that an insertion is made at changed",
                _ => "another part of the target changed",
            };
        }
        let own = &self.place.hunk.old;
        let mut changes = self.changes.iter().map(|change| &change.old_lines);
        let is_adjacent = changes.any(|lines| lines.start <= own.end && own.start <= lines.end);
        let fresh = match applied {
            Applied::Written(_) if is_adjacent => return ADJACENT,
            Applied::Written(_) => return "nothing changed at the target or next to it",
            Applied::Refused(_) => return "target unchanged, selector refused",
            Applied::Allowed(fresh) | Applied::Fresh(fresh) => fresh,
        };
        let start = self.moved(self.replaced.start());
        let end = start + self.replaced.len();
        let (front, back) = (&self.right[..start], &self.right[end..]);
        if *fresh == format!("{front}{}{back}", self.written) {
            return match is_adjacent {
                true => ADJACENT,
                false => "target unchanged, changes before and after it",
            };
        }
        let (other, _) = difference(self.right, fresh);
        let selected = self.moved(selected.start())..self.moved(selected.end());
        match touches(&selected, other) || touches(&(start..end), other) || is_adjacent {
            true => "target unchanged, edit would write other bytes",
            false => "target unchanged, selector selects another place",
        }
    }

    /// Returns where an offset of the base is on the right side.
    fn moved(&self, offset: usize) -> usize {
        let before = self.changes.iter();
        let before = before.filter(|change| change.old.end <= offset);
        before.fold(offset, |at, change| {
            (at + change.new.len()).saturating_sub(change.old.len())
        })
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
    let end = text[span.end()..].find('\n');
    line_start(text, span.start())..end.map_or(text.len(), |at| span.end() + at)
}

/// Returns whether two ranges have a byte in common, or one is empty and inside the other or at its end.
fn touches(one: &Range<usize>, other: Span) -> bool {
    let other = other.range();
    match one.is_empty() || other.is_empty() {
        true => one.start <= other.end && other.start <= one.end,
        false => overlap(one, &other),
    }
}
