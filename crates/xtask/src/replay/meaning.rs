//! Interprets a hunk in terms of nodes: compares two trees and returns the operation that a person
//! would use, or the reason why there is none.

use treegraft::edit::InsertPosition;
use treegraft::parse::{Node, Parsed};
use treegraft::source::Span;

use super::history::Hunk;

/// The maximum number of lines on one side of a hunk.
const LARGEST: usize = 60;

/// An operation that turns the old text into the expected text. Spans called `new` are in the
/// expected text, all other data belongs to the old text. A chain goes from the root down to the
/// node.
pub(crate) enum HunkOperation<'p> {
    Replace {
        chain: Vec<Node<'p>>,
        new: Span,
        include_attached: bool,
    },
    Insert {
        chain: Vec<Node<'p>>,
        position: InsertPosition,
        new: Span,
    },
    Delete {
        chains: Vec<Vec<Node<'p>>>,
    },
    /// The text that changed.
    Text,
}

/// The operations that reproduce a hunk: the best one, and the others.
pub(crate) struct Interpretation<'p> {
    pub(crate) best: HunkOperation<'p>,
    pub(crate) others: Vec<HunkOperation<'p>>,
}

/// Why a hunk is not converted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Skip {
    Large,
    Blank,
    NoLanguage,
    FileFormat,
    BreaksSyntax,
    BrokenBefore,
    NoNode,
    NoFind,
}

impl Skip {
    pub(crate) fn reason(self) -> &'static str {
        match self {
            Skip::Large => "more than 60 lines on one side",
            Skip::Blank => "only whitespace changes",
            Skip::NoLanguage => "no grammar for the file",
            Skip::FileFormat => {
                "the line endings, the final newline or the BOM change, which every edit preserves"
            }
            Skip::BreaksSyntax => {
                "the hunk alone, without the rest of its commit, breaks the syntax"
            }
            Skip::BrokenBefore => "the old text does not parse at this place",
            Skip::NoNode => "no selector found for a node",
            Skip::NoFind => "no search text found",
        }
    }
}

/// Returns the reason to skip a hunk without parsing, if any.
pub(crate) fn skipped_at_once(before: &str, hunk: &Hunk) -> Option<Skip> {
    if hunk.lines.0.max(hunk.lines.1) > LARGEST {
        Some(Skip::Large)
    } else if without_whitespace(&before[hunk.old.clone()]) == without_whitespace(&hunk.new) {
        Some(Skip::Blank)
    } else {
        None
    }
}

/// Returns whether a hunk changes what every edit preserves: the kind of line endings, the final
/// newline and the BOM.
fn changes_file_format(before: &Parsed, wanted: &Parsed, hunk: &Hunk) -> bool {
    const BOM: char = '\u{feff}';
    let (old, new) = (before.source().text(), wanted.source().text());
    let kind = before.source().line_ending_at(hunk.old.start);
    let breaks = hunk.new.matches('\n').count();
    let with_return = hunk.new.matches("\r\n").count();
    let other_kind = match kind {
        "\n" => with_return > 0,
        _ => with_return < breaks,
    };
    other_kind
        || old.ends_with('\n') != new.ends_with('\n')
        || old.starts_with(BOM) != new.starts_with(BOM)
}

/// Returns a text without its whitespace.
pub(crate) fn without_whitespace(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

/// Determines which operations reproduce a hunk.
pub(crate) fn interpret<'p>(
    before: &'p Parsed,
    wanted: &'p Parsed,
    hunk: &Hunk,
) -> Result<Interpretation<'p>, Skip> {
    if changes_file_format(before, wanted, hunk) {
        return Err(Skip::FileFormat);
    }
    let (old, new) = difference(before.source().text(), wanted.source().text());
    let at = |parsed: &Parsed, span: Span| {
        let mut problems = parsed.problems().iter();
        problems.any(|one| one.span.touches(span))
    };
    let is_worse = wanted.problems().len() > before.problems().len()
        || (at(wanted, new) && !at(before, old))
        || (wanted.strict_problem().is_some() && before.strict_problem().is_none());
    if is_worse {
        return Err(Skip::BreaksSyntax);
    }
    let pair = Pair::descend(before, wanted, hunk);
    let node = pair.old[pair.old.len() - 1];
    if node.is_error() || pair.removed.iter().any(|node| node.has_error()) {
        return Err(Skip::BrokenBefore);
    }
    let nodes = match (pair.removed.is_empty(), pair.added.is_empty()) {
        (true, false) => pair.inserted(),
        (false, true) => pair.deleted(),
        (false, false) => pair.replaced(),
        (true, true) => None,
    };
    let is_small = |operation: &HunkOperation<'_>| match operation {
        HunkOperation::Replace { chain, .. } => pair.is_in_hunk(chain[chain.len() - 1]),
        _ => true,
    };
    let whole = pair.whole();
    let mut ways: Vec<HunkOperation<'p>> = Vec::new();
    let (first, later): (Vec<_>, Vec<_>) = nodes.into_iter().chain(whole).partition(is_small);
    ways.extend(first);
    ways.push(HunkOperation::Text);
    ways.extend(later);
    let mut ways = ways.into_iter();
    let best = ways.next().ok_or(Skip::NoNode)?;
    Ok(Interpretation {
        best,
        others: ways.collect(),
    })
}

/// The smallest nodes of two trees that contain the change, and their differing children.
struct Pair<'p, 'h> {
    before: &'p Parsed,
    wanted: &'p Parsed,
    hunk: &'h Hunk,
    old: Vec<Node<'p>>,
    new: Vec<Node<'p>>,
    /// The named children before and after the differing ones, in the old text.
    front: Vec<Node<'p>>,
    back: Vec<Node<'p>>,
    removed: Vec<Node<'p>>,
    added: Vec<Node<'p>>,
}

impl<'p, 'h> Pair<'p, 'h> {
    fn descend(before: &'p Parsed, wanted: &'p Parsed, hunk: &'h Hunk) -> Pair<'p, 'h> {
        let mut pair = Pair {
            before,
            wanted,
            hunk,
            old: vec![before.root()],
            new: vec![wanted.root()],
            front: Vec::new(),
            back: Vec::new(),
            removed: Vec::new(),
            added: Vec::new(),
        };
        loop {
            pair.compare();
            let ([removed], [added]) = (&pair.removed[..], &pair.added[..]) else {
                return pair;
            };
            let (removed, added) = (*removed, *added);
            let is_same = removed.kind() == added.kind();
            if !is_same
                || !pair.has_same_text_around(trimmed(before, removed), trimmed(wanted, added))
            {
                return pair;
            }
            pair.old.push(removed);
            pair.new.push(added);
        }
    }

    /// Finds the differing children.
    fn compare(&mut self) {
        let named = |parsed: &'p Parsed, chain: &[Node<'p>]| {
            let children = parsed.children(chain[chain.len() - 1]).into_iter();
            let has_text =
                |child: &Node<'_>| child.is_named() && !parsed.text_of(*child).trim().is_empty();
            children.filter(has_text).collect::<Vec<_>>()
        };
        let old = named(self.before, &self.old);
        let new = named(self.wanted, &self.new);
        let is_same = |(own, other): &(&Node<'_>, &Node<'_>)| {
            let texts = (self.before.text_of(**own), self.wanted.text_of(**other));
            own.kind() == other.kind() && texts.0.trim() == texts.1.trim()
        };
        let front = old.iter().zip(&new).take_while(is_same).count();
        let most = old.len().min(new.len()) - front;
        let backwards = old.iter().rev().zip(new.iter().rev());
        let back = backwards.take(most).take_while(is_same).count();
        self.removed = old[front..old.len() - back].to_vec();
        self.added = new[front..new.len() - back].to_vec();
        self.front = old[..front].to_vec();
        self.back = old[old.len() - back..].to_vec();
        self.rotate_attached(&old, &new);
        // Nodes attached to a changed node are sent with it.
        let begins_attached = |nodes: &[Node<'_>]| {
            nodes.len() > 1 && nodes.first().is_some_and(|first| is_attached(*first))
        };
        if !begins_attached(&self.removed) && !begins_attached(&self.added) {
            return;
        }
        let text = self.before.source().text();
        while let (Some(previous), Some(first)) = (self.front.last().copied(), self.removed.first())
            && is_attached(previous)
            && breaks(
                text,
                trimmed(self.before, previous),
                trimmed(self.before, *first),
            ) <= 1
        {
            self.front.pop();
            self.removed.insert(0, previous);
            self.added.insert(0, new[self.front.len()]);
        }
    }

    /// Shifts an added or removed run so that it starts with the nodes attached to it, if the next
    /// node has the same. Nobody removes `fn a() {} #[test]` from `#[test] fn a() {} #[test] fn b()
    /// {}`.
    fn rotate_attached(&mut self, old: &[Node<'p>], new: &[Node<'p>]) {
        let text = |parsed: &Parsed, node: Node<'_>| parsed.text_of(node).trim().to_string();
        let (parsed, all) = match (self.removed.is_empty(), self.added.is_empty()) {
            (true, false) => (self.wanted, new),
            (false, true) => (self.before, old),
            _ => return,
        };
        loop {
            let run = if self.added.is_empty() {
                &self.removed
            } else {
                &self.added
            };
            let (Some(last), Some(ahead)) = (run.last(), self.front.last()) else {
                return;
            };
            let is_bare = run.iter().all(|node| is_attached(*node));
            let is_same =
                ahead.kind() == last.kind() && text(self.before, *ahead) == text(parsed, *last);
            if is_bare || !is_attached(*last) || !is_same {
                return;
            }
            let (first, count) = (self.front.len() - 1, run.len());
            let rotated = all[first..first + count].to_vec();
            let next = old[if self.added.is_empty() {
                first + count
            } else {
                first
            }];
            match self.added.is_empty() {
                true => self.removed = rotated,
                false => self.added = rotated,
            }
            self.front.pop();
            self.back.insert(0, next);
        }
    }

    /// Returns whether the lines outside two spans are the same except for blank lines and for the
    /// separators around the spans.
    fn has_same_lines_around(&self, old: Span, new: Span) -> bool {
        fn nonblank_lines(text: &str) -> Vec<&str> {
            let lines = text.lines().map(str::trim_end);
            lines.filter(|line| !line.is_empty()).collect()
        }
        // In prose, a comma is part of the text.
        let is_prose = self.old.last().is_some_and(|node| node.kind() == "inline");
        let signs: &[char] = if is_prose { &[] } else { &[',', ';'] };
        let (before, wanted) = (self.before.source().text(), self.wanted.source().text());
        let mut ahead = [&before[..old.start()], &wanted[..new.start()]].map(nonblank_lines);
        if let [Some(one), Some(other)] = ahead.each_mut().map(|lines| lines.last_mut()) {
            (*one, *other) = (one.trim_end_matches(signs), other.trim_end_matches(signs));
        }
        let after = [&before[old.end()..], &wanted[new.end()..]].map(|text| {
            let rest = text
                .trim_start_matches([' ', '\t', '\r'])
                .trim_start_matches(signs);
            let rest = rest.trim_start_matches([' ', '\t', '\r']);
            let ends_line = rest.is_empty() || rest.starts_with('\n');
            nonblank_lines(if ends_line { rest } else { text })
        });
        ahead[0] == ahead[1] && after[0] == after[1]
    }

    /// Returns whether each node that is not a comment starts a line.
    fn begin_lines(&self, parsed: &Parsed, nodes: &[Node<'_>]) -> bool {
        let text = parsed.source().text();
        let begins = |node: &Node<'_>| begins_line(text, trimmed(parsed, *node).start());
        let mut others = nodes.iter().filter(|node| !is_comment(**node));
        others.all(begins)
    }

    /// Returns whether the texts outside two spans are the same.
    fn has_same_text_around(&self, old: Span, new: Span) -> bool {
        let (before, wanted) = (self.before.source().text(), self.wanted.source().text());
        before[..old.start()] == wanted[..new.start()] && before[old.end()..] == wanted[new.end()..]
    }

    fn added_span(&self) -> Option<Span> {
        hull(self.wanted, &self.added)
    }

    fn chain_to(&self, node: Node<'p>) -> Vec<Node<'p>> {
        let mut chain = self.old.clone();
        chain.push(node);
        chain
    }

    /// Returns whether the hunk contains all lines of a node.
    fn is_in_hunk(&self, node: Node<'p>) -> bool {
        let span = trimmed(self.before, node);
        self.hunk.old.start <= span.start() && span.end() <= self.hunk.old.end
    }

    /// Returns the added children as an insertion, if they have lines of their own.
    fn inserted(&self) -> Option<HunkOperation<'p>> {
        let new = self.added_span()?;
        let at = match (self.front.last(), self.back.first()) {
            (Some(previous), _) => trimmed(self.before, *previous).end(),
            (None, Some(next)) => {
                let start = trimmed(self.before, *next).start();
                line_start(self.before.source().text(), start)
            }
            (None, None) => self.hunk.old.start,
        };
        let text = self.wanted.source().text();
        let ends_with_next_comment = self.added.last().is_some_and(|last| is_comment(*last))
            && !self.added.iter().all(|node| is_attached(*node));
        let removed = &self.before.source().text()[self.hunk.old.clone()];
        // A removed blank line means that the hunk is not only an insertion.
        if ends_with_next_comment
            || removed.lines().any(|line| line.trim().is_empty())
            || !self.has_same_lines_around(Span::at(at), new)
            || !has_lines(text, new)
            || !self.begin_lines(self.wanted, &self.added)
        {
            return None;
        }
        let (chain, position) = self.place(new)?;
        Some(HunkOperation::Insert {
            chain,
            position,
            new,
        })
    }

    /// Returns the node next to which a person would insert the new children.
    fn place(&self, new: Span) -> Option<(Vec<Node<'p>>, InsertPosition)> {
        let (old_text, new_text) = (self.before.source().text(), self.wanted.source().text());
        let start_of_new = new_text[..new.start()].trim_end();
        let blank_before = &new_text[start_of_new.len()..new.start()];
        if let Some(previous) = self.front.last().copied()
            && is_comment(previous)
            && blank_before.matches('\n').count() <= 1
            && self.has_line_start(previous)
        {
            return Some((self.chain_to(previous), InsertPosition::After));
        }
        // Attached nodes are selected through their node.
        let is_attachment = |node: &&Node<'_>| is_attached(**node);
        let attachments = self.back.iter().take_while(is_attachment).count();
        let touch = |pair: &[Node<'_>]| {
            let spans = [pair[0], pair[1]].map(|node| trimmed(self.before, node));
            breaks(old_text, spans[0], spans[1]) <= 1
        };
        let next = match self.back.get(attachments) {
            Some(owner) if self.back[..=attachments].windows(2).all(touch) => Some(*owner),
            _ => self.back.first().copied(),
        };
        if let Some(next) = next {
            // Insert next to the adjacent neighbor.
            let after = &new_text[new.end()..];
            let blank_after = &after[..after.len() - after.trim_start().len()];
            let gaps = [blank_before, blank_after].map(|blank| blank.matches('\n').count());
            if gaps[1] < gaps[0] && gaps[1] <= 1 {
                return Some((self.chain_to(next), InsertPosition::Before));
            }
        }
        let mut earlier = self.front.iter().rev().copied().peekable();
        while let Some(previous) = earlier.next() {
            // A trailing comment belongs to the preceding node, an attribute to the following one.
            let start = trimmed(self.before, previous).start();
            let line = &old_text[..start];
            let line = &line[line.rfind('\n').map_or(0, |at| at + 1)..];
            let is_trailing = is_comment(previous) && !line.trim().is_empty();
            if is_trailing && earlier.peek().is_some() {
                continue;
            }
            // An attribute is inserted after another attribute.
            let is_bare = self
                .added
                .iter()
                .all(|node| is_attached(*node) && !is_comment(*node));
            if is_attached(previous) && !is_comment(previous) && !is_bare {
                break;
            }
            return Some((self.chain_to(previous), InsertPosition::After));
        }
        if let Some(next) = next {
            return Some((self.chain_to(next), InsertPosition::Before));
        }
        // Without enclosing brackets, nothing shows that the node is a container.
        let holder = self.before.text_of(*self.old.last()?);
        if !holder.trim_start().starts_with(['{', '[', '(']) {
            return None;
        }
        // A body is selected through the node that it ends.
        let mut chain = self.old.clone();
        if let [.., parent, node] = chain[..]
            && chain.len() > 2
            && parent.span().end() == node.span().end()
            && parent.span().start() < node.span().start()
        {
            chain.pop();
        }
        (chain.len() > 1).then_some((chain, InsertPosition::LastChild))
    }

    /// Returns whether a node starts its line.
    fn has_line_start(&self, node: Node<'_>) -> bool {
        begins_line(
            self.before.source().text(),
            trimmed(self.before, node).start(),
        )
    }

    /// Returns the removed children as a deletion, if they had lines of their own.
    fn deleted(&self) -> Option<HunkOperation<'p>> {
        let old = hull(self.before, &self.removed)?;
        let text = self.before.source().text();
        let at = line_start(text, old.start());
        let new = Span::at(at.min(self.wanted.source().len()));
        if !self.has_same_lines_around(old, new)
            || !has_lines(text, old)
            || !self.begin_lines(self.before, &self.removed)
        {
            return None;
        }
        Some(HunkOperation::Delete {
            chains: self
                .removed
                .iter()
                .map(|node| self.chain_to(*node))
                .collect(),
        })
    }

    /// Returns a replacement of one old child, with its attached nodes, by others.
    fn replaced(&self) -> Option<HunkOperation<'p>> {
        let (last, attached) = self.removed.split_last()?;
        let old = hull(self.before, &self.removed)?;
        let new = self.added_span()?;
        let has_owner = !is_attached(*last) && !is_attached(*self.added.last()?);
        let may_be = attached.is_empty() || has_owner;
        if !attached.iter().all(|node| is_attached(*node))
            || !may_be
            || !self.has_same_text_around(old, new)
        {
            return None;
        }
        Some(HunkOperation::Replace {
            chain: self.chain_to(*last),
            new,
            include_attached: !attached.is_empty(),
        })
    }

    /// Returns a replacement of the smallest node that contains the change.
    fn whole(&self) -> Option<HunkOperation<'p>> {
        let node = *self.old.last()?;
        let lines = self.before.text_of(node).matches('\n').count();
        if self.old.len() < 2 || lines > LARGEST {
            return None;
        }
        Some(HunkOperation::Replace {
            chain: self.old.clone(),
            new: whole_text(self.wanted, *self.new.last()?),
            include_attached: false,
        })
    }
}

/// Returns the differing spans of two texts, without the common start and end. Words are not split.
pub(crate) fn difference(old: &str, new: &str) -> (Span, Span) {
    let is_same = |(one, other): &(char, char)| one == other;
    let common = old.chars().zip(new.chars()).take_while(is_same);
    let mut front: usize = common.map(|(c, _)| c.len_utf8()).sum();
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let splits = |text: &str, at: usize| {
        let before = text[..at].chars().next_back();
        let after = text[at..].chars().next();
        before.is_some_and(is_word) && after.is_some_and(is_word)
    };
    while splits(old, front) || splits(new, front) {
        front -= old[..front].chars().next_back().map_or(1, char::len_utf8);
    }
    let (old_rest, new_rest) = (&old[front..], &new[front..]);
    let common = old_rest.chars().rev().zip(new_rest.chars().rev());
    let mut back: usize = common.take_while(is_same).map(|(c, _)| c.len_utf8()).sum();
    while splits(old, old.len() - back) || splits(new, new.len() - back) {
        back -= old[old.len() - back..]
            .chars()
            .next()
            .map_or(1, char::len_utf8);
    }
    (
        Span::new(front, old.len() - back),
        Span::new(front, new.len() - back),
    )
}

/// Returns the span of a node without surrounding whitespace.
pub(crate) fn trimmed(parsed: &Parsed, node: Node<'_>) -> Span {
    let span = node.span();
    let text = parsed.source().slice(span);
    let start = span.start() + (text.len() - text.trim_start().len());
    Span::new(start, start.max(span.start() + text.trim_end().len()))
}

/// Returns the span of a node. Parts of strings keep their surrounding whitespace.
fn whole_text(parsed: &Parsed, node: Node<'_>) -> Span {
    let kind = node.kind();
    let is_part = kind.contains("content") || kind.contains("fragment");
    match is_part && (kind.contains("string") || parsed.children(node).is_empty()) {
        true => node.span(),
        false => trimmed(parsed, node),
    }
}

fn hull(parsed: &Parsed, nodes: &[Node<'_>]) -> Option<Span> {
    let start = whole_text(parsed, *nodes.first()?).start();
    Some(Span::new(start, whole_text(parsed, *nodes.last()?).end()))
}

/// Counts the newlines between two spans.
fn breaks(text: &str, one: Span, other: Span) -> usize {
    text[one.end()..other.start().max(one.end())]
        .matches('\n')
        .count()
}

/// Returns the start of the line of an offset.
fn line_start(text: &str, offset: usize) -> usize {
    text[..offset].rfind('\n').map_or(0, |at| at + 1)
}

/// Returns whether only whitespace precedes an offset in its line.
fn begins_line(text: &str, offset: usize) -> bool {
    text[line_start(text, offset)..offset].trim().is_empty()
}

pub(crate) fn is_comment(node: Node<'_>) -> bool {
    node.kind().contains("comment")
}

/// Returns whether a node is attached to the following one, according to its type name.
pub(crate) fn is_attached(node: Node<'_>) -> bool {
    let words = ["comment", "attribute_item", "decorator", "annotation"];
    node.kind() != "type_annotation" && words.iter().any(|word| node.kind().contains(word))
}

/// Returns whether nothing else is on the lines of a span, except a trailing comma or semicolon.
fn has_lines(text: &str, span: Span) -> bool {
    let after = text[span.end()..].split('\n').next();
    begins_line(text, span.start())
        && after.is_some_and(|after| after.trim_matches([',', ';', ' ', '\t', '\r']).is_empty())
}
