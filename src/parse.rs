//! [`Source`] to [`Parsed`]: the text with its syntax tree and the problems in it.
//!
//! Never fails: broken code is a value. Nothing here recurses to the depth of the tree or climbs with `Node::parent`,
//! which costs the depth at each step.

mod comment_runs;
mod moved_nodes;
mod injection;
mod logical_cursor;
mod masked;
mod node;
mod outline;
mod text;

use std::cell::Cell;
use std::ops::ControlFlow;
use std::sync::OnceLock;

use tree_sitter::{InputEdit, ParseOptions, ParseState, Parser, Point, Range, Tree};

use crate::language::queries::{Mark, Tables};
use crate::language::strict::{Data, StrictReading};
use crate::language::{Language, StrictProblem};
use crate::source::{Source, Span};
use crate::steps;

use injection::SyntaxTree;
use node::At;
use text::TextTree;

pub(crate) use injection::Cursor;
pub use node::Node;
pub use outline::{Symbol, SymbolTree};

/// A text with its syntax tree; a plain text has its paragraphs and lines instead.
///
/// ```
/// use treegraft::{Parsed, Source, language};
///
/// let text = "fn f() {\n".to_string();
/// let parsed = Parsed::parse(Source::new("a.rs", language::for_file("a.rs", &text), text));
/// assert_eq!(parsed.root().kind(), "source_file");
/// assert_eq!(parsed.problems().len(), 1);
/// ```
#[derive(Debug)]
pub struct Parsed {
    source: Source,
    tree: Nodes,
    /// Whether the parser reused nodes of an older tree.
    is_incremental: bool,
    problems: OnceLock<Vec<SyntaxProblem>>,
    outline: OnceLock<SymbolTree>,
    with_inner: OnceLock<SymbolTree>,
    strict: OnceLock<StrictReading>,
    code_problem: OnceLock<Option<StrictProblem>>,
}

/// The maximum depth of code for a parser that may be recursive.
const CODE_DEPTH: usize = 2_000;

/// The memory of a tree in bytes for each byte of its text, before it is parsed. Measured: from 15 to 56.
const TREE_PER_BYTE: usize = 30;

/// The nodes of a file.
#[derive(Debug)]
enum Nodes {
    Syntax(Box<SyntaxTree>),
    Text(TextTree),
}

/// A place that the parser could not parse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxProblem {
    /// The bytes that it skipped, or the place (empty) where it added a missing node.
    pub span: Span,
    /// The type of the node that it added, if it added one.
    pub missing: Option<String>,
}

impl Parsed {
    /// Parses a source with the grammar of its language.
    pub fn parse(source: Source) -> Parsed {
        if let Some(tree) = masked::parse(&source, None, |_| false) {
            return Parsed::from_masked(source, tree, false);
        }
        let ranges = comment_runs::parsed_ranges(&source);
        let input = Input {
            ranges: &ranges,
            ..Input::new(&source, source.language())
        };
        let tree = parse(&input, None);
        Parsed::new(source, tree, false)
    }

    /// Parses `after`, in which each span of `edits` (sorted, disjoint) of this text is replaced by that many bytes.
    /// Reuses nodes that the edits do not touch.
    pub(crate) fn reparse(&self, after: Source, edits: &[(Span, usize)]) -> Parsed {
        if !self.has_error()
            && let Some(tree) = masked::parse(&after, Some(self), |_| false)
        {
            let is_incremental = self.masked_tree().is_some();
            return Parsed::from_masked(after, tree, is_incremental);
        }
        let old_tree = self.tree_for(&after, edits);
        let ranges = self.parsed_ranges_of(&after, edits);
        let input = Input {
            ranges: &ranges,
            ..Input::new(&after, after.language())
        };
        let tree = parse(&input, old_tree.as_ref());
        let parsed = Parsed::new(after, tree, old_tree.is_some());
        if self.problems.get().is_some_and(Vec::is_empty)
            && let Some(own) = parsed.syntax()
            && own.language.tables().is_some_and(has_unnamed_mistakes)
        {
            // No reused node is a problem.
            let found = problems(own, &|node| self.has_outside(node, edits));
            parsed.problems.get_or_init(|| found);
        }
        parsed
    }

    /// Returns whether a node of the text that `edits` produce is a node of this tree, and outside the edits.
    fn has_outside(&self, node: tree_sitter::Node<'_>, edits: &[(Span, usize)]) -> bool {
        let (mut start, mut end) = (node.start_byte(), node.end_byte());
        for (span, new_len) in edits {
            if start >= span.start() + new_len {
                (start, end) = (start - new_len + span.len(), end - new_len + span.len());
            } else if end > span.start() {
                return false;
            }
        }
        let root = self.syntax().map(|own| own.tree.root_node());
        let smallest = root.and_then(|root| root.descendant_for_byte_range(start, end));
        let above = std::iter::successors(smallest, tree_sitter::Node::parent);
        let mut same = above.take_while(|one| one.byte_range() == (start..end));
        same.any(|one| one.id() == node.id())
    }

    /// Returns whether `after` parses without errors; `edits` are as in [`Parsed::reparse`]. Stops at the first error, so
    /// a text with an error costs little.
    pub(crate) fn is_clean_after(&self, after: &Source, edits: &[(Span, usize)]) -> bool {
        // At the end of the text the parser may already have a tree and only try alternatives.
        let end = after.trimmed_end(after.whole()).end();
        let has_problem =
            |state: &ParseState| state.has_error() && state.current_byte_offset() < end;
        if self.masked_tree().is_some() {
            return masked::parse(after, Some(self), has_problem).is_some();
        }
        let old_tree = self.tree_for(after, edits);
        let ranges = self.parsed_ranges_of(after, edits);
        let input = Input {
            ranges: &ranges,
            ..Input::new(after, after.language())
        };
        let tree = parse_until(&input, old_tree.as_ref(), has_problem);
        tree.is_some_and(|tree| !tree.root_node().has_error())
    }

    /// Returns the parts of `after` that the parser gets; none if it gets all of it.
    fn parsed_ranges_of(&self, after: &Source, edits: &[(Span, usize)]) -> Vec<Range> {
        let has_omitted = self
            .syntax()
            .is_some_and(|own| own.tree.included_ranges().len() > 1);
        let is_long = |(_, new_len): &(Span, usize)| *new_len >= comment_runs::SHORTEST;
        match has_omitted || edits.iter().any(is_long) {
            true => comment_runs::parsed_ranges(after),
            // Short edits add no long run.
            false => Vec::new(),
        }
    }

    /// Returns whether the tree of the file has an error.
    fn has_error(&self) -> bool {
        self.syntax()
            .is_some_and(|own| own.tree.root_node().has_error())
    }

    /// Returns the tree, if it is that of the masked text.
    fn masked_tree(&self) -> Option<&Tree> {
        let own = self.syntax().filter(|own| own.is_masked)?;
        Some(&own.tree)
    }

    /// Returns a copy of the tree, adjusted to the edits that produce `after`; `None` for a tree of the masked text.
    fn tree_for(&self, after: &Source, edits: &[(Span, usize)]) -> Option<Tree> {
        let own = self.syntax().filter(|own| !own.is_masked);
        let mut old_tree = own.map(|own| own.tree.clone());
        if let Some(tree) = &mut old_tree {
            for (index, (span, new_len)) in edits.iter().enumerate().rev() {
                // Later edits are entered first, so that earlier offsets stay valid; the point after an edit is only
                // valid in a text with this one edit.
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

    fn new(source: Source, tree: Option<Tree>, is_incremental: bool) -> Parsed {
        let nodes = match tree {
            Some(tree) => {
                let tree = SyntaxTree::new(tree, source.language(), &source);
                Nodes::Syntax(Box::new(tree))
            }
            None => Nodes::Text(TextTree::new(&source)),
        };
        Parsed::from_nodes(source, nodes, is_incremental)
    }

    fn from_masked(source: Source, tree: Tree, is_incremental: bool) -> Parsed {
        let tree = SyntaxTree::new(tree, source.language(), &source).of_masked_text();
        Parsed::from_nodes(source, Nodes::Syntax(Box::new(tree)), is_incremental)
    }

    fn from_nodes(source: Source, nodes: Nodes, is_incremental: bool) -> Parsed {
        Parsed {
            tree: nodes,
            is_incremental,
            source,
            problems: OnceLock::new(),
            outline: OnceLock::new(),
            with_inner: OnceLock::new(),
            strict: OnceLock::new(),
            code_problem: OnceLock::new(),
        }
    }

    /// Returns whether the parser reused nodes of an older tree.
    pub(crate) fn is_incremental(&self) -> bool {
        self.is_incremental
    }

    /// Parses the same text without an older tree.
    pub(crate) fn parsed_from_scratch(&self) -> Parsed {
        Parsed::parse(self.source.clone())
    }

    /// Returns the text.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// Returns about how many bytes of memory the text and its tree take.
    #[cfg(feature = "disk")]
    pub(crate) fn memory(&self) -> usize {
        let tree = match &self.tree {
            Nodes::Syntax(tree) => tree.memory(),
            Nodes::Text(_) => self.source.len(),
        };
        2 * self.source.len() + tree
    }

    /// Returns the root of the tree.
    pub fn root(&self) -> Node<'_> {
        match &self.tree {
            Nodes::Syntax(tree) => tree.root(),
            Nodes::Text(tree) => Node(At::Text(text::DOCUMENT, tree)),
        }
    }

    /// Returns whether no grammar parsed the file.
    pub(crate) fn is_plain_text(&self) -> bool {
        self.syntax().is_none()
    }

    /// Returns the reason why the grammar was not given the text, if it was not.
    pub(crate) fn parse_refusal(&self) -> Option<&'static str> {
        let language = self.source.language();
        language.parse_refusal(|| self.source.slice(self.source.whole()))
    }

    /// Returns that the file is read as plain text, and why, if its language has a grammar that does not support this
    /// text.
    pub fn read_as_text(&self) -> Option<String> {
        let (path, why) = (self.source.path(), self.parse_refusal()?);
        Some(format!("`{path}` is read as plain text because {why}"))
    }

    fn syntax(&self) -> Option<&SyntaxTree> {
        match &self.tree {
            Nodes::Syntax(tree) => Some(tree),
            Nodes::Text(_) => None,
        }
    }

    /// Walks over `node`, its descendants and the trees inside.
    pub(crate) fn walk<'p>(&'p self, node: Node<'p>) -> Cursor<'p> {
        Cursor::new(node)
    }

    /// Returns the node whose children a walk finds below `node`: the root of the tree inside it, or else `node`
    /// itself.
    pub(crate) fn inner<'p>(&'p self, node: Node<'p>) -> Node<'p> {
        match node.0 {
            At::Syntax(raw, tree) => tree.tree_inside(raw).map_or(node, SyntaxTree::root),
            At::Text(..) => node,
        }
    }

    /// Returns `span` without whitespace at its ends and without the margin of the following line (`bodies.scm`) that
    /// it may end with.
    pub(crate) fn trimmed(&self, span: Span) -> Span {
        let mut bare = span;
        loop {
            bare = self.source.trimmed_end(bare);
            let last = bare.end().checked_sub(1);
            let margin = last.and_then(|last| self.margin_at(last));
            match margin.filter(|margin| margin.start() >= span.start()) {
                Some(margin) => bare = Span::new(span.start(), margin.start()),
                None => break,
            }
        }
        match bare.is_empty() {
            true => bare,
            false => self.source.trimmed_start(bare),
        }
    }

    /// Returns the margin of the file that contains the byte at `offset`.
    pub(crate) fn margin_at(&self, offset: usize) -> Option<Span> {
        self.syntax()?.margin_at(offset)
    }

    /// Returns whether `span` contains only whitespace and margins.
    pub(crate) fn is_blank(&self, span: Span) -> bool {
        let mut rest = self.source.trimmed_start(span);
        while !rest.is_empty() {
            let margin = self.margin_at(rest.start());
            let Some(margin) = margin.filter(|margin| span.contains(*margin)) else {
                return false;
            };
            rest = self
                .source
                .trimmed_start(Span::new(margin.end(), span.end()));
        }
        true
    }

    /// Returns the places that the parser could not parse, in file order; an erroneous node counts as one, with all its
    /// descendants. Trees inside others are not included.
    pub fn problems(&self) -> &[SyntaxProblem] {
        let own = || self.syntax().map(|own| problems(own, &|_| false));
        self.problems.get_or_init(|| own().unwrap_or_default())
    }

    /// Returns the first problem that the parser of the language itself reports, if it is used.
    pub fn strict_problem(&self) -> Option<&StrictProblem> {
        self.reading().problem.as_ref()
    }

    /// Returns the values in the text, if it is data that the parser of the language itself reads.
    pub(crate) fn data(&self) -> Option<&Data> {
        let tells = self.source.language().strict_of_value().is_none();
        tells.then(|| self.reading().data.as_ref()).flatten()
    }

    /// Returns the first problem that the parser of its language finds in the code of the file or of a script inside it.
    /// `None` too for code that is nested too deeply.
    pub fn code_problem(&self) -> Option<&StrictProblem> {
        let own = || {
            let roots = match self.source.language().quotes_code() {
                true => Vec::new(),
                false => self.trees(),
            };
            roots.into_iter().find_map(|root| {
                let is_whole = root.is_of_tree_of(self.root());
                let span = match is_whole {
                    true => self.source.whole(),
                    false => root.span(),
                };
                let has_margins = !is_whole && root.own_parts(span).len() != 1;
                let checks = root.language().checks_code() && !has_margins;
                checks.then(|| self.code_problem_in(root, span)).flatten()
            })
        };
        self.code_problem.get_or_init(own).as_ref()
    }

    /// Returns whether [`Parsed::code_problem`] has been called and has found one.
    pub(crate) fn has_known_code_problem(&self) -> bool {
        self.code_problem.get().is_some_and(Option::is_some)
    }

    /// Returns the first problem that the parser of a language finds in a part of its tree.
    pub(crate) fn code_problem_in(&self, root: Node<'_>, span: Span) -> Option<StrictProblem> {
        if root.is_deeper_than(CODE_DEPTH) {
            return None;
        }
        let is_part = !root.is_of_tree_of(self.root());
        let path = if is_part { "" } else { self.source.path() };
        let text = self.source.slice(span);
        let problem = root.language().code_problem(&text, path, is_part)?;
        Some(StrictProblem {
            offset: span.start() + problem.offset,
            ..problem
        })
    }

    fn reading(&self) -> &StrictReading {
        let read = || {
            let own = self.source.language().strict();
            own.map(|read| read(self.source.text())).unwrap_or_default()
        };
        self.strict.get_or_init(read)
    }

    /// Returns the symbols of the file without those of the languages inside it.
    pub fn outline(&self) -> &SymbolTree {
        let own = || self.syntax().map(|own| SymbolTree::from_tree(self, own));
        self.outline.get_or_init(|| own().unwrap_or_default())
    }

    /// Returns the symbols that determine the meaning of a symbol path whose last name ends with `word`. `None` if the
    /// whole outline is already known or needed.
    pub(crate) fn outline_naming(&self, word: &str) -> Option<SymbolTree> {
        match self.outline.get() {
            Some(_) => None,
            None => SymbolTree::naming(self, self.syntax()?, word),
        }
    }

    /// Returns the symbols of the file and of the languages inside it, each below the enclosing symbol.
    pub(crate) fn outline_with_inner(&self) -> &SymbolTree {
        let own = || self.syntax().map(|own| SymbolTree::with_inner(self, own));
        self.with_inner.get_or_init(|| own().unwrap_or_default())
    }

    /// Returns whether nodes of the file may contain other languages.
    pub(crate) fn may_hold_others(&self) -> bool {
        self.syntax()
            .is_some_and(SyntaxTree::may_have_languages_inside)
    }

    /// Returns the named nodes that contain `span`, from the root to the smallest.
    pub fn chain(&self, span: Span) -> Vec<Node<'_>> {
        self.chains().at(span)
    }

    /// Returns a walker that finds the nodes of many spans in file order in one walk.
    pub(crate) fn chains(&self) -> Chains<'_> {
        Chains::new(self, self.root())
    }

    /// Returns the leaf that contains `span`.
    pub(crate) fn token(&self, span: Span) -> Option<Node<'_>> {
        let mut chains = self.chains();
        chains.at(span);
        chains.leaf.or(chains.path.last().copied())
    }

    /// Returns the comments that the grammar may put into the preceding node, in file order.
    pub(crate) fn loose_comments(&self) -> &[Span] {
        let moved_nodes = match &self.tree {
            Nodes::Syntax(tree) => tree.moved_nodes(),
            Nodes::Text(_) => None,
        };
        moved_nodes.map_or(&[], |moved_nodes| moved_nodes.all())
    }

    /// Returns the children of a node; those of a host are nodes of the language inside it.
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

    /// Returns the language of the file, then those inside it. Deeper ones are found when the iterator reaches them,
    /// which parses the text inside.
    pub(crate) fn languages(&self) -> impl Iterator<Item = &'static Language> {
        let inside = self
            .syntax()
            .into_iter()
            .flat_map(SyntaxTree::languages_inside);
        let own = self.syntax().into_iter().flat_map(SyntaxTree::trees_inside);
        let deeper = own.flat_map(SyntaxTree::languages_inside);
        let (inside, deeper) = (inside.copied(), deeper.copied());
        [self.source.language()]
            .into_iter()
            .chain(inside)
            .chain(deeper)
    }

    #[cfg(feature = "disk")]
    /// Returns the roots of the trees inside the file whose symbols are symbols of the file, such as scripts of a component.
    pub(crate) fn scripts(&self) -> Vec<Node<'_>> {
        let trees = self.syntax().into_iter().flat_map(SyntaxTree::listed_trees);
        trees.map(SyntaxTree::root).collect()
    }

    /// Returns the roots of the tree of the file and of the trees of languages inside it; empty for a plain text.
    pub(crate) fn trees(&self) -> Vec<Node<'_>> {
        self.trees_by(SyntaxTree::trees_inside)
    }

    /// Returns the same roots and those of the arguments of macros, which are no nodes of the file
    /// ([`Node::is_of_file`]).
    pub(crate) fn trees_and_macros(&self) -> Vec<Node<'_>> {
        self.trees_by(|tree| [tree.trees_inside(), tree.trees_of_tokens()].concat())
    }

    fn trees_by<'p>(
        &'p self,
        inside: impl Fn(&'p SyntaxTree) -> Vec<&'p SyntaxTree>,
    ) -> Vec<Node<'p>> {
        let mut roots = Vec::new();
        let mut open: Vec<&SyntaxTree> = self.syntax().into_iter().collect();
        while let Some(tree) = open.pop() {
            roots.push(tree.root());
            open.extend(inside(tree));
        }
        roots
    }

    /// Returns the places that the parsers could not parse: all in the tree of the file, and those in the trees inside
    /// it that contain or touch `span`.
    pub(crate) fn problems_around(&self, span: Span) -> Vec<SyntaxProblem> {
        let mut found = self.problems().to_vec();
        if !self.may_hold_others() {
            return found;
        }
        let before = self.source.chars_before(span.start()).next();
        let following = self.source.chars_from(span.end()).next();
        let sides = [
            Span::new(
                span.start() - before.map_or(0, char::len_utf8),
                span.start(),
            ),
            Span::new(span.end(), span.end() + following.map_or(0, char::len_utf8)),
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

    /// Parses another text in the language of the file.
    pub(crate) fn parse_fragment(&self, text: &str) -> Parsed {
        let source = Source::new(self.source.path(), self.source.language(), text.to_string());
        Parsed::parse(source)
    }

    /// Returns the text of a node.
    pub fn text_of(&self, node: Node<'_>) -> std::borrow::Cow<'_, str> {
        self.source.slice(node.span())
    }

    /// Returns the names of the symbols that enclose the last node of a chain, itself included, from the outermost; the
    /// short name of a symbol that has one.
    pub fn symbol_path(&self, chain: &[Node<'_>]) -> Vec<String> {
        outline::symbol_path(self, chain)
    }
}

/// Walks down to the nodes that contain one span after another.
///
/// A walk from the root costs as many steps as there are preceding siblings. For spans in file order this one continues
/// from the last span.
pub(crate) struct Chains<'p> {
    parsed: &'p Parsed,
    root: Node<'p>,
    /// At the child of the last of `path` from which the search continues.
    cursor: Cursor<'p>,
    /// The nodes that contain the last span, including anonymous ones.
    path: Vec<Node<'p>>,
    /// The child of the last of `path` that contains the last span and has no children.
    leaf: Option<Node<'p>>,
    /// The start of the last span; `None` before the first one.
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

    /// Returns the named nodes that contain `span`, from the root to the smallest.
    pub(crate) fn at(&mut self, span: Span) -> Vec<Node<'p>> {
        self.go_to(span);
        let path = self.path.iter().chain(&self.leaf).copied();
        path.filter(|node| node.is_named()).collect()
    }

    /// Returns the named nodes that contain `span`, from the smallest to the root.
    pub(crate) fn upward_from(&mut self, span: Span) -> impl Iterator<Item = Node<'p>> {
        self.go_to(span);
        let path = self.leaf.iter().chain(self.path.iter().rev()).copied();
        path.filter(|node| node.is_named())
    }

    /// Returns a cursor at the first child of `top`, the smallest node that contains the last span, that ends after the
    /// start of `span`. It does not pass the children before that one.
    pub(crate) fn below(&self, top: Node<'p>, span: Span) -> Option<Cursor<'p>> {
        let here = self.cursor.node();
        if !span.is_empty() && self.path.last() == Some(&top) && here != top {
            let ends_after = here.span().end() > span.start();
            return ends_after.then(|| self.cursor.clone());
        }
        let mut cursor = self.parsed.walk(top);
        cursor
            .goto_first_child_for_byte(span.start())
            .then_some(cursor)
    }

    fn go_to(&mut self, span: Span) {
        if self.last_start.is_some_and(|last| span.start() < last) {
            *self = Chains::new(self.parsed, self.root);
        }
        if self.last_start.is_none() {
            // This finds nothing if only a hidden token ends after the byte, even if visible ones follow.
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

/// Returns whether the node contains `span`; a node without text contains only an empty span.
fn covers(node: Node<'_>, span: Span) -> bool {
    node.span().contains(span) && (span.is_empty() || !node.span().is_empty())
}

/// What to parse.
struct Input<'s> {
    source: &'s Source,
    language: &'s Language,
    /// The parts of the text to parse; all of it without any.
    ranges: &'s [Range],
    /// The text that the grammar sees at the end of the ranges, which include its length. It replaces what the source has
    /// there.
    end: &'s str,
    /// The text that the grammar sees instead of that of the source, if it is masked.
    masked: Option<&'s [u8]>,
}

impl<'s> Input<'s> {
    /// Returns the input for all of a text.
    fn new(source: &'s Source, language: &'s Language) -> Input<'s> {
        Input {
            source,
            language,
            ranges: &[],
            end: "",
            masked: None,
        }
    }

    /// Returns the number of bytes to parse.
    fn len(&self) -> usize {
        match self.ranges {
            [] => self.source.len(),
            ranges => ranges.iter().map(|one| one.end_byte - one.start_byte).sum(),
        }
    }

    /// Returns the text that the grammar sees from a byte on: a part of it, as long as the source stores together.
    fn chunk_from(&self, offset: usize) -> &'s [u8] {
        if let Some(text) = self.masked {
            return text.get(offset..).unwrap_or_default();
        }
        let Some(last) = self.ranges.last().filter(|_| !self.end.is_empty()) else {
            return self.source.chunk_from(offset);
        };
        let end = last.end_byte - self.end.len();
        match offset.checked_sub(end) {
            Some(after) => self.end.as_bytes().get(after..).unwrap_or_default(),
            None => {
                let chunk = self.source.chunk_from(offset);
                &chunk[..chunk.len().min(end - offset)]
            }
        }
    }
}

/// Parses a text. Returns `None` if the grammar must not be given the text.
fn parse(input: &Input<'_>, old_tree: Option<&Tree>) -> Option<Tree> {
    parse_until(input, old_tree, |_| false)
}

/// Parses like [`parse`], but returns `None` as soon as `stops` returns true.
fn parse_until(
    input: &Input<'_>,
    old_tree: Option<&Tree>,
    stops: impl Fn(&ParseState) -> bool,
) -> Option<Tree> {
    let Input {
        source,
        language,
        ranges,
        end,
        ..
    } = *input;
    thread_local! {
        /// A used parser keeps its buffers.
        static PARSER: Cell<Option<Parser>> = const { Cell::new(None) };
    }
    let grammar = language.grammar()?;
    let slice = |range: &Range| source.slice(Span::new(range.start_byte, range.end_byte));
    let read = || match ranges {
        [] => source.slice(source.whole()),
        // It is part of a text that was given to the grammar.
        _ if !end.is_empty() => "".into(),
        // The grammar does not see the text between them, such as the margin of a quote.
        _ => ranges.iter().map(slice).collect::<String>().into(),
    };
    if language.parse_refusal(read).is_some() {
        return None;
    }
    steps::need(input.len() * TREE_PER_BYTE);
    let mut parser = PARSER.take().unwrap_or_default();
    parser
        .set_language(grammar)
        .expect("the grammars are built for this version of tree-sitter");
    parser
        .set_included_ranges(ranges)
        .expect("ranges are in file order and do not overlap");
    let mut read = |offset: usize, _: Point| input.chunk_from(offset);
    let mut watch = |state: &ParseState| match stops(state) || steps::is_stopped() {
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
    steps::check();
    tree
}

/// Returns the problems in a tree, without those in nodes that `is_passed`.
fn problems(
    own: &SyntaxTree,
    is_passed: &dyn Fn(tree_sitter::Node<'_>) -> bool,
) -> Vec<SyntaxProblem> {
    let mut problems: Vec<SyntaxProblem> = Vec::new();
    let mut hidden: Vec<SyntaxProblem> = Vec::new();
    let tables = own.language.tables();
    let mistakes = tables.filter(|tables| tables.uses(Mark::Mistake));
    let words = mistakes.and_then(|tables| tables.texts_of(Mark::Mistake));
    let everywhere = tables.filter(|tables| has_unnamed_mistakes(tables));
    let mut cursor = own.tree.walk();
    loop {
        let node = cursor.node();
        let is_mistake = everywhere.is_some_and(|tables| is_mistake(own, tables, node));
        if node.is_error() || node.is_missing() || is_mistake {
            problems.push(SyntaxProblem {
                span: node.byte_range().into(),
                missing: node.is_missing().then(|| node.kind().to_string()),
            });
        }
        let into = (node.has_error() || everywhere.is_some()) && !node.is_error() && !is_mistake;
        // The tree does not show the token that is missing in this node.
        let is_empty = node.byte_range().is_empty() && node.child_count() == 0;
        if node.has_error() && into && is_empty && !node.is_missing() {
            hidden.push(SyntaxProblem {
                span: node.byte_range().into(),
                missing: Some(node.kind().to_string()),
            });
        }
        if into && !is_passed(node) && cursor.goto_first_child() {
            continue;
        }
        if !to_next(&mut cursor) {
            break;
        }
    }
    if let Some((tables, words)) = mistakes.zip(words) {
        let mut found = mistaken_words(own, tables, &words);
        found.retain(|one| !problems.iter().any(|other| other.span.contains(one.span)));
        problems.extend(found);
    }
    // A problem at the same place is already reported.
    hidden.retain(|one| !problems.iter().any(|other| other.span.touches(one.span)));
    problems.extend(hidden);
    problems.sort_by_key(|problem| problem.span.start());
    problems
}

/// Returns whether any node may be one that the grammar uses for wrong code: the rules name no words to search for.
fn has_unnamed_mistakes(tables: &Tables) -> bool {
    tables.uses(Mark::Mistake) && tables.texts_of(Mark::Mistake).is_none()
}

fn is_mistake(own: &SyntaxTree, tables: &Tables, node: tree_sitter::Node<'_>) -> bool {
    let text = |node: tree_sitter::Node<'_>| {
        let text = own.source.slice(node.byte_range().into());
        text.into_owned()
    };
    tables.has_below(Mark::Mistake, node, &[], &text)
}

/// Returns the nodes that the grammar uses for wrong code, by the words that they start with: almost all of the tree is
/// not visited.
fn mistaken_words(own: &SyntaxTree, tables: &Tables, words: &[&str]) -> Vec<SyntaxProblem> {
    let root = own.tree.root_node();
    let text = own.source.slice(root.byte_range().into());
    let mut found = Vec::new();
    for word in words {
        for offset in memchr::memmem::find_iter(text.as_bytes(), word.as_bytes()) {
            let start = root.start_byte() + offset;
            let leaf = root.descendant_for_byte_range(start, start + word.len());
            let leaf = leaf.filter(|leaf| leaf.start_byte() == start);
            let leaf = leaf.filter(|leaf| is_mistake(own, tables, *leaf));
            found.extend(leaf.map(|leaf| SyntaxProblem {
                span: leaf.byte_range().into(),
                missing: None,
            }));
        }
    }
    found
}

/// Moves a cursor to the next node that is not inside the current one. Returns false after the last one.
fn to_next(cursor: &mut tree_sitter::TreeCursor<'_>) -> bool {
    steps::count(1);
    while !cursor.goto_next_sibling() {
        if !cursor.goto_parent() {
            return false;
        }
    }
    true
}

fn point((row, column): (usize, usize)) -> Point {
    Point { row, column }
}

/// Returns the end of a text that starts at `start` and has `rows` newlines and `columns` bytes after the last one.
fn advance(start: (usize, usize), (rows, columns): (usize, usize)) -> Point {
    match rows {
        0 => point((start.0, start.1 + columns)),
        rows => point((start.0 + rows, columns)),
    }
}
