//! Content on lines of its own: where it goes, and the line breaks before and after it.

use crate::change::{EditNote, Replacement};
use crate::parse::Node;
use crate::source::Span;

use super::super::Indent;
use super::super::indent::{self, IndentTarget};
use super::super::insertion_point::{Beginning, InsertionPoint, Neighbour};
use super::super::layout::LastLayout;
use super::super::siblings::{Element, Role};
use super::super::spacing::BlankLines;
use super::clause;
use super::content::InsertedNodes;
use super::{Inserted, Layout, Sides};

/// How the lines of the content and those after it begin.
struct LineStarts<'a> {
    target: &'a IndentTarget<'a>,
    /// What a line after the content begins with.
    prefix: String,
    /// What the first line of the content begins with, its leading separator included.
    own_prefix: String,
    blank_lines: BlankLines,
}

impl LineStarts<'_> {
    /// Returns a line break and the start of the content's first line.
    fn own_line(&self) -> String {
        self.target.breaks(0) + &self.own_prefix
    }

    /// Returns a line break and the start of a line after the content.
    fn next_line(&self) -> String {
        self.target.breaks(0) + &self.prefix
    }
}

/// Where the content is written, and what encloses it.
struct LineSlot {
    at: Span,
    before: String,
    after: String,
    opening: Option<Replacement>,
    closing: Option<Replacement>,
}

impl LineSlot {
    fn new(at: Span, before: String, after: String) -> LineSlot {
        LineSlot {
            at,
            before,
            after,
            opening: None,
            closing: None,
        }
    }
}

impl InsertionPoint<'_> {
    /// Returns the content on lines of its own. `separate` is where a blank line is needed to keep
    /// it apart from a neighbor.
    pub(super) fn on_lines(&self, layout: &Layout<'_, '_>, separate: Sides) -> Inserted {
        let given = layout.content.text;
        let starts =
            |is_one: fn(&LastLayout<'_>) -> bool| layout.last.is_some_and(|last| is_one(last));
        let is_outdented =
            starts(|last| indent::begins_outdented(last.after, last.new_span.start()));
        let beginning = match self.begins_with_clause(layout) {
            true => Beginning::Clause,
            false if is_outdented => Beginning::Outdented,
            false => Beginning::Member,
        };
        let is_unindented =
            starts(|last| indent::begins_unindented(last.after, last.new_span.start()));
        let target = self.target_on_lines(beginning);
        let separated = self.separated(given, true, layout.nodes);
        let lead = self.leading_separator();
        let lead = lead.filter(|_| self.has_leading_separators(true) && !self.is_attached_alone);
        let added_lead = lead.as_ref().filter(|_| !separated.has_leading);
        let own_target = match added_lead {
            Some(lead) => &target.clone().after_text(lead),
            None => target,
        };
        let (content, mut notes) = layout.reindented(&separated.content, own_target);
        notes.extend(separated.dropped);
        notes.extend(added_lead.map(|lead| EditNote::SeparatorAdded {
            text: lead.trim().to_string(),
        }));
        let prefix = target.prefix();
        let own_prefix = match layout.content.indent == Indent::Verbatim {
            true => "",
            false if is_unindented => indent::leading(given),
            false => prefix.as_str(),
        };
        let lines = LineStarts {
            target,
            own_prefix: own_prefix.to_string() + lead.as_deref().unwrap_or_default(),
            prefix,
            blank_lines: self.all_blank_lines(layout.nodes, separate),
        };
        let lead = lead.as_deref();
        let slot = self.slot(&lines, lead, layout.nodes);
        let slot = self.with_exact_blank_lines(slot, &lines);
        Inserted {
            at: slot.at,
            before: slot.before,
            content,
            after: separated.after + &slot.after,
            previous_separator: separated.previous_separator,
            opening: slot.opening,
            closing: slot.closing,
            surplus: None,
            notes,
        }
    }

    /// Returns whether the content begins with a clause of the parent. The first layout assumes it of each content that
    /// begins with the keyword of a clause.
    fn begins_with_clause(&self, layout: &Layout<'_, '_>) -> bool {
        let is_of_parent = |last: &LastLayout<'_>| {
            let start = last.new_span.start();
            clause::is_clause_at(last.after, start, self.siblings.parent)
        };
        clause::begins_with_keyword(self.parsed, layout.content.text)
            && layout.last.is_none_or(is_of_parent)
    }

    /// Returns the slot with the blank lines that the caller requires. There are none before a body that gets its first
    /// line break here or after the last line of the file. At the end of a body without a delimiter, those after it stay.
    fn with_exact_blank_lines(&self, mut slot: LineSlot, lines: &LineStarts<'_>) -> LineSlot {
        let own = self.lines();
        let blank = |count: usize| {
            let blank_line = format!("\n{}", lines.target.quote.trim_end());
            blank_line.repeat(count) + "\n"
        };
        if let Some(count) = self.exact.before.filter(|_| slot.opening.is_none()) {
            let start = slot.at.start();
            let begins_line = own.starts_line(start);
            let indentation = match slot.before.rfind('\n') {
                Some(at) => slot.before[at + 1..].to_string(),
                None if begins_line => {
                    let line = Span::new(own.line_start(start), start);
                    self.parsed.source().slice(line).into_owned() + &slot.before
                }
                None => return slot,
            };
            let above = match begins_line {
                true => own
                    .text_line_above(start)
                    .map(|above| own.line(above).end()),
                false => Some(start),
            };
            slot.before = match above {
                Some(_) => blank(count) + &indentation,
                None => blank(count)[1..].to_string() + &indentation,
            };
            slot.at = Span::new(above.unwrap_or(0), slot.at.end());
        }
        if let Some(count) = self.exact.after {
            let end = slot.at.end();
            match own.text_line_below(end).filter(|_| own.ends_line(end)) {
                Some(below) => {
                    let existing = below - self.parsed.source().line_of(end) - 1;
                    let kept = self.element(self.next).map_or(existing, |_| 0);
                    slot.after = blank(count.max(kept));
                    slot.at = Span::new(slot.at.start(), own.line(below).start());
                }
                None => {
                    if let Some(at) = slot.after.rfind('\n') {
                        slot.after = blank(count) + &slot.after[at + 1..];
                    }
                }
            }
        }
        slot
    }

    /// Returns the first of these slots that applies.
    fn slot(
        &self,
        lines: &LineStarts<'_>,
        lead: Option<&str>,
        nodes: Option<&InsertedNodes>,
    ) -> LineSlot {
        if let Some(slot) = self.before_first_without_separator(lines, lead) {
            return slot;
        }
        let opening = self.opening(lines);
        let slot = self
            .in_single_line_body(lines)
            .or_else(|| self.between_statements_in_a_line(lines))
            .or_else(|| self.in_empty_body(lines))
            .or_else(|| self.before_next(lines, lead, nodes))
            .unwrap_or_else(|| self.after_previous(lines));
        LineSlot {
            opening: slot.opening.or(opening),
            ..slot
        }
    }

    /// Returns the slot before a first member without a leading separator. That member gets one,
    /// and the content none.
    fn before_first_without_separator(
        &self,
        lines: &LineStarts<'_>,
        lead: Option<&str>,
    ) -> Option<LineSlot> {
        let (lead, first) = (lead?, self.first_without_separator()?);
        let at = Span::at(first.start());
        Some(LineSlot::new(at, String::new(), lines.next_line() + lead))
    }

    /// Returns the slot in a body whose only member shares its line with both brackets. All get
    /// lines of their own.
    fn in_single_line_body(&self, lines: &LineStarts<'_>) -> Option<LineSlot> {
        let [open, close] = self.spaces_in_single_line_body()?;
        let outer = IndentTarget::for_span(self.parsed, &self.container, Span::at(open.start()));
        let outer = lines.target.breaks(0) + &outer.prefix();
        let line_break = |span, new_text| Some(Replacement { span, new_text });
        Some(match self.named {
            Neighbour::Previous => LineSlot {
                opening: line_break(open, lines.next_line()),
                ..LineSlot::new(close, lines.own_line(), outer)
            },
            Neighbour::Next => LineSlot {
                closing: line_break(close, outer),
                ..LineSlot::new(open, lines.own_line(), lines.next_line())
            },
        })
    }

    /// Returns the slot between two statements in one line, which get a line each.
    fn between_statements_in_a_line(&self, lines: &LineStarts<'_>) -> Option<LineSlot> {
        let (previous, next) = (self.inner(self.previous)?, self.inner(self.next)?);
        let are_in_a_line = self.siblings.parent.is_indented()
            && self.lines().breaks(previous.end, next.start()) == 0;
        let at = || Span::new(previous.end, next.start());
        are_in_a_line.then(|| LineSlot::new(at(), lines.own_line(), lines.next_line()))
    }

    /// Returns the slot in an empty pair of brackets.
    fn in_empty_body(&self, lines: &LineStarts<'_>) -> Option<LineSlot> {
        if self
            .inner(self.previous)
            .or(self.inner(self.next))
            .is_some()
        {
            return None;
        }
        self.siblings.closing()?;
        let (open, close) = (self.element(self.previous)?, self.element(self.next)?);
        let outer = IndentTarget::for_span(self.parsed, &self.container, open.core);
        // The line break replaces the semicolon of `def f; end`.
        let start = match open.node.kind() {
            ";" => self
                .parsed
                .source()
                .trimmed_end(Span::new(0, open.core.start()))
                .end(),
            _ => open.end,
        };
        let at = Span::new(start, close.core.start());
        let after = lines.target.breaks(0) + &outer.prefix();
        Some(LineSlot {
            opening: self.brace_on_own_line(open, &after),
            ..LineSlot::new(at, lines.own_line(), after)
        })
    }

    /// Returns the line break before the opening brace of an empty body, if the braces of its siblings have lines of their
    /// own, or else the brace of the enclosing body. `line_break` is a line break with the indentation of the brace.
    fn brace_on_own_line(&self, open: &Element<'_>, line_break: &str) -> Option<Replacement> {
        let (source, lines) = (self.parsed.source(), self.lines());
        let [above @ .., outer, header, body] = self.container.as_slice() else {
            return None;
        };
        // An object of data is a list.
        let is_list = self.list().is_some();
        if is_list || open.node.kind() != "{" || lines.starts_line(open.core.start()) {
            return None;
        }
        // The brace of a body of several lines.
        let brace = |body: &Node<'_>| {
            let first = body.first_child().filter(|first| first.kind() == "{")?;
            let span = body.span();
            (lines.breaks(span.start(), span.end()) > 0).then_some(first.span().start())
        };
        let of_siblings = self
            .parsed
            .children(*outer)
            .into_iter()
            .filter_map(|sibling| {
                let is_like = sibling.kind() == header.kind() && sibling != *header;
                let children = self.parsed.children(sibling).into_iter();
                let mut bodies = children.filter(|child| is_like && child.kind() == body.kind());
                bodies.find_map(|body| brace(&body))
            });
        let distance = |brace: &usize| brace.abs_diff(open.core.start());
        let enclosing = || above.iter().chain([outer]).rev().find_map(brace);
        let brace = of_siblings.min_by_key(distance).or_else(enclosing)?;
        let before = source.trimmed_end(Span::new(0, open.core.start())).end();
        lines.starts_line(brace).then(|| Replacement {
            span: Span::new(before, open.core.start()),
            new_text: line_break.to_string(),
        })
    }

    /// Returns the slot directly before the next element, if it is the first or the existing blank
    /// lines belong before the content.
    fn before_next(
        &self,
        lines: &LineStarts<'_>,
        lead: Option<&str>,
        nodes: Option<&InsertedNodes>,
    ) -> Option<LineSlot> {
        let next = self.inner(self.next)?;
        let previous = self.inner(self.previous);
        let BlankLines { before, after } = lines.blank_lines;
        let existing = self.existing_blank_lines();
        let belongs_to_next = match self.named {
            Neighbour::Previous => after < existing,
            Neighbour::Next => before >= existing,
        };
        if previous.is_some() && !belongs_to_next {
            return None;
        }
        let start = self.start_before(next, nodes);
        let starts_line = self.lines().starts_line(start) && !self.follows_marker();
        let existing = match previous {
            Some(_) => existing,
            None => self.lines().blank_lines_above(start),
        };
        let blank = format!("{}\n", lines.target.quote.trim_end());
        let blank = blank.repeat(before.saturating_sub(existing));
        let breaks = lines.target.breaks(after);
        Some(match starts_line {
            true => {
                let at = Span::at(self.lines().line_start(start));
                LineSlot::new(at, blank + &lines.own_prefix, breaks)
            }
            false => {
                let before = blank + lead.unwrap_or_default();
                LineSlot::new(Span::at(start), before, breaks + &lines.prefix)
            }
        })
    }

    /// Returns the slot directly after the previous element.
    fn after_previous(&self, lines: &LineStarts<'_>) -> LineSlot {
        let neighbour = self.element(self.previous).or(self.element(self.next));
        let end = neighbour.expect("a position has a neighbour").end;
        let at = match self.lines().ends_line(end) {
            true => self.lines().line_end(end),
            false => end,
        };
        let BlankLines { before, after } = lines.blank_lines;
        let before = lines.target.breaks(before) + &lines.own_prefix;
        let missing = match self.inner(self.next) {
            Some(_) => after.saturating_sub(self.existing_blank_lines()),
            None => 0,
        };
        let blank = format!("\n{}", lines.target.quote.trim_end());
        LineSlot::new(Span::at(at), before, blank.repeat(missing))
    }

    /// Returns the spaces after the opening bracket and before the closing one, if both share their line with the only
    /// member of a body whose members have lines of their own.
    fn spaces_in_single_line_body(&self) -> Option<[Span; 2]> {
        let body = self.siblings.parent.body().filter(|body| body.lines)?;
        let closing = self.siblings.closing().filter(|_| body.after.is_none())?;
        let mut inside = self.siblings.elements.iter().enumerate();
        let (index, one) = inside.find(|(_, element)| element.is_inside())?;
        let is_neighbour = [self.previous, self.next].contains(&Some(index));
        let open = self.element(index.checked_sub(1))?;
        let close = &self.siblings.elements[closing];
        let is_in_line = self.lines().breaks(open.end, close.core.start()) == 0;
        let is_single_line = open.role == Role::Frame && index + 1 == closing && is_in_line;
        (is_single_line && is_neighbour).then(|| {
            [
                Span::new(open.end, one.start()),
                Span::new(one.end, close.core.start()),
            ]
        })
    }

    /// Returns the line break before a body that is in its parent's line.
    fn opening(&self, lines: &LineStarts<'_>) -> Option<Replacement> {
        self.header()?;
        let first = self.siblings.elements.first()?.start();
        let line = Span::new(self.lines().line_start(first), first);
        let spaces = line.len() - self.parsed.source().slice(line).trim_end().len();
        let is_first = self.named == Neighbour::Next && self.inner(self.previous).is_none();
        let prefix = if is_first {
            &lines.own_prefix
        } else {
            &lines.prefix
        };
        Some(Replacement {
            span: Span::new(first - spaces, first),
            new_text: format!("\n{prefix}"),
        })
    }

    /// Returns where content goes before `next`: before everything attached to it; an attribute goes after doc comments.
    fn start_before(&self, next: &Element<'_>, nodes: Option<&InsertedNodes>) -> usize {
        let kind = nodes.and_then(|nodes| nodes.attached.as_deref());
        let Some(kind) = kind.filter(|kind| !matches!(*kind, "doc" | "comment")) else {
            return next.start();
        };
        let same = next.attached.iter().find(|one| one.kind == kind);
        same.map_or(next.core.start(), |same| same.span.start())
    }
}
