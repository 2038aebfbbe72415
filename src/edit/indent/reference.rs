//! Finds what content inserted between two characters is indented like.

use crate::language::Language;
use crate::language::queries::{Mark, Tables};
use crate::locate::FindIndentation;
use crate::parse::{Node, Parsed};
use crate::select::trimmed_node;
use crate::source::{Source, Span};

use super::super::text_part::TextPart;
use super::target::IndentTarget;

/// Returns the indentation of `given`, content that replaces `part` among the children of the last of `container`.
pub(in super::super) fn of_part<'p>(
    part: &TextPart<'p>,
    container: &[Node<'p>],
    given: &str,
    find: FindIndentation,
) -> IndentTarget<'p> {
    let parsed = part.parsed;
    let reference = match part.span.is_empty() {
        true => IndentReference::of(part, given),
        false => IndentReference::At(part.span),
    };
    let target = match reference {
        IndentReference::At(reference) => IndentTarget::of(parsed, container, reference),
        IndentReference::Inside(opening) => {
            let unit = parsed.source().language().indent();
            IndentTarget::of(parsed, container, opening).deeper(unit)
        }
    };
    let mut target = target.replacing(parsed, part.span);
    target.written = part.written_depth(given, find);
    target
}

/// What inserted content is indented like.
enum IndentReference {
    /// As deep as the text at this span.
    At(Span),
    /// One level deeper than the text at this span: the position is in an empty pair of brackets.
    Inside(Span),
}

impl IndentReference {
    /// Returns the reference of `given` content at `part`, which is empty: what ends there; else, for content that begins
    /// with a line break, what begins the next line in the same node, then what ends before the comma or semicolon there.
    fn of(part: &TextPart<'_>, given: &str) -> IndentReference {
        let (parsed, offset) = (part.parsed, part.span.start());
        if let Some(own) = part.start_of_ending(given).filter(|own| *own != offset) {
            return IndentReference::At(Span::at(own));
        }
        let at = IndentReference::At(Span::at(offset));
        let Some(before) = parsed.source().chars_before(offset).next() else {
            return at;
        };
        if !given.starts_with('\n') || !part.lines.margin.is_empty() {
            return at;
        }
        let last = Span::new(offset - before.len_utf8(), offset);
        let chain = parsed.chain(last);
        let mut enclosing = chain.iter().rev();
        let Some(enclosing) = enclosing.find(|node| node.span().end() > offset) else {
            return at;
        };
        let (opening, next) = neighbours_at(parsed, *enclosing, offset);
        if opening && next.is_some_and(|next| next.bracket() == -1) {
            return IndentReference::Inside(part.span);
        }
        let next = next.filter(|next| next.bracket() != -1);
        // The lines of a string are no children of it.
        let rest = Span::new(offset, enclosing.span().end());
        let line_of_string = enclosing
            .is_word("string", None)
            .then(|| parsed.source().trimmed_start(rest));
        let next = next
            .map(|next| trimmed_node(parsed, next))
            .or(line_of_string);
        let line = part.lines.line_start(offset);
        let begins_next =
            |start: usize| part.lines.starts_line(start) && part.lines.line_start(start) > line;
        if let Some(next) = next.filter(|next| part.ends_line && begins_next(next.start())) {
            return IndentReference::At(Span::at(next.start()));
        }
        let is_separator = part.ends_line && [',', ';'].contains(&before);
        let is_container = |node: Node<'_>| node.body().is_some() || node.list().is_some();
        let ending = is_separator.then(|| ending_at(parsed, last.start(), is_container));
        let member = ending.into_iter().flatten().next();
        let start = member.map(|node| trimmed_node(parsed, node).start());
        let start = start.filter(|start| part.lines.starts_line(*start));
        start.map_or(at, |start| IndentReference::At(Span::at(start)))
    }
}

/// Returns whether an opening bracket among the children of `node` ends at `offset`, and the first child after `offset`.
fn neighbours_at<'p>(
    parsed: &'p Parsed,
    node: Node<'p>,
    offset: usize,
) -> (bool, Option<Node<'p>>) {
    let mut cursor = parsed.walk(node);
    let mut opening = false;
    let mut has_child = cursor.goto_first_child();
    while has_child && cursor.node().span().start() < offset {
        opening = cursor.node().span().end() == offset && cursor.node().bracket() == 1;
        has_child = cursor.goto_next_sibling();
    }
    (opening, has_child.then(|| cursor.node()))
}

impl TextPart<'_> {
    /// Returns where the member of a body starts that ends at the part and that the content is indented like: the largest.
    /// In languages where columns determine parents, several that end there may have different depths. Content that begins
    /// with a line break, where column 0 cannot be meant, is indented like the smallest; a definition like the smallest
    /// definition of its type, else like the smallest definition.
    fn start_of_ending(&self, given: &str) -> Option<usize> {
        let parsed = self.parsed;
        let ending = ending_at(parsed, self.span.start(), |node| node.body().is_some());
        let start = |node: &Node<'_>| trimmed_node(parsed, *node).start();
        let language = parsed.source().language();
        let by_column = language.tables().is_some_and(|tables: &Tables| {
            !tables.uses(Mark::Marker)
                && (tables.has_body(|body| body.indented) || tables.has_body(|body| body.column))
        });
        let largest = ending.first().map(start);
        let is_at_column_0 = |start: &usize| self.lines.line_start(*start) == *start;
        // Content written at column 0 is right there as it is: `if __name__ == "__main__":`.
        if !by_column || !given.starts_with('\n') || largest.as_ref().is_some_and(is_at_column_0) {
            return largest;
        }
        let on_lines = ending.iter().rev();
        let on_lines = on_lines.filter(|node| self.lines.starts_line(start(node)));
        let smallest = on_lines.clone().next();
        let Some(inserted) = type_of_first_definition(given, language) else {
            return smallest.map(start);
        };
        let definitions = on_lines.filter_map(|node| Some((node, definition(*node)?.kind())));
        let definitions: Vec<(&Node<'_>, &str)> = definitions.collect();
        let same_type = definitions.iter().find(|(_, kind)| *kind == inserted);
        let definition = same_type.or(definitions.first()).map(|(node, _)| *node);
        definition.or(smallest).map(start)
    }
}

/// Returns the comments and the children of nodes for which `is_container` holds that end at `offset`, the largest first.
fn ending_at(
    parsed: &Parsed,
    offset: usize,
    is_container: impl Fn(Node<'_>) -> bool,
) -> Vec<Node<'_>> {
    let last = parsed.source().chars_before(offset).next();
    let before = Span::new(offset - last.map_or(0, char::len_utf8), offset);
    let chain = parsed.chain(before);
    let ends = |pair: &&[Node<'_>]| {
        let counts = is_container(pair[0]) || pair[1].is_word("comment", Some(pair[0]));
        counts && trimmed_node(parsed, pair[1]).end() == offset
    };
    chain.windows(2).filter(ends).map(|pair| pair[1]).collect()
}

/// Returns the type of the definition that a text begins with, parsed alone, if the definition has a body.
fn type_of_first_definition(text: &str, language: &'static Language) -> Option<String> {
    let parsed = Parsed::parse(Source::new("", language, text.to_string()));
    let children = parsed.children(parsed.root()).into_iter();
    let mut code = children.filter(|child| !child.is_word("comment", None));
    let node = definition(code.next()?)?;
    let mut children = node.own_children().into_iter();
    let has_body = children.any(|child| child.body().is_some());
    has_body.then(|| node.kind().to_string())
}

/// Returns the definition that a node is, or that it merely wraps.
fn definition(node: Node<'_>) -> Option<Node<'_>> {
    let nodes = node.unwrapped().into_iter();
    nodes.rev().find(|node| node.definition().is_some())
}
