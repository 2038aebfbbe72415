//! Determines why a staged edit was not applied on the right side, from the texts alone.

use std::ops::Range;

use treegraft::source::Span;

use crate::habits::commits::overlap;
use crate::replay::history::hunks;
use crate::replay::meaning::difference;

use super::places::Place;
use super::staged::Applied;

/// The length of the shortest text that counts as moved.
const SHORTEST_MOVED: usize = 20;

/// Why a staged edit was not applied, the most severe first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Cause {
    /// The right side makes the same change.
    SameChange,
    /// The right side removes the target, and its text is elsewhere.
    TargetMoved,
    /// The right side changes the bytes that the edit replaces.
    SameText,
    /// It changes another part of the selected node or text.
    RestOfTarget,
    /// The target is unchanged, and the selector selects another place.
    OtherPlace,
    /// The target is unchanged, and the selector is refused.
    Selector,
    /// The target is unchanged and selected, and an adjacent line changed. The edit would write other bytes than before.
    FittedToAdjacent,
    /// The same, where no adjacent line changed.
    FittedToOther,
    /// The target is unchanged and selected, the edit would write the same bytes, and an adjacent line changed.
    AdjacentLine,
    /// The same, where no adjacent line changed: the file changed both before and after the target.
    BothSides,
}

impl Cause {
    pub(super) fn name(self) -> &'static str {
        match self {
            Cause::SameChange => "the right side makes the same change",
            Cause::TargetMoved => "the target moved within the file",
            Cause::SameText => "the text that the edit replaces changed",
            Cause::RestOfTarget => "another part of the target changed",
            Cause::OtherPlace => "target unchanged, but the selector selects another place",
            Cause::Selector => "target unchanged, but the selector is refused",
            Cause::FittedToAdjacent => {
                "target unchanged; a line next to it changed, and the edit would write other bytes"
            }
            Cause::FittedToOther => {
                "target unchanged; the file changed elsewhere, and the edit would write other bytes"
            }
            Cause::AdjacentLine => {
                "target unchanged; a line next to it changed, and the edit would write the same bytes"
            }
            Cause::BothSides => {
                "target unchanged; the file changed before and after it, and the edit would write the same bytes"
            }
        }
    }
}

/// A run of bytes that the right side replaces.
struct Change {
    /// In the base.
    old: Range<usize>,
    new: String,
    /// The lines of the base that contain it.
    lines: Range<usize>,
}

/// Returns why the edit of a place was not applied alone. Returns `None` if it was.
pub(super) fn cause(base: &str, right: &str, place: &Place, applied: &Applied) -> Option<Cause> {
    if matches!(applied, Applied::Written(_)) {
        return None;
    }
    let changes = changes(base, right);
    let (replaced, written) = difference(base, &place.wanted);
    let written = &place.wanted[written.range()];
    let target = hull(place.target, replaced);
    let touching = |span: Span| {
        changes
            .iter()
            .filter(move |change| touches(&change.old, span))
    };
    if let Some(change) = touching(replaced).next() {
        let is_same = change.old == replaced.range() && change.new == written;
        return Some(match (is_same, is_moved(base, &changes, place.target)) {
            (true, _) => Cause::SameChange,
            (false, true) => Cause::TargetMoved,
            (false, false) => Cause::SameText,
        });
    }
    if touching(target).next().is_some() {
        return Some(match is_moved(base, &changes, place.target) {
            true => Cause::TargetMoved,
            false => Cause::RestOfTarget,
        });
    }
    let Applied::Fresh(fresh) = applied else {
        return Some(Cause::Selector);
    };
    // The target is unchanged: it is where the changes before it moved it.
    let moved = |offset: usize| {
        let before = changes.iter().filter(|change| change.old.end <= offset);
        before.fold(offset, |at, change| {
            (at + change.new.len()).saturating_sub(change.old.len())
        })
    };
    let now = moved(replaced.start())..moved(replaced.start()) + replaced.len();
    let wanted = format!("{}{written}{}", &right[..now.start], &right[now.end..]);
    let has_adjacent = changes
        .iter()
        .any(|change| change.lines.start <= place.hunk.old.end && place.hunk.old.start <= change.lines.end);
    let (fresh_span, _) = difference(right, fresh);
    let is_near = touches(&(moved(target.start())..moved(target.end())), fresh_span);
    Some(match (*fresh == wanted, has_adjacent) {
        (true, true) => Cause::AdjacentLine,
        (true, false) => Cause::BothSides,
        (false, true) if is_near => Cause::FittedToAdjacent,
        (false, false) if is_near => Cause::FittedToOther,
        (false, _) => Cause::OtherPlace,
    })
}

/// Returns what the right side changes, hunk by hunk, without the common start and end of each.
fn changes(base: &str, right: &str) -> Vec<Change> {
    let hunks = hunks(base, right).into_iter();
    let changes = hunks.map(|hunk| {
        let old = &base[hunk.old.clone()];
        let (from, to) = difference(old, &hunk.new);
        Change {
            old: hunk.old.start + from.start()..hunk.old.start + from.end(),
            new: hunk.new[to.range()].to_string(),
            lines: hunk.old,
        }
    });
    changes.collect()
}

/// Returns whether two ranges have a byte in common, or one is empty and inside the other or at its end.
fn touches(one: &Range<usize>, other: Span) -> bool {
    let other = other.range();
    match one.is_empty() || other.is_empty() {
        true => one.start <= other.end && other.start <= one.end,
        false => overlap(one.clone(), &other),
    }
}

fn hull(one: Span, other: Span) -> Span {
    let start = one.start().min(other.start());
    Span::new(start, one.end().max(other.end()))
}

/// Returns whether the changes remove a target and add its text elsewhere.
fn is_moved(base: &str, changes: &[Change], target: Span) -> bool {
    let text = base[target.range()].trim();
    let is_removed = |change: &Change| {
        change.old.start <= target.start() && target.end() <= change.old.end
    };
    text.len() >= SHORTEST_MOVED
        && changes.iter().any(is_removed)
        && changes.iter().any(|change| change.new.contains(text))
}
