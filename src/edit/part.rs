//! Replaces a part of a text that need not be a node.
//!
//! What is sent is written, byte for byte, where the part is. Only content with a line at column 0 that replaces deeper text
//! is moved right, all its lines together.

use std::collections::BTreeSet;

use crate::change::{Change, EditNote};
use crate::locate::TextRange;
use crate::parse::{Node, Parsed};
use crate::select::{Selected, Selection, trimmed_node};
use crate::source::{Source, Span};

use super::indent::{self, IndentTarget, Reindented};
use super::layout::{Composed, Draft, carried_out, laid_out};
use super::{BOM, EditError, Indent, has_other_line_ending};

/// Replaces the selected part by `given` with the line breaks of the file.
///
/// The lines of the content move right together, by the indentation of the old text's least indented line (of the line at
/// a point), if one of them is at column 0. They stay if the first one is as deep as the old first line, at a point that
/// follows code in its line, in a string or a comment, and with [`Indent::Verbatim`]. If the result has a syntax error and
/// another reading has none, that one is taken: as sent, moved by that indentation, aligned with the part, or one level
/// deeper. If the find is less deep than the text it matches, the content is read like the find.
pub(super) fn replace<'p>(
    selection: Selection<'p>,
    given: &str,
    indent: Indent,
    in_literal: bool,
) -> Result<Change<'p>, EditError> {
    let content = PartContent::new(&selection, given);
    let reads_columns = indent == Indent::Auto && !in_literal;
    let (parsed, range) = (content.parsed, content.range);
    if indent == Indent::Column0 || (reads_columns && range.is_find_elsewhere) {
        return laid_out(&selection, content.read_like_find());
    }
    let part = content.lines();
    let made =
        |reindented: &Reindented| carried_out(&selection, content.composed(part.at, reindented));
    let exact = made(&content.as_sent());
    if !reads_columns {
        return Ok(exact);
    }
    let protected = content.protected(exact.after(), part.at.start());
    if part.is_as_deep(&content.text, &protected) {
        return Ok(exact);
    }
    let moved = |by: &str| made(&part.moved(&content.text, by, &protected));
    let base = part.base();
    let own = match part.is_at_column_0(&content.text, &base, &protected) {
        true => moved(&base),
        false => exact,
    };
    if is_sound(&own) {
        return Ok(own);
    }
    let target = IndentTarget::for_span(parsed, content.container, range.span);
    let aligned = target.prefix();
    let deeper = target.deeper(parsed.source().language().indent()).prefix();
    let others = match part.starts_line {
        true => vec!["", &base],
        false => vec!["", &base, &aligned, &deeper],
    };
    let mut others = others.into_iter().map(moved);
    Ok(others.find(is_sound).unwrap_or(own))
}

/// Returns the replacement of the selected part as [`replace`] makes it if the result has no syntax error.
pub(super) fn replacement<'s, 'p>(
    selection: &'s Selection<'p>,
    given: &'s str,
    indent: Indent,
    in_literal: bool,
) -> Draft<'s, 'p> {
    let content = PartContent::new(selection, given);
    let reads_columns = indent == Indent::Auto && !in_literal;
    if indent == Indent::Column0 || (reads_columns && content.range.is_find_elsewhere) {
        return content.read_like_find();
    }
    // The tree of the text as sent decides.
    let mut decided = None;
    Box::new(move |last| {
        let part = content.lines();
        if let (Some(last), None, true) = (last, &decided, reads_columns) {
            let start = last.place_before(part.at.start());
            let protected = content.protected(last.after, start);
            let base = part.base();
            let is_moved = !part.is_as_deep(&content.text, &protected)
                && part.is_at_column_0(&content.text, &base, &protected);
            decided = Some(match is_moved {
                true => part.moved(&content.text, &base, &protected),
                false => content.as_sent(),
            });
        }
        let as_sent = content.as_sent();
        content.composed(part.at, decided.as_ref().unwrap_or(&as_sent))
    })
}

/// The content of a part of a text.
struct PartContent<'s, 'p> {
    parsed: &'p Parsed,
    range: TextRange,
    container: &'s [Node<'p>],
    line_ending: &'static str,
    /// With `\n` for every line break.
    text: String,
    note: Option<EditNote>,
}

impl<'s, 'p> PartContent<'s, 'p> {
    fn new(selection: &'s Selection<'p>, given: &str) -> PartContent<'s, 'p> {
        let parsed = selection.parsed();
        let range = match selection.selected() {
            Selected::Text(range) => range,
            Selected::Node => TextRange::exactly(selection.span()),
        };
        let line_ending = parsed.source().line_ending_at(range.span.start());
        let text = given.trim_start_matches(BOM).replace("\r\n", "\n");
        PartContent {
            parsed,
            range,
            container: container(selection),
            line_ending,
            text: without_breaks(&text, range.missing_breaks).to_string(),
            note: has_other_line_ending(given, line_ending).then_some(EditNote::LineEndings),
        }
    }

    /// Returns the replacement by the content as a find at column 0 is read: at the depth of the part.
    fn read_like_find(self) -> Draft<'s, 'p>
    where
        'p: 's,
    {
        let span = self.range.span;
        let target = IndentTarget::for_span(self.parsed, self.container, span);
        let target = target.replacing(self.parsed, span);
        Box::new(move |last| {
            let reindented = indent::reindent(&self.text, &target, Indent::Column0, last);
            self.composed(self.range.with_blanks, &reindented)
        })
    }

    fn as_sent(&self) -> Reindented {
        Reindented {
            text: self.text.clone(),
            changed_lines: 0,
        }
    }

    fn lines(&self) -> PartLines<'p> {
        PartLines::new(self.parsed, self.range, &self.text)
    }

    /// Returns the lines of the content that are text in `after`, where it is written as sent from `start` on.
    fn protected(&self, after: &Parsed, start: usize) -> BTreeSet<usize> {
        // Of the change, whitespace that was there already is no part.
        let written = self.text.replace('\n', self.line_ending).len();
        indent::text_lines_of(after, Span::new(start, start + written))
    }

    fn composed(&self, at: Span, reindented: &Reindented) -> Composed<'p> {
        let new_text = reindented.text.replace('\n', self.line_ending);
        let written = at;
        let (at, new_text) = without_same_blanks(self.parsed.source(), at, &new_text);
        let notes = reindented.note().into_iter().chain(self.note.clone());
        Composed {
            removed: vec![self.range.span],
            with_kept: Some(written),
            notes: notes.collect(),
            ..Composed::one(at, [String::new(), new_text, String::new()], self.container)
        }
    }
}

/// Returns the content without line breaks that its find has too, but not the file.
fn without_breaks(text: &str, [start, end]: [usize; 2]) -> &str {
    let text = (0..start).fold(text, |text, _| text.strip_prefix('\n').unwrap_or(text));
    (0..end).fold(text, |text, _| text.strip_suffix('\n').unwrap_or(text))
}

/// Returns a replacement without the whitespace at its ends that is there already, so that another edit may change it.
fn without_same_blanks(source: &Source, at: Span, new_text: &str) -> (Span, String) {
    let old = source.slice(at);
    let same = |one: &mut dyn Iterator<Item = char>, other: &mut dyn Iterator<Item = char>| {
        let pairs = one.zip(other);
        let same = pairs.take_while(|(one, other)| one == other && one.is_whitespace());
        same.map(|(c, _)| c.len_utf8()).sum::<usize>()
    };
    let start = same(&mut old.chars(), &mut new_text.chars());
    let (old, new) = (&old[start..], &new_text[start..]);
    let end = same(&mut old.chars().rev(), &mut new.chars().rev());
    (
        Span::new(at.start() + start, at.end() - end),
        new[..new.len() - end].to_string(),
    )
}

/// Returns whether a change adds no syntax error.
fn is_sound(change: &Change<'_>) -> bool {
    change.after().problems().len() <= change.before().problems().len()
        && change.new_code_problem().is_none()
}

/// Returns the nodes from the root down to the smallest that is larger than the part.
fn container<'s, 'p>(selection: &'s Selection<'p>) -> &'s [Node<'p>] {
    let (parsed, chain, span) = (selection.parsed(), selection.chain(), selection.span());
    let is_more = |node: &Node<'p>| trimmed_node(parsed, *node) != span;
    let depth = chain.iter().rposition(is_more).unwrap_or(0);
    &chain[..=depth]
}

/// The lines of a part of a text.
struct PartLines<'a> {
    parsed: &'a Parsed,
    source: &'a Source,
    /// What is replaced.
    at: Span,
    /// Whether the first line of the content starts a line of the file.
    starts_line: bool,
}

impl<'a> PartLines<'a> {
    /// Content that ends with a line break, at a point in the indentation of a line, is lines of its own before that line.
    fn new(parsed: &'a Parsed, range: TextRange, text: &str) -> PartLines<'a> {
        let source = parsed.source();
        let at = range.with_blanks;
        let line = source.line_span(source.line_of(at.start())).unwrap_or(at);
        let line_start = line.start().min(at.start());
        let before = source.slice(Span::new(line_start, at.start()));
        let after = source.slice(Span::new(at.end(), line.end().max(at.end())));
        let is_own_lines = at.is_empty()
            && text.ends_with('\n')
            && before.trim().is_empty()
            && !after.trim().is_empty();
        let at = match is_own_lines {
            true => Span::at(line_start),
            false => at,
        };
        PartLines {
            parsed,
            source,
            at,
            starts_line: at.start() == line_start,
        }
    }

    /// Returns what a line begins with before its code: spaces, tabs and the signs of a quote.
    fn lead<'l>(&self, line: &'l str) -> &'l str {
        // A sign in the part itself is text.
        let sign = self.source.language().line_sign();
        let sign = sign.filter(|_| !self.starts_line);
        let rest = line.trim_start_matches(|c| matches!(c, ' ' | '\t') || Some(c) == sign);
        &line[..line.len() - rest.len()]
    }

    /// Returns what the least indented line of the old text begins with in the file; for a point, the line at it.
    fn base(&self) -> String {
        let first = self.source.line_of(self.at.start());
        let last = self.source.line_of(self.at.end());
        let protected = indent::text_lines_of(self.parsed, self.at);
        let lines =
            (first..=last).filter_map(|number| Some((number, self.source.line_span(number)?)));
        let lines = lines.filter(|(number, line)| {
            let inside = Span::new(
                line.start().max(self.at.start()),
                line.end()
                    .min(self.at.end())
                    .max(line.start().max(self.at.start())),
            );
            let is_text = !self.source.slice(inside).trim().is_empty();
            (is_text || self.at.is_empty()) && !protected.contains(&(number - first))
        });
        let lines = lines.map(|(_, line)| self.source.slice(line).into_owned());
        let leads = lines.map(|line| self.lead(&line).to_string());
        leads.min_by_key(String::len).unwrap_or_default()
    }

    /// Returns whether the first line of the content is as deep as that of the old text, so that both are indented as in the
    /// file.
    fn is_as_deep(&self, text: &str, protected: &BTreeSet<usize>) -> bool {
        let old = self.source.slice(self.at);
        let depth = |lines: Vec<&str>| lines.first().map(|line| self.lead(line).len());
        let old = depth(self.counted(&old, &BTreeSet::new()));
        old.is_some_and(|old| depth(self.counted(text, protected)) >= Some(old))
    }

    /// Returns whether a line of the content is at column 0 although the old text is deeper. At a point that follows code,
    /// there is no old text.
    fn is_at_column_0(&self, text: &str, base: &str, protected: &BTreeSet<usize>) -> bool {
        let mut counted = self.counted(text, protected).into_iter();
        let follows_code = self.at.is_empty() && !self.starts_line;
        !base.is_empty() && !follows_code && counted.any(|line| self.lead(line).is_empty())
    }

    /// Returns the lines of the content that have code and start a line.
    fn counted<'t>(&self, text: &'t str, protected: &BTreeSet<usize>) -> Vec<&'t str> {
        let lines = text.lines().enumerate();
        let lines = lines.filter(|(index, line)| self.moves(*index, line, protected));
        lines.map(|(_, line)| line).collect()
    }

    fn moves(&self, index: usize, line: &str, protected: &BTreeSet<usize>) -> bool {
        (index > 0 || self.starts_line) && !protected.contains(&index) && !line.trim().is_empty()
    }

    /// Returns the content with `by` at the start of its lines.
    fn moved(&self, text: &str, by: &str, protected: &BTreeSet<usize>) -> Reindented {
        let mut moved = Reindented {
            text: String::new(),
            changed_lines: 0,
        };
        for (index, line) in text.split_inclusive('\n').enumerate() {
            if !by.is_empty() && self.moves(index, line, protected) {
                moved.text += by;
                moved.changed_lines += 1;
            }
            moved.text += line;
        }
        moved
    }
}
