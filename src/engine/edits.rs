//! Makes the edits of a request: selects and plans them, keeps the preview, and writes it if requested.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::apply::LockedPreview;
use crate::apply::history;
use crate::apply::journal::Written;
use crate::diagnostic::{self, Code, Diagnostic, NextCall, Pointing, Trial};
use crate::parse::Parsed;
use crate::preview::{self, FilePreview, Preview};
use crate::select;
use crate::validate::Check;
use crate::workspace::{LockedFile, WorkspacePath};

use super::calls::{CallAccess, CallContext, ToolRequest};
use super::draft::{self, EditPlan, Files, Refusals, TargetInfo};
use super::ledger::LedgerOutcome;
use super::not_sent::not_sent;
use super::request::{
    AmendEdit, Amendment, ApplyEdit, DeleteNode, DiffArgument, EDITS_LIMIT, EditCall, EditKind,
    EditNodes, EditRequest, EditTarget, InsertNode, MoveNode, ReplaceNode, ReplaceText,
    RequestedEdit, WrapNode,
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
        let applies = request.applies();
        let (status, shows) = match applies {
            true => {
                let shows = Shows::of_written(request.diff(), Shows::NotSent);
                (EditStatus::Applied, shows)
            }
            false => (EditStatus::Previewed, Shows::Diff),
        };
        let planned = match self.planned(&request, shows) {
            Ok(planned) => planned,
            Err(refused) => return Err(self.kept_refused(request, refused)),
        };
        let PlannedEdits {
            edits,
            paths: names,
            absolute,
            locked,
            plan,
        } = planned;
        let kept_request = request.with_paths(|given| {
            let name = absolute.get(given);
            name.map_or(given, |name| name.as_str()).to_string()
        });
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
                edit_id: Some(staged.edit_id.clone()),
                ..diagnostic::about_not_written(&staged.edit_id, &error).into()
            })?;
            made.notes
                .extend(self.record_written(written, &staged.with(EditStatus::Applied)));
        }
        Ok(made)
    }

    /// Plans the edits. Locks their files if they are written at once.
    ///
    /// # Errors
    /// The refusal of the first edit that cannot be made, with those of the others.
    fn planned(&self, request: &EditRequest, shows: Shows) -> Result<PlannedEdits, Diagnostic> {
        let allowed = request.allowed();
        let mut refusals = Refusals::default();
        let mut edits = Vec::new();
        let checked = request.checked_edits()?.into_iter();
        for (path, checked) in request.edited_paths().zip(checked) {
            match checked {
                Ok(edit) => edits.push(edit),
                Err(refused) => refusals.add(|| self.or_missing_file(refused, path)),
            }
        }
        let mut locked = Vec::new();
        // Files that are written at once are read under their locks.
        let opened = match request.applies() && refusals.is_empty() {
            true => Some(self.locked_files_of(&edits)),
            false => None,
        };
        let target_files = match opened {
            Some(Ok((locks, files))) => {
                locked = locks;
                files
            }
            // Compute refusals, and the files that they suggest, without locks.
            failed => {
                let files = self.files_of(&mut edits, &allowed, &mut refusals);
                if let Some(Err(error)) = failed
                    && refusals.is_empty()
                {
                    return Err(error);
                }
                files
            }
        };
        let TargetFiles {
            files, of_targets, ..
        } = target_files;
        let (paths, parsed): (Vec<WorkspacePath>, Vec<Arc<Parsed>>) = files.into_iter().unzip();
        let files = Files {
            parsed: &parsed,
            of_targets: &of_targets,
        };
        if !refusals.is_empty() {
            draft::add_unresolved(&files, &edits, &allowed, &mut refusals);
            return Err(refusals.into_diagnostic());
        }
        let plan = draft::plan(&files, &edits, &allowed, shows)?;
        let paths: Vec<String> = paths
            .iter()
            .map(|path| path.absolute().to_string())
            .collect();
        let targets = edits.iter().flat_map(RequestedEdit::targets);
        let absolute = targets
            .zip(of_targets.iter().flatten())
            .map(|(target, file)| (target.file_path.clone(), paths[*file].clone()));
        Ok(PlannedEdits {
            absolute: absolute.collect(),
            edits,
            paths,
            locked,
            plan,
        })
    }

    /// Returns the current files of the edits. Removes the edits whose files cannot be read, and adds their refusals.
    fn files_of(
        &self,
        edits: &mut Vec<RequestedEdit>,
        allow: &[Check],
        refusals: &mut Refusals,
    ) -> TargetFiles<Arc<Parsed>> {
        let mut target_files = TargetFiles::default();
        let mut unreadable: HashSet<String> = HashSet::new();
        edits.retain(|edit| {
            let is_unreadable = |target: &EditTarget| unreadable.contains(&target.file_path);
            if refusals.is_full() && edit.targets().any(is_unreadable) {
                refusals.omit();
                return false;
            }
            let found = target_files.add(edit, |number, target| {
                let tried = |parsed: &Parsed| {
                    let selection = select::select(parsed, &target.selector).ok()?;
                    match &edit.kind {
                        EditKind::Edit(operation) => {
                            Pointing::Edit(operation, allow).tried(selection)
                        }
                        EditKind::Move(_) => Some(Trial::NotTried),
                    }
                };
                let found = self.parsed_or_near(&target.file_path, tried);
                found.map_err(|refused| match number {
                    0 => refused,
                    // A suggested file would be that of the moved node.
                    _ => refused.with_suggestions(Vec::new()),
                })
            });
            let is_found = found.is_ok();
            if let Err(refused) = found {
                unreadable.extend(edit.targets().map(|target| target.file_path.clone()));
                refusals.add(|| match edit.index {
                    Some(index) => refused.of_edit(index),
                    None => refused,
                });
            }
            is_found
        });
        target_files
    }

    /// Does the same as [`Engine::files_of`], and locks the files. Each file is read once, under its lock.
    fn locked_files_of(
        &self,
        edits: &[RequestedEdit],
    ) -> Result<(Vec<LockedFile>, TargetFiles<Arc<Parsed>>), Diagnostic> {
        let mut target_files = TargetFiles::default();
        for edit in edits {
            target_files.add(edit, |_, target| {
                Ok((self.resolved(&target.file_path)?, ()))
            })?;
        }
        let TargetFiles {
            files, of_targets, ..
        } = target_files;
        let paths: Vec<WorkspacePath> = files.into_iter().map(|(path, ())| path).collect();
        let mut locked = self.locked(&paths)?;
        let opened = self.opened_locked(&mut locked)?;
        let parsed = self.parsed_locked(&locked, opened);
        let files = paths.into_iter().zip(parsed).collect();
        Ok((
            locked,
            TargetFiles {
                files,
                of_targets,
                known: HashMap::new(),
            },
        ))
    }

    /// Keeps a refused edit, if possible.
    fn kept_refused(&self, request: EditRequest, mut diagnostic: Diagnostic) -> PendingRefusal {
        // Amendments neither add nor remove edits.
        if !(1..=EDITS_LIMIT).contains(&request.count()) {
            return diagnostic.into();
        }
        let keeps_content = request.has_content();
        let mut paths = Vec::new();
        let request = request.with_paths(|given| {
            let path = self.absolute_name(given);
            if !paths.contains(&path) {
                paths.push(path.clone());
            }
            path
        });
        let fixes_all = self.has_fix_of_all(&request, &diagnostic);
        let is_single = request.is_single();
        if !is_single && diagnostic.further.is_empty() {
            self.try_suggested_files(&request, &mut diagnostic);
        }
        let edit_id = self.keep_call(paths, request.into(), &diagnostic);
        if edit_id.is_none() && !is_single {
            // Only an amendment changes one of several edits.
            diagnostic.suggestions.clear();
        }
        PendingRefusal {
            diagnostic,
            keeps_content: keeps_content && edit_id.is_some(),
            fixes_all: fixes_all && edit_id.is_some(),
            edit_id,
        }
    }

    /// Keeps a call that was refused because it cannot be read, if the caller would have to send much again.
    ///
    /// If a file of the call does not exist, that is the refusal, since the caller has to look for the file first. The
    /// edits of the call that can be read are resolved as well, so that one refusal names all that fail.
    pub(super) fn refused_unread(&self, call: EditCall, refused: Diagnostic) -> PendingRefusal {
        let allowed = call.allowed();
        let mut refusals = Refusals::default();
        let mut edits = Vec::new();
        let read = match call.is_single() {
            true => vec![Err(refused.clone())],
            // An argument of the whole call may be invalid.
            false => call.read_each().unwrap_or_default(),
        };
        for (index, read) in read.into_iter().enumerate() {
            match read {
                Ok(edit) => edits.push(edit),
                Err(other) => {
                    let is_first = refused.edit_index == Some(index);
                    let refused = if is_first { refused.clone() } else { other };
                    let path = call.file_path(index).unwrap_or_default();
                    refusals.add(|| self.or_missing_file(refused, path));
                }
            }
        }
        let diagnostic = match refusals.is_empty() {
            // The refusal is not about a certain edit.
            true => refused,
            false => {
                let TargetFiles {
                    files, of_targets, ..
                } = self.files_of(&mut edits, &allowed, &mut refusals);
                let parsed: Vec<Arc<Parsed>> =
                    files.into_iter().map(|(_, parsed)| parsed).collect();
                let files = Files {
                    parsed: &parsed,
                    of_targets: &of_targets,
                };
                draft::add_unresolved(&files, &edits, &allowed, &mut refusals);
                refusals.into_diagnostic()
            }
        };
        if !call.is_worth_keeping() {
            return diagnostic.into();
        }
        let call = call.without_unknown_fields();
        let (call, paths) = call.with_paths(|given| self.absolute_name(given));
        let keeps_content = call.has_content();
        let request = Request::Unread(Box::new(call));
        let edit_id = self.keep_call(paths, request, &diagnostic);
        PendingRefusal {
            diagnostic,
            keeps_content: keeps_content && edit_id.is_some(),
            fixes_all: false,
            edit_id,
        }
    }

    /// Returns whether the first suggestions of all refused edits together fix the call.
    fn has_fix_of_all(&self, request: &EditRequest, refused: &Diagnostic) -> bool {
        if refused.further.is_empty() || refused.further_omitted > 0 {
            return false;
        }
        let all = std::iter::once(refused).chain(&refused.further);
        let fixes = all.map(|one| {
            let first = one.suggestions.first()?;
            Amendment::suggested(&first.call, one.edit_index)
        });
        let Some(fixes) = fixes.collect::<Option<Vec<Amendment>>>() else {
            return false;
        };
        self.works_amended(request, fixes)
    }

    /// Tries the suggested files together with the other edits of the call.
    fn try_suggested_files(&self, request: &EditRequest, refused: &mut Diagnostic) {
        let index = refused.edit_index;
        for suggestion in &mut refused.suggestions {
            if matches!(suggestion.call, NextCall::File(_))
                && suggestion.trial == Trial::Works
                && let Some(fix) = Amendment::suggested(&suggestion.call, index)
                && !self.works_amended(request, vec![fix])
            {
                suggestion.trial = Trial::Refused;
            }
        }
        refused.suggestions.sort_by_key(|one| one.trial);
    }

    /// Returns whether the call works with these amendments.
    fn works_amended(&self, request: &EditRequest, amendments: Vec<Amendment>) -> bool {
        let amended = EditCall::from(request).amended(&AmendEdit::several("", amendments));
        let amended = amended.and_then(|call| call.read());
        amended.is_ok_and(|request| {
            let request = request.applying(false);
            self.planned(&request, Shows::Counts).is_ok()
        })
    }

    /// Keeps a refused call. Returns its id, or `None` if it cannot be kept.
    fn keep_call(
        &self,
        paths: Vec<String>,
        request: Request,
        refused: &Diagnostic,
    ) -> Option<String> {
        let summary = refused.message.clone();
        let staged = Staged::new(paths, request, EditStatus::Refused, summary, Vec::new());
        let state = self.workspace.state();
        let is_kept = staged::keep(state, &staged).is_ok();
        self.gc_budget.add(0);
        let _ = staged::sweep_now_and_then(state, &self.gc_budget);
        is_kept.then_some(staged.edit_id)
    }

    /// Returns the refusal of an edit, or that its file does not exist: the caller first has to find the file.
    fn or_missing_file(&self, refused: Diagnostic, path: &str) -> Diagnostic {
        let missing = self.resolved(path).err().filter(|_| !path.is_empty());
        match missing.filter(|missing| missing.code == Code::FileNotFound) {
            Some(missing) => match refused.edit_index {
                Some(index) => missing.of_edit(index),
                None => missing,
            },
            None => refused,
        }
    }

    /// Returns the absolute path of a file, which need not exist.
    fn absolute_name(&self, path: &str) -> String {
        let resolved = self.workspace.resolve(path);
        match resolved {
            Ok(path) => path.absolute().to_string(),
            Err(_) => self.workspace.absolute(path.into()).into_string(),
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

    /// Stages planned changes, with a given id if there is one, and writes them if `apply` says which diff the answer
    /// shows.
    pub(super) fn staged_as_planned(
        &self,
        request: Request,
        summary: String,
        plan: EditPlan,
        apply: Option<DiffArgument>,
        edit_id: Option<&str>,
    ) -> Result<EditMade, PendingRefusal> {
        let unsettled = self.settle();
        let files = plan.preview.files().iter();
        let paths: Result<Vec<WorkspacePath>, Diagnostic> = files
            .map(|file| self.resolved(file.before().path()))
            .collect();
        let names = paths?
            .iter()
            .map(|path| path.absolute().to_string())
            .collect();
        let summary = match plan.preview.files().len() {
            1 => summary,
            files => format!("{summary} in {files} files"),
        };
        let notes = plan.notes.clone();
        let staged = Staged::new(names, request, EditStatus::Previewed, summary, notes)
            .called(edit_id)
            .showing(&plan);
        let gc_warning = self.keep(&staged, &plan.preview)?;
        let mut made = match apply {
            // Only staged edits can be written.
            Some(diff) => {
                let mut made = self.write_staged(&ApplyEdit {
                    edit_id: staged.edit_id.clone(),
                    diff,
                })?;
                if !made.notes.starts_with(&plan.notes) {
                    // No preview has shown them.
                    made.notes.splice(..0, plan.notes);
                }
                made
            }
            None => made(&staged, &plan, EditStatus::Previewed, Shows::Diff),
        };
        made.notes.extend(unsettled.into_iter().chain(gc_warning));
        Ok(made)
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

/// Edits that can be made.
struct PlannedEdits {
    edits: Vec<RequestedEdit>,
    /// The absolute paths of the files.
    paths: Vec<String>,
    /// The absolute path of each path in the request.
    absolute: HashMap<String, String>,
    /// The locks of the files, if the edits are written at once.
    locked: Vec<LockedFile>,
    plan: EditPlan,
}

/// The files of several edits, without duplicates and with associated data, and the file index of each target.
struct TargetFiles<T> {
    files: Vec<(WorkspacePath, T)>,
    of_targets: Vec<Vec<usize>>,
    /// The file index of each path.
    known: HashMap<String, usize>,
}

impl<T> Default for TargetFiles<T> {
    fn default() -> TargetFiles<T> {
        TargetFiles {
            files: Vec::new(),
            of_targets: Vec::new(),
            known: HashMap::new(),
        }
    }
}

impl<T> TargetFiles<T> {
    /// Adds the files of an edit's targets. `find` finds a file, once per path; it also gets the number of the target in
    /// its edit.
    fn add(
        &mut self,
        edit: &RequestedEdit,
        find: impl Fn(usize, &EditTarget) -> Result<(WorkspacePath, T), Diagnostic>,
    ) -> Result<(), Diagnostic> {
        let mut own = Vec::new();
        for (number, target) in edit.targets().enumerate() {
            if let Some(known) = self.known.get(&target.file_path) {
                own.push(*known);
                continue;
            }
            let (path, found) = find(number, target)?;
            let index = self.files.iter().position(|(known, _)| *known == path);
            let index = index.unwrap_or(self.files.len());
            if index == self.files.len() {
                self.files.push((path, found));
            }
            self.known.insert(target.file_path.clone(), index);
            own.push(index);
        }
        self.of_targets.push(own);
        Ok(())
    }
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
        matches: None,
        generalized: None,
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
        match_number: matches!(request, Request::Rewrite(_)).then_some(info.edit + 1),
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
