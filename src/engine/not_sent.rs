//! Finds what a written edit changed beyond what its caller sent: the text that it removed, and the lines of the content
//! that it fitted to the file. An answer shows these instead of the diff.

use std::borrow::Cow;

use crate::change::Target;
use crate::diagnostic::cut;
use crate::edit::Operation;
use crate::locate::around_marker;
use crate::preview::{self, FilePreview};
use crate::source::{Source, Span};

use super::draft::TargetInfo;
use super::request::{EditKind, RequestedEdit};
use super::response::{EditAction, FittedLine, RemovedText};

/// The maximum number of fitted lines of one edit that an answer shows.
const FITTED_SHOWN: usize = 5;

/// What one edit changed beyond what its caller sent.
#[derive(Debug, Default)]
pub(super) struct NotSent {
    pub(super) removed: Option<RemovedText>,
    pub(super) fitted: Vec<FittedLine>,
    /// The number of fitted lines that are not in `fitted`.
    pub(super) fitted_omitted: usize,
}

/// Returns an entry for each target of a file.
pub(super) fn not_sent(
    edits: &[RequestedEdit],
    file: &FilePreview,
    infos: &[TargetInfo],
) -> Vec<NotSent> {
    let own = file.record().targets().iter().zip(infos);
    own.map(|(target, info)| {
        let edit = edits.get(info.edit);
        edit.map(|edit| of_target(edit, file, target, info.action))
            .unwrap_or_default()
    })
    .collect()
}

fn of_target(
    edit: &RequestedEdit,
    file: &FilePreview,
    target: &Target,
    action: EditAction,
) -> NotSent {
    let EditKind::Edit(operation) = &edit.kind else {
        // The text of a move is the file's own.
        return NotSent::default();
    };
    let old = file.before().slice(target.span());
    let (content, keeps_indentation) = match operation {
        Operation::Replace { new_content, .. }
        | Operation::ReplaceText { new_content, .. }
        | Operation::Insert { new_content, .. } => (Cow::Borrowed(new_content.as_str()), true),
        Operation::Wrap { new_content, .. } => match around_marker(new_content) {
            Some((front, back)) => (Cow::Owned(format!("{front}{old}{back}")), false),
            None => (Cow::Borrowed(new_content.as_str()), false),
        },
        Operation::Delete => (Cow::Borrowed(""), true),
    };
    let sent = || Sent::new(edit.target.selector.anchor.as_str(), &content);
    let removed = match action {
        EditAction::Replace | EditAction::ReplaceText => {
            let new = file.after().slice(target.new_span());
            removed_text(&old, &new, &sent())
        }
        // Nodes attached to the node are deleted with it.
        EditAction::Delete => removed_text(&deleted(file, target), "", &sent()),
        _ => None,
    };
    let mut fitted = fitted_lines(&content, file.after(), target.new_span(), keeps_indentation);
    let fitted_omitted = fitted.len().saturating_sub(FITTED_SHOWN);
    fitted.truncate(FITTED_SHOWN);
    NotSent {
        removed,
        fitted,
        fitted_omitted,
    }
}

/// The texts that the caller sent, without whitespace and markers.
struct Sent(String);

impl Sent {
    fn new(anchor: &str, content: &str) -> Sent {
        let anchor = anchor.replace("<|>", "");
        Sent(format!("{}\n{}", squeezed(&anchor), squeezed(content)))
    }

    fn contains(&self, text: &str) -> bool {
        self.0.contains(&squeezed(text))
    }
}

fn squeezed(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

/// Returns the text that the deletion of a target removes.
fn deleted<'f>(file: &'f FilePreview, target: &Target) -> Cow<'f, str> {
    let replacements = file.record().replacements().iter();
    let mut own = replacements.filter(|one| one.span.overlaps(target.span()));
    let first = own.next().map_or(target.span(), |one| one.span);
    let last = own.next_back().map_or(first, |one| one.span);
    file.before().slice(Span::new(first.start(), last.end()))
}

/// Returns the lines of `old` that are not lines of `new`, cut to the first and the last one. Returns `None` if there are
/// none, or if the caller sent all of them.
fn removed_text(old: &str, new: &str, sent: &Sent) -> Option<RemovedText> {
    let removed = preview::removed_lines(&bare_lines(old), &bare_lines(new));
    if sent.contains(old) || removed.iter().all(|line| sent.contains(line)) {
        return None;
    }
    let mut shown = removed.iter().filter(|line| !line.is_empty());
    let first = shown.next()?;
    Some(RemovedText {
        lines: removed.len(),
        first: cut(first),
        last: shown.next_back().map(|last| cut(last)),
    })
}

/// Returns the lines of a text without their indentation.
fn bare_lines(text: &str) -> Vec<&str> {
    text.trim().lines().map(str::trim).collect()
}

/// How the indentation of a line differs from the one that was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Shift {
    Added(String),
    Removed(String),
}

impl Shift {
    /// Returns the shift between two indentations, or `None` if they are equal or differ in tabs and spaces.
    fn between(sent: &str, written: &str) -> Option<Shift> {
        if sent == written {
            None
        } else if let Some(added) = written.strip_suffix(sent) {
            Some(Shift::Added(added.to_string()))
        } else {
            let removed = sent.strip_suffix(written)?;
            Some(Shift::Removed(removed.to_string()))
        }
    }
}

/// Returns the lines of the new text that differ from the content. Lines that moved by the most frequent shift are not
/// among them, since a note counts them, nor are lines whose tabs or spaces were converted. A line that only lost a
/// separator is not among them either: another note names the separator.
fn fitted_lines(
    content: &str,
    after: &Source,
    new_span: Span,
    keeps_indentation: bool,
) -> Vec<FittedLine> {
    let new_text = after.slice(new_span);
    let first_number = after.line_of(new_span.start());
    let sent: Vec<&str> = content.lines().map(str::trim_end).collect();
    let mut next = 0;
    let mut fitted: Vec<(FittedLine, Option<Shift>)> = Vec::new();
    for (index, line) in new_text.lines().enumerate() {
        let (line, bare) = (line.trim_end(), line.trim());
        if bare.is_empty() {
            continue;
        }
        let is_its = |sent: &&str| {
            let rest = sent.trim().strip_prefix(bare);
            rest.is_some_and(|rest| !rest.contains(char::is_alphanumeric))
        };
        let shift = match sent[next..].iter().position(is_its) {
            None => None,
            Some(skipped) => {
                let own = sent[next + skipped];
                next += skipped + 1;
                // The new text starts after the indentation of its first line.
                let indents = |line: &'_ str| line.len() - line.trim_start().len();
                let (own, line) = (&own[..indents(own)], &line[..indents(line)]);
                match Shift::between(own, line) {
                    Some(shift) if index > 0 && keeps_indentation => Some(shift),
                    _ => continue,
                }
            }
        };
        let line = FittedLine {
            line: first_number + index,
            text: line.to_string(),
        };
        fitted.push((line, shift));
    }
    let count = |one: &Shift| {
        let all = fitted.iter();
        all.filter(|(_, shift)| shift.as_ref() == Some(one)).count()
    };
    let shifts = fitted.iter().filter_map(|(_, shift)| shift.as_ref());
    let usual = shifts.rev().max_by_key(|shift| count(shift)).cloned();
    fitted.retain(|(_, shift)| shift.is_none() || *shift != usual);
    fitted.into_iter().map(|(line, _)| line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language;

    fn fitted(content: &str, new_text: &str) -> Vec<String> {
        let after = Source::new("a.txt", language::plain_text(), new_text.to_string());
        let lines = fitted_lines(content, &after, after.whole(), true);
        let lines = lines.iter();
        lines
            .map(|one| format!("{} {}", one.line, one.text))
            .collect()
    }

    #[test]
    fn lines_of_the_usual_shift_are_not_shown() {
        let content = "if a:\n    b\n    c\n";
        assert!(fitted(content, "if a:\n        b\n        c").is_empty());
        let uneven = fitted(content, "if a:\n        b\n      c");
        assert_eq!(uneven, ["3       c"]);
    }

    #[test]
    fn another_text_is_shown_and_a_dropped_separator_is_not() {
        assert_eq!(fitted("a\nb,", "a\nd"), ["2 d"]);
        assert!(fitted("a\nb,", "a\nb").is_empty());
        assert!(fitted("a\r\nb\r\n", "a\nb\n").is_empty());
    }

    #[test]
    fn removed_text_is_cut_to_its_ends_unless_it_was_sent() {
        let removed = |old: &str, new: &str, anchor: &str| {
            let removed = removed_text(old, new, &Sent::new(anchor, new))?;
            Some((removed.lines, removed.first, removed.last))
        };
        let ends = |lines: usize, first: &str, last: &str| {
            Some((lines, first.to_string(), Some(last.to_string())))
        };
        let old = "a {\n\n  b\n  c\n  d\n  }";
        assert_eq!(removed(old, "e", "a {"), ends(6, "a {", "}"));
        assert_eq!(
            removed(old, "a {\n\n      b\n  }", "a {"),
            ends(2, "c", "d")
        );
        assert_eq!(removed(old, "e", "a { b c d }"), None);
        assert_eq!(removed("41", "42", "x"), Some((1, "41".to_string(), None)));
        assert_eq!(removed("41", "42", "x = <|>41<|>"), None);
        assert_eq!(removed("# why\nf()", "", "f()"), ends(2, "# why", "f()"));
    }
}
