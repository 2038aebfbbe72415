//! The children of a node as a reader sees them: members, each with its attached nodes and its separator.

mod reader;

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use crate::language::queries::{List, Mark, Members};
use crate::parse::{Node, Parsed};
use crate::select::trimmed_node;
use crate::source::Span;

use reader::Reader;

/// The children of a node in file order.
#[derive(Clone, Debug)]
pub(crate) struct Siblings<'p> {
    pub(crate) parent: Node<'p>,
    /// The list that the parent is, if it is one.
    pub(crate) list: Option<&'static List>,
    /// How children make up members of the list.
    members: Option<Members>,
    pub(crate) elements: Vec<Element<'p>>,
    /// Whether the parent is running text: some of its text belongs to no child.
    pub(crate) is_running_text: bool,
    /// Whether words are among the children.
    pub(crate) has_words: bool,
}

/// The children of nodes of one text, read once for all edits.
#[derive(Default)]
pub(crate) struct KnownSiblings<'p> {
    of: OfNodes<Rc<Siblings<'p>>>,
    /// The significant children.
    children: OfNodes<Vec<Node<'p>>>,
}

/// What is known of nodes by their [`Node::identity`].
type OfNodes<T> = RefCell<HashMap<(usize, usize), T>>;

impl<'p> KnownSiblings<'p> {
    /// Returns the children of `parent`.
    pub(crate) fn for_parent(&self, parsed: &'p Parsed, parent: Node<'p>) -> Rc<Siblings<'p>> {
        let mut known = self.of.borrow_mut();
        let read = || Rc::new(Siblings::for_parent(parsed, parent));
        Rc::clone(known.entry(parent.identity()).or_insert_with(read))
    }

    /// Returns the children of `parent` that `span` touches, and those that they are attached to.
    pub(crate) fn within(&self, parsed: &'p Parsed, parent: Node<'p>, span: Span) -> Siblings<'p> {
        if let Some(near) = children_near(parsed, parent, span) {
            return Siblings::among(parsed, parent, span, &significant(parsed, near));
        }
        let mut known = self.children.borrow_mut();
        let read = || significant(parsed, parsed.children(parent));
        let children = known.entry(parent.identity()).or_insert_with(read);
        Siblings::among(parsed, parent, span, children)
    }

    /// Returns the children of `parent` and the index of `node`; without attached nodes if `node` is not one of the elements.
    pub(crate) fn around(
        &self,
        parsed: &'p Parsed,
        parent: Node<'p>,
        node: Node<'p>,
    ) -> (Rc<Siblings<'p>>, usize) {
        let siblings = self.for_parent(parsed, parent);
        let alone = siblings.members == Some(Members::Alone);
        let known = siblings
            .position(node)
            .filter(|&index| !alone || siblings.elements[index].nodes == 1);
        match known {
            Some(index) => (siblings, index),
            None => {
                let bare = Siblings::bare(parsed, parent);
                let index = bare.position(node);
                (
                    Rc::new(bare),
                    index.expect("a node is a child of its parent"),
                )
            }
        }
    }
}

/// A child with the nodes that belong to it.
#[derive(Clone, Debug)]
pub(crate) struct Element<'p> {
    pub(crate) node: Node<'p>,
    pub(crate) role: Role,
    /// The nodes before it that belong to it, in file order.
    pub(crate) attached: Vec<Attached>,
    /// Its leading separator: one that begins its line.
    pub(crate) lead: Option<Span>,
    /// The bytes of the child alone, without whitespace and separator at its end.
    pub(crate) core: Span,
    /// The number of children that form it, without attached ones.
    pub(crate) nodes: usize,
    /// The separator after it, whether a child of it or of the list.
    pub(crate) separator: Option<Span>,
    /// Its end, with separator and trailing comment.
    pub(crate) end: usize,
    /// Whether a comment that belongs to it follows it.
    pub(crate) trailing_comment: bool,
}

/// A node that precedes a member and belongs to it.
#[derive(Clone, Debug)]
pub(crate) struct Attached {
    /// Its kind in `attached.scm` (`doc`, `attribute`, ...), or `comment`.
    pub(crate) kind: String,
    /// Whether a blank line after it separates it from the member.
    pub(crate) is_loose: bool,
    /// Whether it belongs to the member directly before it if a blank line or the end follows.
    pub(crate) may_be_either: bool,
    /// Whether it is a declaration of its own, which belongs to the member that begins with the same word.
    pub(crate) begins_same: bool,
    /// Whether a blank line after it separates it from the member if others of its kind follow.
    pub(crate) is_of_last_group: bool,
    pub(crate) span: Span,
}

/// What an element is to its parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// A child that can be added or removed.
    Member,
    /// A comment that belongs to no member.
    Comment,
    /// A child that stays first in the parent: inner attributes, the heading of a section.
    Head,
    /// A bracket, a keyword, another sign, or a child before the opening bracket.
    Frame,
}

impl<'p> Element<'p> {
    fn alone(node: Node<'p>, core: Span, role: Role) -> Element<'p> {
        Element {
            node,
            role,
            attached: Vec::new(),
            lead: None,
            core,
            nodes: 1,
            separator: None,
            end: core.end(),
            trailing_comment: false,
        }
    }

    /// Returns its start, with attached nodes and leading separator.
    pub(crate) fn start(&self) -> usize {
        let first = self.attached.first().map(|first| first.span);
        let starts = [first, self.lead].into_iter().flatten();
        let starts = starts.map(|span| span.start());
        starts.fold(self.core.start(), usize::min)
    }

    /// Returns its start after the leading separator.
    pub(crate) fn start_after_lead(&self) -> usize {
        let lead = self.lead.map_or(0, |lead| lead.end());
        let attached = self.attached.iter().map(|one| one.span.start());
        let mut following = attached.filter(|start| *start >= lead);
        following.next().unwrap_or(self.core.start())
    }

    /// Returns all of it, with attached nodes, separators and trailing comment.
    pub(crate) fn span(&self) -> Span {
        Span::new(self.start(), self.end)
    }

    /// Returns whether it is an opening bracket.
    pub(crate) fn opens(&self) -> bool {
        let is_bracket = matches!(self.node.kind(), "(" | "[" | "{" | "<" | "|");
        self.role == Role::Frame && (is_bracket || self.node.is(Mark::Frame))
    }

    /// Returns whether it is between the parent's brackets.
    pub(crate) fn is_inside(&self) -> bool {
        matches!(self.role, Role::Member | Role::Comment)
    }
}

impl<'p> Siblings<'p> {
    /// Returns the children of `parent`.
    pub(crate) fn for_parent(parsed: &'p Parsed, parent: Node<'p>) -> Siblings<'p> {
        Siblings::within(parsed, parent, parent.span())
    }

    /// Returns the children of `parent` that `span` touches, and those that they are attached to.
    pub(crate) fn within(parsed: &'p Parsed, parent: Node<'p>, span: Span) -> Siblings<'p> {
        KnownSiblings::default().within(parsed, parent, span)
    }

    /// Returns the same from the significant children of `parent`, or from those of them that are needed for it.
    fn among(
        parsed: &'p Parsed,
        parent: Node<'p>,
        span: Span,
        children: &[Node<'p>],
    ) -> Siblings<'p> {
        let list = parent.list();
        let members = list.map(|list| match list.members {
            // A comma between `<` and `>` or in a closure separates no members.
            Members::Runs if children.iter().any(|child| is_angle(*child)) => Members::Alone,
            members => members,
        });
        let is_running_text = has_loose_text(parsed, parent);
        // In running text a bracket is only a sign.
        let bracket = opening_bracket(children, parent, list).filter(|_| !is_running_text);
        let opening = bracket.or_else(|| opening_word(children, list?));
        let first = children.partition_point(|child| child.span().end() < span.start());
        let is_bearer = |child: &Node<'p>| {
            child.span().start() > span.end()
                && child.attached_in(parent).is_none()
                && !child.is_word("comment", None)
        };
        let bearer = children.iter().position(is_bearer);
        let end = bearer.map_or(children.len(), |bearer| bearer + 1);
        let last = children.len().saturating_sub(1);
        let mut reader = Reader::new(parsed, parent, list, members);
        for (index, child) in children.iter().enumerate().take(end).skip(first) {
            let may_close = bracket.is_some() || child.kind() == ";";
            let closes = may_close && index == last && !child.is_named();
            let is_frame = child.is_frame_in(parent);
            let is_opened = opening.is_none_or(|opening| index > opening);
            let is_opened = is_opened && !closes && !is_frame;
            reader.read(*child, is_opened, &children[index + 1..]);
        }
        let next = children.get(end).map(|child| child.span().start());
        Siblings {
            parent,
            list,
            members,
            elements: reader.finish(next.unwrap_or(parent.span().end())),
            is_running_text,
            has_words: children.iter().any(|child| child.is(Mark::Words)),
        }
    }

    /// Returns the children of `parent` as they are in the tree.
    pub(crate) fn bare(parsed: &'p Parsed, parent: Node<'p>) -> Siblings<'p> {
        let children = parsed.children(parent).into_iter();
        let elements = children.map(|node| {
            let core = trimmed_node(parsed, node);
            let role = if node.is_named() {
                Role::Member
            } else {
                Role::Frame
            };
            Element::alone(node, core, role)
        });
        Siblings {
            parent,
            list: None,
            members: None,
            elements: elements.collect(),
            is_running_text: has_loose_text(parsed, parent),
            has_words: false,
        }
    }

    /// Returns the separator of two members, with the spaces before it: if the list allows several, that of the first
    /// member.
    pub(crate) fn separator(&self, parsed: &Parsed) -> Option<String> {
        let list = self.list?;
        let first = self.members().find_map(|member| member.separator);
        let blanks = &list.separator[..list.separator.len() - list.token().len()];
        Some(match first.filter(|_| list.has_choice()) {
            Some(separator) => format!("{blanks}{}", parsed.source().slice(separator)),
            None => list.separator.clone(),
        })
    }

    /// Returns whether whitespace between the children is significant.
    pub(crate) fn is_prose(&self) -> bool {
        self.parent.body().is_some_and(|body| body.prose)
    }

    /// Returns the members in file order.
    pub(crate) fn members(&self) -> impl Iterator<Item = &Element<'p>> {
        let is_member = |element: &&Element<'_>| element.role == Role::Member;
        self.elements.iter().filter(is_member)
    }

    /// Returns the elements before `index`, the nearest first, and those from `index` on, each up to a part of the
    /// parent's frame.
    pub(crate) fn split_at(
        &self,
        index: usize,
    ) -> (
        impl Iterator<Item = &Element<'p>>,
        impl Iterator<Item = &Element<'p>>,
    ) {
        let (before, after) = self.elements.split_at(index.min(self.elements.len()));
        let is_inside = |element: &&Element<'_>| element.role != Role::Frame;
        (
            before.iter().rev().take_while(is_inside),
            after.iter().take_while(is_inside),
        )
    }

    /// Returns the index of the closing bracket.
    pub(crate) fn closing(&self) -> Option<usize> {
        let last = self.elements.len().checked_sub(1)?;
        if self.is_running_text {
            return None;
        }
        let after = self.parent.body().and_then(|body| body.after.as_deref());
        // A body that a word opens is closed by a word.
        let ends =
            |node: Node<'_>| after.is_some_and(|sign| !node.is_named() && node.kind() != sign);
        let closes = |element: &Element<'_>| {
            element.role == Role::Frame
                && (matches!(element.node.kind(), ")" | "]" | "}" | ">" | "/>" | "|")
                    || element.node.is(Mark::Frame)
                    || ends(element.node))
        };
        closes(&self.elements[last]).then_some(last)
    }

    /// Returns the index of the element that `node` is a trailing comment of.
    pub(crate) fn trailed_by(&self, node: Node<'_>) -> Option<usize> {
        let span = node.span();
        self.elements.iter().position(|element| {
            let trailing = Span::new(element.core.end(), element.end);
            element.trailing_comment && element.node != node && trailing.contains(span)
        })
    }

    /// Returns the index of the element that `node` is attached to.
    pub(crate) fn bearer_of(&self, node: Node<'_>) -> Option<usize> {
        let span = node.span();
        self.elements.iter().position(|element| {
            let mut attached = element.attached.iter();
            attached.any(|one| one.span.contains(span))
        })
    }

    /// Returns the index of the element that `node` is, or is a part of.
    pub(crate) fn position(&self, node: Node<'_>) -> Option<usize> {
        let span = node.span();
        self.elements
            .iter()
            .position(|element| element.node == node || element.core.contains(span))
    }
}

/// Returns the word that a text begins with: the name that a declaration declares.
pub(crate) fn first_word(parsed: &Parsed, span: Span) -> String {
    let text = parsed.source().slice(span);
    let ends = |c: char| !(c.is_alphanumeric() || matches!(c, '_' | '\''));
    match text.find(ends) {
        Some(0) => text
            .split_whitespace()
            .next()
            .unwrap_or_default()
            .to_string(),
        end => text[..end.unwrap_or(text.len())].to_string(),
    }
}

/// Returns the index of the child that the members follow: an opening bracket, or the sign that the body names.
fn opening_bracket(
    children: &[Node<'_>],
    parent: Node<'_>,
    list: Option<&'static List>,
) -> Option<usize> {
    let after = parent.body().and_then(|body| body.after.as_deref());
    if let Some(sign) = after {
        // A case may have several labels.
        return children.iter().rposition(|child| child.kind() == sign);
    }
    let is_separator = |child: Node<'_>| list.is_some_and(|list| list.token() == child.sign());
    let opens = |child: &Node<'_>| is_opening(*child, list.is_some()) && !is_separator(*child);
    children.iter().position(opens)
}

/// Returns the index of the word before the members of a list without brackets.
fn opening_word(children: &[Node<'_>], list: &'static List) -> Option<usize> {
    let last = children.len().saturating_sub(1);
    let opens = |child: &Node<'_>| !child.is_named() && !list.separates(&child.sign());
    let first = children.iter().position(opens);
    first.filter(|index| *index < last)
}

fn is_angle(child: Node<'_>) -> bool {
    !child.is_named() && matches!(child.kind(), "<" | ">" | "|")
}

fn is_opening(child: Node<'_>, of_list: bool) -> bool {
    let kind = child.kind();
    !child.is_named() && (matches!(kind, "(" | "[" | "{") || (of_list && matches!(kind, "<" | "|")))
}

/// Returns whether a comment after `node` may be about the whole file.
fn may_open_file(node: Node<'_>) -> bool {
    node.is_word("comment", None) || node.is(Mark::Opening)
}

/// Returns whether all children of `parent` before `end` may precede a comment about the whole file.
fn is_opening_until(parsed: &Parsed, parent: Node<'_>, end: usize) -> bool {
    let mut cursor = parsed.walk(parent);
    let mut more = cursor.goto_first_child();
    while more && cursor.node().span().start() < end {
        let child = cursor.node();
        let is_frame = !child.is_named() && parent.is(Mark::Guard);
        let may_precede = may_open_file(child) || child.is_in(Mark::Head, parent) || is_frame;
        if !may_precede && is_significant(parsed, child) {
            return false;
        }
        more = cursor.goto_next_sibling();
    }
    true
}

/// Returns whether a child is more than whitespace: some grammars have a node for a tab before a line. A line break may be
/// a significant token.
fn is_significant(parsed: &Parsed, child: Node<'_>) -> bool {
    let text = || parsed.source().slice(child.span());
    let is_blank = || {
        child.is_leaf()
            && parsed.is_blank(child.span())
            && (child.is_named() || !text().contains(['\n', '\r']))
    };
    !child.span().is_empty() && !child.is(Mark::Margin) && !is_blank()
}

/// Returns the children that matter to a reader.
fn significant<'p>(parsed: &'p Parsed, mut children: Vec<Node<'p>>) -> Vec<Node<'p>> {
    children.retain(|child| is_significant(parsed, *child));
    children
}

/// Returns the children of `parent` that [`Siblings::within`] needs, if the parent is a file without brackets and
/// separators: it may have thousands.
fn children_near<'p>(parsed: &'p Parsed, parent: Node<'p>, span: Span) -> Option<Vec<Node<'p>>> {
    let is_plain = parent == parsed.root()
        && !parent.language().is_inner()
        && parent.list().is_none()
        && parent.body().is_none_or(|body| body.after.is_none())
        && !parent.is_error();
    let before = span.start().checked_sub(1).filter(|_| is_plain)?;
    let mut children = Vec::new();
    let mut cursor = parsed.walk(parent);
    if !cursor.goto_first_child_for_byte(before) {
        return None;
    }
    let (mut more, mut following) = (true, 0);
    // One that nodes before it may be attached to, and one more, which shows that the first is not the last.
    while more && following < 2 {
        let child = cursor.node();
        let is_bearer = child.span().start() > span.end()
            && child.attached_in(parent).is_none()
            && !child.is_word("comment", None);
        following += usize::from(is_bearer && is_significant(parsed, child));
        children.push(child);
        more = cursor.goto_next_sibling();
    }
    Some(children)
}

/// Returns whether a node has text that belongs to none of its children.
fn has_loose_text(parsed: &Parsed, parent: Node<'_>) -> bool {
    let mut cursor = parsed.walk(parent);
    let first = cursor.goto_first_child().then(|| cursor.node());
    if first.is_none_or(|first| first.is_of_tree_of(parsed.root())) {
        // Grammars of whole files have a node for every text.
        return false;
    }
    let children = parsed.children(parent);
    let ends = children.iter().map(|child| child.span().end());
    let starts = [parent.span().start()].into_iter().chain(ends);
    let next = children.iter().map(|child| child.span().start());
    let gaps = starts.zip(next.chain([parent.span().end()]));
    let mut gaps = gaps.filter(|(start, end)| start < end);
    // A separator may have no node.
    let is_sign = |part: Span| {
        let text = parsed.source().slice(part);
        parent
            .list()
            .is_some_and(|list| list.separates(text.trim()))
    };
    !children.is_empty()
        && gaps.any(|(start, end)| {
            let own = parent.own_parts(Span::new(start, end));
            own.into_iter()
                .any(|part| !parsed.is_blank(part) && !is_sign(part))
        })
}

/// Returns the chain down to the outermost node that contains only the last one of `chain` and a semicolon after it, or
/// that merely wraps it. It stops below the root, and where `stops` holds for a parent and its child.
pub(crate) fn whole<'p>(
    parsed: &Parsed,
    chain: &[Node<'p>],
    stops: impl Fn(Node<'p>, Node<'p>) -> bool,
) -> Vec<Node<'p>> {
    let mut chain = chain.to_vec();
    while let [_, .., parent, node] = chain[..] {
        let nothing_else = || {
            has_only(parsed, parent, node)
                && parsed
                    .children(parent)
                    .into_iter()
                    .all(|child| child == node || child.kind() == ";" || child.span().is_empty())
        };
        let is_root = chain.len() == 2;
        if is_root || stops(parent, node) || !(node.is_wrapped_in(parent) || nothing_else()) {
            break;
        }
        chain.pop();
    }
    chain
}

/// Returns whether `parent` has no text but that of `node` and semicolons. Some grammars have no node for plain text.
fn has_only(parsed: &Parsed, parent: Node<'_>, node: Node<'_>) -> bool {
    let (outer, inner) = (parent.span(), node.span());
    let before = Span::new(outer.start(), inner.start().max(outer.start()));
    let after = Span::new(inner.end().min(outer.end()), outer.end());
    let blank = |span| {
        let text = parsed.source().slice(span);
        text.chars().all(|c| c.is_whitespace() || c == ';')
    };
    blank(before) && blank(after)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::language::{self, LANGUAGES};
    use crate::pages;
    use crate::source::Source;

    /// Returns the sample of each language and the files of the cases.
    fn files() -> Vec<(&'static str, Source)> {
        let mut files = Vec::new();
        for language in LANGUAGES.iter() {
            let (path, text) = language.sample();
            files.push((language.name, Source::new(path, language, text.to_string())));
        }
        let pages = pages::all(Path::new(env!("CARGO_MANIFEST_DIR")));
        for text in pages
            .expect("the pages can be read")
            .into_iter()
            .flat_map(|page| page.texts)
        {
            let language = language::for_file(&text.path, &text.text);
            let source = Source::new(&text.path, language, text.text.to_string());
            files.push((language.name, source));
        }
        files
    }

    /// Returns how many spans needed only the children nearby; for each, the elements are the same as from all children.
    fn check(source: Source) -> usize {
        let parsed = Parsed::parse(source);
        let root = parsed.root();
        let spans: Vec<Span> = parsed.children(root).into_iter().map(Node::span).collect();
        let pairs = spans.windows(2);
        // A member, one with the previous one, and the position between two.
        let both = pairs.clone().map(|pair| (pair[0].start(), pair[1].end()));
        let after = pairs.clone().map(|pair| (pair[0].end(), pair[1].end()));
        let between = pairs.map(|pair| (pair[0].end(), pair[1].start()));
        let alone = spans.iter().map(|span| (span.start(), span.end()));
        let asked = alone.chain(both).chain(after).chain(between);
        let asked = asked.filter(|(start, end)| start <= end);
        let mut checked = 0;
        for (start, end) in asked {
            let span = Span::new(start, end);
            let Some(near) = children_near(&parsed, root, span) else {
                continue;
            };
            let whole = Siblings::among(
                &parsed,
                root,
                span,
                &significant(&parsed, parsed.children(root)),
            );
            let near = Siblings::among(&parsed, root, span, &significant(&parsed, near));
            assert_eq!(
                format!("{:#?}", near.elements),
                format!("{:#?}", whole.elements),
                "{span:?} of {}:\n{}",
                parsed.source().path(),
                parsed.source().text()
            );
            checked += 1;
        }
        checked
    }

    #[test]
    fn children_nearby_give_the_same_elements_as_all() {
        let mut checked = std::collections::BTreeMap::new();
        for (language, source) in files() {
            *checked.entry(language).or_insert(0) += check(source);
        }
        let total: usize = checked.values().sum();
        let several = checked.values().filter(|count| **count > 10).count();
        assert!(total > 2_000 && several * 3 > checked.len(), "{checked:?}");
    }
}
