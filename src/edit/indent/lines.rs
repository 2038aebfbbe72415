//! Lines of text: their indentation, and runs of them.

use std::collections::BTreeSet;

/// Returns the runs of consecutive numbers.
pub(super) fn runs(numbers: &BTreeSet<usize>) -> Vec<Vec<usize>> {
    let mut runs: Vec<Vec<usize>> = Vec::new();
    for &number in numbers {
        match runs.last_mut() {
            Some(run) if run.last() == number.checked_sub(1).as_ref() => run.push(number),
            _ => runs.push(vec![number]),
        }
    }
    runs
}

/// Returns the spaces and tabs that a line begins with.
pub(crate) fn leading(line: &str) -> &str {
    &line[..line.len() - unindented(line).len()]
}

pub(super) fn unindented(line: &str) -> &str {
    line.trim_start_matches([' ', '\t'])
}

pub(super) fn common_prefix<'a>(a: &'a str, b: &'a str) -> &'a str {
    let same = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    &a[..same]
}

/// Returns a line without the whitespace and the quote signs that it begins with.
pub(super) fn without_margin(line: &str, line_sign: Option<char>) -> &str {
    line.trim_start_matches(|c| matches!(c, ' ' | '\t') || Some(c) == line_sign)
}
