//! The engine: one method per verb. Front ends call these methods and nothing deeper.
//!
//! Each method takes a request and returns an [`Answer`], or a [`Refusal`] with the next steps.

pub mod batch;
pub mod calls;
pub mod completion;
pub mod coordinates;
#[cfg(test)]
mod crashes;
mod draft;
mod elsewhere;
mod files;
pub mod guides;
mod find;
mod languages;
mod ledger;
mod outline;
#[cfg(feature = "servers")]
pub mod questions;
pub mod request;
pub mod response;
mod shown;
mod staged;
pub mod tools;
pub mod watch;
#[cfg(not(feature = "servers"))]
mod without_servers;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};
use quick_cache::sync::{Cache, DefaultLifecycle};
use quick_cache::{DefaultHashBuilder, OptionsBuilder, Weighter};
use serde::Serialize;
use serde_json::{Value, json};

use crate::apply::history;
use crate::apply::journal::{self, Direction, Written};
use crate::apply::record::NoRecord;
use crate::apply::{LockedPreview, rebase};
use crate::diagnostic::{self, Code, Diagnostic, ExitStatus, NextCall, Pointing, Suggestion};
use crate::edit;
use crate::language::{self, Language};
use crate::locate::{self, Locate};
use crate::parse::{Node, Parsed};
use crate::preview::{self, FilePreview, NotThePreviewed, Preview};
use crate::select::{self, SelectError, Selector};
use crate::source::{Position, Source, Span};
use crate::workspace::{
    ConfigurationError, FileError, HeldFile, LockedFile, NotRead, StateDirectory, StateError,
    Workspace, WorkspaceError, WorkspacePath,
};

use coordinates::LineAndCharacter;
use draft::{EditPlan, Files, TargetInfo};
use ledger::{LedgerLine, Recorded};
#[cfg(feature = "servers")]
use questions::ServerPool;
use request::{
    ApplyEdit, DeleteNode, Describe, DiscardEdit, EditKind, EditNodes, EditRequest, EditTarget,
    InsertNode, ListEdits, LocateArgument, MoveNode, ReadNode, ReplaceNode, ReplaceText,
    RequestedEdit, RetargetEdit, SelectorArgument, UndoEdit, WrapNode,
};
use response::{
    Described, EditAction, EditDiscarded, EditList, EditListed, EditMade, EditStatus, FileEdited,
    LanguageList, Located, NodeEdited, NodeLine, NodeRead, NodeText, NodeTypes, NodesFound,
    Outlined, Point, Range, Refusal, Stats,
};
use shown::Shown;
use staged::{GcBudget, KeptFile, Request, Staged};
use watch::Watch;
#[cfg(not(feature = "servers"))]
use without_servers::ServerPool;

pub use crate::workspace::{FILE_LIMIT, FILES_LOOKED_AT, ITEMS_LIMIT};
pub use response::Answer;

/// The maximum length of a node text in an answer, in bytes.
pub const TEXT_SHOWN: usize = 100_000;
/// The maximum number of pending edits in a list.
pub const WAITING_SHOWN: usize = 100;
/// The maximum number of applied edits in a list; the latest are kept.
pub const APPLIED_SHOWN: usize = 20;
/// The default number of symbols in an outline.
pub const SYMBOLS_LISTED: usize = 200;
/// The default number of symbol levels in an outline of several files.
pub const SYMBOL_LEVELS: usize = 2;
/// The default number of matches in a search.
pub const MATCHES_LISTED: usize = 50;
/// The size of the cache of parsed files, in bytes. A tree is about 30 times as large as its text.
const CACHE_BYTES: u64 = 512 * 1024 * 1024;
const TREE_PER_BYTE: u64 = 30;

/// The engine for one workspace. Its methods can be called from several threads at once.
#[derive(Debug)]
pub struct Engine {
    workspace: Workspace,
    parsed: Cache<Utf8PathBuf, Arc<Parsed>, ByTree>,
    server_pool: Arc<ServerPool>,
    shown: Shown,
    gc_budget: GcBudget,
}

/// Why an engine cannot be opened.
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

/// A refusal that does not know its call yet, with the id of the kept request.
struct PendingRefusal {
    diagnostic: Diagnostic,
    edit_id: Option<String>,
    keeps_content: bool,
}

impl From<Diagnostic> for PendingRefusal {
    fn from(diagnostic: Diagnostic) -> PendingRefusal {
        PendingRefusal {
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

/// Creates the cache of parsed files. It has one shard: a shard cannot hold an entry larger than itself, and the
/// default number of shards grows with the number of cores. Each call uses the cache once per file.
fn cache() -> Cache<Utf8PathBuf, Arc<Parsed>, ByTree> {
    let options = OptionsBuilder::new()
        .estimated_items_capacity(1_000)
        .weight_capacity(CACHE_BYTES)
        .shards(1)
        .build()
        .expect("both capacities are given");
    let (hashes, lifecycle) = (DefaultHashBuilder::default(), DefaultLifecycle::default());
    Cache::with_options(options, ByTree, hashes, lifecycle)
}

impl Engine {
    /// Opens an engine for `roots`. Staged edits are kept in `state_directory`, by default the user's state directory
    /// (`$XDG_STATE_HOME/treegraft`). First completes or reverts interrupted changes of several files ([`journal`]).
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
        Ok(Engine::over(workspace, Arc::default()))
    }

    /// Returns an engine for the intersection of `folders` and the roots, with the same staged edits. Returns `None` if
    /// the intersection is empty or cannot be opened.
    pub fn within(&self, folders: &[Utf8PathBuf]) -> Option<Engine> {
        let workspace = self.workspace.narrowed(folders)?;
        Some(Engine::over(workspace, self.server_pool.narrowed()))
    }

    fn over(workspace: Workspace, server_pool: Arc<ServerPool>) -> Engine {
        let engine = Engine {
            workspace,
            parsed: cache(),
            server_pool,
            shown: Shown::default(),
            gc_budget: GcBudget::default(),
        };
        // Every edit retries what fails here, and reports it.
        engine.settle();
        engine
    }

    /// Lists the built-in languages.
    pub fn languages() -> LanguageList {
        languages::languages()
    }

    /// Lists the node types of a language, each with an example and its general words.
    ///
    /// # Errors
    /// The language is unknown (`unknown_language`).
    pub fn node_types(language: &str) -> Result<NodeTypes, Refused> {
        languages::node_types(language).map_err(|diagnostic| {
            let arguments = json!({"language": language});
            Box::new(Refusal::of_call("node_types", arguments, diagnostic))
        })
    }

    /// Returns the errors of all `treegraft.toml` files that are ignored because they cannot be read.
    pub fn not_understood(&self) -> impl Iterator<Item = &ConfigurationError> {
        self.workspace.not_understood()
    }

    /// Returns the root directories of the workspace.
    pub fn roots(&self) -> impl Iterator<Item = &Utf8Path> {
        self.workspace.roots()
    }

    /// Lists the symbols of a file, or of the files of a directory or a glob. Each has a locator that resolves only to
    /// it. Omits symbols of embedded languages.
    ///
    /// # Errors
    /// The path matches no file, or the cursor belongs to another call.
    pub fn outline(
        &self,
        request: &request::Outline,
        watch: &dyn Watch,
    ) -> Result<Outlined, Refused> {
        self.outline_inner(request, watch)
            .map_err(|refusal| self.refusal_of("outline", request, refusal))
    }

    /// Finds nodes in a file, or in the files of a directory or a glob, by text, pattern, type, symbol name or
    /// tree-sitter query. Each match has a selector that selects it.
    ///
    /// # Errors
    /// The path matches no file, the cursor belongs to another call, or the pattern or query is invalid.
    pub fn find_nodes(
        &self,
        request: &request::FindNodes,
        watch: &dyn Watch,
    ) -> Result<NodesFound, Refused> {
        self.find_nodes_inner(request, watch)
            .map_err(|refusal| self.refusal_of("find_nodes", request, refusal))
    }

    /// Resolves a locator.
    ///
    /// # Errors
    /// The locator does not resolve.
    pub fn locate(&self, request: &request::LocatePlace) -> Result<Located, Refused> {
        self.locate_inner(request)
            .map_err(|refusal| self.refusal_of("locate", request, refusal))
    }

    /// Returns the shortest locator of a position, and the shortest selector of the smallest node there.
    ///
    /// # Errors
    /// The file has no such position.
    pub fn describe(&self, request: &Describe) -> Result<Described, Refused> {
        self.describe_inner(request)
            .map_err(|refusal| self.refusal_of("describe", request, refusal))
    }

    /// Returns the text of a node, or of the smallest node at a position.
    ///
    /// # Errors
    /// The selector does not match exactly one node.
    pub fn read_node(&self, request: &ReadNode) -> Result<NodeRead, Refused> {
        self.read_node_inner(request)
            .map_err(|refusal| self.refusal_of("read_node", request, refusal))
    }

    /// Previews, or with `apply` writes, the replacement of one node.
    ///
    /// # Errors
    /// The selector does not match exactly one node, a check fails, or the file cannot be written.
    pub fn replace_node(&self, request: &ReplaceNode) -> Result<EditMade, Refused> {
        self.edited("replace_node", request, &request.into(), None)
    }

    /// Previews, or with `apply` writes, the replacement of the only match of a text. The text can be less or more than
    /// a node.
    ///
    /// # Errors
    /// The text does not match exactly once, a check fails, or the file cannot be written.
    pub fn replace_text(&self, request: &ReplaceText) -> Result<EditMade, Refused> {
        self.edited("replace_text", request, &request.into(), None)
    }

    /// Previews, or with `apply` writes, an insertion before or after one node, or inside its body.
    ///
    /// # Errors
    /// As [`Engine::replace_node`]; or the node does not have exactly one body.
    pub fn insert_node(&self, request: &InsertNode) -> Result<EditMade, Refused> {
        self.edited("insert_node", request, &request.into(), None)
    }

    /// Previews, or with `apply` writes, the deletion of one node and everything attached to it.
    ///
    /// # Errors
    /// As [`Engine::replace_node`].
    pub fn delete_node(&self, request: &DeleteNode) -> Result<EditMade, Refused> {
        self.edited("delete_node", request, &request.into(), None)
    }

    /// Previews, or with `apply` writes, new content that encloses one node.
    ///
    /// # Errors
    /// As [`Engine::replace_node`]; or the content has no marker for the node.
    pub fn wrap_node(&self, request: &WrapNode) -> Result<EditMade, Refused> {
        self.edited("wrap_node", request, &request.into(), None)
    }

    /// Previews, or with `apply` writes, the move of one node and everything attached to it to another position, in the
    /// same file or another.
    ///
    /// # Errors
    /// As [`Engine::replace_node`], for the node or the destination.
    pub fn move_node(&self, request: &MoveNode) -> Result<EditMade, Refused> {
        self.edited("move_node", request, &request.into(), None)
    }

    /// Previews, or with `apply` writes, several edits in one or more files. Either all edits are made or none.
    ///
    /// # Errors
    /// As [`Engine::replace_node`], for the first refused edit, with its index; or two edits overlap
    /// (`overlapping_edits`).
    pub fn edit_nodes(&self, request: &EditNodes) -> Result<EditMade, Refused> {
        self.edited("edit_nodes", request, &request.into(), None)
    }

    /// Restores the bytes that the files had before an applied edit. The edit is then pending again.
    ///
    /// # Errors
    /// A file changed since (`stale_edit`, with the changes), or cannot be written.
    pub fn undo_edit(&self, request: &UndoEdit) -> Result<EditMade, Refused> {
        let of = Some(request.edit_id.as_str());
        self.recorded("undo_edit", request, of, || self.undo_edit_inner(request))
    }

    /// Writes a preview exactly as shown.
    ///
    /// # Errors
    /// A file changed since (`stale_edit`, with a fresh preview), or cannot be written.
    pub fn apply_edit(&self, request: &ApplyEdit) -> Result<EditMade, Refused> {
        let of = Some(request.edit_id.as_str());
        self.recorded("apply_edit", request, of, || self.write_staged(request))
    }

    /// Discards a staged or refused edit.
    ///
    /// # Errors
    /// No edit has the id, or the edit is applied.
    pub fn discard_edit(&self, request: &DiscardEdit) -> Result<EditDiscarded, Refused> {
        let discard = || -> Result<EditDiscarded, PendingRefusal> {
            let found = staged::find(self.workspace.state(), &request.edit_id);
            if found.is_ok_and(|staged| staged.status == EditStatus::Applied) {
                // Without its record, an applied edit could not be undone.
                return Err(diagnostic::about_not_applied(&request.edit_id, true).into());
            }
            match staged::forget(self.workspace.state(), &request.edit_id) {
                Ok(true) => Ok(EditDiscarded {
                    edit_id: request.edit_id.clone(),
                    discarded: true,
                }),
                Ok(false) => Err(diagnostic::about_missing_edit(&request.edit_id).into()),
                Err(error) => Err(diagnostic::about_state(&error).into()),
            }
        };
        let of = Some(request.edit_id.as_str());
        self.recorded("discard_edit", request, of, discard)
    }

    /// Makes a staged or refused edit again at another position.
    ///
    /// # Errors
    /// As [`Engine::replace_node`].
    pub fn retarget_edit(&self, request: &RetargetEdit) -> Result<EditMade, Refused> {
        let retarget = || -> Result<EditMade, PendingRefusal> {
            let staged = self.staged(&request.edit_id)?;
            if staged.status == EditStatus::Applied {
                return Err(diagnostic::about_not_applied(&request.edit_id, true).into());
            }
            let Some(edits) = staged.request.edits() else {
                return Err(diagnostic::about_not_retargeted(staged.request.tool()).into());
            };
            let moved = edits.clone().at(request)?;
            let made = self.edit(&moved.applying(request.apply))?;
            // Remove a preview at the wrong position. Keep a refused edit: its refusal suggests several positions, and
            // the first retry may be wrong too.
            if staged.status == EditStatus::Previewed {
                staged::forget(self.workspace.state(), &request.edit_id)
                    .map_err(|error| diagnostic::about_state(&error))?;
            }
            Ok(made)
        };
        let of = Some(request.edit_id.as_str());
        self.recorded("retarget_edit", request, of, retarget)
    }

    /// Returns the engine with `folder` as the base of relative paths in requests and answers. On the command line,
    /// this is the working directory. A folder outside the roots has no effect.
    pub fn relative_to(self, folder: &Utf8Path) -> Engine {
        Engine {
            workspace: self.workspace.relative_to(folder),
            // Cached files have paths relative to the old base.
            parsed: cache(),
            shown: Shown::default(),
            ..self
        }
    }

    /// Lists the pending and the recently applied edits of files inside the roots, or returns one of them with its
    /// diff.
    ///
    /// # Errors
    /// No edit has the id.
    pub fn list_edits(&self, request: &ListEdits) -> Result<EditList, Refused> {
        self.list_edits_inner(request)
            .map_err(|refusal| self.refusal_of("list_edits", request, refusal))
    }

    /// Returns the outcomes of the edit calls of the last `since`, or of all that are recorded.
    ///
    /// # Errors
    /// The ledger cannot be read.
    pub fn stats(&self, since: Option<Duration>) -> Result<Stats, Refused> {
        ledger::stats(self.workspace.state(), since).map_err(|error| {
            let arguments = json!({"since": since.map(|since| since.as_secs())});
            Box::new(Refusal::of_call(
                "stats",
                arguments,
                diagnostic::about_state(&error),
            ))
        })
    }

    /// Runs an edit call about the edit with the id `of`, and records it in the ledger.
    fn recorded<A: Recorded>(
        &self,
        tool: &'static str,
        request: &impl Serialize,
        of: Option<&str>,
        call: impl FnOnce() -> Result<A, PendingRefusal>,
    ) -> Result<A, Refused> {
        let started = Instant::now();
        let answered = call().map_err(|refusal| self.refusal_of(tool, request, refusal));
        let line = LedgerLine::new(&self.workspace, tool, of, &answered, started.elapsed());
        // The call succeeds even if it cannot be recorded.
        let _ = ledger::append(self.workspace.state(), &line);
        answered
    }

    /// Runs a call that edits nodes. An edit with an id is made only once: if it is already written, returns it as it
    /// was shown.
    fn edited(
        &self,
        tool: &'static str,
        request: &impl Serialize,
        edits: &EditRequest,
        edit_id: Option<&str>,
    ) -> Result<EditMade, Refused> {
        self.recorded(tool, request, None, || {
            let written = edit_id.and_then(|edit_id| self.applied(edit_id).ok());
            match written {
                Some((staged, _)) => Ok(self.shown_again(&staged)?),
                None => self.edit_as(edits, edit_id),
            }
        })
    }

    /// Returns the answer of an edit that is already written.
    fn shown_again(&self, staged: &Staged) -> Result<EditMade, Diagnostic> {
        let files = self.paths_of(staged)?;
        let files = staged.files.iter().zip(&files);
        let previews = files.map(|(kept, path)| self.shown(staged, kept, path.display().as_str()));
        let plan = EditPlan {
            preview: self.preview_of(staged, previews.collect::<Result<_, _>>()?)?,
            targets: staged.targets(),
            notes: staged.notes.clone(),
        };
        Ok(made(staged, &plan, EditStatus::Applied))
    }

    /// Restores the preview of one file of a written edit from the kept text before the edit.
    fn shown(
        &self,
        staged: &Staged,
        kept: &KeptFile,
        name: &str,
    ) -> Result<FilePreview, Diagnostic> {
        let damaged = || self.damaged(&staged.edit_id);
        let before = history::find(self.workspace.state(), kept.record.digest_before())
            .map_err(|error| diagnostic::about_state(&error))?
            .ok_or_else(|| diagnostic::about_text_not_kept(name))?;
        let before = Source::from_bytes(name, self.language_of(name, &before), before);
        let before = before.map_err(|_| damaged())?;
        FilePreview::reopen(&before, kept.record.clone()).map_err(|_| damaged())
    }

    /// Combines the previews of all files of a record.
    fn preview_of(&self, staged: &Staged, files: Vec<FilePreview>) -> Result<Preview, Diagnostic> {
        Preview::of(files).map_err(|_| self.damaged(&staged.edit_id))
    }

    fn locate_inner(&self, request: &request::LocatePlace) -> Result<Located, PendingRefusal> {
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

    fn describe_inner(&self, request: &Describe) -> Result<Described, PendingRefusal> {
        let named = request
            .position
            .as_ref()
            .and_then(|one| one.file_path.as_ref());
        let Some(file_path) = request.file_path.as_ref().or(named) else {
            let message = "describe needs file_path, or a position that names the file";
            return Err(diagnostic::about_arguments(message).into());
        };
        let position = request.position.as_ref().map(|position| position.at);
        let has_place = |parsed: &Parsed| {
            let offset = |at| offset_of(parsed.source(), at).ok();
            match (position, request.range) {
                (Some(at), None) => offset(at).is_some(),
                (None, Some(range)) => offset(range.start)
                    .zip(offset(range.end))
                    .is_some_and(|(start, end)| start <= end),
                _ => false,
            }
        };
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
        // The root cannot be edited.
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

    fn read_node_inner(&self, request: &ReadNode) -> Result<NodeRead, PendingRefusal> {
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
        // No node within the scope may cover the anchor; then the root is read.
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

    /// Makes an edit of nodes. All edits of nodes pass through here.
    fn edit(&self, request: &EditRequest) -> Result<EditMade, PendingRefusal> {
        self.edit_as(request, None)
    }

    /// Does the same as [`Engine::edit`], with a given id.
    fn edit_as(
        &self,
        request: &EditRequest,
        edit_id: Option<&str>,
    ) -> Result<EditMade, PendingRefusal> {
        let edit = || self.edit_inner(request, edit_id);
        match request.applies() {
            true => self.asking_servers(request.file_paths(), edit),
            false => edit(),
        }
    }

    fn edit_inner(
        &self,
        request: &EditRequest,
        edit_id: Option<&str>,
    ) -> Result<EditMade, PendingRefusal> {
        let unsettled = self.settle();
        let edits = request.requested_edits()?;
        // Read a file under its lock if it is to be written at once.
        let (locked, target_files) = match request.applies() {
            true => self.locked_files_of(&edits)?,
            false => (Vec::new(), self.files_of(&edits)?),
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
        let kept_request = request.clone().with_paths(|given| {
            let name = absolute.get(given);
            name.map_or(given, |name| name.as_str()).to_string()
        });
        let files = Files {
            parsed: &parsed,
            of_targets: &of_targets,
        };
        let plan = match draft::plan(&files, &edits, &request.allowed()) {
            Ok(plan) => plan,
            Err(diagnostic) => return Err(self.kept_refused(names, kept_request, diagnostic)),
        };
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
        let mut made = made(&staged, &plan, EditStatus::Previewed);
        made.notes.extend(unsettled.into_iter().chain(gc_warning));
        if !request.applies() {
            self.shown.hold(&staged.edit_id, plan.preview);
        } else {
            made.status = EditStatus::Applied;
            let written = LockedPreview::to_apply(&plan.preview, locked)
                .and_then(|locked| locked.write(&self.workspace, &staged.edit_id));
            let written = written.map_err(|error| PendingRefusal {
                diagnostic: diagnostic::about_not_written(&staged.edit_id, &error),
                edit_id: Some(staged.edit_id.clone()),
                keeps_content: request.has_content(),
            })?;
            made.notes
                .extend(self.record_written(written, &staged.with(EditStatus::Applied)));
        }
        Ok(made)
    }

    /// Returns the current files of the edits.
    fn files_of(&self, edits: &[RequestedEdit]) -> Result<TargetFiles<Arc<Parsed>>, Diagnostic> {
        target_files(edits, |edit, number, target| {
            let resolves = |parsed: &Parsed| match &edit.kind {
                EditKind::Edit(operation) => select::select(parsed, &target.selector)
                    .is_ok_and(|selection| edit::edit(selection, operation).is_ok()),
                EditKind::Move(_) => select::select(parsed, &target.selector).is_ok(),
            };
            let found = self.parsed_or_near(&target.file_path, resolves);
            found.map_err(|refused| {
                let has_proposal = edit.index.is_none() && number == 0;
                let refused = Diagnostic {
                    // The suggested call would contain only this edit, or move another node.
                    suggestions: match has_proposal {
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
    ) -> Result<(Vec<LockedFile>, TargetFiles<Arc<Parsed>>), Diagnostic> {
        // Compute refusals, and the files that they suggest, without locks.
        let refused = |error: Diagnostic| self.files_of(edits).err().unwrap_or(error);
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

    /// Reads locked files.
    fn opened_locked(&self, locked: &mut [LockedFile]) -> Result<Vec<Opened>, Diagnostic> {
        let files = locked.iter_mut().map(|locked| {
            let path = locked.path().clone();
            self.opened_by(&path, |known, language| locked.read(known, language))
        });
        files.collect()
    }

    /// Parses locked files.
    fn parsed_locked(&self, locked: &[LockedFile], opened: Vec<Opened>) -> Vec<Arc<Parsed>> {
        let files = locked.iter().zip(opened);
        files
            .map(|(locked, opened)| self.kept_parsed(locked.path(), opened))
            .collect()
    }

    fn locked(&self, paths: &[WorkspacePath]) -> Result<Vec<LockedFile>, Diagnostic> {
        self.workspace
            .lock_all(paths)
            .map_err(|error| diagnostic::about_file(&error))
    }

    /// Completes or reverts the unfinished writes of dead processes. Returns notes on failures; these block no call.
    fn settle(&self) -> Vec<String> {
        let state = self.workspace.state();
        let record = |settled: &journal::Settled| match (settled.is_done, settled.direction) {
            (true, Direction::There) => staged::mark(state, &settled.edit_id, EditStatus::Applied),
            (true, Direction::Back) => staged::mark(state, &settled.edit_id, EditStatus::Previewed),
            (false, _) => Ok(()),
        };
        let problems = journal::settle_all(&self.workspace, record);
        let problems = problems.iter();
        problems
            .map(|error| diagnostic::unsettled_text(error))
            .collect()
    }

    /// Keeps an edit and its texts. Returns a note if old ones could not be removed; this blocks no call.
    fn keep(&self, staged: &Staged, preview: &Preview) -> Result<Option<String>, Diagnostic> {
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
    fn record_written(&self, written: Written<'_>, staged: &Staged) -> Vec<String> {
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

    /// Writes a preview, and reports the new problems.
    fn write_staged(&self, request: &ApplyEdit) -> Result<EditMade, PendingRefusal> {
        let unsettled = self.settle();
        let waiting = self.waiting(&request.edit_id)?;
        let paths = waiting.0.paths.clone();
        let paths = paths.iter().map(String::as_str);
        self.asking_servers(paths, || self.apply_edit_inner(waiting, unsettled))
    }

    fn apply_edit_inner(
        &self,
        waiting: (Staged, HeldFile),
        unsettled: Vec<String>,
    ) -> Result<EditMade, PendingRefusal> {
        let (staged, mut locked) = self.locked_record(waiting, |edit_id| self.waiting(edit_id))?;
        let edit_id = &staged.edit_id.clone();
        let files = self.opened_locked(&mut locked)?;
        let (plan, status) = match self.reopened(&staged, &files)? {
            Some(preview) => {
                let plan = EditPlan {
                    preview,
                    targets: staged.targets(),
                    notes: staged.notes.clone(),
                };
                (plan, EditStatus::Applied)
            }
            None => {
                let files = self.parsed_locked(&locked, files);
                match self.rebased(&staged, &files)? {
                    Some(plan) => (plan, EditStatus::Rebased),
                    None => {
                        drop(locked);
                        return Err(self.stale(&staged, &files).into());
                    }
                }
            }
        };
        let staged = staged.showing(&plan);
        if status == EditStatus::Rebased {
            // First, so that the record matches the files even if this process dies in between.
            staged::keep(self.workspace.state(), &staged)
                .map_err(|error| diagnostic::about_state(&error))?;
        }
        let written = LockedPreview::to_apply(&plan.preview, locked)
            .and_then(|locked| locked.write(&self.workspace, edit_id))
            .map_err(|error| diagnostic::about_not_written(edit_id, &error))?;
        let mut made = made(&staged, &plan, status);
        made.notes.extend(unsettled);
        made.notes
            .extend(self.record_written(written, &staged.with(EditStatus::Applied)));
        Ok(made)
    }

    /// Returns the preview as it was shown, or `None` if a file has changed since.
    fn reopened(&self, staged: &Staged, files: &[Opened]) -> Result<Option<Preview>, Diagnostic> {
        if let Some(shown) = self.shown.take(staged) {
            let mut texts = shown.files().iter().zip(files);
            let is_now = |(file, now): (&FilePreview, &Opened)| {
                file.before().digest() == now.source().digest()
            };
            if shown.files().len() == files.len() && texts.all(is_now) {
                return Ok(Some(shown));
            }
        }
        let mut previews = Vec::new();
        let mut changed = false;
        for (kept, now) in staged.files.iter().zip(files) {
            match FilePreview::reopen(now.source(), kept.record.clone()) {
                Ok(preview) => previews.push(preview),
                Err(NotThePreviewed::TextChanged) => changed = true,
                Err(NotThePreviewed::ResultDiffers) => return Err(self.damaged(&staged.edit_id)),
            }
        }
        match changed {
            true => Ok(None),
            false => self.preview_of(staged, previews).map(Some),
        }
    }

    /// Returns the edit in the current files, or `None` if it is no longer the edit that was shown.
    fn rebased(
        &self,
        staged: &Staged,
        files: &[Arc<Parsed>],
    ) -> Result<Option<EditPlan>, Diagnostic> {
        // Only the server knows what it would change now.
        let Some(edits) = staged.request.edits() else {
            return Ok(None);
        };
        let requested = edits.requested_edits()?;
        let file = |target: &EditTarget| {
            staged
                .paths
                .iter()
                .position(|path| *path == target.file_path)
        };
        let of_targets: Option<Vec<Vec<usize>>> = requested
            .iter()
            .map(|edit| edit.targets().map(file).collect())
            .collect();
        let files = Files {
            parsed: files,
            of_targets: &of_targets.ok_or_else(|| self.damaged(&staged.edit_id))?,
        };
        let Ok(plan) = draft::plan(&files, &requested, &edits.allowed()) else {
            return Ok(None);
        };
        if plan.preview.files().len() != staged.files.len() {
            return Err(self.damaged(&staged.edit_id));
        }
        for (kept, now) in staged.files.iter().zip(plan.preview.files()) {
            let shown = &kept.record;
            let before = history::find(self.workspace.state(), shown.digest_before())
                .map_err(|error| diagnostic::about_state(&error))?;
            let now_text = now.before();
            let before = match shown.digest_before() == now_text.digest() {
                true => Some(now_text.clone()),
                false => before.and_then(|bytes| {
                    Source::from_bytes(now_text.path(), now_text.language(), bytes).ok()
                }),
            };
            let Some(before) = before else {
                return Ok(None);
            };
            // The record must match the text before the edit.
            let shown = FilePreview::reopen(&before, shown.clone())
                .map_err(|_| self.damaged(&staged.edit_id))?;
            let (before, now_text) = (before.text(), now_text.text());
            let is_the_same = rebase::is_the_same(shown.record(), before, now.record(), now_text);
            if !is_the_same {
                return Ok(None);
            }
        }
        Ok(Some(plan))
    }

    /// Returns the refusal of an edit whose file changed, with a fresh preview if there is one.
    fn stale(&self, staged: &Staged, files: &[Arc<Parsed>]) -> Diagnostic {
        let changed = staged.files.iter().zip(files);
        let mut changed =
            changed.filter(|(kept, now)| kept.record.digest_before() != now.source().digest());
        let file_path = changed.next().map(|(_, now)| now.source().path());
        let mut stale = diagnostic::about_stale(file_path.unwrap_or_default());
        let again = match &staged.request {
            Request::Edits(edits) => self.edit(&edits.clone().applying(false)),
            suggested => self.suggested_again(suggested),
        };
        match again {
            Ok(fresh) => {
                let diffs = fresh.files.iter().map(|file| file.diff.as_str());
                stale.diff = Some(diffs.collect());
                let first = fresh.files.first();
                stale.suggestions = first
                    .map(|file| Suggestion {
                        call: NextCall::Apply(fresh.edit_id.clone()),
                        selects: format!(
                            "{} at line {}, a fresh preview",
                            file.edit.node_type, file.edit.range.start.line
                        ),
                    })
                    .into_iter()
                    .collect();
            }
            Err(refusal) => {
                stale.help = Some(diagnostic::refused_now_help(&refusal.diagnostic));
            }
        }
        stale
    }

    fn undo_edit_inner(&self, request: &UndoEdit) -> Result<EditMade, PendingRefusal> {
        let unsettled = self.settle();
        let edit_id = &request.edit_id;
        let applied = self.applied(edit_id)?;
        let (staged, mut locked) = self.locked_record(applied, |edit_id| self.applied(edit_id))?;
        let files = self.opened_locked(&mut locked)?;
        let mut applied = Vec::new();
        for (kept, now) in staged.files.iter().zip(&files) {
            let now = now.source();
            let shown = self.shown(&staged, kept, now.path())?;
            if now.digest() != kept.record.digest_after() {
                let diff = preview::difference(shown.after(), now);
                return Err(self.changed_since(edit_id, now, diff)?.into());
            }
            applied.push(shown);
        }
        let applied = self.preview_of(&staged, applied)?;
        let written = LockedPreview::to_undo(&applied, locked)
            .and_then(|locked| locked.write(&self.workspace, edit_id))
            .map_err(|error| diagnostic::about_file(&error))?;
        let plan = EditPlan {
            preview: applied,
            targets: staged.targets(),
            notes: Vec::new(),
        };
        let mut made = made(&staged, &plan, EditStatus::Undone);
        made.notes.extend(unsettled);
        made.notes
            .extend(self.record_written(written, &staged.with(EditStatus::Previewed)));
        Ok(made)
    }

    /// Returns the refusal of an undo, with the changes since, and a suggestion to undo a later edit first if there is
    /// one.
    fn changed_since(
        &self,
        edit_id: &str,
        now: &Source,
        diff: String,
    ) -> Result<Diagnostic, Diagnostic> {
        let mut refused = diagnostic::about_changed_since(now.path(), diff);
        let (all, _) =
            staged::all(self.workspace.state()).map_err(|error| diagnostic::about_state(&error))?;
        let later = all.into_iter().find(|one| {
            let leads_here = |file: &KeptFile| file.record.digest_after() == now.digest();
            one.status == EditStatus::Applied
                && one.edit_id != edit_id
                && one.files.iter().any(leads_here)
        });
        refused.suggestions = later
            .map(|later| Suggestion {
                selects: format!("the later edit of that file: {}", later.summary),
                call: NextCall::Undo(later.edit_id),
            })
            .into_iter()
            .collect();
        Ok(refused)
    }

    fn list_edits_inner(&self, request: &ListEdits) -> Result<EditList, PendingRefusal> {
        let unsettled = self.settle();
        let listed = |staged: Staged, diff: bool| {
            let paths = staged.paths.iter();
            let files = paths.map(|path| self.workspace.place(path).ok());
            let files: Vec<WorkspacePath> = files.collect::<Option<_>>()?;
            let names = files.iter().zip(&staged.paths);
            let names = names.map(|(file, path)| match file.absolute() == path.as_str() {
                true => file.display().as_str(),
                false => path,
            });
            let names: Vec<&str> = names.collect();
            Some(EditListed {
                edit_id: staged.edit_id,
                status: staged.status,
                tool: staged.request.tool().to_string(),
                file_path: names.join(", "),
                created: staged.created,
                summary: staged.summary,
                diff: diff
                    .then(|| {
                        let files = staged.files.iter().zip(&names);
                        let diffs =
                            files.map(|(file, name)| preview::renamed(file.record.diff(), name));
                        diffs.collect()
                    })
                    .filter(|diff: &String| !diff.is_empty()),
            })
        };
        if let Some(edit_id) = &request.edit_id {
            let staged = self.staged(edit_id)?;
            let edits: Vec<EditListed> = listed(staged, true).into_iter().collect();
            return match edits.is_empty() {
                true => Err(diagnostic::about_missing_edit(edit_id).into()),
                false => Ok(EditList {
                    edits,
                    omitted: 0,
                    unreadable: Vec::new(),
                }),
            };
        }
        let (all, mut unreadable) =
            staged::all(self.workspace.state()).map_err(|error| diagnostic::about_state(&error))?;
        unreadable.extend(unsettled);
        let (applied, waiting): (Vec<EditListed>, Vec<EditListed>) = all
            .into_iter()
            .filter_map(|staged| listed(staged, false))
            .partition(|one| one.status == EditStatus::Applied);
        let shown = waiting.len().min(WAITING_SHOWN) + applied.len().min(APPLIED_SHOWN);
        let omitted = waiting.len() + applied.len() - shown;
        let waiting = waiting.into_iter().take(WAITING_SHOWN);
        Ok(EditList {
            edits: waiting
                .chain(applied.into_iter().take(APPLIED_SHOWN))
                .collect(),
            omitted,
            unreadable,
        })
    }

    fn staged(&self, edit_id: &str) -> Result<Staged, Diagnostic> {
        self.staged_held(edit_id).map(|(staged, _)| staged)
    }

    /// Finds the record of an edit, and the file it was read from.
    fn staged_held(&self, edit_id: &str) -> Result<(Staged, HeldFile), Diagnostic> {
        staged::find_held(self.workspace.state(), edit_id).map_err(|error| match error {
            NoRecord::Missing => diagnostic::about_missing_edit(edit_id),
            NoRecord::Newer => {
                diagnostic::about_unreadable_edit(diagnostic::newer_record_text(edit_id))
            }
            NoRecord::Damaged => self.damaged(edit_id),
            NoRecord::State(error) => diagnostic::about_state(&error),
        })
    }

    /// Finds the record of a pending edit.
    fn waiting(&self, edit_id: &str) -> Result<(Staged, HeldFile), Diagnostic> {
        let (staged, file) = self.staged_held(edit_id)?;
        match staged.status {
            EditStatus::Previewed => Ok((staged, file)),
            EditStatus::Refused => Err(diagnostic::about_refused_edit(edit_id)),
            _ => Err(diagnostic::about_not_applied(edit_id, true)),
        }
    }

    /// Finds the record of an applied edit.
    fn applied(&self, edit_id: &str) -> Result<(Staged, HeldFile), Diagnostic> {
        let (staged, file) = self.staged_held(edit_id)?;
        match staged.status {
            EditStatus::Applied => Ok((staged, file)),
            _ => Err(diagnostic::about_not_applied(edit_id, false)),
        }
    }

    /// Locks the files of a record, so that no other process applies or undoes it. Reads the record again, with `find`,
    /// only if another process has replaced it.
    fn locked_record(
        &self,
        (staged, file): (Staged, HeldFile),
        find: impl FnOnce(&str) -> Result<(Staged, HeldFile), Diagnostic>,
    ) -> Result<(Staged, Vec<LockedFile>), Diagnostic> {
        let locked = self.locked(&self.paths_of(&staged)?)?;
        if file.has_its_name() {
            return Ok((staged, locked));
        }
        let (now, _) = find(&staged.edit_id)?;
        match now.paths == staged.paths {
            true => Ok((now, locked)),
            false => Err(self.damaged(&staged.edit_id)),
        }
    }

    /// Returns the files of an edit. Each must still have the path that it was shown with.
    fn paths_of(&self, staged: &Staged) -> Result<Vec<WorkspacePath>, Diagnostic> {
        let paths = staged.paths.iter().map(|path| {
            let resolved = self.resolved(path)?;
            match resolved.absolute() == path.as_str() {
                true => Ok(resolved),
                // A link has replaced the file, and the link's target was never shown.
                false => Err(diagnostic::about_moved(path, resolved.display().as_str())),
            }
        });
        paths.collect()
    }

    /// Returns the refusal for a record that cannot be read, and moves the record aside.
    fn damaged(&self, edit_id: &str) -> Diagnostic {
        let moved = staged::set_aside(self.workspace.state(), edit_id);
        let moved = moved.as_deref();
        diagnostic::about_unreadable_edit(diagnostic::damaged_record_text(edit_id, moved))
    }

    /// Parses the file, or takes it from the cache if its bytes are unchanged.
    fn parsed(&self, path: &str) -> Result<(WorkspacePath, Arc<Parsed>), Diagnostic> {
        let path = self.resolved(path)?;
        let parsed = self.parsed_at(&path)?;
        Ok((path, parsed))
    }

    fn resolved(&self, path: &str) -> Result<WorkspacePath, Diagnostic> {
        let resolved = self.workspace.resolve(path);
        resolved.map_err(|error| self.about_path(path, &error))
    }

    /// Does the same as [`Engine::parsed`] for a resolved path.
    fn parsed_at(&self, path: &WorkspacePath) -> Result<Arc<Parsed>, Diagnostic> {
        let opened = self.opened(path)?;
        Ok(self.kept_parsed(path, opened))
    }

    /// Parses a file that was read, and caches the result.
    fn kept_parsed(&self, path: &WorkspacePath, opened: Opened) -> Arc<Parsed> {
        let is_new = matches!(opened, Opened::New(_));
        let parsed = opened.parsed();
        if is_new {
            let key = path.absolute().to_owned();
            self.parsed.insert(key, parsed.clone());
        }
        parsed
    }

    /// Reads the text of a file. Returns the parsed file if it is in the cache.
    fn opened(&self, path: &WorkspacePath) -> Result<Opened, Diagnostic> {
        self.opened_by(path, |known, language| {
            self.workspace.read_text(path, known, language)
        })
    }

    /// Reads a file with `read`, which gets the cached text.
    fn opened_by(
        &self,
        path: &WorkspacePath,
        read: impl FnOnce(Option<&Source>, &LanguageOf<'_>) -> Result<Source, NotRead>,
    ) -> Result<Opened, Diagnostic> {
        let known = self.parsed.get(path.absolute());
        let language = |bytes: &[u8]| self.language_of(path.display().as_str(), bytes);
        let text = read(known.as_deref().map(Parsed::source), &language)
            .map_err(|error| diagnostic::about_not_read(&error))?;
        match known.filter(|known| known.source().is_same_text(&text)) {
            Some(known) => Ok(Opened::Known(known)),
            None => Ok(Opened::New(text)),
        }
    }

    /// Returns the language of a file, from its name, its repository's settings, and the beginning of its text.
    fn language_of(&self, name: &str, bytes: &[u8]) -> &'static Language {
        const LOOKED_AT: usize = 64 * 1024;
        let beginning = &bytes[..bytes.len().min(LOOKED_AT)];
        let said = self.workspace.language_said(Utf8Path::new(name));
        said.unwrap_or_else(|| language::of(name, &String::from_utf8_lossy(beginning)))
    }

    /// Explains why a path is invalid, and suggests the nearest paths.
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
            const NAMED: usize = 3;
            let nearest = self.workspace.nearest(path);
            let namesakes = match nearest.is_empty() {
                true => self.workspace.namesakes(path),
                false => Vec::new(),
            };
            let near = nearest.into_iter().chain(namesakes).take(NAMED);
            let near: Vec<String> = near.map(Utf8PathBuf::into_string).collect();
            if !near.is_empty() {
                diagnostic.help = Some(format!("the nearest paths are {}", near.join(", ")));
            }
        }
        diagnostic
    }

    /// Does the same as [`Engine::parsed`]. If the file does not exist, suggests the same call for files of the same
    /// name for which `resolves` returns true.
    fn parsed_or_near(
        &self,
        path: &str,
        resolves: impl Fn(&Parsed) -> bool,
    ) -> Result<(WorkspacePath, Arc<Parsed>), Diagnostic> {
        self.parsed(path).map_err(|mut diagnostic| {
            if diagnostic.code == Code::FileNotFound {
                const PROPOSED: usize = 3;
                let near = self.workspace.namesakes(path).into_iter();
                let fitting = near.filter(|path| {
                    self.parsed(path.as_str())
                        .is_ok_and(|(_, parsed)| resolves(&parsed))
                });
                diagnostic.suggestions = fitting
                    .take(PROPOSED)
                    .map(|path| Suggestion {
                        selects: format!("the same in `{path}`"),
                        call: NextCall::File(path.into_string()),
                    })
                    .collect();
            }
            diagnostic
        })
    }

    /// Completes a refusal with its call, and with other files that contain the missing text.
    fn refusal_of(
        &self,
        tool: &'static str,
        request: &impl Serialize,
        refusal: impl Into<PendingRefusal>,
    ) -> Refused {
        let PendingRefusal {
            diagnostic,
            edit_id,
            keeps_content,
        } = refusal.into();
        Box::new(Refusal {
            diagnostic: self.with_other_files(diagnostic),
            edit_id,
            keeps_content,
            tool: tool.into(),
            arguments: serde_json::to_value(request).unwrap_or_default(),
        })
    }
}

/// The files of several edits, each once with its associated data, and the file index of each target.
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

/// Determines the language of a file by its bytes.
type LanguageOf<'e> = dyn Fn(&[u8]) -> &'static Language + 'e;

/// A file that was read, parsed if it was in the cache.
enum Opened {
    Known(Arc<Parsed>),
    New(Source),
}

impl Opened {
    fn source(&self) -> &Source {
        match self {
            Opened::Known(parsed) => parsed.source(),
            Opened::New(source) => source,
        }
    }

    fn parsed(self) -> Arc<Parsed> {
        match self {
            Opened::Known(parsed) => parsed,
            Opened::New(source) => Arc::new(Parsed::parse(source)),
        }
    }
}

/// Returns the number of items on a page, and a note if it is less than requested.
fn page_size(
    wanted: Option<usize>,
    otherwise: usize,
    limit: usize,
) -> Result<(usize, Option<String>), Diagnostic> {
    match wanted.unwrap_or(otherwise) {
        0 => Err(diagnostic::about_arguments("max_items counts from 1")),
        wanted if wanted > limit => {
            let note = format!("max_items is {limit} at most; cursor goes on");
            Ok((limit, Some(note)))
        }
        wanted => Ok((wanted, None)),
    }
}

impl Refusal {
    /// Returns the refusal of a call that could not be read.
    pub fn of_call(tool: &'static str, arguments: Value, diagnostic: Diagnostic) -> Refusal {
        Refusal {
            diagnostic,
            edit_id: None,
            keeps_content: false,
            tool: tool.into(),
            arguments,
        }
    }

    /// Returns the exit status.
    pub fn exit_status(&self) -> ExitStatus {
        self.code().exit_status()
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

fn made(staged: &Staged, plan: &EditPlan, status: EditStatus) -> EditMade {
    let is_undone = status == EditStatus::Undone;
    let files = plan.preview.files().iter().zip(&plan.targets);
    let files = files.filter_map(|(file, targets)| {
        let edited = file_edited(&staged.request, file, targets)?;
        Some(match is_undone {
            true => undone(edited, file),
            false => edited,
        })
    });
    EditMade {
        edit_id: staged.edit_id.clone(),
        status,
        files: files.collect(),
        notes: plan.notes.clone(),
        diagnostics: None,
    }
}

fn file_edited(
    request: &Request,
    file: &FilePreview,
    targets: &[TargetInfo],
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
    Some(FileEdited {
        file_path: file.before().path().to_string(),
        edit: first?,
        edits,
        // The process that made the record may have used another path for the file.
        diff: preview::renamed(record.diff(), file.before().path()),
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
        diff: preview::difference(file.after(), file.before()),
        digest_before: edited.digest_after,
        digest_after: edited.digest_before,
        ..edited
    }
}

/// Returns the span of the character at an offset, or an empty span before whitespace.
fn at_point(source: &Source, point: usize) -> Span {
    match source.text()[point..].chars().next() {
        Some(c) if !c.is_whitespace() => Span::new(point, point + c.len_utf8()),
        _ => Span::at(point),
    }
}

/// Returns the byte offset of a line and character. Without a character, returns the offset of the line's first
/// non-whitespace character.
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

/// Returns the selected node with its ancestors. Without a node type, returns the smallest node at the only anchor.
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

/// Shortens a chain that ends at a declared name, so that it ends at the definition.
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

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test lays out a file")]
mod tests {
    use super::*;
    use crate::language;
    use crate::source::Source;

    fn parsed(bytes: u64) -> Arc<Parsed> {
        let text = format!("\"{}\"", "x".repeat(bytes as usize - 2));
        let source = Source::new("x.json", language::of("x.json", ""), text);
        Arc::new(Parsed::parse(source))
    }

    #[test]
    fn what_is_kept_parsed_is_bounded_and_holds_the_largest_file() {
        let cache = cache();
        cache.insert("large.json".into(), parsed(FILE_LIMIT));
        assert!(cache.peek(Utf8Path::new("large.json")).is_some());
        for number in 0..40 {
            cache.insert(format!("{number}.json").into(), parsed(1 << 20));
            assert!(cache.weight() <= CACHE_BYTES);
        }
    }

    /// Returns an engine for `a.rs`, and the temporary folder that contains it.
    fn engine() -> (tempfile::TempDir, Engine) {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let path = Utf8Path::from_path(folder.path()).expect("temporary folders are UTF-8");
        let root = path.join("root");
        std::fs::create_dir(&root).expect("it can be made");
        std::fs::write(root.join("a.rs"), "fn a() {}\n").expect("it can be written");
        let engine = Engine::open(&[root], Some(&path.join("state"))).expect("they are there");
        (folder, engine)
    }

    fn edited(engine: &Engine, apply: bool) -> EditMade {
        let arguments =
            json!({"file_path": "a.rs", "find": "a()", "new_content": "b()", "apply": apply});
        let request = request::read(arguments).expect("it is a request");
        engine.replace_text(&request).expect("it fits")
    }

    #[test]
    fn an_edit_that_is_written_at_once_takes_its_file_as_it_is_parsed() {
        let (_folder, engine) = engine();
        let (path, parsed) = engine.parsed("a.rs").expect("it can be read");
        assert_eq!(edited(&engine, true).status, EditStatus::Applied);
        let kept = engine.parsed.get(path.absolute());
        assert!(kept.is_some_and(|kept| Arc::ptr_eq(&kept, &parsed)));
    }

    #[test]
    fn a_record_that_another_process_changes_before_the_locks_is_read_again() {
        let (_folder, engine) = engine();
        let edit_id = edited(&engine, false).edit_id;
        let waiting = || engine.waiting(&edit_id).expect("it waits");
        let apply = |waiting| {
            let made = engine.apply_edit_inner(waiting, Vec::new());
            made.map(|made| made.status)
                .map_err(|refused| refused.diagnostic.message)
        };
        let (first, second) = (waiting(), waiting());
        assert_eq!(apply(first), Ok(EditStatus::Applied));
        assert_eq!(
            apply(second),
            Err(diagnostic::about_not_applied(&edit_id, true).message)
        );
    }
}
