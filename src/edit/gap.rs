//! The place that content is inserted at: between two neighbours, or in an empty body.
//!
//! Comes in: a selection, and on which side of it or where inside it. Goes out: a [`Gap`], which knows
//! its neighbours and how they stand. Refuses a node without a body, or with several.

use std::cell::OnceCell;

use crate::language::queries::{List, Mark, Opens};
use crate::parse::{Node, Parsed};
use crate::select::{Selection, trimmed_node};
use crate::source::Span;

use super::EditError;
use super::indent::{self, Home};
use super::insert::BlankLines;
use super::siblings::{Element, Role, Siblings, whole};
use super::spacing::{self, Lines, Pair};

/// Which neighbour the content goes beside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Left,
    Right,
}

/// A place between two neighbours, or in an empty body.
pub(super) struct Gap<'p> {
    pub(super) parsed: &'p Parsed,
    /// The nodes from the root down to the one whose children the neighbours are.
    pub(super) container: Vec<Node<'p>>,
    pub(super) siblings: Siblings<'p>,
    /// The elements on both sides.
    pub(super) left: Option<usize>,
    pub(super) right: Option<usize>,
    /// The side of the neighbour that was named.
    pub(super) near: Side,
    pub(super) margin: String,
    /// How the neighbours round the place are set apart.
    pub(super) observed: OnceCell<Vec<Pair>>,
    homes: Homes<'p>,
    /// The content is no member, but what is attached to one.
    pub(super) is_attached_alone: bool,
    /// The blank lines that the content asks for around it.
    pub(super) asked: BlankLines,
    /// The content is no mere words: it has several lines, or begins with a sign.
    pub(super) is_block: bool,
}

/// The homes of content, each computed once for all layouts.
#[derive(Default)]
struct Homes<'p> {
    on_lines: OnceCell<Home<'p>>,
    outdented: OnceCell<Home<'p>>,
    inline: OnceCell<Home<'p>>,
}

impl<'p> Gap<'p> {
    pub(super) fn beside(selection: &Selection<'p>, near: Side) -> Gap<'p> {
        let parsed = selection.parsed();
        let mut chain = whole(parsed, selection.chain(), |parent, node| {
            let holds = parent.body().is_some() || parent.list().is_some();
            holds || parent.is(Mark::Row) || node.is(Mark::Within) || !parent.is_of_tree_of(node)
        });
        loop {
            let (node, container) = chain.split_last().expect("a selection ends with its node");
            let parent = *container.last().expect("the root cannot be edited");
            let (mut siblings, mut index) = Siblings::round(parsed, parent, *node);
            if near == Side::Right && node.attached_kind().is_some_and(|kind| kind.begins_same) {
                // Before a declaration is before what stands above it too.
                let round = Siblings::of(parsed, parent);
                if let Some(bearer) = round.bearer_of(*node) {
                    (siblings, index) = (round, bearer);
                }
            }
            if near == Side::Left && node.is_word("comment", None) {
                // Behind the comment of an element is behind the element.
                let round = Siblings::of(parsed, parent);
                if let Some(trailed) = round.trailed_by(*node) {
                    (siblings, index) = (round, trailed);
                }
            }
            let is_head = |index: usize| {
                let element = siblings.elements.get(index);
                element.is_some_and(|element| element.role == Role::Head)
            };
            let is_own_symbol = node.tag(&[]).is_some();
            if near == Side::Right
                && index == 0
                && is_head(index)
                && !is_own_symbol
                && container.len() > 1
            {
                // Nothing goes before what must stay first in a body, but before the body.
                chain.pop();
                continue;
            }
            let last_head = (index..).take_while(|&index| is_head(index)).last();
            let (left, right) = match near {
                Side::Left => {
                    let left = last_head.unwrap_or(index);
                    (Some(left), Some(left + 1))
                }
                Side::Right => (index.checked_sub(1), Some(index)),
            };
            return Gap {
                parsed,
                margin: indent::margin(parsed, container),
                container: container.to_vec(),
                right: right.filter(|&index| index < siblings.elements.len()),
                left,
                siblings,
                near,
                observed: OnceCell::new(),
                homes: Homes::default(),
                is_attached_alone: false,
                asked: BlankLines::default(),
                is_block: false,
            };
        }
    }

    pub(super) fn inside(selection: &Selection<'p>, side: Side) -> Result<Gap<'p>, EditError> {
        let parsed = selection.parsed();
        let container = body_of(parsed, selection.chain())?;
        let parent = *container.last().expect("a body is a node");
        let siblings = Siblings::of(parsed, parent);
        if siblings.elements.is_empty() || parent.is_void() {
            return Err(EditError::NoInside { bodies: Vec::new() });
        }
        let inside = |element: &Element<'_>| element.is_inside();
        let first = siblings.elements.iter().position(inside);
        // What lacks its end has no place behind it: `#ifdef __cplusplus` before the brace of an
        // `extern "C"`.
        let ends = |element: &Element<'_>| inside(element) && !lacks_its_end(element.node);
        let last = siblings.elements.iter().rposition(ends);
        let (left, right) = match (side, first, last) {
            (Side::Right, Some(first), _) => (first.checked_sub(1), Some(first)),
            (Side::Left, _, Some(last)) => (Some(last), Some(last + 1)),
            _ => {
                let closing = siblings.closing();
                let left = closing.map_or(siblings.elements.len(), |closing| closing);
                (left.checked_sub(1), closing)
            }
        };
        Ok(Gap {
            parsed,
            margin: indent::margin(parsed, &container),
            container,
            right: right.filter(|&index| index < siblings.elements.len()),
            left,
            siblings,
            near: side,
            observed: OnceCell::new(),
            homes: Homes::default(),
            is_attached_alone: false,
            asked: BlankLines::default(),
            is_block: false,
        })
    }

    pub(super) fn element(&self, index: Option<usize>) -> Option<&Element<'p>> {
        index.map(|index| &self.siblings.elements[index])
    }

    /// The neighbour, if it is a part of what the parent holds.
    pub(super) fn inner(&self, index: Option<usize>) -> Option<&Element<'p>> {
        self.element(index)
            .filter(|element| element.role != Role::Frame)
    }

    pub(super) fn lines(&self) -> Lines<'_> {
        Lines {
            source: self.parsed.source(),
            margin: &self.margin,
        }
    }

    pub(super) fn list(&self) -> Option<&'static List> {
        self.siblings.list
    }

    /// The nearest members of the list on both sides; comments are passed over.
    pub(super) fn members(&self) -> (Option<&Element<'p>>, Option<&Element<'p>>) {
        let is_member = |element: &&Element<'_>| element.role == Role::Member;
        let place = self.left.map_or(0, |left| left + 1);
        let (mut before, mut behind) = self.siblings.round_place(place);
        (before.find(is_member), behind.find(is_member))
    }

    /// Whether the content goes on lines of its own.
    pub(super) fn is_on_lines(&self) -> bool {
        let lines = self.lines();
        let body = self.siblings.parent.body();
        let apart = |one: &Element<'_>, other: &Element<'_>| {
            lines.breaks(one.end, other.start()) > 0 && !self.goes_on_between(one, other)
        };
        // Whether a neighbour shares its line with the one further out.
        let fills = |index: Option<usize>, further: Option<usize>| match (
            self.inner(index),
            self.inner(further),
        ) {
            (Some(one), Some(other)) if one.start() < other.start() => !apart(one, other),
            (Some(one), Some(other)) => !apart(other, one),
            _ => false,
        };
        let further_left = self.left.and_then(|left| left.checked_sub(1));
        let further_right = self
            .right
            .map(|right| right + 1)
            .filter(|&right| right < self.siblings.elements.len());
        if self.siblings.is_running_text {
            return false;
        }
        if body.is_some_and(|body| body.lines || body.apart || body.indented) {
            return true;
        }
        if self.siblings.is_prose() {
            return self.is_on_lines_in_prose();
        }
        match (self.inner(self.left), self.inner(self.right)) {
            (Some(left), _) if left.trailing_comment && lines.ends_line(left.end) => true,
            (Some(left), Some(right)) if apart(left, right) => match self.near {
                Side::Left => !fills(self.left, further_left),
                Side::Right => !fills(self.right, further_right),
            },
            (Some(_), Some(_)) => false,
            (Some(left), None) => match self.inner(further_left) {
                Some(further) => apart(further, left),
                None => self.is_lone_on_lines(left),
            },
            (None, Some(right)) => match self.inner(further_right) {
                Some(further) => apart(right, further),
                None => self.is_lone_on_lines(right),
            },
            (None, None) => self.opens_on_lines(),
        }
    }

    /// Whether what stands alone has a line of its own. Where nothing opens a list, its first line
    /// says nothing of how its members stand.
    fn is_lone_on_lines(&self, lone: &Element<'_>) -> bool {
        let parent = self.siblings.parent;
        let begins_list = parent.span().start() == lone.core.start() && parent.body().is_none();
        match self.list() {
            Some(_) if begins_list => self.opens_on_lines(),
            _ => self.lines().starts_line(lone.start()),
        }
    }

    /// Whether an element of prose is one of several lines, or stands where a line begins.
    fn lines_round(&self, element: &Element<'_>) -> bool {
        let lines = self.lines();
        lines.starts_line(element.start()) || lines.breaks(element.start(), element.end) > 0
    }

    /// Where the parent begins or ends inside, if every blank in it counts.
    pub(super) fn edge_of_literal(&self) -> Option<usize> {
        let parent = self.siblings.parent;
        if !parent.is_protected() && !parent.is_in_protected() {
            return None;
        }
        let elements = &self.siblings.elements;
        match self.near {
            Side::Right => elements
                .first()
                .filter(|first| first.opens())
                .map(|first| first.end),
            Side::Left => {
                let closing = self.siblings.closing();
                closing.map(|closing| elements[closing].core.start())
            }
        }
    }

    /// Whether the line of `one` goes on in that of `other`.
    fn goes_on_between(&self, one: &Element<'_>, other: &Element<'_>) -> bool {
        let gap = Span::new(one.end.min(other.start()), other.start());
        spacing::is_continuation(&self.parsed.source().slice(gap))
    }

    /// What stands between the neighbours, or else between the named one and the next, if a line
    /// goes on in another there.
    pub(super) fn continuation(&self) -> Option<String> {
        let further_left = self.left.and_then(|left| left.checked_sub(1));
        let pairs = [(self.left, self.right), (further_left, self.left)];
        let mut pairs = pairs
            .into_iter()
            .filter_map(|(one, other)| Some((self.inner(one)?, self.inner(other)?)));
        let (one, other) = pairs.next()?;
        self.goes_on_between(one, other).then(|| {
            let gap = Span::new(one.end, other.start());
            self.parsed.source().slice(gap).replace("\r\n", "\n")
        })
    }

    /// Whether the neighbour that was named, or else the parent, has lines to itself.
    fn is_on_lines_in_prose(&self) -> bool {
        let lines = self.lines();
        let has_lines = |start, end| lines.starts_line(start) && lines.ends_line(end);
        let near = match self.near {
            Side::Left => self.inner(self.left),
            Side::Right => self.inner(self.right),
        };
        match near {
            Some(near) if self.siblings.has_words => has_lines(near.start(), near.end),
            Some(near) => match self.near {
                Side::Left => lines.ends_line(near.end) && self.lines_round(near),
                Side::Right => lines.starts_line(near.start()) && self.lines_round(near),
            },
            None => {
                let span = trimmed_node(self.parsed, self.siblings.parent);
                self.is_block && has_lines(span.start(), span.end())
            }
        }
    }

    /// Whether an empty body puts its first member on a line of its own.
    pub(super) fn opens_on_lines(&self) -> bool {
        if self.siblings.parent.body().is_some_and(|body| body.inline) {
            return self.is_block;
        }
        match self.list().map(|list| list.opens) {
            None | Some(Opens::Lines) => true,
            Some(Opens::Inline) => false,
            Some(Opens::Around) => {
                let is_list = |node: &Node<'_>| node.list().is_some();
                let (list, above) = self.container.split_last().expect("a list is a node");
                let member = above.iter().rev().take_while(|node| !is_list(node)).last();
                let member = member
                    .filter(|member| above.first() != Some(member))
                    .unwrap_or(list);
                self.lines().starts_line(member.span().start())
            }
        }
    }

    /// The separator of a lone member in its line, which it had because it was alone.
    pub(super) fn of_lone_member(&self) -> Option<Span> {
        let mut members = self.siblings.members();
        let lone = members
            .next()
            .filter(|_| self.list().is_some_and(|list| list.single))?;
        let is_only = members.next().is_none();
        lone.separator.filter(|_| is_only)
    }

    /// The home of content on lines of its own.
    /// `is_outdented` says whether the content begins with what may stand less deep.
    pub(super) fn home(&self, is_outdented: bool) -> &Home<'p> {
        let home = match is_outdented {
            true => &self.homes.outdented,
            false => &self.homes.on_lines,
        };
        home.get_or_init(|| self.home_on_lines(is_outdented))
    }

    /// The home of content within a line, after the byte `at`.
    pub(super) fn home_in_line(&self, at: usize) -> &Home<'p> {
        let home = || Home::of(self.parsed, &self.container, Span::at(at));
        self.homes.inline.get_or_init(home)
    }

    fn home_on_lines(&self, is_outdented: bool) -> Home<'p> {
        let lines = self.lines();
        if let Some(header) = self.header() {
            let home = Home::of(self.parsed, &self.container, header.span());
            return home.deeper(self.siblings.parent.language().indent());
        }
        let indented = self.siblings.parent.is_indented();
        // A comment may stand at any depth.
        let counts = |element: &Element<'_>| match indented {
            true => element.role != Role::Comment,
            false => element.is_inside(),
        };
        let starts = |element: &&Element<'_>| counts(element) && lines.starts_line(element.start());
        let near = match self.near {
            Side::Left => self.element(self.left),
            Side::Right => self.element(self.right),
        };
        if self.stands_at_margin() {
            return Home::new(self.margin.clone(), None);
        }
        let parent = self.siblings.parent;
        if let (Some(raw), true) = (parent.raw(), parent.body().is_some_and(|body| body.column)) {
            // All begin where the first does, which may share its line with what precedes it.
            return Home::of(self.parsed, &self.container, Span::at(raw.start_byte()));
        }
        // The inside of a neighbour that stands deeper tells nothing of what comes beside it.
        let parts = [self.element(self.left), self.element(self.right)];
        let beside_body = parts.iter().flatten().any(|one| one.node.is_indented());
        if beside_body && !indented && parent.raw().is_some() {
            return Home::of(
                self.parsed,
                &self.container,
                Span::at(parent.span().start()),
            );
        }
        let models = || {
            let sides = [self.left, self.right].into_iter();
            near.into_iter()
                .chain(sides.flat_map(|index| self.element(index)))
                .chain(&self.siblings.elements)
                .filter(|one| !indent::begins_unindented(self.parsed, one.core.start()))
                .filter(starts)
        };
        let model = models()
            .find(|one| one.node.is_in(Mark::Outdented, parent) == is_outdented)
            .or_else(|| models().next());
        if let Some(model) = model {
            let span = if indented { model.core } else { model.span() };
            return Home::of(self.parsed, &self.container, span);
        }
        let body = self.siblings.parent.body();
        let is_behind_sign = body.is_some_and(|body| body.after.is_some());
        let is_bracketed = self.siblings.closing().is_some() || is_behind_sign;
        if !self.margin.is_empty() && !is_bracketed {
            return Home::new(self.margin.clone(), None);
        }
        let at = self.element(self.left).or(self.element(self.right));
        let at = at.map_or(self.siblings.parent.span(), |element| element.core);
        let home = Home::of(self.parsed, &self.container, Span::at(at.start()));
        match is_bracketed {
            true => home.deeper(self.siblings.parent.language().indent()),
            false => home,
        }
    }

    /// What the body is of, if the body stands in its line and opens up for more: `if a: b`.
    pub(super) fn header(&self) -> Option<Node<'p>> {
        let [.., header, body] = self.container[..] else {
            return None;
        };
        let first = self.siblings.elements.first()?;
        let in_line = body.is_indented() && !self.lines().starts_line(first.core.start());
        in_line.then_some(header)
    }

    /// Whether what the parent holds stands where its lines begin, whatever white space a
    /// neighbour has in front: in a section or an item of Markdown.
    pub(super) fn stands_at_margin(&self) -> bool {
        let body = self.siblings.parent.body();
        let marked = self
            .siblings
            .elements
            .first()
            .is_some_and(|first| first.node.is(Mark::Marker));
        body.is_some_and(|body| body.lines && (body.blank || marked))
    }

    /// The blank lines between the two neighbours.
    pub(super) fn existing_blank_lines(&self) -> usize {
        match (self.element(self.left), self.inner(self.right)) {
            (Some(left), Some(right)) => self
                .lines()
                .breaks(left.end, right.start())
                .saturating_sub(1),
            _ => 0,
        }
    }

    /// Whether what stands before the place is but the marker that begins its first line.
    pub(super) fn is_behind_marker(&self) -> bool {
        self.element(self.left)
            .is_some_and(|left| left.node.is(Mark::Marker))
    }

    /// The separator with the blanks behind it that a member of the list has before it, where the
    /// members have their own.
    pub(super) fn lead(&self) -> Option<String> {
        let list = self.list().filter(|list| list.leads)?;
        let sides = [self.left, self.right].into_iter();
        let near = sides.flat_map(|index| self.element(index));
        let model = near
            .chain(&self.siblings.elements)
            .find(|one| one.lead.is_some())?;
        let lead = model.lead?;
        let text = Span::new(lead.start(), model.start_behind_lead());
        let text = self.parsed.source().slice(text);
        Some(match text.contains(['\n', '\r']) {
            true => format!("{} ", list.token()),
            false => text.into_owned(),
        })
    }

    /// The right neighbour, if it is the first member and has no separator before it, as the others do.
    pub(super) fn first_without_lead(&self) -> Option<&Element<'p>> {
        let right = self
            .element(self.right)
            .filter(|right| right.lead.is_none())?;
        let is_first = self.siblings.members().next()?.core == right.core;
        (is_first && right.role == Role::Member).then_some(right)
    }

    /// The white space between two neighbours in one line.
    pub(super) fn inline_gap(&self) -> String {
        let source = self.parsed.source();
        if let Some(continuation) = self.continuation() {
            return continuation;
        }
        if self.siblings.is_prose() && self.siblings.has_words {
            // Words that are apart stay so, and those that touch.
            let touch = self
                .inner(self.left)
                .zip(self.inner(self.right))
                .is_some_and(|(left, right)| {
                    let behind = source.slice(Span::new(left.end, right.start().max(left.end)));
                    !behind.starts_with(char::is_whitespace)
                });
            return if touch { "" } else { " " }.to_string();
        }
        let between = |one: &Element<'_>, other: &Element<'_>| {
            let both = one.is_inside() && other.is_inside();
            let separated = self.list().is_none() || one.separator.is_some();
            let gap = Span::new(one.end, other.start().max(one.end));
            let text = source.slice(gap);
            let is_blank = text.chars().all(|c| matches!(c, ' ' | '\t'));
            // Signs of two words of running text that touch may read as one sign.
            let parts = !text.is_empty() || !self.siblings.is_running_text;
            (both && separated && is_blank && parts).then(|| text.into_owned())
        };
        let here = match (self.element(self.left), self.element(self.right)) {
            (Some(left), Some(right)) => between(left, right),
            _ => None,
        };
        let pairs = self.siblings.elements.windows(2);
        let elsewhere = || {
            pairs
                .into_iter()
                .find_map(|pair| between(&pair[0], &pair[1]))
        };
        // A list with a single member is written as the one it is in, else as what is in it.
        let in_list = |node: Node<'_>| {
            let around = Siblings::of(self.parsed, node);
            let same = around.list.map(List::token) == self.list().map(List::token);
            let mut pairs = around.elements.windows(2).filter(|_| same);
            pairs.find_map(|pair| between(&pair[0], &pair[1]))
        };
        let is_list = |node: &Node<'_>| node.list().is_some();
        let further_out = || {
            let above = self.container.iter().rev().skip(1).copied();
            in_list(above.into_iter().find(is_list)?)
        };
        let further_in = || {
            let members = self.siblings.members().map(|member| member.node);
            members.filter(is_list).find_map(in_list)
        };
        here.or_else(elsewhere)
            .or_else(further_out)
            .or_else(further_in)
            .unwrap_or_else(|| if self.siblings.is_prose() { "" } else { " " }.to_string())
    }
}

/// Whether the last sign of `node` is one that the parser put in.
fn lacks_its_end(node: Node<'_>) -> bool {
    let mut last = node;
    while let Some(child) = last.last_child() {
        last = child;
    }
    last.is_missing()
}

/// The nodes down to the inside of the last of `chain`.
fn body_of<'p>(parsed: &'p Parsed, chain: &[Node<'p>]) -> Result<Vec<Node<'p>>, EditError> {
    let mut chain = chain.to_vec();
    loop {
        let node = *chain.last().expect("a selection ends with its node");
        let children = named_children(parsed, node);
        // The inside may be that of a child: the function that a call is given.
        let deeper = children.iter().flat_map(|child| {
            let below = named_children(parsed, *child).into_iter();
            let is_body = |below: &Node<'_>| below.is_inner_body(&[node, *child]);
            below
                .filter(is_body)
                .map(|below| vec![*child, below])
                .collect::<Vec<_>>()
        });
        let mut bodies: Vec<Vec<Node<'p>>> = deeper.collect();
        if bodies.is_empty() {
            // What opens it, as the tag of an element, is an inside of its own.
            let is_own =
                |child: &&Node<'_>| !child.is(Mark::Frame) || children.first() != Some(*child);
            let own = children.iter().filter(|child| child.is_body_of(node));
            let own = own.filter(is_own);
            bodies = own.map(|child| vec![*child]).collect();
        }
        // Of a list and the block that follows it, the block is the inside.
        let is_before_body = bodies.iter().flatten().any(|body| body.is(Mark::Frame));
        let is_inside = node
            .list()
            .is_some_and(|list| !list.is_no_body && !is_before_body);
        if node.body().is_some() || is_inside {
            return Ok(chain);
        }
        let is_blank = |body: &[Node<'_>]| {
            let body = body.last().expect("a body is a node");
            trimmed_node(parsed, *body).is_empty()
        };
        let is_framed = children.iter().any(|child| child.is(Mark::Frame));
        match (bodies.as_slice(), children.as_slice()) {
            // There is nothing in it yet that content could stand beside.
            ([body], _) if is_framed && is_blank(body) => return Ok(chain),
            ([body], _) => chain.extend(body),
            ([], [body]) if !is_framed => chain.push(*body),
            _ => {
                let bodies = bodies.iter().flat_map(|body| body.last());
                return Err(EditError::NoInside {
                    bodies: bodies.map(|body| body.span()).collect(),
                });
            }
        }
    }
}

fn named_children<'p>(parsed: &'p Parsed, node: Node<'p>) -> Vec<Node<'p>> {
    let mut children = parsed.children(node);
    children.retain(|child| child.is_named() && !child.is_extra());
    children
}
