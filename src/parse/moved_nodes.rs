//! The position of comments in grammars that end a node with the comments that follow it, and of parts of a node
//! (`@tail`) that a grammar puts after the node, such as the text of a heredoc.
//!
//! Input: the tree of a language whose `attached.scm` uses `@loose`, `@tail` or `@unseen`. Output: [`MovedNodes`], by
//! which a walk finds each comment among the children of the node to which a reader would assign it: after the block
//! that it merely follows, before the member directly below it.
//!
//! A comment that follows a member on its line belongs to the innermost block (`bodies.scm`) that ends with that
//! member. A comment on a line of its own belongs to the block whose members start in its column, otherwise in the next
//! column to the left. If several blocks have that column, it belongs to the following node if it touches that,
//! otherwise to the preceding node if it touches that, otherwise to none of the blocks: it follows all of them.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

use tree_sitter::{Node, Tree};

use crate::language::queries::{Mark, NO_TEXT, SignsOfMoved, Tables};
use crate::source::{Source, Span};
use crate::steps;

/// The nodes that are not where the grammar puts them, here called comments, and the nodes whose extent they change.
/// Nodes are identified by their id.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct MovedNodes {
    /// All comments, in file order.
    all: Vec<Span>,
    /// The start of nodes that get comments at their start.
    starts: ById<usize>,
    /// The end of nodes that lose the comments at their end.
    ends: ById<usize>,
    /// The comments that precede the first child of a node.
    before_first_child: ById<Vec<Span>>,
    /// The comments that follow a node, as children of its parent.
    after: ById<Vec<Span>>,
    /// The comments that are not children of their parent in the tree.
    removed: HashSet<usize, BuildHasherDefault<IdHasher>>,
    /// The nodes that no other child of their parent follows any more.
    last_children: HashSet<usize, BuildHasherDefault<IdHasher>>,
}

/// Values by the id of a node.
type ById<T> = HashMap<usize, T, BuildHasherDefault<IdHasher>>;

/// Spreads ids, which are addresses. A walk looks up every node that it visits.
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
        /// An odd number with its bits spread (the golden ratio), so that the bits of the id reach the upper ones.
        const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
        let spread = (self.0 ^ id as u64).wrapping_mul(SPREAD);
        self.0 = spread ^ (spread >> 32);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

impl MovedNodes {
    pub(super) fn from_tree(tree: &Tree, tables: &Tables, source: &Source) -> MovedNodes {
        let signs = tables.signs_of_moved();
        let sign_offsets = signs.map(|signs| sign_offsets(source, &signs));
        MovedNodes::find(tree, tables, source, sign_offsets)
    }

    fn find(
        tree: &Tree,
        tables: &Tables,
        source: &Source,
        sign_offsets: Option<Vec<usize>>,
    ) -> MovedNodes {
        let mut finder = MovedNodesFinder {
            tables,
            source,
            lines: OnceCell::new(),
            sign_offsets,
            last: vec![tree.root_node()],
            waiting: Vec::new(),
            moved: MovedNodes::default(),
        };
        let mut path = Vec::new();
        // For each node of the path, the last sibling before it that is not a tail.
        let mut owners = vec![None];
        let mut cursor = tree.walk();
        loop {
            steps::count(1);
            let node = cursor.node();
            path.push(node);
            let owner = owners.last().copied().flatten();
            if finder.read(&path, owner) && cursor.goto_first_child() {
                owners.push(None);
                continue;
            }
            finder.leave(&mut path, &mut owners);
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    finder.place_comments(&[]);
                    return finder.moved;
                }
                owners.pop();
                finder.leave(&mut path, &mut owners);
            }
        }
    }

    /// Returns all comments, in file order.
    pub(super) fn all(&self) -> &[Span] {
        &self.all
    }

    /// Returns the bytes of a node without the comments that left it and with those that it got.
    pub(super) fn span(&self, node: Node<'_>) -> Span {
        let (start, end) = (node.start_byte(), node.end_byte());
        Span::new(
            self.starts.get(&node.id()).copied().unwrap_or(start),
            self.ends.get(&node.id()).copied().unwrap_or(end),
        )
    }

    /// Returns the comments that precede the first child of `node`.
    pub(super) fn before_first_child(&self, node: Node<'_>) -> Option<&[Span]> {
        self.before_first_child.get(&node.id()).map(Vec::as_slice)
    }

    /// Returns the comments that follow `node`.
    pub(super) fn after(&self, node: Node<'_>) -> Option<&[Span]> {
        self.after.get(&node.id()).map(Vec::as_slice)
    }

    /// Returns whether `node` is a comment that is not a child of its parent in the tree.
    pub(super) fn is_removed(&self, node: Node<'_>) -> bool {
        self.removed.contains(&node.id())
    }

    /// Returns whether no other child of its parent follows `node`.
    pub(super) fn is_last_child(&self, node: Node<'_>) -> bool {
        self.last_children.contains(&node.id())
    }
}

/// Visits the tokens and comments of a tree in file order.
struct MovedNodesFinder<'a, 't> {
    tables: &'a Tables,
    source: &'a Source,
    /// The line starts, computed when a comment is first moved.
    lines: OnceCell<Vec<usize>>,
    /// Where comments may start, sorted; `None` if anywhere. Nodes without such an offset are not entered.
    sign_offsets: Option<Vec<usize>>,
    /// The nodes from the root down to the last token, or down to the enclosing node that was not entered.
    last: Vec<Node<'t>>,
    /// The comments since then, each as the nodes from the root down to it.
    waiting: Vec<Vec<Node<'t>>>,
    moved: MovedNodes,
}

/// A comment between two tokens.
struct LooseComment<'t> {
    node: Node<'t>,
    /// The depth of its parent, which ends with the preceding token or contains both tokens.
    depth: usize,
    /// The end of the preceding token or comment.
    before: usize,
    starts_line: bool,
    touches_last: bool,
    touches_next: bool,
}

impl<'t> MovedNodesFinder<'_, 't> {
    /// Removes the last node of `path`, which its next sibling follows.
    fn leave(&self, path: &mut Vec<Node<'t>>, owners: &mut [Option<Node<'t>>]) {
        let left = path.pop();
        let owner = left.filter(|node| !self.tables.has(Mark::Tail, *node));
        if let Some(last) = owners.last_mut().filter(|_| owner.is_some()) {
            *last = owner;
        }
    }

    /// Reads the last node of `path`; `owner` is the last sibling before it that is not a tail. Returns whether its
    /// children have to be read.
    fn read(&mut self, path: &[Node<'t>], owner: Option<Node<'t>>) -> bool {
        let node = *path.last().expect("a path ends with its node");
        // The text of a second heredoc of a line is below that of the first one.
        if self.tables.has(Mark::Tail, node) {
            self.move_tail(path, owner);
            return false;
        }
        let is_passed = self.waiting.is_empty() && !self.may_hold_comments(node);
        if is_passed && node.start_byte() < node.end_byte() {
            self.last.clear();
            self.last.extend_from_slice(path);
            return false;
        }
        if self.tables.has(Mark::Unseen, node) {
            self.moved.removed.insert(node.id());
            return false;
        }
        if self.tables.has(Mark::Loose, node) {
            if self.waiting.is_empty() {
                self.enter_last();
            }
            self.moved.all.push(node.byte_range().into());
            self.waiting.push(path.to_vec());
            return false;
        }
        let is_token = self.is_token(node);
        let is_entered = !is_token && !is_passed;
        if !is_entered && node.start_byte() < node.end_byte() {
            self.place_comments(path);
            self.last.clear();
            self.last.extend_from_slice(path);
        }
        is_entered
    }

    fn is_token(&self, node: Node<'t>) -> bool {
        node.child_count() == 0 || self.tables.is_word("string", node, None, NO_TEXT)
    }

    fn may_hold_comments(&self, node: Node<'t>) -> bool {
        self.sign_offsets.as_ref().is_none_or(|sign_offsets| {
            let first = sign_offsets.partition_point(|offset| *offset < node.start_byte());
            sign_offsets
                .get(first)
                .is_some_and(|offset| *offset < node.end_byte())
        })
    }

    /// Extends the path from the last node to its last token if that node was not entered. Before the first token the
    /// path is only the root.
    fn enter_last(&mut self) {
        if self.sign_offsets.is_none() || self.last.len() == 1 {
            return;
        }
        while let Some(node) = self.last.last().filter(|node| !self.is_token(**node)) {
            steps::count(node.child_count() as usize);
            let mut cursor = node.walk();
            let children = node.children(&mut cursor);
            let text = children.filter(|child| child.start_byte() < child.end_byte());
            let Some(last) = text.last() else {
                return;
            };
            self.last.push(last);
        }
    }

    /// Decides where the comments before the token at the end of `next`, or before the end of the text, belong.
    fn place_comments(&mut self, next: &[Node<'t>]) {
        if self.waiting.is_empty() {
            return;
        }
        let waiting = std::mem::take(&mut self.waiting);
        let pairs = self.last.iter().zip(next);
        let common = pairs.take_while(|(one, other)| one == other).count();
        let shared = common.saturating_sub(1);
        let loose = self.loose_comments(&waiting, shared, next);
        let below = &next[common.min(next.len())..];
        let start = below.first().map(Node::start_byte);
        let mut at_start = below
            .iter()
            .take_while(|node| Some(node.start_byte()) == start);
        // A node that starts with its own keyword (an empty `class A`) does not include the comments above the keyword.
        let is_body = |node: &Node<'_>| {
            let first = node.child(0);
            self.tables.body(*node).is_some()
                && first.is_none_or(|one| one.is_named() && !self.is_head(one, *node))
        };
        let head = at_start.position(is_body).map(|head| &below[..=head]);
        let is_block = |depth: &usize| *depth == 0 || self.tables.body(self.last[*depth]).is_some();
        let deepest = loose.iter().map(|comment| comment.depth + 1).max();
        let blocks = (shared..deepest.unwrap_or(shared)).filter(is_block);
        let blocks: Vec<(usize, usize)> = blocks
            .map(|depth| (depth, self.column_of_members(depth)))
            .collect();
        let mut kept: Option<(usize, usize)> = None;
        let mut outermost = usize::MAX;
        for comment in &loose {
            let inside = blocks.partition_point(|(depth, _)| *depth <= comment.depth);
            let target = self.target_depth(comment, shared, &blocks[..inside]);
            outermost = outermost.min(target.unwrap_or(comment.depth));
            let lowered = head.filter(|_| outermost == shared && comment.touches_next);
            if lowered.is_none() && outermost >= comment.depth {
                kept = Some((comment.depth, comment.node.id()));
                continue;
            }
            if comment.depth > shared {
                let kept = kept.filter(|(depth, _)| *depth == comment.depth);
                let inner = self.last.get(comment.depth + 1).map(Node::id);
                let last = kept.map(|(_, id)| id).or(inner);
                self.moved.last_children.extend(last);
            }
            self.move_comment(comment, outermost, lowered);
        }
    }

    /// Moves a comment to the start of the last of the nodes `lowered`, or to the end of the node at depth `target`.
    fn move_comment(
        &mut self,
        comment: &LooseComment<'t>,
        target: usize,
        lowered: Option<&[Node<'t>]>,
    ) {
        self.moved.removed.insert(comment.node.id());
        let span: Span = comment.node.byte_range().into();
        for left in &self.last[target + 1..=comment.depth.max(target)] {
            let end = self.moved.ends.entry(left.id());
            end.or_insert(comment.before);
        }
        let list = match lowered {
            Some(entered) => {
                for node in entered {
                    let start = self.moved.starts.entry(node.id());
                    start.or_insert(span.start());
                }
                let body = entered.last().expect("the body is one of them");
                self.moved.before_first_child.entry(body.id())
            }
            None => self.moved.after.entry(self.last[target + 1].id()),
        };
        list.or_default().push(span);
    }

    fn is_head(&self, node: Node<'t>, parent: Node<'t>) -> bool {
        let text = |node: Node<'_>| self.source.slice(node.byte_range().into()).into_owned();
        self.tables.has_below(Mark::Head, node, &[parent], &text)
    }

    /// Moves a tail to the end of the preceding node if that ends where the tail starts. Does nothing if a separator
    /// may be between them.
    fn move_tail(&mut self, path: &[Node<'t>], owner: Option<Node<'t>>) {
        let [above @ .., tail] = path else {
            return;
        };
        let list = above.last().and_then(|parent| self.tables.list(*parent));
        if list.is_some_and(|list| !list.or_lines) {
            return;
        }
        let touches = |node: &Node<'_>| {
            let end = self.moved.ends.get(&node.id()).copied();
            end.unwrap_or(node.end_byte()) == tail.start_byte()
        };
        let last = |node: Node<'t>| node.child(node.child_count().checked_sub(1)?);
        if let Some(owner) = owner.filter(|node| node.is_named()).filter(touches) {
            self.moved.removed.insert(tail.id());
            self.moved.ends.insert(owner.id(), tail.end_byte());
            let list = match last(owner) {
                Some(last) => self.moved.after.entry(last.id()),
                None => self.moved.before_first_child.entry(owner.id()),
            };
            list.or_default().push(tail.byte_range().into());
        }
    }

    /// Returns the comments with the facts that decide where they belong. Skips those that are part of the following
    /// node.
    fn loose_comments(
        &self,
        waiting: &[Vec<Node<'t>>],
        shared: usize,
        next: &[Node<'t>],
    ) -> Vec<LooseComment<'t>> {
        let mut found: Vec<LooseComment<'t>> = Vec::new();
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
            found.push(LooseComment {
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

    /// Returns the depth of the block that a comment belongs to, or `None` if it may stay where it is. `blocks` are those
    /// that it may belong to, each with its depth and the column of its members.
    fn target_depth(
        &self,
        comment: &LooseComment<'_>,
        shared: usize,
        blocks: &[(usize, usize)],
    ) -> Option<usize> {
        if !comment.starts_line {
            return blocks.last().map(|(depth, _)| *depth);
        }
        let own = self.column(comment.node.start_byte());
        let columns = blocks.iter().map(|(_, column)| *column);
        let Some(column) = columns.filter(|column| *column <= own).max() else {
            return blocks.first().map(|(depth, _)| *depth);
        };
        let mut level = blocks.iter().filter(|(_, of)| *of == column);
        let (outer, _) = *level.next()?;
        let (inner, _) = *level.next_back().unwrap_or(&(outer, column));
        let belongs_to_next = comment.touches_next && outer == shared;
        match !belongs_to_next && comment.touches_last {
            true => Some(inner),
            false => Some(outer),
        }
    }

    /// Returns the column in which the members of the block at this depth start.
    fn column_of_members(&self, depth: usize) -> usize {
        let block = self.last[depth].start_byte();
        let member = self.last.get(depth + 1).map(Node::start_byte);
        let member = member.filter(|start| self.starts_line(*start));
        self.column(member.unwrap_or(block))
    }

    /// Returns the line starts, counted like [`Source::line_of`].
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

/// Returns where the lines of a text start: after `\n`, `\r\n` or `\r`.
fn line_starts(text: &str) -> Vec<usize> {
    let bytes = text.as_bytes();
    let breaks = memchr::memchr2_iter(b'\n', b'\r', bytes);
    let is_half = |at: &usize| bytes[*at..].starts_with(b"\r\n");
    let starts = breaks.filter(|at| !is_half(at)).map(|at| at + 1);
    [0].into_iter().chain(starts).collect()
}

/// Returns the offsets at which nodes may start that are not where the grammar puts them, sorted.
fn sign_offsets(source: &Source, signs: &SignsOfMoved<'_>) -> Vec<usize> {
    let text = source.text().as_bytes();
    let found = |sign: &&str| memchr::memmem::find_iter(text, sign).collect::<Vec<usize>>();
    let next_line = |sign: usize| Some(sign + memchr::memchr(b'\n', &text[sign..])? + 1);
    let below = signs.below.iter().flat_map(found).filter_map(next_line);
    let mut sign_offsets: Vec<usize> = signs.starts.iter().flat_map(found).chain(below).collect();
    sign_offsets.sort_unstable();
    sign_offsets
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::{LANGUAGES, Language};
    use crate::parse::{Nodes, Parsed};

    /// Compares the result with that of a walk that enters all nodes.
    fn check(language: &'static Language, text: &str) -> bool {
        let source = Source::new(language.sample().0, language, text.to_string());
        let parsed = Parsed::parse(source.clone());
        let (Nodes::Syntax(tree), Some(tables)) = (&parsed.tree, language.tables()) else {
            return false;
        };
        let Some(signs) = tables.signs_of_moved().filter(|_| tables.has_moved()) else {
            return false;
        };
        let found = MovedNodes::from_tree(&tree.tree, tables, &source);
        let all = MovedNodes::find(&tree.tree, tables, &source, None);
        let signs = signs.starts;
        assert_eq!(found, all, "{} {signs:?}:\n{text}", language.name);
        check_walk(&parsed);
        true
    }

    /// Checks that a walk is back at the node that it entered when it leaves it.
    fn check_walk(parsed: &Parsed) {
        let mut cursor = parsed.walk(parsed.root());
        let mut above = Vec::new();
        loop {
            let node = cursor.node();
            if cursor.goto_first_child() {
                above.push(node);
                continue;
            }
            while !cursor.goto_next_sibling() {
                let Some(parent) = above.pop() else { return };
                assert!(cursor.goto_parent());
                assert_eq!(cursor.node(), parent, "{}", parsed.source().text());
            }
        }
    }

    #[test]
    #[cfg(feature = "lang-ruby")]
    fn a_walk_leaves_a_node_where_it_entered_it() {
        let ruby = crate::language::by_name("ruby").expect("it is built in");
        for text in [
            "class A\n  def a\n    b(<<~X)\n      one\n    X\n  end\n\n  def c\n    1\n  end\nend\n",
            "a(<<~X, <<~Y)\n  one\nX\n  two\nY\nb\n",
            "def a\n  x = <<~X\n    one\n  X\n  # two\nend\n# three\nb\n",
            "a [<<~X, [<<~Y,\n  one\nX\n  two\nY\n  1]]\n# two\nb 1 << 2\n",
            "a <<~X, [1,\n  one\nX\n  2]\nb(<<X) { |c|\n<<\nX\n  c }\n",
        ] {
            assert!(check(ruby, text));
        }
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
            let signs = signs.expect("it has been checked");
            let lines: Vec<&str> = sample.lines().collect();
            for sign in signs.starts.iter().chain(&signs.below) {
                for (at, line) in lines.iter().enumerate() {
                    for deep in [0, line.len() - line.trim_start().len(), 6] {
                        let comment = format!("{}{sign} more", " ".repeat(deep));
                        let with = [&lines[..at], &[comment.as_str()], &lines[at..]].concat();
                        checked += usize::from(check(language, &with.join("\n")));
                    }
                    let trailing = format!("{line} {sign} more");
                    let with = [&lines[..at], &[trailing.as_str()], &lines[at + 1..]].concat();
                    checked += usize::from(check(language, &with.join("\n")));
                }
            }
        }
        assert!(checked > 1_000, "{checked}");
    }
}
