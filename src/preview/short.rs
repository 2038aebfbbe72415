//! A diff as an answer shows it: a long line around its change, and no more than a limit.

/// The maximum length of a line, in characters.
const LINE: usize = 400;

/// The number of characters shown on each side of the change of a longer line.
const AROUND: usize = 80;

/// The maximum length of a diff, in bytes.
const DIFF: usize = 12_000;

/// Returns a diff with long lines around their changes, cut after [`DIFF`] bytes; `None` if nothing is left out.
pub(crate) fn shortened(diff: &str) -> Option<String> {
    let is_long = |line: &str| line.chars().nth(LINE).is_some();
    if diff.len() <= DIFF && !diff.lines().any(is_long) {
        return None;
    }
    // `\ No newline at end of file` may be between a removed and an added line.
    let lines: Vec<&str> = diff
        .lines()
        .filter(|line| !line.starts_with('\\'))
        .collect();
    let mut short = String::new();
    let mut index = 0;
    for line in diff.lines() {
        let shown = match is_long(line) {
            true => around_change(line, counterpart(&lines, index).unwrap_or_default()),
            false => line.to_string(),
        };
        if short.len() + shown.len() > DIFF {
            break;
        }
        short.push_str(&shown);
        short.push('\n');
        index += usize::from(!line.starts_with('\\'));
    }
    Some(short)
}

/// Returns the line that a removed or added line replaces or is replaced by: the one at the same position of the other
/// lines of the change.
fn counterpart<'d>(lines: &[&'d str], index: usize) -> Option<&'d str> {
    let sign = |index: usize| lines.get(index).and_then(|line| line.chars().next());
    let (own, other) = match sign(index)? {
        '-' => ('-', '+'),
        '+' => ('+', '-'),
        _ => return None,
    };
    let first = (0..index)
        .rev()
        .take_while(|&at| sign(at) == Some(own))
        .last()
        .unwrap_or(index);
    let others = match own {
        '-' => (index..).find(|&at| sign(at) != Some('-'))?,
        _ => (0..first)
            .rev()
            .take_while(|&at| sign(at) == Some('-'))
            .last()?,
    };
    let at = others + (index - first);
    (sign(at) == Some(other)).then(|| lines[at])
}

/// Returns the part of a line of a diff that another one does not have, with what is around it.
fn around_change(line: &str, other: &str) -> String {
    let (own, other): (Vec<char>, Vec<char>) = (
        line.chars().skip(1).collect(),
        other.chars().skip(1).collect(),
    );
    let is_same = |(one, other): &(&char, &char)| one == other;
    let start = match other.is_empty() {
        true => 0,
        false => own.iter().zip(&other).take_while(is_same).count(),
    };
    let most = own.len().min(other.len()) - start.min(other.len());
    let same_end = own
        .iter()
        .rev()
        .zip(other.iter().rev())
        .take_while(is_same)
        .count();
    let end = own.len() - same_end.min(most);
    let from = start.saturating_sub(AROUND);
    let to = (end + AROUND).min(own.len()).min(from + LINE);
    let mut shown: String = line.chars().take(1).collect();
    let left_out = |count: usize| format!("[{count} characters]");
    if from > 0 {
        shown += &left_out(from);
    }
    shown.extend(&own[from..to]);
    if to < own.len() {
        shown += &left_out(own.len() - to);
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_diff_is_shown_whole() {
        assert_eq!(shortened("--- a\n+++ b\n@@ -1 +1 @@\n-a\n+b\n"), None);
    }

    #[test]
    fn a_long_line_is_shown_around_its_change() {
        let line = |middle: &str| format!("{}{middle}{}", "a".repeat(1000), "b".repeat(1000));
        let diff = format!(
            "@@ -1,2 +1,2 @@\n-{}\n-x\n+{}\n+y\n",
            line("old"),
            line("new!")
        );
        let (a, b) = ("a".repeat(80), "b".repeat(80));
        let shown = |middle: &str| format!("[920 characters]{a}{middle}{b}[920 characters]");
        let expected = format!(
            "@@ -1,2 +1,2 @@\n-{}\n-x\n+{}\n+y\n",
            shown("old"),
            shown("new!")
        );
        assert_eq!(shortened(&diff), Some(expected));
    }

    #[test]
    fn a_long_line_without_a_counterpart_and_a_long_change_are_cut() {
        let added = format!("@@ -1 +1,2 @@\n é\n+{}\n", "é".repeat(1000));
        let expected = format!("@@ -1 +1,2 @@\n é\n+{}[600 characters]\n", "é".repeat(400));
        assert_eq!(shortened(&added), Some(expected));
        let repeated = format!("-{}\n+{}\n", "a".repeat(500), "a".repeat(502));
        let shown = shortened(&repeated).expect("its lines are long");
        assert!(shown.lines().all(|line| line.len() < 440), "{shown}");
    }

    #[test]
    fn a_diff_of_many_lines_is_cut_after_a_line() {
        let diff = "+a line of text\n".repeat(1000);
        let shown = shortened(&diff).expect("it is long");
        assert!(shown.len() <= DIFF && diff.starts_with(&shown) && shown.ends_with('\n'));
    }
}
