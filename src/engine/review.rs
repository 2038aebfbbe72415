//! Returns a kept edit with what a person needs to judge it, and notices which edits change.
//! Writes no file of the workspace.

mod fits;
mod retarget;

use std::collections::BTreeMap;
use std::time::SystemTime;

use serde_json::json;

use crate::apply::journal::Direction;
use crate::diagnostic::{self, Code, Diagnostic};
use crate::parse::Parsed;
use crate::preview::{self, MovedFile};
use crate::select::{self, Selector};
use crate::source::{Source, Span};
use crate::workspace::{StateFile, WorkspaceFile};

use super::batch_lock::{digest_of, digest_shown};
use super::calls::ToolRequest;
use super::core::Engine;
use super::lifecycle::PlannedNow;
use super::log::{self, EditRecord, KeptFile};
use super::opened::Opened;
use super::parts;
use super::plan::EditPlan;
use super::request::UndoEdit;
use super::response::{EditListed, EditStatus, Refused, RefusedCall};

pub use super::accept::{ChosenEdit, EditPart, EditsAccepted, RefusedEdit};
pub use fits::{EditFit, EditFits};
pub use retarget::{FormerTarget, TargetReviewed};

/// A kept edit with its files, as a person reviews it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct EditReviewed {
    /// The edit, without its diff.
    pub edit: EditListed,
    /// What treegraft did beyond the request.
    pub notes: Vec<String>,
    /// The changed files. Empty for a refused or discarded edit.
    pub files: Vec<FileReviewed>,
    /// What happened to the files since.
    pub since: FilesSince,
    /// The files that would be written now, if [`EditReviewed::since`] has another diff.
    pub now: Vec<FileReviewed>,
    /// The digest of the diff that the person sees, which [`ChosenEdit::shown`] takes.
    pub shown: String,
    /// The edits of the call, each of which [`Engine::retarget_edit`] may give another target; of a staged edit.
    pub targets: Vec<TargetReviewed>,
    /// Why treegraft refuses the edit now, as the agent reads it; of a refused edit.
    pub refusal: Option<String>,
}

/// A node around a position, and the selector that selects it and no other.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NodeAround {
    /// The type of the node.
    pub node_type: String,
    /// The selector.
    pub selector: Selector,
    /// The first line of the node.
    pub first_line: String,
    /// The number of its first line, from 1.
    pub line: usize,
    /// The number of its last line, from 1.
    pub end_line: usize,
}

/// A file of an edit.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FileReviewed {
    /// The number of the file in the edit, from 0.
    pub number: usize,
    /// The numbers of the files that can only be chosen together with it.
    pub together: Vec<usize>,
    /// The edits or matches in the file that can be chosen one by one; at least two, or none.
    pub parts: Vec<PartReviewed>,
    /// The path as answers show it; of a moved file, the old one.
    pub file_path: String,
    /// What happens to the file.
    pub change: FileChange,
    /// The unified diff.
    pub diff: String,
    /// The text before the edit, unless it is no longer kept.
    pub before: Option<Source>,
    /// The text after the edit, unless the text before it is no longer kept.
    pub after: Option<Source>,
}

/// One of several edits or matches in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PartReviewed {
    /// The number of the edit or match, from 0.
    pub number: usize,
    /// The first line that it changes in the text before the edit, from 1.
    pub line: usize,
    /// The first line that it changes in the text after the edit, from 1.
    pub new_line: usize,
}

/// What an edit does with a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileChange {
    /// Changes its text.
    Edited,
    /// Creates it.
    Created,
    /// Deletes it.
    Deleted,
    /// Moves it to this path.
    MovedTo(String),
}

/// How the files of an edit differ from those that the edit was made for. For an applied edit: from those that it wrote.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum FilesSince {
    /// They are the same.
    Unchanged,
    /// Other parts of them changed. `apply_edit` writes the edit nevertheless, as this diff.
    Rebased(String),
    /// The code around the edit changed. `apply_edit` shows the edit as this diff, and writes it the next time;
    /// [`Engine::accept_edits`] writes it at once if the person has seen it.
    ChangedAround(String),
    /// They changed so that `apply_edit` refuses. A fresh preview of the same request has this diff.
    Stale(String),
    /// They changed so that `apply_edit` refuses. Only a language server knows what the same request changes now.
    StaleUntilAsked,
    /// They changed so that `apply_edit` refuses, and the same request is refused now for this reason.
    RefusedNow(String),
    /// They changed since the edit was applied. `undo_edit` undoes it nevertheless, as this diff.
    UndoneAs(String),
    /// They changed since the edit was applied, and `undo_edit` refuses for this reason, as the agent reads it.
    NotUndone(String),
    /// They cannot be read.
    Unreadable(String),
}

/// The files that keep an edit. Two marks are equal unless the edit changed in between.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EditMark(Vec<StateFile>);

impl EditMark {
    /// Returns the time of the last change.
    pub fn written(&self) -> Option<SystemTime> {
        self.0.iter().map(|file| file.written).max()
    }
}

/// The last change of each file of an edit. Two marks are equal unless a file changed in between.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FilesMark(Vec<Option<(SystemTime, u64)>>);

impl Engine {
    /// Returns a mark for the files of an edit. Reads no file, so that a program can poll it.
    pub fn files_mark(&self, edit: &EditListed) -> FilesMark {
        let marks = edit.files().map(|file| {
            let place = self.workspace.place_of_new(file);
            place.ok().and_then(|place| place.last_change())
        });
        FilesMark(marks.collect())
    }

    /// Returns a mark for each kept edit by its id, also for edits of other workspaces. Reads no edit, so that a program
    /// can poll it.
    ///
    /// # Errors
    /// The state directory cannot be read.
    pub fn edit_marks(&self) -> Result<BTreeMap<String, EditMark>, Refused> {
        let mut marks = BTreeMap::<String, EditMark>::new();
        let listed = self.workspace.state().list_all(log::KIND);
        let listed = listed.map_err(|error| of_list(diagnostic::about_state(&error)))?;
        for WorkspaceFile { file, .. } in listed {
            if let Some(edit_id) = log::id_in(&file.name) {
                marks.entry(edit_id.to_string()).or_default().0.push(file);
            }
        }
        Ok(marks)
    }

    /// Returns an edit with the diffs and texts of its files, and how the files changed since.
    ///
    /// # Errors
    /// No edit has the id.
    pub fn review_edit(&self, edit_id: &str) -> Result<EditReviewed, Refused> {
        self.reviewed(edit_id, false).map_err(of_list)
    }

    /// Does the same as [`Engine::review_edit`], and asks the language server what a stale edit of it changes now. This may
    /// start the server, and take long.
    ///
    /// # Errors
    /// No edit has the id.
    pub fn review_edit_asking(&self, edit_id: &str) -> Result<EditReviewed, Refused> {
        self.reviewed(edit_id, true).map_err(of_list)
    }

    fn reviewed(&self, edit_id: &str, asks: bool) -> Result<EditReviewed, Diagnostic> {
        let edit = self.edit_listed(edit_id, false)?;
        let mut reviewed = EditReviewed {
            notes: Vec::new(),
            files: Vec::new(),
            since: FilesSince::Unchanged,
            now: Vec::new(),
            shown: String::new(),
            targets: Vec::new(),
            refusal: None,
            edit,
        };
        if reviewed.edit.status == EditStatus::Discarded {
            return Ok(reviewed);
        }
        let staged = self.staged(&reviewed.edit.edit_id)?;
        if staged.status == EditStatus::Previewed {
            reviewed.targets = self.targets_reviewed(&staged);
        }
        if staged.status == EditStatus::Refused {
            reviewed.refusal = self.refusal_now(&staged);
        }
        let names = self.names(&staged.paths).unwrap_or_default();
        let diffs = staged.diffs_named(&names);
        let (together, divided) = (parts::together(&staged), parts::parts_of(&staged));
        let files = staged.files.iter().zip(diffs).zip(&names).enumerate();
        for (number, ((kept, diff), name)) in files {
            let record = &kept.record;
            let change = match record.moved() {
                // It is listed with its old path.
                Some(MovedFile::From(_)) => continue,
                Some(MovedFile::To(other)) => {
                    FileChange::MovedTo(names.get(other).cloned().unwrap_or_default())
                }
                None if record.digest_before().is_absent() => FileChange::Created,
                None if record.digest_after().is_absent() => FileChange::Deleted,
                None => FileChange::Edited,
            };
            let shown = self.shown(&staged, kept, name).ok();
            let texts = shown.as_ref().filter(|_| divided[number].len() > 1);
            let texts = texts.map(|shown| (shown.before(), shown.after()));
            reviewed.files.push(FileReviewed {
                number,
                together: together[number].clone(),
                parts: texts.map_or_else(Vec::new, |texts| parts_in(kept, &divided[number], texts)),
                change,
                diff,
                file_path: name.clone(),
                before: shown.as_ref().map(|shown| shown.before().clone()),
                after: shown.as_ref().map(|shown| shown.after().clone()),
            });
        }
        (reviewed.since, reviewed.now) = self
            .since(&staged, asks)
            .unwrap_or_else(|failed| (FilesSince::Unreadable(failed.message), Vec::new()));
        reviewed.shown = match &reviewed.since {
            FilesSince::ChangedAround(diff) => digest_of(diff),
            _ => digest_shown(&staged),
        };
        reviewed.notes = staged.notes;
        Ok(reviewed)
    }

    /// Returns why a refused edit is refused now. Returns `None` if it is not, or if only a server knows.
    fn refusal_now(&self, staged: &EditRecord) -> Option<String> {
        let call = staged.call.edits()?;
        let refused = self.planned(&call).err()?;
        let call = RefusedCall::of_call(call.tool(), json!({"edit_id": staged.edit_id}), refused);
        Some(call.text())
    }

    /// Returns the nodes around a position of a file of an edit, in the text before the edit, the innermost first.
    /// `file` is its number; the line counts from 1, and `column` is the number of characters before the position.
    ///
    /// # Errors
    /// No edit has the id, or it has no such file or line.
    pub fn nodes_around(
        &self,
        edit_id: &str,
        file: usize,
        line: usize,
        column: usize,
    ) -> Result<Vec<NodeAround>, Refused> {
        self.around(edit_id, file, line, column).map_err(of_list)
    }

    fn around(
        &self,
        edit_id: &str,
        file: usize,
        line: usize,
        column: usize,
    ) -> Result<Vec<NodeAround>, Diagnostic> {
        /// The maximum number of nodes.
        const NODES: usize = 12;

        let staged = self.staged(edit_id)?;
        let names = self.names(&staged.paths).unwrap_or_default();
        let kept = staged.files.get(file).zip(names.get(file));
        let (kept, name) = kept.ok_or_else(|| diagnostic::about_no_such_part(edit_id))?;
        let shown = self.shown(&staged, kept, name)?;
        let parsed = Parsed::parse(shown.before().clone());
        let source = parsed.source();
        let span = source.line_span(line);
        let span = span.ok_or_else(|| diagnostic::about_no_place(source, line, None))?;
        let text = source.slice(span);
        let indentation = text.chars().take_while(|sign| sign.is_whitespace()).count();
        let last = text.chars().count().saturating_sub(1);
        let column = column.max(indentation).min(last);
        let bytes = text.char_indices().nth(column).map_or(0, |(at, _)| at);
        let chain = parsed.chain(Span::at(span.start() + bytes));
        let mut around: Vec<NodeAround> = Vec::new();
        for end in (2..=chain.len()).rev() {
            let node = chain[end - 1];
            if !node.is_named() || around.len() == NODES {
                continue;
            }
            let selector = select::describe(&parsed, &chain[..end]);
            around.extend(selector.map(|selector| NodeAround {
                node_type: node.kind().to_string(),
                selector,
                first_line: diagnostic::first_line(&parsed, node.span()),
                line: source.line_of(node.span().start()),
                end_line: last_line(source, node.span()),
            }));
        }
        Ok(around)
    }

    /// Compares the current files with those of an edit. Returns also the files that would be written now, if they are
    /// other ones.
    fn since(
        &self,
        staged: &EditRecord,
        asks: bool,
    ) -> Result<(FilesSince, Vec<FileReviewed>), Diagnostic> {
        match staged.status {
            _ if staged.files.is_empty() => Ok((FilesSince::Unchanged, Vec::new())),
            EditStatus::Applied => Ok(self.since_applied(staged)),
            _ => self.since_staged(staged, asks),
        }
    }

    fn since_applied(&self, staged: &EditRecord) -> (FilesSince, Vec<FileReviewed>) {
        let mut names = staged.paths.iter().zip(&staged.files);
        let is_unchanged = names.all(|(path, kept)| {
            let now = self.resolved(path).and_then(|path| self.opened(&path));
            let now = now.ok().map(|opened| opened.source().digest());
            kept.record.digest_after().digest() == now
        });
        if is_unchanged {
            return (FilesSince::Unchanged, Vec::new());
        }
        match self.undo_shown(staged) {
            Ok(plan) => {
                let files = plan.preview.files().iter().enumerate();
                let files = files.filter(|(_, file)| file.record().moved().is_none());
                let files = files.map(|(number, file)| FileReviewed {
                    change: change_of(file.text_after(), file.text_before()),
                    diff: file.diff_undone(),
                    before: file.text_after().cloned(),
                    after: file.text_before().cloned(),
                    ..FileReviewed::named(number, file.before().path())
                });
                let files: Vec<FileReviewed> = files.collect();
                let diffs = files.iter().map(|file| file.diff.as_str());
                let diff = preview::in_one_patch(diffs).concat();
                (FilesSince::UndoneAs(diff), files)
            }
            Err(refused) => {
                let arguments = json!({"edit_id": staged.edit_id});
                let call = RefusedCall::of_call(UndoEdit::TOOL, arguments, refused);
                (FilesSince::NotUndone(call.text()), Vec::new())
            }
        }
    }

    fn since_staged(
        &self,
        staged: &EditRecord,
        asks: bool,
    ) -> Result<(FilesSince, Vec<FileReviewed>), Diagnostic> {
        let shown = |since: fn(String) -> FilesSince, plan: &EditPlan| {
            (since(plan.diff()), files_now(plan))
        };
        let since = match self.compared_with_files(staged) {
            Ok(PlannedNow::Fits(_, EditStatus::Applied)) => FilesSince::Unchanged,
            Ok(PlannedNow::Fits(plan, _)) => return Ok(shown(FilesSince::Rebased, &plan)),
            Ok(PlannedNow::Around(plan)) => return Ok(shown(FilesSince::ChangedAround, &plan)),
            Ok(PlannedNow::Stale(_)) => match self.planned_again(staged, asks) {
                Ok(Some(again)) => return Ok(shown(FilesSince::Stale, &again.plan)),
                Ok(None) => FilesSince::StaleUntilAsked,
                Err(refused) => FilesSince::RefusedNow(refused.message),
            },
            Err(refused) if refused.code == Code::FileExists => {
                FilesSince::RefusedNow(refused.message)
            }
            Err(refused) => return Err(refused),
        };
        Ok((since, Vec::new()))
    }

    /// Returns a staged edit in the current files.
    ///
    /// # Errors
    /// A file cannot be read, or exists where the edit creates one.
    pub(super) fn compared_with_files(
        &self,
        staged: &EditRecord,
    ) -> Result<PlannedNow, Diagnostic> {
        let direction = Direction::There;
        let paths = self.paths_of(staged, direction)?;
        let files = paths.iter().zip(&staged.files).enumerate();
        let opened = files.map(|(file, (path, kept))| {
            if !kept.record.digest_before().is_absent() {
                return self.opened(path);
            }
            let leaving = staged.leaving(file, direction);
            let leaving = leaving.and_then(|other| paths.get(other));
            path.check_free(leaving)
                .map_err(|error| diagnostic::about_file(&error))?;
            let name = path.display().as_str();
            Ok(Opened::New(self.nothing_at(name, kept)))
        });
        let opened = opened.collect::<Result<_, Diagnostic>>()?;
        self.planned_now(staged, &paths, opened)
    }
}

/// Returns what a change of a whole text does with a file that is not moved.
fn change_of(before: Option<&Source>, after: Option<&Source>) -> FileChange {
    match (before, after) {
        (None, _) => FileChange::Created,
        (_, None) => FileChange::Deleted,
        _ => FileChange::Edited,
    }
}

/// Returns the files that a plan writes.
fn files_now(plan: &EditPlan) -> Vec<FileReviewed> {
    let files = plan.preview.files();
    let named = files
        .iter()
        .map(|file| (file.record(), file.before().path()));
    let named: Vec<_> = named.collect();
    let diffs = preview::all_renamed(&named);
    let numbered = files.iter().zip(diffs).enumerate();
    let now = numbered.filter_map(|(number, (file, diff))| {
        let change = match file.record().moved() {
            Some(MovedFile::From(_)) => return None,
            Some(MovedFile::To(other)) => {
                FileChange::MovedTo(named.get(other).map_or("", |(_, path)| path).to_string())
            }
            None => change_of(file.text_before(), file.text_after()),
        };
        Some(FileReviewed {
            change,
            diff,
            before: file.text_before().cloned(),
            after: file.text_after().cloned(),
            ..FileReviewed::named(number, file.before().path())
        })
    });
    now.collect()
}

impl FileReviewed {
    /// Returns a file that is not changed yet.
    fn named(number: usize, file_path: &str) -> FileReviewed {
        FileReviewed {
            number,
            together: Vec::new(),
            parts: Vec::new(),
            file_path: file_path.to_string(),
            change: FileChange::Edited,
            diff: String::new(),
            before: None,
            after: None,
        }
    }
}

/// Returns the number of the last line of a span, from 1.
pub(super) fn last_line(source: &Source, span: Span) -> usize {
    source.line_of(span.end().saturating_sub(1).max(span.start()))
}

/// Returns where the parts of a file are.
fn parts_in(
    kept: &KeptFile,
    numbers: &[usize],
    (before, after): (&Source, &Source),
) -> Vec<PartReviewed> {
    let parts = numbers.iter().filter_map(|number| {
        let targets = kept.record.targets().iter().zip(&kept.targets);
        let mut own = targets.filter(|(_, info)| info.edit == *number);
        let (target, _) = own.next()?;
        Some(PartReviewed {
            number: *number,
            line: before.line_of(target.span().start()),
            new_line: after.line_of(target.new_span().start()),
        })
    });
    parts.collect()
}

pub(super) fn of_list(diagnostic: Diagnostic) -> Refused {
    Box::new(RefusedCall::of_call("list_edits", json!({}), diagnostic))
}
