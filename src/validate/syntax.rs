//! The problems an edit brought in; old ones are not its fault.
//!
//! Old problems outside the target are mapped through the edit, and a new tree may have
//! problems wherever they are. Inside the target only such text may be a problem as was one there
//! before: a broken file can be repaired, and a grammar's gap does not forbid the edit.

use crate::edit::Edited;
use crate::parse::{Node, Parsed, Problem};
use crate::source::Span;

/// A problem that was not there before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewProblem {
    /// Where, in the text after the edit.
    pub span: Span,
    /// What the parser would have wanted there, if it says.
    pub missing: Option<String>,
    /// The words of the language's own parser, if it was that one.
    pub message: Option<String>,
    /// An opening bracket without its closing one, or a closing one without its opening, where
    /// that can be seen in the content.
    pub unpaired: Option<Span>,
}

pub(super) fn new_problems(edited: &Edited<'_>) -> Vec<NewProblem> {
    let before = edited.selection.parsed();
    // The language's own parser says more than an ERROR node does.
    if let Some(problem) = new_for_strict_parser(before, edited) {
        return vec![problem];
    }
    let problems = Problems::round(edited);
    let found: Vec<NewProblem> = new_in_tree(before, edited, &problems)
        .into_iter()
        .map(|problem| NewProblem {
            span: problem.span,
            missing: problem.missing,
            message: None,
            unpaired: unpaired(&edited.after, edited.new_span),
        })
        .collect();
    match found.is_empty() {
        true => loose_end(before, edited, &problems).into_iter().collect(),
        false => found,
    }
}

/// The problems round the place of an edit, in the text before it and in that after it.
pub(super) struct Problems {
    pub(super) before: Vec<Problem>,
    pub(super) after: Vec<Problem>,
}

impl Problems {
    pub(super) fn round(edited: &Edited<'_>) -> Problems {
        let before = edited.selection.parsed();
        Problems {
            before: before.problems_round(edited.text_edit.hull()),
            after: edited.after.problems_round(edited.text_edit.new_hull()),
        }
    }
}

/// In a broken file the parser may recover from an open end of the content together with an old
/// problem beside it, so that the tree shows no new one: a string or comment that runs on behind
/// the content, a bracket without its partner. A bracket may be what the file wants: then only old
/// problems are left, and not all of them.
fn loose_end(before: &Parsed, edited: &Edited<'_>, problems: &Problems) -> Option<NewProblem> {
    if problems.before.is_empty() {
        return None;
    }
    let open = runs_on(&edited.after, edited.new_span).or_else(|| {
        // What stays beside the content excuses nothing in it.
        let goes = !edited.gone.is_empty();
        let was_loose = goes && unpaired(before, edited.selection.span()).is_some();
        let bracket = unpaired(&edited.after, edited.new_span)?;
        (!was_loose && !repairs(edited, problems)).then_some(bracket)
    })?;
    Some(NewProblem {
        span: open,
        missing: None,
        message: None,
        unpaired: Some(open),
    })
}

/// Whether all problems that are left are old ones where they were, and one at least is gone.
fn repairs(edited: &Edited<'_>, problems: &Problems) -> bool {
    let hull = edited.text_edit.hull();
    let map = |offset| edited.text_edit.map(offset);
    let old = problems.before.iter();
    let outside = old.filter(|problem| !problem.span.touches(hull));
    let kept: Vec<Problem> = outside
        .map(|problem| Problem {
            span: Span::new(map(problem.span.start()), map(problem.span.end())),
            missing: problem.missing.clone(),
        })
        .collect();
    let left = &problems.after;
    left.len() < problems.before.len() && left.iter().all(|problem| kept.contains(problem))
}

/// The first character of a string or comment that begins in `content` and has text behind it.
pub(super) fn runs_on(parsed: &Parsed, content: Span) -> Option<Span> {
    if content.is_empty() {
        return None;
    }
    let chain = parsed.chain(Span::new(content.end() - 1, content.end()));
    let found = chain.iter().enumerate().find(|(depth, node)| {
        let parent = depth.checked_sub(1).map(|above| chain[above]);
        let is_text = |word| node.is_word(word, parent);
        let begins_inside = node.span().start() >= content.start();
        let behind = Span::new(content.end(), node.span().end().max(content.end()));
        begins_inside
            && (is_text("string") || is_text("comment") || node.is_protected())
            && !parsed.source().slice(behind).trim().is_empty()
    });
    let start = found.map(|(_, node)| node.span().start())?;
    let first = parsed
        .source()
        .slice(Span::new(start, content.end()))
        .chars()
        .next()?
        .len_utf8();
    Some(Span::new(start, start + first))
}

fn new_in_tree(before: &Parsed, edited: &Edited<'_>, problems: &Problems) -> Vec<Problem> {
    let hull = edited.text_edit.hull();
    let new_hull = edited.text_edit.new_hull();
    let outside: Vec<Span> = problems
        .before
        .iter()
        .flat_map(|problem| parts_outside(problem.span, hull))
        .map(|part| shifted(part, hull, new_hull))
        .collect();
    // One that reaches from the outside into the content is old only if one reached into the
    // target: an old problem that merely stood beside it excuses nothing in the content.
    let reaching_in: Vec<Span> = problems
        .before
        .iter()
        .filter(|problem| problem.span.overlaps(hull))
        .flat_map(|problem| parts_outside(problem.span, hull))
        .map(|part| shifted(part, hull, new_hull))
        .collect();
    // Inside, a problem is old if one of the same kind was there, with the same text in its line.
    let inside: Vec<(Option<&str>, String)> = problems
        .before
        .iter()
        .filter(|problem| hull.contains(problem.span))
        .map(|problem| (problem.missing.as_deref(), line_with(before, problem)))
        .collect();
    let is_old = |problem: &&Problem| match new_hull.contains(problem.span) {
        true => {
            let line = line_with(&edited.after, problem);
            inside
                .iter()
                .any(|(missing, old)| *missing == problem.missing.as_deref() && *old == line)
        }
        false if problem.span.overlaps(new_hull) => {
            reaching_in.iter().any(|old| old.touches(problem.span))
        }
        false => outside.iter().any(|old| old.touches(problem.span)),
    };
    let new = problems.after.iter();
    new.filter(|problem| !is_old(problem)).cloned().collect()
}

/// The line a problem begins in, without outer white space.
fn line_with(parsed: &Parsed, problem: &Problem) -> String {
    let source = parsed.source();
    let line = source.line_span(source.line_of(problem.span.start()));
    line.map_or_else(String::new, |line| source.slice(line).trim().to_string())
}

/// What of `span` lies before and after `hull`.
fn parts_outside(span: Span, hull: Span) -> Vec<Span> {
    let mut parts = Vec::new();
    if span.start() < hull.start() || span.end() <= hull.start() {
        parts.push(Span::new(span.start(), span.end().min(hull.start())));
    }
    if span.end() > hull.end() || span.start() >= hull.end() {
        parts.push(Span::new(span.start().max(hull.end()), span.end()));
    }
    parts
}

fn shifted(part: Span, hull: Span, new_hull: Span) -> Span {
    let shift = |offset: usize| match offset < hull.end() {
        true => offset,
        false => offset - hull.end() + new_hull.end(),
    };
    Span::new(shift(part.start()), shift(part.end()))
}

/// The language's own parser refuses the new text, but not the old one.
fn new_for_strict_parser(before: &Parsed, edited: &Edited<'_>) -> Option<NewProblem> {
    let problem = edited.after.strict_problem()?;
    if before.strict_problem().is_some() {
        return None;
    }
    Some(NewProblem {
        span: Span::at(problem.offset),
        missing: None,
        message: Some(problem.message.clone()),
        unpaired: unpaired(&edited.after, edited.new_span),
    })
}

/// The first bracket token of `content` that has no partner in it. Brackets in strings and
/// comments are no tokens of their own in the tree and do not count.
fn unpaired(parsed: &Parsed, content: Span) -> Option<Span> {
    let mut open: Vec<(&str, Span)> = Vec::new();
    let mut cursor = parsed.walk(parsed.root());
    loop {
        let node = cursor.node();
        let span = node.span();
        let into = span.overlaps(content);
        if into && cursor.goto_first_child() {
            continue;
        }
        if into && content.contains(span) && !node.is_missing() && !stands_alone(node) {
            match node.kind() {
                "(" | "[" | "{" => open.push((node.kind(), span)),
                closing @ (")" | "]" | "}") => match open.last() {
                    Some((opening, _)) if pairs(opening, closing) => {
                        open.pop();
                    }
                    // One further out has its partner here: the last one has none.
                    Some((_, unclosed))
                        if open.iter().any(|(opening, _)| pairs(opening, closing)) =>
                    {
                        return Some(*unclosed);
                    }
                    _ => return Some(span),
                },
                _ => {}
            }
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return open.last().map(|(_, span)| *span);
            }
        }
    }
}

/// Whether a bracket is one of a node that the grammar gives no other: the `)` behind the pattern of
/// a case in a shell.
fn stands_alone(node: Node<'_>) -> bool {
    let partner = match node.kind() {
        ")" => "(",
        "]" => "[",
        "}" => "{",
        _ => return false,
    };
    let parent = node.raw().and_then(|raw| raw.parent());
    parent.is_some_and(|parent| {
        let mut cursor = parent.walk();
        let mut children = parent.children(&mut cursor);
        !parent.is_error() && !children.any(|child| child.kind().ends_with(partner))
    })
}

fn pairs(opening: &str, closing: &str) -> bool {
    matches!((opening, closing), ("(", ")") | ("[", "]") | ("{", "}"))
}
