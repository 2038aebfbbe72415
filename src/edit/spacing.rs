//! Blank lines between siblings, and the lines of a position.

use std::collections::BTreeMap;

use crate::parse::{Node, Parsed};
use crate::source::{Source, Span};

use super::siblings::{Element, Role, Siblings, first_word};

const FORM_FEED: char = '\x0c';

/// The lines of a text, some of which begin with a margin: the `>` of a block quote.
#[derive(Clone, Copy)]
pub(crate) struct Lines<'a> {
    pub(crate) source: &'a Source,
    pub(crate) margin: &'a str,
}

impl Lines<'_> {
    /// Returns whether only whitespace and the margin precede `offset` in its line.
    pub(crate) fn starts_line(&self, offset: usize) -> bool {
        let line = self.line(self.source.line_of(offset));
        self.is_blank(Span::new(line.start().min(offset), offset))
    }

    /// Returns whether only whitespace follows `offset` in its line.
    pub(crate) fn ends_line(&self, offset: usize) -> bool {
        let line = self.line(self.source.line_of(offset));
        let rest = self.source.slice(Span::new(offset, line.end().max(offset)));
        rest.trim().is_empty()
    }

    /// Returns where the line of `offset` starts, after a form feed that begins it.
    pub(crate) fn line_start(&self, offset: usize) -> usize {
        let start = self.line(self.source.line_of(offset)).start().min(offset);
        let before = self.source.slice(Span::new(start, offset));
        let page = before.rfind(FORM_FEED).map_or(0, |feed| feed + 1);
        match before[..page].trim().is_empty() {
            true => start + page,
            false => start,
        }
    }

    /// Returns whether a form feed begins the line of `offset`.
    pub(crate) fn begins_page(&self, offset: usize) -> bool {
        self.line_start(offset) > self.line(self.source.line_of(offset)).start()
    }

    /// Returns where the line of `offset` ends, without its line break.
    pub(crate) fn line_end(&self, offset: usize) -> usize {
        self.line(self.source.line_of(offset)).end().max(offset)
    }

    /// Returns the nearest line (from 1) above that of `offset` that is not blank.
    pub(crate) fn text_line_above(&self, offset: usize) -> Option<usize> {
        let own = self.source.line_of(offset);
        (1..own)
            .rev()
            .find(|&number| !self.is_blank_line(self.line(number)))
    }

    /// Returns the number of blank lines between the line of `offset` and the nearest other line above it.
    pub(crate) fn blank_lines_above(&self, offset: usize) -> usize {
        let above = self.text_line_above(offset);
        above.map_or(0, |above| self.source.line_of(offset) - above - 1)
    }

    /// Returns the nearest line (from 1) below that of `offset` that is not blank.
    pub(crate) fn text_line_below(&self, offset: usize) -> Option<usize> {
        let own = self.source.line_of(offset);
        let below = (own + 1..).map_while(|number| Some((number, self.source.line_span(number)?)));
        below
            .filter(|(_, line)| !self.is_blank_line(*line))
            .map(|(number, _)| number)
            .next()
    }

    /// Returns the number of line breaks between two offsets.
    pub(crate) fn breaks(&self, start: usize, end: usize) -> usize {
        self.source.line_of(end) - self.source.line_of(start)
    }

    /// Returns whether a line is blank. A form feed separates pages, so it is text.
    fn is_blank_line(&self, line: Span) -> bool {
        self.is_blank(line) && !self.source.slice(line).contains(FORM_FEED)
    }

    fn is_blank(&self, span: Span) -> bool {
        let text = self.source.slice(span);
        let bare = |text: &str| text.split_whitespace().collect::<String>();
        text.trim().is_empty() || bare(&text) == bare(self.margin)
    }

    /// Returns the span of a line (from 1) without its line break.
    pub(crate) fn line(&self, number: usize) -> Span {
        self.source
            .line_span(number)
            .expect("an offset of the text lies in one of its lines")
    }
}

/// Returns whether a text is whitespace that contains a line break after a backslash.
pub(crate) fn is_continuation(text: &str) -> bool {
    let bare = without_continuations(text);
    bare.len() < text.len() && bare.trim().is_empty()
}

/// Returns the text without line breaks after a backslash.
pub(crate) fn without_continuations(text: &str) -> String {
    text.replace("\\\r\n", "").replace("\\\n", "")
}

/// The number of blank lines before and after the content.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct BlankLines {
    pub(crate) before: usize,
    pub(crate) after: usize,
}

impl BlankLines {
    pub(crate) fn at_least(self, before: usize, after: usize) -> BlankLines {
        BlankLines {
            before: self.before.max(before),
            after: self.after.max(after),
        }
    }
}

/// The blank lines that content requests before and after it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RequestedBlankLines(pub(crate) BlankLines);

impl RequestedBlankLines {
    /// Counts the requests of content: each line break at its start requests one, and each at its
    /// end except the last.
    pub(crate) fn from_content(given: &str) -> RequestedBlankLines {
        let breaks = |whitespace: &str| whitespace.matches('\n').count();
        let lead = given.len() - given.trim_start().len();
        let trail = given.trim_end().len().max(lead);
        RequestedBlankLines(BlankLines {
            before: breaks(&given[..lead]),
            after: breaks(&given[trail..]).saturating_sub(1),
        })
    }

    pub(crate) fn any(self) -> bool {
        self.0 != BlankLines::default()
    }
}

/// What the blank lines before and after an element depend on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SpacingClass {
    kind: u16,
    /// The kind of symbol that it defines: `function`, `class`, ...
    symbol: Option<&'static str>,
    is_tall: bool,
    /// Whether it has several lines without attached nodes.
    is_block: bool,
    /// Whether it stays first in its parent, like a docstring.
    is_head: bool,
}

impl SpacingClass {
    /// Returns whether both are one line and of one class.
    pub(crate) fn is_line_like(self, other: SpacingClass) -> bool {
        self == other && !self.is_tall
    }

    /// Returns whether it is a definition of several lines.
    pub(crate) fn is_tall_symbol(self) -> bool {
        self.is_tall && self.symbol.is_some()
    }

    /// Returns whether consecutive lines may be these: of one type, or definitions of one line.
    pub(crate) fn may_be_in_group_with(self, own: SpacingClass) -> bool {
        let are_lines = !self.is_tall && !own.is_tall;
        let are_symbols = are_lines && self.symbol.and(own.symbol).is_some();
        !own.is_tall && self.is_of_type(own) || are_symbols
    }

    /// Returns whether it stays first in its parent.
    pub(crate) fn is_head(self) -> bool {
        self.is_head
    }

    /// Returns whether it has several lines, with attached nodes.
    pub(crate) fn is_tall(self) -> bool {
        self.is_tall
    }

    /// Returns whether it is a definition that has several lines without attached nodes.
    pub(crate) fn is_block_symbol(self) -> bool {
        self.is_block && self.symbol.is_some()
    }

    /// Returns whether both are nodes of one type and stay first in their parent, or both do not.
    pub(crate) fn is_of_type(self, other: SpacingClass) -> bool {
        self.kind == other.kind && self.is_head == other.is_head
    }

    pub(crate) fn from_element(parsed: &Parsed, element: &Element<'_>) -> SpacingClass {
        let source = parsed.source();
        let span = element.span();
        // An exported function is like any other.
        let nodes = element.node.unwrapped();
        let inner = nodes.last().expect("a node is its own outermost");
        SpacingClass {
            kind: inner.kind_id(),
            symbol: element.node.definition(),
            is_tall: source.line_of(span.start()) != source.line_of(span.end()),
            is_block: source.line_of(element.core.start()) != source.line_of(element.core.end()),
            is_head: element.role == Role::Head,
        }
    }
}

/// What determines the blank lines between siblings.
pub(crate) struct SpacingContext<'a, 'p> {
    pub(crate) parsed: &'p Parsed,
    /// The nodes from the root down to the parent of the siblings.
    pub(crate) container: &'a [Node<'p>],
    pub(crate) siblings: &'a Siblings<'p>,
    /// The result of [`observed`].
    pub(crate) pairs: &'a [SiblingSpacing],
    /// The blank lines between the two neighbors of the position.
    pub(crate) here: Option<usize>,
    /// The index of the sibling before the position.
    pub(crate) previous: Option<usize>,
}

impl SpacingContext<'_, '_> {
    /// Returns the usual number of blank lines between `first` and `second`. Between two of one type it is the one between
    /// the nearest two of these classes, else of this type; otherwise the most frequent one between two of these types,
    /// else between two symbols of these heights, else in nodes of the parent's type, else the default of the language.
    /// Of two numbers as near or as frequent it is the one between the neighbors, else the smaller.
    pub(crate) fn blank_lines(&self, first: SpacingClass, second: SpacingClass) -> usize {
        let alike = |look: SpacingClass, other: SpacingClass| {
            look.symbol.is_some() && other.symbol.is_some() && look.is_tall == other.is_tall
        };
        // A node that is not a symbol may be a heading for the following ones: `public:`.
        let leads = first.symbol.is_none() && second.symbol.is_some();
        let led = |look: SpacingClass, other: SpacingClass| {
            let are_symbols = look.symbol.is_some() && other.symbol.is_some();
            leads && (are_symbols || look.is_of_type(other))
        };
        let most = |pairs: &[SiblingSpacing], fits: &dyn Fn(SpacingClass, SpacingClass) -> bool| {
            let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
            for pair in pairs {
                if fits(pair.first, first) && fits(pair.second, second) {
                    *counts.entry(pair.blank_lines).or_default() += 1;
                }
            }
            let most = counts.into_iter().max_by_key(|(blank, count)| {
                (*count, Some(*blank) == self.here, usize::MAX - blank)
            });
            most.map(|(blank, _)| blank)
        };
        let cousins = || of_cousins(self.parsed, self.container);
        // Members that are blocks; consecutive members of one type form a block themselves.
        let blocks = || -> Vec<SiblingSpacing> {
            let pairs = self.pairs.iter().copied();
            let set_apart =
                |pair: &SiblingSpacing| pair.blank_lines > 0 || !pair.first.is_of_type(pair.second);
            match is_body_of_lines(self.siblings.parent) {
                true => pairs.filter(set_apart).collect(),
                false => Vec::new(),
            }
        };
        // In a body of lines, consecutive short members here are a better model than tall ones in
        // other bodies.
        let are_close = || {
            let short = first.is_of_type(second) && !first.is_tall && !second.is_tall;
            (short && self.here == Some(0) && is_body_of_lines(self.siblings.parent)).then_some(0)
        };
        let exact = || most(self.pairs, &|look, other| look == other);
        let of_types = || match first.is_of_type(second) {
            true => are_close().or_else(|| self.between_nearest(first, second)),
            false => exact().or_else(|| most(self.pairs, &SpacingClass::is_of_type)),
        };
        of_types()
            .or_else(|| most(self.pairs, &alike))
            .or_else(|| most(self.pairs, &led))
            .or_else(|| most(&cousins(), &SpacingClass::is_of_type))
            .or_else(|| most(&blocks(), &|_, _| true))
            .unwrap_or_else(|| match self.here == Some(0) && first.is_of_type(second) {
                true => 0,
                false => usual(self.siblings, first, second),
            })
    }

    /// Returns the blank lines between the nearest two siblings of the type that `first` and `second` have. Those that
    /// define the same are a better model, and those of the same height: a comment before the second one may be the reason
    /// for a blank line, and the lines of the first one. The neighbors of the position are the last model. One-line
    /// siblings have none if two nearby have none: the others are between groups.
    fn between_nearest(&self, first: SpacingClass, second: SpacingClass) -> Option<usize> {
        /// How many siblings further two are nearby.
        const NEARBY: usize = 8;
        // The position follows the sibling with this number, counted from 1.
        let position = self.previous.map_or(0, |previous| previous + 1);
        let distance = |pair: &SiblingSpacing| position.abs_diff(pair.index + 1);
        let of_type = || {
            let pairs = self.pairs.iter();
            pairs.filter(|pair| pair.first.is_of_type(first) && pair.second.is_of_type(second))
        };
        let is_in_group = |pair: &SiblingSpacing| {
            let are_alike = pair.first.is_line_like(first) && pair.second.is_line_like(second);
            are_alike && pair.blank_lines == 0 && distance(pair) <= NEARBY
        };
        if of_type().any(is_in_group) {
            return Some(0);
        }
        let nearest = of_type().min_by_key(|pair| {
            let distance = distance(pair);
            (
                pair.first.symbol != first.symbol || pair.second.symbol != second.symbol,
                (pair.second.is_tall, pair.second.is_block) != (second.is_tall, second.is_block),
                pair.first.is_block != first.is_block,
                distance == 0,
                distance,
                Some(pair.blank_lines) != self.here,
                pair.blank_lines,
            )
        });
        nearest.map(|pair| pair.blank_lines)
    }
}

/// Returns the language's default number of blank lines between two siblings.
fn usual(siblings: &Siblings<'_>, first: SpacingClass, second: SpacingClass) -> usize {
    let body = siblings.parent.body();
    let are_symbols = first.symbol.or(second.symbol).is_some();
    let is_set_off = match (body, siblings.list) {
        (Some(body), _) if body.lines || body.blank => body.blank,
        (Some(body), _) if body.prose => false,
        (Some(body), _) if body.tall => [first, second]
            .iter()
            .any(|look| look.symbol.is_some() && look.is_tall),
        (_, Some(list)) if !list.optional => false,
        (_, None) if first.kind != second.kind && first.symbol != second.symbol => are_symbols,
        _ => are_symbols && (first.is_tall || second.is_tall),
    };
    match is_set_off {
        true => body.and_then(|body| body.between).unwrap_or(1),
        false => 0,
    }
}

/// Returns whether the members of a body are blocks of lines: paragraphs, list items.
pub(crate) fn is_body_of_lines(node: Node<'_>) -> bool {
    node.body().is_some_and(|body| body.lines)
}

/// Returns the siblings in nodes of the container's type next to it.
fn of_cousins<'p>(parsed: &'p Parsed, container: &[Node<'p>]) -> Vec<SiblingSpacing> {
    const READ: usize = 50;
    let [.., above, own] = container else {
        return Vec::new();
    };
    let cousins = parsed.children(*above).into_iter();
    cousins
        .filter(|cousin| cousin.kind() == own.kind() && cousin != own)
        .take(READ)
        .flat_map(|cousin| observed(parsed, &Siblings::for_parent(parsed, cousin), 0))
        .collect()
}

/// Two consecutive siblings, and the number of blank lines between them.
#[derive(Clone, Copy)]
pub(crate) struct SiblingSpacing {
    pub(crate) first: SpacingClass,
    pub(crate) second: SpacingClass,
    pub(crate) blank_lines: usize,
    /// The index of the first one.
    index: usize,
}

/// Returns the siblings on lines of their own near the element with this index.
pub(crate) fn observed(
    parsed: &Parsed,
    siblings: &Siblings<'_>,
    near: usize,
) -> Vec<SiblingSpacing> {
    /// The number of siblings read on each side.
    const READ: usize = 200;
    let source = parsed.source();
    let elements = &siblings.elements;
    let first = near.saturating_sub(READ).min(elements.len());
    let last = near.saturating_add(READ).min(elements.len());
    let pairs = elements[first..last].windows(2).enumerate();
    // Clauses of one function are no model for its neighbors.
    let begins_same = |one: &Element<'_>| one.attached.iter().any(|one| one.begins_same);
    let has_clauses = elements[first..last].iter().any(begins_same);
    let word = |one: &Element<'_>| first_word(parsed, one.core);
    let are_clauses = |pair: &[Element<'_>]| {
        has_clauses && pair[1].attached.is_empty() && word(&pair[0]) == word(&pair[1])
    };
    pairs
        .filter(|(_, pair)| !are_clauses(pair))
        .filter(|(_, pair)| {
            pair.iter()
                .all(|one| matches!(one.role, Role::Member | Role::Head))
        })
        .filter_map(|(index, pair)| {
            let breaks = source.line_of(pair[1].start()) - source.line_of(pair[0].end);
            Some(SiblingSpacing {
                blank_lines: breaks.checked_sub(1)?,
                first: SpacingClass::from_element(parsed, &pair[0]),
                second: SpacingClass::from_element(parsed, &pair[1]),
                index: first + index,
            })
        })
        .collect()
}
