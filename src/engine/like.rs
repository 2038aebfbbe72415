//! Makes the change of an earlier edit elsewhere: generalizes it to a pattern, and rewrites the matches.

use crate::apply::journal::Direction;
use crate::change::{Replacement, TextEdit};
use crate::diagnostic::{self, Diagnostic};
use crate::language::Language;
use crate::parse::Parsed;
use crate::rewrite::{Generalization, generalizations, outermost};
use crate::source::Span;
use crate::workspace::WorkspacePath;

use super::calls::CallContext;
use super::core::Engine;
use super::files::SearchedFiles;
use super::per_language::{PatternOptions, PerLanguage};
use super::request::Rewrite;
use super::response::{
    EditMade, EditStatus, Generalized, OtherPattern, PatternMatch, PendingRefusal,
};
use super::searched::Searched;
use super::watch::Watch;

/// The number of listed matches of a pattern that is not chosen.
const LISTED: usize = 3;

/// The first change of an edit.
struct Example {
    path: WorkspacePath,
    before: Parsed,
    change: Replacement,
    /// The language of the code there.
    language: &'static Language,
    /// Whether it is not written yet.
    is_staged: bool,
}

/// The matches of a pattern.
struct Places {
    matches: usize,
    files: usize,
    /// Whether there is a match that is not the example.
    has_others: bool,
    first: Vec<PatternMatch>,
}

/// The matches of a pattern in one file.
struct PlacesInFile {
    matches: usize,
    has_others: bool,
    first: Vec<PatternMatch>,
}

impl Engine {
    /// Rewrites the matches of the narrowest pattern that an edit generalizes to and that matches elsewhere.
    pub(super) fn rewritten_like(
        &self,
        edit_id: &str,
        request: &Rewrite,
        context: &CallContext<'_>,
    ) -> Result<EditMade, PendingRefusal> {
        request.check_like()?;
        let example = self.example(edit_id)?;
        let language = example.language;
        let all = generalizations(&example.before, &example.change);
        if all.is_empty() {
            return Err(diagnostic::about_no_generalization(edit_id).into());
        }
        let searched = self.searched_files(&request.path)?;
        let places = all
            .iter()
            .map(|one| self.places_like(one, language, &example, &searched, context.watch))
            .collect::<Result<Vec<Places>, Diagnostic>>()?;
        let chosen = places.iter().position(|one| one.has_others).unwrap_or(0);
        let mut all: Vec<(Generalization, Places)> = all.into_iter().zip(places).collect();
        let (own, own_places) = all.remove(chosen);
        // A wider pattern without other matches is none.
        let mut most = own_places.matches;
        all.drain(..chosen);
        all.retain(|(_, places)| {
            let is_wider = places.matches > most;
            most = most.max(places.matches);
            is_wider
        });
        let request = Rewrite {
            like: None,
            pattern: Some(own.pattern.clone()),
            language: Some(language.name.to_string()),
            reading: Some(own.reading.to_string()),
            new_content: Some(own.replacement.clone()),
            ..request.clone()
        };
        let mut made = self
            .rewritten(&request, context)
            .map_err(|refused| PendingRefusal {
                diagnostic: diagnostic::with_help_on_pattern(
                    refused.diagnostic,
                    &own.pattern,
                    &own.replacement,
                ),
                ..refused
            })?;
        let others = all.into_iter().map(|(other, places)| OtherPattern {
            pattern: other.pattern,
            reading: other.reading.to_string(),
            new_content: other.replacement,
            matches: places.matches,
            files: places.files,
            first: places.first,
        });
        made.generalized = Some(Generalized {
            edit_id: edit_id.to_string(),
            pattern: own.pattern,
            reading: own.reading.to_string(),
            new_content: own.replacement,
            language: language.name.to_string(),
            others: others.collect(),
            path: request.path.0,
        });
        Ok(made)
    }

    /// Reads the first change of an edit, and the text before it.
    fn example(&self, edit_id: &str) -> Result<Example, Diagnostic> {
        let staged = self.staged(edit_id)?;
        if staged.status == EditStatus::Refused {
            return Err(diagnostic::about_refused_edit(edit_id));
        }
        let direction = match staged.status {
            EditStatus::Applied => Direction::Back,
            _ => Direction::There,
        };
        let paths = self.paths_of(&staged, direction)?;
        let (Some(file), Some(path)) = (staged.files.first(), paths.into_iter().next()) else {
            return Err(diagnostic::about_no_generalization(edit_id));
        };
        let record = &file.record;
        let (Some(digest), Some(_)) = (
            record.digest_before().digest(),
            record.digest_after().digest(),
        ) else {
            return Err(diagnostic::about_no_generalization(edit_id));
        };
        let now = self.opened(&path)?.source().clone();
        let before = match now.digest() == digest {
            true => now,
            false => self
                .shown(&staged, file, path.display().as_str())?
                .before()
                .clone(),
        };
        // The replacements of the first target, of several.
        let first = record.targets().first().map(|target| target.span());
        let is_of_first = |one: &&Replacement| match (first, record.targets().len()) {
            (Some(first), 2..) => {
                one.span.start() <= first.end() && one.span.end() >= first.start()
            }
            _ => true,
        };
        let own = record.replacements().iter().filter(is_of_first);
        let edit = TextEdit::new(&before, own.cloned().collect())
            .map_err(|_| diagnostic::about_no_generalization(edit_id))?;
        let hull = edit.hull();
        let after = edit.apply(&before);
        let end = after.text().len() + hull.end() - before.text().len();
        let change = Replacement {
            span: hull,
            new_text: after.text()[hull.start()..end].to_string(),
        };
        let before = Parsed::parse(before);
        let inner = before.chain(change.span).last().map(|node| node.language());
        Ok(Example {
            path,
            language: inner.unwrap_or(before.source().language()),
            before,
            change,
            is_staged: staged.status == EditStatus::Previewed,
        })
    }

    /// Counts the matches of a pattern.
    fn places_like(
        &self,
        general: &Generalization,
        language: &'static Language,
        example: &Example,
        searched: &SearchedFiles,
        watch: &dyn Watch,
    ) -> Result<Places, Diagnostic> {
        let options = PatternOptions {
            reading: Some(general.reading.to_string()),
            ..PatternOptions::default()
        };
        let pattern = PerLanguage::with_options(&general.pattern, Some(language), options);
        let wanted = Searched::Pattern(pattern);
        let (files, _) = self.in_files(searched, &wanted, watch, |path, parsed| {
            let found = wanted.find(wanted.matched_path(path), parsed);
            let (found, _) = outermost(found.found);
            let source = parsed.source();
            let is_example = |span: Span| {
                example.is_staged
                    && *path == example.path
                    && span.start() <= example.change.span.end()
                    && span.end() >= example.change.span.start()
            };
            let first = found.iter().take(LISTED).map(|one| {
                let line = source.line_of(one.span().start());
                let text = source.line_span(line).map(|span| source.slice(span));
                PatternMatch {
                    file_path: source.path().to_string(),
                    line,
                    text: text.unwrap_or_default().trim().to_string(),
                }
            });
            Ok(PlacesInFile {
                matches: found.len(),
                has_others: found.iter().any(|one| !is_example(one.span())),
                first: first.collect(),
            })
        })?;
        let mut first: Vec<PatternMatch> = Vec::new();
        let mut places = Places {
            matches: 0,
            files: 0,
            has_others: false,
            first: Vec::new(),
        };
        for file in files {
            places.matches += file.matches;
            places.files += usize::from(file.matches > 0);
            places.has_others |= file.has_others;
            first.extend(file.first);
        }
        first.truncate(LISTED);
        places.first = first;
        Ok(places)
    }
}
