//! Rewrites the matches of a pattern in one text: fills the template for each, applies and checks all of them, and
//! leaves out those that fail.
//!
//! Input: a [`Parsed`], its matches and a [`Template`]. Output: a [`Rewritten`], with the outcome of each match. A match
//! fails if its edit fails, as with any other edit, or if a capture is not a node of its own in the new text:
//! `double(x + 1)` does not become `x + 1 * 2`. Matches inside another one are rewritten first, as a part of its edit.

#[cfg(feature = "rules")]
mod generalize;

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap, HashSet};

use crate::change::EditNote;
use crate::edit::{self, EditError, Filled, FilledCapture, Indent, Operation};
use crate::parse::{Node, Parsed};
use crate::pattern::{Match, Template};
use crate::select::{self, Selection};
use crate::source::Span;
use crate::validate::several::{Edit, EditFailure, Made, Moved, RefusedStep, one, several};
use crate::validate::{Check, Checked, Failure, Note};

#[cfg(feature = "rules")]
pub use generalize::{Generalization, generalizations};

/// The maximum number of nested matches.
const ROUNDS: usize = 300;

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
        /// Whether parentheses were added, without which it would be read as something else.
        is_parenthesized: bool,
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
    /// The edit of a match inside it is refused.
    Inner {
        /// The inner match.
        text: String,
    },
    /// It is no match any more after the matches inside it are rewritten.
    NotAfterInner,
    /// The matches inside it are nested too deeply.
    TooManyInner,
}

/// Returns the matches that are not inside others, and those that are.
pub fn outermost(mut matches: Vec<Match<'_>>) -> (Vec<Match<'_>>, Vec<Match<'_>>) {
    matches.sort_by_key(|one| (one.span().start(), Reverse(one.span().end())));
    // A tree inside another one may have the same match.
    matches.dedup_by_key(|one| one.span());
    let mut end = 0;
    matches.into_iter().partition(|one| {
        let span = one.span();
        let is_outer = span.start() >= end;
        end = end.max(span.end());
        is_outer
    })
}

/// Finds the matches in a text.
pub type Find<'f> = &'f dyn for<'x> Fn(&'x Parsed) -> Vec<Match<'x>>;

/// What is rewritten, and how.
pub struct Rewriting<'r> {
    /// The template of each rule. A match of a rule without one stays.
    pub templates: &'r [Option<Template>],
    /// The checks that may fail.
    pub allow: &'r [Check],
    /// Finds the matches again, after those inside them were rewritten.
    pub find: Find<'r>,
}

/// Rewrites matches, which must not overlap, and before each the `inner` ones inside it.
pub fn rewrite<'p>(
    parsed: &'p Parsed,
    matches: &[Match<'p>],
    inner: &[Match<'p>],
    rewriting: &Rewriting<'_>,
) -> Rewritten<'p> {
    let mut outcomes: Vec<Option<Outcome<'p>>> = Vec::new();
    let mut edits: Vec<MatchEdit<'p>> = Vec::new();
    let mut nested = nested(parsed, matches, inner, rewriting);
    for (index, found) in matches.iter().enumerate() {
        let Some(template) = rewriting.template(found) else {
            outcomes.push(Some(Outcome::Unchanged));
            continue;
        };
        let mut edit = MatchEdit::new(parsed, index, found, template, Vec::new());
        outcomes.push(match nested.remove(&index).transpose() {
            Err(why) => Some(Outcome::refused(&edit, why)),
            Ok(text) => {
                text.into_iter().for_each(|text| edit.write(text));
                edit.decided(parsed, found, template)
            }
        });
        edits.push(edit);
    }
    let allow = rewriting.allow;
    let made = loop {
        edits.retain(|edit| outcomes[edit.index].is_none());
        let all: Vec<Edit<'_, 'p>> = edits.iter().map(MatchEdit::as_edit).collect();
        match several(parsed, &all, allow) {
            Ok(made) => {
                let regrouped = regrouped(made.checked(), &edits);
                if regrouped.is_empty() {
                    break Some(made);
                }
                for (number, why) in regrouped {
                    let edit = &mut edits[number];
                    let found = &matches[edit.index];
                    match rewriting.template(found).zip(edit.enclosed_too(&why)) {
                        Some((template, enclosed)) => {
                            let first = edit.regrouped.take();
                            *edit = MatchEdit::new(parsed, edit.index, found, template, enclosed);
                            edit.regrouped = first.or(Some(why));
                        }
                        None => outcomes[edit.index] = Some(Outcome::refused(edit, why)),
                    }
                }
            }
            Err(RefusedStep::Nothing | RefusedStep::TooMany(_)) => break None,
            Err(RefusedStep::AfterOthers { edit: number, .. } | RefusedStep::Clash(_, number)) => {
                outcomes[edits[number].index] = Some(Outcome::after_others(&edits[number]));
            }
            Err(RefusedStep::Refused { edit: first, .. }) => {
                let mut is_known = false;
                for edit in &mut edits {
                    let Some(why) = edit.failure(allow) else {
                        continue;
                    };
                    is_known = true;
                    match edit.moved.is_none() && edit.is_captured(&why) {
                        true => edit.moved = Some(Moved::Elsewhere),
                        false => outcomes[edit.index] = Some(Outcome::failed(edit, why)),
                    }
                }
                if !is_known {
                    outcomes[edits[first].index] = Some(Outcome::after_others(&edits[first]));
                }
            }
        }
    };
    Rewritten::new(made, &edits, outcomes)
}

impl<'p> Rewritten<'p> {
    /// Adds the outcomes of the matches that are replaced, with their `edits`.
    fn new(
        made: Option<Made<'p>>,
        edits: &[MatchEdit<'p>],
        mut outcomes: Vec<Option<Outcome<'p>>>,
    ) -> Rewritten<'p> {
        for (number, edit) in edits.iter().enumerate() {
            let notes = made.iter().flat_map(|made| made.notes());
            let mut own = notes.filter(|(of, _)| *of == number);
            let is_enclosed = |notes: &[Note]| notes.contains(&Note::Edit(EditNote::Parenthesized));
            outcomes[edit.index] = Some(Outcome::Replaced {
                lost_comments: edit.filled.lost_comments.clone(),
                is_parenthesized: !edit.enclosed.is_empty()
                    || own.any(|(_, notes)| is_enclosed(notes)),
            });
        }
        Rewritten {
            made,
            replaced: edits.iter().map(|edit| edit.index).collect(),
            outcomes: outcomes.into_iter().flatten().collect(),
        }
    }
}

impl Rewriting<'_> {
    /// Returns the template of a match, if it changes anything.
    fn template(&self, found: &Match<'_>) -> Option<&Template> {
        let template = self.templates.get(found.rule)?.as_ref();
        template.filter(|template| !template.is_pattern())
    }
}

/// A match that is still to be rewritten.
#[derive(Clone, Copy)]
struct Pending {
    span: Span,
    rule: usize,
    /// The index of the outermost match around it, and whether it is this match.
    outer: usize,
    is_outer: bool,
}

/// The new text of a match, and the comments that it lost.
type NestedText = (String, Vec<Span>);

/// The new text of each match with others inside it, by its index.
type NestedTexts<'p> = HashMap<usize, Result<NestedText, MatchFailure<'p>>>;

/// Rewrites the matches that are inside others, innermost first, and then these.
fn nested<'p>(
    parsed: &Parsed,
    outer: &[Match<'_>],
    inner: &[Match<'_>],
    rewriting: &Rewriting<'_>,
) -> NestedTexts<'p> {
    let mut nesting = Nesting::new(outer, inner, rewriting);
    let mut text = None;
    for _ in 0..ROUNDS {
        if nesting.pending.is_empty() {
            break;
        }
        let after = nesting.rewrite_innermost(text.as_ref().unwrap_or(parsed), rewriting);
        text = after.or(text);
    }
    let pending = nesting.pending.iter();
    let too_many = pending.map(|one| (one.outer, Err(MatchFailure::TooManyInner)));
    nesting.done.extend(too_many);
    nesting.done
}

/// Matches inside others, of which the innermost are rewritten.
struct Nesting<'p> {
    pending: Vec<Pending>,
    done: NestedTexts<'p>,
    /// The comments that the matches inside each outermost one lost.
    lost_comments: HashMap<usize, Vec<Span>>,
}

impl<'p> Nesting<'p> {
    fn new(outer: &[Match<'_>], inner: &[Match<'_>], rewriting: &Rewriting<'_>) -> Nesting<'p> {
        let mut pending: Vec<Pending> = Vec::new();
        for one in inner.iter().filter(|one| rewriting.template(one).is_some()) {
            let span = one.span();
            let around = outer.partition_point(|outer| outer.span().start() <= span.start());
            let around = around.checked_sub(1).filter(|index| {
                let is_kept = rewriting.template(&outer[*index]);
                outer[*index].span().contains(span) && is_kept.is_some_and(|own| !own.is_empty())
            });
            pending.extend(around.map(|outer| Pending {
                span,
                rule: one.rule,
                outer,
                is_outer: false,
            }));
        }
        let groups: BTreeSet<usize> = pending.iter().map(|one| one.outer).collect();
        pending.extend(groups.into_iter().map(|index| Pending {
            span: outer[index].span(),
            rule: outer[index].rule,
            outer: index,
            is_outer: true,
        }));
        Nesting {
            pending,
            done: HashMap::new(),
            lost_comments: HashMap::new(),
        }
    }

    /// Rewrites the innermost pending matches. Returns the new text, if it differs.
    fn rewrite_innermost(&mut self, parsed: &Parsed, rewriting: &Rewriting<'_>) -> Option<Parsed> {
        let mut pending = std::mem::take(&mut self.pending);
        pending.sort_by_key(|one| (one.span.start(), Reverse(one.span.end()), !one.is_outer));
        let nexts = pending.iter().skip(1).map(Some).chain([None]);
        let innermost = pending
            .iter()
            .zip(nexts)
            .filter(|(one, next)| next.is_none_or(|next| !one.span.contains(next.span)));
        let mut missing: HashMap<(Span, usize), Pending> = innermost
            .map(|(one, _)| ((one.span, one.rule), *one))
            .collect();
        let done_now: HashSet<Span> = missing.keys().map(|(span, _)| *span).collect();
        let mut of_found: Vec<Pending> = Vec::new();
        let mut found = (rewriting.find)(parsed);
        found.retain(|one| {
            let own = missing.remove(&(one.span(), one.rule));
            of_found.extend(own);
            own.is_some()
        });
        for one in missing.into_values() {
            self.done
                .insert(one.outer, Err(MatchFailure::NotAfterInner));
        }
        let rewritten = rewrite(parsed, &found, &[], rewriting);
        for (one, outcome) in of_found.into_iter().zip(rewritten.outcomes) {
            match outcome {
                Outcome::Replaced { lost_comments, .. } => {
                    let all = self.lost_comments.entry(one.outer).or_default();
                    all.extend(lost_comments);
                }
                Outcome::Unchanged => {}
                Outcome::Refused(refused) => {
                    let why = refused.elsewhere(one.is_outer);
                    self.done.entry(one.outer).or_insert(Err(why));
                }
            }
        }
        let made = rewritten.made;
        let moves = made.as_ref().map_or(Moves::default(), |made| {
            let targets = made.checked().targets().iter();
            Moves::from_replaced(targets.map(|target| (target.span(), target.new_span())))
        });
        let after = made.map(|made| Parsed::parse(made.checked().after().source().clone()));
        for one in pending {
            if self.done.contains_key(&one.outer) {
                continue;
            }
            match moves.moved(one.span) {
                None => {
                    self.done
                        .insert(one.outer, Err(MatchFailure::NotAfterInner));
                }
                Some(span) if !done_now.contains(&one.span) => {
                    self.pending.push(Pending { span, ..one });
                }
                Some(span) if one.is_outer => {
                    let parsed = after.as_ref().unwrap_or(parsed);
                    let text = parsed.source().slice(parsed.trimmed(span)).into_owned();
                    let lost_comments = self.lost_comments.remove(&one.outer).unwrap_or_default();
                    self.done.insert(one.outer, Ok((text, lost_comments)));
                }
                Some(_) => {}
            }
        }
        after
    }
}

/// Where spans are after other spans were replaced.
#[derive(Default)]
struct Moves {
    /// The replaced spans in order, each with how far what follows it moved: as many bytes added and removed.
    all: Vec<(Span, usize, usize)>,
}

impl Moves {
    fn from_replaced(replaced: impl Iterator<Item = (Span, Span)>) -> Moves {
        let mut all: Vec<(Span, usize, usize)> = replaced
            .map(|(old, new)| (old, new.len(), old.len()))
            .collect();
        all.sort_by_key(|(old, ..)| old.start());
        let (mut added, mut removed) = (0, 0);
        for one in &mut all {
            added += one.1;
            removed += one.2;
            (one.1, one.2) = (added, removed);
        }
        Moves { all }
    }

    /// Returns where a span is, unless a replaced one contains a part of it.
    fn moved(&self, span: Span) -> Option<Span> {
        let moved = |at: usize| {
            let before = self.all.partition_point(|(old, ..)| old.end() <= at);
            let next = self.all.get(before);
            if next.is_some_and(|(old, ..)| old.start() < at) {
                return None;
            }
            let last = before.checked_sub(1).map(|last| self.all[last]);
            let (_, added, removed) = last.unwrap_or((span, 0, 0));
            Some(at + added - removed)
        };
        Some(Span::new(moved(span.start())?, moved(span.end())?))
    }
}

impl RefusedMatch<'_> {
    /// Returns the failure of an outermost match: the own one, or that a match inside it is refused.
    fn elsewhere<'p>(self, is_outer: bool) -> MatchFailure<'p> {
        match self.why {
            MatchFailure::Regrouped {
                name,
                captured,
                result,
            } if is_outer => MatchFailure::Regrouped {
                name,
                captured,
                result,
            },
            MatchFailure::LosesCode { code } if is_outer => MatchFailure::LosesCode { code },
            _ => {
                let source = self.selection.parsed().source();
                MatchFailure::Inner {
                    text: source.slice(self.selection.span()).into_owned(),
                }
            }
        }
    }
}

/// The edit of a match.
struct MatchEdit<'p> {
    index: usize,
    selection: Selection<'p>,
    operation: Operation,
    filled: Filled,
    /// Set if the text is in the file already, or was checked: it may look like a sketch of code.
    moved: Option<Moved>,
    /// The placeholders whose captures are in parentheses.
    enclosed: Vec<String>,
    /// Why they are.
    regrouped: Option<MatchFailure<'p>>,
}

impl<'p> MatchEdit<'p> {
    fn new(
        parsed: &'p Parsed,
        index: usize,
        found: &Match<'p>,
        template: &Template,
        enclosed: Vec<String>,
    ) -> MatchEdit<'p> {
        let mut filled = edit::filled(parsed, found, template, &enclosed);
        if template.is_empty() {
            filled.lost_comments.clear();
        }
        let is_one = found.node == found.last;
        let operation = match (is_one, template.is_empty()) {
            (true, true) => Operation::Delete,
            (true, false) => replacement(filled.content.clone(), filled.indent),
            (false, _) => Operation::ReplaceText {
                new_content: filled.content.clone(),
                indent: filled.indent,
            },
        };
        let selection = match is_one {
            true => Selection::of_node(parsed, found.node),
            false => select::all_of(parsed, parsed.trimmed(found.span())),
        };
        MatchEdit {
            index,
            selection,
            operation,
            filled,
            moved: None,
            enclosed,
            regrouped: None,
        }
    }

    /// Returns the placeholders to enclose in parentheses, since a capture is not a node of its own without them.
    fn enclosed_too(&self, why: &MatchFailure<'_>) -> Option<Vec<String>> {
        let MatchFailure::Regrouped { name, .. } = why else {
            return None;
        };
        let is_one = !name.starts_with("$$") && !self.enclosed.contains(name);
        is_one.then(|| [self.enclosed.clone(), vec![name.clone()]].concat())
    }

    /// Sets the whole new text, whose parts are checked.
    fn write(&mut self, (content, lost_comments): NestedText) {
        self.operation = match self.selection.is_text() {
            false => replacement(content.clone(), Indent::Verbatim),
            true => Operation::ReplaceText {
                new_content: content.clone(),
                indent: Indent::Verbatim,
            },
        };
        self.filled = Filled {
            content,
            indent: Indent::Verbatim,
            captures: Vec::new(),
            lost_comments,
            lost_code: Vec::new(),
        };
        self.moved = Some(Moved::Elsewhere);
    }

    /// Returns the outcome of a match that needs no edit, or whose edit is refused as it is.
    fn decided(
        &self,
        parsed: &'p Parsed,
        found: &Match<'p>,
        template: &Template,
    ) -> Option<Outcome<'p>> {
        let why = match () {
            () if self.is_unchanged() => return Some(Outcome::Unchanged),
            () if !self.filled.lost_code.is_empty() => self.loses_code(),
            () if self.mixes_line_breaks(has_computed_lines(found)) => {
                MatchFailure::MixedLineBreaks
            }
            () => {
                let name = computed_with_string(parsed, found, template)?;
                MatchFailure::StringWithLines { name }
            }
        };
        Some(Outcome::refused(self, why))
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
    fn failed(edit: &mut MatchEdit<'p>, why: EditFailure<'p>) -> Outcome<'p> {
        match (why, edit.regrouped.take()) {
            (EditFailure::Edit(EditError::NoChange), _) => Outcome::Unchanged,
            // Parentheses do not help.
            (_, Some(why)) => Outcome::refused(edit, why),
            (why, None) => Outcome::refused(edit, MatchFailure::Edit(why)),
        }
    }

    fn after_others(edit: &MatchEdit<'p>) -> Outcome<'p> {
        Outcome::refused(edit, MatchFailure::AfterOthers)
    }

    fn refused(edit: &MatchEdit<'p>, why: MatchFailure<'p>) -> Outcome<'p> {
        Outcome::Refused(Box::new(RefusedMatch {
            selection: edit.selection.clone(),
            operation: edit.operation.clone(),
            why,
        }))
    }
}

fn replacement(new_content: String, indent: Indent) -> Operation {
    Operation::Replace {
        new_content,
        indent,
        include_attached: false,
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

/// Returns the edits, by number, with a capture that is not a node of its own in the new text, and which.
fn regrouped<'p>(made: &Checked<'_>, edits: &[MatchEdit<'p>]) -> Vec<(usize, MatchFailure<'p>)> {
    let after = made.after();
    let targets = made.targets().iter().zip(edits).enumerate();
    let failed = targets.filter_map(|(number, (target, edit))| {
        let before = edit.selection.parsed();
        let text = |parsed: &Parsed, span: Span| parsed.source().slice(span).into_owned();
        let mut captures = edit.filled.captures.iter();
        let new_text = text(after, target.new_span());
        // Parentheses around all of it.
        let is_enclosed = new_text.starts_with('(') && !edit.filled.content.starts_with('(');
        let new_content = match is_enclosed {
            true => Span::new(target.new_span().start() + 1, target.new_span().end()),
            false => target.new_span(),
        };
        let why = captures.find_map(|capture| {
            let name = capture.name.clone();
            let split = nodes(before, capture.span).into_iter().find(|node| {
                let new = new_span(after, new_content, before, capture, *node);
                new.is_some_and(|new| !is_own(after, new))
            });
            split.map(|node| MatchFailure::Regrouped {
                name,
                captured: text(before, node),
                result: new_text.clone(),
            })
        })?;
        Some((number, why))
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
