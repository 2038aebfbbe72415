//! Finds what the edits of one file changed beyond what their caller sent: the text that they removed, the lines that differ
//! from the content, and the indentation of the others. An answer shows these instead of the diff.

use std::collections::BTreeSet;

use crate::change::{Replacement, Target};
use crate::diagnostic::cut;
use crate::edit::Operation;
use crate::locate::around_marker;
use crate::preview::{self, FilePreview};
use crate::source::{Source, Span};

use super::draft::TargetInfo;
use super::request::{EditKind, RequestedEdit};
use super::response::{FittedLine, NotSent, ReindentedLines, RemovedLines};

/// The maximum number of removed texts and fitted lines of one file.
const SHOWN: usize = 20;

/// Returns what the edits of a file changed beyond what was sent. The text of a moved node is the file's own, and is not part
/// of it.
pub(super) fn not_sent(
    edits: &[RequestedEdit],
    file: &FilePreview,
    infos: &[TargetInfo],
) -> NotSent {
    let mut found = NotSent::default();
    let targets = file.record().targets();
    let mut new_start = 0;
    let mut old_end = 0;
    for Replacement { span, new_text } in file.record().replacements() {
        new_start += span.start() - old_end;
        let new_span = Span::new(new_start, new_start + new_text.len());
        (new_start, old_end) = (new_span.end(), span.end());
        let mut sent = Sent::default();
        let mut has_moved_only = false;
        for (target, info) in targets.iter().zip(infos) {
            // A neighbour is the target of an insertion.
            let is_old = !info.action.inserts() && span.touches(target.span());
            if !is_old && !new_span.touches(target.new_span()) {
                continue;
            }
            match edits.get(info.edit).map(|edit| (edit, &edit.kind)) {
                Some((edit, EditKind::Edit(operation))) => {
                    let anchors = edit.selectors.iter().map(|one| one.anchor.as_str());
                    sent.add(anchors, operation, file, target);
                }
                Some((_, EditKind::Move(_))) => has_moved_only = true,
                Some((_, EditKind::File(_))) => {}
                None => {}
            }
        }
        has_moved_only &= sent.anchors.is_empty();
        if !has_moved_only {
            let (old, new) = (
                lines_in(file.before(), *span),
                lines_in(file.after(), new_span),
            );
            compare(&old, &new, sent, &mut found);
        }
    }
    found
}

/// Adds what the caller did not send of one replacement.
fn compare(old: &[Line], new: &[Line], mut sent: Sent, found: &mut NotSent) {
    let texts =
        |lines: &[Line]| -> Vec<String> { lines.iter().map(|one| one.text.clone()).collect() };
    let (old_texts, new_texts) = (texts(old), texts(new));
    for (old_range, new_range, is_equal) in preview::line_runs(&old_texts, &new_texts) {
        let removed = &old[old_range.clone()];
        if !is_equal && !sent.has_removed(&old_texts[old_range]) {
            push(
                &mut found.removed,
                &mut found.omitted,
                removed_lines(removed),
            );
        }
        for (at, line) in new[new_range].iter().enumerate() {
            let is_unchanged = is_equal && removed[at].indentation == line.indentation;
            if line.text.is_empty() || is_unchanged {
                continue;
            }
            match (sent.find(&line.text), &line.indentation) {
                // A separator within a line: a note names it.
                (None, None) if !line.text.contains(char::is_alphanumeric) => {}
                (None, _) => push(
                    &mut found.fitted,
                    &mut found.omitted,
                    Some(FittedLine {
                        line: line.number,
                        text: cut(line.text.trim_end()),
                    }),
                ),
                (Some(own), Some(written)) if !own.is_free && own.indentation != *written => {
                    let by = shift(&own.indentation, written);
                    add_reindented(&mut found.reindented, by, line.number);
                }
                (Some(_), _) => {}
            }
        }
    }
}

fn push<T>(list: &mut Vec<T>, omitted: &mut usize, one: Option<T>) {
    match one {
        Some(one) if list.len() < SHOWN => list.push(one),
        Some(_) => *omitted += 1,
        None => {}
    }
}

fn removed_lines(lines: &[Line]) -> Option<RemovedLines> {
    let mut shown = lines.iter().filter(|line| !line.text.is_empty());
    let first = shown.next()?;
    let last = shown.next_back();
    Some(RemovedLines {
        lines: (first.number, last.unwrap_or(first).number),
        first: cut(first.text.trim_end()),
        last: last.map(|last| cut(last.text.trim_end())),
    })
}

/// A line, or the part of it that is in a span.
struct Line {
    /// From 1.
    number: usize,
    /// The indentation of the whole line; `None` if the span starts after it.
    indentation: Option<String>,
    /// The text after the indentation.
    text: String,
}

fn lines_in(source: &Source, span: Span) -> Vec<Line> {
    let before = source.chars_before(span.start());
    let before: Vec<char> = before.take_while(|c| *c != '\n').collect();
    let is_indented = before.iter().all(|c| c.is_whitespace());
    let before = is_indented.then(|| before.into_iter().rev().collect::<String>());
    let first = source.newline_point(span.start()).0 + 1;
    let text = source.slice(span);
    let lines = text.split('\n').enumerate();
    lines
        .map(|(index, line)| {
            let (own, text) = indentation_of(line);
            let indentation = match index {
                0 => before.as_ref().map(|before| format!("{before}{own}")),
                _ => Some(own.to_string()),
            };
            Line {
                number: first + index,
                indentation,
                text: text.to_string(),
            }
        })
        .collect()
}

/// Returns the indentation of a line, and the rest without a line break.
fn indentation_of(line: &str) -> (&str, &str) {
    let line = line.trim_end_matches('\r');
    line.split_at(line.len() - line.trim_start().len())
}

/// The texts that the caller sent for one replacement.
#[derive(Default)]
struct Sent {
    content: Vec<SentLine>,
    /// The index of the line that probably is next.
    next: usize,
    /// The lines of the anchors and of the content, without indentation.
    lines: BTreeSet<String>,
    /// The anchors, without markers and indentation.
    anchors: Vec<String>,
}

struct SentLine {
    indentation: String,
    text: String,
    /// Whether its indentation says nothing: the first line starts where the node starts.
    is_free: bool,
}

impl Sent {
    fn add<'a>(
        &mut self,
        anchors: impl Iterator<Item = &'a str>,
        operation: &Operation,
        file: &FilePreview,
        target: &Target,
    ) {
        let content = match operation {
            Operation::Replace { new_content, .. }
            | Operation::ReplaceText { new_content, .. }
            | Operation::Insert { new_content, .. } => new_content.clone(),
            Operation::Wrap { new_content, .. } => match around_marker(new_content) {
                Some((front, back)) => {
                    let old = file.before().slice(target.span());
                    format!("{front}{old}{back}")
                }
                None => new_content.clone(),
            },
            Operation::Delete => String::new(),
        };
        self.add_texts(anchors, &content);
    }

    fn add_texts<'a>(&mut self, anchors: impl IntoIterator<Item = &'a str>, content: &str) {
        let bare = |line: &str| indentation_of(line).1.to_string();
        for anchor in anchors {
            let anchor = anchor.replace("<|>", "");
            let lines: Vec<String> = anchor.split('\n').map(bare).collect();
            self.anchors.push(lines.join("\n"));
            self.lines.extend(lines);
        }
        let mut is_first = true;
        for line in content.split('\n') {
            let (indentation, text) = indentation_of(line);
            if text.is_empty() {
                continue;
            }
            self.lines.insert(text.to_string());
            self.content.push(SentLine {
                indentation: indentation.to_string(),
                text: text.to_string(),
                is_free: std::mem::take(&mut is_first) && indentation.is_empty(),
            });
        }
    }

    /// Returns whether the caller sent removed lines: each of them, or all as a part of an anchor.
    fn has_removed(&self, lines: &[String]) -> bool {
        let is_sent = |line: &String| line.is_empty() || self.lines.contains(line);
        lines.iter().all(is_sent) || {
            let text = lines.join("\n");
            self.anchors.iter().any(|anchor| has_whole(anchor, &text))
        }
    }

    /// Returns the line of the content that was written as `text`.
    fn find(&mut self, text: &str) -> Option<&SentLine> {
        let mut order = (self.next..self.content.len()).chain(0..self.next);
        let index = order.find(|&index| self.content[index].text == text)?;
        self.next = index + 1;
        Some(&self.content[index])
    }
}

/// Returns whether `text` occurs in `within`, and not as a part of longer words.
fn has_whole(within: &str, text: &str) -> bool {
    let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    within.match_indices(text).any(|(start, _)| {
        let (before, after) = (&within[..start], &within[start + text.len()..]);
        let splits_front = is_word(before.chars().next_back()) && is_word(text.chars().next());
        let splits_back = is_word(text.chars().next_back()) && is_word(after.chars().next());
        !splits_front && !splits_back
    })
}

/// Returns how an indentation differs from the one that was sent, such as `+4 spaces`; `None` if tabs and spaces differ.
fn shift(sent: &str, written: &str) -> Option<String> {
    let (sign, difference) = match (written.strip_prefix(sent), sent.strip_prefix(written)) {
        (Some(added), _) => ('+', added),
        (None, Some(removed)) => ('-', removed),
        (None, None) => return None,
    };
    let unit = match difference {
        tabs if tabs.bytes().all(|c| c == b'\t') => "tab",
        spaces if spaces.bytes().all(|c| c == b' ') => "space",
        _ => "character",
    };
    let count = difference.chars().count();
    let plural = if count == 1 { "" } else { "s" };
    Some(format!("{sign}{count} {unit}{plural}"))
}

/// Adds a line to those of the same shift.
fn add_reindented(all: &mut Vec<ReindentedLines>, by: Option<String>, line: usize) {
    let Some(known) = all.iter_mut().find(|one| one.by == by) else {
        let lines = vec![(line, line)];
        all.push(ReindentedLines { by, lines });
        return;
    };
    match known.lines.last_mut() {
        Some((_, last)) if *last + 1 == line => *last = line,
        _ => known.lines.push((line, line)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language;

    fn compared(old: &str, new: &str, anchor: &str, content: &str) -> NotSent {
        let lines = |text: &str| {
            let source = Source::new("a.txt", language::plain_text(), text.to_string());
            lines_in(&source, source.whole())
        };
        let mut sent = Sent::default();
        sent.add_texts([anchor], content);
        let mut found = NotSent::default();
        compare(&lines(old), &lines(new), sent, &mut found);
        found
    }

    fn reindented(content: &str, new: &str) -> Vec<ReindentedLines> {
        let found = compared("", new, "x", content);
        assert!(found.removed.is_empty() && found.fitted.is_empty());
        found.reindented
    }

    fn fitted(content: &str, new: &str) -> Vec<String> {
        let lines = compared("", new, "x", content).fitted.into_iter();
        lines
            .map(|one| format!("{} {}", one.line, one.text))
            .collect()
    }

    #[test]
    fn reindented_lines_are_listed_by_shift() {
        let content = "if a:\n    b\n    c\n";
        let by = |by: &str, lines: (usize, usize)| ReindentedLines {
            by: (!by.is_empty()).then(|| by.to_string()),
            lines: vec![lines],
        };
        assert_eq!(reindented(content, "if a:\n    b\n    c"), []);
        assert_eq!(
            reindented(content, "if a:\n        b\n        c"),
            [by("+4 spaces", (2, 3))]
        );
        assert_eq!(
            reindented(content, "if a:\n   b\n\n    \tc"),
            [by("-1 space", (2, 2)), by("+1 tab", (4, 4))]
        );
        assert_eq!(reindented(content, "if a:\n\tb\n\tc"), [by("", (2, 3))]);
    }

    #[test]
    fn another_text_is_shown() {
        assert_eq!(fitted("a\nb,", "a\nd"), ["2 d"]);
        assert_eq!(fitted("a\nb", "a\nb,"), ["2 b,"]);
        assert!(fitted("a\r\nb\r\n", "a\nb\n").is_empty());
        assert_eq!(fitted("ab\n", "abc\n"), ["1 abc"]);
    }

    #[test]
    fn removed_lines_are_cut_to_their_ends_unless_they_were_sent() {
        let removed = |old: &str, new: &str, anchor: &str| -> Vec<(usize, usize, String)> {
            let all = compared(old, new, anchor, new).removed.into_iter();
            all.map(|one| {
                let last = one.last.map(|last| format!("..{last}"));
                (
                    one.lines.0,
                    one.lines.1,
                    one.first + &last.unwrap_or_default(),
                )
            })
            .collect()
        };
        let run = |first: usize, last: usize, text: &str| (first, last, text.to_string());
        let old = "a {\n\n  b\n  c\n  d\n  }";
        assert_eq!(removed(old, "e", "a {"), [run(1, 6, "a {..}")]);
        assert_eq!(
            removed(old, "a {\n\n      b\n  }", "a {"),
            [run(4, 5, "c..d")]
        );
        assert_eq!(
            removed(old, "a {\n\n  c\n  }", "a {"),
            [run(3, 3, "b"), run(5, 5, "d")]
        );
        assert_eq!(removed(old, "e", "a {\n\nb\nc\nd\n}"), []);
        assert_eq!(removed("41", "42", "x"), [run(1, 1, "41")]);
        assert_eq!(removed("41", "42", "x = <|>41<|>"), []);
        assert_eq!(removed("41", "42", "x = 412"), [run(1, 1, "41")]);
        assert_eq!(removed("# why\nf()", "", "f()"), [run(1, 2, "# why..f()")]);
    }
}
