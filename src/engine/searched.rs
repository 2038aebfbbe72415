//! The matches of a pattern or of rules in the files of a call.

use camino::Utf8Path;

use crate::diagnostic::Diagnostic;
use crate::parse::Parsed;
use crate::pattern::{Matches, Pattern};
use crate::select::MATCHES_LOOKED_AT;
use crate::source::Source;
use crate::workspace::WorkspacePath;

use super::core::Engine;
use super::files::{SearchedFiles, in_turn, skipped_text};
use super::per_language::PerLanguage;
use super::rules::Rules;
use super::watch::Watch;

/// What is searched for.
pub(super) enum Searched<'r> {
    Pattern(PerLanguage<'r, Pattern>),
    Rules(Box<Rules>),
}

impl Searched<'_> {
    /// Returns false if a text has no match, without a parse.
    pub(super) fn may_be_in(&self, source: &Source) -> bool {
        match self {
            Searched::Pattern(pattern) => pattern.may_be_in(source),
            Searched::Rules(rules) => rules.may_be_in(source),
        }
    }

    /// Returns the path that the globs of rules are matched against.
    pub(super) fn matched_path<'p>(&self, path: &'p WorkspacePath) -> &'p Utf8Path {
        match self {
            Searched::Pattern(_) => path.relative(),
            Searched::Rules(rules) => rules.matched_path(path),
        }
    }

    pub(super) fn find<'p>(&self, path: &Utf8Path, parsed: &'p Parsed) -> Matches<'p> {
        match self {
            Searched::Pattern(pattern) => pattern.find(parsed, MATCHES_LOOKED_AT),
            Searched::Rules(rules) => rules.find(path, parsed, MATCHES_LOOKED_AT),
        }
    }

    /// Refuses a pattern that is valid for none of the searched languages.
    pub(super) fn check(&self) -> Result<(), Diagnostic> {
        match self {
            Searched::Pattern(pattern) => pattern.check(),
            Searched::Rules(_) => Ok(()),
        }
    }
}

impl Engine {
    /// Asks about each file that may contain a match, on all cores, and keeps nothing else of it. Also returns notes on
    /// files that were not searched.
    pub(super) fn in_files<T: Send>(
        &self,
        searched: &SearchedFiles,
        wanted: &Searched<'_>,
        watch: &dyn Watch,
        ask: impl Fn(&WorkspacePath, &Parsed) -> Result<T, Diagnostic> + Sync,
    ) -> Result<(Vec<T>, Vec<String>), Diagnostic> {
        let files = &searched.files;
        let progress = in_turn(files.len(), usize::MAX, watch, |index, _| {
            let opened = self.opened(&files[index])?;
            match wanted.may_be_in(opened.source()) {
                true => Ok(vec![ask(&files[index], &opened.parsed())]),
                false => Ok(Vec::new()),
            }
        });
        if let Some(stopped) = progress.stopped {
            return Err(self.about_stopped(stopped));
        }
        let mut answers = Vec::new();
        let mut skipped = Vec::new();
        for read in progress.into_results() {
            match read {
                // A file that cannot be read is skipped among others; what is asked about a file never is.
                Err(unreadable) if searched.is_list => skipped.push(unreadable.code),
                Err(unreadable) => return Err(unreadable),
                Ok(answer) => {
                    for one in answer {
                        answers.push(one?);
                    }
                }
            }
        }
        let mut notes = searched.notes.clone();
        notes.extend(skipped_text(&skipped, searched.file_limit));
        Ok((answers, notes))
    }
}
