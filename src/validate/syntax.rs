//! Finds the problems that an edit adds. Old problems do not count.
//!
//! Old problems outside the target are mapped through the edit, and a new tree may have problems at
//! these places. Inside the target, a text may be a problem only if it was one before: a broken
//! file can be repaired, and a gap in the grammar does not prevent the edit.

use std::collections::HashSet;

use crate::change;
use crate::language::StrictProblem;
use crate::parse::{Chains, Node, Parsed, SyntaxProblem};
use crate::source::Span;

use super::comparison::Comparison;
use super::{heredocs, indentation, line_ends};

/// A problem that the edit adds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewProblem {
    /// The span in the text after the edit.
    pub span: Span,
    /// The token that the parser expected there, if known.
    pub missing: Option<String>,
    /// What is wrong, if the tree does not show it.
    pub reason: Option<ProblemReason>,
    /// An unpaired bracket, if one can be found in the content.
    pub unpaired: Option<Span>,
}

/// A problem that the tree does not show.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProblemReason {
    /// The message of the parser of data, or why the grammar is not given the text.
    Reported(String),
    /// The message of the parser of the language, for code that the grammar accepts.
    OfLanguage(String),
    /// A line break ends the statement with this keyword, although the next line is indented as its continuation.
    EndedByLine(String),
    /// The end of a here-document that the grammar takes for something else.
    MisreadHeredoc,
    /// The arguments of a macro, which were code before the edit of a node in them.
    TokensOfMacro,
    /// A body without a statement.
    EmptyBody,
    /// A line that is not indented like the adjacent lines of its body.
    UnevenIndentation,
    /// A body that is not indented deeper than its header.
    ShallowIndentation,
}

/// Reports a new text that is not given to its grammar although the old text was.
pub(super) fn unreadable(change: &Comparison<'_, '_>) -> Vec<NewProblem> {
    let is_new = change.after.is_plain_text() && !change.before.is_plain_text();
    let why = is_new.then(|| change.after.parse_refusal()).flatten();
    let problem = why.map(|why| NewProblem {
        span: change.new_span,
        missing: None,
        reason: Some(ProblemReason::Reported(why.to_string())),
        unpaired: None,
    });
    problem.into_iter().collect()
}

/// Reports the syntax errors that the edit adds to the tree.
pub(super) fn new_in_tree(change: &Comparison<'_, '_>) -> Vec<NewProblem> {
    let mut new = new_problems(change);
    let mut excuses = Excuses::from_comparison(change);
    new.retain(|problem| !excuses.excuse(problem.span));
    if new.is_empty() {
        return Vec::new();
    }
    let unpaired = unpaired(change.after, change.new_span);
    let new = new.into_iter().map(|problem| NewProblem {
        span: problem.span,
        missing: problem.missing,
        reason: None,
        unpaired,
    });
    new.collect()
}

/// Reports a statement that a line break ends before its value.
pub(super) fn ended_by_line(change: &Comparison<'_, '_>) -> Vec<NewProblem> {
    unexcused(change, line_ends::new_problem(change))
}

/// Reports an edit of part of a here-document whose end the grammar does not find.
pub(super) fn splits_heredoc(change: &Comparison<'_, '_>) -> Vec<NewProblem> {
    heredocs::split(change).into_iter().collect()
}

/// Reports an edit of a node in the arguments of a macro after which these are no code, so that the node cannot be meant.
pub(super) fn unparses_macro(change: &Comparison<'_, '_>) -> Vec<NewProblem> {
    if change.selection.is_text() {
        return Vec::new();
    }
    let parsed_macros = |parsed: &Parsed, span: Span| {
        let chain = parsed.chain(span).into_iter();
        let inner = chain.map(|node| parsed.inner(node));
        inner.filter(|inner| !inner.is_of_file()).count()
    };
    let old = parsed_macros(change.before, change.text_edit.hull());
    let new_hull = change.text_edit.new_hull();
    let problem = (old > 0 && parsed_macros(change.after, new_hull) < old).then_some(NewProblem {
        span: new_hull,
        missing: None,
        reason: Some(ProblemReason::TokensOfMacro),
        unpaired: None,
    });
    problem.into_iter().collect()
}

/// Reports a line or a body with the wrong indentation.
pub(super) fn misplaced(change: &Comparison<'_, '_>) -> Vec<NewProblem> {
    unexcused(change, indentation::new_problem(change))
}

fn unexcused(change: &Comparison<'_, '_>, problem: Option<NewProblem>) -> Vec<NewProblem> {
    let mut excuses = Excuses::from_comparison(change);
    let problem = problem.filter(|problem| !excuses.excuse(problem.span));
    problem.into_iter().collect()
}

/// Decides which new problems are not the fault of the edit.
struct Excuses<'c, 'p> {
    hull: Span,
    new_hull: Span,
    /// The text from here on is unchanged.
    same_from: usize,
    old: Chains<'p>,
    new: Chains<'c>,
    /// A code example in prose that had errors before, in the new text.
    broken_example: Option<Span>,
}

impl<'c, 'p> Excuses<'c, 'p> {
    fn from_comparison(change: &Comparison<'c, 'p>) -> Excuses<'c, 'p> {
        let (hull, new_hull) = (change.text_edit.hull(), change.text_edit.new_hull());
        let (old, new) = (
            change.before.source().slice(hull),
            change.after.source().slice(new_hull),
        );
        let common = |(one, other): &(u8, u8)| one == other;
        let ends = old.bytes().rev().zip(new.bytes().rev());
        Excuses {
            hull,
            new_hull,
            same_from: new_hull.end() - ends.take_while(common).count(),
            old: change.before.chains(),
            new: change.after.chains(),
            broken_example: broken_example(change),
        }
    }

    /// Returns whether a problem is excused. For problems in file order, all calls together cost
    /// one walk.
    fn excuse(&mut self, problem: Span) -> bool {
        let is_in = |example: Span| example.contains(problem);
        self.is_of_other_language(problem) || self.broken_example.is_some_and(is_in)
    }

    /// Returns whether unchanged text is now parsed as another language, because the edit changed the language of its
    /// fence.
    fn is_of_other_language(&mut self, problem: Span) -> bool {
        if problem.start() < self.same_from || problem.start() <= self.new_hull.start() {
            return false;
        }
        let was = |offset: usize| offset + self.hull.end() - self.new_hull.end();
        let old = Span::new(was(problem.start()), was(problem.end()));
        language_at(&mut self.old, old) != language_at(&mut self.new, problem)
    }
}

/// Returns the language of the innermost node at `span`; a missing node is looked up by the byte before it.
fn language_at(chains: &mut Chains<'_>, span: Span) -> Option<&'static str> {
    let start = span.start().min(span.end().saturating_sub(1));
    let innermost = chains.upward_from(Span::new(start, span.end())).next();
    innermost.map(|node| node.language().name)
}

/// Returns the edited code example, in the new text, if it is in prose and had errors before.
fn broken_example(change: &Comparison<'_, '_>) -> Option<Span> {
    let before = change.before;
    let tables = before.source().language().tables()?;
    if !tables.has_levels() {
        return None;
    }
    let chain = before.chain(change.text_edit.hull());
    // The prose node whose text is the code.
    let holds_code = |node: &&Node<'_>| {
        let inner = before.inner(**node);
        !inner.is_of_tree_of(**node) && !inner.language().is_inner()
    };
    let example = chain.iter().find(holds_code)?.span();
    let mut old = change.problems().before.iter();
    let was_broken = old.any(|old| example.contains(old.span));
    was_broken
        .then(|| change.text_edit.map_span(example))
        .flatten()
}

/// The problems near the edit, in the old and in the new text.
pub(super) struct Problems {
    pub(super) before: Vec<SyntaxProblem>,
    pub(super) after: Vec<SyntaxProblem>,
}

impl Problems {
    pub(super) fn near(change: &Comparison<'_, '_>) -> Problems {
        let before = change.before;
        Problems {
            before: before.problems_around(change.text_edit.hull()),
            after: change.after.problems_around(change.text_edit.new_hull()),
        }
    }
}

/// Reports an unclosed string, comment or bracket of the content. In a broken file the parser may combine it with an
/// adjacent old problem, so that the tree shows no new one. A bracket may be what the file lacks: then only old
/// problems are left, and fewer than before.
pub(super) fn loose_end(change: &Comparison<'_, '_>) -> Vec<NewProblem> {
    let problem = open_end(change).map(|open| NewProblem {
        span: open,
        missing: None,
        reason: None,
        unpaired: Some(open),
    });
    unexcused(change, problem)
}

fn open_end(change: &Comparison<'_, '_>) -> Option<Span> {
    if change.problems().before.is_empty() {
        return None;
    }
    // If all tokens after the content are unchanged, no unclosed string or comment contains them.
    let runs_on = runs_on(change.after, change.new_span);
    let runs_on = runs_on.filter(|_| !change.has_same_tokens());
    runs_on.or_else(|| {
        // An unchanged node next to the content excuses nothing in it.
        let removes = !change.removed.is_empty();
        let was_loose = removes && unpaired(change.before, change.selection.span()).is_some();
        let bracket = unpaired(change.after, change.new_span)?;
        (!was_loose && !repairs(change)).then_some(bracket)
    })
}

/// Reports content inside an old problem that parses worse than the text that it replaces or is
/// inserted next to, each parsed alone. The parser skips the text of the old problem, and does not
/// check the content.
pub(super) fn worse_in_itself(change: &Comparison<'_, '_>) -> Vec<NewProblem> {
    unexcused(change, worse_problem(change))
}

fn worse_problem(change: &Comparison<'_, '_>) -> Option<NewProblem> {
    let before = change.before;
    if change.selection.is_text() {
        // A part of a node need not parse alone.
        return None;
    }
    let new = change.new_span;
    let reaches_out =
        |problem: &&SyntaxProblem| problem.span.overlaps(new) && !new.contains(problem.span);
    change.problems().after.iter().find(reaches_out)?;
    let node = change.selection.node();
    let is_of_file = node.is_of_tree_of(before.root());
    let is_inside = change.container.last() == Some(&node);
    let children = || before.children(node).into_iter();
    let model = match is_inside {
        true => children().find(|child| child.is_named()),
        false => Some(node),
    };
    let model = model.filter(|_| is_of_file)?;
    let alone = |text: &str, end: &str| {
        before
            .parse_fragment(&format!("{text}{end}"))
            .problems()
            .to_vec()
    };
    let old_text = before.text_of(model);
    // Many parts of statements parse alone if a semicolon follows.
    let end = match alone(&old_text, ";").is_empty() {
        true => ";",
        false => "",
    };
    let known = alone(&old_text, end);
    let worse = alone(&change.after.source().slice(new), end)
        .into_iter()
        .find(|problem| known.iter().all(|old| old.missing != problem.missing))?;
    let at = |offset: usize| (new.start() + offset).min(new.end());
    Some(NewProblem {
        span: Span::new(at(worse.span.start()), at(worse.span.end())),
        missing: worse.missing,
        reason: None,
        unpaired: None,
    })
}

/// Returns whether all remaining problems are old ones at their old places, and at least one has disappeared.
fn repairs(change: &Comparison<'_, '_>) -> bool {
    let problems = change.problems();
    let hull = change.text_edit.hull();
    let map = |offset| change.text_edit.map(offset);
    let old = problems.before.iter();
    let outside = old.filter(|problem| !problem.span.touches(hull));
    let kept: Vec<SyntaxProblem> = outside
        .map(|problem| SyntaxProblem {
            span: Span::new(map(problem.span.start()), map(problem.span.end())),
            missing: problem.missing.clone(),
        })
        .collect();
    let left = &problems.after;
    left.len() < problems.before.len() && left.iter().all(|problem| kept.contains(problem))
}

/// Returns whether `span` is in a string, a comment or a protected node.
pub(super) fn is_in_text(parsed: &Parsed, span: Span) -> bool {
    let chain = parsed.chain(span);
    let mut texts = chain.iter().enumerate();
    texts.any(|(depth, node)| {
        let parent = depth.checked_sub(1).map(|above| chain[above]);
        is_text(*node, parent)
    })
}

fn is_text(node: Node<'_>, parent: Option<Node<'_>>) -> bool {
    node.is_word("string", parent) || node.is_word("comment", parent) || node.is_protected()
}

/// Returns the first character of a string or comment that begins in `content` and has text after it.
pub(super) fn runs_on(parsed: &Parsed, content: Span) -> Option<Span> {
    if content.is_empty() {
        return None;
    }
    let chain = parsed.chain(Span::new(content.end() - 1, content.end()));
    let found = chain.iter().enumerate().find(|(depth, node)| {
        let parent = depth.checked_sub(1).map(|above| chain[above]);
        let begins_inside = node.span().start() >= content.start();
        let after = Span::new(content.end(), node.span().end().max(content.end()));
        begins_inside && is_text(**node, parent) && !parsed.source().slice(after).trim().is_empty()
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

fn new_problems(change: &Comparison<'_, '_>) -> Vec<SyntaxProblem> {
    let old = OldProblems::from_comparison(change);
    let new = change.problems().after.iter();
    new.filter(|problem| !old.contains(change, problem))
        .cloned()
        .collect()
}

/// The problems of the old text, in the forms by which they are recognized in the new one.
struct OldProblems<'c> {
    /// The parts outside the edit, mapped to the new text.
    outside: Vec<Span>,
    /// The same for problems that extend into the target.
    reaching_in: Vec<Span>,
    /// What is missing and the line, for each problem inside the target.
    inside: Vec<(Option<&'c str>, String)>,
    /// All problems, if the language has macros.
    anywhere: HashSet<Spot>,
}

impl<'c> OldProblems<'c> {
    fn from_comparison(change: &'c Comparison<'_, '_>) -> OldProblems<'c> {
        let (before, old) = (change.before, &change.problems().before);
        let hull = change.text_edit.hull();
        let new_hull = change.text_edit.new_hull();
        let outside = |problem: &SyntaxProblem| {
            let parts = parts_outside(problem.span, hull).into_iter();
            parts.map(|part| shifted(part, hull, new_hull))
        };
        let into_target = |problem: &&SyntaxProblem| problem.span.overlaps(hull);
        let in_target = |problem: &&SyntaxProblem| hull.contains(problem.span);
        let inside = old.iter().filter(in_target);
        let inside = inside.map(|problem| (problem.missing.as_deref(), line_with(before, problem)));
        let has_macros = before.source().language().has_macros();
        let anywhere = old.iter().filter(|_| has_macros);
        OldProblems {
            outside: old.iter().flat_map(outside).collect(),
            reaching_in: old.iter().filter(into_target).flat_map(outside).collect(),
            inside: inside.collect(),
            anywhere: anywhere
                .flat_map(|problem| spots(before, problem))
                .collect(),
        }
    }

    /// Returns whether a problem of the new text is an old one.
    fn contains(&self, change: &Comparison<'_, '_>, problem: &SyntaxProblem) -> bool {
        let new_hull = change.text_edit.new_hull();
        let touches = |old: &Span| old.touches(problem.span);
        match new_hull.contains(problem.span) {
            true => self.is_inside(change, problem) || self.is_anywhere(change, problem),
            // A problem that extends from the outside into the content is old only if one extended into the target:
            // an old problem next to it excuses nothing in the content.
            false if problem.span.overlaps(new_hull) => self.reaching_in.iter().any(touches),
            false => self.outside.iter().any(touches),
        }
    }

    /// Returns whether the target had a problem of the same kind with the same text in its line.
    fn is_inside(&self, change: &Comparison<'_, '_>, problem: &SyntaxProblem) -> bool {
        let line = line_with(change.after, problem);
        let is_same = |(missing, old): &(Option<&str>, String)| {
            *missing == problem.missing.as_deref() && *old == line
        };
        self.inside.iter().any(is_same)
    }

    /// Returns whether the old text has the problem in another place: with macros, it is not new
    /// then.
    fn is_anywhere(&self, change: &Comparison<'_, '_>, problem: &SyntaxProblem) -> bool {
        if self.anywhere.is_empty() {
            return false;
        }
        let mut spots = spots(change.after, problem).into_iter();
        spots.any(|spot| self.anywhere.contains(&spot))
    }
}

/// A problem without its place: what is missing, its text, and the words or signs next to it.
type Spot = (Option<String>, Option<String>, String, Option<String>);

/// Returns the forms by which a problem is recognized: its text with the word before or after it, or with the words
/// or signs on both sides.
fn spots(parsed: &Parsed, problem: &SyntaxProblem) -> Vec<Spot> {
    let text = parsed.source().text();
    let of_word = |c: char| c.is_alphanumeric() || c == '_';
    let before = text[..problem.span.start()].trim_end();
    let word = before.trim_end_matches(of_word).len();
    let sign = before.char_indices().next_back().map_or(0, |(at, _)| at);
    let left = before[word.min(sign)..].to_string();
    let after = text[problem.span.end()..].trim_start();
    let word = after.len() - after.trim_start_matches(of_word).len();
    let sign = after.chars().next().map_or(0, char::len_utf8);
    let right = after[..word.max(sign)].to_string();
    let own = parsed.source().slice(problem.span).into_owned();
    let missing = || problem.missing.clone();
    let is_distinctive = |side: &String| !own.is_empty() && side.ends_with(of_word);
    let mut spots = Vec::new();
    if is_distinctive(&left) {
        spots.push((missing(), Some(left.clone()), own.clone(), None));
    }
    if is_distinctive(&right) {
        spots.push((missing(), None, own.clone(), Some(right.clone())));
    }
    spots.push((missing(), Some(left), own, Some(right)));
    spots
}

/// Returns the line that a problem begins in, without outer whitespace.
fn line_with(parsed: &Parsed, problem: &SyntaxProblem) -> String {
    let source = parsed.source();
    let line = source.line_span(source.line_of(problem.span.start()));
    line.map_or_else(String::new, |line| source.slice(line).trim().to_string())
}

/// Returns the parts of `span` before and after `hull`.
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

/// Reports that the language's own parser rejects the new text but not the old one. Its message says more than an ERROR
/// node does.
pub(super) fn new_for_strict_parser(change: &Comparison<'_, '_>) -> Vec<NewProblem> {
    let asks = !change.is_right_alone() && change.before.strict_problem().is_none();
    let problem = asks.then(|| change.after.strict_problem()).flatten();
    let problem = problem.map(|problem| NewProblem {
        span: Span::at(problem.offset),
        missing: None,
        reason: Some(ProblemReason::Reported(problem.message.clone())),
        unpaired: unpaired(change.after, change.new_span),
    });
    problem.into_iter().collect()
}

/// Reports that the parser of the language, which knows more than its grammar, rejects the new code but not the old one.
pub(super) fn new_for_code_parser(change: &Comparison<'_, '_>) -> Vec<NewProblem> {
    let problem = match change.is_step() {
        true => None,
        false => change::new_code_problem(change.before, change.after, change.text_edit),
    };
    problem.into_iter().map(NewProblem::of_language).collect()
}

impl NewProblem {
    /// Returns a problem that the parser of the language reports.
    pub(super) fn of_language(problem: StrictProblem) -> NewProblem {
        NewProblem {
            span: Span::at(problem.offset),
            missing: None,
            reason: Some(ProblemReason::OfLanguage(problem.message)),
            unpaired: None,
        }
    }
}

/// Returns whether the value that contains the edit is valid before and after it when parsed alone. Then nothing else
/// can have become invalid, and the rest of a large file need not be parsed.
pub(super) fn is_right_alone(change: &Comparison<'_, '_>) -> bool {
    let before = change.before;
    let Some(read) = before.source().language().strict_of_value() else {
        return false;
    };
    let hull = change.text_edit.hull();
    let value = change.container.last().filter(|node| {
        let span = node.span();
        let is_collection = node.list().is_some() && node.is_of_tree_of(before.root());
        // Text after its closing bracket is not part of it, and may be a superfluous value.
        is_collection && span.start() < hull.start() && hull.end() < span.end()
    });
    let now =
        value.and_then(|value| Some((value.span(), change.text_edit.map_span(value.span())?)));
    now.is_some_and(|(was, now)| {
        let is_right = |parsed: &Parsed, span| read(&parsed.source().slice(span)).problem.is_none();
        is_right(before, was) && is_right(change.after, now)
    })
}

/// Returns the first bracket token of `content` that has no partner in it. Brackets in strings and
/// comments are no tokens of their own in the tree and do not count.
pub(super) fn unpaired(parsed: &Parsed, content: Span) -> Option<Span> {
    let mut open: Vec<(&str, Span)> = Vec::new();
    let around = parsed.chain(content).last().copied();
    let mut cursor = parsed.walk(around.unwrap_or(parsed.root()));
    loop {
        let node = cursor.node();
        let span = node.span();
        let into = span.overlaps(content);
        if into && cursor.goto_first_child() {
            continue;
        }
        if into && content.contains(span) && !node.is_missing() && !is_single_bracket(node) {
            match node.kind() {
                "(" | "[" | "{" => open.push((node.kind(), span)),
                closing @ (")" | "]" | "}") => match open.last() {
                    Some((opening, _)) if pairs(opening, closing) => {
                        open.pop();
                    }
                    // An enclosing bracket has its partner here, so the last one has none.
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

/// Returns whether a bracket is in a node that the grammar gives no partner for it: the `)` after the pattern of a
/// case in a shell.
fn is_single_bracket(node: Node<'_>) -> bool {
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
