//! Comments and items of languages in which the column of a line determines its parent, by how their lines start.

use crate::language::Language;
use crate::language::queries::Mark;
use crate::parse::Parsed;
use crate::source::Span;

use super::lines::leading;

/// Returns whether a line without indentation starts like a node with `mark`, by the query file.
pub(super) fn starts_with(language: &'static Language, mark: Mark, line: &str) -> bool {
    let tables = language.tables();
    let mut starts = tables.into_iter().flat_map(|tables| tables.starts_of(mark));
    starts.any(|start| start.is_some_and(|start| line.starts_with(start)))
}

/// Returns whether a line without indentation starts an item: the item's sign is the whole line or a space follows it.
pub(super) fn starts_item(language: &'static Language, line: &str) -> bool {
    let tables = language.tables();
    let mut signs = tables
        .into_iter()
        .flat_map(|tables| tables.starts_of(Mark::FlushItem));
    signs.any(|sign| {
        let rest = sign.and_then(|sign| line.strip_prefix(sign));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    })
}

/// Returns whether a sequence item near `span` is as deep as the key of its sequence.
pub(super) fn has_flush_items(
    parsed: &Parsed,
    language: &'static Language,
    code: Span,
    span: Span,
) -> bool {
    /// The number of lines read before the span, and after it.
    const LINES_READ: usize = 400;
    let source = parsed.source();
    let own = source.line_of(span.start());
    let first = own
        .saturating_sub(LINES_READ)
        .max(source.line_of(code.start()));
    let lines = first..=source.line_of(code.end()).min(own + LINES_READ);
    let texts = lines.map_while(|line| Some(source.slice(source.line_span(line)?).into_owned()));
    let mut above: Option<String> = None;
    for text in texts {
        let bare = text.trim_start();
        if bare.is_empty() || starts_with(language, Mark::Loose, bare) {
            continue;
        }
        let is_flush = |above: &String| {
            above.trim_end().ends_with(':')
                && !starts_item(language, above.trim_start())
                && leading(above) == leading(&text)
        };
        if starts_item(language, bare) && above.as_ref().is_some_and(is_flush) {
            return true;
        }
        above = Some(text);
    }
    false
}
