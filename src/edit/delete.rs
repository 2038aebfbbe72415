//! A node goes, with what is attached to it.

use crate::change::{Change, EditNote, Replacement};
use crate::language::queries::Mark;
use crate::parse::{Node, Parsed};
use crate::select::{Selection, trimmed_node};
use crate::source::Span;

use super::indent;
use super::replace::kinds;
use super::siblings::{Element, Role, Siblings, first_word, whole};
use super::spacing::{Lines, is_continuation, without_continuations};
use super::{Composed, Content, carried_out};

/// Deletes the selected node with its lines, its separator and what is attached to it; in a string
/// or a comment its bytes alone.
pub(super) fn delete<'p>(selection: Selection<'p>, in_literal: bool) -> Change<'p> {
    let parsed = selection.parsed();
    let place = match in_literal {
        true => Place::alone(parsed, selection.chain()),
        false => Place::of(parsed, selection.chain()),
    };
    let mut notes = Vec::new();
    let inside: Vec<String> = match place.node() == selection.node() {
        true => Vec::new(),
        false => {
            let attached = place.node().attached_inside().into_iter();
            attached.map(|(kind, _)| kind.to_string()).collect()
        }
    };
    if place.element().nodes > 1 {
        let text = parsed.source().slice(place.element().core).into_owned();
        notes.push(EditNote::WholeMember { text });
    } else if place.node().span() != selection.node().span() && inside.is_empty() {
        notes.push(EditNote::WholeOf {
            node_type: place.node().kind().to_string(),
        });
    }
    notes.extend(place.left_without_value().filter(|_| !in_literal));
    let element = place.element();
    let mut along = kinds(&element.attached.iter().collect::<Vec<_>>());
    for kind in inside {
        if !along.contains(&kind) {
            along.push(kind);
        }
    }
    let has_comment = element.trailing_comment && element.role != Role::Comment;
    if has_comment && !along.iter().any(|kind| kind == "comment") {
        along.push("comment".to_string());
    }
    if !along.is_empty() {
        notes.push(EditNote::AttachedAlong { kinds: along });
    }
    let replacement = match in_literal {
        true => Replacement::deletion(element.core),
        false => place.with_blanks(),
    };
    let mut replacements = vec![replacement];
    if !in_literal {
        replacements.extend(place.separator(&mut notes));
        replacements.extend(place.lead_of_next(&mut notes));
    }
    let composed = Composed {
        replacements,
        content: Content {
            replacement: 0,
            start: 0,
            len: 0,
        },
        container: place.container.clone(),
        gone: vec![element.span()],
        notes,
    };
    carried_out(&selection, composed)
}

/// The chain up to the outermost node that goes when the last of `chain` does: all that holds nothing
/// but it, and a list that is none without it.
pub(super) fn outermost<'p>(parsed: &'p Parsed, chain: &[Node<'p>]) -> Vec<Node<'p>> {
    let mut chain = whole(parsed, chain, |_, _| false);
    while let [.., parent, node] = chain[..] {
        let (siblings, index) = Siblings::round(parsed, parent, node);
        let goes = siblings.list.is_some_and(|list| list.is_deleted_when_empty);
        let is_only = siblings.members().count() == 1;
        let element = &siblings.elements[index];
        // A body without signs of its own holds nothing but it and its docs.
        let fills = chain.len() > 2
            && !parent.is_indented()
            && !element.attached.is_empty()
            && element.span() == trimmed_node(parsed, parent);
        if !((goes || fills) && is_only && element.role == Role::Member) {
            break;
        }
        chain.pop();
        chain = whole(parsed, &chain, |_, _| false);
    }
    chain
}

/// The node that goes, among its siblings.
struct Place<'p> {
    parsed: &'p Parsed,
    /// The nodes from the root down to its parent.
    container: Vec<Node<'p>>,
    siblings: Siblings<'p>,
    index: usize,
    margin: String,
}

impl<'p> Place<'p> {
    /// The outermost node that holds nothing but the last of `chain`.
    fn of(parsed: &'p Parsed, chain: &[Node<'p>]) -> Place<'p> {
        let chain = outermost(parsed, chain);
        let (node, container) = chain.split_last().expect("a selection ends with its node");
        let parent = *container.last().expect("the root cannot be edited");
        let (mut siblings, index) = Siblings::round(parsed, parent, *node);
        // What is attached to the first of several clauses is about all of them.
        let element = &siblings.elements[index];
        let word = |element: &Element<'_>| first_word(parsed, element.core);
        let next = siblings.elements.get(index + 1);
        let is_about_next = next.is_some_and(|next| {
            next.role == Role::Member && next.attached.is_empty() && word(next) == word(element)
        });
        if is_about_next && element.attached.iter().any(|one| one.begins_same) {
            siblings.elements[index].attached.clear();
        }
        Place {
            parsed,
            margin: indent::margin(parsed, container),
            container: container.to_vec(),
            siblings,
            index,
        }
    }

    /// The last node of `chain`, whatever belongs to it.
    fn alone(parsed: &'p Parsed, chain: &[Node<'p>]) -> Place<'p> {
        let (node, container) = chain.split_last().expect("a selection ends with its node");
        let parent = *container.last().expect("the root cannot be edited");
        let siblings = Siblings::bare(parsed, parent);
        let index = siblings.position(*node);
        Place {
            parsed,
            margin: indent::margin(parsed, container),
            container: container.to_vec(),
            index: index.expect("a node is a child of its parent"),
            siblings,
        }
    }

    fn element(&self) -> &Element<'p> {
        &self.siblings.elements[self.index]
    }

    fn node(&self) -> Node<'p> {
        self.element().node
    }

    /// What to say where nothing comes behind the sign before the node, which says something too.
    fn left_without_value(&self) -> Option<EditNote> {
        let parent = self.siblings.parent;
        let tables = parent
            .tables()
            .filter(|tables| tables.has_body(|body| body.column));
        let is_held = parent.body().is_some() || self.siblings.list.is_some();
        let behind_sign = self.previous().is_some_and(|one| one.role == Role::Frame);
        let is_value = tables.is_some() && !is_held && behind_sign && self.next().is_none();
        is_value.then(|| EditNote::LeftWithoutValue {
            node_type: parent.kind().to_string(),
        })
    }

    fn previous(&self) -> Option<&Element<'p>> {
        let previous = self.index.checked_sub(1)?;
        Some(&self.siblings.elements[previous])
    }

    fn next(&self) -> Option<&Element<'p>> {
        self.siblings.elements.get(self.index + 1)
    }

    /// What goes with its blanks and lines; a brace behind it comes up to what stands before it.
    fn with_blanks(&self) -> Replacement {
        // Of two in a body, or in a file, each has its own line.
        let parent = self.siblings.parent;
        let round = self.container.iter().rev().nth(1);
        let is_root = round.is_none_or(|round| !round.is_of_tree_of(parent));
        let is_body = is_root || parent.body().is_some();
        let braces = |next: &&Element<'_>| {
            next.role == Role::Member
                && next.node.body().is_some()
                && next
                    .node
                    .first_child()
                    .is_some_and(|first| first.kind() == "{")
        };
        let span = self.span_with_blanks();
        match (self.previous(), self.next().filter(braces)) {
            (Some(previous), Some(next))
                if !previous.trailing_comment && self.siblings.list.is_none() && !is_body =>
            {
                let behind = Span::new(self.element().end, next.start());
                let lines = self.parsed.source().slice(behind).contains(['\n', '\r']);
                match lines && previous.role == Role::Member {
                    true => Replacement {
                        span: Span::new(previous.end, next.start()),
                        new_text: " ".to_string(),
                    },
                    false => Replacement::deletion(span),
                }
            }
            _ => Replacement::deletion(span),
        }
    }

    /// The element with the blanks and lines that go with it.
    fn span_with_blanks(&self) -> Span {
        let lines = Lines {
            source: self.parsed.source(),
            margin: &self.margin,
        };
        let element = self.element();
        let (start, end) = (element.start(), element.end);
        if let Some(next) = self.next_without_lead() {
            return Span::new(start, next.start());
        }
        // Nothing of the parent's own stands on that side.
        let frame = |other: Option<&Element<'_>>| other.is_none_or(|one| one.role == Role::Frame);
        let (first, last) = (frame(self.previous()), frame(self.next()));
        let behind_bracket = self.previous().is_some_and(Element::opens);
        let is_word = |one: &Element<'_>| {
            !one.node.is_named() && one.node.kind().starts_with(char::is_alphabetic)
        };
        if let (Some(open), Some(close)) = (self.previous(), self.next())
            && behind_bracket
            && !is_word(close)
            && self.siblings.closing() == Some(self.index + 1)
            && !open.trailing_comment
        {
            // Nothing else was between the brackets.
            return Span::new(open.end, close.core.start());
        }
        let is_continued = self.previous().is_some_and(|previous| {
            let before = Span::new(previous.end.min(start), start);
            is_continuation(&self.parsed.source().slice(before))
        });
        if lines.starts_line(start) && lines.ends_line(end) && !is_continued {
            return self.whole_lines(&lines, first, last);
        }
        let in_words = self.siblings.is_prose() && self.siblings.has_words;
        if self.siblings.is_running_text || in_words {
            return self.with_a_blank(start, end);
        }
        // The sign that parted it from the statement before it in its line goes.
        let end_of = |previous: &Element<'_>| match self.siblings.parent.is_indented()
            && !previous.trailing_comment
        {
            true => previous.core.end(),
            false => previous.end,
        };
        // Some grammars give plain text no node: it is no gap between two neighbours.
        let blank = |from: usize, to: usize| {
            let text = self.parsed.source().slice(Span::new(from.min(to), to));
            without_continuations(&text).trim().is_empty()
        };
        let previous = self.previous().filter(|one| blank(one.end, start));
        let next = self.next().filter(|one| blank(end, one.start()));
        match (previous, next) {
            (None, None) => self.with_a_blank(start, end),
            // What follows takes its place behind the marker of a list item.
            (Some(previous), Some(next))
                if previous.role == Role::Head && !lines.starts_line(start) =>
            {
                Span::new(start, next.start())
            }
            (None, Some(next)) => Span::new(start, next.start()),
            (Some(previous), None) => Span::new(end_of(previous), end),
            // What follows comes up to the word that begins a list: `var a,\n    b`.
            (Some(_), Some(next))
                if first
                    && !behind_bracket
                    && self.siblings.list.is_some()
                    && next.attached.is_empty() =>
            {
                Span::new(start, next.start())
            }
            (Some(previous), Some(_)) if last && !first => Span::new(end_of(previous), end),
            (Some(previous), Some(_))
                if !behind_bracket && !lines.starts_line(start) && lines.ends_line(end) =>
            {
                Span::new(end_of(previous), end)
            }
            // One gap of two is left, the wider.
            (Some(previous), Some(_)) if !first && previous.end == start => Span::new(start, end),
            (Some(_), Some(next)) => Span::new(start, next.start()),
        }
    }

    /// What stands in running text, with one of the two blanks round it; none stays before a comma.
    fn with_a_blank(&self, start: usize, end: usize) -> Span {
        let source = self.parsed.source();
        let is_blank = |c: char| matches!(c, ' ' | '\t');
        let before = source.slice(Span::new(0, start)).ends_with(is_blank);
        let behind = source.slice(Span::new(end, source.len()));
        let parts =
            |c: char| c.is_whitespace() || matches!(c, ',' | '.' | ';' | ':' | '!' | '?' | ')');
        let ends = behind.is_empty() || behind.starts_with(parts);
        let lines = Lines {
            source,
            margin: &self.margin,
        };
        let begins = lines.starts_line(start) || self.previous().is_some_and(Element::opens);
        let leads = begins && !before && behind.starts_with(is_blank);
        Span::new(
            start - usize::from(before && ends && !leads),
            end + usize::from(leads),
        )
    }

    /// All lines of the element, and of the blank lines round it those on the side that has fewer.
    fn whole_lines(&self, lines: &Lines<'_>, first: bool, last: bool) -> Span {
        let element = self.element();
        let (start, end) = (element.start(), element.end);
        let source = self.parsed.source();
        // What stands behind a sign stays as far from what follows.
        let behind_sign = self.previous().is_some_and(|one| one.role == Role::Frame);
        let parent = self.siblings.parent;
        let column = |at: usize| at - lines.line_start(at);
        // `public:` stands less deep than what it is the head of.
        let is_label = |one: &Element<'_>| {
            one.node.is_in(Mark::Outdented, parent) && column(one.core.start()) < column(start)
        };
        let is_head = |one: &Element<'_>| one.role == Role::Head || is_label(one);
        let behind_head = self.previous().is_some_and(is_head);
        let above = lines.text_line_above(start);
        let below = lines.text_line_below(end);
        let line_end = lines.line_end(end);
        let with_what_follows =
            |below: usize| Span::new(lines.line_start(start), lines.line(below).start());
        let with_what_precedes = |above: usize| Span::new(lines.line(above).end(), line_end);
        match (above, below) {
            (None, None) => Span::new(lines.line_start(start), source.len()),
            (Some(above), None) => with_what_precedes(above),
            (None, Some(below)) => with_what_follows(below),
            (Some(above), Some(_)) if last && (!first || behind_sign) => with_what_precedes(above),
            (Some(_), Some(below)) if first => with_what_follows(below),
            (Some(above), Some(below)) => {
                let before = source.line_of(start) - above;
                let behind = below - source.line_of(end);
                // What follows is set off from the head of the body as far as this was.
                let of_head = behind_head && !last && behind > before;
                match behind >= before && !of_head {
                    true => with_what_precedes(above),
                    false => with_what_follows(below),
                }
            }
        }
    }

    /// The separator that the next member has before it, which is the first when this one is gone.
    fn lead_of_next(&self, notes: &mut Vec<EditNote>) -> Option<Replacement> {
        let list = self.siblings.list?;
        let next = self.next_without_lead()?;
        notes.push(EditNote::SeparatorRemoved {
            text: list.token().to_string(),
        });
        let start = next.lead?.start();
        Some(Replacement::deletion(Span::new(
            start,
            next.start_behind_lead(),
        )))
    }

    /// The next member, if it has a separator before it that a first member has not.
    fn next_without_lead(&self) -> Option<&Element<'p>> {
        let element = self.element();
        let is_first = self.siblings.members().next()?.core == element.core;
        let next = self.next().filter(|next| next.lead.is_some())?;
        (is_first && element.role == Role::Member && element.lead.is_none()).then_some(next)
    }

    /// The separator beside the element that goes, or that must come.
    fn separator(&self, notes: &mut Vec<EditNote>) -> Option<Replacement> {
        let list = self.siblings.list?;
        let element = self.element();
        if element.role != Role::Member {
            return None;
        }
        let (before, behind) = self.siblings.round_place(self.index);
        let mut others: Vec<&Element<'_>> = before.collect();
        others.reverse();
        others.extend(behind.skip(1));
        others.retain(|other| other.role == Role::Member);
        if let [other] = others.as_slice()
            && list.single
        {
            return other.separator.is_none().then(|| {
                let text = list.separator.clone();
                notes.push(EditNote::SeparatorAdded { text: text.clone() });
                Replacement {
                    span: Span::at(other.core.end()),
                    new_text: text,
                }
            });
        }
        let lines = Lines {
            source: self.parsed.source(),
            margin: &self.margin,
        };
        let is_before = |other: &Element<'_>| other.core.end() <= element.core.start();
        // What stands in a line of its own is set apart by that, where that may be.
        let is_apart =
            |other: &Element<'_>| list.or_lines && lines.breaks(element.end, other.start()) > 0;
        let is_last = others
            .iter()
            .all(|other| is_before(other) || is_apart(other));
        // A last member that needs no separator says nothing of the style on lines, nor does any
        // where none needs one.
        let says_nothing = list.optional || (list.trailing && element.node.is(Mark::Unseparated));
        if says_nothing && lines.starts_line(element.start()) {
            return None;
        }
        let is_beside =
            |other: &&&Element<'_>| !list.or_lines || lines.breaks(other.end, element.start()) == 0;
        let previous = others
            .iter()
            .rfind(|other| is_before(other))
            .filter(|_| is_last && element.separator.is_none())
            .filter(is_beside)?;
        let separator = previous.separator?;
        let blank = Span::new(previous.core.end(), separator.start());
        let joined = self
            .parsed
            .source()
            .slice(blank)
            .trim_matches([' ', '\t'])
            .is_empty();
        let start = if joined {
            blank.start()
        } else {
            separator.start()
        };
        notes.push(EditNote::SeparatorRemoved {
            text: list.token().to_string(),
        });
        Some(Replacement::deletion(Span::new(start, separator.end())))
    }
}
