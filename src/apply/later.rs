//! Follows the new texts of an applied edit through the later changes of its file, so that the edit can be undone alone.
//!
//! A change is known by the digests of the file before and after it. The changes from one text to another, one after another,
//! are one edit of the first text ([`Way::delta`]). Text that an undo restored is the text that the undone edit removed, so an
//! undone edit that touched an earlier one no longer matters.

use std::collections::{HashMap, VecDeque};

use serde::{Deserialize, Serialize};

use crate::change::{Replacement, TextEdit};
use crate::preview::PreviewRecord;
use crate::source::{FileDigest, Source, Span};

use super::rebase::{self, Delta};

/// A change of a file from one text to another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextDelta {
    /// The edit that made the change, or that it undoes.
    pub edit_id: String,
    /// Whether it undoes the edit.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_undo: bool,
    /// The file before the change.
    pub before: FileDigest,
    /// The file after the change.
    pub after: FileDigest,
    replaced: Vec<Replaced>,
}

/// A change of one file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FileDelta {
    /// The absolute path.
    pub path: String,
    /// The change.
    #[serde(flatten)]
    pub change: TextDelta,
}

/// A replaced span in the text before a change, and the length of the new text. All are bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Replaced {
    start: usize,
    end: usize,
    new_len: usize,
}

/// The changes from one text to another, from the first.
#[derive(Clone, Debug)]
pub struct Way<'c>(Vec<&'c TextDelta>);

impl TextDelta {
    /// Returns the change that an edit makes.
    pub fn of_edit(edit_id: &str, record: &PreviewRecord) -> TextDelta {
        let replaced = record.replacements().iter().map(|one| Replaced {
            start: one.span.start(),
            end: one.span.end(),
            new_len: one.new_text.len(),
        });
        TextDelta {
            edit_id: edit_id.to_string(),
            is_undo: false,
            before: record.digest_before(),
            after: record.digest_after(),
            replaced: replaced.collect(),
        }
    }

    /// Returns the change that undoes this one.
    pub fn reversed(&self) -> TextDelta {
        let spans = self.new_spans().into_iter().zip(&self.replaced);
        let replaced = spans.map(|(span, one)| Replaced {
            start: span.start(),
            end: span.end(),
            new_len: one.end - one.start,
        });
        TextDelta {
            edit_id: self.edit_id.clone(),
            is_undo: !self.is_undo,
            before: self.after,
            after: self.before,
            replaced: replaced.collect(),
        }
    }

    /// Returns the span of each new text, in the text after the change.
    pub fn new_spans(&self) -> Vec<Span> {
        let mut shift: isize = 0;
        let spans = self.replaced.iter().map(|one| {
            let start = one.start.saturating_add_signed(shift);
            shift += one.growth();
            Span::new(start, start + one.new_len)
        });
        spans.collect()
    }

    /// Returns a place after the change, with the text that touched it, and whether the change touches it.
    fn moved(&self, place: Span) -> (Span, bool) {
        let (mut start, mut end) = (place.start(), place.end());
        let (mut before, mut inside) = (0, 0);
        let mut is_touched = false;
        for one in &self.replaced {
            if rebase::clashes(one.span(), place) {
                is_touched = true;
                (start, end) = (start.min(one.start), end.max(one.end));
                inside += one.growth();
            } else if one.end <= place.start() {
                before += one.growth();
            }
        }
        let start = start.saturating_add_signed(before);
        let end = end.saturating_add_signed(before + inside);
        (Span::new(start, end), is_touched)
    }
}

impl Replaced {
    fn span(&self) -> Span {
        Span::new(self.start, self.end)
    }

    fn growth(&self) -> isize {
        self.new_len as isize - (self.end - self.start) as isize
    }
}

/// A part of a text after changes.
#[derive(Clone, Copy)]
enum Piece {
    /// These bytes of the first text.
    Kept(Span),
    /// This number of other bytes.
    New(usize),
}

impl Piece {
    fn len(self) -> usize {
        match self {
            Piece::Kept(span) => span.len(),
            Piece::New(len) => len,
        }
    }

    fn split_at(self, offset: usize) -> [Piece; 2] {
        match self {
            Piece::Kept(span) => {
                let middle = span.start() + offset;
                let halves = [(span.start(), middle), (middle, span.end())];
                halves.map(|(start, end)| Piece::Kept(Span::new(start, end)))
            }
            Piece::New(len) => [offset, len - offset].map(Piece::New),
        }
    }
}

/// Takes the pieces of the first `len` bytes.
fn take(pieces: &mut VecDeque<Piece>, mut len: usize) -> Vec<Piece> {
    let mut taken = Vec::new();
    while len > 0
        && let Some(piece) = pieces.pop_front()
    {
        let [front, back] = piece.split_at(len.min(piece.len()));
        len -= front.len();
        taken.push(front);
        if back.len() > 0 {
            pieces.push_front(back);
        }
    }
    taken
}

impl<'c> Way<'c> {
    /// Returns the shortest way from the text `from` to the text `to`; if there is none, the way to the text that is reached
    /// last.
    pub fn find(from: FileDigest, to: FileDigest, changes: &[&'c TextDelta]) -> Way<'c> {
        let mut by_text: HashMap<FileDigest, Vec<&'c TextDelta>> = HashMap::new();
        for change in changes {
            by_text.entry(change.before).or_default().push(change);
        }
        let mut came_by: HashMap<FileDigest, &'c TextDelta> = HashMap::new();
        let mut reached = vec![from];
        let mut next = 0;
        while next < reached.len() && from != to && !came_by.contains_key(&to) {
            for change in by_text.remove(&reached[next]).unwrap_or_default() {
                if change.after != from && !came_by.contains_key(&change.after) {
                    came_by.insert(change.after, change);
                    reached.push(change.after);
                }
            }
            next += 1;
        }
        let is_reached = from == to || came_by.contains_key(&to);
        let mut end = if is_reached {
            to
        } else {
            reached[reached.len() - 1]
        };
        let mut way = Vec::new();
        while let Some(change) = came_by.remove(&end) {
            way.push(change);
            end = change.before;
        }
        way.reverse();
        Way(way)
    }

    /// Returns the difference between two texts that the way makes. Returns `None` if it does not lead from one to the other.
    pub fn delta(&self, from: &Source, to: &Source) -> Option<Delta> {
        let replaced: Vec<(Span, Span)> = match self.0[..] {
            [only] => {
                let spans = only.replaced.iter().map(Replaced::span);
                spans.zip(only.new_spans()).collect()
            }
            _ => self.replaced(from.len()),
        };
        let replacements = replaced.into_iter().map(|(span, new_span)| {
            let is_in = to.whole().contains(new_span);
            is_in.then(|| Replacement {
                span,
                new_text: to.slice(new_span).into_owned(),
            })
        });
        let edit = TextEdit::new(from, replacements.collect::<Option<_>>()?).ok()?;
        let is_it = edit.apply(from).is_same_text(to);
        is_it.then(|| match self.0.len() {
            1 => Delta::of_edit(edit),
            _ => Delta::of_edits(edit),
        })
    }

    /// Returns each replaced span in the first text, which has this length, and in the last one.
    fn replaced(&self, len: usize) -> Vec<(Span, Span)> {
        let mut replaced = Vec::new();
        // The end of the last kept piece in each text.
        let (mut old, mut new) = (0, 0);
        let mut offset = 0;
        for piece in self.pieces(len) {
            if let Piece::Kept(span) = piece
                && old <= span.start()
            {
                if old < span.start() || new < offset {
                    replaced.push((Span::new(old, span.start()), Span::new(new, offset)));
                }
                (old, new) = (span.end(), offset + span.len());
            }
            offset += piece.len();
        }
        replaced
    }

    /// Returns the text at the end of the way as pieces of the first text, which has this length. The last one is empty, and
    /// at the end of that text.
    fn pieces(&self, len: usize) -> Vec<Piece> {
        let mut pieces = VecDeque::from([Piece::Kept(Span::new(0, len))]);
        let mut removed: HashMap<&str, Vec<Vec<Piece>>> = HashMap::new();
        for change in &self.0 {
            let restored = match change.is_undo {
                true => removed.remove(change.edit_id.as_str()).unwrap_or_default(),
                false => Vec::new(),
            };
            let mut taken = Vec::new();
            let mut after = Vec::new();
            let mut read = 0;
            for (index, one) in change.replaced.iter().enumerate() {
                after.extend(take(&mut pieces, one.start - read));
                taken.push(take(&mut pieces, one.end - one.start));
                read = one.end;
                let same = restored.get(index).filter(|same| {
                    let len: usize = same.iter().map(|piece| piece.len()).sum();
                    len == one.new_len
                });
                match same {
                    Some(same) => after.extend(same),
                    None => after.push(Piece::New(one.new_len)),
                }
            }
            after.extend(pieces);
            pieces = after.into();
            removed.insert(&change.edit_id, taken);
        }
        pieces.push_back(Piece::Kept(Span::at(len)));
        pieces.into()
    }

    /// Returns the edits on the way, from the last.
    pub fn edits(&self) -> Vec<String> {
        let edits = self.0.iter().rev().filter(|change| !change.is_undo);
        edits.map(|change| change.edit_id.clone()).collect()
    }

    /// Returns the edits on the way that touch one of these places of the first text, from the last.
    pub fn touching(&self, mut places: Vec<Span>) -> Vec<String> {
        let mut touching = Vec::new();
        for change in &self.0 {
            let moved: Vec<(Span, bool)> = places.iter().map(|one| change.moved(*one)).collect();
            if !change.is_undo && moved.iter().any(|(_, is_touched)| *is_touched) {
                touching.push(change.edit_id.clone());
            }
            places = moved.into_iter().map(|(place, _)| place).collect();
        }
        touching.reverse();
        touching
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language;
    use crate::source::Digest;
    use proptest::prelude::*;
    use std::ops::RangeInclusive;

    fn file(text: &str) -> FileDigest {
        Digest::from_bytes(text.as_bytes()).into()
    }

    fn source(text: &str) -> Source {
        Source::new("a.txt", language::plain_text(), text.to_string())
    }

    /// Replaces the bytes from `start` to `end` of each part of a text. Returns also the text after that.
    fn delta(edit_id: &str, before: &str, parts: &[(usize, usize, String)]) -> (TextDelta, String) {
        let mut after = before.to_string();
        for (start, end, new) in parts.iter().rev() {
            after.replace_range(*start..*end, new);
        }
        let replaced = parts.iter().map(|(start, end, new)| Replaced {
            start: *start,
            end: *end,
            new_len: new.len(),
        });
        let change = TextDelta {
            edit_id: edit_id.to_string(),
            is_undo: false,
            before: file(before),
            after: file(&after),
            replaced: replaced.collect(),
        };
        (change, after)
    }

    /// Replaces the bytes from `start` to `end` of a text.
    fn change(edit_id: &str, before: &str, (start, end): (usize, usize), new: &str) -> TextDelta {
        delta(edit_id, before, &[(start, end, new.to_string())]).0
    }

    /// Returns the edit that restores the text before a change.
    fn back(change: &TextDelta, before: &str) -> Vec<Replacement> {
        let spans = change.new_spans().into_iter().zip(&change.replaced);
        let back = spans.map(|(span, one)| Replacement {
            span,
            new_text: before[one.span().range()].to_string(),
        });
        back.collect()
    }

    #[test]
    fn a_place_moves_unless_its_own_text_changes() {
        let moved = |span: (usize, usize), replaced: (usize, usize), new: &str| {
            let change = change("e1", "0123456789", replaced, new);
            let (place, is_touched) = change.moved(Span::new(span.0, span.1));
            ((place.start(), place.end()), is_touched)
        };
        // Before, after, and at its ends.
        assert_eq!(moved((4, 6), (0, 1), "ab"), ((5, 7), false));
        assert_eq!(moved((4, 6), (7, 8), "ab"), ((4, 6), false));
        assert_eq!(moved((4, 6), (2, 4), "a"), ((3, 5), false));
        assert_eq!(moved((4, 6), (6, 8), "a"), ((4, 6), false));
        assert_eq!(moved((4, 6), (4, 4), "a"), ((5, 7), false));
        assert_eq!(moved((4, 6), (6, 6), "a"), ((4, 6), false));
        // In it and across its ends.
        assert_eq!(moved((4, 6), (5, 5), "a"), ((4, 7), true));
        assert_eq!(moved((4, 6), (4, 5), ""), ((4, 5), true));
        assert_eq!(moved((4, 6), (3, 5), "abc"), ((3, 7), true));
        assert_eq!(moved((4, 6), (0, 9), ""), ((0, 0), true));
        // A place where text was removed.
        assert_eq!(moved((4, 4), (2, 4), "a"), ((3, 3), false));
        assert_eq!(moved((4, 4), (4, 5), "abc"), ((4, 4), false));
        assert_eq!(moved((4, 4), (4, 4), "a"), ((4, 5), true));
        assert_eq!(moved((4, 4), (3, 5), "a"), ((3, 4), true));
    }

    #[test]
    fn the_way_leads_over_changes_and_back() {
        let edit = change("e0", "a b c", (2, 3), "B");
        let first = change("e1", "a B c", (0, 1), "aaa");
        let second = change("e2", "aaa B c", (6, 7), "");
        let undone = second.reversed();
        let changes = [&undone, &first, &second];
        let way = |to: &str| Way::find(edit.after, file(to), &changes);
        assert_eq!(way("aaa B ").edits(), ["e2", "e1"]);
        assert_eq!(way("aaa B c").edits(), ["e1"]);
        assert_eq!(way("a B c").edits(), [""; 0]);
        // The last text that is reached.
        assert_eq!(way("other").edits(), ["e2", "e1"]);
        assert!(
            way("other")
                .delta(&source("a B c"), &source("other"))
                .is_none()
        );
        let places = |to: &str| {
            let delta = way(to)
                .delta(&source("a B c"), &source(to))
                .expect("it leads there");
            let own = back(&edit, "a b c");
            delta.places(&source("a B c"), &own)
        };
        assert_eq!(places("aaa B "), Ok(vec![Span::new(4, 5)]));
        // The change that removes the last word touches the edit that inserted it, and so does every later one there.
        let edit = change("e0", "a B", (3, 3), " c");
        let third = change("e3", "aaa B ", (5, 6), "d");
        let fourth = change("e4", "aaa Bd", (0, 3), "a");
        let changes = [&first, &second, &third, &fourth];
        let way = Way::find(edit.after, file("a Bd"), &changes);
        assert_eq!(way.touching(edit.new_spans()), ["e3", "e2"]);
    }

    #[test]
    fn what_an_undo_restored_is_no_difference() {
        let edit = change("e0", "a c", (1, 1), " b");
        let inside = change("e1", "a b c", (2, 3), "xxx");
        let undone = inside.reversed();
        let other = change("e2", "a xxx c", (6, 7), "d");
        let undone_later = TextDelta {
            before: file("a xxx d"),
            after: file("a b d"),
            ..undone.clone()
        };
        for (changes, to) in [
            (vec![&inside, &undone], "a b c"),
            (vec![&inside, &other, &undone_later], "a b d"),
        ] {
            let way = Way::find(edit.after, file(to), &changes);
            let delta = way
                .delta(&source("a b c"), &source(to))
                .expect("it leads there");
            let own = back(&edit, "a c");
            assert_eq!(
                delta.places(&source("a b c"), &own),
                Ok(vec![Span::new(1, 3)])
            );
        }
    }

    /// Returns disjoint parts of a text from pairs of offsets with new texts.
    fn parts(before: &str, cuts: &[(usize, usize, String)]) -> Vec<(usize, usize, String)> {
        let mut parts: Vec<(usize, usize, String)> = Vec::new();
        for (one, other, new) in cuts {
            let (one, other) = (one % (before.len() + 1), other % (before.len() + 1));
            let (start, end) = (one.min(other), one.max(other));
            if parts.iter().all(|known| known.1 < start || end < known.0) {
                parts.push((start, end, new.clone()));
            }
        }
        parts.sort_unstable();
        parts
    }

    proptest! {
        #[test]
        fn an_untouched_place_has_its_text(
            before in "[A-Z]{1,30}",
            cuts in proptest::collection::vec((0..40usize, 0..40usize, "[a-z]{0,3}"), 0..5),
            (start, len) in (0..30usize, 0..8usize),
        ) {
            let (change, after) = delta("e0", &before, &parts(&before, &cuts));
            let start = start % before.len();
            let span = Span::new(start, (start + len).min(before.len()));
            let (moved, is_touched) = change.moved(span);
            prop_assert!(after.is_char_boundary(moved.end()));
            if !is_touched {
                prop_assert_eq!(&after[moved.range()], &before[span.range()]);
                let there = change.reversed().moved(moved);
                prop_assert!(span.is_empty() || there == (span, false));
            }
        }

        #[test]
        fn an_undo_takes_back_one_edit_and_all_of_them_restore_the_first_text(
            length in 0..12usize,
            steps in proptest::collection::vec((0..3usize, cut(), cut(), 0..20usize), 1..14),
        ) {
            let start = &"ABCDEFGHIJKL"[..length];
            let mut history = History::from_text(start);
            for (number, (kind, one, other, which)) in steps.into_iter().enumerate() {
                match history.applied.len() {
                    applied if kind == 0 && applied > 0 => drop(history.undo(which % applied)),
                    _ => history.edit(number, &[one, other]),
                }
            }
            while (0..history.applied.len()).rev().any(|index| history.undo(index)) {}
            if let Some(last) = history.applied.last() {
                // An undo has put text where it removed some, and the order of the two is unknown.
                prop_assert!(last.change.replaced.iter().any(|one| one.new_len == 0));
                return Ok(());
            }
            prop_assert_eq!(history.text, start);
        }
    }

    /// Two offsets, and the length of the text that replaces the bytes between them.
    fn cut() -> impl Strategy<Value = (usize, usize, usize)> {
        (0..40usize, 0..40usize, 0..3usize)
    }

    /// A text with its edits, and a model of it that remembers all characters.
    struct History {
        text: String,
        cells: Vec<Cell>,
        /// The edits that are applied.
        applied: Vec<Applied>,
        changes: Vec<TextDelta>,
        /// The letters of the next edits.
        letters: RangeInclusive<char>,
    }

    struct Applied {
        number: usize,
        change: TextDelta,
        /// The texts before and after it.
        texts: [String; 2],
    }

    struct Cell {
        letter: char,
        inserted_by: Option<usize>,
        removed_by: Option<usize>,
    }

    impl History {
        fn from_text(text: &str) -> History {
            let cells = text.chars().map(|letter| Cell {
                letter,
                inserted_by: None,
                removed_by: None,
            });
            History {
                text: text.to_string(),
                cells: cells.collect(),
                applied: Vec::new(),
                changes: Vec::new(),
                letters: 'M'..='~',
            }
        }

        fn visible(&self) -> String {
            let visible = self.cells.iter().filter(|cell| cell.removed_by.is_none());
            visible.map(|cell| cell.letter).collect()
        }

        /// Returns the index of the cell of the visible letter at an offset.
        fn cell_at(&self, offset: usize) -> usize {
            let mut visible = self.cells.iter().enumerate();
            let mut visible = visible
                .by_ref()
                .filter(|(_, cell)| cell.removed_by.is_none());
            visible
                .nth(offset)
                .map_or(self.cells.len(), |(index, _)| index)
        }

        /// Makes an edit whose new texts are of letters that nothing else has.
        fn edit(&mut self, number: usize, cuts: &[(usize, usize, usize)]) {
            let letters = self.letters.by_ref();
            let cuts = cuts
                .iter()
                .map(|(one, other, len)| (*one, *other, letters.take(*len).collect()));
            let cuts: Vec<(usize, usize, String)> = cuts.collect();
            let before = self.text.clone();
            let parts = parts(&before, &cuts);
            let (change, after) = delta(&format!("e{number}"), &before, &parts);
            // A text that returns by itself is like an undo, and the edits before it are not told apart.
            let is_known = |one: &TextDelta| [one.before, one.after].contains(&change.after);
            if change.after == change.before || self.changes.iter().any(is_known) {
                return;
            }
            for (start, end, new) in parts.iter().rev() {
                let at = self.cell_at(*start);
                for offset in (*start..*end).rev() {
                    let cell = self.cell_at(offset);
                    self.cells[cell].removed_by = Some(number);
                }
                let inserted = new.chars().map(|letter| Cell {
                    letter,
                    inserted_by: Some(number),
                    removed_by: None,
                });
                self.cells.splice(at..at, inserted);
            }
            self.text = after;
            self.changes.push(change.clone());
            self.applied.push(Applied {
                number,
                change,
                texts: [before, self.text.clone()],
            });
            assert_eq!(self.visible(), self.text);
        }

        /// Undoes an edit, unless a later one has touched it. Returns whether it was undone.
        fn undo(&mut self, index: usize) -> bool {
            let Applied {
                number,
                change,
                texts: [before, after],
            } = &self.applied[index];
            let now = source(&self.text);
            let restored = back(change, before);
            let changes: Vec<&TextDelta> = self.changes.iter().collect();
            let way = Way::find(change.after, now.digest().into(), &changes);
            let delta = way
                .delta(&source(after), &now)
                .expect("all changes are known");
            let Ok(places) = delta.places(&source(after), &restored) else {
                return false;
            };
            let places = places.iter().zip(restored);
            let parts = places.map(|(place, one)| (place.start(), place.end(), one.new_text));
            let parts: Vec<_> = parts.collect();
            let (undone, text) = self::delta(&change.edit_id, &self.text, &parts);
            let undone = TextDelta {
                is_undo: true,
                ..undone
            };
            let number = *number;
            let is_own = |by: Option<usize>| by == Some(number);
            self.cells.retain(|cell| {
                let is_own = is_own(cell.inserted_by);
                assert!(!is_own || cell.removed_by.is_none(), "it was touched");
                !is_own
            });
            for cell in &mut self.cells {
                cell.removed_by = cell.removed_by.filter(|by| *by != number);
            }
            self.text = text;
            assert_eq!(self.visible(), self.text);
            self.changes.push(undone);
            self.applied.remove(index);
            true
        }
    }
}
