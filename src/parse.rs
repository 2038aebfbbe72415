//! [`Source`] to [`Parsed`]: the text with its syntax tree and the problems in it.
//!
//! Never fails: broken code is a value. Nothing here follows the depth of the tree with the
//! stack, nor climbs with `Node::parent`, which costs the depth at each step.

mod comments;
mod injection;
mod level;
mod node;
mod outline;
mod text;

use std::cell::Cell;
use std::ops::ControlFlow;
use std::sync::OnceLock;

use tree_sitter::{InputEdit, ParseOptions, ParseState, Parser, Point, Range, Tree};

use crate::language::queries::Mark;
use crate::language::strict::{Data, Reading};
use crate::language::{Language, StrictProblem};
use crate::source::{Source, Span};

use injection::SyntaxTree;
use node::At;
use text::TextTree;

pub(crate) use injection::Cursor;
pub use node::Node;
pub use outline::{Outline, Symbol};

/// A text with its syntax tree; that of a plain text are its paragraphs and lines.
#[derive(Debug)]
pub struct Parsed {
    source: Source,
    tree: Nodes,
    problems: OnceLock<Vec<Problem>>,
    outline: OnceLock<Outline>,
    with_inner: OnceLock<Outline>,
    strict: OnceLock<Reading>,
}

/// What the nodes of a file are.
#[derive(Debug)]
enum Nodes {
    Syntax(SyntaxTree),
    Text(TextTree),
}

/// A place the parser could not make sense of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The bytes it skipped, or the place (empty) where it put in what was missing.
    pub span: Span,
    /// The node type it put in, if it did.
    pub missing: Option<String>,
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
        let old_tree = self.tree_for(&after, edits);
        let tree = parse(&after, after.language(), &[], old_tree.as_ref());
        Parsed::of(after, tree)
    }

    /// Returns whether `after` parses without errors; `edits` are as in [`Parsed::reparse`]. Stops at the first error, so
    /// a text with an error costs little.
    pub(crate) fn is_clean_after(&self, after: &Source, edits: &[(Span, usize)]) -> bool {
        let old_tree = self.tree_for(after, edits);
        // At the end of the text the parser may already have a tree and only try alternatives.
        let end = after.trimmed_end(after.whole()).end();
        let has_problem =
            |state: &ParseState| state.has_error() && state.current_byte_offset() < end;
        let tree = parse_until(after, after.language(), &[], old_tree.as_ref(), has_problem);
        tree.is_some_and(|tree| !tree.root_node().has_error())
    }

    /// Returns a copy of the tree, adjusted to the edits that produce `after`.
    fn tree_for(&self, after: &Source, edits: &[(Span, usize)]) -> Option<Tree> {
        let mut old_tree = self.syntax().map(|own| own.tree.clone());
        if let Some(tree) = &mut old_tree {
            for (index, (span, new_len)) in edits.iter().enumerate().rev() {
                // Later edits are entered first, so that a span still lies where it did; the
                // point after it is only right in a text with this one edit.
                let only_this = self.source.newline_point(span.start());
                let shift: isize = edits[..index]
                    .iter()
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
        old_tree
    }

    fn of(source: Source, tree: Option<Tree>) -> Parsed {
        let nodes = match tree {
            Some(tree) => Nodes::Syntax(SyntaxTree::new(tree, source.language(), &source)),
            None => Nodes::Text(TextTree::new(&source)),
        };
        Parsed {
            tree: nodes,
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
    pub fn root(&self) -> Node<'_> {
        match &self.tree {
            Nodes::Syntax(tree) => tree.root(),
            Nodes::Text(tree) => Node(At::Text(text::DOCUMENT, tree)),
        }
    }

    /// Whether no grammar reads the file.
    pub(crate) fn is_plain_text(&self) -> bool {
        self.syntax().is_none()
    }

    /// Why the grammar of the file's language was not given the text, if so.
    pub(crate) fn unreadable(&self) -> Option<&'static str> {
        let language = self.source.language();
        language.unreadable(|| self.source.slice(self.source.whole()))
    }

    /// That the file is read as plain text, and why, if its language has a grammar that does not bear this text.
    pub fn read_as_text(&self) -> Option<String> {
        let (path, why) = (self.source.path(), self.unreadable()?);
        Some(format!("`{path}` is read as plain text, as {why}"))
    }

    fn syntax(&self) -> Option<&SyntaxTree> {
        match &self.tree {
            Nodes::Syntax(tree) => Some(tree),
            Nodes::Text(_) => None,
        }
    }

    /// Walks over `node`, all below it and the trees inside.
    pub(crate) fn walk<'p>(&'p self, node: Node<'p>) -> Cursor<'p> {
        Cursor::new(node)
    }

    /// The node whose children a walk finds below `node`: the root of the tree inside it, where it
    /// holds one, else itself.
    pub(crate) fn inner<'p>(&'p self, node: Node<'p>) -> Node<'p> {
        match node.0 {
            At::Syntax(raw, tree) => tree.tree_inside(raw).map_or(node, SyntaxTree::root),
            At::Text(..) => node,
        }
    }

    /// `span` without the white space at its ends, and without the margin of the line after it
    /// (`bodies.scm`) that it may end with.
    pub(crate) fn trimmed(&self, span: Span) -> Span {
        self.trimmed_by(self.margins(), span)
    }

    /// `span` without the white space at its ends, and without the last of the `margins` before its end.
    fn trimmed_by(&self, margins: &[Span], span: Span) -> Span {
        let mut bare = span;
        loop {
            bare = self.source.trimmed_end(bare);
            let end = bare.end();
            let before = margins.partition_point(|margin| margin.start() < end);
            let margin = before.checked_sub(1).map(|last| margins[last]);
            match margin.filter(|margin| margin.end() >= end && margin.start() >= span.start()) {
                Some(margin) => bare = Span::new(span.start(), margin.start()),
                None => break,
            }
        }
        match bare.is_empty() {
            true => bare,
            false => self.source.trimmed_start(bare),
        }
    }

    /// The margins of the file that are not empty, in file order.
    fn margins(&self) -> &[Span] {
        self.syntax().map_or(&[], SyntaxTree::margins)
    }

    /// Whether there is nothing but white space and margins in `span`.
    pub(crate) fn is_blank(&self, span: Span) -> bool {
        let margins = self.margins();
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
        let own = || self.syntax().map(|own| problems(&own.tree));
        self.problems.get_or_init(|| own().unwrap_or_default())
    }

    /// What the language's own parser refuses, where it has one that is asked.
    pub fn strict_problem(&self) -> Option<&StrictProblem> {
        self.reading().problem.as_ref()
    }

    /// What the text says, where it is data that the language's own parser reads.
    pub(crate) fn data(&self) -> Option<&Data> {
        let tells = self.source.language().strict_of_value().is_none();
        tells.then(|| self.reading().data.as_ref()).flatten()
    }

    fn reading(&self) -> &Reading {
        let read = || {
            let own = self.source.language().strict();
            own.map(|read| read(self.source.text())).unwrap_or_default()
        };
        self.strict.get_or_init(read)
    }

    /// The symbols of the file; those of the languages inside it are left out.
    pub fn outline(&self) -> &Outline {
        let own = || self.syntax().map(|own| Outline::of(self, own));
        self.outline.get_or_init(|| own().unwrap_or_default())
    }

    /// The symbols of the file that have to be looked at to know what a symbol path stands for whose last
    /// name ends with `word`: fewer than all of the outline where that is not known yet.
    pub(crate) fn outline_naming(&self, word: &str) -> Option<Outline> {
        match self.outline.get() {
            Some(_) => None,
            None => Outline::naming(self, self.syntax()?, word),
        }
    }

    /// The symbols of the file and of the languages inside it, each below the symbol it stands in.
    pub(crate) fn outline_with_inner(&self) -> &Outline {
        let own = || self.syntax().map(|own| Outline::with_inner(self, own));
        self.with_inner.get_or_init(|| own().unwrap_or_default())
    }

    /// Whether nodes of the file hold other languages.
    pub(crate) fn holds_others(&self) -> bool {
        self.languages().nth(1).is_some()
    }

    /// The named nodes that cover `span`, from the root to the smallest.
    pub fn chain(&self, span: Span) -> Vec<Node<'_>> {
        self.chains().at(span)
    }

    /// A walker that answers for many spans in file order at the cost of one walk.
    pub(crate) fn chains(&self) -> Chains<'_> {
        Chains::new(self, self.root())
    }

    /// The leaf that `span` lies in.
    pub(crate) fn token(&self, span: Span) -> Option<Node<'_>> {
        let mut chains = self.chains();
        chains.at(span);
        chains.leaf.or(chains.path.last().copied())
    }

    /// Whether nodes may end with what is none of theirs: the margin of the line behind them, or
    /// comments.
    pub(crate) fn has_loose_ends(&self) -> bool {
        let tables = self.source.language().tables();
        let marks = [Mark::Margin, Mark::Loose, Mark::Late];
        tables.is_some_and(|tables| marks.into_iter().any(|mark| tables.uses(mark)))
    }

    /// The comments that the grammar may put into the node before them, in file order.
    pub(crate) fn loose_comments(&self) -> &[Span] {
        let homes = match &self.tree {
            Nodes::Syntax(tree) => tree.homes(),
            Nodes::Text(_) => None,
        };
        homes.map_or(&[], |homes| homes.all())
    }

    /// The children of a node; those of one that holds another language are of that language.
    pub fn children<'p>(&'p self, node: Node<'p>) -> Vec<Node<'p>> {
        let mut children = Vec::new();
        let mut cursor = self.walk(node);
        let mut more = cursor.goto_first_child();
        while more {
            children.push(cursor.node());
            more = cursor.goto_next_sibling();
        }
        children
    }

    /// The children of a node, each with the field it is in.
    pub(crate) fn children_with_fields<'p>(
        &'p self,
        node: Node<'p>,
    ) -> Vec<(Node<'p>, Option<u16>)> {
        let mut children = Vec::new();
        let mut cursor = self.walk(node);
        let mut more = cursor.goto_first_child();
        while more {
            children.push((cursor.node(), cursor.field()));
            more = cursor.goto_next_sibling();
        }
        children
    }

    /// The language of the file, then those inside it; the deeper ones only when they are asked for,
    /// which parses what is inside.
    pub(crate) fn languages(&self) -> impl Iterator<Item = &'static Language> {
        let inside = self
            .syntax()
            .into_iter()
            .flat_map(SyntaxTree::languages_inside);
        let own = self.syntax().into_iter().flat_map(SyntaxTree::trees_inside);
        let deeper = own.flat_map(SyntaxTree::languages_inside);
        [self.source.language()]
            .into_iter()
            .chain(inside)
            .chain(deeper)
    }

    /// The roots of the file's tree and of all trees inside it; none of a plain text.
    pub(crate) fn trees(&self) -> Vec<Node<'_>> {
        let mut roots = Vec::new();
        let mut open: Vec<&SyntaxTree> = self.syntax().into_iter().collect();
        while let Some(tree) = open.pop() {
            roots.push(tree.root());
            open.extend(tree.trees_inside());
        }
        roots
    }

    /// The places the parsers could not make sense of: all of the file's tree, and those of the trees
    /// inside it that `span` lies in or touches.
    pub(crate) fn problems_round(&self, span: Span) -> Vec<Problem> {
        let mut found = self.problems().to_vec();
        if !self.holds_others() {
            return found;
        }
        let before = self.source.chars_before(span.start()).next();
        let behind = self.source.chars_behind(span.end()).next();
        let sides = [
            Span::new(
                span.start() - before.map_or(0, char::len_utf8),
                span.start(),
            ),
            Span::new(span.end(), span.end() + behind.map_or(0, char::len_utf8)),
        ];
        let mut asked: Vec<Node<'_>> = Vec::new();
        for touched in [span, sides[0], sides[1]] {
            for node in self.chain(touched) {
                let inner = self.inner(node);
                let is_known = asked.iter().any(|known| known.is_of_tree_of(inner));
                if !inner.is_of_tree_of(node) && !is_known {
                    asked.push(inner);
                    found.extend(inner.problems_of_tree());
                }
            }
        }
        found
    }

    /// Another text of the file's language, parsed for itself.
    pub(crate) fn alone(&self, text: &str) -> Parsed {
        let source = Source::new(self.source.path(), self.source.language(), text.to_string());
        Parsed::parse(source)
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
    /// The child of the last of `path` that covered the last span and has no children.
    leaf: Option<Node<'p>>,
    /// Where the last span began; nothing before the first.
    last_start: Option<usize>,
}

impl<'p> Chains<'p> {
    fn new(parsed: &'p Parsed, root: Node<'p>) -> Chains<'p> {
        Chains {
            parsed,
            root,
            cursor: parsed.walk(root),
            path: vec![root],
            leaf: None,
            last_start: None,
        }
    }

    /// The named nodes that cover `span`, from the root to the smallest.
    pub(crate) fn at(&mut self, span: Span) -> Vec<Node<'p>> {
        self.go_to(span);
        let path = self.path.iter().chain(&self.leaf).copied();
        path.filter(|node| node.is_named()).collect()
    }

    /// Returns the named nodes that cover `span`, from the smallest to the root.
    pub(crate) fn upward_from(&mut self, span: Span) -> impl Iterator<Item = Node<'p>> {
        self.go_to(span);
        let path = self.leaf.iter().chain(self.path.iter().rev()).copied();
        path.filter(|node| node.is_named())
    }

    fn go_to(&mut self, span: Span) {
        if self.last_start.is_some_and(|last| span.start() < last) {
            *self = Chains::new(self.parsed, self.root);
        }
        if self.last_start.is_none() {
            // It finds nothing where only a hidden token ends behind the byte, whatever follows that.
            let at_once = !span.is_empty() && self.cursor.goto_first_child_for_byte(span.start());
            if !at_once {
                self.cursor.goto_first_child();
            }
        }
        self.last_start = Some(span.start());
        self.leaf = None;
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
                return;
            }
            if !self.cursor.goto_first_child_for_byte(span.start()) {
                self.leaf = Some(node);
                return;
            }
            self.path.push(node);
        }
    }
}

/// Whether `span` lies in the node; a node without text covers only a place without text.
fn covers(node: Node<'_>, span: Span) -> bool {
    node.span().contains(span) && (span.is_empty() || !node.span().is_empty())
}

/// Parses what of the text lies in `ranges`; without any, all of it. Nothing where the grammar must not be given that.
fn parse(
    source: &Source,
    language: &Language,
    ranges: &[Range],
    old_tree: Option<&Tree>,
) -> Option<Tree> {
    parse_until(source, language, ranges, old_tree, |_| false)
}

/// Like [`parse`]; returns `None` as soon as `stops` returns true.
fn parse_until(
    source: &Source,
    language: &Language,
    ranges: &[Range],
    old_tree: Option<&Tree>,
    stops: impl Fn(&ParseState) -> bool,
) -> Option<Tree> {
    thread_local! {
        /// One that has been used holds what it needs.
        static PARSER: Cell<Option<Parser>> = const { Cell::new(None) };
    }
    let grammar = language.grammar()?;
    let slice = |range: &Range| source.slice(Span::new(range.start_byte, range.end_byte));
    let read = || match ranges {
        [] => source.slice(source.whole()),
        // What lies between them, as the margin of a quote, the grammar does not see.
        _ => ranges.iter().map(slice).collect::<String>().into(),
    };
    if language.unreadable(read).is_some() {
        return None;
    }
    let mut parser = PARSER.take().unwrap_or_default();
    parser
        .set_language(grammar)
        .expect("the grammars are built for this version of tree-sitter");
    parser
        .set_included_ranges(ranges)
        .expect("ranges are in file order and do not overlap");
    let mut read = |offset: usize, _: Point| source.chunk_from(offset);
    let mut watch = |state: &ParseState| match stops(state) {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    };
    let options = ParseOptions::new().progress_callback(&mut watch);
    let tree = parser.parse_with_options(&mut read, old_tree, Some(options));
    if tree.is_none() {
        // Otherwise the next parse would resume this one.
        parser.reset();
    }
    PARSER.set(Some(parser));
    tree
}

fn problems(tree: &Tree) -> Vec<Problem> {
    let mut problems: Vec<Problem> = Vec::new();
    let mut hidden: Vec<Problem> = Vec::new();
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
        // The tree does not show the token that is missing in it.
        let is_empty = node.byte_range().is_empty() && node.child_count() == 0;
        if into && is_empty && !node.is_missing() {
            hidden.push(Problem {
                span: node.byte_range().into(),
                missing: Some(node.kind().to_string()),
            });
        }
        if into && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                // What stands right there has been told.
                hidden.retain(|one| !problems.iter().any(|other| other.span.touches(one.span)));
                problems.extend(hidden);
                problems.sort_by_key(|problem| problem.span.start());
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
