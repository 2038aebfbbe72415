//! A text that tools can be called on without files, and what they answer about it.

use std::sync::{Arc, OnceLock};

use serde_json::json;

use crate::diagnostic::{self, Diagnostic};
use crate::language::{self, Language};
use crate::parse::Parsed;
use crate::preview;
use crate::source::{Digest, Source};
use crate::workspace::{FILE_LIMIT, refuse_control_characters};

use super::languages::named_language;
use super::made::{AnswerDetail, made_by};
use super::plan::EditPlan;
use super::request::{KeptCall, PathsArgument};
use super::response::{AnyAnswer, EditMade, EditStatus, MatchCounts, Refused, RefusedCall};

/// The name of a text that has none, without its extension.
pub(super) const UNNAMED: &str = "text";

/// A text that tools can be called on.
///
/// ```
/// use serde_json::json;
/// use treegraft::engine::on_text::OneText;
///
/// let text = OneText::new(None, Some("rust"), "fn f() { g(1) }\n".into()).expect("it is text");
/// let arguments = json!({"pattern": "g($A)", "new_content": "g($A, 2)"});
/// let answer = text.call("rewrite", arguments).expect("it has a match");
/// let after = answer.after.expect("it changed");
/// assert_eq!(after.text(), "fn f() { g(1, 2) }\n");
/// assert!(text.diff(&after).ends_with("-fn f() { g(1) }\n+fn f() { g(1, 2) }\n"));
/// ```
#[derive(Clone, Debug)]
pub struct OneText {
    source: Source,
    /// Parsed at the first call that needs it.
    parsed: OnceLock<Arc<Parsed>>,
}

/// The answer of a tool about a text.
pub struct TextAnswer {
    /// What the tool answers about a file of this text.
    pub answer: Box<dyn AnyAnswer>,
    /// The text after the edit, if the call changes it.
    pub after: Option<OneText>,
}

/// The answer of one tool about a text.
pub(super) struct OnText<A> {
    pub(super) answer: A,
    /// The text after the edit, if the call changes it.
    pub(super) after: Option<OneText>,
}

impl<A> OnText<A> {
    /// Returns the answer of a call that changes nothing.
    pub(super) fn unchanged(answer: A) -> OnText<A> {
        OnText {
            answer,
            after: None,
        }
    }
}

impl OnText<EditMade> {
    /// Returns the answer about planned edits of the text. `matches` are those of a rewrite.
    pub(super) fn edited(
        call: &KeptCall,
        plan: EditPlan,
        matches: Option<MatchCounts>,
    ) -> OnText<EditMade> {
        let file = plan.preview.files().first();
        let status = match file {
            Some(_) => EditStatus::Previewed,
            None => EditStatus::Unchanged,
        };
        OnText {
            answer: EditMade {
                matches,
                ..made_by(call, &plan, status, AnswerDetail::Diff)
            },
            after: file.map(|file| OneText::from(file.after().clone())),
        }
    }
}

impl From<Source> for OneText {
    fn from(source: Source) -> OneText {
        OneText {
            source,
            parsed: OnceLock::new(),
        }
    }
}

impl OneText {
    /// Creates a text. `file_path` is its name in answers and determines the language, unless `language` does. Without
    /// both, the text is plain text.
    ///
    /// # Errors
    /// The language is unknown or its grammar cannot be loaded (`unknown_language`, `grammar_unavailable`), the bytes are
    /// not text (`not_utf8`, `binary_file`), they are too many (`file_too_large`), or the name contains control characters
    /// (`invalid_arguments`).
    pub fn new(
        file_path: Option<&str>,
        language: Option<&str>,
        bytes: Vec<u8>,
    ) -> Result<OneText, Refused> {
        let arguments = json!({"file_path": file_path, "language": language});
        OneText::read(file_path, language, bytes)
            .map_err(|refused| Box::new(RefusedCall::of_call("text", arguments, refused)))
    }

    fn read(
        file_path: Option<&str>,
        language: Option<&str>,
        bytes: Vec<u8>,
    ) -> Result<OneText, Diagnostic> {
        let language = language.map(named_language).transpose()?;
        let path = match (file_path.filter(|path| !path.is_empty()), language) {
            (Some(path), _) => path.to_string(),
            (None, Some(language)) => name_of(language),
            (None, None) => UNNAMED.to_string(),
        };
        // They would break the lines of a diff.
        refuse_control_characters(path.as_str().into())
            .map_err(|error| diagnostic::about_file(&error))?;
        if bytes.len() as u64 > FILE_LIMIT {
            return Err(diagnostic::about_large_text(&path, bytes.len(), FILE_LIMIT));
        }
        let language = language.unwrap_or_else(|| {
            let start = &bytes[..bytes.len().min(LOOKED_AT)];
            language::for_file(&path, &String::from_utf8_lossy(start))
        });
        let source = Source::from_bytes(&path, language, bytes)
            .map_err(|error| diagnostic::about_text(&path, error))?;
        Ok(OneText::from(source))
    }

    /// Returns the text.
    pub fn text(&self) -> &str {
        self.source.text()
    }

    /// Returns the name of the text in answers.
    pub fn path(&self) -> &str {
        self.source.path()
    }

    /// Returns the digest of the text.
    pub fn digest(&self) -> Digest {
        self.source.digest()
    }

    /// Returns the unified diff to another text, in a form that `patch -p1` accepts.
    pub fn diff(&self, after: &OneText) -> String {
        preview::difference(&self.source, &after.source)
    }

    pub(super) fn source(&self) -> &Source {
        &self.source
    }

    pub(super) fn parsed(&self) -> &Arc<Parsed> {
        let parse = || Arc::new(Parsed::parse(self.source.clone()));
        self.parsed.get_or_init(parse)
    }

    /// Refuses the path of another file.
    pub(super) fn check_path(&self, path: &str) -> Result<(), Diagnostic> {
        match path == self.path() {
            true => Ok(()),
            false => Err(diagnostic::about_other_file(path, self.path())),
        }
    }

    /// Refuses paths other than that of the text.
    pub(super) fn check_paths(&self, paths: &PathsArgument) -> Result<(), Diagnostic> {
        paths.0.iter().try_for_each(|path| self.check_path(path))
    }

    /// Refuses arguments that need files or several pages, if they are passed.
    pub(super) fn refuse(&self, arguments: &[(&str, bool)]) -> Result<(), Diagnostic> {
        match arguments.iter().find(|(_, is_passed)| *is_passed) {
            None => Ok(()),
            Some((name, _)) => Err(diagnostic::about_argument_without_files(name)),
        }
    }
}

/// The maximum length of the start of a text that determines its language, in bytes.
const LOOKED_AT: usize = 64 * 1024;

/// Returns a name for a text in this language.
fn name_of(language: &Language) -> String {
    match (language.extensions(), language.file_names()) {
        ([extension, ..], _) => format!("{UNNAMED}.{extension}"),
        ([], [name, ..]) => name.to_string(),
        ([], []) => UNNAMED.to_string(),
    }
}
