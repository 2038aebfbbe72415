//! Creates a [`Preview`] of [`Checked`] edits: the diff, and the digests of each file before and after.
//!
//! Only a preview can be applied. It is created from checked changes or, inside the crate, from the record of an
//! earlier preview ([`PreviewRecord`]) if the same edit of the same text has the same result.

mod record;
#[cfg(feature = "disk")]
mod seams;
#[cfg(feature = "disk")]
mod short;

use std::collections::HashSet;
use std::ops::Range;

use similar::{DiffOp, DiffTag, group_diff_ops};

#[cfg(feature = "disk")]
use crate::change::Target;
use crate::change::{Replacement, TextEdit};
#[cfg(feature = "disk")]
use crate::source::FileDigest;
use crate::source::{Source, Span, shortest_diff};
use crate::validate::{Checked, Note};

use record::RecordData;
pub use record::{MovedFile, PreviewRecord};
#[cfg(feature = "disk")]
pub(crate) use seams::seams;
#[cfg(feature = "disk")]
pub(crate) use short::shortened;

/// The number of context lines in a diff.
const CONTEXT: usize = 3;

/// The maximum number of line pairs to compare for the shortest diff of one change. Beyond it, the diff removes all old
/// lines and adds all new ones.
const LINE_PAIRS: usize = 4_000_000;

/// Checked edits of one or more files, ready to be written, either all or none.
///
/// ```
/// use treegraft::edit::edit;
/// use treegraft::{Operation, Parsed, Preview, Selector, Source, language, preview, select, validate};
///
/// let text = "fn f() { g(1); }\n".to_string();
/// let parsed = Parsed::parse(Source::new("a.rs", language::for_file("a.rs", &text), text));
/// let selection = select::select(&parsed, &Selector::new("g", "call_expression")).expect("one call");
/// let change = edit(selection, &Operation::replace("h()")).expect("a call can be edited");
/// let checked = validate::validate(change, &[]).expect("a call for a call");
/// let (file, _notes) = preview::preview(checked);
/// let preview = Preview::from_files(vec![file]).expect("one change of one file");
/// assert!(preview.files()[0].record().diff().contains("+fn f() { h(); }\n"));
/// ```
#[derive(Clone, Debug)]
pub struct Preview {
    files: Vec<FilePreview>,
}

/// Checked edits of one file, or a file that is created or removed as a whole.
#[derive(Clone, Debug)]
pub struct FilePreview {
    /// Empty if there is no file before.
    before: Source,
    /// Empty if there is no file after.
    after: Source,
    record: PreviewRecord,
}

/// Two changes of one file in an unknown order.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{file_path}` is changed twice")]
#[non_exhaustive]
pub struct SameFile {
    /// The path of the file, as used in answers.
    pub file_path: String,
}

/// Why a preview cannot be restored from its record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[cfg(feature = "disk")]
pub(crate) enum NotThePreviewed {
    /// The text is not the one that the preview was made from.
    #[error("the file changed since the preview")]
    TextChanged,
    /// The text is the same, but the recorded edit has a different result than shown.
    #[error("the recorded edit does not have the result that was shown")]
    ResultDiffers,
}

/// Creates the preview of a checked change, and returns its notes.
pub fn preview(checked: Checked<'_>) -> (FilePreview, Vec<Note>) {
    let (before, after, text_edit, targets, notes) = checked.into_parts();
    let record = PreviewRecord::new(RecordData {
        file_path: before.path().to_string(),
        replacements: text_edit.replacements().to_vec(),
        digest_before: before.digest().into(),
        digest_after: after.digest().into(),
        targets,
        diff: diff(&before, &text_edit),
        moved: None,
    });
    let preview = FilePreview {
        before,
        after,
        record,
    };
    (preview, notes)
}

impl Preview {
    /// Combines the files of one edit.
    ///
    /// # Errors
    /// A file occurs twice: the second change would undo the first.
    pub fn from_files(files: Vec<FilePreview>) -> Result<Preview, SameFile> {
        let mut known = HashSet::new();
        for file in &files {
            if !known.insert(file.before.path()) {
                let file_path = file.before.path().to_string();
                return Err(SameFile { file_path });
            }
        }
        Ok(Preview { files })
    }

    /// Returns the previews of the files.
    pub fn files(&self) -> &[FilePreview] {
        &self.files
    }
}

#[cfg(feature = "disk")]
impl FilePreview {
    /// Creates the preview of a new file. `targets` are the targets of edits of its first text.
    pub(crate) fn of_new(
        after: Source,
        targets: Vec<Target>,
        moved: Option<MovedFile>,
    ) -> FilePreview {
        let before = Source::new(after.path(), after.language(), String::new());
        let targets = targets.into_iter().map(|target| Target {
            span: Span::at(0),
            ..target
        });
        FilePreview::of_whole(before, after, targets.collect(), moved, true)
    }

    /// Creates the preview of a removed file, whose root has this type.
    pub(crate) fn of_removed(
        before: Source,
        node_type: String,
        moved: Option<MovedFile>,
    ) -> FilePreview {
        let after = Source::new(before.path(), before.language(), String::new());
        let target = Target {
            node_type,
            span: before.whole(),
            new_span: Span::at(0),
        };
        FilePreview::of_whole(before, after, vec![target], moved, false)
    }

    fn of_whole(
        before: Source,
        after: Source,
        targets: Vec<Target>,
        moved: Option<MovedFile>,
        is_new: bool,
    ) -> FilePreview {
        let replacement = all_of(&before, &after);
        let (digest_before, digest_after) = match is_new {
            true => (FileDigest::Absent, after.digest().into()),
            false => (before.digest().into(), FileDigest::Absent),
        };
        let diff = match moved {
            Some(_) => String::new(),
            None => whole_diff(before.path(), &before, &after, is_new),
        };
        let record = PreviewRecord::new(RecordData {
            file_path: before.path().to_string(),
            replacements: vec![replacement],
            digest_before,
            digest_after,
            targets,
            diff,
            moved,
        });
        FilePreview {
            before,
            after,
            record,
        }
    }

    /// Returns the text before the edit, or `None` if there is no file.
    pub(crate) fn text_before(&self) -> Option<&Source> {
        (!self.record.digest_before().is_absent()).then_some(&self.before)
    }

    /// Returns the text after the edit, or `None` if there is no file.
    pub(crate) fn text_after(&self) -> Option<&Source> {
        (!self.record.digest_after().is_absent()).then_some(&self.after)
    }

    /// Returns the preview of an edit that was checked in another text: in `before`, it has these replacements and targets.
    pub(crate) fn moved(before: Source, text_edit: &TextEdit, targets: Vec<Target>) -> FilePreview {
        let after = text_edit.apply(&before);
        let record = PreviewRecord::new(RecordData {
            file_path: before.path().to_string(),
            replacements: text_edit.replacements().to_vec(),
            digest_before: before.digest().into(),
            digest_after: after.digest().into(),
            targets,
            diff: diff(&before, text_edit),
            moved: None,
        });
        FilePreview {
            before,
            after,
            record,
        }
    }

    /// Returns the preview of the same edit as if it were made last: `now` is the text after it, with the new texts of the
    /// edit at `places`. Returns `None` if these are not disjoint, or have other texts.
    pub(crate) fn made_last(&self, now: &Source, places: &[Span]) -> Option<FilePreview> {
        let kept = self.record.data();
        let mut pairs = kept.replacements.iter().zip(places);
        let has_own_texts = kept.replacements.len() == places.len()
            && pairs.all(|(one, place)| {
                now.whole().contains(*place) && now.slice(*place) == one.new_text
            });
        if !has_own_texts {
            return None;
        }
        let old = kept
            .replacements
            .iter()
            .zip(places)
            .map(|(one, place)| Replacement {
                span: *place,
                new_text: self.before.slice(one.span).into_owned(),
            });
        let back = TextEdit::new(now, old.collect()).ok()?;
        let before = back.apply(now);
        let text_edit = back.reversed(now);
        // Where other changes are inside a target is not known. Its own changes show where it is.
        let own = TextEdit::new(&self.before, kept.replacements.clone()).ok()?;
        let pairs = || own.replacements().iter().zip(own.new_spans());
        let targets = kept.targets.iter().map(|target| {
            let inside = pairs().enumerate().filter(|(_, (one, new_span))| {
                target.span.touches(one.span) && target.new_span.touches(*new_span)
            });
            let inside: Vec<usize> = inside.map(|(index, _)| index).collect();
            let hull = |spans: &[Span]| {
                let first = spans.get(*inside.first()?)?;
                Some(Span::new(first.start(), spans.get(*inside.last()?)?.end()))
            };
            let old_spans: Vec<Span> = text_edit
                .replacements()
                .iter()
                .map(|one| one.span)
                .collect();
            Target {
                node_type: target.node_type.clone(),
                span: hull(&old_spans).unwrap_or_else(|| text_edit.hull()),
                new_span: hull(places).unwrap_or_else(|| text_edit.new_hull()),
            }
        });
        let record = PreviewRecord::new(RecordData {
            file_path: now.path().to_string(),
            replacements: text_edit.replacements().to_vec(),
            digest_before: before.digest().into(),
            digest_after: now.digest().into(),
            targets: targets.collect(),
            diff: diff(&before, &text_edit),
            moved: None,
        });
        Some(FilePreview {
            before,
            after: now.clone(),
            record,
        })
    }

    /// Returns the edit from the text after this one back to the text before it.
    pub(crate) fn back(&self) -> Option<TextEdit> {
        let there = TextEdit::new(&self.before, self.record.replacements().to_vec()).ok()?;
        Some(there.reversed(&self.before))
    }

    /// Returns the unified diff of the edit undone; it is empty if the file is moved.
    pub(crate) fn diff_undone(&self) -> String {
        match (self.text_before(), self.text_after()) {
            (Some(before), Some(after)) => difference(after, before),
            _ if self.record.moved().is_some() => String::new(),
            (before, _) => whole_diff(
                self.before.path(),
                &self.after,
                &self.before,
                before.is_some(),
            ),
        }
    }
}

impl FilePreview {
    /// Restores a preview from its record and the text that it was made from.
    ///
    /// # Errors
    /// The text differs, or the recorded edit has a different result than shown. The text of a file that does not exist is
    /// empty; whether it exists is not checked.
    #[cfg(feature = "disk")]
    pub(crate) fn reopen(
        before: &Source,
        record: PreviewRecord,
    ) -> Result<FilePreview, NotThePreviewed> {
        let kept = record.data();
        let is_same = match kept.digest_before {
            FileDigest::Absent => before.is_empty(),
            FileDigest::Present(digest) => before.digest() == digest,
        };
        if !is_same {
            return Err(NotThePreviewed::TextChanged);
        }
        let text_edit = TextEdit::new(before, kept.replacements.clone())
            .map_err(|_| NotThePreviewed::ResultDiffers)?;
        let after = text_edit.apply(before);
        let is_inside = |target: &Target| {
            before.whole().contains(target.span) && after.whole().contains(target.new_span)
        };
        // The process that showed the file may have used another path for it.
        let path = kept.file_path.as_str();
        let (has_result, diff) = match (kept.digest_before, kept.digest_after) {
            (FileDigest::Absent, FileDigest::Absent) => (false, String::new()),
            (FileDigest::Absent, FileDigest::Present(digest)) => (
                after.digest() == digest,
                whole_diff(path, before, &after, true),
            ),
            (FileDigest::Present(_), FileDigest::Absent) => {
                (after.is_empty(), whole_diff(path, before, &after, false))
            }
            (FileDigest::Present(_), FileDigest::Present(digest)) => {
                (after.digest() == digest, diff_of(path, before, &text_edit))
            }
        };
        let is_shown = match kept.moved {
            Some(_) => kept.diff.is_empty(),
            None => kept.diff == diff,
        };
        let is_whole = has_result
            && is_shown
            && !kept.targets.is_empty()
            && kept.targets.iter().all(is_inside);
        match is_whole {
            true => Ok(FilePreview {
                before: before.clone(),
                after,
                record,
            }),
            false => Err(NotThePreviewed::ResultDiffers),
        }
    }

    /// Returns the same preview in an edit of fewer files. `place` returns the new index of a file.
    #[cfg(feature = "disk")]
    pub(crate) fn renumbered(self, place: impl Fn(usize) -> Option<usize>) -> FilePreview {
        let moved = match self.record.moved() {
            None => return self,
            Some(MovedFile::To(other)) => place(other).map(MovedFile::To),
            Some(MovedFile::From(other)) => place(other).map(MovedFile::From),
        };
        let data = self.record.data().clone();
        FilePreview {
            record: PreviewRecord::new(RecordData { moved, ..data }),
            ..self
        }
    }

    /// Returns the same preview with texts that need half the memory.
    #[cfg(feature = "disk")]
    pub(crate) fn without_strings(self) -> FilePreview {
        FilePreview {
            before: self.before.without_string(),
            after: self.after.without_string(),
            record: self.record,
        }
    }

    /// Returns the text before the edit.
    pub fn before(&self) -> &Source {
        &self.before
    }

    /// Returns the text after the edit.
    pub fn after(&self) -> &Source {
        &self.after
    }

    /// Returns the record of the preview.
    pub fn record(&self) -> &PreviewRecord {
        &self.record
    }
}

/// Returns the number of lines that a diff of this module adds, and the number that it removes.
#[cfg(feature = "disk")]
pub(crate) fn line_counts(diff: &str) -> (usize, usize) {
    // After the two lines with the path.
    let lines = || diff.split('\n').skip(2);
    let count = |sign: char| lines().filter(|line| line.starts_with(sign)).count();
    (count('+'), count('-'))
}

/// Returns the runs of a shortest diff in order: the lines of `old`, those of `new`, and whether they are equal.
#[cfg(feature = "disk")]
pub(crate) fn line_runs(
    old: &[String],
    new: &[String],
) -> impl Iterator<Item = (Range<usize>, Range<usize>, bool)> {
    let [old, new] = [old, new].map(|lines| lines.iter().map(String::as_str).collect::<Vec<_>>());
    let ops = line_ops(&old, &new).into_iter();
    ops.map(|op| (op.old_range(), op.new_range(), op.tag() == DiffTag::Equal))
}

/// Returns the unified diff of two texts of one file.
pub fn difference(before: &Source, after: &Source) -> String {
    diff(before, &changed(before, after))
}

/// Returns the change from one text to another as one replacement, without their common prefix and suffix.
pub(crate) fn changed(before: &Source, after: &Source) -> TextEdit {
    let (old, new) = (before.text(), after.text());
    let same = |(one, other): &(char, char)| one == other;
    let common = old.chars().zip(new.chars()).take_while(same);
    let front: usize = common.map(|(c, _)| c.len_utf8()).sum();
    let (old_rest, new_rest) = (&old[front..], &new[front..]);
    let common = old_rest.chars().rev().zip(new_rest.chars().rev());
    let back: usize = common.take_while(same).map(|(c, _)| c.len_utf8()).sum();
    let replacement = Replacement {
        span: Span::new(front, old.len() - back),
        new_text: new_rest[..new_rest.len() - back].to_string(),
    };
    TextEdit::new(before, vec![replacement]).expect("it is cut between characters")
}

/// Returns the change from one text to another as one replacement for each run of changed lines.
#[cfg(feature = "disk")]
pub(crate) fn changed_lines(before: &Source, after: &Source) -> TextEdit {
    let lines = |source: &Source| -> Vec<String> {
        let lines = source.text().split_inclusive('\n');
        lines.map(str::to_string).collect()
    };
    let (old, new) = (lines(before), lines(after));
    let mut start = 0;
    let mut replacements = Vec::new();
    for (old_range, new_range, is_equal) in line_runs(&old, &new) {
        let end = start + old[old_range].iter().map(String::len).sum::<usize>();
        if !is_equal {
            replacements.push(Replacement {
                span: Span::new(start, end),
                new_text: new[new_range].concat(),
            });
        }
        start = end;
    }
    TextEdit::new(before, replacements).expect("it is cut between lines")
}

/// Returns the unified diff of an edit, in a form that `patch -p1` accepts. As for `patch`, only `\n` ends a line. The
/// cost grows with the edit, not with the file.
pub(crate) fn diff(before: &Source, text_edit: &TextEdit) -> String {
    diff_of(before.path(), before, text_edit)
}

/// Returns the diffs of the files of an edit, each with the path that answers show.
#[cfg(feature = "disk")]
pub(crate) fn all_renamed(files: &[(&PreviewRecord, &str)]) -> Vec<String> {
    let diffs = files.iter().map(|(record, path)| {
        let other = record.moved().and_then(|moved| files.get(moved.index()));
        renamed(record, path, other.map(|(_, path)| *path))
    });
    diffs.collect()
}

/// Returns the diff of a record with `path` as the path of the file. For a moved file, `other` is the other path.
#[cfg(feature = "disk")]
pub(crate) fn renamed(record: &PreviewRecord, path: &str, other: Option<&str>) -> String {
    match (record.moved(), other) {
        (Some(MovedFile::To(_)), Some(other)) => move_head(path, other),
        (Some(_), _) => String::new(),
        (None, _) => {
            let diff = record.diff();
            let (before, after) = (record.digest_before(), record.digest_after());
            match diff.match_indices('\n').nth(1) {
                Some((end, _)) => {
                    let is_empty = end + 1 == diff.len();
                    let head = head_of(path, before.is_absent(), after.is_absent(), is_empty);
                    head + &diff[end + 1..]
                }
                None => diff.to_string(),
            }
        }
    }
}

/// Returns the diffs in an order in which programs read them as one patch: those in the form of git last, since such a
/// program takes the lines after their heads as a part of them.
#[cfg(feature = "disk")]
pub(crate) fn in_one_patch<'d>(diffs: impl Iterator<Item = &'d str>) -> Vec<&'d str> {
    let mut diffs: Vec<&str> = diffs.collect();
    diffs.sort_by_key(|diff| diff.starts_with(GIT));
    diffs
}

/// The start of a diff in the form of git.
#[cfg(feature = "disk")]
const GIT: &str = "diff --git ";

/// Returns the diff of a move, in the form of git.
#[cfg(feature = "disk")]
pub(crate) fn move_head(from: &str, to: &str) -> String {
    let line = |path: &str| {
        name("", path)
            .trim_start_matches('/')
            .trim_end()
            .to_string()
    };
    format!(
        "{GIT}{} {}\nsimilarity index 100%\nrename from {}\nrename to {}\n",
        name("a", from).trim_end(),
        name("b", to).trim_end(),
        line(from),
        line(to)
    )
}

/// Returns the diff of a file that is created, or else removed.
#[cfg(feature = "disk")]
fn whole_diff(path: &str, before: &Source, after: &Source, is_new: bool) -> String {
    let text_edit = TextEdit::new(before, vec![all_of(before, after)]);
    let text_edit = text_edit.expect("the whole text is one replacement");
    let is_empty = before.is_empty() && after.is_empty();
    head_of(path, is_new, !is_new, is_empty) + &hunks_of(before, &text_edit)
}

/// Returns the replacement of all bytes, including a byte order mark.
#[cfg(feature = "disk")]
fn all_of(before: &Source, after: &Source) -> Replacement {
    Replacement {
        span: Span::new(0, before.len()),
        new_text: after.text().to_string(),
    }
}

/// Returns the two lines before the hunks. An empty file has no hunks, so its lines have the form of git.
#[cfg(feature = "disk")]
fn head_of(path: &str, is_new: bool, is_removed: bool, is_empty: bool) -> String {
    const NOTHING: &str = "/dev/null";
    match (is_new, is_removed) {
        (false, false) => head(path),
        (is_new, _) if is_empty => {
            let verb = if is_new { "new" } else { "deleted" };
            let names = [name("a", path), name("b", path)];
            let [old, new] = names.each_ref().map(|name| name.trim_end());
            format!("{GIT}{old} {new}\n{verb} file mode 100644\n")
        }
        (true, _) => format!("--- {NOTHING}\n+++ {}\n", name("b", path)),
        (false, true) => format!("--- {}\n+++ {NOTHING}\n", name("a", path)),
    }
}

fn diff_of(path: &str, before: &Source, text_edit: &TextEdit) -> String {
    head(path) + &hunks_of(before, text_edit)
}

fn hunks_of(before: &Source, text_edit: &TextEdit) -> String {
    let mut hunks = String::new();
    let mut grown: isize = 0;
    for window in windows(before, text_edit) {
        let old = before.slice(window.span);
        let new = new_text(before, text_edit, window.span);
        let old_lines: Vec<&str> = old.split_inclusive('\n').collect();
        let new_lines: Vec<&str> = new.split_inclusive('\n').collect();
        let first_line = before.newline_point(window.span.start()).0;
        let ops = match old_lines.len().saturating_mul(new_lines.len()) <= LINE_PAIRS {
            true => window.line_ops(&old_lines, &new_lines),
            false => window.ops_of_runs(before, text_edit, &old_lines, &new_lines),
        };
        for group in group_diff_ops(ops, CONTEXT) {
            push_hunk(
                &mut hunks, &group, &old_lines, &new_lines, first_line, grown,
            );
        }
        grown += new_lines.len() as isize - old_lines.len() as isize;
    }
    hunks
}

/// Returns the two lines before the hunks.
fn head(path: &str) -> String {
    format!("--- {}\n+++ {}\n", name("a", path), name("b", path))
}

/// The lines that replacements change, with context lines.
struct Window {
    span: Span,
    /// The number of context lines before and after the changed lines.
    context: (usize, usize),
}

/// Returns the lines that each replacement changes, with context. Merges adjacent windows.
fn windows(before: &Source, text_edit: &TextEdit) -> Vec<Window> {
    let bytes = before.text().as_bytes();
    let mut windows: Vec<Window> = Vec::new();
    for replacement in text_edit.replacements() {
        let before_span = &bytes[..replacement.span.start()];
        let after_span = &bytes[replacement.span.end()..];
        // The line, and the context on both sides.
        let start = memchr::memrchr_iter(b'\n', before_span)
            .nth(CONTEXT)
            .map_or(0, |newline| newline + 1);
        let end = memchr::memchr_iter(b'\n', after_span)
            .nth(CONTEXT)
            .map_or(bytes.len(), |newline| replacement.span.end() + newline + 1);
        let lines = |part: &[u8]| memchr::memchr_iter(b'\n', part).count();
        let leading = lines(&bytes[start..replacement.span.start()]);
        let rest = &bytes[replacement.span.end()..end];
        let trailing = rest.split_inclusive(|byte| *byte == b'\n').count();
        let context = (leading, trailing.saturating_sub(1));
        match windows.last_mut() {
            Some(last) if last.span.end() >= start => {
                last.span = Span::new(last.span.start(), end);
                last.context.1 = context.1;
            }
            _ => windows.push(Window {
                span: Span::new(start, end),
                context,
            }),
        }
    }
    windows
}

impl Window {
    /// Compares the removed and added lines without the context. Otherwise a change could slide into the context and
    /// shorten it, and `patch` takes a short context for the end of the file.
    fn line_ops(&self, old: &[&str], new: &[&str]) -> Vec<DiffOp> {
        let (leading, trailing) = self.context;
        let inner = |lines: usize| leading..lines - trailing;
        let equal = |old_index, new_index, len| DiffOp::Equal {
            old_index,
            new_index,
            len,
        };
        let mut ops = vec![equal(0, 0, leading)];
        for op in line_ops(&old[inner(old.len())], &new[inner(new.len())]) {
            ops.push(shifted(op, leading, leading));
        }
        ops.push(equal(old.len() - trailing, new.len() - trailing, trailing));
        joined(ops)
    }

    /// Compares only the lines that each replacement changes. For long windows, whose lines are too many to compare.
    fn ops_of_runs(
        &self,
        before: &Source,
        text_edit: &TextEdit,
        old: &[&str],
        new: &[&str],
    ) -> Vec<DiffOp> {
        let breaks = |text: &str| memchr::memchr_iter(b'\n', text.as_bytes()).count();
        let mut runs: Vec<(Range<usize>, Range<usize>)> = Vec::new();
        let (mut from, mut old_line, mut new_line) = (self.span.start(), 0, 0);
        for one in replacements_in(text_edit, self.span) {
            let same = breaks(&before.slice(Span::new(from, one.span.start())));
            let [old_first, new_first] = [old_line, new_line].map(|line| line + same);
            old_line = old_first + breaks(&before.slice(one.span));
            new_line = new_first + breaks(&one.new_text);
            from = one.span.end();
            let ends = (old.len().min(old_line + 1), new.len().min(new_line + 1));
            match runs.last_mut() {
                Some((old, new)) if old.end > old_first || new.end > new_first => {
                    (old.end, new.end) = ends;
                }
                _ => runs.push((old_first..ends.0, new_first..ends.1)),
            }
        }
        let mut ops = Vec::new();
        let (mut old_index, mut new_index) = (0, 0);
        for (old_run, new_run) in runs {
            ops.push(DiffOp::Equal {
                old_index,
                new_index,
                len: old_run.start - old_index,
            });
            (old_index, new_index) = (old_run.end, new_run.end);
            let (old_first, new_first) = (old_run.start, new_run.start);
            let own = line_ops(&old[old_run], &new[new_run]).into_iter();
            ops.extend(own.map(|op| shifted(op, old_first, new_first)));
        }
        ops.push(DiffOp::Equal {
            old_index,
            new_index,
            len: old.len() - old_index,
        });
        joined(ops)
    }
}

/// Returns the operation moved down by these numbers of lines.
fn shifted(op: DiffOp, by_old: usize, by_new: usize) -> DiffOp {
    let (tag, old, new) = op.as_tag_tuple();
    let (old_index, new_index) = (old.start + by_old, new.start + by_new);
    match tag {
        DiffTag::Equal => DiffOp::Equal {
            old_index,
            new_index,
            len: old.len(),
        },
        DiffTag::Delete => DiffOp::Delete {
            old_index,
            old_len: old.len(),
            new_index,
        },
        DiffTag::Insert => DiffOp::Insert {
            old_index,
            new_index,
            new_len: new.len(),
        },
        DiffTag::Replace => DiffOp::Replace {
            old_index,
            old_len: old.len(),
            new_index,
            new_len: new.len(),
        },
    }
}

/// Removes empty operations, and merges adjacent operations of equal lines.
fn joined(ops: Vec<DiffOp>) -> Vec<DiffOp> {
    let mut joined: Vec<DiffOp> = Vec::new();
    for op in ops {
        if op.old_range().is_empty() && op.new_range().is_empty() {
            continue;
        }
        match (joined.last_mut(), op) {
            (Some(DiffOp::Equal { len, .. }), DiffOp::Equal { len: more, .. }) => *len += more,
            (_, op) => joined.push(op),
        }
    }
    joined
}

/// Returns the replacements in a window.
fn replacements_in(text_edit: &TextEdit, window: Span) -> impl Iterator<Item = &Replacement> {
    let replacements = text_edit.replacements().iter();
    replacements.filter(move |one| window.contains(one.span))
}

/// Returns the text of a window after the edit.
fn new_text(before: &Source, text_edit: &TextEdit, window: Span) -> String {
    let mut new = String::new();
    let mut from = window.start();
    for replacement in replacements_in(text_edit, window) {
        new.push_str(&before.slice(Span::new(from, replacement.span.start())));
        new.push_str(&replacement.new_text);
        from = replacement.span.end();
    }
    new.push_str(&before.slice(Span::new(from, window.end())));
    new
}

fn line_ops(old: &[&str], new: &[&str]) -> Vec<DiffOp> {
    let same_front = old
        .iter()
        .zip(new)
        .take_while(|(old, new)| old == new)
        .count();
    let most = old.len().min(new.len()) - same_front;
    let backwards = old.iter().rev().zip(new.iter().rev());
    let same_back = backwards
        .take(most)
        .take_while(|(old, new)| old == new)
        .count();
    let old_len = old.len() - same_front - same_back;
    let new_len = new.len() - same_front - same_back;
    if old_len.saturating_mul(new_len) <= LINE_PAIRS {
        return shortest_diff(old, new);
    }
    let whole = [
        DiffOp::Equal {
            old_index: 0,
            new_index: 0,
            len: same_front,
        },
        DiffOp::Replace {
            old_index: same_front,
            old_len,
            new_index: same_front,
            new_len,
        },
        DiffOp::Equal {
            old_index: same_front + old_len,
            new_index: same_front + new_len,
            len: same_back,
        },
    ];
    joined(whole.to_vec())
}

fn push_hunk(
    hunks: &mut String,
    group: &[DiffOp],
    old: &[&str],
    new: &[&str],
    first_line: usize,
    grown: isize,
) {
    let (Some(first), Some(last)) = (group.first(), group.last()) else {
        return;
    };
    let old_range = first.old_range().start..last.old_range().end;
    let new_range = first.new_range().start..last.new_range().end;
    let old_numbers = numbers(first_line + old_range.start, old_range.len());
    let new_first = (first_line + new_range.start).saturating_add_signed(grown);
    let new_numbers = numbers(new_first, new_range.len());
    hunks.push_str(&format!("@@ -{old_numbers} +{new_numbers} @@\n"));
    let mut push = |sign: char, lines: &[&str]| {
        for line in lines {
            hunks.push(sign);
            hunks.push_str(line);
            if !line.ends_with('\n') {
                hunks.push_str("\n\\ No newline at end of file\n");
            }
        }
    };
    for op in group {
        match op.tag() {
            DiffTag::Equal => push(' ', &old[op.old_range()]),
            _ => {
                push('-', &old[op.old_range()]);
                push('+', &new[op.new_range()]);
            }
        }
    }
}

/// Returns the line numbers of a hunk: the first line (from 1) and the count. For an empty range, the number is that of
/// the preceding line.
fn numbers(first: usize, count: usize) -> String {
    match count {
        0 => format!("{first},0"),
        1 => format!("{}", first + 1),
        _ => format!("{},{count}", first + 1),
    }
}

/// Returns a file name as `patch` reads it: quoted as in git if it contains control characters, quotes or
/// backslashes, followed by a tab if it contains blanks.
fn name(prefix: &str, path: &str) -> String {
    let path = path.trim_start_matches('/');
    let special = |c: char| c.is_control() || c == '"' || c == '\\';
    if !path.contains(special) {
        let end = if path.contains(' ') { "\t" } else { "" };
        return format!("{prefix}/{path}{end}");
    }
    let mut quoted = format!("\"{prefix}/");
    for c in path.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            c if c.is_control() => {
                for byte in c.to_string().bytes() {
                    quoted.push_str(&format!("\\{byte:03o}"));
                }
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::Parsed;
    use crate::validate::validate;
    use crate::{edit, language, select};
    use serde_json::json;

    fn shown() -> FilePreview {
        let text = "{\"a\": 1}\n".to_string();
        let source = Source::new("a.json", language::for_file("a.json", &text), text);
        let parsed = Parsed::parse(source);
        let selection = select::select(&parsed, &select::Selector::new("1", "number"));
        let operation = edit::Operation::Replace {
            new_content: "2".to_string(),
            indent: edit::Indent::Auto,
            include_attached: false,
        };
        let edited = edit::edit(selection.expect("there is one"), &operation);
        let checked = validate(edited.expect("a number can be edited"), &[]);
        preview(checked.expect("a number for a number")).0
    }

    #[test]
    fn the_diff_of_many_places_shows_only_their_lines() {
        const COUNT: usize = 1_000;
        let lines = |of: fn(usize) -> String| (0..COUNT).map(of).collect::<String>();
        let text = lines(|n| format!("a{n}(1)\nb\nc\n"));
        let source = Source::new("a.txt", language::for_file("a.txt", &text), text.clone());
        for new_text in ["2", "2)\nd(2"] {
            let replacement = |(start, _): (usize, &str)| Replacement {
                span: Span::new(start, start + 1),
                new_text: new_text.to_string(),
            };
            // The digit before the bracket that closes the line.
            let ends = text.match_indices("1)\n").map(replacement).collect();
            let text_edit = TextEdit::new(&source, ends).expect("they are apart");
            let diff = diff(&source, &text_edit);
            let count = |sign: &str| {
                diff.lines()
                    .skip(2)
                    .filter(|one| one.starts_with(sign))
                    .count()
            };
            let added = 1 + new_text.matches('\n').count();
            assert_eq!(
                [count("-"), count("+"), count(" ")],
                [COUNT, COUNT * added, 2 * COUNT]
            );
            let from_hunk =
                |line: &str| line.strip_prefix([' ', '+']).map(|own| format!("{own}\n"));
            let after: String = diff.lines().skip(3).filter_map(from_hunk).collect();
            assert_eq!(after, text_edit.apply(&source).text());
        }
    }

    #[test]
    fn a_record_restores_its_preview() {
        let shown = shown();
        let mut written = Vec::new();
        let mut serializer = serde_json::Serializer::new(&mut written);
        let record = shown.record().serialize(&mut serializer);
        record.expect("it consists of strings and numbers");
        let written: serde_json::Value = serde_json::from_slice(&written).expect("it is JSON");
        let reopened = |before: &Source, change: &[(&str, serde_json::Value)]| {
            let mut changed = written.clone();
            for (pointer, value) in change {
                *changed.pointer_mut(pointer).expect("it has that field") = value.clone();
            }
            let record = PreviewRecord::deserialize(changed).ok()?;
            let reopened = FilePreview::reopen(before, record);
            Some(reopened.map(|again| again.after().text().to_string()))
        };
        let after = Some(Ok("{\"a\": 2}\n".to_string()));
        assert_eq!(reopened(shown.before(), &[]), after);
        let changed = Some(Err(NotThePreviewed::TextChanged));
        assert_eq!(reopened(shown.after(), &[]), changed);
        let differs = Some(Err(NotThePreviewed::ResultDiffers));
        let other = shown.before().digest().to_string();
        for (pointer, value) in [
            ("/replacements/0/2", json!("3")),
            ("/replacements/0/1", json!(700)),
            ("/digest_after", json!(other)),
            ("/diff", json!("--- a/a.json\n+++ b/a.json\n")),
            ("/targets", json!([])),
            ("/targets/0/span", json!([6, 70])),
            ("/targets/0/new_span", json!([6, 70])),
        ] {
            assert_eq!(reopened(shown.before(), &[(pointer, value)]), differs);
        }
        for pointer in ["/replacements/0/0", "/targets/0/span/0"] {
            let backwards = [(pointer, json!(70))];
            assert_eq!(reopened(shown.before(), &backwards), None);
        }
    }

    #[test]
    fn a_file_is_in_a_preview_once() {
        let error = Preview::from_files(vec![shown(), shown()]).expect_err("it is there twice");
        assert_eq!(error.to_string(), "`a.json` is changed twice");
    }

    fn check(before: &str, edits: &[(&str, &str)], expected: &str) {
        let source = Source::new("a b.txt", language::plain_text(), before.to_string());
        let replacements = edits.iter().map(|(old, new)| {
            let start = before.find(old).expect("the text holds what is replaced");
            Replacement {
                span: Span::new(start, start + old.len()),
                new_text: new.to_string(),
            }
        });
        let edit = TextEdit::new(&source, replacements.collect()).expect("the edits are disjoint");
        assert_eq!(diff(&source, &edit), expected);
    }

    #[test]
    fn hunks_far_apart_are_numbered_on_their_own() {
        let before: String = (1..=20).map(|line| format!("line {line}.\n")).collect();
        check(
            &before,
            &[("line 2.\n", "two\nand a half\n"), ("line 18.", "18")],
            "--- a/a b.txt\t\n+++ b/a b.txt\t\n@@ -1,5 +1,6 @@\n line 1.\n-line 2.\n+two\n+and a half\n line 3.\n line 4.\n line 5.\n\
             @@ -15,6 +16,6 @@\n line 15.\n line 16.\n line 17.\n-line 18.\n+18\n line 19.\n line 20.\n",
        );
    }

    #[test]
    #[cfg(feature = "disk")]
    fn changed_lines_are_counted() {
        let diff = "--- a/a\n+++ b/a\n@@ -3,2 +3,3 @@\n-b\n+-c\n+d\n e\n@@ -9 +10 @@\n-x\n\\ No newline at end of file\n+y\n";
        assert_eq!(line_counts(diff), (3, 2));
    }

    #[test]
    fn a_missing_final_newline_is_said() {
        check(
            "a\nb",
            &[("b", "c")],
            "--- a/a b.txt\t\n+++ b/a b.txt\t\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n",
        );
    }

    #[test]
    fn carriage_returns_stay_in_the_lines() {
        check(
            "a\r\nb\r\n",
            &[("b", "c")],
            "--- a/a b.txt\t\n+++ b/a b.txt\t\n@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c\r\n",
        );
    }
}
