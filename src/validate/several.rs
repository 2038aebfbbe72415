//! Several edits of one text as one [`Checked`] change: together where that shows that each passes, else one after another,
//! each checked in the result of the earlier ones. Refuses edits that overlap, and reports the first one that fails.

use std::collections::HashSet;

use crate::change::{Change, DetachedChange, Sequence, Target};
use crate::edit::{self, EditError, InsertPosition, Operation};
use crate::parse::Parsed;
use crate::select::{self, Selection};
use crate::source::Span;

use super::at_once::at_once;
use super::{Check, Checked, Failure, NewProblem, Note, Rejected, validate};

/// One of several edits.
#[derive(Clone, Debug)]
pub struct Edit<'e, 'p> {
    /// The target, in the original text.
    pub selection: Selection<'p>,
    /// The operation.
    pub operation: &'e Operation,
    /// The origin of its content if the content is moved. Moved content is not checked for being a sketch of code.
    pub moved: Option<Moved>,
}

/// The origin of moved content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moved {
    /// This text; the edit with this index removes it.
    Here(usize),
    /// Another text.
    Elsewhere,
}

/// Several edits, applied and checked.
#[derive(Debug)]
pub struct Made<'p> {
    checked: Checked<'p>,
    notes: Vec<(usize, Vec<Note>)>,
}

/// Why several edits were not applied.
#[derive(Debug)]
pub enum RefusedStep<'p> {
    /// There are no edits.
    Nothing,
    /// Two edits overlap; their indices.
    Clash(usize, usize),
    /// An edit fails in the original text.
    Refused {
        /// Its index.
        edit: usize,
        /// The reason.
        why: EditFailure<'p>,
    },
    /// An edit passes in the original text, but not after the others.
    AfterOthers {
        /// Its index.
        edit: usize,
        /// The result of the others.
        text: Box<Parsed>,
        /// The span of its target in that text.
        span: Span,
    },
    /// Too many edits have to be made one after another; the index of the last that was made.
    TooMany(usize),
}

/// Why a single edit failed.
#[derive(Debug)]
pub enum EditFailure<'p> {
    /// It cannot be applied.
    Edit(EditError),
    /// It failed a check.
    Rejected(Box<Rejected<'p>>),
}

/// The maximum number of times that the order of the edits is changed.
const TURNS: usize = 8;

/// The maximum number of edits that are tried alone to find the one that the parser of the language rejects.
const TRIED_ALONE: usize = 20;

/// The number of edits after which the others are expected to be made one after another too.
const IN_A_ROW: usize = 16;

/// Applies and checks one edit.
///
/// # Errors
/// The edit cannot be applied, or it fails a check.
pub fn one<'p>(
    selection: Selection<'p>,
    operation: &Operation,
    allow: &[Check],
) -> Result<Checked<'p>, EditFailure<'p>> {
    let change = edit::edit(selection, operation).map_err(EditFailure::Edit)?;
    validate(change, allow).map_err(EditFailure::Rejected)
}

/// As [`one`], without the checks of the whole text that follow the last edit.
fn step<'p>(
    selection: Selection<'p>,
    operation: &Operation,
    allow: &[Check],
) -> Result<Checked<'p>, EditFailure<'p>> {
    let change = edit::edit(selection, operation).map_err(EditFailure::Edit)?;
    validate(change.into_step(), allow).map_err(EditFailure::Rejected)
}

/// Applies edits of `before` one after another and checks each. Moved text is inserted before it is
/// removed, so that the destination still has all its neighbors. If that fails, as with a duplicate
/// key, the text is removed first; a failed replacement is tried again as the last edit. Edits are applied and checked
/// together where that shows that each passes.
///
/// # Errors
/// Two edits overlap, or one fails.
pub fn several<'p>(
    before: &'p Parsed,
    edits: &[Edit<'_, 'p>],
    allow: &[Check],
) -> Result<Made<'p>, RefusedStep<'p>> {
    made(before, edits, allow, Some(usize::MAX))
}

/// Does the same as [`several`], but makes at most `most_alone` edits one after another.
///
/// # Errors
/// As for [`several`]; or too many do not pass together ([`RefusedStep::TooMany`]).
pub fn several_up_to<'p>(
    before: &'p Parsed,
    edits: &[Edit<'_, 'p>],
    allow: &[Check],
    most_alone: usize,
) -> Result<Made<'p>, RefusedStep<'p>> {
    made(before, edits, allow, Some(most_alone))
}

/// As [`several`]. Without `most_alone`, all edits are made one after another.
pub(super) fn made<'p>(
    before: &'p Parsed,
    edits: &[Edit<'_, 'p>],
    allow: &[Check],
    most_alone: Option<usize>,
) -> Result<Made<'p>, RefusedStep<'p>> {
    if edits.is_empty() {
        return Err(RefusedStep::Nothing);
    }
    let first = order(edits)?;
    let all = Edits {
        before,
        edits,
        allow,
        most_alone,
    };
    let mut order = first.clone();
    let mut turned = Vec::new();
    let mut refused = None;
    loop {
        let halt = match all.in_order(&order, &[]) {
            Ok(made) => return all.with_code_checked(made),
            Err(halt) => halt,
        };
        let place = halt.refused().filter(|_| turned.len() < TURNS);
        let place = place.filter(|place| !turned.contains(place));
        let other = place.and_then(|place| in_another_order(edits, &order, place));
        let (Some(place), Some(other)) = (place, other) else {
            let halt = refused.unwrap_or(halt);
            return match all.as_one(&first, &halt) {
                Some(made) => all.with_code_checked(made),
                None => Err(all.stopped(halt)),
            };
        };
        turned.push(place);
        order = other;
        refused.get_or_insert(halt);
    }
}

/// The edits of one text.
struct Edits<'a, 'e, 'p> {
    before: &'p Parsed,
    edits: &'a [Edit<'e, 'p>],
    allow: &'a [Check],
    /// The maximum number of edits that are made one after another, if edits may be made together.
    most_alone: Option<usize>,
}

/// A change of some edits, and the notes on each.
type Step = (DetachedChange, Vec<(usize, Vec<Note>)>);

/// Why an edit does not follow the earlier ones.
enum Stop<'p> {
    /// Another edit replaced its target.
    Replaced,
    /// It is the first, and fails.
    First(EditFailure<'p>),
    /// It fails after others; the span of its target in their result.
    Later(Span),
}

/// How many edits are tried together: half as many after some that do not pass, twice as many after some that do.
struct Batch {
    size: usize,
    /// The number of the next edits that are made alone.
    alone: usize,
    /// The number of those that were made alone, and of those since some were made together.
    made_alone: usize,
    in_a_row: usize,
}

impl Batch {
    fn next(&mut self, left: usize) -> usize {
        match self.alone.checked_sub(1) {
            Some(rest) => {
                self.alone = rest;
                1
            }
            None => self.size.min(left).max(1),
        }
    }

    /// Takes note that one is made alone. Returns whether more of them have to be than `most`, given that `left` are left: if
    /// several in a row were, all others are assumed to follow one by one.
    fn exceeds(&mut self, most: usize, left: usize) -> bool {
        self.made_alone += 1;
        self.in_a_row += 1;
        let expected = match self.in_a_row {
            IN_A_ROW.. => self.made_alone.saturating_add(left),
            _ => self.made_alone,
        };
        expected > most
    }

    /// Takes note that some passed together.
    fn passed(&mut self) {
        self.size *= 2;
        self.in_a_row = 0;
    }

    /// Takes note that this many do not pass together. After more that were made alone, more of the next ones are.
    fn failed(&mut self, count: usize) {
        match count {
            ..=2 => self.alone = self.in_a_row.clamp(2, IN_A_ROW),
            _ => self.size = (count / 2).max(2),
        }
    }
}

/// What stopped the edits in one order.
enum Halt<'p> {
    Clash(usize, usize),
    TooMany(usize),
    /// The first edit of the order failed.
    First(usize, EditFailure<'p>),
    /// An edit failed after others.
    Later {
        edit: usize,
        text: Box<Sequence<'p>>,
        span: Span,
    },
}

impl Halt<'_> {
    fn refused(&self) -> Option<usize> {
        match self {
            Halt::Clash(..) | Halt::TooMany(_) => None,
            Halt::First(edit, _) | Halt::Later { edit, .. } => Some(*edit),
        }
    }
}

impl<'p> Edits<'_, '_, 'p> {
    /// Applies the edits in this order. The caller checks the result of those in `excused`, which get no notes.
    fn in_order(&self, order: &[usize], excused: &[usize]) -> Result<Made<'p>, Halt<'p>> {
        let mut notes: Vec<(usize, Vec<Note>)> = Vec::new();
        let mut sequence = Sequence::new(self.before);
        let mut left = order.to_vec();
        let mut batch = Batch {
            size: match self.most_alone.is_some() && excused.is_empty() {
                true => left.len(),
                false => 1,
            },
            alone: 0,
            made_alone: 0,
            in_a_row: 0,
        };
        while let Some(&number) = left.first() {
            let (change, own) = match batch.next(left.len()) {
                1 => match self.alone(&sequence, number, excused.contains(&number)) {
                    Ok(_)
                        if batch.exceeds(self.most_alone.unwrap_or(usize::MAX), left.len() - 1) =>
                    {
                        return Err(Halt::TooMany(number));
                    }
                    Ok(step) => step,
                    Err(Stop::Replaced) => {
                        let last = notes.last().map_or(number, |(last, _)| *last);
                        return Err(Halt::Clash(last, number));
                    }
                    Err(Stop::First(why)) => return Err(Halt::First(number, why)),
                    Err(Stop::Later(span)) => {
                        return Err(Halt::Later {
                            edit: number,
                            text: Box::new(sequence),
                            span,
                        });
                    }
                },
                count => match self.at_once(&sequence, &left[..count]) {
                    Some(step) => {
                        batch.passed();
                        step
                    }
                    None => {
                        batch.failed(count);
                        continue;
                    }
                },
            };
            let made: HashSet<usize> = own.iter().map(|(number, _)| *number).collect();
            left.retain(|number| !made.contains(number));
            let places = own.iter().map(|(number, _)| {
                let selection = &self.edits[*number].selection;
                (*number, selection.span())
            });
            sequence
                .add(change, places)
                .map_err(|overlap| Halt::Clash(overlap.earlier, number))?;
            notes.extend(own);
        }
        let change = sequence.into_change().expect("there is an edit");
        Ok(Made {
            notes,
            ..Made::unnoted(change)
        })
    }

    /// Applies and checks some of these edits together. Returns `None` if that does not show that they pass.
    fn at_once(&self, sequence: &Sequence<'p>, numbers: &[usize]) -> Option<Step> {
        let edits = numbers.iter().map(|number| {
            let edit = &self.edits[*number];
            let first = &edit.selection;
            let selection = match sequence.after() {
                None => first.clone(),
                Some(text) => select::again(text, sequence.place(first.span())?, first)?,
            };
            Some(Edit { selection, ..*edit })
        });
        let edits: Vec<Edit<'_, '_>> = edits.collect::<Option<_>>()?;
        let made = at_once(sequence.after().unwrap_or(self.before), &edits)?;
        let notes = made.notes.into_iter();
        let notes = notes.map(|(index, notes)| (numbers[index], notes));
        Some((made.change.into_detached(), notes.collect()))
    }

    /// Applies and checks the next edit.
    fn alone(
        &self,
        sequence: &Sequence<'p>,
        number: usize,
        is_excused: bool,
    ) -> Result<Step, Stop<'p>> {
        let first = &self.edits[number].selection;
        let (change, notes) = match sequence.after() {
            None => self
                .checked(number, first.clone(), is_excused)
                .map_err(Stop::First)?,
            Some(text) => {
                let span = sequence.place(first.span()).ok_or(Stop::Replaced)?;
                let selection = select::again(text, span, first).ok_or(Stop::Replaced)?;
                let checked = self.checked(number, selection, is_excused);
                checked.map_err(|_| Stop::Later(span))?
            }
        };
        Ok((change, vec![(number, notes)]))
    }

    /// Applies and checks one edit, and returns its notes.
    fn checked<'q>(
        &self,
        number: usize,
        selection: Selection<'q>,
        is_excused: bool,
    ) -> Result<(DetachedChange, Vec<Note>), EditFailure<'q>> {
        const OF_THE_TREE: [Check; 2] = [Check::SyntaxErrors, Check::Surroundings];
        let edit = &self.edits[number];
        let mut allow = self.allow.to_vec();
        allow.extend(edit.moved.map(|_| Check::SuspiciousContent));
        let excused = if is_excused { &OF_THE_TREE[..] } else { &[] };
        allow.extend(excused);
        let Checked {
            change, mut notes, ..
        } = step(selection, edit.operation, &allow)?;
        notes.retain(|note| match note {
            Note::Allowed(Failure::Content(_)) => edit.moved.is_none(),
            Note::Allowed(failure) => !is_excused || self.allow.contains(&failure.check()),
            _ => true,
        });
        Ok((change.into_detached(), notes))
    }

    /// Refuses the edits if the parser of the language rejects their result: names one that it rejects alone, or the one
    /// where it reports the problem. If that is allowed, the edit gets a note.
    fn with_code_checked(&self, mut made: Made<'p>) -> Result<Made<'p>, RefusedStep<'p>> {
        let change = &made.checked.change;
        let Some(problem) = change.new_code_problem() else {
            return Ok(made);
        };
        let spans = change.targets().iter().map(Target::new_span);
        let near = spans.enumerate().min_by_key(|(_, span)| {
            let (start, end) = (span.start(), span.end());
            problem.offset.saturating_sub(end) + start.saturating_sub(problem.offset)
        });
        let (near, span) = near.unwrap_or((0, change.new_span()));
        if self.allow.contains(&Check::SyntaxErrors) {
            let mut notes = made.notes.iter().flat_map(|(_, notes)| notes);
            if !notes.any(|note| matches!(note, Note::Allowed(Failure::Syntax(_)))) {
                let problem = NewProblem::of_language(problem);
                let note = Note::Allowed(Failure::Syntax(vec![problem]));
                made.notes.push((near, vec![note]));
            }
            return Ok(made);
        }
        let others = (0..self.edits.len()).filter(|edit| *edit != near);
        for edit in [near].into_iter().chain(others).take(TRIED_ALONE) {
            let own = &self.edits[edit];
            if let Err(why) = one(own.selection.clone(), own.operation, self.allow)
                && why.is_about_syntax()
            {
                return Err(RefusedStep::Refused { edit, why });
            }
        }
        Err(RefusedStep::AfterOthers {
            edit: near,
            text: Box::new(change.after().parsed_from_scratch()),
            span,
        })
    }

    /// Applies edits that only pass together, because one repairs what another breaks. Text replacements that each break
    /// the syntax are checked together first, then all edits. Returns `None` if that fails too.
    fn as_one(&self, order: &[usize], halt: &Halt<'p>) -> Option<Made<'p>> {
        if order.len() < 2 || halt.refused().is_none() {
            return None;
        }
        // Only broken syntax can be repaired by another edit, and an edit that passes alone needs no repair.
        let (mut broken, mut sound) = (Vec::new(), Vec::new());
        for &number in order {
            let edit = &self.edits[number];
            let is_text = matches!(edit.operation, Operation::ReplaceText { .. });
            match self.checked(number, edit.selection.clone(), false) {
                Ok(_) => sound.push(number),
                Err(refusal) if is_text && refusal.is_about_syntax() => broken.push(number),
                Err(_) => return None,
            }
        }
        if broken.len() < 2 {
            return None;
        }
        let together = self.whole(&broken, &broken)?;
        if sound.is_empty() {
            return Some(together);
        }
        self.whole(&[sound, broken.clone()].concat(), &broken)
    }

    /// Applies the edits in this order and checks the combined change.
    fn whole(&self, order: &[usize], excused: &[usize]) -> Option<Made<'p>> {
        let made = self.in_order(order, excused).ok()?;
        let checked = validate(made.checked.change, self.allow).ok()?;
        Some(Made {
            checked: Checked {
                notes: Vec::new(),
                rows: Vec::new(),
                ..checked
            },
            notes: made.notes,
        })
    }

    /// Returns why the edits stopped. Prefers the failure in the original text, since the caller does not know the
    /// intermediate texts.
    fn stopped(&self, halt: Halt<'p>) -> RefusedStep<'p> {
        match halt {
            Halt::Clash(one, other) => RefusedStep::Clash(one, other),
            Halt::TooMany(edit) => RefusedStep::TooMany(edit),
            Halt::First(edit, why) => RefusedStep::Refused { edit, why },
            Halt::Later { edit, text, span } => {
                let alone = self.checked(edit, self.edits[edit].selection.clone(), false);
                match (alone, text.into_after()) {
                    (Err(why), _) => RefusedStep::Refused { edit, why },
                    (Ok(_), Some(text)) => RefusedStep::AfterOthers {
                        edit,
                        text: Box::new(text),
                        span,
                    },
                    (Ok(_), None) => RefusedStep::Nothing,
                }
            }
        }
    }
}

impl EditFailure<'_> {
    /// Returns whether the edit breaks the syntax.
    fn is_about_syntax(&self) -> bool {
        match self {
            EditFailure::Edit(_) => false,
            EditFailure::Rejected(rejected) => rejected.failure.check() == Check::SyntaxErrors,
        }
    }
}

impl<'p> Made<'p> {
    /// Returns a checked change without notes.
    pub(super) fn unnoted(change: Change<'p>) -> Made<'p> {
        let checked = Checked {
            change,
            notes: Vec::new(),
            rows: Vec::new(),
        };
        let notes = Vec::new();
        Made { checked, notes }
    }

    /// Returns the combined change.
    pub fn checked(&self) -> &Checked<'p> {
        &self.checked
    }

    /// Returns the notes on each edit with its index, in the order in which the edits were applied.
    pub fn notes(&self) -> &[(usize, Vec<Note>)] {
        &self.notes
    }

    /// Returns the combined change, to be previewed.
    pub fn into_checked(self) -> Checked<'p> {
        self.checked
    }
}

/// The text that an edit takes or needs.
enum Claim {
    /// Replaces or removes the node, possibly with what is attached to it.
    Takes { node: Span, with_attached: Span },
    /// Inserts next to this node, which must remain.
    NextTo(Span),
    /// Inserts into this node.
    Into(Span),
}

/// Returns the order in which the edits are applied: insertions, then replacements, then deletions. Insertions at the same
/// place keep their order in the text.
fn order<'p>(edits: &[Edit<'_, 'p>]) -> Result<Vec<usize>, RefusedStep<'p>> {
    let claims: Vec<Claim> = edits.iter().map(Claim::from_edit).collect();
    let mut spans: Vec<Span> = claims.iter().map(Claim::span).collect();
    spans.sort_by_key(|span| (span.start(), span.end()));
    // Most edits are apart, so pairs are rarely compared.
    if !spans
        .windows(2)
        .all(|pair| pair[0].end() <= pair[1].start())
    {
        for (second, claim) in claims.iter().enumerate() {
            let mut earlier = claims[..second].iter();
            let first = earlier.position(|other| claim.clashes(other) || other.clashes(claim));
            if let Some(first) = first {
                return Err(RefusedStep::Clash(first, second));
            }
        }
    }
    let mut order: Vec<usize> = (0..edits.len()).collect();
    order.sort_by_key(|index| match edits[*index].operation {
        // Each is inserted directly after its place, so the last one is applied first.
        Operation::Insert {
            position: InsertPosition::After | InsertPosition::FirstChild,
            ..
        } => (0, edits.len() - index),
        Operation::Insert { .. } => (1, *index),
        Operation::Replace { .. } | Operation::ReplaceText { .. } | Operation::Wrap { .. } => {
            (2, *index)
        }
        Operation::Delete => (3, *index),
    });
    Ok(order)
}

/// Returns another order after the edit with index `place` failed; insertions keep their order.
fn in_another_order(edits: &[Edit<'_, '_>], order: &[usize], place: usize) -> Option<Vec<usize>> {
    let edit = &edits[place];
    let (taken, before) = match edit.operation {
        Operation::Insert { .. } => match edit.moved? {
            Moved::Here(leaving) => (leaving, Some(place)),
            Moved::Elsewhere => return None,
        },
        Operation::Replace { .. } | Operation::ReplaceText { .. } | Operation::Wrap { .. } => {
            (place, None)
        }
        Operation::Delete => return None,
    };
    let mut other: Vec<usize> = order.iter().copied().filter(|one| *one != taken).collect();
    let at = before.and_then(|before| other.iter().position(|one| *one == before));
    other.insert(at.unwrap_or(other.len()), taken);
    (other != order).then_some(other)
}

impl Claim {
    fn from_edit(edit: &Edit<'_, '_>) -> Claim {
        let node = edit.selection.span();
        match edit.operation {
            Operation::Insert { position, .. } => match position {
                InsertPosition::Before | InsertPosition::After => Claim::NextTo(node),
                InsertPosition::FirstChild | InsertPosition::LastChild => Claim::Into(node),
            },
            // What is attached to a replaced node stays. If the content has its own instead, the changes overlap, which is
            // found when they are made.
            Operation::ReplaceText { .. }
            | Operation::Replace {
                include_attached: false,
                ..
            } => Claim::Takes {
                node,
                with_attached: node,
            },
            Operation::Replace { .. } | Operation::Delete | Operation::Wrap { .. } => {
                Claim::Takes {
                    node,
                    with_attached: edit::with_attached(&edit.selection),
                }
            }
        }
    }

    /// Returns the text that it takes or needs.
    fn span(&self) -> Span {
        match self {
            Claim::Takes { with_attached, .. } => *with_attached,
            Claim::NextTo(node) | Claim::Into(node) => *node,
        }
    }

    /// Returns whether this edit takes text that the other one takes or needs.
    fn clashes(&self, other: &Claim) -> bool {
        let Claim::Takes {
            node,
            with_attached,
        } = self
        else {
            return false;
        };
        match other {
            Claim::Takes {
                with_attached: taken,
                ..
            } => with_attached.overlaps(*taken),
            // Text can be inserted next to a node that is replaced or removed.
            Claim::NextTo(place) => with_attached.contains(*place) && place != node,
            Claim::Into(place) => with_attached.contains(*place),
        }
    }
}
