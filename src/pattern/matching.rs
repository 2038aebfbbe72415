//! Compares the nodes of a pattern with those of a text, token by token.
//!
//! A node matches if it has exactly the parts of the pattern: comments, separators at the end of a list, `;` and line
//! breaks between statements do not count. A part is a child, or text that no child covers, so the text of every literal
//! counts, whether the grammar has a node for it or not.

use std::num::NonZeroU16;
use std::ops::Range;

use crate::parse::Node;
use crate::source::Span;

/// The maximum number of comparisons for one node: with several `$$$`, the number of ways to match grows fast.
const COMPARISONS: usize = 100_000;

/// How strings are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Quotes {
    /// By their values: `"a"` is equal to `'a'` where both are strings.
    #[default]
    Any,
    /// By their bytes.
    Exact,
}

/// A part of a node.
#[derive(Clone, Copy)]
pub(super) enum Part<'t> {
    Node {
        node: Node<'t>,
        field: Option<NonZeroU16>,
    },
    /// Text that no child covers; `exact` if its whitespace counts.
    Text { span: Span, exact: bool },
}

/// A node, or a text that no node covers, in a pattern.
#[derive(Clone, Debug)]
pub(super) struct PatternPart {
    pub(super) what: What,
    pub(super) field: Option<NonZeroU16>,
    /// Where it is in the pattern, in bytes.
    pub(super) place: Range<usize>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum What {
    /// The index of a placeholder.
    Placeholder(usize),
    Leaf {
        kind: u16,
        is_named: bool,
        text: String,
    },
    Text {
        text: String,
        exact: bool,
    },
    Inner {
        kind: u16,
        /// Whether it is a string or another text whose whitespace counts.
        is_text: bool,
        text: String,
        parts: Vec<PatternPart>,
    },
}

/// Parts are equal wherever they are.
impl PartialEq for PatternPart {
    fn eq(&self, other: &PatternPart) -> bool {
        self.field == other.field && self.what == other.what
    }
}

/// A placeholder of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Placeholder {
    /// The name without signs; `None` if it captures nothing.
    pub(super) name: Option<String>,
    /// 1 for `$A`, 2 for `$$A`, which also matches keywords and signs, 3 for `$$$A`.
    pub(super) signs: usize,
}

impl Placeholder {
    pub(super) fn is_several(&self) -> bool {
        self.signs == 3
    }
}

/// What matched: the first and the last node, and what each placeholder and each token of the pattern matched.
#[derive(Clone, Debug, Default)]
pub(super) struct Matched<'t> {
    /// By the index of the placeholder.
    pub(super) captures: Vec<(usize, Vec<Part<'t>>)>,
    /// The place of each token in the pattern, and its span in the text.
    pub(super) tokens: Vec<(Range<usize>, Span)>,
    /// The node types of the parts that the pattern does not have.
    pub(super) further: Vec<&'t str>,
}

/// A comparison of nodes.
pub(super) struct Matching<'a, 't> {
    pub(super) placeholders: &'a [Placeholder],
    pub(super) text: &'t str,
    pub(super) quotes: Quotes,
    /// Whether nodes may have parts that the pattern does not have.
    pub(super) is_loose: bool,
    /// The types of nodes that a name matches too.
    pub(super) shorthands: &'static [String],
    pub(super) matched: Matched<'t>,
    comparisons: usize,
}

impl std::fmt::Debug for Part<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", self.span())
    }
}

impl<'t> Part<'t> {
    pub(super) fn span(&self) -> Span {
        match self {
            Part::Node { node, .. } => raw_span(*node),
            Part::Text { span, .. } => *span,
        }
    }

    pub(super) fn node(&self) -> Option<Node<'t>> {
        match self {
            Part::Node { node, .. } => Some(*node),
            Part::Text { .. } => None,
        }
    }

    fn is_sign(&self, is_wanted: impl Fn(&str) -> bool) -> bool {
        self.node()
            .is_some_and(|node| !node.is_named() && is_wanted(node.kind()))
    }
}

/// Returns the bytes of a node in its grammar.
fn raw_span(node: Node<'_>) -> Span {
    node.raw()
        .map_or(node.span(), |raw| raw.byte_range().into())
}

/// Returns whether a text has only whitespace, `;` and line continuations.
fn is_blank(text: &str) -> bool {
    let is_blank = |text: &str| text.chars().all(|c| c.is_whitespace() || c == ';');
    is_blank(text) || is_blank(&text.replace("\\\n", "").replace("\\\r\n", ""))
}

/// Returns whether a child does not count: a comment, a `;`, a line break.
fn is_skipped(child: Node<'_>, is_text: impl Fn() -> bool, text: &str) -> bool {
    let span = raw_span(child);
    let own = &text[span.range()];
    let is_sign = || !child.is_named() || child.is_extra() || own.contains('\n');
    span.is_empty()
        || child.is_extra() && child.is_word("comment", None)
        || child.is_leaf() && is_blank(own) && is_sign() && !is_text()
}

/// Returns whether all whitespace in a node counts: it is protected, or has quotes.
pub(super) fn is_text_node(node: Node<'_>) -> bool {
    let first = node.first_child();
    let is_quote = |first: Node<'_>| matches!(first.kind(), "\"" | "'" | "`");
    node.is_protected() || first.is_some_and(is_quote)
}

/// Returns the parts of a node that count.
pub(super) fn parts<'t>(node: Node<'t>, text: &str) -> Vec<Part<'t>> {
    let mut all = Vec::new();
    let Some(raw) = node.raw().filter(|raw| raw.child_count() > 0) else {
        return all;
    };
    let is_text = std::cell::OnceCell::new();
    let is_text = || *is_text.get_or_init(|| is_text_node(node));
    let add_text = |all: &mut Vec<Part<'t>>, start: usize, end: usize| {
        if start >= end || is_blank(&text[start..end]) && !is_text() {
            return;
        }
        let own = match node.is_embedded() {
            true => node.own_parts(Span::new(start, end)),
            false => vec![Span::new(start, end)],
        };
        for span in own {
            let exact = is_text();
            let bare = text[span.range()].trim();
            let span = match exact {
                true => span,
                false => {
                    let start = bare.as_ptr() as usize - text.as_ptr() as usize;
                    Span::new(start, start + bare.len())
                }
            };
            if !span.is_empty() {
                all.push(Part::Text { span, exact });
            }
        }
    };
    let mut end = raw.start_byte();
    let mut cursor = raw.walk();
    let mut has_more = cursor.goto_first_child();
    while has_more {
        let child = node.in_same_tree(cursor.node());
        let span = raw_span(child);
        add_text(&mut all, end, span.start());
        end = end.max(span.end());
        if !is_skipped(child, is_text, text) {
            all.push(Part::Node {
                node: child,
                field: cursor.field_id(),
            });
        }
        has_more = cursor.goto_next_sibling();
    }
    add_text(&mut all, end, raw.end_byte());
    without_last_separators(&mut all);
    all
}

/// Removes each comma after the last member of a list.
fn without_last_separators(all: &mut Vec<Part<'_>>) {
    let is_comma = |part: &Part<'_>| part.is_sign(|sign| sign == ",");
    let is_last = |index: usize| {
        let before = index.checked_sub(1).map(|before| &all[before]);
        let follows_member = before.is_some_and(|before| {
            !is_comma(before) && before.node().is_none_or(|node| node.bracket() <= 0)
        });
        let closes = |part: &Part<'_>| part.node().is_some_and(|node| node.bracket() < 0);
        is_comma(&all[index]) && follows_member && all.get(index + 1).is_none_or(closes)
    };
    let last: Vec<usize> = (0..all.len()).filter(|index| is_last(*index)).collect();
    for index in last.into_iter().rev() {
        all.remove(index);
    }
}

impl PatternPart {
    /// Returns the text of a part without others in it.
    fn text(&self) -> Option<&str> {
        match &self.what {
            What::Leaf { text, .. } | What::Text { text, .. } => Some(text),
            What::Placeholder(_) | What::Inner { .. } => None,
        }
    }

    /// Returns whether it is a comma between members.
    fn is_separator(&self) -> bool {
        matches!(&self.what, What::Leaf { is_named: false, text, .. } if text == ",")
    }
}

impl<'a, 't> Matching<'a, 't> {
    pub(super) fn new(
        placeholders: &'a [Placeholder],
        text: &'t str,
        quotes: Quotes,
    ) -> Matching<'a, 't> {
        Matching {
            placeholders,
            text,
            quotes,
            is_loose: false,
            shorthands: &[],
            matched: Matched::default(),
            comparisons: 0,
        }
    }

    /// Returns whether the comparisons of a node were too many.
    pub(super) fn is_exhausted(&self) -> bool {
        self.comparisons > COMPARISONS
    }

    /// Returns whether a node matches.
    pub(super) fn is_match(&mut self, pattern: &PatternPart, node: Node<'t>) -> bool {
        self.start();
        let is_shorthand = self.is_shorthand(pattern, node);
        self.token(pattern, raw_span(node), is_shorthand)
            || self.is_same(pattern, &Part::Node { node, field: None }, false)
    }

    /// Returns how many of the parts, from the first, match the parts of a pattern.
    pub(super) fn matching(
        &mut self,
        pattern: &[PatternPart],
        parts: &[Part<'t>],
    ) -> Option<usize> {
        self.start();
        self.list(pattern, parts, true)
            .map(|rest| parts.len() - rest)
    }

    /// Returns whether a pattern is a name, and a node the member of this name with the value of this name.
    fn is_shorthand(&self, pattern: &PatternPart, node: Node<'t>) -> bool {
        match &pattern.what {
            What::Leaf { text, .. } => {
                let own = &self.text[raw_span(node).range()];
                own == text
                    && node.is_leaf()
                    && self.shorthands.iter().any(|kind| kind == node.kind())
            }
            _ => false,
        }
    }

    /// Returns whether a node may match, as far as its type shows.
    pub(super) fn may_match(&self, pattern: &PatternPart, node: Node<'t>) -> bool {
        match &pattern.what {
            What::Placeholder(_) => true,
            What::Leaf { kind, .. } => {
                node.kind_id() == *kind || self.shorthands.iter().any(|kind| kind == node.kind())
            }
            What::Inner { kind, .. } => node.kind_id() == *kind,
            What::Text { .. } => false,
        }
    }

    fn start(&mut self) {
        self.matched = Matched::default();
        self.comparisons = 0;
    }

    fn known(&self) -> (usize, usize, usize) {
        let matched = &self.matched;
        (
            matched.captures.len(),
            matched.tokens.len(),
            matched.further.len(),
        )
    }

    fn forget(&mut self, known: (usize, usize, usize)) {
        self.matched.captures.truncate(known.0);
        self.matched.tokens.truncate(known.1);
        self.matched.further.truncate(known.2);
    }

    fn placeholder(&self, pattern: &PatternPart) -> Option<usize> {
        match pattern.what {
            What::Placeholder(index) => Some(index),
            _ => None,
        }
    }

    fn is_several(&self, pattern: Option<&PatternPart>) -> bool {
        let index = pattern.and_then(|pattern| self.placeholder(pattern));
        index.is_some_and(|index| self.placeholders[index].is_several())
    }

    /// Returns the number of parts after those that match; `None` if they do not match, or if there are some and the list
    /// is not `open`.
    fn list(&mut self, pattern: &[PatternPart], parts: &[Part<'t>], open: bool) -> Option<usize> {
        let Some((first, rest)) = pattern.split_first() else {
            let is_end = parts.is_empty() || open || self.are_further(parts);
            return is_end.then_some(parts.len());
        };
        self.comparisons += 1;
        if self.is_exhausted() {
            return None;
        }
        let known = self.known();
        if self.is_several(Some(first)) {
            // In a place of its own, such as the body of an `if`, it takes nothing of another place.
            let is_elsewhere = |part: &Part<'_>| match part {
                Part::Node { node, field } => {
                    let counts = node.is_named() || field.is_some();
                    !open && first.field.is_some() && counts && *field != first.field
                }
                Part::Text { .. } => false,
            };
            let most = parts.iter().position(is_elsewhere);
            for taken in 0..=most.unwrap_or(parts.len()) {
                if self.captures(first, &parts[..taken]) {
                    let found = self.list(rest, &parts[taken..], open);
                    if found.is_some() {
                        return found;
                    }
                }
                self.forget(known);
                // No members have no separator after them.
                if taken == 0 && rest.first().is_some_and(PatternPart::is_separator) {
                    let found = self.list(&rest[1..], parts, open);
                    if found.is_some() {
                        return found;
                    }
                    self.forget(known);
                }
            }
            return None;
        }
        if let Some((part, others)) = parts.split_first() {
            // Statements in a row may be anywhere.
            if self.is_same(first, part, !open) {
                let found = self.list(rest, others, open);
                if found.is_some() {
                    return found;
                }
            }
            self.forget(known);
            if self.is_loose && self.are_further(&parts[..1]) {
                let found = self.list(pattern, others, open);
                if found.is_some() {
                    return found;
                }
                self.forget(known);
            }
        }
        // No members have no separator before them.
        if first.is_separator() && self.is_several(rest.first()) {
            return self.list(&rest[1..], parts, open);
        }
        None
    }

    /// Returns whether parts that the pattern does not have are accepted.
    fn are_further(&mut self, parts: &[Part<'t>]) -> bool {
        let is_comma = |part: &Part<'_>| part.is_sign(|sign| sign == ",");
        let is_member = |part: &Part<'t>| {
            let parent = part.node().and_then(|node| {
                let parent = node.raw()?.parent()?;
                Some(node.in_same_tree(parent))
            });
            parent.is_some_and(|parent| parent.list().is_some())
        };
        if !self.is_loose || parts.iter().any(is_comma) || parts.iter().any(is_member) {
            return false;
        }
        let nodes = parts.iter().filter_map(Part::node);
        self.matched.further.extend(nodes.map(Node::kind));
        true
    }

    /// Captures what a placeholder matches. A name that was captured before must have equal code.
    fn captures(&mut self, pattern: &PatternPart, parts: &[Part<'t>]) -> bool {
        let Some(index) = self.placeholder(pattern) else {
            return false;
        };
        let name = &self.placeholders[index].name;
        if name.is_some() {
            let mut before = self.matched.captures.iter();
            let before = before.find(|(own, _)| self.placeholders[*own].name == *name);
            if let Some((_, others)) = before
                && !self.is_equal(others, parts)
            {
                return false;
            }
        }
        if let (Some(first), Some(last)) = (parts.first(), parts.last()) {
            let span = Span::new(first.span().start(), last.span().end());
            self.matched.tokens.push((pattern.place.clone(), span));
        }
        self.matched.captures.push((index, parts.to_vec()));
        true
    }

    /// Returns whether two captures have the same tokens.
    fn is_equal(&self, one: &[Part<'t>], other: &[Part<'t>]) -> bool {
        tokens(one, self.text).eq(tokens(other, self.text))
    }

    /// Returns whether a part matches. The field of a child counts.
    fn is_same(&mut self, pattern: &PatternPart, part: &Part<'t>, is_child: bool) -> bool {
        self.comparisons += 1;
        if self.is_exhausted() {
            return false;
        }
        let (span, exact) = match *part {
            Part::Node { field, .. } if is_child && field != pattern.field => return false,
            Part::Node { node, .. } => {
                return match pattern.what {
                    What::Placeholder(index) => {
                        let is_wanted = node.is_named() || self.placeholders[index].signs > 1;
                        is_wanted && self.captures(pattern, &[*part])
                    }
                    _ => {
                        self.is_same_node(pattern, node, is_child)
                            || self.has_same_value(pattern, node)
                    }
                };
            }
            Part::Text { span, exact } => (span, exact),
        };
        let own = &self.text[span.range()];
        match &pattern.what {
            What::Placeholder(_) => exact && self.captures(pattern, &[*part]),
            What::Text { text, exact: true } => self.token(pattern, span, own == text),
            What::Text { text, .. } if exact => self.token(pattern, span, own == text),
            What::Text { text, .. } => {
                let is_same = own.split_whitespace().eq(text.split_whitespace());
                self.token(pattern, span, is_same)
            }
            What::Leaf { .. } | What::Inner { .. } => false,
        }
    }

    /// Returns whether a node has the type and the parts of one in the pattern.
    fn is_same_node(&mut self, pattern: &PatternPart, node: Node<'t>, is_child: bool) -> bool {
        match &pattern.what {
            What::Text { .. } | What::Placeholder(_) => false,
            What::Leaf {
                kind,
                is_named,
                text,
            } => {
                let span = raw_span(node);
                let own = &self.text[span.range()];
                // The text of a sign is its type, in any case or with a prefix (`b"`); some grammars give it other bytes.
                let is_text = |text: &str| text.to_ascii_lowercase().contains(node.kind());
                let is_same_text = match *is_named || is_text(own) && is_text(text) {
                    true => own == text || !is_named && own.eq_ignore_ascii_case(text),
                    false => true,
                };
                let is_same = node.kind_id() == *kind && node.is_leaf() && is_same_text;
                self.token(pattern, span, is_same)
            }
            What::Inner {
                kind,
                is_text,
                parts: own,
                ..
            } if node.kind_id() == *kind => {
                let all = parts(node, self.text);
                self.attempt(|this| match is_text {
                    true => this.is_same_text(own, &all),
                    false => this.list(own, &all, false).is_some(),
                })
            }
            // The brackets of a call may be those of its only argument: `f(x for x in y)`.
            What::Inner { parts: own, .. } => {
                let all = parts(node, self.text);
                match (own.as_slice(), all.as_slice()) {
                    ([open, one, close], [first, inner @ .., last])
                        if inner.len() > 1 && self.placeholder(one).is_some() && is_child =>
                    {
                        self.attempt(|this| {
                            this.is_same(open, first, false)
                                && this.captures(one, inner)
                                && this.is_same(close, last, false)
                        })
                    }
                    _ => false,
                }
            }
        }
    }

    /// Compares parts, and forgets what matched of them if not all do.
    fn attempt(&mut self, is_same: impl FnOnce(&mut Self) -> bool) -> bool {
        let known = self.known();
        let is_same = is_same(self);
        if !is_same {
            self.forget(known);
        }
        is_same
    }

    /// Keeps a token if it is the same in the pattern and in the text. Returns whether it is.
    fn token(&mut self, pattern: &PatternPart, span: Span, is_same: bool) -> bool {
        if is_same {
            self.matched.tokens.push((pattern.place.clone(), span));
        }
        is_same
    }

    /// Returns whether the parts of a string match. A placeholder between its quotes matches all of its text.
    fn is_same_text(&mut self, pattern: &[PatternPart], parts: &[Part<'t>]) -> bool {
        if self.attempt(|this| this.list(pattern, parts, false).is_some()) {
            return true;
        }
        let ([open, inner @ .., close], [first, all @ .., last]) = (pattern, parts) else {
            return false;
        };
        if let [one] = inner
            && self.placeholder(one).is_some()
        {
            let (start, end) = (first.span().start(), last.span().end());
            let quotes = open.text().zip(close.text());
            let (open_len, close_len) =
                quotes.map_or((0, 0), |(open, close)| (open.len(), close.len()));
            // Some grammars leave out whitespace at the start of the text.
            let ends = [start + open_len, end.saturating_sub(close_len)];
            if ends[0] >= ends[1] || ends.iter().any(|end| !self.text.is_char_boundary(*end)) {
                return false;
            }
            let (open_span, close_span) = (Span::new(start, ends[0]), Span::new(ends[1], end));
            let inner = Part::Text {
                span: Span::new(ends[0], ends[1]),
                exact: true,
            };
            return self.is_same_quote(open, open_span)
                && self.is_same_quote(close, close_span)
                && self.captures(one, &[inner]);
        }
        self.is_same_quote(open, first.span())
            && self.is_same_quote(close, last.span())
            && self.list(inner, all, false).is_some()
    }

    /// Returns whether two tokens are the same, or quotes of two kinds.
    fn is_same_quote(&mut self, pattern: &PatternPart, span: Span) -> bool {
        let Some(text) = pattern.text() else {
            return false;
        };
        let own = &self.text[span.range()];
        let is_same = match self.quotes {
            Quotes::Exact => own == text,
            Quotes::Any => own.replace('\'', "\"") == text.replace('\'', "\""),
        };
        self.token(pattern, span, is_same)
    }

    /// Returns whether a node is a string with the value of the one in the pattern.
    fn has_same_value(&mut self, pattern: &PatternPart, node: Node<'t>) -> bool {
        let is_inner = |part: &PatternPart| matches!(part.what, What::Inner { .. });
        let (kind, text) = match &pattern.what {
            What::Inner {
                kind,
                is_text: true,
                text,
                parts,
            } if !parts.iter().any(is_inner) => (*kind, text),
            What::Leaf {
                kind,
                is_named: true,
                text,
            } => (*kind, text),
            _ => return false,
        };
        let span = raw_span(node);
        let is_wanted = self.quotes == Quotes::Any && node.kind_id() == kind;
        let is_same = is_wanted
            && is_text_node(node)
            && node.own_children().into_iter().all(Node::is_leaf)
            && string_value(text).is_some()
            && string_value(text) == string_value(&self.text[span.range()]);
        self.token(pattern, span, is_same)
    }
}

/// Returns the prefix and the value of a string without other escapes than those of its quotes.
fn string_value(text: &str) -> Option<(&str, String)> {
    let start = text.find(['"', '\''])?;
    let (prefix, quoted) = text.split_at(start);
    let quote = quoted.chars().next()?;
    let inner = quoted.strip_prefix(quote)?.strip_suffix(quote)?;
    let is_prefix = prefix.chars().all(char::is_alphabetic);
    let mut value = String::new();
    let mut all = inner.chars();
    while let Some(c) = all.next() {
        match c {
            '\\' => value.push(all.next().filter(|c| *c == quote)?),
            c if c == quote => return None,
            c => value.push(c),
        }
    }
    is_prefix.then_some((prefix, value))
}

/// Returns the texts of the tokens of parts, in order.
fn tokens<'t>(parts: &[Part<'t>], text: &'t str) -> impl Iterator<Item = &'t str> {
    let mut open: Vec<Part<'t>> = parts.iter().rev().copied().collect();
    std::iter::from_fn(move || {
        loop {
            let part = open.pop()?;
            let inner = part
                .node()
                .map_or(Vec::new(), |node| self::parts(node, text));
            if inner.is_empty() {
                return Some(&text[part.span().range()]);
            }
            open.extend(inner.into_iter().rev());
        }
    })
}
