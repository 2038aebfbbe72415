//! Finds what content inserted on lines of its own is indented like.

use crate::language::queries::Mark;
use crate::source::Span;

use super::super::insertion_point::{Beginning, InsertionPoint};
use super::super::siblings::{Element, Role};
use super::target::IndentTarget;
use super::tree::begins_unindented_at;

/// Returns the indentation of content on lines of its own at `point`: that of a sibling, else one level deeper than the
/// opening bracket; of a clause, that of its statement.
pub(in super::super) fn of_insertion<'p>(
    point: &InsertionPoint<'p>,
    beginning: Beginning,
) -> IndentTarget<'p> {
    let parent = point.siblings.parent;
    let like = |span: Span| IndentTarget::for_span(point.parsed, &point.container, span);
    if beginning == Beginning::Clause {
        return like(Span::at(parent.span().start()));
    }
    if let Some(header) = point.header() {
        return like(header.span()).deeper(parent.language().indent());
    }
    if point.is_at_margin() {
        return at_margin(point);
    }
    if let (Some(raw), true) = (parent.raw(), parent.body().is_some_and(|body| body.column)) {
        // All members begin where the first does, which may share its line with what precedes it.
        return like(Span::at(raw.start_byte()));
    }
    // A neighbor that is a body is deeper than its siblings.
    let neighbours = [point.element(point.previous), point.element(point.next)];
    let mut neighbours = neighbours.into_iter().flatten();
    let is_next_to_body = neighbours.any(|one| one.node.is_indented());
    if is_next_to_body && !parent.is_indented() && parent.raw().is_some() {
        return like(Span::at(parent.span().start()));
    }
    match model(point, beginning == Beginning::Outdented) {
        Some(model) if parent.is_indented() => like(model.core),
        Some(model) => like(model.span()),
        None => without_siblings(point),
    }
}

/// Returns the indentation of lines that begin with the margin of the container only.
fn at_margin<'p>(point: &InsertionPoint<'p>) -> IndentTarget<'p> {
    let line_sign = point.parsed.source().language().line_sign();
    IndentTarget::new(point.margin.clone(), line_sign)
}

/// Returns the sibling that starts a line and is nearest to the point; one that is outdented like the content, if any is.
fn model<'a, 'p>(point: &'a InsertionPoint<'p>, is_outdented: bool) -> Option<&'a Element<'p>> {
    let parent = point.siblings.parent;
    let lines = point.lines();
    let counts = |element: &Element<'_>| match parent.is_indented() {
        // A comment may have any depth.
        true => element.role != Role::Comment,
        false => element.is_inside(),
    };
    let starts_line = |one: &&Element<'_>| counts(one) && lines.starts_line(one.start());
    let models = || {
        let nearest = [point.named_index(), point.previous, point.next].into_iter();
        let mut chains = point.parsed.chains();
        nearest
            .flat_map(|index| point.element(index))
            .chain(&point.siblings.elements)
            .filter(move |one| !begins_unindented_at(point.parsed, &mut chains, one.core.start()))
            .filter(starts_line)
    };
    models()
        .find(|one| one.node.is_in(Mark::Outdented, parent) == is_outdented)
        .or_else(|| models().next())
}

/// Returns the indentation of the first member on a line of its own.
fn without_siblings<'p>(point: &InsertionPoint<'p>) -> IndentTarget<'p> {
    let parent = point.siblings.parent;
    let follows_sign = parent.body().is_some_and(|body| body.after.is_some());
    let is_bracketed = point.siblings.closing().is_some() || follows_sign;
    if !point.margin.is_empty() && !is_bracketed {
        return at_margin(point);
    }
    let at = point.element(point.previous).or(point.element(point.next));
    let at = at.map_or(parent.span(), |element| element.core);
    let target = IndentTarget::for_span(point.parsed, &point.container, Span::at(at.start()));
    match is_bracketed {
        true => target.deeper(parent.language().indent()),
        false => target,
    }
}
