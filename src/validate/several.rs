//! Several edits of one text, made one after the other, each checked in the text that those before it lead to:
//! selections and operations come in, one [`Checked`] goes out. Refuses two that take the same text, and says of the
//! first that does not pass why.

use crate::change::{Change, Overlap, Step};
use crate::edit::{self, EditError, InsertPosition, Operation};
use crate::parse::Parsed;
use crate::select::{self, Selection};
use crate::source::Span;

use super::{Check, Checked, Failure, Note, Rejected, validate};

/// One of several edits.
#[derive(Clone, Debug)]
pub struct Edit<'e, 'p> {
    /// What is edited, in the text as it is.
    pub selection: Selection<'p>,
    /// What is done with it.
    pub operation: &'e Operation,
    /// Where what it puts in comes from, if it is moved: such content is no sketch of code.
    pub moved: Option<Moved>,
}

/// Where content comes from that is moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moved {
    /// From this text; the edit with this number takes it away.
    Here(usize),
    /// From another text.
    Elsewhere,
}

/// All edits, made and checked.
#[derive(Debug)]
pub struct Made<'p> {
    checked: Checked<'p>,
    notes: Vec<(usize, Vec<Note>)>,
}

/// Why edits of one text are not made.
#[derive(Debug)]
pub enum Stopped<'p> {
    /// There is none.
    Nothing,
    /// Two of them take the same text; by their numbers.
    Clash(usize, usize),
    /// One is refused, in the text as it is.
    Refused {
        /// Its number.
        edit: usize,
        /// Why.
        why: Refusal<'p>,
    },
    /// One passes in the text as it is, but not after others.
    AfterOthers {
        /// Its number.
        edit: usize,
        /// The text that the others lead to.
        text: Box<Parsed>,
        /// Where its selection is in that text.
        span: Span,
    },
}

/// Why one edit is refused.
#[derive(Debug)]
pub enum Refusal<'p> {
    /// It cannot be carried out.
    Edit(EditError),
    /// It does not pass the checks.
    Rejected(Box<Rejected<'p>>),
}

/// How often the order of the edits is changed, at most.
const TURNS: usize = 8;

/// Carries out one edit and checks it.
///
/// # Errors
/// It cannot be carried out, or does not pass.
pub fn one<'p>(
    selection: Selection<'p>,
    operation: &Operation,
    allow: &[Check],
) -> Result<Checked<'p>, Refusal<'p>> {
    let change = edit::edit(selection, operation).map_err(Refusal::Edit)?;
    validate(change, allow).map_err(Refusal::Rejected)
}

/// Makes edits of `before` one after the other, in the order that they want. What moves comes before it goes, so that
/// the place is seen with all that stands round it. Where the text between two edits cannot be, as with a key that is
/// there twice, it goes before it comes, and what is replaced is replaced last.
///
/// # Errors
/// Two of them take the same text, or one of them does not pass.
pub fn several<'p>(
    before: &'p Parsed,
    edits: &[Edit<'_, 'p>],
    allow: &[Check],
) -> Result<Made<'p>, Stopped<'p>> {
    if edits.is_empty() {
        return Err(Stopped::Nothing);
    }
    let first = order(edits)?;
    let all = Edits {
        before,
        edits,
        allow,
    };
    let mut order = first.clone();
    let mut turned = Vec::new();
    let mut refused = None;
    loop {
        let halt = match all.in_order(&order, &[]) {
            Ok(made) => return Ok(made),
            Err(halt) => halt,
        };
        let place = halt.refused().filter(|_| turned.len() < TURNS);
        let place = place.filter(|place| !turned.contains(place));
        let other = place.and_then(|place| in_another_order(edits, &order, place));
        let (Some(place), Some(other)) = (place, other) else {
            let halt = refused.unwrap_or(halt);
            return all.as_one(&first, &halt).ok_or_else(|| all.stopped(halt));
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
}

/// What stopped the edits in one order.
enum Halt<'p> {
    Clash(usize, usize),
    /// The first edit of the order does not pass.
    First(usize, Refusal<'p>),
    /// This one does not pass after others.
    Later {
        edit: usize,
        text: Box<Change<'p>>,
        span: Span,
    },
}

impl Halt<'_> {
    fn refused(&self) -> Option<usize> {
        match self {
            Halt::Clash(..) => None,
            Halt::First(edit, _) | Halt::Later { edit, .. } => Some(*edit),
        }
    }
}

impl<'p> Edits<'_, '_, 'p> {
    /// Makes the edits with these numbers one after the other. What those in `excused` lead to is checked by the caller,
    /// and nothing is said of it.
    fn in_order(&self, order: &[usize], excused: &[usize]) -> Result<Made<'p>, Halt<'p>> {
        let mut notes = Vec::new();
        let mut so_far: Option<Change<'p>> = None;
        for (index, &number) in order.iter().enumerate() {
            let first = &self.edits[number].selection;
            let is_excused = excused.contains(&number);
            // What stands there now is of another edit.
            let clash = || {
                Halt::Clash(
                    index.checked_sub(1).map_or(number, |last| order[last]),
                    number,
                )
            };
            let (step, told) = match &so_far {
                None => self
                    .checked(number, first.clone(), is_excused)
                    .map_err(|why| Halt::First(number, why))?,
                Some(change) => {
                    let span = change.text_edit().map_span(first.span());
                    let span = span.ok_or_else(clash)?;
                    let selection = select::again(change.after(), span, first);
                    let selection = selection.ok_or_else(clash)?;
                    match self.checked(number, selection, is_excused).ok() {
                        Some(passed) => passed,
                        None => {
                            let text = so_far.map(Box::new).ok_or_else(clash)?;
                            return Err(Halt::Later {
                                edit: number,
                                text,
                                span,
                            });
                        }
                    }
                }
            };
            notes.push((number, told));
            so_far = Some(match so_far {
                None => Change::begun(self.before, step, first.span()),
                Some(change) => {
                    let mut made: Vec<usize> = order[..index].to_vec();
                    made.sort_unstable();
                    let at = made.partition_point(|one| *one < number);
                    let added = change.then(step, first.span(), at);
                    added.map_err(|Overlap { earlier }| Halt::Clash(made[earlier], number))?
                }
            });
        }
        let change = so_far.expect("there is an edit");
        let checked = Checked {
            change,
            notes: Vec::new(),
            rows: Vec::new(),
        };
        Ok(Made { checked, notes })
    }

    /// One edit, made and checked, and what there is to say of it.
    fn checked<'q>(
        &self,
        number: usize,
        selection: Selection<'q>,
        is_excused: bool,
    ) -> Result<(Step, Vec<Note>), Refusal<'q>> {
        const OF_THE_TREE: [Check; 2] = [Check::SyntaxErrors, Check::Surroundings];
        let edit = &self.edits[number];
        let mut allow = self.allow.to_vec();
        allow.extend(edit.moved.map(|_| Check::SuspiciousContent));
        let excused = if is_excused { &OF_THE_TREE[..] } else { &[] };
        allow.extend(excused);
        let Checked {
            change, mut notes, ..
        } = one(selection, edit.operation, &allow)?;
        notes.retain(|note| match note {
            Note::Allowed(Failure::Content(_)) => edit.moved.is_none(),
            Note::Allowed(failure) => !is_excused || self.allow.contains(&failure.check()),
            _ => true,
        });
        Ok((change.into_step(), notes))
    }

    /// Makes the edits where the texts between them cannot be, but that which all of them lead to can, because one mends
    /// what another breaks: of replaced texts that each alone break the syntax, all that they come to together is
    /// checked, and then what all edits come to. Nothing where that cannot be either.
    fn as_one(&self, order: &[usize], halt: &Halt<'p>) -> Option<Made<'p>> {
        if order.len() < 2 || halt.refused().is_none() {
            return None;
        }
        // One that passes alone excuses nothing, and what another one could mend is syntax.
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

    /// Makes the edits in this order, and checks all that they come to.
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

    /// Why it stops: of the text as it is, where the edit is refused there too. Places in the text that other edits lead
    /// to would be nobody's.
    fn stopped(&self, halt: Halt<'p>) -> Stopped<'p> {
        match halt {
            Halt::Clash(one, other) => Stopped::Clash(one, other),
            Halt::First(edit, why) => Stopped::Refused { edit, why },
            Halt::Later { edit, text, span } => {
                let alone = self.checked(edit, self.edits[edit].selection.clone(), false);
                match alone {
                    Err(why) => Stopped::Refused { edit, why },
                    Ok(_) => Stopped::AfterOthers {
                        edit,
                        text: Box::new(text.into_after()),
                        span,
                    },
                }
            }
        }
    }
}

impl Refusal<'_> {
    /// Whether the edit breaks the syntax.
    fn is_about_syntax(&self) -> bool {
        match self {
            Refusal::Edit(_) => false,
            Refusal::Rejected(rejected) => rejected.failure.check() == Check::SyntaxErrors,
        }
    }
}

impl<'p> Made<'p> {
    /// What all edits come to.
    pub fn checked(&self) -> &Checked<'p> {
        &self.checked
    }

    /// What there is to say of each edit, by its number, in the order in which they were made.
    pub fn notes(&self) -> &[(usize, Vec<Note>)] {
        &self.notes
    }

    /// What all edits come to, as it goes into a preview.
    pub fn into_checked(self) -> Checked<'p> {
        self.checked
    }
}

/// What an edit has to do with the text as it is.
enum Claim {
    /// The node, and the text that may go: itself and what is attached to it.
    Takes { node: Span, with_attached: Span },
    /// Something comes beside this node, which must stay findable.
    Beside(Span),
    /// Something comes into this node.
    Into(Span),
}

/// The order in which edits of one text are made so that all come out as asked for: what is put in first, then what is
/// replaced, then what goes. Insertions at one point keep their order in the text.
fn order<'p>(edits: &[Edit<'_, 'p>]) -> Result<Vec<usize>, Stopped<'p>> {
    let claims: Vec<Claim> = edits.iter().map(Claim::of).collect();
    for (second, claim) in claims.iter().enumerate() {
        for (first, other) in claims[..second].iter().enumerate() {
            if claim.clashes(other) || other.clashes(claim) {
                return Err(Stopped::Clash(first, second));
            }
        }
    }
    let mut order: Vec<usize> = (0..edits.len()).collect();
    order.sort_by_key(|index| match edits[*index].operation {
        // Each of these comes right behind its place, so that the last one comes first.
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

/// Another order for edits of which the one with the number `place` is refused; insertions keep theirs.
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
    fn of(edit: &Edit<'_, '_>) -> Claim {
        let node = edit.selection.span();
        match edit.operation {
            Operation::Insert { position, .. } => match position {
                InsertPosition::Before | InsertPosition::After => Claim::Beside(node),
                InsertPosition::FirstChild | InsertPosition::LastChild => Claim::Into(node),
            },
            Operation::ReplaceText { .. } => Claim::Takes {
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

    /// Whether this one takes what the other takes or needs.
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
            // Beside what is replaced or goes there is still a place.
            Claim::Beside(place) => with_attached.contains(*place) && place != node,
            Claim::Into(place) => with_attached.contains(*place),
        }
    }
}
