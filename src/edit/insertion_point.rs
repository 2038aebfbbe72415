//! Where content is inserted: between two siblings, or in an empty body.
//!
//! Takes a selection and a position before, after or inside it. Refuses a node without a body, or with several.

use std::cell::OnceCell;
use std::rc::Rc;

use crate::language::queries::{List, Mark, Opens};
use crate::parse::{Node, Parsed};
use crate::select::{Selection, trimmed_node};
use crate::source::Span;

use super::indent::{self, IndentTarget};
use super::siblings::{Element, KnownSiblings, Role, Siblings, whole};
use super::spacing::{self, Lines, RequestedBlankLines, SiblingSpacing};
use super::{EditError, ExactBlankLines, InsertPosition};

/// What content on lines of its own begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Beginning {
    /// A member as deep as its siblings.
    Member,
    /// Something that may be less deep than its siblings.
    Outdented,
    /// The keyword of a clause of the parent.
    Clause,
}

/// The sibling that the caller named: the content is inserted after the previous, or before the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Neighbour {
    Previous,
    Next,
}

/// A position between two siblings, or in an empty body.
pub(super) struct InsertionPoint<'p> {
    pub(super) parsed: &'p Parsed,
    /// The nodes from the root down to the parent of the siblings.
    pub(super) container: Vec<Node<'p>>,
    pub(super) siblings: Rc<Siblings<'p>>,
    /// The elements before and after the position.
    pub(super) previous: Option<usize>,
    pub(super) next: Option<usize>,
    /// The one that was named.
    pub(super) named: Neighbour,
    /// What each line of the container begins with: `> ` in a block quote.
    pub(super) margin: String,
    /// The blank lines between siblings nearby.
    pub(super) spacing: OnceCell<Vec<SiblingSpacing>>,
    targets: TargetCache<'p>,
    /// Whether the content is only comments, doc comments and attributes.
    pub(super) is_attached_alone: bool,
    /// The blank lines that the content requests before and after it.
    pub(super) requested: RequestedBlankLines,
    /// The blank lines that the caller requires before and after the content.
    pub(super) exact: ExactBlankLines,
    /// Whether the content has several lines or begins with a tag, so that it is more than words of prose.
    pub(super) is_block: bool,
}

/// The indentation targets of the content, each computed once for all layouts.
#[derive(Default)]
struct TargetCache<'p> {
    on_lines: OnceCell<IndentTarget<'p>>,
    outdented: OnceCell<IndentTarget<'p>>,
    clause: OnceCell<IndentTarget<'p>>,
    inline: OnceCell<IndentTarget<'p>>,
}

impl<'p> InsertionPoint<'p> {
    /// Returns the position before, after or inside the selected node.
    ///
    /// # Errors
    /// The content goes inside, and the node has no body or several.
    pub(super) fn at(
        selection: &Selection<'p>,
        position: InsertPosition,
        known: &KnownSiblings<'p>,
    ) -> Result<InsertionPoint<'p>, EditError> {
        let named = match position {
            InsertPosition::Before | InsertPosition::FirstChild => Neighbour::Next,
            InsertPosition::After | InsertPosition::LastChild => Neighbour::Previous,
        };
        match position {
            InsertPosition::Before | InsertPosition::After => {
                Ok(InsertionPoint::next_to(selection, named, known))
            }
            InsertPosition::FirstChild | InsertPosition::LastChild => {
                InsertionPoint::inside(selection, named, known)
            }
        }
    }

    fn new(
        parsed: &'p Parsed,
        container: Vec<Node<'p>>,
        siblings: Rc<Siblings<'p>>,
        named: Neighbour,
        [previous, next]: [Option<usize>; 2],
    ) -> InsertionPoint<'p> {
        InsertionPoint {
            parsed,
            margin: indent::margin(parsed, &container),
            container,
            previous,
            next: next.filter(|&next| next < siblings.elements.len()),
            siblings,
            named,
            spacing: OnceCell::new(),
            targets: TargetCache::default(),
            is_attached_alone: false,
            requested: RequestedBlankLines::default(),
            exact: ExactBlankLines::default(),
            is_block: false,
        }
    }

    fn next_to(
        selection: &Selection<'p>,
        named: Neighbour,
        known: &KnownSiblings<'p>,
    ) -> InsertionPoint<'p> {
        let parsed = selection.parsed();
        let mut chain = whole(parsed, selection.chain(), |parent, node| {
            let holds = parent.body().is_some() || parent.list().is_some();
            holds || parent.is(Mark::Row) || node.is(Mark::Within) || !parent.is_of_tree_of(node)
        });
        loop {
            let (node, container) = chain.split_last().expect("a selection ends with its node");
            let parent = *container.last().expect("the root cannot be edited");
            let (mut siblings, mut index) = known.around(parsed, parent, *node);
            if named == Neighbour::Next && node.attached_kind().is_some_and(|kind| kind.begins_same)
            {
                // Before a declaration is before the doc comments of that declaration too.
                let all = known.for_parent(parsed, parent);
                if let Some(bearer) = all.bearer_of(*node) {
                    (siblings, index) = (all, bearer);
                }
            }
            if named == Neighbour::Previous && node.is_word("comment", None) {
                // After the trailing comment of an element is after the element.
                let all = known.for_parent(parsed, parent);
                if let Some(trailed) = all.trailed_by(*node) {
                    (siblings, index) = (all, trailed);
                }
            }
            let is_head = |index: usize| {
                let element = siblings.elements.get(index);
                element.is_some_and(|element| element.role == Role::Head)
            };
            let is_own_symbol = node.tag(&[]).is_some();
            if named == Neighbour::Next
                && index == 0
                && is_head(index)
                && !is_own_symbol
                && container.len() > 1
            {
                // What must be first in a body stays first: the content goes before the body.
                chain.pop();
                continue;
            }
            let last_head = (index..).take_while(|&index| is_head(index)).last();
            let neighbours = match named {
                Neighbour::Previous => {
                    let previous = last_head.unwrap_or(index);
                    [Some(previous), Some(previous + 1)]
                }
                Neighbour::Next => [index.checked_sub(1), Some(index)],
            };
            let container = container.to_vec();
            return InsertionPoint::new(parsed, container, siblings, named, neighbours);
        }
    }

    fn inside(
        selection: &Selection<'p>,
        named: Neighbour,
        known: &KnownSiblings<'p>,
    ) -> Result<InsertionPoint<'p>, EditError> {
        let parsed = selection.parsed();
        let container = body_of(parsed, selection.chain(), named)?;
        let parent = *container.last().expect("a body is a node");
        let siblings = known.for_parent(parsed, parent);
        if siblings.elements.is_empty() || parent.is_void() {
            return Err(EditError::NoInside { bodies: Vec::new() });
        }
        let inside = |element: &Element<'_>| element.is_inside();
        let first = siblings.elements.iter().position(inside);
        // Nothing can follow a node that lacks its end: `#ifdef __cplusplus` before the brace of an
        // `extern "C"`.
        let ends = |element: &Element<'_>| inside(element) && !lacks_its_end(element.node);
        let last = siblings.elements.iter().rposition(ends);
        let neighbours = match (named, first, last) {
            (Neighbour::Next, Some(first), _) => [first.checked_sub(1), Some(first)],
            (Neighbour::Previous, _, Some(last)) => [Some(last), Some(last + 1)],
            _ => {
                let closing = siblings.closing();
                let end = closing.unwrap_or(siblings.elements.len());
                [end.checked_sub(1), closing]
            }
        };
        Ok(InsertionPoint::new(
            parsed, container, siblings, named, neighbours,
        ))
    }

    /// Moves a position before an import to before the comments directly above it, which are about several imports.
    pub(super) fn skip_comments_of_imports(&mut self) {
        let Some(import) = self.next.filter(|_| self.named == Neighbour::Next) else {
            return;
        };
        let elements = &self.siblings.elements;
        let lines = self.lines();
        let is_above = |index: &usize| {
            let (one, next) = (&elements[*index], &elements[*index + 1]);
            one.role == Role::Comment && lines.breaks(one.end, next.start()) == 1
        };
        if let Some(first) = (0..import).rev().take_while(is_above).last()
            && elements[import].node.is_import()
        {
            (self.previous, self.next) = (first.checked_sub(1), Some(first));
        }
    }

    /// Returns the index of the named neighbor.
    pub(super) fn named_index(&self) -> Option<usize> {
        match self.named {
            Neighbour::Previous => self.previous,
            Neighbour::Next => self.next,
        }
    }

    /// Returns the element at an index.
    pub(super) fn element(&self, index: Option<usize>) -> Option<&Element<'p>> {
        index.map(|index| &self.siblings.elements[index])
    }

    /// Returns the element at an index if it is not part of the parent's frame.
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

    /// Returns the nearest members of the list before and after the position, without comments.
    pub(super) fn members(&self) -> (Option<&Element<'p>>, Option<&Element<'p>>) {
        let is_member = |element: &&Element<'_>| element.role == Role::Member;
        let position = self.previous.map_or(0, |previous| previous + 1);
        let (mut before, mut after) = self.siblings.split_at(position);
        (before.find(is_member), after.find(is_member))
    }

    /// Returns whether the content goes on lines of its own.
    pub(super) fn is_on_lines(&self) -> bool {
        let lines = self.lines();
        let body = self.siblings.parent.body();
        let apart = |one: &Element<'_>, other: &Element<'_>| {
            lines.breaks(one.end, other.start()) > 0 && !self.is_continued_between(one, other)
        };
        // Whether a neighbor shares its line with the next one further out.
        let shares_line = |index: Option<usize>, further: Option<usize>| match (
            self.inner(index),
            self.inner(further),
        ) {
            (Some(one), Some(other)) if one.start() < other.start() => !apart(one, other),
            (Some(one), Some(other)) => !apart(other, one),
            _ => false,
        };
        let further_before = self.previous.and_then(|previous| previous.checked_sub(1));
        let further_after = self.next.map(|next| next + 1);
        let further_after = further_after.filter(|&next| next < self.siblings.elements.len());
        if self.siblings.is_running_text {
            return false;
        }
        if body.is_some_and(|body| body.lines || body.apart || body.indented) {
            return true;
        }
        if self.siblings.is_prose() {
            return self.is_on_lines_in_prose();
        }
        // Statements of several lines do not share a line, even if their neighbors do: `a;;`.
        let is_set_off = self.is_block && body.is_some() && self.list().is_none();
        match (self.inner(self.previous), self.inner(self.next)) {
            (Some(previous), _) if previous.trailing_comment && lines.ends_line(previous.end) => {
                true
            }
            (Some(previous), Some(next)) if is_set_off && apart(previous, next) => true,
            (Some(previous), None) if is_set_off && lines.ends_line(previous.end) => true,
            (None, Some(next)) if is_set_off && lines.starts_line(next.start()) => true,
            (Some(previous), Some(next)) if apart(previous, next) => match self.named {
                Neighbour::Previous => !shares_line(self.previous, further_before),
                Neighbour::Next => !shares_line(self.next, further_after),
            },
            (Some(_), Some(_)) => false,
            (Some(previous), None) => match self.inner(further_before) {
                Some(further) => apart(further, previous),
                None => self.is_only_member_on_lines(previous),
            },
            (None, Some(next)) => match self.inner(further_after) {
                Some(further) => apart(next, further),
                None => self.is_only_member_on_lines(next),
            },
            (None, None) => self.opens_on_lines(),
        }
    }

    /// Returns whether the only member has a line of its own. If nothing opens a list, the line of its first member shows
    /// nothing.
    fn is_only_member_on_lines(&self, lone: &Element<'_>) -> bool {
        let parent = self.siblings.parent;
        let begins_list = parent.span().start() == lone.core.start() && parent.body().is_none();
        match self.list() {
            Some(_) if begins_list => self.opens_on_lines(),
            _ => self.lines().starts_line(lone.start()),
        }
    }

    /// Returns whether an element of prose has several lines or starts a line.
    fn has_lines(&self, element: &Element<'_>) -> bool {
        let lines = self.lines();
        lines.starts_line(element.start()) || lines.breaks(element.start(), element.end) > 0
    }

    /// Returns the offset where the parent's text starts or ends, if every space in it counts.
    pub(super) fn edge_of_literal(&self) -> Option<usize> {
        let parent = self.siblings.parent;
        if !parent.is_protected() && !parent.is_in_protected() {
            return None;
        }
        let elements = &self.siblings.elements;
        match self.named {
            Neighbour::Next => elements
                .first()
                .filter(|first| first.opens())
                .map(|first| first.end),
            Neighbour::Previous => {
                let closing = self.siblings.closing();
                closing.map(|closing| elements[closing].core.start())
            }
        }
    }

    /// Returns whether the line of `one` continues in that of `other`: a backslash ends it.
    fn is_continued_between(&self, one: &Element<'_>, other: &Element<'_>) -> bool {
        let gap = Span::new(one.end.min(other.start()), other.start());
        spacing::is_continuation(&self.parsed.source().slice(gap))
    }

    /// Returns the text between the neighbors, else between the previous one and the one before it,
    /// if a line continues in another there.
    pub(super) fn continuation(&self) -> Option<String> {
        let further_left = self.previous.and_then(|left| left.checked_sub(1));
        let pairs = [(self.previous, self.next), (further_left, self.previous)];
        let mut pairs = pairs
            .into_iter()
            .filter_map(|(one, other)| Some((self.inner(one)?, self.inner(other)?)));
        let (one, other) = pairs.next()?;
        self.is_continued_between(one, other).then(|| {
            let gap = Span::new(one.end, other.start());
            self.parsed.source().slice(gap).replace("\r\n", "\n")
        })
    }

    /// Returns whether the named neighbor, or else the parent, has lines of its own.
    fn is_on_lines_in_prose(&self) -> bool {
        let lines = self.lines();
        let has_lines = |start, end| lines.starts_line(start) && lines.ends_line(end);
        match self.inner(self.named_index()) {
            Some(named) if self.siblings.has_words => has_lines(named.start(), named.end),
            Some(named) => match self.named {
                Neighbour::Previous => lines.ends_line(named.end) && self.has_lines(named),
                Neighbour::Next => lines.starts_line(named.start()) && self.has_lines(named),
            },
            None => {
                let span = trimmed_node(self.parsed, self.siblings.parent);
                self.is_block && has_lines(span.start(), span.end())
            }
        }
    }

    /// Returns whether the first member of an empty body gets a line of its own.
    fn opens_on_lines(&self) -> bool {
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

    /// Returns the separator that a member has only because it is the only one: `(a,)`.
    pub(super) fn separator_of_only_member(&self) -> Option<Span> {
        let mut members = self.siblings.members();
        let lone = members
            .next()
            .filter(|_| self.list().is_some_and(|list| list.single))?;
        let is_only = members.next().is_none();
        lone.separator.filter(|_| is_only)
    }

    /// Returns the indentation of content on lines of its own that begins like this.
    pub(super) fn target_on_lines(&self, beginning: Beginning) -> &IndentTarget<'p> {
        let target = match beginning {
            Beginning::Member => &self.targets.on_lines,
            Beginning::Outdented => &self.targets.outdented,
            Beginning::Clause => &self.targets.clause,
        };
        target.get_or_init(|| indent::of_insertion(self, beginning))
    }

    /// Returns the indentation of content within a line, after the byte `at`.
    pub(super) fn target_in_line(&self, at: usize) -> &IndentTarget<'p> {
        let find = || IndentTarget::for_span(self.parsed, &self.container, Span::at(at));
        self.targets.inline.get_or_init(find)
    }

    /// Returns the parent of a body that is in its parent's line and gets lines of its own: `if a: b`.
    pub(super) fn header(&self) -> Option<Node<'p>> {
        let [.., header, body] = self.container[..] else {
            return None;
        };
        let first = self.siblings.elements.first()?;
        let in_line = body.is_indented() && !self.lines().starts_line(first.core.start());
        in_line.then_some(header)
    }

    /// Returns whether the parent's children start where its lines begin, whatever whitespace
    /// precedes a neighbor: in a section or an item of Markdown.
    pub(super) fn is_at_margin(&self) -> bool {
        let body = self.siblings.parent.body();
        let marked = self
            .siblings
            .elements
            .first()
            .is_some_and(|first| first.node.is(Mark::Marker));
        body.is_some_and(|body| body.lines && (body.blank || marked))
    }

    /// Returns the number of blank lines between the two neighbors.
    pub(super) fn existing_blank_lines(&self) -> usize {
        match (self.element(self.previous), self.inner(self.next)) {
            (Some(left), Some(right)) => self
                .lines()
                .breaks(left.end, right.start())
                .saturating_sub(1),
            _ => 0,
        }
    }

    /// Returns whether the previous element is the marker that begins the parent's first line.
    pub(super) fn follows_marker(&self) -> bool {
        self.element(self.previous)
            .is_some_and(|left| left.node.is(Mark::Marker))
    }

    /// Returns the leading separator of a member, with the spaces that follow it, in a list whose members have one.
    pub(super) fn leading_separator(&self) -> Option<String> {
        let list = self.list()?;
        let neighbours = [self.previous, self.next].into_iter();
        let neighbours = neighbours.flat_map(|index| self.element(index));
        let mut models = neighbours.chain(&self.siblings.elements);
        let model = models.find(|one| one.lead.is_some())?;
        let lead = model.lead?;
        let text = Span::new(lead.start(), model.start_after_lead());
        let text = self.parsed.source().slice(text);
        Some(match text.contains(['\n', '\r']) {
            true => format!("{} ", list.token()),
            false => text.into_owned(),
        })
    }

    /// Returns the next element if it is the first member and, unlike the others, has no leading separator.
    pub(super) fn first_without_separator(&self) -> Option<&Element<'p>> {
        let next = self.element(self.next).filter(|next| next.lead.is_none())?;
        let is_first = self.siblings.members().next()?.core == next.core;
        (is_first && next.role == Role::Member).then_some(next)
    }
}

/// Returns whether the last token of `node` was inserted by the parser.
fn lacks_its_end(node: Node<'_>) -> bool {
    let mut last = node;
    while let Some(child) = last.last_child() {
        last = child;
    }
    last.is_missing()
}

/// Returns the nodes down to the body of the last of `chain`. Of a node with branches, the first position is that of the
/// first branch; the last one may be that of any branch, so the caller has to select one.
fn body_of<'p>(
    parsed: &'p Parsed,
    chain: &[Node<'p>],
    named: Neighbour,
) -> Result<Vec<Node<'p>>, EditError> {
    let mut chain = chain.to_vec();
    loop {
        let node = *chain.last().expect("a selection ends with its node");
        let children = named_children(parsed, node);
        let is_branch = |child: &Node<'_>| child.is(Mark::Branch);
        if named == Neighbour::Previous && children.iter().any(is_branch) {
            let bodies = children
                .iter()
                .filter(|child| child.is_body_of(node) || is_branch(child));
            return Err(EditError::NoInside {
                bodies: bodies.map(|body| body.span()).collect(),
            });
        }
        // The body may be that of a child: of a function that is an argument.
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
            // The first child opens the body, like the start tag of an element, and is a body of its own.
            let is_own =
                |child: &&Node<'_>| !child.is(Mark::Frame) || children.first() != Some(*child);
            let own = children.iter().filter(|child| child.is_body_of(node));
            let own = own.filter(is_own);
            bodies = own.map(|child| vec![*child]).collect();
        }
        // Of a list and the block that follows it, the block is the body.
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
            // It has no member yet.
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
