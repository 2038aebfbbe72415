//! Lays out content: composes the replacements of an operation again with the tree of the last layout, until they no
//! longer change. Operations on different nodes of one text are laid out together, with one parse for each layout of all.

use crate::change::{Change, EditNote, Reading, Replacement, TextEdit};
use crate::parse::{Node, Parsed};
use crate::select::Selection;
use crate::source::Span;

use super::EditError;
use super::siblings::{KnownSiblings, Siblings};

/// The replacements of an operation, and which part of them is the content.
#[derive(Clone)]
pub(super) struct Composed<'p> {
    pub(super) replacements: Vec<Replacement>,
    /// Where the content is in the new texts.
    pub(super) content: Content,
    /// The nodes from the root down to the one among whose children the edit is made.
    pub(super) container: Vec<Node<'p>>,
    /// The spans of the nodes that are deleted or replaced.
    pub(super) removed: Vec<Span>,
    /// From the node before a deleted one to the node after it.
    pub(super) neighbours: Option<Span>,
    /// What is replaced, with the whitespace and the attributes next to it that stay.
    pub(super) with_kept: Option<Span>,
    pub(super) notes: Vec<EditNote>,
}

/// Where the content is in the new text of the replacement with this index.
#[derive(Clone, Copy)]
pub(super) struct Content {
    pub(super) replacement: usize,
    pub(super) start: usize,
    pub(super) len: usize,
}

/// Content in the tree of its last layout.
#[derive(Clone, Copy)]
pub(super) struct LastLayout<'a> {
    pub(super) before: &'a Parsed,
    pub(super) after: &'a Parsed,
    /// The span of the content in the new text.
    pub(super) new_span: Span,
    /// From the first replaced byte to the last, in the old and in the new text.
    hulls: [Span; 2],
    /// The siblings in the new text.
    known: &'a KnownSiblings<'a>,
}

/// An operation that composes its replacements, given the last layout.
pub(super) type Draft<'s, 'p> = Box<dyn FnMut(Option<&LastLayout<'_>>) -> Composed<'p> + 's>;

/// The maximum number of layouts of one content. The first uses the content alone. The second uses
/// the tree of the first: it knows strings, attached comments and required separators. These can
/// turn neighbors into nodes of their own, so the third sets the blank lines between them. Later
/// layouts would learn nothing new.
const LAYOUTS: usize = 3;

/// Applies the layout that `compose` returns again when given its tree. If two layouts alternate, the first one stays,
/// because it is closer to the given text.
///
/// # Errors
/// The layout still changes after [`LAYOUTS`] layouts ([`EditError::Unsettled`]).
pub(super) fn laid_out<'p>(
    selection: &Selection<'p>,
    mut compose: impl FnMut(Option<&LastLayout<'_>>) -> Composed<'p>,
) -> Result<Change<'p>, EditError> {
    let mut layouts = vec![carried_out(selection, compose(None))];
    loop {
        let composed = {
            let known = KnownSiblings::default();
            let last = layouts
                .last()
                .map(|last| LastLayout::from_change(last, &known));
            compose(last.as_ref())
        };
        let (reading, notes) = composed.into_reading(selection);
        let replacements = reading.text_edit.replacements();
        let is_it = |layout: &Change<'p>| layout.text_edit().replacements() == replacements;
        if let Some(settled) = layouts.iter().position(is_it) {
            return Ok(layouts.swap_remove(settled).with_notes(notes));
        }
        if layouts.len() == LAYOUTS {
            return Err(EditError::Unsettled);
        }
        layouts.push(Change::from_reading(reading, notes));
    }
}

pub(super) fn carried_out<'p>(selection: &Selection<'p>, composed: Composed<'p>) -> Change<'p> {
    let (reading, notes) = composed.into_reading(selection);
    Change::from_reading(reading, notes)
}

/// Several operations of one text in one new text.
pub(crate) struct Together {
    pub(crate) text_edit: TextEdit,
    pub(crate) after: Parsed,
    /// The indices of the operations that were made, in ascending order, with what each changes.
    pub(crate) parts: Vec<(usize, Part)>,
}

/// What one of several operations changes.
pub(crate) struct Part {
    /// The span of the content in the new text.
    pub(crate) new_span: Span,
    /// Each replaced span in the old text, and its new text's span in the new one; in file order.
    pub(crate) replaced: Vec<(Span, Span)>,
    pub(crate) notes: Vec<EditNote>,
}

impl Part {
    /// Returns the span from the first replaced byte to the last, in the old and in the new text.
    pub(crate) fn hulls(&self) -> [Span; 2] {
        let from = |of: fn(&(Span, Span)) -> Span| {
            let spans = self.replaced.iter().map(of);
            let ends = spans.clone().map(Span::end).max();
            let start = spans.map(Span::start).min().unwrap_or_default();
            Span::new(start, ends.unwrap_or(start))
        };
        [from(|(old, _)| *old), from(|(_, new)| *new)]
    }
}

/// Lays out operations of `before` together. An operation that removes a node next to one that another edits, or inserts one
/// next to one that another removes or inserts, is left out: it depends on the result. Returns `None` if the layout still changes after [`LAYOUTS`]
/// layouts, if a content has a syntax error in one of them, or if an operation changes text that another one keeps.
pub(super) fn laid_out_together<'p>(
    before: &'p Parsed,
    mut drafts: Vec<Draft<'_, 'p>>,
) -> Option<Together> {
    let all: Vec<Composed<'p>> = drafts.iter_mut().map(|draft| draft(None)).collect();
    let chosen = independent(before, &all);
    let mut composed: Vec<Composed<'p>> = Vec::new();
    let mut left = Vec::new();
    for (index, (one, draft)) in all.into_iter().zip(drafts).enumerate() {
        if chosen[index] {
            composed.push(one);
            left.push((index, draft));
        }
    }
    for _ in 0..LAYOUTS {
        let (text_edit, parts) = parts(before, &composed)?;
        let after = before.reparse(text_edit.apply(before.source()), &text_edit.lengths());
        let mut new_hulls = parts.iter().map(|part| part.hulls()[1]);
        let is_wrong = |hull: Span| {
            let problems = after.problems_around(hull);
            problems.iter().any(|problem| problem.span.touches(hull))
        };
        if new_hulls.any(is_wrong) {
            return None;
        }
        let known = KnownSiblings::default();
        let next: Vec<Composed<'p>> = left
            .iter_mut()
            .zip(&parts)
            .map(|((_, draft), part)| {
                draft(Some(&LastLayout {
                    before,
                    after: &after,
                    new_span: part.new_span,
                    hulls: part.hulls(),
                    known: &known,
                }))
            })
            .collect();
        let is_same =
            |(one, other): (&Composed<'p>, &Composed<'p>)| one.replacements == other.replacements;
        if composed.iter().zip(&next).all(is_same) {
            let settled = left.iter().zip(parts).zip(next);
            let settled = settled.map(|(((index, _), part), composed)| {
                let notes = composed.notes;
                (*index, Part { notes, ..part })
            });
            let parts = settled.collect();
            return Some(Together {
                text_edit,
                after,
                parts,
            });
        }
        composed = next;
    }
    None
}

/// Returns the replacements of all operations as one edit, and what each changes.
fn parts(before: &Parsed, composed: &[Composed<'_>]) -> Option<(TextEdit, Vec<Part>)> {
    let mut places: Vec<(usize, usize)> = Vec::new();
    for (number, one) in composed.iter().enumerate() {
        places.extend((0..one.replacements.len()).map(|index| (number, index)));
    }
    let replacement = |(number, index): (usize, usize)| &composed[number].replacements[index];
    // In the order of [`TextEdit::new`].
    places.sort_by_key(|place| {
        let span = replacement(*place).span;
        (span.start(), span.end())
    });
    let replacements = places.iter().map(|place| replacement(*place).clone());
    let text_edit = TextEdit::new(before.source(), replacements.collect()).ok()?;
    let replaced = text_edit.replacements();
    let is_left = |(number, one): (usize, &Composed<'_>)| {
        let Some(own) = one.with_kept else {
            return true;
        };
        let first = replaced.partition_point(|other| other.span.end() <= own.start());
        let places = places[first..].iter().zip(&replaced[first..]);
        let mut near = places.take_while(|(_, other)| other.span.start() < own.end());
        near.all(|(place, _)| place.0 == number)
    };
    if !composed.iter().enumerate().all(is_left) {
        return None;
    }
    let no_part = || Part {
        new_span: Span::at(0),
        replaced: Vec::new(),
        notes: Vec::new(),
    };
    let mut parts: Vec<Part> = composed.iter().map(|_| no_part()).collect();
    for (place, new_span) in places.into_iter().zip(text_edit.new_spans()) {
        let part = &mut parts[place.0];
        part.replaced.push((replacement(place).span, new_span));
        let content = composed[place.0].content;
        if place.1 == content.replacement {
            let start = new_span.start() + content.start;
            part.new_span = Span::new(start, start + content.len);
        }
    }
    Some((text_edit, parts))
}

/// Returns for each operation whether it is made: not if it removes a node next to one that an earlier one edits, or inserts
/// one next to one that an earlier one removes or inserts. Operations that such a one may depend on wait with it.
fn independent(before: &Parsed, composed: &[Composed<'_>]) -> Vec<bool> {
    let mut chosen = vec![true; composed.len()];
    if composed.iter().all(|one| one.kind() == Kind::Replaces) {
        return chosen;
    }
    let reaches: Vec<(Span, Kind)> = composed
        .iter()
        .map(|one| (one.reach(before), one.kind()))
        .collect();
    for (index, (span, kind)) in reaches.iter().enumerate() {
        let depends = |(earlier, (other, other_kind)): (usize, &(Span, Kind))| {
            let is_dependent = match (kind, other_kind) {
                (Kind::Replaces, Kind::Replaces) => false,
                (Kind::Replaces, Kind::Inserts) | (Kind::Inserts, Kind::Replaces) => {
                    !chosen[earlier]
                }
                (Kind::Removes, Kind::Removes) => chosen[earlier],
                _ => true,
            };
            is_dependent && span.touches(*other)
        };
        chosen[index] = !reaches[..index].iter().enumerate().any(depends);
    }
    chosen
}

/// What an operation does to the nodes of a text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Replaces,
    Inserts,
    Removes,
}

impl<'p> Composed<'p> {
    /// Creates the replacement of one span by the content and the whitespace `before` and `after` it.
    pub(super) fn one(
        span: Span,
        [before, content, after]: [String; 3],
        container: &[Node<'p>],
    ) -> Composed<'p> {
        Composed {
            content: Content {
                replacement: 0,
                start: before.len(),
                len: content.len(),
            },
            replacements: vec![Replacement {
                span,
                new_text: before + &content + &after,
            }],
            container: container.to_vec(),
            removed: Vec::new(),
            neighbours: None,
            with_kept: None,
            notes: Vec::new(),
        }
    }

    /// Returns an operation that composes this in every layout.
    pub(super) fn unchanging<'s>(self) -> Draft<'s, 'p>
    where
        'p: 's,
    {
        Box::new(move |_| self.clone())
    }

    fn kind(&self) -> Kind {
        let is_insertion = self.removed.iter().all(|span| span.is_empty());
        match (is_insertion, self.neighbours) {
            (true, _) => Kind::Inserts,
            (false, Some(_)) => Kind::Removes,
            (false, None) => Kind::Replaces,
        }
    }

    /// Returns the text that determines the replacements.
    fn reach(&self, before: &Parsed) -> Span {
        let spans = self.replacements.iter().map(|one| one.span);
        let start = spans.clone().map(Span::start).min().unwrap_or_default();
        let end = spans.map(Span::end).max().unwrap_or(start);
        let source = before.source();
        let ahead = source.trimmed_end(Span::new(0, start));
        let rest = source.trimmed_start(Span::new(end, source.len()));
        let hull = Span::new(ahead.end(), rest.start());
        self.neighbours.map_or(hull, |nearby| {
            Span::new(
                hull.start().min(nearby.start()),
                hull.end().max(nearby.end()),
            )
        })
    }

    fn into_reading(self, selection: &Selection<'p>) -> (Reading<'p>, Vec<EditNote>) {
        let new_span = self.new_span();
        let source = selection.parsed().source();
        let reading = Reading {
            selection: selection.clone(),
            text_edit: TextEdit::new(source, self.replacements)
                .expect("what an operation replaces does not overlap"),
            new_span,
            container: self.container,
            removed: self.removed,
            may_merge: selection.is_text(),
        };
        (reading, self.notes)
    }

    /// Returns the span of the content in the new text.
    fn new_span(&self) -> Span {
        let Content {
            replacement,
            start,
            len,
        } = self.content;
        let own = &self.replacements[replacement];
        // Earlier spans precede it, and those at the same offset with a smaller index.
        let is_before = |index: usize, one: &Replacement| {
            (one.span.start(), one.span.end(), index)
                < (own.span.start(), own.span.end(), replacement)
        };
        let before = self.replacements.iter().enumerate();
        let before = before.filter(|(index, one)| is_before(*index, one));
        let (grown, removed) = before.fold((0, 0), |(grown, removed), (_, one)| {
            (grown + one.new_text.len(), removed + one.span.len())
        });
        let new_start = own.span.start() + grown - removed + start;
        Span::new(new_start, new_start + len)
    }
}

impl<'a> LastLayout<'a> {
    fn from_change(change: &'a Change<'_>, known: &'a KnownSiblings<'a>) -> LastLayout<'a> {
        LastLayout {
            before: change.before(),
            after: change.after(),
            new_span: change.new_span(),
            hulls: [change.text_edit().hull(), change.text_edit().new_hull()],
            known,
        }
    }

    /// Returns the children of `parent` that the content touches in the new text, and those that they are attached to.
    pub(super) fn siblings(&self, parent: Node<'a>) -> Siblings<'a> {
        self.known.within(self.after, parent, self.new_span)
    }

    /// Returns where a place is in the new text. The text from there to what is replaced stays.
    pub(super) fn place_before(&self, offset: usize) -> usize {
        let [hull, new_hull] = self.hulls;
        new_hull.start() - (hull.start() - offset)
    }

    /// Returns whether the layout has more syntax errors than the old text.
    pub(super) fn has_more_problems(&self) -> bool {
        let [hull, new_hull] = self.hulls;
        let after = self.after.problems_around(new_hull);
        after.len() > self.before.problems_around(hull).len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language;
    use crate::select::{Selector, select};
    use crate::source::Source;

    /// Returns the result if `compose` returns these layouts in turn, then always the last one.
    fn laid_out_as(layouts: &[&str]) -> Result<String, EditError> {
        let text = "fn f() {\n    1\n}\n".to_string();
        let source = Source::new("a.rs", language::for_file("a.rs", &text), text);
        let parsed = Parsed::parse(source);
        let selector = Selector::new("1", "integer_literal");
        let selection = select(&parsed, &selector).expect("it is there once");
        let mut next = 0;
        let change = laid_out(&selection, |_| {
            let new_text = layouts[next.min(layouts.len() - 1)].to_string();
            next += 1;
            let new_text = [String::new(), new_text, String::new()];
            Composed {
                removed: vec![selection.span()],
                ..Composed::one(selection.span(), new_text, &selection.chain()[..1])
            }
        })?;
        let after = change.after().source();
        Ok(after.slice(change.new_span()).into_owned())
    }

    #[test]
    fn content_that_needs_a_fourth_layout_is_refused() {
        assert_eq!(laid_out_as(&["2"]), Ok("2".to_string()));
        assert_eq!(laid_out_as(&["2", "3"]), Ok("3".to_string()));
        assert_eq!(laid_out_as(&["2", "3", "4"]), Ok("4".to_string()));
        let unsettled = laid_out_as(&["2", "3", "4", "5"]);
        assert_eq!(unsettled, Err(EditError::Unsettled));
    }

    #[test]
    fn of_two_alternating_layouts_the_first_stays() {
        assert_eq!(laid_out_as(&["2", "3", "2"]), Ok("2".to_string()));
        assert_eq!(laid_out_as(&["2", "3", "4", "3"]), Ok("3".to_string()));
    }
}
