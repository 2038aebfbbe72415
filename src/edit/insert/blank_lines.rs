//! The blank lines before and after the content.

use super::super::ExactBlankLines;
use super::super::insertion_point::{InsertionPoint, Neighbour};
use super::super::siblings::Role;
use super::super::spacing::{
    self, BlankLines, RequestedBlankLines, SiblingSpacing, SpacingClass, SpacingContext,
};
use super::Sides;
use super::content::InsertedNodes;

/// The neighbors of the content as far as they influence its blank lines.
struct Neighbours {
    previous: Option<SpacingClass>,
    next: Option<SpacingClass>,
    /// The first and the last element of the content.
    first: SpacingClass,
    last: SpacingClass,
    /// The blank lines between the neighbors.
    existing: usize,
    /// Whether there are two neighbors, so that `existing` is a model.
    are_both: bool,
}

impl Neighbours {
    /// Returns whether all are of one class and have no blank lines between them.
    fn is_uniform_and_tight(&self) -> bool {
        let classes = [self.previous, self.next, Some(self.first), Some(self.last)];
        self.is_tight() && classes.windows(2).all(|pair| pair[0] == pair[1])
    }

    fn is_tight(&self) -> bool {
        self.are_both && self.existing == 0
    }
}

impl InsertionPoint<'_> {
    /// Returns the blank lines of the content: those that the siblings suggest, those that it requests, and one where it
    /// has to be kept apart.
    pub(super) fn all_blank_lines(
        &self,
        nodes: Option<&InsertedNodes>,
        separate: Sides,
    ) -> BlankLines {
        let mut blank_lines = self.usual_blank_lines(nodes);
        if self.requested.any() && !self.is_in_tight_list(blank_lines) {
            let RequestedBlankLines(requested) = self.requested;
            // None next to a bracket.
            let requested_at = |side, lines| self.inner(side).map_or(0, |_| lines);
            blank_lines = blank_lines.at_least(
                requested_at(self.previous, requested.before),
                requested_at(self.next, requested.after),
            );
        }
        match spacing::is_body_of_lines(self.siblings.parent) {
            true => blank_lines.at_least(separate.before.into(), separate.after.into()),
            false => blank_lines,
        }
    }

    /// Returns the blank lines that the siblings suggest. The blank lines that separated the
    /// neighbors stay on at least one side.
    fn usual_blank_lines(&self, nodes: Option<&InsertedNodes>) -> BlankLines {
        let existing = self.existing_blank_lines();
        let precedes_its_element = self.is_attached_alone && self.named == Neighbour::Next;
        if precedes_its_element || nodes.is_some_and(|nodes| nodes.attached.is_some()) {
            return BlankLines {
                before: existing,
                after: 0,
            };
        }
        let neighbours = self.neighbours(nodes, existing);
        if neighbours.is_uniform_and_tight() {
            return BlankLines::default();
        }
        // Members without blank lines between them stay so, except for a definition of several lines.
        let is_code = !spacing::is_body_of_lines(self.siblings.parent);
        let are_members = [self.previous, self.next].into_iter().all(|index| {
            let element = self.element(index);
            element.is_some_and(|element| element.role == Role::Member)
        });
        let is_tight = neighbours.is_tight() && is_code && are_members;
        if is_tight && !neighbours.first.is_tall_symbol() {
            return BlankLines::default();
        }
        let blank_lines = self.as_neighbours_want(&neighbours);
        // Doc comments that belong to neither neighbor do not belong to the content either.
        let follows_docs = |index: Option<usize>| {
            let tables = self.siblings.parent.tables();
            let element = self.element(index);
            tables.is_some_and(|tables| tables.has_following_docs())
                && element.is_some_and(|element| element.role == Role::Comment)
        };
        blank_lines.at_least(
            if follows_docs(self.previous) {
                existing
            } else {
                0
            },
            usize::from(follows_docs(self.next)),
        )
    }

    fn neighbours(&self, nodes: Option<&InsertedNodes>, existing: usize) -> Neighbours {
        let class = |index: Option<usize>| {
            self.inner(index)
                .map(|element| SpacingClass::from_element(self.parsed, element))
        };
        let (previous, next) = (class(self.previous), class(self.next));
        let unknown = previous.or(next).unwrap_or_default();
        Neighbours {
            previous,
            next,
            first: nodes.map_or(unknown, |nodes| nodes.first),
            last: nodes.map_or(unknown, |nodes| nodes.last),
            existing,
            are_both: self
                .inner(self.previous)
                .and(self.inner(self.next))
                .is_some(),
        }
    }

    /// Returns the blank lines between the content and the named neighbor as usual between two such elements. The other
    /// neighbor keeps at least the blank lines that were there, unless the named one has them and the other one may be in
    /// a group with the content. A definition of several lines keeps them on both sides.
    fn as_neighbours_want(&self, neighbours: &Neighbours) -> BlankLines {
        let Neighbours {
            first,
            last,
            existing,
            ..
        } = *neighbours;
        let context = SpacingContext {
            parsed: self.parsed,
            container: &self.container,
            siblings: &self.siblings,
            pairs: self.spacing_nearby(),
            here: neighbours.are_both.then_some(existing),
            previous: self.previous,
        };
        let kept = match neighbours.are_both {
            true => existing,
            false => 0,
        };
        let previous = neighbours.previous.filter(|_| !self.follows_marker());
        let before =
            previous.map(|previous| (previous, first, context.blank_lines(previous, first)));
        let after = neighbours
            .next
            .map(|next| (next, last, context.blank_lines(last, next)));
        let (named, other) = match self.named {
            Neighbour::Previous => (before, after),
            Neighbour::Next => (after, before),
        };
        let named = named.map(|(neighbour, own, usual)| {
            // The body stays apart from its head.
            let may_be_apart = own.is_tall() || neighbour.is_head();
            let is_apart = may_be_apart && !neighbour.is_of_type(own);
            match is_apart || own.is_block_symbol() {
                true => usual.max(kept),
                false => usual,
            }
        });
        let other = other.map_or(0, |(neighbour, own, usual)| {
            let may_be_fewer = named >= Some(existing)
                && neighbour.may_be_in_group_with(own)
                && !self.requested.any()
                && self.exact == ExactBlankLines::default();
            match may_be_fewer {
                true => usual,
                false => usual.max(kept),
            }
        });
        let named = named.filter(|_| !self.joins_group(neighbours)).unwrap_or(0);
        match self.named {
            Neighbour::Previous => BlankLines {
                before: named,
                after: other,
            },
            Neighbour::Next => BlankLines {
                before: other,
                after: named,
            },
        }
    }

    /// Returns whether the named neighbor and the element further out are consecutive lines of the
    /// content's class: the content joins their group.
    fn joins_group(&self, neighbours: &Neighbours) -> bool {
        let (named, further, own) = match self.named {
            Neighbour::Previous => {
                let further = self.previous.and_then(|previous| previous.checked_sub(1));
                (self.previous, further, neighbours.first)
            }
            Neighbour::Next => (self.next, self.next.map(|next| next + 1), neighbours.last),
        };
        let further = further.and_then(|index| self.siblings.elements.get(index));
        let further = further.filter(|element| element.role == Role::Member);
        let Some((named, further)) = self.inner(named).zip(further) else {
            return false;
        };
        let source = self.parsed.source();
        let (first, second) = match named.start() < further.start() {
            true => (named, further),
            false => (further, named),
        };
        let are_consecutive = source.line_of(second.start()) == source.line_of(first.end) + 1;
        let is_line_like =
            |element| SpacingClass::from_element(self.parsed, element).is_line_like(own);
        are_consecutive && is_line_like(named) && is_line_like(further)
    }

    /// Returns whether the content goes into a list (of items, arguments, fields) whose members have no blank lines between
    /// them. `usual` is what the siblings suggest.
    fn is_in_tight_list(&self, usual: BlankLines) -> bool {
        let parent = self.siblings.parent;
        let [named, other] = match self.named {
            Neighbour::Previous => [self.previous, self.next],
            Neighbour::Next => [self.next, self.previous],
        };
        let neighbour = self.inner(named).or(self.inner(other));
        let Some(neighbour) = neighbour.filter(|_| usual == BlankLines::default()) else {
            return false;
        };
        let is_list = self
            .list()
            .is_some_and(|list| !list.optional && !list.or_lines)
            || parent.body().is_some_and(|body| body.lines && !body.blank)
            || neighbour.node.is_word("field", Some(parent));
        let class = SpacingClass::from_element(self.parsed, neighbour);
        let mut alike = self
            .spacing_nearby()
            .iter()
            .filter(|pair| pair.first.is_of_type(class) && pair.second.is_of_type(class));
        is_list && alike.all(|pair| pair.blank_lines == 0)
    }

    /// Returns the blank lines between siblings near the position.
    fn spacing_nearby(&self) -> &[SiblingSpacing] {
        self.spacing.get_or_init(|| {
            let near = self.previous.or(self.next).unwrap_or(0);
            spacing::observed(self.parsed, &self.siblings, near)
        })
    }
}
