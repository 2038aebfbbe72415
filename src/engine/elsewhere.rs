//! Finds the other files of the workspace that contain a text that is missing from the requested file.
//!
//! A refusal names these files but suggests no call. The search is short (docs/design/select.md#refusals): it reads a
//! limited number of small files, starting with those of the same directory.

use std::collections::HashSet;

use memchr::memmem;

use crate::diagnostic::{self, Diagnostic};
use crate::language;
use crate::locate::is_word;
use crate::source::Source;
use crate::workspace::{Extent, WorkspacePath};

use super::core::Engine;
use super::files::in_turn;

/// The maximum number of files to read.
const FILES_READ: usize = 1_000;
/// The maximum size of a file to read, in bytes.
const BYTES_READ: u64 = 256 * 1024;
/// The maximum number of files to name.
const NAMED: usize = 3;
/// The minimum length of a searched text, in bytes. Shorter texts occur in too many files.
const TELLING_BYTES: usize = 6;

impl Engine {
    /// Adds to a refusal about a missing text the other files that contain it.
    pub(super) fn with_other_files(&self, refused: Diagnostic) -> Diagnostic {
        let missing = refused.missing_text.as_ref();
        match missing.filter(|missing| missing.text.len() >= TELLING_BYTES) {
            Some(missing) => {
                let (holding, has_more) = self.holding(&missing.file_path, &missing.text, |_| true);
                diagnostic::with_other_files(refused, &holding, has_more)
            }
            None => refused,
        }
    }

    /// Returns the files that contain a text and satisfy `is_wanted`, other than `file_path`. Each has the line of its
    /// first occurrence. Also returns whether there are more files than the named ones.
    pub(super) fn holding(
        &self,
        file_path: &str,
        text: &str,
        is_wanted: impl Fn(&WorkspacePath) -> bool,
    ) -> (Vec<(String, usize)>, bool) {
        let mut files = self.files_near(file_path);
        files.retain(is_wanted);
        let finder = memmem::Finder::new(text);
        let progress = in_turn(files.len(), NAMED + 1, &(), |index, _| {
            let bytes = self.workspace.read(&files[index], BYTES_READ);
            let path = files[index].display().as_str();
            let line = bytes.ok().and_then(|bytes| line_of(path, bytes, &finder));
            let place = line.map(|line| (path.to_string(), line));
            Ok(place.into_iter().collect())
        });
        let mut found = progress.into_items();
        let has_more = found.len() > NAMED;
        found.truncate(NAMED);
        (found, has_more)
    }

    /// Returns the other files of the workspace, starting with those of the same directory.
    fn files_near(&self, file_path: &str) -> Vec<WorkspacePath> {
        let Ok(own) = self.workspace.resolve(file_path) else {
            return Vec::new();
        };
        let mut known = HashSet::from([own.absolute().to_owned()]);
        let mut files = Vec::new();
        for place in own
            .absolute()
            .parent()
            .into_iter()
            .chain(self.workspace.roots())
        {
            if let Ok(folder) = self.workspace.resolve(place.as_str()) {
                let extent = Extent::Folder(folder);
                files.extend(self.workspace.files(&[extent], None, FILES_READ).files);
            }
        }
        files.retain(|file| known.insert(file.absolute().to_owned()));
        files.truncate(FILES_READ);
        files
    }
}

/// Returns the line, from 1, on which the first whole-word occurrence of the text starts, or `None` if there is none.
fn line_of(path: &str, bytes: Vec<u8>, finder: &memmem::Finder<'_>) -> Option<usize> {
    finder.find(&bytes)?;
    // Line numbers do not depend on the language.
    let source = Source::from_bytes(path, language::plain_text(), bytes).ok()?;
    let (text, wanted) = (source.text(), std::str::from_utf8(finder.needle()).ok()?);
    let joins = |one: Option<char>, other: Option<char>| {
        one.is_some_and(is_word) && other.is_some_and(is_word)
    };
    let start = finder.find_iter(text.as_bytes()).find(|start| {
        let (before, after) = (&text[..*start], &text[start + wanted.len()..]);
        !joins(before.chars().next_back(), wanted.chars().next())
            && !joins(wanted.chars().next_back(), after.chars().next())
    })?;
    Some(source.line_of(start))
}
