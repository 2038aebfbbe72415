//! Finds what a written edit changed beyond what its caller sent: the text that it removed, and the lines of the content
//! that it fitted to the file. An answer shows these instead of the diff.

use std::borrow::Cow;

use crate::change::Target;
use crate::diagnostic::cut;
use crate::edit::Operation;
use crate::locate::around_marker;
use crate::preview::{ChangedLines, FilePreview};
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
    let targets = file.record().targets();
    let removed_lines = lines_by_target(file, targets);
    let own = targets.iter().zip(infos).zip(removed_lines);
    own.map(|((target, info), lines)| {
        let edit = edits.get(info.edit);
        edit.map(|edit| of_target(edit, file, target, info.action, &lines))
            .unwrap_or_default()
    })
    .collect()
}

/// Returns the removed lines of the diff for each target: the target nearest to a line.
fn lines_by_target<'f>(file: &'f FilePreview, targets: &[Target]) -> Vec<Vec<&'f str>> {
    let before = file.before();
    let line_ranges: Vec<(usize, usize)> = targets
        .iter()
        .map(|target| {
            let span = target.span();
            (before.line_of(span.start()), before.line_of(span.end()))
        })
        .collect();
    let mut own = vec![Vec::new(); targets.len()];
    for (number, line) in ChangedLines::of(file.record().diff()).removed {
        let distance = |(first, last): &(usize, usize)| {
            first.saturating_sub(number) + number.saturating_sub(*last)
        };
        let nearest = line_ranges.iter().map(distance).enumerate();
        if let Some((index, _)) = nearest.min_by_key(|(_, distance)| *distance) {
            own[index].push(line);
        }
    }
    own
}

fn of_target(
    edit: &RequestedEdit,
    file: &FilePreview,
    target: &Target,
    action: EditAction,
    removed_lines: &[&str],
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
    let removed = match action {
        EditAction::Replace | EditAction::ReplaceText | EditAction::Delete => {
            let sent = Sent::new(edit.target.selector.anchor.as_str(), &content);
            removed_text(&old, removed_lines, &sent)
        }
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

/// Returns the removed text: `old` if it is less than a line, otherwise the removed lines of the diff. Returns `None` if
/// the caller sent all of it.
fn removed_text(old: &str, removed_lines: &[&str], sent: &Sent) -> Option<RemovedText> {
    let old_lines = old.trim().lines().count();
    if removed_lines.len() <= old_lines && sent.contains(old) {
        return None;
    }
    let lines: Vec<&str> = match old_lines == 1 && removed_lines.len() <= 1 {
        true => vec![old.trim()],
        false => removed_lines.iter().map(|line| line.trim()).collect(),
    };
    if lines.iter().all(|line| sent.contains(line)) {
        return None;
    }
    let mut shown = lines.iter().filter(|line| !line.is_empty());
    let first = shown.next()?;
    Some(RemovedText {
        lines: lines.len(),
        first: cut(first),
        last: shown.next_back().map(|last| cut(last)),
    })
}

/// How the indentation of a line differs from the one that was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Shift {
    Added(String),
    Removed(String),
    Converted,
}

impl Shift {
    /// Returns the shift between two lines of the same text, or `None` if they are equal.
    fn between(sent: &str, written: &str) -> Option<Shift> {
        if sent == written {
            None
        } else if let Some(added) = written.strip_suffix(sent) {
            Some(Shift::Added(added.to_string()))
        } else if let Some(removed) = sent.strip_suffix(written) {
            Some(Shift::Removed(removed.to_string()))
        } else {
            Some(Shift::Converted)
        }
    }
}

/// Returns the lines of the new text that differ from the content. Lines that moved by the most frequent shift are not
/// among them, since a note counts them, nor is a line that only lost a separator, which another note names.
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
        let removed = |old: &str, lines: &[&str], anchor: &str| {
            let removed = removed_text(old, lines, &Sent::new(anchor, "new"))?;
            Some((removed.lines, removed.first, removed.last))
        };
        let ends = |first: &str, last: &str| Some((first.to_string(), Some(last.to_string())));
        let of = |one: Option<(usize, String, Option<String>)>| one.map(|one| (one.1, one.2));
        let lines = ["  a {", "", "  b", "  }"];
        assert_eq!(
            of(removed("a {\n\n  b\n  }", &lines, "a {")),
            ends("a {", "}")
        );
        assert_eq!(removed("a {\n\n  b\n  }", &lines, "a { b }"), None);
        assert_eq!(
            removed("41", &["x = 41"], "x"),
            Some((1, "41".to_string(), None))
        );
        assert_eq!(removed("41", &["x = 41"], "x = <|>41<|>"), None);
        // The comment was removed with the node.
        let both = removed("f()", &["# why", "f()"], "f()");
        assert_eq!(of(both), ends("# why", "f()"));
    }
}
