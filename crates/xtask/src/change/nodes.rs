//! Interprets a hunk in terms of nodes: compares two trees and returns the operations that a person would use, or the
//! reason why there are none.

use treegraft::edit::InsertPosition;
use treegraft::parse::{Node, Parsed};
use treegraft::source::Span;

use crate::history::{FORMAT, MOST_LINES, changes_format};
use crate::text::{begins_line, difference, line_start};

use super::Site;

/// An operation that turns the old text into the expected text. Spans called `new` are in the expected text, all other
/// data belongs to the old text. A chain goes from the root down to the node.
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
        chain: Vec<Node<'p>>,
    },
    /// The text that changed.
    Text,
}

/// Returns the operations that reproduce a hunk, the best one first.
///
/// # Errors
/// Returns the reason why the hunk cannot be made alone.
pub(crate) fn interpret<'p>(site: &Site<'p>) -> Result<Vec<HunkOperation<'p>>, &'static str> {
    if changes_format(site.old_text(), site.new_text()) {
        return Err(FORMAT);
    }
    let (before, wanted) = (site.before, site.wanted);
    let (old, new) = difference(site.old_text(), site.new_text());
    let at = |parsed: &Parsed, span: Span| {
        let mut problems = parsed.problems().iter();
        problems.any(|one| one.span.touches(span))
    };
    let is_worse = wanted.problems().len() > before.problems().len()
        || (at(wanted, new) && !at(before, old))
        || (wanted.strict_problem().is_some() && before.strict_problem().is_none());
    if is_worse {
        return Err("the hunk alone, without the rest of its commit, breaks the syntax");
    }
    let pair = Pair::descend(site);
    let node = pair.old[pair.old.len() - 1];
    if node.is_error() || pair.removed.iter().any(|node| node.has_error()) {
        return Err("the old text does not parse at this place");
    }
    let of_nodes = match (pair.removed.is_empty(), pair.added.is_empty()) {
        (true, false) => pair.inserted(),
        (false, true) => pair.deleted(),
        (false, false) => pair.replaced(),
        (true, true) => None,
    };
    // Text is better than a node that has lines outside the hunk.
    let is_small = |operation: &HunkOperation<'_>| match operation {
        HunkOperation::Replace { chain, .. } => {
            let span = trimmed(before, chain[chain.len() - 1]);
            site.hunk.old.start <= span.start() && span.end() <= site.hunk.old.end
        }
        _ => true,
    };
    let all = of_nodes.into_iter().chain(pair.whole());
    let (mut operations, later): (Vec<_>, Vec<_>) = all.partition(is_small);
    operations.push(HunkOperation::Text);
    operations.extend(later);
    Ok(operations)
}

/// The smallest nodes of two trees that contain the change, and their differing children.
struct Pair<'s, 'p> {
    site: &'s Site<'p>,
    old: Vec<Node<'p>>,
    new: Vec<Node<'p>>,
    /// The named children before and after the differing ones, in the old text.
    front: Vec<Node<'p>>,
    back: Vec<Node<'p>>,
    removed: Vec<Node<'p>>,
    added: Vec<Node<'p>>,
}

impl<'s, 'p> Pair<'s, 'p> {
    fn descend(site: &'s Site<'p>) -> Pair<'s, 'p> {
        let (mut old, mut new) = (vec![site.before.root()], vec![site.wanted.root()]);
        loop {
            let pair = Pair::compare(site, old, new);
            let ([removed], [added]) = (&pair.removed[..], &pair.added[..]) else {
                return pair;
            };
            let (removed, added) = (*removed, *added);
            let spans = (trimmed(site.before, removed), trimmed(site.wanted, added));
            if removed.kind() != added.kind() || !pair.has_same_text_around(spans.0, spans.1) {
                return pair;
            }
            (old, new) = (pair.old, pair.new);
            old.push(removed);
            new.push(added);
        }
    }

    /// Finds the differing children of two nodes.
    fn compare(site: &'s Site<'p>, old: Vec<Node<'p>>, new: Vec<Node<'p>>) -> Pair<'s, 'p> {
        let named = |parsed: &'p Parsed, chain: &[Node<'p>]| {
            let children = parsed.children(chain[chain.len() - 1]).into_iter();
            let has_text =
                |child: &Node<'_>| child.is_named() && !parsed.text_of(*child).trim().is_empty();
            children.filter(has_text).collect::<Vec<_>>()
        };
        let (one, other) = (named(site.before, &old), named(site.wanted, &new));
        let is_same = |(own, other): &(&Node<'_>, &Node<'_>)| {
            let texts = (site.before.text_of(**own), site.wanted.text_of(**other));
            own.kind() == other.kind() && texts.0.trim() == texts.1.trim()
        };
        let mut front = one.iter().zip(&other).take_while(is_same).count();
        let most = one.len().min(other.len()) - front;
        let backwards = one.iter().rev().zip(other.iter().rev());
        let mut back = backwards.take(most).take_while(is_same).count();
        // An added or removed run starts with the nodes attached to it, if the next node has the same. Nobody removes
        // `fn a() {} #[test]` from `#[test] fn a() {} #[test] fn b() {}`.
        if front + back == one.len() || front + back == other.len() {
            let (all, parsed) = match front + back == one.len() {
                true => (&other, site.wanted),
                false => (&one, site.before),
            };
            while let Some((last, run)) = all[front..all.len() - back].split_last()
                && is_attached(*last)
                && !run.iter().all(|node| is_attached(*node))
                && let Some(ahead) = front.checked_sub(1).map(|at| one[at])
                && ahead.kind() == last.kind()
                && site.before.text_of(ahead).trim() == parsed.text_of(*last).trim()
            {
                front -= 1;
                back += 1;
            }
        }
        // Nodes attached to a changed node are sent with it.
        let begins_attached = |nodes: &[Node<'_>]| nodes.len() > 1 && is_attached(nodes[0]);
        if begins_attached(&one[front..one.len() - back])
            || begins_attached(&other[front..other.len() - back])
        {
            while front > 0
                && front < one.len() - back
                && is_attached(one[front - 1])
                && touch(site.before, one[front - 1], one[front])
            {
                front -= 1;
            }
        }
        Pair {
            site,
            removed: one[front..one.len() - back].to_vec(),
            added: other[front..other.len() - back].to_vec(),
            front: one[..front].to_vec(),
            back: one[one.len() - back..].to_vec(),
            old,
            new,
        }
    }

    /// Returns whether the lines outside two spans are the same except for blank lines and for the separators around the
    /// spans.
    fn has_same_lines_around(&self, old: Span, new: Span) -> bool {
        fn nonblank_lines(text: &str) -> Vec<&str> {
            let lines = text.lines().map(str::trim_end);
            lines.filter(|line| !line.is_empty()).collect()
        }
        // In prose, a comma is part of the text.
        let is_prose = self.old.last().is_some_and(|node| node.kind() == "inline");
        let signs: &[char] = if is_prose { &[] } else { &[',', ';'] };
        let (before, wanted) = (self.site.old_text(), self.site.new_text());
        let mut ahead = [&before[..old.start()], &wanted[..new.start()]].map(nonblank_lines);
        if let [Some(one), Some(other)] = ahead.each_mut().map(|lines| lines.last_mut()) {
            (*one, *other) = (one.trim_end_matches(signs), other.trim_end_matches(signs));
        }
        let after = [&before[old.end()..], &wanted[new.end()..]].map(|text| {
            let rest = text.trim_start_matches([' ', '\t', '\r']);
            let rest = rest.trim_start_matches(signs);
            let rest = rest.trim_start_matches([' ', '\t', '\r']);
            let ends_line = rest.is_empty() || rest.starts_with('\n');
            nonblank_lines(if ends_line { rest } else { text })
        });
        ahead[0] == ahead[1] && after[0] == after[1]
    }

    /// Returns whether the texts outside two spans are the same.
    fn has_same_text_around(&self, old: Span, new: Span) -> bool {
        let (before, wanted) = (self.site.old_text(), self.site.new_text());
        before[..old.start()] == wanted[..new.start()] && before[old.end()..] == wanted[new.end()..]
    }

    fn chain_to(&self, node: Node<'p>) -> Vec<Node<'p>> {
        let mut chain = self.old.clone();
        chain.push(node);
        chain
    }

    /// Returns the added children as an insertion, if they have lines of their own.
    fn inserted(&self) -> Option<HunkOperation<'p>> {
        let (before, wanted) = (self.site.before, self.site.wanted);
        let new = hull(wanted, &self.added)?;
        let at = match (self.front.last(), self.back.first()) {
            (Some(previous), _) => trimmed(before, *previous).end(),
            (None, Some(next)) => line_start(self.site.old_text(), trimmed(before, *next).start()),
            (None, None) => self.site.hunk.old.start,
        };
        let ends_with_next_comment = self.added.last().is_some_and(|last| is_comment(*last))
            && !self.added.iter().all(|node| is_attached(*node));
        let removed = &self.site.old_text()[self.site.hunk.old.clone()];
        // A removed blank line means that the hunk is not only an insertion.
        if ends_with_next_comment
            || removed.lines().any(|line| line.trim().is_empty())
            || !self.has_same_lines_around(Span::at(at), new)
            || !have_lines(wanted, new, &self.added)
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
        let (parsed, old_text, new_text) =
            (self.site.before, self.site.old_text(), self.site.new_text());
        let starts_line = |node: Node<'_>| begins_line(old_text, trimmed(parsed, node).start());
        let (ahead, after) = (&new_text[..new.start()], &new_text[new.end()..]);
        let above = ahead[ahead.trim_end().len()..].matches('\n').count();
        let below = &after[..after.len() - after.trim_start().len()];
        let below = below.matches('\n').count();
        if let Some(previous) = self.front.last().copied()
            && is_comment(previous)
            && above <= 1
            && starts_line(previous)
        {
            return Some((self.chain_to(previous), InsertPosition::After));
        }
        // Attached nodes are selected through their node.
        let is_attachment = |node: &&Node<'_>| is_attached(**node);
        let attachments = self.back.iter().take_while(is_attachment).count();
        let mut pairs = self.back[..self.back.len().min(attachments + 1)].windows(2);
        let next = match self.back.get(attachments) {
            Some(owner) if pairs.all(|pair| touch(parsed, pair[0], pair[1])) => Some(*owner),
            _ => self.back.first().copied(),
        };
        // Insert next to the adjacent neighbor.
        if let Some(next) = next
            && below < above
            && below <= 1
        {
            return Some((self.chain_to(next), InsertPosition::Before));
        }
        let is_bare = |node: &Node<'_>| is_attached(*node) && !is_comment(*node);
        let mut earlier = self.front.iter().rev().copied().peekable();
        while let Some(previous) = earlier.next() {
            // A trailing comment belongs to the preceding node, an attribute to the following one.
            if is_comment(previous) && !starts_line(previous) && earlier.peek().is_some() {
                continue;
            }
            // An attribute is inserted after another attribute.
            if is_bare(&previous) && !self.added.iter().all(is_bare) {
                break;
            }
            return Some((self.chain_to(previous), InsertPosition::After));
        }
        if let Some(next) = next {
            return Some((self.chain_to(next), InsertPosition::Before));
        }
        // Without enclosing brackets, nothing shows that the node is a container.
        let holder = parsed.text_of(*self.old.last()?);
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

    /// Returns the removed child as a deletion, if it had lines of its own.
    fn deleted(&self) -> Option<HunkOperation<'p>> {
        let [node] = self.removed[..] else {
            return None;
        };
        let old = hull(self.site.before, &self.removed)?;
        let at = line_start(self.site.old_text(), old.start());
        let new = Span::at(at.min(self.site.new_text().len()));
        let is_deletion = self.has_same_lines_around(old, new)
            && have_lines(self.site.before, old, &self.removed);
        is_deletion.then(|| HunkOperation::Delete {
            chain: self.chain_to(node),
        })
    }

    /// Returns a replacement of one old child, with its attached nodes, by others.
    fn replaced(&self) -> Option<HunkOperation<'p>> {
        let (last, attached) = self.removed.split_last()?;
        let old = hull(self.site.before, &self.removed)?;
        let new = hull(self.site.wanted, &self.added)?;
        let has_owner = !is_attached(*last) && !is_attached(*self.added.last()?);
        let is_replacement = attached.iter().all(|node| is_attached(*node))
            && (attached.is_empty() || has_owner)
            && self.has_same_text_around(old, new);
        is_replacement.then(|| HunkOperation::Replace {
            chain: self.chain_to(*last),
            new,
            include_attached: !attached.is_empty(),
        })
    }

    /// Returns a replacement of the smallest node that contains the change.
    fn whole(&self) -> Option<HunkOperation<'p>> {
        let node = *self.old.last()?;
        let lines = self.site.before.text_of(node).matches('\n').count();
        let is_wanted = self.old.len() > 1 && lines <= MOST_LINES;
        is_wanted.then_some(HunkOperation::Replace {
            chain: self.old.clone(),
            new: whole_text(self.site.wanted, *self.new.last()?),
            include_attached: false,
        })
    }
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

/// Returns the span from the first node to the last.
fn hull(parsed: &Parsed, nodes: &[Node<'_>]) -> Option<Span> {
    let start = whole_text(parsed, *nodes.first()?).start();
    Some(Span::new(start, whole_text(parsed, *nodes.last()?).end()))
}

/// Returns whether there is at most one newline between two nodes.
pub(crate) fn touch(parsed: &Parsed, one: Node<'_>, other: Node<'_>) -> bool {
    let (one, other) = (trimmed(parsed, one), trimmed(parsed, other));
    let between = one.end()..other.start().max(one.end());
    parsed.source().text()[between].matches('\n').count() <= 1
}

pub(crate) fn is_comment(node: Node<'_>) -> bool {
    node.kind().contains("comment")
}

/// Returns whether a node is attached to the following one, according to its type name.
pub(crate) fn is_attached(node: Node<'_>) -> bool {
    let words = ["comment", "attribute_item", "decorator", "annotation"];
    node.kind() != "type_annotation" && words.iter().any(|word| node.kind().contains(word))
}

/// Returns whether nothing else is on the lines of some nodes, except a trailing comma or semicolon, and whether each
/// that is not a comment starts a line.
fn have_lines(parsed: &Parsed, span: Span, nodes: &[Node<'_>]) -> bool {
    let text = parsed.source().text();
    let after = text[span.end()..].split('\n').next().unwrap_or_default();
    let mut others = nodes.iter().filter(|node| !is_comment(**node));
    begins_line(text, span.start())
        && after.trim_matches([',', ';', ' ', '\t', '\r']).is_empty()
        && others.all(|node| begins_line(text, trimmed(parsed, *node).start()))
}
