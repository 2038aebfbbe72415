//! Makes the edits of a request: selects and plans them, keeps the preview, and writes it if requested.

use std::collections::HashMap;
use std::sync::Arc;

use crate::apply::LockedPreview;
use crate::apply::history;
use crate::apply::journal::Written;
use crate::diagnostic::{self, Diagnostic, Pointing, Trial};
use crate::parse::Parsed;
use crate::preview::{self, FilePreview, Preview};
use crate::select;
use crate::validate::Check;
use crate::workspace::{LockedFile, WorkspacePath};

use super::calls::{CallAccess, CallContext, ToolRequest};
use super::draft::{self, EditPlan, Files, TargetInfo};
use super::ledger::LedgerOutcome;
use super::not_sent::not_sent;
use super::request::{
    DeleteNode, DiffArgument, EditKind, EditNodes, EditRequest, EditTarget, InsertNode, MoveNode,
    ReplaceNode, ReplaceText, RequestedEdit, WrapNode,
};
use super::response::{EditAction, EditMade, EditStatus, FileEdited, NodeEdited, Range};
use super::staged::{self, Request, Staged};
use super::{Engine, PendingRefusal, Refused};

/// Implements [`ToolRequest`] for the requests of the tools that edit nodes and texts.
macro_rules! edit_requests {
    ($($request:ty => $tool:literal),+ $(,)?) => {$(
        impl ToolRequest for $request {
            type Answer = EditMade;

            const TOOL: &'static str = $tool;

            fn access(&self) -> CallAccess {
                EditRequest::from(self).access()
            }

            fn edits(&self) -> Option<EditRequest> {
                Some(self.into())
            }

            fn outcome(answer: &Result<EditMade, Refused>) -> Option<LedgerOutcome<'_>> {
                Some(LedgerOutcome::of_edit(answer))
            }

            fn answer(
                &self,
                engine: &Engine,
                context: &CallContext<'_>,
            ) -> Result<EditMade, PendingRefusal> {
                engine.edit_once(self.into(), context.edit_id)
            }
        }
    )+};
}

edit_requests! {
    ReplaceNode => "replace_node",
    ReplaceText => "replace_text",
    InsertNode => "insert_node",
    DeleteNode => "delete_node",
    WrapNode => "wrap_node",
    MoveNode => "move_node",
    EditNodes => "edit_nodes",
}

impl Engine {
    /// Makes the edits. With an id, makes them only once: if the edit is already written, returns it as it was shown.
    fn edit_once(
        &self,
        request: EditRequest,
        edit_id: Option<&str>,
    ) -> Result<EditMade, PendingRefusal> {
        let written = edit_id.and_then(|edit_id| self.applied(edit_id).ok());
        match written {
            Some((staged, _)) => Ok(self.shown_again(&staged, request.diff())?),
            None => self.edit_as(request, edit_id),
        }
    }

    /// Makes the edits. All edits of nodes use this method.
    pub(super) fn edit(&self, request: EditRequest) -> Result<EditMade, PendingRefusal> {
        self.edit_as(request, None)
    }

    /// Does the same as [`Engine::edit`], with a given id.
    fn edit_as(
        &self,
        request: EditRequest,
        edit_id: Option<&str>,
    ) -> Result<EditMade, PendingRefusal> {
        if !request.applies() {
            return self.planned_and_kept(request, edit_id);
        }
        let paths: Vec<String> = request.file_paths().map(str::to_string).collect();
        let paths = paths.iter().map(String::as_str);
        self.asking_servers(paths, || self.planned_and_kept(request, edit_id))
    }

    /// Plans the edits, keeps their preview, and writes them if requested.
    fn planned_and_kept(
        &self,
        request: EditRequest,
        edit_id: Option<&str>,
    ) -> Result<EditMade, PendingRefusal> {
        let unsettled = self.settle();
        let edits = request.requested_edits()?;
        let (applies, allowed) = (request.applies(), request.allowed());
        let (status, shows) = match applies {
            true => {
                let shows = Shows::of_written(request.diff(), Shows::NotSent);
                (EditStatus::Applied, shows)
            }
            false => (EditStatus::Previewed, Shows::Diff),
        };
        // Files that are written at once are read under their locks.
        let (locked, target_files) = match applies {
            true => self.locked_files_of(&edits, &allowed)?,
            false => (Vec::new(), self.files_of(&edits, &allowed)?),
        };
        let TargetFiles { files, of_targets } = target_files;
        let (paths, parsed): (Vec<WorkspacePath>, Vec<Arc<Parsed>>) = files.into_iter().unzip();
        let names: Vec<String> = paths
            .iter()
            .map(|path| path.absolute().to_string())
            .collect();
        let targets = edits.iter().flat_map(RequestedEdit::targets);
        let files = of_targets.iter().flatten();
        let absolute: HashMap<&str, &String> = targets
            .zip(files)
            .map(|(target, file)| (target.file_path.as_str(), &names[*file]))
            .collect();
        let kept_request = request.with_paths(|given| {
            let name = absolute.get(given);
            name.map_or(given, |name| name.as_str()).to_string()
        });
        let files = Files {
            parsed: &parsed,
            of_targets: &of_targets,
        };
        let plan = match draft::plan(&files, &edits, &allowed, shows) {
            Ok(plan) => plan,
            Err(diagnostic) => return Err(self.kept_refused(names, kept_request, diagnostic)),
        };
        let keeps_content = kept_request.has_content();
        let staged = Staged::new(
            names,
            kept_request,
            EditStatus::Previewed,
            summary(&edits, &plan),
            plan.notes.clone(),
        )
        .called(edit_id)
        .showing(&plan);
        let gc_warning = self.keep(&staged, &plan.preview)?;
        let mut made = made(&staged, &plan, status, shows);
        made.notes.extend(unsettled.into_iter().chain(gc_warning));
        if !applies {
            self.shown.hold(&staged.edit_id, plan.preview);
        } else {
            let written = LockedPreview::to_apply(&plan.preview, locked)
                .and_then(|locked| locked.write(&self.workspace, &staged.edit_id));
            let written = written.map_err(|error| PendingRefusal {
                diagnostic: diagnostic::about_not_written(&staged.edit_id, &error),
                edit_id: Some(staged.edit_id.clone()),
                keeps_content,
            })?;
            made.notes
                .extend(self.record_written(written, &staged.with(EditStatus::Applied)));
        }
        Ok(made)
    }

    /// Returns the current files of the edits.
    fn files_of(
        &self,
        edits: &[RequestedEdit],
        allow: &[Check],
    ) -> Result<TargetFiles<Arc<Parsed>>, Diagnostic> {
        target_files(edits, |edit, number, target| {
            let tried = |parsed: &Parsed| {
                let selection = select::select(parsed, &target.selector).ok()?;
                match &edit.kind {
                    EditKind::Edit(operation) => Pointing::Edit(operation, allow).tried(selection),
                    EditKind::Move(_) => Some(Trial::NotTried),
                }
            };
            let found = self.parsed_or_near(&target.file_path, tried);
            found.map_err(|refused| {
                let has_suggestion = edit.index.is_none() && number == 0;
                let refused = Diagnostic {
                    // The suggested call would contain only this edit, or move another node.
                    suggestions: match has_suggestion {
                        true => refused.suggestions,
                        false => Vec::new(),
                    },
                    ..refused
                };
                match edit.index {
                    Some(index) => refused.of_edit(index),
                    None => refused,
                }
            })
        })
    }

    /// Does the same as [`Engine::files_of`], and locks the files. Each file is read once, under its lock.
    fn locked_files_of(
        &self,
        edits: &[RequestedEdit],
        allow: &[Check],
    ) -> Result<(Vec<LockedFile>, TargetFiles<Arc<Parsed>>), Diagnostic> {
        // Compute refusals, and the files that they suggest, without locks.
        let refused = |error: Diagnostic| self.files_of(edits, allow).err().unwrap_or(error);
        let resolve =
            |_: &RequestedEdit, _, target: &EditTarget| Ok((self.resolved(&target.file_path)?, ()));
        let TargetFiles { files, of_targets } = target_files(edits, resolve).map_err(refused)?;
        let paths: Vec<WorkspacePath> = files.into_iter().map(|(path, ())| path).collect();
        let mut locked = self.locked(&paths).map_err(refused)?;
        let opened = self.opened_locked(&mut locked).map_err(refused)?;
        let parsed = self.parsed_locked(&locked, opened);
        let files = paths.into_iter().zip(parsed).collect();
        Ok((locked, TargetFiles { files, of_targets }))
    }

    /// Keeps a refused edit with its content, if possible.
    fn kept_refused(
        &self,
        paths: Vec<String>,
        request: EditRequest,
        diagnostic: Diagnostic,
    ) -> PendingRefusal {
        let keeps_content = request.has_content();
        let summary = diagnostic.message.clone();
        let staged = Staged::new(paths, request, EditStatus::Refused, summary, Vec::new());
        let state = self.workspace.state();
        let is_kept = staged::keep(state, &staged).is_ok();
        self.gc_budget.add(0);
        let _ = staged::sweep_now_and_then(state, &self.gc_budget);
        let edit_id = is_kept.then_some(staged.edit_id);
        PendingRefusal {
            diagnostic,
            edit_id,
            keeps_content,
        }
    }

    /// Keeps an edit and its texts. Returns a note if old ones could not be removed, which does not fail the call.
    pub(super) fn keep(
        &self,
        staged: &Staged,
        preview: &Preview,
    ) -> Result<Option<String>, Diagnostic> {
        let state = self.workspace.state();
        let keep = || {
            let mut bytes = 0;
            for file in preview.files() {
                bytes += history::keep(state, file.before())?;
            }
            staged::keep(state, staged)?;
            Ok(bytes)
        };
        self.gc_budget
            .add(keep().map_err(|error| diagnostic::about_state(&error))?);
        let swept = staged::sweep_now_and_then(state, &self.gc_budget);
        let gc_warning = swept.err();
        Ok(gc_warning.map(|error| diagnostic::not_removed_text(&error)))
    }

    /// Records an edit as written. Returns the notes on it.
    pub(super) fn record_written(&self, written: Written<'_>, staged: &Staged) -> Vec<String> {
        let mut notes: Vec<String> = written
            .unsynced
            .iter()
            .map(diagnostic::not_synced_text)
            .collect();
        let noted = staged::note_status(self.workspace.state(), staged);
        if let Err(error) = noted.and_then(|()| written.recorded()) {
            notes.push(diagnostic::not_recorded_text(&error));
        }
        notes
    }
}

/// The files of several edits, without duplicates and with associated data, and the file index of each target.
struct TargetFiles<T> {
    files: Vec<(WorkspacePath, T)>,
    of_targets: Vec<Vec<usize>>,
}

/// Finds the file of each target, once per path. `find` also gets the number of the target in its edit.
fn target_files<T>(
    edits: &[RequestedEdit],
    find: impl Fn(&RequestedEdit, usize, &EditTarget) -> Result<(WorkspacePath, T), Diagnostic>,
) -> Result<TargetFiles<T>, Diagnostic> {
    let mut files: Vec<(WorkspacePath, T)> = Vec::new();
    let mut known: HashMap<&str, usize> = HashMap::new();
    let mut of_targets = Vec::new();
    for edit in edits {
        let mut own = Vec::new();
        for (number, target) in edit.targets().enumerate() {
            if let Some(known) = known.get(target.file_path.as_str()) {
                own.push(*known);
                continue;
            }
            let (path, found) = find(edit, number, target)?;
            let index = files.iter().position(|(known, _)| *known == path);
            let index = index.unwrap_or(files.len());
            if index == files.len() {
                files.push((path, found));
            }
            known.insert(target.file_path.as_str(), index);
            own.push(index);
        }
        of_targets.push(own);
    }
    Ok(TargetFiles { files, of_targets })
}

/// Returns a one-line summary of an edit.
fn summary(edits: &[RequestedEdit], plan: &EditPlan) -> String {
    let files = plan.preview.files();
    let first = files.iter().zip(&plan.targets).next();
    match (edits, first) {
        ([_], Some((file, targets))) if targets.len() == 1 || files.len() > 1 => {
            let target = &file.record().targets()[0];
            format!(
                "{} {} at line {}",
                targets[0].action.to_do(),
                target.node_type(),
                file.before().line_of(target.span().start())
            )
        }
        _ => {
            let count: usize = plan.targets.iter().map(Vec::len).sum();
            match files.len() {
                1 => format!("{count} edits"),
                files => format!("{count} edits in {files} files"),
            }
        }
    }
}

/// Which part of the change an answer shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shows {
    /// The diff: the caller has not seen the change.
    Diff,
    /// What the caller did not send.
    NotSent,
    /// Only the number of lines: the caller has seen the preview.
    Counts,
}

impl Shows {
    /// Returns what the answer of a written edit shows, if it shows no diff by default.
    pub(super) fn of_written(diff: DiffArgument, default: Shows) -> Shows {
        match diff {
            DiffArgument::Full => Shows::Diff,
            DiffArgument::Auto => default,
        }
    }
}

pub(super) fn made(staged: &Staged, plan: &EditPlan, status: EditStatus, shows: Shows) -> EditMade {
    let requested = match shows {
        Shows::NotSent => staged.request.edits(),
        Shows::Diff | Shows::Counts => None,
    };
    let requested = requested.and_then(|edits| edits.requested_edits().ok());
    let files = plan.preview.files().iter().zip(&plan.targets);
    let files = files.filter_map(|(file, targets)| {
        let mut edited = file_edited(&staged.request, file, targets, shows, requested.as_deref())?;
        if status == EditStatus::Undone {
            edited = undone(edited, file);
        }
        Some(edited)
    });
    EditMade {
        edit_id: staged.edit_id.clone(),
        status,
        files: files.collect(),
        notes: match shows {
            Shows::Counts => Vec::new(),
            Shows::Diff | Shows::NotSent => plan.notes.clone(),
        },
        diagnostics: None,
    }
}

fn file_edited(
    request: &Request,
    file: &FilePreview,
    targets: &[TargetInfo],
    shows: Shows,
    requested: Option<&[RequestedEdit]>,
) -> Option<FileEdited> {
    let record = file.record();
    let infos = record.targets().iter().zip(targets);
    let edits = infos.map(|(target, info)| NodeEdited {
        edit_index: (!request.is_single()).then_some(info.edit),
        action: info.action,
        node_type: target.node_type().to_string(),
        range: Range::of(file.before(), target.span()),
        new_range: Range::of(file.after(), target.new_span()),
    });
    let mut edits: Vec<NodeEdited> = edits.collect();
    // The new range of a node that moves within its file is its insertion range.
    for (leaving, info) in targets.iter().enumerate() {
        let is_arrival = |one: &TargetInfo| one.edit == info.edit && one.action.is_arrival();
        let arrival = targets.iter().position(is_arrival);
        if info.action == EditAction::Move
            && let Some(arrival) = arrival
        {
            edits[leaving].new_range = edits[arrival].new_range;
        }
    }
    let first = edits.first().cloned();
    if request.is_single() && edits.len() == 1 {
        edits.clear();
    }
    let (added_lines, removed_lines) = preview::line_counts(record.diff());
    // The process that made the record may have used another path for the file.
    let diff = || preview::renamed(record.diff(), file.before().path());
    Some(FileEdited {
        file_path: file.before().path().to_string(),
        added_lines,
        removed_lines,
        diff: (shows == Shows::Diff).then(diff),
        not_sent: requested.map(|edits| not_sent(edits, file, targets)),
        edit: first?,
        edits,
        digest_before: record.digest_before().to_string(),
        digest_after: record.digest_after().to_string(),
    })
}

/// Returns the report of an edit, reversed.
fn undone(edited: FileEdited, file: &FilePreview) -> FileEdited {
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
        diff: edited
            .diff
            .map(|_| preview::difference(file.after(), file.before())),
        digest_before: edited.digest_after,
        digest_after: edited.digest_before,
        ..edited
    }
}
