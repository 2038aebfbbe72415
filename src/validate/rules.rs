//! The decision table for changes: [`RULES`]. The rules of a check are tried from top to bottom, and the first one that
//! applies decides. A change passes a check if no rule of that check applies.

use super::comparison::Comparison;
use super::surroundings::{self, Difference, Likeness};
use super::{Check, FailedCheck, Note, content, sections, syntax};

/// One row of the decision table.
pub(super) struct DecisionRule {
    /// The name used in `docs/checks.md`.
    pub(super) name: &'static str,
    /// The check it belongs to.
    pub(super) check: Check,
    /// Returns the ruling on a change, or `None` if the rule does not apply.
    pub(super) ruling: fn(&Comparison<'_, '_>) -> Option<Ruling>,
}

/// The decision of a rule.
pub(super) enum Ruling {
    Passes(Vec<Note>),
    Fails(FailedCheck),
}

use Check::{Surroundings, SuspiciousContent, SyntaxErrors};
use Ruling::{Fails, Passes};

/// The decision table.
pub(super) static RULES: &[DecisionRule] = &[
    DecisionRule {
        name: "sketch",
        check: SuspiciousContent,
        ruling: |change| Some(Fails(FailedCheck::Content(content::suspicion(change)?))),
    },
    DecisionRule {
        name: "unreadable text",
        check: SyntaxErrors,
        ruling: |change| fails_to_parse(syntax::unreadable(change)),
    },
    DecisionRule {
        name: "strict parser",
        check: SyntaxErrors,
        ruling: |change| fails_to_parse(syntax::new_for_strict_parser(change)),
    },
    DecisionRule {
        name: "misread here-document",
        check: SyntaxErrors,
        ruling: |change| fails_to_parse(syntax::splits_heredoc(change)),
    },
    DecisionRule {
        name: "new syntax errors",
        check: SyntaxErrors,
        ruling: |change| fails_to_parse(syntax::new_in_tree(change)),
    },
    DecisionRule {
        name: "unclosed delimiter",
        check: SyntaxErrors,
        ruling: |change| fails_to_parse(syntax::loose_end(change)),
    },
    DecisionRule {
        name: "worse when parsed alone",
        check: SyntaxErrors,
        ruling: |change| fails_to_parse(syntax::worse_in_itself(change)),
    },
    DecisionRule {
        name: "indentation",
        check: SyntaxErrors,
        ruling: |change| fails_to_parse(syntax::misplaced(change)),
    },
    DecisionRule {
        name: "ended by a line break",
        check: SyntaxErrors,
        ruling: |change| fails_to_parse(syntax::ended_by_line(change)),
    },
    DecisionRule {
        name: "parser of the language",
        check: SyntaxErrors,
        ruling: |change| fails_to_parse(syntax::new_for_code_parser(change)),
    },
    DecisionRule {
        name: "arguments of a macro",
        check: SyntaxErrors,
        ruling: |change| fails_to_parse(syntax::unparses_macro(change)),
    },
    DecisionRule {
        name: "plain text",
        check: Surroundings,
        ruling: |change| surroundings::is_of_plain_text(change).then(|| Passes(Vec::new())),
    },
    DecisionRule {
        name: "heading level",
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
    DecisionRule {
        name: "new section",
        check: Surroundings,
        ruling: |change| {
            let opens = change.likeness().is_err()
                && sections::opens_section(change)
                && change.symbols().lost.is_empty();
            opens.then(|| Passes(vec![Note::OpensSection]))
        },
    },
    DecisionRule {
        name: "other kind of definition",
        check: Surroundings,
        ruling: |change| {
            let is_of_text = change.selection.is_text() && change.likeness().is_err();
            if !is_of_text || !change.has_same_tokens() {
                return None;
            }
            let converted = change.symbols().converted.clone()?;
            Some(Passes(vec![Note::Converted(converted)]))
        },
    },
    DecisionRule {
        name: "different tree",
        check: Surroundings,
        ruling: |change| disturbs(change.likeness().err()?.clone()),
    },
    DecisionRule {
        name: "moved symbols",
        check: Surroundings,
        ruling: |change| disturbs(sections::moved_symbols(change)?),
    },
    DecisionRule {
        name: "different value",
        check: Surroundings,
        ruling: |change| disturbs(Difference::new(change.parent(), change.changed_value()?)),
    },
    DecisionRule {
        name: "same nodes",
        check: Surroundings,
        ruling: |change| passes(change, Likeness::SameNodes),
    },
    DecisionRule {
        name: "regrouped tokens",
        check: Surroundings,
        ruling: |change| passes(change, Likeness::Regrouped),
    },
];

/// Returns the name of the rule that decides a check, and its ruling.
pub(super) fn ruling(check: Check, change: &Comparison<'_, '_>) -> (Option<&'static str>, Ruling) {
    let rows = RULES.iter().filter(|rule| rule.check == check);
    let mut decided = rows.filter_map(|rule| Some((Some(rule.name), (rule.ruling)(change)?)));
    decided.next().unwrap_or((None, Passes(Vec::new())))
}

fn fails_to_parse(problems: Vec<super::NewProblem>) -> Option<Ruling> {
    (!problems.is_empty()).then_some(Fails(FailedCheck::Syntax(problems)))
}

fn disturbs(difference: Difference) -> Option<Ruling> {
    Some(Fails(FailedCheck::Surroundings(difference)))
}

/// Accepts a change whose surroundings are alike in this way; adds a note if a new heading opens a section.
fn passes(change: &Comparison<'_, '_>, way: Likeness) -> Option<Ruling> {
    let (own, notes) = change.likeness().ok()?;
    let opens = sections::reaches_on(change).then_some(Note::OpensSection);
    (*own == way).then(|| Passes(notes.iter().cloned().chain(opens).collect()))
}
