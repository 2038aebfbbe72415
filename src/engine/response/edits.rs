//! Edits that were previewed, written, listed or discarded.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::request::is_false;
use super::questions::ProblemsChanged;
use super::{Range, is_zero};
use crate::edit::{InsertPosition, Operation};

/// An edit that was previewed or written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EditMade {
    /// Pass it to apply_edit. Absent if nothing would change.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub edit_id: String,
    /// Whether it is written.
    pub status: EditStatus,
    /// Whether only the user can apply it, on the command line.
    #[serde(default, skip_serializing_if = "is_false")]
    pub needs_approval: bool,
    /// The changed files.
    pub files: Vec<FileEdited>,
    /// What treegraft did beyond the request.
    pub notes: Vec<String>,
    /// Problems in the files before and after the write, from running language servers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diagnostics: Option<ProblemsChanged>,
    /// The matches of a rewrite.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matches: Option<MatchCounts>,
    /// How the change of an earlier edit was generalized.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generalized: Option<Generalized>,
}

/// The matches of a pattern that a call rewrites.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MatchCounts {
    /// The number of matches, without those inside other matches.
    pub found: usize,
    /// The number of replaced or deleted matches.
    pub replaced: usize,
    /// The number of matches that are equal to their replacement.
    pub unchanged: usize,
    /// The number of matches that `skip` or `only` left out.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left_out: usize,
    /// The number of matches inside other matches, which are rewritten with them.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub nested: usize,
    /// The number of matches that `skip_failing` left out.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub refused_total: usize,
    /// The first of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<MatchRefused>,
}

/// A match whose edit is refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MatchRefused {
    /// Its number, from 1.
    pub match_number: usize,
    /// The file.
    pub file_path: String,
    /// Its line, from 1.
    pub line: usize,
    /// The code of the refusal.
    pub code: String,
    /// The reason.
    pub message: String,
}

/// The status of an edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EditStatus {
    /// Nothing is written yet.
    Previewed,
    /// It is written.
    Applied,
    /// It is written, although other parts of the file changed since the preview.
    Rebased,
    /// Nothing is written: its surroundings changed since the preview. The answer shows the edit as it is now, which
    /// applying it again writes.
    RebaseProposed,
    /// It was refused. Its request is kept.
    Refused,
    /// It was written, and the previous bytes are restored.
    Undone,
    /// It is written. The answer shows what undoing it would change.
    UndoPreviewed,
    /// Nothing would change.
    Unchanged,
    /// It was discarded.
    Discarded,
}

/// The action on a selected node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EditAction {
    /// The node is replaced.
    Replace,
    /// Text in the node is replaced.
    ReplaceText,
    /// Text is inserted before the node.
    InsertBefore,
    /// Text is inserted after the node.
    InsertAfter,
    /// Text is inserted in its body.
    InsertInto,
    /// The node is deleted.
    Delete,
    /// The node is wrapped in text.
    Wrap,
    /// The node is moved.
    Move,
    /// The moved node is inserted before it.
    MoveBefore,
    /// The moved node is inserted after it.
    MoveAfter,
    /// The moved node is inserted in its body.
    MoveInto,
    /// The file is created.
    CreateFile,
    /// The file is deleted.
    DeleteFile,
    /// The file is moved to another path.
    MoveFile,
    /// The moved file is now here.
    MoveFileHere,
    /// Import statements of the file are added or removed.
    OrganizeFile,
}

/// The changes of one file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FileEdited {
    /// The file.
    pub file_path: String,
    /// The number of lines that the edit adds.
    pub added_lines: usize,
    /// The number of lines that the edit removes. A changed line counts as removed and added.
    pub removed_lines: usize,
    /// A unified diff. Absent if the edit is written as sent or as previewed, unless requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    /// In the answer of a call that writes without a preview: the first and last lines of each change and the lines next
    /// to them, as in a diff. Lines that replace as many lines of the same indentation count as unchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seams: Option<String>,
    /// The edit, or the first of several.
    #[serde(flatten)]
    pub edit: NodeEdited,
    /// All edits of the file, if the call makes several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub edits: Vec<NodeEdited>,
    /// BLAKE3 digest of the file before the edit; `absent` if there was no file.
    pub digest_before: String,
    /// BLAKE3 digest of the file after the edit; `absent` if there is no file.
    pub digest_after: String,
}

/// The edit of one node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NodeEdited {
    /// Its index among the edits of the call, from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edit_index: Option<usize>,
    /// The number of the match of a rewrite, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub match_number: Option<usize>,
    /// The action on the node.
    pub action: EditAction,
    /// The type of the selected node.
    pub node_type: String,
    /// Its range before the edit.
    pub range: Range,
    /// The range of the new text, also for a move within the file; empty after a deletion or a move to another file.
    pub new_range: Range,
}

/// A discarded edit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EditDiscarded {
    /// Its id.
    pub edit_id: String,
    /// Always true.
    pub discarded: bool,
    /// Why, as later calls about the edit report it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// The edits of a workspace that are no longer kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct EditsForgotten {
    /// The number of removed edits: pending, refused and applied.
    pub edits: usize,
    /// The number of removed texts of files, as they were before an edit.
    pub texts: usize,
    /// Interrupted changes, whose texts are kept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// The pending and recently applied edits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EditList {
    /// Pending, then applied and undone edits, then those discarded with a reason; newest first.
    pub edits: Vec<EditListed>,
    /// The number of older edits that are not listed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub omitted: usize,
    /// Records that cannot be read, and interrupted changes that cannot be completed or reverted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unreadable: Vec<String>,
}

/// A pending, applied, undone or discarded edit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EditListed {
    /// Pass it to apply_edit, or to undo_edit if the edit is applied.
    pub edit_id: String,
    /// Previewed, refused, applied, undone or discarded.
    pub status: EditStatus,
    /// The program that made it: the name of an MCP client, or `cli`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// The session of that program. It tells apart two programs of the same name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The tool that made it.
    pub tool: String,
    /// The files, separated by commas.
    pub file_path: String,
    /// The files, one by one: a name may contain a comma. Empty in an answer that is read from JSON.
    #[serde(skip)]
    pub paths: Vec<String>,
    /// The symbol of its first target.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
    /// The number of lines that it adds.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub added_lines: usize,
    /// The number of lines that it removes.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub removed_lines: usize,
    /// The creation time, in seconds since 1970. For a discarded edit, the time of that.
    pub created: u64,
    /// What it does or why it was refused, in one line.
    pub summary: String,
    /// Why it was discarded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The diff, if one edit was requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    /// Other pending edits that change the same text: if one is applied, the others are stale.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub overlaps: Vec<String>,
    /// The applied edits whose text it changed: each can only be undone after this one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<String>,
}

impl EditListed {
    /// Returns the files.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        let joined = self.paths.is_empty().then(|| self.file_path.split(", "));
        let paths = self.paths.iter().map(String::as_str);
        joined.into_iter().flatten().chain(paths)
    }

    /// Returns whether the edit can be written: it is pending or undone.
    pub fn is_open(&self) -> bool {
        matches!(self.status, EditStatus::Previewed | EditStatus::Undone)
    }

    /// Returns the name of the status: `previewed`, `refused`, `applied`, `undone` or `discarded`.
    pub fn status_name(&self) -> &'static str {
        match self.status {
            EditStatus::Refused => "refused",
            EditStatus::Discarded => "discarded",
            EditStatus::Applied | EditStatus::Rebased | EditStatus::UndoPreviewed => "applied",
            EditStatus::Undone => "undone",
            EditStatus::Previewed | EditStatus::RebaseProposed | EditStatus::Unchanged => {
                "previewed"
            }
        }
    }
}

/// The pattern of an earlier edit, and the other possible ones.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Generalized {
    /// The id of the earlier edit.
    pub edit_id: String,
    /// The pattern whose matches are rewritten.
    pub pattern: String,
    /// What it is read as.
    pub reading: String,
    /// The replacement of each match.
    pub new_content: String,
    /// The language in which it is a pattern.
    pub language: String,
    /// The other possible patterns, the narrower first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<OtherPattern>,
    /// The searched files and directories.
    #[serde(skip)]
    pub(in crate::engine) path: Vec<String>,
}

/// A pattern that was not chosen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OtherPattern {
    /// The pattern.
    pub pattern: String,
    /// What it is read as.
    pub reading: String,
    /// The replacement of each match.
    pub new_content: String,
    /// The number of its matches, without those inside other matches.
    pub matches: usize,
    /// The number of files that they are in.
    pub files: usize,
    /// The first of them.
    pub first: Vec<PatternMatch>,
}

/// A match of a pattern.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PatternMatch {
    /// The file.
    pub file_path: String,
    /// The line, from 1.
    pub line: usize,
    /// The text of the line.
    pub text: String,
}

impl EditAction {
    pub(in crate::engine) fn from_operation(operation: &Operation) -> EditAction {
        match operation {
            Operation::Replace { .. } => EditAction::Replace,
            Operation::ReplaceText { .. } => EditAction::ReplaceText,
            Operation::Wrap { .. } => EditAction::Wrap,
            Operation::Insert { position, .. } => match position {
                InsertPosition::Before => EditAction::InsertBefore,
                InsertPosition::After => EditAction::InsertAfter,
                InsertPosition::FirstChild | InsertPosition::LastChild => EditAction::InsertInto,
            },
            Operation::Delete => EditAction::Delete,
        }
    }

    /// Returns the action of a move: an insertion becomes the insertion of the moved node, a deletion its removal.
    pub(in crate::engine) fn of_move(self) -> EditAction {
        match self {
            EditAction::InsertBefore => EditAction::MoveBefore,
            EditAction::InsertAfter => EditAction::MoveAfter,
            EditAction::InsertInto => EditAction::MoveInto,
            EditAction::Delete => EditAction::Move,
            action => action,
        }
    }

    /// Returns whether a moved node is inserted.
    pub(in crate::engine) fn is_arrival(self) -> bool {
        matches!(
            self,
            EditAction::MoveBefore
                | EditAction::MoveAfter
                | EditAction::MoveInto
                | EditAction::MoveFileHere
        )
    }

    /// Returns whether it is an action on a whole file.
    pub(in crate::engine) fn is_of_file(self) -> bool {
        matches!(
            self,
            EditAction::CreateFile
                | EditAction::DeleteFile
                | EditAction::MoveFile
                | EditAction::MoveFileHere
                | EditAction::OrganizeFile
        )
    }
}
