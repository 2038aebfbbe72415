//! How deep content stands that comes between two characters: as deep as what stands beside it.

use crate::language::Language;
use crate::language::queries::Mark;
use crate::parse::{Node, Parsed};
use crate::select::trimmed_node;
use crate::source::{Source, Span};

use super::part::Place;

/// What stands as deep as what comes between two characters.
pub(super) enum Beside {
    /// What stands there.
    At(Span),
    /// One level less deep: what is opened there, with nothing in it.
    In(Span),
}

impl Beside {
    /// What ends there tells, else, of `given` content on lines of its own, what begins the next line in
    /// the same node, then what ends before the comma or the semicolon there.
    pub(super) fn of(place: &Place<'_>, given: &str) -> Beside {
        let (parsed, offset) = (place.parsed, place.span.start());
        let own = place.ends_there(given).unwrap_or(offset);
        let begins_line = given.starts_with('\n') && place.lines.margin.is_empty();
        if own != offset || !begins_line {
            return Beside::At(Span::at(own));
        }
        let at = Beside::At(Span::at(offset));
        let Some(before) = parsed.source().chars_before(offset).next() else {
            return at;
        };
        let last = Span::new(offset - before.len_utf8(), offset);
        let chain = parsed.chain(last);
        let mut round = chain.iter().rev();
        let Some(round) = round.find(|node| node.span().end() > offset) else {
            return at;
        };
        let mut cursor = parsed.walk(*round);
        let mut opening = false;
        let mut has_child = cursor.goto_first_child();
        while has_child && cursor.node().span().start() < offset {
            opening = cursor.node().span().end() == offset && cursor.node().bracket() == 1;
            has_child = cursor.goto_next_sibling();
        }
        let next = has_child.then(|| cursor.node());
        if opening && next.is_some_and(|next| next.bracket() == -1) {
            return Beside::In(place.span);
        }
        let next = next.filter(|next| next.bracket() != -1);
        // A text has lines, and no children in them.
        let rest = Span::new(offset, round.span().end());
        let lines = round
            .is_word("string", None)
            .then(|| parsed.source().trimmed_start(rest));
        let next = next.map(|next| trimmed_node(parsed, next)).or(lines);
        let line = place.lines.line_start(offset);
        let begins_next =
            |start: usize| place.lines.starts_line(start) && place.lines.line_start(start) > line;
        if let Some(next) = next.filter(|next| place.ends_line && begins_next(next.start())) {
            return Beside::At(Span::at(next.start()));
        }
        let is_member = |node: Node<'_>| node.body().is_some() || node.list().is_some();
        let is_sign = place.ends_line && [',', ';'].contains(&before);
        let ending = ending_at(parsed, last.start(), is_member).into_iter();
        let starts = ending.map(|node| trimmed_node(parsed, node).start());
        let mut starts = starts
            .take(1)
            .filter(|start| is_sign && place.lines.starts_line(*start));
        starts
            .next()
            .map_or(at, |start| Beside::At(Span::at(start)))
    }
}

impl Place<'_> {
    /// Where what ends at the place begins that content which comes there stands as deep as: the largest
    /// member of a body. Where columns alone tell what is in what, several may end there that stand
    /// differently deep: of content on lines of its own, where column 0 cannot be meant, the smallest, but
    /// the smallest definition where another one comes, if there is one of its type that one.
    fn ends_there(&self, given: &str) -> Option<usize> {
        let parsed = self.parsed;
        let ending = ending_at(parsed, self.span.start(), |node| node.body().is_some());
        let start = |node: &Node<'_>| trimmed_node(parsed, *node).start();
        let language = parsed.source().language();
        let by_column = language.tables().is_some_and(|tables| {
            !tables.uses(Mark::Marker) && tables.has_body(|body| body.indented || body.column)
        });
        let largest = ending.first().map(start);
        let is_at_margin = |start: &usize| self.lines.line_start(*start) == *start;
        // What is written at column 0 is right there as it stands: `if __name__ == "__main__":`.
        if !by_column || !given.starts_with('\n') || largest.as_ref().is_some_and(is_at_margin) {
            return largest;
        }
        let lines = ending.iter().rev();
        let lines = lines.filter(|node| self.lines.starts_line(start(node)));
        let smallest = lines.clone().next();
        let comes = definition_that_comes(given, language);
        let definitions = lines.filter(|node| comes.is_some() && definition(**node).is_some());
        let definitions: Vec<&Node<'_>> = definitions.collect();
        let is_alike = |node: &Node<'_>| definition(*node).map(Node::kind) == comes.as_deref();
        let alike = definitions.iter().find(|node| is_alike(node));
        let beside = alike.or(definitions.first()).copied();
        beside.or(smallest).map(start)
    }
}

/// The comments and the children of nodes that `tell` which end at `offset`, the largest first.
fn ending_at(parsed: &Parsed, offset: usize, tell: impl Fn(Node<'_>) -> bool) -> Vec<Node<'_>> {
    let last = parsed.source().chars_before(offset).next();
    let before = Span::new(offset - last.map_or(0, char::len_utf8), offset);
    let chain = parsed.chain(before);
    let ends = |pair: &&[Node<'_>]| {
        let tell = tell(pair[0]) || pair[1].is_word("comment", Some(pair[0]));
        tell && trimmed_node(parsed, pair[1]).end() == offset
    };
    chain.windows(2).filter(ends).map(|pair| pair[1]).collect()
}

/// The type of the definition of a symbol that a text begins with, as it reads by itself, where that has
/// an inside.
fn definition_that_comes(text: &str, language: &'static Language) -> Option<String> {
    let parsed = Parsed::parse(Source::new("", language, text.to_string()));
    let children = parsed.children(parsed.root()).into_iter();
    let mut code = children.filter(|child| !child.is_word("comment", None));
    let node = definition(code.next()?)?;
    let mut children = node.own_children().into_iter();
    let has_inside = children.any(|child| child.body().is_some());
    has_inside.then(|| node.kind().to_string())
}

/// The definition that a node is, or does but stand round.
fn definition(node: Node<'_>) -> Option<Node<'_>> {
    let nodes = node.unwrapped().into_iter();
    nodes.rev().find(|node| node.definition().is_some())
}
