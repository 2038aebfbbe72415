//! The content of a call as a caller would send it: as in the file, and at column 0.

use std::collections::HashSet;

use treegraft::parse::Parsed;
use treegraft::source::Span;

use crate::text::{begins_line, blank_lines, indentation, line_start};

use super::nodes::is_comment;

/// The content for a node.
pub(crate) struct Content {
    /// With its indentation in the file, including that of the first line.
    pub(crate) plain: String,
    /// Without the indentation of the first line, if that is another text.
    pub(crate) zero: Option<String>,
    /// Whether the node starts its line.
    pub(crate) begins_line: bool,
}

impl Content {
    pub(crate) fn from_span(parsed: &Parsed, span: Span, strings: &HashSet<String>) -> Content {
        let text = parsed.source().text();
        let begins_line = begins_line(text, span.start());
        let start = match begins_line {
            true => line_start(text, span.start()),
            false => span.start(),
        };
        let plain = text[start..span.end()].to_string();
        let zero = at_column_zero(parsed, span, strings);
        Content {
            zero: zero.filter(|zero| *zero != plain),
            plain,
            begins_line,
        }
    }

    /// Returns the content of an inserted node, with a semicolon after it, the blank lines around it, and its comma.
    pub(crate) fn inserted(parsed: &Parsed, span: Span, strings: &HashSet<String>) -> Content {
        let text = parsed.source().text();
        let span = with_semicolon(text, span);
        let (before, after) = (&text[..span.start()], &text[span.end()..]);
        let (comma, after) = after.split_at(usize::from(after.starts_with(',')));
        let blank = |rest: &str, space: &str| match rest.is_empty() {
            true => 0,
            false => blank_lines(space),
        };
        let above = blank(before.trim(), &before[before.trim_end().len()..]);
        let below = blank(
            after.trim(),
            &after[..after.len() - after.trim_start().len()],
        );
        let with = |content: &str| with_blank_lines(&format!("{content}{comma}"), above, below);
        let own = Content::from_span(parsed, span, strings);
        Content {
            plain: with(&own.plain),
            zero: own.zero.as_deref().map(with),
            ..own
        }
    }
}

/// Returns a content that asks for some blank lines on each side.
pub(crate) fn with_blank_lines(content: &str, above: usize, below: usize) -> String {
    let trailing = match below {
        0 => 0,
        below => below + 1,
    };
    format!("{}{content}{}", "\n".repeat(above), "\n".repeat(trailing))
}

/// Returns the span of a node with the semicolon after it.
pub(crate) fn with_semicolon(text: &str, span: Span) -> Span {
    let semicolon = usize::from(text[span.end()..].starts_with(';'));
    Span::new(span.start(), span.end() + semicolon)
}

/// Returns a part of a text without the indentation of its first line; from a part that starts within a line, its start
/// column if all lines are that deep. Lines of strings do not move; those of docstrings and comments do. Returns `None` if
/// a line has less indentation, and in strings and comments.
pub(crate) fn at_column_zero(
    parsed: &Parsed,
    span: Span,
    strings: &HashSet<String>,
) -> Option<String> {
    let text = parsed.source().text();
    let own = &text[span.range()];
    let first = span.start() + (own.len() - own.trim_start().len());
    let chain = parsed.chain(Span::at(first));
    let mut nodes = chain.iter().filter(|node| node.span().start() < first);
    if nodes.any(|node| strings.contains(node.kind()) || is_comment(*node)) {
        return None;
    }
    let ahead = &text[line_start(text, first)..first];
    let margin = indentation(ahead);
    let mut lines = Vec::new();
    let mut at = span.start();
    for line in own.split_inclusive('\n') {
        let is_bare = lines.is_empty() && !line.starts_with(margin);
        let stays = line.trim().is_empty() || is_bare || in_string(parsed, at, strings);
        lines.push((line, stays || at == first));
        at += line.len();
    }
    let column: String = ahead
        .chars()
        .map(|c| if c == '\t' { '\t' } else { ' ' })
        .collect();
    let fits = |margin: &str| {
        let mut moved = lines.iter().filter(|(_, stays)| !stays);
        moved.all(|(line, _)| line.starts_with(margin))
    };
    let mut margins = [column.as_str(), margin].into_iter();
    let margin = margins.find(|margin| fits(margin))?;
    let bare = lines.iter().map(|(line, stays)| match stays {
        true => line,
        false => &line[margin.len()..],
    });
    Some(bare.collect())
}

/// Returns whether a line that starts at `at` is inside a string. A string that is a statement of its own is a docstring,
/// and its lines move with the code.
pub(crate) fn in_string(parsed: &Parsed, at: usize, strings: &HashSet<String>) -> bool {
    let chain = parsed.chain(Span::at(at));
    let mut pairs = chain.windows(2);
    let outermost =
        pairs.find(|pair| pair[1].span().start() < at && strings.contains(pair[1].kind()));
    outermost.is_some_and(|pair| pair[0].kind() != "expression_statement")
}
