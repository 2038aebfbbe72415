//! The front door: one method per verb. Surfaces call this and nothing deeper.
//!
//! Comes in: a request. Goes out: an [`Answer`], or a [`Refusal`] that says what to do next.

pub mod coordinates;
mod languages;
pub mod request;
pub mod response;
mod staged;

use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use serde::Serialize;
use serde_json::{Value, json};

use crate::apply;
use crate::diagnostic::{self, Attempt, Call, Code, Diagnostic, ExitStatus, Pointing, Suggestion};
use crate::edit::{self, Operation};
use crate::language::{self, Language};
use crate::locate::{self, Locate};
use crate::parse::{Node, Parsed};
use crate::preview::{NotThePreviewed, Preview, preview};
use crate::select::{self, SelectError, Selection, Selector};
use crate::source::{Position, Source, Span};
use crate::validate::validate;
use crate::workspace::{
    FileError, StateDirectory, StateError, Workspace, WorkspaceError, WorkspacePath,
};

use coordinates::LineAndCharacter;
use request::{
    ApplyEdit, DeleteNode, Describe, DiscardEdit, EditRequest, InsertNode, ListEdits,
    LocateArgument, ReadNode, ReplaceNode, RetargetEdit, SelectorArgument,
};
use response::{
    Described, EditAction, EditDiscarded, EditList, EditListed, EditMade, EditStatus, FileEdited,
    LanguageList, Located, NodeLine, NodeRead, NodeText, NodeTypes, Point, Range, Refusal,
};
use staged::{NoRecord, Staged};

pub use response::Answer;

/// The largest file that is read, in bytes.
pub const FILE_LIMIT: u64 = 16 * 1024 * 1024;
/// The longest node text that is shown, in bytes.
pub const TEXT_SHOWN: usize = 100_000;
/// What the parsed files that are kept may weigh, in bytes; a tree weighs about 30 times its text.
const CACHE_BYTES: u64 = 512 * 1024 * 1024;
const TREE_PER_BYTE: u64 = 30;

/// The engine over one workspace. Its methods may be called from several threads at once.
#[derive(Debug)]
pub struct Engine {
    workspace: Workspace,
    parsed: Cache<Utf8PathBuf, Arc<Parsed>, ByTree>,
}

/// Why there is no engine.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// A root cannot be opened.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    /// The state directory cannot be opened.
    #[error(transparent)]
    State(#[from] StateError),
}

type Refused = Box<Refusal>;

/// A refusal before it is known which call it belongs to, with the id the request is kept under.
struct Unplaced {
    diagnostic: Diagnostic,
    edit_id: Option<String>,
    keeps_content: bool,
}

impl From<Diagnostic> for Unplaced {
    fn from(diagnostic: Diagnostic) -> Unplaced {
        Unplaced {
            diagnostic,
            edit_id: None,
            keeps_content: false,
        }
    }
}

#[derive(Clone, Debug)]
struct ByTree;

impl Weighter<Utf8PathBuf, Arc<Parsed>> for ByTree {
    fn weight(&self, _: &Utf8PathBuf, parsed: &Arc<Parsed>) -> u64 {
        (parsed.source().len() as u64 + 1) * TREE_PER_BYTE
    }
}

impl Engine {
    /// An engine over `roots`, with staged edits where `state_directory` says; without it, where the
    /// user's state is kept (`$XDG_STATE_HOME/treegraft`).
    ///
    /// # Errors
    /// A root or the state directory cannot be opened.
    pub fn open(
        roots: &[Utf8PathBuf],
        state_directory: Option<&Utf8Path>,
    ) -> Result<Engine, EngineError> {
        let state = match state_directory {
            Some(path) => StateDirectory::open(path)?,
            None => StateDirectory::open(&StateDirectory::default_path()?)?,
        };
        let workspace = Workspace::open(roots, state)?;
        let parsed = Cache::with_weighter(1_000, CACHE_BYTES, ByTree);
        Ok(Engine { workspace, parsed })
    }

    /// The languages that are built in.
    pub fn languages() -> LanguageList {
        languages::languages()
    }

    /// The node types of a language, each with an example and the general words for it.
    ///
    /// # Errors
    /// No language is called so (`unknown_language`).
    pub fn node_types(language: &str) -> Result<NodeTypes, Refused> {
        languages::node_types(language).map_err(|diagnostic| {
            let arguments = json!({"language": language});
            Box::new(Refusal::of_call("node_types", arguments, diagnostic))
        })
    }

    /// The directories the engine works in.
    pub fn roots(&self) -> impl Iterator<Item = &Utf8Path> {
        self.workspace.roots()
    }

    /// Where a description of a place leads.
    ///
    /// # Errors
    /// It leads nowhere.
    pub fn locate(&self, request: &request::Locate) -> Result<Located, Refused> {
        self.locate_inner(request)
            .map_err(|refusal| placed("locate", request, refusal))
    }

    /// What leads to a place: the shortest locate, and the shortest selector of the smallest node.
    ///
    /// # Errors
    /// The file has no such place.
    pub fn describe(&self, request: &Describe) -> Result<Described, Refused> {
        self.describe_inner(request)
            .map_err(|refusal| placed("describe", request, refusal))
    }

    /// The text of a node, or of the smallest node at a place.
    ///
    /// # Errors
    /// Not exactly one node is meant.
    pub fn read_node(&self, request: &ReadNode) -> Result<NodeRead, Refused> {
        self.read_node_inner(request)
            .map_err(|refusal| placed("read_node", request, refusal))
    }

    /// Previews, or with `apply` writes, the replacement of one node.
    ///
    /// # Errors
    /// Not exactly one node is meant, a check fails, or the file cannot be written.
    pub fn replace_node(&self, request: &ReplaceNode) -> Result<EditMade, Refused> {
        self.edit(&EditRequest::Replace(request.clone()))
            .map_err(|refusal| placed("replace_node", request, refusal))
    }

    /// Previews, or with `apply` writes, new content beside one node or inside its body.
    ///
    /// # Errors
    /// As [`Engine::replace_node`]; or the node has not exactly one body.
    pub fn insert_node(&self, request: &InsertNode) -> Result<EditMade, Refused> {
        self.edit(&EditRequest::Insert(request.clone()))
            .map_err(|refusal| placed("insert_node", request, refusal))
    }

    /// Previews, or with `apply` writes, a file without one node and what is attached to it.
    ///
    /// # Errors
    /// As [`Engine::replace_node`].
    pub fn delete_node(&self, request: &DeleteNode) -> Result<EditMade, Refused> {
        self.edit(&EditRequest::Delete(request.clone()))
            .map_err(|refusal| placed("delete_node", request, refusal))
    }

    /// Writes exactly what a preview showed.
    ///
    /// # Errors
    /// The file changed since (`stale_edit`, with a fresh preview), or cannot be written.
    pub fn apply_edit(&self, request: &ApplyEdit) -> Result<EditMade, Refused> {
        self.apply_edit_inner(request)
            .map_err(|refusal| placed("apply_edit", request, refusal))
    }

    /// Forgets a staged edit.
    ///
    /// # Errors
    /// There is none with the id.
    pub fn discard_edit(&self, request: &DiscardEdit) -> Result<EditDiscarded, Refused> {
        let discard = || -> Result<EditDiscarded, Unplaced> {
            match staged::forget(self.workspace.state(), &request.edit_id) {
                Ok(true) => Ok(EditDiscarded {
                    edit_id: request.edit_id.clone(),
                    discarded: true,
                }),
                Ok(false) => Err(diagnostic::about_missing_edit(&request.edit_id).into()),
                Err(error) => Err(diagnostic::about_state(&error).into()),
            }
        };
        discard().map_err(|refusal| placed("discard_edit", request, refusal))
    }

    /// Gives a staged or refused edit another place.
    ///
    /// # Errors
    /// As [`Engine::replace_node`].
    pub fn retarget_edit(&self, request: &RetargetEdit) -> Result<EditMade, Refused> {
        let retarget = || -> Result<EditMade, Unplaced> {
            let staged = self.staged(&request.edit_id)?;
            let (selector, apply) = (request.selector.clone(), request.apply);
            let made = self.edit(&staged.request.at(&staged.path, selector, apply))?;
            // A preview at a place that was not meant goes; a refused edit stays, since its
            // refusal proposes several places and the first need not be the one.
            if staged.status == EditStatus::Previewed {
                staged::forget(self.workspace.state(), &request.edit_id)
                    .map_err(|error| diagnostic::about_state(&error))?;
            }
            Ok(made)
        };
        retarget().map_err(|refusal| placed("retarget_edit", request, refusal))
    }

    /// The staged edits of files inside the roots, or one of them with its diff.
    ///
    /// # Errors
    /// There is none with the id.
    pub fn list_edits(&self, request: &ListEdits) -> Result<EditList, Refused> {
        self.list_edits_inner(request)
            .map_err(|refusal| placed("list_edits", request, refusal))
    }

    fn locate_inner(&self, request: &request::Locate) -> Result<Located, Unplaced> {
        let question = &request.locate.0;
        let resolves = |parsed: &Parsed| locate::answer(parsed, question).is_ok();
        let (_, parsed) = self.parsed_or_near(&question.locate.file_path, resolves)?;
        let source = parsed.source();
        let place = locate::answer(&parsed, question)
            .map_err(|error| diagnostic::about_locate(&parsed, question, &error))?;
        let mut located = Located {
            file_path: source.path().to_string(),
            position: None,
            range: None,
            node_type: None,
            ancestors: Vec::new(),
            matches: place.matches,
            find_index: question.find_index,
            near: place.is_near.then(|| source.slice(place.span).into_owned()),
        };
        if request.range {
            located.range = Some(Range::of(source, place.span));
        } else {
            located.position = Some(Point::of(source, place.point));
            let chain = parsed.chain(at_point(source, place.point));
            if let Some((node, above)) = chain.split_last() {
                located.node_type = Some(node.kind().to_string());
                located.ancestors = node_lines(&parsed, above);
            }
        }
        Ok(located)
    }

    fn describe_inner(&self, request: &Describe) -> Result<Described, Unplaced> {
        let named = request
            .position
            .as_ref()
            .and_then(|one| one.file_path.as_ref());
        let Some(file_path) = request.file_path.as_ref().or(named) else {
            let message = "describe needs file_path, or a position that names the file";
            return Err(diagnostic::about_arguments(message).into());
        };
        let position = request.position.as_ref().map(|position| position.at);
        let asked = position.or(request.range.map(|range| range.end));
        let has_place =
            |parsed: &Parsed| asked.is_some_and(|at| offset_of(parsed.source(), at).is_ok());
        let (_, parsed) = self.parsed_or_near(file_path, has_place)?;
        let source = parsed.source();
        let offset = |at| offset_of(source, at);
        let (position, range, locate, span) = match (position, request.range) {
            (Some(position), None) => {
                let description = locate::describe(&parsed, offset(position)?);
                let point = description.point;
                let locate = description.question.map(LocateArgument);
                let span = at_point(source, point);
                (Some(Point::of(source, point)), None, locate, span)
            }
            (None, Some(range)) => {
                let (start, end) = (offset(range.start)?, offset(range.end)?);
                if end < start {
                    let message = "the range ends before it starts";
                    return Err(diagnostic::about_arguments(message).into());
                }
                let span = Span::new(start, end);
                let described = locate::describe_range(&parsed, span).map(Locate::from);
                let locate = described.map(|one| LocateArgument(one.into()));
                let span = parsed.trimmed(span);
                (None, Some(Range::of(source, span)), locate, span)
            }
            _ => {
                let message = "describe takes a position or a range";
                return Err(diagnostic::about_arguments(message).into());
            }
        };
        let chain = parsed.chain(span);
        // The root is no node to edit.
        let node = chain.last().filter(|_| chain.len() > 1);
        Ok(Described {
            file_path: source.path().to_string(),
            position,
            range,
            locate,
            node: node.map(|node| diagnostic::node_view(&parsed, *node).into()),
            selector: node
                .and_then(|_| select::describe(&parsed, &chain))
                .map(SelectorArgument),
            ancestors: node_lines(&parsed, &chain[..chain.len().saturating_sub(1)]),
        })
    }

    fn read_node_inner(&self, request: &ReadNode) -> Result<NodeRead, Unplaced> {
        let (file_path, place) = match request {
            ReadNode {
                locate: Some(locate),
                file_path: None,
                selector: None,
            } => (&locate.0.locate.file_path, Err(&locate.0)),
            ReadNode {
                locate: None,
                file_path: Some(path),
                selector: Some(selector),
            } => (path, Ok(&selector.0)),
            _ => {
                let message = "read_node takes file_path and selector, or locate alone";
                return Err(diagnostic::about_arguments(message).into());
            }
        };
        let resolves = |parsed: &Parsed| match place {
            Ok(selector) => select::select(parsed, selector).is_ok(),
            Err(question) => locate::answer(parsed, question).is_ok(),
        };
        let (_, parsed) = self.parsed_or_near(file_path, resolves)?;
        let nodes = match place {
            Ok(selector) => chain_to_read(&parsed, selector)?,
            Err(question) => {
                let place = locate::answer(&parsed, question)
                    .map_err(|error| diagnostic::about_locate(&parsed, question, &error))?;
                let mut chain = parsed.chain(at_point(parsed.source(), place.point));
                if question.locate.find.is_none() {
                    up_to_symbol(&parsed, &mut chain, place.point);
                }
                chain
            }
        };
        // Nothing within the scope may cover the anchor.
        let root = [parsed.root()];
        let (node, above) = nodes.split_last().unwrap_or((&root[0], &[]));
        let span = select::trimmed_node(&parsed, *node);
        let text = parsed.source().slice(span);
        let mut shown = text.len().min(TEXT_SHOWN);
        while !text.is_char_boundary(shown) {
            shown -= 1;
        }
        Ok(NodeRead {
            file_path: parsed.source().path().to_string(),
            node: NodeText {
                node_type: node.kind().to_string(),
                range: Range::of(parsed.source(), span),
                text: text[..shown].to_string(),
                omitted_bytes: text.len() - shown,
                symbol_path: parsed.symbol_path(&nodes),
            },
            ancestors: node_lines(&parsed, above),
        })
    }

    /// The one way of all edits of a node.
    fn edit(&self, request: &EditRequest) -> Result<EditMade, Unplaced> {
        let resolves = |parsed: &Parsed| select::select(parsed, request.selector()).is_ok();
        let (path, parsed) = self.parsed_or_near(request.file_path(), resolves)?;
        let operation = request.operation();
        let (preview, notes) = match previewed(&parsed, request, &operation) {
            Ok(made) => made,
            Err(diagnostic) => return Err(self.kept_refused(&path, request, diagnostic)),
        };
        let action = EditAction::of(&operation);
        let staged = Staged::new(
            path.absolute().as_str(),
            request.clone(),
            Some(preview.facts()),
            format!(
                "{} {} at line {}",
                action.to_do(),
                preview.facts().node_type,
                parsed.source().line_of(preview.facts().span.start())
            ),
            notes.clone(),
        );
        let mut made = made(&staged.edit_id, action, parsed.source(), &preview, notes);
        if request.applies() {
            self.write(&path, &preview)
                .map_err(|diagnostic| self.kept_refused(&path, request, diagnostic))?;
            made.status = EditStatus::Applied;
        } else {
            staged::keep(self.workspace.state(), &staged)
                .map_err(|error| diagnostic::about_state(&error))?;
        }
        Ok(made)
    }

    /// Keeps a refused edit with its content; a refusal that cannot be kept is still a refusal.
    fn kept_refused(
        &self,
        path: &WorkspacePath,
        request: &EditRequest,
        diagnostic: Diagnostic,
    ) -> Unplaced {
        let staged = Staged::new(
            path.absolute().as_str(),
            request.clone(),
            None,
            diagnostic.message.clone(),
            Vec::new(),
        );
        let edit_id = staged::keep(self.workspace.state(), &staged)
            .is_ok()
            .then_some(staged.edit_id);
        Unplaced {
            diagnostic,
            edit_id,
            keeps_content: !matches!(request, EditRequest::Delete(_)),
        }
    }

    fn apply_edit_inner(&self, request: &ApplyEdit) -> Result<EditMade, Unplaced> {
        let staged = self.staged(&request.edit_id)?;
        let Some(kept) = &staged.preview else {
            return Err(diagnostic::about_refused_edit(&request.edit_id).into());
        };
        let facts = kept.facts().ok_or_else(|| damaged(&request.edit_id))?;
        let (path, parsed) = self.parsed(&staged.path)?;
        let preview = match Preview::reopen(parsed.source(), facts) {
            Ok(preview) => preview,
            Err(NotThePreviewed::TextChanged) => return Err(self.stale(&staged).into()),
            Err(NotThePreviewed::ResultDiffers) => return Err(damaged(&request.edit_id).into()),
        };
        match self.write(&path, &preview) {
            Ok(()) => {}
            Err(diagnostic) if diagnostic.code == Code::StaleEdit => {
                return Err(self.stale(&staged).into());
            }
            Err(diagnostic) => return Err(diagnostic.into()),
        }
        let action = EditAction::of(&staged.request.operation());
        let edit_id = &request.edit_id;
        let mut made = made(edit_id, action, parsed.source(), &preview, staged.notes);
        made.status = EditStatus::Applied;
        if let Err(error) = staged::forget(self.workspace.state(), &request.edit_id) {
            made.notes
                .push(format!("the edit is written, but is still listed: {error}"));
        }
        Ok(made)
    }

    /// The refusal of an edit whose file changed, with a fresh preview where there is one.
    fn stale(&self, staged: &Staged) -> Diagnostic {
        let request = &staged.request;
        let mut stale = diagnostic::about_stale(request.file_path());
        let selector = SelectorArgument(request.selector().clone());
        match self.edit(&request.clone().at(&staged.path, selector, false)) {
            Ok(fresh) => {
                let file = fresh.files.first();
                stale.diff = file.map(|file| file.diff.clone());
                stale.suggestions = file
                    .map(|file| Suggestion {
                        call: Call::Apply(fresh.edit_id.clone()),
                        selects: format!(
                            "{} at line {}, a fresh preview",
                            file.node_type, file.range.start.line
                        ),
                    })
                    .into_iter()
                    .collect();
            }
            Err(refusal) => {
                stale.help = Some(format!(
                    "the same request is refused now: {}: {}",
                    refusal.diagnostic.code.as_str(),
                    refusal.diagnostic.message
                ));
            }
        }
        stale
    }

    fn list_edits_inner(&self, request: &ListEdits) -> Result<EditList, Unplaced> {
        let listed = |staged: Staged, diff: bool| {
            let path = self.workspace.resolve(&staged.path).ok()?;
            Some(EditListed {
                edit_id: staged.edit_id,
                status: staged.status,
                tool: staged.request.tool().to_string(),
                file_path: path.display().to_string(),
                created: staged.created,
                summary: staged.summary,
                diff: staged.preview.filter(|_| diff).map(|preview| preview.diff),
            })
        };
        if let Some(edit_id) = &request.edit_id {
            let staged = self.staged(edit_id)?;
            let edits: Vec<EditListed> = listed(staged, true).into_iter().collect();
            return match edits.is_empty() {
                true => Err(diagnostic::about_missing_edit(edit_id).into()),
                false => Ok(EditList {
                    edits,
                    unreadable: Vec::new(),
                }),
            };
        }
        let (all, unreadable) =
            staged::all(self.workspace.state()).map_err(|error| diagnostic::about_state(&error))?;
        let edits = all
            .into_iter()
            .filter_map(|staged| listed(staged, false))
            .collect();
        Ok(EditList { edits, unreadable })
    }

    fn staged(&self, edit_id: &str) -> Result<Staged, Diagnostic> {
        staged::find(self.workspace.state(), edit_id).map_err(|error| match error {
            NoRecord::Missing => diagnostic::about_missing_edit(edit_id),
            NoRecord::Unreadable => damaged(edit_id),
            NoRecord::State(error) => diagnostic::about_state(&error),
        })
    }

    fn write(&self, path: &WorkspacePath, preview: &Preview) -> Result<(), Diagnostic> {
        apply::apply(&self.workspace, path, preview).map_err(|error| diagnostic::about_file(&error))
    }

    /// The file, parsed; from the cache when its bytes are the same.
    fn parsed(&self, path: &str) -> Result<(WorkspacePath, Arc<Parsed>), Diagnostic> {
        let path = self
            .workspace
            .resolve(path)
            .map_err(|error| self.about_path(path, &error))?;
        let bytes = self
            .workspace
            .read(&path, FILE_LIMIT)
            .map_err(|error| diagnostic::about_file(&error))?;
        let key = path.absolute().to_owned();
        if let Some(known) = self.parsed.get(&key)
            && known.source().text().as_bytes() == bytes
        {
            return Ok((path, known));
        }
        let name = path.display().to_string();
        let source = Source::from_bytes(&name, language_of(&name, &bytes), bytes)
            .map_err(|error| diagnostic::about_text(&name, error))?;
        let parsed = Arc::new(Parsed::parse(source));
        self.parsed.insert(key, parsed.clone());
        Ok((path, parsed))
    }

    /// Why a path is none, with the paths nearest to it.
    fn about_path(&self, path: &str, error: &FileError) -> Diagnostic {
        let mut diagnostic = diagnostic::about_file(error);
        if diagnostic.code == Code::OutsideWorkspace {
            let roots: Vec<&str> = self.roots().map(Utf8Path::as_str).collect();
            diagnostic.help = Some(format!(
                "the workspace is {}; --root adds to it",
                roots.join(", ")
            ));
        }
        if diagnostic.code == Code::FileNotFound {
            let near: Vec<String> = self
                .workspace
                .nearest(path)
                .into_iter()
                .map(Utf8PathBuf::into_string)
                .collect();
            if !near.is_empty() {
                diagnostic.help = Some(format!("the nearest paths are {}", near.join(", ")));
            }
        }
        diagnostic
    }

    /// As [`Engine::parsed`]; where the file is not there, the same call is proposed for the files
    /// nearest to it in which `resolves` holds.
    fn parsed_or_near(
        &self,
        path: &str,
        resolves: impl Fn(&Parsed) -> bool,
    ) -> Result<(WorkspacePath, Arc<Parsed>), Diagnostic> {
        self.parsed(path).map_err(|mut diagnostic| {
            if diagnostic.code == Code::FileNotFound {
                let near = self.workspace.nearest(path).into_iter();
                let fitting = near.filter(|path| {
                    self.parsed(path.as_str())
                        .is_ok_and(|(_, parsed)| resolves(&parsed))
                });
                diagnostic.suggestions = fitting
                    .map(|path| Suggestion {
                        selects: format!("the same in `{path}`"),
                        call: Call::File(path.into_string()),
                    })
                    .collect();
            }
            diagnostic
        })
    }
}

impl Refusal {
    /// A refusal of a call that could not be read.
    pub fn of_call(tool: &'static str, arguments: Value, diagnostic: Diagnostic) -> Refusal {
        Refusal {
            diagnostic,
            edit_id: None,
            keeps_content: false,
            tool,
            arguments,
        }
    }

    /// What a process ends with.
    pub fn exit_status(&self) -> ExitStatus {
        self.code().exit_status()
    }
}

fn placed(tool: &'static str, request: &impl Serialize, refusal: impl Into<Unplaced>) -> Refused {
    let Unplaced {
        diagnostic,
        edit_id,
        keeps_content,
    } = refusal.into();
    let arguments = serde_json::to_value(request).unwrap_or_default();
    Box::new(Refusal {
        diagnostic,
        edit_id,
        keeps_content,
        tool,
        arguments,
    })
}

fn damaged(edit_id: &str) -> Diagnostic {
    Diagnostic::new(
        Code::EditNotFound,
        format!("the record of edit {edit_id} cannot be read; it was left as it is"),
    )
}

/// Selects, edits, checks: everything before the disk.
fn previewed(
    parsed: &Parsed,
    request: &EditRequest,
    operation: &Operation,
) -> Result<(Preview, Vec<String>), Diagnostic> {
    let selector = request.selector();
    let selection = select::select(parsed, selector).map_err(|error| {
        diagnostic::about_select(parsed, selector, &error, Pointing::Edit(operation))
    })?;
    let allow = request.allowed();
    let passes = |selection: Selection<'_>| {
        edit::edit(selection, operation).is_ok_and(|edited| validate(edited, &allow).is_ok())
    };
    let attempt = Attempt {
        selection: &selection,
        selector,
        operation,
        passes: &passes,
    };
    let edited = edit::edit(selection.clone(), operation)
        .map_err(|error| diagnostic::about_edit(&attempt, &error))?;
    let checked = validate(edited, &allow)
        .map_err(|rejected| diagnostic::about_rejected(&attempt, &rejected))?;
    let (preview, notes) = preview(checked);
    let notes = notes.iter();
    let notes = notes.map(|note| diagnostic::note_text(operation, note));
    Ok((preview, notes.collect()))
}

fn made(
    edit_id: &str,
    action: EditAction,
    before: &Source,
    preview: &Preview,
    notes: Vec<String>,
) -> EditMade {
    let facts = preview.facts();
    EditMade {
        edit_id: edit_id.to_string(),
        status: EditStatus::Previewed,
        files: vec![FileEdited {
            file_path: before.path().to_string(),
            diff: facts.diff.clone(),
            action,
            node_type: facts.node_type.clone(),
            range: Range::of(before, facts.span),
            new_range: Range::of(preview.after(), facts.new_span),
            digest_before: facts.digest_before.to_string(),
            digest_after: facts.digest_after.to_string(),
        }],
        notes,
    }
}

/// The character at a point, or none where it stands before white space.
fn at_point(source: &Source, point: usize) -> Span {
    match source.text()[point..].chars().next() {
        Some(c) if !c.is_whitespace() => Span::new(point, point + c.len_utf8()),
        _ => Span::at(point),
    }
}

/// The byte of a line and character; of a line alone its first character that is not blank.
fn offset_of(source: &Source, at: LineAndCharacter) -> Result<usize, Diagnostic> {
    let no_place = || diagnostic::about_no_place(source, at.line, at.character);
    let line = source.line_span(at.line).ok_or_else(no_place)?;
    match at.character {
        Some(character) => source
            .offset(Position {
                line: at.line,
                character,
            })
            .ok_or_else(no_place),
        None => {
            let text = source.slice(line);
            let blank = text.len() - text.trim_start().len();
            Ok(line.start() + if blank == text.len() { 0 } else { blank })
        }
    }
}

fn node_lines(parsed: &Parsed, chain: &[Node<'_>]) -> Vec<NodeLine> {
    diagnostic::ancestors(parsed, chain)
        .0
        .into_iter()
        .map(NodeLine::from)
        .collect()
}

/// The selected node with those above it; without a type the smallest node at the one anchor.
fn chain_to_read<'p>(parsed: &'p Parsed, selector: &Selector) -> Result<Vec<Node<'p>>, Diagnostic> {
    match select::select(parsed, selector) {
        Ok(selection) => Ok(selection.chain().to_vec()),
        Err(SelectError::AncestorRequired { occurrences }) if occurrences.len() == 1 => {
            Ok(occurrences.into_iter().flat_map(|one| one.chain).collect())
        }
        Err(error) => Err(diagnostic::about_select(
            parsed,
            selector,
            &error,
            Pointing::Read,
        )),
    }
}

/// The language of a file by its name and the beginning of its text.
fn language_of(name: &str, bytes: &[u8]) -> &'static Language {
    const LOOKED_AT: usize = 64 * 1024;
    let beginning = &bytes[..bytes.len().min(LOOKED_AT)];
    language::of(name, &String::from_utf8_lossy(beginning))
}

/// Of a chain that leads to a declared name, what leads to its definition.
fn up_to_symbol(parsed: &Parsed, chain: &mut Vec<Node<'_>>, name: usize) {
    let symbols = parsed.outline().symbols();
    if let Some(symbol) = symbols
        .iter()
        .find(|symbol| symbol.name_span.start() == name)
        && let Some(depth) = chain
            .iter()
            .rposition(|node| node.span() == symbol.node_span)
    {
        chain.truncate(depth + 1);
    }
}
