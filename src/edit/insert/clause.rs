//! Inserts a clause of the selected statement: an `else`, a `catch`.

use crate::change::Change;
use crate::language::queries::Mark;
use crate::parse::{Node, Parsed};
use crate::select::Selection;
use crate::source::Span;

/// The maximum number of places that are tried.
const PLACES_TRIED: usize = 8;

/// Returns whether content begins with the keyword of a clause.
pub(super) fn begins_with_keyword(parsed: &Parsed, content: &str) -> bool {
    let content = content.trim_start();
    let end = content.find(|c: char| !c.is_alphanumeric() && c != '_');
    let word = &content[..end.unwrap_or(content.len())];
    parsed.source().language().is_clause(word)
}

/// Returns the nodes after which a clause of the selected statement may go, the last one first. The clauses of some
/// grammars contain those after them.
pub(super) fn places<'p>(selection: &Selection<'p>) -> Vec<Selection<'p>> {
    let parsed = selection.parsed();
    let mut statement = selection.chain().to_vec();
    // The statement may be the only child of the selected node.
    while let [only] = named(parsed, &statement).as_slice()
        && only.span().start() == selection.node().span().start()
    {
        statement.push(*only);
    }
    let mut places = Vec::new();
    let mut open = vec![statement];
    while let Some(chain) = open.pop() {
        let mut clauses = Vec::new();
        for child in named(parsed, &chain).into_iter().rev() {
            let below = [chain.as_slice(), &[child]].concat();
            if is_of_clause(parsed, &below) {
                clauses.push(below.clone());
            }
            if places.len() < PLACES_TRIED {
                places.push(selection.of_chain(below));
            }
        }
        open.extend(clauses.into_iter().take(1));
    }
    places.sort_by_key(|place| std::cmp::Reverse(place.span().end()));
    places
}

/// Returns whether the content of a change is a clause of the selected statement in its place among the others, and adds no
/// syntax error.
pub(super) fn is_inserted(change: &Change<'_>, selection: &Selection<'_>) -> bool {
    let (after, start) = (change.after(), change.new_span().start());
    adds_no_error(change)
        && is_clause_at(after, start, selection.node())
        && is_in_order(after, start)
}

/// Returns whether the content of a change is a clause that the grammar allows and that is out of order in its statement.
/// Some grammars allow a `catch` after a `finally`, and a second `else`.
pub(super) fn is_out_of_order(change: &Change<'_>) -> bool {
    let (after, start) = (change.after(), change.new_span().start());
    keyword_at(after, start).is_some() && adds_no_error(change) && !is_in_order(after, start)
}

fn adds_no_error(change: &Change<'_>) -> bool {
    let errors =
        |parsed: &Parsed| parsed.problems().len() + usize::from(parsed.strict_problem().is_some());
    errors(change.after()) <= errors(change.before())
}

/// Returns the keyword of a clause that contains the byte at `offset`.
fn keyword_at(parsed: &Parsed, offset: usize) -> Option<Node<'_>> {
    let first = Span::new(offset, (offset + 1).min(parsed.source().len()));
    parsed.token(first).filter(|token| token.is(Mark::Clause))
}

/// Returns whether the clause at `start` follows those that precede it in its statement, and precedes the others.
fn is_in_order(after: &Parsed, start: usize) -> bool {
    let chain = after.chain(Span::new(start, start + 1));
    let statement = chain.iter().rfind(|node| node.span().start() < start);
    let children = statement.map_or_else(Vec::new, |statement| after.children(*statement));
    let orders = children.iter().filter_map(|child| {
        let mut starts = [Some(*child), child.first_child()].into_iter().flatten();
        starts.find(|start| start.is(Mark::Clause)).map(order)
    });
    let orders: Vec<usize> = orders.collect();
    orders
        .windows(2)
        .all(|pair| pair[0] < pair[1] || pair == [0, 0])
}

/// Returns how late a clause with this keyword is: 0, or more for a clause that occurs once.
fn order(keyword: Node<'_>) -> usize {
    let marks = [Mark::LaterClause, Mark::LastClause];
    marks.into_iter().filter(|mark| keyword.is(*mark)).count()
}

/// Returns whether the keyword at `offset` starts a clause of `statement`, a node of the text before that starts before
/// `offset`.
pub(super) fn is_clause_at(after: &Parsed, offset: usize, statement: Node<'_>) -> bool {
    let chain = after.chain(Span::new(offset, (offset + 1).min(after.source().len())));
    let is_keyword = keyword_at(after, offset).is_some();
    let is_statement = |node: &Node<'_>| {
        node.kind() == statement.kind() && node.span().start() == statement.span().start()
    };
    let Some(at) = chain.iter().rposition(is_statement).filter(|_| is_keyword) else {
        return false;
    };
    (at + 1..chain.len()).all(|end| is_of_clause(after, &chain[..=end]))
}

/// Returns whether the last node of a chain is a clause, or the statement after the keyword of one: `else if`.
fn is_of_clause(parsed: &Parsed, chain: &[Node<'_>]) -> bool {
    let begins = |node: Node<'_>| {
        node.first_child()
            .is_some_and(|first| first.is(Mark::Clause))
    };
    let [.., parent, node] = chain else {
        return false;
    };
    let follows_keyword = || {
        let children = parsed.children(*parent);
        let own = children.iter().position(|child| child == node);
        let before = own.and_then(|own| children.get(own.checked_sub(1)?));
        before.is_some_and(|before| before.is(Mark::Clause))
    };
    begins(*node) || follows_keyword()
}

/// Returns the named children of the last node of a chain.
fn named<'p>(parsed: &'p Parsed, chain: &[Node<'p>]) -> Vec<Node<'p>> {
    let node = chain.last().expect("a chain ends with its node");
    let mut children = parsed.children(*node);
    children.retain(|child| child.is_named() && !child.is_extra());
    children
}
