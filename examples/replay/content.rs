//! What stands in a span, as a caller would send it: as in the file, and written at column 0.

use std::collections::HashSet;

use treegraft::parse::Parsed;
use treegraft::source::Span;

/// How a content is indented.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Written {
    /// With the indentation that it has in the file, that of its first line too.
    AsInFile,
    /// At column 0. Lines of strings stay as they are.
    AtColumnZero,
}

impl Written {
    pub(super) fn name(self) -> &'static str {
        match self {
            Written::AsInFile => "as in the file",
            Written::AtColumnZero => "at column 0",
        }
    }
}

/// The content in both forms; in one where they are the same.
pub(super) fn contents(
    parsed: &Parsed,
    span: Span,
    strings: &HashSet<String>,
) -> Vec<(Written, String)> {
    let text = parsed.source().text();
    let line_start = text[..span.start()].rfind('\n').map_or(0, |at| at + 1);
    let ahead = &text[line_start..span.start()];
    let own = &text[span.range()];
    let as_in_file = match ahead.trim().is_empty() {
        true => format!("{ahead}{own}"),
        false => own.to_string(),
    };
    let margin = &ahead[..ahead.len() - ahead.trim_start().len()];
    let mut at_zero = String::new();
    let mut at = span.start();
    for line in own.split_inclusive('\n') {
        let is_bare = at > span.start() && !in_string(parsed, at, strings);
        at_zero.push_str(match line.strip_prefix(margin) {
            Some(bare) if is_bare => bare,
            _ => line,
        });
        at += line.len();
    }
    match at_zero == as_in_file {
        true => vec![(Written::AtColumnZero, at_zero)],
        false => vec![
            (Written::AsInFile, as_in_file),
            (Written::AtColumnZero, at_zero),
        ],
    }
}

/// Whether a line that begins here is one of a string that began before it.
fn in_string(parsed: &Parsed, at: usize, strings: &HashSet<String>) -> bool {
    let chain = parsed.chain(Span::at(at));
    let mut nodes = chain.iter();
    nodes.any(|node| node.span().start() < at && strings.contains(node.kind()))
}
