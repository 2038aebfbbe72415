//! The table by which a change is judged: [`RULES`], from top to bottom. The rows of one check stand together; the first
//! of them that decides does. A check none of whose rows decides is passed.

use super::comparison::Comparison;
use super::surroundings::{self, Disturbance, Likeness};
use super::{Check, Failure, Note, content, sections, syntax};

/// A row of the table.
pub(super) struct Rule {
    /// What it is about, as `docs/checks.md` has it.
    pub(super) name: &'static str,
    /// The check it belongs to.
    pub(super) check: Check,
    /// What it says of a change; nothing where it does not decide.
    pub(super) ruling: fn(&Comparison<'_, '_>) -> Option<Ruling>,
}

/// What a row says.
pub(super) enum Ruling {
    Passes(Vec<Note>),
    Fails(Failure),
}

use Check::{Surroundings, SuspiciousContent, SyntaxErrors};
use Ruling::{Fails, Passes};

/// The table.
pub(super) static RULES: &[Rule] = &[
    Rule {
        name: "sketch",
        check: SuspiciousContent,
        ruling: |change| Some(Fails(Failure::Content(content::suspicion(change)?))),
    },
    Rule {
        name: "unreadable text",
        check: SyntaxErrors,
        ruling: |change| fails_to_parse(syntax::unreadable(change)),
    },
    Rule {
        name: "the language's own parser",
        check: SyntaxErrors,
        ruling: |change| fails_to_parse(syntax::new_for_strict_parser(change)),
    },
    Rule {
        name: "new problems",
        check: SyntaxErrors,
        ruling: |change| fails_to_parse(syntax::new_in_tree(change)),
    },
    Rule {
        name: "open end",
        check: SyntaxErrors,
        ruling: |change| fails_to_parse(syntax::loose_end(change)),
    },
    Rule {
        name: "worse by itself",
        check: SyntaxErrors,
        ruling: |change| fails_to_parse(syntax::worse_in_itself(change)),
    },
    Rule {
        name: "indentation",
        check: SyntaxErrors,
        ruling: |change| fails_to_parse(syntax::misplaced(change)),
    },
    Rule {
        name: "plain text",
        check: Surroundings,
        ruling: |change| surroundings::is_of_plain_text(change).then(|| Passes(Vec::new())),
    },
    Rule {
        name: "between the places",
        check: Surroundings,
        ruling: |change| disturbs(surroundings::between_places(change)?),
    },
    Rule {
        name: "level of a heading",
        check: Surroundings,
        ruling: |change| {
            let (was, now) = change.level()?;
            let notes = change
                .likeness()
                .map_or(Vec::new(), |(_, notes)| notes.clone());
            Some(Passes(
                [notes, vec![Note::HeadingLevel { was, now }]].concat(),
            ))
        },
    },
    Rule {
        name: "new section",
        check: Surroundings,
        ruling: |change| {
            let disturbance = change.likeness().err()?;
            let opens = disturbance.lost.is_empty() && sections::opens_section(change);
            opens.then(|| Passes(vec![Note::OpensSection]))
        },
    },
    Rule {
        name: "another tree",
        check: Surroundings,
        ruling: |change| disturbs(change.likeness().err()?.clone()),
    },
    Rule {
        name: "symbols in another section",
        check: Surroundings,
        ruling: |change| disturbs(sections::moved_symbols(change)?),
    },
    Rule {
        name: "another value",
        check: Surroundings,
        ruling: |change| disturbs(Disturbance::at(change, change.changed_value()?)),
    },
    Rule {
        name: "the same tree",
        check: Surroundings,
        ruling: |change| passes(change, Likeness::Same),
    },
    Rule {
        name: "the same tree within what stands round it",
        check: Surroundings,
        ruling: |change| passes(change, Likeness::Unwrapped),
    },
    Rule {
        name: "other nodes round a text",
        check: Surroundings,
        ruling: |change| passes(change, Likeness::RoundAPart),
    },
    Rule {
        name: "over the edge of a node",
        check: Surroundings,
        ruling: |change| passes(change, Likeness::OverAnEdge),
    },
    Rule {
        name: "instead of all that it filled",
        check: Surroundings,
        ruling: |change| passes(change, Likeness::InWhatItFilled),
    },
    Rule {
        name: "attached to what follows",
        check: Surroundings,
        ruling: |change| passes(change, Likeness::AttachedToWhatFollows),
    },
];

/// What the table says of one check.
pub(super) fn ruling(check: Check, change: &Comparison<'_, '_>) -> (Option<&'static str>, Ruling) {
    let rows = RULES.iter().filter(|rule| rule.check == check);
    let mut decided = rows.filter_map(|rule| Some((Some(rule.name), (rule.ruling)(change)?)));
    decided.next().unwrap_or((None, Passes(Vec::new())))
}

fn fails_to_parse(problems: Vec<super::NewProblem>) -> Option<Ruling> {
    (!problems.is_empty()).then_some(Fails(Failure::Syntax(problems)))
}

fn disturbs(disturbance: Disturbance) -> Option<Ruling> {
    Some(Fails(Failure::Surroundings(disturbance)))
}

/// What stands round the edit is what it was, in this way; what follows a new heading is a part of its section.
fn passes(change: &Comparison<'_, '_>, way: Likeness) -> Option<Ruling> {
    let (own, notes) = change.likeness().ok()?;
    let opens = sections::reaches_on(change).then_some(Note::OpensSection);
    (*own == way).then(|| Passes(notes.iter().cloned().chain(opens).collect()))
}
