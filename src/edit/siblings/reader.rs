//! Reads the children of a node into elements: which are members, and which belong to others.

use super::super::file_comments::{self, is_licence};
use super::{Attached, Element, Role, first_word, is_opening_until, may_open_file};
use crate::language::queries::{AttachedTo, List, Mark, Members};
use crate::parse::{Node, Parsed};
use crate::select::trimmed_node;
use crate::source::Span;
use crate::steps;

/// Reads the children in file order.
pub(super) struct Reader<'a, 'p> {
    parsed: &'a Parsed,
    parent: Node<'p>,
    list: Option<&'static List>,
    members: Option<Members>,
    /// Whether the last read child is between the parent's brackets.
    is_opened: bool,
    elements: Vec<Element<'p>>,
    /// The nodes that may be attached to the next child.
    pending: Vec<(Attached, Node<'p>)>,
    /// The leading separator of the next member.
    lead: Option<Span>,
    /// The docs after the last member, if they were the last child: comments may continue them.
    docs_after: Option<Span>,
}

/// What a child is to the elements before it.
enum ChildRole {
    /// Docs that follow the last member.
    DocsOfPrevious,
    /// It stays first.
    Head,
    /// A comment in the line of the last element.
    Trailing,
    /// A comment, or what may be attached to the next member.
    Attached,
    /// The sign between two statements in one line.
    StatementEnd,
    LeadingSeparator,
    Separator,
    /// A sign that belongs to the last member.
    Terminator,
    /// A further node of the last member.
    Continuation,
    Member,
    Frame,
}

impl<'a, 'p> Reader<'a, 'p> {
    pub(super) fn new(
        parsed: &'a Parsed,
        parent: Node<'p>,
        list: Option<&'static List>,
        members: Option<Members>,
    ) -> Reader<'a, 'p> {
        Reader {
            parsed,
            parent,
            list,
            members,
            is_opened: false,
            elements: Vec::new(),
            pending: Vec::new(),
            lead: None,
            docs_after: None,
        }
    }

    /// Reads a separator after the last member for which the grammar has no node (the `;` of R), before `until`, where the
    /// next child starts.
    fn read_hidden_separator(&mut self, until: usize) {
        let Some((list, last)) = self.list.zip(self.elements.last_mut()) else {
            return;
        };
        let lacks =
            last.role == Role::Member && last.separator.is_none() && self.pending.is_empty();
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

    /// Reads the next child; `is_opened` is whether it is between the parent's brackets, and `following` are the children
    /// after it.
    pub(super) fn read(&mut self, child: Node<'p>, is_opened: bool, following: &[Node<'p>]) {
        self.is_opened = is_opened;
        self.read_hidden_separator(child.span().start());
        let span = trimmed_node(self.parsed, child);
        if child.is(Mark::Tail) && self.pending.is_empty() && !self.elements.is_empty() {
            self.extend_last(span);
            return;
        }
        let docs = self.docs_after.take();
        let is_apart = self
            .pending
            .last()
            .is_some_and(|(last, _)| self.lines_between(last.span.end(), span.start()) > 1);
        if is_apart && self.pending.iter().all(|(one, _)| one.is_loose) {
            self.release();
        }
        match self.role_of(child, span, docs) {
            ChildRole::DocsOfPrevious => {
                self.add_trailing(span);
                self.docs_after = Some(span);
            }
            ChildRole::Trailing => self.add_trailing(span),
            ChildRole::Attached => self.add_pending(child, span),
            ChildRole::StatementEnd => self.extend_last(span),
            ChildRole::LeadingSeparator => self.lead = Some(span),
            ChildRole::Separator => {
                self.pending.clear();
                self.extend_last(span);
                self.last().separator = Some(span);
            }
            ChildRole::Terminator => {
                self.pending.clear();
                self.extend_last(span);
            }
            ChildRole::Continuation => {
                self.extend_last(span);
                let last = self.last();
                last.core = Span::new(last.core.start(), span.end());
                last.nodes += 1;
            }
            ChildRole::Head => self.push(child, span, Role::Head),
            ChildRole::Member => {
                self.release_comments_of_imports(child, span, following);
                self.push(child, span, Role::Member);
            }
            ChildRole::Frame => {
                self.give_deeper_comments_to_last(span);
                self.release();
                self.push(child, span, Role::Frame);
            }
        }
    }

    /// Returns what the child is to the elements before it: the first that applies, in this order. `docs` are docs after
    /// the last member, if they were the previous child.
    fn role_of(&self, child: Node<'p>, span: Span, docs: Option<Span>) -> ChildRole {
        let kind = child.attached_kind_in(self.parent);
        let is_comment = child.is_word("comment", None);
        let continues_docs = docs.is_some_and(|docs| self.column(docs) == self.column(span));
        let follows_its_member = kind.is_some_and(|kind| kind.attached_to == AttachedTo::Preceding)
            || (is_comment && continues_docs);
        let is_first = self.elements.iter().all(|element| !element.is_inside());
        let stays_first =
            child.is_in(Mark::Head, self.parent) || (is_comment && self.is_interpreter_line(span));
        let may_trail = kind.map_or(is_comment, |kind| kind.is_touching);
        let is_member = self.is_opened && self.is_member(child);
        if follows_its_member && self.touches(span) {
            ChildRole::DocsOfPrevious
        } else if is_first && stays_first {
            ChildRole::Head
        } else if may_trail && self.is_trailing(span) {
            ChildRole::Trailing
        } else if kind.is_some() || is_comment {
            ChildRole::Attached
        } else if self.ends_statement(child) {
            ChildRole::StatementEnd
        } else if self.is_leading_separator(child) {
            ChildRole::LeadingSeparator
        } else if self.is_separator(child) {
            ChildRole::Separator
        } else if self.is_terminator(child) {
            ChildRole::Terminator
        } else if is_member && self.is_run_open() {
            ChildRole::Continuation
        } else if is_member {
            ChildRole::Member
        } else {
            ChildRole::Frame
        }
    }

    /// Returns the elements; `until` is where the next child after those read starts.
    pub(super) fn finish(mut self, until: usize) -> Vec<Element<'p>> {
        self.read_hidden_separator(until);
        self.release();
        self.add_comments_after_parent();
        self.elements
    }

    fn last(&mut self) -> &mut Element<'p> {
        let last = self.elements.last_mut();
        last.expect("only a child that follows an element belongs to one")
    }

    fn extend_last(&mut self, span: Span) {
        self.last().end = span.end();
    }

    fn add_trailing(&mut self, comment: Span) {
        let last = self.last();
        last.end = comment.end();
        last.trailing_comment = true;
    }

    fn add_pending(&mut self, child: Node<'p>, span: Span) {
        let kind = child.attached_kind_in(self.parent);
        let is_of_last_group = kind.is_some_and(|kind| kind.is_of_last_group);
        let attached = Attached {
            kind: kind.map_or("comment", |kind| kind.kind).to_string(),
            is_loose: kind.is_none_or(|kind| kind.is_touching),
            may_be_either: kind.is_some_and(|kind| kind.attached_to == AttachedTo::Either),
            begins_same: kind.is_some_and(|kind| kind.begins_same),
            is_of_last_group,
            span,
        };
        self.pending.push((attached, child));
        if is_of_last_group {
            self.release_first(self.count_of_earlier_groups());
        }
    }

    /// Gives comments that are deeper than the last element and the next child to the last element: they are in a case that
    /// no bracket closes.
    fn give_deeper_comments_to_last(&mut self, next: Span) {
        let is_deeper = |comment: Span, other: Span| {
            let (own, other) = (self.indentation(comment), self.indentation(other));
            own.zip(other)
                .is_some_and(|(own, other)| own.len() > other.len() && own.starts_with(&*other))
        };
        let Some(last) = self.elements.last().map(|last| last.core) else {
            return;
        };
        let deeper = self.pending.iter().take_while(|(one, _)| {
            one.is_loose && is_deeper(one.span, last) && is_deeper(one.span, next)
        });
        let count = deeper.count();
        let left = self.pending.drain(..count).next_back();
        if let Some((one, _)) = left {
            self.add_trailing(one.span);
        }
    }

    /// Returns the whitespace before `span` if it starts its line.
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
            self.give_deeper_comments_to_last(span);
        }
        self.release_first(self.count_of_file(span));
        let differs = |(one, _): &(Attached, Node<'_>)| {
            one.begins_same && first_word(self.parsed, one.span) != first_word(self.parsed, span)
        };
        if let Some(index) = self.pending.iter().rposition(differs) {
            self.release_first(index + 1);
        }
        let attached = self.pending.drain(..).map(|(one, _)| one).collect();
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

    /// Makes the first `count` pending nodes elements: they are attached to nothing.
    fn release_first(&mut self, count: usize) {
        if count == 0 {
            return;
        }
        let own = self.pending.split_off(count);
        self.release();
        self.pending = own;
    }

    /// Returns the number of pending nodes before the last blank line among them, if all of these are comments.
    fn count_of_earlier_groups(&self) -> usize {
        // The groups before another one that ends with such a node are released already.
        let known = match self.pending.as_slice() {
            [before @ .., (last, _), _] if last.is_of_last_group => before.len(),
            _ => 0,
        };
        let latest = &self.pending[known..];
        steps::count(latest.len());
        let pairs = latest.iter().zip(latest.iter().skip(1));
        let apart = |(one, next): (&(Attached, _), &(Attached, _))| {
            self.lines_between(one.0.span.end(), next.0.span.start()) > 1
        };
        let count = pairs
            .map(apart)
            .rposition(|apart| apart)
            .map_or(0, |last| known + last + 1);
        let are_comments = self.pending[..count]
            .iter()
            .all(|(one, _)| one.is_loose || one.is_of_last_group);
        if are_comments { count } else { 0 }
    }

    /// Makes the pending nodes elements: they are attached to nothing that follows.
    fn release(&mut self) {
        let mut trailing = 0;
        while let Some((one, _)) = self.pending.get(trailing)
            && one.may_be_either
            && self.lead.is_none()
            && self.is_right_below(one.span)
        {
            let span = one.span;
            self.add_trailing(span);
            trailing += 1;
        }
        self.pending.drain(..trailing);
        if let Some((declaration, _)) = self.pending.iter().find(|(one, _)| one.begins_same) {
            self.release_first(self.count_of_file(declaration.span));
        }
        let mut pending = std::mem::take(&mut self.pending);
        // A declaration keeps the nodes attached to it.
        while let Some(index) = pending.iter().position(|(one, _)| one.begins_same) {
            let (own, node) = pending.remove(index);
            let attached = pending.drain(..index).map(|(one, _)| one).collect();
            self.elements.push(Element {
                attached,
                ..Element::alone(node, own.span, Role::Member)
            });
        }
        for (one, node) in pending {
            let role = match one.is_loose || one.is_of_last_group {
                true => Role::Comment,
                false => Role::Member,
            };
            let is_comment = node.is_word("comment", None);
            let one_line = self.lines_between(one.span.start(), one.span.end()) == 0;
            self.elements.push(Element {
                trailing_comment: is_comment && one_line && self.ends_line(one.span.end()),
                ..Element::alone(node, one.span, role)
            });
        }
    }

    /// Returns the number of pending comments before `next` that are about the file, because they open it: those before a
    /// blank line, and those directly above `next` whose words tell.
    fn count_of_file(&self, next: Span) -> usize {
        if !self.opens_file() {
            return 0;
        }
        let nexts = self.pending.iter().skip(1).map(|(one, _)| one.span);
        let opening = self.pending.iter().zip(nexts.chain([next]));
        let is_comment = |one: &Attached| one.is_loose || one.is_of_last_group;
        let opening = opening.take_while(|((one, _), _)| !one.begins_same && is_comment(one));
        let opening: Vec<_> = opening.collect();
        let text = |one: &Attached| self.parsed.source().slice(one.span);
        let is_apart =
            |one: &Attached, next: Span| self.lines_between(one.span.end(), next.start()) > 1;
        let licence = opening
            .iter()
            .position(|((one, _), _)| is_licence(&text(one)));
        let is_of_file = |index: usize| {
            let ((one, node), next) = opening[index];
            let is_in_licence = licence.is_some_and(|first| index == first || one.is_loose);
            is_apart(one, next)
                || is_in_licence
                || node.is(Mark::AboutFile)
                || file_comments::is_about_file(&text(one))
        };
        let last = (0..opening.len()).rfind(|index| is_of_file(*index));
        last.map_or(0, |last| last + 1)
    }

    /// Makes the pending comments above an import that are not about this import alone elements: those before a blank line,
    /// and those above several imports on consecutive lines.
    fn release_comments_of_imports(
        &mut self,
        import: Node<'p>,
        span: Span,
        following: &[Node<'p>],
    ) {
        let is_about_group = |(one, _): &&(Attached, Node<'_>)| {
            (one.is_loose || one.is_of_last_group) && matches!(&*one.kind, "comment" | "doc")
        };
        let mut count = self.pending.iter().take_while(is_about_group).count();
        if count == 0 || !import.is_import() {
            return;
        }
        let lines_to = |next: &Node<'_>| self.lines_between(span.end(), next.span().start());
        let next = following.iter().find(|next| lines_to(next) > 0);
        if !next.is_some_and(|next| lines_to(next) == 1 && next.is_import()) {
            let nexts = self.pending.iter().skip(1).map(|(one, _)| one.span);
            let pairs = self.pending.iter().zip(nexts.chain([span])).take(count);
            let gaps =
                pairs.map(|((one, _), next)| self.lines_between(one.span.end(), next.start()));
            let gaps: Vec<usize> = gaps.collect();
            count = gaps
                .iter()
                .rposition(|gap| *gap > 1)
                .map_or(0, |last| last + 1);
        }
        self.release_first(count);
    }

    /// Returns whether only comments and nodes that may precede them (`<?php`, `#pragma once`) precede the pending nodes, in
    /// the file or in an include guard that encloses all of it.
    fn opens_file(&self) -> bool {
        let is_member = |one: &Element<'_>| one.role == Role::Member && !may_open_file(one.node);
        let first = self.pending.first().map(|(first, _)| first.span.start());
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

    /// Returns whether the comment is the first line of a script, `#!/bin/sh`: it stays first.
    fn is_interpreter_line(&self, comment: Span) -> bool {
        comment.start() == 0 && self.parsed.source().slice(comment).starts_with("#!")
    }

    /// Gives the last member its comments that the grammar puts after a parent without closing bracket: one in its line,
    /// and deeper docs below it.
    fn add_comments_after_parent(&mut self) {
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
        while let Some((comment, is_docs)) = self.comment_after(end, column, docs) {
            end = comment.end();
            docs = is_docs.then(|| self.column(comment));
        }
        if let Some(last) = self.elements.last_mut().filter(|_| end > first) {
            last.end = end;
            last.trailing_comment = true;
        }
    }

    /// Returns a comment after `end` that ends its line, and whether it is docs. It is in the same line, or in the next if
    /// it is docs of the preceding member deeper than `column`, or continues such docs in the column `docs`.
    fn comment_after(
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
        let may_follow = kind.is_some_and(|kind| kind.attached_to != AttachedTo::Following);
        let is_found = is_comment && is_own && self.ends_line(span.end());
        is_found.then_some((span, is_docs || may_follow))
    }

    /// Returns whether the comment follows an element in its line and nothing but a closing bracket follows it.
    fn is_trailing(&self, comment: Span) -> bool {
        let Some(last) = self.elements.last().filter(|_| self.pending.is_empty()) else {
            return false;
        };
        let mut rest = self.parsed.source().chars_from(comment.end());
        let next = rest.find(|c| !matches!(c, ' ' | '\t'));
        let closes = next.is_some_and(|next| matches!(next, ')' | ']' | '}' | '>' | ','));
        self.lines_between(last.end, comment.start()) == 0
            && (self.ends_line(comment.end()) || closes)
    }

    /// Returns whether docs are directly below the last member or its docs.
    fn touches(&self, docs: Span) -> bool {
        self.pending.is_empty() && self.lead.is_none() && self.is_right_below(docs)
    }

    /// Returns the column in bytes.
    fn column(&self, span: Span) -> usize {
        let source = self.parsed.source();
        let line = source.line_span(source.line_of(span.start()));
        line.map_or(0, |line| span.start() - line.start())
    }

    /// Returns whether docs start at most one line below the last member and end their line.
    fn is_right_below(&self, docs: Span) -> bool {
        self.elements.last().is_some_and(|last| {
            last.role == Role::Member
                && self.lines_between(last.end, docs.start()) <= 1
                && self.ends_line(docs.end())
        })
    }

    /// Returns whether the child is a separator that belongs to the member after it.
    fn is_leading_separator(&self, child: Node<'_>) -> bool {
        let Some(list) = self.list.filter(|_| self.lead.is_none()) else {
            return false;
        };
        let last = self.elements.last();
        let is_first = last.is_none_or(|last| last.role != Role::Member);
        let begins_line = || self.indentation(child.span()).is_some();
        child.is_sign()
            && self.is_opened
            && list.separates(&child.sign())
            && (is_first && list.leads || !is_first && begins_line())
    }

    /// Returns whether the child is the sign between two statements in one line.
    fn ends_statement(&self, child: Node<'_>) -> bool {
        let preceding = self.elements.last().filter(|_| self.pending.is_empty());
        self.parent.is_indented()
            && child.kind() == ";"
            && preceding.is_some_and(Element::is_inside)
    }

    fn is_separator(&self, child: Node<'_>) -> bool {
        // Where a line break separates members, a sign in another line separates none.
        let separates = |list: &List, last: &Element<'_>| {
            let is_apart = || self.lines_between(last.end, child.span().start()) > 0;
            list.separates(&child.sign()) && !(list.or_lines && is_apart())
        };
        let ends_member = self
            .list
            .zip(self.elements.last())
            .is_some_and(|(list, last)| {
                last.role == Role::Member && last.separator.is_none() && separates(list, last)
            });
        child.is_sign() && ends_member
    }

    /// Returns whether the child is a sign that belongs to the last member: the `;` after a struct. One with a node of its
    /// own must be in the same line.
    fn is_terminator(&self, child: Node<'_>) -> bool {
        let may_end = |last: &Element<'_>| {
            last.role == Role::Member
                && last.end == last.core.end()
                && (!child.is_named() || self.lines_between(last.end, child.span().start()) == 0)
        };
        child.is_in(Mark::Terminator, self.parent) && self.elements.last().is_some_and(may_end)
    }

    /// Returns whether the next child can be a further node of the last element.
    fn is_run_open(&self) -> bool {
        let runs = self
            .members
            .is_some_and(|members| members != Members::Nodes);
        let open = self.elements.last().is_some_and(|last| {
            last.role == Role::Member && last.separator.is_none() && !last.trailing_comment
        });
        runs && open && self.pending.is_empty() && self.lead.is_none()
    }

    fn is_member(&self, child: Node<'_>) -> bool {
        let runs = self
            .members
            .is_some_and(|members| members != Members::Nodes);
        // Some grammars have words without a named node: the `_` of Rust.
        let is_word = |kind: &str| kind.starts_with(|c: char| c == '_' || c.is_alphanumeric());
        !child.is_sign() || runs || (self.list.is_some() && is_word(child.kind()))
    }

    fn lines_between(&self, start: usize, end: usize) -> usize {
        let source = self.parsed.source();
        source.line_of(end) - source.line_of(start)
    }

    fn ends_line(&self, offset: usize) -> bool {
        let source = self.parsed.source();
        let mut rest = source.chars_from(offset);
        let next = rest.find(|c| !matches!(c, ' ' | '\t'));
        next.is_none_or(|next| matches!(next, '\n' | '\r'))
    }
}
