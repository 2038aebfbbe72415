//! Infers the base indentation of content: the whitespace that its lines have at depth 0.
//!
//! Content is written at column 0, or copied from the file with or without the whitespace before its first line.

use super::lines::{common_prefix, leading};
use super::target::IndentTarget;

/// How content is indented, compared with the text that it replaces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum WrittenDepth {
    /// Nothing shows it.
    #[default]
    Unknown,
    /// As in the file: it was copied.
    AsInFile,
    /// Less deep than in the file.
    Shallower,
}

/// Evidence from the tree of the content.
pub(super) trait Evidence {
    /// Returns whether the first line after the first that is as deep as the target, if there is one (from 0), should be
    /// deeper than the first line: then the content is at column 0.
    fn is_at_column_0(&self, level: Option<usize>) -> bool;

    /// Returns whether this line (from 0) ends the content.
    fn closes(&self, line: usize) -> bool;

    /// Returns whether this line (from 0) begins with a sibling of what the content begins with.
    fn is_sibling(&self, line: usize) -> bool;

    /// Returns by how much all lines are always deeper than the first.
    fn hanging_indent(&self) -> usize;
}

/// The lines of content that prove something.
#[derive(Clone, Copy)]
pub(super) struct BaseLines<'a> {
    /// All lines.
    pub(super) lines: &'a [String],
    /// The numbers (from 0) of those that count, the first line left out.
    pub(super) measured: &'a [usize],
    pub(super) target: &'a IndentTarget<'a>,
}

impl BaseLines<'_> {
    /// Returns the base indentation; `None` if the content is indented as in the file.
    pub(super) fn base(&self, evidence: &impl Evidence) -> Option<String> {
        let first = self.lines.first().map_or("", |line| leading(line));
        let written = match self.target.is_at_column_0 {
            true => WrittenDepth::Shallower,
            false if first.is_empty() => self.written_by_sibling(evidence),
            false => WrittenDepth::Unknown,
        };
        if written == WrittenDepth::AsInFile {
            return None;
        }
        let Some(common) = self.leads().reduce(common_prefix) else {
            return Some(first.to_string());
        };
        if !first.is_empty() {
            return Some(common_prefix(first, common).to_string());
        }
        if written == WrittenDepth::Shallower {
            return Some(String::new());
        }
        match self.written_as_old_lines() {
            // Copied lines prove nothing against a line that must be deeper than the first.
            Some(WrittenDepth::AsInFile)
                if self.target.is_indented && self.has_line_too_shallow(evidence) => {}
            Some(WrittenDepth::AsInFile) => return None,
            Some(_) => return Some(String::new()),
            None => {}
        }
        if self.target.is_aligned {
            // Its lines have a meaning relative to its first line.
            return Some(String::new());
        }
        self.base_of_bare_first_line(common, evidence)
    }

    /// Returns how the content is indented according to a line that is a sibling of the first one: as in the file if it
    /// is as deep as the target and no line is less deep, at column 0 if it has no indentation.
    fn written_by_sibling(&self, evidence: &impl Evidence) -> WrittenDepth {
        let target = self.target.indentation.as_str();
        if target.is_empty() || self.target.is_indented || self.target.is_prose {
            return WrittenDepth::Unknown;
        }
        let is_deep_enough = self.leads().all(|own| own.starts_with(target));
        let mut lines = self.measured.iter().copied();
        let written = lines.find_map(|line| {
            let written = match leading(&self.lines[line]) {
                "" => WrittenDepth::Shallower,
                own if own == target && is_deep_enough => WrittenDepth::AsInFile,
                _ => return None,
            };
            evidence.is_sibling(line).then_some(written)
        });
        written.unwrap_or_default()
    }

    /// Returns the base indentation of content that starts with a line without indentation. `common` precedes all others.
    fn base_of_bare_first_line(&self, common: &str, evidence: &impl Evidence) -> Option<String> {
        let aligned = self.base_by_alignment();
        let target = self.target.indentation.as_str();
        let is_deep_enough = common.len() >= target.len() + evidence.hanging_indent();
        if target.is_empty() || !common.starts_with(target) || !is_deep_enough {
            // Less deep than the target, but deeper than two levels of content at column 0; what the first line opens would
            // be deeper than the target.
            let opens = self.lines[0].trim_end().ends_with([':', '(', '[', '{']);
            let unit = || self.target.unit.get().map_or(usize::MAX, str::len);
            let is_between = target.starts_with(common)
                && common != target
                && common.len() > unit().saturating_mul(2);
            let is_as_in_file = is_between && !opens;
            return (aligned.is_some() || !is_as_in_file).then(String::new);
        }
        if aligned.is_some() {
            return aligned;
        }
        // Lines of code that are whole levels deep, but not below the target, are at column 0.
        let unit = self.target.unit.get().unwrap_or(self.target.usual_unit);
        let is_level = |depth: usize| depth.is_multiple_of(unit.len().max(1));
        let is_shifted = is_level(common.len()) && !is_level(common.len() - target.len());
        if is_shifted && !self.target.is_prose {
            return Some(String::new());
        }
        // All lines but the first are at least as deep as the target: either they were copied from the file without the
        // whitespace before the first, or the content is at column 0 and all others are deeper. A line exactly as deep as
        // the target decides: an open bracket or an operator before it requires it to be deeper than the first line,
        // unless what was opened ends there too.
        Some(match self.has_line_too_shallow(evidence) {
            true => String::new(),
            false => target.to_string(),
        })
    }

    /// Returns whether a line after the first that is exactly as deep as the target has to be deeper than the first line,
    /// and the last line does not close what the first one opens at that depth.
    fn has_line_too_shallow(&self, evidence: &impl Evidence) -> bool {
        let target = self.target.indentation.as_str();
        let is_level = |index: &usize| leading(&self.lines[*index]) == target;
        let level = self.measured.iter().copied().find(is_level);
        let last = self.measured.last().copied().filter(is_level);
        let is_closed = last.is_some_and(|last| evidence.closes(last));
        evidence.is_at_column_0(level) && !is_closed
    }

    /// Returns the same for content whose first line proves nothing, because it is never indented: `#if`.
    pub(super) fn base_without_first(&self) -> Option<String> {
        let target = self.target.indentation.as_str();
        let common = self.leads().reduce(common_prefix);
        let is_deep = common.is_some_and(|common| !target.is_empty() && common.starts_with(target));
        (self.target.is_at_column_0 || !is_deep).then(String::new)
    }

    /// Returns the whitespace before each line that counts.
    fn leads(&self) -> impl Iterator<Item = &str> {
        self.measured
            .iter()
            .map(|&index| leading(&self.lines[index]))
    }

    /// Returns how the content is indented according to its lines that are also in the replaced text: as there, or as
    /// there without the indentation of the target.
    fn written_as_old_lines(&self) -> Option<WrittenDepth> {
        let indentation = self.target.indentation.as_str();
        let old_lines = &self.target.old_lines;
        let is_distinct = |line: &str| line.trim().contains(char::is_alphanumeric);
        let lines = || {
            self.measured
                .iter()
                .map(|&index| self.lines[index].as_str())
        };
        let old_leads = old_lines.iter().filter(|old| !old.trim().is_empty());
        let least_old = old_leads.map(|old| leading(old).len()).min()?;
        let least = self.leads().map(str::len).min()?;
        // If it were indented as in the file, no line would be less deep than the target and all
        // old lines.
        let is_left = least < least_old.min(indentation.len());
        let (mut as_in_file, mut at_column_0) = (false, false);
        for line in lines() {
            let is_same = |other: &str| other.trim() == line.trim();
            let occurs_once = || lines().filter(|other| is_same(other)).count() == 1;
            if !is_distinct(line) || !occurs_once() {
                continue;
            }
            let mut old = old_lines.iter().filter(|old| is_same(old));
            if let (Some(old), None) = (old.next(), old.next()) {
                let (lead, was) = (leading(line), leading(old));
                as_in_file |= lead == was && !is_left;
                at_column_0 |= was.strip_prefix(indentation) == Some(lead) && lead != was;
            }
        }
        match (as_in_file, at_column_0) {
            (true, false) => Some(WrittenDepth::AsInFile),
            (false, true) => Some(WrittenDepth::Shallower),
            _ => None,
        }
    }

    /// Returns the base indentation according to a line that is aligned with something in the first one: with the text
    /// that follows a bracket, or with an operator that it begins with too.
    fn base_by_alignment(&self) -> Option<String> {
        let first: Vec<char> = self.lines.first()?.trim_end().chars().collect();
        let indentation = self.target.indentation.as_str();
        let start = self.target.column.unwrap_or(indentation.len());
        let is_aligned = |column_in_file: usize, line: &str| {
            let column = column_in_file
                .checked_sub(start)
                .filter(|column| *column > 0);
            column.is_some_and(|column| is_aligned_with(&first, column, line))
        };
        self.measured.iter().find_map(|&index| {
            let line = self.lines[index].as_str();
            let lead = leading(line);
            let depth = lead.chars().all(|c| c == ' ').then_some(lead.len())?;
            let at_column_0 = is_aligned(depth + indentation.len(), line);
            match (at_column_0, is_aligned(depth, line)) {
                (true, false) => Some(String::new()),
                (false, true) => Some(indentation.to_string()),
                _ => None,
            }
        })
    }
}

/// Returns whether a line that starts at a column (from 0) of the first line is aligned with it: after an open bracket, or
/// with the same operator.
fn is_aligned_with(first: &[char], column: usize, line: &str) -> bool {
    let operator: Vec<char> = line
        .trim_start()
        .chars()
        .take_while(|c| !c.is_alphanumeric() && !c.is_whitespace() && !"\"'_)]}".contains(*c))
        .collect();
    let there = first.get(column..).unwrap_or_default();
    let after_bracket = column < first.len() && stays_open(first, column - 1);
    after_bracket || (!operator.is_empty() && there.starts_with(&operator))
}

/// Returns whether an opening bracket is at `index` and the line does not close it.
fn stays_open(line: &[char], index: usize) -> bool {
    if !line.get(index).is_some_and(|c| "([{".contains(*c)) {
        return false;
    }
    let mut depth = 0;
    line[index..].iter().all(|c| {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        depth > 0
    })
}
