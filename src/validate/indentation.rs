//! Indentation errors in languages with indented bodies that the grammar accepts but the language does not: a body
//! without a statement, and a line with another indentation than the adjacent ones.

use crate::language::queries::Mark;
use crate::parse::{Node, Parsed};
use crate::source::Span;

use super::comparison::Comparison;
use super::{NewProblem, ProblemReason};

/// Returns the first such problem that the edit adds.
pub(super) fn new_problem(change: &Comparison<'_, '_>) -> Option<NewProblem> {
    let before = change.before;
    if !has_indented_bodies(before) && !has_indented_bodies(change.after) {
        return None;
    }
    // A body that the edit empties ends at its header, which remains.
    let header = change
        .container
        .iter()
        .rev()
        .find(|node| !node.is_indented());
    let header = header.map_or(0, |node| node.span().start());
    let (hull, new_hull) = (change.text_edit.hull(), change.text_edit.new_hull());
    let header = header.min(hull.start());
    let in_file = |parsed: &Parsed, hull: Span| {
        let is_near =
            |span: Span| span.touches(hull) || (span.start() <= header && header < span.end());
        problem(parsed, hull, header, &is_near)
    };
    let (span, reason) = in_file(change.after, new_hull)?;
    if in_file(before, hull).is_some() {
        return None;
    }
    Some(NewProblem {
        span,
        missing: None,
        reason: Some(reason),
        unpaired: None,
    })
}

/// Returns whether the text has no such problem at `edited`: spans that are sorted.
pub(super) fn is_right(parsed: &Parsed, mut edited: Vec<Span>) -> bool {
    for span in &mut edited {
        // A body without a statement ends at its header.
        let before = parsed.source().trimmed_end(Span::new(0, span.start()));
        *span = Span::new(before.end(), span.end());
    }
    let (Some(first), Some(last)) = (edited.first(), edited.last()) else {
        return true;
    };
    let hull = Span::new(first.start(), last.end());
    let is_near = |span: Span| {
        let first = edited.partition_point(|one| one.end() < span.start());
        edited.get(first).is_some_and(|one| one.touches(span))
    };
    !has_indented_bodies(parsed) || problem(parsed, hull, hull.start(), &is_near).is_none()
}

/// Returns whether the text may have indented bodies.
fn has_indented_bodies(parsed: &Parsed) -> bool {
    let tables = parsed.source().language().tables();
    parsed.may_hold_others() || tables.is_some_and(|tables| tables.has_body(|body| body.indented))
}

/// Returns whether the language of the node has indented bodies.
fn may_have_indented_bodies(node: Node<'_>) -> bool {
    node.tables()
        .is_some_and(|tables| tables.has_body(|body| body.indented))
}

/// Returns the first problem in the nodes that `is_near` and in their children. Of a body, only the members from `header`
/// to the end of `hull` are compared.
fn problem(
    parsed: &Parsed,
    hull: Span,
    header: usize,
    is_near: &dyn Fn(Span) -> bool,
) -> Option<(Span, ProblemReason)> {
    let mut open: Vec<(Node<'_>, Option<Node<'_>>)> = vec![(parsed.root(), None)];
    let mut found = Vec::new();
    let may_hold_others = parsed.may_hold_others();
    while let Some((node, above)) = open.pop() {
        let is_near = is_near(node.span());
        if !is_near && !may_have_indented_bodies(node) {
            continue;
        }
        let children = children(parsed, node, header, hull);
        found.extend(empty_body(node, &children));
        found.extend(of_body(parsed, node, &children, above, hull));
        found.extend(of_clause(parsed, node, &children, above));
        if is_near {
            let children = near(node, children, hull, header).into_iter().rev();
            // A problem is found in a node with children.
            let children = children.filter(|child| may_hold_others || !child.is_leaf());
            open.extend(children.map(|child| (child, Some(node))));
        }
    }
    found.into_iter().min_by_key(|(span, _)| span.start())
}

/// Returns the children of a node; for a body, only those from the member before `header` to the one after `hull`, or the
/// last member of a body before `header`; in a language without indented bodies, only those that may contain `hull`.
fn children<'p>(parsed: &'p Parsed, node: Node<'p>, header: usize, hull: Span) -> Vec<Node<'p>> {
    if !may_have_indented_bodies(node) {
        let mut near = Vec::new();
        let mut cursor = parsed.walk(node);
        let mut more = cursor.goto_first_child_for_byte(header.saturating_sub(1));
        while more && cursor.node().span().start() <= hull.end() {
            near.push(cursor.node());
            more = cursor.goto_next_sibling();
        }
        return near;
    }
    if !node.is_indented() {
        return parsed.children(node);
    }
    let source = parsed.source();
    let end = parsed.trimmed(node.span()).end();
    let mut cursor = parsed.walk(node);
    let mut start = header;
    loop {
        let before = source.trimmed_end(Span::new(0, start)).end().min(end);
        let last = before.checked_sub(1);
        let is_found = last.is_some_and(|last| cursor.goto_first_child_for_byte(last));
        if !is_found && !cursor.goto_first_child() {
            return Vec::new();
        }
        let first = cursor.node();
        let is_before = is_member(first) && first.span().end() < header;
        if !is_found || is_before || first.span().start() >= start {
            break;
        }
        start = first.span().start();
        cursor = parsed.walk(node);
    }
    let mut children = Vec::new();
    loop {
        let child = cursor.node();
        children.push(child);
        let is_last = is_member(child) && child.span().start() > hull.end();
        if is_last || !cursor.goto_next_sibling() {
            return children;
        }
    }
}

/// Returns the children to examine of a node. For a body, only those between `header` and the end of `hull`, and one on
/// each side: the others are unchanged and irrelevant.
fn near<'p>(
    node: Node<'p>,
    mut children: Vec<Node<'p>>,
    hull: Span,
    header: usize,
) -> Vec<Node<'p>> {
    if node.is_indented() {
        let after = children.partition_point(|child| child.span().start() <= hull.end());
        children.truncate(after + 1);
        let before = children.partition_point(|child| child.span().end() < header);
        children.drain(..before.saturating_sub(1));
    }
    children
}

/// Returns the empty body of a node with these children.
fn empty_body<'p>(header: Node<'p>, children: &[Node<'p>]) -> Option<(Span, ProblemReason)> {
    if !may_have_indented_bodies(header) {
        return None;
    }
    let own = match header.is_indented() {
        true => children.to_vec(),
        false => header.own_children(),
    };
    let mut bodies = own.into_iter().filter(|child| child.is_indented());
    let empty = bodies.find(|body| !body.has_own_child(is_statement))?;
    Some((Span::at(empty.span().start()), ProblemReason::EmptyBody))
}

/// Returns whether a child of a body makes that body not empty.
fn is_statement(child: Node<'_>) -> bool {
    child.is_named() && !child.is_extra()
}

/// Returns whether a child of a body must have the indentation of the others.
fn is_member(child: Node<'_>) -> bool {
    child.is_named() && !child.is(Mark::Loose) && !child.is_error()
}

/// Returns the problem of a body whose lines near `hull` have different indentation.
fn of_body<'p>(
    parsed: &'p Parsed,
    body: Node<'p>,
    children: &[Node<'p>],
    above: Option<Node<'p>>,
    hull: Span,
) -> Option<(Span, ProblemReason)> {
    if !body.is_indented() {
        return None;
    }
    // A header that starts with its body has no line of its own: the preceding word ends the line above.
    let begins_before = |above: &Node<'_>| above.span().start() < body.span().start();
    let header = above.filter(|above| above.is_of_tree_of(body) && begins_before(above));
    let members = children.iter().copied().filter(|child| is_member(*child));
    let members: Vec<Node<'p>> = members.collect();
    let is_before = |member: &Node<'_>| member.span().end() < hull.start();
    let first = members.partition_point(is_before).saturating_sub(1);
    let last = members.partition_point(|member| member.span().start() <= hull.end());
    let last = members.len().min(last + 1);
    let mut nearby = members.get(first..last)?.iter().filter_map(|member| {
        let lead = lead(parsed, *member)?;
        Some((*member, lead))
    });
    let (first, depth) = nearby.next()?;
    let of_header = header.and_then(|header| lead(parsed, header));
    if of_header.is_some_and(|header| depth.len() <= header.len() || !depth.starts_with(&header)) {
        return Some((first.span(), ProblemReason::ShallowIndentation));
    }
    let uneven = nearby.find(|(_, own)| *own != depth)?;
    Some((uneven.0.span(), ProblemReason::UnevenIndentation))
}

/// Returns the problem of a part of a statement that has a body, such as an `else`, if its indentation differs from
/// that of the statement.
fn of_clause<'p>(
    parsed: &'p Parsed,
    clause: Node<'p>,
    children: &[Node<'p>],
    above: Option<Node<'p>>,
) -> Option<(Span, ProblemReason)> {
    let statement = above.filter(|above| above.is_of_tree_of(clause) && !above.is_indented())?;
    // If the part starts with its body, a preceding word ends the line above.
    let is_body =
        |child: &Node<'_>| child.is_indented() && child.span().start() > clause.span().start();
    let has_body = || children.iter().any(is_body);
    if !statement.tables()?.has_body(|body| body.indented) || !has_body() {
        return None;
    }
    let (own, of_statement) = (lead(parsed, clause)?, lead(parsed, statement)?);
    (own != of_statement).then_some((clause.span(), ProblemReason::UnevenIndentation))
}

/// Returns the text before a node in its line, if it is whitespace (in a quote, with its quote markers).
fn lead(parsed: &Parsed, node: Node<'_>) -> Option<String> {
    let source = parsed.source();
    let start = node.span().start();
    let line = source.line_span(source.line_of(start))?;
    let lead = source.slice(Span::new(line.start().min(start), start));
    let lead = lead.trim_start_matches(crate::source::BOM);
    let line_sign = source.language().line_sign();
    let is_blank = |c: char| matches!(c, ' ' | '\t' | '\u{c}') || Some(c) == line_sign;
    // A form feed restarts the line.
    lead.chars()
        .all(is_blank)
        .then(|| lead.replace('\u{c}', ""))
}

#[cfg(all(test, feature = "lang-python"))]
mod tests {
    use proptest::prelude::*;
    use proptest::sample::Index;

    use super::*;
    use crate::language;
    use crate::source::Source;

    /// What lines are made of, after their indentation.
    const LINES: &[&str] = &[
        "a = 1",
        "# note",
        "",
        "if a:",
        "else:",
        "elif b:",
        "def f():",
        "class C:",
        "for a in b:",
        "pass",
        "a; b",
        "try:",
        "except E:",
        "'''",
        "(",
        ")",
        "@d",
        "if a: b",
        "match a:",
        "case 1:",
        "\u{c}",
    ];
    const INDENTS: &[&str] = &["", "", "    ", "    ", "        ", "\t", "  "];

    fn text() -> impl Strategy<Value = String> {
        let line = (prop::sample::select(INDENTS), prop::sample::select(LINES));
        let line = line.prop_map(|(indent, line)| format!("{indent}{line}\n"));
        prop::collection::vec(line, 1..16).prop_map(|lines| lines.concat())
    }

    proptest! {
        #![proptest_config(crate::trials::tried(1_000, 50_000))]

        /// The children that are left out change no answer.
        #[test]
        fn only_the_children_near_the_edit_matter(text in text(), places in any::<[Index; 3]>()) {
            let mut places = places.map(|place| place.index(text.len() + 1));
            places.sort_unstable();
            let [header, start, end] = places;
            let hull = Span::new(start, end);
            let source = Source::new("a.py", language::for_file("a.py", ""), text.clone());
            let parsed = Parsed::parse(source);
            let mut open = vec![(parsed.root(), None)];
            while let Some((node, above)) = open.pop() {
                let all = parsed.children(node);
                let some = children(&parsed, node, header, hull);
                prop_assert_eq!(
                    of_body(&parsed, node, &some, above, hull),
                    of_body(&parsed, node, &all, above, hull)
                );
                prop_assert_eq!(
                    of_clause(&parsed, node, &some, above),
                    of_clause(&parsed, node, &all, above)
                );
                prop_assert_eq!(near(node, some, hull, header), near(node, all.clone(), hull, header));
                open.extend(all.into_iter().map(|child| (child, Some(node))));
            }
        }
    }
}
