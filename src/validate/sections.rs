//! Headings and sections: an edit that adds a heading or changes its level moves the following text into another
//! section, and changes nothing else.

use crate::language::queries::{Mark, Tables};
use crate::parse::Parsed;
use crate::source::Span;

use super::comparison::Comparison;
use super::surroundings::{Difference, Edited, Ends, compare};

/// Returns the old and the new level of a heading if the edit changes nothing outside but the nesting of sections.
pub(super) fn level(change: &Comparison<'_, '_>) -> Option<(u8, u8)> {
    let node = change.selection.node();
    let mut words = ["heading", "section"].into_iter();
    let is_whole = words.any(|word| node.is_word(word, None));
    let level = is_whole.then(|| changed_level(change)).flatten();
    level.or_else(|| changed_level_of_part(change))
}

/// Returns the levels of the first heading in the replaced and in the new text, if they differ and nothing outside
/// changes except the nesting of sections.
fn changed_level(change: &Comparison<'_, '_>) -> Option<(u8, u8)> {
    let before = change.before;
    if change.removed.is_empty() || change.new_span.is_empty() {
        return None;
    }
    let was = first_level(before, change.selection.span())?;
    let now = first_level(change.after, change.new_span)?;
    (was != now && is_same_but_sections(change, &Edited::from_comparison(change)))
        .then_some((was, now))
}

/// Returns the same if a part of a heading is replaced, such as one of the signs before it.
fn changed_level_of_part(change: &Comparison<'_, '_>) -> Option<(u8, u8)> {
    if !change.selection.is_text() {
        return None;
    }
    let chain = change.selection.chain().iter();
    let heading = chain.rev().find(|node| node.is_word("heading", None))?;
    let old = heading.span();
    let new = change.text_edit.map_span(old)?;
    let was = first_level(change.before, old)?;
    let now = first_level(change.after, new)?;
    let heading = Edited {
        old: vec![old],
        new: vec![new],
        ends: Ends::Fixed,
        apart: false,
    };
    (was != now && is_same_but_sections(change, &heading)).then_some((was, now))
}

/// Returns whether the new content has a heading, and nothing outside changes except the nesting of sections.
pub(super) fn opens_section(change: &Comparison<'_, '_>) -> bool {
    let tables = change.after.source().language().tables();
    tables.is_some_and(Tables::has_levels)
        && !change.new_span.is_empty()
        && first_level(change.after, change.new_span).is_some()
        && is_same_but_sections(change, &Edited::from_comparison(change))
}

/// Reports symbols that move because a heading was added or removed. The tree may not show this, as not every kind of
/// heading has a section node.
pub(super) fn moved_symbols(change: &Comparison<'_, '_>) -> Option<Difference> {
    if !has_heading(change) || change.symbols().lost.is_empty() {
        return None;
    }
    Some(Difference::new(change.parent(), change.new_span))
}

/// Returns whether a new heading takes the following text into its section, and no old heading did.
pub(super) fn reaches_on(change: &Comparison<'_, '_>) -> bool {
    let (old, new) = (change.text_edit.hull(), change.new_span);
    has_heading(change)
        && change.level().is_none()
        && !reaches_past(change.before, old)
        && reaches_past(change.after, new)
}

/// Returns whether the old or the new text contains a heading.
fn has_heading(change: &Comparison<'_, '_>) -> bool {
    let tables = change.before.source().language().tables();
    let has_one = |parsed: &Parsed, span| first_level(parsed, span).is_some();
    tables.is_some_and(Tables::has_levels)
        && (has_one(change.before, change.text_edit.hull())
            || has_one(change.after, change.new_span))
}

/// Returns whether a definition whose name is in `span` has text after it.
fn reaches_past(parsed: &Parsed, span: Span) -> bool {
    let symbols = parsed.outline().symbols();
    let mut own = symbols.iter().filter(|one| span.contains(one.name_span));
    own.any(|one| parsed.trimmed(one.span).end() > span.end())
}

/// Returns whether all nodes outside the edited text except sections are unchanged.
fn is_same_but_sections(change: &Comparison<'_, '_>, edited: &Edited) -> bool {
    compare(change, edited, |node| !node.is(Mark::Section)).is_ok()
}

/// Returns whether each of the spans, in the old and in the new text, has headings of the same levels.
pub(super) fn keeps_levels(before: &Parsed, after: &Parsed, changed: &[(Span, Span)]) -> bool {
    let tables = before.source().language().tables();
    if !tables.is_some_and(Tables::has_levels) {
        return true;
    }
    let levels = |parsed: &Parsed, spans: Vec<Span>| -> Vec<(usize, Option<u8>)> {
        let names = parsed.outline().symbols().iter().map(|one| one.name_span);
        let in_them = names.filter_map(|name| {
            let index = spans.partition_point(|span| span.end() < name.end());
            let is_in = spans.get(index).is_some_and(|span| span.contains(name));
            is_in.then(|| (index, level_at(parsed, name)))
        });
        in_them.collect()
    };
    let (old, new) = changed.iter().copied().unzip();
    levels(before, old) == levels(after, new)
}

/// Returns the level of the first definition whose name is in `span`.
fn first_level(parsed: &Parsed, span: Span) -> Option<u8> {
    let symbols = parsed.outline().symbols();
    let first = symbols.iter().find(|one| span.contains(one.name_span))?;
    level_at(parsed, first.name_span)
}

fn level_at(parsed: &Parsed, name: Span) -> Option<u8> {
    let chain = parsed.chain(name);
    chain.iter().rev().find_map(|node| node.tag(&[])?.level)
}
