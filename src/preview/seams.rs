//! The ends of the changes of a diff: what an answer shows to a caller who wrote the change.

/// The number of unchanged lines on each side of a change, and of added lines at each of its ends.
const AT_SEAM: usize = 2;

/// The number of removed lines at each end of a change.
const REMOVED: usize = 1;

/// The lines of a hunk with the same sign.
struct Run<'d> {
    sign: char,
    lines: Vec<&'d str>,
}

/// Returns the lines at the ends of each change of a unified diff, with the lines next to them. The others are counted. If
/// there are several hunks, each begins with a header.
pub(crate) fn seams(diff: &str) -> String {
    let lines: Vec<&str> = diff.lines().skip(2).collect();
    let starts: Vec<usize> = (0..lines.len())
        .filter(|&line| lines[line].starts_with("@@"))
        .collect();
    let ends = starts.iter().skip(1).copied().chain([lines.len()]);
    let mut shown = String::new();
    for (start, end) in starts.iter().copied().zip(ends) {
        if starts.len() > 1 {
            push(&mut shown, lines[start]);
        }
        push_hunk(&mut shown, &lines[start + 1..end]);
    }
    shown
}

fn push_hunk(shown: &mut String, lines: &[&str]) {
    let mut runs: Vec<Run<'_>> = Vec::new();
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
    let last = runs.len().saturating_sub(1);
    for (index, run) in runs.iter().enumerate() {
        let (first, end, what) = match run.sign {
            '-' => (REMOVED, REMOVED, "removed lines"),
            '+' => (AT_SEAM, AT_SEAM, "added lines"),
            _ if index == 0 => (0, AT_SEAM, ""),
            _ if index == last => (AT_SEAM, 0, ""),
            _ => (AT_SEAM, AT_SEAM, "lines"),
        };
        push_ends(shown, &run.lines, (first, end), what);
    }
}

/// Appends the `first` and the `last` lines of a run, and between them the number of the others if they have a name.
fn push_ends(shown: &mut String, lines: &[&str], (first, last): (usize, usize), what: &str) {
    let omitted = lines.len().saturating_sub(first + last);
    if omitted == 0 || (omitted == 1 && !what.is_empty()) {
        lines.iter().for_each(|line| push(shown, line));
        return;
    }
    lines[..first].iter().for_each(|line| push(shown, line));
    if !what.is_empty() {
        push(shown, &format!("[{omitted} {what}]"));
    }
    lines[lines.len() - last..]
        .iter()
        .for_each(|line| push(shown, line));
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
        let shown = " 2\n 3\n-4\n[2 removed lines]\n-7\n+a\n+b\n[2 added lines]\n+e\n+f\n 8\n 9\n";
        assert_eq!(seams(diff), shown);
    }

    #[test]
    fn a_line_is_not_replaced_by_its_count() {
        let diff = "--- a\n+++ b\n@@ -0,0 +1,5 @@\n+1\n+2\n+3\n+4\n+5\n";
        assert_eq!(seams(diff), "+1\n+2\n+3\n+4\n+5\n");
    }

    #[test]
    fn several_changes_have_headers() {
        let diff = "--- a\n+++ b\n@@ -1 +1 @@\n-a\n+b\n@@ -9,2 +9,2 @@\n x\n-c\n+d\n\\ No newline at end of file\n";
        let shown =
            "@@ -1 +1 @@\n-a\n+b\n@@ -9,2 +9,2 @@\n x\n-c\n+d\n\\ No newline at end of file\n";
        assert_eq!(seams(diff), shown);
        assert_eq!(seams(""), "");
    }
}
