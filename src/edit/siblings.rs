//! The children of one node as a person sees them: members, each with what is attached to it and
//! the separator behind it.

use super::file_comments::{self, is_licence};
use crate::language::queries::{AttachedTo, List, Mark, Members};
use crate::parse::{Node, Parsed};
use crate::select::trimmed_node;
use crate::source::Span;

/// The children of a node in file order, and what kind of list it is, if it is one.
#[derive(Debug)]
pub(crate) struct Siblings<'p> {
    pub(crate) parent: Node<'p>,
    pub(crate) list: Option<&'static List>,
    /// What the children are to the list.
    members: Option<Members>,
    pub(crate) elements: Vec<Element<'p>>,
    /// Whether there is text between the children that is no node: running text.
    pub(crate) is_running_text: bool,
    /// Whether words are among the children.
    pub(crate) has_words: bool,
}

/// A child with what belongs to it.
#[derive(Clone, Debug)]
pub(crate) struct Element<'p> {
    pub(crate) node: Node<'p>,
    pub(crate) role: Role,
    /// What stands before it and belongs to it, in file order.
    pub(crate) attached: Vec<Attached>,
    /// The separator before it, if that is its own: one that begins its line.
    pub(crate) lead: Option<Span>,
    /// The bytes of the member alone, white space and separator at its end left aside.
    pub(crate) core: Span,
    /// How many children it is made of, attached ones left aside.
    pub(crate) nodes: usize,
    /// The separator behind it, its own or the list's.
    pub(crate) separator: Option<Span>,
    /// The end with separator and trailing comment.
    pub(crate) end: usize,
    /// Whether a comment behind it reaches to the end of its line.
    pub(crate) trailing_comment: bool,
}

/// Something that stands before a member and belongs to it.
#[derive(Clone, Debug)]
pub(crate) struct Attached {
    /// `doc`, `attribute`, ...: the word of `attached.scm`, or `comment`.
    pub(crate) kind: String,
    /// Whether a blank line behind it parts it from what follows.
    pub(crate) is_loose: bool,
    /// Whether it belongs to what it touches before it, if a blank line or the end follows.
    pub(crate) stands_either: bool,
    /// Whether it is a declaration of its own, which belongs to what begins with the same word.
    pub(crate) begins_same: bool,
    /// Whether a blank line behind it parts it from what follows, where more of its kind do.
    pub(crate) is_of_last_group: bool,
    pub(crate) span: Span,
}

/// What an element is to its parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// One of those that may be added or taken away.
    Member,
    /// A comment that belongs to no member.
    Comment,
    /// What stays first in the parent: inner attributes, a heading in its section.
    Head,
    /// A bracket, a keyword, another sign, or what stands before the opening bracket.
    Frame,
}

impl<'p> Element<'p> {
    fn alone(node: Node<'p>, core: Span, role: Role) -> Element<'p> {
        Element {
            node,
            role,
            attached: Vec::new(),
            lead: None,
            core,
            nodes: 1,
            separator: None,
            end: core.end(),
            trailing_comment: false,
        }
    }

    /// Where it begins, with what is attached to it.
    pub(crate) fn start(&self) -> usize {
        let first = self.attached.first().map(|first| first.span);
        let starts = [first, self.lead].into_iter().flatten();
        let starts = starts.map(|span| span.start());
        starts.fold(self.core.start(), usize::min)
    }

    /// Where it begins behind the separator that is its own.
    pub(crate) fn start_behind_lead(&self) -> usize {
        let lead = self.lead.map_or(0, |lead| lead.end());
        let behind = self.attached.iter().map(|one| one.span.start());
        let mut behind = behind.filter(|start| *start >= lead);
        behind.next().unwrap_or(self.core.start())
    }

    /// The whole of it.
    pub(crate) fn span(&self) -> Span {
        Span::new(self.start(), self.end)
    }

    /// Whether it is an opening bracket.
    pub(crate) fn opens(&self) -> bool {
        let is_bracket = matches!(self.node.kind(), "(" | "[" | "{" | "<" | "|");
        self.role == Role::Frame && (is_bracket || self.node.is(Mark::Frame))
    }

    /// Whether it is a part of what its parent holds, not of its frame.
    pub(crate) fn is_inside(&self) -> bool {
        matches!(self.role, Role::Member | Role::Comment)
    }
}

impl<'p> Siblings<'p> {
    /// The children of `parent`.
    pub(crate) fn of(parsed: &'p Parsed, parent: Node<'p>) -> Siblings<'p> {
        Siblings::within(parsed, parent, parent.span())
    }

    /// Those of the children of `parent` that `span` touches, and what they are attached to.
    pub(crate) fn within(parsed: &'p Parsed, parent: Node<'p>, span: Span) -> Siblings<'p> {
        let near = children_near(parsed, parent, span);
        let children = near.unwrap_or_else(|| parsed.children(parent));
        Siblings::among(parsed, parent, span, children)
    }

    /// As [`Siblings::within`], with the children of `parent`, or those of them that are needed for it.
    fn among(
        parsed: &'p Parsed,
        parent: Node<'p>,
        span: Span,
        mut children: Vec<Node<'p>>,
    ) -> Siblings<'p> {
        let list = parent.list();
        children.retain(|child| says_something(parsed, *child));
        let members = list.map(|list| match list.members {
            // A comma between `<` and `>` or in a closure parts no members.
            Members::Runs if children.iter().any(|child| is_angle(*child)) => Members::Alone,
            members => members,
        });
        let mut reader = Reader {
            parsed,
            parent,
            list,
            members,
            in_indented: parent.is_indented(),
            opened: false,
            elements: Vec::new(),
            waiting: Vec::new(),
            lead: None,
            docs_behind: None,
        };
        let is_running_text = has_loose_text(parsed, parent);
        let last = children.len().saturating_sub(1);
        let after = parent.body().and_then(|body| body.after.as_deref());
        let is_separator = |child: Node<'_>| list.is_some_and(|list| list.token() == child.sign());
        let opens = |child: &Node<'_>| match after {
            Some(sign) => child.kind() == sign,
            None => is_opening(*child, list.is_some()) && !is_separator(*child),
        };
        let bracket = match after {
            // A case may have several labels.
            Some(_) => children.iter().rposition(opens),
            None => children.iter().position(opens),
        };
        // In running text a bracket is but a sign.
        let bracket = bracket.filter(|_| !is_running_text);
        let opening = bracket.or_else(|| {
            // A word before the members; what parts them is none.
            let parts = |child: &Node<'_>| list.is_some_and(|list| list.separates(&child.sign()));
            let mut numbered = children.iter().enumerate();
            let opens = |child: &Node<'_>| !child.is_named() && !parts(child);
            let first = numbered.find(|(index, child)| opens(child) && *index < last);
            first.map(|(index, _)| index).filter(|_| list.is_some())
        });
        let is_before = |child: &Node<'_>| child.span().end() < span.start();
        let is_behind = |child: &Node<'_>| child.span().start() > span.end();
        let bears = |child: &&Node<'_>| {
            is_behind(child) && child.attached().is_none() && !child.is_word("comment", None)
        };
        let first = children.partition_point(is_before);
        let bearer = children.iter().position(|child| bears(&child));
        let end = bearer.map_or(children.len(), |bearer| bearer + 1);
        let numbered = children.iter().enumerate();
        for (index, child) in numbered.take(end).skip(first) {
            let ends = bracket.is_some() || child.kind() == ";";
            let closes = ends && index == last && !child.is_named();
            let is_frame = child.is_frame_in(parent);
            reader.opened = opening.is_none_or(|opening| index > opening) && !closes && !is_frame;
            reader.read_hidden(child.span().start());
            reader.read(*child);
        }
        let next = children.get(end).map(|child| child.span().start());
        reader.read_hidden(next.unwrap_or(parent.span().end()));
        reader.let_go();
        reader.reach_out();
        Siblings {
            parent,
            list,
            members,
            elements: reader.elements,
            is_running_text,
            has_words: children.iter().any(|child| child.is(Mark::Words)),
        }
    }

    /// The children of `parent`, and which of them `node` is; each for itself where it is none that
    /// things belong to.
    pub(crate) fn round(
        parsed: &'p Parsed,
        parent: Node<'p>,
        node: Node<'p>,
    ) -> (Siblings<'p>, usize) {
        let siblings = Siblings::of(parsed, parent);
        let alone = siblings.members == Some(Members::Alone);
        let known = siblings
            .position(node)
            .filter(|&index| !alone || siblings.elements[index].nodes == 1);
        match known {
            Some(index) => (siblings, index),
            None => {
                let bare = Siblings::bare(parsed, parent);
                let index = bare.position(node);
                (bare, index.expect("a node is a child of its parent"))
            }
        }
    }

    /// The children of `parent` as they are, each for itself.
    pub(crate) fn bare(parsed: &'p Parsed, parent: Node<'p>) -> Siblings<'p> {
        let children = parsed.children(parent).into_iter();
        let elements = children.map(|node| {
            let core = trimmed_node(parsed, node);
            let role = if node.is_named() {
                Role::Member
            } else {
                Role::Frame
            };
            Element::alone(node, core, role)
        });
        Siblings {
            parent,
            list: None,
            members: None,
            elements: elements.collect(),
            is_running_text: has_loose_text(parsed, parent),
            has_words: false,
        }
    }

    /// What stands between two members: where the list has a choice, what the first one has.
    pub(crate) fn separator(&self, parsed: &Parsed) -> Option<String> {
        let list = self.list?;
        let first = self.members().find_map(|member| member.separator);
        let blanks = &list.separator[..list.separator.len() - list.token().len()];
        Some(match first.filter(|_| list.has_choice()) {
            Some(separator) => format!("{blanks}{}", parsed.source().slice(separator)),
            None => list.separator.clone(),
        })
    }

    /// Whether white space between the children says something.
    pub(crate) fn is_prose(&self) -> bool {
        self.parent.body().is_some_and(|body| body.prose)
    }

    /// The members in file order.
    pub(crate) fn members(&self) -> impl Iterator<Item = &Element<'p>> {
        let is_member = |element: &&Element<'_>| element.role == Role::Member;
        self.elements.iter().filter(is_member)
    }

    /// The elements round `place` up to a sign of the parent's own on each side: those before it,
    /// nearest first, and those from it on.
    pub(crate) fn round_place(
        &self,
        place: usize,
    ) -> (
        impl Iterator<Item = &Element<'p>>,
        impl Iterator<Item = &Element<'p>>,
    ) {
        let (before, behind) = self.elements.split_at(place.min(self.elements.len()));
        let is_inside = |element: &&Element<'_>| element.role != Role::Frame;
        (
            before.iter().rev().take_while(is_inside),
            behind.iter().take_while(is_inside),
        )
    }

    /// The index of the closing bracket.
    pub(crate) fn closing(&self) -> Option<usize> {
        let last = self.elements.len().checked_sub(1)?;
        if self.is_running_text {
            return None;
        }
        let after = self.parent.body().and_then(|body| body.after.as_deref());
        // What a word opens a word closes.
        let ends =
            |node: Node<'_>| after.is_some_and(|sign| !node.is_named() && node.kind() != sign);
        let closes = |element: &Element<'_>| {
            element.role == Role::Frame
                && (matches!(element.node.kind(), ")" | "]" | "}" | ">" | "/>" | "|")
                    || element.node.is(Mark::Frame)
                    || ends(element.node))
        };
        closes(&self.elements[last]).then_some(last)
    }

    /// The element behind which `node`, a comment, stands in its line.
    pub(crate) fn trailed_by(&self, node: Node<'_>) -> Option<usize> {
        let span = node.span();
        self.elements.iter().position(|element| {
            let behind = Span::new(element.core.end(), element.end);
            element.trailing_comment && element.node != node && behind.contains(span)
        })
    }

    /// The element that `node` is attached to.
    pub(crate) fn bearer_of(&self, node: Node<'_>) -> Option<usize> {
        let span = node.span();
        self.elements.iter().position(|element| {
            let mut attached = element.attached.iter();
            attached.any(|one| one.span.contains(span))
        })
    }

    /// The element whose node, or run of nodes, `node` is.
    pub(crate) fn position(&self, node: Node<'_>) -> Option<usize> {
        let span = node.span();
        self.elements
            .iter()
            .position(|element| element.node == node || element.core.contains(span))
    }
}

/// Reads the children one after another.
struct Reader<'a, 'p> {
    parsed: &'a Parsed,
    parent: Node<'p>,
    list: Option<&'static List>,
    members: Option<Members>,
    /// Whether the parent is a body that its indentation alone bounds.
    in_indented: bool,
    /// Whether the child stands between the brackets of the parent.
    opened: bool,
    elements: Vec<Element<'p>>,
    /// What may be attached to the next child.
    waiting: Vec<(Attached, Node<'p>)>,
    /// The separator that belongs to the next member.
    lead: Option<Span>,
    /// The docs behind the last member that the last child was: comments may go on with them.
    docs_behind: Option<Span>,
}

impl<'p> Reader<'_, 'p> {
    /// The separator behind the last member that the grammar gives no node (the `;` of R), before the
    /// next child, which begins at `until`.
    fn read_hidden(&mut self, until: usize) {
        let Some((list, last)) = self.list.zip(self.elements.last_mut()) else {
            return;
        };
        let lacks =
            last.role == Role::Member && last.separator.is_none() && self.waiting.is_empty();
        if !lacks || last.end >= until {
            return;
        }
        let between = self.parsed.source().slice(Span::new(last.end, until));
        let sign = between.trim_start_matches([' ', '\t']);
        if list.strip_start(sign).is_some() {
            let start = last.end + (between.len() - sign.len());
            let separator = Span::new(start, start + list.token().len());
            last.separator = Some(separator);
            last.end = separator.end();
        }
    }

    fn read(&mut self, child: Node<'p>) {
        let span = trimmed_node(self.parsed, child);
        if child.is(Mark::Tail)
            && self.waiting.is_empty()
            && let Some(last) = self.elements.last_mut()
        {
            last.end = span.end();
            return;
        }
        let kind = child.attached_kind();
        let is_touching = kind.is_some_and(|kind| kind.is_touching);
        let is_comment = child.is_word("comment", None);
        let is_head = child.is_in(Mark::Head, self.parent);
        let docs = self.docs_behind.take();
        let stands_behind = kind.is_some_and(|kind| kind.attached_to == AttachedTo::Preceding)
            || docs.is_some_and(|docs| is_comment && self.column(docs) == self.column(span));
        let comments_only = self.waiting.iter().all(|(one, _)| one.is_loose);
        let apart = self
            .waiting
            .last()
            .is_some_and(|(last, _)| self.lines_between(last.span.end(), span.start()) > 1);
        if comments_only && apart {
            self.let_go();
        }
        let leads = self.elements.iter().all(|element| !element.is_inside());
        if stands_behind && self.touches(span) {
            let last = self.elements.last_mut().expect("it touches an element");
            last.end = span.end();
            last.trailing_comment = true;
            self.docs_behind = Some(span);
        } else if leads && (is_head || (is_comment && self.names_interpreter(span))) {
            self.push(child, span, Role::Head);
        } else if (is_touching || kind.is_none() && is_comment) && self.is_trailing(span) {
            let last = self.elements.last_mut().expect("it trails an element");
            last.end = span.end();
            last.trailing_comment = true;
        } else if kind.is_some() || is_comment {
            let attached = Attached {
                kind: kind.map_or("comment", |kind| kind.kind).to_string(),
                is_loose: is_touching || kind.is_none(),
                stands_either: kind.is_some_and(|kind| kind.attached_to == AttachedTo::Either),
                begins_same: kind.is_some_and(|kind| kind.begins_same),
                is_of_last_group: kind.is_some_and(|kind| kind.is_of_last_group),
                span,
            };
            self.waiting.push((attached, child));
            if kind.is_some_and(|kind| kind.is_of_last_group) {
                self.let_go_first(self.count_of_earlier_groups());
            }
        } else if self.ends_statement(child) {
            let last = self.elements.last_mut().expect("it ends an element");
            last.end = span.end();
        } else if self.leads(child) {
            self.lead = Some(span);
        } else if self.separates(child) {
            self.waiting.clear();
            let last = self.elements.last_mut().expect("it separates an element");
            last.separator = Some(span);
            last.end = span.end();
        } else if self.terminates(child) {
            self.waiting.clear();
            let last = self.elements.last_mut().expect("it ends an element");
            last.end = span.end();
        } else if self.opened && self.goes_on() && self.is_member(child) {
            let last = self
                .elements
                .last_mut()
                .expect("it goes on with an element");
            last.core = Span::new(last.core.start(), span.end());
            last.end = span.end();
            last.nodes += 1;
        } else if self.opened && self.is_member(child) {
            self.push(child, span, Role::Member);
        } else {
            self.leave_deeper(span);
            self.let_go();
            self.push(child, span, Role::Frame);
        }
    }

    /// Comments that stand deeper than the last element and what comes next are about what is at the
    /// end of the last one: of a case that no bracket closes.
    fn leave_deeper(&mut self, next: Span) {
        let is_deeper = |comment: Span, other: Span| {
            let (own, other) = (self.indentation(comment), self.indentation(other));
            own.zip(other)
                .is_some_and(|(own, other)| own.len() > other.len() && own.starts_with(&*other))
        };
        let Some(last) = self.elements.last().map(|last| last.core) else {
            return;
        };
        let deeper = self.waiting.iter().take_while(|(one, _)| {
            one.is_loose && is_deeper(one.span, last) && is_deeper(one.span, next)
        });
        let count = deeper.count();
        let left = self.waiting.drain(..count).next_back();
        if let (Some((one, _)), Some(last)) = (left, self.elements.last_mut()) {
            last.end = one.span.end();
            last.trailing_comment = true;
        }
    }

    /// The white space before what begins its line.
    fn indentation(&self, span: Span) -> Option<std::borrow::Cow<'_, str>> {
        let source = self.parsed.source();
        let line = source.line_span(source.line_of(span.start()))?;
        let before = source.slice(Span::new(line.start(), span.start()));
        before.trim().is_empty().then_some(before)
    }

    fn push(&mut self, node: Node<'p>, span: Span, role: Role) {
        if self
            .elements
            .last()
            .is_some_and(|last| last.role == Role::Member)
        {
            self.leave_deeper(span);
        }
        self.let_go_first(self.count_of_file(span));
        let differs = |(one, _): &(Attached, Node<'_>)| {
            one.begins_same && first_word(self.parsed, one.span) != first_word(self.parsed, span)
        };
        if let Some(index) = self.waiting.iter().rposition(differs) {
            self.let_go_first(index + 1);
        }
        let attached = self.waiting.drain(..).map(|(one, _)| one).collect();
        let own = self.list.filter(|_| role == Role::Member).and_then(|list| {
            let last = node.last_child()?;
            let ends = list.separates(last.kind()) && last.span().end() == span.end();
            ends.then(|| last.span())
        });
        let core = own.map_or(span, |own| {
            let without = Span::new(span.start(), own.start());
            let text = self.parsed.source().slice(without);
            Span::new(span.start(), span.start() + text.trim_end().len())
        });
        let lead = self.lead.take().filter(|_| role == Role::Member);
        self.elements.push(Element {
            attached,
            lead,
            separator: own,
            end: span.end(),
            ..Element::alone(node, core, role)
        });
    }

    /// The first `count` of what waits belong to nothing that follows.
    fn let_go_first(&mut self, count: usize) {
        if count == 0 {
            return;
        }
        let own = self.waiting.split_off(count);
        self.let_go();
        self.waiting = own;
    }

    /// How many of those that wait stand before the last blank line among them, where all of these are comments.
    fn count_of_earlier_groups(&self) -> usize {
        let pairs = self.waiting.iter().zip(self.waiting.iter().skip(1));
        let apart = |(one, next): (&(Attached, _), &(Attached, _))| {
            self.lines_between(one.0.span.end(), next.0.span.start()) > 1
        };
        let count = pairs
            .map(apart)
            .rposition(|apart| apart)
            .map_or(0, |last| last + 1);
        let are_comments = self.waiting[..count]
            .iter()
            .all(|(one, _)| one.is_loose || one.is_of_last_group);
        if are_comments { count } else { 0 }
    }

    /// What waits belongs to nothing that follows.
    fn let_go(&mut self) {
        while let Some((one, _)) = self.waiting.first()
            && one.stands_either
            && self.lead.is_none()
            && self.is_right_below(one.span)
        {
            let (one, _) = self.waiting.remove(0);
            let last = self.elements.last_mut().expect("it touches an element");
            last.end = one.span.end();
            last.trailing_comment = true;
        }
        if let Some((declaration, _)) = self.waiting.iter().find(|(one, _)| one.begins_same) {
            self.let_go_first(self.count_of_file(declaration.span));
        }
        let mut waiting = std::mem::take(&mut self.waiting);
        // A declaration keeps what stands before it.
        while let Some(index) = waiting.iter().position(|(one, _)| one.begins_same) {
            let (own, node) = waiting.remove(index);
            let attached = waiting.drain(..index).map(|(one, _)| one).collect();
            self.elements.push(Element {
                attached,
                ..Element::alone(node, own.span, Role::Member)
            });
        }
        for (one, node) in waiting {
            let role = match one.is_loose || one.is_of_last_group {
                true => Role::Comment,
                false => Role::Member,
            };
            let one_line = self.lines_between(one.span.start(), one.span.end()) == 0;
            self.elements.push(Element {
                trailing_comment: one_line && self.ends_line(one.span.end()),
                ..Element::alone(node, one.span, role)
            });
        }
    }

    /// How many of the comments that wait before `next` open the file and are about the file: its licence.
    fn count_of_file(&self, next: Span) -> usize {
        if !self.opens_file() {
            return 0;
        }
        let source = self.parsed.source();
        let behind = self.waiting.iter().skip(1).map(|(one, _)| one.span);
        let opening = self.waiting.iter().zip(behind.chain([next]));
        let opening = opening.take_while(|((one, _), behind)| {
            let is_apart = self.lines_between(one.span.end(), behind.start()) > 1;
            !one.begins_same && (one.is_loose || one.is_of_last_group && is_apart)
        });
        let opening: Vec<_> = opening.map(|(one, _)| one).collect();
        let text = |one: &Attached| source.slice(one.span);
        match opening.iter().any(|(one, _)| is_licence(&text(one))) {
            true => opening.len(),
            false => {
                let last = opening.iter().rposition(|(one, node)| {
                    node.is(Mark::AboutFile) || file_comments::is_about_file(&text(one))
                });
                last.map_or(0, |last| last + 1)
            }
        }
    }

    /// Whether only comments and what may precede them (`<?php`, `#pragma once`) come before what waits, in
    /// the file or in an include guard that encloses all of it.
    fn opens_file(&self) -> bool {
        let is_member = |one: &Element<'_>| one.role == Role::Member && !may_open_file(one.node);
        let first = self.waiting.first().map(|(first, _)| first.span.start());
        let Some(first) = first.filter(|_| !self.elements.iter().any(is_member)) else {
            return false;
        };
        let mut above = self.parsed.chain(self.parent.span());
        let own = above.iter().position(|node| *node == self.parent);
        above.truncate(own.map_or(0, |own| own + 1));
        let starts = above.iter().skip(1).map(|inner| inner.span().start());
        above.last() == Some(&self.parent)
            && above
                .iter()
                .zip(starts.chain([first]))
                .all(|(outer, start)| is_opening_until(self.parsed, *outer, start))
    }

    /// Whether the comment is the line `#!/bin/sh` that begins a script: it stays first.
    fn names_interpreter(&self, comment: Span) -> bool {
        comment.start() == 0 && self.parsed.source().slice(comment).starts_with("#!")
    }

    /// The comments of the last member that the grammar puts behind the parent, where nothing closes that:
    /// one in its line, and docs below it that stand deeper.
    fn reach_out(&mut self) {
        let tables = self.parent.tables();
        if !tables.is_some_and(|tables| tables.has_following_docs()) {
            return;
        }
        let whole = trimmed_node(self.parsed, self.parent);
        let Some(last) = self.elements.last().filter(|last| {
            let begins_line = self
                .indentation(Span::new(last.start(), last.end))
                .is_some();
            last.role == Role::Member && last.end >= whole.end() && begins_line
        }) else {
            return;
        };
        let column = self.column(Span::new(last.start(), last.end));
        let (first, mut end) = (last.end, last.end);
        let mut docs = None;
        while let Some((comment, is_docs)) = self.comment_behind(end, column, docs) {
            end = comment.end();
            docs = is_docs.then(|| self.column(comment));
        }
        if let Some(last) = self.elements.last_mut().filter(|_| end > first) {
            last.end = end;
            last.trailing_comment = true;
        }
    }

    /// A comment behind `end` that ends its line, and whether it is docs: in the same line; or in the next,
    /// docs of what stands before them, deeper than `column`, or a line in the column of such, `docs`.
    fn comment_behind(
        &self,
        end: usize,
        column: usize,
        docs: Option<usize>,
    ) -> Option<(Span, bool)> {
        let text = &self.parsed.source().text()[end..];
        let blank = |c: char| matches!(c, ' ' | '\t');
        let bare = text.trim_start_matches(blank);
        let below = bare.strip_prefix("\r\n").or(bare.strip_prefix('\n'));
        let bare = below.map_or(bare, |below| below.trim_start_matches(blank));
        let start = end + (text.len() - bare.len());
        if bare.is_empty() || bare.starts_with(['\r', '\n']) {
            return None;
        }
        let node = *self.parsed.chain(Span::new(start, start + 1)).last()?;
        let span = trimmed_node(self.parsed, node);
        let is_comment = node.is_word("comment", None) && span.start() == start;
        let kind = node.attached_kind();
        let own_column = self.column(span);
        let is_docs = match kind.map(|kind| kind.attached_to) {
            None => docs == Some(own_column),
            Some(AttachedTo::Following) => false,
            Some(AttachedTo::Preceding) => own_column >= column,
            Some(AttachedTo::Either) => own_column > column,
        };
        let is_own = below.is_none() || is_docs;
        let stands_behind = kind.is_some_and(|kind| kind.attached_to != AttachedTo::Following);
        let is_found = is_comment && is_own && self.ends_line(span.end());
        is_found.then_some((span, is_docs || stands_behind))
    }

    /// Whether the comment stands behind an element in its line, with nothing more behind it.
    fn is_trailing(&self, comment: Span) -> bool {
        let Some(last) = self.elements.last().filter(|_| self.waiting.is_empty()) else {
            return false;
        };
        let behind = comment.end();
        let mut rest = self.parsed.source().chars_behind(behind);
        let next = rest.find(|c| !matches!(c, ' ' | '\t'));
        let closes = next.is_some_and(|next| matches!(next, ')' | ']' | '}' | '>' | ','));
        self.lines_between(last.end, comment.start()) == 0 && (self.ends_line(behind) || closes)
    }

    /// Whether docs that follow what they belong to stand right below the last member, or below its docs.
    fn touches(&self, docs: Span) -> bool {
        self.waiting.is_empty() && self.lead.is_none() && self.is_right_below(docs)
    }

    /// How far from the start of its line it begins.
    fn column(&self, span: Span) -> usize {
        let source = self.parsed.source();
        let line = source.line_span(source.line_of(span.start()));
        line.map_or(0, |line| span.start() - line.start())
    }

    /// Whether it begins in the line below the last member.
    fn is_right_below(&self, docs: Span) -> bool {
        self.elements.last().is_some_and(|last| {
            last.role == Role::Member
                && self.lines_between(last.end, docs.start()) <= 1
                && self.ends_line(docs.end())
        })
    }

    /// Whether the child is a separator that belongs to the member behind it.
    fn leads(&self, child: Node<'_>) -> bool {
        let Some(list) = self.list.filter(|list| list.leads && self.lead.is_none()) else {
            return false;
        };
        let last = self.elements.last();
        let is_first = last.is_none_or(|last| last.role != Role::Member);
        let begins_line = || self.indentation(child.span()).is_some();
        child.is_sign()
            && self.opened
            && list.separates(&child.sign())
            && (is_first || begins_line())
    }

    /// Whether the child is the sign that parts statements in one line.
    fn ends_statement(&self, child: Node<'_>) -> bool {
        let behind = self.elements.last().filter(|_| self.waiting.is_empty());
        self.in_indented && child.kind() == ";" && behind.is_some_and(Element::is_inside)
    }

    fn separates(&self, child: Node<'_>) -> bool {
        // Where a line break parts members, a sign in another line parts none.
        let parts = |list: &List, last: &Element<'_>| {
            let is_apart = || self.lines_between(last.end, child.span().start()) > 0;
            list.separates(&child.sign()) && !(list.or_lines && is_apart())
        };
        let behind = self
            .list
            .zip(self.elements.last())
            .is_some_and(|(list, last)| {
                last.role == Role::Member && last.separator.is_none() && parts(list, last)
            });
        child.is_sign() && behind
    }

    /// Whether the child is a sign that belongs to the last member: the `;` behind a struct. One that is
    /// a node of its own does where it stands in the same line.
    fn terminates(&self, child: Node<'_>) -> bool {
        let is_behind = |last: &Element<'_>| {
            last.role == Role::Member
                && last.end == last.core.end()
                && (!child.is_named() || self.lines_between(last.end, child.span().start()) == 0)
        };
        child.is_in(Mark::Terminator, self.parent) && self.elements.last().is_some_and(is_behind)
    }

    /// Whether the next child belongs to the run that the last element is.
    fn goes_on(&self) -> bool {
        let runs = self
            .members
            .is_some_and(|members| members != Members::Nodes);
        let open = self.elements.last().is_some_and(|last| {
            last.role == Role::Member && last.separator.is_none() && !last.trailing_comment
        });
        runs && open && self.waiting.is_empty()
    }

    fn is_member(&self, child: Node<'_>) -> bool {
        let runs = self
            .members
            .is_some_and(|members| members != Members::Nodes);
        // Some grammars have a word that is no node of its own: the `_` of Rust.
        let is_word = |kind: &str| kind.starts_with(|c: char| c == '_' || c.is_alphanumeric());
        !child.is_sign() || runs || (self.list.is_some() && is_word(child.kind()))
    }

    fn lines_between(&self, start: usize, end: usize) -> usize {
        let source = self.parsed.source();
        source.line_of(end) - source.line_of(start)
    }

    fn ends_line(&self, offset: usize) -> bool {
        let source = self.parsed.source();
        let mut rest = source.chars_behind(offset);
        let next = rest.find(|c| !matches!(c, ' ' | '\t'));
        next.is_none_or(|next| matches!(next, '\n' | '\r'))
    }
}

/// The word that a text begins with: the name that a declaration is about.
pub(crate) fn first_word(parsed: &Parsed, span: Span) -> String {
    let text = parsed.source().slice(span);
    let ends = |c: char| !(c.is_alphanumeric() || matches!(c, '_' | '\''));
    match text.find(ends) {
        Some(0) => text
            .split_whitespace()
            .next()
            .unwrap_or_default()
            .to_string(),
        end => text[..end.unwrap_or(text.len())].to_string(),
    }
}

fn is_angle(child: Node<'_>) -> bool {
    !child.is_named() && matches!(child.kind(), "<" | ">" | "|")
}

fn is_opening(child: Node<'_>, of_list: bool) -> bool {
    let kind = child.kind();
    !child.is_named() && (matches!(kind, "(" | "[" | "{") || (of_list && matches!(kind, "<" | "|")))
}

/// Whether a comment that follows `node` may still be about the whole file.
fn may_open_file(node: Node<'_>) -> bool {
    node.is_word("comment", None) || node.is(Mark::Opening)
}

/// Whether all children of `parent` before `end` may precede a comment about the whole file.
fn is_opening_until(parsed: &Parsed, parent: Node<'_>, end: usize) -> bool {
    let mut cursor = parsed.walk(parent);
    let mut more = cursor.goto_first_child();
    while more && cursor.node().span().start() < end {
        let child = cursor.node();
        let is_frame = !child.is_named() && parent.is(Mark::Guard);
        let may_precede = may_open_file(child) || child.is_in(Mark::Head, parent) || is_frame;
        if !may_precede && says_something(parsed, child) {
            return false;
        }
        more = cursor.goto_next_sibling();
    }
    true
}

/// Whether a child is more than white space: a tab before a line may be a node. A line break may be one that
/// says something.
fn says_something(parsed: &Parsed, child: Node<'_>) -> bool {
    let text = || parsed.source().slice(child.span());
    let is_blank = || {
        child.is_leaf()
            && parsed.is_blank(child.span())
            && (child.is_named() || !text().contains(['\n', '\r']))
    };
    !child.span().is_empty() && !child.is(Mark::Margin) && !is_blank()
}

/// Those of the children of `parent` that [`Siblings::within`] needs to know, where it is a whole file
/// with no signs of its own, whose members nothing parts and no sign bounds: there may be thousands.
fn children_near<'p>(parsed: &'p Parsed, parent: Node<'p>, span: Span) -> Option<Vec<Node<'p>>> {
    let is_plain = parent == parsed.root()
        && !parent.language().is_inner()
        && parent.list().is_none()
        && parent.body().is_none_or(|body| body.after.is_none())
        && !parent.is_error();
    let before = span.start().checked_sub(1).filter(|_| is_plain)?;
    let mut children = Vec::new();
    let mut cursor = parsed.walk(parent);
    if !cursor.goto_first_child_for_byte(before) {
        return None;
    }
    let (mut more, mut behind) = (true, 0);
    // One that can bear what stands before it, and one more, so that it is seen not to be the last.
    while more && behind < 2 {
        let child = cursor.node();
        let bears = child.span().start() > span.end()
            && child.attached().is_none()
            && !child.is_word("comment", None);
        behind += usize::from(bears && says_something(parsed, child));
        children.push(child);
        more = cursor.goto_next_sibling();
    }
    Some(children)
}

/// Whether a node has text that none of its children has.
fn has_loose_text(parsed: &Parsed, parent: Node<'_>) -> bool {
    let mut cursor = parsed.walk(parent);
    let first = cursor.goto_first_child().then(|| cursor.node());
    if first.is_none_or(|first| first.is_of_tree_of(parsed.root())) {
        // Of the grammars of whole files each gives every text a node.
        return false;
    }
    let children = parsed.children(parent);
    let ends = children.iter().map(|child| child.span().end());
    let starts = [parent.span().start()].into_iter().chain(ends);
    let next = children.iter().map(|child| child.span().start());
    let gaps = starts.zip(next.chain([parent.span().end()]));
    let mut gaps = gaps.filter(|(start, end)| start < end);
    // A separator may be without a node.
    let is_sign = |part: Span| {
        let text = parsed.source().slice(part);
        parent
            .list()
            .is_some_and(|list| list.separates(text.trim()))
    };
    !children.is_empty()
        && gaps.any(|(start, end)| {
            let own = parent.own_parts(Span::new(start, end));
            own.into_iter()
                .any(|part| !parsed.is_blank(part) && !is_sign(part))
        })
}

/// The chain up to the outermost node that holds nothing but the last one of `chain`, and the
/// semicolon behind it, or that does but stand round it. It stops below the root, and where `stops`
/// holds of a parent and its child.
pub(crate) fn whole<'p>(
    parsed: &Parsed,
    chain: &[Node<'p>],
    stops: impl Fn(Node<'p>, Node<'p>) -> bool,
) -> Vec<Node<'p>> {
    let mut chain = chain.to_vec();
    while let [_, .., parent, node] = chain[..] {
        let nothing_else = || {
            parsed
                .children(parent)
                .into_iter()
                .all(|child| child == node || child.kind() == ";" || child.span().is_empty())
                && blank_round(parsed, parent, node)
        };
        let is_root = chain.len() == 2;
        if is_root || stops(parent, node) || !(node.is_wrapped_in(parent) || nothing_else()) {
            break;
        }
        chain.pop();
    }
    chain
}

/// Whether `parent` has no text but that of `node` and its signs: some grammars give plain text no
/// node.
fn blank_round(parsed: &Parsed, parent: Node<'_>, node: Node<'_>) -> bool {
    let (outer, inner) = (parent.span(), node.span());
    let before = Span::new(outer.start(), inner.start().max(outer.start()));
    let behind = Span::new(inner.end().min(outer.end()), outer.end());
    let blank = |span| {
        let text = parsed.source().slice(span);
        text.chars().all(|c| c.is_whitespace() || c == ';')
    };
    blank(before) && blank(behind)
}

#[cfg(test)]
mod tests {
    #![expect(
        clippy::disallowed_methods,
        reason = "the files of the cases are what is looked at"
    )]

    use std::fs;
    use std::path::Path;

    use super::*;
    use crate::language::{self, LANGUAGES};
    use crate::source::Source;

    /// What there is of each language: its sample, and the files that the cases are about.
    fn files() -> Vec<(&'static str, Source)> {
        let mut files = Vec::new();
        for language in LANGUAGES.iter() {
            let (path, text) = language.sample();
            files.push((language.name, Source::new(path, language, text.to_string())));
        }
        let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
        let mut open = vec![cases];
        while let Some(folder) = open.pop() {
            let entries = fs::read_dir(folder).expect("the cases can be listed");
            for entry in entries {
                let path = entry.expect("the cases can be listed").path();
                let name = path.to_string_lossy().into_owned();
                if path.is_dir() {
                    open.push(path);
                } else if path.file_stem().is_some_and(|stem| stem == "before")
                    && let Ok(text) = fs::read_to_string(&path)
                {
                    let language = language::of(&name, &text);
                    files.push((language.name, Source::new(&name, language, text)));
                }
            }
        }
        files
    }

    /// How often a look at what is near a span spared the others, and found the same.
    fn check(source: Source) -> usize {
        let parsed = Parsed::parse(source);
        let root = parsed.root();
        let spans: Vec<Span> = parsed.children(root).into_iter().map(Node::span).collect();
        let pairs = spans.windows(2);
        // A member alone, one with what stands before it, and the place between two.
        let both = pairs.clone().map(|pair| (pair[0].start(), pair[1].end()));
        let behind = pairs.clone().map(|pair| (pair[0].end(), pair[1].end()));
        let between = pairs.map(|pair| (pair[0].end(), pair[1].start()));
        let alone = spans.iter().map(|span| (span.start(), span.end()));
        let asked = alone.chain(both).chain(behind).chain(between);
        let asked = asked.filter(|(start, end)| start <= end);
        let mut checked = 0;
        for (start, end) in asked {
            let span = Span::new(start, end);
            let Some(near) = children_near(&parsed, root, span) else {
                continue;
            };
            let whole = Siblings::among(&parsed, root, span, parsed.children(root));
            let near = Siblings::among(&parsed, root, span, near);
            assert_eq!(
                format!("{:#?}", near.elements),
                format!("{:#?}", whole.elements),
                "{span:?} of {}:\n{}",
                parsed.source().path(),
                parsed.source().text()
            );
            checked += 1;
        }
        checked
    }

    #[test]
    fn what_is_near_is_what_it_is_among_all() {
        let mut checked = std::collections::BTreeMap::new();
        for (language, source) in files() {
            *checked.entry(language).or_insert(0) += check(source);
        }
        let total: usize = checked.values().sum();
        let several = checked.values().filter(|count| **count > 10).count();
        assert!(total > 2_000 && several * 3 > checked.len(), "{checked:?}");
    }
}
