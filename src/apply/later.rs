//! Follows the new texts of an applied edit through the later changes of its file, so that the edit can be undone alone.
//!
//! A change is known by the digests of the file before and after it. A later change touches a place if it replaces a part
//! of it or inserts text inside it. If the edit only removed text, a change that only inserts text at the same offset
//! touches the place too: the order of both texts is unknown.
//!
//! After an edit is undone, the changes that came after it also exist without it ([`Found::rest`]). So an earlier edit is
//! followed along the edits that are still applied, and an undone edit that touched it no longer matters.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};

use crate::preview::PreviewRecord;
use crate::source::{Digest, FileDigest, Source, Span};

use super::rebase::Common;

/// A change of a file from one text to another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextDelta {
    /// The edit that made the change; `None` if it is the undo of one, or unknown.
    pub edit_id: Option<String>,
    /// The file before the change.
    pub before: FileDigest,
    /// The file after the change.
    pub after: FileDigest,
    replaced: Vec<Replaced>,
    /// Of an unknown change, the bytes at which it touches a place where text was removed, up to both ends.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    around: Vec<(usize, usize)>,
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

/// A place that is followed through changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The bytes of the place in the current text, with those of the changes that touched it.
    pub span: Span,
    /// Whether a change touched it.
    pub is_touched: bool,
}

/// A text that is reached by changes.
#[derive(Clone, Debug)]
struct Reached<'c> {
    file: FileDigest,
    /// The followed places, in the order in which they were given.
    places: Vec<Place>,
    /// The edits that touched a place, from the first.
    touched_by: Vec<&'c str>,
    /// The index of the text before it, and the change. The first text has none.
    came_by: Option<(usize, &'c TextDelta)>,
}

/// An edit that was followed to a later text.
#[derive(Clone, Debug)]
pub struct Found {
    /// The places of its new texts, in its order.
    pub places: Vec<Place>,
    /// The later edits that touched one of them, from the first.
    pub touched_by: Vec<String>,
    /// The changes since the edit, as they are without it, if none touched it. Their digests are still those with it.
    rest: Vec<TextDelta>,
}

impl TextDelta {
    /// Returns the change that an edit makes.
    pub fn of(edit_id: &str, record: &PreviewRecord) -> TextDelta {
        let replaced = record.replacements().iter().map(|one| Replaced {
            start: one.span.start(),
            end: one.span.end(),
            new_len: one.new_text.len(),
        });
        TextDelta {
            edit_id: Some(edit_id.to_string()),
            before: record.digest_before(),
            after: record.digest_after(),
            replaced: replaced.collect(),
            around: Vec::new(),
        }
    }

    /// Returns a change that is not an edit: all that is not certainly equal is replaced.
    pub fn unknown(before: &Source, after: &Source) -> TextDelta {
        let parts = Common::parts(before.text(), after.text());
        let replaced = parts.iter().map(|(part, new_len)| Replaced {
            start: part.replaced().start(),
            end: part.replaced().end(),
            new_len: *new_len,
        });
        let around = parts.iter().map(|(part, _)| {
            let around = part.around(before.text());
            (around.start(), around.end())
        });
        TextDelta {
            edit_id: None,
            before: before.digest().into(),
            after: after.digest().into(),
            replaced: replaced.collect(),
            around: around.collect(),
        }
    }

    /// Returns the change back, which no edit makes.
    pub fn reversed(&self) -> TextDelta {
        let mut shift = 0;
        let replaced = self.replaced.iter().map(|one| {
            let start = one.start.saturating_add_signed(shift);
            let len = one.end - one.start;
            shift += one.new_len as isize - len as isize;
            Replaced {
                start,
                end: start + one.new_len,
                new_len: len,
            }
        });
        TextDelta {
            edit_id: None,
            before: self.after,
            after: self.before,
            replaced: replaced.collect(),
            around: Vec::new(),
        }
    }

    /// Returns the replaced spans, in the text before the change.
    pub fn spans(&self) -> Vec<Span> {
        let spans = self.replaced.iter().map(|one| one.span());
        spans.collect()
    }

    /// Returns a place after the change.
    pub fn moved(&self, place: Place) -> Place {
        let span = place.span;
        let (mut start, mut end, mut is_touched) = (span.start(), span.end(), false);
        let (mut before, mut inside) = (0, 0);
        if span.is_empty() {
            let mut around = self.around.iter();
            is_touched = around.any(|(from, to)| Span::new(*from, *to).touches(span));
        }
        for one in &self.replaced {
            let growth = one.new_len as isize - (one.end - one.start) as isize;
            let has_same_offset = span.is_empty() && one.span() == span;
            if one.span().overlaps(span) || has_same_offset {
                is_touched = true;
                (start, end) = (start.min(one.start), end.max(one.end));
                inside += growth;
            } else if one.end <= span.start() {
                before += growth;
            }
        }
        let start = start.saturating_add_signed(before);
        let end = end.saturating_add_signed(before + inside);
        Place {
            span: Span::new(start, end),
            is_touched: place.is_touched || is_touched,
        }
    }

    /// Returns the change as it is without `edit`, whose new texts are at `places` before it.
    fn without(&self, edit: &TextDelta, places: &[Place]) -> TextDelta {
        let back = edit
            .replaced
            .iter()
            .zip(places)
            .map(|(one, place)| Replaced {
                start: place.span.start(),
                end: place.span.end(),
                new_len: one.end - one.start,
            });
        let back = TextDelta {
            replaced: back.collect(),
            ..edit.clone()
        };
        let replaced = self.replaced.iter().map(|one| {
            let span = back.moved(Place::at(one.span())).span;
            Replaced {
                start: span.start(),
                end: span.end(),
                new_len: one.new_len,
            }
        });
        let around = self.around.iter().map(|(start, end)| {
            let span = back.moved(Place::at(Span::new(*start, *end))).span;
            (span.start(), span.end())
        });
        TextDelta {
            replaced: replaced.collect(),
            around: around.collect(),
            ..self.clone()
        }
    }

    /// Returns whether the change touches a place.
    fn touches(&self, place: &Place) -> bool {
        self.moved(Place::at(place.span)).is_touched
    }
}

impl Replaced {
    fn span(&self) -> Span {
        Span::new(self.start, self.end)
    }
}

impl Place {
    /// Returns a place that no change has touched.
    pub fn at(span: Span) -> Place {
        Place {
            span,
            is_touched: false,
        }
    }
}

/// Finds an edit in the text `to`. `own` is the change that it made when it was applied; `changes` may contain the same
/// change without an earlier edit. Returns the change that was followed, if possible one that nothing has touched since.
/// Returns `None` if the changes do not reach that text.
pub fn find(own: &TextDelta, to: FileDigest, changes: &[TextDelta]) -> Option<(TextDelta, Found)> {
    let is_own = |one: &&TextDelta| {
        one.edit_id.is_some()
            && one.edit_id == own.edit_id
            && one.replaced.len() == own.replaced.len()
    };
    let same = std::iter::once(own).chain(changes.iter().filter(is_own));
    let found = same.filter_map(|edit| Some((edit.clone(), follow_to(edit, to, changes)?)));
    found.min_by_key(|(_, found)| (found.is_touched(), found.rest.len()))
}

/// Follows the change `edit` along the shortest way to the text `to`.
fn follow_to(edit: &TextDelta, to: FileDigest, changes: &[TextDelta]) -> Option<Found> {
    let all = follow(&edit.reversed().spans(), edit.after, changes);
    let mut reached = all.iter().find(|one| one.file == to)?;
    let mut found = Found {
        places: reached.places.clone(),
        touched_by: reached
            .touched_by
            .iter()
            .map(|edit_id| edit_id.to_string())
            .collect(),
        rest: Vec::new(),
    };
    while !found.is_touched()
        && let Some((before, change)) = reached.came_by
    {
        reached = &all[before];
        found.rest.push(change.without(edit, &reached.places));
    }
    found.rest.reverse();
    Some(found)
}

/// Returns the later edits that touched the new texts of an edit, which made the change `own`: those on the way to the text
/// `to`, or all if the changes do not reach it.
pub fn touched_by(own: &TextDelta, to: Option<FileDigest>, changes: &[TextDelta]) -> Vec<String> {
    if let Some((_, found)) = to.and_then(|to| find(own, to, changes)) {
        return found.touched_by;
    }
    let all = follow(&own.reversed().spans(), own.after, changes);
    let touched_by: HashSet<&str> = all.iter().flat_map(|one| one.touched_by.clone()).collect();
    touched_by.into_iter().map(str::to_string).collect()
}

/// Returns the edits on the shortest way from the change `edit` to the text `to`, from the last.
pub fn edits_to(edit: &TextDelta, to: FileDigest, changes: &[TextDelta]) -> Vec<String> {
    let all = follow(&[], edit.after, changes);
    let mut edits = Vec::new();
    let mut reached = all.iter().find(|one| one.file == to);
    while let Some((before, change)) = reached.and_then(|one| one.came_by) {
        edits.extend(change.edit_id.clone());
        reached = all.get(before);
    }
    edits
}

/// Returns all texts that the changes reach from the text `from`, the nearest first.
pub fn reachable(from: FileDigest, changes: &[TextDelta]) -> Vec<FileDigest> {
    let all = follow(&[], from, changes);
    all.into_iter().map(|one| one.file).collect()
}

/// Returns all texts that the changes reach from the text `from`, the nearest first, with the places of `spans` in each.
fn follow<'c>(spans: &[Span], from: FileDigest, changes: &'c [TextDelta]) -> Vec<Reached<'c>> {
    let mut by_text: HashMap<FileDigest, Vec<&TextDelta>> = HashMap::new();
    for change in changes {
        by_text.entry(change.before).or_default().push(change);
    }
    let mut seen = HashSet::from([from]);
    let mut all = vec![Reached {
        file: from,
        places: spans.iter().copied().map(Place::at).collect(),
        touched_by: Vec::new(),
        came_by: None,
    }];
    let mut next = 0;
    while next < all.len() {
        let changes = by_text.get(&all[next].file);
        for change in changes.into_iter().flatten().copied() {
            if seen.insert(change.after) {
                let reached = all[next].after(next, change);
                all.push(reached);
            }
        }
        next += 1;
    }
    all
}

impl<'c> Reached<'c> {
    /// Returns the text after a change of this one, which has the index `index`.
    fn after(&self, index: usize, change: &'c TextDelta) -> Reached<'c> {
        let mut touched_by = self.touched_by.clone();
        let edit_id = change.edit_id.as_deref();
        if let Some(edit_id) = edit_id.filter(|edit_id| !touched_by.contains(edit_id))
            && self.places.iter().any(|place| change.touches(place))
        {
            touched_by.push(edit_id);
        }
        Reached {
            file: change.after,
            places: self.places.iter().map(|one| change.moved(*one)).collect(),
            touched_by,
            came_by: Some((index, change)),
        }
    }
}

impl Found {
    /// Returns whether a change touched one of the places.
    pub fn is_touched(&self) -> bool {
        self.places.iter().any(|place| place.is_touched)
    }

    /// Returns the changes from the text before the edit to `undone`, the text without it. `name` must be new: the texts
    /// between them never existed, and their digests must differ from those of all other texts.
    pub fn rest(self, edit: &TextDelta, undone: FileDigest, name: &str) -> Vec<TextDelta> {
        let mut before = edit.before;
        if self.rest.is_empty() && before != undone {
            // The text before the edit exists now.
            return vec![TextDelta {
                edit_id: None,
                before,
                after: undone,
                replaced: Vec::new(),
                around: Vec::new(),
            }];
        }
        let count = self.rest.len();
        let numbered = self.rest.into_iter().enumerate();
        let rest = numbered.map(|(index, change)| {
            let after = match index + 1 == count {
                true => undone,
                false => Digest::of(format!("{name} {index} {undone}").as_bytes()).into(),
            };
            let change = TextDelta {
                before,
                after,
                ..change
            };
            before = after;
            change
        });
        rest.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language;
    use crate::source::Digest;
    use proptest::prelude::*;

    fn file(text: &str) -> FileDigest {
        Digest::of(text.as_bytes()).into()
    }

    fn source(text: &str) -> Source {
        Source::new("a.txt", language::plain_text(), text.to_string())
    }

    /// Replaces the bytes from `start` to `end` of a text.
    fn change(edit_id: &str, before: &str, (start, end): (usize, usize), new: &str) -> TextDelta {
        let after = format!("{}{new}{}", &before[..start], &before[end..]);
        TextDelta {
            edit_id: Some(edit_id.to_string()),
            before: file(before),
            after: file(&after),
            replaced: vec![Replaced {
                start,
                end,
                new_len: new.len(),
            }],
            around: Vec::new(),
        }
    }

    #[test]
    fn a_place_moves_unless_its_own_text_changes() {
        let moved = |span: (usize, usize), replaced: (usize, usize), new: &str| {
            let change = change("e1", "0123456789", replaced, new);
            let place = change.moved(Place::at(Span::new(span.0, span.1)));
            let text = (place.span.start(), place.span.end());
            (text, place.is_touched)
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
    fn an_edit_is_followed_over_changes_and_back() {
        let edit = change("e0", "a b c", (2, 3), "B");
        let first = change("e1", "a B c", (0, 1), "aaa");
        let second = change("e2", "aaa B c", (6, 7), "");
        let changes = [second.reversed(), first, second];
        let texts = ["a B c", "aaa B c", "aaa B "].map(file);
        assert_eq!(reachable(edit.after, &changes), texts);
        let find = |edit, to, changes| {
            let (_, found) = find(edit, file(to), changes).expect("the text is reached");
            (found.places[0].span, found.touched_by)
        };
        assert_eq!(
            find(&edit, "aaa B ", &changes),
            (Span::new(4, 5), Vec::new())
        );
        // The change that removes the last word touches it, and so does every later one there.
        let edit = change("e0", "a B", (3, 3), " c");
        let third = change("e3", "aaa B ", (5, 6), "d");
        let fourth = change("e4", "aaa Bd", (0, 3), "a");
        let changes = [changes.to_vec(), vec![third, fourth]].concat();
        let touched_by = vec!["e2".to_string(), "e3".to_string()];
        assert_eq!(find(&edit, "a Bd", &changes), (Span::new(3, 4), touched_by));
    }

    #[test]
    fn an_unknown_change_is_all_that_may_have_changed() {
        let unknown = |before: &str, after: &str| {
            let change = TextDelta::unknown(&source(before), &source(after));
            (change.spans(), change.reversed().spans())
        };
        let span = |start, end| vec![Span::new(start, end)];
        assert_eq!(unknown("a b c", "a xx c"), (span(2, 3), span(2, 4)));
        // One of the two was removed, but nobody knows which.
        assert_eq!(unknown("t;t;", "t;"), (span(0, 4), span(0, 2)));
        // Between two changes, a line that occurs once is the same line, unless another one has changed places with it.
        let two = |before: &str, after: &str| {
            let change = TextDelta::unknown(&source(before), &source(after));
            let spans = change
                .spans()
                .into_iter()
                .map(|span| (span.start(), span.end()));
            spans.collect::<Vec<_>>()
        };
        assert_eq!(two("a\nb\nc\n", "x\nb\ny\n"), [(0, 1), (4, 5)]);
        assert_eq!(two("a\nb\nb\nc\n", "x\nb\ny\n"), [(0, 7)]);
        assert_eq!(two("a\nb\nc\n", "a\nc\nb\n"), [(2, 5)]);
        assert_eq!(two("x(\nb\n)\n", "x(\n)\nb\n"), [(3, 6)]);
        // Next to an unknown change, nobody knows where a removed text was.
        let change =
            TextDelta::unknown(&source("a;\n\nb;\nc;\nd;\n"), &source("a;\n\nx;\nc;\nd;\n"));
        let is_touched = |offset| change.moved(Place::at(Span::at(offset))).is_touched;
        let touched: Vec<usize> = (0..=13).filter(|offset| is_touched(*offset)).collect();
        assert_eq!(touched, [2, 3, 4, 5, 6, 7]);
    }

    /// Returns a change of `before` from pairs of offsets with new texts, and the text after it.
    fn some_change(before: &str, cuts: &[(usize, usize, String)]) -> (TextDelta, String) {
        let mut parts: Vec<(usize, usize, &str)> = Vec::new();
        for (one, other, new) in cuts {
            let (one, other) = (one % (before.len() + 1), other % (before.len() + 1));
            let (start, end) = (one.min(other), one.max(other));
            if parts.iter().all(|known| known.1 < start || end < known.0) {
                parts.push((start, end, new));
            }
        }
        parts.sort_unstable();
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
            edit_id: None,
            before: file(before),
            after: file(&after),
            replaced: replaced.collect(),
            around: Vec::new(),
        };
        (change, after)
    }

    proptest! {
        #[test]
        fn an_unknown_change_leaves_the_text_of_untouched_places(
            before in "([ab]{1,2}\n){0,12}", after in "([ab]{1,2}\n){0,12}",
            start in 0..30usize, len in 1..8usize,
        ) {
            let change = TextDelta::unknown(&source(&before), &source(&after));
            let start = start.min(before.len());
            let span = Span::new(start, (start + len).min(before.len()));
            let moved = change.moved(Place::at(span));
            prop_assert!(moved.span.end() <= after.len());
            if !moved.is_touched {
                prop_assert_eq!(&after[moved.span.range()], &before[span.range()]);
            }
            // The parts outside the change are all equal.
            let kept = |change: &TextDelta, text: &str| {
                let mut kept = text.to_string();
                for span in change.spans().into_iter().rev() {
                    kept.replace_range(span.range(), "|");
                }
                kept
            };
            prop_assert_eq!(kept(&change, &before), kept(&change.reversed(), &after));
        }

        #[test]
        fn an_untouched_place_has_its_text(
            before in "[A-Z]{1,30}",
            cuts in proptest::collection::vec((0..40usize, 0..40usize, "[a-z]{0,3}"), 0..5),
            (start, len) in (0..30usize, 0..8usize),
        ) {
            let (change, after) = some_change(&before, &cuts);
            let start = start % before.len();
            let span = Span::new(start, (start + len).min(before.len()));
            let moved = change.moved(Place::at(span));
            prop_assert!(after.is_char_boundary(moved.span.end()));
            if !moved.is_touched {
                prop_assert_eq!(&after[moved.span.range()], &before[span.range()]);
                let back = change.reversed().moved(Place::at(moved.span));
                prop_assert!(span.is_empty() || back == Place::at(span));
            }
        }

        #[test]
        fn an_undo_takes_back_one_edit_and_all_of_them_restore_the_first_text(
            start in "[A-Z]{0,12}",
            steps in proptest::collection::vec((0..3usize, cut(), cut(), 0..20usize), 1..14),
        ) {
            let mut history = History::of(&start);
            for (number, (kind, one, other, which)) in steps.into_iter().enumerate() {
                match history.applied.len() {
                    applied if kind == 0 && applied > 0 => drop(history.undo(which % applied)),
                    _ => history.edit(number, &[one, other]),
                }
            }
            while (0..history.applied.len()).rev().any(|index| history.undo(index)) {}
            if let Some((_, last, _)) = history.applied.last() {
                // An undo has put text where it removed some, and the order of the two is unknown.
                prop_assert!(last.replaced.iter().any(|one| one.new_len == 0));
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
        /// The edits that are applied, with the texts that they replaced.
        applied: Vec<(usize, TextDelta, Vec<String>)>,
        changes: Vec<TextDelta>,
    }

    struct Cell {
        letter: char,
        inserted_by: Option<usize>,
        removed_by: Option<usize>,
    }

    impl History {
        fn of(text: &str) -> History {
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

        /// Makes an edit whose new text is of a letter that no other edit inserts.
        fn edit(&mut self, number: usize, cuts: &[(usize, usize, usize)]) {
            let letter = char::from(b'a' + u8::try_from(number).expect("there are few edits"));
            let cuts = cuts
                .iter()
                .map(|(one, other, len)| (*one, *other, String::from(letter).repeat(*len)));
            let before = self.text.clone();
            let (change, after) = some_change(&before, &cuts.collect::<Vec<_>>());
            // A text that returns by itself is like an undo, and the edits before it are not told apart.
            let is_known = |one: &TextDelta| [one.before, one.after].contains(&file(&after));
            if after == before || self.changes.iter().any(is_known) {
                return;
            }
            for one in change.replaced.iter().rev() {
                let at = self.cell_at(one.start);
                for offset in (one.start..one.end).rev() {
                    let cell = self.cell_at(offset);
                    self.cells[cell].removed_by = Some(number);
                }
                let new = std::iter::repeat_with(|| Cell {
                    letter,
                    inserted_by: Some(number),
                    removed_by: None,
                });
                self.cells.splice(at..at, new.take(one.new_len));
            }
            let change = TextDelta {
                edit_id: Some(format!("e{number}")),
                ..change
            };
            let old = change.spans().into_iter();
            let old = old.map(|span| before[span.range()].to_string());
            self.applied.push((number, change.clone(), old.collect()));
            self.changes.push(change);
            self.text = after;
            assert_eq!(self.visible(), self.text);
        }

        /// Undoes an edit, unless a later one has touched it. Returns whether it was undone.
        fn undo(&mut self, index: usize) -> bool {
            let (number, own, old) = &self.applied[index];
            let found = find(own, file(&self.text), &self.changes);
            let (edit, found) = found.expect("all changes are known");
            if found.is_touched() {
                return false;
            }
            let mut undone = self.text.clone();
            for (place, old) in found.places.iter().zip(old).rev() {
                undone.replace_range(place.span.range(), old);
            }
            let is_own = |by: Option<usize>| by == Some(*number);
            self.cells.retain(|cell| {
                let is_own = is_own(cell.inserted_by);
                assert!(!is_own || cell.removed_by.is_none(), "it was touched");
                !is_own
            });
            for cell in &mut self.cells {
                cell.removed_by = cell.removed_by.filter(|by| by != number);
            }
            assert_eq!(self.visible(), undone);
            let back = edit
                .replaced
                .iter()
                .zip(&found.places)
                .map(|(one, place)| Replaced {
                    start: place.span.start(),
                    end: place.span.end(),
                    new_len: one.end - one.start,
                });
            let back = TextDelta {
                edit_id: None,
                before: file(&self.text),
                after: file(&undone),
                replaced: back.collect(),
                around: Vec::new(),
            };
            let name = format!("undo {}", self.changes.len());
            let rest = found.rest(&edit, file(&undone), &name);
            self.changes.push(back);
            self.changes.extend(rest);
            self.applied.remove(index);
            self.text = undone;
            true
        }
    }
}
