//! Selects, edits, checks and previews the edits of a request, file by file.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::change::EditNote;
use crate::diagnostic::{
    self, Attempt, Code, ContentOrigin, Diagnostic, NextCall, Pointing, Suggestion, Trial,
};
use crate::edit::{self, ExactBlankLines, Operation};
use crate::parse::{Node, Parsed};
use crate::preview::{self, Preview};
use crate::select::{self, Selection, Selector};
use crate::source::Span;
use crate::validate::several::{self, Edit, EditFailure, Made, Moved, Stopped, several};
use crate::validate::{Check, Checked, Note};

use super::edits::Shows;
use super::request::{EditKind, MoveTarget, RequestedEdit};
use super::response::EditAction;

/// The preview of a request, and the edit of each of its targets.
pub(super) struct EditPlan {
    pub(super) preview: Preview,
    /// For each file, one entry per target.
    pub(super) targets: Vec<Vec<TargetInfo>>,
    pub(super) notes: Vec<String>,
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
    /// For each edit, the index of its target's file. For a move, also that of its destination's file.
    pub(super) of_targets: &'f [Vec<usize>],
}

/// One operation on one selection. A move has two: the deletion and the insertion.
struct EditStep<'p, 'e> {
    /// The index of the edit that the step belongs to.
    edit: usize,
    file: usize,
    selection: Selection<'p>,
    selector: &'e Selector,
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

    /// Returns whether an edit with this index is refused.
    fn has(&self, index: Option<usize>) -> bool {
        self.refused.iter().any(|one| one.edit_index == index)
    }

    /// Returns the refusal of the first edit, with the others.
    pub(super) fn into_diagnostic(mut self) -> Diagnostic {
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
    shows: Shows,
) -> Result<EditPlan, Diagnostic> {
    let planner = Planner {
        files,
        edits,
        allow,
    };
    let mut refusals = Refusals::default();
    let steps = planner.steps(&mut refusals);
    if !refusals.is_empty() {
        return Err(refusals.into_diagnostic());
    }
    let mut previews = Vec::new();
    let mut targets = Vec::new();
    let mut notes: Vec<Vec<String>> = edits.iter().map(|_| Vec::new()).collect();
    for (file, parsed) in files.parsed.iter().enumerate() {
        let own: Vec<&EditStep<'_, '_>> = steps.iter().filter(|step| step.file == file).collect();
        let made = match made(parsed, &own, allow) {
            Ok(made) => made,
            Err(stopped) => {
                refusals.add(|| planner.stopped(parsed, &own, stopped));
                continue;
            }
        };
        for (number, of_step) in made.notes() {
            let step = own[*number];
            let replaced = match step.is_arrival {
                true => replaced_type(step, made.checked(), *number),
                false => None,
            };
            let is_shown = |note: &&Note| {
                let is_indentation = matches!(note, Note::Edit(EditNote::Reindented { .. }));
                // The answer lists the re-indented lines.
                shows != Shows::NotSent || step.is_arrival || !is_indentation
            };
            let all = of_step.iter().filter(is_shown).chain(&replaced);
            notes[step.edit].extend(all.map(|note| step.note_text(note)));
        }
        let (preview, _) = preview::preview(made.into_checked());
        previews.push(preview);
        let infos = own.iter().map(|step| TargetInfo {
            edit: step.edit,
            action: step.action,
        });
        targets.push(infos.collect());
    }
    if !refusals.is_empty() {
        planner.add_failing(&steps, &mut refusals);
        return Err(refusals.into_diagnostic());
    }
    let notes = edits.iter().zip(notes).flat_map(|(edit, notes)| {
        let notes = notes.into_iter();
        notes.map(|note| (edit.index, note))
    });
    let preview = Preview::of(previews).expect("each file occurs once");
    let files = preview.files();
    match files.iter().any(|file| file.record().is_change()) {
        true => Ok(EditPlan {
            preview,
            targets,
            notes: grouped(notes),
        }),
        false => Err(diagnostic::about_nothing_done()),
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

/// Selects the targets of one edit.
fn steps_of<'p, 'e>(
    files: &Files<'p>,
    number: usize,
    edit: &'e RequestedEdit,
    allow: &[Check],
) -> Result<Vec<EditStep<'p, 'e>>, Diagnostic> {
    let operation = match &edit.kind {
        EditKind::Edit(operation) => Cow::Borrowed(operation),
        EditKind::Move(_) => Cow::Owned(Operation::Delete),
    };
    let file = files.of_targets[number][0];
    let parsed: &'p Parsed = &files.parsed[file];
    let selector = &edit.target.selector;
    let selected = match edit.expected {
        Some(expected) => select::select_all(parsed, selector, expected),
        None => select::select(parsed, selector).map(|selection| vec![selection]),
    };
    let selected = selected.map_err(|error| {
        diagnostic::about_select(parsed, selector, &error, Pointing::Edit(&operation, allow))
    })?;
    let action = match &edit.kind {
        EditKind::Edit(operation) => EditAction::of(operation),
        EditKind::Move(_) => EditAction::Move,
    };
    let steps = selected.into_iter().map(|selection| EditStep {
        edit: number,
        file,
        node_type: selection.node().kind(),
        selection,
        selector,
        operation: operation.clone(),
        is_arrival: false,
        action,
    });
    let mut steps: Vec<EditStep<'_, '_>> = steps.collect();
    if let EditKind::Move(destination) = &edit.kind {
        let arrival = arrival(files, &steps[0], destination, allow)?;
        steps.push(arrival);
    }
    Ok(steps)
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
    let file = files.of_targets[leaving.edit][1];
    let parsed: &'p Parsed = &files.parsed[file];
    let selector = &destination.target.selector;
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
        action: EditAction::of(&operation).of_move(),
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

/// Applies and checks the steps of one file.
fn made<'p>(
    parsed: &'p Parsed,
    steps: &[&EditStep<'p, '_>],
    allow: &[Check],
) -> Result<Made<'p>, Stopped<'p>> {
    let mut edits: Vec<Edit<'_, 'p>> = Vec::new();
    for step in steps {
        let is_leaving = |one: &&EditStep<'_, '_>| one.edit == step.edit && !one.is_arrival;
        let here = steps.iter().position(is_leaving).map(Moved::Here);
        edits.push(Edit {
            selection: step.selection.clone(),
            operation: &step.operation,
            moved: step.is_arrival.then(|| here.unwrap_or(Moved::Elsewhere)),
        });
    }
    several(parsed, &edits, allow)
}

/// Returns a note if a moved node has another type at its destination, such as a declarator without its `let`.
fn replaced_type(step: &EditStep<'_, '_>, made: &Checked<'_>, number: usize) -> Option<Note> {
    let was = step.node_type;
    let (after, new) = (made.after(), made.targets().get(number)?.new_span());
    let is_in = |node: &Node<'_>| new.start() <= node.span().start();
    let chain = after.chain(new);
    // Several nodes may cover the same bytes.
    let outer = chain.iter().find(|node| is_in(node));
    let mut outermost = None;
    let mut cursor = after.walk(*outer.or(chain.last())?);
    loop {
        let node = cursor.node();
        let is_own = node.is_named() && is_in(&node) && node.span().start() < new.end();
        if is_own && node.kind() == was {
            return None;
        }
        let is_content = is_own && node.attached().is_none() && !node.is_word("comment", None);
        outermost = outermost.or(is_content.then(|| node.kind().to_string()));
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return Some(Note::TookPlace {
                    was: was.to_string(),
                    now: outermost.into_iter().collect(),
                });
            }
        }
    }
}

/// The edits of a request and their files, used to explain the refusal of an edit.
struct Planner<'r> {
    files: &'r Files<'r>,
    edits: &'r [RequestedEdit],
    allow: &'r [Check],
}

impl<'r> Planner<'r> {
    /// Selects the targets of all edits. Adds the refusals of those that cannot be selected.
    fn steps(&self, refusals: &mut Refusals) -> Vec<EditStep<'r, 'r>> {
        let mut steps = Vec::new();
        for (number, edit) in self.edits.iter().enumerate() {
            match steps_of(self.files, number, edit, self.allow) {
                Ok(own) => steps.extend(own),
                Err(refused) => refusals.add(|| self.refused(number, refused)),
            }
        }
        steps
    }

    /// Adds the refusals of further edits that cannot be applied to their targets, or whose content is not code. Other
    /// failed checks may depend on the edits that are already refused.
    fn add_failing(&self, steps: &[EditStep<'_, '_>], refusals: &mut Refusals) {
        for step in steps {
            let index = self.edits[step.edit].index;
            if refusals.has(index) {
                continue;
            }
            let allow = step.allows(self.allow);
            let failed = several::one(step.selection.clone(), &step.operation, &allow).err();
            let Some(why) = failed else {
                continue;
            };
            let refused = about(step, &step.selection, &why, self.allow);
            let is_own =
                matches!(why, EditFailure::Edit(_)) || refused.code == Code::SuspiciousContent;
            if is_own {
                refusals.add(|| self.refused(step.edit, refused));
            }
        }
    }

    /// Adds the index of the edit to its refusal. Tries each suggestion together with the other edits, and removes those
    /// that clash with them.
    fn refused(&self, edit: usize, mut refused: Diagnostic) -> Diagnostic {
        let is_single = matches!(self.edits, [one] if matches!(one.kind, EditKind::Edit(_)));
        if !is_single {
            let suggestions = std::mem::take(&mut refused.suggestions).into_iter();
            let tried = suggestions.filter_map(|one| {
                let trial = self.tried(edit, &one)?;
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

    /// Explains why the steps of one file are refused.
    fn stopped(
        &self,
        parsed: &Parsed,
        steps: &[&EditStep<'_, '_>],
        stopped: Stopped<'_>,
    ) -> Diagnostic {
        match stopped {
            Stopped::Nothing => diagnostic::about_nothing_done(),
            Stopped::Clash(one, other) => self.clash(parsed, steps[one], steps[other]),
            Stopped::Refused { edit, why } => {
                let step = steps[edit];
                let refused = about(step, &step.selection, &why, self.allow);
                self.refused(step.edit, refused)
            }
            Stopped::AfterOthers { edit, text, span } => {
                let step = steps[edit];
                self.refused(step.edit, after_others(step, &text, span, self.allow))
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
        if first.edit == second.edit {
            let refused = match self.edits[first.edit].kind {
                EditKind::Move(_) => diagnostic::about_move_into_itself(lines),
                EditKind::Edit(_) => diagnostic::about_matches_clash(lines),
            };
            return self.numbered(first.edit, refused);
        }
        let index = |step: &EditStep<'_, '_>| self.edits[step.edit].index.unwrap_or_default();
        diagnostic::about_clash((index(first), index(second)), lines)
    }

    /// Tries an edit with the suggested change, together with the other edits. Returns `None` if they clash.
    fn tried(&self, edit: usize, suggestion: &Suggestion) -> Option<Trial> {
        let mut edits = self.edits.to_vec();
        match (&suggestion.call, &mut edits[edit]) {
            (NextCall::Select(selector), changed) => changed.target.selector = selector.clone(),
            (NextCall::SelectDestination(selector), changed) => {
                if let EditKind::Move(destination) = &mut changed.kind {
                    destination.target.selector = selector.clone();
                }
            }
            _ => return Some(suggestion.trial),
        }
        // Edits whose selector fails are refused individually.
        let steps = edits.iter().enumerate();
        let steps: Vec<EditStep<'_, '_>> = steps
            .filter_map(|(number, edit)| steps_of(self.files, number, edit, self.allow).ok())
            .flatten()
            .collect();
        // The source or the destination of a move may fail for another reason.
        let mut worst = match steps.iter().any(|step| step.edit == edit) {
            true => Trial::Works,
            false => Trial::NotTried,
        };
        for &file in &self.files.of_targets[edit] {
            let own: Vec<&EditStep<'_, '_>> =
                steps.iter().filter(|step| step.file == file).collect();
            worst = match made(&self.files.parsed[file], &own, self.allow) {
                Err(Stopped::Clash(..)) => return None,
                Err(
                    Stopped::Refused { edit: one, .. } | Stopped::AfterOthers { edit: one, .. },
                ) => {
                    // A refusal of another edit does not depend on this one.
                    let own = own[one].edit == edit;
                    worst.max(if own { Trial::Refused } else { Trial::NotTried })
                }
                Ok(_) | Err(Stopped::Nothing) => worst,
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
