//! Gives new text the indentation of its new home (`design.md`, section 6).
//!
//! Content comes written at column 0 or already indented as in the file; both must come out
//! right. Protected lines (inside multi-line strings, comments) keep their bytes.

use std::collections::{BTreeMap, BTreeSet};

/// Where content is going to stand.
#[derive(Clone, Debug)]
pub(crate) struct Home {
    /// The white space at the start of the line the target begins in.
    pub(crate) indentation: String,
    /// What one level of indentation is in this file, where that can be seen.
    pub(crate) unit: Option<String>,
}

/// What placing did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Placed {
    /// The content as it goes into the file.
    pub(crate) text: String,
    /// How many lines got other white space in front.
    pub(crate) shifted_lines: usize,
}

/// Re-indents `content` for its home. `protected` are lines of it (from 0) that stay as they are;
/// `opened` says of a line whether it wants to stand deeper than the first: a bracket is open, or
/// the line goes on with what stands before it.
pub(crate) fn place(
    content: &str,
    home: &Home,
    protected: &BTreeSet<usize>,
    opened: impl Fn(usize) -> bool,
) -> Placed {
    let lines: Vec<&str> = content.split_inclusive('\n').collect();
    let lines: Vec<String> = in_unit_of_file(&lines, home, protected);
    let free = |index: usize| !protected.contains(&index) && !lines[index].trim().is_empty();
    let rest: Vec<usize> = (1..lines.len()).filter(|&index| free(index)).collect();

    let own = own_indentation(&lines, &rest, home, opened);
    let mut text = String::new();
    let mut shifted_lines = 0;
    for (index, line) in lines.iter().enumerate() {
        if index == 0 && free(0) {
            text.push_str(line.trim_start_matches([' ', '\t']));
        } else if !free(index) {
            text.push_str(line);
        } else {
            let bare = line
                .strip_prefix(own.as_str())
                .unwrap_or(line.trim_start_matches([' ', '\t']));
            shifted_lines += usize::from(own != home.indentation);
            text.push_str(&home.indentation);
            text.push_str(bare);
        }
    }
    Placed {
        text,
        shifted_lines,
    }
}

/// The white space that stands for "no indentation" in the content.
fn own_indentation(
    lines: &[String],
    rest: &[usize],
    home: &Home,
    opened: impl Fn(usize) -> bool,
) -> String {
    let first = lines.first().map_or("", |line| leading(line));
    let common = rest
        .iter()
        .map(|&index| leading(&lines[index]))
        .reduce(common_prefix);
    let Some(common) = common else {
        return first.to_string();
    };
    if !first.is_empty() {
        return common_prefix(first, common).to_string();
    }
    let home = home.indentation.as_str();
    if home.is_empty() || !common.starts_with(home) {
        return String::new();
    }
    // The first line is bare and all others are at least as deep as the home: either it was
    // copied from the file without the white space before it, or it stands at column 0 and has
    // nothing but deeper lines. A line right at the home's depth that an open bracket or an
    // operator wants deeper than the first line tells.
    let level = rest
        .iter()
        .copied()
        .find(|&index| leading(&lines[index]) == home);
    match level {
        Some(index) if opened(index) => String::new(),
        _ => home.to_string(),
    }
}

/// The lines with their indentation brought to the file's kind, where it is wholly of the other:
/// tabs stay tabs.
fn in_unit_of_file(lines: &[&str], home: &Home, protected: &BTreeSet<usize>) -> Vec<String> {
    let kept = || lines.iter().map(|line| line.to_string()).collect();
    let Some(unit) = home.unit.as_deref() else {
        return kept();
    };
    let other = if unit.starts_with('\t') { ' ' } else { '\t' };
    let is_free = |index: usize| !protected.contains(&index) && !lines[index].trim().is_empty();
    let leads: Vec<&str> = (0..lines.len())
        .filter(|&index| is_free(index))
        .map(|index| leading(lines[index]))
        .filter(|lead| !lead.is_empty())
        .collect();
    let step = match other {
        '\t' => 1,
        _ => leads.iter().map(|lead| lead.len()).min().unwrap_or(0),
    };
    let is_level = other == '\t' || step > 1;
    if leads.is_empty() || !is_level || leads.iter().any(|lead| lead.contains(|c| c != other)) {
        return kept();
    }
    let convert = |(index, line): (usize, &&str)| {
        let lead = leading(line).len();
        match is_free(index) {
            true => unit.repeat(lead / step) + &" ".repeat(lead % step) + &line[lead..],
            false => line.to_string(),
        }
    };
    lines.iter().enumerate().map(convert).collect()
}

/// What one level of indentation is, seen from lines of the file: a tab where most indented lines
/// begin with one, else the step by which lines mostly go deeper.
pub(crate) fn unit_of<'a>(lines: impl Iterator<Item = &'a str>) -> Option<String> {
    let (mut tabs, mut spaces) = (0, 0);
    let mut steps: BTreeMap<usize, usize> = BTreeMap::new();
    let mut last = 0;
    for line in lines.filter(|line| !line.trim().is_empty()) {
        let lead = leading(line);
        match lead.starts_with('\t') {
            true => tabs += 1,
            false => {
                spaces += usize::from(!lead.is_empty());
                // A single space more is alignment, not a level.
                if lead.len() > last + 1 {
                    *steps.entry(lead.len() - last).or_default() += 1;
                }
                last = lead.len();
            }
        }
    }
    if tabs > spaces {
        return Some("\t".to_string());
    }
    let common = steps
        .into_iter()
        .max_by_key(|(step, count)| (*count, usize::MAX - step));
    common.map(|(step, _)| " ".repeat(step))
}

fn leading(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

fn common_prefix<'a>(a: &'a str, b: &'a str) -> &'a str {
    let same = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    &a[..same]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(content: &str, indentation: &str, unit: &str, expected: &str) {
        let home = Home {
            indentation: indentation.to_string(),
            unit: Some(unit.to_string()),
        };
        let opened = |line: usize| {
            let before: String = content.split_inclusive('\n').take(line).collect();
            let of_line = content.lines().nth(line).unwrap_or_default().trim_start();
            before.matches('(').count() > before.matches(')').count() && !of_line.starts_with(')')
        };
        assert_eq!(
            place(content, &home, &BTreeSet::new(), opened).text,
            expected
        );
    }

    const AT_HOME: &str = "fn a() {\n        b();\n    }";

    #[test]
    fn content_at_column_0_moves_to_its_home() {
        check("fn a() {\n    b();\n}", "    ", "    ", AT_HOME);
    }

    #[test]
    fn content_as_in_the_file_stays() {
        check("fn a() {\n        b();\n    }", "    ", "    ", AT_HOME);
        check("    fn a() {\n        b();\n    }", "    ", "    ", AT_HOME);
        check(
            "        fn a() {\n            b();\n        }",
            "    ",
            "    ",
            AT_HOME,
        );
    }

    #[test]
    fn a_list_at_column_0_with_nothing_but_deeper_lines_moves() {
        check("foo(a,\n    b)", "    ", "    ", "foo(a,\n        b)");
        check("foo(\n        a)", "    ", "    ", "foo(\n        a)");
    }

    #[test]
    fn tabs_stay_tabs() {
        check(
            "fn a() {\n    b();\n}",
            "\t",
            "\t",
            "fn a() {\n\t\tb();\n\t}",
        );
        check("fn a() {\n\tb();\n}", "    ", "    ", AT_HOME);
    }

    #[test]
    fn protected_and_blank_lines_keep_their_bytes() {
        let home = Home {
            indentation: "  ".to_string(),
            unit: None,
        };
        let protected = BTreeSet::from([2]);
        let placed = place("a(\n\nb\nc)", &home, &protected, |_| true);
        assert_eq!(
            placed,
            Placed {
                text: "a(\n\nb\n  c)".to_string(),
                shifted_lines: 1
            }
        );
    }
}
