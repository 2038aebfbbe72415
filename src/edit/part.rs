//! Replaces a part of a text that need not be a node.

use crate::change::{Change, EditNote};
use crate::locate::TextRange;
use crate::parse::Node;
use crate::select::{Selected, Selection, trimmed_node};
use crate::source::Span;

use super::indent::{self, IndentTarget, WrittenDepth, begins_unindented, leading};
use super::text_part::TextPart;
use super::{BOM, Composed, EditError, Indent, has_other_line_ending, laid_out, unchanged};

/// Replaces the selected part: verbatim with only the line breaks of the file, else with the indentation of its lines and
/// the line breaks that are before and after it. A part that fills its lines is deleted with them if the content is empty.
pub(super) fn replace<'p>(
    selection: Selection<'p>,
    given: &str,
    indent: Indent,
    in_literal: bool,
) -> Result<Change<'p>, EditError> {
    let parsed = selection.parsed();
    let source = parsed.source();
    let range = match selection.selected() {
        Selected::Text(range) => range,
        Selected::Node => TextRange::exactly(selection.span()),
    };
    let marked = source.slice(range.with_blanks);
    // Whitespace at an end of the marked range is replaced by that of the content.
    let marks_whitespace = range.is_marked && marked.trim().len() < marked.len();
    let container = container(&selection);
    let line_ending = source.line_ending_at(range.span.start());
    let given_text = given.trim_start_matches(BOM).replace("\r\n", "\n");
    let margin = indent::margin(parsed, container);
    let part = TextPart::new(parsed, &margin, range);
    let target = indent::of_part(&part, container, &given_text, range.find);
    let is_whitespace = !given_text.is_empty() && given_text.trim().is_empty();
    let is_verbatim = indent == Indent::Verbatim
        || marks_whitespace
        || is_whitespace
        || brings_quote(&given_text, &target);
    let exact = match is_verbatim {
        true => Some(PartReplacement::as_given(range.with_blanks, &given_text)),
        false => part.remaining_lines(&given_text),
    };
    let layout = |exact: Option<PartReplacement>| {
        laid_out(&selection, |last| {
            let mut replacement = match (&exact, in_literal) {
                (Some(exact), _) => exact.clone(),
                (None, true) => part.replacement_in_literal(&given_text),
                (None, false) => part.replacement(&given_text, &target),
            };
            let mut notes = Vec::new();
            if exact.is_none() && !in_literal {
                let is_unindented =
                    |last: &Change<'_>| begins_unindented(last.after(), last.new_span().start());
                if last.is_some_and(is_unindented) {
                    part.unindent(&mut replacement, &given_text);
                }
                if !replacement.content.is_empty() {
                    let reindented = indent::reindent(&replacement.content, &target, indent, last);
                    notes.extend(reindented.note());
                    replacement.content = reindented.text;
                }
            }
            if has_other_line_ending(given, line_ending) {
                notes.push(EditNote::LineEndings);
            }
            let PartReplacement {
                at,
                before,
                content,
                after,
            } = replacement;
            let new_text = [before, content, after].map(|text| text.replace('\n', line_ending));
            Composed {
                removed: vec![range.span],
                notes,
                ..Composed::one(at, new_text, container)
            }
        })
    };
    let is_exact = exact.is_some();
    let change = layout(exact)?;
    // If nothing else changes, the indentation of the content is the change.
    match part.replacement_as_indented(&given_text, &target) {
        Some(indented) if !is_exact && !in_literal && unchanged(&change) => layout(Some(indented)),
        _ => Ok(change),
    }
}

/// Returns whether content that begins with a line break has the sign of the enclosing quote in each line.
fn brings_quote(given: &str, target: &IndentTarget<'_>) -> bool {
    let Some(sign) = target.line_sign else {
        return false;
    };
    let is_quoted = |line: &str| line.trim_start().starts_with(sign);
    let mut lines = given.trim_end_matches('\n').split('\n');
    !target.prefix().trim().is_empty()
        && lines.next().is_some_and(|first| first.trim().is_empty())
        && lines.all(is_quoted)
}

/// Returns the nodes from the root down to the smallest that is larger than the part.
fn container<'s, 'p>(selection: &'s Selection<'p>) -> &'s [Node<'p>] {
    let (parsed, chain, span) = (selection.parsed(), selection.chain(), selection.span());
    let is_more = |node: &Node<'p>| trimmed_node(parsed, *node) != span;
    let depth = chain.iter().rposition(is_more).unwrap_or(0);
    &chain[..=depth]
}

/// What is replaced, and by what: the content and the whitespace before and after it.
#[derive(Clone)]
struct PartReplacement {
    at: Span,
    before: String,
    content: String,
    after: String,
}

impl PartReplacement {
    fn as_given(at: Span, given: &str) -> PartReplacement {
        PartReplacement {
            at,
            before: String::new(),
            content: given.to_string(),
            after: String::new(),
        }
    }
}

impl TextPart<'_> {
    /// Returns the replacement if `given` is the replaced text without one run of its lines, all others being the same byte
    /// for byte. If the first line is not left, its indentation goes with it. If the find includes a line break at its end
    /// and `given` does not, the text after it still begins a line.
    fn remaining_lines(&self, given: &str) -> Option<PartReplacement> {
        let source = self.lines.source;
        let old = self.slice(self.with_blanks.start(), self.with_blanks.end());
        let old = old.replace("\r\n", "\n");
        let (old, new): (Vec<&str>, Vec<&str>) =
            (old.split('\n').collect(), given.split('\n').collect());
        let is_same = |(one, other): &(&&str, &&str)| one == other;
        let first = old.iter().zip(&new).take_while(is_same).count();
        let rest = new[first..].iter().rev();
        let last = old[first..].iter().rev().zip(rest).take_while(is_same);
        let is_left = new.len() < old.len() && first + last.count() == new.len();
        if self.is_marked || given.trim().is_empty() || !is_left {
            return None;
        }
        let start = match first {
            0 if !self.starts_line => return None,
            0 => {
                let line = source.line_span(source.line_of(self.span.start()))?;
                self.with_blanks.start().min(line.start())
            }
            _ => self.with_blanks.start(),
        };
        let end = self.with_blanks.end();
        let ends_line = source.chars_before(end).next() == Some('\n');
        let next = source.chars_from(end).next();
        let is_glued = ends_line
            && !given.ends_with('\n')
            && next.is_some_and(|next| !['\r', '\n'].contains(&next));
        Some(PartReplacement {
            after: if is_glued { "\n" } else { "" }.to_string(),
            ..PartReplacement::as_given(Span::new(start, end), given)
        })
    }

    /// Returns the replacement in a string or comment. The indentation of the line is there already if the find did not
    /// include it, and so is the line break that ends whole lines.
    fn replacement_in_literal(&self, given: &str) -> PartReplacement {
        let line = self.indentation();
        let is_kept = self.starts_line && self.with_blanks.start() == self.span.start();
        let bare = given.strip_prefix(line.as_str());
        let bare = bare.filter(|bare| is_kept && !bare.starts_with([' ', '\t']));
        let given = bare.unwrap_or(given);
        let fills_lines = self.starts_line && self.ends_line && !self.is_marked;
        let is_ended = fills_lines && self.with_blanks.end() == self.span.end();
        let ended = given.strip_suffix('\n').filter(|_| is_ended);
        PartReplacement::as_given(self.with_blanks, ended.unwrap_or(given))
    }

    /// Returns the replacement by `given`, which is empty or not only whitespace.
    fn replacement(&self, given: &str, target: &IndentTarget<'_>) -> PartReplacement {
        let core = given.trim();
        if core.is_empty() {
            let is_alone = self.starts_line && self.ends_line && !self.is_marked;
            return match is_alone {
                true => PartReplacement::as_given(self.whole_lines(), ""),
                false => PartReplacement::as_given(self.with_blanks, ""),
            };
        }
        let start = given.len() - given.trim_start().len();
        let (lead, trail) = (&given[..start], &given[start + core.len()..]);
        let (start, before) = self.start_and_whitespace(lead, target);
        let (end, after) = match self.span.is_empty() && lead.contains('\n') {
            // Content between two characters that begins with a line break ends as it was given.
            true => (self.with_blanks.end(), trail.to_string()),
            false => self.end_and_whitespace(trail),
        };
        // The indentation of its first line is evidence for that of the others.
        let first_line = lead.rfind('\n').map_or(0, |line_break| line_break + 1);
        let content = match self.starts_line || lead.contains('\n') {
            true => &given[first_line..given.len() - trail.len()],
            false => core,
        };
        PartReplacement {
            at: Span::new(start, end),
            before,
            content: content.to_string(),
            after,
        }
    }

    /// Returns the replacement by `given` with its own indentation, if its first line is indented.
    fn replacement_as_indented(
        &self,
        given: &str,
        target: &IndentTarget<'_>,
    ) -> Option<PartReplacement> {
        let is_indented = given.trim_start_matches('\n').starts_with([' ', '\t']);
        if !self.starts_line || !is_indented || given.trim().is_empty() {
            return None;
        }
        let mut replacement = self.replacement(given, target);
        let start = replacement.at.start().min(self.line_start());
        replacement.at = Span::new(start, replacement.at.end());
        let breaks = replacement.before.trim_end_matches([' ', '\t']).len();
        replacement.before.truncate(breaks);
        Some(replacement)
    }

    /// Returns where the replaced text starts, and the whitespace before the content: what is there stays, unless the find
    /// includes line breaks and the content has another number of them, or the whitespace was copied.
    fn start_and_whitespace(&self, lead: &str, target: &IndentTarget<'_>) -> (usize, String) {
        let named = self.slice(self.with_blanks.start(), self.span.start());
        if !self.starts_line || (self.is_marked && lead.contains('\n')) {
            let breaks = lead.rfind('\n').map(|last| &lead[..=last]);
            let before = match breaks.filter(|_| target.written != WrittenDepth::AsInFile) {
                Some(breaks) => breaks.to_string() + &target.prefix(),
                None => lead.to_string(),
            };
            return (self.with_blanks.start(), before);
        }
        let line_start = self.line_start();
        if self.is_marked && self.span.is_empty() && line_start < self.span.start() {
            // Between two spaces.
            return (self.span.start(), lead.to_string());
        }
        if target.written == WrittenDepth::AsInFile && self.with_blanks.start() == line_start {
            return (
                line_start,
                leading(lead.trim_start_matches('\n')).to_string(),
            );
        }
        let (named_breaks, breaks) = (breaks(&named), breaks(lead));
        if named_breaks == 0 || breaks == 0 || named_breaks == breaks {
            return (self.span.start(), String::new());
        }
        let indentation = self.slice(line_start, self.span.start());
        (
            self.with_blanks.start().min(line_start),
            "\n".repeat(breaks) + &indentation,
        )
    }

    /// Removes the indentation before content that starts a line and is never indented, like `#if`.
    fn unindent(&self, replacement: &mut PartReplacement, given: &str) {
        let was = begins_unindented(self.parsed, self.span.start());
        let line_start = self.line_start();
        let is_named = self.with_blanks.start() <= line_start;
        if self.starts_line && (!was || is_named) && replacement.at.start() >= line_start {
            replacement.at = Span::new(line_start, replacement.at.end());
        } else if self.starts_line || !replacement.before.contains('\n') {
            return;
        }
        let blanks = leading(given.trim_start_matches('\n'));
        let bare = replacement.before.trim_end_matches([' ', '\t']).len();
        replacement.before.truncate(bare);
        replacement.before.push_str(blanks);
    }

    /// Returns where the replaced text ends, and the whitespace after the content. A line break at the end of the content is
    /// the one that is there already.
    fn end_and_whitespace(&self, trail: &str) -> (usize, String) {
        let named = self.slice(self.span.end(), self.with_blanks.end());
        if !self.ends_line || self.is_marked {
            return (self.with_blanks.end(), trail.to_string());
        }
        let (named_breaks, breaks) = (breaks(&named), breaks(trail));
        match (named_breaks, breaks) {
            // Spaces at the end of a line may be significant, like two of them in Markdown.
            (0, 0) if !trail.is_empty() => (self.with_blanks.end(), trail.to_string()),
            (0, _) => (self.span.end(), "\n".repeat(breaks.saturating_sub(1))),
            (_, 0) => (self.span.end(), String::new()),
            _ if named_breaks == breaks => (self.span.end(), String::new()),
            _ => (self.with_blanks.end(), trail.to_string()),
        }
    }

    /// Returns the lines that the part fills, with one line break, or with those that the find includes.
    fn whole_lines(&self) -> Span {
        let source = self.lines.source;
        let (start, end) = (
            self.lines.line_start(self.span.start()),
            self.lines.line_end(self.span.end()),
        );
        let named = Span::new(end, self.with_blanks.end().max(end));
        // The indentation of the next line is not part of it.
        let last_break = source.slice(named).rfind('\n');
        let named_end = last_break.map(|last_break| end + last_break + 1);
        let names_before = self.with_blanks.start() < start;
        let break_at = |offset: usize| match source.chars_from(offset).take(2).eq("\r\n".chars()) {
            true => 2,
            false => usize::from(offset < source.len()),
        };
        let break_before =
            |offset: usize| match source.chars_before(offset).take(2).eq("\n\r".chars()) {
                true => 2,
                false => usize::from(offset > 0),
            };
        let from = self.with_blanks.start();
        match (names_before, named_end) {
            // The find includes blank lines, from the start of the first.
            (true, Some(end)) if from == self.lines.line_start(from) => Span::new(from, end),
            // One of the two line breaks stays, because the texts before and after it were two lines.
            (true, Some(end)) => Span::new(from + break_at(from), end),
            (true, None) => Span::new(self.with_blanks.start(), end),
            (false, Some(end)) => Span::new(start, end),
            (false, None) if end < source.len() => Span::new(start, end + break_at(end)),
            (false, None) => Span::new(start - break_before(start), end),
        }
    }
}

fn breaks(blanks: &str) -> usize {
    blanks.matches('\n').count()
}
