//! Determines whether an edit of a text that has changed since is still the edit that was shown.
//!
//! Takes the edit as shown, with its original text, and the result of the same request for the current text. The edit
//! is the same if every target and every replaced byte is in the common prefix or suffix of both texts, and if nothing
//! else would be written (`design.md`, section 8). If the target is gone and an identical text remains, this text
//! counts as a different place, and the edit is refused.

use crate::change::{Replacement, Target};
use crate::preview::PreviewRecord;
use crate::source::Span;

/// The common prefix and suffix of two texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Common {
    /// The length of the prefix in bytes.
    front: usize,
    /// The offset of the suffix in the text before the change.
    back: usize,
    /// The number of bytes by which the suffix has moved.
    shift: isize,
}

/// Returns whether `now`, made from the text `now_text`, is the edit that was `shown` for the text `before`.
pub fn is_the_same(
    shown: &PreviewRecord,
    before: &str,
    now: &PreviewRecord,
    now_text: &str,
) -> bool {
    let common = Common::of(before.as_bytes(), now_text.as_bytes());
    let is_same_target = |(shown, now): (&Target, &Target)| {
        shown.node_type() == now.node_type() && common.is_moved(shown.span(), now.span())
    };
    let is_same_change = |(shown, now): (&Replacement, &Replacement)| {
        shown.new_text == now.new_text && common.is_moved(shown.span, now.span)
    };
    let targets = (shown.targets(), now.targets());
    let changes = (shown.replacements(), now.replacements());
    targets.0.len() == targets.1.len()
        && changes.0.len() == changes.1.len()
        && targets.0.iter().zip(targets.1).all(is_same_target)
        && changes.0.iter().zip(changes.1).all(is_same_change)
}

impl Common {
    pub(super) fn of(before: &[u8], now: &[u8]) -> Common {
        if before == now {
            return Common {
                front: before.len(),
                back: before.len(),
                shift: 0,
            };
        }
        let shorter = before.len().min(now.len());
        let same = |(one, other): &(&u8, &u8)| one == other;
        let longest_front = before.iter().zip(now).take_while(same).count();
        let backwards = before.iter().rev().zip(now.iter().rev());
        let longest_back = backwards.take_while(same).count();
        // If prefix and suffix could overlap, the change is ambiguous: of two identical texts, either one may be the
        // removed one. Only bytes that are common in every interpretation count.
        let front = longest_front.min(shorter - longest_back.min(shorter));
        let back = longest_back.min(shorter - longest_front.min(shorter));
        Common {
            front,
            back: before.len() - back,
            shift: now.len() as isize - before.len() as isize,
        }
    }

    /// Returns the bytes between prefix and suffix, in the text before the change.
    pub(super) fn replaced(self) -> Span {
        Span::new(self.front, self.back)
    }

    /// Returns whether `before` is in the common prefix or suffix, and `now` is the corresponding span.
    fn is_moved(self, before: Span, now: Span) -> bool {
        let in_prefix = before.end() <= self.front && now == before;
        let in_suffix = before.start() >= self.back && {
            let moved = |offset: usize| offset.checked_add_signed(self.shift);
            (moved(before.start()), moved(before.end())) == (Some(now.start()), Some(now.end()))
        };
        in_prefix || in_suffix
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the offsets in `now` that correspond to the first occurrence of `target` in `before`.
    fn places(before: &str, target: &str, now: &str) -> Vec<usize> {
        let start = before.find(target).expect("the text holds the target");
        let common = Common::of(before.as_bytes(), now.as_bytes());
        let span = |start| Span::new(start, start + target.len());
        (0..=now.len().saturating_sub(target.len()))
            .filter(|place| common.is_moved(span(start), span(*place)))
            .collect()
    }

    #[test]
    fn text_before_the_change_stays_and_text_after_it_moves() {
        assert_eq!(places("a b c d", "b", "a b xx d"), [2]);
        assert_eq!(places("a b c d", "d", "a b xx d"), [7]);
        assert_eq!(places("a b c d", "c", "a b xx d"), [0; 0]);
    }

    #[test]
    fn of_two_twins_the_one_that_is_left_is_nobodys_target() {
        assert_eq!(places("t;t;", "t;", "t;"), [0; 0]);
        assert_eq!(places("a t; t; b", "t; ", "a t; b"), [0; 0]);
        // An added identical text has the same effect: either one may be the old one.
        assert_eq!(places("t;", "t;", "t;t;"), [0; 0]);
    }

    #[test]
    fn a_change_on_both_sides_leaves_no_common_place() {
        assert_eq!(places("a t b", "t", "x t y"), [0; 0]);
    }

    #[test]
    fn a_text_that_did_not_change_is_all_common() {
        // One of several files may be unchanged.
        assert_eq!(places("a a a", "a a", "a a a"), [0]);
        assert_eq!(places("", "", ""), [0]);
    }
}
