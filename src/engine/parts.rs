//! Divides the preview of an edit into parts, and moves a preview to the text that other edits of the file produce. Each
//! result passes the same checks as an edit.

use std::collections::BTreeSet;

use crate::apply::rebase::{CarriedEdit, Delta};
use crate::change::{Change, Replacement, Target, TextEdit};
use crate::diagnostic::{self, Diagnostic};
use crate::parse::Parsed;
use crate::preview::{self, FilePreview, MovedFile};
use crate::source::{Source, Span};
use crate::validate::{Check, validate};

use super::log::EditRecord;
use super::plan::{EditPlan, TargetInfo};
use super::response::EditAction;

/// A part of an edit: the index of a file, and the number of one of the edits or matches in it, from 0.
pub(super) type PartId = (usize, usize);

/// A file of a part of an edit.
#[derive(Clone, Debug)]
pub(super) struct PartFile {
    /// The index of the file in the whole edit.
    pub(super) file: usize,
    pub(super) preview: FilePreview,
    pub(super) targets: Vec<TargetInfo>,
}

/// Returns the parts of each file of an edit, in the order of their numbers. A file that is created, deleted or moved has
/// one part: it cannot be divided.
pub(super) fn parts_of(staged: &EditRecord) -> Vec<Vec<usize>> {
    let files = staged.files.iter().map(|file| {
        let record = &file.record;
        let is_whole = record.moved().is_some()
            || record.digest_before().is_absent()
            || record.digest_after().is_absent();
        let numbers: BTreeSet<usize> = file.targets.iter().map(|target| target.edit).collect();
        let numbers = numbers.into_iter();
        match is_whole {
            true => numbers.take(1).collect(),
            false => numbers.collect(),
        }
    });
    files.collect()
}

/// Returns, for each file of an edit, the other files that can only be chosen with it: of a moved file the other path,
/// of a moved node the file that it moves to.
pub(super) fn together(staged: &EditRecord) -> Vec<Vec<usize>> {
    let files = staged.files.iter().enumerate();
    let joined = files.map(|(index, file)| {
        let moves = |target: &&TargetInfo| {
            target.action.is_arrival() || matches!(target.action, EditAction::Move)
        };
        let moved: Vec<usize> = file
            .targets
            .iter()
            .filter(moves)
            .map(|target| target.edit)
            .collect();
        let others = staged.files.iter().enumerate().filter(|(other, file)| {
            let is_moved = |target: &TargetInfo| moved.contains(&target.edit);
            *other != index && file.targets.iter().any(is_moved)
        });
        let others = others.map(|(other, _)| other);
        others
            .chain(file.record.moved().map(MovedFile::index))
            .collect()
    });
    joined.collect()
}

/// Returns the parts that are left out if `wanted` are: also those that only make sense together with them.
///
/// # Errors
/// The edit has no such part, or nothing else is left.
pub(super) fn left_out(
    staged: &EditRecord,
    wanted: &[(usize, Option<usize>)],
) -> Result<BTreeSet<PartId>, Diagnostic> {
    let parts = parts_of(staged);
    let all = |file: usize| parts[file].iter().map(move |part| (file, *part));
    let mut left: BTreeSet<PartId> = BTreeSet::new();
    for (file, part) in wanted {
        match (parts.get(*file), part) {
            (Some(_), None) => left.extend(all(*file)),
            (Some(own), Some(part)) if own.contains(part) => {
                left.insert((*file, *part));
            }
            _ => return Err(diagnostic::about_no_such_part(&staged.edit_id)),
        }
    }
    let together = together(staged);
    let mut open: Vec<usize> = left.iter().map(|(file, _)| *file).collect();
    let mut known: BTreeSet<usize> = BTreeSet::new();
    while let Some(file) = open.pop() {
        if together[file].is_empty() || !known.insert(file) {
            continue;
        }
        left.extend(all(file));
        for other in &together[file] {
            left.extend(all(*other));
            open.push(*other);
        }
    }
    let count: usize = parts.iter().map(Vec::len).sum();
    match left.len() == count {
        true => Err(diagnostic::about_nothing_chosen(&staged.edit_id)),
        false => Ok(left),
    }
}

/// Returns all files of an edit as one part.
pub(super) fn whole(plan: &EditPlan) -> Vec<PartFile> {
    let files = plan.preview.files().iter().zip(&plan.targets).enumerate();
    let files = files.map(|(file, (preview, targets))| PartFile {
        file,
        preview: preview.clone(),
        targets: targets.clone(),
    });
    files.collect()
}

/// Returns a one-line summary of a part of an edit.
pub(super) fn summary_of(plan: &EditPlan) -> String {
    let count: usize = plan.targets.iter().map(Vec::len).sum();
    let edits = if count == 1 { "edit" } else { "edits" };
    match plan.targets.len() {
        1 => format!("{count} {edits} of a divided edit"),
        files => format!("{count} {edits} of a divided edit in {files} files"),
    }
}

/// Divides an edit into the files of the accepted part and of the part that is left out.
///
/// # Errors
/// One of them is no edit without the other.
pub(super) fn divided(
    plan: &EditPlan,
    left: &BTreeSet<PartId>,
    allow: &[Check],
) -> Result<(Vec<PartFile>, Vec<PartFile>), Diagnostic> {
    let (mut chosen, mut rest) = (Vec::new(), Vec::new());
    for (index, (preview, targets)) in plan.preview.files().iter().zip(&plan.targets).enumerate() {
        let is_whole = preview.record().moved().is_some()
            || preview.text_before().is_none()
            || preview.text_after().is_none();
        let is_left = |target: &TargetInfo| match is_whole {
            true => left.iter().any(|(file, _)| *file == index),
            false => left.contains(&(index, target.edit)),
        };
        let count = targets.iter().filter(|one| is_left(one)).count();
        let whole = || PartFile {
            file: index,
            preview: preview.clone(),
            targets: targets.clone(),
        };
        if count == 0 {
            chosen.push(whole());
            continue;
        }
        if count == targets.len() {
            rest.push(whole());
            continue;
        }
        let owners = owners(preview, targets)?;
        for (files, wanted) in [(&mut chosen, false), (&mut rest, true)] {
            let is_kept = |number: usize| left.contains(&(index, number)) == wanted;
            files.push(PartFile {
                file: index,
                preview: part(preview, targets, &owners, is_kept, allow)?,
                targets: targets
                    .iter()
                    .filter(|one| is_kept(one.edit))
                    .copied()
                    .collect(),
            });
        }
    }
    Ok((renumbered(chosen), renumbered(rest)))
}

/// Updates the indices of moved files, which both parts have together.
fn renumbered(files: Vec<PartFile>) -> Vec<PartFile> {
    let places: Vec<usize> = files.iter().map(|one| one.file).collect();
    let place = |file: usize| places.iter().position(|own| *own == file);
    let files = files.into_iter().map(|one| PartFile {
        preview: one.preview.renumbered(place),
        ..one
    });
    files.collect()
}

/// Returns the number of the edit that each replacement belongs to: the one whose target it is in, or overlaps, or touches.
///
/// # Errors
/// A replacement belongs to none, or to several.
fn owners(preview: &FilePreview, targets: &[TargetInfo]) -> Result<Vec<usize>, Diagnostic> {
    let record = preview.record();
    let spans = || record.targets().iter().map(Target::span).zip(targets);
    let owner = |replacement: &Replacement| {
        let span = replacement.span;
        let relations: [&dyn Fn(Span) -> bool; 3] = [
            &|target| target.contains(span) && !target.is_empty() && !span.is_empty(),
            &|target| target.start() < span.end() && span.start() < target.end(),
            &|target| target.start() <= span.end() && span.start() <= target.end(),
        ];
        let owners = relations.iter().map(|is_related| {
            let related = spans().filter(|(target, _)| is_related(*target));
            let related: BTreeSet<usize> = related.map(|(_, info)| info.edit).collect();
            related
        });
        let found = owners.into_iter().find(|related| !related.is_empty());
        match found.unwrap_or_default().into_iter().collect::<Vec<_>>()[..] {
            [one] => Ok(one),
            _ => {
                let line = preview.before().line_of(span.start());
                let path = preview.before().path();
                Err(diagnostic::about_parts_joined(path, line))
            }
        }
    };
    record.replacements().iter().map(owner).collect()
}

/// Returns the preview of some of the edits of a file.
fn part(
    preview: &FilePreview,
    targets: &[TargetInfo],
    owners: &[usize],
    is_kept: impl Fn(usize) -> bool,
    allow: &[Check],
) -> Result<FilePreview, Diagnostic> {
    let (before, record) = (preview.before(), preview.record());
    let joined = || diagnostic::about_parts_joined(before.path(), 1);
    let edit = |source: &Source, replacements| TextEdit::new(source, replacements);
    let all = edit(before, record.replacements().to_vec()).map_err(|_| joined())?;
    let owned = || all.replacements().iter().zip(owners);
    let kept = owned().filter(|(_, owner)| is_kept(**owner));
    let kept = edit(before, kept.map(|(one, _)| one.clone()).collect()).map_err(|_| joined())?;
    // In the text after the whole edit, the others are taken back.
    let back = all.reversed(before);
    let undone = back.replacements().iter().zip(owners);
    let undone = undone.filter(|(_, owner)| !is_kept(**owner));
    let undone = undone.map(|(one, _)| one.clone()).collect();
    let undone = edit(&all.apply(before), undone).map_err(|_| joined())?;
    let own = record
        .targets()
        .iter()
        .zip(targets)
        .filter(|(_, info)| is_kept(info.edit));
    let own = own.map(|(target, _)| {
        let new_span = undone.map_span(target.new_span());
        Ok(Target {
            new_span: new_span.ok_or_else(joined)?,
            ..target.clone()
        })
    });
    let own: Vec<Target> = own.collect::<Result<_, Diagnostic>>()?;
    let carried = CarriedEdit {
        text: before.clone(),
        text_edit: kept,
        targets: own,
    };
    checked(&Parsed::parse(before.clone()), carried, allow)
}

/// Returns the same edit of a file after `others`, which edit the same text. `parsed` is the text after them, if the caller
/// has it; otherwise it is set.
///
/// # Errors
/// They change the same text, or the edit fails a check after them.
pub(super) fn after_others(
    preview: &FilePreview,
    others: &TextEdit,
    allow: &[Check],
    parsed: &mut Option<Parsed>,
) -> Result<FilePreview, Diagnostic> {
    let carried = carried(preview, others)?;
    let parsed = match parsed {
        Some(parsed) if parsed.source().is_same_text(&carried.text) => &*parsed,
        other => &*other.insert(Parsed::parse(carried.text.clone())),
    };
    checked(parsed, carried, allow)
}

/// Does the same as [`after_others`], but leaves the checks to the caller.
///
/// # Errors
/// They change the same text.
pub(super) fn unchecked_after_others(
    preview: &FilePreview,
    others: &TextEdit,
) -> Result<FilePreview, Diagnostic> {
    let CarriedEdit {
        text,
        text_edit,
        targets,
    } = carried(preview, others)?;
    Ok(FilePreview::moved(text, &text_edit, targets))
}

fn carried(preview: &FilePreview, others: &TextEdit) -> Result<CarriedEdit, Diagnostic> {
    let carried = Delta::of_edit(others.clone()).carried(preview);
    carried.map_err(|clash| {
        let before = preview.before();
        diagnostic::about_edits_of_same_text(before.path(), before.line_of(clash.offset))
    })
}

/// Checks an edit that was carried over to the text `before`.
///
/// # Errors
/// It fails a check.
pub(super) fn checked(
    before: &Parsed,
    carried: CarriedEdit,
    allow: &[Check],
) -> Result<FilePreview, Diagnostic> {
    let change = Change::of_targets(before, carried.text_edit, carried.targets);
    match validate(change, allow) {
        Ok(checked) => Ok(preview::preview(checked).0),
        Err(rejected) => Err(diagnostic::about_rejected_part(&rejected)),
    }
}
