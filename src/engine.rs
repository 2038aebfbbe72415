//! The engine: one method for each verb. Front ends only call these methods.
//!
//! Each method takes a request and returns an [`Answer`], or a [`RefusedCall`] with the next steps. [`on_text`] makes
//! the same calls on one text, without a workspace.
//!
//! # How a call runs
//!
//! 1. **Read.** A front end names a tool (`tools`) and its arguments. `calls` reads them into a request (`request`), as
//!    leniently as clients need it. A call that edits and cannot be read is kept, so that `amend_edit` can correct it.
//! 2. **Answer.** `Engine::call` sets the limits of time and memory, and records the outcome in the `ledger`. Requests that
//!    only read (`find`, `outline`, `places`, `files`) take the parsed files from `opened`, which keeps them for the next
//!    call.
//! 3. **Plan.** An edit finds its files (`edits`). `plan` goes through the steps of the crate for each file: select, edit,
//!    change, validate, preview. `moved_imports` adds the import statements. If a step refuses, the suggestions of the
//!    refusal are planned in the same way before the caller reads them.
//! 4. **Keep.** `staging` stages what is planned: `log` keeps the record of the edit and the texts that it starts from. The
//!    answer (`made`, `response`) shows the diff.
//! 5. **Write.** `apply_edit`, a call with `apply`, a person who accepts several edits or parts of them (`accept`, `parts`),
//!    and `undo` read the record, lock its files and compare them with the preview. If a file changed, the edit is carried
//!    over to its current text (`apply::rebase`), and checked again there; or planned again, if nobody has seen it.
//!    `apply::journal` writes all files or none; the next process completes or reverts what a killed one left
//!    (`Engine::settle`). Then `log` renames the record.
//! 6. **Ask.** `questions` asks language servers about places and edits, with the texts as the edit leaves them.

mod accept;
#[doc(hidden)]
pub mod batch;
mod batch_lock;
#[doc(hidden)]
pub mod calls;
#[doc(hidden)]
pub mod completion;
pub mod coordinates;
#[cfg(test)]
mod crashes;
mod edits;
mod elsewhere;
mod files;
mod find;
mod fits;
#[doc(hidden)]
pub mod guides;
mod languages;
mod ledger;
mod lifecycle;
mod like;
mod log;
mod made;
mod moved_imports;
pub mod on_text;
mod opened;
mod outline;
mod overlap;
mod overview;
mod parts;
mod per_language;
mod places;
mod plan;
mod preview_cache;
#[cfg(feature = "servers")]
#[doc(hidden)]
pub mod questions;
pub mod request;
pub mod response;
mod retarget;
pub mod review;
mod rewrite;
mod rules;
mod selected;
mod staging;
mod survey;
#[doc(hidden)]
pub mod tools;
mod undo;
pub mod watch;
mod within;
#[cfg(not(feature = "servers"))]
mod without_servers;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};
use serde::Serialize;
use serde_json::{Value, json};

use crate::diagnostic::{self, Diagnostic, ExitStatus};
use crate::steps::{self, Stopped};
use crate::workspace::{
    ConfigurationError, StateDirectory, StateError, ToolGroup, Workspace, WorkspaceError,
};

use calls::{Call, CallContext, EditOrigin, ToolRequest};
use ledger::LedgerLine;
use log::GcBudget;
use opened::{CACHE_BYTES, ParsedCache, cache};
use preview_cache::PreviewCache;
#[cfg(feature = "servers")]
use questions::ServerPool;
use request::{
    AmendEdit, ApplyEdit, DeleteNode, Describe, DiscardEdit, EditCall, EditNodes, InsertNode,
    ListEdits, MoveNode, ReadNode, ReplaceNode, ReplaceText, UndoEdit, WrapNode,
};
use response::{
    Described, EditDiscarded, EditList, EditMade, LanguageList, Located, NodeRead, NodeTypes,
    NodesFound, Outlined, RefusedCall, Stats,
};
use tools::Effect;
use watch::Watch;
#[cfg(not(feature = "servers"))]
use without_servers::ServerPool;

pub use crate::workspace::{ApprovalRequired, Caller, FILE_LIMIT, FILES_LOOKED_AT, ITEMS_LIMIT};
pub use response::Answer;
pub use selected::EditFilter;

/// The maximum length of a node text in an answer, in bytes.
pub const TEXT_SHOWN: usize = 100_000;
/// The default length of a node text in an answer, in bytes.
pub const TEXT_SHOWN_BY_DEFAULT: usize = 12_000;
/// The maximum number of pending edits in a list.
pub const WAITING_SHOWN: usize = 100;
/// The maximum number of applied edits in a list; the latest are kept.
pub const APPLIED_SHOWN: usize = 20;
/// The maximum number of edits that were discarded with a reason in a list; the latest are kept.
pub const DISCARDED_SHOWN: usize = 20;
/// The maximum length of the reason for discarding an edit, in characters.
pub const REASON_CHARS: usize = 2_000;
/// The default number of symbols in an outline.
pub const SYMBOLS_LISTED: usize = 200;
/// The default number of symbol levels in an outline of several files.
pub const SYMBOL_LEVELS: usize = 2;
/// The default number of matches in a search.
pub const MATCHES_LISTED: usize = 50;

/// The engine for one workspace. Its methods can be called from several threads at once.
#[derive(Debug)]
pub struct Engine {
    workspace: Workspace,
    parsed: ParsedCache,
    /// How many bytes of memory the trees of the process may take.
    max_memory: Option<u64>,
    server_pool: Arc<ServerPool>,
    previews: PreviewCache,
    gc_budget: GcBudget,
}

/// Why an engine cannot be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// A root cannot be opened.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    /// The state directory cannot be opened.
    #[error(transparent)]
    State(#[from] StateError),
    /// A path is not UTF-8.
    #[error("the path {} is not UTF-8", .0.display())]
    NotUtf8(PathBuf),
}

fn utf8(path: &Path) -> Result<&Utf8Path, EngineError> {
    Utf8Path::from_path(path).ok_or_else(|| EngineError::NotUtf8(path.to_owned()))
}

type Refused = Box<RefusedCall>;

/// A refusal without its call, with the id of the kept request.
struct PendingRefusal {
    diagnostic: Diagnostic,
    edit_id: Option<String>,
    keeps_content: bool,
    /// Whether the first suggestions of all refused edits together fix the call.
    fixes_all: bool,
}

impl From<Diagnostic> for PendingRefusal {
    fn from(diagnostic: Diagnostic) -> PendingRefusal {
        PendingRefusal {
            diagnostic,
            edit_id: None,
            keeps_content: false,
            fixes_all: false,
        }
    }
}

impl Engine {
    /// Opens an engine for `roots`. Staged edits are kept in `state_directory`, by default (`None::<&str>`) the user's
    /// state directory (`$XDG_STATE_HOME/treegraft`). First completes or reverts interrupted changes of several files.
    ///
    /// # Errors
    /// A root or the state directory cannot be opened, or its path is not UTF-8.
    pub fn open(
        roots: &[impl AsRef<Path>],
        state_directory: Option<impl AsRef<Path>>,
    ) -> Result<Engine, EngineError> {
        Engine::open_for(Caller::Person, roots, state_directory)
    }

    /// Does the same as [`Engine::open`] for a caller. If the caller is an agent whose edits a person has to approve,
    /// no method writes a file of the workspace: it refuses with [`Code::ApprovalRequired`](crate::Code), and the edit
    /// stays staged.
    ///
    /// # Errors
    /// As for [`Engine::open`].
    pub fn open_for(
        caller: Caller,
        roots: &[impl AsRef<Path>],
        state_directory: Option<impl AsRef<Path>>,
    ) -> Result<Engine, EngineError> {
        let state = match state_directory {
            Some(path) => StateDirectory::open(utf8(path.as_ref())?)?,
            None => StateDirectory::open(&StateDirectory::default_path()?)?,
        };
        let roots = roots.iter().map(|root| Ok(utf8(root.as_ref())?.to_owned()));
        let roots: Vec<Utf8PathBuf> = roots.collect::<Result<_, EngineError>>()?;
        let workspace = Workspace::open_for(caller, &roots, state)?;
        Ok(Engine::over(workspace, Arc::default()))
    }

    /// Returns the engine with a limit of memory: a call during which the trees of all files of the process would take more
    /// than `bytes` is refused ([`Code::FileTooLarge`](crate::Code)), and files stay parsed in at most a quarter of it. Their
    /// memory is estimated: about 30 bytes for each byte of text, and twice that during an edit.
    pub fn with_max_memory(self, bytes: u64) -> Engine {
        Engine {
            parsed: cache(CACHE_BYTES.min(bytes / 4)),
            max_memory: Some(bytes),
            ..self
        }
    }

    /// Returns an engine for the intersection of `folders` and the roots, with the same staged edits. Returns `None` if
    /// the intersection is empty or cannot be opened.
    pub fn within(&self, folders: &[impl AsRef<str>]) -> Option<Engine> {
        let folders: Vec<Utf8PathBuf> = folders.iter().map(|one| one.as_ref().into()).collect();
        let workspace = self.workspace.narrowed(&folders)?;
        let engine = Engine::over(workspace, self.server_pool.narrowed());
        Some(match self.max_memory {
            Some(bytes) => engine.with_max_memory(bytes),
            None => engine,
        })
    }

    fn over(workspace: Workspace, server_pool: Arc<ServerPool>) -> Engine {
        let engine = Engine {
            workspace,
            parsed: cache(CACHE_BYTES),
            max_memory: None,
            server_pool,
            previews: PreviewCache::default(),
            gc_budget: GcBudget::default(),
        };
        // Every edit retries failed recoveries and reports them.
        engine.settle();
        engine
    }

    /// Lists the languages.
    pub fn languages() -> LanguageList {
        languages::languages()
    }

    /// Lists the node types of a language, each with an example and its general words.
    ///
    /// # Errors
    /// The language is unknown (`unknown_language`), or its grammar cannot be loaded (`grammar_unavailable`).
    pub fn node_types(language: &str) -> Result<NodeTypes, Refused> {
        languages::node_types(language).map_err(|diagnostic| {
            let arguments = json!({"language": language});
            Box::new(RefusedCall::of_call("node_types", arguments, diagnostic))
        })
    }

    /// Returns the errors of all `treegraft.toml` files that are ignored because they cannot be read.
    pub fn settings_errors(&self) -> impl Iterator<Item = &ConfigurationError> {
        self.workspace.settings_errors()
    }

    /// Returns the groups of tools that a server of this workspace offers: those that `treegraft.toml` chooses, or else the
    /// default ones.
    pub fn tool_groups(&self) -> Vec<ToolGroup> {
        let chosen = self.workspace.tool_groups();
        chosen.unwrap_or_else(|| ToolGroup::DEFAULT.to_vec())
    }

    /// Returns why a person has to approve each edit of the caller, if that is so now.
    pub fn approval_required(&self) -> Option<ApprovalRequired> {
        self.workspace.approval_required()
    }

    /// Returns the root directories of the workspace.
    pub fn roots(&self) -> impl Iterator<Item = &str> {
        self.workspace.roots().map(Utf8Path::as_str)
    }

    /// Lists the symbols of a file, or of the files of a directory or a glob. Each has a locator that resolves only to
    /// it. Omits symbols of most embedded languages.
    ///
    /// # Errors
    /// The path matches no file, or the cursor belongs to another call.
    pub fn outline(
        &self,
        request: &request::Outline,
        watch: &dyn Watch,
    ) -> Result<Outlined, Refused> {
        self.call(request, watch, None)
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
        self.call(request, watch, None)
    }

    /// Resolves a locator.
    ///
    /// # Errors
    /// The locator does not resolve.
    pub fn locate(&self, request: &request::LocatePlace) -> Result<Located, Refused> {
        self.answer(request)
    }

    /// Returns the shortest locator of a position, and the shortest selector of the smallest node there.
    ///
    /// # Errors
    /// The file has no such position.
    pub fn describe(&self, request: &Describe) -> Result<Described, Refused> {
        self.answer(request)
    }

    /// Returns the text of a node, or of the smallest node at a position.
    ///
    /// # Errors
    /// The selector does not match exactly one node.
    pub fn read_node(&self, request: &ReadNode) -> Result<NodeRead, Refused> {
        self.answer(request)
    }

    /// Previews, or with `apply` writes, the replacement of one node.
    ///
    /// # Errors
    /// The selector does not match exactly one node, a check fails, or the file cannot be written.
    pub fn replace_node(&self, request: &ReplaceNode) -> Result<EditMade, Refused> {
        self.answer(request)
    }

    /// Previews, or with `apply` writes, the replacement of the only match of a text. The text can be less or more than
    /// a node.
    ///
    /// # Errors
    /// The text does not match exactly once, a check fails, or the file cannot be written.
    pub fn replace_text(&self, request: &ReplaceText) -> Result<EditMade, Refused> {
        self.answer(request)
    }

    /// Previews, or with `apply` writes, an insertion before or after one node, or inside its body.
    ///
    /// # Errors
    /// As [`Engine::replace_node`]; or the node does not have exactly one body.
    pub fn insert_node(&self, request: &InsertNode) -> Result<EditMade, Refused> {
        self.answer(request)
    }

    /// Previews, or with `apply` writes, the deletion of one node and everything attached to it.
    ///
    /// # Errors
    /// As [`Engine::replace_node`].
    pub fn delete_node(&self, request: &DeleteNode) -> Result<EditMade, Refused> {
        self.answer(request)
    }

    /// Previews, or with `apply` writes, new content that encloses one node.
    ///
    /// # Errors
    /// As [`Engine::replace_node`]; or the content has no marker for the node.
    pub fn wrap_node(&self, request: &WrapNode) -> Result<EditMade, Refused> {
        self.answer(request)
    }

    /// Previews, or with `apply` writes, the move of one node and everything attached to it to another position, in the
    /// same file or another.
    ///
    /// # Errors
    /// As [`Engine::replace_node`], for the node or the destination.
    pub fn move_node(&self, request: &MoveNode) -> Result<EditMade, Refused> {
        self.answer(request)
    }

    /// Previews, or with `apply` writes, several edits in one or more files. Either all edits are made or none.
    ///
    /// # Errors
    /// As [`Engine::replace_node`], for the first refused edit, with its index; or two edits overlap
    /// (`overlapping_edits`).
    pub fn edit_nodes(&self, request: &EditNodes) -> Result<EditMade, Refused> {
        self.answer(request)
    }

    /// Previews, or with `apply` writes, the replacement of every match of a pattern in one or more files.
    ///
    /// # Errors
    /// The pattern or its replacement is invalid, a path matches no file, a match fails a check and `skip_failing` is not
    /// set, or a file cannot be written.
    pub fn rewrite(
        &self,
        request: &request::Rewrite,
        watch: &dyn Watch,
    ) -> Result<EditMade, Refused> {
        self.call(request, watch, None)
    }

    /// Restores the bytes that the files had before an applied edit. The edit is undone then; [`Engine::apply_edit`] can
    /// write it again.
    ///
    /// # Errors
    /// A file changed since (`stale_edit`, with the changes), or cannot be written.
    pub fn undo_edit(&self, request: &UndoEdit) -> Result<EditMade, Refused> {
        self.answer(request)
    }

    /// Writes a preview exactly as shown.
    ///
    /// # Errors
    /// A file changed since (`stale_edit`, with a fresh preview), or cannot be written.
    pub fn apply_edit(&self, request: &ApplyEdit) -> Result<EditMade, Refused> {
        self.answer(request)
    }

    /// Discards a previewed or refused edit.
    ///
    /// # Errors
    /// No edit has the id, or the edit is applied.
    pub fn discard_edit(&self, request: &DiscardEdit) -> Result<EditDiscarded, Refused> {
        self.answer(request)
    }

    /// Changes fields of a refused or previewed edit, and previews it again or, with `apply`, writes it.
    ///
    /// # Errors
    /// As [`Engine::edit_nodes`]; or the amendment does not determine its edit.
    pub fn amend_edit(&self, request: &AmendEdit) -> Result<EditMade, Refused> {
        self.answer(request)
    }

    /// Returns the engine with `folder` as the base of relative paths in requests and answers. On the command line,
    /// this is the working directory. A folder outside the roots has no effect.
    pub fn relative_to(self, folder: impl AsRef<str>) -> Engine {
        Engine {
            workspace: self.workspace.relative_to(Utf8Path::new(folder.as_ref())),
            // Cached files have paths relative to the old base.
            parsed: cache(self.parsed.capacity()),
            previews: PreviewCache::default(),
            ..self
        }
    }

    /// Lists the pending and the recently applied edits of files inside the roots, or returns one of them with its
    /// diff.
    ///
    /// # Errors
    /// No edit has the id.
    pub fn list_edits(&self, request: &ListEdits) -> Result<EditList, Refused> {
        self.answer(request)
    }

    /// Returns the outcomes of the edit calls in the last `since`, or of all recorded calls.
    ///
    /// # Errors
    /// The ledger cannot be read.
    pub fn stats(&self, since: Option<Duration>) -> Result<Stats, Refused> {
        ledger::stats(self.workspace.state(), since).map_err(|error| {
            let arguments = json!({"since": since.map(|since| since.as_secs())});
            Box::new(RefusedCall::of_call(
                "stats",
                arguments,
                diagnostic::about_state(&error),
            ))
        })
    }

    /// Reads a call as leniently as the other front ends do. Keeps a call of a tool that edits even if it cannot be read,
    /// so that `amend_edit` can correct it.
    ///
    /// # Errors
    /// The tool does not exist, or does not take the arguments.
    #[doc(hidden)]
    pub fn read_call(&self, tool: &str, arguments: Value) -> Result<Call, Refused> {
        Call::read(tool, arguments).map_err(|refused| self.kept_unread(refused))
    }

    /// Keeps the call of a refusal that could not be read, if it is a call of a tool that edits.
    #[doc(hidden)]
    pub fn kept_unread(&self, refused: Refused) -> Refused {
        let call = match refused.edit_id {
            Some(_) => None,
            None => EditCall::of(&refused.tool, &refused.arguments),
        };
        let Some(call) = call else {
            return refused;
        };
        let PendingRefusal {
            diagnostic,
            edit_id,
            keeps_content,
            fixes_all,
        } = self.refused_unread(call, refused.diagnostic, EditOrigin::default());
        Box::new(RefusedCall {
            diagnostic,
            edit_id,
            keeps_content,
            fixes_all,
            is_part: false,
            ..*refused
        })
    }

    /// Answers a request, and records the outcome of an edit call in the ledger. The edit of the call gets the id
    /// `edit_id`, if set.
    fn call<R: ToolRequest>(
        &self,
        request: &R,
        watch: &dyn Watch,
        edit_id: Option<&str>,
    ) -> Result<R::Answer, Refused> {
        let origin = EditOrigin {
            edit_id,
            client: watch.client(),
            session: watch.session(),
            is_retargeted: false,
        };
        self.call_in(request, &CallContext { watch, origin })
    }

    fn call_in<R: ToolRequest>(
        &self,
        request: &R,
        context: &CallContext<'_>,
    ) -> Result<R::Answer, Refused> {
        let started = Instant::now();
        let is_read = tools::tool(R::TOOL).is_some_and(|tool| tool.effect == Effect::Reads);
        let limits = steps::Limits {
            stop: context.watch.stop_check(),
            max_memory: self.max_memory,
        };
        let answered = steps::watched(limits, || match is_read {
            true => steps::stoppable(|| request.answer(self, context))
                .unwrap_or_else(|stopped| Err(self.about_stopped(stopped).into())),
            false => request.answer(self, context),
        });
        let answered = answered.map_err(|refusal| self.refusal_of(R::TOOL, request, refusal));
        if let Some(outcome) = R::outcome(&answered) {
            let of = request.edit_id();
            let line = LedgerLine::new(&self.workspace, R::TOOL, of, outcome, started.elapsed());
            // The call succeeds even if it cannot be recorded.
            let _ = ledger::append(self.workspace.state(), &line);
        }
        answered
    }

    /// Explains why a call was stopped. If it used too much memory, no file stays parsed.
    fn about_stopped(&self, stopped: Stopped) -> Diagnostic {
        match stopped {
            Stopped::Asked => diagnostic::about_stopped(),
            Stopped::OutOfMemory(limit) => {
                self.parsed.clear();
                diagnostic::about_memory(limit)
            }
        }
    }

    fn answer<R: ToolRequest>(&self, request: &R) -> Result<R::Answer, Refused> {
        self.call(request, &(), None)
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
            fixes_all,
        } = refusal.into();
        Box::new(RefusedCall {
            diagnostic: self.with_other_files(diagnostic),
            edit_id,
            keeps_content,
            fixes_all,
            is_part: false,
            tool: tool.into(),
            arguments: serde_json::to_value(request).unwrap_or_default(),
        })
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
            let note = format!("max_items is limited to {limit}; pass cursor for the next page");
            Ok((limit, Some(note)))
        }
        wanted => Ok((wanted, None)),
    }
}

impl RefusedCall {
    /// Returns the refusal of a call that could not be read.
    pub fn of_call(tool: &'static str, arguments: Value, diagnostic: Diagnostic) -> RefusedCall {
        RefusedCall {
            diagnostic,
            edit_id: None,
            keeps_content: false,
            fixes_all: false,
            is_part: false,
            tool: tool.into(),
            arguments,
        }
    }

    /// Returns the exit status.
    pub fn exit_status(&self) -> ExitStatus {
        self.code().exit_status()
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "the tests create files")]
mod tests {
    use super::response::EditStatus;
    use super::*;
    use crate::language;
    use crate::parse::Parsed;
    use crate::source::Source;

    fn parsed(bytes: u64) -> Arc<Parsed> {
        let text = format!("\"{}\"", "x".repeat(bytes as usize - 2));
        let source = Source::new("x.json", language::of("x.json", ""), text);
        Arc::new(Parsed::parse(source))
    }

    #[test]
    fn what_is_kept_parsed_is_bounded_and_holds_the_largest_file() {
        let cache = cache(CACHE_BYTES);
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
}
