//! The reverse lookup: the shortest [`Selector`] that selects a given node and no other.
//!
//! Input: the chain of nodes from the root down to one. Output: a selector without line numbers, resolved before it
//! is returned. Equal nodes that no nearby text distinguishes get their number. Nodes without text, and nodes among
//! very many equal ones, have no selector.

use std::cell::Cell;

use crate::locate::{
    LineScope, Scope, SearchPlace, cut_down, fewest, is_word, lines_around, places, token_spans,
    tokens_around, with_marker,
};
use crate::parse::{Node, Parsed};
use crate::source::Span;

use super::{Anchor, Candidate, SelectError, Selector, select, select_if_one};

/// The maximum number of a node's lines whose own text is considered.
const ROWS: usize = 12;
/// The maximum number of bytes of each line.
const ROW_BYTES: usize = 1_000;
/// The maximum number of nodes below it that are visited to find them.
const NODES: usize = 4_000;
/// The maximum number of tokens of a line in an anchor.
const TOKENS: usize = 24;
/// The maximum number of tokens before which a marker is tried.
const MARKS: usize = 3;
/// The maximum number of selectors that are tried for one node.
const TRIES: usize = 600;
/// The number of occurrences from which the first line of a node counts as common.
const COMMON: usize = 100;

/// Returns a selector of the last node of `chain`: the shortest one, or one by its line where the node's first line is
/// so common that describing it would take long, or where nothing shorter selects it.
pub fn describe_any<'p>(parsed: &'p Parsed, chain: &[Node<'p>]) -> Option<Selector> {
    let node = *chain.last()?;
    let shortest = match is_common(parsed, parsed.trimmed(node.span())) {
        true => None,
        false => describe(parsed, chain),
    };
    shortest.or_else(|| describe_in_line(parsed, chain))
}

/// Returns whether the first line of a node occurs so often in the file that describing the node would take long.
fn is_common(parsed: &Parsed, span: Span) -> bool {
    let text = parsed.source().slice(span);
    let first_line = text.lines().next().unwrap_or_default();
    let text = parsed.source().text().as_bytes();
    let places = memchr::memmem::find_iter(text, first_line);
    places.take(COMMON).count() == COMMON
}

/// Returns the shortest selector of the last node of `chain`, which is a result of [`Parsed::chain`].
///
/// It tries, first in the whole file, then in the innermost enclosing symbol: text of the node's first line; a find
/// with a marker in that line; text of its other lines; finds that include surrounding lines; and its number among
/// equal nodes.
pub fn describe<'p>(parsed: &'p Parsed, chain: &[Node<'p>]) -> Option<Selector> {
    let node = *chain.last()?;
    if node.is_missing() || node.span().is_empty() {
        return None;
    }
    let rows = own_rows(parsed, node);
    let Some(first) = rows.first() else {
        return from_below(parsed, chain);
    };
    let line = parsed.source().line_of(first[0].start());
    let is_first = |row: &&Vec<Span>| parsed.source().line_of(row[0].start()) == line;
    let first_line = rows.iter().take_while(is_first).count();
    let described = DescribedNode {
        parsed,
        node,
        line,
        name: name_of(parsed, node),
        places: places(parsed, parsed.trimmed(node.span())),
        tries_left: Cell::new(TRIES),
    };
    described.by(&rows[..first_line], &rows[first_line..])
}

/// Returns a selector of a node by its first words in the line it begins in, with its number among the nodes that
/// these words select. For a node that nothing shorter distinguishes. Returns `None` for a node without text.
fn describe_in_line<'p>(parsed: &'p Parsed, chain: &[Node<'p>]) -> Option<Selector> {
    let node = *chain.last()?;
    let span = parsed.trimmed(node.span());
    let line = parsed.source().line_of(span.start());
    let end = parsed.source().line_span(line)?.end().min(span.end());
    let near = parsed
        .source()
        .text()
        .floor_char_boundary(end.min(span.start() + ROW_BYTES));
    let text = parsed.source().slice(Span::new(span.start(), near));
    let mut selector = Selector::new(text.trim_end(), node.kind());
    selector.scope = LineScope::line(line).ok().map(Scope::Lines);
    match select(parsed, &selector) {
        Ok(selection) => (selection.node() == node).then_some(selector),
        Err(SelectError::Ambiguous { candidates }) => {
            let is_it = |one: &Candidate<'_>| one.chain.last() == Some(&node);
            let index = candidates.iter().position(is_it)?;
            selector.nth = Some(index + 1);
            Some(selector)
        }
        Err(_) => None,
    }
}

/// A node for which a selector is searched.
struct DescribedNode<'p> {
    parsed: &'p Parsed,
    node: Node<'p>,
    /// The line of the first token that belongs to no nested node of its type.
    line: usize,
    /// The name that it declares.
    name: Option<Span>,
    /// The whole file, and the enclosing symbol.
    places: Vec<SearchPlace>,
    tries_left: Cell<usize>,
}

impl DescribedNode<'_> {
    /// Returns its selector by the tokens of its first line, or by those of its other lines.
    fn by(&self, first: &[Vec<Span>], further: &[Vec<Span>]) -> Option<Selector> {
        let places = || self.places.iter();
        let marks = self.marks(first);
        let here = |place| {
            let marks = &mut marks.iter();
            self.by_text(place, first)
                .or_else(|| marks.find_map(|mark| self.by_marker(place, *mark)))
        };
        let around = |place| {
            let marks = &mut marks.iter();
            marks.find_map(|mark| self.by_lines_around(place, *mark))
        };
        places()
            .find_map(here)
            .or_else(|| places().find_map(|place| self.by_text(place, further)))
            .or_else(|| places().rev().find_map(around))
            .or_else(|| self.by_number(self.places.last()?, first))
    }

    /// Returns the selector with the fewest tokens of one of its rows, including its name if possible.
    fn by_text(&self, place: &SearchPlace, rows: &[Vec<Span>]) -> Option<Selector> {
        let name = self.name;
        let has_name = |span: Span| name.is_some_and(|name| span.contains(name));
        rows.iter().find_map(|row| {
            let row = self.cut(row);
            let needs_word = row.iter().any(|token| self.is_word(*token));
            let has_word = |span: Span| !needs_word || self.holds_word(span);
            let text = &mut |span| self.selecting(place, Anchor::Text(self.slice(span)), span);
            let find = &mut |span| self.selecting(place, Anchor::Find(self.slice(span)), span);
            fewest(row, has_name, text)
                .or_else(|| fewest(row, has_word, text))
                .or_else(|| fewest(row, has_word, find))
        })
    }

    /// Returns the selector with the fewest tokens of the line, and a marker before the one at `mark`.
    fn by_marker(&self, place: &SearchPlace, mark: usize) -> Option<Selector> {
        let tokens = tokens_around(self.parsed, &place.area, self.line, mark);
        let holds_mark = |span: Span| span.start() <= mark && mark < span.end();
        let marked = &mut |span| self.marking(place, span, mark);
        fewest(&tokens, holds_mark, marked)
    }

    /// Returns the same with tokens of the surrounding lines.
    fn by_lines_around(&self, place: &SearchPlace, mark: usize) -> Option<Selector> {
        let holds_mark = |span: Span| span.start() <= mark && mark < span.end();
        let marked = &mut |span| self.marking(place, span, mark);
        lines_around(self.parsed, &place.area, self.line, mark)
            .find_map(|tokens| cut_down(&tokens, holds_mark, marked))
    }

    /// Returns the selector with its number among the nodes that its text selects.
    fn by_number(&self, place: &SearchPlace, rows: &[Vec<Span>]) -> Option<Selector> {
        let row = self.cut(rows.first()?);
        let span = Span::new(row.first()?.start(), row.last()?.end());
        let anchor = Anchor::Text(self.slice(span));
        if !place.holds_few(self.parsed, anchor.as_str()) {
            return None;
        }
        let several = self.selector(place, anchor);
        let Err(SelectError::Ambiguous { candidates }) = select(self.parsed, &several) else {
            return None;
        };
        let is_it = |chain: &[Node<'_>]| chain.last() == Some(&self.node);
        let index = candidates.iter().position(|one| is_it(&one.chain))?;
        Some(Selector {
            nth: Some(index + 1),
            ..several
        })
    }

    fn marking(&self, place: &SearchPlace, span: Span, mark: usize) -> Option<Selector> {
        let find = with_marker(&self.slice(span), mark - span.start())?;
        self.selecting(place, Anchor::Find(find), span)
    }

    /// Returns the selector with the anchor at `span`, if it selects the node.
    fn selecting(&self, place: &SearchPlace, anchor: Anchor, span: Span) -> Option<Selector> {
        self.tries_left.set(self.tries_left.get().checked_sub(1)?);
        let is_rare = match &anchor {
            Anchor::Text(text) => place.holds_few(self.parsed, text),
            _ => place.is_rare(self.parsed, span),
        };
        if !is_rare {
            return None;
        }
        let selector = self.selector(place, anchor);
        let selection = select_if_one(self.parsed, &selector).ok()?;
        (selection.node() == self.node).then_some(selector)
    }

    fn selector(&self, place: &SearchPlace, anchor: Anchor) -> Selector {
        Selector {
            anchor,
            ancestor_node_type: vec![self.node.kind().to_string()],
            scope: place.scope.clone(),
            nth: None,
            outward: 0,
            sibling: 0,
        }
    }

    /// Returns where to try a marker: at its name, or at its first tokens.
    fn marks(&self, first: &[Vec<Span>]) -> Vec<usize> {
        let name = self.name.map(Span::start);
        let tokens = first.iter().flatten().map(|token| token.start());
        let mut marks: Vec<usize> = name.into_iter().chain(tokens).collect();
        marks.truncate(MARKS);
        marks.dedup();
        marks
    }

    /// Returns the tokens of a row that are tried: those around the name if the row contains it.
    fn cut<'r>(&self, row: &'r [Span]) -> &'r [Span] {
        let is_name = |token: &Span| self.name.is_some_and(|name| name.contains(*token));
        let name = row.iter().position(is_name).unwrap_or(0);
        let last = row.len().saturating_sub(TOKENS);
        let first = name.saturating_sub(TOKENS / 2).min(last);
        &row[first..row.len().min(first + TOKENS)]
    }

    fn slice(&self, span: Span) -> String {
        self.parsed.source().slice(span).into_owned()
    }

    fn is_word(&self, token: Span) -> bool {
        let text = &self.parsed.source().text()[token.range()];
        text.chars().next().is_some_and(is_word)
    }

    fn holds_word(&self, span: Span) -> bool {
        let text = &self.parsed.source().text()[span.range()];
        text.chars().any(is_word)
    }
}

/// Returns the tokens of a node that are in no nested node of its type, one row for each part of a line, from the
/// first lines that have any.
fn own_rows(parsed: &Parsed, node: Node<'_>) -> Vec<Vec<Span>> {
    let mut rows = Vec::new();
    let mut from = node.span().start();
    let mut cursor = parsed.walk(node);
    let mut descends = cursor.goto_first_child();
    for _ in 0..NODES {
        if !descends || rows.len() >= ROWS {
            break;
        }
        let below = cursor.node();
        let is_like_it = below.is_named() && below.kind() == node.kind();
        if is_like_it && below.span().start() >= from {
            add_rows(parsed, Span::new(from, below.span().start()), &mut rows);
            from = below.span().end();
        }
        descends = !is_like_it && cursor.goto_first_child();
        while !descends && cursor.node() != node {
            descends = cursor.goto_next_sibling();
            if !descends && !cursor.goto_parent() {
                break;
            }
        }
    }
    let end = parsed.trimmed(node.span()).end();
    if rows.len() < ROWS && from < end {
        add_rows(parsed, Span::new(from, end), &mut rows);
    }
    rows
}

/// Adds the tokens of each line of `span`, up to the limits.
fn add_rows(parsed: &Parsed, span: Span, rows: &mut Vec<Vec<Span>>) {
    let source = parsed.source();
    for line in source.line_of(span.start())..=source.line_of(span.end()) {
        let Some(whole) = source.line_span(line) else {
            return;
        };
        let (start, end) = (whole.start().max(span.start()), whole.end().min(span.end()));
        if rows.len() >= ROWS {
            return;
        }
        if start < end {
            let near = source
                .text()
                .floor_char_boundary(end.min(start + ROW_BYTES));
            let row = token_spans(source.text(), Span::new(start, near));
            rows.extend((!row.is_empty()).then_some(row));
        }
    }
}

/// Returns the span of the name that the node declares.
fn name_of(parsed: &Parsed, node: Node<'_>) -> Option<Span> {
    let symbols = parsed.outline_with_inner().symbols();
    let declared = symbols.iter().find(|one| one.node_span == node.span())?;
    Some(declared.name_span)
}

/// Returns a selector of a node whose text all belongs to nested nodes of its type: the first of them, and from there
/// outward.
fn from_below<'p>(parsed: &'p Parsed, chain: &[Node<'p>]) -> Option<Selector> {
    let node = *chain.last()?;
    let mut below = chain.to_vec();
    let mut cursor = parsed.walk(node);
    let mut outward = 0;
    while cursor.goto_first_child() {
        let inner = cursor.node();
        if inner.is_named() {
            below.push(inner);
        }
        if inner.is_named() && inner.kind() == node.kind() {
            outward += 1;
            if !own_rows(parsed, inner).is_empty() {
                break;
            }
        }
    }
    if outward == 0 || below.last()?.kind() != node.kind() {
        return None;
    }
    let selector = Selector {
        outward,
        ..describe(parsed, &below)?
    };
    let selection = select(parsed, &selector).ok()?;
    (selection.node() == node).then_some(selector)
}
