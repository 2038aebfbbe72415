//! The cost of an edit grows no faster than the file: for each language, its sample with many comments, blank lines,
//! statements, list members, nested blocks or multi-line strings. The cost is the number of steps, not the time.

use super::edit;
use crate::edit::{InsertPosition, Operation, edit as change};
use crate::language::{LANGUAGES, Language};
use crate::parse::{Node, Parsed};
use crate::preview::preview;
use crate::select::{Anchor, Selector, select, trimmed_node};
use crate::source::{Source, Span};
use crate::steps;
use crate::validate::validate;

/// The numbers of repetitions.
const SIZES: [usize; 3] = [20, 40, 80];
/// How much more each repetition from the second to the third size may cost than one from the first to the second, in
/// percent. If the cost is proportional to the square, it is twice as much.
const MAY_GROW: usize = 130;
/// Steps that are few at any size.
const FEW: usize = 1_000;
const DEPTH: usize = 5;

/// A part of a sample that is repeated.
struct Shape<'p> {
    name: &'static str,
    /// The node that the edits select, of which there are many.
    node: Node<'p>,
    /// The member after it.
    next: Option<Node<'p>>,
    /// The part, and its repetition.
    span: Span,
    repeated: String,
}

impl Shape<'_> {
    /// Returns the sample with the part repeated.
    fn text(&self, sample: &str, times: usize) -> String {
        let (start, end) = (self.span.start(), self.span.end());
        [
            &sample[..start],
            &self.repeated.repeat(times),
            &sample[start..end],
            &sample[end..],
        ]
        .concat()
    }
}

/// Returns all nodes of a file, each after its ancestors.
fn nodes(parsed: &Parsed) -> Vec<Vec<Node<'_>>> {
    let mut nodes = Vec::new();
    let mut open = vec![vec![parsed.root()]];
    while let Some(chain) = open.pop() {
        let last = *chain.last().expect("a chain has a node");
        let children = parsed.children(last).into_iter().rev();
        open.extend(children.map(|child| [&chain[..], &[child]].concat()));
        nodes.push(chain);
    }
    nodes
}

/// Returns the lines of a node, if it has them for itself.
fn own_lines(parsed: &Parsed, node: Node<'_>) -> Option<Span> {
    let source = parsed.source();
    let span = Some(trimmed_node(parsed, node)).filter(|span| !span.is_empty())?;
    let last_char = source.trimmed_end(span).end().checked_sub(1)?;
    let first = source.line_span(source.line_of(span.start()))?;
    let last = source.line_span(source.line_of(last_char))?;
    if last.end() < span.end() {
        return None;
    }
    let text = source.text();
    let is_alone = text[first.start()..span.start()].trim().is_empty()
        && text[span.end()..last.end()].trim().is_empty();
    let ends = text[last.end()..].starts_with('\n');
    (is_alone && ends).then(|| Span::new(first.start(), last.end() + 1))
}

/// Returns the text of `node` with another one like it in the place of the member at `inner`, to the given depth.
fn nested(parsed: &Parsed, lines: Span, inner: Span) -> String {
    let text = parsed.source().text();
    let blanks = |at: Span| {
        let line = &text[at.range()];
        &line[..line.len() - line.trim_start().len()]
    };
    let indent = blanks(inner).strip_prefix(blanks(lines)).unwrap_or("");
    let mut all = text[lines.range()].to_string();
    for _ in 1..DEPTH {
        let deeper: String = all
            .lines()
            .map(|line| format!("{indent}{line}\n"))
            .collect();
        all = [
            &text[lines.start()..inner.start()],
            &deeper,
            &text[inner.end()..lines.end()],
        ]
        .concat();
    }
    all
}

/// Returns whether the last node of `other` is inside the last of `chain`.
fn is_inside(other: &[Node<'_>], chain: &[Node<'_>]) -> bool {
    let last = chain.len() - 1;
    other.len() > chain.len() && other[last] == chain[last]
}

fn shapes<'p>(parsed: &'p Parsed) -> Vec<Shape<'p>> {
    let text = parsed.source().text();
    let all = nodes(parsed);
    let mut shapes: Vec<Shape<'p>> = Vec::new();
    let mut add = |name, node, next, span: Span, repeated: String| {
        if shapes.iter().all(|shape| shape.name != name) {
            shapes.push(Shape {
                name,
                node,
                next,
                span,
                repeated,
            });
        }
    };
    for chain in &all {
        let [above @ .., parent, node] = &chain[..] else {
            continue;
        };
        let span = trimmed_node(parsed, *node);
        let siblings = parsed.children(*parent).into_iter();
        let mut following = siblings.skip_while(|one| one != node).skip(1);
        let next = following.find(|one| one.is_named() && !one.is_word("comment", None));
        if let Some(list) = parent
            .list()
            .filter(|_| node.is_named() && !span.is_empty())
            && !node.is_word("comment", None)
        {
            let repeated = format!("{}{}\n", &text[span.range()], list.separator.trim_end());
            add("list members", *node, next, span, repeated);
        }
        let Some(lines) = own_lines(parsed, *node) else {
            continue;
        };
        let own = || text[lines.range()].to_string();
        if node.is_word("comment", None) {
            add("comments", *node, next, lines, own());
        } else if parent.body().is_some() && node.is_named() {
            let is_one_line = text[lines.range()].trim_end().lines().count() == 1;
            if is_one_line {
                add("statements", *node, next, lines, own());
                add("blank lines", *node, next, lines, "\n".to_string());
            }
            let inside = || all.iter().filter(|other| is_inside(other, chain));
            let has_lines = |other: &Vec<Node<'_>>| {
                let inner = *other.last().expect("a chain has a node");
                inner.is_protected() && text[trimmed_node(parsed, inner).range()].contains('\n')
            };
            if inside().any(has_lines) {
                add("multi-line strings", *node, next, lines, own());
            }
            let member = inside().find_map(|other| {
                let [.., body, member] = &other[..] else {
                    return None;
                };
                let is_member = body.body().is_some() && member.is_named();
                is_member.then(|| own_lines(parsed, *member)).flatten()
            });
            if let Some(member) = member.filter(|_| !above.is_empty()) {
                add(
                    "nested blocks",
                    *node,
                    next,
                    lines,
                    nested(parsed, lines, member),
                );
            }
        }
    }
    shapes
}

/// Returns the steps of an insertion after the first of the repeated nodes, and of the deletion of the last one and of
/// the member after it.
fn cost(path: &str, text: &str, targets: &[(&str, &str)]) -> usize {
    let select = |(kind, anchor): (&str, &str), nth| Selector {
        anchor: Anchor::Text(anchor.to_string()),
        nth: Some(nth),
        ..Selector::new("", kind)
    };
    let all = || {
        // A refusal has a cost too.
        let insert = Operation::insert(InsertPosition::After, targets[0].1);
        let _ = edit(path, text, &select(targets[0], 1), &insert);
        for target in targets {
            let last = select(*target, text.matches(target.1).count());
            let _ = edit(path, text, &last, &Operation::Delete);
        }
    };
    steps::counted(all).0
}

fn check(language: &'static Language, failures: &mut Vec<String>) -> usize {
    let (path, sample) = language.sample();
    let parsed = Parsed::parse(Source::new(path, language, sample.to_string()));
    let shapes = shapes(&parsed);
    for shape in &shapes {
        let nodes = [Some(shape.node), shape.next].into_iter().flatten();
        let targets: Vec<(&str, &str)> = nodes
            .map(|node| (node.kind(), &sample[trimmed_node(&parsed, node).range()]))
            .collect();
        let costs = SIZES.map(|times| {
            let text = shape.text(sample, times);
            cost(path, &text, &targets)
        });
        let (small, large) = (
            costs[1].saturating_sub(costs[0]),
            costs[2].saturating_sub(costs[1]),
        );
        if large * 100 > 2 * small * MAY_GROW + FEW * 100 {
            let (name, shape) = (language.name, shape.name);
            failures.push(format!(
                "{name}, {shape}: {costs:?} steps with {SIZES:?}, +{small} then +{large}"
            ));
        }
    }
    shapes.len()
}

/// Returns the steps of an insertion after a selected node of a parsed file that was edited before, with all checks and
/// the diff. `None` if it is refused.
fn warm_cost(parsed: &Parsed, (kind, anchor): (&str, &str)) -> Option<usize> {
    let selector = Selector {
        anchor: Anchor::Text(anchor.to_string()),
        nth: Some(1),
        ..Selector::new("", kind)
    };
    let insert = Operation::insert(InsertPosition::After, anchor);
    let edited = || {
        let selection = select(parsed, &selector).ok()?;
        let (cost, shown) = steps::counted(|| {
            let checked = validate(change(selection, &insert).ok()?, &[]).ok()?;
            Some(preview(checked))
        });
        shown.map(|_| cost)
    };
    // The first edit finds what the file keeps, such as its outline.
    edited()?;
    edited()
}

/// The numbers of repetitions in files that stay parsed.
const WARM_SIZES: [usize; 2] = [20, 200];
/// How many steps an edit of a parsed file may take for each further node next to it: they are compared one by one.
const FOR_EACH: usize = 45;
/// How many nodes of a sample are tried.
const TRIED: usize = 60;
/// The languages and shapes for which an edit visits the nodes inside those next to it too: these have comments, texts
/// or colons that are not where the grammar puts them.
const MOVED_NODES: &[(&str, &str)] = &[
    ("ruby", "multi-line strings"),
    ("ruby", "nested blocks"),
    ("scala", "multi-line strings"),
    ("scala", "nested blocks"),
];
/// The languages in whose samples an edit visits the nodes inside others: to find scripts, comments next to them, or
/// colons.
const SEARCHED: &[&str] = &["html", "ocaml_interface", "scala"];
/// How much more an edit may cost if another node of the file contains ten times as much, in percent.
const MAY_GROW_INSIDE: usize = 10;

/// Returns the steps of an edit of a node next to one in which a node is repeated, for each number of repetitions. Tries
/// the nodes of the sample until an edit is possible.
fn costs_next_to_growing_node(language: &'static Language) -> Option<[usize; 2]> {
    let (path, sample) = language.sample();
    let parsed = Parsed::parse(Source::new(path, language, sample.to_string()));
    let all = nodes(&parsed);
    let is_comment = |node: &Node<'_>| node.is_word("comment", None);
    let has_comment = |span: Span| {
        let mut ends = all.iter().filter_map(|chain| chain.last());
        ends.any(|node| is_comment(node) && span.contains(node.span()))
    };
    let deep = all.iter().filter(|chain| chain.len() > 3);
    deep.take(TRIED).find_map(|chain| {
        let [above @ .., list, node] = &chain[..] else {
            return None;
        };
        let span = trimmed_node(&parsed, *node);
        let separator = list.list().map(|list| list.separator.trim_end());
        let (at, repeated) = match (own_lines(&parsed, *node), separator) {
            _ if !node.is_named() || span.is_empty() || has_comment(span) => return None,
            (Some(lines), _) => (lines.start(), sample[lines.range()].to_string()),
            (None, Some(sign)) => (span.start(), format!("{}{sign}\n", &sample[span.range()])),
            (None, None) => return None,
        };
        let texts = WARM_SIZES.map(|times| {
            let text = [&sample[..at], &repeated.repeat(times), &sample[at..]].concat();
            Parsed::parse(Source::new(path, language, text))
        });
        if texts.iter().any(|text| !text.problems().is_empty()) {
            return None;
        }
        let pairs = above
            .windows(2)
            .chain([&chain[above.len() - 1..=above.len()]]);
        let siblings = pairs.flat_map(|pair| {
            let others = parsed.children(pair[0]).into_iter();
            others.filter(|one| *one != pair[1] && one.is_named() && !is_comment(one))
        });
        siblings.into_iter().find_map(|sibling| {
            let anchor = &sample[trimmed_node(&parsed, sibling).range()];
            let is_unique = !anchor.is_empty() && sample.matches(anchor).count() == 1;
            let costs = || {
                texts
                    .each_ref()
                    .map(|text| warm_cost(text, (sibling.kind(), anchor)))
            };
            match is_unique.then(costs)? {
                [Some(small), Some(large)] => Some([small, large]),
                _ => None,
            }
        })
    })
}

#[test]
fn an_edit_of_a_parsed_file_does_not_visit_what_is_inside_other_nodes() {
    let mut checked = Vec::new();
    for language in LANGUAGES.iter() {
        let Some([small, large]) = costs_next_to_growing_node(language) else {
            continue;
        };
        let may_be = small + small * MAY_GROW_INSIDE / 100;
        let (name, is_searched) = (language.name, SEARCHED.contains(&language.name));
        assert_eq!(large > may_be, is_searched, "{name}: {small}, then {large}");
        checked.push(name);
    }
    let wanted = [
        "rust",
        "typescript",
        "python",
        "go",
        "markdown",
        "json",
        "yaml",
        "java",
        "c",
    ];
    let missing = wanted.iter().find(|name| !checked.contains(name));
    assert_eq!(missing, None);
    assert!(checked.len() > 30, "{checked:?}");
}

#[test]
fn an_edit_of_a_parsed_file_takes_few_steps_for_each_node_next_to_it() {
    let mut failures = Vec::new();
    let mut checked = 0;
    for language in LANGUAGES.iter() {
        let (path, sample) = language.sample();
        let parsed = Parsed::parse(Source::new(path, language, sample.to_string()));
        for shape in shapes(&parsed) {
            let anchor = &sample[trimmed_node(&parsed, shape.node).range()];
            let texts = WARM_SIZES.map(|times| {
                let text = shape.text(sample, times);
                Parsed::parse(Source::new(path, language, text))
            });
            // Nodes with errors are visited.
            let is_clean = texts.iter().all(|text| text.problems().is_empty());
            let costs = texts
                .each_ref()
                .map(|text| warm_cost(text, (shape.node.kind(), anchor)));
            let [Some(small), Some(large)] = costs else {
                continue;
            };
            if !is_clean {
                continue;
            }
            checked += 1;
            let more = large.saturating_sub(small) / (WARM_SIZES[1] - WARM_SIZES[0]);
            let may_be_more = MOVED_NODES.contains(&(language.name, shape.name));
            if more > FOR_EACH && !may_be_more {
                failures.push(format!("{}, {}: {more} steps", language.name, shape.name));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(checked > 2 * LANGUAGES.len(), "{checked}");
}

#[test]
fn the_cost_of_an_edit_grows_no_faster_than_the_file() {
    let mut failures = Vec::new();
    let mut checked = 0;
    for language in LANGUAGES.iter() {
        checked += check(language, &mut failures);
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    // Each language has comments or statements.
    assert!(checked > 2 * LANGUAGES.len(), "{checked}");
}
