//! Rewrites every match of a pattern or of rules in one or more files, as one staged edit.
//!
//! Matches are numbered from 1, in the order of the files and of their texts. Those inside other matches do not count.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::atomic::{AtomicUsize, Ordering};

use camino::Utf8Path;

use crate::change::Target;
use crate::diagnostic::{self, Attempt, Code, ContentOrigin, Diagnostic};
use crate::language::{self, Language};
use crate::parse::Parsed;
use crate::pattern::{Match, Template};
use crate::preview::{self, FilePreview, Preview};
use crate::rewrite::{self, MatchFailure, Outcome, RefusedMatch, outermost};
use crate::select::Selector;
use crate::source::Span;
use crate::validate::Check;
use crate::workspace::WorkspacePath;

use super::calls::{CallContext, ToolRequest};
use super::core::Engine;
use super::files::SearchedFiles;
use super::ledger::LedgerOutcome;
use super::log::{EditOrigin, EditRecord, KeptFile};
use super::made::AnswerDetail;
use super::one_text::{OnText, OneText};
use super::per_language::{PatternOptions, PerLanguage, near_misses_text, readings_text};
use super::plan::{EditPlan, PlannedCall, Refusals, TargetInfo};
use super::request::{
    AmendEdit, CallAccess, DiffArgument, KeptCall, PathsArgument, Rewrite, RuleArgument, files,
};
use super::response::{EditAction, EditMade, MatchCounts, MatchRefused, PendingRefusal, Refused};
use super::rules::Rules;
use super::searched::Searched;
use super::watch::Watch;
use super::within::Within;

/// The maximum number of files that a rewrite changes, unless the call sets it.
const MAX_FILES: usize = 1_000;
/// The maximum number of refused matches in an answer.
const REFUSED_LISTED: usize = 100;
/// The maximum number of match numbers that a note lists.
const NUMBERS_LISTED: usize = 10;

impl ToolRequest for Rewrite {
    type Answer = EditMade;

    const TOOL: &'static str = "rewrite";
    const FILE_ARGUMENT: Option<&'static str> = Some("path");

    fn access(&self) -> CallAccess {
        match self.apply || !self.imports.is_off() {
            false => files(&self.path.0, false),
            true => CallAccess::Everything { writes: self.apply },
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
        engine.rewritten(self, context)
    }

    fn answer_on_text(&self, text: &OneText) -> Result<OnText<EditMade>, Diagnostic> {
        text.check_paths(&self.path)?;
        text.refuse(&[
            ("apply", self.apply),
            ("imports", !self.imports.is_off()),
            ("like", self.like.is_some()),
        ])?;
        let rewriting = Rewriting::new(self, Rules::without_files)?;
        let mut files = Vec::new();
        if rewriting.searched.may_be_in(text.source()) {
            let choice = rewriting.choice_in(self, text)?;
            files.push(rewriting.file(text.path().as_ref(), text.parsed(), choice.as_ref())?);
        }
        let (plan, counts) = rewriting.planned(self, files, Vec::new())?;
        let call = KeptCall::of_request(Rewrite::TOOL, self);
        Ok(OnText::edited(&call, plan, Some(counts)))
    }
}

/// A rewrite whose arguments are valid.
struct Rewriting<'r> {
    searched: Searched<'r>,
    within: Option<Within<'r>>,
    /// The template of each rule, or that of the pattern. Matches of a rule without one are not rewritten.
    templates: Vec<Option<Template>>,
    allow: Vec<Check>,
    max_files: usize,
    /// Whether matches inside others stay as they are.
    is_outermost: bool,
    /// Whether all matches must have one reading.
    is_one_reading: bool,
    /// The number of files with matches so far.
    files: AtomicUsize,
}

/// Returns whether a plan makes the same changes as a staged edit, with the same numbers.
fn is_of(plan: &EditPlan, staged: &EditRecord) -> bool {
    let numbers = |targets: &[TargetInfo]| -> Vec<usize> {
        targets.iter().map(|target| target.edit).collect()
    };
    let planned = plan.preview.files().iter().zip(&plan.targets);
    let is_same = |((preview, targets), kept): ((&FilePreview, &Vec<TargetInfo>), &KeptFile)| {
        preview.record().replacements() == kept.record.replacements()
            && preview.record().has_digests_of(&kept.record)
            && numbers(targets) == numbers(&kept.targets)
    };
    plan.targets.len() == staged.files.len() && planned.zip(&staged.files).all(is_same)
}

/// Which matches of a file are to be rewritten; by default none.
#[derive(Default)]
struct Choice {
    /// The number of all matches that are not inside others.
    count: usize,
    /// Their numbers in the file, from 1.
    numbers: BTreeSet<usize>,
}

/// What happens to the matches of one file. Numbers are those in the file, from 1.
#[derive(Default)]
struct FileRewritten {
    /// The number of matches that are not inside others, and of those that are.
    count: usize,
    nested: usize,
    /// The number of those that stay as they are.
    nested_kept: usize,
    /// The number of matches of each language and reading.
    readings: BTreeMap<(&'static str, &'static str), usize>,
    /// The number of nodes that almost match, by what differs.
    near_misses: BTreeMap<String, usize>,
    /// The numbers of the matches whose new text matches again.
    matching_again: Vec<usize>,
    preview: Option<FilePreview>,
    targets: Vec<TargetInfo>,
    unchanged: usize,
    /// The numbers of the matches with comments that the new text does not contain.
    losing_comments: Vec<usize>,
    /// The matches that got parentheses.
    parenthesized: Vec<usize>,
    refused: Vec<Refusal>,
}

/// A match whose edit is refused.
struct Refusal {
    number: usize,
    file_path: String,
    /// From 1.
    line: usize,
    why: Diagnostic,
}

impl Engine {
    pub(super) fn rewritten(
        &self,
        request: &Rewrite,
        context: &CallContext<'_>,
    ) -> Result<EditMade, PendingRefusal> {
        if let Some(edit_id) = &request.like {
            return self.rewritten_like(edit_id, request, context);
        }
        self.staged_rewrite(request, context.origin, || {
            self.planned_rewrite(request, context.watch)
        })
    }

    /// Plans a rewrite of the current files.
    pub(super) fn planned_rewrite(
        &self,
        request: &Rewrite,
        watch: &dyn Watch,
    ) -> Result<PlannedCall, Diagnostic> {
        let rewriting = Rewriting::new(request, |rule| self.rules(rule))?;
        let searched = self.searched_files(&request.path)?;
        let none = Choice::default();
        let choices = match request.has_numbers() {
            false => None,
            // Numbers refer to all matches, so these are counted first.
            true => Some(self.choices(request, &rewriting, &searched, watch)?),
        };
        let (files, notes) =
            self.in_files(&searched, &rewriting.searched, watch, |path, parsed| {
                let matched_path = rewriting.searched.matched_path(path);
                let choice = choices.as_ref().map(|choices| choices.get(path));
                let choice = choice.map(|own| own.unwrap_or(&none));
                rewriting.file(matched_path, parsed, choice)
            })?;
        let (mut plan, counts) = rewriting.planned(request, files, notes)?;
        if !request.imports.is_off() && !plan.preview.files().is_empty() {
            self.keep_imports_of_rewrite(&request.imports, &mut plan)?;
        }
        let absolute = |path: &str| self.workspace.absolute(path.into()).into_string();
        let kept = Rewrite {
            path: PathsArgument(request.path.0.iter().map(|path| absolute(path)).collect()),
            apply: false,
            diff: DiffArgument::Auto,
            rule: request.rule.clone().map(|rule| match rule {
                RuleArgument::Path(path) => RuleArgument::Path(absolute(&path)),
                rule => rule,
            }),
            ..request.clone()
        };
        Ok(PlannedCall {
            call: KeptCall::of_request(Rewrite::TOOL, &kept),
            summary: plan.in_files(summary(&counts)),
            symbol: None,
            plan,
            matches: Some(counts),
        })
    }

    /// Stages a rewrite, and writes it if the request says so.
    fn staged_rewrite(
        &self,
        request: &Rewrite,
        origin: EditOrigin<'_>,
        plan: impl FnOnce() -> Result<PlannedCall, Diagnostic>,
    ) -> Result<EditMade, PendingRefusal> {
        let apply = request.apply.then_some(AnswerDetail::Diff);
        self.make((apply, request.diff), origin, || Ok(plan()?))
    }

    /// Previews a staged rewrite with the amendments of a request. The matches have the numbers of that preview.
    ///
    /// # Errors
    /// An amendment is invalid, or chooses matches by number after files have changed.
    pub(super) fn amended_rewrite(
        &self,
        staged: &EditRecord,
        kept: &Rewrite,
        request: &AmendEdit,
        context: &CallContext<'_>,
    ) -> Result<EditMade, PendingRefusal> {
        let watch = context.watch;
        let targets = staged.files.iter().flat_map(|file| &file.targets);
        // Targets count from 0.
        let replaced = targets.map(|target| target.edit + 1).collect();
        let amended = kept.amended(request, &replaced)?;
        self.staged_rewrite(&amended, context.origin, || {
            if !amended.has_numbers() {
                return self.planned_rewrite(&amended, watch);
            }
            let found = |planned: &PlannedCall| planned.matches.as_ref().map(|own| own.found);
            // Without the amendments, it has to be the edit that the caller saw.
            let before = match self.planned_rewrite(kept, watch) {
                Ok(before) if is_of(&before.plan, staged) => found(&before),
                Err(stopped) if matches!(stopped.code, Code::IoError | Code::FileTooLarge) => {
                    return Err(stopped);
                }
                _ => return Err(diagnostic::about_renumbered()),
            };
            let planned = self.planned_rewrite(&amended, watch)?;
            match found(&planned) == before {
                true => Ok(planned),
                false => Err(diagnostic::about_renumbered()),
            }
        })
    }

    /// Plans a staged rewrite again in the current files.
    ///
    /// # Errors
    /// It is refused now, or has no match that it changes.
    pub(super) fn planned_rewrite_again(
        &self,
        request: &Rewrite,
    ) -> Result<PlannedCall, Diagnostic> {
        if request.has_numbers() {
            return Err(diagnostic::about_other_numbers());
        }
        let planned = self.planned_rewrite(request, &())?;
        match planned.plan.preview.files().is_empty() {
            true => Err(diagnostic::about_no_match_now()),
            false => Ok(planned),
        }
    }

    /// Plans what is left of a rewrite that a person has divided, in the current files: all matches in its files except
    /// those that were left out of it, which must all be there unchanged.
    ///
    /// # Errors
    /// A match that was left out is not found, or the rewrite is refused now.
    pub(super) fn planned_part_again(
        &self,
        staged: &EditRecord,
        request: &Rewrite,
    ) -> Result<EditPlan, Diagnostic> {
        // Each counts its files.
        let rewriting = || Rewriting::new(request, |rule| self.rules(rule));
        let (then, rewriting) = (rewriting()?, rewriting()?);
        let mut files = Vec::new();
        let mut found = 0;
        for (kept, path) in staged.files.iter().zip(&staged.paths) {
            let (path, now) = self.parsed(path)?;
            let shown = self.shown(staged, kept, path.display().as_str())?;
            let before = Parsed::parse(shown.before().clone());
            let matched_path = rewriting.searched.matched_path(&path);
            let left_out = then.left_out(matched_path, &before, kept)?;
            let changed = preview::changed_lines(before.source(), now.source());
            let moved = left_out.iter().map(|span| {
                let moved = changed.map_span(*span)?;
                let is_same = now.source().slice(moved) == before.source().slice(*span);
                is_same.then_some(moved)
            });
            let moved: Option<BTreeSet<Span>> = moved.collect();
            let unknown = || diagnostic::about_unknown_matches(path.display().as_str());
            let moved = moved.ok_or_else(unknown)?;
            let (matches, _) = rewriting.matches(matched_path, &now)?;
            let is_left_out = |one: &Match<'_>| moved.contains(&one.span());
            if matches.iter().filter(|one| is_left_out(one)).count() != left_out.len() {
                return Err(unknown());
            }
            let numbers = (1..).zip(&matches).filter(|(_, one)| !is_left_out(one));
            let choice = Choice {
                count: matches.len(),
                numbers: numbers.map(|(number, _)| number).collect(),
            };
            let mut file = rewriting.file(matched_path, &now, Some(&choice))?;
            file.number_from(found);
            found += file.count;
            files.push(file);
        }
        rewriting.searched.check()?;
        let refused: Vec<&Refusal> = files.iter().flat_map(|file| &file.refused).collect();
        if !refused.is_empty() && !request.skip_failing {
            return Err(refusal(&refused, found));
        }
        let changes = files
            .into_iter()
            .filter_map(|file| Some((file.preview?, file.targets)));
        let (previews, targets): (Vec<_>, Vec<_>) = changes.unzip();
        if previews.is_empty() {
            return Err(diagnostic::about_no_match_now());
        }
        let mut plan = EditPlan {
            preview: self.preview_of(staged, previews)?,
            targets,
            notes: Vec::new(),
        };
        if !request.imports.is_off() {
            self.keep_imports_of_rewrite(&request.imports, &mut plan)?;
        }
        Ok(plan)
    }

    /// Returns which matches of each file are to be rewritten.
    fn choices(
        &self,
        request: &Rewrite,
        rewriting: &Rewriting<'_>,
        searched: &SearchedFiles,
        watch: &dyn Watch,
    ) -> Result<HashMap<WorkspacePath, Choice>, Diagnostic> {
        let (counts, _) = self.in_files(searched, &rewriting.searched, watch, |path, parsed| {
            let matched_path = rewriting.searched.matched_path(path);
            let (matches, _) = rewriting.matches(matched_path, parsed)?;
            Ok((path.clone(), matches.len()))
        })?;
        rewriting.searched.check()?;
        let found = counts.iter().map(|(_, count)| count).sum();
        let numbers = request.numbers(found)?;
        let mut before = 0;
        let choices = counts.into_iter().map(|(path, count)| {
            let own = numbers.range(before + 1..before + count + 1);
            let numbers = own.map(|number| number - before).collect();
            before += count;
            (path, Choice { count, numbers })
        });
        Ok(choices.collect())
    }
}

impl<'r> Rewriting<'r> {
    /// Combines what happens to the matches of all files, whose numbers then count over all of them.
    ///
    /// # Errors
    /// The number of matches or files is not as the request expects, or a match is refused.
    fn planned(
        &self,
        request: &Rewrite,
        mut files: Vec<FileRewritten>,
        mut notes: Vec<String>,
    ) -> Result<(EditPlan, MatchCounts), Diagnostic> {
        self.searched.check()?;
        self.check_readings(&files)?;
        notes.extend(self.without_fix_text());
        notes.extend(self.within.iter().flat_map(Within::notes));
        let mut found = 0;
        for file in &mut files {
            file.number_from(found);
            found += file.count;
        }
        request.check_count(found)?;
        let changed = files.iter().filter(|file| file.preview.is_some()).count();
        if changed > self.max_files {
            let max_files = self.max_files;
            return Err(diagnostic::about_too_many_files(found, changed, max_files));
        }
        let replaced: usize = files.iter().map(|file| file.targets.len()).sum();
        let unchanged: usize = files.iter().map(|file| file.unchanged).sum();
        let nested = files.iter().map(|file| file.nested).sum();
        let refused: Vec<&Refusal> = files.iter().flat_map(|file| &file.refused).collect();
        if !refused.is_empty() && (!request.skip_failing || replaced == 0) {
            return Err(refusal(&refused, found));
        }
        let counts = MatchCounts {
            found,
            replaced,
            unchanged,
            left_out: found - replaced - unchanged - refused.len(),
            nested,
            refused_total: refused.len(),
            refused: refused
                .iter()
                .take(REFUSED_LISTED)
                .map(|one| one.listed())
                .collect(),
        };
        let losing = files
            .iter()
            .flat_map(|file| file.losing_comments.iter().copied());
        notes.extend(losing_comments_text(&losing.collect::<Vec<_>>()));
        let parenthesized = files
            .iter()
            .flat_map(|file| file.parenthesized.iter().copied());
        notes.extend(parenthesized_text(&parenthesized.collect::<Vec<_>>()));
        let again = files
            .iter()
            .flat_map(|file| file.matching_again.iter().copied());
        notes.extend(matching_again_text(&again.collect::<Vec<_>>()));
        notes.extend(nested_text(files.iter().map(|file| file.nested_kept).sum()));
        let mut readings = BTreeMap::new();
        for ((_, reading), count) in files.iter().flat_map(|file| &file.readings) {
            *readings.entry(*reading).or_default() += count;
        }
        notes.extend(readings_text(&readings));
        let mut near_misses = BTreeMap::new();
        for (what, count) in files.iter().flat_map(|file| &file.near_misses) {
            *near_misses.entry(what.clone()).or_default() += count;
        }
        notes.extend(near_misses_text(&near_misses));
        if let (Searched::Pattern(pattern), 0) = (&self.searched, found) {
            notes.extend(pattern.files_text());
        }
        let files = files.into_iter();
        let changes = files.filter_map(|file| Some((file.preview?, file.targets)));
        let (previews, targets): (Vec<_>, Vec<_>) = changes.unzip();
        let plan = EditPlan {
            preview: Preview::from_files(previews).expect("each file occurs once"),
            targets,
            notes,
        };
        Ok((plan, counts))
    }

    /// Refuses matches of several readings in a language, unless the request chooses one.
    fn check_readings(&self, files: &[FileRewritten]) -> Result<(), Diagnostic> {
        let mut all: BTreeMap<&str, BTreeMap<&str, usize>> = BTreeMap::new();
        for ((language, reading), count) in files.iter().flat_map(|file| &file.readings) {
            let own = all.entry(language).or_default();
            *own.entry(reading).or_default() += count;
        }
        let several = all.iter().find(|(_, readings)| readings.len() > 1);
        match several.filter(|_| self.is_one_reading) {
            None => Ok(()),
            Some((language, readings)) => Err(diagnostic::about_readings(language, readings)),
        }
    }

    /// Returns which matches of a text are to be rewritten, if the request chooses some by number.
    fn choice_in(&self, request: &Rewrite, text: &OneText) -> Result<Option<Choice>, Diagnostic> {
        if !request.has_numbers() {
            return Ok(None);
        }
        let (matches, _) = self.matches(text.path().as_ref(), text.parsed())?;
        let count = matches.len();
        let numbers = request.numbers(count)?;
        Ok(Some(Choice { count, numbers }))
    }

    /// Checks the arguments of a request. `rules` reads its rules.
    fn new(
        request: &'r Rewrite,
        rules: impl FnOnce(&RuleArgument) -> Result<Rules, Diagnostic>,
    ) -> Result<Rewriting<'r>, Diagnostic> {
        request.check()?;
        let new_content = request.new_content.as_deref();
        let language = request.language()?;
        let about_unknown = |unknown| diagnostic::about_unknown_placeholder(&unknown);
        let (searched, templates) = match (&request.pattern, &request.rule) {
            (Some(pattern), _) => {
                let template = Template::new(new_content.unwrap_or_default(), pattern);
                let template = template.map_err(about_unknown)?;
                if let Some(name) = template.ambiguous() {
                    let message = format!("the pattern has both ${name} and $$${name}");
                    return Err(diagnostic::about_arguments(message));
                }
                let options = PatternOptions {
                    quotes: request.quotes.into(),
                    reading: request.reading.clone(),
                };
                let pattern = PerLanguage::with_options(pattern.trim(), language, options);
                (Searched::Pattern(pattern), vec![Some(template)])
            }
            (None, None) => {
                let message = "a rewrite needs a pattern or a rule";
                return Err(diagnostic::about_arguments(message));
            }
            (None, Some(rule)) => {
                let rules = rules(rule)?;
                if new_content.is_some() && rules.are_several() {
                    let message = "new_content can replace the matches of only one rule";
                    return Err(diagnostic::about_arguments(message));
                }
                let templates = rules.rules().iter().map(|rule| rule.template(new_content));
                let templates: Result<Vec<_>, _> = templates.collect();
                let templates = templates.map_err(about_unknown)?;
                if templates.iter().all(Option::is_none) {
                    return Err(diagnostic::about_no_fix(rules.are_several()));
                }
                (Searched::Rules(Box::new(rules)), templates)
            }
        };
        Ok(Rewriting {
            searched,
            within: Within::new(&request.scope, request.symbol_kind.as_deref())?,
            templates,
            allow: request.allow.iter().map(|one| (*one).into()).collect(),
            max_files: request.max_files.unwrap_or(MAX_FILES),
            is_outermost: request.outermost,
            is_one_reading: request.reading.is_none(),
            files: AtomicUsize::new(0),
        })
    }
}

impl Rewriting<'_> {
    /// Returns the matches of a text that are not inside others, and those that are.
    fn matches<'p>(
        &self,
        path: &Utf8Path,
        parsed: &'p Parsed,
    ) -> Result<(Vec<Match<'p>>, Vec<Match<'p>>), Diagnostic> {
        let mut matches = self.searched.find(path, parsed);
        matches
            .found
            .retain(|one| self.templates[one.rule].is_some());
        if let Some(within) = self.within.as_ref().filter(|_| !matches.found.is_empty()) {
            let areas = within.areas(parsed);
            matches.found.retain(|one| areas.contain(one.span()));
        }
        match matches.cut {
            true => Err(diagnostic::about_too_many_matches(parsed.source().path())),
            false => Ok(outermost(matches.found)),
        }
    }

    /// Rewrites the chosen matches of a file, by default all. The globs of rules are matched against `path`.
    fn file(
        &self,
        path: &Utf8Path,
        parsed: &Parsed,
        choice: Option<&Choice>,
    ) -> Result<FileRewritten, Diagnostic> {
        let (matches, nested) = self.matches(path, parsed)?;
        let inner = match self.is_outermost {
            true => &[][..],
            false => &nested,
        };
        let mut done = FileRewritten {
            count: matches.len(),
            nested: inner.len(),
            nested_kept: nested.len() - inner.len(),
            ..FileRewritten::default()
        };
        for one in matches.iter().chain(&nested) {
            let reading = (one.node.language().name, one.reading);
            *done.readings.entry(reading).or_default() += 1;
        }
        if let (Searched::Pattern(pattern), None) = (&self.searched, &self.within) {
            let found = matches.iter().chain(&nested).map(|one| one.node);
            done.near_misses = pattern.near_misses(parsed, found);
        }
        if choice.is_some_and(|choice| choice.count != done.count) {
            return Err(diagnostic::about_stale(parsed.source().path()));
        }
        let is_chosen = |number: usize| choice.is_none_or(|one| one.numbers.contains(&number));
        let chosen = (1..).zip(matches).filter(|(number, _)| is_chosen(*number));
        let (numbers, matches): (Vec<usize>, Vec<Match<'_>>) = chosen.unzip();
        // A call that is refused anyway needs no edits.
        let is_needed = || self.files.fetch_add(1, Ordering::Relaxed) <= self.max_files;
        if matches.is_empty() || !is_needed() {
            return Ok(done);
        }
        let rewriting = rewrite::Rewriting {
            templates: &self.templates,
            allow: &self.allow,
            find: &|parsed| self.searched.find(path, parsed).found,
        };
        let rewritten = rewrite::rewrite(parsed, &matches, inner, &rewriting);
        for (&number, outcome) in numbers.iter().zip(rewritten.outcomes) {
            match outcome {
                Outcome::Replaced {
                    lost_comments,
                    is_parenthesized,
                } => {
                    done.parenthesized
                        .extend(is_parenthesized.then_some(number));
                    let loses = !lost_comments.is_empty();
                    done.losing_comments.extend(loses.then_some(number));
                }
                Outcome::Unchanged => done.unchanged += 1,
                Outcome::Refused(refused) => done.refused.push(Refusal {
                    number,
                    file_path: parsed.source().path().to_string(),
                    line: parsed.source().line_of(refused.selection.span().start()),
                    why: about(&refused, &self.allow),
                }),
            }
        }
        if let Some(made) = rewritten.made {
            let replaced = &rewritten.replaced;
            let again = self.searched.find(path, made.checked().after()).found;
            let matches_again = |span: Span| again.iter().any(|one| span.contains(one.span()));
            let targets = made.checked().targets().iter().zip(replaced);
            let targets = targets.filter(|(target, _)| matches_again(target.new_span()));
            done.matching_again = targets.map(|(_, index)| numbers[*index]).collect();
            // The previews of all files are kept until the last one is made.
            done.preview = Some(preview::preview(made.into_checked()).0.without_strings());
            let edits = replaced.iter().map(|index| TargetInfo {
                // From 0, as for several edits.
                edit: numbers[*index] - 1,
                action: self.action(&matches[*index]),
            });
            done.targets = edits.collect();
        }
        Ok(done)
    }

    /// Returns the spans of the matches of a text that a part of the rewrite of this text does not change.
    ///
    /// # Errors
    /// The part changes a text that is no match.
    fn left_out(
        &self,
        path: &Utf8Path,
        before: &Parsed,
        part: &KeptFile,
    ) -> Result<Vec<Span>, Diagnostic> {
        let (matches, _) = self.matches(path, before)?;
        let all = self.file(path, before, None)?;
        let targets = all.preview.iter().flat_map(|file| file.record().targets());
        let own: BTreeSet<Span> = part.record.targets().iter().map(Target::span).collect();
        let own = targets
            .zip(&all.targets)
            .filter(|(target, _)| own.contains(&target.span()));
        // From 0.
        let own: BTreeSet<usize> = own.map(|(_, info)| info.edit).collect();
        if own.len() != part.targets.len() {
            return Err(diagnostic::about_part_not_again());
        }
        let left_out = matches
            .iter()
            .enumerate()
            .filter(|(number, _)| !own.contains(number));
        Ok(left_out.map(|(_, one)| one.span()).collect())
    }

    fn action(&self, found: &Match<'_>) -> EditAction {
        let template = self.templates[found.rule].as_ref();
        match template.is_none_or(Template::is_empty) {
            true => EditAction::Delete,
            false => EditAction::Replace,
        }
    }

    /// Returns a note on the rules that have no fix.
    fn without_fix_text(&self) -> Option<String> {
        let Searched::Rules(rules) = &self.searched else {
            return None;
        };
        let all = rules.rules().iter().zip(&self.templates);
        let ids = all.filter(|(_, template)| template.is_none());
        let ids: Vec<String> = ids.map(|(rule, _)| format!("{:?}", rule.id())).collect();
        match ids.as_slice() {
            [] => None,
            [one] => Some(format!("the rule {one} has no fix")),
            all => Some(format!("the rules {} have no fix", all.join(", "))),
        }
    }
}

impl FileRewritten {
    /// Numbers the matches as those after the matches of earlier files.
    fn number_from(&mut self, before: usize) {
        for target in &mut self.targets {
            target.edit += before;
        }
        for number in self
            .losing_comments
            .iter_mut()
            .chain(&mut self.matching_again)
            .chain(&mut self.parenthesized)
        {
            *number += before;
        }
        for refused in &mut self.refused {
            refused.number += before;
        }
    }
}

impl Refusal {
    fn listed(&self) -> MatchRefused {
        MatchRefused {
            match_number: self.number,
            file_path: self.file_path.clone(),
            line: self.line,
            code: self.why.code.as_str().to_string(),
            message: self.why.message.clone(),
        }
    }
}

impl Rewrite {
    /// Returns whether matches are chosen by number.
    fn has_numbers(&self) -> bool {
        self.chosen().iter().any(|(_, numbers)| !numbers.is_empty())
    }

    /// Returns the arguments that choose matches by number.
    fn chosen(&self) -> [(&'static str, &[usize]); 2] {
        [("skip", &self.skip), ("only", &self.only)]
    }

    /// Checks the arguments of a rewrite like an earlier edit.
    pub(super) fn check_like(&self) -> Result<(), Diagnostic> {
        let others = [
            ("pattern", self.pattern.is_some()),
            ("rule", self.rule.is_some()),
            ("new_content", self.new_content.is_some()),
            ("language", self.language.is_some()),
            ("reading", self.reading.is_some()),
            ("scope", !self.scope.is_none()),
            ("symbol_kind", self.symbol_kind.is_some()),
        ];
        match others.iter().find(|(_, is_passed)| *is_passed) {
            None if self.apply => Err(diagnostic::about_arguments(
                "like is only previewed, since it selects a pattern",
            )
            .help("call «apply_edit» with the edit_id of the preview")),
            None => Ok(()),
            Some((name, _)) => {
                let message = format!("like cannot be combined with {name}");
                Err(diagnostic::about_arguments(message))
            }
        }
    }

    /// Returns the only language that is searched, if there is one.
    fn language(&self) -> Result<Option<&'static Language>, Diagnostic> {
        let Some(name) = &self.language else {
            return Ok(None);
        };
        match language::by_name(name) {
            Some(language) => Ok(Some(language)),
            None => {
                let message = format!("unknown language {name:?}");
                Err(diagnostic::about_arguments(message)
                    .help("run `treegraft languages` to list the languages"))
            }
        }
    }

    /// Checks the arguments.
    fn check(&self) -> Result<(), Diagnostic> {
        let refused = |message: &str| Err(diagnostic::about_arguments(message));
        let of_pattern = [
            ("language", self.language.is_some()),
            ("reading", self.reading.is_some()),
            ("quotes", self.quotes.is_exact()),
        ];
        let mut of_pattern = of_pattern.iter();
        if let Some((name, _)) =
            of_pattern.find(|(_, is_passed)| *is_passed && self.pattern.is_none())
        {
            return refused(&format!("{name} can only be combined with pattern"));
        }
        match (&self.pattern, &self.rule) {
            (Some(_), Some(_)) => return refused("a rewrite takes only one of pattern and rule"),
            (Some(pattern), None) if pattern.trim().is_empty() => {
                return refused("pattern is blank");
            }
            (Some(_), None) if self.new_content.is_none() => {
                return refused("new_content is missing; only a rule can have a fix");
            }
            _ => {}
        }
        if !self.skip.is_empty() && !self.only.is_empty() {
            return refused("a rewrite takes only one of skip and only");
        }
        for (name, numbers) in self.chosen() {
            if numbers.contains(&0) {
                return refused(&format!("{name} counts from 1"));
            }
        }
        Ok(())
    }

    /// Refuses another number of matches than expected.
    fn check_count(&self, found: usize) -> Result<(), Diagnostic> {
        match self.expect_matches.filter(|expected| *expected != found) {
            None => Ok(()),
            Some(expected) => Err(diagnostic::about_match_count(expected, found)),
        }
    }

    /// Returns the numbers of the matches to rewrite.
    fn numbers(&self, found: usize) -> Result<BTreeSet<usize>, Diagnostic> {
        self.check_count(found)?;
        for (name, numbers) in self.chosen() {
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
        MatchFailure::LosesCode { code } => diagnostic::about_lost_code(code),
        MatchFailure::MixedLineBreaks => diagnostic::about_mixed_line_breaks(),
        MatchFailure::StringWithLines { name } => diagnostic::about_string_with_lines(name),
        MatchFailure::AfterOthers => diagnostic::about_match_after_others(),
        MatchFailure::Inner { text } => diagnostic::about_refused_inner(text),
        MatchFailure::NotAfterInner => diagnostic::about_inner_match(
            "it does not match any more after the matches inside it are rewritten",
        ),
        MatchFailure::TooManyInner => {
            diagnostic::about_inner_match("the matches inside it are nested too deeply")
        }
    }
}

/// Returns the refusal of the first match, with those of the others.
fn refusal(refused: &[&Refusal], found: usize) -> Diagnostic {
    let mut refusals = Refusals::default();
    for one in refused {
        let Refusal {
            number,
            file_path,
            line,
            why,
        } = one;
        refusals.add(|| Diagnostic {
            message: format!("match {number} ({file_path}:{line}): {}", why.message),
            ..why.clone()
        });
    }
    let numbers: Vec<usize> = refused.iter().map(|one| one.number).collect();
    let first = refusals.into_diagnostic();
    diagnostic::with_help_on_matches(first, &numbers, found)
}

/// Returns a one-line summary of a rewrite.
fn summary(counts: &MatchCounts) -> String {
    match counts.replaced {
        1 => "rewrite 1 match".to_string(),
        replaced => format!("rewrite {replaced} matches"),
    }
}

/// Returns a note on the matches inside others that stay as they are.
fn nested_text(count: usize) -> Option<String> {
    match count {
        0 => None,
        1 => Some("1 match inside another one stays as it is".to_string()),
        count => Some(format!("{count} matches inside others stay as they are")),
    }
}

/// Returns a note on the matches whose new text matches again.
fn matching_again_text(numbers: &[usize]) -> Option<String> {
    let listed = diagnostic::numbers_text(numbers, NUMBERS_LISTED);
    match numbers {
        [] => None,
        [_] => Some(format!(
            "the new text of match {listed} matches again: do not run it twice"
        )),
        _ => Some(format!(
            "the new texts of matches {listed} match again: do not run it twice"
        )),
    }
}

/// Returns a note on the matches that would be read as something else without added parentheses.
fn parenthesized_text(numbers: &[usize]) -> Option<String> {
    let listed = diagnostic::numbers_text(numbers, NUMBERS_LISTED);
    match numbers {
        [] => None,
        [_] => Some(format!("added parentheses in match {listed}")),
        _ => Some(format!("added parentheses in matches {listed}")),
    }
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
