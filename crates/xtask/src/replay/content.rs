//! The content of a span as a caller would send it: as in the file, with and without the
//! surrounding blank lines, and at column 0.

use std::collections::HashSet;

use treegraft::parse::Parsed;
use treegraft::source::Span;

use super::meaning::is_comment;

/// The form of a content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Written {
    /// With its indentation in the file, including that of the first line. Inserted content also
    /// includes the surrounding blank lines and the trailing comma.
    AsInFile,
    /// Without the indentation of the first line, or of all lines. Lines of strings do not move;
    /// those of docstrings and comments do.
    AtColumnZero,
    /// The same, for content that starts in the middle of a line of the file.
    FromMidLine,
    /// As in the file, without surrounding blank lines and comma.
    Bare,
    /// As in the file, sent with `indent: verbatim`.
    Verbatim,
}

impl Written {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Written::AsInFile => "as in the file",
            Written::AtColumnZero => "at column 0",
            Written::FromMidLine => "at column 0, from mid-line",
            Written::Bare => "as in the file, without its blank lines",
            Written::Verbatim => "as in the file, verbatim",
        }
    }

    /// Returns whether a caller would copy this form from the file.
    pub(crate) fn is_plain(self) -> bool {
        matches!(self, Written::AsInFile | Written::Bare)
    }

    /// Returns whether the form counts in the comparison of languages and repositories.
    pub(crate) fn is_compared(self) -> bool {
        matches!(self, Written::AsInFile | Written::AtColumnZero)
    }
}

/// Returns the content of a replaced node in all distinct forms.
pub(crate) fn contents(
    parsed: &Parsed,
    span: Span,
    strings: &HashSet<String>,
) -> Vec<(Written, String)> {
    let own = &parsed.source().text()[span.range()];
    let mut all = as_in_file_and_at_zero(parsed, span, strings);
    // The content starts where the old one did, after the indentation of its line.
    all.push((Written::Verbatim, own.to_string()));
    all
}

/// Returns the content of an inserted node in all distinct forms: with a trailing semicolon, and in
/// all but one with its surroundings.
pub(crate) fn inserted(
    parsed: &Parsed,
    span: Span,
    strings: &HashSet<String>,
) -> Vec<(Written, String)> {
    // A semicolon after the node is part of the content.
    let semicolon = parsed.source().text()[span.end()..].starts_with(';');
    let span = Span::new(span.start(), span.end() + usize::from(semicolon));
    let surroundings = Surroundings::of(parsed, span);
    let bare = as_in_file_and_at_zero(parsed, span, strings);
    let with = bare
        .iter()
        .map(|(written, content)| (*written, surroundings.with(content)));
    let mut all: Vec<(Written, String)> = with.collect();
    let (_, content) = &bare[0];
    if *content != all[0].1 {
        all.push((Written::Bare, content.clone()));
    }
    all
}

fn as_in_file_and_at_zero(
    parsed: &Parsed,
    span: Span,
    strings: &HashSet<String>,
) -> Vec<(Written, String)> {
    let text = parsed.source().text();
    let line_start = text[..span.start()].rfind('\n').map_or(0, |at| at + 1);
    let ahead = &text[line_start..span.start()];
    let own = &text[span.range()];
    let begins_line = ahead.trim().is_empty();
    let as_in_file = match begins_line {
        true => format!("{ahead}{own}"),
        false => own.to_string(),
    };
    let mut all = vec![(Written::AsInFile, as_in_file)];
    let at_zero = without_margin(parsed, span, ahead, strings);
    if let Some(at_zero) = at_zero.filter(|at_zero| *at_zero != all[0].1) {
        let written = match begins_line {
            true => Written::AtColumnZero,
            false => Written::FromMidLine,
        };
        all.push((written, at_zero));
    }
    all
}

/// The surroundings of a span: blank lines before and after it, and a trailing comma.
struct Surroundings<'p> {
    above: usize,
    comma: &'p str,
    below: usize,
}

impl<'p> Surroundings<'p> {
    fn of(parsed: &'p Parsed, span: Span) -> Surroundings<'p> {
        let text = parsed.source().text();
        let (before, after) = (&text[..span.start()], &text[span.end()..]);
        let sign = usize::from(after.starts_with(','));
        let (comma, after) = after.split_at(sign);
        let blank = |blank: &str| blank.matches('\n').count().saturating_sub(1);
        let above = &before[before.trim_end().len()..];
        let below = &after[..after.len() - after.trim_start().len()];
        Surroundings {
            above: if before.trim().is_empty() {
                0
            } else {
                blank(above)
            },
            comma,
            below: if after.trim().is_empty() {
                0
            } else {
                blank(below)
            },
        }
    }

    fn with(&self, content: &str) -> String {
        let content = format!("{}{content}{}", "\n".repeat(self.above), self.comma);
        match self.below {
            0 => content,
            below => format!("{content}\n{}", "\n".repeat(below)),
        }
    }
}

/// Returns the content without the indentation of its first line, or of its start column if all
/// lines are that deep. Returns `None` if a line has less indentation.
fn without_margin(
    parsed: &Parsed,
    span: Span,
    ahead: &str,
    strings: &HashSet<String>,
) -> Option<String> {
    let own = &parsed.source().text()[span.range()];
    let mut lines: Vec<(&str, bool)> = Vec::new();
    let mut at = span.start();
    for line in own.split_inclusive('\n') {
        let stays = lines.is_empty() || in_string(parsed, at, strings);
        lines.push((line, stays));
        at += line.len();
    }
    let moved = lines
        .iter()
        .filter(|(line, stays)| !stays && !line.trim().is_empty());
    let column: String = ahead
        .chars()
        .map(|c| if c == '\t' { '\t' } else { ' ' })
        .collect();
    let margin = &ahead[..ahead.len() - ahead.trim_start().len()];
    let fits = |margin: &str| moved.clone().all(|(line, _)| line.starts_with(margin));
    let margin = [column.as_str(), margin]
        .into_iter()
        .find(|margin| fits(margin))?;
    let bare = lines
        .iter()
        .map(|(line, stays)| match line.strip_prefix(margin) {
            Some(bare) if !stays => bare,
            _ => line,
        });
    Some(bare.collect())
}

/// Returns a content, found at `start` in the expected text, without the indentation of its first
/// line. Returns `None` if that line has none, if a line has less, and in strings and comments.
pub(crate) fn at_column_zero(
    wanted: &Parsed,
    start: usize,
    content: &str,
    strings: &HashSet<String>,
) -> Option<(Written, String)> {
    let text = wanted.source().text();
    // Content of whole lines starts with their indentation.
    let first = start + (content.len() - content.trim_start().len());
    let line_start = text[..first].rfind('\n').map_or(0, |at| at + 1);
    let ahead = &text[line_start..first];
    let margin = &ahead[..ahead.len() - ahead.trim_start().len()];
    let begins_line = margin.len() == ahead.len();
    let chain = wanted.chain(Span::at(first));
    let mut nodes = chain.iter().filter(|node| node.span().start() < first);
    if nodes.any(|node| strings.contains(node.kind()) || is_comment(*node)) {
        return None;
    }
    let mut lines = Vec::new();
    let mut at = start;
    for (index, line) in content.split_inclusive('\n').enumerate() {
        let is_first = index == 0 && !line.starts_with(margin);
        let stays = line.trim().is_empty() || is_first || in_string(wanted, at, strings);
        lines.push(if stays {
            line
        } else {
            line.strip_prefix(margin)?
        });
        at += line.len();
    }
    let bare = lines.concat();
    let written = match begins_line {
        true => Written::AtColumnZero,
        false => Written::FromMidLine,
    };
    (bare != content).then_some((written, bare))
}

/// Returns whether a line that starts at `at` is inside a string. A string that is a statement of
/// its own is a docstring, and its lines move with the code.
pub(crate) fn in_string(parsed: &Parsed, at: usize, strings: &HashSet<String>) -> bool {
    let chain = parsed.chain(Span::at(at));
    let mut pairs = chain.windows(2);
    let outermost =
        pairs.find(|pair| pair[1].span().start() < at && strings.contains(pair[1].kind()));
    outermost.is_some_and(|pair| pair[0].kind() != "expression_statement")
}
