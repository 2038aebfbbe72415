//! Rewrites every match of a pattern in one or more files, as one staged edit.
//!
//! Matches are numbered from 1, in the order of the files and of their texts. Those inside other matches do not count.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::diagnostic::{self, Attempt, Code, ContentOrigin, Diagnostic};
use crate::parse::Parsed;
use crate::pattern::{Match, Pattern, Template};
use crate::preview::{self, FilePreview, Preview};
use crate::rewrite::{MatchFailure, Outcome, RefusedMatch, Rewritten, outermost, rewrite};
use crate::select::{MATCHES_LOOKED_AT, Selector};
use crate::validate::Check;
use crate::workspace::WorkspacePath;

use super::calls::{CallAccess, CallContext, ToolRequest};
use super::draft::{EditPlan, Refusals, TargetInfo};
use super::files::in_turn;
use super::ledger::LedgerOutcome;
use super::per_language::PerLanguage;
use super::request::{DiffArgument, PathsArgument, Rewrite};
use super::response::{EditAction, EditMade, EditStatus, MatchCounts, MatchRefused};
use super::staged::Request;
use super::watch::Watch;
use super::{Engine, PendingRefusal, Refused};

/// The maximum number of files that a rewrite changes, unless the call sets it.
const MAX_FILES: usize = 1_000;
/// The maximum length of the diffs in an answer, in bytes. The first diff is always shown.
const DIFF_BYTES: usize = 12_000;
/// The maximum number of refused matches in an answer.
const REFUSED_LISTED: usize = 100;
/// The maximum number of match numbers that a note lists.
const NUMBERS_LISTED: usize = 10;

impl ToolRequest for Rewrite {
    type Answer = EditMade;

    const TOOL: &'static str = "rewrite";

    fn access(&self) -> CallAccess {
        match (self.apply, self.path.0.as_slice()) {
            (false, [path]) => CallAccess::Path(path.clone()),
            (writes, _) => CallAccess::Everything { writes },
        }
    }

    fn outcome(answer: &Result<EditMade, Refused>) -> Option<LedgerOutcome<'_>> {
        Some(LedgerOutcome::of_edit(answer))
    }

    fn answer(
        &self,
        engine: &Engine,
        context: &CallContext<'_>,
    ) -> Result<EditMade, PendingRefusal> {
        let written = context.edit_id.and_then(|id| engine.applied(id).ok());
        match written {
            Some((staged, _)) => Ok(engine.shown_again(&staged, self.diff)?),
            None => engine.rewritten(self, context),
        }
    }
}

/// A file with matches.
struct FileMatches {
    path: WorkspacePath,
    parsed: Arc<Parsed>,
    /// The number of its matches that are not inside others, and of those that are.
    count: usize,
    nested: usize,
    /// The number of the first one, from 1.
    first: usize,
}

/// What happens to the matches of one file.
#[derive(Default)]
struct FileRewritten {
    preview: Option<FilePreview>,
    targets: Vec<TargetInfo>,
    unchanged: usize,
    /// The numbers of the matches with comments that the new text does not contain.
    losing_comments: Vec<usize>,
    /// The number of each refused match, its line and the refusal.
    refused: Vec<(usize, usize, Diagnostic)>,
}

impl Engine {
    pub(super) fn rewritten(
        &self,
        request: &Rewrite,
        context: &CallContext<'_>,
    ) -> Result<EditMade, PendingRefusal> {
        request.check()?;
        let pattern: PerLanguage<'_, Pattern> = PerLanguage::new(request.pattern.trim());
        let template = Template::new(&request.new_content, &request.pattern)
            .map_err(|unknown| diagnostic::about_unknown_placeholder(&unknown))?;
        let (mut files, mut notes) = self.files_with_matches(request, &pattern, context.watch)?;
        pattern.check()?;
        let mut found = 0;
        for file in &mut files {
            file.first = found + 1;
            found += file.count;
        }
        let nested: usize = files.iter().map(|file| file.nested).sum();
        let numbers = request.numbers(found)?;
        let is_chosen = |file: &FileMatches| {
            let own = file.first..file.first + file.count;
            numbers.range(own).next().is_some()
        };
        let left_out = found - numbers.len();
        files.retain(is_chosen);
        let max_files = request.max_files.unwrap_or(MAX_FILES);
        if files.len() > max_files {
            return Err(diagnostic::about_too_many_files(found, files.len(), max_files).into());
        }
        let allow: Vec<Check> = request.allow.iter().map(|one| (*one).into()).collect();
        let progress = in_turn(files.len(), usize::MAX, context.watch, |index, _| {
            let file = &files[index];
            Ok(vec![file.rewritten(&pattern, &template, &numbers, &allow)])
        });
        if progress.is_stopped() {
            return Err(diagnostic::about_stopped().into());
        }
        let done = progress.into_items();
        let refused: Vec<(&WorkspacePath, &(usize, usize, Diagnostic))> = files
            .iter()
            .zip(&done)
            .flat_map(|(file, done)| done.refused.iter().map(move |one| (&file.path, one)))
            .collect();
        let replaced: usize = done.iter().map(|file| file.targets.len()).sum();
        if !refused.is_empty() && (!request.skip_failing || replaced == 0) {
            return Err(refusal(&refused, found).into());
        }
        let counts = MatchCounts {
            found,
            replaced,
            unchanged: done.iter().map(|file| file.unchanged).sum(),
            left_out,
            nested,
            refused_total: refused.len(),
            refused: refused
                .iter()
                .take(REFUSED_LISTED)
                .map(|(path, (number, line, why))| MatchRefused {
                    match_number: *number,
                    file_path: path.display().to_string(),
                    line: *line,
                    code: why.code.as_str().to_string(),
                    message: why.message.clone(),
                })
                .collect(),
        };
        let losing: Vec<usize> = done
            .iter()
            .flat_map(|file| file.losing_comments.iter().copied())
            .collect();
        notes.extend(losing_comments_text(&losing));
        let mut previews = Vec::new();
        let mut targets = Vec::new();
        for file in done {
            if let Some(preview) = file.preview {
                previews.push(preview);
                targets.push(file.targets);
            }
        }
        if previews.is_empty() {
            return Ok(EditMade::unchanged(counts, notes));
        }
        let preview = Preview::of(previews).expect("each file occurs once");
        let plan = EditPlan {
            preview,
            targets,
            notes,
        };
        let summary = match replaced {
            1 => "rewrite 1 match".to_string(),
            replaced => format!("rewrite {replaced} matches"),
        };
        let kept = Request::Rewrite(Box::new(Rewrite {
            path: PathsArgument(
                request
                    .path
                    .0
                    .iter()
                    .map(|path| self.workspace.absolute(path.as_str().into()).into_string())
                    .collect(),
            ),
            apply: false,
            diff: DiffArgument::Auto,
            ..request.clone()
        }));
        let apply = request.apply.then_some(DiffArgument::Full);
        let mut made = self.staged_as_planned(kept, summary, plan, apply, context.edit_id)?;
        if request.diff == DiffArgument::Auto {
            let omitted = cut_diffs(&mut made);
            made.notes
                .extend(diagnostic::diffs_omitted_text(omitted, &made.edit_id));
        }
        made.matches = Some(counts);
        Ok(made)
    }

    /// Previews a rewrite in the current files. The numbers of its matches may have changed.
    pub(super) fn rewritten_again(&self, request: &Rewrite) -> Result<EditMade, PendingRefusal> {
        if !request.skip.is_empty() || !request.only.is_empty() {
            let message = "the matches may have other numbers now";
            return Err(diagnostic::about_arguments(message).into());
        }
        let context = CallContext {
            watch: &(),
            edit_id: None,
        };
        self.rewritten(request, &context)
    }

    /// Finds the files with matches, in path order. Also returns notes on files that were not searched.
    fn files_with_matches(
        &self,
        request: &Rewrite,
        pattern: &PerLanguage<'_, Pattern>,
        watch: &dyn Watch,
    ) -> Result<(Vec<FileMatches>, Vec<String>), Diagnostic> {
        let searched = self.searched_files(&request.path.0)?;
        let files = &searched.files;
        let progress = in_turn(files.len(), usize::MAX, watch, |index, _| {
            let path = &files[index];
            let opened = self.opened(path)?;
            if !pattern.may_be_in(opened.source()) {
                return Ok(Vec::new());
            }
            let parsed = opened.parsed();
            let matches = pattern.find(&parsed, MATCHES_LOOKED_AT);
            if matches.cut {
                return Err(diagnostic::about_too_many_matches(path.display().as_str()));
            }
            let (outer, nested) = outermost(matches.found);
            let count = outer.len();
            let found = (count > 0).then(|| FileMatches {
                path: path.clone(),
                parsed: parsed.clone(),
                count,
                nested,
                first: 0,
            });
            Ok(found.into_iter().collect())
        });
        if progress.is_stopped() {
            return Err(diagnostic::about_stopped());
        }
        let (found, refused) = progress.into_results();
        let is_skipped =
            |refused: &Diagnostic| searched.is_list && refused.code != Code::InvalidArguments;
        let mut codes = Vec::new();
        for refused in refused {
            match is_skipped(&refused) {
                true => codes.push(refused.code),
                false => return Err(refused),
            }
        }
        let mut notes = searched.notes;
        notes.extend(super::files::skipped_text(&codes, searched.file_limit));
        Ok((found, notes))
    }
}

impl Rewrite {
    /// Checks the arguments.
    fn check(&self) -> Result<(), Diagnostic> {
        let refused = |message: &str| Err(diagnostic::about_arguments(message));
        let zero = |name: &str, numbers: &[usize]| match numbers.contains(&0) {
            true => refused(&format!("{name} counts from 1")),
            false => Ok(()),
        };
        if self.pattern.trim().is_empty() {
            return refused("pattern is blank");
        }
        if !self.skip.is_empty() && !self.only.is_empty() {
            return refused("a rewrite takes only one of skip and only");
        }
        zero("skip", &self.skip)?;
        zero("only", &self.only)
    }

    /// Returns the numbers of the matches to replace.
    fn numbers(&self, found: usize) -> Result<BTreeSet<usize>, Diagnostic> {
        if let Some(expected) = self.expect_matches.filter(|expected| *expected != found) {
            return Err(diagnostic::about_match_count(expected, found));
        }
        for (name, numbers) in [("skip", &self.skip), ("only", &self.only)] {
            if let Some(number) = numbers.iter().find(|number| **number > found) {
                return Err(diagnostic::about_match_number(name, *number, found));
            }
        }
        let mut numbers: BTreeSet<usize> = match self.only.is_empty() {
            true => (1..=found).collect(),
            false => self.only.iter().copied().collect(),
        };
        numbers.retain(|number| !self.skip.contains(number));
        Ok(numbers)
    }
}

impl FileMatches {
    /// Rewrites the matches with these numbers.
    fn rewritten(
        &self,
        pattern: &PerLanguage<'_, Pattern>,
        template: &Template,
        numbers: &BTreeSet<usize>,
        allow: &[Check],
    ) -> FileRewritten {
        let parsed = self.parsed.as_ref();
        let (matches, _) = outermost(pattern.find(parsed, MATCHES_LOOKED_AT).found);
        let (own, matches): (Vec<usize>, Vec<Match<'_>>) = (self.first..)
            .zip(matches)
            .filter(|(number, _)| numbers.contains(number))
            .unzip();
        let Rewritten {
            made,
            replaced,
            outcomes,
        } = rewrite(parsed, &matches, template, allow);
        let mut done = FileRewritten::default();
        for (number, outcome) in own.iter().zip(outcomes) {
            match outcome {
                Outcome::Replaced { lost_comments } if lost_comments.is_empty() => {}
                Outcome::Replaced { .. } => done.losing_comments.push(*number),
                Outcome::Unchanged => done.unchanged += 1,
                Outcome::Refused(refused) => {
                    let start = refused.selection.span().start();
                    let line = parsed.source().line_of(start);
                    done.refused.push((*number, line, about(&refused, allow)));
                }
            }
        }
        let action = match template.is_empty() {
            true => EditAction::Delete,
            false => EditAction::Replace,
        };
        if let Some(made) = made {
            let (preview, _) = preview::preview(made.into_checked());
            done.preview = Some(preview);
            let edits = replaced.iter().map(|index| TargetInfo {
                // From 0, as for several edits.
                edit: own[*index] - 1,
                action,
            });
            done.targets = edits.collect();
        }
        done
    }
}

/// Explains why a match is refused.
fn about(refused: &RefusedMatch<'_>, allow: &[Check]) -> Diagnostic {
    let selection = &refused.selection;
    let parsed = selection.parsed();
    match &refused.why {
        MatchFailure::Edit(why) => {
            let text = parsed.source().slice(selection.span());
            let first = text.lines().next().unwrap_or_default();
            let selector = Selector::new(first, selection.node().kind());
            let attempt = Attempt {
                selection,
                selector: &selector,
                operation: &refused.operation,
                origin: ContentOrigin::Argument,
                allow,
            };
            let refusal = diagnostic::about_edit(&attempt, why);
            refusal.with_suggestions(Vec::new())
        }
        MatchFailure::Regrouped {
            name,
            captured,
            result,
        } => diagnostic::about_regrouped(name, captured, result),
        MatchFailure::OpenLine { name, captured } => diagnostic::about_open_line(name, captured),
        MatchFailure::AfterOthers => diagnostic::about_match_after_others(),
    }
}

/// Returns the refusal of the first match, with those of the others.
fn refusal(refused: &[(&WorkspacePath, &(usize, usize, Diagnostic))], found: usize) -> Diagnostic {
    let mut refusals = Refusals::default();
    for (path, (number, line, why)) in refused {
        refusals.add(|| Diagnostic {
            message: format!(
                "match {number} ({}:{line}): {}",
                path.display(),
                why.message
            ),
            ..why.clone()
        });
    }
    let numbers: Vec<usize> = refused.iter().map(|(_, (number, ..))| *number).collect();
    let first = refusals.into_diagnostic();
    diagnostic::with_help_on_matches(first, &numbers, found)
}

/// Removes the diffs after the first ones from an answer. Returns the number of files without one.
fn cut_diffs(made: &mut EditMade) -> usize {
    let mut left = DIFF_BYTES;
    let mut omitted = 0;
    for (index, file) in made.files.iter_mut().enumerate() {
        let bytes = file.diff.as_ref().map_or(0, String::len);
        if bytes > left && index > 0 {
            left = 0;
            file.diff = None;
            omitted += 1;
        }
        left = left.saturating_sub(bytes);
    }
    omitted
}

/// Returns a note on the matches with comments that the replacement does not contain.
fn losing_comments_text(numbers: &[usize]) -> Option<String> {
    let listed = diagnostic::numbers_text(numbers, NUMBERS_LISTED);
    match numbers {
        [] => None,
        [_] => Some(format!("removed a comment inside match {listed}")),
        _ => Some(format!("removed comments inside matches {listed}")),
    }
}

impl EditMade {
    /// Returns the answer of a rewrite that changes nothing.
    fn unchanged(matches: MatchCounts, notes: Vec<String>) -> EditMade {
        EditMade {
            edit_id: String::new(),
            status: EditStatus::Unchanged,
            files: Vec::new(),
            notes,
            diagnostics: None,
            matches: Some(matches),
        }
    }
}
