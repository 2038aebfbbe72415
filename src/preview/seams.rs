//! The ends of the changes of a diff: what an answer shows to a caller who wrote the change, so that a wrong blank line or
//! indentation is seen. Lines that replace as many lines of the same indentation have neither, and are not shown.

use std::ops::Range;

/// The maximum number of lines on each side of a seam. The first that is not blank is the last.
const AT_SEAM: usize = 2;

/// The lines of a hunk with the same sign.
struct Run<'d> {
    sign: char,
    lines: Vec<&'d str>,
}

/// Returns the lines at the ends of what a unified diff adds, and the lines next to each change. The others are counted. If
/// there are several hunks, each that is shown begins with a header.
pub(crate) fn seams(diff: &str) -> String {
    let lines: Vec<&str> = diff.lines().skip(2).collect();
    let starts: Vec<usize> = (0..lines.len())
        .filter(|&line| lines[line].starts_with("@@"))
        .collect();
    let ends = starts.iter().skip(1).copied().chain([lines.len()]);
    let mut shown = String::new();
    for (start, end) in starts.iter().copied().zip(ends) {
        let runs = runs(&lines[start + 1..end]);
        if !runs.iter().any(|run| run.sign != ' ') {
            continue;
        }
        if starts.len() > 1 {
            push(&mut shown, lines[start]);
        }
        push_runs(&mut shown, &runs);
    }
    shown
}

/// Returns the runs of a hunk; lines that replace as many of the same indentation count as unchanged.
fn runs<'d>(lines: &[&'d str]) -> Vec<Run<'d>> {
    let mut all: Vec<Run<'d>> = Vec::new();
    for run in runs_of_signs(lines) {
        let old = all
            .last()
            .filter(|last| last.sign == '-' && run.sign == '+');
        let is_alike = old.is_some_and(|old| is_alike(&old.lines, &run.lines));
        if is_alike {
            all.pop();
        }
        let sign = if is_alike { ' ' } else { run.sign };
        match all.last_mut() {
            Some(last) if last.sign == ' ' && sign == ' ' => last.lines.extend(run.lines),
            _ => all.push(Run { sign, ..run }),
        }
    }
    all
}

/// Returns whether each line has the indentation of the one that it replaces, and is empty if that is.
fn is_alike(old: &[&str], new: &[&str]) -> bool {
    let shape = |line: &&str| {
        let text = text_of(line);
        let indentation = text.len() - text.trim_start().len();
        (text[..indentation].to_string(), text.len() == indentation)
    };
    old.iter().map(shape).eq(new.iter().map(shape))
}

fn runs_of_signs<'d>(lines: &[&'d str]) -> Vec<Run<'d>> {
    let mut runs: Vec<Run<'d>> = Vec::new();
    for line in lines {
        let sign = line.chars().next().unwrap_or(' ');
        match runs.last_mut() {
            // `\ No newline at end of file` belongs to the line before it.
            Some(run) if run.sign == sign || sign == '\\' => run.lines.push(line),
            _ => runs.push(Run {
                sign,
                lines: vec![line],
            }),
        }
    }
    runs
}

fn push_runs(shown: &mut String, runs: &[Run<'_>]) {
    let last = runs.len().saturating_sub(1);
    for (index, run) in runs.iter().enumerate() {
        let (has_start, has_end, what) = match run.sign {
            '-' => (false, false, "removed"),
            '+' => (true, true, "added"),
            _ => (index > 0, index < last, ""),
        };
        let first = at_seam(run.lines.iter().filter(|_| has_start));
        let end = at_seam(run.lines.iter().rev().filter(|_| has_end));
        let omitted = run.lines.len().saturating_sub(first + end);
        if omitted == 0 {
            run.push(shown, 0..run.lines.len());
            continue;
        }
        run.push(shown, 0..first);
        let lines = if omitted == 1 { "line" } else { "lines" };
        match what {
            "" if has_start && has_end => push(shown, &format!("[{omitted} {lines}]")),
            "" => {}
            what => push(shown, &format!("[{omitted} {what} {lines}]")),
        }
        run.push(shown, run.lines.len() - end..run.lines.len());
    }
}

/// Returns how many of the lines from a seam on are shown.
fn at_seam<'l>(mut lines: impl Iterator<Item = &'l &'l str> + Clone) -> usize {
    let count = lines.clone().count();
    let text = lines.position(|line| !text_of(line).trim().is_empty());
    text.map_or(count, |text| text + 1).min(AT_SEAM).min(count)
}

impl Run<'_> {
    fn push(&self, shown: &mut String, range: Range<usize>) {
        for line in &self.lines[range] {
            match line.starts_with('\\') {
                true => push(shown, line),
                false => push(shown, &format!("{}{}", self.sign, text_of(line))),
            }
        }
    }
}

/// Returns a line of a diff without its sign.
fn text_of<'l>(line: &&'l str) -> &'l str {
    line.get(1..).unwrap_or_default()
}

fn push(shown: &mut String, line: &str) {
    shown.push_str(line);
    shown.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_shown_by_its_ends() {
        let diff = "--- a\n+++ b\n@@ -1,9 +1,11 @@\n 1\n 2\n 3\n-4\n-5\n-6\n-7\n+a\n+b\n+c\n+d\n+e\n+f\n 8\n 9\n 10\n";
        let shown = " 3\n[4 removed lines]\n+a\n[4 added lines]\n+f\n 8\n";
        assert_eq!(seams(diff), shown);
    }

    #[test]
    fn lines_of_the_same_shape_are_not_shown() {
        let diff = "--- a\n+++ b\n@@ -1,2 +1,2 @@\n-  1\n+  a\n 2\n";
        assert_eq!(seams(diff), "");
        for other in ["    a", "a", " "] {
            let diff = diff.replace("  a", other);
            assert_eq!(seams(&diff), format!("[1 removed line]\n+{other}\n 2\n"));
        }
        let diff = "--- a\n+++ b\n@@ -1,6 +1,7 @@\n 1\n-2\n+b\n 3\n+c\n+\n 4\n-5\n-6\n+e\n+f\n";
        assert_eq!(seams(diff), " 3\n+c\n+\n 4\n");
    }

    #[test]
    fn a_blank_line_is_shown_with_the_next_one() {
        let diff = "--- a\n+++ b\n@@ -1,4 +1,6 @@\n 1\n \n+\n+2\n \n \n 3\n";
        assert_eq!(seams(diff), " 1\n \n+\n+2\n \n \n");
    }

    #[test]
    fn several_changes_have_headers() {
        let diff = "--- a\n+++ b\n@@ -1 +1 @@\n-a\n+ b\n@@ -9,2 +9,2 @@\n x\n-c\n+d\n\\ No newline at end of file\n";
        let shown = "@@ -1 +1 @@\n[1 removed line]\n+ b\n@@ -9,2 +9,2 @@\n x\n[1 removed line]\n+d\n\\ No newline at end of file\n";
        assert_eq!(seams(diff), shown);
        assert_eq!(seams(""), "");
    }
}
