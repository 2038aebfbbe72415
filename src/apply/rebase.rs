//! Compares an edit that is planned again in a changed text with the edit that was shown.
//!
//! Takes the edit as shown, with its original text, and the result of the same request for the current text. The edit
//! is the same if every target and every replaced byte is in the common prefix or suffix of both texts, and if nothing
//! else would be written (`design.md`, section 8). If the target is gone and an identical text remains, this text
//! counts as a different place. So does an insertion if the line next to it changed: if text was added there, it is
//! unknown which of the two comes first.
//!
//! If the texts differ both before and after the target, the caller is asked at most: where the target is between lines
//! that both texts certainly have in common, or where it is several whole lines that both texts have once. In either case,
//! it must be in the same symbol, and in nodes of the same types.

use std::collections::HashMap;

use crate::change::{Replacement, Target};
use crate::parse::{Node, Parsed};
use crate::preview::PreviewRecord;
use crate::source::{Source, Span};

/// How an edit that is planned again in a changed text compares with the edit that was shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rebase {
    /// It is the same edit.
    Same,
    /// It makes the same change to the same node, whose surroundings changed. The caller decides.
    Around,
    /// It is another edit.
    Other,
}

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

/// The parts in which two texts differ, in file order.
struct Parts(Vec<Common>);

/// An edit that was shown and the result of the same request for the current text, each with its text.
struct Compared<'a> {
    shown: &'a PreviewRecord,
    before: &'a Source,
    now: &'a PreviewRecord,
    now_file: &'a Parsed,
}

/// Compares the edit `now`, planned in `now_file`, with the edit that was `shown` for the text `before`.
pub fn compare(
    shown: &PreviewRecord,
    before: &Source,
    now: &PreviewRecord,
    now_file: &Parsed,
) -> Rebase {
    let compared = Compared {
        shown,
        before,
        now,
        now_file,
    };
    let (before, now_text) = (before.text(), now_file.source().text());
    let is_same_count = shown.targets().len() == now.targets().len()
        && shown.replacements().len() == now.replacements().len();
    if !is_same_count {
        return Rebase::Other;
    }
    let common = Common::of(before.as_bytes(), now_text.as_bytes());
    let touches = |points| before != now_text && common.touches_any(before, points);
    if compared.is_moved(|shown, now| common.is_moved(shown, now), touches) {
        return Rebase::Same;
    }
    let parts = Parts::of(before, now_text);
    let touches = |points| {
        let mut parts = parts.0.iter();
        parts.any(|part| part.touches_any(before, points))
    };
    let is_kept = compared.is_moved(|shown, now| parts.moved(shown) == Some(now), touches)
        && !compared
            .targets()
            .any(|(shown, _)| parts.surround(before, shown.span()));
    match (is_kept || compared.is_of_lone_nodes()) && compared.has_same_parents() {
        true => Rebase::Around,
        false => Rebase::Other,
    }
}

impl Compared<'_> {
    fn targets(&self) -> impl Iterator<Item = (&Target, &Target)> {
        self.shown.targets().iter().zip(self.now.targets())
    }

    fn replacements(&self) -> impl Iterator<Item = (&Replacement, &Replacement)> {
        let shown = self.shown.replacements().iter();
        shown.zip(self.now.replacements())
    }

    /// Returns whether both edits have the same targets and replacements. `is_moved` compares the spans of both texts,
    /// and `touches` returns whether one of the offsets from the start to the end of a span of the text before is next to
    /// a change.
    fn is_moved(
        &self,
        is_moved: impl Fn(Span, Span) -> bool,
        touches: impl Fn(Span) -> bool,
    ) -> bool {
        let text = self.before.text();
        let is_next_to_change =
            |shown: &Replacement| insertion_points(shown, text).is_some_and(&touches);
        let is_same_target = |(shown, now): (&Target, &Target)| {
            shown.node_type() == now.node_type() && is_moved(shown.span(), now.span())
        };
        let is_same_change = |(shown, now): (&Replacement, &Replacement)| {
            shown.new_text == now.new_text
                && is_moved(shown.span, now.span)
                && !is_next_to_change(shown)
        };
        self.targets().all(is_same_target) && self.replacements().all(is_same_change)
    }

    /// Returns whether each target is in the same symbol in both texts, and in nodes of the same types.
    fn has_same_parents(&self) -> bool {
        let before = Parsed::parse(self.before.clone());
        self.targets().all(|(shown, now)| {
            let (shown, now) = (before.chain(shown.span()), self.now_file.chain(now.span()));
            let node_types = |chain: &[Node<'_>]| -> Vec<String> {
                let nodes = chain.iter();
                nodes.map(|node| node.kind().to_string()).collect()
            };
            node_types(&shown) == node_types(&now)
                && before.symbol_path(&shown) == self.now_file.symbol_path(&now)
        })
    }

    /// Returns whether both edits change the same bytes of the same nodes, wherever these are: each node is several whole
    /// lines that both texts have once. A single line that moved may be another one that only reads the same.
    fn is_of_lone_nodes(&self) -> bool {
        self.targets().all(|(shown, now)| self.is_lone(shown, now))
            && self
                .replacements()
                .all(|(shown, now)| self.is_within_targets(shown, now))
    }

    fn is_lone(&self, shown: &Target, now: &Target) -> bool {
        let (text, now_text) = (self.before.text(), self.now_file.source().text());
        let own = &text[shown.span().range()];
        shown.node_type() == now.node_type()
            && own == &now_text[now.span().range()]
            && own.trim().contains('\n')
            && is_whole_lines(text, shown.span())
            && is_whole_lines(now_text, now.span())
            && occurs_once(text, own)
            && occurs_once(now_text, own)
    }

    /// Returns whether a replacement is at the same place of the same target in both texts. An insertion must be inside it,
    /// since the text around the target may have changed.
    fn is_within_targets(&self, shown: &Replacement, now: &Replacement) -> bool {
        let text = self.before.text();
        let is_within = |(shown_target, now_target): (&Target, &Target)| {
            let (target, now_start) = (shown_target.span(), now_target.span().start());
            let place = |span: Span, start| Some((span.start().checked_sub(start)?, span.len()));
            let is_inside =
                |points: Span| target.start() < points.start() && points.end() < target.end();
            target.contains(shown.span)
                && place(shown.span, target.start()) == place(now.span, now_start)
                && insertion_points(shown, text).is_none_or(is_inside)
        };
        shown.new_text == now.new_text && self.targets().any(is_within)
    }
}

fn occurs_once(text: &str, part: &str) -> bool {
    text.find(part) == text.rfind(part)
}

/// Returns the lines that contain a span, with the last newline.
fn lines_around(text: &str, span: Span) -> Span {
    let start = text[..span.start()].rfind('\n').map_or(0, |at| at + 1);
    let end = text[span.end()..].find('\n');
    Span::new(start, end.map_or(text.len(), |at| span.end() + at + 1))
}

/// Returns whether a span has only whitespace around it on its first and last line.
fn is_whole_lines(text: &str, span: Span) -> bool {
    let before = text[..span.start()].rsplit('\n').next();
    let after = text[span.end()..].split('\n').next();
    [before, after]
        .into_iter()
        .flatten()
        .all(|rest| rest.trim().is_empty())
}

impl Parts {
    /// Returns the parts of two texts between the lines that both certainly have in common: those that occur once in each,
    /// and before or after the same other such lines. Within a single line of which at least half of the words are left,
    /// words count in the same way.
    fn of(before: &str, now: &str) -> Parts {
        let mut parts = Vec::new();
        for (old, new) in differences(before, now, lines) {
            let (old_text, new_text) = (&before[old.range()], &now[new.range()]);
            let is_line = |text: &str| text.trim_end().lines().count() == 1;
            let is_changed_line =
                is_line(old_text) && is_line(new_text) && keeps_words(old_text, new_text);
            let split: Split = match is_changed_line {
                true => words,
                false => lines,
            };
            for (old_part, new_part) in differences(old_text, new_text, split) {
                let in_text =
                    |part: Span, start| Span::new(part.start() + start, part.end() + start);
                let (old_part, new_part) = (
                    in_text(old_part, old.start()),
                    in_text(new_part, new.start()),
                );
                parts.push(Common::between(before, now, old_part, new_part));
            }
        }
        Parts(parts)
    }

    /// Returns whether a span is in one line of the text before, and both the lines before and after it changed. That line
    /// may be another one that only reads the same.
    fn surround(&self, before: &str, span: Span) -> bool {
        let line = lines_around(before, span);
        let is_blank = |from: usize, to: usize| {
            let between = before.get(from..to);
            between.is_some_and(|between| between.trim().is_empty())
        };
        let mut changed = (false, false);
        for part in &self.0 {
            let (start, end) = part.changed_lines(before.as_bytes());
            changed.0 |= is_blank(end, line.start());
            changed.1 |= is_blank(line.end(), start);
        }
        let is_one_line = !before[line.range()].trim_end().contains('\n');
        is_one_line && changed == (true, true)
    }

    /// Returns where a span of the text before is now. Returns `None` if a part of it changed, or may have.
    fn moved(&self, span: Span) -> Option<Span> {
        let mut shift = 0;
        for part in &self.0 {
            let changed = part.replaced();
            if changed.end() <= span.start() {
                shift += part.shift;
            } else if changed.start() < span.end() {
                return None;
            }
        }
        let moved = |offset: usize| offset.checked_add_signed(shift);
        Some(Span::new(moved(span.start())?, moved(span.end())?))
    }
}

/// Returns the offsets in `before` at which a replacement inserts text, if it removes none: those from the start to the end of
/// the span. There are several if the inserted text begins or ends as the text next to it: inserting `b` after the first
/// or the second letter of `ab` has the same result.
fn insertion_points(replacement: &Replacement, before: &str) -> Option<Span> {
    let old = before.get(replacement.span.range())?;
    let new = replacement.new_text.as_str();
    let same = |(one, other): &(char, char)| one == other;
    let common = old.chars().zip(new.chars()).take_while(same);
    let front: usize = common.map(|(one, _)| one.len_utf8()).sum();
    let (old_rest, new_rest) = (&old[front..], &new[front..]);
    let inserted = new_rest
        .strip_suffix(old_rest)
        .filter(|text| !text.is_empty())?;
    let point = replacement.span.start() + front;
    let length = |(one, _): (char, char)| one.len_utf8();
    // Moved by its whole length, the inserted text follows itself.
    let inserted: Vec<char> = inserted.chars().collect();
    let backwards = inserted.iter().rev().copied().cycle();
    let left = before[..point].chars().rev().zip(backwards);
    let right = before[point..]
        .chars()
        .zip(inserted.iter().copied().cycle());
    let left: usize = left.take_while(same).map(length).sum();
    let right: usize = right.take_while(same).map(length).sum();
    Some(Span::new(point - left, point + right))
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
        let parts = differences(before, now, lines).into_iter();
        let parts = parts.map(|(old, new)| {
            let part = Common::between(before, now, old, new);
            (part, part.replaced().len() + new.len() - old.len())
        });
        parts.collect()
    }

    /// Does the same as [`Common::of`] for a part of each text.
    fn between(before: &str, now: &str, old: Span, new: Span) -> Common {
        let (old_text, new_text) = (&before[old.range()], &now[new.range()]);
        let part = Common::of(old_text.as_bytes(), new_text.as_bytes());
        Common {
            front: part.front + old.start(),
            back: part.back + old.start(),
            ..part
        }
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

    /// Returns whether this is true for one of the offsets from the start to the end of a span.
    fn touches_any(self, before: &str, offsets: Span) -> bool {
        let is_within = self.front <= offsets.end() && offsets.start() <= self.back;
        is_within || self.touches(before, offsets.start()) || self.touches(before, offsets.end())
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

/// Returns the parts in which two texts differ: those between the pieces that both certainly have in common.
fn differences(before: &str, now: &str, split: Split) -> Vec<(Span, Span)> {
    let mut parts = Vec::new();
    let mut start = (0, 0);
    let ends = in_common(before, now, split).into_iter();
    for (old, new) in ends.chain([(Span::at(before.len()), Span::at(now.len()))]) {
        let part = (
            Span::new(start.0, old.start()),
            Span::new(start.1, new.start()),
        );
        if before[part.0.range()] != now[part.1.range()] {
            parts.push(part);
        }
        start = (old.end(), new.end());
    }
    parts
}

/// Returns the pieces, as bytes of both texts, that occur once in each of them, and before or after the same other such
/// pieces. Two pieces that changed places are left out: it is unknown which of them has moved.
fn in_common(before: &str, now: &str, split: Split) -> Vec<(Span, Span)> {
    let (old, new) = (occurring_once(before, split), occurring_once(now, split));
    let pairs = old
        .iter()
        .filter_map(|(piece, old)| Some((*old, *new.get(piece)?)));
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
    let mut common: Vec<(Span, Span)> = Vec::new();
    for (pair, highest) in pairs.into_iter().zip(highest).rev() {
        let start = pair.1.start();
        if highest < Some(start) && start < lowest {
            common.push(pair);
        }
        lowest = lowest.min(start);
    }
    common.reverse();
    common
}

/// Returns the pieces, other than blank ones, that occur once in a text, with their bytes.
fn occurring_once(text: &str, split: Split) -> HashMap<&str, Span> {
    let mut found: HashMap<&str, Option<Span>> = HashMap::new();
    let mut start = 0;
    for piece in split(text) {
        let span = Span::new(start, start + piece.len());
        start = span.end();
        if !piece.trim().is_empty() {
            let known = found.entry(piece).and_modify(|known| *known = None);
            known.or_insert(Some(span));
        }
    }
    let once = found.into_iter();
    once.filter_map(|(piece, span)| Some((piece, span?)))
        .collect()
}

/// Divides a text into consecutive pieces.
type Split = fn(&str) -> Vec<&str>;

fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Divides a text into words and what is between them.
fn words(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|c| is_word(c) != is_word(first));
        let (piece, others) = rest.split_at(end.unwrap_or(rest.len()));
        pieces.push(piece);
        rest = others;
    }
    pieces
}

/// Returns whether a text has at least half of the words of another one that occur once there.
fn keeps_words(before: &str, now: &str) -> bool {
    let starts_word = |piece: &str| piece.starts_with(is_word);
    let all = occurring_once(before, words);
    let all = all.keys().filter(|piece| starts_word(piece)).count();
    let common = in_common(before, now, words).into_iter();
    let kept = common.filter(|(old, _)| starts_word(&before[old.range()]));
    2 * kept.count() >= all
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
            let points = insertion_points(&replacement, before);
            points.map(|points| (points.start(), points.end()))
        };
        assert_eq!(point("a\n", "a\nb\n"), Some((1, 2)));
        assert_eq!(point("b\n", "a\nb\n"), Some((0, 0)));
        assert_eq!(point("", "a"), Some((0, 0)));
        assert_eq!(point("ab", "a"), None);
        assert_eq!(point("ab", "ac"), None);
        assert_eq!(point("é", "èé"), Some((0, 0)));
        assert_eq!(point("éa", "éaéa"), Some((0, 3)));
        // In the middle of a line, and a line before it.
        assert_eq!(point("static b", "static a;\nstatic b"), Some((0, 7)));
    }

    /// Returns the text that corresponds in `now` to the first occurrence of `target` in `before`, with what precedes it.
    fn moved<'a>(before: &str, target: &str, now: &'a str) -> Option<&'a str> {
        let start = before.find(target).expect("the text holds the target");
        let span = Span::new(start, start + target.len());
        let moved = Parts::of(before, now).moved(span)?;
        assert_eq!(&now[moved.range()], target);
        Some(&now[..moved.end()])
    }

    #[test]
    fn a_line_between_lines_that_both_texts_have_once_is_found() {
        let before = "a\nb\nt\nc\nd\n";
        assert_eq!(moved(before, "t", "x\nb\nt\nc\ny\n"), Some("x\nb\nt"));
        // The target itself is such a line.
        assert_eq!(moved(before, "t", "x\nt\ny\n"), Some("x\nt"));
        assert_eq!(moved(before, "t", "x\nb\nu\nc\ny\n"), None);
        // Between two changes, each twin may be the old one.
        assert_eq!(moved("a\nt\nt\nb\n", "t", "x\nt\nt\ny\n"), None);
        assert_eq!(moved("a\nt\nb\n", "t", "x\nt\nt\ny\n"), None);
        // Lines that changed places are not certain.
        assert_eq!(moved("a\nt\nb\n", "t", "t\na\nb\n"), None);
    }

    #[test]
    fn a_word_of_a_changed_line_is_found() {
        let before = "f(one, two, three);\n";
        let found = moved(before, "two", "f(1, two, 3);\n");
        assert_eq!(found, Some("f(1, two"));
        assert_eq!(moved(before, "two", "f(1, too, 3);\n"), None);
        assert_eq!(moved("f(a, t, t, b)\n", "t", "f(x, t, t, y)\n"), None);
        // A word of several changed lines is not: these may be other statements.
        let before = "f(one, two, three);\ng(four);\n";
        let now = "f(1, two, 3);\ng(4);\n";
        assert_eq!(moved(before, "two", now), None);
    }

    #[test]
    fn a_text_that_did_not_change_is_all_common() {
        // One of several files may be unchanged.
        assert_eq!(places("a a a", "a a", "a a a"), [0]);
        assert_eq!(places("", "", ""), [0]);
    }
}
