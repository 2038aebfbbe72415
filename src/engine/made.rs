//! The answer about an edit, made of its plan.

use crate::diagnostic;
use crate::preview::{self, FilePreview, MovedFile};

use super::log::EditRecord;
use super::plan::{EditPlan, TargetInfo};
use super::request::{DiffArgument, KeptCall};
use super::response::{EditAction, EditMade, EditStatus, FileEdited, NodeEdited, Range};

/// The maximum length of the diffs of several files in an answer, in bytes.
const DIFF_BYTES: usize = 12_000;

/// Returns how many of the diffs with these lengths, in bytes, an answer shows: always the first one, and as many of the
/// next ones as fit.
pub(super) fn diffs_shown(lengths: impl Iterator<Item = usize>) -> usize {
    let mut left = DIFF_BYTES;
    let fitting = lengths.enumerate().take_while(|(index, length)| {
        let fits = *index == 0 || *length <= left;
        left = left.saturating_sub(*length);
        fits
    });
    fitting.count()
}

/// Which part of the change an answer shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AnswerDetail {
    /// The diff: the caller has not seen the change. Long lines and long diffs are cut.
    Diff,
    /// The whole diff.
    WholeDiff,
    /// The ends of the changes, which the caller wrote.
    Seams,
    /// The number of lines, and the notes.
    #[cfg_attr(
        not(feature = "servers"),
        expect(dead_code, reason = "the edits of servers are shown so")
    )]
    Counts,
    /// Only the number of lines: the caller has seen the preview.
    Seen,
}

impl AnswerDetail {
    /// Returns what the answer of a written edit shows, if it shows no diff by default.
    pub(super) fn of_written(diff: DiffArgument, default: AnswerDetail) -> AnswerDetail {
        match diff {
            DiffArgument::Full => AnswerDetail::WholeDiff,
            DiffArgument::Auto => default,
        }
    }
}

pub(super) fn made(
    staged: &EditRecord,
    plan: &EditPlan,
    status: EditStatus,
    shows: AnswerDetail,
) -> EditMade {
    let mut made = EditMade {
        edit_id: staged.edit_id.clone(),
        ..made_by(&staged.call, plan, status, shows)
    };
    if matches!(shows, AnswerDetail::Diff | AnswerDetail::Seams) {
        shorten_diffs(&mut made);
    }
    made
}

/// Cuts long lines and long diffs, and says so.
fn shorten_diffs(made: &mut EditMade) {
    for file in &mut made.files {
        let Some(diff) = file.diff.as_mut().or(file.seams.as_mut()) else {
            continue;
        };
        if let Some(short) = preview::shortened(diff) {
            let note = diagnostic::diff_cut_text((short.len(), diff.len()), &made.edit_id);
            made.notes.push(note);
            *diff = short;
        }
    }
}

/// Returns the answer about an edit that is not kept.
pub(super) fn made_by(
    call: &KeptCall,
    plan: &EditPlan,
    status: EditStatus,
    shows: AnswerDetail,
) -> EditMade {
    let previews = plan.preview.files();
    let files = previews.iter().zip(&plan.targets);
    let files = files.filter_map(|(file, targets)| {
        let other = file.record().moved().and_then(|moved| match moved {
            MovedFile::To(other) => Some(previews.get(other)?.before().path()),
            MovedFile::From(_) => None,
        });
        let own = (file, other);
        let mut edited = file_edited(call, own, targets, shows)?;
        if matches!(status, EditStatus::Undone | EditStatus::UndoPreviewed) {
            edited = undone(edited, own);
        }
        Some(edited)
    });
    EditMade {
        edit_id: String::new(),
        status,
        needs_approval: false,
        files: files.collect(),
        notes: match shows {
            AnswerDetail::Seen => Vec::new(),
            _ => plan.notes.clone(),
        },
        diagnostics: None,
        matches: None,
        generalized: None,
    }
}

fn file_edited(
    call: &KeptCall,
    (file, other): (&FilePreview, Option<&str>),
    targets: &[TargetInfo],
    shows: AnswerDetail,
) -> Option<FileEdited> {
    let record = file.record();
    let infos = record.targets().iter().zip(targets);
    let edits = infos.map(|(target, info)| NodeEdited {
        edit_index: (!call.is_single()).then_some(info.edit),
        match_number: call.is_rewrite().then_some(info.edit + 1),
        action: info.action,
        node_type: target.node_type().to_string(),
        range: Range::from_span(file.before(), target.span()),
        new_range: Range::from_span(file.after(), target.new_span()),
    });
    let mut edits: Vec<NodeEdited> = edits.collect();
    // The new range of a node that moves within its file is its insertion range. The nodes of a move arrive in order.
    let numbers = |is_one: fn(EditAction) -> bool, edit: usize| {
        let of_edit = targets.iter().enumerate();
        of_edit.filter(move |(_, one)| one.edit == edit && is_one(one.action))
    };
    for edit in targets.iter().map(|info| info.edit) {
        let leaving = numbers(|action| action == EditAction::Move, edit);
        for ((from, _), (to, _)) in leaving.zip(numbers(EditAction::is_arrival, edit)) {
            edits[from].new_range = edits[to].new_range;
        }
    }
    let first = edits.first().cloned();
    if call.is_single() && edits.len() == 1 {
        edits.clear();
    }
    let (added_lines, removed_lines) = preview::line_counts(record.diff());
    // The process that made the record may have used another path for the file.
    let diff = || preview::renamed(record, file.before().path(), other);
    let shown = match shows {
        AnswerDetail::Diff | AnswerDetail::WholeDiff => (Some(diff()), None),
        // The caller knows what a new file contains.
        AnswerDetail::Seams if !targets.iter().any(|one| one.action.is_of_file()) => {
            (None, Some(preview::seams(record.diff())))
        }
        AnswerDetail::Seams | AnswerDetail::Counts | AnswerDetail::Seen => (None, None),
    };
    let is_shown = |text: &String| !text.is_empty();
    Some(FileEdited {
        file_path: file.before().path().to_string(),
        added_lines,
        removed_lines,
        diff: shown.0.filter(is_shown),
        seams: shown.1.filter(is_shown),
        edit: first?,
        edits,
        digest_before: record.digest_before().to_string(),
        digest_after: record.digest_after().to_string(),
    })
}

/// Returns the report of an edit, reversed.
fn undone(edited: FileEdited, (file, other): (&FilePreview, Option<&str>)) -> FileEdited {
    let reversed = |edit: NodeEdited| NodeEdited {
        range: edit.new_range,
        new_range: edit.range,
        ..edit
    };
    FileEdited {
        edit: reversed(edited.edit),
        edits: edited.edits.into_iter().map(reversed).collect(),
        added_lines: edited.removed_lines,
        removed_lines: edited.added_lines,
        diff: edited.diff.map(|_| match other {
            Some(other) => preview::move_head(other, file.before().path()),
            None => file.diff_undone(),
        }),
        digest_before: edited.digest_after,
        digest_after: edited.digest_before,
        ..edited
    }
}

/// Removes the diffs after the first ones from an answer, and says so.
pub(super) fn cut_diffs(made: &mut EditMade) {
    let lengths = made.files.iter();
    let lengths = lengths.map(|file| file.diff.as_ref().map_or(0, String::len));
    let shown = diffs_shown(lengths);
    let others = made.files.iter_mut().skip(shown);
    let omitted = others.filter_map(|file| file.diff.take()).count();
    let note = diagnostic::diffs_omitted_text(omitted, &made.edit_id);
    made.notes.extend(note);
}

/// The answer of a call that writes edits.
pub(super) trait EditsAnswer {
    /// Returns the first edit, to which notes on all of them are added.
    #[cfg_attr(
        not(feature = "servers"),
        expect(dead_code, reason = "only servers find problems")
    )]
    fn first_mut(&mut self) -> Option<&mut EditMade>;
}

impl EditsAnswer for EditMade {
    fn first_mut(&mut self) -> Option<&mut EditMade> {
        Some(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_shows_the_first_diff_and_those_that_fit() {
        let shown = |lengths: &[usize]| diffs_shown(lengths.iter().copied());
        assert_eq!(shown(&[]), 0);
        assert_eq!(shown(&[DIFF_BYTES + 1, 1]), 1);
        assert_eq!(shown(&[1, DIFF_BYTES, 1]), 1);
        assert_eq!(shown(&[DIFF_BYTES / 2; 5]), 2);
    }
}
