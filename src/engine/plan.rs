//! Selects, edits, checks and previews the edits of a request, file by file.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::change::{Change, Replacement, Target, TextEdit};
use crate::diagnostic::{
    self, Attempt, Code, ContentOrigin, Diagnostic, NextCall, PlaceOfEdit, PlaceView, Pointing,
    Suggestion, Trial,
};
use crate::edit::{self, EditError, ExactBlankLines, Operation};
use crate::names::ImportFacts;
use crate::parse::Parsed;
use crate::preview::{self, FilePreview, MovedFile, Preview};
use crate::select::{self, Candidate, SelectError, Selection, Selector};
use crate::source::{Source, Span};
use crate::validate::several::{self, Edit, EditFailure, Made, Moved, RefusedStep, several_up_to};
use crate::validate::{Check, Note, validate};

use super::request::KeptCall;
use super::request::{EditKind, FileOperation, MoveTarget, RequestedEdit};
use super::response::EditAction;
use super::response::MatchCounts;

/// The preview of a request, and the edit of each of its targets.
pub(super) struct EditPlan {
    pub(super) preview: Preview,
    /// For each file, one entry per target.
    pub(super) targets: Vec<Vec<TargetInfo>>,
    pub(super) notes: Vec<String>,
}

impl EditPlan {
    /// Leaves out the files whose import statements need no change.
    ///
    /// # Errors
    /// Nothing changes.
    pub(super) fn leave_out_organized(&mut self) -> Result<(), Diagnostic> {
        let files = self.preview.files().iter().zip(&self.targets);
        let is_left = files.map(|(file, targets)| {
            let is_organized = |one: &TargetInfo| one.action == EditAction::OrganizeFile;
            file.record().is_change() || !targets.iter().any(is_organized)
        });
        let is_left: Vec<bool> = is_left.collect();
        let place = |file: usize| {
            let before = is_left[..file].iter().filter(|is_left| **is_left);
            is_left[file].then(|| before.count())
        };
        let files = self.preview.files().iter().zip(&self.targets).enumerate();
        let left = files.filter(|(file, _)| is_left[*file]);
        let (previews, targets): (Vec<FilePreview>, _) = left
            .map(|(_, (preview, targets))| (preview.clone().renumbered(place), targets.clone()))
            .unzip();
        if !previews.iter().any(|preview| preview.record().is_change()) {
            return Err(diagnostic::about_organized(&self.notes));
        }
        self.preview = Preview::from_files(previews).expect("each file occurs once");
        self.targets = targets;
        Ok(())
    }

    /// Returns the diffs of all files.
    pub(super) fn diff(&self) -> String {
        let files = self.preview.files().iter();
        let files: Vec<_> = files
            .map(|file| (file.record(), file.before().path()))
            .collect();
        let diffs = preview::all_renamed(&files);
        preview::in_one_patch(diffs.iter().map(String::as_str)).concat()
    }
}

/// The edit of a target, and the action on the target.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct TargetInfo {
    /// The index of the edit.
    pub(super) edit: usize,
    pub(super) action: EditAction,
}

/// The files that a request edits.
pub(super) struct Files<'f> {
    pub(super) parsed: &'f [Arc<Parsed>],
    /// For each file, whether it does not exist yet. The text that edits of a new file start from is parsed instead.
    pub(super) is_new: &'f [bool],
    /// For each edit, its files.
    pub(super) of_edits: &'f [EditFiles],
}

/// The change of a whole file.
#[derive(Clone, Copy)]
struct WholeFile<'e> {
    /// The index of the edit.
    edit: usize,
    kind: WholeFileKind<'e>,
}

/// What happens to a whole file. A move has two changes, with the index of the other file.
#[derive(Clone, Copy)]
enum WholeFileKind<'e> {
    Create(&'e str),
    Delete,
    MoveTo(usize),
    MoveFrom(usize),
    /// Its import statements change, which depends on all files of the plan.
    Organize,
}

/// The files of one edit, as indices.
#[derive(Clone, Debug, Default)]
pub(super) struct EditFiles {
    /// The files of its targets.
    pub(super) own: Vec<OwnFile>,
    /// The file of a move's destination, if it may be another one.
    pub(super) destination: Option<usize>,
    /// The number of files that its paths match.
    pub(super) searched: usize,
}

/// A file in which an edit selects its targets.
#[derive(Clone, Copy, Debug)]
pub(super) struct OwnFile {
    pub(super) file: usize,
    /// Whether a glob matches the file, so that it is left out if no selector matches in it.
    pub(super) is_optional: bool,
}

impl EditFiles {
    /// Returns the files of an edit that names one.
    pub(super) fn one(file: usize, destination: Option<usize>) -> EditFiles {
        EditFiles {
            own: vec![OwnFile {
                file,
                is_optional: false,
            }],
            destination,
            searched: 1,
        }
    }

    /// Returns whether the edit names several files, or a glob.
    fn are_several(&self) -> bool {
        self.searched > 1 || self.is_by_glob()
    }

    /// Returns whether a glob determines the files.
    fn is_by_glob(&self) -> bool {
        self.own.iter().any(|own| own.is_optional)
    }

    /// Returns all files, including that of the destination.
    fn all(&self) -> impl Iterator<Item = usize> {
        let own = self.own.iter().map(|own| own.file);
        own.chain(self.destination)
    }
}

/// One operation on one selection. A move has two: the deletion and the insertion.
struct EditStep<'p, 'e> {
    /// The index of the edit that the step belongs to.
    edit: usize,
    file: usize,
    selection: Selection<'p>,
    selector: &'e Selector,
    /// The index of the selector in the edit.
    number: usize,
    operation: Cow<'e, Operation>,
    /// Whether the step is the insertion of a move.
    is_arrival: bool,
    /// The type of the edited or moved node.
    node_type: &'p str,
    action: EditAction,
}

/// The refusals of several edits.
#[derive(Default)]
pub(super) struct Refusals {
    refused: Vec<Diagnostic>,
    /// The number of refused edits that are not explained.
    omitted: usize,
    /// For the index of an explained edit, the other files where it is refused.
    others: HashMap<usize, Vec<String>>,
    /// Whether a file has too many edits: trying each of them would take as long again.
    has_too_many: bool,
}

impl Refusals {
    /// The maximum number of refused edits to explain. The search for suggestions takes longer than an edit.
    const EXPLAINED: usize = 10;

    pub(super) fn is_empty(&self) -> bool {
        self.refused.is_empty()
    }

    /// Returns whether enough refusals are explained.
    pub(super) fn is_full(&self) -> bool {
        self.refused.len() >= Refusals::EXPLAINED
    }

    /// Counts a refused edit that is not explained.
    pub(super) fn omit(&mut self) {
        self.omitted += 1;
    }

    /// Adds the refusal of an edit, unless enough are explained.
    pub(super) fn add(&mut self, explain: impl FnOnce() -> Diagnostic) {
        match self.is_full() {
            true => self.omit(),
            false => self.refused.push(explain()),
        }
    }

    /// Adds the refusal of an edit in one file. `index` is that of an edit of several files, which is explained only once.
    fn add_in_file(
        &mut self,
        index: Option<usize>,
        path: &str,
        explain: impl FnOnce() -> Diagnostic,
    ) {
        match index.filter(|index| self.has(Some(*index))) {
            Some(index) => {
                let others = self.others.entry(index).or_default();
                others.push(format!("`{path}`"));
            }
            None => self.add(explain),
        }
    }

    /// Returns whether an edit with this index is refused.
    fn has(&self, index: Option<usize>) -> bool {
        self.refused.iter().any(|one| one.edit_index == index)
    }

    /// Returns the refusal of the first edit, with the others.
    pub(super) fn into_diagnostic(mut self) -> Diagnostic {
        for refused in &mut self.refused {
            let others = refused.edit_index.and_then(|one| self.others.get(&one));
            if let Some(others) = others {
                *refused = diagnostic::with_others_refused(refused.clone(), others);
            }
        }
        self.refused.sort_by_key(|one| one.edit_index);
        let mut refused = self.refused.into_iter();
        let first = refused.next();
        Diagnostic {
            further: refused.collect(),
            further_omitted: self.omitted,
            ..first.unwrap_or_else(diagnostic::about_nothing_done)
        }
    }
}

/// Adds the refusals of edits whose target or destination cannot be selected.
pub(super) fn add_unresolved(
    files: &Files<'_>,
    edits: &[RequestedEdit],
    allow: &[Check],
    refusals: &mut Refusals,
) {
    let planner = Planner {
        files,
        edits,
        allow,
    };
    planner.steps(refusals);
}

/// Previews the edits of all files.
///
/// # Errors
/// The first refused edit, with the others. Two edits must not change the same text.
pub(super) fn plan(
    files: &Files<'_>,
    edits: &[RequestedEdit],
    allow: &[Check],
) -> Result<EditPlan, Diagnostic> {
    let planner = Planner {
        files,
        edits,
        allow,
    };
    let mut refusals = Refusals::default();
    let (steps, mut notes) = planner.steps(&mut refusals);
    if !refusals.is_empty() {
        return Err(refusals.into_diagnostic());
    }
    let whole_files = planner.whole_files();
    let of_files = in_files(&steps, files.parsed.len());
    // The index of each file in the preview, in which files without an edit are left out.
    let is_planned = |file: usize| whole_files[file].is_some() || !of_files[file].is_empty();
    let indices = (0..files.parsed.len()).scan(0, |next, file| {
        let index = *next;
        *next += usize::from(is_planned(file));
        Some(index)
    });
    let indices: Vec<usize> = indices.collect();
    let is_nothing = !(0..files.parsed.len()).any(is_planned);
    let mut previews = Vec::new();
    let mut targets = Vec::new();
    for (file, own) in of_files.iter().enumerate() {
        let planned = match whole_files[file] {
            Some(whole) => planner.whole_file(file, whole, &indices, &mut refusals),
            None if own.is_empty() && !is_nothing => None,
            None => planner.edited_file(file, own, &mut refusals),
        };
        if let Some(planned) = planned {
            previews.push(planned.preview);
            targets.push(planned.targets);
            for (edit, note) in planned.notes {
                notes[edit].push(note);
            }
        }
    }
    if !refusals.is_empty() {
        planner.add_failing(&steps, &mut refusals);
        return Err(refusals.into_diagnostic());
    }
    let notes = edits.iter().zip(notes).flat_map(|(edit, notes)| {
        let notes = notes.into_iter();
        notes.map(|note| (edit.index, note))
    });
    let preview = Preview::from_files(previews).expect("each file occurs once");
    let files = preview.files();
    let organizes = edits.iter().any(RequestedEdit::organizes);
    match organizes || files.iter().any(|file| file.record().is_change()) {
        true => Ok(EditPlan {
            preview,
            targets,
            notes: grouped(notes),
        }),
        false => Err(diagnostic::about_nothing_done()),
    }
}

/// The change of one file.
struct PlannedFile {
    preview: FilePreview,
    targets: Vec<TargetInfo>,
    /// Notes, each with the index of its edit.
    notes: Vec<(usize, String)>,
}

/// What a call changes, before it is staged. Without files, it changes nothing.
pub(super) struct PlannedCall {
    pub(super) call: KeptCall,
    /// A one-line summary of the edit.
    pub(super) summary: String,
    /// The symbol of the first target, if it is in one.
    pub(super) symbol: Option<String>,
    pub(super) plan: EditPlan,
    /// The matches of a rewrite.
    pub(super) matches: Option<MatchCounts>,
}

impl EditPlan {
    /// Returns a summary with the number of files, if there are several.
    pub(super) fn in_files(&self, summary: String) -> String {
        match self.preview.files().len() {
            1 => summary,
            files => format!("{summary} in {files} files"),
        }
    }
}

/// The maximum number of edits that a note on several edits lists.
const NOTED_EDITS: usize = 3;

/// Combines equal notes into one that counts them and lists the first edits.
fn grouped(notes: impl Iterator<Item = (Option<usize>, String)>) -> Vec<String> {
    let mut groups: Vec<(String, Vec<Option<usize>>)> = Vec::new();
    let mut known: HashMap<String, usize> = HashMap::new();
    for (index, note) in notes {
        let group = *known.entry(note.clone()).or_insert(groups.len());
        if group == groups.len() {
            groups.push((note, Vec::new()));
        }
        groups[group].1.push(index);
    }
    let groups = groups.into_iter();
    groups
        .map(|(note, all)| {
            let mut edits: Vec<usize> = all.iter().flatten().copied().collect();
            edits.dedup();
            let listed = edits.iter().take(NOTED_EDITS).map(usize::to_string);
            let listed = listed.collect::<Vec<_>>().join(", ");
            let edits = match edits.len().saturating_sub(NOTED_EDITS) {
                _ if edits.is_empty() => String::new(),
                0 => format!("edits[{listed}]: "),
                more => format!("edits[{listed}] and {more} more: "),
            };
            match all.len() {
                1 => format!("{edits}{note}"),
                count => format!("{edits}{note} ({count} times)"),
            }
        })
        .collect()
}

/// The maximum number of files that an edit may change, unless the caller confirms the number of its targets.
const FILES_LIMIT: usize = 1_000;

/// The targets of one edit.
#[derive(Default)]
struct Targets<'p, 'e> {
    steps: Vec<EditStep<'p, 'e>>,
    /// The number of files in which it selects nothing, of all that its paths match.
    left_out: usize,
    searched: usize,
    /// The number of selected nodes that already have the new text, of an edit of several.
    unchanged: usize,
}

impl Targets<'_, '_> {
    /// Returns what the edit leaves as it is.
    fn notes(&self) -> impl Iterator<Item = String> {
        let left_out = diagnostic::left_out_text(self.left_out, self.searched);
        left_out
            .into_iter()
            .chain(diagnostic::unchanged_text(self.unchanged))
    }
}

/// The maximum number of matches that a refusal of their number lists.
const MATCHES_LISTED: usize = 20;

/// Why one selector of an edit selects nothing in one file.
struct NotSelected<'p> {
    file: usize,
    number: usize,
    why: SelectError<'p>,
}

/// Returns the steps of each of a number of files.
fn in_files<'s, 'p, 'e>(
    steps: &'s [EditStep<'p, 'e>],
    files: usize,
) -> Vec<Vec<&'s EditStep<'p, 'e>>> {
    let mut of_files: Vec<Vec<&EditStep<'_, '_>>> = (0..files).map(|_| Vec::new()).collect();
    for step in steps {
        of_files[step.file].push(step);
    }
    of_files
}

/// Selects the targets of one edit in all its files. A move also selects its destination.
fn steps_of<'p, 'e>(
    files: &Files<'p>,
    number: usize,
    edit: &'e RequestedEdit,
    allow: &[Check],
) -> Result<Targets<'p, 'e>, Diagnostic> {
    let own = &files.of_edits[number];
    let is_several = own.are_several() || edit.selectors.len() > 1;
    let steps = match &edit.kind {
        EditKind::Edit(operation) => {
            let action = EditAction::from_operation(operation);
            let operation = (Cow::Borrowed(operation), action);
            selected(files, (number, edit), operation, allow, is_several)?
        }
        EditKind::Move(_) => {
            let operation = (Cow::Owned(Operation::Delete), EditAction::Move);
            selected(files, (number, edit), operation, allow, is_several)?
        }
        EditKind::File(_) => return Ok(Targets::default()),
    };
    check_targets(files, edit, &steps)?;
    let mut in_files: Vec<usize> = steps.iter().map(|step| step.file).collect();
    in_files.dedup();
    let mut targets = Targets {
        left_out: own.searched.saturating_sub(in_files.len()),
        searched: own.searched,
        unchanged: 0,
        steps,
    };
    match &edit.kind {
        EditKind::Move(destination) => {
            let arrivals = targets.steps.iter().map(|step| {
                arrival(files, step, destination, allow).map_err(|refused| {
                    let place = place_of(files, number, edit, step.file, step.number);
                    diagnostic::about_one_of_several(refused, place)
                })
            });
            let arrivals: Vec<EditStep<'_, '_>> = arrivals.collect::<Result<_, _>>()?;
            targets.steps.extend(arrivals);
        }
        EditKind::Edit(operation) if is_several => {
            let changes = |step: &EditStep<'_, '_>| {
                let changed = edit::edit(step.selection.clone(), operation);
                !matches!(changed, Err(EditError::NoChange))
            };
            let selected = targets.steps.len();
            targets.steps.retain(changes);
            targets.unchanged = selected - targets.steps.len();
            if targets.steps.is_empty() {
                return Err(diagnostic::about_nothing_done());
            }
        }
        EditKind::Edit(_) | EditKind::File(_) => {}
    }
    Ok(targets)
}

/// Selects the nodes and texts of one edit in all its files.
///
/// A file that only a glob names may have no match, as long as each selector matches in some file.
fn selected<'p, 'e>(
    files: &Files<'p>,
    (number, edit): (usize, &'e RequestedEdit),
    (operation, action): (Cow<'e, Operation>, EditAction),
    allow: &[Check],
    is_several: bool,
) -> Result<Vec<EditStep<'p, 'e>>, Diagnostic> {
    let select = |parsed: &'p Parsed, selector: &Selector| match edit.expected {
        Some(expected) if !is_several => select::select_all(parsed, selector, expected),
        Some(_) => select::select_each(parsed, selector),
        None => select::select(parsed, selector).map(|selection| vec![selection]),
    };
    let mut steps: Vec<EditStep<'_, '_>> = Vec::new();
    let mut failed: Vec<NotSelected<'_>> = Vec::new();
    let mut left_out: Vec<NotSelected<'_>> = Vec::new();
    for OwnFile { file, is_optional } in files.of_edits[number].own.iter().copied() {
        let parsed: &'p Parsed = &files.parsed[file];
        for (number_of_selector, selector) in edit.selectors.iter().enumerate() {
            match select(parsed, selector) {
                Ok(selected) => steps.extend(selected.into_iter().map(|selection| EditStep {
                    edit: number,
                    file,
                    node_type: selection.node().kind(),
                    selection,
                    selector,
                    number: number_of_selector,
                    operation: operation.clone(),
                    is_arrival: false,
                    action,
                })),
                Err(why) => {
                    let is_left_out = is_optional && why.no_match().is_some();
                    let not_selected = if is_left_out {
                        &mut left_out
                    } else {
                        &mut failed
                    };
                    not_selected.push(NotSelected {
                        file,
                        number: number_of_selector,
                        why,
                    });
                }
            }
        }
    }
    let used: HashSet<usize> = steps.iter().map(|step| step.number).collect();
    left_out.retain(|one| !used.contains(&one.number));
    if !failed.is_empty() || !left_out.is_empty() {
        let pointing = Pointing::Edit(&operation, allow);
        return Err(not_selected(
            files, number, edit, pointing, failed, left_out,
        ));
    }
    Ok(steps)
}

/// Explains why the selectors of an edit select nothing, first those that fail and then those without a match.
fn not_selected(
    files: &Files<'_>,
    number: usize,
    edit: &RequestedEdit,
    pointing: Pointing<'_>,
    failed: Vec<NotSelected<'_>>,
    left_out: Vec<NotSelected<'_>>,
) -> Diagnostic {
    /// The maximum number of files in which to look for a similar text.
    const LOOKED_AT: usize = 20;

    let own = &files.of_edits[number];
    let explained = |one: &NotSelected<'_>| {
        let selector = &edit.selectors[one.number];
        diagnostic::about_select(&files.parsed[one.file], selector, &one.why, pointing)
    };
    let path = |one: &NotSelected<'_>| files.parsed[one.file].source().path().to_string();
    let place = |one: &NotSelected<'_>| place_of(files, number, edit, one.file, one.number);
    if let Some(first) = failed.first() {
        let refused = explained(first);
        if !own.are_several() && edit.selectors.len() == 1 {
            let parsed = &files.parsed[first.file];
            return match (&first.why, &edit.kind) {
                (SelectError::Ambiguous { candidates }, EditKind::Edit(operation))
                    if *operation != Operation::Delete && are_equal(parsed, candidates) =>
                {
                    diagnostic::with_help_on_equal_places(refused, candidates.len())
                }
                _ => refused,
            };
        }
        let refused = match &first.why {
            // One selector matches too much.
            SelectError::Ambiguous { .. } if edit.expected.is_none() => {
                let others = failed
                    .iter()
                    .all(|one| matches!(one.why, SelectError::Ambiguous { .. }));
                let is_move = matches!(edit.kind, EditKind::Move(_));
                let steps_on = |one: &Selector| one.outward != 0 || one.sibling != 0;
                let can_edit_all = others && !is_move && !edit.selectors.iter().any(steps_on);
                let count = match can_edit_all {
                    true => count_of_all(files, number, edit),
                    false => None,
                };
                diagnostic::with_help_on_all_matches(refused, count)
            }
            _ => refused,
        };
        let refused = in_selectors(refused, edit, first.number);
        let others = failed.iter().skip(1).filter_map(|one| place(one).text());
        let refused = diagnostic::about_one_of_several(refused, place(first));
        return Diagnostic {
            // The other files of the edit have it.
            missing_text: None,
            ..diagnostic::with_others_refused(refused, &others.collect::<Vec<_>>())
        };
    }
    let nearest = left_out.iter().map(|one| one.why.no_match()).min();
    let nearest = nearest.flatten();
    let nearest = left_out
        .iter()
        .filter(|one| one.why.no_match() == nearest)
        .take(LOOKED_AT);
    let mut nearest = nearest.map(|one| (one, explained(one)));
    let Some(first) = nearest.next() else {
        return diagnostic::about_nothing_done();
    };
    let suggests = |one: &(&NotSelected<'_>, Diagnostic)| !one.1.suggestions.is_empty();
    let (one, refused) = match suggests(&first) {
        true => first,
        false => nearest.find(suggests).unwrap_or(first),
    };
    let selector = (edit.selectors.len() > 1).then_some(one.number);
    let refused = in_selectors(refused, edit, one.number);
    let paths = edit.paths.join("`, `");
    diagnostic::about_no_match_in_files(refused, &paths, own.searched, &path(one), selector)
}

/// Returns whether all candidates have the same text.
fn are_equal(parsed: &Parsed, candidates: &[Candidate<'_>]) -> bool {
    let text = |one: &Candidate<'_>| {
        let node = one.chain.last();
        let span = one
            .text_span()
            .or(node.map(|node| select::trimmed_node(parsed, *node)));
        span.map(|span| parsed.source().slice(span).into_owned())
    };
    let mut texts = candidates.iter().map(text);
    let first = texts.next().flatten();
    first.is_some() && texts.all(|text| text == first)
}

/// Checks the number of an edit's targets, and that each is selected once.
fn check_targets(
    files: &Files<'_>,
    edit: &RequestedEdit,
    steps: &[EditStep<'_, '_>],
) -> Result<(), Diagnostic> {
    let source = |step: &EditStep<'_, '_>| files.parsed[step.file].source();
    let line = |step: &EditStep<'_, '_>| source(step).line_of(step.selection.span().start());
    if let Some(expected) = edit.expected
        && expected != steps.len()
    {
        let places = steps.iter().take(MATCHES_LISTED).map(|step| {
            let (source, span) = (source(step), step.selection.span());
            let position = source.position(span.start());
            PlaceView {
                file: source.path().to_string(),
                line: position.line,
                column: position.character,
                text: diagnostic::first_line(step.selection.parsed(), span),
                locate: None,
                reason: "match",
            }
        });
        let mut in_files: Vec<usize> = steps.iter().map(|step| step.file).collect();
        in_files.dedup();
        let found = (steps.len(), in_files.len());
        return Err(diagnostic::about_match_count_in_files(
            expected,
            found,
            places.collect(),
        ));
    }
    if edit.selectors.len() > 1 {
        let mut known: HashMap<(usize, Span), &EditStep<'_, '_>> = HashMap::new();
        for step in steps {
            let twice = known.insert((step.file, step.selection.span()), step);
            if let Some(first) = twice.filter(|first| first.number != step.number) {
                let numbers = (first.number, step.number);
                return Err(diagnostic::about_same_node(
                    numbers,
                    source(step).path(),
                    line(step),
                ));
            }
        }
    }
    let mut in_files: Vec<usize> = steps.iter().map(|step| step.file).collect();
    in_files.dedup();
    match edit.expected.is_none() && in_files.len() > FILES_LIMIT {
        true => Err(diagnostic::about_too_many_edited_files(
            steps.len(),
            in_files.len(),
            FILES_LIMIT,
        )),
        false => Ok(()),
    }
}

/// Returns the number of nodes that the selectors of an edit match in all its files, if each matches in some file.
fn count_of_all(files: &Files<'_>, number: usize, edit: &RequestedEdit) -> Option<usize> {
    let mut count = 0;
    for own in &files.of_edits[number].own {
        for selector in &edit.selectors {
            match select::select_each(&files.parsed[own.file], selector) {
                Ok(selected) => count += selected.len(),
                Err(why) if own.is_optional && why.no_match().is_some() => {}
                Err(_) => return None,
            }
        }
    }
    (count > 0).then_some(count)
}

/// Returns the refusal of one selector of an edit, whose suggestions are about this selector, as one of the edit.
fn in_selectors(mut refused: Diagnostic, edit: &RequestedEdit, number: usize) -> Diagnostic {
    if edit.selectors.len() > 1 {
        for suggestion in &mut refused.suggestions {
            if let NextCall::Select(selector) = &suggestion.call {
                let mut selectors = edit.selectors.clone();
                selectors[number] = selector.clone();
                suggestion.call = NextCall::SelectSeveral(selectors);
            }
        }
    }
    refused
}

/// Returns the file and the selector that a refusal of an edit is about, as far as the edit has several.
fn place_of<'f>(
    files: &Files<'f>,
    number: usize,
    edit: &RequestedEdit,
    file: usize,
    selector: usize,
) -> PlaceOfEdit<'f> {
    let path = files.of_edits[number].are_several();
    PlaceOfEdit {
        path: path.then(|| files.parsed[file].source().path()),
        selector: (edit.selectors.len() > 1).then_some(selector),
    }
}

/// Returns the insertion of a move.
fn arrival<'p, 'e>(
    files: &Files<'p>,
    leaving: &EditStep<'p, 'e>,
    destination: &'e MoveTarget,
    allow: &[Check],
) -> Result<EditStep<'p, 'e>, Diagnostic> {
    edit::check_editable(&leaving.selection)
        .map_err(|error| about(leaving, &leaving.selection, &EditFailure::Edit(error), &[]))?;
    let insert = |new_content: String| Operation::Insert {
        position: destination.position,
        new_content,
        indent: destination.indent,
        blank_lines: ExactBlankLines::default(),
    };
    let file = files.of_edits[leaving.edit].destination;
    let file = file.unwrap_or(leaving.file);
    let parsed: &'p Parsed = &files.parsed[file];
    let selector = &destination.selector;
    let selection = select::select(parsed, selector).map_err(|error| {
        let source = leaving.selection.parsed().source();
        let operation = insert(source.slice(leaving.selection.span()).into_owned());
        let allow = allows(allow, true);
        let pointing = Pointing::Edit(&operation, &allow);
        diagnostic::about_select(parsed, selector, &error, pointing).of_destination()
    })?;
    let moved = edit::moving(&leaving.selection, &selection, destination.position);
    let operation = insert(moved);
    Ok(EditStep {
        edit: leaving.edit,
        file,
        node_type: leaving.node_type,
        selection,
        selector,
        number: leaving.number,
        action: EditAction::from_operation(&operation).of_move(),
        operation: Cow::Owned(operation),
        is_arrival: true,
    })
}

/// Returns the checks that are allowed to fail. Moved text is not checked for placeholders.
fn allows(allow: &[Check], is_moved: bool) -> Vec<Check> {
    let own = is_moved.then_some(Check::SuspiciousContent);
    allow.iter().copied().chain(own).collect()
}

impl EditStep<'_, '_> {
    /// Returns the checks that are allowed to fail.
    fn allows(&self, allow: &[Check]) -> Vec<Check> {
        allows(allow, self.is_arrival)
    }

    /// Returns the text of a note on this step.
    fn note_text(&self, note: &Note) -> String {
        diagnostic::note_text(&self.operation, self.origin(), note)
    }

    /// Returns where the inserted text comes from.
    fn origin(&self) -> ContentOrigin {
        match self.is_arrival {
            true => ContentOrigin::Move,
            false => ContentOrigin::Argument,
        }
    }
}

impl WholeFile<'_> {
    fn target(self) -> TargetInfo {
        TargetInfo {
            edit: self.edit,
            action: match self.kind {
                WholeFileKind::Create(_) => EditAction::CreateFile,
                WholeFileKind::Delete => EditAction::DeleteFile,
                WholeFileKind::MoveTo(_) => EditAction::MoveFile,
                WholeFileKind::MoveFrom(_) => EditAction::MoveFileHere,
                WholeFileKind::Organize => EditAction::OrganizeFile,
            },
        }
    }
}

/// Previews a new file with this text.
fn of_new(after: &Parsed, moved: Option<MovedFile>) -> FilePreview {
    let target = Target {
        node_type: after.root().kind().to_string(),
        span: Span::at(0),
        new_span: after.source().whole(),
    };
    FilePreview::of_new(after.source().clone(), vec![target], moved)
}

/// Checks the text of a new file that edits of its first `content` produce. Each edit has been checked for being a sketch of
/// code, and moved text is none.
fn check_new(source: &Source, content: Option<&str>, allow: &[Check]) -> Result<(), Diagnostic> {
    let nothing = Parsed::parse(Source::new(source.path(), source.language(), String::new()));
    let with = |check: Check| [allow, &[check]].concat();
    if let Some(content) = content {
        created(&nothing, content, &with(Check::SyntaxErrors))?;
    }
    created(&nothing, source.text(), &with(Check::SuspiciousContent)).map(|_| ())
}

/// Checks the content of a new file as that of an edit, and previews it. `nothing` is the file without text.
fn created(
    nothing: &Parsed,
    content: &str,
    allow: &[Check],
) -> Result<(FilePreview, Vec<String>), Diagnostic> {
    if content.is_empty() {
        return Ok((of_new(nothing, None), Vec::new()));
    }
    let replacement = Replacement {
        span: Span::at(0),
        new_text: content.to_string(),
    };
    let text_edit = TextEdit::new(nothing.source(), vec![replacement])
        .expect("one replacement overlaps nothing");
    // There is nothing around it.
    let allow: Vec<Check> = allow.iter().copied().chain([Check::Surroundings]).collect();
    let checked = validate(Change::of_texts(nothing, text_edit), &allow)
        .map_err(|rejected| diagnostic::about_rejected_file(&rejected))?;
    let operation = Operation::replace(content);
    let notes = checked.notes().iter();
    let notes = notes.filter(
        |note| matches!(note, Note::Allowed(failure) if failure.check() != Check::Surroundings),
    );
    let notes = notes.map(|note| diagnostic::note_text(&operation, ContentOrigin::Argument, note));
    let notes = notes.chain(diagnostic::no_final_newline_text(content));
    Ok((of_new(checked.after(), None), notes.collect()))
}

/// Returns the maximum number of edits of a text that one call makes one after another: each parses and compares the text.
fn most_alone(parsed: &Parsed) -> usize {
    /// The total size of these texts, in bytes: about five seconds.
    const PARSED: usize = 32 * 1024 * 1024;
    const LEAST: usize = 20;

    (PARSED / parsed.source().len().max(1)).max(LEAST)
}

/// Applies and checks the steps of one file.
fn made<'p>(
    parsed: &'p Parsed,
    steps: &[&EditStep<'p, '_>],
    allow: &[Check],
) -> Result<Made<'p>, RefusedStep<'p>> {
    let mut edits: Vec<Edit<'_, 'p>> = Vec::new();
    for step in steps {
        let is_leaving = |one: &&EditStep<'_, '_>| {
            (one.edit, one.number) == (step.edit, step.number) && !one.is_arrival
        };
        let here = steps.iter().position(is_leaving).map(Moved::Here);
        edits.push(Edit {
            selection: step.selection.clone(),
            operation: &step.operation,
            moved: step.is_arrival.then(|| here.unwrap_or(Moved::Elsewhere)),
        });
    }
    several_up_to(parsed, &edits, allow, most_alone(parsed))
}

/// The edits of a request and their files, used to explain the refusal of an edit.
struct Planner<'r> {
    files: &'r Files<'r>,
    edits: &'r [RequestedEdit],
    allow: &'r [Check],
}

impl<'r> Planner<'r> {
    /// Selects the targets of all edits. Adds the refusals of those that cannot be selected. Also returns notes on each
    /// edit.
    fn steps(&self, refusals: &mut Refusals) -> (Vec<EditStep<'r, 'r>>, Vec<Vec<String>>) {
        let mut steps = Vec::new();
        let mut notes = Vec::new();
        let clashes = self.clashes_with_whole_files();
        for (number, edit) in self.edits.iter().enumerate() {
            let mut own_notes = Vec::new();
            if let Some((other, file)) = clashes.get(&number) {
                notes.push(own_notes);
                let path = self.files.parsed[*file].source().path();
                let refused = diagnostic::about_edit_of_whole_file(*other, path);
                refusals.add(|| self.numbered(number, refused));
                continue;
            }
            match steps_of(self.files, number, edit, self.allow) {
                Ok(own) => {
                    own_notes.extend(own.notes());
                    steps.extend(own.steps);
                }
                Err(refused) => refusals.add(|| self.refused(number, refused)),
            }
            notes.push(own_notes);
        }
        (steps, notes)
    }

    /// Returns the change of each file that is created, deleted or moved as a whole.
    fn whole_files(&self) -> Vec<Option<WholeFile<'r>>> {
        let mut all = vec![None; self.files.parsed.len()];
        for (edit, requested) in self.edits.iter().enumerate() {
            let files = &self.files.of_edits[edit];
            let (Some(operation), Some(own)) = (requested.file_operation(), files.own.first())
            else {
                continue;
            };
            if requested.is_start_of_others() {
                continue;
            }
            let mut set = |file: usize, kind| all[file] = Some(WholeFile { edit, kind });
            match (operation, files.destination) {
                (FileOperation::Create { content }, _) => {
                    set(own.file, WholeFileKind::Create(content));
                }
                (FileOperation::Move { .. }, Some(to)) => {
                    set(own.file, WholeFileKind::MoveTo(to));
                    set(to, WholeFileKind::MoveFrom(own.file));
                }
                (FileOperation::Delete | FileOperation::Move { .. }, _) => {
                    set(own.file, WholeFileKind::Delete);
                }
                (FileOperation::Organize, _) => {
                    let has_imports = |one: &&OwnFile| {
                        let language = self.files.parsed[one.file].source().language();
                        !one.is_optional || ImportFacts::for_language(language.name).is_some()
                    };
                    let all = files.own.iter().filter(has_imports);
                    all.for_each(|one| set(one.file, WholeFileKind::Organize));
                }
            }
        }
        all
    }

    /// Returns the edit that creates the file, and the content from which others start.
    fn creating(&self, file: usize) -> Option<(usize, &'r str)> {
        let mut edits = self.edits.iter().zip(self.files.of_edits).enumerate();
        edits.find_map(|(number, (edit, files))| {
            let is_own = edit.is_start_of_others() && files.own.iter().any(|own| own.file == file);
            is_own.then_some((number, edit.create.as_deref()?))
        })
    }

    /// Returns the edits that touch a file which another edit creates, deletes or moves, each with that edit and the file.
    fn clashes_with_whole_files(&self) -> HashMap<usize, (usize, usize)> {
        let mut touching: Vec<Vec<usize>> = vec![Vec::new(); self.files.parsed.len()];
        for (edit, files) in self.files.of_edits.iter().enumerate() {
            for file in files.all() {
                touching[file].push(edit);
            }
        }
        let mut clashes = HashMap::new();
        for (file, edits) in touching.iter().enumerate() {
            let is_whole = |edit: &&usize| {
                let edit = &self.edits[**edit];
                edit.file_operation().is_some() && !edit.is_start_of_others()
            };
            let Some(whole) = edits.iter().find(is_whole) else {
                continue;
            };
            let others = edits.iter().filter(|edit| *edit != whole);
            clashes.extend(others.map(|edit| (*edit, (*whole, file))));
        }
        clashes
    }

    /// Previews the edits of one file.
    fn edited_file(
        &self,
        file: usize,
        own: &[&EditStep<'r, '_>],
        refusals: &mut Refusals,
    ) -> Option<PlannedFile> {
        let parsed = &self.files.parsed[file];
        let made = match made(parsed, own, self.allow) {
            Ok(made) => made,
            Err(stopped) => {
                refusals.has_too_many |= matches!(stopped, RefusedStep::TooMany(_));
                let index = self.stopped_index(own, &stopped);
                let explain = || self.stopped(parsed, own, stopped);
                refusals.add_in_file(index, parsed.source().path(), explain);
                return None;
            }
        };
        let notes = made.notes().iter().flat_map(|(number, of_step)| {
            let step = own[*number];
            let texts = of_step.iter().map(|note| step.note_text(note));
            texts.map(|text| (step.edit, text))
        });
        let notes = notes.collect();
        let checked = made.into_checked();
        let preview = match self.files.is_new[file] {
            true => {
                let after = checked.after().source().clone();
                let creating = self.creating(file);
                let content = creating.map(|(_, content)| content);
                if let Err(refused) = check_new(&after, content, self.allow) {
                    let creating = creating.map(|(edit, _)| edit);
                    let edit = creating.or(own.first().map(|step| step.edit));
                    refusals.add(|| self.numbered(edit.unwrap_or_default(), refused));
                    return None;
                }
                FilePreview::of_new(after, checked.targets().to_vec(), None)
            }
            false => preview::preview(checked).0,
        };
        let targets = own.iter().map(|step| TargetInfo {
            edit: step.edit,
            action: step.action,
        });
        Some(PlannedFile {
            preview,
            targets: targets.collect(),
            notes,
        })
    }

    /// Previews the change of a whole file. `indices` are those of the files in the preview.
    fn whole_file(
        &self,
        file: usize,
        whole: WholeFile<'_>,
        indices: &[usize],
        refusals: &mut Refusals,
    ) -> Option<PlannedFile> {
        let parsed = &self.files.parsed[file];
        let source = parsed.source();
        let removed = |moved| {
            let node_type = parsed.root().kind().to_string();
            FilePreview::of_removed(source.clone(), node_type, moved)
        };
        let planned = match whole.kind {
            WholeFileKind::Create(content) => created(parsed, content, self.allow),
            WholeFileKind::Delete => Ok((removed(None), Vec::new())),
            WholeFileKind::Organize => {
                let target = Target {
                    node_type: parsed.root().kind().to_string(),
                    span: source.whole(),
                    new_span: source.whole(),
                };
                let edit = TextEdit::new(source, Vec::new()).expect("nothing overlaps");
                let preview = FilePreview::moved(source.clone(), &edit, vec![target]);
                Ok((preview, Vec::new()))
            }
            WholeFileKind::MoveTo(to) => {
                Ok((removed(Some(MovedFile::To(indices[to]))), Vec::new()))
            }
            WholeFileKind::MoveFrom(from) => {
                let text = self.files.parsed[from].source().text().to_string();
                let after = Parsed::parse(Source::new(source.path(), source.language(), text));
                let moved = Some(MovedFile::From(indices[from]));
                Ok((of_new(&after, moved), Vec::new()))
            }
        };
        match planned {
            Ok((preview, notes)) => Some(PlannedFile {
                preview,
                targets: vec![whole.target()],
                notes: notes.into_iter().map(|note| (whole.edit, note)).collect(),
            }),
            Err(refused) => {
                refusals.add(|| self.numbered(whole.edit, refused));
                None
            }
        }
    }

    /// Returns the refusal of a step with its place, if its edit has several targets.
    fn placed(&self, step: &EditStep<'_, '_>, refused: Diagnostic) -> Diagnostic {
        let edit = &self.edits[step.edit];
        let refused = in_selectors(refused, edit, step.number);
        let place = place_of(self.files, step.edit, edit, step.file, step.number);
        diagnostic::about_one_of_several(refused, place)
    }

    /// Returns whether an edit names several files or nodes.
    fn is_several(&self, edit: usize) -> bool {
        self.files.of_edits[edit].are_several() || self.edits[edit].selectors.len() > 1
    }

    /// Adds the refusals of further edits that cannot be applied to their targets, or whose content is not code. Other
    /// failed checks may depend on the edits that are already refused. Each is tried alone, as long as that takes about a
    /// second.
    fn add_failing(&self, steps: &[EditStep<'_, '_>], refusals: &mut Refusals) {
        /// The total size of the texts in which edits are tried, in bytes.
        const TRIED: usize = 8 * 1024 * 1024;

        let mut left = match refusals.has_too_many {
            true => 0,
            false => TRIED,
        };
        for step in steps {
            let index = self.edits[step.edit].index;
            if refusals.has(index) {
                continue;
            }
            let size = self.files.parsed[step.file].source().len();
            let Some(rest) = left.checked_sub(size) else {
                break;
            };
            left = rest;
            let allow = step.allows(self.allow);
            let failed = several::one(step.selection.clone(), &step.operation, &allow).err();
            let Some(why) = failed else {
                continue;
            };
            let refused = about(step, &step.selection, &why, self.allow);
            let is_own =
                matches!(why, EditFailure::Edit(_)) || refused.code == Code::SuspiciousContent;
            if is_own {
                refusals.add(|| self.refused(step.edit, self.placed(step, refused)));
            }
        }
    }

    /// Adds the index of the edit to its refusal. Tries each suggestion together with the other edits, and removes those
    /// that clash with them.
    fn refused(&self, edit: usize, mut refused: Diagnostic) -> Diagnostic {
        let is_single = matches!(self.edits, [one] if matches!(one.kind, EditKind::Edit(_)));
        if !is_single || self.is_several(edit) {
            let is_by_glob = self.files.of_edits[edit].is_by_glob();
            let suggestions = std::mem::take(&mut refused.suggestions).into_iter();
            let tried = suggestions.filter_map(|one| {
                let trial = match is_by_glob && one.trial == Trial::NotTried {
                    // The caller tries it in all files that the glob matches.
                    true => Trial::NotTried,
                    false => self.tried(edit, &one)?,
                };
                Some(Suggestion { trial, ..one })
            });
            refused.suggestions = tried.collect();
            refused.suggestions.sort_by_key(|one| one.trial);
        }
        self.numbered(edit, refused)
    }

    fn numbered(&self, edit: usize, refused: Diagnostic) -> Diagnostic {
        match self.edits[edit].index {
            Some(index) => refused.of_edit(index),
            None => refused,
        }
    }

    /// Returns the index of the refused edit if it names several files, each of which may refuse it.
    fn stopped_index(
        &self,
        steps: &[&EditStep<'_, '_>],
        stopped: &RefusedStep<'_>,
    ) -> Option<usize> {
        let edit = match stopped {
            RefusedStep::Nothing => return None,
            RefusedStep::Clash(one, other) => steps[*one].edit.max(steps[*other].edit),
            RefusedStep::Refused { edit, .. }
            | RefusedStep::AfterOthers { edit, .. }
            | RefusedStep::TooMany(edit) => steps[*edit].edit,
        };
        let are_several = self.files.of_edits[edit].are_several();
        self.edits[edit].index.filter(|_| are_several)
    }

    /// Explains why the steps of one file are refused.
    fn stopped(
        &self,
        parsed: &Parsed,
        steps: &[&EditStep<'_, '_>],
        stopped: RefusedStep<'_>,
    ) -> Diagnostic {
        match stopped {
            RefusedStep::Nothing => diagnostic::about_nothing_done(),
            RefusedStep::Clash(one, other) => self.clash(parsed, steps[one], steps[other]),
            RefusedStep::TooMany(edit) => {
                let refused = diagnostic::about_many_alone(
                    parsed.source().path(),
                    parsed.source().len(),
                    most_alone(parsed),
                );
                self.refused(steps[edit].edit, refused)
            }
            RefusedStep::Refused { edit, why } => {
                let step = steps[edit];
                let refused = about(step, &step.selection, &why, self.allow);
                self.refused(step.edit, self.placed(step, refused))
            }
            RefusedStep::AfterOthers { edit, text, span } => {
                let step = steps[edit];
                let refused = after_others(step, &text, span, self.allow);
                self.refused(step.edit, self.placed(step, refused))
            }
        }
    }

    fn clash(
        &self,
        parsed: &Parsed,
        one: &EditStep<'_, '_>,
        other: &EditStep<'_, '_>,
    ) -> Diagnostic {
        let line = |step: &EditStep<'_, '_>| parsed.source().line_of(step.selection.span().start());
        let (first, second) = match one.edit <= other.edit {
            true => (one, other),
            false => (other, one),
        };
        let lines = (line(first), line(second));
        let are_several = |step: &EditStep<'_, '_>| self.files.of_edits[step.edit].are_several();
        let path = are_several(first) || are_several(second);
        let path = path.then(|| parsed.source().path());
        if first.edit == second.edit {
            let numbers = (first.number, second.number);
            let refused = match self.edits[first.edit].kind {
                EditKind::Move(_) => diagnostic::about_move_into_itself(lines),
                EditKind::Edit(_) if numbers.0 != numbers.1 => {
                    diagnostic::about_selectors_clash(numbers, lines)
                }
                EditKind::Edit(_) | EditKind::File(_) => diagnostic::about_matches_clash(lines),
            };
            let place = PlaceOfEdit {
                path,
                selector: None,
            };
            let refused = diagnostic::about_one_of_several(refused, place);
            return self.numbered(first.edit, refused);
        }
        let index = |step: &EditStep<'_, '_>| self.edits[step.edit].index.unwrap_or_default();
        diagnostic::about_clash((index(first), index(second)), lines, path)
    }

    /// Tries an edit with the suggested change, together with the other edits. Returns `None` if they clash, or if the
    /// change does not fit all files in which the edit has a match.
    fn tried(&self, edit: usize, suggestion: &Suggestion) -> Option<Trial> {
        /// The maximum number of files in which to try the edit.
        const FILES_TRIED: usize = 50;

        let mut edits = self.edits.to_vec();
        let mut of_edits = self.files.of_edits.to_vec();
        for own in &mut of_edits[edit].own {
            own.is_optional = false;
        }
        let files = &Files {
            parsed: self.files.parsed,
            is_new: self.files.is_new,
            of_edits: &of_edits,
        };
        match (&suggestion.call, &mut edits[edit]) {
            (NextCall::Select(selector), changed) => changed.selectors = vec![selector.clone()],
            (NextCall::SelectSeveral(selectors), changed) => {
                changed.selectors.clone_from(selectors);
            }
            (NextCall::SelectDestination(selector), changed) => {
                if let EditKind::Move(destination) = &mut changed.kind {
                    destination.selector = selector.clone();
                }
            }
            _ => return Some(suggestion.trial),
        }
        // Edits whose selector fails are refused individually.
        let steps = edits.iter().enumerate();
        let steps: Vec<EditStep<'_, '_>> = steps
            .filter_map(|(number, edit)| steps_of(files, number, edit, self.allow).ok())
            .flat_map(|targets| targets.steps)
            .collect();
        // The source or the destination of a move may fail for another reason.
        let mut worst = match steps.iter().any(|step| step.edit == edit) {
            true => Trial::Works,
            // It does not fit another file or node of the edit.
            false if self.is_several(edit) => return None,
            false => Trial::NotTried,
        };
        if of_edits[edit].own.len() > FILES_TRIED {
            worst = worst.max(Trial::NotTried);
        }
        for file in of_edits[edit].all().take(FILES_TRIED) {
            let own: Vec<&EditStep<'_, '_>> =
                steps.iter().filter(|step| step.file == file).collect();
            worst = match made(&self.files.parsed[file], &own, self.allow) {
                Err(RefusedStep::Clash(..)) => return None,
                Err(
                    RefusedStep::Refused { edit: one, .. }
                    | RefusedStep::AfterOthers { edit: one, .. }
                    | RefusedStep::TooMany(one),
                ) => {
                    // A refusal of another edit does not depend on this one.
                    let own = own[one].edit == edit;
                    worst.max(if own { Trial::Refused } else { Trial::NotTried })
                }
                Ok(_) | Err(RefusedStep::Nothing) => worst,
            };
        }
        Some(worst)
    }
}

/// Explains why a step is refused for `selection`.
fn about(
    step: &EditStep<'_, '_>,
    selection: &Selection<'_>,
    why: &EditFailure<'_>,
    allow: &[Check],
) -> Diagnostic {
    let attempt = Attempt {
        selection,
        selector: step.selector,
        operation: &step.operation,
        origin: step.origin(),
        allow: &step.allows(allow),
    };
    let refused = diagnostic::about_edit(&attempt, why);
    match step.is_arrival {
        true => refused.of_destination(),
        false => refused,
    }
}

/// Explains why a step that passes by itself fails after the other steps. Suggests nothing, since the caller does not
/// know the intermediate text.
fn after_others(step: &EditStep<'_, '_>, text: &Parsed, span: Span, allow: &[Check]) -> Diagnostic {
    let refused = select::again(text, span, &step.selection).and_then(|selection| {
        let made = several::one(selection.clone(), &step.operation, &step.allows(allow));
        let why = made.err()?;
        Some(about(step, &selection, &why, allow))
    });
    let refused = refused.unwrap_or_else(diagnostic::about_nothing_done);
    refused.after_other_edits()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_notes_are_one() {
        let note = |index: usize, text: &str| (Some(index), text.to_string());
        let several = (0..19).map(|index| note(index, "same"));
        let all = several.chain([note(3, "other"), note(4, "twice"), note(4, "twice")]);
        assert_eq!(
            grouped(all),
            [
                "edits[0, 1, 2] and 16 more: same (19 times)",
                "edits[3]: other",
                "edits[4]: twice (2 times)"
            ]
        );
        let single = ["a", "b", "a"].map(|text| (None, text.to_string()));
        assert_eq!(grouped(single.into_iter()), ["a (2 times)", "b"]);
    }
}
