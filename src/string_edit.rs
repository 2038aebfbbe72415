//! Exact replacements of strings, as agents' own edit tools make them: finds what an old string means if it is not in the
//! text, and checks the result.
//!
//! Input: a text with `\n` as its only line ending, and a [`StringEdit`]. Output: a [`Resolution`]. An old string that is
//! not in the text is compared token by token: with other whitespace, indentation, line numbers or quotes, or with one
//! stale line next to what changes. If it means exactly one place, the edit is corrected to the bytes of the text;
//! otherwise nothing is guessed. [`outcome`] also judges the result, as [`validate`](mod@crate::validate) judges any change.
//!
//! | module | decides |
//! |---|---|
//! | `forms` | in which forms the strings of an edit are read: without line numbers, with straight quotes |
//! | `find` | the one place that an old string means, and which of its lines are stale |
//! | `fit` | the bytes of the corrected strings |
//! | `indentation` | which indentation of the text an indentation of the edit means |
//! | `context` | the shortest context that makes each of several places unique |

mod context;
mod find;
mod fit;
mod forms;
mod indentation;
#[cfg(test)]
mod tests;

use crate::change::{Change, NotAnEdit, Replacement, TextEdit};
use crate::locate;
use crate::parse::Parsed;
use crate::source::Span;
use crate::validate::{Check, Checked, Rejected, validate};

/// The replacement of an exact string by another one.
///
/// ```
/// use treegraft::string_edit::{Resolution, StringEdit, resolve};
///
/// let text = "fn main() {\n    start(80);\n}\n";
/// let edit = StringEdit::new("start( 80 )", "start(443)");
/// let Resolution::Corrected(corrected) = resolve(text, &edit) else {
///     panic!("the text has `start(80)`, once");
/// };
/// assert_eq!(corrected.edit, StringEdit::new("start(80)", "start(443)"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StringEdit {
    /// The string to replace.
    pub old: String,
    /// The string that replaces it.
    pub new: String,
    /// Whether to replace every occurrence; otherwise there must be exactly one.
    pub all: bool,
}

impl StringEdit {
    /// Creates the replacement of the only occurrence of `old`.
    pub fn new(old: impl Into<String>, new: impl Into<String>) -> StringEdit {
        StringEdit {
            old: old.into(),
            new: new.into(),
            all: false,
        }
    }

    /// Returns the text after the edit, if the old string occurs: every occurrence, or the first.
    pub fn applied(&self, text: &str) -> String {
        text.replacen(&self.old, &self.new, if self.all { usize::MAX } else { 1 })
    }
}

/// What an edit means in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Resolution {
    /// The old string occurs as it is, as often as the edit needs.
    Exact,
    /// The old string does not occur, but means exactly one place.
    Corrected(Corrected),
    /// The old string occurs several times.
    Several(Several),
    /// The old string does not occur, and means no single place.
    Missing,
}

/// An edit with the bytes of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Corrected {
    /// The edit; its old string occurs exactly once.
    pub edit: StringEdit,
    /// The bytes of the text that it replaces.
    pub span: Span,
    /// How the old string differed, each once.
    pub differences: Vec<Difference>,
}

/// How an old string differs from the text that it means.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Difference {
    /// Its lines begin with line numbers.
    LineNumbers,
    /// Its quotes or dashes are typographic where the text has plain ones, or the reverse.
    Quotes,
    /// Its whitespace differs.
    Whitespace,
    /// A line next to what changes is not in the text, or differs there.
    StaleLine(String),
}

/// The places of an old string that occurs several times.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Several {
    /// The first places, in file order.
    pub places: Vec<Occurrence>,
    /// The number of all places.
    pub total: usize,
}

/// One of several occurrences of an old string.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Occurrence {
    /// The bytes of the occurrence.
    pub span: Span,
    /// The edit with the fewest lines of context that make it unique; `None` if no few lines do.
    pub unique: Option<StringEdit>,
}

/// Returns what `edit` means in `text`, whose line endings are `\n`.
pub fn resolve(text: &str, edit: &StringEdit) -> Resolution {
    if edit.old.is_empty() {
        return Resolution::Missing;
    }
    match text.matches(edit.old.as_str()).count() {
        0 => find::meant(text, edit).map_or(Resolution::Missing, Resolution::Corrected),
        1 => Resolution::Exact,
        _ if edit.all => Resolution::Exact,
        _ => Resolution::Several(context::unique(text, edit)),
    }
}

/// The texts that are most similar to an old string, token by token.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Similar {
    /// Where they are, in file order; none if no text is similar.
    pub spans: Vec<Span>,
    /// Whether they differ from the old string only in whitespace, quotes and dashes.
    pub has_same_tokens: bool,
}

/// Returns the texts that are most similar to an old string, in a text that does not contain it.
pub fn similar(parsed: &Parsed, old: &str) -> Similar {
    let near = locate::nearly(parsed, None, old).unwrap_or_default();
    let spans: Vec<Span> = near.iter().map(|one| one.span).collect();
    let text = parsed.source().text();
    let mut texts = spans.iter().map(|span| &text[span.range()]);
    Similar {
        has_same_tokens: texts.all(|own| fit::is_same_code(old, own)),
        spans,
    }
}

/// What a call of an edit tool would do to a text.
#[derive(Debug)]
#[non_exhaustive]
pub enum Outcome<'p> {
    /// Every string is in the text, and the result has no new syntax errors. Changes around the edits and content that
    /// looks like a sketch are notes ([`Note::Allowed`](crate::validate::Note)): the call may be one step of several.
    Sound(Box<Checked<'p>>),
    /// The call means something else than it says: edits with the bytes of the text, whose result has no new syntax
    /// errors.
    Corrected {
        /// All edits of the call.
        edits: Vec<StringEdit>,
        /// How their strings differed.
        differences: Vec<Difference>,
    },
    /// A string occurs several times: the index of its edit, and its places.
    Several(usize, Several),
    /// A string is not in the text and means no single place: the index of its edit.
    Missing(usize),
    /// The result has new syntax errors.
    Broken(Box<Rejected<'p>>),
}

/// Returns what edits would do to a text, each in the result of the preceding one.
pub fn outcome<'p>(before: &'p Parsed, edits: &[StringEdit]) -> Outcome<'p> {
    let mut text = before.source().text().to_string();
    let mut exact: Vec<StringEdit> = Vec::with_capacity(edits.len());
    let mut differences: Vec<Difference> = Vec::new();
    let mut first_corrected = None;
    for (index, edit) in edits.iter().enumerate() {
        let edit = match resolve(&text, edit) {
            Resolution::Exact => edit.clone(),
            Resolution::Corrected(corrected) => {
                first_corrected = first_corrected.or(Some(index));
                differences.extend(corrected.differences);
                corrected.edit
            }
            Resolution::Several(several) => return Outcome::Several(index, several),
            Resolution::Missing => return Outcome::Missing(index),
        };
        text = edit.applied(&text);
        exact.push(edit);
    }
    match (check(before, &exact), first_corrected) {
        (Ok(checked), None) => Outcome::Sound(Box::new(checked)),
        (Err(rejected), None) => Outcome::Broken(rejected),
        (Ok(_), Some(_)) => Outcome::Corrected {
            edits: exact,
            differences,
        },
        // A correction that breaks the syntax is no correction.
        (Err(_), Some(index)) => Outcome::Missing(index),
    }
}

/// Returns what writing a whole text instead of another one would do to it.
pub fn outcome_of_whole<'p>(before: &'p Parsed, new: &str) -> Outcome<'p> {
    let whole = StringEdit::new(before.source().text(), new);
    match check(before, &[whole]) {
        Ok(checked) => Outcome::Sound(Box::new(checked)),
        Err(rejected) => Outcome::Broken(rejected),
    }
}

/// Makes edits whose strings are in the text, and checks the result.
fn check<'p>(before: &'p Parsed, edits: &[StringEdit]) -> Result<Checked<'p>, Box<Rejected<'p>>> {
    const ALLOWED: [Check; 2] = [Check::Surroundings, Check::SuspiciousContent];
    let text_edit = text_edit(before, edits).expect("the old strings are in the text");
    validate(Change::of_texts(before, text_edit), &ALLOWED)
}

/// Returns all edits as one edit of the source.
fn text_edit(before: &Parsed, edits: &[StringEdit]) -> Result<TextEdit, NotAnEdit> {
    let mut source = before.source().clone();
    let mut so_far = TextEdit::new(&source, Vec::new())?;
    for edit in edits {
        let places = source.text().match_indices(edit.old.as_str());
        let places = places.take(if edit.all { usize::MAX } else { 1 });
        let replacements: Vec<Replacement> = places
            .map(|(start, old)| smallest(Span::new(start, start + old.len()), old, &edit.new))
            .collect();
        let next = TextEdit::new(&source, replacements)?;
        source = next.apply(&source);
        so_far = so_far.then(&next);
    }
    Ok(so_far)
}

/// Returns the replacement of `old`, which is at `span`, without what both strings begin and end with.
fn smallest(span: Span, old: &str, new: &str) -> Replacement {
    let equal = |(one, other): &(char, char)| one == other;
    let head = old.chars().zip(new.chars()).take_while(equal);
    let head: usize = head.map(|(char, _)| char.len_utf8()).sum();
    let (old, new) = (&old[head..], &new[head..]);
    let tail = old.chars().rev().zip(new.chars().rev()).take_while(equal);
    let tail: usize = tail.map(|(char, _)| char.len_utf8()).sum();
    Replacement {
        span: Span::new(span.start() + head, span.end() - tail),
        new_text: new[..new.len() - tail].to_string(),
    }
}
