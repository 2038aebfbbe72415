//! Suggests finds whose markers bound or point at the same part.

use crate::locate::{self, ELIDED, around_marker, between_markers, bounded_readings, with_marker};
use crate::select::{Anchor, Selector};
use crate::source::{Source, Span};

use super::Suggestions;
use super::narrow::add_or_distinguish;
use super::texts::TEXTS_TRIED;
use crate::diagnostic::SUGGESTIONS_MADE;

/// Returns whether a find marks or elides a part of its match. A plain text cannot do this.
pub(super) fn has_signs(find: &str) -> bool {
    find.contains(ELIDED) || bounded_readings(find).len() > 1 || around_marker(find).is_some()
}

/// Suggests the whole words that an anchor splits.
pub(super) fn whole_words(
    found: &mut Suggestions<'_>,
    selector: &Selector,
    matches: &[(Span, Span)],
) {
    for (_, words) in matches {
        let whole = found.parsed.source().slice(*words).into_owned();
        let anchor = match &selector.anchor {
            Anchor::Part(find) if has_signs(find) => continue,
            Anchor::Part(_) => Anchor::Part(whole),
            _ => Anchor::Find(whole),
        };
        let whole = Selector {
            anchor,
            ..selector.clone()
        };
        add_or_distinguish(found, whole);
    }
}

/// Suggests the texts most similar to a find with a marker, with the marker at the same position.
pub(super) fn near_finds(found: &mut Suggestions<'_>, selector: &Selector, find: &str) {
    let parsed = found.parsed;
    let near = locate::nearly(parsed, selector.scope.as_ref(), find);
    for place in near.unwrap_or_default().into_iter().take(SUGGESTIONS_MADE) {
        let text = parsed.source().slice(place.span);
        if let Some(find) = with_marker(&text, place.point - place.span.start()) {
            add_or_distinguish(
                found,
                Selector {
                    anchor: Anchor::Find(find),
                    ..selector.clone()
                },
            );
        }
    }
}

/// Suggests texts that are similar to a find with a marked or elided part, with the same markers.
pub(super) fn near_parts(found: &mut Suggestions<'_>, selector: &Selector, find: &str) {
    let parsed = found.parsed;
    let Ok(area) = locate::area(parsed, selector.scope.as_ref()) else {
        return;
    };
    let alike = |text: &str| {
        let all = locate::alike(parsed, text, &area).into_iter();
        let all = all.map(|one| (one.span, parsed.source().slice(one.span)));
        all.take(TEXTS_TRIED).collect::<Vec<_>>()
    };
    let reading = bounded_readings(find).swap_remove(0);
    let finds: Vec<String> = match (reading.bounds, find.split_once(ELIDED)) {
        (Some((start, end)), None) => {
            let near = alike(&reading.text).into_iter();
            let marked = near.filter_map(|(span, _)| {
                let text = with_outer_whitespace(parsed.source(), span, &reading.text);
                let own_start = same_place(&reading.text, start, &text)?;
                let own_end = same_place(&reading.text, end, &text)?;
                let is_alike = own_start <= own_end && (own_start == own_end) == (start == end);
                let part = is_alike.then(|| Span::new(own_start, own_end))?;
                between_markers(&text, part, 0)
            });
            marked.collect()
        }
        (None, Some((first, last))) => {
            let is_here = |text: &str| locate::find_all(parsed, text.trim(), &area).is_ok();
            let own = |part: &str| match is_here(part) {
                true => vec![part.to_string()],
                false => alike(part)
                    .into_iter()
                    .map(|(_, text)| text.into_owned())
                    .collect(),
            };
            let (firsts, lasts) = (own(first), own(last));
            let pairs = firsts
                .iter()
                .flat_map(|first| lasts.iter().map(move |last| [first, ELIDED, last].concat()));
            pairs.take(TEXTS_TRIED).collect()
        }
        _ => Vec::new(),
    };
    for find in finds {
        add_or_distinguish(
            found,
            Selector {
                anchor: Anchor::Part(find),
                ..selector.clone()
            },
        );
    }
}

/// Returns the text of `span` with the surrounding whitespace of its lines, if `find` has whitespace at that end, and
/// with the following newline, if `find` ends with one.
fn with_outer_whitespace(source: &Source, span: Span, find: &str) -> String {
    let is_space = |c: char| matches!(c, ' ' | '\t');
    let lead = &find[..find.len() - find.trim_start().len()];
    let trail = &find[find.trim_end().len()..];
    let mut text = source.slice(span).into_owned();
    if !lead.is_empty() && lead.chars().all(is_space) {
        let ahead = source.slice(Span::new(0, span.start()));
        text.insert_str(0, &ahead[ahead.trim_end_matches(is_space).len()..]);
    }
    let after = source.slice(Span::new(span.end(), source.len()));
    let blank = after.len() - after.trim_start_matches(is_space).len();
    let (blank, rest) = after.split_at(blank);
    if trail.chars().any(|c| c == '\n') {
        let line_break = ["\r\n", "\n", "\r"]
            .into_iter()
            .find(|one| rest.starts_with(one));
        text += blank;
        text += line_break.unwrap_or_default();
    } else if !trail.is_empty() {
        text += blank;
    }
    text
}

/// Returns the offset in `near` that corresponds to byte `at` of `text`. The texts differ in one part: the text before
/// or after the offset is the same except for whitespace. Returns `None` for a position inside whitespace, except at
/// the start of a line.
fn same_place(text: &str, at: usize, near: &str) -> Option<usize> {
    let (before, after) = text.split_at_checked(at)?;
    let ink = |text: &str| -> Vec<char> { text.chars().filter(|c| !c.is_whitespace()).collect() };
    let (all, ink_before, ink_after) = (ink(near), ink(before), ink(after));
    let count = match (all.starts_with(&ink_before), all.ends_with(&ink_after)) {
        (true, _) => ink_before.len(),
        (false, true) => all.len() - ink_after.len(),
        (false, false) => return None,
    };
    let mut inked = near.char_indices().filter(|(_, c)| !c.is_whitespace());
    let start = match count.checked_sub(1) {
        Some(last) => inked.nth(last).map(|(offset, c)| offset + c.len_utf8())?,
        None => 0,
    };
    let run = &near[start..];
    let run = &run[..run.len() - run.trim_start().len()];
    let ahead = &before[before.trim_end().len()..];
    let is_before_whitespace = after.starts_with(char::is_whitespace);
    match (ahead.is_empty(), is_before_whitespace) {
        (true, _) => Some(start),
        (false, false) => Some(start + run.len()),
        (false, true) if ahead.ends_with('\n') => Some(start + run.rfind('\n')? + 1),
        (false, true) => None,
    }
}
