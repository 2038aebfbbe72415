//! Where a comment belongs, in grammars that end a node with the comments behind it; and where what
//! does, in grammars that put a part of a node (`@tail`) behind it: the text of a heredoc.
//!
//! Comes in: the tree of a language whose `attached.scm` says `@loose`, `@tail` or `@unseen`. Goes out: [`Homes`], by
//! which a walk finds each comment among the children of the node that a person sees it in: behind
//! the block that it merely follows, above the member that it stands right above.
//!
//! A comment behind a member, in its line, belongs to the innermost block (`bodies.scm`) that ends
//! with that member. One on a line of its own belongs to the block whose members stand in its
//! column, else in the next column to the left. Where several blocks have that column, it goes
//! with what follows if it touches that, else with what precedes if it touches that, else it is
//! none of theirs and stands behind all of them.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

use tree_sitter::{Node, Tree};

use crate::language::queries::{Mark, NO_TEXT, Tables};
use crate::source::{Source, Span};

/// The comments that stand elsewhere than the grammar puts them, and the nodes they change. Nodes
/// are known by their id.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Homes {
    /// All comments, in file order.
    all: Vec<Span>,
    /// Where nodes begin that comments come into, at their start.
    starts: ById<usize>,
    /// Where nodes end that comments at their end left.
    ends: ById<usize>,
    /// The comments that stand before the first child of a node.
    ahead: ById<Vec<Span>>,
    /// The comments that stand behind a node, as children of its parent.
    behind: ById<Vec<Span>>,
    /// The comments that are no children of their parent.
    away: HashSet<usize, BuildHasherDefault<IdHasher>>,
    /// The nodes behind which no child of their parent is left.
    last: HashSet<usize, BuildHasherDefault<IdHasher>>,
}

/// What is known of nodes, by their id.
type ById<T> = HashMap<usize, T, BuildHasherDefault<IdHasher>>;

/// Spreads ids, which are addresses: a walk asks for each node it comes by.
#[derive(Default)]
struct IdHasher(u64);

impl Hasher for IdHasher {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
        self.write_usize(0);
    }

    fn write_usize(&mut self, id: usize) {
        /// An odd number with its bits spread (the golden ratio), so that those of the id reach the upper ones.
        const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
        let spread = (self.0 ^ id as u64).wrapping_mul(SPREAD);
        self.0 = spread ^ (spread >> 32);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

impl Homes {
    pub(super) fn of(tree: &Tree, tables: &Tables, source: &Source) -> Homes {
        let signs = tables.signs_of_moved();
        let marks = signs.map(|signs| marks(source, &signs));
        Homes::found(tree, tables, source, marks)
    }

    fn found(tree: &Tree, tables: &Tables, source: &Source, marks: Option<Vec<usize>>) -> Homes {
        let mut finder = Finder {
            tables,
            source,
            lines: OnceCell::new(),
            marks,
            last: vec![tree.root_node()],
            waiting: Vec::new(),
            homes: Homes::default(),
        };
        let mut path = Vec::new();
        let mut cursor = tree.walk();
        loop {
            let node = cursor.node();
            path.push(node);
            if finder.read(&path) && cursor.goto_first_child() {
                continue;
            }
            path.pop();
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    finder.settle(&[]);
                    return finder.homes;
                }
                path.pop();
            }
        }
    }

    /// All comments, in file order.
    pub(super) fn all(&self) -> &[Span] {
        &self.all
    }

    /// The bytes of a node without the comments that left it, with those that came.
    pub(super) fn span(&self, node: Node<'_>) -> Span {
        let (start, end) = (node.start_byte(), node.end_byte());
        Span::new(
            self.starts.get(&node.id()).copied().unwrap_or(start),
            self.ends.get(&node.id()).copied().unwrap_or(end),
        )
    }

    /// The comments that come before the first child of `node`.
    pub(super) fn ahead(&self, node: Node<'_>) -> Option<&[Span]> {
        self.ahead.get(&node.id()).map(Vec::as_slice)
    }

    /// The comments that come behind `node`.
    pub(super) fn behind(&self, node: Node<'_>) -> Option<&[Span]> {
        self.behind.get(&node.id()).map(Vec::as_slice)
    }

    /// Whether `node` is a comment that is no child of its parent.
    pub(super) fn is_away(&self, node: Node<'_>) -> bool {
        self.away.contains(&node.id())
    }

    /// Whether no child of its parent is left behind `node`.
    pub(super) fn is_last(&self, node: Node<'_>) -> bool {
        self.last.contains(&node.id())
    }
}

/// Goes over the tokens and comments of a tree in file order.
struct Finder<'a, 't> {
    tables: &'a Tables,
    source: &'a Source,
    /// Where the lines begin, sought when a comment needs a home.
    lines: OnceCell<Vec<usize>>,
    /// Where comments may begin, sorted; nothing where they may anywhere. Nodes without them are not entered.
    marks: Option<Vec<usize>>,
    /// The nodes from the root down to the last token, or down to the node it stands in that was not entered.
    last: Vec<Node<'t>>,
    /// The comments since, each as the nodes from the root down to it.
    waiting: Vec<Vec<Node<'t>>>,
    homes: Homes,
}

/// A comment between two tokens.
struct Loose<'t> {
    node: Node<'t>,
    /// How deep its parent is, which ends with the token before it or holds both.
    depth: usize,
    /// Where ends what stands before it.
    before: usize,
    starts_line: bool,
    touches_last: bool,
    touches_next: bool,
}

impl<'t> Finder<'_, 't> {
    /// Takes in the last node of `path`; says whether there is more to read in it.
    fn read(&mut self, path: &[Node<'t>]) -> bool {
        let node = *path.last().expect("a path ends with its node");
        let is_passed = self.waiting.is_empty() && !self.may_hold_comments(node);
        if is_passed && node.start_byte() < node.end_byte() {
            self.last.clear();
            self.last.extend_from_slice(path);
            return false;
        }
        if self.tables.has(Mark::Tail, node) {
            self.follow(node);
            return false;
        }
        if self.tables.has(Mark::Unseen, node) {
            self.homes.away.insert(node.id());
            return false;
        }
        if self.tables.has(Mark::Loose, node) {
            if self.waiting.is_empty() {
                self.enter_last();
            }
            self.homes.all.push(node.byte_range().into());
            self.waiting.push(path.to_vec());
            return false;
        }
        let is_token = self.is_token(node);
        let is_entered = !is_token && !is_passed;
        if !is_entered && node.start_byte() < node.end_byte() {
            self.settle(path);
            self.last.clear();
            self.last.extend_from_slice(path);
        }
        is_entered
    }

    fn is_token(&self, node: Node<'t>) -> bool {
        node.child_count() == 0 || self.tables.is_word("string", node, None, NO_TEXT)
    }

    fn may_hold_comments(&self, node: Node<'t>) -> bool {
        self.marks.as_ref().is_none_or(|marks| {
            let first = marks.partition_point(|mark| *mark < node.start_byte());
            marks.get(first).is_some_and(|mark| *mark < node.end_byte())
        })
    }

    /// Goes from the last node down to its last token, where it was not entered; above the first token there
    /// is only the root.
    fn enter_last(&mut self) {
        if self.marks.is_none() || self.last.len() == 1 {
            return;
        }
        while let Some(node) = self.last.last().filter(|node| !self.is_token(**node)) {
            let mut cursor = node.walk();
            let children = node.children(&mut cursor);
            let text = children.filter(|child| child.start_byte() < child.end_byte());
            let Some(last) = text.last() else {
                return;
            };
            self.last.push(last);
        }
    }

    /// Finds a home for the comments before the token that `next` leads to, or before the end.
    fn settle(&mut self, next: &[Node<'t>]) {
        if self.waiting.is_empty() {
            return;
        }
        let waiting = std::mem::take(&mut self.waiting);
        let pairs = self.last.iter().zip(next);
        let common = pairs.take_while(|(one, other)| one == other).count();
        let shared = common.saturating_sub(1);
        let loose = self.loose(&waiting, shared, next);
        let below = &next[common.min(next.len())..];
        let begins = below.first().map(Node::start_byte);
        let mut at_start = below
            .iter()
            .take_while(|node| Some(node.start_byte()) == begins);
        // A node that begins with its own keyword (an empty `class A`) does not include the comments above that.
        let is_body = |node: &Node<'_>| {
            let first = node.child(0);
            self.tables.body(*node).is_some()
                && first.is_none_or(|one| one.is_named() && !self.is_head(one, *node))
        };
        let head = at_start.position(is_body);
        let mut kept: Option<(usize, usize)> = None;
        let mut outermost = usize::MAX;
        for comment in &loose {
            let home = self.home(comment, shared).unwrap_or(comment.depth);
            outermost = outermost.min(home);
            let lowered = head.filter(|_| outermost == shared && comment.touches_next);
            if lowered.is_none() && outermost >= comment.depth {
                kept = Some((comment.depth, comment.node.id()));
                continue;
            }
            self.homes.away.insert(comment.node.id());
            if comment.depth > shared {
                let kept = kept.filter(|(depth, _)| *depth == comment.depth);
                let inner = self.last.get(comment.depth + 1).map(Node::id);
                let last = kept.map(|(_, id)| id).or(inner);
                self.homes.last.extend(last);
            }
            let span: Span = comment.node.byte_range().into();
            for left in &self.last[outermost + 1..=comment.depth.max(outermost)] {
                self.homes.ends.entry(left.id()).or_insert(comment.before);
            }
            match lowered {
                Some(head) => {
                    for entered in &below[..=head] {
                        let start = self.homes.starts.entry(entered.id());
                        start.or_insert(span.start());
                    }
                    let ahead = self.homes.ahead.entry(below[head].id());
                    ahead.or_default().push(span);
                }
                None => {
                    let behind = self.homes.behind.entry(self.last[outermost + 1].id());
                    behind.or_default().push(span);
                }
            }
        }
    }

    fn is_head(&self, node: Node<'t>, parent: Node<'t>) -> bool {
        let text = |node: Node<'_>| self.source.slice(node.byte_range().into()).into_owned();
        self.tables.has_below(Mark::Head, node, &[parent], &text)
    }

    /// Puts a tail at the end of the node before it, if that ends where the tail begins; not where a
    /// sign may come between them.
    fn follow(&mut self, tail: Node<'t>) {
        let list = tail.parent().and_then(|parent| self.tables.list(parent));
        if list.is_some_and(|list| !list.or_lines) {
            return;
        }
        let mut bearer = tail.prev_sibling();
        while let Some(node) = bearer.filter(|node| self.tables.has(Mark::Tail, *node)) {
            bearer = node.prev_sibling();
        }
        let touches = |node: &Node<'_>| {
            let end = self.homes.ends.get(&node.id()).copied();
            end.unwrap_or(node.end_byte()) == tail.start_byte()
        };
        let last = |node: Node<'t>| node.child(node.child_count().checked_sub(1)?);
        if let Some(bearer) = bearer.filter(|node| node.is_named()).filter(touches) {
            self.homes.away.insert(tail.id());
            self.homes.ends.insert(bearer.id(), tail.end_byte());
            let place = match last(bearer) {
                Some(last) => self.homes.behind.entry(last.id()),
                None => self.homes.ahead.entry(bearer.id()),
            };
            place.or_default().push(tail.byte_range().into());
        }
    }

    /// What is to be known of the comments; those are left out that are part of what follows.
    fn loose(&self, waiting: &[Vec<Node<'t>>], shared: usize, next: &[Node<'t>]) -> Vec<Loose<'t>> {
        let mut found: Vec<Loose<'t>> = Vec::new();
        for path in waiting {
            let [.., parent, node] = path[..] else {
                continue;
            };
            let depth = path.len() - 2;
            if depth < shared || self.last.get(depth) != Some(&parent) {
                continue;
            }
            let (start, line) = (node.start_byte(), self.line(node.start_byte()));
            let of_token = self.last.iter().map(Node::end_byte);
            let of_token = of_token.filter(|end| *end <= start).max().unwrap_or(0);
            let before = found.last().map_or(of_token, |last| last.node.end_byte());
            let same_block = found.last().filter(|last| {
                last.starts_line
                    && self.line(last.node.end_byte()) + 1 == line
                    && self.column(last.node.start_byte()) == self.column(start)
            });
            let touches_last = match same_block {
                Some(last) => last.touches_last,
                None => before > 0 && line <= self.line(before) + 1,
            };
            found.push(Loose {
                node,
                depth,
                before,
                starts_line: self.starts_line(start),
                touches_last,
                touches_next: false,
            });
        }
        let next = next.last().map(|next| next.start_byte());
        let mut below = next.map(|start| (start, None));
        for comment in found.iter_mut().rev() {
            let Some((start, column)) = below else {
                break;
            };
            let own = self.column(comment.node.start_byte());
            comment.touches_next = comment.starts_line
                && column.is_none_or(|column| column == own)
                && self.line(comment.node.end_byte()) + 1 == self.line(start);
            let touches = comment.touches_next;
            below = touches.then_some((comment.node.start_byte(), Some(own)));
        }
        found
    }

    /// How deep the block is that a comment belongs to; nothing if it may be left where it is.
    fn home(&self, comment: &Loose<'_>, shared: usize) -> Option<usize> {
        let is_block = |depth: &usize| *depth == 0 || self.tables.body(self.last[*depth]).is_some();
        let blocks = (shared..=comment.depth).filter(is_block);
        if !comment.starts_line {
            return blocks.max();
        }
        let own = self.column(comment.node.start_byte());
        let blocks: Vec<(usize, usize)> = blocks
            .map(|depth| (depth, self.column_of_members(depth)))
            .collect();
        let columns = blocks.iter().map(|(_, column)| *column);
        let Some(column) = columns.filter(|column| *column <= own).max() else {
            return blocks.first().map(|(depth, _)| *depth);
        };
        let mut level = blocks.iter().filter(|(_, of)| *of == column);
        let (outer, _) = *level.next()?;
        let (inner, _) = *level.next_back().unwrap_or(&(outer, column));
        let goes_on = comment.touches_next && outer == shared;
        match !goes_on && comment.touches_last {
            true => Some(inner),
            false => Some(outer),
        }
    }

    /// The column in which the members of the block at this depth stand.
    fn column_of_members(&self, depth: usize) -> usize {
        let block = self.last[depth].start_byte();
        let member = self.last.get(depth + 1).map(Node::start_byte);
        let member = member.filter(|start| self.starts_line(*start));
        self.column(member.unwrap_or(block))
    }

    /// Where the lines begin, as [`Source::line_of`] counts them.
    fn lines(&self) -> &[usize] {
        self.lines.get_or_init(|| line_starts(self.source.text()))
    }

    fn line(&self, offset: usize) -> usize {
        self.lines().partition_point(|start| *start <= offset)
    }

    fn before_in_line(&self, offset: usize) -> &str {
        let start = self.lines()[self.line(offset) - 1];
        &self.source.text()[start..offset]
    }

    fn starts_line(&self, offset: usize) -> bool {
        let before = self.before_in_line(offset);
        before
            .trim_start_matches(crate::source::BOM)
            .trim()
            .is_empty()
    }

    fn column(&self, offset: usize) -> usize {
        self.before_in_line(offset)
            .trim_start_matches(crate::source::BOM)
            .len()
    }
}

/// Where the lines of a text begin: behind `\n`, `\r\n` or `\r`.
fn line_starts(text: &str) -> Vec<usize> {
    let bytes = text.as_bytes();
    let breaks = memchr::memchr2_iter(b'\n', b'\r', bytes);
    let is_half = |at: &usize| bytes[*at..].starts_with(b"\r\n");
    let behind = breaks.filter(|at| !is_half(at)).map(|at| at + 1);
    [0].into_iter().chain(behind).collect()
}

/// Where one of the signs stands in the text, sorted.
fn marks(source: &Source, signs: &[&str]) -> Vec<usize> {
    let text = source.text().as_bytes();
    let found = |sign| memchr::memmem::find_iter(text, sign);
    let mut marks: Vec<usize> = signs.iter().flat_map(found).collect();
    marks.sort_unstable();
    marks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::{LANGUAGES, Language};
    use crate::parse::{Nodes, Parsed};

    /// Whether the walk finds the same whatever nodes it enters.
    fn check(language: &'static Language, text: &str) -> bool {
        let source = Source::new(language.sample().0, language, text.to_string());
        let parsed = Parsed::parse(source.clone());
        let (Nodes::Syntax(tree), Some(tables)) = (&parsed.tree, language.tables()) else {
            return false;
        };
        let Some(signs) = tables.signs_of_moved().filter(|signs| !signs.is_empty()) else {
            return false;
        };
        let found = Homes::of(&tree.tree, tables, &source);
        let all = Homes::found(&tree.tree, tables, &source, None);
        assert_eq!(found, all, "{} {signs:?}:\n{text}", language.name);
        true
    }

    #[test]
    fn lines_begin_where_the_source_says() {
        let text = "\u{feff}a\r\n\r\rb\n\n\r\nc\u{2028}d\u{85}\u{b}e\r";
        let source = Source::new("a.txt", crate::language::plain_text(), text.to_string());
        let starts = line_starts(text);
        for offset in 0..=text.len() {
            let line = starts.partition_point(|start| *start <= offset);
            assert_eq!(line, source.line_of(offset), "{offset}");
        }
    }

    #[test]
    fn comments_are_found_in_the_nodes_that_hold_their_sign() {
        let mut checked = 0;
        for language in LANGUAGES.iter() {
            let (_, sample) = language.sample();
            if !check(language, sample) {
                continue;
            }
            let signs = language.tables().and_then(Tables::signs_of_moved);
            let sign = signs.expect("it has been checked")[0];
            let lines: Vec<&str> = sample.lines().collect();
            for (at, line) in lines.iter().enumerate() {
                for deep in [0, line.len() - line.trim_start().len(), 6] {
                    let comment = format!("{}{sign} more", " ".repeat(deep));
                    let with = [&lines[..at], &[comment.as_str()], &lines[at..]].concat();
                    checked += usize::from(check(language, &with.join("\n")));
                }
                let behind = format!("{line} {sign} behind");
                let with = [&lines[..at], &[behind.as_str()], &lines[at + 1..]].concat();
                checked += usize::from(check(language, &with.join("\n")));
            }
        }
        assert!(checked > 1_000, "{checked}");
    }
}
