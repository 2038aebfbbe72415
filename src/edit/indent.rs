//! Gives content the indentation of its destination (docs/design/edit.md#indentation). All decisions about it are here.
//!
//! Content is written at column 0 or indented as in the file; both come out right. Protected lines (in multi-line
//! strings and comments) keep their bytes.
//!
//! | module | decides |
//! |---|---|
//! | [`target`] | what the lines of the content have to begin with |
//! | [`insertion`] | what content inserted on lines of its own is indented like |
//! | [`base`] | which whitespace of the content is its indentation |
//! | [`tree`], [`columns`], [`items`] | what the content's nodes show about that |
//! | [`texts`] | which lines are text, and keep their bytes |
//! | [`unit`], [`conversion`] | tabs or spaces, and how many |

mod base;
mod columns;
mod conversion;
mod insertion;
mod items;
mod lines;
mod target;
mod texts;
mod tree;
mod unit;

use std::collections::BTreeSet;

use crate::parse::Parsed;
use crate::source::Span;

use super::Indent;
use super::layout::LastLayout;
use base::{BaseLines, Evidence};
use columns::ColumnContent;
use conversion::in_unit_of_file;
pub(super) use insertion::of_insertion;
pub(crate) use lines::leading;
use lines::unindented;
pub(crate) use target::{IndentTarget, margin};
use texts::{TextLines, immovable, is_fixed};
use tree::{ContentLines, ContentTree};
pub(crate) use tree::{begins_outdented, begins_unindented};
#[cfg(feature = "disk")]
pub(crate) use unit::indent_unit;
pub(crate) use unit::unit_of_text;

/// Content with the indentation of its destination.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reindented {
    pub(crate) text: String,
    /// The number of lines with changed indentation.
    pub(crate) changed_lines: usize,
}

impl Reindented {
    /// Returns the note for the preview.
    pub(crate) fn note(&self) -> Option<super::EditNote> {
        (self.changed_lines > 0).then_some(super::EditNote::Reindented {
            lines: self.changed_lines,
        })
    }
}

/// Re-indents `content` for its target. The tree of the `last` layout shows which lines are in strings or comments and
/// which continue others; without one, only the text is used.
pub(crate) fn reindent(
    content: &str,
    target: &IndentTarget<'_>,
    indent: Indent,
    last: Option<&LastLayout<'_>>,
) -> Reindented {
    let target = &*target.written_as(indent);
    let lines = last.map(|change| ContentLines::new(change.after, change.new_span));
    let mut texts = lines
        .as_ref()
        .map_or_else(TextLines::default, TextLines::from_lines);
    let columns = target.by_column.map(|language| {
        // The grammar may end a node before a comment that a reader counts as part of it.
        let comments = columns::comment_lines(content, language);
        texts.comments.extend(comments);
        ColumnContent::new(content, target, language)
    });
    let evidence = ContentEvidence {
        target,
        columns,
        tree: last
            .zip(lines)
            .map(|(change, lines)| ContentTree::new(change, lines.starts)),
    };
    if target.quote.is_empty() {
        return indented(content, target, &texts, &evidence);
    }
    let bare = without_quote(content, target);
    let mut reindented = indented(&bare, target, &texts, &evidence);
    reindented.text = with_quote(&reindented.text, &target.quote);
    reindented
}

/// Returns the text of `span` with `depth` instead of the target's indentation at the start of its lines other than the
/// first. Protected lines and less deep ones stay as they are.
pub(crate) fn moved(parsed: &Parsed, span: Span, target: &IndentTarget<'_>, depth: &str) -> String {
    let own = ContentLines::new(parsed, span);
    let mut protected = own.inside(is_fixed);
    let together = own.inside(|node| node.moves_together());
    let text = parsed.source().slice(span).replace("\r\n", "\n");
    let prefix = target.prefix();
    let lines: Vec<&str> = text.split('\n').collect();
    protected.extend(immovable(&together, &lines, &prefix));
    let line = |(index, line): (usize, &str)| match line.strip_prefix(prefix.as_str()) {
        Some(bare) if index > 0 && !protected.contains(&index) && !bare.trim().is_empty() => {
            format!("{depth}{bare}")
        }
        _ => line.to_string(),
    };
    text.split_inclusive('\n').enumerate().map(line).collect()
}

/// Returns the lines (from 0) in `span` that are text, which keeps its bytes.
pub(super) fn text_lines_of(parsed: &Parsed, span: Span) -> BTreeSet<usize> {
    ContentLines::new(parsed, span).inside(is_fixed)
}

/// Returns content with the file's unit of indentation.
pub(crate) fn with_unit_of_file(content: &str, target: &IndentTarget<'_>) -> String {
    let lines: Vec<&str> = content.split_inclusive('\n').collect();
    in_unit_of_file(&lines, target, &TextLines::default()).concat()
}

/// The evidence of the content's nodes: its own nodes where columns determine parents, else its
/// nodes in the file.
struct ContentEvidence<'a, 'c, 'p> {
    target: &'a IndentTarget<'a>,
    columns: Option<ColumnContent>,
    tree: Option<ContentTree<'c, 'p>>,
}

impl Evidence for ContentEvidence<'_, '_, '_> {
    fn is_at_column_0(&self, level: Option<usize>) -> bool {
        match (&self.columns, &self.tree) {
            (Some(columns), _) => !self.target.is_flat && columns.is_at_column_0(level),
            (None, Some(tree)) => level.is_some_and(|line| {
                let continues = || tree.is_continuation(line, &self.target.quote);
                tree.is_in_body(line) || (!self.target.is_flat && continues())
            }),
            // A line that is too deep proves something; one that should be in a body but is next to it does not.
            (None, None) => self.target.is_indented && level.is_some(),
        }
    }

    fn closes(&self, line: usize) -> bool {
        let tree = self.tree.as_ref().filter(|_| self.columns.is_none());
        tree.is_some_and(|tree| tree.is_closed_by(line))
    }

    fn is_sibling(&self, line: usize) -> bool {
        let tree = self.tree.as_ref().filter(|_| self.columns.is_none());
        tree.is_some_and(|tree| tree.begins_with_sibling(line))
    }

    fn hanging_indent(&self) -> usize {
        self.tree.as_ref().map_or(0, ContentTree::hanging_indent)
    }
}

/// Re-indents `content` without quote signs for its target.
fn indented(
    content: &str,
    target: &IndentTarget<'_>,
    texts: &TextLines,
    evidence: &impl Evidence,
) -> Reindented {
    let lines: Vec<&str> = content.split_inclusive('\n').collect();
    let lines: Vec<String> = in_unit_of_file(&lines, target, texts);
    let is_code =
        |index: usize| !texts.protected.contains(&index) && !lines[index].trim().is_empty();
    let further: Vec<usize> = (1..lines.len()).filter(|&index| is_code(index)).collect();
    let measured = further
        .iter()
        .copied()
        .filter(|&index| !texts.is_loose(index));
    let measured: Vec<usize> = measured.collect();
    let leads = measured.iter().map(|&index| leading(&lines[index]));
    let target = &*target.for_lines(lines.first().map_or("", String::as_str), leads);
    let base_lines = BaseLines {
        lines: &lines,
        measured: if measured.is_empty() {
            &further
        } else {
            &measured
        },
        target,
    };
    let base = match texts.protected.contains(&0) {
        true => base_lines.base_without_first(),
        false => base_lines.base(evidence),
    };
    let base = base.filter(|_| !mixes_tabs_as_in_file(&lines, &further, target));
    let mut reindented = Reindented {
        text: String::new(),
        changed_lines: 0,
    };
    let fixed = base
        .as_ref()
        .map(|base| immovable(&texts.together, &lines, base));
    for (index, line) in lines.iter().enumerate() {
        let (Some(base), Some(fixed)) = (&base, &fixed) else {
            let is_first = index == 0;
            reindented.text += if is_first { unindented(line) } else { line };
            continue;
        };
        let moves = is_code(index) && !fixed.contains(&index);
        if index == 0 {
            reindented.text += unindented(line);
        } else if let Some(blanks) = blank_line_of_text(line, base, target) {
            reindented.text += &blanks;
        } else if !moves || (texts.is_loose(index) && !line.starts_with(base.as_str())) {
            let has_margin = line.trim().is_empty() || base.starts_with(target.margin.as_str());
            reindented.text += if has_margin { "" } else { &target.margin };
            reindented.text += line;
        } else {
            reindented.changed_lines += usize::from(*base != target.indentation);
            reindented.text += &target.indentation;
            reindented.text += line.strip_prefix(base.as_str()).unwrap_or(unindented(line));
        }
    }
    reindented
}

/// Returns whether content is indented as in a file that mixes tabs and spaces, a tab for eight of them: none of its lines
/// is less deep than the target, and some have other whitespace.
fn mixes_tabs_as_in_file(lines: &[String], further: &[usize], target: &IndentTarget<'_>) -> bool {
    const TAB: usize = 8;
    let columns = |lead: &str| {
        lead.chars().fold(0, |column, c| match c {
            '\t' => (column / TAB + 1) * TAB,
            _ => column + 1,
        })
    };
    let first = lines.first().map_or("", |line| leading(line));
    let own = target.indentation.as_str();
    let mut leads = further.iter().map(|&index| leading(&lines[index]));
    !own.is_empty()
        && (first.is_empty() || first == own)
        && leads.clone().all(|lead| columns(lead) >= columns(own))
        && leads.any(|lead| !lead.starts_with(own))
}

/// Returns a line of whitespace at its target, if it belongs to a text that its column delimits: what exceeds the base
/// indentation is text.
fn blank_line_of_text(line: &str, base: &str, target: &IndentTarget<'_>) -> Option<String> {
    target.by_column?;
    let rest = line.strip_prefix(base)?;
    let is_of_text = line.trim().is_empty() && rest.starts_with([' ', '\t']);
    is_of_text.then(|| format!("{}{rest}", target.indentation))
}

/// Returns content without the signs of the quote it is inserted into, if all its lines but the first have them.
fn without_quote(content: &str, target: &IndentTarget<'_>) -> String {
    let Some(sign) = target.line_sign else {
        return content.to_string();
    };
    let signs = target.quote.matches(sign).count();
    let strip = |line: &str| {
        let mut rest = line;
        for _ in 0..signs {
            rest = unindented(rest).strip_prefix(sign)?;
        }
        Some(rest.strip_prefix(' ').unwrap_or(rest).to_string())
    };
    let mut lines = content.split('\n');
    let first = lines.next().unwrap_or_default();
    let rest: Option<Vec<String>> = lines.map(strip).collect();
    match rest {
        Some(rest) if !rest.is_empty() => {
            let first = strip(first).unwrap_or_else(|| first.to_string());
            [vec![first], rest].concat().join("\n")
        }
        _ => content.to_string(),
    }
}

/// Returns text with the signs of the quote at the start of each line but the first.
fn with_quote(text: &str, quote: &str) -> String {
    let lines = text.split('\n').enumerate();
    let quoted: Vec<String> = lines
        .map(|(index, line)| match (index, line.is_empty()) {
            (0, _) => line.to_string(),
            (_, true) => quote.trim_end().to_string(),
            _ => format!("{quote}{line}"),
        })
        .collect();
    quoted.join("\n")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Evidence by counting parentheses.
    struct Parentheses<'a>(&'a str);

    impl Evidence for Parentheses<'_> {
        fn is_at_column_0(&self, level: Option<usize>) -> bool {
            let Some(line) = level else {
                return false;
            };
            let before: String = self.0.split_inclusive('\n').take(line).collect();
            let of_line = self.0.lines().nth(line).unwrap_or_default().trim_start();
            before.matches('(').count() > before.matches(')').count() && !of_line.starts_with(')')
        }

        fn closes(&self, _line: usize) -> bool {
            false
        }

        fn is_sibling(&self, _line: usize) -> bool {
            false
        }

        fn hanging_indent(&self) -> usize {
            0
        }
    }

    fn check(content: &str, indentation: &str, unit: &str, expected: &str) {
        let mut target = IndentTarget::new(indentation.to_string(), None);
        target.unit = unit::Unit::known(Some(unit.to_string()));
        let texts = TextLines::default();
        let reindented = indented(content, &target, &texts, &Parentheses(content));
        assert_eq!(reindented.text, expected);
    }

    const AT_TARGET: &str = "fn a() {\n        b();\n    }";

    #[test]
    fn content_at_column_0_moves_to_its_target() {
        check("fn a() {\n    b();\n}", "    ", "    ", AT_TARGET);
    }

    #[test]
    fn content_as_in_the_file_stays() {
        check("fn a() {\n        b();\n    }", "    ", "    ", AT_TARGET);
        check(
            "    fn a() {\n        b();\n    }",
            "    ",
            "    ",
            AT_TARGET,
        );
        check(
            "        fn a() {\n            b();\n        }",
            "    ",
            "    ",
            AT_TARGET,
        );
    }

    #[test]
    fn a_list_at_column_0_with_only_deeper_lines_moves() {
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
        check("fn a() {\n\tb();\n}", "    ", "    ", AT_TARGET);
    }

    #[test]
    fn protected_and_blank_lines_keep_their_bytes() {
        let target = IndentTarget::new("  ".to_string(), None);
        let texts = TextLines {
            protected: BTreeSet::from([2]),
            ..TextLines::default()
        };
        let content = "a(\n\nb\nc)";
        let reindented = indented(content, &target, &texts, &Parentheses("(\n\n\n"));
        assert_eq!(
            reindented,
            Reindented {
                text: "a(\n\nb\n  c)".to_string(),
                changed_lines: 1
            }
        );
    }
}
