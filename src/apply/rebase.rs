//! Determines whether an edit of a text that has changed since is still the edit that was shown.
//!
//! Takes the edit as shown, with its original text, and the result of the same request for the current text. The edit
//! is the same if every target and every replaced byte is in the common prefix or suffix of both texts, and if nothing
//! else would be written (`design.md`, section 8). If the target is gone and an identical text remains, this text
//! counts as a different place, and the edit is refused. So is an insertion if the line next to it changed: if text
//! was added there, it is unknown which of the two comes first.

use std::collections::HashMap;

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
    let is_next_to_change = |replacement: &Replacement| {
        let point = insertion_point(replacement, before);
        before != now_text && point.is_some_and(|point| common.touches(before, point))
    };
    let is_same_change = |(shown, now): (&Replacement, &Replacement)| {
        shown.new_text == now.new_text
            && common.is_moved(shown.span, now.span)
            && !is_next_to_change(shown)
    };
    let targets = (shown.targets(), now.targets());
    let changes = (shown.replacements(), now.replacements());
    targets.0.len() == targets.1.len()
        && changes.0.len() == changes.1.len()
        && targets.0.iter().zip(targets.1).all(is_same_target)
        && changes.0.iter().zip(changes.1).all(is_same_change)
}

/// Returns the offset in `before` at which a replacement inserts text, if it removes none.
fn insertion_point(replacement: &Replacement, before: &str) -> Option<usize> {
    let old = before.get(replacement.span.range())?;
    let new = replacement.new_text.as_str();
    let same = |(one, other): &(char, char)| one == other;
    let common = old.chars().zip(new.chars()).take_while(same);
    let front: usize = common.map(|(one, _)| one.len_utf8()).sum();
    let (old_rest, new_rest) = (&old[front..], &new[front..]);
    let is_insertion = new_rest.len() > old_rest.len() && new_rest.ends_with(old_rest);
    is_insertion.then_some(replacement.span.start() + front)
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

    /// Does the same as [`Common::of`] for each part between the lines that both texts certainly have in common: those that
    /// occur once in each, and before or after the same other such lines. Returns the parts that differ, with the lengths of
    /// their new texts.
    pub(super) fn parts(before: &str, now: &str) -> Vec<(Common, usize)> {
        let mut parts = Vec::new();
        let mut start = (0, 0);
        let ends = lines_in_common(before, now).into_iter();
        for (old, new) in ends.chain([(Span::at(before.len()), Span::at(now.len()))]) {
            let (old_part, new_part) = (&before[start.0..old.start()], &now[start.1..new.start()]);
            if old_part != new_part {
                let part = Common::of(old_part.as_bytes(), new_part.as_bytes());
                let new_len = part.replaced().len() + new_part.len() - old_part.len();
                let moved = Common {
                    front: part.front + start.0,
                    back: part.back + start.0,
                    ..part
                };
                parts.push((moved, new_len));
            }
            start = (old.end(), new.end());
        }
        parts
    }

    /// Returns the bytes between prefix and suffix, in the text before the change.
    pub(super) fn replaced(self) -> Span {
        Span::new(self.front, self.back)
    }

    /// Returns the bytes at which it is unknown on which side of the change an insertion is: those that changed, or the
    /// lines that contain them, with the whitespace around them.
    pub(super) fn around(self, before: &str) -> Span {
        let (start, end) = self.changed_lines(before.as_bytes());
        let (start, end) = (start.min(self.front), end.max(self.back));
        let front = before.get(..start).map(str::trim_end);
        let back = before.get(end..).map(str::trim_start);
        Span::new(
            front.map_or(start, str::len),
            back.map_or(end, |back| before.len() - back.len()),
        )
    }

    /// Returns whether at most whitespace is between an offset and the bytes that are not common, or the lines that contain
    /// them: an added line may start or end with the same bytes as the line next to it.
    fn touches(self, before: &str, offset: usize) -> bool {
        let is_blank = |from: usize, to: usize| {
            let between = before.get(from..to);
            between.is_some_and(|between| between.trim().is_empty())
        };
        let (start, end) = self.changed_lines(before.as_bytes());
        is_blank(offset, self.front)
            || is_blank(offset, start)
            || is_blank(self.back, offset)
            || is_blank(end, offset)
    }

    /// Returns the start of the first and the end of the last line of `before` that contain bytes that are not common.
    fn changed_lines(self, before: &[u8]) -> (usize, usize) {
        let is_newline = |byte: &u8| *byte == b'\n';
        let (front, back) = (&before[..self.front], &before[self.back..]);
        let ends_line = before.get(self.front).is_none_or(is_newline);
        let start = match front.iter().rposition(is_newline) {
            _ if ends_line => self.front,
            Some(newline) => newline + 1,
            None => 0,
        };
        let begins_line = before[..self.back].last().is_none_or(is_newline);
        let end = match back.iter().position(is_newline) {
            _ if begins_line => self.back,
            Some(newline) => self.back + newline,
            None => before.len(),
        };
        (start, end)
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

/// Returns the lines, as bytes of both texts, that occur once in each of them, and before or after the same other such
/// lines. Two lines that changed places are left out: it is unknown which of them has moved.
fn lines_in_common(before: &str, now: &str) -> Vec<(Span, Span)> {
    let (old, new) = (lines_that_occur_once(before), lines_that_occur_once(now));
    let pairs = old
        .iter()
        .filter_map(|(line, old)| Some((*old, *new.get(line)?)));
    let mut pairs: Vec<(Span, Span)> = pairs.collect();
    pairs.sort_by_key(|(old, _)| old.start());
    let starts = pairs.iter().map(|(_, new)| new.start());
    let highest = starts.clone().scan(None, |highest, start| {
        let before = *highest;
        *highest = before.max(Some(start));
        Some(before)
    });
    let highest: Vec<Option<usize>> = highest.collect();
    let mut lowest = usize::MAX;
    let mut lines: Vec<(Span, Span)> = Vec::new();
    for (pair, highest) in pairs.into_iter().zip(highest).rev() {
        let start = pair.1.start();
        if highest < Some(start) && start < lowest {
            lines.push(pair);
        }
        lowest = lowest.min(start);
    }
    lines.reverse();
    lines
}

/// Returns the lines, other than blank ones, that occur once in a text, with their bytes.
fn lines_that_occur_once(text: &str) -> HashMap<&str, Span> {
    let mut found: HashMap<&str, Option<Span>> = HashMap::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let span = Span::new(start, start + line.len());
        start = span.end();
        if !line.trim().is_empty() {
            let known = found.entry(line).and_modify(|known| *known = None);
            known.or_insert(Some(span));
        }
    }
    let once = found.into_iter();
    once.filter_map(|(line, span)| Some((line, span?)))
        .collect()
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
    fn an_insertion_touches_a_change_if_only_whitespace_is_between() {
        let touched = |before: &str, now: &str| -> Vec<usize> {
            let common = Common::of(before.as_bytes(), now.as_bytes());
            (0..=before.len())
                .filter(|offset| common.touches(before, *offset))
                .collect()
        };
        // A line is added after the first one: both offsets around its newline touch it.
        assert_eq!(touched("a\nb\nc\n", "a\nx\nb\nc\n"), [1, 2]);
        assert_eq!(touched("a\nb\nc\n", "a\nb\nc\nx\n"), [5, 6]);
        // The added line starts as the one after it, and the last line changes.
        let (before, now) = ("a\nthree\nc\n", "a\nthe\nthree\nd\n");
        assert_eq!(touched(before, now), [1, 2, 4, 9, 10]);
        // `b` changes.
        assert_eq!(touched("a\nb\nc\n", "a\nx\nc\n"), [1, 2, 3, 4]);
    }

    #[test]
    fn a_replacement_that_keeps_its_old_text_is_an_insertion() {
        let point = |before: &str, new_text: &str| {
            let replacement = Replacement {
                span: Span::new(0, before.len()),
                new_text: new_text.into(),
            };
            insertion_point(&replacement, before)
        };
        assert_eq!(point("a\n", "a\nb\n"), Some(2));
        assert_eq!(point("b\n", "a\nb\n"), Some(0));
        assert_eq!(point("", "a"), Some(0));
        assert_eq!(point("ab", "a"), None);
        assert_eq!(point("ab", "ac"), None);
        assert_eq!(point("é", "èé"), Some(0));
    }

    #[test]
    fn a_text_that_did_not_change_is_all_common() {
        // One of several files may be unchanged.
        assert_eq!(places("a a a", "a a", "a a a"), [0]);
        assert_eq!(places("", "", ""), [0]);
    }
}
