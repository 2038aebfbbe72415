//! Adds import statements to the plan of edits with `imports`: of a move in all files that import the node, of other edits
//! in the files that they change.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use memchr::memmem;

use crate::change::{Change, Target, TextEdit};
use crate::diagnostic::{self, Diagnostic, JudgedEdit};
use crate::language::queries::Tables;
use crate::names::{
    self, EditedFile, FilesFound, ImportFacts, MovedNode, NameUser, Organized, Planned, Project,
};
use crate::parse::Parsed;
use crate::preview::{self, FilePreview, Preview};
use crate::source::{Source, Span};
use crate::validate::{Check, validate};
use crate::workspace::{Extent, WorkspacePath};

use super::core::Engine;
use super::files::in_turn;
use super::plan::{EditPlan, Files, TargetInfo};
use super::request::{EditKind, ImportsArgument, RequestedEdit};
use super::response::EditAction;

/// The files of the workspace, with the texts that a plan gives to some of them.
pub(super) struct ProjectFiles<'e> {
    engine: &'e Engine,
    planned: HashMap<Utf8PathBuf, Arc<Parsed>>,
    known: RefCell<HashMap<Utf8PathBuf, bool>>,
}

/// A file of a plan whose import statements follow the edit.
struct FollowedFile {
    /// Its index in the preview.
    index: usize,
    before: Arc<Parsed>,
    is_new: bool,
    /// The new texts whose names have their definitions.
    known: Vec<Span>,
    /// Whether the import statements follow all code of the file, not only what the edit changes.
    is_whole: bool,
}

impl<'e> ProjectFiles<'e> {
    pub(super) fn new(
        engine: &'e Engine,
        planned: HashMap<Utf8PathBuf, Arc<Parsed>>,
    ) -> ProjectFiles<'e> {
        ProjectFiles {
            engine,
            planned,
            known: RefCell::default(),
        }
    }
}

impl Project for ProjectFiles<'_> {
    fn has_file(&self, path: &Utf8Path) -> bool {
        if self.planned.contains_key(path) {
            return true;
        }
        if let Some(known) = self.known.borrow().get(path) {
            return *known;
        }
        let workspace = &self.engine.workspace;
        let is_file = workspace
            .resolve(path.as_str())
            .is_ok_and(|resolved| workspace.stamp(&resolved).is_some());
        self.known.borrow_mut().insert(path.to_owned(), is_file);
        is_file
    }

    fn parsed(&self, path: &Utf8Path) -> Option<Arc<Parsed>> {
        let planned = self.planned.get(path).cloned();
        planned.or_else(|| {
            self.engine
                .parsed(path.as_str())
                .ok()
                .map(|(_, parsed)| parsed)
        })
    }

    fn folder(&self, path: &Utf8Path, extensions: &[String]) -> Vec<Arc<Parsed>> {
        let workspace = &self.engine.workspace;
        let Ok(folder) = workspace.resolve(match path.as_str() {
            "" => ".",
            path => path,
        }) else {
            return Vec::new();
        };
        let found = workspace.files(&[Extent::Folder(folder)], None, usize::MAX);
        let is_own = |file: &WorkspacePath| {
            let own = file.display();
            let is_code = own
                .extension()
                .is_some_and(|own| extensions.iter().any(|one| one == own));
            is_code && own.parent() == Some(path)
        };
        let own = found.files.into_iter().filter(is_own);
        own.filter_map(|file| self.parsed(file.display())).collect()
    }

    fn files_with(&self, words: &[String], extensions: &[String]) -> FilesFound {
        let engine = self.engine;
        let files = engine.files_with_code(extensions);
        let has_word = |bytes: &[u8]| {
            let mut words = words.iter();
            words.any(|word| memmem::find(bytes, word.as_bytes()).is_some())
        };
        let found = in_turn(files.len(), usize::MAX, &(), |index, _| {
            let path = &files[index];
            let unread = || Err(path.display().to_string());
            Ok(match engine.workspace.read(path, path.file_limit()) {
                Ok(bytes) if !has_word(&bytes) => vec![],
                Ok(_) => vec![engine.parsed_at(path).or_else(|_| unread())],
                Err(_) => vec![unread()],
            })
        });
        let mut all = FilesFound::default();
        for file in found.into_items() {
            match file {
                Ok(parsed) => all.files.push(parsed),
                Err(path) => all.unread.push(path),
            }
        }
        all
    }
}

impl Engine {
    /// Returns the files of the workspace with one of these extensions, and those that may contain code of another language.
    fn files_with_code(&self, extensions: &[String]) -> Vec<WorkspacePath> {
        let roots = self.workspace.roots();
        let roots = roots.filter_map(|root| self.workspace.resolve(root.as_str()).ok());
        let mut known = HashSet::new();
        let mut all = Vec::new();
        for root in roots {
            let found = self
                .workspace
                .files(&[Extent::Folder(root)], None, usize::MAX);
            all.extend(found.files.into_iter().filter(|file| {
                let extension = file.display().extension();
                let is_own = extension.is_some_and(|own| extensions.iter().any(|one| one == own));
                let language = || self.workspace.language_of(file.display())?.tables();
                let is_wanted = is_own || language().is_some_and(Tables::has_injections);
                is_wanted && known.insert(file.absolute().to_owned())
            }));
        }
        all
    }

    /// Adds the changed import statements of edits to a plan.
    ///
    /// # Errors
    /// A name cannot be proven to keep its definition, several modules give it, or the language has no import statements
    /// that are known.
    pub(super) fn keep_imports(
        &self,
        edits: &[RequestedEdit],
        imports: &ImportsArgument,
        files: &Files<'_>,
        plan: &mut EditPlan,
    ) -> Result<(), Diagnostic> {
        let moved = match imports.is_off() {
            true => None,
            false => moved_files(edits, files)?,
        };
        let is_move = moved.is_some();
        let followed: Vec<FollowedFile> = files
            .parsed
            .iter()
            .zip(files.is_new)
            .filter_map(|(parsed, is_new)| {
                let mut previews = plan.preview.files().iter();
                let path = parsed.source().path();
                let index = previews.position(|one| one.before().path() == path)?;
                let targets = plan.targets[index].iter();
                let records = plan.preview.files()[index].record().targets();
                // What moved code needs is known from its old file.
                let known = targets.clone().zip(records);
                let known = known.filter(|(info, _)| is_move && info.action.is_arrival());
                let is_whole = |info: &TargetInfo| info.action == EditAction::OrganizeFile;
                Some(FollowedFile {
                    index,
                    before: parsed.clone(),
                    is_new: *is_new,
                    known: known.map(|(_, target)| target.new_span()).collect(),
                    is_whole: targets.clone().any(is_whole),
                })
            })
            .filter(|one| one.is_whole || !imports.is_off())
            .collect();
        if let Some(moved) = moved {
            self.follow_move(moved, files, plan)?;
        }
        self.organize_files(&followed, imports, plan)?;
        plan.leave_out_organized()?;
        let judged = match () {
            () if is_move => Some(JudgedEdit::Move),
            () if edits.iter().all(RequestedEdit::organizes) => Some(JudgedEdit::Organize),
            () => None,
        };
        self.judge(judged, None, plan)
    }

    /// Adds the changed import statements of a rewrite to its plan.
    ///
    /// # Errors
    /// As [`Engine::keep_imports`].
    pub(super) fn keep_imports_of_rewrite(
        &self,
        imports: &ImportsArgument,
        plan: &mut EditPlan,
    ) -> Result<(), Diagnostic> {
        let previews = plan.preview.files().iter().enumerate();
        let followed = previews.map(|(index, preview)| FollowedFile {
            index,
            before: Arc::new(Parsed::parse(preview.before().clone())),
            is_new: false,
            known: Vec::new(),
            is_whole: false,
        });
        let followed: Vec<FollowedFile> = followed.collect();
        self.organize_files(&followed, imports, plan)?;
        self.judge(None, None, plan)
    }

    /// Refuses the deletions with `unused` of nodes that something uses: by the names of their files, else by the references
    /// that a language server lists.
    ///
    /// # Errors
    /// Something uses a node, or whether it does is not known.
    pub(super) fn refuse_used(
        &self,
        edits: &[RequestedEdit],
        files: &Files<'_>,
        plan: &EditPlan,
    ) -> Result<(), Diagnostic> {
        let mut used = Vec::new();
        for (preview, targets) in plan.preview.files().iter().zip(&plan.targets) {
            let own = targets.iter().zip(preview.record().targets());
            let own = own.filter(|(info, _)| edits.get(info.edit).is_some_and(|edit| edit.unused));
            let removed: Vec<Span> = own.map(|(_, target)| target.span()).collect();
            let mut parsed = files.parsed.iter();
            let path = preview.before().path();
            let parsed = parsed.find(|parsed| parsed.source().path() == path);
            let (Some(parsed), false) = (parsed, removed.is_empty()) else {
                continue;
            };
            let project = ProjectFiles::new(self, HashMap::new());
            let facts = ImportFacts::for_language(parsed.source().language().name);
            let by_names =
                facts.and_then(|facts| names::users_of(parsed, &removed, &project, facts));
            used.extend(match by_names {
                Some(users) => {
                    let view = |one: &NameUser| diagnostic::place(&one.parsed, one.span, "uses it");
                    users.iter().map(view).collect()
                }
                None => self.listed_users(parsed, &removed)?,
            });
        }
        match used.is_empty() {
            true => Ok(()),
            false => Err(diagnostic::about_still_used(&used)),
        }
    }

    /// Checks the edit in language servers: new errors refuse it if it may have none, and become a note on one with
    /// content, which may have them. `renamed` are the old and the new name of a rename.
    pub(super) fn judge(
        &self,
        edit: Option<JudgedEdit>,
        renamed: Option<(&str, &str)>,
        plan: &mut EditPlan,
    ) -> Result<(), Diagnostic> {
        let judgement = self.judged(plan.preview.files(), renamed);
        if let (Some(edit), [_, ..]) = (edit, &judgement.new_errors[..]) {
            return Err(diagnostic::about_new_errors(edit, &judgement.new_errors));
        }
        let errors = diagnostic::new_errors_text(&judgement.new_errors);
        let unchecked = judgement
            .unchecked
            .map(|why| diagnostic::unchecked_text(&why));
        plan.notes.extend(errors.into_iter().chain(unchecked));
        Ok(())
    }

    /// Adds the import statements to files of a plan that their new code needs, and removes those that only removed code
    /// used.
    fn organize_files(
        &self,
        followed: &[FollowedFile],
        imports: &ImportsArgument,
        plan: &mut EditPlan,
    ) -> Result<(), Diagnostic> {
        let mut previews: Vec<FilePreview> = plan.preview.files().to_vec();
        let facts_of =
            |one: &FollowedFile| ImportFacts::for_language(one.before.source().language().name);
        let has_facts = |one: &&FollowedFile| facts_of(one).is_some();
        if let Some(unknown) = followed.iter().find(|one| !has_facts(one)) {
            let source = unknown.before.source();
            let (language, known) = (source.language().name, ImportFacts::languages());
            match unknown.is_whole {
                true => {
                    return Err(diagnostic::about_unorganized(
                        source.path(),
                        language,
                        &known,
                    ));
                }
                false if followed.iter().any(|one| has_facts(&one)) => {}
                false => return Err(diagnostic::about_no_import_table(language, &known)),
            }
        }
        let texts = followed.iter().map(|one| {
            let preview = &previews[one.index];
            let after = Arc::new(Parsed::parse(preview.after().clone()));
            (Utf8PathBuf::from(preview.before().path()), after)
        });
        let project = ProjectFiles::new(self, texts.collect());
        let chosen = imports.chosen();
        for one in followed {
            let preview = &mut previews[one.index];
            let path = preview.before().path().to_string();
            let Some(facts) = facts_of(one) else {
                plan.notes.push(diagnostic::imports_unchanged_text(&path));
                continue;
            };
            let edit = TextEdit::new(preview.before(), preview.record().replacements().to_vec());
            let after = &project.planned[Utf8Path::new(&path)];
            let file = EditedFile {
                path: Utf8PathBuf::from(&path),
                before: &one.before,
                after,
                added: match (one.is_new || one.is_whole, edit) {
                    (false, Ok(edit)) => edit.new_spans(),
                    _ => vec![after.source().whole()],
                },
                known: one.known.clone(),
                is_whole: one.is_whole,
            };
            let organized = names::organize(&file, &project, facts, &chosen);
            let organized =
                organized.map_err(|why| diagnostic::about_imports(&path, after, &why))?;
            let Organized {
                edit,
                unknown,
                without_value,
            } = organized;
            plan.notes
                .extend(diagnostic::unknown_names_text(&path, &unknown));
            plan.notes
                .extend(diagnostic::only_types_text(&path, &without_value));
            if !edit.replacements().is_empty() {
                *preview = with_edit(preview, &one.before, &edit, one.is_new)?;
            }
        }
        plan.preview = Preview::from_files(previews).expect("each file is planned once");
        Ok(())
    }

    /// Adds the changed import statements of moves to a plan. Returns the files that it adds.
    fn follow_move(
        &self,
        (old, target, numbers): MovedFiles,
        files: &Files<'_>,
        plan: &mut EditPlan,
    ) -> Result<(), Diagnostic> {
        let before = &files.parsed[old];
        let language = before.source().language().name;
        let facts = ImportFacts::for_language(language);
        let facts = facts.ok_or_else(|| {
            diagnostic::about_no_import_table(language, &ImportFacts::languages())
        })?;
        let there = files.parsed[target].source();
        let extension = Utf8Path::new(there.path()).extension().unwrap_or_default();
        if !facts.are_related(extension) {
            let other = there.language().name;
            return Err(diagnostic::about_other_language(language, other));
        }
        let place = |file: usize| {
            let path = files.parsed[file].source().path();
            let all = plan.preview.files().iter();
            all.enumerate()
                .find(|(_, one)| one.before().path() == path)
                .map(|(index, _)| index)
        };
        let (Some(left), Some(arrived)) = (place(old), place(target)) else {
            let unchanged = "imports: true needs a move that changes both files";
            return Err(diagnostic::about_arguments(unchanged));
        };
        let moved = moved_nodes(plan, before, (left, arrived), &numbers);
        let mut planned_texts = HashMap::new();
        planned_texts.insert(moved.old_path.clone(), moved.after.clone());
        planned_texts.insert(moved.target_path.clone(), moved.target.clone());
        let project = ProjectFiles::new(self, planned_texts);
        let name = moved.name.clone();
        let node = MovedNode {
            old_path: moved.old_path.clone(),
            target_path: moved.target_path.clone(),
            before,
            after: &moved.after,
            target: &moved.target,
            nodes: moved.nodes.clone(),
            removed: moved.removed.clone(),
            arrived: moved.arrived.clone(),
        };
        let planned = names::plan(&node, &project, facts);
        let Planned { mut edits, notes } = planned.map_err(|problems| {
            diagnostic::about_incomplete_move(&name, moved.target_path.as_str(), &problems)
        })?;
        let mut previews: Vec<FilePreview> = plan.preview.files().to_vec();
        for (index, path) in [(left, &moved.old_path), (arrived, &moved.target_path)] {
            if let Some(edit) = edits.remove(path) {
                let file = if index == left { old } else { target };
                let is_new = files.is_new[file];
                previews[index] = with_edit(&previews[index], &files.parsed[file], &edit, is_new)?;
            }
        }
        previews.extend(self.further_files(edits)?);
        let target = TargetInfo {
            edit: numbers.first().copied().unwrap_or_default(),
            action: EditAction::ReplaceText,
        };
        plan.targets.resize(previews.len(), vec![target]);
        plan.preview = Preview::from_files(previews).expect("each file is planned once");
        plan.notes.extend(diagnostic::moved_import_texts(&notes));
        Ok(())
    }

    /// Previews the edits of the files that the plan does not have yet.
    fn further_files(
        &self,
        edits: BTreeMap<Utf8PathBuf, TextEdit>,
    ) -> Result<Vec<FilePreview>, Diagnostic> {
        let mut previews = Vec::new();
        for (path, edit) in edits {
            let (path, parsed) = self.parsed(path.as_str())?;
            if edit.text_digest() != parsed.source().digest() {
                return Err(diagnostic::about_changed_file(path.display().as_str()));
            }
            let change = Change::of_texts(&parsed, edit);
            let checked = validate(change, &ALLOWED)
                .map_err(|rejected| diagnostic::about_rejected_file(&rejected))?;
            previews.push(preview::preview(checked).0);
        }
        Ok(previews)
    }
}

/// Returns notes on the names that deletions remove and that their files still use.
pub(super) fn still_used_notes(
    edits: &[RequestedEdit],
    files: &Files<'_>,
    plan: &EditPlan,
) -> Vec<String> {
    let previews = plan.preview.files().iter().zip(&plan.targets);
    let notes = previews.filter_map(|(preview, targets)| {
        let own = targets.iter().zip(preview.record().targets());
        let removed = own.filter(|(info, _)| {
            let edit = edits.get(info.edit);
            info.action == EditAction::Delete && edit.is_some_and(|edit| !edit.unused)
        });
        let removed: Vec<Span> = removed.map(|(_, target)| target.span()).collect();
        let path = preview.before().path();
        let mut parsed = files.parsed.iter();
        let before = parsed.find(|parsed| parsed.source().path() == path)?;
        let (uses, after) = names::unbound_uses(before, &removed, preview.text_after()?)?;
        diagnostic::still_used_text(&after, &uses)
    });
    notes.collect()
}

/// What need not hold: import statements are no sketches of code, and they are not what surrounds them.
const ALLOWED: [Check; 2] = [Check::Surroundings, Check::SuspiciousContent];

/// The files that nodes leave and move to, and the numbers of the edits that do so.
type MovedFiles = (usize, usize, Vec<usize>);

/// Returns the files that nodes leave and move to, if they do.
fn moved_files(
    edits: &[RequestedEdit],
    files: &Files<'_>,
) -> Result<Option<MovedFiles>, Diagnostic> {
    let mut found: Option<MovedFiles> = None;
    let moves = edits.iter().enumerate();
    for (number, _) in moves.filter(|(_, edit)| matches!(edit.kind, EditKind::Move(_))) {
        let own = &files.of_edits[number];
        let (Some(from), Some(to)) = (own.own.first(), own.destination) else {
            continue;
        };
        if from.file == to {
            continue;
        }
        match &mut found {
            None => found = Some((from.file, to, vec![number])),
            Some((old, target, numbers)) if (*old, *target) == (from.file, to) => {
                numbers.push(number);
            }
            Some(_) => {
                let wrong = "the moves of one call with imports: true need the same two files; make one call \
                             for each pair of files";
                return Err(diagnostic::about_arguments(wrong));
            }
        }
    }
    Ok(found)
}

/// The nodes that move, as they are planned.
struct MovedTexts {
    old_path: Utf8PathBuf,
    target_path: Utf8PathBuf,
    after: Arc<Parsed>,
    target: Arc<Parsed>,
    nodes: Vec<Span>,
    removed: Vec<Span>,
    arrived: Vec<Span>,
    /// The first line of the first node.
    name: String,
}

fn moved_nodes(
    plan: &EditPlan,
    before: &Parsed,
    (left, arrived): (usize, usize),
    numbers: &[usize],
) -> MovedTexts {
    let previews = plan.preview.files();
    let targets_of = |file: usize, wanted: &dyn Fn(&TargetInfo) -> bool| -> Vec<Target> {
        let infos = plan.targets[file]
            .iter()
            .zip(previews[file].record().targets());
        let own = infos.filter(|(info, _)| numbers.contains(&info.edit) && wanted(info));
        own.map(|(_, target)| target.clone()).collect()
    };
    let leaving = targets_of(left, &|info| info.action == EditAction::Move);
    let arriving = targets_of(arrived, &|info| info.action.is_arrival());
    let nodes: Vec<Span> = leaving.iter().map(Target::span).collect();
    let replacements = previews[left].record().replacements();
    let removed = nodes.iter().map(|node| {
        let own = replacements.iter().find(|one| one.span.contains(*node));
        own.map_or(*node, |one| one.span)
    });
    let parsed = |source: &Source| Arc::new(Parsed::parse(source.clone()));
    let name = nodes
        .first()
        .map(|node| diagnostic::first_line(before, *node));
    MovedTexts {
        old_path: Utf8PathBuf::from(previews[left].before().path()),
        target_path: Utf8PathBuf::from(previews[arrived].before().path()),
        after: parsed(previews[left].after()),
        target: parsed(previews[arrived].after()),
        removed: removed.collect(),
        arrived: arriving.iter().map(Target::new_span).collect(),
        name: name.unwrap_or_default(),
        nodes,
    }
}

/// Returns a preview with a further edit of its result.
fn with_edit(
    preview: &FilePreview,
    before: &Parsed,
    edit: &TextEdit,
    is_new: bool,
) -> Result<FilePreview, Diagnostic> {
    let targets = preview.record().targets().iter().map(|target| {
        let own = target.new_span();
        let new_span = match own.is_empty() {
            true => Span::at(edit.map(own.start())),
            false => edit.map_unchanged(own),
        };
        Target {
            node_type: target.node_type().to_string(),
            span: target.span(),
            new_span,
        }
    });
    let targets: Vec<Target> = targets.collect();
    if is_new {
        return Ok(FilePreview::of_new(
            edit.apply(preview.after()),
            targets,
            None,
        ));
    }
    let first = TextEdit::new(preview.before(), preview.record().replacements().to_vec())
        .expect("a preview has an edit of its text");
    let change = Change::of_targets(before, first.then(edit), targets);
    let checked = validate(change, &ALLOWED)
        .map_err(|rejected| diagnostic::about_rejected_file(&rejected))?;
    Ok(preview::preview(checked).0)
}
