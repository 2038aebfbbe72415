//! Statements that a line break ends although the next line is indented as their continuation: `return` with its value
//! on the next line. The grammar reads two statements, as the language does.

use crate::language::queries::Mark;
use crate::parse::{Node, Parsed};
use crate::source::Span;

use super::comparison::Comparison;
use super::{NewProblem, ProblemReason};

/// Returns the first such statement that the edit adds.
pub(super) fn new_problem(change: &Comparison<'_, '_>) -> Option<NewProblem> {
    let ended = ended_early(change.after, change.text_edit.new_spans());
    let first = *ended.first()?;
    let replaced = change.text_edit.replacements().iter();
    let replaced = replaced.map(|one| one.span).collect();
    if ended_early(change.before, replaced).len() >= ended.len() {
        return None;
    }
    let keyword = change.after.source().slice(first).into_owned();
    Some(NewProblem {
        span: first,
        missing: None,
        reason: Some(ProblemReason::EndedByLine(keyword)),
        unpaired: None,
    })
}

/// Returns the statements that a line break ends early, of those in `edited` (sorted) and directly before it.
pub(super) fn ended_early(parsed: &Parsed, mut edited: Vec<Span>) -> Vec<Span> {
    for span in &mut edited {
        let before = parsed.source().trimmed_end(Span::new(0, span.start()));
        *span = Span::new(before.end(), span.end());
    }
    let (Some(first), Some(last)) = (edited.first(), edited.last()) else {
        return Vec::new();
    };
    let chain = parsed.chain(Span::new(first.start().saturating_sub(1), last.end()));
    let is_used = |node: &Node<'_>| {
        let tables = node.tables();
        tables.is_some_and(|tables| tables.uses(Mark::EndsWithLine))
    };
    if !chain.iter().any(is_used) {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut cursor = parsed.walk(chain.last().copied().unwrap_or(parsed.root()));
    loop {
        let node = cursor.node();
        let near = edited.partition_point(|span| span.end() < node.span().start());
        let into = edited
            .get(near)
            .is_some_and(|span| span.touches(node.span()));
        if into && node.is(Mark::EndsWithLine) && is_keyword(parsed, node) {
            found.extend(is_continued(parsed, node.span()).then_some(node.span()));
        }
        if into && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return found;
            }
        }
    }
}

/// Returns whether a statement consists of its keyword.
fn is_keyword(parsed: &Parsed, statement: Node<'_>) -> bool {
    let mut text = parsed.text_of(statement).into_owned();
    text.retain(|c| !c.is_alphabetic());
    statement.child_count() <= 1 && text.is_empty()
}

/// Returns whether a node starts on a line after `statement` that is indented deeper. Comments between them are ignored.
fn is_continued(parsed: &Parsed, statement: Span) -> bool {
    let source = parsed.source();
    let mut start = statement.end();
    loop {
        start = source.trimmed_start(Span::new(start, source.len())).start();
        if start == source.len() {
            return false;
        }
        let chain = parsed.chain(Span::new(start, start + 1));
        let mut pairs = chain.windows(2);
        let comment = pairs.find(|pair| pair[1].is_word("comment", Some(pair[0])));
        let Some(comment) = comment.map(|pair| pair[1].span()) else {
            let starts_node = chain.iter().any(|node| node.span().start() == start);
            let indentation = |offset| source.indentation_at(offset).len();
            return starts_node
                && source.line_of(start) > source.line_of(statement.end())
                && indentation(start) > indentation(statement.start());
        };
        start = comment.end().max(start + 1);
    }
}
