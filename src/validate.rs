//! [`Change`] to [`Checked`]: the only maker of checked changes.
//!
//! Refuses ([`Rejected`]) a change that adds syntax errors, changes its surroundings, or contains a sketch of code
//! instead of code (docs/design/check.md). A check that is allowed to fail becomes a note. One table, `rules`, decides
//! over one comparison of the two trees; `docs/checks.md` names a case for each row.

mod at_once;
mod comparison;
mod content;
mod heredocs;
mod indentation;
mod line_ends;
mod missing_signs;
mod rejected;
mod rules;
mod sections;
pub mod several;
mod surroundings;
mod syntax;
mod values;

use crate::change::{Change, EditNote, Reading, Target, TextEdit};
use crate::parse::Parsed;
use crate::source::{Source, Span};

use comparison::Comparison;
use rules::{Ruling, ruling};
use surroundings::Difference;

pub use content::Suspicion;
pub use missing_signs::MissingSigns;
pub use surroundings::{Conversion, Disturbance, LostSymbol};
pub use syntax::{NewProblem, ProblemReason};

/// A check that may be allowed to fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Check {
    /// New syntax errors.
    SyntaxErrors,
    /// Changes around the target.
    Surroundings,
    /// Content that looks like a sketch of code.
    SuspiciousContent,
}

/// One or several edits of a text that passed every check, or whose failed checks were allowed.
///
/// ```
/// use treegraft::edit::edit;
/// use treegraft::{Operation, Parsed, Selector, Source, language, select, validate};
///
/// let text = "fn f() { g(1); }\n".to_string();
/// let parsed = Parsed::parse(Source::new("a.rs", language::for_file("a.rs", &text), text));
/// let selection = select::select(&parsed, &Selector::new("g", "call_expression")).expect("one call");
/// let change = edit(selection, &Operation::replace("h()")).expect("a call can be edited");
/// let checked = validate::validate(change, &[]).expect("a call for a call");
/// assert!(checked.notes().is_empty());
/// ```
#[derive(Debug)]
pub struct Checked<'p> {
    change: Change<'p>,
    notes: Vec<Note>,
    rows: Vec<&'static str>,
}

/// A change that did not pass.
#[derive(Debug)]
pub struct Rejected<'p> {
    change: Change<'p>,
    failure: Failure,
    rows: Vec<&'static str>,
}

/// How a check failed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Failure {
    /// Syntax errors that the edit adds, in file order (`breaks_syntax`).
    Syntax(Vec<NewProblem>),
    /// Changes around the target (`changes_surroundings`).
    Surroundings(Disturbance),
    /// Why the content does not look like code (`suspicious_content`).
    Content(Suspicion),
}

impl Failure {
    /// Returns the check that failed.
    pub fn check(&self) -> Check {
        match self {
            Failure::Syntax(_) => Check::SyntaxErrors,
            Failure::Surroundings(_) => Check::Surroundings,
            Failure::Content(_) => Check::SuspiciousContent,
        }
    }
}

/// A message that a preview shows next to the diff.
///
/// ```
/// use treegraft::{InsertPosition, Note, Operation, Parsed, Selector, Source, language, select, validate};
/// use treegraft::edit::edit;
///
/// let text = "fn f() { g(1); }\n".to_string();
/// let parsed = Parsed::parse(Source::new("a.rs", language::for_file("a.rs", &text), text));
/// let selection = select::select(&parsed, &Selector::new("1", "integer_literal")).expect("one number");
/// let insert = Operation::insert(InsertPosition::After, "2");
/// let change = edit(selection, &insert).expect("an argument can follow");
/// let checked = validate::validate(change, &[]).expect("arguments");
/// assert!(matches!(checked.notes(), [Note::Edit(_)]));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Note {
    /// What the operation did in addition to inserting the text.
    Edit(EditNote),
    /// The type of an enclosing node changed.
    ParentChanged {
        /// Its type before.
        was: String,
        /// Its type now.
        now: String,
    },
    /// The level of a heading changed, which moves the following text into another section.
    HeadingLevel {
        /// Its level before, where 1 is the highest.
        was: u8,
        /// Its level now.
        now: u8,
    },
    /// A definition becomes one of another kind, and nothing else changes.
    Converted(Conversion),
    /// The text after the new content is now in the section of its heading.
    OpensSection,
    /// The first or last line of the content is repeated directly before or after it.
    RepeatsNeighbour {
        /// The line, without the whitespace around it.
        line: String,
        /// Whether the line is before the content; otherwise it is after it.
        before: bool,
    },
    /// A failed check that the request allowed.
    Allowed(Failure),
}

/// All checks, in the order in which they run.
const CHECKS: [Check; 3] = [
    Check::SuspiciousContent,
    Check::SyntaxErrors,
    Check::Surroundings,
];

/// Checks a change. `allow` names the checks whose failure becomes a note.
///
/// An incremental tree occasionally differs from a fresh one (5 of 27,000 edits), but never if the fresh one is clean.
/// A change that fails because of its tree is therefore judged again with a fresh tree, and then in other readings of the
/// same two trees.
///
/// # Errors
/// The first check that failed without being allowed.
pub fn validate<'p>(change: Change<'p>, allow: &[Check]) -> Result<Checked<'p>, Box<Rejected<'p>>> {
    let verdict = Verdict::new(&change, change.reading(), &CHECKS, allow);
    if !verdict.is_of_tree() {
        return verdict.passed_on(change, allow);
    }
    let (change, mut verdict) = match change.after().is_incremental() {
        true => {
            let change = change.parsed_from_scratch();
            let verdict = Verdict::new(&change, change.reading(), &CHECKS, allow);
            (change, verdict)
        }
        false => (change, verdict),
    };
    if verdict.is_of_tree()
        && let Some(passed) = read_otherwise(&change)
    {
        verdict.failed.retain(|failed| !failed.is_of_tree());
        verdict.notes = passed;
        verdict.rows = vec![OTHERWISE];
    }
    verdict.passed_on(change, allow)
}

/// Returns whether a change passes with its incremental tree, in which case it passes [`validate`] too. Used to try
/// suggested calls.
pub(crate) fn passes(change: &Change<'_>, allow: &[Check]) -> bool {
    let verdict = Verdict::new(change, change.reading(), &CHECKS, allow);
    verdict.refuses(allow).is_none()
}

/// The result of all checks of a change in one reading.
struct Verdict {
    /// The failed checks, up to the first one that is not allowed to fail.
    failed: Vec<FailedCheck>,
    notes: Vec<Note>,
    /// The names of the rules that decided.
    rows: Vec<&'static str>,
}

impl Verdict {
    fn new<'p>(
        change: &Change<'p>,
        reading: &Reading<'p>,
        checks: &[Check],
        allow: &[Check],
    ) -> Verdict {
        let comparison = Comparison::new(change, reading);
        let mut verdict = Verdict {
            failed: Vec::new(),
            notes: Vec::new(),
            rows: Vec::new(),
        };
        for check in checks {
            let (row, ruling) = ruling(*check, &comparison);
            verdict.rows.extend(row);
            match ruling {
                Ruling::Passes(notes) => verdict.notes.extend(notes),
                Ruling::Fails(failed) => verdict.failed.push(failed),
            }
            if verdict.refuses(allow).is_some() {
                break;
            }
        }
        verdict
    }

    fn refuses(&self, allow: &[Check]) -> Option<usize> {
        let mut failed = self.failed.iter();
        failed.position(|failed| !allow.contains(&failed.check()))
    }

    fn is_of_tree(&self) -> bool {
        self.failed.iter().any(FailedCheck::is_of_tree)
    }

    fn passed_on<'p>(
        self,
        change: Change<'p>,
        allow: &[Check],
    ) -> Result<Checked<'p>, Box<Rejected<'p>>> {
        let refused = self.refuses(allow);
        let rows = self.rows;
        let mut failures: Vec<Failure> = {
            let comparison = Comparison::new(&change, change.reading());
            let failed = self.failed.into_iter();
            failed.map(|failed| failed.describe(&comparison)).collect()
        };
        if let Some(refused) = refused {
            return Err(Box::new(Rejected {
                change,
                failure: failures.swap_remove(refused),
                rows,
            }));
        }
        let mut notes: Vec<Note> = change.notes().iter().cloned().map(Note::Edit).collect();
        notes.extend(self.notes);
        notes.extend(failures.into_iter().map(Note::Allowed));
        let repeated = RepeatedLines {
            before: change.before().source(),
            after: change.after(),
            hulls: [change.text_edit().hull(), change.text_edit().new_hull()],
            new_span: change.new_span(),
        };
        notes.extend(repeated.notes());
        Ok(Checked {
            change,
            notes,
            rows,
        })
    }
}

/// Returns the names of all rules in the decision table, in order.
pub fn rows() -> impl Iterator<Item = &'static str> {
    rules::RULES.iter().map(|rule| rule.name).chain([OTHERWISE])
}

/// The last row of the decision table: the change passes in another reading.
const OTHERWISE: &str = "alternative reading";

/// Returns the notes on a text replacement that passes in another reading.
fn read_otherwise(change: &Change<'_>) -> Option<Vec<Note>> {
    const OF_TREE: [Check; 2] = [Check::SyntaxErrors, Check::Surroundings];
    other_readings(change).find_map(|other| {
        let verdict = Verdict::new(change, &other, &OF_TREE, &[]);
        verdict.failed.is_empty().then_some(verdict.notes)
    })
}

/// Returns the other readings of a text replacement.
fn other_readings<'c, 'p>(
    change: &'c Change<'p>,
) -> impl Iterator<Item = Reading<'p>> + use<'c, 'p> {
    let reading = change.reading();
    let is_of_text = reading.selection.is_text() && !reading.is_several();
    let others = is_of_text.then(|| reading.others(change.after().source()));
    others.into_iter().flatten()
}

/// A failed check; a refusal describes it as a [`Failure`].
enum FailedCheck {
    Content(Suspicion),
    Syntax(Vec<NewProblem>),
    Surroundings(Difference),
}

impl FailedCheck {
    fn check(&self) -> Check {
        match self {
            FailedCheck::Content(_) => Check::SuspiciousContent,
            FailedCheck::Syntax(_) => Check::SyntaxErrors,
            FailedCheck::Surroundings(_) => Check::Surroundings,
        }
    }

    /// Returns whether the failure was found in the new tree, so that a fresh tree may lack it.
    fn is_of_tree(&self) -> bool {
        match self {
            // The language's own parser never saw the tree.
            FailedCheck::Syntax(problems) => {
                problems.iter().any(|problem| problem.reason.is_none())
            }
            FailedCheck::Surroundings(_) => true,
            FailedCheck::Content(_) => false,
        }
    }

    fn describe(self, change: &Comparison<'_, '_>) -> Failure {
        match self {
            FailedCheck::Content(suspicion) => Failure::Content(suspicion),
            FailedCheck::Syntax(problems) => Failure::Syntax(problems),
            FailedCheck::Surroundings(difference) => {
                Failure::Surroundings(difference.describe(change))
            }
        }
    }
}

impl<'p> Checked<'p> {
    /// Returns the text and tree before the change.
    pub fn before(&self) -> &'p Parsed {
        self.change.before()
    }

    /// Returns the text and tree after the change.
    pub fn after(&self) -> &Parsed {
        self.change.after()
    }

    /// Returns the replacements.
    pub fn text_edit(&self) -> &TextEdit {
        self.change.text_edit()
    }

    /// Returns the target of each edit; at least one.
    pub fn targets(&self) -> &[Target] {
        self.change.targets()
    }

    /// Returns the span of the new content; for several edits, from the first to the last.
    pub fn new_span(&self) -> Span {
        self.change.new_span()
    }

    /// Returns the notes to show with the diff; empty for several edits, whose notes are in [`several::Made`].
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// Returns the names of the rules in `docs/checks.md` that decided, at most one per check; empty for several edits.
    pub fn decided_by(&self) -> &[&'static str] {
        &self.rows
    }

    /// Returns the old and new text, the replacements, the targets and the notes.
    pub(crate) fn into_parts(self) -> (Source, Source, TextEdit, Vec<Target>, Vec<Note>) {
        let (before, after, text_edit, targets) = self.change.into_parts();
        (before, after, text_edit, targets, self.notes)
    }
}

impl<'p> Rejected<'p> {
    /// Returns the rejected change.
    pub fn change(&self) -> &Change<'p> {
        &self.change
    }

    /// Returns why the first failed check failed.
    pub fn failure(&self) -> &Failure {
        &self.failure
    }

    /// Returns the names of the rules in `docs/checks.md` that decided, at most one per check, up to the failed one.
    pub fn decided_by(&self) -> &[&'static str] {
        &self.rows
    }
}

/// Returns whether the line consists of keywords and brackets alone, like the `end` of a block. Nested blocks repeat such
/// lines.
fn is_structure(parsed: &Parsed, line: Span) -> bool {
    let chain = parsed.chain(line);
    let Some(enclosing) = chain.last() else {
        return false;
    };
    let mut cursor = parsed.walk(*enclosing);
    loop {
        let node = cursor.node();
        let starts_in = line.start() <= node.span().start() && node.span().start() < line.end();
        if starts_in && node.is_named() {
            return false;
        }
        if node.span().touches(line) && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return true;
            }
        }
    }
}

/// Lines of the content that are repeated directly before or after it, often a duplicate signature.
struct RepeatedLines<'a> {
    before: &'a Source,
    after: &'a Parsed,
    /// From the first replaced byte to the last, in the old and in the new text.
    hulls: [Span; 2],
    /// The content.
    new_span: Span,
}

impl RepeatedLines<'_> {
    fn notes(&self) -> Vec<Note> {
        let RepeatedLines {
            before,
            after: parsed,
            hulls: [hull, new_hull],
            new_span,
        } = *self;
        let after = parsed.source();
        let words = |line: &str| {
            let line = line.trim();
            line.contains(char::is_alphanumeric)
                .then(|| line.to_string())
        };
        let line = |source: &Source, number: usize| words(&source.slice(source.line_span(number)?));
        let first = before.line_of(hull.start());
        let starts_line = before.line_span(first).is_some_and(|line| {
            let line_start = before.slice(Span::new(line.start().min(hull.start()), hull.start()));
            line_start.trim().is_empty()
        });
        // For a target in the middle of a line, that line is the one before.
        let line_before = match starts_line {
            true => after
                .line_of(new_hull.start())
                .checked_sub(1)
                .and_then(|above| line(after, above)),
            false => line(before, first),
        };
        let line_after = line(after, after.line_of(new_hull.end()) + 1);
        let mut notes = Vec::new();
        let mut push = |own: Option<String>, other: Option<String>, is_before: bool| {
            if let (Some(own), Some(other)) = (own, other)
                && own == other
            {
                notes.push(Note::RepeatsNeighbour {
                    line: own,
                    before: is_before,
                });
            }
        };
        let own = |number: usize| {
            let line = after.line_span(number)?;
            let start = line.start().max(new_span.start());
            let line = Span::new(start, line.end().clamp(start, new_span.end().max(start)));
            let text = after.slice(line);
            let start = start + (text.len() - text.trim_start().len());
            words(&text).map(|words| (Span::new(start, start + words.len()), words))
        };
        let unless_structure = |(span, words): (Span, String)| {
            let is_structure = is_structure(parsed, span);
            (!is_structure).then_some(words)
        };
        let (first, last) = (
            after.line_of(new_span.start()),
            after.line_of(new_span.end()),
        );
        let own_first = (first..=last).take(2).find_map(own);
        push(own_first.and_then(unless_structure), line_before, true);
        let own_last = own(last).filter(|_| last > first);
        push(own_last.and_then(unless_structure), line_after, false);
        notes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::change::Replacement;
    use crate::language;

    #[test]
    fn words_between_the_places_of_several_edits_stay() {
        let text = "fn f() {\n    let a = 1;\n    let b = 2;\n    let c = 3;\n}\n";
        let source = Source::new("a.rs", language::for_file("a.rs", text), text.to_string());
        let before = Parsed::parse(source);
        let put_in = |word: &str, new_text: &str| Replacement {
            span: Span::at(text.find(word).expect("it is there")),
            new_text: new_text.to_string(),
        };
        let decided_by = |replacements| {
            let text_edit = TextEdit::new(before.source(), replacements);
            let change = Change::of_texts(&before, text_edit.expect("they are apart"));
            match validate(change, &[]) {
                Ok(checked) => checked.decided_by().to_vec(),
                Err(rejected) => rejected.decided_by().to_vec(),
            }
        };
        let comment = vec![put_in("let b", "/* "), put_in("let c", "*/ ")];
        assert_eq!(decided_by(comment), ["different tree"]);
        let block = vec![put_in("let b", "{ "), put_in("let c", "} ")];
        assert_eq!(decided_by(block), ["regrouped tokens"]);
    }
}
