//! [`Source`] to [`Parsed`]: the text with its syntax tree and the problems in it.
//!
//! Never fails: broken code is a value. Nothing here follows the depth of the tree with the
//! stack, nor climbs with `Node::parent`, which costs the depth at each step.

mod injection;
mod outline;

use std::sync::OnceLock;

use tree_sitter::{InputEdit, Parser, Point, Range, Tree};

use crate::language::queries::{Tables, Tag};
use crate::language::{Language, StrictProblem};
use crate::source::{Source, Span};

use injection::SyntaxTree;

pub(crate) use injection::Cursor;
pub use outline::{Outline, Symbol};

/// A text with its syntax tree. Plain text has no tree.
#[derive(Debug)]
pub struct Parsed {
    source: Source,
    tree: Option<SyntaxTree>,
    problems: OnceLock<Vec<Problem>>,
    outline: OnceLock<Outline>,
    with_inner: OnceLock<Outline>,
    strict: OnceLock<Option<StrictProblem>>,
}

/// A place the parser could not make sense of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The bytes it skipped, or the place (empty) where it put in what was missing.
    pub span: Span,
    /// The node type it put in, if it did.
    pub missing: Option<String>,
}

/// A node of a syntax tree, or of a tree inside one.
#[derive(Clone, Copy)]
pub struct Node<'p> {
    raw: tree_sitter::Node<'p>,
    tree: &'p SyntaxTree,
}

impl<'p> Node<'p> {
    /// The node type, as the grammar names it.
    pub fn kind(self) -> &'p str {
        self.raw.kind()
    }

    /// All bytes of the node; some grammars let it end in white space.
    pub fn span(self) -> Span {
        self.raw.byte_range().into()
    }

    /// Whether it is a node of its own in the grammar, not a keyword or a sign.
    pub fn is_named(self) -> bool {
        self.raw.is_named()
    }

    /// Whether the parser skipped this.
    pub fn is_error(self) -> bool {
        self.raw.is_error()
    }

    /// Whether there is a [`Problem`] in it.
    pub fn has_error(self) -> bool {
        self.raw.has_error()
    }

    /// The node of the tree-sitter library. Its children and its parent are of the same tree:
    /// trees inside it are left out, and ids of types mean what they mean in [`Node::tables`].
    pub(crate) fn raw(self) -> tree_sitter::Node<'p> {
        self.raw
    }

    /// Another node of the same tree.
    pub(crate) fn beside(self, raw: tree_sitter::Node<'p>) -> Node<'p> {
        Node { raw, ..self }
    }

    /// Whether both are of one tree, neither inside another of the other's.
    pub(crate) fn is_of_tree_of(self, other: Node<'p>) -> bool {
        std::ptr::eq(self.tree, other.tree)
    }

    /// The language that the node is of.
    pub(crate) fn language(self) -> &'static Language {
        self.tree.language
    }

    /// The facts of the language that the node is of.
    pub(crate) fn tables(self) -> Option<&'static Tables> {
        self.tree.language.tables()
    }

    /// The definition it is, if it is one; `above` are the nodes above it, the nearest last, as far
    /// as they are at hand.
    pub(crate) fn tag(self, above: &[tree_sitter::Node<'p>]) -> Option<Tag<'static, 'p>> {
        self.tables()?.tag(self.raw, above, &|node| self.text(node))
    }

    fn text(self, node: tree_sitter::Node<'_>) -> String {
        let source = &self.tree.source;
        source.slice(node.byte_range().into()).into_owned()
    }

    /// What it does but stand round, down to the innermost: the function of `export function f() {}`;
    /// else itself. The nodes from it down to that one.
    pub(crate) fn unwrapped(self) -> Vec<tree_sitter::Node<'p>> {
        let mut nodes = vec![self.raw];
        let Some(tables) = self.tables().filter(|tables| tables.has_wrapped()) else {
            return nodes;
        };
        loop {
            let node = nodes[nodes.len() - 1];
            let mut cursor = node.walk();
            let mut children = node.named_children(&mut cursor);
            match children.find(|child| tables.is_wrapped(*child, node)) {
                Some(child) => nodes.push(child),
                None => return nodes,
            }
        }
    }

    /// Whether `parent` does but stand round it: the `export` of a function.
    pub(crate) fn is_wrapped_in(self, parent: Node<'p>) -> bool {
        let tables = self.tables().filter(|_| self.is_of_tree_of(parent));
        tables.is_some_and(|tables| tables.is_wrapped(self.raw, parent.raw))
    }

    /// Whether it is what the general word stands for; `parent` is the named node above it.
    pub(crate) fn is_word(self, word: &str, parent: Option<Node<'p>>) -> bool {
        let own = parent.filter(|parent| parent.is_of_tree_of(self));
        let parent = own.map(|parent| parent.raw);
        self.tables()
            .is_some_and(|tables| tables.is_word(word, self.raw, parent))
    }

    /// What kind of attached thing it is (`doc`, `attribute`, ...), if it is one.
    pub(crate) fn attached(self) -> Option<&'static str> {
        self.tables()?.attached(self.raw, &|node| self.text(node))
    }

    /// Whether it is a margin: what begins a line inside a container.
    pub(crate) fn is_margin(self) -> bool {
        let tables = self.tables();
        tables.is_some_and(|tables| tables.is_margin(self.raw))
    }

    /// Whether it is a marker: what begins the first line of a list item or a block quote.
    pub(crate) fn is_marker(self) -> bool {
        let tables = self.tables();
        tables.is_some_and(|tables| tables.is_marker(self.raw))
    }

    /// Whether it stands in a list and is no member of it.
    pub(crate) fn is_frame(self) -> bool {
        let tables = self.tables();
        tables.is_some_and(|tables| tables.is_frame(self.raw))
    }

    /// Whether its lines keep their bytes.
    pub(crate) fn is_protected(self) -> bool {
        let tables = self.tables();
        tables.is_some_and(|tables| tables.is_protected(self.raw))
    }
}

impl PartialEq for Node<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.raw == other.raw
    }
}

impl Eq for Node<'_> {}

impl std::hash::Hash for Node<'_> {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.raw.hash(state);
    }
}

impl std::fmt::Debug for Node<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {:?}", self.kind(), self.span())
    }
}

impl Parsed {
    /// Parses a source by the grammar of its language.
    pub fn parse(source: Source) -> Parsed {
        let tree = parse(&source, source.language(), &[], None);
        Parsed::of(source, tree)
    }

    /// Parses `after`, which is this text with each span of `edits` (sorted, disjoint) become
    /// so many bytes; reuses what the edits do not touch.
    pub(crate) fn reparse(&self, after: Source, edits: &[(Span, usize)]) -> Parsed {
        let mut old_tree = self.tree.as_ref().map(|own| own.tree.clone());
        if let Some(tree) = &mut old_tree {
            for (span, new_len) in edits.iter().rev() {
                // Later edits are entered first, so that a span still lies where it did; the
                // point after it is only right in a text with this one edit.
                let only_this = self.source.newline_point(span.start());
                let shift: isize = edits
                    .iter()
                    .take_while(|(earlier, _)| earlier.start() < span.start())
                    .map(|(earlier, len)| *len as isize - earlier.len() as isize)
                    .sum();
                let start_after = span.start().saturating_add_signed(shift);
                let new_span = Span::new(start_after, start_after + new_len);
                tree.edit(&InputEdit {
                    start_byte: span.start(),
                    old_end_byte: span.end(),
                    new_end_byte: span.start() + new_len,
                    start_position: point(only_this),
                    old_end_position: advance(only_this, self.source.newline_extent(*span)),
                    new_end_position: advance(only_this, after.newline_extent(new_span)),
                });
            }
        }
        let tree = parse(&after, after.language(), &[], old_tree.as_ref());
        Parsed::of(after, tree)
    }

    fn of(source: Source, tree: Option<Tree>) -> Parsed {
        Parsed {
            tree: tree.map(|tree| SyntaxTree::new(tree, source.language(), &source)),
            source,
            problems: OnceLock::new(),
            outline: OnceLock::new(),
            with_inner: OnceLock::new(),
            strict: OnceLock::new(),
        }
    }

    /// The same text parsed without the help of an older tree.
    pub(crate) fn afresh(&self) -> Parsed {
        Parsed::parse(self.source.clone())
    }

    /// The text.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// The root of the tree.
    pub fn root(&self) -> Option<Node<'_>> {
        self.tree.as_ref().map(SyntaxTree::root)
    }

    /// Walks over `node`, all below it and the trees inside.
    pub(crate) fn walk<'p>(&'p self, node: Node<'p>) -> Cursor<'p> {
        Cursor::new(node)
    }

    /// The node whose children a walk finds below `node`: the root of the tree inside it, where it
    /// holds one, else itself.
    pub(crate) fn inner<'p>(&'p self, node: Node<'p>) -> Node<'p> {
        let inside = node.tree.tree_inside(node.raw);
        inside.map_or(node, SyntaxTree::root)
    }

    /// `span` without the white space at its ends, and without the margin of the line after it
    /// (`bodies.scm`) that it may end with.
    pub(crate) fn trimmed(&self, span: Span) -> Span {
        let margins = self.tree.as_ref().map_or(&[][..], SyntaxTree::margins);
        let text = self.source.slice(span);
        let mut bare = &text[..];
        loop {
            bare = bare.trim_end();
            let end = span.start() + bare.len();
            let before = margins.partition_point(|margin| margin.start() < end);
            let margin = before.checked_sub(1).map(|last| margins[last]);
            match margin.filter(|margin| margin.end() >= end && margin.start() >= span.start()) {
                Some(margin) => bare = &bare[..margin.start() - span.start()],
                None => break,
            }
        }
        let start = span.start() + (bare.len() - bare.trim_start().len());
        match bare.is_empty() {
            true => Span::at(span.start()),
            false => Span::new(start, span.start() + bare.len()),
        }
    }

    /// Whether there is nothing but white space and margins in `span`.
    pub(crate) fn is_blank(&self, span: Span) -> bool {
        let margins = self.tree.as_ref().map_or(&[][..], SyntaxTree::margins);
        let first = margins.partition_point(|margin| margin.end() <= span.start());
        let inside = margins[first..]
            .iter()
            .take_while(|margin| span.contains(**margin));
        let starts = [span.start()]
            .into_iter()
            .chain(inside.clone().map(|margin| margin.end()));
        let ends = inside.map(|margin| margin.start()).chain([span.end()]);
        let mut between = starts.zip(ends).map(|(start, end)| Span::new(start, end));
        between.all(|part| self.source.slice(part).trim().is_empty())
    }

    /// The places the parser could not make sense of, in file order; an erroneous node counts
    /// as one, whatever is in it. Trees inside others are not asked.
    pub fn problems(&self) -> &[Problem] {
        self.problems.get_or_init(|| match &self.tree {
            Some(own) => problems(&own.tree),
            None => Vec::new(),
        })
    }

    /// What the language's own parser refuses, where it has one that is asked.
    pub fn strict_problem(&self) -> Option<&StrictProblem> {
        let ask = || self.source.language().strict()?(self.source.text()).err();
        self.strict.get_or_init(ask).as_ref()
    }

    /// The symbols of the file; those of the languages inside it are left out.
    pub fn outline(&self) -> &Outline {
        let own = || self.tree.as_ref().map(|own| Outline::of(self, own));
        self.outline.get_or_init(|| own().unwrap_or_default())
    }

    /// The symbols of the file and of the languages inside it, each below the symbol it stands in.
    pub(crate) fn outline_with_inner(&self) -> &Outline {
        let own = || self.tree.as_ref().map(|own| Outline::with_inner(self, own));
        self.with_inner.get_or_init(|| own().unwrap_or_default())
    }

    /// Whether nodes of the file hold other languages.
    pub(crate) fn holds_others(&self) -> bool {
        self.languages().nth(1).is_some()
    }

    /// The named nodes that cover `span`, from the root to the smallest.
    pub fn chain(&self, span: Span) -> Vec<Node<'_>> {
        self.chains()
            .map_or_else(Vec::new, |mut chains| chains.at(span))
    }

    /// A walker that answers for many spans in file order at the cost of one walk.
    pub(crate) fn chains(&self) -> Option<Chains<'_>> {
        self.root().map(|root| Chains::new(self, root))
    }

    /// Whether nodes may end with the margin of the line behind them.
    pub(crate) fn has_margins(&self) -> bool {
        let tables = self.source.language().tables();
        tables.is_some_and(Tables::has_margins)
    }

    /// The children of a node; those of one that holds another language are of that language.
    pub(crate) fn children<'p>(&'p self, node: Node<'p>) -> Vec<Node<'p>> {
        let mut children = Vec::new();
        let mut cursor = self.walk(node);
        let mut more = cursor.goto_first_child();
        while more {
            children.push(cursor.node());
            more = cursor.goto_next_sibling();
        }
        children
    }

    /// The language of the file, then those inside it; the deeper ones only when they are asked for,
    /// which parses what is inside.
    pub(crate) fn languages(&self) -> impl Iterator<Item = &'static Language> {
        let inside = self.tree.iter().flat_map(SyntaxTree::languages_inside);
        let own = self.tree.iter().flat_map(SyntaxTree::trees_inside);
        let deeper = own.flat_map(SyntaxTree::languages_inside);
        [self.source.language()]
            .into_iter()
            .chain(inside)
            .chain(deeper)
    }

    /// The places the parsers could not make sense of: all of the file's tree, and those of the trees
    /// inside it that `span` lies in or touches.
    pub(crate) fn problems_round(&self, span: Span) -> Vec<Problem> {
        let mut found = self.problems().to_vec();
        if !self.holds_others() {
            return found;
        }
        let text = self.source.text();
        let before = text[..span.start()].chars().next_back();
        let behind = text[span.end()..].chars().next();
        let sides = [
            Span::new(
                span.start() - before.map_or(0, char::len_utf8),
                span.start(),
            ),
            Span::new(span.end(), span.end() + behind.map_or(0, char::len_utf8)),
        ];
        let mut asked: Vec<Node<'_>> = Vec::new();
        for touched in [span, sides[0], sides[1]] {
            for pair in self.chain(touched).windows(2) {
                let is_known = asked.iter().any(|known| known.is_of_tree_of(pair[1]));
                if !pair[0].is_of_tree_of(pair[1]) && !is_known {
                    asked.push(pair[1]);
                    found.extend(problems(&pair[1].tree.tree));
                }
            }
        }
        found
    }

    /// The text of a node.
    pub fn text_of(&self, node: Node<'_>) -> std::borrow::Cow<'_, str> {
        self.source.slice(node.span())
    }

    /// The names of the symbols that enclose the last node of a chain, itself included, from
    /// the outermost; the short name where a symbol has one.
    pub fn symbol_path(&self, chain: &[Node<'_>]) -> Vec<String> {
        outline::symbol_path(self, chain)
    }
}

/// Walks down to the nodes that cover one span after another.
///
/// Going down from the root for each span costs as many steps as there are siblings before it;
/// for spans in file order this goes on from where the last one was.
pub(crate) struct Chains<'p> {
    parsed: &'p Parsed,
    root: Node<'p>,
    /// At the child of the last of `path` from which to look on.
    cursor: Cursor<'p>,
    /// The nodes that covered the last span, anonymous ones too.
    path: Vec<Node<'p>>,
    last_start: usize,
}

impl<'p> Chains<'p> {
    fn new(parsed: &'p Parsed, root: Node<'p>) -> Chains<'p> {
        let mut cursor = parsed.walk(root);
        cursor.goto_first_child();
        Chains {
            parsed,
            root,
            cursor,
            path: vec![root],
            last_start: 0,
        }
    }

    /// The named nodes that cover `span`, from the root to the smallest.
    pub(crate) fn at(&mut self, span: Span) -> Vec<Node<'p>> {
        if span.start() < self.last_start {
            *self = Chains::new(self.parsed, self.root);
        }
        self.last_start = span.start();
        while self.path.len() > 1 && self.path.last().is_some_and(|node| !covers(*node, span)) {
            self.path.pop();
            self.cursor.goto_parent();
        }
        loop {
            while self.cursor.node().span().end() <= span.start()
                && !covers(self.cursor.node(), span)
                && self.cursor.goto_next_sibling()
            {}
            let node = self.cursor.node();
            let is_root = self.path.last() == Some(&node);
            if is_root || !covers(node, span) {
                return self.named();
            }
            if !self.cursor.goto_first_child_for_byte(span.start()) {
                let mut chain = self.named();
                chain.extend(node.is_named().then_some(node));
                return chain;
            }
            self.path.push(node);
        }
    }

    fn named(&self) -> Vec<Node<'p>> {
        self.path
            .iter()
            .copied()
            .filter(|node| node.is_named())
            .collect()
    }
}

/// Whether `span` lies in the node; a node without text covers only a place without text.
fn covers(node: Node<'_>, span: Span) -> bool {
    node.span().contains(span) && (span.is_empty() || !node.span().is_empty())
}

/// Parses what of the text lies in `ranges`; without any, all of it.
fn parse(
    source: &Source,
    language: &Language,
    ranges: &[Range],
    old_tree: Option<&Tree>,
) -> Option<Tree> {
    let mut parser = Parser::new();
    parser
        .set_language(language.grammar()?)
        .expect("the grammars are built for this version of tree-sitter");
    parser
        .set_included_ranges(ranges)
        .expect("ranges are in file order and do not overlap");
    let mut read = |offset: usize, _: Point| source.chunk_from(offset);
    parser.parse_with_options(&mut read, old_tree, None)
}

fn problems(tree: &Tree) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        if node.is_error() || node.is_missing() {
            problems.push(Problem {
                span: node.byte_range().into(),
                missing: node.is_missing().then(|| node.kind().to_string()),
            });
        }
        let into = node.has_error() && !node.is_error();
        if into && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return problems;
            }
        }
    }
}

fn point((row, column): (usize, usize)) -> Point {
    Point { row, column }
}

/// Where text that begins at `start` ends, when it goes over `rows` newlines and `columns` bytes
/// after the last.
fn advance(start: (usize, usize), (rows, columns): (usize, usize)) -> Point {
    match rows {
        0 => point((start.0, start.1 + columns)),
        rows => point((start.0 + rows, columns)),
    }
}
