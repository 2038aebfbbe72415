//! Makes refusals that suggest calls: `suggest` resolves the calls, `explain` has the words.

use crate::edit::Operation;
use crate::locate::{ELIDED, LocateError, Question, around_marker, bounded_readings};
use crate::parse::Parsed;
use crate::preview;
use crate::select::{Anchor, SelectError, Selector};
use crate::validate::Rejected;
use crate::validate::several::EditFailure;

use super::attempt::{Attempt, ContentOrigin, Pointing};
use super::{Diagnostic, MissingText, explain, suggest};

/// Explains why a selector was refused.
pub fn about_select(
    parsed: &Parsed,
    selector: &Selector,
    error: &SelectError<'_>,
    pointing: Pointing<'_>,
) -> Diagnostic {
    let selector = &*selector.in_file(parsed);
    let suggestions = suggest::for_selector(parsed, selector, error, pointing);
    Diagnostic {
        missing_text: match error {
            SelectError::AnchorNotFound if matches!(selector.anchor, Anchor::Pattern(_)) => None,
            SelectError::AnchorNotFound | SelectError::Find(_) => {
                missing_text(parsed, selector.anchor.as_str())
            }
            _ => None,
        },
        ..explain::selector_refused(parsed, selector, error, pointing, suggestions)
    }
}

/// Explains why a locator was refused.
pub fn about_locate(parsed: &Parsed, question: &Question, error: &LocateError) -> Diagnostic {
    let locate = &question.locate;
    Diagnostic {
        missing_text: match (error, &locate.find) {
            (LocateError::Find(_), Some(find)) => missing_text(parsed, find),
            _ => None,
        },
        suggestions: suggest::for_locate(parsed, locate, error),
        ..explain::locator_refused(parsed, locate, error)
    }
}

/// Explains why an operation failed on a node. Shows the change if a check rejected it.
pub fn about_edit(attempt: &Attempt<'_, '_>, failure: &EditFailure<'_>) -> Diagnostic {
    match failure {
        EditFailure::Edit(error) => Diagnostic {
            suggestions: suggest::for_edit(attempt, error),
            ..explain::edit_refused(attempt, error)
        },
        EditFailure::Rejected(rejected) => {
            let (change, missing) = (rejected.change(), rejected.missing_signs());
            Diagnostic {
                diff: Some(preview::diff(change.before().source(), change.text_edit())),
                suggestions: suggest::for_rejected(attempt, rejected),
                ..explain::change_rejected(attempt, rejected, missing.as_ref())
            }
        }
    }
}

/// Explains why the content of a new file was rejected. The excerpt is enough: the caller has sent all of the content.
#[cfg(feature = "disk")]
pub fn about_rejected_file(rejected: &Rejected<'_>) -> Diagnostic {
    about_whole(rejected, ContentOrigin::Argument)
}

/// Explains why the string edits of an agent's own edit tool would break the syntax.
pub fn about_string_edits(rejected: &Rejected<'_>) -> Diagnostic {
    about_whole(rejected, ContentOrigin::StringEdit)
}

/// Explains why a change without a single target was rejected.
fn about_whole(rejected: &Rejected<'_>, origin: ContentOrigin) -> Diagnostic {
    let change = rejected.change();
    let attempt = Attempt {
        selection: change.selection(),
        selector: &Selector::new("", ""),
        operation: &Operation::replace(change.after().source().text()),
        origin,
        allow: &[],
    };
    explain::change_rejected(&attempt, rejected, rejected.missing_signs().as_ref())
}

/// Explains why a part of an edit, or an edit after others, fails a check.
#[cfg(feature = "disk")]
pub fn about_rejected_part(rejected: &Rejected<'_>) -> Diagnostic {
    let refused = about_rejected_file(rejected);
    let path = rejected.change().before().source().path();
    Diagnostic {
        message: format!(
            "without what you leave out, or with the other edits, `{path}` would not be sound: {}; nothing was written",
            refused.message
        ),
        suggestions: Vec::new(),
        help: Some("choose what belongs together".to_string()),
        ..refused
    }
}

/// Returns the text to search for in other files, without markers. Returns `None` if this file contains it, or if a
/// part of it is elided.
fn missing_text(parsed: &Parsed, find: &str) -> Option<Box<MissingText>> {
    let text = match around_marker(find) {
        Some((before, after)) => [before, after].concat(),
        None => bounded_readings(find).swap_remove(0).text,
    };
    let text = text.trim();
    let is_here = parsed.source().text().contains(text);
    (!is_here && !text.contains(ELIDED)).then(|| {
        Box::new(MissingText {
            file_path: parsed.source().path().to_string(),
            text: text.to_string(),
        })
    })
}
