//! What stands in a span, as a caller would send it: as in the file, and written at column 0.

use std::collections::HashSet;

use treegraft::parse::Parsed;
use treegraft::source::Span;

use super::meaning::is_comment;

/// How a content is indented.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Written {
    /// With the indentation that it has in the file, that of its first line too.
    AsInFile,
    /// The same, with the blank lines that the commit has before it and behind it.
    WithBlankLines,
    /// At column 0. Lines of strings stay as they are.
    AtColumnZero,
    /// The same, of what begins in the middle of a line of the file.
    FromMidLine,
}

impl Written {
    pub(super) fn name(self) -> &'static str {
        match self {
            Written::AsInFile => "as in the file",
            Written::WithBlankLines => "as in the file, with blank lines",
            Written::AtColumnZero => "at column 0",
            Written::FromMidLine => "at column 0, from mid-line",
        }
    }

    /// Whether it is what a caller would copy from the file.
    pub(super) fn is_plain(self) -> bool {
        matches!(self, Written::AsInFile | Written::WithBlankLines)
    }
}

/// The content in all forms that differ; of an insertion with the semicolon behind it.
pub(super) fn contents(
    parsed: &Parsed,
    span: Span,
    strings: &HashSet<String>,
    takes_semicolon: bool,
) -> Vec<(Written, String)> {
    let text = parsed.source().text();
    let line_start = text[..span.start()].rfind('\n').map_or(0, |at| at + 1);
    let ahead = &text[line_start..span.start()];
    // A semicolon behind the node is a part of what is written.
    let semicolon = text[span.end()..].starts_with(';') && takes_semicolon;
    let span = Span::new(span.start(), span.end() + usize::from(semicolon));
    let own = &text[span.range()];
    let begins_line = ahead.trim().is_empty();
    let as_in_file = match begins_line {
        true => format!("{ahead}{own}"),
        false => own.to_string(),
    };
    let mut all = vec![(Written::AsInFile, as_in_file)];
    let at_zero = standing_alone(parsed, span, ahead, strings);
    if let Some(at_zero) = at_zero.filter(|at_zero| *at_zero != all[0].1) {
        let written = match begins_line {
            true => Written::AtColumnZero,
            false => Written::FromMidLine,
        };
        all.push((written, at_zero));
    }
    all
}

/// The content without the indentation of the line that it begins in, or of the column that it begins
/// in where all of it is as deep; nothing where some lines have less.
fn standing_alone(
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

/// A content, which stands at `start` of the wanted text, without the indentation of the line that it
/// begins in; nothing where that has none, where some lines have less, and in strings and comments.
pub(super) fn at_column_zero(
    wanted: &Parsed,
    start: usize,
    content: &str,
    strings: &HashSet<String>,
) -> Option<(Written, String)> {
    let text = wanted.source().text();
    // Of whole lines the content begins with their indentation.
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

/// The content as in the file, with the blank lines round it and the comma behind it;
/// nothing where there are none.
pub(super) fn with_blank_lines(
    parsed: &Parsed,
    span: Span,
    as_in_file: &str,
) -> Option<(Written, String)> {
    let text = parsed.source().text();
    let (before, behind) = (&text[..span.start()], &text[span.end()..]);
    let behind = match as_in_file.ends_with(';') {
        true => behind.strip_prefix(';').unwrap_or(behind),
        false => behind,
    };
    let sign: String = behind.chars().take_while(|c| *c == ',').collect();
    let behind = &behind[sign.len()..];
    let breaks = |blank: &str| blank.matches('\n').count();
    let above = breaks(&before[before.trim_end().len()..]).saturating_sub(1);
    let below = breaks(&behind[..behind.len() - behind.trim_start().len()]).saturating_sub(1);
    let above = if before.trim().is_empty() { 0 } else { above };
    let below = if behind.trim().is_empty() { 0 } else { below };
    let content = format!("{}{as_in_file}{sign}", "\n".repeat(above));
    let content = match below {
        0 => content,
        below => format!("{content}\n{}", "\n".repeat(below)),
    };
    (content != as_in_file).then_some((Written::WithBlankLines, content))
}

/// Whether a line that begins here is one of a string that began before it.
fn in_string(parsed: &Parsed, at: usize, strings: &HashSet<String>) -> bool {
    let chain = parsed.chain(Span::at(at));
    let mut nodes = chain.iter();
    nodes.any(|node| node.span().start() < at && strings.contains(node.kind()))
}
