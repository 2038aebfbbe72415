//! What a heading makes a section of: an edit that brings one in, or changes its level, moves what
//! follows it into another section, and nothing else.

use crate::edit::Edited;
use crate::language::queries::Tables;
use crate::parse::Parsed;
use crate::source::Span;

use super::surroundings::{is_same_around, is_same_outside};

/// The level of the first heading of a replaced text and of the new one, where they differ and
/// nothing outside changes but what is a section of what.
pub(super) fn changed_level(edited: &Edited<'_>) -> Option<(u8, u8)> {
    let before = edited.selection.parsed();
    if edited.gone.is_empty() || edited.new_span.is_empty() {
        return None;
    }
    let was = first_level(before, edited.selection.span())?;
    let now = first_level(&edited.after, edited.new_span)?;
    (was != now && is_same_but_sections(edited)).then_some((was, now))
}

/// The same of a part of a heading that is replaced: a sign more or less before it.
pub(super) fn changed_level_of_part(edited: &Edited<'_>) -> Option<(u8, u8)> {
    edited.selection.part()?;
    let chain = edited.selection.chain().iter();
    let heading = chain.rev().find(|node| node.is_word("heading", None))?;
    let old = heading.span();
    let new = edited.text_edit.map_span(old)?;
    let was = first_level(edited.selection.parsed(), old)?;
    let now = first_level(&edited.after, new)?;
    let is_same = || is_same_around(edited, old, new, |node| !node.is_section());
    (was != now && is_same()).then_some((was, now))
}

/// Whether the new content holds a heading, and nothing outside changes but what is a section of
/// what.
pub(super) fn opens_section(edited: &Edited<'_>) -> bool {
    let tables = edited.after.source().language().tables();
    tables.is_some_and(Tables::has_levels)
        && !edited.new_span.is_empty()
        && first_level(&edited.after, edited.new_span).is_some()
        && is_same_but_sections(edited)
}

/// A heading in the old text or in the new one.
pub(super) struct Heading {
    /// One in the new text has what follows in its section, and none in the old one had.
    pub(super) reaches_on: bool,
}

/// Whether the edit takes a heading away or brings one in.
pub(super) fn heading_that_comes_or_goes(edited: &Edited<'_>) -> Option<Heading> {
    let before = edited.selection.parsed();
    let tables = before.source().language().tables();
    if !tables.is_some_and(Tables::has_levels) {
        return None;
    }
    let (old, new) = (edited.text_edit.hull(), edited.new_span);
    let has_one = |parsed: &Parsed, span| first_level(parsed, span).is_some();
    let reaches_on = !reaches_past(before, old) && reaches_past(&edited.after, new);
    (has_one(before, old) || has_one(&edited.after, new)).then_some(Heading { reaches_on })
}

/// Whether a definition that is named in `span` has text behind it.
fn reaches_past(parsed: &Parsed, span: Span) -> bool {
    let symbols = parsed.outline().symbols();
    let mut own = symbols.iter().filter(|one| span.contains(one.name_span));
    own.any(|one| parsed.trimmed(one.span).end() > span.end())
}

/// Whether all nodes outside the edit but sections are what they were.
fn is_same_but_sections(edited: &Edited<'_>) -> bool {
    is_same_outside(edited, |node| !node.is_section())
}

/// The level of the first definition that is named in `span`.
fn first_level(parsed: &Parsed, span: Span) -> Option<u8> {
    let symbols = parsed.outline().symbols();
    let first = symbols.iter().find(|one| span.contains(one.name_span))?;
    let chain = parsed.chain(first.name_span);
    chain.iter().rev().find_map(|node| node.tag(&[])?.level)
}
