//! Plans the edits of a call in their files, and keeps a call that is refused.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use camino::Utf8PathBuf;

use crate::diagnostic::{self, Code, Diagnostic, NextCall, Pointing, Trial};
use crate::edit::Operation;
use crate::parse::Parsed;
use crate::pattern::Pattern;
use crate::select::{self, Anchor, Selector};
use crate::source::Source;
use crate::steps;
use crate::validate::Check;
use crate::workspace::{FileError, WorkspacePath, has_wildcard};

use super::calls::{CallContext, ToolRequest};
use super::core::Engine;
use super::files::{in_turn, skipped_text};
use super::languages::built_in_server;
use super::ledger::LedgerOutcome;
use super::log::{self, EditOrigin, EditRecord};
use super::made::AnswerDetail;
use super::moved_imports::still_used_notes;
use super::one_text::{OnText, OneText};
use super::per_language::PerLanguage;
use super::plan::{self, EditFiles, EditPlan, Files, OwnFile, PlannedCall, Refusals};
use super::request::{
    AmendEdit, Amendment, CallAccess, DeleteNode, EDITS_LIMIT, EditCall, EditKind, EditNodes,
    EditRequest, FileOperation, InsertNode, MoveNode, ReplaceNode, ReplaceText, RequestedEdit,
    WrapNode,
};
use super::response::{EditMade, EditStatus, PendingRefusal, Refused};

/// Implements [`ToolRequest`] for the requests of the tools that edit nodes and texts.
macro_rules! edit_requests {
    ($($request:ty => $tool:literal),+ $(,)?) => {$(
        impl ToolRequest for $request {
            type Answer = EditMade;

            const TOOL: &'static str = $tool;
            const FILE_ARGUMENT: Option<&'static str> = Some("file_path");

            fn access(&self) -> CallAccess {
                EditCall::of_request(Self::TOOL, self).access()
            }

            fn edit_call(&self) -> Option<EditCall> {
                Some(EditCall::of_request(Self::TOOL, self))
            }

            fn outcome(answer: &Result<EditMade, Refused>) -> Option<LedgerOutcome<'_>> {
                Some(LedgerOutcome::of_edit(answer))
            }

            fn answer(
                &self,
                engine: &Engine,
                context: &CallContext<'_>,
            ) -> Result<EditMade, PendingRefusal> {
                engine.edit(EditCall::of_request(Self::TOOL, self), context.origin)
            }

            fn answer_on_text(&self, text: &OneText) -> Result<OnText<EditMade>, Diagnostic> {
                edited_text(EditCall::of_request(Self::TOOL, self), text)
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
fn edited_text(call: EditCall, text: &OneText) -> Result<OnText<EditMade>, Diagnostic> {
    let request = call.read()?;
    text.refuse(&[
        ("apply", call.applies()),
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
    Ok(OnText::edited(&call.into_kept(), plan, None))
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
    /// Makes the edits. All edits of nodes use this method.
    pub(super) fn edit(
        &self,
        call: EditCall,
        origin: EditOrigin<'_>,
    ) -> Result<EditMade, PendingRefusal> {
        let request = match call.read() {
            Ok(request) => request,
            Err(refused) => return Err(self.refused_unread(call, refused, origin)),
        };
        let shown = match request.only_organizes() {
            // The caller has sent nothing of what changes.
            true => AnswerDetail::Diff,
            false => AnswerDetail::Seams,
        };
        let apply = call.applies().then_some(shown);
        self.make((apply, request.diff()), origin, || {
            let planned = steps::stoppable(|| self.planned_edits(&call, &request));
            planned
                .map_err(|stopped| self.about_stopped(stopped))?
                .map_err(|refused| self.refused_edits(call, refused, origin))
        })
    }

    /// Plans the edits of a call.
    ///
    /// # Errors
    /// The call cannot be read; or the refusal of the first edit that cannot be made, with those of the others.
    pub(super) fn planned(&self, call: &EditCall) -> Result<PlannedCall, Diagnostic> {
        self.planned_edits(call, &call.read()?)
    }

    fn planned_edits(
        &self,
        call: &EditCall,
        request: &EditRequest,
    ) -> Result<PlannedCall, Diagnostic> {
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
        let target_files = self.files_of(&mut edits, &allowed, &mut refusals);
        let (parsed, is_new) = (target_files.parsed(), target_files.is_new());
        let files = Files {
            parsed: &parsed,
            is_new: &is_new,
            of_edits: &target_files.of_edits,
        };
        if !refusals.is_empty() {
            plan::add_unresolved(&files, &edits, &allowed, &mut refusals);
            return Err(refusals.into_diagnostic());
        }
        let mut plan = plan::plan(&files, &edits, &allowed)?;
        self.refuse_used(&edits, &files, &plan)?;
        plan.notes.extend(target_files.notes.iter().cloned());
        plan.notes.extend(moved_file_notes(&edits, &files));
        match request.changes_imports() {
            true => self.keep_imports(&edits, request.imports(), &files, &mut plan)?,
            false => {
                let notes = still_used_notes(&edits, &files, &plan);
                plan.notes.extend(notes);
            }
        }
        let kept = call.clone().applying(false);
        let (kept, _) = kept.with_paths(|given| match target_files.known.get(given) {
            Some(file) => target_files.files[*file].0.absolute().to_string(),
            None => self.workspace.absolute(given.into()).into_string(),
        });
        Ok(PlannedCall {
            call: kept.into_kept(),
            summary: summary(&edits, &plan),
            symbol: edited_symbol(&plan, &parsed),
            plan,
            matches: None,
        })
    }

    /// Returns the current files of the edits. Removes the edits whose files cannot be read, and adds their refusals.
    fn files_of(
        &self,
        edits: &mut Vec<RequestedEdit>,
        allow: &[Check],
        refusals: &mut Refusals,
    ) -> TargetFiles {
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
        target_files: &mut TargetFiles,
    ) -> Result<EditFiles, Diagnostic> {
        if let Some(operation) = edit.file_operation().filter(|_| !edit.organizes()) {
            return self.files_of_whole_file(edit, operation, target_files);
        }
        let mut of_edit = match edit.paths.as_slice() {
            [path] if edit.first_content(path).is_some() => {
                let start = edit.first_content(path).unwrap_or_default();
                let file = self.named_new(path, start, target_files)?;
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
                Some(start) => self.named_new(path, start, target_files)?,
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
    fn files_of_whole_file(
        &self,
        edit: &RequestedEdit,
        operation: &FileOperation,
        target_files: &mut TargetFiles,
    ) -> Result<EditFiles, Diagnostic> {
        let path = edit.paths.first().map(String::as_str).unwrap_or_default();
        if let FileOperation::Create { content } = operation {
            let file = match edit.is_start_of_others() {
                true => self.named_new(path, content, target_files)?,
                false => self.put_new(path, content, NewFile::empty(), target_files)?,
            };
            return Ok(EditFiles::one(file, None));
        }
        let file = target_files.named(path, || self.parsed(path))?;
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
        let destination = self.put_new(to, &text, new, target_files);
        let destination = destination.map_err(|refused| match refused.code {
            Code::NotAFile if self.workspace.place_of_new(to).is_ok() => {
                diagnostic::about_move_to_directory(path, to)
            }
            _ => refused,
        })?;
        Ok(EditFiles::one(file, Some(destination)))
    }

    /// Adds the file that an edit creates to insert into its first content, `start`. Returns its index.
    fn named_new(
        &self,
        path: &str,
        start: &str,
        target_files: &mut TargetFiles,
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
        self.put_new(path, start, new, target_files)
    }

    /// Adds a file that does not exist. `content` is a text that determines its language.
    fn put_new(
        &self,
        path: &str,
        content: &str,
        new: NewFile,
        target_files: &mut TargetFiles,
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
        let file = target_files.put(place, parsed);
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

    /// Returns the current files of an edit that names several: those of a list, and those that globs match if a selector
    /// matches in them. If none does, returns the nearest, to explain why.
    fn files_of_paths(
        &self,
        paths: &[String],
        edit: &RequestedEdit,
        target_files: &mut TargetFiles,
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
                        of_edit.own.extend(EditFiles::one(file, None).own);
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
            let searched = self.searched_files(&glob.as_str().into())?;
            let files = searched.files.into_iter();
            found.extend(files.filter(|file| known.insert(file.absolute().to_owned())));
            target_files.add_notes(searched.notes);
            file_limit = searched.file_limit;
        }
        of_edit.searched = of_edit.own.len() + found.len();
        let texts = SelectorTexts::for_edit(edit);
        let scanned = in_turn(found.len(), usize::MAX, &(), |index, _| {
            Ok(vec![self.with_match(&found[index], edit, &texts)?])
        });
        let optional = |file| OwnFile {
            file,
            is_optional: true,
        };
        let mut skipped = Vec::new();
        let mut without_match = Vec::new();
        for (path, scanned) in found.into_iter().zip(scanned.into_results()) {
            match scanned.map(|mut one| one.pop()) {
                Ok(Some((_, Some(parsed)))) => {
                    of_edit.own.push(optional(target_files.put(path, parsed)))
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
                of_edit.own.push(optional(target_files.put(path, parsed)));
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

    /// Returns a file that a glob matches, if a selector of the edit matches in it. Otherwise returns how little it resembles
    /// the nearest text.
    fn with_match(
        &self,
        path: &WorkspacePath,
        edit: &RequestedEdit,
        texts: &SelectorTexts<'_>,
    ) -> Result<(usize, Option<Arc<Parsed>>), Diagnostic> {
        let opened = self.opened(path)?;
        if !texts.may_be_in(opened.source()) {
            return Ok((usize::MAX, None));
        }
        let parsed = self.kept_parsed(path, opened);
        let missing = edit.selectors.iter().map(|selector| {
            let error = select::select_if_one(&parsed, selector).err()?;
            error.no_match()
        });
        // One that matches makes it a file of the edit.
        let nearness = missing.collect::<Option<Vec<_>>>();
        let nearness = nearness.and_then(|all| all.into_iter().min());
        Ok((nearness.unwrap_or(0), nearness.is_none().then_some(parsed)))
    }

    /// Returns whether a path of an edit is a glob: it has wildcards, and there is no such file.
    fn is_glob(&self, path: &str) -> bool {
        let is_missing = |path| {
            let resolved = self.workspace.resolve(path);
            matches!(resolved, Err(FileError::FileNotFound { .. }))
        };
        has_wildcard(path) && is_missing(path)
    }

    /// Keeps a call whose edits are refused, if possible. Tries what the refusal suggests in the whole call.
    fn refused_edits(
        &self,
        call: EditCall,
        mut diagnostic: Diagnostic,
        origin: EditOrigin<'_>,
    ) -> PendingRefusal {
        if !(1..=EDITS_LIMIT).contains(&call.count()) {
            return diagnostic.into();
        }
        let fixes_all = self.has_fix_of_all(&call, &diagnostic);
        let is_single = call.is_single();
        if !is_single && diagnostic.further.is_empty() {
            self.try_suggested_files(&call, &mut diagnostic);
        }
        let mut refusal = self.kept_refusal(call, diagnostic, origin);
        refusal.fixes_all = fixes_all && refusal.edit_id.is_some();
        if refusal.edit_id.is_none() && !is_single {
            // Only an amendment changes one of several edits.
            refusal.diagnostic.suggestions.clear();
        }
        refusal
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
                let target_files = self.files_of(&mut edits, &allowed, &mut refusals);
                let files = Files {
                    parsed: &target_files.parsed(),
                    is_new: &target_files.is_new(),
                    of_edits: &target_files.of_edits,
                };
                plan::add_unresolved(&files, &edits, &allowed, &mut refusals);
                refusals.into_diagnostic()
            }
        };
        if !call.is_worth_keeping() {
            return diagnostic.into();
        }
        self.kept_refusal(call.without_unknown_fields(), diagnostic, origin)
    }

    /// Returns whether the first suggestions of all refused edits together fix the call.
    fn has_fix_of_all(&self, call: &EditCall, refused: &Diagnostic) -> bool {
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
        self.works_amended(call, fixes)
    }

    /// Tries the suggested files together with the other edits of the call, and other suggestions in all files that globs
    /// match. Removes those that do not fit these.
    fn try_suggested_files(&self, call: &EditCall, refused: &mut Diagnostic) {
        let index = refused.edit_index;
        let is_searched = call.read().is_ok_and(|own| own.names_several_files());
        refused.suggestions.retain_mut(|suggestion| {
            let is_file = matches!(suggestion.call, NextCall::File(_));
            let is_tried = match is_searched && !is_file {
                true => suggestion.trial == Trial::NotTried,
                false => is_file && suggestion.trial == Trial::Works,
            };
            let fix = Amendment::suggested(&suggestion.call, index).filter(|_| is_tried);
            if let Some(fix) = fix {
                let works = self.works_amended(call, vec![fix]);
                suggestion.trial = if works { Trial::Works } else { Trial::Refused };
                // What fits one file need not fit the others that a glob matches.
                return works || is_file;
            }
            true
        });
        refused.suggestions.sort_by_key(|one| one.trial);
    }

    /// Returns whether the call works with these amendments.
    fn works_amended(&self, call: &EditCall, amendments: Vec<Amendment>) -> bool {
        let amended = call.clone().amended(&AmendEdit::several("", amendments));
        amended.is_ok_and(|call| self.planned(&call).is_ok())
    }

    /// Keeps a refused call, so that an amendment can correct it. The refusal has its id, unless it cannot be kept.
    fn kept_refusal(
        &self,
        call: EditCall,
        diagnostic: Diagnostic,
        origin: EditOrigin<'_>,
    ) -> PendingRefusal {
        let has_content = call.has_content();
        let (call, paths) = call.with_paths(|given| self.absolute_name(given));
        let summary = diagnostic.message.clone();
        let client = EditOrigin {
            edit_id: None,
            is_retargeted: false,
            ..origin
        };
        let status = EditStatus::Refused;
        let staged = EditRecord::new(paths, call.into_kept(), status, summary, Vec::new())
            .with_origin(client);
        let state = self.workspace.state();
        let is_kept = log::keep(state, &staged).is_ok();
        self.gc_budget.add(0);
        let _ = log::sweep_now_and_then(state, &self.gc_budget);
        PendingRefusal {
            diagnostic,
            edit_id: is_kept.then_some(staged.edit_id),
            keeps_content: has_content && is_kept,
            fixes_all: false,
        }
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
    pub(super) fn absolute_name(&self, path: &str) -> String {
        let place = self.workspace.place_of_new(path);
        match self.workspace.resolve(path).or(place) {
            Ok(path) => path.absolute().to_string(),
            Err(_) => self.workspace.absolute(path.into()).into_string(),
        }
    }
}

/// The files of several edits, without duplicates, and the files of each edit.
#[derive(Default)]
struct TargetFiles {
    files: Vec<(WorkspacePath, Arc<Parsed>)>,
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

impl TargetFiles {
    fn parsed(&self) -> Vec<Arc<Parsed>> {
        let files = self.files.iter();
        files.map(|(_, parsed)| parsed.clone()).collect()
    }

    /// Returns whether each file is new.
    fn is_new(&self) -> Vec<bool> {
        let files = 0..self.files.len();
        files.map(|file| self.new.contains_key(&file)).collect()
    }

    /// Returns the index of the file with this path. `find` finds the file, once per path.
    fn named(
        &mut self,
        path: &str,
        find: impl FnOnce() -> Result<(WorkspacePath, Arc<Parsed>), Diagnostic>,
    ) -> Result<usize, Diagnostic> {
        if let Some(known) = self.known.get(path) {
            return Ok(*known);
        }
        let (found, parsed) = find()?;
        let index = self.put(found, parsed);
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
    fn put(&mut self, path: WorkspacePath, parsed: Arc<Parsed>) -> usize {
        let next = self.files.len();
        let index = *self
            .indices
            .entry(path.absolute().to_owned())
            .or_insert(next);
        if index == next {
            self.files.push((path, parsed));
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
    fn for_edit(edit: &'e RequestedEdit) -> SelectorTexts<'e> {
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
