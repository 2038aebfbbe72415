//! Carries an edit over to a text that is no longer the one it was made for.
//!
//! If the difference between the two texts is known, since it consists of other edits, the edit is carried over unless
//! one of them changes the same bytes or inserts at the same offset. If only the texts are known, every target and
//! every replaced byte must be in their common prefix or suffix (docs/design/stage.md#rebase). If the target is gone
//! and an identical text remains, this text counts as a different place. So does an insertion if the line next to it
//! changed: if text was added there, it is unknown which of the two comes first.
//!
//! If the texts differ both before and after the target, the caller is asked at most: where the target is between lines
//! that both texts certainly have in common, or where it is several whole lines that both texts have once. In either case,
//! it must be in the same symbol, and in nodes of the same types.

use std::cell::LazyCell;
use std::collections::HashMap;
use std::ops::Deref;

use crate::change::{Replacement, Target, TextEdit};
use crate::edit;
use crate::parse::Parsed;
use crate::preview::FilePreview;
use crate::select;
use crate::source::{Source, Span};

/// An edit that was shown, in the text that its file has now.
#[derive(Debug)]
pub enum Rebase {
    /// The text is the same.
    Same,
    /// It makes the same change to the same node of a text that changed elsewhere.
    Moved(CarriedEdit),
    /// It makes the same change to the same node, whose surroundings or symbol changed. The caller decides.
    Around(CarriedEdit),
    /// It cannot be found as it was shown.
    Conflict,
}

/// An edit that was carried over to another text. It is not checked there.
#[derive(Debug)]
pub struct CarriedEdit {
    /// The other text.
    pub text: Source,
    /// The edit of that text.
    pub text_edit: TextEdit,
    /// The targets, in that text and in the one after the edit.
    pub targets: Vec<Target>,
}

/// An edit changes the same bytes as the difference between two texts, or may do so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clash {
    /// Where, in bytes of the text that the edit was made for.
    pub offset: usize,
}

/// The difference between two texts.
#[derive(Debug)]
pub struct Delta {
    edit: TextEdit,
    origin: Origin,
}

/// What is known of the difference between two texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    /// It is an edit.
    Edit,
    /// It consists of edits that were made one after another. Text that one of them inserted next to text that another one
    /// removed may be before or after a place between them.
    Edits,
    /// Only the two texts are known. All that is not certainly equal is replaced.
    Texts,
}

/// The common prefix and suffix of two texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Common {
    /// The length of the prefix in bytes.
    front: usize,
    /// The offset of the suffix in the text before the change.
    back: usize,
    /// The number of bytes by which the suffix has moved.
    shift: isize,
}

/// Carries an edit over to the text that its file has now.
pub fn rebase(shown: &FilePreview, now: &Parsed) -> Rebase {
    let (before, text) = (shown.before(), now.source());
    if before.is_same_text(text) {
        return Rebase::Same;
    }
    let parsed = LazyCell::new(|| Parsed::parse(before.clone()));
    let compared = Compared {
        shown,
        before: &parsed,
        now,
    };
    let whole = Delta::in_one_part(before, text).carried(shown);
    if let Ok(carried) = whole
        && compared.has_same_nodes(&carried)
    {
        return match compared.has_same_attached(&carried) {
            true if compared.has_same_symbols(&carried) => Rebase::Moved(carried),
            true => Rebase::Around(carried),
            false => Rebase::Conflict,
        };
    }
    let parts = Delta::in_parts(before, text);
    let kept = parts.carried(shown).ok().filter(|_| {
        let mut targets = shown.record().targets().iter();
        !targets.any(|target| parts.surrounds(before.text(), target.span()))
    });
    let around = kept.or_else(|| carried_with_nodes(shown, text));
    let around = around.filter(|carried| {
        compared.has_same_nodes(carried)
            && compared.has_same_parents(carried)
            && compared.has_same_symbols(carried)
            && compared.has_same_attached(carried)
    });
    around.map_or(Rebase::Conflict, Rebase::Around)
}

/// An edit that was shown, with its text and the current one. The former is parsed only if that is needed.
struct Compared<'a, B> {
    shown: &'a FilePreview,
    before: &'a B,
    now: &'a Parsed,
}

impl<B: Deref<Target = Parsed>> Compared<'_, B> {
    /// Returns each target before and after it was carried over.
    fn targets<'c>(
        &'c self,
        carried: &'c CarriedEdit,
    ) -> impl Iterator<Item = (&'c Target, &'c Target)> {
        self.shown.record().targets().iter().zip(&carried.targets)
    }

    /// Returns whether each target is still a node of its type, or still a part of one: it may have become a part of a larger
    /// node, or of a comment.
    fn has_same_nodes(&self, carried: &CarriedEdit) -> bool {
        let is_node = |parsed: &Parsed, target: &Target| {
            let mut chain = parsed.chain(target.span()).into_iter();
            let own = parsed.trimmed(target.span());
            chain
                .any(|node| node.kind() == target.node_type() && parsed.trimmed(node.span()) == own)
        };
        let is_in_node = |parsed: &Parsed, target: &Target| {
            let mut chain = parsed.chain(target.span()).into_iter();
            chain.any(|node| node.kind() == target.node_type())
        };
        self.targets(carried).all(|(target, moved)| {
            is_node(self.now, moved)
                || !is_node(self.before, target)
                    && (is_in_node(self.now, moved) || !is_in_node(self.before, target))
        })
    }

    /// Returns whether each node that is removed has the same comments and attributes in both texts: they are removed with it.
    fn has_same_attached(&self, carried: &CarriedEdit) -> bool {
        let attached = |parsed: &Parsed, target: &Target| {
            let selection = select::at(parsed, target.span(), target.node_type())?;
            let with_attached = edit::with_attached(&selection);
            Some(parsed.source().slice(with_attached).into_owned())
        };
        let targets = self.targets(carried);
        let mut removed = targets.filter(|(target, _)| target.new_span().is_empty());
        removed.all(|(target, moved)| attached(self.before, target) == attached(self.now, moved))
    }

    /// Returns whether each target is in nodes of the same types in both texts.
    fn has_same_parents(&self, carried: &CarriedEdit) -> bool {
        let node_types = |parsed: &Parsed, target: &Target| -> Vec<String> {
            let chain = parsed.chain(target.span());
            chain.iter().map(|node| node.kind().to_string()).collect()
        };
        let mut targets = self.targets(carried);
        targets
            .all(|(target, moved)| node_types(self.before, target) == node_types(self.now, moved))
    }

    /// Returns whether each target is in the same symbol in both texts.
    fn has_same_symbols(&self, carried: &CarriedEdit) -> bool {
        let symbol = |parsed: &Parsed, target: &Target| -> Vec<String> {
            parsed.symbol_path(&parsed.chain(target.span()))
        };
        let mut targets = self.targets(carried);
        targets.all(|(target, moved)| symbol(self.before, target) == symbol(self.now, moved))
    }
}

impl Delta {
    /// Returns the difference that an edit makes.
    pub fn of_edit(edit: TextEdit) -> Delta {
        Delta {
            edit,
            origin: Origin::Edit,
        }
    }

    /// Returns the difference that several edits make one after another.
    pub fn of_edits(edit: TextEdit) -> Delta {
        Delta {
            edit,
            origin: Origin::Edits,
        }
    }

    /// Returns all that is between the common prefix and the common suffix of two texts.
    pub fn in_one_part(before: &Source, now: &Source) -> Delta {
        let common = Common::new(before.text(), now.text());
        Delta::unknown(before, now, &[common])
    }

    /// Returns the parts between the lines that both texts certainly have in common: those that occur once in each, and before
    /// or after the same other such lines. Within a single line of which at least half of the words are left, words count
    /// in the same way.
    pub fn in_parts(before: &Source, now: &Source) -> Delta {
        let (old_text, new_text) = (before.text(), now.text());
        let mut parts = Vec::new();
        for (old, new) in differences(old_text, new_text, lines) {
            let (old_lines, new_lines) = (&old_text[old.range()], &new_text[new.range()]);
            let is_line = |text: &str| text.trim_end().lines().count() == 1;
            let is_changed_line =
                is_line(old_lines) && is_line(new_lines) && keeps_words(old_lines, new_lines);
            let split: Split = match is_changed_line {
                true => words,
                false => lines,
            };
            for (old_part, new_part) in differences(old_lines, new_lines, split) {
                let common =
                    Common::new(&old_lines[old_part.range()], &new_lines[new_part.range()]);
                let start = old.start() + old_part.start();
                parts.push(Common {
                    front: common.front + start,
                    back: common.back + start,
                    ..common
                });
            }
        }
        Delta::unknown(before, now, &parts)
    }

    fn unknown(before: &Source, now: &Source, parts: &[Common]) -> Delta {
        let mut shift = 0;
        let replacements = parts.iter().map(|part| {
            let span = Span::new(part.front, part.back);
            let start = span.start().saturating_add_signed(shift);
            shift += part.shift;
            let end = span.end().saturating_add_signed(shift);
            let new_text = now.slice(Span::new(start, end)).into_owned();
            Replacement { span, new_text }
        });
        let replacements = replacements.collect();
        Delta {
            edit: TextEdit::new(before, replacements)
                .expect("the parts are disjoint, and end between characters"),
            origin: Origin::Texts,
        }
    }

    /// Carries an edit of the same text over to the text after the difference.
    ///
    /// # Errors
    /// Both change the same bytes, or may do so.
    pub fn carried(&self, shown: &FilePreview) -> Result<CarriedEdit, Clash> {
        let (before, record) = (shown.before(), shown.record());
        let own = record.replacements();
        let places = self.places(before, own)?;
        let clash = |offset| Clash { offset };
        let own_edit = TextEdit::new(before, own.to_vec()).map_err(|_| clash(0))?;
        let moved = own.iter().zip(places).map(|(one, span)| Replacement {
            span,
            new_text: one.new_text.clone(),
        });
        let text = self.edit.apply(before);
        let text_edit = TextEdit::new(&text, moved.collect()).map_err(|_| clash(0))?;
        // The difference after the edit.
        let after = self.edit.replacements().iter().map(|one| {
            let span = own_edit.map_span(one.span);
            Ok(Replacement {
                span: span.ok_or(clash(one.span.start()))?,
                new_text: one.new_text.clone(),
            })
        });
        let after: Vec<Replacement> = after.collect::<Result<_, Clash>>()?;
        let after = TextEdit::new(shown.after(), after).map_err(|_| clash(0))?;
        let targets = record.targets().iter().map(|target| {
            let clash = clash(target.span().start());
            let span = self.place(target.span()).ok_or(clash)?;
            Ok(Target {
                span,
                new_span: after.map_span(target.new_span()).ok_or(clash)?,
                ..target.clone()
            })
        });
        Ok(CarriedEdit {
            targets: targets.collect::<Result<_, Clash>>()?,
            text,
            text_edit,
        })
    }

    /// Returns where the replaced spans of an edit are after the difference.
    ///
    /// # Errors
    /// Both change the same bytes, or may do so.
    pub fn places(&self, before: &Source, own: &[Replacement]) -> Result<Vec<Span>, Clash> {
        let places = own.iter().map(|one| {
            let place = match self.touches(before.text(), one) {
                true => None,
                false => self.edit.map_span(one.span),
            };
            place.ok_or(Clash {
                offset: one.span.start(),
            })
        });
        places.collect()
    }

    /// Returns where the target of an edit is after the difference. Known edits may change text inside it.
    fn place(&self, target: Span) -> Option<Span> {
        let mut parts = self.parts();
        match self.origin == Origin::Texts && parts.any(|part| target.overlaps(part)) {
            true => None,
            false => self.edit.map_span(target),
        }
    }

    fn parts(&self) -> impl Iterator<Item = Span> {
        self.edit.replacements().iter().map(|one| one.span)
    }

    /// Returns whether a replacement changes the same bytes, or may do so.
    fn touches(&self, before: &str, one: &Replacement) -> bool {
        let points = insertion_points(one, before);
        let mut parts = self.edit.replacements().iter();
        match self.origin {
            Origin::Edit => parts.any(|part| clashes(part.span, one.span)),
            Origin::Edits => parts.any(|part| {
                let is_at_end = one.span.is_empty() && part.span.touches(one.span);
                clashes(part.span, one.span) || (is_at_end && !part.new_text.is_empty())
            }),
            Origin::Texts => parts.any(|part| {
                one.span.overlaps(part.span)
                    || points.is_some_and(|points| touches_any(before, part.span, points))
            }),
        }
    }

    /// Returns whether a span is in one line of the text before, and both the lines before and after it changed. That line
    /// may be another one that only reads the same.
    fn surrounds(&self, before: &str, span: Span) -> bool {
        let line = lines_around(before, span);
        let mut changed = (false, false);
        for part in self.parts() {
            let lines = changed_lines(before, part);
            changed.0 |= is_blank(before, lines.end(), line.start());
            changed.1 |= is_blank(before, line.end(), lines.start());
        }
        let is_one_line = !before[line.range()].trim_end().contains('\n');
        is_one_line && changed == (true, true)
    }
}

/// Returns whether two edits of one text change the same bytes, or insert at the same offset.
pub(super) fn clashes(one: Span, other: Span) -> bool {
    one.overlaps(other) || (one == other && one.is_empty())
}

/// Carries an edit over with its targets, wherever these are now: each is several whole lines that both texts have once.
/// A single line that moved may be another one that only reads the same.
fn carried_with_nodes(shown: &FilePreview, now: &Source) -> Option<CarriedEdit> {
    let (before, record) = (shown.before(), shown.record());
    let (text, now_text) = (before.text(), now.text());
    let starts = record.targets().iter().map(|target| {
        let own = &text[target.span().range()];
        let start = now_text.find(own)?;
        let place = Span::new(start, start + own.len());
        let is_lone = own.trim().contains('\n')
            && is_whole_lines(text, target.span())
            && is_whole_lines(now_text, place)
            && occurs_once(text, own)
            && occurs_once(now_text, own);
        is_lone.then_some(start)
    });
    let starts: Vec<usize> = starts.collect::<Option<_>>()?;
    let targets = || record.targets().iter().zip(&starts);
    let replacements = record.replacements().iter().map(|one| {
        // The text around the target may have changed, so an insertion must be inside it.
        let is_inside = |target: Span| {
            let points = insertion_points(one, text);
            target.contains(one.span)
                && points.is_none_or(|points| {
                    target.start() < points.start() && points.end() < target.end()
                })
        };
        let (target, start) = targets().find(|(target, _)| is_inside(target.span()))?;
        let start = start + one.span.start() - target.span().start();
        Some(Replacement {
            span: Span::new(start, start + one.span.len()),
            new_text: one.new_text.clone(),
        })
    });
    let text_edit = TextEdit::new(now, replacements.collect::<Option<_>>()?).ok()?;
    let own = TextEdit::new(before, record.replacements().to_vec()).ok()?;
    let moved = targets().map(|(target, start)| {
        let ahead = target
            .new_span()
            .start()
            .checked_sub(own.map(target.span().start()))?;
        let new_start = text_edit.map(*start) + ahead;
        Some(Target {
            span: Span::new(*start, start + target.span().len()),
            new_span: Span::new(new_start, new_start + target.new_span().len()),
            ..target.clone()
        })
    });
    Some(CarriedEdit {
        targets: moved.collect::<Option<_>>()?,
        text: now.clone(),
        text_edit,
    })
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
    fn new(before: &str, now: &str) -> Common {
        let shorter = before.len().min(now.len());
        let same = |(one, other): &(u8, u8)| one == other;
        let longest_front = before.bytes().zip(now.bytes()).take_while(same).count();
        let backwards = before.bytes().rev().zip(now.bytes().rev());
        let longest_back = backwards.take_while(same).count();
        // If prefix and suffix could overlap, the change is ambiguous: of two identical texts, either one may be the
        // removed one. Only bytes that are common in every interpretation count.
        let front = longest_front.min(shorter - longest_back.min(shorter));
        let back = longest_back.min(shorter - longest_front.min(shorter));
        let mut common = Common {
            front,
            back: before.len() - back,
            shift: now.len() as isize - before.len() as isize,
        };
        while !before.is_char_boundary(common.front) {
            common.front -= 1;
        }
        while !before.is_char_boundary(common.back) {
            common.back += 1;
        }
        common
    }
}

fn is_blank(text: &str, from: usize, to: usize) -> bool {
    let between = text.get(from..to);
    between.is_some_and(|between| between.trim().is_empty())
}

/// Returns whether at most whitespace is between an offset and the bytes that changed, or the lines that contain them: an
/// added line may start or end with the same bytes as the line next to it.
fn is_next_to(before: &str, part: Span, offset: usize) -> bool {
    let lines = changed_lines(before, part);
    is_blank(before, offset, part.start())
        || is_blank(before, offset, lines.start())
        || is_blank(before, part.end(), offset)
        || is_blank(before, lines.end(), offset)
}

/// Returns whether this is true for one of the offsets from the start to the end of a span, or one of them is in what changed.
fn touches_any(before: &str, part: Span, offsets: Span) -> bool {
    part.touches(offsets)
        || is_next_to(before, part, offsets.start())
        || is_next_to(before, part, offsets.end())
}

/// Returns the start of the first and the end of the last line that contain bytes that changed. No line contains them if
/// they are whole lines.
fn changed_lines(before: &str, part: Span) -> Span {
    let (front, back) = (&before[..part.start()], &before[part.end()..]);
    let ends_line = before[part.start()..]
        .chars()
        .next()
        .is_none_or(|c| c == '\n');
    let start = match front.rfind('\n') {
        _ if ends_line => part.start(),
        Some(newline) => newline + 1,
        None => 0,
    };
    let begins_line = before[..part.end()]
        .chars()
        .next_back()
        .is_none_or(|c| c == '\n');
    let end = match back.find('\n') {
        _ if begins_line => part.end(),
        Some(newline) => part.end() + newline,
        None => before.len(),
    };
    Span::new(start, end)
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
    use crate::language;

    fn source(text: &str) -> Source {
        Source::new("a.txt", language::plain_text(), text.to_string())
    }

    /// Returns the offset in `now` that corresponds to the first occurrence of `target` in `before`.
    fn place(before: &str, target: &str, now: &str) -> Option<usize> {
        let start = before.find(target).expect("the text holds the target");
        let delta = Delta::in_one_part(&source(before), &source(now));
        let place = delta.place(Span::new(start, start + target.len()));
        place.map(Span::start)
    }

    #[test]
    fn text_before_the_change_stays_and_text_after_it_moves() {
        assert_eq!(place("a b c d", "b", "a b xx d"), Some(2));
        assert_eq!(place("a b c d", "d", "a b xx d"), Some(7));
        assert_eq!(place("a b c d", "c", "a b xx d"), None);
    }

    #[test]
    fn of_two_twins_the_one_that_is_left_is_nobodys_target() {
        assert_eq!(place("t;t;", "t;", "t;"), None);
        assert_eq!(place("a t; t; b", "t; ", "a t; b"), None);
        // An added identical text has the same effect: either one may be the old one.
        assert_eq!(place("t;", "t;", "t;t;"), None);
    }

    #[test]
    fn a_change_on_both_sides_leaves_no_common_place() {
        assert_eq!(place("a t b", "t", "x t y"), None);
    }

    #[test]
    fn an_insertion_touches_a_change_if_only_whitespace_is_between() {
        let touched = |before: &str, now: &str| -> Vec<usize> {
            let common = Common::new(before, now);
            let part = Span::new(common.front, common.back);
            (0..=before.len())
                .filter(|offset| is_next_to(before, part, *offset))
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
        let moved = Delta::in_parts(&source(before), &source(now)).place(span)?;
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
}
