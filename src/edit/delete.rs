//! Deletes a node, with its attached nodes.

use std::rc::Rc;

use crate::change::{EditNote, Replacement};
use crate::language::queries::{List, Mark};
use crate::parse::{Node, Parsed};
use crate::select::{Selection, trimmed_node};
use crate::source::Span;

use super::indent;
use super::layout::{Composed, Content};
use super::replace::kinds;
use super::siblings::{Element, KnownSiblings, Role, Siblings, first_word, whole};
use super::spacing::{Lines, is_continuation, without_continuations};

/// Deletes the selected node with its lines, its separator and its attached nodes; in a string or a comment only its
/// bytes.
pub(super) fn deletion<'p>(
    selection: &Selection<'p>,
    in_literal: bool,
    known: &KnownSiblings<'p>,
) -> Composed<'p> {
    let parsed = selection.parsed();
    let deletion = match in_literal {
        true => Deletion::alone(parsed, selection.chain()),
        false => Deletion::from_chain(parsed, selection.chain(), known),
    };
    let mut notes = Vec::new();
    let inside: Vec<String> = match deletion.node() == selection.node() {
        true => Vec::new(),
        false => {
            let attached = deletion.node().attached_inside().into_iter();
            attached.map(|(kind, _)| kind.to_string()).collect()
        }
    };
    if deletion.element().nodes > 1 {
        let text = parsed.source().slice(deletion.element().core).into_owned();
        notes.push(EditNote::WholeMember { text });
    } else if deletion.node().span() != selection.node().span() && inside.is_empty() {
        notes.push(EditNote::WholeOf {
            node_type: deletion.node().kind().to_string(),
        });
    }
    notes.extend(deletion.left_without_value().filter(|_| !in_literal));
    let element = deletion.element();
    let mut attached = kinds(&element.attached.iter().collect::<Vec<_>>());
    for kind in inside {
        if !attached.contains(&kind) {
            attached.push(kind);
        }
    }
    let has_comment = element.trailing_comment && element.role != Role::Comment;
    if has_comment && !attached.iter().any(|kind| kind == "comment") {
        attached.push("comment".to_string());
    }
    if !attached.is_empty() {
        notes.push(EditNote::AttachedAlong { kinds: attached });
    }
    let replacement = match in_literal {
        true => Replacement::deletion(element.core),
        false => deletion.with_blanks(),
    };
    let mut replacements = vec![replacement];
    if !in_literal {
        replacements.extend(deletion.separator(&mut notes));
        replacements.extend(deletion.lead_of_next(&mut notes));
    }
    Composed {
        replacements,
        content: Content {
            replacement: 0,
            start: 0,
            len: 0,
        },
        container: deletion.container.clone(),
        removed: vec![element.span()],
        with_kept: None,
        neighbours: Some(Span::new(
            deletion.previous().map_or(element.start(), Element::start),
            deletion.next().map_or(element.end, |next| next.end),
        )),
        notes,
    }
}

/// Returns the chain down to the outermost node that is deleted with the last of `chain`: one that contains nothing else,
/// and a list that cannot be empty.
pub(super) fn outermost<'p>(
    parsed: &'p Parsed,
    chain: &[Node<'p>],
    known: &KnownSiblings<'p>,
) -> Vec<Node<'p>> {
    let mut chain = whole(parsed, chain, |_, _| false);
    while let [.., parent, node] = chain[..] {
        let (siblings, index) = known.around(parsed, parent, node);
        let goes = siblings.list.is_some_and(|list| list.is_deleted_when_empty);
        let is_only = siblings.members().take(2).count() == 1;
        let element = &siblings.elements[index];
        // A body without brackets contains only the node and its docs.
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

/// The deleted node among its siblings.
struct Deletion<'p> {
    parsed: &'p Parsed,
    /// The nodes from the root down to its parent.
    container: Vec<Node<'p>>,
    siblings: Rc<Siblings<'p>>,
    index: usize,
    margin: String,
}

impl<'p> Deletion<'p> {
    /// Creates the deletion of the outermost node that contains only the last of `chain`.
    fn from_chain(
        parsed: &'p Parsed,
        chain: &[Node<'p>],
        known: &KnownSiblings<'p>,
    ) -> Deletion<'p> {
        let chain = outermost(parsed, chain, known);
        let (node, container) = chain.split_last().expect("a selection ends with its node");
        let parent = *container.last().expect("the root cannot be edited");
        let (mut siblings, index) = known.around(parsed, parent, *node);
        // Nodes attached to the first of several clauses belong to all of them.
        let element = &siblings.elements[index];
        let word = |element: &Element<'_>| first_word(parsed, element.core);
        let next = siblings.elements.get(index + 1);
        let is_about_next = next.is_some_and(|next| {
            next.role == Role::Member && next.attached.is_empty() && word(next) == word(element)
        });
        if is_about_next && element.attached.iter().any(|one| one.begins_same) {
            Rc::make_mut(&mut siblings).elements[index].attached.clear();
        }
        // A comment after several statements in a line is about the line.
        let shares_line = index.checked_sub(1).is_some_and(|previous| {
            let (previous, element) = (&siblings.elements[previous], &siblings.elements[index]);
            let line = |offset| parsed.source().line_of(offset);
            let is_statement = siblings
                .list
                .is_none_or(|list| list.optional || list.or_lines);
            let is_member = previous.role == Role::Member && element.role == Role::Member;
            is_statement && is_member && line(previous.end) == line(element.core.start())
        });
        if shares_line && siblings.elements[index].trailing_comment {
            let element = &mut Rc::make_mut(&mut siblings).elements[index];
            let separator = element.separator.map_or(0, Span::end);
            element.end = element.core.end().max(separator);
            element.trailing_comment = false;
        }
        Deletion {
            parsed,
            margin: indent::margin(parsed, container),
            container: container.to_vec(),
            siblings,
            index,
        }
    }

    /// Creates the deletion of the last node of `chain` alone.
    fn alone(parsed: &'p Parsed, chain: &[Node<'p>]) -> Deletion<'p> {
        let (node, container) = chain.split_last().expect("a selection ends with its node");
        let parent = *container.last().expect("the root cannot be edited");
        let siblings = Siblings::bare(parsed, parent);
        let index = siblings.position(*node);
        Deletion {
            parsed,
            margin: indent::margin(parsed, container),
            container: container.to_vec(),
            index: index.expect("a node is a child of its parent"),
            siblings: Rc::new(siblings),
        }
    }

    fn element(&self) -> &Element<'p> {
        &self.siblings.elements[self.index]
    }

    fn node(&self) -> Node<'p> {
        self.element().node
    }

    /// Returns the note that the sign before the node has no value any more, which has a meaning too.
    fn left_without_value(&self) -> Option<EditNote> {
        let parent = self.siblings.parent;
        let tables = parent
            .tables()
            .filter(|tables| tables.has_body(|body| body.column));
        let is_held = parent.body().is_some() || self.siblings.list.is_some();
        let after_sign = self.previous().is_some_and(|one| one.role == Role::Frame);
        let is_value = tables.is_some() && !is_held && after_sign && self.next().is_none();
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

    /// Returns the deletion with spaces and lines. A brace after the node moves up to the previous sibling.
    fn with_blanks(&self) -> Replacement {
        // In a body or a file each sibling keeps its own line.
        let parent = self.siblings.parent;
        let outer = self.container.iter().rev().nth(1);
        let is_root = outer.is_none_or(|outer| !outer.is_of_tree_of(parent));
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
                let between = Span::new(self.element().end, next.start());
                let is_below = self.parsed.source().slice(between).contains(['\n', '\r']);
                match is_below && previous.role == Role::Member {
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

    /// Returns the element with the spaces and lines that are deleted with it.
    fn span_with_blanks(&self) -> Span {
        let lines = Lines {
            source: self.parsed.source(),
            margin: &self.margin,
        };
        let element = self.element();
        let (start, end) = (element.start(), element.end);
        if let Some(next) = self.next_with_lead() {
            return Span::new(start, next.start());
        }
        let frame = |other: Option<&Element<'_>>| other.is_none_or(|one| one.role == Role::Frame);
        let (first, last) = (frame(self.previous()), frame(self.next()));
        let follows_bracket = self.previous().is_some_and(Element::opens);
        let is_word = |one: &Element<'_>| {
            !one.node.is_named() && one.node.kind().starts_with(char::is_alphabetic)
        };
        if let (Some(open), Some(close)) = (self.previous(), self.next())
            && follows_bracket
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
            return self.with_a_space(start, end);
        }
        self.within_line(&lines, first, last)
    }

    /// Returns the element with the spaces next to it in its line. `first` and `last` are whether no sibling precedes or
    /// follows it.
    fn within_line(&self, lines: &Lines<'_>, first: bool, last: bool) -> Span {
        let element = self.element();
        let (start, end) = (element.start(), element.end);
        let follows_bracket = self.previous().is_some_and(Element::opens);
        // The sign between it and the previous statement in its line is deleted.
        let end_of = |previous: &Element<'_>| match self.siblings.parent.is_indented()
            && !previous.trailing_comment
        {
            true => previous.core.end(),
            false => previous.end,
        };
        // Some grammars have no node for plain text, which separates siblings.
        let blank = |from: usize, to: usize| {
            let text = self.parsed.source().slice(Span::new(from.min(to), to));
            without_continuations(&text).trim().is_empty()
        };
        let previous = self.previous().filter(|one| blank(one.end, start));
        let next = self.next().filter(|one| blank(end, one.start()));
        match (previous, next) {
            (None, None) => self.with_a_space(start, end),
            // The next sibling follows the marker of the list item.
            (Some(previous), Some(next))
                if previous.role == Role::Head && !lines.starts_line(start) =>
            {
                Span::new(start, next.start())
            }
            (None, Some(next)) => Span::new(start, next.start()),
            (Some(previous), None) => Span::new(end_of(previous), end),
            // The next sibling moves up to the word that begins a list: `var a,\n    b`.
            (Some(_), Some(next))
                if first
                    && !follows_bracket
                    && self.siblings.list.is_some()
                    && next.attached.is_empty() =>
            {
                Span::new(start, next.start())
            }
            (Some(previous), Some(_)) if last && !first => Span::new(end_of(previous), end),
            (Some(previous), Some(_))
                if !follows_bracket && !lines.starts_line(start) && lines.ends_line(end) =>
            {
                Span::new(end_of(previous), end)
            }
            // Of the spaces before and after it the wider ones stay.
            (Some(previous), Some(_)) if !first && previous.end == start => Span::new(start, end),
            (Some(_), Some(next)) => Span::new(start, next.start()),
        }
    }

    /// Returns a part of running text with one of the two spaces next to it; none stays before a comma.
    fn with_a_space(&self, start: usize, end: usize) -> Span {
        let source = self.parsed.source();
        let is_blank = |c: char| matches!(c, ' ' | '\t');
        let before = source.slice(Span::new(0, start)).ends_with(is_blank);
        let rest = source.slice(Span::new(end, source.len()));
        let needs_no_space =
            |c: char| c.is_whitespace() || matches!(c, ',' | '.' | ';' | ':' | '!' | '?' | ')');
        let ends = rest.is_empty() || rest.starts_with(needs_no_space);
        let lines = Lines {
            source,
            margin: &self.margin,
        };
        let begins = lines.starts_line(start) || self.previous().is_some_and(Element::opens);
        let leads = begins && !before && rest.starts_with(is_blank);
        Span::new(
            start - usize::from(before && ends && !leads),
            end + usize::from(leads),
        )
    }

    /// Returns all lines of the element with the blank lines before or after it, whichever are fewer.
    fn whole_lines(&self, lines: &Lines<'_>, first: bool, last: bool) -> Span {
        let element = self.element();
        let (start, end) = (element.start(), element.end);
        let source = self.parsed.source();
        // A sign before it keeps its distance to what follows.
        let follows_sign = self.previous().is_some_and(|one| one.role == Role::Frame);
        let parent = self.siblings.parent;
        let column = |at: usize| at - lines.line_start(at);
        // `public:` is less deep than the members it is a heading of.
        let is_label = |one: &Element<'_>| {
            one.node.is_in(Mark::Outdented, parent) && column(one.core.start()) < column(start)
        };
        let follows_label = self.previous().is_some_and(is_label);
        let above = lines.text_line_above(start);
        let below = lines.text_line_below(end);
        let line_end = lines.line_end(end);
        let with_lines_after =
            |below: usize| Span::new(lines.line_start(start), lines.line(below).start());
        let with_lines_before = |above: usize| Span::new(lines.line(above).end(), line_end);
        match (above, below) {
            (_, Some(below)) if lines.begins_page(start) => with_lines_after(below),
            (_, None) if lines.begins_page(start) => Span::new(lines.line_start(start), line_end),
            (None, None) => Span::new(lines.line_start(start), source.len()),
            (Some(above), None) => with_lines_before(above),
            (None, Some(below)) => with_lines_after(below),
            (Some(above), Some(_)) if last && (!first || follows_sign) => with_lines_before(above),
            (Some(_), Some(below)) if first => with_lines_after(below),
            (Some(above), Some(below)) => {
                let before = source.line_of(start) - above;
                let after = below - source.line_of(end);
                // The next sibling keeps the distance from its label.
                let is_below_label = follows_label && !last && after > before;
                let with_before = with_lines_before(above).start()..lines.line_start(start);
                let with_after = line_end..with_lines_after(below).end();
                // Of as many blank lines on both sides, those stay that hold whitespace.
                let is_fewer = (before, with_before.len()) <= (after, with_after.len());
                match is_fewer && !is_below_label {
                    true => with_lines_before(above),
                    false => with_lines_after(below),
                }
            }
        }
    }

    /// Returns the deletion of the next member's leading separator, if that member becomes the first.
    fn lead_of_next(&self, notes: &mut Vec<EditNote>) -> Option<Replacement> {
        let list = self.siblings.list?;
        let next = self.next_with_lead()?;
        notes.push(EditNote::SeparatorRemoved {
            text: list.token().to_string(),
        });
        let start = next.lead?.start();
        Some(Replacement::deletion(Span::new(
            start,
            next.start_after_lead(),
        )))
    }

    /// Returns the next member if it has a leading separator that a first member does not have.
    fn next_with_lead(&self) -> Option<&Element<'p>> {
        let element = self.element();
        let is_first = self.siblings.members().next()?.core == element.core;
        let next = self.next().filter(|next| next.lead.is_some())?;
        (is_first && element.role == Role::Member && element.lead.is_none()).then_some(next)
    }

    /// Returns the change to a separator of another member: it is deleted, or a single member gets one.
    fn separator(&self, notes: &mut Vec<EditNote>) -> Option<Replacement> {
        let list = self.siblings.list?;
        let element = self.element();
        if element.role != Role::Member {
            return None;
        }
        let (before, from_here) = self.siblings.split_at(self.index);
        let mut others: Vec<&Element<'_>> = before.collect();
        others.reverse();
        others.extend(from_here.skip(1));
        others.retain(|other| other.role == Role::Member);
        if let [_] = others.as_slice()
            && list.is_no_list_of_one
        {
            notes.push(EditNote::OneMemberLeft {
                node_type: self.siblings.parent.kind().to_string(),
            });
        }
        if let [other] = others.as_slice()
            && list.single
        {
            return separator_of_single(list, other, notes);
        }
        let lines = Lines {
            source: self.parsed.source(),
            margin: &self.margin,
        };
        let is_before = |other: &Element<'_>| other.core.end() <= element.core.start();
        // In some lists a line break separates members too.
        let is_apart =
            |other: &Element<'_>| list.or_lines && lines.breaks(element.end, other.start()) > 0;
        let is_last = others
            .iter()
            .all(|other| is_before(other) || is_apart(other));
        // A last member that needs no separator does not show the style of the list, nor does any member if separators are
        // optional.
        let shows_nothing = list.optional || (list.trailing && element.node.is(Mark::Unseparated));
        if shows_nothing && lines.starts_line(element.start()) {
            return None;
        }
        let is_in_line =
            |other: &&&Element<'_>| !list.or_lines || lines.breaks(other.end, element.start()) == 0;
        let previous = others
            .iter()
            .rfind(|other| is_before(other))
            .filter(|_| is_last && element.separator.is_none())
            .filter(is_in_line)?;
        let separator = previous.separator?;
        let blank = Span::new(previous.core.end(), separator.start());
        let text = self.parsed.source().slice(blank);
        let is_blank = text.trim_matches([' ', '\t']).is_empty();
        let start = if is_blank { blank } else { separator }.start();
        notes.push(EditNote::SeparatorRemoved {
            text: list.token().to_string(),
        });
        Some(Replacement::deletion(Span::new(start, separator.end())))
    }
}

/// Returns the separator that a member needs because it is the only one left.
fn separator_of_single(
    list: &List,
    member: &Element<'_>,
    notes: &mut Vec<EditNote>,
) -> Option<Replacement> {
    if member.separator.is_some() {
        return None;
    }
    let text = list.separator.clone();
    notes.push(EditNote::SeparatorAdded { text: text.clone() });
    Some(Replacement {
        span: Span::at(member.core.end()),
        new_text: text,
    })
}
