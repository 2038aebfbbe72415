//! What the tree of the new text shows about the indentation of the content's lines.

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashSet};
use std::rc::Rc;

use crate::language::queries::Mark;
use crate::parse::{Chains, Node, Parsed};
use crate::source::Span;

use super::super::layout::LastLayout;
use super::lines::without_margin;

/// The lines (from 0) of a part of a text.
pub(super) struct ContentLines<'p> {
    /// Where they start.
    pub(super) starts: Vec<usize>,
    /// The nodes in which each starts, without those that start with it. Lines next to each other share them.
    enclosing: Vec<Rc<[Node<'p>]>>,
    /// Those that begin with something that is never indented.
    unindented: BTreeSet<usize>,
}

impl<'p> ContentLines<'p> {
    pub(super) fn new(parsed: &'p Parsed, span: Span) -> ContentLines<'p> {
        let text = parsed.source().slice(span);
        let breaks = memchr::memchr_iter(b'\n', text.as_bytes()).map(|offset| offset + 1);
        let starts = [0].into_iter().chain(breaks);
        let starts: Vec<usize> = starts.map(|offset| span.start() + offset).collect();
        let mut chains = parsed.chains();
        let mut enclosing: Vec<Rc<[Node<'p>]>> = Vec::new();
        for (line, &start) in starts.iter().enumerate() {
            // It starts at or before the end of the previous line, and ends after the start of this one.
            let encloses =
                |node: &Node<'_>| node.span().start() < start && node.span().end() > start;
            let chain = (line > 0).then(|| chains.at(Span::new(start - 1, start)));
            let own: Vec<Node<'_>> = chain
                .unwrap_or_default()
                .into_iter()
                .filter(encloses)
                .collect();
            enclosing.push(match enclosing.last() {
                Some(last) if **last == *own => last.clone(),
                _ => own.into(),
            });
        }
        let numbered = starts.iter().enumerate();
        let mut chains = parsed.chains();
        let unindented =
            numbered.filter(|(_, start)| begins_unindented_at(parsed, &mut chains, **start));
        ContentLines {
            enclosing,
            unindented: unindented.map(|(line, _)| line).collect(),
            starts,
        }
    }

    /// Returns the lines that start inside a node for which `is_one` holds, and those that are never indented.
    pub(super) fn inside(&self, is_one: fn(Node<'_>) -> bool) -> BTreeSet<usize> {
        let numbered = self.enclosing.iter().enumerate();
        let inside = numbered.filter(|(_, enclosing)| enclosing.iter().any(|node| is_one(*node)));
        let inside = inside.map(|(line, _)| line);
        inside.chain(self.unindented.iter().copied()).collect()
    }
}

/// The content as a part of a new text.
pub(super) struct ContentTree<'c, 'p> {
    change: &'c LastLayout<'p>,
    /// Where the lines of the content start.
    lines: Vec<usize>,
    siblings: OnceCell<HashSet<usize>>,
}

impl<'c, 'p> ContentTree<'c, 'p> {
    pub(super) fn new(change: &'c LastLayout<'p>, lines: Vec<usize>) -> ContentTree<'c, 'p> {
        ContentTree {
            change,
            lines,
            siblings: OnceCell::new(),
        }
    }

    /// Returns by how much all lines of the content are always deeper than its first: by the width
    /// of the marker that it begins with.
    pub(super) fn hanging_indent(&self) -> usize {
        let start = self.change.new_span.start();
        let first = self.change.after.chain(Span::new(start, start + 1));
        let marker = first
            .iter()
            .rev()
            .find(|node| node.span().start() == start && node.is(Mark::Marker));
        marker.map_or(0, |marker| marker.span().len())
    }

    /// Returns whether a line (from 0) is in a body that indentation delimits, of something that starts before it in the
    /// content.
    pub(super) fn is_in_body(&self, line: usize) -> bool {
        let (1.., Some(&start)) = (line, self.lines.get(line)) else {
            return false;
        };
        let text = self.line(line, start);
        let line_sign = self.change.after.source().language().line_sign();
        let first = start + (text.len() - without_margin(&text, line_sign).len());
        let own = self.change.new_span.start()..start;
        let chain = self.change.after.chain(Span::at(first));
        chain.windows(2).any(|pair| {
            let is_file = pair[0].is_indented();
            pair[1].is_indented() && !is_file && own.contains(&pair[0].span().start())
        })
    }

    /// Returns whether a line (from 0) should be deeper than the first: a bracket is open at its start and it does not
    /// begin with a closing one, or it continues an expression that an operator splits.
    pub(super) fn is_continuation(&self, line: usize, quote: &str) -> bool {
        let (1.., Some(&start)) = (line, self.lines.get(line)) else {
            return false;
        };
        let text = self.line(line, start);
        let unquoted = text.strip_prefix(quote).unwrap_or(&text);
        let bare = unquoted.trim_start_matches([' ', '\t']);
        let first = start + (text.len() - bare.len());
        if bare.starts_with([')', ']', '}', '\n', '\r']) {
            return false;
        }
        let after = self.change.after;
        let shows_nothing = |node: Node<'_>, parent: Node<'_>| {
            node.is_in(Mark::Flush, parent) || node.is_in(Mark::Outdented, parent)
        };
        if begins_with(after, first, shows_nothing) {
            return false;
        }
        let is_deeper = |node: Node<'_>, parent: Node<'_>| node.is_in(Mark::Deeper, parent);
        if !bare.starts_with('{') && begins_with(after, first, is_deeper) {
            return true;
        }
        let begin = self.change.new_span.start();
        let chain = after.chain(Span::at(first));
        chain
            .iter()
            .rev()
            .take_while(|node| node.span().start() >= begin)
            .filter(|node| node.span().start() < start)
            .any(|node| {
                opens_before(*node, first)
                    || continues_at(*node, first)
                    || continues_list_at(*node, begin, first)
            })
    }

    /// Returns whether a line (from 0) begins with the word that ends the whole content: `done`.
    pub(super) fn is_closed_by(&self, line: usize) -> bool {
        let Some(&start) = self.lines.get(line) else {
            return false;
        };
        let text = self.line(line, start);
        let first = start + (text.len() - text.trim_start_matches([' ', '\t']).len());
        let begins = |node: &Node<'_>| node.span().start() == self.change.new_span.start();
        let chain = self.change.after.chain(Span::at(first));
        let content = chain.iter().filter(|node| begins(node));
        content.filter_map(|node| node.last_child()).any(|last| {
            let is_word = last.kind().starts_with(char::is_alphabetic);
            !last.is_named() && last.span().start() == first && is_word
        })
    }

    /// Returns whether a line (from 0) begins with a sibling of the node that the content begins with.
    pub(super) fn begins_with_sibling(&self, line: usize) -> bool {
        let (1.., Some(&start)) = (line, self.lines.get(line)) else {
            return false;
        };
        if self.change.after.is_plain_text() {
            return false;
        }
        let text = self.line(line, start);
        let first = start + (text.len() - text.trim_start_matches([' ', '\t']).len());
        self.siblings().contains(&first)
    }

    /// Returns where the siblings of the node start that the content begins with.
    fn siblings(&self) -> &HashSet<usize> {
        self.siblings.get_or_init(|| {
            let (after, start) = (self.change.after, self.change.new_span.start());
            let chain = after.chain(Span::new(start, start + 1));
            let mut pairs = chain.windows(2);
            let pair = pairs.find(|pair| pair[1].span().start() == start);
            let parent = pair.filter(|pair| pair[1].is_named()).map(|pair| pair[0]);
            let siblings = parent.map_or_else(Vec::new, |parent| after.children(parent));
            let named = siblings.into_iter().filter(|node| node.is_named());
            named.map(|node| node.span().start()).collect()
        })
    }

    /// Returns the text of a line, which starts at `start`.
    fn line(&self, line: usize, start: usize) -> std::borrow::Cow<'_, str> {
        let next = self.lines.get(line + 1).copied();
        let end = next.unwrap_or(self.change.new_span.end());
        self.change.after.source().slice(Span::new(start, end))
    }
}

/// Returns whether something that is never indented, like `#if`, follows the whitespace at `offset`.
pub(crate) fn begins_unindented(parsed: &Parsed, offset: usize) -> bool {
    begins_unindented_at(parsed, &mut parsed.chains(), offset)
}

/// Returns the same as [`begins_unindented`] for one of many offsets, which are best in file order.
pub(super) fn begins_unindented_at<'p>(
    parsed: &'p Parsed,
    chains: &mut Chains<'p>,
    offset: usize,
) -> bool {
    let tables = parsed.source().language().tables();
    if !tables.is_some_and(|tables| tables.uses(Mark::Unindented)) && !parsed.may_hold_others() {
        return false;
    }
    let rest = parsed.source().chars_from(offset);
    let first = offset + rest.take_while(|c| matches!(c, ' ' | '\t')).count();
    let token = Span::new(first, (first + 1).min(parsed.source().len()));
    let mut upward = chains.upward_from(token);
    upward
        .next()
        .is_some_and(|node| node.has_unindented_at(first))
}

/// Returns whether a node starts at `offset` that belongs as deep as the line its parent starts in.
pub(crate) fn begins_outdented(parsed: &Parsed, offset: usize) -> bool {
    begins_with(parsed, offset, |node, parent| {
        node.is_in(Mark::Outdented, parent)
    })
}

/// Returns whether a node or a sign of this kind starts at `offset`; the kind is a question about it and its parent.
fn begins_with(
    parsed: &Parsed,
    offset: usize,
    is_one: impl Fn(Node<'_>, Node<'_>) -> bool,
) -> bool {
    let chain = parsed.chain(Span::at(offset));
    let mut pairs = chain.windows(2);
    let sign = || chain.last()?.sign_at(offset);
    pairs.any(|pair| pair[1].span().start() == offset && is_one(pair[1], pair[0]))
        || sign().is_some_and(|(sign, parent)| is_one(sign, parent))
}

/// Returns whether one of the node's own children before `offset` opens something that is not closed before `offset`: a
/// bracket, or the sign that precedes the node's members.
fn opens_before(node: Node<'_>, offset: usize) -> bool {
    let after = node.body().and_then(|body| body.after.as_deref());
    let ends_there = |last: Node<'_>| !last.is_named() && last.span().start() == offset;
    if let Some(sign) = after
        && !node.last_child().is_some_and(ends_there)
    {
        let mut children = node.own_children().into_iter();
        if children.any(|child| child.kind() == sign && child.span().end() <= offset) {
            return true;
        }
    }
    let children = node.own_children().into_iter();
    let before = children.take_while(|child| child.span().start() < offset);
    let depth = before.fold(0, |depth, child| match child.kind() {
        "(" | "[" | "{" => depth + 1,
        ")" | "]" | "}" => depth - 1,
        _ => depth,
    });
    depth > 0
}

/// Returns whether a member after a separator of a list without brackets, or after a comma, starts at `offset`: it continues
/// the line in which the list starts, unless the list is all of the content, which starts at `begin`.
fn continues_list_at(node: Node<'_>, begin: usize, offset: usize) -> bool {
    let list = node.list();
    let separates = |sign: &str| match list {
        Some(list) => list.separates(sign) && !list.optional && !list.or_lines,
        None => sign == ",",
    };
    let mut children = node.own_children();
    children.retain(|child| !child.is_extra());
    let has_start = node.span().start() > begin;
    let has_start = has_start || !children.get(1).is_some_and(|next| separates(&next.sign()));
    let is_next =
        |pair: &[Node<'_>]| pair[1].span().start() == offset && separates(&pair[0].sign());
    has_start && children.windows(2).any(is_next)
}

/// Returns whether a child of the node starts at `offset` that continues the child before it: an operator (`.`, `+`,
/// `&&`), or what follows a keyword or an operator (`=`, `where`). A comment counts as the child after it; a sign at the
/// end of the node closes it.
fn continues_at(node: Node<'_>, offset: usize) -> bool {
    let is_word = |kind: &str| kind.starts_with(char::is_alphabetic);
    let parts = |sign: Node<'_>| {
        let is_bracket_or_separator =
            matches!(sign.kind(), "(" | ")" | "[" | "]" | "{" | "}" | "," | ";");
        !is_bracket_or_separator && !sign.is_in(Mark::Flush, node)
    };
    let mut begins_there = false;
    let mut previous: Option<Node<'_>> = None;
    let mut children = node.own_children().into_iter();
    let next = children.find(|child| {
        let start = child.span().start();
        begins_there |= start == offset;
        let is_next = !child.is_extra() && start >= offset;
        if !child.is_extra() && !is_next {
            previous = Some(*child);
        }
        is_next
    });
    let (Some(previous), Some(next), true) = (previous, next, begins_there) else {
        return false;
    };
    if next.is_named() {
        let opens_block = next.first_child().is_some_and(|first| first.kind() == "{");
        // A statement is as deep as its label.
        let is_labeled = previous.kind() == ":"
            && node.is_word("statement", None)
            && next.is_word("statement", None);
        !opens_block && !is_labeled && !previous.is_named() && parts(previous)
    } else {
        let closes = children.next().is_none();
        !closes && !is_word(next.kind()) && parts(next)
    }
}
