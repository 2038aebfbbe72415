//! Content comes beside a node or inside its body.

use crate::change::{Change, EditNote, Replacement};
use crate::language::queries::Mark;
use crate::parse::{Node, Parsed};
use crate::select::{Selection, trimmed_node};
use crate::source::{Source, Span};

use super::gap::{Gap, Side};
use super::indent::{self, Home};
use super::siblings::{Element, Role, Siblings};
use super::spacing::{self, Look, Neighbourhood, Pair};
use super::{
    Composed, Content, EditError, InsertPosition, bare_content, carried_out, has_other_line_ending,
    laid_out,
};

/// Inserts with the separators, the indentation and the blank lines that the place wants.
///
/// # Errors
/// The node has no body to insert into, or several.
pub(super) fn insert<'p>(
    selection: Selection<'p>,
    position: InsertPosition,
    given: &str,
    verbatim: bool,
) -> Result<Change<'p>, EditError> {
    let mut gap = match position {
        InsertPosition::Before => Gap::beside(&selection, Side::Right),
        InsertPosition::After => Gap::beside(&selection, Side::Left),
        InsertPosition::FirstChild => Gap::inside(&selection, Side::Right)?,
        InsertPosition::LastChild => Gap::inside(&selection, Side::Left)?,
    };
    let parsed = selection.parsed();
    let source = parsed.source();
    let line_ending = source.line_ending_at(selection.span().start());
    let content = match verbatim {
        true => given.replace("\r\n", "\n").trim_matches('\n').to_string(),
        false => bare_content(given),
    };
    let is_inside = matches!(
        position,
        InsertPosition::FirstChild | InsertPosition::LastChild
    );
    if let Some(at) = gap.edge_of_literal().filter(|_| is_inside) {
        return Ok(right_at(&selection, at, given, &gap.container));
    }
    gap.asked = BlankLines::of(&given.replace("\r\n", "\n"));
    gap.is_block = content.contains('\n') || content.trim_start().starts_with('<');
    gap.is_attached_alone = is_attached_alone(gap.siblings.parent, &content);
    // A sign that the line goes on stands between the lines already.
    let goes_on = gap.continuation().is_some() && !verbatim;
    let content = match content.strip_suffix('\\').filter(|_| goes_on) {
        Some(bare) if bare.ends_with([' ', '\t']) => bare.trim_end().to_string(),
        _ => content,
    };
    let mut apart = (false, false);
    let mut placed = None;
    laid_out(&selection, |last| {
        let seen = last.map(|last| gap.seen(last));
        let compose = |apart| match gap.is_on_lines() {
            true => gap.on_lines(&content, verbatim, last, seen.as_ref(), apart),
            false => gap.inline(&content, verbatim, last, seen.as_ref()),
        };
        let mut text = compose(apart);
        let glued = seen.as_ref().map_or((false, false), |seen| seen.glued);
        if (glued.0 || glued.1) && placed.as_ref() == Some(&text.content) {
            // Its indentation is not why it became a part of its neighbour.
            apart = (apart.0 || glued.0, apart.1 || glued.1);
            text = compose(apart);
        }
        placed = Some(text.content.clone());
        let mut notes = std::mem::take(&mut text.notes);
        if has_other_line_ending(given, line_ending) {
            notes.push(EditNote::LineEndings);
        }
        text.composed(&gap, line_ending, notes)
    })
}

/// Inserts beside a part of a string or a comment, where every blank counts: right at its edge.
///
/// # Errors
/// Such a part has no body.
pub(super) fn beside_literal<'p>(
    selection: Selection<'p>,
    position: InsertPosition,
    given: &str,
) -> Result<Change<'p>, EditError> {
    let span = selection.span();
    let at = match position {
        InsertPosition::Before => span.start(),
        InsertPosition::After => span.end(),
        InsertPosition::FirstChild | InsertPosition::LastChild => {
            return Err(EditError::NoInside { bodies: Vec::new() });
        }
    };
    let chain = selection.chain();
    Ok(right_at(&selection, at, given, &chain[..chain.len() - 1]))
}

/// Inserts right at `at`, among the children of the last of `container`.
fn right_at<'p>(
    selection: &Selection<'p>,
    at: usize,
    given: &str,
    container: &[Node<'p>],
) -> Change<'p> {
    let line_ending = selection.parsed().source().line_ending_at(at);
    let text = given.replace("\r\n", "\n").replace('\n', line_ending);
    let composed = Composed {
        content: Content {
            replacement: 0,
            start: 0,
            len: text.len(),
        },
        replacements: vec![Replacement {
            span: Span::at(at),
            new_text: text,
        }],
        container: container.to_vec(),
        gone: Vec::new(),
        notes: Vec::new(),
    };
    carried_out(selection, composed)
}

/// The blank lines that content asks for before and after it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BlankLines {
    before: usize,
    after: usize,
}

impl BlankLines {
    /// Each line break at the start asks for one, and each at the end but the last, which only ends the content.
    fn of(given: &str) -> BlankLines {
        let breaks = |whitespace: &str| whitespace.matches('\n').count();
        let lead = given.len() - given.trim_start().len();
        let trail = given.trim_end().len().max(lead);
        BlankLines {
            before: breaks(&given[..lead]),
            after: breaks(&given[trail..]).saturating_sub(1),
        }
    }

    fn is_any(self) -> bool {
        self.before + self.after > 0
    }
}

/// What the tree says of inserted content.
struct Seen {
    first: Look,
    last: Look,
    /// The last member needs no separator behind it.
    unseparated: bool,
    /// Where the last member ends in the last line of the content, white space before the line left
    /// aside, if a comment follows it there.
    tail_at: Option<usize>,
    /// It went into the neighbour before it, or the one behind it.
    glued: (bool, bool),
    /// It is attached to what follows it: comments, doc comments, attributes. Of what kind the first is.
    attached: Option<String>,
}

/// Content with the separators that its place wants.
#[derive(Default)]
struct Worded {
    content: String,
    behind: String,
    /// The separator that the left neighbour gets, and where.
    left_separator: Option<(usize, String)>,
    /// That a separator of the content was left out.
    dropped: Option<EditNote>,
    /// Whether the content came with the separator that stands before it.
    brings_lead: bool,
}

/// The new text with what goes round the content.
struct Text {
    at: Span,
    before: String,
    content: String,
    behind: String,
    /// The separator that the left neighbour gets, and where.
    left_separator: Option<(usize, String)>,
    /// The blanks before a body in its header's line, and the line break they become.
    opening: Option<Replacement>,
    /// The line break before the closing bracket that shared its line with the member before it.
    closing: Option<Replacement>,
    /// The separator of a lone member, which needs none beside another.
    surplus: Option<Span>,
    notes: Vec<EditNote>,
}

impl Text {
    fn composed<'p>(
        self,
        gap: &Gap<'p>,
        line_ending: &str,
        mut notes: Vec<EditNote>,
    ) -> Composed<'p> {
        let of_file = |text: &str| text.replace('\n', line_ending);
        let mut replacements = Vec::new();
        if let Some((at, separator)) = self.left_separator {
            notes.push(EditNote::SeparatorAdded {
                text: separator.clone(),
            });
            replacements.push(Replacement {
                span: Span::at(at),
                new_text: separator,
            });
        }
        replacements.extend(self.opening.map(|opening| Replacement {
            new_text: of_file(&opening.new_text),
            ..opening
        }));
        let (before, content) = (of_file(&self.before), of_file(&self.content));
        let place = Content {
            replacement: replacements.len(),
            start: before.len(),
            len: content.len(),
        };
        replacements.push(Replacement {
            span: self.at,
            new_text: before + &content + &of_file(&self.behind),
        });
        replacements.extend(self.closing.map(|closing| Replacement {
            new_text: of_file(&closing.new_text),
            ..closing
        }));
        replacements.extend(self.surplus.map(Replacement::deletion));
        Composed {
            replacements,
            content: place,
            container: gap.container.clone(),
            gone: Vec::new(),
            notes,
        }
    }
}

impl<'p> Gap<'p> {
    /// Content with the separators that the place wants: behind it, and before a comment that it
    /// ends with.
    fn worded(&self, content: &str, on_lines: bool, seen: Option<&Seen>) -> Worded {
        let Some(list) = self.list().filter(|_| !self.is_attached_alone) else {
            return Worded {
                content: content.to_string(),
                ..Worded::default()
            };
        };
        if self.leads(on_lines) {
            let bare = content.trim();
            let behind = list.strip_start(bare).map(str::trim_start);
            let bare = behind.unwrap_or(bare);
            return Worded {
                content: list.strip_end(bare).unwrap_or(bare).trim_end().to_string(),
                brings_lead: behind.is_some(),
                ..Worded::default()
            };
        }
        let tail_at = seen
            .and_then(|seen| seen.tail_at)
            .map(|at| last_line(content) + at)
            .filter(|at| content.is_char_boundary(*at));
        let (body, tail) = content.split_at(tail_at.unwrap_or(content.len()));
        let body = body.trim_end();
        let (bare, tail) = match list.strip_start(tail.trim_start()) {
            Some(rest) => (body, rest),
            None => (list.strip_end(body).unwrap_or(body), tail),
        };
        let bare = bare.trim_end();
        let bare = list
            .strip_start(bare)
            .map_or(bare, |bare| bare.trim_start_matches([' ', '\t']));
        let is_bare = bare.len() + tail.len() == content.len();
        let (left_separator, separator) = self.separators(on_lines, !is_bare, seen);
        let drops = separator.is_empty();
        // A separator on a line of its own stays there; some contents end themselves.
        let own = body.strip_prefix(bare).unwrap_or_default();
        let keeps =
            !drops && tail.is_empty() && own.contains('\n') && list.strip_end(own).is_some();
        let (content, behind) = match list.ends_itself(bare) {
            true => (bare, String::new()),
            false if keeps => (body, String::new()),
            false => (bare, separator),
        };
        let mut worded = Worded {
            content: content.to_string(),
            behind,
            left_separator,
            dropped: (!is_bare && drops).then(|| match list.token() {
                "," => EditNote::CommaDropped,
                token => EditNote::SeparatorDropped {
                    text: token.to_string(),
                },
            }),
            brings_lead: false,
        };
        if !tail.is_empty() {
            worded.content += &std::mem::take(&mut worded.behind);
            worded.content += tail;
        }
        worded
    }

    /// Whether the content gets its separator before it, or the member that it comes before does.
    fn leads(&self, on_lines: bool) -> bool {
        let is_before_first =
            || self.inner(self.left).is_none() && self.inner(self.right).is_some();
        (on_lines || is_before_first()) && self.lead().is_some()
    }

    /// What the tree says of the content of the last round.
    fn seen(&self, last: &Change<'_>) -> Seen {
        let neighbour = match self.near {
            Side::Left => self.element(self.left).or(self.element(self.right)),
            Side::Right => self.element(self.right).or(self.element(self.left)),
        };
        let fallback = neighbour.map(|element| Look::of(self.parsed, element));
        let unknown = fallback.unwrap_or_default();
        let mut seen = Seen {
            first: unknown,
            last: unknown,
            unseparated: false,
            tail_at: None,
            glued: match self.near {
                Side::Left => (true, false),
                Side::Right => (false, true),
            },
            attached: None,
        };
        let new = last.new_span();
        let kind = self.siblings.parent.kind();
        let chain = last.after().chain(new);
        let container = chain.iter().enumerate().rev().find(|(depth, node)| {
            let own = trimmed_node(last.after(), **node);
            node.kind() == kind && (*depth == 0 || !new.contains(own))
        });
        let Some((_, container)) = container else {
            return seen;
        };
        let siblings = Siblings::within(last.after(), *container, new);
        // It may stand in one node with what it is attached to: a decorator.
        let inside = |one: &Element<'_>| {
            let attached = one.node.attached_inside().into_iter();
            let mut own = attached.filter(|(_, node)| new.contains(node.span()));
            own.next().map(|(kind, _)| kind.to_string())
        };
        let mut own = siblings
            .elements
            .iter()
            .filter(|one| new.contains(one.core) && !one.core.is_empty())
            .filter(|one| one.role != Role::Frame);
        if let Some(first) = own.next() {
            let end = own.next_back().unwrap_or(first);
            seen.glued = (false, false);
            seen.tail_at = tail_at(last.after(), end, new);
            seen.first = Look::of(last.after(), first);
            seen.last = Look::of(last.after(), end);
            seen.unseparated = end.node.is(Mark::Unseparated) || !is_member(end.node);
        } else {
            let attached = siblings.elements.iter().flat_map(|one| &one.attached);
            let first = attached.into_iter().find(|one| new.contains(one.span));
            let inside = siblings.elements.iter().find_map(inside);
            seen.attached = first.map(|first| first.kind.clone()).or(inside);
            if seen.attached.is_some() {
                seen.glued = (false, false);
            }
        }
        let cut = siblings
            .elements
            .iter()
            .filter(|one| one.core.overlaps(new) && inside(one).is_none());
        let sides = cut.fold((false, false), |(before, behind), one| {
            (
                before || one.core.start() < new.start(),
                behind || one.core.end() > new.end(),
            )
        });
        if sides.0 || sides.1 {
            seen.glued = sides;
        }
        seen
    }

    /// The separator the left neighbour lacks, and where it goes; and that behind the content.
    /// `given` is whether the content came with its own.
    fn separators(
        &self,
        on_lines: bool,
        given: bool,
        seen: Option<&Seen>,
    ) -> (Option<(usize, String)>, String) {
        let Some(list) = self.list() else {
            return (None, String::new());
        };
        let separator = self.siblings.separator(self.parsed).unwrap_or_default();
        let needs_none = |element: &Element<'_>| element.node.is(Mark::Unseparated);
        let (mut left, mut right) = self.members();
        if list.optional && on_lines {
            // As the nearest has it that could have one.
            let near = [left, right].into_iter().flatten();
            let mut models = near.chain(self.siblings.members());
            let model = models.find(|one| !needs_none(one));
            let styled = model.map_or(given, |one| one.separator.is_some());
            let behind = styled && !seen.is_some_and(|seen| seen.unseparated);
            return (None, if behind { separator } else { String::new() });
        }
        if list.or_lines {
            // A neighbour in another line than the content is set apart by that.
            let (near_left, near_right) = (self.element(self.left), self.element(self.right));
            let apart = near_left
                .zip(near_right)
                .is_some_and(|(left, right)| self.lines().breaks(left.end, right.start()) > 0);
            left = left.filter(|_| !(on_lines || apart && self.near == Side::Right));
            right = right.filter(|_| !(on_lines || apart && self.near == Side::Left));
        }
        let lacks = left.filter(|left| left.separator.is_none() && !needs_none(left));
        let trailing = match (left, right) {
            (_, Some(_)) => true,
            (Some(_), None) if !on_lines && self.of_lone_member().is_some() => false,
            (Some(left), None) if left.separator.is_some() => true,
            (Some(left), None) if !needs_none(left) => false,
            (Some(_), None) => on_lines && list.trailing,
            (None, None) => (on_lines && list.trailing) || list.single,
        };
        // What comes beside what needs none is mostly of its kind.
        let near = match self.near {
            Side::Left => left,
            Side::Right => right,
        };
        let unseparated = match seen {
            Some(seen) => seen.unseparated,
            None => near.is_some_and(needs_none),
        };
        let behind = trailing && !unseparated;
        (
            lacks.map(|left| (left.core.end(), separator.clone())),
            if behind { separator } else { String::new() },
        )
    }

    fn on_lines(
        &self,
        given: &str,
        verbatim: bool,
        last: Option<&Change<'_>>,
        seen: Option<&Seen>,
        apart: (bool, bool),
    ) -> Text {
        let begins_outdented =
            |last: &Change<'_>| indent::begins_outdented(last.after(), last.new_span().start());
        let home = self.home(last.is_some_and(begins_outdented));
        let prefix = home.prefix();
        let worded = self.worded(given, true, seen);
        let lead = self
            .lead()
            .filter(|_| self.leads(true) && !self.is_attached_alone);
        let own_home = match &lead {
            Some(lead) if !worded.brings_lead => &home.clone().behind(lead),
            _ => home,
        };
        let (content, mut notes) = placed(&worded.content, verbatim, own_home, last);
        notes.extend(worded.dropped);
        let stays =
            |last: &Change<'_>| indent::begins_unindented(last.after(), last.new_span().start());
        let own_prefix = match verbatim {
            true => "",
            false if last.is_some_and(stays) => indent::leading(given),
            false => prefix.as_str(),
        };
        let mut text = Text {
            at: Span::at(0),
            before: String::new(),
            content,
            behind: worded.behind,
            left_separator: worded.left_separator,
            opening: None,
            closing: None,
            surplus: None,
            notes,
        };
        let lines = self.lines();
        let (mut before, mut behind) = self.blank_lines(seen);
        if self.asked.is_any() && !self.is_tight(before, behind) {
            // None next to a bracket.
            let asked = |side, lines| if self.inner(side).is_some() { lines } else { 0 };
            before = before.max(asked(self.left, self.asked.before));
            behind = behind.max(asked(self.right, self.asked.after));
        }
        if spacing::is_body_of_lines(self.siblings.parent) {
            before = before.max(usize::from(apart.0));
            behind = behind.max(usize::from(apart.1));
        }
        let (left, right) = (self.element(self.left), self.element(self.right));
        if let Some(lead) = &lead {
            if !worded.brings_lead {
                text.notes.push(EditNote::SeparatorAdded {
                    text: lead.trim().to_string(),
                });
            }
            if let Some(first) = self.first_without_lead() {
                // It has one before it from now on, and the content has none.
                text.at = Span::at(first.start());
                text.behind = home.breaks(0) + &prefix + lead;
                return text;
            }
        }
        let own_prefix = &(own_prefix.to_string() + lead.as_deref().unwrap_or_default());
        text.opening = self.opening(&prefix, own_prefix);
        if let Some([open, close]) = self.body_in_a_line() {
            let [own, last] = [own_prefix, &prefix].map(|prefix| home.breaks(0) + prefix);
            let outer = Home::of(self.parsed, &self.container, Span::at(open.start()));
            let outer = home.breaks(0) + &outer.prefix();
            let (at, behind) = match self.near {
                Side::Left => {
                    text.opening = Some(Replacement {
                        span: open,
                        new_text: last,
                    });
                    (close, outer)
                }
                Side::Right => {
                    text.closing = Some(Replacement {
                        span: close,
                        new_text: outer,
                    });
                    (open, last)
                }
            };
            text.at = at;
            text.before = own;
            text.behind += &behind;
            return text;
        }
        match (self.inner(self.left), self.inner(self.right)) {
            (Some(left), Some(right))
                if self.siblings.parent.is_indented()
                    && lines.breaks(left.end, right.start()) == 0 =>
            {
                // Statements in one line part.
                text.at = Span::new(left.end, right.start());
                text.before = home.breaks(0) + own_prefix;
                text.behind += &(home.breaks(0) + &prefix);
            }
            (None, None) if self.siblings.closing().is_some() => {
                // An empty body opens up.
                let (Some(open), Some(close)) = (left, right) else {
                    return text;
                };
                let outer = Home::of(self.parsed, &self.container, open.core);
                text.at = Span::new(open.end, close.core.start());
                text.before = home.breaks(0) + own_prefix;
                text.behind += &(home.breaks(0) + &outer.prefix());
            }
            (Some(left), Some(_)) if self.parts_blank_lines(before, behind) => {
                // As many stand there as are wanted on both sides.
                let first = lines.line(self.parsed.source().line_of(left.end) + 1 + before);
                text.at = Span::at(first.start());
                text.before = own_prefix.to_string();
                text.behind += &home.breaks(0);
            }
            (inner_left, Some(right))
                if inner_left.is_none() || self.anchors_right(before, behind) =>
            {
                let start = self.start_for(right, seen);
                let starts = lines.starts_line(start) && !self.is_behind_marker();
                let existing = match inner_left {
                    Some(_) => self.existing_blank_lines(),
                    None => lines.blank_lines_above(start),
                };
                let missing = before.saturating_sub(existing);
                let blank = format!("{}\n", home.quote.trim_end()).repeat(missing);
                let own = lead.as_deref().unwrap_or_default();
                text.before = blank + if starts { own_prefix } else { own };
                text.behind += &home.breaks(behind);
                text.at = Span::at(if starts {
                    lines.line_start(start)
                } else {
                    text.behind += &prefix;
                    start
                });
            }
            _ => {
                let left = left.or(right).expect("a place has a neighbour");
                let end = match lines.ends_line(left.end) {
                    true => lines.line_end(left.end),
                    false => left.end,
                };
                text.at = Span::at(end);
                text.before = home.breaks(before) + own_prefix;
                let missing = behind.saturating_sub(self.existing_blank_lines());
                if self.inner(self.right).is_some() {
                    let blank = format!("\n{}", home.quote.trim_end());
                    text.behind += &blank.repeat(missing);
                }
            }
        }
        text
    }

    /// The gaps behind the opening bracket and before the closing one, if both share their line with
    /// the one member of a body whose members have lines of their own.
    fn body_in_a_line(&self) -> Option<[Span; 2]> {
        let body = self.siblings.parent.body().filter(|body| body.lines)?;
        let closing = self.siblings.closing().filter(|_| body.after.is_none())?;
        let mut inside = self.siblings.elements.iter().enumerate();
        let (index, one) = inside.find(|(_, element)| element.is_inside())?;
        let is_beside = [self.left, self.right].contains(&Some(index));
        let open = self
            .element(index.checked_sub(1))
            .filter(|open| open.role == Role::Frame)?;
        let close = &self.siblings.elements[closing];
        let in_a_line = self.lines().breaks(open.end, close.core.start()) == 0;
        (index + 1 == closing && is_beside && in_a_line).then(|| {
            [
                Span::new(open.end, one.start()),
                Span::new(one.end, close.core.start()),
            ]
        })
    }

    /// Whether the content asks for blank lines, and the place has exactly as many as it gets.
    fn parts_blank_lines(&self, before: usize, behind: usize) -> bool {
        let is_blank = |offset| self.lines().ends_line(offset);
        let ends_line = self
            .element(self.left)
            .is_some_and(|left| is_blank(left.end));
        let wanted = before + behind;
        self.asked.is_any() && ends_line && before > 0 && wanted == self.existing_blank_lines()
    }

    /// The line break that a body gets before it which stands in the line of what it is the body of.
    fn opening(&self, prefix: &str, own_prefix: &str) -> Option<Replacement> {
        self.header()?;
        let source = self.parsed.source();
        let first = self.siblings.elements.first()?.start();
        let line = Span::new(self.lines().line_start(first), first);
        let blank = line.len() - source.slice(line).trim_end().len();
        let before_all = self.near == Side::Right && self.inner(self.left).is_none();
        let prefix = if before_all { own_prefix } else { prefix };
        Some(Replacement {
            span: Span::new(first - blank, first),
            new_text: format!("\n{prefix}"),
        })
    }

    /// Where content goes before `right`: above all that is attached to it, and an attribute below
    /// the doc comments.
    fn start_for(&self, right: &Element<'_>, seen: Option<&Seen>) -> usize {
        let kind = seen.and_then(|seen| seen.attached.as_deref());
        let Some(kind) = kind.filter(|kind| !matches!(*kind, "doc" | "comment")) else {
            return right.start();
        };
        let same = right.attached.iter().find(|one| one.kind == kind);
        same.map_or(right.core.start(), |same| same.span.start())
    }

    /// How many blank lines stand before the content and behind it. What set the neighbours apart
    /// stays on one side at least.
    fn blank_lines(&self, seen: Option<&Seen>) -> (usize, usize) {
        let existing = self.existing_blank_lines();
        let is_above = self.is_attached_alone && self.near == Side::Right;
        if is_above || seen.is_some_and(|seen| seen.attached.is_some()) {
            return (existing, 0);
        }
        let look = |index: Option<usize>| {
            let element = self
                .element(index)
                .filter(|element| element.role != Role::Frame)?;
            Some(Look::of(self.parsed, element))
        };
        let (left, right) = (look(self.left), look(self.right));
        let own = |side: Side| match (seen, side) {
            (Some(seen), Side::Left) => seen.first,
            (Some(seen), Side::Right) => seen.last,
            (None, _) => left.or(right).unwrap_or_default(),
        };
        let both = self.inner(self.left).and(self.inner(self.right)).is_some();
        let here = both.then_some(existing);
        let alike = [left, right, Some(own(Side::Left)), Some(own(Side::Right))];
        if here == Some(0) && alike.windows(2).all(|pair| pair[0] == pair[1]) {
            return (0, 0);
        }
        // What stands close stays close, but for a definition of several lines.
        let is_code = !spacing::is_body_of_lines(self.siblings.parent);
        let are_members = [self.left, self.right].into_iter().all(|index| {
            let element = self.element(index);
            element.is_some_and(|element| element.role == Role::Member)
        });
        let is_close = here == Some(0) && is_code && are_members;
        if is_close && !own(Side::Left).is_tall_symbol() {
            return (0, 0);
        }
        let round = Neighbourhood {
            parsed: self.parsed,
            container: &self.container,
            siblings: &self.siblings,
            pairs: self.pairs(),
            here,
        };
        // What follows the head of a body is set off from it as far as it was.
        let ends_head = self
            .element(self.left)
            .is_some_and(|left| left.role == Role::Head)
            && self
                .inner(self.right)
                .is_some_and(|right| right.role != Role::Head);
        let left = left.filter(|_| !self.is_behind_marker());
        let left_gap = left.map(|left| {
            let gap = round.blank_lines(left, own(Side::Left));
            match ends_head && !left.is_of_type(own(Side::Left)) {
                true => gap.max(existing),
                false => gap,
            }
        });
        let right_gap = right.map(|right| round.blank_lines(own(Side::Right), right));
        let joins_group = match self.near {
            Side::Left => self.is_of_group(self.left, |left| left.checked_sub(1), own(Side::Left)),
            Side::Right => self.is_of_group(self.right, |right| Some(right + 1), own(Side::Right)),
        };
        // On the side of the neighbour that was named as the two want it; on the other as wide as it
        // was, unless that side is.
        let at_other = |near: usize, other: Option<usize>| match other {
            Some(other) if near >= existing => other,
            Some(other) => other.max(existing),
            None => 0,
        };
        let (before, behind) = match self.near {
            Side::Left => {
                let near = left_gap.filter(|_| !joins_group).unwrap_or(0);
                (near, at_other(near, right_gap))
            }
            Side::Right => {
                let near = right_gap.filter(|_| !joins_group).unwrap_or(0);
                (at_other(near, left_gap), near)
            }
        };
        // Docs that belong to neither neighbour are none of what comes.
        let is_docs = |index: Option<usize>| {
            let tables = self.siblings.parent.tables();
            let element = self.element(index);
            tables.is_some_and(|tables| tables.has_following_docs())
                && element.is_some_and(|element| element.role == Role::Comment)
        };
        let before = before.max(if is_docs(self.left) { existing } else { 0 });
        let behind = behind.max(if is_docs(self.right) { 1 } else { 0 });
        // Between two of a kind that are set apart, what has several lines is set apart from both.
        let are_alike = left
            .zip(right)
            .is_some_and(|(left, right)| left.is_alike(right));
        match is_code && are_alike && here.is_some() && own(Side::Left).is_tall() {
            true => (before.max(existing), behind.max(existing)),
            false => (before, behind),
        }
    }

    /// Whether the neighbour at `near` stands close to the one `further` out and both are a line of
    /// the same as the content, which then joins their group.
    fn is_of_group(
        &self,
        near: Option<usize>,
        further: impl Fn(usize) -> Option<usize>,
        own: Look,
    ) -> bool {
        let further = near.and_then(further).and_then(|index| {
            let element = self.siblings.elements.get(index)?;
            (element.role == Role::Member).then_some(element)
        });
        let Some((near, further)) = self.inner(near).zip(further) else {
            return false;
        };
        let source = self.parsed.source();
        let (first, second) = match near.start() < further.start() {
            true => (near, further),
            false => (further, near),
        };
        let is_close = source.line_of(second.start()) == source.line_of(first.end) + 1;
        let is_line_like = |element| Look::of(self.parsed, element).is_line_like(own);
        is_close && is_line_like(near) && is_line_like(further)
    }

    /// Whether the content goes into a tight list (of items, arguments, fields): its members have no blank lines
    /// between them. `before` and `after` are the blank lines that its neighbours want.
    fn is_tight(&self, before: usize, after: usize) -> bool {
        let parent = self.siblings.parent;
        let near = match self.near {
            Side::Left => self.inner(self.left).or(self.inner(self.right)),
            Side::Right => self.inner(self.right).or(self.inner(self.left)),
        };
        let Some(near) = near.filter(|_| before + after == 0) else {
            return false;
        };
        let is_list = self
            .list()
            .is_some_and(|list| !list.optional && !list.or_lines)
            || parent.body().is_some_and(|body| body.lines && !body.blank)
            || near.node.is_word("field", Some(parent));
        let look = Look::of(self.parsed, near);
        let mut alike = self
            .pairs()
            .iter()
            .filter(|(one, other, _)| one.is_of_type(look) && other.is_of_type(look));
        is_list && alike.all(|(_, _, blank)| *blank == 0)
    }

    /// The pairs of siblings near the place, and the blank lines between them.
    fn pairs(&self) -> &[Pair] {
        self.observed.get_or_init(|| {
            let near = self.left.or(self.right).unwrap_or(0);
            spacing::observed(self.parsed, &self.siblings, near)
        })
    }

    /// Whether the content stands right before the right neighbour, so that the blank lines that are
    /// there part it from the left one.
    fn anchors_right(&self, before: usize, behind: usize) -> bool {
        let existing = self.existing_blank_lines();
        match self.near {
            Side::Left => behind < existing,
            Side::Right => before >= existing,
        }
    }

    fn inline(
        &self,
        content: &str,
        verbatim: bool,
        last: Option<&Change<'_>>,
        seen: Option<&Seen>,
    ) -> Text {
        let (left, right) = (self.element(self.left), self.element(self.right));
        let at = left
            .or(right)
            .map_or(self.siblings.parent.span(), |element| element.core);
        let home = self.home_in_line(at.end());
        let worded = self.worded(content, false, seen);
        let (content, mut notes) = placed(&worded.content, verbatim, home, last);
        notes.extend(worded.dropped);
        let mut text = Text {
            at: Span::at(at.end()),
            before: String::new(),
            content,
            behind: worded.behind,
            left_separator: worded.left_separator,
            opening: None,
            closing: None,
            surplus: None,
            notes,
        };
        let gap = self.inline_gap();
        match (self.inner(self.left), self.inner(self.right)) {
            (None, None) if self.siblings.closing().is_some() => {
                let (Some(open), Some(close)) = (left, right) else {
                    return text;
                };
                let source = self.parsed.source();
                let ahead = source.slice(Span::new(0, open.core.start()));
                let spaced = source.slice(open.core) == "{" && ahead.ends_with([' ', '\t']);
                text.at = Span::new(open.end, close.core.start());
                // Behind a word, as the name of a tag is, a blank is needed.
                let is_word = source.slice(open.core).ends_with(char::is_alphanumeric);
                let blank = if spaced || is_word { " " } else { "" };
                text.before = blank.to_string();
                text.behind += &match is_word {
                    true => source.slice(text.at).into_owned(),
                    false => blank.to_string(),
                };
            }
            (None, Some(right)) => {
                if let Some(lead) = self.lead().filter(|_| self.leads(false)) {
                    match self.first_without_lead() {
                        Some(_) => text.behind += &format!(" {lead}"),
                        None => text.before = lead,
                    }
                    text.at = Span::at(right.start());
                    text.behind += if text.before.is_empty() { "" } else { " " };
                    return text;
                }
                text.at = Span::at(right.start());
                text.behind += &gap;
                text.surplus = self.of_lone_member();
            }
            (Some(_), Some(right)) if self.near == Side::Right => {
                text.at = Span::at(right.start());
                text.behind += &gap;
            }
            _ => {
                let (at, near_right) = match (left, right) {
                    (Some(left), _) => (left.end, false),
                    (None, Some(right)) => (right.start(), true),
                    (None, None) => (at.end(), false),
                };
                text.at = Span::at(at);
                match near_right {
                    true => text.behind += &gap,
                    false if text.content.starts_with(',') => {}
                    false if self.siblings.is_prose() && text.content.starts_with(is_closing) => {}
                    false => text.before = gap,
                }
            }
        }
        text
    }
}

/// Whether a sign of prose stands close behind a word.
fn is_closing(sign: char) -> bool {
    matches!(sign, '.' | ',' | ';' | ':' | '!' | '?' | ')')
}

/// Where the member ends in the last line of `content`, if a comment follows it in that line.
fn tail_at(parsed: &Parsed, member: &Element<'_>, content: Span) -> Option<usize> {
    let source = parsed.source();
    let end = member.core.end();
    let behind = source.slice(Span::new(end, content.end().max(end)));
    let text = source.slice(Span::new(content.start(), end));
    let has_comment = member.end > end && behind.contains(|c: char| !c.is_whitespace() && c != ',');
    (has_comment && !behind.contains('\n')).then(|| text.len() - last_line(&text))
}

/// Where the last line of a text begins, white space before it left aside.
fn last_line(text: &str) -> usize {
    let start = text.rfind('\n').map_or(0, |line_break| line_break + 1);
    text.len() - text[start..].trim_start().len()
}

/// Content as it goes into the file, and what to say of it.
fn placed(
    content: &str,
    verbatim: bool,
    home: &Home<'_>,
    last: Option<&Change<'_>>,
) -> (String, Vec<EditNote>) {
    if verbatim {
        return (content.to_string(), Vec::new());
    }
    let placed = indent::at_home(content, home, last);
    let notes = placed.note().into_iter().collect();
    (placed.text, notes)
}

/// Whether there is nothing in `content` but comments, doc comments and attributes, such as stand in
/// `parent`.
fn is_attached_alone(parent: Node<'_>, content: &str) -> bool {
    let alone = Source::new("", parent.language(), content.to_string());
    let parsed = Parsed::parse(alone);
    let children = parsed.children(parsed.root());
    let is_own = |child: &Node<'_>| is_member(*child) || !child.may_be_attached_in(parent);
    !children.is_empty() && !children.iter().any(is_own)
}

/// Whether a node is no comment and nothing that is attached to what follows it.
fn is_member(node: Node<'_>) -> bool {
    let attached = node.attached_kind();
    !node.is_word("comment", None) && attached.is_none_or(|kind| kind.begins_same)
}
