//! The symbols of a file as a tree: its named definitions, by the language's `tags.scm`.

use crate::language::queries::{Mark, Tables};
use crate::source::Span;

use super::injection::SyntaxTree;
use super::{Node, Parsed};

/// All symbols of a file, in file order, parents before their children.
#[derive(Clone, Debug, Default)]
pub struct SymbolTree {
    symbols: Vec<Symbol>,
}

/// A named definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// The name, without enclosing quotes.
    pub name: String,
    /// A second, shorter name: `Point` for `impl fmt::Display for Point<T>`.
    pub alias: Option<String>,
    /// The kind: `function`, `struct`, `key`, ...
    pub kind: &'static str,
    /// The whole definition with the nodes that belong to it: attributes and doc comments in Rust.
    pub span: Span,
    /// The node of the definition alone.
    pub node_span: Span,
    /// The declared name.
    pub name_span: Span,
    /// The index of the enclosing symbol.
    pub parent: Option<usize>,
}

impl Symbol {
    /// Returns the alias, or the name if there is none.
    pub fn short_name(&self) -> &str {
        self.alias.as_deref().unwrap_or(&self.name)
    }
}

impl SymbolTree {
    /// Finds the symbols of one tree, and those of the trees inside it whose symbols its language lists.
    pub(super) fn from_tree(parsed: &Parsed, tree: &SyntaxTree) -> SymbolTree {
        let mut outline = SymbolTree::of_nodes(parsed, tree, |_| true);
        for inner in tree.listed_trees() {
            outline.take_in(SymbolTree::from_tree(parsed, inner));
        }
        outline
    }

    /// Finds the symbols of one tree whose definitions contain `word`: all whose names end with it, and those that
    /// enclose them. Quotes inside the word are ignored. Returns `None` if the extent of a symbol depends on the
    /// following symbols, or if trees inside the tree have symbols of the file.
    pub(super) fn naming(parsed: &Parsed, tree: &SyntaxTree, word: &str) -> Option<SymbolTree> {
        let is_partial = |tables: &Tables| tables.has_levels() || tables.uses(Mark::Listed);
        if tree.root().tables().is_none_or(is_partial) {
            return None;
        }
        let places = places(parsed.source.text(), word);
        let is_in = |node: tree_sitter::Node<'_>| {
            let first = places.partition_point(|place| *place < node.start_byte());
            places
                .get(first)
                .is_some_and(|place| *place < node.end_byte())
        };
        Some(SymbolTree::of_nodes(parsed, tree, is_in))
    }

    /// Finds the symbols of the nodes for which `is_wanted` returns true, as it must for their ancestors.
    fn of_nodes(
        parsed: &Parsed,
        tree: &SyntaxTree,
        is_wanted: impl Fn(tree_sitter::Node<'_>) -> bool,
    ) -> SymbolTree {
        let Some(tables) = tree.language.tables() else {
            return SymbolTree::default();
        };
        let mut builder = OutlineBuilder::new(parsed, tree, tables);
        let mut cursor = tree.tree.walk();
        loop {
            let node = cursor.node();
            let is_wanted = is_wanted(node);
            if node.is_named() {
                builder.read(node, is_wanted);
            }
            if is_wanted && !is_closed(tables, node) && cursor.goto_first_child() {
                builder.enter(node);
                continue;
            }
            builder.end(node);
            while !cursor.goto_next_sibling() {
                let Some(parent) = builder.leave() else {
                    let symbols = builder.symbols;
                    return SymbolTree { symbols };
                };
                cursor.goto_parent();
                builder.end(parent);
            }
        }
    }

    /// Finds the symbols of a tree and of all trees inside it.
    pub(super) fn with_inner(parsed: &Parsed, tree: &SyntaxTree) -> SymbolTree {
        let mut outline = SymbolTree::of_nodes(parsed, tree, |_| true);
        for inner in tree.trees_inside() {
            outline.take_in(SymbolTree::with_inner(parsed, inner));
        }
        outline
    }

    /// Inserts the symbols of a tree that is between or inside the symbols of this one.
    fn take_in(&mut self, inner: SymbolTree) {
        let Some(first) = inner.symbols.first().map(|symbol| symbol.span) else {
            return;
        };
        let host = self.innermost(first);
        let at = self
            .symbols
            .partition_point(|own| own.span.start() <= first.start());
        let count = inner.symbols.len();
        for own in &mut self.symbols[at..] {
            own.parent = own
                .parent
                .map(|parent| parent + if parent >= at { count } else { 0 });
        }
        let taken = inner.symbols.into_iter().map(|symbol| Symbol {
            parent: symbol.parent.map(|parent| parent + at).or(host),
            ..symbol
        });
        self.symbols.splice(at..at, taken);
    }

    /// Returns the symbols in file order, parents before their children.
    pub fn symbols(&self) -> &[Symbol] {
        &self.symbols
    }

    /// Returns the innermost symbol that contains `span`.
    pub(crate) fn innermost(&self, span: Span) -> Option<usize> {
        let symbols = &self.symbols;
        let before = symbols.partition_point(|symbol| symbol.span.start() <= span.start());
        let mut found = before.checked_sub(1);
        while let Some(index) = found.filter(|&index| !symbols[index].span.contains(span)) {
            found = symbols[index].parent;
        }
        found
    }

    /// Returns the symbols from the outermost down to the one at `index`.
    pub fn path(&self, index: usize) -> Vec<&Symbol> {
        let mut path = vec![&self.symbols[index]];
        while let Some(parent) = path.last().and_then(|symbol| symbol.parent) {
            path.push(&self.symbols[parent]);
        }
        path.reverse();
        path
    }

    /// Returns the short names from the outermost symbol down to the one at `index`.
    pub fn short_path(&self, index: usize) -> Vec<String> {
        let path = self.path(index);
        path.iter()
            .map(|symbol| symbol.short_name().to_string())
            .collect()
    }
}

/// The symbols of a tree so far, in a walk over its nodes.
struct OutlineBuilder<'t> {
    parsed: &'t Parsed,
    tree: &'t SyntaxTree,
    tables: &'t Tables,
    symbols: Vec<Symbol>,
    open: Vec<OpenSymbol>,
    /// The ancestors of the current node.
    above: Vec<tree_sitter::Node<'t>>,
    /// Per depth: the facts about the children there.
    depths: Vec<Depth>,
}

/// Facts about the children of an ancestor.
#[derive(Default)]
struct Depth {
    /// Where the run of leading nodes before the current one starts.
    leading: Option<usize>,
    /// The depth of the node that bounds a definition with a level.
    bound: usize,
}

/// A symbol whose end is not known yet.
struct OpenSymbol {
    /// The depth of the node that the symbol ends with at the latest.
    bound: usize,
    level: Option<u8>,
    index: usize,
}

impl<'t> OutlineBuilder<'t> {
    fn new(parsed: &'t Parsed, tree: &'t SyntaxTree, tables: &'t Tables) -> OutlineBuilder<'t> {
        OutlineBuilder {
            parsed,
            tree,
            tables,
            symbols: Vec::new(),
            open: Vec::new(),
            above: Vec::new(),
            depths: vec![Depth::default()],
        }
    }

    /// Adds the symbols that `node` defines, if they are wanted.
    fn read(&mut self, node: tree_sitter::Node<'t>, is_wanted: bool) {
        let depth = self.above.len();
        let found = is_wanted.then(|| symbols_at(self.parsed, self.tree.node(node), &self.above));
        if let Some((symbols, level)) = found.flatten() {
            self.open_symbols(node, symbols, level);
        } else if self.tables.has(Mark::Leading, node) {
            let leading = &mut self.depths[depth].leading;
            leading.get_or_insert(node.start_byte());
        }
    }

    fn open_symbols(
        &mut self,
        node: tree_sitter::Node<'t>,
        mut symbols: Vec<Symbol>,
        level: Option<u8>,
    ) {
        let depth = self.above.len();
        let outer = wrapping(self.tables, node, &self.above);
        let leading = self.depths[outer].leading.take();
        let outer = self.above.get(outer).copied().unwrap_or(node);
        let start = leading.unwrap_or(outer.start_byte());
        let bound = level.map_or(depth, |_| self.depths[depth].bound);
        self.close(start, |last| {
            let levels = level.zip(last.level);
            last.bound == bound && levels.is_some_and(|(new, own)| new <= own)
        });
        let parent = self.open.last().map(|one| one.index);
        for symbol in &mut symbols {
            symbol.span = Span::new(start, outer.end_byte());
            symbol.parent = parent;
        }
        self.symbols.extend(symbols);
        let index = self.symbols.len() - 1;
        self.open.push(OpenSymbol {
            bound,
            level,
            index,
        });
    }

    /// Continues with the children of `node`.
    fn enter(&mut self, node: tree_sitter::Node<'t>) {
        let depth = self.above.len();
        let bound = match self.tables.has(Mark::Section, node) {
            true => self.depths[depth].bound,
            false => depth,
        };
        self.above.push(node);
        let leading = None;
        self.depths.push(Depth { leading, bound });
    }

    /// Continues with the parent and returns it; `None` at the root.
    fn leave(&mut self) -> Option<tree_sitter::Node<'t>> {
        let parent = self.above.pop()?;
        self.depths.pop();
        Some(parent)
    }

    /// Ends the symbols that end with `node`.
    fn end(&mut self, node: tree_sitter::Node<'t>) {
        let depth = self.above.len();
        let leading = &mut self.depths[depth].leading;
        if leading.is_some()
            && node.is_named()
            && !node.is_extra()
            && !self.tables.has(Mark::Leading, node)
        {
            *leading = None;
        }
        self.close(node.end_byte(), |last| last.bound == depth);
    }

    /// Ends the innermost symbols at `end` while `ends` returns true. Those without a level already have their end.
    fn close(&mut self, end: usize, ends: impl Fn(&mut OpenSymbol) -> bool) {
        while let Some(last) = self.open.pop_if(&ends) {
            if last.level.is_some() {
                let span = &mut self.symbols[last.index].span;
                *span = self.parsed.trimmed(Span::new(span.start(), end));
            }
        }
    }
}

pub(super) fn symbol_path(parsed: &Parsed, chain: &[Node<'_>]) -> Vec<String> {
    let (Some(tables), Some(node)) = (parsed.source.language().tables(), chain.last()) else {
        return Vec::new();
    };
    // A symbol with a level may contain nodes that are not below its node.
    let mut path = Vec::new();
    let mut nodes = chain.iter();
    if tables.has_levels() {
        let outline = parsed.outline();
        if let Some(index) = outline.innermost(parsed.trimmed(node.span())) {
            path = outline.short_path(index);
        }
        let is_inner = |node: &Node<'_>| !node.is_of_tree_of(chain[0]);
        let first = chain.iter().position(is_inner).unwrap_or(chain.len());
        nodes = chain[first..].iter();
    }
    let mut above = Vec::new();
    let mut last = None;
    for &node in nodes {
        if last.is_some_and(|last| !node.is_of_tree_of(last)) {
            above.clear();
        }
        let first = symbols_at(parsed, node, &above).and_then(|(all, _)| all.into_iter().next());
        path.extend(first.map(|symbol| symbol.alias.unwrap_or(symbol.name)));
        above.extend(node.raw());
        last = Some(node);
    }
    path
}

/// Returns whether `node` contains no definition. A node with a syntax error may contain any.
fn is_closed(tables: &Tables, node: tree_sitter::Node<'_>) -> bool {
    tables.has(Mark::Closed, node) && !node.has_error()
}

/// Returns the depth of the outermost node that merely wraps `node`, or of `node` itself.
fn wrapping(
    tables: &Tables,
    node: tree_sitter::Node<'_>,
    above: &[tree_sitter::Node<'_>],
) -> usize {
    let mut inner = node;
    let outer = above.iter().rev().take_while(|outer| {
        let is_wrapped = tables.is_wrapped(inner, **outer);
        inner = **outer;
        is_wrapped
    });
    above.len() - outer.count()
}

/// Returns the symbols that `node` defines, one for each name it declares, and their level if they have one. Their span
/// is that of the node. `above` are the ancestors, the nearest last.
fn symbols_at<'p>(
    parsed: &Parsed,
    node: Node<'p>,
    above: &[tree_sitter::Node<'p>],
) -> Option<(Vec<Symbol>, Option<u8>)> {
    let tag = node.tag(above)?;
    let text = |bytes: std::ops::Range<usize>| one_line(&parsed.source.slice(bytes.into()));
    let alias = tag.alias_text(|bytes| base_name(&text(bytes)));
    let span = node.span();
    let names = tag.names().into_iter().map(|name| {
        let own = tag.name_text(name, text);
        Symbol {
            name: unquoted(&own).to_string(),
            alias: alias.clone().or_else(|| without_arguments(&own)),
            kind: tag.kind,
            span,
            node_span: span,
            name_span: name.byte_range().into(),
            parent: None,
        }
    });
    Some((names.collect(), tag.level))
}

/// Returns where `word` starts in `text`. Quotes in the text are ignored.
fn places(text: &str, word: &str) -> Vec<usize> {
    let Some(first) = word.bytes().next() else {
        return Vec::new();
    };
    let is_quote = |byte: &u8| matches!(byte, b'"' | b'\'');
    let begins = |start: &usize| {
        let mut bytes = text.as_bytes()[*start..]
            .iter()
            .filter(|byte| !is_quote(byte));
        word.bytes().all(|wanted| bytes.next() == Some(&wanted))
    };
    memchr::memchr_iter(first, text.as_bytes())
        .filter(begins)
        .collect()
}

fn one_line(text: &str) -> String {
    match text.contains(['\n', '\r', '\t']) || text.contains("  ") {
        true => text.split_whitespace().collect::<Vec<_>>().join(" "),
        false => text.to_string(),
    }
}

/// Returns `a::Box::put` for `a::Box<T, 3>::put`: a qualified name without the arguments of the types that precede its
/// last part; `None` if there are none.
fn without_arguments(name: &str) -> Option<String> {
    let mut bare = String::new();
    let mut rest = name;
    while let Some(end) = rest.find(">::") {
        let mut depth = 0;
        let opening = rest[..=end].char_indices().rev().find(|(_, sign)| {
            depth += match sign {
                '>' => 1,
                '<' => -1,
                _ => 0,
            };
            depth == 0
        });
        bare.push_str(rest[..opening?.0].trim_end());
        rest = &rest[end + 1..];
    }
    bare.push_str(rest);
    (bare != name).then_some(bare)
}

/// Returns a name without enclosing quotes.
fn unquoted(name: &str) -> &str {
    ['"', '\'', '`']
        .iter()
        .find_map(|quote| name.strip_prefix(*quote)?.strip_suffix(*quote))
        .unwrap_or(name)
}

/// Returns the name of a type: `Point` for `&a::Point<T>` and `*Point[T]` (docs/design/locate.md#scopes).
fn base_name(type_text: &str) -> String {
    let head = type_text.split(['<', '[']).next().unwrap_or(type_text);
    let last = head.rsplit("::").next().unwrap_or(head);
    let last = last.rsplit([' ', '&', '*']).next().unwrap_or(last);
    match last.trim() {
        "" => type_text.to_string(),
        name => name.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language;
    use crate::source::Source;

    fn check(path: &str, text: &str, expected: &str) {
        let source = Source::new(path, language::for_file(path, text), text.to_string());
        let parsed = Parsed::parse(source);
        let outline = parsed.outline();
        let lines: Vec<String> = (0..outline.symbols().len())
            .map(|index| {
                let symbol = &outline.symbols()[index];
                let first = parsed.source().line_of(symbol.span.start());
                let last = parsed.source().line_of(symbol.span.end());
                let path: Vec<_> = outline
                    .path(index)
                    .iter()
                    .map(|one| one.name.clone())
                    .collect();
                let alias = symbol.alias.as_ref().map(|alias| format!(" = {alias}"));
                format!(
                    "{first}-{last} {} {}{}",
                    symbol.kind,
                    path.join(" > "),
                    alias.unwrap_or_default()
                )
            })
            .collect();
        assert_eq!(lines.join("\n"), expected);
    }

    #[test]
    fn rust_symbols_carry_their_docs_and_attributes() {
        check(
            "a.rs",
            "use std::fmt;\n\n/// A point.\n#[derive(Debug)]\npub struct Point<T> {\n    /// Where.\n    x: T,\n}\n\
             impl<T: fmt::Debug> fmt::Display\n    for Point<T> {\n    // plain\n    fn fmt(&self) { fn inner() {} }\n}\n\
             impl a::B { const N: u8 = 1; }\n",
            "3-8 struct Point\n6-7 field Point > x\n\
             9-13 implementation impl fmt::Display for Point<T> = Point\n\
             12-12 function impl fmt::Display for Point<T> > fmt\n\
             12-12 function impl fmt::Display for Point<T> > fmt > inner\n\
             14-14 implementation impl a::B = B\n14-14 constant impl a::B > N",
        );
    }

    #[test]
    fn what_is_defined_outside_of_its_class_has_a_name_without_arguments() {
        let bare = |name| super::without_arguments(name);
        assert_eq!(bare("A::f"), None);
        assert_eq!(bare("Box<T>::put"), Some("Box::put".to_string()));
        let nested = "a::Box<B<int>, 3>::In<T>::operator<<";
        assert_eq!(bare(nested), Some("a::Box::In::operator<<".to_string()));
        assert_eq!(bare("operator<=>"), None);
        assert_eq!(bare("operator>::x"), None);
    }

    #[test]
    fn json_keys_are_symbols_without_their_quotes() {
        check(
            "a.json",
            "{\"a.b\": {\"c\": [{\"d\": 1}]},\n \"e\": 2}",
            "1-1 key a.b\n1-1 key a.b > c\n1-1 key a.b > c > d\n2-2 key e",
        );
    }

    #[test]
    fn headings_reach_up_to_the_next_of_their_level() {
        check(
            "a.md",
            "intro\n\n# A *b*\n\nx\n\n## C\n\n> # In a quote\n> x\n>\n> y\n\n- # In an item\n\n  z\n- w\n\n\n\
             Under\nlined\n======\nx\n\nLess\n----\n\n### E\nx\n\n## F\n# A *b*\r\nlast\r\n",
            "3-17 heading A *b*\n7-17 heading A *b* > C\n9-12 heading A *b* > C > In a quote\n\
             14-16 heading A *b* > C > In an item\n20-31 heading Under lined\n25-29 heading Under lined > Less\n\
             28-29 heading Under lined > Less > E\n31-31 heading Under lined > F\n32-33 heading A *b*",
        );
    }

    #[test]
    fn a_file_without_a_grammar_has_no_symbols() {
        check("a.txt", "fn a() {}", "");
    }
}
