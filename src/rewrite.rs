//! Rewrites the matches of a pattern in one text: fills the template for each, applies and checks all of them, and
//! leaves out those that fail.
//!
//! Input: a [`Parsed`], its matches and a [`Template`]. Output: a [`Rewritten`], with the outcome of each match. A match
//! fails if its edit fails, as with any other edit, or if a capture is not a node of its own in the new text:
//! `double(x + 1)` does not become `x + 1 * 2`.

#[cfg(feature = "rules")]
mod generalize;

use std::cmp::Reverse;

use crate::edit::{self, EditError, Filled, FilledCapture, Operation};
use crate::parse::{Node, Parsed};
use crate::pattern::{Match, Template};
use crate::select::Selection;
use crate::source::Span;
use crate::validate::at_once::at_once;
use crate::validate::several::{Edit, EditFailure, Made, Moved, Stopped, one, several};
use crate::validate::{Check, Checked, Failure};

#[cfg(feature = "rules")]
pub use generalize::{Generalization, generalizations};

/// The rewritten matches of one text.
#[derive(Debug)]
pub struct Rewritten<'p> {
    /// The checked edits; `None` if no match is replaced.
    pub made: Option<Made<'p>>,
    /// The index of the match of each edit in it.
    pub replaced: Vec<usize>,
    /// The outcome of each match.
    pub outcomes: Vec<Outcome<'p>>,
}

/// The outcome of a match.
#[derive(Debug)]
pub enum Outcome<'p> {
    /// It is replaced, or deleted if the template is empty.
    Replaced {
        /// The comments of the match that the new text does not contain, in the old text.
        lost_comments: Vec<Span>,
    },
    /// Its replacement is equal to it.
    Unchanged,
    /// Its edit is refused.
    Refused(Box<RefusedMatch<'p>>),
}

/// Why a match is not rewritten.
#[derive(Debug)]
pub struct RefusedMatch<'p> {
    /// The match.
    pub selection: Selection<'p>,
    /// Its edit.
    pub operation: Operation,
    /// The reason.
    pub why: MatchFailure<'p>,
}

/// The reason why a match is not rewritten.
#[derive(Debug)]
pub enum MatchFailure<'p> {
    /// The edit failed.
    Edit(EditFailure<'p>),
    /// A capture is not a node of its own in the new text.
    Regrouped {
        /// The placeholder.
        name: String,
        /// The captured text.
        captured: String,
        /// The new text of the match.
        result: String,
    },
    /// A capture contains a line break that was in brackets and is not in the new text, where it ends a statement.
    OpenLine {
        /// The placeholder.
        name: String,
        /// The captured text.
        captured: String,
    },
    /// The match has code that the pattern does not mention and the new text does not contain.
    LosesCode {
        /// The code, from the first to the last lost token.
        code: String,
    },
    /// The match has line breaks of two kinds, which its replacement would make equal.
    MixedLineBreaks,
    /// The rule computes a variable from code with a string of several lines, in which the lines lose their indentation.
    StringWithLines {
        /// The variable.
        name: String,
    },
    /// The edit passes alone, but not after those of the other matches.
    AfterOthers,
}

/// Returns the matches that are not inside others, and the number of those that are.
pub fn outermost(mut matches: Vec<Match<'_>>) -> (Vec<Match<'_>>, usize) {
    matches.sort_by_key(|one| (one.node.span().start(), Reverse(one.node.span().end())));
    let all = matches.len();
    let mut end = 0;
    matches.retain(|one| {
        let span = one.node.span();
        let is_outer = span.start() >= end;
        end = end.max(span.end());
        is_outer
    });
    let nested = all - matches.len();
    (matches, nested)
}

/// Rewrites matches, which must not overlap. `templates` has that of each rule; a match of a rule without one stays.
pub fn rewrite<'p>(
    parsed: &'p Parsed,
    matches: &[Match<'p>],
    templates: &[Option<Template>],
    allow: &[Check],
) -> Rewritten<'p> {
    let mut outcomes: Vec<Option<Outcome<'p>>> = Vec::new();
    let mut edits: Vec<MatchEdit<'p>> = Vec::new();
    for (index, found) in matches.iter().enumerate() {
        let template = templates.get(found.rule).and_then(Option::as_ref);
        let Some(template) = template else {
            outcomes.push(Some(Outcome::Unchanged));
            continue;
        };
        let edit = MatchEdit::of(parsed, index, found, template);
        let outcome = match edit.is_unchanged() {
            true => Some(Outcome::Unchanged),
            false if !edit.filled.lost_code.is_empty() => {
                Some(Outcome::refused(&edit, edit.loses_code()))
            }
            false if edit.mixes_line_breaks(has_computed_lines(found)) => {
                Some(Outcome::refused(&edit, MatchFailure::MixedLineBreaks))
            }
            false => computed_with_string(parsed, found, template)
                .map(|name| Outcome::refused(&edit, MatchFailure::StringWithLines { name })),
        };
        if outcome.is_none() {
            edits.push(edit);
        }
        outcomes.push(outcome);
    }
    let mut rest: Vec<usize> = (0..edits.len()).collect();
    let made = loop {
        let all: Vec<Edit<'_, 'p>> = rest.iter().map(|edit| edits[*edit].as_edit()).collect();
        // The numbers of the edits that fail, with the outcomes of their matches.
        let made = match at_once(parsed, &all, allow) {
            Some(made) => Ok(made),
            None => several(parsed, &all, allow),
        };
        let failed = match made {
            Ok(made) => match regrouped(made.checked(), &rest, &edits) {
                failed if failed.is_empty() => break Some(made),
                failed => failed,
            },
            Err(Stopped::Nothing) => break None,
            Err(Stopped::AfterOthers { edit: number, .. } | Stopped::Clash(_, number)) => {
                let why = MatchFailure::AfterOthers;
                vec![(number, Outcome::refused(&edits[rest[number]], why))]
            }
            Err(Stopped::Refused { edit: first, .. }) => {
                let mut failed = Vec::new();
                let mut is_known = false;
                for (number, edit) in rest.iter().enumerate() {
                    let edit = &mut edits[*edit];
                    match edit.failure(allow) {
                        None => {}
                        Some(why) if edit.moved.is_none() && edit.is_captured(&why) => {
                            edit.moved = Some(Moved::Elsewhere);
                            is_known = true;
                        }
                        Some(why) => failed.push((number, Outcome::failed(edit, why))),
                    }
                }
                if failed.is_empty() && !is_known {
                    let why = MatchFailure::AfterOthers;
                    failed.push((first, Outcome::refused(&edits[rest[first]], why)));
                }
                failed
            }
        };
        for (number, outcome) in failed.into_iter().rev() {
            outcomes[edits[rest.remove(number)].index] = Some(outcome);
        }
    };
    let replaced: Vec<usize> = rest.iter().map(|edit| edits[*edit].index).collect();
    for edit in rest.iter().map(|edit| &edits[*edit]) {
        outcomes[edit.index] = Some(Outcome::Replaced {
            lost_comments: edit.filled.lost_comments.clone(),
        });
    }
    Rewritten {
        made,
        replaced,
        outcomes: outcomes.into_iter().flatten().collect(),
    }
}

/// The edit of a match.
struct MatchEdit<'p> {
    index: usize,
    selection: Selection<'p>,
    operation: Operation,
    filled: Filled,
    /// Set if captured text looks like a sketch of code, which it then is in the file too.
    moved: Option<Moved>,
}

impl<'p> MatchEdit<'p> {
    fn of(
        parsed: &'p Parsed,
        index: usize,
        found: &Match<'p>,
        template: &Template,
    ) -> MatchEdit<'p> {
        let mut filled = edit::filled(parsed, found, template);
        if template.is_empty() {
            filled.lost_comments.clear();
        }
        let operation = match template.is_empty() {
            true => Operation::Delete,
            false => Operation::Replace {
                new_content: filled.content.clone(),
                indent: filled.indent,
                include_attached: false,
            },
        };
        MatchEdit {
            index,
            selection: Selection::of_node(parsed, found.node),
            operation,
            filled,
            moved: None,
        }
    }

    /// Returns whether the replacement has the bytes of the match.
    fn is_unchanged(&self) -> bool {
        let old = self
            .selection
            .parsed()
            .source()
            .slice(self.selection.span());
        !matches!(self.operation, Operation::Delete)
            && old.replace("\r\n", "\n") == self.filled.content
    }

    /// Returns the failure of a match of which the edit loses code.
    fn loses_code(&self) -> MatchFailure<'p> {
        let lost = &self.filled.lost_code;
        let start = lost.iter().map(|span| span.start()).min();
        let end = lost.iter().map(|span| span.end()).max();
        let lost = Span::new(start.unwrap_or_default(), end.unwrap_or_default());
        let source = self.selection.parsed().source();
        MatchFailure::LosesCode {
            code: source.slice(lost).into_owned(),
        }
    }

    /// Returns whether captured line breaks would become others: new text has those of the line of the match.
    fn mixes_line_breaks(&self, has_computed_lines: bool) -> bool {
        let source = self.selection.parsed().source();
        let span = self.selection.span();
        let old = source.slice(span);
        let crlf = old.matches("\r\n").count();
        let differs = match source.line_ending_at(span.start()) {
            "\r\n" => crlf < old.matches('\n').count(),
            _ => crlf > 0,
        };
        differs && (has_computed_lines || !self.filled.captures.is_empty())
    }

    /// Returns why the edit fails by itself.
    fn failure(&self, allow: &[Check]) -> Option<EditFailure<'p>> {
        let moved = self.moved.map(|_| Check::SuspiciousContent);
        let allow: Vec<Check> = allow.iter().copied().chain(moved).collect();
        one(self.selection.clone(), &self.operation, &allow).err()
    }

    /// Returns whether the edit fails because captured text looks like a sketch of code.
    fn is_captured(&self, why: &EditFailure<'_>) -> bool {
        let EditFailure::Rejected(rejected) = why else {
            return false;
        };
        let Failure::Content(suspicion) = rejected.failure() else {
            return false;
        };
        let (change, before) = (rejected.change(), self.selection.parsed());
        let mut captures = self.filled.captures.iter();
        captures.any(|capture| {
            let new = new_span(
                change.after(),
                change.new_span(),
                before,
                capture,
                capture.span,
            );
            new.is_some_and(|new| new.contains(suspicion.span()))
        })
    }

    fn as_edit(&self) -> Edit<'_, 'p> {
        Edit {
            selection: self.selection.clone(),
            operation: &self.operation,
            moved: self.moved,
        }
    }
}

impl<'p> Outcome<'p> {
    fn failed(edit: &MatchEdit<'p>, why: EditFailure<'p>) -> Outcome<'p> {
        match why {
            EditFailure::Edit(EditError::NoChange) => Outcome::Unchanged,
            why => Outcome::refused(edit, MatchFailure::Edit(why)),
        }
    }

    fn refused(edit: &MatchEdit<'p>, why: MatchFailure<'p>) -> Outcome<'p> {
        Outcome::Refused(Box::new(RefusedMatch {
            selection: edit.selection.clone(),
            operation: edit.operation.clone(),
            why,
        }))
    }
}

fn has_computed_lines(found: &Match<'_>) -> bool {
    found
        .transformed
        .iter()
        .any(|(_, text)| text.contains('\n'))
}

/// Returns a variable of the template that a rule computes in several lines, if the code of the match or of a capture has
/// a string of several lines: a computed text does not say which of its lines are those of the string.
fn computed_with_string(parsed: &Parsed, found: &Match<'_>, template: &Template) -> Option<String> {
    let mut computed = found.transformed.iter();
    let (name, _) =
        computed.find(|(name, text)| text.contains('\n') && template.has_variable(name))?;
    let captured = found.captures.iter();
    let captured = captured.filter_map(|(_, span)| parsed.chain(*span).last().copied());
    let mut open: Vec<Node<'_>> = captured.chain([found.node]).collect();
    while let Some(node) = open.pop() {
        if node.is_protected() && parsed.text_of(node).contains('\n') {
            return Some(name.clone());
        }
        open.extend(node.own_children());
    }
    None
}

/// Returns the edits, by number, with a capture that is not a node of its own in the new text.
fn regrouped<'p>(
    made: &Checked<'_>,
    numbers: &[usize],
    edits: &[MatchEdit<'p>],
) -> Vec<(usize, Outcome<'p>)> {
    let after = made.after();
    let targets = made.targets().iter().zip(numbers).enumerate();
    let failed = targets.filter_map(|(number, (target, edit))| {
        let edit = &edits[*edit];
        let before = edit.selection.parsed();
        let text = |parsed: &Parsed, span: Span| parsed.source().slice(span).into_owned();
        let mut captures = edit.filled.captures.iter();
        let why = captures.find_map(|capture| {
            let name = capture.name.clone();
            let split = nodes(before, capture.span).into_iter().find(|node| {
                let new = new_span(after, target.new_span(), before, capture, *node);
                new.is_some_and(|new| !is_own(after, new))
            });
            if let Some(node) = split {
                return Some(MatchFailure::Regrouped {
                    name,
                    captured: text(before, node),
                    result: text(after, target.new_span()),
                });
            }
            let new = new_span(after, target.new_span(), before, capture, capture.span)?;
            let captured = text(before, capture.span);
            let is_open = captured.contains('\n')
                && is_in_brackets(before, capture.span)
                && !is_in_brackets(after, new)
                && has_open_line(after, new);
            is_open.then_some(MatchFailure::OpenLine { name, captured })
        })?;
        Some((number, Outcome::refused(edit, why)))
    });
    failed.collect()
}

/// Returns the spans of the captured nodes with several tokens: the node that has the span, or those next to each other
/// in it.
fn nodes(parsed: &Parsed, span: Span) -> Vec<Span> {
    let chain = parsed.chain(span);
    let is_whole = |node: &&Node<'_>| parsed.trimmed(node.span()) == parsed.trimmed(span);
    let has_tokens = |node: &Node<'_>| node.child_count() > 0;
    if let Some(whole) = chain.iter().rfind(is_whole) {
        return Vec::from_iter(has_tokens(whole).then_some(span));
    }
    let children = chain.last().map_or(Vec::new(), |node| node.own_children());
    let inside = children
        .into_iter()
        .filter(|child| span.contains(child.span()));
    let inside = inside.filter(|child| child.is_named() && has_tokens(child));
    inside.map(|child| parsed.trimmed(child.span())).collect()
}

/// Returns whether brackets enclose a span, in the statement around it.
fn is_in_brackets(parsed: &Parsed, span: Span) -> bool {
    let chain = parsed.chain(span);
    chain.iter().any(|node| are_around(*node, span))
}

/// Returns whether brackets of a node are around a span.
fn are_around(node: Node<'_>, span: Span) -> bool {
    let brackets = node.own_children().into_iter();
    let brackets = brackets.filter(|child| !child.span().is_empty());
    let (mut opens, mut closes) = (false, false);
    for child in brackets {
        opens |= child.bracket() > 0 && child.span().end() <= span.start();
        closes |= child.bracket() < 0 && child.span().start() >= span.end();
    }
    opens && closes
}

/// Returns whether a text has a line break that no brackets and no string enclose, in a language whose statements end
/// with their line.
fn has_open_line(parsed: &Parsed, span: Span) -> bool {
    let chain = parsed.chain(span);
    let node = chain.last();
    let is_indented = node
        .and_then(|node| node.language().tables())
        .is_some_and(|tables| tables.has_body(|body| body.indented));
    let text = parsed.source().slice(span);
    let mut breaks = text.match_indices('\n');
    is_indented
        && breaks.any(|(at, _)| {
            let at = Span::at(span.start() + at);
            let chain = parsed.chain(at);
            let mut inner = chain.iter().filter(|node| span.contains(node.span()));
            !inner.any(|node| node.is_protected() || are_around(*node, at))
        })
}

/// Returns where a part of a capture, of more than one character, is in the new text.
fn new_span(
    after: &Parsed,
    content: Span,
    before: &Parsed,
    capture: &FilledCapture,
    part: Span,
) -> Option<Span> {
    let is_text = |c: &char| !c.is_whitespace();
    let count = |span: Span| before.source().slice(span).chars().filter(is_text).count();
    let ahead = capture.before + count(Span::new(capture.span.start(), part.start()));
    let len = count(part);
    let text = after.source().slice(content);
    let mut own = text.char_indices().filter(|(_, c)| is_text(c)).skip(ahead);
    let (start, _) = own.next()?;
    let (last, c) = match len.checked_sub(2) {
        Some(further) => own.nth(further)?,
        None => return None,
    };
    let at = |offset: usize| content.start() + offset;
    Some(Span::new(at(start), at(last + c.len_utf8())))
}

/// Returns whether a span is that of a node, or inside a text.
fn is_own(after: &Parsed, span: Span) -> bool {
    let chain = after.chain(span);
    let is_it = |node: &Node<'_>| after.trimmed(node.span()) == span;
    let is_text = |node: &Node<'_>| node.is_protected();
    chain.iter().any(is_it) || chain.last().is_some_and(is_text)
}

#[cfg(test)]
mod tests;
