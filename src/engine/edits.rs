//! Makes the edits of a request: selects and plans them, keeps the preview, and writes it if requested.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::apply::history;
use crate::apply::journal::Written;
use crate::apply::{FileFacts, LockedPreview};
use camino::Utf8PathBuf;

use crate::diagnostic::{self, Approved, Code, Diagnostic, NextCall, Pointing, Trial};
use crate::edit::Operation;
use crate::parallel;
use crate::parse::Parsed;
use crate::pattern::Pattern;
use crate::preview::{self, FilePreview, MovedFile, Preview};
use crate::select::{self, Anchor, Selector};
use crate::source::Source;
use crate::steps;
use crate::validate::Check;
use crate::workspace::{FileError, LockedFile, WorkspacePath, WritePermit, has_wildcard};

use super::calls::{CallAccess, CallContext, EditOrigin, ToolRequest};
use super::files::{in_turn, skipped_text};
use super::ledger::LedgerOutcome;
use super::log::ended::{self, Why};
use super::log::{self, EditRecord, Request};
use super::moved_imports::still_used_notes;
use super::on_text::{OnText, OneText};
use super::per_language::PerLanguage;
use super::plan::{self, EditFiles, EditPlan, Files, OwnFile, Refusals, TargetInfo};
#[cfg(feature = "servers")]
use super::questions::built_in_server;
use super::request::{
    AmendEdit, Amendment, ApplyEdit, DeleteNode, DiffArgument, EDITS_LIMIT, EditCall, EditKind,
    EditNodes, EditRequest, FileOperation, InsertNode, MoveNode, ReplaceNode, ReplaceText,
    RequestedEdit, WrapNode,
};
use super::response::{EditAction, EditMade, EditStatus, FileEdited, NodeEdited, Range};
use super::rewrite::cut_diffs;
use super::watch::COMMAND_LINE;
#[cfg(not(feature = "servers"))]
use super::without_servers::built_in_server;
use super::{Engine, PendingRefusal, Refused};

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

/// Implements [`ToolRequest`] for the requests of the tools that edit nodes and texts.
macro_rules! edit_requests {
    ($($request:ty => $tool:literal),+ $(,)?) => {$(
        impl ToolRequest for $request {
            type Answer = EditMade;

            const TOOL: &'static str = $tool;
            const FILE_ARGUMENT: Option<&'static str> = Some("file_path");

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
                engine.edit_once(self.into(), context.origin)
            }

            fn answer_on_text(&self, text: &OneText) -> Result<OnText<EditMade>, Diagnostic> {
                edited_text(&EditRequest::from(self), text)
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

/// Makes the edits in one text.
fn edited_text(request: &EditRequest, text: &OneText) -> Result<OnText<EditMade>, Diagnostic> {
    text.refuse(&[
        ("apply", request.applies()),
        ("imports", request.changes_imports()),
    ])?;
    let allowed = request.allowed();
    let mut refusals = Refusals::default();
    let mut edits = Vec::new();
    let mut of_edits = Vec::new();
    for checked in request.checked_edits()? {
        let own = checked.and_then(|edit| match files_in_text(&edit, text) {
            Ok(files) => Ok((edit, files)),
            Err(refused) => Err(match edit.index {
                Some(index) => refused.of_edit(index),
                None => refused,
            }),
        });
        match own {
            Ok((edit, files)) => {
                edits.push(edit);
                of_edits.push(files);
            }
            Err(refused) => refusals.add(|| refused),
        }
    }
    let files = Files {
        parsed: &[text.parsed().clone()],
        is_new: &[false],
        of_edits: &of_edits,
    };
    if !refusals.is_empty() {
        plan::add_unresolved(&files, &edits, &allowed, &mut refusals);
        return Err(refusals.into_diagnostic());
    }
    let mut plan = plan::plan(&files, &edits, &allowed)?;
    let notes = still_used_notes(&edits, &files, &plan);
    plan.notes.extend(notes);
    Ok(OnText::edited(&request.clone().into(), &plan, None))
}

/// Returns the files of an edit of one text: that text.
fn files_in_text(edit: &RequestedEdit, text: &OneText) -> Result<EditFiles, Diagnostic> {
    text.refuse(&[
        ("create", edit.create.is_some()),
        ("unused", edit.unused),
        (
            "an operation on a whole file",
            edit.file_operation().is_some(),
        ),
    ])?;
    let destination = edit.destination_path();
    let mut paths = edit.paths.iter().map(String::as_str).chain(destination);
    paths.try_for_each(|path| text.check_path(path))?;
    Ok(EditFiles::one(0, destination.map(|_| 0)))
}

impl Engine {
    /// Makes the edits. With an id, makes them only once: if the edit is already written, returns it as it was shown.
    fn edit_once(
        &self,
        request: EditRequest,
        origin: EditOrigin<'_>,
    ) -> Result<EditMade, PendingRefusal> {
        let written = origin
            .edit_id
            .and_then(|edit_id| self.applied(edit_id).ok());
        match written {
            Some((staged, _)) => Ok(self.shown_again(&staged, request.diff())?),
            None => self.edit(request, origin),
        }
    }

    /// Makes the edits. All edits of nodes use this method.
    pub(super) fn edit(
        &self,
        request: EditRequest,
        origin: EditOrigin<'_>,
    ) -> Result<EditMade, PendingRefusal> {
        if !request.applies() {
            return self.planned_and_kept(request, origin);
        }
        let paths = self.files_named(&request);
        let paths = paths.iter().map(String::as_str);
        self.asking_servers(paths, || self.planned_and_kept(request, origin))
    }

    /// Plans the edits, keeps their preview, and writes them if requested.
    fn planned_and_kept(
        &self,
        request: EditRequest,
        origin: EditOrigin<'_>,
    ) -> Result<EditMade, PendingRefusal> {
        if request.changes_imports() && request.applies() {
            return self.moved_and_written(request, origin);
        }
        let unsettled = self.settle();
        let applies = request.applies();
        let is_cut = request.names_several_files() && request.diff() == DiffArgument::Auto;
        let (status, shows) = match applies {
            true => {
                let shows = AnswerDetail::of_written(request.diff(), AnswerDetail::Seams);
                (EditStatus::Applied, shows)
            }
            false => (
                EditStatus::Previewed,
                AnswerDetail::of_written(request.diff(), AnswerDetail::Diff),
            ),
        };
        let planned = steps::stoppable(|| self.planned(&request))
            .map_err(|stopped| self.about_stopped(stopped))?;
        let planned = match planned {
            Ok(planned) => planned,
            Err(refused) => return Err(self.kept_refused(request, refused, origin)),
        };
        let PlannedEdits {
            edits,
            paths: names,
            absolute,
            locked,
            plan,
            symbol,
        } = planned;
        let kept_request = request.with_paths(|given| {
            let glob = || self.workspace.absolute(given.into()).into_string();
            absolute.get(given).cloned().unwrap_or_else(glob)
        });
        let staged = EditRecord::new(
            names,
            kept_request,
            EditStatus::Previewed,
            summary(&edits, &plan),
            plan.notes.clone(),
        )
        .of(origin)
        .in_symbol(symbol)
        .showing(&plan);
        let gc_warning = self.keep(&staged, &plan.preview)?;
        let mut made = made(&staged, &plan, status, shows);
        if is_cut {
            let omitted = cut_diffs(&mut made);
            made.notes
                .extend(diagnostic::diffs_omitted_text(omitted, &made.edit_id));
        }
        made.notes.extend(unsettled.into_iter().chain(gc_warning));
        if !applies {
            made.needs_approval = self.approval_required().is_some();
            self.previews.hold(&staged.edit_id, plan.preview);
        } else {
            let permit = self.permit_of_staged(&staged)?;
            let written = LockedPreview::to_apply(&plan.preview, locked).and_then(|locked| {
                let edits = [(&staged, &plan.preview)];
                self.written(locked, &permit, &edits, EditStatus::Applied)
            });
            let (written, records) = written.map_err(|error| PendingRefusal {
                edit_id: Some(staged.edit_id.clone()),
                ..diagnostic::about_not_written(&staged.edit_id, &error).into()
            })?;
            made.notes.extend(self.record_written(written, &records));
            made.notes.extend(self.end_repeated(&staged));
        }
        Ok(made)
    }

    /// Does the same for moves whose import statements follow, and which are written at once. Which files change is
    /// known only after they are planned.
    fn moved_and_written(
        &self,
        request: EditRequest,
        origin: EditOrigin<'_>,
    ) -> Result<EditMade, PendingRefusal> {
        let diff = request.diff();
        let planned = match self.planned(&request.clone().applying(false)) {
            Ok(planned) => planned,
            Err(refused) => return Err(self.kept_refused(request, refused, origin)),
        };
        // The caller has not seen import statements that it did not send.
        let diff = match planned.edits.iter().all(RequestedEdit::organizes) {
            true => DiffArgument::Full,
            false => diff,
        };
        let summary = summary(&planned.edits, &planned.plan);
        let kept = request
            .applying(false)
            .with_paths(|given| self.absolute_name(given));
        self.staged_as_planned(
            kept.into(),
            summary,
            planned.into_plan(),
            Some(diff),
            origin,
        )
    }

    /// Plans the edits. Locks their files if they are written at once.
    ///
    /// # Errors
    /// The refusal of the first edit that cannot be made, with those of the others.
    pub(super) fn planned(&self, request: &EditRequest) -> Result<PlannedEdits, Diagnostic> {
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
        // Files that are written at once are read under their locks. Several files are searched first, so that only those
        // with a match are locked.
        let is_searched = request.names_several_files();
        let opened = match request.applies() && refusals.is_empty() && !is_searched {
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
            files,
            of_edits,
            known,
            new,
            notes,
            ..
        } = target_files;
        let (mut paths, mut parsed): (Vec<WorkspacePath>, Vec<Arc<Parsed>>) =
            files.into_iter().unzip();
        if request.applies() && refusals.is_empty() && is_searched {
            locked = self.locked(&paths)?;
            let starts: Vec<Option<Arc<Parsed>>> = parsed.into_iter().map(Some).collect();
            parsed = self.read_locked(&mut locked, &starts, &new)?;
        }
        let is_new: Vec<bool> = (0..paths.len())
            .map(|file| new.contains_key(&file))
            .collect();
        let files = Files {
            parsed: &parsed,
            is_new: &is_new,
            of_edits: &of_edits,
        };
        if !refusals.is_empty() {
            plan::add_unresolved(&files, &edits, &allowed, &mut refusals);
            return Err(refusals.into_diagnostic());
        }
        let mut plan = plan::plan(&files, &edits, &allowed)?;
        self.refuse_used(&edits, &files, &plan)?;
        plan.notes.extend(notes);
        plan.notes.extend(moved_file_notes(&edits, &files));
        if request.changes_imports() {
            let imports = request.imports();
            paths.extend(self.keep_imports(&edits, imports, &files, &mut plan)?);
        } else {
            let notes = still_used_notes(&edits, &files, &plan);
            plan.notes.extend(notes);
        }
        let absolute = |path: &WorkspacePath| path.absolute().to_string();
        let known = known.into_iter();
        let known = known.map(|(given, file)| (given, absolute(&paths[file])));
        // The plan has the files in the same order, without those that are left out.
        let mut planned = plan.preview.files().iter().peekable();
        let is_planned = |path: &&WorkspacePath| {
            let is_next = |file: &&FilePreview| file.before().path() == path.display();
            planned.next_if(is_next).is_some()
        };
        Ok(PlannedEdits {
            symbol: edited_symbol(&plan, &parsed),
            absolute: known.collect(),
            edits,
            paths: paths.iter().filter(is_planned).map(absolute).collect(),
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
            let named = || {
                edit.paths
                    .iter()
                    .map(String::as_str)
                    .chain(edit.destination_path())
            };
            if refusals.is_full() && named().any(|path| unreadable.contains(path)) {
                refusals.omit();
                return false;
            }
            let found = self.files_of_edit(edit, allow, &mut target_files);
            match found {
                Ok(of_edit) => {
                    target_files.of_edits.push(of_edit);
                    true
                }
                Err(refused) => {
                    unreadable.extend(named().map(str::to_string));
                    refusals.add(|| match edit.index {
                        Some(index) => refused.of_edit(index),
                        None => refused,
                    });
                    false
                }
            }
        });
        target_files
    }

    /// Returns the current files of an edit, and adds them to those of the other edits.
    fn files_of_edit(
        &self,
        edit: &RequestedEdit,
        allow: &[Check],
        target_files: &mut TargetFiles<Arc<Parsed>>,
    ) -> Result<EditFiles, Diagnostic> {
        if let Some(operation) = edit.file_operation().filter(|_| !edit.organizes()) {
            return self.files_of_whole_file(edit, operation, target_files, |parsed| parsed);
        }
        let mut of_edit = match edit.paths.as_slice() {
            [path] if edit.first_content(path).is_some() => {
                let start = edit.first_content(path).unwrap_or_default();
                let file = self.named_new(path, start, target_files, |parsed| parsed)?;
                EditFiles::one(file, None)
            }
            [path] if edit.index.is_none() || !self.is_glob(path) => {
                let tried = |parsed: &Parsed| match (edit.selectors.as_slice(), &edit.kind) {
                    ([selector], EditKind::Edit(operation)) => {
                        let selection = select::select(parsed, selector).ok()?;
                        Pointing::Edit(operation, allow).tried(selection)
                    }
                    (selectors, _) => {
                        let selects = |one| select::select(parsed, one).is_ok();
                        selectors.iter().all(selects).then_some(Trial::NotTried)
                    }
                };
                let file = target_files.named(path, || {
                    let found = self.parsed_or_near(path, tried);
                    found.map_err(|refused| match (edit.index, refused.code) {
                        (None, Code::FileNotFound) if has_wildcard(path) => {
                            diagnostic::with_help_on_globs(refused)
                        }
                        (Some(_), Code::NotAFile) => diagnostic::with_help_on_folder(refused, path),
                        (_, Code::FileNotFound) if inserts(&edit.kind) => {
                            diagnostic::with_help_on_create(refused)
                        }
                        _ => refused,
                    })
                })?;
                EditFiles::one(file, None)
            }
            paths => self.files_of_paths(paths, edit, target_files)?,
        };
        if let Some(path) = edit.destination_path() {
            if of_edit.own.len() > 1 {
                return Err(diagnostic::about_move_of_several(of_edit.own.len()));
            }
            of_edit.destination = Some(match edit.first_content(path) {
                Some(start) => self.named_new(path, start, target_files, |parsed| parsed)?,
                None => target_files.named(path, || {
                    let found = self.parsed(path);
                    found.map_err(|refused| match refused.code {
                        Code::FileNotFound => diagnostic::with_help_on_create(refused),
                        _ => refused,
                    })
                })?,
            });
        }
        Ok(of_edit)
    }

    /// Returns the files of an edit that creates, deletes or moves a file.
    fn files_of_whole_file<T>(
        &self,
        edit: &RequestedEdit,
        operation: &FileOperation,
        target_files: &mut TargetFiles<T>,
        data: impl Fn(Arc<Parsed>) -> T,
    ) -> Result<EditFiles, Diagnostic> {
        let path = edit.paths.first().map(String::as_str).unwrap_or_default();
        if let FileOperation::Create { content } = operation {
            let file = match edit.is_start_of_others() {
                true => self.named_new(path, content, target_files, data)?,
                false => self.put_new(path, content, NewFile::empty(), target_files, data)?,
            };
            return Ok(EditFiles::one(file, None));
        }
        let file = target_files.named(path, || {
            let (path, parsed) = self.parsed(path)?;
            Ok((path, data(parsed)))
        })?;
        let FileOperation::Move { to } = operation else {
            return Ok(EditFiles::one(file, None));
        };
        let from = target_files.files[file].0.clone();
        let is_here = |there: WorkspacePath| there == from;
        if self.workspace.resolve(to).is_ok_and(is_here) {
            return Err(diagnostic::about_move_to_itself(from.display().as_str()));
        }
        let text = self.opened(&from)?.source().text().to_string();
        let new = NewFile {
            leaving: Some(file),
            ..NewFile::empty()
        };
        let destination = self.put_new(to, &text, new, target_files, data);
        let destination = destination.map_err(|refused| match refused.code {
            Code::NotAFile if self.workspace.place_of_new(to).is_ok() => {
                diagnostic::about_move_to_directory(path, to)
            }
            _ => refused,
        })?;
        Ok(EditFiles::one(file, Some(destination)))
    }

    /// Adds the file that an edit creates to insert into its first content, `start`. Returns its index.
    fn named_new<T>(
        &self,
        path: &str,
        start: &str,
        target_files: &mut TargetFiles<T>,
        data: impl Fn(Arc<Parsed>) -> T,
    ) -> Result<usize, Diagnostic> {
        let new = NewFile {
            start: Some(start.to_string()),
            leaving: None,
        };
        if let Some(file) = target_files.known.get(path)
            && target_files.new.get(file) == Some(&new)
        {
            // An earlier edit creates it in the same way.
            return Ok(*file);
        }
        self.put_new(path, start, new, target_files, data)
    }

    /// Adds a file that does not exist. `content` is a text that determines its language.
    fn put_new<T>(
        &self,
        path: &str,
        content: &str,
        new: NewFile,
        target_files: &mut TargetFiles<T>,
        data: impl Fn(Arc<Parsed>) -> T,
    ) -> Result<usize, Diagnostic> {
        let place = self.workspace.place_of_new(path);
        let place = place.map_err(|error| self.about_path(path, &error))?;
        let others = target_files.new.keys();
        let mut others = others.map(|file| target_files.files[*file].0.absolute());
        let (own, path_given) = (place.absolute(), path);
        if others.any(|other| own != other && (own.starts_with(other) || other.starts_with(own))) {
            let path = path_given.into();
            return Err(diagnostic::about_file(&FileError::InFile { path }));
        }
        let leaving = new.leaving.map(|file| &target_files.files[file].0);
        let is_insertion = new.start.is_some();
        place
            .check_free(leaving)
            .map_err(|error| diagnostic::about_existing_file(&error, is_insertion))?;
        if let Some(file) = target_files.indices.get(place.absolute())
            && target_files.new.contains_key(file)
            && (is_insertion || target_files.new[file].start.is_some())
        {
            return Err(diagnostic::about_two_creations(place.display().as_str()));
        }
        let start = new.start.as_deref().unwrap_or_default();
        let parsed = self.parsed_new(&place, content, start)?;
        let file = target_files.put(place, data(parsed));
        target_files.known.insert(path.to_string(), file);
        target_files.new.entry(file).or_insert(new);
        Ok(file)
    }

    /// Parses the text that edits of a new file start from. `content` determines its language.
    pub(super) fn parsed_new(
        &self,
        place: &WorkspacePath,
        content: &str,
        start: &str,
    ) -> Result<Arc<Parsed>, Diagnostic> {
        let name = place.display().as_str();
        let (size, limit) = (content.len() as u64, place.file_limit());
        if size > limit {
            let path = place.display().to_owned();
            return Err(diagnostic::about_file(&FileError::TooLarge {
                path,
                size,
                limit,
            }));
        }
        let language = self.language_of(name, content.as_bytes());
        if let Some(error) = language.load_error() {
            let failed = format!("cannot create `{name}` as {}", language.name);
            return Err(diagnostic::about_grammar(&failed, error));
        }
        let text = |text: &str| Source::from_bytes(name, language, text.as_bytes().to_vec());
        let refused = |error| diagnostic::about_text(name, error);
        text(content).map_err(refused)?;
        let start = text(start).map_err(refused)?;
        Ok(Arc::new(Parsed::parse(start)))
    }

    /// Reads locked files, and checks that new ones do not exist. `starts` are the texts of new files.
    fn read_locked(
        &self,
        locked: &mut [LockedFile],
        starts: &[Option<Arc<Parsed>>],
        new: &HashMap<usize, NewFile>,
    ) -> Result<Vec<Arc<Parsed>>, Diagnostic> {
        let paths: Vec<WorkspacePath> = locked.iter().map(|one| one.path().clone()).collect();
        let files = locked.iter_mut().enumerate();
        let files = files.map(|(file, locked)| match (new.get(&file), &starts[file]) {
            (Some(new), Some(start)) => {
                let leaving = new.leaving.map(|file| &paths[file]);
                locked.check_free(leaving).map_err(|error| {
                    diagnostic::about_existing_file(&error, new.start.is_some())
                })?;
                Ok(start.clone())
            }
            _ => {
                let path = &paths[file];
                let opened =
                    self.opened_by(path, |known, language| locked.read(known, language))?;
                Ok(self.kept_parsed(path, opened))
            }
        });
        files.collect()
    }

    /// Returns the current files of an edit that names several: those of a list, and those that globs match if a selector
    /// matches in them. If none does, returns the nearest, to explain why.
    fn files_of_paths(
        &self,
        paths: &[String],
        edit: &RequestedEdit,
        target_files: &mut TargetFiles<Arc<Parsed>>,
    ) -> Result<EditFiles, Diagnostic> {
        /// The maximum number of files without a match to explain.
        const NEAREST: usize = 20;

        let mut of_edit = EditFiles::default();
        let mut known: HashSet<Utf8PathBuf> = HashSet::new();
        let mut refused: Vec<(&String, Diagnostic)> = Vec::new();
        let (globs, files): (Vec<&String>, Vec<&String>) =
            paths.iter().partition(|path| self.is_glob(path));
        for path in files {
            match target_files.named(path, || self.parsed(path)) {
                Ok(file) => {
                    if known.insert(target_files.files[file].0.absolute().to_owned()) {
                        of_edit.own.push(OwnFile {
                            file,
                            is_optional: false,
                        });
                    }
                }
                Err(why) if why.code == Code::NotAFile => {
                    refused.push((path, diagnostic::with_help_on_folder(why, path)));
                }
                Err(why) => refused.push((path, why)),
            }
        }
        if let Some((_, first)) = refused.first() {
            let others = refused[1..].iter().map(|(path, _)| format!("`{path}`"));
            let others: Vec<String> = others.collect();
            return Err(diagnostic::with_others_refused(first.clone(), &others));
        }
        let mut found: Vec<WorkspacePath> = Vec::new();
        let mut file_limit = 0;
        for glob in globs {
            let searched = self.searched_files(std::slice::from_ref(glob))?;
            let files = searched.files.into_iter();
            found.extend(files.filter(|file| known.insert(file.absolute().to_owned())));
            target_files.add_notes(searched.notes);
            file_limit = searched.file_limit;
        }
        of_edit.searched = of_edit.own.len() + found.len();
        let texts = SelectorTexts::of(edit);
        let scanned = in_turn(found.len(), usize::MAX, &(), |index, _| {
            let opened = self.opened(&found[index])?;
            if !texts.may_be_in(opened.source()) {
                return Ok(vec![(usize::MAX, None)]);
            }
            let parsed = self.kept_parsed(&found[index], opened);
            let missing = edit.selectors.iter().map(|selector| {
                let error = select::select_if_one(&parsed, selector).err()?;
                error.no_match()
            });
            // One that matches makes it a file of the edit.
            let nearness = missing.collect::<Option<Vec<_>>>();
            let nearness = nearness.and_then(|all| all.into_iter().min());
            Ok(vec![(
                nearness.unwrap_or(0),
                nearness.is_none().then_some(parsed),
            )])
        });
        let mut skipped = Vec::new();
        let mut without_match = Vec::new();
        for (path, scanned) in found.into_iter().zip(scanned.into_results()) {
            match scanned.map(|mut one| one.pop()) {
                Ok(Some((_, Some(parsed)))) => {
                    let file = target_files.put(path, parsed);
                    of_edit.own.push(OwnFile {
                        file,
                        is_optional: true,
                    });
                }
                Ok(Some((nearness, None))) => without_match.push((nearness, path)),
                Ok(None) => {}
                // A file that cannot be read has no match.
                Err(unreadable) => skipped.push(unreadable.code),
            }
        }
        target_files.add_notes(skipped_text(&skipped, file_limit));
        if of_edit.own.is_empty() {
            texts.check()?;
            without_match.sort_by_key(|(nearness, _)| *nearness);
            for (_, path) in without_match.into_iter().take(NEAREST) {
                let parsed = self.parsed_at(&path)?;
                let file = target_files.put(path, parsed);
                of_edit.own.push(OwnFile {
                    file,
                    is_optional: true,
                });
            }
        }
        match of_edit.own.is_empty() {
            true => Err(diagnostic::about_unreadable_files(
                &skipped,
                &paths.join("`, `"),
            )),
            false => Ok(of_edit),
        }
    }

    /// Returns whether a path of an edit is a glob: it has wildcards, and there is no such file.
    fn is_glob(&self, path: &str) -> bool {
        let is_missing = |path| {
            let resolved = self.workspace.resolve(path);
            matches!(resolved, Err(FileError::FileNotFound { .. }))
        };
        has_wildcard(path) && is_missing(path)
    }

    /// Returns the files that a request names, with those that its globs match.
    fn files_named(&self, request: &EditRequest) -> Vec<String> {
        let named = request
            .file_paths()
            .flat_map(|path| match self.is_glob(path) {
                true => {
                    let found = self.searched_files(&[path.to_string()]);
                    let files = found.map_or_else(|_| Vec::new(), |found| found.files);
                    let files = files.iter().map(|file| file.absolute().to_string());
                    files.collect()
                }
                false => vec![path.to_string()],
            });
        named.collect()
    }

    /// Does the same as [`Engine::files_of`] for edits that name one file each, and locks the files. Each file is read
    /// once, under its lock.
    fn locked_files_of(
        &self,
        edits: &[RequestedEdit],
    ) -> Result<(Vec<LockedFile>, TargetFiles<Arc<Parsed>>), Diagnostic> {
        let mut resolved: TargetFiles<Option<Arc<Parsed>>> = TargetFiles::default();
        for edit in edits {
            if let Some(operation) = edit.file_operation() {
                let of_edit = self.files_of_whole_file(edit, operation, &mut resolved, Some)?;
                resolved.of_edits.push(of_edit);
                continue;
            }
            let mut named = |path: &str| match edit.first_content(path) {
                Some(start) => self.named_new(path, start, &mut resolved, Some),
                None => resolved.named(path, || Ok((self.resolved(path)?, None))),
            };
            let own = edit.paths.iter().map(|path| named(path));
            let own: Vec<usize> = own.collect::<Result<_, _>>()?;
            let destination = edit.destination_path().map(named).transpose()?;
            let of_edit = own.first().map(|file| EditFiles::one(*file, destination));
            resolved.of_edits.extend(of_edit);
        }
        let (paths, starts): (Vec<WorkspacePath>, Vec<Option<Arc<Parsed>>>) =
            resolved.files.into_iter().unzip();
        let mut locked = self.locked(&paths)?;
        let parsed = self.read_locked(&mut locked, &starts, &resolved.new)?;
        let target_files = TargetFiles {
            files: paths.into_iter().zip(parsed).collect(),
            of_edits: resolved.of_edits,
            known: resolved.known,
            new: resolved.new,
            ..TargetFiles::default()
        };
        Ok((locked, target_files))
    }

    /// Keeps a refused edit, if possible.
    fn kept_refused(
        &self,
        request: EditRequest,
        mut diagnostic: Diagnostic,
        origin: EditOrigin<'_>,
    ) -> PendingRefusal {
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
        let edit_id = self.keep_call(paths, request.into(), &diagnostic, origin);
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
    pub(super) fn refused_unread(
        &self,
        call: EditCall,
        refused: Diagnostic,
        origin: EditOrigin<'_>,
    ) -> PendingRefusal {
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
                    let path = call.file_path(index);
                    refusals.add(|| self.or_missing_file(refused, path));
                }
            }
        }
        let diagnostic = match refusals.is_empty() {
            // The refusal is not about a certain edit.
            true => refused,
            false => {
                let TargetFiles {
                    files,
                    of_edits,
                    new,
                    ..
                } = self.files_of(&mut edits, &allowed, &mut refusals);
                let is_new = (0..files.len()).map(|file| new.contains_key(&file));
                let is_new: Vec<bool> = is_new.collect();
                let parsed: Vec<Arc<Parsed>> =
                    files.into_iter().map(|(_, parsed)| parsed).collect();
                let files = Files {
                    parsed: &parsed,
                    is_new: &is_new,
                    of_edits: &of_edits,
                };
                plan::add_unresolved(&files, &edits, &allowed, &mut refusals);
                refusals.into_diagnostic()
            }
        };
        if !call.is_worth_keeping() {
            return diagnostic.into();
        }
        let call = call.without_unknown_fields();
        let (call, paths) = call.with_paths(|given| self.absolute_name(given));
        let keeps_content = call.has_content();
        let request = Request::Edits(Box::new(call));
        let edit_id = self.keep_call(paths, request, &diagnostic, origin);
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

    /// Tries the suggested files together with the other edits of the call, and other suggestions in all files that globs
    /// match. Removes those that do not fit these.
    fn try_suggested_files(&self, request: &EditRequest, refused: &mut Diagnostic) {
        let index = refused.edit_index;
        let is_searched = request.names_several_files();
        refused.suggestions.retain_mut(|suggestion| {
            let is_file = matches!(suggestion.call, NextCall::File(_));
            let is_tried = match is_searched && !is_file {
                true => suggestion.trial == Trial::NotTried,
                false => is_file && suggestion.trial == Trial::Works,
            };
            let fix = Amendment::suggested(&suggestion.call, index).filter(|_| is_tried);
            if let Some(fix) = fix {
                let works = self.works_amended(request, vec![fix]);
                suggestion.trial = if works { Trial::Works } else { Trial::Refused };
                // What fits one file need not fit the others that a glob matches.
                return works || is_file;
            }
            true
        });
        refused.suggestions.sort_by_key(|one| one.trial);
    }

    /// Returns whether the call works with these amendments.
    fn works_amended(&self, request: &EditRequest, amendments: Vec<Amendment>) -> bool {
        let amended = EditCall::from(request).amended(&AmendEdit::several("", amendments));
        let amended = amended.and_then(|call| call.read());
        amended.is_ok_and(|request| {
            let request = request.applying(false);
            self.planned(&request).is_ok()
        })
    }

    /// Keeps a refused call. Returns its id, or `None` if it cannot be kept.
    fn keep_call(
        &self,
        paths: Vec<String>,
        request: Request,
        refused: &Diagnostic,
        origin: EditOrigin<'_>,
    ) -> Option<String> {
        let summary = refused.message.clone();
        let client = EditOrigin {
            edit_id: None,
            is_retargeted: false,
            ..origin
        };
        let staged =
            EditRecord::new(paths, request, EditStatus::Refused, summary, Vec::new()).of(client);
        let state = self.workspace.state();
        let is_kept = log::keep(state, &staged).is_ok();
        self.gc_budget.add(0);
        let _ = log::sweep_now_and_then(state, &self.gc_budget);
        is_kept.then_some(staged.edit_id)
    }

    /// Returns the refusal of an edit, or that its file does not exist: the caller first has to find the file.
    fn or_missing_file(&self, refused: Diagnostic, path: Option<&str>) -> Diagnostic {
        let named = path.filter(|path| !path.is_empty() && !self.is_glob(path));
        let missing = named.and_then(|path| self.resolved(path).err());
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
        staged: &EditRecord,
        preview: &Preview,
    ) -> Result<Option<String>, Diagnostic> {
        let state = self.workspace.state();
        let keep = || {
            let texts = preview.files().iter().filter_map(FilePreview::text_before);
            let bytes =
                parallel::try_map(texts.collect(), |text| history::keep(state, text), drop)?;
            log::keep(state, staged)?;
            Ok(bytes.into_iter().sum())
        };
        self.gc_budget
            .add(keep().map_err(|error| diagnostic::about_state(&error))?);
        let swept = log::sweep_now_and_then(state, &self.gc_budget);
        let gc_warning = swept.err();
        Ok(gc_warning.map(|error| diagnostic::not_removed_text(&error)))
    }

    /// Stages planned changes, with a summary and the symbol of the first target. Also returns a note if old edits could not
    /// be removed.
    pub(super) fn stage(
        &self,
        request: Request,
        (summary, symbol): (String, Option<String>),
        plan: &EditPlan,
        origin: EditOrigin<'_>,
    ) -> Result<(EditRecord, Option<String>), Diagnostic> {
        let files = plan.preview.files().iter();
        let names = files.map(|file| self.absolute_name(file.before().path()));
        let (names, notes) = (names.collect(), plan.notes.clone());
        let staged = EditRecord::new(names, request, EditStatus::Previewed, summary, notes)
            .of(origin)
            .in_symbol(symbol)
            .showing(plan);
        let gc_warning = self.keep(&staged, &plan.preview)?;
        Ok((staged, gc_warning))
    }

    /// Stages planned changes, and writes them if `apply` says which diff the answer shows.
    pub(super) fn staged_as_planned(
        &self,
        request: Request,
        summary: String,
        plan: EditPlan,
        apply: Option<DiffArgument>,
        origin: EditOrigin<'_>,
    ) -> Result<EditMade, PendingRefusal> {
        let unsettled = self.settle();
        let summary = in_files(summary, &plan);
        let (staged, gc_warning) = self.stage(request, (summary, None), &plan, origin)?;
        let mut made = match apply {
            // Only staged edits can be written.
            Some(diff) => {
                self.permit_of_staged(&staged)?;
                let mut made = self.write_staged(&ApplyEdit {
                    diff,
                    ..ApplyEdit::new(&staged.edit_id)
                })?;
                if !made.notes.starts_with(&plan.notes) {
                    // No preview has shown them.
                    made.notes.splice(..0, plan.notes);
                }
                if matches!(made.status, EditStatus::Applied | EditStatus::Rebased) {
                    made.notes.extend(self.end_repeated(&staged));
                }
                made
            }
            None => {
                let mut made = made(&staged, &plan, EditStatus::Previewed, AnswerDetail::Diff);
                made.needs_approval = self.approval_required().is_some();
                made
            }
        };
        made.notes.extend(unsettled.into_iter().chain(gc_warning));
        Ok(made)
    }

    /// Returns the permission to write the edit that this call has staged.
    ///
    /// # Errors
    /// A person has to approve it. The refusal shows the edit, which the caller has not seen.
    fn permit_of_staged(&self, staged: &EditRecord) -> Result<WritePermit, PendingRefusal> {
        self.permit(Approved::Edit, &staged.edit_id)
            .map_err(|refused| {
                let diffs = staged.diffs();
                let diffs = preview::in_one_patch(diffs.iter().map(String::as_str));
                let shown = &diffs[..diffs_shown(diffs.iter().map(|diff| diff.len()))];
                let omitted = diffs.len() - shown.len();
                let omitted = diagnostic::diffs_omitted_text(omitted, &staged.edit_id);
                let help = refused.help.iter().cloned().chain(omitted);
                PendingRefusal {
                    edit_id: Some(staged.edit_id.clone()),
                    ..Diagnostic {
                        diff: Some(shown.concat()),
                        help: Some(help.collect::<Vec<_>>().join("; ")),
                        ..refused
                    }
                    .into()
                }
            })
    }

    /// Returns the permission to write or undo an edit.
    ///
    /// # Errors
    /// A person has to approve it.
    pub(super) fn permit(&self, what: Approved, edit_id: &str) -> Result<WritePermit, Diagnostic> {
        self.workspace.write_permit().map_err(|error| {
            let root = self.roots().next().unwrap_or_default();
            diagnostic::about_approval(what, edit_id, &error, root)
        })
    }

    /// Writes kept edits with their previews, or undoes them. Returns their records with that status; those of applied edits
    /// have what an undo needs.
    pub(super) fn written<'w>(
        &'w self,
        locked: LockedPreview<'_>,
        permit: &WritePermit,
        edits: &[(&EditRecord, &Preview)],
        status: EditStatus,
    ) -> Result<(Written<'w>, Vec<EditRecord>), FileError> {
        let state = self.workspace.state();
        let mut records = Vec::new();
        for (staged, preview) in edits {
            let mut record = (*staged).clone();
            let facts = locked.facts_of(preview);
            if status == EditStatus::Applied && !facts.iter().all(FileFacts::is_empty) {
                record = record.with_facts(&facts);
                // First, so that it is known even if this process dies before the write ends.
                log::keep(state, &record).map_err(|source| FileError::NoJournal {
                    path: state.path().to_owned(),
                    source,
                })?;
            }
            records.push(record.with(status));
        }
        let edit_ids: Vec<&str> = records.iter().map(|one| one.edit_id.as_str()).collect();
        let written = locked.write(&self.workspace, permit, &edit_ids)?;
        Ok((written, records))
    }

    /// Records edits as written or undone. Returns the notes on that.
    pub(super) fn record_written(&self, written: Written<'_>, done: &[EditRecord]) -> Vec<String> {
        let mut notes: Vec<String> = written
            .warnings
            .iter()
            .map(diagnostic::written_text)
            .collect();
        let state = self.workspace.state();
        let noted = done
            .iter()
            .try_for_each(|staged| log::note_status(state, staged));
        if let Err(error) = noted.and_then(|()| written.recorded()) {
            notes.push(diagnostic::not_recorded_text(&error));
        }
        notes
    }

    /// Ends the previews of the command that a person has repeated to write `written`. Returns a note if that fails.
    fn end_repeated(&self, written: &EditRecord) -> Option<String> {
        /// The number of records that may be such previews.
        const LATEST: usize = 20;

        let is_of_person = |one: &EditRecord| one.client.as_deref() == Some(COMMAND_LINE);
        if !is_of_person(written) {
            return None;
        }
        let state = self.workspace.state();
        let end = || {
            let latest = log::latest_pending(state, LATEST);
            let latest = latest.map_err(|error| diagnostic::about_state(&error))?;
            let is_former =
                |one: &&EditRecord| is_of_person(one) && one.request.is_same_call(&written.request);
            latest.iter().filter(is_former).try_for_each(|former| {
                let by = written.edit_id.clone();
                let keep = || ended::keep(state, former, Why::Replaced { by });
                self.forget_pending(former, keep).map(drop)
            })
        };
        end().err().map(|refused: Diagnostic| refused.message)
    }
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

/// Edits that can be made.
pub(super) struct PlannedEdits {
    edits: Vec<RequestedEdit>,
    /// The absolute paths of the files.
    paths: Vec<String>,
    /// The absolute path of each path in the request.
    absolute: HashMap<String, String>,
    /// The locks of the files, if the edits are written at once.
    locked: Vec<LockedFile>,
    plan: EditPlan,
    /// The symbol of the first target, if it is in one.
    symbol: Option<String>,
}

impl PlannedEdits {
    /// Returns a one-line summary, and the symbol of the first target, if it is in one.
    pub(super) fn facts(&self) -> (String, Option<String>) {
        (summary(&self.edits, &self.plan), self.symbol.clone())
    }

    /// Returns what is to be written.
    pub(super) fn into_plan(self) -> EditPlan {
        self.plan
    }
}

/// The files of several edits, without duplicates and with associated data, and the files of each edit.
struct TargetFiles<T> {
    files: Vec<(WorkspacePath, T)>,
    of_edits: Vec<EditFiles>,
    /// The file index of each path that an edit names.
    known: HashMap<String, usize>,
    /// The file index of each absolute path.
    indices: HashMap<Utf8PathBuf, usize>,
    /// The files that do not exist yet.
    new: HashMap<usize, NewFile>,
    /// Notes on files that could not be read.
    notes: Vec<String>,
}

/// A file that an edit creates.
#[derive(Clone, Debug, PartialEq, Eq)]
struct NewFile {
    /// The first content, if edits insert into it.
    start: Option<String>,
    /// The index of the file that moves here.
    leaving: Option<usize>,
}

impl NewFile {
    /// Returns a file whose whole content is given.
    fn empty() -> NewFile {
        NewFile {
            start: None,
            leaving: None,
        }
    }
}

impl<T> Default for TargetFiles<T> {
    fn default() -> TargetFiles<T> {
        TargetFiles {
            files: Vec::new(),
            of_edits: Vec::new(),
            known: HashMap::new(),
            indices: HashMap::new(),
            new: HashMap::new(),
            notes: Vec::new(),
        }
    }
}

impl<T> TargetFiles<T> {
    /// Returns the index of the file with this path. `find` finds the file, once per path.
    fn named(
        &mut self,
        path: &str,
        find: impl FnOnce() -> Result<(WorkspacePath, T), Diagnostic>,
    ) -> Result<usize, Diagnostic> {
        if let Some(known) = self.known.get(path) {
            return Ok(*known);
        }
        let (found, data) = find()?;
        let index = self.put(found, data);
        self.known.insert(path.to_string(), index);
        Ok(index)
    }

    /// Adds notes, each once.
    fn add_notes(&mut self, notes: impl IntoIterator<Item = String>) {
        for note in notes {
            if !self.notes.contains(&note) {
                self.notes.push(note);
            }
        }
    }

    /// Adds a file, unless it is known. Returns its index.
    fn put(&mut self, path: WorkspacePath, data: T) -> usize {
        let next = self.files.len();
        let index = *self
            .indices
            .entry(path.absolute().to_owned())
            .or_insert(next);
        if index == next {
            self.files.push((path, data));
        }
        index
    }
}

/// The selectors of an edit, to find out without a parse whether a file may contain a match.
struct SelectorTexts<'e> {
    /// Each selector, and its pattern if it has one, which differs between languages.
    all: Vec<(&'e Selector, Option<PerLanguage<'e, Pattern>>)>,
}

impl<'e> SelectorTexts<'e> {
    fn of(edit: &'e RequestedEdit) -> SelectorTexts<'e> {
        let pattern = |selector: &'e Selector| match &selector.anchor {
            Anchor::Pattern(pattern) => Some(PerLanguage::new(pattern.trim(), None)),
            _ => None,
        };
        let all = edit.selectors.iter().map(|one| (one, pattern(one)));
        SelectorTexts { all: all.collect() }
    }

    /// Refuses a pattern that is valid in none of the languages so far.
    fn check(&self) -> Result<(), Diagnostic> {
        let mut patterns = self.all.iter().filter_map(|(_, pattern)| pattern.as_ref());
        patterns.try_for_each(PerLanguage::check)
    }

    /// Returns false if the text of no selector occurs in a file.
    fn may_be_in(&self, source: &Source) -> bool {
        let mut all = self.all.iter();
        self.all.is_empty()
            || all.any(|(selector, pattern)| match (&selector.anchor, pattern) {
                (_, Some(pattern)) => pattern.may_be_in(source),
                (Anchor::Text(text), None) => {
                    // Line breaks of files differ.
                    let mut lines = text.lines().map(str::trim);
                    let line = lines.find(|line| !line.is_empty());
                    line.is_none_or(|line| source.text().contains(line))
                }
                (_, None) => true,
            })
    }
}

/// Returns a summary with the number of files, if there are several.
pub(super) fn in_files(summary: String, plan: &EditPlan) -> String {
    match plan.preview.files().len() {
        1 => summary,
        files => format!("{summary} in {files} files"),
    }
}

/// Returns a one-line summary of an edit.
fn summary(edits: &[RequestedEdit], plan: &EditPlan) -> String {
    let files = plan.preview.files();
    let first = files.iter().zip(&plan.targets).next();
    if let [edit] = edits
        && let Some(operation) = edit.file_operation()
    {
        return match (operation, files) {
            (FileOperation::Create { .. }, _) => "create the file".to_string(),
            (FileOperation::Move { .. }, [_, to]) => {
                format!("move the file to {}", to.before().path())
            }
            (FileOperation::Delete | FileOperation::Move { .. }, _) => {
                "delete the file".to_string()
            }
            (FileOperation::Organize, _) => "organize the imports".to_string(),
        };
    }
    match (edits, first) {
        ([edit], Some((file, targets)))
            if files.len() == 1 && targets.len() == 1 || edit.destination_path().is_some() =>
        {
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

/// Returns whether an edit inserts text next to or into a node.
fn inserts(kind: &EditKind) -> bool {
    matches!(kind, EditKind::Edit(Operation::Insert { .. }))
}

/// Returns notes on the moved files whose language has a server.
fn moved_file_notes(edits: &[RequestedEdit], files: &Files<'_>) -> Vec<String> {
    let moved = edits.iter().zip(files.of_edits).filter_map(|(edit, own)| {
        let is_move = matches!(edit.file_operation()?, FileOperation::Move { .. });
        let source = files.parsed[own.own.first()?.file].source();
        let server = built_in_server(source.language().name).filter(|_| is_move)?;
        Some(diagnostic::moved_file_text(source.path(), &server))
    });
    moved.collect()
}

/// Returns the symbol of the first target, if it is in one.
fn edited_symbol(plan: &EditPlan, parsed: &[Arc<Parsed>]) -> Option<String> {
    let file = plan.preview.files().first()?;
    let path = file.text_before()?.path();
    let parsed = parsed.iter().find(|one| one.source().path() == path)?;
    let target = file.record().targets().first()?;
    let symbol = parsed.symbol_path(&parsed.chain(target.span()));
    (!symbol.is_empty()).then(|| symbol.join("."))
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
    /// Only the number of lines: the caller has seen the preview.
    Counts,
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
        ..made_by(&staged.request, plan, status, shows)
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
    request: &Request,
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
        let mut edited = file_edited(request, own, targets, shows)?;
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
            AnswerDetail::Counts => Vec::new(),
            AnswerDetail::Diff | AnswerDetail::WholeDiff | AnswerDetail::Seams => {
                plan.notes.clone()
            }
        },
        diagnostics: None,
        matches: None,
        generalized: None,
    }
}

fn file_edited(
    request: &Request,
    (file, other): (&FilePreview, Option<&str>),
    targets: &[TargetInfo],
    shows: AnswerDetail,
) -> Option<FileEdited> {
    let record = file.record();
    let infos = record.targets().iter().zip(targets);
    let edits = infos.map(|(target, info)| NodeEdited {
        edit_index: (!request.is_single()).then_some(info.edit),
        match_number: request.is_rewrite().then_some(info.edit + 1),
        action: info.action,
        node_type: target.node_type().to_string(),
        range: Range::of(file.before(), target.span()),
        new_range: Range::of(file.after(), target.new_span()),
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
    if request.is_single() && edits.len() == 1 {
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
        AnswerDetail::Seams | AnswerDetail::Counts => (None, None),
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
