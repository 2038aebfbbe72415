//! Converts the indentation of content to the unit of its file.

use super::lines::{leading, runs};
use super::target::IndentTarget;
use super::texts::TextLines;

/// Returns the lines of content with the file's unit of indentation if all of them use the other kind; else unchanged.
/// Tabs of a file with tabs stay tabs.
pub(super) fn in_unit_of_file(
    lines: &[&str],
    target: &IndentTarget<'_>,
    texts: &TextLines,
) -> Vec<String> {
    let unchanged = || lines.iter().map(|line| line.to_string()).collect();
    let counts = |index: usize| !texts.is_literal(index) && !lines[index].trim().is_empty();
    let leads: Vec<&str> = (0..lines.len())
        .filter(|&index| counts(index) && !texts.comments.contains(&index))
        .map(|index| leading(lines[index]))
        .filter(|lead| !lead.is_empty())
        .collect();
    if leads.is_empty() || target.is_prose {
        return unchanged();
    }
    // The replaced lines may not use the file's kind either.
    let is_as_before = |lead: &&str| target.old_lines.iter().any(|line| leading(line) == *lead);
    if leads.iter().any(is_as_before) {
        return unchanged();
    }
    // Last, as inferring it reads many lines.
    let Some(unit) = target.unit.get() else {
        return unchanged();
    };
    let other = if unit.starts_with('\t') { ' ' } else { '\t' };
    let step = match other {
        '\t' => 1,
        _ => leads.iter().map(|lead| lead.len()).min().unwrap_or(0),
    };
    let is_level = other == '\t' || step > 1;
    if !is_level || leads.iter().any(|lead| lead.contains(|c| c != other)) {
        return unchanged();
    }
    let mut indented = vec![0; lines.len()];
    for index in (0..lines.len()).filter(|&index| counts(index)) {
        indented[index] = leading(lines[index]).len();
    }
    // In a text that moves with its code, only the whitespace of the line before it is indentation.
    for text in runs(&texts.together) {
        let first = text[0]
            .checked_sub(1)
            .map_or("", |first| leading(lines[first]));
        let is_indented =
            |&index: &usize| lines[index].trim().is_empty() || lines[index].starts_with(first);
        if text.iter().all(is_indented) {
            for index in text {
                indented[index] = first.len().min(leading(lines[index]).len());
            }
        }
    }
    let convert = |(line, lead): (&&str, usize)| {
        unit.repeat(lead / step) + &" ".repeat(lead % step) + &line[lead..]
    };
    lines.iter().zip(indented).map(convert).collect()
}
