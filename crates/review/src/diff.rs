//! Reads the unified diff of an edit into the rows that the page shows, and finds what changed inside the lines.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use similar::DiffTag;
use similar::algorithms::{Capture, Compact, Replace, patience};
use treegraft::engine::review::{EditReviewed, FileChange, FileReviewed};
use treegraft::source::{Source, signs};

use crate::syntax::{Class, Colors};

/// The maximum size of consecutive changed lines in which the changed words are marked, in bytes.
const BYTES_MARKED: usize = 20_000;
/// How long to look for the changed words of consecutive lines.
const TIME_FOR_MARKS: Duration = Duration::from_millis(100);
/// The largest part of a line that is marked, in percent. If more changed, the whole line counts as changed.
const MOST_MARKED: usize = 60;
/// The maximum length of a line that is shown, in bytes.
const LINE_SHOWN: usize = 5_000;

/// A file of an edit, as the page shows it.
#[derive(Debug)]
pub(crate) struct FileDiff {
    pub(crate) file_path: String,
    /// The number of the file in the edit.
    pub(crate) number: usize,
    /// The numbers of the files that can only be chosen with it.
    pub(crate) together: Vec<usize>,
    /// The number of parts that can be left out one by one; 0 if the file cannot be divided.
    pub(crate) parts: usize,
    /// What happens to the whole file, if anything.
    pub(crate) change: String,
    pub(crate) rows: Vec<Row>,
    pub(crate) added: usize,
    pub(crate) removed: usize,
    before: Vec<String>,
    /// Whether all shown lines end with a carriage return, which is then not shown.
    has_returns: bool,
    before_colors: ColorsOnUse,
    after_colors: ColorsOnUse,
}

/// The colored texts of a source, which are found when a line is shown: a person looks at few of many files.
#[derive(Debug, Default)]
struct ColorsOnUse {
    source: Option<Source>,
    colors: OnceLock<Colors>,
}

impl ColorsOnUse {
    fn from_source(source: &Option<Source>) -> ColorsOnUse {
        ColorsOnUse {
            source: source.clone(),
            colors: OnceLock::new(),
        }
    }

    fn of_line(&self, number: usize) -> Vec<(Range<usize>, Class)> {
        let source = self.source.as_ref();
        let colors = self
            .colors
            .get_or_init(|| source.map(Colors::from_source).unwrap_or_default());
        colors.of_line(number)
    }
}

/// A row of a diff.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Row {
    Gap(Gap),
    Line(Line),
    /// The lines that follow are of one of several edits or matches in the file, which can be left out.
    Part(Part),
}

/// An edit or a match that can be left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// The number of the file in the edit.
    pub(crate) file: usize,
    pub(crate) number: usize,
    /// Its name: `match 3`.
    pub(crate) name: String,
}

/// Unchanged lines that are not shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Gap {
    /// The number of the first line before the edit, from 1.
    pub(crate) old: usize,
    /// The number of the first line after the edit, from 1.
    pub(crate) new: usize,
    pub(crate) count: usize,
    /// Whether the text is kept, so that the lines can be shown.
    pub(crate) is_known: bool,
}

/// A line of a diff.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) change: Change,
    pub(crate) old: Option<usize>,
    pub(crate) new: Option<usize>,
    text: String,
    /// The changed parts.
    marks: Vec<Range<usize>>,
    /// Whether the line has no newline at its end.
    pub(crate) is_unended: bool,
}

impl Line {
    /// Returns the text of the line.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }
}

/// What an edit does to a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    None,
    Removed,
    Added,
}

/// A part of a line that is shown in one style.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    /// The classes of the stylesheet; empty for plain text.
    pub(crate) class: String,
    pub(crate) text: String,
}

impl FileDiff {
    /// Reads the diffs of an edit.
    pub(crate) fn all(reviewed: &EditReviewed) -> Vec<FileDiff> {
        let edit = &reviewed.edit;
        let can_choose = edit.is_open();
        let noun = part_noun(&edit.tool);
        let files = reviewed.files.iter();
        files
            .map(|file| {
                let mut diff = FileDiff::from_file(file);
                if can_choose {
                    diff.parts = file.parts.len();
                    insert_parts(&mut diff.rows, file, noun);
                }
                diff
            })
            .collect()
    }

    /// Reads the diff of a file.
    fn from_file(file: &FileReviewed) -> FileDiff {
        let before = file.before.as_ref().map(|source| source.text());
        let before: Vec<String> = before.map_or_else(Vec::new, |text| {
            text.split_inclusive('\n').map(str::to_string).collect()
        });
        let mut rows = rows(&file.diff, file.before.as_ref().map(|_| before.len()));
        let count = |change| {
            let is_counted = |row: &&Row| matches!(row, Row::Line(line) if line.change == change);
            rows.iter().filter(is_counted).count()
        };
        let (added, removed) = (count(Change::Added), count(Change::Removed));
        let has_returns = strip_returns(&mut rows);
        mark(&mut rows);
        FileDiff {
            file_path: file.file_path.clone(),
            number: file.number,
            together: file.together.clone(),
            parts: 0,
            change: match &file.change {
                FileChange::Created => "new file".to_string(),
                FileChange::Deleted => "deleted".to_string(),
                FileChange::MovedTo(path) => format!("moved to {path}"),
                _ => String::new(),
            },
            added,
            removed,
            before_colors: ColorsOnUse::from_source(&file.before),
            after_colors: ColorsOnUse::from_source(&file.after),
            before,
            has_returns,
            rows,
        }
    }

    /// Reads the diffs that would be written now.
    pub(crate) fn now(reviewed: &EditReviewed) -> Vec<FileDiff> {
        reviewed.now.iter().map(FileDiff::from_file).collect()
    }

    /// Returns the unchanged lines at the start of `gap`, at most `most`, and the gap that is left.
    pub(crate) fn unchanged(&self, gap: Gap, most: usize) -> Vec<Row> {
        let first = gap.old.saturating_sub(1).min(self.before.len());
        let end = first.saturating_add(gap.count).min(self.before.len());
        let shown = (end - first).min(most);
        let lines = self.before[first..first + shown].iter().enumerate();
        let rows = lines.map(|(index, text)| {
            let bare = text.strip_suffix('\n');
            let text = bare.unwrap_or(text);
            let text = match self.has_returns {
                true => text.strip_suffix('\r').unwrap_or(text),
                false => text,
            };
            Row::Line(Line {
                change: Change::None,
                old: Some(gap.old + index),
                new: Some(gap.new.saturating_add(index)),
                text: text.to_string(),
                marks: Vec::new(),
                is_unended: bare.is_none(),
            })
        });
        let mut rows: Vec<Row> = rows.collect();
        if first + shown < end {
            rows.push(Row::Gap(Gap {
                old: gap.old + shown,
                new: gap.new.saturating_add(shown),
                count: end - first - shown,
                is_known: true,
            }));
        }
        rows
    }

    /// Returns the parts of a line, each in one style.
    pub(crate) fn pieces(&self, line: &Line) -> Vec<Piece> {
        let colors = match (line.change, line.old, line.new) {
            (Change::Removed | Change::None, Some(old), _) => self.before_colors.of_line(old),
            (_, _, Some(new)) => self.after_colors.of_line(new),
            _ => Vec::new(),
        };
        pieces(line, &colors)
    }
}

/// Returns what the parts of an edit are called.
pub(crate) fn part_noun(tool: &str) -> &'static str {
    match tool {
        "rewrite" => "match",
        _ => "edit",
    }
}

/// Inserts a row before the first changed line of each part of a file.
fn insert_parts(rows: &mut Vec<Row>, file: &FileReviewed, noun: &str) {
    if file.parts.is_empty() {
        return;
    }
    // The numbers that both texts have at each changed row.
    let (mut old, mut new) = (0, 0);
    let mut changed: Vec<(usize, usize, usize)> = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        if let Row::Line(line) = row {
            old = line.old.unwrap_or(old);
            new = line.new.unwrap_or(new);
            if line.change != Change::None {
                changed.push((old, new, index));
            }
        }
    }
    let mut places: Vec<(usize, Part)> = Vec::new();
    for part in &file.parts {
        let is_before = |row: &(usize, usize, usize)| row.0 < part.line && row.1 < part.new_line;
        let at = changed.partition_point(is_before);
        let Some((.., index)) = changed.get(at).or(changed.last()) else {
            return;
        };
        let name = format!("{noun} {}", part.number + 1);
        let (file, number) = (file.number, part.number);
        places.push((*index, Part { file, number, name }));
    }
    places.sort_by_key(|(index, _)| *index);
    let mut places = places.into_iter().peekable();
    let all = std::mem::take(rows);
    for (index, row) in all.into_iter().enumerate() {
        while let Some((_, part)) = places.next_if(|(place, _)| *place == index) {
            rows.push(Row::Part(part));
        }
        rows.push(row);
    }
}

/// Reads the head of a hunk: the first line and the number of lines before and after the edit.
fn hunk_of(line: &str) -> Option<((usize, usize), (usize, usize))> {
    let ranges = line.strip_prefix("@@ -")?.split(" @@").next()?;
    let (old, new) = ranges.split_once(" +")?;
    let range = |text: &str| {
        let (start, count) = text.split_once(',').unwrap_or((text, "1"));
        Some((start.parse().ok()?, count.parse().ok()?))
    };
    Some((range(old)?, range(new)?))
}

/// Returns how many lines of a hunk are left after one of its lines.
fn after((old, new): (usize, usize), line: &str) -> (usize, usize) {
    match line.as_bytes().first() {
        Some(b'-') => (old.saturating_sub(1), new),
        Some(b'+') => (old, new.saturating_sub(1)),
        Some(b'\\') => (old, new),
        _ => (old.saturating_sub(1), new.saturating_sub(1)),
    }
}

/// Reads the diff of one file. `lines` is the number of lines before the edit, if it is known.
fn rows(diff: &str, lines: Option<usize>) -> Vec<Row> {
    let mut rows = Vec::new();
    // The next lines before and after the edit.
    let (mut old, mut new) = (1, 1);
    let mut left = (0, 0);
    for line in diff.split_inclusive('\n').skip(2) {
        if line.starts_with('\\') {
            if let Some(Row::Line(last)) = rows.last_mut() {
                last.is_unended = true;
            }
            continue;
        }
        if left == (0, 0) {
            let Some((olds, news)) = hunk_of(line) else {
                continue;
            };
            left = (olds.1, news.1);
            // A hunk without old lines names the line before it.
            let start = olds.0 + usize::from(olds.1 == 0);
            let count = start.saturating_sub(old);
            if count > 0 {
                rows.push(Row::Gap(Gap {
                    old,
                    new,
                    count,
                    is_known: lines.is_some(),
                }));
            }
            (old, new) = (start, new + count);
            continue;
        }
        left = after(left, line);
        let change = match line.as_bytes().first() {
            Some(b'-') => Change::Removed,
            Some(b'+') => Change::Added,
            _ => Change::None,
        };
        let text = line.get(1..).unwrap_or_default();
        rows.push(Row::Line(Line {
            change,
            old: (change != Change::Added).then_some(old),
            new: (change != Change::Removed).then_some(new),
            text: text.strip_suffix('\n').unwrap_or(text).to_string(),
            marks: Vec::new(),
            is_unended: false,
        }));
        old += usize::from(change != Change::Added);
        new += usize::from(change != Change::Removed);
    }
    if let Some(count) = lines.and_then(|lines| (lines + 1).checked_sub(old))
        && count > 0
    {
        rows.push(Row::Gap(Gap {
            old,
            new,
            count,
            is_known: true,
        }));
    }
    rows
}

/// Removes the carriage returns at the ends of lines if all lines have one. Returns whether that is so.
fn strip_returns(rows: &mut [Row]) -> bool {
    let lines = || {
        rows.iter().filter_map(|row| match row {
            Row::Line(line) => Some(line),
            Row::Gap(_) | Row::Part(_) => None,
        })
    };
    let has_returns = lines().count() > 0 && lines().all(|line| line.text.ends_with('\r'));
    if has_returns {
        for row in rows {
            if let Row::Line(line) = row {
                line.text.pop();
            }
        }
    }
    has_returns
}

/// Marks the changed words of all runs of removed lines that added lines follow.
fn mark(rows: &mut [Row]) {
    let change = |row: &Row| match row {
        Row::Line(line) => line.change,
        Row::Gap(_) | Row::Part(_) => Change::None,
    };
    let until = Instant::now() + 10 * TIME_FOR_MARKS;
    let mut at = 0;
    while at < rows.len() {
        let run = |from: usize, kind: Change| {
            let rows = rows[from..].iter();
            from + rows.take_while(|row| change(row) == kind).count()
        };
        let removed = run(at, Change::Removed);
        let added = run(removed, Change::Added);
        if at < removed && removed < added && Instant::now() < until {
            mark_run(&mut rows[at..added], removed - at);
        }
        at = added.max(at + 1);
    }
}

/// Marks the changed words of a run of lines, of which the first `removed` are removed and the others added.
fn mark_run(rows: &mut [Row], removed: usize) {
    let texts = |rows: &[Row]| {
        let lines = rows.iter().filter_map(|row| match row {
            Row::Line(line) => Some(format!("{}\n", line.text)),
            Row::Gap(_) | Row::Part(_) => None,
        });
        lines.collect::<String>()
    };
    let (old, new) = (texts(&rows[..removed]), texts(&rows[removed..]));
    if old.len() + new.len() > BYTES_MARKED {
        return;
    }
    let (olds, news) = (words(&old), words(&new));
    let deadline = Some(Instant::now() + TIME_FOR_MARKS);
    let (old_words, new_words) = (0..olds.len(), 0..news.len());
    // The algorithm alone: `capture_diff_slices_deadline` would compile all that the library has.
    let mut hook = Compact::new(Replace::new(Capture::new()), &olds, &news);
    let Ok(()) = patience::diff_deadline(&mut hook, &olds, old_words, &news, new_words, deadline);
    let ops = hook.into_inner().into_inner().into_ops();
    let changed = ops.iter().filter(|op| op.tag() != DiffTag::Equal);
    let changed: Vec<_> = changed.map(|op| (op.old_range(), op.new_range())).collect();
    let (own, others): (Vec<_>, Vec<_>) = changed.into_iter().unzip();
    put_marks(&mut rows[..removed], &olds, &own);
    put_marks(&mut rows[removed..], &news, &others);
}

/// Puts marks on changed words, which are counted over all lines.
fn put_marks(rows: &mut [Row], words: &[&str], changed: &[Range<usize>]) {
    let mut starts = vec![0];
    starts.extend(words.iter().scan(0, |end, word| {
        *end += word.len();
        Some(*end)
    }));
    let mut start = 0;
    for row in rows {
        let Row::Line(line) = row else { continue };
        let len = line.text.len();
        let ranges = changed.iter().filter(|words| !words.is_empty());
        let ranges = ranges.filter_map(|words| {
            let from = starts[words.start].max(start);
            let to = starts[words.end].min(start + len);
            (from < to).then(|| trimmed(&line.text, from - start..to - start))?
        });
        let marks: Vec<Range<usize>> = ranges.collect();
        let marked: usize = marks.iter().map(|range| range.len()).sum();
        if marked * 100 <= MOST_MARKED * line.text.trim().len() {
            line.marks = marks;
        }
        start += len + 1;
    }
}

/// Returns the part of a range of a line without the indentation of the line.
fn trimmed(line: &str, range: Range<usize>) -> Option<Range<usize>> {
    let indentation = line.len() - line.trim_start().len();
    let start = range.start.max(indentation);
    (start < range.end).then_some(start..range.end)
}

/// Splits a text into words, runs of spaces, and other characters one by one.
fn words(text: &str) -> Vec<&str> {
    let class = |sign: char| match sign {
        _ if sign.is_alphanumeric() || sign == '_' => 1,
        ' ' | '\t' => 2,
        _ => 0,
    };
    let mut words = Vec::new();
    let mut start = 0;
    let mut last = 0;
    for (at, sign) in text.char_indices() {
        if at > start && (class(sign) != last || last == 0) {
            words.push(&text[start..at]);
            start = at;
        }
        last = class(sign);
    }
    if start < text.len() {
        words.push(&text[start..]);
    }
    words
}

/// Splits a line where its style changes. Writes invisible characters out.
fn pieces(line: &Line, colors: &[(Range<usize>, Class)]) -> Vec<Piece> {
    let mut text = line.text.as_str();
    let mut cut = None;
    if text.len() > LINE_SHOWN {
        let end = text.floor_char_boundary(LINE_SHOWN);
        cut = Some(text.len() - end);
        text = &text[..end];
    }
    let ranges = colors.iter().map(|(range, _)| range).chain(&line.marks);
    let mut edges: Vec<usize> = ranges.flat_map(|range| [range.start, range.end]).collect();
    edges.extend([0, text.len()]);
    edges.retain(|edge| text.is_char_boundary(*edge));
    edges.sort_unstable();
    edges.dedup();
    let mut pieces = Vec::new();
    for (start, end) in edges.iter().zip(&edges[1..]) {
        let color = colors.iter().find(|(range, _)| range.contains(start));
        let is_marked = line.marks.iter().any(|range| range.contains(start));
        let mut class = color.map_or("", |(_, class)| class.name()).to_string();
        if is_marked {
            class = format!("{class} mark").trim_start().to_string();
        }
        push_visible(&mut pieces, &class, &text[*start..*end]);
    }
    if let Some(bytes) = cut {
        let text = format!("… {bytes} more bytes");
        pieces.push(Piece {
            class: "cut".to_string(),
            text,
        });
    }
    pieces
}

/// Appends a text in one style, with invisible characters in another one.
fn push_visible(pieces: &mut Vec<Piece>, class: &str, text: &str) {
    let is_hidden = |sign: char| sign != '\t' && signs::is_unseen(sign);
    let mut rest = text;
    while !rest.is_empty() {
        let at = rest.find(is_hidden).unwrap_or(rest.len());
        if at > 0 {
            let (class, text) = (class.to_string(), rest[..at].to_string());
            pieces.push(Piece { class, text });
            rest = &rest[at..];
        }
        let seen = rest.find(|sign| !is_hidden(sign)).unwrap_or(rest.len());
        if seen > 0 {
            let text = visible(&rest[..seen]).into_owned();
            let class = format!("{class} unseen").trim_start().to_string();
            pieces.push(Piece { class, text });
            rest = &rest[seen..];
        }
    }
}

/// Returns a text with its invisible characters written out, as on a terminal: `\u{202e}`. Keeps tabs and newlines.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    signs::written_out(text, |sign| match sign {
        '\t' | '\n' => sign.to_string(),
        sign => sign.escape_default().to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the rows as text: marked parts in brackets.
    fn shown(rows: &[Row]) -> Vec<String> {
        let number = |number: Option<usize>| number.map_or("-".to_string(), |n| n.to_string());
        let shown = rows.iter().map(|row| match row {
            Row::Gap(gap) => format!("gap {} {} {}", gap.old, gap.new, gap.count),
            Row::Line(line) => {
                let sign = match line.change {
                    Change::None => ' ',
                    Change::Removed => '-',
                    Change::Added => '+',
                };
                let pieces = pieces(line, &[])
                    .into_iter()
                    .map(|piece| match &*piece.class {
                        "" => piece.text,
                        class => format!("[{}:{class}]", piece.text),
                    });
                let end = if line.is_unended { " no newline" } else { "" };
                let (old, new) = (number(line.old), number(line.new));
                format!("{old} {new} {sign}{}{end}", pieces.collect::<String>())
            }
            Row::Part(part) => format!("part {}", part.name),
        });
        shown.collect()
    }

    #[test]
    fn rows_have_the_numbers_of_both_texts() {
        let diff = "--- a/a\n+++ b/a\n@@ -3,3 +3,4 @@\n three\n-fore\n+four\n+--- x\n five\n@@ -9 +10 @@\n-nine\n+\
                    nine\n\\ No newline at end of file\n";
        let mut rows = rows(diff, Some(9));
        mark(&mut rows);
        assert_eq!(
            shown(&rows),
            [
                "gap 1 1 2",
                "3 3  three",
                "4 - -fore",
                "- 4 +four",
                "- 5 +--- x",
                "5 6  five",
                "gap 6 7 3",
                "9 - -nine",
                "- 10 +nine no newline",
            ]
        );
    }

    #[test]
    fn changed_words_are_marked_unless_all_changed() {
        let marked = |old: &str, new: &str| {
            let diff = format!("--- a/a\n+++ b/a\n@@ -1 +1 @@\n-{old}\n+{new}\n");
            let mut rows = rows(&diff, None);
            mark(&mut rows);
            shown(&rows)
        };
        assert_eq!(
            marked("let total = sum(1);", "let total = sum(12);"),
            [
                "1 - -let total = sum([1:mark]);",
                "- 1 +let total = sum([12:mark]);"
            ]
        );
        assert_eq!(marked("a b", "c d"), ["1 - -a b", "- 1 +c d"]);
        assert_eq!(
            marked("f(a, b)", "  f(a)"),
            ["1 - -f(a[, b:mark])", "- 1 +  f(a)"]
        );
        assert_eq!(
            marked("if admin {", "if admin\u{202e} {\r"),
            [
                "1 - -if admin {",
                "- 1 +if admin[\\u{202e}:mark unseen] {[\\r:mark unseen]"
            ]
        );
    }
}
