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

// The order of these lines is the order of the layers: a module uses only those above it.

// What a call says, and what is answered.
pub mod request;
pub mod response;
pub mod watch;

// The edits of a request in the texts of their files: a checked preview.
mod plan;

// The records of edits, the outcome of each, and how an answer shows one.
mod ledger;
mod log;
mod made;
mod overlap;
mod parts;
mod preview_cache;

// What the engine holds between calls.
mod parsed_cache;
#[cfg(feature = "servers")]
mod server_pool;
mod core;

// The files of a call, and what is read from them.
mod files;
mod elsewhere;
mod languages;
mod one_text;
mod opened;
mod overview;
mod per_language;
mod rules;
mod searched;
mod survey;
mod within;

// A call: its request, its files, its answer.
#[doc(hidden)]
pub mod calls;

// Tools that read.
mod outline;
mod places;
mod find;

// Kept edits: they are amended, written and undone.
mod batch_lock;
mod selected;
mod lifecycle;
mod accept;
mod staging;
mod undo;

// Tools that edit.
mod moved_imports;
mod edits;
mod like;
mod rewrite;

// Tools that ask language servers.
#[cfg(feature = "servers")]
#[doc(hidden)]
pub mod questions;
#[cfg(not(feature = "servers"))]
mod without_servers;

// What front ends use.
#[doc(hidden)]
pub mod tools;
#[doc(hidden)]
pub mod batch;
#[doc(hidden)]
pub mod completion;
#[doc(hidden)]
pub mod guides;
pub mod on_text;
pub mod review;
#[cfg(test)]
mod crashes;

use std::time::{Duration, Instant};

use camino::Utf8Path;
use serde::Serialize;
use serde_json::{Value, json};

use crate::diagnostic;
use crate::steps;
use crate::workspace::{ConfigurationError, ToolGroup};

use calls::{Call, CallContext, ToolRequest};
use ledger::LedgerLine;
use log::EditOrigin;
use request::{
    AmendEdit, ApplyEdit, DeleteNode, DiscardEdit, EditCall, EditNodes, InsertNode, ListEdits,
    MoveNode, ReadNode, ReplaceNode, ReplaceText, UndoEdit, WrapNode,
};
use response::{
    EditDiscarded, EditList, EditMade, LanguageList, Located, NodeRead, NodeTypes, NodesFound,
    Outlined, PendingRefusal, Refused, RefusedCall, Stats,
};
use tools::Effect;
use watch::Watch;

pub use crate::workspace::{ApprovalRequired, Caller, FILE_LIMIT, FILES_LOOKED_AT, ITEMS_LIMIT};
pub use core::{Engine, EngineError};
pub use find::MATCHES_LISTED;
pub use lifecycle::REASON_CHARS;
pub use outline::{SYMBOL_LEVELS, SYMBOLS_LISTED};
pub use places::{TEXT_SHOWN, TEXT_SHOWN_BY_DEFAULT};
pub use response::Answer;
pub use selected::{APPLIED_SHOWN, DISCARDED_SHOWN, EditFilter, WAITING_SHOWN};

impl Engine {
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

    /// Returns the position of a locator, or the locator of a position, with the smallest node there and its selector.
    ///
    /// # Errors
    /// The locator does not resolve, or the file has no such position.
    pub fn locate(&self, request: &request::LocatePlace) -> Result<Located, Refused> {
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
            None => EditCall::from_arguments(&refused.tool, &refused.arguments),
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

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "the tests create files")]
mod tests {
    use std::sync::Arc;

    use super::response::EditStatus;
    use super::*;

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
