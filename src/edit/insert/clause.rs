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

/// Returns whether the content of a change is a clause of the selected statement, and adds no syntax error.
pub(super) fn is_inserted(change: &Change<'_>, selection: &Selection<'_>) -> bool {
    let after = change.after();
    let errors =
        |parsed: &Parsed| parsed.problems().len() + usize::from(parsed.strict_problem().is_some());
    errors(after) <= errors(selection.parsed())
        && is_clause_at(after, change.new_span().start(), selection.node())
}

/// Returns whether the keyword at `offset` starts a clause of `statement`, a node of the text before that starts before
/// `offset`.
pub(super) fn is_clause_at(after: &Parsed, offset: usize, statement: Node<'_>) -> bool {
    let first = Span::new(offset, (offset + 1).min(after.source().len()));
    let chain = after.chain(first);
    let token = after.token(first);
    let is_keyword = token.is_some_and(|token| token.is(Mark::Clause));
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
